"""Recorded hands, step by step: sessions of the store, and matches in files."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.web.catalogue import Catalogue
from card_baselines.web.scenes import scene
from card_baselines.web.session import Plan, settings_words, table_after
from card_baselines.web.store import Store, StoredHand, StoredSession
from card_envs.game import Game, Tables

_SESSION = "session "
"""Begins the names of recordings that are sessions of the store."""
_MILLISECONDS = 900
"""Of one step of an animation."""
_LAST_MILLISECONDS = 3000


@dataclass(frozen=True)
class Moment:
    """One moment of a recorded hand, with all cards."""

    game: Game
    plan: Plan
    tables: Tables
    hand: int
    step: int
    num_steps: int
    names: tuple[str, ...]
    """By seat."""
    moves: tuple[str, ...]
    """All decisions of the hand in words."""
    actors: tuple[int, ...]
    """Seats that made them."""
    taken: int | None
    """The action that follows, None at the end."""

    def as_json(self) -> dict[str, Any]:
        """Return what a page shows; a player_0 sits at the bottom."""
        seen = scene(self.game, self.tables, None, self.names)
        return {
            "hand": self.hand,
            "step": self.step,
            "steps": self.num_steps,
            "scene": seen,
            "moves": list(self.moves),
            "actors": list(self.actors),
            "taken": self.taken,
        }


class Library:
    """All recordings that the server knows, by name."""

    def __init__(self, catalogue: Catalogue, store: Store, paths: Sequence[Path] = ()) -> None:
        """Offer the finished hands of the store, and those of the files and folders that `paths` name."""
        self._catalogue, self._store = catalogue, store

    def listed(self) -> list[dict[str, Any]]:
        """Return the recordings for a list: name, title, hands; sessions of several people only when they are ended."""
        found = []
        for session in reversed(self._store.sessions()):
            hands = self._finished(session)
            if hands and not _is_secret(session):
                who = " / ".join(place.name for place in session.plan.places)
                title = f"{session.plan.env}: {who}"
                found.append({"name": f"{_SESSION}{session.id}", "title": title, "hands": len(hands)})
        return found

    def described(self, name: str) -> dict[str, Any]:
        """Return what a page needs of one recording: name, env, players that may be asked, results of the hands."""
        session = self._session(name)
        plan, hands = session.plan, self._finished(session)
        game = self._game(plan)
        return {
            "name": name,
            "env": plan.env,
            "players": [each.__dict__ for each in self._catalogue.players(plan.env, settings_words(plan))],
            "names": [place.name for place in plan.places],
            "unit": game.unit,
            "hands": [
                {"number": hand.number, "payoffs": [won / game.chips_per_reward for won in hand.payoffs or ()]}
                for hand in hands
            ],
        }

    def moment(self, name: str, hand: int, step: int) -> Moment:
        """Return a moment: the `hand`-th of the recording, after `step` decisions; ValueError if there is none."""
        session = self._session(name)
        hands = self._finished(session)
        if not 0 <= hand < len(hands):
            raise ValueError(f"hand {hand} must be in 0..{len(hands) - 1}")
        plan, stored = session.plan, hands[hand]
        if not 0 <= step <= len(stored.actions):
            raise ValueError(f"step {step} must be in 0..{len(stored.actions)}")
        game = self._game(plan)
        moves, actors = _in_words(game, plan, stored.number, stored.actions)
        return Moment(
            game=game,
            plan=plan,
            tables=table_after(game, plan, stored.number, stored.actions[:step]),
            hand=stored.number,
            step=step,
            num_steps=len(stored.actions),
            names=tuple(plan.places[plan.place_at(seat, stored.number)].name for seat in range(game.num_seats)),
            moves=moves,
            actors=actors,
            taken=stored.actions[step] if step < len(stored.actions) else None,
        )

    def picture(self, kind: str, name: str, hand: int, step: int) -> bytes:
        """Return a moment as a `png`, or a whole hand as an animation, `apng` or `gif`."""
        if kind not in ("png", "apng", "gif"):
            raise ValueError(f"kind {kind!r} is not known: choose png, apng or gif")
        first = self.moment(name, hand, step if kind == "png" else 0)
        steps = [step] if kind == "png" else range(first.num_steps + 1)
        return encoded(kind, [_drawn(self.moment(name, hand, each)) for each in steps])

    def _session(self, name: str) -> StoredSession:
        words = name.removeprefix(_SESSION)
        found = [each for each in self._store.sessions() if words.isdecimal() and each.id == int(words)]
        if not found or _is_secret(found[0]):
            raise ValueError(f"there is no recording {name!r}")
        return found[0]

    def _finished(self, session: StoredSession) -> list[StoredHand]:
        return [hand for hand in self._store.hands(session.id) if hand.payoffs is not None]

    def _game(self, plan: Plan) -> Game:
        return self._catalogue.game(plan.env, settings_words(plan))


def encoded(kind: str, pictures: Sequence[NDArray[np.uint8]]) -> bytes:
    """Return pictures (height, width, 3) as the bytes of a file: one as `png`, any number as `apng` or `gif`."""
    from PIL import Image

    frames = [Image.fromarray(picture) for picture in pictures]
    durations = [_MILLISECONDS] * (len(frames) - 1) + [_LAST_MILLISECONDS]
    file = io.BytesIO()
    if kind == "png":
        frames[0].save(file, "PNG", optimize=True)
    else:
        frames = [frame.quantize(128, dither=Image.Dither.NONE) for frame in frames]
        more = {"save_all": True, "append_images": frames[1:], "duration": durations, "loop": 0}
        frames[0].save(file, "PNG" if kind == "apng" else "GIF", **more)
    return file.getvalue()


def _is_secret(session: StoredSession) -> bool:
    """Return True while several people play: nobody may look at the others' cards."""
    return session.is_open and sum(place.agent is None for place in session.plan.places) > 1


def _drawn(moment: Moment) -> NDArray[np.uint8]:
    from card_envs.canvas import PixelCanvas

    picture: NDArray[np.uint8] = moment.game.info.painting()(PixelCanvas, moment.tables, None, moment.names).array()
    return picture


def _in_words(game: Game, plan: Plan, hand: int, actions: Sequence[int]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return what was done in a hand, and by which seats."""
    tables, words, actors = table_after(game, plan, hand, ()), [], []
    for action in actions:
        words.append(game.action_name(tables, 0, action))
        actors.append(int(tables["actor"][0]))
        game.step(tables, 0, action)
    return tuple(words), tuple(actors)
