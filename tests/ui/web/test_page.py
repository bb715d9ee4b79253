"""The page in a real browser: what a person does with it, and what is seen then."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import (
    Browser,
    Locator,
    Page,
    Response,
    ViewportSize,
    WebSocket,
    WebSocketRoute,
    expect,
    sync_playwright,
)

from outflank.books.game_index import IndexBuilder
from outflank.formats.game_files import write_records
from outflank.formats.recognise import read_all
from outflank.othello.squares import othello
from outflank.search.request import Stop
from tests.browsers import FLAGS, MISSING, Server, installed

# The server is as well tried interpreted, where nothing has to be compiled.
pytestmark = [pytest.mark.interpreted_only, pytest.mark.skipif(installed() is None, reason=MISSING)]

VIEWS = ("play", "analyse", "watch", "lab", "games", "puzzles")
PATIENCE_MS = 60_000
"""Only a page that hangs waits as long: an interpreted search on a busy machine may make 80 nodes a second."""
MOST_BYTES = 400_000
EXAMPLES = Path(__file__).parents[3] / "examples"

GGF = (
    "(;GM[Othello]PC[x]PB[one]PW[two]RE[?]TI[5:00]TY[8]"
    "BO[8 ---------------------------O*------*O--------------------------- *]"
    "B[F5]W[F6]B[E6]W[F4]B[E3]W[C5];)"
)
NEAR_THE_END = "5/6/7/1SS5/5SSSs/2ssss2/2ssss1/1SSSSS/1SSSS 0 5 b 0 1"
"""Black has pushed off five marbles, and a sixth lies at the edge."""
PUZZLES = """\
{"schema":"outflank/puzzle/1","game":"othello","position":"--O-XOOOXXXOXXXO X","left":3,\
"scores":{"d1":8,"a1":4,"b1":0},"line":"d1 b1 a1"}
{"schema":"outflank/puzzle/1","game":"othello","position":"OXXXXOXX-OOX-O-- X","left":4,\
"scores":{"a4":2,"c4":0,"a3":-4},"line":"a4 a3 c4 d4"}
"""
FOUR_EMPTY = "--XO/OOXO/OXXO/--XO".replace("/", "")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that also knows two games of `examples/`."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "two.puzzles").write_text(PUZZLES)
    files = [EXAMPLES / "connect-four" / "connect_four.py", EXAMPLES / "breakthrough" / "breakthrough.py"]
    imports = [word for file in files for word in ("--import", str(file))]
    server = Server(folder, "--puzzles", str(folder / "two.puzzles"), *imports)
    yield server
    server.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=list(FLAGS))
        yield browser
        browser.close()


class Window:
    """A window that several tests use, one after the other: to open another takes seconds of processor time."""

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:
        options = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"} | options
        self.size: ViewportSize = options["viewport"]
        self.context = browser.new_context(base_url=address, **options)
        self.context.set_default_timeout(PATIENCE_MS)
        self.page, self.wrong = watched(self.context.new_page())

    @contextmanager
    def lent(self) -> Iterator[Page]:
        """Lend the page, as if it were new; whatever goes wrong in it is an error of the test."""
        yield self.page
        self.page.goto("/health")  # without scripts, and of the same origin
        self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        self.context.clear_permissions()
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        self.page.set_viewport_size(self.size)
        self.page.mouse.move(0, 0)
        found = self.wrong.copy()
        self.wrong.clear()
        assert not found


@pytest.fixture(scope="module")
def windows(browser: Browser, server: Server) -> Iterator[Callable[..., Window]]:
    """Windows by name, each opened when a test first asks for it. No storage is common to two of them."""
    opened: dict[str, Window] = {}
    expect.set_options(timeout=PATIENCE_MS)

    def window(name: str, **options: Any) -> Window:
        if name not in opened:
            opened[name] = Window(browser, server.address, **options)
        return opened[name]

    yield window
    for each in opened.values():
        each.context.close()


@pytest.fixture
def page(windows: Callable[..., Window]) -> Iterator[Page]:
    with windows("first").lent() as page:
        yield page


@pytest.fixture
def guest(windows: Callable[..., Window]) -> Iterator[Page]:
    """The window of another person."""
    with windows("second").lent() as page:
        yield page


@pytest.fixture
def telephone(windows: Callable[..., Window]) -> Iterator[Page]:
    size = {"width": 390, "height": 844}
    with windows("telephone", viewport=size, has_touch=True, is_mobile=True).lent() as page:
        yield page


class Wire:
    """What is between a page and its server: `join` is called for each connection, unless a test replaces it."""

    def __init__(self) -> None:
        self.join: Callable[[WebSocketRoute], object] = WebSocketRoute.connect_to_server


@pytest.fixture(scope="module")
def routed(windows: Callable[..., Window]) -> tuple[Window, Wire]:
    """A window of its own, as a route cannot be taken back."""
    window, wire = windows("routed"), Wire()
    window.page.route_web_socket(re.compile("/socket"), lambda socket: wire.join(socket))
    return window, wire


@pytest.fixture
def wired(routed: tuple[Window, Wire]) -> Iterator[tuple[Page, Wire]]:
    window, wire = routed
    with window.lent() as page:
        yield page, wire
        wire.join = WebSocketRoute.connect_to_server


class Delayed:
    """Lets the messages between a page and its server wait."""

    def __init__(self, wire: Wire) -> None:
        self.to_page: Callable[[dict[str, Any]], bool] = lambda message: False
        self.to_server: Callable[[dict[str, Any]], bool] = lambda message: False
        """Whether a message has to wait."""
        self.games: list[str] = []
        self._waiting: list[tuple[WebSocketRoute, str]] = []
        wire.join = self._join

    def _join(self, page: WebSocketRoute) -> None:
        self.page, self.server = page, page.connect_to_server()
        server = self.server
        server.on_message(lambda text: self._pass(page, str(text), self.to_page))
        page.on_message(lambda text: self._pass(server, str(text), self.to_server))

    def _pass(self, end: WebSocketRoute, text: str, waits: Callable[[dict[str, Any]], bool]) -> None:
        message = json.loads(text)
        if message["kind"] == "game":
            self.games.append(text)
        if waits(message):
            self._waiting.append((end, text))
        else:
            end.send(text)

    def wait_for_one(self, page: Page) -> int:
        """Return, as soon as messages wait, how many they are."""
        for _ in range(2000):
            if self._waiting:
                return len(self._waiting)
            page.wait_for_timeout(10)
        raise AssertionError("no message has come")

    def release(self) -> None:
        """Send all that waits, and let nothing wait any more."""
        self.to_page = self.to_server = lambda message: False
        for end, text in self._waiting:
            end.send(text)
        self._waiting.clear()

    def drop(self) -> None:
        """Lose the connection, with all that waits."""
        self.to_page = self.to_server = lambda message: False
        self._waiting.clear()
        self.server.close()
        self.page.close()


def watched(page: Page) -> tuple[Page, list[str]]:
    """A page, and what goes wrong in it: also whatever its policy forbids."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if "policy" in said.text.lower() else None)
    return page, wrong


def begin(
    page: Page, game: str = "othello", size: int | None = None, black: str = "human", white: str = "human"
) -> None:
    """A new game by the dialog."""
    page.goto("#/play")
    expect(page.locator(".play")).to_be_visible()
    before = page.url
    page.keyboard.press("n")
    dialog = page.locator("dialog")
    dialog.get_by_label("Game").select_option(game)
    if size is not None:
        dialog.get_by_label("Size").select_option(str(size))
    for side, kind in (("black", black), ("white", white)):
        dialog.locator(f"[data-side={side}]").select_option(kind)
    dialog.get_by_role("button", name="Begin").click()
    expect(dialog).to_have_count(0)
    expect(page).not_to_have_url(before)


def pasted(page: Page, text: str) -> None:
    page.goto("#/play")
    expect(page.locator(".play")).to_be_visible()
    page.keyboard.press("v")
    page.locator("dialog textarea").fill(text)
    page.get_by_role("button", name="Read it").click()
    expect(page.locator(".analyse")).to_be_visible()


def cell(page: Page, name: str) -> Locator:
    return page.locator(f'[data-cell="{name}"]')


def moves(page: Page) -> list[str]:
    return page.locator(".moves .move").all_inner_texts()


def said(page: Page, text: str) -> None:
    expect(page.locator("#said")).to_contain_text(text)


# --- puzzles and mistakes ---


