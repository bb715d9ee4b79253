"""What the ranks of an MPI program say to each other, as JSON: the class of a message is what it says it is."""

from functools import reduce
from operator import or_
from typing import Any

from msgspec import Struct

from outflank.distributed.messages import Job, JobResult, NodeReport
from outflank.documents import decoded


class Message(Struct, frozen=True, kw_only=True, tag_field="what"):
    """Something that one rank says to another."""


# --- the head to a rank ---


class PrepareSearch(Message, frozen=True, kw_only=True):
    """A search begins."""

    setup: dict[str, Any]
    """See `setup_json`."""
    peers: int
    """The ranks below this number take part."""


class SearchJob(Message, frozen=True, kw_only=True):
    """Search this."""

    job: Job


class StopJob(Message, frozen=True, kw_only=True):
    """Its value is not wanted any more."""

    ticket: int


class AskReport(Message, frozen=True, kw_only=True):
    """Tell how you are."""


class HireWorkers(Message, frozen=True, kw_only=True):
    """Tasks will come."""


class RunTask(Message, frozen=True, kw_only=True):
    """Do this."""

    ticket: int
    item: dict[str, Any]


class CancelTask(Message, frozen=True, kw_only=True):
    """What comes of it is not wanted any more."""

    ticket: int


class LeaveRanks(Message, frozen=True, kw_only=True):
    """It is over."""


# --- a rank to the head ---


class RankJoined(Message, frozen=True, kw_only=True):
    """It can take jobs."""

    era: int
    where: str
    workers: int
    version: str


class RankEnded(Message, frozen=True, kw_only=True):
    """A job has come to its end."""

    era: int
    result: JobResult


class RankReported(Message, frozen=True, kw_only=True):
    """It is alive, and tells how it is."""

    era: int
    report: NodeReport


class RankHired(Message, frozen=True, kw_only=True):
    """It can do tasks."""

    where: str
    lanes: int
    version: str


class RankRefused(Message, frozen=True, kw_only=True):
    """It cannot."""

    why: str


class RankAlive(Message, frozen=True, kw_only=True):
    """It is at work on tasks."""


class TaskDone(Message, frozen=True, kw_only=True):
    """What came of a task."""

    ticket: int
    outcome: Any


class RankFailed(Message, frozen=True, kw_only=True):
    """It cannot go on."""

    why: str


class RankLeft(Message, frozen=True, kw_only=True):
    """Nothing more will come."""


_any: Any = reduce(or_, Message.__subclasses__())


def read_message(data: bytes) -> Message:
    """The message that has come."""
    found: Message = decoded(_any, data)
    return found
