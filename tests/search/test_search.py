"""Every search against the definition, on drawn positions of both games."""

import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given

import outflank
from outflank import AbaloneBoard, Limits, OthelloBoard, OutflankError, Progress, Result, Stop, iterate
from outflank.abalone.geometry import SPIRAL, board
from outflank.abalone.layouts import start as abalone_start
from outflank.abalone.rules import Abalone, AbalonePosition
from outflank.boards import board_class
from outflank.games.evaluation import evaluation_named, evaluations, final, scale_of
from outflank.games.rules import is_pass, most_moves, moves_left, play
from outflank.kernels.compiler import interpreted
from outflank.othello.squares import START, othello
from outflank.search import alone, montecarlo, whole_search
from outflank.search.algorithms import ALGORITHMS
from outflank.search.ordering import Ordering, ordering_named, orderings
from outflank.search.probes import Counts
from outflank.search.request import Options
from outflank.search.results import LiveNode
from outflank.search.root import Root
from outflank.search.table import Table
from outflank.search.whole_search import search
from tests.conftest import examples
from tests.drawing import any_positions
from tests.oracles import search as oracle
from tests.pairs import pairwise
from tests.walking import legal, walk

PASSES = {"free": 0, "ply": 1, "evaluated": 2}
DEEPEST = 2 if interpreted() else 6


def truth(game, evaluation, position, depth: int, passes: str, quiet: int) -> int:
    moves = np.zeros((140, most_moves(game)), np.uint16)
    return int(oracle.minimax(game, evaluation, position, depth, PASSES[passes], quiet, moves, 0))


def small_war(seed: int) -> tuple[Abalone, AbalonePosition]:
    """A game of Abalone with few marbles, so that the definition reaches depth 6."""
    random = np.random.default_rng(seed)
    cells = random.permutation(61)
    army = int(random.integers(2, 4))
    sides = [board({SPIRAL[cell] for cell in cells[k * army : (k + 1) * army]}) for k in range(2)]
    return Abalone(marbles=army, goal=army - 1), AbalonePosition(*sides)


def positions(game_name: str, seed: int):
    """A game, a position of it, and depths that the definition can reach."""
    random = np.random.default_rng(seed)
    if game_name == "othello":
        size = int(random.choice([4, 6, 8]))
        game = othello(size, str(random.choice(["discs", "winner-takes-empties"])))
        # Late positions have passes and ends; the opening has neither.
        return game, walk(game, START, seed, int(random.integers(0, size * size - 4))), DEEPEST
    if random.integers(2):
        game, position = small_war(seed)
        return game, position, min(DEEPEST, 6 if game.marbles == 2 else 4)
    game = Abalone(14, 6)
    return (
        game,
        walk(game, abalone_start("belgian-daisy"), seed, int(random.integers(0, 30))),
        1 if interpreted() else 3,
    )


SHARED_CHOICES = {
    "algorithm": list(ALGORITHMS),
    "table_bits": [None, 4, 12],
    "canonical": [False, True],
    "passes": list(PASSES),
    "quiescence": [0, 1, 3],
    "ties": ["first", "lowest", "highest"],
    "share_alpha": [True, False],
    "pivot": ["carried", "reset"],
    "step": [1, 2],
    "aspiration": [None, 1, 50],
    "deepen": [True, False],
    "sort": ["all", "best", "none", "heap"],
    "killers": [False, True],
    "history": [False, True],
    "moves": [1, 3],
}
COMPILED_EVALUATIONS = {"othello": ["patterns", "discs", "mobility"], "abalone": ["patterns", "rings"]}
"""Evaluations with which searches are compared where they are compiled. The kernels call any evaluation alike, and to
compile those that divide a search and the definition takes six seconds for each; in the interpreter all are."""

ROWS = [
    (name, number, row)
    for name, game in (("othello", othello()), ("abalone", Abalone(14, 6)))
    for names in [list(evaluations(game)) if interpreted() else COMPILED_EVALUATIONS[name]]
    for number, row in enumerate(pairwise({**SHARED_CHOICES, "evaluation": names, "ordering": orderings(game)}))
]


