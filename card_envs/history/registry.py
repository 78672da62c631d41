"""The formats of this package. A format of another package stands beside its environment, see `register_env`."""

BUILT_IN = (
    "card_envs.history.phh.files:PHH",
    "card_envs.history.acpc.files:ACPC",
    "card_envs.history.pokerstars.files:POKERSTARS",
    "card_envs.history.big2.files:BIG2",
)
"""Each "module:NAME"; of the formats that describe a game, the first is the default."""
