"""Other people's engines, one a file, and ours in `ours`: functions that return a `Work` to be timed.

A module imports its engine at the top, so importing it fails where the engine is missing. Legal play is uniformly
random everywhere, chosen by `random.random()` from a list, which costs next to nothing.
"""
