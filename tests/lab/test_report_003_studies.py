"""Report 003's investigations: matches of its ideas, the compiler's settings, and what its root moves allow."""

import pytest

from outflank import lab
from outflank.errors import OutflankError
from outflank.lab.experiment import experiment_named
from outflank.lab.measuring import whole_game_tables
from outflank.lab.reproduction import report_003, text_003
from outflank.lab.reproduction.compared_cells import Verdict, compare_cells, section_table
from outflank.lab.reproduction.published_sections import (
    FACTS,
    Effort,
    ExperimentPart,
    Setting,
    checked_cells,
    sources_of,
)
from outflank.lab.studies import compilation
from outflank.lab.studies.duel_bouts import ABOUT, DuelsParameters, bouts
from outflank.lab.studies.duels import duel_of
from outflank.lab.studies.imbalance import allowed
from outflank.search.request import Stop

pytestmark = pytest.mark.interpreted_only


def game(pair, colour, points, **more):
    side = {"moves": 10, "nodes": 100, "known": 0, "seconds": 1.0, "known_seconds": 0.0}
    counted = {f"{who}_{name}": value for who in ("first", "second") for name, value in side.items()}
    told = {"about": "cache", "first": "two boards kept", "second": "searched", "ended": "", "plies": 20}
    return {**told, "pair": pair, "colour": colour, "points": points, "score": 1.0, **counted, **more}


def test_every_investigation_has_a_bout_and_each_bout_two_players_that_differ():
    chosen = DuelsParameters()
    assert {bout.about for bout in bouts(chosen)} == set(ABOUT) == set(chosen.about)
    for bout in bouts(chosen):
        assert (bout.players[0], bout.early) != (bout.players[1], "")
    names = [task.name for task in experiment_named("duels").tasks(chosen)]
    assert len(names) == len(set(names)) == 2 * len(bouts(chosen))


def test_games_are_told_in_pairs_with_what_a_move_costs():
    saved = {"first_known": 2, "first_known_seconds": 0.0}
    games = [game(1, "black", 1.0, **saved), game(1, "white", 0.5), game(2, "black", 0.0), game(2, "white", 1.0)]
    assert duel_of(games).pairs == (0, 0, 1, 1, 0)
    concluded = experiment_named("duels").conclude(DuelsParameters(about=("cache",)), games)
    results, costs = concluded.tables
    row = dict(zip(results.columns, results.rows[0], strict=True))
    assert (row["won"], row["drawn"], row["lost"], row["score"]) == (2, 1, 1, 0.625)
    assert row["from"] < row["Elo"] < row["to"]
    assert costs.column("moves not searched") == [2, 0]
    # 38 searched moves in 4 s: two more would have taken 2/38 of that.
    assert costs.column("time that they saved (s)") == [pytest.approx(2 * 4 / 38), None]
    assert any("cache: The report keeps two boards" in note and "2.5 of 4" in note for note in concluded.notes)
    assert any("say little of strength" in note for note in concluded.notes)
    assert not any("cut off" in note for note in concluded.notes)


def test_a_sequential_bout_ends_when_its_test_decides(monkeypatch):
    played = []

    def pair(bout, parameters, pair_number, games, stop):
        played.append(bout.about)
        return [game(pair_number, colour, 1.0, about=bout.about) for colour in ("black", "white")]

    monkeypatch.setattr("outflank.lab.studies.duels._pair", pair)
    chosen = DuelsParameters(about=("rings", "cache"), games=100, sequential=True)
    tasks = experiment_named("duels").tasks(chosen)
    assert len(tasks) == 2
    samples = [sample for task in tasks for sample in task.run(Stop())]
    # Nothing but wins says at once that a player is as strong, and later that it wins nearly always.
    assert 2 < played.count("cache") < played.count("rings") < 50
    assert len(samples) == 2 * len(played)
    cache = [sample for sample in samples if sample["about"] == "cache"]
    concluded = experiment_named("duels").conclude(DuelsParameters(about=("cache",), sequential=True), cache)
    assert concluded.tables[0].column("test") == ["+0 Elo accepted"]
    assert not any("say little of strength" in note for note in concluded.notes)


