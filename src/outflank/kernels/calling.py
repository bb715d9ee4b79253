"""How a kernel calls another kernel: by a symbol that stands for an address.

Numba copies the code of all callees into the caller, and optimises it there again: the search below a frame, with the
endings below that, would be compiled again in every kernel that calls it, though none can inline it. Here every kernel
is compiled once. Its symbol is derived from the name of its file in the cache, so that it is the same in every process,
and the cache file of a caller lists the kernels that must be ready before it.
"""

from importlib import import_module
from typing import NamedTuple
from weakref import WeakKeyDictionary

from outflank.kernels.lowering import CompileResult, Library, Module, NumbaType


class Callee(NamedTuple):
    """A kernel compiled for some types, as its callers refer to it."""

    symbol: str
    """Symbol of the kernel's address; for a kernel that cannot be cached it is valid in this process only."""
    llvm_name: str
    """The compiler's name of the function, by which callers compiled in this process refer to it."""
    is_cached: bool
    """Whether the kernel is cached: other processes know it by `symbol` then."""
    module: str
    name: str
    types: tuple[NumbaType, ...]

    def is_ready(self) -> bool:
        """Load or compile the kernel if necessary; return whether it is still the one its cached caller refers to."""
        getattr(import_module(self.module), self.name).compiled.compile(self.types)
        return self.symbol in _symbols


_callees: WeakKeyDictionary[Library, Callee] = WeakKeyDictionary()  # by their code libraries
_symbols: set[str] = set()


def publish(result: CompileResult, callee: Callee) -> None:
    """Make a compiled or loaded kernel callable from other kernels."""
    from llvmlite.binding import add_symbol

    add_symbol(callee.symbol, result.library.get_pointer_to_function(callee.llvm_name))
    _callees[result.library] = callee
    _symbols.add(callee.symbol)


def callee_of(library: Library) -> Callee | None:
    """Return the callee whose code library this is; None: it is not a kernel's."""
    return _callees.get(library)


def call_by_symbol(module: Module, callees: tuple[Callee, ...]) -> None:
    """Rename the declarations in a caller's code to the callees' symbols."""
    declared = {function.name: function for function in module.functions if function.is_declaration}
    for callee in callees:
        if callee.llvm_name in declared:
            declared[callee.llvm_name].name = callee.symbol


def called_in(module: Module, callees: tuple[Callee, ...]) -> tuple[Callee, ...]:
    """Return the callees that a caller's code still calls after optimisation."""
    declared = {function.name for function in module.functions if function.is_declaration}
    return tuple(callee for callee in callees if callee.symbol in declared)
