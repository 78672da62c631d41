"""Measurements of speed: a stopwatch, and the loops that it times, for `card-envs bench` and benchmarks/."""
