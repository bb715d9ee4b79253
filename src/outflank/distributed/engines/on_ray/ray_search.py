"""Searches on Ray. A node is an actor: one on each machine of the cluster, or several on this machine.

An actor handles jobs, received table entries and all other calls on separate threads, so that it can stop a job and
answer while it searches. Ray restarts nothing. The head keeps track of nodes and jobs, and replaces dead actors.
"""

import contextlib
import pickle
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from outflank import __version__
from outflank.distributed.engines.on_ray.membership import MOST_REPLACED, loss_reason, options_at, places
from outflank.distributed.engines.on_ray.ray_connection import detach, head_alive
from outflank.distributed.engines.on_ray.ray_start import require_ray
from outflank.distributed.fabric import HeadLost
from outflank.distributed.node import Entries, Node, NodeSetup
from outflank.distributed.node_messages import (
    Ended,
    Job,
    JobResult,
    Joined,
    Left,
    NodeEvent,
    NodeReport,
    PeerMessage,
    Reported,
    version_error,
)
from outflank.distributed.node_thread import process_name
from outflank.distributed.stealing_node import make_node, post
from outflank.errors import OutflankError
from outflank.search.outbox import WORDS
from outflank.user_modules import PickledValue, pickle_for_nodes

if TYPE_CHECKING:
    from ray import ObjectRef
    from ray.actor import ActorHandle

LANES = {"jobs": 1, "entries": 1, "steals": 1}
"""Ray's concurrency groups, with their numbers of threads. Other calls run on the actor's default thread."""

MOST_UNDERWAY = 8
"""Number of undelivered messages to a node at which further table entries for it are dropped."""

DELIVERY_SECONDS = 5.0
"""Seconds to wait for a node to receive table entries, if the replication policy waits for delivery."""

REPORT_SECONDS = 0.5
MEMBERSHIP_SECONDS = 1.0
"""Seconds between two checks of the head and of the cluster's machines."""


@dataclass(eq=False)
class _Peer:
    """Another node of the search, to which a node sends table entries."""

    actor: "ActorHandle"
    underway: list["ObjectRef"] = field(default_factory=list)
    """Messages with table entries that the peer has not received yet."""


class RayNode:
    """The Ray actor of a node."""

    def __init__(self) -> None:
        self._node: Node | None = None
        # `set_peers` replaces the whole dict, because other threads read it at the same time.
        self._peers: dict[int, _Peer] = {}

    def prepare(self, number: int, setup: PickledValue, share: int) -> tuple[str, int, str]:
        """Create the node of a new search; return the process's name, number of workers, and version of outflank."""
        if self._node is not None:
            self._node.close()
        self._node = make_node(number, setup.load(), self._carry, self, share=share)
        return process_name(), self._node.workers, __version__

    def search(self, job: Job) -> JobResult:
        assert self._node is not None
        return self._node.search(job)

    def stop(self, ticket: int) -> None:
        if self._node is not None:
            self._node.stop(ticket)

    def report(self) -> NodeReport | None:
        """Return the statistics of the node; None before its first search."""
        return self._node.report() if self._node is not None else None

    def set_peers(self, peers: dict[int, "ActorHandle"]) -> None:
        """Set the other nodes of the search, by number."""
        old_peers = self._peers
        self._peers = {number: old_peers.get(number) or _Peer(actor) for number, actor in peers.items()}

    def others(self) -> list[int]:
        """Return the numbers of the other nodes of the search."""
        return list(self._peers)

    def tell(self, node: int, message: PeerMessage) -> None:
        """Send a message to a node."""
        peer = self._peers.get(node)
        if peer is not None:
            with contextlib.suppress(Exception):  # of Ray, if the actor is dead: messages may be lost
                peer.actor.hear.options(concurrency_group="steals").remote(message)

    def hear(self, message: PeerMessage) -> None:
        """Receive a message of a node."""
        if self._node is not None:
            post(self._node, message)

    def push(self, era: int, data: bytes) -> None:
        """Store table entries that another node has sent."""
        if self._node is not None:
            self._node.absorb(era, np.frombuffer(data, np.uint64).reshape(-1, WORDS))

    def _carry(self, era: int, entries: Entries, *, wait: bool) -> tuple[int, int]:
        import ray

        data = entries.tobytes()
        sent, missed = [], 0
        for peer in self._peers.values():
            if peer.underway:
                _, peer.underway = ray.wait(peer.underway, num_returns=len(peer.underway), timeout=0)
            if len(peer.underway) >= MOST_UNDERWAY:
                missed += 1
                continue
            message = peer.actor.push.options(concurrency_group="entries").remote(era, data)
            peer.underway.append(message)
            sent.append(message)
        if wait and sent:
            ray.wait(sent, num_returns=len(sent), timeout=DELIVERY_SECONDS)
        return len(sent), missed


