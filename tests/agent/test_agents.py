"""What an agent has to define, what it gets by default, and how names lead to agents."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from card_baselines.agents.learned.mlp_policy import quantise_weights, read_weights
from card_baselines.registry import AGENTS
from card_baselines.runs.export_pretrained import export_pretrained
from card_envs import make_game, plugins
from card_envs.agent import (
    Agent,
    Decisions,
    DuckTypedAgent,
    RandomAgent,
    StochasticAgent,
    as_agent,
    decisions_at,
    estimate_probabilities,
    find_agent,
    find_probabilities,
    known_agents,
)
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.locations import UntrustedNameError
from card_envs.match import AgentError, play_match

KUHN = make_game("kuhn_poker-v0")
LIMIT = make_game("limit_holdem-v0")
PACKAGE = Path(__file__).parents[2] / "card_envs"
SCRIPTED = {name for name, path in AGENTS.items() if ".agents.scripted." in path}


class TightCaller(Agent):
    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        return decisions.action_mask.argmax(axis=1)


class HTTPCaller2Go(TightCaller):
    pass


class Named(TightCaller):
    name = "somebody"


class StillNamed(Named):
    pass


class Quacks:
    """Has nothing but `act`."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        return decisions.action_mask.argmax(axis=1)


class QuacksALot(Quacks):
    name = "loud"
    encoder = "rlcard"

    def __init__(self) -> None:
        self.heard: list[str] = []

    def can_play(self, game: Any) -> bool:
        return bool(game.name == "limit_holdem")

    def deal_starts(self, table_ids: Any) -> None:
        self.heard.append(f"{len(table_ids)} deals start")

    def deal_ends(self, table_ids: Any, payoffs: Any) -> None:
        self.heard.append(f"{len(table_ids)} deals end {payoffs.shape}")

    def probabilities(self, decisions: Decisions) -> Any:
        return np.eye(decisions.game.num_actions)[self.act(decisions, np.random.default_rng(0))]


def test_an_agent_is_called_as_its_class_unless_it_says_otherwise() -> None:
    names = [agent.name for agent in (TightCaller(), HTTPCaller2Go(), Named(), StillNamed(), RandomAgent())]
    assert names == ["tight_caller", "http_caller2_go", "somebody", "somebody", "random"]
    own = TightCaller()
    own.name = "own"
    assert (own.name, TightCaller.name) == ("own", "tight_caller")


def test_an_agent_that_defines_act_alone_has_all_the_rest() -> None:
    agent = TightCaller()
    agent.deal_starts(np.arange(2))
    agent.deal_ends(np.arange(2), np.zeros((2, 2)))
    assert agent.can_play(LIMIT) and agent.encoder is None and agent.find_encoder(LIMIT) is LIMIT.encoder
    assert not agent.shows_probabilities and not agent.needs_deal_events
    with pytest.raises(NotImplementedError, match="'tight_caller' does not show its probabilities"):
        agent.probabilities(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="abstract"):
        Agent()  # type: ignore[abstract]


def test_a_subclass_can_hide_its_probabilities() -> None:
    class Hidden(RandomAgent):
        probabilities = None  # type: ignore[assignment]

    assert RandomAgent().shows_probabilities and not Hidden().shows_probabilities


class MostlyRaises(StochasticAgent):
    def compute_probabilities(self, decisions: Decisions) -> Any:
        weights = decisions.action_mask * np.array([1.0, 2.0, 4.0])
        return weights / weights.sum(axis=1, keepdims=True)


def first_decisions(game: Game, count: int = 1) -> Decisions:
    """Return the first decisions of so many deals, with random numbers spread evenly over [0, 1)."""
    tables, rows = game.seeded_tables(count, 0), np.arange(count)
    game.deal_batch(tables, rows)
    return decisions_at(game, tables, rows, rows, random_numbers=rows / count)


