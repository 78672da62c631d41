"""render_mode="human": text where nobody can open a window, else a window; what PettingZoo's tools expect of it."""

import copy
import io
import pickle
import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import render_test
from pettingzoo.utils import CaptureStdoutWrapper

from card_envs import display
from card_envs.envs import ENVS, make_env, make_raw_env
from card_wrappers.gymnasium import CardEnv, CardVectorEnv

every_id = pytest.mark.parametrize("env_id", ENVS)


@every_id
@pytest.mark.parametrize("make", [make_env, make_raw_env])
def test_pettingzoo_render_test(env_id: str, make: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: make(env_id, render_mode=render_mode))
    assert "player_0" in capsys.readouterr().out


def test_the_table_is_printed_after_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    env, silent = make_env("kuhn_poker-v0", render_mode="human"), make_env("kuhn_poker-v0", render_mode="ansi")
    for one in (env, silent):
        one.reset(seed=1)
    assert capsys.readouterr().out == f"{silent.render()}\n"
    for _ in range(2):
        env.step(1)
        silent.step(1)
        assert capsys.readouterr().out == f"{silent.render()}\n"
    assert env.render() is None
    assert capsys.readouterr().out == f"{silent.render()}\n"


@every_id
def test_the_end_by_an_illegal_action_is_drawn(env_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    env, silent = make_env(env_id, render_mode="human"), make_env(env_id, render_mode="ansi")
    picture = make_env(env_id, render_mode="rgb_array")
    for one in (env, silent, picture):
        one.reset(seed=1)
        while one.infos[one.agent_selection]["action_mask"].all():
            one.step(1)
    to_act = picture.render()
    capsys.readouterr()
    illegal = int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0)[0])
    for one in (env, silent, picture):
        with pytest.warns(UserWarning, match="illegal action"):
            one.step(illegal)
    assert capsys.readouterr().out == f"{silent.render()}\n"
    assert not np.array_equal(picture.render(), to_act)


def test_pettingzoo_captures_what_is_printed() -> None:
    env = CaptureStdoutWrapper(make_env("leduc_holdem-v0", render_mode="human"))
    env.reset(seed=1)
    plain = make_env("leduc_holdem-v0", render_mode="ansi")
    plain.reset(seed=1)
    assert env.render() == f"{plain.render()}\n"


def test_a_gymnasium_environment_shows_what_its_learner_sees(capsys: pytest.CaptureFixture[str]) -> None:
    env = gymnasium.make("card_envs:card_envs/KuhnPoker-v0", render_mode="human", opponents="always_call")
    silent = CardEnv("kuhn_poker-v0", opponents="always_call", render_mode="ansi")
    for one in (env, silent):
        one.reset(seed=3)
    assert capsys.readouterr().out == f"{silent.render()}\n"
    done = False
    while not done:
        done = env.step(1)[2]
        silent.step(1)
        assert capsys.readouterr().out == f"{silent.render()}\n"
    env.close()
    with pytest.raises(ValueError, match=r"render_mode 'human' is not known: choose one of \['ansi', 'rgb_array'\]"):
        CardVectorEnv("kuhn_poker-v0", 2, render_mode="human")


# --- windows ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A screen for SDL that nobody sees, and nobody who takes what is printed (as pytest does)."""
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(display, "_output_is_read", lambda: False)
    monkeypatch.setattr(display.time, "sleep", lambda seconds: None)


def test_pygame_shows_the_picture_in_a_window(desktop: None, capfd: pytest.CaptureFixture[str]) -> None:
    pygame = pytest.importorskip("pygame")
    env = make_env("leduc_holdem-v0", render_mode="human")
    drawn = make_env("leduc_holdem-v0", render_mode="rgb_array")
    for one in (env, drawn):
        one.reset(seed=1)
        one.step(1)
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    assert np.array_equal(shown, drawn.render())
    assert pygame.display.get_caption()[0] == "leduc_holdem_v0"
    assert capfd.readouterr().out == ""
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.render_mode == "human"  # windows are not copied, but they can be opened anew
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.render()
    assert not pygame.display.get_init()
    env.render()  # closed windows stay closed
    assert not pygame.display.get_init()
    env.close()
    env.render()
    assert pygame.display.get_init()
    env.close()
    assert not pygame.display.get_init()


def test_a_window_shows_as_many_pictures_a_second_as_a_person_can_follow(
    desktop: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pygame")
    waited: list[float] = []
    monkeypatch.setattr(display.time, "sleep", waited.append)
    shown = display.Display("table", frames_per_second=2)
    for _ in range(2):
        shown.show(lambda: "", lambda: np.zeros((10, 20, 3), np.uint8))
    shown.close()
    assert waited[0] == 0.0 and 0.3 < waited[1] <= 0.5


def test_matplotlib_stands_in_for_pygame(desktop: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r"needs pygame or matplotlib: pip install 'card-envs\[window\]'"):
        display.open_window("table")  # its backend writes files
    monkeypatch.setattr(pyplot, "get_backend", lambda: "TkAgg")
    monkeypatch.setattr("matplotlib.backend_bases.FigureCanvasBase.start_event_loop", lambda self, timeout: None)
    window = display.open_window("table")
    assert isinstance(window, display.MatplotlibWindow)
    picture = np.random.default_rng(0).integers(0, 256, (30, 40, 3), np.uint8)
    for one in (picture, picture[:20]):
        assert window.show(one)
        assert np.array_equal(window._image.get_array(), one)
    window.close()
    assert not window.show(picture)


def test_without_pillow_or_windows_there_is_text(desktop: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Any:
        raise ImportError("Pillow is missing")

    printed = io.StringIO()
    monkeypatch.setattr(sys, "stdout", printed)
    shown = display.Display("table", 1)
    shown.show(lambda: "the table", fail)
    monkeypatch.setattr(display, "open_window", lambda title: fail())
    shown.show(lambda: "again", lambda: np.zeros((10, 20, 3), np.uint8))
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    shown.show(lambda: "on a server", lambda: np.zeros((10, 20, 3), np.uint8))
    assert printed.getvalue() == "the table\nagain\non a server\n"
