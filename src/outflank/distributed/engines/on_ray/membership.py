"""Starting, listing and ending Ray on this machine as a member (head or further node) of clusters."""

import os
import shutil
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated

from msgspec import Meta

from outflank.distributed.engines.on_ray import ray_start
from outflank.distributed.engines.on_ray.certificates import (
    TlsFiles,
    authority_path,
    make_authority,
    tls_files,
    tls_settings,
)
from outflank.distributed.engines.on_ray.head_client import (
    ClusterNode,
    host_and_port,
    nodes_of,
    reason,
    require_protection,
)
from outflank.distributed.engines.on_ray.ray_directories import clear_ownerless, private_directory
from outflank.distributed.engines.on_ray.ray_start import (
    END_SECONDS,
    LOOPBACK,
    PORT,
    START_SECONDS,
    Process,
    end_processes,
    inner,
    is_running,
    processes_in,
    psutil,
    require_ray,
    settings,
    start_arguments,
    wait_for,
)
from outflank.distributed.engines.on_ray.tokens import make_token, read_token, token_path
from outflank.errors import OutflankError, reason_of
from outflank.folders import state_folder
from outflank.formats.files import write_whole
from outflank.logs import logger
from outflank.machine import usable_cores
from outflank.ownership import exposure, make_private
from outflank.validation.documents import decoded, encoded
from outflank.validation.values import Misfit

log = logger(__name__)

MOST_REPLACED = 20
"""Greatest number of dead actors that are replaced in each of the `places`."""


def places(ray: ModuleType, local_nodes: int | None) -> dict[str, float]:
    """Return the places in which nodes are started, one node in each, as a map from name to number of cores.

    The places are the live machines of the cluster that have cores. If `local_nodes` is given, they are `local_nodes`
    places on this machine instead, with 0 cores each.
    """
    if local_nodes is not None:
        return {f"here-{index}": 0.0 for index in range(local_nodes)}
    return {
        node["NodeID"]: node["Resources"]["CPU"]
        for node in ray.nodes()
        if node["Alive"] and node["Resources"].get("CPU", 0) > 0
    }


def options_at(place: str, cores: float, local_nodes: int | None) -> dict[str, object]:
    """Return Ray's options for starting an actor with `cores` cores in `place`, a key of `places`."""
    if local_nodes is not None:
        return {"num_cpus": 0}
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return {"num_cpus": cores, "scheduling_strategy": NodeAffinitySchedulingStrategy(place, soft=False)}


