"""Reports as pictures and pages: drawn as said, well formed whatever they hold."""

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from itertools import pairwise
from math import inf, isclose, log10, nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import sync_playwright

from outflank import Board, OthelloBoard
from outflank.distributed.replication import POLICIES
from outflank.errors import OutflankError, UnknownName
from outflank.games.description import description_of
from outflank.installation import install_command
from outflank.lab import provenance
from outflank.lab.drawing import palette, review_page
from outflank.lab.drawing.axes import axis_over
from outflank.lab.drawing.exported_files import (
    FORMATS,
    FileOptions,
    report_files,
    table_csv,
    table_latex,
    table_markdown,
)
from outflank.lab.drawing.flames import flame_svg, timeline_svg
from outflank.lab.drawing.looks import DARK, LIGHT, clip, escape, number, scoped, short, text_width
from outflank.lab.drawing.page import MOST_CELLS, figure_html, page_html, report_html, searched_html, table_html
from outflank.lab.drawing.palette import Palette
from outflank.lab.drawing.parts import table_part
from outflank.lab.drawing.plots import plot_svg
from outflank.lab.drawing.review_page import Reviewed, review_html
from outflank.lab.experiment_report import Flame, FlameBox, Interval, Plot, Report, ReportTable, Series, Timeline
from outflank.lab.measuring.search_log import (
    Searched,
    by_position,
    log_search,
    log_searches,
    merged_entries,
    without_logging,
)
from outflank.lab.result_store import document
from outflank.players.review import JudgedMove, story_of
from outflank.search.division import SCHEMES
from outflank.validation.documents import plain
from tests.browsers import FLAGS, MISSING, installed
from tests.conftest import examples

pytestmark = pytest.mark.interpreted_only

NASTY = """<b>&"'</b>\x00\ud800"""
SVG = "{http://www.w3.org/2000/svg}"


def plot(*series, **options) -> Plot:
    return Plot(**({"title": "t", "x": "workers", "y": "speed-up", "series": series} | options))


def curve(*points, **options) -> Series:
    return Series(**({"name": "s", "points": points} | options))


def parsed(svg: str) -> ElementTree.Element:
    assert "nan" not in svg.lower()
    return ElementTree.fromstring(svg)


def of_class(root, name: str) -> list[ElementTree.Element]:
    return [each for each in root.iter() if name in each.get("class", "").split()]


def texts(root, name: str) -> list[str]:
    return [each.text or "" for each in of_class(root, name)]


def area(root) -> tuple[float, float, float, float]:
    (box,) = of_class(root, "area")
    x, y, width, height = (float(box.get(name)) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def marks(root) -> list[tuple[float, float]]:
    """Where the marks of points are; those of the legend have nothing to tell."""
    told = [each for each in of_class(root, "mark") if each.find(f"{SVG}title") is not None]
    return [tuple(map(float, re.findall(r"-?[\d.]+", each.get("transform")))) for each in told]


def bars(root) -> list[ElementTree.Element]:
    return of_class(root, "bar")


# Numbers and text.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        (1234567, "1,234,567"),
        (-1234, "-1,234"),
        (10**20, "100,000,000,000,000,000,000"),
        (3.14159, "3.142"),
        (0.5, "0.5"),
        (64.0, "64"),
        (123456.0, "123,456"),
        (12345.6, "12,350"),
        (999999.9, "1,000,000"),
        (0.00012345, "0.0001234"),
        (1.5e-7, "1.5e-7"),
        (1.23456e20, "1.235e20"),
        (nan, "–"),
        (inf, "∞"),
        (-inf, "-∞"),
        ("1234", "1234"),
    ],
)
def test_a_cell_is_written_for_readers(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (999.6, "1k"),
        (1234, "1.23k"),
        (-1500, "-1.5k"),
        (2.5e6, "2.5M"),
        (3e9, "3G"),
        (4e12, "4T"),
        (0.25, "0.25"),
        (1e-5, "1e-5"),
        (1e18, "1e18"),
    ],
)
def test_a_short_number_has_its_suffix(value, text):
    assert short(value) == text


@examples(200)
@given(st.floats(-1e300, 1e300))
def test_a_written_number_is_near_the_number(value):
    assert isclose(float(number(value).replace(",", "")), value, rel_tol=6e-4)


@examples(200)
@given(st.text(), st.floats(0, 300))
def test_clipped_text_fits(text, width):
    shown = clip(text, width)
    assert text_width(shown) <= width
    assert shown == text or shown == "" or shown.endswith("…")


@examples(200)
@given(st.text(st.characters()))
def test_escaped_text_is_well_formed(text):
    root = ElementTree.fromstring(f'<a b="{escape(text)}">{escape(text)}</a>')
    assert not list(root)


