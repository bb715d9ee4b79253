"""The list of modules that `outflank warm` imports."""

from importlib import import_module

import pytest

from outflank.warm import HOMES


@pytest.mark.interpreted_only
def test_every_home_of_kernels_exists():
    for home in HOMES:
        import_module(f"outflank.{home}")
