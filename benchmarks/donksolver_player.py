"""Six seats beside another solver: donksolver 0.1.0 (C++, MIT), which can be installed, as an agent of matches.

    pip install 'card-envs[bench]'
    python benchmarks/donksolver_player.py --folder runs/donksolver --minutes 40

The agent is "benchmarks/donksolver_player.py:DonksolverPlayer?folder=runs/donksolver"; `card-envs match` takes it in
no-limit hold'em with `--set num_players=6 bet_menu=integers`, where every raise is legal. The script solves the preset
`6max-lite`, without rake, for stacks of 100 big blinds on one core. It has one size of raise on each street, and goes
no further than a flop that more than two players see; there the agent checks, and calls if its equity is worth the
price, as our tables do where they were not trained. How often that is, in hands against itself, is printed too.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from donksolver import Abstraction, Bundle, Solve, Solver, preset, write_manifest
from donksolver.policy import KINDS, ST_NO_NODE, STATUS
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import raise_action_to
from card_baselines.progress import LongProgress
from card_baselines.solvers.pot_odds import call_by_odds
from card_envs import make_game
from card_envs.agent import Agent, Decisions
from card_envs.game import Game
from card_envs.games.holdem.actions import (
    CALL_ACTION,
    FIRST_RAISE_ACTION,
    FOLD_ACTION,
    amount_to_call,
    raise_to_of,
    seat_position,
)
from card_envs.match import play_match

_CHIPS = 100
"""Chips of donksolver for one of ours: its blinds are 100 and 200."""
_SEATS, _BLINDS, _STACK = 6, (1, 2), 200
_HANDS = 3_000
"""Hands against itself."""
_ITERATIONS = 200_000
"""Iterations between two looks at the clock."""
_MANIFEST = "bundle.json"


class DonksolverPlayer(Agent):
    """Plays a folder of this script in no-limit hold'em with six seats, blinds of 1 and 2 and 200 chips.

    Args:
        game: That game; with `bet_menu=integers` every raise is legal.
        folder: The folder.

    Raises:
        ValueError: For other games.
    """

    name = "donksolver"

    def __init__(self, game: Game, folder: str) -> None:
        config = game.config
        settings = getattr(config, "structure", ""), getattr(config, "blinds", ()), getattr(config, "stack_list", ())
        if (settings[0], tuple(settings[1]), tuple(settings[2])) != ("no_limit", _BLINDS, (_STACK,) * _SEATS):
            raise ValueError(f"{game.name} with these settings is not six-max no-limit with blinds 1 and 2, 200 chips")
        self._bundle, self._game = _load(folder), game
        self._histories: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        self.answers: Counter[str] = Counter()
        """Number of decisions by the status of the answer; `no_node`: it has no strategy there."""

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Forget the betting of the previous deals at these tables."""
        begun = set(table_ids.tolist())
        self._histories = {key: kept for key, kept in self._histories.items() if key[0] not in begun}

    def observe_actions(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:
        """Add public actions to the betting of their tables, as (position, is a fold, chips that go in)."""
        for j, action in enumerate(actions.tolist()):
            key = int(decisions.table_ids[j]), int(decisions.seats[j])
            self._histories.setdefault(key, []).append(_describe(decisions.views[j], action))

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the actions that the bundle draws; pot odds decide where it has no strategy."""
        views, seats = decisions.views, decisions.seats.tolist()
        keys = zip(decisions.table_ids.tolist(), seats, strict=True)
        found = self._bundle.act(
            stacks=np.full((len(views), _SEATS), _STACK * _CHIPS),
            blinds=np.full((len(views), 2), _BLINDS) * _CHIPS,
            hole=np.array([t.deck[2 * seat : 2 * seat + 2] for t, seat in zip(views, seats, strict=True)]),
            board=[_board(t) for t in views],
            histories=[self._histories.get(key, []) for key in keys],
            u=decisions.random_numbers,
        )
        has_answer = found["status"] < ST_NO_NODE
        self.answers.update(STATUS[status] for status in found["status"].tolist())
        actions = call_by_odds(views, self._game.num_actions).argmax(axis=1)
        for j in np.flatnonzero(has_answer):
            actions[j] = _action_of(views[j], KINDS[found["kind"][j]], int(found["chips"][j]))
        return actions.astype(np.int64)


@cache
def _load(folder: str) -> Bundle:
    """Return the bundle of a folder, which five seats share."""
    return Bundle(str(Path(folder) / _MANIFEST))


def _describe(t: Any, action: int) -> tuple[int, int, int]:
    """Return a table's next action as donksolver wants it."""
    seat = int(seat_position(t, np.int64(t.actor)))
    if action == FOLD_ACTION:
        return seat, 1, 0
    chips = min(int(amount_to_call(t)), int(t.stack[t.actor]))
    if action >= FIRST_RAISE_ACTION:
        chips = int(raise_to_of(t, np.int64(action))) - int(t.street_commit[t.actor])
    return seat, 0, chips * _CHIPS


def _board(t: Any) -> list[int]:
    """Return the cards on the board of a table."""
    first = 2 * int(t.num_seats)
    cards: list[int] = t.deck[first : first + int(t.cards_shown[t.street])].tolist()
    return cards


def _action_of(t: Any, kind: str, chips: int) -> int:
    """Return the legal action nearest to one of donksolver that puts in so many of its chips."""
    if kind == "fold" and amount_to_call(t) > 0:
        return FOLD_ACTION
    if kind in ("raise", "allin") and int(t.max_raise_to) > 0:
        wanted = int(t.max_raise_to) if kind == "allin" else int(t.street_commit[t.actor]) + round(chips / _CHIPS)
        return int(raise_action_to(t, np.int64(wanted)))
    return CALL_ACTION


def solve(folder: Path, minutes: float, seed: int) -> None:
    """Write a bundle that was solved for so many processor minutes on one core, its buckets not counted."""
    folder.mkdir(parents=True, exist_ok=True)
    abstraction, policy = folder / "buckets.dab", folder / "policy.dpol"
    if not abstraction.exists():
        Abstraction.build(threads=1).save(str(abstraction))
    game = preset("6max-lite", stack_bb=100)
    game.rake_pct, game.rake_cap = 0.0, 0
    solver = Solver.nlhe(game, str(abstraction), Solve(seed=seed))
    start, seconds = time.process_time(), 0.0
    with LongProgress("donksolver", 60 * minutes) as progress:
        while seconds < 60 * minutes:
            solver.run(_ITERATIONS, threads=1)
            seconds = time.process_time() - start
            progress.show(seconds, f"{solver.iterations:,} iterations")
    solver.save_policy(str(policy))
    write_manifest(str(folder / _MANIFEST), str(abstraction), [str(policy)])
    print(f"{solver.iterations:,} iterations in {seconds:,.0f} processor seconds: {folder}")


def count_answers(folder: Path) -> None:
    """Print for how many decisions of hands against itself the solver has a strategy."""
    game = make_game("no_limit_holdem-v0", num_players=_SEATS, bet_menu="integers")
    players = [DonksolverPlayer(game, str(folder)) for _ in range(_SEATS)]
    play_match(game, players, hands=_HANDS, seed=3)
    answers = sum((player.answers for player in players), Counter[str]())
    shares = ", ".join(f"{name} {100 * num / answers.total():.1f} %" for name, num in answers.most_common())
    print(f"{answers.total():,} decisions against itself: {shares}")


def main() -> None:
    """Solve with the settings of the command line, unless the folder is solved, and play."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("runs/donksolver"))
    parser.add_argument("--minutes", type=float, default=40.0, help="of processor time, without the buckets")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if not (asked.folder / _MANIFEST).exists():
        solve(asked.folder, asked.minutes, asked.seed)
    count_answers(asked.folder)


if __name__ == "__main__":
    main()
