"""Functions for SVG pictures and text diagrams of boards that all games share."""

from collections.abc import Sequence
from html import escape

BLACK, WHITE, EMPTY, LEGAL = "X", "O", ".", "*"


def bracketed(marks: Sequence[str], last: Sequence[bool]) -> str:
    """Return the marks of a row, with spaces between them and with brackets around the marks that `last` selects."""
    parts = []
    for before, mark, now in zip((False, *last), marks, last, strict=False):
        parts.append((" " if now == before else "[" if now else "]") + mark)
    return "".join(parts) + ("]" if last[-1] else "")


BLACK_DISC, WHITE_DISC = "#1c1c1c", "#fafafa"
RIM = "#00000055"
MARK = "#e8b02f"
LABEL = "#6b6b6b"
UNIT = 40
"""Width of a square or cell in pixels, before scaling."""


def disc(x: float, y: float, radius: float, *, black: bool) -> str:
    """Return an SVG disc or marble with its centre at (x, y)."""
    fill = BLACK_DISC if black else WHITE_DISC
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{fill}" stroke="{RIM}"/>'


def label(x: float, y: float, text: str, fill: str = LABEL) -> str:
    """Return SVG text, such as a coordinate of the board, with its centre at (x, y)."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" font-size="{0.36 * UNIT:g}" fill="{fill}" '
        f'text-anchor="middle" dominant-baseline="central">{text}</text>'
    )


def picture(parts: list[str], box: tuple[float, float, float, float], width: int, title: str) -> str:
    """Return the SVG picture made of `parts`. `box` is its left, top, width and height; `width` is in pixels."""
    view = " ".join(f"{number:g}" for number in box)
    height = round(width * box[3] / box[2])
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{width}" height="{height}" role="img">'
    return f"{head}<title>{title}</title>{''.join(parts)}</svg>"


def diagram_svg(lines: Sequence[str], *, title: str, width: int, below: Sequence[str] = ()) -> str:
    """Return an SVG picture of a text diagram: discs for X and O, letters for all other cells, and the lines `below`
    it."""
    across, down = 0.55 * UNIT, UNIT
    parts = []
    for row, line in enumerate((*lines, *below)):
        for column, sign in enumerate(line):
            x, y = (column + 0.5) * across, (row + 0.5) * down
            if row < len(lines) and sign in (BLACK, WHITE):
                parts.append(disc(x, y, 0.42 * across, black=sign == BLACK))
            elif not sign.isspace():
                parts.append(label(x, y, escape(sign)))
    widest = max((len(line) for line in (*lines, *below)), default=1)
    box = (0.0, 0.0, max(1, widest) * across, max(1, len(lines) + len(below)) * down)
    return picture(parts, box, width, escape(title))
