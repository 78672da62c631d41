"""What other people wrote runs nothing: run folders, models, leagues, recorded hands, sessions and messages of pages.

Every field that names something gets the location of a payload, a module that can be imported and a file that exists;
if either is ever run, it leaves a mark.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from card_baselines import cli
from card_baselines.agents.learned.onnx_export import export_onnx
from card_baselines.league import League, LeagueError
from card_baselines.pretrained import find_pretrained
from card_baselines.run_folder import RunFolder
from card_baselines.runs.run import train
from card_baselines.web.catalogue import Catalogue
from card_baselines.web.replay import Library
from card_baselines.web.request_handler import RequestHandler
from card_baselines.web.results import compute_results
from card_baselines.web.session import Plan, Player
from card_baselines.web.store import Store
from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.history import replay_paths
from card_envs.history.formats import load_recorded_hands
from card_envs.locations import UntrustedNameError
from card_envs.match import play_match
from tests.helpers.damage import open_sqlite
from tests.helpers.terminal import type_answers
from tests.helpers.tiny_runs import algorithm_of, tiny_config

REPO = Path(__file__).parents[2]
LIMIT = "limit_holdem-v0"


def shipped(name: str) -> Path:
    """Return the folder of an agent that comes with the package."""
    folder = find_pretrained(name)
    assert folder is not None
    return folder


SHIPPED = shipped("ppo_limit_hu")
PAYLOAD = """
import pathlib
pathlib.Path({mark!r}).touch()
from card_envs.agent import RandomAgent
from card_envs.envs import make_game
E = A = PAPER = FORMAT = RandomAgent
def game(**settings):
    return make_game("kuhn_poker-v0")
"""


class Runs:
    """Unpickled, it leaves the mark."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.mark,)


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file that the payload leaves; the payload can be imported, and lies in the working folder."""
    mark = tmp_path / "it ran"
    (tmp_path / "payload.py").write_text(PAYLOAD.format(mark=str(mark)))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "payload", raising=False)
    yield mark
    assert not mark.exists(), "a payload ran"


LOCATIONS = ("payload:E", "payload.py:E", "./payload.py:E")
every_location = pytest.mark.parametrize("location", LOCATIONS)


def test_the_payload_runs_where_the_user_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, spec in (("one", "one:E"), ("two", "two.py:E")):
        (tmp_path / f"{name}.py").write_text(PAYLOAD.format(mark=str(tmp_path / spec)))
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.chdir(tmp_path)
        find_agent(spec, make_game("kuhn_poker-v0"))
        assert (tmp_path / spec).exists()


# --- run folders ------------------------------------------------------------------------------------------------------


def folder_with(tmp_path: Path, source: Path, **fields: object) -> Path:
    """A copy of a shipped agent's folder, with other fields in its config.json."""
    folder = tmp_path / "run"
    shutil.copytree(source, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **fields}))
    return folder


@pytest.mark.parametrize("field", sorted(json.loads((SHIPPED / "config.json").read_text())))
def test_no_field_of_a_run_folder_names_code(mark: Path, tmp_path: Path, field: str) -> None:
    as_before = json.loads((SHIPPED / "config.json").read_text())[field]
    game = make_game(LIMIT)
    for number, location in enumerate(LOCATIONS):
        value = [location] if isinstance(as_before, list) else location
        folder = folder_with(tmp_path / str(number), SHIPPED, **{field: value})
        if field in ("agent", "encoder"):
            with pytest.raises(UntrustedNameError, match="names code"):
                find_agent(str(folder), game)
        else:
            with suppress(ValueError, TypeError):
                play_match(game, [find_agent(str(folder), game), find_agent("random", game)], 2, 0)


@every_location
@pytest.mark.parametrize(("kind", "field"), [("mlp", "encoder"), ("recurrent", "encoder"), ("tabular", "encoder")])
def test_the_encoder_of_every_kind_of_run_is_one_of_the_games(
    mark: Path, tmp_path: Path, kind: str, field: str, location: str
) -> None:
    folder = folder_with(tmp_path, SHIPPED, agent=kind, **{field: location})
    with pytest.raises(UntrustedNameError, match=r"config\.json names code for its encoder: 'p?\.?/?payload"):
        find_agent(str(folder), make_game(LIMIT))


