"""Games over the WebSocket: what a page can ask of them, what it is refused, and that they are kept."""

import asyncio
import base64
import errno
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from outflank import OthelloBoard
from outflank.books.game_index import IndexBuilder
from outflank.errors import OutflankError
from outflank.formats.game_files import write_records
from outflank.formats.game_record import Notes
from outflank.formats.recognise import read_all
from outflank.othello.squares import othello
from outflank.search.request import Stop
from outflank.ui.web import server_messages
from outflank.ui.web.games.exporting import record_of
from outflank.ui.web.games.game_messages import listed_game
from outflank.ui.web.games.game_store import Store, row_of
from outflank.ui.web.games.move_tree import Boards, with_judged, with_notes
from outflank.ui.web.games.new_games import game_from_board, game_from_pieces, game_from_records, new_game
from outflank.ui.web.lobby.live_games import LiveGame
from outflank.ui.web.lobby.lobby import MOST_UNWATCHED, Lobby
from outflank.ui.web.requests import Games, New
from outflank.ui.web.server_limits import Settings
from tests.web_server import Page, Served, serving

pytestmark = pytest.mark.interpreted_only


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("web")) as found:
        yield found


@pytest.fixture
def page(served: Served) -> Iterator[Page]:
    with served.page() as found:
        yield found


def moves_of(game: dict[str, Any]) -> list[str]:
    return [each["move"] for each in game["nodes"]]


def test_a_page_is_told_first_what_there_is(page: Page) -> None:
    found = msgspec.convert(page.welcome, server_messages.Welcome)
    assert found.version == server_messages.VERSION
    assert {"othello", "abalone"} <= {each.name for each in found.games}
    assert "pvs" in found.algorithms
    assert "ybw" in [each.name for each in found.schemes]
    assert found.cores == 2
    othello = next(each for each in found.games if each.name == "othello")
    assert [each.name for each in othello.forms][:3] == ["position", "moves", "ggf"]
    assert next(each for each in othello.options if each.name == "size").choices == (4, 6, 8)


@pytest.mark.parametrize("name", ["othello", "abalone"])
def test_a_game_is_begun_and_played(page: Page, name: str) -> None:
    game = page.new(name)
    found = msgspec.convert(game, server_messages.Game)
    assert (found.node, found.turn, found.outcome, found.last) == (0, "black", None, None)
    assert len(found.cells) == len(found.pieces)
    for _ in range(3):
        game = page.play(game, game["legal"][-1]["move"])
    assert game["last"]["move"] == game["nodes"][3]["move"]
    assert [each["side"] for each in game["nodes"][1:]] == ["black", "white", "black"]
    assert game["turn"] == "white"
    assert game["revision"] == 4


def test_an_illegal_move_is_refused_and_changes_nothing(page: Page) -> None:
    game = page.new()
    assert "not a legal move" in page.refused("play", id=game["id"], node=0, move="a1")
    assert "no node 7" in page.refused("play", id=game["id"], node=7, move="f5")
    assert page.ask("open", id=game["id"])["revision"] == 1


def test_moves_are_taken_back_and_made_again_and_other_lines_are_kept(page: Page) -> None:
    game = page.new()
    first = page.play(game, "f5")
    page.play(first, "d6")
    assert page.ask("go", id=game["id"], node=1)["node"] == 1
    other = page.play({**game, "node": 1}, "f6")
    assert [(each["id"], each["parent"]) for each in other["nodes"]] == [(0, None), (1, 0), (2, 1), (3, 1)]
    again = page.play({**game, "node": 1}, "d6")
    assert again["node"] == 2  # the one that was there
    promoted = page.ask("promote", id=game["id"], node=3)
    assert [each["id"] for each in promoted["nodes"]] == [0, 1, 3, 2]
    pruned = page.ask("prune", id=game["id"], node=2)
    assert [each["id"] for each in pruned["nodes"]] == [0, 1, 3]
    assert pruned["node"] == 1  # where the one that was shown hung
    assert "stays" in page.refused("prune", id=game["id"], node=0)
    assert page.play({**game, "node": 1}, "f4")["node"] == 4  # numbers are not used twice


def test_a_side_gives_up(page: Page) -> None:
    game = page.play(page.new(), "f5")
    over = page.ask("resign", id=game["id"], side="white")
    assert over["outcome"] == {
        "winner": "black",
        "score": 64,
        "reason": "white resigned",
        "text": "black wins: white resigned",
        "counts": None,
    }
    assert over["legal"] == []
    assert page.refused("play", id=game["id"], node=1, move="d6") == "the game is over"
    assert page.refused("resign", id=game["id"], side="black") == "the game is over"
    assert page.ask("go", id=game["id"], node=0)["outcome"] is None


def test_a_record_ends_where_the_game_was_given_up_and_nowhere_else(page: Page) -> None:
    game = page.play(page.new(), "f5")
    page.ask("resign", id=game["id"], side="white")
    whole, part = (page.ask("export", id=game["id"], node=node, form="ggf")["text"] for node in (1, 0))
    assert "RE[+64.00:r]" in whole
    assert "+64" not in part


def test_a_game_comes_to_its_end(page: Page) -> None:
    game = page.new(options={"size": 4})
    while game["legal"]:
        game = page.play(game, game["legal"][0]["move"])
    assert game["outcome"]["text"].split()[0] in ("black", "white", "a")
    listed = next(each for each in page.ask("games")["games"] if each["id"] == game["id"])
    assert listed["result"] in ("1-0", "0-1", "1/2-1/2")
    assert listed["moves"] == len(game["nodes"]) - 1


