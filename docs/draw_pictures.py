"""Draw the pictures of this documentation: python docs/draw_pictures.py writes docs/pictures/*.png and hand.gif."""

from __future__ import annotations

import json
import tomllib
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from card_baselines.web.replay import encode_pictures
from card_baselines.web.session import Plan, Player, Session, name_players
from card_envs.agent import find_agent
from card_envs.canvas import draw_pixels
from card_envs.cards import card_ids
from card_envs.envs import make_game
from card_envs.rendering.pictures import PICTURE, draw_table
from card_envs.text.answers import parse_action

FOLDER = Path(__file__).parent / "pictures"
HAND, GIF_SIZE = 20, (720, 480)
"""Hand of the match that is animated, which ends with a showdown, and the size of its pictures."""
PANELS = {
    "heads_up": ("Heads-up limit hold'em", "against one other", "big blinds per hand", 1.0),
    "six_max": ("Six-max limit hold'em", "against five others", "big blinds per hand", 3.0),
    "big2": ("Big 2", "against three others", "points per deal", 10.0),
}
"""Section of the panel -> title, opponents, unit of the means, and the mean from which colours get no stronger."""
COLORS = 128
"""Colours kept in a file: enough for smooth edges."""


def save_picture(picture: Image.Image, name: str) -> None:
    """Write a picture in few colours."""
    few = picture.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
    few.save(FOLDER / f"{name}.png", optimize=True)


def draw_scene(
    env: str, moments: list[dict[str, Any]], options: dict[str, Any] | None = None, seed: int = 0, **others: Any
) -> None:
    """Play a scene of `_scenes.toml` in words, and draw its moments."""
    game = make_game(env, **others.get("settings", {}))
    tables = game.seeded_tables(1, seed)
    options = {name: card_ids(value) if name == "deck" else value for name, value in (options or {}).items()}
    game.deal_with(tables, 0, options)
    for moment in moments:
        for name in moment["actions"]:
            game.step(tables, 0, parse_action(game, tables, 0, name))
        for name, seat in moment["pictures"].items():
            save_picture(Image.fromarray(draw_table(game, tables, None if seat == "all" else seat)), name)


def main() -> None:
    """Draw every picture."""
    FOLDER.mkdir(exist_ok=True)
    for scene in tomllib.loads((FOLDER.parent / "_scenes.toml").read_text(encoding="utf-8"))["scenes"]:
        draw_scene(**scene)
    hand_of_agents()
    panel()


def panel() -> None:
    """The results of `card-envs match --panel`: means; without colour where the 95 % interval contains 0."""
    report = json.loads((FOLDER.parent / "results" / "panel.json").read_text(encoding="utf-8"))
    for name, (title, others, unit, brightest) in PANELS.items():
        names, results = list(report[name]["results"]), report[name]["results"]
        shades, size = np.full((len(names), len(names)), np.nan), 0.62 * len(names) + 2.2
        figure = Figure(figsize=(size + 0.9, 0.75 * size), dpi=160, layout="constrained")
        axes = figure.add_subplot()
        for (i, row), (j, column) in product(enumerate(names), enumerate(names)):
            if column in results[row]:
                mean, (low, high) = results[row][column]["mean"], results[row][column]["ci95"]
                is_sure = low > 0 or high < 0
                shades[i, j] = mean if is_sure else 0.0
                ink = "0.45" if not is_sure else "white" if abs(mean) > 0.7 * brightest else "black"
                axes.text(j, i, f"{mean:+.2f}", ha="center", va="center", fontsize=8, color=ink)
        image = axes.imshow(shades, cmap="RdBu", vmin=-brightest, vmax=brightest, aspect="auto")
        bar = figure.colorbar(image, ax=axes, extend="both", shrink=0.7, aspect=28, pad=0.02)
        bar.set_label(f"{unit}; grey: the 95 % interval contains 0", fontsize=9)
        bar.outline.set_visible(False)
        axes.set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=9)
        axes.set_yticks(range(len(names)), names, fontsize=9)
        axes.set_title(title, fontsize=12, loc="left")
        axes.set_ylabel("one player", fontsize=10)
        axes.set_xlabel(others, fontsize=10)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        figure.savefig(FOLDER / f"panel_{name}.png")


def hand_of_agents() -> None:
    """A hand that six agents play at six-max no-limit, decision by decision, with all cards."""
    names = ["cfr_no_limit_six_max", "ppo_no_limit_six_max", "tight_no_limit_six_max", "position_ranges",
             "loose_passive", "tight_aggressive"]  # fmt: skip
    players = name_players([Player(name, name) for name in names], "no_limit_holdem-v0")
    plan = Plan("no_limit_holdem-v0", {"num_players": len(names)}, players, seed=4)
    game = make_game(plan.env, **plan.settings)
    session = Session(plan, game, {index: find_agent(name, game) for index, name in enumerate(names)})
    paint, frames = PICTURE.require(game), []
    for hand in range(HAND + 1):  # agents with memory know the hands before
        session.deal(hand)
        frames = [draw_pixels(paint(session.tables, None, session.plan.names_at(session.hand)))]
        while not session.is_over:
            session.act(session.agent_action())
            frames.append(draw_pixels(paint(session.tables, None, session.plan.names_at(session.hand))))
    small = [np.asarray(Image.fromarray(frame).resize(GIF_SIZE, Image.Resampling.LANCZOS)) for frame in frames]
    (FOLDER / "hand.gif").write_bytes(encode_pictures("gif", small))


if __name__ == "__main__":
    main()
