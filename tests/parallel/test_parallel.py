"""Every scheme against the definition, on any number of workers; stopped, failing and crowded crews."""

import os
import threading
from dataclasses import replace
from functools import cache
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import pytest

from outflank import AbaloneBoard, Board, Limits, OthelloBoard, OutflankError, Stop, compare, iterate
from outflank.games.description import description_of
from outflank.games.evaluation import Exact, evaluation_named, value
from outflank.games.rules import most_moves, moves_left, pack, unpack
from outflank.kernels.compiler import interpreted
from outflank.kernels.memory import record_at
from outflank.kernels.record_types import allocate
from outflank.othello.patterns import LEARNT
from outflank.othello.squares import START, othello
from outflank.parallel.delivering import continue_frame
from outflank.parallel.divided import Divided, Plan, default_threshold
from outflank.parallel.schemes import ESTIMATING, PROVING, SELECTIVE
from outflank.parallel.shared_state import ALL, CREW, CUT, FRAME, HAND, OFFER, OPEN, TAKE, frame_bytes
from outflank.parallel.taking import expected_below, serial_moves
from outflank.players.clock import Clock
from outflank.players.specs import player
from outflank.search.algorithms import ALGORITHMS
from outflank.search.division import DEFAULT_SCHEMES, Promise, Scheme, register_scheme, scheme_named, schemes
from outflank.search.probes import Counts
from outflank.search.request import Options
from outflank.search.request_checks import MONTE_CARLO
from outflank.search.results import Result
from outflank.search.root import Root
from outflank.search.root_moves import ranks
from outflank.search.table import EXACT, LOWER, UPPER, Table, bound_of, depth_of, hashed, packed, value_of
from outflank.search.whole_search import search
from tests.pairs import pairwise
from tests.search.test_search import PASSES, assert_played_out, check, truth
from tests.walking import legal, walk

SCHEMES = ("fork-join", "root-split", "pv-split", "jamboree", "ybw", "shared-table", "abdada")
MOVE_PROMISED = ("fork-join", "root-split", "pv-split", "jamboree", "ybw")
WORKERS = (1, 2, 3) if interpreted() else (1, 2, 3, 4, 8)

CHOICES = {
    "parallel": list(SCHEMES),
    "algorithm": ["alphabeta", "pvs", "mtdf", "minimax"],
    "workers": list(WORKERS),
    "threshold": [1, 2, 3, 5, 9],
    "table_bits": [None, 4, 12],
    "schedule": ["one", "rows", "static", 3],
    "levels": [None, 1, 3],
    "canonical": [False, True],
    "passes": list(PASSES),
    "quiescence": [0, 2],
    "ties": ["first", "lowest", "highest"],
    "share_alpha": [True, False],
    "aspiration": [None, 1, 50],
    "deepen": [True, False],
    "sort": ["all", "best", "none"],
    "killers": [False, True],
    "history": [False, True],
    "moves": [1, 3],
    "pace": [0, 7],
    "stumble": [0, 2],
}
EVALUATIONS = {"othello": ["phased", "discs", "mobility"], "abalone": ["rings", "cohesion"]}
if not interpreted():
    EVALUATIONS = {"othello": ["discs", "mobility"], "abalone": ["rings"]}  # of COMPILED_EVALUATIONS


def rows():
    for name, ordering in (("othello", "squares+mobility"), ("abalone", "kinds")):
        choices = {**CHOICES, "evaluation": EVALUATIONS[name], "ordering": ["none", ordering]}
        for number, row in enumerate(pairwise(choices)):
            if row["algorithm"] == "mtdf" and row["ties"] == "first":
                row["ties"] = "lowest"
            if row["algorithm"] not in scheme_named(row["parallel"]).algorithms:
                row["algorithm"] = "pvs"
            if row["parallel"] not in MOVE_PROMISED:
                row["ties"] = "first"
            yield name, number, row


@pytest.fixture
def stumbling(monkeypatch):
    """Makes the crews of a test give up their cores at delicate places, one in so many."""

    def begin(one_in: int) -> None:
        prepare = Divided.prepare

        def stumble_and_prepare(self):
            self.crew.crew.stumble = one_in
            prepare(self)

        monkeypatch.setattr(Divided, "prepare", stumble_and_prepare)

    return begin


