"""The worker that runs a task, the first argument of every task.

In compiled code a worker is two words, however many data there are: the address of its record, and the address of the
data, which the kernel of a run copies to its own stack. When data of two arrays were passed from task to task instead,
a reduction that spawns for every index took 2.6 times as long.
"""

from typing import Any, NamedTuple

from outflank.forkjoin.recording import Probe
from outflank.forkjoin.shared_state import Hand
from outflank.kernels.compiler import extend
from outflank.kernels.lowering import IR, Builder, Context, NumbaType, Signature


class Worker(NamedTuple):
    """The worker that runs a task."""

    hand: Hand
    """State of the worker: its deque, frames and statistics."""
    data: Any
    """The `data` of `run`, which all tasks share."""
    probe: Probe
    """A probe that records the events of the run; its type selects the compiled code."""


def make_worker(hand: Hand, data: object, probe: Probe) -> Worker:
    """Return a worker, which is valid until the calling kernel returns."""
    return Worker(hand, data, probe)


@extend
def _register_with_numba() -> None:
    from numba import types
    from numba.core import cgutils, datamodel
    from numba.core.imputils import impl_ret_borrowed, lower_getattr
    from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
    from numba.extending import lower_builtin, models, register_model

    class WorkerType(types.Type):  # type: ignore[misc]  # numba is untyped
        """Type of a worker in compiled code."""

        def __init__(self, hand: NumbaType, data: NumbaType, probe: NumbaType) -> None:
            self.hand, self.data, self.probe = hand, data, probe
            super().__init__(name=f"Worker({hand}, {data}, {probe})")

        @property
        def shared(self) -> types.BaseTuple:
            return types.Tuple([self.data, self.probe])

    @register_model(WorkerType)
    class Model(models.StructModel):  # type: ignore[misc]  # numba is untyped
        def __init__(self, manager: datamodel.DataModelManager, kind: WorkerType) -> None:
            super().__init__(manager, kind, [("hand", kind.hand), ("shared", types.voidptr)])

    @infer_getattr
    class Attributes(AttributeTemplate):  # type: ignore[misc]  # numba is untyped
        key = WorkerType

        def generic_resolve(self, kind: WorkerType, name: str) -> "NumbaType | None":
            return getattr(kind, name) if name in Worker._fields else None

    @infer_global(make_worker)
    class Constructor(AbstractTemplate):  # type: ignore[misc]  # numba is untyped
        def generic(self, args: tuple[NumbaType, ...], kws: dict[str, NumbaType]) -> Signature:
            return signature(WorkerType(*args), *args)

    @lower_builtin(make_worker, types.Any, types.Any, types.Any)  # type: ignore[untyped-decorator]  # numba is untyped
    def emit_worker(context: Context, builder: Builder, signature: Signature, args: tuple[IR, ...]) -> IR:
        kind, (hand, data, probe) = signature.return_type, args
        borrowed = without_owners(context, builder, kind.data, data)
        shared = context.make_tuple(builder, kind.shared, [borrowed, probe])
        worker = cgutils.create_struct_proxy(kind)(context, builder)
        worker.hand = hand
        worker.shared = builder.bitcast(cgutils.alloca_once_value(builder, shared), cgutils.voidptr_t)
        return worker._getvalue()

    def without_owners(context: Context, builder: Builder, kind: NumbaType, value: IR) -> IR:
        """Return the data with arrays that own no memory, so that no references are counted: the caller of `run` keeps
        the arrays alive."""
        if isinstance(kind, types.Array):
            array = context.make_array(kind)(context, builder, value)
            array.meminfo = cgutils.get_null_value(array.meminfo.type)
            array.parent = cgutils.get_null_value(array.parent.type)
            return array._getvalue()
        if isinstance(kind, types.BaseTuple):
            for index, part in enumerate(kind):
                item = without_owners(context, builder, part, builder.extract_value(value, index))
                value = builder.insert_value(value, item, index)
        return value

    @lower_getattr(WorkerType, "hand")  # type: ignore[untyped-decorator]  # numba is untyped
    def emit_hand(context: Context, builder: Builder, kind: WorkerType, value: IR) -> IR:
        return cgutils.create_struct_proxy(kind)(context, builder, value=value).hand

    def emit_shared(index: int, name: str) -> None:
        @lower_getattr(WorkerType, name)  # type: ignore[untyped-decorator]  # numba is untyped
        def emit(context: Context, builder: Builder, kind: WorkerType, value: IR) -> IR:
            worker = cgutils.create_struct_proxy(kind)(context, builder, value=value)
            pointer = builder.bitcast(worker.shared, context.get_value_type(kind.shared).as_pointer())
            item = builder.load(cgutils.gep_inbounds(builder, pointer, 0, index))
            return impl_ret_borrowed(context, builder, getattr(kind, name), item)

    emit_shared(0, "data")
    emit_shared(1, "probe")
