"""A digest of the package's sources, which identifies its code even without a repository."""

from functools import cache
from hashlib import sha256
from pathlib import Path

HOME = Path(__file__).parent


@cache
def sources_digest() -> str:
    """Return a digest of the package's source files. It does not depend on the folder of the installation."""
    digest = sha256()
    for path in sorted(HOME.rglob("*.py"), key=lambda path: path.relative_to(HOME).as_posix()):
        text = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.relative_to(HOME).as_posix()} {len(text)}\n".encode() + text)
    return digest.hexdigest()[:16]