def check(name: str, seed: int, row: dict) -> None:
    """One search with these options is right, and so is its move."""
    game, position, deepest = positions(name, seed)
    ordered = ("sort", "killers", "history", "ordering", "evaluation")
    options = {"workers": 1} | {key: row[key] for key in row if key not in ordered}
    ordering = ordering_named(game, row["ordering"], sort=row["sort"], killers=row["killers"], history=row["history"])
    name_of_it = row["evaluation"] if row["evaluation"] in evaluations(game) else None  # not all suit every board
    evaluation = evaluation_named(game, name_of_it)
    depth = 1 + seed % deepest
    here = board_class(game)(game, position)
    found = search(here, Limits(depth=depth), evaluation=name_of_it, ordering=ordering, **options)
    moves = legal(game, position)
    if not moves:
        assert (found.move, found.exact) == (None, True)
        assert found.value == int(final(evaluation, game, position))
        return
    reached = found.depth  # less than asked for where nothing was left to estimate
    assert reached == depth or found.exact
    rules = (reached, row["passes"], row["quiescence"])
    assert found.move is not None
    assert found.move.code in moves
    if row["passes"] == "evaluated" and found.move.code == 64 and name == "othello":
        assert found.value == truth(game, evaluation, position, *rules)
        return
    # The definition's first step is taken here: its trees are the dearest part of this.
    values = {move: worth(game, evaluation, position, move, *rules) for move in moves}
    assert found.value == max(values.values())
    # The move has the value; with a tie rule it is the first of those that do.
    equal = [move for move in moves if values[move] == found.value]
    assert found.move.code in equal
    if row["ties"] != "first":
        assert found.move.code == (min if row["ties"] == "lowest" else max)(equal)
    if row["moves"] > 1:
        assert [entry.value for entry in found.best] == sorted(values.values(), reverse=True)[: row["moves"]]
    assert found.pv[0] == found.move
    assert_played_out(here, found, evaluation, row["passes"], row["quiescence"])


def assert_played_out(here, found, evaluation, passes: str, quiet: int) -> None:
    """The principal variation goes to the end of the depth or of the game, and has the value there."""
    game, position, left, sign = here.game, here.position, found.depth, 1
    for step in found.pv:
        assert left > 0
        assert step.code in legal(game, position)
        if not is_pass(game, step.code) or passes == "ply":
            left -= 1
        position = play(game, position, np.uint16(step.code))
        sign = -sign
    moves = legal(game, position)
    evaluated = passes == "evaluated" and len(moves) == 1 and is_pass(game, moves[0])
    assert left == 0 or not moves or evaluated, found.pv
    # At the end of the depth the definition looks no farther; at that of the game, or at a pass, it need not.
    assert sign * truth(game, evaluation, position, left, passes, quiet) == found.value, found.pv


def worth(game, evaluation, position, move: int, depth: int, passes: str, quiet: int) -> int:
    left = depth if is_pass(game, move) and passes == "free" else depth - 1
    child = play(game, position, np.uint16(move))
    return -truth(game, evaluation, child, left, passes, quiet)


@pytest.mark.parametrize(
    ("name", "number", "row"), ROWS, ids=lambda value: str(value) if not isinstance(value, dict) else ""
)
def test_pairs_of_options_agree_with_the_definition(name, number, row):
    for seed in range(7 * number, 7 * number + (1 if interpreted() else 5)):
        check(name, seed, row)


# --- promises about limits, stopping and tables ---


@examples(20)
@given(any_positions)
def test_what_was_not_searched_has_no_value(drawn):
    game, position = drawn
    here = board_class(game)(game, position)
    # By its own ordering a proof begins with looks at all moves: in the interpreter a second for each position.
    ordering = "none" if interpreted() else None
    for options in ({}, {"exact": True}, {"exact": True, "deepen": False}):
        stop = Stop()
        stop()
        found = search(here, stop=stop, ordering=ordering, **options)
        assert (found.depth, found.best, found.pv) == (0, (), ())
        if legal(game, position):
            assert (found.value, found.value_text, found.lower, found.upper) == (None, "", None, None)
            assert found.move in here.legal_moves
            assert (found.stopped, found.exact) == (True, False)
        else:
            assert (found.value is None, found.stopped, found.exact) == (False, False, True)


