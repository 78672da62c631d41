"""The agents that play strategies found by counterfactual regret minimisation: shipped ones, and those of run folders.

| agent | strategy |
|---|---|
| `cfr`, `cfr_large` | heads-up limit hold'em, buckets of similar distributions of equity (`train public_chance_cfr`) |
| `cfr_small` | the same game, buckets of similar equity (`train mccfr`) |
| `cfr_no_limit`, `cfr_no_limit_200` | heads-up no-limit hold'em, 100 and 200 big blinds (`train menu_cfr`) |
| `cfr_flop` | heads-up flop hold'em, every hand on every flop (`train cfr`, `flop_table`) |
| `cfr_limit_six_max`, `cfr_no_limit_six_max` | six seats (`train multiplayer_mccfr`) |

In Kuhn poker and Leduc hold'em for two, `cfr` and its variants solve the game by CFR+ when they first play.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import ClassVar

from card_baselines.solvers.game_trees import has_same_limit_betting, is_two_player_limit, is_usual_limit
from card_baselines.solvers.strategy import DATA, STRATEGY, TableStrategy, load_config
from card_baselines.solvers.translation import find_trained_shares, translate
from card_baselines.solvers.vector_cfr import VectorCfr, VectorGame, VectorStrategy
from card_envs.agent import Decisions, StochasticAgent
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig, is_texas_holdem
from card_envs.typing import Floats

_UNTRAINED = "training hardly came to this betting: checks, and calls if the equity is worth the price"
ITERATIONS = 2000
"""Iterations of CFR+ in small games: Kuhn poker is then exploitable by at most 0.0001 chips a hand, Leduc by 0.001."""


class TableAgent(StochasticAgent):
    """Plays a `TableStrategy`, in its game or in one with other bet menus (`translation`).

    Runs of `card-envs train multiplayer_mccfr` are played by this class itself, and named after their folders.

    Args:
        game: Texas hold'em with seats, blinds, stacks and rules of the strategy.
        folder: Run folder of a solver; without its file the shipped strategy is played.

    Raises:
        ValueError: For other games.
    """

    shipped: ClassVar[str] = ""
    """File of the strategy that comes with the package."""
    needs: ClassVar[str] = (
        "{structure} bets, {seats} seats, blinds of {blinds}, antes of {antes} and stacks of {stacks}, or multiples, "
        "and rules {rules}"
    )
    """What a game must have, for the message of the error; in braces, values of the strategy's game."""

    def __init__(self, game: Game, folder: Path | None = None) -> None:
        if folder is not None and not self.shipped:
            self.name = folder.name
        is_trained = folder is not None and (not self.shipped or (folder / STRATEGY).exists())
        self._game, self._path = game, folder / STRATEGY if folder is not None and is_trained else DATA / self.shipped
        if not self.can_play(game):
            own = load_config(self._path)
            needs = self.needs.format(
                structure=own.structure.replace("_", "-"), seats=own.num_players,
                blinds=" and ".join(map(str, own.blinds)), antes=own.antes, stacks=own.stacks,
                rules=own.rules,
            )  # fmt: skip
            raise ValueError(f"agent {self.name!r} cannot play {game.name} with these settings: it needs {needs}")

    @cached_property
    def strategy(self) -> TableStrategy:
        """The strategy that is played; the file is read on first access."""
        return TableStrategy.load(self._path)

    def can_play(self, game: Game) -> bool:
        """Return True for Texas hold'em with seats, blinds, stacks and rules of the strategy; bet menus may differ."""
        return is_texas_holdem(game) and _list_stakes(game.config) == _list_stakes(load_config(self._path))

    def compute_probabilities(self, decisions: Decisions) -> Floats:
        """Return the probabilities of the actions, (n, num_actions)."""
        return translate(self.strategy, self._game.config, decisions.views)

    def explain(self, decisions: Decisions) -> list[str]:
        """Return a sentence for each decision to whose betting training hardly came, "" for the others."""
        trained = find_trained_shares(self.strategy, self._game.config, decisions.views)
        return ["" if share > 0.5 else _UNTRAINED for share in trained.tolist()]


