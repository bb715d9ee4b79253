"""Compiled code as bytes, and back: what Numba has to be told before it can run.

Numba knows how to compile the whole of Python and NumPy only after it has read all of its own libraries, which takes as
long as importing it. Code that is already compiled needs none of that, only the addresses of the functions that it
calls. So their names are kept beside it, and the libraries are read where one of them is not known otherwise.
"""

import pickle
from typing import Any

from outflank.kernels import scripts
from outflank.kernels.uninterrupted import undisturbed


def to_bytes(result: Any) -> bytes:
    """What Numba has compiled, for `from_bytes` in another process."""
    # Its type annotations are for readers of a listing, and a third of the whole.
    parts = result._replace(type_annotation="")._reduce()
    return scripts.dumps((result.library.callees, _called(result.library), parts))


def from_bytes(payload: bytes, target: Any) -> Any:
    """The compiled code, ready to be called; None for anything else."""
    from numba.core.compiler import CompileResult
    from numba.core.runtime import rtsys

    try:
        callees, called, parts = pickle.loads(payload)
        if not all(callee.is_ready() for callee in callees):
            return None
        with undisturbed():
            rtsys.initialize(target)
            if not all(map(_is_known, called)):
                target.refresh()
        return CompileResult._rebuild(target, *parts)
    except Exception:  # it may be anything; all that is lost is time
        return None


def _called(library: Any) -> tuple[str, ...]:
    """What the code refers to and does not hold itself."""
    module = library._final_module
    named = [each.name for each in (*module.functions, *module.global_variables) if each.is_declaration]
    return tuple(sorted(name for name in named if not name.startswith("llvm.")))


def _is_known(name: str) -> bool:
    """Whether code that calls `name` would find it; it would be run all the same, and call address 0."""
    from llvmlite.binding import address_of_symbol

    return address_of_symbol(name) is not None


def take_up_what_was_registered(target: Any) -> None:
    """Do now what Numba does when it compiles: cut short by Ctrl-C, it would never find the rest in this process."""
    from numba.core.registry import cpu_target

    with undisturbed():
        cpu_target.typing_context.refresh()
        target.refresh()
