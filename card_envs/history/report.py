"""Many recorded hands: find the files, replay them, count."""

from __future__ import annotations

import multiprocessing
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from card_envs.history.errors import HandHistoryError, shorten
from card_envs.history.formats import HistoryFormat, format_of_file, search_suffixes
from card_envs.history.results import EXACT, LEGAL_ONLY, MATCHED, MISMATCHED, ODD_CHIP, RAKE, SKIPPED, ReplayResult

_FILES_PER_TASK = 16


@dataclass
class ReplayReport:
    """Counts of replayed hands, and the hands that did not match."""

    matched: Counter[str] = field(default_factory=Counter)
    """Matched hands by agreement: EXACT, ODD_CHIP, RAKE, LEGAL_ONLY."""
    mismatched: list[ReplayResult] = field(default_factory=list)
    """Files that cannot be read count as one hand each."""
    skipped: dict[str, list[str]] = field(default_factory=dict)
    """Sources of skipped hands by reason."""

    @property
    def num_matched(self) -> int:
        """Hands that matched, in whatever agreement."""
        return self.matched.total()

    @property
    def num_skipped(self) -> int:
        """Hands that our tables do not play, or whose cards leave the result open."""
        return sum(map(len, self.skipped.values()))

    @property
    def num_hands(self) -> int:
        """All hands."""
        return self.num_matched + len(self.mismatched) + self.num_skipped

    def add(self, result: ReplayResult) -> None:
        """Count one hand."""
        if result.status == MATCHED:
            self.matched[result.agreement] += 1
        elif result.status == SKIPPED:
            self.skipped.setdefault(result.reason, []).append(result.source)
        else:
            self.mismatched.append(result)

    def lines(self, most_mismatches: int | None = None) -> Iterator[str]:
        """Yield the report as lines of text: mismatches, skips by reason, agreement; the counts come last."""
        for result in self.mismatched[:most_mismatches]:
            yield f"mismatched {result.source}: {result.reason}"
        if most_mismatches is not None and len(self.mismatched) > most_mismatches:
            yield f"... and {len(self.mismatched) - most_mismatches} mismatches more"
        for reason, sources in self.skipped.items():
            yield f"skipped {len(sources)}, first {sources[0]}: {reason}"
        found = [f"{self.matched[name]} {name}" for name in (EXACT, ODD_CHIP, RAKE, LEGAL_ONLY) if self.matched[name]]
        if found:
            yield f"matched: {', '.join(found)}"
        yield (
            f"replayed {self.num_hands} hands: {self.num_matched} matched, {len(self.mismatched)} mismatched, "
            f"{self.num_skipped} skipped"
        )


def replay_paths(paths: str | Path | Iterable[str | Path], rules: object = None, jobs: int = 1) -> ReplayReport:
    """Replay all hands in files and folders.

    Args:
        paths: Files and folders, as for `find_files`.
        rules: Rules profile or its name, as for `replay_file`.
        jobs: Number of processes.
    """
    report = ReplayReport()
    for results in replay_each(find_files(paths), rules, jobs):
        for result in results:
            report.add(result)
    return report


def find_files(paths: str | Path | Iterable[str | Path]) -> list[Path]:
    """Find the files of recorded hands in paths.

    Args:
        paths: Files, which are taken whatever their suffix, and folders, in which files are found by suffix.

    Returns:
        The files in the order of `paths`, those of a folder in natural order (2 before 10).

    Raises:
        HandHistoryError: For a path that does not exist, and for a folder without such files.
    """
    files: list[Path] = []
    suffixes = search_suffixes()
    for path in [Path(paths)] if isinstance(paths, (str, Path)) else map(Path, paths):
        if path.is_dir():
            inside = [file for file in path.rglob("*") if file.suffix in suffixes and file.is_file()]
            if not inside:
                raise HandHistoryError(
                    f"{path}: the folder holds no file that ends in {', '.join(suffixes[:-1])} or {suffixes[-1]}"
                )
            files += sorted(inside, key=_natural)
        elif path.exists():
            files.append(path)
        else:
            raise HandHistoryError(f"{path}: there is no such file or folder")
    return files


def replay_each(files: Iterable[Path], rules: object = None, jobs: int = 1) -> Iterator[list[ReplayResult]]:
    """Yield the results of each file, as `replay_file` returns them, in order, computed in `jobs` processes."""
    task = partial(_replay, rules=rules)
    known = [(file, format_of_file(file)) for file in files]
    if jobs == 1:
        yield from map(task, known)
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(task, known, chunksize=_FILES_PER_TASK)


def replay_file(file: Path, rules: object = None) -> list[ReplayResult]:
    """Replay all hands of a file.

    Args:
        file: Its suffix tells the format; unknown ones are read as the first format, which is PHH.
        rules: Rules profile or its name, for games that have some; None for those that the file names, else those that
            are usual in its format.

    Returns:
        One result per hand; for a file that is not understood a single mismatch with the reason.
    """
    return _replay((file, format_of_file(file)), rules)


def _replay(known: tuple[Path, HistoryFormat], rules: object) -> list[ReplayResult]:
    file, its_format = known
    try:
        results = its_format.replay(file, rules)
    except HandHistoryError as error:
        return [ReplayResult(str(file), MISMATCHED, str(error).removeprefix(f"{file}").lstrip(":, "))]
    return [replace(each, source=shorten(each.source), reason=shorten(each.reason)) for each in results]


def _natural(path: Path) -> list[tuple[str, int]]:
    """Return a sort key that puts 2.phh before 10.phh."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", str(path))]
