"""Our agents against Slumbot."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from card_envs.agent import Agent
from card_envs.game import Game
from card_wrappers.acpc import AcpcPlayer, AcpcProtocolError, DealtHand
from card_wrappers.slumbot.client import SlumbotClient, SlumbotError
from card_wrappers.slumbot.states import Betting, SlumbotState, parse_answer, parse_betting, to_incr


class SlumbotPlayer:
    """An agent that plays hands against Slumbot, one request at a time.

    The agent sees Slumbot's bets with their exact amounts. Its own bets have the sizes of the game's bet menu.

    Args:
        game: The game, from `make_slumbot_game`.
        agent: The agent.
        client: Client of the service.
        seed: Seed of the agent's random numbers.
    """

    def __init__(self, game: Game, agent: Agent, client: SlumbotClient, seed: int = 0) -> None:
        self._agent, self._client = agent, client
        self._player = AcpcPlayer(game, agent, seed)
        self._chips_per_reward = game.chips_per_reward
        self._num_hands = 0

    def play(self, hands: int) -> Iterator[DealtHand]:
        """Play hands and yield each at its end.

        Args:
            hands: Number of hands.

        Raises:
            SlumbotError: If the service fails, answers with something else than a state of the hand, or names other
                winnings than the rules give. The current hand is lost.
        """
        for _ in range(hands):
            yield self._play_hand()

    def _play_hand(self) -> DealtHand:
        self._num_hands += 1
        state = parse_answer(self._client.new_hand())
        num_sent = 0
        while True:
            betting = parse_betting(state.action, len(state.board))
            if betting.positions.count(state.position) != num_sent:
                raise SlumbotError(f"betting {state.action!r} has not the {num_sent} decisions that were sent")
            if betting.is_over != (state.winnings is not None):
                raise SlumbotError(f"betting {state.action!r} and winnings {state.winnings} do not fit together")
            if state.winnings is not None:
                return self._finish(state, betting, state.winnings)
            incr = self._decide(state, betting)
            answer = parse_answer(self._client.act(incr), state)
            taken = state.action.replace("/", "") + incr
            if not answer.action.replace("/", "").startswith(taken):
                raise SlumbotError(f"betting {answer.action!r} does not continue {state.action!r} and {incr!r}")
            state, num_sent = answer, num_sent + 1

    def _decide(self, state: SlumbotState, betting: Betting) -> str:
        _, token = self._respond(state, betting)
        if token is None:
            raise SlumbotError(f"betting {state.action!r} waits for Slumbot itself")
        return to_incr(token, betting)

    def _finish(self, state: SlumbotState, betting: Betting, winnings: int) -> DealtHand:
        if betting.is_showdown and (len(state.board) < 5 or not state.bot_hole_cards):
            return self._finish_unseen(state, betting, winnings)
        hand, _ = self._respond(state, betting)
        if hand is None or hand.payoff != winnings:
            by_rules = "nothing yet" if hand is None else hand.payoff
            raise SlumbotError(f"winnings of {state.action!r} are {winnings}, but {by_rules} by the rules: {state}")
        return hand

    def _finish_unseen(self, state: SlumbotState, betting: Betting, winnings: int) -> DealtHand:
        """Finish a hand whose showdown cards are unknown, with the winnings that the service names: the bets or 0."""
        if abs(winnings) not in (0, betting.chips):
            raise SlumbotError(f"winnings of {state.action!r} are {winnings}, but each has bet {betting.chips}")
        payoffs = np.array([[winnings, -winnings] if state.position == 0 else [-winnings, winnings]])
        self._agent.deal_ends(np.zeros(1, np.int64), payoffs / self._chips_per_reward)
        return DealtHand(self._num_hands, state.position, winnings, self._line(state, betting))

    def _respond(self, state: SlumbotState, betting: Betting) -> tuple[DealtHand | None, str | None]:
        try:
            return self._player.respond(self._line(state, betting))
        except AcpcProtocolError as error:
            raise SlumbotError(f"betting {state.action!r}: {error}") from error

    def _line(self, state: SlumbotState, betting: Betting) -> str:
        """Return a state as a line of the competition's protocol, with Slumbot's cards only at a showdown."""
        holes = ["", ""]
        holes[state.position] = "".join(state.hole_cards)
        if betting.is_showdown:
            holes[1 - state.position] = "".join(state.bot_hole_cards)
        board = ["".join(state.board[:3]), *state.board[3:]] if state.board else []
        cards = "/".join(["|".join(holes), *board])
        return f"MATCHSTATE:{state.position}:{self._num_hands}:{betting.acpc_betting}:{cards}"
