"""The pattern evaluation: a sum of learnt weights, one for each pattern (a set of cells) and the way it is filled.

A game defines its patterns (`pattern_sets`); the kernels here know only cells, indices and weights. The index of a
pattern is a number in base 3 with a digit for each cell: 0 if the side to move occupies it, 1 if it is empty, 2 if the
opponent does. So the opponent's index of the same cells is the largest index minus the side to move's index, and a move
changes an index by powers of three. The indices of all copies of all patterns are fields of 16 bits, four to a word.
One addition of words changes four indices. No carry passes from one index to the next, because every digit stays in its
range.

Weights are learnt for the side to move. The right to move is worth something, so the two sides' values of one position
are not each other's negatives.
"""

from typing import NamedTuple, NoReturn

import numpy as np

from outflank.errors import InvalidOption
from outflank.games.evaluation import State, after, begin, final, value
from outflank.games.rules import Game, Position, moves_left, score
from outflank.games.scores import WON
from outflank.kernels.bits import U64, Int, Word, lowest
from outflank.kernels.compiler import extend, inlined
from outflank.kernels.generic import generic, missing
from outflank.kernels.lowering import IR, Builder, Context, Signature, define, is_device
from outflank.kernels.memory import read_short, record_at
from outflank.kernels.record_types import Record


def optimization_barrier(number: Int) -> Int:
    """Return `number`, and keep the optimiser from reordering the sum that it is part of.

    Without this barrier, the optimiser starts a long sum with the value that is read last. It must keep all earlier
    values until then, and keeps them in memory if there are too few registers.

    >>> optimization_barrier(3)
    3
    """
    return number


@extend
def _register_with_numba() -> None:
    from llvmlite import ir
    from numba import types

    word = ir.IntType(64)

    def emit(context: Context, builder: Builder, signature: Signature, number: IR) -> IR:
        if is_device(context):
            return number  # a GPU has enough registers, and other names of constraints
        # Empty inline assembly is opaque to the optimiser.
        return builder.asm(ir.FunctionType(word, [word]), "", "=r,0", [number], False)

    define(optimization_barrier, (types.Integer,), lambda _: (types.int64, types.int64), emit)


WORDS = 12
COPIES = 4 * WORDS
"""Largest number of copies (symmetric images) of all patterns of an evaluation."""
COUNTS = 4
"""Largest number of counts: weighted quantities that are counted again in each position."""
CELLS = 64
STAGES = 128
"""Number of possible results of `stage`; several of them may share a set of weights."""

TABLES = np.dtype(
    [
        ("empty", "u8", (WORDS,)),  # the indices of an empty board
        ("largest", "u8", (WORDS,)),  # the largest index of each pattern
        ("places", "i8", (STAGES,)),  # the address of each stage's `PLACES`
        ("most", "i8"),  # the largest value of the evaluation
        ("scored", "i8"),  # points of one unit of the final score; 0: games are only won or lost
        ("steps", "i8"),  # the address of an array of `STEP`, two for each cell
    ],
    align=True,
)
PLACES = np.dtype([("at", "i8", (COPIES + COUNTS,))], align=True)
"""Record of one stage of the game: the addresses of the first weight of each copy and each count."""
STEP = np.dtype([("words", "u8", (WORDS,))], align=True)
"""Record of the numbers to add to all pattern indices if a cell's digit increases. Each cell has two records: for an
increase by one, and by two (from one side to the other)."""
STEP_BYTES = STEP.itemsize

ZERO, ONE = U64(0), U64(1)
FIELD = U64(0xFFFF)


class Patterns(NamedTuple):
    """The pattern evaluation: the sum of the weights of a position's patterns and counts in its stage."""

    tables: int
    """Address of a record of type `TABLES`."""

    def __reduce__(self) -> NoReturn:
        raise InvalidOption("weights of patterns do not travel: name the evaluation, and every process loads its own")


@generic
def pieces(game: Game, position: Position) -> tuple[Word, Word]:
    """Return the cells that the side to move and the opponent occupy, as two words."""
    raise missing(pieces, game)


@pieces.register(object)
def _(game: Game, position: Position) -> tuple[Word, Word]:
    return position.own, position.opp


@generic
def counts(game: Game, position: Position) -> Word:
    """Return up to four counts of a position, which have weights like patterns, as 16-bit fields of a word."""
    raise missing(counts, game)


@counts.register(object)
def _(game: Game, position: Position) -> Word:
    return ZERO


