"""`card-envs serve`: tables in a browser."""

from __future__ import annotations

from pathlib import Path

from card_baselines.cli.options import AgentNames, EnvIds, Names, Paths, Settings, require_port

RESULTS = Path("runs/results.sqlite")
"""Default file of results."""


def serve(
    envs: EnvIds = (),
    agents: AgentNames = (),
    settings: Settings = (),
    replay: Paths = (),
    results: Path = RESULTS,
    host: str = "127.0.0.1",
    port: int = 8765,
    names: Names = (),
    reproducible: bool = False,
    no_open: bool = False,
) -> None:
    """Play, watch and replay in a browser, with advice of agents; keeps sessions in a file.

    The page offers the environments ENV and all agents with a name, besides those of --agents, and may change the
    settings of --set.

    Args:
        replay: Recorded hands to show: files, or folders that are searched (.phh, .phhs, .acpc, .pokerstars, .big2).
        results: SQLite file to which all sessions are written.
        host: Address to listen at; the default can be reached from this machine alone.
        port: Port to listen at; 0 for any free one.
        names: Further host names under which others reach this machine, with another --host.
        reproducible: Let the page choose a seed, which repeats the same deals. People who see some of the cards can
            find a seed by a search; without one, deals follow from a secret of the operating system.
        no_open: Do not open the page in a browser.
    """
    require_port(port, lowest=0)
    from card_baselines.cli.strengths import read_strengths
    from card_baselines.registry import STYLES
    from card_baselines.web import serving  # Starlette and uvicorn, an extra
    from card_baselines.web.catalogue import Catalogue

    catalogue = Catalogue(envs, agents, settings, STYLES, read_strengths())
    serving.serve(
        catalogue, results, host, port, replay=replay, names=names, open_browser=not no_open,
        takes_seeds=reproducible,
    )  # fmt: skip