@pytest.mark.slow(1)
def test_puzzles_are_solved_on_the_board_and_rated(page: Page) -> None:
    page.goto("#/puzzles")
    verdict, state, tabs = (
        page.locator(".verdict"),
        page.locator(".puzzles .state"),
        page.locator(".puzzle-tabs button"),
    )
    expect(tabs).to_have_text(["1", "2"])
    expect(state).to_contain_text("Black to move, 3 moves left")
    cell(page, "b1").click()
    said(page, "No: b1 leads to +0 discs.")
    expect(state).to_contain_text("Your rating: 11")
    expect(tabs).to_have_text(["1 ✗", "2"])
    page.get_by_role("button", name="Show the solution").click()
    expect(verdict).to_have_text("The best move is d1: +8 discs.")
    expect(page.locator(".tag")).to_have_text(["+4", "+0", "+8"])
    page.locator(".solution button").nth(1).click()
    expect(page.locator(".solution [aria-current]")).to_have_text("b1")
    expect(page.locator(".solution [aria-current]")).to_be_focused()
    expect(page.locator(".pieces .piece")).to_have_count(15)
    page.get_by_role("button", name="Try again").click()
    page.locator(".cell.legal[data-cell=d1]").click()  # as soon as the puzzle is shown
    expect(verdict).to_have_text("Right: d1 keeps +8 discs.")
    page.locator(".cell.legal[data-cell=a1]").click()  # after the reply b1
    said(page, "Solved: +8 discs.")
    rating = state.inner_text()
    page.reload()
    expect(tabs).to_have_text(["1 ✗", "2"])
    expect(state).to_contain_text("4 moves left")  # the first that was not tried
    tabs.first.click()
    expect(state).to_contain_text(rating.split(".")[0])
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator(".analyse")).to_be_visible()
    expect(page.locator(".pieces .piece")).to_have_count(13)


@pytest.mark.slow(1)
def test_a_try_at_a_puzzle_is_not_lost(wired: tuple[Page, Wire]) -> None:
    page, wire = wired
    delayed = Delayed(wire)
    page.goto("?tries#/puzzles")
    state, legal = page.locator(".puzzles .state"), page.locator(".cell.legal")
    expect(state).to_contain_text("3 moves left")
    # A board that is about to be replaced takes no moves.
    delayed.to_server = lambda message: message["kind"] == "attempt"
    page.locator(".puzzle-tabs button").nth(1).click()
    expect(legal).to_have_count(0)
    delayed.release()
    expect(state).to_contain_text("4 moves left")
    # A move that is lost with the connection is judged when it is back.
    delayed.to_server = lambda message: message["kind"] == "attempt"
    cell(page, "a3").click()
    delayed.wait_for_one(page)
    delayed.drop()
    expect(page.locator(".verdict")).to_contain_text("No: a3")


@pytest.mark.slow(1)
def test_mistakes_of_a_review_are_tried_again(page: Page) -> None:
    page.goto("#/analyse/othello,size=4/--O-XOOOXXXOXXXO+X/b1+a1")
    expect(page.locator(".analyse")).to_be_visible()
    page.get_by_role("button", name="Review the game").click()
    page.get_by_role("button", name="Retry the mistakes").click()
    retry = page.get_by_role("region", name="Mistakes")
    expect(retry).to_contain_text("1 of 1: black to move (the game continued 1. b1)")
    expect(page.locator(".engine, .moves-box, .review, .tools-row").locator("visible=true")).to_have_count(0)
    cell(page, "b1").click()
    expect(retry).to_contain_text("No: b1 loses 8 discs. Try another move.")
    cell(page, "a1").click()
    expect(retry).to_contain_text("No: a1 loses 4 discs. Try another move.")
    expect(page.locator(".tag")).to_have_text(["−4"])
    cell(page, "d1").click()
    said(page, "Right: d1 is the best move.")
    assert not serious(page)
    retry.get_by_role("button", name="Next").click()
    expect(retry).to_contain_text("1 of 1 mistake solved.")
    retry.get_by_role("button", name="Back to the review").click()
    expect(page.get_by_role("button", name="Review again")).to_be_visible()
    assert moves(page) == ["b1??−8", "a1"]


@pytest.mark.slow(1)
def test_a_late_judgement_does_not_end_the_tries(wired: tuple[Page, Wire]) -> None:
    page, wire = wired
    delayed = Delayed(wire)
    page.goto("?late#/analyse/othello,size=4/--O-XOOOXXXOXXXO+X/b1+a1")
    page.get_by_role("button", name="Review the game").click()
    expect(page.locator(".story button")).to_have_count(1)
    delayed.to_server = lambda message: message["kind"] == "go"
    page.get_by_role("button", name="Retry the mistakes").click()
    delayed.wait_for_one(page)
    expect(page.locator(".cell.legal")).to_have_count(0)
    delayed.page.send(json.dumps(json.loads(delayed.games[-1]) | {"re": None}))  # as the server sends a review's end
    page.wait_for_timeout(50)
    expect(page.locator(".cell.legal")).to_have_count(0)
    delayed.release()
    expect(page.get_by_role("region", name="Mistakes")).to_contain_text("1 of 1: black to move")
    cell(page, "b1").click()
    expect(page.get_by_role("region", name="Mistakes")).to_contain_text("No: b1 loses 8 discs.")


def pressed(page: Page, place: Locator, meanwhile: Callable[[], object]) -> None:
    """Press a button, and release it after something has happened."""
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    meanwhile()
    page.mouse.up()


@pytest.mark.slow(1)
def test_a_press_counts_where_its_button_is_replaced_or_moved(page: Page) -> None:
    pasted(page, LONG_GAME)
    page.keyboard.press("e")
    expect(page.locator(".facts").first).to_have_text("The engine is off.")
    current, box = page.locator(".moves [aria-current]"), page.locator(".notes textarea")

    def note(text: str) -> None:
        """Write a note, so that the list of moves is made again."""
        box.evaluate("(box, text) => { box.value = text; box.dispatchEvent(new Event('change')); }", text)
        expect(page.locator(".moves .noted")).to_have_count(1 if text else 0)

    pressed(page, page.locator(".moves .move").nth(1), lambda: note("why?"))
    expect(current).to_have_text("f4")
    page.get_by_role("button", name="To the end").click()
    expect(current).to_contain_text("a2")
    page.locator(".moves .move").nth(2).focus()  # and scroll to it
    page.keyboard.down(" ")
    note("")
    assert page.locator(".moves").evaluate("list => list.scrollTop") == 0
    page.keyboard.up(" ")
    expect(current).to_have_text("f3")
    back = page.locator("[aria-label='A move back']")
    pressed(page, back, lambda: page.evaluate("document.querySelector('.engine').style.paddingTop = '90px'"))
    expect(current).to_have_text("f4")
    # It does not count where the pointer has left the button, or where the button was disabled or hidden.
    pressed(page, back, lambda: page.mouse.move(5, 5))
    pressed(page, back, lambda: back.evaluate("button => { button.hidden = true; }"))
    back.evaluate("button => { button.hidden = false; }")
    page.wait_for_timeout(100)
    expect(current).to_have_text("f4")


@pytest.mark.slow(1)
def test_the_buttons_below_the_engine_stay_while_it_begins_to_search(wired: tuple[Page, Wire]) -> None:
    page, wire = wired
    delayed = Delayed(wire)
    pasted(page, GGF)
    steps, lines = page.locator(".analyse .steps"), page.locator(".lines li")
    expect(lines.first).to_be_visible()
    before = steps.bounding_box()
    delayed.to_page = lambda message: message["kind"] == "analysis"
    page.get_by_role("button", name="A move back").click()
    expect(page.locator(".moves [aria-current]")).to_have_text("e3")
    expect(lines).to_have_count(0)
    assert steps.bounding_box() == before
    delayed.release()
    expect(lines.first).to_be_visible()
    assert steps.bounding_box() == before


# --- playing ---


@pytest.mark.slow(2)
def test_a_game_of_othello_is_played_by_clicks(page: Page) -> None:
    begin(page, size=4, white="random")
    over = page.locator(".over h2")
    legal, passing = page.locator(".cell.legal"), page.get_by_role("button", name="Pass", exact=True)
    while True:
        expect(over.or_(legal).or_(passing).first).to_be_visible()
        if over.is_visible():
            break
        played = len(moves(page))
        (passing if passing.is_visible() else legal.first).click()
        expect(page.locator(".moves .move").nth(played)).to_be_visible()
        # Its answer, and what comes after it if we have to pass.
        expect(over.or_(legal).or_(passing).first).to_be_visible()
    expect(over).to_contain_text(re.compile("You won|You lost|A draw"))
    said(page, over.inner_text())
    counts = [int(each) for each in page.locator(".player .count").all_inner_texts()]
    assert sum(counts) == page.locator(".pieces .piece").count()
    page.get_by_role("button", name="Rematch").click()
    expect(over).to_be_hidden()
    expect(page.locator(".player.white .name")).to_have_text("Person")


LONG_GAME = (
    "e6f4f3d6g4e7c6h4d3c5f5e2e8d7f2g3f1e3c4b7h3d1b5a5f7c8d8f8g6c3g5c7b4h7f6h5b6g8c2a4h6h2d2b3b1e1c1a6a3b2a8a7a1a2"
)


