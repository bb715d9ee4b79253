"""Processes of nodes on Ray: actors that search as a node, or run tasks for a dispatcher.

An actor handles jobs, received table entries, tasks and all other calls on separate threads, so that it can stop a job
and answer while it searches. Ray restarts no actor, and retries no call.

On a cluster that stays up (`outflank cluster up`) actors stay too, and later commands use them at once, without
starting processes and loading kernels. Such an actor serves one command at a time. It is reserved under the ID of the
command's Ray job, and is free again when the command releases it or the Ray job has ended. If its work does not end
then, the process ends itself, because a thread that went on would take a core from later commands.
"""

import contextlib
import os
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from outflank import __version__
from outflank.distributed.engines.on_ray.membership import options_at
from outflank.distributed.engines.on_ray.ray_connection import stays_up
from outflank.distributed.engines.on_ray.ray_start import require_ray
from outflank.distributed.node import Entries, Node
from outflank.distributed.node_kinds import make_node, post
from outflank.distributed.node_messages import Job, JobResult, NodeReport, PeerMessage
from outflank.distributed.node_thread import process_name
from outflank.distributed.tasks.task_worker import Item, TaskRunner, error_text, process_description
from outflank.errors import OutflankError
from outflank.logs import log_to_file, logger
from outflank.package_digest import sources_digest
from outflank.plugins import any_installed, any_user_parts
from outflank.search.outbox import WORDS
from outflank.user_modules import PickledValue, imported_modules

if TYPE_CHECKING:
    from ray import ObjectRef
    from ray.actor import ActorClass, ActorHandle

log = logger(__name__)

LANES = {"jobs": 1, "entries": 1, "steals": 1}
"""Ray's concurrency groups, with their numbers of threads. Tasks have a group too. Other calls run on the actor's
default thread."""

TASKS_AT_A_TIME = 16
"""Number of tasks that an actor that stays can run at a time."""

NAMESPACE = "outflank"
"""Ray's namespace of the names of actors that stay."""

RESERVE_SECONDS = 0.5
"""Timeout for actors that stay to answer whether they are reserved, or that they still answer."""

END_SECONDS = 6.0
"""Timeout for an actor that stays to end the work of its user. After this time its process ends. A worker of tasks
waits 4 s for its players and closes each in 2 s."""

WATCH_SECONDS = 2.0
"""Seconds between two checks by a reserved actor whether its user has ended."""

MOST_UNDERWAY = 8
"""Number of undelivered messages to a node at which further table entries for it are dropped."""

DELIVERY_SECONDS = 5.0
"""Seconds to wait for a node to receive table entries, if the replication policy waits for delivery."""


@dataclass(eq=False)
class _Peer:
    """Another node of the search, to which a node sends table entries."""

    actor: "ActorHandle"
    underway: list["ObjectRef"] = field(default_factory=list)
    """Messages with table entries that the peer has not received yet."""


class RayNode:
    """The part of an actor that searches."""

    def __init__(self) -> None:
        self._node: Node | None = None
        # `set_peers` replaces the whole dict, because other threads read it at the same time.
        self._peers: dict[int, _Peer] = {}

    def prepare(self, number: int, setup: PickledValue, share: int) -> tuple[str, int, str]:
        """Create the node of a new search; return the process's name, number of workers, and version of outflank."""
        node_setup, previous = setup.load(), self._node
        table = None if previous is None else previous.table_for(node_setup)
        del previous  # with its table, if that is not used again
        self._close_node()
        self._node = node = make_node(number, node_setup, self._carry, self, share=share, table=table)
        return process_name(), node.workers, __version__

    def _close_node(self) -> None:
        node, self._node = self._node, None
        if node is not None:
            node.close()

    def search(self, job: Job) -> JobResult:
        node = self._node
        if node is None or job.era < node.setup.era:  # a job of an earlier user of this process
            return JobResult.unsearched(job.ticket)
        return node.search(job)

    def stop(self, ticket: int) -> None:
        if self._node is not None:
            self._node.stop(ticket)

    def report(self) -> NodeReport | None:
        """Return the statistics of the node; None before its first search. The answer is also a heartbeat."""
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


