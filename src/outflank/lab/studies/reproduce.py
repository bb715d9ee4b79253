"""The reports' published numbers beside ours, cell by cell: some must be equal, others are held side by side."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Literal

from outflank.errors import InvalidOption, UnknownName
from outflank.kinds import Kind, Shape
from outflank.lab.classroom import BrokenOff
from outflank.lab.experiment import (
    Conclusion,
    Experiment,
    Parameters,
    Task,
    core_counts,
    experiment_named,
    option,
)
from outflank.lab.literature import REPORTS
from outflank.lab.measuring import grouped
from outflank.lab.report import Cell, Figure, ReportTable, Sample, sample_shape
from outflank.lab.reproduction.cells import Compared, Verdict, compared, in_words, index_table, section_table
from outflank.lab.reproduction.sections import (
    Effort,
    ExperimentPart,
    FoundCell,
    Measure,
    PublishedTable,
    Setting,
    Source,
    check_found,
    sources_of,
)
from outflank.lab.store import csv_text
from outflank.search.contract import Stop


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproduceParameters(Parameters):
    """What is reproduced."""

    which: tuple[str, ...] = option(("all",), "000 to 004, or all.", argument=True)
    quick: bool = option(False, "Everything small: in all, under two minutes.")
    full: bool = option(False, "The deepest rows and more rounds too: it takes as long as it takes.")
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
        """Those wanted, each once."""
        return REPORTS if "all" in self.which else tuple(dict.fromkeys(self.which))

    @property
    def setting(self) -> Setting:
        """For the sections' sources."""
        effort = Effort.QUICK if self.quick else Effort.FULL if self.full else Effort.USUAL
        return Setting(effort, self.workers)


def sections_of(report: str) -> tuple[PublishedTable, ...]:
    """A report's tables and figures, in its own order."""
    found: tuple[PublishedTable, ...] = import_module(f"outflank.lab.reproduction.report_{report}").SECTIONS
    return found


class Reproduce(Experiment[ReproduceParameters]):
    """Everything the reports published, from one command."""

    name = "reproduce"
    question = "Do the reports' numbers come out?"
    reports = REPORTS
    parameters = ReproduceParameters

    def tasks(self, chosen: ReproduceParameters) -> Sequence[Task]:
        return [
            task
            for report in chosen.reports
            for section in sections_of(report)
            for source in sources_of(section, chosen.setting).values()
            for task in _tasks(section, source)
        ]

    def shape(self, chosen: ReproduceParameters, sample: Sample) -> Shape:
        sections = {each.name: each for each in sections_of(str(sample["report"]))} if _wanted(chosen, sample) else {}
        section = sections.get(str(sample.get("section")))
        sources = sources_of(section, chosen.setting) if section is not None else {}
        known: dict[str, Kind] = {
            "report": Literal[*chosen.reports],
            "section": Literal[*sections] if sections else str,
            "source": Literal[*sources] if sources else str,
        }
        source = sources.get(str(sample.get("source")))
        if source is None:
            return sample_shape(known)  # which refuses it
        if isinstance(source, Measure):
            return sample_shape(known, row=str, column=str, ours=Cell, note=str, published=Cell)
        own = experiment_named(source.experiment).shape(source.chosen, sample)
        return sample_shape(own.names, known, part_task=str, also=own.also)

    def conclude(self, chosen: ReproduceParameters, samples: Sequence[Sample]) -> Conclusion:
        tables: list[ReportTable] = []
        figures: list[Figure] = []
        notes: list[str] = []
        counted: list[tuple[PublishedTable, Counter[Verdict]]] = []
        passed = True
        for section, own in _by_section(chosen, samples):
            found, parts = _found(section, chosen.setting, own), _parts(section, chosen.setting, own)
            cells = compared(section, found)
            shown = [section_table(section, cells)] if cells else []
            drawn = list(section.figures(found)) if found else []
            for part, said in _told_apart(parts):
                passed = passed and said.passed
                if part.show and said.tables:
                    shown += [*said.tables[:-1], replace(said.tables[-1], notes=(*said.tables[-1].notes, *said.notes))]
                    drawn += said.figures
                if not said.passed:
                    notes.append(f"{section.heading}: {part.name} failed.")
            if shown and not cells and section.notes:  # a picture's: no table of its own has them
                shown[-1] = replace(shown[-1], notes=(*shown[-1].notes, *section.notes))
            if not sources_of(section, chosen.setting) and section.table is None and section.absent:
                notes.append(f"{section.heading}: {section.absent}")
            tables += [replace(table, section=section.heading) for table in shown]
            figures += [replace(figure, section=section.heading) for figure in drawn]
            counted.append((section, Counter(cell.verdict for cell in cells)))
        return Conclusion(
            tables=(index_table(counted), *tables),
            figures=tuple(figures),
            notes=(*_sums(counted), *notes),
            passed=passed and not any(verdicts[Verdict.DIFFERENT] for _, verdicts in counted),
        )

    def files(self, chosen: ReproduceParameters, samples: Sequence[Sample]) -> dict[str, str]:
        """All cells in one list, for programs."""
        return {
            ".cells.csv": csv_text(
                [
                    _listed(section, cell)
                    for section, own in _by_section(chosen, samples)
                    for cell in compared(section, _found(section, chosen.setting, own))
                ]
            )
        }


# --- tasks and their samples ---


