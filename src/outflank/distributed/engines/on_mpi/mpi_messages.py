"""The messages between the ranks of an MPI program, in JSON. The tag `what` names the class of a message."""

from dataclasses import asdict
from functools import reduce
from operator import or_
from typing import Any, Self

from msgspec import Struct

from outflank.distributed.node import NodeSetup
from outflank.distributed.node_messages import (
    Job,
    JobResult,
    NodeReport,
    PeerMessage,
    PositionDone,
    PositionUnwanted,
    PositionWanted,
    WorkDone,
    WorkGiven,
    WorkGoesOn,
    WorkUnwanted,
    WorkWanted,
)
from outflank.distributed.replication import Replication
from outflank.distributed.tasks.task_worker import Item
from outflank.errors import OutflankError
from outflank.games.description import GAMES, description_of, game_named
from outflank.games.rules import pack, unpack
from outflank.kernels.bits import U64
from outflank.search.request import Options
from outflank.validation.documents import JsonObject, decoded

# The setup of a search is sent as JSON, so that a receiver never executes received data.
#
# A game is sent as its name and its rules. Every node must know that name: as a built-in game, as an installed plug-in,
# or because the program that all ranks run has registered it.


def setup_to_json(setup: NodeSetup) -> JsonObject:
    """Return the setup of a search as a JSON object; raise OutflankError if a part of it has no registered name."""
    description = description_of(setup.game)
    if description.name not in GAMES or game_named(description.name) is not description:
        raise OutflankError(f"MPI sends games by name: register {description.title} in the program that all ranks run")
    options = {name: getattr(setup.options, name) for name in Options.__slots__}
    for name in ("evaluation", "ordering"):
        if options[name] is not None and not isinstance(options[name], str):
            raise OutflankError(f"MPI sends an {name} by its name only: register it in the program that all ranks run")
    first, second = pack(setup.game, setup.position)
    return {
        "game": description.name,
        "rules": description.rules_as_json(setup.game),
        "position": [int(first), int(second)],
        "options": options,
        "replication": asdict(setup.replication),
        "era": setup.era,
        "parallel": setup.parallel,
        "follows": setup.follows,
    }


def setup_from_json(document: JsonObject) -> NodeSetup:
    """Return the setup of a search that `setup_to_json` has written."""
    game = game_named(document["game"]).rules_from_json(document["rules"])
    first, second = document["position"]
    return NodeSetup(
        game=game,
        position=unpack(game, U64(first), U64(second)),
        options=Options(**document["options"]),
        replication=Replication(**document["replication"]),
        era=document["era"],
        parallel=document["parallel"],
        follows=document["follows"],
    )


class Message(Struct, frozen=True, kw_only=True, tag_field="what"):
    """A message from one rank to another."""


# --- from the head to a rank ---


class PrepareSearch(Message, frozen=True, kw_only=True):
    """Tells a rank to prepare for a search."""

    setup: JsonObject
    """Setup of the search, written by `setup_to_json`."""
    peers: int
    """Number of ranks in the search; rank r takes part if r < `peers`."""


class SearchJob(Message, frozen=True, kw_only=True):
    """Tells a rank to search a job."""

    job: Job


class StopJob(Message, frozen=True, kw_only=True):
    """Tells a rank to stop a job, because its value is no longer needed."""

    ticket: int


class AskReport(Message, frozen=True, kw_only=True):
    """Asks a rank for its statistics."""


class HireWorkers(Message, frozen=True, kw_only=True):
    """Tells a rank to create the worker that runs its tasks."""


class RunTask(Message, frozen=True, kw_only=True):
    """Tells a rank to run a task."""

    ticket: int
    item: Item


class CancelTask(Message, frozen=True, kw_only=True):
    """Tells a rank to cancel a task, because its answer is no longer needed."""

    ticket: int


class LeaveRanks(Message, frozen=True, kw_only=True):
    """Tells a rank to leave the program, because the cluster closes."""


# --- from a rank to any other ---


class ToPeer(Message, frozen=True, kw_only=True):
    """A message between nodes. Only one field is set. (With a single field for all classes, each would need a tag.)"""

    wanted: WorkWanted | None = None
    given: WorkGiven | None = None
    done: WorkDone | None = None
    unwanted: WorkUnwanted | None = None
    goes_on: WorkGoesOn | None = None
    position_wanted: PositionWanted | None = None
    position_done: PositionDone | None = None
    position_unwanted: PositionUnwanted | None = None

    @classmethod
    def of(cls, message: PeerMessage) -> Self:
        """Return a message with this content."""
        match message:
            case WorkWanted():
                return cls(wanted=message)
            case WorkGiven():
                return cls(given=message)
            case WorkDone():
                return cls(done=message)
            case WorkUnwanted():
                return cls(unwanted=message)
            case WorkGoesOn():
                return cls(goes_on=message)
            case PositionWanted():
                return cls(position_wanted=message)
            case PositionDone():
                return cls(position_done=message)
            case PositionUnwanted():
                return cls(position_unwanted=message)

    @property
    def content(self) -> PeerMessage | None:
        """The content of the message."""
        work = self.wanted or self.given or self.done or self.unwanted or self.goes_on
        return work or self.position_wanted or self.position_done or self.position_unwanted


# --- from a rank to the head ---


class RankJoined(Message, frozen=True, kw_only=True):
    """Says that the rank is ready for jobs."""

    era: int
    where: str
    workers: int
    version: str


class RankEnded(Message, frozen=True, kw_only=True):
    """Says that a job of the rank has ended."""

    era: int
    result: JobResult


class RankReported(Message, frozen=True, kw_only=True):
    """Heartbeat of a rank in a search, with its statistics."""

    era: int
    report: NodeReport


class RankHired(Message, frozen=True, kw_only=True):
    """Says that the rank is ready for tasks."""

    where: str
    lanes: int
    version: str


class RankRefused(Message, frozen=True, kw_only=True):
    """Says that the rank cannot run tasks, and why."""

    why: str


class RankAlive(Message, frozen=True, kw_only=True):
    """Heartbeat of a rank that runs tasks."""


class TaskDone(Message, frozen=True, kw_only=True):
    """Says that a task has ended, with its answer, or why there is none."""

    ticket: int
    outcome: Any


class RankFailed(Message, frozen=True, kw_only=True):
    """Says that the rank has failed."""

    era: int
    """Era of the search in which it has failed; 0 before the first search."""
    why: str


class RankLeft(Message, frozen=True, kw_only=True):
    """Says that the rank has left the program and sends nothing more."""


_any_message: Any = reduce(or_, Message.__subclasses__())


def read_message(data: bytes) -> Message:
    """Decode a JSON message."""
    message: Message = decoded(_any_message, data)
    return message
