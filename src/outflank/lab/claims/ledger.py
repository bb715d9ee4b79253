"""The ledger of claims: each conclusion of a published report, and the answer that a reproduction gives to it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from outflank.lab.experiment_report import Cell, ReportTable, Sample
from outflank.lab.reproduction.published_sections import Finding, MeasuredCell


class Answer(StrEnum):
    """The answer of a run to a conclusion of a report."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    """Our measurement says the opposite. The reason is stated with the answer."""
    DEPENDS = "depends"
    """The conclusion holds in some cases and not in others. The answer names them."""
    NEEDS_CORES = "needs cores"
    """This machine has too few cores to decide."""
    NOT_TESTABLE = "not testable"
    """No measurement of ours can decide it."""
    NOT_DONE = "not done"
    """This run has not measured what would decide it."""


CONFIRMED, CONTRADICTED, DEPENDS, NOT_TESTABLE = (
    Answer.CONFIRMED,
    Answer.CONTRADICTED,
    Answer.DEPENDS,
    Answer.NOT_TESTABLE,
)
"""Answers that a claim can expect."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An answer, with the figures or the reason that led to it."""

    answer: Answer
    because: str


class Missing(Exception):
    """A decision needs a measurement that this run does not have, or cannot trust. The text says why."""

    def __init__(self, because: str = "This run has not measured it.") -> None:
        super().__init__(because)


WHY_NO_VALUE = {
    Finding.NOTHING_SENT: "The cluster sent no entries in this run.",
    Finding.MORE_THREADS: "The threads took turns on fewer cores.",
    Finding.DERIVED: "The number follows from the report's own numbers.",
}
"""Reason why a measured cell cannot decide a claim, by the cell's finding."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The measurements of a reproduction of one report, by the names of its sections."""

    cells: Mapping[str, Sequence[MeasuredCell]]
    """Measured cells of each section."""
    samples: Mapping[tuple[str, str], Sequence[Sample]]
    """Samples of each experiment, by section and by the name of the part that ran it."""

    def value(self, section: str, row: Cell | tuple[Cell, ...], column: str = "value") -> float:
        """Return our number in a cell. Raise `Missing` if there is none, or if it measures something else."""
        key = row if isinstance(row, tuple) else (row,)
        for cell in self.cells.get(section, ()):
            if (cell.row, cell.column) == (key, column):
                if cell.finding is Finding.VALUE and isinstance(cell.ours, int | float):
                    return cell.ours
                if cell.finding in WHY_NO_VALUE:
                    raise Missing(WHY_NO_VALUE[cell.finding])
        raise Missing

    def of(self, section: str, part: str) -> Sequence[Sample]:
        """Return the samples of a part of a section. Raise `Missing` if there are none."""
        samples = self.samples.get((section, part), ())
        if not samples:
            raise Missing
        return samples


Decide = Callable[[Evidence], Decision]
"""Function that computes the answer to a claim. It may raise `Missing`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A conclusion that a report states."""

    report: str
    number: int
    """Number of the claim within its report, from 1, in the order of the text."""
    where: str
    """Chapter, table or figure in which the report states it."""
    says: str
    """The conclusion, in our words."""
    expected: Answer
    """The answer on a machine with enough cores, in a run that measures enough."""
    decide: Decide

    def decided(self, evidence: Evidence) -> Decision:
        """Return the answer that the measurements give."""
        try:
            return self.decide(evidence)
        except Missing as missing:
            return Decision(Answer.NOT_DONE, str(missing))


def judged(holds: bool, because: str) -> Decision:
    """Return the decision that a claim is confirmed if `holds`, else contradicted."""
    return Decision(Answer.CONFIRMED if holds else Answer.CONTRADICTED, because)


def not_testable(because: str) -> Decide:
    """Return the function of a claim that no measurement can decide."""
    return lambda evidence: Decision(Answer.NOT_TESTABLE, because)


Row = tuple[str, str, Answer, Decide | str]
"""A claim as a row of a table: where it stands, what it says, the expected answer, and the function that decides, or
the reason why nothing can."""


def rows_at(where: str, *rows: tuple[str, Answer, Decide | str]) -> tuple[Row, ...]:
    """Return the rows of the claims of one chapter of a report. `rows` lack their first column, which is `where`."""
    return tuple((where, *row) for row in rows)


def claims_from(report: str, rows: Iterable[Row]) -> tuple[Claim, ...]:
    """Return the claims of a report, numbered in the order of the rows."""
    return tuple(
        Claim(
            report=report,
            number=number,
            where=where,
            says=says,
            expected=expected,
            decide=not_testable(decide) if isinstance(decide, str) else decide,
        )
        for number, (where, says, expected, decide) in enumerate(rows, 1)
    )


UNDECIDED = (Answer.NOT_DONE, Answer.NEEDS_CORES)
"""Answers that differ from the expected one only because a run or a machine is too small."""


def ledger_table(decisions: Sequence[tuple[Claim, Decision]]) -> ReportTable:
    """Return the table of claims with their answers. Answers that differ from the expected ones are marked."""
    rows: list[Sample] = [
        {
            "claim": f"{claim.report}.{claim.number}",
            "the report concludes": claim.says,
            "answer": decision.answer.value + ("" if is_expected(claim, decision) else f" (not {claim.expected})"),
            "because": decision.because,
            "where": claim.where,
        }
        for claim, decision in decisions
    ]
    return ReportTable.of("the reports' conclusions, and our answers", rows, notes=(answer_counts_text(decisions),))


def is_expected(claim: Claim, decision: Decision) -> bool:
    """Return whether a decision is the expected one, or says only that this run is too small."""
    return decision.answer in (claim.expected, *UNDECIDED)


def answer_counts_text(decisions: Sequence[tuple[Claim, Decision]]) -> str:
    """Return the number of claims by answer as a sentence."""
    counts = Counter(decision.answer for _, decision in decisions)
    parts = ", ".join(f"{counts[answer]} {answer}" for answer in Answer if counts[answer])
    return f"Of {len(decisions)} conclusions: {parts}."
