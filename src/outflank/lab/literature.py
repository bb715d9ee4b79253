"""What the reports printed, from the data files beside this module."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from outflank.lab.report import Series

REPORTS = ("000", "001", "002", "003", "004")


@cache
def published(report: str) -> dict[str, Any]:
    """A report's data file."""
    text = (files("outflank") / "lab" / "published" / f"{report}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def rows(report: str, table: str) -> list[dict[str, Any]]:
    """A published table, a dictionary for each row."""
    found = published(report)["tables"][table]
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


def fact(report: str, name: str) -> Any:
    """A number from a report's text."""
    return published(report)["facts"][name]["value"]


def fact_rows(report: str) -> list[dict[str, Any]]:
    """The numbers of a report's text as a table: what each is, and its value, a range in words."""

    def told(value: Any) -> Any:
        return " to ".join(map(str, value)) if isinstance(value, list) else value

    return [{"fact": name, "value": told(each["value"])} for name, each in published(report)["facts"].items()]


def curve(report: str, table: str, x: str, y: str, *, name: str = "") -> Series:
    """Two columns of a published table, to be drawn beside ours."""
    points = tuple((row[x], row[y]) for row in rows(report, table) if row[x] is not None and row[y] is not None)
    return Series(name=name or f"report {report}", points=points, style="points", published=True)
