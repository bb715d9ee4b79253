"""A report's tables and figures on a page, section by section, with a list of contents if there are many."""

import re
from dataclasses import replace

from outflank.lab.drawing.looks import escape
from outflank.lab.drawing.palette import Palette
from outflank.lab.drawing.parts import figure_part, table_part
from outflank.lab.experiment_report import Report, Section

LONG = 5
"""Least entries of a list of contents."""
LONGEST_ANCHOR = 60
OVERVIEW = "Overview"
"""Heading of tables and figures without a section, if others have one."""

RULES = """
.beside {display:flex;flex-wrap:wrap;gap:1em 2em;align-items:flex-start}
.beside .tables {flex:0 1 auto;min-width:0;max-width:100%}
.beside .figures {flex:1 1 32em;min-width:min(100%,24em)}
.contents ol {columns:20em;column-gap:2em;margin:.5em 0;padding:0;list-style:none}
.contents li {max-width:none;break-inside:avoid;margin:0 0 .25em;padding:0 0 0 1em;text-indent:-1em}
.contents a {color:inherit;text-decoration:underline;text-decoration-color:var(--hue1);text-underline-offset:.15em}
.contents a:hover {color:var(--hue1)}
"""
PRINT_RULES = """
.beside {display:block}
"""


class Anchors:
    """Unique link targets on a page, with their titles."""

    def __init__(self, page: str) -> None:
        self.page = page
        """Prefix of every target: a notebook may show several reports."""
        self.titles: dict[str, str] = {}

    def of(self, title: str) -> str:
        """Return a new link target for a title."""
        words = re.sub(r"[^0-9a-z]+", "-", f"{self.page} {title}".lower())[:LONGEST_ANCHOR].strip("-")
        number, name = 1, words
        while name in self.titles:
            number += 1
            name = f"{words}-{number}"
        self.titles[name] = title
        return name


def sections_html(report: Report) -> tuple[str, str]:
    """Return the list of contents, if there are many entries, and the sections of tables with figures beside them.

    Without sections, all tables come before all figures.
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
    tables = "".join(table_part(table, under=section.name) for table in section.tables)
    figures = "".join(figure_part(figure, palette) for figure in section.figures)
    inner = f'<div class="tables">{tables}</div>' if tables else ""
    inner += f'<div class="figures">{figures}</div>' if figures else ""
    return f'<section>{heading}<div class="beside">{inner}</div></section>'


def _without_heading(section: Section, palette: Palette, anchors: Anchors, *, alone: bool = False) -> str:
    """Return the parts without a section; if no part has one, the contents list every part."""
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
