"""Tasks: independent pieces of work, each sent to a node of a cluster with a free lane (a slot for one task)."""

from outflank.distributed.tasks.dispatcher import TaskDispatcher
from outflank.distributed.tasks.task_worker import Item, TaskWorker

__all__ = ["Item", "TaskDispatcher", "TaskWorker"]
