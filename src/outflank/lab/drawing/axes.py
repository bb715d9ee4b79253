"""The axes of plots: ranges of values, coordinates of values in SVG units, and labelled ticks."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, cos, floor, frexp, log10, radians, sin

from outflank.lab.drawing.looks import SUFFIXES, TEXT, clip, label, pixel, short, text_width, wrap

TURN = 35
"""Angle in degrees by which the names of bar groups are rotated if they do not fit side by side."""
LONGEST = 150
"""Greatest length of the rotated name of a bar group, in SVG units."""
LEADING = 18
"""Distance between the lines of a wrapped group name, in SVG units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """A horizontal axis with named groups of equal width, for bars."""

    names: Sequence[str]
    begin: float
    end: float
    turned: bool

    @property
    def slot(self) -> float:
        """Width of each group of bars, in SVG units."""
        return _slot(self.names, self.begin, self.end)

    def at(self, name: str) -> float:
        """Return the x coordinate of the middle of a group."""
        return self.begin + (self.names.index(name) + 0.5) * self.slot

    def ticks_below(self, bottom: float) -> tuple[list[str], float]:
        """Return the names of the groups as SVG, and the y coordinate of their lower end."""
        if self.turned:
            # A rotated name needs a slot as wide as a line is high. In narrower slots, some names are omitted.
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
    """Return an axis for the groups `names`. It starts at `begin`, or further right if rotated names need the space."""
    slot = _slot(names, begin, end)
    turned = any(text_width(line) > slot - 6 for name in names for line in wrap(name, slot - 6))
    if turned:
        reaches = (min(text_width(name), LONGEST) * cos(radians(TURN)) for name in names)
        begin = max(begin, 10 + max(reach - (index + 0.5) * slot for index, reach in enumerate(reaches)))
    return Groups(names=names, begin=begin, end=end, turned=turned)


def _slot(names: Sequence[str], begin: float, end: float) -> float:
    return (end - begin) / max(len(names), 1)


LARGEST, LEAST = 1e100, 1e-100
"""Greatest and least absolute value on an axis. Computing ticks would overflow for values far outside these limits."""
MARGIN = 0.03
"""Share of a horizontal axis that is empty before its first value and after its last."""
SPACING = 34
"""Least distance between the ticks of a vertical axis, in SVG units."""

SHORT = 20
"""A logarithmic axis may end at any of `SHORT_ENDS` if the ratio of its highest to its lowest value is below this."""
SHORT_ENDS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)

Ticks = tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A numeric axis. It is vertical if `begin` > `end`, because y coordinates grow downwards."""

    begin: float
    end: float
    low: float
    high: float
    log: bool
    ticks: Ticks
    """Values of the ticks, with their labels."""
    minor: tuple[float, ...] = ()
    """Values at which the axis has a small mark without a label."""

    def at(self, value: float) -> float:
        """Return the coordinate of `value` in SVG units. Values outside the axis have the coordinate of an end."""
        scale: Callable[[float], float] = log10 if self.log else float
        low, high = scale(self.low), scale(self.high)
        share = (scale(value) - low) / (high - low)
        return self.begin + (self.end - self.begin) * min(max(share, 0.0), 1.0)

    def crowded(self) -> bool:
        """Return whether the labels of two ticks overlap."""
        vertical = self.begin > self.end
        rooms = [(self.at(value), SPACING if vertical else text_width(text) + 10) for value, text in self.ticks]
        return any(abs(b - a) < (first + second) / 2 for (a, first), (b, second) in pairwise(rooms))


def can_show(value: float, *, log: bool) -> bool:
    """Return whether an axis can show `value`: it is within `LARGEST`, and on a logarithmic axis at least `LEAST`."""
    return LEAST <= value <= LARGEST if log else abs(value) <= LARGEST


def axis_over(
    values: Sequence[float], begin: float, end: float, *, log: bool = False, bars: bool = False, binary: bool = False
) -> Axis:
    """Return an axis for `values`, with as many ticks as have room.

    A vertical axis ends at round values; a horizontal axis ends near its first and last value. With `bars`, an axis
    starts at zero, or at the power of ten below the bars if it is logarithmic. With `binary`, ticks are at powers of
    two.
    """
    axes = _logarithmic(values, begin, end, bars, binary) if log else _linear(values, begin, end, bars)
    axis = next(axes)
    for sparser in axes:
        if not axis.crowded():
            break
        axis = sparser
    return axis


def ticks_below(axis: Axis, top: float, bottom: float) -> tuple[list[str], float]:
    """Return the grid lines and labels of a horizontal axis as SVG, and the y coordinate of the labels' lower end."""
    parts = [f'<path class="edge" d="M{pixel(axis.at(value))} {pixel(bottom)}v4"/>' for value in axis.minor]
    for value, text in axis.ticks:
        x = axis.at(value)
        parts.append(f'<path class="grid" d="M{pixel(x)} {pixel(bottom)}V{pixel(top)}"/>')
        parts.append(f'<path class="edge" d="M{pixel(x)} {pixel(bottom)}v6"/>')
        parts.append(label(x, bottom + 16, text, anchor="middle", style="tick faint"))
    return parts, bottom + 26


