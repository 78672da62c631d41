"""Hands of the store as files: a line each in CSV, or in the formats of recorded hands."""

from __future__ import annotations

import csv
from pathlib import Path

from card_baselines.web.catalogue import Catalogue
from card_baselines.web.results import MatchHands
from card_baselines.web.session import format_settings, table_after
from card_baselines.web.store import Store
from card_envs.files import replace_file
from card_envs.history import MatchFile

_COLUMNS = ("session", "started", "env", "settings", "seed", "hand", "deal", "place", "name", "agent", "seat",
            "payoff", "unit", "actions")  # fmt: skip


def write_hands(store: Store, catalogue: Catalogue, path: Path) -> int:
    """Write all finished hands to a .csv file, or into a folder of recorded hands; return how many.

    Raises ValueError if there is something of that name, or for other endings.
    """
    if path.exists():
        raise ValueError(f"{path} exists already: choose another name, or delete it first")
    if path.suffix and path.suffix != ".csv":
        raise ValueError(f"{path}: hands are exported to a .csv file, or into a folder (PHH, ACPC or Big 2 text)")
    return _write_csv(store, catalogue, path) if path.suffix else _write_folder(store, catalogue, path)


def _write_csv(store: Store, catalogue: Catalogue, path: Path) -> int:
    """Write a line for every place of every hand."""
    count = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(_COLUMNS)
        for session, game in catalogue.pair_with_games(store.sessions()):
            plan = session.plan
            seed = "" if plan.secret else plan.seed
            for hand in store.hands(session.id):
                if hand.payoffs is None:
                    continue
                count += 1
                tables, words = table_after(game, plan, hand.number, ()), []
                for action in hand.actions:
                    words.append(game.action_name(tables, 0, action))
                    game.step(tables, 0, action)
                for place, who in enumerate(plan.places):
                    table.writerow(
                        [session.id, session.started, plan.env, format_settings(plan), seed, hand.number,
                         plan.deal(hand.number), place, who.name, who.agent or "", plan.seat_of(place, hand.number),
                         hand.payoffs[place] / game.chips_per_reward, game.unit, "; ".join(words)]
                    )  # fmt: skip
    return count


def _write_folder(store: Store, catalogue: Catalogue, folder: Path) -> int:
    """Write a folder with a file for each session that has hands; games without a format are left out."""
    folder.mkdir(parents=True)
    count = 0
    for session, game in catalogue.pair_with_games(store.sessions()):
        hands = MatchHands(game, [(session, store.hands(session.id))])
        names = [place.name for place in session.plan.places]
        if not hands.hands:
            continue
        try:
            seed = None if session.plan.secret else session.plan.seed
            file = MatchFile(folder / f"session{session.id}", game, names, seed)
        except ValueError:  # no format describes the game
            continue
        with file:
            hands.follow(file)
        count += len(hands.hands)
    return count
