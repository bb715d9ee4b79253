"""What other users own or may write is not taken for one's own."""

import os
import sys
from pathlib import Path

import pytest

from outflank import ownership
from outflank.distributed.engines.on_ray.membership import members
from outflank.errors import OutflankError
from outflank.kernels import cache_files
from outflank.ownership import complaint, exposure, make_private

pytestmark = [
    pytest.mark.interpreted_only,
    pytest.mark.skipif(sys.platform == "win32", reason="modes say nothing there"),
]

as_root = pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root gives files away")
STRANGER = 54321


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path.resolve() / "place"


@pytest.fixture
def foreign(monkeypatch):
    """Make a path seem another user's: without root, nobody can give it away."""
    real, real_fstat, theirs = os.lstat, os.fstat, set()

    def disguised(found: os.stat_result) -> os.stat_result:
        return os.stat_result((*found[:4], STRANGER, *found[5:10]))

    def lstat(path, **options):
        return disguised(real(path, **options)) if os.fspath(path) in theirs else real(path, **options)

    def fstat(handle):
        found = real_fstat(handle)
        inodes = {real(path).st_ino for path in theirs}
        return disguised(found) if found.st_ino in inodes else found

    monkeypatch.setattr(ownership.os, "lstat", lstat)
    monkeypatch.setattr(os, "fstat", fstat)
    return lambda path: theirs.add(os.fspath(path))


def test_what_is_made_private_is_ones_own(place):
    before = os.umask(0)
    try:
        make_private(place / "a" / "b")
        make_private(place / "a" / "b")
    finally:
        os.umask(before)
    for path in (place, place / "a", place / "a" / "b"):
        assert path.stat().st_mode & 0o777 == 0o700
    assert exposure(place / "a" / "b") is None
    assert exposure(place / "not" / "yet" / "there") is None


@pytest.mark.parametrize("mode", [0o777, 0o702, 0o773])
def test_a_directory_that_others_may_write_exposes_all_below(place, mode):
    make_private(place / "a" / "b")
    place.chmod(mode)
    for path in (place, place / "a", place / "a" / "b", place / "a" / "b" / "missing"):
        assert exposure(path) == f"others may write to {place}"
    place.chmod(0o1777)
    assert exposure(place / "a" / "b") is None  # as in /tmp


def test_a_group_counts_as_others_unless_it_is_the_users_own(place, monkeypatch):
    make_private(place)
    place.chmod(0o770)
    monkeypatch.setattr(ownership, "_is_private_group", lambda number: False)
    assert exposure(place) == f"others may write to {place}"
    monkeypatch.setattr(ownership, "_is_private_group", lambda number: True)
    assert exposure(place) is None


def test_another_users_directory_is_refused_wherever_it_is_on_the_way(place, foreign):
    make_private(place / "a" / "b")
    assert exposure(place / "a" / "b") is None
    foreign(place / "a")
    for path in (place / "a", place / "a" / "b", place / "a" / "b" / "missing"):
        assert exposure(path) == f"{place / 'a'} belongs to another user"
    assert exposure(place) is None


def test_links_are_followed_and_their_targets_seen(place, foreign):
    make_private(place / "home")
    make_private(place / "open" / "inside")
    (place / "open").chmod(0o777)
    (place / "home" / "link").symlink_to(place / "open" / "inside")
    (place / "home" / "near").symlink_to("../open/inside")
    (place / "home" / "good").symlink_to("../home")
    (place / "home" / "circle").symlink_to("circle")
    assert exposure(place / "home" / "link" / "x") == f"others may write to {place / 'open'}"
    assert exposure(place / "home" / "near") == f"others may write to {place / 'open'}"
    assert exposure(place / "home" / "good" / "good") is None
    assert "too many links" in exposure(place / "home" / "circle")
    # A link that somebody else left in a directory like /tmp.
    foreign(place / "home" / "good")
    assert exposure(place / "home" / "good") == f"{place / 'home' / 'good'} belongs to another user"


def test_relative_paths_are_followed_from_here(place, monkeypatch):
    make_private(place / "here")
    monkeypatch.chdir(place / "here")
    assert exposure(Path("kept")) is None
    place.chmod(0o777)
    assert exposure(Path("kept")) == f"others may write to {place}"
    assert exposure(Path("../other")) == f"others may write to {place}"


@pytest.mark.parametrize(
    ("mode", "writable", "readable"), [(0o600, False, False), (0o644, False, True), (0o646, True, True)]
)
def test_modes_of_files(place, mode, writable, readable):
    place.touch()
    place.chmod(mode)
    assert complaint(place, place.stat()) == (f"others may write to {place}" if writable else None)
    assert complaint(place, place.stat(), private=True) == (f"others may read {place}" if readable else None)


# --- kernels on disk ---


def test_kernels_are_not_read_from_where_others_write(place, recwarn, monkeypatch, foreign):
    monkeypatch.setattr(cache_files, "_warned", False)
    file = place / "kernels" / "a.kernel"
    cache_files.write(file, b"code")
    assert (file.parent.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
    cache_files.require_private(file.parent)
    assert cache_files.read(file) == b"code"
    file.chmod(0o666)
    assert cache_files.read(file) is None
    file.chmod(0o644)
    assert cache_files.read(file) == b"code"
    foreign(file)
    assert cache_files.read(file) is None
    (warning,) = recwarn
    assert f"others may write to {file}" in str(warning.message)
    assert "\n" not in str(warning.message)
    place.chmod(0o777)
    with pytest.raises(cache_files.Exposed, match=f"others may write to {place}"):
        cache_files.require_private(file.parent)
    with pytest.raises(cache_files.Exposed):
        cache_files.write(place / "elsewhere" / "a.kernel", b"code")
    assert not (place / "elsewhere").exists()


def test_a_kernel_under_another_name_is_none(place):
    file = place / "a.kernel"
    cache_files.write(file, b"code")
    other = file.rename(place / "b.kernel")
    assert cache_files.read(other) is None


@as_root
def test_root_keeps_nothing_in_another_users_home(place):
    make_private(place)
    os.chown(place, STRANGER, STRANGER)
    with pytest.raises(cache_files.Exposed, match=f"{place} belongs to another user"):
        cache_files.write(place / ".cache" / "outflank" / "kernels" / "a.kernel", b"code")
    assert list(place.iterdir()) == []


@as_root
def test_a_file_that_was_given_away_is_another_users(place, monkeypatch):
    cache_files.write(place / "a.kernel", b"code")
    os.chown(place / "a.kernel", STRANGER, STRANGER)
    monkeypatch.setattr(cache_files, "_warned", False)
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        assert cache_files.read(place / "a.kernel") is None


# --- notes of clusters ---


def test_notes_of_clusters_that_others_may_write_are_refused(place, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(place))
    assert members() == ()
    make_private(place)
    place.chmod(0o777)
    with pytest.raises(OutflankError, match=f"are not to be trusted: others may write to {place}"):
        members()
