"""Speed of the poker-hand evaluator: hands per second of CPU time on one core, beside treys and phevaluator.

    python benchmarks/evaluator.py [--hands 1000000] [--repeats 9] [--json results/evaluator.json]

card_envs is timed over whole batches, checks of the input included, and one hand per call. treys and phevaluator only
know one hand per call; those get fewer hands. Numbers are medians over the repeats.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module, util
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE, card_name
from card_envs.poker_hands import hand_rank, hand_ranks

WIDTHS = (7, 6, 5)
HANDS_ONE_BY_ONE = 20_000

Evaluate = Callable[[], object]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hands", type=int, default=1_000_000, help="hands in a batch")
    parser.add_argument("--repeats", type=int, default=9, help="runs of which the median counts")
    parser.add_argument("--json", type=Path, help="file to write the results to")
    arguments = parser.parse_args()

    rows = []
    for width in WIDTHS:
        hands = random_hands(width, arguments.hands)
        for name, count, evaluate in contestants(hands):
            rate = hands_per_second(evaluate, count, arguments.repeats)
            rows.append({"evaluator": name, "cards": width, "hands": count, "hands_per_second": round(rate)})
            print(f"{name:20} {width} cards {rate / 1e6:10.3f} M hands/s")
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        report = {**circumstances(), "repeats": arguments.repeats, "results": rows}
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")


def random_hands(width: int, count: int) -> NDArray[np.uint8]:
    """Return (count, width) card ids, uint8, no card twice in a hand."""
    random = np.random.default_rng(width)
    hands = np.empty((count, width), np.uint8)
    for part in np.array_split(hands, 16):  # views; sixteen, because the random numbers take 60 times the space
        part[:] = random.random((len(part), DECK_SIZE)).argpartition(width)[:, :width]
    return hands


def contestants(hands: NDArray[np.uint8]) -> Iterator[tuple[str, int, Evaluate]]:
    """Yield name, number of hands per run, and the run, of every evaluator that is installed."""
    yield "card_envs", len(hands), lambda: hand_ranks(hands)
    few = hands[:HANDS_ONE_BY_ONE].tolist()
    yield "card_envs one by one", len(few), lambda: [hand_rank(hand) for hand in few]
    if util.find_spec("phevaluator"):
        evaluate_cards = import_module("phevaluator").evaluate_cards
        yield f"phevaluator {version('phevaluator')}", len(few), lambda: [evaluate_cards(*hand) for hand in few]
    if util.find_spec("treys"):
        treys: Any = import_module("treys")
        evaluate = treys.Evaluator().evaluate
        names = [treys.Card.new(card_name(card)) for card in range(DECK_SIZE)]
        pairs = [([names[card] for card in hand[:2]], [names[card] for card in hand[2:]]) for hand in few]
        yield f"treys {version('treys')}", len(few), lambda: [evaluate(hand, board) for hand, board in pairs]


def hands_per_second(evaluate: Evaluate, count: int, repeats: int) -> float:
    evaluate()  # compiles or loads the kernel
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        evaluate()
        seconds.append(time.process_time() - start)
    return count / statistics.median(seconds)


def circumstances() -> dict[str, str]:
    git = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return {
        "command": " ".join(sys.argv),
        "commit": git.stdout.strip(),
        "processor": processor_name(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def processor_name() -> str:
    info = Path("/proc/cpuinfo")  # Linux; platform.processor() is empty there
    for line in info.read_text().splitlines() if info.exists() else []:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


if __name__ == "__main__":
    main()
