"""The provenance of a result: the command, commit, machine and versions that are needed to repeat or judge it."""

import json
import platform
import subprocess
import sys
from collections.abc import Collection
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

import outflank
from outflank.command_lines import PROGRAM, command_line
from outflank.machine import this_machine
from outflank.package_digest import sources_digest
from outflank.user_modules import import_options
from outflank.validation.documents import JsonObject
from outflank.validation.text import comma_separated

LIBRARIES = ("numba", "llvmlite", "numpy")


def provenance(command: str, **more: object) -> JsonObject:
    """Return the command, the time, the commit, the machine and the versions of libraries, together with `more`."""
    return {
        "command": command,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "package": package(),
        "machine": asdict(this_machine()),
        "versions": {
            "outflank": outflank.__version__,
            "python": platform.python_version(),
            **{library: _version(library) for library in LIBRARIES},
        },
        **more,
    }


def commit() -> str | None:
    """Return the commit of the package's repository, with `-dirty` if files were changed, or None if there is none."""
    home = Path(outflank.__file__).parent
    if not any((parent / ".git").exists() for parent in (home.parent, home.parent.parent)):
        return None
    return first_line("git", "-C", str(home), "describe", "--always", "--dirty") or None


def package() -> dict[str, str]:
    """Return the version, origin and source digest of this package, which identify it even without a repository."""
    return {"version": outflank.__version__, "from": installed_from(), "sources": sources_digest()}


def installed_from() -> str:
    """Return the origin of the installed package. A path or URL is cut to its last part, because reports are public."""
    home = Path(outflank.__file__).parent
    try:
        package_ = distribution("outflank")
        installed = Path(str(package_.locate_file("outflank"))).resolve() == home.resolve()
        origin = json.loads(package_.read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return "a folder, not installed"
    url = str(origin.get("url", "")).rstrip("/")
    name = url.rpartition("/")[2]
    if not installed:
        return "a checkout"
    if "vcs_info" in origin:
        return f"{origin['vcs_info'].get('vcs', 'git')} {name} {origin['vcs_info'].get('commit_id', '')[:12]}".strip()
    if "dir_info" in origin:
        return f"the folder {name}"
    return f"the file {name}" if name else "a package index"


def first_line(*command: str) -> str:
    """Return the first line that a program prints, or an empty string if the program does not exist."""
    try:
        process = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return ""
    return (process.stdout.splitlines() or [""])[0]


def repeat_command(name: str, parameters: JsonObject, defaults: JsonObject, *, arguments: Collection[str] = ()) -> str:
    """Return the command that repeats a run, without default values, with `--import` of this process's user modules.

    Parameters named in `arguments` are positional.
    """
    options = import_options()
    positional: list[str] = []
    for key, value in parameters.items():
        if value == defaults.get(key) or value is None:
            continue
        if key in arguments:
            positional += map(str, value)
            continue
        flag = f"--{key.replace('_', '-')}"
        if isinstance(value, bool):
            options.append(flag if value else f"--no-{key.replace('_', '-')}")
        else:
            several = isinstance(value, tuple | list)
            options += [flag, comma_separated(map(str, value)) if several else str(value)]
    dashes = any(word.startswith("-") for word in positional)
    return command_line([PROGRAM, "lab", name, *([*options, "--", *positional] if dashes else [*positional, *options])])


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return sys.modules[library].__version__ if library in sys.modules else None
