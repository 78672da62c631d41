"""Matches as files: which format holds which game, and a file that appears only when it is complete."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, Self

from card_envs.game import Game
from card_envs.games.big2.config import Big2Config
from card_envs.games.holdem.config import HoldemConfig
from card_envs.history import holdem_hand
from card_envs.history.acpc import format as acpc
from card_envs.history.acpc.game_file import game_lines
from card_envs.history.big2 import text as big2_text
from card_envs.history.phh.format import dump_hand
from card_envs.history.phh.write import phh_of, require_phh, rules_name
from card_envs.history.recording import PlayedHands, Recorder, Rows


class _Writer(Protocol):
    """Puts the hands of one match into words; raises ValueError when it is made for a game that it cannot describe."""

    def hands(self, played: PlayedHands) -> Iterator[str]: ...
    def header(self, num_hands: int) -> str: ...
    def footer(self) -> str: ...


class MatchFile:
    """A file that takes the hands of a match: one of the `callbacks` of `play_match`, inside a `with`.

    The file appears, complete, at the end; if the match breaks off, there is none. `path` ends in .phhs, .acpc or
    .big2; for a folder, a file in it is named after game and seed. Raises ValueError for other endings, for a format
    that cannot describe the game, and for a file that exists already.
    """

    def __init__(self, path: str | Path, game: Game, names: Sequence[str], seed: int) -> None:
        """Check everything that can be checked before the first hand; `names` are the agents' in their order."""
        self.path = file_for(Path(path), game, seed)
        self.num_hands = 0
        self._writer = _writer_for(self.path, game, _Match(tuple(names), seed))
        self._body: IO[str] | None = None
        self._recorder: Recorder | None = None

    def __enter__(self) -> Self:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._body = tempfile.TemporaryFile("w+", dir=self.path.parent, encoding="utf-8", newline="\n")
        return self

    def on_deal(self, batch: Any) -> None:
        """Begin to record some hands: a `card_envs.match.Batch`."""
        self._recorder = Recorder(batch.hands, batch.tables)

    def on_actions(self, batch: Any, rows: Rows, actions: Rows) -> None:
        """Record the actions at some of their tables."""
        assert self._recorder is not None
        self._recorder.add(rows, actions)

    def on_end(self, batch: Any) -> None:
        """Write the hands."""
        if self._body is None or self._recorder is None:
            raise ValueError(f"{self.path}: open the file before the match: with MatchFile(...) as file")
        self._body.writelines(self._writer.hands(self._recorder.finish()))
        self.num_hands += len(batch.hands)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._body is None:
            return
        with self._body as body:
            if kind is None:
                body.seek(0)
                self._write_whole(body)

    def _write_whole(self, body: IO[str]) -> None:
        """Write the file under another name, then give it its own."""
        partial = self.path.with_name(self.path.name + ".partial")
        try:
            with partial.open("w", encoding="utf-8", newline="\n") as whole:
                whole.write(self._writer.header(self.num_hands))
                shutil.copyfileobj(body, whole)
                whole.write(self._writer.footer())
            partial.replace(self.path)
        finally:
            partial.unlink(missing_ok=True)


class _Match:
    """Who plays in which match."""

    def __init__(self, names: tuple[str, ...], seed: int) -> None:
        self.names, self.seed = names, seed

    def by_seat(self, number: int) -> tuple[str, ...]:
        """Return the names by seat: in hand h, agent j sits at seat (j + h) % n."""
        n = len(self.names)
        return tuple(self.names[(seat - number) % n] for seat in range(n))


def file_for(path: Path, game: Game, seed: int) -> Path:
    """Return the file to write: `path` itself, or one in the folder `path` named after game and seed."""
    if path.is_dir() or not path.suffix:
        path = path / f"{game.name}-seed{seed}{_usual_ending(game)}"
    if path.suffix not in _WRITERS:
        more = " (.phh holds a single hand)" if path.suffix == ".phh" else ""
        raise ValueError(f"{path}: matches are saved as {', '.join(_WRITERS)}{more}, or into a folder")
    if path.exists():
        raise ValueError(f"{path} exists already: choose another name, or delete it first")
    return path


def _usual_ending(game: Game) -> str:
    if isinstance(game.config, Big2Config):
        return ".big2"
    try:
        require_phh(game.config)
    except ValueError:
        return ".acpc"
    return ".phhs"


def _writer_for(path: Path, game: Game, match: _Match) -> _Writer:
    make, needed = _WRITERS[path.suffix]
    if not isinstance(game.config, needed):
        endings = [ending for ending, (_, config) in _WRITERS.items() if isinstance(game.config, config)]
        others = f"use {' or '.join(endings)}" if endings else "no format describes it"
        raise ValueError(f"{path}: {game.name} cannot be written as {path.suffix}: {others}")
    return make(game, match)


class _PhhWriter:
    def __init__(self, game: Game, match: _Match) -> None:
        require_phh(game.config)
        self.config, self.match = game.config, match
        self.more = {"event": f"{game.name}, seed {match.seed}"}

    def header(self, num_hands: int) -> str:
        return ""

    def hands(self, played: PlayedHands) -> Iterator[str]:
        for hand in holdem_hand.played_again(self.config, played, self.match.by_seat):
            yield f"[{hand.number + 1}]\n{dump_hand(phh_of(hand, self.more))}\n\n"

    def footer(self) -> str:
        return ""


class _AcpcWriter:
    def __init__(self, game: Game, match: _Match) -> None:
        game_lines(game.config)  # raises for games that cannot be described
        self.game, self.match, self.rules = game, match, rules_name(game.config)
        self.totals = [0] * len(match.names)

    def header(self, num_hands: int) -> str:
        lines = acpc.header_lines(self.game.config, self.game.name, num_hands, self.match.seed, self.rules)
        return "\n".join(lines) + "\n"

    def hands(self, played: PlayedHands) -> Iterator[str]:
        n = len(self.totals)
        for hand in holdem_hand.played_again(self.game.config, played, self.match.by_seat):
            for seat, won in zip(hand.seats, hand.payoffs, strict=True):
                self.totals[(seat - hand.number) % n] += won
            yield acpc.hand_line(hand) + "\n"

    def footer(self) -> str:
        return acpc.score_line(self.match.names, self.totals) + "\n"


class _Big2Writer:
    def __init__(self, game: Game, match: _Match) -> None:
        self.config, self.match = game.config, match

    def header(self, num_hands: int) -> str:
        return ""

    def hands(self, played: PlayedHands) -> Iterator[str]:
        for deal in big2_text.played_again(self.config, played, self.match.by_seat):
            yield big2_text.dump_deal(deal) + "\n"

    def footer(self) -> str:
        return ""


_WRITERS: Mapping[str, tuple[Callable[[Game, _Match], _Writer], type]] = {
    ".phhs": (_PhhWriter, HoldemConfig),
    ".acpc": (_AcpcWriter, HoldemConfig),
    ".big2": (_Big2Writer, Big2Config),
}
"""File ending -> what writes it, and the games that it can describe, by the type of their settings."""
