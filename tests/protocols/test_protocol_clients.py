"""Programs as players: kept in step, told the time, tried before a match, and whatever they do."""

import os
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from outflank import AbaloneBoard, Board, OthelloBoard, Side
from outflank.arena import Settings, play_match
from outflank.errors import OutflankError, UnknownName
from outflank.players.clock import Clock, TimeControl
from outflank.players.player import Player, PlayerFailed
from outflank.players.specs import First, Random
from outflank.players.specs import player as player_in_words
from outflank.protocols import client, gtp_client, nboard_client
from outflank.protocols.gtp_client import ClockStyle, GtpPlayer, time_left, time_settings
from outflank.protocols.nboard_client import NBoardPlayer
from outflank.search.request import Stop
from outflank.ui.cli import main

pytestmark = pytest.mark.interpreted_only  # the programs draw lots, or do what a test wants of them: nobody searches

LOOP = """
import sys
from outflank.players.specs import First, Random
from outflank.protocols.{module}_server import {engine}
from outflank.protocols.listening import lines_of
from tests.process_players import Patient
{engine}(lambda *of: {player}()).run(lines_of(0), sys.stdout)
"""


def loop(protocol: str, player: str = "First") -> list[str]:
    engine = {"gtp": "GtpEngine", "nboard": "NBoardEngine"}[protocol]
    return [sys.executable, "-c", LOOP.format(module=protocol, engine=engine, player=player)]


@pytest.fixture
def opened(monkeypatch) -> Iterator[Callable[..., Any]]:
    """Makes a player that is a program, and ends it afterwards."""
    players: list[Any] = []

    def make(kind: Callable[..., Any], command: Any, game: Any = None, **options: Any) -> Any:
        players.append(kind(command, game or OthelloBoard.start().game, **options))
        return players[-1]

    yield make
    for player in players:
        player.close()


def played(board: Board, black: Player, white: Player, clock: Clock | None = None) -> Board:
    for player in (black, white):
        player.new_game(board)
    while not board.is_game_over:
        mover = black if board.turn is Side.BLACK else white
        board.push(mover.choose(board.copy(), clock or Clock()).move)
    return board


@pytest.mark.slow(2)
def test_programs_play_othello_to_the_end(opened) -> None:
    """Against one that knows the same rules, move by move."""
    players = [opened(GtpPlayer, loop("gtp")), opened(NBoardPlayer, loop("nboard"))]
    assert [player.name for player in players] == ["outflank", "outflank"]
    wanted = played(OthelloBoard.start(6), First(), Random(seed=3)).moves
    for player in players:
        assert played(OthelloBoard.start(6), player, Random(seed=3)).moves == wanted
    line = Board.from_text("f5d6c3d3c4").to_text()
    wanted = played(OthelloBoard.from_line(line), Random(seed=4), First()).moves
    for player in players:
        assert played(OthelloBoard.from_line(line), Random(seed=4), player).moves == wanted


def test_a_program_plays_abalone(opened) -> None:
    board = AbaloneBoard.start("belgian-daisy", ply_limit=20)
    player = opened(GtpPlayer, loop("gtp"), board.game)
    wanted = played(AbaloneBoard.start("belgian-daisy", ply_limit=20), First(), Random(seed=2)).moves
    assert played(board, player, Random(seed=2)).moves == wanted


@pytest.mark.slow(2)
def test_a_program_is_kept_in_step(opened) -> None:
    player = opened(GtpPlayer, loop("gtp"))

    def shown(board: Board) -> None:
        assert player.choose(board, Clock()).move == board.legal_moves[0]
        board = board.copy()
        board.push(board.legal_moves[0])
        assert player._ask("showboard").startswith(str(board).strip())

    asked: list[str] = []
    ask = player._ask
    player._ask = lambda command, *rest: (asked.append(command), ask(command, *rest))[1]
    shown(Board.from_text("f5d6c3d3c4"))
    asked.clear()
    shown(Board.from_text("f5d6c3d3c4f4"))  # not what it had played itself
    assert asked[:2] == ["undo", "play white f4"]
    shown(Board.from_text("f5f6"))
    assert "clear_board" not in asked
    shown(OthelloBoard.start(4))
    shown(OthelloBoard.from_line("---XOX----XXX--- O"))
    shown(AbaloneBoard.start())
    board = AbaloneBoard.start("the-wall")
    board.push(board.legal_moves[3])
    shown(board)