@pytest.mark.slow(1)
def test_a_game_begins_from_a_handicap_with_a_clock_of_ones_own(page: Page) -> None:
    page.goto("#/play")
    expect(page.locator(".play")).to_be_visible()
    page.evaluate(
        "window.clicks = 0;"
        "const start = OscillatorNode.prototype.start;"
        "OscillatorNode.prototype.start = function (...when) { window.clicks++; start.apply(this, when); };"
        "null"  # else the function would be called
    )
    page.keyboard.press("?")
    page.get_by_role("switch", name="A click for each move").press(" ")
    page.keyboard.press("Escape")
    dialog = page.locator("dialog")
    expect(dialog).to_have_count(0)
    page.keyboard.press("n")
    expect(dialog.locator("output").locator("visible=true")).to_have_text("3 of 60: beginner, +237 Elo")
    dialog.locator("[data-side=white]").select_option("human")
    dialog.get_by_label("Begin from").select_option("handicap: 2 corners for black")
    dialog.locator("label", has_text="30 minutes").locator("select").select_option("Another clock")
    dialog.locator("input[type=text]").fill("5")
    dialog.get_by_role("button", name="Begin").click()
    expect(dialog.get_by_role("alert")).to_contain_text("without a unit")
    dialog.locator("input[type=text]").fill("7m")
    dialog.get_by_role("button", name="Begin").click()
    expect(page.locator(".play .status")).to_have_text("White to move")
    expect(page.locator(".pieces .piece")).to_have_count(6)
    expect(page.locator(".player.black .time")).to_have_text("7:00")
    page.locator(".cell.legal").first.click()
    expect(page.locator(".play .status")).to_have_text("Black to move")
    assert page.evaluate("clicks") == 2  # of the switch and of the move


@pytest.mark.slow(2)
def test_two_people_play_on_two_machines(page: Page, guest: Page) -> None:
    begin(page, size=4)
    page.get_by_role("button", name="Two machines").click()
    link = page.get_by_label("Link to this game").input_value()
    page.get_by_role("button", name="Take black").click()
    seat, status = page.locator(".seat-owners"), page.locator(".play .status")
    expect(seat).to_contain_text("You play black.")
    guest.goto(link)
    other_seat, other_status = guest.locator(".seat-owners"), guest.locator(".play .status")
    expect(other_seat).to_contain_text("You are watching.")
    other_seat.get_by_role("button", name="Take white").click()
    expect(other_seat).to_contain_text("You play white.")
    expect(guest.locator(".cell.legal")).to_have_count(0)
    expect(status).to_have_text("Your move: black")
    page.locator(".cell.legal").first.click()
    expect(other_status).to_have_text("Your move: white")
    expect(page.locator(".cell.legal")).to_have_count(0)
    guest.locator(".cell.legal").first.click()
    expect(status).to_have_text("Your move: black")
    guest.get_by_role("button", name="Take back").click()
    expect(other_seat).to_contain_text("To take back a move is offered to your opponent.")
    expect(seat).to_contain_text("White wants to take back a move.")
    seat.get_by_role("button", name="Accept").click()
    expect(other_status).to_have_text("Your move: white")
    guest.get_by_role("button", name="Resign").click()
    guest.locator("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".over h2")).to_have_text("You won: white resigned")
    page.get_by_role("button", name="Rematch").click()
    expect(other_seat).to_contain_text("Black offers a rematch.")
    other_seat.get_by_role("button", name="Accept").click()
    expect(seat).to_contain_text("You play white.")
    expect(other_seat).to_contain_text("You play black.")
    assert page.url == guest.url != link


@pytest.mark.slow(1)
def test_the_current_move_is_in_view_when_a_game_ends(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 640})
    pasted(page, LONG_GAME)
    page.keyboard.press("1")
    assert_current_move_in_view(page)
    page.get_by_role("button", name="Resign").click()
    page.locator("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".over h2")).to_be_visible()
    assert_current_move_in_view(page)


def assert_current_move_in_view(page: Page) -> None:
    page.wait_for_timeout(200)
    current = page.locator(".play .moves [aria-current]")
    places = "[move, move.closest('.moves')].map((element) => element.getBoundingClientRect())"
    inner, outer = current.evaluate(f"move => {places}")
    assert outer["top"] <= inner["top"] < inner["bottom"] <= outer["bottom"]


@pytest.mark.slow(1)
def test_a_game_of_abalone_is_played_to_its_end_by_clicks_and_by_dragging(page: Page) -> None:
    pasted(page, NEAR_THE_END)
    page.get_by_role("button", name="Play on").click()
    for side in ("black", "white"):
        page.locator(f"dialog [data-side={side}]").select_option("human")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator(".play .status")).to_have_text("Black to move")
    cell(page, "F3").click()
    expect(cell(page, "F4")).to_have_class(re.compile("joining"))
    cell(page, "F4").click()
    page.locator('.handle[data-move="F3F4"]').click()
    said(page, "Black plays F3F4. White to move.")
    box = cell(page, "D3").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - box["width"] / 2, y, steps=3)
    page.mouse.move(x - box["width"], y, steps=2)
    page.mouse.up()
    said(page, "White plays D3D2.")
    cell(page, "E6").click()
    cell(page, "E8").click()  # with the one between them
    expect(page.locator(".cell.picked")).to_have_count(3)
    edge = cell(page, "E9").bounding_box()
    assert edge is not None
    cell(page, "E9").click(position={"x": 0.8 * edge["width"], "y": edge["height"] / 2})  # beside the arrow
    said(page, "Black plays E6E7.")
    expect(page.locator(".cell.movable")).to_have_count(0)
    assert moves(page) == ["F3F4", "D3D2", "E6E7"]
    expect(page.locator(".over h2")).to_contain_text(re.compile("black", re.IGNORECASE))


@pytest.mark.slow(2)
def test_games_of_users_own_are_played_on_the_board(page: Page) -> None:
    begin(page, "connect-four")
    expect(page.locator(".cell.legal")).to_have_count(7)
    cell(page, "d1").click()
    said(page, "Black plays d. White to move.")
    expect(cell(page, "d2")).to_have_class(re.compile("legal"))
    begin(page, "breakthrough", size=6)
    cell(page, "b2").click()
    expect(page.locator(".cell.picked")).to_have_count(1)
    page.locator('.handle[data-move="b2c3"]').click()
    said(page, "Black plays b2c3. White to move.")
    box = cell(page, "d5").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + box["height"] / 2, steps=3)
    page.mouse.move(x, y + box["height"], steps=2)
    page.mouse.up()
    said(page, "White plays d5d4. Black to move.")
    cell(page, "c3").click()
    page.locator('.handle[data-move="c3d4"]').click()  # takes the pawn there
    said(page, "Black plays c3d4.")
    expect(page.locator(".pieces .piece")).to_have_count(23)
    assert page.locator(".player .count").all_inner_texts() == ["12", "11"]


@pytest.mark.slow(1)
def test_all_is_played_with_keys_alone(page: Page) -> None:
    begin(page, size=4)
    page.keyboard.press("b")
    expect(page.locator(".cell:focus")).to_have_count(1)
    walked(page, "b1")
    page.keyboard.press("Enter")
    said(page, "Black plays b1. White to move.")
    page.keyboard.press("u")
    said(page, "The start.")
    page.keyboard.press("Control+y")
    said(page, "Black plays b1.")
    page.keyboard.press("Home")
    expect(page.locator(".cell.legal")).to_have_count(4)
    expect(cell(page, "b1")).to_have_attribute("aria-label", "b1, empty, legal")
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_contain_text("Arrow keys")
    letters = page.get_by_role("switch", name="Keys of one letter")
    letters.press(" ")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_have_count(0)
    page.get_by_role("button", name="Help and keys").press("Enter")
    letters.press(" ")
    page.keyboard.press("Escape")
    begin(page, "abalone")
    page.keyboard.press("b")
    walked(page, "C3")
    page.keyboard.press("Enter")
    expect(page.locator(".cell.picked")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".cell.picked")).to_have_count(0)
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    expect(page.locator(".cell.picked")).to_have_count(2)
    page.keyboard.press("ArrowUp")
    expect(page.locator(".cell:focus")).to_have_attribute("aria-label", re.compile("empty, move here"))
    page.locator(".handle").first.press("Enter")
    said(page, "White to move.")
    expect(page.locator(".cell:focus")).to_have_count(1)


def walked(page: Page, to: str) -> None:
    """Arrow keys until the focus is on a cell: along rows, then along columns."""
    for _ in range(40):
        focus = page.locator(".cell:focus").get_attribute("data-cell") or ""
        at, there = (cell(page, name).bounding_box() for name in (focus, to))
        assert at is not None
        assert there is not None
        x, y = there["x"] - at["x"], there["y"] - at["y"]
        if focus == to:
            return
        half = at["height"] / 2
        key = "Down" if y > half else "Up" if y < -half else "Right" if x > 0 else "Left"
        page.keyboard.press(f"Arrow{key}")
    raise AssertionError(f"the arrow keys do not lead to {to}")


