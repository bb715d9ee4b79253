"""Experiment `reproduce`: every number of the published reports beside ours, cell by cell, with a verdict."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Literal

from outflank.errors import InvalidOption, UnknownName
from outflank.lab.claims.ledger import Claim, Evidence, answer_counts_text, is_expected, ledger_table
from outflank.lab.drawing.reproduction_page import index_page, report_page
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, experiment_named, option
from outflank.lab.experiment_report import Cell, Figure, Report, ReportTable, Sample, sample_shape
from outflank.lab.report_programs.published_numbers import REPORTS
from outflank.lab.reproduction.compared_cells import (
    ComparedCell,
    Verdict,
    compare_cells,
    index_table,
    section_table,
    verdict_counts_text,
)
from outflank.lab.reproduction.measured_sources import (
    Place,
    measured_cells,
    own_samples,
    part_conclusions,
    place_text,
    reproduction_tasks,
    row_name,
    source_samples,
    storing_places,
)
from outflank.lab.reproduction.published_sections import (
    Class,
    Effort,
    ExperimentPart,
    Finding,
    Measure,
    PublishedTable,
    Setting,
    sources_of,
)
from outflank.lab.reproduction.stored_runs import ReportAnswers, RunSummary, differences_table, stored_run
from outflank.lab.result_store import csv_text
from outflank.validation.documents import in_lines
from outflank.validation.values import Kind, Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproduceParameters(Parameters):
    """Parameters of the experiment `reproduce`."""

    which: tuple[str, ...] = option(("all",), "000 to 004, or all.", argument=True)
    quick: bool = option(False, "Everything small: all reports in two minutes.")
    full: bool = option(False, "The deepest rows and more rounds too: 70 minutes.")
    claims: bool = option(False, "Show only the reports' conclusions, with our answers.")
    workers: int = option(core_counts()[-1], "Workers of the parallel parts.")

    def __post_init__(self) -> None:
        super(ReproduceParameters, self).__post_init__()
        for name in self.which:
            if name != "all" and name not in REPORTS:
                raise UnknownName.among("report", name, (*REPORTS, "all"))
        if self.quick and self.full:
            raise InvalidOption("quick and full: one of the two")

    @property
    def reports(self) -> tuple[str, ...]:
        """Numbers of the requested reports, each once."""
        return REPORTS if "all" in self.which else tuple(dict.fromkeys(self.which))

    @property
    def setting(self) -> Setting:
        """Effort and number of workers of the run. Each section makes its sources from them."""
        effort = Effort.QUICK if self.quick else Effort.FULL if self.full else Effort.USUAL
        return Setting(effort, self.workers)


def sections_of(report: str) -> tuple[PublishedTable, ...]:
    """Return the sections of a published report, one for each table and figure, in the report's order."""
    sections: tuple[PublishedTable, ...] = import_module(f"outflank.lab.reproduction.report_{report}").SECTIONS
    return sections


def claims_of(report: str) -> tuple[Claim, ...]:
    """Return the conclusions of a report, in the order of its text."""
    claims: tuple[Claim, ...] = import_module(f"outflank.lab.claims.claims_{report}").CLAIMS
    return claims