@pytest.mark.parametrize(
    ("name", "number", "row"), list(rows()), ids=lambda item: str(item) if isinstance(item, int) else ""
)
def test_pairs_of_options_agree_with_the_definition(name, number, row, stumbling):
    row = dict(row)
    stumbling(row.pop("stumble"))
    for seed in range(11 * number, 11 * number + (1 if interpreted() else 2)):
        check(name, seed, row)


def drawn(number: int):
    """Positions of both games, with a depth at which the schemes have something to divide."""
    for seed in range(number):
        game = othello(8)
        yield OthelloBoard(game, walk(game, START, seed, 8 + 3 * seed % 40)), 6 + seed % 3
        board = AbaloneBoard.start("belgian-daisy")
        yield AbaloneBoard(board.game, walk(board.game, board.position, seed, 4 + seed % 20)), 3 + seed % 2


@cache
def boards() -> list[tuple[Board, int]]:
    return [(board, depth) for board, depth in drawn(3) if legal(board.game, board.position)]


@cache
def alone(number: int, limits: Limits, **options: Any) -> Result:
    """What one worker without a scheme finds on one of `boards`: every scheme is compared with it."""
    return search(boards()[number][0], limits, workers=1, **options)


@pytest.mark.compiled
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_value_and_the_move_are_those_of_one_worker(scheme):
    """On every board with every number of workers, and every algorithm on every board and with every number of them."""
    thresholds = count(1)
    algorithms = scheme_named(scheme).algorithms
    for number, (board, depth) in enumerate(boards()):
        for turn, workers in enumerate(WORKERS):
            algorithm = algorithms[(number + turn) % len(algorithms)]
            limits = Limits(depth=depth - 2 if algorithm == "minimax" else depth)
            options = {"algorithm": algorithm, "table_bits": 10, "ties": "lowest"}
            expected = alone(number, limits, **options)
            threshold = next(thresholds) % 9 + 1
            found = search(board, limits, parallel=scheme, workers=workers, threshold=threshold, **options)
            assert (found.value, found.depth) == (expected.value, expected.depth), (board, workers, threshold)
            if scheme in MOVE_PROMISED:
                assert found.move == expected.move
            assert len(found.workers) == workers


@pytest.mark.compiled
def test_the_first_of_equal_moves_is_the_same_too():
    for board, depth in drawn(6):
        if legal(board.game, board.position):
            alone = search(board, Limits(depth=depth), workers=1, evaluation=None)
            for workers in (2, 4):
                assert search(board, Limits(depth=depth), workers=workers, threshold=2).move == alone.move


@pytest.mark.compiled
@pytest.mark.parametrize("scheme", SCHEMES)
def test_principal_variations_go_to_the_end(scheme):
    """As long as the depth, with a table and without, and played out it has the value; a proof's ends the game."""
    board = OthelloBoard.start()
    for algorithm in scheme_named(scheme).algorithms:
        depth = 6 if algorithm == "minimax" else 8
        for table_bits in (None, 6, 16):
            options = {"algorithm": algorithm, "table_bits": table_bits, "parallel": scheme, "workers": 2}
            found = search(board, Limits(depth=depth), threshold=3, **options)
            assert len(found.pv) == found.depth == depth
            assert_played_out(board, found, evaluation_named(board.game), "free", 0)
    ending = OthelloBoard.from_line("OOOOOOOOXOOXXX--XXOOXOO-XOXOOO--XOOOOX--XOOXOO--XOOOOO--XXXX---- O")  # FFO 21
    found = search(ending, exact=True, parallel=scheme, workers=2, deepen=False)
    assert found.value == 0
    assert_played_out(ending, found, Exact(), "free", 0)


@pytest.mark.compiled
def test_lines_are_those_of_values_not_of_bounds(stumbling):
    """Where many moves are equal and workers are slow to tell what they found, one line in six was a bound's before."""
    stumbling(2)
    board, discs = OthelloBoard.start(6, scoring="discs"), {"evaluation": "discs", "deepen": False}
    for table_bits in (None, 10) * 10:
        options = {"algorithm": "alphabeta", "parallel": "fork-join", "table_bits": table_bits, "workers": 4}
        found = search(board, Limits(depth=7), threshold=1, **options, **discs)
        assert_played_out(board, found, evaluation_named(board.game, "discs"), "free", 0)


# --- node counts ---