@pytest.mark.slow(5)
def test_bouts_that_do_not_depend_on_time_are_played_in_processes_at_a_time(monkeypatch):
    monkeypatch.setattr("outflank.lab.experiment.usable_cores", lambda: 2)
    parameters = {"about": ("rings", "opening"), "depth": 1, "games": 2, "plies": 8, "sequential": True}
    tasks = experiment_named("duels").tasks(DuelsParameters(**parameters))
    here = [dict(sample) for task in tasks for sample in task.run(Stop())]
    monkeypatch.setattr("outflank.lab.studies.duels._pair", None)  # played in this process, a bout would fail
    report = lab.run("duels", **parameters)
    costs = ("task", "first_seconds", "second_seconds", "first_known_seconds", "second_known_seconds")
    for sample in (*here, *report.samples):
        for name in costs:
            sample.pop(name, None)
    assert list(report.samples) == here
    assert [entry.searches for entry in report.searched] == [1, 1, 1, 1]  # logged by the processes
    timed = experiment_named("duels").tasks(DuelsParameters(about=("adaptive", "monte-carlo"), sequential=True))
    assert all(task.timed and task.one_core for task in timed)


def test_games_that_were_cut_off_are_told():
    games = [game(1, "black", 0.5, ended="ply limit"), game(1, "white", 0.5, ended="the same position 3 times")]
    concluded = experiment_named("duels").conclude(DuelsParameters(about=("cache",), plies=40), games)
    assert any(note.startswith("1 of 2 games was cut off after 40 moves") for note in concluded.notes)


@pytest.mark.parametrize(
    ("name", "wrong", "says"),
    [
        ("duels", {"about": ("cash",)}, "did you mean 'cache'"),
        ("duels", {"games": 0}, "at least 1"),
        ("duels", {"seconds": 0.0}, "positive time"),
        ("duels", {"clock": "soon"}, "no clock"),
        ("compiler", {"settings": ("O9",)}, "unknown setting of the compiler 'O9'"),
    ],
)
def test_what_cannot_be_played_or_compiled_is_one_line(name, wrong, says):
    with pytest.raises(OutflankError, match=says):
        experiment_named(name).parameters(**wrong)


def speed(setting, seconds, **more):
    found = {"ready_seconds": 9.0, "value": 1, "move": "a1b2", "evaluations": 100, "leaves": 1000}
    return {
        "setting": setting,
        "round": 1,
        "trouble": "",
        "seconds": seconds,
        "leaves_seconds": seconds,
        **found,
        **more,
    }


def test_settings_of_the_compiler_are_held_against_the_usual_one():
    experiment = experiment_named("compiler")
    chosen = experiment.parameters(settings=("O0", "any-processor"))
    failed = {"setting": "any-processor", "round": 1, "trouble": "no such processor"}
    concluded = experiment.conclude(chosen, [speed("O0", 4.0), speed("O3", 1.0), failed])
    assert concluded.passed
    (table,) = concluded.tables
    assert table.column("over the usual") == [0.25, 1.0]
    assert "any-processor: no such processor" in concluded.notes
    other = [speed("O0", 4.0, move="a1a2"), speed("O3", 1.0)]
    assert not experiment.conclude(chosen, other).passed


def test_a_setting_that_the_compiler_cannot_do_is_told_and_not_the_end(monkeypatch):
    monkeypatch.setitem(compilation.SETTINGS, "O0", {"PYTHONHOME": "nowhere"})  # where Python does not even start
    (sample,) = compilation._measure("O0", 1, 1, Stop())
    assert sample["trouble"]


# --- root moves, and the report's tables ---