@pytest.mark.slow(2)
def test_arrows_and_the_wheel_step_through_a_game_and_the_board_is_turned(page: Page) -> None:
    pasted(page, GGF)
    current = page.locator(".moves [aria-current]")
    expect(current).to_have_text("c5")
    for key, move in (("ArrowLeft", "e3"), ("ArrowLeft", "f4"), ("ArrowRight", "e3"), ("ArrowDown", "c5")):
        page.keyboard.press(key)
        expect(current).to_have_text(move)
    page.keyboard.press("ArrowUp")
    expect(current).to_have_count(0)
    cell(page, "f5").click()  # after a click on the board, too
    expect(current).to_have_text("f5")
    page.keyboard.press("ArrowRight")
    expect(current).to_have_text("f6")
    page.keyboard.press("b")  # but not when a key has led to it
    page.keyboard.press("ArrowRight")
    expect(current).to_have_text("f6")
    page.mouse.wheel(0, 60)
    expect(current).to_have_text("e6")
    page.mouse.wheel(0, -60)
    expect(current).to_have_text("f6")
    before = cell(page, "a1").bounding_box()
    expect(page.locator(".tag").first).to_be_visible()
    page.keyboard.press("f")
    after = cell(page, "a1").bounding_box()
    opposite = cell(page, "h8").bounding_box()
    assert before == opposite != after
    expect(page.locator(".tag").first).to_be_visible()
    texts = page.locator(".coordinates text").all_text_contents()
    assert sorted(texts) == sorted("abcdefgh12345678")
    cell(page, "e6").click()
    expect(current).to_have_text("e6")


@pytest.mark.slow(2)
def test_marbles_are_moved_on_a_turned_board(page: Page) -> None:
    pasted(page, NEAR_THE_END)
    page.keyboard.press("f")
    cell(page, "F3").click()
    cell(page, "F4").click()
    forward, right = page.locator('.handle[data-move="F3F4"]'), cell(page, "F4").bounding_box()
    box = forward.bounding_box()
    assert box is not None
    assert right is not None
    assert box["x"] + box["width"] < right["x"] + right["width"] / 2  # as seen from the other side
    expect(forward).to_have_attribute("aria-label", "F3F4: left")
    forward.click()
    said(page, "Black plays F3F4.")


@pytest.mark.slow(1)
def test_a_hint_is_given_while_playing(page: Page) -> None:
    begin(page, size=4)
    page.keyboard.press("h")
    expect(page.locator(".tag.best")).to_have_count(1)
    expect(page.locator(".remark")).to_contain_text("Hint: ")
    said(page, "Hint: ")
    page.locator(".cell.legal").first.click()
    expect(page.locator(".moves .move")).to_have_count(1)
    expect(page.locator(".tag")).to_have_count(0)
    expect(page.locator(".remark")).to_have_text("")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".tag.best")).to_have_count(1)
    page.mouse.move(*centre_of(page))
    page.mouse.wheel(0, -60)  # a step back would be an undo
    page.wait_for_timeout(300)
    expect(page.locator(".moves [aria-current]")).to_have_count(1)
    page.keyboard.press("u")
    expect(page.locator(".moves [aria-current]")).to_have_count(0)


def centre_of(page: Page) -> tuple[float, float]:
    """The centre of the board."""
    box = page.locator("svg.board").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.slow(1)
def test_sides_are_switched_and_given_up(page: Page) -> None:
    begin(page, size=4, black="random")
    expect(page.locator(".moves .move")).to_have_count(1)
    page.get_by_role("button", name="Switch sides").click()
    expect(page.locator(".moves .move")).to_have_count(2)
    page.get_by_role("button", name="Resign").click()
    page.locator("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".over h2")).to_contain_text(re.compile("resign", re.IGNORECASE))


# --- the server goes, and comes back ---


@pytest.mark.slow(2)
def test_no_move_is_lost_when_the_server_is_killed(page: Page, server: Server) -> None:
    begin(page, size=4)
    cell(page, "b1").click()
    expect(page.locator(".moves .move")).to_have_count(1)
    server.kill()
    try:
        expect(page.locator(".banner")).to_contain_text("connection is lost")
        page.locator(".cell.legal").first.click()
        expect(page.locator(".banner")).to_contain_text("is sent as soon as it is back")
        page.keyboard.press("5")
    finally:
        server.start()
    expect(page.locator(".banner")).to_be_hidden()
    expect(page.locator(".card").first).to_be_visible()
    page.keyboard.press("1")
    expect(page.locator(".moves .move")).to_have_count(2)
    page.reload()
    expect(page.locator(".moves .move")).to_have_count(2)


@pytest.mark.slow(2)
def test_a_shared_position_is_seen_though_the_server_has_forgotten_it(page: Page, server: Server) -> None:
    page.goto(f"#/analyse/othello,size=4/{FOUR_EMPTY}+X")
    expect(page.locator(".solved")).to_contain_text("Solved")
    server.kill()
    expect(page.locator(".banner")).to_contain_text("connection is lost")
    for file in server.folder.glob("games.sqlite*"):
        file.unlink()
    server.start()
    expect(page.locator(".banner")).to_be_hidden()
    page.locator(".lines .move").first.click()
    expect(page.locator(".moves .move")).to_have_count(1)


# --- analysing ---


@pytest.mark.slow(1)
def test_values_deepen_until_the_position_is_solved(page: Page) -> None:
    page.goto(f"#/analyse/othello,size=4/{FOUR_EMPTY}+X")
    engine = page.locator(".engine")
    expect(page.locator(".tag").first).to_be_visible()
    expect(page.locator(".tag.best").first).to_be_visible()
    expect(page.locator(".solved")).to_contain_text("Solved")
    bar = page.get_by_role("meter", name="Evaluation")
    expect(bar).to_have_attribute("aria-valuetext", page.locator(".engine .value").inner_text())
    expect(page.locator(".tag .exact")).not_to_have_count(0)
    assert not [text for text in page.locator(".tag, .lines .worth").all_text_contents() if "-" in text]
    expect(engine).to_have_attribute("data-depth", re.compile(r"\d+"))
    line = page.locator(".lines li").first.locator(".move")
    best = line.first.inner_text()
    line.first.click()
    expect(page.locator(".moves .move")).to_have_text([best])
    page.keyboard.press("e")
    expect(page.locator(".facts").first).to_have_text("The engine is off.")
    expect(bar).to_be_hidden()
    expect(page.locator(".tag")).to_have_count(0)


@pytest.mark.slow(2)
def test_indexed_games_are_explored_and_swiped_through(telephone: Page, server: Server, tmp_path: Path) -> None:
    games = tmp_path / "games.txt"
    games.write_text("f5d6c3d3c4\nf5d6c4\nf5f6e6f4\n")
    with IndexBuilder(othello(), 30, tmp_path) as builder:
        builder.read(games, lambda why: None, lambda count: None, Stop())
        builder.write(server.folder / "games.index")
    page = telephone
    page.goto("#/analyse/othello/f5d6c3")
    page.get_by_role("switch", name="Engine").press(" ")  # its lines may move the rows while they are tapped
    rows = page.locator(".explored tbody tr")
    expect(rows.first).to_have_text(re.compile(r"^d31100 %"))
    expect(page.locator(".explorer")).to_contain_text("1 of 3 games reached this position.")
    expect(page.locator(".analyse .opening")).to_have_text("Opening: Perpendicular")
    current = page.locator(".moves [aria-current]")
    swipe(page, 150)
    expect(current).to_have_text("d6")
    expect(rows.nth(1)).to_have_text(re.compile(r"^c4150 %−?\d"))  # and the moves of the book
    assert not serious(page, ".explorer")
    swipe(page, -150)
    expect(current).to_have_text("c3")
    expect(rows.first).to_have_text(re.compile("^d3"))
    rows.first.locator("button").click()  # a tap on a busy machine may be a long press
    expect(current).to_have_text("d3")
    page.goto("#/analyse/abalone")
    expect(page.locator(".explorer")).to_contain_text("No games of these rules have been indexed yet.")


def swipe(page: Page, distance: int) -> None:
    """Move a finger sideways over the board."""
    box = page.locator(".board").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)
    for kind, offset in (("touchStart", 0), ("touchMove", distance / 2), ("touchMove", distance)):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x + offset, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.slow(2)
def test_a_pasted_record_is_reviewed_and_its_lines_are_tended(page: Page) -> None:
    pasted(page, GGF)
    assert moves(page) == ["f5", "f6", "e6", "f4", "e3", "c5"]
    sections = page.locator(".moves-box, .review, .notes, .explorer").evaluate_all(
        "all => all.map((one) => one.className)"
    )
    assert sections == ["moves-box", "review", "notes", "explorer"]
    expect(page.get_by_text("Time per move")).to_be_visible()
    page.get_by_label("Time per move").select_option("0.1")
    page.get_by_role("button", name="Review the game").click()
    page.locator(".moves .move").first.focus()
    expect(page.get_by_role("button", name="Review again")).to_be_visible()
    expect(page.locator(".moves .move").first).to_be_focused()
    graph = page.get_by_role("slider", name="Value over the game")
    expect(graph.locator(".curve")).to_have_count(1)
    expect(page.locator(".accuracy")).to_have_text(
        [re.compile(r"^\d+ %\d of 3 moves lost nothinglost \d+\.\d discs a move")] * 2
    )
    expect(graph.locator(".graph-most")).to_have_text(re.compile(r"^Black \+\d"))
    hint = graph.locator(".graph-hint")
    graph.hover()
    expect(hint).to_have_text(re.compile(r"^2\. e6.*: [+−]?\d+(\.\d)? for black$"))
    page.mouse.move(0, 0)
    expect(hint).to_be_hidden()
    graph.focus()
    page.keyboard.press("Home")
    expect(graph).to_have_attribute("aria-valuetext", "Start")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".moves [aria-current]")).to_have_text(re.compile("^f5"))
    box = graph.bounding_box()
    assert box is not None
    graph.click(position={"x": box["width"] - 9, "y": box["height"] / 2})
    expect(page.locator(".moves [aria-current]")).to_have_text(re.compile("^c5"))
    page.keyboard.press("PageUp")
    expect(page.locator(".moves [aria-current]")).to_have_text(re.compile("^e3"))
    page.locator(".cell.legal:not([data-cell=c5])").first.click()
    expect(page.locator(".variation .move")).to_have_count(1)
    page.get_by_role("button", name="Make this the main line").click()
    expect(page.locator(".variation .move")).to_have_text([re.compile("^c5")])
    page.keyboard.press("Delete")
    expect(page.locator(".variation")).to_have_count(0)
    expect(page.locator(".moves .move")).to_have_count(6)
    page.locator(".moves .move").nth(4).click()
    expect(page.locator(".moves [aria-current]")).to_have_text(re.compile("^e3"))
    page.keyboard.press("Delete")
    expect(page.locator("dialog")).to_contain_text("2 moves")
    page.get_by_role("button", name="Cancel").click()
    page.keyboard.press("3")
    expect(page.locator(".watch")).to_be_visible()
    page.keyboard.press("Delete")
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.press("2")
    expect(page.locator(".analyse")).to_be_visible()
    assert [each[:2] for each in moves(page)] == ["f5", "f6", "e6", "f4", "e3", "c5"]