@pytest.mark.parametrize("schedule", ["one", "rows", "static", 4])
def test_fork_join_minimax_enters_the_same_nodes(schedule):
    depth = 3 if interpreted() else 6
    board = OthelloBoard.start(6, scoring="discs")
    options = {"algorithm": "minimax", "evaluation": "discs", "deepen": False}
    alone = search(board, Limits(depth=depth), workers=1, **options)
    for workers in WORKERS:
        for scheme in ("fork-join", "root-split"):
            counts = Counts()
            found = search(
                board,
                Limits(depth=depth),
                workers=workers,
                parallel=scheme,
                threshold=1,
                schedule=schedule,
                instrument=counts,
                **options,
            )
            assert (found.value, found.move, found.nodes) == (alone.value, alone.move, alone.nodes)
            assert sum(counts.nodes[1:]) + found.leaves == found.nodes
            assert sum(worker.executed for worker in found.workers) <= sum(worker.spawned for worker in found.workers)


@pytest.mark.compiled
@pytest.mark.parametrize("algorithm", ["alphabeta", "mtdf"])
def test_one_worker_of_a_scheme_enters_the_nodes_of_one_alone(algorithm):
    for number, (board, depth) in enumerate(boards()):
        expected = alone(number, Limits(depth=depth), algorithm=algorithm)
        for scheme in ("fork-join", "root-split", "pv-split", "ybw", "shared-table", "abdada"):
            one = search(board, Limits(depth=depth), workers=1, algorithm=algorithm, parallel=scheme)
            assert (one.nodes, one.leaves, one.value) == (expected.nodes, expected.leaves, expected.value), scheme


@pytest.mark.compiled
@pytest.mark.parametrize("algorithm", ["alphabeta", "mtdf"])
def test_one_worker_of_a_scheme_proves_by_the_nodes_of_one_alone(algorithm):
    """Also with elders that wait longer, or not at all."""
    game = othello(8)
    for seed in range(3):
        board = OthelloBoard(game, walk(game, START, seed, 44))
        alone = search(board, exact=True, workers=1, algorithm=algorithm)
        for scheme in ("pv-split", "ybw"):
            one = search(board, exact=True, workers=1, algorithm=algorithm, parallel=scheme, threshold=12)
            assert (one.nodes, one.value, one.move) == (alone.nodes, alone.value, alone.move), scheme


# --- who waits for whom ---


def frame_of(expected: int, depth: int = 20, moves: int = 8) -> np.record:
    frame = allocate(FRAME, 1)[0]
    frame.expected, frame.depth, frame.count, frame.opener = expected, depth, moves, -1
    return frame


def crew_of(plan: Plan, threshold: int = 13) -> np.record:
    crew = allocate(CREW, 1)[0]
    crew.eldest_first, crew.serial_moves, crew.serial_moves_at_cut = (
        plan.eldest_first,
        plan.serial_moves,
        plan.serial_moves_at_cut,
    )
    crew.serial_moves_at_all = plan.serial_moves_at_all
    crew.near_leaves, crew.wait_while_improving = threshold + plan.near_leaves, plan.wait_while_improving
    return crew


@pytest.mark.interpreted_only
def test_what_is_expected_below_a_move():
    """Null windows: what should be cut off leads by its first move to what should not; every other move to what should
    be, for once the first has failed nothing is expected of the others."""
    for above in (OPEN, CUT, ALL):
        assert expected_below(frame_of(above), 0, 4, 9) == expected_below(frame_of(above), 3, 4, 9) == OPEN
        assert expected_below(frame_of(above), 0, 4, 5) == (ALL if above == CUT else CUT)
        assert expected_below(frame_of(above), 1, 4, 5) == CUT


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("plan", "above", "near"),
    [
        (PROVING, (2, 2, 1), (1, 1, 0)),
        (ESTIMATING, (2, 1, 1), (2, 1, 1)),
        (SELECTIVE, (1, 1, 0), (0, 0, 0)),
        (Plan(eldest_first=True), (1, 1, 1), (1, 1, 1)),
        (Plan(eldest_first=False), (0, 0, 0), (0, 0, 0)),
    ],
)
def test_how_many_elders_go_first(plan, above, near):
    """Where the window is open, where a cut-off is expected and where none is: the more the more is at stake."""
    crew = crew_of(plan)
    assert tuple(int(serial_moves(crew, frame_of(kind, depth=16))) for kind in (OPEN, CUT, ALL)) == above
    assert tuple(int(serial_moves(crew, frame_of(kind, depth=15))) for kind in (OPEN, CUT, ALL)) == near


