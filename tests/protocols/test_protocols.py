"""The protocols: what is answered to the letter, what is heard while a search runs, and programs that misbehave."""

import io
import os
import random
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import outflank
from outflank import AbaloneBoard, Board, Limits, OthelloBoard, Side, iterate, search
from outflank.games.evaluation import evaluation_named, scale_of
from outflank.players.clock import Clock
from outflank.players.computer import Computer
from outflank.players.player import Choice, Player
from outflank.players.specs import First, Random
from outflank.protocols import listening
from outflank.protocols.gtp_server import GtpClock, GtpEngine
from outflank.protocols.listening import lines_of
from outflank.protocols.nboard_server import NBoardEngine
from outflank.search.request import Stop
from outflank.search.results import MoveValue, Result
from tests.conftest import examples
from tests.foreground import HEEDING
from tests.process_players import Patient

FOREVER = 30.0
"""Seconds after which a test that waits has failed."""

ENGINE = [sys.executable, "-m", "outflank", "engine"]


def gtp(text: str, make: Callable[[Board], Player] | None = None, **options: Any) -> str:
    output = io.StringIO()
    GtpEngine(make or (lambda board: First()), **options).run(io.StringIO(text, newline="\n"), output)
    return output.getvalue()


def nboard(text: str, make: Callable[[Board, int | None], Player] | None = None, **options: Any) -> str:
    output = io.StringIO()
    NBoardEngine(make or (lambda board, depth: First()), **options).run(io.StringIO(text, newline="\n"), output)
    return output.getvalue()


def script(dialogue: str) -> tuple[str, str]:
    """What is said, on the lines that start with `> `, and what is answered, on the others."""
    lines = textwrap.dedent(dialogue).lstrip("\n").splitlines()
    said = [line[2:] for line in lines if line.startswith("> ")]
    return "\n".join(said) + "\n", "".join(line + "\n" for line in lines if not line.startswith("> "))


class Dialogue:
    """A loop in a thread, spoken to as its controller would."""

    def __init__(self, engine: GtpEngine | NBoardEngine) -> None:
        self._said: SimpleQueue[str | None] = SimpleQueue()
        self._heard: SimpleQueue[str] = SimpleQueue()
        self._thread = threading.Thread(target=engine.run, args=(iter(self._said.get, None), self))
        self._thread.start()

    def write(self, text: str) -> None:
        for line in text.splitlines():
            self._heard.put(line)

    def flush(self) -> None:
        pass

    def send(self, line: str) -> None:
        self._said.put(line)

    def hear(self, wanted: str) -> list[str]:
        """The lines up to the first that starts so."""
        lines = [self._heard.get(timeout=FOREVER)]
        while not lines[-1].startswith(wanted):
            lines.append(self._heard.get(timeout=FOREVER))
        return lines

    def leave(self) -> None:
        self._said.put(None)
        self._thread.join(FOREVER)
        assert not self._thread.is_alive()


def must_pass() -> OthelloBoard:
    """A game on the small board that has come to where one side can only pass."""
    chance = random.Random(1)
    while True:
        board = OthelloBoard.start(4)
        while board.legal_moves:
            if board.legal_moves[0].is_pass:
                return board
            board.push(chance.choice(board.legal_moves))


# --- GTP ---


