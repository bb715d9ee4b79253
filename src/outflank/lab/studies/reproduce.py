"""Experiment `reproduce`: every number of the published reports beside ours, cell by cell, with a verdict."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Literal

from outflank.errors import InvalidOption, UnknownName
from outflank.lab.claims.ledger import Claim, Decision, Evidence, answer_counts_text, is_expected, ledger_table
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, experiment_named, option
from outflank.lab.experiment_report import Cell, Figure, ReportTable, Sample, sample_shape
from outflank.lab.measuring.search_samples import grouped
from outflank.lab.report_programs.classroom import BrokenOff
from outflank.lab.report_programs.published_numbers import REPORTS
from outflank.lab.reproduction.compared_cells import (
    ComparedCell,
    Verdict,
    compare_cells,
    index_table,
    section_table,
    verdict_counts_text,
)
from outflank.lab.reproduction.published_sections import (
    Class,
    Effort,
    ExperimentPart,
    Finding,
    Measure,
    MeasuredCell,
    PublishedTable,
    Setting,
    Source,
    checked_cells,
    sources_of,
)
from outflank.lab.result_store import csv_text
from outflank.search.request import Stop
from outflank.validation.values import Kind, Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproduceParameters(Parameters):
    """Parameters of the experiment `reproduce`."""

    which: tuple[str, ...] = option(("all",), "000 to 004, or all.", argument=True)
    quick: bool = option(False, "Everything small: all reports in about five minutes.")
    full: bool = option(False, "The deepest rows and more rounds too: it takes as long as it takes.")
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
        return [
            task
            for report in parameters.reports
            for section in sections_of(report)
            for source in sources_of(section, parameters.setting).values()
            for task in _tasks(section, source)
        ]

    def shape(self, parameters: ReproduceParameters, sample: Sample) -> Shape:
        sections = (
            {section.name: section for section in sections_of(str(sample["report"]))}
            if _is_requested(parameters, sample)
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
        tables: list[ReportTable] = []
        figures: list[Figure] = []
        notes: list[str] = []
        counted: list[tuple[PublishedTable, Counter[Verdict]]] = []
        decisions = _decisions(parameters, samples)
        passed = all(is_expected(claim, decision) for claim, decision in decisions)
        ledger = (ledger_table(decisions),) if decisions else ()
        counts = (answer_counts_text(decisions),) if decisions else ()
        if parameters.claims:
            return Conclusion(tables=ledger, passed=passed)
        for section, section_samples in _by_section(parameters, samples):
            found_cells, parts = (
                _found_cells(section, parameters.setting, section_samples),
                _parts(section, parameters.setting, section_samples),
            )
            cells = compare_cells(section, found_cells)
            section_tables = [section_table(section, cells)] if cells else []
            section_figures = list(section.figures(found_cells)) if found_cells else []
            for part, conclusion in _with_unique_titles(parts):
                passed = passed and conclusion.passed
                if part.show and conclusion.tables:
                    section_tables += [
                        *conclusion.tables[:-1],
                        replace(conclusion.tables[-1], notes=(*conclusion.tables[-1].notes, *conclusion.notes)),
                    ]
                    section_figures += conclusion.figures
                if not conclusion.passed:
                    notes.append(f"{section.heading}: {part.name} failed.")
            if section_tables and not cells and section.notes:  # the section has no table of its own
                section_tables[-1] = replace(section_tables[-1], notes=(*section_tables[-1].notes, *section.notes))
            if not sources_of(section, parameters.setting) and section.table is None and section.absent:
                notes.append(f"{section.heading}: {section.absent}")
            tables += [replace(table, section=section.heading) for table in section_tables]
            figures += [replace(figure, section=section.heading) for figure in section_figures]
            counted.append((section, Counter(cell.verdict for cell in cells)))
        return Conclusion(
            tables=(*ledger, index_table(counted), *tables),
            figures=tuple(figures),
            notes=(*counts, *_sums(counted), *notes),
            passed=passed and not any(verdicts[Verdict.DIFFERENT] for _, verdicts in counted),
        )

    def files(self, parameters: ReproduceParameters, samples: Sequence[Sample]) -> dict[str, str]:
        """Return a CSV file of all compared cells."""
        return {
            ".cells.csv": csv_text(
                [
                    _csv_row(section, cell)
                    for section, section_samples in _by_section(parameters, samples)
                    for cell in compare_cells(section, _found_cells(section, parameters.setting, section_samples))
                ]
            )
        }


# --- tasks and their samples ---


def _tasks(section: PublishedTable, source: Source) -> list[Task]:
    labels: Sample = {"report": section.report, "section": section.name, "source": source.name}
    prefix = f"{section.report}: {section.where}: {source.name}"
    if isinstance(source, Measure):
        return [Task(prefix, partial(_measured_cells, section, source, labels), source.weight)]
    tasks = experiment_named(source.experiment).tasks(source.experiment_parameters)
    total = sum(task.weight for task in tasks)
    return [
        Task(
            f"{prefix}: {task.name}",
            partial(_part_samples, labels, task),
            source.weight * task.weight / total,  # weights of different experiments have no common unit
        )
        for task in tasks
    ]


def _measured_cells(section: PublishedTable, source: Measure, labels: Sample, stop: Stop) -> list[Sample]:
    try:
        return [
            {
                **labels,
                "row": _row_name(cell.row),
                "column": cell.column,
                "ours": cell.ours,
                "note": cell.note,
                "published": cell.published,
                "finding": cell.finding.value,
            }
            for cell in checked_cells(section, source.run(stop))
        ]
    except BrokenOff:
        return []  # a stopped task is discarded


def _part_samples(labels: Sample, task: Task, stop: Stop) -> list[Sample]:
    # The experiment's own task name is stored beside ours, since its conclusion may use it.
    added = {**labels, "part_task": task.name}
    samples = list(task.run(stop))
    for sample in samples:
        if clash := added.keys() & sample.keys():
            raise ValueError(f"{task.name}: a sample has {sorted(clash)[0]!r}, which says where it belongs")
    return [{**added, **sample} for sample in samples]


def _unwrapped(sample: Sample) -> Sample:
    """Return an experiment's sample as the experiment itself stores it, without the labels of the reproduction."""
    cells = {key: cell for key, cell in sample.items() if key not in ("report", "section", "source", "part_task")}
    return {**cells, "task": sample["part_task"]}


