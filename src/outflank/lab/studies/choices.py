"""What report 000 chose for its sequential program: ordering, pivot, coarseness, symmetry, and what its table gave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from outflank.boards import Board
from outflank.kinds import Count, Several, Shape
from outflank.lab.classroom import REPORT_000
from outflank.lab.experiment import Conclusion, Experiment, Task, option
from outflank.lab.literature import rows as published_rows
from outflank.lab.measuring import Contender, grouped, number, searched, warm
from outflank.lab.report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.studies.choosing import MIDGAME, START, BoardsChoice, Choosing, ChoosingParameters
from outflank.search.contract import Stop
from outflank.search.probes import Counts

ORDERINGS = {
    "none": "None",
    "stones": "Stone score",
    "squares": "Square score",
    "mobility": "Mobility score",
    "potential": "Potential mobility score",
    "stones+squares": "Stone score + square score",
}
"""Our names of report 000's orderings, and its own."""

PRINTED = {START: "ordering_start", MIDGAME: "ordering_midgame", "mid-game": "ordering_midgame"}
"""The report's tables by board; the last name is that of older results."""


class Orderings(Choosing):
    """Report 000's table of move orderings."""

    name = "orderings"
    question = "By which part of the evaluation should moves be ordered?"
    reports = ("000",)
    parameters = ChoosingParameters
    choices = tuple(({"ordering": name}, {"ordering": name}) for name in ORDERINGS)

    def _printed(self, board: str) -> dict[str, dict[str, Any]]:
        table = PRINTED.get(board)
        if table is None:
            return {}
        theirs = {row["ordering"].lower(): row for row in published_rows("000", table)}
        return {ours: theirs[printed.lower()] for ours, printed in ORDERINGS.items()}

    def beside(self, board: str, label: tuple[Any, ...]) -> Sample:
        row = self._printed(board).get(label[0])
        return {} if row is None else {"000: time (s)": row["seconds"], "000: boards": row["boards"]}

    def published(self, board: str) -> list[Series]:
        points = tuple((name, float(row["boards"])) for name, row in self._printed(board).items())
        return [] if not points else [Series(name=f"000, {board}", points=points, published=True)]

    def notes(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        if any(PRINTED.get(str(sample["board"])) == "ordering_midgame" for sample in samples):
            return ("The mid-game board of report 000 is lost with its picture: ours is another one.",)
        return ()


class Pivot(Choosing):
    """Whether MTD(f) starts from the last iteration's value."""

    name = "pivot"
    question = "Should MTD(f) start from the last iteration's value or from 0?"
    reports = ("000",)
    parameters = ChoosingParameters
    choices = tuple(({"pivot": pivot}, {"pivot": pivot}) for pivot in ("carried", "reset"))


class Coarseness(Choosing):
    """Report 000 divides the evaluation by eight."""

    name = "coarseness"
    question = "Does a coarser evaluation make MTD(f) faster?"
    reports = ("000",)
    parameters = ChoosingParameters
    choices = (
        ({"evaluation": "divided by 8"}, {"evaluation": "four-part"}),
        ({"evaluation": "as it is"}, {"evaluation": "four-part-fine"}),
    )

    def notes(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        return ("Report 000 found nearly every run at least 50 % faster with the coarse values.",)


class Symmetry(Choosing):
    """Report 000 dropped symmetry because finding it cost too much."""

    name = "symmetry"
    question = "Is it worth letting symmetric positions share an entry of the table?"
    reports = ("000",)
    parameters = ChoosingParameters
    choices = tuple(
        (
            {"algorithm": algorithm, "symmetry": "shared" if canonical else "apart"},
            {"algorithm": algorithm, "canonical": canonical},
        )
        for algorithm in ("mtdf", "pvs")
        for canonical in (False, True)
    )

    def notes(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        return (
            "From the start every line has seven mirror images, from a mid-game board hardly any: "
            "the gain is all in the opening.",
        )


class Algorithms(Choosing):
    """The same search with our own ordering."""

    name = "algorithms"
    question = "Which algorithm visits the fewest boards: alpha-beta, PVS or MTD(f)?"
    reports = ("000", "001")
    parameters = ChoosingParameters
    choices = tuple(
        ({"algorithm": algorithm}, {"algorithm": algorithm, "ordering": None, "step": 1})
        for algorithm in ("alphabeta", "pvs", "mtdf")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChoice(BoardsChoice):
    """What is measured."""

    near: int = option(7, "Plies left from which a hit counts as near the root: report 000 replicates from 7.")

    @classmethod
    def as_now(cls, document: Mapping[str, Any]) -> dict[str, Any]:
        """Of old a number of rounds was kept that played no part: hits are the same every time."""
        found = super(TableChoice, cls).as_now(document)
        return {name: value for name, value in found.items() if name != "rounds"}


class HitsNearTheRoot(Experiment[TableChoice]):
    """What the transposition table gives, and where."""

    name = "table"
    question = "How often does the table know a position, and how many of those hits are near the root?"
    reports = ("000",)
    parameters = TableChoice

    def tasks(self, chosen: TableChoice) -> Sequence[Task]:
        return [Task(each.name, partial(_hits, each.name, each.board, chosen.plies(each))) for each in chosen.boards]

    def shape(self, chosen: TableChoice, sample: Sample) -> Shape:
        return sample_shape(board=str, left=Count, lookups=Several, hits=Count)

    def conclude(self, chosen: TableChoice, samples: Sequence[Sample]) -> Conclusion:
        tables, series, notes = [], [], []
        for (board,), found in grouped(samples, "board").items():
            lookups = sum(number(sample["lookups"]) for sample in found)
            hits = sum(number(sample["hits"]) for sample in found)
            near = sum(number(sample["hits"]) for sample in found if number(sample["left"]) >= chosen.near)
            lines: list[Sample] = [
                {
                    "plies left": sample["left"],
                    "look-ups": sample["lookups"],
                    "hits": sample["hits"],
                    "hits / look-up": number(sample["hits"]) / number(sample["lookups"]),
                    "of all look-ups": number(sample["hits"]) / lookups,
                }
                for sample in found
            ]
            tables.append(ReportTable.of(f"table: {board}", lines))
            points = tuple(
                (number(sample["left"]), number(sample["hits"]) / number(sample["lookups"])) for sample in found
            )
            series.append(Series(name=str(board), points=points))
            notes.append(
                f"{board}: {hits / lookups:.2%} of {int(lookups):,} look-ups are hits, {near / lookups:.3%} are hits "
                f"with {chosen.near} plies or more left (report 000: 1 to 2 %, and 0.1 %)."
            )
        plot = Plot(title="hits per look-up", x="plies left", y="hits / look-up", series=tuple(series))
        return Conclusion(tables=tuple(tables), figures=(plot,), notes=tuple(notes))


def _hits(name: str, board: Board[Any], depth: int, stop: Stop) -> list[Sample]:
    side = Contender(labels={"board": name}, board=board, depth=depth, options=REPORT_000)
    warm(side)
    counts = Counts()
    searched(side, stop, instrument=counts)
    return [
        {"board": name, "left": left, "lookups": lookups, "hits": hits}
        for left, (lookups, hits) in enumerate(zip(counts.lookups, counts.hits, strict=True))
        if lookups
    ]