@pytest.mark.interpreted_only
def test_brothers_wait_as_long_as_each_move_beats_the_best():
    crew, hand, frame = crew_of(PROVING), allocate(HAND, 1)[0], frame_of(OPEN)
    for index, leads, step in ((0, True, TAKE), (1, True, TAKE), (2, True, TAKE), (3, False, OFFER)):
        hand.index, frame.next = index, index + 1
        assert continue_frame(crew, hand, frame, leads) == step
    hand.index, frame.next = 1, 2
    assert continue_frame(crew, hand, frame, False) == OFFER
    assert continue_frame(crew_of(ESTIMATING), hand, frame, True) == OFFER


# To compile the exact search without endgame kernels takes six seconds, for this test alone.
@pytest.mark.parametrize("exact", [False, pytest.param(True, marks=pytest.mark.interpreted_only)])
def test_only_what_a_game_can_still_have_is_divided(exact):
    """However deep the search: the last plies before the end are not worth sharing."""
    game = othello(4)
    threshold = (
        4 if interpreted() else default_threshold(Root(game, START, Options(exact=exact, use_endgame_kernels=False)))
    )
    for before, divided in ((11 - threshold, True), (12 - threshold, False)):
        position = walk(game, START, 1, before)
        assert int(moves_left(game, position)) == 12 - before
        options = Options(
            exact=exact, use_endgame_kernels=False, evaluation="discs", threshold=threshold, table_bits=None
        )
        root = Root(game, position, options)
        division = Divided(root, 1, Plan(eldest_first=True))
        try:
            root.stop()
            division.prepare()
            root.begin_search(None)
            division.search_window(50, -1, 1, best_count=1, moves=root.moves)
            assert (division.crew.hands["frames"].sum() > 0) == divided
        finally:
            division.close()


def test_a_dearer_evaluation_is_divided_more_finely():
    """What was learnt takes three times as long at a leaf."""
    simple, learnt = (Root(othello(8), START, Options(evaluation=name)) for name in ("phased", LEARNT.name))
    assert default_threshold(learnt) == default_threshold(simple) - 2
    assert default_threshold(Root(othello(8), START, Options(selectivity=73))) == default_threshold(learnt)


# --- stopping ---


def entries_of(table: Table, game):
    """Every position that a table knows, with its data.

    Two workers that write one entry at once may leave words of both. Such an entry reads as another position, which
    cannot occur or belongs to another bucket, so that no search finds it: it is left out.
    """
    find_error = description_of(game).find_error
    for number, bucket in enumerate(table.words.reshape(-1, 16)):
        for first, second, data in bucket[:15].reshape(5, 3):
            if data and int(hashed(first ^ data, second ^ data)) >> table.shift == number:
                position = unpack(game, first ^ data, second ^ data)
                if not find_error(game, position):
                    yield position, data


def test_a_torn_entry_is_left_out():
    table, game = Table(4), othello(8)
    position = walk(game, START, 1, 20)
    first, second = pack(game, position)
    place = 16 * (int(hashed(first, second)) >> table.shift)
    older, newer = packed(2, 4, LOWER, 3, 0), packed(0, 4, LOWER, 5, 0)
    table.words[place : place + 3] = first ^ newer, second ^ newer, newer
    assert list(entries_of(table, game)) == [(position, newer)]
    table.words[place : place + 3] = first ^ older, second ^ older, newer
    assert list(entries_of(table, game)) == []


def assert_true(table: Table, game, evaluation, most: int, deepest: int, passes: str = "free") -> int:
    """What a table says of positions holds by the definition; how many entries were looked at."""
    checked = 0
    for position, data in entries_of(table, game):
        depth, bound = int(depth_of(data)), int(bound_of(data))
        if depth > deepest or bound == 0 or checked == most:
            continue
        found, stored = truth(game, evaluation, position, depth, passes, 0), int(value_of(data))
        holds = {EXACT: found == stored, LOWER: found >= stored, UPPER: found <= stored}[bound]
        assert holds, f"{position}, depth {depth}: {stored} with bound {bound}, but it is {found}"
        checked += 1
    return checked


