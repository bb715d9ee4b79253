"""Profiles and fixtures."""

import os

import pytest
from hypothesis import HealthCheck, settings

from outflank.kernels.compiler import interpreted

# The interpreter is some hundred times slower: the same properties, on fewer drawn positions.
SHARE = 0.1 if interpreted() else 1.0
settings.register_profile(
    "outflank", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("outflank")


def examples(number: int) -> settings:
    """Settings for so many drawn examples, fewer in the interpreter."""
    return settings(max_examples=max(10, int(number * SHARE)))


@pytest.hookimpl(trylast=True)  # when those that were not asked for have been left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if interpreted():
        for item in items:
            if item.get_closest_marker("compiled"):
                item.add_marker(pytest.mark.skip(reason="needs the compiler, and NUMBA_DISABLE_JIT is set"))
    items[:] = begun_early(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def begun_early(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """The tests in an order in which the dearest are begun first: begun last, one would leave all but one worker idle.

    Workers get equal stretches of the order and steal from each other's ends, so that each stretch begins with its
    share of them.
    """
    dear = sorted((item for item in items if _cost(item)), key=_cost, reverse=True)
    others = [item for item in items if not _cost(item)]
    order: list[pytest.Item] = []
    for worker in range(workers):
        order += dear[worker::workers]
        room = max(0, len(items) * (worker + 1) // workers - len(order))
        order += others[:room]
        del others[:room]
    return order + others


def _cost(item: pytest.Item) -> float:
    marker = item.get_closest_marker("early")
    return float(marker.args[0]) if marker else 0.0
