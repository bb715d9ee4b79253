"""Matches: players that behave and players that do not, openings, and what is left of a match that is killed."""

import contextlib
import gc
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from outflank.abalone.board import AbaloneBoard
from outflank.arena import Openings, Settings, Sprt, play, play_match, seat
from outflank.arena.game_runners import ClusterLane, GameWorker
from outflank.arena.match_game import MatchGame
from outflank.arena.match_report import report_text
from outflank.arena.referee import ending_by_rules
from outflank.arena.standing import Duel, Scorer, duel
from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.formats.game_files import read_records
from outflank.games.sides import Side
from outflank.othello.board import OthelloBoard, OthelloMove
from outflank.players import collecting
from outflank.players.clock import Clock, TimeControl
from outflank.players.player import Choice, PlayerFailed, SimplePlayer
from outflank.protocols.client import Interrupted
from outflank.search.request import Stop
from outflank.ui.cli import main
from outflank.ui.cli.playing import match_command as cli_match

pytestmark = pytest.mark.interpreted_only  # the players draw lots, or stand in for others: nobody searches

ROOT = Path(__file__).parents[2]


# --- stand-ins ---


@dataclass(slots=True)
class First(SimplePlayer):
    name: str = "first"

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        return Choice(move=board.legal_moves[0], value=1.5, depth=1)


@dataclass(slots=True)
class Lots(SimplePlayer):
    """Draws lots, from the seed it is given for each game."""

    name: str = "lots"
    chance: random.Random = field(default_factory=lambda: random.Random(0))

    def reseed(self, seed: int) -> None:
        self.chance.seed(seed)

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        return Choice(move=self.chance.choice(board.legal_moves))


@dataclass(slots=True)
class Greedy(SimplePlayer):
    """Flips most: beats the one who draws lots, if not always."""

    name: str = "greedy"

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        def own(move: Any) -> int:
            after = board.copy()
            after.push(move)
            return -int(after.position.opp).bit_count() if isinstance(board, OthelloBoard) else 0

        return Choice(move=min(board.legal_moves, key=own))


@dataclass(slots=True)
class Slow(SimplePlayer):
    name: str = "slow"
    seconds: float = 0.05

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        time.sleep(self.seconds)
        return Choice(move=board.legal_moves[0])


@dataclass(slots=True)
class Patient(SimplePlayer):
    """Thinks until it is told to stop."""

    name: str = "patient"

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        assert stop is not None
        told = threading.Event()
        stop.add_listener(told.set)
        assert told.wait(20)
        return Choice(move=board.legal_moves[0])


@dataclass(slots=True)
class Crasher(SimplePlayer):
    name: str = "crasher"
    error: BaseException = field(default_factory=lambda: PlayerFailed("the engine has gone"))
    after: int = 2
    _asked: int = 0

    def new_game(self, board: Board) -> None:
        self._asked = 0

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        self._asked += 1
        if self._asked > self.after:
            raise self.error
        return Choice(move=board.legal_moves[0])


@dataclass(slots=True)
class Cheat(SimplePlayer):
    name: str = "cheat"
    answer: Any = None

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        return self.answer if self.answer is not None else Choice(move=OthelloMove(28))


@dataclass(slots=True)
class Hung(SimplePlayer):
    """Does not come back, whatever it is told."""

    name: str = "hung"
    free: threading.Event = field(default_factory=threading.Event)

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        self.free.wait(20)
        raise PlayerFailed("ended")

    def close(self) -> None:
        self.free.set()


KINDS = {
    "first": First,
    "lots": Lots,
    "greedy": Greedy,
    "slow": Slow,
    "patient": Patient,
    "crasher": Crasher,
    "cheat": Cheat,
    "hung": Hung,
}


def make(text: str, game: Any) -> Any:
    if text not in KINDS:
        raise OutflankError(f"no player {text!r}")
    return KINDS[text]()


def small(*players: str, **more: Any) -> Settings:
    """A match on the smallest board."""
    more = {"games": 6, "openings": "random:3", **more}
    return Settings(players=players, start=OthelloBoard.start(4), **more)


def moves_of(result: Any) -> list[tuple[int, str, str, tuple[int, ...]]]:
    return [
        (kept.number, kept.game.record.black, kept.game.record.white, kept.game.record.setup.moves)
        for kept in result.games
    ]


# --- one game ---


def test_a_game_is_played_to_its_end():
    opening = OthelloBoard.from_text("f5d6")
    game = play(First(), Greedy(), opening)
    assert game is not None
    assert len(opening.moves) == 2  # it is left as it was
    board = Board.from_setup(game.record.setup)
    outcome = board.outcome()
    assert outcome is not None
    assert game.ending.score == game.record.score == outcome.score
    assert game.ending.points == {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}[outcome.result]
    assert (game.ending.reason, game.ending.detail) == ("", outcome.reason)
    assert (game.record.black, game.record.white) == ("first", "greedy")
    assert all(move.seconds is None for move in game.record.moves[:2])
    assert game.record.moves[2].value == 1.5
    assert game.record.moves[2].seconds is not None


