"""Which registers hold the lanes of `lanes.py`: chosen for the machine and for how many they are, from one source.

As *vectors* the lanes lie side by side in vector registers; as *scalars* each has a general register of its own. Which
is faster was measured, and `python -m benchmarks.kernels` measures it wherever it is run:

- Where one register holds all lanes, vectors win: a step of a board is one instruction for all directions.
- Where none is so wide, four lanes are faster as scalars: they fit into the general registers, more instructions are
  done at a time there, and on arm64 a shift by a constant is part of the instruction that uses it.
- Eight lanes do not fit into the general registers: vectors win, even in four pieces of two lanes each.
- Where a vector's words are all shifted by the same distance only (x86-64 before AVX2), scalars win with any number.
"""

import os
from functools import cache
from typing import Literal, get_args

from outflank.errors import InvalidOption

Form = Literal["vectors", "scalars"]

FORCED = "OUTFLANK_LANES"
"""The variable of the environment that forces a form, for measurements."""

COUNTS = (2, 4, 8)
"""How many lanes there may be."""

WORD_BITS = 64
MOST_SCALARS = 4
"""So many lanes, and what is computed of them, are at home in general registers: 16 of them (x86-64) or 31 (arm64)."""


@cache
def forced() -> Form | None:
    """The form that the environment asks for; the same for the whole life of the process, as kernels are."""
    asked = os.environ.get(FORCED, "")
    for form in get_args(Form):
        if asked == form:
            return form  # type: ignore[no-any-return]  # get_args is untyped
    if asked:
        raise InvalidOption(f"{FORCED}={asked}: expected {' or '.join(get_args(Form))}")
    return None


def vector_bits(triple: str, features: str) -> int:
    """The bits of the widest register whose words are shifted each by a distance of its own; 0: there is none.

    The processor is given by LLVM's names for its kind and for its features.
    """
    offered = set(features.split(","))
    if triple.startswith(("x86_64", "i386", "i686")):
        return 512 if "+avx512f" in offered else 256 if "+avx2" in offered else 0
    return 128


def chosen(count: int, bits: int) -> tuple[Form, str]:
    """The form for so many lanes where vector registers have so many bits, and why."""
    form = forced()
    if form is not None:
        return form, f"{FORCED} says so"
    if bits == 0:
        return "scalars", "no register shifts each of its words by a distance of its own"
    if count * WORD_BITS <= bits:
        return "vectors", f"a register of {bits} bits holds them"
    if count <= MOST_SCALARS:
        return "scalars", f"no register holds more than {bits} bits"
    return "vectors", f"{bits} bits at a time: general registers would not hold them"


def target_bits() -> int:
    """`vector_bits` of the processor that kernels are compiled for; Numba must be loaded."""
    from numba.core.registry import cpu_target

    triple, _, features = cpu_target.target_context.codegen().magic_tuple()
    return vector_bits(triple, features)


def form_of(count: int) -> Form:
    """The form of so many lanes in this process's kernels; Numba must be loaded."""
    return chosen(count, target_bits())[0]


def described() -> str:
    """What `outflank doctor` says of the numbers that games have; Numba must be loaded."""
    told = [(count, *chosen(count, target_bits())) for count in (4, 8)]
    return "; ".join(f"{count} as {form} ({why})" for count, form, why in told)
