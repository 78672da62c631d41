"""`card-envs replay`: recorded hands against our rules."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from card_baselines.cli.console import print_json
from card_baselines.cli.options import AsJson
from card_baselines.progress import progress_bar
from card_envs.history import ReplayReport, find_files, replay_each


def replay(paths: tuple[Path, ...], /, rules: str | None = None, jobs: int = 1, as_json: AsJson = False) -> int:
    """Replay recorded hands: are all actions legal, and do the results agree? Exit code 1 if not.

    Args:
        paths: Files, or folders that are searched: .phh and .phhs (PHH), .acpc (and .log, if named: ACPC logs), .big2.
        rules: Rules profile of hold'em, such as standard or acpc; else that of the file, or of its format.
        jobs: Processes to use.
        as_json: Print JSON.
    """
    if not paths:
        raise ValueError("name at least one file or folder to replay")
    files = find_files(paths)
    report, start = ReplayReport(), time.perf_counter()
    with progress_bar("replaying", len(files)) as bar:
        for results in replay_each(files, rules, jobs):
            for result in results:
                report.add(result)
            bar.advance(1)
    seconds = time.perf_counter() - start
    if as_json:
        print_json(_replay_report(report) | {"seconds": round(seconds, 2)})
    else:
        *lines, counts = report.lines()
        print("\n".join([*lines, f"{report.num_hands / seconds:,.0f} hands/s, loading included", counts]))
    return 1 if report.mismatched else 0


def _replay_report(report: ReplayReport) -> dict[str, Any]:
    return {
        "hands": report.num_hands,
        "matched": report.num_matched,
        "mismatched": len(report.mismatched),
        "skipped": report.num_skipped,
        "agreement": dict(report.matched),
        "mismatches": [{"source": result.source, "reason": result.reason} for result in report.mismatched],
        "skips": {reason: len(sources) for reason, sources in report.skipped.items()},
    }
