"""A report's cells beside ours: what each has to be, what it is, and how many there are of each kind."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from outflank.lab.drawing.looks import number
from outflank.lab.literature import published
from outflank.lab.report import Cell, ReportTable, Sample
from outflank.lab.reproduction.sections import FACTS, Class, Expected, FoundCell, PublishedTable
from outflank.words import how_many


class Verdict(StrEnum):
    """How a cell of ours stands."""

    EQUAL = "equal"
    DIFFERENT = "different"
    CLOSE = "close"
    FAR = "far"
    BESIDE = "side by side"
    GIVEN = "given"
    NOT_DONE = "not done"


@dataclass(frozen=True, slots=True)
class Compared:
    """One cell: published, ours, and what is to be thought of the two."""

    row: tuple[Cell, ...]
    column: str
    published: Cell
    ours: Cell
    expected: Expected
    note: str

    @property
    def verdict(self) -> Verdict:
        """How it stands."""
        kind = self.expected.class_
        if kind is Class.GIVEN:
            return Verdict.GIVEN
        if self.ours is None:
            return Verdict.NOT_DONE
        if kind is Class.EQUAL:
            return Verdict.EQUAL if self.ours == self.published else Verdict.DIFFERENT
        if kind is Class.CLOSE:
            return Verdict.CLOSE if self._is_close() else Verdict.FAR
        return Verdict.BESIDE

    def _is_close(self) -> bool:
        theirs, ours = self.published, self.ours
        if isinstance(theirs, str) or isinstance(ours, str) or theirs is None or ours is None:
            return theirs == ours
        if not theirs or not ours or (theirs < 0) != (ours < 0):
            return theirs == ours
        return 1 / self.expected.factor <= ours / theirs <= self.expected.factor

    @property
    def text(self) -> str:
        """Both numbers in one cell, a mark between them."""
        theirs, ours = exactly(self.published), number(self.ours)
        return {
            Verdict.EQUAL: f"{theirs} ✓",
            Verdict.DIFFERENT: f"{theirs} ≠ {exactly(self.ours)}",
            Verdict.CLOSE: f"{theirs} ≈ {ours}",
            Verdict.FAR: f"{theirs} ≉ {ours}",
            Verdict.BESIDE: f"{theirs} | {ours}",
            Verdict.GIVEN: f"{theirs} (given)",
            Verdict.NOT_DONE: f"{theirs} | –",
        }[self.verdict]


FAULTS = (Verdict.DIFFERENT, Verdict.FAR)
"""Those that are told even where there are none: a reader looks for them."""

MEANINGS = (
    "Equal: it had to be, and is; different: it had to be, and is not. Close: within the factor that was allowed; far: "
    "not within it.",
    "Side by side: it depends on the machine, and nothing is concluded. Given: chosen or quoted by the report. Not "
    "done: not measured in this run.",
    "A section of 0 cells is an investigation or a picture without printed numbers, or was left out of this run.",
)
"""Below the index: what its columns are."""

MARKS = {
    Verdict.EQUAL: "✓ ours is equal, as it has to be.",
    Verdict.DIFFERENT: "≠ ours follows, and had to be equal.",
    Verdict.CLOSE: "≈ ours follows, as close as it should be.",
    Verdict.FAR: "≉ ours follows, and should be closer.",
    Verdict.BESIDE: "| ours follows, and need not agree: it depends on the machine, or on what is told below.",
    Verdict.GIVEN: "(given): chosen or quoted by the report, no result; where ours is run with another, it says so.",
    Verdict.NOT_DONE: "| – not measured.",
}


def exactly(value: Cell) -> str:
    """A number as it was printed: all its digits.

    >>> exactly(459896384), exactly(633.558), exactly("log(P)")
    ('459,896,384', '633.558', 'log(P)')
    """
    if value is None or isinstance(value, str | bool):
        return number(value)
    return f"{value:,}"


def compared(section: PublishedTable, found: Sequence[FoundCell]) -> list[Compared]:
    """Every cell of a section, in the order of print; one that was not found is there without ours."""
    ours = {(each.row, each.column): each for each in found}
    printed = section.published()
    if not printed:  # a picture, or numbers that only our data have: the cells are those that were found
        printed = {(each.row, each.column): each.published for each in ours.values() if each.published is not None}
    cells = []
    for (row, column), theirs in printed.items():
        expected, mine = section.expects(row, column), ours.get((row, column))
        missing = "" if expected.class_ is Class.GIVEN else section.absent
        note = mine.note if mine is not None else missing
        value = mine.ours if mine is not None else None
        cells.append(Compared(row, column, theirs, value, expected, note))
    return cells


def section_table(section: PublishedTable, cells: Sequence[Compared]) -> ReportTable:
    """The published table in its own shape; numbers of the text with their units and the words around them."""
    lines: dict[tuple[Cell, ...], Sample] = {}
    columns = dict.fromkeys(column.replace("_", " ") for column in section.columns())
    for cell in cells:
        line = lines.setdefault(cell.row, {**dict(zip(section.key or ("row",), cell.row, strict=True)), **columns})
        line[cell.column.replace("_", " ")] = cell.text
    if section.table == FACTS:
        for line in lines.values():
            told = published(section.report)["facts"][line["fact"]]
            # Their names in words, which narrow pages can fold; the list of cells keeps them as they are.
            name = str(line["fact"]).replace("_", " ")
            line |= {"fact": name, "unit": told["unit"], "the report says": told["says"]}
    notes = [MARKS[verdict] for verdict in Verdict if any(cell.verdict is verdict for cell in cells)]
    reasons = [cell.expected.reason for cell in cells if cell.verdict is not Verdict.GIVEN]
    notes += _each_once([*reasons, *(cell.note for cell in cells)])
    return ReportTable.of(section.heading, list(lines.values()), notes=(*notes, *section.notes))


def _each_once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))


def index_table(counted: Sequence[tuple[PublishedTable, Counter[Verdict]]]) -> ReportTable:
    """A row for every section, the reports' sums among them: how many cells it has, and how they stand."""
    lines: list[Sample] = []
    reports = list(dict.fromkeys(section.report for section, _ in counted))
    for report in reports:
        whole: Counter[Verdict] = Counter()
        for section, verdicts in counted:
            if section.report == report:
                lines.append(_index_line(report, f"{section.where}: {section.title}", verdicts))
                whole += verdicts if section.printed else Counter()
        lines.append(_index_line(report, "all that it printed", whole))
    return ReportTable.of("the reports' cells, and how ours stand beside them", lines, notes=MEANINGS)


def _index_line(report: str, where: str, verdicts: Counter[Verdict]) -> Sample:
    counts: Sample = {each.value: verdicts[each] if each in FAULTS else verdicts[each] or None for each in Verdict}
    return {"report": report, "where": where, "cells": sum(verdicts.values()), **counts}


def in_words(verdicts: Counter[Verdict]) -> str:
    """How many cells there are, and how they stand."""
    told = ", ".join(
        f"{verdicts[verdict]:,} {verdict}" for verdict in Verdict if verdicts[verdict] or verdict in FAULTS
    )
    return f"{how_many(sum(verdicts.values()), 'cell')}: {told}"
