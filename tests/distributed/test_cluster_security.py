"""Who may talk to a cluster of ours, and what is left of it afterwards."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

import pytest

from outflank.distributed.engines.on_ray import head_client, membership, ray_connection
from outflank.distributed.engines.on_ray.membership import end
from outflank.distributed.engines.on_ray.ray_start import processes_in
from outflank.distributed.engines.on_ray.tokens import make_token, read_token, token_path
from outflank.errors import OutflankError
from outflank.ui.cli import main

pytestmark = [
    pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray"),  # not by importing it: that takes long
    pytest.mark.interpreted_only,  # Ray knows nothing of kernels
    pytest.mark.skipif(sys.platform != "linux", reason="reads open ports from /proc"),
]

PATIENCE = 60.0
"""Seconds after which what should happen at once has not happened."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A user of the test's own; whatever it started is ended."""
    for name in [name for name in os.environ if name.startswith(("RAY_", "OUTFLANK_CLUSTER"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield tmp_path
    ray_connection.detach()
    membership.down()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["cluster", *arguments])
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return call


def eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def segments() -> set[str]:
    return {name for name in os.listdir("/dev/shm") if "plasma" in name}


# --- ports ---


def listening(pids: list[int]) -> dict[tuple[str, int], int]:
    """The TCP ports that processes listen on, by address and port."""
    owners = {}
    for pid in pids:
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            with suppress(FileNotFoundError):  # closed meanwhile
                if found := re.fullmatch(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{descriptor}")):
                    owners[found[1]] = pid
    ports = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in owners:
                host, port = words[1].split(":")
                # Four bytes at a time, in the machine's order.
                data = b"".join(bytes.fromhex(host[at : at + 8])[::-1] for at in range(0, len(host), 8))
                family = socket.AF_INET if len(data) == 4 else socket.AF_INET6
                ports[socket.inet_ntop(family, data), int(port, 16)] = owners[words[9]]
    return ports


@pytest.fixture
def ports_before() -> set[tuple[str, int]]:
    """The TCP ports that this process listens on. Its children inherit them, such as those of MPI, which other tests
    use in this process."""
    return set(listening([os.getpid()]))


def methods() -> list[str]:
    """Every method of every service that Ray knows."""
    generated = import_module("ray.core.generated")
    found = ["/ray.rpc.ObjectManagerService/Pull", "/ray.rpc.ObjectManagerService/Push"]
    found.append("/ray.rpc.syncer.RaySyncer/StartSync")
    for module in iter_modules(generated.__path__):
        if module.name.endswith("_pb2"):
            services = import_module(f"ray.core.generated.{module.name}").DESCRIPTOR.services_by_name.values()
            found += [f"/{service.full_name}/{method.name}" for service in services for method in service.methods]
    return found


UNIMPLEMENTED = 12
NODE = "ab" * 28
"""Somebody's name: Ray 2.60 falls over a StartSync without one, before it asks for the token."""


def refusals(port: int, **headers: str) -> int:
    """How many methods a port has; each must refuse."""
    answers = {method: head_client.ask("127.0.0.1", port, method, node_id=NODE, **headers)[0] for method in methods()}
    there = {method: status for method, status in answers.items() if status != UNIMPLEMENTED}
    assert set(there.values()) <= {head_client.UNAUTHENTICATED}, there
    return len(there)


def http_status(port: int, **headers: str) -> int | None:
    """What a port answers in HTTP; None where it does not speak it."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("POST", "/get_runtime_envs_info", b"", headers)
        return connection.getresponse().status
    except (http.client.HTTPException, ConnectionError):
        return None
    finally:
        connection.close()


@pytest.mark.slow(11)
def test_every_port_is_on_loopback_and_refuses_strangers(ports_before):
    before = segments()
    ray_connection.start_local(1)
    directory = Path(os.environ["RAY_AUTH_TOKEN_PATH"]).parent
    assert directory.stat().st_mode & 0o077 == 0

    import ray

    assert ray.get(ray.remote(lambda: os.getpid()).remote(), timeout=PATIENCE) != os.getpid()
    processes = processes_in(directory)
    ports = listening([os.getpid(), *(process.pid for process in processes)])
    ports = {port: pid for port, pid in ports.items() if port not in ports_before}
    # The head, the raylet's two, the driver's, the worker's, and the one that is not gRPC.
    assert len(ports) >= 6
    assert {host for host, _ in ports} <= {"127.0.0.1", "::ffff:127.0.0.1"}
    wrong = f"Bearer {'0' * 64}"
    answers = {port: http_status(port) for _, port in ports}
    for port, answer in answers.items():
        if answer is None:
            assert refusals(port) == refusals(port, authorization=wrong) > 0
        else:
            assert (answer, http_status(port, Authorization=wrong)) == (401, 403)
    assert sum(answer is not None for answer in answers.values()) == 1

    ray_connection.detach()
    assert not any(process.is_running() and process.status() != "zombie" for process in processes)
    assert processes_in(directory) == []
    assert not directory.exists()
    assert segments() <= before
    assert not [name for name in os.environ if name.startswith("RAY_AUTH")]
    ray_connection.detach()  # a second time does nothing


@pytest.mark.slow(7)
@pytest.mark.parametrize("victim", ["gcs_server", "raylet"])
def test_the_death_of_ray_is_noticed_and_survived(victim):
    ray_connection.start_local(1)
    assert ray_connection.head_alive()
    directory = Path(os.environ["RAY_AUTH_TOKEN_PATH"]).parent
    (process,) = (each for each in processes_in(directory) if each.name() == victim)
    process.kill()
    assert eventually(lambda: not ray_connection.head_alive())
    ray_connection.detach()
    assert processes_in(directory) == []
    assert not directory.exists()
    import ray

    assert not ray.is_initialized()


STARTING = """
import os
from outflank.distributed.engines.on_ray.ray_connection import start_local
start_local(1)
print(os.path.dirname(os.environ["RAY_AUTH_TOKEN_PATH"]), flush=True)
input()
"""


@pytest.mark.slow(10)
def test_ray_ends_with_a_process_that_is_killed():
    with subprocess.Popen(
        [sys.executable, "-c", STARTING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        directory = Path(process.stdout.readline().strip())
        processes = processes_in(directory)
        process.kill()
    assert len(processes) > 2
    assert eventually(lambda: not any(process.is_running() and process.status() != "zombie" for process in processes))
    assert eventually(lambda: not directory.exists())


# --- clusters ---

DRIVER = """
import sys
import ray
ray._private.services.resolve_ip_for_localhost = lambda host: host
ray.init(address=sys.argv[1], log_to_driver=False, logging_level="critical")
print("inside with", int(ray.cluster_resources()["CPU"]))
"""


def driver(address: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, address],
        # One try is enough to be refused.
        env={**os.environ, "RAY_NUM_REDIS_GET_RETRIES": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow(27)
def test_a_cluster_from_its_start_to_its_end(run, home, ports_before):
    assert run("status")[:2] == (1, "this machine is in no cluster\n")
    status, out, err = run("up", "--port", "0", "--cores", "1")
    assert (status, err) == (0, "")
    address = re.search(r"up at (127\.0\.0\.1:\d+) with 1 core\n", out)[1]
    token_file = home / "config" / "outflank" / "cluster-token"
    assert token_file.stat().st_mode & 0o777 == 0o600
    token = token_file.read_text().strip()
    assert token not in out
    assert str(token_file) in out

    assert run("join", address, "--cores", "2")[0] == 0
    status, out, _ = run("status", "--json")
    (cluster,) = json.loads(out)["clusters"]
    assert status == 0
    assert (cluster["address"], cluster["problem"]) == (address, None)
    assert sorted((node["cores"], node["head"], node["alive"]) for node in cluster["nodes"]) == [
        (1, True, True),
        (2, False, True),
    ]
    assert "2 nodes, 3 cores" in run("status", address)[1]

    # Ports, processes, files: nothing is open to others, and nobody sees the token in a list of processes.
    members = membership.members()
    processes = [process for member in members for process in processes_in(Path(member.directory))]
    pids = [process.pid for process in processes] + [member.pid for member in members]
    assert {host for host, _ in listening(pids).keys() - ports_before} <= {"127.0.0.1", "::ffff:127.0.0.1"}
    assert not any(token.encode() in Path(f"/proc/{pid}/cmdline").read_bytes() for pid in pids)
    assert not any(token.encode() in Path(f"/proc/{pid}/environ").read_bytes() for pid in pids)

    wrong = home / "wrong"
    wrong.write_text("0" * 64)
    wrong.chmod(0o600)
    drivers = [
        driver(address, RAY_AUTH_MODE="disabled"),
        driver(address, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN_PATH=str(wrong)),
        driver(address, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN_PATH=str(token_file)),
    ]
    said = [each.communicate(timeout=PATIENCE)[0].strip() for each in drivers]
    assert said == ["", "", "inside with 3"]
    assert [each.returncode == 0 for each in drivers] == [False, False, True]

    with pytest.raises(OutflankError, match="does not accept this token"):
        ray_connection.attach(address, wrong)
    ray_connection.attach(address)
    import ray

    assert (ray_connection.head_alive(), ray.cluster_resources()["CPU"]) == (True, 3)
    with pytest.raises(OutflankError, match="in a cluster already"):
        ray_connection.attach(address)
    ray_connection.detach()

    status, out, _ = run("down")
    assert (status, out) == (0, f"left the cluster at {address}\nended the cluster at {address}\n")
    assert not any(process.is_running() and process.status() != "zombie" for process in processes)
    assert not any(Path(member.directory).exists() for member in members)
    assert run("down")[:2] == (0, "nothing of ours runs here\n")
    assert run("join", address) == (2, "", f"outflank: no cluster answers at {address}: Connection refused\n")


@pytest.fixture
def stranger() -> Iterator[str]:
    """Somebody else's cluster, which lets everybody in."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    arguments = ["start", "--head", "--block", f"--port={port}", "--num-cpus=1", "--include-dashboard=false"]
    directory = Path(tempfile.mkdtemp(prefix="strange-", dir="/tmp"))  # a short name, for sockets
    starting = f"""
import sys
import ray
ray._private.services.resolve_ip_for_localhost = lambda host: host
sys.argv[1:] = {[*arguments, "--node-ip-address=127.0.0.1", f"--temp-dir={directory}"]!r}
from ray.scripts.scripts import main
main()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", starting],
        env={**os.environ, "RAY_AUTH_MODE": "disabled", "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S": "0"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def answers() -> bool:
        try:
            return head_client.ask("127.0.0.1", port, head_client.CHECK_ALIVE)[0] == 0
        except OSError:
            return False

    try:
        assert eventually(answers)
        yield f"127.0.0.1:{port}"
        assert answers()  # nothing we do may touch it
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for left in processes_in(directory):
            left.kill()
        shutil.rmtree(directory)


@pytest.mark.slow(9)
def test_an_open_cluster_is_refused_and_left_alone(stranger, run):
    make_token()
    for enter in (ray_connection.attach, membership.join):
        with pytest.raises(OutflankError, match="lets everybody in"):
            enter(stranger)
    import ray

    assert not ray.is_initialized()
    ours = membership.up(port=0, cores=1)
    # One whose number was given to another process by now, here to somebody else's.
    other = replace(ours, pid=os.getpid(), started=0.0, directory="/nowhere")
    end(other)
    assert run("down", stranger)[1] == "nothing of ours runs here\n"
    assert membership.down() == (ours,)
    assert processes_in(Path(ours.directory)) == []


# --- tokens, addresses ---


def test_a_token_is_made_once_and_kept_private(home, monkeypatch):
    path, token = make_token()
    assert path == home / "config" / "outflank" / "cluster-token"
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(token) == 64
    assert make_token() == read_token() == (path, token)
    elsewhere = home / "token"
    monkeypatch.setenv("OUTFLANK_CLUSTER_TOKEN", str(elsewhere))
    assert make_token()[1] != token
    assert token_path() == elsewhere
    assert read_token(path) == (path, token)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_token_that_others_reach_is_refused(mode, run):
    path, _ = make_token()
    path.chmod(mode)
    for arguments in (["up", "--port", "0"], ["join", "127.0.0.1:9"]):
        status, out, err = run(*arguments)
        assert (status, out) == (2, "")
        assert err == f"outflank: others may read {path}: run chmod 600 on it, and make a new token if they did\n"
    with pytest.raises(OutflankError, match="others may read"):
        ray_connection.attach("127.0.0.1:9")
    assert membership.members() == ()


@pytest.mark.parametrize("text", ["", "short", "é" * 64, "two words " * 8])
def test_what_is_no_token_is_refused(text):
    path, _ = make_token()
    path.write_text(text)
    with pytest.raises(OutflankError, match="does not hold a token"):
        read_token()


def test_where_there_is_no_token_it_says_what_to_do(run, home):
    status, _, err = run("join", "127.0.0.1:9")
    assert status == 2
    assert err.startswith(f"outflank: there is no token in {home / 'config' / 'outflank' / 'cluster-token'}: copy it")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["join", "here"], "'here' is no address: expected HOST:PORT"),
        (["join", "127.0.0.1:0"], "'127.0.0.1:0' is no address: expected HOST:PORT"),
        (["status", "127.0.0.1:x"], "'127.0.0.1:x' is no address: expected HOST:PORT"),
        (["down", "here:70000"], "'here:70000' is no address: expected HOST:PORT"),
        (["up", "--host", "0.0.0.0"], "0.0.0.0 reaches nobody: give 127.0.0.1, or an address of this machine"),
        (["up", "--host", "127.0.1.1"], "127.0.1.1 reaches nobody: give 127.0.0.1, or an address of this machine"),
        (["up", "--host", "192.0.2.200"], "cannot listen at 192.0.2.200:6379: Cannot assign requested address"),
        (["up", "--port", "70000"], "cannot listen at 127.0.0.1:70000: bind(): port must be 0-65535."),
        (["up", "--port", "0", "--cores", "0"], "0 cores: a node lends 1 at least"),
    ],
)
def test_nonsense_is_refused_in_one_line(run, arguments, message):
    make_token()
    assert run(*arguments) == (2, "", f"outflank: {message}\n")


def test_what_does_not_speak_our_language_is_no_cluster(monkeypatch):
    monkeypatch.setattr(head_client, "ANSWER_SECONDS", 0.2)
    make_token()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(OutflankError, match=f"no cluster answers at {address}: it does not answer in time"):
            ray_connection.attach(address)
