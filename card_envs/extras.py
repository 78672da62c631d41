"""The extras of card-envs that install optional packages."""

from __future__ import annotations

EXTRA_OF = {
    **dict.fromkeys(("tyro", "rich", "tqdm"), "cli"),
    **dict.fromkeys(("stable_baselines3", "sb3_contrib"), "sb3"),
    **dict.fromkeys(("torch", "safetensors", "matplotlib", "tensorboard"), "train"),
    **dict.fromkeys(("starlette", "uvicorn", "websockets"), "web"),
    **dict.fromkeys(("onnx", "onnxruntime"), "onnx"),
    **dict.fromkeys(("trueskill", "openskill", "threadpoolctl", "markdown_it"), "league"),
    **dict.fromkeys(("openenv", "fastapi"), "openenv"),
    "optuna": "sweep",
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
    """Return the command that installs the package whose import failed; raise `error` again if no extra installs it."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRA_OF:
        raise error
    return f"{package} is not installed: pip install 'card-envs[{EXTRA_OF[package]}]'"
