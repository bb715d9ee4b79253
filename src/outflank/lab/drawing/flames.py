"""SVG of flame graphs and timelines, which show how time was spent."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, inf, isfinite
from zlib import crc32

from outflank.lab.drawing.axes import LARGEST, Axis, axis_over, ticks_below
from outflank.lab.drawing.looks import (
    LINE,
    SWATCH,
    WARMS,
    WIDTH,
    clip,
    escape,
    label,
    legend,
    number,
    picture,
    pixel,
    text_width,
)
from outflank.lab.drawing.palette import Palette
from outflank.lab.experiment_report import Flame, FlameBox, Interval, Timeline
from outflank.validation.text import how_many

ROW = 24
"""Height of one level of a flame graph, in SVG units."""
EDGE = 14
"""Margin left and right of a flame graph, in SVG units. It has room for half of the axis' first and last label."""
NARROWEST = 0.3
"""Width in SVG units below which a box of a flame graph is omitted."""
FAINTEST = 0.2
"""Least width with which an interval of a timeline is painted, in SVG units."""


def flame_svg(flame: Flame) -> str:
    """Return a flame graph as a self-contained SVG, with its root at the bottom."""
    boxes = list(_visible_boxes(flame.root))
    bottom = ROW * (1 + max((level for _, level, _, _ in boxes), default=0)) + 4
    parts, below = ticks_below(_scale(flame.root.value), 0, bottom) if boxes else ([], bottom)
    for box, level, x, width in boxes:
        share = box.value / flame.root.value
        tooltip = f"{box.name}: {number(box.value, 8)} {flame.unit}, {share:.1%}"
        y = bottom - ROW * (level + 1)
        warm = f"var(--warm{crc32(box.name.encode('utf-8', 'replace')) % WARMS + 1})"
        rect = f'<rect class="box" x="{x:.2f}" y="{y}" width="{max(width - 0.6, NARROWEST):.2f}" height="{ROW - 1}"'
        text = clip(box.name, width - 8)
        name = label(x + 4, y + ROW / 2, text, style="name") if text else ""
        parts.append(f'<g><title>{escape(tooltip)}</title>{rect} fill="{warm}" rx="1.5"/>{name}</g>')
    if not boxes:
        parts.append(label(WIDTH / 2, bottom / 2, "nothing to show", anchor="middle", style="faint"))
    else:
        parts.append(label(WIDTH / 2, below + LINE / 2, f"{flame.root.name} ({flame.unit})", anchor="middle"))
    top = ", ".join(f"{box.name} {box.value / flame.root.value:.0%}" for box, level, _, _ in boxes if level == 1)
    total = f"{number(flame.root.value)} {flame.unit} in {flame.root.name}"
    description = f"Flame graph of {total}: {top or 'nothing'}. {flame.caption}"
    return picture(parts, below + LINE + 4, flame.title, description.strip())


def _scale(whole: float) -> Axis:
    """Return the horizontal axis of a flame graph, from 0 to the value of the root box."""
    axis = axis_over([0.0, whole], EDGE, WIDTH - EDGE)
    return replace(
        axis, low=0.0, high=whole, ticks=tuple((value, text) for value, text in axis.ticks if value <= whole)
    )


def _visible_boxes(root: FlameBox) -> Iterator[tuple[FlameBox, int, float, float]]:
    """Yield the visible boxes with level, x coordinate and width. The children of a box are sorted, widest first."""
    if not (isfinite(root.value) and root.value > 0):
        return
    pending = [(root, 0, float(EDGE), float(WIDTH - 2 * EDGE))]
    while pending:
        box, level, x, width = pending.pop()
        yield box, level, x, width
        children = [child for child in box.upper.values() if isfinite(child.value) and child.value > 0]
        # Rounded values may sum to more than the box below, so they are scaled to its width.
        unit = width / max(box.value, sum(child.value for child in children))
        for child in sorted(children, key=lambda child: -child.value):
            if child.value * unit >= NARROWEST:
                pending.append((child, level + 1, x, child.value * unit))
            x += child.value * unit


