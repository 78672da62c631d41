"""What a match tells besides means: positions, cashflow, callbacks, tables with memory, and what became of faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from card_envs.agent import Decisions, RandomAgent
from card_envs.game import Game
from card_envs.games.big2.presets import big2
from card_envs.games.holdem.presets import kuhn_poker, leduc_holdem, limit_holdem, no_limit_holdem
from card_envs.match import AgentError, MatchBatch, MatchInterrupted, play_match
from card_envs.match.result import MatchResult, units_of

FOLD, CALL, RAISE = 0, 1, 2


class Always:
    """Takes one action where it is legal, else calls."""

    def __init__(self, name: str, wish: int) -> None:
        self.name, self.wish = name, wish

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        return np.where(decisions.action_mask[:, self.wish] == 1, self.wish, CALL)


def caller() -> Always:
    return Always("caller", CALL)


# --- positions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "names"),
    [
        (limit_holdem(), ("BB", "BTN")),
        (limit_holdem(rules="rlcard"), ("SB", "BTN")),
        (limit_holdem(3), ("SB", "BB", "BTN")),
        (no_limit_holdem(6), ("SB", "BB", "UTG", "HJ", "CO", "BTN")),
        (limit_holdem(8), ("SB", "BB", "UTG", "UTG+1", "UTG+2", "HJ", "CO", "BTN")),
        (kuhn_poker(), ("seat 1", "seat 2")),
        (big2(), ("seat 1", "seat 2", "seat 3", "seat 4")),
    ],
    ids=lambda value: value.name if isinstance(value, Game) else "",
)
def test_names_of_positions(game: Game, names: tuple[str, ...]) -> None:
    assert game.position_names == names


def test_a_folder_pays_its_blinds_by_position() -> None:
    agents = [Always("folder", FOLD), *(Always(f"raiser {k}", RAISE) for k in range(5))]
    result = play_match(limit_holdem(6), agents, 60, 0, duplicate=True)
    by_position = {position.name: position.mean for position in result.by_position[0]}
    assert by_position == {"SB": -0.5, "BB": -1.0, "UTG": 0.0, "HJ": 0.0, "CO": 0.0, "BTN": 0.0}


@pytest.mark.parametrize("game", [limit_holdem(3), big2(), leduc_holdem()], ids=lambda game: game.name)
def test_every_agent_has_every_position_once_in_a_duplicate_deal(game: Game) -> None:
    result = play_match(game, [RandomAgent() for _ in range(game.num_seats)], 6 * game.num_seats, 1, duplicate=True)
    assert (np.sort(result.positions.reshape(-1, game.num_seats, game.num_seats), axis=1)
            == np.arange(game.num_seats)[None, :, None]).all()  # fmt: skip
    weighted = [np.mean([position.mean for position in positions]) for positions in result.by_position]
    assert weighted == pytest.approx([agent.mean for agent in result.agents])


# --- cashflow ---------------------------------------------------------------------------------------------------------


def result_of(payoffs: list[list[int]]) -> MatchResult:
    played = np.array(payoffs)
    return MatchResult(
        names=tuple("abc"), payoffs=played, positions=np.zeros(played.shape, np.int8), position_names=("x",), seed=0,
        unit="chips", chips_per_reward=1, units={"chips/hand": 1.0},
    )  # fmt: skip


def test_a_loser_pays_the_winners_in_proportion_to_what_they_won() -> None:
    assert result_of([[-8, 6, 2]]).cashflow.tolist() == [[0, 6, 2], [-6, 0, 0], [-2, 0, 0]]
    assert result_of([[-3, -1, 4]]).cashflow.tolist() == [[0, 0, 3], [0, 0, 1], [-3, -1, 0]]


def test_cashflow_is_a_mean_over_hands_and_net() -> None:
    assert result_of([[-4, 4, 0], [2, -2, 0]]).cashflow.tolist() == [[0, 1, 0], [-1, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("game", [no_limit_holdem(6), big2()], ids=lambda game: game.name)
def test_what_an_agent_pays_is_what_it_loses(game: Game) -> None:
    result = play_match(game, [RandomAgent() for _ in range(game.num_seats)], 50, 1)
    assert result.cashflow.sum(axis=1) == pytest.approx([-agent.mean for agent in result.agents])
    assert np.array_equal(result.cashflow, -result.cashflow.T)


# --- callbacks ------------------------------------------------------------------------------------------------------


class Noting:
    """A callback that writes down what it hears."""

    def __init__(self) -> None:
        self.started: list[int] = []
        self.ended: list[int] = []
        self.decisions: list[tuple[int, int, int]] = []

    def on_deal(self, batch: MatchBatch) -> None:
        self.started += batch.hands.tolist()

    def on_actions(self, batch: MatchBatch, rows: Any, actions: Any) -> None:
        places = batch.agent_indices(rows, batch.tables["actor"][rows].astype(np.int64))
        self.decisions += zip(batch.hands[rows].tolist(), places.tolist(), actions.tolist(), strict=True)

    def on_end(self, batch: MatchBatch) -> None:
        assert batch.tables["is_over"].all()
        self.ended += batch.hands.tolist()


def test_watchers_hear_of_every_decision_whatever_the_number_of_tables() -> None:
    heard = []
    for num_tables in (7, 4096):
        noting = Noting()
        agents = [RandomAgent(), Always("raiser", RAISE), caller()]
        plain = play_match(limit_holdem(3), agents, 30, 5, duplicate=True, num_tables=num_tables)
        watched = play_match(limit_holdem(3), agents, 30, 5, duplicate=True, num_tables=num_tables, callbacks=[noting])
        assert np.array_equal(plain.payoffs, watched.payoffs)
        assert noting.started == noting.ended == list(range(30))
        heard.append(sorted(noting.decisions))
    assert heard[0] == heard[1]
    assert {action for _, place, action in heard[0] if place == 2} == {CALL}


# --- agents with memory -----------------------------------------------------------------------------------------------


class Counting(RandomAgent):
    """Remembers, by table, how many hands it has played there."""

    name = "counting"

    def __init__(self) -> None:
        self.hands: dict[int, int] = {}
        self.open: set[int] = set()

    def deal_starts(self, table_ids: Any) -> None:
        assert not self.open & set(table_ids.tolist()), "the last hand at the table is over"
        self.open |= set(table_ids.tolist())

    def deal_ends(self, table_ids: Any, payoffs: Any) -> None:
        self.open -= set(table_ids.tolist())
        for table in table_ids.tolist():
            self.hands[table] = self.hands.get(table, 0) + 1


@pytest.mark.parametrize("duplicate", [False, True])
def test_hands_at_one_table_follow_each_other(duplicate: bool) -> None:
    counting = Counting()
    plain = play_match(limit_holdem(), [RandomAgent(), caller()], 60, 3, duplicate)
    result = play_match(limit_holdem(), [counting, caller()], 55, 3, duplicate, num_tables=3, hands_per_table=10)
    assert counting.hands == dict.fromkeys(range(6), 10)
    assert result.hands == 60
    assert np.array_equal(result.payoffs, plain.payoffs), "the same deals, seats and random numbers"
    assert result.agents[0].num_samples == (3 if duplicate else 6), "tables are the samples"


# --- faults -----------------------------------------------------------------------------------------------------------


class Faulty:
    """Answers a question wrongly if the table's number is divisible by 5, else calls."""

    name = "faulty"

    def __init__(self, wrong: Callable[[Any], Any]) -> None:
        self.wrong = wrong

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        if (decisions.table_ids % 5 == 0).any():
            return self.wrong(np.where(decisions.table_ids % 5 == 0, -7, CALL))
        return np.full(len(decisions), CALL)


