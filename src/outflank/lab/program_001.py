"""Report 001's four programs as they counted their nodes: every call below the root, in the window that each was given.

Their search is not quite ours. A move that beats its scout is searched again above what the scout showed, where ours
asks from just below that, to keep the line; a leaf that does is entered twice; and the root's moves are called in
windows that no search should have. So it stands here, as a kernel of its own, and not among the searches.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from outflank.games.evaluation import evaluation_named, value
from outflank.games.rules import MOVE, fill, most_moves, play, score
from outflank.games.sides import Side
from outflank.kernels.atomics import fetch_add, fetch_max, load, store
from outflank.kernels.compiler import inner, kernel
from outflank.kernels.record_types import allocate, record_type
from outflank.kernels.workers import run_workers
from outflank.lab.classroom import BrokenOff
from outflank.lab.search_log import note
from outflank.othello.board import OthelloBoard
from outflank.othello.rules import OthelloPosition
from outflank.othello.squares import START, othello
from outflank.search.contract import Stop

WIN = 1_000_000
"""A finished game, to its winner."""

POINTS = 10
"""Of the evaluation: a move more than the other side has."""

WHOLE, AS_IT_STANDS, NEGATED = 0, 1, 2
"""The window of a root move: everything; from the best value so far up, as if its value were the mover's own; or that
turned over, as it has to be."""

Window = Literal["whole", "as it stands", "negated"]
WINDOWS: dict[str, int] = {"whole": WHOLE, "as it stands": AS_IT_STANDS, "negated": NEGATED}

ROOM = 1 << 14
"""Moves on the line that a worker is in."""

WORKER = record_type({"calls": np.int64, "moves": (MOVE, ROOM)})
SHARED = record_type({"next": np.int64, "best": np.int64, "stop": np.int64}, apart=("next", "best", "stop"))


@inner
def static(game: Any, evaluation: Any, position: Any, move: Any) -> Any:
    """What a move is worth to the mover by the board that it leads to."""
    return np.int64(-POINTS * value(evaluation, game, play(game, position, move), ()))


@inner
def above_leaves(
    game: Any, evaluation: Any, position: Any, alpha: Any, beta: Any, scouts: Any, start: Any, end: Any, worker: Any
) -> Any:
    """A node whose moves all lead to leaves. Most nodes are such, so that leaves are no calls here, only counted."""
    moves = worker.moves
    best = static(game, evaluation, position, moves[start])
    index = start + 1
    # The first one that is called may be the best of all: then none of the others beats its scout.
    while index < end and (scouts or max(alpha, best) < beta):
        best = max(best, static(game, evaluation, position, moves[index]))
        index += 1
    worker.calls += 1 if scouts and max(alpha, best) >= beta else index - start
    return best


@kernel
def searched(game, evaluation, position, alpha, beta, depth, scouts, worker, start, shared):
    """The value of `position`, as far as (alpha, beta) asks; every call is counted.

    With `scouts` the move with the best static value comes first and the others get a null window; without, it is
    plain alpha-beta. In an empty window, which happens, each node is left after its first move.
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
        promised = static(game, evaluation, position, moves[start])
        for index in range(start + 1, end):
            promise = static(game, evaluation, position, moves[index])
            if promise > promised:
                first, promised = index, promise
    child = play(game, position, moves[first])
    best = -searched(game, evaluation, child, -beta, -alpha, depth - 1, scouts, worker, end, shared)
    low = max(alpha, best)
    for index in range(start, end):
        if low >= beta:
            break
        if index == first:
            continue
        child = play(game, position, moves[index])
        top = low + 1 if scouts else beta
        found = -searched(game, evaluation, child, -top, -low, depth - 1, scouts, worker, end, shared)
        best = max(best, found)
        if scouts and low < best < beta:
            found = -searched(game, evaluation, child, -beta, -best, depth - 1, scouts, worker, end, shared)
            best = max(best, found)
        low = max(low, best)
    return best


@kernel
def take_moves(game, evaluation, position, depth, scouts, window, values, worker, shared):
    """Take moves of the root until none is left, each in its window, and write down what they are worth."""
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
        found = -searched(game, evaluation, child, low, high, depth - 1, scouts, worker, end, shared)
        values[index] = found
        fetch_max(shared, "best", found)
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Program001:
    """One of the four."""

    scouts: bool
    """PVS, or plain alpha-beta."""
    window: Window
    """What the root's moves are called in."""


PROGRAMS = {
    "SerialPVS": Program001(scouts=True, window="as it stands"),
    "AlphaBeta": Program001(scouts=False, window="as it stands"),
    "ParallelPVS": Program001(scouts=True, window="whole"),
    "ParallelAlphaBeta": Program001(scouts=False, window="whole"),
}
"""By the report's names."""


def start() -> OthelloBoard:
    """Where its games start: black is on d4 and e5, where others have white."""
    return OthelloBoard(othello(8, "discs"), OthelloPosition(START.opp, START.own))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn001:
    """What was found in one turn."""

    move: str
    calls: int


def turn(
    board: OthelloBoard, depth: int, program: Program001, *, workers: int = 1, stop: Stop | None = None
) -> Turn001:
    """Search as the program does. Workers share the root's moves; in the whole window they change no count."""
    stop = stop or Stop()
    game, position, evaluation = board.game, board.position, evaluation_named(board.game, "mobility")
    moves = board.legal_moves
    values = np.zeros(most_moves(game), np.int64)
    records, shared = allocate(WORKER, workers), allocate(SHARED, 1)[0]
    shared.best = -WIN - 1
    how = depth, int(program.scouts), WINDOWS[program.window]

    def halt() -> None:
        store(shared, "stop", 1)

    stop.add_listener(halt)
    try:
        run_workers(
            take_moves, [(game, evaluation, position, *how, values, each, shared) for each in records], stop=halt
        )
    finally:
        stop.remove_listener(halt)
    if stop.called:
        raise BrokenOff
    best = moves[int(np.argmax(values[: len(moves)]))]  # the first of equal ones
    note(
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
    depth: int, program: Program001, ours: Side = Side.WHITE, *, workers: int = 1, stop: Stop | None = None
) -> Iterator[Turn001]:
    """The turns of a game against the player who takes the first move; passes are none."""
    board = start()
    while not board.is_game_over():
        first = board.legal_moves[0]
        if board.turn is not ours or first.is_pass:
            board.push(str(first))
            continue
        found = turn(board, depth, program, workers=workers, stop=stop)
        yield found
        board.push(found.move)


@searched.sample
def _searched_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    if isinstance(position, OthelloPosition):
        evaluation, low, high = evaluation_named(game, "mobility"), np.int64(-WIN - 1), np.int64(WIN)
        worker, shared = allocate(WORKER, 1)[0], allocate(SHARED, 1)[0]
        yield game, evaluation, position, low, high, 2, 1, worker, 0, shared


@take_moves.sample
def _take_moves_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    if isinstance(position, OthelloPosition):
        evaluation, values = evaluation_named(game, "mobility"), np.zeros(most_moves(game), np.int64)
        worker, shared = allocate(WORKER, 1)[0], allocate(SHARED, 1)[0]
        yield game, evaluation, position, 1, 1, WHOLE, values, worker, shared
