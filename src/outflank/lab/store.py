"""Results on disk: one JSON file that holds a whole run, and what is drawn from it."""

import csv
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from outflank.documents import Document, read_document
from outflank.errors import OutflankError, reason_of
from outflank.kinds import Json
from outflank.lab.report import Report, Sample
from outflank.lab.search_log import Searched
from outflank.schema import conform


class LabDocument(Document, frozen=True, kw_only=True, tag="outflank/lab/1"):
    """A run that is kept. Tables are there for readers; all but the samples can be drawn again from those."""

    experiment: str
    question: str = ""
    reports: tuple[str, ...] = ()
    complete: bool = False
    passed: bool = True
    parameters: dict[str, Any]
    """The experiment says what they hold."""
    provenance: dict[str, Any]
    searched: tuple[Searched, ...] = ()
    notes: tuple[str, ...] = ()
    tables: Any = ()
    """Each a `ReportTable`; nothing reads them here."""
    samples: list[dict[str, Any]]
    """What they hold, the experiment says too (`Experiment.shape`)."""

    def __post_init__(self) -> None:
        for name in ("parameters", "provenance"):
            conform(dict[str, Json], getattr(self, name), name)


def document(report: Report) -> LabDocument:
    """A report as it is kept."""
    return LabDocument(
        experiment=report.experiment,
        question=report.question,
        reports=report.reports,
        complete=report.complete,
        passed=report.passed,
        parameters=report.parameters,
        provenance=report.provenance,
        searched=report.searched,
        notes=report.notes,
        tables=report.tables,
        samples=list(report.samples),
    )


def read(path: Path) -> LabDocument:
    """The document in a file, checked; one clear line if it is none."""
    return read_document(path, LabDocument, "a result of the laboratory")


def check_writable(directory: Path) -> None:
    """Make the directory, and see that files can be written there, before anything is measured."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise OutflankError(f"{directory} cannot be written to: {reason_of(error)}") from None


def csv_text(samples: Sequence[Sample]) -> str:
    """The samples, a line each."""
    columns = list(dict.fromkeys(name for sample in samples for name in sample))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(samples)
    return text.getvalue()
