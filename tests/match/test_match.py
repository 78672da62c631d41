"""Matches: who sits where, what duplicate deals take out, what does not change the result, and who is blamed."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from card_envs.agent import Decisions, RandomAgent, find_agent
from card_envs.cards import NO_CARD
from card_envs.game import Game
from card_envs.games.big2.presets import big2
from card_envs.games.holdem.presets import kuhn_poker, leduc_holdem, limit_holdem, no_limit_holdem
from card_envs.match import AgentError, MatchResult, play_match
from card_envs.match.callbacks import rotations
from tests.helpers.scripted_agents import CALL, always_call, always_fold, always_raise

SMALL_BLIND_BB, BIG_BLIND_BB = 0.5, 1.0


class Watching(RandomAgent):
    """Plays at random and remembers what a match tells it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seat_of: dict[int, set[int]] = {}
        self.started: list[int] = []
        self.ended: dict[int, list[float]] = {}

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        for table, seat in zip(decisions.table_ids.tolist(), decisions.seats.tolist(), strict=True):
            assert table in self.started
            assert table not in self.ended
            self.seat_of.setdefault(table, set()).add(seat)
        return super().act(decisions, rng)

    def deal_starts(self, table_ids: Any) -> None:
        self.started += table_ids.tolist()

    def deal_ends(self, table_ids: Any, payoffs: Any) -> None:
        self.ended.update(zip(table_ids.tolist(), payoffs.tolist(), strict=True))


def agents_for(game: Game) -> list[Any]:
    agents = [RandomAgent(), always_call(), always_raise(), Watching("a"), Watching("b"), Watching("c")]
    return [Watching(str(seat)) for seat in range(4)] if game.name == "big2" else agents[: game.num_seats]


GAMES = [limit_holdem(), no_limit_holdem(6), limit_holdem(3, stacks=(7, 30, 100)), leduc_holdem(), kuhn_poker(), big2()]


# --- seats and deals --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("duplicate", [False, True])
def test_agents_move_one_seat_with_every_hand(duplicate: bool) -> None:
    watching = [Watching(str(place)) for place in range(3)]
    play_match(limit_holdem(3), watching, 60, seed=1, duplicate=duplicate, num_tables=7)
    for place, agent in enumerate(watching):
        assert agent.seat_of
        for hand, seats in agent.seat_of.items():
            assert seats == {(place + hand) % 3}


def test_duplicate_deals_are_the_same_deal_with_agents_moved() -> None:
    game = limit_holdem()
    both_call = [always_call(), always_call()]
    plain = play_match(game, both_call, 500, seed=3)
    duplicate = play_match(game, both_call, 1000, seed=3, duplicate=True)
    by_seat = plain.payoffs[:, 0] * np.where(np.arange(500) % 2, -1, 1)
    assert np.array_equal(duplicate.payoffs[0::2, 0], by_seat)
    assert np.array_equal(duplicate.payoffs[1::2, 0], -by_seat)
    assert np.any(by_seat)


def test_several_orders_of_play_in_one_match_are_the_matches_of_each() -> None:
    """Agents that use no other random numbers than `Decisions.random_numbers`."""
    game = limit_holdem(3)
    agents = [find_agent(name, game) for name in ("chen", "tight_aggressive", "random")]
    orders = np.array([[0, 1, 2], [0, 2, 1]])
    seatings = np.concatenate([order[rotations(3)] for order in orders])
    together = play_match(game, agents, 240, seed=3, duplicate=True, seatings=seatings, num_tables=50)
    assert (together.plays, together.deals) == (6, 40)
    for part, order in enumerate(orders):
        alone = play_match(game, [agents[agent] for agent in order], 120, seed=3, duplicate=True)
        found = together.payoffs.reshape(40, 2, 3, 3)[:, part][..., order]
        assert (found == alone.payoffs.reshape(40, 3, 3)).all()


def test_seatings_without_duplicate_deals_take_turns() -> None:
    watching = [Watching(str(place)) for place in range(3)]
    play_match(limit_holdem(3), watching, 40, seed=1, seatings=[[2, 0, 1], [0, 1, 2]])
    for place, agent in enumerate(watching):
        assert all(seats == {[1, 2, 0][place] if table % 2 == 0 else place} for table, seats in agent.seat_of.items())


