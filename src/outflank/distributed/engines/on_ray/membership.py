"""Clusters of several machines: the parts that this user's commands started on this one."""

import os
import shutil
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from outflank.distributed.engines.on_ray import ray_start
from outflank.distributed.engines.on_ray.directories import clear_ownerless, private_directory
from outflank.distributed.engines.on_ray.head_client import (
    ClusterNode,
    host_and_port,
    nodes_of,
    reason,
    require_protection,
)
from outflank.distributed.engines.on_ray.processes import (
    END_SECONDS,
    end_processes,
    processes_in,
    psutil,
    runs,
    wait_for,
)
from outflank.distributed.engines.on_ray.ray_start import (
    LOOPBACK,
    PORT,
    START_SECONDS,
    inner,
    require_ray,
    settings,
    start_arguments,
)
from outflank.distributed.engines.on_ray.tokens import make_token, read_token, token_path
from outflank.documents import decoded, encoded
from outflank.errors import OutflankError, reason_of
from outflank.folders import state_folder
from outflank.formats.files import write_whole
from outflank.kinds import Misfit
from outflank.machine import usable_cores
from outflank.ownership import exposure, make_private


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A part of a cluster on this machine: the head or a joined node, with one process that keeps the others."""

    address: str
    """HOST:PORT of the head."""
    head: bool
    cores: int
    pid: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    started: float
    """When the process began: a number alone may belong to another one by now."""
    directory: str
    token_file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterStatus:
    """A cluster, as its head describes it."""

    address: str
    problem: str | None
    """Why the head says nothing; None where it answers."""
    nodes: tuple[ClusterNode, ...]


def up(
    host: str = LOOPBACK, port: int = PORT, cores: int | None = None, token_file: str | Path | None = None
) -> Member:
    """Start the head of a cluster on an address of this machine; makes the token where there is none."""
    require_ray()
    try:
        place = socket.gethostbyname(host)
        if place == "0.0.0.0" or (place.startswith("127.") and place != LOOPBACK):
            meant = host if host == place else f"{host} ({place})"
            raise OutflankError(f"{meant} reaches nobody: give 127.0.0.1, or an address of this machine")
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as Ray does
            probe.bind((place, port))
            port = probe.getsockname()[1]
    except (OSError, UnicodeError, OverflowError) as error:
        raise OutflankError(f"cannot listen at {host}:{port}: {reason(error)}") from None
    path, token = make_token(token_file)
    return launch(f"{place}:{port}", path, token, cores=_cores(cores), head=True)


def join(address: str, cores: int | None = None, token_file: str | Path | None = None) -> Member:
    """Lend this machine to the cluster whose head is at HOST:PORT."""
    require_ray()
    path, token = read_token(token_file)
    require_protection(address, token)
    host, port = host_and_port(address)
    return launch(f"{host}:{port}", path, token, cores=_cores(cores))


def status(address: str | None = None, token_file: str | Path | None = None) -> tuple[ClusterStatus, ...]:
    """The cluster at HOST:PORT, or every one that this machine has a part in."""
    require_ray()
    if address is None:
        tokens = {member.address: member.token_file for member in members()}
    else:
        tokens = {"{}:{}".format(*host_and_port(address)): str(token_path(token_file))}
    return tuple(_status_of(place, file) for place, file in tokens.items())


def down(address: str | None = None) -> tuple[Member, ...]:
    """End what this user started on this machine, all of it or for one cluster; returns what that was."""
    if address is not None:
        address = "{}:{}".format(*host_and_port(address))
    # Nodes before heads: a head that is gone is looked for by its nodes.
    ours = sorted((member for member in members() if address in (None, member.address)), key=lambda member: member.head)
    for member in ours:
        end(member)
    return tuple(ours)


def members() -> tuple[Member, ...]:
    """What runs here by this user's commands, what has died by itself included, unless it was cleared away since."""
    _require_ours()
    found = []
    for path in sorted(_state().glob("*.json")):
        with suppress(OSError, Misfit):  # one that is just being removed, or that we did not write
            member = decoded(Member, path.read_bytes())
            if os.path.lexists(member.directory) or _keeper(member) is not None:
                found.append(member)
            else:
                forget(member)
    return tuple(found)


