"""Re-solving river and turn while playing.

| module | contents |
|---|---|
| `agent` | the agents `resolve` and `resolve_turn` |
| `trunk` | what both players do before a subgame, and their ranges there |
| `resolver` | the subgames of a street, how one is solved, and the solutions, which are cached |
"""