def test_a_stochastic_agent_samples_from_its_probabilities_or_takes_the_likeliest() -> None:
    agent, decisions = MostlyRaises(), first_decisions(LIMIT, 2000)
    assert agent.shows_probabilities and agent.greedy is False
    expected = agent.probabilities(decisions)
    assert np.allclose(expected, np.array([1, 2, 4]) / 7)
    actions = agent.act(decisions, np.random.default_rng(0))
    assert np.allclose(np.bincount(actions) / len(actions), expected[0], atol=0.001)
    agent.greedy = True
    assert (agent.act(decisions, np.random.default_rng(0)) == 2).all()
    assert (agent.probabilities(decisions) == [0, 0, 1]).all()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.full(3, np.nan), r"weights \[nan nan nan\] of row 0 must be at least 0, with a positive, finite sum"),
        (np.array([0.5, np.inf, 0.5]), "with a positive, finite sum"),
        (np.array([-0.5, -0.5, 0]), "with a positive, finite sum"),
        (np.zeros(3), "with a positive, finite sum"),
        (np.ones(()), r"weights of shape \(\) must be a row for each of"),
        (np.ones((1, 1, 3)), r"weights of shape \(1, .*, 3\) must be a row for each of"),
    ],
)
def test_weights_that_are_no_probabilities_are_refused_and_not_played(weights: Any, message: str) -> None:
    class Wrong(StochasticAgent):
        def compute_probabilities(self, decisions: Decisions) -> Any:
            return weights * np.ones((len(decisions), 1)) if weights.ndim else weights

    with pytest.raises(AgentError, match=message):
        play_match(KUHN, [Wrong(), RandomAgent()], hands=10, seed=0)


def test_a_class_without_a_name_plays_a_match_under_its_own() -> None:
    for player in (TightCaller(), Quacks()):
        expected = "tight_caller" if isinstance(player, Agent) else "quacks"
        assert play_match(KUHN, [player, RandomAgent()], 100, 0).names == (expected, "random")


def test_an_object_that_is_no_agent_is_taken_as_one_with_all_that_it_defines() -> None:
    player = QuacksALot()
    agent = as_agent(player)
    assert isinstance(agent, DuckTypedAgent) and agent.player is player
    assert (agent.name, agent.encoder, agent.find_encoder(LIMIT).name) == ("loud", "rlcard", "rlcard")
    assert agent.shows_probabilities and agent.needs_deal_events and not agent.can_play(KUHN)
    assert play_match(LIMIT, [player, Quacks()], 10, 0).names == ("loud", "quacks")
    assert player.heard == ["10 deals start", "10 deals end (10, 2)"]
    with pytest.raises(ValueError, match="'loud' cannot play kuhn_poker"):
        play_match(KUHN, [player, Quacks()], 10, 0)


def test_an_object_at_several_seats_is_one_player() -> None:
    player = QuacksALot()
    play_match(LIMIT, [player, player], 10, 0)
    assert player.heard == ["10 deals start", "10 deals end (10, 2)"]
    assert as_agent(as_agent(player)) is not as_agent(player)


@pytest.mark.parametrize("wrong", [object(), Quacks, TightCaller, "random", None])
def test_what_cannot_act_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"is not an agent: it needs a method act\(decisions, rng\)"):
        as_agent(wrong)
    with pytest.raises(TypeError, match=r"find_agent\('chen', game\) returns the agent of a name"):
        as_agent("chen")  # type: ignore[arg-type]


# --- names ------------------------------------------------------------------------------------------------------------


def test_card_envs_does_not_know_who_plays() -> None:
    sources = [path for path in PACKAGE.rglob("*.py") if "card_baselines" in path.read_text()]
    assert sources == []


@pytest.mark.parametrize("spec", ["", "random:", "hf:", "mine.py:", ":Class", ":"])
def test_half_a_name_is_no_agent(spec: str) -> None:
    with pytest.raises(ValueError, match=r'agent .* is not .*"module:Class", "path/to/file.py:Class"') as caught:
        find_agent(spec, KUHN)
    assert "registered as" not in str(caught.value)


@pytest.mark.parametrize("device", ["", "gpu", "cuda:", "cuda:x", "CPU", "mps"])
def test_a_device_has_a_known_name_whoever_plays(device: str) -> None:
    with pytest.raises(ValueError, match=r"device .* is not known: choose auto, cpu, cuda or cuda:N"):
        find_agent("random", KUHN, device)


def test_a_run_folder_may_be_a_path_and_nothing_else_is_a_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"the folder has no config\.json"):
        find_agent(tmp_path, KUHN)
    for spec in (None, 5, b"random", ["random"], RandomAgent()):
        with pytest.raises(TypeError, match="is no name of an agent: pass a text such as 'random'"):
            find_agent(spec, KUHN)  # type: ignore[arg-type]