def test_a_game_and_its_entry_in_the_list_name_the_opening(page: Page) -> None:
    game = page.ask("new", text="f5d6c3d3c4f4f6")
    assert game["opening"] == "Stephenson"
    listed = next(each for each in page.ask("games")["games"] if each["id"] == game["id"])
    assert listed["opening"] == "Stephenson"
    assert [page.ask("go", id=game["id"], node=node)["opening"] for node in (0, 2, 5)] == ["", "Perpendicular", "Tiger"]


def test_any_text_becomes_a_game(page: Page) -> None:
    assert moves_of(page.ask("new", text="f5d6c3")) == ["", "f5", "d6", "c3"]
    ggf = (
        "(;GM[Othello]PC[here]PB[one]PW[other]TY[8]BO[8 "
        + "-" * 27
        + "O*"
        + "-" * 6
        + "*O"
        + "-" * 27
        + " *]B[F5]W[D6];)"
    )
    record = page.ask("new", text=ggf)
    assert (moves_of(record)[1:], record["names"], record["node"]) == (["f5", "d6"], ["one", "other"], 2)
    assert page.ask("new", text="a1b2")["game"] == "abalone"
    discs = page.ask("new", text="-----XO--OX----- X", options={"scoring": "discs"})
    assert (discs["title"], discs["options"]["scoring"]) == ("Othello 4×4", "discs")
    assert "expected" in page.refused("new", text="nonsense")
    assert "expected" in page.refused("new", text="-")  # which is standard input to commands
    assert "needs" in page.refused("new")
    assert "unknown game" in page.refused("new", game="chess")
    assert "size" in page.refused("new", game="othello", options={"size": 7})
    assert "option of Othello" in page.refused("new", game="othello", options={"colour": 1})


def test_several_games_are_listed_and_each_can_be_begun(page: Page) -> None:
    text = f"{RESIGNED}\n{RESIGNED.replace('Zoë Ört', 'Abe').replace('W[D6]', 'W[F6]').replace('+64.00:r', '-2.00')}"
    found = page.ask("read", text=text)
    assert (found["kind"], found["problem"]) == ("found", "")
    first, second = found["games"]
    assert (first["number"], first["names"], first["moves"]) == (1, ["Zoë Ört", "two"], 2)
    assert (second["event"], second["date"], second["title"]) == ("Cambridge", "1998-05-17", "Othello 8×8")
    assert (second["result"], second["result_text"]) == ("0-1", "white wins by 2 discs")
    assert moves_of(page.ask("new", text=text, number=2)) == ["", "f5", "f6"]
    assert "no game number 3" in page.refused("new", text=text, number=3)
    assert [game["moves"] for game in page.ask("read", text="f5d6\nf5d6c3\n")["games"]] == [2, 3]
    assert "expected" in page.refused("read", text="nonsense")
    opened = page.new()
    assert page.ask("keep", text=text, numbers=[2, 1]) == {"kind": "saved", "re": page.asked, "games": 2}
    first, second = page.ask("games")["games"][:2]
    assert [first["names"], second["names"]] == [["Zoë Ört", "two"], ["Abe", "two"]]
    assert page.play(opened, "f5")["node"] == 1  # it is still open
    assert "no game number 3" in page.refused("keep", text=text, numbers=[1, 3])
    assert "expected" in page.refused("keep", text=text, numbers=[1] * 201)
    assert "needed" in page.refused("keep", numbers=[1])


def test_files_are_read_with_the_names_beside_them(page: Page, tmp_path: Path) -> None:
    records = read_all("f5d6c3\nf5f6\n")
    records = [
        replace(record, black=f"Player {number}", white="Other", event="Final", date="1998", score=2.0 * number)
        for number, record in enumerate(records)
    ]
    write_records(records, tmp_path / "WTH_1998.wtb")
    files = [
        {"name": path.name.upper(), "data": base64.b64encode(path.read_bytes()).decode()}
        for path in sorted(tmp_path.iterdir())
    ]
    assert [file["name"].lower()[-4:] for file in files] == [".jou", ".trn", ".wtb"]
    found = page.ask("read", files=files)
    assert [game["names"] for game in found["games"]] == [["Player 0", "Other"], ["Player 1", "Other"]]
    assert [game["result_text"] for game in found["games"]] == ["a draw", "black wins by 2 discs"]
    assert {(game["event"], game["date"]) for game in found["games"]} == {("Final", "1998")}
    game = page.ask("new", files=files, number=2)
    assert (moves_of(game), game["names"]) == (["", "f5", "f6"], ["Player 1", "Other"])
    # Without the names; with a damaged end; and texts, whose names say nothing.
    assert page.ask("read", files=files[2:])["games"][0]["names"] == ["", ""]
    data = (tmp_path / "WTH_1998.wtb").read_bytes()
    cut = {"name": "cut.wtb", "data": base64.b64encode(data[:-1]).decode()}
    damaged = page.ask("read", files=[cut])
    assert len(damaged["games"]) == 1
    assert "the file ends here" in damaged["problem"]
    assert "games are in .wtb files" in page.refused("read", files=files[:1])
    texts = [{"name": name, "data": base64.b64encode(b"f5d6\n").decode()} for name in ("notes", "a.txt")]
    assert [game["moves"] for game in page.ask("read", files=texts)["games"]] == [2, 2]


def test_a_position_is_set_up(page: Page) -> None:
    pieces = "." * 5 + "XO" + ".." + "OX" + "." * 5
    game = page.ask("place", game="othello", options={"size": 4}, pieces=pieces, turn="white")
    assert (game["pieces"], game["turn"], len(game["legal"])) == (pieces, "white", 4)
    assert "16 cells" in page.refused("place", game="othello", options={"size": 4}, pieces="X", turn="black")
    assert "14 marbles" in page.refused("place", game="abalone", pieces="X" * 61, turn="black")
    for name, cells in (("othello", 64), ("abalone", 61)):
        assert "the board is empty" in page.refused("place", game=name, pieces="." * cells, turn="black")


