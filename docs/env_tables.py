"""Tables about the environments, made from the code; see `generate.py`."""

from __future__ import annotations

import inspect
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

from card_envs.aec import GameAEC
from card_envs.cards import card_ids
from card_envs.envs import ENVS, EnvEntry, make_game, make_raw_env
from card_envs.formatting import markdown_table
from card_envs.games.big2.actions import ACTION_SIZE, PASS, POSITIONS
from card_envs.games.big2.config import RULES as BIG2_RULES
from card_envs.games.big2.config import Big2Config
from card_envs.games.holdem.rules import RULES, RulesProfile
from card_envs.observation import Layout

MEANINGS = tomllib.loads((Path(__file__).parent / "_meanings.toml").read_text(encoding="utf-8"))
"""One line about each argument, reset option and hold'em rule."""


def page_name(entry: EnvEntry) -> str:
    """The id without its version: pages keep their address when the version grows."""
    return entry.id.rpartition("-v")[0]


def attributes(entry: EnvEntry) -> str:
    """The facts at a glance, for default arguments."""
    game, module = make_game(entry.id), entry.id.replace("-", "_")
    observation, reward = game.layout.space, game.max_reward
    rows = [
        ("PettingZoo", f'`{module}.env()`, `{module}.raw_env()` or `pettingzoo.make("aec", "card_envs/{entry.id}")`'),
        ("Gymnasium", f'`gymnasium.make("card_envs:card_envs/{entry.gymnasium_id}", opponents="random")`'),
        ("Batched engine", f'`card_envs.make_vector("{entry.id}", num_tables=1024)`'),
        ("Actions", "discrete, with a mask"),
        ("Parallel API", "no: one agent acts at a time"),
        ("Agents", f"`{[f'player_{seat}' for seat in range(game.num_seats)]}`"),
        ("Number of agents", seats(entry)),
        ("Action shape, values", f"`Discrete({game.num_actions})`"),
        ("Observation shape", f"`{observation.shape}`, {observation.dtype}, encoder `{game.encoder.name}`"),
        ("Observation values", f"[{observation.low.min():g}, {observation.high.max():g}]"),
        ("State shape", f"`{game.state_layout.space.shape}`"),
        ("Rewards", f"{UNITS[game.unit]}, zero-sum, never beyond ±{reward:g}"),
    ]
    return markdown_table(["", "Defaults"], rows)


UNITS = {"bb": "big blinds", "chips": "chips", "points": "points"}


def seats(entry: EnvEntry) -> str:
    """How many agents may play."""
    possible = []
    for number in range(2, 11):
        try:
            possible.append(make_game(entry.id, num_players=number).num_seats)
        except (TypeError, ValueError):
            continue
    return f"{possible[0]} to {possible[-1]}" if possible else str(make_game(entry.id).num_seats)


def arguments(entry: EnvEntry) -> str:
    """Every parameter of the factory, except options that have a table of their own."""
    own = {field.name for field in fields(Big2Config)}
    parameters = [
        parameter for name, parameter in inspect.signature(entry.factory).parameters.items() if name not in own
    ]
    rows = [(f"`{p.name}`", f"`{p.annotation}`", f"`{p.default!r}`", MEANINGS["arguments"][p.name]) for p in parameters]
    drawing = ("`render_mode`", "`str | None`", "`None`", MEANINGS["arguments"]["render_mode"])
    return markdown_table(["argument", "type", "default", "meaning"], [*rows, drawing])


def reset_options(entry: EnvEntry) -> str:
    """Every key of `reset(options=...)`."""
    names = make_game(entry.id).option_names
    return markdown_table(["option", "meaning"], [(f"`{name}`", MEANINGS["reset_options"][name]) for name in names])


def observation(entry: EnvEntry, encoder: str, **settings: Any) -> str:
    """The blocks of an encoder."""
    game = make_game(entry.id, encoder=encoder, **settings)
    return _blocks(game.layout, f", version {game.encoder.version} of the encoder")


def state(entry: EnvEntry, **settings: Any) -> str:
    """The blocks of the perfect-information vector."""
    return _blocks(make_game(entry.id, **settings).state_layout)


