"""The protocol of the Annual Computer Poker Competition over TCP: our agents at its dealer, its bots in our matches.

`AcpcPlayer` plays an agent at a dealer of the competition. `AcpcBot` is an agent that plays the actions of a program
that speaks the protocol.

In protocol version 2, the dealer sends each seat a line `MATCHSTATE:POSITION:HAND:BETTING:CARDS` for every state of a
hand. The seat to act answers with the same line followed by `:f`, `:c`, `:r` or `:rTOTAL`, where TOTAL is the number of
chips that it has put in since the deal. Betting and cards have the notation of the log files, see
`card_envs.history.acpc`.
"""

from card_wrappers.acpc.bot import AcpcBot, accept_bot
from card_wrappers.acpc.player import AcpcPlayer, DealtHand
from card_wrappers.acpc.protocol import AcpcProtocolError, game_definition, make_acpc_game, parse_state

__all__ = [
    "AcpcBot",
    "AcpcPlayer",
    "AcpcProtocolError",
    "DealtHand",
    "accept_bot",
    "game_definition",
    "make_acpc_game",
    "parse_state",
]