def powers_of_two(values: Sequence[float]) -> bool:
    """Return whether there are at least two values, all of them powers of two."""
    return len(set(values)) > 1 and all(frexp(value)[0] == 0.5 for value in values)


def _linear(values: Sequence[float], begin: float, end: float, bars: bool) -> Iterator[Axis]:
    vertical = begin > end
    low, high = min(values, default=0.0), max(values, default=1.0)
    whole = all(value == floor(value) for value in values)  # plies and workers: ticks only at integers
    flat = high - low <= max(1e-9 * max(abs(low), abs(high)), LEAST)
    if flat and not vertical:
        low, high = low - (abs(low) / 10 or 1.0), high + (abs(high) / 10 or 1.0)
    elif flat or bars or 0 < low <= high * (0.5 if vertical else 0.15):
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low <= LEAST:
        low, high = 0.0, 1.0
    if not vertical:
        room = MARGIN * (high - low)
        low, high = low - room if low else low, high + room
    for count in (10, 8, 6, 5, 4, 3, 2, 1):
        step = _round_step((high - low) / count)
        if whole and not flat:
            step = max(step, 1.0)
        if vertical:
            yield Axis(
                begin=begin,
                end=end,
                low=floor(low / step + 1e-9) * step,
                high=ceil(high / step - 1e-9) * step,
                log=False,
                ticks=_multiples(floor(low / step + 1e-9), ceil(high / step - 1e-9), step),
            )
        else:
            ticks = _multiples(ceil(low / step), floor(high / step), step)
            yield Axis(begin=begin, end=end, low=low, high=high, log=False, ticks=ticks)


def _round_step(least: float) -> float:
    """Return the least number that is 1, 2 or 5 times a power of ten and at least `least`."""
    power = 10.0 ** floor(log10(least))
    return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= least * (1 - 1e-9))


def _multiples(first: int, last: int, step: float) -> Ticks:
    values = [index * step for index in range(first, last + 1)]
    largest = max(map(abs, values), default=0.0)
    if not 1e-3 <= largest < 1e15:
        return tuple((value, short(value)) for value in values)
    # All labels have the same suffix (k, M, …), and none below ten thousand, because 1995 may be a year.
    size, suffix = next(((size, suffix) for size, suffix in SUFFIXES if largest >= max(size, 1e4)), (1.0, ""))
    decimals = max(0, -floor(log10(step / size) + 1e-9))
    return tuple((value, f"{value / size:.{decimals}f}{suffix}" if value else "0") for value in values)


def _logarithmic(values: Sequence[float], begin: float, end: float, bars: bool, binary: bool) -> Iterator[Axis]:
    low, high = min(values, default=1.0), max(values, default=10.0)
    whole = all(value == floor(value) for value in values)
    if high / low < 1.01:
        low, high = low / 2, high * 2
    if begin < end:
        room = (high / low) ** MARGIN
        low, high = low / room, high * room
    else:
        # A short axis ends near its values. With ends at 1, 2 and 5 only, an axis of values up to 2.1 would end at 5.
        ends = SHORT_ENDS if high / low < SHORT else (1, 2, 5)
        low = 10.0 ** floor(log10(low * 0.8)) if bars else _round_values(low / 10, low * (1 + 1e-9), ends)[-1]
        high = _round_values(high * (1 - 1e-9), high * 10, ends)[0]

    def axis(ticks: Ticks, minor: Sequence[float] = ()) -> Axis:
        return Axis(begin=begin, end=end, low=low, high=high, log=True, ticks=ticks, minor=tuple(minor))

    if binary:
        exponents = range(ceil(log10(low) / log10(2)), floor(log10(high) / log10(2)) + 1)
        for stride in (1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256, 512):
            powers = [2.0**exponent for exponent in exponents if exponent % stride == 0]
            yield axis(tuple((value, f"{value:g}" if 1 <= value < 1e6 else short(value)) for value in powers))
        return
    ladder = _round_values(low, high, (1, 2, 5))
    if len(ladder) < 3:
        for linear in _linear([low, high], begin, end, bars=False):
            yield axis(
                tuple(
                    (value, f"{value:.0f}" if whole else text)
                    for value, text in linear.ticks
                    if low <= value <= high and not (whole and value != floor(value))
                )
            )
    decades = _round_values(low, high, (1,))
    minor_values = _round_values(low, high, range(1, 10)) if len(decades) <= 7 else ()
    yield axis(_labelled(ladder), minor_values)
    for stride in (1, 2, 3, 5, 10, 20, 50, 100, 200):
        yield axis(_labelled([value for value in decades if round(log10(value)) % stride == 0]), minor_values)


def _labelled(values: Sequence[float]) -> Ticks:
    return tuple((value, short(value)) for value in values)


def _round_values(low: float, high: float, digits: Sequence[float]) -> list[float]:
    """Return all values from `low` to `high` that are one of the `digits` times a power of ten."""
    powers = range(floor(log10(low)) - 1, ceil(log10(high)) + 1)
    ladder = [float(f"{digit}e{power}") for power in powers for digit in digits]
    return [value for value in ladder if low <= value <= high]
