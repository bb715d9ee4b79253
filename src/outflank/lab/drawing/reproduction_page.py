"""Pages of a reproduction: one for each published report, which begins with its conclusions, and an index of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from outflank.lab.claims.ledger import Answer, Claim, Decision, is_expected
from outflank.lab.drawing.looks import escape, scoped
from outflank.lab.drawing.page import SCOPE, Anchors, banners, origin_html, searched_html, section_body, whole_page
from outflank.lab.drawing.palette import Palette
from outflank.lab.drawing.parts import facts_part, table_part
from outflank.lab.experiment_report import Report, ReportTable, Section
from outflank.lab.report_programs.published_numbers import published
from outflank.lab.reproduction.compared_cells import FAULTS, MARKS, Verdict, verdict_counts_text
from outflank.lab.reproduction.published_sections import PublishedTable
from outflank.lab.reproduction.stored_runs import DIFFERENCES, ReportAnswers
from outflank.validation.text import how_many

ANSWERS = (
    Answer.CONTRADICTED,
    Answer.DEPENDS,
    Answer.CONFIRMED,
    Answer.NEEDS_CORES,
    Answer.NOT_DONE,
    Answer.NOT_TESTABLE,
)
"""Answers in the order in which a page lists them, the most surprising first."""

VERDICTS = (*FAULTS, *(verdict for verdict in Verdict if verdict not in FAULTS))
"""Verdicts in the order of a page's columns."""

UNEXPECTED = "not as expected"
"""Name of the group of answers that make a run fail. These are listed twice, because each is also in another group."""

OPEN = (UNEXPECTED, Answer.CONTRADICTED)
"""Groups of conclusions that can be read without unfolding them. All groups together would fill several screens."""

RULES = """
.counts {display:flex;flex-wrap:wrap;gap:.4em;max-width:none;padding:0;margin:.6em 0;list-style:none}
.counts li {margin:0}
.counts a {display:block;padding:.15em .6em;border:1px solid var(--grid);border-radius:1em;color:inherit}
.counts a {background:var(--shade);text-decoration:none}
.counts a:hover {border-color:var(--hue1)}
details.fold {border-bottom:1px solid var(--grid)}
details.fold > summary {margin:.35em 0;font-weight:600}
details.fold > summary h2 {display:inline;border:0;font-size:1.05em}
details.fold > div {scroll-margin-top:3em;padding:0 0 1em}
table.claims {table-layout:fixed;width:100%;min-width:40em}
.claims th:first-child, .claims td:first-child {width:4em;white-space:nowrap;text-align:right;color:var(--soft)}
.claims th, .claims td {max-width:none;overflow-wrap:break-word}
.claims th:nth-child(2) {width:34%}
.claims .where {width:11em;color:var(--soft)}
.verdicts td:first-child, .verdicts th:first-child {max-width:34em}
.verdicts th {max-width:6.5em}
.verdicts a {color:inherit;text-decoration:underline;text-decoration-color:var(--hue1);text-underline-offset:.15em}
.fault {color:var(--bad);font-weight:600}
"""
PRINT_RULES = """
details::details-content {content-visibility:visible;display:block;height:auto}
details.fold {break-inside:auto}
.counts {display:none}
"""
STYLE = f"{scoped(SCOPE, RULES)}@media print{{{scoped(SCOPE, PRINT_RULES)}}}"


def report_page(report: Report, answers: ReportAnswers) -> str:
    """Return the page of one published report.

    The report's conclusions come first, grouped by answer. The verdicts on its numbers follow, by section. The folded
    sections come last.
    """
    number = answers.report
    anchors = Anchors(number)
    places = {section.heading: anchors.of(section.where) for section, _ in answers.sections}
    sections = [section for section in report.sections if section.name in places]
    shown = {section.name for section in sections}
    printed, theirs = published(number), published(number).get("machine")
    parts = [f"<header><h1>Report {number}: {escape(printed['title'])}</h1>", *banners(report)]
    parts.append(origin_html(report.provenance))
    parts.append(f'<p class="soft">The report: {escape(theirs)}.</p></header>' if theirs else "</header>")
    parts.append(_ledger(answers.decisions, anchors))
    parts.append(_numbers(answers, {heading: place for heading, place in places.items() if heading in shown}))
    parts += _differences(report, number)
    palette = Palette.over(report.figures)
    parts.append("<section><h2>Its tables and figures</h2>")
    parts += [_folded_section(section, places[section.name], palette) for section in sections]
    parts.append("</section>")
    parts.append(_ending(report, alone=report.reports == (number,)))
    return whole_page(f"Report {number}, reproduced", "".join(parts), style=STYLE)


