"""Slow, simple searches of Othello, with which submissions are compared. They share no code with the package's rules.

A position has the size of its board and the discs of both sides as bits; bit 8·row + column is a square. A pass is a
move with the code 64, and counts as a ply. Moves are in ascending order of their codes; a finished game has none.
"""

import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple, TypeVar

import numpy as np

from outflank.kernels.compiler import interpreted
from outflank.lab.grading.counted_game import PLAYED, CountedOthello
from outflank.othello.rules import DISCS, Othello, OthelloPosition
from outflank.othello.squares import START, othello, squares

PASS = 64
FAR = 1 << 20
"""More than any value."""
T = TypeVar("T")
STEPS = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right)


class Position(NamedTuple):
    """A position of Othello, as the side to move sees it."""

    size: int
    own: int
    opp: int

    @property
    def game(self) -> Othello | CountedOthello:
        """The rules of the position's board; in the interpreter, rules that count moves."""
        return (CountedOthello if interpreted() else Othello)(othello(self.size).mask, DISCS)

    @property
    def words(self) -> OthelloPosition:
        """The position as the package's functions take it."""
        return OthelloPosition(np.uint64(self.own), np.uint64(self.opp))

    @property
    def value(self) -> int:
        """The difference of discs, for the side to move."""
        return self.own.bit_count() - self.opp.bit_count()

    def __str__(self) -> str:
        return f"Position({self.size}, {self.own:#x}, {self.opp:#x})"  # a Python expression, so that users can try it


@cache
def _rays(size: int) -> dict[int, list[list[int]]]:
    """Return the squares in each direction from each square of a board, as bits."""
    board = set(squares(size))
    rays: dict[int, list[list[int]]] = {}
    for square in board:
        rays[square] = []
        for down, right in STEPS:
            row, column, ray = square // 8 + down, square % 8 + right, []
            while 0 <= column < 8 and 8 * row + column in board:
                ray.append(1 << 8 * row + column)
                row, column = row + down, column + right
            if len(ray) > 1:
                rays[square].append(ray)
    return rays


def _flipped(position: Position, square: int) -> int:
    """Return the discs that a move on an empty square flips; 0: the move is illegal."""
    flipped = 0
    for ray in _rays(position.size)[square]:
        run = 0
        for bit in ray:
            if not position.opp & bit:
                flipped |= run if position.own & bit else 0
                break
            run |= bit
    return flipped


def _placements(position: Position) -> list[tuple[int, Position]]:
    children = []
    taken = position.own | position.opp
    for square in squares(position.size):
        if not taken >> square & 1 and (flipped := _flipped(position, square)):
            child = Position(position.size, position.opp ^ flipped, position.own ^ flipped ^ 1 << square)
            children.append((square, child))
    return children


@cache
def children_of(position: Position) -> list[tuple[int, Position]]:
    """Return the legal moves of a position, each with the position after it."""
    passed = Position(position.size, position.opp, position.own)
    return _placements(position) or ([(PASS, passed)] if _placements(passed) else [])


class Count(NamedTuple):
    """The value of a search, the number of positions that it evaluated, and the number of positions that it entered."""

    value: int
    leaves: int
    nodes: int


@cache
def minimax(position: Position, depth: int) -> Count:
    """Return the minimax value of a position: the difference of discs after `depth` plies or at the end of the game."""
    children = children_of(position) if depth > 0 else []
    if not children:
        return Count(position.value, 1, 1)
    counts = [minimax(child, depth - 1) for _, child in children]
    return Count(max(-count.value for count in counts), sum(c.leaves for c in counts), 1 + sum(c.nodes for c in counts))


def best_move(position: Position, depth: int) -> int:
    """Return the best move by minimax; among equal moves, the one with the lowest code."""
    values = [(-minimax(child, depth - 1).value, -move) for move, child in children_of(position)]
    return -max(values)[1]


def alphabeta(position: Position, depth: int, alpha: int = -FAR, beta: int = FAR) -> Count:
    """Return alpha-beta's value (fail-soft), with moves in ascending order."""
    children = children_of(position) if depth > 0 else []
    if not children:
        return Count(position.value, 1, 1)
    best, leaves, nodes = -FAR, 0, 1
    for _, child in children:
        count = alphabeta(child, depth - 1, -beta, -max(alpha, best))
        best, leaves, nodes = max(best, -count.value), leaves + count.leaves, nodes + count.nodes
        if best >= beta:
            break
    return Count(best, leaves, nodes)


def with_table(
    position: Position,
    depth: int,
    table: dict[Position, tuple[int, int, str]],
    alpha: int = -FAR,
    beta: int = FAR,
) -> Count:
    """Return alpha-beta's value with a table that never loses an entry. An entry is a depth, a value and its kind."""
    known_depth, known, kind = table.get(position, (-1, 0, ""))
    if known_depth == depth and (
        kind == "exact" or (kind == "lower" and known >= beta) or (kind == "upper" and known <= alpha)
    ):
        return Count(known, 0, 1)
    children = children_of(position) if depth > 0 else []
    if not children:
        return Count(position.value, 1, 1)
    best, leaves, nodes = -FAR, 0, 1
    for _, child in children:
        count = with_table(child, depth - 1, table, -beta, -max(alpha, best))
        best, leaves, nodes = max(best, -count.value), leaves + count.leaves, nodes + count.nodes
        if best >= beta:
            break
    table[position] = depth, best, "lower" if best >= beta else "upper" if best <= alpha else "exact"
    return Count(best, leaves, nodes)


def young_brothers(position: Position, depth: int, alpha: int = -FAR, beta: int = FAR) -> Count:
    """Return the value of alpha-beta with young brothers wait. After the first move, all other moves are searched in
    the same window. Their values do not narrow the window for each other."""
    children = children_of(position) if depth > 0 else []
    if not children:
        return Count(position.value, 1, 1)
    eldest = young_brothers(children[0][1], depth - 1, -beta, -alpha)
    best, leaves, nodes = -eldest.value, eldest.leaves, 1 + eldest.nodes
    if best < beta:
        low = max(alpha, best)
        for _, child in children[1:]:
            count = young_brothers(child, depth - 1, -beta, -low)
            best, leaves, nodes = max(best, -count.value), leaves + count.leaves, nodes + count.nodes
    return Count(best, leaves, nodes)


def start(size: int) -> Position:
    """Return the start of a game."""
    return Position(size, int(START.own), int(START.opp))


def drawn_positions(seed: int, subject: str, count: int, *, size: int, plies: tuple[int, int]) -> Iterator[Position]:
    """Yield `count` positions of unfinished games, each after a random number of random moves. `plies` is the range of
    this number."""
    generator = random.Random(f"{seed}/{subject}")
    while count > 0:
        position = start(size)
        for _ in range(generator.randint(*plies)):
            children = children_of(position)
            if not children:
                break
            position = generator.choice(children)[1]
        if children_of(position):
            count -= 1
            yield position


def passing_positions(seed: int, subject: str, count: int, *, size: int) -> Iterator[Position]:
    """Yield `count` random positions in which the side to move must pass."""
    generator = random.Random(f"{seed}/{subject}/passes")
    while count > 0:
        position = start(size)
        while count > 0 and (children := children_of(position)):
            if children[0][0] == PASS:
                count -= 1
                yield position
            position = generator.choice(children)[1]


def nodes_of(search: Callable[[], T]) -> tuple[T, int]:
    """Run a search of one root on `Position.game`; return its result and the number of nodes that it entered."""
    before = PLAYED[0]
    result = search()
    return result, PLAYED[0] - before + 1
