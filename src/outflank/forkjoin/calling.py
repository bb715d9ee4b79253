"""Calls of tasks: directly with their arguments, or by the address of code that finds the arguments in a frame."""

from collections.abc import Callable

from outflank.forkjoin.declared_types import REFUSED, Result, Value, is_convertible, numba_type, value_from, words_of
from outflank.forkjoin.entries import Words, symbol
from outflank.forkjoin.shared_state import Frame, frame_at
from outflank.forkjoin.tasks import Task, task_of, task_type
from outflank.forkjoin.worker import Worker
from outflank.kernels.bits import Int
from outflank.kernels.compiler import extend
from outflank.kernels.lowering import IR, Builder, Context, Emit, Library, NumbaType, Signature, TypingContext

_tasks: dict[int, Task] = {}  # tasks by the address of their entry, in the interpreter


def checked_arguments(task: Task, arguments: tuple[object, ...]) -> tuple[Value, ...]:
    """Return the arguments, without the worker, in the types that the task declares."""
    return task_of(task).declared.converted(arguments)


def call(task: Task, worker: Worker, arguments: tuple[Value, ...]) -> Result:
    """Call a task and return its result."""
    return task.declared.converted_result(task.py_func(worker, *arguments))


def entry_of(task: Task, worker: Worker) -> Int:
    """Return the address of the entry of a task."""
    _tasks[task.declared.number + 1] = task
    return task.declared.number + 1


def put_arguments(frame: Frame, arguments: tuple[Value, ...]) -> None:
    """Write arguments, as `checked_arguments` returns them, to a frame."""
    for index, word in enumerate(words_of(arguments)):
        frame.arguments[index] = word


def result_in(task: Task, frame: Frame) -> Result:
    """Return the result in a task's frame."""
    return value_from(task.declared.result, iter(frame.result))


def call_entry(entry: Int, worker: Worker, address: Int) -> None:
    """Run the task in the frame at `address`; `entry` is the address of its entry."""
    task, frame = _tasks[int(entry)], frame_at(address)
    words = iter(frame.arguments)
    arguments = tuple(value_from(kind, words) for kind in task.declared.kinds)
    for index, word in enumerate(words_of(call(task, worker, arguments))):
        frame.result[index] = word