def test_the_encoder_attribute_of_a_loaded_agent_is_no_code_either(mark: Path, tmp_path: Path) -> None:
    from card_envs import plugins

    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"agent": "reads_its_encoder", "encoder": "payload:E"}))
    plugins.register(plugins.SAVED_AGENTS, {"reads_its_encoder": f"{__name__}:ReadsItsEncoder"})
    with pytest.raises(UntrustedNameError, match="names code for its encoder"):
        find_agent(str(folder), make_game(LIMIT))


class ReadsItsEncoder:
    """As somebody may write an agent: what the folder says is the encoder."""

    def __init__(self, folder: Path) -> None:
        self.encoder = json.loads((folder / "config.json").read_text())["encoder"]

    def act(self, decisions: Any, rng: Any) -> Any:
        return decisions.action_mask.argmax(axis=1)


@every_location
@pytest.mark.parametrize("field", ["network", "cheatem"])
def test_folders_of_papers(mark: Path, tmp_path: Path, field: str, location: str) -> None:
    folder = folder_with(tmp_path, shipped("zheng2022_ppo"),
                         **{field: location, "encoder": location})  # fmt: skip
    assert cli.main(["match", LIMIT, "--agents", str(folder), "random", "--hands", "2", "--set", "rules=rlcard"]) in (
        0,
        2,
    )


@every_location
@pytest.mark.parametrize("field", ["env", "env_args", "settings", "encoder"])
def test_exporting_a_run_folder(mark: Path, tmp_path: Path, field: str, location: str) -> None:
    value: object = [f"encoder={location}"] if field in ("env_args", "settings") else location
    folder = folder_with(tmp_path, SHIPPED, **{field: value})
    with pytest.raises(ValueError, match="payload"):
        export_onnx(str(folder), tmp_path / "agent.onnx")


