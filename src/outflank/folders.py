"""Where files of a user are kept: a folder for each purpose, where the system has its place for that.

platformdirs knows the places: it takes 3 ms to import, and only who needs one does. For settings and notes it is asked
as on Linux on every system: `~/.config` is where people look for a command's on macOS too, and where theirs are.
"""

import os
from collections.abc import Callable
from pathlib import Path

from outflank.errors import OutflankError

NAME = "outflank"


class NoHome(OutflankError):
    """There is no home directory to keep anything in."""


def cache_folder() -> Path:
    """For what can be made again: `OUTFLANK_CACHE_DIR`, or the system's usual place for caches."""
    chosen = os.environ.get("OUTFLANK_CACHE_DIR")
    if chosen:
        return expanded(chosen)
    from platformdirs import PlatformDirs

    return _found(lambda: PlatformDirs(NAME, appauthor=False, opinion=False).user_cache_dir, "caches")


def config_folder() -> Path:
    """For what the user has chosen, or was given."""
    from platformdirs.unix import Unix

    return _found(lambda: Unix(NAME).user_config_dir, "settings")


def state_folder() -> Path:
    """For notes on what is under way."""
    from platformdirs.unix import Unix

    return _found(lambda: Unix(NAME).user_state_dir, "notes")


def data_folder() -> Path:
    """For what the user has made, and cannot be made again: games."""
    from platformdirs.unix import Unix

    return _found(lambda: Unix(NAME).user_data_dir, "games")


def expanded(path: str | Path) -> Path:
    """The path, with ~ read as the home directory."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise NoHome(f"there is no home directory, and {path} needs one") from None


def _found(look: Callable[[], str], what: str) -> Path:
    try:
        found = Path(look())
    except RuntimeError:
        found = Path("~")
    if not found.is_absolute():  # as platformdirs of old has it
        raise NoHome(f"there is no home directory to keep {what} in")
    return found
