"""Othello's kernels of exact endings against the plain rules: flips, stability, and values."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.games.endings import UNBOUNDED, ceiling, ending_moves, ending_value, exact_promise, workspaces
from outflank.games.evaluation import Exact
from outflank.games.rules import MOVE, most_moves
from outflank.kernels.bits import U64
from outflank.kernels.compiler import interpreted, kernel
from outflank.kernels.memory import address_of
from outflank.kernels.record_types import allocate
from outflank.othello import orderings  # noqa: F401  # registers Othello's
from outflank.othello.endings import exact_values  # noqa: F401  # registers Othello's
from outflank.othello.endings.flipping import count_of_last, turned
from outflank.othello.endings.line_tables import stable_edges
from outflank.othello.endings.stability import score_ceiling, stable
from outflank.othello.rules import Othello, OthelloPosition
from outflank.othello.squares import START, edge, othello, scoring_of, size_of, squares
from outflank.search.many_endings import solve_many
from outflank.search.worker import WORKER
from tests.conftest import examples
from tests.drawing import SEEDS
from tests.oracles import othello as oracle
from tests.oracles.search import minimax
from tests.walking import walk

MANY = 8
"""Empty squares up to which values are found by the definition."""


@kernel
def turned_kernel(space, own, opp, square):
    return turned(space, own, opp, square)


@kernel
def count_kernel(space, own, square):
    return count_of_last(space, own, square)


@kernel
def stable_kernel(space, own, opp):
    return stable(space, own, opp)


@kernel
def most_kernel(space, own, opp):
    return score_ceiling(space, own, opp)


@kernel
def value_kernel(game, position, alpha, beta, worker):
    return ending_value(game, position, alpha, beta, worker)


@kernel
def ceiling_kernel(game, position, alpha, worker):
    return ceiling(game, position, alpha, worker)


@cache
def space_of(game: Othello):
    """A workspace for a game, and the array that keeps it alive."""
    return workspaces(game, 1)


@cache
def workers_of(game: Othello):
    workers = allocate(WORKER, 1)
    workers[0].workspace = address_of(space_of(game))
    return workers


def drawn_game(draw) -> Othello:
    return othello(draw(st.sampled_from([4, 6, 8])), draw(st.sampled_from(["winner-takes-empties", "discs"])))


@st.composite
def boards(draw, fewest: int, most: int):
    """A game and a board with so many empty squares: reached by play, or set down anyhow with islands of them, for one
    side alone too."""
    game = drawn_game(draw)
    size = size_of(game)
    if interpreted() and most == MANY:
        most = 7 if size == 4 else 5  # the definition in plain Python
    empties = draw(st.integers(fewest, most))
    if draw(st.booleans()):
        position = walk(game, START, draw(SEEDS), max(0, size * size - 4 - empties))
        if fewest <= empties_of(game, position) <= most:
            return game, position
    random = np.random.default_rng(draw(SEEDS))
    share = draw(st.sampled_from([0.5, 0.5, 0.2, 0.8, 0.0, 1.0]))
    own = opp = 0
    for square in random.permutation(squares(size))[: size * size - empties]:
        if random.random() < share:
            own |= 1 << int(square)
        else:
            opp |= 1 << int(square)
    return game, OthelloPosition(U64(own), U64(opp))


def empties_of(game: Othello, position: OthelloPosition) -> int:
    return (int(game.mask) & ~(int(position.own) | int(position.opp))).bit_count()


def as_discs(game: Othello, position: OthelloPosition) -> oracle.Discs:
    """The oracle's board; the side to move is X."""
    return {place(game, s): mark for mark, word in zip("XO", position, strict=True) for s in bits(word)}


def bits(word) -> list[int]:
    return [square for square in range(64) if int(word) >> square & 1]


def place(game: Othello, square: int) -> oracle.Square:
    first = edge(size_of(game))
    return square % 8 - first, square // 8 - first


def word_of(game: Othello, places) -> int:
    first = edge(size_of(game))
    return sum(1 << 8 * (row + first) + column + first for column, row in places)