def root_sample(position, leaves, depth=5):
    return [
        {"what": "counted", "position": position, "depth": depth, "number": number, "move": "a1b2", "leaves": each}
        for number, each in enumerate(leaves, 1)
    ]


def test_root_moves_allow_what_the_largest_of_them_leaves():
    assert allowed([1, 1, 1, 1], 48) == 4
    assert allowed([10, 1, 1, 1, 1], 2) == 1.4
    assert allowed([4, 3, 2, 1], 1) == 1
    experiment = experiment_named("imbalance")
    chosen = experiment.parameters(threads=(1, 48), workers=(1,))
    timed = {"what": "timed", "position": "start", "depth": 5, "workers": 1, "round": 1, "seconds": 1.0}
    concluded = experiment.conclude(chosen, [*root_sample("start", [5, 3, 2]), {**timed, "leaves": 10}])
    assert concluded.passed
    assert concluded.tables[0].column("start: allowed") == [1.0, 2.0]
    assert concluded.tables[1].column("speed-up on any number of threads") == [2.0]
    assert not experiment.conclude(chosen, [*root_sample("start", [5, 3, 2]), {**timed, "leaves": 11}]).passed
    assert experiment.conclude(chosen, [*root_sample("start", [5]), {**timed, "leaves": 11, "depth": 4}]).passed


def test_reports_on_othello_are_not_drawn_beside_abalone():
    assert whole_game_tables.published_speedups("othello")
    assert not whole_game_tables.published_speedups("abalone")


def cells(table, found):
    section = report_003._section(table)
    return compare_cells(section, list(checked_cells(section, found)))


def test_what_report_003_says_of_its_program_is_what_ours_has():
    for table, measure, many in (("adaptive_depth", report_003._adaptive_rules, 10), ("rings", report_003._rings, 8)):
        held = cells(table, measure(Stop()))
        assert [cell.verdict for cell in held] == [Verdict.GIVEN] * many
        assert all(cell.ours == cell.published for cell in held)
    shown = section_table(report_003._section("adaptive_depth"), cells("adaptive_depth", ()))
    assert shown.columns == ("row", "remaining s below", "remaining s above", "score below", "depth")
    ranked = cells("move_ranking", report_003._ranking(Stop()))
    differ = [(cell.row, cell.column) for cell in ranked if cell.verdict not in (Verdict.EQUAL, Verdict.CLOSE)]
    assert differ == [((6,), "stones"), ((6,), "kind"), ((7,), "stones"), ((8,), "kind")]
    assert all(cell.expected.reason for cell in ranked if cell.row in ((6,), (7,), (8,)))


def test_the_speed_ups_of_48_threads_are_read_from_root_moves():
    work = [*root_sample("midgame1", [3, 1]), *root_sample("midgame2", [1, 1, 1])]
    found = {cell.row: cell.ours for cell in cells("speedup", report_003._speedups(work))}
    assert found == {("midgame1", 48): 1.33, ("midgame2", 48): 3.0}


def test_every_number_of_the_text_has_a_class():
    section = report_003._section(FACTS)
    assert {row for row, _ in section.published()} == {(name,) for name in report_003.TEXT}
    shown = section_table(section, cells(FACTS, ()))
    assert shown.columns == ("the report says", "value", "unit", "name of the number")
    assert all(shown.column("unit"))
    constants = [cell for cell in cells(FACTS, text_003._constants(Stop())) if cell.ours is not None]
    assert [cell.verdict for cell in constants] == [Verdict.GIVEN] * 4
    assert all(cell.ours == cell.published for cell in constants)


@pytest.mark.parametrize("effort", Effort)
def test_every_part_of_report_003_can_be_run(effort):
    for section in report_003.SECTIONS:
        for source in sources_of(section, Setting(effort, 2)).values():
            if isinstance(source, ExperimentPart):
                assert experiment_named(source.experiment).tasks(source.experiment_parameters)
