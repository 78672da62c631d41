"""Export a trained agent to ship it with the package.

`python -m card_baselines.runs.export_pretrained RUN FOLDER` converts the weights to float16, half their size, prints
the largest change of a weight, and leaves checkpoints out.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from card_baselines.run_folder import CONFIG, EVALUATION, METRICS, WEIGHTS
from card_envs.files import replace_file


def export_pretrained(run: Path, folder: Path) -> float:
    """Write the policy, settings and results of a run to `folder`; return the largest change of a weight."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (CONFIG, METRICS, EVALUATION):
        shutil.copyfile(run / name, folder / name)
    weights = load_file(run / WEIGHTS)
    small = {name: tensor.to(torch.float16) for name, tensor in weights.items()}
    with replace_file(folder / WEIGHTS) as temporary:
        save_file(small, temporary)
    return max(float((small[name].float() - tensor).abs().max()) for name, tensor in weights.items())


if __name__ == "__main__":
    print(f"largest change of a weight: {export_pretrained(Path(sys.argv[1]), Path(sys.argv[2])):.2g}")
