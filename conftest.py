"""Which files are looked into for examples: by `--doctest-modules` alone it is all of them."""

from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("src")

_found = find_spec("outflank")
IS_TESTED = _found is not None and _found.origin is not None and Path(_found.origin).is_relative_to(SOURCE)
"""Whether the tests are of the package in `src`. If they are of an installed copy, `src` cannot be imported as well."""

SIGNS = (b">>> ", b"def __doc__(")
"""What a file with examples has, or one that makes its documentation on request."""


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Leave out the search for examples in a file without any: one in fifteen has some, and each would be imported."""
    collectors = yield
    if not IS_TESTED and file_path.is_relative_to(SOURCE):
        return []
    if file_path.suffix == ".py" and not any(sign in file_path.read_bytes() for sign in SIGNS):
        return [collector for collector in collectors if type(collector) is pytest.Module]
    return collectors
