"""The command `card-envs`, run in this process: what a test types, and what the command prints."""

from __future__ import annotations

import json
from typing import Any

import pytest

from card_baselines import cli


class Shell:
    """Runs `card-envs` with some words. The fixture `shell` is one; import this class for its type alone."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def run(self, *words: str) -> tuple[int, str, str]:
        """Return the exit status, and what was printed as output and as errors."""
        self._capsys.readouterr()
        try:
            code = cli.main(words)
        except SystemExit as ended:  # --help, and options that do not exist
            code = int(ended.code or 0)
        printed = self._capsys.readouterr()
        return code, printed.out, printed.err

    def prints(self, *words: str) -> str:
        """Return what the command prints when all is well."""
        code, out, err = self.run(*words)
        assert code == 0, err
        return out

    def reports(self, *words: str) -> Any:
        """Return what the command prints as JSON."""
        return json.loads(self.prints(*words, "--json"))

    def refuses(self, *words: str) -> str:
        """Return the one line that the command prints when it is used wrongly."""
        code, out, err = self.run(*words)
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert err.startswith("card-envs: ")
        return err
