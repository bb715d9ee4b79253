"""Tasks: independent pieces of work, each run by a node of a cluster that has a free lane."""

from outflank.distributed.tasks.dispatcher import TaskDispatcher
from outflank.distributed.tasks.task_worker import Item, TaskWorker

__all__ = ["Item", "TaskDispatcher", "TaskWorker"]
