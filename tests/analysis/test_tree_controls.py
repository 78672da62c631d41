"""Control variates of small games: exact where all can be asked, right on average where not."""

from __future__ import annotations

import numpy as np
import pytest

from card_envs.agent import Agent, RandomAgent, find_agent
from card_envs.analysis.exploitability.best_response import strategy_of
from card_envs.analysis.exploitability.public_tree import Node, PublicTree
from card_envs.analysis.variance.control_variates import ControlVariates, play_and_summarise
from card_envs.analysis.variance.tree_terms import TreeControlTerms
from card_envs.game import Game
from card_envs.games.holdem.presets import kuhn_poker, leduc_holdem
from card_envs.match import MatchBatch, play_match
from tests.helpers.scripted_agents import Silent, always_call


class Collecting(ControlVariates):
    def __init__(self, game: Game, agents: list[Agent]) -> None:
        super().__init__(game, agents, 3)
        self.found: list[np.ndarray] = []

    def on_end(self, batch: MatchBatch) -> None:
        controls = self._controls.compute_controls(batch, [0])[0]
        self.found.append(np.column_stack([controls.correction, controls.terms]))


def test_kuhns_equilibrium_loses_an_eighteenth_where_it_acts_first() -> None:
    """Both can be asked, so that nothing is left to chance: 0 in all, and -1/18 and 1/18 in turn."""
    game = kuhn_poker()
    cfr = find_agent("cfr", game)
    result, (won, _) = play_and_summarise(game, [cfr, cfr], 400, 0, control_variates=True)
    assert result.agents[0].sd > 1
    assert won.mean == pytest.approx(0, abs=1e-6)
    assert won.sd == pytest.approx(1 / 18, abs=0.001)


@pytest.mark.parametrize("num_tables", [4096, 64])
def test_where_everything_is_explained_the_result_is_the_true_one(num_tables: int) -> None:
    game = kuhn_poker()
    cfr, random = find_agent("cfr", game), RandomAgent()
    controls = ControlVariates(game, [cfr, random], 0)
    result = play_match(game, [cfr, random], 100, 0, True, num_tables, callbacks=[controls])
    tree = PublicTree(game)
    shown = [strategy_of(agent, tree) for agent in (cfr, random)]
    truth = sum(expected_rewards(tree, [shown[seat], shown[1 - seat]])[seat] for seat in range(2)) / 2
    for adjusted, mean in zip(controls.adjust(result), (truth, -truth), strict=True):
        assert adjusted.is_exact and adjusted.hands_factor == np.inf
        assert adjusted.summary.mean == pytest.approx(mean, abs=1e-14)
        assert adjusted.summary.ci95 == (adjusted.summary.mean, adjusted.summary.mean)


def expected_rewards(tree: PublicTree, strategies: list[np.ndarray]) -> np.ndarray:
    """Return what each seat wins on average over all deals, from the rules of the tree alone."""

    def values(node: Node) -> np.ndarray:
        if not node.children:
            return node.rewards
        after = np.stack([values(child) for child in node.children])
        return (node.probabilities(strategies[node.seat])[:, :, None] * after).sum(axis=0)

    return values(tree.root).mean(axis=0)


@pytest.mark.parametrize("first", [RandomAgent(), Silent(RandomAgent())], ids=["asked", "silent"])
def test_controls_have_mean_zero_and_help(first: Agent) -> None:
    game = leduc_holdem()
    agents = [first, find_agent("cfr", game)]
    collecting, controls = Collecting(game, agents), ControlVariates(game, agents, 3)
    result = play_match(game, agents, 6000, 3, callbacks=[collecting, controls])
    found = np.concatenate(collecting.found)
    spread = found.std(axis=0)
    z = found.mean(axis=0)[spread > 1e-9] / spread[spread > 1e-9] * np.sqrt(len(found))
    assert len(z) >= 3 and np.abs(z).max() < 4
    adjusted = controls.adjust(result)[0]
    assert adjusted.hands_factor > (100 if first.shows_probabilities else 1.5)
    assert abs(adjusted.summary.mean - result.agents[0].mean) < 3 * result.agents[0].standard_error


@pytest.mark.slow
def test_intervals_of_small_matches_hold() -> None:
    game, agents = leduc_holdem(), [Silent(RandomAgent()), Silent(RandomAgent())]
    matches = [play_and_summarise(game, agents, 80, seed, control_variates=True)[1][0] for seed in range(60)]
    assert sum(won.ci95[0] < 0 < won.ci95[1] for won in matches) >= 52, "of 60 intervals of 95 %, 57 on average"
    means = np.array([won.mean for won in matches])
    assert abs(means.mean()) < 4 * means.std(ddof=1) / np.sqrt(len(means))


def test_an_agent_that_says_one_thing_and_another_is_an_error() -> None:
    class Moody(RandomAgent):
        def probabilities(self, decisions):  # type: ignore[no-untyped-def]
            return super().probabilities(decisions) if len(decisions) > 500 else np.eye(3)[np.ones(len(decisions), int)]

    game = leduc_holdem()
    agents: list[Agent] = [Moody(), always_call()]
    with pytest.raises(ValueError, match="returned different probabilities"):
        play_match(game, agents, 20, 0, callbacks=[ControlVariates(game, agents, 0)])


def test_three_seats() -> None:
    game = kuhn_poker(num_players=3)
    agents: list[Agent] = [RandomAgent(), Silent(RandomAgent()), RandomAgent()]
    result, won = play_and_summarise(game, agents, 300, 0, control_variates=True)
    assert all(each.standard_error < plain.standard_error for each, plain in zip(won, result.agents, strict=True))
    assert TreeControlTerms(game, agents).units.least_stake > 0
