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
"""How letters are written that mean something to LaTeX, or that its usual fonts do not have."""


def table_markdown(table: ReportTable) -> str:
    """A pipe table with its title above and its notes below; numbers are aligned to the right."""
    table = table.shown
    right = _right(table)
    rows = [[_in_cell(cell) for cell in row] for row in (table.columns, *table.rows)]
    widths = [max(3, *(len(row[place]) for row in rows)) for place in range(len(table.columns))]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.rjust(width) if aligned else cell.ljust(width)
            for cell, width, aligned in zip(cells, widths, right, strict=True)
        )
        return f"| {' | '.join(padded)} |"

    rule = ["-" * (width - 1) + ":" if aligned else "-" * width for width, aligned in zip(widths, right, strict=True)]
    lines = [f"**{_in_cell(table.title)}**", "", line(rows[0]), line(rule), *map(line, rows[1:])]
    return "\n".join([*lines, *(part for note in table.notes for part in ("", _in_cell(note)))]) + "\n"


def table_latex(table: ReportTable) -> str:
    """A `table` to be included in a document."""
    table = table.shown
    columns = "".join("r" if aligned else "l" for aligned in _right(table))
    head, *body = (
        "    " + " & ".join(_in_latex(number(cell)) for cell in row) + r" \\" for row in (table.columns, *table.rows)
    )
    notes = [f"  \\par\\smallskip {{\\footnotesize {_in_latex(note)}}}" for note in table.notes]
    lines = [
        r"% needs \usepackage{booktabs} and, for check marks, \usepackage{amssymb}",
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{_in_latex(table.title)}}}",
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
    """The cells as they are, numbers to their last digit."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows((table.columns, *table.rows))
    return text.getvalue()


def _right(table: ReportTable) -> list[bool]:
    columns: list[Sequence[Cell]] = list(zip(*table.rows, strict=True)) or [() for _ in table.columns]
    return [any(map(is_number, cells)) for cells in columns]


def _in_cell(cell: Cell) -> str:
    return re.sub(r"([\\|*_`<>])", r"\\\1", _in_line(number(cell)))


def _in_latex(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in _in_line(text))


def _in_line(text: str) -> str:
    return " ".join(text.split())
