"""Hold the pages of `outflank lab reproduce` against the reports' tables: `python -m tests.transcribed DIRECTORY`.

The tables are a transcription of their own (`data/reports.txt`), apart from the package's: every number that a report
printed has to stand on the page, in its row, with one of the marks that say what ours is beside it.
"""

import re
import sys
from collections import Counter
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

TABLES = Path(__file__).parent / "data" / "reports.txt"

MARKS = {
    "equal": re.compile(r"(.+) ✓"),
    "different": re.compile(r"(.+) ≠ (.+)"),
    "close": re.compile(r"(.+) ≈ (.+)"),
    "far": re.compile(r"(.+) ≉ (.+)"),
    "not done": re.compile(r"(.+) \| –"),
    "answered no": re.compile(r"(.+) ✗ no"),
    "nothing was sent": re.compile(r"(.+) \| (.+) \(nothing sent\)"),
    "more threads than cores": re.compile(r"(.+) \| (.+) \(threads > cores\)"),
    "from its own numbers": re.compile(r"(.+) ← (.+)"),
    "side by side": re.compile(r"(.+) \| (.+)"),
    "given": re.compile(r"(.+) \(given\)"),
}
"""A cell of the page: the report's number and the mark."""


@dataclass(frozen=True)
class Transcribed:
    """A report's table as it was printed, a row for each row of the page."""

    report: str
    name: str
    rows: tuple[tuple[str, ...], ...]


def transcribed() -> list[Transcribed]:
    """All of them."""
    found = []
    for block in TABLES.read_text(encoding="utf-8").split("== ")[1:]:
        head, *lines = block.strip().splitlines()
        report, name, *more = head.split(" | ")
        rows = [tuple(line.split("\t")) for line in lines if line and not line.startswith("#")]
        if more[-1] == "turned":
            rows = list(zip(*rows, strict=True))[1:]
        found.append(Transcribed(report, name, tuple(rows)))
    return found


def plain(text: str) -> float | str:
    """A printed number without its separators and unit; what is none stays as it is."""
    thousands = text.endswith("k")
    bare = text.removesuffix("k").removesuffix(" %").replace(",", "")
    try:
        return float(bare) * (1000 if thousands else 1)
    except ValueError:
        return text


class _Page(HTMLParser):
    """The tables of a page, by their titles."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self._title, self._within, self._rows = "", "", []

    def handle_starttag(self, tag, attributes):
        if tag in ("h2", "h3"):  # a table of its section's name has no title of its own
            self._title, self._within = "", "title"
        elif tag == "table":
            self._rows = self.tables.setdefault(self._title, [])
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._within = "cell"
            self._rows[-1].append("")

    def handle_endtag(self, tag):
        if tag in ("h2", "h3", "td", "th"):
            self._within = ""

    def handle_data(self, data):
        if self._within == "title":
            self._title += data
        elif self._within == "cell":
            self._rows[-1][-1] += data


def page_tables(html: str) -> dict[str, list[list[str]]]:
    """The tables of a page, by their titles, the row of headings first."""
    page = _Page()
    page.feed(html)
    return page.tables


def marked(cell: str) -> tuple[str, str]:
    """How a cell stands, and the report's number in it; nothing where there is no mark."""
    for verdict, mark in MARKS.items():
        match = mark.fullmatch(cell)
        if match is not None:
            return verdict, match[1]
    return "", ""


def compare(table: Transcribed, shown: list[list[str]]) -> tuple[Counter[str], list[str]]:
    """How the cells of a table stand on the page, and what is wrong there."""
    verdicts: Counter[str] = Counter()
    wrong = []
    if len(shown) != len(table.rows) + 1:
        wrong.append(f"{table.report} {table.name}: {len(table.rows)} rows were printed, {len(shown) - 1} are shown")
    # The columns before the first that has marks name the rows.
    columns = list(zip(*shown[1:], strict=True))
    keys = next((place for place, cells in enumerate(columns) if any(marked(cell)[0] for cell in cells)), len(columns))
    for printed, cells in zip(table.rows, shown[1:], strict=False):
        for text, cell in zip(printed[keys:], cells[keys:], strict=False):
            if text == "-":
                continue
            place = f"{table.report} {table.name}, row {printed[0]}"
            verdict, theirs = marked(cell)
            if not verdict:
                wrong.append(f"{place}: {text} is not on the page, which has {cell!r}")
                continue
            verdicts[verdict] += 1
            if plain(theirs) != plain(text):
                wrong.append(f"{place}: {text} was printed, the page has {cell!r}")
        if len(cells) != len(printed):
            wrong.append(f"{table.report} {table.name}: {len(printed)} columns were printed, {len(cells)} are shown")
    return verdicts, wrong


def against(html: str, headings: dict[tuple[str, str], str]) -> tuple[dict[str, Counter[str]], list[str]]:
    """Every transcribed table against a page, whose tables have these titles; counts by report, and what is wrong."""
    shown = page_tables(html)
    verdicts: dict[str, Counter[str]] = {}
    wrong = []
    for table in transcribed():
        title = headings.get((table.report, table.name))
        if title is None or title not in shown:
            wrong.append(f"{table.report} {table.name}: the page has no such table")
            continue
        counted, found = compare(table, shown[title])
        verdicts.setdefault(table.report, Counter()).update(counted)
        wrong += found
    return verdicts, wrong


def pages(directory: Path) -> str:
    """The reports' pages in a folder, one after another."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted(directory.glob("reproduce-*.html")))


def headings() -> dict[tuple[str, str], str]:
    """The titles of the page's tables, by report and published table."""
    from outflank.lab.report_programs.published_numbers import REPORTS
    from outflank.lab.studies.reproduce import sections_of

    return {(report, each.table): each.heading for report in REPORTS for each in sections_of(report) if each.table}


def main() -> int:
    """Say how the cells stand, and what is wrong."""
    verdicts, wrong = against(pages(Path(sys.argv[1])), headings())
    for report, counted in verdicts.items():
        print(f"{report}: {sum(counted.values())} cells: {', '.join(f'{n} {what}' for what, n in counted.items())}")
    print("\n".join(wrong) if wrong else "every printed number is on the page")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
