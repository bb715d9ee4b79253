"""Selection of Numba's passes for a function, and a pass manager that only runs them.

Numba runs some twenty-five passes on every function. A third of them handle things that kernel code hardly ever has
(closures and comprehensions, exceptions, `with`, functions and types of Numba's own), and search all statements for
them: they are skipped for a function whose bytecode shows that it has none. That takes 7 % off the time of a first
search, and the results of kernels cannot depend on it: a pass that finds nothing changes nothing.
"""

import builtins
import dis
import functools
from functools import cache
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

RAISE = dis.opmap["RAISE_VARARGS"]
SPECIAL_FUNCTIONS = (isinstance, hasattr, functools.reduce)
"""Functions that Numba has a pass for."""


def unneeded_passes(function: FunctionType) -> frozenset[type]:
    """Return Numba's passes that would change nothing in a function."""
    return _never_needed() | (_rarely_needed() if is_plain(function) else frozenset())


@cache
def _never_needed() -> frozenset[type]:
    from numba.core.typed_passes import NopythonRewrites

    return frozenset((NopythonRewrites,))  # looks for arithmetic on whole arrays, which kernels do not use


@cache
def _rarely_needed() -> frozenset[type]:
    from numba.core import typed_passes, untyped_passes

    return frozenset(
        (
            untyped_passes.WithLifting,
            untyped_passes.InlineClosureLikes,
            untyped_passes.RewriteDynamicRaises,
            untyped_passes.MakeFunctionToJitFunction,
            untyped_passes.InlineInlinables,
            untyped_passes.FindLiterallyCalls,
            untyped_passes.LiteralUnroll,
            untyped_passes.LiteralPropagationSubPipelinePass,
            typed_passes.DumpParforDiagnostics,
        )
    )


def is_plain(function: FunctionType) -> bool:
    """Return whether a function has only arithmetic, branches, loops, and calls of functions that are not Numba's."""
    code = function.__code__
    return not (
        code.co_exceptiontable  # `try`, `with`
        or RAISE in code.co_code[::2]
        or code.co_freevars
        or any(isinstance(constant, CodeType) for constant in code.co_consts)  # nested functions, comprehensions
        or any(_is_special(_global_value(function, name)) for name in code.co_names)
    )


def _global_value(function: FunctionType, name: str) -> Any:
    """Return the value of a global name; None if it is only an attribute's name."""
    return function.__globals__.get(name, getattr(builtins, name, None))


def _is_special(value: Any) -> bool:
    if any(value is function for function in SPECIAL_FUNCTIONS):
        return True
    homes = (getattr(value, "__module__", None), type(value).__module__, getattr(value, "__name__", None))
    return any(isinstance(home, str) and home.partition(".")[0] == "numba" for home in homes)


@cache
def bare_pass_manager() -> type:
    """Return a pass manager that only runs the passes; Numba must be loaded.

    Numba's own records the function, its flags and the types of all of its arguments, a worker's record with all of
    its fields among them, before every pass: 2 % of the time.
    """
    from numba.core.compiler_machinery import PassManager

    errors: Any = import_module("numba.core.errors")

    class Steps(PassManager):  # type: ignore[misc]  # numba is untyped
        def _runPass(self, index: int, step: Any, state: Any) -> None:  # noqa: N802  # Numba's name
            step.analysis = self._analysis
            with errors.new_error_context("Pass {name}", name=step.name()):
                step.run_initialization(state)
                step.run_pass(state)
                step.run_finalizer(state)

    return Steps
