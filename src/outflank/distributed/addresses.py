"""What is written after `--cluster`, and what it means."""

from dataclasses import dataclass
from typing import Literal

from outflank.errors import OutflankError

FORMS = "local:N (so many nodes on this machine), inside:N (in this process), ray://HOST:PORT or mpi"
MOST_NODES = 256
"""On one machine: more than any has cores is a slip of the hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Which engine carries a cluster, and where it is."""

    engine: Literal["local", "inside", "ray", "mpi"]
    nodes: int | None = None
    """How many nodes to start on this machine: `local`, `inside`."""
    address: str | None = None
    """HOST:PORT of the head of a running cluster: `ray`."""


def parse_address(text: str) -> Address:
    """The cluster that words name.

    >>> parse_address("local:2")
    Address(engine='local', nodes=2, address=None)
    >>> parse_address("ray://127.0.0.1:6379").address
    '127.0.0.1:6379'
    """
    word = text.strip()
    kind, colon, rest = word.partition(":")
    if kind in ("local", "inside") and _number(rest, MOST_NODES):
        return Address(engine="local" if kind == "local" else "inside", nodes=int(rest))
    if kind in ("local", "inside") and rest.isascii() and rest.isdigit():
        raise OutflankError(f"{text!r}: a cluster on one machine has 1 to {MOST_NODES} nodes")
    if kind == "ray" and rest.startswith("//"):
        host, _, port = rest[2:].rpartition(":")
        if host and host.isprintable() and not set(host) & set(" /@") and _number(port, 65535):
            return Address(engine="ray", address=f"{host}:{int(port)}")
    if kind == "mpi" and not colon:
        return Address(engine="mpi")
    raise OutflankError(f"{text!r} is no cluster: expected {FORMS}")


def _number(text: str, most: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= most
