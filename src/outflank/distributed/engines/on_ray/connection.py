"""This process in a cluster."""

import atexit
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from outflank.distributed.engines.contract import Address
from outflank.distributed.engines.on_ray.directories import OwnedDirectory
from outflank.distributed.engines.on_ray.head_client import host_and_port, nodes_of, require_protection
from outflank.distributed.engines.on_ray.membership import Member, end, forget, launch, members
from outflank.distributed.engines.on_ray.processes import END_SECONDS
from outflank.distributed.engines.on_ray.ray_start import (
    DRIVER,
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
from outflank.errors import OutflankError
from outflank.notices import tell

AT_ONCE_SECONDS = 0.5
"""What Ray gets for disconnecting when the user has interrupted; it takes 0.1 to 0.3 s."""


class _Connection(threading.Thread):
    """The life of a connection, on a thread of its own.

    Linux ends Ray's processes together with the thread that started them, so that must be one which outlives every
    caller. It also watches the head, for Ray says nothing of its death, and leaves while the caller's patience lasts.
    """

    def __init__(self, token_file: Path, directory: OwnedDirectory | None = None) -> None:
        super().__init__(name="outflank-ray", daemon=True)
        self.ray = require_ray()
        if _connection is not None or self.ray.is_initialized():
            raise OutflankError("this process is in a cluster already")
        self.directory = directory
        """What is removed at the end, with the processes that live in it."""
        self.member: Member | None = None
        """The raylet that was started for this connection."""
        self.ready, self.leaving = threading.Event(), threading.Event()
        self.error: BaseException | None = None
        self.alive = True
        self.given_up = False
        """Whether nobody waits for it any more: what it started goes when it does."""
        self._through = False
        self._handing_over = threading.Lock()
        self._options: dict[str, Any] = {}
        self._changed = patch_ray(self.ray)
        wanted = {**settings(token_file), **DRIVER}
        self._before = {name: os.environ.get(name, "") for name in wanted}
        self._set(wanted)

    def open(self, **options: Any) -> None:
        """Connect, with these arguments of `ray.init`."""
        self._options = options
        self.start()
        deadline = time.monotonic() + START_SECONDS
        while not self.ready.wait(0.2):  # in short steps, so that Ctrl-C is seen on every system
            if time.monotonic() > deadline:
                raise OutflankError(f"Ray did not start within {START_SECONDS:.0f} s")
        if self.error is not None:
            raise OutflankError(f"Ray did not start: {str(self.error).strip().partition(chr(10))[0]}")

    def run(self) -> None:
        """Connect, watch, disconnect."""
        try:
            self.ray.init(log_to_driver=False, logging_level="critical", **self._options)
        except BaseException as error:  # whatever it is, it belongs to the caller
            self.error = error
        self.ready.set()
        if self.error is None and not self.given_up:
            self._watch()
        with suppress(Exception):
            self.ray.shutdown()
        with self._handing_over:
            self._through = True
        if self.given_up:
            self._clear()
            self._restore()

    def _watch(self) -> None:
        node = self.ray._private.worker.global_worker.node
        watched = (host_and_port(node.gcs_address), (node.node_ip_address, node.node_manager_port))
        children = [info.process for infos in node.all_processes.values() for info in infos]
        silent = 0
        while not self.leaving.wait(0.5):
            found = [_listens(*place) for place in watched]
            silent = silent + 1 if None in found else 0
            self.alive = self.alive and False not in found and silent < 3
            for child in children:
                child.poll()  # a raylet that nobody buried is alive to its workers, and they go on

    def close(self, *, at_once: bool = False) -> None:
        """Disconnect, end what was started for it, and leave no trace. Takes 25 s at most, 1 s as a rule.

        Whoever interrupts does not want to wait: `at_once`, and where there is no connection yet, the guardian of the
        directory clears it.
        """
        self.leaving.set()
        if not self.ready.is_set():
            self._leave_to_guardian()
            return
        # Ray waits for a head that has gone silent as long as it is let.
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
        if self.is_alive():  # or it would be waited for once more when the interpreter ends
            atexit.unregister(self.ray.shutdown)
            return
        self._restore()

    def _leave_to_guardian(self) -> None:
        if self.member is not None:
            forget(self.member)
        with self._handing_over:
            self.given_up = self.is_alive() and not self._through
        if self.directory is not None:
            self.directory.abandon(used=self.given_up)
        if self.given_up:  # the thread restores what was changed when it comes to its end
            atexit.unregister(self.ray.shutdown)
            LastAtExit(self._leave_process)
        else:
            self._restore()

    def _leave_process(self, status: int) -> None:
        """End this process without the interpreter's help: it cannot take itself apart beside a thread in Ray."""
        if self.is_alive():
            os._exit(status)

    def _clear(self) -> None:
        if self.directory is not None:
            self.directory.clear()

    def _restore(self) -> None:
        for module, name, value in self._changed:
            setattr(module, name, value)
        self._set(self._before)

    def _set(self, wanted: dict[str, str]) -> None:
        for name, value in wanted.items():
            os.environ.pop(name, None)
            if value:
                os.environ[name] = value
        # Ray has read its environment when it was imported.
        inside = self.ray._raylet
        inside.Config.initialize("")
        inside.AuthenticationTokenLoader.instance().reset_cache()


def _listens(host: str, port: int) -> bool | None:
    """Whether something listens there; None where nothing says so or otherwise."""
    try:
        socket.create_connection((host, port), timeout=2.0).close()
    except ConnectionRefusedError:
        return False
    except OSError:
        return None
    return True


_connection: _Connection | None = None


def enter(address: Address, cores: int) -> None:
    """Enter the cluster that an address names; on this machine, one with so many cores is started where none is up."""
    if address.head is not None:
        attach(address.head)
    else:
        enter_local(cores)


def enter_local(cores: int) -> None:
    """Enter the cluster that `outflank cluster up` keeps for this machine alone, or start one with so many cores."""
    require_ray()
    for member in members():
        if member.head and member.address.startswith(f"{LOOPBACK}:"):
            with suppress(OutflankError):  # it may have died by itself
                attach(member.address, member.token_file)
                return
    tell("starting Ray (outflank cluster up keeps one running) …")
    start_local(cores)


def start_local(cores: int) -> None:
    """Start a Ray instance of `cores` for this process alone; it ends with `detach` or with the process."""
    directory = OwnedDirectory()
    token_file, token = make_token(directory.path / "token")
    with _opening(_Connection(token_file, directory)) as connection:
        connection.open(
            address="local",
            num_cpus=cores,
            num_gpus=0,
            include_dashboard=False,
            object_store_memory=OBJECT_STORE_BYTES,
            _temp_dir=inner(directory.path),
            _node_ip_address=LOOPBACK,
        )
        require_protection(connection.ray._private.worker.global_worker.node.gcs_address, token)


def attach(address: str, token_file: str | Path | None = None) -> None:
    """Connect this process to the cluster whose head is at HOST:PORT, if that asks for the token this user has."""
    require_ray()
    path, token = read_token(token_file)
    require_protection(address, token)
    address = "{}:{}".format(*host_and_port(address))
    tell(f"entering the cluster at {address} …")
    with _opening(_Connection(path)) as connection:
        # A driver talks to the cluster through a raylet on its own machine.
        near = set(connection.ray._private.services.find_node_ids())
        reachable = [
            node.directory
            for node in nodes_of(address, token)
            if node.alive and node.identity in near and os.access(node.directory, os.R_OK | os.W_OK | os.X_OK)
        ]
        if not reachable:
            connection.directory = OwnedDirectory()
            connection.member = launch(address, path, token, cores=0, owned=connection.directory.path)
            reachable = [inner(connection.directory.path)]
        connection.open(address=address, _temp_dir=reachable[0])


@contextmanager
def _opening(connection: _Connection) -> Iterator[_Connection]:
    """Make it this process's connection, unless that fails."""
    global _connection
    atexit.unregister(detach)
    atexit.register(detach)  # runs before Ray's own, which was registered earlier
    _connection = connection
    try:
        yield connection
    except BaseException:
        detach()
        raise


def detach(*, at_once: bool = False) -> None:
    """Leave the cluster, and end what was started for being in it; nothing where there is none."""
    global _connection
    connection, _connection = _connection, None
    if connection is not None:
        connection.close(at_once=at_once)


def head_alive() -> bool:
    """Whether the head and this machine's raylet were there half a second ago (some seconds, if one went silent)."""
    return _connection is not None and _connection.alive
