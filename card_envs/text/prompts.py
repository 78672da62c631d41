"""Prompts: texts with what a seat may know of a table and its legal actions."""

from __future__ import annotations

from collections.abc import Sequence

from card_envs.game import Game, Tables, is_whole
from card_envs.text.interface import find_text
from card_envs.text.transcript import Transcript

FORMS = ("compact", "verbose")
"""Forms of a prompt: a few lines, or sentences with the rules of the game."""
_INSTRUCTION = "Answer with one legal action in square brackets, such as [{example}]."


def check_form(form: str) -> str:
    """Return the form of a prompt, or raise a ValueError for an unknown one."""
    if form not in FORMS:
        raise ValueError(f"form {form!r} is not known: choose one of {list(FORMS)}")
    return form


def write_prompt(
    game: Game,
    tables: Tables,
    i: int,
    seat: int,
    *,
    form: str = "compact",
    transcript: Transcript | None = None,
    earlier: Sequence[str] = (),
) -> str:
    """Return a text that describes table i to a seat, without anything that the seat may not see.

    Args:
        game: The game of the table.
        tables: Records of tables, complete or censored for `seat`.
        i: Index of the table.
        seat: The seat that reads the prompt; legal actions are listed if it is to act.
        form: "compact" (a few lines) or "verbose" (sentences, with the rules).
        transcript: The actions of this deal; None to leave them out.
        earlier: Summaries of earlier deals, oldest first, such as those of `TextTable.summaries`.

    Returns:
        Lines of text.

    Raises:
        ValueError: If the form is not known or there is no such seat.
    """
    verbose = check_form(form) == "verbose"
    if not is_whole(seat) or not 0 <= seat < game.num_seats:
        raise ValueError(f"seat {seat!r} is outside 0..{game.num_seats - 1}")
    view = game.views(tables, [i], [seat])
    text = find_text(game)
    lines = [text.rules, ""] if verbose and text.rules else []
    if earlier:
        lines += ["Earlier deals:", *earlier, ""]
    lines += text.describe(view, 0, seat, verbose)
    if transcript is not None and transcript.events:
        lines += ["Actions so far:", *(f"  {line}" for line in transcript.lines())]
    if int(tables["actor"][i]) == seat:
        lines += _choices(game, view, verbose)
    return "\n".join(lines)


def _choices(game: Game, view: Tables, verbose: bool) -> list[str]:
    legal = describe_legal_actions(game, view, 0)
    if not verbose:
        return [f"Legal: {legal}"]
    ids = game.legal_actions(view, 0)
    example = game.action_name(view, 0, ids[len(ids) // 2])
    return ["", f"Legal actions: {legal}.", _INSTRUCTION.format(example=example)]


def describe_legal_actions(game: Game, tables: Tables, i: int) -> str:
    """Return the legal actions of the actor at table i in one line; ranges of amounts and long lists are shortened."""
    return find_text(game).describe_legal(tables, i)
