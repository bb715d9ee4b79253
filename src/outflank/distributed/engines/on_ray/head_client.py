"""What a head says of its cluster, asked without Ray's own clients.

Those wait for minutes and end the process where nothing answers, and they cannot leave the token out.
"""

import secrets
import socket
import struct
import time
from dataclasses import dataclass, field
from importlib import import_module

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


def ask(host: str, port: int, method: str, **headers: str) -> tuple[int, bytes]:
    """The gRPC status and the reply to an empty request; OSError where nothing that speaks gRPC answers."""
    # By hand, for Ray comes without grpcio. Enough HTTP/2 for one call: the preface, our window (1 MiB, for the stream
    # and the connection), one HEADERS and one DATA frame.
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": method,
        ":authority": f"{host}:{port}",
        "content-type": "application/grpc",
        "te": "trailers",
        **headers,
    }
    window = 1 << 20
    request = b"".join(
        (
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            _frame(4, 0, 0, struct.pack(">HI", 4, window)),
            _frame(8, 0, 0, struct.pack(">I", window)),
            _frame(1, 4, 1, b"".join(b"\0" + _literal(name) + _literal(value) for name, value in fields.items())),
            _frame(0, 1, 1, bytes(5)),
        )
    )
    deadline = time.monotonic() + ANSWER_SECONDS
    with socket.create_connection((host, port), timeout=ANSWER_SECONDS) as peer:
        peer.sendall(request)
        received, heads, reply = b"", b"", b""
        while True:
            while len(received) < 9 or len(received) < 9 + int.from_bytes(received[:3], "big"):
                peer.settimeout(max(0.001, deadline - time.monotonic()))
                more = peer.recv(1 << 16)
                if not more or len(received) > window:
                    raise OSError("no gRPC")
                received += more
            size, kind, flags = int.from_bytes(received[:3], "big"), received[3], received[4]
            body, received = received[9 : 9 + size], received[9 + size :]
            if kind == 4 and not flags & 1:
                peer.sendall(_frame(4, 1, 0))
            elif kind == 0:
                reply += body
            elif kind == 1:
                heads += body
            elif kind in (3, 7):  # the stream or the connection was broken off
                raise OSError("no gRPC")
            if kind in (0, 1) and flags & 1:
                return _status(heads), reply[5:]


def _frame(kind: int, flags: int, stream: int, body: bytes = b"") -> bytes:
    return struct.pack(">I", len(body))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + body


def _literal(text: str) -> bytes:
    data = text.encode("ascii")
    if len(data) < 127:
        return bytes((len(data),)) + data
    return bytes((127, (len(data) - 127) % 128 | 128, (len(data) - 127) // 128)) + data


def _status(heads: bytes) -> int:
    # The first status on a connection is always spelt out, and gRPC's servers do not compress it.
    _, found, rest = heads.partition(b"\x0bgrpc-status")
    value = rest[1 : 1 + rest[0]] if found and rest else b""
    if not value.isdigit():
        raise OSError("no gRPC")
    return int(value)


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
