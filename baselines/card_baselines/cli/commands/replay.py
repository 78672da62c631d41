"""`card-envs replay`: recorded hands, played again by our rules."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from card_baselines.cli.console import print_json
from card_baselines.cli.options import AsJson, Paths
from card_baselines.progress import ProgressBar
from card_envs.files import replace_file
from card_envs.history import HandSteps, ReplayReport, find_files, replay_each
from card_envs.history.formats import format_of_file
from card_envs.rendering.pictures import draw_table


def replay(
    paths: Paths,
    /,
    rules: str | None = None,
    jobs: int = 1,
    show: int | None = None,
    picture: Path | None = None,
    as_json: AsJson = False,
) -> int:
    """Replay recorded hands; exit code 1 if an action is illegal or a result differs.

    Args:
        paths: Files, or folders that are searched: .phh and .phhs (PHH), .acpc (and .log, if named: ACPC logs),
            .pokerstars (and .txt, if named: PokerStars' text), .big2.
        rules: Rules profile of hold'em, such as standard or acpc; by default that of the file, or of its format.
        jobs: Number of processes.
        show: Print this hand of the only file instead, counted from 1, decision by decision.
        picture: With --show: draw the table at the end of the hand into this .png file.
    """
    if not paths:
        raise ValueError("name at least one file or folder: card-envs replay PATH")
    files = find_files(paths)
    if show is not None or picture is not None:
        if as_json:
            raise ValueError("--json prints counts of hands, --show one hand in words: leave one of them away")
        return _show(files, show, rules, picture)
    report, start = ReplayReport(), time.perf_counter()
    with ProgressBar("replaying", len(files)) as bar:
        for results in replay_each(files, rules, jobs):
            for result in results:
                report.add(result)
            bar.advance(1)
    seconds = time.perf_counter() - start
    if as_json:
        print_json(_as_json(report) | {"seconds": round(seconds, 2)})
    else:
        *lines, counts = report.lines()
        print("\n".join([*lines, f"{report.num_hands / seconds:,.0f} hands/s, loading included", counts]))
    return 1 if report.mismatched else 0


def _show(files: list[Path], number: int | None, rules: str | None, picture: Path | None) -> int:
    """Print one hand, and draw its end if a picture is asked for; return the exit code."""
    if number is None or len(files) != 1:
        raise ValueError(f"--show N shows one hand of one file: {len(files)} files are named, N is {number}")
    if picture is not None and (picture.suffix != ".png" or picture.exists()):
        raise ValueError(f"--picture {picture} must be a new file that ends in .png")
    if picture is not None and not picture.parent.is_dir():  # known before the hand is printed
        raise ValueError(f"--picture {picture} cannot be written: there is no folder {picture.parent}")
    steps = format_of_file(files[0]).steps(files[0], number, rules)
    print("\n".join(steps.lines()))
    if picture is not None:
        _draw(steps, picture)
        print(f"\ndrawn in {picture}")
    return 0


def _draw(steps: HandSteps, picture: Path) -> None:
    pixels = draw_table(steps.game, steps.tables[-1:].copy(), None)
    from PIL import Image  # an extra, which `draw_table` asks for by name

    with replace_file(picture) as temporary:
        Image.fromarray(pixels).save(temporary, format="PNG")


def _as_json(report: ReplayReport) -> dict[str, Any]:
    return {
        "hands": report.num_hands,
        "matched": report.num_matched,
        "mismatched": len(report.mismatched),
        "skipped": report.num_skipped,
        "agreement": dict(report.matched),
        "mismatches": [{"source": result.source, "reason": result.reason} for result in report.mismatched],
        "skips": {reason: len(sources) for reason, sources in report.skipped.items()},
    }
