"""Experiments on report 000's sequential program: ordering, pivot, coarseness, symmetry, algorithm and table hits."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from outflank.boards import Board
from outflank.lab.experiment import Conclusion, Experiment, Task, option
from outflank.lab.experiment_report import Cell, Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.search_samples import Contender, grouped, measure_search, number, warm
from outflank.lab.report_programs.classroom import REPORT_000
from outflank.lab.report_programs.published_numbers import rows as published_rows
from outflank.lab.studies.option_comparisons import MIDGAME, START, BoardsParameters, Choosing, ChoosingParameters
from outflank.search.probes import Counts
from outflank.search.request import Stop
from outflank.validation.documents import Count, JsonObject
from outflank.validation.values import Shape

ORDERINGS = {
    "none": "None",
    "stones": "Stone score",
    "squares": "Square score",
    "mobility": "Mobility score",
    "potential": "Potential mobility score",
    "stones+squares": "Stone score + square score",
}
"""Name of each move ordering in report 000, by our name."""

PRINTED = {START: "ordering_start", MIDGAME: "ordering_midgame"}
"""Name of the published table of move orderings (report 000), by board."""


class Orderings(Choosing):
    """Repeats the published comparison of move orderings of report 000."""

    name = "orderings"
    question = "By which part of the evaluation should moves be ordered?"
    reports = ("000",)
    parameters = ChoosingParameters
    choices = tuple(({"ordering": name}, {"ordering": name}) for name in ORDERINGS)

    def _published_rows(self, board: str) -> dict[str, JsonObject]:
        table = PRINTED.get(board)
        if table is None:
            return {}
        by_name = {row["ordering"].lower(): row for row in published_rows("000", table)}
        return {name: by_name[published_name.lower()] for name, published_name in ORDERINGS.items()}

    def published_cells(self, board: str, label: tuple[Cell, ...]) -> Sample:
        row = self._published_rows(board).get(str(label[0]))
        return {} if row is None else {"000: time (s)": row["seconds"], "000: boards": row["boards"]}

    def published(self, board: str) -> list[Series]:
        points = tuple((name, float(row["boards"])) for name, row in self._published_rows(board).items())
        return [] if not points else [Series(name=f"000, {board}", points=points, published=True)]

    def notes(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        if any(PRINTED.get(str(sample["board"])) == "ordering_midgame" for sample in samples):
            return ("The mid-game board of report 000 is lost with its picture: ours is another one.",)
        return ()


class Pivot(Choosing):
    """Compares MTD(f) started from the last iteration's value with MTD(f) started from 0."""

    name = "pivot"
    question = "Should MTD(f) start from the last iteration's value or from 0?"
    reports = ("000",)
    parameters = ChoosingParameters
    choices = tuple(({"pivot": pivot}, {"pivot": pivot}) for pivot in ("carried", "reset"))


class Coarseness(Choosing):
    """Compares report 000's evaluation, which is divided by eight, with the same evaluation undivided."""

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
    """Tests whether symmetric positions should share a table entry. Report 000 found it too slow to recognise them."""

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
    """Compares alpha-beta, PVS and MTD(f), all with our own ordering and in steps of one ply."""

    name = "algorithms"
    question = "Which algorithm visits the fewest boards: alpha-beta, PVS or MTD(f)?"
    reports = ("000", "001")
    parameters = ChoosingParameters
    choices = tuple(
        ({"algorithm": algorithm}, {"algorithm": algorithm, "ordering": None, "step": 1})
        for algorithm in ("alphabeta", "pvs", "mtdf")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TableParameters(BoardsParameters):
    """Parameters of the experiment `table`."""

    near: int = option(7, "Plies left from which a hit counts as near the root: report 000 replicates from 7.")


class HitsNearTheRoot(Experiment[TableParameters]):
    """Measures the transposition table's hit rate by remaining depth."""

    name = "table"
    question = "How often does the table know a position, and how many of those hits are near the root?"
    reports = ("000",)
    parameters = TableParameters

    def tasks(self, parameters: TableParameters) -> Sequence[Task]:
        return [
            Task(place.name, partial(_hits, place.name, place.board, parameters.plies(place)))
            for place in parameters.boards
        ]

    def shape(self, parameters: TableParameters, sample: Sample) -> Shape:
        return sample_shape(board=str, left=Count, nodes=Count, lookups=Count, hits=Count)

    def conclude(self, parameters: TableParameters, samples: Sequence[Sample]) -> Conclusion:
        tables, series, notes = [], [], []
        for (board,), group in grouped(samples, "board").items():
            nodes, lookups, hits = (
                sum(number(sample[name]) for sample in group) for name in ("nodes", "lookups", "hits")
            )
            near = sum(number(sample["hits"]) for sample in group if number(sample["left"]) >= parameters.near)
            looked_up = [sample for sample in group if sample["lookups"]]
            lines: list[Sample] = [
                {
                    "plies left": sample["left"],
                    "boards": sample["nodes"],
                    "look-ups": sample["lookups"],
                    "hits": sample["hits"],
                    "hits / look-up": number(sample["hits"]) / number(sample["lookups"]),
                    "of all look-ups": number(sample["hits"]) / lookups,
                }
                for sample in looked_up
            ]
            tables.append(ReportTable.of(f"table: {board}", lines))
            points = tuple(
                (number(sample["left"]), number(sample["hits"]) / number(sample["lookups"])) for sample in looked_up
            )
            series.append(Series(name=str(board), points=points))
            notes.append(
                f"{board}: {hits / lookups:.2%} of {int(lookups):,} look-ups are hits, {near / lookups:.3%} are hits "
                f"with {parameters.near} plies or more left (report 000: 1 to 2 %, and 0.1 %). With one ply left and "
                f"at leaves nothing is looked up: of all {int(nodes):,} boards visited, {hits / nodes:.2%} and "
                f"{near / nodes:.3%} are hits."
            )
        plot = Plot(title="hits per look-up", x="plies left", y="hits / look-up", series=tuple(series))
        return Conclusion(tables=tuple(tables), figures=(plot,), notes=tuple(notes))


def _hits(name: str, board: Board, depth: int, stop: Stop) -> list[Sample]:
    side = Contender(labels={"board": name}, board=board, depth=depth, options=REPORT_000)
    warm(side)
    counts = Counts()
    result, _ = measure_search(side, stop, instrument=counts)
    # The probe does not see leaves. Their number is the number of all nodes less the nodes that the probe counted.
    visited = [result.nodes - sum(counts.nodes), *counts.nodes[1:]]
    return [
        {"board": name, "left": left, "nodes": nodes, "lookups": lookups, "hits": hits}
        for left, (nodes, lookups, hits) in enumerate(zip(visited, counts.lookups, counts.hits, strict=True))
        if nodes
    ]
