"""Counterfactual regret minimisation (CFR) for hold'em games: algorithms, hand abstractions, strategies and agents.

| module | contents |
|---|---|
| `buckets` | the hand abstraction: which hands share a bucket, and how the bucket of a hand is found |
| `vector_cfr` | CFR in any variant (`regret`) over all hands and boards of a small game for two, and its strategies |
| `walk`, `streets` | walks over a tree with all hands at once; over boards, and best responses there |
| `boards` | the boards of every street, one for all that differ in the names of suits alone |
| `sampled_cfr` | external sampling of deals and actions, and Monte Carlo CFR by it for any small game |
| `limit.mccfr`, `limit.public_chance_cfr` | the algorithms for limit games |
| `limit.street_passes` | the betting of limit hold'em street by street, and passes over many sequences of it |
| `menu_cfr` | the algorithm for no-limit games with a bet menu |
| `strategy` | strategies as tables: how sums are rounded, files, and lookup at a table |
| `translation` | play with other bet menus than that of a strategy |
| `pot_odds` | play where training hardly came |
| `agent` | the agents that play strategies of all solvers, shipped ones and those of run folders |
| `train`, `training` | the algorithms of `card-envs train`; what they share |
| `resolving` | solving river and turn anew while playing: ranges, subgames with a gadget, the agents |
| `tree`, `betting_keys` | the betting of two-player games as a tree, and the decisions found at tables |
| `regret` | regret matching, and the schedules of variants of CFR |
| `solver` | base class of the algorithms |
| `hands` | all hands on a board, ordered by strength, and sums over the hands of an opponent |
"""
