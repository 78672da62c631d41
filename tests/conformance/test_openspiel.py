"""OpenSpiel: its own simulation tests, perfect recall, hidden cards, copies, parameters, and equality with our AEC."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel")

import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import (
    cfr,
    expected_game_score,
    exploitability,
    generate_playthrough,
    ismcts,
    mcts,
)
from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver
from open_spiel.python.observation import make_observation
from open_spiel.python.policy import UniformRandomPolicy

import card_wrappers.openspiel as adapter
from card_envs.envs import ENVS, make_raw_env
from card_envs.game import IllegalActionError
from card_envs.games.big2.actions import PASS, action_of
from card_envs.games.big2.combos import CARD_OF_ORDER, order_of
from card_wrappers.openspiel.parameters import settings, specification
from tests.helpers.processes import run_python

RECALL = pyspiel.IIGObservationType(perfect_recall=True)
PUBLIC = pyspiel.IIGObservationType(perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE)
PRIVATE = pyspiel.IIGObservationType(perfect_recall=False, public_info=False)

GAMES = [
    "card_envs_kuhn_poker",
    "card_envs_kuhn_poker(players=4)",
    "card_envs_leduc_holdem",
    "card_envs_leduc_holdem(players=3)",
    "card_envs_limit_holdem",
    "card_envs_limit_holdem(players=6,max_raises=none,stacks=40)",
    "card_envs_limit_holdem(rules=rlcard,encoder=rlcard)",
    "card_envs_flop_holdem",
    "card_envs_flop_holdem(players=3,bet_sizes=1 2,max_raises=3 4)",
    "card_envs_no_limit_holdem",
    "card_envs_no_limit_holdem(players=3,stacks_by_seat=1 9 30,bet_menu=integers,rules=acpc)",
    "card_envs_no_limit_holdem(players=6,encoder=kaminsky404,bet_menu=pot:0.5 1 all_in)",
    "card_envs_no_limit_holdem(stacks=4,structure=pot_limit)",
    "card_envs_big2",
    "card_envs_big2(rules=charlesworth2018_text,encoder=clean,forced_passes=skipped)",
]
FEW = ["card_envs_leduc_holdem", "card_envs_no_limit_holdem"]
"""Where the others would only take longer."""
every_game = pytest.mark.parametrize("name", GAMES)


def choose(rng: random.Random, state: Any) -> int:
    if state.is_chance_node():
        return int(rng.choice(state.chance_outcomes())[0])
    return int(rng.choice(state.legal_actions()))


def random_states(game: Any, deals: int, seed: int = 0) -> Iterator[Any]:
    """Play deals at random and yield every state on the way, the same object each time."""
    rng = random.Random(seed)
    for _ in range(deals):
        state = game.new_initial_state()
        yield state
        while not state.is_terminal():
            state.apply_action(choose(rng, state))
            yield state


@pytest.mark.parametrize("env_id", ENVS)
def test_every_environment_is_a_registered_game(env_id: str) -> None:
    name = adapter.short_name(env_id)
    assert name in pyspiel.registered_names() and pyspiel.load_game(name).game.name == env_id.rpartition("-v")[0]


@every_game
def test_random_simulation(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=1, serialize=True, verbose=False)


@every_game
def test_copies_and_pickles_of_games_and_states(name: str) -> None:
    """What `games_sim_test` of OpenSpiel checks, whose import would load all of its games."""
    game = pyspiel.load_game(name)
    assert str(pickle.loads(pickle.dumps(game))) == str(game)
    assert pickle.loads(pickle.dumps(game.get_type())) == game.get_type()
    rng = random.Random(1)
    for number, state in enumerate(random_states(game, 1)):
        if number & (number - 1) == 0:
            game_again, state_again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
            pickled = pickle.loads(pickle.dumps(state))
            assert str(game_again) == str(game) and str(state_again) == str(pickled) == str(state)
            assert state_again.history() == pickled.history() == state.history()
        before, clone = str(state), state.clone()
        if not state.is_terminal():
            clone.apply_action(choose(rng, clone))
            assert str(clone) != before
        assert str(state) == before
    assert all(game.min_utility() <= value <= game.max_utility() for value in state.returns())
    assert state.legal_actions() == [] and sum(state.returns()) == pytest.approx(0)


@pytest.mark.slow
@every_game
def test_the_simulation_test_of_openspiel(name: str) -> None:
    from open_spiel.python.tests.games_sim_test import GamesSimTest

    for _ in range(5):
        GamesSimTest().sim_game(pyspiel.load_game(name))


@every_game
def test_playthroughs_are_generated(name: str) -> None:
    text = generate_playthrough.playthrough(name, None, seed=3)
    assert f'ToString() = "{pyspiel.load_game(name)}"' in text and text.count("# Apply action") >= 4
    assert name not in FEW or generate_playthrough.playthrough(name, None, seed=3) == text


def test_the_longest_limit_hand_has_the_announced_length() -> None:
    game = pyspiel.load_game("card_envs_limit_holdem")
    state = game.new_initial_state()
    first_to_act = None
    while not state.is_terminal():
        if state.is_chance_node():
            first_to_act = None
            state.apply_action(state.chance_outcomes()[0][0])
            continue
        first_to_act = state.current_player() if first_to_act is None else first_to_act
        bet = state.episode.tables["street_commit"][0, :2].max() > (2 if state.episode.tables["street"][0] == 0 else 0)
        state.apply_action(2 if 2 in state.legal_actions() and (bet or state.current_player() != first_to_act) else 1)
    assert len(state.episode.decisions) == game.max_game_length()


# --- what a player knows ---


@pytest.mark.parametrize(("name", "count"), [("card_envs_kuhn_poker", 12), ("card_envs_leduc_holdem", 936)])
def test_information_states_of_small_games(name: str, count: int) -> None:
    """Strings and tensors tell the same states apart, and each remembers what its player saw and did before."""
    game = pyspiel.load_game(name)
    tensors: dict[str, bytes] = {}
    memories: dict[str, list[tuple[str, int]]] = {}

    def visit(state: Any, memory: dict[int, list[tuple[str, int]]]) -> None:
        if state.is_terminal():
            return
        player = state.current_player()
        if player >= 0:
            text = state.information_state_string()
            tensor = np.array(state.information_state_tensor(), np.float32).tobytes()
            assert tensors.setdefault(text, tensor) == tensor
            assert memories.setdefault(text, memory[player]) == memory[player]
        for action in state.legal_actions():
            after = {**memory, player: [*memory[player], (text, action)]} if player >= 0 else memory
            visit(state.child(action), after)

    visit(game.new_initial_state(), {0: [], 1: []})
    assert len(tensors) == len(set(tensors.values())) == count


@every_game
def test_strings_and_tensors_of_information_states_tell_the_same_apart(name: str) -> None:
    """Also that no deal is longer than announced."""
    game = pyspiel.load_game(name)
    by_text: dict[str, bytes] = {}
    by_tensor: dict[bytes, str] = {}
    for state in random_states(game, 2 if game.game.name == "big2" else 20):
        assert len(state.episode.decisions) <= game.max_game_length()
        assert len(state.episode.cards) <= game.max_chance_nodes_in_history()
        if not state.is_terminal() and not state.is_chance_node():
            for player in range(game.num_players()):
                text = state.information_state_string(player)
                tensor = np.array(state.information_state_tensor(player), np.float32).tobytes()
                assert by_text.setdefault(text, tensor) == tensor and by_tensor.setdefault(tensor, text) == text


def rank_keys(state: Any, observers: list[Any], player: int) -> list[Any]:
    seen = [state.information_state_string(player), state.observation_string(player)]
    for observer in observers:
        observer.set_from(state, player)
        seen += [observer.tensor.tobytes(), observer.string_from(state, player)]
    return seen


def other_cards(rng: random.Random, game: Any, state: Any, me: int) -> Any:
    """Return a state that looks the same to `me`: unseen cards are others, everybody has done the same."""
    if game.game.name == "big2":
        return other_hands(rng, game, state, me)
    dealing, cards = game.chance, list(state.episode.cards)
    count = dealing.num_private_cards
    board = cards[count * game.num_players() :]
    mine = cards[me * count : (me + 1) * count]
    unseen = [card for card in dealing.deck if card not in mine + board]
    rng.shuffle(unseen)
    fresh = iter(unseen)
    hole = [next(fresh) for _ in range(count * game.num_players())]
    hole[me * count : (me + 1) * count] = mine
    return replayed(game, [*hole, *board], [action for action in state.full_history() if action.player >= 0])


def replayed(game: Any, cards: list[int], actions: list[Any]) -> Any:
    twin, left, moves = game.new_initial_state(), iter(cards), iter(actions)
    while True:
        source = left if twin.is_chance_node() else moves
        step = next(source, None)
        if step is None:
            return twin
        twin.apply_action(game.chance.deck.index(step) if twin.is_chance_node() else step.action)


def other_hands(rng: random.Random, game: Any, state: Any, me: int) -> Any:
    """Big 2: unplayed cards of the others change places, and the same cards are played from the new hands."""
    t = state.episode.tables[0]
    held = [[k for k in range(52) if int(t.held[seat]) >> k & 1] for seat in range(4)]
    played = [[k for k in range(52) if int(t.played[seat]) >> k & 1] for seat in range(4)]
    loose = [order for seat in range(4) if seat != me for order in held[seat]]
    rng.shuffle(loose)
    hands = [
        sorted(played[seat] + (held[seat] if seat == me else [loose.pop() for _ in held[seat]])) for seat in range(4)
    ]
    twin = game.new_initial_state()
    for hand in hands:
        for order in hand:
            twin.apply_action(int(CARD_OF_ORDER[order]))
    for play in state.episode.decisions:
        seat, hand = play.seat, [int(order) for order in twin.episode.tables[0].hand[play.seat]]
        assert twin.current_player() == seat
        twin.apply_action(action_of(map(hand.index, play.orders)) if play.orders else PASS)
    return twin


UNDER_OTHER_CARDS = [name for name in GAMES if "skipped" not in name]  # skipped passes tell about hands, by the rules


@pytest.mark.parametrize("name", UNDER_OTHER_CARDS)
def test_nothing_tells_of_cards_that_a_player_cannot_see(name: str) -> None:
    game, rng = pyspiel.load_game(name), random.Random(5)
    observers = [make_observation(game, kind) for kind in (None, RECALL, PUBLIC, PRIVATE)]
    compared = 0
    for state in random_states(game, 2 if game.game.name == "big2" else 6, seed=4):
        if state.is_chance_node() or state.is_terminal() or rng.random() < 0.5:
            continue
        me = rng.randrange(game.num_players())
        twin = other_cards(rng, game, state, me)
        assert rank_keys(state, observers, me) == rank_keys(twin, observers, me)
        assert not twin.is_chance_node() and twin.current_player() == state.current_player()
        compared += 1
    assert compared > 0


@pytest.mark.parametrize("name", UNDER_OTHER_CARDS)
def test_public_observers_tell_nobodys_cards(name: str) -> None:
    game, rng = pyspiel.load_game(name), random.Random(6)
    observer = make_observation(game, PUBLIC)
    for state in random_states(game, 4, seed=7):
        if not state.is_chance_node() and not state.is_terminal():
            for me in range(game.num_players()):
                seen = []
                for other in range(game.num_players()):
                    twin = other_cards(rng, game, state, other)  # the cards of `me` change, too, unless it is `other`
                    observer.set_from(twin, me)
                    seen.append((observer.tensor.tobytes(), observer.string_from(twin, me)))
                assert len(set(seen)) == 1
            break


def test_pieces_are_named_after_the_blocks_of_the_encoder() -> None:
    game = pyspiel.load_game("card_envs_limit_holdem")
    blocks = list(game.game.layout.slices)
    private = {"hole_cards", "category", "strength"}
    assert list(make_observation(game).dict) == ["player", *blocks]
    assert list(make_observation(game, RECALL).dict) == ["player", *blocks, "board_by_street", "history"]
    assert set(make_observation(game, PUBLIC).dict).isdisjoint(private)
    assert set(make_observation(game, PRIVATE).dict) == {"player", *private}
    assert make_observation(game).dict["hole_cards"].shape == (52,)


def test_the_board_is_remembered_street_by_street() -> None:
    """The union of the board does not tell which card was the turn."""
    game = pyspiel.load_game("card_envs_limit_holdem")
    hole, seen = [0, 1, 2, 3], []
    for flop, turn in (([20, 21, 22], 23), ([22, 20, 21], 23), ([20, 21, 23], 22)):
        state = game.new_initial_state()
        for action in (*hole, 1, 1, *flop, 1, 1, turn):
            state.apply_action(action)
        seen.append((state.information_state_string(0), tuple(state.information_state_tensor(0))))
    assert seen[0] == seen[1]  # the order within the flop is nobody's business
    assert seen[0][0] != seen[2][0] and seen[0][1] != seen[2][1]


def test_words_of_an_information_state() -> None:
    state = pyspiel.load_game("card_envs_limit_holdem").new_initial_state()
    for action in (51, 47, 0, 4, 2, 1, 8, 12, 16):
        state.apply_action(action)
    assert state.information_state_string(0) == "p0 As Ks  board 4c 5c 6c  betting r4 c"
    assert state.action_to_string(0, 2) == "bet 2" and state.action_to_string(1, 2) == "action 2"
    state = pyspiel.load_game("card_envs_big2").new_initial_state()
    for card in sorted(range(52), key=order_of):
        state.apply_action(card)
    assert state.information_state_string(1) == "p1 6C 6H 6S 7D 7C 7H 7S 8D 8C 8H 8S 9D 9C  p0 3D"


def test_what_observers_refuse() -> None:
    game = pyspiel.load_game("card_envs_kuhn_poker")
    everything = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(ValueError, match="private_info ALL_PLAYERS is not offered"):
        game.make_py_observer(everything)
    with pytest.raises(ValueError, match=r"\['size'\] are not known"):
        game.make_py_observer(None, {"size": 3})


# --- the same game as our AEC ---


@every_game
def test_deals_are_those_of_the_aec_environment(name: str) -> None:
    game = pyspiel.load_game(name)
    env_id = next(env_id for env_id in ENVS if adapter.short_name(env_id) == game.get_type().short_name)
    env = make_raw_env(env_id, **settings(ENVS[env_id].factory, game.get_parameters()))
    observer, rng, ends = make_observation(game), random.Random(8), 0
    for _ in range(10):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(choose(rng, state))
        cards, actions = list(state.episode.cards), [move.action for move in state.full_history() if move.player >= 0]
        hands = {"hands": [cards[13 * seat : 13 * seat + 13] for seat in range(4)]}
        env.reset(seed=0, options=hands if env_id == "big2-v0" else {"deck": cards, "button": game.num_players() - 1})
        state = game.new_initial_state()
        deck = iter(cards)
        for action in actions:
            while state.is_chance_node():
                state.apply_action(game.chance.deck.index(next(deck)))
            seat = state.current_player()
            seen = env.last()[0]
            assert env.agent_selection == f"player_{seat}"
            assert state.legal_actions() == np.flatnonzero(seen["action_mask"]).tolist()
            assert state.legal_actions_mask(seat) == seen["action_mask"].tolist()
            observer.set_from(state, seat)
            assert np.array_equal(observer.tensor[game.num_players() :], seen["observation"])
            state.apply_action(action)
            env.step(action)
        for card in deck:
            assert state.is_chance_node()
            state.apply_action(game.chance.deck.index(card))
        assert state.is_terminal() and state.returns() == pytest.approx(list(env.rewards.values()))
        ends += 1
    assert ends == 10


# --- algorithms ---


@pytest.mark.parametrize(
    ("name", "uniform", "iterations", "bound", "value", "error"),
    [
        ("card_envs_kuhn_poker", 11 / 24, 100, 0.005, -1 / 18, 0.002),
        pytest.param("card_envs_leduc_holdem", 2.3736111, 150, 0.01, -0.0856, 0.001, marks=pytest.mark.slow),
    ],
)
def test_openspiel_measures_uniform_play_and_finds_the_value_by_cfr(
    name: str, uniform: float, iterations: int, bound: float, value: float, error: float
) -> None:
    game = pyspiel.load_game(name)
    assert pyspiel.exploitability(game, pyspiel.UniformRandomPolicy(game)) == pytest.approx(uniform, abs=1e-6)
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    assert pyspiel.exploitability(game, policy) < bound
    values = pyspiel.expected_returns(game.new_initial_state(), policy, -1, False)
    assert values == pytest.approx([value, -value], abs=error)


def test_python_cfr_and_mccfr_of_openspiel_run() -> None:
    game = pyspiel.load_game("card_envs_kuhn_poker")
    solver = cfr.CFRSolver(game)
    for _ in range(30):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    assert exploitability.exploitability(game, policy) < 0.06
    values = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
    assert values[0] == pytest.approx(-1 / 18, abs=0.03)
    sampler = ExternalSamplingSolver(game)
    for _ in range(20):
        sampler.iteration()
    assert exploitability.nash_conv(game, sampler.average_policy()) < exploitability.nash_conv(
        game, UniformRandomPolicy(game)
    )


def test_rl_environment_plays() -> None:
    env = rl_environment.Environment("card_envs_no_limit_holdem", players=3, bet_menu="fcpa")
    env.seed(1)
    step = env.reset()
    while not step.last():
        player = step.observations["current_player"]
        assert len(step.observations["info_state"][player]) == env.observation_spec()["info_state"][0]
        step = env.step([step.observations["legal_actions"][player][0]])
    assert sum(step.rewards) == pytest.approx(0)


# --- bad input ---


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        (
            "card_envs_limit_holdem(seats=3)",
            "SpielError",
            "Unknown parameter 'seats'. Available parameters are: ante, ",
        ),
        ("card_envs_limit_holdem(players=11)", "ValueError", r"num_players 11 must be a whole number in 2 \.\. 10"),
        ("card_envs_limit_holdem(players=two)", "SpielError", "Wrong type for parameter players"),
        ("card_envs_limit_holdem(max_raises=3 4 x 4)", "ValueError", "max_raises '3 4 x 4' must be whole numbers"),
        ("card_envs_limit_holdem(rules=vegas)", "ValueError", r"rules 'vegas' are not known: choose one of \["),
        ("card_envs_no_limit_holdem(encoder=x)", "UnknownNameError", "encoder 'x' is not known: choose one of"),
        ("card_envs_no_limit_holdem(bet_menu=big)", "ValueError", "bet_menu 'big' is not known: write letters"),
        ("card_envs_no_limit_holdem(stacks_by_seat=5 5 5)", "ValueError", "are 3 numbers for 2 players"),
        ("card_envs_kuhn_poker(players=12)", "ValueError", "Kuhn poker is for 2 .. 10 players"),
        ("card_envs_big2(all_triples=maybe)", "ValueError", r"all_triples 'maybe' is not known: choose one of \['yes'"),
        ("card_envs_big2(double_from=40)", "ValueError", r"double_from 40 must be a number of cards in 1 \.\. 13"),
    ],
)
def test_bad_parameters_say_what_is_allowed(name: str, error: str, message: str) -> None:
    with pytest.raises((ValueError, pyspiel.SpielError), match=message) as caught:
        pyspiel.load_game(name)
    assert type(caught.value).__name__ == error


def test_parameters_cover_all_arguments_and_mean_the_same() -> None:
    for entry in ENVS.values():
        defaults = specification(entry.factory)
        assert entry.factory(**settings(entry.factory, defaults)).config == entry.factory().config
    game = pyspiel.load_game("card_envs_no_limit_holdem", {"bet_menu": "pot:0.5,1", "stacks_by_seat": "50 60"})
    assert game.game.config.stacks == (50, 60) and game.game.num_actions == 4
    assert str(pyspiel.load_game(str(game))) == str(game)
    game = pyspiel.load_game("card_envs_big2(rules=charlesworth2018_text,opening_decision=no,double_from=10)")
    config = game.game.config
    assert (config.opening_decision, config.all_triples, config.double_from) == (False, True, 10)


def test_illegal_actions_raise_and_change_nothing() -> None:
    state = pyspiel.load_game("card_envs_limit_holdem").new_initial_state()
    for action in (51, 47, 0, 4, 1):
        state.apply_action(action)
    before, history = str(state), state.history()
    with pytest.raises(IllegalActionError, match=r"fold: there is nothing to call; legal: check \(1\)"):
        state.apply_action(0)
    assert (str(state), state.history()) == (before, history)
    state.apply_action(1)
    with pytest.raises(IllegalActionError, match="card 51 is no longer in the deck"):
        state.apply_action(51)
    with pytest.raises(ValueError, match=r"chance outcome 52 is outside 0\.\.51"):
        state.apply_action(52)
    assert state.is_chance_node() and len(state.chance_outcomes()) == 48


def test_the_process_ends_cleanly() -> None:
    script = "import pyspiel, card_wrappers.openspiel; g = pyspiel.load_game('card_envs_kuhn_poker')"
    result = run_python("-c", script)
    assert (result.returncode, result.stderr) == (0, "")


# --- imagined deals: what ISMCTS searches ---


@pytest.mark.parametrize(
    ("name", "deals"),
    [
        ("card_envs_kuhn_poker", 20),
        ("card_envs_limit_holdem(players=3)", 8),
        ("card_envs_big2", 1),
        ("card_envs_big2(forced_passes=skipped,opening_decision=yes)", 1),
    ],
)
def test_an_imagined_deal_looks_the_same_to_who_imagines_it(name: str, deals: int) -> None:
    game, rng = pyspiel.load_game(name), np.random.default_rng(3)
    sampler, others = pyspiel.UniformProbabilitySampler(0.0, 1.0), 0
    for _ in range(deals):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(int(rng.choice([outcome for outcome, _ in state.chance_outcomes()])))
                continue
            seat = state.current_player()
            imagined = state.resample_from_infostate(seat, sampler)
            assert imagined.information_state_string(seat) == state.information_state_string(seat)
            assert np.array_equal(imagined.information_state_tensor(seat), state.information_state_tensor(seat))
            assert imagined.legal_actions() == state.legal_actions()
            others += str(imagined) != str(state)
            state.apply_action(int(rng.choice(state.legal_actions())))
    assert others > 0


def test_imagined_deals_are_equally_likely() -> None:
    game = pyspiel.load_game("card_envs_leduc_holdem")
    state = game.new_initial_state()
    for card in (0, 2):
        state.apply_action(card)
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    seen = Counter(str(state.resample_from_infostate(0, sampler)) for _ in range(2000))
    assert len(seen) == 5  # what the other seat may hold
    assert all(abs(count - 400) < 5 * 18 for count in seen.values())  # five standard deviations


def test_ismcts_plays() -> None:
    game = pyspiel.load_game("card_envs_leduc_holdem")
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(0))
    bot = ismcts.ISMCTSBot(game, evaluator, 4.0, 30, random_state=np.random.RandomState(0))
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.chance_outcomes()[0][0] if state.is_chance_node() else int(bot.step(state)))
    assert sum(state.returns()) == 0