def test_no_garbage_is_collected_while_a_clock_runs():
    """A full collection takes 50 ms where a compiler is loaded; between two moves young objects alone are collected."""
    seen, frozen = [], gc.get_freeze_count()

    class Watching(First):
        def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
            seen.append((gc.isenabled(), gc.get_freeze_count() > 0, gc.get_count()[0] < 2 * collecting.MANY_OBJECTS))
            self.garbage = [[] for _ in range(collecting.MANY_OBJECTS // 2)]
            self.garbage.append(self.garbage)
            return super().choose(board, clock, stop=stop)

    play(Watching("a"), Watching("b"), OthelloBoard.start(4), control=TimeControl(move_seconds=60.0))
    assert len(seen) > 8
    assert {*seen} == {(False, True, True)}
    assert (gc.isenabled(), gc.get_freeze_count()) == (True, frozen)
    seen.clear()
    play(Watching("a"), Watching("b"), OthelloBoard.start(4))
    assert seen[0][0], "no clock, no pause"


def test_forced_passes_are_played_for_the_player():
    @dataclass(slots=True)
    class Asked(First):
        def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
            assert not board.legal_moves[0].is_pass
            return First.choose(self, board, clock)

    passed = 0
    for number in range(6):
        opening = Openings("random:5", OthelloBoard.start(4), seed=1, count=6)[number]
        game = play(Asked(), Asked(), opening)
        assert game is not None
        assert game.ending.reason == "", game.ending.detail
        forced = [move for move in game.record.moves[5:] if move.code == 64]
        passed += len(forced)
        assert all(move.seconds is None for move in forced)
    assert passed


@pytest.mark.parametrize(
    ("loser", "reason", "detail"),
    [
        (Crasher(), "crashed", "PlayerFailed: the engine has gone"),
        (Crasher(error=ZeroDivisionError("oh\nno")), "crashed", "ZeroDivisionError: oh no"),
        (Crasher(error=SystemExit(3)), "crashed", "SystemExit: 3"),
        (Crasher(error=KeyboardInterrupt()), "crashed", "KeyboardInterrupt: "),
        (Cheat(), "illegal move", "e4 is not a legal move"),
        (Cheat(answer=Choice(move="f5")), "illegal move", "f5 is not a legal move"),  # type: ignore[arg-type]
        (Cheat(answer="f5"), "crashed", "answered 'f5'"),
    ],
)
def test_who_breaks_the_rules_has_lost(loser, reason, detail):
    for black in (True, False):
        players = (loser, First()) if black else (First(), loser)
        game = play(*players, OthelloBoard.start())
        assert game is not None
        assert (game.ending.reason, game.ending.detail) == (reason, detail)
        assert game.ending.points == (0.0 if black else 1.0)
        assert game.ending.score == game.record.score == (-64 if black else 64)
        assert game.ending.forfeited_by is (Side.BLACK if black else Side.WHITE)
        assert game.record.reason == reason
        Board.from_setup(game.record.setup)  # what was played before is legal


def test_failing_to_get_ready_is_a_crash():
    class Unready(First):
        def new_game(self, board: Board) -> None:
            raise OSError("no such engine")

    game = play(First(), Unready(), OthelloBoard.start())
    assert game is not None
    assert (game.ending.points, game.ending.reason) == (1.0, "crashed")


def against(side: Side, control: str) -> dict[Side, TimeControl]:
    """A clock for one side alone: whatever else this machine does, the other one must not lose."""
    return {side: TimeControl.parse(control), side.other: TimeControl()}


@pytest.mark.parametrize("control", ["0.02s/move", "0.08s"])
def test_who_runs_out_of_time_has_lost(control):
    game = play(Slow(seconds=0.05), First(), OthelloBoard.start(), control=against(Side.BLACK, control))
    assert game is not None
    assert (game.ending.points, game.ending.reason) == (0.0, "time")
    assert game.record.clock == control
    assert game.ending.score == -64


def test_increments_and_lag_are_given():
    kind = against(Side.BLACK, "0.3s+0.3s")
    game = play(Slow(seconds=0.06), First(), OthelloBoard.start(4), control=kind)
    assert game is not None
    assert game.ending.reason == ""
    strict = against(Side.BLACK, "0.01/move")
    game = play(Slow(seconds=0.02), First(), OthelloBoard.start(4), control=strict, lag_seconds=1.0)
    assert game is not None
    assert game.ending.reason == ""


def test_a_player_is_told_to_stop_when_its_time_is_over():
    game = play(First(), Patient(), OthelloBoard.start(), control=against(Side.WHITE, "0.05/move"))
    assert game is not None
    assert (game.ending.points, game.ending.reason) == (1.0, "time")


def test_a_player_that_hangs_is_given_up(monkeypatch):
    monkeypatch.setattr(seat, "GRACE_SECONDS", 0.1)
    hung = Hung()
    game = play(hung, First(), OthelloBoard.start(), control=TimeControl.parse("0.05/move"))
    assert game is not None
    assert game.ending.reason == "time"
    assert "did not come back" in game.ending.detail
    hung.close()


def test_games_that_are_too_long_are_drawn():
    game = play(First(), First(), AbaloneBoard.start(), ply_limit=7)
    assert game is not None
    assert (game.ending.points, game.ending.reason, game.record.score) == (0.5, "ply limit", 0)
    assert len(game.record.moves) == 7


def test_abalone_is_scored_in_marbles():
    class Pusher(First):
        def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
            return Choice(move=next((move for move in board.legal_moves if move.takes), board.legal_moves[0]))

    board = AbaloneBoard.from_line("sssss/sss3/7/8/sSS6/8/S6/SSSSSS/SSSSS 0 5 b 0 20")
    game = play(Pusher(), First(), board)
    assert game is not None
    assert (game.ending.points, game.ending.score, len(game.record.moves)) == (1.0, 6, 1)
    # A draw may have a margin, but who reads a record takes its score's sign for the winner.
    board = AbaloneBoard.from_line("sssss/sss3/7/8/sSS6/8/S6/SSSSSS/SSSSS 0 5 b 0 200")
    board.ply_limit = board.ply
    ending = ending_by_rules(board)
    assert (ending.points, ending.score) == (0.5, 5)


def test_players_ponder_on_the_opponents_time():
    seen: list[tuple[Side, bool]] = []

    @dataclass(slots=True)
    class Ponderer(Slow):
        seconds: float = 0.01
        mine: Side | None = None

        def ponder(self, board: Board, *, stop: Stop) -> None:
            told = threading.Event()
            stop.add_listener(told.set)
            seen.append((board.turn, told.wait(10)))

    black, white = Ponderer(), Ponderer()
    game = play(black, white, OthelloBoard.start(4), ponder=True)
    assert game is not None
    assert game.ending.reason == ""
    assert {turn for turn, _ in seen} == set(Side)
    assert all(stopped for _, stopped in seen)


def test_failing_while_pondering_is_a_crash():
    class Dreamer(First):
        def ponder(self, board: Board, *, stop: Stop) -> None:
            raise PlayerFailed("woke up screaming")

    game = play(First(), Dreamer(), OthelloBoard.start(4), ponder=True)
    assert game is not None
    assert (game.ending.points, game.ending.reason) == (1.0, "crashed")


def test_a_game_can_be_stopped():
    stop = Stop()
    timer = threading.Timer(0.1, stop)
    timer.start()
    assert play(Patient(), First(), OthelloBoard.start(), stop=stop) is None


# --- openings ---


def turned_alike(one: Board, other: Board) -> bool:
    return any(turned.position == other.position for turned in one.symmetries())


@pytest.mark.parametrize(
    ("text", "start"),
    [("random:4", OthelloBoard.start()), ("random:4", OthelloBoard.start(4)), ("layouts:1", AbaloneBoard.start())],
)
def test_openings_differ_however_they_are_turned(text, start):
    found = Openings(text, start, seed=3, count=20)
    boards = [found[number] for number in range(20)]
    for number, board in enumerate(boards):
        assert not board.is_game_over
        assert not any(turned_alike(board, other) for other in boards[:number])


def test_openings_follow_from_the_seed():
    start = OthelloBoard.start()
    few, many = Openings("random:6", start, seed=1, count=3), Openings("random:6", start, seed=1, count=10)
    assert [few[number] for number in range(3)] == [many[number] for number in range(3)]
    other = Openings("random:6", start, seed=2, count=3)
    assert [few[number] for number in range(3)] != [other[number] for number in range(3)]


@pytest.mark.parametrize("text", ["random:1", "random:0", "random", "", "layouts", "nowhere.txt", "nowhere.txt:3"])
def test_openings_that_do_not_suffice(text):
    with pytest.raises(OutflankError):
        Openings(text, OthelloBoard.start(), seed=1, count=2)


def test_openings_that_no_game_reaches():
    with pytest.raises(OutflankError, match="openings random:444: games end before ply 444; use fewer plies"):
        Openings("random:444", OthelloBoard.start(4), seed=1, count=2)


def test_openings_from_files(tmp_path):
    lines = tmp_path / "xot.txt"
    lines.write_text(
        "# eight plies\nf5d6c3d3c4f4f6f3\nf5f6e6f4e3d6g4d3\n\nc4c3d3c5b3f4b5b4 % third\nd3c3c4c5b3f4b5b4\n"
    )
    found = Openings(str(lines), OthelloBoard.start(), seed=1, count=3)
    assert {found[number].ply for number in range(3)} == {8}
    with pytest.raises(OutflankError, match="3 different openings"):  # the last is the third, turned
        Openings(str(lines), OthelloBoard.start(), seed=1, count=4)
    cut = Openings(f"{lines}:2", OthelloBoard.start(), seed=1, count=2)
    assert {cut[number].ply for number in range(2)} == {2}
    discs = OthelloBoard.start(scoring="discs")
    assert Openings(str(lines), discs, seed=1, count=1)[0].game == discs.game
    games = tmp_path / "games.ggf"
    games.write_text(
        "(;GM[Othello]PB[a]PW[b]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]"
        "B[F5]W[D6]B[C3];)\n"
    )
    assert Openings(f"{games}:2", OthelloBoard.start(), seed=1, count=1)[0].transcript() == "f5d6"
    with pytest.raises(OutflankError, match="another game"):
        Openings(str(games), AbaloneBoard.start(), seed=1, count=1)
    bad = tmp_path / "bad.txt"
    bad.write_text("f5d6\nf5a1\n")
    with pytest.raises(OutflankError, match="line 2"):
        Openings(str(bad), OthelloBoard.start(), seed=1, count=1)


def test_openings_of_abalone_from_a_layout(tmp_path):
    start = AbaloneBoard.start("belgian-daisy")
    lines = tmp_path / "daisies.txt"
    lines.write_text("a1b2\n")
    assert Openings(str(lines), start, seed=1, count=1)[0].ply == 1
    layouts = Openings("layouts", start, seed=1, count=10)
    assert {layouts[number].ply for number in range(10)} == {0}


# --- matches ---


def test_colours_are_swapped_and_no_game_repeats():
    result = play_match(small("lots", "greedy", games=20), make)
    assert len(result.games) == 20
    for first, second in zip(result.games[::2], result.games[1::2], strict=True):
        assert (first.black, first.white) == (second.white, second.black) == (0, 1)
        assert first.game.record.setup.moves[:3] == second.game.record.setup.moves[:3]
    assert len({kept.game.record.setup.moves for kept in result.games}) == 20
    openings = {kept.game.record.setup.moves[:3] for kept in result.games}
    assert len(openings) == 10


@pytest.mark.parametrize("players", [("lots", "greedy"), ("lots", "first", "greedy"), ("lots", "lots")])
def test_same_seed_same_games_whatever_the_concurrency(players):
    settings = small(*players, games=8, openings="random:4")
    alone = play_match(settings, make)
    assert moves_of(play_match(settings, make, concurrency=2)) == moves_of(alone)
    assert moves_of(play_match(settings, make, concurrency=3)) == moves_of(alone)
    other = play_match(small(*players, games=8, openings="random:4", seed=2), make)
    assert moves_of(other) != moves_of(alone)


@pytest.mark.parametrize(("loser", "reason"), [("crasher", "crashed"), ("cheat", "illegal move")])
def test_a_match_survives_its_players(loser, reason):
    made: list[str] = []

    def counted(text: str, game: Any) -> Any:
        made.append(text)
        return make(text, game)

    result = play_match(small("first", loser), counted)
    assert result.standing.complete
    assert result.standing.duel.losses == 0
    assert result.standing.forfeits == {1: {reason: 6}}
    assert made.count("first") == 1
    assert made.count(loser) == 6  # another one after each failure
    assert f"Lost  | {loser}: 6 {reason}" in report_text(result.standing)
    assert "no game that the rules ended" in report_text(result.standing)
    assert "Elo   | at least " in report_text(result.standing)


def test_a_match_survives_players_that_hang(monkeypatch):
    monkeypatch.setattr(seat, "GRACE_SECONDS", 0.05)
    result = play_match(small("first", "hung", games=2, clock=TimeControl.parse("0.4/move")), make)
    assert result.standing.forfeits == {1: {"time": 2}}


def test_a_player_that_cannot_be_made_again_loses():
    made: list[str] = []

    def once(text: str, game: Any) -> Any:
        made.append(text)
        if made.count("crasher") > 1:
            raise OSError("gone")
        return make(text, game)

    result = play_match(small("first", "crasher", games=4), once)
    assert result.standing.forfeits == {1: {"crashed": 4}}
    assert "cannot start: gone" in result.games[-1].game.ending.detail


def test_a_node_that_closes_waits_for_its_games():
    asked, stop = threading.Event(), Stop()

    class Asked(Patient):
        def choose(self, board: Board[Any], clock: Clock, *, stop: Stop | None = None) -> Choice:
            asked.set()
            return super().choose(board, clock, stop=stop)

    settings = small("first", "asked")
    worker = GameWorker(settings, lambda text, game: Asked())
    with ThreadPoolExecutor() as threads:
        game = threads.submit(ClusterLane(worker).play, next(settings.fixtures()), settings.start, stop)
        asked.wait(20)
        closing = threads.submit(worker.close)
        early, _ = wait([closing], timeout=0.05)
        stop()
    assert not early
    assert closing.result() is game.result() is None


def test_players_that_never_start_are_bad_usage():
    with pytest.raises(OutflankError, match="no player"):
        play_match(small("first", "nobody"), make)

    def failing(text: str, game: Any) -> Any:
        raise PlayerFailed("the command is not found")

    with pytest.raises(OutflankError, match="first: the command is not found"):
        play_match(small("first", "lots"), failing)


def test_settings_that_make_no_sense():
    for wrong in ({"games": 0}, {"ply_limit": 0}, {"lag_seconds": -1.0}):
        with pytest.raises(OutflankError):
            small("first", "lots", **wrong)
    with pytest.raises(OutflankError):
        small("first")
    with pytest.raises(OutflankError, match="two players"):
        small("first", "lots", "greedy", sprt=Sprt(elo0=0, elo1=5))
    with pytest.raises(OutflankError, match="at a time"):
        play_match(small("first", "lots"), make, concurrency=0)
    with pytest.raises(OutflankError, match="--out"):
        play_match(small("first", "lots"), make, resume=True)


def test_unpaired_games_have_an_opening_each():
    result = play_match(small("lots", "greedy", games=6, paired=False), make)
    assert [kept.black for kept in result.games] == [0, 1] * 3
    assert len({kept.game.record.setup.moves[:3] for kept in result.games}) == 6
    assert result.standing.duel.pairs is None
    assert result.standing.duel.observed.units == 6


def test_an_odd_game_is_counted_but_makes_no_pair():
    duel = play_match(small("lots", "greedy", games=5), make).standing.duel
    assert duel.games == 5
    assert duel.pairs is not None
    assert sum(duel.pairs) == 2


def test_round_robin():
    result = play_match(small("lots", "first", "greedy", games=4, openings="random:4"), make)
    standing = result.standing
    assert standing.planned == standing.finished == 12
    table = standing.crosstable
    for i in range(3):
        assert table[i][i] is None
        for j in range(3):
            if i != j:
                assert (table[i][j] or 0) + (table[j][i] or 0) == 4
    assert sum(each.elo for each in standing.ratings) == pytest.approx(0, abs=1e-9)
    lines = report_text(standing).splitlines()
    assert len(lines) == 4
    assert lines[0].split()[:2] == ["player", "Elo"]
    best_first = sorted(range(3), key=lambda player: -standing.ratings[player].elo)
    assert len({rating.elo for rating in standing.ratings}) == 3
    assert [line.split()[1] for line in lines[1:]] == [standing.names[player] for player in best_first]
    assert [kept.game.record.setup.moves[:4] for kept in result.games[:6]] == [
        result.games[0].game.record.setup.moves[:4]
    ] * 6


def test_mean_difference():
    duel = Duel(wins=2, draws=1, losses=1, margins=(10.0, 4.0, 0.0, -2.0))
    assert duel.margin == 3.0
    assert duel.margin_deviation == pytest.approx(5.29, abs=0.01)
    assert Duel().margin == Duel(wins=1, margins=(3.0,)).margin_error == 0.0


def test_report_lines():
    result = play_match(small("greedy", "lots", games=10), make)
    text = report_text(result.standing)
    lines = dict(line.split(" | ", 1) for line in text.splitlines()[1:])
    assert {word.strip() for word in lines} == {"Elo", "Games", "Penta", "nElo", "LOS", "Diff"}
    duel = result.standing.duel
    assert lines["Games"] == f"N: 10 W: {duel.wins} L: {duel.losses} D: {duel.draws}"
    assert lines["Elo  "].endswith("(95%)")


def fake(number: int, points: float) -> MatchGame:
    """A finished game of a schedule of two players."""
    game = play(First(), First(), OthelloBoard.start(4))
    assert game is not None
    ending = replace(game.ending, points=points if number % 2 == 0 else 1 - points)
    return MatchGame(number=number, black=number % 2, white=1 - number % 2, game=replace(game, ending=ending))


def test_margins_are_those_of_the_first_player_in_both_colours():
    margin = fake(0, 1.0).game.ending.score
    assert margin
    assert duel([fake(0, 1.0), fake(1, 1.0)], 0, 1, paired=True).margins == (margin, -margin)


def test_a_test_hears_pairs_in_the_order_of_the_schedule():
    settings = small("first", "lots", games=40, sprt=Sprt(elo0=0, elo1=300, scale="logistic"))
    games = [fake(number, 1.0) for number in range(40)]
    forth, back = Scorer(settings), Scorer(settings)
    for kept in games:
        forth.add(kept)
    for kept in reversed(games[2:]):
        back.add(kept)
    assert not back.decided  # the first pair is missing
    assert back.standing().test.llr == 0
    for kept in games[:2]:
        back.add(kept)
    assert forth.decided
    one, other = forth.standing(), back.standing()
    assert one.test == other.test
    assert one.test.units < 20
    assert one.duel == other.duel
    assert one.duel.games == 2 * one.test.units  # what came after the decision does not count
    assert one.finished == 40


def test_a_test_ends_a_match():
    settings = small("first", "cheat", games=30, openings="random:4", sprt=Sprt(elo0=0, elo1=300, scale="logistic"))
    for concurrency in (1, 2):
        standing = play_match(settings, make, concurrency=concurrency).standing
        assert standing.test.decision == "H1"
        assert standing.test.units == 6  # 2.94 / log(score_of(300) / 0.5), rounded up
        assert standing.complete
        assert standing.finished < 30


# --- on disk ---


def test_a_match_with_a_clock_in_bare_seconds_is_not_taken_for_minutes(tmp_path):
    settings = small("first", "lots", games=2, clock=TimeControl.parse("5+3"))
    play_match(settings, make, out=tmp_path)
    head = tmp_path / "match.json"
    assert '"clock": "5m+3s"' in head.read_text()
    head.write_text(head.read_text().replace('"5m+3s"', '"300+3"'))  # as it was written once
    with pytest.raises(OutflankError, match=r"another match: clock 300\+3$"):
        play_match(settings, make, out=tmp_path, resume=True)


def test_a_match_is_kept_and_resumed(tmp_path):
    settings = small("lots", "greedy", games=8)
    whole = play_match(settings, make)
    stop, seen = Stop(), []

    def finished(kept: MatchGame) -> None:
        seen.append(kept.number)
        if len(seen) == 3:
            stop()

    part = play_match(settings, make, out=tmp_path / "m", stop=stop, finished=finished)
    assert part.interrupted
    lines = (tmp_path / "m/games.jsonl").read_bytes()
    assert 3 <= lines.count(b"\n") < 8
    assert json.loads((tmp_path / "m/match.json").read_text())["complete"] is False
    with pytest.raises(OutflankError, match="--resume"):
        play_match(settings, make, out=tmp_path / "m")
    done = play_match(settings, make, out=tmp_path / "m", resume=True, concurrency=2)
    assert moves_of(done) == moves_of(whole)
    assert (tmp_path / "m/games.jsonl").read_bytes().startswith(lines)
    found = json.loads((tmp_path / "m/match.json").read_text())
    assert found["complete"] is True
    assert found["standing"]["finished"] == 8
    records = list(read_records(tmp_path / "m/games.ggf"))
    assert [record.setup.moves for record in records] == [kept.game.record.setup.moves for kept in whole.games]
    # Once more: nothing is left to play. It may be prolonged, though not shortened.
    again = play_match(settings, make, out=tmp_path / "m", resume=True)
    assert [kept.game.record for kept in again.games] == [kept.game.record for kept in done.games]
    longer = play_match(small("lots", "greedy", games=12), make, out=tmp_path / "m", resume=True)
    assert moves_of(longer)[:8] == moves_of(whole)
    assert len(longer.games) == 12
    with pytest.raises(OutflankError, match="more games"):
        play_match(settings, make, out=tmp_path / "m", resume=True)
    assert len(play_match(settings, make, out=tmp_path / "m", replace=True).games) == 8


def test_a_match_that_another_package_goes_on_with_says_so(tmp_path):
    settings = small("lots", "greedy", games=2)
    first, other = ({"commit": None, "package": {"sources": sources}} for sources in ("one", "two"))
    play_match(settings, make, out=tmp_path / "m", origin=first)
    for origin, said in ((first, first), (other, {**other, "resumed from": first})):
        play_match(settings, make, out=tmp_path / "m", resume=True, origin=dict(origin))
        assert json.loads((tmp_path / "m/match.json").read_text())["provenance"] == said


def test_an_abalone_match_is_kept(tmp_path):
    settings = Settings(players=("first", "lots"), start=AbaloneBoard.start(), games=2, ply_limit=6)
    whole = play_match(settings, make, out=tmp_path)
    again = play_match(settings, make, out=tmp_path, resume=True)
    assert [kept.game for kept in again.games] == [kept.game for kept in whole.games]
    assert len(list(read_records(tmp_path / "games.abalone"))) == 2


def test_a_torn_line_is_played_again(tmp_path):
    settings = small("lots", "greedy")
    whole = play_match(settings, make, out=tmp_path)
    path = tmp_path / "games.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]) + lines[4][:50])
    again = play_match(settings, make, out=tmp_path, resume=True)
    assert moves_of(again) == moves_of(whole)
    assert len(path.read_bytes().splitlines()) == 6


def test_damage_is_told(tmp_path):
    settings = small("lots", "greedy")
    with pytest.raises(OutflankError, match="No such file"):
        play_match(settings, make, out=tmp_path, resume=True)
    play_match(settings, make, out=tmp_path)
    path = tmp_path / "games.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"{}\n" + lines[2])
    with pytest.raises(OutflankError, match="line 2 is damaged"):
        play_match(settings, make, out=tmp_path, resume=True)
    with pytest.raises(OutflankError, match="another match: seed 1"):
        play_match(small("lots", "greedy", seed=2), make, out=tmp_path, resume=True)
    (tmp_path / "match.json").write_text("{")
    with pytest.raises(OutflankError, match="damaged"):
        play_match(settings, make, out=tmp_path, resume=True)
    (tmp_path / "match.json").write_text("{}")
    with pytest.raises(OutflankError, match="not a match"):
        play_match(settings, make, out=tmp_path, resume=True)


def test_openings_that_have_changed_are_noticed(tmp_path):
    lines = tmp_path / "openings.txt"
    lines.write_text("f5d6c3\nf5f6e6\nf5f4\n")
    settings = Settings(players=("first", "lots"), start=OthelloBoard.start(), games=4, openings=str(lines))
    play_match(settings, make, out=tmp_path / "m")
    lines.write_text("f5d6c4\nf5f6d3\nf5f4e3\n")
    with pytest.raises(OutflankError, match="another opening"):
        play_match(settings, make, out=tmp_path / "m", resume=True)


def test_one_process_at_a_time(tmp_path):
    settings = small("lots", "greedy")

    def meddle(kept: MatchGame) -> None:
        with pytest.raises(OutflankError, match="another process"):
            play_match(settings, make, out=tmp_path, resume=True)

    play_match(settings, make, out=tmp_path, finished=meddle)


def test_what_fails_in_a_callback_reaches_the_caller(tmp_path):
    def failing(kept: MatchGame) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        play_match(small("lots", "greedy"), make, out=tmp_path, finished=failing)
    assert len((tmp_path / "games.jsonl").read_bytes().splitlines()) == 1


def test_a_match_that_is_stopped_while_its_players_start_has_no_games(tmp_path):
    def stopped(text: str, game: Any) -> Any:
        raise Interrupted

    result = play_match(small("lots", "greedy"), stopped, out=tmp_path / "match")
    assert result.interrupted
    assert not result.games
    assert not (tmp_path / "match").exists()


def test_a_match_that_loses_its_cluster_waits_for_its_games():
    started, ended = threading.Event(), threading.Event()

    class Lost:
        def start(self, stop: Stop | None) -> None: ...

        @property
        def lanes(self) -> int:
            if started.is_set():
                raise OutflankError("the cluster is lost")
            return 1

        def do(self, item: Any, *, stop: Stop) -> None:
            started.set()
            while not stop.called:
                time.sleep(0.001)
            time.sleep(0.02)
            ended.set()

    with pytest.raises(OutflankError, match="the cluster is lost"):
        play_match(small("lots", "greedy"), make, tasks=Lost())
    assert ended.is_set()


def slowish() -> Settings:
    return small("slowish", "lots", games=60, openings="random:5")


def make_slowish(text: str, game: Any) -> Any:
    return Slow(seconds=0.004) if text == "slowish" else make(text, game)


def play_slowly(out: str) -> None:
    """What the process that will be killed does."""
    with contextlib.suppress(OutflankError):
        play_match(slowish(), make_slowish, out=out, resume=(Path(out) / "match.json").exists(), concurrency=2)


@pytest.mark.slow(6)
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal")
def test_a_killed_match_keeps_every_finished_game(tmp_path):
    """Killed twice, without a word of warning; then played to its end."""
    path = tmp_path / "games.jsonl"
    program = f"from tests.arena.test_arena import play_slowly; play_slowly({str(tmp_path)!r})"
    before = b""
    for enough in (4, 9):
        process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, env={**os.environ, "PYTHONPATH": "src"})
        deadline = time.monotonic() + 60
        while not path.exists() or path.read_bytes().count(b"\n") < enough:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept = path.read_bytes()
        assert kept.startswith(before)
        before = kept[: kept.rfind(b"\n") + 1]
    assert before.count(b"\n") < 60
    result = play_match(slowish(), make_slowish, out=tmp_path, resume=True, concurrency=2)
    lines = path.read_bytes()
    assert lines.startswith(before)
    assert sorted(json.loads(line)["game"] for line in lines.splitlines()) == list(range(60))
    assert moves_of(result) == moves_of(play_match(slowish(), make_slowish))


# --- the command ---


@pytest.fixture
def command(monkeypatch, capsys):
    """Runs the command with our players: status, output, errors."""
    monkeypatch.setattr(cli_match, "make_player", make)

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["match", "--size", "4", "--openings", "random:3", *arguments])
        out, err = capsys.readouterr()
        return left.value.code or 0, out, err

    return run


