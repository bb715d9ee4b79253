"""Adapters whose library is not installed say how to install it."""

import subprocess
import sys

import pytest

from outflank.installation import install_command

pytestmark = pytest.mark.interpreted_only

LIBRARIES = {
    "pettingzoo_env": ("pettingzoo", "rl"),
    "gymnasium_env": ("gymnasium", "rl"),
    "openspiel": ("pyspiel", "openspiel"),
}


@pytest.mark.parametrize("module", LIBRARIES)
def test_the_extra_is_named(module):
    library, extra = LIBRARIES[module]
    code = f"import sys; sys.modules['{library}'] = None; import outflank.adapters.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last == f"outflank.errors.OutflankError: {library} is not installed: {install_command(extra)}"
