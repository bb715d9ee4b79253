"""Pictures of the page for its documentation: `python -m docs.screenshots`. A browser has to be installed."""

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browsers import FLAGS, MISSING, Server, installed

FOLDER = Path(__file__).parent / "images"
PATIENCE_MS = 120_000
"""Kernels are compiled where this is the first search of a machine."""

OPENING = "f5f6e6f4e3c5c4e7b5e2f3"
GAME = (
    "e6f4f3d6g4e7c6h4d3c5f5e2e8d7f2g3f1e3c4b7h3d1b5a5f7c8d8f8g6c3g5c7b4h7f6h5b6g8c2a4h6h2d2b3b1e1c1a6a3b2a8a7a1a2"
    "b8g7g2g1h8h1"
)

Shades = Literal["light", "dark"]


def play(page: Page) -> None:
    """A game against the computer, some moves old."""
    page.goto("#/play")
    for number in range(1, 5):
        page.locator(".cell.legal").first.click()
        expect(page.locator(".moves .move")).to_have_count(2 * number)


def analyse(page: Page) -> None:
    """Values of all moves, some depth deep."""
    page.goto(f"#/analyse/othello/{OPENING}")
    expect(page.locator(".engine")).to_have_attribute("data-depth", re.compile("^1[4-9]|^[2-9][0-9]"))


def phone(page: Page) -> None:
    """A line of marbles that is taken up."""
    page.goto("#/watch/abalone,layout=belgian-daisy")
    expect(page.locator(".watch")).to_be_visible()
    page.locator("nav a").first.click()
    for name in ("C2", "C3"):
        page.locator(f'[data-cell="{name}"]').click()
    expect(page.locator(".handle")).not_to_have_count(0)


def watch(page: Page) -> None:
    """Two workers at a search."""
    page.goto(f"#/watch/othello/{OPENING}")
    page.get_by_label("Scheme").select_option("ybw")
    page.get_by_label("Workers").fill("2")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".watch .facts")).to_have_text(re.compile("depth (1[4-9]|[2-9][0-9])"))
    expect(page.locator(".lanes tr.busy")).to_have_count(2)


def review(page: Page) -> None:
    """A whole game, judged."""
    page.goto(f"#/analyse/othello/{GAME}")
    page.get_by_label("Time per move").select_option("0.1")
    page.get_by_role("button", name="Review the game").click()
    expect(page.get_by_role("button", name="Review again")).to_be_visible()
    page.locator(".moves .mistake, .moves .blunder").first.click()
    page.mouse.move(0, 0)


def puzzles(page: Page) -> None:
    """A puzzle, solved wrongly, and its solution."""
    page.goto("#/puzzles")
    page.locator(".cell.legal").first.click()
    page.get_by_role("button", name="Show the solution").click()
    expect(page.locator(".tag")).not_to_have_count(0)
    page.mouse.move(0, 0)


WIDE, TALL = (1280, 800), (390, 844)
PICTURES: dict[str, tuple[Callable[[Page], None], tuple[int, int], Shades]] = {
    "web-play": (play, WIDE, "light"),
    "web-analyse": (analyse, WIDE, "dark"),
    "web-phone": (phone, TALL, "dark"),
    "web-watch": (watch, WIDE, "light"),
    "web-review": (review, WIDE, "light"),
    "web-puzzles": (puzzles, TALL, "light"),
}


def taken(browser: Browser, address: str, name: str) -> None:
    """Take one of the pictures."""
    act, (width, height), shades = PICTURES[name]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        # What the documentation has room for.
        device_scale_factor=0.6 if width > height else 1,
        color_scheme=shades,
        reduced_motion="reduce",
        base_url=address,
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    act(page)
    page.screenshot(path=FOLDER / f"{name}.png")
    context.close()


def main() -> int:
    """Take all pictures, or those that are named."""
    browser_path = installed()
    if browser_path is None:
        print(MISSING, file=sys.stderr)
        return 2
    expect.set_options(timeout=PATIENCE_MS)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        browser = playwright.chromium.launch(executable_path=browser_path, args=list(FLAGS))
        for name in sys.argv[1:] or PICTURES:
            taken(browser, server.address, name)
        browser.close()
        server.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
