"""Experiment `times`: time per turn of report 001's algorithms, in whole games against a random player."""

import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from outflank.errors import UnknownName
from outflank.games.sides import Side
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.experiment_report import Cell, Figure, Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.search_log import search, without_logging
from outflank.lab.measuring.search_samples import (
    FEWEST_ROUNDS,
    WARM_DEPTH,
    Workers,
    alternating,
    grouped,
    number,
    short_search_warnings,
    speed_up_warnings,
    worker_count_warnings,
)
from outflank.lab.report_programs.classroom import BrokenOff
from outflank.lab.report_programs.program_001 import start
from outflank.machine import usable_cores
from outflank.othello.board import OthelloBoard
from outflank.search.keywords import SearchArguments
from outflank.search.ordering import Ordering
from outflank.search.request import Limits, Stop
from outflank.search.results import Result
from outflank.search.table import Table as Memory
from outflank.validation.documents import Measured, Several
from outflank.validation.text import how_many
from outflank.validation.values import Kind, Shape

PLAIN: SearchArguments = {"evaluation": "mobility", "table_bits": None, "deepen": False, "passes": "ply"}
"""Options of report 001's searches: mobility evaluation, no table, one iteration, and a pass costs a ply."""

SQUARES = Ordering(sort="none")
"""Move order of alpha-beta in report 001: by square number."""

BEST_FIRST = Ordering(weights={"mobility": 1}, sort="best", from_depth=1)
"""Move order of PVS in report 001: the move with the best static value first, then all other moves by square number."""

_PVS: SearchArguments = {"algorithm": "pvs", "ordering": BEST_FIRST}
_ALPHABETA: SearchArguments = {"algorithm": "alphabeta", "ordering": SQUARES}

ALGORITHMS: dict[str, SearchArguments] = {
    "SerialPVS": _PVS,
    "AlphaBeta": _ALPHABETA,
    "ParallelPVS": {**_PVS, "parallel": "root-split", "share_alpha": False},
    "ParallelAlphaBeta": {**_ALPHABETA, "parallel": "root-split", "share_alpha": False},
    "Jamboree": {**_PVS, "parallel": "jamboree"},
    "SharedHashtable": {**_PVS, "parallel": "shared-table"},
    "ABDADA": {**_PVS, "parallel": "abdada"},
    "YoungBrothersWait": {**_PVS, "parallel": "ybw"},
}
"""Search options of each algorithm, by its name in report 001. The report did not get as far as ABDADA, and
`YoungBrothersWait` is our addition. The naive versions `ParallelPVS` and `ParallelAlphaBeta` search every root move in
a full window."""

WITH_TABLE = ("SharedHashtable", "ABDADA")
"""Algorithms whose workers share a table."""

TABLE_BITS = 20
"""Index bits of the shared table, which is kept from turn to turn as in report 001's program."""

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
    """Parameters of the experiment `times`."""

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


def options_of(name: str, workers: int) -> SearchArguments:
    """Return the search options of algorithm `name` for a whole game, with a new table if it needs one."""
    options = {**PLAIN, **ALGORITHMS[name], "workers": workers}
    if name in WITH_TABLE:
        options["table"] = Memory(TABLE_BITS)
        options["table"].clear()  # touches every page, so that no turn pays for it
    return options


def game(
    depth: int, options: SearchArguments, opponent: str, *, black: bool, seed: int = 1, stop: Stop
) -> Iterator[tuple[OthelloBoard, Result]]:
    """Play a game against `opponent`. Yield the board before each of our turns, and the result of our search."""
    board = start()
    random_ = random.Random(seed)
    ours = Side.BLACK if black else Side.WHITE
    while not board.is_game_over:
        if board.turn is not ours:
            moves = board.legal_moves
            board.push(str(moves[0] if opponent == "first" else random_.choice(moves)))
            continue
        if board.legal_moves[0].is_pass:
            board.push("pass")
            continue
        result = search(board, Limits(depth=depth), stop=stop, in_game=True, **options)
        if stop.called:
            raise BrokenOff
        yield board, result
        board.push(str(result.move))


def _time_game(
    name: str, depth: int, workers: int, parameters: TurnsParameters, black: bool, game_number: int, stop: Stop
) -> list[Sample]:
    """Play one game of algorithm `name`, and return a sample of each turn."""
    options = options_of(name, workers)
    with without_logging():
        search(start(), Limits(depth=min(depth, WARM_DEPTH)), **options)  # warms up
    seed = 1000 * parameters.seed + 2 * game_number + black
    labels: Sample = {
        "algorithm": name,
        "depth": depth,
        "workers": workers,
        "colour": "black" if black else "white",
        "game": game_number,
    }
    try:
        results = [result for _, result in game(depth, options, "random", black=black, seed=seed, stop=stop)]
    except BrokenOff:
        return []  # an unfinished game has a different mean
    return [
        {**labels, "turn": turn, "nodes": result.nodes, "seconds": result.seconds}
        for turn, result in enumerate(results, 1)
    ]


