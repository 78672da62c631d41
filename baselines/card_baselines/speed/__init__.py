"""How fast this package is: a stopwatch, and the loops that it times. `card-envs bench` and benchmarks/ use both."""
