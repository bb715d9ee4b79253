"""The kinds of cluster nodes, by the scheme that divides the search."""

from outflank.distributed.node import Carry, Node, NodeSetup, Peers
from outflank.distributed.node_messages import PeerMessage
from outflank.distributed.stealing_node import StealingNode
from outflank.distributed.tds_node import TdsNode


def make_node(
    number: int, setup: NodeSetup, carry: Carry, peers: Peers, *, share: int = 1, previous: Node | None = None
) -> Node:
    """Return a node for a search; `number` and `peers` are used if nodes send each other work.

    The `previous` node of this process, which must be closed, leaves its table if the entries are still valid.
    """
    table = None if previous is None else previous.table_for(setup)
    if table is not None:
        table.new_search()
    if setup.parallel == "stealing":
        return StealingNode(number, setup, carry, peers, share=share, table=table)
    if setup.parallel == "tds":
        return TdsNode(number, setup, carry, peers, share=share, table=table)
    return Node(setup, carry, share=share, table=table)


def post(node: Node, message: PeerMessage) -> None:
    """Give a node a message of another node. A node that is fed by the head ignores it: it is an old message."""
    if isinstance(node, StealingNode | TdsNode):
        node.post(message)
