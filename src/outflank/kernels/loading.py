"""Importing Numba: which versions fit, and one line where it cannot be imported, or the environment misleads it."""

import os
import warnings

from outflank.errors import InvalidOption, OutflankError

OLDEST, TOO_NEW = (0, 66), (0, 69)
"""The first version of Numba with which kernels compile, and the first that was not tried, as in `pyproject.toml`."""

_UNREADABLE = "Environment variable '"
"""How Numba begins its warning of a value that it cannot read, and goes on without."""


def import_numba() -> None:
    """Import Numba, or raise one line: a version that does not fit, or what the environment says that it cannot use."""
    _check_features(os.environ.get("NUMBA_CPU_FEATURES", ""))
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", _UNREADABLE, RuntimeWarning)
            import numba
    except (ImportError, MemoryError):
        raise
    except Exception as error:
        given = {name: value for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")}
        unread = {name: value for name, value in given.items() if str(error).startswith(f"{_UNREADABLE}{name}'")}
        if not given:
            raise
        words = ", ".join(f"{name}={value}" for name, value in (unread or given).items())
        why = "it cannot read the value" if unread else f"{type(error).__name__}: {error}"
        raise InvalidOption(f"Numba cannot be loaded with {words}: {why}") from None
    check_version(numba.__version__)


def _check_features(text: str) -> None:
    """LLVM ends the process where a feature has no sign."""
    for feature in filter(None, text.split(",")):
        if feature[0] not in "+-":
            raise InvalidOption(f"NUMBA_CPU_FEATURES={text}: expected + or - before every feature, found {feature!r}")


def check_version(version: str) -> None:
    """Refuse a version of Numba with which no kernel compiles; warn of one that was not tried."""
    parts = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if parts < OLDEST:
        fitting = f"numba>={_dotted(OLDEST)},<{_dotted(TOO_NEW)}"
        raise OutflankError(f"Numba {version} is too old for outflank: pip install '{fitting}'")
    if parts >= TOO_NEW:
        warnings.warn(
            f"Numba {version} has not been tried: kernels may fail; versions below {_dotted(TOO_NEW)} work",
            RuntimeWarning,
            stacklevel=2,
        )


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
