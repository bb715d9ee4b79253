"""What Numba does to a function, cut down for functions that are only parts of kernels.

Numba optimises every function together with all that it calls, and turns it into machine code, before it links it into
its callers and does the same to those. Of a part of a kernel nobody ever runs that code. Here parts are only typed and
lowered; a kernel links all of its parts, is optimised once, and is all that becomes machine code. That, and not
compiling parts twice (see `OPTIONS` of the compiler), takes 40 % off the time of a first search. A kernel that is
called by another stays what it is (`calling`).
"""

from functools import cache
from types import SimpleNamespace
from typing import Any

from outflank.kernels.calling import Callee, call_by_symbol, called_in, callee_of
from outflank.kernels.fast_compilation import fast_compilation
from outflank.kernels.inference import typed_once
from outflank.kernels.steps import steps_alone, unneeded

INLINING = "_outflank_inlining"
"""The attribute of a Python function that says whether LLVM inlines it, in LLVM's word."""


@cache
def pipelines() -> Any:
    """The compilers for `kernel`s and for their `part`s; Numba must be loaded."""
    from llvmlite.binding import parse_assembly
    from numba import _dynfunc
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler
    from numba.core.compiler_machinery import register_pass
    from numba.core.environment import lookup_environment
    from numba.core.typed_passes import NativeLowering, NopythonTypeInference

    class PartLibrary(JITCodeLibrary):  # type: ignore[misc]  # numba is untyped
        """The code of one function, without what it calls."""

        def finalize(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

        def _optimize_functions(self, module: Any) -> None:
            module.data_layout = self._codegen._data_layout  # the kernel's turn will come

    def needed(library: Any, found: dict[Any, None] | None = None) -> dict[Any, None]:
        """A library after all that it needs. The linker leaves out what nobody before has asked for."""
        found = {} if found is None else found
        for each in library._linking_libraries:
            if each not in found and isinstance(each, PartLibrary):
                needed(each, found)
            found.setdefault(each)
        found[library] = None
        return found

    class KernelLibrary(JITCodeLibrary):  # type: ignore[misc]  # numba is untyped
        """The code of a kernel, with all of its parts, and the kernels that it calls."""

        callees: tuple[Callee, ...] = ()

        def _optimize_functions(self, module: Any) -> None:
            module.data_layout = self._codegen._data_layout
            for function in module.functions:  # but not of those that it only names: there are ten times as many
                if not function.is_declaration:
                    manager, builder = self._codegen._function_pass_manager()
                    manager.run(function, builder)

        def finalize(self) -> None:
            asked_for = list(reversed(needed(self)))[1:]
            self._linking_libraries = [library for library in asked_for if callee_of(library) is None]
            self.callees = tuple(filter(None, map(callee_of, asked_for)))
            self._own = {function.name for function in self.get_defined_functions()}
            super().finalize()

        def _optimize_final_module(self) -> None:
            # Nobody but this kernel calls its parts. Told so, the optimiser sees that none of them raises anything (the
            # status that each call returns, and the test of it, go), and inlines what has but one caller.
            for function in self.get_defined_functions():
                if function.name not in self._own:
                    function.linkage = "internal"
            call_by_symbol(self._final_module, self.callees)
            # In two rounds, as Numba has it for counts of references, of which kernels have few: the first puts
            # instructions together, without which searches of Abalone take 4 % longer, and costs 4 % of compiling.
            super()._optimize_final_module()
            self.callees = called_in(self._final_module, self.callees)

        def serialize_using_object_code(self) -> tuple[Any, ...]:
            # Beside the machine code Numba keeps what it was made of, for callers to link, and reads off it what is
            # there. Nobody links a kernel: the names are enough.
            names = [function.name for function in self.get_defined_functions() if function.name in self._own]
            told = parse_assembly("".join(f'define void @"{name}"() {{ ret void }}\n' for name in names))
            return self.name, "object", (self._get_compiled_object(), told.as_bitcode())

    @register_pass(mutates_CFG=True, analysis_only=False)
    class PartLowering(NativeLowering):  # type: ignore[misc]  # numba is untyped
        _name = "outflank_part_lowering"

        def run_pass(self, state: Any) -> bool:
            state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            flags = state.flags
            flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
            super().run_pass(state)
            lowered, library = state["cr"], state.library
            wish = getattr(state.func_id.func, INLINING, None)
            if wish is not None:
                library.get_function(lowered.fndesc.llvm_func_name).add_function_attribute(wish)
            # Dispatchers know a compiled function by an object that Python could call. Nobody calls this one.
            name = lowered.fndesc.qualname.split(".")[-1]
            cfunc = _dynfunc.make_function(lowered.fndesc.lookup_module(), name, name, 0, lowered.env, (library,))
            state.targetctx.insert_user_function(cfunc, lowered.fndesc, [library])
            state.reload_init.extend(library._reload_init)
            state["cr"] = lowered._replace(cfunc=cfunc)
            return True

    @register_pass(mutates_CFG=True, analysis_only=False)
    class KernelLowering(NativeLowering):  # type: ignore[misc]  # numba is untyped
        _name = "outflank_kernel_lowering"

        def run_pass(self, state: Any) -> bool:
            state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            state.flags.no_cfunc_wrapper = True
            super().run_pass(state)
            library = state.library
            for variable in library._final_module.global_variables:  # as when it is loaded from a cache
                environment = lookup_environment(variable.name) if variable.name.startswith("_ZN08NumbaEnv") else None
                if environment is not None:
                    library.codegen.set_env(variable.name, environment)
            return True

    typing = typed_once()

    def with_lowering(lowering: type) -> type:
        own = {NativeLowering: lowering, NopythonTypeInference: typing}

        class Pipeline(Compiler):  # type: ignore[misc]  # numba is untyped
            def define_pipelines(self) -> list[Any]:
                steps: Any = steps_alone()("nopython")
                left_out = unneeded(self.state.func_id.func)
                for manager in super().define_pipelines():
                    for step, said in manager.passes:
                        if step not in left_out:
                            steps.add_pass(own.get(step, step), said)
                steps.finalize()
                return [steps]

            def _compile_core(self) -> Any:
                with fast_compilation():
                    return super()._compile_core()

        return Pipeline

    return SimpleNamespace(kernel=with_lowering(KernelLowering), part=with_lowering(PartLowering))