@pytest.mark.compiled
@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_aborted_part_writes_nothing(scheme, stumbling):
    """Stop at random, go on with the same table: every entry is true, and the values stay those of a fresh search."""
    stumbling(3)
    random = np.random.default_rng(7)
    for board in (
        OthelloBoard.from_line("-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X"),
        AbaloneBoard.start("belgian-daisy"),
    ):
        name = "mobility" if isinstance(board, OthelloBoard) else "rings"
        evaluation = evaluation_named(board.game, name)
        depths = (6, 7) if isinstance(board, OthelloBoard) else (3, 4)
        fresh = {depth: search(board, Limits(depth=depth), workers=1, evaluation=name).value for depth in depths}
        table = Table(10)
        for _ in range(8):
            options = {
                "parallel": scheme,
                "workers": int(random.choice([2, 3, 4])),
                "threshold": int(random.integers(1, 5)),
                "algorithm": str(random.choice(["alphabeta", "pvs", "mtdf"])),
                "evaluation": name,
                "table": table,
            }
            search(board, Limits(depth=depths[1] + 1, nodes=int(random.integers(1, 30_000))), **options)
            depth = int(random.choice(depths))
            assert search(board, Limits(depth=depth), **options).value == fresh[depth]
        deepest = 4 if isinstance(board, OthelloBoard) else 2
        assert assert_true(table, board.game, evaluation, 400, deepest) > 50


@pytest.mark.compiled
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_crew_is_stopped_from_another_thread(scheme):
    board, stop = OthelloBoard.start(), Stop()
    threads = threading.active_count()
    found = None
    for found in iterate(board, stop=stop, parallel=scheme, workers=3):  # the last one is wanted
        if found.depth == 4:
            # Not by a clock that starts now: on a busy machine nothing would have been found when it rings.
            other = threading.Timer(0.05, stop)
            other.start()
    other.join()
    assert found.stopped
    assert found.move in board.legal_moves
    assert found.depth > 3
    assert threading.active_count() <= threads


def test_a_search_that_is_not_finished_leaves_no_thread_behind():
    threads = threading.active_count()
    results = iterate(OthelloBoard.start(), Limits(depth=4), parallel="ybw", workers=3, evaluation="discs")
    next(results)
    results.close()
    assert threading.active_count() == threads


@pytest.mark.compiled
def test_the_shortest_time_limit_ends_a_search():
    search(OthelloBoard.start(), Limits(depth=2))
    for seconds in (1e-9, 1e-6, 1e-4, 1e-3) * 20:
        for workers in (1, 2):
            assert search(OthelloBoard.start(), Limits(seconds=seconds), workers=workers).stopped


@pytest.mark.compiled
def test_nodes_are_limited_for_all_workers_together():
    for scheme in SCHEMES:
        found = search(OthelloBoard.start(), Limits(nodes=50_000), parallel=scheme, workers=4)
        assert found.stopped
        assert 50_000 <= found.nodes < 80_000


# --- failures ---


class Fragile(NamedTuple):
    """An evaluation that breaks where more than `most` discs are on the board."""

    most: int


@value.register(Fragile)
def _(evaluation, game, position, state):
    discs = 0
    word = position.own | position.opp
    while word != np.uint64(0):
        word &= word - np.uint64(1)
        discs += 1
    if discs > evaluation.most:
        raise ValueError("too many discs")
    return np.int64(discs)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_failure_in_a_worker_reaches_the_caller(scheme):
    threads = threading.active_count()
    for depth in (2, 3) if interpreted() else (4, 6, 8):
        with pytest.raises(ValueError, match="too many discs"):
            search(
                OthelloBoard.start(),
                Limits(depth=depth),
                parallel=scheme,
                workers=3,
                threshold=1,
                evaluation=Fragile(3 + depth),
                deepen=False,
            )
        assert threading.active_count() == threads
    fine = search(OthelloBoard.start(), Limits(depth=2), parallel=scheme, workers=3, evaluation=Fragile(60))
    assert fine.depth == 2


# --- what is left behind ---


