"""OpenSpiel's universal_poker and our tables play the same random hands, and translate each other's action numbers.

Our tables offer no raises that nobody left could call, ask no seat that can only check, and pay whole chips.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

pytest.importorskip("pyspiel")

import pyspiel

from card_envs import make_game
from card_envs.game import NOBODY, Game
from card_wrappers.openspiel.universal_poker import (
    Abstraction,
    apply_universal_poker,
    from_universal_poker,
    to_universal_poker,
)

CALL = 1


STAKES = {"small_blind": 5, "big_blind": 10, "rules": "acpc"}


def load(betting: str, abstraction: str, players: int, stack: int) -> Any:
    """Return universal_poker with blinds of 5 and 10; heads-up player 0 is the big blind."""
    blinds, opener = ("10 5", 2) if players == 2 else ("5 10" + " 0" * (players - 2), 1 + 2 % players)
    caps = "raiseSize=10 10 20 20,maxRaises=3 4 4 4," if betting == "limit" else ""
    return pyspiel.load_game(
        f"universal_poker(betting={betting},bettingAbstraction={abstraction},{caps}numPlayers={players},numRounds=4,"
        f"blind={blinds},firstPlayer={opener} 1 1 1,numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,"
        f"stack={' '.join([str(stack)] * players)})"
    )


def load_flop(sizes: str, caps: str) -> Any:
    """Return flop hold'em; papers write blind=50 100 and firstPlayer=1 2 for the same game."""
    return pyspiel.load_game(
        "universal_poker(betting=limit,bettingAbstraction=fcpa,numPlayers=2,numRounds=2,blind=100 50,firstPlayer=2 1,"
        f"raiseSize={sizes},maxRaises={caps},numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3)"
    )


def limit(players: int) -> Game:
    return make_game("limit_holdem-v0", num_players=players, stacks=1000, **STAKES)


def no_limit(players: int, stack: int, bet_menu: str = "integers") -> Game:
    return make_game("no_limit_holdem-v0", num_players=players, stacks=stack, bet_menu=bet_menu, **STAKES)


class Hand:
    """One hand in both engines, with the same cards."""

    def __init__(self, game: Game, other: Any, abstraction: Abstraction, rng: random.Random) -> None:
        self.game, self.abstraction, self.rng = game, abstraction, rng
        players = game.num_seats
        self.cards = rng.sample(range(52), game.config.num_dealt)
        self.tables = game.seeded_tables(1, 0)
        game.deal_with(self.tables, 0, {"deck": self.cards, "button": players - 1})
        self.state = other.new_initial_state()
        self.dealt = iter(self.cards)
        self.deal()

    def deal(self) -> None:
        while self.state.is_chance_node():
            self.state.apply_action(next(self.dealt))

    def numbers(self) -> list[int]:
        """Return the legal numbers, without raises that nobody left could call, which our tables do not offer."""
        t = self.tables[0]
        others = [seat for seat in range(int(t.num_seats)) if seat != t.actor and int(t.in_hand) >> seat & 1]
        can_call = any(t.stack[seat] + t.street_commit[seat] > t.current_bet for seat in others)
        return [number for number in self.state.legal_actions() if number <= CALL or can_call]

    def apply(self, number: int) -> None:
        """Apply a number to both, and compare the chips that everybody has put in."""
        apply_universal_poker(self.tables, 0, number, self.abstraction)
        self.state.apply_action(number)
        t = self.tables[0]
        chips = t.hand_commit[: int(t.num_seats)].tolist()
        if not self.state.is_terminal():
            assert self.state.to_struct().player_contributions == chips
        self.deal()
        self.skip_checks_that_are_no_choice()

    def skip_checks_that_are_no_choice(self) -> None:
        """Let players check who have no opponent with chips; our tables do not ask them."""
        while not self.state.is_terminal() and self.state.current_player() != int(self.tables["actor"][0]):
            assert CALL in self.state.legal_actions()
            self.state.apply_action(CALL)
            self.deal()

    def choose(self, numbers: list[int]) -> int:
        """Return a number; bets of all sizes together are as likely as calling."""
        bets = [number for number in numbers if number > CALL]
        calm = [number for number in numbers if number == CALL] * 4 + [number for number in numbers if number < CALL]
        return self.rng.choice(bets) if bets and self.rng.random() < 0.4 else self.rng.choice(calm)

    def end(self) -> None:
        assert int(self.tables["actor"][0]) == NOBODY and self.state.is_terminal()
        payoffs = self.tables["payoff"][0, : self.game.num_seats].tolist()
        # universal_poker pays odd chips in fractions
        assert all(abs(a - b) < len(payoffs) for a, b in zip(payoffs, self.state.returns(), strict=True))


