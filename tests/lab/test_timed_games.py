"""Reports 002 and 004 by the clock: what is read from measured games, and what is said of what is not."""

import pytest

from outflank import lab
from outflank.lab.claims.ledger import Answer, Evidence
from outflank.lab.measuring.whole_game_tables import thread_figures, thread_table
from outflank.lab.report_programs.published_numbers import rows
from outflank.lab.reproduction import timed_games
from outflank.lab.reproduction.compared_cells import Verdict, compare_cells
from outflank.lab.reproduction.published_sections import Effort, ExperimentPart, Setting, checked_cells
from outflank.lab.reproduction.report_002 import SECTIONS as SECTIONS_002
from outflank.lab.reproduction.report_004 import SECTIONS as SECTIONS_004
from outflank.lab.reproduction.timed_games import (
    EFFICIENCY_002,
    EFFICIENCY_004,
    FURTHER_002,
    HPCTOOLKIT,
    TEXT_004,
    THREADS,
    _branches_004,
    _facts_002,
    _facts_004,
    _replayed_facts_002,
    _rows_004,
    _scheduler_004,
)
from outflank.lab.studies.reproduce import claims_of
from outflank.search.request import Stop

MINE = (EFFICIENCY_002, FURTHER_002, HPCTOOLKIT, EFFICIENCY_004, TEXT_004)


def sample(scheme, workers, seconds, depth=7):
    spent = {"moves": "f5 d6 c3", "seconds": seconds, "user_seconds": seconds * min(workers, 8), "system_seconds": 0.1}
    return {"scheme": scheme, "workers": workers, "depth": depth, **spent}


def as_printed(depth=7):
    """Report 004's own table, as if we had measured it."""
    serial = sample("serial minimax", 1, 47.166, depth)
    return [serial, *(sample("fork-join", row["threads"], row["real_s"], depth) for row in rows("004", "efficiency"))]


@pytest.fixture
def eight_cores(monkeypatch):
    monkeypatch.setattr(timed_games, "usable_cores", lambda: 8)


@pytest.mark.interpreted_only
@pytest.mark.parametrize("effort", list(Effort))
def test_every_part_can_be_run_at_every_effort(effort):
    for section in MINE:
        sources = section.sources(Setting(effort, 2))
        assert sources
        assert all(source.experiment_parameters is not None for source in sources if isinstance(source, ExperimentPart))


@pytest.mark.interpreted_only
def test_sections_stand_in_the_order_of_the_reports():
    names = [section.name for section in SECTIONS_002]
    assert names.index("Further Parallelism") < names.index("Figure 3") < names.index("Figures 4 and 5")
    names = [section.name for section in SECTIONS_004]
    assert names.index("Cilkview") < names.index("HPCToolkit") < names.index("Parallel Efficiency")


@pytest.mark.interpreted_only
def test_every_cell_of_the_thread_table_is_measured_in_full(eight_cores):
    found = list(checked_cells(EFFICIENCY_004, _rows_004(as_printed_in_turns())))
    assert len(found) == 3 * len(THREADS)
    printed = {row["threads"]: row["real_s"] for row in rows("004", "efficiency")}
    assert {cell.row[0]: cell.ours for cell in found if cell.column == "real_s"} == pytest.approx(printed)
    cells = compare_cells(EFFICIENCY_004, found)
    for cell in cells:
        assert cell.verdict is (Verdict.BESIDE if cell.row[0] <= 8 else Verdict.MORE_THREADS)
    assert {each.verdict for each in compare_cells(EFFICIENCY_004, [])} == {Verdict.NOT_DONE}
    parts = {each.name: each for each in EFFICIENCY_004.sources(Setting(Effort.FULL, 2))}
    assert parts["replay, master"].experiment_parameters.workers == THREADS


def as_printed_in_turns():
    """Report 004's own table, as if we had run its games for a replay: three rounds of two turns each."""
    return [
        {
            "what": "real",
            "workers": 0 if each["scheme"].startswith("serial ") else each["workers"],
            "depth": 7,
            "round": round_,
            "turn": turn,
            "nodes": 1,
            **{name: each[name] / 2 for name in ("seconds", "user_seconds", "system_seconds")},
        }
        for each in as_printed()
        for round_ in (1, 2, 3)
        for turn in (1, 2)
    ]


