"""Make a trained agent small enough to come with the package.

`python -m card_baselines.runs.export_pretrained RUN FOLDER`: weights become float16, half their size, and the
largest change of a weight is printed. Checkpoints stay behind.
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
    """Write what an agent needs, and its measures, to `folder`; returns the largest change of a weight."""
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