@dataclass(eq=False)
class _Seat:
    """An entry of `places`, with the actor that runs there and the actor's unanswered calls."""

    key: str
    number: int
    actor: "ActorHandle"
    ready: bool = False
    awaited: dict[str, "ObjectRef"] = field(default_factory=dict)
    """Unanswered calls of the actor by name: `prepare`, `search`, `report`."""
    asked_at: float = 0.0
    gone: bool = False


class RayFabric:
    """The nodes of a search, which are actors of the Ray cluster that this process is connected to."""

    name = "ray"
    job_seconds = 0.1
    """Target duration of a job in seconds. A message and its answer take 1 to 2 ms."""
    steal_seconds = 0.03

    def __init__(self, *, local_nodes: int | None, workers: int | None) -> None:
        """`local_nodes` is the number of nodes on this machine; None: one on each machine with cores in the cluster."""
        self._ray = require_ray()
        self._local_nodes, self._workers = local_nodes, workers
        self._setup: PickledValue | None = None
        self._limit: int | None = None
        self._seats: dict[str, _Seat] = {}
        self._replaced: dict[str, int] = {}
        self._numbers = 0
        self.bytes_carried = 0
        self._called = self._checked = 0.0
        self._remote = self._ray.remote(concurrency_groups=LANES, max_restarts=0, max_task_retries=0)(RayNode)
        self._update_places()

    # --- the fabric ---

    def use(self, count: int | None) -> None:
        self._limit = count

    def prepare(self, setup: NodeSetup) -> None:
        # Ray's own pickler also handles functions and classes that were defined in a notebook.
        self._setup = pickle_for_nodes(setup, self._ray.cloudpickle.dumps)
        self._replaced.clear()
        for seat in self._seats.values():
            seat.ready = False
            seat.awaited.clear()
        self._send_peers()
        for seat in self._taking_part():
            self._prepare(seat)

    def _taking_part(self) -> list[_Seat]:
        seats = sorted(self._seats.values(), key=lambda seat: seat.number)
        return seats if self._limit is None else seats[: self._limit]

    @property
    def expected(self) -> int:
        return len(self._taking_part())

    def fill(self, node: int, era: int, entries: Entries) -> None:
        seat = self._seat(node)
        if seat is not None:
            self.bytes_carried += entries.nbytes
            seat.actor.push.options(concurrency_group="entries").remote(era, entries.tobytes())

    def submit(self, node: int, job: Job) -> None:
        seat = self._seat(node)
        if seat is not None:
            self.bytes_carried += len(pickle.dumps(job))
            seat.awaited["search"] = seat.actor.search.options(concurrency_group="jobs").remote(job)

    def stop(self, node: int, ticket: int) -> None:
        seat = self._seat(node)
        if seat is not None:
            seat.actor.stop.remote(ticket)

    def ask(self) -> None:
        for seat in self._seats.values():
            seat.asked_at = 0.0

    def wait(self, seconds: float) -> list[NodeEvent]:
        self._check_head()
        events = self._update_members()
        self._ask_for_reports()
        awaited = {ref: (seat, call) for seat in self._seats.values() for call, ref in seat.awaited.items()}
        if not awaited:
            time.sleep(seconds)
            return events
        done, _ = self._ray.wait(list(awaited), num_returns=1, timeout=0 if events else seconds)
        if done and len(awaited) > 1:
            done, _ = self._ray.wait(list(awaited), num_returns=len(awaited), timeout=0)
        for ref in done:
            seat, call = awaited[ref]
            if not seat.gone:
                event = self._answer(seat, call, ref)
                if event is not None:
                    events.append(event)
        return events

    def note(self, text: str) -> None:
        """Do nothing: no launcher kills this process, so the text never has to be printed."""

    def close(self) -> None:
        for seat in self._seats.values():
            with contextlib.suppress(Exception):  # the actor or all of Ray may be dead already
                self._ray.kill(seat.actor, no_restart=True)
        self._seats.clear()
        detach(at_once=isinstance(sys.exc_info()[1], KeyboardInterrupt))

    # --- answers ---

    def _answer(self, seat: _Seat, call: str, ref: "ObjectRef") -> NodeEvent | None:
        del seat.awaited[call]
        try:
            answer = self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            raise _cause(error) from error
        except self._ray.exceptions.RayError as error:  # the actor is dead or unreachable, or its machine has left
            return self._lose(seat, loss_reason(error))
        if call == "prepare":
            where, workers, version = answer
            if (why := version_error(version)) is not None:
                raise OutflankError(f"{where}: {why}")
            seat.ready = True
            return Joined(node=seat.number, where=where, workers=workers)
        if call == "search":
            self.bytes_carried += len(pickle.dumps(answer))
            return Ended(node=seat.number, result=answer)
        return Reported(node=seat.number, report=answer) if seat.ready and answer is not None else None

    def _lose(self, seat: _Seat, why: str) -> NodeEvent | None:
        seat.gone = True
        self._seats.pop(seat.key, None)
        self._replaced[seat.key] = self._replaced.get(seat.key, 0) + 1
        self._called = 0.0  # so that a new actor is started at once
        self._send_peers()
        return Left(node=seat.number, why=why) if seat.ready else None

    def _ask_for_reports(self) -> None:
        now = time.monotonic()
        for seat in self._seats.values():
            if seat.ready and "report" not in seat.awaited and now > seat.asked_at + REPORT_SECONDS:
                seat.asked_at = now
                seat.awaited["report"] = seat.actor.report.remote()

    # --- membership ---

    def _check_head(self) -> None:
        if time.monotonic() > self._checked + MEMBERSHIP_SECONDS:
            self._checked = time.monotonic()
            if not head_alive():
                raise HeadLost("the head of the cluster is gone: its nodes cannot be reached any more")

    def _update_members(self) -> list[NodeEvent]:
        """Remove nodes of machines that have left, start nodes on new machines, and return the events."""
        if time.monotonic() < self._called + MEMBERSHIP_SECONDS:
            return []
        present = self._update_places()
        gone = [seat for key, seat in self._seats.items() if key not in present]
        events = [self._lose(seat, "its machine has left the cluster") for seat in gone]
        return [event for event in events if event is not None]

    def _update_places(self) -> dict[str, float]:
        """Start a node in each of the `places` that has none; return the places with their cores."""
        self._called = time.monotonic()
        present = places(self._ray, self._local_nodes)
        new_keys = [key for key in present if key not in self._seats and self._replaced.get(key, 0) <= MOST_REPLACED]
        for key in new_keys:
            self._numbers += 1
            seat = _Seat(key, self._numbers, self._actor(key, present[key]))
            self._seats[key] = seat
            if self._setup is not None and seat in self._taking_part():
                self._prepare(seat)
        if new_keys:
            self._send_peers()
        return present

    def _actor(self, key: str, cores: float) -> "ActorHandle":
        return self._remote.options(**options_at(key, min(self._workers or cores, cores), self._local_nodes)).remote()

    def _prepare(self, seat: _Seat) -> None:
        prepare = seat.actor.prepare.options(concurrency_group="jobs")
        seat.awaited["prepare"] = prepare.remote(seat.number, self._setup, self._local_nodes or 1)

    def _send_peers(self) -> None:
        members = self._taking_part()
        for seat in members:
            peers = {peer.number: peer.actor for peer in members if peer is not seat}
            seat.actor.set_peers.remote(peers)

    def _seat(self, node: int) -> _Seat | None:
        return next((seat for seat in self._seats.values() if seat.number == node), None)


def _cause(error: Exception) -> Exception:
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, OutflankError) else OutflankError(f"a node failed: {cause or error}")
