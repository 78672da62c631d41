"""A third game, as somebody else would write it: nothing in the packages knows of it but by this registration.

`game` is enough to play; `statistics` and `history` are features beyond the rules.
"""

from card_envs import register_env


def register() -> None:
    """Make the game known; the tests take it away again, since others go through all registered environments."""
    register_env(
        "dozen-v0",
        "tests.third_game.game:dozen",
        "Dozen: four tricks with twelve cards, three seats",
        histories=("tests.third_game.history:FORMAT",),
    )
