"""Re-solving river and turn while playing.

| module | contents |
|---|---|
| `agent` | the agents `resolve` and `resolve_turn` |
| `trunk` | what both players do before a subgame, and their ranges there |
| `resolver` | the subgames of a street, and their solutions, which are cached |
| `subgame_cfr` | how a subgame is solved |
"""