@pytest.mark.interpreted_only
@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_stopped_before_it_begins_compiles_nothing(workers, monkeypatch):
    monkeypatch.setattr(Root, "prepare_lines", lambda root: pytest.fail("compiled"))
    stop = Stop()
    stop()
    assert search(OthelloBoard.start(4), stop=stop, workers=workers).stopped


@pytest.mark.compiled
def test_a_search_that_is_stopped_writes_nothing_wrong():
    """Stop at random moments, go on with the same table: the values stay those of a fresh search."""
    random = np.random.default_rng(5)
    here = OthelloBoard.from_line("-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X")
    expected = {
        depth: search(here, Limits(depth=depth), evaluation="mobility", deepen=False).value for depth in (6, 7, 8)
    }
    for algorithm in ("alphabeta", "pvs", "mtdf"):
        table = Table(10)
        for round in range(40):
            nodes = int(random.integers(1, 60_000))
            options = {"algorithm": algorithm, "evaluation": "mobility", "table": table, "deepen": bool(round % 2)}
            search(here, Limits(depth=9, nodes=nodes), **options)
            depth = int(random.choice([6, 7, 8]))
            assert search(here, Limits(depth=depth), **options).value == expected[depth]


@pytest.mark.compiled
def test_a_search_is_cancelled_from_another_thread():
    here = OthelloBoard.start()
    stop = Stop()
    results = []
    thread = threading.Thread(target=lambda: results.append(search(here, stop=stop, evaluation="discs")))
    thread.start()
    while not thread.is_alive():
        pass
    time.sleep(0.3)
    stop()
    thread.join(30)
    assert not thread.is_alive()
    assert results[0].stopped
    assert results[0].move in here.legal_moves


@pytest.mark.compiled
def test_searches_run_side_by_side():
    boards = [
        OthelloBoard.start(),
        outflank.Board.from_text("f5d6c3"),
        AbaloneBoard.start(),
        AbaloneBoard.start("star"),
    ]
    alone = [search(here, Limits(depth=4), workers=1) for here in boards]
    together: list = [None] * len(boards)

    def run(index):
        together[index] = search(boards[index], Limits(depth=4), workers=1)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(boards))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(alone, together, strict=True):
        assert (one.value, one.move, one.nodes, one.pv) == (other.value, other.move, other.nodes, other.pv)


@pytest.mark.compiled
@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "pvs", "mtdf", "uct", "flat"])
def test_limits_of_time_and_nodes_end_a_search(algorithm):
    for here in (OthelloBoard.start(), AbaloneBoard.start()):
        timed = search(here, Limits(seconds=0.2), algorithm=algorithm)
        assert timed.stopped
        assert timed.move in here.legal_moves
        counted = search(here, Limits(nodes=20_000), algorithm=algorithm)
        assert counted.stopped
        assert 20_000 <= counted.nodes < 40_000


def test_iterations_come_one_by_one():
    depths = [result.depth for result in iterate(OthelloBoard.start(), Limits(depth=3), evaluation="discs")]
    assert depths == [1, 2, 3]
    steps = [result.depth for result in iterate(OthelloBoard.start(), Limits(depth=3), step=2, evaluation="discs")]
    assert steps == [1, 3]
    even = [result.depth for result in iterate(OthelloBoard.start(), Limits(depth=2), step=2, evaluation="discs")]
    assert even == [2]


