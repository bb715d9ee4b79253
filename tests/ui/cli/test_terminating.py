"""SIGTERM ends commands as Ctrl-C does, and what was measured is kept; progress in a pipe."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from outflank import lab
from outflank.lab import experiment as registry
from outflank.search.request import Stop
from outflank.ui.cli import main
from outflank.ui.cli.shared import interrupting, progress_line
from outflank.ui.cli.shared.interrupting import (
    INTERRUPTED,
    TERMINATED,
    exit_status,
    run_interruptibly,
    sigterm_as_ctrl_c,
)
from tests.installing import register_for_now

pytestmark = pytest.mark.interpreted_only
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to send")

WAITING = """
import time
from dataclasses import dataclass

from outflank import lab


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(lab.Parameters):
    patience: float = lab.option(300.0, "Seconds.")


def wait(chosen, stop):
    print("waiting", flush=True)
    until = time.monotonic() + chosen.patience
    while not stop.called and time.monotonic() < until:
        time.sleep(0.01)
    return [{"number": 2}]


@lab.register
class Waiting(lab.Experiment):
    name, question, reports, parameters = "waiting", "How long?", (), Choice

    def tasks(self, chosen):
        return [lab.Task("one", lambda stop: [{"number": 1}]), lab.Task("two", lambda stop: wait(chosen, stop))]

    def conclude(self, chosen, samples):
        return lab.Conclusion(tables=(lab.ReportTable.of("numbers", samples),))
"""


@contextmanager
def command(*arguments, **options):
    """The program under way, interpreted; whatever happens it is ended."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    started = subprocess.Popen([sys.executable, "-m", "outflank", *arguments], env=environment, **pipes, **options)
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


@posix
@pytest.mark.parametrize("in_background", [False, True])
def test_an_experiment_that_is_terminated_keeps_what_it_has(tmp_path, in_background):
    (tmp_path / "waiting.py").write_text(WAITING)
    where = str(tmp_path / "out")
    # A shell's background ignores Ctrl-C, and what it starts inherits that.
    ignoring = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)} if in_background else {}
    with command("--import", "waiting.py", "lab", "waiting", "--out", where, cwd=tmp_path, **ignoring) as started:
        assert started.stdout.readline() == "waiting\n"
        started.send_signal(signal.SIGTERM)
        _, said = started.communicate(timeout=60)
    assert started.returncode == TERMINATED
    assert f"interrupted; --resume --out {where} goes on from here" in said
    assert "Traceback" not in said
    kept = json.loads((tmp_path / "out" / "waiting.json").read_text())
    assert [sample["number"] for sample in kept["samples"]] == [1]
    assert not kept["complete"]


@posix
def test_a_search_that_is_terminated_says_what_it_has():
    with command("search", "--workers", "1", "--json") as started:
        assert json.loads(started.stdout.readline())["depth"] == 1
        started.send_signal(signal.SIGTERM)
        found, said = started.communicate(timeout=60)
    assert started.returncode == TERMINATED
    assert json.loads(found.splitlines()[-1])["schema"] == "outflank/search/1"
    assert "Traceback" not in said


@pytest.fixture
def untouched():
    """Signals as they were, when the test is over."""
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)
    interrupting._terminated.clear()


@posix
@pytest.mark.parametrize("interrupt", [signal.default_int_handler, signal.SIG_IGN, signal.SIG_DFL])
def test_a_termination_interrupts(untouched, interrupt):
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with pytest.raises(KeyboardInterrupt), sigterm_as_ctrl_c():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert [exit_status(status) for status in (0, 1, INTERRUPTED)] == [0, 1, TERMINATED]


@posix
def test_a_termination_does_what_an_interrupt_would(untouched):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    stop = Stop()

    def work():
        begun.set()
        while not stop.called:
            waited.wait(0.01)
        return "ended"

    begun, waited = threading.Event(), threading.Event()

    def terminate():
        begun.wait()
        os.kill(os.getpid(), signal.SIGTERM)

    with sigterm_as_ctrl_c():
        threading.Thread(target=terminate).start()
        assert run_interruptibly(work, stop) == "ended"
    assert exit_status(INTERRUPTED) == TERMINATED
    with sigterm_as_ctrl_c():
        assert exit_status(INTERRUPTED) == INTERRUPTED  # which is another command's


@posix
def test_a_termination_that_is_ignored_or_handled_stays_so(untouched):
    for handler in (signal.SIG_IGN, lambda *_: None):
        signal.signal(signal.SIGTERM, handler)
        with sigterm_as_ctrl_c():
            assert signal.getsignal(signal.SIGTERM) is handler


# --- progress in a pipe ---


class Steps(lab.Experiment):
    name, question, reports, parameters = "steps", "How many?", (), lab.Parameters

    def tasks(self, chosen):
        return [lab.Task(f"step {number}", lambda stop: [{"number": 1}]) for number in range(4)]

    def conclude(self, chosen, samples):
        return lab.Conclusion(tables=(lab.ReportTable.of("numbers", samples),))


def said(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 0
    return capsys.readouterr().err


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_pipe_is_told_now_and_then_how_far_it_is(capsys, monkeypatch, more):
    register_for_now(monkeypatch, registry.EXPERIMENTS)
    lab.register(Steps)
    assert said(capsys, "lab", "steps", *more) == ""  # it takes no time
    monkeypatch.setattr(progress_line, "SECONDS", 0.0)
    lines = said(capsys, "lab", "steps", *more).splitlines()
    assert [line.partition(" done")[0] for line in lines] == ["0%", "25%", "50%", "75%"]
    assert lines[1].endswith(": step 1")
    assert "left" in lines[2]
    assert said(capsys, "lab", "steps", "--quiet", *more) == ""


def test_lines_are_some_time_apart(capsys, monkeypatch):
    clock = iter([0.0, 1.0, 9.0, 10.5, 15.0, 21.0])
    monkeypatch.setattr(progress_line.time, "monotonic", lambda: next(clock))
    with progress_line.progress_line() as tell:
        for number in range(5):
            tell(f"number {number}")
    assert capsys.readouterr().err == "number 2\nnumber 4\n"


def test_a_book_tells_of_its_progress_unless_it_is_to_be_quiet(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(progress_line, "SECONDS", 0.0)
    build = ("book", "build", "--size", "4", "--plies", "1", "--depth", "1", "--workers", "1", "--out")
    assert "more are waiting" in said(capsys, *build, str(tmp_path / "one"))
    assert said(capsys, *build, str(tmp_path / "other"), "--quiet") == ""


def test_a_review_tells_of_its_progress_unless_it_is_to_be_quiet(capsys, monkeypatch):
    monkeypatch.setattr(progress_line, "SECONDS", 0.0)
    review = ("review", "f5d6", "--depth", "1", "--workers", "1")
    assert "2 of 2: d6" in said(capsys, *review)
    assert said(capsys, *review, "--quiet") == ""
