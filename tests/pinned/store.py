"""The files of pins: one JSON a group, with the machine on which it was computed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.pinned.pin import Pin, machine

FOLDER = Path(__file__).parent


def read(group: str) -> dict[str, Any]:
    """Return the machine and the pins of a group, none of one that was never written."""
    if not (FOLDER / f"{group}.json").exists():
        return {"machine": machine(), "pins": {}}
    found: dict[str, Any] = json.loads((FOLDER / f"{group}.json").read_text())
    return found


def write(group: str, found: dict[str, Pin]) -> None:
    """Replace the file of a group, each pin on a line of its own."""
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(pin)}" for name, pin in sorted(found.items()))
    text = f'{{\n "machine": {json.dumps(machine())},\n "pins": {{\n{lines}\n }}\n}}\n'
    (FOLDER / f"{group}.json").write_text(text)
