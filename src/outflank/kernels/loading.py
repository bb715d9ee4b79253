"""Import of Numba: supported versions, and one-line errors if the import fails or the environment is wrong."""

import os
import warnings

from outflank.errors import InvalidOption, OutflankError

OLDEST, TOO_NEW = (0, 66), (0, 69)
"""First version of Numba that compiles the kernels, and first version that was not tested. `pyproject.toml` has the
same versions."""

_UNREADABLE = "Environment variable '"
"""Beginning of Numba's warning that it ignores an environment variable because it cannot read the value."""


def import_numba() -> None:
    """Import Numba; raise a one-line error if its version is too old, or if it rejects environment variables."""
    _check_features(os.environ.get("NUMBA_CPU_FEATURES", ""))
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", _UNREADABLE, RuntimeWarning)
            import numba
    except (ImportError, MemoryError):
        raise
    except Exception as error:
        variables = {name: value for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")}
        unreadable = {
            name: value for name, value in variables.items() if str(error).startswith(f"{_UNREADABLE}{name}'")
        }
        if not variables:
            raise
        variables_text = ", ".join(f"{name}={value}" for name, value in (unreadable or variables).items())
        why = "it cannot read the value" if unreadable else f"{type(error).__name__}: {error}"
        raise InvalidOption(f"Numba cannot be loaded with {variables_text}: {why}") from None
    check_version(numba.__version__)


def _check_features(text: str) -> None:
    """Raise `InvalidOption` if a processor feature in `text` has no sign: LLVM would end the process."""
    for feature in filter(None, text.split(",")):
        if feature[0] not in "+-":
            raise InvalidOption(f"NUMBA_CPU_FEATURES={text}: expected + or - before every feature, found {feature!r}")


def check_version(version: str) -> None:
    """Raise `OutflankError` for a version of Numba that is too old; warn of one that was not tested."""
    parts = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if parts < OLDEST:
        requirement = f"numba>={_dotted(OLDEST)},<{_dotted(TOO_NEW)}"
        raise OutflankError(f"Numba {version} is too old for outflank: pip install '{requirement}'")
    if parts >= TOO_NEW:
        warnings.warn(
            f"Numba {version} has not been tried: kernels may fail; versions below {_dotted(TOO_NEW)} work",
            RuntimeWarning,
            stacklevel=2,
        )


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
