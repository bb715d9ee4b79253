"""Report 001's four programs, which count nodes as the report does: every call below the root.

Their search differs from ours. If a move beats its scout, the second search starts at the scout's value. Ours starts
just below it, to keep the principal variation. A leaf that beats its scout is entered twice. The root's moves are
searched in windows that no correct search uses. So this is a separate kernel, outside `search/`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from outflank.games.evaluation import Evaluation, evaluation_named, value
from outflank.games.rules import MOVE, Game, MoveCode, Position, Value, fill, most_moves, play, score
from outflank.games.sides import Side
from outflank.kernels.atomics import fetch_add, fetch_max, load, store
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.kernels.record_types import allocate, record_type
from outflank.kernels.workers import run_workers
from outflank.lab.measuring.search_log import log_search
from outflank.lab.report_programs.classroom import BrokenOff
from outflank.othello.board import OthelloBoard
from outflank.othello.rules import OthelloPosition
from outflank.othello.squares import START, othello
from outflank.search.request import Stop
from outflank.search.worker import Worker

# Report 000's key for symmetric boards: four integers of sixteen squares each, one for every quadrant. Squares are
# numbered so that a quarter turn adds 16, so a rotated board has the same four integers, rotated. The report sorts
# them, does the same for the mirrored board, and takes the greater key. It found this too slow, and dropped it.

SIZE = 8
SQUARES = SIZE * SIZE
BITS = 2
"""Number of bits per square for its content: empty, mine or yours."""


def number_of(row: int, column: int) -> int:
    """Return report 000's number of a square: by columns in the first quadrant, and rotated in the others.

    >>> [number_of(0, column) for column in range(8)]
    [0, 4, 8, 12, 19, 18, 17, 16]
    """
    turns = 0
    while not (row < SIZE // 2 and column < SIZE // 2):
        row, column = SIZE - 1 - column, row  # a quarter turn back
        turns += 1
    return SQUARES // 4 * turns + SIZE // 2 * column + row


NUMBERS = tuple(tuple(number_of(row, column) for column in range(SIZE)) for row in range(SIZE))
"""Report 000's numbers of all squares, by row and column."""


