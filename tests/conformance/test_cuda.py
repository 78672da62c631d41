"""Tables on a GPU: the bytes of the processor, kernels that build for real GPUs, and a sentence where there is none.

Nothing here needs a GPU: Numba's simulator runs the grid, in processes of its own, and NVIDIA's assembler comes as a
wheel. `test_cuda_tables` holds what is asked inside the simulator.
"""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from card_envs import make_vector
from card_envs.cuda import device
from card_envs.cuda.device import CudaUnavailableError
from card_envs.envs import ENVS, make_game
from card_envs.observation import mask_records, observation_records
from tests.helpers import cuda_play
from tests.helpers.processes import run_python

SLOWER = [(env_id, {}) for env_id in ENVS if env_id != "kuhn_poker-v0"] + [
    ("no_limit_holdem-v0", {"num_players": 6, "stacks": [3, 20, 90, 200, 7, 50], "bet_menu": "integers"}),
    ("limit_holdem-v0", {"num_players": 10, "rules": "acpc"}),
    ("big2-v0", {"encoder": "clean"}),
]


def test_the_simulated_gpu_shows_the_bytes_of_the_processor() -> None:
    arguments: Any = ("kuhn_poker-v0", {}, 5, 10)
    assert cuda_play.in_simulator(*arguments) == cuda_play.on_cpu(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize(("env_id", "settings"), SLOWER)
def test_every_game_has_the_same_bytes(env_id: str, settings: dict[str, Any]) -> None:
    arguments = (env_id, settings, 8, 100)
    assert cuda_play.in_simulator(*arguments) == cuda_play.on_cpu(*arguments)


@pytest.mark.slow
def test_the_tables_keep_their_promises_in_the_simulator() -> None:
    words = ("-m", "pytest", "-q", "--noconftest", "tests/conformance/test_cuda_tables.py")
    process = run_python(*words, **cuda_play.SIMULATOR)
    assert process.returncode == 0, process.stdout[-3000:]
    assert "passed" in process.stdout
    assert "skipped" not in process.stdout


def test_without_a_gpu_a_sentence_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "find_spec", lambda name: None)
    with pytest.raises(CudaUnavailableError, match=r"needs numba-cuda: pip install 'card-envs\[cuda\]'"):
        make_vector("kuhn_poker-v0", 4, device="cuda")
    monkeypatch.setattr(device, "find_spec", lambda name: name)
    if importlib.util.find_spec("numba_cuda") is None:  # Numba's own older target answers then: no driver either
        with pytest.raises(CudaUnavailableError, match=r'finds no usable GPU \((?s:.+)\): use device="cpu"'):
            make_vector("kuhn_poker-v0", 4, device="cuda")
    monkeypatch.setattr(device, "COMPILED", False)
    with pytest.raises(CudaUnavailableError, match="unset NUMBA_DISABLE_JIT"):
        make_vector("kuhn_poker-v0", 4, device="cuda")
    monkeypatch.setattr(device, "COMPILED", True)
    monkeypatch.setattr(device, "SIMULATED", True)
    with pytest.raises(CudaUnavailableError, match="set NUMBA_DISABLE_JIT=1"):
        make_vector("kuhn_poker-v0", 4, device="cuda")


def test_unknown_devices_and_threads_on_a_gpu_are_refused() -> None:
    wrong: Any = "gpu"
    with pytest.raises(ValueError, match=r"device 'gpu' is not known: choose one of \['cpu', 'cuda'\]"):
        make_vector("kuhn_poker-v0", 4, device=wrong)
    with pytest.raises(ValueError, match="num_threads 2 is for the processor"):
        make_vector("kuhn_poker-v0", 4, num_threads=2, device="cuda")
    with pytest.raises(ValueError, match="skip_forced True is for the processor"):
        make_vector("kuhn_poker-v0", 4, skip_forced=True, device="cuda")


# --- for real GPUs --------------------------------------------------------------------------------------------------


def assembler() -> Path | None:
    """NVIDIA's `ptxas`, from the wheel nvidia-cuda-nvcc."""
    spec = importlib.util.find_spec("nvidia")
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    return next((path for folder in folders for path in Path(folder).glob("*/bin/ptxas")), None)


needs_ptxas = pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None or assembler() is None,
    reason="the assembler of the extra `cuda` is not installed: pip install '.[cuda]'",
)