def loss_reason(error: BaseException) -> str:
    """Return a short reason for an error of Ray, by its type. Ray's own explanations fill a screen."""
    reasons = {
        "ActorDiedError": "its process died",
        "ActorUnavailableError": "it cannot be reached",
        "ActorUnschedulableError": "its machine has left the cluster",
    }
    return reasons.get(type(error).__name__, type(error).__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """Ray on this machine as the head or a joined node of a cluster. One of its processes supervises the others."""

    address: str
    """HOST:PORT of the cluster's head."""
    head: bool
    cores: int
    pid: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    started: float
    """Start time of the supervising process, which distinguishes it from a later process with the same id."""
    directory: str
    token_file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterStatus:
    """The machines of a Ray cluster, as its head reports them."""

    address: str
    problem: str | None
    """Why the head does not answer; None if it does."""
    nodes: tuple[ClusterNode, ...]


def up(
    host: str = LOOPBACK,
    port: int = PORT,
    cores: int | None = None,
    token_file: str | Path | None = None,
    *,
    tls: bool = False,
) -> Member:
    """Start the head of a cluster on this machine, at `host`:`port`. Create the token file if it does not exist, and
    with `tls` the authority."""
    require_ray()
    try:
        host_address = socket.gethostbyname(host)
        if host_address == "0.0.0.0" or (host_address.startswith("127.") and host_address != LOOPBACK):
            shown_address = host if host == host_address else f"{host} ({host_address})"
            raise OutflankError(f"{shown_address} reaches nobody: give 127.0.0.1, or an address of this machine")
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as Ray does
            probe.bind((host_address, port))
            port = probe.getsockname()[1]
    except (OSError, UnicodeError, OverflowError) as error:
        raise OutflankError(f"cannot listen at {host}:{port}: {reason(error)}") from None
    if tls and host_address == LOOPBACK:
        raise OutflankError("nothing is encrypted within one machine: give --host for a cluster of several")
    path, token = make_token(token_file)
    if tls:
        make_authority(path)
    return launch(f"{host_address}:{port}", path, token, cores=_cores(cores), head=True)


def join(address: str, cores: int | None = None, token_file: str | Path | None = None) -> Member:
    """Add this machine to the cluster with its head at `address`, which is HOST:PORT."""
    require_ray()
    path, token = read_token(token_file)
    host, port = host_and_port(address)
    require_protection(address, token, tls_files(host, path))
    return launch(f"{host}:{port}", path, token, cores=_cores(cores))


def authority_of(member: Member) -> Path | None:
    """Return the file of the authority whose certificates a member uses; None if it does not use TLS."""
    path = authority_path(Path(member.token_file))
    return None if tls_files(member.address, Path(member.token_file)) is None else path


def status(address: str | None = None, token_file: str | Path | None = None) -> tuple[ClusterStatus, ...]:
    """Return the status of the cluster with its head at `address`, or of every cluster that this machine belongs to."""
    require_ray()
    if address is None:
        tokens = {member.address: member.token_file for member in members()}
    else:
        tokens = {"{}:{}".format(*host_and_port(address)): str(token_path(token_file))}
    return tuple(_status_of(cluster_address, file) for cluster_address, file in tokens.items())


def down(address: str | None = None) -> tuple[Member, ...]:
    """End the members that this user started on this machine, and return them. With `address`, end only members of the
    cluster with its head there."""
    if address is not None:
        address = "{}:{}".format(*host_and_port(address))
    # Nodes end before heads, because the nodes of a dead head try to reach it.
    ended = sorted(
        (member for member in members() if address in (None, member.address)), key=lambda member: member.head
    )
    for member in ended:
        end(member)
    return tuple(ended)


def members() -> tuple[Member, ...]:
    """Return the cluster members that this user started on this machine, and remove the records of ended members."""
    _require_own_records()
    running = []
    for path in sorted(_state().glob("*.json")):
        with suppress(OSError, Misfit):  # the record is just being removed, or was not written by outflank
            member = decoded(Member, path.read_bytes())
            if os.path.lexists(member.directory) or _supervisor(member) is not None:
                running.append(member)
            else:
                forget(member)
    return tuple(running)


def _supervisor(member: Member) -> Process | None:
    """Return the supervising process of a member; None if it has ended, even if another process has its id now."""
    psutil_module = psutil()
    with suppress(psutil_module.NoSuchProcess):
        process = psutil_module.Process(member.pid)
        if abs(process.create_time() - member.started) < 1.0:
            return process
    return None


def end(member: Member, seconds: float = END_SECONDS) -> None:
    """End the Ray processes of one cluster member on this machine, and remove its directory and its record."""
    log.info("this machine leaves the cluster at %s", member.address)
    psutil_module = psutil()
    running: list[Process] = []
    supervisor = _supervisor(member)
    if supervisor is not None:
        with suppress(psutil_module.NoSuchProcess):
            running = [supervisor, *supervisor.children(recursive=True)]
            supervisor.terminate()
            wait_for(running, seconds)
    end_processes([*running, *processes_in(Path(member.directory))])
    with suppress(ChildProcessError):  # only the process that started the member can reap it
        os.waitpid(member.pid, os.WNOHANG)
    shutil.rmtree(member.directory, ignore_errors=True)
    forget(member)


def forget(member: Member) -> None:
    """Remove the file that records a member."""
    (_state() / f"{member.pid}.json").unlink(missing_ok=True)


def _status_of(address: str, token_file: str) -> ClusterStatus:
    try:
        path, token = read_token(token_file)
        tls = tls_files(address, path)
        require_protection(address, token, tls)  # before the token is sent
        return ClusterStatus(address=address, problem=None, nodes=nodes_of(address, token, tls))
    except OutflankError as error:
        return ClusterStatus(address=address, problem=str(error), nodes=())


def launch(
    address: str, token_file: Path, token: str, *, cores: int, head: bool = False, owned: Path | None = None
) -> Member:
    """Start Ray as a member of the cluster at `address`, and wait until the head has registered the member. With
    `owned`, the path of an `OwnedDirectory` of this process, the member ends with this process."""
    if sys.platform == "win32":
        raise OutflankError("Ray makes clusters of Linux and macOS machines only")
    if owned is None:
        clear_ownerless()
    directory = owned or private_directory()
    log_file = directory / "outflank.log"
    tls = tls_files(address, token_file)
    environment = {**os.environ, **settings(token_file), **tls_settings(tls)}
    parent = str(os.getpid() if owned is not None else 0)
    pid = os.posix_spawn(
        sys.executable,
        # -P: a process that has a token must not import modules from the current folder.
        [sys.executable, "-P", ray_start.__file__, parent, *start_arguments(address, cores, directory, head)],
        {name: value for name, value in environment.items() if value},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log_file), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,  # so that it does not receive the terminal's Ctrl-C
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
        _write_record(member)
        _await_node(member, token, tls, log_file)
        if head:
            require_protection(address, token, tls)
    except BaseException as error:
        if isinstance(error, Exception):
            end(member)
        elif owned is None:
            end(member, 0.2)  # a user who interrupts does not want to wait
        else:
            forget(member)  # the guardian process ends the member
        raise
    log.info("this machine is in the cluster at %s, with %d cores", address, cores)
    return member


def _await_node(member: Member, token: str, tls: TlsFiles | None, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if not is_running(psutil().Process(member.pid)):
            lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
            raise OutflankError(f"Ray did not start: {lines[-1].strip() if lines else 'it said nothing'}")
        with suppress(OutflankError):  # a new head does not answer at once
            directories = {node.directory for node in nodes_of(member.address, token, tls) if node.alive}
            if inner(member.directory) in directories:
                return
        time.sleep(0.1)
    raise OutflankError(f"Ray did not start within {START_SECONDS:.0f} s")


def _cores(cores: int | None) -> int:
    if cores is not None and cores < 1:
        raise OutflankError(f"{cores} cores: a node lends 1 at least")
    return cores or max(1, int(usable_cores()))


def _state() -> Path:
    return state_folder() / "cluster"


def _require_own_records() -> None:
    """Raise OutflankError if other users can write the records of members, which name processes to kill."""
    if problem := exposure(_state()):
        raise OutflankError(f"notes of clusters in {_state()} are not to be trusted: {problem}")


def _write_record(member: Member) -> None:
    path = _state() / f"{member.pid}.json"
    _require_own_records()
    try:
        make_private(path.parent)
        write_whole(path, encoded(member))
    except OSError as error:
        raise OutflankError(f"cannot note in {path} what was started: {reason_of(error)}") from None
