"""Several 64-bit words side by side: one step of a board in every direction at once.

In a kernel a value of this kind lies in vector registers, or each of its words in a general
register (`lane_forms.py` chooses); in the interpreter it is a NumPy array, whose operators
mean the same (but `a |= b` would change the array that other names share, so kernels refuse
it: write `a = a | b`). So the directions of a board are the lanes of one expression, in one
source for all machines.
"""

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from outflank.kernels.compiler import extend
from outflank.kernels.lane_forms import COUNTS, form_of
from outflank.kernels.lowering import define

# A third of the time of searches in the interpreter went into what follows. Arrays of so few words cost only the calls
# of NumPy that make them, and those below are the cheapest that do.


@lru_cache(maxsize=64)  # rules ask for the same constants at every node
def lanes(*words: Any) -> Any:
    """A lane for each of `words`: two, four or eight."""
    held = np.array(words, dtype=np.uint64)
    held.flags.writeable = False
    return held


def spread(word: Any, like: Any) -> Any:
    """`word` in every lane, as many as `like` has."""
    held = like.copy()
    held.fill(word)
    return held


def occupied(vector: Any) -> Any:
    """All ones in each lane that has a bit set, zero in the others."""
    return -np.sign(vector)


def merged(vector: Any) -> Any:
    """The lanes' words in one, bit by bit."""
    return np.uint64(reduce(operator.or_, vector.tolist()))


def bit_counts(vector: Any) -> Any:
    """In each lane, how many bits it had set."""
    return np.bitwise_count(vector).astype(np.uint64)


def total(vector: Any) -> Any:
    """The sum of the lanes."""
    return int(vector.sum())


def lane(vector: Any, index: Any) -> Any:
    """The word in lane `index`."""
    return vector[index]


@extend
def _teach_numba() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core.cgutils import alloca_once_value, gep_inbounds, get_or_insert_function, pack_array, unpack_tuple
    from numba.extending import models, register_model

    word = ir.IntType(64)
    place = ir.IntType(32)

    class Lanes(types.Type):  # type: ignore[misc]  # numba is untyped
        """`count` unsigned words, in vector registers or in general ones."""

        def __init__(self, count: int) -> None:
            self.count = count
            self.form = form_of(count)
            super().__init__(name=f"lanes({count}, {self.form})")

    @register_model(Lanes)
    class LanesModel(models.PrimitiveModel):  # type: ignore[misc]  # numba is untyped
        def __init__(self, manager: Any, kind: Any) -> None:
            held = ir.VectorType if kind.form == "vectors" else ir.ArrayType
            super().__init__(manager, kind, held(word, kind.count))

    def joined(builder: Any, words: Sequence[Any], form: str) -> Any:
        if form == "vectors":
            held = ir.Constant(ir.VectorType(word, len(words)), ir.Undefined)
            for index, value in enumerate(words):
                held = builder.insert_element(held, value, ir.Constant(place, index))
            return held
        return pack_array(builder, words, word)

    def build(context: Any, builder: Any, signature: Any, *words: Any) -> Any:
        return joined(builder, words, signature.return_type.form)

    def build_equal(context: Any, builder: Any, signature: Any, value: Any, like: Any) -> Any:
        return joined(builder, [value] * like.type.count, signature.return_type.form)

    def in_each(step: Callable[..., Any]) -> Callable[..., Any]:
        """What `step` does to a word or to a vector of words, done to all lanes."""

        def emit(context: Any, builder: Any, signature: Any, *vectors: Any) -> Any:
            if signature.args[0].form == "vectors":
                return step(builder, *vectors)
            rows = zip(*(unpack_tuple(builder, vector) for vector in vectors), strict=True)
            return joined(builder, [step(builder, *row) for row in rows], "scalars")

        return emit

    def nonzero(builder: Any, held: Any) -> Any:
        return builder.sext(builder.icmp_unsigned("!=", held, ir.Constant(held.type, 0)), held.type)

    def count_bits(builder: Any, held: Any) -> Any:
        name = f"llvm.ctpop.v{held.type.count}i64" if isinstance(held.type, ir.VectorType) else "llvm.ctpop.i64"
        kind = ir.FunctionType(held.type, [held.type])
        return builder.call(get_or_insert_function(builder.module, kind, name), [held])

    def pick(context: Any, builder: Any, signature: Any, vector: Any, index: Any) -> Any:
        if signature.args[0].form == "vectors":
            return builder.extract_element(vector, index)
        memory = alloca_once_value(builder, vector)  # gone once the index is known, as in a loop that is unrolled
        return builder.load(gep_inbounds(builder, memory, 0, index))

    def halves(builder: Any, vector: Any) -> Any:
        half = vector.type.count // 2
        undefined = ir.Constant(vector.type, ir.Undefined)
        for start in (0, half):
            chosen = ir.Constant(ir.VectorType(place, half), list(range(start, start + half)))
            yield builder.shuffle_vector(vector, undefined, chosen)

    def reduced(instruction: str) -> Callable[..., Any]:
        def emit(context: Any, builder: Any, signature: Any, vector: Any) -> Any:
            step = getattr(builder, instruction)
            if signature.args[0].form == "vectors":
                # Halve until one word is left: each step is one instruction on a narrower register.
                while vector.type.count > 1:
                    vector = step(*halves(builder, vector))
                return builder.extract_element(vector, ir.Constant(place, 0))
            words = unpack_tuple(builder, vector)
            while len(words) > 1:
                half = len(words) // 2
                words = [step(low, high) for low, high in zip(words[:half], words[half:], strict=True)]
            return words[0]

        return emit

    def shaped(*words: Any) -> Any:
        fits = len(words) in COUNTS
        return (Lanes(len(words)), *[types.uint64] * len(words)) if fits else None

    def alike(*vectors: Any) -> Any:
        ours = all(isinstance(vector, Lanes) and vector == vectors[0] for vector in vectors)
        return (vectors[0], *vectors) if ours else None

    define(lanes, (types.VarArg(types.Any),), shaped, build)
    define(spread, (types.Any, Lanes), lambda value, like: (like, types.uint64, like), build_equal)
    define(occupied, (Lanes,), alike, in_each(nonzero))
    define(merged, (Lanes,), lambda vector: (types.uint64, vector), reduced("or_"))
    define(bit_counts, (Lanes,), alike, in_each(count_bits))
    define(total, (Lanes,), lambda vector: (types.int64, vector), reduced("add"))
    define(lane, (Lanes, types.Any), lambda vector, index: (types.uint64, vector, types.int64), pick)
    define(operator.invert, (Lanes,), alike, in_each(lambda builder, held: builder.not_(held)))
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