def _keeper(member: Member) -> Any | None:
    """The process that keeps the others of a part, where it is still the same."""
    processes = psutil()
    with suppress(processes.NoSuchProcess):
        keeper = processes.Process(member.pid)
        if abs(keeper.create_time() - member.started) < 1.0:
            return keeper
    return None


def end(member: Member, seconds: float = END_SECONDS) -> None:
    """End the processes of one part, and only those; its directory and our note of it go as well."""
    processes = psutil()
    found: list[Any] = []
    keeper = _keeper(member)
    if keeper is not None:
        with suppress(processes.NoSuchProcess):
            found = [keeper, *keeper.children(recursive=True)]
            keeper.terminate()
            wait_for(found, seconds)
    end_processes([*found, *processes_in(Path(member.directory))])
    with suppress(ChildProcessError):  # ours to bury only if this process started it
        os.waitpid(member.pid, os.WNOHANG)
    shutil.rmtree(member.directory, ignore_errors=True)
    forget(member)


def forget(member: Member) -> None:
    """Remove our note of a part."""
    (_state() / f"{member.pid}.json").unlink(missing_ok=True)


def _status_of(address: str, token_file: str) -> ClusterStatus:
    try:
        _, token = read_token(token_file)
        require_protection(address, token)  # or we would tell a stranger our token
        return ClusterStatus(address=address, problem=None, nodes=nodes_of(address, token))
    except OutflankError as error:
        return ClusterStatus(address=address, problem=str(error), nodes=())


def launch(
    address: str, token_file: Path, token: str, *, cores: int, head: bool = False, owned: Path | None = None
) -> Member:
    """Start one node, and wait until its head knows it. With a directory that this process has `owned`, it ends with
    this process."""
    if sys.platform == "win32":
        raise OutflankError("Ray makes clusters of Linux and macOS machines only")
    if owned is None:
        clear_ownerless()
    directory = owned or private_directory()
    log = directory / "outflank.log"
    environment = {**os.environ, **settings(token_file)}
    parent = str(os.getpid() if owned is not None else 0)
    pid = os.posix_spawn(
        sys.executable,
        # -P: a folder that happens to be the current one must not lend its modules to a process with a token.
        [sys.executable, "-P", ray_start.__file__, parent, *start_arguments(address, cores, directory, head)],
        {name: value for name, value in environment.items() if value},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,  # a Ctrl-C in this terminal is not meant for it
    )
    member = Member(
        address=address,
        head=head,
        cores=cores,
        pid=pid,
        started=psutil().Process(pid).create_time(),
        directory=str(directory),
        token_file=str(token_file),
    )
    try:
        _write(member)
        _await_node(member, token, log)
        if head:
            require_protection(address, token)
    except BaseException as error:
        if isinstance(error, Exception):
            end(member)
        elif owned is None:
            end(member, 0.2)  # whoever interrupts does not want to wait
        else:
            forget(member)  # it goes with the directory
        raise
    return member


def _await_node(member: Member, token: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if not runs(psutil().Process(member.pid)):
            lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
            raise OutflankError(f"Ray did not start: {lines[-1].strip() if lines else 'it said nothing'}")
        with suppress(OutflankError):  # a head answers nobody at first
            known = {node.directory for node in nodes_of(member.address, token) if node.alive}
            if inner(member.directory) in known:
                return
        time.sleep(0.1)
    raise OutflankError(f"Ray did not start within {START_SECONDS:.0f} s")


def _cores(given: int | None) -> int:
    if given is not None and given < 1:
        raise OutflankError(f"{given} cores: a node lends 1 at least")
    return given or max(1, int(usable_cores()))


def _state() -> Path:
    return state_folder() / "cluster"


def _require_ours() -> None:
    """Refuse notes that others may write: what they name is ended and removed."""
    if problem := exposure(_state()):
        raise OutflankError(f"notes of clusters in {_state()} are not to be trusted: {problem}")


def _write(member: Member) -> None:
    path = _state() / f"{member.pid}.json"
    _require_ours()
    try:
        make_private(path.parent)
        write_whole(path, encoded(member))
    except OSError as error:
        raise OutflankError(f"cannot note in {path} what was started: {reason_of(error)}") from None
