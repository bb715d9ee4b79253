"""Experiment `nodes`: nodes per turn of report 001's programs, in the report's root windows and in correct ones."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from outflank.errors import UnknownName
from outflank.games.sides import Side
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.experiment_report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.search_samples import grouped, number
from outflank.lab.report_programs.classroom import BrokenOff
from outflank.lab.report_programs.program_001 import PROGRAMS, game_against_first
from outflank.lab.report_programs.published_numbers import rows as published_rows
from outflank.lab.studies.nodes_per_turn import ALGORITHMS, game, options_of
from outflank.search.request import Stop
from outflank.validation.documents import Several
from outflank.validation.values import Shape

AS_REPORTED, TURNED_OVER, OURS = "as in 001", "turned over", "ours"
"""Windows of a root move: report 001's, the correct (negated) one, or the window of our own search of the same name."""

SERIAL = {"ParallelPVS": "SerialPVS", "ParallelAlphaBeta": "AlphaBeta"}
"""Serial counterpart of each of report 001's naive parallel programs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowsParameters(Parameters):
    """Parameters of the experiment `nodes`."""

    depth: int = option(11, "Plies; the report's numbers are for 11.")
    algorithms: tuple[str, ...] = option(tuple(ALGORITHMS), "By report 001's names.")
    workers: int = option(core_counts()[-1], "Workers of the parallel ones.")
    colour: str = option("white", "Of the side that searches; the report's numbers are white's.")
    turned: bool = option(True, "Count the four programs with their windows turned over, too.")

    def __post_init__(self) -> None:
        super(WindowsParameters, self).__post_init__()
        for name in self.algorithms:
            if name not in ALGORITHMS:
                raise UnknownName.among("algorithm", name, ALGORITHMS)
        if self.colour not in ("black", "white"):
            raise UnknownName.among("colour", self.colour, ("black", "white"))

    @property
    def side(self) -> Side:
        """Side for which the measured program plays."""
        return Side.BLACK if self.colour == "black" else Side.WHITE

    def printed(self) -> dict[str, float]:
        """Return report 001's nodes per turn by algorithm; empty if it has none for this colour and depth."""
        rows = published_rows("001", "nodes") if self.colour == "white" else []
        return {row["algorithm"]: row["nodes_per_turn"] for row in rows if row["depth"] == self.depth}


def _workers(name: str, parameters: WindowsParameters) -> int:
    return parameters.workers if "parallel" in ALGORITHMS[name] else 1


def _calls(name: str, window: str, parameters: WindowsParameters, stop: Stop) -> Iterator[int]:
    """Play a game of algorithm `name`, and yield the number of search calls below the root in each turn."""
    workers = _workers(name, parameters)
    if window == OURS:
        for _, result in game(
            parameters.depth, options_of(name, workers), "first", black=parameters.colour == "black", stop=stop
        ):
            yield result.nodes - 1  # the root does not count as a call
        return
    program = PROGRAMS[name] if window == AS_REPORTED else replace(PROGRAMS[name], window="negated")
    for turn in game_against_first(parameters.depth, program, parameters.side, workers=workers, stop=stop):
        yield turn.calls


def _count_game(name: str, window: str, parameters: WindowsParameters, stop: Stop) -> list[Sample]:
    """Play a game of algorithm `name`, and return a sample of each turn."""
    labels: Sample = {
        "algorithm": name,
        "window": window,
        "colour": parameters.colour,
        "workers": _workers(name, parameters),
    }
    try:
        calls_by_turn = list(_calls(name, window, parameters, stop))
    except BrokenOff:
        return []  # an unfinished game has a different mean
    return [{**labels, "turn": turn, "nodes": calls} for turn, calls in enumerate(calls_by_turn, 1)]


def mean_of(samples: Sequence[Sample], name: str, window: str = AS_REPORTED) -> float | None:
    """Return the mean nodes per turn of algorithm `name` in root windows of kind `window`, or None without counts."""
    nodes = [
        number(sample["nodes"]) for sample in samples if sample["algorithm"] == name and sample["window"] == window
    ]
    return statistics.fmean(nodes) if nodes else None


