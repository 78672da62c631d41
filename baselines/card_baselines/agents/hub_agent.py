"""Trained agents from the Hugging Face Hub: `hf:user/name`, or `hf:user/name@revision`."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from card_envs.agent import find_agent
from card_envs.agent.base import DuckTypedAgent
from card_envs.game import Game

_PATTERNS = ("*.json", "*.safetensors")
"""Files that are downloaded: data alone, nothing that runs code when it is read."""
_IGNORED = ("state.safetensors", "*/*")
"""Files that only a continued training needs."""
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")


class HubAgent(DuckTypedAgent):
    """Plays the run folder in a repository of the Hub: config.json, which names a registered kind, and its weights.

    `card-envs agents --export` writes such a folder, which `hf upload` publishes.

    Args:
        game: The game to play.
        argument: "user/name", perhaps with "@" and a branch, a tag or a commit.
        device: Device of the agent's networks.

    Raises:
        ValueError: If there is no such repository, it holds no agent, or the agent is for another game.
    """

    def __init__(self, game: Game, argument: str, device: str = "cpu") -> None:
        repository, _, revision = argument.partition("@")
        if not _REPOSITORY.fullmatch(repository):
            raise ValueError(f"hf:{argument} is no repository: write hf:user/name or hf:user/name@revision")
        folder = _download(repository, revision or None)
        if not (folder / "config.json").is_file():
            raise ValueError(f"hf:{argument} has no config.json, so it is no agent that a run or an export has written")
        super().__init__(find_agent(str(folder), game, device))
        self.name = repository.partition("/")[2]


def _download(repository: str, revision: str | None) -> Path:
    """Return the folder of the Hub's cache with the files of a repository."""
    try:
        hub = importlib.import_module("huggingface_hub")
    except ModuleNotFoundError as error:
        raise ValueError(f"hf:{repository} needs huggingface_hub: pip install huggingface_hub") from error
    try:
        return Path(
            hub.snapshot_download(
                repository, revision=revision, allow_patterns=list(_PATTERNS), ignore_patterns=list(_IGNORED)
            )
        )
    except Exception as error:  # the Hub's and the network's errors have no common class
        raise ValueError(f"hf:{repository} cannot be downloaded: {error}") from error
