"""Errands: pieces of work that know nothing of each other, done by whoever in a cluster has a lane free."""

from outflank.distributed.errands.choosing import errands_on, nodes_here, served
from outflank.distributed.errands.events import Item
from outflank.distributed.errands.office import Errands

__all__ = ["Errands", "Item", "errands_on", "nodes_here", "served"]
