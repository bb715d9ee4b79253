"""The user's folders for caches, settings, games, and files about running clusters.

platformdirs knows their usual paths. It takes 3 ms to import, so it is imported only when needed. All folders except
the cache have Linux's paths on every system: on macOS too, people look for a command's settings in `~/.config`.
"""

import os
from collections.abc import Callable
from pathlib import Path

from outflank.errors import OutflankError

NAME = "outflank"

GAMES_INDEX = "games.index"
"""Name of the index of games in the data folder, which `outflank explore` and the server look up by default."""


class NoHome(OutflankError):
    """The user has no home directory, so there is no folder for caches, settings or games."""


def cache_folder() -> Path:
    """Return the folder for files that can be made again: `OUTFLANK_CACHE_DIR`, or the system's folder for caches."""
    configured = os.environ.get("OUTFLANK_CACHE_DIR")
    if configured:
        return expanded(configured)
    from platformdirs import PlatformDirs

    return _folder(lambda: PlatformDirs(NAME, appauthor=False, opinion=False).user_cache_dir, "caches")


def config_folder() -> Path:
    """Return the folder for settings that the user has chosen or received, such as the token of a cluster."""
    from platformdirs.unix import Unix

    return _folder(lambda: Unix(NAME).user_config_dir, "settings")


def state_folder() -> Path:
    """Return the folder for files about running clusters."""
    from platformdirs.unix import Unix

    return _folder(lambda: Unix(NAME).user_state_dir, "notes")


def data_folder() -> Path:
    """Return the folder for the user's games, which cannot be made again."""
    from platformdirs.unix import Unix

    return _folder(lambda: Unix(NAME).user_data_dir, "games")


def expanded(path: str | Path) -> Path:
    """Return the path, with ~ replaced by the home directory."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise NoHome(f"there is no home directory, and {path} needs one") from None


def _folder(find: Callable[[], str], purpose: str) -> Path:
    try:
        path = Path(find())
    except RuntimeError:
        path = Path("~")
    if not path.is_absolute():  # older versions of platformdirs return a relative path
        raise NoHome(f"there is no home directory to keep {purpose} in")
    return path
