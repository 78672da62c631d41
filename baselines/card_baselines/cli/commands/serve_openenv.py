"""`card-envs serve --openenv`: an OpenEnv server of a game, for training language models."""

from __future__ import annotations

from card_baselines.cli.options import AgentNames, EnvId, Names, Settings, require_port
from card_baselines.settings import parse_settings


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
    import uvicorn

    from card_baselines.web.http_connections import timed_protocol
    from card_baselines.web.limits import Limits
    from card_wrappers.openenv import LOOPBACK, make_app

    drawn = opponents or ("random",)
    known = (*LOOPBACK, host, *names)
    app = make_app(env, drawn, seat, form, attempts, refused_reward, max_sessions, known, **parse_settings(settings))
    print(f"{env} at http://{host}:{port}; Ctrl-C ends it")
    uvicorn.run(app, host=host, port=port, log_level="warning", http=timed_protocol(Limits()))
