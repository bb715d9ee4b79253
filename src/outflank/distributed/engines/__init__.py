"""The engines of clusters: a folder for each, and the one table in which they are found.

A folder holds all that concerns its engine: `engine.py` says what it is, `search.py` carries searches to its nodes and
`tasks.py` other work. An engine of one's own is registered by `register_engine`, or installed as an entry point of the
group `outflank.engines`, by what stands before the colon of its addresses.
"""

from outflank.distributed.engines.contract import Address, ClusterEngine
from outflank.errors import InvalidOption, OutflankError
from outflank.plugins import Registry

__all__ = ["ENGINES", "Address", "ClusterEngine", "address_forms", "engine_at", "parse_address", "register_engine"]


def _check(scheme: str, found: object) -> ClusterEngine:
    engine = found() if isinstance(found, type) else found
    if not isinstance(engine, ClusterEngine):
        raise InvalidOption(f"expected a ClusterEngine, found {found!r}")
    if scheme not in engine.forms:
        raise InvalidOption(f"expected one whose forms say how {scheme} is written")
    return engine


ENGINES = Registry(
    "cluster engine",
    "outflank.engines",
    {
        "local": "outflank.distributed.engines.on_ray.engine:RayEngine",
        "futures": "outflank.distributed.engines.on_futures.engine:FuturesEngine",
        "inside": "outflank.distributed.engines.inside.engine:InsideEngine",
        "ray": "outflank.distributed.engines.on_ray.engine:RayEngine",
        "mpi": "outflank.distributed.engines.on_mpi.engine:MpiEngine",
    },
    check=_check,
)
"""By what stands before the colon of an address."""


def register_engine(scheme: str, engine: ClusterEngine) -> ClusterEngine:
    """Make an engine known: addresses that begin with `scheme` are its, and its module's from then on."""
    return ENGINES.register(scheme, engine, by=type(engine).__module__)


def address_forms(*, explained: bool = False, all_there_are: bool = False) -> str:
    """How clusters are written: the package's own, or all there are, for which plug-ins must be loaded.

    >>> address_forms()
    'local:N, futures:N, inside:N, ray://HOST:PORT or mpi'
    """
    parts = ENGINES.parts() if all_there_are else {scheme: ENGINES.get(scheme) for scheme in ENGINES.own}
    found = [engine.forms[scheme] for scheme, engine in parts.items()]
    *first, last = (f"{form} ({meaning})" if explained else form for form, meaning in found)
    return f"{', '.join(first)} or {last}"


def parse_address(text: str) -> Address:
    """The cluster that words name.

    >>> parse_address("local:2")
    Address(scheme='local', nodes=2, head=None)
    >>> parse_address("ray://127.0.0.1:6379").head
    '127.0.0.1:6379'
    """
    scheme, colon, rest = text.strip().partition(":")
    address = ENGINES.get(scheme).parse(scheme, rest if colon else None) if scheme in ENGINES else None
    if address is None:
        expected = address_forms(explained=True, all_there_are=True)
        raise OutflankError(f"{text!r} is no cluster: expected {expected}")
    return address


def engine_at(text: str) -> tuple[ClusterEngine, Address]:
    """The engine of the cluster that words name, and which it is."""
    address = parse_address(text)
    return ENGINES.get(address.scheme), address
