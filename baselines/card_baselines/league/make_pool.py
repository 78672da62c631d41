"""`make_pool`: choose what plays the rounds of a league."""

from __future__ import annotations

from card_baselines.league.pools import InProcess, Pool, Processes


def make_pool(workers: int = 1, ray: str | None = None) -> Pool:
    """Return a pool that plays rounds.

    Args:
        workers: Number of processes of this machine, also with ray="local"; 1 plays in this process.
        ray: Address of a Ray cluster to play on instead: "auto", "local" or "ray://host:port".
    """
    if ray is not None:
        from card_baselines.league.ray_pool import RayPool

        return RayPool(ray, workers if ray == "local" else None)
    if workers < 1:
        raise ValueError(f"workers {workers} must be at least 1")
    return InProcess() if workers == 1 else Processes(workers)
