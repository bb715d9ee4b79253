"""SVG of plots: curves, bounds, bands and bars over axes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from outflank.lab.drawing.axes import Axis, Groups, axis_over, can_show, groups_over, powers_of_two, ticks_below
from outflank.lab.drawing.looks import (
    LINE,
    SAMPLE,
    SWATCH,
    VALUE,
    WIDTH,
    clip,
    escape,
    label,
    legend,
    number,
    picture,
    pixel,
    short,
    text_width,
)
from outflank.lab.drawing.palette import Palette, Style, dash, mark
from outflank.lab.experiment_report import Plot, Series

TOP, HEIGHT, RIGHT = 36, 270, WIDTH - 14
BOTTOM = TOP + HEIGHT
LEAST_ROOM = 0.6
"""Least length that our own points must span on an axis that includes published points. The unit is the length that
they span on an axis of their own."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A point of a series that the axes can show, with its least and greatest y."""

    x: float | str
    y: float
    low: float
    high: float

    @property
    def heights(self) -> tuple[float, float, float]:
        """Values that the vertical axis must include to show the point."""
        return self.low, self.y, self.high


def plot_svg(plot: Plot, palette: Palette | None = None) -> str:
    """Return a plot as a self-contained SVG, in the colours of `palette` if given, otherwise of the plot's own palette.

    Values that are not finite, and on a logarithmic axis values not above 0, are omitted. The axes fit our own
    measurements. Published points outside the axes are not drawn, and the legend says so. If published bars leave too
    little room for ours, all bars are drawn as ratios.
    """
    palette = palette or Palette.over((plot,))
    if plot.kind == "bars" and _squeezes_bars(plot):
        plot = _in_ratios(plot)
    styles = [palette.of(series.name) for series in plot.series]
    bars = plot.kind == "bars"
    grouped = bars or any(isinstance(x, str) for series in plot.series for x, _ in series.points)
    all_curves = [_spots(plot, series, grouped) for series in plot.series]
    x_extent = _group_names(plot, all_curves) if grouped else _x_axis(plot, all_curves, 0.0)
    curves = _fitting_points(plot, all_curves, lambda spot: _within(x_extent, spot))
    y_axis = _y_axis(plot, curves)
    curves = _fitting_points(plot, curves, lambda spot: y_axis.low <= spot.y <= y_axis.high)
    left = 14 + max((text_width(text) for _, text in y_axis.ticks), default=0.0)
    x_axis: Groups | Axis
    if isinstance(x_extent, list):
        x_axis = groups_over(x_extent, left, RIGHT)
        tick_parts, below = x_axis.ticks_below(BOTTOM)
    else:
        x_axis = _x_axis(plot, all_curves, left)
        tick_parts, below = ticks_below(x_axis, TOP, BOTTOM)

    parts = _frame(plot, y_axis, x_axis.begin) + tick_parts
    middle = (x_axis.begin + RIGHT) / 2
    x_title = _axis_title(plot.x, log=plot.log_x and not grouped)
    parts.append(label(middle, below + LINE / 2, clip(x_title, 2 * (WIDTH - middle)), anchor="middle"))
    if not any(curves):
        parts.append(label(middle, TOP + HEIGHT / 2, "nothing to show", anchor="middle", style="faint"))
    if plot.kind == "bars" and isinstance(x_axis, Groups):
        parts += _bars(plot, styles, curves, x_axis, y_axis)
    else:
        # Bands are drawn first, so that they do not cover curves.
        order = sorted(range(len(curves)), key=lambda index: plot.series[index].style != "band")
        parts += [_curve(plot, plot.series[index], styles[index], curves[index], x_axis, y_axis) for index in order]
    entries = [
        (
            _sample(plot, series, styles[index]),
            _legend_text(
                series,
                beyond=len(all_curves[index]) - len(curves[index]),
                of=len(all_curves[index]),
            ),
        )
        for index, series in enumerate(plot.series)
        if series.name
    ]
    legend_parts, end = legend(entries, below + LINE + 4, SWATCH if plot.kind == "bars" else SAMPLE)
    return picture(parts + legend_parts, end + 4, plot.title, _description(plot, y_axis))