def test_a_gtp_dialogue_is_answered_to_the_letter() -> None:
    said, answered = script(
        f"""
        > 1 protocol_version
        =1 2

        > 2 name
        =2 outflank

        > version
        = {outflank.__version__}

        > 3 known_command genmove
        =3 true

        > 4 known_command gen_move
        =4 false

        > 5 gen_move black
        ?5 unknown command

        > # a remark, and an empty line
        > \t
        > boardsize 8
        =

        > clear_board
        =

        > komi 6.5
        =

        > 6 play black F5
        =6

        > 7 play W d6
        =7

        > 8 play white c3
        ?8 illegal move

        > 9 play black f5
        ?9 illegal move

        > 10 play black z9
        ?10 illegal move

        > 11 play green c3
        ?11 syntax error

        > 12 play black
        ?12 syntax error

        > 13 showboard
        =13
          a b c d e f g h
        1 . . . . . . . .
        2 . . . . . . . .
        3 . . * . . . . .
        4 . . * O X . . .
        5 . . * O X X . .
        6 . . * O . . . .
        7 . . * . . . . .
        8 . . . . . . . .
        black to move

        > 14 genmove white
        ?14 it is black's turn

        > 15 genmove b
        =15 C3

        > reg_genmove white
        = D3

        > 16 genmove white # is the same: it was not played before
        =16 D3

        > final_score
        ? cannot score

        > 17 undo
        =17

        > 18 undo
        =18

        > 19 undo
        =19

        > 20 undo
        =20

        > 21 undo
        ?21 cannot undo

        > 22 boardsize 7
        ?22 unacceptable size

        > 23 boardsize 4
        =23

        > 24 showboard
        =24
          a b c d
        1 . * . .
        2 * O X .
        3 . X O *
        4 . . * .
        black to move

        > 25 time_settings 60 0 0
        =25

        > 26 time_settings sixty
        ?26 syntax error

        > 27 time_left black 59 0
        =27

        > 28 list_games
        =28 Othello
        Abalone

        > 29 set_game Chess
        ?29 unsupported game

        > 30 set_game Abalone
        =30

        > 31 boardsize 8
        ?31 unacceptable size

        > 32 play black a1b2
        =32

        > 33 play white I9H8
        =33

        > 34 play black e5e6
        ?34 illegal move

        > 35 genmove black
        =35 C3C4

        > 36 undo
        =36

        > 37 showboard
        =37
            I O O O O .
           H O O O O O O
          G . . O O O . .
         F . . . . O . . .
        E . . . . . . . . .
         D . . . X . . . . 9
          C . . X X X . . 8
           B X X X X X X 7
            A . X X X X 6
               1 2 3 4 5
        black to move

        > 38 outflank-stop
        =38

        > 39 quit
        =39

        > 40 name
        """
    )
    assert gtp(said) == answered


def test_gtp_reads_control_characters_as_it_is_told_to() -> None:
    assert gtp("7\tna\x00me\r\n\x01\x7f\n name # 8 version\nname\n007 name\n") == (
        "=7 outflank\n\n= outflank\n\n= outflank\n\n=007 outflank\n\n"
    )
    assert gtp("7\n7x name\n-7 name\n") == "?7 unknown command\n\n" + 2 * "? unknown command\n\n"


def test_gtp_commands_are_those_it_lists() -> None:
    wanted = (
        "protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove "
        "reg_genmove undo time_settings time_left showboard final_score set_game list_games loadsgf loadposition"
    )
    listed = gtp("list_commands\n")[2:].split()
    assert set(wanted.split()) <= set(listed)
    assert gtp("".join(f"known_command {name}\n" for name in listed)) == "= true\n\n" * len(listed)


def test_a_whole_game_of_othello_over_gtp() -> None:
    """Passes are moves; when the game is over both sides pass, and what they say can be undone."""
    engine, board = GtpEngine(lambda board: First()), must_pass()
    engine.answer("boardsize 4")
    for place, move in enumerate(board.moves):
        assert engine.answer(f"play {'bw'[place % 2]} {move}") == "=\n\n"
    while not board.is_game_over:
        move = board.legal_moves[0]
        text = "pass" if move.is_pass else str(move).upper()
        assert engine.answer(f"genmove {board.turn}") == f"= {text}\n\n"
        board.push(move)
    asked = len(board.moves)
    outcome = board.outcome()
    assert outcome is not None
    assert outcome.winner is not None
    score = f"{outcome.winner.value[0].upper()}+{abs(outcome.score)}"
    assert engine.answer("final_score") == f"= {score}\n\n"
    assert engine.answer("genmove white") == "= pass\n\n"
    assert engine.answer("play black pass") == "=\n\n"
    assert engine.answer("play black a1") == "? illegal move\n\n"
    assert [engine.answer("undo") for _ in range(asked + 2)] == ["=\n\n"] * (asked + 2)
    assert engine.answer("undo") == "? cannot undo\n\n"


