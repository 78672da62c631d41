"""TextArena: every environment id as a `textarena.Env`.

    import textarena as ta

    import card_wrappers.textarena  # registers the games

    env = ta.make("card_envs/no_limit_holdem-v0", hands=10, stacks=200)
    env.reset(num_players=6, seed=7)

Ids that end with "-train" show the messages and the latest prompt only, those with "-raw" have no wrapper, as in
TextArena's own games.

Players are seats. Each player sees the information of its seat and the actions of the other players, but not their
texts. It answers with a text such as "[raise 80]", where the amount is its chips on this street after the raise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.envs import EnvEntry, find_entry, make_game, on_registration
from card_envs.game_info import Seats
from card_envs.text import ActionTextError, TextTable, default_action
from card_envs.text.interface import find_text
from card_envs.text.prompts import check_form

try:
    import textarena as ta
except ImportError as error:
    raise ImportError("card_wrappers.textarena needs TextArena: pip install 'card-envs[textarena]'") from error

__all__ = ["CardTextEnv"]


class CardTextEnv(ta.Env):  # type: ignore[misc]  # TextArena ships no types
    """Hands of a card game between players who answer with text.

    The reward of a player is its total reward of all hands, in the unit of the environment: big blinds, chips or
    points. An answer that does not name a legal action is refused with the reason. After more than `error_allowance`
    refused answers in a row, the environment plays check, pass or fold, the first that is legal, and the player's
    `game_info` has `invalid_move`.

    Args:
        game_id: Environment id, such as "no_limit_holdem-v0".
        hands: Number of hands of an episode; the button moves after each.
        form: Form of the prompts, "compact" or "verbose".
        error_allowance: Number of refused answers in a row that a player may repeat.
        **settings: Arguments of the environment, without `num_players`, which `reset` takes.

    Raises:
        ValueError: For an argument that does not fit.
    """

    def __init__(
        self,
        game_id: str,
        hands: int = 1,
        form: str = "compact",
        error_allowance: int = 1,
        **settings: Any,
    ) -> None:
        if hands < 1 or error_allowance < 0:
            raise ValueError(f"hands {hands} must be at least 1, error_allowance {error_allowance} at least 0")
        self._entry, self._hands, self._form = find_entry(game_id), hands, check_form(form)
        self._error_allowance, self._settings = error_allowance, settings
        make_game(self._entry.id, **settings)  # raises an error for wrong arguments

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Begin an episode.

        Args:
            num_players: Number of seats.
            seed: Seed of the deals; None for random deals.

        Raises:
            ValueError: If the game does not support this number of players.
        """
        table = self._make_table(num_players)
        self.state = ta.MinimalMultiPlayerState(num_players=num_players, error_allowance=self._error_allowance)
        self._table = table
        self._won = np.zeros(num_players)
        self._hands_played = 0
        self.state.reset(game_state={}, player_prompt_function=self._write_rules)
        self._table.reset(seed)
        self._finish_hands()
        self._ask()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Take the answer of the current player.

        Args:
            action: The answer as text.

        Returns:
            Whether the episode is over, and an info.
        """
        player = self.state.current_player_id
        try:
            words = self._table.answer(action)
        except ActionTextError as error:
            if self.state.error_count < self._error_allowance:
                self.state.set_invalid_move(reason=str(error))
                self._ask()
                return self._step()
            self.state.game_info[player]["invalid_move"] = True
            words = self._table.act(default_action(self._table.action_names()))
        self._announce(f"Player {player}: {words}", ta.ObservationType.GAME_ACTION_DESCRIPTION)
        self._finish_hands()
        self._ask()
        return self._step()

    def get_board_str(self) -> str:
        """Return the prompt of the current player."""
        return self._table.prompt()

    def _step(self) -> tuple[bool, dict[str, Any]]:
        done, info = self.state.step()
        return bool(done), info

    def _make_table(self, num_players: int) -> TextTable:
        game = make_game(self._entry.id, **self._settings)
        seats = game.info.seats or Seats(game.num_seats, game.num_seats)
        low, high = seats.min_players, seats.max_players
        if not low <= num_players <= high:
            allowed = f"{low}" if low == high else f"{low} to {high}"
            raise ValueError(f"{self._entry.id} is for {allowed} players, not {num_players}")
        if num_players != game.num_seats:
            game = make_game(self._entry.id, **{**self._settings, "num_players": num_players})
        return TextTable(game, form=self._form)

    def _write_rules(self, player_id: int, game_state: dict[str, Any]) -> str:
        text = find_text(self._table.game)
        lines = f"You are player_{player_id}; {self._hands} hands of {self._entry.id} are played.", text.rules
        return "\n".join(filter(None, lines))

    def _finish_hands(self) -> None:
        """Announce the result of a finished hand and deal the next, until a player has a decision or all hands end."""
        while self._table.is_over and not self.state.done:
            self._won += self._table.rewards
            self._hands_played += 1
            self._announce(f"Hand {self._hands_played}: {self._table.summaries[-1]}", ta.ObservationType.GAME_MESSAGE)
            if self._hands_played < self._hands:
                self._table.reset()
            else:
                rewards = dict(enumerate(self._won.tolist()))
                self.state.set_game_outcome(rewards, reason=f"{self._hands} hands were played.")

    def _ask(self) -> None:
        if not self.state.done:
            self.state.manually_set_current_player_id(self._table.seat)
            prompt = self._table.prompt()
            self.state.add_observation(
                message=prompt, to_id=self._table.seat, observation_type=ta.ObservationType.GAME_BOARD
            )

    def _announce(self, message: str, kind: ta.ObservationType) -> None:
        self.state.add_observation(message=message, observation_type=kind)


def _register(entry: EnvEntry) -> None:
    versions = {
        "": [ta.wrappers.LLMObservationWrapper],
        "-train": [ta.wrappers.GameMessagesAndCurrentBoardObservationWrapper],
        "-raw": [],
    }
    for version, wrapped in versions.items():
        ta.register(f"card_envs/{entry.id}{version}", CardTextEnv, wrapped, game_id=entry.id)


on_registration(_register)
