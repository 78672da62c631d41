"""A third game, as somebody else would write it: nothing in the packages knows of it but by this registration.

Dozen: twelve cards 1 .. 12 without suits, four for each of three seats. In each of four tricks every seat plays a card,
the winner of the last trick first; the highest card wins the trick. A trick is a point, the last one `last_trick`
points; everybody pays everybody else the difference in points.
"""

from card_envs import register_env


def register() -> None:
    """Make the game known; the tests take it away again, since others go through all registered environments."""
    register_env(
        "dozen-v0",
        "tests.third_game.presets:dozen",
        "Dozen: four tricks with twelve cards, three seats",
        histories=("tests.third_game.history:FORMAT",),
    )
