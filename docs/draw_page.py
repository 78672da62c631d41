"""Draw the pictures of docs/guides/browser.md: the page of `card-envs serve` in Chromium."""

import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from draw_pictures import save_picture
from PIL import Image
from playwright.sync_api import Page, sync_playwright

REPO = Path(__file__).parents[1]
sys.path.insert(0, str(REPO))

from tests.web.served import HOST_TOKEN, Server, serving  # noqa: E402  the server of the tests is all that a picture needs

WIDE, PHONE = {"width": 1180, "height": 860}, {"width": 390, "height": 844}
OPENER = "button:has-text('Open the table'):not([disabled])"
"""The button of the lobby, once the agents of the game are listed."""
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def main() -> None:
    """Draw every picture."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server, sync_playwright() as started:
        page = started.chromium.launch(executable_path=browser, args=ARGUMENTS).new_page(viewport=WIDE)
        lobby(page, server)
        no_limit(page, server)
        big2(page, server)


def lobby(page: Page, server: Server) -> None:
    """The first page, with the agents of six-max no-limit."""
    page.goto(f"http://127.0.0.1:{server.port}/#host={HOST_TOKEN}")
    page.wait_for_selector(OPENER, timeout=120_000)
    page.select_option("#game", "no_limit_holdem-v0")
    page.wait_for_selector(OPENER, timeout=120_000)
    page.select_option("#seats", "6")
    page.wait_for_selector(".player >> nth=5")
    page.wait_for_selector(OPENER, timeout=120_000)
    save(page, "web_lobby")


def no_limit(page: Page, server: Server) -> None:
    """A flop at six-max no-limit, with the thoughts of the trained agent; the same on a phone, in the dark."""
    agents = ["", "ppo_no_limit_six_max", "tight_aggressive", "loose_passive", "chen", "equity"]
    sit(page, server, "no_limit_holdem-v0", agents, "num_players=6", seed=84)
    ask(page, "ppo_no_limit_six_max")
    page.keyboard.press("c")
    page.wait_for_timeout(4000)
    page.wait_for_selector("text=Your turn.")
    page.wait_for_timeout(2000)
    save(page, "web_no_limit")
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(1000)
    save(page, "web_phone")
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="light")


def big2(page: Page, server: Server) -> None:
    """Choosing cards at Big 2."""
    sit(page, server, "big2-v0", ["", "ppo_big2", "big2_planner", "big2_greedy"], "", seed=13)
    ask(page, "ppo_big2")
    page.wait_for_timeout(1500)
    cards = page.locator(".hand button:not([disabled])")
    if cards.count():
        cards.first.click()
    page.wait_for_timeout(500)
    save(page, "web_big2")


def sit(page: Page, server: Server, env: str, agents: list[str], settings: str, seed: int) -> None:
    """Open a table and wait for the first decision of the person."""
    with server.page() as host:
        host.say("open", env=env, players=agents, names=["you"], settings=settings, seed=seed)
        token = host.hear("opened")["tokens"][0]
    page.goto("about:blank")
    page.goto(f"http://127.0.0.1:{server.port}/#seat={token}")
    page.wait_for_selector("text=Your turn.", timeout=120_000)


def ask(page: Page, agent: str) -> None:
    """Ask an agent for its thoughts, and wait for them."""
    page.wait_for_selector(f"#thinker option[value={agent}]", state="attached", timeout=120_000)
    page.select_option("#thinker", agent)
    page.wait_for_selector(".bars li")
    page.wait_for_timeout(1000)


def save(page: Page, name: str) -> None:
    """Write what the page shows."""
    save_picture(Image.open(BytesIO(page.screenshot())), name)


if __name__ == "__main__":
    main()
