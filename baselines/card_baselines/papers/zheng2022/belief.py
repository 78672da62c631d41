"""Self-play PPO with and without the values of a cheating sheet in its observations.

The encoder `ENCODER` is `default` with one more block: the four values of the hand in our cheating sheet, means over
all completions of the board. The two runs have the same seed, number of decisions and network.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.zheng2022.card_types import PUBLISHED, TYPE_OF_RANK, hole_type, rank_keys
from card_baselines.papers.zheng2022.duel import make_paper_game
from card_baselines.papers.zheng2022.sheet import SHEET_FILE, load_sheet
from card_baselines.papers.zheng2022.situation import COLUMNS, NUM_COLUMNS
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.ppo.config import Config
from card_baselines.runs.run import train
from card_envs.agent import find_agent
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import write_mask
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders.default import DEFAULT, write_blocks
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.games.holdem.state import MAX_BOARD
from card_envs.match import play_match
from card_envs.observation import Block, Encoder, Layout, observe_kernels
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of

CELLS: NDArray[np.float64] = load_sheet(SHEET_FILE).values
"""(45, 4): values of our sheet in big blinds."""
WITH, WITHOUT = f"{__name__}:ENCODER", "default"
"""Names of the encoders. The first one is its location, so that runs and agents find it."""
FOLDERS = {"default_sheet": WITH, "default": WITHOUT}
"""Name of a folder -> encoder of its runs."""
_COMPLETIONS = (0, 46, 1081)
"""Number of completions of a board that lacks one or two cards, at index 1 and 2."""
_MAX_VALUE = 4.0
"""Bound of the values in the observation space, in big blinds."""
RULES = ("num_players=2", "rules=rlcard")
SETTINGS: dict[str, Any] = {
    "panel": (), "minutes": 0, "num_tables": 256, "final_hands": 100, "evaluation_seconds": 1e9,
}  # fmt: skip
"""Settings of short runs of self-play PPO; others are the defaults."""


def layout(config: HoldemConfig) -> Layout:
    """Return the blocks of `default`, and the sheet's values."""
    about = f"big blinds that {', '.join(COLUMNS)} are worth"
    sheet = Block("sheet", NUM_COLUMNS, about, -_MAX_VALUE, _MAX_VALUE)
    return Layout((*DEFAULT.layout(config).blocks, sheet))


@kernel
def _write(t: Any, seat: Any, o: Any) -> None:
    write_blocks(t, seat, o)
    write_values(t, seat, o)


@kernel
def write_values(t: Any, seat: Any, o: Any) -> None:
    """Add the sheet's values to the last four numbers, which are zero."""
    missing = MAX_BOARD - num_board_cards(t)
    if missing == MAX_BOARD:
        hole = seat * t.num_hole_cards
        _add(o, hole_type(t.deck[hole], t.deck[hole + 1], PUBLISHED), 1.0)
        return
    key, bits, cards = rank_keys(t, seat)
    if missing == 0:
        _add(o, TYPE_OF_RANK[PUBLISHED, rank_of(key, bits)], 1.0)
        return
    share = 1.0 / _COMPLETIONS[missing]
    for first in range(DECK_SIZE):
        if (cards >> first) & 1:
            continue
        one_key, one_bits = key + CARD_KEYS[first], bits | CARD_BITS[first]
        if missing == 1:
            _add(o, TYPE_OF_RANK[PUBLISHED, rank_of(one_key, one_bits)], share)
            continue
        for second in range(first + 1, DECK_SIZE):
            if (cards >> second) & 1 == 0:
                rank = rank_of(one_key + CARD_KEYS[second], one_bits | CARD_BITS[second])
                _add(o, TYPE_OF_RANK[PUBLISHED, rank], share)


@kernel
def _add(o: Any, row: Any, share: Any) -> None:
    first = o.values.shape[0] - NUM_COLUMNS
    for column in range(NUM_COLUMNS):
        o.values[first + column] += share * CELLS[row, column]


def decode(config: HoldemConfig, observation: NDArray[Any]) -> dict[str, Any]:
    """Return the decoded observation."""
    values = layout(config).split(np.asarray(observation))["sheet"]
    return {**DEFAULT.decode(config, observation[:-NUM_COLUMNS]), "sheet": [float(value) for value in values]}


ENCODER = Encoder(WITH, 1, layout, *observe_kernels(_write, write_mask), decode)


def compare_encoders(root: Path, seed: int, decisions: int, hands: int) -> dict[str, Any]:
    """Train with both encoders; return the gain of the run with values from the other, and of both from Rule."""
    game = make_paper_game(WITH)  # run folders may not name code: their agents take the encoder from the game
    runs = [_train(root / folder, encoder, seed, decisions) for folder, encoder in FOLDERS.items()]
    agents = [find_agent(str(run), game) for run in runs]
    result = play_match(game, agents, hands, seed, duplicate=True)
    rule = find_agent("rlcard_rule", game)
    from_rule = [play_match(game, [agent, rule], hands, seed, duplicate=True).agents[0].mean for agent in agents]
    won = result.agents[0]
    return {"mean": won.mean, "ci95": list(won.ci95), "hands": result.hands, "from_rule": from_rule}


def _train(folder: Path, encoder: str, seed: int, decisions: int) -> Path:
    """Return the run folder below `folder` of self-play PPO with an encoder, after training it."""
    config = Config(
        **SETTINGS, settings=(*RULES, f"encoder={encoder}"), steps=decisions, seed=seed, batch=min(8192, decisions)
    )  # fmt: skip
    return train(ALGORITHM, config, folder / f"s{seed}", progress=False).path