def test_games_are_written_in_every_form_and_read_again(page: Page) -> None:
    for name in ("othello", "abalone"):
        game = page.new(name)
        for _ in range(4):
            game = page.play(game, game["legal"][0]["move"])
        kind = next(each for each in page.welcome["games"] if each["name"] == name)
        for form in kind["forms"]:
            text = page.ask("export", id=game["id"], node=4, form=form["name"])
            assert text["kind"] == "text", text
            assert text["file"].endswith(form["suffix"])
            if form["name"] == "svg":
                assert text["text"].startswith("<svg")
            else:
                again = page.ask("new", game=name, text=text["text"])
                assert again.get("pieces") == game["pieces"], (form, text, again)
    assert "unknown form" in page.refused("export", id=game["id"], node=0, form="../../etc/passwd")


def test_who_exports_or_leaves_a_game_does_not_keep_its_clock_running(served: Served, page: Page) -> None:
    game = page.play(page.new(seats={"clock": "5+3"}), "f5")
    live_game = served.lobby._loaded[game["id"]]
    assert page.ask("leave")["kind"] == "left"
    assert not live_game.watchers
    assert live_game._running is None
    assert page.ask("export", id=game["id"], form="moves")["text"].strip() == "f5"
    assert not live_game.watchers
    assert page.ask("leave")["kind"] == "left"  # from nothing


def test_kept_games_are_listed_a_page_at_a_time(tmp_path: Path) -> None:
    with serving(tmp_path, messages_at_once=1000) as served, served.page() as page:
        assert page.ask("games") == {"kind": "kept", "re": 1, "games": [], "layouts": [], "more": False}
        ids = [page.ask("new", text="b1", game="othello", options={"size": 4})["id"] for _ in range(53)]
        first = page.ask("games")
        assert [each["id"] for each in first["games"]] == ids[:2:-1]
        assert first["more"]
        assert len(first["layouts"]) == 1
        rest = page.ask("games", before=first["games"][-1]["changed"])
        assert [each["id"] for each in rest["games"]] == ids[2::-1]
        assert not rest["more"]
        assert page.ask("delete", id=ids[0])["kind"] == "gone"
        assert "no such game" in page.refused("delete", id=ids[0])
        assert "no such game" in page.refused("open", id=ids[0])


RESIGNED = (
    "(;GM[Othello]PC[Cambridge]DT[1998.05.17]PB[Zoë Ört]PW[two]RE[+64.00:r]TY[8]"
    f"BO[8 {'-' * 27}O*{'-' * 6}*O{'-' * 27} *]B[F5]W[D6];)"
)


