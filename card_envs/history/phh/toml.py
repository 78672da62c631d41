"""TOML of PHH files: sections and fields to Python's objects and back."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, NoReturn

from card_envs.history.errors import HandHistoryError

_SECTION = re.compile(r"^\[([^\[\]\n]+)\][ \t]*(?:#.*)?\r?$", re.MULTILINE)
_TOML_LINE = re.compile(r" \(at line (\d+), column \d+\)")


def split_sections(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield (name, text, number of the first line) of every section; a text without sections is one with name ""."""
    headers = list(_SECTION.finditer(text)) if "[" in text else []
    if not headers or any(line.strip() and line[0] != "#" for line in text[: headers[0].start()].splitlines()):
        yield "", text, 1
        return
    line = 1 + text.count("\n", 0, headers[0].start())
    ends = [*(header.start() for header in headers[1:]), len(text)]
    for header, end in zip(headers, ends, strict=True):
        yield header[1].strip(), text[header.end() : end], line
        line += text.count("\n", header.start(), end)


def read_fields(text: str) -> dict[str, Any]:
    """Return the fields of one hand; TOMLDecodeError if the text is not TOML."""
    fields = _plain_fields(text)
    return tomllib.loads(text, parse_float=Decimal) if fields is None else fields


def _plain_fields(text: str) -> dict[str, Any] | None:
    """Return the fields of a text in the usual layout; None for any other text.

    A line with numbers and single-quoted texts is JSON after its quotes are replaced, and the JSON decoder is five
    times as fast as `tomllib`. Texts that JSON and TOML read differently, and errors, are left to `tomllib`.
    """
    if '"' in text or "#" in text or "\\" in text or "{" in text or "null" in text:
        return None
    fields: dict[str, Any] = {}
    for line in text.split("\n"):
        if not line:
            continue
        name, equals, value = line.partition(" = ")
        if not equals or name in fields or not (name.isascii() and name.replace("_", "").isalnum()):
            return None
        try:
            fields[name] = _decode_json(value.replace("'", '"'))
        except ValueError:
            try:
                fields[name] = tomllib.loads(line, parse_float=Decimal)[name]
            except tomllib.TOMLDecodeError:
                return None
    return fields


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not TOML")


_decode_json = json.JSONDecoder(parse_float=Decimal, parse_constant=_refuse_constant).decode


def raise_toml_error(error: tomllib.TOMLDecodeError, place: str, text: str, first_line: int) -> NoReturn:
    """Raise the HandHistoryError of a text that is not TOML, with the line in the file."""
    message = str(error)
    found = _TOML_LINE.search(message)
    line = first_line + (int(found[1]) - 1 if found else text.rstrip("\n").count("\n"))
    problem = _TOML_LINE.sub("", message).replace(" (at end of document)", ", the text ends too early")
    raise HandHistoryError(f"{place}, line {line}: not TOML: {problem}; write a line 'field = value'") from error


def line_of(text: str, field: str) -> int:
    """Return the line number, from 0, of a field; the last line if the field is missing."""
    found = re.search(rf"^[ \t]*['\"]?{re.escape(field)}['\"]?[ \t]*=", text, re.MULTILINE)
    return text.count("\n", 0, found.start() if found else len(text.rstrip("\n")))


def key_text(name: str) -> str:
    """Return the name of a field as TOML."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _escape(name)


def value_text(value: object) -> str:
    """Return the value of a field as TOML; HandHistoryError for a value that TOML does not have."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string_text(value)
    if isinstance(value, Decimal):
        return str(value if value.is_finite() else float(value))  # TOML's words are those of `float`: nan, inf, -inf
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key_text(key)} = {value_text(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(value_text, value)) + "]"
    if isinstance(value, (int, float, time, date, datetime)):
        return str(value)
    raise HandHistoryError(f"{value!r} cannot be written as TOML: use numbers, texts, times, arrays and tables")


def _string_text(text: str) -> str:
    if text.isprintable() and "'" not in text:
        return f"'{text}'"
    if text.isprintable() and "'''" not in text and not text.endswith("'"):
        return f"'''{text}'''"
    return _escape(text)


def _escape(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
