"""Answers messages: what the host of the server may ask for, and what a person at a seat may."""

from __future__ import annotations

import asyncio
import hmac
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from card_baselines.web import messages as m
from card_baselines.web.catalogue import Catalogue
from card_baselines.web.live_session import LiveSession, LiveSessions, Viewer
from card_baselines.web.replay import Library
from card_baselines.web.results import results
from card_baselines.web.session import Place, Plan, format_settings
from card_baselines.web.store import Store
from card_baselines.web.thinking import Thinkers
from card_envs.secret_deals import new_secret

Answer = Callable[[m.Message], Awaitable[None]]
"""Answers the messages of one page."""
_MAX_BLOCK = 1000


class RequestHandler:
    """All that pages can ask for."""

    def __init__(
        self, catalogue: Catalogue, store: Store, library: Library, host_token: str, takes_seeds: bool = False
    ) -> None:
        """Serve these games, agents, sessions and recordings; `host_token` opens everything.

        Deals follow from a secret of each session; with `takes_seeds`, a page may give a seed instead, from which the
        same deals come again, and which its players could find.
        """
        self.catalogue, self.store, self.library = catalogue, store, library
        self.live_sessions = LiveSessions(catalogue, store)
        self.thinkers = Thinkers(catalogue)
        self._host_token, self._takes_seeds = host_token, takes_seeds
        self._at: dict[Viewer, set[LiveSession]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def is_host(self, token: str) -> bool:
        """Return True for the token of the host."""
        return hmac.compare_digest(token.encode(), self._host_token.encode())

    async def welcome(self, hello: m.Hello, viewer: Viewer) -> Answer:
        """Greet a page; return who answers its messages. A PermissionError if its token opens nothing."""
        if self.is_host(hello.token):
            games = self.catalogue.entries()
            viewer.send({"type": "welcome", "role": "host", "games": games, "takes_seeds": self._takes_seeds})
            return partial(self._host_asks, viewer)
        seat = self.live_sessions.seat_of(hello.token)
        if seat is None:
            raise PermissionError("this link opens nothing: its session is ended, or it was copied in part")
        number, place = seat
        live = await self.live_sessions.get(number)
        viewer.send({"type": "welcome", "role": "seat", "session": number, "env": live.session.plan.env})
        self._at.setdefault(viewer, set()).add(live)
        live.sit(place, viewer)
        self._later(live.begin())
        self._later(self._tell_players(viewer, live.session.plan))
        return partial(self._seat_asks, viewer, live, place)

    async def _tell_players(self, viewer: Viewer, plan: Plan) -> None:
        """Send which agents can be asked for their thoughts; to find out takes seconds the first time."""
        viewer.send({"type": "players", "players": await self._players(plan.env, format_settings(plan))})

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that the page need not wait for."""
        task = asyncio.create_task(work)
        self._tasks.add(task)  # the event loop keeps no reference of its own
        task.add_done_callback(self._tasks.discard)

    def leave(self, viewer: Viewer) -> None:
        """Forget a page that is gone."""
        for live in self._at.pop(viewer, ()):
            live.leave(viewer)

    # --- a person at a seat ---

    async def _seat_asks(self, viewer: Viewer, live: LiveSession, place: int, message: m.Message) -> None:
        if isinstance(message, m.Act):
            await live.act(place, message.hand, message.step, message.action)
        elif isinstance(message, m.Next):
            await live.next_hand(message.hand)
        elif isinstance(message, m.Think):
            actions = self._actions(live, message.hand)
            thought = await self._run_in_pool(
                self.thinkers.ask_about_own_decision,
                live.session,
                place,
                message.hand,
                message.step,
                message.agent,
                actions,
            )
            viewer.send({"type": "thought", "hand": message.hand, "step": message.step, **thought})
        else:
            raise PermissionError("only the host may ask for this")

    def _actions(self, live: LiveSession, hand: int) -> list[int]:
        """Return the actions of a hand of a session."""
        if hand == live.session.hand:
            return list(live.session.actions)
        stored = [each for each in self.store.hands(live.number, max(0, hand)) if each.number == hand]
        if not stored:
            raise ValueError(f"hand {hand} has not been played")
        return list(stored[0].actions)

    # --- the host ---

    async def _host_asks(self, viewer: Viewer, message: m.Message) -> None:
        if isinstance(message, m.Offer):
            players = await self._players(message.env, message.settings)
            game = self.catalogue.game(message.env, message.settings)
            viewer.send({"type": "offer", "env": message.env, "settings": message.settings, "seats": game.num_seats,
                         "players": players})  # fmt: skip
        elif isinstance(message, m.Open):
            stored = await self.live_sessions.open(self._plan(message))
            viewer.send({"type": "opened", "session": stored.id, "tokens": list(stored.tokens)})
        elif isinstance(message, m.Sessions):
            viewer.send({"type": "sessions", "sessions": self.live_sessions.list_sessions()})
        elif isinstance(message, m.Close):
            await self.live_sessions.close(message.session)
            viewer.send({"type": "sessions", "sessions": self.live_sessions.list_sessions()})
        elif isinstance(message, m.Watch):
            live = await self.live_sessions.get(message.session)
            live.watch(viewer, message.pause)
            self._at.setdefault(viewer, set()).add(live)
        elif isinstance(message, m.Results):
            rows = await self._run_in_pool(results, self.store, self.catalogue)
            viewer.send({"type": "results", "rows": [asdict(row) for row in rows]})
        elif isinstance(message, (m.Recordings, m.Recording, m.Moment)):
            await self._replay(viewer, message)
        else:
            raise PermissionError("a person at a seat may ask for this, not the host")

    async def _replay(self, viewer: Viewer, message: m.Recordings | m.Recording | m.Moment) -> None:
        if isinstance(message, m.Recordings):
            viewer.send({"type": "recordings", "recordings": await self._run_in_pool(self.library.list_recordings)})
        elif isinstance(message, m.Recording):
            viewer.send({"type": "recording", **await self._run_in_pool(self.library.describe, message.name)})
        else:
            moment = await self._run_in_pool(self.library.moment, message.name, message.hand, message.step)
            thought = {}
            if message.agent:
                thought = {"thought": await self._run_in_pool(self.thinkers.ask_about_moment, moment, message.agent)}
            viewer.send({"type": "moment", **moment.as_json(), **thought})

    async def picture(self, kind: str, name: str, hand: int, step: int) -> bytes:
        """Return a picture of a recording as the bytes of a file; `kind` is png, apng or gif."""
        made: bytes = await self._run_in_pool(self.library.picture, kind, name, hand, step)
        return made

    def _plan(self, asked: m.Open) -> Plan:
        """Return the plan of a session that a page asks for; a ValueError says what is wrong."""
        if not 0 <= asked.block <= _MAX_BLOCK:
            raise ValueError(f"block {asked.block} must be in 0..{_MAX_BLOCK}")
        names = iter(asked.names)
        places = _distinct([Place(agent or (next(names, "") or "you"), agent or None) for agent in asked.places])
        if asked.env not in self.catalogue.envs:
            raise ValueError(f"environment {asked.env!r} is not offered here")
        if asked.seed is not None and not self._takes_seeds:
            raise ValueError("deals are secret here; for deals that come again, start the server with --reproducible")
        settings = self.catalogue.settings(asked.env, asked.settings)
        secret = new_secret() if asked.seed is None else b""
        return Plan(asked.env, settings, places, asked.seed or 0, asked.block, secret)

    async def _players(self, env: str, settings: str) -> list[dict[str, Any]]:
        players = await self._run_in_pool(self.catalogue.players, env, settings)
        return [asdict(player) for player in players]

    async def _run_in_pool(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.live_sessions.pool, work, *arguments)


def _distinct(places: Sequence[Place]) -> tuple[Place, ...]:
    """Return places of which no two have the same name: ppo, ppo (2) ..."""
    counts: Counter[str] = Counter()
    found = []
    for place in places:
        counts[place.name] += 1
        found.append(place if counts[place.name] == 1 else replace(place, name=f"{place.name} ({counts[place.name]})"))
    return tuple(found)
