"""A `Game` as OpenSpiel's Game and State."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pyspiel

from card_envs.chance import CHANCE, Chance, Episode
from card_envs.envs import EnvEntry, make_game
from card_envs.episode import after_action, after_card, first_episode, private_cards, resample_episode
from card_envs.game import Game, Tables
from card_envs.observation import mask_records
from card_wrappers.openspiel.observer import CardObserver
from card_wrappers.openspiel.parameters import encode, settings, specification

_TABLE_0 = np.zeros(1, np.int64)


class CardGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel ships no types
    """A game of OpenSpiel; each subclass is registered for one environment. `game` is the `Game` of the environment."""

    entry: ClassVar[EnvEntry]
    game_type: ClassVar[Any]

    def __init__(self, parameters: dict[str, Any] | None = None) -> None:
        chosen = {**specification(self.entry.factory), **(parameters or {})}
        game = make_game(self.entry.id, **settings(self.entry.factory, chosen))
        self.chance: Chance = CHANCE.require(game)
        super().__init__(self.game_type, _game_info(game, self.chance), encode(chosen))
        self.game: Game = game
        self.first_episode = first_episode(game)
        self._mask_dtype = mask_records(np.zeros((1, game.num_actions), np.int8)).dtype

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Pickle the game as its string."""
        return load_game, (str(self),)

    def new_initial_state(self) -> CardState:
        """Return the state before the first card."""
        return CardState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> CardObserver:
        """Return an observer.

        Args:
            iig_obs_type: OpenSpiel's observation type; None for public and own cards without perfect recall.
            params: None; no parameters are supported.
        """
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return CardObserver(self.game, kind, params)

    def max_chance_nodes_in_history(self) -> int:
        """Return the maximum number of cards that are dealt."""
        return self.chance.max_cards

    def legal_actions_at(self, tables: Tables) -> list[int]:
        """Return the legal action ids of the actor at a table, in ascending order."""
        mask = np.zeros(1, self._mask_dtype)
        self.game.mask_batch(tables, _TABLE_0, mask)
        legal: list[int] = np.flatnonzero(mask["mask"][0]).tolist()
        return legal


def load_game(name: str) -> Any:
    """Return `pyspiel.load_game(name)`. Unpickling imports this module, which registers the games."""
    return pyspiel.load_game(name)


class CardState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel ships no types
    """A state of a deal. Chance outcomes are indices in the deck, see `Chance.deck`."""

    def __init__(self, game: CardGame) -> None:
        super().__init__(game)
        self.episode: Episode = game.first_episode

    def current_player(self) -> int:
        """Return the seat to act; CHANCE while cards are dealt, TERMINAL at the end."""
        if self.episode.is_dealing:
            return int(pyspiel.PlayerId.CHANCE)
        actor = int(self.episode.tables["actor"][0])
        return actor if actor >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        """Return True if the deal is over and all cards are dealt."""
        return not self.episode.is_dealing and bool(self.episode.tables["is_over"][0])

    def _legal_actions(self, player: int) -> list[int]:
        return self.get_game().legal_actions_at(self.episode.tables)  # type: ignore[no-any-return]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return (index in the deck, probability) of every card that can be dealt; all are equally likely."""
        deck = self.get_game().chance.deck
        left = [k for k, card in enumerate(deck) if card not in self.episode.cards]
        return [(k, 1 / len(left)) for k in left]

    def _apply_action(self, action: int) -> None:
        game: CardGame = self.get_game()
        if not self.episode.is_dealing:
            self.episode = after_action(game.game, self.episode, action)
            return
        deck = game.chance.deck
        if not 0 <= action < len(deck):
            raise ValueError(f"chance outcome {action} is outside 0..{len(deck) - 1}")
        self.episode = after_card(game.game, self.episode, deck[action])

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> CardState:
        """Return a random state that `player` cannot distinguish from this one, with other unseen cards; for ISMCTS.

        Args:
            player: The player.
            sampler: Function that returns random numbers in [0, 1).

        Returns:
            One of the states with the same information state, all with equal probability.
        """
        game: CardGame = self.get_game()
        found = resample_episode(game.game, self.episode, player, sampler)
        state, decisions = game.new_initial_state(), iter(found.decisions)
        while len(state.episode.cards) < len(found.cards) or len(state.episode.decisions) < len(found.decisions):
            if state.episode.is_dealing:
                state.apply_action(game.chance.deck.index(found.cards[len(state.episode.cards)]))
            else:
                state.apply_action(game.chance.action_of(state.episode.tables, next(decisions)))
        return state

    def _action_to_string(self, player: int, action: int) -> str:
        game: CardGame = self.get_game()
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {game.chance.card_name(game.chance.deck[action])}"
        if player == self.current_player() and action in self._legal_actions(player):
            return game.game.action_name(self.episode.tables, 0, action)
        return f"action {action}"

    def returns(self) -> list[float]:
        """Return the reward of each seat, in the unit of the environment; zeros before the end."""
        game: Game = self.get_game().game
        if not self.is_terminal():
            return [0.0] * game.num_seats
        payoff = self.episode.tables["payoff"][0, : game.num_seats] / game.chips_per_reward
        returns: list[float] = payoff.tolist()
        return returns

    def __str__(self) -> str:
        """Return the history as text, with all cards."""
        game: CardGame = self.get_game()
        hands = [
            f"p{seat} {game.chance.private_text(private_cards(game.game, self.episode, seat)) or '-'}"
            for seat in range(game.game.num_seats)
        ]
        return "  ".join((*hands, game.chance.public_text(self.episode)))


def _game_info(game: Game, chance: Chance) -> Any:
    return pyspiel.GameInfo(
        num_distinct_actions=game.num_actions,
        max_chance_outcomes=len(chance.deck),
        num_players=game.num_seats,
        min_utility=chance.min_return,
        max_utility=chance.max_return,
        utility_sum=0.0,
        max_game_length=chance.max_decisions,
    )
