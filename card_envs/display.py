"""Output of render mode "human": a window, or text on the terminal."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
"""A picture (height, width, 3), RGB."""


class Display:
    """Shows tables in a window, which opens with the first picture, or as text on the terminal.

    The window is made by pygame or, if pygame is missing, by matplotlib; it shows at most `frames_per_second` pictures
    a second. Text is printed instead if there is no screen, if the game draws no pictures, and if the output is
    captured (`CaptureStdoutWrapper`, notebooks, tests).
    """

    def __init__(self, title: str, frames_per_second: float) -> None:
        self._title, self._pause = title, 1.0 / frames_per_second
        self._window: PygameWindow | MatplotlibWindow | None = None
        self._is_closed = False
        self._last = 0.0

    def show(self, text: Callable[[], str], picture: Callable[[], Picture] | None) -> None:
        """Show a table, given functions that return it as text and as a picture; None for games without pictures."""
        if picture is None or not _has_screen() or _output_is_read():
            print(text(), flush=True)
            return
        try:
            frame = picture()
            self._window = self._window or open_window(self._title)
        except ImportError:  # Pillow is missing, or both pygame and matplotlib
            print(text(), flush=True)
            return
        if not self._is_closed:
            time.sleep(max(0.0, self._last + self._pause - time.monotonic()))
            self._last = time.monotonic()
            self._is_closed = not self._window.show(frame)

    def close(self) -> None:
        """Close the window; the next picture opens a new one."""
        if self._window is not None:
            self._window.close()
        self._window, self._is_closed = None, False


def open_window(title: str) -> PygameWindow | MatplotlibWindow:
    """Return a window of pygame or, if pygame is missing, of matplotlib; ImportError if neither can open one."""
    for kind in (PygameWindow, MatplotlibWindow):
        try:
            return kind(title)
        except (ImportError, RuntimeError):  # not installed; cannot open a window (pygame.error is a RuntimeError)
            continue
    raise ImportError("a window needs pygame or matplotlib: pip install 'card-envs[window]'")


class PygameWindow:
    """A window of pygame."""

    def __init__(self, title: str) -> None:
        """Start pygame; the first picture sets the size of the window."""
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pygame 2.6 imports a module that setuptools wants to remove
            import pygame
        pygame.display.init()
        self._pygame, self._title = pygame, title
        self._screen: Any = None

    def show(self, picture: Picture) -> bool:
        """Show a picture; return False if the window was closed."""
        pygame, size = self._pygame, (picture.shape[1], picture.shape[0])
        if self._screen is None or self._screen.get_size() != size:
            self._screen = pygame.display.set_mode(size)
            pygame.display.set_caption(self._title)
        self._screen.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.display.flip()
        is_closed = any(event.type == pygame.QUIT for event in pygame.event.get())
        if is_closed:
            self.close()
        return not is_closed

    def close(self) -> None:
        """Close the window."""
        self._pygame.display.quit()
        self._screen = None


class MatplotlibWindow:
    """A window of matplotlib."""

    def __init__(self, title: str) -> None:
        """Open the window; RuntimeError if matplotlib's backend can only write files."""
        from matplotlib import pyplot
        from matplotlib.backends.registry import BackendFilter, backend_registry

        known: Any = backend_registry  # untyped
        if pyplot.get_backend().lower() not in known.list_builtin(BackendFilter.INTERACTIVE):
            raise RuntimeError(f"matplotlib's backend {pyplot.get_backend()} opens no windows")
        self._pyplot = pyplot
        self._figure: Any = pyplot.figure(title, layout="tight")
        self._axes: Any = self._figure.add_subplot()
        self._axes.set_axis_off()
        self._image: Any = None

    def show(self, picture: Picture) -> bool:
        """Show a picture; return False if the window was closed."""
        if not self._pyplot.fignum_exists(self._figure.number):
            return False
        if self._image is None or self._image.get_array().shape != picture.shape:
            self._axes.clear()
            self._axes.set_axis_off()
            self._image = self._axes.imshow(picture)
        self._image.set_data(picture)
        self._figure.canvas.draw_idle()
        self._figure.canvas.start_event_loop(0.01)
        return True

    def close(self) -> None:
        """Close the window."""
        self._pyplot.close(self._figure)


def _has_screen() -> bool:
    """Return True if there is a screen for a window."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _output_is_read() -> bool:
    """Return True if standard output is captured in this process."""
    return sys.stdout is not sys.__stdout__
