"""Compiled code as bytes, and back.

Numba can compile all of Python and NumPy only after it has loaded all of its own libraries, which takes as long as
importing it. Code that is already compiled needs only the addresses of the functions that it calls. So their names are
stored beside it, and the libraries are loaded only if one of the names is unknown otherwise.
"""

import pickle
from typing import Any

from outflank.kernels import scripts
from outflank.kernels.uninterrupted import delay_interrupts


def to_bytes(result: Any) -> bytes:
    """Return Numba's compiled code as bytes, for `from_bytes` in another process."""
    # The type annotations are for listings only, and a third of the size.
    parts = result._replace(type_annotation="")._reduce()
    return scripts.dumps((result.library.callees, _external_names(result.library), parts))


def from_bytes(payload: bytes, target: Any) -> Any:
    """Return the compiled code, ready to be called; None if the payload is not usable."""
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


def _external_names(library: Any) -> tuple[str, ...]:
    """Return the external names that the code refers to."""
    module = library._final_module
    names = [symbol.name for symbol in (*module.functions, *module.global_variables) if symbol.is_declaration]
    return tuple(sorted(name for name in names if not name.startswith("llvm.")))


def _is_defined(name: str) -> bool:
    """Return whether the symbol `name` is defined; code that calls an undefined one would call address 0."""
    from llvmlite.binding import address_of_symbol

    return address_of_symbol(name) is not None


def refresh_registrations(target: Any) -> None:
    """Load Numba's new registrations now, which it would do during compilation: interrupted by Ctrl-C there, it would
    never load the rest in this process."""
    from numba.core.registry import cpu_target

    with delay_interrupts():
        cpu_target.typing_context.refresh()
        target.refresh()