def test_kept_games_are_found_by_their_names_and_results(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.page() as page:
        resigned = page.ask("new", text=RESIGNED)
        played = page.new(options={"size": 4}, seats={"white": "computer level=1"})
        while played["legal"]:
            played = page.play(played, played["legal"][0]["move"])
            while played["outcome"] is None and played["turn"] == "white":
                played = page.until(lambda message: message["kind"] == "game")
        abalone = page.ask("new", game="abalone", text="a1b2")

        def found(**request: Any) -> list[str]:
            return [each["id"] for each in page.ask("games", **request)["games"]]

        listed = {each["id"]: each for each in page.ask("games")["games"]}
        entry = listed[resigned["id"]]
        assert entry["names"] == ["Zoë Ört", "two"]
        assert [entry[name] for name in ("event", "date", "result")] == ["Cambridge", "1998-05-17", "1-0"]
        assert entry["result_text"] == "black wins: resigned"
        assert listed[abalone["id"]]["result"] == "*"
        text = listed[played["id"]]["result_text"]
        assert text == played["outcome"]["text"].partition(":")[0]
        assert found() == [abalone["id"], played["id"], resigned["id"]]
        assert found(find="zoË cambridge 1998") == [resigned["id"]]
        assert found(find="level=1") == [played["id"]]
        assert found(find="zoë nobody") == []
        assert found(find="perpendicular") == [resigned["id"]]
        assert found(game="othello") == [played["id"], resigned["id"]]
        assert found(game="othello", result="1-0", find="two") == [resigned["id"]]
        assert found(result="*") == [abalone["id"]]
        assert found(before=listed[played["id"]]["changed"], game="othello") == [resigned["id"]]
        exported = page.ask("export", id=resigned["id"], form="ggf")["text"]
        for part in ("PC[Cambridge]", "DT[1998.05.17]", "RE[+64.00:r]"):
            assert part in exported
        assert "RE[" not in page.ask("export", id=resigned["id"], node=1, form="ggf")["text"]


def test_a_position_is_looked_up_in_indexes_that_may_change(tmp_path: Path) -> None:
    games, target = tmp_path / "some.txt", tmp_path / "games.index"
    with serving(tmp_path, indexes=(target,)) as served, served.page() as page:
        game = page.ask("new", text="f5d6")
        request = {"id": game["id"], "node": 1}
        explored = page.ask("explore", **request)
        assert (explored["indexed"], explored["games"], explored["latest"]) == (0, 0, [])
        assert all(move["book_text"] for move in explored["moves"])
        for text in ("f5d6c3\n", "f5d6c3\nf5f6\nf5f6\n"):
            games.write_text(text)
            with IndexBuilder(othello(), 30, tmp_path) as builder:
                builder.read(games, lambda why: None, lambda count: None, Stop())
                builder.write(target)
            explored = page.ask("explore", **request)
            assert explored["indexed"] == explored["games"] == text.count("\n")
        first, *_ = explored["moves"]
        assert (first["moves"], first["games"], first["results"], first["mean_score"]) == (["f6"], 2, [0, 0, 0], None)
        latest = explored["latest"][0]
        assert (latest["file"], latest["number"], latest["move"]) == ("some.txt", 3, "f6")
        target.write_bytes(b"damaged")
        assert "is not an index of games" in page.refused("explore", **request)
        assert "no node 99" in page.refused("explore", id=game["id"], node=99)


def test_a_game_and_its_players_are_named(served: Served, page: Page) -> None:
    game = page.play(page.new(seats={"clock": "5+3"}), "f5")
    request = {"id": game["id"], "name": " the\nbest ", "names": ["me", ""], "event": "here", "date": "2001"}
    with served.page() as other:
        other.ask("open", id=game["id"])
        described = page.ask("describe", **request)
        assert (described["names"], described["node"], described["clock"]["running"]) == (["me", ""], 1, "white")
        assert other.until(lambda message: message["kind"] == "game")["names"] == ["me", ""]
    entry = next(each for each in page.ask("games", find="best me here 2001")["games"])
    assert (entry["id"], entry["name"]) == (game["id"], "the best")
    assert "PB[me]" in page.ask("export", id=game["id"], form="ggf")["text"]
    assert "no such game" in page.refused("describe", **{**request, "id": "nosuchgame1234"})
    assert "name: expected" in page.refused("describe", **{**request, "name": "x" * 101})


def test_notes_on_a_position_are_kept_shown_to_others_and_exported(served: Served, page: Page) -> None:
    game = page.play(page.new(), "f5")
    notes = {"comment": "  the only\nmove\t", "arrows": [["d3", "f5"], ["c4", "c4"], ["d3", "f5"]]}
    with served.page() as other:
        other.ask("open", id=game["id"])
        node = page.ask("annotate", id=game["id"], node=1, **notes)["nodes"][1]
        assert (node["comment"], node["arrows"]) == ("the only\nmove", [["d3", "f5"], ["c4", "c4"]])
        assert other.until(lambda message: message["kind"] == "game")["nodes"][1] == node
    page.ask("annotate", id=game["id"], node=0, comment="at first")
    text = page.ask("export", id=game["id"], form="sgf")["text"]
    assert "C[at first]" in text
    assert "C[the only\nmove]AR[d3:f5]CR[c4]" in text
    again = page.ask("new", text=text)
    assert [(each.get("comment"), each.get("arrows")) for each in again["nodes"]] == [
        ("at first", None),
        ("the only\nmove", [["d3", "f5"], ["c4", "c4"]]),
    ]
    assert "comment" not in page.ask("annotate", id=game["id"], node=1)["nodes"][1]
    assert "no cell 'i9'" in page.refused("annotate", id=game["id"], node=1, arrows=[["a1", "i9"]])
    assert "no node 7" in page.refused("annotate", id=game["id"], node=7)
    assert "comment: expected" in page.refused("annotate", id=game["id"], node=1, comment="x" * 2001)


def test_a_review_keeps_notes_that_were_written_meanwhile_and_is_exported() -> None:
    board = OthelloBoard.start()
    board.push("f5")
    before = game_from_board(board)
    noted = with_notes(before, {1: Notes("good")})
    judged = with_judged(noted, msgspec.structs.replace(before.nodes[1], value=2.0, loss=0.5))
    assert (judged.nodes[1].comment, judged.nodes[1].value) == ("good", 2.0)
    record = record_of(judged, 1, board)
    assert (record.moves[0].value, record.moves[0].notes.comment) == (2.0, "good")
    board.push("d6")
    two = game_from_board(board)
    judged = with_judged(two, msgspec.structs.replace(two.nodes[2], value=2.0))
    assert [move.value for move in record_of(judged, 2, board).moves] == [None, -2.0]  # for the mover, white


def test_who_watches_a_game_is_told_of_changes_and_of_its_end(served: Served, page: Page) -> None:
    game = page.new()
    with served.page() as other:
        assert other.ask("open", id=game["id"])["node"] == 0
        page.play(game, "f5")
        told = other.until(lambda message: message["kind"] == "game")
        assert (told["node"], told.get("re")) == (1, None)
        page.ask("delete", id=game["id"])
        assert other.until(lambda message: message["kind"] == "gone")["id"] == game["id"]
        assert "no such game" in other.refused("play", id=game["id"], node=0, move="f5")


def test_computers_play_when_it_is_their_turn_and_wait_when_somebody_looks_elsewhere(page: Page) -> None:
    game = page.new(options={"size": 4}, seats={"black": "human", "white": "computer depth=1"})
    game = page.play(game, game["legal"][0]["move"])
    assert game["thinking"] == "white"
    answered = page.until(lambda message: message["kind"] == "game")
    assert (answered["node"], answered["turn"], answered["thinking"]) == (2, "black", None)
    assert answered["remark"]
    back = page.ask("go", id=game["id"], node=1)
    assert (back["turn"], back["thinking"]) == ("white", None)
    asked = page.ask("sit", id=game["id"], seats={"white": "random"})
    assert asked["thinking"] == "white"
    assert page.until(lambda message: message["kind"] == "game")["node"] in (2, 3)


def test_two_computers_finish_a_game(page: Page) -> None:
    page.new(options={"size": 4}, seats={"black": "random", "white": "first"})
    assert page.until(lambda message: message["kind"] == "game" and message["outcome"] is not None)["legal"] == []


@pytest.mark.parametrize(
    "words",
    [
        "gtp: cat /etc/passwd",
        "nboard: sh",
        "computer book=/etc/passwd",
        "computer evaluation=patterns:/etc/passwd",
        "computer table_bits=40",
        "computer workers=1000",
        "computer depth=99",
        "computer time=1e9",
        "computer level=0",
        "computer level=5 depth=3",
        "computer report=999",
        "human depth=3",
        "somebody",
        "",
    ],
)
def test_no_message_seats_what_starts_programs_reads_files_or_thinks_for_ever(page: Page, words: str) -> None:
    page.refused("new", game="othello", seats={"black": words})
    game = page.new()
    page.refused("sit", id=game["id"], seats={"white": words})
    assert page.ask("open", id=game["id"])["seats"]["white"] == "human"


@pytest.mark.parametrize("address", ["nonono", "no such game", "1"])
def test_there_is_no_game_at_another_address(page: Page, address: str) -> None:
    assert page.refused("open", id=address) == "there is no such game; it may have been deleted"
    expected = "id: expected text of 1 to 64 characters, found 'xxx"
    assert page.refused("open", id=65 * "x").startswith(expected)


@pytest.mark.parametrize("clock", ["0.05s", "0.05s/move"])
def test_a_clock_whose_flag_has_fallen_shows_no_time(page: Page, clock: str) -> None:
    page.new(seats={"clock": clock})
    over = page.until(lambda message: message["kind"] == "game" and message["outcome"] is not None)
    assert over["outcome"]["reason"] == "black has used up its time"
    assert over["clock"]["black"] == 0.0
    assert over["clock"]["white"] == 0.05


def test_a_clock_runs_and_its_flag_falls(page: Page) -> None:
    game = page.new(seats={"clock": "5+3"})
    assert game["clock"]["text"].startswith("5 minutes")
    assert game["clock"]["running"] == "black"
    moved = page.play(game, "f5")["clock"]
    assert moved["running"] == "white"
    assert 302.0 < moved["black"] <= 303.0
    back = page.ask("go", id=game["id"], node=0)["clock"]
    assert back["running"] is None
    assert "without a unit" in page.refused("sit", id=game["id"], seats={"clock": "5"})
    page.ask("sit", id=game["id"], seats={"clock": "0.05s"})
    over = page.until(lambda message: message["kind"] == "game" and message["outcome"] is not None)
    assert over["outcome"]["text"] == "white wins: black has used up its time"


def test_a_game_without_moves_is_forgotten_when_nobody_watches_it(served: Served, page: Page) -> None:
    pieces = "." * 5 + "XO" + ".." + "OX" + "." * 5
    placed = page.ask("place", game="othello", options={"size": 4}, pieces=pieces, turn="white")
    moved = page.play(page.new(options={"size": 4}), "b1")
    with served.page() as other:
        game = page.new()
        other.ask("open", id=game["id"])
        page.ask("leave")
        assert other.ask("open", id=game["id"])["revision"] == 1  # somebody watches
        other.ask("leave")
        assert "no such game" in other.refused("open", id=game["id"])
        assert page.ask("delete", id=page.new()["id"])["kind"] == "gone"
        for kept in (placed, moved):
            assert other.ask("open", id=kept["id"])["kind"] == "game"


def test_a_linked_game_is_kept_only_if_something_is_changed_in_it(served: Served, page: Page) -> None:
    def linked() -> dict[str, Any]:
        return page.ask("new", text="f5d6c3d3c4", keep=False)

    def is_kept(game: dict[str, Any]) -> Any:
        with served.page() as other:
            assert (game["id"] in [each["id"] for each in other.ask("games")["games"]]) != game["disposable"]
            page.ask("leave")
            return other.ask("open", id=game["id"])["kind"] == "game"

    assert not is_kept(linked())
    assert not is_kept(page.ask("go", id=linked()["id"], node=2))
    assert not is_kept(page.ask("play", id=linked()["id"], node=2, move="c3"))  # a move of the tree
    assert is_kept(page.ask("new", text="f5d6c3d3c4"))
    assert is_kept(page.play(linked(), "f4"))
    assert is_kept(page.ask("prune", id=linked()["id"], node=5))
    assert is_kept(page.ask("promote", id=linked()["id"], node=5))
    assert is_kept(page.ask("resign", id=linked()["id"], side="white"))


# --- on disk ---


@pytest.mark.slow(3)
def test_no_move_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    script = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[3])!r})
from tests.web_server import serving
with serving(Path({str(tmp_path)!r})) as served, served.page() as page:
    game = page.play(page.new(options={{"size": 4}}), "b1")
    print(game["id"], flush=True)
    sys.stdin.read()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    assert process.stdout is not None
    assert process.stdin is not None
    id = process.stdout.readline().strip()
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdin.close()
    process.stdout.close()
    with serving(tmp_path) as served, served.page() as page:
        assert moves_of(page.ask("open", id=id)) == ["", "b1"]