def _spots(plot: Plot, series: Series, grouped: bool) -> list[Spot]:
    """Return the points of a series that the axes can show. Error bars are cut if an axis cannot show their ends."""
    spots = []
    for index, (x, y) in enumerate(series.points):
        if not can_show(y, log=plot.log_y) or not (isinstance(x, str) or can_show(x, log=plot.log_x and not grouped)):
            continue
        ends = series.spread[index] if index < len(series.spread) else (y, y)
        low, high = (end if can_show(end, log=plot.log_y) else y for end in ends)
        spots.append(Spot(number(x) if grouped else x, y, min(low, high, y), max(low, high, y)))
    return spots


def _x_axis(plot: Plot, curves: Sequence[Sequence[Spot]], left: float) -> Axis:
    # Bounds may be drawn at any x, so only measured points decide whether ticks are at powers of two.
    pairs = list(zip(plot.series, curves, strict=True))
    ours = [float(spot.x) for series, spots in pairs if not series.published for spot in spots]
    measured = [
        float(spot.x)
        for series, spots in pairs
        if series.style != "dashed" and not (series.published and ours)
        for spot in spots
    ]
    values = [float(spot.x) for spots in curves for spot in spots]
    binary = powers_of_two(measured or ours or values)
    return _fitting_axis(values, ours, lambda fitted: axis_over(fitted, left, RIGHT, log=plot.log_x, binary=binary))


def _y_axis(plot: Plot, curves: Sequence[Sequence[Spot]]) -> Axis:
    pairs = list(zip(plot.series, curves, strict=True))
    values = [height for _, spots in pairs for spot in spots for height in spot.heights]
    ours = [height for series, spots in pairs if not series.published for spot in spots for height in spot.heights]
    bars = plot.kind == "bars"

    def over(fitted: Sequence[float]) -> Axis:
        return axis_over(fitted, BOTTOM, TOP, log=plot.log_y, bars=bars)

    return over(values) if bars else _fitting_axis(values, ours, over)


def _fitting_axis(values: Sequence[float], ours: Sequence[float], over: Callable[[Sequence[float]], Axis]) -> Axis:
    """Return the axis over `values`, or over `ours` alone if our values would get too little room."""
    whole = over(values)
    if not ours or len(ours) == len(values):
        return whole
    fitted = over(ours)

    def room(axis: Axis) -> float:
        return abs(axis.at(max(ours)) - axis.at(min(ours)))

    return whole if room(whole) >= LEAST_ROOM * room(fitted) else fitted


def _squeezes_bars(plot: Plot) -> bool:
    """Return whether our bars would get too little room on an axis that includes the published bars."""
    drawn = [(series.published, y) for series in plot.series for _, y in series.points if can_show(y, log=plot.log_y)]
    ours = [y for published, y in drawn if not published]
    if not ours or len(ours) == len(drawn):
        return False

    def room(values: Sequence[float]) -> float:
        axis = axis_over(values, BOTTOM, TOP, log=plot.log_y, bars=True)
        return abs(axis.at(max(ours)) - axis.begin)

    return room([y for _, y in drawn]) < LEAST_ROOM * room(ours)


def _in_ratios(plot: Plot) -> Plot:
    """Return a plot of bars with each series divided by its value in the first group that all series have.

    Without such a group the plot is returned as it is.
    """
    values = [dict(series.points) for series in plot.series]
    base = next((x for x in values[0] if all(points.get(x, 0) > 0 for points in values)), None)
    if base is None:
        return plot
    series = tuple(
        replace(
            entry,
            points=tuple((x, y / points[base]) for x, y in entry.points),
            spread=tuple((low / points[base], high / points[base]) for low, high in entry.spread),
        )
        for entry, points in zip(plot.series, values, strict=True)
    )
    return replace(plot, y=f"{plot.y} / those of {number(base)}", series=series)


def _fitting_points(plot: Plot, curves: Sequence[list[Spot]], fits: Callable[[Spot], bool]) -> list[list[Spot]]:
    """Return our own points, and the published points that fit on the axes."""
    pairs = zip(plot.series, curves, strict=True)
    return [[spot for spot in spots if not series.published or fits(spot)] for series, spots in pairs]


