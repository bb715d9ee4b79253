"""How searches are asked from Python, and how their answers look."""

import inspect
import io
import pydoc
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ElementTree

import pytest

import outflank
from outflank import Board, Limits, OthelloBoard, OutflankError, Stop, UnknownName, errors
from outflank.distributed.cluster import Cluster
from outflank.distributed.engines.inside_engine import InsideFabric
from outflank.players.clock import Clock
from outflank.players.computer import Computer
from outflank.search.python_arguments import LIMITS, OPTIONS
from outflank.search.results import MoveValue, Result

pytestmark = pytest.mark.interpreted_only

QUICK = {"workers": 1, "evaluation": "discs", "table_bits": None}


@pytest.mark.parametrize("ask", [outflank.search, lambda *args, **more: list(outflank.iterate(*args, **more))[-1]])
def test_limits_are_given_by_name_or_as_a_value(ask):
    board = OthelloBoard.start()
    assert ask(board, depth=2, **QUICK).depth == ask(board, Limits(depth=2), **QUICK).depth == 2
    assert ask(board, nodes=1, seconds=60, **QUICK).stopped
    assert ask(board, Limits(depth=2), depth=None, **QUICK).depth == 2


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((OthelloBoard.start(), Limits(depth=2)), {"depth": 3}, "depth=3 beside limits: give all limits by name"),
        ((OthelloBoard.start(), 12), {}, "limits=12: give depth=, seconds= or nodes= by name, or a Limits"),
        ((OthelloBoard.start(),), {"dept": 3}, "unknown option 'dept', did you mean 'depth'?"),
        ((OthelloBoard.start(),), {"algoritm": "pvs"}, "unknown option 'algoritm', did you mean 'algorithm'?"),
        ((OthelloBoard.start(),), {"depth": "x"}, "depth='x': expected a whole number or None"),
        ((OthelloBoard.start(),), {"depth": 0}, "depth 0: a search looks 1 to 100 plies ahead"),
        ((OthelloBoard.start(),), {"seconds": -1}, "-1 seconds: a search needs a positive time"),
        ((OthelloBoard.start(),), {"depth": 3, "exact": True}, "exact plays to the end of the game"),
        ((OthelloBoard.start(),), {"table_bits": 99}, "a table of 99 bits"),
        ((OthelloBoard.start(),), {"exact": 5}, "exact=5: expected True or False"),
        ((OthelloBoard.start(),), {"stop": 5}, "stop=5: expected an outflank.Stop, or None"),
        ((OthelloBoard.start(),), {"table": 5}, "table=5: expected an outflank.Table, like Table(20), or None"),
        ((OthelloBoard.start(),), {"watch": 5}, "watch=5: expected a function that is called with a Progress, or None"),
        ((OthelloBoard.start(),), {"instrument": 5}, "instrument=5: expected an instrument, like Counts(), or None"),
        (
            (OthelloBoard.start(),),
            {"evaluation": len},
            "expected the name of an evaluation, or one itself (a NamedTuple",
        ),
        (
            (OthelloBoard.start(),),
            {"ordering": 5},
            "ordering=5: expected the name of an ordering, or an Ord",
        ),
        (("f5d6",), {}, "a search needs a board, found 'f5d6': Board.from_text makes one of a text"),
        ((None,), {}, "a search needs a board, found None"),
    ],
)
def test_what_cannot_be_meant_is_one_line_that_says_how(arguments, options, said):
    for ask in (outflank.search, outflank.iterate):
        with pytest.raises(OutflankError) as caught:
            ask(*arguments, **options)
        assert said in str(caught.value)
        assert isinstance(caught.value, ValueError)
        assert "\n" not in str(caught.value)


def test_options_of_a_comparison_may_name_the_limits_too():
    board = OthelloBoard.start()
    found = outflank.search(board, depth=2, **QUICK)
    assert outflank.compare(board, found, depth=2, **QUICK).alone.depth == 2
    with pytest.raises(UnknownName, match="did you mean 'evaluation'"):
        outflank.compare(board, found, evalution="discs")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"dept": 3}, "unknown setting 'dept', did you mean 'depth'?"),
        ({"algoritm": "pvs"}, "unknown setting 'algoritm', did you mean 'algorithm'?"),
        ({"moves": 2}, "unknown setting 'moves'"),  # it decides itself how many it looks at
    ],
)
def test_a_player_is_asked_as_a_search_is(options, said):
    with pytest.raises(UnknownName) as caught:
        Computer(OthelloBoard.start().game, **options)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_help_shows_how_a_search_is_called():
    for function in (outflank.search, outflank.iterate):
        names = list(inspect.signature(function).parameters)
        assert names[:2] == ["board", "limits"]
        assert {"stop", "table", *LIMITS, *OPTIONS} <= set(names)
        assert inspect.signature(function).parameters["workers"].default is None
    text = pydoc.plain(pydoc.render_doc(outflank.search))
    assert "search(board, limits=None, *, depth=None, seconds=None, nodes=None, " in text
    for name in (*LIMITS, *OPTIONS):
        assert f"\n        {name} = " in text, name
    assert "algorithm = 'pvs': minimax, alphabeta, pvs" in text
    assert "Plies to look ahead." in inspect.getdoc(outflank.search)
    for name in ("stop", "table", "watch", "instrument"):
        assert f"`{name}`" in text, name