def test_a_finished_game_has_a_value_and_no_move():
    for algorithm in (*ALGORITHMS, "uct", "flat"):
        found = search(OthelloBoard.from_line("XXX------------- O"), Limits(nodes=100), algorithm=algorithm)
        assert (found.move, found.pv, found.exact, found.stopped) == (None, (), True, False)
        assert found.value < 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "alphabetta"}, "did you mean 'alphabeta'"),
        ({"evaluation": "nothing"}, "unknown evaluation of Othello"),
        ({"ordering": "kinds"}, "unknown ordering of Othello"),
        ({"table_bits": 50}, "4 to 34 are possible"),
        ({"passes": "never"}, "passes="),
        ({"ties": "random"}, "ties="),
        ({"step": 3}, "step="),
        ({"quiescence": 99}, "quiescence=99"),
        ({"moves": 0}, "moves=0"),
        ({"aspiration": 0}, "aspiration=0"),
        ({"ordering": Ordering(weights={"kind": 1})}, "no feature 'kind'"),
    ],
)
def test_impossible_options_are_refused(options, message):
    with pytest.raises(OutflankError, match=message):
        search(OthelloBoard.start(), Limits(depth=1), **options)


@pytest.mark.parametrize("limits", [{"depth": 0}, {"depth": 1000}, {"seconds": 0}, {"seconds": -1}, {"nodes": 0}])
def test_impossible_limits_are_refused(limits):
    with pytest.raises(OutflankError):
        Limits(**limits)


def test_depths_beyond_a_games_room_are_refused():
    with pytest.raises(OutflankError, match="at most 69 plies"):
        search(AbaloneBoard.start(), Limits(depth=90))


@pytest.mark.parametrize(
    "options", [{"workers": 1}, {"parallel": "ybw", "workers": 2}, {"algorithm": "minimax", "workers": 1}]
)
def test_several_moves_have_lines_of_their_own(options):
    here = OthelloBoard.start()
    here.push("f5")
    found = search(here, Limits(depth=3), evaluation="discs", moves=3, **options)
    assert found.best[0].line == found.pv
    for each in found.best:
        assert each.line[0] == each.move
        assert len(each.line) <= found.depth
        twin = here.copy()
        for move in each.line:
            twin.push(move)  # or it is not legal
    if options == {"workers": 1}:  # of others those that the table has ended are shorter; only the best is completed
        assert all(len(each.line) == 3 for each in found.best)


# --- progress ---


def test_a_watch_is_told_what_an_iteration_is_at(monkeypatch):
    monkeypatch.setattr("outflank.search.results.EVERY_SECONDS", 0.0)
    seen: list[Progress] = []
    here = OthelloBoard.start()
    for options in ({"workers": 1}, {"parallel": "ybw", "workers": 2}, {"parallel": "abdada", "workers": 2}):
        seen.clear()
        found = search(here, Limits(depth=4), watch=seen.append, evaluation="discs", **options)
        assert seen
        assert {each.depth for each in seen} <= set(range(1, 5))
        assert all(0 <= each.moves_begun <= each.move_count <= 4 for each in seen)
        assert all(each.nodes <= found.nodes for each in seen)
        assert all(each.best is None or each.best in here.legal_moves for each in seen)
        assert [each.nodes for each in seen] == sorted(each.nodes for each in seen)


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("stopped", "exact", "guessing", "begun"),
    [
        (False, False, False, 2),
        (True, False, False, 1),
        (True, False, True, 1),
        (False, True, False, 1),
        (False, True, True, 2),
    ],
)
def test_stages_follow_until_one_is_stopped_or_proves_the_value(stopped, exact, guessing, begun):
    result = SimpleNamespace(stopped=stopped, exact=exact)
    stage = SimpleNamespace(results=lambda *limits, **more: [result])
    planned = SimpleNamespace(begin=lambda: stage, guessing=guessing)
    assert list(whole_search._results([planned, planned], Limits(), Stop(), None)) == [result] * begun


@pytest.mark.parametrize(
    ("options", "nodes"),
    [({}, 229), ({"moves": 2}, 385), ({"algorithm": "alphabeta"}, 226), ({"algorithm": "mtdf"}, 315)],
    ids=str,
)
def test_the_nodes_of_a_small_search_are_known(options, nodes):
    """A number changes only with what is searched, like the signature of `outflank bench`."""
    board = OthelloBoard.from_text("f5f6e6f4")
    assert search(board, Limits(depth=3), evaluation="discs", workers=1, **options).nodes == nodes


