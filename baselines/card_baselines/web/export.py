"""Export of the hands of the store: to a CSV file, or to files of recorded hands."""

from __future__ import annotations

import csv
from pathlib import Path

from card_baselines.web.catalogue import Catalogue
from card_baselines.web.results import MatchHands, list_finished_hands
from card_baselines.web.session import deal_table, format_settings, name_actions
from card_baselines.web.store import Store
from card_envs.damaged_files import explain_damage
from card_envs.files import replace_file
from card_envs.history import MatchFile

_COLUMNS = ("session", "started", "env", "settings", "seed", "hand", "deal", "player", "name", "agent", "seat",
            "payoff", "unit", "actions")  # fmt: skip


def write_hands(store: Store, catalogue: Catalogue, path: Path) -> int:
    """Write all finished hands to a .csv file or into a new folder of recorded hands, and return their number.

    Raises:
        ValueError: The path exists, or has another ending; or the store is damaged.
    """
    if path.exists():
        raise ValueError(f"{path} exists already: choose another name, or delete it first")
    if path.suffix and path.suffix != ".csv":
        raise ValueError(f"{path}: hands are exported to a .csv file, or into a folder (PHH, ACPC or Big 2 text)")
    with explain_damage(store.path):
        return _write_csv(store, catalogue, path) if path.suffix else _write_folder(store, catalogue, path)


def _write_csv(store: Store, catalogue: Catalogue, path: Path) -> int:
    """Write a line for every player of every hand."""
    count = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(_COLUMNS)
        for session, game in catalogue.pair_with_games(store.sessions()):
            plan = session.plan
            seed = "" if plan.secret else plan.seed
            for hand in list_finished_hands(game, session, store.hands(session.id)):
                assert hand.payoffs is not None
                count += 1
                moves = name_actions(game, deal_table(game, plan, hand.number), hand.actions)
                for index, player in enumerate(plan.players):
                    seat = plan.seat_of(index, hand.number)
                    table.writerow(
                        [session.id, session.started, plan.env, format_settings(plan), seed, hand.number,
                         plan.deal(hand.number), index, player.name, player.agent or "", seat,
                         hand.payoffs[index] / game.chips_per_reward, game.unit, "; ".join(words for _, words in moves)]
                    )  # fmt: skip
    return count


def _write_folder(store: Store, catalogue: Catalogue, folder: Path) -> int:
    """Write a file for each session with hands; leave out games that no format of recorded hands describes."""
    folder.mkdir(parents=True)
    count = 0
    for session, game in catalogue.pair_with_games(store.sessions()):
        hands = MatchHands(game, [(session, store.hands(session.id))])
        names = [player.name for player in session.plan.players]
        if not hands.hands:
            continue
        try:
            seed = None if session.plan.secret else session.plan.seed
            file = MatchFile(folder / f"session{session.id}", game, names, seed)
        except ValueError:  # no format describes the game
            continue
        with file:
            hands.replay(file)
        count += len(hands.hands)
    return count
