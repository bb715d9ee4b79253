"""Tokens: one line in a file that only its owner reads."""

import os
import secrets
from pathlib import Path

from outflank.errors import OutflankError, reason_of
from outflank.folders import config_folder, expanded
from outflank.ownership import complaint, make_private


def token_path(given: str | Path | None = None) -> Path:
    """Where the token is: as given, or `OUTFLANK_CLUSTER_TOKEN`, or Ray's `RAY_AUTH_TOKEN_PATH`, or the usual place."""
    chosen = given or os.environ.get("OUTFLANK_CLUSTER_TOKEN") or os.environ.get("RAY_AUTH_TOKEN_PATH")
    return expanded(chosen) if chosen else config_folder() / "cluster-token"


def read_token(given: str | Path | None = None) -> tuple[Path, str]:
    """The token's file and the token; an error where there is none, or where others may read it."""
    path = token_path(given)
    try:
        with path.open("rb") as stream:
            # Asked of the open file, which cannot be exchanged for another between the question and the reading.
            found = os.fstat(stream.fileno())
            if problem := complaint(path, found, private=True):
                ours = found.st_uid == os.geteuid()
                advice = (
                    "run chmod 600 on it, and make a new token if they did" if ours else "a token must be one's own"
                )
                raise OutflankError(f"{problem}: {advice}")
            token = stream.readline(4096).decode("ascii", "replace").strip()
    except FileNotFoundError:
        raise OutflankError(
            f"there is no token in {path}: copy it there from the head of the cluster, or name it with --token-file"
        ) from None
    except OSError as error:
        raise OutflankError(f"no token in {path}: {reason_of(error)}") from None
    if len(token) < 32 or not token.isalnum():
        raise OutflankError(f"{path} does not hold a token: expected one line of 32 letters and digits or more")
    return path, token


def make_token(given: str | Path | None = None) -> tuple[Path, str]:
    """The token that is there, or a fresh one of 256 bits in a file of mode 0600."""
    path = token_path(given)
    try:
        make_private(path.parent)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(secrets.token_hex(32) + "\n")
    except FileExistsError:
        pass
    except OSError as error:
        raise OutflankError(f"cannot keep a token in {path}: {reason_of(error)}") from None
    return read_token(path)