def contrast(colour: str, other: str) -> float:
    """As the accessibility guidelines reckon it."""

    def light(hexes: str) -> float:
        parts = (int(hexes[at : at + 2], 16) / 255 for at in (1, 3, 5))
        r, g, b = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted((light(colour), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_stand_out(theme):
    assert LIGHT.keys() == DARK.keys()
    for name, colour in theme.items():
        if name in ("ink", "soft", "bad"):
            assert contrast(colour, theme["paper"]) >= 4.5, name
        elif name.startswith("hue"):
            assert contrast(colour, theme["paper"]) >= 3, name
        elif name.startswith("warm"):
            assert contrast(colour, theme["ink"]) >= 4.5, name


# Axes.


def labels(values, *, upright=False, **options) -> list[str]:
    ends = (300, 20) if upright else (50, 540)
    return [text for _, text in axis_over(values, *ends, **options).ticks]


def test_linear_ticks_are_round():
    assert labels([0, 64], upright=True) == ["0", "10", "20", "30", "40", "50", "60", "70"]
    assert labels([0.1, 0.3]) == ["0.10", "0.15", "0.20", "0.25", "0.30"]
    assert labels([1985, 2011]) == ["1985", "1990", "1995", "2000", "2005", "2010"]
    assert labels([0, 3e7], upright=True)[:3] == ["0", "5M", "10M"]


def test_logarithmic_ticks_are_powers_of_ten_or_between_them():
    assert labels([3, 4e6], upright=True, log=True) == ["10", "100", "1k", "10k", "100k", "1M"]
    assert labels([1, 90], upright=True, log=True) == ["1", "2", "5", "10", "20", "50", "100"]
    assert len(labels([1e-200, 1e200], upright=True, log=True)) >= 3


def test_a_short_logarithmic_axis_ends_near_its_values():
    axis = axis_over([0.9, 2.1], 300, 20, log=True)
    assert (axis.low, axis.high) == (0.9, 2.5)
    axis = axis_over([0.9, 1.15], 300, 20, log=True)
    assert (axis.low, axis.high) == (0.9, 1.2)
    assert len(axis.ticks) >= 3


def test_between_one_worker_and_two_there_is_none():
    three = parsed(plot_svg(plot(curve((1, 1.0), (2, 2.0), (3, 2.9)), log_x=True)))
    assert {"1", "2", "3"} <= set(texts(three, "tick"))
    assert not {"1.2", "1.5", "1.0"} & set(labels([1, 2, 3], log=True))
    odd = curve(*((k, 0.7 * k) for k in range(1, 33)), published=True)
    root = parsed(plot_svg(plot(curve((1, 1.0), (2, 1.9)), odd, log_x=True, log_y=True)))
    assert [each.text for each in of_class(root, "tick") if each.get("text-anchor") == "middle"] == ["1", "2"]


def test_worker_counts_are_ticks():
    doubling = tuple((2**k, 1.0 + k) for k in range(9))
    # A bound is drawn at any x, and does not count.
    bound = curve((1, 1), (3, 3), (256, 9), style="dashed")
    root = parsed(plot_svg(plot(curve(*doubling), bound, log_x=True)))
    assert set(texts(root, "tick")) >= {"1", "2", "4", "8", "16", "32", "64", "128", "256"}
    root = parsed(plot_svg(plot(curve((1, 1), (10, 2), (1000, 3)), log_x=True)))
    assert set(texts(root, "tick")) >= {"1", "10", "100", "1k"}


values = st.lists(st.floats() | st.integers(-(10**6), 10**6).map(float), max_size=6)


@examples(300)
@given(values, st.booleans(), st.booleans(), st.booleans())
def test_an_axis_holds_its_values_and_few_ticks(values, log, upright, standing):
    kept = [value for value in values if abs(value) < 1e100 and (not log or value > 1e-100)]
    begin, end = (300, 20) if upright else (50, 540)
    axis = axis_over(kept, begin, end, log=log, bars=standing)
    assert axis.low < axis.high
    assert len(axis.ticks) <= 20
    assert all(min(begin, end) <= axis.at(value) <= max(begin, end) for value in kept)
    slack = 1e-8 * max(abs(axis.low), abs(axis.high))
    assert all(axis.low - slack <= value <= axis.high + slack for value in kept)
    places = [axis.at(value) for value, _ in axis.ticks]
    assert places == sorted(places, reverse=upright)


# Plots.

coordinates = st.floats() | st.integers(-5, 100).map(float)
some_text = st.text(max_size=12)
series = st.builds(
    Series,
    name=some_text,
    points=st.lists(st.tuples(coordinates, coordinates), max_size=6).map(tuple)
    | st.lists(st.tuples(some_text, coordinates), max_size=6).map(tuple),
    spread=st.lists(st.tuples(coordinates, coordinates), max_size=6).map(tuple),
    style=st.sampled_from(["line", "points", "dashed", "band"]),
    published=st.booleans(),
)
plots = st.builds(
    Plot,
    title=some_text,
    x=some_text,
    y=some_text,
    series=st.lists(series, max_size=4).map(tuple),
    kind=st.sampled_from(["lines", "bars"]),
    log_x=st.booleans(),
    log_y=st.booleans(),
    caption=some_text,
)


@examples(200)
@given(plots)
def test_any_plot_is_well_formed_and_inside_its_area(plot):
    root = ElementTree.fromstring(plot_svg(plot))
    left, top, right, bottom = area(root)
    assert 0 <= left < right
    for x, y in marks(root):
        assert left - 0.1 <= x <= right + 0.1
        assert top - 0.1 <= y <= bottom + 0.1
    for bar in bars(root):
        x, y, width, height = (float(bar.get(name)) for name in ("x", "y", "width", "height"))
        assert left - 0.1 <= x
        assert x + width <= right + 0.1
        assert top - 0.1 <= y
        assert y + height <= bottom + 0.2
    for each in root.iter():
        for name, value in each.attrib.items():
            if name in ("x", "y", "d", "width", "height", "transform", "viewBox"):
                assert not re.search("nan|inf", value)


def test_what_an_axis_cannot_show_is_left_out():
    points = curve((1, 1.0), (2, nan), (3, inf), (nan, 4), (5, 0.0), (6, -1.0), (0, 7.0), (8, 8.0))
    assert len(marks(parsed(plot_svg(plot(points))))) == 5
    assert len(marks(parsed(plot_svg(plot(points, log_y=True))))) == 3
    assert len(marks(parsed(plot_svg(plot(points, log_x=True, log_y=True))))) == 2


@pytest.mark.parametrize("kind", ["lines", "bars"])
@pytest.mark.parametrize("log_y", [False, True])
@pytest.mark.parametrize(
    "points", [(), ((1, 1.0),), ((1, 0.0),), ((1, 5.0), (2, 5.0)), ((1, -3.0),), ((1, nan),), (("a", 2.0), ("b", 3.0))]
)
def test_degenerate_plots_are_drawn(kind, log_y, points):
    root = parsed(plot_svg(plot(curve(*points), kind=kind, log_y=log_y)))
    shown = [y for _, y in points if y > 0 or (y <= 0 and not log_y)]
    assert len(marks(root)) + len(bars(root)) == len(shown)
    assert ("nothing to show" in texts(root, "faint")) == (not shown)


def test_a_plot_without_series_says_so():
    assert "nothing to show" in texts(parsed(plot_svg(plot())), "faint")


def test_points_lie_where_their_values_say():
    root = parsed(plot_svg(plot(curve((1, 1.0), (10, 10.0), (100, 1000.0)), log_x=True, log_y=True)))
    (x1, y1), (x2, y2), (x3, y3) = marks(root)
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.3)
    assert 2 * (y1 - y2) == pytest.approx(y2 - y3, abs=0.3)


def test_bars_are_as_high_as_their_values():
    root = parsed(plot_svg(plot(curve(("a", 2.0), ("b", 4.0)), curve(("a", -1.0), name="z"), kind="bars")))
    two, four, minus = (float(bar.get("height")) for bar in bars(root))
    assert four == pytest.approx(2 * two, abs=0.3)
    assert minus == pytest.approx(two / 2, abs=0.3)
    assert {"2", "4", "-1"} <= set(texts(root, "value"))
    root = parsed(plot_svg(plot(curve(("a", 10.0), ("b", 1000.0)), kind="bars", log_y=True)))
    low, high = (float(bar.get("height")) for bar in bars(root))
    assert 0 < low < high < 4 * low


def test_bars_do_not_overlap():
    groups = [curve(*((f"group {k}", 1.0 + k) for k in range(5)), name=str(n)) for n in range(4)]
    edges = sorted(
        (float(bar.get("x")), float(bar.get("width"))) for bar in bars(parsed(plot_svg(plot(*groups, kind="bars"))))
    )
    assert all(x + width <= following + 0.1 for (x, width), (following, _) in pairwise(edges))


def test_names_of_groups_are_categories_of_curves():
    root = parsed(plot_svg(plot(curve(("one", 1.0), ("two", 2.0)), curve(("two", 3.0), ("three", 1.0)))))
    assert {"one", "two", "three"} <= set(texts(root, "tick"))
    first, second, again, third = marks(root)
    assert second[0] == again[0]
    assert first[0] < second[0] < third[0]


def test_many_long_names_stay_in_the_picture():
    root = parsed(plot_svg(plot(curve(*((f"a rather long name {k}" * 2, 1.0) for k in range(60))), kind="bars")))
    turned = [each for each in of_class(root, "tick") if each.get("transform")]
    assert 5 < len(turned) < 60


def test_published_series_are_hollow_and_say_so():
    root = parsed(plot_svg(plot(curve((1, 1.0), published=True), curve((2, 2.0), name="ours"))))
    assert texts(root, "legend") == ["s (published)", "ours"]
    assert len(of_class(root, "hollow")) == 2
    root = parsed(plot_svg(plot(curve((1, 1.0), name="Published 1990", published=True))))
    assert texts(root, "legend") == ["Published 1990"]


SIXTY_FOUR = curve(*((2**k, 0.6 * 2**k) for k in range(7)), name="000", style="points", published=True)


def reach(root, *, published: bool) -> tuple[float, float]:
    """The parts of the area that marks take, across and upright."""
    left, top, right, bottom = area(root)
    style = "hollow" if published else "solid"
    told = [each for each in of_class(root, style) if each.find(f"{SVG}title") is not None]
    places = [tuple(map(float, re.findall(r"-?[\d.]+", each.get("transform")))) for each in told]
    xs, ys = zip(*places, strict=True)
    return (max(xs) - min(xs)) / (right - left), (max(ys) - min(ys)) / (bottom - top)


@pytest.mark.parametrize("log", [False, True])
def test_a_few_points_of_ones_own_fill_the_plot(log):
    ours = curve((1, 1.0), (2, 1.9), name="ybw")
    alone = parsed(plot_svg(plot(ours, log_x=log, log_y=log)))
    root = parsed(plot_svg(plot(ours, SIXTY_FOUR, log_x=log, log_y=log)))
    assert reach(root, published=False)[0] > 0.9
    assert reach(root, published=False)[1] == pytest.approx(reach(alone, published=False)[1])
    assert re.fullmatch(r"000 \(published, \d of 7 outside\)", texts(root, "legend")[1])
    assert len(marks(root)) < 9


def test_published_points_that_squeeze_nothing_stay():
    ours = curve(*((2**k, 0.9 * 2**k) for k in range(6)), name="ybw")
    root = parsed(plot_svg(plot(ours, SIXTY_FOUR, log_x=True, log_y=True)))
    assert len(marks(root)) == 13
    assert texts(root, "legend")[1] == "000 (published)"


def test_bars_beside_published_ones_of_another_scale_are_ratios():
    theirs = curve(("a", 5e7), ("b", 2.5e7), ("elsewhere", 4.0), name="001", published=True)
    root = parsed(plot_svg(plot(curve(("a", 100.0), ("b", 150.0)), theirs, kind="bars")))
    assert {"a", "b"} <= set(texts(root, "tick"))
    assert "elsewhere" not in texts(root, "tick")
    told = [each.findtext(f"{SVG}title") for each in of_class(root, "bar")]
    assert [text.rpartition(" ")[2] for text in told] == ["1", "1.5", "1", "0.5"]
    assert all("speed-up / those of a" in text for text in told)
    assert texts(root, "legend")[1] == "001 (published, 1 of 3 outside)"
    heights = [float(bar.get("height")) for bar in of_class(root, "bar")]
    _, top, _, bottom = area(root)
    assert heights[1] == pytest.approx(1.5 * heights[0], abs=0.1)
    assert max(heights) > 0.6 * (bottom - top)


def test_bars_without_a_common_group_keep_their_values():
    theirs = curve(("elsewhere", 5e7), name="001", published=True)
    root = parsed(plot_svg(plot(curve(("a", 100.0)), theirs, kind="bars")))
    assert [each.findtext(f"{SVG}title") for each in of_class(root, "bar")] == ["s: workers a, speed-up 100"]


def test_a_report_without_published_series():
    whole = report(figures=(plot(curve((1, 1.0), name="ours"), SIXTY_FOUR),))
    assert "Hollow" in page_html(whole)
    assert "000 (published" in page_html(whole)
    bare = page_html(whole.without_published())
    assert "Hollow" not in bare
    assert "000 (published" not in bare
    assert "ours" in bare


def test_series_differ_in_more_than_colour():
    root = parsed(plot_svg(plot(*(curve((k, k), name=str(k)) for k in range(7)))))
    assert len({each.get("d") for each in of_class(root, "mark") if each.find(f"{SVG}title") is not None}) == 7


def colours_of(root) -> dict[str, str]:
    """The colour of each curve that has a point, by its name."""
    marked = [(each, list(each.iter(f"{SVG}title"))) for each in root.iter(f"{SVG}g") if each.get("color")]
    return {titles[0].text.split(":")[0]: each.get("color") for each, titles in marked if titles}


def test_a_scheme_has_the_same_colour_in_all_figures_of_all_pages():
    first = plot(*(curve((1, 1), name=name) for name in ("linear", "mine", "ybw", "jamboree")))
    second = plot(*(curve((1, 1), name=name) for name in ("jamboree", "other", "mine", "ybw, depth 9")))
    shared = Palette.over((first, second))
    one, other = (colours_of(parsed(plot_svg(each, shared))) for each in (first, second))
    assert one["jamboree"] == other["jamboree"]
    assert one["mine"] == other["mine"]
    assert one["ybw"] == other["ybw, depth 9"]
    assert len({*one.values(), other["other"]}) == 5
    alone = colours_of(parsed(plot_svg(plot(curve((1, 1), name="jamboree")))))
    assert alone["jamboree"] == one["jamboree"]


def test_schemes_and_policies_have_colours_of_their_own():
    assert set(palette.SCHEMES) == set(SCHEMES.own)
    assert set(palette.POLICIES) == set(POLICIES)
    for names in (tuple(SCHEMES.own), (*POLICIES, *palette.PROGRAMS, "linear")):
        styles = {Palette(names).of(name) for name in names}
        assert len(styles) == len(names)
    assert len({Palette(POLICIES).of(name).hue for name in POLICIES}) == len(POLICIES)


@examples(100)
@given(st.lists(st.text(max_size=5) | st.sampled_from(sorted(palette.FIXED)), unique=True, max_size=20))
def test_a_hue_is_used_again_only_once_all_are(names):
    found = Palette(names)
    used = Counter(found.of(name).hue for name in names)
    free = [name for name in names if name.partition(",")[0].strip() not in palette.FIXED]
    if len(used) < 8:
        assert all(used[found.of(name).hue] == 1 for name in free)


def test_colours_do_not_depend_on_whether_published_series_are_shown():
    ours = plot(curve((1, 1), name="a"), curve((1, 1), name="000 par", published=True))
    more = plot(curve((1, 1), name="001", published=True), curve((1, 1), name="b"))
    shown = Palette.over((ours, more))
    alone = Palette.over((ours.without_published(), more.without_published()))
    assert [shown.of(name) for name in "ab"] == [alone.of(name) for name in "ab"]


def test_a_reports_curve_looks_as_ours_of_the_same_thing():
    names = ("work", "span")
    ours = [curve((1, 1), name=name) for name in names]
    shown = Palette.over((plot(*ours, *(curve((1, 1), name=f"{name}, 002", published=True) for name in names)),))
    assert [shown.of(f"{name}, 002") for name in names] == [shown.of(name) for name in names]
    assert shown.of("work") != shown.of("span")


@pytest.mark.parametrize(("log_x", "log_y"), [(False, True), (True, False), (False, False)])
def test_a_logarithmic_axis_says_so(log_x, log_y):
    svg = plot_svg(plot(curve((1, 1.0), (10, 100.0)), log_x=log_x, log_y=log_y))
    assert ("workers, log scale" in svg) == log_x
    assert (">speed-up, log scale<" in svg) == log_y


def test_a_spread_has_whiskers_and_a_band_is_filled():
    spread = curve((1, 2.0), (2, 3.0), spread=((1.0, 4.0), (nan, inf)))
    assert len(of_class(parsed(plot_svg(plot(spread))), "whisker")) == 1
    banded = curve((1, 2.0), (2, 3.0), spread=((1.0, 4.0), (2.0, 5.0)), style="band")
    svg = plot_svg(plot(banded))
    assert len(of_class(parsed(svg), "whisker")) == 0
    assert "fill-opacity" in svg


def test_a_mark_tells_its_exact_values():
    root = parsed(plot_svg(plot(curve((64, 37.12345), spread=((36.5, 38.0),)))))
    told = [each.findtext(f"{SVG}title") for each in of_class(root, "mark")]
    assert "s: workers 64, speed-up 37.12345 (36.5 to 38)" in told


@pytest.mark.parametrize("count", [1, 5, 25])
def test_a_legend_wraps_below_the_axes(count):
    root = parsed(plot_svg(plot(*(curve((1, k), name=f"a series with the number {k}") for k in range(count)))))
    keys = of_class(root, "legend")
    assert len(keys) == count
    _, _, width, height = map(float, root.get("viewBox").split())
    _, _, _, bottom = area(root)
    boxes = []
    for key in keys:
        x, y = float(key.get("x")), float(key.get("y"))
        assert x + text_width(key.text) <= width
        assert bottom + 20 < y < height
        boxes.append((y, x, x + text_width(key.text)))
    assert all(y < lower or end < begin for (y, _, end), (lower, begin, _) in pairwise(sorted(boxes)))


def test_pictures_are_accessible():
    root = parsed(plot_svg(plot(curve((1, 1.0)), title="Speed")))
    assert root.get("role") == "img"
    assert [each.tag for each in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root.findtext(f"{SVG}title") == "Speed"
    assert "speed-up over workers" in root.findtext(f"{SVG}desc")


# Where a result comes from.


class Installed:
    """A package as pip leaves it."""

    def __init__(self, told):
        self.told = told

    def locate_file(self, name):
        return Path(provenance.outflank.__file__).parent

    def read_text(self, name):
        return self.told if name == "direct_url.json" else None


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (None, "a package index"),
        ('{"url": "file:///home/me/outflank-0.1.0-py3-none-any.whl"}', "the file outflank-0.1.0-py3-none-any.whl"),
        ('{"url": "file:///home/me/outflank/", "dir_info": {}}', "the folder outflank"),
        (
            '{"url": "https://example.org/o.git", "vcs_info": {"vcs": "git", "commit_id": "0123456789abcdef"}}',
            "git o.git 0123456789ab",
        ),
        ("{", "a folder, not installed"),
    ],
)
def test_an_installed_package_says_which_it_is_without_a_repository(monkeypatch, told, said):
    monkeypatch.setattr(provenance, "distribution", lambda name: Installed(told))
    monkeypatch.setattr(provenance, "commit", lambda: None)
    found = provenance.provenance("outflank lab scaling")
    assert found["commit"] is None
    assert found["package"]["from"] == said
    assert found["package"]["version"] == provenance.outflank.__version__
    assert re.fullmatch("[0-9a-f]{16}", found["package"]["sources"])
    text = page_text(page_html(report(provenance=found)))
    assert said in text
    assert found["machine"]["processor"] in text
    assert "/home" not in text


