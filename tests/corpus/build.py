"""Write the corpus: for every rule, random hands that show it, as PHH, and what each rules profile expects of them.

    python -m tests.corpus.build

Expectations of `standard` are confirmed by PokerKit, those of `acpc` by OpenSpiel and those of `rlcard` by RLCard where
these can play the game; a difference ends the program, and nothing is written.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rich.progress import track

from card_envs.history import dump_hand
from card_envs.history.hand_record import DEAL_BOARD, DEAL_HOLE, SHOW, HandRecord, Move
from card_envs.history.phh.files import phh_of
from tests.corpus import engines
from tests.corpus.corpus import FOLDER
from tests.corpus.rules import RULES, Rule
from tests.helpers.holdem_hands import Found, Hand, random_hand

HANDS_PER_RULE = 5
MOST_TRIES = 30_000


def main() -> None:
    """Find the hands, confirm them, write the files."""
    hands = {
        f"{name}-{number}": hand
        for name, rule in track(RULES.items(), "searching")
        for number, hand in enumerate(hands_that_show(name, rule), start=1)
    }
    confirmed = confirm(hands)
    shutil.rmtree(FOLDER / "hands", ignore_errors=True)
    (FOLDER / "hands").mkdir(parents=True)
    for name, hand in hands.items():
        (FOLDER / "hands" / f"{name}.phh").write_text(phh_text(name, hand), encoding="utf-8")
    lines = [f"{json.dumps(name)}: {json.dumps(entry(name, hand, confirmed[name]))}" for name, hand in hands.items()]
    (FOLDER / "expectations.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(hands)} hands for {len(RULES)} rules")


def rule_of(name: str) -> str:
    """Return the rule that a hand of the corpus shows."""
    return name.rpartition("-")[0]


def hands_that_show(name: str, rule: Rule) -> Iterator[Hand]:
    """Yield random hands that show a rule; the same ones every time."""
    rng = random.Random(name)
    found = 0
    for _ in range(MOST_TRIES):
        config = rule.config(rng)
        deck = rng.sample(range(52), config.num_dealt)
        if rule.cards is not None:
            first = 2 * config.num_players
            hole_cards = [deck[k : k + 2] for k in range(0, first, 2)]
            if not rule.cards(hole_cards, deck[first:]):
                continue
        hand = random_hand(rng, config, rule.choose, deck)
        if rule.shows(hand):
            yield hand
            found += 1
        if found == HANDS_PER_RULE:
            return
    raise RuntimeError(f"only {found} of {MOST_TRIES} random hands show {name}")


def confirm(hands: dict[str, Hand]) -> dict[str, dict[str, str]]:
    """Return which engine confirms which profile's expectations of each hand; raise RuntimeError if one does not."""
    confirmed: dict[str, dict[str, str]] = {name: {} for name in hands}
    for name, hand in track(hands.items(), "confirming"):
        require(name, hand, "standard", engines.found_by_pokerkit(hand))
        confirmed[name]["standard"] = "PokerKit"
        if engines.rlcard_plays(hand):
            require(name, hand, "rlcard", engines.found_by_rlcard(hand))
            confirmed[name]["rlcard"] = "RLCard"
    playable = [name for name, hand in hands.items() if engines.openspiel_plays(hand)]
    found = engines.found_by_openspiel([hands[name] for name in playable], as_it_is=False)
    for name, answer in zip(playable, found, strict=True):
        hand = hands[name]
        is_limit = hand.config.structure == "limit"
        expected = engines.found_by_us(hand, "acpc")
        if not engines.same(expected, answer, is_limit, hand):
            raise RuntimeError(f"{name}: acpc expects {expected}, OpenSpiel finds {answer}")
        confirmed[name]["acpc"] = "OpenSpiel"
    return confirmed


def require(name: str, hand: Hand, profile: str, found: Found) -> None:
    """Raise RuntimeError unless an engine finds what a profile expects."""
    expected = engines.found_by_us(hand, profile)
    if not engines.same(expected, found):
        raise RuntimeError(f"{name}: {profile} expects {expected}, another engine finds {found}; {hand}")


def phh_text(name: str, hand: Hand) -> str:
    """Return a hand as a PHH file that names its rule."""
    rule, n = RULES[rule_of(name)], len(hand.stacks)
    shows = [position for position in range(n) if not hand.folded[position]]
    record = HandRecord(
        source=name,
        config=replace(hand.config, rules=rule.profile),
        number=int(name.rpartition("-")[2]),
        stacks=tuple(hand.stacks),
        known=(*(card for cards in hand.hole_cards for card in cards), *hand.board),
        moves=(
            *(Move(DEAL_HOLE, position, cards=tuple(cards)) for position, cards in enumerate(hand.hole_cards)),
            *betting(hand, is_showdown=len(shows) > 1),
            *(Move(SHOW, position, cards=tuple(hand.hole_cards[position])) for position in shows if len(shows) > 1),
        ),
        results={"values": list(hand.payoffs)},
        names=tuple(f"p{position + 1}" for position in range(n)),
    )
    trimmed = not hand.config.profile.dead_antes
    return dump_hand(phh_of(record, {"ante_trimming_status": trimmed, "event": rule.says})) + "\n"


def betting(hand: Hand, is_showdown: bool) -> Iterator[Move]:
    """Yield the decisions of a hand, and the board cards between and after them."""
    boards = [hand.board[:3], hand.board[3:4], hand.board[4:5]]
    dealt = 0
    for street, options, (kind, raise_to) in zip(hand.streets, hand.trace, hand.decisions, strict=True):
        for cards in boards[dealt:street]:
            yield Move(DEAL_BOARD, cards=tuple(cards))
        dealt = max(dealt, street)
        yield Move(kind, options.position, amount=raise_to)
    for cards in boards[dealt:] if is_showdown else []:
        yield Move(DEAL_BOARD, cards=tuple(cards))


def entry(name: str, hand: Hand, confirmed: dict[str, str]) -> dict[str, Any]:
    """Return what is expected of a hand, as JSON has it; see the README beside it."""
    return {
        "rule": RULES[rule_of(name)].says,
        "recorded_under": RULES[rule_of(name)].profile,
        **{
            profile: expectation(hand, profile, confirmed.get(profile))
            for profile in engines.PROFILES
            if profile != "rlcard" or engines.rlcard_plays(hand)
        },
    }


def expectation(hand: Hand, profile: str, confirmed_by: str | None) -> dict[str, Any]:
    """Return the options at every decision and the payoffs under one profile."""
    found = engines.found_by_us(hand, profile)
    decisions = [[f"p{o.position + 1}", o.may_fold, o.to_call, o.raise_to] for o in found.trace]
    result = (
        {"payoffs": [int(chips) for chips in found.payoffs]} if found.refused is None else {"refused": found.refused}
    )
    return {"decisions": decisions, **result, "confirmed_by": confirmed_by}


if __name__ == "__main__":
    main()
