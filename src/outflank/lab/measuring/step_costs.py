"""The cost of one call of each step of a search (move generation, a move, an evaluation), on boards of a tree."""

import time
from collections.abc import Sequence

import numpy as np

from outflank.boards import Board
from outflank.games.description import description_of
from outflank.games.evaluation import Evaluation, begin, evaluation_named, value
from outflank.games.rules import MOVE, Game, Moves, Position, fill, most_moves, pack, play, unpack
from outflank.kernels.bits import U64
from outflank.kernels.compiler import Samples, kernel
from outflank.lab.studies.hashing import walk
from outflank.search.many_endings import Words

LOOP, FILL, PLAY, VALUE = range(4)
STEPS = ("the loop", "move generation", "making a move", "evaluation")
"""Steps that are timed: the first is the loop around a call, whose time is subtracted from the others."""

AT_LEAST_SECONDS = 0.01
"""Least duration of a timing; the least of three timings counts."""


@kernel
def run_step(game, evaluation, step, times, firsts, seconds, codes, moves, link):
    """Run one step on all boards, each call dependent on the last: `link` is 0, which the compiler does not know."""
    checksum = U64(0)
    for _ in range(times):
        for index in range(firsts.shape[0]):
            position = unpack(game, firsts[index] ^ (checksum & link), seconds[index])
            if step == FILL:
                checksum ^= U64(fill(game, position, moves, 0))
            elif step == PLAY:
                checksum ^= pack(game, play(game, position, codes[index]))[0]
            elif step == VALUE:
                checksum ^= U64(40_000 + value(evaluation, game, position, begin(evaluation, game, position)))
            else:
                checksum ^= pack(game, position)[0]
    return checksum


@run_step.sample
def _run_step_sample(game: Game, position: Position, every: bool) -> Samples:
    first, second = (np.array([word], np.uint64) for word in pack(game, position))
    moves = np.zeros(most_moves(game), MOVE)
    fill(game, position, moves, 0)
    name = description_of(game).lab.minimax_evaluation
    yield game, evaluation_named(game, name), FILL, 1, first, second, moves[:1].copy(), moves, U64(0)


def step_costs(boards: Sequence[Board], evaluation: Evaluation, near: int = 100) -> dict[str, float]:
    """Return the nanoseconds of one call of each step, on positions three plies below the boards."""
    game = boards[0].game
    firsts, seconds, codes = _positions(boards, near)
    moves = np.zeros(most_moves(game), MOVE)
    costs = []
    for step in range(len(STEPS)):
        run_step(game, evaluation, step, 1, firsts[:1], seconds[:1], codes[:1], moves, U64(0))  # compiles
        costs.append(min(_call_nanoseconds(game, evaluation, step, firsts, seconds, codes, moves) for _ in range(3)))
    return {name: max(0.0, cost - costs[LOOP]) for name, cost in zip(STEPS[1:], costs[1:], strict=True)}


def _call_nanoseconds(
    game: Game, evaluation: Evaluation, step: int, firsts: Words, seconds: Words, codes: Moves, moves: Moves
) -> float:
    times = 1
    while True:
        began = time.thread_time()  # processor time: other processes may use the core meanwhile
        run_step(game, evaluation, step, times, firsts, seconds, codes, moves, U64(0))
        elapsed = time.thread_time() - began
        if elapsed >= AT_LEAST_SECONDS:
            return 1e9 * elapsed / times / len(firsts)
        times *= 2


def _positions(boards: Sequence[Board], near: int) -> tuple[Words, Words, Moves]:
    """Return both words of positions near the boards that have a move, and one of their moves."""
    game = boards[0].game
    moves = np.zeros(8 * most_moves(game), MOVE)
    firsts: list[np.uint64] = []
    seconds: list[np.uint64] = []
    codes: list[np.uint16] = []
    for board in boards:
        first_words, second_words = np.zeros(near, np.uint64), np.zeros(near, np.uint64)
        count = walk(game, board.position, 3, moves, 0, first_words, second_words, 0)
        for first, second in zip(first_words[:count], second_words[:count], strict=True):
            end = fill(game, unpack(game, first, second), moves, 0)
            if end:
                firsts.append(first)
                seconds.append(second)
                codes.append(moves[len(codes) % end])
    return np.array(firsts, np.uint64), np.array(seconds, np.uint64), np.array(codes, MOVE)
