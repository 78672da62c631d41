"""A pool that plays rounds on a Ray cluster. Only this module imports Ray, when a cluster is used."""

from __future__ import annotations

from typing import Any, Self

from card_baselines.league.pools import ATTEMPTS, LostRound
from card_baselines.league.rounds import RoundOutcome, RoundTask, play_round


class RayPool:
    """Plays rounds on the processors of a cluster. Ray repeats the rounds of a node that fails on another one."""

    def __init__(self, address: str, workers: int | None = None) -> None:
        """Connect to the cluster at an address, or start one with `workers` processors here ("local")."""
        try:
            import ray
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError("--ray needs Ray: pip install 'card-envs[ray]'", name=error.name) from error

        self._ray = ray
        self._owns = not ray.is_initialized()
        if self._owns:
            where = {"num_cpus": workers} if address == "local" else {}
            quiet = {"log_to_driver": False, "logging_level": "warning"}
            ray.init(address=address, **where, **quiet)
        self._play = ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1, scheduling_strategy="SPREAD")(play_round)
        self._playing: dict[Any, int] = {}

    @property
    def capacity(self) -> int:
        """The current number of processors of the cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, task: RoundTask) -> None:
        """Add a round that is to be played."""
        self._playing[self._play.remote(task)] = task.round

    def next(self) -> RoundOutcome | LostRound:
        """Wait for a submitted round to end and return its outcome."""
        (done,), _ = self._ray.wait(list(self._playing), num_returns=1)
        round = self._playing.pop(done)
        try:
            outcome: RoundOutcome = self._ray.get(done)
        except self._ray.exceptions.RayError as error:  # the worker died each time, or the task raised
            return LostRound(round, f"{type(error).__name__}: {str(error).strip().splitlines()[-1]}")
        return outcome

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Cancel the rounds that are still played, and disconnect from the cluster."""
        for task in self._playing:
            self._ray.cancel(task, force=True)
        if self._owns:
            self._ray.shutdown()
