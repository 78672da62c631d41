"""What a rollout on a device shows, hashed: compiled, in plain Python, or in Numba's simulator of a GPU.

As a program, `python -m tests.helpers.device_play ENV NUM_TABLES STEPS` prints a hash.
"""

from __future__ import annotations

import hashlib
import os
import sys
from typing import Any

import numpy as np
import torch

from card_baselines.agents.learned.devices import find_device
from card_baselines.ppo.config import Config
from card_baselines.ppo.network import ActorCritic
from card_baselines.ppo.on_device.memory import DeviceKernel
from card_baselines.ppo.on_device.rollout import DeviceRollout


def play(env_id: str, num_tables: int, steps: int, device: str = "cpu") -> str:
    """Play with a network whose logits are exact, and hash all decisions and records."""
    config = Config(env=env_id, num_tables=num_tables, batch=steps * num_tables, hidden=(4,), device=device)
    game = config.game()
    network = ActorCritic.from_config(config, game)
    for parameter in network.parameters():
        torch.nn.init.zeros_(parameter)
    place = find_device(device)
    rollout = DeviceRollout(config, game, network.to(place), place)
    rollout.collect()
    digest = hashlib.sha256()
    digest.update(rollout._records.read(game.new_tables(1).dtype).tobytes())
    for array in (rollout.observation, rollout.mask, rollout._seatings.bytes):
        digest.update(np.ascontiguousarray(array.cpu().numpy()).tobytes())
    for name in ("action", "previous_step", "is_recorded", "is_finished", "advantage"):
        digest.update(np.ascontiguousarray(rollout.decisions.field(name).cpu().numpy()).tobytes())
    return digest.hexdigest()


def use_grid() -> None:
    """Let kernels run on the grid of the simulator, which copies arrays of the host to its GPU and back."""
    from card_envs.cuda.grid import launch

    def on_grid(kernel: DeviceKernel, device: torch.device, num_rows: int, *arguments: Any) -> None:
        launch(kernel.make_thread(), num_rows, 0, *arguments)

    DeviceKernel.__call__ = on_grid  # type: ignore[method-assign]


if __name__ == "__main__":
    if not os.environ.get("WITHOUT_GRID"):
        use_grid()
    env_name, num_tables_text, steps_text = sys.argv[1:]
    print(play(env_name, int(num_tables_text), int(steps_text)))
