"""Connect Four and Breakthrough, installed by pip from `examples/`: whatever the package does, it does with them."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from operator import sub
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import outflank
from outflank import Board, Limits, search
from outflank.arena import Settings, play_match
from outflank.boards import board_tabletop
from outflank.boards.board_tabletop import tabletop_of
from outflank.errors import FormatError
from outflank.formats.game_files import read_records
from outflank.games import description
from outflank.games.description import GAMES, game_named
from outflank.games.evaluation import evaluation_named
from outflank.kernels.compiler import interpreted
from outflank.players.specs import player
from outflank.search.division import SCHEMES
from outflank.search.request import Stop
from outflank.ui.cli import main
from tests.clusters import UNDECIDED, mpiexec, search_on
from tests.conftest import examples
from tests.drawing import SEEDS
from tests.games.test_evaluations import compiled_value
from tests.installing import register_for_now
from tests.oracles.example_games import ORACLES, drawn, leaves, value

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = tuple(ORACLES)
SMALL = {"connect-four": {"columns": 5}, "breakthrough": {"size": 5}}
TREE_SEARCHES = ("minimax", "alphabeta", "pvs", "mtdf")
ALONE: dict[str, Any] = {"workers": 1, "table_bits": 10}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed both games, from their own files and nothing else."""
    folder = tmp_path_factory.mktemp("site")
    alone = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--no-compile"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", *alone, "--target", str(folder)]
    done = subprocess.run([*command, *(str(EXAMPLES / name) for name in NAMES)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module", autouse=True)
def _installed(site: Path) -> Iterator[None]:
    """For these tests alone: others count the games that there are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        patch.setenv("PYTHONPATH", str(site), prepend=os.pathsep)
        register_for_now(patch, GAMES)
        patch.setattr(description, "_by_rules", dict(description._by_rules))
        yield


@pytest.fixture
def run(capsys, monkeypatch):
    """The command line: its status, and what it says on both streams."""

    def call(*arguments: str, stdin: str = "") -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return call


def walked(board: Board, seed: int, plies: int) -> Board:
    """The board after some moves, fewer if the game ends."""
    for _ in range(plies):
        if not board.legal_moves:
            break
        seed, which = divmod(seed, len(board.legal_moves))
        board.push(board.legal_moves[which])
    return board


@st.composite
def boards(draw, *, plies: int = 24) -> Board:
    """Boards of both games, of any size that they have, reached by play."""
    game = game_named(draw(st.sampled_from(NAMES)))
    options = {option.name: draw(st.sampled_from(option.choices)) for option in game.variants.options}
    return walked(game.start(**options), draw(st.integers(0, 2**64)), draw(st.integers(0, plies)))


def ending(name: str, seed: int) -> Board:
    """A position of a small board that a few moves decide."""
    random = Random(seed)
    board = game_named(name).start(**SMALL[name])
    if name == "breakthrough":
        cells = random.sample(range(25), 4)  # two pawns each, on the way
        words = [sum(1 << 8 * (cell // 5) + cell % 5 for cell in cells[half::2]) for half in (0, 1)]
        return Board.from_text(f"{name}: {words[0]:x} {words[1]:x} black 0 [5]")
    while board.moves_left > 7:
        quiet = [move for move in board.legal_moves if drawn(board).play(str(move)).moves()]
        if not quiet:
            break
        board.push(random.choice(quiet))
    return board


# --- the rules ---


@pytest.mark.interpreted_only
@pytest.mark.parametrize(("name", "board"), [("connect-four", "class Drop"), ("breakthrough", "class Step")])
def test_rules_and_evaluation_are_short_enough_to_be_read(name, board):
    text = (EXAMPLES / name / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8")
    assert len(text.partition(board)[0].splitlines()) < 150
    assert len(text.splitlines()) < 300


@pytest.mark.interpreted_only
@examples(150)
@given(boards())
def test_the_rules_are_those_that_people_tell(board):
    told = drawn(board)
    assert sorted(map(str, board.legal_moves)) == sorted(told.moves())
    assert board.legal_move_texts() == sorted(told.moves())
    assert outflank.perft(board, 2).leaves == leaves(told, 2)
    outcome = board.outcome()
    if outcome is not None:
        assert outcome.score * (1 if told.turn == "X" else -1) == told.score()
    for move in board.legal_moves:
        after = board.copy()
        after.push(str(move))
        assert drawn(after) == told.play(str(move))
        assert after.moves_left < board.moves_left
        last = after.diagram(last=True)
        assert sum(line.count("[") for line in last) == 1
        assert [line.replace("[", " ").replace("]", " ").rstrip() for line in last] == after.diagram()
    assert Board.from_text(board.to_text()) == board
    assert all(each.to_text() == Board.from_text(each.to_text()).to_text() for each in board.symmetries())


@pytest.mark.interpreted_only
@examples(100)
@given(boards())
def test_gestures_on_the_table_do_what_the_moves_do(board):
    table = tabletop_of(board)
    assert table.board_from_pieces is not None
    assert table.board_from_pieces(table.pieces(board), board.turn) == board
    names = [place.name for place in table.places]
    lies = dict(zip(names, table.pieces(board), strict=True))
    own = "X" if board.turn is outflank.Side.BLACK else "O"
    assert table.counts(board, board.turn) == table.pieces(board).count(own)
    gestures = [table.gesture(board, move) for move in board.legal_moves]
    assert len({(gesture.picked, gesture.to) for gesture in gestures}) == len(gestures)
    for move, gesture in zip(board.legal_moves, gestures, strict=True):
        after = board.copy()
        after.push(move)
        assert [lies[name] for name in gesture.picked] == [own] * len(gesture.picked)
        moved = lies | {begin: "." for begin, _ in gesture.goes} | {gesture.to: own}
        assert moved == dict(zip(names, table.pieces(after), strict=True))
        places = {place.name: (place.x, place.y) for place in table.places}
        ways = [tuple(map(sub, places[end], places[begin])) for begin, end in gesture.goes if end is not None]
        assert ways == ([] if gesture.way is None else [gesture.way])


@pytest.mark.interpreted_only
@examples(60)
@given(boards())
def test_a_game_without_a_tabletop_has_the_same_gestures(board):
    def on_coordinates(table, move):
        at = {place.name: (place.x, place.y) for place in table.places} | {None: None}
        gesture = table.gesture(board, move)
        return (
            at[gesture.to],
            [at[name] for name in gesture.picked],
            gesture.way,
            [at[each] for each in sum(gesture.goes, ())],
        )

    own, derived = tabletop_of(board), board_tabletop._from_diagram(board)
    assert derived.pieces(board) == own.pieces(board)
    for move in board.legal_moves:
        assert on_coordinates(derived, move) == on_coordinates(own, move)


def test_trees_are_as_large_as_others_have_counted():
    four, through = (game_named(name).start() for name in NAMES)
    known = (7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234)
    assert game_named("connect-four").perft == (6, known[5])
    assert game_named("breakthrough").perft == (4, 256_036)
    for depth, expected in enumerate(known[: 4 if interpreted() else 8], 1):
        assert outflank.perft(four, depth, finished=False).leaves == expected
    for depth, expected in enumerate((22, 484, 11_132, 256_036)[: 3 if interpreted() else 4], 1):
        assert outflank.perft(through, depth).leaves == expected
    if not interpreted():
        small = game_named("breakthrough").start(size=5)
        assert outflank.perft(small, 4).leaves == leaves(drawn(small), 4)


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("connect-four: 0 0 black 0 [9]", "columns of Connect Four are 4, 5, 6, 7, 8, found 9"),
        ("connect-four: 1 1 black 2 [7]", "no position of Connect Four: two discs in one place"),
        ("connect-four: 2 0 black 1 [7]", "discs lie on each other"),
        ("connect-four: 7f 0 black 1 [7]", "discs lie on each other"),
        ("connect-four: 10000000 0 black 1 [4]", "discs lie on each other"),
        ("breakthrough: ff ff00 black 0 [9]", "size of Breakthrough are 5, 6, 7, 8, found 9"),
        ("breakthrough: 20 100 black 0 [5]", "every pawn stands on a square of its own"),
        ("breakthrough: ffffff 100000000000 black 0 [8]", "a side has at most 16 pawns"),
    ],
)
def test_a_text_that_is_no_position_is_refused(text, said):
    with pytest.raises(FormatError, match=said):
        Board.from_text(text)


# --- searches ---


@pytest.mark.interpreted_only
@examples(100)
@given(boards(), st.integers(1, 3), st.sampled_from(TREE_SEARCHES), st.booleans())
def test_every_algorithm_finds_the_value_of_the_definition(board, depth, algorithm, deepen):
    if len(board.legal_moves) > 10:
        depth = min(depth, 2)
    found = search(board, Limits(depth=depth), algorithm=algorithm, deepen=deepen, **ALONE)
    told = drawn(board)
    assert found.value == value(told, depth)
    if found.move is None:
        assert not told.moves()
        return
    assert value(told.play(str(found.move)), depth - 1) == -found.value
    for move in found.pv:  # every move is called as its side calls it
        told = told.play(str(move))


@pytest.mark.interpreted_only
@pytest.mark.filterwarnings("ignore:overflow encountered")  # NumPy's, of the random numbers' words
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("algorithm", ["uct", "flat"])
def test_playouts_need_no_evaluation(name, algorithm):
    board = game_named(name).start(**SMALL[name])
    found = search(board, Limits(nodes=60), algorithm=algorithm, **ALONE)
    assert found.move in board.legal_moves


@pytest.mark.interpreted_only
@pytest.mark.slow(2)
@pytest.mark.parametrize("name", NAMES)
def test_every_scheme_gives_the_same_value_with_any_number_of_workers(name):
    board = Board.from_text(UNDECIDED[name])
    assert 3 <= len(board.legal_moves) <= 7
    expected = value(drawn(board), 3)
    searched = 0
    for scheme in SCHEMES.own:
        algorithms = [name for name in SCHEMES.get(scheme).algorithms if name in TREE_SEARCHES]
        if not algorithms:
            continue
        for turn in range(max(3, len(algorithms))):  # each algorithm, and each number of workers
            options = {"algorithm": algorithms[turn % len(algorithms)], "workers": (1, 2, 4)[turn % 3]}
            found = search(board, Limits(depth=3), deepen=False, parallel=scheme, table_bits=10, **options)
            assert found.value == expected, (scheme, options)
            searched += 1
    assert searched > 20


@pytest.mark.interpreted_only
@examples(60)
@given(st.sampled_from(NAMES), SEEDS, st.sampled_from(("alphabeta", "pvs", "mtdf")))
def test_endings_are_solved(name, seed, algorithm):
    board = ending(name, seed)
    told = drawn(board)
    found = search(board, exact=True, algorithm=algorithm, **ALONE)
    assert (found.value, found.exact) == (value(told, None), True)


@pytest.mark.slow(20)
@pytest.mark.compiled
def test_compiled_and_by_several_workers_they_are_solved_as_well():
    four = ending("connect-four", 11)
    found = search(four, exact=True, workers=2, parallel="ybw", table_bits=16, deepen=False)
    assert (found.value, found.exact) == (value(drawn(four), None), True)
    # Its evaluation by itself: to compile a search with it would take nine seconds, and breakthrough has one.
    lines = evaluation_named(four.game)
    for plies in range(1, 12):
        board = walked(game_named("connect-four").start(), 11, plies)
        told = compiled_value.py_func(lines, board.game, board.position)
        assert compiled_value(lines, board.game, board.position) == told
    through = walked(game_named("breakthrough").start(size=5), 977, 8)
    assert search(through, Limits(depth=4), algorithm="minimax", workers=1).value == value(drawn(through), 4)


# --- on the command line ---

WON = {"connect-four": "d e d e d e d", "breakthrough": "b2c3 e4e3 c3d4 e5e4 d4c5"}
CHOSEN = {"connect-four": ("--columns", "5"), "breakthrough": ("--size", "5")}
ENDED = {"connect-four": "four in a row", "breakthrough": "black has come through"}


def game_of(name: str) -> tuple[str, ...]:
    return ("--game", name, *CHOSEN[name])


@pytest.mark.interpreted_only
@pytest.mark.parametrize("name", NAMES)
def test_it_is_shown_and_counted(run, name):
    status, out, err = run("show", *game_of(name), WON[name])
    assert (status, err) == (0, "")
    assert f"over: black wins ({ENDED[name]})" in out
    assert run("show", out.splitlines()[-1])[1].splitlines()[-1] == out.splitlines()[-1]
    start = game_named(name).start(**SMALL[name])
    status, out, err = run("perft", *game_of(name), "--depth", "3", "--divide", "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["leaves"] == leaves(drawn(start), 3)
    assert sorted(found["divide"]) == start.legal_move_texts()
    status, out, err = run("plugins")
    assert (status, err) == (0, "")
    assert f"outflank-{name} 1.0" in out
    assert run("show", *game_of(name), WON[name], "--svg", "-")[1].count("<circle") > 6


@pytest.mark.interpreted_only
@pytest.mark.parametrize("name", NAMES)
def test_it_is_played_saved_converted_and_read_again(run, tmp_path, name):
    saved = tmp_path / "game.games"
    words = "\n".join(["zz", "moves", "hint", "eval", *WON[name].split(), f"save {saved}", "quit"])
    status, out, err = run("play", *game_of(name), "--white", "human", stdin=words)
    assert (status, err) == (0, "")
    assert "'zz' is not a legal move here (legal: a" in out
    assert ENDED[name] in out
    listed = json.loads(run("games", str(saved), "--number", "1", "--json")[1])
    assert (listed["game"], listed["score"], listed["moves"]) == (name, 1.0, WON[name])
    assert run("convert", str(saved), str(tmp_path / "copy.games"))[0] == 0
    assert (tmp_path / "copy.games").read_text() == saved.read_text()
    status, _, err = run("convert", str(saved), str(tmp_path / "copy.ggf"))
    assert status == 2
    assert f"not of {game_named(name).title}" in " ".join(err.split())
    assert f"({ENDED[name]})" in run("show", "--file", str(saved))[1]


@pytest.mark.interpreted_only
@pytest.mark.parametrize("name", NAMES)
def test_the_computer_plays_it_to_the_end(run, name):
    status, out, err = run("play", *game_of(name), "--black", "computer level=1", "--white", "first")
    assert (status, err) == (0, "")
    assert "wins (" in out


@pytest.mark.interpreted_only
@pytest.mark.parametrize("name", NAMES)
def test_a_match_is_kept_resumed_and_read_back(run, tmp_path, name):
    asked = ["match", *game_of(name), "random", "computer depth=1", "--seed", "3", "--out", str(tmp_path / "m")]
    for games in (("--games", "2"), ("--games", "4", "--resume")):
        status, _, err = run(*asked, *games, "--json")
        assert status == 0, err
    kept = [json.loads(line) for line in (tmp_path / "m" / "games.jsonl").read_text().splitlines()]
    assert [each["game"] for each in kept] == [0, 1, 2, 3]
    told = run(*asked, "--games", "4", "--resume")[1]
    assert " points (95%), " in told  # they are won or lost, not by lines or pawns
    records = list(read_records(tmp_path / "m" / "games.games"))
    for record in records:
        board = Board.from_setup(record.setup)
        outcome = board.outcome()
        assert outcome is not None
        assert record.score == outcome.score
    assert len(records) == 4
    assert json.loads((tmp_path / "m" / "match.json").read_text())["complete"] is True


@pytest.mark.interpreted_only
@pytest.mark.parametrize("name", NAMES)
def test_an_interrupted_match_goes_on_where_it_was(tmp_path, name):
    settings = Settings(players=("random", "first"), games=4, start=game_named(name).start(**SMALL[name]), seed=7)
    stop = Stop()
    part = play_match(settings, player, out=tmp_path, stop=stop, finished=lambda kept: stop())
    assert part.interrupted
    done = play_match(settings, player, out=tmp_path, resume=True)
    assert len(done.games) == 4


@pytest.mark.interpreted_only
@pytest.mark.parametrize("name", NAMES)
def test_a_game_of_it_is_reviewed(run, tmp_path, name):
    asked = ("review", *game_of(name), WON[name], "--depth", "2", "--exact", "0", "--workers", "1", "--quiet")
    status, out, err = run(*asked, "--out", str(tmp_path))
    assert (status, err) == (0, "")
    assert game_named(name).title in out
    assert game_named(name).title in (tmp_path / "review.html").read_text()
    lines = [json.loads(line) for line in run(*asked, "--json")[1].splitlines()]
    moves = [line for line in lines if line["schema"] == "outflank/review-move/1"]
    assert [move["move"] for move in moves] == WON[name].split()


@pytest.mark.interpreted_only
@pytest.mark.parametrize("name", NAMES)
def test_the_laboratory_measures_it(run, tmp_path, name):
    asked = ("lab", "scaling", "--game", name, "--depth", "2", "--workers", "1,2", "--rounds", "1", "--quiet")
    status, out, err = run(*asked, "--out", str(tmp_path / "run"))
    assert (status, err) == (0, "")
    assert game_named(name).title in (tmp_path / "run" / "scaling.html").read_text() + out


# --- on clusters ---

PROGRAM = """
from tests.clusters import search_on

if __name__ == "__main__":
    print(search_on({cluster!r}))
"""


@pytest.mark.interpreted_only
@pytest.mark.parametrize("cluster", ["inside:2", "futures:2"])
def test_nodes_of_this_machine_search_them(cluster):
    assert search_on(cluster) == [(True, True)] * 2


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program that searches on a cluster, in processes that only know what is installed."""

    def call(cluster: str) -> str:
        file = tmp_path / "program.py"
        file.write_text(PROGRAM.format(cluster=cluster))
        return str(file)

    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES.parent), prepend=os.pathsep)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    return call