@pytest.mark.slow(2)
def test_the_turning_points_shown_are_those_of_the_game_shown(page: Page) -> None:
    start = '[FEN "-----OX--XO----- X"] '
    pasted(page, start + "a2a3a4c1d1a1d3d4c4d2b1b4")
    page.get_by_label("Time per move").select_option("0.1")
    page.get_by_role("button", name="Review the game").click()
    turns = page.locator(".story button")
    expect(turns).to_have_count(5)
    page.reload()
    expect(turns).to_have_count(5)
    turns.first.click()
    expect(turns.first).to_have_text(re.compile("^the game turned at 1… a3, "))
    current = page.locator(".moves [aria-current]")
    expect(current).to_have_text(re.compile(r"^a3\?\?−\d+$"))
    expect(current).to_have_attribute(
        "title", re.compile(r"^blunder: .. was better · .\d+ for black · loses \d+ discs$")
    )
    reviewed = page.url
    pasted(page, start + "d3d4a2a1c4d2d1b1c1a3a4b4")
    expect(turns).to_have_count(0)
    page.go_back()
    page.go_back()
    expect(page).to_have_url(reviewed)
    expect(turns).to_have_count(5)
    # A review ends when another game is shown.
    page.get_by_label("Time per move").select_option("3")
    pasted(page, GGF)
    page.get_by_role("button", name="Review the game").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.keyboard.press("v")
    page.locator("dialog textarea").fill("f5d6")
    page.get_by_role("button", name="Read it").click()
    expect(page.locator(".moves .move")).to_have_count(2)
    expect(page.get_by_role("button", name="Review the game")).to_be_visible()
    expect(page.locator(".review progress")).to_be_hidden()


@pytest.mark.slow(2)
def test_a_position_is_commented_on_and_drawn_on(page: Page) -> None:
    pasted(page, "f5d6c3")
    page.keyboard.press("e")  # what the engine says moves the buttons below it
    comment = page.get_by_label("Comment on this position")
    comment.fill("a book move")

    def drag(first: str, last: str) -> None:
        cell(page, first).hover()
        page.mouse.down(button="right")
        cell(page, last).hover()
        page.mouse.up(button="right")

    drawn = page.locator(".board .drawing")
    drag("d6", "f4")
    drag("c4", "c4")
    expect(page.locator(".notes p")).to_have_text("d6 → f4, circle around c4")
    expect(drawn.locator("g.drawn")).to_have_count(1)
    expect(drawn.locator("circle.drawn")).to_have_count(1)
    drag("d6", "f4")  # drawn again, it is gone
    expect(page.locator(".notes p")).to_have_text("circle around c4")

    page.keyboard.press("Escape")
    page.get_by_label("A move back").click()
    expect(comment).to_have_value("")
    expect(drawn.locator(".drawn")).to_have_count(0)
    page.get_by_role("button", name="Draw", exact=True).click()
    cell(page, "a1").click()
    cell(page, "h8").click()
    expect(page.locator(".moves .move")).to_have_count(3)  # no move was made
    page.get_by_role("button", name="Stop drawing").click()
    expect(page.locator(".notes p")).to_have_text("a1 → h8")
    page.get_by_label("A move on").click()
    expect(comment).to_have_value("a book move")
    page.reload()
    expect(comment).to_have_value("a book move")
    expect(drawn.locator("circle.drawn")).to_have_count(1)
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(drawn.locator(".drawn")).to_have_count(0)


@pytest.mark.slow(1)
def test_a_link_shares_a_position(page: Page, guest: Page) -> None:
    begin(page, size=6)
    page.locator(".cell.legal").first.click()
    expect(page.locator(".moves .move")).to_have_count(1)
    page.locator(".cell.legal").first.click()
    expect(page.locator(".moves .move")).to_have_count(2)
    page.keyboard.press("2")
    expect(page).to_have_url(re.compile("#/analyse/othello"))
    seen = moves(page)
    guest.goto(page.url)
    expect(guest.locator(".moves .move")).to_have_text(seen)
    expect(guest.locator(".pieces .piece")).to_have_count(6)


@pytest.mark.slow(2)
def test_a_visited_link_leaves_nothing_behind_until_something_is_changed(page: Page) -> None:
    cards = page.locator(".card", has_text="Othello 6×6")
    page.goto("#/games")
    expect(page.locator(".card, .empty:visible").first).to_be_visible()
    count = cards.count()
    moves, current = page.locator(".moves .move"), page.locator(".moves [aria-current]")
    for _ in range(2):
        page.goto(f"#/analyse/othello,size=6/{'.' * 14}OX{'.' * 4}XO{'.' * 14}+X/c2+b2+a2")
        expect(moves).to_have_count(3)
        page.keyboard.press("PageUp")
        expect(current).to_have_text("b2")
        page.reload()
        expect(current).to_have_text("b2")
        expect(moves).to_have_count(3)
        page.keyboard.press("1")
        expect(page.locator(".play")).to_be_visible()
        page.reload()
        expect(page.locator(".play .moves [aria-current]")).to_have_text("b2")
        page.keyboard.press("5")
        expect(page.locator(".card, .empty:visible").first).to_be_visible()
        expect(cards).to_have_count(count)
    page.keyboard.press("1")
    page.locator(".cell.legal").last.click()
    expect(page.locator(".play .moves .move")).to_have_count(4)
    page.keyboard.press("5")
    expect(cards).to_have_count(count + 1)


@pytest.mark.slow(1)
def test_a_position_is_set_up(page: Page) -> None:
    begin(page, size=4)
    page.keyboard.press("2")
    page.get_by_role("button", name="Set up").click()
    page.get_by_role("button", name="Clear").click()
    cell(page, "a1").click()
    page.get_by_role("radio", name="White").first.check()
    cell(page, "b1").click()
    page.get_by_role("button", name="Use it").click()
    expect(page.locator(".cell.legal")).to_have_count(1)
    cell(page, "c1").click()
    expect(page.locator(".pieces .piece")).to_have_count(3)


@pytest.mark.slow(1)
def test_a_game_is_written_in_other_ways(page: Page) -> None:
    pasted(page, GGF)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Copy: moves").click()
    expect(page.locator("dialog")).to_contain_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()").strip() == "f5f6e6f4e3c5"
    with page.expect_download() as drawn:
        page.get_by_role("button", name="PNG").click()
    assert Path(drawn.value.path()).read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow(1)
