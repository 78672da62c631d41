"""Re-solving river and turn while playing.

| module | contents |
|---|---|
| `agent` | the agents `resolve` and `resolve_turn` |
| `trunk` | what both players do before a subgame, and their ranges there |
| `resolver` | the subgames of a street, and their solutions, which are cached |
| `river_resolver`, `turn_resolver` | how a river and a turn are solved |
| `river_cfr`, `turn_cfr` | the kernels |
"""
