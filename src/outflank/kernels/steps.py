"""Which of Numba's steps a function goes through, and nothing but the steps.

Numba takes every function through some twenty-five. A third of them are for what kernel code hardly ever has (closures
and comprehensions, what is raised, `with`, functions and types of Numba's own), and look through all of its statements
for that: a function of which its bytecode tells that it has nothing of the kind is spared them. That takes 7 % off the
time of a first search, and the values of kernels cannot depend on it: where nothing is found, nothing is changed.
"""

import builtins
import dis
import functools
from functools import cache
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

RAISE = dis.opmap["RAISE_VARARGS"]
ASKED_BY_TYPE = (isinstance, hasattr, functools.reduce)
"""Functions that Numba has a step for."""


def unneeded(function: FunctionType) -> frozenset[type]:
    """The steps of Numba's that find nothing in a function."""
    return _for_none() | (_for_some() if is_plain(function) else frozenset())


@cache
def _for_none() -> frozenset[type]:
    from numba.core.typed_passes import NopythonRewrites

    return frozenset((NopythonRewrites,))  # looks for arithmetic on whole arrays, which kernels have none of


@cache
def _for_some() -> frozenset[type]:
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
    """Whether there are but arithmetic, branches, loops, and calls of functions that are not Numba's in a function."""
    code = function.__code__
    return not (
        code.co_exceptiontable  # `try`, `with`
        or RAISE in code.co_code[::2]
        or code.co_freevars
        or any(isinstance(constant, CodeType) for constant in code.co_consts)  # functions in it, comprehensions
        or any(_is_special(_named(function, name)) for name in code.co_names)
    )


def _named(function: FunctionType, name: str) -> Any:
    """What a global name stands for; None where it is an attribute's."""
    return function.__globals__.get(name, getattr(builtins, name, None))


def _is_special(value: Any) -> bool:
    if any(value is each for each in ASKED_BY_TYPE):
        return True
    homes = (getattr(value, "__module__", None), type(value).__module__, getattr(value, "__name__", None))
    return any(isinstance(home, str) and home.partition(".")[0] == "numba" for home in homes)


@cache
def steps_alone() -> type:
    """A manager of steps that only runs them; Numba must be loaded.

    Its own writes down the function, its flags and the types of all of its arguments, a worker's record with all of
    its fields among them, before every step: 2 % of the time.
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