GAMES: dict[str, tuple[Game, Any, Abstraction, int]] = {
    "limit": (limit(2), load("limit", "fcpa", 2, 1000), "fcpa", 200),
    "limit for three": (limit(3), load("limit", "fcpa", 3, 1000), "fcpa", 100),
    "limit for four": (limit(4), load("limit", "fcpa", 4, 1000), "fcpa", 50),
    "every amount": (no_limit(2, 400), load("nolimit", "fullgame", 2, 400), "fullgame", 200),
    "every amount for three": (no_limit(3, 150), load("nolimit", "fullgame", 3, 150), "fullgame", 100),
    "every amount for six": (no_limit(6, 80), load("nolimit", "fullgame", 6, 80), "fullgame", 60),
    "half pot and pot": (no_limit(2, 2000, "fchpa"), load("nolimit", "fchpa", 2, 2000), "fchpa", 200),
    "half pot and pot, short": (no_limit(2, 90, "fchpa"), load("nolimit", "fchpa", 2, 90), "fchpa", 100),
    "pot": (no_limit(2, 730, "fcpa"), load("nolimit", "fcpa", 2, 730), "fcpa", 100),
    "flop hold'em": (make_game("flop_holdem-v0"), load_flop("100 100", "3 3"), "fcpa", 300),
    "flop hold'em of DREAM": (
        make_game("flop_holdem-v0", bet_sizes=(1, 2), max_raises=(3, 4)), load_flop("100 200", "3 4"), "fcpa", 300
    ),
}  # fmt: skip
"""Our game, theirs, which of its numbers are used, and how many hands are played."""


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("times", [1, pytest.param(100, marks=pytest.mark.slow)])
def test_random_hands_are_those_of_universal_poker_and_numbers_are_translated(name: str, times: int) -> None:
    game, other, abstraction, hands = GAMES[name]
    rng = random.Random(3)
    num_bets = 0
    for _ in range(hands * times):
        hand = Hand(game, other, abstraction, rng)
        while not hand.state.is_terminal():
            numbers = hand.numbers()
            if abstraction != "fchpa":  # theirs leaves out sizes that ours offers as well
                assert len(numbers) == len(game.legal_actions(hand.tables, 0))
            for number in numbers if len(numbers) <= 8 else [*numbers[:4], *numbers[-2:], *rng.sample(numbers, 3)]:
                action = from_universal_poker(game, hand.tables, 0, number, abstraction)
                assert to_universal_poker(game, hand.tables, 0, action, abstraction) == number
            for number in {2, 3, 4, 5, 2001, -1} - set(numbers):
                with pytest.raises(ValueError, match="not a legal action"):
                    from_universal_poker(game, hand.tables, 0, number, abstraction)
            number = hand.choose(numbers)
            num_bets += number > CALL
            hand.apply(number)
        hand.end()
    assert num_bets > hands


def dealt(game: Game) -> Any:
    tables = game.seeded_tables(1, 0)
    game.deal_with(tables, 0, {"button": 1})
    return tables


def test_any_amount_is_applied_whatever_the_bet_menu() -> None:
    game = no_limit(2, 400, "fchpa")
    rng, odd = random.Random(4), 0
    for _ in range(60):
        hand = Hand(game, load("nolimit", "fullgame", 2, 400), "fullgame", rng)
        while not hand.state.is_terminal():
            number = hand.choose(hand.numbers())
            odd += number > CALL and number % 10 != 0
            hand.apply(number)
        hand.end()
    assert odd > 30


@pytest.mark.parametrize("number", [1.0, True, "1", None])
def test_numbers_of_other_types_are_refused(number: Any) -> None:
    game = make_game("no_limit_holdem-v0", num_players=2, rules="acpc")
    tables = game.seeded_tables(1, 1)
    game.deal(tables, 0)
    before = tables.tobytes()
    for convert in (to_universal_poker, from_universal_poker):
        with pytest.raises(ValueError, match="must be a whole number"):
            convert(game, tables, 0, number)
    with pytest.raises(ValueError, match="must be a whole number"):
        apply_universal_poker(tables, 0, number)
    assert tables.tobytes() == before


def test_what_has_no_number_is_refused() -> None:
    game = no_limit(2, 400)
    tables = dealt(game)
    raise_to_25 = from_universal_poker(game, tables, 0, 25)
    assert to_universal_poker(game, tables, 0, raise_to_25) == 25
    with pytest.raises(ValueError, match="raising to 25 is none of the bets that fchpa offers"):
        to_universal_poker(game, tables, 0, raise_to_25, "fchpa")
    with pytest.raises(ValueError, match="not legal"):
        apply_universal_poker(tables, 0, 19)
    with pytest.raises(ValueError, match="legal"):
        to_universal_poker(game, tables, 0, 3)
    with pytest.raises(ValueError, match="abstraction 'fc' is not known"):
        from_universal_poker(game, tables, 0, 2, "fc")  # type: ignore[arg-type]
    coarse = no_limit(2, 400, "fcpa")
    with pytest.raises(ValueError, match="number 25 of fullgame is not a legal action of no_limit_holdem"):
        from_universal_poker(coarse, dealt(coarse), 0, 25)


@pytest.mark.parametrize("abstraction", ["fullgame", "fcpa", "fchpa"])
def test_a_number_of_no_bet_never_means_a_call(abstraction: Abstraction) -> None:
    game = no_limit(3, 100)
    tables = game.seeded_tables(1, 0)
    game.deal_with(tables, 0, {"button": 2})
    numbers = (-(2**70), -11, -1, 5, 9, 101, 2**70)
    for _ in range(4):
        before = tables.tobytes()
        for number in numbers:
            with pytest.raises(ValueError, match=f"number {number} of {abstraction} is not"):
                from_universal_poker(game, tables, 0, number, abstraction)
            with pytest.raises(ValueError, match=f"number {number} of {abstraction} is not legal"):
                apply_universal_poker(tables, 0, number, abstraction)
        assert tables.tobytes() == before
        game.step(tables, 0, CALL)
