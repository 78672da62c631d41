"""Re-solving river and turn while playing.

| module | contents |
|---|---|
| `agent` | the agents `resolve` and `resolve_turn` |
| `resolver` | the ranges with which both players come to a subgame; how it is solved; solutions, which are cached |
"""
