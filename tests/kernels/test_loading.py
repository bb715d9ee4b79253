"""Importing Numba: versions that do not fit, and environments that mislead it, are one line."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from outflank.errors import InvalidOption, OutflankError
from outflank.kernels import loading

pytestmark = pytest.mark.interpreted_only

ROOT = Path(__file__).parents[2]


@pytest.mark.slow(4)
@pytest.mark.parametrize(
    ("value", "why"),
    [("-1", "ValueError: Number of threads specified must be > 0."), ("abc", "it cannot read the value")],
)
def test_a_variable_that_numba_refuses_is_one_line(value: str, why: str) -> None:
    environment = os.environ | {"NUMBA_DISABLE_JIT": "0", "NUMBA_NUM_THREADS": value}
    command = [sys.executable, "-m", "outflank", "perft", "--size", "4", "--depth", "1"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    line = " ".join(done.stderr.split())
    assert line.startswith("outflank: Numba cannot be loaded with NUMBA_")
    assert f"NUMBA_NUM_THREADS={value}" in line
    assert line.endswith(f": {why}")


def test_a_feature_without_a_sign_is_refused_before_llvm_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CPU_FEATURES", "+avx,zzz")
    with pytest.raises(InvalidOption, match=r"^NUMBA_CPU_FEATURES=\+avx,zzz: expected \+ or -"):
        loading.import_numba()


@pytest.mark.parametrize("version", ["0.66.0", "0.68.1", "0.66.0rc1", "0.67.0+local"])
def test_versions_that_fit_are_taken(version: str) -> None:
    loading.check_version(version)


def test_an_old_version_is_refused_and_one_that_was_not_tried_is_remarked_on() -> None:
    with pytest.raises(OutflankError, match=r"^Numba 0\.65\.1 is too old for outflank: pip install 'numba>=0\.66,"):
        loading.check_version("0.65.1")
    with pytest.warns(RuntimeWarning, match=r"^Numba 0\.69\.0 has not been tried"):
        loading.check_version("0.69.0")
    with pytest.warns(RuntimeWarning, match=r"^Numba 1\.0\.0dev0 has not been tried"):
        loading.check_version("1.0.0dev0")


def test_the_package_asks_for_the_versions_that_fit() -> None:
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    oldest, beyond = (".".join(map(str, version)) for version in (loading.OLDEST, loading.TOO_NEW))
    assert f"numba>={oldest},<{beyond}" in asked