@pytest.mark.slow
@needs_ptxas
@pytest.mark.parametrize("env_id", ENVS)
@pytest.mark.parametrize("capability", [(8, 0), (9, 0)], ids=["sm_80", "sm_90"])
def test_all_kernels_build_for_real_gpus(
    env_id: str, capability: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from numba import cuda

    from card_envs.cuda.compiled import constants_in_global_memory
    from card_envs.cuda.grid import grid_functions

    game = make_game(env_id)
    types = argument_types(game)
    functions = {name: (function, types[name]) for name, function in grid_functions(game)._asdict().items()}
    pytest.importorskip("torch")
    functions |= learner_functions(game, types)
    monkeypatch.setattr(
        "numba.cuda.dispatcher.get_current_device", lambda: SimpleNamespace(compute_capability=capability)
    )
    for name, (function, signature) in functions.items():
        with constants_in_global_memory():
            text, _ = cuda.compile(function, signature, device=False, cc=capability, output="ptx", abi="numba")
        source = tmp_path / f"{name}.ptx"
        source.write_text(text)
        is_exact = name in types
        assert not is_exact or "fma." not in text, "a fused multiply-add rounds once where the processor rounds twice"
        architecture = "sm_{}{}".format(*capability)
        command = [str(assembler()), f"-arch={architecture}", "-v", str(source), "-o", str(tmp_path / "out.cubin")]
        process = subprocess.run(command, capture_output=True, text=True)
        assert process.returncode == 0, process.stderr[-2000:]
        assert "0 bytes spill stores, 0 bytes spill loads" in process.stderr


def learner_functions(game: Any, types: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The functions of self-play PPO on a GPU and Numba's types of their arguments, by name."""
    from numba import from_dtype
    from numba import types as numba_types

    from card_baselines.agents.scripted.rule_player import find_script
    from card_baselines.ppo.on_device import kernels, losses
    from card_envs.agent import find_agent

    def array(dtype: Any, dimensions: int = 1) -> Any:
        return numba_types.Array(from_dtype(np.dtype(dtype)), dimensions, "C")

    tables, rows, *_, observations, masks, _ = types["play"].args
    script = find_script(find_agent("random", game), game)
    assert script is not None
    decisions, whole, numbers = array(kernels.DECISION), numba_types.int64, array(np.float32)
    matrix = array(np.float32, 2)
    step = numba_types.void(
        whole, whole, tables, array(kernels.seating_dtype(game.num_seats)), decisions, array(kernels.SETTINGS), rows,
        array(np.float64), array(np.uint8), rows, numbers, matrix, array(np.uint8), matrix, numbers, matrix,
        observations, masks,
    )  # fmt: skip
    loss = numba_types.void(
        rows, matrix, numbers, decisions, masks, numbers, numbers, whole, numba_types.float64, matrix, numbers, matrix
    )
    step_thread = kernels.table_kernel(game, [script]).make_thread()
    return {"step": (step_thread, step), "loss": (losses.LOSS.make_thread(), loss)}


def argument_types(game: Any) -> dict[str, Any]:
    """Numba's types of the arguments of each of the `GridFunctions`."""
    from numba import from_dtype, types

    from card_envs.cuda.tables import align
    from card_envs.rng import seeded_streams

    def array(dtype: Any, dimensions: int = 1) -> Any:
        return types.Array(from_dtype(np.dtype(dtype)), dimensions, "C")

    tables, rows = array(align(game.new_tables(1).dtype)), array(np.int64)
    states = array(observation_records(np.empty((1, game.state_layout.size), game.state_layout.dtype)).dtype)
    observations = array(observation_records(np.empty((1, game.layout.size), game.layout.dtype)).dtype)
    masks = array(mask_records(np.empty((1, game.num_actions), np.int8)).dtype)
    step = (rows, types.int64, array(np.float32, 2), array(np.uint8))
    return {
        "deal": types.void(tables, rows, rows),
        "check": types.void(tables, rows, rows, rows),
        "play": types.void(tables, rows, rows, *step, observations, masks, rows),
        "pick": types.void(tables, rows, array(seeded_streams(1, 0).dtype), rows),
        "write_state": types.void(tables, rows, states),
    }


def test_code_for_a_gpu_is_compiled_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from card_envs.cuda import compiled
    from card_envs.cuda.grid import grid_functions

    count = []
    monkeypatch.setattr("importlib.metadata.version", lambda package: "1.0")
    monkeypatch.setattr(compiled, "cache_folder", lambda package: tmp_path)
    monkeypatch.setattr(compiled, "_compile", lambda *arguments: count.append(arguments) or ("entry", b"code"))
    deal, pick = (getattr(grid_functions(make_game("kuhn_poker-v0")), name) for name in ("deal", "pick"))
    for function, capability in ((deal, (8, 0)), (deal, (8, 0)), (deal, (9, 0)), (pick, (9, 0)), (pick, (9, 0))):
        assert compiled._load_code(function, (), capability) == ("entry", b"code")
    assert len(count) == 3 == len(list(tmp_path.iterdir()))
