"""Files of compiled kernels: their bytes, their folders, which of them are trusted, and clean-up.

The code in these files is executed. So no file is read from, or written to, a folder that other users can write to.
"""

import hashlib
import io
import os
import pickle
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from outflank.errors import OutflankError
from outflank.folders import NoHome, cache_folder
from outflank.kernels.lowering import CompileResult, Context, Library
from outflank.kernels.uninterrupted import delay_interrupts
from outflank.ownership import complaint, exposure, make_private
from outflank.systems import move

# Caching of kernel code in a script that is run directly, as if the script were a module.
#
# Everything that a script defines belongs to `__main__`, and so does code in a notebook or after `python -i`. Only code
# that is in the script's current file can be cached under a key made from that file. The cached code refers to the
# script's classes by name. Numba would pickle copies of the classes, and a copy matches no signature in the next
# process.

MAIN = "__main__"


def is_in_script(function: Callable[..., object]) -> bool:
    """Return whether the script's file still contains this function of `__main__`. A notebook has no such file."""
    file = getattr(sys.modules.get(MAIN), "__file__", None)
    try:
        return file is not None and function.__code__ in _codes(Path(file).read_bytes())
    except (OSError, ValueError, SyntaxError):
        return False


@lru_cache(maxsize=2)
def _codes(source: bytes) -> frozenset[CodeType]:
    """Return the code objects of all functions in a source.

    Two code objects are equal if they have the same instructions on the same lines.
    """

    def nested_codes(code: CodeType) -> Iterator[CodeType]:
        yield code
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from nested_codes(constant)

    return frozenset(nested_codes(compile(source, "<script>", "exec", dont_inherit=True)))


def is_importable_by_name(value: Any) -> bool:
    """Return whether the qualified name of a class or function leads to this same object in `__main__`."""
    named: Any = sys.modules.get(MAIN)
    for name in value.__qualname__.split("."):
        named = getattr(named, name, None)
    return named is value


def dumps(result: object, pickler: type | None = None) -> bytes:
    """Return Numba's compiled code as bytes, in which the script's classes and functions are stored by name.

    The default `pickler` is Numba's class for code of the processor. GPU code needs another class.
    """
    from numba.core.serialize import NumbaPickler

    base_pickler: Any = pickler or NumbaPickler

    class Pickler(base_pickler):  # type: ignore[misc]  # numba is untyped
        def reducer_override(self, value: Any) -> Any:
            is_script_object = isinstance(value, (type, FunctionType)) and value.__module__ == MAIN
            return (
                NotImplemented if is_script_object and is_importable_by_name(value) else super().reducer_override(value)
            )

    with io.BytesIO() as buffer:
        Pickler(buffer, protocol=4).dump(result)
        return buffer.getvalue()


# Before Numba can compile, it must load all of its own libraries, which takes as long as importing Numba. Code that is
# already compiled needs only the addresses of the functions that it calls. So the names of these functions are stored
# beside the code, and the libraries are loaded only if one of the names is not yet defined.


def to_bytes(result: CompileResult) -> bytes:
    """Return Numba's compiled code as bytes, for `from_bytes` in another process."""
    # The type annotations are needed for listings only, and are a third of the size.
    parts = result._replace(type_annotation="")._reduce()
    return dumps((result.library.callees, _external_names(result.library), parts))


def from_bytes(payload: bytes, target: Context) -> "CompileResult | None":
    """Return the compiled code in `payload`, ready to be called; None if it is not usable."""
    from numba.core.compiler import CompileResult
    from numba.core.runtime import rtsys

    try:
        callees, external_names, parts = pickle.loads(payload)
        if not all(callee.is_ready() for callee in callees):
            return None
        with delay_interrupts():
            rtsys.initialize(target)
            if not all(map(_is_defined, external_names)):
                target.refresh()
        return CompileResult._rebuild(target, *parts)
    except Exception:  # the payload may be anything; the kernel is compiled again
        return None