@pytest.mark.interpreted_only
@pytest.mark.slow(4)
def test_ranks_of_mpi_search_them(program):
    done = mpiexec(2, program("mpi"))
    assert (done.stdout, done.stderr) == (f"{[(True, True)] * 2}\n", "")


@pytest.mark.interpreted_only
@pytest.mark.slow(10)
@pytest.mark.skipif(sys.platform != "linux", reason="as the other tests of Ray")
def test_nodes_of_ray_search_them(program, tmp_path_factory, monkeypatch):
    for folder in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):  # a user of this test's own
        monkeypatch.setenv(folder, str(tmp_path_factory.mktemp("home")))
    done = subprocess.run([sys.executable, program("local:2")], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == (f"{[(True, True)] * 2}\n", 0), done.stderr


@pytest.mark.interpreted_only
def test_breakthrough_is_learnt_from_its_rules(run, tmp_path, monkeypatch):
    monkeypatch.setattr("outflank.learning.selfplay.GAMES", 6)
    monkeypatch.setattr("outflank.learning.fit.HELD_OUT", 3)
    out = str(tmp_path / "learnt")
    settings = ("--positions", "24", "--plies", "1", "--passes", "2", "--generations", "1", "--match-games", "0")
    status, told, err = run("train", "run", "--game", "breakthrough", "--size", "5", *settings, "--out", out)
    assert (status, err) == (0, "")
    assert told.startswith("generation 1: wrong by ")
    assert " pawns on held-out games; no match" in told
    weights = f"patterns:{out}/breakthrough-5x5.weights"
    status, told, _ = run("search", "--game", "breakthrough", "--size", "5", "--depth", "1", "--evaluation", weights)
    assert status == 0
    assert " pawns (depth 1" in told
