"""The published numbers, and the oracle's where nothing is published."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import outflank
from outflank.abalone.layouts import LAYOUTS, RULES, start
from outflank.boards import board_class
from outflank.kernels.compiler import interpreted
from outflank.othello.squares import START, othello
from outflank.search.perft import Perft, _split_tree, moves_of
from tests.conftest import examples
from tests.drawing import any_positions
from tests.oracles import abalone as abalone_oracle
from tests.oracles import othello as othello_oracle
from tests.walking import legal


def perft(game, position, depth, **options) -> Perft:
    return outflank.perft(board_class(game)(game, position), depth, **options)


LARGEST = 2_000 if interpreted() else 2 * 10**9
"""Trees that the mode at hand counts in seconds."""


def suite(name: str) -> list[tuple[str, int, int]]:
    lines = (Path(__file__).parents[1] / "suites" / f"{name}.perft").read_text().splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    return [(key, int(depth), int(leaves)) for key, depth, leaves in rows if int(leaves) <= LARGEST]


@pytest.mark.parametrize(("size", "depth", "leaves"), suite("othello"))
def test_othello_counts_as_published(size, depth, leaves):
    assert perft(othello(int(size)), START, depth, workers=2).leaves == leaves


@pytest.mark.compiled
@pytest.mark.parametrize(("depth", "leaves"), [(10, 24_571_056), (11, 212_258_216)])
def test_games_that_ended_earlier_need_not_count(depth, leaves):
    assert perft(othello(), START, depth, workers=2, finished=False).leaves == leaves


@pytest.mark.parametrize(("layout", "depth", "leaves"), suite("abalone"))
def test_abalone_counts_as_published(layout, depth, leaves):
    assert perft(RULES, start(layout), depth, workers=2).leaves == leaves


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_every_layout_counts_as_the_oracle_does(layout):
    black, white = abalone_oracle.read_rows(LAYOUTS[layout])
    for depth in (1,) if interpreted() else (1, 2):
        assert perft(RULES, start(layout), depth).leaves == abalone_oracle.perft(black, white, depth)


@pytest.mark.compiled
@pytest.mark.parametrize(("layout", "depth", "leaves"), suite("abalone-oracle"))
def test_every_layout_counts_as_the_oracle_did(layout, depth, leaves):
    assert perft(RULES, start(layout), depth).leaves == leaves


@pytest.mark.parametrize("size", [4, 6, 8])
def test_every_size_counts_as_the_oracle_does(size):
    for depth in range(1, 5 if interpreted() else 7):
        expected = othello_oracle.perft(size, othello_oracle.start(size), "X", depth)
        assert perft(othello(size), START, depth).leaves == expected


@examples(60)
@given(any_positions, st.integers(0, 3), st.integers(1, 4), st.booleans())
def test_the_count_is_what_recursion_says_on_any_number_of_workers(drawn, depth, workers, finished):
    game, position = drawn
    if interpreted():
        depth = min(depth, 1)

    def naive(position, depth):
        if depth == 0:
            return 1
        moves = legal(game, position)
        if not moves:
            return int(finished)
        if depth == 1:
            return len(moves)
        from outflank.games.rules import play

        return sum(naive(play(game, position, move), depth - 1) for move in moves)

    depth = min(depth, 2) if len(legal(game, position)) > 20 else depth
    found = perft(game, position, depth, workers=workers, finished=finished)
    assert found.leaves == naive(position, depth)
    if depth and found.divide:
        assert [move.code for move in found.divide] == legal(game, position)
        assert sum(found.divide.values()) == found.leaves


@pytest.mark.compiled
def test_whole_games_are_counted_to_their_end():
    # 4×4 has at most 12 moves and some passes: past the end of every game the count stands still.
    counts = [perft(othello(4), START, depth, workers=2).leaves for depth in (18, 19, 24)]
    assert counts[0] == counts[1] == counts[2] > 10_000


@pytest.mark.compiled
def test_progress_is_told_and_an_interrupt_stops_the_workers():
    seen = []

    def interrupt(done, total):
        seen.append((done, total))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as interrupted_count:
        perft(RULES, start("german-daisy"), 6, workers=2, progress=interrupt)
    assert seen[0][1] > 2
    assert 0 <= interrupted_count.value.partial_result.leaves < 300_000_000_000
    assert interrupted_count.type is KeyboardInterrupt  # or a script would end with another status than others


@pytest.mark.parametrize(("depth", "workers"), [(-1, 1), (1000, 1), (3, 0), (3, 10**9), (3.5, 1)])
def test_senseless_demands_are_refused(depth, workers):
    with pytest.raises(outflank.OutflankError) as error:
        outflank.perft(outflank.OthelloBoard.start(), depth, workers=workers)
    assert isinstance(error.value, ValueError)


@pytest.mark.interpreted_only
def test_types_of_demands_are_told():
    board = outflank.OthelloBoard.start()
    for demand, said in (
        ({"depth": "3"}, "depth: expected a whole number, found '3'"),
        ({"depth": 3, "workers": "2"}, "workers: expected a whole number from 1 to 1024, found '2'"),
        ({"depth": 3, "progress": 5}, "progress=5: expected a function of how many jobs are done, and of how many"),
    ):
        with pytest.raises(outflank.OutflankError) as error:
            outflank.perft(board, **demand)
        assert str(error.value) == said
    with pytest.raises(outflank.OutflankError, match="perft needs a board, found 'f5'"):
        outflank.perft("f5", 3)
    found = outflank.perft(board, np.int64(2), workers=np.int8(1))
    assert (found.leaves, {str(move): leaves for move, leaves in found.divide.items()}["d3"]) == (12, 3)


@pytest.mark.interpreted_only
@pytest.mark.parametrize(("job_count", "jobs", "depth"), [(1, 4, 6), (5, 12, 5), (13, 56, 4), (1000, 56, 4)])
def test_a_tree_is_split_until_there_are_enough_jobs(job_count, jobs, depth):
    game = othello(8)
    finished, todo = _split_tree(game, START, moves_of(game, START), 7, job_count=job_count)
    assert not finished
    assert [job.depth for job in todo] == [depth] * jobs