@examples(200)
@given(boards(1, 40))
def test_a_move_turns_what_the_rules_say(drawn):
    game, position = drawn
    size, discs = size_of(game), as_discs(game, position)
    space = space_of(game)[0]
    for square in bits(game.mask & ~(position.own | position.opp)):
        expected = word_of(game, oracle.turned(size, discs, "X", place(game, square)))
        assert int(turned_kernel(space, position.own, position.opp, U64(square))) == expected


@examples(200)
@given(boards(1, 1))
def test_a_last_move_is_counted_without_making_it(drawn):
    game, position = drawn
    if empties_of(game, position) != 1:
        return
    (square,) = bits(game.mask & ~(position.own | position.opp))
    expected = oracle.turned(size_of(game), as_discs(game, position), "X", place(game, square))
    assert count_kernel(space_of(game)[0], position.own, U64(square)) == len(expected)


def continuations(size: int, discs: oracle.Discs, side: str, seen: dict) -> None:
    """All boards that can follow, with the side to move."""
    key = (frozenset(discs.items()), side)
    if key in seen:
        return
    seen[key] = discs
    for move in oracle.moves(size, discs, side):
        continuations(size, oracle.play(size, discs, side, move), oracle.other(side), seen)


@examples(200)
@given(boards(0, 5))
def test_no_continuation_turns_a_stable_disc(drawn):
    game, position = drawn
    size, discs = size_of(game), as_discs(game, position)
    space = space_of(game)[0]
    found = int(stable_kernel(space, position.own, position.opp))
    assert found & ~int(position.own) == 0
    if empties_of(game, position) == 0:
        assert found == int(position.own)
    # Whoever is to move, now or after a game that goes on elsewhere.
    seen: dict = {}
    for side in "XO":
        continuations(size, discs, side, seen)
    assert all(after[place(game, square)] == "X" for after in seen.values() for square in bits(found))


def edge_lines(size: int, own: int, opp: int, seen: set) -> None:
    """All that play along one edge alone can make of it, by whoever and whenever."""
    if (own, opp) in seen:
        return
    seen.add((own, opp))
    discs = {(place, 0): mark for mark, word in (("X", own), ("O", opp)) for place in range(size) if word >> place & 1}
    for free in range(size):
        if (own | opp) >> free & 1:
            continue
        for side in "XO":
            flipped = sum(1 << x for x, _ in oracle.turned(size, discs, side, (free, 0)))
            mine, yours = (own, opp) if side == "X" else (opp, own)
            mine, yours = mine | flipped | 1 << free, yours & ~flipped
            edge_lines(size, *((mine, yours) if side == "X" else (yours, mine)), seen)


@pytest.mark.interpreted_only
@pytest.mark.parametrize("size", [4, 6, 8])
def test_the_table_of_edges_has_all_that_is_stable_along_them(size):
    found = stable_edges(size)
    random = np.random.default_rng(size)
    for _ in range(40):
        cells = random.choice(["X", "O", "-"], size=size, p=[0.45, 0.35, 0.2])
        own, opp = (sum(1 << place for place in range(size) if cells[place] == mark) for mark in "XO")
        seen: set = set()
        edge_lines(size, own, opp, seen)
        expected = own
        for after, _ in seen:
            expected &= after
        first = edge(size)
        assert int(found[own << first, opp << first]) == expected << first


def defined_value(game: Othello, position: OthelloPosition) -> int:
    """The score under perfect play, by the definition."""
    if interpreted():
        return plain_value(game, as_discs(game, position), "X")
    moves = np.zeros((24, most_moves(game)), MOVE)
    return int(minimax(game, Exact(), position, empties_of(game, position) + 1, 0, 0, moves, 0))


def plain_value(game: Othello, discs: oracle.Discs, side: str) -> int:
    size = size_of(game)
    moves = oracle.moves(size, discs, side)
    if not moves:
        return oracle.score(size, discs, side, winner_takes_empties=scoring_of(game) == "winner-takes-empties")
    return max(-plain_value(game, oracle.play(size, discs, side, move), oracle.other(side)) for move in moves)


def check_window(game: Othello, position: OthelloPosition, value: int, alpha: int, beta: int) -> None:
    """Alpha-beta's promise."""
    found = int(value_kernel(game, position, alpha, beta, workers_of(game)[0]))
    if found <= alpha:
        assert value <= found
    elif found >= beta:
        assert value >= found
    else:
        assert value == found


