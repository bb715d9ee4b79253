"""Tasks of a reproduction, and the table cells and conclusions of experiments that follow from their samples."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from outflank.lab.experiment import Conclusion, Task, experiment_named
from outflank.lab.experiment_report import Cell, Sample
from outflank.lab.measuring.search_samples import grouped
from outflank.lab.report_programs.classroom import BrokenOff
from outflank.lab.reproduction.published_sections import (
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
from outflank.search.request import Stop

Place = tuple[str, str, str]
"""Names of a report, of its section, and of a source of this section."""

LABELS = ("report", "section", "source")
"""Names of the fields of a sample that hold its place."""


def place_text(place: Place) -> str:
    """Return a place as text: `004: Cilkview: game at depth 5`."""
    return ": ".join(place)


def storing_places(sections: Sequence[PublishedTable], setting: Setting) -> dict[Place, Place]:
    """Return the place under which the samples of each source are stored, by the place of the source.

    Sources that run one experiment with the same parameters are measured once, for the first of them.
    """
    first: dict[object, Place] = {}
    places: dict[Place, Place] = {}
    for section in sections:
        for name, source in sources_of(section, setting).items():
            place = section.report, section.name, name
            same = place if isinstance(source, Measure) else (source.experiment, source.experiment_parameters)
            places[place] = first.setdefault(same, place)
    return places


def source_samples(
    sections: Sequence[PublishedTable], setting: Setting, samples: Sequence[Sample]
) -> dict[Place, list[Sample]]:
    """Return the samples of each source that has some, either its own or shared with another source."""
    stored = grouped(samples, *LABELS)
    places = storing_places(sections, setting)
    return {place: stored[storing] for place, storing in places.items() if storing in stored}


def reproduction_tasks(
    sections: Sequence[PublishedTable], setting: Setting, seconds: Mapping[str, float]
) -> Iterator[Task]:
    """Yield the tasks of all sources. Weights follow from `seconds`, the times in an earlier run by place, if known."""
    sources = {
        (section.report, section.name, name): (section, source)
        for section in sections
        for name, source in sources_of(section, setting).items()
    }
    stored = [place for place, storing in storing_places(sections, setting).items() if place == storing]
    timed = [place for place in stored if place_text(place) in seconds]
    weights = sum(sources[place][1].weight for place in timed)
    unit = sum(seconds[place_text(place)] for place in timed) / weights if weights else 1.0
    for place in stored:
        section, source = sources[place]
        yield from _tasks(section, source, seconds.get(place_text(place), unit * source.weight))


def _tasks(section: PublishedTable, source: Source, weight: float) -> list[Task]:
    labels: Sample = dict(zip(LABELS, (section.report, section.name, source.name), strict=True))
    prefix = place_text((section.report, section.name, source.name))
    if isinstance(source, Measure):
        return [
            Task(prefix, partial(_measured_cells, section, source, labels), weight, source.timed, source.in_process)
        ]
    tasks = experiment_named(source.experiment).tasks(source.experiment_parameters)
    total = sum(task.weight for task in tasks)
    return [
        Task(
            f"{prefix}: {task.name}",
            partial(part_samples, labels, task),
            weight * task.weight / total,  # weights of different experiments have no common unit
            task.timed,
            task.in_process,
            task.one_core,
        )
        for task in tasks
    ]


def _measured_cells(section: PublishedTable, source: Measure, labels: Sample, stop: Stop) -> list[Sample]:
    try:
        return [
            {
                **labels,
                "row": row_name(cell.row),
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


def part_samples(labels: Sample, task: Task, stop: Stop) -> list[Sample]:
    """Run a task of an experiment, and return its samples with `labels`, the place to which they belong."""
    # The experiment's own task name is stored beside ours, since its conclusion may use it.
    added = {**labels, "part_task": task.name}
    samples = list(task.run(stop))
    for sample in samples:
        if clash := added.keys() & sample.keys():
            raise ValueError(f"{task.name}: a sample has {sorted(clash)[0]!r}, which says where it belongs")
    return [{**added, **sample} for sample in samples]


def row_name(row: tuple[Cell, ...]) -> str:
    """Return the key of a row as text."""
    return json.dumps(list(row))


def own_samples(samples: Sequence[Sample]) -> list[Sample]:
    """Return an experiment's samples as the experiment itself stores them, without the labels of the reproduction."""
    return [
        {
            **{key: cell for key, cell in sample.items() if key not in (*LABELS, "part_task")},
            "task": sample["part_task"],
        }
        for sample in samples
    ]


def measured_cells(
    section: PublishedTable, setting: Setting, samples: Mapping[Place, Sequence[Sample]]
) -> list[MeasuredCell]:
    """Return the cells of a section that were measured."""
    cells: list[MeasuredCell] = []
    for source, measured in _measured(section, setting, samples):
        if isinstance(source, ExperimentPart):
            cells += checked_cells(section, source.cells(own_samples(measured)))
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
                for sample in measured
            ]
    return cells


def part_conclusions(
    section: PublishedTable, setting: Setting, samples: Mapping[Place, Sequence[Sample]]
) -> list[tuple[ExperimentPart, Conclusion]]:
    """Return the experiments that a section runs, with their conclusions."""
    return [
        (source, experiment_named(source.experiment).conclude(source.experiment_parameters, own_samples(measured)))
        for source, measured in _measured(section, setting, samples)
        if isinstance(source, ExperimentPart)
    ]


def _measured(
    section: PublishedTable, setting: Setting, samples: Mapping[Place, Sequence[Sample]]
) -> Iterator[tuple[Source, Sequence[Sample]]]:
    """Yield the sources of a section that have samples, with these samples."""
    for name, source in sources_of(section, setting).items():
        measured = samples.get((section.report, section.name, name))
        if measured:
            yield source, measured
