"""Open sessions and the pages that show them. Decisions are written into the store before they are taken and shown."""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Protocol

import numpy as np

from card_baselines.web.catalogue import Catalogue
from card_baselines.web.results import MIN_INTERVAL_DEALS
from card_baselines.web.scenes import Move, Scene, make_scene
from card_baselines.web.session import AgentFault, Plan, Session, deal_table, format_settings, name_actions
from card_baselines.web.store import Store, StoredSession, StoreError
from card_envs.match.summary import summarise
from card_envs.text.interface import FORCED_MOVES

_THREADS = 8
"""Number of threads in which agents act, so that a slow one delays its own table alone."""
MAX_OPEN = 200
"""Largest number of open sessions."""
_RETRY_SECONDS = 2.0
"""Seconds after which a table whose agent could not act, because the store could not be written, tries again."""
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
"""Default and largest pause between two decisions at a table of agents, in seconds."""


_NOT_WRITTEN = (StoreError, sqlite3.Error, OSError)
"""Errors of a store that cannot be written."""


class Viewer(Protocol):
    """A page to which messages are sent."""

    def send(self, message: dict[str, Any]) -> None:
        """Send a message without waiting."""


class LiveSession:
    """One session with the pages that show it. Its methods are called from the event loop alone."""

    def __init__(
        self, number: int, session: Session, store: Store, pool: ThreadPoolExecutor,
        payoffs: Iterable[Sequence[int]] = (),
    ) -> None:  # fmt: skip
        """Show a session whose current hand is dealt; `payoffs` are those of the finished hands."""
        self.number, self.session = number, session
        self._store, self._pool = store, pool
        self.seated: dict[int, set[Viewer]] = {index: set() for index in range(session.plan.num_players)}
        """Index of a player -> the pages of this player."""
        self.watchers: set[Viewer] = set()
        """Pages that show a table of agents."""
        self.pause = _FIRST_PAUSE
        self._lock = asyncio.Lock()
        self._payoffs = list(payoffs)
        self._moves = self._replay_moves()
        self._watch_task: asyncio.Task[None] | None = None
        self._retry_task: asyncio.Task[None] | None = None
        self._decided: tuple[int, bool] | None = None
        """Action of the agent to act and whether it is a forfeit, until they are in the store."""
        self.is_closed = False

    @property
    def has_people(self) -> bool:
        """Whether a person plays."""
        return len(self.session.agents) < self.session.plan.num_players

    def _replay_moves(self) -> list[Move]:
        """Return the moves of the current hand so far; that agents failed at some of them is not known any more."""
        session = self.session
        tables = deal_table(session.game, session.plan, session.hand)
        find_forced = FORCED_MOVES.find(session.game)
        forced = [] if find_forced is None else [Move(*move, is_forced=True) for move in find_forced(tables, 0)]
        return forced + [Move(*move) for move in name_actions(session.game, tables, session.actions)]

    # --- pages ---

    def sit(self, index: int, viewer: Viewer) -> None:
        """Show the table to a player from now on."""
        self.seated[index].add(viewer)
        viewer.send(self.message(index, None))

    def watch(self, viewer: Viewer, pause: float) -> None:
        """Show a table of agents with all cards; raise ValueError if people play."""
        if self.has_people:
            raise ValueError("people play at this table: nobody else may see it")
        self.pause = min(pause, _LONGEST_PAUSE)
        if viewer not in self.watchers:
            self.watchers.add(viewer)
            viewer.send(self.message(None, None))
        if self.pause >= 0 and (self._watch_task is None or self._watch_task.done()):
            self._watch_task = asyncio.create_task(self._play_on())

    def leave(self, viewer: Viewer) -> None:
        """Remove a page whose connection has ended."""
        self.watchers.discard(viewer)
        for viewers in self.seated.values():
            viewers.discard(viewer)

    # --- play ---

    async def begin(self) -> None:
        """Let agents play until a person is to act or the hand is over. A table of agents plays only while watched."""
        async with self._lock:
            if self.has_people:
                await self._play_agents_or_retry()

    async def act(self, index: int, hand: int, step: int, action: int) -> None:
        """Take the action of a player, then let agents play; raise ValueError if it is late or illegal."""
        async with self._lock:
            session = self.session
            if (hand, step) != (session.hand, len(session.actions)) or index != session.player_to_act or self.is_closed:
                raise ValueError("this is not your decision any more")
            self._take(action, is_forfeit=False)
            await self._play_agents_or_retry()

    async def next_hand(self, hand: int) -> None:
        """Deal the next hand if `hand` is the current one and is over; otherwise do nothing."""
        async with self._lock:
            if hand == self.session.hand and self.session.is_over and not self.is_closed:
                self._deal(hand + 1)
                await self._play_agents_or_retry()

    async def close(self) -> None:
        """End the session; do nothing if it is ended."""
        async with self._lock:
            if self.is_closed:
                return
            self._store.close_session(self.number)
            self.is_closed = True
            self._send_to_all(lambda index: {"type": "closed", "session": self.number})

    async def _play_on(self) -> None:
        """Play while at least one page watches."""
        while self.watchers and self.pause >= 0 and not self.is_closed:
            pause = self.pause
            async with self._lock:
                try:
                    if self.session.is_over:
                        self._deal(self.session.hand + 1)
                    else:
                        await self._play_agent()
                except _NOT_WRITTEN as error:
                    self._report(error)
                    pause = max(pause, _RETRY_SECONDS)
            await asyncio.sleep(pause)

    async def _play_agents_or_retry(self) -> None:
        """Let agents play; if a decision cannot be written, tell the pages, and try again until it can."""
        try:
            await self._play_agents()
        except _NOT_WRITTEN as error:
            self._report(error)
            if self._retry_task is None or self._retry_task.done():
                self._retry_task = asyncio.create_task(self._retry())

    async def _retry(self) -> None:
        while not self.is_closed:
            await asyncio.sleep(_RETRY_SECONDS)
            async with self._lock:
                with suppress(*_NOT_WRITTEN):
                    await self._play_agents()
                    return

    def _report(self, error: Exception) -> None:
        words = f"the table waits for its file of results: {error}; it goes on when the file can be written"
        self._send_to_all(lambda index: {"type": "error", "message": words})

    async def _play_agents(self) -> None:
        while self.session.player_to_act in self.session.agents and not self.is_closed:
            await self._play_agent()

    async def _play_agent(self) -> None:
        if self._decided is None:
            try:
                action = await asyncio.get_running_loop().run_in_executor(self._pool, self.session.agent_action)
                self._decided = action, False
            except AgentFault:
                self._decided = self.session.game.legal_actions(self.session.tables, 0)[0], True
        self._take(*self._decided)
        self._decided = None

    def _take(self, action: int, is_forfeit: bool) -> None:
        """Check a decision, write it to the store, and only then take and show it."""
        session = self.session
        hand, number, seat = session.hand, len(session.actions), session.seat_to_act
        words = session.game.action_name(session.tables, 0, session.check_action(action))
        assert seat is not None
        payoffs = session.payoffs_after(action)
        self._store.add_decision(self.number, hand, number, action, is_forfeit, payoffs)
        session.act(action)
        self._moves.append(Move(seat, words, is_forfeit))
        self._show_result(payoffs, self._moves[-1])

    def _deal(self, hand: int) -> None:
        """Write a hand to the store, and only then deal and show it."""
        payoffs = self.session.payoffs_after_deal(hand)  # None unless the blinds put everybody all-in
        self._store.add_hand(self.number, hand, payoffs)
        self.session.deal(hand)
        self._moves = self._replay_moves()
        self._show_result(payoffs, None)

    def _show_result(self, payoffs: list[int] | None, move: Move | None) -> None:
        if payoffs is not None:
            self._payoffs.append(payoffs)
        self._send_to_all(lambda index: self.message(index, move))

    # --- messages ---

    def _send_to_all(self, message_for: Callable[[int | None], dict[str, Any]]) -> None:
        """Send messages to all pages; `message_for` makes that of a player, or for None that of watchers."""
        for index, viewers in [*self.seated.items(), (None, self.watchers)]:
            if viewers:
                message = message_for(index)
                for viewer in viewers:
                    viewer.send(message)

    def message(self, index: int | None, move: Move | None) -> Scene:
        """Return the message that shows the table to a player, or with all cards for None (where no person plays)."""
        session, plan = self.session, self.session.plan
        seat = None if index is None else plan.seat_of(index, session.hand)
        is_repeated = plan.block > 0  # a player who knew all cards of the deal would have an advantage
        seen = make_scene(
            session.game, session.tables, seat, plan.names_at(session.hand), reveal_at_end=not is_repeated
        )
        return seen | {
            "type": "table",
            "session": self.number,
            "hand": session.hand,
            "step": len(session.actions),
            "move": None if move is None else asdict(move),
            "moves": [asdict(each) for each in self._moves],
            "score": self.score(),
            "is_secret": bool(plan.secret),
        }

    def score(self) -> dict[str, Any]:
        """Return the totals of all players; for tables of agents also means per hand with 95 % intervals."""
        game, plan = self.session.game, self.session.plan
        totals = [sum(won) / game.chips_per_reward for won in zip(*self._payoffs, strict=True)]
        return {
            "unit": game.unit,
            "hands": len(self._payoffs),
            "names": [player.name for player in plan.players],
            "agents": [player.agent for player in plan.players],
            "totals": totals or [0.0] * plan.num_players,
            "means": self._means(),
        }

    def _means(self) -> list[list[float]] | None:
        """Return mean and bounds of the interval by player; None with people, and for too few hands."""
        if self.has_people or len(self._payoffs) < MIN_INTERVAL_DEALS:
            return None
        won = np.array(self._payoffs, np.float64) / self.session.game.chips_per_reward
        summaries = [summarise(player.name, won[:, k]) for k, player in enumerate(self.session.plan.players)]
        return [[summary.mean, *summary.ci95] for summary in summaries]


