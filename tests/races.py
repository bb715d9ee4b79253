"""Races of many different searches, under many schedules: every scheme, drawn options, both games.

Ends with status 1 if there is a race that no line declares, a search that does not end, or a wrong value. Tells
all races that are declared, and the declarations at which none was seen.

NUMBA_DISABLE_JIT=1 python -m tests.races [CHECKS [SEED]]
"""

import sys
import time
from typing import Any
from unittest import mock

import numpy as np

from outflank import AbaloneBoard, OthelloBoard
from outflank.abalone.layouts import start as abalone_start
from outflank.abalone.rules import Abalone
from outflank.lab.races import RaceFindings, check, together
from outflank.othello.squares import START, othello
from outflank.parallel import crew
from outflank.search.division import scheme_named
from tests.parallel.test_parallel import SCHEMES
from tests.walking import legal, walk


def drawn(random: np.random.Generator) -> tuple[Any, dict[str, Any]]:
    """A board, and how to search it."""
    scheme = str(random.choice([*SCHEMES, "ybw", "ybw"]))  # more of the one that has most to offer
    options: dict[str, Any] = {
        "parallel": scheme,
        "algorithm": str(random.choice(scheme_named(scheme).algorithms)),
        "workers": int(random.choice([2, 3, 3, 4])),
        "threshold": int(random.integers(0, 3)),
        "levels": [None, None, 2][random.integers(3)],
        "table_bits": [None, 4, 4, 8][random.integers(4)],
        "schedule": ["one", "one", "rows", "static", 2][random.integers(5)],
        "ties": ["first", "lowest"][random.integers(2)],
        "share_alpha": bool(random.integers(4)),
        "deepen": bool(random.integers(2)),
        "canonical": not random.integers(4),
        "pace": int(random.choice([0, 0, 7])),
        "nodes": [None, None, None, int(random.integers(20, 300))][random.integers(4)],
    }
    if options["ties"] == "first" and options["algorithm"] == "mtdf":
        options["ties"] = "lowest"
    if random.integers(5) == 0:
        game: Any = Abalone(14, 6)
        position = walk(game, abalone_start("belgian-daisy"), int(random.integers(1000)), int(random.integers(20)))
        if options["algorithm"] in ("minimax", "mtdf"):
            options["threshold"] = 1  # some thousand moves, again and again: too many to be watched one by one
        return AbaloneBoard(game, position), {**options, "depth": 2, "evaluation": "rings"}
    size = int(random.choice([4, 6, 8]))
    game = othello(size)
    position = START
    while True:
        position = walk(game, START, int(random.integers(1000)), int(random.integers(size * size - 10)))
        if legal(game, position):
            break
    depth = int(random.integers(2, 5)) + (options["algorithm"] != "minimax" and size == 4)
    return OthelloBoard(game, position), {**options, "depth": depth, "evaluation": "discs"}


def run(checks: int, seed: int, schedules: int = 3) -> RaceFindings:
    """So many checks of some schedules each."""
    random = np.random.default_rng(seed)
    found = []
    for number in range(checks):
        board, options = drawn(random)
        # Few frames, so that those which others gave back are soon taken again.
        with mock.patch.object(crew, "POOL", [1, 2, 4, crew.POOL][random.integers(4)]):
            findings = check(board, seed=seed * 1_000_000 + number, schedules=schedules, **options)
        if not findings.passed:
            print(f"check {number}: {board!r} {options}")
            tell(findings)
        found.append(findings)
    return together(found)


def tell(findings: RaceFindings) -> None:
    """What is wrong."""
    for line in (*findings.unfinished, *(f"{found} instead of {right}" for found, right in findings.wrong)):
        print(f"    {line}")
    for race in findings.undeclared:
        print(f"    {race}")


def main() -> int:
    checks = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    started = time.perf_counter()
    found = run(checks, seed)
    for race in found.races:
        if race.declared:
            print(f"declared: {race}: {race.reason}")
    for declaration in found.unseen:
        print(f"declared, not seen: {declaration.place}: {declaration.reason}")
    seconds = time.perf_counter() - started
    print(f"{found.schedules:,} schedules, {found.steps:,} steps, {found.accesses:,} accesses, {seconds:.0f} s")
    print("passed" if found.passed else "failed")
    return 0 if found.passed else 1


if __name__ == "__main__":
    sys.exit(main())