def test_a_worker_alone_offers_no_moves():
    (worker,) = search(OthelloBoard.start(4), Limits(depth=2), evaluation="discs", workers=1).workers
    assert (worker.spawned, worker.executed, worker.stolen) == (0, 0, 0)


def test_estimates_that_a_table_holds_prove_nothing():
    table = Table(12)
    for _ in range(2):
        assert not search(OthelloBoard.start(), Limits(depth=3), table=table, evaluation="discs", workers=1).exact


def test_a_move_that_is_searched_again_is_not_done(monkeypatch):
    seen = []
    child_value = alone.Alone.child_value

    def watched(self, *window):
        seen.append(self.standing())
        return child_value(self, *window)

    monkeypatch.setattr(alone.Alone, "child_value", watched)
    search(OthelloBoard.from_text("f5f6e6f4"), Limits(depth=2), evaluation="discs", workers=1)
    seen = [each for each in seen if each.last is not None]
    assert all(each.moves_done == each.moves_begun - 1 for each in seen)
    assert any(each.best is each.last for each in seen), "a move was searched again"


@pytest.mark.parametrize("scheme", [None, "ybw", "root-split", "shared-table", "abdada"])
def test_a_watch_sees_what_each_worker_is_at(monkeypatch, scheme):
    monkeypatch.setattr("outflank.search.results.EVERY_SECONDS", 0.0)
    seen: list[Progress] = []
    here, workers = OthelloBoard.start(), 1 if scheme is None else 3
    depth = 4 if interpreted() else 10
    search(here, Limits(depth=depth), watch=seen.append, evaluation="discs", parallel=scheme, workers=workers)
    seen = [each for each in seen if each.workers]  # before the first window nobody has anything
    assert seen
    for each in seen:
        assert len(each.workers) == workers
        assert any(worker.busy for worker in each.workers) or each.moves_done == each.move_count or workers > 1
        for worker in each.workers:
            assert worker.move is None or (worker.busy and worker.move in here.legal_moves)
            assert worker.depth < each.depth
            assert worker.statistics.useful_seconds <= each.seconds + 1
            assert workers > 1 or not worker.stolen
    if scheme is None:  # others may be seen only between two pieces, in so short a search
        assert all(worker.move is not None for each in seen for worker in each.workers)
    # A worker that puts a position off has counted it for a moment.
    nodes = [sum(worker.statistics.nodes for worker in each.workers) for each in seen]
    assert all(later >= max(nodes[:index], default=0) - workers for index, later in enumerate(nodes))


@pytest.mark.parametrize("scheme", ["ybw", "jamboree", "abdada"])
def test_a_watch_can_read_the_split_points_that_live(monkeypatch, scheme):
    monkeypatch.setattr("outflank.search.results.EVERY_SECONDS", 0.0)
    trees: list[tuple[LiveNode, ...]] = []
    here, depth = OthelloBoard.start(), 4 if interpreted() else 10

    def watch(progress):
        trees.append(progress.live_tree())

    search(here, Limits(depth=depth), watch=watch, evaluation="discs", parallel=scheme, workers=3, threshold=1)
    trees = [tree for tree in trees if tree]
    if scheme == "abdada":  # it has no split points
        assert not trees
        return
    legal_lines = 0
    for tree in trees:
        assert (tree[0].parent, tree[0].move) == (None, "")
        assert all(node.parent in range(place) and node.move for place, node in enumerate(tree) if place)
        assert all(0 <= node.begun <= node.moves and node.worker in range(3) for node in tree)
        assert all(tree[node.parent].moves for node in tree[1:])
        lines = {0: here}
        for place, node in enumerate(tree[1:], 1):
            above = lines.get(node.parent)
            if above is not None and node.move in above.legal_move_texts():
                lines[place] = above.copy()
                lines[place].push(node.move)
                legal_lines += 1
    # Workers go on while they are read, so a few lines may be those of two moments.
    nodes = sum(len(tree) - 1 for tree in trees)
    assert legal_lines >= 0.8 * nodes > 0
    assert any(node.moves and place for tree in trees for place, node in enumerate(tree)), "split points below the root"
    assert any(not node.moves for tree in trees for node in tree), "subtrees of one worker"


