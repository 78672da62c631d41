"""What is compared with what: ours and theirs on the same path each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

DECISIONS, HANDS = "decisions/s", "hands/s"
_ONE_TABLE = "theirs: one table"


@dataclass(frozen=True)
class Path:
    """Something that can be timed."""

    label: str
    """In tables."""
    make: str
    """"module:function" below `peers`; the function returns a `Work`."""
    argument: str = ""
    """Of that function, if not empty."""
    install: str = ""
    """How to get the engine, if it may be missing."""

    @property
    def key(self) -> str:
        """A name for it in results."""
        return f"{self.make}({self.argument})"


@dataclass(frozen=True)
class Comparison:
    """One path of ours and those of others that it may be compared with."""

    game: str
    path: str
    unit: str
    ours: Path
    theirs: tuple[Path, ...]
    in_short_table: bool = True
    floor: float = 0.0
    """What is asked of it: times the fastest of the others; without others, units a second."""


def comparisons(big2_checkout: str = "", quick: bool = False) -> list[Comparison]:
    """Return all comparisons, in the order of the tables; `quick` ones learn from small batches."""
    return [
        *_evaluation(),
        *_holdem(),
        *_small(),
        *_big2(big2_checkout),
        *_learning("16" if quick else "256"),
    ]


def all_paths(compared: Iterable[Comparison]) -> list[Path]:
    """Return every path once, ours before theirs, in the order of the comparisons."""
    return list(dict.fromkeys(path for row in compared for path in (row.ours, *row.theirs)))


def _evaluation() -> list[Comparison]:
    game = "7-card evaluation"
    theirs = tuple(
        Path(name, f"evaluators:{name}", install=f"pip install {name}") for name in ("phevaluator", "eval7", "treys")
    )
    ids = Path("hand_rank, a list of ids", "ours:evaluate_one_by_one")
    one_set = Path("hand_rank_of_set, an integer made beforehand", "ours:evaluate_sets_one_by_one")
    many = Path("hand_ranks, 200,000 hands a call", "ours:evaluate_batch")
    return [
        Comparison(game, "one hand a call, as each takes it fastest", HANDS, one_set, theirs, floor=1.5),
        Comparison(game, "one hand a call, any list of ids", HANDS, ids, theirs),
        Comparison(game, "batch; theirs have none: one hand a call", HANDS, many, theirs),
    ]


def _holdem() -> list[Comparison]:
    titles = {"limit2": "limit, heads-up", "nl2": "no-limit, heads-up", "nl6": "no-limit, six-max"}
    return [row for name, game in titles.items() for row in (*_aec(name, game), *_loops(name, game))]


def _aec(name: str, game: str) -> list[Comparison]:
    install = "pip install 'pettingzoo[classic]'"
    return [
        Comparison(
            game,
            f"AEC loop, {kind}()",
            DECISIONS,
            Path(f"{kind}()", f"ours:{kind}", name),
            (Path(f"PettingZoo classic {kind}()", f"pettingzoo_classic:{kind}", name, install),),
            in_short_table=kind == "env" and name != "nl2",
        )
        for kind in ("env", "raw_env")
    ]


def _loops(name: str, game: str) -> list[Comparison]:
    spiel = "pip install open_spiel"
    rlcard = Path("RLCard env.step", "rlcard_env:step_loop", name, "pip install rlcard")
    rl_loop = Path("OpenSpiel rl_environment", "openspiel:rl_loop", name, spiel)
    tensors = Path("OpenSpiel, tensor and mask as arrays", "openspiel:with_tensors", name, spiel)
    observer = Path("OpenSpiel, observer and mask", "openspiel:with_observer", name, spiel)
    bare = Path("OpenSpiel, bare state", "openspiel:bare", name, spiel)
    pokerkit = Path("PokerKit, bare state", "pokerkit_state:step_loop", name, "pip install pokerkit")
    loop = Path("raw_env(), observe and step", "ours:step_loop", name)
    kernels = Path("kernels, mask and step", "ours:kernel_loop", name)
    batch = Path("make_vector, 1,024 tables", "ours:batch", name)
    rules = Path("kernels, 1,024 tables", "ours:rules", name)
    observed, shown = (observer, tensors, rl_loop, rlcard), name != "nl2"
    batch_floor = {"limit2": 60.0, "nl6": 55.0}.get(name, 0.0)
    return [
        Comparison(
            game, "Python step loop, observed", DECISIONS, loop, observed, shown, floor=2.0 if name == "limit2" else 0.0
        ),
        Comparison(game, "Python step loop, not observed", DECISIONS, kernels, (bare, pokerkit), False),
        Comparison(game, f"batch, observed; {_ONE_TABLE}", DECISIONS, batch, observed, shown, batch_floor),
        Comparison(game, f"batch, not observed; {_ONE_TABLE}", DECISIONS, rules, (bare, pokerkit), False),
    ]


def _small() -> list[Comparison]:
    """Return batch against batch: the two games that Pgx has as well."""
    return [
        Comparison(
            title,
            "batch, observed; theirs too",
            DECISIONS,
            Path("make_vector, 1,024 tables", "ours:batch", ours),
            (Path("Pgx, 1,024 tables", "pgx_games:batch", theirs, "pip install pgx"),),
        )
        for title, ours, theirs in (("Leduc hold'em", "leduc", "leduc_holdem"), ("Kuhn poker", "kuhn", "kuhn_poker"))
    ]


def _big2(checkout: str) -> list[Comparison]:
    install = "git clone https://github.com/henrycharlesworth/big2_PPOalgorithm, then --big2-checkout big2_PPOalgorithm"
    public = Path("big2_PPOalgorithm", "big2_charlesworth:step_loop", checkout, install)
    loop = Path("raw_env(), observe and step", "ours:step_loop", "big2")
    batch = Path("make_vector, 1,024 tables", "ours:batch", "big2")
    return [
        Comparison("Big 2", "Python step loop, observed", DECISIONS, loop, (public,)),
        Comparison(
            "Big 2", f"batch, observed; {_ONE_TABLE}", DECISIONS, batch, (public,), floor=0 if checkout else 6e6
        ),
    ]


def _learning(steps: str) -> list[Comparison]:
    game, install = "MaskablePPO, limit heads-up", "pip install 'pettingzoo[classic]' sb3-contrib"
    theirs = (Path("PettingZoo classic, 8 DummyVecEnvs", "pettingzoo_learner:eight_tables", steps, install),)
    needs = "pip install 'card-envs[sb3,train]'"
    script = Path("CardVecEnv, tables and minibatch of our script", "ours_learner:as_our_script", install=needs)
    eight = Path("CardVecEnv, 8 tables", "ours_learner:eight_tables", steps, needs)
    return [
        Comparison(game, "each with its own settings", DECISIONS, script, theirs, floor=45.0),
        Comparison(game, "same settings", DECISIONS, eight, theirs),
    ]
