"""Marks of curves: each curve has its own shape, so that colour is not needed to distinguish them."""

from math import cos, pi, sin

from outflank.lab.drawing.looks import escape, pixel

POLYGONS = ((4, 45, 1.25), (3, -90, 1.4), (4, 0, 1.3), (3, 90, 1.4), (5, -90, 1.2), (10, -90, 1.6))
"""Corners, angle of the first and relative radius: about as large as the circle, shape 0. Ten corners are a star."""
SHAPES = 1 + len(POLYGONS)
DASHES = ("6 4", "2 3", "9 3 2 3", "12 4", "4 2 1 2 1 2")


def dash(shape: int) -> str:
    """Return the dash pattern of a series."""
    return DASHES[shape % len(DASHES)]


def mark(shape: int, x: float, y: float, radius: float, *, hollow: bool = False, tooltip: str = "") -> str:
    """Return the mark of a series at a point; `tooltip` is shown on hover."""
    style = "hollow" if hollow else "solid"
    position = f'transform="translate({pixel(x)} {pixel(y)})"'
    inner = f"<title>{escape(tooltip)}</title>" if tooltip else ""
    return f'<path class="mark {style}" {position} d="{_shape(shape, radius)}">{inner}</path>'


def _shape(kind: int, radius: float) -> str:
    if kind == 0:
        arc = f"a{radius:g} {radius:g} 0 1 0"
        return f"M{-radius:g} 0{arc} {2 * radius:g} 0{arc} {-2 * radius:g} 0z"
    corners, start, scale = POLYGONS[kind - 1]
    points = []
    for corner in range(corners):
        angle = (start + 360 * corner / corners) * pi / 180
        length = radius * scale * (0.5 if corners == 10 and corner % 2 else 1.0)
        points.append(f"{pixel(length * cos(angle))} {pixel(length * sin(angle))}")
    return f"M{'L'.join(points)}z"