def index_page(report: Report, reports: Sequence[ReportAnswers], stem: str) -> str:
    """Return the page that counts answers and verdicts by report. The reports' own file names begin with `stem`."""
    links = {part.report: f"{stem}-{part.report}.html" for part in reports}
    answers = {part.report: Counter(decision.answer for _, decision in part.decisions) for part in reports}
    verdicts = {
        part.report: Counter(cell.verdict for section, cells in part.sections if section.printed for cell in cells)
        for part in reports
    }

    def names(part: ReportAnswers) -> tuple[str, str]:
        return links[part.report], f"{part.report}: {published(part.report)['title']}"

    parts = ["<header><h1>The reports, reproduced</h1>", *banners(report)]
    parts.append(f'<p class="question">{escape(report.question)}</p>{origin_html(report.provenance)}</header>')
    parts.append("<section><h2>Their conclusions, by our answer</h2>")
    parts.append(_counts_table("conclusions", [(*names(part), answers[part.report]) for part in reports], ANSWERS))
    parts.append("</section><section><h2>Their numbers, by verdict</h2>")
    parts.append(_counts_table("cells", [(*names(part), verdicts[part.report]) for part in reports], VERDICTS))
    parts.append(f"</section>{_legend(sum(verdicts.values(), Counter()))}")
    parts += _differences(report)
    parts.append(_ending(report, alone=True))
    return whole_page(report.experiment, "".join(parts), style=STYLE)


# --- conclusions ---


def _ledger(decisions: Sequence[tuple[Claim, Decision]], anchors: Anchors) -> str:
    """Return the conclusions of a report: counts with links, and a folded table for each answer."""
    groups: dict[str, list[tuple[Claim, Decision]]] = {}
    unexpected = [pair for pair in decisions if not is_expected(*pair)]
    if unexpected:
        groups[UNEXPECTED] = unexpected
    for answer in ANSWERS:
        members = [pair for pair in decisions if pair[1].answer is answer]
        if members:
            groups[answer.value] = members
    places = {name: anchors.of(name) for name in groups}
    links = "".join(
        f'<li><a href="#{places[name]}">{len(members)} {escape(name)}</a></li>' for name, members in groups.items()
    )
    tables = "".join(
        _fold(f"{len(members)} {name}", places[name], _claims_table(members), is_open=name in OPEN)
        for name, members in groups.items()
    )
    heading = f"<h2>Its {how_many(len(decisions), 'conclusion')}, and our answers</h2>"
    return f'<section>{heading}<ul class="counts">{links}</ul>{tables}</section>' if decisions else ""


def _claims_table(decisions: Iterable[tuple[Claim, Decision]]) -> str:
    rows = "".join(
        f"<tr><td>{claim.number}</td><td>{escape(claim.says)}</td><td>{escape(_because(claim, decision))}</td>"
        f'<td class="where">{escape(claim.where)}</td></tr>'
        for claim, decision in decisions
    )
    head = '<tr><th>no.</th><th>the report concludes</th><th>because</th><th class="where">where</th></tr>'
    return _scrolled("conclusions", f'<table class="claims"><thead>{head}</thead><tbody>{rows}</tbody></table>')


def _because(claim: Claim, decision: Decision) -> str:
    return decision.because if is_expected(claim, decision) else f"{decision.because} (Expected: {claim.expected}.)"


# --- numbers ---


