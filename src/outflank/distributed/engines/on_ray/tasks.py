"""Tasks on a Ray cluster."""

import collections
import contextlib
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from outflank import __version__
from outflank.distributed.engines.contract import Address
from outflank.distributed.engines.on_ray.connection import detach, enter, head_alive
from outflank.distributed.engines.on_ray.places import MOST_REPLACED, options_at, places, reason
from outflank.distributed.engines.on_ray.ray_start import require_ray
from outflank.distributed.pickling import PickledValue, pickle_for_nodes
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
from outflank.distributed.tasks.worker import Item, MakeWorker, TaskRunner, in_words, whereabouts

CLOSE_SECONDS = 6.0
"""How long workers may take to give back what they hold, before their processes are ended."""


class RayTaskActor:
    """What runs in an actor: tasks have lanes of their own, so that it answers meanwhile."""

    def __init__(self) -> None:
        self._runner: TaskRunner | None = None

    def prepare(self, make: PickledValue) -> dict[str, str]:
        """Be ready; where this is, its version, and `why` it cannot work, if so."""
        found = {"where": whereabouts(), "version": __version__}
        try:
            self._runner = TaskRunner(make.load())
        except Exception as error:
            found["why"] = in_words(error)
        return found

    def run(self, ticket: int, item: Item) -> Item:
        """Do a task."""
        assert self._runner is not None
        return self._runner.run(ticket, item)

    def cancel(self, ticket: int) -> None:
        """End one."""
        if self._runner is not None:
            self._runner.cancel(ticket)

    def report(self) -> None:
        """Be heard."""

    def close(self) -> None:
        """Give back what the worker holds."""
        if self._runner is not None:
            self._runner.close()


@dataclass(eq=False, slots=True)
class _Seat:
    """A place for a node, and the actor that is in it."""

    key: str
    number: int
    actor: Any
    asked: float | None = None
    """Since when it owes an answer to the question how it is."""
    refused: bool = False


class RayTasks:
    """The nodes of a Ray cluster: an actor for each machine, or some on this one.

    Ray restarts nothing and repeats nothing: who does what again is decided above.
    """

    def __init__(self, address: Address, make: MakeWorker, per_node: int) -> None:
        self._ray = require_ray()
        self._address, self._make, self._lanes = address, make, per_node
        self._seats: dict[str, _Seat] = {}
        self._deaths: collections.Counter[str] = collections.Counter()
        self._numbers = itertools.count()
        self._opened = False

    @property
    def hopes(self) -> int:
        return sum(not seat.refused for seat in self._seats.values())

    def open(self, events: TaskEvents) -> None:
        self._events = events
        enter(self._address, self._address.nodes or 1)
        self._opened = True
        groups = {"tasks": self._lanes}
        self._remote = self._ray.remote(concurrency_groups=groups, max_restarts=0, max_task_retries=0)(RayTaskActor)
        self.look()

    def run(self, node: int, ticket: int, item: Item) -> None:
        seat = self._seat(node)
        if seat is not None:
            ref = seat.actor.run.options(concurrency_group="tasks").remote(ticket, item)
            self._when_there(seat, ref, lambda outcome: TaskAnswered(node, ticket, outcome))

    def cancel(self, node: int, ticket: int) -> None:
        seat = self._seat(node)
        if seat is not None:
            seat.actor.cancel.remote(ticket)

    def look(self) -> None:
        if not head_alive():
            self._events.put(ClusterBroken("the head of the cluster is gone: its nodes cannot be reached any more"))
            return
        present = places(self._ray, self._address.nodes)
        for key, seat in list(self._seats.items()):
            if key not in present:
                self._events.put(NodeGone(seat.number, "its machine has left the cluster"))
            elif seat.asked is None and not seat.refused:
                seat.asked = time.monotonic()
                self._when_there(seat, seat.actor.report.remote(), partial(self._well, seat))
        for key, cores in present.items():
            if key not in self._seats and self._deaths[key] <= MOST_REPLACED:
                self._fill(key, cores)

    def let_go(self, node: int) -> None:
        seat = self._seat(node)
        if seat is not None:
            del self._seats[seat.key]
            self._deaths[seat.key] += 1
            with contextlib.suppress(Exception):  # one that only could not be reached must not go on
                self._ray.kill(seat.actor, no_restart=True)

    def close(self) -> None:
        with contextlib.suppress(Exception):  # actors may be dead already, or all of Ray
            # Those who owe an answer for long are frozen, or not even there yet.
            since = time.monotonic() - 2 * LOOK_SECONDS
            well = [seat for seat in self._seats.values() if seat.asked is None or seat.asked > since]
            if well and head_alive():
                closing = [seat.actor.close.remote() for seat in well]
                self._ray.wait(closing, num_returns=len(closing), timeout=CLOSE_SECONDS)
            for seat in self._seats.values():
                self._ray.kill(seat.actor, no_restart=True)
        self._seats.clear()
        if self._opened:
            detach()

    def _fill(self, key: str, cores: float) -> None:
        actor = self._remote.options(**options_at(key, cores, self._address.nodes)).remote()
        seat = _Seat(key, next(self._numbers), actor, time.monotonic())
        self._seats[key] = seat
        ref = seat.actor.prepare.options(concurrency_group="tasks").remote(
            pickle_for_nodes(self._make, self._ray.cloudpickle.dumps)
        )
        self._when_there(seat, ref, partial(self._hired, seat))

    def _hired(self, seat: _Seat, found: dict[str, str]) -> TaskEvent:
        seat.asked = None
        why = found.get("why")
        if found["version"] != __version__:
            why = f"it has outflank {found['version']}, and this is {__version__}"
        if why is not None:
            seat.refused = True
            return NodeUnfit(seat.number, f"{found['where']}: {why}")
        return NodeReady(seat.number, found["where"], self._lanes)

    def _well(self, seat: _Seat, _: None) -> TaskEvent:
        seat.asked = None
        self._deaths[seat.key] = 0
        return NodeAlive(seat.number)

    def _when_there(self, seat: _Seat, ref: Any, event: Callable[[Any], TaskEvent]) -> None:
        def arrived(future: Any) -> None:
            error = future.exception()
            self._events.put(event(future.result()) if error is None else NodeGone(seat.number, reason(error)))

        ref.future().add_done_callback(arrived)

    def _seat(self, node: int) -> _Seat | None:
        return next((seat for seat in self._seats.values() if seat.number == node), None)
