"""Export a trained agent to ship it with a package: small weights, no checkpoints, and the row that registers it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file

from card_baselines.agents.learned.mlp_policy import quantise_weights, read_weights
from card_baselines.pretrained import Pretrained
from card_baselines.run_folder import CONFIG, EVALUATION, METRICS, WEIGHTS, RunFolder
from card_envs.damaged_files import read_json_object
from card_envs.files import replace_file

_NAMES_OF_RUNS = ("start_from", "teacher")
"""Settings that may be the path of a run folder: what is exported says runs/NAME."""


def export_pretrained(run: Path, folder: Path, int8: bool = False) -> float:
    """Write the policy, settings and results of a run to `folder`; return the largest change of a weight.

    Args:
        run: Run folder.
        folder: Folder to write, which may exist.
        int8: Store matrices as int8 with a scale for each row (`quantise_weights`), a quarter of their size, instead
            of float16, half of it.

    Raises:
        ValueError: If the run is not finished, or its policy is no `policy.safetensors`.
    """
    for name in (CONFIG, METRICS, EVALUATION, WEIGHTS):
        if not (run / name).is_file():
            raise ValueError(f"{run} has no {name}: name the folder of a finished training run of one network")
    folder.mkdir(parents=True, exist_ok=True)
    for name in (METRICS, EVALUATION):
        shutil.copyfile(run / name, folder / name)
    config = RunFolder(run).config()
    config |= {name: f"runs/{Path(config[name]).name}" for name in _NAMES_OF_RUNS if os.sep in config.get(name, "")}
    with replace_file(folder / CONFIG) as temporary:
        temporary.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    weights = read_weights(run / WEIGHTS)
    small = quantise_weights(weights) if int8 else {name: tensor.to(torch.float16) for name, tensor in weights.items()}
    with replace_file(folder / WEIGHTS) as temporary:
        save_file(small, temporary)
    read = read_weights(folder / WEIGHTS)
    return max(float((read[name].float() - tensor.float()).abs().max()) for name, tensor in weights.items())


def make_row(folder: Path) -> Pretrained:
    """Return the row of an exported agent; its folder and licence are for the author of its package to complete."""
    config = RunFolder(folder).config()
    settings = [word for word in config.get("env_args", ()) if not word.startswith("encoder=")]
    cost = read_json_object(folder / EVALUATION).get("cost", {})
    amount = "".join(f", {value:,} {name}" for name, value in cost.items())
    return Pretrained(
        folder=folder.as_posix(),
        game=" ".join([config["env"], *settings]),
        licence="",
        trained=f"{config['algorithm']}{amount}.",
    )
