"""The appearance of reports: colours, number formats, estimated text widths, legends and the frame of every picture."""

import re
from collections.abc import Mapping, Sequence
from html import escape as html_escape

from outflank.lab.experiment_report import Cell

WIDTH = 560
"""Width of every picture in SVG units. It is fixed, so that text has the same size in all pictures of a page."""
TEXT = 18
"""Text size for which layouts reserve room, in SVG units. Wide figures draw text at size 13, narrow figures at size
18."""
VALUE = 10.5
"""Text size of the numbers on bars, in SVG units. Narrow figures omit these numbers."""
SAMPLE, SWATCH = 30, 14
"""Widths of the symbols in a legend, in SVG units: for curves, and for bars."""
LINE = 22
"""Distance between lines of text, in SVG units."""
HUES, WARMS = 8, 5

# The palette of Okabe and Ito. Its light colours are darkened for a white background and its dark ones lightened for a
# black one, until a thin line has a contrast of at least 3:1.
LIGHT = {
    "paper": "#ffffff",
    "ink": "#1c222b",
    "soft": "#566070",
    "grid": "#e1e5ea",
    "shade": "#f4f6f8",
    "bad": "#b3261e",
    "hue1": "#0072b2",
    "hue2": "#d55e00",
    "hue3": "#009e73",
    "hue4": "#b65a93",
    "hue5": "#b98000",
    "hue6": "#3d9bd6",
    "hue7": "#4d5561",
    "hue8": "#8b8000",
    "warm1": "#f9d9a8",
    "warm2": "#f6c48d",
    "warm3": "#f4b9a0",
    "warm4": "#efd28a",
    "warm5": "#e9cbb8",
}
DARK = {
    "paper": "#14171c",
    "ink": "#e7eaef",
    "soft": "#a8b1bd",
    "grid": "#2d333d",
    "shade": "#1d2128",
    "bad": "#ff8a80",
    "hue1": "#3b96db",
    "hue2": "#f07a32",
    "hue3": "#1fb98b",
    "hue4": "#dc8fbb",
    "hue5": "#e69f00",
    "hue6": "#93d2f7",
    "hue7": "#b3bac4",
    "hue8": "#f0e442",
    "warm1": "#7d4f1a",
    "warm2": "#723f12",
    "warm3": "#78392b",
    "warm4": "#6a5513",
    "warm5": "#5c4437",
}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

SUFFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
NUMERAL = re.compile(r"[-+−]?\d+(\.\d+)?", re.ASCII)
UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
NARROW, WIDE = frozenset("iIjlftr.,:;'|!()[] -"), frozenset("mwMW@%&")


def escape(text: str) -> str:
    """Return text escaped for XML and HTML, including quotes."""
    return html_escape(UNPRINTABLE.sub("\ufffd", text))


def number(value: Cell, digits: int = 4) -> str:
    """Return a cell as text. Integers are exact; other numbers are rounded to `digits` significant digits.

    >>> number(1234567), number(3.14159), number(12345.6), number(None), number(True)
    ('1,234,567', '3.142', '12,350', '–', 'yes')
    """
    if value is None or value != value:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if abs(value) == float("inf"):
        return "∞" if value > 0 else "-∞"
    if abs(value) < 1e15 and value == int(value):
        return f"{int(value):,}"
    rounded = float(f"{value:.{digits}g}")
    if not 1e-4 <= abs(rounded) < 1e15:
        return _exponent(f"{value:.{digits}g}")
    # Rounded first, because the format `g` would print large numbers as powers of ten.
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:,.{digits + 4}f}".rstrip("0")


def is_number(cell: Cell) -> bool:
    """Return whether a cell is a number, or text that looks like one. Tables align these cells to the right."""
    if isinstance(cell, str):
        return bool(NUMERAL.fullmatch(cell)) or (cell.endswith(("%", "✓")) and cell[0] in "-+0123456789")
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def short(value: float) -> str:
    """Return a number in short form, with three significant digits and a suffix k, M, G or T.

    >>> short(1234.5), short(2e7), short(0.25), short(3e-7)
    ('1.23k', '20M', '0.25', '3e-7')
    """
    rounded = float(f"{value:.3g}")
    if rounded and not 1e-3 <= abs(rounded) < 1e15:
        return _exponent(f"{value:.3g}")
    for size, suffix in SUFFIXES:
        if abs(rounded) >= size:
            return f"{rounded / size:.3g}{suffix}"
    return f"{rounded:.3g}"


def _exponent(text: str) -> str:
    return re.sub(r"e\+?(-?)0*", r"e\1", text)


def pixel(value: float) -> str:
    """Return a coordinate as text, rounded to a tenth of an SVG unit."""
    return f"{value:.1f}".removesuffix(".0")


def text_width(text: str, size: float = TEXT) -> float:
    """Return the estimated width of a line of text in SVG units."""
    return size * sum(0.36 if c in NARROW else 0.9 if c in WIDE else 1.05 if c > "\u2e80" else 0.61 for c in text)


