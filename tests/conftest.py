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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if interpreted():
        for item in items:
            if item.get_closest_marker("compiled"):
                item.add_marker(pytest.mark.skip(reason="needs the compiler, and NUMBA_DISABLE_JIT is set"))