@pytest.mark.parametrize("allowed", [True, False])
def test_a_game_is_copied_over_plain_http(page: Page, allowed: bool) -> None:
    """Browsers offer no clipboard to pages of other machines without HTTPS."""
    pasted(page, GGF)
    page.evaluate("void Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    if not allowed:
        page.evaluate("document.execCommand = () => false; null")
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Copy: moves").click()
    if allowed:
        expect(page.locator("dialog")).to_contain_text("Copied.")
        expect(page.get_by_role("button", name="Copy: moves")).to_be_focused()
        page.keyboard.press("Escape")
        page.keyboard.press("v")
        page.locator("dialog textarea:visible").press("Control+V")
        expect(page.locator("dialog textarea:visible")).to_have_value(re.compile("^f5f6e6f4e3c5"))
    else:
        expect(page.locator("dialog")).to_contain_text("copy it with Ctrl+C")
        expect(page.locator("dialog textarea")).to_be_focused()
        assert page.evaluate("getSelection().toString()").startswith("f5f6e6f4e3c5")


# --- the other views ---


@pytest.mark.slow(1)
def test_kept_games_are_listed_and_deleted(page: Page) -> None:
    sent: list[str] = []

    def opened(socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: sent.append(json.loads(frame)["kind"]))

    page.once("websocket", opened)
    begin(page, size=4)
    cell(page, "b1").click()
    expect(page.locator(".moves .move")).to_have_count(1)
    identity = page.url.rpartition("/")[2]
    sent.clear()
    page.keyboard.press("5")
    card = page.locator(f'[data-game="{identity}"]')
    expect(card).to_contain_text("Othello 4×4")
    expect(card.locator(".piece")).to_have_count(5)
    with page.expect_download() as written:
        card.get_by_label("Export").select_option("moves")
    assert Path(written.value.path()).read_text().strip() == "b1"
    assert sent == ["leave", "games", "export"]
    card.get_by_role("button", name="Delete").click()
    page.locator("dialog").get_by_role("button", name="Delete").click()
    expect(card).to_have_count(0)


@pytest.mark.slow(2)
def test_one_of_several_pasted_games_is_chosen(page: Page) -> None:
    other = GGF.replace("PB[one]", "PB[Ann Example]").replace("RE[?]", "RE[-12.00]").replace("W[C5]", "W[D6]")
    page.goto("#/play")
    expect(page.locator(".play")).to_be_visible()
    page.evaluate(
        "window.dialogs = [];"
        "new MutationObserver(() => dialogs.push(document.querySelectorAll('dialog').length))"
        ".observe(document.body, { childList: true });"
    )
    page.keyboard.press("v")
    page.locator("dialog textarea").fill(f"{GGF}\n{other}")
    page.get_by_role("button", name="Read it").click()
    dialog, rows = page.locator("dialog"), page.locator(".found button")
    expect(dialog.locator("h2")).to_have_text("2 games")
    assert page.evaluate("Math.max(...dialogs)") == 1
    expect(rows).to_have_count(2)
    assert not serious(page, "dialog")
    page.get_by_label("Result").select_option("white won")
    expect(rows).to_have_count(1)
    page.get_by_label("Result").select_option("all results")
    page.get_by_label("Find by name").fill("example")
    expect(rows).to_have_text(["2.Ann Example – two6 movesx · white wins by 12 discs"])
    page.keyboard.press("Escape")  # clears the field
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.locator(".play")).to_be_visible()  # nothing was opened
    page.keyboard.press("v")
    page.locator("dialog textarea").fill(f"{GGF}\n{other}")
    page.get_by_role("button", name="Read it").click()
    rows.nth(1).click()
    expect(page.locator(".analyse .moves .move").last).to_have_text("d6")
    page.keyboard.press("1")
    expect(page.locator(".player.black .name")).to_have_text("Ann Example")
    page.keyboard.press("v")
    page.locator("dialog textarea").fill(f"{GGF}\n{other}".replace("one", "Kept Player").replace("Ann", "Kept Player"))
    page.get_by_role("button", name="Read it").click()
    expect(page.get_by_role("button", name="Keep these 2 games")).to_be_enabled()
    dialog.get_by_label("Find by name").fill("kept player example")
    page.get_by_role("button", name="Keep this game").click()
    said(page, "1 game kept.")
    expect(page.locator(".card").first).to_contain_text("Kept Player Example – two")


@pytest.mark.slow(1)
def test_dialogs_wait_for_each_other(wired: tuple[Page, Wire]) -> None:
    page, wire = wired
    delayed = Delayed(wire)
    page.goto("?dialogs#/play")
    expect(page.locator(".play")).to_be_visible()
    dialog, heading = page.locator("dialog"), page.locator("dialog h2")
    # A list that comes late waits for the dialog that was opened meanwhile.
    delayed.to_page = lambda message: message["kind"] == "found"
    page.keyboard.press("v")
    page.locator("dialog textarea").fill(f"{GGF}\n{GGF}")
    page.get_by_role("button", name="Read it").dblclick()
    delayed.wait_for_one(page)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    delayed.release()  # it is not wanted any more
    delayed.to_page = lambda message: message["kind"] == "found"
    page.evaluate(
        "text => { const data = new DataTransfer(); data.setData('text/plain', text);"
        "dispatchEvent(new ClipboardEvent('paste', { clipboardData: data })); }",
        f"{GGF}\n{GGF}",
    )
    delayed.wait_for_one(page)
    page.keyboard.press("n")
    expect(heading).to_have_text("New game")
    dialog.locator("[data-side=white]").select_option("random")
    dialog.get_by_label("Game").select_option("abalone")
    expect(dialog.locator("[data-side=white]")).to_have_value("random")
    delayed.release()
    page.wait_for_timeout(100)
    expect(heading).to_have_text("New game")
    # Keys do not reach the page behind a dialog.
    heading.click()
    page.keyboard.press("5")
    page.keyboard.press("Escape")
    expect(heading).to_have_text("2 games")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page).to_have_url(re.compile("#/game/"))


@pytest.mark.slow(1)
def test_a_double_click_begins_one_game(wired: tuple[Page, Wire]) -> None:
    page, wire = wired
    delayed = Delayed(wire)
    begin(page, size=4)

    def clicked_twice(name: str, kind: str) -> None:
        delayed.to_server = lambda message: message["kind"] == kind
        before = page.url
        page.get_by_role("button", name=name).dblclick()
        assert delayed.wait_for_one(page) == 1
        delayed.release()
        expect(page).not_to_have_url(before)

    page.keyboard.press("n")
    clicked_twice("Begin", "new")
    page.get_by_role("button", name="Resign").click()
    page.locator("dialog").get_by_role("button", name="Resign").click()
    clicked_twice("Rematch", "new")
    page.keyboard.press("2")
    page.get_by_role("button", name="Set up").click()
    cell(page, "a1").click()
    clicked_twice("Use it", "place")


@pytest.mark.slow(2)
def test_files_are_opened_and_dropped(page: Page, tmp_path: Path) -> None:
    records = [
        replace(record, black=f"Black {number}", white=f"White {number}", event="Final", date="1998", score=4.0)
        for number, record in enumerate(read_all("\n".join(["f5d6c3", "f5f6", "f5f4"] * 100)))
    ]
    write_records(records, tmp_path / "WTH_1998.wtb")
    page.goto("#/games")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open a file").click()
    chooser.value.set_files(sorted(tmp_path.iterdir()))
    rows = page.locator(".found button")
    expect(page.locator("dialog")).to_contain_text("The first 200 of 300 games")
    expect(page.locator("dialog")).not_to_contain_text(".jou")
    expect(rows).to_have_count(200)
    expect(page.get_by_role("button", name="Keep these 300 games")).to_be_disabled()
    page.locator("dialog").get_by_label("Find by name").fill("white 211 1998")
    expect(rows).to_have_count(1)
    rows.click()
    expect(page.locator(".analyse .moves .move")).to_have_text(["f5", "f6"])
    dropped = """text => {
        const data = new DataTransfer();
        data.items.add(new File([text], "game.ggf"));
        for (const type of ["dragover", "drop"])
            document.body.dispatchEvent(new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true}));
    }"""
    page.evaluate(dropped, GGF)  # of its only game no list is shown
    expect(page.locator(".analyse .moves .move")).to_have_count(6)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open a file").click()
    chooser.value.set_files(tmp_path / "WTH_1998.wtb")
    expect(page.locator("dialog")).to_contain_text("Open its name files (.jou")
    page.keyboard.press("Escape")
    page.evaluate(dropped, "x" * 1_500_001)
    expect(page.locator(".toast.wrong")).to_contain_text("at most 1.5 MB")
    page.evaluate(dropped, "nonsense")
    expect(page.locator(".toast.wrong")).to_contain_text("expected")


@pytest.mark.slow(2)
def test_a_kept_game_is_found_and_renamed(page: Page) -> None:
    pasted(page, GGF.replace("PB[one]PW[two]RE[?]", "PB[Ann Example]PW[Bo Sample]RE[-12.00]DT[1998]"))
    expect(page.locator(".moves .move")).to_have_count(6)
    pasted(page, GGF)
    expect(page.locator(".moves .move")).to_have_count(6)
    page.keyboard.press("5")
    cards = page.locator(".card")
    expect(cards.first).to_contain_text("one – two")
    page.get_by_label("Find by name").fill("sample ann")
    expect(cards).to_have_count(1)
    expect(cards).to_contain_text("Ann Example – Bo Sample")
    expect(cards).to_contain_text("Othello 8×8 · x · 1998 · Cow")
    expect(cards).to_contain_text("white wins by 12 discs · 6 moves")
    page.get_by_label("Result").select_option("white won")
    expect(cards).to_have_count(1)
    page.get_by_label("Result").select_option("draws")
    expect(page.locator(".empty h2")).to_have_text("No game matches")
    page.get_by_label("Result").select_option("all results")
    page.get_by_label("Game", exact=True).select_option("abalone")
    expect(page.locator(".empty h2")).to_have_text("No game matches")
    page.get_by_label("Game", exact=True).select_option("all games")
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("Name", exact=True).fill("The final")
    page.get_by_label("Black", exact=True).fill("Ann E. Xample")
    page.get_by_role("button", name="Save").click()
    expect(cards).to_contain_text("The final")
    expect(page.get_by_role("button", name="Rename")).to_be_focused()
    page.get_by_label("Find by name").fill("final")
    expect(cards.locator("h2")).to_have_text(["The final"])
    expect(cards).to_contain_text("Ann E. Xample – Bo Sample")
    assert not serious(page)


