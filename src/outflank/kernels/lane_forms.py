"""Choice of vector or general registers for the lanes of `lanes.py`, by processor and number of lanes.

As *vectors* the lanes lie side by side in vector registers; as *scalars* each has a general register of its own. The
choice is based on measurements, which `python -m benchmarks.kernels` repeats on any machine:

- If one register holds all lanes, vectors are faster: a step of a board is one instruction for all directions.
- If no register is that wide, four lanes are faster as scalars: they fit into the general registers, more instructions
  run in parallel there, and on arm64 a shift by a constant is part of the instruction that uses it.
- Eight lanes do not fit into the general registers: vectors are faster, even as four registers of two lanes each.
- If all words of a vector can only be shifted by the same distance (x86-64 before AVX2), scalars are always faster.
"""

import os
from functools import cache
from typing import Literal, get_args

from outflank.errors import InvalidOption

Form = Literal["vectors", "scalars"]

FORCED = "OUTFLANK_LANES"
"""Environment variable that forces a form of lanes (`vectors` or `scalars`), for measurements."""

COUNTS = (2, 4, 8)
"""Supported numbers of lanes."""

WORD_BITS = 64
MOST_SCALARS = 4
"""Greatest number of lanes that fit, with intermediate results, into 16 (x86-64) or 31 (arm64) general registers."""


@cache
def forced_form() -> Form | None:
    """Return the form of lanes that `FORCED` sets, or None. The variable is read only once, because compiled kernels
    cannot change their form."""
    name = os.environ.get(FORCED, "")
    for form in get_args(Form):
        if name == form:
            return form  # type: ignore[no-any-return]  # get_args is untyped
    if name:
        raise InvalidOption(f"{FORCED}={name}: expected {' or '.join(get_args(Form))}")
    return None


def vector_bits(triple: str, features: str) -> int:
    """Return the bits of the widest vector register that can shift its words by different distances; 0 if none can.

    The processor is given by LLVM's target triple and list of features.
    """
    feature_set = set(features.split(","))
    if triple.startswith(("x86_64", "i386", "i686")):
        return 512 if "+avx512f" in feature_set else 256 if "+avx2" in feature_set else 0
    return 128


def choose_form(count: int, bits: int) -> tuple[Form, str]:
    """Return the form for `count` lanes with vector registers of `bits` bits, and the reason in words."""
    form = forced_form()
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
    """Return `vector_bits` of the processor that kernels are compiled for; Numba must be loaded."""
    from numba.core.registry import cpu_target

    triple, _, features = cpu_target.target_context.codegen().magic_tuple()
    return vector_bits(triple, features)


def form_of(count: int) -> Form:
    """Return the form of `count` lanes in this process's kernels; Numba must be loaded."""
    return choose_form(count, target_bits())[0]


def forms_text() -> str:
    """Return the forms of four and eight lanes in words, for `outflank doctor`; Numba must be loaded."""
    forms = [(count, *choose_form(count, target_bits())) for count in (4, 8)]
    return "; ".join(f"{count} as {form} ({why})" for count, form, why in forms)