def test_games_without_moves_are_forgotten_at_the_start_and_where_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = "." * 5 + "XO" + ".." + "OX" + "." * 5
    made = [
        new_game("othello", {"size": 4}, None),
        *(game_from_pieces("othello", {"size": 4}, pieces, "white") for _ in "12"),
        game_from_records(New(ask=1, text="f5d6", keep=False)),
    ]
    store = Store(tmp_path / "games.sqlite")
    for changed, each in enumerate(made):
        kept = msgspec.structs.replace(each, changed=float(changed))
        store.put(row_of(kept, listed_game(kept, Boards()))).result()
    store.close()
    with serving(tmp_path) as served, served.page() as page:
        assert [each["id"] for each in page.ask("games")["games"]] == [made[2].id, made[1].id]
        monkeypatch.setattr("outflank.ui.web.games.game_store.MOST_GAMES", 2)
        game = page.play(page.new(options={"size": 4}), "b1")  # in the place of the older one
        assert [each["id"] for each in page.ask("games")["games"]] == [game["id"], made[2].id]
        why = page.refused("keep", text="f5d6\nf5f6", numbers=[1, 2])
        assert why == "1 of 2 games are saved: 2 games are kept, and no more: delete some"


def test_a_damaged_game_is_one_clear_line_and_the_others_are_there(tmp_path: Path) -> None:
    with serving(tmp_path) as served, served.page() as page:
        ids = [page.play(page.new(options={"size": 4}), "b1")["id"] for _ in range(3)]
    file = sqlite3.connect(tmp_path / "games.sqlite")
    file.execute("update games set kept = ?, listed = ? where id = ?", (b"{", b'{"id": 1}', ids[1]))
    file.commit()
    file.close()
    with serving(tmp_path) as served, served.page() as page:
        assert "damaged" in page.refused("open", id=ids[1])
        assert [each["id"] for each in page.ask("games")["games"]] == [ids[2], ids[0]]
        assert page.ask("open", id=ids[0])["kind"] == "game"
        assert page.ask("delete", id=ids[1])["kind"] == "gone"