def _row_name(row: tuple[Cell, ...]) -> str:
    return json.dumps(list(row))


def _is_requested(parameters: ReproduceParameters, sample: Sample) -> bool:
    return sample.get("report") in parameters.reports


# --- conclusions ---


def _by_section(
    parameters: ReproduceParameters, samples: Sequence[Sample]
) -> Iterator[tuple[PublishedTable, list[Sample]]]:
    """Yield every requested section with the samples that were measured for it."""
    measured = grouped(samples, "report", "section")
    for report in parameters.reports:
        for section in sections_of(report):
            yield section, measured.get((report, section.name), [])


def _decisions(parameters: ReproduceParameters, samples: Sequence[Sample]) -> list[tuple[Claim, Decision]]:
    """Return the conclusions of the requested reports with the answers that the samples give."""
    decisions = []
    for report in parameters.reports:
        measured = [
            (section, section_samples)
            for section, section_samples in _by_section(parameters, samples)
            if section.report == report
        ]
        evidence = Evidence(
            cells={
                section.name: _found_cells(section, parameters.setting, section_samples)
                for section, section_samples in measured
            },
            samples={
                (section.name, str(source)): [_unwrapped(sample) for sample in source_samples]
                for section, section_samples in measured
                for (source,), source_samples in grouped(section_samples, "source").items()
                if "part_task" in source_samples[0]
            },
        )
        decisions += [(claim, claim.decided(evidence)) for claim in claims_of(report)]
    return decisions


def _found_cells(section: PublishedTable, setting: Setting, samples: Sequence[Sample]) -> list[MeasuredCell]:
    """Return the cells of a section that were measured."""
    sources = sources_of(section, setting)
    cells: list[MeasuredCell] = []
    for (name,), source_samples in grouped(samples, "source").items():
        source = sources[str(name)]
        if isinstance(source, ExperimentPart):
            cells += checked_cells(section, source.cells([_unwrapped(sample) for sample in source_samples]))
        else:
            cells += [
                MeasuredCell(
                    tuple(json.loads(str(sample["row"]))),
                    str(sample["column"]),
                    sample["ours"],
                    str(sample["note"]),
                    sample["published"],
                    Finding(str(sample["finding"])),
                )
                for sample in source_samples
            ]
    return cells


def _parts(
    section: PublishedTable, setting: Setting, samples: Sequence[Sample]
) -> list[tuple[ExperimentPart, Conclusion]]:
    """Return the experiments that a section runs, with their conclusions."""
    sources, conclusions = sources_of(section, setting), []
    for (name,), source_samples in grouped(samples, "source").items():
        source = sources[str(name)]
        if isinstance(source, ExperimentPart):
            experiment_samples = [_unwrapped(sample) for sample in source_samples]
            conclusions.append(
                (source, experiment_named(source.experiment).conclude(source.experiment_parameters, experiment_samples))
            )
    return conclusions


def _with_unique_titles(parts: Sequence[tuple[ExperimentPart, Conclusion]]) -> list[tuple[ExperimentPart, Conclusion]]:
    """Return `parts`, with a part's label before each title that another part of the section has too."""
    titles = Counter(
        title
        for part, conclusion in parts
        if part.show
        for title in {item.title for item in _tables_and_figures(conclusion)}
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
        "row": _row_name(cell.row),
        "column": cell.column,
        "published": cell.published,
        "ours": cell.ours,
        "ratio": cell.ratio,
        "class": cell.expected.class_.value,
        "factor": cell.expected.factor if cell.expected.class_ is Class.CLOSE else None,
        "verdict": cell.verdict.value,
        "note": cell.note or cell.expected.reason,
    }