class Cfr(TableAgent):
    """Plays an equilibrium of Kuhn or Leduc; in heads-up limit hold'em a CFR-BR strategy with 1,024 buckets a street.

    Args:
        game: Kuhn poker, Leduc hold'em or limit hold'em for two players.
        folder: Run folder of `card-envs train mccfr` or `public_chance_cfr`; by default the shipped strategy.

    Raises:
        ValueError: For games with other betting: three or more players, no-limit, short stacks, other caps.
    """

    name = "cfr"
    shipped = "limit_holdem_heads_up_large.npz"
    needs = "two players, limit bets, the usual caps, stacks that never run out, and rules standard or acpc"

    @cached_property
    def small_game(self) -> VectorStrategy:
        """The strategy for a small game, which is solved on first access."""
        solver = VectorCfr(self._game)
        solver.run(ITERATIONS)
        return solver.strategy()

    def can_play(self, game: Game) -> bool:
        """Return True for Kuhn poker, Leduc hold'em and limit hold'em for two, with stacks for every bet."""
        config = game.config
        if is_texas_holdem(game) or not is_two_player_limit(config):
            return is_usual_limit(game)
        return config.num_hole_cards == 1 and config.board_cards in ((0,), (0, 1))  # of any deck

    def table(self) -> TableStrategy | None:
        """Return the strategy for limit hold'em, None in small games."""
        return self.strategy if is_texas_holdem(self._game) else None

    def compute_probabilities(self, decisions: Decisions) -> Floats:
        """Return the probabilities to fold, call and raise, (n, 3)."""
        return (self.table() or self.small_game).probabilities(decisions.views)

    def explain(self, decisions: Decisions) -> list[str]:
        """Return "" for each decision: every decision was trained."""
        return [""] * len(decisions)


class CfrSmall(Cfr):
    """Plays like cfr, in limit hold'em with the small strategy, which has 40 buckets a street."""

    name = "cfr_small"
    shipped = "limit_holdem_heads_up.npz"


class CfrLarge(Cfr):
    """Plays like cfr, in limit hold'em with the large strategy, which has 1,024 buckets a street."""

    name = "cfr_large"


class CfrFlop(TableAgent):
    """Plays an equilibrium of flop hold'em, with probabilities rounded to fifths on the flop (`flop_table`)."""

    name = "cfr_flop"
    shipped = "flop_holdem_heads_up.npz"
    needs = "flop hold'em for two, the blinds and bets of flop_holdem-v0, and stacks that never run out"

    def can_play(self, game: Game) -> bool:
        """Return True for flop hold'em for two with the blinds and bets of the strategy, and stacks for every bet."""
        config = game.config
        if not (is_two_player_limit(config) and config.is_flop_holdem):
            return False
        own = load_config(self._path)
        return _list_bets(config) == _list_bets(own) and has_same_limit_betting(config, own)


class CfrNoLimit(TableAgent):
    """Plays a CFR strategy for stacks of 100 big blinds and raises by half the pot, the pot or all chips.

    In games with other bet menus and the same stacks, bets are translated (`translation`). Its runs are those of
    `card-envs train menu_cfr`.
    """

    name = "cfr_no_limit"
    shipped = "no_limit_holdem_heads_up.npz"


class CfrNoLimit200(CfrNoLimit):
    """Plays like cfr_no_limit, with a strategy for stacks of 200 big blinds, which has 100 buckets a street."""

    name = "cfr_no_limit_200"
    shipped = "no_limit_holdem_heads_up_200.npz"


class CfrNoLimitSixMax(TableAgent):
    """Plays no-limit at six seats with 100 big blinds; raises half the pot, the pot or all chips."""

    name = "cfr_no_limit_six_max"
    shipped = "no_limit_holdem_six_max.npz"


class CfrLimitSixMax(TableAgent):
    """Plays limit at six seats with 100 big blinds, which never run out."""

    name = "cfr_limit_six_max"
    shipped = "limit_holdem_six_max.npz"


class VectorCfrAgent(StochasticAgent):
    """Plays the strategy of a run of `card-envs train cfr`.

    Args:
        game: The game of the run.
        folder: The run folder.

    Raises:
        ValueError: For other games.
    """

    def __init__(self, game: Game, folder: Path) -> None:
        self.name = folder.name
        self._strategy = VectorStrategy.load(folder / STRATEGY, VectorGame(game))

    def compute_probabilities(self, decisions: Decisions) -> Floats:
        """Return the probabilities of the actions, (n, num_actions)."""
        return self._strategy.probabilities(decisions.views)


# --- games that a strategy can be played in ---------------------------------------------------------------------------


def _list_stakes(config: HoldemConfig) -> tuple[object, ...]:
    """Return blinds, antes, stacks and fixed raises in units of the smallest bet, structure, caps, rules; no menu."""
    stacks = tuple(amount / config.min_bet for amount in config.stack_list)
    return _list_bets(config), stacks, config.structure, config.max_raises, config.rules


def _list_bets(config: HoldemConfig) -> tuple[float, ...]:
    """Return blinds, antes and fixed raises in units of the smallest bet."""
    raises = config.raise_sizes if config.structure == "limit" else ()
    return tuple(amount / config.min_bet for amount in (*config.blinds, *config.ante_list, *raises))