def test_command_prints_games_and_report(command, tmp_path):
    status, out, err = command("greedy", "lots", "--games", "4", "--out", str(tmp_path / "m"))
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert lines[0].startswith("1: greedy - lots ")
    assert lines[1].startswith("2: lots - greedy ")
    assert lines[4] == "greedy against lots"
    assert lines[6].startswith("Games | N: 4 W: ")
    found = json.loads((tmp_path / "m/match.json").read_text())
    assert found["provenance"]["machine"]
    status, _, err = command("greedy", "lots", "--games", "4", "--out", str(tmp_path / "m"))
    assert status == 2
    assert "--resume" in err
    status, again, _ = command("greedy", "lots", "--games", "4", "--out", str(tmp_path / "m"), "--resume")
    assert status == 0
    assert again.splitlines() == lines[4:]


def test_command_prints_json(command):
    status, out, _ = command("greedy", "lots", "first", "--games", "2", "--json", "--concurrency", "2")
    *games, whole = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert {game["schema"] for game in games} == {"outflank/match-game/1"}
    assert sorted(game["game"] for game in games) == list(range(6))
    assert whole["schema"] == "outflank/match-result/1"
    assert whole["complete"] is True
    assert whole["settings"]["players"] == ["greedy", "lots", "first"]
    assert len(whole["ratings"]) == 3


