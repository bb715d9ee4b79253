"""The connection of this process to a Ray cluster: opening, watching and closing it."""

import atexit
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from outflank.distributed.engines.contract import Address
from outflank.distributed.engines.on_ray.certificates import TlsFiles, tls_files, tls_settings
from outflank.distributed.engines.on_ray.head_client import host_and_port, nodes_of, require_protection
from outflank.distributed.engines.on_ray.membership import Member, end, forget, launch, members
from outflank.distributed.engines.on_ray.ray_directories import OwnedDirectory
from outflank.distributed.engines.on_ray.ray_start import (
    DRIVER,
    END_SECONDS,
    LOOPBACK,
    OBJECT_STORE_BYTES,
    START_SECONDS,
    inner,
    patch_ray,
    require_ray,
    settings,
)
from outflank.distributed.engines.on_ray.tokens import make_token, read_token
from outflank.distributed.exiting import LastAtExit
from outflank.errors import OutflankError, notify

AT_ONCE_SECONDS = 0.5
"""Timeout for Ray to disconnect after Ctrl-C; it takes 0.1 to 0.3 s."""


class _Connection(threading.Thread):
    """A connection to a Ray cluster, held by a thread of its own.

    Linux ends Ray's processes together with the thread that started them, so this thread must outlive every caller. It
    also watches the head, as Ray does not report its death, and disconnects within the caller's timeout.
    """

    def __init__(
        self, token_file: Path, directory: OwnedDirectory | None = None, *, tls: TlsFiles | None = None
    ) -> None:
        super().__init__(name="outflank-ray", daemon=True)
        self.ray = require_ray()
        if _connection is not None or self.ray.is_initialized():
            raise OutflankError("this process is in a cluster already")
        self.directory = directory
        """Directory that is removed when the connection closes. The Ray processes that run in it are killed."""
        self.is_own = False
        """Whether the whole cluster was started for this connection, and ends with it."""
        self.member: Member | None = None
        """The raylet (Ray's process on each machine) that was started for this connection."""
        self.ready, self.leaving = threading.Event(), threading.Event()
        self.error: BaseException | None = None
        self.alive = True
        self.given_up = False
        """Whether this thread must clean up when it ends, because no caller waits for it any more."""
        self._finished = False
        self._handover_lock = threading.Lock()
        self._options: dict[str, object] = {}
        self._original_attributes = patch_ray(self.ray)
        environment = {**settings(token_file), **tls_settings(tls), **DRIVER}
        self._original_environment = {name: os.environ.get(name, "") for name in environment}
        self._set_environment(environment)

    def open(self, **options: object) -> None:
        """Connect to the cluster; `options` are arguments of `ray.init`."""
        self._options = options
        self.start()
        deadline = time.monotonic() + START_SECONDS
        while not self.ready.wait(0.2):  # in short steps, so that Ctrl-C is handled on every system
            if time.monotonic() > deadline:
                raise OutflankError(f"Ray did not start within {START_SECONDS:.0f} s")
        if self.error is not None:
            raise OutflankError(f"Ray did not start: {str(self.error).strip().partition(chr(10))[0]}")

    def run(self) -> None:
        try:
            self.ray.init(log_to_driver=False, logging_level="critical", **self._options)
        except BaseException as error:  # `open` raises it again
            self.error = error
        self.ready.set()
        if self.error is None and not self.given_up:
            self._watch()
        with suppress(Exception):
            self.ray.shutdown()
        with self._handover_lock:
            self._finished = True
        if self.given_up:
            self._clear()
            self._restore()

    def _watch(self) -> None:
        node = self.ray._private.worker.global_worker.node
        watched = (host_and_port(node.gcs_address), (node.node_ip_address, node.node_manager_port))
        children = [info.process for infos in node.all_processes.values() for info in infos]
        silent_checks = 0
        while not self.leaving.wait(0.5):
            listening = [_listens(*address) for address in watched]
            silent_checks = silent_checks + 1 if None in listening else 0
            self.alive = self.alive and False not in listening and silent_checks < 3
            for child in children:
                child.poll()  # reap a dead raylet: its workers would take the zombie for alive

    def close(self, *, at_once: bool = False) -> None:
        """Disconnect, end the connection's Ray processes, and remove its files. This takes about 1 s, at most 25 s.

        With `at_once` (after Ctrl-C), or before the connection is open, a guardian process does this later.
        """
        self.leaving.set()
        if not self.ready.is_set():
            self._leave_to_guardian()
            return
        # Ray's own shutdown waits forever for a silent head.
        patience = AT_ONCE_SECONDS if at_once else END_SECONDS if self.alive else END_SECONDS / 4
        if self.ident is not None:
            self.join(patience)
        if at_once:
            self._leave_to_guardian()
            return
        if self.member is not None:
            end(self.member, patience)
        self._clear()
        if self.is_alive():
            self.join(patience / 2)
        if self.is_alive():  # Ray would wait for this thread again at exit
            atexit.unregister(self.ray.shutdown)
            return
        self._restore()

    def _leave_to_guardian(self) -> None:
        if self.member is not None:
            forget(self.member)
        with self._handover_lock:
            self.given_up = self.is_alive() and not self._finished
        if self.directory is not None:
            self.directory.abandon(used=self.given_up)
        if self.given_up:  # the thread itself restores the changed settings at its end
            atexit.unregister(self.ray.shutdown)
            LastAtExit(self._leave_process)
        else:
            self._restore()

    def _leave_process(self, status: int) -> None:
        """End this process without the interpreter's shutdown, which fails while a thread is inside Ray."""
        if self.is_alive():
            os._exit(status)

    def _clear(self) -> None:
        if self.directory is not None:
            self.directory.clear()

    def _restore(self) -> None:
        for module, name, value in self._original_attributes:
            setattr(module, name, value)
        self._set_environment(self._original_environment)

    def _set_environment(self, environment: dict[str, str]) -> None:
        for name, value in environment.items():
            os.environ.pop(name, None)
            if value:
                os.environ[name] = value
        # Ray read the environment when it was imported, and must read it again.
        raylet = self.ray._raylet
        raylet.Config.initialize("")
        raylet.AuthenticationTokenLoader.instance().reset_cache()