MINUTE = TimeControl(game_seconds=60, increment_seconds=0.5)
TWO_A_MOVE = TimeControl(move_seconds=2)


def test_programs_are_told_the_time(opened, monkeypatch) -> None:
    monkeypatch.setattr(gtp_client, "safety_margin", lambda: 0.25)
    said: list[str] = []
    player = opened(GtpPlayer, loop("gtp"))
    ask = player._ask
    player._ask = lambda command, *rest: (said.append(command), ask(command, *rest))[1]

    def told(*clocks: Clock) -> list[str]:
        said.clear()
        for clock in clocks:
            player._late_seconds = 0.0
            player.choose(OthelloBoard.start(), clock)
        return [command for command in said if command.startswith("time")]

    assert told(Clock(), Clock()) == [], "of time without an end nothing is said: some take it for none at all"
    assert told(Clock(control=MINUTE, left_seconds=12.25), Clock(control=TWO_A_MOVE), Clock()) == [
        "time_settings 60.000 0.500 1",
        "time_left black 12.000 0",  # less what its answers take
        "time_settings 0 2.000 1",
        "time_left black 1.750 1",
        "time_settings 0 1 0",  # a limit is taken back
    ]
    player._known -= {"outflank-stop"}  # as if it were another's: main time, in whole seconds
    assert told(Clock(control=MINUTE, left_seconds=12.9)) == ["time_settings 60 0 0", "time_left black 12 0"]
    player._style = ClockStyle.NOTHING
    assert told(Clock(control=TWO_A_MOVE)) == []


def test_what_a_program_is_told_of_its_time() -> None:
    start, late = OthelloBoard.start(), OthelloBoard.from_line("-" * 3 + "XO" * 30 + "X X")
    game, move = Clock(control=MINUTE, left_seconds=9.5), Clock(control=TWO_A_MOVE)
    assert [time_settings(MINUTE, start, how) for how in ClockStyle] == [
        "60 0 0",
        "60 0.50 1",
        "60 0.50 1",
        "60.000 0.500 1",
    ]
    assert [time_left(game, start, how, 0.1) for how in ClockStyle] == ["9 0", "9 0", "9 0", "9.400 0"]
    # Time for each move: so much main time that nobody thinks longer than that, however few moves it divides it by.
    assert [time_settings(TWO_A_MOVE, start, how) for how in ClockStyle] == ["9 0 0", "0 2 1", "0 2 1", "0 2.000 1"]
    assert [time_left(move, start, how, 0.1) for how in ClockStyle] == ["9 0", "1 1", "1 1", "1.900 1"]
    assert time_left(move, late, ClockStyle.MAIN, 0.1) == "1 0"
    # The last second is told as it is, and what is kept back for the answer to arrive is not told.
    assert time_left(Clock(control=MINUTE, left_seconds=0.5), start, ClockStyle.MAIN, 0.1) == "0.40 0"
    assert time_left(Clock(control=MINUTE, left_seconds=0.05), start, ClockStyle.MAIN, 0.1) == "0.01 0"
    with pytest.raises(UnknownName, match="clock of a program 'minutes'"):
        ClockStyle.named("minutes")


