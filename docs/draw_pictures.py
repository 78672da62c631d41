"""Draw the pictures of this documentation: python docs/draw_pictures.py writes docs/pictures/*.png and hand.gif."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from card_baselines.papers.zheng2022.picture import draw_sheet
from card_baselines.papers.zheng2022.sheet import SHEET_FILE, load_sheet
from card_baselines.web.replay import encode_pictures
from card_baselines.web.scenes import names_by_seat
from card_baselines.web.session import Plan, Player, Session, name_players
from card_envs.agent import find_agent
from card_envs.canvas import draw_pixels
from card_envs.cards import card_ids
from card_envs.envs import make_game
from card_envs.game import ILLEGAL
from card_envs.rendering.pictures import PICTURE, draw_table

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


class Scene:
    """A table on which one plays in words."""

    def __init__(self, env_id: str, options: dict[str, Any], seed: int = 0, **settings: Any) -> None:
        self.game = make_game(env_id, **settings)
        self.tables = self.game.seeded_tables(1, seed)
        self.actor = self.game.deal_with(self.tables, 0, options)

    def play(self, *names: str) -> None:
        """Take actions by the names that the environment gives them."""
        for name in names:
            actions = range(self.game.num_actions)
            action = next((a for a in actions if self.game.action_name(self.tables, 0, a) == name), -1)
            actor = self.game.step(self.tables, 0, action)
            if actor == ILLEGAL:
                raise ValueError(f"player_{self.actor}, {name}: {self.game.why_illegal(self.tables, 0, action)}")
            self.actor = actor

    def save(self, name: str, seat: int | None = None) -> None:
        """Draw the table as a seat sees it, or with all cards."""
        picture = Image.fromarray(draw_table(self.game, self.tables, seat))
        picture.quantize(COLORS, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)


def main() -> None:
    """Draw every picture."""
    FOLDER.mkdir(exist_ok=True)
    no_limit_flop()
    no_limit_showdown()
    limit_heads_up()
    ten_seats()
    small_games()
    big2()
    hand_of_agents()
    draw_sheet(load_sheet(SHEET_FILE), FOLDER / "zheng2022_sheet.png")
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
        frames = [draw_pixels(paint(session.tables, None, names_by_seat(session)))]
        while not session.is_over:
            session.act(session.agent_action())
            frames.append(draw_pixels(paint(session.tables, None, names_by_seat(session))))
    small = [np.asarray(Image.fromarray(frame).resize(GIF_SIZE, Image.Resampling.LANCZOS)) for frame in frames]
    (FOLDER / "hand.gif").write_bytes(encode_pictures("gif", small))


def no_limit_flop() -> None:
    """Six seats on the flop: a raise, a call, two players out; with all cards and as one seat sees it."""
    cards = "9c4d JhTh 7s2c AsKs 8d8c Qd3h  Jd8hKd"
    table = Scene("no_limit_holdem-v0", {"button": 0, "deck": card_ids(cards)}, num_players=6, bet_menu="integers")
    table.play("raise to 6", "call 6", "fold", "fold", "call 5", "call 4")
    table.play("check", "check", "bet 12", "raise to 40")
    table.save("no_limit_flop")
    table.save("no_limit_flop_seat_3", seat=3)


def no_limit_showdown() -> None:
    """Six seats with uneven stacks, three of them all-in before the flop: the short stack wins the main pot."""
    stacks = [180, 60, 120, 240, 300, 200]
    options = {"button": 2, "deck": card_ids("AhKc 7d7h QsJs 9h9d KdTd 5c4c  7sKs2h4hTc")}
    table = Scene("no_limit_holdem-v0", options, num_players=6, stacks=stacks, bet_menu="integers")
    table.play("raise to 7", "call 7", "raise to 60 all-in", "raise to 120 all-in", "call 119", "fold", "fold")
    table.play("raise to 180 all-in", "call 60")
    table.save("no_limit_showdown")


def limit_heads_up() -> None:
    """Two seats on the turn, as the button sees them."""
    table = Scene("limit_holdem-v0", {"button": 0, "deck": card_ids("AdTd 9s9h Qd9d4s2d")})
    table.play("raise to 4", "call 2", "bet 2", "call 2", "bet 4")
    table.save("limit_heads_up", seat=0)


def ten_seats() -> None:
    """A full table before the flop, with stacks of eight digits."""
    table = Scene(
        "no_limit_holdem-v0", {"button": 4}, seed=3, num_players=10,
        stacks=50_000_000, small_blind=250_000, big_blind=500_000, ante=50_000, bet_menu="fcpa",
    )  # fmt: skip
    table.play("fold", "call 500000", "raise to 2750000", "fold", "call 2750000", "fold", "raise to 12750000")
    table.save("ten_seats")


def small_games() -> None:
    """Flop hold'em, Leduc hold'em and Kuhn poker."""
    table = Scene("flop_holdem-v0", {"button": 0, "deck": card_ids("AdTd 9s9h Qd9d4s")})
    table.play("raise to 200", "call 100", "bet 100", "raise to 200")
    table.save("flop", seat=0)
    table = Scene("leduc_holdem-v0", {"deck": card_ids("Jc Kc Jd")})
    table.play("check", "bet 2", "call 2", "bet 4", "call 4")
    table.save("leduc")
    table = Scene("kuhn_poker-v0", {"deck": card_ids("Qc Jc")})
    table.play("check", "bet 1 all-in")
    table.save("kuhn")


def big2() -> None:
    """A full house on a straight, with all cards and as one seat sees it."""
    table = Scene("big2-v0", {}, seed=21)
    table.play("single 5S", "single KD", "single AD", "single 2H", "pass", "pass", "single 2S", "pass", "pass", "pass")
    table.play("pair 4D 4C", "pair 5D 5H", "pass", "pair 7C 7H", "pass", "pair AC AH", "pass", "pass", "pass")
    table.save("big2_control")
    table.play("straight TC JS QD KC AS", "pass")
    table.save("big2")
    table.save("big2_seat_3", seat=3)


if __name__ == "__main__":
    main()