class RayProcess(RayNode):
    """The Ray actor of a node's process."""

    def __init__(self, user: str | None = None) -> None:
        """`user` is the ID of the Ray job of the command that reserves this actor; None: it ends with its command."""
        super().__init__()
        with contextlib.suppress(OutflankError):  # on this machine the file may be impossible
            log_to_file()
        self._runner: TaskRunner | None = None
        self._running = 0
        """Number of threads of this process that run tasks or end work."""
        self._user, self._stays = user, user is not None
        self._mutex = threading.Condition()
        """Guards the fields above. The thread that holds it may acquire it again."""
        if self._stays:
            threading.Thread(target=self._watch, name="outflank-watch", daemon=True).start()

    def prepare(self, number: int, setup: PickledValue, share: int) -> tuple[str, int, str]:
        user = self._user
        answer = super().prepare(number, setup, share)
        with self._mutex:
            if not self._still_serves(user):  # its command was killed during this call, or before
                self._close_node()
        return answer

    def _still_serves(self, user: str | None) -> bool:
        return not self._stays or (user is not None and self._user == user)

    # --- tasks ---

    def make_worker(self, make: PickledValue) -> dict[str, str]:
        """Create the worker. Return `where` this process runs, outflank's `version` and, if creation failed, `why`."""
        answer = {"where": process_description(), "version": __version__}
        user = self._user
        try:
            runner = TaskRunner(make.load())
        except Exception as error:
            answer["why"] = error_text(error)
            return answer
        with self._mutex:
            serves = self._still_serves(user)
            if serves:
                self._runner = runner
        if not serves:
            runner.close()
        return answer

    def run(self, ticket: int, item: Item) -> Item:
        """Run a task and return its outcome."""
        with self._mutex:
            runner = self._runner
            if runner is None:
                return {"answer": None, "why": "the process has another user"}
            self._running += 1
        try:
            return runner.run(ticket, item)
        finally:
            self._note_end()

    def cancel(self, ticket: int) -> None:
        runner = self._runner
        if runner is not None:
            runner.cancel(ticket)

    def end_work(self) -> None:
        """Release the worker of tasks, and the node with its table. Tasks that ignore their stop keep running."""
        with self._mutex:
            runner, self._runner = self._runner, None
            self._peers = {}
            self._running += 1
        if runner is not None:
            runner.close()
        self._close_node()
        self._note_end()  # not after an error: the work has not ended then

    def _note_end(self) -> None:
        with self._mutex:
            self._running -= 1
            self._mutex.notify_all()

    # --- users of an actor that stays ---

    def reserve(self, user: str) -> bool:
        """Reserve this actor for `user`; return whether it is reserved now."""
        former = self._user
        return (former is None or _has_ended(former)) and self._change_user(former, user)

    def release(self, user: str) -> None:
        """End the work of `user`, and make this actor free for others."""
        if self._user == user:
            self._change_user(user, None)

    def _change_user(self, former: str | None, user: str | None) -> bool:
        """End the work of `former`, and serve `user`; return whether this actor still served `former`. If the work does
        not end, end this process."""
        watchdog = threading.Timer(END_SECONDS, end_process)
        watchdog.daemon = True
        watchdog.start()
        try:
            with self._mutex:
                if self._user == former:
                    self.end_work()
                    self._mutex.wait_for(lambda: self._running == 0)
                if self._user != former:  # perhaps since this thread began to wait
                    return False
                self._user = user
                return True
        except Exception:
            end_process()
            raise
        finally:
            watchdog.cancel()

    def is_free(self) -> bool:
        """Return whether nobody uses this actor."""
        return self._user is None

    def _watch(self) -> None:
        while True:
            time.sleep(WATCH_SECONDS)
            with contextlib.suppress(Exception):  # of Ray, while it cannot be asked
                user = self._user
                if user is not None and _has_ended(user):
                    self.release(user)


def end_process() -> None:
    """End this process at once, whatever its threads do. Ray notes the death of the actor."""
    log.warning("the work of the last command does not end, so this process ends")
    os._exit(1)


def _has_ended(user: str) -> bool:
    """Return whether a job of Ray has ended, or is unknown."""
    ray = require_ray()
    return all(job["IsDead"] for job in ray._private.state.jobs() if job["JobID"] == user)


# --- in the process of a command ---