def test_an_nboard_program_is_told_the_time(opened) -> None:
    player, said = opened(NBoardPlayer, loop("nboard")), []
    send = player._program.send
    player._program.send = lambda line: (said.append(line), send(line))[1]
    board, control = Board.from_text("f5d6"), TimeControl(game_seconds=90, increment_seconds=2)
    player.new_game(board)
    assert not any("TI[" in line for line in said)
    for own, other in ((90.0, 90.0), (80.5, 70.25)):
        player.choose(board, Clock(control=control, left_seconds=own, opponent_seconds=other))
        for _ in range(2):
            board.push(board.legal_moves[0])
    player.choose(board, Clock())
    games = [line for line in said if line.startswith("set game")]
    assert ["TI[01:30/00:02]" in line for line in games] == [False, True]
    moves = [line for line in said if line.startswith("move")]
    # What came before the first question took nobody's time; then what each has spent, the increment not counted.
    assert [line.partition("/")[2] for line in moves] == ["", "", "", "", "/11.50", "/21.75", "", ""]


@pytest.mark.parametrize(("kind", "protocol"), [(GtpPlayer, "gtp"), (NBoardPlayer, "nboard")])
def test_a_program_stops_when_it_is_told_to(kind, protocol, opened) -> None:
    player, board = opened(kind, loop(protocol, "Patient")), OthelloBoard.start()
    for _ in range(2):
        stop = Stop()
        threading.Timer(0.1, stop).start()
        choice = player.choose(board, Clock(), stop=stop)
        assert choice.move == board.legal_moves[-1]
        board.push(choice.move)
    stop = Stop()
    stop()
    assert player.choose(board, Clock(), stop=stop).move in board.legal_moves


def test_an_nboard_program_is_pinged_when_its_time_is_up(opened) -> None:
    player, board = opened(NBoardPlayer, loop("nboard", "Patient")), OthelloBoard.start()
    choice = player.choose(board, Clock(control=TimeControl(move_seconds=0.3)))
    assert (choice.move, choice.value, choice.nodes) == (board.legal_moves[-1], 12, 7)


THINKER = """
import sys, time
depth = None
for line in sys.stdin:
    words = line.split()
    if words[:2] == ["set", "depth"]:
        depth = int(words[2])
    elif words[0] == "ping":
        print("pong " + words[1])
    elif words[0] == "go" and depth is None:
        print('warning Must pick a depth with "set depth <n>" first')
    elif words[0] == "go":
        if depth > 1:  # until something is said, and then some
            ping = sys.stdin.readline().split()
            time.sleep(float(sys.argv[1]))
            print(f"=== d3/{depth}/1\\npong {ping[1]}")
        else:
            print("=== d3/1/0")
    sys.stdout.flush()
"""
"""As NTest is: it names no move before a depth was set, and a deep search ends when it is pinged."""


def test_an_nboard_program_in_words_is_told_a_depth(opened) -> None:
    board, words = OthelloBoard.start(), shlex.join(fake(THINKER, "0"))
    for text, depth in ((f"nboard: {words}", 12), (f"nboard depth=7: {words}", 7)):
        player = opened(lambda text, game: player_in_words(text, game), text, board.game)
        player.check(board)
        assert player.choose(board, Clock(control=TimeControl(move_seconds=0.3))).value == depth
    for text, why in (
        ("nboard depth=x: engine", "depth=x: 1 to 60, or none"),
        ("nboard depth=0: engine", "depth=0: 1 to 60, or none"),
        ("nboard clock=main: engine", "unknown setting of nboard 'clock'"),
        ("gtp clock=minutes: engine", "unknown clock of a program 'minutes'"),
        ("gtp clock=main:", "gtp: the command of the engine is missing"),
    ):
        with pytest.raises(OutflankError, match=why):
            player_in_words(text, board.game)


