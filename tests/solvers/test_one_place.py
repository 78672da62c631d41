"""Growing a tree, regret matching and the sums of showdowns are each written in one module, which all solvers use.

Ends of hands and best actions are valued in two: for one betting sequence, and for many side by side.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import card_baselines

ROOT = Path(card_baselines.__file__).parent
ZEROS = ("zero", "_ZERO")


def find_functions(is_wanted: Callable[[ast.FunctionDef], bool], *folders: str) -> set[str]:
    """Return the functions for which `is_wanted` returns True, as "module.function".

    `folders` are those of `card_baselines` to search, by default all.
    """
    found = set()
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if (folders and parts[0] not in folders) or "learned" in parts:  # learned responses play matches
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and is_wanted(node):
                found.add(".".join((*parts, node.name)))
    return found


def list_calls(function: ast.FunctionDef) -> set[str]:
    """Return the names of the functions and methods that a function calls."""
    calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    return {f.attr if isinstance(f, ast.Attribute) else f.id for f in calls if isinstance(f, ast.Attribute | ast.Name)}


def takes_actions(function: ast.FunctionDef) -> bool:
    """Return True if a function plays on a table of the engine."""
    return bool(list_calls(function) & {"step", "step_batch", "apply_action"})


def values_ends(function: ast.FunctionDef) -> bool:
    """Return True if a function sums over the opponent's hands at folds or showdowns."""
    sums = {"sum_folds", "sum_showdowns"}
    return bool(list_calls(function) & (sums | {f"{name}_by_column" for name in sums}))


def maximises(function: ast.FunctionDef) -> bool:
    """Return True if a function begins with minus infinity, as values of a best action, or keeps the larger value."""
    nodes = list(ast.walk(function))
    negated = [node for node in nodes if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)]
    choices = [node for node in nodes if isinstance(node, ast.IfExp) and not is_zero(node.orelse)]
    return any(isinstance(n, ast.Attribute) and n.attr == "inf" for each in negated for n in ast.walk(each)) or any(
        ast.unparse(node.test).endswith(f"{ast.unparse(node.body)} > {ast.unparse(node.orelse)}") for node in choices
    )


def compares_strength(function: ast.FunctionDef) -> bool:
    """Return True if a function reads where groups of equal hands end."""
    reads = [node.value for node in ast.walk(function) if isinstance(node, ast.Subscript)]
    return any(isinstance(r, ast.Attribute) and r.attr == "end" and is_hands(r.value) for r in reads)


def is_hands(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("hands", "ranked")


def divides_positive_parts(function: ast.FunctionDef) -> bool:
    """Return True if a kernel divides by a sum, with another value than 0 where the sum is not positive."""
    if not any(isinstance(each, ast.Name) and each.id == "kernel" for each in function.decorator_list):
        return False
    nodes = list(ast.walk(function))
    divisors = {n.right.id for n in nodes if isinstance(n, ast.BinOp) and isinstance(n.right, ast.Name)}
    choices = [n for n in nodes if isinstance(n, ast.IfExp) and not is_zero(n.orelse)]
    return any(is_above_zero(choice.test, divisors) for choice in choices)


def is_above_zero(node: ast.expr, names: set[str]) -> bool:
    """Return True for "name > 0"."""
    if not isinstance(node, ast.Compare) or not isinstance(node.left, ast.Name):
        return False
    return isinstance(node.ops[0], ast.Gt) and is_zero(node.comparators[0]) and node.left.id in names


def is_zero(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and len(node.args) == 1:
        node = node.args[0]
    return getattr(node, "id", None) in ZEROS or getattr(node, "value", None) == 0


def normalises_positive_parts(function: ast.FunctionDef) -> bool:
    """Return True if a function of NumPy takes positive parts, and divides by a sum or calls `normalise`."""
    nodes = list(ast.walk(function))
    calls = [n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    cuts = any(call.func.attr == "maximum" and is_zero(call.args[-1]) for call in calls)  # type: ignore[attr-defined]
    called = list_calls(function)
    divides = "divide" in called or any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) for n in nodes)
    return cuts and ("normalise" in called or (divides and "sum" in called))


def test_trees_are_grown_in_one_place() -> None:
    """The solver for several seats has no tree: it plays the deals that it samples."""
    assert find_functions(takes_actions, "solvers", "exploitability") == {
        "solvers.tree.step_all", "solvers.multiplayer.traversal.traverse", "solvers.multiplayer.traversal._play_to",
    }  # fmt: skip


def test_regret_matching_is_in_one_place() -> None:
    """Deep CFR takes the best action where no advantage is positive, and calls `normalise` of the same module."""
    counts = {"papers.zheng2022.advantage.advantage", "papers.maitrepierre2008.bandit.bounds"}  # no regrets
    assert (find_functions(divides_positive_parts) | find_functions(normalises_positive_parts)) - counts == {
        "solvers.regret.match_regrets", "solvers.regret.find_factors", "solvers.regret.regret_matching",
        "average_strategy.snapshots.match_advantages",
    }  # fmt: skip


def test_showdowns_are_summed_in_one_place() -> None:
    modules = {name.rpartition(".")[0] for name in find_functions(compares_strength)}
    assert modules == {"solvers.hands"}


def test_ends_and_best_actions_are_valued_in_two_modules() -> None:
    """`walk` has the hands of one betting sequence, `street_passes` those of many side by side; all others call these.

    Hand abstractions compare hands, `BoardHands` counts pairs of them, and the response before the flop makes one
    decision for all flops.
    """
    assert find_functions(values_ends) == {
        "solvers.walk.make_walk", "solvers.walk.walk", "solvers.streets.evaluate_fold",
        "solvers.limit.street_passes.evaluate_fold", "solvers.limit.street_passes.evaluate_close",
        "solvers.hands.sum_compatible", "solvers.buckets.hand_buckets.count_equities",
        "solvers.buckets.hand_buckets.compare_with_groups",
    }  # fmt: skip
    assert find_functions(maximises, "solvers", "exploitability") == {
        "solvers.walk.take_best", "solvers.limit.street_passes._take_best", "exploitability.ranges.evaluate_choices",
        "solvers.multiplayer.traversal.learn_from_deal",
    }  # fmt: skip