# Figures and tables as files of their own.


WIDE_TABLE = ReportTable(
    title="a_b & 50% | c",
    columns=("scheme", "time (s)", "share"),
    rows=(("y|w_b", 1234.5678, "50%"), ("µ ≠ \\ ✓", None, "7%")),
    notes=("A #note.",),
)


def test_a_table_in_markdown_aligns_its_numbers_and_means_what_it_says():
    lines = table_markdown(WIDE_TABLE).splitlines()
    assert lines[0] == r"**a\_b & 50% \| c**"
    assert lines[2] == "| scheme   | time (s) | share |"
    assert lines[3] == "| -------- | -------: | ----: |"
    assert lines[4] == r"| y\|w\_b  |    1,235 |   50% |"
    assert lines[5] == r"| µ ≠ \\ ✓ |        – |    7% |"
    assert lines[-1] == "A #note."
    assert len({len(line) for line in lines[2:6]}) == 1


def test_a_table_in_latex_is_escaped():
    text = table_latex(WIDE_TABLE)
    assert r"\caption{a\_b \& 50\% | c}" in text
    assert r"\begin{tabular}{lrr}" in text
    assert r"y|w\_b & 1,235 & 50\% \\" in text
    assert r"$\mu$ $\neq$ \textbackslash{} $\checkmark$ & -- & 7\% \\" in text
    assert r"A \#note." in text
    assert text.isascii()