@every_location
def test_the_commands_survive_a_run_folder(
    mark: Path, tmp_path: Path, location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(folder_with(tmp_path, SHIPPED, encoder=location))
    type_answers(monkeypatch, "q")
    for words in (
        ["match", LIMIT, "--agents", folder, "random", "--hands", "2"],
        ["match", LIMIT, "--agents", f"{folder}:greedy", "random", "--hands", "2"],
        ["play", LIMIT, "--agents", folder],
        ["match", "--report", "--agent", folder, "--env", LIMIT],
        ["exploit", LIMIT, "--agent", folder],
        ["tournament", folder, "random", "--folder", "rounds"],
        ["agents", "--export", "--agent", folder, "--onnx", "agent.onnx"],
    ):
        try:
            assert cli.main(words) == 2, words
        except SystemExit as ended:  # tyro, for words that it does not know
            pytest.fail(f"{words}: {ended}")


@pytest.mark.parametrize("field", ["panel", "opponents", "env", "encoder", "env_args", "start_from"])
def test_a_continued_run_takes_its_names_from_the_command(mark: Path, tmp_path: Path, field: str) -> None:
    config = tiny_config("maskable_ppo", steps=200, opponents=("random",))
    described = algorithm_of("maskable_ppo").describe(config)
    assert field in described or field == "start_from"
    changed = ["encoder=payload:E"] if field == "env_args" else ["payload:E"] if field.endswith("s") else "payload:E"
    run = RunFolder(tmp_path / "run")
    run.start(described)
    run.write_json("config.json", run.config() | {field: ["payload:E"] if field == "panel" else changed})
    if field == "start_from":
        config = replace(config, start_from=str(SHIPPED))
    with pytest.raises(ValueError, match=f"holds a run with {field}"):
        train(algorithm_of("maskable_ppo"), config, run.path)


# --- leagues ----------------------------------------------------------------------------------------------------------


def poisoned_league(folder: Path, statement: str, *values: object) -> None:
    """Make a league of two agents, and change its store."""
    with League.new(folder, "kuhn_poker-v0", seed=1) as league:
        league.add_division("final", "round_robin", teachers=["random", "always_call"], hands=10)
        league.run({"final": 1})
    database = open_sqlite(folder / "league.sqlite")
    database.execute(statement, values)
    database.commit()
    database.close()


@pytest.mark.parametrize("statement", [
    "UPDATE members SET spec = ? WHERE id = 1",
    "UPDATE members SET spec = ?, is_trainee = 1 WHERE id = 1",
    "UPDATE members SET spec = ? || ':greedy' WHERE id = 1",
    """UPDATE meta SET value = '{"encoder": "' || ? || '"}' WHERE key = 'settings'""",
    """UPDATE meta SET value = '"' || ? || '"' WHERE key = 'env'""",
])  # fmt: skip
def test_no_field_of_a_league_names_code(mark: Path, tmp_path: Path, statement: str) -> None:
    for number, location in enumerate(LOCATIONS):
        folder = tmp_path / str(number)
        poisoned_league(folder, statement, location)
        assert cli.main(["league", "run", str(folder), "--rounds", "3"]) == 2
        cli.main(["league", "add", str(folder), "--teachers", "random"])
        cli.main(["league", "rank", str(folder), "--measures", "mean", "--resamples", "5"])
        cli.main(["league", "watch", str(folder), "--once"])


def test_a_league_names_code_that_the_user_names_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("from card_envs.agent import RandomAgent\nclass Mine(RandomAgent): pass\n")
    monkeypatch.chdir(tmp_path)
    with League.new("league", "kuhn_poker-v0", seed=1) as league:
        league.add_division("final", "round_robin", teachers=["mine.py:Mine", "always_call"], hands=10)
        league.run({"final": 1})  # the user has just typed it
    assert cli.main(["league", "run", "league", "--rounds", "2"]) == 2
    assert cli.main(["league", "run", "league", "--rounds", "2", "--workers", "2", "--allow", "mine.py:Mine"]) == 0


def test_a_league_names_no_folder_outside(tmp_path: Path) -> None:
    poisoned_league(tmp_path / "league", "UPDATE rounds SET students = '[\"../../kept\"]'")
    with pytest.raises(LeagueError, match="ids of members"), League.open(tmp_path / "league") as league:
        league.run({"final": 3})
    shutil.rmtree(tmp_path / "league")
    poisoned_league(tmp_path / "league", "UPDATE members SET folder = '../../etc', is_trainee = 1, spec = 'sac_low'")
    with pytest.raises(LeagueError, match="not below it"), League.open(tmp_path / "league") as league:
        league.run({"final": 3})


# --- recorded hands ---------------------------------------------------------------------------------------------------


def test_recorded_hands_name_no_code(mark: Path, tmp_path: Path) -> None:
    location = "payload:E"
    for suffix in (".phhs", ".acpc", ".big2"):
        env = "big2-v0" if suffix == ".big2" else LIMIT
        agents = ["random"] * (4 if suffix == ".big2" else 2)
        saved = tmp_path / f"hands{suffix}"
        assert cli.main(["match", env, "--agents", *agents, "--hands", "4", "--save", str(saved)]) == 0
        text = saved.read_text()
        for number, line in enumerate(text.splitlines()):
            words = re.sub(r"(=\s*|\s)\S+$", rf"\1'{location}'", line)
            changed = [*text.splitlines()[:number], words, *text.splitlines()[number + 1 :]]
            (tmp_path / f"changed{suffix}").write_text("\n".join(changed))
            replay_paths([tmp_path / f"changed{suffix}"])
            with suppress(ValueError):
                list(load_recorded_hands(tmp_path / f"changed{suffix}"))


# --- the table in a browser -------------------------------------------------------------------------------------------


@every_location
@pytest.mark.parametrize("words", ["encoder={}", "rules={}", "stacks={}", "dtype={}", "num_players={}"])
def test_no_setting_of_a_page_names_code(mark: Path, words: str, location: str) -> None:
    with pytest.raises(ValueError, match="payload"):
        Catalogue().game(LIMIT, words.format(location))


@every_location
def test_no_message_of_a_page_names_code(mark: Path, tmp_path: Path, location: str) -> None:
    import asyncio

    store = Store(tmp_path / "results.sqlite")
    catalogue = Catalogue()
    handler = RequestHandler(catalogue, store, Library(catalogue, store), "host")
    sent: list[dict[str, Any]] = []

    class Page:
        def send(self, message: dict[str, Any]) -> None:
            sent.append(message)

    messages = [
        {"type": "offer", "env": location},
        {"type": "offer", "env": LIMIT, "settings": f"encoder={location}"},
        {"type": "open", "env": LIMIT, "players": ["", location], "names": [location]},
        {"type": "open", "env": LIMIT, "players": ["", f"{location}:greedy"], "names": []},
        {"type": "open", "env": LIMIT, "players": ["", f"{location}:rollout"], "names": []},
        {"type": "open", "env": LIMIT, "players": ["", "random"], "names": [], "settings": f"encoder={location}"},
        {"type": "recording", "name": location},
        {"type": "moment", "name": location, "hand": 0, "step": 0, "agent": location},
    ]

    async def ask() -> None:
        page = await handler.welcome(json.dumps({"type": "hello", "token": "host"}), Page())  # type: ignore[arg-type]
        for message in messages:
            with pytest.raises((ValueError, PermissionError)):
                await page.answer(json.dumps(message))

    asyncio.run(ask())
    store.close()


@every_location
def test_no_stored_session_names_code(mark: Path, tmp_path: Path, location: str) -> None:
    import asyncio

    store = Store(tmp_path / "results.sqlite")
    plans = [
        Plan(LIMIT, {"encoder": location}, (Player("a", None), Player("b", "random")), 1),
        Plan(LIMIT, {}, (Player("a", None), Player("b", location)), 1),
        Plan(location, {}, (Player("a", None), Player("b", "random")), 1),
    ]
    for plan in plans:
        number = store.add_session(plan, ("token", None))
        store.add_hand(number, 0)
        store.add_decision(number, 0, 0, 0, payoffs=[-1, 1])
    catalogue = Catalogue()
    with pytest.warns(RuntimeWarning, match=r"session \d is left out"):
        compute_results(store, catalogue)
    library = Library(catalogue, store)
    assert len(library.list_recordings()) == 1  # the one with an unknown agent can be looked at
    handler = RequestHandler(catalogue, store, library, "host")

    async def come() -> None:
        for number in (1, 2, 3):
            with pytest.raises(ValueError, match="payload"):
                await handler.live_sessions.get(number)

    asyncio.run(come())
    store.close()
    for words in (["results", "results.sqlite"], ["results", "results.sqlite", "--export", "hands.csv"]):
        with pytest.warns(RuntimeWarning, match="is left out"):
            assert cli.main(words) == 0


# --- nowhere else -----------------------------------------------------------------------------------------------------


def test_pickles_are_read_in_one_place_alone() -> None:
    """The cache of compiled kernels, which is the user's own as the compiled modules of Python are."""
    unsafe = re.compile(r"\b(cloudpickle|pickle|marshal|dill|joblib)\.loads?\(|allow_pickle=True|weights_only=False|"
                        r"\btorch\.load\(|(?<![\w.])(eval|exec)\(|yaml\.load\(|\.model\.load\(")  # fmt: skip
    found = [
        f"{path.relative_to(REPO).as_posix()}"
        for folder in ("card_envs", "wrappers", "baselines")
        for path in sorted((REPO / folder).rglob("*.py"))
        for line in path.read_text().splitlines()
        if unsafe.search(line) and not line.lstrip().startswith("#")
    ]
    cache = {"card_envs/kernel_cache/files.py", "card_envs/cuda/compiled.py"}
    assert set(found) == {*cache, "card_envs/testing/checks.py"}


def test_names_are_imported_in_one_place_alone() -> None:
    """`importlib` elsewhere takes a constant or a name of the registry."""
    found = {
        path.relative_to(REPO).as_posix()
        for folder in ("card_envs", "wrappers", "baselines")
        for path in (REPO / folder).rglob("*.py")
        if re.search(r"import_module\((?![\"'_A-Z])|__import__\(", path.read_text())
    }
    assert found == {"card_envs/locations.py"}
