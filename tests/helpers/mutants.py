"""Reading many damaged copies of a file or folder: each ends in one of our errors, or is read."""

from __future__ import annotations

import faulthandler
import random
import shutil
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

from card_envs.match.result import AgentError

MAX_SECONDS, MAX_BYTES = 1.5, 200 * 2**20
"""Of processor time and memory for a mutant."""
HANG_SECONDS = 300.0
"""After which the process ends with a traceback: a kernel that does not end cannot be interrupted."""
Damage = Callable[[Path, random.Random], None]
Read = Callable[[Path], None]


def expect_own_errors(
    copies: Path, source: Path, damage: Damage, read: Read, numbers: Iterable[int], usual: float = 0.0
) -> int:
    """Damage and read copies of a file or folder, each as its number says; return how many were refused.

    `usual` is the processor time for reading an undamaged one, which mutants may take too.
    Errors of Python, of SQLite, of PyTorch and of safetensors fail the test, and so does an error without the file.
    """
    refused = 0
    for tried, number in enumerate(numbers):
        copied = copies / f"{number}" / source.name
        copied.parent.mkdir(parents=True)
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, copied)
        damage(copied, random.Random(number))
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        start, before = time.process_time(), peak_bytes()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of rows that are left out
                read(copied)
        except (ValueError, AgentError) as error:
            assert source.name in str(error), f"mutant {number}: no word of the file: {error!r}"
            refused += 1
        except Exception as error:
            raise AssertionError(f"mutant {number} in {copied} ends in {type(error).__name__}: {error}") from error
        finally:
            faulthandler.cancel_dump_traceback_later()
        if tried:  # the first one compiles
            assert time.process_time() - start < MAX_SECONDS + usual, f"mutant {number}"
            assert peak_bytes() - before < MAX_BYTES, f"mutant {number}"
        shutil.rmtree(copied.parent)
    return refused


def peak_bytes() -> int:
    """Return the largest memory of this process so far; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
