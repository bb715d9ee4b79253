"""Alternative implementations of the work in one tree node of Othello. Report 002 proposed to parallelise this work.

The report's section "Further Parallelism" names move generation, flipping and evaluation. Each is implemented four
times: square by square, as in the report's program; direction by direction, on whole boards; in SIMD lanes, with all
directions at once, as in our rules; and with two workers that share every call. All four return the same result.
"""

import numpy as np

from outflank.games.rules import Game, Position
from outflank.kernels.atomics import load, store
from outflank.kernels.bits import U64, lowest, popcount
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.kernels.lanes import merged, occupied, spread
from outflank.kernels.record_types import Record, allocate, record_type
from outflank.kernels.waiting import nanoseconds, pause, yield_core
from outflank.othello.rules import (
    ACROSS,
    DOWN,
    DOWN_LEFT,
    DOWN_RIGHT,
    INNER,
    ONE,
    ZERO,
    Othello,
    _lines,
    _run_down,
    _run_up,
    _steps,
    flips,
    legal,
)

NOTHING, MOVES, FLIPS, VALUE = range(4)
"""Operations in a node. `NOTHING` is an empty call, which measures the cost of the loop around the calls."""

OPERATIONS = ("nothing", "move generation", "disk flipping", "evaluation")

BY_SQUARES, BY_DIRECTIONS, IN_LANES = range(3)
WAYS = ("square by square", "direction by direction", "lanes")
"""Names of the implementations. Evaluation has no directions; its `lanes` count the bits of a whole board."""

TIMED = 20
"""Number of consecutive calls in one timing of two workers. It is small, so that some timings are undisturbed."""

SPINS = 2000
"""Number of polls of a shared word before a waiting worker yields its core."""


# --- square by square ---


@inner
def _flips_by_squares(own, opp, square):
    flipped = ZERO
    for down in range(-1, 2):
        for right in range(-1, 2):
            if down == 0 and right == 0:
                continue
            row, column = square // 8 + down, square % 8 + right
            run = ZERO
            while 0 <= row < 8 and 0 <= column < 8:
                disc = ONE << U64(8 * row + column)
                if opp & disc == ZERO:
                    if own & disc != ZERO:
                        flipped |= run
                    break
                run |= disc
                row, column = row + down, column + right
    return flipped


@inner
def _legal_by_squares(own, opp):
    moves = ZERO
    for square in range(64):
        disc = ONE << U64(square)
        if (own | opp) & disc == ZERO and _flips_by_squares(own, opp, square) != ZERO:
            moves |= disc
    return moves


@inner
def _disc_difference_by_squares(own, opp):
    difference = 0
    for square in range(64):
        disc = ONE << U64(square)
        if own & disc != ZERO:
            difference += 1
        elif opp & disc != ZERO:
            difference -= 1
    return difference


# --- direction by direction ---


@inner
def _up(line, origin, step):
    run = line & (origin << step)
    for _ in range(5):
        run |= line & (run << step)
    return run


@inner
def _down(line, origin, step):
    run = line & (origin >> step)
    for _ in range(5):
        run |= line & (run >> step)
    return run


@inner
def _reached(own, line, step):
    return (_up(line, own, step) << step) | (_down(line, own, step) >> step)


@inner
def _legal_by_directions(own, opp):
    inside = opp & INNER
    moves = _reached(own, inside, ACROSS) | _reached(own, opp, DOWN)
    moves |= _reached(own, inside, DOWN_LEFT) | _reached(own, inside, DOWN_RIGHT)
    return moves & ~(own | opp)


@inner
def _flipped_along(own, line, disc, step):
    flipped = ZERO
    up, down = _up(line, disc, step), _down(line, disc, step)
    if (up << step) & own != ZERO:
        flipped |= up
    if (down >> step) & own != ZERO:
        flipped |= down
    return flipped


@inner
def _flips_by_directions(own, opp, disc):
    inside = opp & INNER
    flipped = _flipped_along(own, inside, disc, ACROSS) | _flipped_along(own, opp, disc, DOWN)
    return flipped | _flipped_along(own, inside, disc, DOWN_LEFT) | _flipped_along(own, inside, disc, DOWN_RIGHT)


# --- one worker ---


@inner
def _result(operation, way, own, opp, disc):
    """Return the result of one call of `operation` as a word."""
    if operation == MOVES:
        if way == BY_SQUARES:
            return _legal_by_squares(own, opp)
        if way == BY_DIRECTIONS:
            return _legal_by_directions(own, opp)
        return legal(own, opp)
    if operation == FLIPS:
        if way == BY_SQUARES:
            return _flips_by_squares(own, opp, lowest(disc))
        if way == BY_DIRECTIONS:
            return _flips_by_directions(own, opp, disc)
        return flips(own, opp, disc)
    if operation == VALUE:
        if way == BY_SQUARES:
            return U64(64 + _disc_difference_by_squares(own, opp))
        return U64(64 + popcount(own) - popcount(opp))
    return own


@kernel
def one_by_one(operation, way, times, owns, opps, discs, link):
    """Run the operation on all boards `times` times. Each call depends on the call before, as in a search.

    Return the xor of the last pass. Calls depend on each other through `link`. It is 0, but the compiler cannot know
    this.
    """
    checksum = ZERO
    for _ in range(times):
        before, checksum = checksum & link, ZERO
        for index in range(owns.shape[0]):
            own = owns[index] ^ before ^ (checksum & link)
            checksum ^= _result(operation, way, own, opps[index], discs[index])
    return checksum


