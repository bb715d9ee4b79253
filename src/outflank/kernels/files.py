"""The files of compiled kernels: where they are, and which are trusted.

To load one is to run it. So nothing is read from, or kept in, a place where other users decide what is there.
"""

import hashlib
import os
import shutil
import stat
import tempfile
import warnings
from pathlib import Path

from outflank.errors import OutflankError
from outflank.folders import NoHome, cache_folder
from outflank.ownership import complaint, exposure, make_private

GENERATIONS_KEPT = 6
"""How many digests' directories stay on disk; older ones are removed. One is one or two MB."""

SEAL_BYTES = 16


class Exposed(OutflankError):
    """Other users decide what is in the cache."""


def require_ours(folder: Path) -> None:
    """Refuse a folder that others may reach."""
    problem = exposure(folder)
    if problem:
        raise Exposed(f"kernels are neither kept in {folder} nor run from there ({problem})")


def prepare(folder: Path) -> None:
    """Make a folder that is `require_ours`."""
    require_ours(folder)
    make_private(folder)
    require_ours(folder)  # in a directory that is everybody's, somebody may have been faster


def read(path: Path) -> bytes | None:
    """What was kept as `path`; None if it is missing, damaged, or another's. The folder must be `require_ours`."""
    try:
        # Whatever it is, opening it must not wait; and what is asked of an open file is not exchanged for another.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                return None
            if problem := complaint(path, found):
                warn_once(f"a kernel is not run from {path.parent} ({problem})")
                return None
            data = file.read()
    except OSError:
        return None
    seal, payload = data[:SEAL_BYTES], data[SEAL_BYTES:]
    return payload if seal == _seal(path.name, payload) else None


def write(path: Path, payload: bytes) -> None:
    """Put `payload` where `read` finds it, whole or not at all."""
    if not path.parent.exists():
        prepare(path.parent)
        _forget_old_generations(path.parent.parent)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_seal(path.name, payload) + payload)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _seal(name: str, payload: bytes) -> bytes:
    """A checksum over the name as well: another kernel's file is no kernel under this name."""
    return hashlib.blake2b(name.encode() + b"\0" + payload, digest_size=SEAL_BYTES).digest()


def _forget_old_generations(parent: Path) -> None:
    """Bound the disk space. A process that still uses an old generation only compiles again."""
    generations = sorted(parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in generations[GENERATIONS_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def occupation() -> tuple[int, int]:
    """How many kernels of all generations are on disk, and their bytes."""
    try:
        sizes = [path.stat().st_size for path in (cache_folder() / "kernels").rglob("*.kernel")]
    except (OSError, NoHome):
        return 0, 0
    return len(sizes), sum(sizes)


_warned = False


def warn_once(problem: str) -> None:
    """Say once per process that nothing can be kept, and what to do."""
    global _warned
    if not _warned:
        _warned = True
        advice = "every process compiles them again; set OUTFLANK_CACHE_DIR to a directory that only you can write"
        warnings.warn(f"{problem}: {advice}", RuntimeWarning, stacklevel=2)