def _listens(host: str, port: int) -> bool | None:
    """Return whether a server listens at `host`:`port`; None if unknown, for example after a timeout."""
    try:
        socket.create_connection((host, port), timeout=2.0).close()
    except ConnectionRefusedError:
        return False
    except OSError:
        return None
    return True


_connection: _Connection | None = None


def enter(address: Address, cores: int) -> None:
    """Connect to the cluster at `address`. On this machine, start one with `cores` cores if none is running."""
    if address.head is not None:
        attach(address.head)
    else:
        enter_local(cores)


def enter_local(cores: int) -> None:
    """Connect to the cluster that `outflank cluster up` started on this machine, or start one with `cores` cores."""
    require_ray()
    for member in members():
        if member.head and member.address.startswith(f"{LOOPBACK}:"):
            with suppress(OutflankError):  # the running cluster may have died
                attach(member.address, member.token_file)
                return
    notify("starting Ray (outflank cluster up keeps one running) …")
    start_local(cores)


def start_local(cores: int) -> None:
    """Start a Ray instance with `cores` cores for this process only. It ends with `detach` or with the process."""
    directory = OwnedDirectory()
    token_file, token = make_token(directory.path / "token")
    with _opening(_Connection(token_file, directory)) as connection:
        connection.is_own = True
        connection.open(
            address="local",
            num_cpus=cores,
            num_gpus=0,
            include_dashboard=False,
            object_store_memory=OBJECT_STORE_BYTES,
            _temp_dir=inner(directory.path),
            _node_ip_address=LOOPBACK,
        )
        require_protection(connection.ray._private.worker.global_worker.node.gcs_address, token, None)


def attach(address: str, token_file: str | Path | None = None) -> None:
    """Connect this process to the cluster with its head at `address`, which must require this user's token."""
    require_ray()
    path, token = read_token(token_file)
    address = "{}:{}".format(*host_and_port(address))
    tls = tls_files(address, path)
    require_protection(address, token, tls)
    notify(f"entering the cluster at {address} …")
    with _opening(_Connection(path, tls=tls)) as connection:
        # A client communicates with the cluster through a raylet on its own machine.
        local_ids = set(connection.ray._private.services.find_node_ids())
        directories = [
            node.directory
            for node in nodes_of(address, token, tls)
            if node.alive and node.identity in local_ids and os.access(node.directory, os.R_OK | os.W_OK | os.X_OK)
        ]
        if not directories:
            connection.directory = OwnedDirectory()
            connection.member = launch(address, path, token, cores=0, owned=connection.directory.path)
            directories = [inner(connection.directory.path)]
        connection.open(address=address, _temp_dir=directories[0])


@contextmanager
def _opening(connection: _Connection) -> Iterator[_Connection]:
    """Make `connection` the current connection of this process; disconnect if opening it in the block fails."""
    global _connection
    atexit.unregister(detach)
    atexit.register(detach)  # it runs before Ray's own handler, which was registered earlier
    _connection = connection
    try:
        yield connection
    except BaseException:
        detach()
        raise


def detach(*, at_once: bool = False) -> None:
    """Disconnect this process from its cluster, if any, and end the Ray processes that were started for it."""
    global _connection
    connection, _connection = _connection, None
    if connection is not None:
        connection.close(at_once=at_once)


def stays_up() -> bool:
    """Return whether the cluster outlives this process, because it was not started for this process."""
    return _connection is not None and not _connection.is_own


def head_alive() -> bool:
    """Return whether the head and the local raylet are alive.

    The death of a process is noticed after 0.5 s. A process that does not answer is noticed after some seconds.
    """
    return _connection is not None and _connection.alive
