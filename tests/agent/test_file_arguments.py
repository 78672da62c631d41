"""Arguments of a class in a file, so that two checkpoints of one class can meet."""

from __future__ import annotations

import pytest

from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.match import play_match

SOURCE = """
from card_envs.agent import RandomAgent

class Mine(RandomAgent):
    def __init__(self, path, game, size="1"):
        self.name, self.size, self.game = path, size, game
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return path


def test_two_checkpoints_of_a_class_meet(file):
    game = make_game("kuhn_poker-v0")
    agents = [find_agent(f"{file}:Mine?path={name}&size=3", game) for name in ("a.pt", "b.pt")]
    assert play_match(game, agents, hands=10, seed=0).names == ("a.pt", "b.pt")
    assert agents[0].size == "3"
    assert agents[0].game is game


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("?other=1&path=a", "no argument 'other': choose among"),
        ("?path", "name=value"),
        ("?size=2", "needs the argument 'path'"),
    ],
)
def test_other_arguments_are_refused(file, arguments, message):
    with pytest.raises(ValueError, match=message):
        find_agent(f"{file}:Mine{arguments}", make_game("kuhn_poker-v0"))
