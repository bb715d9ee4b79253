"""What report 000 chose for its sequential program: ordering, pivot, coarseness, symmetry, and what its table gave."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from outflank.boards import OthelloBoard
from outflank.lab.boards import othello_midgame, othello_start
from outflank.lab.classroom import REPORT_000
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option, register
from outflank.lab.literature import rows as published_rows
from outflank.lab.measuring import SEARCHED, Side, grouped, in_rounds, median, median_count, number, searched, warm
from outflank.lab.report import Plot, Sample, Series, Table, sample_shape
from outflank.schema import Count, Several, Shape
from outflank.search.contract import Stop
from outflank.search.probes import Counts

START, MIDGAME = "start", "mid-game"
BOARDS: dict[str, Callable[[], OthelloBoard]] = {START: othello_start, MIDGAME: othello_midgame}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Parameters):
    """What is measured."""

    depth: int = option(13, "Plies from the start.")
    midgame_depth: int = option(11, "Plies from the mid-game board.")
    rounds: int = option(3, "Times that each side is measured.")


class Choosing(Experiment[Any]):
    """A comparison of choices on report 000's two boards."""

    choices: tuple[tuple[Sample, dict[str, Any]], ...]
    """The labels and the options of each."""

    def tasks(self, chosen: Choice) -> Sequence[Task]:
        sides = [
            Side(
                labels={"board": name, **labels},
                board=board(),
                depth=chosen.depth if name == START else chosen.midgame_depth,
                options={**REPORT_000, **options},
            )
            for name, board in BOARDS.items()
            for labels, options in self.choices
        ]
        return in_rounds(sides, chosen.rounds)

    def shape(self, chosen: Choice, sample: Sample) -> Shape:
        labels = {name: Literal[*(each[name] for each, _ in self.choices)] for name in self.labels}
        return sample_shape(SEARCHED, labels, board=Literal[*BOARDS], round=Several)

    @property
    def labels(self) -> tuple[str, ...]:
        """What sets the sides apart."""
        return tuple(self.choices[0][0])

    def conclude(self, chosen: Choice, samples: Sequence[Sample]) -> Conclusion:
        tables, series = [], []
        for (board,), found in grouped(samples, "board").items():
            groups = grouped(found, *self.labels)
            nodes = {label: median_count(each, "nodes") for label, each in groups.items()}
            least = min(nodes.values())
            lines = [
                {
                    **dict(zip(self.labels, label, strict=True)),
                    "time (s)": median(each, "seconds"),
                    "boards": nodes[label],
                    "boards / least": nodes[label] / least,
                    "value": each[0]["value"],
                    **self.beside(str(board), label),
                }
                for label, each in groups.items()
            ]
            depth = chosen.depth if board == START else chosen.midgame_depth
            tables.append(Table.of(f"{self.name}: {board}, depth {depth}", lines))
            points = tuple((", ".join(map(str, label)), float(count)) for label, count in nodes.items())
            series.append(Series(name=str(board), points=points))
            series += self.published(str(board))
        plot = Plot(
            title=f"{self.name}: boards visited",
            x=", ".join(self.labels),
            y="boards",
            series=tuple(series),
            kind="bars",
            log_y=True,
        )
        return Conclusion(tables=tuple(tables), figures=(plot,), notes=self.notes(samples))

    def beside(self, board: str, label: tuple[Any, ...]) -> Sample:
        """What the report printed for a row."""
        return {}

    def published(self, board: str) -> list[Series]:
        """The report's bars."""
        return []

    def notes(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        """What is seen in the tables."""
        return ()


ORDERINGS = {
    "none": "None",
    "stones": "Stone score",
    "squares": "Square score",
    "mobility": "Mobility score",
    "potential": "Potential mobility score",
    "stones+squares": "Stone score + square score",
}
"""Our names of report 000's orderings, and its own."""


@register
class Orderings(Choosing):
    """Report 000's table of move orderings."""

    name = "orderings"
    question = "By which part of the evaluation should moves be ordered?"
    reports = ("000",)
    parameters = Choice
    choices = tuple(({"ordering": name}, {"ordering": name}) for name in ORDERINGS)

    def _printed(self, board: str) -> dict[str, dict[str, Any]]:
        table = "ordering_start" if board == START else "ordering_midgame"
        theirs = {row["ordering"].lower(): row for row in published_rows("000", table)}
        return {ours: theirs[printed.lower()] for ours, printed in ORDERINGS.items()}

    def beside(self, board: str, label: tuple[Any, ...]) -> Sample:
        row = self._printed(board)[label[0]]
        return {"000: time (s)": row["seconds"], "000: boards": row["boards"]}

    def published(self, board: str) -> list[Series]:
        points = tuple((name, float(row["boards"])) for name, row in self._printed(board).items())
        return [Series(name=f"000, {board}", points=points, published=True)]

    def notes(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        return ("The mid-game board of report 000 is lost with its picture: ours is another one.",)


@register
class Pivot(Choosing):
    """Whether MTD(f) starts from the last iteration's value."""

    name = "pivot"
    question = "Should MTD(f) start from the last iteration's value or from 0?"
    reports = ("000",)
    parameters = Choice
    choices = tuple(({"pivot": pivot}, {"pivot": pivot}) for pivot in ("carried", "reset"))


@register
class Coarseness(Choosing):
    """Report 000 divides the evaluation by eight."""

    name = "coarseness"
    question = "Does a coarser evaluation make MTD(f) faster?"
    reports = ("000",)
    parameters = Choice
    choices = (
        ({"evaluation": "divided by 8"}, {"evaluation": "four-part"}),
        ({"evaluation": "as it is"}, {"evaluation": "four-part-fine"}),
    )

    def notes(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        return ("Report 000 found nearly every run at least 50 % faster with the coarse values.",)


@register
class Symmetry(Choosing):
    """Report 000 dropped symmetry because finding it cost too much."""

    name = "symmetry"
    question = "Is it worth letting symmetric positions share an entry of the table?"
    reports = ("000",)
    parameters = Choice
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


@register
class Algorithms(Choosing):
    """The same search with our own ordering."""

    name = "algorithms"
    question = "Which algorithm visits the fewest boards: alpha-beta, PVS or MTD(f)?"
    reports = ("000", "001")
    parameters = Choice
    choices = tuple(
        ({"algorithm": algorithm}, {"algorithm": algorithm, "ordering": None, "step": 1})
        for algorithm in ("alphabeta", "pvs", "mtdf")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChoice(Choice):
    """What is measured."""

    near: int = option(7, "Plies left from which a hit counts as near the root: report 000 replicates from 7.")


@register
class HitsNearTheRoot(Experiment[TableChoice]):
    """What the transposition table gives, and where."""

    name = "table"
    question = "How often does the table know a position, and how many of those hits are near the root?"
    reports = ("000",)
    parameters = TableChoice

    def tasks(self, chosen: TableChoice) -> Sequence[Task]:
        return [
            Task(name, partial(_hits, name, board(), chosen.depth if name == START else chosen.midgame_depth))
            for name, board in BOARDS.items()
        ]

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
            tables.append(Table.of(f"table: {board}", lines))
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


def _hits(name: str, board: OthelloBoard, depth: int, stop: Stop) -> list[Sample]:
    side = Side(labels={"board": name}, board=board, depth=depth, options=REPORT_000)
    warm(side)
    counts = Counts()
    searched(side, stop, instrument=counts)
    return [
        {"board": name, "left": left, "lookups": lookups, "hits": hits}
        for left, (lookups, hits) in enumerate(zip(counts.lookups, counts.hits, strict=True))
        if lookups
    ]
