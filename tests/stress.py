"""Thousands of short searches that are stopped, cut off and follow one another on the same tables.

Every search that ends by itself must have the value that one worker finds on a table of its own; every
entry of the tables must be true in the end; no crew may hang, or lose a frame or a thread. Workers
are made to stumble at the delicate places, more of them than cores.

python -m tests.stress [SEARCHES [SEED]]      ends with status 1 at the first mismatch
"""

import faulthandler
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from outflank import AbaloneBoard, Limits, OthelloBoard, Stop
from outflank.abalone.layouts import start as abalone_start
from outflank.abalone.rules import Abalone
from outflank.boards import Board
from outflank.games.evaluation import evaluation_named
from outflank.othello.squares import START, othello
from outflank.parallel.divided import Divided
from outflank.search.division import scheme_named
from outflank.search.results import Result
from outflank.search.table import Table
from outflank.search.whole_search import search
from tests.parallel.test_parallel import MOVE_PROMISED, SCHEMES, assert_true
from tests.walking import legal, walk

HANG_SECONDS = 120

EVALUATIONS = {"othello": ("discs", "mobility"), "abalone": ("rings",)}


class Stress:
    """One run, with what it has seen."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.seen: Counter[str] = Counter()
        self.boards: dict[str, list[Board]] = {"othello": [], "abalone": []}
        game, abalone = othello(8), Abalone(14, 6)
        for number in range(12):
            here = walk(game, START, number, 6 + 4 * number)
            if legal(game, here):
                self.boards["othello"].append(OthelloBoard(game, here))
            layout = ("standard", "belgian-daisy", "star")[number % 3]
            there = walk(abalone, abalone_start(layout), number, 3 * number)
            self.boards["abalone"].append(AbaloneBoard(abalone, there))
        self.values: dict[tuple[Any, ...], tuple[int, str]] = {}
        self.tables = {
            (name, evaluation): [Table(4), Table(9), Table(14)]
            for name, evaluations in EVALUATIONS.items()
            for evaluation in evaluations
        }

    def alone(self, name: str, number: int, evaluation: str, depth: int, ties: str) -> tuple[int, str]:
        """What one worker finds."""
        key = (name, number, evaluation, depth, ties)
        if key not in self.values:
            limits = Limits(depth=depth)
            found = search(self.boards[name][number], limits, workers=1, evaluation=evaluation, ties=ties)
            self.values[key] = (found.value, str(found.move))
        return self.values[key]

    def once(self) -> None:
        """One search: stopped by another thread, by its nodes, or left alone."""
        random = self.random
        name = str(random.choice(list(self.boards)))
        number = int(random.integers(len(self.boards[name])))
        evaluation = str(random.choice(EVALUATIONS[name]))
        deepest = 7 if name == "othello" else 4
        depth = int(random.integers(2, deepest + 1))
        scheme = str(random.choice(SCHEMES))
        options: dict[str, Any] = {
            "parallel": scheme,
            "algorithm": str(random.choice([one for one in scheme_named(scheme).algorithms if one != "minimax"])),
            "workers": int(random.choice([1, 2, 2, 3, 4, 8])),
            "threshold": int(random.integers(1, 6)),
            "evaluation": evaluation,
            "aspiration": [None, 1, 30][random.integers(3)],
            "deepen": bool(random.integers(2)),
            "ties": str(random.choice(["first", "lowest", "highest"])),
            "schedule": ["one", "rows", "static", 2][random.integers(4)],
            "pace": int(random.choice([0, 0, 50])),
            "table": self.tables[name, evaluation][random.integers(3)],
        }
        kind = random.integers(4)
        board = self.boards[name][number]
        if kind == 0:
            stop = Stop()
            timer = threading.Timer(float(random.random() * random.choice([0.0005, 0.005])), stop)
            timer.start()
            found = search(board, Limits(depth=depth + 4), stop=stop, **options)
            timer.cancel()
            timer.join()
        elif kind == 1:
            found = search(board, Limits(depth=depth + 4, nodes=int(random.integers(1, 20_000))), **options)
        else:
            found = search(board, Limits(depth=depth), **options)
        self.check(name, number, evaluation, found, options)

    def check(self, name: str, number: int, evaluation: str, found: Result, options: dict[str, Any]) -> None:
        self.seen["stopped" if found.stopped else "finished"] += 1
        for worker in found.workers:
            self.seen["aborts sent"] += worker.aborts_sent
            self.seen["aborts obeyed"] += worker.aborts_obeyed
            self.seen["moves of others"] += worker.stolen
        deepest = 7 if name == "othello" else 4
        if 0 < found.depth <= deepest and (not found.stopped or options["deepen"]):
            # What a stopped search returns is its last whole iteration.
            expected, move = self.alone(name, number, evaluation, found.depth, options["ties"])
            assert found.value == expected, (name, number, found.depth, found.value, expected, options)
            self.seen["values compared"] += 1
            if options["parallel"] in MOVE_PROMISED and options["ties"] != "first":
                assert str(found.move) == move, (name, number, found.depth, str(found.move), move, options)
                self.seen["moves compared"] += 1

    def check_tables(self) -> None:
        """Every entry that the definition can reach is true."""
        for (name, evaluation), tables in self.tables.items():
            game = self.boards[name][0].game
            for table in tables:
                named = evaluation_named(game, evaluation)
                self.seen["entries compared"] += assert_true(table, game, named, 500, 4 if name == "othello" else 2)


def run(searches: int, seed: int, report: Callable[[int, Counter[str]], None] | None = None) -> Counter[str]:
    """So many searches; what was seen."""
    prepare, close = Divided.prepare, Divided.close
    stress = Stress(seed)

    def stumble_and_prepare(division: Divided) -> None:
        division.crew.crew.stumble = int(stress.random.choice([0, 2, 5]))
        prepare(division)

    def close_and_count(division: Divided) -> None:
        close(division)
        hands = division.crew.hands
        assert hands["frames"].sum() == hands["released"].sum(), "a frame was lost"
        assert (hands["top"] == hands["bottom"]).all(), "a permit was left"
        stress.seen["frames"] += int(hands["frames"].sum())
        stress.seen["nodes for want of a frame"] += int(hands["shortages"].sum())

    threads = threading.active_count()
    Divided.prepare, Divided.close = stumble_and_prepare, close_and_count  # type: ignore[method-assign]
    try:
        for number in range(searches):
            faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
            stress.once()
            faulthandler.cancel_dump_traceback_later()
            if report is not None and number % 500 == 499:
                report(number + 1, stress.seen)
    finally:
        faulthandler.cancel_dump_traceback_later()
        Divided.prepare, Divided.close = prepare, close  # type: ignore[method-assign]
    stress.check_tables()
    assert threading.active_count() <= threads, "a thread was left behind"
    return stress.seen


def main() -> int:
    searches = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    started = time.perf_counter()

    def report(done: int, seen: Counter[str]) -> None:
        print(f"{done:,} searches, {time.perf_counter() - started:.0f} s: {dict(seen)}", flush=True)

    try:
        seen = run(searches, seed, report)
    except AssertionError as error:
        print(f"seed {seed}: {error}")
        return 1
    print(f"all {searches:,} searches agree, {time.perf_counter() - started:.0f} s: {dict(seen)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
