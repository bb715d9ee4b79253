"""Where this copy of the package comes from, and the command that adds the packages of an extra to it."""

import json
from pathlib import Path
from typing import Any

from outflank.command_lines import PROGRAM, command_line

HOME = Path(__file__).parent


def install_command(extra: str) -> str:
    """Return the command that installs the packages of `extra` beside this copy of the package.

    A checkout is named by its folder (`.` if that is the current one), and any other source as pip has recorded it.
    """
    root = HOME.parents[1]
    if HOME.parent.name == "src" and (root / "pyproject.toml").is_file():
        return command_line(["pip", "install", "-e", f"{_shortened(root)}[{extra}]"])
    return command_line(["pip", "install", _requirement(extra, _origin())])


def _requirement(extra: str, origin: dict[str, Any]) -> str:
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    url = str(origin.get("url", ""))
    if not url:
        return f"{PROGRAM}[{extra}]"
    if "dir_info" in origin:
        return f"{_shortened(Path(url2pathname(urlsplit(url).path)))}[{extra}]"
    if "vcs_info" in origin:
        vcs = origin["vcs_info"]
        url = f"{vcs['vcs']}+{url}@{vcs['commit_id']}"
    return f"{PROGRAM}[{extra}] @ {url}"


def _origin() -> dict[str, Any]:
    """Return the record of pip: where the package was installed from. It is empty for a package index."""
    from importlib.metadata import PackageNotFoundError, distribution  # takes 20 ms

    try:
        record = distribution(PROGRAM).read_text("direct_url.json")
    except PackageNotFoundError:
        return {}
    return dict(json.loads(record or "{}"))


def _shortened(folder: Path) -> Path:
    return Path() if folder == Path.cwd() else folder
