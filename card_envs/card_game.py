"""`CardGame`: a game in one file. Twelve members describe it, and everything else of a `Game` is derived from them.

The table is one record. It has the fields `rng`, `actor`, `is_over`, `payoff` and `deck` of every game, and those that
the game adds. All cards are numbers 0 .. num_cards - 1, and the place of a card in the deck says what it is for: the
hand of a seat, the board. What a seat may know follows from one function, `sees`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from card_envs.cards import NO_CARD
from card_envs.compiler import kernel
from card_envs.game import NOBODY, Game, check_list, is_whole
from card_envs.game_info import GameInfo
from card_envs.game_loops import find_forced_action, game_loops
from card_envs.locations import find_location, load_object
from card_envs.observation import Block, Encoder, Layout, find_encoder, observe_kernels
from card_envs.records import Tables
from card_envs.rng import STREAM, random_below

__all__ = ["CardGame"]

Kernel = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class CardGame:
    """A small game. The functions are kernels (`card_envs.compiler.kernel`); `t` is the record of a table.

    Assign it to a name of its module, so that games can be pickled.
    """

    name: str
    num_seats: int
    num_actions: int
    max_reward: float
    """Bound of the absolute value of payoffs."""
    num_cards: int
    """Number of cards, at most 255."""
    fields: Sequence[tuple[str, DTypeLike] | tuple[str, DTypeLike, int]]
    """Fields that the game adds to a table: name, type and, for arrays, size. `begin` sets them."""
    begin: Kernel
    """Function (t): begins a deal, at the latest by setting `t.actor`. The deck is shuffled, and payoffs are zero."""
    is_legal: Kernel
    """Function (t, action) -> True if the actor may take an action 0 .. num_actions - 1."""
    apply: Kernel
    """Function (t, action): applies a legal action and sets `t.actor`, or at the end NOBODY and `t.payoff`."""
    sees: Kernel
    """Function (t, seat, k) -> True if a seat may know `t.deck[k]`. It must not depend on cards."""
    blocks: Sequence[Block]
    """Blocks of an observation."""
    write: Kernel
    """Function (t, seat, values): writes an observation into `values`, zeros for all numbers of the blocks.
    Cards that the seat may not know are NO_CARD in `t.deck`, so that an observation cannot reveal them."""

    action_names: Sequence[str] = ()
    """Names of the actions; () for "action 0", "action 1", ..."""
    table_text: Callable[[Any, int | None], str] | None = None
    """Function (t, seat) -> the table as lines of text, as a seat sees it, or with all cards for seat None; without it,
    the text lists the fields."""
    unit: str = "chips"
    """Unit of payoffs."""
    start: Kernel | None = None
    """Function (t): prepares a table before its first deal, for example with a random seat that opens."""
    make: Callable[[], Game] | None = None
    """Function that makes the game anew, for pickles of games that are no constant of their module."""
    max_decisions: int = 100
    """Maximum number of decisions of a deal, for OpenSpiel."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Field -> value that new tables have in it."""
    info: GameInfo = field(default_factory=GameInfo)
    features: Mapping[str, str | Callable[[Game], Any] | None] = field(default_factory=dict)
    """As in `Game`; `chance`, `redeal` and `enumeration` are derived."""

    def game(self, encoder: str | Encoder = "default") -> Game:
        """Return the game for environments, matches and everything else."""
        found = find_encoder(self.encoders, encoder)
        return Game(
            name=self.name,
            config=self,
            rules_profiles=(),
            encoders=self.encoders,
            make=self.make or self.game,
            encoder=found,
            state_layout=self._state_layout(),
            num_seats=self.num_seats,
            num_actions=self.num_actions,
            unit=self.unit,
            chips_per_reward=1,
            max_reward=self.max_reward,
            option_names=("deck",),
            new_tables=self.new_tables,
            start=self.kernels.start,
            **self.kernels.loops,
            deal_with=self.deal_with,
            action_name=self.action_name,
            why_illegal=self.why_illegal,
            text=self.text,
            info=self.info,
            family="card_game",
            features=self.features,
        )  # fmt: skip

    def _state_layout(self) -> Layout:
        """Return the blocks of the perfect-information vector: the deck, the actor, and what each seat observes."""
        deck = Block("deck", (self.num_cards, self.num_cards), "one row per card in the order of the deck, one-hot")
        actor = Block("actor", self.num_seats, "one-hot, all 0 when the deal is over")
        seen = [replace(block, name=f"player_{k}_{block.name}") for k in range(self.num_seats) for block in self.blocks]
        return Layout((deck, actor, *seen))

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle the location of the game, because kernels would be pickled by value."""
        location = find_location(self, self.begin.__module__)
        return super().__reduce__() if location is None else (load_object, (location,))

    @cached_property
    def table_dtype(self) -> np.dtype[Any]:
        """Type of a table's record, aligned and without padding, so that equal tables have equal bytes."""
        common = [STREAM, ("actor", np.int8), ("is_over", np.uint8), ("payoff", np.int32, (self.num_seats,))]
        added = [(name, dtype, (size[0],)) if size else (name, dtype) for name, dtype, *size in self.fields]
        fields: list[Any] = [*common, ("deck", np.uint8, (self.num_cards,)), *added]
        fields.sort(key=lambda each: -np.dtype(each[1]).itemsize)
        if missing := -np.dtype(fields).itemsize % np.dtype(np.uint64).itemsize:
            fields.append(("unused", np.uint8, (missing,)))
        return np.dtype((np.record, np.dtype(fields, align=True)))

    @cached_property
    def kernels(self) -> _Kernels:
        """The derived kernels, which are made once."""
        return _derive_kernels(self)

    @cached_property
    def encoders(self) -> dict[str, Encoder]:
        """The encoder `default`, which writes the blocks."""
        layout, kernels = Layout(tuple(self.blocks)), self.kernels
        observe, observe_batch = observe_kernels(kernels.write, kernels.write_mask)
        return {
            "default": Encoder("default", 1, lambda config: layout, observe, observe_batch, partial(_split, layout))
        }

    def new_tables(self, num_tables: int) -> Tables:
        """Return tables at which nothing is dealt."""
        tables = np.zeros(num_tables, self.table_dtype)
        tables["actor"], tables["is_over"], tables["deck"] = NOBODY, 1, NO_CARD
        for name, value in self.settings.items():
            tables[name] = value
        return tables

    def deal_with(self, tables: Tables, i: int, options: Mapping[str, Any]) -> int:
        """Begin a deal with the option `deck`, the first cards of the deck; the others are random."""
        first = check_list("deck", options.get("deck", ()))
        if not all(is_whole(card) and 0 <= card < self.num_cards for card in first) or len(set(first)) < len(first):
            raise ValueError(f"deck {first} must be different whole numbers in 0..{self.num_cards - 1}")
        return int(self.kernels.deal_known(tables, i, np.array(first, np.int64)))

    def action_name(self, tables: Tables, i: int, action: int) -> str:
        """Return the name of an action."""
        return self.action_names[action] if 0 <= action < len(self.action_names) else f"action {action}"

    def why_illegal(self, tables: Tables, i: int, action: int) -> str:
        """Return that an action is not legal, and which are."""
        t = tables[i]
        if t.actor == NOBODY:
            return f"action {action}: the deal is over; call reset()"
        legal = [k for k in range(self.num_actions) if self.is_legal(t, k)]
        names = ", ".join(f"{self.action_name(tables, i, k)} ({k})" for k in legal)
        return f"action {action} is not legal for player_{t.actor}; legal: {names}"

    def text(self, tables: Tables, i: int, seat: int | None) -> str:
        """Return the fields of table i as lines of text, with the cards that a seat sees, or all for None."""
        t = tables[i]
        if self.table_text is not None:
            return self.table_text(t, seat)
        cards = [int(t.deck[k]) if seat is None or self.sees(t, seat, k) else None for k in range(self.num_cards)]
        shown = " ".join("?" if card in (None, NO_CARD) else str(card) for card in cards)
        fields = [f"{name}: {np.asarray(t[name]).tolist()}" for name, *_ in (("actor",), ("payoff",), *self.fields)]
        return "\n".join([f"deck: {shown}", *fields])


