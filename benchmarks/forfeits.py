"""Games lost on time: two of our players at short clocks, on a quiet machine and beside busy loops.

python -m benchmarks.forfeits CLOCK:GAMES … [--loops 0,2,8] [--lanes N] [--game othello] [--label NAME]

`0.1s/move:200 10s:20` plays 200 games at a tenth of a second a move and 20 of ten seconds a side, each with as many
busy loops beside it as `--loops` says. Lanes are processes that play games at the same time: more than one is a load of
its own. Loops and lanes are processes in sessions of their own, as programs that a user starts from several terminals.
For each clock and load: games, forfeits on time, what of the time for a move was used by those that were searched to
its end (median), the latest move, how long the games took, and the processor time that the host of a virtual machine
took from it meanwhile: that machine is not as quiet as it seems. Where stalls of the cores can be watched
(`benchmarks/stalls.py`): how many were longer than the reserve of a quiet machine, and how many of the late moves had
such a stall in them. Finished games are printed as they come.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import Queue
from typing import Any

from benchmarks.common import save
from benchmarks.stalls import StallMonitor
from outflank.arena.openings import Openings
from outflank.arena.referee import TIME, play
from outflank.boards import Board
from outflank.games.description import GAMES
from outflank.players.clock import Clock, TimeControl
from outflank.players.player import Choice, Player
from outflank.players.specs import player
from outflank.players.timing import LEAST_MARGIN, LEAST_RESERVE, LEAST_SHARE
from outflank.search.request import Stop

BUSY = "while True: pass"

OPENINGS = "random:8"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedGame:
    """What a game says about the clock."""

    forfeited: str
    """How it was lost on time, in words; empty: it was not."""
    seconds: float
    """Of the whole game."""
    moves: tuple[float, ...]
    """Seconds that each move took, those of the opening left out."""
    stolen_seconds: float
    """Processor time that the host of a virtual machine took from it during the game; 0 where that is not known."""
    last_move: tuple[float, float]
    """When the last move was begun and when the game ended, by `time.perf_counter`."""
    stall_seconds: float = 0.0
    """Longest stall of a core during a late move; 0 where stalls cannot be watched."""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.forfeits", description=__doc__)
    parser.add_argument("plan", nargs="+", metavar="CLOCK:GAMES")
    parser.add_argument("--loops", default="0,2,8", metavar="N,…")
    parser.add_argument("--lanes", type=int, default=1, metavar="N")
    parser.add_argument("--game", default="othello")
    parser.add_argument("--player", default="computer workers=1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--label", default="")
    parser.add_argument("--lane", type=int, default=None, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.lane is not None:
        (plan,) = options.plan
        play_lane(plan, options)
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # or the loops would go on for good
    figures: dict[str, Any] = {}
    samples: dict[str, Any] = {}
    for plan in options.plan:
        for loops in map(int, options.loops.split(",")):
            name = f"{plan.rpartition(':')[0]}, {loops} loops"
            with busy_loops(loops), StallMonitor() as monitor:
                games = list(played(plan, options, name, monitor))
            figures[name] = summary(games, plan) | stalls_of(games, plan, monitor)
            samples[name] = [asdict(each) for each in games if each.forfeited]
            print(f"{name}: {figures[name]}", flush=True)
    save("forfeits", figures, samples, variant=options.label)


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """So many programs that do nothing but keep a core busy."""
    programs = [subprocess.Popen([sys.executable, "-c", BUSY], start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def played(plan: str, options: Any, name: str, monitor: StallMonitor) -> Iterator[TimedGame]:
    """The games of a plan, by all lanes."""
    clock, _, games = plan.rpartition(":")
    lanes: list[subprocess.Popen[str]] = []
    for number in range(options.lanes):
        share = len(range(number, int(games), options.lanes))
        command = [sys.executable, "-m", "benchmarks.forfeits", f"{clock}:{share}", "--lane", str(number)]
        command += ["--game", options.game, "--player", options.player, "--seed", str(options.seed)]
        lanes.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True))
    lines: Queue[str | None] = Queue()  # read as they come: a lane whose pipe is full would stand still

    def listen(lane: "subprocess.Popen[str]") -> None:
        assert lane.stdout is not None
        for line in lane.stdout:
            lines.put(line)
        lines.put(None)

    try:
        for lane in lanes:
            threading.Thread(target=listen, args=(lane,), daemon=True).start()
        under_way = len(lanes)
        while under_way:
            line = lines.get()
            if line is None:
                under_way -= 1
                continue
            game = TimedGame(**json.loads(line))
            told = f"{game.stolen_seconds:.2f} s stolen"
            if game.forfeited:
                time.sleep(0.1)  # what is watched may be told a little later
                game = replace(game, stall_seconds=round(monitor.longest_seconds(*game.last_move), 4))
                told += f", lost: {game.forfeited}, longest stall {1000 * game.stall_seconds:.0f} ms"
            print(f"{name}: {game.seconds:.1f} s, {told}", file=sys.stderr, flush=True)
            yield game
        if any(lane.wait() for lane in lanes):
            raise SystemExit("a lane has failed")
    finally:
        for lane in lanes:
            if lane.poll() is None:
                lane.terminate()
                lane.wait()


def play_lane(plan: str, options: Any) -> None:
    """Play games one after the other, and print each as a line of JSON."""
    clock, _, games = plan.rpartition(":")
    start = GAMES.parts()[options.game].start()
    players = [player(options.player, start.game) for _ in range(2)]
    begun: list[float] = []
    for each in players:
        note_when_begun(each, begun)
    openings = Openings(OPENINGS, start, seed=1000 * options.seed + options.lane, count=int(games))
    for number in range(int(games)):
        board = openings[number]
        began, stolen = time.perf_counter(), stolen_seconds()
        game = play(players[number % 2], players[1 - number % 2], board, control=TimeControl.parse(clock))
        ended = time.perf_counter()
        assert game is not None
        timed = [round(move.seconds, 4) for move in game.record.moves if move.seconds is not None]
        lost = game.ending.detail if game.ending.reason == TIME else ""
        line = TimedGame(
            forfeited=lost,
            seconds=round(ended - began, 2),
            moves=tuple(timed),
            stolen_seconds=round(stolen_seconds() - stolen, 2),
            last_move=(begun[-1], ended),
        )
        print(json.dumps(asdict(line)), flush=True)


def note_when_begun(player: Player, begun: list[float]) -> None:
    """Have a player append to `begun` when its clock was started for each of its moves."""
    choose = player.choose

    def noted(board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        begun.append(time.perf_counter() if clock.started is None else clock.started)
        return choose(board, clock, stop=stop)

    setattr(player, "choose", noted)  # noqa: B010, an assignment to a method is an error to mypy


def stolen_seconds() -> float:
    """Return the time that the host has taken from the processors of this process so far, by Linux's count."""
    statistics_file = Path("/proc/stat")
    if not statistics_file.exists():
        return 0.0
    names = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    rows = (line.split() for line in statistics_file.read_text().splitlines())
    return sum(int(row[8]) for row in rows if row[0] in names) / os.sysconf("SC_CLK_TCK")


