"""Costs of messages on the networks of today's clusters, for simulated nodes that steal from each other."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from outflank.errors import UnknownName
from outflank.lab.simulation.stealing_search import Costs

_MESSAGES: Mapping[str, Costs] = MappingProxyType(
    {
        "infiniband": Costs(
            board=0.0, latency=5.0, send=2.0, send_entry=0.01, receive=2.0, receive_entry=0.1, spawn=0.05
        ),
        "ethernet": Costs(
            board=0.0, latency=50.0, send=20.0, send_entry=0.03, receive=20.0, receive_entry=0.1, spawn=0.05
        ),
        "ray": Costs(
            board=0.0, latency=700.0, send=300.0, send_entry=0.03, receive=300.0, receive_entry=0.1, spawn=0.05
        ),
    }
)
"""Costs by network, without the time of a tree node.

- Ray: a message and its answer take 1 to 2 ms on one machine (`on_ray`).
- Ethernet: 10 Gb/s. The delay of TCP between two machines is 20 to 30 µs, and a node's steward takes as long to wake.
- InfiniBand: 1 to 2 µs between two machines, and the time to wake a thread.
- A received entry costs a store in a table that is not in a cache. A move that is offered to others costs the crew of a
  node 50 ns.
"""

NETWORKS = tuple(_MESSAGES)


def network_costs(name: str, board: float) -> Costs:
    """Return the costs on a network, with `board` microseconds for a tree node."""
    if name not in _MESSAGES:
        raise UnknownName.among("network", name, NETWORKS)
    return replace(_MESSAGES[name], board=board)