def test_a_table_in_csv_has_its_numbers_to_the_last_digit():
    assert table_csv(WIDE_TABLE).splitlines()[1] == "y|w_b,1234.5678,50%"


@examples(100)
@given(st.text(), st.text())
def test_any_text_stays_in_its_cell(one, other):
    table = ReportTable(title=one, columns=("a", other), rows=((one, other), (other, 1)), notes=(one,))
    plain = re.sub(r"\\.", "", table_markdown(table))
    assert [line.count("|") for line in plain.splitlines() if line.startswith("|")] == [3, 3, 3, 3]
    assert len(table_latex(table).splitlines()) == 14


FIGURES = (
    plot(curve((1, 1.0), (2, 1.9), name="ours"), SIXTY_FOUR, title="Speed-up, by workers!"),
    plot(curve((1, 1.0)), title="speed up by workers"),
    Flame(title="flames", unit="ms", root=FlameBox("all", 1.0)),
    Timeline(title="", unit="ms", intervals=(), kinds=()),
)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_figure_and_table_becomes_a_file_of_its_own(theme):
    pytest.importorskip("vl_convert")
    whole = report(figures=FIGURES, tables=(WIDE_TABLE,))
    files = report_files(whole, FileOptions(formats=FORMATS, theme=theme))
    figures = ("speed-up-by-workers", "speed-up-by-workers-2", "flames", "untitled")
    names = {f".{figure}.{kind}" for figure in figures for kind in ("svg", "png", "pdf")}
    assert set(files) == names | {f".a-b-50-c.{kind}" for kind in ("md", "tex", "csv")}
    for name, content in files.items():
        if name.endswith(".png"):
            assert content.startswith(b"\x89PNG")
            assert int.from_bytes(content[16:20], "big") == 1680
        elif name.endswith(".pdf"):
            assert content.startswith(b"%PDF")
        elif name.endswith(".svg"):
            svg = content.decode()
            ElementTree.fromstring(svg)
            assert not re.search(r"var\(|@media", svg)  # which few programs know
            assert f'fill="{(LIGHT if theme == "light" else DARK)["paper"]}"' in svg
    assert report_files(whole, FileOptions()) == {}


