"""Answers to the messages of pages: of the host, who may do everything, and of people at seats."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import asdict
from functools import partial
from typing import Any

from card_baselines.secret_deals import new_secret
from card_baselines.web import messages as m
from card_baselines.web.advisers import Advisers
from card_baselines.web.catalogue import Catalogue
from card_baselines.web.live_session import LiveSession, LiveSessions, Viewer
from card_baselines.web.replay import Library
from card_baselines.web.results import COLUMNS, compute_results, format_row
from card_baselines.web.session import Plan, Player, format_settings, name_players
from card_baselines.web.store import Store

Answer = Callable[[m.Message], Awaitable[None]]
"""Function that answers the messages of one page."""
_MAX_BLOCK = 1000
"""Largest `Open.block`."""


class RequestHandler:
    """Answers the messages of all pages."""

    def __init__(
        self, catalogue: Catalogue, store: Store, library: Library, host_token: str, takes_seeds: bool = False
    ) -> None:
        """Serve games, agents, sessions and recordings.

        Args:
            catalogue: The games and agents.
            store: The sessions.
            library: The recordings.
            host_token: Token of the host.
            takes_seeds: Whether a page may give the seed of a session. By default the deals follow from a secret; a
                seed repeats the same deals, and players could find it by a search.
        """
        self.catalogue, self.store, self.library = catalogue, store, library
        self.live_sessions = LiveSessions(catalogue, store)
        self.advisers = Advisers(catalogue)
        self._host_token, self._takes_seeds = host_token, takes_seeds
        self._sessions_of: dict[Viewer, set[LiveSession]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._run_in_pool = self.live_sessions.run_in_pool

    def is_host(self, token: str) -> bool:
        """Return True for the token of the host."""
        return hmac.compare_digest(token.encode(), self._host_token.encode())

    async def welcome(self, hello: m.Hello, viewer: Viewer) -> Answer:
        """Answer the first message of a page and return the function for its others.

        Raises:
            PermissionError: The token is neither the host's nor that of a seat.
        """
        if self.is_host(hello.token):
            games = self.catalogue.entries()
            viewer.send({"type": "welcome", "role": "host", "games": games, "takes_seeds": self._takes_seeds})
            return partial(self._answer_host, viewer)
        seat = self.live_sessions.seat_of(hello.token)
        if seat is None:
            raise PermissionError("this link opens nothing: its session is ended, or it was copied in part")
        number, index = seat
        live = await self.live_sessions.get(number)
        plan = live.session.plan
        viewer.send({"type": "welcome", "role": "seat", "session": number, "env": plan.env})
        self._sessions_of.setdefault(viewer, set()).add(live)
        live.sit(index, viewer)
        self._start(live.begin())
        self._start(self._send_agents(viewer, plan))
        return partial(self._answer_seat, viewer, live, index)

    async def _send_agents(self, viewer: Viewer, plan: Plan) -> None:
        """Send the agents that can be asked for advice; the first time it takes seconds to find them."""
        viewer.send({"type": "agents", "agents": await self._list_agents(plan.env, format_settings(plan))})

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        """Start work for which the page need not wait."""
        task = asyncio.create_task(work)
        self._tasks.add(task)  # the event loop keeps no reference of its own
        task.add_done_callback(self._tasks.discard)

    def leave(self, viewer: Viewer) -> None:
        """Remove a page whose connection has ended."""
        for live in self._sessions_of.pop(viewer, ()):
            live.leave(viewer)

    # --- a person at a seat ---

    async def _answer_seat(self, viewer: Viewer, live: LiveSession, index: int, message: m.Message) -> None:
        if isinstance(message, m.Act):
            await live.act(index, message.hand, message.step, message.action)
        elif isinstance(message, m.Next):
            await live.next_hand(message.hand)
        elif isinstance(message, m.Think):
            hand, step, actions = message.hand, message.step, self._actions(live, message.hand)
            ask = self.advisers.ask_about_own_decision
            thought = await self._run_in_pool(ask, live.session, index, hand, step, message.agent, actions)
            viewer.send({"type": "thought", "hand": hand, "step": step, **thought})
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

    async def _answer_host(self, viewer: Viewer, message: m.Message) -> None:
        if isinstance(message, m.Offer):
            agents = await self._list_agents(message.env, message.settings)
            env, settings = message.env, message.settings
            viewer.send({"type": "offer", "env": env, "settings": settings, "agents": agents,
                         "seats": self.catalogue.game(env, settings).num_seats,
                         "default": self.catalogue.default_agent(env, settings),
                         "measured": self.catalogue.measurement(env, settings)})  # fmt: skip
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
            self._sessions_of.setdefault(viewer, set()).add(live)
        elif isinstance(message, m.Results):
            rows = await self._run_in_pool(compute_results, self.store, self.catalogue)
            viewer.send({"type": "results", "columns": COLUMNS, "rows": [format_row(row) for row in rows]})
        elif isinstance(message, (m.Recordings, m.Recording, m.Moment)):
            await self._answer_about_recordings(viewer, message)
        else:
            raise PermissionError("a person at a seat may ask for this, not the host")

    async def _answer_about_recordings(self, viewer: Viewer, message: m.Recordings | m.Recording | m.Moment) -> None:
        if isinstance(message, m.Recordings):
            viewer.send({"type": "recordings", "recordings": await self._run_in_pool(self.library.list_recordings)})
        elif isinstance(message, m.Recording):
            viewer.send({"type": "recording", **await self._run_in_pool(self.library.describe, message.name)})
        else:
            moment = await self._run_in_pool(self.library.moment, message.name, message.hand, message.step)
            thought = {}
            if message.agent:
                thought = {"thought": await self._run_in_pool(self.advisers.ask_about_moment, moment, message.agent)}
            viewer.send({"type": "moment", **moment.as_json(), **thought})

    async def picture(self, kind: str, name: str, hand: int, step: int) -> bytes:
        """Return a picture of a recording, see `Library.picture`."""
        made: bytes = await self._run_in_pool(self.library.picture, kind, name, hand, step)
        return made

    def _plan(self, asked: m.Open) -> Plan:
        """Return the plan of the session that a page asks for; raise ValueError if it is not allowed."""
        if not 0 <= asked.block <= _MAX_BLOCK:
            raise ValueError(f"block {asked.block} must be in 0..{_MAX_BLOCK}")
        names = iter(asked.names)
        players = [Player(agent or (next(names, "") or "you"), agent or None) for agent in asked.players]
        if asked.env not in self.catalogue.envs:
            raise ValueError(f"environment {asked.env!r} is not offered here")
        if asked.seed is not None and not self._takes_seeds:
            raise ValueError("deals are secret here; for deals that come again, start the server with --reproducible")
        settings = self.catalogue.settings(asked.env, asked.settings)
        secret = new_secret() if asked.seed is None else b""
        return Plan(asked.env, settings, name_players(players, asked.env), asked.seed or 0, asked.block, secret)

    async def _list_agents(self, env: str, settings: str) -> list[dict[str, Any]]:
        return [asdict(agent) for agent in await self._run_in_pool(self.catalogue.agents, env, settings)]
