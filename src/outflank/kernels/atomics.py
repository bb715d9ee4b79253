"""Atomic operations on shared memory: a field of a record, or an element of an array.

    fetch_add(worker, "nodes", 1)            # a field, named by a literal string
    fetch_add(counters, index, 1)            # an element; an index per dimension in a tuple
    load(worker, "stop", "relaxed")

The last argument is the memory order, a literal: `relaxed`, `acquire`, `release`, `acq_rel` or `seq_cst`, as in C11.
The default is `acquire` for loads, `release` for stores and `acq_rel` for the rest. Every integer type is supported.
Indices are not checked and must not be negative.

In the interpreter these functions hold a lock, which makes them atomic but slow. They also report each access to the
observer, if there is one (see `observers`).
"""

from threading import Lock
from typing import Any, TypeAlias

from outflank.kernels import observers
from outflank.kernels.bits import Int
from outflank.kernels.compiler import extend
from outflank.kernels.lowering import IR, Builder, CallTypes, Context, Emit, NumbaType, Signature, Typer, define

_lock = Lock()

_FAILURE_ORDER = {"acq_rel": "acquire", "release": "relaxed"}
"""Memory order of a compare-exchange that fails, by the order that was given. An order that is not listed stays."""

Target: TypeAlias = Any
"""A record or an array of integers, in shared memory."""

Key: TypeAlias = str | int | tuple[int, ...]
"""The name of a record's field, or the index of an element of an array."""


def _converted(cell: Int, value: Int) -> Int:
    """Return `value` in the type of `cell`, wrapped around if it does not fit, as the machine does."""
    bits = 8 * cell.itemsize
    wrapped = int(value) % (1 << bits)
    negative = cell.dtype.kind == "i" and wrapped >> (bits - 1)
    return cell.dtype.type(wrapped - (1 << bits) if negative else wrapped)


def load(target: Target, key: Key, order: str = "acquire") -> Int:
    """Return the value of a field or element."""
    if observers.observer is not None:
        target = observers.announce_access(target, key, "read", order)
    with _lock:
        return target[key]


def store(target: Target, key: Key, value: Int, order: str = "release") -> None:
    """Write `value` to a field or element."""
    if observers.observer is not None:
        target = observers.announce_access(target, key, "write", order)
    with _lock:
        target[key] = _converted(target[key], value)


def exchange(target: Target, key: Key, value: Int, order: str = "acq_rel") -> Int:
    """Write `value`; return the old value."""
    if observers.observer is not None:
        target = observers.announce_access(target, key, "update", order)
    with _lock:
        old = target[key]
        target[key] = _converted(old, value)
        return old


def fetch_add(target: Target, key: Key, amount: Int, order: str = "acq_rel") -> Int:
    """Add `amount`, wrapping around on overflow; return the old value."""
    if observers.observer is not None:
        target = observers.announce_access(target, key, "update", order)
    with _lock:
        old = target[key]
        target[key] = _converted(old, int(old) + int(amount))
        return old


def fetch_max(target: Target, key: Key, value: Int, order: str = "acq_rel") -> Int:
    """Write `value` if it is greater than the old value; return the old value."""
    if observers.observer is not None:
        target = observers.announce_access(target, key, "update", order)
    with _lock:
        old = target[key]
        target[key] = max(old, _converted(old, value))
        return old


def compare_exchange(target: Target, key: Key, expected: Int, value: Int, order: str = "acq_rel") -> bool:
    """Write `value` if the current value is `expected`; return whether it was."""
    if observers.observer is not None:
        observers.observer.turn(True)
        target, address = observers.locate(target, key)
        same = target[key] == _converted(target[key], expected)
        kind, order = ("update", order) if same else ("read", _FAILURE_ORDER.get(order, order))
        observers.observer.touched(address, kind, order)
    with _lock:
        old = target[key]
        if old != _converted(old, expected):
            return False
        target[key] = _converted(old, value)
        return True


