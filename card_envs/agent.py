"""What an agent is: something that gets a batch of decisions and returns actions."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.game import Game, Tables, checked_actions
from card_envs.jit import kernel
from card_envs.observation import mask_records, observation_records
from card_envs.rng import splitmix64

_UNIFORMS = np.uint64(0xD1B54A32D192ED03)
"""Added to the seed of a match for the random numbers of decisions, which must not be those that deal the cards."""
_DROPPED_BITS, _LAST_PLACE = np.uint64(11), 2.0**-53  # a float64 in [0, 1) holds 53 bits


@dataclass(frozen=True, eq=False)
class Decisions:
    """n decisions, each of one seat at one table, with nothing that the seat may not see; `decisions_at` makes them.

    Observations, masks and views are made when first asked for, so agents pay for what they use. Ask for them within
    `act`: afterwards the tables move on. What has been made may be kept.
    """

    game: Game
    """With the encoder that the agent asked for."""
    seats: NDArray[np.int64]
    """(n,): the seat that decides."""
    tables: NDArray[np.int64]
    """(n,): number of the table within the match."""
    uniforms: NDArray[np.float64]
    """(n,): one random number in [0, 1) per decision, fixed by seed, deal and decision, whatever the batch."""
    _tables: Tables
    _rows: NDArray[np.int64]

    @cached_property
    def observation(self) -> NDArray[Any]:
        """(n, d): in the encoder of `game`."""
        observation = np.empty((len(self), self.game.layout.size), self.game.layout.dtype)
        records, masks = observation_records(observation), mask_records(self.action_mask)
        self.game.encoder.observe_rows(self._tables, self._rows, records, masks)  # writes the same masks again
        return observation

    @cached_property
    def action_mask(self) -> NDArray[np.int8]:
        """(n, num_actions): 1 for legal actions, at least one in each row."""
        mask = np.empty((len(self), self.game.num_actions), np.int8)
        self.game.mask_rows(self._tables, self._rows, mask_records(mask))
        return mask

    @cached_property
    def views(self) -> Tables:
        """(n,): records of the game's tables, censored: the fields of public knowledge and the seat's own cards."""
        views = np.empty(len(self), self._tables.dtype)
        self.game.censor_rows(self._tables, self._rows, self.seats, views)
        return views

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self.seats)

    def part(self, part: slice) -> Decisions:
        """Return some of the decisions."""
        return replace(
            self, seats=self.seats[part], tables=self.tables[part], uniforms=self.uniforms[part], _rows=self._rows[part]
        )

    def legal_actions(self, j: int) -> list[int]:
        """Return the legal action ids of decision j."""
        return [int(action) for action in np.flatnonzero(self.action_mask[j])]

    @cached_property
    def num_legal(self) -> NDArray[np.int64]:
        """(n,): how many actions are legal."""
        counts = self.action_mask.sum(axis=1, dtype=np.int32)  # five times as fast as in int64
        return np.asarray(counts, np.int64)


class Agent(Protocol):
    """Whoever decides.

    An agent may also define, and matches then heed:

    * `encoder`: name of the encoder in which it wants its observations
    * `can_play(game)`: False for games that it does not know
    * `deal_starts(tables)` and `deal_ends(tables, payoffs)`: called with the numbers (n,) of the tables whose deal
      begins or is over, and with the rewards of all seats (n, num_seats)
    * `probabilities(decisions)`: with which probability `act` takes each action, float64 (n, num_actions), rows that
      sum to 1; control variates and exploitability ask for them, also for decisions that nobody faces in the match
    """

    name: str

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one legal action for each decision (n,)."""
        ...


