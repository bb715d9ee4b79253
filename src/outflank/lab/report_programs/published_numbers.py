"""The numbers that the five reports published, read from the data files in `published/`."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from outflank.lab.experiment_report import Cell, Series
from outflank.validation.documents import JsonObject

REPORTS = ("000", "001", "002", "003", "004")


@cache
def published(report: str) -> JsonObject:
    """Return the content of a report's data file."""
    text = (files("outflank") / "lab" / "published" / f"{report}.json").read_text(encoding="utf-8")
    document: JsonObject = json.loads(text)
    return document


def rows(report: str, table: str) -> list[JsonObject]:
    """Return the rows of a published table, as dictionaries by column."""
    content = published(report)["tables"][table]
    return [dict(zip(content["columns"], row, strict=True)) for row in content["rows"]]


def fact(report: str, name: str) -> Any:
    """Return the number called `name` that a report gives in its text."""
    return published(report)["facts"][name]["value"]


def fact_rows(report: str) -> list[JsonObject]:
    """Return the numbers in a report's text as table rows of name and value. The value of a range is text."""

    def value_text(value: Cell | list[Cell]) -> Cell:
        return " to ".join(map(str, value)) if isinstance(value, list) else value

    return [{"fact": name, "value": value_text(entry["value"])} for name, entry in published(report)["facts"].items()]


def curve(report: str, table: str, x: str, y: str, *, name: str = "") -> Series:
    """Return two columns of a published table as a series, to be drawn beside our own measurements."""
    points = tuple((row[x], row[y]) for row in rows(report, table) if row[x] is not None and row[y] is not None)
    return Series(name=name or f"report {report}", points=points, style="points", published=True)
