"""Named groups along a horizontal axis, below bars or curves."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, cos, radians, sin

from outflank.lab.drawing.looks import TEXT, clip, label, text_width, wrap

TURN = 35
"""Degrees by which names are rotated if they do not fit side by side."""
LONGEST = 150
"""Most units of a rotated name."""
LEADING = 18
"""Units between the lines of a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Names spaced evenly along a horizontal line."""

    names: Sequence[str]
    begin: float
    end: float
    turned: bool

    @property
    def slot(self) -> float:
        """Width of each group in units."""
        return _slot(self.names, self.begin, self.end)

    def at(self, name: str) -> float:
        """Return the x coordinate of a group's middle."""
        return self.begin + (self.names.index(name) + 0.5) * self.slot

    def ticks_below(self, bottom: float) -> tuple[list[str], float]:
        """Return the names, wrapped or rotated, and the y coordinate below them."""
        if self.turned:
            # Rotated names need a line's height each: in narrower slots, some names are omitted.
            stride = ceil(TEXT / self.slot)
            texts = {name: clip(name, LONGEST) for name in self.names[::stride]}
            parts = [
                label(self.at(name), bottom + 12, text, anchor="end", style="tick faint", turn=-TURN)
                for name, text in texts.items()
            ]
            return parts, bottom + 20 + max(map(text_width, texts.values())) * sin(radians(TURN))
        parts, line_count = [], 1
        for name in self.names:
            lines = wrap(name, self.slot - 6)
            line_count = max(line_count, len(lines))
            for index, line in enumerate(lines):
                y = bottom + 14 + LEADING * index
                parts.append(label(self.at(name), y, line, anchor="middle", style="tick faint"))
        return parts, bottom + 26 + LEADING * (line_count - 1)


def groups_over(names: Sequence[str], begin: float, end: float) -> Groups:
    """Return groups from `begin` on, or further right if rotated names would leave the picture."""
    slot = _slot(names, begin, end)
    turned = any(text_width(line) > slot - 6 for name in names for line in wrap(name, slot - 6))
    if turned:
        reaches = (min(text_width(name), LONGEST) * cos(radians(TURN)) for name in names)
        begin = max(begin, 10 + max(reach - (index + 0.5) * slot for index, reach in enumerate(reaches)))
    return Groups(names=names, begin=begin, end=end, turned=turned)


def _slot(names: Sequence[str], begin: float, end: float) -> float:
    return (end - begin) / max(len(names), 1)