@extend
def _register_with_numba() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.core.errors import NumbaTypeError
    from numba.core.imputils import lower_constant
    from numba.core.typing.templates import AbstractTemplate, infer_global, signature
    from numba.extending import lower_builtin, models, register_model

    word = ir.IntType(64)
    task_class = task_type()
    register_model(task_class)(models.OpaqueModel)
    unready: dict[tuple[Task, NumbaType], None] = {}  # tasks that were called; their code may not have been ready

    def task_in(kind: NumbaType) -> Task:
        """Return the task that a Numba type stands for."""
        if isinstance(kind, task_class):
            return kind.task  # type: ignore[no-any-return]  # numba is untyped
        if isinstance(kind, types.Dispatcher):
            kind = kind.dispatcher.py_func.__name__
        raise NumbaTypeError(f"{REFUSED}{kind} is not a task: write @forkjoin.task above the function")

    def argument_types(task: Task) -> tuple[NumbaType, ...]:
        return tuple(numba_type(kind) for kind in task.declared.kinds)

    def require(typing_context: TypingContext, kind: NumbaType, worker: NumbaType) -> Task:
        """Compile a task for its declared types, unless it is being compiled already."""
        task = task_in(kind)
        arguments = (worker, *argument_types(task))
        if typing_context.callstack.match(task.py_func, arguments) is None:
            typing_context.resolve_function_type(task.compiled._numba_type_, arguments, {})
        return task

    def link(context: Context, kind: NumbaType, worker: NumbaType) -> Task:
        """Link the code of a task into the code that is being built. If the task's code is not ready, a later call of
        this function links it.

        The code of all tasks that were called before is linked too, because some of it may not have been ready then.
        """
        task = task_in(kind)
        unready[task, worker] = None
        if library_of(task, worker) is None:
            return task
        libraries = [library_of(other, kind) for other, kind in unready if kind == worker]
        context.add_linking_libs(tuple(library for library in libraries if library is not None))
        return task

    def library_of(task: Task, worker: NumbaType) -> "Library | None":
        overload = task.compiled.overloads.get((worker, *argument_types(task)))
        return overload and overload.library

    def define(function: Callable[..., object], typer: Callable[..., tuple[NumbaType, ...]], emit: Emit) -> None:
        """Make Numba compile calls of `function` as `lowering.define` does, but pass the typing context to `typer`."""

        class Template(AbstractTemplate):  # type: ignore[misc]  # numba is untyped
            key = function

            def generic(self, args: tuple[NumbaType, ...], kws: dict[str, NumbaType]) -> Signature:
                return signature(*typer(self.context, *args))

        infer_global(function)(Template)
        lower_builtin(function, types.VarArg(types.Any))(
            lambda context, builder, signature, args: emit(context, builder, signature, *args)
        )

    def checked_typer(
        typing_context: TypingContext, kind: NumbaType, arguments: types.BaseTuple
    ) -> tuple[NumbaType, ...]:
        task = task_in(kind)
        declared = types.Tuple(argument_types(task))
        if not is_convertible(arguments, declared):
            given, expected = (", ".join(map(str, kinds)) or "none" for kinds in (arguments, declared))
            raise NumbaTypeError(f"{REFUSED}task {task.__name__} declares the arguments {expected}, but gets {given}")
        return declared, kind, declared

    def direct_call_signature(
        typing_context: TypingContext, kind: NumbaType, args: tuple[NumbaType, ...], kws: dict[str, NumbaType]
    ) -> Signature:
        """Return the signature of a call as Python writes it: `task(worker, …)`."""
        task = task_in(kind)
        if kws or not args:
            raise NumbaTypeError(f"{REFUSED}task {task.__name__}: call it with the worker and arguments without names")
        checked_typer(typing_context, kind, types.Tuple(args[1:]))
        require(typing_context, kind, args[0])
        return signature(numba_type(task.declared.result), args[0], *argument_types(task), recvr=kind)

    task_class.call_signature = staticmethod(direct_call_signature)

    def call_typer(
        typing_context: TypingContext, kind: NumbaType, worker: NumbaType, arguments: NumbaType
    ) -> tuple[NumbaType, ...]:
        task = require(typing_context, kind, worker)
        return numba_type(task.declared.result), kind, worker, types.Tuple(argument_types(task))

    def emit_call(context: Context, builder: Builder, signature: Signature, task: IR, worker: IR, arguments: IR) -> IR:
        kind, worker_type, argument_types = signature.args
        values = [worker, *cgutils.unpack_tuple(builder, arguments, len(argument_types))]
        return call_symbol(context, builder, kind, signature.return_type, (worker_type, *argument_types), values)

    def emit_direct_call(context: Context, builder: Builder, signature: Signature, args: list[IR]) -> IR:
        kind, *kinds = signature.args
        return call_symbol(context, builder, kind, signature.return_type, tuple(kinds), args[1:])

    def call_symbol(
        context: Context,
        builder: Builder,
        kind: NumbaType,
        result: NumbaType,
        kinds: tuple[NumbaType, ...],
        values: list[IR],
    ) -> IR:
        task = link(context, kind, kinds[0])
        return invoke(context, builder, symbol(task.declared, "call"), result, kinds, values)

    def invoke(
        context: Context,
        builder: Builder,
        code: "str | IR",
        result: NumbaType,
        kinds: tuple[NumbaType, ...],
        values: list[IR],
    ) -> IR:
        """Call the function whose symbol or address is `code`, and pass its exceptions on."""
        convention = context.call_conv
        code_type = convention.get_function_type(result, kinds)
        if isinstance(code, str):
            callee = cgutils.get_or_insert_function(builder.module, code_type, code)
        else:
            callee = builder.inttoptr(code, code_type.as_pointer())
        status, value = convention.call_function(builder, callee, result, kinds, values)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return value

    def entry_typer(typing_context: TypingContext, kind: NumbaType, worker: NumbaType) -> tuple[NumbaType, ...]:
        require(typing_context, kind, worker)
        return types.int64, kind, worker

    def emit_entry(context: Context, builder: Builder, signature: Signature, task: IR, worker: IR) -> IR:
        kind, worker_type = signature.args
        task = link(context, kind, worker_type)
        code_type = context.call_conv.get_function_type(types.none, (worker_type, types.int64))
        return builder.ptrtoint(
            cgutils.get_or_insert_function(builder.module, code_type, symbol(task.declared, "entry")), word
        )

    def emit_put(context: Context, builder: Builder, signature: Signature, frame: IR, arguments: IR) -> IR:
        Words(builder, builder.ptrtoint(frame, word), "arguments").write(context, signature.args[1], arguments)
        return context.get_dummy_value()

    def emit_result(context: Context, builder: Builder, signature: Signature, task: IR, frame: IR) -> IR:
        return Words(builder, builder.ptrtoint(frame, word), "result").read(context, signature.return_type)

    def emit_call_entry(
        context: Context, builder: Builder, signature: Signature, entry: IR, worker: IR, address: IR
    ) -> IR:
        invoke(context, builder, entry, types.none, signature.args[1:], [worker, address])
        return context.get_dummy_value()

    define(checked_arguments, checked_typer, lambda context, builder, signature, task, arguments: arguments)
    define(call, call_typer, emit_call)
    lower_builtin(task_class, types.VarArg(types.Any))(emit_direct_call)
    lower_constant(task_class)(lambda context, builder, kind, task: context.get_dummy_value())
    define(entry_of, entry_typer, emit_entry)
    define(put_arguments, lambda _, frame, arguments: (types.none, frame, arguments), emit_put)
    define(result_in, lambda _, kind, frame: (numba_type(task_in(kind).declared.result), kind, frame), emit_result)
    define(
        call_entry,
        lambda _, entry, worker, address: (types.none, types.int64, worker, types.int64),
        emit_call_entry,
    )
