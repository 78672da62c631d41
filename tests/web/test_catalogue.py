"""What a page may ask for: names alone, and how a network chooses its actions."""

import pytest

from card_baselines.web.catalogue import Catalogue, short_name
from card_envs.envs import make_game


def test_a_page_offers_agents_that_draw_their_actions_in_both_ways() -> None:
    catalogue = Catalogue(["leduc_holdem-v0"])
    offered = {player.name: player.summary for player in catalogue.agents("leduc_holdem-v0", "")}
    assert {"cfr", "cfr:greedy", "random"} <= set(offered)
    assert "random:greedy" not in offered
    assert offered["cfr:greedy"].endswith("; takes the likeliest action.")
    assert catalogue.agent("cfr:greedy", make_game("leduc_holdem-v0")).greedy


def test_a_page_offers_networks_with_search() -> None:
    catalogue = Catalogue(["big2-v0", "limit_holdem-v0"])
    for env, played, others in (
        ("big2-v0", "ppo_big2:rollout", {"ppo_big2:resolve", "big2_planner:rollout", "random:rollout"}),
        ("limit_holdem-v0", "cfr_small:resolve", {"cfr_small:rollout", "chen:resolve", "resolve:resolve"}),
    ):
        offered = {player.name: player.summary for player in catalogue.agents(env, "")}
        assert offered[played].endswith("; searches before it acts.")
        assert not others & set(offered)
        assert catalogue.agent(played, make_game(env)).name == played


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"agents": ["nobody"]}, "agent 'nobody' is not known"),
        ({"agents": ["random", "ppo_big2"]}, "was trained for game 'big2'"),
        ({"agents": ["./nobody.py:Nobody"]}, "there is no file"),
        ({"settings": ["num_players=99"]}, "num_players"),
    ],
)
def test_what_a_server_cannot_offer_is_refused_when_it_starts(given: dict[str, list[str]], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Catalogue(["leduc_holdem-v0"], **given)


def test_an_agent_needs_to_play_one_of_the_games_only() -> None:
    names = [player.name for player in Catalogue(agents=["ppo_big2"]).agents("big2-v0", "")]
    assert names[0] == "ppo_big2"


def test_what_is_not_offered_is_refused_with_a_choice_too() -> None:
    catalogue = Catalogue(["kuhn_poker-v0"])
    for name in ("nobody:greedy", "cfr:bravely", "/etc:greedy"):
        with pytest.raises(ValueError, match="is not offered here"):
            catalogue.agent(name, make_game("kuhn_poker-v0"))


def test_a_setting_is_one_of_a_game_that_is_offered() -> None:
    assert Catalogue(["kuhn_poker-v0", "limit_holdem-v0"], settings=["stacks=50"]).settings("kuhn_poker-v0", "") == {}
    with pytest.raises(ValueError, match="no game of kuhn_poker-v0, big2-v0 has a setting 'stacks'"):
        Catalogue(["kuhn_poker-v0", "big2-v0"], settings=["stacks=50"])


def test_an_agent_of_the_server_keeps_its_choice_behind_its_short_name() -> None:
    assert short_name("runs/limit/s0-1:greedy") == "s0-1:greedy"
    assert short_name("players/mine.py:Mine:sampling") == "Mine:sampling"
    assert short_name("players/mine.py:Mine") == "Mine"
    assert short_name("runs/big2/s0-1:rollout") == "s0-1:rollout"