def test_an_nboard_program_that_names_no_move_is_found_out_at_once(opened, monkeypatch) -> None:
    monkeypatch.setattr(nboard_client, "TRY_SECONDS", 0.1)
    player = opened(NBoardPlayer, fake(THINKER, "0"), depth=None)
    with pytest.raises(PlayerFailed, match="protocol: asked for a move, it names none: 'warning Must pick a depth"):
        player.check(OthelloBoard.start())
    with pytest.raises(PlayerFailed, match=r"protocol: asked for a move, it names none$"):
        opened(NBoardPlayer, fake(FAKE_NBOARD, "mute")).check(OthelloBoard.start())


def test_what_a_program_takes_to_answer_a_ping_is_kept_back(opened) -> None:
    """In the first move a guess, then twice what was measured; of a game's time only the even share is spent."""
    player, board, budgets = opened(NBoardPlayer, fake(THINKER, "0.1")), OthelloBoard.start(), []
    listen = player._listen_until_answered

    def listened(ping_at: float, last: float, stop: Stop | None = None) -> bool:
        budgets.append(ping_at - last + client.GRACE_SECONDS)
        return listen(ping_at, last, stop)

    player._listen_until_answered = listened
    for control, left in ((TimeControl(move_seconds=1.0), None), (TimeControl(game_seconds=10.0), 10.0)):
        for _ in range(2):
            player.choose(board, Clock(control=control, left_seconds=left))
    first, second, *shares = (budget + most for budget, most in zip(budgets, (1, 1, 10, 10), strict=True))
    assert first <= 0.9 + 1e-6
    assert second <= 0.8 + 1e-6
    assert all(share < 10 / 24 for share in shares)


def test_one_slow_answer_to_a_ping_is_not_held_against_a_program_for_ever(opened) -> None:
    player = opened(NBoardPlayer, fake(THINKER, "0"))
    player._policy.lateness.seconds = 5.0
    for _ in range(3):
        player.choose(OthelloBoard.start(), Clock(control=TimeControl(move_seconds=0.02)))
    assert player._policy.lateness.seconds < 1


# --- programs that misbehave ---


def test_no_group_is_killed_whose_number_may_be_anothers(monkeypatch):
    program = client.ExternalProgram([sys.executable, "-c", ""])
    with pytest.raises(PlayerFailed):
        program.receive(time.monotonic() + 60)
    killed: list[object] = []
    monkeypatch.setattr(os, "killpg", lambda *group: killed.append(group))
    program.end()
    assert killed == []


FAKE_GTP = """
import os, subprocess, sys, time
mood = sys.argv[1]
for line in sys.stdin:
    name = line.split()[0]
    if name == "list_commands":
        print("= name\\nplay\\ngenmove\\nclear_board\\n")
    elif name == "genmove":
        if mood == "dies":
            sys.stderr.write("out of luck\\n")
            sys.exit(3)
        elif mood == "killed":
            os.kill(os.getpid(), 9)
        elif mood == "closes":
            os.close(1)
            time.sleep(600)
        elif mood == "hangs":
            time.sleep(600)
        elif mood == "parent":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            sys.stderr.write(f"{child.pid}\\n")
            sys.stderr.flush()
            open(sys.argv[2], "w").write(str(child.pid))
            time.sleep(600)
        elif mood == "floods":
            print("= d3")
            while True:
                print("and so on " * 5)
        elif mood == "one line":
            while True:
                sys.stdout.write("=" * 1000)
        else:
            print({"garbage": "\\x00\\x01!", "illegal": "= a1\\n", "nonsense": "= xyzzy\\n",
                   "mutters": "busy\\nstill\\n\\n= d3\\n", "raves": "no\\n" * 20,
                   "refuses": "? no\\n", "resigns": "= resign\\n"}[mood])
    elif name == "play" and mood == "deaf":
        print("? what\\n")
    else:
        print("= fake\\n" if name == "name" else "=\\n")
    sys.stdout.flush()
"""

