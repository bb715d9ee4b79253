"""Groups side by side below bars, or below curves over names."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, cos, radians, sin

from outflank.lab.drawing.looks import TEXT, clip, label, text_width, wrap

TURN = 35
"""Degrees by which names are turned where they do not fit side by side."""
LONGEST = 150
"""Units that a turned name may take."""
LEADING = 18
"""Units from one line of a name to the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Names that share a horizontal line evenly."""

    names: Sequence[str]
    begin: float
    end: float
    turned: bool

    @property
    def slot(self) -> float:
        """Units that each group has."""
        return _slot(self.names, self.begin, self.end)

    def at(self, name: str) -> float:
        """The middle of a group."""
        return self.begin + (self.names.index(name) + 0.5) * self.slot

    def ticks_below(self, bottom: float) -> tuple[list[str], float]:
        """The names, in lines or turned, and where they end."""
        if self.turned:
            # Turned lines need a line's height each: where the slots are narrower, some names are left out.
            every = ceil(TEXT / self.slot)
            written = {name: clip(name, LONGEST) for name in self.names[::every]}
            parts = [
                label(self.at(name), bottom + 12, text, anchor="end", style="tick faint", turn=-TURN)
                for name, text in written.items()
            ]
            return parts, bottom + 20 + max(map(text_width, written.values())) * sin(radians(TURN))
        parts, most = [], 1
        for name in self.names:
            lines = wrap(name, self.slot - 6)
            most = max(most, len(lines))
            for row, line in enumerate(lines):
                y = bottom + 14 + LEADING * row
                parts.append(label(self.at(name), y, line, anchor="middle", style="tick faint"))
        return parts, bottom + 26 + LEADING * (most - 1)


def groups_over(names: Sequence[str], begin: float, end: float) -> Groups:
    """Groups from `begin` on, or further right if their names are turned and would leave the picture."""
    slot = _slot(names, begin, end)
    turned = any(text_width(line) > slot - 6 for name in names for line in wrap(name, slot - 6))
    if turned:
        reaches = (min(text_width(name), LONGEST) * cos(radians(TURN)) for name in names)
        begin = max(begin, 10 + max(reach - (index + 0.5) * slot for index, reach in enumerate(reaches)))
    return Groups(names=names, begin=begin, end=end, turned=turned)


def _slot(names: Sequence[str], begin: float, end: float) -> float:
    return (end - begin) / max(len(names), 1)
