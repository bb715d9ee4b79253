"""Atomic operations on shared memory: a field of a record, or an element of an array.

    fetch_add(worker, "nodes", 1)            # a field, named by a literal string
    fetch_add(counters, index, 1)            # an element; an index per dimension in a tuple
    load(worker, "stop", "relaxed")

The last argument is the memory ordering, a literal: `relaxed`, `acquire`, `release`,
`acq_rel` or `seq_cst`, as in C11. Left out, it is the one that publishes: `acquire` for
loads, `release` for stores, `acq_rel` for the rest. Any integer type will do. Indices are
not checked and must not be negative.

The Python twins hold a lock: as exact, and slow. `observers` says who is told of what they do.
"""

from threading import Lock
from typing import Any

from outflank.kernels import observers
from outflank.kernels.compiler import extend
from outflank.kernels.lowering import define

_lock = Lock()

_WHEN_IT_FAILS = {"acq_rel": "acquire", "release": "relaxed"}
"""The ordering of a compare-exchange that writes nothing, where it is not the same."""


def _fitting(cell: Any, value: Any) -> Any:
    """`value` in the type of `cell`, wrapped round where it does not fit, as the machine does."""
    bits = 8 * cell.itemsize
    wrapped = int(value) % (1 << bits)
    negative = cell.dtype.kind == "i" and wrapped >> (bits - 1)
    return cell.dtype.type(wrapped - (1 << bits) if negative else wrapped)


def load(target: Any, key: Any, order: str = "acquire") -> Any:
    """The value now."""
    if observers.observer is not None:
        target = observers.reached(target, key, "read", order)
    with _lock:
        return target[key]


def store(target: Any, key: Any, value: Any, order: str = "release") -> None:
    """Write `value`."""
    if observers.observer is not None:
        target = observers.reached(target, key, "write", order)
    with _lock:
        target[key] = _fitting(target[key], value)


def exchange(target: Any, key: Any, value: Any, order: str = "acq_rel") -> Any:
    """Write `value`; the value before."""
    if observers.observer is not None:
        target = observers.reached(target, key, "update", order)
    with _lock:
        old = target[key]
        target[key] = _fitting(old, value)
        return old


def fetch_add(target: Any, key: Any, amount: Any, order: str = "acq_rel") -> Any:
    """Add `amount`, wrapping round where the type ends; the value before."""
    if observers.observer is not None:
        target = observers.reached(target, key, "update", order)
    with _lock:
        old = target[key]
        target[key] = _fitting(old, int(old) + int(amount))
        return old


def fetch_max(target: Any, key: Any, value: Any, order: str = "acq_rel") -> Any:
    """Write `value` if it is greater; the value before."""
    if observers.observer is not None:
        target = observers.reached(target, key, "update", order)
    with _lock:
        old = target[key]
        target[key] = max(old, _fitting(old, value))
        return old


def compare_exchange(target: Any, key: Any, expected: Any, value: Any, order: str = "acq_rel") -> bool:
    """Write `value` if the value is `expected`; whether it was."""
    if observers.observer is not None:
        observers.observer.turn(True)
        target, address = observers.found(target, key)
        same = target[key] == _fitting(target[key], expected)
        kind, order = ("update", order) if same else ("read", _WHEN_IT_FAILS.get(order, order))
        observers.observer.touched(address, kind, order)
    with _lock:
        old = target[key]
        if old != _fitting(old, expected):
            return False
        target[key] = _fitting(old, value)
        return True


