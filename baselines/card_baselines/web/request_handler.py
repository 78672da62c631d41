"""Answers to the messages of pages: of the host, who may do everything, and of people at seats.

Each public method of a page answers the messages of its name; its parameters are their fields, see `messages`.
"""

from __future__ import annotations

import asyncio
import hmac
import inspect
from collections.abc import Coroutine
from dataclasses import asdict
from typing import Any, ClassVar

from card_baselines.secret_deals import new_secret
from card_baselines.web.catalogue import Catalogue
from card_baselines.web.live_session import LiveSession, LiveSessions, Viewer
from card_baselines.web.messages import Fields, MessageError, fields_of, parse
from card_baselines.web.replay import Library
from card_baselines.web.results import COLUMNS, compute_results, format_row
from card_baselines.web.session import Plan, Player, format_settings, name_players
from card_baselines.web.store import Store

_MAX_BLOCK = 1000
"""Largest number of deals after which they are repeated."""


class RequestHandler:
    """What the server shows, and the answers to the first messages of pages."""

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
        self.takes_seeds = takes_seeds
        self._host_token = host_token
        self._tasks: set[asyncio.Task[None]] = set()
        self.run_in_pool = self.live_sessions.run_in_pool

    def is_host(self, token: str) -> bool:
        """Return True for the token of the host."""
        return hmac.compare_digest(token.encode(), self._host_token.encode())

    async def welcome(self, text: str, viewer: Viewer) -> Page:
        """Answer the first message of a page, and return the page that answers its others.

        Raises:
            MessageError: The text is no hello.
            PermissionError: The token is neither the host's nor that of a seat.
        """
        kind, fields = parse(text, KINDS)
        if kind != _HELLO:
            raise MessageError("the first message must be hello")
        return await self.hello(viewer, **fields)

    async def hello(self, viewer: Viewer, token: str) -> Page:
        """Welcome a page by its token, that of the host or of a seat."""
        if self.is_host(token):
            games = self.catalogue.entries()
            viewer.send({"type": "welcome", "role": "host", "games": games, "takes_seeds": self.takes_seeds})
            return HostPage(self, viewer)
        seat = self.live_sessions.seat_of(token)
        if seat is None:
            raise PermissionError("this link opens nothing: its session is ended, or it was copied in part")
        number, index = seat
        live = await self.live_sessions.get(number)
        plan = live.session.plan
        viewer.send({"type": "welcome", "role": "seat", "session": number, "env": plan.env})
        live.sit(index, viewer)
        self._start(live.begin())
        self._start(self._send_agents(viewer, plan))
        return SeatPage(self, viewer, live, index)

    async def _send_agents(self, viewer: Viewer, plan: Plan) -> None:
        """Send the agents that can be asked for advice; the first time it takes seconds to find them."""
        viewer.send({"type": "agents", "agents": await self.list_agents(plan.env, format_settings(plan))})

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        """Start work for which the page need not wait."""
        task = asyncio.create_task(work)
        self._tasks.add(task)  # the event loop keeps no reference of its own
        task.add_done_callback(self._tasks.discard)

    async def list_agents(self, env: str, settings: str) -> list[dict[str, Any]]:
        """Return the agents that can play a game as JSON."""
        return [asdict(agent) for agent in await self.run_in_pool(self.catalogue.agents, env, settings)]


class Page:
    """A page that has said hello."""

    refusal: ClassVar[str]
    """What it is told about the messages of others."""

    def __init__(self, handler: RequestHandler, viewer: Viewer) -> None:
        self._handler, self._viewer = handler, viewer

    async def answer(self, text: str) -> None:
        """Answer a message.

        Raises:
            MessageError: The text is no message.
            PermissionError: Another kind of page may send this message.
            ValueError: A field has a value that is not possible.
        """
        kind, fields = parse(text, KINDS)
        if kind not in vars(type(self)):
            raise PermissionError(self.refusal)
        await getattr(self, kind)(**fields)

    def _send(self, kind: str, **content: Any) -> None:
        self._viewer.send({"type": kind, **content})