@extend
def _register_with_numba() -> None:
    from numba import types
    from numba.core import cgutils
    from numba.core.errors import NumbaTypeError
    from numba.np.arrayobj import make_array

    llvm_order = {
        "relaxed": "monotonic",
        "acquire": "acquire",
        "release": "release",
        "acq_rel": "acq_rel",
        "seq_cst": "seq_cst",
    }

    def typed(name: str, values: int, default: str, returns: "NumbaType | None", orders: tuple[str, ...]) -> Typer:
        """Return the typer for an operation with `values` arguments between the key and the memory order."""

        def typer(target: NumbaType, key: Any, *rest: NumbaType) -> CallTypes:
            if isinstance(target, types.Record) and isinstance(key, types.StringLiteral):
                if key.literal_value not in target.fields:
                    raise NumbaTypeError(f"{name}: the record has no field {key.literal_value!r}")
                cell = target.typeof(key.literal_value)
            elif isinstance(target, types.Array):
                cell = target.dtype
                is_tuple = isinstance(key, types.BaseTuple)
                if (len(key) if is_tuple else 1) != target.ndim:
                    raise NumbaTypeError(f"{name}: {target} needs {target.ndim} indices")
                key = types.UniTuple(types.intp, len(key)) if is_tuple else types.intp
            else:
                return None
            if not isinstance(cell, types.Integer):
                raise NumbaTypeError(f"{name}: {cell} is not an integer")
            order_type = rest[values] if len(rest) > values else types.literal(default)
            order_name = getattr(order_type, "literal_value", None)
            if order_name not in orders or len(rest) not in (values, values + 1):
                raise NumbaTypeError(f"{name}: the ordering must be a literal among {', '.join(orders)}")
            result = cell if returns is None else returns
            return (result, target, key, *[cell] * values, *rest[values:])

        return typer

    def address(context: Context, builder: Builder, signature: Signature, target: IR, key: IR) -> IR:
        target_type, key_type = signature.args[:2]
        if isinstance(target_type, types.Record):
            field = key_type.literal_value
            kind = context.get_data_type(target_type.typeof(field))
            return cgutils.get_record_member(builder, target, target_type.offset(field), kind)
        array = make_array(target_type)(context, builder, target)
        is_tuple = isinstance(key_type, types.BaseTuple)
        indices = cgutils.unpack_tuple(builder, key, len(key_type)) if is_tuple else [key]
        return cgutils.get_item_pointer(context, builder, target_type, array, indices)

    def ordering(signature: Signature, values: int, default: str) -> str:
        order_types = signature.args[2 + values :]
        return llvm_order[order_types[0].literal_value if order_types else default]

    def emit_load(context: Context, builder: Builder, signature: Signature, target: IR, key: IR, *order: IR) -> IR:
        size = signature.return_type.bitwidth // 8
        pointer = address(context, builder, signature, target, key)
        return builder.load_atomic(pointer, ordering(signature, 0, "acquire"), size)

    def emit_store(
        context: Context, builder: Builder, signature: Signature, target: IR, key: IR, value: IR, *order: IR
    ) -> IR:
        size = signature.args[2].bitwidth // 8
        pointer = address(context, builder, signature, target, key)
        builder.store_atomic(value, pointer, ordering(signature, 1, "release"), size)
        return context.get_dummy_value()

    def emit_update(instruction: str) -> Emit:
        def emit(
            context: Context, builder: Builder, signature: Signature, target: IR, key: IR, value: IR, *order: IR
        ) -> IR:
            unsigned = instruction == "max" and not signature.return_type.signed
            pointer = address(context, builder, signature, target, key)
            llvm_order_name = ordering(signature, 1, "acq_rel")
            return builder.atomic_rmw("umax" if unsigned else instruction, pointer, value, llvm_order_name)

        return emit

    def emit_compare(
        context: Context,
        builder: Builder,
        signature: Signature,
        target: IR,
        key: IR,
        expected: IR,
        value: IR,
        *order: IR,
    ) -> IR:
        pointer = address(context, builder, signature, target, key)
        order_name = signature.args[4].literal_value if len(signature.args) > 4 else "acq_rel"
        failure_order = _FAILURE_ORDER.get(order_name, order_name)
        swapped = builder.cmpxchg(pointer, expected, value, llvm_order[order_name], llvm_order[failure_order])
        return builder.extract_value(swapped, 1)

    any_arguments = (types.VarArg(types.Any),)
    for_load = ("relaxed", "acquire", "seq_cst")
    for_store = ("relaxed", "release", "seq_cst")
    all_orders = tuple(llvm_order)
    define(load, any_arguments, typed("load", 0, "acquire", None, for_load), emit_load)
    define(store, any_arguments, typed("store", 1, "release", types.none, for_store), emit_store)
    define(exchange, any_arguments, typed("exchange", 1, "acq_rel", None, all_orders), emit_update("xchg"))
    define(fetch_add, any_arguments, typed("fetch_add", 1, "acq_rel", None, all_orders), emit_update("add"))
    define(fetch_max, any_arguments, typed("fetch_max", 1, "acq_rel", None, all_orders), emit_update("max"))
    define(
        compare_exchange,
        any_arguments,
        typed("compare_exchange", 2, "acq_rel", types.boolean, all_orders),
        emit_compare,
    )
