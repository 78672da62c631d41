"""Saved matches step by step, where agents think in the right place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from card_baselines.web.catalogue import Catalogue
from card_baselines.web.replay import Library, read_recording
from card_baselines.web.store import Store
from card_envs.agent import Agent, find_agent
from card_envs.envs import make_game
from card_envs.game import Game
from card_envs.history import MatchFile
from card_envs.history.formats import load_recorded_hands
from card_envs.history.replay import RecordedHand
from card_envs.match import MatchResult, play_match


def saved_match(path: Path, game: Game, hands: int = 12) -> MatchResult:
    agents: list[Agent] = [find_agent("random", game) for _ in range(game.num_seats)]
    for number, agent in enumerate(agents):
        agent.name = f"agent{number}"
    with MatchFile(path, game, [agent.name for agent in agents], 5) as file:
        return play_match(game, agents, hands, 5, callbacks=[file])


def test_a_page_steps_through_files_and_agents_think_as_in_their_own_game(tmp_path: Path) -> None:
    game = make_game("no_limit_holdem-v0", num_players=2)
    saved_match(tmp_path / "saved" / "match.phhs", game)
    catalogue = Catalogue()
    library = Library(catalogue, Store(tmp_path / "results.sqlite"), [tmp_path / "saved"])
    (listed,) = library.list_recordings()
    described = library.describe(listed["name"])
    assert len(described["hands"]) == 12
    offered = {player["name"] for player in described["agents"]}
    assert {"random", "tight_aggressive", "cfr", "cfr:greedy"} & offered == {"random", "tight_aggressive"}
    for step in range(len(library.moment(listed["name"], 3, 0).moves) + 1):
        moment = library.moment(listed["name"], 3, step)
        (theirs,) = (moment.recorded.tables_after(step, other) for other in moment.recorded.others)
        assert int(theirs["pot"][0]) == int(moment.tables["pot"][0])
        assert np.array_equal(theirs["deck"], moment.tables["deck"])
        thought = library.advise(moment, "random")
        assert (thought is None) == (step == len(moment.moves))
        if thought is not None:
            assert sum(each["probability"] for each in thought["actions"]) == pytest.approx(1)
    with pytest.raises(ValueError, match="hand 12 must be in"):
        library.moment(listed["name"], 12, 0)
    with pytest.raises(ValueError, match="step 99 must be in"):
        library.moment(listed["name"], 3, 99)


def test_hands_without_hole_cards_are_not_shown_on_the_page(tmp_path: Path) -> None:
    path = tmp_path / "hidden.phh"
    path.write_text(
        "variant = 'NT'\nantes = [0, 0]\nblinds_or_straddles = [1, 2]\nmin_bet = 2\nstarting_stacks = [100, 100]\n"
        "actions = ['d dh p1 ????', 'd dh p2 ????', 'p2 cbr 6', 'p1 f']\n"
    )
    (hand,) = load_recorded_hands(path)
    assert isinstance(hand, RecordedHand) and hand.unknown_seats == (0, 1)
    assert int(hand.tables_after(2)["is_over"][0]) == 1
    assert not read_recording(path, Catalogue()).hands
