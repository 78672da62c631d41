"""A person at the page, in a real browser: plays, sees what agents think, replays; everybody can use it."""

from __future__ import annotations

import asyncio
import io
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_baselines.cli.main import main
from card_baselines.cli.strengths import REFERENCES, read_strengths
from card_baselines.registry import STYLES
from card_baselines.web.catalogue import Catalogue
from card_baselines.web.export import write_hands
from card_baselines.web.session import decisions_of, table_after
from card_envs.agent import action_probabilities, find_agent
from card_envs.formatting import format_interval
from card_envs.games.big2.combos import order_name
from card_envs.games.big2.view import hand as held
from card_envs.history import replay_paths
from tests.web.served import HOST_TOKEN, Server, serving

playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the package axe-playwright-python")

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE = 120_000
"""Milliseconds: the first decision in a game may compile its kernels."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("web")) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser: none of {BROWSERS} is installed (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture
def page(browser: Any, server: Server, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page that fails its test when it logs an error or asks another host for anything."""
    looks = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
    context = browser.new_context(**looks, bypass_csp=request.node.get_closest_marker("inspected") is not None)
    context.add_init_script("if (location.host) localStorage.setItem('speed', '0')")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url) if "127.0.0.1" not in request.url else None)
    yield page
    context.close()
    assert not problems


def sit(page: Any, server: Server, env: str, players: list[str], **more: Any) -> int:
    """Open a table and sit down at its first seat."""
    number, tokens = server.opened(env, players, **more)
    page.goto(f"http://127.0.0.1:{server.port}/#seat={tokens[0]}")
    wait_for_turn(page)
    return number