def summary(games: Sequence[TimedGame], plan: str) -> dict[str, Any]:
    """The row of a table."""
    whole = TimeControl.parse(plan.rpartition(":")[0]).move_seconds
    moves = [seconds for game in games for seconds in game.moves]
    row: dict[str, Any] = {
        "games": len(games),
        "forfeits": sum(bool(game.forfeited) for game in games),
        "moves": len(moves),
        "game_seconds": round(statistics.median(game.seconds for game in games), 2),
        "stolen_seconds": round(sum(game.stolen_seconds for game in games), 2),
    }
    if whole is not None:
        thought = [seconds for seconds in moves if seconds > whole / 2]
        row["used"] = round(statistics.median(thought) / whole, 4) if thought else 0.0
        row["latest"] = round(max(moves) / whole, 4)
    return row


def stalls_of(games: Sequence[TimedGame], plan: str, monitor: StallMonitor) -> dict[str, int]:
    """How often a core stood still for longer than a player keeps in reserve on a quiet machine, and in late moves."""
    if not monitor.is_watching:
        return {}
    whole = TimeControl.parse(plan.rpartition(":")[0]).move_seconds
    reserve = LEAST_MARGIN if whole is None else max(LEAST_RESERVE, min(LEAST_SHARE * whole, LEAST_MARGIN))
    late = sum(game.stall_seconds > reserve for game in games)
    return {"stalls": monitor.count(reserve), "forfeits_stalled": late}


if __name__ == "__main__":
    main()