@kernel
def _no_start(t: Any) -> None:
    """Do nothing: most tables need no preparation before their first deal."""


def _split(layout: Layout, config: Any, observation: NDArray[Any]) -> dict[str, Any]:
    return {name: values.tolist() for name, values in layout.split(np.asarray(observation)).items()}


@dataclass(frozen=True)
class _Kernels:
    """The kernels that are derived from those of a `CardGame`."""

    loops: dict[str, Any]
    start: Kernel
    write: Kernel
    write_mask: Kernel
    deal_known: Kernel


def _derive_kernels(game: CardGame) -> _Kernels:  # noqa: C901  short kernels, not one long function
    num_cards, num_seats, num_actions = game.num_cards, game.num_seats, game.num_actions
    begin, is_legal, apply, sees, write = game.begin, game.is_legal, game.apply, game.sees, game.write
    start = game.start or _no_start
    dtype, size = game.table_dtype, sum(block.size for block in game.blocks)
    first_actor, first_seen = num_cards * num_cards, num_cards * num_cards + num_seats

    @kernel
    def start_all(tables: Any) -> None:
        for i in range(tables.shape[0]):
            start(tables[i])

    @kernel
    def shuffle(t: Any, known: Any) -> None:
        """Shuffle the deck behind its first `known` cards, and begin the deal."""
        for k in range(known, num_cards - 1):
            other = k + random_below(t, np.int64(num_cards - k))
            card = t.deck[k]
            t.deck[k] = t.deck[other]
            t.deck[other] = card
        for seat in range(num_seats):
            t.payoff[seat] = 0
        begin(t)
        t.is_over = 1 if t.actor == NOBODY else 0

    @kernel
    def deal(t: Any) -> None:
        for k in range(num_cards):
            t.deck[k] = k
        shuffle(t, np.int64(0))

    @kernel
    def deal_known(tables: Any, i: Any, first: Any) -> Any:
        """Deal with the given first cards, and return the actor."""
        t = tables[i]
        for k in range(num_cards):
            t.deck[k] = k
        for k in range(first.shape[0]):
            for other in range(k, num_cards):
                if t.deck[other] == first[k]:
                    t.deck[other] = t.deck[k]
                    t.deck[k] = first[k]
        shuffle(t, np.int64(first.shape[0]))
        return t.actor

    @kernel
    def may_act(t: Any, action: Any) -> Any:
        return t.actor != NOBODY and 0 <= action < num_actions and is_legal(t, action)

    @kernel
    def apply_action(t: Any, action: Any) -> None:
        apply(t, action)
        t.is_over = 1 if t.actor == NOBODY else 0

    @kernel
    def reward(t: Any, seat: Any) -> Any:
        return t.payoff[seat]

    @kernel
    def write_mask(t: Any, seat: Any, m: Any) -> None:
        for action in range(num_actions):
            m.mask[action] = 1 if t.actor == seat and may_act(t, np.int64(action)) else 0

    @kernel
    def random_action(t: Any, stream: Any) -> Any:
        count = np.int64(0)
        for action in range(num_actions):
            count += 1 if may_act(t, np.int64(action)) else 0
        skip, chosen = random_below(stream, count) if count > 0 else np.int64(0), np.int64(0)
        for action in range(num_actions):
            if may_act(t, np.int64(action)):
                chosen = np.int64(action) if skip == 0 else chosen
                skip -= 1
        return chosen

    @kernel
    def censor(t: Any, seat: Any) -> None:
        for k in range(num_cards):
            if not sees(t, np.int64(seat), np.int64(k)):
                t.deck[k] = NO_CARD

    @kernel
    def write_view(t: Any, seat: Any, values: Any) -> None:
        """Write an observation from a censored copy of the table."""
        views = np.empty(1, dtype)
        views[0] = t
        view = views[0]
        for k in range(4):
            view.rng[k] = 0
        censor(view, seat)
        write(view, np.int64(seat), values)

    @kernel
    def write_observation(t: Any, seat: Any, o: Any) -> None:
        for k in range(size):
            o.values[k] = 0.0
        write_view(t, seat, o.values)

    @kernel
    def write_state(t: Any, o: Any) -> None:
        for k in range(o.values.shape[0]):
            o.values[k] = 0.0
        for k in range(num_cards):
            o.values[k * num_cards + np.int64(t.deck[k])] = 1.0
        if t.actor != NOBODY:
            o.values[first_actor + np.int64(t.actor)] = 1.0
        for seat in range(num_seats):
            write_view(t, np.int64(seat), o.values[first_seen + seat * size : first_seen + (seat + 1) * size])

    loops = game_loops(
        deal=deal,
        is_legal=may_act,
        apply=apply_action,
        reward=reward,
        random_action=random_action,
        write_mask=write_mask,
        censor=censor,
        write_state=write_state,
        forced_action=find_forced_action(may_act, num_actions),
    )
    return _Kernels(loops, start_all, write_observation, write_mask, deal_known)