def timeline_svg(timeline: Timeline, palette: Palette | None = None) -> str:
    """Return a timeline as a self-contained SVG, with a lane for each worker and a colour for each kind of activity.

    The size of the SVG does not grow with the number of intervals. Intervals narrower than one SVG unit are merged into
    columns one unit wide. A column has the colour of the kind that fills most of it.
    """
    palette = palette or Palette.over((timeline,))
    intervals = [interval for interval in timeline.intervals if -LARGEST <= interval.begin <= interval.end <= LARGEST]
    kinds = {kind: palette.of(kind).colour for kind in timeline.all_kinds}
    lanes: dict[str, list[Interval]] = defaultdict(list)
    for interval in intervals:
        lanes[interval.lane].append(interval)
    pitch = min(26.0, max(3.0, 420 / max(len(lanes), 1)))
    bottom = 4 + pitch * max(len(lanes), 1)
    left = 12 + min(max((text_width(lane) for lane in lanes), default=0.0), 140)
    axis = axis_over([time for interval in intervals for time in (interval.begin, interval.end)], left, WIDTH - 14)
    parts, below = ticks_below(axis, 0, bottom)
    for index, (lane, lane_intervals) in enumerate(lanes.items()):
        y = 4 + pitch * (index + 0.5)
        parts.append(_lane(lane, lane_intervals, kinds, axis, timeline.unit, y=y, height=0.84 * pitch))
        if index % round(LINE / pitch + 0.4) == 0:
            parts.append(label(left - 7, y, clip(lane, 140), anchor="end", style="tick faint"))
    if not lanes:
        parts.append(label(WIDTH / 2, bottom / 2, "nothing to show", anchor="middle", style="faint"))
    parts.append(label((left + WIDTH) / 2, below + LINE / 2, f"time ({timeline.unit})", anchor="middle"))
    swatch = f'<rect x="-7" y="-6" width="{SWATCH}" height="12" fill="currentColor"/>'
    entries = [(f'<g color="{colour}">{swatch}</g>', kind) for kind, colour in kinds.items()]
    legend_parts, end = legend(entries, below + LINE + 4, SWATCH)
    description = f"Timeline of {how_many(len(lanes), 'lane')}: {', '.join(kinds) or 'nothing'}. {timeline.caption}"
    return picture(parts + legend_parts, end + 4, timeline.title, description.strip())


def _lane(
    lane: str,
    intervals: Sequence[Interval],
    kinds: Mapping[str, str],
    axis: Axis,
    unit: str,
    *,
    y: float,
    height: float,
) -> str:
    """Return the SVG of a worker's lane, with a path for each kind of activity. Kinds late in the legend are on top."""
    runs: dict[str, list[tuple[float, float]]] = defaultdict(list)
    spent: dict[str, float] = defaultdict(float)
    columns: dict[int, Column] = defaultdict(Column)
    for interval in intervals:
        begin, end = axis.at(interval.begin), axis.at(interval.end)
        spent[interval.kind] += interval.end - interval.begin
        if end - begin >= 1:
            runs[interval.kind].append((begin, end))
            continue
        for column in range(int(begin), max(int(begin) + 1, ceil(end))):
            columns[column].fill(interval.kind, max(begin, column), min(end, column + 1))
    for kind, begin, end in _column_runs(columns):
        runs[kind].append((begin, end))
    size = f'y="{pixel(y - height / 2)}" width="{pixel(axis.end - axis.begin)}" height="{pixel(height)}"'
    parts = [f'<rect class="lane" x="{pixel(axis.begin)}" {size}/>']
    total = sum(spent.values())
    for kind, colour in kinds.items():
        if kind in runs:
            share = f", {spent[kind] / total:.1%} of what is shown" if total else ""
            tooltip = f"<title>{escape(f'{lane}: {kind} {number(spent[kind])} {unit}{share}')}</title>"
            path = "".join(f"M{pixel(begin)} {pixel(y)}h{end - begin:.2f}" for begin, end in runs[kind])
            parts.append(f'<path color="{colour}" stroke="currentColor" d="{path}">{tooltip}</path>')
    return f'<g stroke-width="{pixel(height)}">{"".join(parts)}</g>'


@dataclass(slots=True)
class Column:
    """Time of each kind of activity in one column of a lane. A column is one SVG unit wide."""

    begin: float = inf
    filled: dict[str, float] = field(default_factory=dict)

    def fill(self, kind: str, begin: float, end: float) -> None:
        """Add an interval of an activity to the column."""
        self.begin = min(self.begin, begin)
        self.filled[kind] = self.filled.get(kind, 0.0) + end - begin


def _column_runs(columns: dict[int, Column]) -> Iterator[tuple[str, float, float]]:
    """Yield (kind, begin, end) of each run of adjacent columns with the same kind, without empty parts."""
    run: tuple[str, float, float] | None = None
    for index, column in sorted(columns.items()):
        kind = max(column.filled, key=lambda kind: column.filled[kind])
        end = min(column.begin + max(sum(column.filled.values()), FAINTEST), index + 1)
        if run and run[0] == kind and column.begin - run[2] < 0.1:
            run = (kind, run[1], end)
            continue
        if run:
            yield run
        run = (kind, column.begin, end)
    if run:
        yield run