def replayed(report, seconds, depth=7):
    """Samples of a replay: so many threads take `seconds(threads)`, and the serial program takes 10 s."""
    labels = {"position": f"game {report}", "scheme": "fork-join", "depth": depth}
    spent = {"tree_seconds": 1.0, "busy_seconds": 4.0, "user_seconds": 1.0, "system_seconds": 0.5, "nodes": 1}
    games = [
        {
            "what": "replayed",
            **labels,
            **spent,
            "scheduler": "stealing",
            "workers": threads,
            "seconds": seconds(threads),
        }
        for threads in THREADS
    ]
    serial = {"what": "real", **labels, **spent, "workers": 0, "round": 1, "turn": 1, "seconds": 10.0}
    real = {**serial, "workers": 1, "tree_seconds": 0.98}
    return [serial, real, {"what": "recorded", **labels, **spent, "outside_seconds": 0.25}, *games]


@pytest.mark.interpreted_only
def test_threads_beyond_the_cores_are_replayed(eight_cores):
    samples = replayed("004", lambda threads: 16 / threads)
    cells = {(cell.row[0], cell.column): cell for cell in checked_cells(EFFICIENCY_004, _rows_004(samples))}
    assert sorted({threads for threads, _ in cells}) == [1, *range(9, 33)]  # one real worker
    assert [cells[32, column].ours for column in ("real_s", "user_s", "sys_s")] == [0.5, 4.25, 0.5]
    assert [cells[1, column].ours for column in ("real_s", "user_s", "sys_s")] == [10.0, 1.0, 0.5]
    verdicts = {cell.row[0]: cell.verdict for cell in compare_cells(EFFICIENCY_004, list(cells.values()))}
    expected = dict.fromkeys(range(2, 9), Verdict.NOT_DONE) | dict.fromkeys(range(9, 33), Verdict.REPLAYED)
    assert verdicts == {1: Verdict.BESIDE, **expected}


@pytest.mark.interpreted_only
def test_report_002s_text_is_replayed_where_there_are_no_cores(monkeypatch):
    monkeypatch.setattr(timed_games, "usable_cores", lambda: 2)
    samples = replayed("002", lambda threads: 11 / min(threads, 20))
    found = {each.row[0]: each.ours for each in checked_cells(EFFICIENCY_002, _replayed_facts_002(samples))}
    assert found["efficient_up_to_threads"] == "1 to 22"  # 10 s / 22 / 0.55 s is 0.826
    assert found["seconds_on_5_threads_about"] == pytest.approx(2.2)
    assert found["seconds_saved_by_doubling"] == pytest.approx(11 / 16 - 0.55)
    assert not list(_replayed_facts_002(replayed("002", float, depth=5)))  # another game takes another time


@pytest.mark.interpreted_only
def test_claims_that_need_cores_say_what_the_replay_says(monkeypatch):
    monkeypatch.setattr("outflank.lab.claims.time_answers_002.usable_cores", lambda: 2)
    monkeypatch.setattr("outflank.lab.claims.time_answers_004.usable_cores", lambda: 2)
    samples = replayed("002", lambda threads: 11 / min(threads, 20))
    evidence = Evidence(
        {}, {("Figures 4 and 5", "replay"): samples, ("Parallel Efficiency", "replay, master"): samples}
    )
    answers = {claim.says: claim.decided(evidence) for report in ("002", "004") for claim in claims_of(report)}
    efficient = answers["With 1 to 5 threads the efficiency is well above 80 %."]
    assert efficient.answer is Answer.NEEDS_CORES
    assert "It needs 5 cores, and this machine has 2." in efficient.because
    assert (
        "(its error: +2.0% on 1 worker) says confirmed: Efficiencies with 1 to 5 threads are 0.91" in efficient.because
    )
    no_gain = answers["More than 8 threads take no less time."]
    assert no_gain.answer is Answer.NEEDS_CORES
    assert "says contradicted: 8 threads take 1.38 s, and 20 take 0.55 s" in no_gain.because
    assert "confirmed: Of its efficiency on one thread, with 8 it keeps: master 1.00" in str(answers)


