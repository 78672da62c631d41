"""Replay of many files of recorded hands, and a report of the results."""

from __future__ import annotations

import multiprocessing
import os
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from card_envs.game import is_whole
from card_envs.history.errors import HandHistoryError, shorten
from card_envs.history.formats import format_of_file, search_suffixes
from card_envs.history.history_format import HistoryFormat
from card_envs.history.replay import ParsedHand, replay_hand
from card_envs.history.results import EXACT, LEGAL_ONLY, MATCHED, MISMATCHED, ODD_CHIP, RAKE, SKIPPED, ReplayResult

_FILES_PER_TASK = 16
_Identified = tuple[Hashable, ReplayResult]
"""A `ParsedHand.identity`, and the result of its hand."""


@dataclass
class ReplayReport:
    """Counts of replayed hands, and the hands that did not match."""

    matched: Counter[str] = field(default_factory=Counter)
    """Number of matched hands by agreement: EXACT, ODD_CHIP, RAKE, LEGAL_ONLY."""
    mismatched: list[ReplayResult] = field(default_factory=list)
    """Results of hands that did not match; a file that cannot be read counts as one hand."""
    skipped: dict[str, list[str]] = field(default_factory=dict)
    """Sources of the skipped hands by reason."""

    @property
    def num_matched(self) -> int:
        """Number of hands that matched, with any agreement."""
        return self.matched.total()

    @property
    def num_skipped(self) -> int:
        """Number of hands that our tables do not play, or whose result depends on unknown cards."""
        return sum(map(len, self.skipped.values()))

    @property
    def num_hands(self) -> int:
        """Number of all hands."""
        return self.num_matched + len(self.mismatched) + self.num_skipped

    def add(self, result: ReplayResult) -> None:
        """Count the result of one hand."""
        if result.status == MATCHED:
            self.matched[result.agreement] += 1
        elif result.status == SKIPPED:
            self.skipped.setdefault(result.reason, []).append(result.source)
        else:
            self.mismatched.append(result)

    def lines(self, most_mismatches: int | None = None) -> Iterator[str]:
        """Yield the report as lines of text: mismatches, skips by reason, agreement, and the counts.

        Args:
            most_mismatches: Maximum number of mismatches to list; None for all.
        """
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
        paths: Files and folders, see `find_files`.
        rules: Rules profile or its name, see `replay_file`.
        jobs: Number of processes, at least 1.

    Returns:
        Counts and mismatches of all hands.

    Raises:
        HandHistoryError: For a path that `find_files` refuses.
        ValueError: For a number of processes below 1.
    """
    report = ReplayReport()
    for results in replay_each(find_files(paths), rules, jobs):
        for result in results:
            report.add(result)
    return report


def find_files(paths: str | Path | Iterable[str | Path]) -> list[Path]:
    """Find the files of recorded hands in paths.

    Args:
        paths: Files with any suffix, and folders that are searched for files with a known suffix.

    Returns:
        The files in the order of `paths`, each once; the files of a folder are in natural order (2 before 10).

    Raises:
        HandHistoryError: For a path that does not exist, and for a folder without such files.
    """
    files: list[Path] = []
    suffixes = search_suffixes()
    for path in [Path(paths)] if isinstance(paths, (str, Path)) else map(Path, paths):
        try:
            is_folder, is_there = path.is_dir(), path.exists()
        except OSError as error:  # such as a name that is too long
            raise HandHistoryError(f"{path}: cannot be read: {error.strerror}") from error
        if is_folder:
            found = (Path(folder, name) for folder, _, names in os.walk(path) for name in names)
            inside = [file for file in found if file.suffix in suffixes and file.is_file()]
            if not inside:
                raise HandHistoryError(
                    f"{path}: the folder holds no file that ends in {', '.join(suffixes[:-1])} or {suffixes[-1]}"
                )
            files += sorted(inside, key=_natural)
        elif is_there:
            files.append(path)
        else:
            raise HandHistoryError(f"{path}: there is no such file or folder")
    by_place: dict[str, Path] = {}
    for file in files:  # two paths may name one file, such as a folder and a file in it
        by_place.setdefault(os.path.realpath(file), file)
    return list(by_place.values())


def replay_each(files: Iterable[Path], rules: object = None, jobs: int = 1) -> Iterator[list[ReplayResult]]:
    """Yield the results of each file in order, see `replay_file`; a hand of an earlier file is skipped.

    `jobs` is the number of processes.
    """
    if not is_whole(jobs) or jobs < 1:
        raise ValueError(f"jobs {jobs!r} must be a whole number of processes, at least 1")
    task = partial(_replay, rules=rules)
    listed = list(files)
    formats = list(map(format_of_file, listed))
    seen: set[Hashable] = set()
    if jobs == 1:
        yield from (_skip_repeated(*found, seen) for found in zip(formats, map(task, listed, formats), strict=True))
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        results = pool.map(task, listed, formats, chunksize=_FILES_PER_TASK)
        yield from (_skip_repeated(*found, seen) for found in zip(formats, results, strict=True))


def _skip_repeated(history_format: HistoryFormat, found: list[_Identified], seen: set[Hashable]) -> list[ReplayResult]:
    """Return the results of a file with the hands among `seen`, those of earlier files, skipped; add its own hands."""
    keys = [(type(history_format), identity) for identity, _ in found if identity is not None]
    results = [
        ReplayResult(result.source, SKIPPED, "an earlier file has this hand, and it counts once")
        if (type(history_format), identity) in seen
        else result
        for identity, result in found
    ]
    seen.update(keys)
    return results


def replay_file(file: str | Path, rules: object = None) -> list[ReplayResult]:
    """Replay all hands of a file.

    Args:
        file: The file. Its suffix determines the format; a file with an unknown suffix is read as PHH.
        rules: Rules profile or its name, for games with profiles. None: the rules that the file names, else the default
            of its format.

    Returns:
        One result for each hand; a hand that comes again is skipped. For a file that cannot be read or understood, one
        mismatch with the reason.
    """
    file = Path(file)
    return [result for _, result in _replay(file, format_of_file(file), rules)]


def _replay(file: Path, history_format: HistoryFormat, rules: object) -> list[_Identified]:
    try:
        results = list(_replay_hands(history_format.load_hands(file), rules))
    except HandHistoryError as error:
        return [(None, ReplayResult(str(file), MISMATCHED, str(error).removeprefix(f"{file}").lstrip(":, ")))]
    return [
        (identity, replace(each, source=shorten(each.source), reason=shorten(each.reason)))
        for identity, each in results
    ]


def _replay_hands(hands: Iterable[ParsedHand], rules: object) -> Iterator[_Identified]:
    """Yield identity and result of each hand; a hand that comes again is skipped, and has no identity."""
    seen: set[Hashable] = set()
    for hand in hands:
        identity = hand.identity
        if identity in seen:
            yield None, ReplayResult(hand.source, SKIPPED, "the file has this hand before, and it counts once")
            continue
        if identity is not None:
            seen.add(identity)
        yield identity, replay_hand(hand, rules)


def _natural(path: Path) -> list[tuple[str, int]]:
    """Return a key that sorts 2.phh before 10.phh."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", str(path))]
