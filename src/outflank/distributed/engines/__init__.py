"""The engines of clusters: a folder for each, and the one table in which they are found.

A folder holds all that concerns its engine: `engine.py` says what it is, `search.py` carries searches to its nodes and
`tasks.py` other work. An engine of one's own is registered by `register_engine`.
"""

from dataclasses import dataclass
from importlib import import_module

from outflank.distributed.engines.contract import Address, ClusterEngine
from outflank.errors import OutflankError

__all__ = ["Address", "ClusterEngine", "engine_at", "forms", "parse_address", "register_engine"]


@dataclass(frozen=True, slots=True)
class _Row:
    form: str
    """How addresses are written."""
    meaning: str
    engine: str | ClusterEngine
    """Or `module:class`: it is imported when it is first asked for."""


_HERE = "outflank.distributed.engines"
_TABLE = {
    "local": _Row("local:N", "so many nodes on this machine", f"{_HERE}.on_ray.engine:RayEngine"),
    "inside": _Row("inside:N", "in this process", f"{_HERE}.inside.engine:InsideEngine"),
    "ray": _Row("ray://HOST:PORT", "a running cluster", f"{_HERE}.on_ray.engine:RayEngine"),
    "mpi": _Row("mpi", "the ranks of this program", f"{_HERE}.on_mpi.engine:MpiEngine"),
}
"""By what stands before the colon of an address."""


def register_engine(scheme: str, engine: str | ClusterEngine, *, form: str, meaning: str) -> None:
    """Add an engine, or the `module:class` where it is found: addresses that begin with `scheme` are its.

    `form` is how they are written, `scheme:N` say, and `meaning` what they name: both are shown to who wrote none.
    """
    if scheme in _TABLE:
        raise OutflankError(f"there is an engine of clusters {scheme!r} already")
    _TABLE[scheme] = _Row(form, meaning, engine)


def forms(*, explained: bool = True) -> str:
    """What may be written for a cluster.

    >>> forms(explained=False)
    'local:N, inside:N, ray://HOST:PORT or mpi'
    """
    *first, last = (f"{row.form} ({row.meaning})" if explained else row.form for row in _TABLE.values())
    return f"{', '.join(first)} or {last}"


def parse_address(text: str) -> Address:
    """The cluster that words name.

    >>> parse_address("local:2")
    Address(scheme='local', nodes=2, head=None)
    >>> parse_address("ray://127.0.0.1:6379").head
    '127.0.0.1:6379'
    """
    scheme, colon, rest = text.strip().partition(":")
    address = _engine(scheme).parse(scheme, rest if colon else None) if scheme in _TABLE else None
    if address is None:
        raise OutflankError(f"{text!r} is no cluster: expected {forms()}")
    return address


def engine_at(text: str) -> tuple[ClusterEngine, Address]:
    """The engine of the cluster that words name, and which it is."""
    address = parse_address(text)
    return _engine(address.scheme), address


def _engine(scheme: str) -> ClusterEngine:
    row = _TABLE[scheme]
    if isinstance(row.engine, str):
        module, _, name = row.engine.partition(":")
        try:
            engine = getattr(import_module(module), name)()
        except (ImportError, AttributeError) as error:
            raise OutflankError(f"the engine of {row.form} cannot be loaded from {row.engine}: {error}") from None
        assert isinstance(engine, ClusterEngine)
        _TABLE[scheme] = _Row(row.form, row.meaning, engine)
        return engine
    return row.engine
