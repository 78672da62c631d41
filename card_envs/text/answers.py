"""Reading answers: finding the answer in a text, and the legal action that it names."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping

from card_envs.game import NOBODY, Game, IllegalActionError, Tables
from card_envs.text.interface import find_text
from card_envs.text.prompts import describe_legal_actions

MAX_ANSWER = 200
"""Maximum number of characters of an answer."""
MAX_TEXT = 20_000
"""Maximum number of characters that `parse_action` reads, reasoning included; longer texts are refused."""
_QUOTED = 80
"""Maximum number of characters of an answer that an error message quotes."""

# Texts come from outside: each pattern takes time linear in the text (`tests/text/test_linear_time.py`).
_THINKING = re.compile(r"<(/?)(think|thinking|reasoning)>", re.IGNORECASE)
_OBJECT = re.compile(r"\{[^{}]*\}")
_BOXED = re.compile(r"\\boxed\{([^{}]*)\}")
_TAGGED = re.compile(r"<(/?)(answer|action|move)>", re.IGNORECASE)
_LABELLED = re.compile(r"\b(?:final answer|answer|action|move|decision)\s*+(?:is\s*+)?[:=]\s*([^\n]+)", re.IGNORECASE)
_BRACKETED = re.compile(r"\[([^\[\]]*)\]")
_KEYS = ("move", "action", "answer", "decision")
_AMOUNT_KEYS = ("amount", "raise_to", "to", "size")
DEFAULT_ACTIONS = ("check", "pass", "fold")
"""Actions in place of answers that name no legal one: the first that is legal is taken."""
_PUNCTUATION = " \t\r\n*_`'\"\u2018\u2019\u201c\u201d.!;:[](){}<>"


class ActionTextError(IllegalActionError):
    """Raised if an answer does not name exactly one legal action; the message lists the legal actions."""


def parse_action(game: Game, tables: Tables, i: int, text: str) -> int:
    """Return the legal action of the actor at table i that an answer names.

    The answer may be the action alone or part of a longer text, see `extract_answer`. The amount of a raise is the
    street commitment after it ("raise 80" is "raise to 80"), in chips or, with "bb", in big blinds.

    Args:
        game: The game of the table.
        tables: Records of tables; a censored view of the actor is enough.
        i: Index of the table.
        text: The answer, such as "call", "raise to 2.5bb", "[raise 80]", '{"move": "fold"}' or "pair 7C 7S"; at most
            20,000 characters.

    Returns:
        The action id, which is legal.

    Raises:
        ActionTextError: If the answer is too long or does not name a legal action; the message lists the legal actions.

    Example:
        >>> from card_envs import make_game
        >>> game = make_game("no_limit_holdem-v0", num_players=2)
        >>> tables = game.seeded_tables(1, seed=7)
        >>> actor = game.deal(tables, 0)
        >>> parse_action(game, tables, 0, "I like this hand. Final answer: call")
        1
    """
    if not isinstance(text, str):
        raise ActionTextError(f"answer {type(text).__name__} must be a text{_legal(game, tables, i)}")
    if len(text) > MAX_TEXT:
        raise ActionTextError(
            f"an answer has at most {MAX_TEXT:,} characters, this one has {len(text):,}: write less"
            f"{_legal(game, tables, i)}"
        )
    answer = extract_answer(text)
    if not answer or len(answer) > MAX_ANSWER:
        raise ActionTextError(f"{_quote(text)} names no action{_legal(game, tables, i)}")
    try:
        if int(tables["actor"][i]) == NOBODY:
            raise ValueError("the deal is over")
        return find_text(game).read_action(tables, i, answer)
    except ValueError as error:
        raise ActionTextError(f"{_quote(answer)}: {error}{_legal(game, tables, i)}") from None


def extract_answer(text: str) -> str:
    r"""Return the part of a text that names the action, in lower case and without surrounding punctuation.

    The function looks for these forms, in this order, and takes the last one of its kind: a JSON object with a key
    "move", "action", "answer" or "decision" (and possibly "amount"); \boxed{...}; <answer>...</answer>; a line
    "Final answer: ..." (also "Action:", "Move:", "Decision:"); square brackets. Otherwise it takes the whole text. Text
    within <think>...</think> is ignored. The time is proportional to the length of the text.
    """
    text = _without_elements(_to_plain_characters(text), _THINKING)
    for find in (_from_json, _BOXED.findall, _element_contents, _LABELLED.findall, _BRACKETED.findall):
        if found := find(text):
            text = found[-1]
            break
    bracketed = _BRACKETED.findall(text)
    return " ".join((bracketed[-1] if bracketed else text).strip(_PUNCTUATION).lower().split())


def _to_plain_characters(text: str) -> str:
    """Return a text with compatible characters such as full-width letters replaced by plain ones."""
    if text.isascii():
        return text
    # character by character: the time for a whole text grows with the square of the number of combining characters
    return "".join(unicodedata.normalize("NFKC", character) for character in text)


def _find_elements(text: str, tags: re.Pattern[str]) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Yield the (opening, closing) tags of the elements of a text, from left to right, without those inside others.

    An element ends at the first closing tag of its name. `tags` matches a tag, with groups for its slash and its name.
    """
    nearest: dict[str, re.Match[str]] = {}
    elements = []
    for tag in reversed(list(tags.finditer(text))):
        name = tag[2].lower()
        if tag[1]:
            nearest[name] = tag
        elif name in nearest:
            elements.append((tag, nearest[name]))
    end = 0
    for opening, closing in reversed(elements):
        if opening.start() >= end:
            yield opening, closing
            end = closing.end()


def _without_elements(text: str, tags: re.Pattern[str]) -> str:
    parts, end = [], 0
    for opening, closing in _find_elements(text, tags):
        parts.append(text[end : opening.start()])
        end = closing.end()
    return " ".join([*parts, text[end:]])


def _element_contents(text: str) -> list[str]:
    return [text[opening.end() : closing.start()] for opening, closing in _find_elements(text, _TAGGED)]


def default_action(names: Mapping[int, str]) -> int:
    """Return the action that is taken instead of an answer that names no legal one: check, pass or fold.

    Args:
        names: Legal actions: action id -> name, as `action_names` returns them.

    Returns:
        The id of the first of `DEFAULT_ACTIONS` that is legal; the first legal action if none of them is.
    """
    for wanted in DEFAULT_ACTIONS:
        for action, name in names.items():
            if name.lower() == wanted:
                return action
    return next(iter(names))


def _from_json(text: str) -> list[str]:
    """Return the action in the last flat JSON object that has one; [] if there is none."""
    for source in reversed(_OBJECT.findall(text)):
        try:
            content = json.loads(source)
        except (ValueError, RecursionError):
            continue
        moves = [content[key] for key in _KEYS if isinstance(content.get(key), str)]
        if moves:
            amounts = [content[key] for key in _AMOUNT_KEYS if _is_amount(content.get(key))]
            return [f"{moves[0]} {amounts[0]}" if amounts and not re.search(r"\d", moves[0]) else str(moves[0])]
    return []


def _is_amount(value: object) -> bool:
    return isinstance(value, (int, float, str)) and not isinstance(value, bool) and len(str(value)) <= MAX_ANSWER


def _legal(game: Game, tables: Tables, i: int) -> str:
    return "" if int(tables["actor"][i]) == NOBODY else f"; legal: {describe_legal_actions(game, tables, i)}"


def _quote(text: str) -> str:
    shown = " ".join(text.split())
    return repr(shown if len(shown) <= _QUOTED else f"{shown[:_QUOTED]}...")
