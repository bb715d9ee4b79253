"""Colours and marks of series. A name has the same style in all figures, so that readers recognise its curve."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, pi, sin

from outflank.lab.drawing.looks import HUES, escape, pixel
from outflank.lab.experiment_report import Figure, Plot, Series, Timeline
from outflank.lab.report_programs.published_numbers import REPORTS

POLYGONS = ((4, 45, 1.25), (3, -90, 1.4), (4, 0, 1.3), (3, 90, 1.4), (5, -90, 1.2), (10, -90, 1.6))
"""Number of corners, angle of the first corner in degrees, and relative radius of marks 1 to 6. Mark 0 is a circle."""
SHAPES = 1 + len(POLYGONS)
DASHES = ("6 4", "2 3", "9 3 2 3", "12 4", "4 2 1 2 1 2")


def dash(shape: int) -> str:
    """Return the dash pattern of a series with this shape."""
    return DASHES[shape % len(DASHES)]


def mark(shape: int, x: float, y: float, radius: float, *, hollow: bool = False, tooltip: str = "") -> str:
    """Return the mark of a series at a point as SVG. `tooltip` is shown on hover."""
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


NEUTRAL = 6
"""Number of the grey hue of reference lines, which are not measured."""

SCHEMES = {
    "ybw": 0,
    "jamboree": 1,
    "fork-join": 2,
    "root-split": 3,
    "pv-split": 4,
    "shared-table": 5,
    "abdada": 7,
    # Monte-Carlo schemes share hues with others, and are never in one figure with them.
    "root-parallel": 8,
    "tree-parallel": 9,
}
POLICIES = {"none": 16, "batch": 17, "depth": 18, "async": 19}
PROGRAMS = {"par": 20, "par_rmi": 21, "par_tuple": 23, "000 par": 12, "000 par_rmi": 13, "000 par_tuple": 15}
BOUNDS = dict.fromkeys(("linear", "ideal", "by chance"), NEUTRAL)
FIXED = SCHEMES | POLICIES | PROGRAMS | BOUNDS
"""Numbers that determine the hue and shape of these series on every page. A published program has the hue of our
version."""


@dataclass(frozen=True, slots=True)
class Style:
    """The hue and shape that distinguish a series."""

    hue: int
    shape: int
    """Number of the shape of marks and dashes, which distinguishes series without colour."""

    @property
    def colour(self) -> str:
        """Colour as an SVG attribute value."""
        return f"var(--hue{self.hue + 1})"


class Palette:
    """The styles of all series names in a report. A name not in `FIXED` gets the hue and the shape used least so far.

    The styles of a group of names do not depend on later groups. A published curve looks like our curve of the same
    quantity, if our curve is in an earlier group: `span, 002` looks like `span`.
    """

    def __init__(self, *groups: Iterable[str]) -> None:
        self._styles: dict[str, Style] = {}
        for names in groups:
            # Fixed names come first, because they determine which styles are free.
            for name in sorted(names, key=lambda name: _key(name) not in FIXED):
                if name not in self._styles:
                    self._styles[name] = self._free(name)

    @classmethod
    def over(cls, figures: Iterable[Figure]) -> "Palette":
        """Return the palette of a report's figures. The styles of our series do not depend on the published series."""
        all_figures = list(figures)
        ours = [series.name for series in _series(all_figures) if not series.published]
        kinds = [name for figure in all_figures if isinstance(figure, Timeline) for name in figure.all_kinds]
        return cls([*ours, *kinds], [series.name for series in _series(all_figures) if series.published])

    def of(self, name: str) -> Style:
        return self._styles[name]

    def _free(self, name: str) -> Style:
        subject, _, report = name.rpartition(", ")
        if report in REPORTS and subject in self._styles:
            return self._styles[subject]
        hues = Counter(style.hue for style in self._styles.values())
        shapes = Counter(style.shape for style in self._styles.values())
        if name in FIXED:
            return Style(FIXED[name] % HUES, FIXED[name] % SHAPES)
        hue = FIXED[_key(name)] % HUES if _key(name) in FIXED else min(range(HUES), key=lambda hue: (hues[hue], hue))
        return Style(hue, min(range(SHAPES), key=lambda shape: (shapes[shape], (shape - hue) % SHAPES)))


def _key(name: str) -> str:
    """Return the first part of a series' name: `ybw` for `ybw, depth 9`."""
    return name.partition(",")[0].strip()


def _series(figures: Iterable[Figure]) -> list[Series]:
    return [series for figure in figures if isinstance(figure, Plot) for series in figure.series]
