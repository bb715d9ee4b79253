"""Nodes per turn of report 001's programs, as it counted them and with the windows that root moves should have."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from outflank.errors import UnknownName
from outflank.games.sides import Side
from outflank.kinds import Several, Shape
from outflank.lab.classroom import BrokenOff
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.literature import rows as published_rows
from outflank.lab.measuring import grouped, number
from outflank.lab.program_001 import PROGRAMS, game_against_first
from outflank.lab.report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.studies.turns import ALGORITHMS, game, options_of
from outflank.search.contract import Stop

AS_REPORTED, TURNED_OVER, OURS = "as in 001", "turned over", "ours"
"""The window of a root move: the report's, the right one, or whatever our own search of that name does."""

SERIAL = {"ParallelPVS": "SerialPVS", "ParallelAlphaBeta": "AlphaBeta"}
"""What each naive parallel program is the parallel form of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowsParameters(Parameters):
    """What is counted."""

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
        """That colour."""
        return Side.BLACK if self.colour == "black" else Side.WHITE

    def printed(self) -> dict[str, float]:
        """The report's numbers, by algorithm, where they are of the same games."""
        rows = published_rows("001", "nodes") if self.colour == "white" else []
        return {row["algorithm"]: row["nodes_per_turn"] for row in rows if row["depth"] == self.depth}


def _workers(name: str, chosen: WindowsParameters) -> int:
    return chosen.workers if "parallel" in ALGORITHMS[name] else 1


def _calls(name: str, window: str, chosen: WindowsParameters, stop: Stop) -> Iterator[int]:
    """What each turn of the game took."""
    workers = _workers(name, chosen)
    if window == OURS:
        for _, found in game(
            chosen.depth, options_of(name, workers), "first", black=chosen.colour == "black", stop=stop
        ):
            yield found.nodes - 1  # the root is no call
        return
    program = PROGRAMS[name] if window == AS_REPORTED else replace(PROGRAMS[name], window="negated")
    for turn in game_against_first(chosen.depth, program, chosen.side, workers=workers, stop=stop):
        yield turn.calls


def _counted(name: str, window: str, chosen: WindowsParameters, stop: Stop) -> list[Sample]:
    """A game: a sample for each turn."""
    labels: Sample = {"algorithm": name, "window": window, "colour": chosen.colour, "workers": _workers(name, chosen)}
    try:
        found = list(_calls(name, window, chosen, stop))
    except BrokenOff:
        return []  # half a game has another mean
    return [{**labels, "turn": turn, "nodes": calls} for turn, calls in enumerate(found, 1)]


def mean_of(samples: Sequence[Sample], name: str, window: str = AS_REPORTED) -> float | None:
    """Nodes per turn of one row; None: it was not counted."""
    nodes = [number(each["nodes"]) for each in samples if each["algorithm"] == name and each["window"] == window]
    return statistics.fmean(nodes) if nodes else None


class Nodes(Experiment[WindowsParameters]):
    """Nodes per turn against the player who takes the first move."""

    name = "nodes"
    question = "How many nodes per turn do serial and parallel algorithms search?"
    reports = ("001",)
    parameters = WindowsParameters

    def tasks(self, chosen: WindowsParameters) -> Sequence[Task]:
        return [
            Task(
                f"{name}, {window}",
                partial(_counted, name, window, chosen),
                8.0 if window == AS_REPORTED and name in SERIAL else 1.0,
            )
            for name in chosen.algorithms
            for window in _windows(name, chosen)
        ]

    def shape(self, chosen: WindowsParameters, sample: Sample) -> Shape:
        return sample_shape(
            algorithm=Literal[*ALGORITHMS],
            window=Literal[AS_REPORTED, TURNED_OVER, OURS],
            colour=Literal["black", "white"],
            workers=Several,
            turn=Several,
            nodes=Several,
        )

    def conclude(self, chosen: WindowsParameters, samples: Sequence[Sample]) -> Conclusion:
        printed = chosen.printed()
        lines: list[Sample] = []
        for (name, window, workers), found in grouped(samples, "algorithm", "window", "workers").items():
            nodes = [int(number(each["nodes"])) for each in found]
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
        title = f"nodes per turn at depth {chosen.depth}, as {chosen.colour} against the first-move player"
        return Conclusion(
            tables=(ReportTable.of(title, lines),), figures=(_bars(title, lines, printed),), notes=tuple(_said(samples))
        )


def _windows(name: str, chosen: WindowsParameters) -> tuple[str, ...]:
    if name not in PROGRAMS:
        return (OURS,)
    return (AS_REPORTED, TURNED_OVER) if chosen.turned else (AS_REPORTED,)


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
    theirs = (Series(name="report 001", points=tuple(printed.items()), published=True),) if printed else ()
    return Plot(
        title=title,
        x="algorithm",
        y="nodes per turn",
        kind="bars",
        log_y=True,
        series=(*ours, *theirs),
    )


def _said(samples: Sequence[Sample]) -> Iterator[str]:
    """What becomes of the report's ten times the nodes."""
    workers = max((int(number(each["workers"])) for each in samples), default=1)
    turned = False
    for parallel, serial in SERIAL.items():
        split, alone = mean_of(samples, parallel), mean_of(samples, serial)
        if split is None or alone is None:
            continue
        text = f"{parallel} enters {split / alone:.1f} times the nodes of {serial} (the report: roughly 10 at depth 11)"
        right, shared = mean_of(samples, serial, TURNED_OVER), mean_of(samples, parallel, TURNED_OVER)
        if right is None or shared is None:
            yield f"{text}."
            continue
        turned = True
        yield (
            f"{text}: {right / alone:.1f} times by the window of {serial}, for in the right one it enters {right:,.0f} "
            f"nodes a turn; and {split / right:.1f} times by root moves that know nothing of each other. Where "
            f"{_together(workers)} what the best move so far is worth, that is {shared / right:.2f} times."
        )
    if turned:
        yield (
            "The report's serial programs call a root move in the window (best so far, maximum) as it stands, where "
            "the one who answers needs it turned over. Moves about as good as the best then fail low: little of them "
            "is searched, and a bound is taken for their value, so that the best move may be missed. The parallel ones "
            "call every root move in the whole window, which costs nodes and misses nothing."
        )


def _together(workers: int) -> str:
    return f"{workers} workers share" if workers > 1 else "root moves share"
