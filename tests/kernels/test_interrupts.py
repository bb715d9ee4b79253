"""Ctrl-C while kernels run, in processes of their own: scripts, threads that are waited for, notebooks."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from outflank.kernels.signals import Attendant
from outflank.kernels.uninterrupted import delay_interrupts

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to send"),
]

LONG_SECONDS = 300
"""What is interrupted would take longer than any test may."""

SCRIPT = """
import signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests that run in the background ignore interrupts
import outflank
from outflank.distributed.cluster import Cluster
from outflank.distributed.engines.inside_engine import InsideFabric

board = outflank.OthelloBoard.start()
brief, long = outflank.Limits(nodes=1), outflank.Limits(seconds=300)
deep = outflank.Result(value=0, move=None, pv=(), depth=40, nodes=0, leaves=0, seconds=0, exact=False)

def search(**options):
    outflank.search(board, brief, **options)  # compiles
    yield
    outflank.search(board, outflank.Limits() if options.get("exact") else long, **options)

def count():
    outflank.perft(board, 3)
    yield
    outflank.perft(board, 20)

def compare():
    yield
    outflank.compare(board, deep)

def cluster():
    with Cluster(InsideFabric(2)) as nodes:
        nodes.search(board, brief, workers=1)
        yield
        nodes.search(board, long, workers=1)

CASES = {
    "one worker": search(workers=1),
    "two workers": search(workers=2),
    "no deepening": search(workers=1, exact=True),
    "every worker at the root": search(workers=2, parallel="abdada"),
    "Monte-Carlo": search(algorithm="uct"),
    "Monte-Carlo, two trees": search(algorithm="uct", parallel="root-parallel", workers=2),
    "a count": count(),
    "a comparison": compare(),
    "a cluster": cluster(),
}
for name, case in CASES.items():
    next(case)
    print("begins", name, flush=True)
    try:
        for _ in case:
            pass
    except KeyboardInterrupt:
        until = time.monotonic() + 20
        while threading.active_count() > 1 and time.monotonic() < until:
            time.sleep(0.01)  # a timer that was cancelled may take a moment
        print("interrupted", threading.active_count(), flush=True)
    else:
        print("went on to its end", flush=True)

best = None
try:
    for best in outflank.iterate(board, workers=1):
        if best.depth == 3:
            print("begins", flush=True)
except KeyboardInterrupt:
    print("the best so far", best.depth >= 3, best.move in board.legal_moves, flush=True)

def handler(*_):
    print("handled", flush=True)
    stop()

stop = outflank.Stop()
signal.signal(signal.SIGINT, handler)
for result in outflank.iterate(board, long, workers=1, stop=stop):
    if result.depth == 3:
        print("begins", flush=True)
print(result.stopped, signal.getsignal(signal.SIGINT) is handler, flush=True)
"""


@contextmanager
def started(code: str) -> "Iterator[subprocess.Popen[str]]":
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        watchdog = threading.Timer(LONG_SECONDS, process.kill)
        watchdog.start()
        try:
            yield process
        finally:
            watchdog.cancel()
            process.kill()


def line_of(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line or process.poll() is None, process.communicate()[1]
    return line.strip()


def interrupt_soon(process: "subprocess.Popen[str]") -> None:
    time.sleep(0.3)  # it says that it begins before it has
    process.send_signal(signal.SIGINT)


@pytest.mark.slow(6)
def test_a_script_is_interrupted_whatever_it_searches():
    with started(SCRIPT) as process:
        interrupted = []
        while (line := line_of(process)).startswith("begins "):
            interrupt_soon(process)
            answer = line_of(process)
            assert answer == "interrupted 1", f"{line}: {answer}"  # and no thread is left
            interrupted.append(line)
        assert len(interrupted) == 9
        assert line == "begins"
        interrupt_soon(process)
        assert line_of(process) == "the best so far True True"
        # A handler of the user's own is called at once, and is still there afterwards.
        assert line_of(process) == "begins"
        interrupt_soon(process)
        assert line_of(process) == "handled"
        assert line_of(process) == "True True"
        assert process.communicate() == ("", "")
        assert process.returncode == 0


JOINED = """
import signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
import outflank

board = outflank.OthelloBoard.start()

def searches():
    while True:
        outflank.search(board, workers=1)

def counts():
    print(outflank.perft(board, 20))

