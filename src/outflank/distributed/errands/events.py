"""What is done, where, and what happens to it: the words that carriers of errands and whoever asks have in common."""

import os
import platform
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from outflank.errors import OutflankError
from outflank.search.contract import Stop

Item = dict[str, Any]

LOOK_SECONDS = 0.5
"""How often to see who is there."""


# --- where errands are done ---


class Worker(Protocol):
    """Does pieces of work, several at a time, each on a thread of its own."""

    def do(self, item: Item, stop: Stop) -> Item | None:
        """The answer to an item; None if `stop` was called before there was one."""

    def close(self) -> None:
        """Give back what it holds."""


Make = Callable[[], Worker]
"""Makes a node's worker. On Ray it travels there pickled: a module's function or class, with plain data."""


class Workshop:
    """A worker, and a way to end each piece that it is busy with."""

    def __init__(self, make: Make) -> None:
        self._worker = make()
        self._stops: dict[int, Stop] = {}

    def run(self, ticket: int, item: Item) -> Item:
        """Do a piece: its `answer`, or `why` there is none."""
        stop = self._stops.setdefault(ticket, Stop())
        try:
            return {"answer": self._worker.do(item, stop)}
        except Exception as error:  # whatever it is, it belongs to whoever asked
            return {"answer": None, "why": in_words(error)}
        finally:
            self._stops.pop(ticket, None)

    def cancel(self, ticket: int) -> None:
        """End a piece. It may not have begun: what is said of it and what it is come on different ways."""
        self._stops.setdefault(ticket, Stop())()

    def close(self) -> None:
        """End them all."""
        for ticket in list(self._stops):
            self.cancel(ticket)
        self._worker.close()


def in_words(error: BaseException) -> str:
    """What went wrong, in one line."""
    words = " ".join(str(error).split())
    return words if isinstance(error, OutflankError) else f"{type(error).__name__}: {words}"


def whereabouts() -> str:
    """This process, for people."""
    return f"{platform.node()}, process {os.getpid()}"


# --- what happens ---


@dataclass(frozen=True, slots=True)
class Hired:
    """A node is ready; no number is used twice."""

    node: int
    where: str
    lanes: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A node cannot do this work, and will not be asked again."""

    node: int
    why: str


@dataclass(frozen=True, slots=True)
class Heard:
    """A node is well."""

    node: int


@dataclass(frozen=True, slots=True)
class Gone:
    """A node is not there any more."""

    node: int
    why: str


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a piece: its `answer`, or `why` there is none."""

    node: int
    ticket: int
    outcome: Item


@dataclass(frozen=True, slots=True)
class Broken:
    """Nothing can be carried any more."""

    why: str


@dataclass(eq=False, slots=True)
class Piece:
    """Something to be done, for whoever waits for it."""

    item: Item
    ticket: int
    nodes: set[int] = field(default_factory=set)
    """Who is doing it."""
    attempts: int = 0
    answer: Item | None = None
    why: str | None = None
    unwanted: bool = False
    over: threading.Event = field(default_factory=threading.Event)


Event = Hired | Refused | Heard | Gone | Answered | Broken | Piece | None
"""A piece is a new one, or one that is not wanted any more; None is the end."""

Events = queue.SimpleQueue[Event]


class Carrier(Protocol):
    """What takes pieces to nodes, and tells what happens there. One thread at a time calls it."""

    @property
    def hopes(self) -> int:
        """Nodes that are ready or may yet be."""

    def open(self, events: Events) -> None:
        """Reach the cluster, and tell of every node that is ready; of one that comes later as well."""

    def run(self, node: int, ticket: int, item: Item) -> None:
        """Give a node a piece."""

    def cancel(self, node: int, ticket: int) -> None:
        """Tell a node that a piece is not wanted any more. It still answers."""

    def look(self) -> None:
        """See who is there; called about twice a second."""

    def let_go(self, node: int) -> None:
        """Forget a node that is gone."""

    def close(self) -> None:
        """Leave, with the nodes let go."""