@pytest.mark.compiled
def test_a_watch_is_told_of_playouts(monkeypatch):
    monkeypatch.setattr("outflank.search.results.EVERY_SECONDS", 0.0)
    seen: list[Progress] = []
    assert search(OthelloBoard.start(), Limits(nodes=50_000), algorithm="uct", watch=seen.append).value is not None
    assert any(each.best is not None for each in seen)


def test_what_a_watch_raises_reaches_the_caller(monkeypatch):
    monkeypatch.setattr("outflank.search.results.EVERY_SECONDS", 0.0)

    def fail(progress):
        raise ValueError("enough of this")

    threads = threading.active_count()
    with pytest.raises(ValueError, match="enough of this"):
        search(OthelloBoard.start(), watch=fail, evaluation="discs")
    assert threading.active_count() == threads


# --- exact play ---


UNFINISHED = "--XXXXX---OOOX---XOOXXXX-OOOOOOOOOOXXXOOOOOXXOOX--XXOO----XXXXX- X"  # 16 empty squares, +18


@pytest.mark.compiled
@pytest.mark.parametrize("algorithm", ["pvs", "alphabeta", "mtdf"])
@pytest.mark.parametrize("parallel", [None, "ybw", "jamboree", "abdada"])
def test_an_unfinished_proof_says_what_it_has(algorithm, parallel):
    """Stopped anywhere: a bound that is true, a move that keeps it, and an estimate of a search that ended."""
    here = OthelloBoard.from_line(UNFINISHED)
    values = {entry.move: entry.value for entry in search(here, exact=True, moves=20, workers=1).best}
    bounds = 0
    for nodes in (1, 500, 20_000, 60_000, 100_000, 130_000, 160_000, 200_000, 300_000, 10**9):
        for deepen in (True, False):
            options = {"algorithm": algorithm, "parallel": parallel, "workers": 2 if parallel else 1, "deepen": deepen}
            found = search(here, Limits(nodes=nodes), exact=True, **options)
            assert found.lower is None or found.lower <= 18
            assert found.upper is None or found.upper >= 18
            assert found.exact == (found.lower == found.upper == found.value == 18)
            assert (found.value is None) == (found.depth == 0)
            assert found.stopped or found.exact
            assert found.lower is None or values[found.move] >= found.lower
            assert (found.scale.points == 1) == (found.exact or not deepen)
            # Most of the nodes are those of the last ten moves, of which this table is not asked.
            assert found.lookups >= found.hits
            assert found.lookups > 0 or nodes < 20_000
            assert found.hits > 0 or nodes < 160_000
            bounds += found.lower is not None and not found.exact
    assert found.exact
    assert bounds > 0


@pytest.mark.slow(6)
@pytest.mark.interpreted_only
def test_estimates_come_before_a_proof():
    # Where the game has kernels of its own for its last moves, only what is above them is worth estimates.
    usual = list(iterate(OthelloBoard.start(4), nodes=10**6, exact=True, evaluation="discs"))
    assert [(result.depth, result.exact) for result in usual] == [(1, False), (13, True)]
    # They would take longer than the proof, and nothing ends that before.
    soon = list(iterate(OthelloBoard.start(4), exact=True, evaluation="discs"))
    assert [(result.depth, result.exact) for result in soon] == [(13, True)]
    plain = {"use_endgame_kernels": False, "evaluation": "discs", "workers": 1}  # no other test divides such a proof
    results = list(iterate(OthelloBoard.start(4), exact=True, **plain))
    assert [result.depth for result in results] == [1, 2, 3, 4, 5, 6, 13]
    assert [result.exact for result in results] == [False] * 6 + [True]
    assert [result.nodes for result in results] == sorted(result.nodes for result in results)
    last = results[-1]
    assert (last.value, last.lower, last.upper, last.proved_text) == (-10, -10, -10, "-10 discs")
    assert all((result.lower, result.upper, result.proved_text) == (None, None, "") for result in results[:-1])
    alone = list(iterate(OthelloBoard.start(4), exact=True, deepen=False))
    assert [(result.depth, result.value) for result in alone] == [(13, -10)]


