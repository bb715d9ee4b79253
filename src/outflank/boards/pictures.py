"""Self-contained SVG pictures of boards, for notebooks and pages: the part that games share."""

from collections.abc import Sequence
from html import escape

# Text diagrams of boards with coordinates, for the terminal, `str(board)` and bug reports: the part that games
# share.

BLACK, WHITE, EMPTY, LEGAL = "X", "O", ".", "*"


def bracketed(marks: Sequence[str], last: Sequence[bool]) -> str:
    """Return the marks of a row, each after a space, or after a bracket where a run of `last` begins or has ended."""
    parts = []
    for before, mark, now in zip((False, *last), marks, last, strict=False):
        parts.append((" " if now == before else "[" if now else "]") + mark)
    return "".join(parts) + ("]" if last[-1] else "")


BLACK_DISC, WHITE_DISC = "#1c1c1c", "#fafafa"
RIM = "#00000055"
MARK = "#e8b02f"
LABEL = "#6b6b6b"
UNIT = 40
"""Pixels of a square or a cell before scaling."""


def disc(x: float, y: float, radius: float, *, black: bool) -> str:
    """Return a disc or a marble around a point."""
    fill = BLACK_DISC if black else WHITE_DISC
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{fill}" stroke="{RIM}"/>'


def label(x: float, y: float, text: str, fill: str = LABEL) -> str:
    """Return a letter or a number around a point."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" font-size="{0.36 * UNIT:g}" fill="{fill}" '
        f'text-anchor="middle" dominant-baseline="central">{text}</text>'
    )


def picture(parts: list[str], box: tuple[float, float, float, float], width: int, title: str) -> str:
    """Return the whole picture: `box` is its left, top, width and height."""
    view = " ".join(f"{number:g}" for number in box)
    height = round(width * box[3] / box[2])
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{width}" height="{height}" role="img">'
    return f"{head}<title>{title}</title>{''.join(parts)}</svg>"


def diagram_svg(lines: Sequence[str], *, title: str, width: int, below: Sequence[str] = ()) -> str:
    """Return a picture of a text diagram: discs for X and O, letters for the rest, and lines of text `below` it."""
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