@dataclass(frozen=True, slots=True)
class Lease:
    """An actor that this command uses."""

    actor: "ActorHandle"
    user: str | None
    """ID of this command's Ray job, if the actor stays; None: the actor ends with the command."""

    def end(self, *, kill: bool = False) -> None:
        """Make an actor that stays free for other commands, and end any other actor. `kill` ends an actor that stays
        too. It is for actors that do not answer: they would be in use for ever, and every later command would wait for
        their answer."""
        with contextlib.suppress(Exception):  # the actor or all of Ray may be dead already
            if self.user is not None and not kill:
                self.actor.release.remote(self.user)
            else:
                require_ray().kill(self.actor, no_restart=True)


class Leases:
    """Starts actors, or reserves actors that stay."""

    def __init__(self, *, local_nodes: int | None, at_a_time: int = 1) -> None:
        """`local_nodes` is the number of nodes if all are on this machine, otherwise None. `at_a_time` is the number of
        tasks that each actor runs at a time."""
        self._ray = require_ray()
        self._local_nodes = local_nodes
        self._at_a_time = at_a_time
        self._may_stay = (
            stays_up()
            and at_a_time <= TASKS_AT_A_TIME
            and not (imported_modules() or any_user_parts() or any_installed("outflank."))
        )
        self._user = str(self._ray.get_runtime_context().get_job_id())
        self._retired = not self._may_stay

    def may_load(self, value: PickledValue) -> bool:
        """Return whether the actors that this object has returned so far may load `value`. Actors that it returns later
        may load it in any case.

        User code must not be loaded by actors that stay: they would keep the first version of a module that a user goes
        on to edit, and find modules only in the folders of the command that started them.
        """
        if self._may_stay and (any_user_parts() or value.needs_user_code):
            self._may_stay = False
            return False
        return True

    def take(self, cores_by_place: dict[str, float]) -> dict[str, Lease]:
        """Return an actor for each place. The argument has the number of cores for each place, which is a key of
        `membership.places`."""
        leases = self._standing(cores_by_place) if cores_by_place and self._may_stay else {}
        for place, cores in cores_by_place.items():
            if place not in leases:
                options = options_at(place, cores, self._local_nodes)
                leases[place] = Lease(self._class(self._at_a_time).options(**options).remote(), None)
        return leases

    def _class(self, at_a_time: int) -> "ActorClass[RayProcess]":
        """Return Ray's class of actors that run up to `at_a_time` tasks at a time."""
        groups = {**LANES, "tasks": at_a_time}
        return self._ray.remote(concurrency_groups=groups, max_restarts=0, max_task_retries=0)(RayProcess)

    def _standing(self, places: dict[str, float]) -> dict[str, Lease]:
        """Return actors that stay. A place is left out if another command uses its actor, or if the actor does not
        answer."""
        self._retire_old()
        leases: dict[str, Lease] = {}
        asked: dict[ObjectRef, tuple[str, ActorHandle]] = {}
        for place in places:
            name = f"{sources_digest()} {place}"
            with contextlib.suppress(ValueError):  # there is no actor of that name
                actor = self._ray.get_actor(name, NAMESPACE)
                asked[actor.reserve.remote(self._user)] = place, actor
                continue
            with contextlib.suppress(ValueError):  # another command has started it meanwhile
                options = {
                    **options_at(place, 0.0, self._local_nodes),
                    "name": name,
                    "namespace": NAMESPACE,
                    "lifetime": "detached",
                }
                actor = self._class(TASKS_AT_A_TIME).options(**options).remote(self._user)
                leases[place] = Lease(actor, self._user)
        if asked:
            answered, silent = self._ray.wait(list(asked), num_returns=len(asked), timeout=RESERVE_SECONDS)
            for answer in answered:
                place, actor = asked[answer]
                with contextlib.suppress(self._ray.exceptions.RayError):  # it has died
                    if self._ray.get(answer):
                        leases[place] = Lease(actor, self._user)
            for answer in silent:  # in case it answers later
                asked[answer][1].release.remote(self._user)
        return leases

    def _retire_old(self) -> None:
        """End free actors that run another version of the sources."""
        if self._retired:
            return
        self._retired = True
        for entry in self._ray.util.list_named_actors(all_namespaces=True):
            if entry["namespace"] != NAMESPACE or entry["name"].startswith(sources_digest()):
                continue
            with contextlib.suppress(Exception):  # it may be ending
                actor = self._ray.get_actor(entry["name"], NAMESPACE)
                if self._ray.get(actor.is_free.remote(), timeout=RESERVE_SECONDS):
                    self._ray.kill(actor, no_restart=True)
