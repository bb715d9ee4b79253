"""The counts that cilkview reports for the programs of reports 002 and 004, derived from the trees that they search.

Both programs search a minimax tree in `cilk_for` loops. 002 loops over the moves of a node; 004 loops over the rows of
the board, with the moves of a row in sequence. A loop over n iterations is halved until each is alone, and each half is
a spawn. So spawns, strands, frames and entries to the parallel region follow from the tree. The longest path is
measured in nodes here, and in instructions by cilkview.
"""

from dataclasses import dataclass, replace

import numpy as np

from outflank.games.hints import row
from outflank.games.rules import MOVE, Game, Position, fill, is_pass, most_moves, play
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.lab.report_programs.classroom import closing_turns_004, new_board, self_play
from outflank.lab.spans.work_and_span import BURDEN_NODES, NO_SPANS, Spans
from outflank.othello.programs import PROGRAMS, SERIAL_PLY_002
from outflank.search.request import Stop

ROWS, HALVINGS = 8, 3
"""Number of iterations of report 004's loop, and how often it is halved. Rows without a move are iterations, too."""

DEEPEST = 64
"""Greatest search depth for which the array of moves has room, in plies."""


@kernel
def walk(game, position, depth, serial_depth, by_rows, moves, start):
    """Return work and span in nodes, halvings and loops on the longest path, and the total numbers of spawns and loops.

    Nodes with a remaining depth of `serial_depth` or less are not divided.
    """
    one, zero = np.int64(1), np.int64(0)
    if depth == 0:
        return one, one, zero, zero, zero, zero
    end = fill(game, position, moves, start)
    if end == start or (end == start + 1 and is_pass(game, moves[start])):
        if by_rows:  # the program looks into every row, finds no move, and evaluates
            return one, one, np.int64(HALVINGS), one, np.int64(ROWS), one
        if end == start:
            return one, one, zero, zero, zero, zero
        subtree = walk(
            game, play(game, position, moves[start]), depth, serial_depth, by_rows, moves, end
        )  # a pass costs no ply
        return subtree[0] + 1, subtree[1] + 1, subtree[2], subtree[3], subtree[4], subtree[5]
    if depth == 1 and serial_depth >= 1:
        return end - start + 1, end - start + 1, zero, zero, zero, zero
    divided = depth > serial_depth
    work, spawns, loops = one, zero, zero
    # The longest job so far with its path, then the current job.
    longest, levels, nested = zero, zero, zero
    job, job_levels, job_nested = zero, zero, zero
    for index in range(start, end):
        if index == start or not by_rows or row(game, moves[index]) != row(game, moves[index - 1]):
            job, job_levels, job_nested = zero, zero, zero
        if depth == 1:
            work, job = work + 1, job + 1
        else:
            child = play(game, position, moves[index])
            subtree = walk(game, child, depth - 1, serial_depth, by_rows, moves, end)
            work += subtree[0]
            job, job_levels, job_nested = job + subtree[1], job_levels + subtree[2], job_nested + subtree[3]
            spawns, loops = spawns + subtree[4], loops + subtree[5]
        if job > longest:
            longest, nested = job, job_nested
            levels = job_levels + (HALVINGS if by_rows else halvings(index - start, end - start))
    if not divided:
        return work, work, zero, zero, zero, zero
    return work, longest + 1, levels, nested + 1, spawns + (ROWS if by_rows else end - start), loops + 1


@inner
def halvings(index, count):
    """Return how often a loop over `count` iterations is halved until iteration `index` is alone."""
    low, high, times = 0, count, 0
    while high - low > 1:
        middle = low + (high - low) // 2
        times += 1
        if index < middle:
            high = middle
        else:
            low = middle
    return times


@walk.sample
def _walk_sample(game: Game, position: Position, every: bool) -> Samples:
    moves = np.zeros(DEEPEST * most_moves(game), MOVE)
    yield game, position, np.int64(1), np.int64(0), True, moves, np.int64(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loops:
    """The counts for one game of a program, as cilkview defines them."""

    work: int
    """Number of nodes in the trees of all turns."""
    span: int
    """Number of nodes on the longest path of dependent work."""
    levels: int
    """Number of halvings of loops on the longest path of dependent work."""
    nested: int
    """Number of loops on the longest path of dependent work."""
    spawns: int
    loops: int
    turns: int
    """Number of turns of the game. Each turn enters the parallel region once."""

    @property
    def spans(self) -> Spans:
        """Work and span in nodes. The burden is one steal for each loop and each halving on the longest path."""
        burdened = self.span + BURDEN_NODES * (self.levels + self.nested)
        return replace(NO_SPANS, work=float(self.work), span=float(self.span), burdened_span=burdened)

    @property
    def strands(self) -> int:
        """Number of strands: three for each spawn, and the initial one."""
        return 3 * self.spawns + 1

    @property
    def frames(self) -> int:
        """Number of frames: two for each spawn, and one for each dividing call except the first of a turn."""
        return 2 * self.spawns + self.loops - self.turns


def loops_of_game(report: str, depth: int, *, serial_ply: int = SERIAL_PLY_002, stop: Stop | None = None) -> Loops:
    """Play the program of report 002 or 004 against itself, and return the counts for the trees of all turns.

    The program of report 002 does not divide nodes with `serial_ply` plies left or fewer. The program of report 004
    divides all nodes. Alpha-beta selects the moves: with the program's rule for equal moves, it plays the same game as
    minimax, in less time.
    """
    program, by_rows = PROGRAMS[report], report == "004"
    board, before = new_board(), new_board()
    serial_depth = 0 if by_rows else serial_ply
    moves = np.zeros(DEEPEST * most_moves(board.game), MOVE)
    sums = np.zeros(6, np.int64)
    turns = 0
    for result in self_play(depth, program, board, stop=stop, algorithm="alphabeta"):
        while len(before.moves) + 1 < len(board.moves):
            before.push(str(board.moves[len(before.moves)]))  # a free pass is not searched
        sums += walk(before.game, before.position, depth, serial_depth, by_rows, moves, np.int64(0))
        before.push(str(result.move))
        turns += 1
    # Report 004's loop continues for a round of passes, each of which is a call without a move.
    closing = closing_turns_004(board) if by_rows else 0
    work, span, levels, nested, spawns, loops = (int(total) for total in sums)
    return Loops(
        work=work + closing,
        span=span + closing,
        levels=levels + HALVINGS * closing,
        nested=nested + closing,
        spawns=spawns + ROWS * closing,
        loops=loops + closing,
        turns=turns + closing,
    )