def test_other_files_are_not_taken_for_games(tmp_path: Path) -> None:
    text = tmp_path / "text.sqlite"
    text.write_text("not a database, but something that somebody needs\n" * 100)
    with pytest.raises(OutflankError, match="cannot be used for games"):
        Store(text)
    assert text.read_text().startswith("not a database")
    foreign = tmp_path / "foreign.sqlite"
    file = sqlite3.connect(foreign)
    file.execute("create table theirs (x)")
    file.commit()
    with pytest.raises(OutflankError, match="another program's"):
        Store(foreign)
    file.execute("drop table theirs")
    file.close()
    Store(tmp_path / "ours.sqlite").close()
    file = sqlite3.connect(tmp_path / "ours.sqlite")
    file.execute("pragma user_version = 99")
    file.close()
    with pytest.raises(OutflankError, match="layout 99"):
        Store(tmp_path / "ours.sqlite")
    with pytest.raises(OutflankError, match=r"text\.sqlite"):
        Store(text / "below")
    with pytest.raises(OutflankError, match=tmp_path.name):
        Store(tmp_path)
    assert not [*tmp_path.glob(".*.lock"), *tmp_path.parent.glob(f".{tmp_path.name}.lock")]


def test_options_of_no_game_are_refused_whatever_they_are_called() -> None:
    for name in ("text", "game", "name", "colour"):
        with pytest.raises(OutflankError, match=f"unknown option '{name}'"):
            game_from_records(New(ask=1, text="f5", options={name: "x"}))
    assert game_from_records(New(ask=1, text="f5", options={"size": 8})).game == "othello"


def rights(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.glob("games*")}


OURS = {"games.sqlite": 0o600, "games.sqlite-wal": 0o600, "games.sqlite-shm": 0o600}


@pytest.mark.skipif(sys.platform == "win32", reason="modes say nothing there")
def test_games_are_readable_by_their_owner_alone(tmp_path: Path) -> None:
    path, before = tmp_path / "games.sqlite", os.umask(0o022)
    try:
        store = Store(path)
        made = rights(tmp_path)
        for name in made:
            (tmp_path / name).chmod(0o664)  # as an earlier version made them, and a killed server leaves them
        copies = {name: (tmp_path / name).read_bytes() for name in made}
        store.close()
        for name, content in copies.items():
            (tmp_path / name).write_bytes(content)
            (tmp_path / name).chmod(0o664)
        store = Store(path)
        narrowed = rights(tmp_path)
        store.close()
    finally:
        os.umask(before)
    assert made == narrowed == OURS


@pytest.mark.skipif(sys.platform == "win32", reason="modes say nothing there")
def test_the_rights_of_another_programs_file_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("create table notes (text)")
    other.close()
    path.chmod(0o644)
    with pytest.raises(OutflankError, match="another program's"):
        Store(path)
    assert rights(tmp_path) == {"games.sqlite": 0o644}


def test_rights_that_cannot_be_narrowed_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "games.sqlite").touch()
    (tmp_path / "games.sqlite").chmod(0o644)

    def refuse(path: object, mode: int) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr("os.chmod", refuse)
    Store(tmp_path / "games.sqlite").close()
    (line,) = capsys.readouterr().err.splitlines()
    assert "games.sqlite can be read by other users" in line


def test_one_server_keeps_games_in_a_file(tmp_path: Path) -> None:
    first = Store(tmp_path / "games.sqlite")
    with pytest.raises(OutflankError, match="another server"):
        Store(tmp_path / "games.sqlite")
    first.close()
    with pytest.raises(OutflankError, match="the server ends"):
        first.page(Games(ask=1)).result()
    Store(tmp_path / "games.sqlite").close()


def test_a_game_that_cannot_be_written_has_not_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path) as served, served.page() as page:
        game = page.play(page.new(), "f5")
        with monkeypatch.context() as broken:
            broken.setattr("outflank.ui.web.games.game_store.MOST_GAMES", 0)
            assert "no more" in page.refused("new", game="othello")
            monkeypatch.setattr(served.lobby.services.store, "put", _full)
            assert "disk is full" in page.refused("play", id=game["id"], node=1, move="d6")
        monkeypatch.undo()
        assert page.ask("open", id=game["id"])["node"] == 1
        other = page.play(game, "f4")  # another move than the one that failed
        assert (other["revision"], other["last"]["move"]) == (3, "f4")
        assert other["pieces"][24:32] == "...OOO.."


