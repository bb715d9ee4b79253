"""The source distribution: it has whatever the tests need, so that they can be run where it was unpacked."""

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from hatch_build import description

pytestmark = pytest.mark.interpreted_only

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    (path,) = SdistBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    return Path(path)


@pytest.fixture(scope="module")
def unpacked(archive: Path) -> Path:
    with tarfile.open(archive) as file:
        file.extractall(archive.parent, filter="data")
    return archive.parent / archive.name.removesuffix(".tar.gz")


def collected(*words: str, folder: Path, path: Path) -> str:
    """What pytest says of the tests that it finds in a folder, with the package from `path`."""
    environment = {**os.environ, "PYTHONPATH": str(path), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "--assert=plain", "-p", "no:cacheprovider", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return done.stdout


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="asks git what is in the repository")
def test_it_has_every_file_of_the_repository(archive: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    with tarfile.open(archive) as file:
        packed = {name.partition("/")[2] for name in file.getnames()}
    assert packed == {*filter(None, listed.split("\0")), "PKG-INFO"}


def test_an_index_shows_no_target_that_only_a_checkout_has(archive: Path) -> None:
    with tarfile.open(archive) as file:
        metadata = file.extractfile(f"{archive.name.removesuffix('.tar.gz')}/PKG-INFO")
        assert metadata is not None
        text = metadata.read().decode()
    targets = re.findall(r"\]\(([^)]*)\)", text.replace("](https://", "] (https://"))
    assert targets == []
    assert "see the laboratory |" in text
    assert "\nAuthor: the outflank authors\n" in text
    assert description("![a](b.png)\n\n[`c`](d.md#e) [f](https://g.org) `[h](i)`") == "`c` [f](https://g.org) `h`"


@pytest.mark.slow(8)
def test_its_tests_are_found_where_it_was_unpacked(unpacked: Path) -> None:
    # It has every file of the repository, see above: these tests read most of what is not in `tests` and `src`. To
    # collect all tests takes 14 s of processor time.
    assert (
        "tests collected" in collected("tests/project", "src", folder=unpacked, path=unpacked / "src").splitlines()[-1]
    )


@pytest.mark.slow(5)
def test_tests_beside_an_installed_wheel_are_of_the_wheel(unpacked: Path, tmp_path: Path) -> None:
    (wheel,) = WheelBuilder(str(unpacked)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "installed")
    found = collected("tests/test_machine.py", "src", folder=unpacked, path=tmp_path / "installed")
    assert "tests/test_machine.py::" in found
    assert "src/" not in found
