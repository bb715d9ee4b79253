"""The registry of cluster engines, and the parsing of cluster addresses.

The folder of an engine has one module for the engine (`ray_engine.py`), one for searches (`ray_search.py`) and one for
other tasks (`ray_tasks.py`). Users register their own engine with `register_engine`, or install it as an entry point of
the group `outflank.engines`. The engine's name is the part of its addresses before the colon.
"""

from outflank.distributed.engines.contract import Address, ClusterEngine
from outflank.errors import InvalidOption, OutflankError
from outflank.plugins import Registry

__all__ = ["ENGINES", "Address", "ClusterEngine", "address_forms", "engine_at", "parse_address", "register_engine"]


def _check(scheme: str, part: object) -> ClusterEngine:
    engine = part() if isinstance(part, type) else part
    if not isinstance(engine, ClusterEngine):
        raise InvalidOption(f"expected a ClusterEngine, found {part!r}")
    if scheme not in engine.forms:
        raise InvalidOption(f"expected one whose forms say how {scheme} is written")
    return engine


ENGINES = Registry(
    "cluster engine",
    "outflank.engines",
    {
        "local": "outflank.distributed.engines.on_ray.ray_engine:RayEngine",
        "futures": "outflank.distributed.engines.on_futures.futures_engine:FuturesEngine",
        "inside": "outflank.distributed.engines.inside_engine:InsideEngine",
        "ray": "outflank.distributed.engines.on_ray.ray_engine:RayEngine",
        "mpi": "outflank.distributed.engines.on_mpi.mpi_engine:MpiEngine",
    },
    check=_check,
)
"""Registry of engines by name, which is the part of their addresses before the colon."""


def register_engine(scheme: str, engine: ClusterEngine) -> ClusterEngine:
    """Register an engine for addresses that begin with `scheme`. Only the engine's own module can replace it later."""
    return ENGINES.register(scheme, engine, by=type(engine).__module__)


def address_forms(*, explained: bool = False, with_plugins: bool = False) -> str:
    """Return the accepted forms of cluster addresses as text, with their meanings if `explained`.

    If `with_plugins`, the forms of engines from plug-ins are included.

    >>> address_forms()
    'local:N, futures:N, inside:N, ray://HOST:PORT or mpi'
    """
    parts = ENGINES.parts() if with_plugins else {scheme: ENGINES.get(scheme) for scheme in ENGINES.own}
    forms = [engine.forms[scheme] for scheme, engine in parts.items()]
    *first, last = (f"{form} ({meaning})" if explained else form for form, meaning in forms)
    return f"{', '.join(first)} or {last}"


def parse_address(text: str) -> Address:
    """Return the parsed address; raise OutflankError if `text` is no address of a cluster.

    >>> parse_address("local:2")
    Address(scheme='local', nodes=2, head=None)
    >>> parse_address("ray://127.0.0.1:6379").head
    '127.0.0.1:6379'
    """
    scheme, colon, rest = text.strip().partition(":")
    address = ENGINES.get(scheme).parse(scheme, rest if colon else None) if scheme in ENGINES else None
    if address is None:
        expected = address_forms(explained=True, with_plugins=True)
        raise OutflankError(f"{text!r} is no cluster: expected {expected}")
    return address


def engine_at(text: str) -> tuple[ClusterEngine, Address]:
    """Return the engine of the cluster at the address `text`, and the parsed address."""
    address = parse_address(text)
    return ENGINES.get(address.scheme), address
