"""Numba's compiler pipelines, reduced for functions that are only parts of kernels.

Numba optimises every function with all of its callees and generates its machine code. Then Numba links the function
into each caller, and optimises the caller in the same way. But the machine code of a kernel's part is never run. Here
the types of parts are inferred and parts are translated to LLVM code, but only the kernel becomes machine code: it
links all of its parts and is optimised once. These changes shorten a first search by 40 %, together with the shared
options that save a second compilation of parts (see `compiler.OPTIONS`). A kernel that is called by another kernel is
not linked into the caller (see `lowering`).
"""

import builtins
import dis
import functools
from functools import cache
from importlib import import_module
from types import CodeType, FunctionType
from typing import NamedTuple

from outflank.kernels.fast_compilation import caching_type_inference, fast_compilation
from outflank.kernels.lowering import (
    Callee,
    CompileResult,
    CompilerState,
    Library,
    Module,
    call_by_symbol,
    called_in,
    callee_of,
)

# Numba runs some twenty-five passes on every function. A third of these passes search all statements for constructs
# that kernel code hardly ever has: closures and comprehensions, exceptions, `with`, functions and types of Numba's own.
# Such a pass is skipped if the bytecode of a function shows that it has none of these constructs. Skipping shortens a
# first search by 7 %. It cannot change the results of kernels, because a pass that finds nothing changes nothing.

RAISE = dis.opmap["RAISE_VARARGS"]
SPECIAL_FUNCTIONS = (isinstance, hasattr, functools.reduce)
"""Functions whose calls need a compiler pass that plain functions skip."""


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


def _global_value(function: FunctionType, name: str) -> object:
    """Return the value of a global or builtin name; None if there is none, as for the name of an attribute."""
    return function.__globals__.get(name, getattr(builtins, name, None))


def _is_special(value: object) -> bool:
    if any(value is function for function in SPECIAL_FUNCTIONS):
        return True
    homes = (getattr(value, "__module__", None), type(value).__module__, getattr(value, "__name__", None))
    return any(isinstance(home, str) and home.partition(".")[0] == "numba" for home in homes)


@cache
def bare_pass_manager() -> type:
    """Return a pass manager that only runs the passes; Numba must be loaded.

    Before every pass, Numba's own pass manager records the function, its flags and the types of its arguments,
    including all fields of a worker's record: 2 % of the time.
    """
    from numba.core.compiler_machinery import CompilerPass, PassManager

    errors = import_module("numba.core.errors")

    class Steps(PassManager):  # type: ignore[misc]  # numba is untyped
        def _runPass(self, index: int, step: CompilerPass, state: CompilerState) -> None:  # noqa: N802  # Numba's name
            step.analysis = self._analysis
            with errors.new_error_context("Pass {name}", name=step.name()):
                step.run_initialization(state)
                step.run_pass(state)
                step.run_finalizer(state)

    return Steps


INLINING = "_outflank_inlining"
"""Name of the attribute of a Python function that holds LLVM's attribute for its inlining."""

EXTRA_CODE = "_outflank_extra_code"
"""Name of the attribute of a Python function that holds a second function. When the first is compiled as a kernel's
part, the second adds code to the part. The second function is called with the part's library, Numba's target context
and the descriptor of the compiled function."""

default_inlining: str | None = None
"""LLVM's inlining attribute for parts of kernels that declare no attribute of their own; None: the optimiser decides.
`lab compiler` sets it."""


class Pipelines(NamedTuple):
    """Compiler classes of Numba."""

    kernel: type
    """Compiler of kernels."""
    part: type
    """Compiler of functions that are only parts of kernels."""


