"""Matches of our agents against Slumbot, a public bot for heads-up no-limit hold'em, over its HTTP interface.

This module is not tested against the service: it uses the format of public clients, and its tests use a local server
with this format. It sends nothing before `SlumbotPlayer.play` is iterated.

Slumbot plays the no-limit game of the Annual Computer Poker Competition, with blinds of 50 and 100, and 20,000 chips in
every hand. `POST /api/new_hand` and `POST /api/act` take and return JSON objects:

* `token`: id of the session, which every request repeats
* `client_pos`: position of the client, 0 for the big blind, 1 for the small blind
* `hole_cards`, `board`: such as ["Ah", "Kd"]
* `action`: the betting: k checks, c calls, f folds, bN bets or raises to N chips on the street; "/" divides streets
* `incr` (only in requests): the client's decision, in the same letters
* `winnings`: chips that the client won or lost, when the hand is over
* `bot_hole_cards`: Slumbot's cards, when the hand is over
* `error_msg`: reason why a request was refused

The module converts states to the competition's protocol, so that `card_wrappers.acpc` plays the hands.
"""

from card_wrappers.slumbot.client import URL, SlumbotClient, SlumbotError
from card_wrappers.slumbot.player import SlumbotPlayer
from card_wrappers.slumbot.states import Betting, SlumbotState, make_slumbot_game, parse_answer, parse_betting, to_incr

__all__ = [
    "URL",
    "Betting",
    "SlumbotClient",
    "SlumbotError",
    "SlumbotPlayer",
    "SlumbotState",
    "make_slumbot_game",
    "parse_answer",
    "parse_betting",
    "to_incr",
]
