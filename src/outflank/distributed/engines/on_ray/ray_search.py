"""Searches on Ray. A node is an actor: one on each machine of the cluster, or several on this machine.

Ray restarts nothing. The head keeps track of nodes and jobs, and replaces dead actors.
"""

import contextlib
import pickle
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outflank.distributed.engines.on_ray.membership import MOST_REPLACED, loss_reason, places
from outflank.distributed.engines.on_ray.ray_connection import detach, head_alive
from outflank.distributed.engines.on_ray.ray_process import RESERVE_SECONDS, Lease, Leases
from outflank.distributed.engines.on_ray.ray_start import require_ray
from outflank.distributed.fabric import HeadLost
from outflank.distributed.node import Entries, NodeSetup
from outflank.distributed.node_messages import Ended, Job, Joined, Left, NodeEvent, Reported, version_error
from outflank.errors import OutflankError
from outflank.logs import logger
from outflank.user_modules import PickledValue, pickle_for_nodes

if TYPE_CHECKING:
    from ray import ObjectRef
    from ray.actor import ActorHandle

log = logger(__name__)

REPORT_SECONDS = 0.5
SILENT_SECONDS = 2.0
"""When a command ends, it asks an actor that stays once more if the last answer is older than this number of seconds.
If there is no answer again, the actor is killed instead of made free."""

MEMBERSHIP_SECONDS = 1.0
"""Seconds between two checks of the head and of the cluster's machines."""


@dataclass(eq=False)
class _Seat:
    """An entry of `places`, with the actor that runs there and the actor's unanswered calls."""

    key: str
    number: int
    lease: Lease
    ready: bool = False
    awaited: dict[str, "ObjectRef"] = field(default_factory=dict)
    """Unanswered calls of the actor by name: `prepare`, `report`, and `search` with the ticket of the job."""
    asked_at: float = 0.0
    """Time of the last call of `report`; 0 if the next is due at once."""
    heard: float = field(default_factory=time.monotonic)
    """Time of the last answer, or of the start."""
    gone: bool = False

    @property
    def actor(self) -> "ActorHandle":
        return self.lease.actor


class RayFabric:
    """The nodes of a search, which are actors of the Ray cluster that this process is connected to."""

    name = "ray"
    job_seconds = 0.1
    """Target duration of a job in seconds. A message and its answer take 1 to 2 ms."""
    steal_seconds = 0.03
    keeps_nodes = False

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
        self._leases = Leases(local_nodes=local_nodes)
        self._update_places()

    # --- the fabric ---

    def use(self, count: int | None) -> None:
        self._limit = count

    def prepare(self, setup: NodeSetup) -> None:
        # Ray's own pickler also handles functions and classes that were defined in a notebook.
        pickled = pickle_for_nodes(setup, self._ray.cloudpickle.dumps)
        if not self._leases.may_load(pickled):
            self._replace_standing()
        self._setup = pickled
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
            seat.awaited[f"search {job.ticket}"] = seat.actor.search.options(concurrency_group="jobs").remote(job)

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
        silent = self._silent_actors()
        for seat in self._seats.values():
            seat.lease.end(kill=seat.number in silent)
        self._seats.clear()
        detach(at_once=isinstance(sys.exc_info()[1], KeyboardInterrupt))

    def _silent_actors(self) -> set[int]:
        """Return the numbers of the nodes whose actors should stay, but do not answer, for example because they are
        frozen."""
        since = time.monotonic() - SILENT_SECONDS
        suspects = [seat for seat in self._seats.values() if seat.lease.user is not None and seat.heard < since]
        with contextlib.suppress(Exception):  # of Ray, which may have died
            if suspects and head_alive():
                asked = {seat.actor.report.remote(): seat.number for seat in suspects}
                _, unanswered = self._ray.wait(list(asked), num_returns=len(asked), timeout=RESERVE_SECONDS)
                return {asked[ref] for ref in unanswered}
        return set()

    # --- answers ---

    def _answer(self, seat: _Seat, call: str, ref: "ObjectRef") -> NodeEvent | None:
        del seat.awaited[call]
        try:
            answer = self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            raise _cause(error) from error
        except self._ray.exceptions.RayError as error:  # the actor is dead or unreachable, or its machine has left
            return self._lose(seat, loss_reason(error))
        seat.heard = time.monotonic()
        if call == "prepare":
            where, workers, version = answer
            if (why := version_error(version)) is not None:
                raise OutflankError(f"{where}: {why}")
            seat.ready = True
            return Joined(node=seat.number, where=where, workers=workers)
        if call.startswith("search"):
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
        leases = self._leases.take({key: min(self._workers or present[key], present[key]) for key in new_keys})
        for key in new_keys:
            self._numbers += 1
            seat = _Seat(key, self._numbers, leases[key])
            self._seats[key] = seat
            if self._replaced.get(key):
                log.info("node %d replaces the lost node of %s", seat.number, key)
            if self._setup is not None and seat in self._taking_part():
                self._prepare(seat)
        if new_keys:
            self._send_peers()
        return present

    def _replace_standing(self) -> None:
        """Release the actors that stay, and start others in their places."""
        self._setup = None  # so that the new nodes are not prepared for the last search
        for seat in list(self._seats.values()):
            if seat.lease.user is not None:
                del self._seats[seat.key]
                seat.lease.end()
        self._update_places()

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
