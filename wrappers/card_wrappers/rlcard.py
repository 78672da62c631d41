"""RLCard: any environment id as an RLCard `Env`, for RLCard's agents.

    env = make_env("limit_holdem-v0", rules="rlcard", encoder="rlcard", seed=1)
    env.set_agents([RandomAgent(env.num_actions), LimitholdemRuleAgentV1()])
    trajectories, payoffs = env.run()

Importing this module also registers every environment id with `rlcard.make`:

    env = rlcard.make("card_envs/leduc_holdem-v0", config={"seed": 1})

States are RLCard's dictionaries: `obs` is the vector of the game's encoder, `raw_obs` has cards and chips as RLCard
writes them ("SA" for the ace of spades). Limit games have RLCard's four actions (`LIMIT_ACTIONS`), by number and by
name; all others the ids of the environment. Payoffs are in the unit of the environment's rewards.

Illegal actions raise IllegalActionError, where RLCard would play another one. The exception: the raw action "fold"
where folding is not allowed because checking is free becomes "check", as RLCard's rule agents expect.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import card_name
from card_envs.envs import EnvEntry, as_game, on_registration
from card_envs.game import ILLEGAL, NOBODY, Game, IllegalActionError, check_switch, is_whole
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import MAX_STREETS
from card_envs.games.holdem.view import board, hole_cards
from card_envs.rng import random_seed, wrap_seed

try:
    from rlcard.envs import Env
    from rlcard.envs.registration import register, registry
except ImportError as error:
    raise ImportError("card_wrappers.rlcard needs RLCard: pip install 'card-envs[rlcard]'") from error

__all__ = ["LIMIT_ACTIONS", "RLCardEnv", "make_env"]

State = dict[str, Any]

LIMIT_ACTIONS = ("call", "raise", "fold", "check")
"""RLCard's actions of limit games, in the order of its ids. Ours are 0 fold, 1 check or call, 2 raise."""
_OUR_LIMIT_IDS = (1, 2, 0, 1)
_CALL, _RAISE, _FOLD, _CHECK = range(len(LIMIT_ACTIONS))
_MAX_RAISES = 4
_MAX_DEALS = 1_000


def make_env(
    env_id: Game | str,
    seed: int | None = None,
    allow_step_back: bool = False,
    stale_first_state: bool = False,
    config: Mapping[str, Any] | None = None,
    **settings: Any,
) -> RLCardEnv:
    """Return an environment id as an RLCard environment.

    Args:
        env_id: Environment id, such as "limit_holdem-v0", or a game.
        seed: Seed of the table; None: unpredictable.
        allow_step_back: Whether to keep the states that `step_back` needs.
        stale_first_state: Whether the first state of a hand shows the raises of the previous hand, see `RLCardEnv`.
        config: RLCard's dictionary, in place of arguments: "seed", "allow_step_back", "game_num_players", and any
            argument of the environment.
        settings: Arguments of the environment, such as rules="rlcard".

    Raises:
        ValueError: For an argument that does not fit, and for one that stands in `config` too.

    Example:
        >>> env = make_env("limit_holdem-v0", rules="rlcard", encoder="rlcard", seed=1)
        >>> state, player_id = env.reset()
        >>> sorted(state)
        ['action_record', 'legal_actions', 'obs', 'raw_legal_actions', 'raw_obs']
    """
    if config is not None and not isinstance(config, Mapping):
        raise TypeError(f"config {config!r} must be a dictionary, such as {{'seed': 1}}")
    given = {name: value for name, value in dict(config or {}).items() if name not in ("seed", "allow_step_back")}
    if "game_num_players" in given:
        given["num_players"] = given.pop("game_num_players")
    if twice := sorted(set(given) & set(settings)):
        raise ValueError(f"{twice} stand in config and beside it: give each once")
    options = dict(config or {})
    seed = options.get("seed") if seed is None else seed
    steps_back = options.get("allow_step_back", False) if allow_step_back is False else allow_step_back
    return RLCardEnv(as_game(env_id, **settings, **given), seed, steps_back, stale_first_state)