@extend
def _teach_numba() -> None:
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

    def typed(name: str, values: int, default: str, returns: Any, orders: tuple[str, ...]) -> Any:
        """The typer for an operation that takes `values` values after target and key."""

        def typer(target: Any, key: Any, *rest: Any) -> Any:
            if isinstance(target, types.Record) and isinstance(key, types.StringLiteral):
                if key.literal_value not in target.fields:
                    raise NumbaTypeError(f"{name}: the record has no field {key.literal_value!r}")
                cell = target.typeof(key.literal_value)
            elif isinstance(target, types.Array):
                cell = target.dtype
                many = isinstance(key, types.BaseTuple)
                if (len(key) if many else 1) != target.ndim:
                    raise NumbaTypeError(f"{name}: {target} needs {target.ndim} indices")
                key = types.UniTuple(types.intp, len(key)) if many else types.intp
            else:
                return None
            if not isinstance(cell, types.Integer):
                raise NumbaTypeError(f"{name}: {cell} is not an integer")
            order = rest[values] if len(rest) > values else types.literal(default)
            chosen = getattr(order, "literal_value", None)
            if chosen not in orders or len(rest) not in (values, values + 1):
                raise NumbaTypeError(f"{name}: the ordering must be a literal among {', '.join(orders)}")
            result = cell if returns is None else returns
            return (result, target, key, *[cell] * values, *rest[values:])

        return typer

    def address(context: Any, builder: Any, signature: Any, target: Any, key: Any) -> Any:
        target_type, key_type = signature.args[:2]
        if isinstance(target_type, types.Record):
            field = key_type.literal_value
            kind = context.get_data_type(target_type.typeof(field))
            return cgutils.get_record_member(builder, target, target_type.offset(field), kind)
        array = make_array(target_type)(context, builder, target)
        many = isinstance(key_type, types.BaseTuple)
        indices = cgutils.unpack_tuple(builder, key, len(key_type)) if many else [key]
        return cgutils.get_item_pointer(context, builder, target_type, array, indices)

    def ordering(signature: Any, values: int, default: str) -> str:
        given = signature.args[2 + values :]
        return llvm_order[given[0].literal_value if given else default]

    def emit_load(context: Any, builder: Any, signature: Any, target: Any, key: Any, *order: Any) -> Any:
        size = signature.return_type.bitwidth // 8
        place = address(context, builder, signature, target, key)
        return builder.load_atomic(place, ordering(signature, 0, "acquire"), size)

    def emit_store(context: Any, builder: Any, signature: Any, target: Any, key: Any, value: Any, *order: Any) -> Any:
        size = signature.args[2].bitwidth // 8
        place = address(context, builder, signature, target, key)
        builder.store_atomic(value, place, ordering(signature, 1, "release"), size)
        return context.get_dummy_value()

    def emit_update(instruction: str) -> Any:
        def emit(context: Any, builder: Any, signature: Any, target: Any, key: Any, value: Any, *order: Any) -> Any:
            unsigned = instruction == "max" and not signature.return_type.signed
            place = address(context, builder, signature, target, key)
            chosen = ordering(signature, 1, "acq_rel")
            return builder.atomic_rmw("umax" if unsigned else instruction, place, value, chosen)

        return emit

    def emit_compare(
        context: Any,
        builder: Any,
        signature: Any,
        target: Any,
        key: Any,
        expected: Any,
        value: Any,
        *order: Any,
    ) -> Any:
        place = address(context, builder, signature, target, key)
        chosen = signature.args[4].literal_value if len(signature.args) > 4 else "acq_rel"
        failing = _WHEN_IT_FAILS.get(chosen, chosen)
        swapped = builder.cmpxchg(place, expected, value, llvm_order[chosen], llvm_order[failing])
        return builder.extract_value(swapped, 1)

    anything = (types.VarArg(types.Any),)
    for_load = ("relaxed", "acquire", "seq_cst")
    for_store = ("relaxed", "release", "seq_cst")
    every = tuple(llvm_order)
    define(load, anything, typed("load", 0, "acquire", None, for_load), emit_load)
    define(store, anything, typed("store", 1, "release", types.none, for_store), emit_store)
    define(exchange, anything, typed("exchange", 1, "acq_rel", None, every), emit_update("xchg"))
    define(fetch_add, anything, typed("fetch_add", 1, "acq_rel", None, every), emit_update("add"))
    define(fetch_max, anything, typed("fetch_max", 1, "acq_rel", None, every), emit_update("max"))
    define(
        compare_exchange,
        anything,
        typed("compare_exchange", 2, "acq_rel", types.boolean, every),
        emit_compare,
    )
