"""Which checks and tests are run, and in which order."""

import os
import re
import shutil
from itertools import pairwise
from types import SimpleNamespace

import pytest

from tests import __main__ as checks
from tests import browsers
from tests.conftest import (
    DEAR_SECONDS,
    MOST_TOGETHER_SECONDS,
    NOT_COMPILED,
    pytest_ignore_collect,
    pytest_itemcollected,
    slow_first,
    unmarked,
)

pytestmark = pytest.mark.interpreted_only


def item(number: int, seconds: float, path: str = "a.py") -> SimpleNamespace:
    markers = {"slow": SimpleNamespace(args=(seconds,))} if seconds else {}
    return SimpleNamespace(number=number, seconds=seconds, path=path, get_closest_marker=markers.get)


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
@pytest.mark.parametrize("count", [0, 1, 7, 40])
def test_every_worker_begins_with_its_share_of_the_dearest(workers, count):
    items = [item(number, number if number % 4 == 3 else 0) for number in range(count)]
    order = slow_first(items, workers)
    assert sorted(each.number for each in order) == list(range(count))
    dear = sorted((each.seconds for each in items if each.seconds), reverse=True)
    # As workers are given them: in equal stretches, and what does not divide to the last ones.
    bounds = [count * worker // workers for worker in range(workers + 1)]
    for worker, (first, end) in enumerate(pairwise(bounds)):
        share = dear[worker::workers][: end - first]
        assert [each.seconds for each in order[first:end]][: len(share)] == share
    assert [each.number for each in order if not each.seconds] == [each.number for each in items if not each.seconds]


def test_the_dear_ones_of_a_file_come_together():
    items = [item(0, 2, "b.py"), item(1, 9), item(2, 0, "b.py"), item(3, 5, "c.py"), item(4, 8, "b.py"), item(5, 3)]
    assert [each.number for each in slow_first(items, 1)] == [1, 5, 4, 0, 3, 2]
    # Of two workers each has files of its own, and what is left goes where there is room.
    assert [each.number for each in slow_first(items, 2)] == [1, 5, 2, 4, 0, 3]
    # A file that would take one of them too long is dealt out to both.
    long = [item(number, MOST_TOGETHER_SECONDS / 2, "d.py") for number in range(6, 10)]
    assert [each.number for each in slow_first([*items, *long], 2)] == [6, 8, 1, 5, 2, 7, 9, 4, 0, 3]


def test_what_takes_long_and_does_not_say_so_is_named():
    def report(name: str, seconds: float, *keywords: str) -> SimpleNamespace:
        return SimpleNamespace(nodeid=name, duration=seconds, keywords=dict.fromkeys(keywords, 1))

    reports = [report("a.py::test_one", 2 * DEAR_SECONDS), report("a.py::test_two", 2 * DEAR_SECONDS, "slow")]
    reports += [report("a.py::test_three", DEAR_SECONDS / 2), report("a.py::a.example", 2 * DEAR_SECONDS)]
    assert unmarked(reports) == ["a.py::test_one took 6 s: mark it slow"]


def test_no_test_is_left_out_of_both_passes():
    both = SimpleNamespace(
        nodeid="a.py::test_one", get_closest_marker=lambda name: name in ("interpreted_only", "compiled")
    )
    with pytest.raises(pytest.UsageError, match="never be run"):
        pytest_itemcollected(both)


def test_the_compiled_pass_leaves_out_only_files_without_a_test_of_it(tmp_path):
    assert checks.COMPILED[-2:] == ["-m", NOT_COMPILED]
    marks = {"none": "", "compiled": "pytestmark = pytest.mark.compiled\n", "several": "pytestmark = [\n"}
    marks["only"] = "pytestmark = pytest.mark.interpreted_only  # it draws lots\n"
    marks["one"] = "\n@pytest.mark.interpreted_only\ndef test_one():\n    pass\n"
    for name, text in marks.items():
        (tmp_path / f"test_{name}.py").write_text(f"import pytest\n\n{text}")
    (tmp_path / "helpers.py").write_text(marks["only"])

    def left_out(expression: str) -> list[str]:
        config = SimpleNamespace(option=SimpleNamespace(markexpr=expression))
        return [path.name for path in tmp_path.iterdir() if pytest_ignore_collect(path, config)]

    assert left_out(NOT_COMPILED) == ["test_only.py"]
    assert left_out("") == left_out("not slow") == []


def test_every_check_is_made_whichever_fails(monkeypatch, capfd):
    good, bad = ["-c", "print('fine')"], ["-c", "raise SystemExit(3)"]
    stages = [({"one": bad}, {"two": good}), ({"three": good}, {"four": bad})]
    monkeypatch.setattr(checks, "RUN", checks.Plan(stages, {"five": bad, "six": good}))
    assert checks.main([]) == 1
    said = capfd.readouterr().out
    assert said.count("fine\n") == said.count("status 0") == said.count("status 3") == 3
    assert said.endswith("failed: one, five, four\n")
    monkeypatch.setattr(checks, "QUICK", checks.Plan([({"one": good}, {"two": good})], {}))
    assert checks.main(["quick"]) == 0
    assert capfd.readouterr().out.endswith("all checks passed\n")
    assert checks.main(["fast"]) == 2


def test_the_last_stage_begins_when_the_checks_in_idle_time_have_ended(monkeypatch, capfd):
    def passes(name, command, **options):
        return os.write(1, f"{name} {options}\n".encode()) > 0  # in one piece: checks run in two threads

    monkeypatch.setattr(checks, "passes", passes)
    monkeypatch.setattr(checks, "RUN", checks.Plan([({"one": []}, {}), ({"two": []}, {})], {"three": []}))
    assert checks.main([]) == 0
    first, second, last, _ = capfd.readouterr().out.splitlines()
    assert {first, second} == {"one {}", "three {'beside': True, 'idle': True}"}
    assert last == "two {}"


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="knows priorities of Unix")
def test_a_check_in_idle_time_has_the_lowest_priority(capfd):
    program = f"""
import os, time
deadline = time.monotonic() + 60
while os.getpriority(os.PRIO_PROCESS, 0) < {checks.LOWEST_PRIORITY}:
    assert time.monotonic() < deadline
"""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    assert checks.passes("idle", ["-c", program], beside=True, idle=True)
    assert checks.passes("usual", ["-c", f"import os; assert os.getpriority(os.PRIO_PROCESS, 0) == {before}"])
    assert capfd.readouterr().out.count("status 0") == 2


@pytest.mark.slow(4)
def test_what_is_skipped_for_want_of_a_browser_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    said = re.fullmatch(r"(\d+) tests of the page were skipped: .*apt-get install chromium", browsers.left_out())
    assert said is not None
    assert int(said[1]) > 10
