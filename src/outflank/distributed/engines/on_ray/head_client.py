"""What a head says of its cluster, asked without Ray's own clients.

Those wait for minutes and end the process where nothing answers, and they cannot leave the token out.
"""

import secrets
import socket
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from outflank.distributed.engines.on_ray.ray_start import require_ray
from outflank.errors import OutflankError, reason_of
from outflank.words import is_count

ANSWER_SECONDS = 5.0
"""How long a head may take to answer one question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterNode:
    """A machine in a cluster."""

    host: str
    cores: int
    alive: bool
    head: bool
    """Whether it is the one that the others joined."""
    identity: str = field(repr=False)
    """Ray's name of it."""
    directory: str = field(repr=False)
    """Where it keeps its sockets and logs."""


UNAUTHENTICATED = 16
CHECK_ALIVE = "/ray.rpc.NodeInfoGcsService/CheckAlive"
GET_NODES = "/ray.rpc.NodeInfoGcsService/GetAllNodeInfo"

OPTIONS = (
    ("grpc.enable_http_proxy", 0),  # a token is told to nobody but the head
    ("grpc.use_local_subchannel_pool", 1),  # a connection for each question: what answered the last one may be gone
)


def ask(host: str, port: int, method: str, **headers: str) -> tuple[int, bytes]:
    """The gRPC status and the reply to an empty request; OSError where nothing that speaks gRPC answers."""
    grpc = _require_grpc()
    with grpc.insecure_channel(f"{host}:{port}", OPTIONS) as channel:
        try:
            return 0, channel.unary_unary(method)(b"", timeout=ANSWER_SECONDS, metadata=tuple(headers.items()))
        except grpc.RpcError as error:
            code, details = error.code(), error.details() or ""
    if code == grpc.StatusCode.DEADLINE_EXCEEDED:
        raise TimeoutError
    if code == grpc.StatusCode.UNAVAILABLE:
        _, unreachable, why = details.rpartition("Failed to connect to remote host: ")
        raise OSError(why if unreachable else "no gRPC")
    return int(code.value[0]), b""


def _require_grpc() -> Any:
    try:
        return import_module("grpc")
    except ImportError:
        raise OutflankError("gRPC is not installed: pip install 'outflank[ray]'") from None


def nodes_of(address: str, token: str) -> tuple[ClusterNode, ...]:
    """The machines of a cluster, those that have left included."""
    host, port = host_and_port(address)
    try:
        status, reply = ask(host, port, GET_NODES, authorization=f"Bearer {token}")
    except OSError as error:
        raise OutflankError(f"no cluster answers at {address}: {reason(error)}") from None
    if status != 0:
        raise OutflankError(f"the cluster at {address} does not accept this token")
    require_ray()
    protocol = import_module("ray.core.generated.gcs_service_pb2")
    found = protocol.GetAllNodeInfoReply.FromString(reply).node_info_list
    return tuple(
        ClusterNode(
            host=node.node_manager_address,
            cores=int(node.resources_total.get("CPU", 0)),
            alive=node.state == 0,
            head=node.is_head_node,
            identity=node.node_id.hex(),
            directory=node.temp_dir,
        )
        for node in found
    )


def require_protection(address: str, token: str) -> None:
    """An error unless a head answers at the address, refuses whoever has no token, and accepts ours."""
    host, port = host_and_port(address)
    try:
        # Without ours first: a head that lets everybody in must not see it.
        without, _ = ask(host, port, CHECK_ALIVE)
        wrong, _ = ask(host, port, CHECK_ALIVE, authorization=f"Bearer {secrets.token_hex(32)}")
        if without != UNAUTHENTICATED or wrong != UNAUTHENTICATED:
            raise OutflankError(
                f"{address} lets everybody in: start it by `outflank cluster up`, or with RAY_AUTH_MODE=token"
            )
        with_ours, _ = ask(host, port, CHECK_ALIVE, authorization=f"Bearer {token}")
    except OSError as error:
        raise OutflankError(f"no cluster answers at {address}: {reason(error)}") from None
    if with_ours != 0:
        raise OutflankError(f"the cluster at {address} does not accept this token")


def host_and_port(address: str) -> tuple[str, int]:
    """The parts of HOST:PORT, the host as a number."""
    host, _, port = address.rpartition(":")
    if not host or not host.isprintable() or not is_count(port) or not 0 < int(port) < 65536:
        raise OutflankError(f"{address!r} is no address: expected HOST:PORT")
    try:
        return socket.gethostbyname(host), int(port)
    except (OSError, ValueError):  # also of letters that no name has
        raise OutflankError(f"there is no machine {host!r}") from None


def reason(error: Exception) -> str:
    """What went wrong, in a few words."""
    if isinstance(error, TimeoutError):
        return "it does not answer in time"
    return reason_of(error) if isinstance(error, OSError) else str(error)
