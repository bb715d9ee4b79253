"""Tasks: pieces of work that know nothing of each other, done by whoever in a cluster has a lane free."""

from outflank.distributed.tasks.dispatcher import TaskDispatcher
from outflank.distributed.tasks.worker import Item, TaskWorker

__all__ = ["Item", "TaskDispatcher", "TaskWorker"]