@cache
def pipelines() -> Pipelines:
    """Return the compilers of kernels and of their parts; Numba must be loaded."""
    from llvmlite.binding import parse_assembly
    from numba import _dynfunc
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler
    from numba.core.compiler_machinery import PassManager, register_pass
    from numba.core.environment import lookup_environment
    from numba.core.typed_passes import NativeLowering, NopythonTypeInference

    class PartLibrary(JITCodeLibrary):  # type: ignore[misc]  # numba is untyped
        """The code of one function, without its callees."""

        def finalize(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

        def _optimize_functions(self, module: Module) -> None:
            module.data_layout = self._codegen._data_layout  # optimised later, with the kernel

    def needed(library: Library, ordered: dict[Library, None] | None = None) -> dict[Library, None]:
        """Return the dependencies of a library, then the library itself.

        They are linked in reverse order, because the linker drops functions that are not yet referenced.
        """
        ordered = {} if ordered is None else ordered
        for dependency in library._linking_libraries:
            if dependency not in ordered and isinstance(dependency, PartLibrary):
                needed(dependency, ordered)
            ordered.setdefault(dependency)
        ordered[library] = None
        return ordered

    class KernelLibrary(JITCodeLibrary):  # type: ignore[misc]  # numba is untyped
        """The code of a kernel with all of its parts, and the list of kernels that it calls."""

        callees: tuple[Callee, ...] = ()

        def _optimize_functions(self, module: Module) -> None:
            module.data_layout = self._codegen._data_layout
            for function in module.functions:  # not the declarations: there are ten times as many
                if not function.is_declaration:
                    manager, builder = self._codegen._function_pass_manager()
                    manager.run(function, builder)

        def finalize(self) -> None:
            libraries = list(reversed(needed(self)))[1:]
            self._linking_libraries = [library for library in libraries if callee_of(library) is None]
            self.callees = tuple(filter(None, map(callee_of, libraries)))
            self._own = {function.name for function in self.get_defined_functions()}
            super().finalize()

        def _optimize_final_module(self) -> None:
            # Only this kernel calls its parts. With internal linkage, the optimiser inlines functions with a single
            # caller. It also sees that no part raises an exception, and removes the status of each call and its test.
            for function in self.get_defined_functions():
                if function.name not in self._own:
                    function.linkage = "internal"
            call_by_symbol(self._final_module, self.callees)
            # Numba optimises in two rounds because of reference counts, of which kernels have few. Both rounds are
            # needed, because the first one combines instructions. The first round costs 4 % of the compilation time;
            # without it, searches of Abalone take 4 % longer.
            super()._optimize_final_module()
            self.callees = called_in(self._final_module, self.callees)

        def serialize_using_object_code(self) -> tuple[object, ...]:
            # Beside the machine code Numba stores the bitcode. Callers link the bitcode, and Numba reads the defined
            # names from it. Kernels are never linked into callers, so the names are enough.
            names = [function.name for function in self.get_defined_functions() if function.name in self._own]
            declarations = parse_assembly("".join(f'define void @"{name}"() {{ ret void }}\n' for name in names))
            return self.name, "object", (self._get_compiled_object(), declarations.as_bitcode())

    @register_pass(mutates_CFG=True, analysis_only=False)
    class PartLowering(NativeLowering):  # type: ignore[misc]  # numba is untyped
        _name = "outflank_part_lowering"

        def run_pass(self, state: CompilerState) -> bool:
            state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            flags = state.flags
            flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
            super().run_pass(state)
            lowered, library = state["cr"], state.library
            inlining = getattr(state.func_id.func, INLINING, default_inlining)
            if inlining is not None:
                library.get_function(lowered.fndesc.llvm_func_name).add_function_attribute(inlining)
            add_code = getattr(state.func_id.func, EXTRA_CODE, None)
            if add_code is not None:
                add_code(library, state.targetctx, lowered.fndesc)
            # A dispatcher identifies a compiled function by an object that Python can call. Here it is never called.
            name = lowered.fndesc.qualname.split(".")[-1]
            cfunc = _dynfunc.make_function(lowered.fndesc.lookup_module(), name, name, 0, lowered.env, (library,))
            state.targetctx.insert_user_function(cfunc, lowered.fndesc, [library])
            state.reload_init.extend(library._reload_init)
            state["cr"] = lowered._replace(cfunc=cfunc)
            return True

    @register_pass(mutates_CFG=True, analysis_only=False)
    class KernelLowering(NativeLowering):  # type: ignore[misc]  # numba is untyped
        _name = "outflank_kernel_lowering"

        def run_pass(self, state: CompilerState) -> bool:
            state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            state.flags.no_cfunc_wrapper = True
            super().run_pass(state)
            library = state.library
            for variable in library._final_module.global_variables:  # as for a kernel loaded from the cache
                environment = lookup_environment(variable.name) if variable.name.startswith("_ZN08NumbaEnv") else None
                if environment is not None:
                    library.codegen.set_env(variable.name, environment)
            return True

    typing = caching_type_inference()

    def with_lowering(lowering: type) -> type:
        replacements = {NativeLowering: lowering, NopythonTypeInference: typing}

        class Pipeline(Compiler):  # type: ignore[misc]  # numba is untyped
            def define_pipelines(self) -> list[PassManager]:
                steps = bare_pass_manager()("nopython")
                skipped = unneeded_passes(self.state.func_id.func)
                for manager in super().define_pipelines():
                    for step, description in manager.passes:
                        if step not in skipped:
                            steps.add_pass(replacements.get(step, step), description)
                steps.finalize()
                return [steps]

            def _compile_core(self) -> CompileResult:
                with fast_compilation():
                    return super()._compile_core()

        return Pipeline

    return Pipelines(kernel=with_lowering(KernelLowering), part=with_lowering(PartLowering))
