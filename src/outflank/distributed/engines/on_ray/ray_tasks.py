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

from outflank import __version__
from outflank.distributed.engines.contract import Address
from outflank.distributed.engines.on_ray.membership import MOST_REPLACED, loss_reason, options_at, places
from outflank.distributed.engines.on_ray.ray_connection import detach, enter, head_alive
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
from outflank.distributed.tasks.task_worker import Item, MakeWorker, TaskRunner, error_text, process_description
from outflank.user_modules import PickledValue, pickle_for_nodes

if TYPE_CHECKING:
    from ray import ObjectRef
    from ray.actor import ActorHandle

CLOSE_SECONDS = 6.0
"""Timeout for workers to release their resources before their processes are killed."""


class RayTaskActor:
    """The Ray actor of a node. Tasks run on separate threads, so that it can answer other calls meanwhile."""

    def __init__(self) -> None:
        self._runner: TaskRunner | None = None

    def prepare(self, make: PickledValue) -> dict[str, str]:
        """Create the worker. Return `where` this process runs, outflank's `version` and, if creation failed, `why`."""
        answer = {"where": process_description(), "version": __version__}
        try:
            self._runner = TaskRunner(make.load())
        except Exception as error:
            answer["why"] = error_text(error)
        return answer

    def run(self, ticket: int, item: Item) -> Item:
        """Run a task and return its outcome."""
        assert self._runner is not None
        return self._runner.run(ticket, item)

    def cancel(self, ticket: int) -> None:
        if self._runner is not None:
            self._runner.cancel(ticket)

    def report(self) -> None:
        """Do nothing. The return of this call is the heartbeat."""

    def close(self) -> None:
        if self._runner is not None:
            self._runner.close()


@dataclass(eq=False, slots=True)
class _Seat:
    """An entry of `places`, with the actor that runs there."""

    key: str
    number: int
    actor: "ActorHandle"
    unanswered_since: float | None = None
    """Time of the call of `report` or `prepare` that has not been answered yet; None if there is none."""
    refused: bool = False


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
        enter(self._address, self._address.nodes or 1)
        self._opened = True
        groups = {"tasks": self._lanes}
        self._remote = self._ray.remote(concurrency_groups=groups, max_restarts=0, max_task_retries=0)(RayTaskActor)
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
        for key, cores in present.items():
            if key not in self._seats and self._deaths[key] <= MOST_REPLACED:
                self._start_actor(key, cores)

    def forget_node(self, node: int) -> None:
        seat = self._seat(node)
        if seat is not None:
            del self._seats[seat.key]
            self._deaths[seat.key] += 1
            with contextlib.suppress(Exception):  # an actor that was only unreachable must not go on
                self._ray.kill(seat.actor, no_restart=True)

    def close(self) -> None:
        with contextlib.suppress(Exception):  # the actors may be dead already, or all of Ray
            # Actors that have not answered for long are frozen or have not started yet.
            since = time.monotonic() - 2 * LOOK_SECONDS
            responsive = [
                seat for seat in self._seats.values() if seat.unanswered_since is None or seat.unanswered_since > since
            ]
            if responsive and head_alive():
                closing = [seat.actor.close.remote() for seat in responsive]
                self._ray.wait(closing, num_returns=len(closing), timeout=CLOSE_SECONDS)
            for seat in self._seats.values():
                self._ray.kill(seat.actor, no_restart=True)
        self._seats.clear()
        if self._opened:
            detach()

    def _start_actor(self, key: str, cores: float) -> None:
        actor = self._remote.options(**options_at(key, cores, self._address.nodes)).remote()
        seat = _Seat(key, next(self._numbers), actor, time.monotonic())
        self._seats[key] = seat
        ref = seat.actor.prepare.options(concurrency_group="tasks").remote(
            pickle_for_nodes(self._make, self._ray.cloudpickle.dumps)
        )
        self._notify_when_done(seat, ref, partial(self._handle_prepared, seat))

    def _handle_prepared(self, seat: _Seat, answer: dict[str, str]) -> TaskEvent:
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
