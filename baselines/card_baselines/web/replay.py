"""Recorded hands, decision by decision: sessions of the store, and hands in files."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_baselines.web.catalogue import Catalogue
from card_baselines.web.results import finished_hands
from card_baselines.web.scenes import make_scene
from card_baselines.web.session import format_settings, name_actions, table_after
from card_baselines.web.store import Store, StoredHand, StoredSession
from card_envs.damaged_files import explain_damage
from card_envs.game import Game, Tables
from card_envs.history import find_files
from card_envs.history.formats import load_recorded_hands
from card_envs.history.recorded_hand import RecordedHand
from card_envs.rendering.pictures import PICTURE

_SESSION = "session "
"""Prefix of the names of recordings that are sessions of the store."""
_MILLISECONDS, _LAST_MILLISECONDS = 900, 3000
"""Duration of one step of an animation, and of its last one."""

_COLORS = 128
"""Number of colours of an animation."""


@dataclass(frozen=True)
class Moment:
    """A recorded hand after some decisions, with all cards."""

    game: Game
    tables: Tables
    """(1,) the table."""
    hand: int
    """Number of the hand, from 0."""
    step: int
    """Number of decisions before the moment."""
    names: tuple[str, ...]
    """Names of the players, by seat."""
    moves: tuple[tuple[int, str], ...]
    """All decisions of the hand: seat, and action in words."""
    in_other_games: tuple[tuple[Game, Tables], ...] = ()
    """The same moment in games with other bet menus, which some agents play instead."""

    @property
    def taken(self) -> str | None:
        """The next decision in words, None at the end."""
        return self.moves[self.step][1] if self.step < len(self.moves) else None

    def as_json(self) -> dict[str, Any]:
        """Return the moment as JSON for a page."""
        return {
            "hand": self.hand,
            "step": self.step,
            "steps": len(self.moves),
            "scene": make_scene(self.game, self.tables, None, self.names),
            "moves": [words for _, words in self.moves],
            "actors": [seat for seat, _ in self.moves],
            "taken": self.taken,
        }


class Recording(Protocol):
    """A sequence of recorded hands."""

    title: str

    def __len__(self) -> int:
        """Return the number of hands."""
        ...

    def describe(self, catalogue: Catalogue) -> dict[str, Any]:
        """Return the agents that can be asked for advice, the unit, and a line for each hand, as JSON."""
        ...

    def moment(self, hand: int, step: int) -> Moment:
        """Return the `hand`-th hand after `step` decisions."""
        ...


class SessionRecording:
    """The finished hands of a session of the store."""

    def __init__(self, game: Game, session: StoredSession, hands: Sequence[StoredHand], store: Path) -> None:
        self._source = f"{store}, session {session.id}"
        self._game, self._plan, self._hands = game, session.plan, hands
        self.title = f"{self._plan.env}: {' / '.join(player.name for player in self._plan.players)}"

    def __len__(self) -> int:
        """Return the number of hands."""
        return len(self._hands)

    def describe(self, catalogue: Catalogue) -> dict[str, Any]:
        """Return the recording as JSON for a page; payoffs are those of the first player."""
        plan, game = self._plan, self._game
        return {
            "agents": [asdict(each) for each in catalogue.agents(plan.env, format_settings(plan))],
            "unit": game.unit,
            "hands": [
                f"{hand.number + 1}: {plan.players[0].name} {(hand.payoffs or [0])[0] / game.chips_per_reward:+g}"
                for hand in self._hands
            ],
        }

    def moment(self, hand: int, step: int) -> Moment:
        """Return a moment of a hand."""
        stored, plan, game = self._hands[hand], self._plan, self._game
        with explain_damage(self._source):
            moves = name_actions(game, table_after(game, plan, stored.number, ()), stored.actions)
        tables = table_after(game, plan, stored.number, stored.actions[:step])
        return Moment(game, tables, stored.number, step, plan.names_at(stored.number), tuple(moves))


class FileRecording:
    """The hands of a file, read when they are first needed. Hands with unknown cards are left out."""

    def __init__(self, file: Path) -> None:
        self.title = file.name
        self._file = file

    def __len__(self) -> int:
        """Return the number of hands."""
        return len(self._hands)

    @cached_property
    def _hands(self) -> list[RecordedHand]:
        hands = [hand for hand in load_recorded_hands(self._file) if isinstance(hand, RecordedHand)]
        return [hand for hand in hands if not hand.unknown_seats]

    def describe(self, catalogue: Catalogue) -> dict[str, Any]:
        """Return the recording as JSON for a page; the agents are those that play the game of the first hand."""
        if not self._hands:
            return {"agents": [], "unit": "", "hands": []}
        first = self._hands[0]
        agents = {
            agent.name: asdict(agent) for game in (first.game, *first.others) for agent in catalogue.agents_of(game)
        }
        return {
            "agents": list(agents.values()),
            "unit": first.game.unit,
            "hands": [f"{k + 1}: {', '.join(hand.names)}" for k, hand in enumerate(self._hands)],
        }

    def moment(self, hand: int, step: int) -> Moment:
        """Return a moment of a hand."""
        recorded = self._hands[hand]
        return Moment(
            game=recorded.game,
            tables=recorded.tables_after(step),
            hand=hand,
            step=step,
            names=recorded.names,
            moves=tuple(name_actions(recorded.game, recorded.tables_after(0), recorded.actions)),
            in_other_games=tuple((game, recorded.tables_after(step, game)) for game in recorded.others),
        )


class Library:
    """All recordings of the server, by name."""

    def __init__(self, catalogue: Catalogue, store: Store, paths: Sequence[Path] = ()) -> None:
        """Offer the finished hands of the store, and the recorded hands in the files and folders of `paths`."""
        self._catalogue, self._store = catalogue, store
        files = find_files(paths) if paths else []
        self._files = {f"file {number + 1}": FileRecording(file) for number, file in enumerate(files)}

    def list_recordings(self) -> list[dict[str, Any]]:
        """Return name and title of the recordings as JSON; sessions of several people only after their end."""
        found: dict[str, Recording] = dict(self._files)
        for session in reversed(self._store.sessions()):
            recording = self._session_recording(session)
            if recording is not None and len(recording):
                found[f"{_SESSION}{session.id}"] = recording
        return [{"name": name, "title": recording.title} for name, recording in found.items()]

    def describe(self, name: str) -> dict[str, Any]:
        """Return one recording as JSON for a page; see `Recording.describe`."""
        return {"name": name, **self._find_recording(name).describe(self._catalogue)}

    def moment(self, name: str, hand: int, step: int) -> Moment:
        """Return the `hand`-th hand of a recording after `step` decisions; raise ValueError if there is none."""
        recording = self._find_recording(name)
        if not 0 <= hand < len(recording):
            raise ValueError(f"hand {hand} must be in 0..{len(recording) - 1}")
        steps = len(recording.moment(hand, 0).moves)
        if not 0 <= step <= steps:
            raise ValueError(f"step {step} must be in 0..{steps}")
        return recording.moment(hand, step)

    def picture(self, kind: str, name: str, hand: int, step: int) -> bytes:
        """Return the bytes of a picture: a moment as `png`, or a whole hand as an animation, `apng` or `gif`."""
        if kind not in ("png", "apng", "gif"):
            raise ValueError(f"kind {kind!r} is not known: choose png, apng or gif")
        first = self.moment(name, hand, step if kind == "png" else 0)
        steps = [step] if kind == "png" else range(len(first.moves) + 1)
        return encode_pictures(kind, [_draw(self.moment(name, hand, each)) for each in steps])

    def _find_recording(self, name: str) -> Recording:
        if name in self._files:
            return self._files[name]
        words = name.removeprefix(_SESSION)
        found = [each for each in self._store.sessions() if words.isdecimal() and str(each.id) == words]
        recording = self._session_recording(found[0]) if found else None
        if recording is None:
            raise ValueError(f"there is no recording {name!r}")
        return recording

    def _session_recording(self, session: StoredSession) -> SessionRecording | None:
        """Return the recording of a session; None if nobody may see it yet, or it cannot be shown."""
        if _is_secret(session):
            return None
        try:
            game = self._catalogue.game(session.plan.env, format_settings(session.plan))
            hands = finished_hands(game, session, self._store.hands(session.id))
        except ValueError:  # the game is not offered, or a hand is damaged
            return None
        return SessionRecording(game, session, hands, self._store.path)


def encode_pictures(kind: str, pictures: Sequence[NDArray[np.uint8]]) -> bytes:
    """Return pictures (height, width, 3) as the bytes of an image file: one as `png`, any number as `apng` or `gif`."""
    from PIL import Image

    frames = [Image.fromarray(picture) for picture in pictures]
    durations = [_MILLISECONDS] * (len(frames) - 1) + [_LAST_MILLISECONDS]
    file = io.BytesIO()
    if kind == "png":
        frames[0].save(file, "PNG", optimize=True)
    else:
        all_colors = Image.fromarray(np.concatenate([pictures[0], pictures[len(pictures) // 2], pictures[-1]]))
        palette = all_colors.quantize(_COLORS)  # one for all frames, so that what stays the same is stored once
        frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
        more = {"save_all": True, "append_images": frames[1:], "duration": durations, "loop": 0}
        frames[0].save(file, "PNG" if kind == "apng" else "GIF", **more)
    return file.getvalue()


def _is_secret(session: StoredSession) -> bool:
    """Return True while a person could gain by seeing all cards: several people play, or deals are repeated for one."""
    people = sum(player.agent is None for player in session.plan.players)
    return session.is_open and (people > 1 or (people == 1 and session.plan.block > 0))


def _draw(moment: Moment) -> NDArray[np.uint8]:
    from card_envs.canvas import draw_pixels

    return draw_pixels(PICTURE.require(moment.game)(moment.tables, None, moment.names))
