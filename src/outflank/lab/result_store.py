"""Results on disk: one JSON file holds a whole run, and everything else is drawn from it."""

import csv
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from outflank.errors import OutflankError, reason_of
from outflank.lab.experiment_report import Report, Sample
from outflank.lab.measuring.search_log import Searched
from outflank.validation.documents import Document, JsonObject, read_document
from outflank.validation.values import check_json


class LabDocument(Document, frozen=True, kw_only=True, tag="outflank/lab/1"):
    """A stored run. Tables are stored for readers; they can be recomputed from the samples."""

    experiment: str
    question: str = ""
    reports: tuple[str, ...] = ()
    complete: bool = False
    passed: bool = True
    parameters: JsonObject
    """Parameters of the run, as defined by the experiment."""
    provenance: JsonObject
    searched: tuple[Searched, ...] = ()
    notes: tuple[str, ...] = ()
    tables: Any = ()
    """Tables, each a `ReportTable`; this package does not read them."""
    samples: list[JsonObject]
    """Samples, as defined by the experiment (`Experiment.shape`)."""

    def __post_init__(self) -> None:
        for name in ("parameters", "provenance"):
            check_json(getattr(self, name), name)


def document(report: Report) -> LabDocument:
    """Return a report as a document to store."""
    return msgspec.convert(report, LabDocument, from_attributes=True)


def read(path: Path) -> LabDocument:
    """Read and check the document in a file; the error message is one clear line."""
    return read_document(path, LabDocument, "a result of the laboratory")


def check_writable(directory: Path) -> None:
    """Create the directory, and check that files can be written there, before anything is measured."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise OutflankError(f"{directory} cannot be written to: {reason_of(error)}") from None


def csv_text(samples: Sequence[Sample]) -> str:
    """Return the samples as CSV, one line each."""
    columns = list(dict.fromkeys(name for sample in samples for name in sample))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(samples)
    return text.getvalue()
