"""The secret token of a Ray cluster: one line in a file that only its owner can read."""

import os
import secrets
from pathlib import Path

from outflank.errors import OutflankError, reason_of
from outflank.folders import config_folder, expanded
from outflank.ownership import complaint, make_private


def token_path(token_file: str | Path | None = None) -> Path:
    """Return `token_file`, or the path in `OUTFLANK_CLUSTER_TOKEN` or `RAY_AUTH_TOKEN_PATH`, or the default path."""
    path = token_file or os.environ.get("OUTFLANK_CLUSTER_TOKEN") or os.environ.get("RAY_AUTH_TOKEN_PATH")
    return expanded(path) if path else config_folder() / "cluster-token"


def read_token(token_file: str | Path | None = None) -> tuple[Path, str]:
    """Return the token's file and the token; raise OutflankError if the file is missing or other users can read it."""
    path = token_path(token_file)
    try:
        with path.open("rb") as stream:
            # The check uses the open file, which cannot be replaced between the check and the reading.
            status = os.fstat(stream.fileno())
            if problem := complaint(path, status, private=True):
                is_own_file = status.st_uid == os.geteuid()
                advice = (
                    "run chmod 600 on it, and make a new token if they did"
                    if is_own_file
                    else "a token must be one's own"
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


def make_token(token_file: str | Path | None = None) -> tuple[Path, str]:
    """Return the token's file and the token; create a token of 256 bits, in a file of mode 0600, if there is none."""
    path = token_path(token_file)
    try:
        make_private(path.parent)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(secrets.token_hex(32) + "\n")
    except FileExistsError:
        pass
    except OSError as error:
        raise OutflankError(f"cannot keep a token in {path}: {reason_of(error)}") from None
    return read_token(path)