def test_passes_may_be_left_out_in_gtp() -> None:
    board = must_pass()
    engine = GtpEngine(lambda board: First())
    engine.answer("boardsize 4")
    for place, move in enumerate(board.moves):
        assert engine.answer(f"play {'bw'[place % 2]} {move}") == "=\n\n"
    before = engine.answer("showboard")
    mover = board.turn.other
    assert engine.answer(f"play {mover} a9") == "? illegal move\n\n"
    assert engine.answer("showboard") == before
    board.push("pass")
    first = str(board.legal_moves[0])
    assert engine.answer(f"reg_genmove {mover}") == f"= {first.upper()}\n\n"
    assert engine.answer("showboard") == before
    for command in (f"play {mover} {first}", f"genmove {mover}"):
        assert str(engine.answer(command)).startswith("=")
        assert engine.answer("showboard") != before
        assert engine.answer("undo") == "=\n\n"
        assert engine.answer("showboard") == before


def test_gtp_loads_games_and_positions(tmp_path) -> None:
    game, position = tmp_path / "a game.sgf", tmp_path / "layout"
    game.write_text("(;FF[4]GM[2]SZ[8];B[f5];W[d6];B[c3];W[d3])")
    position.write_text(AbaloneBoard.start("belgian-daisy").to_position_file())
    engine = GtpEngine(lambda board: First())
    assert engine.answer(f"loadsgf {game}") == "=\n\n"
    assert engine.answer("genmove black") == f"= {str(Board.from_text('f5d6c3d3').legal_moves[0]).upper()}\n\n"
    assert [engine.answer("undo") for _ in range(6)] == ["=\n\n"] * 5 + ["? cannot undo\n\n"]
    assert engine.answer(f"loadsgf {game} 3") == "=\n\n"
    assert engine.answer("genmove black") == "= C3\n\n"
    assert engine.answer(f"loadsgf {tmp_path / 'none'}") == "? cannot load file (No such file or directory)\n\n"
    assert str(engine.answer(f"loadsgf {position}")).startswith("? cannot load file (")
    (tmp_path / "long").write_text(game.read_text() + " " * (1 << 20))
    assert engine.answer(f"loadsgf {tmp_path / 'long'}") == "? cannot load file (larger than 1,048,576 bytes)\n\n"
    assert engine.answer("loadsgf") == "? syntax error\n\n"
    assert engine.answer("set_game abalone") == "=\n\n"
    assert str(engine.answer(f"loadsgf {game}")).startswith("? cannot load file (")
    assert engine.answer(f"loadposition {position}") == "=\n\n"
    shown = engine.answer("showboard")
    assert engine.answer("set_game Abalone belgian-daisy") == "=\n\n"
    assert engine.answer("showboard") == shown
    assert str(engine.answer("set_game Abalone nowhere")).startswith("? unknown layout 'nowhere'")
    assert engine.answer("clear_board") == "=\n\n"
    assert engine.answer("showboard") == shown


def test_a_player_for_each_game_and_no_other() -> None:
    made: list[Any] = []

    def make(board: Board) -> Player:
        made.append(board.game)
        return First()

    gtp(
        "genmove b\ngenmove w\nclear_board\nboardsize 6\ngenmove b\nundo\ngenmove b\nset_game abalone\ngenmove b\n",
        make,
    )
    assert made == [OthelloBoard.start().game, OthelloBoard.start(6).game, AbaloneBoard.start().game]


def test_whatever_a_player_does_is_answered() -> None:
    class Broken(First):
        def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
            raise RuntimeError("no\n\nidea")

    assert gtp("1 genmove b\n2 name\n", lambda board: Broken()) == (
        "?1 internal error: RuntimeError no idea\n\n=2 outflank\n\n"
    )
    lines = nboard("go\nping 1\n", lambda board, depth: Broken()).splitlines()
    assert lines[-2:] == ["status internal error: RuntimeError no idea", "pong 1"]


