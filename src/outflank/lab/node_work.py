"""The work inside one node of Othello, done in other ways: what report 002 would have divided further.

Its section "Further Parallelism" names move generation, flipping and evaluation. Each is here square by square, as
its program does it; direction by direction, on whole boards; in lanes, all directions side by side, as our rules are;
and by two workers who share every single call. All give the same answer.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from outflank.kernels.atomics import load, store
from outflank.kernels.bits import U64, lowest, popcount
from outflank.kernels.compiler import inner, kernel
from outflank.kernels.lanes import merged, occupied, spread
from outflank.kernels.record_types import allocate, record_type
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
"""What a node does; the first is an empty call, whose cost is that of the loop around it."""

OPERATIONS = ("nothing", "move generation", "disk flipping", "evaluation")

BY_SQUARES, BY_DIRECTIONS, IN_LANES = range(3)
WAYS = ("square by square", "direction by direction", "lanes")
"""An evaluation that counts discs has no directions: its `lanes` are the bits of a whole board."""

TIMED = 20
"""Calls in a row that two workers are timed over: few enough to be undisturbed now and then on a busy machine."""

SPINS = 2000
"""Looks at a word before the core is offered to others."""


# --- square by square ---


@inner
def _flips_by_squares(own, opp, square):
    found = ZERO
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
                        found |= run
                    break
                run |= disc
                row, column = row + down, column + right
    return found


@inner
def _legal_by_squares(own, opp):
    found = ZERO
    for square in range(64):
        disc = ONE << U64(square)
        if (own | opp) & disc == ZERO and _flips_by_squares(own, opp, square) != ZERO:
            found |= disc
    return found


@inner
def _counted_by_squares(own, opp):
    found = 0
    for square in range(64):
        disc = ONE << U64(square)
        if own & disc != ZERO:
            found += 1
        elif opp & disc != ZERO:
            found -= 1
    return found


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
    found = _reached(own, inside, ACROSS) | _reached(own, opp, DOWN)
    found |= _reached(own, inside, DOWN_LEFT) | _reached(own, inside, DOWN_RIGHT)
    return found & ~(own | opp)


@inner
def _turned(own, line, disc, step):
    found = ZERO
    up, down = _up(line, disc, step), _down(line, disc, step)
    if (up << step) & own != ZERO:
        found |= up
    if (down >> step) & own != ZERO:
        found |= down
    return found


@inner
def _flips_by_directions(own, opp, disc):
    inside = opp & INNER
    found = _turned(own, inside, disc, ACROSS) | _turned(own, opp, disc, DOWN)
    return found | _turned(own, inside, disc, DOWN_LEFT) | _turned(own, inside, disc, DOWN_RIGHT)


# --- one after the other ---


@inner
def _done(operation, way, own, opp, disc):
    """What a call finds, as a word."""
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
            return U64(64 + _counted_by_squares(own, opp))
        return U64(64 + popcount(own) - popcount(opp))
    return own


@kernel
def one_by_one(operation, way, times, owns, opps, discs, link):
    """All boards so many times, each call after the one before, as in a search; what the last time found.

    `link` is 0, which the compiler does not know.
    """
    found = ZERO
    for _ in range(times):
        before, found = found & link, ZERO
        for index in range(owns.shape[0]):
            own = owns[index] ^ before ^ (found & link)
            found ^= _done(operation, way, own, opps[index], discs[index])
    return found


@kernel
def side_by_side(operation, way, times, owns, opps, discs):
    """The same, but no call waits for another: what the processor can do at once."""
    found = ZERO
    for _ in range(times):
        found = ZERO
        for index in range(owns.shape[0]):
            found ^= _done(operation, way, owns[index], opps[index], discs[index])
    return found


@side_by_side.sample
def _side_by_side_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    if isinstance(game, Othello):
        words = np.ones(1, np.uint64)
        yield 0, 0, 1, words, words.copy(), words.copy()


@one_by_one.sample
def _one_by_one_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    if isinstance(game, Othello):
        words = np.ones(1, np.uint64)
        yield 0, 0, 1, words, words.copy(), words.copy(), U64(0)


# --- two workers in one node ---

SHARED = record_type(
    {
        "asked": np.int64,  # the number of the last call that the helper is to join
        "own": np.uint64,
        "opp": np.uint64,
        "disc": np.uint64,
        "answered": np.int64,  # the number of the last call that it has answered
        "answer": np.uint64,
        "over": np.int64,
        "calls": np.int64,  # what the leader did
        "spent": np.int64,  # nanoseconds of its quickest `TIMED` calls
        "found": np.uint64,
    },
    apart=("asked", "answered", "over", "calls"),
)


def new_desk() -> Any:
    """What two workers share, empty."""
    return allocate(SHARED, 1)[0]


@inner
def _half(operation, upper, own, opp, disc):
    """One worker's half of a call: four of the eight directions, or one colour's discs."""
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
def _together(operation, own, opp, mine, other):
    if operation == MOVES:
        return (mine | other) & ~(own | opp)
    if operation == VALUE:
        return mine - other
    return mine | other


@inner
def _waits(spins):
    if spins < SPINS:
        pause()
    else:
        yield_core()
    return spins + 1


@kernel
def help_out(operation, desk):
    """The second worker: answers every call until it is over."""
    seen = 0
    spins = 0
    store(desk, "answered", -1)  # it is there
    while load(desk, "over") == 0:
        asked = load(desk, "asked")
        if asked == seen:
            spins = _waits(spins)
            continue
        spins = 0
        seen = asked
        desk.answer = _half(operation, False, desk.own, desk.opp, desk.disc)
        store(desk, "answered", seen)
    return seen


@kernel
def lead(operation, desk, owns, opps, discs, link, most_nanoseconds):
    """The first worker: all boards, again and again until the time is over, each call shared with the second.

    Only the quickest calls count: in the others one of the two may have been without a core.
    """
    spins = 0
    while load(desk, "answered") != -1 and load(desk, "over") == 0:
        spins = _waits(spins)
    calls, least = 0, np.int64(1 << 62)
    began = nanoseconds()
    while (nanoseconds() - began < most_nanoseconds or calls == 0) and load(desk, "over") == 0:
        found = ZERO
        since = nanoseconds()
        for index in range(owns.shape[0]):
            if index % TIMED == 0:
                since = nanoseconds()
            own = owns[index] ^ (found & link)
            calls += 1
            desk.own, desk.opp, desk.disc = own, opps[index], discs[index]
            store(desk, "asked", calls)
            mine = _half(operation, True, own, opps[index], discs[index])
            spins = 0
            while load(desk, "answered") != calls and load(desk, "over") == 0:
                spins = _waits(spins)
            found ^= _together(operation, own, opps[index], mine, desk.answer)
            if index % TIMED == TIMED - 1:
                least = min(least, nanoseconds() - since)
        desk.found = found
    desk.calls, desk.spent = calls, least
    store(desk, "over", 1)
    return calls


@help_out.sample
def _help_out_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    if isinstance(game, Othello):
        desk = new_desk()
        desk.over = 1
        yield 0, desk


@lead.sample
def _lead_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    if isinstance(game, Othello):
        desk = new_desk()
        desk.over = 1
        words = np.ones(1, np.uint64)
        yield 0, desk, words, words.copy(), words.copy(), U64(0), 1
