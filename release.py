"""The checklist of a release: `python -m release [--packages | --tag]`. It needs the extra `release`.

Without an option nothing is changed: the command looks at version, changelog and repository, builds the packages into
`dist/`, installs and tests each of them, and prints the commands that publish them. It never uploads anything. With
`--tag` it makes the tag if all steps succeed; with `--packages` it only builds and tests the packages, as CI does for
every commit. It stops at the first step that fails, and can be run again.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent
DIST = ROOT / "dist"
TOOLS = ("build", "twine", "check_wheel_contents", "validate_pyproject", "pyroma")
"""Modules of the extra `release`."""

PYROMA_RATING = 8  # of 10: there is no address of a home page or of an author

TRIED: dict[str, dict[str, Any]] = {
    "search --depth 6 --json": {"schema": "outflank/search/1", "depth": 6},
    "solve --size 4 --json": {"schema": "outflank/solve/1", "value": -10},  # Othello 4x4 is lost for black
    "match 'computer depth=2' 'computer depth=2' --games 2 --json": {
        "schema": "outflank/match-result/1",
        "complete": True,
    },
    "doctor --json": {"schema": "outflank/doctor/1", "passed": True},
}
"""Commands that are tried with each package, and what one of the printed documents must have."""

ANSWERED = {"/": "<title>", "/health": '"connections":0'}
"""Paths of the server, and what its answers must have."""

TIMEOUT_SECONDS = 1800.0
"""Timeout of every command. A slow network needs minutes to install Numba, and a slow processor to compile kernels."""

NOT_INHERITED = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NUMBA_DISABLE_JIT")
"""Environment variables that would let an installed package run other code than its own, or uncompiled code."""


class StepFailed(Exception):
    """A step of the checklist failed. The message is one line."""


# --- The state of the repository ---


def check_tools(modules: tuple[str, ...] = TOOLS) -> str:
    """Fail if a tool is missing, before anything that takes long."""
    if missing := [module.replace("_", "-") for module in modules if find_spec(module) is None]:
        raise StepFailed(f"not installed: {', '.join(missing)}; run pip install -e '.[release]'")
    return "all are installed"


def version_of(root: Path) -> str:
    """Return the package's version. CITATION.cff must have the same one."""
    pattern = re.compile(r"^(?:__version__ = |version: )\"?(\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?)\"?$", re.MULTILINE)
    versions: dict[str, str] = {}
    for name in ("src/outflank/__init__.py", "CITATION.cff"):
        line = pattern.search((root / name).read_text(encoding="utf-8"))
        if line is None:
            raise StepFailed(f"{name}: expected a version such as 1.2.3 or 1.2.3rc1")
        versions[name] = line[1]
    if len(set(versions.values())) > 1:
        raise StepFailed(", ".join(f"{name} has version {version}" for name, version in versions.items()))
    return versions.popitem()[1]


