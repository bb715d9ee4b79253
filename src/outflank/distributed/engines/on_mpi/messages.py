"""The messages between the ranks of an MPI program, as JSON: the tag `what` gives the class of a message."""

from functools import reduce
from operator import or_
from typing import Any

from msgspec import Struct

from outflank.distributed.messages import Job, JobResult, NodeReport
from outflank.documents import decoded


class Message(Struct, frozen=True, kw_only=True, tag_field="what"):
    """A message from one rank to another."""


# --- the head to a rank ---


class PrepareSearch(Message, frozen=True, kw_only=True):
    """Prepare for a search."""

    setup: dict[str, Any]
    """Setup of the search; see `setup_json`."""
    peers: int
    """Number of ranks that take part: those below it."""


class SearchJob(Message, frozen=True, kw_only=True):
    """Search a job."""

    job: Job


class StopJob(Message, frozen=True, kw_only=True):
    """Stop a job: its value is no longer needed."""

    ticket: int


class AskReport(Message, frozen=True, kw_only=True):
    """Send a report."""


class HireWorkers(Message, frozen=True, kw_only=True):
    """Create the worker for tasks."""


class RunTask(Message, frozen=True, kw_only=True):
    """Run a task."""

    ticket: int
    item: dict[str, Any]


class CancelTask(Message, frozen=True, kw_only=True):
    """Cancel a task: its answer is no longer needed."""

    ticket: int


class LeaveRanks(Message, frozen=True, kw_only=True):
    """Leave the program: the cluster closes."""


# --- a rank to the head ---


class RankJoined(Message, frozen=True, kw_only=True):
    """The rank is ready for jobs."""

    era: int
    where: str
    workers: int
    version: str


class RankEnded(Message, frozen=True, kw_only=True):
    """A job has ended."""

    era: int
    result: JobResult


class RankReported(Message, frozen=True, kw_only=True):
    """The rank is alive, with its statistics."""

    era: int
    report: NodeReport


class RankHired(Message, frozen=True, kw_only=True):
    """The rank is ready for tasks."""

    where: str
    lanes: int
    version: str


class RankRefused(Message, frozen=True, kw_only=True):
    """The rank cannot run tasks."""

    why: str


class RankAlive(Message, frozen=True, kw_only=True):
    """Heartbeat of a rank that runs tasks."""


class TaskDone(Message, frozen=True, kw_only=True):
    """The outcome of a task."""

    ticket: int
    outcome: Any


class RankFailed(Message, frozen=True, kw_only=True):
    """The rank has failed."""

    why: str


class RankLeft(Message, frozen=True, kw_only=True):
    """The rank has left, and sends nothing more."""


_any_message: Any = reduce(or_, Message.__subclasses__())


def read_message(data: bytes) -> Message:
    """Return the message in `data`."""
    message: Message = decoded(_any_message, data)
    return message
