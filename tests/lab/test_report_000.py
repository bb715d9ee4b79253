"""Report 000's sections: every table and every number in its text is in one of them, and cells are read rightly."""

from collections import Counter

import pytest

from outflank.lab.experiment import experiment_named
from outflank.lab.report_programs.published_numbers import fact_rows, published
from outflank.lab.reproduction import cluster_000, sequential_000
from outflank.lab.reproduction.published_sections import (
    FACTS,
    Class,
    Effort,
    ExperimentPart,
    Setting,
    checked_cells,
    sources_of,
)
from outflank.lab.reproduction.report_000 import SECTIONS

pytestmark = pytest.mark.interpreted_only

BY_NAME = {section.name: section for section in SECTIONS}


def test_every_cell_of_every_table_and_every_fact_is_in_one_section():
    seen = Counter((section.table, *cell) for section in SECTIONS for cell in section.published())
    tables = published("000")["tables"]
    cells = sum(value is not None for table in tables.values() for row in table["rows"] for value in row)
    keys = sum(len(section.key) * len(tables[section.table]["rows"]) for section in SECTIONS if section.table in tables)
    facts = [row for row in fact_rows("000") if row["value"] is not None]
    assert set(seen.values()) == {1}
    assert sum(name == FACTS for name, *_ in seen) == len(facts)
    assert len(seen) == cells - keys + len(facts) == 64 + 2 * 12 + 3 * 25 + 24 + 82 + len(facts)


@pytest.mark.parametrize("effort", Effort)
def test_every_source_is_an_experiment_that_takes_its_parameters(effort):
    for section in SECTIONS:
        for source in sources_of(section, Setting(effort, 2)).values():
            if isinstance(source, ExperimentPart):
                assert source.experiment_parameters


def test_the_picture_is_equal_and_must_be():
    section = BY_NAME["Transposition table, picture"]
    found = {(each.row, each.column): each.ours for each in checked_cells(section, sequential_000.quads(None))}
    assert found == section.published()
    assert {section.expectation(*cell).class_ for cell in found} == {Class.EQUAL}


COUNTED = {
    "useful": 2.0,
    "idle": 1.0,
    "sending": 0.1,
    "receiving": 0.2,
    "seconds": 3.0,
    "tried": 8,
    "won": 2,
    "bytes": 1000,
    "updates": 7,
    "foreign_hits": 5,
    "boards": 145_657,
}


def simulated(counts, thresholds=(5,), programs=tuple(cluster_000.PROGRAMS)):
    """Samples of a simulation."""
    alone = {"what": "alone", **COUNTED}
    return [alone] + [
        {"what": "simulated", "program": program, "threshold": threshold, "count": count, "round": 1, **COUNTED}
        for program in programs
        for threshold in thresholds
        for count in counts
    ]


def test_speed_ups_are_read_for_every_program_and_number_of_processors():
    section = BY_NAME["Speed-ups"]
    found = list(checked_cells(section, cluster_000._speedup_cells(simulated(cluster_000.PROCESSORS))))
    assert {(each.row, each.column) for each in found} == set(section.published())
    by_cell = {(each.row, each.column): each.ours for each in found}
    assert by_cell[(1,), "seq_total_s"] == pytest.approx(10.0, rel=1e-3)  # 145,657 boards at 14,566 a second
    assert by_cell[(64,), "par_rmi_overhead_s"] == 1.0
    (plot,) = cluster_000.speedup_figure(found)
    curves = {series.name: dict(series.points) for series in plot.series}
    assert curves["par_tuple"][64.0] == pytest.approx(10 / 3, rel=1e-3)
    assert curves["000 par_tuple"][64.0] == pytest.approx(3776 / 231)


@pytest.mark.parametrize("program", cluster_000.PROGRAMS)
def test_thresholds_are_read_from_a_simulation(program):
    section = BY_NAME[f"Threshold, {program}"]
    samples = simulated((64,), cluster_000.THRESHOLDS, (program,))
    found = list(checked_cells(section, cluster_000._threshold_cells(samples)))
    assert {(each.row, each.column) for each in found} == set(section.published())
    assert {each.ours for each in found if each.column == "steal_success_percent"} == {25.0}
    assert {each.ours for each in found if each.column == "app_s"} == {2.0}