def test_without_the_library_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    for wanted in ("png", "pdf"):
        with pytest.raises(OutflankError, match=rf"format {wanted} needs .* {re.escape(install_command('figures'))}"):
            FileOptions(formats=(wanted,))
    assert report_files(report(figures=FIGURES), FileOptions(formats=("svg",)))


@pytest.mark.parametrize("wrong", [{"formats": ("gif",)}, {"formats": ("pgn",)}, {"theme": "blue"}])
def test_what_cannot_be_written_is_refused(wrong):
    with pytest.raises(UnknownName, match="unknown"):
        FileOptions(**wrong)


# Flame graphs and timelines.


def flame(paths: dict[tuple[str, ...], float], **options) -> Flame:
    root = FlameBox("all")
    for path, value in paths.items():
        root.add(path, value)
    return Flame(**({"title": "t", "unit": "ms", "root": root} | options))


def boxes(root) -> dict[str, tuple[float, float, float]]:
    found = {}
    for each in root.iter(f"{SVG}g"):
        name = each.findtext(f"{SVG}title").split(":")[0]
        box = each.find(f"{SVG}rect")
        found[name] = tuple(float(box.get(key)) for key in ("x", "y", "width"))
    return found


def test_flame_boxes_are_as_wide_as_their_values_and_stand_on_their_own():
    found = boxes(parsed(flame_svg(flame({("a",): 60, ("b", "c"): 30, ("b",): 9.99, ("tiny",): 0.01}))))
    assert set(found) == {"all", "a", "b", "c"}
    assert found["a"][2] / found["all"][2] == pytest.approx(0.6, abs=0.01)
    assert found["all"][1] > found["b"][1] > found["c"][1]
    assert found["b"][0] <= found["c"][0]
    assert found["c"][0] + found["c"][2] <= found["b"][0] + found["b"][2]


def test_flame_boxes_tell_their_share_and_clip_their_names():
    svg = flame_svg(flame({("a name far too long for so little",): 10, ("b",): 90}))
    root = parsed(svg)
    assert "b: 90 ms, 90.0%" in [each.text for each in root.iter(f"{SVG}title")]
    assert any(name.endswith("…") for name in texts(root, "name"))


def test_a_flame_graph_has_a_scale_with_its_unit():
    root = parsed(flame_svg(flame({("a",): 60, ("b",): 20})))
    (x, _, width) = boxes(root)["all"]
    ticks = {each.text: float(each.get("x")) for each in of_class(root, "tick")}
    assert ticks["0"] == pytest.approx(x, abs=0.1)
    assert ticks["80"] == pytest.approx(x + width, abs=1)
    assert "all (ms)" in [each.text for each in root.iter(f"{SVG}text")]


def test_degenerate_flames_are_drawn():
    for value in (0.0, nan, inf, -1.0):
        root = ElementTree.fromstring(flame_svg(Flame(title="t", unit="s", root=FlameBox("r", value))))
        assert "nothing to show" in texts(root, "faint")
    # Rounded parts may be larger than the whole.
    found = boxes(parsed(flame_svg(Flame(title="t", unit="s", root=FlameBox("r", 1.0, {"a": FlameBox("a", 2.0)})))))
    assert found["a"][2] <= found["r"][2]
    deep = flame({tuple(str(level) for level in range(2000)): 1.0})
    assert len(boxes(parsed(flame_svg(deep)))) == 2001


def timeline(*intervals: tuple[str, str, float, float], kinds=("work", "wait"), **options) -> Timeline:
    rows = tuple(Interval(lane=lane, kind=kind, begin=begin, end=end) for lane, kind, begin, end in intervals)
    return Timeline(**({"title": "t", "unit": "ms", "intervals": rows, "kinds": kinds} | options))


def painted(root) -> dict[str, float]:
    """Units that each title's path paints."""
    found = {}
    for each in root.iter(f"{SVG}path"):
        told = each.findtext(f"{SVG}title")
        if told:
            found[told.split(" ")[1]] = sum(map(float, re.findall(r"h([\d.]+)", each.get("d"))))
    return found


def test_a_timeline_paints_as_much_as_was_spent():
    found = painted(parsed(timeline_svg(timeline(("w", "work", 0, 75), ("w", "wait", 75, 100)))))
    assert found["work"] == pytest.approx(3 * found["wait"], rel=0.02)


def test_intervals_below_a_pixel_are_merged_by_what_fills_most():
    short_ones = [("w", "work" if k % 4 else "wait", k * 1.0, k + 0.5) for k in range(100_000)]
    svg = timeline_svg(timeline(*short_ones))
    assert len(svg) < 20_000
    found = painted(parsed(svg))
    assert set(found) == {"work"}
    # Half of the time nothing was recorded, and half of the lane stays empty.
    assert 200 < found["work"] < 300


def test_a_busy_lane_is_one_run():
    svg = timeline_svg(timeline(*(("w", "work", k, k + 1) for k in range(10_000))))
    assert len(re.findall(r"M[\d.]+ [\d.]+h", svg.split("ms, 100.0%")[0])) == 1


def test_degenerate_timelines_are_drawn():
    assert "nothing to show" in texts(parsed(timeline_svg(timeline(kinds=()))), "faint")
    bad = (("w", "work", nan, 1), ("w", "work", 0, inf), ("w", "work", 5, 3))
    assert "nothing to show" in texts(ElementTree.fromstring(timeline_svg(timeline(*bad))), "faint")
    assert painted(parsed(timeline_svg(timeline(("w", "work", 3, 3), ("v", "new kind", 3, 3)))))
    assert "new kind" in texts(parsed(timeline_svg(timeline(("v", "new kind", 3, 4)))), "legend")


# Pages.


def report(**options) -> Report:
    rows = [{"workers": 1, "time (s)": 12345.678, "same": True, "note": None}]
    standard = {
        "experiment": "scaling",
        "question": "How fast?",
        "reports": ("002", "004"),
        "parameters": {"depth": 9, "seed": 1234567, "workers": [1, 2], "cluster": None},
        "provenance": {"command": "outflank lab run", "versions": {"numba": "0.63"}},
        "samples": tuple(rows),
        "tables": (ReportTable.of("Times", rows, notes=["A median."]),),
        "figures": (
            plot(curve((1, 1.0)), title="Speed", caption="It grows."),
            flame({("a",): 1}),
            timeline(("w", "work", 0, 1)),
        ),
        "notes": ("It is fast.",),
    }
    return Report(**(standard | options))


