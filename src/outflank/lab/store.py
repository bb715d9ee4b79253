"""Results on disk: one JSON file that holds a whole run, and what is drawn from it."""

import csv
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from outflank.errors import OutflankError, reason_of
from outflank.formats.files import read_document
from outflank.lab.report import Report, Sample, sample_shape
from outflank.lab.search_log import Searched
from outflank.schema import Json, Shape

SCHEMA = "outflank/lab/1"

DOCUMENT = Shape(
    {
        "experiment": str,
        "parameters": dict[str, Json],
        "provenance": Shape({}, optional={"commit": str | None}, others=Json),
        "samples": list[sample_shape()],  # type: ignore[misc]  # a kind, not an annotation
    },
    optional={"complete": bool, "searched": tuple[Searched, ...]},
    others=Json,
)
"""What every result holds; what its samples hold besides, its experiment says (`Experiment.shape`)."""


def document(report: Report) -> dict[str, Any]:
    """A report as JSON has it. Tables are there for readers; all but the samples can be drawn again from those."""
    return {
        "schema": SCHEMA,
        "experiment": report.experiment,
        "question": report.question,
        "reports": list(report.reports),
        "complete": report.complete,
        "passed": report.passed,
        "parameters": report.parameters,
        "provenance": report.provenance,
        "searched": [each.as_dict() for each in report.searched],
        "notes": list(report.notes),
        "tables": [table.as_dict() for table in report.tables],
        "samples": list(report.samples),
    }


def read(path: Path) -> dict[str, Any]:
    """The document in a file, checked; one clear line if it is none."""
    return read_document(path, SCHEMA, "a result of the laboratory", DOCUMENT)


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
