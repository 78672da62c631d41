"""Write the generated pages: text that people wrote, with the tables that the code knows.

The text of a page stands beside it in `_<page>.md`. There, `{{name words ...}}` becomes what the function `name` of
this file returns for the environment and the words. Pages that have only some such tables keep them between two
comments, `<!-- name words: begin, written by docs/generate.py -->` and `<!-- name words: end -->`. Run
`python docs/generate.py` after a change; tests compare.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from card_baselines.papers import find_paper
from card_envs.aec import GameAEC
from card_envs.cards import card_ids
from card_envs.envs import ENVS, EnvEntry, make_game, make_raw_env
from card_envs.games.big2.actions import ACTION_SIZE, PASS, POSITIONS
from card_envs.games.big2.config import OPTIONS, options_table
from card_envs.games.holdem.config import RULES, RulesProfile

DOCS = Path(__file__).parent
MEANINGS = tomllib.loads((DOCS / "_meanings.toml").read_text(encoding="utf-8"))
"""One line about each argument, reset option and hold'em rule."""
BASELINES = DOCS.parent / "baselines" / "card_baselines"
PRETRAINED = {folder.name: folder for folder in BASELINES.rglob("pretrained/*")}
"""Name of a trained agent -> its folder."""
WRITTEN_IN_PART = (DOCS.parent / "README.md", DOCS / "training.md", DOCS / "reproductions" / "shi2022.md")
REGION = re.compile(r"<!-- (.+?): begin, written by docs/generate\.py -->\n.*?<!-- \1: end -->", re.S)


def page_name(entry: EnvEntry) -> str:
    """The id without its version: pages keep their address when the version grows."""
    return entry.id.rpartition("-v")[0]


def pages() -> dict[Path, str]:
    """Return the text of every generated page."""
    first = next(iter(ENVS.values()))
    sources = {DOCS / "envs" / f"_{page_name(entry)}.md": entry for entry in ENVS.values()}
    sources |= {DOCS / "envs" / "_index.md": first, DOCS / "_rules.md": first, DOCS / "_players.md": first}
    written = {
        source.with_name(source.name.removeprefix("_")): (
            f"<!-- Written by docs/generate.py from {source.name}: edit that file. -->\n\n{filled(source, entry)}"
        )
        for source, entry in sources.items()
    }
    return written | {page: with_regions(page.read_text(encoding="utf-8"), first) for page in WRITTEN_IN_PART}


def with_regions(text: str, entry: EnvEntry) -> str:
    """Return a text with everything between the two comments of a part made anew."""

    def replacement(match: re.Match[str]) -> str:
        name, *words = match[1].split()
        begin, end = (f"<!-- {match[1]}: {place} -->" for place in ("begin, written by docs/generate.py", "end"))
        return f"{begin}\n\n{PARTS[name](entry, *words)}\n\n{end}"

    return REGION.sub(replacement, text)