def test_a_gtp_clock() -> None:
    clock = GtpClock()
    assert clock.of(Side.BLACK) == Clock()
    for unlimited in ((0, 1, 0), (0, 0, 0), (60, 30, 0)):
        clock.set(*unlimited)
        assert clock.of(Side.BLACK).move_seconds is None
    clock.set(60, 0, 0)
    clock.spend(Side.BLACK, 20)
    assert (clock.of(Side.BLACK).left_seconds, clock.of(Side.BLACK).opponent_seconds) == (40, 60)
    clock.spend(Side.BLACK, 50)
    assert clock.of(Side.BLACK).left_seconds == 0
    clock.restart()
    assert clock.of(Side.BLACK).left_seconds == 60
    clock.set(0, 30, 10)
    assert clock.of(Side.WHITE).move_seconds == 3
    for _ in range(9):
        clock.spend(Side.WHITE, 1)
    assert clock.of(Side.WHITE).move_seconds == 21
    clock.spend(Side.WHITE, 21)
    assert clock.of(Side.WHITE).move_seconds == 3
    clock.set(10, 30, 10)
    assert clock.of(Side.WHITE).control.increment_seconds == 3
    clock.spend(Side.WHITE, 12)
    assert clock.of(Side.WHITE).move_seconds == 3


def test_a_player_is_shown_the_clock() -> None:
    seen: list[Clock] = []

    class Watcher(First):
        def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
            seen.append(clock)
            return Choice(move=board.legal_moves[0])

    commands = "genmove b", "time_settings 60 0 0", "time_left w 7 0", "genmove w", "time_left b 9 3", "genmove b"
    gtp("\n".join(commands) + "\n", lambda board: Watcher())
    assert [clock.move_seconds for clock in seen] == [None, 7, 3]


# --- NBoard ---

START = "(;GM[Othello]PC[x]DT[2020]PB[a]PW[b]RE[?]TI[15:00]TY[8]BO[8 {cells} *]{moves};)"
EMPTY = "---------------------------O*------*O---------------------------"


def ggf(moves: str = "") -> str:
    return START.format(cells=EMPTY, moves=moves)


def test_an_nboard_dialogue_is_answered_to_the_letter() -> None:
    said, answered = script(
        f"""
        > nboard 2
        set myname outflank
        > set depth 3
        > set contempt 0
        > set game {ggf("B[F5]W[D6/1.5/2]B[C3]")}
        > frobnicate the board
        > ping 1
        pong 1
        > move D3/0.50/1.25
        > move c4
        > learn
        learned
        > ping -7
        pong -7
        > ping
        > ping 1 2
        > move a1
        status 'a1' is not a legal move here (legal: b3 f3 f4 b5 g5 g6)
        > move
        status '' is not a move: expected a square, a1 to h8, or pass
        > set depth deep
        status 'deep': a number is expected
        > set game (;GM[Othello];)
        status GGF, column 1: expected the board, BO[8 …], found '(' in '(;GM[Othello];)'
        > set
        > ping 3
        pong 3
        > quit
        > ping 4
        """
    )
    assert nboard(said) == answered


def test_nboard_names_a_move() -> None:
    @dataclass(slots=True)
    class Sure(First):
        value: float | None = None
        exact: bool = False

        def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
            scale = scale_of(board.game, evaluation_named(board.game, "phased"))
            return Choice(move=board.legal_moves[0], value=self.value, scale=scale, nodes=5, depth=2, exact=self.exact)

    def asked(text: str, **options: Any) -> list[str]:
        """The answers, with ``T`` for the time that it took."""
        heard = nboard(text, lambda board, depth: Sure(**options))
        return re.sub(r"(?<=[ /])\d+\.\d\d$", "T", heard, flags=re.MULTILINE).splitlines()

    first = ["status outflank is thinking", "nodestats 5 T"]
    assert asked("go\n", value=37) == [*first, "=== D3/3.70/T", "status"]
    assert asked("go\n") == [*first, "=== D3//T", "status"]
    assert asked("go\n", value=-20_008) == [*first, "=== D3/-8.00/T", "status"]
    assert asked("go\n", value=20_006, exact=True) == [*first, "=== D3/6.00/T", "status"]
    assert asked("go\ngo\n")[2::4] == ["=== D3//T"] * 2, "the move is not made"
    # White has no move, then neither side has one.
    cornered = START.replace(" *]", " O]").format(cells="*" * 62 + "O-", moves="{moves}")
    assert asked(f"set game {cornered.format(moves='')}\ngo\n")[-2] == "=== PA//T"
    assert asked(f"set game {cornered.format(moves='W[PA]')}\ngo\n")[-2] == "=== H8//T"
    over = "set game " + START.format(cells="*" * 63 + "-", moves="") + "\ngo\nhint 1\n"
    assert asked(over) == ["=== PA"]


