"""Open sessions and the pages that look at them. Decisions are written into the store before they are shown."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, Protocol

from card_baselines.web.catalogue import Catalogue
from card_baselines.web.scenes import Move, Scene, names_by_seat, scene
from card_baselines.web.session import AgentFault, Plan, Session, format_settings
from card_baselines.web.store import Store, StoredSession
from card_envs.match.summary import Summary, summarise

_THREADS = 8
"""Number of threads in which agents think, so that a slow one delays its own table alone."""
MAX_OPEN = 200
"""Largest number of open sessions."""
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0


class Viewer(Protocol):
    """A page that is shown a table."""

    def send(self, message: dict[str, Any]) -> None:
        """Take a message; never waits."""


class LiveSession:
    """One session with the pages that look at it. Its methods are called from the event loop alone."""

    def __init__(self, number: int, session: Session, store: Store, pool: ThreadPoolExecutor) -> None:
        """Show a session that has a hand on the table."""
        self.number, self.session = number, session
        self._store, self._pool = store, pool
        self.seated: dict[int, set[Viewer]] = {place: set() for place in range(session.plan.num_places)}
        self.watchers: set[Viewer] = set()
        self.pause = _FIRST_PAUSE
        self._lock = asyncio.Lock()
        self._payoffs: list[list[int]] = []
        self._watch_task: asyncio.Task[None] | None = None
        self.is_closed = False

    @property
    def has_people(self) -> bool:
        """Whether anybody but agents plays."""
        return len(self.session.agents) < self.session.plan.num_places

    def note_results(self, payoffs: Sequence[Sequence[int]]) -> None:
        """Count hands that were finished before."""
        self._payoffs.extend(list(each) for each in payoffs)

    # --- who looks ---

    def sit(self, place: int, viewer: Viewer) -> None:
        """Show the table to a person from now on."""
        self.seated[place].add(viewer)
        viewer.send(self.message(place, None))

    def watch(self, viewer: Viewer, pause: float) -> None:
        """Show a table of agents with all cards; a ValueError where people play."""
        if self.has_people:
            raise ValueError("people play at this table: nobody else may see it")
        self.pause = min(pause, _LONGEST_PAUSE)
        if viewer not in self.watchers:
            self.watchers.add(viewer)
            viewer.send(self.message(None, None))
        if self.pause >= 0 and (self._watch_task is None or self._watch_task.done()):
            self._watch_task = asyncio.create_task(self._play_on())

    def leave(self, viewer: Viewer) -> None:
        """Forget a page that is gone."""
        self.watchers.discard(viewer)
        for viewers in self.seated.values():
            viewers.discard(viewer)

    # --- what happens ---

    async def begin(self) -> None:
        """Let agents play until a person is to act, or the hand is over; tables of agents alone wait to be watched."""
        async with self._lock:
            if self.has_people:
                await self._play_agents()

    async def act(self, place: int, hand: int, step: int, action: int) -> None:
        """Take a person's action, and let the agents answer; a ValueError says why it is not taken."""
        async with self._lock:
            session = self.session
            if (hand, step) != (session.hand, len(session.actions)) or place != session.place_to_act or self.is_closed:
                raise ValueError("this is not your decision any more")
            self._take(action, is_forfeit=False)
            await self._play_agents()

    async def next_hand(self, hand: int) -> None:
        """Deal the next hand if this one is over; a second wish for the same one changes nothing."""
        async with self._lock:
            if hand == self.session.hand and self.session.is_over and not self.is_closed:
                self._deal(hand + 1)
                await self._play_agents()

    async def close(self) -> None:
        """End the session."""
        async with self._lock:
            self.is_closed = True
            self._store.close_session(self.number)
            self._tell(lambda place: {"type": "closed", "session": self.number})

    async def _play_on(self) -> None:
        """Play as long as somebody watches."""
        while self.watchers and self.pause >= 0 and not self.is_closed:
            async with self._lock:
                if self.session.is_over:
                    self._deal(self.session.hand + 1)
                else:
                    await self._play_agent()
            await asyncio.sleep(self.pause)

    async def _play_agents(self) -> None:
        while self.session.place_to_act in self.session.agents:
            await self._play_agent()

    async def _play_agent(self) -> None:
        try:
            action = await asyncio.get_running_loop().run_in_executor(self._pool, self.session.agent_action)
        except AgentFault:
            self._take(self.session.game.legal_actions(self.session.tables, 0)[0], is_forfeit=True)
        else:
            self._take(action, is_forfeit=False)

    def _take(self, action: int, is_forfeit: bool) -> None:
        """Check, write and show a decision."""
        session = self.session
        hand, number, seat = session.hand, len(session.actions), session.seat_to_act
        assert seat is not None
        words = session.game.action_name(session.tables, 0, session.check_action(action))
        session.act(action)
        self._store.add_decision(self.number, hand, number, action, is_forfeit)
        if session.is_over:
            self._end_hand()
        self._show(Move(seat, words, is_forfeit))

    def _deal(self, hand: int) -> None:
        self.session.deal(hand)
        self._store.add_hand(self.number, hand)
        if self.session.is_over:  # the blinds put everybody all-in
            self._end_hand()
        self._show(None)

    def _end_hand(self) -> None:
        self._payoffs.append(self.session.payoffs)
        self._store.end_hand(self.number, self.session.hand, self.session.payoffs)

    # --- what is shown ---

    def _show(self, move: Move | None) -> None:
        self._tell(lambda place: self.message(place, move))

    def _tell(self, message_for: Callable[[int | None], dict[str, Any]]) -> None:
        for place, viewers in [*self.seated.items(), (None, self.watchers)]:
            if viewers:
                message = message_for(place)
                for viewer in viewers:
                    viewer.send(message)

    def message(self, place: int | None, move: Move | None) -> Scene:
        """Return the table as a place sees it, or with all cards for None (where no person plays)."""
        session, plan = self.session, self.session.plan
        seat = None if place is None else plan.seat_of(place, session.hand)
        comes_again = plan.block > 0  # the cards are worth knowing then
        seen = scene(session.game, session.tables, seat, names_by_seat(session), lays_open=not comes_again)
        return seen | {
            "type": "table",
            "session": self.number,
            "hand": session.hand,
            "step": len(session.actions),
            "place": place,
            "move": None if move is None else asdict(move),
            "score": self.score(),
            "is_secret": bool(plan.secret),
        }

    def score(self) -> dict[str, Any]:
        """Return the totals of all places, and their means per hand with intervals once there are two samples."""
        game, plan = self.session.game, self.session.plan
        totals = [sum(won) / game.chips_per_reward for won in zip(*self._payoffs, strict=True)]
        return {
            "unit": game.unit,
            "hands": len(self._payoffs),
            "names": [place.name for place in plan.places],
            "totals": totals or [0.0] * plan.num_places,
            "means": None if self.has_people or len(self._payoffs) < 2 else [_interval(each) for each in self._means()],
        }

    def _means(self) -> list[Summary]:
        import numpy as np

        won = np.array(self._payoffs, np.float64) / self.session.game.chips_per_reward
        return [summarise(place.name, won[:, k]) for k, place in enumerate(self.session.plan.places)]


