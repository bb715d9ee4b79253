"""Players of ours that meet programs: each in a process of its own, and what each side had of the processors."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from outflank import Board, OthelloBoard, Side
from outflank.arena import Settings, play_match
from outflank.arena.match_documents import MatchResultDocument
from outflank.arena.match_game import GameLine, MatchGame
from outflank.arena.match_report import report_text
from outflank.arena.referee import CRASHED
from outflank.arena.standing import Duel, MatchStanding
from outflank.errors import OutflankError
from outflank.players.clock import Clock, TimeControl
from outflank.players.player import Player, PlayerFailed
from outflank.players.processor_use import ProcessorReading, ProcessorUse, processor_reading
from outflank.players.specs import First, Random
from outflank.players.specs import player as player_in_words
from outflank.protocols.player_process import PlayerProcess
from outflank.search.request import Stop
from outflank.validation.documents import converted, plain
from tests.process_players import made

pytestmark = pytest.mark.interpreted_only  # nobody searches but in the interpreter, a ply deep

ROOT = Path(__file__).parents[2]
START = OthelloBoard.start()
linux = pytest.mark.skipif(sys.platform != "linux", reason="processor time of others is read on Linux alone")
posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no sessions")

GTP = """
import os, sys
from outflank.players.specs import First
from outflank.protocols.gtp_server import GtpEngine
from outflank.protocols.listening import lines_of
open(sys.argv[1], "w").write(f"{os.getpid()} {os.getsid(0)}")
GtpEngine(lambda *of: First()).run(lines_of(0), sys.stdout)
"""


def gtp_program(path: Path) -> str:
    """The words of a program that plays its first move, and writes its process and session to a file."""
    script = path.parent / "program.py"
    script.write_text(GTP)
    return f"gtp: '{sys.executable}' '{script}' '{path}'"


@pytest.fixture(scope="module")
def process():
    player = PlayerProcess(made, "own", START.game)
    yield player
    player.close()


@pytest.fixture
def own(process):
    """Makes a player in a process of its own that does what words say; the process is one for all tests."""

    def make(words: str = "") -> PlayerProcess:
        process._ask("behave", words)
        process._delays.clear()
        return process

    return make


@pytest.fixture
def alone():
    """Makes such players that each have a process of their own."""
    players: list[PlayerProcess] = []

    def make(words: str) -> PlayerProcess:
        players.append(PlayerProcess(made, words, START.game))
        return players[-1]

    yield make
    for player in players:
        player.close()


# --- sessions ---


@posix
@pytest.mark.slow(3)
def test_both_sides_are_started_alike(tmp_path) -> None:
    """Each in a session of its own: else the scheduler gives the program a share of the cores that ours has not."""
    settings = Settings(
        players=(f"own writes {tmp_path / 'own'}", gtp_program(tmp_path / "program")), start=START, games=2, ply_limit=3
    )
    result = play_match(settings, made)
    assert [kept.game.ending.reason for kept in result.games] == ["ply limit"] * 2
    sessions = []
    for name in ("own", "program"):
        process, session = (int(word) for word in (tmp_path / name).read_text().split())
        assert process == session, f"{name} leads no session"
        assert session != os.getsid(0), f"{name} is in the session of the match"
        sessions.append(session)
    assert sessions[0] != sessions[1]
    with pytest.raises(ProcessLookupError):
        os.kill(sessions[0], 0)


def test_players_of_ours_alone_stay_in_one_process() -> None:
    def make(words: str, game: Any) -> Player:
        assert threading.current_thread() is threading.main_thread()
        return First()

    assert play_match(Settings(players=("a", "b"), start=START, games=1, ply_limit=2), make).standing.finished == 1


@pytest.mark.slow(2)
def test_a_player_that_cannot_be_sent_plays_here_and_that_is_said(tmp_path) -> None:
    settings = Settings(players=("first", gtp_program(tmp_path / "program")), start=START, games=1, ply_limit=2)
    with pytest.warns(RuntimeWarning, match=r"first plays in this process.*cannot be sent to another process"):
        result = play_match(settings, lambda words, game: player_in_words(words, game))
    assert result.games[0].line.processor[0] is None


# --- the same player ---


def test_what_it_answers_is_what_it_would_answer_here(own) -> None:
    there = own()
    here = made("own", START.game)
    assert there.name == "own"
    there.new_game(START)
    assert there.choose(START, Clock()) == here.choose(START, Clock())


@pytest.mark.slow(2)
def test_lots_are_drawn_alike(alone) -> None:
    there, here = alone("random"), Random()
    for seed in (3, 4):
        for player in (there, here):
            player.reseed(seed)
            player.new_game(START)
        boards = START.copy(), START.copy()
        for _ in range(6):
            for board, player in zip(boards, (there, here), strict=True):
                board.push(player.choose(board, Clock()).move)
        assert boards[0] == boards[1]


@pytest.mark.slow(2)
def test_a_computer_answers_alike(alone) -> None:
    words, board = "computer depth=2 exact=4 variety=5", Board.from_text("f5d6c3d3c4f4c5b3c2")
    there, here = alone(words), made(words, START.game)
    for player in (there, here):
        player.reseed(9)
        player.new_game(board)
    assert there.choose(board, Clock()) == here.choose(board, Clock())
    here.close()


def test_what_messages_take_is_kept_back_from_the_clock(own) -> None:
    player = own("clock")
    control = TimeControl(move_seconds=4.0)
    player._delays.extend((0.5, 30.0))
    assert player.choose(START, Clock(control=control)).value == 3.5, "the longest but one"
    player._delays.append(9.0)
    assert player.choose(START, Clock(control=control)).value == 3.0, "a quarter at most"
    player._delays.clear()
    player._delays.extend((1.0, 1.0))
    assert player.choose(START, Clock(left_seconds=10.0)).value == 9.0
    assert player.choose(START, Clock()).value is None


def test_time_that_is_used_up_before_it_is_asked_is_off_its_clock(own) -> None:
    player = own("clock")
    clock = Clock(control=TimeControl(move_seconds=100.0), started=time.perf_counter() - 30.0)
    assert 60.0 < player.choose(START, clock).value <= 70.0


def test_it_stops_and_ponders(own) -> None:
    player = own("waits")
    for _ in range(2):
        stop = Stop()
        threading.Timer(0.05, stop).start()
        assert player.choose(START, Clock(), stop=stop).exact
    stop()
    assert player.choose(START, Clock(), stop=stop).exact
    thinker = own("pondered")
    stop = Stop()
    threading.Timer(0.05, stop).start()
    thinker.ponder(START, stop=stop)
    assert thinker.choose(START, Clock()).value == 1.0


def test_what_goes_wrong_there_is_told_here(own) -> None:
    player = own("fails")
    with pytest.raises(PlayerFailed, match="ZeroDivisionError: one by none"):
        player.choose(START, Clock())
    with pytest.raises(PlayerFailed, match="Unspeakable: its text cannot be shown"):
        own("unspeakable").choose(START, Clock())
    with pytest.warns(RuntimeWarning, match="the CPU goes on"):
        assert own("warns").choose(START, Clock()).exact
    assert own("prints").choose(START, Clock()).exact
    with pytest.raises(OutflankError, match="there is no such player"):
        own("refused").check(START)
    with pytest.raises(OutflankError, match="cannot be sent to another process"):
        PlayerProcess(lambda words, game: First(), "first", START.game)


@pytest.mark.slow(3)
def test_a_process_that_dies_loses_its_game_and_is_replaced(tmp_path) -> None:
    settings = Settings(players=("own ends", gtp_program(tmp_path / "program")), start=START, games=2)
    result = play_match(settings, made)
    assert [kept.game.ending.reason for kept in result.games] == [CRASHED] * 2
    assert all(kept.loser == 0 for kept in result.games)


@pytest.mark.slow(2)
def test_one_that_does_not_come_back_is_ended(alone) -> None:
    player = alone("own hangs")
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            player.choose(START, Clock())
        except PlayerFailed as failure:
            failures.append(failure)

    asking = threading.Thread(target=ask)
    asking.start()
    while not player._busy:
        time.sleep(0.01)
    player.close()
    asking.join(20)
    assert len(failures) == 1


KILLED = """
import sys
from pathlib import Path
from outflank import OthelloBoard
from outflank.players.clock import Clock
from outflank.protocols.player_process import PlayerProcess
from tests.process_players import made
player = PlayerProcess(made, "own hangs", OthelloBoard.start().game)
print(player._program.pid, flush=True)
player.choose(OthelloBoard.start(), Clock())
"""


@posix
@pytest.mark.slow(2)
def test_nothing_is_left_of_a_match_that_is_killed() -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout as answers:
        child = int(answers.readline())
    process.send_signal(signal.SIGKILL)
    process.wait()
    for _ in range(2000):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    pytest.fail("the player's process is still there")


# --- what each side had ---


@linux
@pytest.mark.slow(3)
def test_processor_time_is_kept_with_each_game_and_shown(tmp_path) -> None:
    settings = Settings(
        players=("own", gtp_program(tmp_path / "program")), start=START, games=2, ply_limit=4, openings="random:0"
    )
    result = play_match(settings, made, out=tmp_path / "match")
    lines = (tmp_path / "match" / "games.jsonl").read_text().splitlines()
    for kept, text in zip(result.games, lines, strict=True):
        line = json.loads(text)
        for side, used in zip(Side, line["processor"], strict=True):
            assert used["thinking_seconds"] > 0
            assert 0 <= used["cpu_seconds"] <= used["entitled_seconds"]
            assert used["cpu_seconds"] == round(kept.game.processor[side].cpu_seconds, 3)
        assert MatchGame.of(kept.line, START.game).line == kept.line
        del line["processor"]  # as it was kept before there was such a field
        assert MatchGame.of(converted(GameLine, line), START.game).game.processor == {}
    duel = plain(MatchResultDocument.from_match(settings, result.standing, interrupted=False))["duels"][0]
    assert len(duel["processor"]) == 2
    report = report_text(result.standing)
    assert report.count("CPU   |") == 2
    assert f"CPU   | own: {result.standing.duel.processor_use[0].cpu_seconds:.2f} s in " in report


def standing_of(*games: tuple[ProcessorUse, ProcessorUse], names: tuple[str, ...] = ("a", "b")) -> MatchStanding:
    return MatchStanding(names=names, planned=2, finished=len(games), duels={(0, 1): Duel(processor=games)})


def used(cpu: float, entitled: float) -> ProcessorUse:
    return ProcessorUse(thinking_seconds=entitled, cpu_seconds=cpu, entitled_seconds=entitled)


def test_sides_that_were_not_served_alike_are_named() -> None:
    fair = report_text(standing_of((used(9.6, 10), used(10, 10)), (used(9.4, 10), used(9.0, 10))))
    assert "not equal" not in fair
    assert "CPU   | a: 19.00 s in 20.00 s of thinking, 95.0 % of what it was entitled to" in fair
    unfair = report_text(standing_of((used(4, 8), used(7, 7)), (used(7, 7), used(7, 7))))
    expected = (
        "not equal: a had 73.3 %, b 100.0 % of what they were entitled to; more than 5 points apart in 1 of 2 games"
    )
    assert expected in unfair
    assert "not equal" not in report_text(standing_of((used(0.4, 0.9), used(0.9, 0.9)))), "so little is chance"
    assert "CPU" not in report_text(standing_of()), "players that share a process are not measured"
    three = report_text(
        MatchStanding(
            names=("a", "b", "c"),
            planned=3,
            finished=1,
            duels={(0, 1): Duel(processor=((used(4, 8), used(8, 8)),)), (0, 2): Duel(), (1, 2): Duel()},
        )
    )
    assert three.count("CPU") == 1


def test_what_a_process_was_entitled_to(monkeypatch) -> None:
    monkeypatch.setattr("outflank.players.processor_use.usable_cores", lambda: 2.0)

    def between(cpu: float, *threads: tuple[float, float], wall: float = 10.0) -> ProcessorUse:
        before = ProcessorReading(1.0, {1: (5, 5)})
        nanoseconds = {number: (int(ran * 1e9), int(waited * 1e9)) for number, (ran, waited) in enumerate(threads, 2)}
        return before.until(ProcessorReading(1.0 + cpu, {1: (5, 5), **nanoseconds}), wall)

    assert between(10, (10, 0)).share == 1
    assert between(5, (5, 5)) == ProcessorUse(thinking_seconds=10, cpu_seconds=5, entitled_seconds=10)
    assert between(10, (5, 5)).entitled_seconds == 20, "a thread that has ended was served as the others"
    assert between(20, *[(2.5, 7.5)] * 8).share == 1, "more threads than cores have only themselves to wait for"
    assert between(5.001, (5, 5), (0.001, 30)).share == pytest.approx(0.5, abs=0.01), "who hardly runs hardly counts"
    assert between(0).share == 1


@linux
def test_processor_time_of_a_process_and_its_children() -> None:
    work = "import time\nbegan = time.process_time()\nwhile time.process_time() < began + 0.2: pass\n"
    below = f"{work}print(1, flush=True)\ninput()"
    above = f"import subprocess, sys\n{work}subprocess.run([sys.executable, '-c', {below!r}])"
    process = subprocess.Popen([sys.executable, "-c", above], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        process.stdout.readline()
        reading = processor_reading(process.pid)
        assert reading is not None
        assert reading.cpu_seconds >= 0.4, "the child's is counted"
        assert len(reading.threads) == 2
    process.wait()
    assert processor_reading(process.pid) is None
