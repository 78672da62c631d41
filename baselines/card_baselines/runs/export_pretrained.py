"""Export a trained agent to ship it with the package.

`python -m card_baselines.runs.export_pretrained RUN FOLDER` converts the weights to float16, half their size, prints
the largest change of a weight, and leaves checkpoints and the paths of other run folders out. With `--int8` matrices
take a quarter of their size (`agents.learned.mlp_policy.quantise_weights`).
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file

from card_baselines.agents.learned.mlp_policy import quantise_weights, read_weights
from card_baselines.run_folder import CONFIG, EVALUATION, METRICS, WEIGHTS
from card_envs.files import replace_file

_NAMES_OF_RUNS = ("start_from", "teacher")
"""Settings that may be the path of a run folder: what is exported says runs/NAME."""


def export_pretrained(run: Path, folder: Path, int8: bool = False) -> float:
    """Write the policy, settings and results of a run to `folder`; return the largest change of a weight.

    Args:
        run: Run folder.
        folder: Folder to write, which may exist.
        int8: Store matrices as int8 with a scale for each row, instead of float16.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in (METRICS, EVALUATION):
        shutil.copyfile(run / name, folder / name)
    config = json.loads((run / CONFIG).read_text(encoding="utf-8"))
    config |= {name: f"runs/{Path(config[name]).name}" for name in _NAMES_OF_RUNS if os.sep in config.get(name, "")}
    with replace_file(folder / CONFIG) as temporary:
        temporary.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    weights = read_weights(run / WEIGHTS)
    small = quantise_weights(weights) if int8 else {name: tensor.to(torch.float16) for name, tensor in weights.items()}
    with replace_file(folder / WEIGHTS) as temporary:
        save_file(small, temporary)
    read = read_weights(folder / WEIGHTS)
    return max(float((read[name].float() - tensor.float()).abs().max()) for name, tensor in weights.items())


if __name__ == "__main__":
    changed = export_pretrained(Path(sys.argv[1]), Path(sys.argv[2]), "--int8" in sys.argv[3:])
    print(f"largest change of a weight: {changed:.2g}")