LIMIT = 1 << 20


@examples(400)
@given(boards(0, MANY), st.integers(-65, 64), st.integers(1, 40))
def test_values_of_endings_are_those_of_the_definition(drawn, alpha, width):
    game, position = drawn
    value = defined_value(game, position)
    worker = workers_of(game)[0]
    assert value_kernel(game, position, -LIMIT, LIMIT, worker) == value
    for low, high in ((alpha, alpha + 1), (alpha, alpha + width), (value - 1, value), (value, value + 1)):
        check_window(game, position, value, low, high)
    assert most_kernel(space_of(game)[0], position.own, position.opp) >= value
    for low in (-64, alpha, 0, 63):
        assert ceiling_kernel(game, position, low, worker) >= value


@pytest.mark.compiled
@examples(60)
@given(boards(9, 11), st.integers(-65, 64))
def test_windows_agree_where_the_table_is_used(drawn, alpha):
    # A fresh workspace and one that remembers other endings, null windows and the open one.
    game, position = drawn
    workers, fresh = allocate(WORKER, 1), workspaces(game, 1)
    workers[0].workspace = address_of(fresh)
    value = int(value_kernel(game, position, -LIMIT, LIMIT, workers[0]))
    assert value_kernel(game, position, value - 1, value + 1, workers_of(game)[0]) == value
    for low in (alpha, value - 2, value - 1, value, value + 1):
        check_window(game, position, value, low, low + 1)


def test_nodes_below_the_position_are_counted():
    game = othello(4)
    worker = workers_of(game)[0]
    worker.nodes = 7
    full = OthelloPosition(game.mask & U64(0x5555555555555555), game.mask & U64(0xAAAAAAAAAAAAAAAA))
    assert value_kernel(game, full, -LIMIT, LIMIT, worker) == 0
    assert worker.nodes == 7
    # The top row is --OOOOOX on a board that is X's else: one move, and then nobody has one.
    game = othello(8)
    worker = workers_of(game)[0]
    worker.nodes = 7
    two = OthelloPosition(U64(0xFFFFFFFFFFFFFF80), U64(0x7C))
    assert value_kernel(game, two, 62, 63, worker) == 64
    assert worker.nodes == 7 + 1


@pytest.mark.interpreted_only
def test_a_board_of_another_shape_has_no_kernels_of_endings():
    mask = U64(sum(1 << (8 * row + column) for row in range(7) for column in range(1, 6)))
    game = Othello(mask, 0)
    assert ending_moves(game) == -1
    assert workspaces(game, 1) is None
    worker = allocate(WORKER, 1)[0]
    assert ceiling(game, START, 40, worker) == UNBOUNDED
    assert ending_moves(othello(6)) > 0


@pytest.mark.interpreted_only
@pytest.mark.parametrize("size", [4, 6, 8])
def test_where_nobody_looks_a_square_counts_by_itself_and_by_the_parity_of_its_quarter(size):
    game, first = othello(size), 9 * edge(size)
    last = first + size - 1
    corner, inside, other = 1 << first, 1 << first + 9, 1 << last
    nothing = OthelloPosition(U64(0), game.mask)  # no answers, and nothing open

    def promises(empty: int, *moves: int) -> list[int]:
        position = OthelloPosition(U64(int(game.mask) & ~empty), U64(0))
        return [int(exact_promise(game, position, MOVE(move), nothing, 0)) for move in moves]

    alone, beside = promises(corner | inside, first, first + 9)
    assert alone > beside
    # Of two corners the one that is alone in its quarter, or one of three.
    odd, even = promises(corner | other | 1 << last + 7, first, last)
    assert odd > even


def test_few_endings_are_shared_out_among_all_threads():
    """Where each took a thousand at once, the first one had all of them."""
    words = np.array([[U64(2**64 - 2), U64(0)], [U64(0), U64(2**64 - 2)]] * 20, np.uint64)  # one square is empty
    told = []
    found = solve_many(othello(8), words, workers=2, done=told.append)
    assert found.tolist() == [64, -64] * 20
    assert sum(told) == len(words)
    assert max(told) <= len(words) // 4