@pytest.mark.parametrize("seatings", [[], [[0, 1]], [[0, 1, 1]], [[1, 2, 3]], [0, 1, 2]])
def test_seatings_without_every_agent_once_are_refused(seatings: Any) -> None:
    with pytest.raises(ValueError, match=r"rows with each of the agents 0 \.\. 2 once"):
        play_match(limit_holdem(3), [always_call()] * 3, 6, seed=0, seatings=seatings)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}-{game.num_seats}")
def test_an_agent_against_itself_wins_exactly_nothing_in_duplicate(game: Game) -> None:
    result = play_match(game, [RandomAgent() for _ in range(game.num_seats)], 40 * game.num_seats, 5, duplicate=True)
    assert np.any(result.payoffs)
    assert not np.any(result.deal_means)
    for agent in result.agents:
        assert (agent.mean, agent.ci95) == (0.0, (0.0, 0.0))


def test_duplicate_hands_are_rounded_up_to_whole_deals() -> None:
    result = play_match(limit_holdem(3), [RandomAgent(), always_call(), always_raise()], 10, 0, duplicate=True)
    assert (result.hands, result.deals) == (12, 4)


# --- the same seed, the same result -----------------------------------------------------------------------------------


@pytest.mark.parametrize("duplicate", [False, True])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}-{game.num_seats}")
def test_hands_are_zero_sum_and_the_number_of_tables_changes_nothing(game: Game, duplicate: bool) -> None:
    hands = 20 * game.num_seats
    at_once = play_match(game, agents_for(game), hands, 11, duplicate, num_tables=4096)
    assert np.any(at_once.payoffs) and not np.any(at_once.payoffs.sum(axis=1))
    for num_tables in (1, 17):
        one_by_one = play_match(game, agents_for(game), hands, 11, duplicate, num_tables)
        assert one_by_one.payoffs.tobytes() == at_once.payoffs.tobytes()
    assert play_match(game, agents_for(game), hands, 12, duplicate).payoffs.tobytes() != at_once.payoffs.tobytes()


def test_the_first_hands_do_not_depend_on_how_many_follow() -> None:
    agents = [RandomAgent(), always_raise()]
    short, long = (play_match(limit_holdem(), agents, hands, 4) for hands in (50, 300))
    assert np.array_equal(short.payoffs, long.payoffs[:50])


def test_one_object_in_two_seats_plays_as_two_would() -> None:
    agent = RandomAgent()
    one = play_match(limit_holdem(), [agent, agent], 200, 9)
    two = play_match(limit_holdem(), [RandomAgent(), RandomAgent()], 200, 9)
    assert one.payoffs.tobytes() == two.payoffs.tobytes()


@pytest.mark.parametrize("seed", [0, -1, 2**64 - 1, 2**70])
def test_every_integer_is_a_seed(seed: int) -> None:
    agents = [RandomAgent(), always_call()]
    first, again = (play_match(limit_holdem(), agents, 20, seed) for _ in range(2))
    assert first.payoffs.tobytes() == again.payoffs.tobytes()


def test_uniforms_are_uniform_and_never_repeat() -> None:
    seen: list[float] = []

    class Collecting(RandomAgent):
        def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
            seen.extend(decisions.random_numbers.tolist())
            return super().act(decisions, rng)

    play_match(limit_holdem(), [Collecting(), Collecting()], 20_000, 1)
    count = len(seen)
    assert count > 50_000
    assert len(set(seen)) == count
    assert min(seen) >= 0.0 and max(seen) < 1.0
    observed, _ = np.histogram(seen, bins=20, range=(0.0, 1.0))
    expected = count / 20
    assert ((observed - expected) ** 2 / expected).sum() < 43.8, "chi-square with 19 degrees of freedom, p = 0.001"


# --- known values -----------------------------------------------------------------------------------------------------