def _interval(summary: Summary) -> list[float]:
    return [summary.mean, *summary.ci95]


class LiveSessions:
    """All open sessions of a server, and the tokens that open their seats."""

    def __init__(self, catalogue: Catalogue, store: Store) -> None:
        """Find the open sessions of the store; their tables are set when somebody comes."""
        self.catalogue, self.store = catalogue, store
        self.pool = ThreadPoolExecutor(_THREADS, "agent")
        self._live: dict[int, LiveSession] = {}
        self._stored = {session.id: session for session in store.sessions() if session.is_open}
        self._seats = {
            token: (session.id, place)
            for session in self._stored.values()
            for place, token in enumerate(session.tokens)
            if token is not None
        }

    def seat_of(self, token: str) -> tuple[int, int] | None:
        """Return the session and the place that a token opens."""
        return self._seats.get(token)

    def list_sessions(self) -> list[dict[str, Any]]:
        """Return the open sessions for a list, the newest first, with the tokens of people's seats: for the host."""
        return [
            {
                "session": session.id,
                "started": session.started,
                "env": session.plan.env,
                "settings": dict(session.plan.settings),
                "places": [asdict(place) for place in session.plan.places],
                "tokens": list(session.tokens),
            }
            for session in reversed(self._stored.values())
        ]

    async def open(self, plan: Plan) -> StoredSession:
        """Begin a session; a ValueError says what is wrong with the plan."""
        if len(self._stored) >= MAX_OPEN:
            raise ValueError(f"{MAX_OPEN} sessions are open: close one first")
        await self._run_in_pool(self._session, plan)  # before anything is written: does the plan work?
        tokens = tuple(None if place.agent else secrets.token_urlsafe(16) for place in plan.places)
        number = self.store.add_session(plan, tokens)
        self._stored[number] = next(session for session in self.store.sessions() if session.id == number)
        self._seats |= {token: (number, place) for place, token in enumerate(tokens) if token is not None}
        return self._stored[number]

    async def get(self, number: int) -> LiveSession:
        """Return an open session, as it was left; a ValueError if there is none."""
        if number not in self._stored:
            raise ValueError(f"session {number} is not open")
        if number not in self._live:
            live = await self._run_in_pool(self._restore, self._stored[number])
            self._live.setdefault(number, live)
        return self._live[number]

    async def close(self, number: int) -> None:
        """End a session."""
        live = await self.get(number)
        await live.close()
        stored = self._stored.pop(number)
        self._live.pop(number, None)
        for token in stored.tokens:
            if token is not None:
                self._seats.pop(token, None)

    async def _run_in_pool(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.pool, work, *arguments)

    def _session(self, plan: Plan) -> Session:
        game = self.catalogue.game(plan.env, format_settings(plan))
        agents = {place: self.catalogue.agent(each.agent, game) for place, each in enumerate(plan.places) if each.agent}
        return Session(plan, game, agents)

    def _restore(self, stored: StoredSession) -> LiveSession:
        session = self._session(stored.plan)
        hands = self.store.hands(stored.id)
        live = LiveSession(stored.id, session, self.store, self.pool)
        live.note_results([hand.payoffs for hand in hands if hand.payoffs is not None])
        if hands:
            session.restore([(hand.number, hand.actions) for hand in hands])
        else:
            session.deal(0)
            self.store.add_hand(stored.id, 0)
        if session.is_over and (not hands or hands[-1].payoffs is None):  # killed between a decision and its result
            self.store.end_hand(stored.id, session.hand, session.payoffs)
            live.note_results([session.payoffs])
        return live