def filled(source: Path, entry: EnvEntry) -> str:
    """Return a text with everything in double braces replaced."""

    def replacement(match: re.Match[str]) -> str:
        name, *words = match[1].split()
        return PARTS[name](entry, *words)

    text = re.sub(r"\{\{(.+?)\}\}", replacement, source.read_text(encoding="utf-8"))
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def table(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table; bars inside cells are escaped."""
    lines = [[str(cell).replace("|", "\\|") for cell in row] for row in (header, *rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def settings_of(words: Iterable[str]) -> dict[str, Any]:
    """Return {"num_players": 6} for ["num_players=6"]; what is no literal is text."""
    settings: dict[str, Any] = {}
    for name, _, value in (word.partition("=") for word in words):
        try:
            settings[name] = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            settings[name] = value
    return settings


# --- parts: (environment, words of the text) -> Markdown ---


def include(entry: EnvEntry, name: str) -> str:
    """Another text of the same folder."""
    return filled(DOCS / "envs" / name, entry).rstrip()


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
    return table(["", "Defaults"], rows)


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
    own = {option.name for option in OPTIONS}
    parameters = [
        parameter for name, parameter in inspect.signature(entry.factory).parameters.items() if name not in own
    ]
    rows = [(f"`{p.name}`", f"`{p.annotation}`", f"`{p.default!r}`", MEANINGS["arguments"][p.name]) for p in parameters]
    drawing = ("`render_mode`", "`str | None`", "`None`", MEANINGS["arguments"]["render_mode"])
    return table(["argument", "type", "default", "meaning"], [*rows, drawing])


def reset_options(entry: EnvEntry) -> str:
    """Every key of `reset(options=...)`."""
    names = make_game(entry.id).option_names
    return table(["option", "meaning"], [(f"`{name}`", MEANINGS["reset_options"][name]) for name in names])


def observation(entry: EnvEntry, encoder: str, *words: str) -> str:
    """The blocks of an encoder."""
    game = make_game(entry.id, encoder=encoder, **settings_of(words))
    number = f"{game.layout.size} numbers, {game.layout.space.dtype}, version {game.encoder.version} of the encoder."
    return f"{number}\n\n{game.layout.markdown_table()}"


def state(entry: EnvEntry, *words: str) -> str:
    """The blocks of the perfect-information vector."""
    game = make_game(entry.id, **settings_of(words))
    return f"{game.state_layout.size} numbers, {game.state_layout.space.dtype}.\n\n{game.state_layout.markdown_table()}"


def bet_menus(entry: EnvEntry, *menus: str) -> str:
    """What the raise ids of each menu are at the first decision: heads-up, 200 chips, blinds 1 and 2."""
    rows = []
    for menu in menus:
        env = make_raw_env(entry.id, bet_menu=settings_of([f"menu={menu}"])["menu"])
        env.reset(seed=0)
        number = env.game.num_actions
        rows.append((f"`{menu}`", number, "every id raises to itself" if number > 20 else _raises(env)))
    return table(["`bet_menu`", "actions", "raises at the first decision"], rows)


def _raises(env: GameAEC) -> str:
    is_legal = env.infos[env.agent_selection]["action_mask"]
    ids = range(2, env.game.num_actions)
    return ", ".join(f"{a}: {env.action_name(a) if is_legal[a] else 'too small here'}" for a in ids)


def environments(_: EnvEntry) -> str:
    """All ids."""
    rows = [
        (
            f"[`{entry.id}`]({page_name(entry)}.md)",
            f"`{entry.gymnasium_id}`",
            entry.summary,
            seats(entry),
            make_game(entry.id).num_actions,
        )
        for entry in ENVS.values()
    ]
    return table(["id", "in Gymnasium", "game", "seats", "actions"], rows)


def contents(_: EnvEntry) -> str:
    """The same pages for Sphinx."""
    return "\n".join(["```{toctree}", ":hidden:", "", *map(page_name, ENVS.values()), "```"])


def rules_profiles(_: EnvEntry) -> str:
    """What the hold'em profiles choose."""
    rows = [
        (
            f"`{field.name}`",
            MEANINGS["rules"][field.name],
            *(f"`{getattr(profile, field.name)}`" for profile in RULES.values()),
        )
        for field in fields(RulesProfile)
    ]
    return table(["rule", "meaning (when true)", *(f"`{name}`" for name in RULES)], rows)


def big2_options(_: EnvEntry) -> str:
    """Every house rule of Big 2."""
    return options_table()


def big2_actions(_: EnvEntry) -> str:
    """The blocks of action ids."""
    rows = []
    for size in range(1, 6):
        ids = [action for action in range(PASS) if ACTION_SIZE[action] == size]
        rows.append((f"{ids[0]} .. {ids[-1]}", f"{size} card{'s' * (size > 1)}", len(ids), _BIG2_LIMITS[size]))
    return table(["ids", "play", "number", "which positions"], [*rows, (PASS, "pass", 1, "")])


_BIG2_LIMITS = {
    1: "each",
    2: "at most 3 apart",
    3: "the first and the last at most 3 apart",
    4: "the first two at most 3 apart, the last two as well",
    5: "all sets of five",
}


def big2_samples(entry: EnvEntry, *ids: str) -> str:
    """What some ids play from one hand."""
    env = make_raw_env(entry.id)
    env.reset(options={"hands": [card_ids(hand) for hand in BIG2_HANDS]})
    hand = " ".join(env.action_name(position).removeprefix("single ") for position in range(13))
    rows = [
        (action, ", ".join(map(str, POSITIONS[int(action)])) or "none", f"`{env.action_name(int(action))}`")
        for action in ids
    ]
    return f"From the hand `{hand}`:\n\n{table(['id', 'positions', 'plays'], rows)}"


BIG2_HANDS = (
    "3d 4d 4c 6c 7c 8c 9c Tc Jh Js Ks Ad 2s",
    "3c 3h 4h 5d 6d 7d 8d 9d Jc Qc Kc Ac 2c",
    "3s 5c 5s 6s 7s 8s 9s Th Jd Qh Kd Ah 2d",
    "4s 5h 6h 7h 8h 9h Td Ts Qd Qs Kh As 2h",
)
"""The first holds 3D, so the second decides."""


# --- parts of the panel, from its results ---


def panel_results(entry: EnvEntry, section: str) -> str:
    """What each row's agent wins against others that are all the column's, with half of the 95 % interval."""
    results = panel_report()[section]["results"]
    rows = [[f"`{row}`", *(panel_cell(results[row].get(column)) for column in results)] for row in results]
    return table(["", *(f"`{name}`" for name in results)], rows)


def panel_cell(cell: dict[str, Any] | None) -> str:
    """A mean and half of its interval, in bold where that does not contain 0."""
    if cell is None:
        return ""
    low, high = cell["ci95"]
    text = f"{cell['mean']:+.2f} ± {(high - low) / 2:.2f}"
    return f"**{text}**" if low > 0 or high < 0 else text


SHORT_ROWS = ("tight_aggressive", "equity", "mcts", "cfr")
SHORT_COLUMNS = ("random", "always_call", "chen_strict", "shi_rules_strict", "tight_aggressive", "equity", "cfr")


def panel_in_short(entry: EnvEntry) -> str:
    """The part of the heads-up results that stands in the README."""
    made = panel_report()["heads_up"]
    rows = [
        [f"`{row}`", *(panel_cell(made["results"][row].get(column)) for column in SHORT_COLUMNS)] for row in SHORT_ROWS
    ]
    by = f"`{made['command']}`, commit {made['commit'][:10]}; big blinds per hand with 95 % intervals, duplicate deals."
    return table(["", *(f"`{name}`" for name in SHORT_COLUMNS)], rows) + f"\n\n{by}"


def panel_made_by(entry: EnvEntry, section: str) -> str:
    """The command and commit of the results."""
    made = panel_report()[section]
    return f"`{made['command']}`, commit {made['commit'][:10]}"


def panel_report() -> dict[str, Any]:
    """The stored results of `card-envs panel`."""
    report: dict[str, Any] = json.loads((DOCS / "results" / "panel.json").read_text(encoding="utf-8"))
    return report


# --- parts of the agents that come trained, from what their folders hold ---


def trained_agents(entry: EnvEntry, *names: str) -> str:
    """What each agent wins against each opponent in all other seats, itself in its youth included, and at what cost."""
    return _trained(names, with_youth=True)


def trained_in_short(entry: EnvEntry, *names: str) -> str:
    """The same without the agents' own youth."""
    return _trained(names, with_youth=False)


def _trained(names: tuple[str, ...], with_youth: bool) -> str:
    found = {name: json.loads((PRETRAINED[name] / "evaluation.json").read_text(encoding="utf-8")) for name in names}
    made_of = [json.loads((PRETRAINED[name] / "config.json").read_text(encoding="utf-8"))["made_of"] for name in names]
    won = {name: {match["opponent"]: match for match in found[name]["matches"]} for name in names}
    units = {found[name]["unit"] for name in names}
    assert len(units) == 1, f"agents of one table win in one unit, not in {units}"
    factor, digits, unit = (100, 1, "bb/100") if units == {"bb"} else (1, 2, "points per game")
    rows = [
        [_opponent(other), *(_gain(won[name].get(other), factor, digits) for name in names)]
        for other in dict.fromkeys(other for name in names for other in won[name])
        if with_youth or not _YOUTH.fullmatch(other)
    ]
    costs = [found[name]["cost"] for name in names]
    rows += [["processor time", *(f"{cost['seconds'] / 60:.0f} minutes" for cost in costs)]]
    rows += [["trained on", *map(_experience, costs)]]
    rows += [["hands of a match", *(f"{found[name]['matches'][0]['hands']:,}" for name in names)]]
    rows += [["commit", *(made["commit"][:10] for made in made_of)]]
    return table([f"{unit} against", *(f"`{name}`" for name in names)], rows)


def _experience(cost: dict[str, Any]) -> str:
    if "episodes" in cost:
        return f"{cost['episodes']:,} episodes of six hands"
    return f"{cost['decisions'] / 1e6:.1f} million decisions"


_YOUTH = re.compile(r"after_(\d)_of_(\d)")


def _opponent(name: str) -> str:
    quarters = _YOUTH.fullmatch(name)
    return f"itself after {quarters[1]}/{quarters[2]} of the training" if quarters else f"`{name}`"


def _gain(match: dict[str, Any] | None, factor: int, digits: int) -> str:
    if match is None:
        return ""
    low, high = match["ci95"]
    text = f"{factor * match['mean']:+.{digits}f} ± {factor * (high - low) / 2:.{digits}f}"
    return f"**{text}**" if high < 0 else text


# --- parts of the reproductions, from their reports ---


def reproduced(entry: EnvEntry, report: str, number: str) -> str:
    """One table of a paper: its numbers, ours with half of the 95 % interval, and what follows."""
    made = reproduction_report(report)
    printed = find_paper(made["paper"]).docs_table(made, int(number))
    return table(printed.header, printed.rows)


def reproduction_cost(entry: EnvEntry, report: str) -> str:
    """What the runs of a reproduction cost."""
    made = reproduction_report(report)
    printed = find_paper(made["paper"]).docs_cost(made)
    return table(printed.header, printed.rows)


def reproduction_report(name: str) -> dict[str, Any]:
    """The stored report of `card-envs reproduce`."""
    report: dict[str, Any] = json.loads((DOCS / "results" / f"{name}.json").read_text(encoding="utf-8"))
    return report


PARTS: dict[str, Callable[..., str]] = {
    part.__name__: part
    for part in (
        include, attributes, arguments, reset_options, observation, state, bet_menus, environments, contents,
        rules_profiles, big2_options, big2_actions, big2_samples,
        panel_results, panel_made_by, panel_in_short, trained_agents, trained_in_short, reproduced, reproduction_cost,
    )
}  # fmt: skip


def main() -> None:
    """Write all pages that have changed."""
    for path, text in pages().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(DOCS.parent)}")


if __name__ == "__main__":
    main()
