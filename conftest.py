"""Which files are looked into for examples: by `--doctest-modules` alone it is all of them."""

from collections.abc import Generator
from pathlib import Path

import pytest

SIGNS = (b">>> ", b"def __doc__(")
"""What a file with examples has, or one that makes its documentation on request."""


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Leave out the search for examples in a file without any: one in fifteen has some, and each would be imported."""
    collectors = yield
    if file_path.suffix == ".py" and not any(sign in file_path.read_bytes() for sign in SIGNS):
        return [collector for collector in collectors if type(collector) is pytest.Module]
    return collectors
