"""Comparison of published table cells with ours: a verdict for each cell, tables of both values, and counts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from outflank.lab.drawing.looks import number
from outflank.lab.experiment_report import Cell, ReportTable, Sample
from outflank.lab.report_programs.published_numbers import published
from outflank.lab.reproduction.published_sections import FACTS, Class, Expected, Finding, MeasuredCell, PublishedTable
from outflank.validation.text import how_many


class Verdict(StrEnum):
    """Result of comparing a value of ours with the published one."""

    EQUAL = "equal"
    DIFFERENT = "different"
    CLOSE = "close"
    FAR = "far"
    BESIDE = "side by side"
    NO = Finding.NO.value
    NOTHING_SENT = Finding.NOTHING_SENT.value
    MORE_THREADS = Finding.MORE_THREADS.value
    REPLAYED = Finding.REPLAYED.value
    DERIVED = Finding.DERIVED.value
    GIVEN = "given"
    NOT_DONE = "not done"


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """A published value beside ours, with the expected relation between them."""

    row: tuple[Cell, ...]
    column: str
    published: Cell
    ours: Cell
    expected: Expected
    note: str
    finding: Finding = Finding.VALUE

    @property
    def verdict(self) -> Verdict:
        """Result of comparing both values, given the expected relation."""
        expected_class = self.expected.class_
        if expected_class is Class.GIVEN:
            return Verdict.GIVEN
        if self.finding is not Finding.VALUE:
            return Verdict(self.finding.value)
        if self.ours is None:
            return Verdict.NOT_DONE
        if expected_class is Class.EQUAL:
            return Verdict.EQUAL if self.ours == self.published else Verdict.DIFFERENT
        if expected_class is Class.CLOSE:
            return Verdict.CLOSE if self._is_close() else Verdict.FAR
        return Verdict.BESIDE

    @property
    def ratio(self) -> float | None:
        """Our number divided by the published one. None if one is a text, missing or zero, or if the signs differ."""
        printed, ours = self.published, self.ours
        if not isinstance(printed, int | float) or not isinstance(ours, int | float):
            return None
        return ours / printed if ours * printed > 0 else None

    def _is_close(self) -> bool:
        if self.ratio is None:
            return self.published == self.ours
        return 1 / self.expected.factor <= self.ratio <= self.expected.factor

    @property
    def text(self) -> str:
        """Both values as text, with a mark between them that shows the verdict."""
        printed, ours = all_digits(self.published), number(self.ours)
        ratio = f" (×{number(self.ratio)})" if self.ratio is not None else ""
        allowed = f" (×{number(self.ratio)} of ×{number(self.expected.factor)})" if self.ratio is not None else ""
        return {
            Verdict.EQUAL: f"{printed} ✓",
            Verdict.DIFFERENT: f"{printed} ≠ {all_digits(self.ours)}",
            Verdict.CLOSE: f"{printed} ≈ {ours}{allowed}",
            Verdict.FAR: f"{printed} ≉ {ours}{allowed}",
            Verdict.BESIDE: f"{printed} | {ours}{ratio}",
            Verdict.NO: f"{printed} ✗ no",
            Verdict.NOTHING_SENT: f"{printed} | {ours} (nothing sent)",
            Verdict.MORE_THREADS: f"{printed} | {ours} (threads > cores)",
            Verdict.REPLAYED: f"{printed} | {ours}{ratio} (replayed)",
            Verdict.DERIVED: f"{printed} ← {ours}",
            Verdict.GIVEN: f"{printed} (given)",
            Verdict.NOT_DONE: f"{printed} | –",
        }[self.verdict]


FAULTS = (Verdict.DIFFERENT, Verdict.FAR)
"""Verdicts that are counted in texts and tables even if there are none, since readers look for them."""

MARKS = {
    Verdict.EQUAL: "391 ✓ (equal): the numbers have to be equal, and are.",
    Verdict.DIFFERENT: "391 ≠ 390 (different): the numbers have to be equal, and are not.",
    Verdict.CLOSE: "10 ≈ 10.58 (×1.058 of ×1.5) (close): our number divided by the report's is within the factor.",
    Verdict.FAR: "10 ≉ 25 (×2.5 of ×1.5) (far): our number divided by the report's is outside the factor.",
    Verdict.BESIDE: "58.2 | 7.1 (×0.122) (side by side): the number depends on the machine, or on what a note says; "
    "nothing is concluded.",
    Verdict.NO: "2 ✗ no (answered no): measured, and it does not hold here.",
    Verdict.NOTHING_SENT: "5 | 7.1 (nothing sent): no table entry was sent, so ours says nothing about replication.",
    Verdict.MORE_THREADS: "20 | 31 (threads > cores): threads took turns on fewer cores, which is no result.",
    Verdict.REPLAYED: "20 | 31 (replayed): too few cores here; ours is a recorded search on simulated workers.",
    Verdict.DERIVED: "10 ← 9.45 (from its own numbers): computed from other numbers of the report, not measured.",
    Verdict.GIVEN: "8 (given): chosen or quoted by the report, no result; a note says where ours is another.",
    Verdict.NOT_DONE: "58.2 | – (not done): not measured in this run.",
}
"""The legend of compared cells: an example of each verdict, and its meaning. The report's number comes first."""

