"""Every driver of agents calls the same hooks in the same order, once per deal or seat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

import card_envs  # noqa: F401  registers the environments
from card_baselines.adaptation import SwitchingAgent
from card_baselines.league.rounds import NamedAgent
from card_baselines.web.session import Plan, Player, Session
from card_envs import make_game
from card_envs.agent import Agent, Decisions
from card_envs.games.holdem.presets import limit_holdem
from card_envs.match import AgentError, play_match
from card_envs.single_seat import SingleSeatTables
from card_envs.text import TextTable
from card_wrappers.sb3 import CardVecEnv

SEED = 4
GAMES: list[tuple[str, str, dict[str, Any]]] = [
    ("limit_holdem-v0", "LimitHoldem-v0", {"num_players": 3}),
    ("leduc_holdem-v0", "LeducHoldem-v0", {}),
    ("big2-v0", "Big2-v0", {}),
]


class Recorder(Agent):
    """Takes the last legal action, and records the calls of its hooks at table 0 with the bytes of the views."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        return last_legal(decisions.action_mask)

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        self.calls += [("deal_starts",) for table in table_ids if table == 0]

    def observe_actions(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:
        for j, view in views_at_table_0(decisions):
            self.calls.append(("observe_actions", int(decisions.seats[j]), int(actions[j]), view))

    def sees_end(self, ends: Decisions) -> None:
        self.calls += [("sees_end", int(ends.seats[j]), view) for j, view in views_at_table_0(ends)]

    def deal_ends(self, table_ids: NDArray[np.int64], payoffs: NDArray[np.float64]) -> None:
        self.calls += [
            ("deal_ends", *won.tolist()) for table, won in zip(table_ids, payoffs, strict=True) if table == 0
        ]

    @property
    def first_deal(self) -> list[tuple[Any, ...]]:
        """The calls of the first deal."""
        names = [call[0] for call in self.calls]
        return self.calls[: names.index("deal_ends") + 1]


def views_at_table_0(decisions: Decisions) -> Iterator[tuple[int, bytes]]:
    for j in np.flatnonzero(decisions.table_ids == 0).tolist():
        yield j, decisions.views[j].tobytes()


def last_legal(mask: NDArray[np.int8]) -> NDArray[np.int64]:
    return np.asarray(mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1), np.int64)


def first_legal(mask: NDArray[np.int8]) -> NDArray[np.int64]:
    return np.asarray(mask.argmax(axis=1), np.int64)


Policy = Callable[[NDArray[np.int8]], NDArray[np.int64]]


class Learner(Agent):
    """The player at seat 0, which has no hooks."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        return self.policy(decisions.action_mask)


def play_in_match(agent: Agent, policy: Policy, env_id: str, name: str, settings: dict[str, Any]) -> None:
    game = make_game(env_id, **settings)
    play_match(game, [Learner(policy), *[agent] * (game.num_seats - 1)], game.num_seats, SEED)


def play_as_switching(agent: Agent, *others: Any) -> None:
    play_in_match(SwitchingAgent([agent], 1), *others)


def play_as_seated(agent: Agent, *others: Any) -> None:
    play_in_match(NamedAgent("member", agent), *others)


def play_single_seat(agent: Agent, policy: Policy, env_id: str, name: str, settings: dict[str, Any]) -> None:
    tables = SingleSeatTables(make_game(env_id, **settings), 3, agent, seat=0, seed=SEED)
    step = tables.reset()
    while not step.is_over[0]:
        step = tables.step(policy(step.action_mask))


def play_in_gymnasium(agent: Agent, policy: Policy, env_id: str, name: str, settings: dict[str, Any]) -> None:
    env = gymnasium.make(f"card_envs:card_envs/{name}", opponents=agent, seat=0, **settings)
    observation, _ = env.reset(seed=SEED)
    is_over = False
    while not is_over:
        observation, _, is_over, _, _ = env.step(policy(observation["action_mask"][None])[0])


def play_in_gymnasium_vector(agent: Agent, policy: Policy, env_id: str, name: str, settings: dict[str, Any]) -> None:
    envs = gymnasium.make_vec(f"card_envs:card_envs/{name}", num_envs=3, opponents=agent, seat=0, **settings)
    observation, _ = envs.reset(seed=SEED)
    is_over = np.zeros(3, bool)
    while not is_over[0]:
        observation, _, is_over, _, _ = envs.step(policy(observation["action_mask"]))


def play_in_sb3(agent: Agent, policy: Policy, env_id: str, name: str, settings: dict[str, Any]) -> None:
    tables = CardVecEnv(make_game(env_id, **settings), num_tables=3, opponents=agent, seat=0, seed=SEED)
    tables.reset()
    is_over = np.zeros(3, bool)
    while not is_over[0]:
        _, _, is_over, _ = tables.step(policy(tables.action_masks().astype(np.int8)))


def play_as_text(agent: Agent, policy: Policy, env_id: str, name: str, settings: dict[str, Any]) -> None:
    game = make_game(env_id, **settings)
    table = TextTable(game, agents=dict.fromkeys(range(1, game.num_seats), agent))
    table.reset(SEED)
    while not table.is_over:
        table.act((min if policy is first_legal else max)(table.action_names()))


def play_in_session(agent: Agent, policy: Policy, env_id: str, name: str, settings: dict[str, Any]) -> None:
    game = make_game(env_id, **settings)
    players = [Player("person", None), *[Player("agent", "recorder")] * (game.num_seats - 1)]
    session = Session(
        Plan(env_id, settings, tuple(players), SEED), game, dict.fromkeys(range(1, game.num_seats), agent)
    )
    session.deal(0)
    while not session.is_over:
        legal = game.legal_actions(session.tables, 0)
        is_person = session.player_to_act == 0
        session.act((min if policy is first_legal else max)(legal) if is_person else session.agent_action())


DRIVERS = [
    play_as_switching, play_as_seated, play_single_seat, play_in_gymnasium, play_in_gymnasium_vector, play_in_sb3,
    play_as_text, play_in_session,
]  # fmt: skip


@pytest.mark.parametrize("policy", [first_legal, last_legal])
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game[0])
def test_every_driver_calls_the_hooks_as_a_match_does(
    game: tuple[str, str, dict[str, Any]], driver: Callable[..., None], policy: Policy
) -> None:
    in_match, elsewhere = Recorder(), Recorder()
    play_in_match(in_match, policy, *game)
    driver(elsewhere, policy, *game)
    assert elsewhere.first_deal == in_match.first_deal
    names = [call[0] for call in in_match.first_deal]
    num_seats = len(in_match.first_deal[-1]) - 1
    assert names[0] == "deal_starts" and names.count("deal_starts") == 1
    assert names.count("observe_actions") >= 2 * (num_seats - 1)
    assert names[-num_seats:] == ["sees_end"] * (num_seats - 1) + ["deal_ends"]


def test_illegal_actions_are_not_shown() -> None:
    class Illegal(Learner):
        def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
            return np.full(len(decisions), 99)

    recorder = Recorder()
    with pytest.raises(AgentError, match="99"):
        play_match(limit_holdem(), [Illegal(first_legal), recorder], 2, SEED)
    assert all(call[2] != 99 for call in recorder.calls if call[0] == "observe_actions")

    tables = SingleSeatTables(limit_holdem(), 3, recorder, seat=0, seed=SEED)
    tables.reset()
    shown = len(recorder.calls)
    with pytest.raises(ValueError, match="99"):
        tables.step(np.full(3, 99))
    assert len(recorder.calls) == shown
