"""A digest of the package's files, which identifies its code and its weights even without a repository."""

from functools import cache
from hashlib import sha256
from pathlib import Path

HOME = Path(__file__).parent

# The digest covers code, and the data that a process loads once: weights and opening books. Moves and values depend on
# both. The digest identifies them for a process that stays after its command, and in the record of a measurement.
SUFFIXES = (".py", ".weights", ".depths.json", ".book")
"""Endings of the names of the files that the digest covers."""


@cache
def sources_digest() -> str:
    """Return a digest of the package's source files, weights and opening books. It does not depend on the folder of the
    installation."""
    digest = sha256()
    paths = (path for path in HOME.rglob("*") if path.name.endswith(SUFFIXES))
    for path in sorted(paths, key=lambda path: path.relative_to(HOME).as_posix()):
        text = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.relative_to(HOME).as_posix()} {len(text)}\n".encode() + text)
    return digest.hexdigest()[:16]