@pytest.mark.interpreted_only
def test_misprinted_user_times_are_told():
    assert [threads for (threads,), _ in EFFICIENCY_004.single] == [7, *range(25, 33)]
    assert {column for _, column in EFFICIENCY_004.single} == {"user_s"}
    for expected in EFFICIENCY_004.single.values():
        assert "lost a leading 6" in expected.reason


@pytest.mark.interpreted_only
def test_report_004s_own_table_says_what_its_text_says(eight_cores):
    found = {each.row[0]: each.ours for each in checked_cells(TEXT_004, _facts_004(as_printed()))}
    assert found["serial_seconds"] == 47.166
    assert found["no_gain_beyond_threads"] == 8
    assert found["flat_up_to_threads"] == "1 to 8"
    shallow = {each.row[0] for each in _facts_004(as_printed(depth=4))}
    assert "serial_seconds" not in shallow  # another game takes another time


@pytest.mark.interpreted_only
def test_report_002s_text_is_read_from_a_curve(eight_cores):
    curve = [sample("serial minimax", 1, 100.0)]
    curve += [sample("fork-join", count, 110.0 / min(count, 8)) for count in (1, 2, 5, 8, 16, 32)]
    found = {each.row[0]: each.ours for each in checked_cells(EFFICIENCY_002, _facts_002(curve))}
    assert found["efficient_up_to_threads"] == "1 to 8"
    assert found["efficiency_above_percent"] == pytest.approx(90.9, abs=0.1)
    assert found["seconds_on_1_thread_above"] == 110
    assert found["seconds_on_5_threads_about"] == 22
    assert found["seconds_saved_by_doubling"] == 0
    assert found["parallel_searches_at_a_time"] == 4  # at the start, after f5 3, after f5 d6 5


@pytest.mark.interpreted_only
def test_the_schedulers_share_is_that_of_the_busy_time():
    totals = [
        {"what": "total", "kind": kind, "end_us": spent}
        for kind, spent in (("search", 98.0), ("spawn", 1.0), ("schedule", 1.0), ("idle", 50.0))
    ]
    (found,) = checked_cells(TEXT_004, _scheduler_004(totals))
    assert found.ours == pytest.approx(2.0)


@pytest.mark.compiled
def test_four_programs_of_ours_play_report_004s_game():
    (found,) = checked_cells(TEXT_004, _branches_004(1, Stop()))
    assert found.ours == 4


@pytest.mark.interpreted_only
@pytest.mark.parametrize("report", ["002", "004"])
def test_threads_have_their_table_and_both_figures(report):
    lines = [
        {"scheme": scheme, "workers": workers, "wall (s)": seconds, "user (s)": seconds, "system (s)": 0.0}
        for scheme, workers, seconds in (("serial minimax", 1, 4.0), ("fork-join", 1, 5.0), ("fork-join", 32, 2.0))
    ]
    table = thread_table(report, lines)
    assert table.column("efficiency S/(p·T(p))") == [None, 0.8, 4.0 / 32 / 2.0]
    efficiency, times = thread_figures(report, ("fork-join",), lines)
    assert efficiency.series[0].points == ((1, 0.8), (32, 4.0 / 32 / 2.0))
    assert times.series[0].points == ((1, 5.0), (32, 2.0))
    assert any(series.published for series in efficiency.series)
    assert any(series.published for series in times.series)


@pytest.mark.compiled
def test_scaling_of_a_reports_game_has_the_thread_table():
    report = lab.run("scaling", whole_game="002", depth=1, workers=(3,), rounds=1)
    table = report["threads: a game by report 002's rules"]
    assert table.column("threads") == [None, 3]
    assert table.column("efficiency S/(p·T(p))")[1] > 0
    assert [figure.title for figure in report.figures][-2:] == ["efficiency by threads", "run time by threads"]
