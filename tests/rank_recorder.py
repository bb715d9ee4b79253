"""A record of how the ranks of an MPI program ended: `mpiexec -n N python -m tests.rank_recorder FOLDER PROGRAM …`.

MPICH's launcher names one rank that ended badly, often not the one that began it: when a rank leaves without
MPI_Finalize, all others are ended by SIGKILL, and one of these is named. Here each rank has a parent that writes down,
with times, which commands the rank gave the launcher, and its exit status. Both are in one process group, and the
launcher kills groups: a record that stops in the middle says that the launcher ended this rank, and a record that ends
with signal 9 that something else did. Of a rank that runs for longer than `STUCK_SECONDS` it has the stacks of all
threads.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

STUCK_SECONDS = 100.0
"""Less than `mpiexec` in `tests/clusters.py` waits."""

# In the rank itself: only its own interpreter sees its threads, and needs no lock of theirs for it.
_WATCHED = """
import faulthandler, runpy, sys
faulthandler.dump_traceback_later({seconds}, file=open({stacks!r}, "w"))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


class Record:
    """Lines with times in a file that survives the process."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def add(self, text: str) -> None:
        """Write a line."""
        os.write(self._file, f"{time.time():.3f} {text}\n".encode())


def relay(source: socket.socket, target: socket.socket, record: Record | None) -> None:
    """Pass on what a rank and the launcher say to each other, until one of them closes."""
    try:
        while data := source.recv(1 << 16):
            if record is not None:
                for name in re.findall(rb"cmd=(\w+)", data):
                    record.add(f"told the launcher: {name.decode()}")
            target.sendall(data)
    except OSError as error:
        if record is not None:
            record.add(f"lost the launcher: {error}")
    if record is not None:
        record.add("closed its connection to the launcher")
        target.close()


def main(folder: str, *command: str) -> int:
    number = os.environ.get("PMI_RANK", "?")
    record = Record(Path(folder) / f"rank-{number}")
    watched = _WATCHED.format(seconds=STUCK_SECONDS, stacks=str(Path(folder) / f"stacks-{number}"))
    environment, passed = dict(os.environ), []
    threads = []
    if "PMI_FD" in environment:
        launcher = socket.socket(fileno=int(environment["PMI_FD"]))
        ours, its = socket.socketpair()
        environment["PMI_FD"] = str(its.fileno())
        passed.append(its.fileno())
        threads = [
            threading.Thread(target=relay, args=(ours, launcher, record), daemon=True),
            threading.Thread(target=relay, args=(launcher, ours, None), daemon=True),
        ]
    rank = subprocess.Popen([sys.executable, "-c", watched, *command], env=environment, pass_fds=passed)
    record.add(f"process {rank.pid} began")
    if threads:
        its.close()
        for thread in threads:
            thread.start()
    status = rank.wait()
    record.add(f"ended by signal {-status}" if status < 0 else f"ended with status {status}")
    if status < 0:
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


def report(folder: Path) -> str:
    """Return all records in a folder in the order of their times, and what the system says of memory."""
    lines = []
    for path in sorted(folder.glob("rank-*")):
        text = path.read_text().splitlines()
        lines += [f"{line.partition(' ')[0]} {path.name} {line.partition(' ')[2]}" for line in text]
        if not text or " ended " not in text[-1]:
            lines.append(f"{time.time():.3f} {path.name} has no end: it was killed together with its recorder")
    stacks = [f"{path.name}:\n{text}" for path in sorted(folder.glob("stacks-*")) if (text := path.read_text())]
    return "\n".join([*sorted(lines), *memory_events(), *stacks])


def memory_events() -> list[str]:
    """What the system says of processes that it ended for want of memory."""
    lines = [f"load {os.getloadavg()}"]
    groups = Path("/sys/fs/cgroup")
    for path in (*groups.glob("memory.events"), *groups.glob("memory/memory.oom_control")):
        try:
            lines.append(f"{path}: {' '.join(path.read_text().split())}")
        except OSError as error:
            lines.append(f"{path}: {error}")
    try:
        kernel = subprocess.run(["dmesg", "-T"], capture_output=True, text=True, timeout=10).stdout.splitlines()
        lines += [line for line in kernel if re.search("killed process|out of memory|oom", line, re.IGNORECASE)][-5:]
    except (OSError, subprocess.TimeoutExpired) as error:
        lines.append(f"dmesg: {error}")
    return lines


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
