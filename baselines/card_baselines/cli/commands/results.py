"""`card-envs results`: results of people against agents in the browser."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import tyro

from card_baselines.cli.commands.serve import RESULTS
from card_baselines.cli.console import print_report
from card_baselines.cli.options import AsJson
from card_baselines.text_table import TextTable

IncludeAgents = Annotated[bool, tyro.conf.arg(name="all")]


def results(
    path: Path = RESULTS, /, include_agents: IncludeAgents = False, export: Path | None = None, as_json: AsJson = False
) -> None:
    """Print the results of people against agents in the browser, with 95 % intervals.

    Args:
        path: File of results, written by `card-envs serve`.
        include_agents: Count sessions of agents alone too.
        export: Write the hands: to a .csv file, one line for each player of a hand; or to a folder, a file of recorded
            hands for each session.
    """
    from card_baselines.web.catalogue import Catalogue  # draws tables, which needs Pillow, an extra
    from card_baselines.web.export import write_hands
    from card_baselines.web.results import COLUMNS, compute_results, format_row
    from card_baselines.web.store import Store

    if not path.is_file():
        raise ValueError(f"there is no file {path}: `card-envs serve` writes it, or name another one")
    store, catalogue = Store(path, writes=False), Catalogue()
    if export is not None:
        written = write_hands(store, catalogue, export)
        if not as_json:
            print(f"wrote {written:,} hands to {export}")
        return
    rows = compute_results(store, catalogue, people_only=not include_agents)
    table = TextTable(str(path), COLUMNS, [format_row(row) for row in rows])
    print_report([asdict(row) for row in rows], [table], as_json)
