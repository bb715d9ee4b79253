"""Queries to the head of a Ray cluster without Ray's own clients.

Ray's clients wait for minutes if nothing answers, and then end the process. They cannot send a request without a token.
"""

import os
import secrets
import socket
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any, cast

from outflank.distributed.engines.on_ray.certificates import TlsFiles
from outflank.distributed.engines.on_ray.ray_start import LOOPBACK, require_ray
from outflank.errors import OutflankError, reason_of
from outflank.installation import install_command
from outflank.validation.text import is_count

ANSWER_SECONDS = 5.0
"""Timeout for a head to answer one request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterNode:
    """A machine of a Ray cluster."""

    host: str
    cores: int
    alive: bool
    head: bool
    """Whether the machine is the head of the cluster."""
    identity: str = field(repr=False)
    """Ray's node id of the machine."""
    directory: str = field(repr=False)
    """Directory of Ray's sockets and logs on the machine."""


UNAUTHENTICATED = 16
CHECK_ALIVE = "/ray.rpc.NodeInfoGcsService/CheckAlive"
GET_NODES = "/ray.rpc.NodeInfoGcsService/GetAllNodeInfo"

OPTIONS = (
    ("grpc.enable_http_proxy", 0),  # a proxy must not receive the token
    ("grpc.use_local_subchannel_pool", 1),  # a new connection for each request, because the server may have changed
)


def ask(host: str, port: int, method: str, tls: TlsFiles | None = None, **headers: str) -> tuple[int, bytes]:
    """Send an empty gRPC request; return the status and the reply. Raise OSError if no gRPC server answers."""
    with _channel(f"{host}:{port}", tls) as channel:
        grpc = _require_grpc()
        try:
            return 0, channel.unary_unary(method)(b"", timeout=ANSWER_SECONDS, metadata=tuple(headers.items()))
        except grpc.RpcError as error:
            code, details = error.code(), error.details() or ""
    if code == grpc.StatusCode.DEADLINE_EXCEEDED:
        raise TimeoutError
    if code == grpc.StatusCode.UNAVAILABLE:
        _, unreachable, why = details.rpartition("Failed to connect to remote host: ")
        use = "without TLS, for which its authority would have to be here" if tls is None else "with this authority"
        raise OSError(why if unreachable else "no gRPC" if host == LOOPBACK else f"no gRPC {use}")
    return int(code.value[0]), b""


def _channel(target: str, tls: TlsFiles | None) -> AbstractContextManager[Any]:
    """Return a gRPC channel. With `tls` both sides show certificates that the same authority has signed."""
    grpc = _require_grpc()
    if tls is None:
        return cast(AbstractContextManager[Any], grpc.insecure_channel(target, OPTIONS))
    try:
        texts = [file.read_bytes() for file in (tls.authority, tls.key, tls.certificate)]
    except OSError as error:
        raise OutflankError(f"cannot read the certificates of the cluster: {reason_of(error)}") from None
    credentials = grpc.ssl_channel_credentials(*texts)
    return cast(AbstractContextManager[Any], grpc.secure_channel(target, credentials, OPTIONS))


def _require_grpc() -> ModuleType:
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # otherwise it logs each failed handshake to standard error
    try:
        return import_module("grpc")
    except ImportError:
        raise OutflankError(f"gRPC is not installed: {install_command('ray')}") from None


def nodes_of(address: str, token: str, tls: TlsFiles | None) -> tuple[ClusterNode, ...]:
    """Return the machines of the cluster with its head at `address`, including machines that have left."""
    host, port = host_and_port(address)
    try:
        status, reply = ask(host, port, GET_NODES, tls, authorization=f"Bearer {token}")
    except OSError as error:
        raise OutflankError(f"no cluster answers at {address}: {reason(error)}") from None
    if status != 0:
        raise OutflankError(f"the cluster at {address} does not accept this token")
    require_ray()
    protocol = import_module("ray.core.generated.gcs_service_pb2")
    nodes = protocol.GetAllNodeInfoReply.FromString(reply).node_info_list
    return tuple(
        ClusterNode(
            host=node.node_manager_address,
            cores=int(node.resources_total.get("CPU", 0)),
            alive=node.state == 0,
            head=node.is_head_node,
            identity=node.node_id.hex(),
            directory=node.temp_dir,
        )
        for node in nodes
    )


def require_protection(address: str, token: str, tls: TlsFiles | None) -> None:
    """Raise OutflankError unless the head at `address` accepts our token and rejects requests without it."""
    host, port = host_and_port(address)
    try:
        # First ask without our token, because a head that accepts everyone must not see it.
        status_without, _ = ask(host, port, CHECK_ALIVE, tls)
        status_wrong, _ = ask(host, port, CHECK_ALIVE, tls, authorization=f"Bearer {secrets.token_hex(32)}")
        if status_without != UNAUTHENTICATED or status_wrong != UNAUTHENTICATED:
            raise OutflankError(
                f"{address} lets everybody in: start it by `outflank cluster up`, or with RAY_AUTH_MODE=token"
            )
        status_ours, _ = ask(host, port, CHECK_ALIVE, tls, authorization=f"Bearer {token}")
    except OSError as error:
        raise OutflankError(f"no cluster answers at {address}: {reason(error)}") from None
    if status_ours != 0:
        raise OutflankError(f"the cluster at {address} does not accept this token")


def host_and_port(address: str) -> tuple[str, int]:
    """Return the numeric IP address and the port of `address`, which is HOST:PORT."""
    host, _, port = address.rpartition(":")
    if not host or not host.isprintable() or not is_count(port) or not 0 < int(port) < 65536:
        raise OutflankError(f"{address!r} is no address: expected HOST:PORT")
    try:
        return socket.gethostbyname(host), int(port)
    except (OSError, ValueError):  # ValueError for characters that are invalid in host names
        raise OutflankError(f"there is no machine {host!r}") from None


def reason(error: Exception) -> str:
    """Return a short text that says why a connection failed."""
    if isinstance(error, TimeoutError):
        return "it does not answer in time"
    return reason_of(error) if isinstance(error, OSError) else str(error)