def test_nboard_gives_the_depth_to_its_player() -> None:
    made: list[int | None] = []

    def make(board: Board, depth: int | None) -> Player:
        made.append(depth)
        return First()

    nboard("nboard 2\nset depth 7\ngo\ngo\nset depth 99\ngo\n", make)
    assert made == [None, 7, 60]


def test_passes_may_be_left_out_in_nboard() -> None:
    board = must_pass()
    board.push("pass")
    board.push(board.legal_moves[0])
    cells = OthelloBoard.start(4).to_text().replace("X", "*")
    begin = f"set game (;GM[Othello]BO[4 {cells}];)\n"
    moves = "".join(f"move {move}\n" for move in board.moves if not move.is_pass)
    first = board.legal_moves[0]
    assert (
        nboard(begin + moves + "go\n").splitlines()[-2].startswith(f"=== {str(first).upper().replace('PASS', 'PA')}/")
    )


def test_nboard_hints_are_what_the_search_found() -> None:
    board = Board.from_text("f5d6c3d3c4")
    lines = nboard(f"set depth 2\nset game {ggf('B[F5]W[D6]B[C3]W[D3]B[C4]')}\nhint 3\n", workers=1).splitlines()
    results = [result for result in iterate(board, Limits(depth=2), moves=3, workers=1) if not result.stopped]
    wanted = ["status outflank is analyzing"]
    for result in results:
        for entry in result.best:
            line = "".join(map(str, result.pv)) if entry.move == result.move else str(entry.move)
            wanted.append(f"search {line.upper()} {entry.value / 128:.2f} 0 {result.depth} {result.nodes} nodes")
        wanted.append(f"nodestats {result.nodes}")
    assert [line.rsplit(" ", 1)[0] if line.startswith("nodes") else line for line in lines] == [*wanted, "status"]
    assert len(results) == 2
    assert len(wanted) == 9


def test_nboard_analyses_a_game_from_its_end() -> None:
    lines = nboard(f"set depth 1\nset game {ggf('B[F5]W[D6]')}\nanalyze\n", workers=1).splitlines()
    wanted = []
    for moves in ("f5d6", "f5", ""):
        board = Board.from_text(moves) if moves else OthelloBoard.start()
        value = list(iterate(board, Limits(depth=1), workers=1))[-1].value
        wanted.append(f"analysis {len(board.moves)} {value / 128:.2f}")
    assert lines == ["status outflank is analyzing the game", *wanted, "status"]


def test_values_are_exact_at_the_end() -> None:
    # h8 wins everything: one empty square, black to move.
    lines = nboard(f"set game {START.format(cells='*' * 62 + 'O-', moves='')}\nhint 1\nmove H8\nanalyze\n", workers=1)
    assert "search H8 64.00 0 100% 4 nodes" in lines.splitlines()
    assert [line for line in lines.splitlines() if line.startswith("analysis")] == [
        "analysis 1 -64.00",
        "analysis 0 64.00",
    ]