@pytest.mark.compiled
def test_every_frame_comes_back_and_no_permit_is_left(stumbling):
    stumbling(2)
    for board, depth in drawn(4):
        if not legal(board.game, board.position):
            continue
        for plan in (
            ESTIMATING,
            PROVING,
            Plan(eldest_first=False),
            Plan(eldest_first=True, scouts_in_order=True),
        ):
            root = Root(board.game, board.position, Options(threshold=1, table_bits=8, parallel="ybw"))
            division = Divided(root, 4, plan)
            try:
                root.stop()
                division.prepare()
                root.begin_search(None)
                for alpha, beta in ((-3, -2), (0, 40), (-30_000, 30_000), (-100, 100)):
                    division.search_window(depth - 1, alpha, beta, best_count=1, moves=root.moves)
                    hands = division.crew.hands
                    assert hands["frames"].sum() == hands["released"].sum()
                    assert (hands["top"] == hands["bottom"]).all()
                    assert (hands["idle"][1:] == 1).all()
            finally:
                division.close()


@pytest.mark.compiled
def test_more_workers_than_any_constant():
    board = OthelloBoard.start()
    alone = search(board, Limits(depth=7), workers=1)
    for scheme in ("ybw", "abdada"):
        found = search(board, Limits(depth=7), parallel=scheme, workers=256, threshold=2)
        assert (found.value, len(found.workers)) == (alone.value, 256)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system does not bind threads to cores")
def test_pinned_workers_let_go_of_their_cores():
    before = os.sched_getaffinity(0)
    found = search(OthelloBoard.start(4), Limits(depth=3), workers=2, parallel="ybw", pin="spread", evaluation="discs")
    assert found.depth == 3
    assert os.sched_getaffinity(0) == before


# --- the contract ---


def test_anybody_can_add_a_scheme():
    mine = Scheme(
        name="mine",
        algorithms=("alphabeta",),
        promises=Promise.VALUE | Promise.MOVE,
        overhead="waiting",
        divide=lambda root, workers: Divided(root, workers, Plan(eldest_first=True, levels=2)),
    )
    register_scheme(mine)
    assert "mine" in schemes()
    board = OthelloBoard.start(4)
    options = {"algorithm": "alphabeta", "evaluation": "discs"}
    found = search(board, Limits(depth=3), parallel="mine", workers=2, **options)
    assert (found.scheme, found.value) == ("mine", search(board, Limits(depth=3), workers=1, **options).value)


@pytest.mark.interpreted_only
@pytest.mark.parametrize("name", SCHEMES)
def test_nobody_takes_over_a_scheme_of_the_package(name):
    own = scheme_named(name)
    with pytest.raises(OutflankError, match=rf"^scheme '{name}' is outflank\.parallel\.\w+: choose another name$"):
        register_scheme(replace(own, divide=lambda root, workers: own.divide(root, workers)))
    assert register_scheme(own) is scheme_named(name) is own


def test_a_comparison_is_made_at_the_same_depth():
    board, options = OthelloBoard.start(4), {"evaluation": "discs", "parallel": "ybw", "workers": 2}
    together = search(board, Limits(depth=3), **options)
    beside = compare(board, together, **options)
    assert (beside.alone.depth, beside.alone.value, beside.alone.scheme) == (3, together.value, None)
    assert beside.search_overhead == together.nodes / beside.alone.nodes - 1
    assert beside.efficiency == beside.speed_up / 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parallel": "ybv"}, "did you mean 'ybw'"),
        ({"parallel": "ybw", "algorithm": "minimax"}, "ybw does not support minimax"),
        (
            {"parallel": "tree-parallel", "algorithm": "flat"},
            "tree-parallel does not support flat: only uct; root-parallel supports flat",
        ),
        ({"workers": 0}, "workers=0"),
        ({"threshold": -1}, "threshold=-1"),
        ({"levels": 0}, "levels=0"),
        ({"schedule": "none"}, "schedule='none'"),
        ({"schedule": 0}, "schedule=0"),
        ({"workers": 10**9, "parallel": "ybw"}, "workers=1000000000: expected a whole number from 1 to 1024"),
    ],
)
def test_impossible_options_are_refused(options, message):
    limits = Limits(nodes=1) if options.get("algorithm") in MONTE_CARLO else Limits(depth=1)
    with pytest.raises(OutflankError, match=message):
        search(OthelloBoard.start(), limits, **options)


# --- Monte-Carlo ---