def changelog_date(text: str, version: str) -> date:
    """Return the date of the version's section, which must be the changelog's first section and must not be empty."""
    section = re.search(r"^## (\S+) \(([^)\n]*)\)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if section is None or section[1] != version:
        raise StepFailed(f"CHANGELOG.md: expected `## {version} (YYYY-MM-DD)` as the first section")
    try:
        day = date.fromisoformat(section[2])
    except ValueError:
        raise StepFailed(f"CHANGELOG.md: expected the date of {version}, as YYYY-MM-DD; found {section[2]!r}") from None
    if not section[3].strip():
        raise StepFailed(f"CHANGELOG.md: the section of {version} is empty")
    return day


def check_tree(root: Path, tag: str) -> str:
    """Fail if files differ from the last commit, or if the tag names another commit. Return what was found."""
    if changed := run("git", "status", "--porcelain", folder=root).splitlines():
        raise StepFailed(f"not committed: {changed[0][3:]}" + (f" and {len(changed) - 1} more" if changed[1:] else ""))
    commit = run("git", "rev-parse", "HEAD", folder=root).strip()
    tagged = tagged_commit(root, tag)
    if tagged not in ("", commit):
        raise StepFailed(f"tag {tag} is at {tagged[:12]}, but the last commit is {commit[:12]}")
    return f"{commit[:12]} is clean; tag {tag} {'is there' if tagged else 'is free'}"


def tagged_commit(root: Path, tag: str) -> str:
    """Return the commit of a tag, or an empty string if there is no such tag."""
    lines = run("git", "for-each-ref", "--format=%(objectname) %(*objectname)", f"refs/tags/{tag}", folder=root)
    return lines.split()[-1] if lines.split() else ""


def set_tag(root: Path, tag: str) -> str:
    """Tag the last commit, unless an earlier run has done so."""
    if tagged_commit(root, tag):
        return f"{tag} was there"
    run("git", "tag", "-a", tag, "-m", f"outflank {tag.removeprefix('v')}", folder=root)
    return f"{tag} made"


# --- The packages ---


def packages(version: str) -> dict[str, Path]:
    """Return the files of the packages, by kind."""
    return {"sdist": DIST / f"outflank-{version}.tar.gz", "wheel": DIST / f"outflank-{version}-py3-none-any.whl"}


def build(version: str) -> str:
    """Build the sdist, and from it the wheel."""
    run_tool("build", "--outdir", str(DIST), str(ROOT))
    files = packages(version).values()
    if absent := [path.name for path in files if not path.exists()]:
        raise StepFailed(f"no {' and no '.join(absent)} in dist/")
    return ", ".join(f"{path.name} {path.stat().st_size / 1e6:.1f} MB" for path in files)


def check_packages(version: str) -> str:
    """Run the tools that check metadata and contents."""
    files = packages(version)
    run_tool("twine", "check", "--strict", *map(str, files.values()))
    run_tool("check_wheel_contents", str(files["wheel"]))
    run_tool("validate_pyproject", str(ROOT / "pyproject.toml"))
    run_tool("pyroma", "--min", str(PYROMA_RATING), str(files["sdist"]))
    return "metadata and contents are valid"


def install(package: Path, folder: Path) -> str:
    """Install a package with the web server's requirements into a new environment. Return the number of packages."""
    run(sys.executable, "-m", "venv", str(folder))
    python = str(scripts(folder) / "python")
    run(python, "-m", "pip", "install", "--quiet", f"{package}[web]", environment=clean_environment(folder))
    listed = json.loads(run(python, "-m", "pip", "list", "--format", "json", environment=clean_environment(folder)))
    return f"{len(listed)} packages"


def scripts(environment: Path) -> Path:
    """Return the folder of the programs of a virtual environment."""
    return Path(sysconfig.get_path("scripts", "venv", vars={"base": str(environment)}))


def clean_environment(folder: Path) -> dict[str, str]:
    """Return environment variables with which only what is installed in `folder` runs. Both packages share a cache of
    kernels: the second one reads what the first has compiled, if its code is the same."""
    inherited = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
    return inherited | {"OUTFLANK_CACHE_DIR": str(folder.parent / "cache")}


def smoke_test(program: list[str], version: str, folder: Path, environment: dict[str, str]) -> str:
    """Run what a user does first, in an empty folder: the commands of `TRIED`, and the server."""
    outflank = partial(run, *program, folder=folder, environment=environment)
    if (line := outflank("--version").strip()) != f"outflank {version}":
        raise StepFailed(f"--version: expected outflank {version}, found {line}")
    for command, expected in TRIED.items():
        printed = outflank(*shlex.split(command)).splitlines()
        if not any(expected.items() <= json.loads(line).items() for line in printed):
            raise StepFailed(f"{command}: expected a document with {expected}, found {printed[-1:]}")
    with served([*program, "serve", "--port", "0", "--games", "games.sqlite"], folder, environment) as address:
        for path, content in ANSWERED.items():
            if content not in (answer := get(address, path)):
                raise StepFailed(f"serve: {path}: expected {content}, found {answer[:200]!r}")
    return ", ".join([*(command.split()[0] for command in TRIED), "serve"])


@contextmanager
def served(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> Iterator[str]:
    """Start a server, yield its host and port, and end it."""
    server = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    timer = threading.Timer(TIMEOUT_SECONDS, server.kill)
    timer.start()
    try:
        assert server.stdout is not None
        line = server.stdout.readline().strip()
        address = re.fullmatch(r"outflank is at http://(127\.0\.0\.1:\d+)/", line)
        if address is None:
            raise StepFailed(f"serve: expected its address, found {line!r}")
        yield address[1]
    finally:
        timer.cancel()
        server.terminate()
        server.communicate()


def get(address: str, path: str) -> str:
    """Return what a server answers."""
    connection = HTTPConnection(address, timeout=60.0)
    try:
        connection.request("GET", path)
        return connection.getresponse().read().decode()
    except OSError as error:
        raise StepFailed(f"serve: {path}: {error}") from None
    finally:
        connection.close()


# --- The steps, one after another ---


def run(*command: str, folder: Path = ROOT, environment: dict[str, str] | None = None) -> str:
    """Run a command to its end, and return its output. If it fails, its last line is the reason."""
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StepFailed(f"{shlex.join(command)}: {error}") from None
    if done.returncode != 0:
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise StepFailed(f"{shlex.join(command)}: status {done.returncode}: {(lines or ['no output'])[-1]}")
    return done.stdout


def run_tool(module: str, *arguments: str) -> None:
    """Run a tool of this environment. `-P` hides the files of this folder, such as `build/`, from its imports."""
    run(sys.executable, "-P", "-m", module, *arguments)


Steps = list[tuple[str, Callable[[], object]]]


def package_steps(version: str, folder: Path) -> Steps:
    """Return the steps that build and test the packages; `folder` is for their environments."""
    steps: Steps = [("build", partial(build, version)), ("checks", partial(check_packages, version))]
    for kind, package in packages(version).items():
        home, empty = folder / kind, folder / f"{kind}-user"
        empty.mkdir()
        use = partial(smoke_test, [str(scripts(home) / "outflank")], version, empty, clean_environment(home))
        steps += [(f"{kind}: install", partial(install, package, home)), (f"{kind}: use", use)]
    return steps


def perform(steps: Steps) -> bool:
    """Perform the steps, print a line for each, and return whether all succeeded. The first failure ends them."""
    for name, step in steps:
        started = time.perf_counter()
        try:
            outcome = f"{step()}"
        except StepFailed as failure:
            print(f"{name:<15} FAILED: {failure}", flush=True)
            return False
        print(f"{name:<15} {time.perf_counter() - started:6.1f} s  {outcome}", flush=True)
    return True


def main(arguments: list[str] | None = None) -> int:
    """Go through the checklist. The status is 1 if a step fails."""
    parser = argparse.ArgumentParser(prog="python -m release", description=(__doc__ or "").partition("\n\n")[2])
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--packages", action="store_true", help="only build and test the packages")
    choice.add_argument("--tag", action="store_true", help="make the tag if all steps succeed")
    options = parser.parse_args(arguments)
    if not perform([("tools", check_tools), ("version", lambda: version_of(ROOT))]):
        return 1
    version = version_of(ROOT)
    tag = f"v{version}"
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    state: Steps = [
        ("changelog", lambda: changelog_date(changelog, version)),
        ("repository", lambda: check_tree(ROOT, tag)),
    ]
    with tempfile.TemporaryDirectory(prefix="outflank-release-") as folder:
        if not perform(([] if options.packages else state) + package_steps(version, Path(folder))):
            return 1
    if options.packages:
        return 0
    if options.tag and not perform([("tag", lambda: set_tag(ROOT, tag))]):
        return 1
    files = shlex.join(path.relative_to(ROOT).as_posix() for path in packages(version).values())
    print("to publish" + ("" if options.tag else ", after `python -m release --tag`") + ":")
    print(f"  git push origin {tag}\n  python -m twine upload {files}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