PLAYED: dict[str, Kind] = {
    "colour": Literal["black", "white"],
    "game": Several,
    "turn": Several,
    "nodes": Several,
}


class Times(Experiment[TurnsParameters]):
    """Measures the time per turn against the random player, by algorithm, depth and number of workers."""

    name = "times"
    question = "How long do serial and parallel algorithms think per turn, by depth and cores?"
    reports = ("001",)
    parameters = TurnsParameters

    def tasks(self, parameters: TurnsParameters) -> Sequence[Task]:
        sides = [
            (depth, name, workers, colour)
            for depth in parameters.depths
            for name in parameters.algorithms
            for workers in (parameters.workers if "parallel" in ALGORITHMS[name] else (1,))
            for colour in ("black", "white")
        ]
        return [
            Task(
                f"{name}, depth {depth}, {how_many(workers, 'worker')}, as {colour}, game {game_number}",
                partial(_time_game, name, depth, workers, parameters, colour == "black", game_number),
                3.0**depth * (10.0 if ALGORITHMS[name].get("share_alpha") is False else 1.0) / workers,
            )
            for game_number, (depth, name, workers, colour) in alternating(sides, parameters.games)
        ]

    def shape(self, parameters: TurnsParameters, sample: Sample) -> Shape:
        return sample_shape(PLAYED, algorithm=str, depth=Several, workers=Several, seconds=Measured)

    def conclude(self, parameters: TurnsParameters, samples: Sequence[Sample]) -> Conclusion:
        lines = [
            {"depth": depth, "algorithm": name, "workers": workers, **_mean(group)}
            for (depth, name, workers), group in grouped(samples, "depth", "algorithm", "workers").items()
        ]
        speed_ups = [row for row in _speedups(lines) if int(number(row["workers"])) <= usable_cores()]
        tables = [ReportTable.of("time per turn against the random player, by depth and cores", lines)]
        if speed_ups:
            tables.append(ReportTable.of("speed-up by depth", speed_ups))
        notes: tuple[str, ...] = (
            "A time is the mean over the turns of a game, as the report's program prints it; deviations are those of "
            "the games' means. Games of one number are played against the same random player.",
        )
        if {"Jamboree", "SharedHashtable"} & {str(row["algorithm"]) for row in lines}:
            notes += FAULTS
        return Conclusion(
            tables=tuple(tables),
            figures=(*_by_cores(lines), *_by_depth(speed_ups)),
            notes=(
                *notes,
                *short_search_warnings(_sides(samples)),
                *speed_up_warnings([_labelled_speed_up(row) for row in speed_ups], FEWEST_ROUNDS),
                *worker_count_warnings({int(number(row["workers"])) for row in lines}),
            ),
        )


def _sides(samples: Sequence[Sample]) -> dict[str, Sequence[Sample]]:
    groups = grouped(samples, "algorithm", "depth", "workers").items()
    return {
        f"a turn of {name} at depth {depth} on {how_many(int(number(workers)), 'worker')}": group
        for (name, depth, workers), group in groups
    }


def _mean(samples: Sequence[Sample]) -> Sample:
    """Return table cells for a bar of report 001's figures, such as mean time per turn and its deviation over games."""
    games = [
        1000 * statistics.fmean(number(sample["seconds"]) for sample in game_)
        for game_ in grouped(samples, "colour", "game").values()
    ]
    return {
        "mean per turn (ms)": statistics.fmean(games),
        "deviation over games (ms)": statistics.pstdev(games),
        "nodes per turn": round(statistics.fmean(number(sample["nodes"]) for sample in samples)),
        "turns": len(samples),
        "games": len(games),
    }


def _speedups(lines: Sequence[Sample]) -> Iterator[Sample]:
    """Yield the time with one worker divided by the time with the most workers, for every algorithm and depth."""
    for (depth, name), rows in grouped(lines, "depth", "algorithm").items():
        by_workers = {int(number(row["workers"])): number(row["mean per turn (ms)"]) for row in rows}
        most = max(by_workers)
        if most > 1 and 1 in by_workers:
            yield {"depth": depth, "algorithm": name, "workers": most, "speed-up": by_workers[1] / by_workers[most]}


def _labelled_speed_up(row: Sample) -> tuple[str, float, Cell]:
    return f"{row['algorithm']}, depth {row['depth']}", number(row["workers"]), row["speed-up"]


def _by_cores(lines: Sequence[Sample]) -> Iterator[Figure]:
    for (depth,), rows in grouped(lines, "depth").items():
        series = tuple(
            Series(
                name=str(name),
                points=tuple((f"{row['workers']}", number(row["mean per turn (ms)"])) for row in algorithm_rows),
                spread=tuple(_spread(row) for row in algorithm_rows),
            )
            for (name,), algorithm_rows in grouped(rows, "algorithm").items()
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
            Series(name=str(name), points=tuple((f"{row['depth']}", number(row["speed-up"])) for row in algorithm_rows))
            for (name,), algorithm_rows in grouped(rows, "algorithm").items()
        )
        yield Plot(title="speed-up by depth", x="depth (plies)", y="speed-up", kind="bars", series=series)