def test_always_fold_loses_750_mbb_a_hand_to_always_raise() -> None:
    agents = [always_fold(), always_raise()]
    duplicate = play_match(limit_holdem(), agents, 400, 0, duplicate=True)
    expected = -(SMALL_BLIND_BB + BIG_BLIND_BB) / 2
    assert duplicate.agents[0].mean == expected
    assert duplicate.agents[0].ci95 == (expected, expected), "each deal is played once from each blind"
    plain = play_match(limit_holdem(), agents, 4000, 0).agents[0]
    assert set(np.unique(play_match(limit_holdem(), agents, 400, 0).payoffs[:, 0])) == {-1, -2}
    assert abs(plain.mean - expected) < 5 * plain.standard_error


def test_who_raises_does_not_matter_when_nobody_folds() -> None:
    """Every deal goes to showdown for the same pot, whoever sits where."""
    result = play_match(limit_holdem(), [always_call(), always_raise()], 400, 0, duplicate=True)
    assert np.any(result.payoffs)
    assert not np.any(result.deal_means)


def test_random_players_of_kuhn_poker() -> None:
    """Uniform play: seat 0 wins 1/8 chip a hand on average, which rotation takes out.

    Seat 0 folds after check, bet in 1/2 * 1/2 * 1/2 = 1/8 of hands (-1), seat 1 after a bet in 1/2 * 1/2 = 1/4 (+1);
    showdowns are even.
    """
    result = play_match(kuhn_poker(), [RandomAgent(), RandomAgent()], 40_000, 0)
    by_seat = result.payoffs[:, 0] * np.where(np.arange(result.hands) % 2, -1, 1)
    error = by_seat.std() / np.sqrt(result.hands)
    assert abs(by_seat.mean() - (1 / 4 - 1 / 8)) < 4 * error
    assert abs(result.agents[0].mean) < 4 * result.agents[0].standard_error


# --- what agents are told ---------------------------------------------------------------------------------------------


def test_hooks_hear_of_every_deal_once() -> None:
    watching = Watching("watching")
    result = play_match(no_limit_holdem(), [watching, always_call()], 50, 6, num_tables=8)
    assert watching.started == list(range(50))
    own = [watching.ended[hand][hand % 2] for hand in range(50)]
    assert np.array_equal(own, result.payoffs[:, 0] / result.chips_per_reward)


def test_an_agent_gets_the_encoder_that_it_asks_for() -> None:
    sizes: dict[str, set[int]] = {"clean": set(), "charlesworth412": set()}

    class Encoded(RandomAgent):
        def __init__(self, encoder: str) -> None:
            self.encoder = encoder

        def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
            assert decisions.encoder.name == self.encoder
            sizes[self.encoder].add(decisions.observation.shape[1])
            return super().act(decisions, rng)

    play_match(big2(), [Encoded("clean"), Encoded("charlesworth412"), RandomAgent(), RandomAgent()], 4, 0)
    assert sizes == {name: {big2(encoder=name).layout.size} for name in sizes}


def test_progress_counts_all_hands() -> None:
    steps: list[int] = []
    play_match(limit_holdem(), [RandomAgent(), RandomAgent()], 1000, 0, num_tables=300, progress=steps.append)
    assert steps == [300, 300, 300, 100]


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "hands", "message"),
    [
        *((limit_holdem(), hands, r"hands .* must be a whole number, at least 1") for hands in (0, -5, 2.5, True)),
        *((limit_holdem(), hands, "payoffs .* of .* hands take .*: play fewer") for hands in (10**13, 2**70)),
        (limit_holdem(6), 10, "has 6 seats: 6 agents are needed, not 2"),
    ],
)
def test_no_hands_and_too_few_agents_are_errors(game: Game, hands: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play_match(game, [RandomAgent(), RandomAgent()], hands, 0)


@pytest.mark.parametrize(
    ("agents", "settings", "message"),
    [
        ("random", {}, "agents 'random' must be a list of agents, one for each seat"),
        (RandomAgent(), {}, "agents .* must be a list of agents"),
        ({"a": "random", "b": "random"}, {}, "agents .* must be a list of agents"),
        (["random", "random"], {"duplicate": "no"}, "duplicate 'no' must be True or False"),
        (["random", "random"], {"hands": np.timedelta64(4, "s")}, "hands .* must be a whole number"),
    ],
)
def test_arguments_of_other_types_are_refused(agents: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play_match("kuhn_poker-v0", agents, **{"hands": 4, "seed": 0, **settings})


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.uint64])
def test_numbers_of_numpy_are_those_of_python(kind: Any) -> None:
    result = play_match(leduc_holdem(), ["random", "random"], kind(100), kind(3), True, kind(7))
    expected = play_match(leduc_holdem(), ["random", "random"], 100, 3, True, 7)
    assert np.array_equal(result.payoffs, expected.payoffs)


