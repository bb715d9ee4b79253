"""Results on disk: one JSON file that holds a whole run, and what is drawn from it."""

import csv
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from outflank.errors import OutflankError
from outflank.formats.files import read_document
from outflank.lab.report import Report, Sample
from outflank.lab.searched import Searched
from outflank.schema import Misfit, conform

SCHEMA = "outflank/lab/1"


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
    found = read_document(path, SCHEMA, "a result of the laboratory")
    for key, kind in (("experiment", str), ("parameters", dict), ("provenance", dict), ("samples", list)):
        if not isinstance(found.get(key), kind):
            raise OutflankError(f"{path} is damaged: its {key} are missing")
    for sample in found["samples"]:
        if not isinstance(sample, dict) or not isinstance(sample.get("task"), str):
            raise OutflankError(f"{path} is damaged: a sample does not name its task")
    return found


def searched_in(found: dict[str, Any], path: Path) -> tuple[Searched, ...]:
    """What a document says was searched: nothing, if it is older than that."""
    try:
        entries: tuple[Searched, ...] = conform(tuple[Searched, ...], found.get("searched", []), "searched")
    except Misfit as error:
        raise OutflankError(f"{path} is damaged: {error}") from None
    return entries


def check_writable(directory: Path) -> None:
    """Make the directory, and see that files can be written there, before anything is measured."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise OutflankError(f"{directory} cannot be written to: {error.strerror}") from None


def csv_text(samples: Sequence[Sample]) -> str:
    """The samples, a line each."""
    columns = list(dict.fromkeys(name for sample in samples for name in sample))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(samples)
    return text.getvalue()
