"""OpenSpiel's policies as agents in fixed-limit poker for two players: Kuhn, Leduc, limit and flop hold'em.

Decisions are converted to states of a game of OpenSpiel with the same rules: `kuhn_poker`, `leduc_poker`,
`universal_poker`, or the registered games `card_envs_...`. Player 0 is the first seat left of the button.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import pyspiel
from numpy.typing import NDArray

from card_envs.agent import Decisions, StochasticAgent
from card_envs.cards import NO_CARD
from card_envs.chance import CHANCE
from card_envs.chance.holdem import list_bets
from card_envs.game import Game
from card_envs.games.holdem.actions import CALL_ACTION, FOLD_ACTION
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import CALL, FOLD, RAISE

__all__ = ["OpenSpielAgent", "StateConverter"]

_KUHN_PASS, _KUHN_BET = 0, 1


class ActionProbabilities(Protocol):
    """A policy of OpenSpiel, written in Python or in C++."""

    def action_probabilities(self, state: Any) -> dict[int, float]:
        """Return the probability of each legal action."""
        ...


class StateConverter:
    """Converter from decisions of a game to states of a game of OpenSpiel with the same rules.

    Args:
        game: Fixed-limit poker for two players.
        openspiel_game: A game of OpenSpiel, or the string that loads it.

    Raises:
        ValueError: For other games, and if the games have other numbers of players or cards.
    """

    def __init__(self, game: Game, openspiel_game: Any) -> None:
        if not isinstance(game.config, HoldemConfig) or game.config.structure != "limit" or game.num_seats != 2:
            raise ValueError(f"{game} is not fixed-limit poker for two players, as policies of OpenSpiel need it here")
        if game.config.profile.last_actor_opens:
            raise ValueError(f"{game} has rules of RLCard, where the last actor decides who opens a street: use others")
        self.game, self.openspiel_game = game, _load(openspiel_game)
        self._chance = CHANCE.require(game)
        self._is_kuhn = self.openspiel_game.get_type().short_name == "kuhn_poker"
        theirs = self.openspiel_game.num_players(), self.openspiel_game.max_chance_outcomes()
        if theirs != (2, len(self._chance.deck)):
            raise ValueError(
                f"{self.openspiel_game} has {theirs[0]} players and {theirs[1]} cards, {game} 2 players and "
                f"{len(self._chance.deck)} cards: name a game of OpenSpiel with the same rules"
            )

    def state_at(self, decisions: Decisions, j: int) -> Any:
        """Return a state of OpenSpiel with the information of a decision; cards that its seat does not see are any.

        Raises:
            ValueError: If other actions are legal in that state, or another player is to act: the rules differ.
        """
        view, seat = decisions.views[j], int(decisions.seats[j])
        state, bets = self.openspiel_game.new_initial_state(), list_bets(view)
        cards = iter(self._deal_order(view))
        facing = False
        while bets or state.is_chance_node():
            if state.is_chance_node():
                state.apply_action(next(cards))
                facing = False
                continue
            bet = bets.pop(0)
            number = self._number_of(bet.kind, facing)
            self._require_same(state, bet.seat, view, [number], number in state.legal_actions())
            state.apply_action(number)
            facing |= bet.kind == RAISE
        legal = sorted(number for number in self.actions_at(decisions, j) if number >= 0)
        self._require_same(state, seat, view, legal, state.legal_actions() == legal)
        return state

    def _require_same(self, state: Any, seat: int, view: Any, actions: list[int], are_legal: bool) -> None:
        """Raise a ValueError if the actions are not those of OpenSpiel's state, or another player is to act there."""
        player = _player_at(seat, view)
        if not are_legal or state.current_player() != player:
            raise ValueError(
                f"{self.openspiel_game} has other rules than {self.game}: after the history {state.history()} player "
                f"{player} may choose {actions} here, player {state.current_player()} {state.legal_actions()} there"
            )

    def actions_at(self, decisions: Decisions, j: int) -> list[int]:
        """Return OpenSpiel's number of each of our action ids, -1 for illegal ones."""
        view = decisions.views[j]
        facing = any(bet.kind == RAISE for bet in list_bets(view) if bet.street == int(view["street"]))
        kinds = {FOLD_ACTION: FOLD, CALL_ACTION: CALL}
        return [
            self._number_of(kinds.get(action, RAISE), facing) if is_legal else -1
            for action, is_legal in enumerate(decisions.action_mask[j].tolist())
        ]

    def tensors(self, decisions: Decisions) -> NDArray[np.float32]:
        """Return OpenSpiel's information states of a batch, (n, size)."""
        rows = [self.state_at(decisions, j).information_state_tensor() for j in range(len(decisions))]
        return np.array(rows, np.float32).reshape(len(decisions), self.openspiel_game.information_state_tensor_size())

    def to_our_actions(self, decisions: Decisions, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return values of OpenSpiel's actions (n, their actions) as values of our actions, 0 for illegal ones."""
        ours = np.zeros((len(decisions), self.game.num_actions))
        for j in range(len(decisions)):
            for action, number in enumerate(self.actions_at(decisions, j)):
                if number >= 0:
                    ours[j, action] = values[j, number]
        return ours

    def _number_of(self, kind: int, facing: bool) -> int:
        """Return OpenSpiel's number of a decision, which depends in Kuhn poker on whether there is a bet to call."""
        if self._is_kuhn:
            return _KUHN_BET if kind == RAISE or (kind == CALL and facing) else _KUHN_PASS
        return {FOLD: 0, CALL: 1, RAISE: 2}[kind]

    def _deal_order(self, view: Any) -> list[int]:
        """Return the chance outcomes of a deal: the hole cards player by player, then the board."""
        config: HoldemConfig = self.game.config
        held, first = config.num_hole_cards, (int(view["button"]) + 1) % 2
        deck = [int(card) for card in view["deck"][: config.num_dealt]]
        hands = [deck[seat * held : (seat + 1) * held] for seat in (first, 1 - first)]
        known = [*hands[0], *hands[1], *deck[2 * held :]]
        others = iter(card for card in self._chance.deck if card not in known)
        return [self._chance.deck.index(next(others) if card == NO_CARD else card) for card in known]


class OpenSpielAgent(StochasticAgent):
    """Plays a policy of OpenSpiel in our games.

    Args:
        policy: A policy with the method `action_probabilities(state)`.
        game: Fixed-limit poker for two players.
        openspiel_game: The game of OpenSpiel that the policy plays, or the string that loads it; None for that of
            the policy, its attribute `game`.

    Raises:
        ValueError: If OpenSpiel's game is unknown, or is another game.

    Example:
        >>> from open_spiel.python.policy import UniformRandomPolicy
        >>> from card_envs import make_game
        >>> from card_envs.analysis.exploitability.best_response import exact_exploitability
        >>> game = make_game("leduc_holdem-v0")
        >>> agent = OpenSpielAgent(UniformRandomPolicy(pyspiel.load_game("leduc_poker")), game)
        >>> round(exact_exploitability(game, agent).exploitability, 6)
        2.373611
    """

    is_stateless = True

    def __init__(self, policy: ActionProbabilities, game: Game, openspiel_game: Any = None) -> None:
        openspiel_game = openspiel_game or getattr(policy, "game", None)
        if openspiel_game is None:
            raise ValueError("the policy does not name its game of OpenSpiel: pass it, such as 'leduc_poker'")
        self._policy, self._converter = policy, StateConverter(game, openspiel_game)

    def can_play(self, game: Game) -> bool:
        """Return True for the game of the policy."""
        return game == self._converter.game

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probabilities of the policy, (n, num_actions)."""
        found = np.zeros((len(decisions), self._converter.openspiel_game.num_distinct_actions()))
        for j in range(len(decisions)):
            for number, chance in self._policy.action_probabilities(self._converter.state_at(decisions, j)).items():
                found[j, number] = chance
        return self._converter.to_our_actions(decisions, found)


def _player_at(seat: int, view: Any) -> int:
    """Return OpenSpiel's number of the player at a seat: 0 is left of the button."""
    return (seat - int(view["button"]) - 1) % 2


def _load(openspiel_game: Any) -> Any:
    try:
        return pyspiel.load_game(openspiel_game) if isinstance(openspiel_game, str) else openspiel_game
    except Exception as error:  # OpenSpiel's own errors have no common class
        raise ValueError(f"OpenSpiel cannot load the game {openspiel_game!r}: {error}") from error