@pytest.mark.interpreted_only
def test_nboard_tells_its_player_the_time_that_is_left() -> None:
    seen: list[Clock] = []

    class Watcher(First):
        def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
            seen.append(clock)
            return Choice(move=board.legal_moves[0])

    def timed(clock: str, moves: str = "") -> str:
        return f"set game {ggf(moves).replace('TI[15:00]', clock)}\n"

    said = [
        "go\n",
        timed("TI[00:10]", "B[F5//4]W[D6/1/2.5]B[C3/1]") + "go\nmove D3/0.5/3\nmove C4//1\ngo\n",
        timed("TI[01:00/00:05/02:00]", "B[F5//4]") + "move D6//70\nmove C3//0:10\ngo\n",
        *(timed(clock) + "go\n" for clock in ("TI[1:00:00//02:00]", "TI[3]", "TI[0]", "TI[00:00]", "TI[soon]", "")),
    ]
    nboard("".join(said), lambda board, depth: Watcher())
    assert [clock.left_seconds for clock in seen] == [None, 7.5, 4.5, 0, 3600, 3, None, None, None, None]
    assert (seen[1].opponent_seconds, seen[2].opponent_seconds, seen[3].opponent_seconds) == (6, 5, 56)
    assert seen[3].control.increment_seconds == 5


@pytest.mark.compiled
def test_nboard_moves_before_its_time_is_up() -> None:
    """However deep it was told to search."""
    Computer(OthelloBoard.start().game, depth=40, workers=1).new_game(OthelloBoard.start())  # compiled, however long
    dialogue = Dialogue(NBoardEngine(lambda board, depth: Computer(board.game, depth=depth, workers=1), workers=1))
    for line in ("nboard 2", "set depth 40", f"set game {ggf('B[F5]W[D6]').replace('15:00', '00:03')}", "ping 1"):
        dialogue.send(line)
    dialogue.hear("pong 1")
    dialogue.send("go")
    assert float(dialogue.hear("===")[-1].split("/")[-1]) < 2.5
    dialogue.leave()


# --- heard while a search runs ---


def test_ping_ends_a_search_and_is_answered_after_it() -> None:
    dialogue = Dialogue(NBoardEngine(lambda board, depth: Patient()))
    dialogue.send("go")
    assert dialogue.hear("status") == ["status outflank is thinking"]
    dialogue.send("ping 5")
    heard = dialogue.hear("pong")
    assert [line.split("/")[0] for line in heard] == [
        f"nodestats 7 {heard[0].split()[-1]}",
        "=== E6",
        "status",
        "pong 5",
    ]
    dialogue.send("go")
    dialogue.send("ping 6")  # before the search has begun, or just after
    assert dialogue.hear("pong")[-1] == "pong 6"
    dialogue.leave()


def test_a_gtp_search_can_be_stopped() -> None:
    dialogue = Dialogue(GtpEngine(lambda board: Patient()))
    dialogue.send("1 genmove black")
    dialogue.send("2 name")  # waits for its turn
    dialogue.send("3 outflank-stop")
    assert dialogue.hear("=3") == ["=1 E6", "", "=2 outflank", "", "=3"]
    dialogue.send("4 genmove white")
    time.sleep(0.05)
    dialogue.send("5 outflank-stop")
    assert dialogue.hear("=5")[1][:2] == "=4"
    dialogue.leave()


@pytest.mark.parametrize("end", ["", "quit"])
def test_the_end_of_the_input_ends_a_search_soon(end, monkeypatch) -> None:
    monkeypatch.setattr(listening, "PARTING_SECONDS", 0.05)
    assert gtp(f"1 genmove black\n2 name\n{end}", lambda board: Patient()).startswith("=1 E6\n\n=2 outflank\n\n")
    assert "=== E6/" in nboard(f"go\n{end}", lambda board, depth: Patient())


def test_a_loop_can_be_ended_from_outside() -> None:
    engine = GtpEngine(lambda board: Patient())
    dialogue = Dialogue(engine)
    dialogue.send("1 genmove black")
    time.sleep(0.05)
    engine.stop()
    assert dialogue.hear("=1") == ["=1 E6"]
    dialogue.leave()


