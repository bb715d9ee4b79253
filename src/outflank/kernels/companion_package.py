"""The companion package `outflank-kernels`: kernels compiled ahead of time, which the cache reads but never writes.

`outflank warm --wheel` (`outflank.warm`) builds it. Its kernels are compiled for the *generic processors* below. The
names of its folder and files have the same digests as in the user's cache. So kernels for other sources, other versions
of the compiler or another Python are never found, and kernels are compiled as without the package.
"""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from outflank.errors import InvalidOption

PACKAGE = "outflank_kernels"
"""Name of the package's folder. It is never imported."""

SWITCH = "OUTFLANK_KERNELS"
"""Environment variable: with `native`, the package is not used, and kernels are compiled for this processor."""


@dataclass(frozen=True, slots=True)
class Processor:
    """A generic processor: code compiled for it runs on every processor that has its features."""

    name: str
    """LLVM's name of the processor, which decides how instructions are ordered."""
    features: str
    """LLVM's features, separated by commas, each with a plus sign."""


_V2 = "+cmov,+crc32,+cx16,+cx8,+fxsr,+mmx,+popcnt,+sahf,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3"
_V3 = f"{_V2},+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe,+xsave"
_V4 = f"{_V3},+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512vl"

PROCESSORS = {
    # The microarchitecture levels of the x86-64 psABI. Each changes the form of lanes, or the width of vectors.
    "x86_64": (Processor("x86-64-v4", _V4), Processor("x86-64-v3", _V3), Processor("x86-64-v2", _V2)),
    "aarch64": (Processor("generic", ""),),
    "arm64": (Processor("apple-m1", ""),),  # LLVM's name of the architecture on macOS
}
"""Generic processors of each architecture, the fastest first."""

Target = tuple[str, str, str]
"""The target of Numba's compiler: LLVM's target triple, name of the processor, and features."""


def host() -> Target:
    """Return the compiler's target in this process; Numba must be loaded."""
    from numba.core.registry import cpu_target

    return cpu_target.target_context.codegen().magic_tuple()  # type: ignore[no-any-return]  # numba is untyped


def generic_processors(triple: str) -> tuple[Processor, ...]:
    """Return the generic processors of an architecture, the fastest first."""
    return PROCESSORS.get(triple.partition("-")[0], ())


def usable_processors(triple: str, features: str) -> list[Processor]:
    """Return the generic processors whose code runs on a processor with `features`, the fastest first."""
    present = {"", *features.split(",")}
    return [processor for processor in generic_processors(triple) if present.issuperset(processor.features.split(","))]


def folder(home: Path, processor: Processor) -> Path:
    """Return the cache folder of the package in `home` with the kernels for a generic processor."""
    return home / PACKAGE / processor.name


def homes() -> tuple[Path, ...]:
    """Return the folders in which the package is trusted: those with this package and with Numba.

    The files contain code that will be run. Whoever can write to one of these folders could also replace the code there
    that is already running. No other folder of Python's search path is looked at.
    """
    import numba

    return Path(__file__).parents[2], Path(numba.__file__).parents[1]


@cache
def kernels_for(magic_tuple: Target, stamp: str) -> tuple[Path, Target] | None:
    """Return the folder with kernels of this `stamp` that run on the given processor, and what they are compiled for.

    Return None if there are none.
    """
    if _is_switched_off():
        return None
    triple, _, features = magic_tuple
    for processor in usable_processors(triple, features):
        for home in homes():
            kernels = folder(home, processor) / "kernels" / stamp
            if kernels.is_dir():
                return kernels, (triple, processor.name, processor.features)
    return None


def _is_switched_off() -> bool:
    choice = os.environ.get(SWITCH, "")
    if choice not in ("", "native"):
        raise InvalidOption(f"{SWITCH}={choice}: expected native")
    return choice == "native"


def state_text(stamp: str) -> str:
    """Return in words whether the package is used, for `outflank doctor`; Numba must be loaded."""
    if not any((home / PACKAGE).is_dir() for home in homes()):
        return "not installed"
    if _is_switched_off():
        return f"not used ({SWITCH}=native)"
    kernels = kernels_for(host(), stamp)
    if kernels is None:
        return "not used: it has no kernels for this processor, this Python and these versions of the packages"
    return f"kernels for {kernels[1][1]}"