def test_agents_may_refuse_a_game() -> None:
    class OnlyKuhn(RandomAgent):
        name = "only_kuhn"

        def can_play(self, game: Game) -> bool:
            return game.name == "kuhn_poker"

    assert play_match(kuhn_poker(), [OnlyKuhn(), RandomAgent()], 10, 0).hands == 10
    with pytest.raises(ValueError, match="'only_kuhn' cannot play leduc_holdem"):
        play_match(leduc_holdem(), [OnlyKuhn(), RandomAgent()], 10, 0)


class Broken:
    name = "broken"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        return self.answer(decisions)


def play_broken(answer: Any) -> MatchResult:
    return play_match(limit_holdem(), [always_call(), Broken(answer)], 8, seed=77, duplicate=True)


class SeesEnds(RandomAgent):
    """Keeps, for every deal that it saw end, its seat and the view."""

    def __init__(self) -> None:
        self.ends: list[tuple[int, Any]] = []

    def sees_end(self, ends: Decisions) -> None:
        self.ends += zip(ends.seats.tolist(), ends.views.copy(), strict=True)


def test_agents_see_the_cards_of_showdowns_and_no_others() -> None:
    agent = SeesEnds()
    play_match(limit_holdem(), [agent, always_call()], 300, seed=3)
    assert len(agent.ends) == 300
    for seat, view in agent.ends:
        assert view["is_over"] == 1
        assert NO_CARD not in view["deck"][2 * seat : 2 * seat + 2]
        is_showdown = int(view["in_hand"]) == 0b11
        assert (NO_CARD in view["deck"][2 * (1 - seat) : 2 * (1 - seat) + 2]) == (not is_showdown)
    assert len({int(view["in_hand"]) for _, view in agent.ends}) > 1


class SeesActions(RandomAgent):
    """Writes down the betting of every deal, as it saw it from its seat."""

    def __init__(self) -> None:
        self.seen: dict[int, list[tuple[int, int]]] = {}
        self.ends: dict[int, int] = {}

    def observe_actions(self, decisions: Decisions, actions: Any) -> None:
        for j, (table, seat, action) in enumerate(zip(decisions.table_ids, decisions.seats, actions, strict=True)):
            view = decisions.views[j]
            assert NO_CARD not in view["deck"][2 * seat : 2 * seat + 2]
            assert (view["deck"][2 * (1 - seat) : 2 * (1 - seat) + 2] == NO_CARD).all()
            self.seen.setdefault(int(table), []).append((int(view["actor"]), int(action)))

    def sees_end(self, ends: Decisions) -> None:
        self.ends.update(zip(ends.table_ids.tolist(), ends.views["num_decisions"].tolist(), strict=True))


def test_agents_see_every_action_of_their_deals_and_no_hidden_card() -> None:
    agent = SeesActions()
    play_match(limit_holdem(), [agent, always_call()], 200, seed=3, num_tables=64)
    assert agent.needs_actions and not RandomAgent().needs_actions
    assert {table: len(actions) for table, actions in agent.seen.items()} == agent.ends
    assert {seat for actions in agent.seen.values() for seat, _ in actions} == {0, 1}


def test_an_illegal_action_names_agent_deal_seed_seat_and_what_is_legal() -> None:
    with pytest.raises(AgentError) as caught:
        play_broken(lambda decisions: np.full(len(decisions), 3))
    message = str(caught.value)
    for part in ("'broken'", "hand ", "deal ", "seed 77", "seat ", "action 3", "outside 0..2", "legal: ", "(1)"):
        assert part in message


