"""Logs that OpenSpiel's repeated_poker writes in the ACPC format, read and replayed by us."""

from __future__ import annotations

import random

import pytest

from card_envs.history import parse_log, replay_hand
from card_envs.history.results import MATCHED

pyspiel = pytest.importorskip("pyspiel")

GAMES = {
    2: {"blind": "100 50", "firstPlayer": "2 1 1 1", "stack": "2000 2000"},
    3: {"blind": "50 100 0", "firstPlayer": "3 1 1 1", "stack": "1000 1000 1000"},
    6: {"blind": "50 100 0 0 0 0", "firstPlayer": "3 1 1 1", "stack": "500 500 500 500 500 500"},
}
CARDS = {"numRounds": "4", "numSuits": "4", "numRanks": "13", "numHoleCards": "2", "numBoardCards": "0 3 1 1"}


def log_of_openspiel(num_players: int, hands: int, seed: int) -> str:
    fields = {"numPlayers": str(num_players), **GAMES[num_players], **CARDS}
    game = ",".join(f"{name}={value}" for name, value in fields.items())
    poker = f"universal_poker(betting=nolimit,bettingAbstraction=fullgame,{game})"
    settings = f"max_num_hands={hands},reset_stacks=True,rotate_dealer=False,universal_poker_game_string={poker}"
    state, rng = pyspiel.load_game(f"repeated_poker({settings})").new_initial_state(), random.Random(seed)
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(rng.choice(state.legal_actions()))
        else:
            legal = state.legal_actions()
            state.apply_action(1 if rng.random() < 0.6 and 1 in legal else rng.choice([*legal[:40], legal[-1]]))
    definition = ["GAMEDEF", "nolimit", *(f"{name} = {value}" for name, value in fields.items()), "END GAMEDEF"]
    return "\n".join([*(f"# {line}" for line in definition), *state.acpc_hand_histories(), ""])


@pytest.mark.parametrize("num_players", GAMES)
def test_logs_of_openspiel_are_replayed(num_players: int) -> None:
    log = parse_log(log_of_openspiel(num_players, hands=200, seed=1))
    results = [replay_hand(hand) for hand in log.hands]
    for hand, result in zip(log.hands, results, strict=True):
        # it cuts fractions of a chip off, so that the values of a split pot may not add up to nothing
        assert result.status == MATCHED or sum(hand.values) < 0, (hand, result.reason)
    assert sum(result.status == MATCHED for result in results) >= 190
