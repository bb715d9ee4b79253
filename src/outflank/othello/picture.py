"""Othello boards as pictures."""

from collections.abc import Collection

from outflank.boards.svg import MARK, UNIT, disc, label, picture
from outflank.othello.squares import squares

FELT, GRID = "#2e7d54", "#1d5337"
WORSE, BETTER = "#ff8a75", "#8fd3ff"
"""Colours of the played move and the better one, on felt."""


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
    """Return the picture of a square board with its coordinates."""
    side = size * UNIT
    parts = [f'<rect x="0" y="0" width="{side}" height="{side}" fill="{FELT}"/>']
    for line in range(size + 1):
        offset = line * UNIT
        parts.append(f'<path d="M{offset} 0V{side}M0 {offset}H{side}" stroke="{GRID}"/>')
    for index, square in enumerate(squares(size)):
        x, y = (index % size + 0.5) * UNIT, (index // size + 0.5) * UNIT
        if black >> square & 1 or white >> square & 1:
            parts.append(disc(x, y, 0.42 * UNIT, black=bool(black >> square & 1)))
        elif square in legal:
            parts.append(f'<circle cx="{x}" cy="{y}" r="{0.11 * UNIT:g}" fill="{GRID}"/>')
        if square == last:
            parts.append(f'<circle cx="{x}" cy="{y}" r="{0.1 * UNIT:g}" fill="{MARK}"/>')
        if square == played:
            arm = 0.2 * UNIT
            cross = f"M{x - arm:g} {y - arm:g}l{2 * arm:g} {2 * arm:g}m0 {-2 * arm:g}l{-2 * arm:g} {2 * arm:g}"
            parts.append(f'<path d="{cross}" stroke="{WORSE}" stroke-width="5"><title>played</title></path>')
        if square == better:
            ring = f'r="{0.3 * UNIT:g}" fill="none" stroke="{BETTER}" stroke-width="4"'
            parts.append(f'<circle cx="{x}" cy="{y}" {ring}><title>better</title></circle>')
    for index in range(size):
        middle = (index + 0.5) * UNIT
        parts.append(label(middle, -0.25 * UNIT, "abcdefgh"[index]))
        parts.append(label(-0.3 * UNIT, middle, str(index + 1)))
    return picture(parts, (-0.6 * UNIT, -0.6 * UNIT, side + 0.8 * UNIT, side + 0.8 * UNIT), width, "Othello board")