def page_text(page: str) -> str:
    return " ".join(ElementTree.fromstring(page).find("body").itertext())


def test_a_page_says_everything_findings_first():
    page = page_html(report())
    assert page.startswith("<!DOCTYPE html>")
    text = page_text(page)
    order = ["scaling", "How fast?", "002, 004", "It is fast.", "Times", "A median.", "It grows.", "depth", "command"]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert "1234567" in text
    assert "cluster" not in text  # which was left to the experiment
    assert "numba 0.63" in text
    assert "12,350" in text
    assert "Failed" not in text
    assert "Incomplete" not in text


def test_a_page_begins_with_what_was_run_where_and_when():
    machine = {"system": "Linux 6", "processor": "Ryzen <7>", "usable_cores": 2.0}
    origin = {"command": "outflank lab scaling --depth 9", "machine": machine, "commit": "abc1234"}
    page = page_html(report(provenance={**origin, "when": "2026-11-15T22:36:55+00:00"}))
    text = page_text(page)
    told = (
        "Run: outflank lab scaling --depth 9 , on 2 cores of Ryzen <7> (Linux 6), 2026-11-15 22:36 UTC, commit abc1234."
    )
    assert told in " ".join(text.split())
    assert text.index("Run:") < text.index("It is fast.") < text.index("Times")
    one = page_text(page_html(report(provenance={**origin, "machine": {"usable_cores": 1.0}})))
    assert "on 1 core, commit" in " ".join(one.split())


@pytest.mark.parametrize("odd", [None, 5, "", [], {}, {"cores": {}}, True, "2026-99-99"])
def test_a_page_does_not_tell_what_a_document_does_not(odd):
    page = page_html(report(provenance=dict.fromkeys(("command", "machine", "when", "commit"), odd)))
    assert "None" not in page
    assert page_text(page).count("Run:") <= 1
    assert "Run:" not in page_text(page_html(report(provenance={})))


def in_sections() -> Report:
    """Tables and figures of three sections, one of figures alone, and a table of none."""
    rows = [{"a": 1}]
    return report(
        tables=(
            ReportTable.of("index", rows),
            ReportTable.of("1 <first>", rows, section="Table <1>"),
            ReportTable.of("3 first", rows, section="Table 3", notes=["Odd."]),
            ReportTable.of("1 second", rows, section="Table <1>"),
        ),
        figures=(
            plot(curve((1, 1.0)), title="P1", section="Table <1>"),
            flame({("a",): 1}, title="F2", section="Figure 2"),
            timeline(("w", "work", 0, 1), title="T3", section="Table 3"),
        ),
    )


def test_a_section_has_its_tables_and_figures_in_the_reports_order():
    found = [(each.name, [part.title for part in (*each.tables, *each.figures)]) for each in in_sections().sections]
    assert found == [
        ("", ["index"]),
        ("Table <1>", ["1 <first>", "1 second", "P1"]),
        ("Figure 2", ["F2"]),
        ("Table 3", ["3 first", "T3"]),
    ]


@pytest.mark.parametrize("draw", [page_html, report_html])
def test_sections_have_headings_with_figures_beside_tables(draw):
    root = ElementTree.fromstring(draw(in_sections()))
    headings = [each for each in root.iter("h2") if each.get("id")]
    assert [each.text for each in headings] == ["Overview", "Table <1>", "Figure 2", "Table 3"]
    overview, *together = of_class(root, "beside")
    assert [each.text for each in overview.iter("h3")] == ["index"]
    both = ["tables", "figures"]
    assert [[each.get("class") for each in inner] for inner in together] == [both, ["figures"], both]
    assert [each.text for each in together[0].iter("h3")] == ["1 <first>", "1 second", "P1"]
    assert "Odd." in "".join(together[2].itertext())
    assert not of_class(root, "contents")  # four places are found without a list


def test_a_table_of_its_sections_name_is_titled_once():
    tables = [ReportTable.of(title, [{"a": 1}], section="Table 1") for title in ("Table 1", "another")]
    root = ElementTree.fromstring(page_html(report(tables=tables, figures=())))
    assert [each.text for each in root.iter("h3")][:1] == ["another"]
    assert [each.get("aria-label") for each in of_class(root, "scroll")][:2] == ["Table 1", "another"]


def test_sections_are_kept_in_the_document():
    kept = plain(document(in_sections()))
    assert [table["section"] for table in kept["tables"]] == ["", "Table <1>", "Table 3", "Table <1>"]


@pytest.mark.parametrize("section", ["", "one and the same", "{}"])
def test_a_long_page_lists_its_contents(section):
    tables = tuple(ReportTable.of("the same title", [{"a": 1}], section=section.format(place)) for place in range(9))
    root = ElementTree.fromstring(page_html(report(tables=tables, figures=())))
    links = [each.get("href") for each in root.iter("a")]
    assert len(links) == (0 if section == "one and the same" else 9)
    places = [each.get("id") for each in root.iter() if each.get("id")]
    assert len(set(places)) == len(places)
    assert set(links) <= {f"#{place}" for place in places}
    if links:
        assert root.find(".//nav").get("aria-label") == "Contents"


def test_what_was_searched_stands_before_the_tables_unless_there_are_many():
    how = {"game": "othello", "depth": 3, "least_depth": 3, "algorithm": "pvs", "schemes": (), "workers": (1,)}
    searched = (Searched(**how, position="8 X", searches=1),)
    tables = tuple(ReportTable.of(f"number {place}", [{"a": 1}]) for place in range(9))
    few, many = (page_text(page_html(report(tables=tables[:count], searched=searched))) for count in (1, 9))
    assert few.index("What was searched") < few.index("Tables")
    assert many.index("Contents") < many.index("Tables") < many.index("What was searched") < many.index("Parameters")


def test_a_column_that_says_nothing_is_not_shown():
    table = ReportTable.of(
        "t", [{"a": 1, "never": None, "b": None}, {"a": None, "never": None, "b": False}], notes=["Odd."]
    )
    assert table.without_empty_columns.columns == ("a", "b")
    assert table.without_empty_columns.rows == ((1, None), (None, False))
    assert table.without_empty_columns.notes == ("Odd.",)
    for drawn in (table_html(table), table_markdown(table), table_latex(table)):
        assert "never" not in drawn
    assert "never" in table_csv(table)
    empty = ReportTable.of("t", [{"a": None}])
    assert empty.without_empty_columns is empty
    assert ReportTable(title="t", columns=("a",), rows=()).without_empty_columns.columns == ("a",)


def test_numbers_beside_numbers_stay_in_one_line():
    rows = [{"both": "1,007,000 | –", "words": "4 of them, and then so many words that they need a line", "n": 1}]
    root = ElementTree.fromstring(table_html(ReportTable.of("t", rows)))
    assert [each.get("class") for each in root.iter("td")] == ["whole", None, "number"]