class RLCardEnv(Env):  # type: ignore[misc]  # RLCard ships no types
    """One table of a game. `set_agents` and `run` are RLCard's own.

    Args:
        game: The game, or its environment id.
        seed: Seed of the table; None: unpredictable.
        allow_step_back: Whether to keep the states that `step_back` needs.
        stale_first_state: Whether the state that `reset` returns shows the raises of the previous hand, as in RLCard's
            limit hold'em (its `get_state` does not); for encoder "rlcard" only.

    Raises:
        ValueError: For `stale_first_state` with another encoder.
    """

    def __init__(
        self,
        game: Game | str,
        seed: int | None = None,
        allow_step_back: bool = False,
        stale_first_state: bool = False,
    ) -> None:
        game = as_game(game)
        if check_switch("stale_first_state", stale_first_state) and "raises" not in game.layout.slices:
            raise ValueError("stale_first_state is a fault of RLCard's limit hold'em: use encoder='rlcard' there")
        self.card_game = game
        self.name = game.name
        self.num_players = game.num_seats
        self.is_limit = isinstance(game.config, HoldemConfig) and game.config.structure == "limit"
        self.num_actions = len(LIMIT_ACTIONS) if self.is_limit else game.num_actions
        self.state_shape = [[game.layout.size]] * self.num_players
        self.action_shape = [None] * self.num_players
        self.allow_step_back = check_switch("allow_step_back", allow_step_back)
        self.action_recorder: list[tuple[int, Any]] = []
        self.timestep = 0
        self._stale: list[int] | None = [0] * MAX_STREETS if stale_first_state else None
        self._before: list[Any] = []
        self.seed(seed)

    @property
    def game(self) -> RLCardEnv:
        """This object: RLCard's own methods call `game.is_over()`."""
        return self

    def seed(self, seed: int | None = None) -> None:
        """Restart the random stream of the table; None for an unpredictable seed."""
        seed = random_seed() if seed is None else seed
        self._tables = self.card_game.seeded_tables(1, seed)
        self.np_random = np.random.RandomState(wrap_seed(seed) % 2**32)

    def reset(self, options: dict[str, Any] | None = None) -> tuple[State, int]:
        """Deal, and return state and id of the seat to act. A deal without a decision is dealt again.

        Args:
            options: Options of this deal only, such as cards or stacks; see the page of the environment.

        Raises:
            TypeError: If the options are no mapping.
            ValueError: For values that no deal can have; unknown options are ignored with a warning.
            RuntimeError: If no deal has a decision.
        """
        known = self.card_game.check_options(options)
        for _ in range(_MAX_DEALS):  # in others, the blinds put all seats all-in
            if self.card_game.deal_with(self._tables, 0, known) != NOBODY:
                break
        else:
            raise RuntimeError(f"no seat had a decision in {_MAX_DEALS} deals with reset options {known}: check stacks")
        self._before.clear()
        self.action_recorder = []
        state = self.get_state(self.get_player_id())
        if self._stale is not None:
            state["raw_obs"]["raise_nums"] = list(self._stale)
            raises = self.card_game.layout.split(state["obs"])["raises"]
            raises[:] = np.eye(raises.shape[1])[self._stale]
        return state, self.get_player_id()

    def step(self, action: Any, raw_action: bool = False) -> tuple[State, int]:
        """Take an action, and return state and seat of the next decision.

        Args:
            action: An action id, or with `raw_action` one of `raw_legal_actions`.
            raw_action: Whether `action` is a raw action, as RLCard's rule agents return them.

        Raises:
            IllegalActionError: For an illegal action; the table is unchanged.
        """
        seat, names = self.get_player_id(), self._legal_names()
        chosen = _find_action(action, names) if raw_action else int(action) if is_whole(action) else ILLEGAL
        if not names:
            raise IllegalActionError("the deal is over, or has not begun: call reset()")
        if chosen not in names:
            raise IllegalActionError(f"player {seat}: action {action!r} is not one of {names}")
        if self.allow_step_back:
            self._before.append(self._tables.copy())
        self.timestep += 1
        self.action_recorder.append((seat, names[chosen]))
        ours = _OUR_LIMIT_IDS[chosen] if self.is_limit else chosen
        if self.card_game.step(self._tables, 0, ours) == ILLEGAL:  # unreachable: the action is one of the legal ones
            raise IllegalActionError(f"player {seat}: {self.card_game.why_illegal(self._tables, 0, ours)}")
        if self.is_over() and self._stale is not None:
            self._stale = self._raise_counts()
        return self.get_state(self.get_player_id()), self.get_player_id()

    def step_back(self) -> tuple[State, int] | bool:
        """Undo an action; return the state and the seat to act, or False at the beginning of the deal."""
        if not self.allow_step_back:
            raise RuntimeError("step_back is off: make the environment with allow_step_back=True")
        if not self._before:
            return False
        self._tables = self._before.pop()
        self.action_recorder.pop()
        return self.get_state(self.get_player_id()), self.get_player_id()

    def is_over(self) -> bool:
        """Return True when the deal is over."""
        return bool(self._tables["is_over"][0])

    def get_player_id(self) -> int:
        """Return the seat to act; when the deal is over, the one that acted last."""
        actor = int(self._tables["actor"][0])
        return actor if actor != NOBODY or not self.action_recorder else self.action_recorder[-1][0]

    def get_state(self, player_id: int) -> State:
        """Return the state of a seat in the form of RLCard's agents; ValueError for a seat that does not exist."""
        if not is_whole(player_id) or not 0 <= player_id < self.num_players:
            raise ValueError(f"player_id {player_id!r} must be a seat in 0..{self.num_players - 1}")
        names = self._legal_names()
        return {
            "obs": self.card_game.observe(self._tables, 0, player_id)[0],
            "legal_actions": OrderedDict.fromkeys(names),
            "raw_obs": {**self._raw_observation(player_id), "legal_actions": list(names.values())},
            "raw_legal_actions": list(names.values()),
            "action_record": list(self.action_recorder),
        }

    def get_payoffs(self) -> NDArray[np.float64]:
        """Return the reward of each seat (num_players,), in the unit of the environment; zeros before the end."""
        payoffs: NDArray[np.float64] = self._tables["payoff"][0, : self.num_players] / self.card_game.chips_per_reward
        return payoffs

    def get_perfect_information(self) -> State:
        """Return the perfect-information vector, the seat to act and its legal actions."""
        return {
            "state": self.card_game.state(self._tables, 0),
            "current_player": self.get_player_id(),
            "legal_actions": list(self._legal_names().values()),
        }

    def _legal_actions(self) -> list[int]:
        ours = self.card_game.legal_actions(self._tables, 0)
        if not self.is_limit:
            return ours
        owes = self._tables["current_bet"][0] > self._tables["street_commit"][0, self.get_player_id()]
        absent = _CHECK if owes else _CALL
        return [action for action, our in enumerate(_OUR_LIMIT_IDS) if our in ours and action != absent]

    def _legal_names(self) -> dict[int, str | int]:
        """Return the legal actions: id -> RLCard's name in limit games, the id itself in others."""
        return {action: LIMIT_ACTIONS[action] if self.is_limit else action for action in self._legal_actions()}

    def _raise_counts(self) -> list[int]:
        """Return the number of raises of each street, at most four."""
        return [min(int(count), _MAX_RAISES) for count in self._tables["street_raises"][0]]

    def _raw_observation(self, seat: int) -> State:
        if not isinstance(self.card_game.config, HoldemConfig):
            return {"text": self.card_game.text(self._tables, 0, seat)}
        t = self._tables[0]
        chips = [int(chips) for chips in t.hand_commit[: self.num_players]]
        return {
            "hand": [_rlcard_name(card) for card in hole_cards(t, seat)],
            "public_cards": [_rlcard_name(card) for card in board(t)],
            "all_chips": chips,
            "my_chips": chips[seat],
            "raise_nums": self._raise_counts(),
            "pot": int(t.pot),
            "stakes": [int(stack) for stack in t.stack[: self.num_players]],
            "current_player": self.get_player_id(),
        }


def _find_action(name: Any, names: dict[int, str | int]) -> int:
    """Return the id of a raw action, or ILLEGAL; a "fold" that is not legal is replaced by "check"."""
    if not isinstance(name, str) and not is_whole(name):
        return ILLEGAL
    ids = {name: action for action, name in names.items()}
    if name == "fold" and name not in ids and "check" in ids:
        return ids["check"]
    return ids.get(name, ILLEGAL)


def _register(entry: EnvEntry) -> None:
    """Make an environment id known to `rlcard.make`, which looks a function up by its name in a module."""
    name = f"make_{entry.id}"
    globals()[name] = lambda config: make_env(entry.id, config=config)
    if f"card_envs/{entry.id}" not in registry.env_specs:
        register(f"card_envs/{entry.id}", f"{__name__}:{name}")


def _rlcard_name(card: int) -> str:
    """Return RLCard's name of a card id: "SA" for "As"."""
    name = card_name(card)
    return name[1].upper() + name[0]


on_registration(_register)
