"""What algorithms cost in whole games against a player who moves at random: report 001's measurements."""

import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from outflank.errors import UnknownName
from outflank.games.sides import Side
from outflank.kinds import Kind, Measured, Several, Shape
from outflank.lab.classroom import BrokenOff
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.measuring import (
    FEWEST_ROUNDS,
    WARM_DEPTH,
    Workers,
    alternating,
    beyond_cores,
    doubtful,
    grouped,
    number,
    too_short,
)
from outflank.lab.program_001 import start
from outflank.lab.report import Cell, Figure, Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.search_log import search, unnoted
from outflank.machine import usable_cores
from outflank.othello.board import OthelloBoard
from outflank.search.contract import Limits, Stop
from outflank.search.ordering import Ordering
from outflank.search.results import Result
from outflank.search.table import Table as Memory
from outflank.words import how_many

PLAIN: dict[str, Any] = {"evaluation": "mobility", "table_bits": None, "deepen": False, "passes": "ply"}
"""Report 001's searches: moves of one side minus those of the other, no table, one iteration, a pass is a ply."""

SQUARES = Ordering(sort="none")
"""Alpha-beta's order there: as the squares are numbered."""

BEST_FIRST = Ordering(weights={"mobility": 1}, sort="best", from_depth=1)
"""PVS's: the move with the best static value, then the others as the squares are numbered."""

_PVS: dict[str, Any] = {"algorithm": "pvs", "ordering": BEST_FIRST}
_ALPHABETA: dict[str, Any] = {"algorithm": "alphabeta", "ordering": SQUARES}

ALGORITHMS: dict[str, dict[str, Any]] = {
    "SerialPVS": _PVS,
    "AlphaBeta": _ALPHABETA,
    "ParallelPVS": {**_PVS, "parallel": "root-split", "share_alpha": False},
    "ParallelAlphaBeta": {**_ALPHABETA, "parallel": "root-split", "share_alpha": False},
    "Jamboree": {**_PVS, "parallel": "jamboree"},
    "SharedHashtable": {**_PVS, "parallel": "shared-table"},
    "YoungBrothersWait": {**_PVS, "parallel": "ybw"},
}
"""By report 001's names; the last one is ours. Its naive parallel versions give every root move a full window."""

TABLE_BITS = 20
"""Of the one that SharedHashtable keeps from turn to turn, as the report's does."""