@pytest.mark.parametrize("draw", [page_html, report_html])
def test_a_page_needs_nothing_else(draw):
    page = draw(report())
    assert "http" not in page.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"<script|<link|<img|<iframe|@import|url\(", page)


@pytest.mark.parametrize("draw", [page_html, report_html])
@pytest.mark.parametrize(("option", "word"), [("passed", "Failed."), ("complete", "Incomplete.")])
def test_a_bad_report_says_so_before_anything_else(draw, option, word):
    page = draw(report(**{option: False}))
    assert f"<strong>{word}</strong>" in page
    assert page.index(word) < page.index("How fast?")


def test_rules_of_a_fragment_hold_inside_it_only():
    style = ElementTree.fromstring(report_html(report())).find("style").text
    flat = re.sub(r"@(media|container)[^{]*", "", style)
    for selectors in re.findall(r"([^{}]+)\{", flat):
        for selector in selectors.split(","):
            assert selector.startswith(".outflank-report"), selector


def test_what_notebooks_say_of_lists_and_sizes_does_not_reach_in():
    # JupyterLab gives a dt a fifth of its line, and the classic notebook's root has letters of 10 pixels.
    root = ElementTree.fromstring(report_html(report()))
    style = root.find("style").text
    names = "".join(body for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", style) if " dl dt" in selector)
    assert {"float:none", "width:auto", "overflow-wrap:break-word"} <= set(names.split(";"))
    assert not re.search(r"\d\s*rem\b", style)
    assert all([part.tag for part in each] == ["dt", "dd"] for each in root.findall("section/dl/div"))
    assert root.findall("section/dl/div")


def test_a_fragment_has_the_colours_of_its_notebook():
    root = ElementTree.fromstring(report_html(report()))
    style = root.findtext("style")
    for around, names in (("[data-jp-theme-light=true]", LIGHT), ("[data-jp-theme-light=false]", DARK)):
        found = re.search(rf"(?:\.outflank-report)+:is\({re.escape(around)} \*\){{([^}}]*)}}", style)
        assert f"--paper:{names['paper']};" in found[1]
    # A figure takes its colours from what is around it, or it would go its own way.
    assert not any("--paper:" in each.text for each in root.iter(f"{SVG}style"))
    assert "--paper:" in plot_svg(plot())


def test_pages_have_rules_for_dark_and_for_paper():
    page = page_html(report())
    assert "prefers-color-scheme:dark" in page
    assert "@media print" in page


def test_text_from_outside_is_escaped_everywhere():
    rows = [{NASTY: NASTY}]
    nasty = report(
        experiment=NASTY,
        question=NASTY,
        reports=(NASTY,),
        parameters={NASTY: NASTY},
        provenance={NASTY: {NASTY: NASTY}},
        samples=tuple(rows),
        tables=(ReportTable.of(NASTY, rows, notes=[NASTY]),),
        figures=(
            plot(curve((NASTY, 1.0), name=NASTY), title=NASTY, x=NASTY, y=NASTY, caption=NASTY),
            plot(curve((1, 1.0), name=NASTY), kind="bars", title=NASTY, x=NASTY, y=NASTY),
            Flame(title=NASTY, unit=NASTY, root=FlameBox(NASTY, 1.0), caption=NASTY),
            Timeline(
                title=NASTY,
                unit=NASTY,
                intervals=(Interval(lane=NASTY, kind=NASTY, begin=0, end=1),),
                kinds=(NASTY,),
                caption=NASTY,
            ),
        ),
        notes=(NASTY,),
        searched=(
            Searched(
                game=NASTY,
                position=NASTY,
                moves=NASTY,
                depth=3,
                least_depth=1,
                algorithm=NASTY,
                evaluation=NASTY,
                schemes=(NASTY,),
                workers=(2,),
                searches=1,
            ),
        ),
    )
    for page in (page_html(nasty), report_html(nasty)):
        assert "<b>" not in page
        assert not list(ElementTree.fromstring(page).iter("b"))


def test_a_table_aligns_its_numbers():
    root = ElementTree.fromstring(
        table_html(ReportTable(title="t", columns=("a", "b"), rows=(("x", None), ("y", 1234))))
    )
    cells = [(each.get("class"), each.text) for each in root.iter("td")]
    assert cells == [(None, "x"), ("number", "–"), (None, "y"), ("number", "1,234")]
    assert [each.get("class") for each in root.iter("th")] == [None, "number"]


@pytest.mark.parametrize(("columns", "style"), [(5, None), (15, "wide"), (30, "widest")])
def test_words_and_numbers_are_broken_on_paper_only_where_nothing_else_helps(columns, style):
    names = tuple(f"search no {k}" for k in range(columns))
    page = ElementTree.fromstring(table_html(ReportTable(title="t", columns=names, rows=((123456,) * columns,))))
    assert page.find("div/table").get("class") == style
    rules = page.findtext("style")
    assert ".wide td{font-size:6pt;padding:1pt 2pt}" in rules
    assert ".widest td{overflow-wrap:anywhere" in rules


def test_columns_that_do_not_fit_are_folded_behind_those_that_tell_rows_apart():
    rows = [{"a": 1, "b": place, **{f"column{number}": "x" * 12 for number in range(20)}} for place in range(3)]
    root = ElementTree.fromstring(f"<div>{table_part(ReportTable.of('t', rows))}</div>")
    first, second = root.iter("table")
    names = [[each.text for each in table.iter("th")] for table in (first, second)]
    assert names[1][:2] == names[0][:2] == ["a", "b"]
    assert names[0] + names[1][2:] == ["a", "b", *(f"column{number}" for number in range(20))]
    assert root.find("details/summary").text == f"{len(names[1]) - 2} more columns"
    assert [len(each) for each in second.findall("tbody/tr")] == [len(names[1])] * 3


def test_a_cell_with_a_comparison_is_wrapped_between_its_parts_only():
    table = ReportTable.of("t", [{"a": "1,000 ≈ 1,058 (×1.058 of ×1.5)"}])
    cell = ElementTree.fromstring(f"<div>{table_part(table)}</div>").find(".//td")
    assert [each.text for each in cell.iter("span")] == ["1,000", "≈ 1,058", "(×1.058 of ×1.5)"]
    assert "".join(cell.itertext()) == "1,000 ≈ 1,058 (×1.058 of ×1.5)"


def test_rules_of_two_blocks_are_all_scoped():
    assert scoped(".a", "\np {margin:0}\n\n\nb {margin:1}\n") == ".a p{margin:0}.a b{margin:1}"
    style = page_html(report()).partition("<style>")[2].partition("</style>")[0]
    assert style.count("{") == style.count("}")


def test_empty_values_make_pages_too():
    empty = report(parameters={}, provenance={}, samples=(), tables=(), figures=(), notes=(), reports=())
    assert ElementTree.fromstring(page_html(empty)).find("body/main/header/h1").text == "scaling"
    assert list(ElementTree.fromstring(table_html(ReportTable(title="t", columns=("a",), rows=()))).iter("th"))
    assert "Speed" in figure_html(plot(title="Speed"))


def test_raw_samples_are_shown_unless_they_are_too_many():
    few, many = ({"n": 1},) * 3, ({"n": 1},) * (MOST_CELLS + 1)
    assert "<summary>3 raw samples</summary>" in page_html(report(samples=few))
    assert "<details>" not in page_html(report(samples=many))
    assert "20,001 raw samples" in page_html(report(samples=many))


def test_values_show_themselves_in_notebooks():
    whole = report()
    for value in (whole, whole.tables[0], *whole.figures):
        assert ElementTree.fromstring(value._repr_html_()).get("class") == "outflank-report"


# What was searched.


START = OthelloBoard.start().to_text()


def searched(**options) -> Searched:
    usual = {"game": "othello", "position": START, "depth": 5, "least_depth": 5, "algorithm": "pvs", "searches": 1}
    return Searched(**(usual | {"evaluation": "phased", "schemes": ("alone",), "workers": (1,)} | options))


def test_depths_that_were_searched_in_one_way_are_told_together():
    depths = [searched(depth=depth, least_depth=depth) for depth in (3, 4, 5)]
    (place,) = by_position([*depths, searched(schemes=("alone", "ybw"), workers=(1, 2), searches=1234)])
    assert [told for told, _ in place.lines] == [
        "depths 3, 4, 5 · pvs · phased · one worker · 3 searches",
        "depth 5 · pvs · phased · alone, ybw · 1, 2 workers · 1,234 searches",
    ]


def test_games_are_told_together_and_their_moves_kept_apart():
    games = [searched(moves=moves, depth=2, least_depth=1, searches=30) for moves in ("f5 d6", "f5 f6", "f5 d6")]
    assert [each.searches for each in merged_entries(games)] == [60, 30]
    (place,) = by_position(merged_entries(games))
    assert place.lines == (("2 games, depths 1–2 · pvs · phased · one worker · 90 searches", ("f5 d6", "f5 f6")),)
    html = searched_html(games)
    assert html.count("<code>f5") == 2
    assert html.count("<svg") == 1


def test_turns_of_a_game_are_one_entry_and_other_searches_are_not():
    board = OthelloBoard.start()
    with log_searches() as notes:
        for name in ("f5", "d6", "c3"):
            move = board.parse_move(name)
            log_search(board, 4, algorithm="minimax", moves=(*board.moves, move))
            board.push(move)
        log_search(board, 6, algorithm="pvs")
        with without_logging():
            log_search(board, 7, algorithm="pvs")
    log_search(board, 8, algorithm="pvs")
    assert [(each.moves, each.position, each.searches) for each in notes] == [
        ("f5 d6 c3", START, 3),
        ("", board.to_text(), 1),
    ]


def test_many_positions_are_folded():
    many = [searched(position=f"somewhere {number}") for number in range(40)]
    html = searched_html(many)
    assert "28 more positions" in html
    assert html.count('class="place"') == 40


# The page of a review.


def review_of(board, losses) -> Reviewed:
    """A review in which moves have lost so much, by ply."""
    start = board.copy()
    while start.moves:
        start.pop()
    judged = []
    for ply, move in enumerate(board.moves, 1):
        loss = losses.get(ply, 0.0)
        other = next(each for each in start.legal_moves if each != move)
        best = other if loss else move
        judged.append(
            JudgedMove(
                ply=ply,
                side=start.turn,
                move=move,
                best=best,
                value=2.0 - loss,
                best_value=2.0,
                exact=False,
                depth=7,
                margin=1.0,
            )
        )
        start.push(move)
    return Reviewed(
        board=board,
        title="A game",
        judged=judged,
        marks=description_of(board.game).play.marks,
        story=story_of(judged),
        conclusions=["Said of the whole."],
        describe_move=lambda each: f"told of {each.move} at {each.ply}",
        rows=[{"ply": each.ply, "depth": each.depth} for each in judged],
    )


@pytest.mark.parametrize(
    ("board", "losses"),
    [
        (Board.from_text("f5d6c3d3c4f4f6g5"), {3: 9.0, 6: 5.0, 7: 2.5}),
        (Board.from_text("G8G7F7 I5I6 A2B3 B5C6", layout="belgian-daisy"), {2: 4.0, 3: 5.0, 4: 0.1}),
    ],
    ids=["othello", "abalone"],
)
def test_a_review_shows_the_graph_first_and_boards_where_it_went_wrong(board, losses):
    review = review_of(board, losses)
    page = review_html(review, {"command": "outflank review"})
    root = ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>"))
    figures = list(root.iter("figure"))
    assert figures[0].findtext("h3") == "value over the game"
    wrong = [ply for ply, loss in losses.items() if loss >= review.marks.mistake or loss > 2]
    assert [each.findtext("h3").split(".")[0] for each in figures[1:]] == [str(ply) for ply in wrong]
    for figure in figures[1:]:
        assert {"played", "better"} <= {each.text for each in figure.iter(f"{SVG}title")}
        assert figure.findtext("figcaption").startswith("told of")
    text = page_text(page)
    order = ["A game", "black's value", "Said of the whole.", "told of", "Every move", "start", board.result()]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert " ".join(map(str, board.moves)) in text
    assert not re.search(r"<script|<link|<img|@import|url\(", page)


def test_a_review_without_a_mistake_has_no_boards_and_one_with_many_the_worst():
    board = Board.from_text("f5d6c3d3c4f4f6g5")
    assert "went wrong" not in review_html(review_of(board, {}), {})
    many = dict.fromkeys(range(1, 9), 5.0) | {4: 20.0}
    assert len(review_of(board, many).moves_with_boards) == 8
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(review_page, "MOST_BOARDS", 3)
        assert [each.ply for each in review_of(board, many).moves_with_boards] == [1, 2, 4]
        assert "3 of 8" in review_html(review_of(board, many), {})


@pytest.mark.slow(3)
@pytest.mark.skipif(installed() is None, reason=MISSING)
def test_boards_of_a_review_are_not_a_tower():
    page = review_html(review_of(Board.from_text("f5d6c3d3c4f4f6g5"), dict.fromkeys(range(1, 9), 5.0)), {})
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=list(FLAGS))
        window = browser.new_page()
        window.set_content(page)
        for width, height in ((320, 1500), (390, 1500), (600, 1600), (1280, 900)):
            window.set_viewport_size({"width": width, "height": 800})
            box = window.locator(".boards").bounding_box()
            assert box is not None
            assert box["height"] < height
            assert window.evaluate("document.documentElement.scrollWidth") <= width
        browser.close()


def test_decades_lie_evenly():
    axis = axis_over([1, 1000], 0, 300, log=True)
    places = [axis.at(10.0**k) for k in range(4)]
    assert [b - a for a, b in pairwise(places)] == pytest.approx([places[1] - places[0]] * 3)
    assert axis.at(20) - axis.at(10) == pytest.approx((places[1] - places[0]) * log10(2))
