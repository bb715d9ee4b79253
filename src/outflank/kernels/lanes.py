"""Lanes: several 64-bit words side by side, for one step of a board in every direction at once.

In a kernel such a value lies in vector registers, or each of its words in a general register
(`lane_forms.py` decides); in the interpreter it is a NumPy array, whose operators mean the
same (but `a |= b` would change an array that other names share, so kernels do not support
it: write `a = a | b`). So the directions of a board are the lanes of one expression, in one
source for all machines.
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
from outflank.kernels.lowering import IR, Builder, CallTypes, Context, Emit, NumbaType, Signature, define

Vector: TypeAlias = npt.NDArray[Any]
"""Lanes, as the interpreter has them."""

# A third of the time of searches in the interpreter went into these functions. Arrays of so few words cost only the
# calls of NumPy that create them, and those below are the cheapest.


@lru_cache(maxsize=64)  # rules use the same constants at every node
def lanes(*words: Word) -> Vector:
    """Return lanes with one of `words` in each: two, four or eight."""
    array = np.array(words, dtype=np.uint64)
    array.flags.writeable = False
    return array


def spread(word: Word, like: Vector) -> Vector:
    """Return as many lanes as `like` has, with `word` in each."""
    array = like.copy()
    array.fill(word)
    return array


def occupied(vector: Vector) -> Vector:
    """Return all ones in each lane that has a bit set, zero in the others."""
    return -np.sign(vector)


def merged(vector: Vector) -> Word:
    """Return the bitwise or of the lanes."""
    return np.uint64(reduce(operator.or_, vector.tolist()))


def bit_counts(vector: Vector) -> Vector:
    """Return the number of set bits of each lane, in that lane."""
    return np.bitwise_count(vector).astype(np.uint64)


def total(vector: Vector) -> int:
    """Return the sum of the lanes."""
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
        """`count` unsigned words, in vector registers or in general ones."""

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
        """Return the emitter that applies `step`, which handles a word or a vector of words, to all lanes."""

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
                # Halve until one word is left: each step is one instruction on a narrower register.
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
