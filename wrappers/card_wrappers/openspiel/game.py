"""A `Game` as OpenSpiel's Game and State."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pyspiel

from card_envs.cards import card_name
from card_envs.envs import EnvEntry, make_game
from card_envs.game import Game, Tables
from card_envs.games.big2.config import Big2Config
from card_envs.games.holdem.config import HoldemConfig
from card_envs.observation import mask_records
from card_wrappers.openspiel.big2 import Big2Dealing
from card_wrappers.openspiel.episode import (
    Dealing,
    Episode,
    after_action,
    after_card,
    first_episode,
    private_cards,
)
from card_wrappers.openspiel.holdem import HoldemDealing
from card_wrappers.openspiel.observer import CardObserver
from card_wrappers.openspiel.parameters import settings, specification, written

_DEALINGS: dict[type, Any] = {HoldemConfig: HoldemDealing, Big2Config: Big2Dealing}
_TABLE_0 = np.zeros(1, np.int64)


class CardGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel ships no types
    """A registered game; subclasses name the environment. `game` is the game behind it, with its kernels."""

    entry: ClassVar[EnvEntry]
    game_type: ClassVar[Any]

    def __init__(self, parameters: dict[str, Any] | None = None) -> None:
        chosen = {**specification(self.entry.factory), **(parameters or {})}
        game = make_game(self.entry.id, **settings(self.entry.factory, chosen))
        dealing: Dealing[Any] = _DEALINGS[type(game.config)](game)
        super().__init__(self.game_type, _game_info(dealing), written(chosen))
        self.game: Game = game
        self.dealing = dealing
        self.first_episode = first_episode(dealing)
        self._mask_dtype = mask_records(np.zeros((1, game.num_actions), np.int8)).dtype

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Pickle the game as its string."""
        return load_game, (str(self),)

    def new_initial_state(self) -> CardState:
        """Return the state before the first card."""
        return CardState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> CardObserver:
        """Return an observer, by default of the observation (public and own cards, no memory)."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return CardObserver(self.dealing, kind, params)

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of cards that are dealt at most."""
        config = self.game.config
        return config.num_dealt if isinstance(config, HoldemConfig) else len(self.dealing.deck)

    def legal_actions_at(self, tables: Tables) -> list[int]:
        """Return the actor's legal ids at a table, ascending."""
        mask = np.zeros(1, self._mask_dtype)
        self.game.mask_batch(tables, _TABLE_0, mask)
        legal: list[int] = np.flatnonzero(mask["mask"][0]).tolist()
        return legal


def load_game(name: str) -> Any:
    """Return `pyspiel.load_game(name)`; to find this function, unpickling registers the games."""
    return pyspiel.load_game(name)


class CardState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel ships no types
    """A deal in progress. Chance outcomes are places in the deck, see `Dealing.deck`."""

    def __init__(self, game: CardGame) -> None:
        super().__init__(game)
        self.episode: Episode[Any] = game.first_episode

    def current_player(self) -> int:
        """Return the seat to act, CHANCE while cards are dealt, TERMINAL at the end."""
        if self.episode.is_dealing:
            return int(pyspiel.PlayerId.CHANCE)
        actor = int(self.episode.tables["actor"][0])
        return actor if actor >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        """Return True when the deal is over and all its cards are known."""
        return not self.episode.is_dealing and bool(self.episode.tables["is_over"][0])

    def _legal_actions(self, player: int) -> list[int]:
        return self.get_game().legal_actions_at(self.episode.tables)  # type: ignore[no-any-return]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return every card that is left, as its place in the deck, all equally likely."""
        deck = self.get_game().dealing.deck
        left = [place for place, card in enumerate(deck) if card not in self.episode.cards]
        return [(place, 1 / len(left)) for place in left]

    def _apply_action(self, action: int) -> None:
        dealing = self.get_game().dealing
        if not self.episode.is_dealing:
            self.episode = after_action(dealing, self.episode, action)
            return
        if not 0 <= action < len(dealing.deck):
            raise ValueError(f"chance outcome {action} is outside 0..{len(dealing.deck) - 1}")
        self.episode = after_card(dealing, self.episode, dealing.deck[action])

    def _action_to_string(self, player: int, action: int) -> str:
        game: CardGame = self.get_game()
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {card_name(game.dealing.deck[action])}"
        if player == self.current_player() and action in self._legal_actions(player):
            return game.game.action_name(self.episode.tables, 0, action)
        return f"action {action}"

    def returns(self) -> list[float]:
        """Return what each seat has won, in the unit of the environment's rewards; zeros before the end."""
        game: Game = self.get_game().game
        if not self.is_terminal():
            return [0.0] * game.num_seats
        payoff = self.episode.tables["payoff"][0, : game.num_seats] / game.chips_per_reward
        returns: list[float] = payoff.tolist()
        return returns

    def __str__(self) -> str:
        """Return everything that has happened, all cards included."""
        dealing: Dealing[Any] = self.get_game().dealing
        hands = [
            f"p{seat} {dealing.private_text(private_cards(dealing, self.episode, seat)) or '-'}"
            for seat in range(dealing.game.num_seats)
        ]
        return "  ".join((*hands, dealing.public_text(self.episode)))


def _game_info(dealing: Dealing[Any]) -> Any:
    return pyspiel.GameInfo(
        num_distinct_actions=dealing.game.num_actions,
        max_chance_outcomes=len(dealing.deck),
        num_players=dealing.game.num_seats,
        min_utility=dealing.min_return,
        max_utility=dealing.max_return,
        utility_sum=0.0,
        max_game_length=dealing.max_decisions,
    )