class Nodes(Experiment[WindowsParameters]):
    """Counts nodes per turn against a player that always plays the first legal move."""

    name = "nodes"
    question = "How many nodes per turn do serial and parallel algorithms search?"
    reports = ("001",)
    parameters = WindowsParameters

    def tasks(self, parameters: WindowsParameters) -> Sequence[Task]:
        return [
            Task(
                f"{name}, {window}",
                partial(_count_game, name, window, parameters),
                8.0 if window == AS_REPORTED and name in SERIAL else 1.0,
                # What other parallel searches visit depends on their workers' speeds.
                timed=not (name in SERIAL.values() or (name in SERIAL and window == AS_REPORTED)),
            )
            for name in parameters.algorithms
            for window in _windows(name, parameters)
        ]

    def shape(self, parameters: WindowsParameters, sample: Sample) -> Shape:
        return sample_shape(
            algorithm=Literal[*ALGORITHMS],
            window=Literal[AS_REPORTED, TURNED_OVER, OURS],
            colour=Literal["black", "white"],
            workers=Several,
            turn=Several,
            nodes=Several,
        )

    def conclude(self, parameters: WindowsParameters, samples: Sequence[Sample]) -> Conclusion:
        printed = parameters.printed()
        lines: list[Sample] = []
        for (name, window, workers), group in grouped(samples, "algorithm", "window", "workers").items():
            nodes = [int(number(sample["nodes"])) for sample in group]
            lines.append(
                {
                    "algorithm": name,
                    "window of a root move": window,
                    "workers": workers,
                    "nodes": sum(nodes),
                    "turns": len(nodes),
                    "mean per turn (nodes)": round(statistics.fmean(nodes)),
                    "deviation over turns": statistics.pstdev(nodes),
                    **({"001": printed.get(str(name)) if window == AS_REPORTED else None} if printed else {}),
                }
            )
        title = f"nodes per turn at depth {parameters.depth}, as {parameters.colour} against the first-move player"
        return Conclusion(
            tables=(ReportTable.of(title, lines),),
            figures=(_bars(title, lines, printed),),
            notes=tuple(_notes(samples)),
        )


def _windows(name: str, parameters: WindowsParameters) -> tuple[str, ...]:
    if name not in PROGRAMS:
        return (OURS,)
    return (AS_REPORTED, TURNED_OVER) if parameters.turned else (AS_REPORTED,)


def _bars(title: str, lines: Sequence[Sample], printed: dict[str, float]) -> Plot:
    ours = tuple(
        Series(
            name=window,
            points=tuple(
                (str(row["algorithm"]), number(row["mean per turn (nodes)"]))
                for row in lines
                if row["window of a root move"] == window
            ),
        )
        for window in dict.fromkeys(str(row["window of a root move"]) for row in lines)
    )
    published = (Series(name="report 001", points=tuple(printed.items()), published=True),) if printed else ()
    return Plot(
        title=title,
        x="algorithm",
        y="nodes per turn",
        kind="bars",
        log_y=True,
        series=(*ours, *published),
    )


def _notes(samples: Sequence[Sample]) -> Iterator[str]:
    """Yield notes that explain why report 001's parallel programs enter ten times the nodes of its serial ones."""
    workers = max((int(number(sample["workers"])) for sample in samples), default=1)
    turned = False
    for parallel, serial in SERIAL.items():
        parallel_mean, serial_mean = mean_of(samples, parallel), mean_of(samples, serial)
        if parallel_mean is None or serial_mean is None:
            continue
        text = (
            f"{parallel} enters {parallel_mean / serial_mean:.1f} times the nodes of {serial} "
            "(the report: roughly 10 at depth 11)"
        )
        correct_mean, correct_parallel_mean = (
            mean_of(samples, serial, TURNED_OVER),
            mean_of(samples, parallel, TURNED_OVER),
        )
        if correct_mean is None or correct_parallel_mean is None:
            yield f"{text}."
            continue
        turned = True
        yield (
            f"{text}: {correct_mean / serial_mean:.1f} times by the window of {serial}, for in the right one it enters "
            f"{correct_mean:,.0f} nodes a turn; and {parallel_mean / correct_mean:.1f} times by root moves that know "
            f"nothing of each other. Where {_sharing_text(workers)} what the best move so far is worth, that is "
            f"{correct_parallel_mean / correct_mean:.2f} times."
        )
    if turned:
        yield (
            "The report's serial programs call a root move in the window (best so far, maximum) as it stands, where "
            "the one who answers needs it turned over. Moves about as good as the best then fail low: little of them "
            "is searched, and a bound is taken for their value, so that the best move may be missed. The parallel ones "
            "call every root move in the whole window, which costs nodes and misses nothing."
        )


def _sharing_text(workers: int) -> str:
    return f"{workers} workers share" if workers > 1 else "root moves share"
