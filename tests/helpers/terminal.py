"""A person at the terminal, who types what a test says."""

from __future__ import annotations

import pytest


def type_answers(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    """Let `input` return the answers one by one; then the input ends, so a refused answer is not asked for ever."""
    left = iter(answers)

    def answer(prompt: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", answer)
