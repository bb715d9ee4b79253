"""Lanes: several 64-bit words side by side, for one step of a board in every direction at once.

In a kernel, lanes are in vector registers or in general registers (`lane_forms.py` decides). In the interpreter they
are a NumPy array with the same operators. So one expression handles all directions of a board, in one source for all
machines. Write `a = a | b`: kernels do not support `a |= b`, which would change an array that other names share.
"""

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from outflank.kernels.bits import Word
from outflank.kernels.compiler import extend
from outflank.kernels.lane_forms import COUNTS, form_of
from outflank.kernels.lowering import (
    IR,
    Builder,
    CallTypes,
    Context,
    Emit,
    IRType,
    NumbaType,
    Signature,
    define,
    is_device,
)

# `enclosed` finds runs of bits along four rays of a board at once, with one addition with carry for each ray. It always
# uses vector registers, even where general registers are better for other lanes: vector registers make these few steps
# a third faster even on a Neoverse-N1, whose vector registers do not hold four words.

RAYS = 4
"""Number of rays in a row of the table of `enclosed`. They are the row's first words."""


def enclosed(table: npt.NDArray[np.uint64], row: int, run: Word, ends: Word) -> Word:
    """Return the bits of `run` at the beginning of each ray in `table[row]`, if a bit of `ends` follows them there.

    A ray goes from its lowest bit upwards. The rays of a row have no bit in common; nor have `run` and `ends`.

    >>> rays = np.array([[0b11110, 0, 0, 0]], np.uint64)
    >>> bin(enclosed(rays, 0, 0b00110, 0b01000)), bin(enclosed(rays, 0, 0b00110, 0b10000))
    ('0b110', '0b0')
    """
    bits = 0
    for ray in map(int, table[row, :RAYS]):
        stops = ray & ~int(run)
        end = stops & -stops & int(ends)
        bits |= (end - (end != 0)) & ray
    return np.uint64(bits)


@extend
def _register_rays_with_numba() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core.cgutils import get_or_insert_function

    word, byte = ir.IntType(64), ir.IntType(8)
    four = ir.VectorType(word, RAYS)

    def call(builder: Builder, name: str, returns: IRType, *arguments: IR) -> IR:
        kind = ir.FunctionType(returns, [argument.type for argument in arguments])
        return builder.call(get_or_insert_function(builder.module, kind, name), arguments)

    def spread(builder: Builder, value: IR) -> IR:
        first = builder.insert_element(ir.Constant(four, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), RAYS), [0] * RAYS)
        return builder.shuffle_vector(first, ir.Constant(four, ir.Undefined), zeros)

    def one_by_one(builder: Builder, rays: IR, run: IR, ends: IR) -> IR:
        zero, one = ir.Constant(word, 0), ir.Constant(word, 1)
        bits = zero
        for index in range(RAYS):
            ray = builder.load(builder.gep(rays, [ir.Constant(ir.IntType(32), index)]))
            carried = builder.add(builder.or_(run, builder.not_(ray)), one)
            end = builder.and_(builder.and_(carried, ends), ray)
            enclosing = builder.icmp_unsigned("!=", end, zero)
            below = builder.and_(builder.sub(end, one), ray)
            bits = builder.or_(bits, builder.select(enclosing, below, zero))
        return bits

    def emit(context: Context, builder: Builder, signature: Signature, table: IR, row: IR, run: IR, ends: IR) -> IR:
        array = context.make_array(signature.args[0])(context, builder, table)
        offset = builder.mul(row, builder.extract_value(array.strides, 0))
        pointer = builder.gep(builder.bitcast(array.data, byte.as_pointer()), [offset])
        if is_device(context):
            return one_by_one(builder, builder.bitcast(pointer, word.as_pointer()), run, ends)
        rays = builder.load(builder.bitcast(pointer, four.as_pointer()), align=8)
        one = ir.Constant(four, [1] * RAYS)
        # All bits outside the ray are set, so adding one at the bottom carries to the first bit after the run.
        carried = builder.add(builder.or_(spread(builder, run), builder.not_(rays)), one)
        end = builder.and_(builder.and_(carried, spread(builder, ends)), rays)
        # Minus one gives all bits below; zero stays zero, as the subtraction saturates.
        runs = builder.and_(call(builder, f"llvm.usub.sat.v{RAYS}i64", four, end, one), rays)
        return call(builder, f"llvm.vector.reduce.add.v{RAYS}i64", word, runs)  # equals an `or`: rays share no bit

    define(
        enclosed,
        (types.Array, types.Integer, types.Integer, types.Integer),
        lambda table, row, run, ends: (types.uint64, table, *[types.uint64] * 3),
        emit,
    )


Vector: TypeAlias = npt.NDArray[Any]
"""Lanes in the interpreter: an array of words."""

# These functions took a third of the time of searches in the interpreter. An array of a few words costs as much as the
# NumPy call that creates it, and the calls below are the cheapest.


@lru_cache(maxsize=64)  # rules use the same constants at every node
def lanes(*words: Word) -> Vector:
    """Return lanes with one of `words` in each. There must be two, four or eight words."""
    array = np.array(words, dtype=np.uint64)
    array.flags.writeable = False
    return array


def spread(word: Word, like: Vector) -> Vector:
    """Return as many lanes as `like` has, with `word` in each."""
    array = like.copy()
    array.fill(word)
    return array


def occupied(vector: Vector) -> Vector:
    """Return lanes with all bits set where the lane of `vector` is not zero, and zero elsewhere."""
    return -np.sign(vector)


def merged(vector: Vector) -> Word:
    """Return the bitwise or of all lanes."""
    return np.uint64(reduce(operator.or_, vector.tolist()))


def bit_counts(vector: Vector) -> Vector:
    """Return lanes that hold the number of set bits in each lane of `vector`."""
    return np.bitwise_count(vector).astype(np.uint64)


