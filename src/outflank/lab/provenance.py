"""Where a result comes from: what is needed to repeat it, or to doubt it."""

import json
import platform
import subprocess
import sys
from collections.abc import Collection
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Any

import outflank
from outflank.command_lines import PROGRAM, command_line
from outflank.machine import this_machine
from outflank.words import comma_separated

LIBRARIES = ("numba", "llvmlite", "numpy")


def provenance(command: str, **more: Any) -> dict[str, Any]:
    """The command, the commit, the machine and the versions of now."""
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
    """The commit of the package's own repository, marked if files differ from it; None where there is none."""
    home = Path(outflank.__file__).parent
    if not any((parent / ".git").exists() for parent in (home.parent, home.parent.parent)):
        return None
    return first_line("git", "-C", str(home), "describe", "--always", "--dirty") or None


def package() -> dict[str, Any]:
    """Which outflank this is, also where there is no repository: its version, whence it came, and its sources."""
    return {"version": outflank.__version__, "from": installed_from(), "sources": sources_digest()}


def installed_from() -> str:
    """Where the package that runs was installed from. Of paths and addresses the last part alone: pages are shown."""
    home = Path(outflank.__file__).parent
    try:
        found = distribution("outflank")
        installed = Path(str(found.locate_file("outflank"))).resolve() == home.resolve()
        told = json.loads(found.read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return "a folder, not installed"
    url = str(told.get("url", "")).rstrip("/")
    name = url.rpartition("/")[2]
    if not installed:
        return "a checkout"
    if "vcs_info" in told:
        return f"{told['vcs_info'].get('vcs', 'git')} {name} {told['vcs_info'].get('commit_id', '')[:12]}".strip()
    if "dir_info" in told:
        return f"the folder {name}"
    return f"the file {name}" if name else "a package index"


@cache
def sources_digest() -> str:
    """A name for exactly these sources, wherever they lie: the same text gives the same one."""
    home = Path(outflank.__file__).parent
    digest = sha256()
    for path in sorted(home.rglob("*.py"), key=lambda path: path.relative_to(home).as_posix()):
        text = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.relative_to(home).as_posix()} {len(text)}\n".encode() + text)
    return digest.hexdigest()[:16]


def first_line(*command: str) -> str:
    """What a program prints first; nothing if there is no such program."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return ""
    return (done.stdout.splitlines() or [""])[0]


def in_command_line(
    name: str, chosen: dict[str, Any], defaults: dict[str, Any], *, arguments: Collection[str] = ()
) -> str:
    """The command that repeats a run: every parameter that is not the default one; `arguments` have no option."""
    options: list[str] = []
    named: list[str] = []
    for key, value in chosen.items():
        if value == defaults.get(key) or value is None:
            continue
        if key in arguments:
            named += map(str, value)
            continue
        flag = f"--{key.replace('_', '-')}"
        if isinstance(value, bool):
            options.append(flag if value else f"--no-{key.replace('_', '-')}")
        else:
            several = isinstance(value, tuple | list)
            options += [flag, comma_separated(map(str, value)) if several else str(value)]
    dashes = any(word.startswith("-") for word in named)
    return command_line([PROGRAM, "lab", name, *([*options, "--", *named] if dashes else [*named, *options])])


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return sys.modules[library].__version__ if library in sys.modules else None
