"""`card-envs results`: results of people against agents in the browser."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from card_baselines.cli.commands.serve import RESULTS
from card_baselines.cli.console import print_json, print_table
from card_baselines.cli.options import AsJson
from card_envs.formatting import format_interval

if TYPE_CHECKING:
    from card_baselines.web.results import Row

IncludeAgents = Annotated[bool, tyro.conf.arg(name="all")]


def results(
    path: Path = RESULTS, /, include_agents: IncludeAgents = False, export: Path | None = None, as_json: AsJson = False
) -> int:
    """Print the results of people against agents in the browser, with 95 % intervals.

    Args:
        path: File of results, written by `card-envs serve`.
        include_agents: Count sessions of agents alone too.
        export: Write the hands: to a .csv file, one line for each player of a hand; or to a folder, a file of recorded
            hands for each session.
    """
    from card_baselines.web.catalogue import Catalogue  # draws tables, which needs Pillow, an extra
    from card_baselines.web.export import write_hands
    from card_baselines.web.results import compute_results
    from card_baselines.web.store import Store

    if not path.is_file():
        raise ValueError(f"there is no file {path}: `card-envs serve` writes it, or name another one")
    store, catalogue = Store(path), Catalogue()
    if export is not None:
        written = write_hands(store, catalogue, export)
        if not as_json:
            print(f"wrote {written:,} hands to {export}")
        return 0
    rows = compute_results(store, catalogue, people_only=not include_agents)
    if as_json:
        print_json([asdict(row) for row in rows])
        return 0
    header = ["who", "against", "game", "hands", "mean (± 95 %)", "control variates (± 95 %)", "unit"]
    print_table(header, [_format_row(row) for row in rows], str(path))
    return 0


def _format_row(row: Row) -> list[str]:
    game = " ".join([row.env, row.settings]).strip() + (", duplicate" if row.is_duplicate else "")
    plain = format_interval(row.mean, row.ci95)
    adjusted = "-" if row.adjusted_mean is None else format_interval(row.adjusted_mean, row.adjusted_ci95)
    return [row.who, ", ".join(row.against), game, f"{row.hands:,}", plain, adjusted, row.unit]
