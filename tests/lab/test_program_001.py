"""Report 001's node counts, by the rules that give them."""

import pytest

from outflank.games.sides import Side
from outflank.lab.experiment import experiment_named
from outflank.lab.report_programs.program_001 import PROGRAMS, Program001, game_against_first, start, turn
from outflank.lab.reproduction import report_001
from outflank.lab.reproduction.compared_cells import compare_cells
from outflank.lab.reproduction.published_sections import FACTS
from outflank.search.request import Limits, Stop
from outflank.search.whole_search import search
from tests.oracles import report_001 as oracle

AS_WHITE = {
    4: {"SerialPVS": (15_042, 31), "AlphaBeta": (21_335, 30)},
    5: {
        "SerialPVS": (19_585, 30),
        "AlphaBeta": (39_970, 30),
        "ParallelPVS": (77_275, 32),
        "ParallelAlphaBeta": (144_248, 32),
    },
}
"""Calls and turns of a game, as the oracle counts them: it takes a minute for each."""

AS_BLACK = {
    "SerialPVS": (20_816, 32),
    "AlphaBeta": (17_085, 32),
    "ParallelPVS": (73_827, 30),
    "ParallelAlphaBeta": (112_581, 30),
}


def counted(depth, name, side=Side.WHITE, **options):
    calls = [found.calls for found in game_against_first(depth, PROGRAMS[name], side, **options)]
    return sum(calls), len(calls)


