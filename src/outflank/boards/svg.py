"""Pictures of boards, for notebooks and pages: one self-contained SVG each."""

from collections.abc import Collection, Iterable
from math import sqrt

from outflank.abalone import geometry
from outflank.abalone.layouts import row_cells
from outflank.othello.squares import squares

BLACK_DISC, WHITE_DISC = "#1c1c1c", "#fafafa"
RIM = "#00000055"
FELT, GRID = "#2e7d54", "#1d5337"
WOOD, HOLLOW = "#c9a06c", "#a97f4c"
MARK = "#e8b02f"
WORSE, BETTER = "#ff8a75", "#8fd3ff"
"""What was played and what was better, on felt."""
RED, BLUE, HALO = "#c62828", "#1258b0", "#ffffffd0"
"""The same on wood, where lines also cross marbles: a halo lets them stand out on black ones."""
LABEL, INK = "#6b6b6b", "#5b3f1d"
UNIT = 40
"""Pixels of a square or a cell before the picture is scaled."""


def othello_svg(
    size: int,
    black: int,
    white: int,
    *,
    legal: Collection[int] = (),
    last: int | None = None,
    played: int | None = None,
    better: int | None = None,
    width: int = 400,
) -> str:
    """A square board with its coordinates."""
    side = size * UNIT
    parts = [f'<rect x="0" y="0" width="{side}" height="{side}" fill="{FELT}"/>']
    for line in range(size + 1):
        at = line * UNIT
        parts.append(f'<path d="M{at} 0V{side}M0 {at}H{side}" stroke="{GRID}"/>')
    for index, square in enumerate(squares(size)):
        x, y = (index % size + 0.5) * UNIT, (index // size + 0.5) * UNIT
        if black >> square & 1 or white >> square & 1:
            parts.append(_disc(x, y, 0.42 * UNIT, black=bool(black >> square & 1)))
        elif square in legal:
            parts.append(f'<circle cx="{x}" cy="{y}" r="{0.11 * UNIT:g}" fill="{GRID}"/>')
        if square == last:
            parts.append(f'<circle cx="{x}" cy="{y}" r="{0.1 * UNIT:g}" fill="{MARK}"/>')
        if square == played:
            arm = 0.2 * UNIT
            way = f"M{x - arm:g} {y - arm:g}l{2 * arm:g} {2 * arm:g}m0 {-2 * arm:g}l{-2 * arm:g} {2 * arm:g}"
            parts.append(f'<path d="{way}" stroke="{WORSE}" stroke-width="5"><title>played</title></path>')
        if square == better:
            ring = f'r="{0.3 * UNIT:g}" fill="none" stroke="{BETTER}" stroke-width="4"'
            parts.append(f'<circle cx="{x}" cy="{y}" {ring}><title>better</title></circle>')
    for index in range(size):
        middle = (index + 0.5) * UNIT
        parts.append(_label(middle, -0.25 * UNIT, "abcdefgh"[index]))
        parts.append(_label(-0.3 * UNIT, middle, str(index + 1)))
    return _picture(parts, (-0.6 * UNIT, -0.6 * UNIT, side + 0.8 * UNIT, side + 0.8 * UNIT), width, "Othello board")


def abalone_svg(
    black: int,
    white: int,
    *,
    last: Iterable[geometry.Cell] = (),
    played: Iterable[tuple[geometry.Cell, geometry.Cell]] = (),
    better: Iterable[tuple[geometry.Cell, geometry.Cell]] = (),
    width: int = 400,
) -> str:
    """A hexagon, row I on top, with the rows' letters and the columns' numbers."""
    blacks, whites = geometry.cells(black), geometry.cells(white)
    marked = set(last)
    corners = [_centre(cell, 5.75 / 4) for cell in ((0, 0), (0, 4), (4, 8), (8, 8), (8, 4), (4, 0))]
    outline = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    parts = [f'<polygon points="{outline}" fill="{WOOD}" stroke="{HOLLOW}" stroke-width="3"/>']
    for row in range(9):
        for cell in row_cells(row):
            x, y = _centre(cell)
            if cell in blacks or cell in whites:
                parts.append(_disc(x, y, 0.44 * UNIT, black=cell in blacks))
            else:
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{0.36 * UNIT:g}" fill="{HOLLOW}"/>')
            if cell in marked:
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{0.1 * UNIT:g}" fill="{MARK}"/>')
        x, y = _centre((row, row_cells(row)[0][1] - 1))
        parts.append(_label(x, y, "ABCDEFGHI"[row], INK))
    for column in range(9):
        x, y = _centre((max(0, column - 4) - 1, column))
        parts.append(_label(x, y, str(column + 1), INK))
    parts += [_way(*way, RED, "played") for way in played]
    parts += [_way(*way, BLUE, "better") for way in better]
    return _picture(parts, (-5.9 * UNIT, -5.15 * UNIT, 11.8 * UNIT, 10.3 * UNIT), width, "Abalone board")


def _centre(cell: geometry.Cell, stretch: float = 1.0) -> tuple[float, float]:
    """Where a cell's centre is drawn, the board's centre being 0, 0."""
    row, column = cell[0] - geometry.CENTRE[0], cell[1] - geometry.CENTRE[1]
    return (column - row / 2) * UNIT * stretch, -row * sqrt(3) / 2 * UNIT * stretch


def _way(begin: geometry.Cell, end: geometry.Cell, stroke: str, title: str) -> str:
    """A line from cell to cell, a blob where it ends."""
    (x, y), (u, v) = _centre(begin), _centre(end)
    parts = [f"<title>{title}</title>"]
    for colour, wider in ((HALO, 2), (stroke, 0)):
        line = f'd="M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}" stroke-width="{5 + 2 * wider}" stroke-linecap="round"'
        parts.append(
            f'<path {line} stroke="{colour}"/><circle cx="{u:.1f}" cy="{v:.1f}" r="{8 + wider}" fill="{colour}"/>'
        )
    return f"<g>{''.join(parts)}</g>"


def _disc(x: float, y: float, radius: float, *, black: bool) -> str:
    fill = BLACK_DISC if black else WHITE_DISC
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{fill}" stroke="{RIM}"/>'


def _label(x: float, y: float, text: str, fill: str = LABEL) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" font-size="{0.36 * UNIT:g}" fill="{fill}" '
        f'text-anchor="middle" dominant-baseline="central">{text}</text>'
    )


def _picture(parts: list[str], box: tuple[float, float, float, float], width: int, title: str) -> str:
    view = " ".join(f"{number:g}" for number in box)
    height = round(width * box[3] / box[2])
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{width}" height="{height}" role="img">'
    return f"{head}<title>{title}</title>{''.join(parts)}</svg>"