@pytest.mark.compiled
def test_ping_ends_a_deep_search() -> None:
    dialogue = Dialogue(NBoardEngine(lambda board, depth: Computer(board.game, depth=depth, workers=1), workers=1))
    for line in ("nboard 2", "set depth 60", "ping 1"):
        dialogue.send(line)
    dialogue.hear("pong 1")
    for number, command in enumerate(("go", "hint 4", "analyze"), 2):
        dialogue.send(command)
        dialogue.hear("status")
        time.sleep(0.3)
        dialogue.send(f"ping {number}")  # without it depth 60 is never reached
        dialogue.hear("pong")
    dialogue.leave()


# --- whatever comes ---


def garbage(seed: int, words: list[str], lines: int = 10_000) -> Iterator[bytes]:
    """Lines of any bytes, and commands with anything behind them."""
    chance = random.Random(seed)
    for _ in range(lines):
        noise = chance.randbytes(chance.choice((0, 1, 3, 10, 40))).replace(b"\n", b"\r")
        kind = chance.random()
        if kind < 0.4:
            yield noise
        else:
            line = chance.choice(words).encode()
            yield line if kind < 0.7 else line + chance.choice((b" ", b"\t", b"")) + noise


def read_back(tmp_path, lines: Iterator[bytes], last: str) -> Iterator[str]:
    path = tmp_path / "lines"
    path.write_bytes(b"\n".join(lines) + b"\n" + last.encode())
    with path.open("rb") as stream:
        yield from lines_of(stream.fileno())


@pytest.mark.interpreted_only
def test_ten_thousand_lines_of_anything_leave_gtp_in_step(tmp_path) -> None:
    engine, output = GtpEngine(lambda board: Random()), io.StringIO()
    numbers = [f"{number} " for number in range(5)] + [""] * 3
    chance = random.Random(3)
    tails = ["", "b", "w", "black f5", "white d6", "b pass", "8", "60 0 0", "b 3 1", "Abalone", "b a1b2"]
    words = [
        f"{number}{name} {chance.choice(tails)}"
        for number in numbers
        for name in sorted(engine.commands)
        if name != "quit"
    ]
    engine.run(read_back(tmp_path, garbage(1, words), "42 name"), output)
    text = output.getvalue()
    assert text.endswith("\n\n=42 outflank\n\n")
    answers = text[:-2].split("\n\n")
    assert all(answer[0] in "=?" for answer in answers)
    assert len(answers) > 4_000
    assert "internal error" not in text


def test_ten_thousand_lines_of_anything_leave_nboard_in_step(tmp_path, monkeypatch) -> None:
    def found(board: Board, *rest: Any, **options: Any) -> Iterator[Result]:
        move = next(iter(board.legal_moves), None)
        best = (MoveValue(move=move, value=3),) if move else ()
        yield Result(value=3, move=move, pv=(), depth=1, nodes=1, leaves=1, seconds=0.0, exact=False, best=best)

    monkeypatch.setattr("outflank.protocols.nboard_server.iterate", found)
    engine, output = NBoardEngine(lambda board, depth: Random()), io.StringIO()
    words = [
        "go",
        "hint 3",
        "hint",
        "learn",
        "set depth 5",
        "set contempt 3",
        "move f5",
        "move d6/1/2",
        "move",
        "ping 3",
    ]
    words += [f"set game {ggf()}", f"set game {ggf('B[F5]')}", "nboard 2", "set", "analyze"]
    engine.run(read_back(tmp_path, garbage(2, words), "ping 77"), output)
    lines = output.getvalue().splitlines()
    assert lines[-1] == "pong 77"
    known = {"set", "status", "search", "analysis", "nodestats", "===", "pong", "learned"}
    assert {line.split()[0] for line in lines} <= known
    assert not any("internal error" in line for line in lines)


@examples(200)
@given(st.lists(st.text(max_size=30), max_size=20))
def test_any_text_leaves_both_in_step(lines) -> None:
    text = "\n".join(lines).replace("quit", "quiet") + "\n"
    assert gtp(text + "42 name\n").endswith("=42 outflank\n\n")
    assert nboard(text + "ping 77\n").endswith("pong 77\n")