def test_a_proof_has_no_depth():
    with pytest.raises(OutflankError, match="no depth limits"):
        search(OthelloBoard.start(4), Limits(depth=5), exact=True)


@pytest.mark.interpreted_only
def test_bounds_are_said_in_the_games_unit():
    board = OthelloBoard.start()
    nothing = Result(value=None, move=None, pv=(), depth=0, nodes=0, leaves=0, seconds=0.0, exact=False)
    discs = replace(nothing, scale=scale_of(board.game, evaluation_named(board.game)))
    assert replace(discs, lower=4).proved_text == "at least +4 discs"
    assert replace(discs, upper=-2).proved_text == "at most -2 discs"
    assert replace(discs, lower=-2, upper=0).proved_text == "at least -2 discs, at most +0 discs"
    assert (discs.proved_text, discs.value_text) == ("", "")
    marbles = replace(nothing, scale=scale_of(Abalone(14, 6), evaluation_named(Abalone(14, 6))))
    assert replace(marbles, lower=6).proved_text == "won"


@pytest.mark.parametrize(("passes", "depth"), [("free", 5), ("ply", 9), ("evaluated", 100)])
def test_no_search_looks_beyond_the_end(passes, depth):
    game = othello(4)
    position = walk(game, START, 3, 8)
    assert int(moves_left(game, position)) == 4
    root = Root(game, position, Options(passes=passes))
    assert root.horizon == depth
    assert Root(game, position, Options(passes=passes, exact=True)).horizon == 5
    here = OthelloBoard(game, position)
    deep = search(here, Limits(depth=50), passes=passes, evaluation="discs")
    assert deep.depth <= depth
    as_asked = search(here, Limits(depth=50), deepen=False, passes=passes, evaluation="discs")
    assert (as_asked.value, as_asked.depth) == (deep.value, 50)
    assert deep.value == search(here, Limits(depth=12), passes=passes, evaluation="discs").value
    assert int(moves_left(Abalone(14, 6), abalone_start("standard"))) > 100


@pytest.mark.compiled
def test_small_boards_are_solved_from_anywhere():
    for seed in range(30):
        game = othello(4)
        position = walk(game, START, seed, seed % 8)
        here = OthelloBoard(game, position)
        exact = search(here, exact=True)
        deep = search(here, evaluation="discs", algorithm="mtdf")
        assert exact.exact
        assert deep.exact
        assert exact.value == deep.value


@pytest.mark.compiled
def test_published_endings_come_out():
    # FFO 20, 21 and 22 with their scores, winner takes empties.
    for line, score in (
        ("XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X", 6),
        ("OOOOOOOOXOOXXX--XXOOXOO-XOXOOO--XOOOOX--XOOXOO--XOOOOO--XXXX---- O", 0),
        ("--OOOO--X-OOOOO-XXOOXOXXXOXOXXXXXXXOXXXX-XXOXOXX--OXXX-X----X--- O", 2),
    ):
        found = search(OthelloBoard.from_line(line), exact=True)
        assert (found.value, found.exact) == (score, True)


# --- Monte-Carlo ---


@pytest.mark.compiled
def test_monte_carlo_repeats_itself_for_a_seed():
    for here in (OthelloBoard.start(), AbaloneBoard.start("belgian-daisy")):
        for algorithm in ("uct", "flat"):
            one, two, other = (
                search(here, Limits(nodes=30_000), algorithm=algorithm, seed=seed, moves=3) for seed in (3, 3, 4)
            )
            assert (one.best, one.nodes, one.pv) == (two.best, two.nodes, two.pv)
            assert one.best != other.best


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # words go round
def test_monte_carlo_makes_no_guesses():
    assert search(OthelloBoard.start(4), Limits(nodes=100), algorithm="uct", seed=1).selectivity == 100


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # words go round
def test_the_lots_of_one_seed_are_not_those_of_the_next_a_draw_later():
    def drawn(seed: int) -> list[int]:
        state = montecarlo.random_state(seed)
        return [int(montecarlo.draw(state, 1 << 30)) for _ in range(20)]

    for seed in (0, 1, 1_000_003):
        assert not set(drawn(seed)) & set(drawn(seed + 1))