FAKE_NBOARD = """
import sys, time
mood = sys.argv[1]
for line in sys.stdin:
    words = line.split()
    if words[0] == "ping":
        print("pong " + words[1])
    elif words[0] == "go":
        if mood == "dies":
            sys.exit(4)
        elif mood == "hangs":
            time.sleep(600)
        elif mood == "floods":
            while True:
                print("status so far")
        elif mood != "mute":
            print({"garbage": "=== \\x00", "illegal": "=== a1/1/1", "spaced": "=== d3 -1.00 0.0"}[mood])
    sys.stdout.flush()
"""


def fake(source: str, *arguments: str) -> list[str]:
    return [sys.executable, "-S", "-E", "-c", source, *arguments]


def gone(pid: int) -> bool:
    """Whether nothing runs under this number; what nobody has waited for yet does not run."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            with open(f"/proc/{pid}/stat") as stream:
                if stream.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(
    ("mood", "why"),
    [
        ("dies", "crashed: exit status 3: out of luck"),
        ("killed", "crashed: ended by signal 9"),
        ("hangs", "time: no answer"),
        ("garbage", "protocol: 'genmove black' was answered by .* \\(time: no answer\\)"),
        ("raves", "protocol: 'genmove black' was answered by 'no'$"),
        ("illegal", "illegal move: 'a1'"),
        ("nonsense", "protocol: 'xyzzy' is no move"),
        ("refuses", "protocol: 'genmove black' was refused: 'no'"),
        ("resigns", "resigned"),
        ("floods", "protocol: more than"),
        ("one line", "protocol: more than"),
        ("deaf", "protocol: 'play black f5' was refused"),
    ],
)
def test_a_gtp_program_that_misbehaves(mood, why, opened, monkeypatch) -> None:
    monkeypatch.setattr(client, "MOST_CHARACTERS", 1 << 18)
    player = opened(GtpPlayer, fake(FAKE_GTP, mood), patience_seconds=0.3 if mood in ("hangs", "garbage") else 5)
    pid = player._program._process.pid
    board = Board.from_text("f5d6") if mood == "deaf" else OthelloBoard.start()
    with pytest.raises(PlayerFailed, match=why):
        player.choose(board, Clock())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)  # not even a zombie
    # It is started again for the next game.
    player.new_game(OthelloBoard.start())
    assert player._program._process.pid != pid


@pytest.mark.parametrize(
    ("mood", "why"),
    [
        ("dies", "crashed: exit status 4"),
        ("hangs", "time: no answer"),
        ("mute", "time: no answer"),
        ("garbage", "protocol: "),
        ("illegal", "illegal move: 'a1'"),
        ("floods", "protocol: more than"),
    ],
)
def test_an_nboard_program_that_misbehaves(mood, why, opened, monkeypatch) -> None:
    monkeypatch.setattr(client, "MOST_CHARACTERS", 1 << 18)
    player = opened(NBoardPlayer, fake(FAKE_NBOARD, mood), patience_seconds=0.3 if mood in ("hangs", "mute") else 5)
    pid = player._program._process.pid
    with pytest.raises(PlayerFailed, match=why):
        player.choose(OthelloBoard.start(), Clock())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_few_stray_lines_lose_no_game(opened, caplog) -> None:
    player = opened(GtpPlayer, fake(FAKE_GTP, "mutters"))
    for _ in range(2):
        player.new_game(OthelloBoard.start())
        assert str(player.choose(OthelloBoard.start(), Clock()).move) == "d3"
    said = [record.getMessage() for record in caplog.records]
    assert said == ["outflank: fake: a line before the answer to 'genmove black' is skipped: 'busy'"]


def test_numbers_that_nobody_counts_to_are_none(opened) -> None:
    noisy = FAKE_NBOARD.replace('"=== d3 -1.00 0.0"', '"=== d3/inf/1"').replace(
        'elif words[0] == "go":', 'elif words[0] == "go":\n        print(NOISE)'
    )
    noise = f"nodestats inf 1\nnodestats nan 1\npong {'9' * 9_000}\npong ²\nsearch d3 nan 0 {'9' * 9_000}\nset myname"
    player = opened(NBoardPlayer, fake(noisy.replace("NOISE", repr(noise)), "spaced"))
    choice = player.choose(OthelloBoard.start(), Clock())
    assert (str(choice.move), choice.value, choice.nodes) == ("d3", None, 0)


def test_an_nboard_program_may_answer_in_its_own_way(opened) -> None:
    player = opened(NBoardPlayer, fake(FAKE_NBOARD, "spaced"))
    choice = player.choose(OthelloBoard.start(), Clock())
    assert (str(choice.move), choice.value) == ("d3", -1)
    mute = opened(NBoardPlayer, fake(FAKE_NBOARD, "mute"))
    with pytest.raises(PlayerFailed, match="time: it answered a ping"):
        mute.choose(OthelloBoard.start(), Clock(control=TimeControl(move_seconds=0.2)))


def test_what_a_program_has_started_ends_with_it(opened, tmp_path) -> None:
    note = tmp_path / "pid"
    player = opened(GtpPlayer, fake(FAKE_GTP, "parent", str(note)), patience_seconds=1.0)
    with pytest.raises(PlayerFailed, match="time"):
        player.choose(OthelloBoard.start(), Clock())
    assert gone(int(note.read_text()))


def test_a_program_that_cannot_stop_is_ended_and_started_again(opened) -> None:
    player, stop = opened(GtpPlayer, fake(FAKE_GTP, "hangs")), Stop()
    pid = player._program._process.pid
    threading.Timer(0.1, stop).start()
    choice = player.choose(OthelloBoard.start(), Clock(), stop=stop)
    assert (choice.why, choice.move in OthelloBoard.start().legal_moves) == ("stopped", True)
    assert gone(pid)


def test_a_program_that_closes_its_output(opened, monkeypatch) -> None:
    monkeypatch.setattr(client, "GRACE_SECONDS", 0.2)
    player = opened(GtpPlayer, fake(FAKE_GTP, "closes"))
    with pytest.raises(PlayerFailed, match="crashed: it has closed its output"):
        player.choose(OthelloBoard.start(), Clock())


def test_programs_that_are_none() -> None:
    for command in ("/nowhere/engine", []):
        with pytest.raises(PlayerFailed, match="crashed: "):
            GtpPlayer(command, OthelloBoard.start().game)
    with pytest.raises(PlayerFailed, match="crashed: exit status 0"):
        GtpPlayer([sys.executable, "-c", ""], OthelloBoard.start().game)
    with pytest.raises(PlayerFailed, match="protocol: 'list_commands' was answered by 'hello'"):
        GtpPlayer([sys.executable, "-c", "print('hello'); input()"], OthelloBoard.start().game)
    with pytest.raises(PlayerFailed, match="protocol: it does not know play, genmove"):
        GtpPlayer([sys.executable, "-c", "input(); print('= clear_board\\n'); input()"], OthelloBoard.start().game)


def test_a_player_that_is_forgotten_ends_its_program() -> None:
    player = GtpPlayer(fake(FAKE_GTP, "hangs"), OthelloBoard.start().game)
    pid = player._program._process.pid
    del player
    assert gone(pid)


# --- openings that are positions ---

PECULIAR = """
import sys
from outflank.players.specs import First
from outflank.protocols.gtp_server import GtpEngine
from outflank.protocols.gtp_game import CommandRefused
from outflank.protocols.listening import lines_of

