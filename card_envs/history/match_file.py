"""Recording of a match in a hand history file."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import numpy as np

from card_envs.envs import as_game
from card_envs.files import replace_file
from card_envs.game import Game, check_list
from card_envs.history.formats import format_of_file, formats, formats_of
from card_envs.history.history_format import HistoryFormat, HistoryWriter, PlayedHands
from card_envs.match.callbacks import MatchBatch
from card_envs.typing import Rows


class MatchFile:
    """Match callback that writes the hands to a file; use it in a `with` statement around `play_match`.

    The file is created, complete, at the end of the statement. If the match raises an error, there is no file.

    Args:
        path: File with the suffix of a format, such as .phhs or .pokerstars; or a folder, in which the file is named
            after game and seed.
        game: The game of the match.
        names: Names of the agents, in the order of the match.
        seed: Seed of the match; None if the deals do not depend on a seed.

    Raises:
        ValueError: For an unknown suffix, a format that cannot describe the game, and a file that exists already.
    """

    def __init__(self, path: str | Path, game: Game | str, names: Sequence[str], seed: int | None) -> None:
        game, listed = as_game(game), check_list("names", names, "a list of the names of the agents")
        if len(listed) != game.num_seats or not all(isinstance(name, str) for name in listed):
            raise ValueError(f"names {listed} must be {game.num_seats} texts, one for each agent of {game.name}")
        self.path = file_for(Path(path), game, seed)
        self.num_hands = 0
        self._game = game
        self._writer = _writer_for(self.path, game, tuple(listed), seed)
        self._body: IO[str] | None = None
        self._taken: list[tuple[Rows, Rows]] = []

    def __enter__(self) -> Self:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._body = tempfile.TemporaryFile(
                "w+", dir=self.path.parent, encoding="utf-8", errors="replace", newline="\n"
            )
        except OSError as error:  # which names the temporary file, or a folder above
            raise type(error)(error.errno, error.strerror, str(self.path)) from error
        return self

    def on_deal(self, batch: MatchBatch) -> None:
        """Start recording a batch of hands; ValueError for hands of another game, and of a second match."""
        if (batch.game.name, batch.game.config) != (self._game.name, self._game.config):
            raise ValueError(f"{self.path}: the file is for {self._game}, and this match plays {batch.game}")
        if self.num_hands and (batch.hands == 0).any():
            raise ValueError(f"{self.path}: a second match begins, and a file holds one: save it in another file")
        self._dealt = batch.tables.copy()
        self._taken = [(np.empty(0, np.int64), np.empty(0, np.int64))]

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Record the actions of one step."""
        self._taken.append((rows.copy(), actions.copy()))

    def on_end(self, batch: MatchBatch) -> None:
        """Write the hands of the batch to a temporary file."""
        if self._body is None:
            raise ValueError(f"{self.path}: open the file before the match: with MatchFile(...) as file")
        rows, actions = map(np.concatenate, zip(*self._taken, strict=True))
        ends = np.cumsum(np.bincount(rows, minlength=len(self._dealt)))
        by_hand = np.split(actions[np.argsort(rows, kind="stable")], ends[:-1])
        played = PlayedHands(batch.hands, self._dealt, [part.tolist() for part in by_hand])
        self._body.writelines(self._writer.hands(played))
        self.num_hands += len(batch.hands)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._body is None:
            return
        with self._body as body:
            if kind is not None:
                return
            body.seek(0)
            with replace_file(self.path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as whole:
                whole.write(self._writer.header(self.num_hands))
                shutil.copyfileobj(body, whole)
                whole.write(self._writer.footer())


def file_for(path: Path, game: Game, seed: int | None) -> Path:
    """Return the file to write: `path`, or a file named after game and seed in the folder `path`."""
    if path.is_dir() or not path.suffix:
        path = path / f"{game.name}{'' if seed is None else f'-seed{seed}'}{_usual_suffix(game)}"
    if path.suffix not in _formats_by_suffix():
        known = format_of_file(path)
        more = f" ({path.suffix} holds a single hand)" if path.suffix in known.suffixes else ""
        raise ValueError(f"{path}: matches are saved as {', '.join(_formats_by_suffix())}{more}, or into a folder")
    if path.exists():
        raise ValueError(f"{path} exists already: choose another name, or delete it first")
    return path


def _formats_by_suffix() -> dict[str, HistoryFormat]:
    """Return the formats by the suffix of their files of matches."""
    return {each.suffixes[0]: each for each in formats()}


def _usual_suffix(game: Game) -> str:
    found = formats_of(game)
    if not found:
        reasons = "; ".join(f"{suffix}: {each.why_not(game)}" for suffix, each in _formats_by_suffix().items())
        raise ValueError(f"hands of {game.name} cannot be saved: {reasons}")
    return found[0].suffixes[0]


def _writer_for(path: Path, game: Game, names: tuple[str, ...], seed: int | None) -> HistoryWriter:
    chosen = _formats_by_suffix()[path.suffix]
    reason = chosen.why_not(game)
    if reason is not None:
        suffixes = [each.suffixes[0] for each in formats_of(game)]
        others = f"use {' or '.join(suffixes)}" if suffixes else "no format describes it"
        raise ValueError(f"{path}: {game.name} cannot be written as {path.suffix}: {others} ({reason})")
    return chosen.writer(game, names, seed)