class Reproduce(Experiment[ReproduceParameters]):
    """Measures all numbers of the published reports again."""

    name = "reproduce"
    question = "Do the reports' conclusions and numbers come out?"
    reports = REPORTS
    parameters = ReproduceParameters

    def file_name(self, parameters: ReproduceParameters) -> str:
        return self.name if set(parameters.reports) == set(REPORTS) else "-".join((self.name, *parameters.reports))

    def reports_of(self, parameters: ReproduceParameters) -> tuple[str, ...]:
        return parameters.reports

    def tasks(self, parameters: ReproduceParameters) -> Sequence[Task]:
        stored = stored_run(parameters.setting.effort)
        return list(
            reproduction_tasks(_sections(parameters), parameters.setting, stored.seconds if stored is not None else {})
        )

    def expected_seconds(self, parameters: ReproduceParameters) -> float | None:
        if stored_run(parameters.setting.effort) is None:
            return None
        return sum(task.wall_weight for task in self.tasks(parameters))

    def shape(self, parameters: ReproduceParameters, sample: Sample) -> Shape:
        sections = (
            {section.name: section for section in sections_of(str(sample["report"]))}
            if sample.get("report") in parameters.reports
            else {}
        )
        section = sections.get(str(sample.get("section")))
        sources = sources_of(section, parameters.setting) if section is not None else {}
        known: dict[str, Kind] = {
            "report": Literal[*parameters.reports],
            "section": Literal[*sections] if sections else str,
            "source": Literal[*sources] if sources else str,
        }
        source = sources.get(str(sample.get("source")))
        if source is None:
            return sample_shape(known)  # rejects every sample without a source
        if isinstance(source, Measure):
            findings: Kind = Literal[*(finding.value for finding in Finding)]
            return sample_shape(known, row=str, column=str, ours=Cell, note=str, published=Cell, finding=findings)
        experiment_shape = experiment_named(source.experiment).shape(source.experiment_parameters, sample)
        return sample_shape(experiment_shape.names, known, part_task=str, also=experiment_shape.also)

    def conclude(self, parameters: ReproduceParameters, samples: Sequence[Sample]) -> Conclusion:
        setting = parameters.setting
        measured = source_samples(_sections(parameters), setting, samples)
        answers = _answers(parameters, measured)
        decisions = [decision for report in answers for decision in report.decisions]
        passed = all(is_expected(claim, decision) for claim, decision in decisions)
        first = [ledger_table(decisions)] if decisions else []
        stored = stored_run(setting.effort)
        whole = [report for report in answers if _is_whole(report, setting, measured)]
        differences = [differences_table(stored, whole)] if stored is not None and whole else []
        if parameters.claims:
            return Conclusion(tables=(*first, *differences), passed=passed)
        tables: list[ReportTable] = []
        figures: list[Figure] = []
        notes: list[str] = [answer_counts_text(decisions)] if decisions else []
        sections = [pair for report in answers for pair in report.sections]
        counted = [(section, Counter(cell.verdict for cell in cells)) for section, cells in sections]
        notes += _sums(counted)
        for section, cells in sections:
            parts = part_conclusions(section, setting, measured)
            passed = passed and all(conclusion.passed for _, conclusion in parts)
            notes += [f"{section.heading}: {part.name} failed." for part, found in parts if not found.passed]
            found_cells = measured_cells(section, setting, measured)
            own_figures = section.figures(found_cells) if found_cells else ()
            section_tables, section_figures = _section_content(section, cells, parts)
            tables += [replace(table, section=section.heading) for table in section_tables]
            figures += [replace(plot, section=section.heading) for plot in (*own_figures, *section_figures)]
            if not sources_of(section, setting) and section.table is None and section.absent:
                notes.append(f"{section.heading}: {section.absent}")
        return Conclusion(
            tables=(*first, index_table(counted), *differences, *tables),
            figures=tuple(figures),
            notes=tuple(notes),
            passed=passed and not any(verdicts[Verdict.DIFFERENT] for _, verdicts in counted),
        )

    def files(self, parameters: ReproduceParameters, report: Report) -> dict[str, str]:
        """Return the pages, a CSV file of all compared cells, and a summary that later runs can be compared with."""
        answers = _answers(parameters, source_samples(_sections(parameters), parameters.setting, report.samples))
        if len(answers) == 1:
            pages = {".html": report_page(report, answers[0])}
        else:
            pages = {".html": index_page(report, answers, self.file_name(parameters))}
            pages |= {f"-{part.report}.html": report_page(report, part) for part in answers}
        cells = [_csv_row(section, cell) for part in answers for section, found in part.sections for cell in found]
        summary = _summary(parameters, report, answers)
        return {**pages, ".cells.csv": csv_text(cells), ".summary.json": in_lines(summary)}


def _sections(parameters: ReproduceParameters) -> list[PublishedTable]:
    return [section for report in parameters.reports for section in sections_of(report)]


def _answers(parameters: ReproduceParameters, measured: Mapping[Place, Sequence[Sample]]) -> list[ReportAnswers]:
    """Return the answers and the compared cells of each requested report."""
    answers = []
    for report in parameters.reports:
        cells = {section: measured_cells(section, parameters.setting, measured) for section in sections_of(report)}
        evidence = Evidence(
            cells={section.name: found for section, found in cells.items()},
            samples={
                (section, source): own_samples(samples)
                for (owner, section, source), samples in measured.items()
                if owner == report and "part_task" in samples[0]
            },
        )
        answers.append(
            ReportAnswers(
                report=report,
                decisions=[(claim, claim.decided(evidence)) for claim in claims_of(report)],
                sections=[(section, compare_cells(section, found)) for section, found in cells.items()],
            )
        )
    return answers