engine = GtpEngine(lambda *of: First())
del engine.commands["outflank-stop"]
load, clear, loaded = engine.commands["loadsgf"], engine.commands["clear_board"], []

def loadsgf(words):
    if sys.argv[1] == "stays" and not words[0].endswith(".sgf"):
        raise CommandRefused("Unknown game format extension")
    if sys.argv[1] == "stays":
        load(words)
        loaded[:] = [engine._game.board.copy()]

def clear_board(words):
    clear(words)
    if loaded:
        engine._game.board = loaded[0].copy()

engine.commands.update(loadsgf=loadsgf, clear_board=clear_board)
if sys.argv[1] == "lacks":
    del engine.commands["loadsgf"]
engine.run(lines_of(0), sys.stdout)
"""
"""Programs that know no positions, ignore stones that are set up, or take what was loaded for the start ever after."""


def peculiar(folder: Path, how: str) -> list[str]:
    program = folder / "program.py"
    program.write_text(PECULIAR)
    return [sys.executable, str(program), how]


@pytest.mark.slow(2)
@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("lacks", "it knows no loadsgf, which a game that starts at a position needs"),
        ("ignores", "it does not take '.*' as the start of a game"),
        ("stays", ""),
    ],
)
def test_whether_a_program_takes_positions_is_known_before_the_first_game(how, why, tmp_path) -> None:
    positions, moves = tmp_path / "positions", tmp_path / "moves"
    positions.write_text(f"{Board.from_text('f5d6c3d3c4').to_text()}\n{Board.from_text('f5f6').to_text()}\n")
    moves.write_text("f5d6c3d3c4\nf5f6\n")
    words = f"gtp: {shlex.join(peculiar(tmp_path, how))}"

    def settings(openings: Path) -> Settings:
        return Settings(
            players=(words, "first"), start=OthelloBoard.start(), games=2, openings=str(openings), ply_limit=4
        )

    if why:
        with pytest.raises(OutflankError, match=why) as refused:
            play_match(settings(positions), player_in_words)
        assert "\n" not in str(refused.value)
    else:
        result = play_match(settings(positions), player_in_words)
        assert [kept.game.ending.reason for kept in result.games] == ["ply limit"] * 2
    if how == "lacks":  # moves that are known are replayed
        result = play_match(settings(moves), player_in_words)
        assert [kept.game.ending.reason for kept in result.games] == ["ply limit"] * 2


def test_play_also_tries_programs_before_a_game(capsys, tmp_path) -> None:
    program = tmp_path / "program.py"
    program.write_text(FAKE_GTP)
    words = f"gtp: {shlex.join([sys.executable, '-S', '-E', str(program), 'illegal'])}"
    position = Board.from_text("f5d6c3").to_text()
    with pytest.raises(SystemExit) as ended:
        main(["play", "--white", words, "--position", position])
    assert ended.value.code == 2
    wrong = "protocol: it knows no loadsgf, which a game that starts at a position needs"
    assert capsys.readouterr().err == f"outflank: {words}: {wrong}\n"


def test_a_position_that_was_loaded_does_not_stay(opened, tmp_path) -> None:
    player = opened(GtpPlayer, peculiar(tmp_path, "stays"))
    for board in (
        Board.from_text("f5"),
        OthelloBoard.from_line(Board.from_text("f5d6").to_text()),
        Board.from_text("f5"),
    ):
        player.new_game(board)
        assert player.choose(board, Clock()).move == board.legal_moves[0]
        assert player._ask("showboard").splitlines()[-1] == f"{board.turn.other} to move"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a program that says nothing")
def test_a_match_is_stopped_while_a_program_that_says_nothing_starts(tmp_path) -> None:
    script = tmp_path / "silent.py"
    started = tmp_path / "started"
    script.write_text(f"import pathlib, time\npathlib.Path({str(started)!r}).touch()\ntime.sleep(3600)\n")
    words = f"gtp: {shlex.join([sys.executable, '-S', '-E', str(script)])}"
    settings = Settings(players=(words, "first"), start=OthelloBoard.start(), games=2)
    stop, results = Stop(), []

    def play() -> None:
        results.append(play_match(settings, player_in_words, stop=stop))

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    while thread.is_alive() and not started.exists():
        time.sleep(0.01)
    stop()
    thread.join(client.START_SECONDS / 2)
    (result,) = results
    assert result.interrupted
    assert result.games == ()
