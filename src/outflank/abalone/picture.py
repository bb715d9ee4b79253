"""Abalone boards as pictures."""

from collections.abc import Iterable

from outflank.abalone import geometry
from outflank.abalone.layouts import row_cells
from outflank.boards.svg import MARK, UNIT, disc, label, picture

WOOD, HOLLOW, INK = "#c9a06c", "#a97f4c", "#5b3f1d"
RED, BLUE, HALO = "#c62828", "#1258b0", "#ffffffd0"
"""Colours of the played and the better move; a halo makes their lines visible on black marbles."""


def abalone_svg(
    black: int,
    white: int,
    *,
    last: Iterable[geometry.Cell] = (),
    played: Iterable[tuple[geometry.Cell, geometry.Cell]] = (),
    better: Iterable[tuple[geometry.Cell, geometry.Cell]] = (),
    width: int = 400,
) -> str:
    """Return the picture of a hexagon, row I on top, with the rows' letters and the columns' numbers."""
    blacks, whites = geometry.cells(black), geometry.cells(white)
    marked = set(last)
    corners = [_centre(cell, 5.75 / 4) for cell in ((0, 0), (0, 4), (4, 8), (8, 8), (8, 4), (4, 0))]
    outline = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    parts = [f'<polygon points="{outline}" fill="{WOOD}" stroke="{HOLLOW}" stroke-width="3"/>']
    for row in range(9):
        for cell in row_cells(row):
            x, y = _centre(cell)
            if cell in blacks or cell in whites:
                parts.append(disc(x, y, 0.44 * UNIT, black=cell in blacks))
            else:
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{0.36 * UNIT:g}" fill="{HOLLOW}"/>')
            if cell in marked:
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{0.1 * UNIT:g}" fill="{MARK}"/>')
        x, y = _centre((row, row_cells(row)[0][1] - 1))
        parts.append(label(x, y, "ABCDEFGHI"[row], INK))
    for column in range(9):
        x, y = _centre((max(0, column - 4) - 1, column))
        parts.append(label(x, y, str(column + 1), INK))
    parts += [_path_svg(*path, RED, "played") for path in played]
    parts += [_path_svg(*path, BLUE, "better") for path in better]
    return picture(parts, (-5.9 * UNIT, -5.15 * UNIT, 11.8 * UNIT, 10.3 * UNIT), width, "Abalone board")


def _centre(cell: geometry.Cell, stretch: float = 1.0) -> tuple[float, float]:
    """Return where a cell's centre is drawn, relative to the board's centre."""
    x, y = geometry.centre_of(cell)
    return x * UNIT * stretch, y * UNIT * stretch


def _path_svg(begin: geometry.Cell, end: geometry.Cell, stroke: str, title: str) -> str:
    """Return a line from cell to cell with a blob at its end."""
    (x, y), (u, v) = _centre(begin), _centre(end)
    parts = [f"<title>{title}</title>"]
    for colour, wider in ((HALO, 2), (stroke, 0)):
        line = f'd="M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}" stroke-width="{5 + 2 * wider}" stroke-linecap="round"'
        parts.append(
            f'<path {line} stroke="{colour}"/><circle cx="{u:.1f}" cy="{v:.1f}" r="{8 + wider}" fill="{colour}"/>'
        )
    return f"<g>{''.join(parts)}</g>"