@kernel
def side_by_side(operation, way, times, owns, opps, discs):
    """Run the operation on all boards `times` times. The calls are independent, so the processor can overlap them."""
    checksum = ZERO
    for _ in range(times):
        checksum = ZERO
        for index in range(owns.shape[0]):
            checksum ^= _result(operation, way, owns[index], opps[index], discs[index])
    return checksum


@side_by_side.sample
def _side_by_side_sample(game: Game, position: Position, every: bool) -> Samples:
    if isinstance(game, Othello):
        words = np.ones(1, np.uint64)
        yield 0, 0, 1, words, words.copy(), words.copy()


@one_by_one.sample
def _one_by_one_sample(game: Game, position: Position, every: bool) -> Samples:
    if isinstance(game, Othello):
        words = np.ones(1, np.uint64)
        yield 0, 0, 1, words, words.copy(), words.copy(), U64(0)


# --- two workers in one node ---

SHARED = record_type(
    {
        "asked": np.int64,  # number of the last call that the leader has shared
        "own": np.uint64,
        "opp": np.uint64,
        "disc": np.uint64,
        "answered": np.int64,  # number of the last call that the helper has answered
        "answer": np.uint64,
        "over": np.int64,
        "calls": np.int64,  # number of calls that the leader made
        "spent": np.int64,  # nanoseconds of the quickest `TIMED` consecutive calls
        "found": np.uint64,
    },
    own_lines=("asked", "answered", "over", "calls"),
)


def new_desk() -> Record:
    """Return an empty record for the data that the two workers share."""
    return allocate(SHARED, 1)[0]


@inner
def _half(operation, upper, own, opp, disc):
    """Return one worker's half of a call: four of the eight directions, or the discs of one side."""
    if operation == MOVES:
        step, line = _steps(), _lines(opp)
        mine = spread(own, step)
        return merged(_run_up(line, mine) << step) if upper else merged(_run_down(line, mine) >> step)
    if operation == FLIPS:
        step, line = _steps(), _lines(opp)
        mine, placed = spread(own, step), spread(disc, step)
        if upper:
            run = _run_up(line, placed)
            return merged(run & occupied((run << step) & mine))
        run = _run_down(line, placed)
        return merged(run & occupied((run >> step) & mine))
    if operation == VALUE:
        return U64(64 + popcount(own)) if upper else U64(popcount(opp))
    return own if upper else ZERO


@inner
def _combined(operation, own, opp, leader_half, helper_half):
    if operation == MOVES:
        return (leader_half | helper_half) & ~(own | opp)
    if operation == VALUE:
        return leader_half - helper_half
    return leader_half | helper_half


@inner
def _poll_wait(spins):
    if spins < SPINS:
        pause()
    else:
        yield_core()
    return spins + 1


@kernel
def help_out(operation, desk):
    """Run the second worker, which computes its half of every call until the leader has finished."""
    last_call = 0
    spins = 0
    store(desk, "answered", -1)  # tells the leader that the helper is ready
    while load(desk, "over") == 0:
        call = load(desk, "asked")
        if call == last_call:
            spins = _poll_wait(spins)
            continue
        spins = 0
        last_call = call
        desk.answer = _half(operation, False, desk.own, desk.opp, desk.disc)
        store(desk, "answered", last_call)
    return last_call


@kernel
def lead(operation, desk, owns, opps, discs, link, most_nanoseconds):
    """Run the first worker, which shares each call with the second, on all boards for `most_nanoseconds`.

    Only the quickest calls count, because during a slow call one of the two workers may not have had a core.
    """
    spins = 0
    while load(desk, "answered") != -1 and load(desk, "over") == 0:
        spins = _poll_wait(spins)
    calls, quickest = 0, np.int64(1 << 62)
    began = nanoseconds()
    while (nanoseconds() - began < most_nanoseconds or calls == 0) and load(desk, "over") == 0:
        checksum = ZERO
        block_start = nanoseconds()
        for index in range(owns.shape[0]):
            if index % TIMED == 0:
                block_start = nanoseconds()
            own = owns[index] ^ (checksum & link)
            calls += 1
            desk.own, desk.opp, desk.disc = own, opps[index], discs[index]
            store(desk, "asked", calls)
            mine = _half(operation, True, own, opps[index], discs[index])
            spins = 0
            while load(desk, "answered") != calls and load(desk, "over") == 0:
                spins = _poll_wait(spins)
            checksum ^= _combined(operation, own, opps[index], mine, desk.answer)
            if index % TIMED == TIMED - 1:
                quickest = min(quickest, nanoseconds() - block_start)
        desk.found = checksum
    desk.calls, desk.spent = calls, quickest
    store(desk, "over", 1)
    return calls


@help_out.sample
def _help_out_sample(game: Game, position: Position, every: bool) -> Samples:
    if isinstance(game, Othello):
        desk = new_desk()
        desk.over = 1
        yield 0, desk


@lead.sample
def _lead_sample(game: Game, position: Position, every: bool) -> Samples:
    if isinstance(game, Othello):
        desk = new_desk()
        desk.over = 1
        words = np.ones(1, np.uint64)
        yield 0, desk, words, words.copy(), words.copy(), U64(0), 1