class HostPage(Page):
    """A page of the host."""

    refusal = "a person at a seat may ask for this, not the host"

    async def offer(self, env: str, settings: str = "") -> None:
        """Send the agents that can play a game with these settings."""
        handler, catalogue = self._handler, self._handler.catalogue
        agents = await handler.list_agents(env, settings)
        self._send("offer", env=env, settings=settings, agents=agents, seats=catalogue.game(env, settings).num_seats,
                   default=catalogue.default_agent(env, settings),
                   measured=catalogue.measurement(env, settings))  # fmt: skip

    async def open(
        self, env: str, players: list[str], names: list[str], settings: str = "", seed: int | None = None,
        block: int = 0,
    ) -> None:  # fmt: skip
        """Open a new table.

        Args:
            env: Environment id.
            players: Name of the agent of each player, "" for a person.
            names: Names of the people, in their order.
            settings: Settings of the environment.
            seed: Seed of the deals; None for secret deals.
            block: Number of deals after which they are repeated with seats exchanged; 0: every deal is played once.
        """
        if not 0 <= block <= _MAX_BLOCK:
            raise ValueError(f"block {block} must be in 0..{_MAX_BLOCK}")
        people = iter(names)
        seated = [Player(agent or (next(people, "") or "you"), agent or None) for agent in players]
        if env not in self._handler.catalogue.envs:
            raise ValueError(f"environment {env!r} is not offered here")
        if seed is not None and not self._handler.takes_seeds:
            raise ValueError("deals are secret here; for deals that come again, start the server with --reproducible")
        chosen = self._handler.catalogue.settings(env, settings)
        secret = new_secret() if seed is None else b""
        plan = Plan(env, chosen, name_players(seated, env), seed or 0, block, secret)
        stored = await self._handler.live_sessions.open(plan)
        self._send("opened", session=stored.id, tokens=list(stored.tokens))

    async def sessions(self) -> None:
        """Send the list of open tables."""
        self._send("sessions", sessions=self._handler.live_sessions.list_sessions())

    async def close(self, session: int) -> None:
        """End a session, and send the others."""
        await self._handler.live_sessions.close(session)
        await self.sessions()

    async def watch(self, session: int, pause: float = 1.0) -> None:
        """Let the agents of a table play, with `pause` seconds after each decision, and show it; below 0: stop."""
        live = await self._handler.live_sessions.get(session)
        live.watch(self._viewer, pause)

    async def results(self) -> None:
        """Send the results of people against agents."""
        rows = await self._handler.run_in_pool(compute_results, self._handler.store, self._handler.catalogue)
        self._send("results", columns=COLUMNS, rows=[format_row(row) for row in rows])

    async def recordings(self) -> None:
        """Send the list of recordings."""
        self._send("recordings", recordings=await self._handler.run_in_pool(self._handler.library.list_recordings))

    async def recording(self, name: str) -> None:
        """Send the list of hands of a recording."""
        self._send("recording", **await self._handler.run_in_pool(self._handler.library.describe, name))

    async def moment(self, name: str, hand: int, step: int, agent: str = "") -> None:
        """Send the hand of an index in a recording after `step` decisions, with the advice of an agent, if named."""
        run, library = self._handler.run_in_pool, self._handler.library
        moment = await run(library.moment, name, hand, step)
        thought = {"thought": await run(library.advise, moment, agent)} if agent else {}
        self._send("moment", **moment.as_json(), **thought)


class SeatPage(Page):
    """A page of a person at a seat."""

    refusal = "only the host may ask for this"

    def __init__(self, handler: RequestHandler, viewer: Viewer, live: LiveSession, index: int) -> None:
        super().__init__(handler, viewer)
        self._live, self._index = live, index

    async def act(self, hand: int, step: int, action: int) -> None:
        """Take an action, if it is for the decision that the table waits for."""
        await self._live.act(self._index, hand, step, action)

    async def next(self, hand: int) -> None:
        """Deal the hand after this one."""
        await self._live.next_hand(hand)

    async def think(self, agent: str, hand: int, step: int) -> None:
        """Send the advice of an agent on a decision of the player."""
        session, handler = self._live.session, self._handler
        tables = session.own_decision(self._index, hand, self._find_actions(hand), step)
        thought = await handler.run_in_pool(handler.catalogue.advise, session.game, tables, agent)
        self._send("thought", hand=hand, step=step, **thought)

    def _find_actions(self, hand: int) -> list[int]:
        """Return the actions of a hand of the session."""
        if hand == self._live.session.hand:
            return list(self._live.session.actions)
        stored = [each for each in self._handler.store.hands(self._live.number, max(0, hand)) if each.number == hand]
        if not stored:
            raise ValueError(f"hand {hand} has not been played")
        return list(stored[0].actions)


_HELLO = "hello"


def _list_kinds(page: type[Page]) -> dict[str, Fields]:
    """Return the types of messages that a page answers, with their fields."""
    return {name: fields_of(method) for name, method in vars(page).items() if inspect.iscoroutinefunction(method)}


KINDS = {_HELLO: fields_of(RequestHandler.hello), **_list_kinds(HostPage), **_list_kinds(SeatPage)}
"""Types of messages -> their fields."""
