"""Which extra of card-envs installs a package that is missing."""

from __future__ import annotations

EXTRA_OF = {
    **dict.fromkeys(("tyro", "rich", "tqdm"), "cli"),
    **dict.fromkeys(("stable_baselines3", "sb3_contrib"), "sb3"),
    **dict.fromkeys(("torch", "safetensors", "matplotlib", "tensorboard"), "train"),
    **dict.fromkeys(("starlette", "uvicorn", "websockets"), "web"),
    **dict.fromkeys(("onnx", "onnxruntime"), "onnx"),
    **dict.fromkeys(("trueskill", "openskill", "threadpoolctl"), "league"),
    **dict.fromkeys(("openenv", "fastapi"), "openenv"),
    "textarena": "textarena",
    "openai": "llm",
    "scipy": "stats",
    "PIL": "render",
    "pyspiel": "openspiel",
    "open_spiel": "openspiel",
    "rlcard": "rlcard",
    "ray": "rllib",
    "numba_cuda": "cuda",
}
"""Third-party package -> the extra of card-envs that installs it."""


def how_to_install(error: ModuleNotFoundError) -> str:
    """Return which extra brings a missing package; raises the error again for one that no extra brings."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRA_OF:
        raise error
    return f"{package} is not installed: pip install 'card-envs[{EXTRA_OF[package]}]'"