@pytest.mark.compiled
@pytest.mark.parametrize("scheme", ["root-parallel", "tree-parallel"])
def test_trees_count_every_game_once(scheme):
    board = OthelloBoard.start()
    root = Root(board.game, board.position, Options(algorithm="uct"))
    playing = scheme_named(scheme).divide(root, 4)
    root.begin_search(None)
    playing.play(0)
    playing.play(20_000)
    games = sum(int(tree[0]["visits"]) for tree in playing.trees)
    assert games == 20_000
    for tree in playing.trees:
        first, children = int(tree[0]["children"]), int(tree[0]["count"])
        below = tree[first : first + children]
        assert int(below["visits"].sum()) == int(tree[0]["visits"])
        assert int(below["won"].sum()) == -int(tree[0]["won"])
        assert (np.abs(tree["won"]) <= 1000 * tree["visits"]).all()  # no virtual loss is left


@pytest.mark.parametrize(("algorithm", "scheme"), [("uct", "tree-parallel"), ("flat", "root-parallel")])
@pytest.mark.filterwarnings("ignore:overflow encountered")  # of a generator that means it, in the interpreter
def test_workers_of_monte_carlo_have_a_usual_scheme(algorithm, scheme):
    board = OthelloBoard.start(4)
    found = search(board, Limits(nodes=200), algorithm=algorithm, workers=2)
    assert (found.scheme, len(found.workers)) == (scheme, 2)
    assert search(board, Limits(nodes=200), algorithm=algorithm).scheme is None  # a seed repeats it
    playing = player(f"computer algorithm={algorithm} workers=2 nodes=200", board.game)
    assert playing.choose(board, Clock()).move in board.legal_moves


@pytest.mark.interpreted_only
def test_every_algorithm_has_a_usual_scheme_that_supports_it():
    assert set(DEFAULT_SCHEMES) == {*ALGORITHMS, *MONTE_CARLO}
    assert all(algorithm in scheme_named(name).algorithms for algorithm, name in DEFAULT_SCHEMES.items())


@pytest.mark.compiled
@pytest.mark.parametrize("scheme", ["root-parallel", "tree-parallel"])
def test_parallel_monte_carlo_settles_on_a_move_that_the_solver_calls_best(scheme):
    game = othello(4)
    for seed in range(4):
        here = OthelloBoard(game, walk(game, START, seed, 3))
        solved = search(here, exact=True, moves=20, workers=1)
        best = {entry.move for entry in solved.best if np.sign(entry.value) == np.sign(solved.value)}
        found = search(here, Limits(nodes=200_000), algorithm="uct", parallel=scheme, workers=3)
        assert found.move in best
        assert (found.scheme, len(found.workers)) == (scheme, 3)


@pytest.mark.compiled
@pytest.mark.slow(7)
def test_a_short_stress():
    from tests import stress

    seen = stress.run(120, seed=int(os.environ.get("OUTFLANK_STRESS_SEED", "3")))
    assert min(seen[what] for what in ("stopped", "finished", "aborts obeyed", "moves of others", "frames")) > 0
    assert seen["values compared"] > 50
    assert seen["entries compared"] > 500


def test_what_a_worker_has_in_hand_is_seen_from_outside():
    root = Root(othello(), START, Options(evaluation="discs"))
    division = Divided(root, 3, Plan(eldest_first=True))
    moves, hands, top = root.moves, division.crew.hands, division.crew.root_frame
    division._window = 0, moves, ranks(moves, "first")
    below = top + frame_bytes(most_moves(root.game))
    record_at(top, FRAME).opener = 0
    inner_frame = record_at(below, FRAME)
    inner_frame.above, inner_frame.index, inner_frame.opener = top, 2, 1
    for hand, frame, index in zip(hands, (top, below, 12345), (0, 7, 0), strict=True):
        hand.idle, hand.frame, hand.index, hand.depth = 0, frame, index, 5
    own, stolen, unseen = division.standing().workers
    assert (own.move, own.depth, own.stolen) == (moves[0], 5, False)
    assert (stolen.move, stolen.stolen) == (moves[2], True)  # its own frame, below a move that another had offered
    assert (unseen.busy, unseen.move) == (True, None)
    inner_frame.above = below  # as a frame that is used again may seem for a moment
    assert division.standing().workers[1].move is None
    hands["idle"] = 1
    assert not any(each.busy for each in division.standing().workers)
    division.close()