@pytest.mark.interpreted_only
@pytest.mark.parametrize("sign", ["x", "é", "\x00"])
def test_a_line_without_an_end_is_refused_and_the_next_one_answered(sign) -> None:
    """Bounded in memory and time, whatever it is made of; even one that begins like a command is none."""
    longest = sign * (1 << 22)
    text = f"1 name\n7 quit {longest}\nping 5 {longest}\n8 name\nping 6\n"
    for engine, wanted in (
        (
            GtpEngine(lambda board: First()),
            "=1 outflank\n\n?7 a line of more than 65536 characters\n\n? a line of more than 65536 characters\n\n"
            "=8 outflank\n\n? unknown command\n\n",
        ),
        (NBoardEngine(lambda *of: First()), "status a line of more than 65536 characters\n" * 2 + "pong 6\n"),
    ):
        receiving, sending = os.pipe()
        output = io.StringIO()
        writer = threading.Thread(target=_pour, args=(sending, text.encode()))
        writer.start()
        engine.run(lines_of(receiving), output)
        writer.join(FOREVER)
        os.close(receiving)
        assert output.getvalue() == wanted


def _pour(descriptor: int, data: bytes) -> None:
    with open(descriptor, "wb") as stream:
        stream.write(data)


@pytest.mark.interpreted_only
def test_what_is_kept_of_a_line_without_an_end_is_bounded(monkeypatch) -> None:
    chunks = [b"8 name\n9 na", *[b"x" * (1 << 16)] * 100, b"\n10 name", b""]
    monkeypatch.setattr(listening.os, "read", lambda descriptor, most: chunks.pop(0))
    lines = list(lines_of(0))
    assert [(line[:4], len(line)) for line in lines] == [("8 na", 6), ("9 na", listening.LONGEST + 1), ("10 n", 7)]


# --- the command line ---


def started(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", HEEDING, "engine", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow(2)
@pytest.mark.interpreted_only
def test_the_command_answers_and_leaves() -> None:
    done = subprocess.run([*ENGINE, "gtp"], input="1 name\n2 boardsize 6\n", capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "=1 outflank\n\n=2\n\n", "")
    done = subprocess.run([*ENGINE, "nboard", "--game", "abalone"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    done = subprocess.run([*ENGINE, "gtp", "--level", "99"], input="", capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "outflank: level=99: 1 to 60\n")


@pytest.mark.compiled
@pytest.mark.parametrize("how", ["end", "interrupt"])
def test_the_command_leaves_in_the_middle_of_a_search(how) -> None:
    search(OthelloBoard.start(), Limits(depth=1), workers=1)  # compiled: what is compiling does not hear of an end
    process = started("gtp", "--depth", "60", "--workers", "1")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("1 clear_board\n2 genmove black\n")
    process.stdin.flush()
    assert process.stdout.readline() == "=1\n"
    time.sleep(0.3)
    if how == "interrupt":
        process.send_signal(signal.SIGINT)
        assert process.wait(FOREVER) == 130  # its input is still open
    out, err = process.communicate(timeout=FOREVER)
    assert process.returncode == (130 if how == "interrupt" else 0)
    assert out.split()[0] == "=2"
    assert err == ""


@pytest.mark.interpreted_only
def test_a_broken_pipe_ends_it_quietly() -> None:
    process = started("gtp")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    process.stdin.write("1 name\n2 name\n")
    process.stdin.flush()
    assert process.wait(FOREVER) == 0  # its input is still open
    assert process.communicate()[1] == ""


@pytest.mark.interpreted_only
@pytest.mark.parametrize("number", ["²", "٨", "8.0", "--8", "9" * 5000, "nan", "1e400"])
def test_numbers_of_protocols_are_those_that_everybody_writes(number):
    assert gtp(f"boardsize {number}\n") == "? syntax error\n\n"
    assert gtp(f"time_left b 1 {number}\n") == "? syntax error\n\n"
    assert "a number is expected" in nboard(f"set depth {number}\n")
