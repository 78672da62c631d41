"""Files of what is made from functions besides kernels of the processor, such as code for a GPU."""

from __future__ import annotations

import hashlib
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from card_envs.kernel_cache.files import FORMAT, make_key, make_title, read_content, report_failure, write_content


class FunctionFile:
    """The file of something that is made from a function for one set of argument types, such as code for a GPU.

    Args:
        function: Plain function that calls kernels.
        types: Numba's types of the arguments.
        options: What else the content depends on.
        folder: Folder of the file; None: nothing is read or written.
    """

    def __init__(self, function: Callable[..., Any], types: Any, options: str, folder: Path | None) -> None:
        self._key = make_key(function, repr(types), options)
        stem = re.sub(r"[^\w.]+", "_", make_title(function))[-100:]
        digest = hashlib.sha256(self._key.encode()).hexdigest()[:24]
        self._path = None if folder is None else folder / f"{stem}-{digest}.nbc"

    def read(self) -> Any:
        """Return what was written; None if there is no valid file."""
        content = None if self._path is None else read_content(self._path)
        if content is None:
            return None
        key, found = pickle.loads(content)
        return found if key == self._key else None

    def write(self, value: Any) -> None:
        """Write a value that can be pickled; the first failure is logged."""
        if self._path is None:
            return
        content = pickle.dumps((self._key, value))
        try:
            write_content(self._path, FORMAT + hashlib.sha256(content).digest() + content)
        except OSError as error:
            report_failure(self._path.parent, error)
