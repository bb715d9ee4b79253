"""Experiment `imbalance`: the measured speed-up of a split at the root, and its bound by the work per root move."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from outflank.abalone.board import AbaloneBoard
from outflank.abalone.programs import PROGRAM_003
from outflank.boards import Board
from outflank.errors import InvalidOption
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.experiment_boards import StudyPosition, study_positions
from outflank.lab.experiment_report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.search_log import log_search, without_logging
from outflank.lab.measuring.search_samples import Workers, alternating, grouped, median, number, worker_count_warnings
from outflank.lab.report_programs.classroom import lab_search_003
from outflank.lab.report_programs.published_numbers import rows as published_rows
from outflank.machine import usable_cores
from outflank.players.clock import Clock
from outflank.players.timing import Adaptive003
from outflank.search.keywords import SearchArguments
from outflank.search.request import Options, Stop
from outflank.search.root import Root
from outflank.validation.documents import Measured, Several
from outflank.validation.values import Shape

EVALUATION = "rings"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImbalanceParameters(Parameters):
    """Parameters of the experiment `imbalance`."""

    positions: tuple[str, ...] = option(("laboratory",), "Positions of Abalone, by name or in any notation.")
    depth: int | None = option(None, "Plies.  [report 003's adaptive depth, which is 5]")
    threads: tuple[int, ...] = option((1, 2, 4, 8, 12, 16, 24, 32, 40, 48), "Threads to divide the counted work among.")
    chunk: int = option(1, "Root moves that are handed out at a time.")
    workers: tuple[int, ...] = option(core_counts(), "Workers to measure times with.")
    timed_depth: int | None = option(None, "Plies of what is measured in time.  [the same]")
    rounds: int = option(3, "Times that each is measured.")

    def __post_init__(self) -> None:
        super(ImbalanceParameters, self).__post_init__()
        self.places()
        if self.chunk < 1 or min(self.threads) < 1:
            raise InvalidOption("chunk and threads: at least 1")

    def places(self) -> list[StudyPosition]:
        """Return the positions to search."""
        return study_positions("abalone", self.positions)

    def depth_of(self, place: StudyPosition) -> int:
        """Return the depth set on `place`, otherwise the requested depth, or else that of report 003's player."""
        return place.depth or self.depth or Adaptive003().budget(place.board, Clock(), None).depth or 0


class Imbalance(Experiment[ImbalanceParameters]):
    """Compares the measured speed-up in evaluations per second, as in report 003, with the bound set by root moves."""

    name = "imbalance"
    question = "How much faster can a search be that is split at the root, whose moves are not alike?"
    reports = ("003",)
    parameters = ImbalanceParameters

    def tasks(self, parameters: ImbalanceParameters) -> Sequence[Task]:
        counted = [
            Task(f"{place.name}, by root moves", partial(root_moves, place, parameters.depth_of(place)))
            for place in parameters.places()
        ]
        sides = [(place, workers) for place in parameters.places() for workers in parameters.workers]
        timed = [
            Task(
                f"{place.name}, workers {workers}, round {round_}",
                partial(
                    _time_search,
                    place,
                    parameters.timed_depth or parameters.depth_of(place),
                    workers,
                    parameters.chunk,
                    round_,
                ),
                1.0 / min(workers, usable_cores()),
            )
            for round_, (place, workers) in alternating(sides, parameters.rounds)
        ]
        return [*counted, *timed]

    def shape(self, parameters: ImbalanceParameters, sample: Sample) -> Shape:
        common = {"what": Literal["counted", "timed"], "position": str, "depth": Several, "leaves": Several}
        if sample.get("what") == "counted":
            return sample_shape(common, number=Several, move=str)
        return sample_shape(common, workers=Workers, round=Several, seconds=Measured)

    def conclude(self, parameters: ImbalanceParameters, samples: Sequence[Sample]) -> Conclusion:
        work, rates = root_work(samples), _rates(samples)
        counts = sorted({*parameters.threads, *(count for _, count in rates)})
        lines: list[Sample] = []
        for count in counts:
            line: Sample = {"threads": count}
            for position, leaves in work.items():
                line[f"{position}: allowed"] = allowed(leaves, count, parameters.chunk)
                line[f"{position}: measured"] = _speed_up(rates, position, count)
            lines.append(line)
        wrong = _positions_with_wrong_sum(samples, work)
        depths = sorted({int(number(sample["depth"])) for sample in samples if sample["what"] == "counted"})
        notes = [
            "Allowed: the root moves' evaluations, handed out in the program's order to whoever is free, over those of "
            "the busiest. No clock is asked: it is the same on every machine. Evaluations count as if all took equally "
            "long, so a measured speed-up may lie somewhat above: the report's 12 on midgame1 is beyond what any "
            "number of threads is allowed at depth 5.",
            "Measured: evaluations per second over those of one worker, as the report counts"
            f"{_timed_depth_note(parameters, depths)}.",
            *worker_count_warnings(parameters.workers),
        ]
        notes += [
            f"{name}: the root moves' evaluations are not those of the whole search: they must be." for name in wrong
        ]
        return Conclusion(
            tables=(
                ReportTable.of(f"speed-up at depth {', '.join(map(str, depths))}, by threads", lines),
                ReportTable.of("root moves", [_moves_row(name, leaves) for name, leaves in work.items()]),
            )
            if work
            else (),
            figures=(_plot(parameters, work, rates),) if work else (),
            notes=tuple(notes),
            passed=not wrong,
        )


