"""Whose files are: what other users own, or may write, is not taken for one's own.

Root counts as oneself: whatever root wants to happen here, happens.
"""

import os
import stat
import sys
from pathlib import Path

MOST_LINKS = 40
"""Symbolic links on one path before it is taken for a circle, as Linux does."""


def complaint(path: Path, found: os.stat_result, *, private: bool = False) -> str | None:
    """Why a file whose state is `found` is not this user's alone to write (`private`: nor to read); None if it is."""
    if sys.platform == "win32":  # modes say nothing there
        return None
    if found.st_uid not in (os.geteuid(), 0):
        return _foreign(path)
    if private and found.st_mode & 0o077:
        return f"others may read {path}"
    return _writable(path) if _others_write(found) else None


def exposure(path: Path) -> str | None:
    """How other users could decide what is found at `path`; None where they cannot.

    Looks at every directory and every link on the way, from the root down: where nobody else may write to a directory,
    nobody exchanges what was seen in it; nor in one with the sticky bit, as /tmp is, what does not belong to them.
    What is not there yet exposes nothing: make it with `make_private`, and look again.
    """
    if sys.platform == "win32":
        return None
    place = Path("/")
    # Its owner too: in a user namespace of one user, root's directories seem to belong to somebody else.
    trusted = {os.geteuid(), 0, os.stat(place).st_uid}
    left = list(reversed(Path.cwd().joinpath(path).parts[1:]))
    links = 0
    while left:
        part = left.pop()
        if part == "..":
            place = place.parent
            continue
        reached = place / part
        try:
            found = os.lstat(reached)
        except OSError:
            return None
        if found.st_uid not in trusted:
            return _foreign(reached)
        if stat.S_ISLNK(found.st_mode):
            links += 1
            if links > MOST_LINKS:
                return f"{path} leads through too many links"
            target = Path(os.readlink(reached))
            place = Path("/") if target.is_absolute() else place
            left += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            continue
        if _others_write(found) and not found.st_mode & stat.S_ISVTX:
            return _writable(reached)
        place = reached
    return None


def make_private(directory: Path) -> None:
    """Make a directory, and those above it that are missing, so that only this user enters."""
    if not directory.is_dir():
        make_private(directory.parent)
        directory.mkdir(mode=0o700, exist_ok=True)


def _foreign(path: Path) -> str:
    return f"{path} belongs to another user"


def _writable(path: Path) -> str:
    return f"others may write to {path}"


def _others_write(found: os.stat_result) -> bool:
    return bool(found.st_mode & 0o002 or (found.st_mode & 0o020 and not _is_private_group(found.st_gid)))


def _is_private_group(number: int) -> bool:
    """Whether a group is the one that many systems give each user: of the same name, with nobody else in it."""
    import grp
    import pwd

    try:
        name, group = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(number)
    except KeyError:
        return False
    return group.gr_name == name and set(group.gr_mem) <= {name}