def quads(own: int, opp: int, *, mirrored: bool = False) -> tuple[int, int, int, int]:
    """Return one integer per quadrant for a board with bits 8 · row + column. `mirrored` swaps rows and columns."""
    integers = [0, 0, 0, 0]
    for square in range(SQUARES):
        row, column = divmod(square, SIZE)
        number = NUMBERS[column][row] if mirrored else NUMBERS[row][column]
        content = (own >> square & 1) | (opp >> square & 1) << 1
        integers[number // 16] |= content << BITS * (number % 16)
    return integers[0], integers[1], integers[2], integers[3]


def sorted_key(own: int, opp: int) -> tuple[int, ...]:
    """Return report 000's sorted key. It is equal for all eight images of a board, but some other boards share it."""
    return max(tuple(sorted(quads(own, opp, mirrored=mirrored), reverse=True)) for mirrored in (False, True))


def turned_key(own: int, opp: int) -> tuple[int, ...]:
    """Return a key that is equal for all eight symmetric images of a board and for no other board."""
    images = (quads(own, opp), quads(own, opp, mirrored=True))
    return max(image[turn:] + image[:turn] for image in images for turn in range(4))


WIN = 1_000_000
"""Value of a finished game for the winner."""

POINTS = 10
"""Value of one legal move in the difference between both sides' numbers of legal moves."""

WHOLE, AS_IT_STANDS, NEGATED = 0, 1, 2
"""Kinds of windows for a root move. `WHOLE` is infinite. `AS_IT_STANDS` lies above the best value so far. It is wrong,
because the value is not negated for the opponent. `NEGATED` lies below the negated best value, which is correct."""

Window = Literal["whole", "as it stands", "negated"]
WINDOWS: dict[str, int] = {"whole": WHOLE, "as it stands": AS_IT_STANDS, "negated": NEGATED}

ROOM = 1 << 14
"""Greatest total number of moves in the nodes on a worker's current line."""

WORKER = record_type({"calls": np.int64, "moves": (MOVE, ROOM)})
SHARED = record_type({"next": np.int64, "best": np.int64, "stop": np.int64}, own_lines=("next", "best", "stop"))


@inner
def static(game: Game, evaluation: Evaluation, position: Position, move: MoveCode) -> Value:
    """Return the evaluation of the board after a move, from the mover's view."""
    return np.int64(-POINTS * value(evaluation, game, play(game, position, move), ()))


@inner
def above_leaves(
    game: Game,
    evaluation: Evaluation,
    position: Position,
    alpha: Value,
    beta: Value,
    scouts: bool,
    start: int,
    end: int,
    worker: Worker,
) -> Value:
    """Return the value of a node whose children are leaves. Leaves are many, so they are counted without a call."""
    moves = worker.moves
    best = static(game, evaluation, position, moves[start])
    index = start + 1
    # The first move searched is the one with the best static value, so no other move beats its scout.
    while index < end and (scouts or max(alpha, best) < beta):
        best = max(best, static(game, evaluation, position, moves[index]))
        index += 1
    worker.calls += 1 if scouts and max(alpha, best) >= beta else index - start
    return best


@kernel
def alphabeta_001(game, evaluation, position, alpha, beta, depth, scouts, worker, start, shared):
    """Return the value of `position` in the window (alpha, beta), and count every call in `worker`.

    With `scouts`, the move with the best static value comes first, and all other moves get a null window. Without, this
    is plain alpha-beta. In an empty window, which does occur, each node returns after its first move.
    """
    worker.calls += 1
    if depth == 0:
        return np.int64(POINTS * value(evaluation, game, position, ()))
    if depth > 3 and load(shared, "stop", "relaxed") != 0:
        return np.int64(0)
    moves = worker.moves
    end = fill(game, position, moves, start)
    if end == start:
        return np.int64(WIN * np.sign(score(game, position)))
    if depth == 1:
        return above_leaves(game, evaluation, position, alpha, beta, scouts, start, end, worker)
    first = start
    if scouts:
        best_static = static(game, evaluation, position, moves[start])
        for index in range(start + 1, end):
            static_value = static(game, evaluation, position, moves[index])
            if static_value > best_static:
                first, best_static = index, static_value
    child = play(game, position, moves[first])
    best = -alphabeta_001(game, evaluation, child, -beta, -alpha, depth - 1, scouts, worker, end, shared)
    low = max(alpha, best)
    for index in range(start, end):
        if low >= beta:
            break
        if index == first:
            continue
        child = play(game, position, moves[index])
        top = low + 1 if scouts else beta
        child_value = -alphabeta_001(game, evaluation, child, -top, -low, depth - 1, scouts, worker, end, shared)
        best = max(best, child_value)
        if scouts and low < best < beta:
            child_value = -alphabeta_001(game, evaluation, child, -beta, -best, depth - 1, scouts, worker, end, shared)
            best = max(best, child_value)
        low = max(low, best)
    return best


@kernel
def take_moves(game, evaluation, position, depth, scouts, window, values, worker, shared):
    """Take moves of the root until none is left. Search each in the root's window, and write its value to `values`."""
    end = fill(game, position, worker.moves, 0)
    top = np.int64(WIN + scouts)
    while load(shared, "stop", "relaxed") == 0:
        index = fetch_add(shared, "next", 1, "relaxed")
        if index >= end:
            break
        child = play(game, position, worker.moves[index])
        best = load(shared, "best")
        low, high = np.int64(-WIN - 1), top
        if window == AS_IT_STANDS:
            low = best
        elif window == NEGATED:
            high = -best
        move_value = -alphabeta_001(game, evaluation, child, low, high, depth - 1, scouts, worker, end, shared)
        values[index] = move_value
        fetch_max(shared, "best", move_value)
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Program001:
    """One of report 001's four programs."""

    scouts: bool
    """True for PVS, False for plain alpha-beta."""
    window: Window
    """Kind of window in which the root's moves are searched."""


PROGRAMS = {
    "SerialPVS": Program001(scouts=True, window="as it stands"),
    "AlphaBeta": Program001(scouts=False, window="as it stands"),
    "ParallelPVS": Program001(scouts=True, window="whole"),
    "ParallelAlphaBeta": Program001(scouts=False, window="whole"),
}
"""Report 001's programs, by name."""


def start() -> OthelloBoard:
    """Return report 001's initial position. Black is on d4 and e5, where white is in the standard one."""
    return OthelloBoard(othello(8, "discs"), OthelloPosition(START.opp, START.own))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn001:
    """The move of one turn, and the number of calls of its search."""

    move: str
    calls: int


def turn(
    board: OthelloBoard, depth: int, program: Program001, *, workers: int = 1, stop: Stop | None = None
) -> Turn001:
    """Search one turn as `program` does. Workers share the root's moves; in infinite windows, this changes no count."""
    stop = stop or Stop()
    game, position, evaluation = board.game, board.position, evaluation_named(board.game, "mobility")
    moves = board.legal_moves
    values = np.zeros(most_moves(game), np.int64)
    records, shared = allocate(WORKER, workers), allocate(SHARED, 1)[0]
    shared.best = -WIN - 1
    settings = depth, int(program.scouts), WINDOWS[program.window]

    def halt() -> None:
        store(shared, "stop", 1)

    stop.add_listener(halt)
    try:
        run_workers(
            take_moves,
            [(game, evaluation, position, *settings, values, worker, shared) for worker in records],
            stop=halt,
        )
    finally:
        stop.remove_listener(halt)
    if stop.called:
        raise BrokenOff
    best = moves[int(np.argmax(values[: len(moves)]))]  # the first of several best moves
    log_search(
        board,
        depth,
        algorithm="pvs" if program.scouts else "alphabeta",
        evaluation="mobility",
        scheme="root-split" if workers > 1 else None,
        workers=workers,
        moves=(*board.moves, best),
    )
    return Turn001(move=str(best), calls=int(records["calls"].sum()))


def game_against_first(
    depth: int, program: Program001, side: Side = Side.WHITE, *, workers: int = 1, stop: Stop | None = None
) -> Iterator[Turn001]:
    """Yield the program's turns in a game against a player that plays the first legal move. A pass is not a turn."""
    board = start()
    while not board.is_game_over:
        first = board.legal_moves[0]
        if board.turn is not side or first.is_pass:
            board.push(str(first))
            continue
        result = turn(board, depth, program, workers=workers, stop=stop)
        yield result
        board.push(result.move)


@alphabeta_001.sample
def _alphabeta_001_sample(game: Game, position: Position, every: bool) -> Samples:
    if isinstance(position, OthelloPosition):
        evaluation, low, high = evaluation_named(game, "mobility"), np.int64(-WIN - 1), np.int64(WIN)
        worker, shared = allocate(WORKER, 1)[0], allocate(SHARED, 1)[0]
        yield game, evaluation, position, low, high, 2, 1, worker, 0, shared


@take_moves.sample
def _take_moves_sample(game: Game, position: Position, every: bool) -> Samples:
    if isinstance(position, OthelloPosition):
        evaluation, values = evaluation_named(game, "mobility"), np.zeros(most_moves(game), np.int64)
        worker, shared = allocate(WORKER, 1)[0], allocate(SHARED, 1)[0]
        yield game, evaluation, position, 1, 1, WHOLE, values, worker, shared
