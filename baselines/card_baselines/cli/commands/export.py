"""`card-envs agents --export`: a trained agent as an ONNX file, or as a folder to ship with a package."""

from __future__ import annotations

from pathlib import Path

from card_baselines.cli.console import print_report
from card_baselines.cli.options import AgentName, AsJson


def export(
    agent: AgentName, onnx: Path | None = None, folder: Path | None = None, int8: bool = False, as_json: AsJson = False
) -> None:
    """Write the network of a trained agent as an ONNX file, or as a folder to ship with a package.

    Append :greedy to the agent to export its greedy policy as ONNX.

    Args:
        onnx: File to write, which plays without PyTorch: inputs observation and action_mask, output logits, and as
            metadata what it was trained for.
        folder: Folder to write: settings, results and small weights of a run folder. The row of the agent is printed,
            for a mapping of agents like card_baselines.pretrained.PRETRAINED.
        int8: With --folder: store matrices as int8 instead of float16.
    """
    if (onnx is None) == (folder is None):
        raise ValueError("name one of --onnx FILE and --folder FOLDER")
    if onnx is not None:
        _export_onnx(agent, onnx, as_json)
    elif folder is not None:
        _export_folder(agent, folder, int8, as_json)


def _export_folder(agent: str, folder: Path, int8: bool, as_json: bool) -> None:
    from card_baselines.runs.export_pretrained import export_pretrained, make_row

    changed = export_pretrained(Path(agent), folder, int8)
    row = make_row(folder)
    lines = [f"{folder.name!r}: {row},", f"largest change of a weight: {changed:.2g}"]
    print_report({"name": folder.name, **row._asdict(), "largest_change": changed}, lines, as_json)


def _export_onnx(agent: str, path: Path, as_json: bool) -> None:
    from card_baselines.agents.learned.onnx_export import export_onnx

    about = export_onnx(agent, path)
    line = (
        f"wrote {about['agent']} to {path}, {path.stat().st_size / 1e6:.1f} MB: {about['env']}, "
        f"{about['num_seats']} seats, encoder {about['encoder']} version {about['encoder_version']}"
    )
    print_report({"file": str(path), **about}, [line], as_json)