def _blocks(layout: Layout, version: str = "") -> str:
    """Number, type and meaning of the numbers."""
    rows = []
    for block in layout.blocks:
        columns = layout.slices[block.name]
        last = columns.stop - 1
        index = f"{columns.start}" if last == columns.start else f"{columns.start}..{last}"
        shape = " x ".join(map(str, block.dimensions))
        rows.append((index, f"`{block.name}`", shape, f"{block.low:g}..{block.high:g}", block.description))
    table = markdown_table(("index", "block", "shape", "range", "meaning"), rows)
    return f"{layout.size} numbers, {layout.space.dtype}{version}.\n\n{table}"


def bet_menus(entry: EnvEntry, *menus: str) -> str:
    """What the raise ids of each menu are at the first decision: heads-up, 200 chips, blinds 1 and 2."""
    rows = []
    for menu in menus:
        env = make_raw_env(entry.id, bet_menu=menu)
        env.reset(seed=0)
        rows.append((f"`{menu}`", env.game.num_actions, _raises(env, menu)))
    return markdown_table(["`bet_menu`", "actions", "raises at the first decision"], rows)


def _raises(env: GameAEC, menu: str) -> str:
    is_legal, last = env.infos[env.agent_selection]["action_mask"], env.game.num_actions - 1
    if menu == "integers":
        return f"2: raise to 1, 3: raise to 2, ..., {last}: raise to {last - 1}; below the smallest raise masked"
    ids = range(2, last + 1)
    return ", ".join(f"{a}: {env.action_name(a) if is_legal[a] else 'too small here'}" for a in ids)


def environments() -> str:
    """All ids."""
    rows = []
    for entry in ENVS.values():
        names = f"[`{entry.id}`]({page_name(entry)}.md)", f"`{entry.gymnasium_id}`"
        rows.append((*names, entry.summary, seats(entry), make_game(entry.id).num_actions))
    return markdown_table(["id", "in Gymnasium", "game", "seats", "actions"], rows)


def contents() -> str:
    """The same pages for Sphinx, and that of the encoders."""
    pages = [*map(page_name, ENVS.values()), "holdem_encoders"]
    return "\n".join(["```{toctree}", ":hidden:", "", *pages, "```"])


def rules_profiles() -> str:
    """What the hold'em profiles choose."""
    rows = []
    for field in fields(RulesProfile):
        chosen = [f"`{getattr(profile, field.name)}`" for profile in RULES.values()]
        rows.append((f"`{field.name}`", MEANINGS["rules"][field.name], *chosen))
    return markdown_table(["rule", "meaning (when true)", *(f"`{name}`" for name in RULES)], rows)


def big2_options() -> str:
    """Every house rule of Big 2, with its default."""
    rows = [
        (f"`{name}`", option["values"], f"`{getattr(Big2Config(), name)}`", option["meaning"], option["source"])
        for name, option in MEANINGS["big2_options"].items()
    ]
    return markdown_table(["option", "values", "default", "meaning", "source"], rows)


def big2_profiles() -> str:
    """The options that each named set of Big 2 rules changes."""
    rows = []
    for name in MEANINGS["big2_options"]:
        values = [f"`{rules[name]!r}`" if name in rules else "" for rules in BIG2_RULES.values()]
        rows.append((f"`{name}`", *values))
    return markdown_table(["option", *(f"`{name}`" for name in BIG2_RULES)], rows)


def big2_actions() -> str:
    """The blocks of action ids."""
    rows = []
    for size in range(1, 6):
        ids = [action for action in range(PASS) if ACTION_SIZE[action] == size]
        play, limit = f"{size} card{'s' * (size > 1)}", MEANINGS["big2_limits"][size - 1]
        rows.append((f"{ids[0]} .. {ids[-1]}", play, len(ids), limit))
    return markdown_table(["ids", "play", "number", "which positions"], [*rows, (PASS, "pass", 1, "")])


def big2_samples(entry: EnvEntry, *ids: int) -> str:
    """What some ids play from one hand."""
    env = make_raw_env(entry.id)
    env.reset(options={"hands": [card_ids(hand) for hand in MEANINGS["big2_hands"]]})
    hand = " ".join(env.action_name(position).removeprefix("single ") for position in range(13))
    rows = [
        (action, ", ".join(map(str, POSITIONS[action])) or "none", f"`{env.action_name(action)}`") for action in ids
    ]
    return f"From the hand `{hand}`:\n\n{markdown_table(['id', 'positions', 'plays'], rows)}"
