"""What cilkview counts of the programs behind reports 002 and 004, from the trees that they search.

Both walk a tree of minimax in `cilk_for` loops, 002 over the moves of a node and 004 over the rows of the board, the
moves of a row one after the other. A loop over n places is halved until every place is alone, each half a spawn. So
spawns, strands, frames and entries follow from the tree; the longest path through it is taken in nodes here, in
instructions there.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from outflank.games.hints import row
from outflank.games.rules import MOVE, fill, is_pass, most_moves, play
from outflank.kernels.compiler import inner, kernel
from outflank.lab.classroom import closing_turns_004, new_board, self_play
from outflank.lab.spans import BURDEN_NODES, NO_SPANS, Spans
from outflank.othello.programs import PROGRAMS, UNDIVIDED_002
from outflank.search.contract import Stop

ROWS, HALVINGS = 8, 3
"""Places of report 004's loop, whether there is a move in a row or not; and how often it is halved."""

DEEPEST = 64
"""Plies for which there is room."""


@kernel
def walk(game, position, depth, alone, by_rows, moves, start):
    """Work and span in nodes below a position, itself included; levels of halving and loops on that path; spawns and
    loops in all. With `alone` plies left or fewer nothing is divided."""
    one, none = np.int64(1), np.int64(0)
    if depth == 0:
        return one, one, none, none, none, none
    end = fill(game, position, moves, start)
    if end == start or (end == start + 1 and is_pass(game, moves[start])):
        if by_rows:  # it looks into every row, finds nothing, and evaluates
            return one, one, np.int64(HALVINGS), one, np.int64(ROWS), one
        if end == start:
            return one, one, none, none, none, none
        found = walk(game, play(game, position, moves[start]), depth, alone, by_rows, moves, end)  # it costs no ply
        return found[0] + 1, found[1] + 1, found[2], found[3], found[4], found[5]
    if depth == 1 and alone >= 1:
        return end - start + 1, end - start + 1, none, none, none, none
    divided = depth > alone
    work, spawns, loops = one, none, none
    # The longest job so far and its path; and the job in hand.
    longest, levels, nested = none, none, none
    job, job_levels, job_nested = none, none, none
    for index in range(start, end):
        if index == start or not by_rows or row(game, moves[index]) != row(game, moves[index - 1]):
            job, job_levels, job_nested = none, none, none
        if depth == 1:
            work, job = work + 1, job + 1
        else:
            child = play(game, position, moves[index])
            found = walk(game, child, depth - 1, alone, by_rows, moves, end)
            work += found[0]
            job, job_levels, job_nested = job + found[1], job_levels + found[2], job_nested + found[3]
            spawns, loops = spawns + found[4], loops + found[5]
        if job > longest:
            longest, nested = job, job_nested
            levels = job_levels + (HALVINGS if by_rows else halvings(index - start, end - start))
    if not divided:
        return work, work, none, none, none, none
    return work, longest + 1, levels, nested + 1, spawns + (ROWS if by_rows else end - start), loops + 1


@inner
def halvings(place, count):
    """How often a loop over `count` places is halved until `place` is alone."""
    low, high, times = 0, count, 0
    while high - low > 1:
        middle = low + (high - low) // 2
        times += 1
        if place < middle:
            high = middle
        else:
            low = middle
    return times


@walk.sample
def _walk_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    moves = np.zeros(DEEPEST * most_moves(game), MOVE)
    yield game, position, np.int64(1), np.int64(0), True, moves, np.int64(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loops:
    """A game of one of the programs, as cilkview sees it."""

    work: int
    """Nodes."""
    span: int
    """Nodes."""
    levels: int
    """Halvings of loops on the longest path."""
    nested: int
    """Loops on it."""
    spawns: int
    loops: int
    turns: int
    """Entries to the parallel region."""

    @property
    def spans(self) -> Spans:
        """The same with the burden that is assumed in nodes: a migration for each loop and each halving on the path."""
        burdened = self.span + BURDEN_NODES * (self.levels + self.nested)
        return replace(NO_SPANS, work=float(self.work), span=float(self.span), burdened_span=burdened)

    @property
    def strands(self) -> int:
        """Three for each spawn, and the one that is there anyway."""
        return 3 * self.spawns + 1

    @property
    def frames(self) -> int:
        """Two for each spawn, and one for each call that divides and is not a turn's first."""
        return 2 * self.spawns + self.loops - self.turns


def loops_of_game(report: str, depth: int, *, stop: Stop | None = None) -> Loops:
    """Play the program of report 002 or 004 against itself, and walk the trees of all its turns.

    Alpha-beta finds the moves: with its rule for equal ones it plays as minimax does, and sooner.
    """
    program, by_rows = PROGRAMS[report], report == "004"
    board, before = new_board(), new_board()
    alone = 0 if by_rows else UNDIVIDED_002
    moves = np.zeros(DEEPEST * most_moves(board.game), MOVE)
    sums = np.zeros(6, np.int64)
    turns = 0
    for found in self_play(depth, program, board, stop=stop, algorithm="alphabeta"):
        while len(before.moves) + 1 < len(board.moves):
            before.push(str(board.moves[len(before.moves)]))  # a free pass: nothing is searched
        sums += walk(before.game, before.position, depth, alone, by_rows, moves, np.int64(0))
        before.push(str(found.move))
        turns += 1
    # Report 004's loop goes on for a round of passes, each a call that finds nothing.
    closing = closing_turns_004(board) if by_rows else 0
    work, span, levels, nested, spawns, loops = (int(each) for each in sums)
    return Loops(
        work=work + closing,
        span=span + closing,
        levels=levels + HALVINGS * closing,
        nested=nested + closing,
        spawns=spawns + ROWS * closing,
        loops=loops + closing,
        turns=turns + closing,
    )
