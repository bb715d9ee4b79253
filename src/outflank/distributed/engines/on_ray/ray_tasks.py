"""Tasks on nodes that are actors of a Ray cluster."""

import collections
import contextlib
import itertools
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from outflank.distributed.engines.contract import Address
from outflank.distributed.engines.on_ray.membership import MOST_REPLACED, loss_reason, places
from outflank.distributed.engines.on_ray.ray_connection import detach, enter, head_alive
from outflank.distributed.engines.on_ray.ray_process import RESERVE_SECONDS, Lease, Leases
from outflank.distributed.engines.on_ray.ray_start import require_ray
from outflank.distributed.node_messages import version_error
from outflank.distributed.tasks.carrier import (
    LOOK_SECONDS,
    ClusterBroken,
    NodeAlive,
    NodeGone,
    NodeReady,
    NodeUnfit,
    TaskAnswered,
    TaskEvent,
    TaskEvents,
)
from outflank.distributed.tasks.task_worker import Item, MakeWorker
from outflank.logs import logger
from outflank.user_modules import pickle_for_nodes

if TYPE_CHECKING:
    from ray import ObjectRef
    from ray.actor import ActorHandle

log = logger(__name__)

CLOSE_SECONDS = 6.0
"""Timeout for workers to release their resources before their processes are killed."""


@dataclass(eq=False, slots=True)
class _Seat:
    """An entry of `places`, with the actor that runs there."""

    key: str
    number: int
    lease: Lease
    unanswered_since: float | None = None
    """Time of the call of `report` or `make_worker` that has not been answered yet; None if there is none."""
    refused: bool = False

    @property
    def actor(self) -> "ActorHandle":
        return self.lease.actor


class RayTasks:
    """The nodes of a task dispatcher, which are Ray actors: one on each machine, or several on this machine.

    Ray neither restarts an actor nor retries a call; the dispatcher decides about retries.
    """

    def __init__(self, address: Address, make: MakeWorker, per_node: int) -> None:
        self._ray = require_ray()
        self._address, self._make, self._lanes = address, make, per_node
        self._seats: dict[str, _Seat] = {}
        self._deaths: collections.Counter[str] = collections.Counter()
        self._numbers = itertools.count()
        self._opened = False

    @property
    def possible_nodes(self) -> int:
        return sum(not seat.refused for seat in self._seats.values())

    def open(self, events: TaskEvents) -> None:
        self._events = events
        self._pickled_make = pickle_for_nodes(self._make, self._ray.cloudpickle.dumps)
        enter(self._address, self._address.nodes or 1)
        self._opened = True
        self._leases = Leases(local_nodes=self._address.nodes, at_a_time=self._lanes)
        self._leases.may_load(self._pickled_make)
        self.check_nodes()

    def run(self, node: int, ticket: int, item: Item) -> None:
        seat = self._seat(node)
        if seat is not None:
            ref = seat.actor.run.options(concurrency_group="tasks").remote(ticket, item)
            self._notify_when_done(seat, ref, lambda outcome: TaskAnswered(node, ticket, outcome))

    def cancel(self, node: int, ticket: int) -> None:
        seat = self._seat(node)
        if seat is not None:
            seat.actor.cancel.remote(ticket)

    def check_nodes(self) -> None:
        if not head_alive():
            self._events.put(ClusterBroken("the head of the cluster is gone: its nodes cannot be reached any more"))
            return
        present = places(self._ray, self._address.nodes)
        for key, seat in list(self._seats.items()):
            if key not in present:
                self._events.put(NodeGone(seat.number, "its machine has left the cluster"))
            elif seat.unanswered_since is None and not seat.refused:
                seat.unanswered_since = time.monotonic()
                self._notify_when_done(seat, seat.actor.report.remote(), partial(self._handle_heartbeat, seat))
        new = {
            key: cores
            for key, cores in present.items()
            if key not in self._seats and self._deaths[key] <= MOST_REPLACED
        }
        for key, lease in self._leases.take(new).items():
            self._make_worker(key, lease)

    def forget_node(self, node: int) -> None:
        seat = self._seat(node)
        if seat is not None:
            del self._seats[seat.key]
            self._deaths[seat.key] += 1
            with contextlib.suppress(Exception):  # an actor that was only unreachable must not go on
                self._ray.kill(seat.actor, no_restart=True)

    def close(self) -> None:
        ended: set[int] = set()
        with contextlib.suppress(Exception):  # the actors may be dead already, or all of Ray
            if head_alive():
                ended = self._end_work()
        for seat in self._seats.values():
            seat.lease.end(kill=seat.number not in ended)
        self._seats.clear()
        if self._opened:
            detach()

    def _end_work(self) -> set[int]:
        """Let the nodes release their workers, and return the numbers of the nodes that have done so."""
        since = time.monotonic() - 2 * LOOK_SECONDS
        # A silent actor is frozen, has not started yet, or is loading kernels. It can only answer if it is loading
        # kernels, and it only needs to answer if it stays.
        silent = [
            seat
            for seat in self._seats.values()
            if seat.unanswered_since is not None and seat.unanswered_since <= since
        ]
        asked = {
            seat.actor.end_work.remote(): seat
            for seat in self._seats.values()
            if seat not in silent or seat.lease.user is not None
        }
        awaited = [ref for ref, seat in asked.items() if seat not in silent]
        if awaited:
            self._ray.wait(awaited, num_returns=len(awaited), timeout=CLOSE_SECONDS)
        patience = RESERVE_SECONDS if len(awaited) < len(asked) else 0
        done = self._ray.wait(list(asked), num_returns=len(asked), timeout=patience)[0] if asked else []
        ended = set()
        for ref in done:
            with contextlib.suppress(Exception):  # a player, perhaps, that cannot be closed
                self._ray.get(ref)
                ended.add(asked[ref].number)
        return ended

    def _make_worker(self, key: str, lease: Lease) -> None:
        seat = _Seat(key, next(self._numbers), lease, time.monotonic())
        self._seats[key] = seat
        if self._deaths[key]:
            log.info("node %d replaces the lost node of %s", seat.number, key)
        ref = seat.actor.make_worker.options(concurrency_group="tasks").remote(self._pickled_make)
        self._notify_when_done(seat, ref, partial(self._handle_made, seat))

    def _handle_made(self, seat: _Seat, answer: dict[str, str]) -> TaskEvent:
        seat.unanswered_since = None
        why = version_error(answer["version"]) or answer.get("why")
        if why is not None:
            seat.refused = True
            return NodeUnfit(seat.number, f"{answer['where']}: {why}")
        return NodeReady(seat.number, answer["where"], self._lanes)

    def _handle_heartbeat(self, seat: _Seat, _: None) -> TaskEvent:
        seat.unanswered_since = None
        self._deaths[seat.key] = 0
        return NodeAlive(seat.number)

    def _notify_when_done(self, seat: _Seat, ref: "ObjectRef", event: Callable[[Any], TaskEvent]) -> None:
        def arrived(future: Future[Any]) -> None:
            error = future.exception()
            self._events.put(event(future.result()) if error is None else NodeGone(seat.number, loss_reason(error)))

        ref.future().add_done_callback(arrived)

    def _seat(self, node: int) -> _Seat | None:
        return next((seat for seat in self._seats.values() if seat.number == node), None)