def test_command_says_no(command):
    test = ("--games", "20", "--sprt", "0,300", "--sprt-scale", "logistic")
    status, out, _ = command("cheat", "first", *test)
    assert status == 1
    assert "H0 accepted" in out
    assert "Lost  | cheat: " in out
    status, out, _ = command("first", "cheat", *test)
    assert status == 0
    assert "H1 accepted" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ("greedy",),
        (),
        ("greedy", "nobody"),
        ("greedy", "lots", "--clock", "soon"),
        ("greedy", "lots", "--sprt", "5"),
        ("greedy", "lots", "--games", "0"),
        ("greedy", "lots", "--openings", "random:1"),
        ("greedy", "lots", "--openings", "nowhere.txt"),
        ("greedy", "lots", "--concurrency", "0"),
        ("greedy", "lots", "--resume"),
        ("greedy", "lots", "--layout", "standard"),
        ("greedy", "lots", "first", "--sprt", "0,5"),
    ],
)
def test_command_refuses(command, arguments):
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1


def test_command_is_interrupted(command, monkeypatch, tmp_path):
    class Impatient(First):
        asked = 0

        def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
            Impatient.asked += 1
            if Impatient.asked == 12:
                signal.raise_signal(signal.SIGINT)
                time.sleep(0.2)
            return First.choose(self, board, clock)

    monkeypatch.setitem(KINDS, "first", Impatient)
    status, out, err = command("first", "greedy", "--games", "100", "--openings", "random:5", "--out", str(tmp_path))
    assert status == 130
    assert "Games | N: " in out
    assert " of 100 games" in out
    assert "--resume" in err
    assert json.loads((tmp_path / "match.json").read_text())["complete"] is False


