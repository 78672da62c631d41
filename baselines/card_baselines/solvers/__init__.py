"""Counterfactual regret minimisation (CFR) for hold'em games: algorithms, hand abstractions, strategies and agents.

| module | contents |
|---|---|
| `buckets` | the hand abstraction: which hands share a bucket, and how the bucket of a hand is found |
| `limit.betting_tree`, `limit.streets` | the betting of two-player limit games |
| `limit.tabular_cfr`, `limit.mccfr`, `limit.public_chance_cfr`, `limit.cfr_br` | the algorithms for limit games |
| `no_limit.menu_tree` | the betting of two-player no-limit games with a bet menu |
| `no_limit.menu_cfr` | the algorithm for these games |
| `*.strategies`, `no_limit.menu_strategy` | strategies as files, and how they are looked up |
| `*.agent` | the agents that play these strategies: `cfr`, `cfr_small`, `cfr_large`, `cfr_no_limit` |
| `*.train_*` | what `card-envs train mccfr`, `public_chance_cfr` and `menu_cfr` run |
| `training`, `ranked_hands` | what the training scripts share; all hands on a board, ordered by strength |
"""