class RandomAgent:
    """Plays every legal action with the same probability."""

    name = "random"

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return uniformly random legal actions."""
        legal = np.flatnonzero(decisions.action_mask.view(np.bool_))  # of all decisions, one after the other
        counts = decisions.num_legal
        picks = np.cumsum(counts) - counts + (decisions.uniforms * counts).astype(np.int64)
        return np.asarray(legal[picks] % decisions.game.num_actions, np.int64)

    def probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the same probability for every legal action."""
        return decisions.action_mask / decisions.num_legal[:, None]


def choose(weights: NDArray[Any], uniforms: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return, for each row of non-negative weights (n, k), the column in which its uniform number falls."""
    sums = np.cumsum(weights, axis=1, dtype=np.float64)
    return np.asarray((sums <= (uniforms * sums[:, -1])[:, None]).sum(axis=1), np.int64)


def shows_probabilities(agent: Agent) -> bool:
    """Return True if the agent defines `probabilities`."""
    return callable(getattr(agent, "probabilities", None))


def action_probabilities(agent: Agent, decisions: Decisions) -> NDArray[np.float64]:
    """Return what `agent.probabilities` says, (n, num_actions) float64, or raise a ValueError if these are none."""
    shown = np.asarray(agent.probabilities(decisions), np.float64)  # type: ignore[attr-defined]  # optional
    shape = decisions.action_mask.shape
    if shown.shape != shape:
        raise ValueError(f"agent {agent.name!r} returned probabilities of shape {shown.shape}: {shape} is needed")
    of_legal = np.where(decisions.action_mask == 1, shown, 0.0).sum(axis=1)
    if not (shown >= 0).all() or not np.allclose(of_legal, 1, atol=1e-4) or (shown.sum(axis=1) > of_legal + 1e-4).any():
        raise ValueError(f"agent {agent.name!r} returned probabilities that are not those of legal actions, 1 in all")
    return shown


def sampled_probabilities(
    agent: Agent, decisions: Decisions, rng: np.random.Generator, draws: int
) -> NDArray[np.float64]:
    """Return how often `agent.act` takes each action in `draws` tries with evenly spaced `uniforms`, (n, num_actions).

    Exact for agents that do not mix; for the others right to about 1 / draws.
    """
    counts = np.zeros(decisions.action_mask.shape)
    rows = np.arange(len(decisions))
    for draw in range(draws):
        uniforms = np.full(len(decisions), (draw + 0.5) / draws)
        asked = replace(decisions, uniforms=uniforms)
        np.add.at(counts, (rows, checked_actions(agent.act(asked, rng), len(decisions))), 1)
    return counts / draws


@kernel
def write_uniforms(seed: Any, deals: Any, number: Any, seats: Any, uniforms: Any) -> None:
    """Write random numbers in [0, 1) for the `number`-th decision of each deal: hashes of seed, deal, number, seat."""
    key = splitmix64(np.uint64(seed) + _UNIFORMS)
    for j in range(deals.shape[0]):
        deal = splitmix64(key ^ np.uint64(deals[j]))
        bits = splitmix64(splitmix64(deal ^ np.uint64(number)) ^ np.uint64(seats[j]))
        uniforms[j] = np.float64(bits >> _DROPPED_BITS) * _LAST_PLACE


def decisions_at(
    game: Game, tables: Tables, rows: NDArray[np.int64], numbers: NDArray[np.int64], uniforms: NDArray[np.float64]
) -> Decisions:
    """Return the decisions that the actors of tables[rows] face; `numbers` are the tables' numbers in the match."""
    return Decisions(game, tables["actor"][rows].astype(np.int64), numbers, uniforms, tables, rows)


# A string because the agents stand on a higher floor: they need this module, and it must do without them.
_PLAYERS = "card_baselines"
_REGISTRY = f"{_PLAYERS}.registry"


def known_agents() -> dict[str, str]:
    """Return the names that `find_agent` knows, each with its "module:Class"."""
    known = {"random": f"{__name__}:RandomAgent"}
    try:
        registered: Mapping[str, str] = importlib.import_module(_REGISTRY).AGENTS
    except ModuleNotFoundError as error:
        if error.name is None or not _REGISTRY.startswith(error.name):
            raise
        return known  # the games are installed without the players
    return {**known, **registered}


def find_agent(spec: str, game: Game) -> Agent:
    """Return the agent that `spec` names, made to play `game`.

    `spec` is one of `known_agents()`, "module:Class", "path/to/file.py:Class", or the folder of a training run, whose
    config.json names a class of `card_baselines` under "agent". The class is called with `game` and `folder`, as far as
    its parameters have these names. Raises ValueError, naming what is nearest, when there is no such agent or it cannot
    play the game.
    """
    folder = Path(spec)
    if (folder / "config.json").is_file():
        location = _location_in(folder)
    elif ":" in spec:
        location = spec
    else:
        known = known_agents()
        location = known.get(spec) or _fail(f"agent {spec!r} is not known", spec, known)
    make = _find_class(spec, location)
    offered = {"game": game, "folder": folder}
    taken = inspect.signature(make).parameters
    agent: Agent = make(**{name: value for name, value in offered.items() if name in taken})
    require_playable(agent, game)
    return agent


def _location_in(folder: Path) -> str:
    """Return which class plays the run in `folder`; one from elsewhere is refused, since run folders are passed on."""
    try:
        location = json.loads((folder / "config.json").read_text())["agent"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{folder / 'config.json'} names no agent: it is not the configuration of a run") from error
    parts = str(location).rpartition(":")[0].split(".")
    if parts[0] != _PLAYERS or parts[-1] == "py" or not all(part.isidentifier() for part in parts):
        raise ValueError(
            f"{folder / 'config.json'} wants code from {location!r}: a run folder may name classes of {_PLAYERS} "
            'alone. If you trust the code, name it yourself: "module:Class" or "path/to/file.py:Class"'
        )
    return str(location)


def require_playable(agent: Agent, game: Game) -> None:
    """Raise ValueError if the agent says that it cannot play the game, or TypeError if it is no agent at all."""
    if not callable(getattr(agent, "act", None)):
        raise TypeError(f"{agent!r} is not an agent: it has no method act(decisions, rng)")
    can_play = getattr(agent, "can_play", None)
    if can_play is not None and not can_play(game):
        raise ValueError(f"agent {agent.name!r} cannot play {game.name}")


def _find_class(spec: str, location: str) -> Any:
    """Return the class at "module:Class" or "path/to/file.py:Class"."""
    place, _, name = location.rpartition(":")
    if not place or not name:
        raise ValueError(f'agent {spec!r} stands at {location!r}, which is not "module:Class"')
    module = _load_file(spec, Path(place)) if place.endswith(".py") else _load_module(spec, place)
    agents = {key: value for key, value in vars(module).items() if inspect.isclass(value) and hasattr(value, "act")}
    agents.pop(Agent.__name__, None)  # the protocol, where the module imports it
    return agents.get(name) or _fail(f"agent {spec!r}: {place} has no class {name!r} with a method act", name, agents)


def _load_module(spec: str, name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise  # it exists; something that it needs does not
        raise ValueError(f"agent {spec!r}: there is no module {name!r}") from error


def _load_file(spec: str, path: Path) -> ModuleType:
    path = path.expanduser().resolve()
    if not path.is_file():
        raise ValueError(f"agent {spec!r}: there is no file {path}")
    name = f"agent_file_{path.stem}_{abs(hash(path))}"
    if name not in sys.modules:
        found = importlib.util.spec_from_file_location(name, path)
        assert found is not None and found.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(found)
        try:
            found.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def _fail(message: str, name: str, known: Mapping[str, Any]) -> Any:
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.3)
    hint = f" (did you mean {nearest[0]!r}?)" if nearest else ""
    raise ValueError(
        f'{message}{hint}: choose one of {sorted(known)}, or pass "module:Class" or "path/to/file.py:Class"'
    )
