"""Errands on a Ray cluster."""

import collections
import contextlib
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from outflank import __version__
from outflank.distributed import raylets
from outflank.distributed.addresses import Address
from outflank.distributed.errands.events import (
    LOOK_SECONDS,
    Answered,
    Broken,
    Event,
    Events,
    Gone,
    Heard,
    Hired,
    Item,
    Make,
    Refused,
    Workshop,
    in_words,
    whereabouts,
)
from outflank.distributed.ray_places import MOST_REPLACED, options_at, places, reason

CLOSE_SECONDS = 6.0
"""How long workers may take to give back what they hold, before their processes are ended."""


class RayShop:
    """What runs in an actor: pieces have lanes of their own, so that it answers meanwhile."""

    def __init__(self) -> None:
        self._shop: Workshop | None = None

    def prepare(self, make: Make) -> dict[str, str]:
        """Be ready; where this is, its version, and `why` it cannot work, if so."""
        found = {"where": whereabouts(), "version": __version__}
        try:
            self._shop = Workshop(make)
        except Exception as error:
            found["why"] = in_words(error)
        return found

    def run(self, ticket: int, item: Item) -> Item:
        """Do a piece."""
        assert self._shop is not None
        return self._shop.run(ticket, item)

    def cancel(self, ticket: int) -> None:
        """End one."""
        if self._shop is not None:
            self._shop.cancel(ticket)

    def report(self) -> None:
        """Be heard."""

    def close(self) -> None:
        """Give back what the worker holds."""
        if self._shop is not None:
            self._shop.close()


@dataclass(eq=False, slots=True)
class _Seat:
    """A place for a node, and the actor that is in it."""

    key: str
    number: int
    actor: Any
    asked: float | None = None
    """Since when it owes an answer to the question how it is."""
    refused: bool = False


class RayErrands:
    """The nodes of a Ray cluster: an actor for each machine, or some on this one.

    Ray restarts nothing and repeats nothing: who does what again is decided above.
    """

    def __init__(self, address: Address, make: Make, per_node: int) -> None:
        self._ray = raylets.require_ray()
        self._address, self._make, self._lanes = address, make, per_node
        self._seats: dict[str, _Seat] = {}
        self._deaths: collections.Counter[str] = collections.Counter()
        self._numbers = itertools.count()
        self._opened = False

    @property
    def hopes(self) -> int:
        return sum(not seat.refused for seat in self._seats.values())

    def open(self, events: Events) -> None:
        self._events = events
        if self._address.address is not None:
            raylets.attach(self._address.address)
        else:
            raylets.enter_local(self._address.nodes or 1)
        self._opened = True
        groups = {"pieces": self._lanes}
        self._remote = self._ray.remote(concurrency_groups=groups, max_restarts=0, max_task_retries=0)(RayShop)
        self.look()

    def run(self, node: int, ticket: int, item: Item) -> None:
        seat = self._seat(node)
        if seat is not None:
            ref = seat.actor.run.options(concurrency_group="pieces").remote(ticket, item)
            self._when_there(seat, ref, lambda outcome: Answered(node, ticket, outcome))

    def cancel(self, node: int, ticket: int) -> None:
        seat = self._seat(node)
        if seat is not None:
            seat.actor.cancel.remote(ticket)

    def look(self) -> None:
        if not raylets.head_alive():
            self._events.put(Broken("the head of the cluster is gone: its nodes cannot be reached any more"))
            return
        present = places(self._ray, self._address.nodes)
        for key, seat in list(self._seats.items()):
            if key not in present:
                self._events.put(Gone(seat.number, "its machine has left the cluster"))
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
            if well and raylets.head_alive():
                closing = [seat.actor.close.remote() for seat in well]
                self._ray.wait(closing, num_returns=len(closing), timeout=CLOSE_SECONDS)
            for seat in self._seats.values():
                self._ray.kill(seat.actor, no_restart=True)
        self._seats.clear()
        if self._opened:
            raylets.detach()

    def _fill(self, key: str, cores: float) -> None:
        actor = self._remote.options(**options_at(key, cores, self._address.nodes)).remote()
        seat = _Seat(key, next(self._numbers), actor, time.monotonic())
        self._seats[key] = seat
        ref = seat.actor.prepare.options(concurrency_group="pieces").remote(self._make)
        self._when_there(seat, ref, partial(self._hired, seat))

    def _hired(self, seat: _Seat, found: dict[str, str]) -> Event:
        seat.asked = None
        why = found.get("why")
        if found["version"] != __version__:
            why = f"it has outflank {found['version']}, and this is {__version__}"
        if why is not None:
            seat.refused = True
            return Refused(seat.number, f"{found['where']}: {why}")
        return Hired(seat.number, found["where"], self._lanes)

    def _well(self, seat: _Seat, _: None) -> Event:
        seat.asked = None
        self._deaths[seat.key] = 0
        return Heard(seat.number)

    def _when_there(self, seat: _Seat, ref: Any, event: Callable[[Any], Event]) -> None:
        def arrived(future: Any) -> None:
            error = future.exception()
            self._events.put(event(future.result()) if error is None else Gone(seat.number, reason(error)))

        ref.future().add_done_callback(arrived)

    def _seat(self, node: int) -> _Seat | None:
        return next((seat for seat in self._seats.values() if seat.number == node), None)
