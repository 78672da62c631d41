"""Kernels of Big 2 for `Game`."""

from __future__ import annotations

from typing import Any

from card_envs.compiler import kernel
from card_envs.game_loops import game_loops
from card_envs.games.big2.full_state import write_state
from card_envs.games.big2.legal import forced_action, is_listed, random_action, write_mask
from card_envs.games.big2.state import Table
from card_envs.games.big2.tricks import act, deal_cards, open_deal
from card_envs.games.big2.view import censor
from card_envs.records import Tables


@kernel
def start(tables: Tables) -> None:
    """Do nothing: the seat that is dealt 3D opens, so no seat has to be drawn."""


@kernel
def _deal(t: Table) -> None:
    """Deal random hands and lead 3D."""
    deal_cards(t)
    open_deal(t)


@kernel
def _reward(t: Table, seat: Any) -> Any:
    return t.payoff[seat]


LOOPS = game_loops(
    deal=_deal,
    is_legal=is_listed,
    apply=act,
    reward=_reward,
    random_action=random_action,
    write_mask=write_mask,
    censor=censor,
    write_state=write_state,
    forced_action=forced_action,
)
deal, step = LOOPS["deal"], LOOPS["step"]


@kernel
def deal_known(tables: Tables, i: Any) -> Any:
    """Begin a deal with the hands in the record (`hand`, `held`, `num_cards`)."""
    t: Table = tables[i]
    open_deal(t)
    return t.actor
