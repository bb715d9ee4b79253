"""Profiles and fixtures."""

import gc
import os
import signal
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from outflank import user_modules
from outflank.kernels.compiler import interpreted

# The interpreter is some hundred times slower: the same properties, on fewer drawn positions.
TIMES = int(os.environ.get("OUTFLANK_EXAMPLES", "1"))
SHARE = (0.1 if interpreted() else 0.5) * TIMES
"""The share of a test's examples that is drawn. `python -m tests.drawn` draws more."""

settings.register_profile(
    "outflank",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
    max_examples=100 * TIMES,
)
settings.load_profile("outflank")


DEAR_SECONDS = 3.0
"""What takes longer in the interpreter, where nothing else runs, has a marker that says how long: `slow`."""

MOST_TOGETHER_SECONDS = 100.0
"""A file whose slow tests take longer has them dealt out to all workers."""

MOST_NAMED = 5
"""Where other programs run as well, many tests take long."""


def examples(number: int) -> settings:
    """Settings for so many drawn examples, times `SHARE`."""
    return settings(max_examples=max(10, int(number * SHARE)))


NOT_COMPILED = "not interpreted_only"
"""Option `-m` of the compiled pass."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files that are wholly `interpreted_only` where these are not asked for: each process would import them,
    and make two thousand tests, to choose none of them."""
    if config.option.markexpr != NOT_COMPILED or not collection_path.match("test_*.py"):
        return None
    return True if b"\npytestmark = pytest.mark.interpreted_only" in collection_path.read_bytes() else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without collecting garbage, of which there is hardly any: a process takes 7.3 s instead of 8 s."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.get_closest_marker("interpreted_only") and item.get_closest_marker("compiled"):
        raise pytest.UsageError(f"{item.nodeid} is marked interpreted_only and compiled: it would never be run")


@pytest.hookimpl(trylast=True)  # when those that were not asked for have been left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if interpreted():
        for item in items:
            if item.get_closest_marker("compiled"):
                item.add_marker(pytest.mark.skip(reason="needs the compiler, and NUMBA_DISABLE_JIT is set"))
    items[:] = slow_first(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def slow_first(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """The tests in an order in which the dearest are begun first: begun last, one would leave all but one worker idle.

    Workers get equal stretches of the order and steal from each other's ends, so that each stretch begins with its
    share of them. Those of a file come together, in one worker unless they take very long: what they share, such as a
    browser, is begun once for all of them.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in sorted(filter(_cost, items), key=_cost, reverse=True):
        files.setdefault(item.path, []).append(item)
    together = [dear for dear in files.values() if _total(dear) <= MOST_TOGETHER_SECONDS]
    apart = [item for dear in files.values() if _total(dear) > MOST_TOGETHER_SECONDS for item in dear]
    shares = [apart[worker::workers] for worker in range(workers)]
    for dear in sorted(together, key=_total, reverse=True):
        min(shares, key=_total).extend(dear)
    others = [item for item in items if not _cost(item)]
    order: list[pytest.Item] = []
    for worker, share in enumerate(shares):
        order += share
        room = max(0, len(items) * (worker + 1) // workers - len(order))
        order += others[:room]
        del others[:room]
    return order + others


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if interpreted():
        for line in unmarked(terminalreporter.stats.get("passed", [])):
            terminalreporter.write_line(line)


def unmarked(reports: Iterable[pytest.TestReport]) -> list[str]:
    """A line for each of the tests that take longest and do not say so, though `python -m tests quick` runs them."""
    dear = [each for each in reports if each.duration > DEAR_SECONDS and "slow" not in each.keywords]
    dear = sorted((each for each in dear if "::test" in each.nodeid), key=lambda each: -each.duration)
    return [f"{each.nodeid} took {each.duration:.0f} s: mark it slow" for each in dear[:MOST_NAMED]]


def _cost(item: pytest.Item) -> float:
    marker = item.get_closest_marker("slow")
    return float(marker.args[0]) if marker and not item.get_closest_marker("skip") else 0.0


def _total(items: Iterable[pytest.Item]) -> float:
    return sum(map(_cost, items))


@pytest.fixture(autouse=True)
def _imports_forgotten() -> Iterator[None]:
    """Forget what a test imported for `--import`: commands that later tests print would import it too."""
    before = dict(user_modules._imported)
    yield
    user_modules._imported.clear()
    user_modules._imported.update(before)


@pytest.fixture
def foreground() -> Iterator[None]:
    """Ctrl-C interrupts: tests that run in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Books are built of values that take no time."""
    from outflank.books import building
    from tests.made_up_searches import made_up_search

    monkeypatch.setattr(building, "search", made_up_search)