_root_move_cache: dict[tuple[str, int], list[tuple[str, int]]] = {}
"""Number of evaluations below each root move, by position and depth. The counts never vary, so one search is enough."""


def root_moves(place: StudyPosition, depth: int, stop: Stop) -> list[Sample]:
    """Return the number of evaluations below each root move. Each move has a full window, so none affects another."""
    board, key = place.board, (place.board.to_text(), depth)
    if key not in _root_move_cache:
        counts = _count_leaves(board, depth, stop)
        if stop.called:
            return []
        _root_move_cache[key] = counts
    log_search(board, depth, algorithm="alphabeta", evaluation=EVALUATION)
    common: Sample = {"what": "counted", "position": place.name, "depth": depth}
    return [
        {**common, "number": move_number, "move": move, "leaves": leaves}
        for move_number, (move, leaves) in enumerate(_root_move_cache[key], 1)
    ]


def _count_leaves(board: Board, depth: int, stop: Stop) -> list[tuple[str, int]]:
    counts: list[tuple[str, int]] = []
    for root_move in Root(board.game, board.position, Options(**PROGRAM_003.search)).moves:
        after = board.copy()
        move = after.move(root_move.code)
        after.push(move)
        leaves = 1
        if depth > 1 and not stop.called:
            assert isinstance(after, AbaloneBoard)
            with without_logging():
                leaves = lab_search_003(after, depth - 1, EVALUATION, share_alpha=True, stop=stop).leaves
        counts.append((str(move), leaves))
    return counts


def _time_search(place: StudyPosition, depth: int, workers: int, chunk: int, round_: int, stop: Stop) -> list[Sample]:
    options: SearchArguments = {"parallel": "root-split", "schedule": chunk, "workers": workers, "stop": stop}
    board = place.board
    assert isinstance(board, AbaloneBoard)
    if round_ == 1:
        with without_logging():
            lab_search_003(board, max(1, depth - 1), EVALUATION, share_alpha=False, **options)  # compiles and warms up
    result = lab_search_003(board, depth, EVALUATION, share_alpha=False, **options)
    if stop.called:
        return []
    sample: Sample = {"what": "timed", "position": place.name, "depth": depth, "workers": workers, "round": round_}
    return [{**sample, "leaves": result.leaves, "seconds": result.seconds}]


