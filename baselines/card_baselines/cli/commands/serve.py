"""`card-envs serve`: tables in a browser; `card-envs serve --openenv`: a game for the training of language models."""

from __future__ import annotations

from pathlib import Path

from card_baselines.cli.options import AgentNames, EnvId, EnvIds, Names, Paths, Settings, require_host, require_port
from card_baselines.settings import parse_settings

RESULTS = Path("runs/results.sqlite")
"""Default file of results."""
_MESSAGE_BYTES = 1 << 20
"""Maximum number of bytes of a message of an OpenEnv client; a longer one ends its connection."""


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
    require_host(host)
    from card_baselines.cli.strengths import read_strengths
    from card_baselines.registry import STYLES
    from card_baselines.web import serving  # Starlette and uvicorn, an extra
    from card_baselines.web.catalogue import Catalogue

    catalogue = Catalogue(envs, agents, settings, STYLES, read_strengths())
    serving.serve(
        catalogue, results, host, port, replay=replay, names=names, open_browser=not no_open,
        takes_seeds=reproducible,
    )  # fmt: skip


def serve_openenv(
    env: EnvId,
    opponents: AgentNames = (),
    settings: Settings = (),
    seat: int | None = None,
    form: str = "compact",
    attempts: int = 3,
    refused_reward: float = 0.0,
    max_sessions: int = 64,
    host: str = "127.0.0.1",
    names: Names = (),
    port: int = 8000,
) -> None:
    """Serve one seat of a game to OpenEnv's clients, in words; Ctrl-C ends it.

    Every session has a table of its own. For each deal one of the --opponents is drawn, by default random, which
    takes all other seats. An
    answer that names no legal action is refused, and the deal goes on.

    Args:
        seat: The learner's seat; by default another one in every deal.
        form: Form of the prompts: compact or verbose.
        attempts: Refused answers in a row after which check, pass or fold is played.
        refused_reward: Reward of a step whose answer was refused, at most 0.
        max_sessions: Maximum number of sessions at the same time.
        host: Address to listen at; the default can be reached from this machine alone.
        names: Further host names under which clients reach the server, "*" for every name; others are refused.
        port: Port to listen at.
    """
    require_port(port)
    require_host(host)
    import uvicorn

    from card_baselines.web.limits import Limits, make_timed_protocol
    from card_wrappers.openenv import LOOPBACK, make_app

    drawn = opponents or ("random",)
    known = (*LOOPBACK, host, *names)
    app = make_app(env, drawn, seat, form, attempts, refused_reward, max_sessions, known, **parse_settings(settings))
    shown = f"[{host}]" if ":" in host else host
    print(f"{env} at http://{shown}:{port}; Ctrl-C ends it", flush=True)
    uvicorn.run(
        app, host=host, port=port, log_level="warning", http=make_timed_protocol(Limits()), ws_max_size=_MESSAGE_BYTES
    )  # fmt: skip
