"""The kinds of cluster nodes, by the scheme that divides the search."""

from outflank.distributed.node import Carry, Node, NodeSetup, Peers
from outflank.distributed.node_messages import PeerMessage
from outflank.distributed.stealing_node import StealingNode
from outflank.distributed.tds_node import TdsNode
from outflank.logs import logger
from outflank.search.table import Table

log = logger(__name__)


def make_node(
    number: int, setup: NodeSetup, carry: Carry, peers: Peers, *, share: int = 1, table: Table | None = None
) -> Node:
    """Return a node for a search; `number` and `peers` are used if nodes send each other work.

    `table` is the table of the process's last node, if it can be used again (`Node.table_for`). Drop all references to
    the last node before the call. Otherwise a table that is not used again would take memory beside the new one.
    """
    log.info("this process is node %d of a search, divided by %s", number, setup.parallel)
    if table is not None:
        table.new_search()
    if setup.parallel == "stealing":
        return StealingNode(number, setup, carry, peers, share=share, table=table)
    if setup.parallel == "tds":
        return TdsNode(number, setup, carry, peers, share=share, table=table)
    return Node(setup, carry, share=share, table=table)


def post(node: Node, message: PeerMessage) -> None:
    """Give a node a message of another node. If only the head sends work to this node, it ignores the message, which
    is from an earlier search."""
    if isinstance(node, StealingNode | TdsNode):
        node.post(message)