def root_work(samples: Sequence[Sample]) -> dict[str, list[int]]:
    """Return the number of evaluations below each root move in the order of the search, by position."""
    counted = [sample for sample in samples if sample["what"] == "counted"]
    return {
        str(position): [int(number(sample["leaves"])) for sample in group]
        for (position,), group in grouped(counted, "position").items()
    }


def allowed(work: Sequence[int], threads: int, chunk: int = 1) -> float:
    """Return the speed-up if parts of the sizes in `work` go in order to the next free thread, `chunk` at a time.

    >>> allowed([3, 3, 3, 3], 2), allowed([1, 1, 1, 9], 4), allowed([2, 2, 2, 2], 4, chunk=2)
    (2.0, 1.3333333333333333, 2.0)
    """
    free = [0] * threads
    for first in range(0, len(work), chunk):
        heapq.heappush(free, heapq.heappop(free) + sum(work[first : first + chunk]))
    return sum(work) / max(free)


def _positions_with_wrong_sum(samples: Sequence[Sample], work: dict[str, list[int]]) -> list[str]:
    """Return the positions in which the root moves' evaluations do not add up to the number of the whole search."""
    timed = [sample for sample in samples if sample["what"] == "timed"]
    depths = {sample["position"]: sample["depth"] for sample in samples if sample["what"] == "counted"}
    comparable = [sample for sample in timed if sample["depth"] == depths.get(sample["position"])]
    wrong = [str(sample["position"]) for sample in comparable if sample["leaves"] != sum(work[str(sample["position"])])]
    return list(dict.fromkeys(wrong))


def _timed_depth_note(parameters: ImbalanceParameters, depths: Sequence[int]) -> str:
    """Return a clause with the depth of the timed searches, or an empty text if the counts are of the same depth."""
    if parameters.timed_depth is None or [parameters.timed_depth] == list(depths):
        return ""
    return (
        f", at depth {parameters.timed_depth}: a tree whose root moves are divided otherwise, "
        "and whose bound is another"
    )


def _rates(samples: Sequence[Sample]) -> dict[tuple[str, int], float]:
    """Return the median number of evaluations per second, by position and number of workers."""
    timed = [sample for sample in samples if sample["what"] == "timed"]
    return {
        (str(position), int(number(workers))): median(
            group, lambda sample: number(sample["leaves"]) / number(sample["seconds"])
        )
        for (position, workers), group in grouped(timed, "position", "workers").items()
    }


def _speed_up(rates: dict[tuple[str, int], float], position: str, workers: int) -> float | None:
    serial_rate, rate = rates.get((position, 1)), rates.get((position, workers))
    return rate / serial_rate if serial_rate and rate and workers <= usable_cores() else None


def _moves_row(position: str, leaves: Sequence[int]) -> Sample:
    return {
        "position": position,
        "moves": len(leaves),
        "evaluations": sum(leaves),
        "the largest move's share": max(leaves) / sum(leaves),
        "speed-up on any number of threads": sum(leaves) / max(leaves),
    }


def _plot(parameters: ImbalanceParameters, work: dict[str, list[int]], rates: dict[tuple[str, int], float]) -> Plot:
    threads = sorted(parameters.threads)
    series = [
        Series(name=position, points=tuple((count, allowed(leaves, count, parameters.chunk)) for count in threads))
        for position, leaves in work.items()
    ]
    for position in work:
        counts = sorted(count for name, count in rates if name == position and count <= usable_cores())
        points = tuple(
            (count, speed_up) for count in counts if (speed_up := _speed_up(rates, position, count)) is not None
        )
        if points:
            series.append(Series(name=f"{position}, measured", points=points, style="points"))
    for row in published_rows("003", "speedup"):
        point = ((row["threads"], row["speedup"]),)
        series.append(Series(name=f"003 {row['position']}", points=point, style="points", published=True))
    linear = Series(name="linear", points=tuple((count, float(count)) for count in threads), style="dashed")
    return Plot(
        title="speed-up that root moves allow",
        x="threads",
        y="evaluations/s over those of one thread",
        series=(linear, *series),
    )