def until(page: Any, condition: Callable[[], bool]) -> None:
    """Wait until something is true; the page's own rules forbid the waiting functions of Playwright."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not condition():
        assert time.monotonic() < deadline, page.locator("body").inner_text()
        page.wait_for_timeout(10)


def turn(page: Any) -> str:
    found = page.locator(".turn")
    return str(found.text_content()) if found.count() else ""


def wait_for_turn(page: Any) -> None:
    until(page, lambda: bool(re.search("Your turn|is over", turn(page))))


def is_over(page: Any) -> bool:
    return "is over" in turn(page)


def wait_until_taken(page: Any, server: Server, number: int, done: int) -> None:
    """Wait until the table has moved on from `done` decisions, and the page says whose turn it is."""
    session = server.handler.live_sessions._live[number].session
    until(page, lambda: len(session.actions) > done or session.is_over)
    wait_for_turn(page)  # "sent" until the page has the answer


def call_to_the_end(page: Any, server: Server, number: int) -> None:
    """Check and call by the keyboard until the hand is over."""
    session = server.handler.live_sessions._live[number].session
    while not is_over(page):
        done = len(session.actions)
        page.keyboard.press("c")
        wait_until_taken(page, server, number, done)


def test_three_hands_of_limit_from_the_lobby_by_mouse_and_keyboard(page: Any, server: Server) -> None:
    page.goto(f"http://127.0.0.1:{server.port}/#host={HOST_TOKEN}")
    page.select_option("#game", "limit_holdem-v0")
    page.wait_for_selector("button:has-text('Open the table'):not([disabled])")
    page.select_option(".row:has-text('2.') select", "always_call")
    page.click("button:has-text('Open the table')")
    wait_for_turn(page)
    assert HOST_TOKEN not in page.url
    number = max(server.handler.live_sessions._live)
    session = server.handler.live_sessions._live[number].session
    for hand in range(3):
        while not is_over(page):
            done = len(session.actions)
            if hand == 1:
                page.keyboard.press("c")
            else:
                page.click(".actions button:has-text('Call'), .actions button:has-text('Check')")
            wait_until_taken(page, server, number, done)
        assert page.locator("dt:has-text('hands') + dd").text_content() == str(hand + 1)
        if hand < 2:
            page.keyboard.press("n")
            until(page, lambda: not is_over(page))
            wait_for_turn(page)
    stored = server.handler.store.hands(number)
    assert [hand.payoffs is not None for hand in stored] == [True] * 3
    won = sum(hand.payoffs[0] for hand in stored if hand.payoffs) / session.game.chips_per_reward
    assert f"{won:+g}" in page.locator("dt:has-text('you') + dd").text_content() or won == 0


def test_a_raise_by_slider_in_six_max_no_limit(page: Any, server: Server) -> None:
    players = ["", *["always_call"] * 5]
    number = sit(page, server, "no_limit_holdem-v0", players, settings="num_players=6", seed=3)
    slider = page.get_by_role("slider", name="Raise to")
    slider.focus()
    slider.press("ArrowRight")
    amount = int(re.sub(r"\D", "", page.locator("button.main").text_content().rstrip("r")))
    done = len(server.handler.live_sessions._live[number].session.actions)
    page.click("button.main")
    wait_until_taken(page, server, number, done)
    session = server.handler.live_sessions._live[number].session
    assert int(session.tables["current_bet"][0]) == amount or session.tables["street"][0] > 0
    assert page.locator(".log").get_by_text(f"raise to {amount}").count() == 1
    call_to_the_end(page, server, number)
    assert session.is_over


def test_a_deal_of_big_2_by_choosing_cards(page: Any, server: Server) -> None:
    number = sit(page, server, "big2-v0", ["", "big2_greedy", "big2_greedy", "big2_greedy"], seed=6)
    session = server.handler.live_sessions._live[number].session
    played = 0
    while not is_over(page):
        done = len(session.actions)
        cards = page.locator(".hand button:not([disabled])")
        if cards.count() == 0:
            page.keyboard.press("p")
        else:
            while page.locator(".actions button:has-text('Play ')").count() == 0:
                page.locator(".hand button:not([disabled])[aria-pressed=false]").first.click()
            chosen = page.locator(".hand [aria-pressed=true]").count()
            name = page.locator(".actions button:has-text('Play ')").first.text_content()
            assert len(re.findall(r"\b[2-9TJQKA][CDHS]", name)) == chosen
            page.locator(".actions button:has-text('Play ')").first.click()
            played += 1
        wait_until_taken(page, server, number, done)
    assert played > 0
    assert sum(session.payoffs) == 0
    won = session.payoffs[0]
    assert f"you {'win' if won > 0 else 'lose'} {abs(won)} point" in turn(page) and "-" not in turn(page)
    hands = [[order_name(order) for order in held(session.tables[0], seat)] for seat in range(4)]
    assert sum(map(len, hands)) > 13
    words = page.locator("pre.as-text").text_content()
    assert all(card in words for cards in hands for card in cards), "all hands lie open when the deal is over"
    assert page.locator("svg.table use[href^='#card-255']").count() == 0


def test_the_panel_shows_the_probabilities_of_the_agent(page: Any, server: Server) -> None:
    pytest.importorskip("torch", reason="ppo_limit_hu needs torch")
    number = sit(page, server, "limit_holdem-v0", ["", "always_call"], seed=12)
    page.wait_for_selector("#thinker option[value=ppo_limit_hu]", state="attached")
    page.select_option("#thinker", "ppo_limit_hu")
    page.wait_for_selector(".bars li")
    fills = page.locator(".bars .fill").all()
    widths = [float(re.findall(r"[\d.e-]+(?=%)", fill.get_attribute("style"))[0]) / 100 for fill in fills]
    names = page.locator(".bars .line span:first-child").all_text_contents()
    session = server.handler.live_sessions._live[number].session
    step = len(session.actions)
    tables = table_after(session.game, session.plan, 0, session.actions)
    agent = find_agent("ppo_limit_hu", session.game)
    decisions = decisions_of(session.game, agent, session.plan, tables, 0, step)
    shown = action_probabilities(agent, decisions)[0]
    by_name = {session.game.action_name(tables, 0, each): shown[each] for each in np.flatnonzero(decisions.action_mask)}
    assert sum(widths) == pytest.approx(1, abs=1e-3)
    assert dict(zip(names, widths, strict=True)) == pytest.approx(by_name, abs=1e-3)
    assert "equity" in page.locator("aside .facts").first.text_content()


def test_actions_that_an_agent_never_takes_are_folded_away(page: Any, server: Server) -> None:
    sit(page, server, "limit_holdem-v0", ["", "always_call"], seed=12)
    page.wait_for_selector("#thinker option[value=always_call]", state="attached")
    page.select_option("#thinker", "always_call")
    page.wait_for_selector(".bars li")
    assert page.locator(".thoughts .bars:visible li").all_text_contents() == ["call 1100 %"]
    page.click("summary:has-text('2 more, each below 0.05 %')")
    assert page.locator(".thoughts .bars:visible li").count() == 3


def test_replay_shows_what_was_played_and_its_link_leads_back(page: Any, server: Server, tmp_path: Path) -> None:
    number = sit(page, server, "limit_holdem-v0", ["", "chen"], seed=5)
    session = server.handler.live_sessions._live[number].session
    call_to_the_end(page, server, number)
    page.goto("about:blank")
    page.goto(f"http://127.0.0.1:{server.port}/#host={HOST_TOKEN}")
    page.click("nav >> text=Replay")
    page.select_option("#recording", f"session {number}")
    until(page, lambda: f"of {len(session.actions)}:" in turn(page))
    moves = page.locator(".log button").all_text_contents()
    assert len(moves) == len(session.actions)
    for _ in moves:
        before = turn(page)
        page.keyboard.press("ArrowRight")
        until(page, lambda before=before: turn(page) != before)
    assert "the hand is over" in turn(page)
    final = page.locator("pre").text_content()
    for index, won in enumerate(session.payoffs):
        name = session.plan.players[index].name
        assert re.search(rf"^{re.escape(name)} .*{re.escape(f'{won:+d}')}", final, re.MULTILINE), final
    page.click(".log li:nth-child(2) button")
    until(page, lambda: "step=1" in page.url)
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    until(page, lambda: f"Decision 1 of {len(moves)}:" in turn(page))
    with page.expect_download() as download:
        page.click("text=Save hand as GIF")
    from PIL import Image

    picture = Image.open(io.BytesIO(Path(download.value.path()).read_bytes()))
    assert (picture.format, picture.n_frames) == ("GIF", len(moves) + 1)
    write_hands(server.handler.store, Catalogue(), tmp_path / "saved")
    report = replay_paths(tmp_path / "saved")
    assert report.num_matched == report.num_hands > 0


@pytest.mark.inspected  # axe brings a script of its own, which the page's rules forbid
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_wider_than_a_phone(page: Any, server: Server, theme: str) -> None:
    page.emulate_media(color_scheme=theme)
    page.goto(f"http://127.0.0.1:{server.port}/#host={HOST_TOKEN}")
    page.wait_for_selector("button:has-text('Open the table'):not([disabled])")
    inspect(page)
    for link in ("Replay", "Results"):
        page.click(f"nav >> text={link}")
        page.wait_for_selector("#recording" if link == "Replay" else "h2:has-text('Results')")
        page.wait_for_timeout(300)
        inspect(page)
    for env, players, settings in (
        ("no_limit_holdem-v0", ["", "random", "random"], "num_players=3"),
        ("big2-v0", ["", "random", "random", "random"], ""),
    ):
        page.goto("about:blank")
        sit(page, server, env, players, settings=settings, seed=1)
        page.wait_for_selector("#thinker option[value=random]", state="attached")
        page.select_option("#thinker", "random")
        page.wait_for_selector(".bars li")
        inspect(page)


def inspect(page: Any) -> None:
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def lobby(page: Any, server: Server) -> None:
    page.goto("about:blank")
    page.goto(f"http://127.0.0.1:{server.port}/#host={HOST_TOKEN}")
    page.wait_for_selector("button:has-text('Open the table'):not([disabled])")


def test_the_lobby_says_how_agents_play_and_what_they_win(page: Any, server: Server) -> None:
    lobby(page, server)
    page.select_option("#game", "no_limit_holdem-v0")
    page.wait_for_selector("button:has-text('Open the table'):not([disabled])")
    name = page.locator("#game option:checked").text_content()
    assert name == "no-limit and pot-limit Texas hold'em"
    shorter = {"limit Texas hold'em", "Big 2", "flop hold'em", "Leduc hold'em", "Kuhn poker"}
    assert set(page.locator("#game option").all_text_contents()) == shorter | {name}
    fields = page.locator("#game, #seats").evaluate_all(
        "found => found.map((each) => each.getBoundingClientRect().left)"
    )
    assert len(set(fields)) == 1, "fields are aligned"
    assert page.locator(".player").nth(1).input_value() == REFERENCES["no_limit_holdem-v0"]
    made = read_strengths()["no_limit_holdem-v0"]["agents"]
    rows = [row.locator("td").all_text_contents() for row in page.locator(".agents tbody tr").all()]
    shown = {row[0]: row[1:] for row in rows}
    for agent in ("always_call", "tight_aggressive"):
        mean, (low, high) = made[agent]["mean"], made[agent]["ci95"]
        assert shown[agent] == [format_interval(mean, (low, high), 0), STYLES[agent]]
    measured = [float(row[1].split()[0]) for row in rows if row[1]]
    assert measured == sorted(measured, reverse=True) and len(measured) > 10
    page.click(".agents button:has-text('always_call')")
    assert page.locator(".player").nth(0).input_value() == ""
    assert page.locator(".player").nth(1).input_value() == "always_call"
    assert STYLES["always_call"] in page.locator("#about-2").text_content()


def test_a_page_says_that_its_table_is_being_opened(page: Any, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    _, tokens = server.opened("kuhn_poker-v0", ["", "random"])
    get, may_go_on = server.handler.live_sessions.get, threading.Event()

    async def slow_get(number: int) -> Any:
        while not may_go_on.is_set():
            await asyncio.sleep(0.01)
        return await get(number)

    monkeypatch.setattr(server.handler.live_sessions, "get", slow_get)
    page.goto(f"http://127.0.0.1:{server.port}/#seat={tokens[0]}")
    page.wait_for_selector(".waiting:has-text('Opening the table')")
    page.wait_for_selector(".waiting:has-text('compiled')")
    may_go_on.set()
    wait_for_turn(page)
    assert page.locator(".waiting").count() == 0


def test_this_hand_is_whole_after_the_page_is_opened_again(page: Any, server: Server) -> None:
    number = sit(page, server, "big2-v0", ["", "big2_greedy", "big2_greedy", "big2_greedy"], seed=6)
    session = server.handler.live_sessions._live[number].session
    while len(session.actions) < 3:
        done = len(session.actions)
        page.locator(".hand button:not([disabled])").first.click() if page.locator(".hand").count() else None
        page.locator(".actions button:not([disabled])").first.click()
        wait_until_taken(page, server, number, done)
    moves = page.locator(".log li").all_text_contents()
    assert len(moves) == len(session.actions) + 1 and moves[0].endswith(": single 3D")
    page.reload()
    wait_for_turn(page)
    assert page.locator(".log li").all_text_contents() == moves


def test_thoughts_belong_to_the_decision_that_they_name(page: Any, server: Server) -> None:
    number = sit(page, server, "limit_holdem-v0", ["", "always_call"], seed=12)
    page.wait_for_selector("#thinker option[value=equity]", state="attached")
    page.select_option("#thinker", "equity")
    page.wait_for_selector(".thoughts h3:has-text('Your decision now')")
    value = page.locator(".thoughts dt:has-text('value') + dd").text_content()
    assert re.fullmatch(
        r"[+-]\d+\.\d\d (± \d+\.\d\d|\([+-]\d+\.\d\d to [+-]\d+\.\d\d\)) bb \(95\s%, \d+ deals\)", value
    )
    while not is_over(page):
        done = len(server.handler.live_sessions._live[number].session.actions)
        page.keyboard.press("c")
        wait_until_taken(page, server, number, done)
        page.wait_for_selector(".thoughts h3")
    until(page, lambda: "Your last decision: c" in page.locator(".thoughts h3").text_content())
    assert page.locator(".thoughts .taken").count() == 1
    page.keyboard.press("n")
    until(page, lambda: not is_over(page))
    until(page, lambda: "last" not in page.locator(".thoughts").text_content())


SIZES = """texts => texts.map((text) => {
  const [line, scale] = [text.getBBox(), text.getScreenCTM().a];
  return [text.textContent, scale * parseFloat(text.getAttribute("font-size")), line.x, line.x + line.width];
})"""


@pytest.mark.parametrize(
    ("env", "players", "settings"),
    [
        ("no_limit_holdem-v0", ["", *["position_ranges"] * 9], "num_players=10"),
        ("limit_holdem-v0", ["", "tight_aggressive"], ""),
        ("big2-v0", ["", *["big2_greedy"] * 3], ""),
    ],
)
def test_names_fit_and_phones_get_letters_of_twelve_pixels(
    page: Any, server: Server, env: str, players: list[str], settings: str
) -> None:
    sit(page, server, env, players, settings=settings, seed=1)
    for width in (1280, 768, 390, 360):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(100)
        texts = page.locator("svg.table g:first-child text").evaluate_all(SIZES)
        right = float(page.locator("svg.table").get_attribute("viewBox").split()[2])
        assert all(left >= 0 and end <= right for _, _, left, end in texts)
        assert min(size for _, size, _, _ in texts) >= (12 if width < 700 else 8)
        names = [end - left for words, _, left, end in texts if re.search(r"^(position|tight|greedy)", words)]
        assert len(names) == len(players) - 1
        assert max(names) <= (86 if width < 700 else 118), "names stay inside their plates"


NUM_LINES = """cells => cells.map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return new Set([...range.getClientRects()].map((line) => Math.round(line.top))).size;
})"""


def test_results_have_the_words_of_the_command_and_no_interval_of_two_hands(
    page: Any, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    number = sit(page, server, "kuhn_poker-v0", ["", "always_call"], seed=5)
    for hand in range(2):
        call_to_the_end(page, server, number)
        if hand == 0:
            page.keyboard.press("n")
            until(page, lambda: not is_over(page))
            wait_for_turn(page)
    lobby(page, server)
    page.click("nav >> text=Results")
    page.wait_for_selector(".results")
    row = page.locator(".results tbody tr:has-text('kuhn_poker-v0'):has-text('always_call')").last
    cells = row.locator("td").all_text_contents()
    assert cells[3] == "2" and cells[4].endswith("(no interval)") and "±" not in cells[4]
    for width in (1280, 850):
        page.set_viewport_size({"width": width, "height": 800})
        lines = page.locator(".results th, .results .number, .results td:last-child")
        assert set(lines.evaluate_all(NUM_LINES)) == {1}
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert main(["results", str(server.handler.store.path)]) == 0
    printed = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert " ".join(cells) in printed
    assert " ".join(page.locator(".results th").all_text_contents()) in printed
