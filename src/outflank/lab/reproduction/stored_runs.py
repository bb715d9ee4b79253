"""Summaries of whole reproductions: what each of them answered, and how long it took.

`stored_runs/` has the summary of a run of each effort, on a machine that did nothing else. A later run is compared with
it, and is expected to take as long.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files

from outflank.lab.claims.ledger import Claim, Decision
from outflank.lab.experiment_report import ReportTable, Sample
from outflank.lab.reproduction.compared_cells import ComparedCell
from outflank.lab.reproduction.measured_sources import row_name
from outflank.lab.reproduction.published_sections import Effort, PublishedTable
from outflank.validation.documents import Document, JsonObject, read_document
from outflank.validation.text import how_many

DIFFERENCES = "what the stored run"
"""Beginning of the title of the table of differences."""


class RunSummary(Document, frozen=True, kw_only=True, tag="outflank/reproduction/1"):
    """The answers and verdicts of a reproduction, without its samples."""

    effort: str
    provenance: JsonObject
    seconds: dict[str, float]
    """Duration of the measurements of each source, by its place as text."""
    answers: dict[str, dict[str, str]]
    """Answer to each conclusion, by report and by the conclusion's text."""
    verdicts: dict[str, dict[str, dict[str, str]]]
    """Verdict on each cell, by report, by section, and by row and column."""

    @property
    def origin(self) -> str:
        """Commit and machine of the run as text."""
        machine = self.provenance.get("machine")
        processor = machine.get("processor") if isinstance(machine, Mapping) else None
        return f"commit {self.provenance.get('commit')}, {processor or 'an unknown processor'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportAnswers:
    """Answers and compared cells of one published report."""

    report: str
    decisions: Sequence[tuple[Claim, Decision]]
    sections: Sequence[tuple[PublishedTable, Sequence[ComparedCell]]]

    @property
    def answers(self) -> dict[str, str]:
        """The answer to each conclusion, by the conclusion's text."""
        return {claim.says: decision.answer.value for claim, decision in self.decisions}

    @property
    def verdicts(self) -> dict[str, dict[str, str]]:
        """The verdict on each cell, by section, and by row and column."""
        return {
            section.name: {f"{row_name(cell.row)} {cell.column}": cell.verdict.value for cell in cells}
            for section, cells in self.sections
            if cells
        }


@cache
def stored_run(effort: Effort) -> RunSummary | None:
    """Return the stored summary of a run of this effort, or None if there is none."""
    resource = files("outflank") / "lab" / "stored_runs" / f"{effort}.json"
    if not resource.is_file():
        return None
    with as_file(resource) as path:
        return read_document(path, RunSummary, "a summary of a reproduction")


def differences_table(stored: RunSummary, reports: Sequence[ReportAnswers]) -> ReportTable:
    """Return a table of the answers and verdicts that differ from the stored run, as far as the stored run has them."""
    rows: list[Sample] = []
    compared: Counter[str] = Counter()
    for report in reports:
        old_answers, old_verdicts = stored.answers.get(report.report, {}), stored.verdicts.get(report.report, {})
        compared["answer"] += len(report.answers.keys() & old_answers.keys())
        rows += _answer_rows(report, old_answers)
        for section, verdicts in report.verdicts.items():
            compared["verdict"] += len(verdicts.keys() & old_verdicts.get(section, {}).keys())
            rows += _verdict_rows(report.report, section, verdicts, old_verdicts.get(section, {}))
    counts = " and ".join(how_many(compared[what], what) for what in ("answer", "verdict"))
    return ReportTable.of(
        f"{DIFFERENCES} ({stored.effort}) answered otherwise",
        rows,
        notes=(f"{counts} were compared with the run of {stored.origin}.",),
    )


def _answer_rows(report: ReportAnswers, old: Mapping[str, str]) -> Iterator[Sample]:
    for claim, decision in report.decisions:
        before, now = old.get(claim.says), decision.answer.value
        if before not in (None, now):
            yield {
                "report": report.report,
                "what": f"conclusion {claim.number}: {claim.says}",
                "stored run": before,
                "this run": now,
            }


def _verdict_rows(report: str, section: str, verdicts: Mapping[str, str], old: Mapping[str, str]) -> Iterator[Sample]:
    """Yield a row for each pair of an old and a new verdict in a section, with the number of cells that changed so."""
    changes = Counter((old[cell], verdict) for cell, verdict in verdicts.items() if old.get(cell, verdict) != verdict)
    for (before, now), cells in changes.items():
        yield {
            "report": report,
            "what": f"{how_many(cells, 'cell')} of {section}",
            "stored run": before,
            "this run": now,
        }