@generic
def stage(game: Game, position: Position) -> int:
    """Return the stage of a position, which selects the set of weights: a number below `STAGES`."""
    raise missing(stage, game)


@stage.register(object)
def _(game: Game, position: Position) -> int:
    return min(moves_left(game, position), STAGES - 1)


@inlined
def _plus(a: State, b: State) -> State:
    """Return the sums of the words of two states. A loop over the tuples would not keep them in registers."""
    return (
        *(a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]),
        *(a[6] + b[6], a[7] + b[7], a[8] + b[8], a[9] + b[9], a[10] + b[10], a[11] + b[11]),
    )


@inlined
def _minus(a: State, b: State) -> State:
    return (
        *(a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5]),
        *(a[6] - b[6], a[7] - b[7], a[8] - b[8], a[9] - b[9], a[10] - b[10], a[11] - b[11]),
    )


@inlined
def _step(steps: int, cell: int, twice: Word) -> Record:
    """Return the numbers to add to all indices if the digit of `cell` increases by one, or by two for a cell in
    `twice`. It is a record because GPU functions cannot return arrays."""
    double = np.int64((twice >> U64(cell)) & ONE)
    return record_at(steps + STEP_BYTES * (2 * cell + double), STEP)


@inlined
def _changed(steps: int, indices: State, own: Word, opp: Word, own_then: Word, opp_then: Word) -> State:
    """Return the indices after the cells changed from (own, opp) to (own_then, opp_then), for the same side."""
    todo, twice = (own & ~own_then) | (opp_then & ~opp), own & opp_then
    while todo != ZERO:
        indices = _plus(indices, _step(steps, lowest(todo), twice).words)
        todo &= todo - ONE
    todo, twice = (own_then & ~own) | (opp & ~opp_then), opp & own_then
    while todo != ZERO:
        indices = _minus(indices, _step(steps, lowest(todo), twice).words)
        todo &= todo - ONE
    return indices


@begin.register(Patterns)
def _(evaluation, game, position):
    tables = record_at(evaluation.tables, TABLES)
    own, opp = pieces(game, position)
    none = (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)
    return _changed(tables.steps, _plus(none, tables.empty), ZERO, ZERO, own, opp)


@after.register(Patterns)
def _(evaluation, game, state, position, move, child):
    tables = record_at(evaluation.tables, TABLES)
    own, opp = pieces(game, position)
    opp_then, own_then = pieces(game, child)
    # The indices are now the opponent's, so a flipped disc raises them, as a placed one does.
    return _changed(tables.steps, _minus(tables.largest, state), opp, own, opp_then, own_then)


@final.register(Patterns)
def _(evaluation, game, position):
    tables = record_at(evaluation.tables, TABLES)
    won = np.int64(score(game, position))
    if tables.scored == 0 and won != 0:
        return won + WON if won > 0 else won - WON
    return won * tables.scored


@inlined
def _four(at: tuple[int, ...], word: Word, first: int) -> Int:
    """Return the sum of four weights: `word` has the indices of the copies from number `first` on."""
    total = read_short(at[first], np.int64(word & FIELD))
    total += read_short(at[first + 1], np.int64((word >> U64(16)) & FIELD))
    total += read_short(at[first + 2], np.int64((word >> U64(32)) & FIELD))
    return total + read_short(at[first + 3], np.int64(word >> U64(48)))


@value.register(Patterns)
def _(evaluation, game, position, state):
    tables = record_at(evaluation.tables, TABLES)
    # One address for each copy, instead of one address for all and offsets, saves a tenth of this function's time.
    at = record_at(tables.places[stage(game, position)], PLACES).at
    total = _four(at, counts(game, position), COPIES)
    total = optimization_barrier(total + _four(at, state[0], 0))
    total = optimization_barrier(total + _four(at, state[1], 4))
    total = optimization_barrier(total + _four(at, state[2], 8))
    total = optimization_barrier(total + _four(at, state[3], 12))
    total = optimization_barrier(total + _four(at, state[4], 16))
    total = optimization_barrier(total + _four(at, state[5], 20))
    total = optimization_barrier(total + _four(at, state[6], 24))
    total = optimization_barrier(total + _four(at, state[7], 28))
    total = optimization_barrier(total + _four(at, state[8], 32))
    total = optimization_barrier(total + _four(at, state[9], 36))
    total = optimization_barrier(total + _four(at, state[10], 40))
    total = optimization_barrier(total + _four(at, state[11], 44))
    return min(max(total, -tables.most), tables.most)