def test_names_are_offered_that_are_meant_to_be_used():
    assert not {"sys", "Any", "ModuleType"} & set(dir(outflank.search))
    assert "whole_search" in dir(outflank.search)
    assert "lab" in dir(outflank)
    code = "import outflank; print(outflank.lab.__name__)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "outflank.lab\n"
    )


def test_what_is_waited_for_is_told_in_terminals_and_notebooks_alone(monkeypatch):
    def told(stream: io.StringIO) -> str:
        monkeypatch.setattr(sys, "stderr", stream)
        errors.notify("compiling")
        return stream.getvalue()

    kinds = {"terminal": {"isatty": lambda _: True}, "notebook": {"__module__": "ipykernel.iostream"}, "file": {}}
    heard = {name: told(type("Stream", (io.StringIO,), kind)()) for name, kind in kinds.items()}
    assert heard == {"terminal": "compiling\n", "notebook": "compiling\n", "file": ""}


def test_a_notebook_shows_how_a_search_is_called():
    from IPython.core.oinspect import Inspector

    themes = {"theme_name": "nocolor"} if "theme_name" in inspect.signature(Inspector.__init__).parameters else {}
    info = Inspector(**themes).info(outflank.search, "outflank.search")
    assert "depth: int | None = None" in info["definition"]
    assert "workers = None: Threads that search" in info["docstring"]


def test_a_result_is_short_and_a_table_in_a_notebook():
    board = Board.from_text("f5")
    found = outflank.search(board, depth=2, moves=2, **QUICK)
    assert len(repr(found)) < 100
    assert repr(found).startswith(f"<Result {found.move}, {found.value_text}, depth 2, ")
    root = ElementTree.fromstring(found._repr_html_())
    rows = {row[0].text: row[1].text for row in root}
    assert rows["move"] == str(found.move)
    assert rows["value"] == found.value_text
    assert rows["line"].split()[0] == str(found.move)
    assert rows["also"].split()[0] == str(found.best[1].move)


def test_a_result_has_its_value_as_a_number_of_discs():
    found = outflank.search(Board.from_text("f5d6c3d3c4"), depth=3, moves=2, **QUICK)
    assert found.value_text == f"{found.value_in_units:+.0f} discs"
    assert found.value_in_units == found.value / found.scale.points == found.scale.in_units(found.best[0].value)
    won = outflank.search(Board.from_text("XXOX------------ X"), depth=9, **QUICK)
    assert (won.value_text, won.value_in_units) == ("+14 discs", 14.0)
    assert outflank.solve(Board.from_text("XXOX------------ X"), workers=1).value_in_units == 14.0
    assert outflank.solve(Board.from_text("XXOX------------ X"), workers=1, wld=True).value_in_units is None
    stop = outflank.Stop()
    stop()
    assert outflank.search(Board.from_text("f5"), depth=2, stop=stop, **QUICK).value_in_units is None


def test_a_result_says_what_it_does_not_know():
    nothing = {"pv": (), "nodes": 0, "leaves": 0, "seconds": 0.0}
    move = OthelloBoard.start().legal_moves[0]
    unsearched = Result(value=None, move=move, depth=0, exact=False, stopped=True, **nothing)
    assert repr(unsearched) == "<Result d3, nothing searched, stopped, 0 nodes in 0.00 s>"
    bounded = Result(value=4, move=move, depth=3, exact=False, stopped=True, lower=-2, **nothing)
    assert "proved at least -2 points" in repr(bounded)
    over = Result(value=0, move=None, depth=0, exact=True, **nothing)
    assert repr(over).startswith("<Result no move: the game is over, ")
    sly = Result(value=0, move=MoveValue(move="<b>", value=0), depth=1, exact=False, **nothing)
    assert "<b>" not in sly._repr_html_()


def test_a_stop_that_has_ended_a_search_says_so_to_the_next():
    board, stop = OthelloBoard.start(), Stop()
    stop()
    assert repr(stop) == "<Stop, called>"
    assert outflank.search(board, depth=2, stop=stop, **QUICK).stopped  # called early is no mistake
    with pytest.warns(RuntimeWarning, match="make a new Stop") as caught:
        assert outflank.search(board, depth=2, stop=stop, **QUICK).stopped
    assert caught[0].filename == __file__
    with pytest.warns(RuntimeWarning, match="make a new Stop") as caught:
        list(outflank.iterate(board, depth=2, stop=stop, **QUICK))
    assert caught[0].filename == __file__
    with Cluster(InsideFabric(1)) as cluster, pytest.warns(RuntimeWarning, match="make a new Stop") as caught:
        cluster.search(board, depth=2, stop=stop, **QUICK)
    assert caught[0].filename == __file__


def test_nothing_is_said_of_a_stop_that_is_used_again_as_it_may_be():
    board, stop, fresh = OthelloBoard.start(), Stop(), Stop()
    stop()
    outflank.search(board, depth=2, stop=stop, **QUICK)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            assert not outflank.search(board, depth=2, stop=fresh, **QUICK).stopped
        # A player that is told to stop while it solves an ending goes on to a search that ends at once.
        player = Computer(board.game, depth=2, **QUICK)
        assert player.choose(board, Clock(), stop=stop).move in board.legal_moves


def test_a_stop_can_be_called_while_it_is_being_told():
    stop, told = Stop(), []
    stop.add_listener(lambda: told.append(1))
    stop.add_listener(stop)  # as the handler of a signal may, in the thread that is in there
    stop.remove_listener(stop)
    stop()
    assert told
