"""Checks that a game keeps what `Game` promises: for the tests of your own game, or of your changes to one.

With pytest::

    import pytest
    from card_envs.testing import CHECKS, check

    @pytest.mark.parametrize("name", CHECKS)
    def test_my_game(name: str) -> None:
        check(my_game(), name)

`card-envs check --env my_module:my_game` runs them on the command line.
"""

from card_envs.testing.checks import CHECKS, NotApplicable, check
from card_envs.testing.play import CheckFailure

__all__ = ["CHECKS", "CheckFailure", "NotApplicable", "check"]