WITHOUT_CELLS = (
    "A section of 0 cells is an investigation or a picture without printed numbers, or was left out of this run."
)


def all_digits(value: Cell) -> str:
    """Return a number as text with all its digits, as the report printed it.

    >>> all_digits(459896384), all_digits(633.558), all_digits("log(P)")
    ('459,896,384', '633.558', 'log(P)')
    """
    if value is None or isinstance(value, str | bool):
        return number(value)
    return f"{value:,}"


def compare_cells(section: PublishedTable, measured: Sequence[MeasuredCell]) -> list[ComparedCell]:
    """Return every cell of a section in the published order. `ours` is None in a cell that was not measured."""
    by_place = {(cell.row, cell.column): cell for cell in measured}
    printed = section.published()
    if not printed:  # no published table: the measured cells hold the published values
        printed = {(cell.row, cell.column): cell.published for cell in by_place.values() if cell.published is not None}
    cells = []
    for (row, column), printed_value in printed.items():
        expected, own_cell = section.expectation(row, column), by_place.get((row, column))
        missing = "" if expected.class_ is Class.GIVEN else section.absent
        note = own_cell.note if own_cell is not None else missing
        value = own_cell.ours if own_cell is not None else None
        finding = own_cell.finding if own_cell is not None else Finding.VALUE
        cells.append(ComparedCell(row, column, printed_value, value, expected, note, finding))
    return cells


def section_table(section: PublishedTable, cells: Sequence[ComparedCell]) -> ReportTable:
    """Return the published table with both values in each cell, and unit and quotation for numbers from a text."""
    lines: dict[tuple[Cell, ...], Sample] = {}
    columns = dict.fromkeys(column.replace("_", " ") for column in section.columns())
    for cell in cells:
        line = lines.setdefault(cell.row, {**dict(zip(section.key or ("row",), cell.row, strict=True)), **columns})
        line[cell.column.replace("_", " ")] = cell.text
    if section.table == FACTS:
        for line in lines.values():
            published_fact = published(section.report)["facts"][line["fact"]]
            # Spaces let narrow pages wrap the name; the list of cells has the underscores.
            name, value = str(line.pop("fact")).replace("_", " "), line.pop("value")
            line |= {"the report says": published_fact["says"], "value": value, "unit": published_fact["unit"]}
            line |= {"name of the number": name}
    reasons = [cell.expected.reason for cell in cells if cell.verdict is not Verdict.GIVEN]
    notes = _unique([*reasons, *(cell.note for cell in cells)])
    return ReportTable.of(section.heading, list(lines.values()), notes=(*notes, *section.notes))


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))


def index_table(counted: Sequence[tuple[PublishedTable, Counter[Verdict]]]) -> ReportTable:
    """Return a table of the number of cells by verdict, with a row for each section and a sum for each report."""
    lines: list[Sample] = []
    reports = list(dict.fromkeys(section.report for section, _ in counted))
    for report in reports:
        report_counts: Counter[Verdict] = Counter()
        for section, verdicts in counted:
            if section.report == report:
                lines.append(_index_line(report, f"{section.where}: {section.title}", verdicts))
                report_counts += verdicts if section.printed else Counter()
        lines.append(_index_line(report, "all that it printed", report_counts))
    used = [MARKS[verdict] for verdict in Verdict if any(verdicts[verdict] for _, verdicts in counted)]
    return ReportTable.of(
        "the reports' cells, and how ours stand beside them", lines, notes=(*used, WITHOUT_CELLS) if used else ()
    )


def _index_line(report: str, title: str, verdicts: Counter[Verdict]) -> Sample:
    counts: Sample = {
        verdict.value: verdicts[verdict] if verdict in FAULTS else verdicts[verdict] or None for verdict in Verdict
    }
    return {"report": report, "where": title, "cells": sum(verdicts.values()), **counts}


def verdict_counts_text(verdicts: Counter[Verdict]) -> str:
    """Return the number of cells, in total and by verdict, as text."""
    parts = ", ".join(
        f"{verdicts[verdict]:,} {verdict}" for verdict in Verdict if verdicts[verdict] or verdict in FAULTS
    )
    return f"{how_many(sum(verdicts.values()), 'cell')}: {parts}"
