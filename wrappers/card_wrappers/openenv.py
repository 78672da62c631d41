"""OpenEnv: one seat of a card game as an environment server whose actions are text.

    app = make_app("no_limit_holdem-v0", opponents=["chen"])  # then: uvicorn module:app

Every session has its own table. `reset` deals, and the agents at the other seats act until the learner's decision.
`step` takes an answer as text, such as "raise to 6". An answer that does not name a legal action is refused: the deal
continues, and the observation lists the legal actions. The last observation of a deal has its reward.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import numpy as np

from card_envs.agent import Agent, find_agent
from card_envs.envs import make_game
from card_envs.game import Game, is_whole
from card_envs.rng import make_generator
from card_envs.text import ActionTextError, TextTable, default_action
from card_envs.text.prompts import check_form

try:
    from fastapi import FastAPI, Request
    from fastapi.responses import JSONResponse, PlainTextResponse
    from openenv.core.env_server.http_server import create_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
    from pydantic import Field
    from starlette.exceptions import HTTPException
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
except ModuleNotFoundError as error:
    message = "card_wrappers.openenv needs OpenEnv: pip install 'card-envs[openenv]'"
    raise ModuleNotFoundError(message, name=error.name) from error

__all__ = ["LOOPBACK", "CardAction", "CardEnvironment", "CardObservation", "CardState", "make_app", "session_factory"]

_MAX_DEALS = 1000
"""Maximum number of deals that `reset` tries until one gives the learner a decision."""
_SPLITS = {"train": 0, "test": 1 << 32}
"""Name of a split of tasks -> seed of its first task; task k is the deal with this seed plus k."""
_DEALS_PER_SPLIT = 1_000_000
_LISTED_TASKS = 100
_MAX_BODY = 1 << 20
"""Maximum number of bytes of a request; answers and the cards of a deal are far shorter."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Host names of a server that can be reached from this machine alone."""
_REFUSED = {ValueError: 422, TypeError: 422, IndexError: 422, RuntimeError: 409}
"""Error of an environment -> status of the answer to the request that caused it."""


class CardAction(Action):  # type: ignore[misc]  # here and below: OpenEnv may be missing
    """An answer of the learner as text."""

    message: str = Field(
        description='The action, alone or at the end of a text of at most 20,000 characters: "call", "[raise 80]"'
    )


class CardObservation(Observation):  # type: ignore[misc]
    """A description of the table as text, with only what the learner's seat may know."""

    text: str = Field(description="Description of the table, with the legal actions; the result when the deal is over")
    legal_actions: list[str] = Field(default_factory=list, description="Names of the legal actions; empty at the end")
    seat: int = Field(description="The learner's seat in this deal")
    error: str = Field(default="", description="Why the last answer was refused; empty if it was not")


class CardState(State):  # type: ignore[misc]
    """State of a session, without cards."""

    game: str = ""
    seat: int = -1
    num_refused: int = 0
    """Number of refused answers in this episode."""