def total(vector: Vector) -> int:
    """Return the sum of all lanes."""
    return int(vector.sum())


def lane(vector: Vector, index: int) -> Word:
    """Return the word in lane `index`."""
    return vector[index]


@extend
def _register_with_numba() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core.cgutils import alloca_once_value, gep_inbounds, get_or_insert_function, pack_array, unpack_tuple
    from numba.extending import models, register_model

    word = ir.IntType(64)
    index_type = ir.IntType(32)

    class Lanes(types.Type):  # type: ignore[misc]  # numba is untyped
        """Numba's type of `count` lanes, in vector registers or in general registers."""

        def __init__(self, count: int) -> None:
            self.count = count
            self.form = form_of(count)
            super().__init__(name=f"lanes({count}, {self.form})")

    @register_model(Lanes)
    class LanesModel(models.PrimitiveModel):  # type: ignore[misc]  # numba is untyped
        def __init__(self, manager: object, kind: Lanes) -> None:
            container = ir.VectorType if kind.form == "vectors" else ir.ArrayType
            super().__init__(manager, kind, container(word, kind.count))

    def joined(builder: Builder, words: Sequence[IR], form: str) -> IR:
        if form == "vectors":
            vector = ir.Constant(ir.VectorType(word, len(words)), ir.Undefined)
            for index, value in enumerate(words):
                vector = builder.insert_element(vector, value, ir.Constant(index_type, index))
            return vector
        return pack_array(builder, words, word)

    def build(context: Context, builder: Builder, signature: Signature, *words: IR) -> IR:
        return joined(builder, words, signature.return_type.form)

    def build_equal(context: Context, builder: Builder, signature: Signature, value: IR, like: IR) -> IR:
        return joined(builder, [value] * like.type.count, signature.return_type.form)

    def in_each(step: Callable[..., IR]) -> Emit:
        """Return an emitter that applies `step`, which handles a word or a vector of words, to all lanes."""

        def emit(context: Context, builder: Builder, signature: Signature, *vectors: IR) -> IR:
            if signature.args[0].form == "vectors":
                return step(builder, *vectors)
            rows = zip(*(unpack_tuple(builder, vector) for vector in vectors), strict=True)
            return joined(builder, [step(builder, *row) for row in rows], "scalars")

        return emit

    def nonzero(builder: Builder, value: IR) -> IR:
        return builder.sext(builder.icmp_unsigned("!=", value, ir.Constant(value.type, 0)), value.type)

    def count_bits(builder: Builder, value: IR) -> IR:
        name = f"llvm.ctpop.v{value.type.count}i64" if isinstance(value.type, ir.VectorType) else "llvm.ctpop.i64"
        kind = ir.FunctionType(value.type, [value.type])
        return builder.call(get_or_insert_function(builder.module, kind, name), [value])

    def pick(context: Context, builder: Builder, signature: Signature, vector: IR, index: IR) -> IR:
        if signature.args[0].form == "vectors":
            return builder.extract_element(vector, index)
        memory = alloca_once_value(
            builder, vector
        )  # removed by the optimiser if the index is constant, as in an unrolled loop
        return builder.load(gep_inbounds(builder, memory, 0, index))

    def halves(builder: Builder, vector: IR) -> IR:
        half = vector.type.count // 2
        undefined = ir.Constant(vector.type, ir.Undefined)
        for start in (0, half):
            mask = ir.Constant(ir.VectorType(index_type, half), list(range(start, start + half)))
            yield builder.shuffle_vector(vector, undefined, mask)

    def reduced(instruction: str) -> Emit:
        def emit(context: Context, builder: Builder, signature: Signature, vector: IR) -> IR:
            step = getattr(builder, instruction)
            if signature.args[0].form == "vectors":
                # The vector is halved until one word is left: each step is one instruction on a narrower register.
                while vector.type.count > 1:
                    vector = step(*halves(builder, vector))
                return builder.extract_element(vector, ir.Constant(index_type, 0))
            words = unpack_tuple(builder, vector)
            while len(words) > 1:
                half = len(words) // 2
                words = [step(low, high) for low, high in zip(words[:half], words[half:], strict=True)]
            return words[0]

        return emit

    def shaped(*words: NumbaType) -> CallTypes:
        fits = len(words) in COUNTS
        return (Lanes(len(words)), *[types.uint64] * len(words)) if fits else None

    def alike(*vectors: NumbaType) -> CallTypes:
        are_equal = all(isinstance(vector, Lanes) and vector == vectors[0] for vector in vectors)
        return (vectors[0], *vectors) if are_equal else None

    define(lanes, (types.VarArg(types.Any),), shaped, build)
    define(spread, (types.Any, Lanes), lambda value, like: (like, types.uint64, like), build_equal)
    define(occupied, (Lanes,), alike, in_each(nonzero))
    define(merged, (Lanes,), lambda vector: (types.uint64, vector), reduced("or_"))
    define(bit_counts, (Lanes,), alike, in_each(count_bits))
    define(total, (Lanes,), lambda vector: (types.int64, vector), reduced("add"))
    define(lane, (Lanes, types.Any), lambda vector, index: (types.uint64, vector, types.int64), pick)
    define(operator.invert, (Lanes,), alike, in_each(lambda builder, value: builder.not_(value)))
    for function, instruction in (
        (operator.and_, "and_"),
        (operator.or_, "or_"),
        (operator.add, "add"),
        (operator.mul, "mul"),
        (operator.lshift, "shl"),
        (operator.rshift, "lshr"),
    ):
        define(
            function,
            (Lanes, Lanes),
            alike,
            in_each(lambda builder, a, b, instruction=instruction: getattr(builder, instruction)(a, b)),
        )