def _external_names(library: Library) -> tuple[str, ...]:
    """Return the names of functions and variables that the library's code uses but does not define."""
    module = library._final_module
    names = [symbol.name for symbol in (*module.functions, *module.global_variables) if symbol.is_declaration]
    return tuple(sorted(name for name in names if not name.startswith("llvm.")))


def _is_defined(name: str) -> bool:
    """Return whether the symbol `name` is defined. A call of an undefined symbol would go to address 0."""
    from llvmlite.binding import address_of_symbol

    return address_of_symbol(name) is not None


def refresh_registrations(target: Context) -> None:
    """Load Numba's new registrations now, without interruption by Ctrl-C.

    Otherwise Numba loads them during compilation. If Ctrl-C interrupted the loading there, Numba would never load the
    remaining registrations in this process.
    """
    from numba.core.registry import cpu_target

    with delay_interrupts():
        cpu_target.typing_context.refresh()
        target.refresh()


GENERATIONS_KEPT = 6
"""Number of generations (a directory for each version of the sources) that stay on disk. Each has 1 to 2 MB."""

SEAL_BYTES = 16


class Exposed(OutflankError):
    """Other users can write to the cache folder."""


def require_private(folder: Path) -> None:
    """Raise `Exposed` if other users can write to a folder."""
    problem = exposure(folder)
    if problem:
        raise Exposed(f"kernels are neither kept in {folder} nor run from there ({problem})")


def prepare(folder: Path) -> None:
    """Create a folder that passes `require_private`."""
    require_private(folder)
    make_private(folder)
    require_private(folder)  # in a directory that all can write, another user may have created it first


def read(path: Path) -> bytes | None:
    """Return the payload in `path`; None if the file is missing, damaged or not trusted. The folder must have passed
    `require_private`."""
    try:
        # Opening must not block, whatever the file is. An open file cannot be replaced between check and read.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                return None
            if problem := complaint(path, status):
                warn_once(f"a kernel is not run from {path.parent} ({problem})")
                return None
            data = file.read()
    except OSError:
        return None
    return _unsealed(path.name, data)


def read_installed(path: Path) -> bytes | None:
    """Return the payload in a file of an installed package; None if the file is missing or damaged. The package must be
    in a trusted folder (`companion_package.homes`)."""
    try:
        return _unsealed(path.name, path.read_bytes())
    except OSError:
        return None


def _unsealed(name: str, data: bytes) -> bytes | None:
    seal, payload = data[:SEAL_BYTES], data[SEAL_BYTES:]
    return payload if seal == _seal(name, payload) else None


def write(path: Path, payload: bytes) -> None:
    """Write `payload` to `path`, completely or not at all, so that `read` returns it."""
    if not path.parent.exists():
        prepare(path.parent)
        _remove_old_generations(path.parent.parent)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_seal(path.name, payload) + payload)
        move(Path(name), path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _seal(name: str, payload: bytes) -> bytes:
    """Return a checksum of `name` and `payload`, so that another kernel's file is not valid under this name."""
    return hashlib.blake2b(name.encode() + b"\0" + payload, digest_size=SEAL_BYTES).digest()


def _remove_old_generations(parent: Path) -> None:
    """Remove old generations to limit disk space. A process that still uses a removed generation must compile again."""
    generations = sorted(parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in generations[GENERATIONS_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def disk_usage() -> tuple[int, int]:
    """Return the number of cached kernels of all generations, and their size in bytes."""
    try:
        sizes = [path.stat().st_size for path in (cache_folder() / "kernels").rglob("*.kernel")]
    except (OSError, NoHome):
        return 0, 0
    return len(sizes), sum(sizes)


_warned = False


def warn_once(problem: str) -> None:
    """Warn once per process that kernels cannot be cached, and what to do."""
    global _warned
    if not _warned:
        _warned = True
        advice = "every process compiles them again; set OUTFLANK_CACHE_DIR to a directory that only you can write"
        warnings.warn(f"{problem}: {advice}", RuntimeWarning, stacklevel=2)
