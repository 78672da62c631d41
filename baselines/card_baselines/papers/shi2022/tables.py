"""Shi et al. (2022), Optimal Policy of Multiplayer Poker via Actor-Critic Reinforcement Learning: tables 1 to 5.

Every number of the paper is the gain of one player against five copies of another, in small bets per hand. Ours is
played twice: as the paper does (6,000 hands) and with more hands, each deal replayed from all six seats. An agent is
what a run is at its last episode, never the best of its curve; with several seeds, the interval speaks of seeds.

The paper says of its scripted opponents which hands they like, not how loose they are. So each is played strict and
loose, and beside each stands what a player wins that is trained against five of them alone: a lower bound of what can
be won at all. Beside each printed number stands what it is per hand if it was meant per board, of six hands; what
speaks for and against that: docs/reproductions/shi2022.md. The tree search is ours, `mcts`; it thinks long, so it plays
fewer hands.
"""

from __future__ import annotations

from card_baselines.papers.printed import Cell

PAPER_HANDS = 6000
UNIT = "small bets per hand"
SEARCHING = ("mcts",)
"""Opponents that take milliseconds for a decision; they stand in for the paper's tree search."""


def _against_players(table: int, gains: dict[str, tuple[float, float, float, float]]) -> list[Cell]:
    players = ("sklansky", "chen", "shi_rules", "mcts")
    return [
        Cell(table, row, name, gain) for row, four in gains.items() for name, gain in zip(players, four, strict=True)
    ]


CELLS = (
    *_against_players(1, {"apu": (4.083, 0.957, 3.265, 3.895), "dual-apu": (1.833, 0.542, 2.167, 3.376)}),
    Cell(2, "apu", "apu-ctrl", 0.031),
    Cell(2, "dual-apu", "dual-apu-ctrl", 0.003),
    *_against_players(3, {"apu-ctrl": (2.275, 0.676, 2.726, 1.303), "dual-apu-ctrl": (1.981, 0.607, 2.882, 1.804)}),
    Cell(4, "apu", "apu none", 9.728),
    Cell(4, "apu", "apu fc", 1.251),
    Cell(5, "dual-apu", "dual-apu none", 0.918),
    Cell(5, "dual-apu", "dual-apu fc", 0.672),
)
ROWS = tuple(dict.fromkeys(cell.row for cell in CELLS))
