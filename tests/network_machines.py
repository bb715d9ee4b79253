"""Machines of a network, each a network namespace of Linux with an address of its own, joined by a bridge."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copy2, which
from typing import Any

NETWORK = "10.77.0"
PORT = 6379


def can_make_machines() -> bool:
    """Whether this user may make network namespaces here."""
    if sys.platform != "linux" or os.getuid() != 0 or which("ip") is None:
        return False
    name = f"outflank-{os.getpid()}-try"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True)
    subprocess.run(["ip", "netns", "del", name], capture_output=True)
    return made.returncode == 0


def ip(*words: str) -> None:
    """Run a command of `ip`."""
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=30)


class NetworkMachine:
    """A machine with an address, and with settings and files of its own."""

    def __init__(self, hub: str, number: int, home: Path) -> None:
        self.hub, self.number, self.home = hub, number, home
        self.name, self.link = f"{hub}-{number}", f"link{number}"
        self.host = f"{NETWORK}.{number}"
        ip("netns", "add", self.name)
        ip("-n", hub, "link", "add", self.link, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        ip("-n", hub, "link", "set", self.link, "master", "bridge0", "up")
        ip("-n", self.name, "address", "add", f"{self.host}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            ip("-n", self.name, "link", "set", device, "up")

    def begin(self, *words: str) -> "subprocess.Popen[str]":
        """Start a command of outflank on this machine."""
        places = {name: str(self.home / name) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME")}
        return subprocess.Popen(
            ["ip", "netns", "exec", self.name, sys.executable, "-m", "outflank", *words],
            env={**os.environ, **places},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, seconds: float = 120.0) -> str:
        """Run a command of outflank on this machine, and return what it printed."""
        process = self.begin(*words)
        try:
            output, errors = process.communicate(timeout=seconds)
        except BaseException:
            process.kill()
            process.communicate()
            raise
        assert process.returncode == 0, errors
        return output

    def last(self, *words: str) -> dict[str, Any]:
        """Run a command of outflank on this machine, and return the last JSON object that it printed."""
        found: dict[str, Any] = json.loads(self.run(*words, "--json").splitlines()[-1])
        return found

    def fails(self, *words: str) -> str:
        """Run a command of outflank that has to fail on this machine, and return its error."""
        process = self.begin(*words)
        _, errors = process.communicate(timeout=60.0)
        assert process.returncode == 2, errors
        return errors

    def copy_secret(self, other: "NetworkMachine", name: str) -> None:
        """Copy a cluster's token or its authority from another machine."""
        source, target = (machine.home / "XDG_CONFIG_HOME" / "outflank" / name for machine in (other, self))
        target.parent.mkdir(parents=True, exist_ok=True)
        copy2(source, target)

    def cut_off(self) -> None:
        """Take the machine off the network: nothing that it sends arrives, and nothing arrives there."""
        ip("-n", self.hub, "link", "set", self.link, "down")

    def put_back(self) -> None:
        """Put the machine back on the network."""
        ip("-n", self.hub, "link", "set", self.link, "up")

    def close(self) -> None:
        """End the machine's part in all clusters, and remove it."""
        try:
            self.run("cluster", "down", seconds=60.0)
        finally:
            listed = subprocess.run(["ip", "netns", "pids", self.name], capture_output=True, text=True)
            self.left_over = listed.stdout.split()
            ip("netns", "del", self.name)


@contextmanager
def network(count: int, home: Path) -> Iterator[list[NetworkMachine]]:
    """So many machines on one network; all gone at the end."""
    hub = f"outflank-{os.getpid()}"
    machines: list[NetworkMachine] = []
    ip("netns", "add", hub)
    try:
        ip("-n", hub, "link", "add", "bridge0", "type", "bridge")
        ip("-n", hub, "link", "set", "bridge0", "up")
        for number in range(1, count + 1):
            place = home / str(number)
            place.mkdir()
            machines.append(NetworkMachine(hub, number, place))
        yield machines
    finally:
        for machine in reversed(machines):
            machine.put_back()
            machine.close()
        ip("netns", "del", hub)
    left_over = {machine.host: machine.left_over for machine in machines if machine.left_over}
    assert not left_over, f"processes that still ran: {left_over}"
