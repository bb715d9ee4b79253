"""Checks whether other users own a file or folder, or may write to it. If so, it is not trusted.

Files of root are trusted like the user's own: root can change everything anyway.
"""

import os
import stat
import sys
from pathlib import Path

MOST_LINKS = 40
"""Limit on the symbolic links in one path, as on Linux. A path with more is taken for a cycle."""


def complaint(path: Path, status: os.stat_result, *, private: bool = False) -> str | None:
    """Return why a file is not trusted: others own it, may write to it or, if `private`, may read it. None: trusted."""
    if sys.platform == "win32":  # file modes mean nothing on Windows
        return None
    if status.st_uid not in (os.geteuid(), 0):
        return _foreign(path)
    if private and status.st_mode & 0o077:
        return f"others may read {path}"
    return _writable(path) if _others_write(status) else None


def exposure(path: Path) -> str | None:
    """Return how other users could change or replace the file or folder at `path`; None if they cannot.

    Checks every directory and link of the path, from the root down. Others can replace an entry of a directory to which
    they may write, unless the directory has the sticky bit (like /tmp) and the entry belongs to this user. A missing
    path returns None: make it with `make_private`, and check again.
    """
    if sys.platform == "win32":
        return None
    place = Path("/")
    # The owner of `/` is trusted, too: in a user namespace with one user, root's directories seem to belong to another.
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
            status = os.lstat(reached)
        except OSError:
            return None
        if status.st_uid not in trusted:
            return _foreign(reached)
        if stat.S_ISLNK(status.st_mode):
            links += 1
            if links > MOST_LINKS:
                return f"{path} leads through too many links"
            target = Path(os.readlink(reached))
            place = Path("/") if target.is_absolute() else place
            left += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            continue
        if _others_write(status) and not status.st_mode & stat.S_ISVTX:
            return _writable(reached)
        place = reached
    return None


def make_private(directory: Path) -> None:
    """Make a directory and its missing parents; only this user can enter the new ones."""
    if not directory.is_dir():
        make_private(directory.parent)
        directory.mkdir(mode=0o700, exist_ok=True)


def _foreign(path: Path) -> str:
    return f"{path} belongs to another user"


def _writable(path: Path) -> str:
    return f"others may write to {path}"


def _others_write(status: os.stat_result) -> bool:
    return bool(status.st_mode & 0o002 or (status.st_mode & 0o020 and not _is_private_group(status.st_gid)))


def _is_private_group(number: int) -> bool:
    """Return whether a group is the user's private one: it has the user's name and no other member."""
    import grp
    import pwd

    try:
        name, group = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(number)
    except KeyError:
        return False
    return group.gr_name == name and set(group.gr_mem) <= {name}
