"""Directories in which Ray works: they are gone when their owner is, however it ended, and nobody else's is touched."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from outflank.distributed.engines.on_ray import ray_directories
from outflank.distributed.engines.on_ray.ray_directories import OWNER, OwnedDirectory, clear_ownerless
from tests.clusters import children

pytestmark = [
    pytest.mark.interpreted_only,
    pytest.mark.skipif(find_spec("psutil") is None, reason="needs psutil, which Ray brings"),
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
]


def eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 60.0
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


OWNING = """
from outflank.distributed.engines.on_ray import ray_directories
ray_directories._base = lambda: {base!r}
directory = ray_directories.OwnedDirectory()
(directory.path / "token").write_text("secret")
print(directory.path, flush=True)
input()
"""


@pytest.fixture
def base(tmp_path, monkeypatch) -> str:
    monkeypatch.setattr(ray_directories, "_base", lambda: str(tmp_path))
    return str(tmp_path)


@pytest.fixture
def owner(base) -> Iterator[tuple["subprocess.Popen[str]", Path]]:
    """Another process that owns a directory."""
    with subprocess.Popen(
        [sys.executable, "-c", OWNING.format(base=base)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        path = Path(process.stdout.readline().strip())
        assert (path / "token").exists()
        yield process, path
        process.kill()


def test_what_a_killed_process_leaves_is_cleared_by_its_guardian(owner):
    process, path = owner
    process.kill()
    process.wait()
    assert eventually(lambda: not path.exists())


def test_what_is_left_when_the_guardian_is_killed_too_is_cleared_by_the_next_start(owner, base):
    process, path = owner
    clear_ownerless()
    assert path.exists()  # its owner lives
    for pid in (*children(process.pid), process.pid):
        os.kill(pid, 9)
    process.wait()
    assert path.exists()
    following = OwnedDirectory()
    assert not path.exists()
    clear_ownerless()
    assert following.path.exists()
    following.clear()
    following.clear()  # a second time does nothing
    assert os.listdir(base) == []


def test_an_abandoned_directory_goes_without_being_waited_for(base):
    directory = OwnedDirectory()
    directory.abandon(used=True)
    assert eventually(lambda: not directory.path.exists())
    directory.path.mkdir()  # as Ray does, which a thread is still starting there
    directory.clear()
    assert os.listdir(base) == []


@pytest.mark.parametrize("kind", ["no owner", "not locked yet", "open to others", "a link", "an owner that is a link"])
def test_what_may_be_anothers_is_left_alone(kind, base):
    place = Path(base) / "outflank-1"
    if kind == "a link":
        real = Path(base) / "real"
        real.mkdir(mode=0o700)
        place.symlink_to(real)
        (real / OWNER).write_text("1\n")
    else:
        place.mkdir(mode=0o700)
        if kind == "an owner that is a link":
            (Path(base) / "file").write_text("1\n")
            (place / OWNER).symlink_to(Path(base) / "file")
        elif kind != "no owner":
            (place / OWNER).write_text("" if kind == "not locked yet" else "1\n")
        if kind == "open to others":
            place.chmod(0o755)
    clear_ownerless()
    assert place.exists()