def discs(board):
    cells = board.to_text()
    return {(cell % 8, cell // 8): cells[cell] for cell in range(64) if cells[cell] in "XO"}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("plies", "depth"), [(0, 3), (3, 2), (50, 4), (53, 9)])
def test_each_turn_is_the_oracles(plies, depth, name):
    board = start()
    assert discs(board) == oracle.START
    for _ in range(plies):
        board.push(board.legal_moves[0])
    square, calls = oracle.turn(discs(board), "X" if board.turn is Side.BLACK else "O", depth, name)
    assert square is not None
    found = turn(board, depth, PROGRAMS[name])
    assert (found.move, found.calls) == (f"{'abcdefgh'[square[0]]}{square[1] + 1}", calls)


@pytest.mark.compiled
@pytest.mark.parametrize(("depth", "name"), [(depth, name) for depth, names in AS_WHITE.items() for name in names])
def test_a_game_as_white_takes_so_many_calls(depth, name):
    assert counted(depth, name) == AS_WHITE[depth][name]


@pytest.mark.compiled
@pytest.mark.parametrize("name", PROGRAMS)
def test_and_one_as_black(name):
    assert counted(5, name, Side.BLACK) == AS_BLACK[name]


@pytest.mark.compiled
@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("name", ["ParallelPVS", "ParallelAlphaBeta"])
def test_the_parallel_ones_count_the_same_on_any_number_of_workers(name, workers):
    assert counted(5, name, workers=workers) == AS_WHITE[5][name]


@pytest.mark.compiled
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_ordinary_search_enters_as_many_nodes(workers):
    # As long as no game ends within its reach: there the report knows only who won.
    board, plain = start(), {"algorithm": "alphabeta", "evaluation": "mobility", "ordering": "none", "passes": "ply"}
    whole, negated = PROGRAMS["ParallelAlphaBeta"], Program001(scouts=False, window="negated")
    for _ in range(10):
        found = turn(board, 5, whole, workers=workers)
        split = search(
            board,
            Limits(depth=5),
            **plain,
            parallel="root-split",
            share_alpha=False,
            workers=workers,
            table_bits=None,
            deepen=False,
        )
        assert (split.nodes, str(split.move)) == (found.calls + 1, found.move)  # and the root
        alone = search(board, Limits(depth=5), **plain, workers=1, table_bits=None, deepen=False)
        assert alone.nodes == turn(board, 5, negated).calls + 1
        board.push(found.move)


@pytest.mark.compiled
def test_the_window_that_is_not_turned_over_misses_the_best_move():
    right = Program001(scouts=False, window="negated")
    games = [
        [found.move for found in game_against_first(5, program)]
        for program in (PROGRAMS["AlphaBeta"], right, PROGRAMS["ParallelAlphaBeta"])
    ]
    assert games[1] == games[2] != games[0]


def test_it_is_stopped():
    from outflank.lab.report_programs.classroom import BrokenOff

    stop = Stop()
    stop()
    with pytest.raises(BrokenOff):
        turn(start(), 9, PROGRAMS["AlphaBeta"], stop=stop)


# --- what is said of them ---


def turns(name, window, nodes, workers=1):
    labels = {"algorithm": name, "window": window, "colour": "white", "workers": workers}
    return [{**labels, "turn": turn, "nodes": count} for turn, count in enumerate(nodes, 1)]


@pytest.mark.interpreted_only
def test_the_report_s_ten_times_is_taken_apart():
    samples = [
        *turns("SerialPVS", "as in 001", [90, 110]),
        *turns("SerialPVS", "turned over", [500, 500]),
        *turns("ParallelPVS", "as in 001", [1000, 1001, 1002], 2),
        *turns("ParallelPVS", "turned over", [550], 2),
    ]
    said = experiment_named("nodes").conclude(experiment_named("nodes").parameters(), samples)
    table = said.tables[0]
    assert table.column("mean per turn (nodes)") == [100, 500, 1001, 550]
    assert table.column("001") == [221_793, None, 2_081_209, None]
    assert len(said.figures[0].series) == 3
    for other in ({"depth": 8}, {"colour": "black"}):  # the report has no numbers of such games
        said_of = experiment_named("nodes").conclude(experiment_named("nodes").parameters(**other), samples)
        assert "001" not in said_of.tables[0].columns
        assert len(said_of.figures[0].series) == 2
    assert said.notes[0].startswith("ParallelPVS enters 10.0 times the nodes of SerialPVS")
    assert "5.0 times by the window of SerialPVS" in said.notes[0]
    assert "2.0 times by root moves that know nothing of each other" in said.notes[0]
    assert "Where 2 workers share what the best move so far is worth, that is 1.10 times" in said.notes[0]


@pytest.mark.interpreted_only
def test_the_page_has_the_four_cells_from_whole_games_alone():
    samples = turns("SerialPVS", "as in 001", [10, 11, 12]) + turns("SerialPVS", "turned over", [99])
    assert [(each.row, each.ours) for each in report_001._means(samples)] == [(("SerialPVS", 11), 11)]


@pytest.mark.interpreted_only
def test_times_are_means_of_games_by_cores_and_depth():
    times = experiment_named("times")
    samples = [
        {
            "algorithm": "Jamboree",
            "depth": depth,
            "workers": workers,
            "colour": colour,
            "game": 1,
            "turn": turn,
            "nodes": 100,
            "seconds": (0.006 if colour == "black" else 0.002) / workers,
        }
        for depth in (5, 6)
        for workers in (1, 2)
        for colour in ("black", "white")
        for turn in (1, 2)
    ]
    said = times.conclude(times.parameters(), samples)
    assert said.tables[0].column("mean per turn (ms)") == pytest.approx([4.0, 2.0, 4.0, 2.0])
    assert said.tables[0].column("deviation over games (ms)") == pytest.approx([2.0, 1.0, 2.0, 1.0])
    assert [figure.title for figure in said.figures][:2] == ["running times at depth 5", "running times at depth 6"]
    assert any("drops it" in note and "never aborts" in note for note in said.notes)
    if len(said.tables) > 1:  # on one core there is no speed-up
        assert said.tables[1].column("speed-up") == pytest.approx([2.0, 2.0])
        assert said.figures[-1].title == "speed-up by depth"


@pytest.mark.interpreted_only
def test_every_number_of_its_text_has_a_class():
    section = next(each for each in report_001.SECTIONS if each.table == FACTS)
    cells = {cell.row[0]: cell for cell in compare_cells(section, list(report_001._text(1, Stop())))}
    assert cells["parallel_over_serial_nodes_about"].verdict == "from its own numbers"
    assert cells["runs_per_colour"].note == "Games of each colour: 1 in the benchmarks below; without --quick 5."
    assert cells["counted_depth"].verdict == cells["runs_per_colour"].verdict == "given"
    assert cells["numa_nodes"].verdict == "side by side"