def clip(text: str, width: float, size: float = TEXT) -> str:
    """Return `text`, or its beginning and an ellipsis if it exceeds `width`, or nothing if only one letter fits."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(f"{text}…", size) > width:
        text = text[:-1]
    return f"{text.rstrip()}…" if len(text) > 1 else ""


def wrap(text: str, width: float) -> list[str]:
    """Return `text` as lines of at most `width` SVG units. Only a line with a single word may be wider."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def label(x: float, y: float, text: str, *, anchor: str = "start", style: str = "", turn: float = 0) -> str:
    """Return a line of text as SVG, vertically centred at `y` and rotated by `turn` degrees."""
    attributes = f' class="{style}"' if style else ""
    if turn:
        attributes += f' transform="rotate({pixel(turn)} {pixel(x)} {pixel(y)})"'
    position = f'x="{pixel(x)}" y="{pixel(y)}" dy="0.35em" text-anchor="{anchor}"'
    return f"<text {position}{attributes}>{escape(text)}</text>"


def legend(entries: Sequence[tuple[str, str]], top: float, across: float = SAMPLE) -> tuple[list[str], float]:
    """Return the SVG of a legend of symbols with names, and the y coordinate of its lower end.

    A symbol is SVG that is drawn around the origin and is `across` units wide.
    """
    parts: list[str] = []
    x, y = 4.0, top + LINE / 2
    for sample, name in entries:
        text = clip(name, WIDTH - across - 14)
        width = across + 6 + text_width(text)
        if x > 4 and x + width > WIDTH:
            x, y = 4.0, y + LINE
        parts.append(f'<g transform="translate({pixel(x + across / 2)} {pixel(y)})">{sample}</g>')
        parts.append(label(x + across + 6, y, text, style="legend"))
        x += width + 16
    return parts, y + LINE / 2 if entries else top


def picture(parts: Sequence[str], height: float, title: str, description: str) -> str:
    """Return a self-contained SVG picture that follows the light or dark theme of the system."""
    size = f'viewBox="0 0 {WIDTH} {pixel(height)}" width="{WIDTH}" height="{pixel(height)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="outflank-figure" {size} role="img" font-size="13">'
    texts = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    return f"{head}{texts}<style>{PICTURE_STYLE}</style>{''.join(parts)}</svg>"


def colours(selector: str) -> str:
    """Return CSS variables for all colours, light or dark as the system prefers. Printed pages are always light."""
    return f"{_variables(selector, LIGHT)}@media screen and (prefers-color-scheme:dark){{{_variables(selector, DARK)}}}"


def notebook_colours(selector: str) -> str:
    """Return CSS for notebooks that have their own light or dark theme. This theme overrides the system's."""
    themes = (("[data-jp-theme-light=true]", LIGHT), ("[data-jp-theme-light=false]", DARK))
    editors = ((".vscode-light", LIGHT), (".vscode-dark", DARK))
    rules = "".join(_variables(f"{selector}:is({ancestor} *)", names) for ancestor, names in (*themes, *editors))
    return f"@media screen{{{rules}}}"


def _variables(selector: str, names: Mapping[str, str]) -> str:
    return f"{selector}{{{''.join(f'--{name}:{colour};' for name, colour in names.items())}}}"


def scoped(scope: str, rules: str) -> str:
    """Return CSS rules, given one per line, restricted to elements below `scope`. Empty lines are skipped.

    >>> scoped(".a", "p, li {margin:0}")
    '.a p,.a li{margin:0}'
    """
    lines = []
    for rule in filter(None, rules.splitlines()):
        selectors, _, body = rule.partition("{")
        lines.append(f"{','.join(f'{scope} {selector.strip()}' for selector in selectors.split(','))}{{{body}")
    return "".join(lines)


PICTURE_RULES = """
text {fill:var(--ink)}
.faint {fill:var(--soft)}
.value {font-size:VALUE}
.grid {stroke:var(--grid)}
.edge {stroke:var(--soft)}
.area {fill:none}
.lane {fill:var(--shade)}
.hollow {fill:var(--paper);stroke:currentColor;stroke-width:1.6}
.solid {fill:currentColor;stroke:var(--paper);stroke-width:.7}
.mark:hover, .box:hover {stroke:var(--ink);stroke-width:1.6}
"""
FLAT_STYLE = "".join(
    (
        f"svg.outflank-figure{{background:var(--paper);color:var(--ink);font-family:{FONT}}}",
        scoped("svg.outflank-figure", PICTURE_RULES.replace("VALUE", f"{VALUE}px")),
    )
)
PICTURE_COLOURS = colours("svg.outflank-figure")
PICTURE_STYLE = PICTURE_COLOURS + FLAT_STYLE
THEMES = {"light": LIGHT, "dark": DARK}


def apply_theme(svg: str, theme: str) -> str:
    """Return an SVG in fixed colours of `theme`, for programs without CSS variables, media queries or backgrounds."""
    paper = '<rect width="100%" height="100%" fill="var(--paper)"/>'
    plain = svg.replace(f"<style>{PICTURE_STYLE}</style>", f"<style>{FLAT_STYLE}</style>{paper}", 1)
    theme_colours = THEMES[theme]
    return re.sub(r"var\(--(\w+)\)", lambda match: theme_colours.get(match[1], match[0]), plain)