def test_a_player_of_ours_that_crashes_makes_the_answer_no(command, monkeypatch):
    status, out, err = command("crasher", "first", "--games", "2")
    assert status == 1
    assert "Lost  | crasher: 2 crashed" in out
    assert err == "outflank: crasher crashed in 2 of its games: PlayerFailed: the engine has gone\n"
    monkeypatch.setitem(KINDS, "gtp: crasher", Crasher)  # a program's failures are its own
    assert command("gtp: crasher", "first", "--games", "2")[::2] == (0, "")


@pytest.mark.parametrize(
    "player",
    [
        "computer evaluation=mobilty",
        "computer algorithm=pvss",
        "computer ordering=size",
        "computer parallel=ybww",
        "computer parallel=ybw algorithm=uct",
        "computer algorithm=uct depth=4",
        "computer workers=20000",
        "computer table_bits=34",
        "computer depth=x",
    ],
)
def test_a_misspelt_player_is_refused_before_the_first_game(capsys, player):
    with pytest.raises(SystemExit) as left:
        main(["match", player, "random", "--games", "4"])
    assert left.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"points": "x"}, "line 2 is damaged: points: expected one of 0.0, 0.5, 1.0, found 'x'"),
        ({"moves": None}, "line 2 is damaged: moves: expected a list, found None"),
        ({"moves": [1, 10**30]}, "line 2 is damaged: moves[1]: expected a whole number from 0 to 65535"),
        ({"values": []}, "line 2 is damaged: values: expected"),
        ({"names": ["a"]}, "line 2 is damaged: names: expected 2 elements, found 1"),
        ({"score": float("nan")}, "line 2 is damaged: column 91: expected JSON, found 'NaN, "),
        ({"forfeited_by": "red"}, "line 2 is damaged: forfeited_by: expected one of black, white or nothing (null)"),
        ({"start": 7}, "line 2 is damaged: start: expected text, found 7"),
        ({"start": "------------XO-- X"}, "another opening"),
    ],
)
def test_one_line_says_where_a_match_is_damaged(tmp_path, damage, said):
    play_match(small("first", "greedy"), make, out=tmp_path)
    path = tmp_path / "games.jsonl"
    lines = path.read_text().splitlines()
    lines[1] = json.dumps({**json.loads(lines[1]), **damage})
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(OutflankError) as error:
        play_match(small("first", "greedy"), make, out=tmp_path, resume=True)
    assert said in str(error.value)