@pytest.mark.parametrize(
    ("answer", "came"),
    [
        (lambda decisions: np.ones(len(decisions) + 1, int), "shape"),
        (lambda decisions: np.ones((len(decisions), 1), int), "shape"),
        (lambda decisions: np.ones(len(decisions)), "dtype float64"),
        (lambda decisions: np.full(len(decisions), np.nan), "dtype float64"),
        (lambda decisions: decisions.seats == 0, "dtype bool"),
        (lambda decisions: None, "dtype object"),
    ],
)
def test_wrong_answers_are_named(answer: Any, came: str) -> None:
    with pytest.raises(AgentError, match=r"'broken'.*deal \d.*seed 77.*seat \d.*legal actions \[.*returned") as caught:
        play_broken(answer)
    assert came in str(caught.value)


def test_an_agent_that_raises_is_named_with_the_line() -> None:
    def fail(decisions: Decisions) -> Any:
        raise KeyError("no such hand")

    with pytest.raises(AgentError, match=r"'broken'.*raised KeyError at test_match.py:\d+: 'no such hand'") as caught:
        play_broken(fail)
    assert isinstance(caught.value.__cause__, KeyError)


def test_lists_of_integers_are_actions_too() -> None:
    assert play_broken(lambda decisions: [CALL] * len(decisions)).hands == 8


# --- results ----------------------------------------------------------------------------------------------------------


def test_the_result_as_json() -> None:
    report = play_match(limit_holdem(), [always_fold(), always_raise()], 100, 0, duplicate=True).as_json(
        "limit_holdem-v0", {"rules": "standard"}
    )
    fold, bet = report.pop("agents")
    assert report == {
        "env": "limit_holdem-v0",
        "settings": {"rules": "standard"},
        "hands": 100,
        "deals": 50,
        "seed": 0,
        "duplicate": True,
        "hands_per_table": 1,
        "unit": "bb",
    }
    assert (fold["name"], fold["mean"], fold["ci95"]) == ("always_fold", -0.75, [-0.75, -0.75])
    assert (bet["name"], bet["mean"], bet["ci95"]) == ("always_raise", 0.75, [0.75, 0.75])
    assert fold["units"]["mbb/hand"] == {"mean": -750.0, "ci95": [-750.0, -750.0]}
    assert fold["by_position"] == [
        {"name": "BB", "mean": -1.0, "ci95": [-1.0, -1.0]},
        {"name": "BTN", "mean": -0.5, "ci95": [-0.5, -0.5]},
    ]
    assert (fold["pays"], bet["pays"]) == ([0.0, 0.75], [-0.75, 0.0])
    assert fold["sd_of_sample"] == 0.0
    assert fold["sd_of_hand"] == pytest.approx(0.25, rel=0.01)
    json.dumps(fold, allow_nan=False)


def test_an_interval_of_one_deal_has_no_bounds_in_json() -> None:
    result = play_match(kuhn_poker(), [RandomAgent(), RandomAgent()], 1, 0)
    assert result.as_json("kuhn_poker-v0", {})["agents"][0]["ci95"] == [None, None]


def test_units() -> None:
    units = play_match(limit_holdem(small_blind=5, big_blind=10), [always_call(), always_fold()], 2, 0).units
    assert units == {"bb/100": 100.0, "mbb/hand": 1000.0, "sb/hand": 2.0}
    assert play_match(kuhn_poker(), [RandomAgent(), RandomAgent()], 2, 0).units == {"chips/hand": 1.0}
    assert play_match(big2(), [RandomAgent()] * 4, 4, 0).units == {"points/hand": 1.0}


def test_duplicate_intervals_are_clustered_by_deal() -> None:
    result = play_match(limit_holdem(), [RandomAgent(), always_call()], 600, 1, duplicate=True)
    by_deal = result.payoffs[:, 0].reshape(300, 2).mean(axis=1) / 2
    assert result.agents[0].num_samples == 300
    assert result.agents[0].mean == pytest.approx(by_deal.mean())
    assert result.agents[0].standard_error == pytest.approx(by_deal.std(ddof=1) / np.sqrt(300))