class LiveSessions:
    """All open sessions of a server, and the tokens that open their seats."""

    def __init__(self, catalogue: Catalogue, store: Store) -> None:
        """Read the open sessions of the store; each is restored when a page first asks for it."""
        self.catalogue, self.store = catalogue, store
        self.pool = ThreadPoolExecutor(_THREADS, "agent")
        self._live: dict[int, LiveSession] = {}
        self._stored = {session.id: session for session in store.sessions() if session.is_open}
        self._seats = {
            token: (session.id, index)
            for session in self._stored.values()
            for index, token in enumerate(session.tokens)
            if token is not None
        }

    def seat_of(self, token: str) -> tuple[int, int] | None:
        """Return the session and the player that a token belongs to."""
        return self._seats.get(token)

    def list_sessions(self) -> list[dict[str, Any]]:
        """Return the open sessions as JSON for the host, the newest first, with the tokens of people's seats."""
        return [
            {
                "session": session.id,
                "started": session.started,
                "env": session.plan.env,
                "settings": dict(session.plan.settings),
                "players": [asdict(player) for player in session.plan.players],
                "tokens": list(session.tokens),
            }
            for session in reversed(self._stored.values())
        ]

    async def open(self, plan: Plan) -> StoredSession:
        """Begin a session; raise ValueError for a plan that cannot be played."""
        if len(self._stored) >= MAX_OPEN:
            raise ValueError(f"{MAX_OPEN} sessions are open: close one first")
        await self.run_in_pool(self._make_session, plan)  # before anything is written: does the plan work?
        tokens = tuple(None if player.agent else secrets.token_urlsafe(16) for player in plan.players)
        number = self.store.add_session(plan, tokens)
        self._stored[number] = next(session for session in self.store.sessions() if session.id == number)
        self._seats |= {token: (number, index) for index, token in enumerate(tokens) if token is not None}
        return self._stored[number]

    async def get(self, number: int) -> LiveSession:
        """Return an open session as it was left; raise ValueError if there is none of this number."""
        self._require_open(number)
        if number not in self._live:
            live = await self.run_in_pool(self._restore, self._stored[number])
            self._require_open(number)  # another page may have ended it in the meantime
            self._live.setdefault(number, live)
        return self._live[number]

    def _require_open(self, number: int) -> None:
        if number not in self._stored:
            raise ValueError(f"session {number} is not open")

    async def close(self, number: int) -> None:
        """End a session, also one that cannot be restored: its agents may not be offered any more."""
        self._require_open(number)
        if number in self._live:
            await self._live[number].close()
        else:
            self.store.close_session(number)
        stored = self._stored.pop(number, None)
        if stored is None:  # another page has ended it at the same time
            return
        self._live.pop(number, None)
        for token in stored.tokens:
            if token is not None:
                self._seats.pop(token, None)

    def leave(self, viewer: Viewer) -> None:
        """Remove a page whose connection has ended."""
        for live in self._live.values():
            live.leave(viewer)

    async def run_in_pool(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Return the result of a function that is called in a thread, so that other pages need not wait for it."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, work, *arguments)

    def _make_session(self, plan: Plan) -> Session:
        game = self.catalogue.game(plan.env, format_settings(plan))
        players = enumerate(plan.players)
        agents = {index: self.catalogue.agent(player.agent, game) for index, player in players if player.agent}
        return Session(plan, game, agents)

    def _restore(self, stored: StoredSession) -> LiveSession:
        session = self._make_session(stored.plan)
        if not (hands := self.store.hands(stored.id)):
            self.store.add_hand(stored.id, 0, session.payoffs_after_deal(0))
            hands = self.store.hands(stored.id)
        session.restore([(hand.number, hand.actions) for hand in hands])
        payoffs = [hand.payoffs for hand in hands if hand.payoffs is not None]
        return LiveSession(stored.id, session, self.store, self.pool, payoffs)
