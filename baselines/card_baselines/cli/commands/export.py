"""`card-envs agents --export`: a trained agent as an ONNX file."""

from __future__ import annotations

from pathlib import Path

from card_baselines.cli.console import print_json
from card_baselines.cli.options import AgentName, AsJson


def export(agent: AgentName, onnx: Path, as_json: AsJson = False) -> int:
    """Write the network of a trained agent as an ONNX file, which plays without PyTorch.

    Append :greedy to the agent to export its greedy policy.

    Args:
        onnx: File to write: inputs observation and action_mask, output logits, and as metadata what it was trained for.
    """
    from card_baselines.agents.learned.onnx_export import export_onnx

    about = export_onnx(agent, onnx)
    if as_json:
        print_json({"file": str(onnx), **about})
    else:
        size = f"{onnx.stat().st_size / 1e6:.1f} MB"
        print(f"wrote {about['agent']} to {onnx}, {size}: {about['env']}, {about['num_seats']} seats, "
              f"encoder {about['encoder']} version {about['encoder_version']}")  # fmt: skip
    return 0