@pytest.mark.compiled
def test_uct_settles_on_a_move_that_the_solver_calls_best():
    game = othello(4)
    for seed in range(6):
        here = OthelloBoard(game, walk(game, START, seed, 3))
        solved = search(here, exact=True, moves=20)
        # A won game is all that a playout counts: any move that keeps the result is best.
        best = {entry.move for entry in solved.best if np.sign(entry.value) == np.sign(solved.value)}
        assert search(here, Limits(nodes=400_000), algorithm="uct").move in best


@pytest.mark.parametrize(("algorithm", "place"), [("uct", 1), ("flat", 2)])
def test_uct_plays_the_move_with_the_most_games_and_flat_the_one_with_the_best(algorithm, place):
    here = OthelloBoard.start()
    root = Root(here.game, here.position, Options(algorithm=algorithm))
    tree, _ = montecarlo.new_tree(root, 64)
    tree["visits"][:5] = 160, 10, 100, 20, 30
    # By mean the third move is the best, by games the second.
    tree["won"][1:5] = np.array([1, 60, 18, 3]) * montecarlo.WIN
    result = montecarlo._current_result(here, root, [tree], 1.0)
    assert result.move == here.move(int(tree[1 + place]["move"]))


def test_monte_carlo_has_no_depth_and_proves_nothing():
    with pytest.raises(OutflankError, match="has no depth"):
        search(OthelloBoard.start(), Limits(depth=3), algorithm="uct")
    with pytest.raises(OutflankError, match="proves nothing"):
        search(OthelloBoard.start(), algorithm="flat", exact=True)


# --- what is compiled ---


@pytest.mark.compiled
def test_only_game_evaluation_and_probe_make_another_compilation():
    from outflank.search.alphabeta import alphabeta

    here = OthelloBoard.start()

    def found(board, **options):
        return search(board, Limits(depth=3), **({"workers": 1, "evaluation": "discs"} | options))

    found(here)
    before = len(alphabeta.compiled.signatures)
    for passes in PASSES:
        for options in (
            {"algorithm": "alphabeta", "table_bits": None, "ordering": "none"},
            {"algorithm": "pvs", "canonical": True, "table_depth": "at-least"},
            {"algorithm": "mtdf", "pivot": "reset", "ordering": "stones+squares"},
        ):
            found(here, passes=passes, **options)
            found(OthelloBoard.start(6), passes=passes, **options)
    assert len(alphabeta.compiled.signatures) == before
    found(here, evaluation="four-part")
    found(here, evaluation="four-part-fine")
    coarse = len(alphabeta.compiled.signatures)
    assert coarse <= before + 1
    found(here, instrument=Counts())
    # Another one, unless a test before this one needed it too.
    assert len(alphabeta.compiled.signatures) <= coarse + 1
    known = [str(signature) for signature in alphabeta.compiled.signatures]
    assert any("DepthCounts" in signature and "Discs" in signature for signature in known)


@pytest.mark.compiled
def test_the_schemes_that_split_nodes_are_one_compilation():
    from outflank.parallel.splitting import work

    def found(scheme, **options):
        return search(OthelloBoard.start(), Limits(depth=4), parallel=scheme, evaluation="discs", **options)

    found("ybw", workers=2)
    before = len(work.compiled.signatures)
    for scheme in ("fork-join", "root-split", "pv-split", "jamboree", "ybw"):
        found(scheme, workers=1, threshold=2, algorithm="mtdf")
        found(scheme, workers=3, levels=2, schedule="rows", pace=9)
    found("fork-join", workers=2, algorithm="minimax")
    assert len(work.compiled.signatures) == before