def raise_an_error(actions: Any) -> Any:
    raise ArithmeticError("no luck today")


@pytest.mark.parametrize("wrong", [lambda actions: actions, lambda actions: actions[:-1] * 1.0, raise_an_error])
def test_forfeited_decisions_do_not_depend_on_the_number_of_tables(wrong: Callable[[Any], Any]) -> None:
    class Folding(Faulty):
        """What the faulty agent amounts to."""

        def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
            may_fold = decisions.action_mask[:, FOLD] == 1
            return np.where((decisions.table_ids % 5 == 0) & may_fold, FOLD, CALL)

    game, raiser = limit_holdem(), Always("raiser", RAISE)
    expected = play_match(game, [Folding(wrong), raiser], 40, 2)
    for num_tables in (1, 16, 4096):
        result = play_match(game, [Faulty(wrong), raiser], 40, 2, num_tables=num_tables, on_error="forfeit")
        assert np.array_equal(result.payoffs, expected.payoffs)
        (fault,) = result.faults
        assert (fault.agent, fault.decisions) == ("faulty", 8)
        assert "hand 0" in fault.first


def test_an_abort_keeps_the_hands_that_were_complete() -> None:
    class Tired(Always):
        def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
            if decisions.table_ids.max() >= 25:
                raise RuntimeError("tired")
            return super().act(decisions, rng)

    agents = [Tired("tired", RAISE), caller()]
    with pytest.raises(AgentError, match="'tired'") as caught:
        play_match(limit_holdem(), agents, 100, 4, num_tables=10)
    assert caught.value.result is not None
    whole = play_match(limit_holdem(), [Always("tired", RAISE), caller()], 20, 4)
    assert np.array_equal(caught.value.result.payoffs, whole.payoffs)
    with pytest.raises(AgentError) as at_once:
        play_match(limit_holdem(), [Faulty(raise_an_error), caller()], 10, 4)
    assert at_once.value.result is None


class Interrupted(RandomAgent):
    """Presses Ctrl-C at a table with a given number."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        if (decisions.table_ids >= 250).any():
            raise KeyboardInterrupt
        return super().act(decisions, rng)


def test_an_interrupted_match_keeps_the_hands_that_were_complete() -> None:
    game, agents = limit_holdem(), [Interrupted(), RandomAgent()]
    with pytest.raises(MatchInterrupted) as interrupt:
        play_match(game, agents, 1000, 0, num_tables=100)
    result = interrupt.value.result
    assert result is not None and result.hands == 200
    np.testing.assert_array_equal(result.payoffs, play_match(game, agents, 200, 0, num_tables=100).payoffs)
    with pytest.raises(MatchInterrupted) as at_once:
        play_match(game, agents, 1000, 0)
    assert at_once.value.result is None


def test_errors_show_the_table_as_the_agent_saw_it() -> None:
    with pytest.raises(AgentError, match=r"'faulty'.*table 0, seed 9.*; the table: preflop.*/ player_0 ") as caught:
        play_match(limit_holdem(), [Faulty(lambda actions: actions), caller()], 5, 9)
    assert str(caught.value).count("??") == 2, "the cards of the other"


def test_unknown_ways_to_handle_errors_are_errors() -> None:
    with pytest.raises(ValueError, match=r"on_error 'ignore' is not known: choose one of \['abort', 'forfeit'\]"):
        play_match(limit_holdem(), [RandomAgent(), caller()], 5, 0, on_error="ignore")


def test_units_add_up() -> None:
    assert units_of(limit_holdem(small_blind=0)) == {"bb/100": 100.0, "mbb/hand": 1000.0}