def _group_names(plot: Plot, curves: Sequence[Sequence[Spot]]) -> list[str]:
    """Return the names of the groups that we measured, or of all groups if we measured none of them."""
    ours = [spots for series, spots in zip(plot.series, curves, strict=True) if not series.published and spots]
    return list(dict.fromkeys(str(spot.x) for spots in ours or curves for spot in spots))


def _within(extent: list[str] | Axis, spot: Spot) -> bool:
    if isinstance(extent, list):
        return spot.x in extent
    return extent.low <= float(spot.x) <= extent.high


def _axis_title(axis: str, *, log: bool) -> str:
    return f"{axis}, log scale" if log else axis


def _frame(plot: Plot, axis: Axis, left: float) -> list[str]:
    """Return the SVG of the plotting area, the vertical axis and its title."""
    parts = [f'<path class="grid" d="M{pixel(left)} {pixel(axis.at(value))}H{RIGHT}"/>' for value, _ in axis.ticks]
    parts += [f'<path class="edge" d="M{pixel(left)} {pixel(axis.at(value))}h-4"/>' for value in axis.minor]
    for value, text in axis.ticks:
        parts.append(label(left - 9, axis.at(value), text, anchor="end", style="tick faint"))
    corner = f'x="{pixel(left)}" y="{TOP}" width="{pixel(RIGHT - left)}" height="{HEIGHT}"'
    parts.append(f'<rect class="area" {corner}/><path class="edge" d="M{pixel(left)} {BOTTOM}H{RIGHT}"/>')
    if axis.low < 0 < axis.high and not axis.log:
        parts.append(f'<path class="edge" d="M{pixel(left)} {pixel(axis.at(0))}H{RIGHT}"/>')
    parts.append(label(4, 11, clip(_axis_title(plot.y, log=plot.log_y), WIDTH - 8)))
    return parts


def _curve(plot: Plot, series: Series, style: Style, spots: Sequence[Spot], x_axis: Groups | Axis, axis: Axis) -> str:
    placed = [(_x_coordinate(x_axis, spot), spot) for spot in spots]
    parts: list[str] = []
    if series.style == "band" and placed:
        edge = [(x, spot.low) for x, spot in placed] + [(x, spot.high) for x, spot in reversed(placed)]
        corners = "L".join(f"{pixel(x)} {pixel(axis.at(y))}" for x, y in edge)
        parts.append(f'<path d="M{corners}z" fill="currentColor" fill-opacity="0.18"/>')
    if series.style != "points" and placed:
        stroke = f'stroke="currentColor" stroke-width="2"{_dashes(series, style)}'
        path = "L".join(f"{pixel(x)} {pixel(axis.at(spot.y))}" for x, spot in placed)
        parts.append(f'<path d="M{path}" fill="none" stroke-linejoin="round" {stroke}/>')
    if series.style != "band":
        parts += [_whisker(x, spot, axis) for x, spot in placed]
    radius = _radius(series)
    for x, spot in placed:
        tooltip = _tooltip(plot, series, spot)
        parts.append(mark(style.shape, x, axis.at(spot.y), radius, hollow=series.published, tooltip=tooltip))
    opacity = ' opacity="0.75"' if series.published else ""
    return f'<g color="{style.colour}"{opacity}>{"".join(parts)}</g>'


def _x_coordinate(axis: Groups | Axis, spot: Spot) -> float:
    return axis.at(str(spot.x)) if isinstance(axis, Groups) else axis.at(float(spot.x))


def _dashes(series: Series, style: Style) -> str:
    return f' stroke-dasharray="{dash(style.shape)}"' if series.style == "dashed" else ""


def _radius(series: Series) -> float:
    """Return the radius of a series' marks in SVG units. It is small for bounds, bands and series with many points."""
    if series.style in ("dashed", "band"):
        return 1.8
    return 4.0 if len(series.points) <= 40 else 2.2


