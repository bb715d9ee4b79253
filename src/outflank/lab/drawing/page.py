"""Reports as HTML: fragments for notebooks, and self-contained pages."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.lab.drawing.looks import FONT, colours, escape, notebook_colours, scoped
from outflank.lab.drawing.palette import Palette
from outflank.lab.drawing.parts import facts_part, figure_part, table_part
from outflank.lab.experiment_report import Figure, Report, ReportTable, Section, as_html
from outflank.lab.measuring.search_log import Searched, SearchedPosition, by_position
from outflank.validation.documents import JsonObject
from outflank.validation.text import how_many

LONG = 5
"""Least number of headings for which a page has a list of contents."""
LONGEST_ANCHOR = 60
OVERVIEW = "Overview"
"""Heading of the tables and figures without a section, if other tables or figures have a section."""

SECTION_RULES = """
.beside {display:flex;flex-wrap:wrap;gap:1em 2em;align-items:flex-start}
.beside .tables {flex:0 1 auto;min-width:0;max-width:100%}
.beside .figures {flex:1 1 32em;min-width:min(100%,24em)}
.contents ol {columns:20em;column-gap:2em;margin:.5em 0;padding:0;list-style:none}
.contents li {max-width:none;break-inside:avoid;margin:0 0 .25em;padding:0 0 0 1em;text-indent:-1em}
.contents a {color:inherit;text-decoration:underline;text-decoration-color:var(--hue1);text-underline-offset:.15em}
.contents a:hover {color:var(--hue1)}
"""
SECTION_PRINT_RULES = """
.beside {display:block}
"""


class Anchors:
    """The link targets of a page. Each is a unique name made from a title."""

    def __init__(self, page: str) -> None:
        self.page = page
        """Prefix of every link target, because a notebook may show several reports."""
        self.titles: dict[str, str] = {}

    def of(self, title: str) -> str:
        """Return a new link target for the heading `title`."""
        words = re.sub(r"[^0-9a-z]+", "-", f"{self.page} {title}".lower())[:LONGEST_ANCHOR].strip("-")
        number, name = 1, words
        while name in self.titles:
            number += 1
            name = f"{words}-{number}"
        self.titles[name] = title
        return name


def sections_html(report: Report) -> tuple[str, str]:
    """Return the HTML of the list of contents, which is empty for few headings, and the HTML of all sections.

    If the report has no sections, all tables precede all figures.
    """
    anchors, palette = Anchors(report.experiment), Palette.over(report.figures)
    sections = report.sections
    if [section.name for section in sections] == [""]:
        content = _without_heading(sections[0], palette, anchors, alone=True)
    else:
        content = "".join(
            (_section if section.name else _without_heading)(section, palette, anchors) for section in sections
        )
    return _contents(anchors), content


def _section(section: Section, palette: Palette, anchors: Anchors) -> str:
    heading = f'<h2 id="{anchors.of(section.name)}">{escape(section.name)}</h2>'
    return f"<section>{heading}{section_body(section, palette)}</section>"


def section_body(section: Section, palette: Palette) -> str:
    """Return the tables and figures of a section side by side, without its heading."""
    tables = "".join(table_part(table, under=section.name) for table in section.tables)
    figures = "".join(figure_part(figure, palette) for figure in section.figures)
    inner = f'<div class="tables">{tables}</div>' if tables else ""
    inner += f'<div class="figures">{figures}</div>' if figures else ""
    return f'<div class="beside">{inner}</div>'


def _without_heading(section: Section, palette: Palette, anchors: Anchors, *, alone: bool = False) -> str:
    """Return tables and figures without a section. With `alone`, each of them gets an entry in the list of contents."""
    if not alone:
        return _section(replace(section, name=OVERVIEW), palette, anchors)
    content = ""
    if section.tables:
        tables = "".join(table_part(table, anchors.of(table.title)) for table in section.tables)
        content = f"<section><h2>Tables</h2>{tables}</section>"
    if section.figures:
        figures = "".join(figure_part(figure, palette, anchors.of(figure.title)) for figure in section.figures)
        content += f'<section><h2>Figures</h2><div class="figures">{figures}</div></section>'
    return content


def _contents(anchors: Anchors) -> str:
    if len(anchors.titles) < LONG:
        return ""
    entries = "".join(f'<li><a href="#{name}">{escape(title)}</a></li>' for name, title in anchors.titles.items())
    return f'<nav class="contents" aria-label="Contents"><h2>Contents</h2><ol>{entries}</ol></nav>'


DRAWN = 6
"""Greatest number of searched positions that a report shows with a picture of the board."""
OPEN = 12
"""Greatest number of searched positions that are visible when a page is opened. All further positions are folded."""

PLACE_RULES = """
.places {display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,28em),1fr));gap:1em 2em}
.place {display:flex;flex-wrap:wrap;gap:.5em 1em;align-items:flex-start;min-width:0}
.place svg {display:block;width:9em;height:auto;flex:none}
.place div {flex:1 1 14em;min-width:0;font-size:1em}
.place div ul {margin:.25em 0 0;padding:0 0 0 1.1em;font-size:.9em}
.place summary {margin:0;color:var(--soft)}
.place code {font:.85em/1.4 ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.place code {background:none;color:inherit;padding:0}
"""


def searched_html(searched: Sequence[Searched]) -> str:
    """Return the logged searches as HTML, grouped by position."""
    places = by_position(searched)
    cards = [_card(place, drawn=index < DRAWN) for index, place in enumerate(places)]
    visible = f'<div class="places">{"".join(cards[:OPEN])}</div>'
    if len(cards) <= OPEN:
        return visible
    rest = f'<div class="places">{"".join(cards[OPEN:])}</div>'
    return f"{visible}<details><summary>{len(cards) - OPEN:,} more positions</summary>{rest}</details>"


def _card(place: SearchedPosition, *, drawn: bool) -> str:
    items = []
    for description, games in place.lines:
        moves = "".join(f"<p><code>{escape(game)}</code></p>" for game in games)
        folded = f"<details><summary>the moves</summary>{moves}</details>" if games else ""
        items.append(f"<li>{escape(description)}{folded}</li>")
    try:
        board: Board | None = Board.from_text(place.position)
    except OutflankError:  # the game may have no notation
        board = None
    turn = f"{board.turn} to move" if board is not None else ""
    name = ", ".join(part for part in (place.game.title(), place.name, turn) if part)
    picture = board.svg(width=200, legal=False) if board is not None and drawn else ""
    heading = f"<strong>{escape(name)}</strong><br/><code>{escape(place.position)}</code>"
    return f'<div class="place">{picture}<div>{heading}<ul>{"".join(items)}</ul></div></div>'


ORIGIN_RULES = """
.origin code {font:.95em/1.4 ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.origin code {background:none;color:inherit;padding:0}
"""


def origin_html(provenance: JsonObject) -> str:
    """Return a sentence that names a run's command, machine, time and commit, as far as they are known."""
    command = provenance.get("command")
    parts = [f"<code>{escape(command)}</code>" if isinstance(command, str) else ""]
    machine = provenance.get("machine")
    parts.append(
        f"on {escape(_machine_text(machine))}" if isinstance(machine, Mapping) and _machine_text(machine) else ""
    )
    parts.append(escape(_time_text(provenance.get("when"))))
    commit = provenance.get("commit")
    parts.append(f"commit {escape(commit)}" if isinstance(commit, str) else "")
    text = ", ".join(filter(None, parts))
    return f'<p class="soft origin">Run: {text}.</p>' if text else ""


def _machine_text(machine: Mapping[str, object]) -> str:
    """Return a machine as text: `2 cores of AMD Ryzen 7 (Linux)`."""
    cores, processor, system = (machine.get(name) for name in ("usable_cores", "processor", "system"))
    parts = []
    if isinstance(cores, int | float) and not isinstance(cores, bool):
        parts.append(how_many(int(cores), "core") if cores == int(cores) else f"{cores:g} cores")
    if isinstance(processor, str) and processor:
        parts.append(f"of {processor}" if parts else processor)
    text = " ".join(parts)
    return f"{text} ({system})" if text and isinstance(system, str) else text


def _time_text(when: object) -> str:
    """Return an ISO date and time in readable form, or an empty text if it is invalid."""
    if not isinstance(when, str):
        return ""
    try:
        moment = datetime.fromisoformat(when)
    except ValueError:
        return ""
    zone = "UTC" if moment.utcoffset() is not None and not moment.utcoffset() else f"{moment:%z}"
    return f"{moment:%Y-%m-%d %H:%M} {zone}".rstrip()


MOST_CELLS = 20_000
"""Greatest number of cells of raw samples on a page. With more cells, the page would be too large."""

SCOPE = ".outflank-report.outflank-report"
"""CSS selector before every rule of a report, so that the rules do not change the rest of a notebook. The class is
repeated to outweigh the notebook's own rules. Sizes are relative to our own text, because some notebooks have a tiny
root size."""

RULES = """
* {box-sizing:border-box}
h1, h2, h3 {font-weight:600;color:inherit}
h1 {font-size:1.7em;line-height:1.2;margin:0 0 .5em}
h2 {font-size:1.25em;line-height:1.3;margin:1.6em 0 .4em;padding:0 0 .15em;border-bottom:1px solid var(--grid)}
h3 {font-size:1em;margin:1.25em 0 .4em}
p, li {max-width:75ch;margin:.35em 0}
.question {font-size:1.1em}
.soft, figcaption {color:var(--soft);font-size:.9em}
.banner {border:1px solid var(--bad);border-left-width:6px;padding:.5em .75em}
.banner strong {color:var(--bad)}
.scroll {overflow-x:auto;max-width:100%;margin:.25em 0}
table {border-collapse:collapse;table-layout:auto;font-variant-numeric:tabular-nums}
table {color:inherit;font-size:.9em;margin:0}
th, td {padding:.25em .6em;border-bottom:1px solid var(--grid);text-align:left;vertical-align:top;max-width:26em}
th {vertical-align:bottom;border-bottom:2px solid var(--soft);font-weight:600}
thead tr, tbody tr:nth-child(odd) {background:var(--paper)}
tbody tr:nth-child(even), tbody tr:hover {background:var(--shade)}
th:first-child, td:first-child {position:sticky;left:0;background:inherit;background-clip:padding-box}
th:first-child, td:first-child {max-width:min(26em,40vw);overflow-wrap:break-word}
.number {text-align:right}
td.number, td.whole span {white-space:nowrap}
.wide th, .wide td {padding:.2em .45em}
.wide {font-size:.82em}
.widest {font-size:.75em}
.widest th, .widest td {padding:.2em .3em}
.figures {display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,32em),1fr));gap:1em 2em}
figure {margin:0;min-width:0;max-width:42em;container-type:inline-size}
figure svg {display:block;width:100%;height:auto}
dl {margin:.5em 0}
dl div {display:flex;flex-wrap:wrap;gap:0 1em;align-items:baseline;margin:0 0 .2em}
dl dt, dl dd {float:none;width:auto;margin:0;padding:0;font-weight:400}
dl dt {flex:0 0 10em;color:var(--soft);overflow-wrap:break-word;font-size:1em}
dl dd {flex:1 1 14em;min-width:0;overflow-wrap:anywhere;font:.9em/1.5 ui-monospace,Menlo,Consolas,monospace}
figcaption {margin:.4em 0 0}
summary {cursor:pointer;margin:1em 0 .5em}
"""
NARROW_RULES = """
figure svg {font-size:18px}
figure svg .value {display:none}
"""
PRINT_RULES = """
.scroll {overflow:visible}
table {font-size:7pt}
th, td {padding:1pt 3pt;overflow-wrap:break-word}
.wide th, .wide td {font-size:6pt;padding:1pt 2pt}
.widest th, .widest td {overflow-wrap:anywhere;font-size:6pt}
.widest td.number, .widest td.whole span {white-space:normal}
.figures {display:block}
figure {max-width:15cm;margin:0 0 1em;break-inside:avoid}
tr, .banner {break-inside:avoid}
details.columns::details-content {content-visibility:visible;display:block}
h1, h2, h3 {break-after:avoid}
"""
STYLE = "".join(
    (
        colours(SCOPE),
        notebook_colours(SCOPE),
        f"{SCOPE}{{background:var(--paper);color:var(--ink);font:16px/1.5 {FONT};padding:.75em}}",
        scoped(SCOPE, RULES),
        scoped(SCOPE, ORIGIN_RULES),
        scoped(SCOPE, PLACE_RULES),
        scoped(SCOPE, SECTION_RULES),
        f"@container (max-width:480px){{{scoped(SCOPE, NARROW_RULES)}}}",
        f"@media print{{{SCOPE}{{font-size:10pt;padding:0}}{scoped(SCOPE, PRINT_RULES + SECTION_PRINT_RULES)}}}",
    )
)
PAGE_STYLE = "html{background:var(--paper)}body{margin:0}main{max-width:90rem;margin:0 auto}"


@as_html.register
def table_html(table: ReportTable) -> str:
    """Return a table as HTML for a notebook."""
    return _fragment(table_part(table))


@as_html.register
def figure_html(figure: Figure) -> str:
    """Return a figure with its title and caption as HTML for a notebook."""
    return _fragment(figure_part(figure))


@as_html.register
def report_html(report: Report) -> str:
    """Return a report as HTML for a notebook."""
    return _fragment(_content(report))


def page_html(report: Report) -> str:
    """Return a report as a self-contained HTML page."""
    return whole_page(report.experiment + _verdict(report), _content(report))


def whole_page(title: str, content: str, *, style: str = "") -> str:
    """Return an HTML page with `content`. The CSS in `style` is added to the CSS of all pages."""
    head = '<meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>'
    rules = f"<style>{colours('html')}{PAGE_STYLE}{STYLE}{style}</style>"
    body = f'<body class="outflank-report"><main>{content}</main></body>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}<title>{escape(title)}</title>{rules}</head>{body}</html>\n'


def _fragment(content: str) -> str:
    return f'<div class="outflank-report"><style>{STYLE}</style>{content}</div>'


def _content(report: Report) -> str:
    """Return the HTML of a report: the question and the findings first, parameters and provenance last."""
    parts = [f"<header><h1>{escape(report.experiment)}</h1>", *banners(report)]
    parts.append(f'<p class="question">{escape(report.question)}</p>')
    if report.reports:
        noun = "report" if len(report.reports) == 1 else "reports"
        parts.append(f'<p class="soft">Comes from {noun} {escape(", ".join(report.reports))}.</p>')
    parts.append(f"{origin_html(report.provenance)}</header>")
    if report.notes:
        notes = "".join(f"<li>{escape(note)}</li>" for note in report.notes)
        parts.append(f"<section><h2>Findings</h2><ul>{notes}</ul></section>")
    contents, sections = sections_html(report)
    searched = (
        f"<section><h2>What was searched</h2>{searched_html(report.searched)}</section>" if report.searched else ""
    )
    # A long page has a list of contents, so the sections in that list come first.
    parts += [contents, sections, searched] if contents else [searched, sections]
    parts.append(
        facts_part("Parameters", {name: value for name, value in report.parameters.items() if value is not None})
    )
    parts.append(facts_part("Provenance", report.provenance))
    parts.append(_samples(report))
    return "".join(parts)


def _verdict(report: Report) -> str:
    return f"{'' if report.passed else ' (failed)'}{'' if report.complete else ' (incomplete)'}"


def banners(report: Report) -> Iterable[str]:
    """Yield warnings that stand before everything else: a failed or interrupted run."""
    if not report.passed:
        yield '<p class="banner"><strong>Failed.</strong> Something that must hold does not: see below.</p>'
    if not report.complete:
        yield '<p class="banner"><strong>Incomplete.</strong> The run was interrupted, and this is what it had.</p>'


def _samples(report: Report) -> str:
    count = how_many(len(report.samples), "raw sample")
    if not report.samples:
        return ""
    columns = {name for sample in report.samples for name in sample}
    if len(report.samples) * len(columns) > MOST_CELLS:
        return f'<p class="soft">{count}: too many to be shown here.</p>'
    return f"<details><summary>{count}</summary>{table_part(ReportTable.of('Samples', report.samples))}</details>"
