"""Three tables of the reports: 000's threshold, 002's granularity, 001's levels of Jamboree.

python -m benchmarks.sweeps threshold|granularity|levels [WORKERS [ROUNDS]]
"""

import statistics
import sys
from collections.abc import Callable
from typing import Any

from benchmarks.common import save
from benchmarks.positions import positions
from benchmarks.reports import MIDGAME, REPORT_000, START
from outflank import Limits
from outflank.boards import Board
from outflank.machine import usable_cores
from outflank.search.contract import Result
from outflank.search.deepening import search

Row = dict[str, float | int | str]


def row_of(found: list[Result], workers: int) -> Row:
    """The medians of some runs, in report 000's columns and ours."""

    def median(measure: Callable[[Result], float]) -> float:
        return statistics.median(measure(result) for result in found)

    tried = sum(worker.steals_tried for result in found for worker in result.workers)
    won = sum(worker.steals_won for result in found for worker in result.workers)
    return {
        "useful s per worker": round(median(lambda r: sum(w.useful_seconds for w in r.workers) / workers), 3),
        "overhead s per worker": round(
            median(lambda r: r.seconds - sum(w.useful_seconds for w in r.workers) / workers), 3
        ),
        "time s": round(median(lambda r: r.seconds), 3),
        "steal success": f"{100 * won / tried:.3f} %" if tried else "-",
        "nodes": round(median(lambda r: r.nodes)),
        "moves offered": round(median(lambda r: sum(w.spawned for w in r.workers))),
        "steals": round(median(lambda r: sum(w.steals_won for w in r.workers))),
        "aborts": round(median(lambda r: sum(w.aborts_sent for w in r.workers))),
    }


def measured(sides: dict[str, tuple[Board[Any], int, dict[str, Any]]], workers: int, rounds: int) -> dict[str, Row]:
    """Each side in turn, round after round."""
    runs: dict[str, list[Result]] = {name: [] for name in sides}
    for number in range(rounds):
        for name, (board, depth, options) in sides.items():
            runs[name].append(search(board, Limits(depth=depth), **options))
            print(f"{number + 1}/{rounds} {name}: {runs[name][-1].seconds:.2f} s", file=sys.stderr, flush=True)
    assert len({result.value for taken in runs.values() for result in taken}) == 1, "the value differs"
    return {
        name: row_of(taken, workers) | {"speed-up": 0.0 if name == "alone" else speed_up(runs["alone"], taken)}
        for name, taken in runs.items()
    }


def speed_up(alone: list[Result], taken: list[Result]) -> float:
    return round(
        statistics.median(one.seconds / other.seconds for one, other in zip(alone, taken, strict=True)),
        3,
    )


def threshold(workers: int) -> dict[str, tuple[Board[Any], int, dict[str, Any]]]:
    """Report 000's `par`: MTD(f) whose null-window searches are divided, from its start position."""
    sides = {
        f"threshold {depth}": (START, 15, {**REPORT_000, "parallel": "ybw", "workers": workers, "threshold": depth})
        for depth in (1, 3, 5, 7, 9)
    }
    return {"alone": (START, 15, {**REPORT_000, "workers": 1}), **sides}


def granularity(workers: int) -> dict[str, tuple[Board[Any], int, dict[str, Any]]]:
    """Report 002's: the depth at which fork-join minimax goes on alone."""
    plain = {"algorithm": "minimax", "evaluation": "discs", "deepen": False}
    sides = {
        f"granularity {depth}": (MIDGAME, 7, {**plain, "parallel": "fork-join", "workers": workers, "threshold": depth})
        for depth in (1, 2, 3, 4, 5, 6)
    }
    return {"alone": (MIDGAME, 7, {**plain, "workers": 1}), **sides}


def levels(workers: int) -> dict[str, tuple[Board[Any], int, dict[str, Any]]]:
    """Report 001's: how many plies from the root Jamboree divides; it chose log2 of the processors."""
    board, depth = positions("othello")[4]
    sides = {
        f"levels {number}": (
            board,
            depth,
            {"parallel": "jamboree", "workers": workers, "levels": number, "threshold": 1},
        )
        for number in (1, 2, 3, 4, 6, 8)
    }
    return {"alone": (board, depth, {"workers": 1}), **sides}


SWEEPS = {"threshold": threshold, "granularity": granularity, "levels": levels}


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in SWEEPS:
        sys.exit(f"one of {', '.join(SWEEPS)}: python -m benchmarks.sweeps NAME [WORKERS [ROUNDS]]")
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else max(int(usable_cores()), 1)
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    rows = measured(SWEEPS[sys.argv[1]](workers), workers, rounds)
    columns = list(next(iter(rows.values())))
    print(f"{'':<16}" + "".join(f"{column:>23}" for column in columns))
    for name, row in rows.items():
        print(f"{name:<16}" + "".join(f"{row[column]:>23}" for column in columns))
    save(f"sweep-{sys.argv[1]}", {"workers": workers, "rounds": rounds}, rows)


if __name__ == "__main__":
    main()