def test_a_computer_whose_move_cannot_be_kept_does_not_think_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(tmp_path) as served, served.page() as page:
        game = page.play(page.new(), "f5")
        puts = iter([served.lobby.services.store.put])  # one more
        monkeypatch.setattr(served.lobby.services.store, "put", lambda row: next(puts, _full)(row))
        assert page.ask("sit", id=game["id"], seats={"white": "random"})["thinking"] == "white"
        told = page.until(lambda message: message["kind"] == "game")
        assert (told["node"], told["thinking"]) == (1, None)
        assert "disk is full" in told["remark"]
        monkeypatch.undo()
        assert page.ask("open", id=game["id"])["thinking"] == "white"  # it is tried again
        assert page.until(lambda message: message["kind"] == "game")["node"] == 2
    assert "disk is full" in capsys.readouterr().err


def test_a_game_that_is_being_deleted_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def opened() -> None:
        lobby = Lobby(Settings(games=tmp_path / "games.sqlite", reports=tmp_path, workers=1))
        live_game = await lobby.begin_game(new_game("othello", {"size": 4}, None))
        close, opening = live_game.close, list[asyncio.Task[LiveGame]]()

        async def slowly() -> None:
            opening.append(asyncio.create_task(lobby.live_game(live_game.saved.id)))
            await asyncio.wait(opening, timeout=0.05)
            await close()

        monkeypatch.setattr(live_game, "close", slowly)
        await lobby.delete(live_game.saved.id)
        try:
            with pytest.raises(OutflankError, match="no such game"):
                await opening[0]
        finally:
            lobby.close()

    asyncio.run(opened())


