"""A game at the terminal: keys, completion, the clock, the sign of thinking, and what is left when it ends."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from outflank import AbaloneBoard, OthelloBoard, Side
from outflank.errors import OutflankError
from outflank.players.clock import Clocks, TimeControl
from outflank.players.player import Choice
from outflank.search.request import Stop
from outflank.ui.cli.playing import play_session
from outflank.ui.cli.playing.front_end import Leave, OutOfTime, Ticking
from outflank.ui.cli.playing.play_command import _with_level
from outflank.ui.cli.playing.play_session import PlaySession
from outflank.ui.cli.playing.terminal_front_end import Terminal, Words, _toolbar

pytestmark = pytest.mark.interpreted_only  # what is tested is Python; the rules may as well be interpreted

CLEAR = "\x1b[H\x1b[2J"


class Screen:
    """A terminal of 80 columns and the keys that are pressed."""

    def __init__(self, keys, **environment) -> None:
        self.file = io.StringIO()
        terminal = {"TERM": "xterm-256color", "NO_COLOR": "1", **environment}
        console = Console(
            file=self.file, force_terminal=True, width=80, highlight=False, markup=False, _environ=terminal
        )
        self.front = Terminal(console, keyboard=keys, screen=DummyOutput())

    @property
    def pages(self) -> list[str]:
        """What stood on the screen, one after the other."""
        return self.file.getvalue().split(CLEAR)[1:]


@pytest.fixture
def keys():
    with create_pipe_input() as pipe:
        yield pipe


def play(keys, pressed: str, *, board=None, black="human", white="first", clock="none", **environment):
    keys.send_text(pressed)
    screen = Screen(keys, **environment)
    seats = {Side.BLACK: black, Side.WHITE: white}
    game = PlaySession(board or OthelloBoard.start(), seats, TimeControl.parse(clock), screen.front)
    assert game.play() == 0
    return game, screen


def ask(keys, pressed: str, words=("d3", "c4", "moves", "save"), ticking=None) -> str:
    keys.send_text(pressed)
    return Screen(keys).front.ask("> ", words, ticking)


# --- keys ---


def completed(text: str) -> list[str]:
    found = Words(("d3", "c4", "moves", "save")).get_completions(Document(text, len(text)), CompleteEvent())
    return [each.text for each in found]


def test_lines_are_edited_and_completed(keys, tmp_path, monkeypatch):
    assert ask(keys, "dd3\x1b[D\x1b[D\x7f\x1b[C\r") == "d3"  # left, left, rub out, right
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mygame.ggf").touch()
    assert completed("mo") == ["moves"]
    assert completed("C") == ["c4"]
    assert completed("save my") == ["game.ggf"]
    assert completed("sa") == ["save "], "a file's name follows"
    assert completed("moves x") == []
    with pytest.raises(Leave):
        ask(keys, "\x04")
    with pytest.raises(KeyboardInterrupt):
        ask(keys, "\x03")
    assert ask(keys, "f5\x03d3\r") == "d3", "Ctrl-C clears what is half typed"


def test_lines_come_back_from_history(keys):
    front = Screen(keys).front
    keys.send_text("moves\r")
    assert front.ask("> ", (), None) == "moves"
    keys.send_text("\x1b[A\r")
    assert front.ask("> ", (), None) == "moves"


@pytest.mark.parametrize("start", [OthelloBoard.start, AbaloneBoard.start])
def test_both_games_are_played_with_help_and_advice(keys, monkeypatch, start):
    monkeypatch.setattr(play_session, "HINT_SECONDS", 0.02)
    board = start()
    first, unit = str(board.legal_moves[1]), "discs" if isinstance(board, OthelloBoard) else "marbles"
    game, screen = play(keys, f"?\rmoves\rhint\rnonsense\r{first}\rquit\r", board=board)
    pages = screen.pages
    assert "a move in any notation" in pages[1]
    listed = sorted(map(str, start().legal_moves), key=lambda move: move if unit == "marbles" else move[::-1])
    assert " ".join(listed[:3]) in pages[2]
    assert len(re.findall(rf"[+-]\d+\.\d+ {unit}  \(depth \d+\)", " ".join(pages))) == 3
    assert "'nonsense'" in " ".join(pages).replace("\n", " ")
    assert f"black plays {first}" in pages[-1]
    assert "white plays" in pages[-1]
    assert re.search(r"\[O", pages[-1]), "the last move is marked"
    assert f"moves: {' '.join(map(str, game.board.moves))}" in pages[-1]


def test_a_dumb_terminal_gets_no_control_sequences(keys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("f5\nquit\n"))
    _, screen = play(keys, "", TERM="dumb")
    assert "\x1b" not in screen.file.getvalue()
    assert "white thinks" in screen.file.getvalue()
    assert "white plays" in screen.file.getvalue()


# --- what is seen ---


def test_passes_stand_there_when_the_human_is_asked_again(keys):
    board = OthelloBoard.from_text("--O-XOO-OXO--X-- X")
    _, screen = play(keys, "a4\rquit\r", board=board)
    asked = screen.pages[-1]
    assert "white has no move and has to pass" in asked
    assert "black plays a4" in asked


def test_a_sign_shows_that_the_computer_thinks(keys):
    screen = Screen(keys)
    clocks = Clocks.alike(TimeControl.parse("5+3"))
    assert screen.front.run_work("white thinks", Ticking(clocks, Side.WHITE), lambda: 7, Stop()) == 7
    assert re.search(r"white thinks \.+ +0 s .*black 5:00.*white (5:00|4:59)", screen.file.getvalue())


def test_a_clock_ticks_and_low_time_is_shown():
    clocks = Clocks.alike(TimeControl.parse("1m"))
    ticking = Ticking(clocks, Side.WHITE, began=time.perf_counter() - 25)
    assert ticking.texts() == [("black 1:00", False), ("white 0:34", False)]
    hurried = Ticking(clocks, Side.WHITE, began=time.perf_counter() - 55.55)
    assert hurried.texts() == [("black 1:00", False), ("white 0:04.4 low", True)]
    both = Ticking(Clocks.alike(TimeControl.parse("9s")), Side.WHITE)
    assert len("".join(text for _, text, *_ in _toolbar(both))) <= 60
    assert any("red" in style and "low" in text for style, text, *_ in _toolbar(hurried))
    assert Ticking(clocks, Side.WHITE, began=0.0).left(Side.WHITE) == 0.0
    per_move = Ticking(Clocks.alike(TimeControl.parse("4s/move")), Side.BLACK, began=time.perf_counter() - 3.5)
    assert per_move.texts() == [("black 0:00.4 low", True), ("white 0:04.0", False)]
    assert Ticking(Clocks.alike(TimeControl()), Side.BLACK).texts() == []


def test_the_flag_falls_while_the_human_thinks(keys):
    with pytest.raises(OutOfTime):
        ask(keys, "", ticking=Ticking(Clocks.alike(TimeControl.parse("0.02s")), Side.BLACK))


def test_who_thinks_too_long_loses(keys):
    screen = Screen(keys)
    game = PlaySession(
        OthelloBoard.start(), {Side.BLACK: "human", Side.WHITE: "first"}, TimeControl.parse("0.05s"), screen.front
    )
    answers = iter([Leave])
    asked = screen.front.ask

    def ask_once(prompt, words, ticking):
        if ticking is None:
            raise next(answers)
        return asked(prompt, words, ticking)

    screen.front.ask = ask_once  # type: ignore[method-assign]
    assert game.play() == 0
    assert "black has used up its time" in screen.pages[-1]
    assert "white wins" in screen.pages[-1]


class Script:
    """A human whose answers, and the time that each takes, are settled."""

    def __init__(self, *lines: tuple[float, str]) -> None:
        self.lines, self.told, self.news, self.clocks = list(lines), [], [], []

    def ask(self, prompt, words, ticking):
        if not self.lines:
            raise Leave
        seconds, line = self.lines.pop(0)
        if ticking is not None:
            ticking.began -= seconds
            self.clocks.append([text for text, _ in ticking.texts()])
        return line

    def run_work(self, what, ticking, work, stop):
        self.clocks.append([text for text, _ in ticking.texts()])
        return work()

    def reply(self, text):
        self.told.append(text)

    def add_event(self, text):
        self.news.append(text)

    def show(self, board, ticking):
        """Nobody looks."""

    redraw = show

    def clear_events(self):
        """Nobody looks."""

    close = clear_events


def sit(*lines, clock="none", black="human", white="first", board=None) -> tuple[PlaySession, Script]:
    front = Script(*(line if isinstance(line, tuple) else (0.0, line) for line in lines))
    game = PlaySession(
        board or OthelloBoard.start(), {Side.BLACK: black, Side.WHITE: white}, TimeControl.parse(clock), front
    )
    assert game.play() == 0
    return game, front


def left(game: PlaySession, side: Side) -> int:
    return round(game.clocks.left[side] or 0.0)


@pytest.mark.parametrize("word", ["flip", "undo"])
def test_time_that_was_used_stays_used(word):
    game, front = sit((5.0, "f5"), (20.0, word), clock="1m")
    assert left(game, Side.BLACK) == 35
    game, front = sit((5.0, "f5"), (50.0, "moves"), (20.0, word), clock="1m")
    assert "black has used up its time" in front.news


@pytest.mark.parametrize("word", ["help", "moves", "hint", "undo", "save", "load nothing", "nonsense"])
def test_the_clock_runs_on_through_what_changes_nothing(word, monkeypatch):
    monkeypatch.setattr(play_session, "HINT_SECONDS", 0.01)
    game, front = sit((20.0, word), (10.0, "f5"), clock="1m")
    assert all(clock[0] != "black 1:00" for clock in front.clocks[: 3 if word == "hint" else 2]), front.clocks
    assert left(game, Side.BLACK) in (29, 30)


def test_a_game_lost_on_time_is_not_taken_back():
    _, front = sit((70.0, "f5"), "undo", clock="1m")
    assert "there is nothing to take back" in front.told
    _, front = sit("f5", (70.0, "f3"), "undo", clock="1m")
    assert "black has no time left to play on with: `again` plays another game" in front.told
    _, front = sit("f5", (70.0, "f3"), "undo", clock="1s/move")
    assert "taken back" in front.news
    _, front = sit("resign", "undo")
    assert "there is nothing to take back" in front.told


class Slow:
    """A player that thinks until it is stopped, and then takes the first move."""

    name = "slow"

    def __init__(self) -> None:
        self.thoughts = 0

    def choose(self, board, clock, *, stop):
        self.thoughts += 1
        signal.raise_signal(signal.SIGINT)  # the handler runs in the main thread
        while not stop.called:
            time.sleep(0.001)
        return Choice(move=board.legal_moves[0])

    def new_game(self, board):
        """Ready."""

    close = ponder = new_game


def against_slow(front, monkeypatch, black="human"):
    slow = Slow()
    monkeypatch.setattr(play_session, "player", lambda *_, **__: slow)
    monkeypatch.setattr(play_session, "try_out", lambda *_: None)
    return slow, PlaySession(OthelloBoard.start(), {Side.BLACK: black, Side.WHITE: "slow"}, TimeControl(), front)


def test_ctrl_c_makes_the_computer_move_now(keys, monkeypatch):
    keys.send_text("f5\rquit\r")
    screen = Screen(keys)
    slow, game = against_slow(screen.front, monkeypatch)
    assert game.play() == 0
    assert slow.thoughts == 1
    assert len(game.board.moves) == 2
    assert "makes it move now" in play_session.HELP


def test_ctrl_c_leaves_a_game_that_is_watched(keys, monkeypatch):
    _, game = against_slow(Screen(keys).front, monkeypatch, black="slow")
    with pytest.raises(KeyboardInterrupt):
        game.play()
    assert game.board.moves == ()


def test_a_game_among_several_is_loaded_by_its_number(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("games.txt").write_text("f5d6\nf5d6c3\nf5f6e6f4\n")
    Path("one 2").write_text("f5d6\n")
    game, front = sit("f5", "load games.txt")
    assert "loaded games.txt, 2 moves: game 1 of 3 (load FILE NUMBER takes another)" in front.news
    assert "left unfinished" in front.news
    assert any(line.startswith("moves: f5 ") for line in front.news)
    game, front = sit("load games.txt 3", clock="1m")
    assert (
        "loaded games.txt, 4 moves: game 3 of 3 (load FILE NUMBER takes another); the clocks begin anew" in front.news
    )
    assert len(game.board.moves) == 4
    assert not any("unfinished" in line for line in front.news)
    _, front = sit("load games.txt 4", "load one 2", "load games.txt")
    assert not any("unfinished" in line for line in front.news), "nobody has played in it"
    _, front = sit("load games.txt 4", "load one 2")
    assert "games.txt holds 3 games, and not number 4" in front.told
    assert "loaded one 2, 2 moves" in front.news


def test_words_that_do_not_fit_are_told_from_misspelt_ones():
    _, front = sit("qiut", "again", "resign", "hint", "qiut", "help")
    told = " ".join(front.told)
    assert "'qiut' is not a move" in told
    assert told.count("did you mean 'quit'?") == 2
    assert "'again' is for a game that is over" in told
    assert "the game is over: no 'hint' now" in told
    assert "unknown command 'qiut'" in told


def test_a_file_that_cannot_be_written_is_one_clear_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, front = sit("save x/y.ggf", "load nothing.ggf")
    assert "x/y.ggf: there is no folder x" in front.told[0].replace("\\", "/")
    assert front.told[1] == "nothing.ggf: No such file or directory"
    _, front = sit("save x.ggf", board=AbaloneBoard.start())
    assert front.told[0] == "GGF holds games of Othello, not of Abalone: .abalone files do"
    monkeypatch.setattr(
        "outflank.ui.cli.playing.session_files.write_records", lambda *_: (_ for _ in ()).throw(OSError())
    )
    _, front = sit("save z.ggf")
    assert front.told[0] == "z.ggf: OSError without a reason"


# --- the end ---


def test_after_the_end_there_is_a_choice(keys, tmp_path, monkeypatch):
    reviewed = []
    monkeypatch.setattr(play_session, "review_game", reviewed.append)
    path = tmp_path / "game.ggf"
    pressed = f"save {path}\rsave {path}\rreview\rwhat\ragain\rresign\rquit\r"
    game, screen = play(keys, f"resign\r{pressed}")
    shown = " ".join(screen.pages).replace("\n", "")
    assert path.read_text().startswith("(;GM[Othello]")
    assert "exists: choose another name" in shown
    assert len(reviewed) == 1
    assert "unknown command 'what'" in shown
    assert shown.count("black resigns") >= 2
    assert game.board == OthelloBoard.start()


@pytest.mark.parametrize("pressed", ["f5\r\x04", "f5\rquit\r"])
def test_moves_are_printed_whenever_a_game_is_left(keys, pressed):
    game, screen = play(keys, pressed)
    assert screen.file.getvalue().rstrip().endswith(f"moves: {' '.join(map(str, game.board.moves))}")
    assert len(game.board.moves) == 2


def test_moves_are_printed_when_a_game_is_interrupted(keys):
    keys.send_text("f5\r\x03")
    screen = Screen(keys)
    seats = {Side.BLACK: "human", Side.WHITE: "first"}
    with pytest.raises(KeyboardInterrupt):
        PlaySession(OthelloBoard.start(), seats, TimeControl(), screen.front).play()
    assert re.search(r"moves: f5 [a-h][1-8]\s*$", screen.file.getvalue())


@pytest.mark.parametrize(("start", "suffix"), [(OthelloBoard.start, ".ggf"), (AbaloneBoard.start, ".abalone")])
def test_a_name_without_a_suffix_gets_one(keys, tmp_path, start, suffix):
    board = start()
    play(keys, f"{board.legal_moves[0]}\rsave {tmp_path}/mine\rquit\r", board=board)
    assert [path.name for path in tmp_path.iterdir()] == [f"mine{suffix}"]


# --- on a real terminal ---


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal to run it on")
def test_a_game_is_played_on_a_terminal():
    pty = pytest.importorskip("pty")
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover
        words = ["-m", "outflank", "play", "--white", "first", "--clock", "5+3"]
        os.execve(sys.executable, [sys.executable, *words], os.environ | {"TERM": "dumb", "COLUMNS": "80"})
    os.write(terminal, b"f5\rquit\r")
    shown = b""
    with contextlib.suppress(OSError):  # the end, on Linux
        while data := os.read(terminal, 4096):
            shown += data
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    text = shown.decode()
    assert "clock: 5 minutes for the game, 3 seconds more after each move" in text
    assert "black plays f5" in text
    assert "moves: f5 f4" in text
    assert "\x1b" not in text


def test_only_a_terminal_imports_the_line_editor():
    commands = "outflank.ui.cli.playing.play_command, outflank.ui.cli.searching.search_command"
    checked = f"import sys, {commands}; print('prompt_toolkit' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", checked], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to send")
def test_ctrl_c_while_the_program_is_imported_leaves_quietly():
    # The first module that the command line imports presses Ctrl-C.
    pressed = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored where the tests run in the background
        "class Pressing:\n"
        "    def find_spec(self, name, *_):\n"
        "        name == 'outflank.ui' and signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Pressing())\n"
        "from outflank.__main__ import begin\n"
        "begin()\n"
    )
    done = subprocess.run([sys.executable, "-c", pressed], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "outflank: interrupted\n")


# --- options ---


def test_a_level_is_for_the_computer():
    seats = {Side.BLACK: "human", Side.WHITE: "computer"}
    assert _with_level(seats, 3, OthelloBoard.start().game) == {Side.BLACK: "human", Side.WHITE: "computer level=3"}
    assert _with_level(seats, None, OthelloBoard.start().game) is seats
    with pytest.raises(OutflankError, match="level=99"):
        _with_level(seats, 99, OthelloBoard.start().game)
    with pytest.raises(OutflankError, match="plain computer"):
        _with_level({Side.BLACK: "human", Side.WHITE: "computer depth=3"}, 3, OthelloBoard.start().game)
    with pytest.raises(OutflankError, match="the computer plays, and none does: human against first"):
        _with_level({Side.BLACK: "human", Side.WHITE: "first"}, 3, OthelloBoard.start().game)