def test_names_that_lead_nowhere_say_what_is_missing(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("raise SystemExit('it ran')\nclass Mine:\n    def act(self): pass\nclass Other:\n    pass\n")
    for spec, message in {
        str(mine): f'names no class: pass "{mine}:Mine" or "{mine}:Other"',
        "nowhere.py": 'names no class: pass "nowhere.py:Class"',
        str(tmp_path): r"the folder has no config\.json, so it is not that of a training run",
        "allways_call": r"is not known \(did you mean 'always_call'\?\): choose one of \d+ names, .*a training run$",
        "nowhere:Class": "there is no module 'nowhere'",
        "card_envs.agent.base:Agents": "has no class 'Agents' with a method act .did you mean 'RandomAgent'",
        "card_envs.agent.base:Agent": "has no class 'Agent' with a method act",
    }.items():
        with pytest.raises(ValueError, match=message):
            find_agent(spec, KUHN)


@pytest.mark.parametrize(
    ("name", "env", "rules"),
    [
        ("ppo_limit_hu", "limit_holdem-v0", {}),
        ("distilled_limit_hu", "limit_holdem-v0", {}),
        ("mmd_limit_hu", "limit_holdem-v0", {}),
        ("cfr", "leduc_holdem-v0", {}),
        ("shi2022_dual_apu", "limit_holdem-v0", {"num_players": 6}),
        ("zheng2022_ppo", "limit_holdem-v0", {"rules": "rlcard"}),
        ("zheng2022_cheatem", "limit_holdem-v0", {"rules": "rlcard"}),
    ],
)
def test_the_choice_behind_a_name_is_a_switch(name: str, env: str, rules: dict[str, Any]) -> None:
    game = make_game(env, **rules)
    drawing, greedy, again = (find_agent(f"{name}{choice}", game) for choice in ("", ":greedy", ":sampling"))
    assert (drawing.greedy, greedy.greedy, again.greedy) == (False, True, False)
    assert (greedy.name, again.name) == (f"{drawing.name}:greedy", f"{drawing.name}:sampling")
    seen: list[tuple[Any, Any, Any, Any]] = []

    class Asking(Agent):
        encoder = drawing.encoder

        def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
            shown = [np.asarray(each.probabilities(decisions)) for each in (drawing, greedy, again)]
            seen.append((*shown, greedy.act(decisions, rng)))
            return drawing.act(decisions, rng)

    play_match(game, [Asking()] * game.num_seats, hands=20, seed=0)
    for of_drawing, of_greedy, of_again, actions in seen:
        np.testing.assert_array_equal(of_again, of_drawing)
        np.testing.assert_array_equal(of_greedy.sum(axis=1), 1)
        np.testing.assert_array_equal(of_greedy.argmax(axis=1), actions)
        rows = np.arange(len(actions))
        np.testing.assert_array_equal(of_drawing[rows, actions], of_drawing.max(axis=1))
    assert any((of_drawing != of_greedy).any() for of_drawing, of_greedy, _, _ in seen)


def test_agents_that_do_not_mix_are_asked_once() -> None:
    """`mixes` is False for nobody whose action depends on its random numbers, and counts of actions are exact."""
    seen: dict[str, int] = {}
    says: dict[str, bool] = {}
    for env in ("limit_holdem-v0", "big2-v0"):
        game = make_game(env)
        asked = [find_agent(name, game) for name in sorted(SCRIPTED) if name.startswith("big2") == (env == "big2-v0")]

        class Asking(RandomAgent):
            def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
                for agent in asked:  # noqa: B023  used in this round of the loop alone
                    draws = [agent.act(decisions.with_random_numbers(u), rng) for u in rng.random((3, len(decisions)))]
                    differ = np.ptp(draws, axis=0)
                    seen[agent.name] = seen.get(agent.name, 0) + int((differ > 0).sum())
                    says[agent.name] = agent.mixes
                    if not agent.mixes:
                        shown = estimate_probabilities(agent, decisions, rng, draws=4)
                        np.testing.assert_array_equal(shown.argmax(axis=1), draws[0])
                        np.testing.assert_array_equal(shown.max(axis=1), 1)
                return super().act(decisions, rng)

        play_match(game, [Asking()] * game.num_seats, hands=100, seed=0)
    mixing = {name for name, changes in seen.items() if changes}
    assert mixing == {name for name, mixes in says.items() if mixes}
    assert mixing == {"equity", "chen_loose", "sklansky_loose", "shi_rules_loose", "random_low_fold"}


def test_probabilities_are_those_shown_or_else_estimates() -> None:
    decisions, rng = first_decisions(LIMIT, 4), np.random.default_rng(0)
    shown = find_probabilities(RandomAgent(), decisions, rng, draws=2)
    np.testing.assert_allclose(shown, decisions.action_mask / decisions.num_legal[:, None])
    calls = find_probabilities(find_agent("always_call", LIMIT), decisions, rng, draws=2)
    np.testing.assert_array_equal(calls, np.tile([0, 1, 0], (4, 1)))


@pytest.mark.parametrize("draws", [0, -1, 1.5, True])
def test_an_estimate_takes_at_least_one_draw(draws: Any) -> None:
    """Without a draw, exploitability was NaN, or 0."""
    with pytest.raises(ValueError, match="must be a whole number of actions to sample, at least 1"):
        estimate_probabilities(TightCaller(), first_decisions(KUHN), np.random.default_rng(0), draws)


def test_an_estimate_counts_no_illegal_action() -> None:
    class Folds(TightCaller):
        def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
            return np.zeros(len(decisions), np.int64)

    with pytest.raises(ValueError, match=r"agent 'folds' chose the illegal action 0; legal ones were \[1, 2\]"):
        estimate_probabilities(Folds(), first_decisions(KUHN), np.random.default_rng(0), 3)


def test_other_random_numbers_leave_what_was_made() -> None:
    decisions, random_numbers = first_decisions(KUHN, 4), np.zeros(4)
    views, other = decisions.views, decisions.with_random_numbers(random_numbers)
    assert other.views is views and other.random_numbers is random_numbers
    assert decisions.random_numbers is not random_numbers


def test_agents_without_a_choice_say_so() -> None:
    for name in ("random", "always_call", "zheng2022_dqn"):
        game = make_game("limit_holdem-v0", rules="rlcard") if name == "zheng2022_dqn" else LIMIT
        with pytest.raises(ValueError, match=f'{name}.* has one way to choose its actions; omit ":greedy"'):
            find_agent(f"{name}:greedy", game)


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("card_baselines.agents.learned")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(ModuleNotFoundError, match=r"'ppo_limit_hu': safetensors is not .*'card-envs\[train\]'"):
        find_agent("ppo_limit_hu", LIMIT)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution on the path with an agent, a mapping of agents, and an entry point that fails."""
    package, info = tmp_path / "other_players", tmp_path / "other_players-1.0.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "__init__.py").write_text("")
    (package / "registry.py").write_text("AGENTS = {'second': 'other_players.agents:Second', 'third': 'x:Y'}\n")
    (package / "agents.py").write_text(
        "from card_envs.agent import RandomAgent\n"
        "class First(RandomAgent): name = 'first'\n"
        "class DQN(RandomAgent): name = 'in capitals'\n"
        "class Second:\n"
        "    def __init__(self, folder): self.folder = folder\n"
        "    def act(self, decisions, rng): return decisions.action_mask.argmax(axis=1)\n"
    )
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-players\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[card_envs.agents]\nfirst = other_players.agents:First\n"
        "dqn = other_players.agents:DQN\nmany = other_players.registry:AGENTS\n"
        "[card_envs.algorithms]\nnew_way = other_players.training:new_way\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("other_players")]:
        del sys.modules[name]


def test_other_distributions_add_agents_and_algorithms(elsewhere: Path) -> None:
    known = known_agents()
    assert known["first"] == "other_players.agents:First"
    assert known["second"] == "other_players.agents:Second"
    assert {"always_call", "random", "third"} <= set(known)
    agents = [find_agent(name, KUHN) for name in ("dqn", "second")]
    assert play_match(KUHN, agents, 10, 0).names == ("in capitals", "second")
    assert plugins.list_plugins(plugins.ALGORITHMS)["new_way"] == "other_players.training:new_way"


def test_a_mapping_of_a_distribution_may_name_the_folder_of_a_saved_agent(elsewhere: Path) -> None:
    folder = elsewhere / "other_players" / "trained"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"agent": "other_players.agents:Second"}))
    mapping = "AGENTS = {'second': 'other_players.agents:Second', 'shipped': 'other_players/trained'}\n"
    (elsewhere / "other_players" / "registry.py").write_text(mapping)
    assert known_agents()["shipped"] == "other_players/trained"
    agent = find_agent("shipped", KUHN)
    assert agent.name == "shipped" and isinstance(agent, DuckTypedAgent) and agent.player.folder == folder
    (folder / "config.json").write_text(json.dumps({"agent": "other_players.agents:First"}))
    assert find_agent("shipped", KUHN).name == "shipped"  # the location of a registered agent
    (folder / "config.json").write_text(json.dumps({"agent": "os:path"}))
    with pytest.raises(UntrustedNameError, match="names code for its agent: 'os:path'"):
        find_agent("shipped", KUHN)


def test_listing_imports_no_agents(elsewhere: Path) -> None:
    points = elsewhere / "other_players-1.0.dist-info" / "entry_points.txt"
    points.write_text("[card_envs.agents]\nfirst = other_players.agents:First\nmany = other_players.registry:AGENTS\n")
    assert {"first", "second"} <= set(known_agents())
    assert "other_players.agents" not in sys.modules


def test_run_folders_name_agents_that_distributions_registered(elsewhere: Path) -> None:
    folder = elsewhere / "run"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"agent": "other_players.agents:Second"}))
    assert find_agent(str(folder), KUHN).name == "second"
    (elsewhere / "other_players-1.0.dist-info" / "entry_points.txt").write_text("")
    plugins._points_on.cache_clear()
    with pytest.raises(ValueError, match=r"may only name one of .*'mlp'.*, or the location of a registered agent"):
        find_agent(str(folder), KUHN)


def test_entry_points_that_cannot_be_read_are_left_out_with_a_warning(elsewhere: Path) -> None:
    points = elsewhere / "other_players-1.0.dist-info" / "entry_points.txt"
    for value, message in {
        "other_players.nothing:AGENTS": "cannot be read: No module named",
        "other_players.registry:NOTHING": "cannot be read",
        "other_players.agents:__FILE__": "cannot be read",
    }.items():
        points.write_text(f"[card_envs.agents]\nwrong = {value}\n")
        plugins._points_on.cache_clear()
        with pytest.warns(RuntimeWarning, match=message):
            assert "always_call" in known_agents()


def test_a_name_belongs_to_who_has_it_first(elsewhere: Path) -> None:
    points = elsewhere / "other_players-1.0.dist-info" / "entry_points.txt"
    points.write_text("[card_envs.saved_agents]\nmlp = evil:Agent\n")
    with pytest.warns(RuntimeWarning, match="'mlp' of .* is left out: .* has that name in card_envs.saved_agents"):
        plugins.list_plugins(plugins.SAVED_AGENTS)


def test_without_metadata_an_import_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "_points_on", lambda group, path: ())
    assert "always_call" in known_agents()  # this file imported card_baselines
    monkeypatch.setattr(plugins, "_registered", {group: {} for group in plugins.GROUPS})
    assert list(known_agents()) == ["random"]
    with pytest.raises(ValueError, match=r"No package has registered agents: install one .* or import it first"):
        find_agent("always_call", KUHN)
    plugins.register(plugins.AGENTS, {"mine": f"{__name__}:Named"})
    assert known_agents()["mine"] == f"{__name__}:Named"
    with pytest.raises(ValueError, match="group 'agents' is not known: choose one of"):
        plugins.register("agents", {})


# --- weights ----------------------------------------------------------------------------------------------------------


def damaged(tmp_path: Path, change: Any) -> str:
    """The folder of a shipped agent, a copy, with its first tensor of weights changed."""
    [shipped] = (PACKAGE.parent / "baselines").rglob("pretrained/ppo_limit_hu")
    weights = load_file(shipped / "policy.safetensors")
    name = sorted(weights)[0]
    weights[name] = change(weights[name].clone())
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "config.json").write_bytes((shipped / "config.json").read_bytes())
    save_file(weights, folder / "policy.safetensors")
    return str(folder)


def with_one(value: float) -> Any:
    def change(tensor: torch.Tensor) -> torch.Tensor:
        tensor.view(-1)[3] = value
        return tensor

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_one(float("nan")), "1 of .* weights in layers.* are NaN or infinite: the training diverged"),
        (with_one(float("inf")), "1 of .* weights in layers.* are NaN or infinite"),
        (lambda tensor: tensor.double(), r"is torch\.float64: weights must be float16, float32, or int8 with"),
        (lambda tensor: tensor.to(torch.int8), r"is torch\.int8: weights must be float16, float32, or int8 with"),
        (lambda tensor: tensor[:-1].contiguous(), r"config\.json describes a network of 86,275 weights, but .* 86,274"),
    ],
)
def test_weights_that_no_training_leaves_are_refused(tmp_path: Path, change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find_agent(damaged(tmp_path, change), LIMIT)


def test_quantised_weights_are_read_as_numbers_near_those_that_were_written(tmp_path: Path) -> None:
    weights = {"matrix": torch.randn(5, 40) * torch.logspace(-3, 3, 5)[:, None], "bias": torch.randn(5)}
    weights["matrix"][3] = 0.0
    stored = quantise_weights(weights)
    assert stored["matrix"].dtype == torch.int8 and stored["bias"].dtype == torch.float16
    save_file(stored, tmp_path / "weights.safetensors")
    read = read_weights(tmp_path / "weights.safetensors")
    assert set(read) == set(weights)
    largest = weights["matrix"].abs().amax(dim=1, keepdim=True)
    assert ((read["matrix"] - weights["matrix"]).abs() <= largest / 253).all()
    assert ((read["matrix"] - weights["matrix"]).abs() > 0).any()
    assert torch.equal(read["bias"], weights["bias"].half())
    for change in (
        {"matrix.scale": stored["matrix.scale"][:4].clone()},
        {"matrix": weights["matrix"]},
        {"other.scale": stored["matrix.scale"].clone()},
    ):
        save_file({**stored, **change}, tmp_path / "weights.safetensors")
        with pytest.raises(ValueError, match=r"\.scale must be the scales of the rows of an int8 matrix"):
            read_weights(tmp_path / "weights.safetensors")
    save_file({**stored, "matrix.scale": stored["matrix.scale"] * torch.nan}, tmp_path / "weights.safetensors")
    with pytest.raises(ValueError, match="200 of 200 weights in matrix are NaN or infinite"):
        read_weights(tmp_path / "weights.safetensors")


def test_a_folder_without_weights_or_with_half_of_them_is_refused(tmp_path: Path) -> None:
    folder = damaged(tmp_path, lambda tensor: tensor)
    weights = Path(folder) / "policy.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"policy\.safetensors holds no weights, or is damaged"):
        find_agent(folder, LIMIT)
    weights.unlink()
    with pytest.raises(ValueError, match=r"run holds no policy\.safetensors: no training has saved a policy there"):
        find_agent(folder, LIMIT)


@pytest.fixture
def usual_umask() -> Iterator[None]:
    if sys.platform == "win32":
        pytest.skip("Windows has other rights")
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_others_may_read_what_a_run_leaves_as_far_as_the_umask_allows(tmp_path: Path, usual_umask: None) -> None:
    with replace_file(tmp_path / "policy.safetensors") as temporary:
        save_file({"weights": torch.zeros(2)}, temporary)
    assert (tmp_path / "policy.safetensors").stat().st_mode & 0o777 == 0o644


def test_others_may_read_an_agent_that_is_made_small(tmp_path: Path, usual_umask: None) -> None:
    shipped = PACKAGE.parent / "baselines/card_baselines/agents/learned/pretrained/ppo_limit_hu"
    assert export_pretrained(shipped, tmp_path / "small") == 0.0  # its weights are float16 already
    rights = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "small").iterdir()}
    assert rights["policy.safetensors"] == 0o644 and set(rights.values()) == {0o644}


def test_an_exported_agent_is_a_quarter_of_its_size_and_names_no_folder_of_the_machine(tmp_path: Path) -> None:
    shipped = PACKAGE.parent / "baselines/card_baselines/agents/learned/pretrained/ppo_limit_hu"
    run, small = tmp_path / "run", tmp_path / "small"
    shutil.copytree(shipped, run)
    config = json.loads((run / "config.json").read_text())
    for start, exported in ((str(tmp_path / "first"), "runs/first"), ("ppo_limit_hu", "ppo_limit_hu")):
        (run / "config.json").write_text(json.dumps(config | {"start_from": start}))
        assert 0.0 < export_pretrained(run, small, int8=True) < 0.02
        assert json.loads((small / "config.json").read_text()) == config | {"start_from": exported}
    sizes = [(folder / "policy.safetensors").stat().st_size for folder in (run, small)]
    assert sizes[1] < 0.55 * sizes[0]  # of float16
    results = play_match(
        LIMIT, [find_agent(str(folder), LIMIT) for folder in (run, small)], 2000, seed=0, duplicate=True
    )
    assert abs(results.agents[0].mean) < 0.1