def _tasks(section: PublishedTable, source: Source) -> list[Task]:
    labels: Sample = {"report": section.report, "section": section.name, "source": source.name}
    before = f"{section.report}: {section.where}: {source.name}"
    if isinstance(source, Measure):
        return [Task(before, partial(_measured, section, source, labels), source.weight)]
    tasks = experiment_named(source.experiment).tasks(source.chosen)
    total = sum(task.weight for task in tasks)
    return [
        Task(
            f"{before}: {task.name}",
            partial(_part_samples, labels, task),
            source.weight * task.weight / total,  # weights of different experiments have no common unit
        )
        for task in tasks
    ]


def _measured(section: PublishedTable, source: Measure, labels: Sample, stop: Stop) -> list[Sample]:
    try:
        return [
            {
                **labels,
                "row": _row_name(each.row),
                "column": each.column,
                "ours": each.ours,
                "note": each.note,
                "published": each.published,
            }
            for each in check_found(section, source.run(stop))
        ]
    except BrokenOff:
        return []  # nothing of a stopped task is kept


def _part_samples(labels: Sample, task: Task, stop: Stop) -> list[Sample]:
    # Its own task's name is kept beside ours: what it concludes may look at it.
    ours = {**labels, "part_task": task.name}
    found = list(task.run(stop))
    for sample in found:
        if taken := ours.keys() & sample.keys():
            raise ValueError(f"{task.name}: a sample has {sorted(taken)[0]!r}, which says where it belongs")
    return [{**ours, **sample} for sample in found]


def _unwrapped(sample: Sample) -> Sample:
    """An experiment's sample as it would be by itself."""
    own = {key: cell for key, cell in sample.items() if key not in ("report", "section", "source", "part_task")}
    return {**own, "task": sample["part_task"]}


def _row_name(row: tuple[Cell, ...]) -> str:
    return json.dumps(list(row))


def _wanted(chosen: ReproduceParameters, sample: Sample) -> bool:
    return sample.get("report") in chosen.reports


# --- what is said of them ---


def _by_section(
    chosen: ReproduceParameters, samples: Sequence[Sample]
) -> Iterator[tuple[PublishedTable, list[Sample]]]:
    """Every section that is wanted, and the samples that were measured for it."""
    measured = grouped(samples, "report", "section")
    for report in chosen.reports:
        for section in sections_of(report):
            yield section, measured.get((report, section.name), [])


def _found(section: PublishedTable, setting: Setting, samples: Sequence[Sample]) -> list[FoundCell]:
    """The section's cells, as far as they were measured."""
    sources = sources_of(section, setting)
    found: list[FoundCell] = []
    for (name,), own in grouped(samples, "source").items():
        source = sources[str(name)]
        if isinstance(source, ExperimentPart):
            found += check_found(section, source.cells([_unwrapped(sample) for sample in own]))
        else:
            found += [
                FoundCell(
                    tuple(json.loads(str(sample["row"]))),
                    str(sample["column"]),
                    sample["ours"],
                    str(sample["note"]),
                    sample["published"],
                )
                for sample in own
            ]
    return found


def _parts(
    section: PublishedTable, setting: Setting, samples: Sequence[Sample]
) -> list[tuple[ExperimentPart, Conclusion]]:
    """What the experiments that stand for a section conclude by themselves."""
    sources, concluded = sources_of(section, setting), []
    for (name,), own in grouped(samples, "source").items():
        source = sources[str(name)]
        if isinstance(source, ExperimentPart):
            samples_ = [_unwrapped(sample) for sample in own]
            concluded.append((source, experiment_named(source.experiment).conclude(source.chosen, samples_)))
    return concluded


def _told_apart(parts: Sequence[tuple[ExperimentPart, Conclusion]]) -> list[tuple[ExperimentPart, Conclusion]]:
    """The same, with a part's label before titles that another part of the section has too."""
    titles = Counter(title for part, said in parts if part.show for title in {each.title for each in _drawn(said)})

    def named(part: ExperimentPart, title: str) -> str:
        return f"{part.label}: {title}" if part.label and titles[title] > 1 else title

    return [
        (
            part,
            replace(
                said,
                tables=tuple(replace(each, title=named(part, each.title)) for each in said.tables),
                figures=tuple(replace(each, title=named(part, each.title)) for each in said.figures),
            ),
        )
        for part, said in parts
    ]


def _drawn(said: Conclusion) -> list[ReportTable | Figure]:
    return [*said.tables, *said.figures]


def _sums(counted: Sequence[tuple[PublishedTable, Counter[Verdict]]]) -> Iterator[str]:
    """How many cells there are in all."""
    printed: Counter[Verdict] = Counter()
    further: Counter[Verdict] = Counter()
    for section, verdicts in counted:
        (printed if section.printed else further).update(verdicts)
    yield f"Of what the reports printed, {in_words(printed)}."
    if further:
        yield f"Of the same programs, but printed in no report, or from a report's own numbers, {in_words(further)}."


def _listed(section: PublishedTable, cell: Compared) -> Sample:
    return {
        "report": section.report,
        "section": section.name,
        "printed": section.printed,
        "row": _row_name(cell.row),
        "column": cell.column,
        "published": cell.published,
        "ours": cell.ours,
        "class": cell.expected.class_.value,
        "verdict": cell.verdict.value,
        "note": cell.note or cell.expected.reason,
    }
