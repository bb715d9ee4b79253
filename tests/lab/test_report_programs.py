"""The reports' programs: players in words, the classroom's way of playing and the laboratory are the same ones."""

import subprocess
import sys

import pytest

from outflank import AbaloneBoard, OthelloBoard, Side
from outflank.abalone.rules import Abalone, cell_of
from outflank.arena import play
from outflank.errors import OutflankError
from outflank.games.description import description_of
from outflank.games.evaluation import evaluations
from outflank.lab.report_programs.classroom import PROGRAM, REPORT_000, new_board, self_play
from outflank.lab.studies.parallelism import ParallelismParameters as Parallelism
from outflank.othello.programs import PROGRAMS, SERIAL_PLY_002
from outflank.othello.squares import othello
from outflank.players.classic import Classic, ask_classic
from outflank.players.specs import player, report_program
from outflank.search.ordering import Ordering, ordering_named, orderings
from outflank.search.request import Options
from outflank.search.root import Root
from outflank.search.whole_search import search

DISCS = {("002", 1): (19, 45), ("002", 2): (4, 60), ("002", 3): (46, 18)}
DISCS |= {("004", 1): (31, 33), ("004", 2): (16, 48), ("004", 3): (28, 36)}


@pytest.mark.compiled
@pytest.mark.parametrize(("report", "depth"), DISCS)
def test_players_the_classroom_and_the_laboratory_play_the_same_game(report, depth):
    words = iter(f"c {depth} c {depth}".split())
    classic = Classic(ask_classic(words), words, report=report)
    *_, last = classic.lines()
    black, white = DISCS[report, depth]
    assert last.startswith(f"X has {black} disks. O has {white} disks.")

    board = new_board()
    for _ in self_play(depth, PROGRAMS[report], board):
        pass
    assert board.moves == classic.board.moves

    # The match's own rules give empty squares to the winner: the program counts discs all the same.
    text = f"computer report={report} depth={depth}"
    board = OthelloBoard.start()
    players = [player(text, board.game) for _ in Side]
    game = play(*players, board)
    assert [move.code for move in game.record.moves] == [move.code for move in classic.board.moves]
    for each in players:
        each.close()


@pytest.mark.compiled
def test_the_player_of_report_003_counts_its_leaves():
    board = AbaloneBoard.start()
    made = player("computer report=003 depth=5", board.game)
    options = {name: value for name, value in made.options.items() if name != "table_depth"}
    assert search(board, depth=5, **options).leaves == 1_605_372
    assert search(board, depth=5, **options, workers=1).leaves == 1_605_372


@pytest.mark.interpreted_only
@pytest.mark.parametrize("report", sorted((*PROGRAMS, "003")))
def test_programs_have_no_exact_endings_and_draw_no_lots(report):
    game = AbaloneBoard.start().game if report == "003" else othello()
    made = player(f"computer report={report}", game, variety=7)
    assert (made.exact, made._variety) == (0, None)
    assert made._ties == dict(report_program(report).ties)
    # Who is told how long to think searches deeper and deeper: one depth may take longer, and would leave no move.
    hurried = player(f"computer report={report} time=1", game)
    assert (hurried.depth, hurried.options.get("deepen", True)) == (None, True)
    assert player(f"computer report={report} level=3", game).depth == player("computer level=3", game).depth


@pytest.mark.interpreted_only
def test_granularity_and_programs_are_said_once():
    assert PROGRAMS["002"].shared["threshold"] == SERIAL_PLY_002 == Parallelism().granularity == 2
    assert PROGRAMS["000"].search == REPORT_000
    for report in ("002", "004"):
        assert PROGRAM.items() <= PROGRAMS[report].search.items()


@pytest.mark.interpreted_only
def test_equal_moves_can_be_ruled_by_colour():
    made = player("computer depth=1 ties=highest+lowest", othello())
    assert made._ties == {Side.BLACK: "highest", Side.WHITE: "lowest"}
    assert player("computer ties=lowest", othello())._ties == dict.fromkeys(Side, "lowest")
    for words in ("ties=highest+lowest+first", "ties=some", "scoring=marbles"):
        with pytest.raises(OutflankError, match="expected"):
            player(f"computer {words}", othello())
    with pytest.raises(OutflankError, match="scoring is for Othello"):
        player("computer scoring=discs", AbaloneBoard.start().game)


# --- orderings in words ---


@pytest.mark.interpreted_only
def test_orderings_have_settings_in_words():
    game = AbaloneBoard.start().game
    found = ordering_named(game, "kinds:from_depth=1,sort=best,killers=yes")
    assert found == Ordering(weights={"kind": 1}, from_depth=1, sort="best", killers=True)
    assert ordering_named(game, "kinds", from_depth=1) == ordering_named(game, "kinds:from_depth=1")


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kinds:from_dept=1", "unknown setting of ordering 'kinds' 'from_dept', did you mean 'from_depth'"),
        ("kinds:from_depth=x", "ordering=kinds:from_depth=x: expected a whole number"),
        ("kinds:from_depth", "expected a whole number"),
        ("kinds:sort=worst", "expected one of all, best, none"),
        ("kinds:weights=1", "unknown setting"),
        ("knds:from_depth=1", "did you mean 'kinds'"),
    ],
)
def test_wrong_settings_of_orderings_are_one_line(text, said):
    game = AbaloneBoard.start().game
    with pytest.raises(OutflankError, match=said):
        ordering_named(game, text)
    with pytest.raises(OutflankError, match=said):
        player(f"computer ordering={text}", game)


@pytest.mark.interpreted_only
def test_moves_come_as_the_program_of_report_003_generates_them_or_backwards():
    board = AbaloneBoard.start()
    order = {
        name: [move.code for move in Root(board.game, board.position, Options(ordering=name, table_bits=None)).moves]
        for name in ("generated", "reversed")
    }
    assert order["generated"] == order["reversed"][::-1]
    spiral = [int(cell_of(code)) for code in order["generated"]]
    assert spiral == sorted(spiral)  # marbles from the centre outwards


def test_a_search_takes_an_ordering_with_settings():
    words = search(AbaloneBoard.start(), depth=2, ordering="kinds:from_depth=1", workers=1, evaluation="rings")
    game = AbaloneBoard.start().game
    made = ordering_named(game, "kinds", from_depth=1)
    assert words.nodes == search(AbaloneBoard.start(), depth=2, ordering=made, workers=1, evaluation="rings").nodes


# --- names are known with the game ---

LOOKS_UP = """
from outflank.{game}.rules import {name}
from outflank.search.ordering import orderings
from outflank.games.evaluation import evaluations
from outflank.games.description import description_of
print(orderings({made}), list(evaluations({made})), description_of({made}).scores.unit, sep="\\n")
"""


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("game", "made"), [("othello", "Othello(2**64 - 1, 0)"), ("abalone", "Abalone(marbles=14, goal=6)")]
)
def test_orderings_and_evaluations_are_known_before_any_search(game, made):
    code = LOOKS_UP.format(game=game, name=game.title(), made=made)
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    mine = othello() if game == "othello" else Abalone(marbles=14, goal=6)
    # Other tests of this process may have registered their own.
    ours = [name for name, found in evaluations(mine).items() if type(found).__module__.startswith("outflank.")]
    assert told == [str(orderings(mine)), str(ours), description_of(mine).scores.unit]
    assert len(orderings(mine)) > 1