@pytest.mark.slow(1)
def test_workers_are_watched_and_a_scheme_is_measured(page: Page) -> None:
    page.goto(f"#/watch/othello,size=4/{FOUR_EMPTY}+X")
    expect(page.get_by_label("Scheme")).to_have_value("ybw")
    page.get_by_label("Depth").fill("3")
    page.get_by_label("Depth").blur()
    page.get_by_label("Workers").fill("2")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".lanes tbody tr").first).to_be_visible()
    expect(page.locator(".watch .facts")).to_contain_text("depth 3")
    page.get_by_role("button", name="Measure speed-up").click()
    expect(page.locator(".measured tbody tr")).to_have_count(1)
    page.get_by_role("button", name="Measure speed-up").click()
    expect(page.locator(".measured tbody tr")).to_have_count(2)
    expect(page.locator(".measured tbody tr").first).to_contain_text("same")
    page.get_by_role("button", name="Side by side").click()
    report = page.frame_locator("iframe[title='Report of two-schemes']")
    expect(report.locator("table").first).to_contain_text("jamboree")
    expect(report.locator("svg").first).to_be_attached()


TRACE = {
    "traceEvents": [
        {
            "name": name,
            "ph": "X",
            "pid": 1,
            "tid": tid,
            "ts": ts,
            "dur": 500,
            "args": {"line": "depth 3 d3", "nodes": 9},
        }
        for name, tid, ts in (("search", 0, 0), ("spawn", 0, 500), ("idle", 1, 0), ("search", 1, 500))
    ]
}


@pytest.mark.slow(1)
def test_a_search_is_drawn_and_stepped_through_and_a_trace_is_opened(page: Page, tmp_path: Path) -> None:
    page.goto("#/watch/othello")
    page.get_by_role("button", name="Search").click()
    pictures = page.get_by_role("group", name="Tree of split points").first
    expect(pictures).to_be_visible()
    tree, pointed = pictures.locator(".icicle"), pictures.locator(".pointed").first
    for _ in range(200):  # the first iterations are too short to be seen
        tree.press("ArrowUp")
        if "root" in pointed.inner_text():
            break
        page.wait_for_timeout(50)
    expect(pointed).to_contain_text(re.compile(r"root · depth \d+ · (window|\d+ of|best)"))
    pause = page.get_by_role("button", name="Pause")
    before = pause.bounding_box()
    tree.locator("canvas").evaluate("canvas => { canvas.style.height = '500px'; }")  # as a deep tree
    assert pause.bounding_box() == before
    pause.click()
    page.get_by_role("button", name="A step back in time").click()
    expect(pictures.locator("output")).to_contain_text("−")
    lanes = page.get_by_role("group", name="Lanes of time")
    lanes.hover(position={"x": 26, "y": 8})
    expect(pictures.locator(".pointed").last).to_contain_text("worker 1")
    page.get_by_role("button", name="Stop", exact=True).click()

    page.get_by_label("Depth").fill("4")
    page.get_by_role("button", name="Step by step").click()
    text = page.locator(".step-text")
    expect(text).to_contain_text("root: searched in the window −∞ … +∞")
    page.keyboard.press("ArrowRight")
    expect(text).to_contain_text("d3: searched in the window")
    page.keyboard.press("ArrowDown")
    expect(text).to_contain_text("which reaches beta")
    assert not serious(page)

    trace, wrong = tmp_path / "trace.json", tmp_path / "wrong.json"
    trace.write_text(json.dumps(TRACE))
    wrong.write_text("{}")
    for file, shown in ((trace, page.get_by_text("Trace: trace.json")), (wrong, page.locator(".toast.wrong"))):
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Open a trace").click()
        chooser.value.set_files(file)
        expect(shown).to_be_visible()
    expect(page.locator(".toast.wrong")).to_contain_text("wrong.json is no trace")
    tree.focus()
    page.keyboard.press("ArrowDown")
    expect(pictures.locator(".pointed").first).to_contain_text("d3 · searched by worker 1")


@pytest.mark.slow(1)
def test_a_game_says_that_its_computer_is_compiled(wired: tuple[Page, Wire]) -> None:
    page, wire = wired

    def route(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def pass_on(text: str | bytes) -> None:
            message = json.loads(text)
            if message["kind"] == "game":
                message |= {"thinking": "black", "compiling": [9, 14]}
            socket.send(json.dumps(message))

        server.on_message(pass_on)

    wire.join = route
    page.goto("#/play")
    expect(page.locator(".play .status")).to_have_text("Black is compiling …")
    expect(page.locator(".play .remark")).to_contain_text("9 of about 14 functions. This happens once.")
    assert 0.6 < float(page.get_by_role("progressbar", name="Compilation").get_attribute("value") or 0) < 0.7


@pytest.mark.slow(1)
@pytest.mark.parametrize(("view", "items"), [("lab", ".experiment"), ("games", ".card")])
def test_a_list_says_that_it_is_being_loaded(wired: tuple[Page, Wire], view: str, items: str) -> None:
    page, wire = wired
    begin(page, size=4)
    cell(page, "b1").click()
    expect(page.locator(".moves .move")).to_have_count(1)
    held: list[tuple[WebSocketRoute, str | bytes]] = []

    def route(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            if json.loads(message)["kind"] == view:
                held.append((server, message))
            else:
                server.send(message)

        socket.on_message(pass_on)

    wire.join = route
    page.goto(f"?again#/{view}")
    expect(page.locator(".loading").first).to_have_text("Loading …")
    for _ in range(200):
        if not held:
            page.wait_for_timeout(50)
    for server, message in held:
        server.send(message)
    expect(page.locator(items).first).to_be_visible()
    expect(page.locator(".loading")).to_have_count(0)


@pytest.mark.slow(1)
@pytest.mark.parametrize("width", [320, 390, 1280, 1400])
def test_every_figure_of_workers_and_measurements_is_seen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"#/watch/othello,size=4/{FOUR_EMPTY}+X")
    page.get_by_label("Depth").fill("3")
    page.get_by_label("Depth").blur()
    page.get_by_role("button", name="Measure speed-up").click()
    expect(page.locator(".measured tbody tr")).to_have_count(1)
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".watch .facts")).to_contain_text("depth 3")
    for box in page.locator(".lanes-box").all():
        widths = box.evaluate("box => [box.clientWidth, box.scrollWidth]")
        assert widths[0] >= widths[1]
        snapshot = box.aria_snapshot()
        assert "rowheader" in snapshot
        assert "cell" in snapshot
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow(1)
def test_a_measurement_says_that_it_runs_and_is_stopped_by_its_button(page: Page) -> None:
    page.goto("#/watch/othello")
    page.get_by_label("Depth").fill("20")
    page.get_by_label("Depth").blur()
    facts, status = page.locator(".watch .facts"), page.locator(".watch section > p")
    expect(facts).to_contain_text("Choose a scheme")
    page.get_by_role("button", name="Measure speed-up").click()
    expect(status).to_have_text("All workers …")
    expect(facts).to_contain_text("timed twice")
    page.get_by_role("button", name="Stop measuring").click()
    expect(status).to_contain_text("was stopped")
    expect(facts).to_contain_text("Choose a scheme")
    expect(page.locator(".measured tbody tr")).to_have_count(0)
    expect(page.get_by_role("button", name="Measure speed-up")).to_be_enabled()
    page.locator(".cell.legal").first.click()
    expect(page.locator(".watch section")).to_be_hidden()


@pytest.mark.slow(1)
def test_an_experiment_is_found_and_run_and_its_report_is_read(page: Page) -> None:
    page.goto("#/lab")
    expect(page.locator(".experiment").first).to_be_visible()
    before = page.locator(".reports a").all_inner_texts()
    page.get_by_label("Find an experiment").fill("storage")
    expect(page.locator(".experiment:visible")).to_have_count(1)
    ran(page, "storage", boards=16, repeats=1, rounds=1)
    report = page.frame_locator("iframe[title='Report of storage']")
    expect(report.locator("table").first).to_contain_text("16")
    page.get_by_role("button", name="Back to the experiments").click()
    expect(page.locator(".reports a")).to_have_text(["storage", *before])
    expect(page.locator(".reports .settings").first).to_have_text("Boards: 16 · Repeats: 1 · Rounds: 1")
    page.get_by_role("button", name="Run again: storage").click()
    page.get_by_role("button", name="Back to the experiments").click()
    expect(page.locator(".reports a")).to_have_text(["storage", "storage", *before])
    # One that goes on is seen again after a reload.
    page.get_by_label("Find an experiment").fill("")
    ran(page, "hash")
    expect(page.locator(".running progress")).to_have_attribute("value", re.compile(r"\d"))
    page.reload()
    expect(page.locator(".running h2")).to_have_text("hash is running")
    expect(page.locator(".running progress")).to_have_attribute("value", re.compile(r"\d"))
    expect(page.locator(".running p")).not_to_be_empty()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".running")).to_be_hidden()