def test_replication_is_read_by_the_depth_from_which_entries_are_told():
    section = BY_NAME["Replication depth"]
    samples = simulated((32,), programs=[f"par_tuple:depth={depth}" for depth in cluster_000.REPLICATED])
    found = list(checked_cells(section, cluster_000._replication_cells(samples)))
    assert {(each.row, each.column) for each in found} == set(section.published())
    assert {each.ours for each in found if each.column == "tt_sorts_and_hits"} == {5}
    assert {each.ours for each in found if each.column == "broadcast_s"} == {0.1 * 32}


def test_the_best_choices_are_those_of_least_time():
    section = BY_NAME["Test conditions"]
    samples = simulated((64,), cluster_000.THRESHOLDS, ("par_tuple",))
    samples[2]["seconds"] = 2.5
    (best,) = checked_cells(section, cluster_000._best_cell("best_threshold", "threshold", samples))
    assert best.ours == cluster_000.THRESHOLDS[1]
    samples = simulated((32,), programs=["par_tuple:depth=9", "par_tuple:depth=7"])
    samples[2]["seconds"] = 2.5
    (best,) = checked_cells(section, cluster_000._best_cell("best_replication_depth", "program", samples))
    assert best.ours == 7


def test_overhead_that_exceeds_what_is_useful_is_told_of_two_processors():
    _, told = simulated((2,), programs=("par_tuple:depth=2",))
    (found,) = checked_cells(BY_NAME["Parallelization"], cluster_000._everything_cells([told]))
    assert found.ours is None
    (found,) = cluster_000._everything_cells([{**told, "sending": 1.9}])
    assert found.ours == 2


def test_the_discussion_speaks_of_64_processors():
    section = BY_NAME["Discussion"]
    found = {
        each.row[0]: each.ours for each in checked_cells(section, cluster_000._discussion_cells(simulated((1, 16, 64))))
    }
    assert found["speedup_64_par"] == pytest.approx(10 / 3, rel=1e-3)
    assert found["application_speedup_64_par_tuple"] == pytest.approx(5.0, rel=1e-3)
    assert found["search_overhead_factor"] == pytest.approx(1.0)
    assert found["boards_64_par_tuple"] == 145_657
    assert found["broadcast_seconds_par_rmi"] == pytest.approx(0.1)
    assert found["equally_fast_up_to_processors"] == 64


@pytest.mark.parametrize(("sending", "fastest"), [((3, 5), True), ((3,), False)])
def test_a_replication_depth_at_which_nothing_is_sent_is_never_the_fastest(sending, fastest):
    found = experiment_named("replication")
    chosen = found.parameters(cluster="inside:2", policies=("depth",), replication_depths=(3, 5, 7), depth=9)
    counted = {
        "useful_per_node": 2.0,
        "overhead_per_node": 1.0,
        "steals_tried": 8,
        "steals_won": 2,
        "bytes": 1000,
        "jobs": 5,
        "broadcast_seconds": 6.4,
        "replicated_hits": 4,
        "replicated_sorts": 1,
        "nodes": 146_000,
    }
    sample = {**counted, "position": "start", "value": 1, "waited_seconds": 0.1, "entries_sent": 7, "round": 1}
    samples = [
        {
            **sample,
            "replication": f"depth:depth={depth}",
            "seconds": 10.0 - depth,
            "messages": 7 if depth in sending else 0,
        }
        for depth in (3, 5, 7)
    ]
    notes = " ".join(found.conclude(chosen, samples).notes)
    assert ("a depth of 5 is fastest" in notes) == ("fastest" in notes) == fastest
    silent = " or ".join(str(depth) for depth in (3, 5, 7) if depth not in sending)
    assert f"no entry was sent at a depth of {silent}:" in notes
