"""Which colour and which mark a name has: the same in all figures, so that a curve is known again on the next page."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from outflank.lab.drawing.looks import HUES
from outflank.lab.drawing.marks import SHAPES
from outflank.lab.literature import REPORTS
from outflank.lab.report import Figure, Plot, Series, Timeline

NEUTRAL = 6
"""The grey hue: for what is not measured but drawn beside it."""

SCHEMES = {
    "ybw": 0,
    "jamboree": 1,
    "fork-join": 2,
    "root-split": 3,
    "pv-split": 4,
    "shared-table": 5,
    "abdada": 7,
    # Playouts: in no figure with the others.
    "root-parallel": 8,
    "tree-parallel": 9,
}
POLICIES = {"none": 16, "batch": 17, "depth": 18, "async": 19}
PROGRAMS = {"par": 20, "par_rmi": 21, "par_tuple": 23, "000 par": 12, "000 par_rmi": 13, "000 par_tuple": 15}
BOUNDS = dict.fromkeys(("linear", "ideal", "by chance"), NEUTRAL)
FIXED = SCHEMES | POLICIES | PROGRAMS | BOUNDS
"""Names that mean the same on every page: hue and mark by their number. Theirs and ours share a hue."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a series is told from the others."""

    hue: int
    shape: int
    """Of its marks and dashes: colour alone must not be needed."""

    @property
    def colour(self) -> str:
        """The value of an attribute."""
        return f"var(--hue{self.hue + 1})"


class Palette:
    """A style for each name; those that are not fixed get what the names before them have used least.

    What a group of names gets does not depend on those after it. A report's own curve looks as ours of the same thing,
    which is in a group before it: `span, 002` as `span`.
    """

    def __init__(self, *groups: Iterable[str]) -> None:
        self._styles: dict[str, Style] = {}
        for names in groups:
            # Fixed ones first: what is free is known only then.
            for name in sorted(names, key=lambda name: _key(name) not in FIXED):
                if name not in self._styles:
                    self._styles[name] = self._free(name)

    @classmethod
    def over(cls, figures: Iterable[Figure]) -> "Palette":
        """The one for all figures of a report; it does not depend on whether published series are shown."""
        every = list(figures)
        ours = [series.name for series in _series(every) if not series.published]
        kinds = [name for each in every if isinstance(each, Timeline) for name in each.all_kinds]
        return cls([*ours, *kinds], [series.name for series in _series(every) if series.published])

    def of(self, name: str) -> Style:
        """The style of a name."""
        return self._styles[name]

    def _free(self, name: str) -> Style:
        thing, _, report = name.rpartition(", ")
        if report in REPORTS and thing in self._styles:
            return self._styles[thing]
        hues = Counter(style.hue for style in self._styles.values())
        shapes = Counter(style.shape for style in self._styles.values())
        if name in FIXED:
            return Style(FIXED[name] % HUES, FIXED[name] % SHAPES)
        hue = FIXED[_key(name)] % HUES if _key(name) in FIXED else min(range(HUES), key=lambda hue: (hues[hue], hue))
        return Style(hue, min(range(SHAPES), key=lambda shape: (shapes[shape], (shape - hue) % SHAPES)))


def _key(name: str) -> str:
    """What a series is of, without under which conditions: `ybw` of `ybw, depth 9`."""
    return name.partition(",")[0].strip()


def _series(figures: Iterable[Figure]) -> list[Series]:
    return [series for figure in figures if isinstance(figure, Plot) for series in figure.series]
