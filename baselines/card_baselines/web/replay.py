"""Recorded hands, decision by decision: sessions of the store, and hands in files."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.advice import Advice
from card_baselines.web.catalogue import Catalogue, OfferedAgent
from card_baselines.web.results import list_finished_hands
from card_baselines.web.scenes import make_scene
from card_baselines.web.session import Plan, format_settings, name_actions, table_after
from card_baselines.web.store import Store, StoredHand, StoredSession
from card_envs.damaged_files import explain_damage
from card_envs.game import Game, Tables
from card_envs.history import find_files
from card_envs.history.formats import load_recorded_hands
from card_envs.history.replay import RecordedHand
from card_envs.rendering.pictures import PICTURE

_SESSION = "session "
"""Prefix of the names of recordings that are sessions of the store."""
_MILLISECONDS, _LAST_MILLISECONDS = 900, 3000
"""Duration of one step of an animation, and of its last one."""

_COLORS = 128
"""Number of colours of an animation."""


@dataclass(frozen=True)
class SessionHand(RecordedHand):
    """A finished hand of a session of the store."""

    plan: Plan = field(kw_only=True)
    number: int = field(kw_only=True)

    def tables_after(self, step: int, game: Game | None = None) -> Tables:
        """Return one table after the first `step` actions."""
        return table_after(game or self.game, self.plan, self.number, self.actions[:step])


@dataclass(frozen=True)
class Moment:
    """A recorded hand after some decisions, with all cards."""

    recorded: RecordedHand
    hand: int
    """Number of the hand, from 0."""
    step: int
    """Number of decisions before the moment."""

    @property
    def tables(self) -> Tables:
        """(1,) the table."""
        return self.recorded.tables_after(self.step)

    @cached_property
    def moves(self) -> list[tuple[int, str]]:
        """All decisions of the hand: seat, and action in words."""
        recorded = self.recorded
        with explain_damage(recorded.source):
            return name_actions(recorded.game, recorded.tables_after(0), recorded.actions)

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
            "scene": make_scene(self.recorded.game, self.tables, None, self.recorded.names),
            "moves": [words for _, words in self.moves],
            "actors": [seat for seat, _ in self.moves],
            "taken": self.taken,
        }


@dataclass(frozen=True)
class Recording:
    """A sequence of recorded hands."""

    title: str
    hands: Sequence[RecordedHand]
    lines: Sequence[str]
    """A line about each hand."""
    find_agents: Callable[[], Iterable[OfferedAgent]]
    """Function that returns the agents that can be asked for advice."""


def read_recording(file: Path, catalogue: Catalogue) -> Recording:
    """Return the hands of a file; the agents are those that play the game of the first hand.

    Hands with unknown cards are left out.
    """
    recorded = [hand for hand in load_recorded_hands(file) if isinstance(hand, RecordedHand)]
    hands = [hand for hand in recorded if not hand.unknown_seats]
    games = [game for hand in hands[:1] for game in (hand.game, *hand.others)]
    lines = [f"{k + 1}: {', '.join(hand.names)}" for k, hand in enumerate(hands)]
    return Recording(file.name, hands, lines, lambda: [each for game in games for each in catalogue.agents_of(game)])


def make_recording(
    game: Game, session: StoredSession, hands: Sequence[StoredHand], path: Path, catalogue: Catalogue
) -> Recording:
    """Return the finished hands of a session of the store at `path`; lines name what the first player won."""
    plan, first = session.plan, session.plan.players[0].name
    return Recording(
        f"{plan.env}: {' / '.join(player.name for player in plan.players)}",
        [
            SessionHand(f"{path}, session {session.id}", game, {}, plan.names_at(hand.number), hand.actions,
                        plan=plan, number=hand.number)
            for hand in hands
        ],
        [f"{hand.number + 1}: {first} {(hand.payoffs or [0])[0] / game.chips_per_reward:+g}" for hand in hands],
        lambda: catalogue.agents(plan.env, format_settings(plan)),
    )  # fmt: skip


class Library:
    """All recordings of the server, by name."""

    def __init__(self, catalogue: Catalogue, store: Store, paths: Sequence[Path] = ()) -> None:
        """Offer the finished hands of the store, and the recorded hands in the files and folders of `paths`."""
        self._catalogue, self._store = catalogue, store
        files = find_files(paths) if paths else []
        self._files = {f"file {number + 1}": file for number, file in enumerate(files)}
        self._read_file = cache(lambda file: read_recording(file, catalogue))  # when it is first needed

    def list_recordings(self) -> list[dict[str, Any]]:
        """Return name and title of the recordings as JSON; sessions of several people only after their end."""
        titles = {name: file.name for name, file in self._files.items()}
        for session in reversed(self._store.sessions()):
            recording = self._session_recording(session)
            if recording is not None and recording.hands:
                titles[f"{_SESSION}{session.id}"] = recording.title
        return [{"name": name, "title": title} for name, title in titles.items()]

    def describe(self, name: str) -> dict[str, Any]:
        """Return the agents that can be asked about a recording, the unit, and a line for each hand, as JSON."""
        found = self._find_recording(name)
        agents = {agent.name: asdict(agent) for agent in found.find_agents()}
        unit = found.hands[0].game.unit if found.hands else ""
        return {"name": name, "agents": list(agents.values()), "unit": unit, "hands": list(found.lines)}

    def moment(self, name: str, hand: int, step: int) -> Moment:
        """Return the `hand`-th hand of a recording after `step` decisions; raise ValueError if there is none."""
        hands = self._find_recording(name).hands
        if not 0 <= hand < len(hands):
            raise ValueError(f"hand {hand} must be in 0..{len(hands) - 1}")
        moment = Moment(hands[hand], hand, step)
        if not 0 <= step <= len(moment.moves):
            raise ValueError(f"step {step} must be in 0..{len(moment.moves)}")
        return moment

    def advise(self, moment: Moment, name: str) -> dict[str, Any] | None:
        """Return an agent's advice on the next decision of a hand as JSON; None at the end of the hand.

        Some agents play the same hand in a game with another bet menu.
        """
        if moment.taken is None:
            return None
        recorded, reason = moment.recorded, f"{name} does not know this game"
        for game in (recorded.game, *recorded.others):
            try:
                return self._catalogue.advise(game, recorded.tables_after(moment.step, game), name)
            except ValueError as error:
                reason = str(error)
        return Advice(name, recorded.game.unit, (), reason).as_json()

    def picture(self, kind: str, name: str, hand: int, step: int) -> bytes:
        """Return the bytes of a picture: a moment as `png`, or a whole hand as an animation, `apng` or `gif`."""
        if kind not in ("png", "apng", "gif"):
            raise ValueError(f"kind {kind!r} is not known: choose png, apng or gif")
        first = self.moment(name, hand, step if kind == "png" else 0)
        steps = [step] if kind == "png" else range(len(first.moves) + 1)
        return encode_pictures(kind, [_draw(self.moment(name, hand, each)) for each in steps])

    def _find_recording(self, name: str) -> Recording:
        if name in self._files:
            return self._read_file(self._files[name])
        words = name.removeprefix(_SESSION)
        found = [each for each in self._store.sessions() if words.isdecimal() and str(each.id) == words]
        recording = self._session_recording(found[0]) if found else None
        if recording is None:
            raise ValueError(f"there is no recording {name!r}")
        return recording

    def _session_recording(self, session: StoredSession) -> Recording | None:
        """Return the recording of a session; None if nobody may see it yet, or it cannot be shown."""
        if _is_secret(session):
            return None
        try:
            game = self._catalogue.game(session.plan.env, format_settings(session.plan))
            hands = list_finished_hands(game, session, self._store.hands(session.id))
        except ValueError:  # the game is not offered, or a hand is damaged
            return None
        return make_recording(game, session, hands, self._store.path, self._catalogue)


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

    return draw_pixels(PICTURE.require(moment.recorded.game)(moment.tables, None, moment.recorded.names))