def test_few_games_that_nobody_watches_stay_in_memory(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        with served.page() as page, served.page() as other:
            watched = page.new(options={"size": 4})
            seen = []
            for _ in range(MOST_UNWATCHED + 5):
                game = other.new(options={"size": 4})
                seen.append(other.ask("play", id=game["id"], node=0, move="b1"))
            served.until(lambda: len(served.lobby._recent) <= MOST_UNWATCHED + 2)
            assert watched["id"] in served.lobby._recent
            assert other.ask("open", id=seen[0]["id"])["nodes"] == seen[0]["nodes"]
        served.until(lambda: len(served.lobby._recent) <= MOST_UNWATCHED)
        assert seen[0]["id"] in served.lobby._recent  # the last that was left


def test_neither_who_asks_no_more_nor_what_fails_ends_the_thread_of_the_disk(tmp_path: Path) -> None:
    store = Store(tmp_path / "games.sqlite")
    begun, on = threading.Event(), threading.Event()

    def wait(file: object) -> None:
        begun.set()
        assert on.wait(60)

    first = store._submit(wait)
    assert begun.wait(60)
    given_up, wrong = store.page(Games(ask=1)), store._submit(lambda file: 1 // 0)
    assert given_up.cancel()
    on.set()
    first.result()
    with pytest.raises(ZeroDivisionError):
        wrong.result(60)
    assert store.page(Games(ask=1)).result(60) == ((), False)
    store.close()


def _full(row: object) -> Any:
    raise OutflankError("the disk is full")


def test_a_game_has_so_many_positions_and_no_more(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.ui.web.games.move_tree.MOST_NODES", 2)
    game = page.play(page.new(), "f5")
    assert "positions at most" in page.refused("play", id=game["id"], node=1, move="d6")


# --- puzzles and mistakes ---

PUZZLE = (
    b'{"schema":"outflank/puzzle/1","game":"othello","position":"--O-XOOOXXXOXXXO X","left":3,'
    b'"scores":{"d1":8,"a1":4,"b1":0},"line":"d1 b1 a1"}\n'
)


@pytest.fixture(scope="module")
def puzzling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("puzzles")
    (folder / "a.puzzles").write_bytes(PUZZLE)
    with serving(folder, puzzles=folder / "a.puzzles") as found:
        yield found


def attempt(page: Page, *moves: str) -> dict[str, Any]:
    """The position of the puzzle after these moves."""
    number = page.send("attempt", number=0, moves=list(moves))
    return page.until(lambda message: number in (message.get("of"), message.get("re")))


def test_moves_of_a_puzzle_are_judged(puzzling: Served) -> None:
    with puzzling.page() as page:
        (entry,) = page.ask("puzzles", day="2026-05-17")["puzzles"]
        assert [(move["move"], move["value_text"]) for move in entry["moves"]] == [
            ("d1", "+8"),
            ("a1", "+4"),
            ("b1", "+0"),
        ]
        assert (entry["options"]["size"], entry["line"], entry["left"]) == (4, ["d1", "b1", "a1"], 3)
        start = attempt(page)
        assert (start["right"], start["reply"], start["over"], start["board"]["turn"]) == (None, "", False, "black")
        assert len(start["board"]["legal"]) == 3
        right = attempt(page, "d1")
        assert (right["right"], right["value_text"], right["reply"], right["over"]) == (True, "+8 discs", "b1", False)
        assert right["board"]["last"]["to"] == "d1"
        replied = attempt(page, "d1", "b1")
        assert (replied["right"], replied["reply"], replied["over"]) == (None, "", False)
        assert attempt(page, "d1", "b1", "a1")["over"]
        wrong = attempt(page, "a1")
        assert (wrong["right"], wrong["value_text"], wrong["reply"], wrong["over"]) == (False, "+4 discs", "", True)
        assert attempt(page, "d4")["kind"] == "refused"
        assert "no puzzle number 7" in page.refused("attempt", number=7)
        assert "is no date" in page.refused("puzzles", day="2026-02-31")
        assert page.refused("puzzles", day="today")


def test_only_reviewed_moves_are_tried_again(page: Page) -> None:
    game = page.new(options={"size": 4}, text="b1 a1", game="othello")
    assert "no review" in page.refused("retry", id=game["id"], node=1, move="b1")


def test_a_game_begins_from_a_handicap_or_an_opening(page: Page) -> None:
    othello = next(game for game in page.welcome["games"] if game["name"] == "othello")
    starts = {start["name"]: start["text"] for start in othello["starts"]}
    assert len(othello["level_texts"]) == othello["levels"]
    game = page.new(text=starts["handicap: 4 corners for black"], seats={}, keep=False)
    assert (game["counts"], game["turn"], game["disposable"]) == ([6, 2], "white", True)
    assert {cell["name"] for cell, sign in zip(game["cells"], game["pieces"], strict=True) if sign == "X"} == {
        *("a1", "h8", "h1", "a8"),
        *("e4", "d5"),
    }
    assert len(page.new(text=starts["Rocket"], seats={}, keep=False)["nodes"]) == 6


def test_the_final_counts_give_the_winner_the_empty_squares(page: Page) -> None:
    assert page.new(text="-XXXXXXXXXXXXXX- X")["outcome"]["counts"] == [16, 0]
    discs = page.new(text="-XXXXXXXXXXXXXX- X", options={"scoring": "discs"})
    assert discs["outcome"]["counts"] == [14, 0]
    game = page.new("abalone")
    assert page.ask("resign", id=game["id"], side="white")["outcome"]["counts"] is None


# --- two people on two machines ---


def test_nobody_moves_for_another_while_two_people_play(served: Served) -> None:
    with served.page() as black, served.page() as white, served.page() as watcher:
        for number, page in enumerate((black, white)):
            assert page.ask("enter", secret=f"{number:032x}")["kind"] == "entered"
        game = black.new(options={"size": 4})
        assert game["owners"] == ["", ""]
        assert "no name" in watcher.refused("take", id=game["id"], side="black")
        taken = black.ask("take", id=game["id"], side="black")
        assert (taken["owners"], taken["guarded"], taken["disposable"]) == (["you", ""], True, False)
        assert white.ask("open", id=game["id"])["owners"] == ["other", ""]
        assert "another player's" in white.refused("take", id=game["id"], side="black")
        move = game["legal"][0]["move"]
        assert "another player's" in white.refused("play", id=game["id"], node=0, move=move)
        game = black.play(game, move)
        assert "nobody has taken" in black.refused("play", id=game["id"], node=game["node"], move=reply(game))
        assert white.ask("take", id=game["id"], side="white")["owners"] == ["other", "you"]
        for page in (black, watcher):
            assert "another player's" in page.refused("play", id=game["id"], node=game["node"], move=reply(game))
        game = white.play(white.ask("open", id=game["id"]), reply(game))
        # Nobody undoes, removes or changes anything alone.
        for page in (black, white, watcher):
            for kind, more in (("go", {}), ("prune", {}), ("promote", {}), ("sit", {"seats": {"black": "random"}})):
                fields = more if kind == "sit" else {"node": 1}
                assert "only if both agree" in page.refused(kind, id=game["id"], **fields)
            assert "only if both agree" in page.refused("delete", id=game["id"])
        assert "not yours" in watcher.refused("resign", id=game["id"], side="white")
        assert "not yours" in black.refused("resign", id=game["id"], side="white")
        # A move is taken back if both agree.
        assert "taken a seat" in watcher.refused("offer", id=game["id"], what="takeback")
        offered = white.ask("offer", id=game["id"], what="takeback")
        assert (offered["offer"], offered["offered_by"], offered["node"]) == ("takeback", "white", game["node"])
        assert black.ask("offer", id=game["id"], what="")["offer"] == ""
        assert "rematch begins after" in black.refused("offer", id=game["id"], what="rematch")
        white.ask("offer", id=game["id"], what="takeback")
        game = black.ask("offer", id=game["id"], what="takeback")
        assert (game["node"], game["turn"], game["offer"]) == (1, "white", "")
        # A rematch has exchanged seats, and all pages receive its id.
        assert white.ask("resign", id=game["id"], side="white")["outcome"]["winner"] == "black"
        black.ask("offer", id=game["id"], what="rematch")
        again = white.ask("offer", id=game["id"], what="rematch")["rematch"]
        assert watcher.until(lambda message: message.get("rematch"))["rematch"] == again
        assert white.ask("open", id=again)["owners"] == ["you", "other"]
        assert black.ask("open", id=again)["owners"] == ["other", "you"]
        # The first game is over: everybody can look at its positions.
        first = watcher.ask("go", id=game["id"], node=0)
        assert (first["node"], first["guarded"]) == (0, False)


def reply(game: dict[str, Any]) -> str:
    """A legal move of a game."""
    return str(game["legal"][0]["move"])


def test_seats_belong_to_a_browser_and_not_to_a_connection(served: Served) -> None:
    with served.page() as first:
        first.ask("enter", secret="a" * 32)
        game = first.new()
        first.ask("take", id=game["id"], side="black")
    with served.page() as second:
        second.ask("enter", secret="a" * 32)
        assert second.ask("open", id=game["id"])["owners"] == ["you", ""]
        left = second.ask("take", id=game["id"], side="black", leave=True)
        assert left["owners"] == ["", ""]
        assert second.play(left, "f5")["turn"] == "white"
        assert "random" in second.refused("take", id=second.new(seats={"white": "random"})["id"], side="white")
