"""How a kernel calls another one: by a name, and the name stands for an address.

Numba puts the code of all that a function calls into its own, and optimises it there once more: the search below a
frame, with the endings below that, would be made again in every kernel that calls it, though none can inline it. Here
every kernel is made once. The name is made of what its file is called in the cache, so that it is the same in every
process, and what is kept of a caller tells which kernels must be ready before it.
"""

from importlib import import_module
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary


class Callee(NamedTuple):
    """A kernel, compiled for some types, as others call it."""

    symbol: str
    """The name that stands for its address; of one that cannot be kept, this process's own."""
    inside: str
    """The compiler's name for it, under which those that are compiled here ask for it."""
    kept: bool
    """Whether another process will know it by `symbol`."""
    module: str
    name: str
    types: tuple[Any, ...]

    def is_ready(self) -> bool:
        """Load or compile it, unless that has been done; False: it is not what it was when its caller was kept."""
        getattr(import_module(self.module), self.name).compiled.compile(self.types)
        return self.symbol in _symbols


_callees: WeakKeyDictionary[Any, Callee] = WeakKeyDictionary()  # by their code
_symbols: set[str] = set()


def publish(result: Any, callee: Callee) -> None:
    """Let kernels call what has been compiled or loaded."""
    from llvmlite.binding import add_symbol

    add_symbol(callee.symbol, result.library.get_pointer_to_function(callee.inside))
    _callees[result.library] = callee
    _symbols.add(callee.symbol)


def callee_of(library: Any) -> Callee | None:
    """How the kernel is called whose code this is; None: it is no kernel's."""
    return _callees.get(library)


def call_by_symbol(module: Any, callees: tuple[Callee, ...]) -> None:
    """Let the calls in a caller's code be of the callees' symbols."""
    declared = {function.name: function for function in module.functions if function.is_declaration}
    for callee in callees:
        if callee.inside in declared:
            declared[callee.inside].name = callee.symbol


def called_in(module: Any, callees: tuple[Callee, ...]) -> tuple[Callee, ...]:
    """Those that a caller's code still calls when it has been optimised."""
    declared = {function.name for function in module.functions if function.is_declaration}
    return tuple(callee for callee in callees if callee.symbol in declared)
