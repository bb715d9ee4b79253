"""Tables for other documents: Markdown, LaTeX and CSV."""

import csv
import io
import re
from collections.abc import Sequence

from outflank.lab.drawing.looks import is_number, number
from outflank.lab.report import Cell, ReportTable

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "–": "--",
    "−": "$-$",
    "…": r"\dots{}",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "≠": r"$\neq$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "∞": r"$\infty$",
    "µ": r"$\mu$",
    "✓": r"$\checkmark$",
}
"""LaTeX of characters that are special to it, or missing in its usual fonts."""


def table_markdown(table: ReportTable) -> str:
    """Return a pipe table with its title above and its notes below; numbers are right-aligned."""
    table = table.without_empty_columns
    right = _right_aligned(table)
    rows = [[_markdown_text(cell) for cell in row] for row in (table.columns, *table.rows)]
    widths = [max(3, *(len(row[index]) for row in rows)) for index in range(len(table.columns))]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.rjust(width) if aligned else cell.ljust(width)
            for cell, width, aligned in zip(cells, widths, right, strict=True)
        )
        return f"| {' | '.join(padded)} |"

    rule = ["-" * (width - 1) + ":" if aligned else "-" * width for width, aligned in zip(widths, right, strict=True)]
    lines = [f"**{_markdown_text(table.title)}**", "", line(rows[0]), line(rule), *map(line, rows[1:])]
    return "\n".join([*lines, *(part for note in table.notes for part in ("", _markdown_text(note)))]) + "\n"


def table_latex(table: ReportTable) -> str:
    """Return a `table` environment to include in a document."""
    table = table.without_empty_columns
    columns = "".join("r" if aligned else "l" for aligned in _right_aligned(table))
    head, *body = (
        "    " + " & ".join(_latex_text(number(cell)) for cell in row) + r" \\" for row in (table.columns, *table.rows)
    )
    notes = [f"  \\par\\smallskip {{\\footnotesize {_latex_text(note)}}}" for note in table.notes]
    lines = [
        r"% needs \usepackage{booktabs} and, for check marks, \usepackage{amssymb}",
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{_latex_text(table.title)}}}",
        f"  \\begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        head,
        r"    \midrule",
        *body,
        r"    \bottomrule",
        r"  \end{tabular}",
        *notes,
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def table_csv(table: ReportTable) -> str:
    """Return the cells as CSV, numbers to their last digit."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows((table.columns, *table.rows))
    return text.getvalue()


def _right_aligned(table: ReportTable) -> list[bool]:
    columns: list[Sequence[Cell]] = list(zip(*table.rows, strict=True)) or [() for _ in table.columns]
    return [any(map(is_number, cells)) for cells in columns]


def _markdown_text(cell: Cell) -> str:
    return re.sub(r"([\\|*_`<>])", r"\\\1", _one_line(number(cell)))


def _latex_text(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in _one_line(text))


def _one_line(text: str) -> str:
    return " ".join(text.split())