def _is_whole(report: ReportAnswers, setting: Setting, measured: Mapping[Place, Sequence[Sample]]) -> bool:
    """Return whether a report was measured as a whole: every section with sources has some samples."""
    sections = {section for owner, section, _ in measured if owner == report.report}
    return all(section.name in sections for section, _ in report.sections if sources_of(section, setting))


def _section_content(
    section: PublishedTable, cells: Sequence[ComparedCell], parts: Sequence[tuple[ExperimentPart, Conclusion]]
) -> tuple[list[ReportTable], list[Figure]]:
    """Return the tables and the figures of a section: its own table, and all that its experiments show."""
    tables = [section_table(section, cells)] if cells else []
    figures: list[Figure] = []
    for _, conclusion in with_unique_titles([(part, _shown(part, conclusion)) for part, conclusion in parts]):
        if conclusion.tables:
            *others, last = conclusion.tables
            tables += [*others, replace(last, notes=(*last.notes, *conclusion.notes))]
            figures += conclusion.figures
    if tables and not cells and section.notes:  # the section has no table of its own
        tables[-1] = replace(tables[-1], notes=(*tables[-1].notes, *section.notes))
    return tables, figures


def _shown(part: ExperimentPart, conclusion: Conclusion) -> Conclusion:
    """Return the conclusion of a part with only those tables and figures that the section shows."""
    return replace(
        conclusion,
        tables=tuple(table for table in conclusion.tables if part.shows(table.title)),
        figures=tuple(figure for figure in conclusion.figures if part.shows(figure.title)),
    )


def with_unique_titles(parts: Sequence[tuple[ExperimentPart, Conclusion]]) -> list[tuple[ExperimentPart, Conclusion]]:
    """Return `parts`. A title that several parts of the section have is preceded by the label of its part."""
    titles = Counter(
        title for _, conclusion in parts for title in {item.title for item in _tables_and_figures(conclusion)}
    )

    def with_label(part: ExperimentPart, title: str) -> str:
        return f"{part.label}: {title}" if part.label and titles[title] > 1 else title

    return [
        (
            part,
            replace(
                conclusion,
                tables=tuple(replace(table, title=with_label(part, table.title)) for table in conclusion.tables),
                figures=tuple(replace(figure, title=with_label(part, figure.title)) for figure in conclusion.figures),
            ),
        )
        for part, conclusion in parts
    ]


def _tables_and_figures(conclusion: Conclusion) -> list[ReportTable | Figure]:
    return [*conclusion.tables, *conclusion.figures]


def _sums(counted: Sequence[tuple[PublishedTable, Counter[Verdict]]]) -> Iterator[str]:
    """Yield sentences with the number of cells by verdict, summed over all sections."""
    printed: Counter[Verdict] = Counter()
    further: Counter[Verdict] = Counter()
    for section, verdicts in counted:
        (printed if section.printed else further).update(verdicts)
    yield f"Of what the reports printed, {verdict_counts_text(printed)}."
    if further:
        yield (
            "Of the same programs, but printed in no report, or from a report's own numbers, "
            f"{verdict_counts_text(further)}."
        )


def _csv_row(section: PublishedTable, cell: ComparedCell) -> Sample:
    return {
        "report": section.report,
        "section": section.name,
        "printed": section.printed,
        "row": row_name(cell.row),
        "column": cell.column,
        "published": cell.published,
        "ours": cell.ours,
        "ratio": cell.ratio,
        "class": cell.expected.class_.value,
        "factor": cell.expected.factor if cell.expected.class_ is Class.CLOSE else None,
        "verdict": cell.verdict.value,
        "note": cell.note or cell.expected.reason,
    }


def _summary(parameters: ReproduceParameters, report: Report, answers: Sequence[ReportAnswers]) -> RunSummary:
    seconds = {
        place_text(place): round(sum(_seconds_of(place, report.task_seconds)), 2)
        for place, storing in storing_places(_sections(parameters), parameters.setting).items()
        if place == storing
    }
    return RunSummary(
        effort=parameters.setting.effort.value,
        provenance=report.provenance,
        seconds={place: spent for place, spent in seconds.items() if spent},
        answers={part.report: part.answers for part in answers},
        verdicts={part.report: part.verdicts for part in answers},
    )


def _seconds_of(place: Place, task_seconds: Mapping[str, float]) -> Iterator[float]:
    """Yield the durations of the tasks of one source."""
    name = place_text(place)
    return (seconds for task, seconds in task_seconds.items() if task == name or task.startswith(f"{name}: "))