def ran(page: Page, experiment: str, **parameters: int) -> None:
    """Run an experiment."""
    box = page.locator(f"[data-experiment={experiment}]")
    box.locator("summary").click()
    for name, value in parameters.items():
        box.get_by_label(name).fill(str(value))
    box.get_by_role("button", name="Run").click()


@pytest.mark.slow(1)
def test_what_is_wrong_is_said(page: Page) -> None:
    for address in ("nosuchgame1234", "nonono"):
        page.goto(f"#/game/{address}")
        expect(page.locator(".toast.wrong")).to_contain_text("there is no such game")
        page.locator(".toast.wrong button").click()
    page.keyboard.press("v")
    page.locator("dialog textarea").fill("<b>no game</b>")
    page.get_by_role("button", name="Read it").click()
    expect(page.locator("dialog .wrong-line")).to_be_visible()
    page.keyboard.press("Escape")
    page.goto("#/constructor")
    expect(page).to_have_url(re.compile("#/game/"))


@pytest.mark.slow(1)
def test_kept_games_are_shown_where_no_other_can_be_begun(wired: tuple[Page, Wire]) -> None:
    page, wire = wired

    def routed(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def heard(message: str | bytes) -> None:
            asked = json.loads(message)
            if asked["kind"] == "new":
                socket.send(json.dumps({"kind": "refused", "re": asked["ask"], "why": "there is no room"}))
            else:
                server.send(message)

        socket.on_message(heard)

    wire.join = routed
    page.goto("#/play")
    expect(page.locator("nav [aria-current]")).to_have_text("Games")
    expect(page.locator(".toast.wrong")).to_contain_text("there is no room")


@pytest.mark.slow(1)
def test_who_comes_gets_a_game_of_their_own_and_it_is_begun_again_where_it_is_gone(
    wired: tuple[Page, Wire], guest: Page, server: Server
) -> None:
    page, wire = wired
    ends: list[WebSocketRoute] = []
    wire.join = lambda socket: ends.extend((socket, socket.connect_to_server()))
    page.goto("#/play")
    expect(page).to_have_url(re.compile("#/game/"))
    begun = page.url
    guest.goto(server.address)
    expect(guest).to_have_url(re.compile("#/game/"))
    assert guest.url != begun
    page.keyboard.press("5")
    expect(page).to_have_url(re.compile("#/games"))
    page.keyboard.press("1")
    expect(page.locator(".cell.legal")).to_have_count(4)
    expect(page).not_to_have_url(begun)
    for end in reversed(ends):
        end.close()
    page.locator(".cell.legal").first.click()  # before or after the server is found again
    expect(page.locator(".moves .move").first).to_be_visible()
    expect(page.locator(".toast")).to_have_count(0)


# --- how it looks ---


@pytest.mark.slow(1)
def test_a_move_is_kept_while_the_connection_comes_back(wired: tuple[Page, Wire]) -> None:
    page, wire = wired
    ends: list[WebSocketRoute] = []
    held: list[tuple[WebSocketRoute, str | bytes]] = []
    lost = False

    def route(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        ends.extend((socket, server))

        def pass_on(message: str | bytes) -> None:
            if lost and json.loads(message)["kind"] == "open":
                held.append((server, message))
            else:
                server.send(message)

        socket.on_message(pass_on)

    wire.join = route
    page.goto("#/play")
    expect(page.locator(".cell.legal")).to_have_count(4)
    lost = True
    for end in reversed(ends):
        end.close()
    for _ in range(200):
        if not held:
            page.wait_for_timeout(50)
    page.locator(".cell.legal").first.click()
    page.wait_for_timeout(200)
    for server, message in held:
        server.send(message)
    expect(page.locator(".moves .move").first).to_be_visible()


@pytest.mark.slow(1)
@pytest.mark.parametrize(("width", "height"), [(320, 640), (390, 844), (844, 390), (568, 320)])
def test_a_telephone_shows_all_of_a_board_without_scrolling_sideways(telephone: Page, width: int, height: int) -> None:
    page = telephone
    page.set_viewport_size({"width": width, "height": height})
    for view in VIEWS:
        page.goto(f"#/{view}")
        expect(page.locator(f"nav a[href='#/{view}']")).to_have_attribute("aria-current", "page")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
        assert page.evaluate("window.innerWidth") == width, view
    page.goto(f"#/analyse/othello,size=4/{FOUR_EMPTY}+X")
    expect(page.locator(".analyse")).to_be_visible()  # the board before was that of the puzzles
    assert_seen(page, page.locator(".board"))
    page.locator(".cell.legal").first.tap()
    expect(page.locator(".moves .move")).to_have_count(1)
    page.goto("#/analyse/othello,size=4/OX--------------+X")
    if width > height:
        assert_seen(page, page.locator(".others button"))
    page.goto(f"#/watch/abalone/{NEAR_THE_END.replace('/', '~').replace(' ', '+')}")
    for name in ("F3", "F4"):
        cell(page, name).tap()
    expect(page.locator(".cell.picked")).to_have_count(2)
    assert_seen(page, page.locator(".board"))
    boxes = [assert_seen(page, handle) for handle in page.locator(".handle circle").all()]
    assert len(boxes) >= 3
    middles = [complex(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    for index, (box, middle) in enumerate(zip(boxes, middles, strict=True)):
        assert min(box["width"], box["height"]) >= 40
        assert all(abs(middle - other) >= 40 for other in middles[:index])
    page.evaluate("scrollTo(0, 200)")
    assert page.evaluate("scrollY") > 0
    page.locator("nav a[href='#/analyse']").tap()
    expect(page.locator(".analyse")).to_be_visible()
    assert page.evaluate("scrollY") == 0


def assert_seen(page: Page, part: Locator) -> dict[str, float]:
    """Return the place of a part of the page that can be seen without scrolling."""
    box = part.bounding_box()
    assert box is not None
    assert page.viewport_size is not None
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= page.viewport_size["width"]
    assert box["y"] + box["height"] <= page.viewport_size["height"]
    return {**box}


@pytest.mark.slow(1)
def test_light_and_dark_are_chosen_and_kept(page: Page, server: Server) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(server.address)
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(ground)
    page.get_by_role("button", name="Theme: as the system").click()
    light = page.evaluate(ground)
    assert sum(map(int, re.findall(r"\d+", light))) > 600 > 150 > sum(map(int, re.findall(r"\d+", dark)))
    page.reload()
    assert page.evaluate(ground) == light
    page.get_by_role("button", name="Theme: light").click()
    assert page.evaluate(ground) == dark


@pytest.mark.slow(1)
def test_the_page_is_light_in_weight(browser: Browser, server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    context = browser.new_context()
    page = context.new_page()
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(server.address)
    expect(page.locator(".board .cell").first).to_be_visible()
    elsewhere = [each.url for each in answers if not each.url.startswith(server.address)]
    weight, files = sum(len(each.body()) for each in answers), len(answers)
    page.reload()
    expect(page.locator(".board .cell").first).to_be_visible()
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1")
    with capsys.disabled():
        print(f"\nthe page weighs {weight / 1000:.0f} KB in {files} files; first paint after {paint:.0f} ms")
    assert weight < MOST_BYTES
    assert not elsewhere
    context.close()


SCHEMES: dict[Literal["light", "dark"], dict[str, Any]] = {
    "light": {},
    "dark": {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}},
}
"""What is judged in each: a style sheet alone tells them apart, so that the dark one has but other colours."""


def serious(page: Page, part: str | None = None) -> list[str]:
    """What shuts somebody out of what is shown, or of a part of it."""
    told = []
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    for scheme, rules in SCHEMES.items():
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        judged = page.evaluate(
            "([part, options]) => axe.run(part ?? document, options)",
            [part, {"resultTypes": ["violations"], **rules}],
        )
        found = [each for each in judged["violations"] if each["impact"] in ("serious", "critical")]
        told += [f"{page.url}: {scheme}: {each['id']}: {node['html']}" for each in found for node in each["nodes"]]
    return told


@pytest.mark.slow(10)
def test_everybody_can_use_it(page: Page) -> None:
    found = []
    pasted(page, NEAR_THE_END)
    cell(page, "F3").click()
    expect(page.locator(".arrow").first).to_be_attached()
    found += serious(page)
    pasted(page, GGF)
    page.get_by_label("Time per move").select_option("0.1")
    page.get_by_role("button", name="Review the game").click()
    expect(page.get_by_role("button", name="Review again")).to_be_visible()
    page.goto("#/analyse/othello/nonsense")
    expect(page.locator(".toast.wrong")).to_be_visible()
    expect(page.locator(".review .curve")).to_be_visible()
    found += serious(page)
    # The view in which one analyses was seen empty and with a review.
    for view in sorted({*VIEWS} - {"analyse"}, key=lambda view: view == "play"):
        page.goto(f"#/{view}")
        expect(page.locator(f"nav a[href='#/{view}']")).to_have_attribute("aria-current", "page")
        expect(page.locator(".cell.legal, .experiment, .card").first).to_be_visible()
        found += serious(page)
    page.keyboard.press("n")
    expect(page.locator("dialog")).to_be_visible()
    found += serious(page, "dialog")
    assert not found