def _numbers(answers: ReportAnswers, places: Mapping[str, str]) -> str:
    """Return the verdicts on a report's numbers by section. `places` are link targets of the sections below."""
    counted = [(section, Counter(cell.verdict for cell in cells)) for section, cells in answers.sections]
    printed = sum((verdicts for section, verdicts in counted if section.printed), Counter[Verdict]())
    rows = [("", "all that it printed", printed)]
    rows += [(_link(section, places), f"{section.where}: {section.title}", verdicts) for section, verdicts in counted]
    table = _counts_table("cells", rows, VERDICTS)
    heading = "<h2>Its numbers, and our verdicts</h2>"
    return f"<section>{heading}<p>{escape(verdict_counts_text(printed))}.</p>{table}</section>{_legend(printed)}"


def _link(section: PublishedTable, places: Mapping[str, str]) -> str:
    return f"#{places[section.heading]}" if section.heading in places else ""


def _counts_table(total: str, rows: Sequence[tuple[str, str, Counter[Any]]], names: Sequence[Verdict | Answer]) -> str:
    """Return a table of counts. A row consists of a link address (or an empty text), a title and counts."""
    used = [name for name in names if name in FAULTS or any(counts[name] for _, _, counts in rows)]
    head = "".join(f'<th class="number">{escape(name)}</th>' for name in (total, *used))
    body = ""
    for address, title, counts in rows:
        text = f'<a href="{escape(address)}">{escape(title)}</a>' if address else escape(title)
        cells = "".join(_count(counts[name], fault=name in FAULTS and bool(counts)) for name in used)
        body += f'<tr><td>{text}</td><td class="number">{sum(counts.values()):,}</td>{cells}</tr>'
    grid = f'<table class="verdicts"><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>'
    return _scrolled(total, grid)


def _count(count: int, *, fault: bool) -> str:
    style = "number fault" if fault and count else "number"
    return f'<td class="{style}">{f"{count:,}" if count or fault else ""}</td>'


def _legend(verdicts: Counter[Verdict]) -> str:
    items = "".join(f"<li>{escape(MARKS[verdict])}</li>" for verdict in VERDICTS if verdicts[verdict])
    return _fold("How to read a cell", "legend", f"<ul>{items}</ul>") if items else ""


def _differences(report: Report, number: str | None = None) -> Iterator[str]:
    """Yield the section that compares the run with a stored run, for the report `number` or for all reports."""
    for table in report.tables:
        if table.title.startswith(DIFFERENCES):
            rows = tuple(row for row in table.rows if number in (None, row[0]))
            text = table_part(ReportTable(title=table.title, columns=table.columns, rows=rows, notes=table.notes))
            yield f"<section><h2>Beside the stored run</h2>{text if rows else _nothing_differs(table)}</section>"


def _nothing_differs(table: ReportTable) -> str:
    return f"<p>Nothing differs. {escape(' '.join(table.notes))}</p>"


# --- the rest ---


def _folded_section(section: Section, place: str, palette: Palette) -> str:
    return _fold(section.name, place, section_body(section, palette), level="h2")


def _fold(title: str, place: str, content: str, *, is_open: bool = False, level: str = "") -> str:
    """Return folded content. A browser unfolds it when it follows a link to `place`, which lies inside."""
    heading = f"<{level}>{escape(title)}</{level}>" if level else escape(title)
    opened = ' open="open"' if is_open else ""
    return f'<details class="fold"{opened}><summary>{heading}</summary><div id="{place}">{content}</div></details>'


def _scrolled(title: str, grid: str) -> str:
    # As in `table_part`: a narrow page scrolls the table, also with the keyboard.
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(title)}">{grid}</div>'


def _ending(report: Report, *, alone: bool) -> str:
    """Return notes, searched positions and provenance. A page of one report among several leaves out the searches."""
    notes = "".join(f"<li>{escape(note)}</li>" for note in report.notes)
    parts = [_fold("Findings", "findings", f"<ul>{notes}</ul>")] if notes and alone else []
    if report.searched and alone:
        parts.append(_fold("What was searched", "searched", searched_html(report.searched)))
    facts = facts_part("Parameters", report.parameters) + facts_part("Provenance", report.provenance)
    parts.append(_fold("Parameters and provenance", "provenance", facts))
    parts.append('<p class="soft">The samples are in the files beside this page.</p>')
    return f"<section><h2>The run</h2>{''.join(parts)}</section>"