outflank.search(board, outflank.Limits(nodes=1), workers=1)
outflank.perft(board, 3)
threads = [threading.Thread(target=searches), threading.Thread(target=counts)]
for thread in threads:
    thread.start()
print("begins", flush=True)
for thread in threads:
    thread.join()
"""


def test_a_script_that_waits_for_its_threads_ends_with_them():
    with started(JOINED) as process:
        assert line_of(process) == "begins"
        interrupt_soon(process)
        out, err = process.communicate()
        assert process.returncode == -signal.SIGINT
        assert out == ""  # a count that was cut short is none
        assert "KeyboardInterrupt" in err


FINISHING = """
import threading, outflank
board = outflank.OthelloBoard.start()
threading.Thread(target=lambda: print(outflank.search(board, outflank.Limits(depth=9), workers=1).depth)).start()
"""


def test_a_script_that_ends_lets_its_threads_finish():
    with started(FINISHING) as process:
        assert process.communicate() == ("9\n", "")
        assert process.returncode == 0


CELL = """
import outflank
board = outflank.OthelloBoard.start()
outflank.search(board, outflank.Limits(nodes=1), workers=1)
print("begins", flush=True)
outflank.search(board, workers=1)
"""


def test_a_notebook_is_interrupted(tmp_path, monkeypatch):
    from jupyter_client.manager import start_new_kernel

    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    manager, client = start_new_kernel(startup_timeout=LONG_SECONDS)
    try:
        request = client.execute(CELL)
        while True:
            message = client.get_iopub_msg(timeout=LONG_SECONDS)
            if message["msg_type"] == "stream" and "begins" in message["content"]["text"]:
                break
            assert message["msg_type"] != "error", json.dumps(message["content"])
        time.sleep(0.3)
        manager.interrupt_kernel()
        reply = client.get_shell_msg(timeout=60)
        while reply["parent_header"].get("msg_id") != request:
            reply = client.get_shell_msg(timeout=60)
        content = reply["content"]
        assert (content["status"], content["ename"]) == ("error", "KeyboardInterrupt"), "\n".join(content["traceback"])
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_an_interrupt_while_the_deputy_starts_is_not_replaced_by_another_error(monkeypatch):
    start, handler = threading.Thread.start, signal.getsignal(signal.SIGINT)

    def interrupted(thread):
        signal.raise_signal(signal.SIGINT)
        start(thread)

    attendant = Attendant(lambda: None)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        monkeypatch.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            attendant.run(lambda: None)
        attendant.close()
    finally:
        signal.signal(signal.SIGINT, handler)


def test_what_an_attended_call_finds_or_raises_is_the_callers():
    attendant = Attendant(lambda: None)
    threads: list[threading.Thread] = []

    def work() -> int:
        threads.append(threading.current_thread())
        return len(threads)

    assert [attendant.run(work), attendant.run(work)] == [1, 2]
    assert threads[0] is threads[1] is not threading.current_thread()
    with pytest.raises(ZeroDivisionError):
        attendant.run(lambda: 1 // 0)
    attendant.close()
    assert not threads[0].is_alive()


COMPILING = """
import signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import outflank

board, interrupted = outflank.OthelloBoard.start(), 0
for _ in range(5):
    timer = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
    try:
        timer.start()
        outflank.perft(board, 3)
        timer.join()
    except KeyboardInterrupt:
        interrupted += 1
print(outflank.perft(board, 3).leaves, interrupted > 0)
"""


def test_the_compiler_survives_interrupts(tmp_path, monkeypatch):
    monkeypatch.setenv("OUTFLANK_CACHE_DIR", str(tmp_path / "cache"))
    with started(COMPILING) as process:
        out, err = process.communicate()
        assert out == "56 True\n", err


def test_what_must_not_be_disturbed_is_not():
    def handler(number: int, frame: object) -> None:
        seen.append(len(done))

    seen: list[int] = []
    done: list[int] = []
    before = signal.signal(signal.SIGINT, handler)
    try:
        with delay_interrupts():
            os.kill(os.getpid(), signal.SIGINT)
            done.append(1)
        assert (seen, done) == ([1], [1])
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_second_interrupt_does_not_wait():
    asked, free = threading.Event(), threading.Event()

    def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        asked.wait()
        os.kill(os.getpid(), signal.SIGINT)
        free.wait()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    attendant = Attendant(asked.set)
    try:
        with pytest.raises(KeyboardInterrupt):
            attendant.run(work)
        attendant.close()
    finally:
        signal.signal(signal.SIGINT, before)
        free.set()