def _whisker(x: float, spot: Spot, axis: Axis) -> str:
    if spot.low == spot.high:
        return ""
    low, high = pixel(axis.at(spot.low)), pixel(axis.at(spot.high))
    path = f"M{pixel(x)} {low}V{high}M{pixel(x - 4)} {low}h8M{pixel(x - 4)} {high}h8"
    return f'<path class="whisker" d="{path}" stroke="currentColor" stroke-width="1.3" fill="none"/>'


def _bars(
    plot: Plot, styles: Sequence[Style], curves: Sequence[Sequence[Spot]], x_axis: Groups, axis: Axis
) -> list[str]:
    """Return the SVG of bars, side by side in each group in the order of the legend."""
    width = min(0.84 * x_axis.slot / max(len(curves), 1), 54.0)
    base = axis.at(axis.low if axis.log else 0.0)
    groups = []
    for index, (series, spots) in enumerate(zip(plot.series, curves, strict=True)):
        parts = []
        for spot in spots:
            x = x_axis.at(str(spot.x)) + (index - len(curves) / 2) * width
            y = axis.at(spot.y)
            size = f'width="{width * 0.92:.2f}" height="{pixel(abs(y - base))}"'
            kind = "hollow" if series.published else "solid"
            tooltip = f"<title>{escape(_tooltip(plot, series, spot))}</title>"
            parts.append(f'<rect class="bar {kind}" x="{pixel(x)}" y="{pixel(min(y, base))}" {size}>{tooltip}</rect>')
            middle = x + width * 0.46
            parts.append(f'<g color="var(--ink)">{_whisker(middle, spot, axis)}</g>')
            if text_width(short(spot.y), VALUE) <= width:
                value_y = axis.at(spot.high) - 8 if y <= base else axis.at(spot.low) + 8
                parts.append(label(middle, value_y, short(spot.y), anchor="middle", style="value"))
        groups.append(f'<g color="{styles[index].colour}">{"".join(parts)}</g>')
    return groups


def _sample(plot: Plot, series: Series, style: Style) -> str:
    """Return the symbol of a series in the legend."""
    half = SAMPLE / 2
    if plot.kind == "bars":
        inner = (
            f'<rect class="{"hollow" if series.published else "solid"}" x="-7" y="-6" width="{SWATCH}" height="12"/>'
        )
    else:
        inner = mark(style.shape, 0, 0, max(_radius(series), 1.8), hollow=series.published)
        if series.style != "points":
            stroke = f'stroke="currentColor" stroke-width="2"{_dashes(series, style)}'
            inner = f'<path d="M{-half:g} 0H{half:g}" {stroke}/>{inner}'
        if series.style == "band":
            band = f'<rect x="{-half:g}" y="-6" width="{SAMPLE}" height="12" fill="currentColor" fill-opacity="0.18"/>'
            inner = band + inner
    return f'<g color="{style.colour}">{inner}</g>'


def _legend_text(series: Series, *, beyond: int = 0, of: int = 0) -> str:
    """Return the text of a series in the legend. It mentions points outside the axes (`beyond`)."""
    remarks = ["published"] if series.published and "published" not in series.name.lower() else []
    if beyond:
        remarks.append("outside" if beyond == of else f"{beyond} of {of} outside")
    return f"{series.name} ({', '.join(remarks)})" if remarks else series.name


def _tooltip(plot: Plot, series: Series, spot: Spot) -> str:
    """Return the exact values of a point as text, for its tooltip."""
    text = f"{_legend_text(series)}: {plot.x} {number(spot.x, 8)}, {plot.y} {number(spot.y, 8)}"
    return text if spot.low == spot.high else f"{text} ({number(spot.low, 8)} to {number(spot.high, 8)})"


def _description(plot: Plot, axis: Axis) -> str:
    """Return a sentence that describes the plot to readers who cannot see it."""
    kind = "Bars" if plot.kind == "bars" else "Curves"
    names = ", ".join(_legend_text(series) for series in plot.series) or "nothing"
    scale = " on a logarithmic axis" if plot.log_y else ""
    reach = f"from {number(axis.low)} to {number(axis.high)}"
    return f"{kind} of {plot.y} over {plot.x}: {names}. {plot.y} goes {reach}{scale}. {plot.caption}".strip()
