"""Files of results: one JSON file holds a whole run of an experiment, and the run's report can be rebuilt from the
file."""

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
    """A run of an experiment, as stored in a file. Its tables are for human readers; reports use only the samples."""

    experiment: str
    question: str = ""
    reports: tuple[str, ...] = ()
    complete: bool = False
    passed: bool = True
    parameters: JsonObject
    """Parameters of the run, by the field names of the experiment's class `parameters`."""
    provenance: JsonObject
    task_seconds: dict[str, float] = msgspec.field(default_factory=dict)
    """Duration of each measured task, by its name."""
    searched: tuple[Searched, ...] = ()
    notes: tuple[str, ...] = ()
    tables: Any = ()
    """Tables, each in the form of a `ReportTable`. The package does not read them."""
    samples: list[JsonObject]
    """Samples, in the form that `Experiment.shape` requires."""

    def __post_init__(self) -> None:
        for name in ("parameters", "provenance"):
            check_json(getattr(self, name), name)


def document(report: Report) -> LabDocument:
    """Return a report as a document, ready to be stored."""
    return msgspec.convert(report, LabDocument, from_attributes=True)


def read(path: Path) -> LabDocument:
    """Read and check the document of a run in the file `path`. The message of an error is one line."""
    return read_document(path, LabDocument, "a result of the laboratory")


def check_writable(directory: Path) -> None:
    """Create `directory` and check that files can be written to it, so that a run fails before it measures."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise OutflankError(f"{directory} cannot be written to: {reason_of(error)}") from None


def csv_text(samples: Sequence[Sample]) -> str:
    """Return the samples as CSV text, one line for each sample."""
    columns = list(dict.fromkeys(name for sample in samples for name in sample))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(samples)
    return text.getvalue()
