"""How fast the table in a browser answers: bots play at many tables of one server, through sockets.

    python benchmarks/web_tables.py --tables 50 --seconds 20

The server is a process of its own. Each bot waits for its turn, acts after its pause, and measures the time from
sending its action to its next turn (or the end of the hand): all moves of the agents in between are shown by then.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

REPO = Path(__file__).parents[1]
SERVER = """
import sys
from pathlib import Path
from card_baselines.web.catalogue import Catalogue
from card_baselines.web.serving import serve
serve(Catalogue(), Path(sys.argv[1]), "127.0.0.1", 0, token="benchmark")
"""
TABLES = (
    ("limit_holdem-v0", "", ["", "ppo_limit_hu"]),
    ("no_limit_holdem-v0", "num_players=6", ["", *["ppo_no_limit_six_max"] * 5]),
    ("big2-v0", "", ["", "ppo_big2", "ppo_big2", "ppo_big2"]),
)


def main() -> None:
    """Print the times of every kind of table, and of all together at once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--pause", type=float, default=0.5, help="mean seconds that a bot thinks")
    parser.add_argument("--results", type=Path, help="keep what was played in this file, for card-envs results")
    arguments = parser.parse_args()
    paths = os.pathsep.join(str(REPO / part) for part in (".", "wrappers", "baselines"))
    environment = {**os.environ, "PYTHONPATH": paths}
    with tempfile.TemporaryDirectory() as folder:
        results = arguments.results.resolve() if arguments.results else Path(folder) / "results.sqlite"
        command = [sys.executable, "-c", SERVER, str(results)]
        server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, encoding="utf-8")
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline().split(":")[2].split("/")[0])
            asyncio.run(measure(port, arguments.tables, arguments.seconds, arguments.pause))
        finally:
            server.terminate()
            server.wait()


async def measure(port: int, tables: int, seconds: float, pause: float) -> None:
    """Warm every kind of table up, then measure one table of each kind, then all tables at once."""
    for env, settings, players in TABLES:
        await play(port, env, settings, players, 3.0, 0.05)  # kernels and networks are loaded
        alone = await play(port, env, settings, players, 5.0, 0.05)
        print(f"one table of {env}, {len(players)} seats: {described(alone)}", flush=True)
    kinds = [TABLES[number % len(TABLES)] for number in range(tables)]
    answers = await asyncio.gather(*(play(port, *kind, seconds, pause) for kind in kinds))
    print(
        f"{tables} tables at once, {pause} s of thinking: {described([each for bot in answers for each in bot])}",
        flush=True,
    )


async def play(port: int, env: str, settings: str, players: list[str], seconds: float, pause: float) -> list[float]:
    """Play at a new table; return the milliseconds of every answer."""
    address, rng, taken = f"ws://127.0.0.1:{port}/socket", random.Random(0), []
    async with connect(address) as host:
        await say(host, type="hello", token="benchmark")
        await say(host, type="open", env=env, settings=settings, players=players, names=["bot"])
        token = (await hear(host, "opened"))["tokens"][0]
    async with connect(address) as page:
        await say(page, type="hello", token=token)
        table, end = await turn(page), time.perf_counter() + seconds
        while time.perf_counter() < end:
            await asyncio.sleep(rng.uniform(0, 2 * pause))
            start = time.perf_counter()
            if table["over"]:
                await say(page, type="next", hand=table["hand"])
                table = await turn(page, after=table["hand"])
                continue
            choice = rng.choice(table["choices"])
            await say(page, type="act", hand=table["hand"], step=table["step"], action=choice["action"])
            table = await turn(page)
            taken.append(1000 * (time.perf_counter() - start))
    return taken


async def say(page: ClientConnection, **message: Any) -> None:
    """Send a message."""
    await page.send(json.dumps(message))


async def hear(page: ClientConnection, kind: str) -> dict[str, Any]:
    """Return the next message of a kind."""
    while (message := json.loads(await page.recv()))["type"] != kind:
        assert message["type"] != "error", message
    return message


async def turn(page: ClientConnection, after: int = -1) -> dict[str, Any]:
    """Return the table when it is the bot's turn or the hand is over; of a hand after `after`."""
    while not ((table := await hear(page, "table"))["hand"] > after and (table["over"] or table["choices"])):
        pass
    return table


def described(milliseconds: list[float]) -> str:
    """Return the median and the 99 % quantile in words."""
    middle, most = np.percentile(milliseconds, [50, 99])
    return f"{len(milliseconds)} answers, median {middle:.1f} ms, p99 {most:.1f} ms"


if __name__ == "__main__":
    main()