FAULTS = (
    "Not repeated here are the faults of the report's own programs. Its Jamboree chooses a first child and then drops "
    "it, searching the lowest square in its place; it writes a scout's value before the beginning of its array; it "
    "never aborts the others at a cut-off (the word stands there and does nothing); and it opens full windows at the "
    "root. Its shared table is read while others write to it, and keeps bounds as if they were values. Its serial "
    "programs call the root's moves in a window that is not turned over (`lab nodes`). So the report's bars are no "
    "measure of these algorithms.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsParameters(Parameters):
    """What is timed."""

    depths: tuple[int, ...] = option((7, 8, 9), "Plies; report 001's figures have 9 to 12.")
    algorithms: tuple[str, ...] = option(tuple(ALGORITHMS), "By report 001's names.")
    workers: tuple[Workers, ...] = option(core_counts(), "Workers of the parallel ones.")
    games: int = option(5, "Games with each colour.")
    seed: int = option(1, "For the random player.")

    def __post_init__(self) -> None:
        super(TurnsParameters, self).__post_init__()
        for name in self.algorithms:
            if name not in ALGORITHMS:
                raise UnknownName.among("algorithm", name, ALGORITHMS)


def options_of(name: str, workers: int) -> dict[str, Any]:
    """How an algorithm searches; for a whole game: it has its table with it."""
    options = {**PLAIN, **ALGORITHMS[name], "workers": workers}
    if name == "SharedHashtable":
        options["table"] = Memory(TABLE_BITS)
        options["table"].clear()  # which touches every page: no turn has to wait for it
    return options


def game(
    depth: int, options: dict[str, Any], opponent: str, *, black: bool, seed: int = 1, stop: Stop
) -> Iterator[tuple[OthelloBoard, Result]]:
    """A game against a weak player: the board before each turn of ours, and what was found there."""
    board = start()
    random_ = random.Random(seed)
    ours = Side.BLACK if black else Side.WHITE
    while not board.is_game_over():
        if board.turn is not ours:
            moves = board.legal_moves
            board.push(str(moves[0] if opponent == "first" else random_.choice(moves)))
            continue
        if board.legal_moves[0].is_pass:
            board.push("pass")
            continue
        found = search(board, Limits(depth=depth), stop=stop, in_game=True, **options)
        if stop.called:
            raise BrokenOff
        yield board, found
        board.push(str(found.move))


def _timed(
    name: str, depth: int, workers: int, chosen: TurnsParameters, black: bool, number_: int, stop: Stop
) -> list[Sample]:
    """One game: a sample for each turn."""
    options = options_of(name, workers)
    with unnoted():
        search(start(), Limits(depth=min(depth, WARM_DEPTH)), **options)  # what is done once
    seed = 1000 * chosen.seed + 2 * number_ + black
    labels: Sample = {
        "algorithm": name,
        "depth": depth,
        "workers": workers,
        "colour": "black" if black else "white",
        "game": number_,
    }
    try:
        found = [each for _, each in game(depth, options, "random", black=black, seed=seed, stop=stop)]
    except BrokenOff:
        return []  # half a game has another mean
    return [
        {**labels, "turn": turn, "nodes": each.nodes, "seconds": each.seconds} for turn, each in enumerate(found, 1)
    ]


PLAYED: dict[str, Kind] = {
    "colour": Literal["black", "white"],
    "game": Several,
    "turn": Several,
    "nodes": Several,
}


class Times(Experiment[TurnsParameters]):
    """Time per turn against the random player, by depth and cores."""

    name = "times"
    question = "How long do serial and parallel algorithms think per turn, by depth and cores?"
    reports = ("001",)
    parameters = TurnsParameters

    def tasks(self, chosen: TurnsParameters) -> Sequence[Task]:
        sides = [
            (depth, name, workers, colour)
            for depth in chosen.depths
            for name in chosen.algorithms
            for workers in (chosen.workers if "parallel" in ALGORITHMS[name] else (1,))
            for colour in ("black", "white")
        ]
        return [
            Task(
                f"{name}, depth {depth}, {how_many(workers, 'worker')}, as {colour}, game {number_}",
                partial(_timed, name, depth, workers, chosen, colour == "black", number_),
                3.0**depth * (10.0 if ALGORITHMS[name].get("share_alpha") is False else 1.0) / workers,
            )
            for number_, (depth, name, workers, colour) in alternating(sides, chosen.games)
        ]

    def shape(self, chosen: TurnsParameters, sample: Sample) -> Shape:
        return sample_shape(PLAYED, algorithm=str, depth=Several, workers=Several, seconds=Measured)

    def conclude(self, chosen: TurnsParameters, samples: Sequence[Sample]) -> Conclusion:
        lines = [
            {"depth": depth, "algorithm": name, "workers": workers, **_mean(found)}
            for (depth, name, workers), found in grouped(samples, "depth", "algorithm", "workers").items()
        ]
        fastest = [row for row in _speedups(lines) if int(number(row["workers"])) <= usable_cores()]
        tables = [ReportTable.of("time per turn against the random player, by depth and cores", lines)]
        if fastest:
            tables.append(ReportTable.of("speed-up by depth", fastest))
        notes: tuple[str, ...] = (
            "A time is the mean over the turns of a game, as the report's program prints it; deviations are those of "
            "the games' means. Games of one number are played against the same random player.",
        )
        if {"Jamboree", "SharedHashtable"} & {str(row["algorithm"]) for row in lines}:
            notes += FAULTS
        return Conclusion(
            tables=tuple(tables),
            figures=(*_by_cores(lines), *_by_depth(fastest)),
            notes=(
                *notes,
                *too_short(_sides(samples)),
                *doubtful([_named(row) for row in fastest], FEWEST_ROUNDS),
                *beyond_cores({int(number(row["workers"])) for row in lines}),
            ),
        )


def _sides(samples: Sequence[Sample]) -> dict[str, Sequence[Sample]]:
    groups = grouped(samples, "algorithm", "depth", "workers").items()
    return {
        f"a turn of {name} at depth {depth} on {how_many(int(number(workers)), 'worker')}": found
        for (name, depth, workers), found in groups
    }


def _mean(found: Sequence[Sample]) -> Sample:
    """A bar of the report's: the mean of the games' times per turn, with their deviation."""
    games = [
        1000 * statistics.fmean(number(sample["seconds"]) for sample in game_)
        for game_ in grouped(found, "colour", "game").values()
    ]
    return {
        "mean per turn (ms)": statistics.fmean(games),
        "deviation over games (ms)": statistics.pstdev(games),
        "nodes per turn": round(statistics.fmean(number(sample["nodes"]) for sample in found)),
        "turns": len(found),
        "games": len(games),
    }


def _speedups(lines: Sequence[Sample]) -> Iterator[Sample]:
    """One worker's time by that of the most, of every parallel algorithm at every depth."""
    for (depth, name), rows in grouped(lines, "depth", "algorithm").items():
        by_workers = {int(number(row["workers"])): number(row["mean per turn (ms)"]) for row in rows}
        most = max(by_workers)
        if most > 1 and 1 in by_workers:
            yield {"depth": depth, "algorithm": name, "workers": most, "speed-up": by_workers[1] / by_workers[most]}


def _named(row: Sample) -> tuple[str, float, Cell]:
    return f"{row['algorithm']}, depth {row['depth']}", number(row["workers"]), row["speed-up"]


def _by_cores(lines: Sequence[Sample]) -> Iterator[Figure]:
    for (depth,), rows in grouped(lines, "depth").items():
        series = tuple(
            Series(
                name=str(name),
                points=tuple((f"{row['workers']}", number(row["mean per turn (ms)"])) for row in own),
                spread=tuple(_spread(row) for row in own),
            )
            for (name,), own in grouped(rows, "algorithm").items()
        )
        yield Plot(
            title=f"running times at depth {depth}",
            x="workers",
            y="time per turn (ms)",
            kind="bars",
            log_y=True,
            series=series,
            caption="Lines: a standard deviation of the games' means to either side.",
        )


def _spread(row: Sample) -> tuple[float, float]:
    mean, deviation = number(row["mean per turn (ms)"]), number(row["deviation over games (ms)"])
    return max(mean - deviation, 0.0), mean + deviation


def _by_depth(rows: Sequence[Sample]) -> Iterator[Figure]:
    if rows:
        series = tuple(
            Series(name=str(name), points=tuple((f"{row['depth']}", number(row["speed-up"])) for row in own))
            for (name,), own in grouped(rows, "algorithm").items()
        )
        yield Plot(title="speed-up by depth", x="depth (plies)", y="speed-up", kind="bars", series=series)