class CardEnvironment(Environment[CardAction, CardObservation, CardState]):  # type: ignore[misc]
    """One seat of a card game against agents. An episode is a deal.

    Args:
        game: The game, see `card_envs.make_game`.
        opponents: Agents; each deal draws one of them, which plays all other seats.
        seat: Seat of the learner; None draws it for each deal.
        form: Form of the prompts, "compact" or "verbose".
        attempts: Number of refused answers in a row after which the environment plays check, pass or fold, the first
            that is legal.
        refused_reward: Reward of a step whose answer was refused; at most 0.

    Raises:
        ValueError: For an argument that does not fit.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self,
        game: Game,
        opponents: Sequence[Agent],
        seat: int | None = None,
        form: str = "compact",
        attempts: int = 3,
        refused_reward: float = 0.0,
    ) -> None:
        super().__init__()
        if not opponents:
            raise ValueError("opponents: name at least one agent")
        if seat is not None and not 0 <= seat < game.num_seats:
            raise ValueError(f"seat {seat} is outside 0..{game.num_seats - 1}")
        if attempts < 1 or not refused_reward <= 0.0:
            raise ValueError(f"attempts {attempts} must be at least 1, refused_reward {refused_reward} at most 0")
        self._game, self._opponents, self._fixed_seat, self._form = game, opponents, seat, check_form(form)
        self._attempts, self._refused_reward = attempts, refused_reward
        self._rng = np.random.default_rng()
        self._table: TextTable | None = None
        self._seat, self._refused_in_a_row = 0, 0
        self._state = CardState(game=game.name)

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        *,
        split: str | None = None,
        index: int | None = None,
        options: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> CardObservation:
        """Deal the cards. A deal that ends before the learner has a decision is dealt again.

        Args:
            seed: Seed of the deal, the seat and the actions of the opponents; None for a random deal.
            episode_id: Name of the episode; None for a random name.
            split: Split of the tasks, "train" or "test". A task replaces the seed.
            index: Index of the task in its split.
            options: Options that fix the deal (cards, stacks, button), see the environment's `reset`.
            **kwargs: Not supported.

        Returns:
            The observation of the learner's first decision.

        Raises:
            ValueError: For an argument that is unknown or does not fit.
            RuntimeError: If none of 1,000 deals gave the learner a decision.
        """
        if kwargs:
            raise ValueError(f"reset arguments {sorted(kwargs)} are not known: seed, episode_id, split, index, options")
        if options and (unknown := self._game.unknown_options(options)):  # a client would not see the warning
            raise ValueError(f"reset options {unknown} are not known: choose from {list(self._game.option_names)}")
        if split is not None or index is not None:
            seed = _seed_of_task("train" if split is None else split, 0 if index is None else index)
        rng = self._rng if seed is None else make_generator(seed)
        for _ in range(_MAX_DEALS):
            seat = self._fixed_seat if self._fixed_seat is not None else int(rng.integers(self._game.num_seats))
            opponent = self._opponents[int(rng.integers(len(self._opponents)))]
            others = {each: opponent for each in range(self._game.num_seats) if each != seat}
            table = TextTable(self._game, agents=others, form=self._form)
            table.reset(int(rng.integers(1 << 62)), options)
            if not table.is_over:
                break
        else:
            raise RuntimeError(f"none of {_MAX_DEALS} deals gave seat {seat} a decision: choose other opponents")
        self._table, self._seat, self._refused_in_a_row = table, seat, 0
        self._state = CardState(episode_id=episode_id or uuid4().hex, game=self._game.name, seat=seat)
        return self._observe(table)

    def step(self, action: CardAction, timeout_s: float | None = None, **kwargs: Any) -> CardObservation:
        """Take an answer; the opponents act until the learner's next decision or the end of the deal.

        Args:
            action: The answer.
            timeout_s: Not used.
            **kwargs: Not used.

        Returns:
            The next observation. After a refused answer it has the reason in `error`.

        Raises:
            RuntimeError: If the deal is over or has not begun.
        """
        table = self._table
        if table is None or table.is_over:
            raise RuntimeError("the deal is over, or has not begun: call reset()")
        self._state.step_count += 1
        try:
            table.answer(action.message)
        except ActionTextError as error:
            self._state.num_refused += 1
            self._refused_in_a_row += 1
            if self._refused_in_a_row >= self._attempts:
                self._refused_in_a_row = 0
                table.act(default_action(table.action_names()))
            return self._observe(table, str(error))
        self._refused_in_a_row = 0
        return self._observe(table)

    def _observe(self, table: TextTable, error: str = "") -> CardObservation:
        reward = self._refused_reward if error else 0.0
        if table.is_over:
            reward += float(table.rewards[self._seat])
            text = table.summaries[-1]
            return CardObservation(done=True, reward=reward, text=text, seat=self._seat, error=error)
        names = list(table.action_names().values())
        return CardObservation(
            done=False, reward=reward, text=table.prompt(), legal_actions=names, seat=self._seat, error=error
        )

    @property
    def state(self) -> CardState:
        """Name and seat of the episode, and its numbers of steps and refused answers."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """Return the name and description that the server shows."""
        return EnvironmentMetadata(name=self._game.name, description=f"card-envs: {self._game.name} as text")

    def list_splits(self) -> list[str]:
        """Return the names of the splits of tasks."""
        return list(_SPLITS)

    def num_tasks(self, split: str) -> int:
        """Return the number of tasks of a split."""
        _seed_of_task(split, 0)  # raises an error for an unknown split
        return _DEALS_PER_SPLIT

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Return the first 100 tasks of a split."""
        return [self.get_task(split, index) for index in range(_LISTED_TASKS)]

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return a task, which is a seeded deal."""
        return {"id": f"{split}-{index}", "index": index, "seed": _seed_of_task(split, index)}


def make_app(
    game_id: str,
    opponents: Sequence[str] = ("random",),
    seat: int | None = None,
    form: str = "compact",
    attempts: int = 3,
    refused_reward: float = 0.0,
    max_sessions: int = 64,
    hosts: Collection[str] = LOOPBACK,
    **settings: Any,
) -> FastAPI:
    """Return the OpenEnv server of a game as a FastAPI application.

    Args:
        game_id: Environment id, such as "no_limit_holdem-v0".
        opponents: Names of agents; each deal draws one of them, which plays all other seats.
        seat: Seat of the learner; None draws it for each deal.
        form: Form of the prompts, "compact" or "verbose".
        attempts: Number of refused answers in a row after which the environment plays check, pass or fold.
        refused_reward: Reward of a step whose answer was refused; at most 0.
        max_sessions: Maximum number of sessions at the same time.
        hosts: Host names under which clients reach the server; requests to others and from pages of other sites are
            refused, so that no page of another site can reach a server of this machine. "*" allows every name.
        **settings: Arguments of the environment, such as `num_players=6`.

    Raises:
        ValueError: For an argument that does not fit.

    Example:
        >>> app = make_app("kuhn_poker-v0")
    """
    game = make_game(game_id, **settings)
    make = session_factory(game, opponents, seat, form, attempts, refused_reward)
    make().reset(seed=0)  # compiles the game before the first session, and raises errors for wrong arguments
    app = create_app(
        make, CardAction, CardObservation, env_name=game.name, max_concurrent_envs=max_sessions, state_cls=CardState
    )
    for error, status in _REFUSED.items():
        app.add_exception_handler(error, _refusal(status))
    app.add_middleware(_Guard, hosts=hosts)
    return app


def _refusal(status: int) -> Callable[[Request, Exception], JSONResponse]:
    """Return a handler that answers a request with a status and the words of an error, without a traceback."""

    def refuse(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, status)

    return refuse


class _Guard:
    """Middleware that refuses long requests, and requests and WebSockets to other host names and from other sites.

    Host names protect from DNS rebinding. Browsers let pages of any site open WebSockets, and say whose page it is.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app, self._hosts = app, {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = "" if scope["type"] == "lifespan" or "*" in self._hosts else self._why_not(scope)
        if not problem:
            await self._app(scope, _limit_body(receive), send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4403})  # before it is accepted: the handshake fails
        else:
            await PlainTextResponse(f"{problem}\n", 421 if "host" in problem else 403)(scope, receive, send)

    def _why_not(self, scope: Scope) -> str:
        """Return why a request is refused; "" if it is not."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if _host_name(f"//{headers.get(b'host', '')}") not in self._hosts:
            return "unknown host"
        origin = headers.get(b"origin")  # programs send none
        return "" if origin is None or _host_name(origin) in self._hosts else "page of another site"


def _host_name(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _limit_body(receive: Receive) -> Receive:
    """Return a function like `receive` that ends a request of more than `_MAX_BODY` bytes with status 413."""
    size = 0

    async def receive_some() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if message["type"] == "http.request" and size > _MAX_BODY:
            raise HTTPException(413, f"a request has at most {_MAX_BODY:,} bytes")
        return message

    return receive_some


def session_factory(
    game: Game, opponents: Sequence[str], seat: int | None, form: str, attempts: int, refused_reward: float
) -> Callable[[], CardEnvironment]:
    """Return a function that returns a new environment, with its own agents, for each session."""

    def make() -> CardEnvironment:
        agents = [find_agent(name, game) for name in opponents]
        return CardEnvironment(game, agents, seat, form, attempts, refused_reward)

    return make


def _seed_of_task(split: str, index: int) -> int:
    if not isinstance(split, str) or split not in _SPLITS:
        raise ValueError(f"split {split!r} is not known: choose one of {list(_SPLITS)}")
    if not is_whole(index):
        raise TypeError(f"index {index!r} must be a whole number")
    if not 0 <= index < _DEALS_PER_SPLIT:
        raise IndexError(f"index {index} is outside 0..{_DEALS_PER_SPLIT - 1}")
    return _SPLITS[split] + index
