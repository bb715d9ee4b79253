"""Compiled kernels kept on disk, one file per kernel and signature.

Numba's own cache has two faults for a package made of many small modules. It stamps an
entry with the one file that the function is in, so that an edited helper elsewhere is
served stale; and two processes that start cold can overwrite each other's numbered
files, so that a third one loads the wrong code. Here

- the directory's name is a digest of every source that kernels are made of, and a
  kernel that can reach users' code is keyed by the sources of their modules as well;
- a file's name is a digest of kernel, signature and processor; it is written under
  another name and renamed, and it carries a checksum. Writers of the same file write
  the same thing, so nobody needs a lock.

A cache that cannot be read or written costs time and a warning, never an answer.
"""

import ast
import hashlib
import importlib.util
import os
import pickle
import shutil
import sys
import sysconfig
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache as memoize
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

PACKAGE = Path(__file__).resolve().parent.parent
KERNEL_FOLDERS = ("kernels", "games", "search", "parallel", "gpu")
"""Where the package keeps code that is compiled: an edited command line recompiles nothing."""

GENERATIONS_KEPT = 6
"""How many digests' directories stay on disk; older ones are removed. One is about 2 MB."""


@dataclass(frozen=True, slots=True)
class Event:
    """One kernel made ready for one signature."""

    kernel: str
    types: tuple[str, ...]
    """The classes that select its bodies: the game's, the evaluation's, …"""
    how: Literal["compiled", "loaded"]
    seconds: float


history: list[Event] = []
"""What this process compiled or loaded, in order."""


def _say_on_terminal(message: str) -> None:
    if sys.stderr.isatty():
        print(message, file=sys.stderr, flush=True)


announce: Callable[[str], None] = _say_on_terminal
"""Told once, before the first compilation of a process."""


def directory() -> Path:
    """The cache directory: `OUTFLANK_CACHE_DIR`, or the system's usual place for caches."""
    chosen = os.environ.get("OUTFLANK_CACHE_DIR")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "outflank"


# --- which sources a kernel is made of ------------------------------------------------

_foreign: dict[str, bytes | None] = {}  # user's module -> digest of its sources; None: it has no file
_touched: set[type] = set()  # types of ours for which a user's module registered a body


def note_origin(module: str, cls: type | None = None) -> None:
    """Remember that `module` defines kernel code, for the type `cls` if it is given.

    The sources are read now, while the module is being imported: an edit made later in
    the life of the process must not be taken for what was compiled.
    """
    if _ours(module):
        _package_digest()
        return
    if module not in _foreign:
        _foreign[module] = None
        _foreign[module] = _digest_of_module(module)
    if cls is not None:
        _touched.add(cls)


def _ours(module: str) -> bool:
    return module == "outflank" or module.startswith("outflank.")


@memoize
def _package_digest() -> str:
    digest = hashlib.blake2b(digest_size=8)
    for folder in KERNEL_FOLDERS:
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0")
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _digest_of_module(name: str) -> bytes | None:
    """Digest of a user's module and of the modules of theirs that it imports."""
    digest = hashlib.blake2b(digest_size=16)
    seen: set[str] = set()
    todo = [name]
    while todo:
        current = todo.pop()
        module = sys.modules.get(current)
        source = _source(module)
        if current in seen or module is None or (current != name and not _is_users(module, name)):
            continue
        if source is None or current == "__main__":
            if current == name:
                return None
            continue
        seen.add(current)
        digest.update(current.encode() + b"\0" + source)
        todo += sorted(_imports(source, module))
    return digest.digest()


def _source(module: ModuleType | None) -> bytes | None:
    file = getattr(module, "__file__", None)
    try:
        return Path(file).read_bytes() if file and file.endswith(".py") else None
    except OSError:
        return None


def _imports(source: bytes, module: ModuleType) -> Iterator[str]:
    """Names of the modules that `source` imports, as far as they can be read off."""
    package = module.__package__ or ""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            target = "." * node.level + (node.module or "")
            try:
                base = importlib.util.resolve_name(target, package) if node.level else target
            except ImportError:
                continue
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _is_users(module: ModuleType, origin: str) -> bool:
    """Whether `module` is the user's own: of the same package, or not an installed one."""
    if _ours(module.__name__):
        return False
    if module.__name__.split(".")[0] == origin.split(".")[0]:
        return True
    paths = sysconfig.get_paths()
    installed = tuple(paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib"))
    return not str(getattr(module, "__file__", "")).startswith(installed)


def _users_sources(module: str, classes: Iterable[type]) -> bytes | None:
    """Digest of all users' kernel sources if the signature can reach them; None: not known."""
    reaches = not _ours(module) or any(not _ours(cls.__module__) or cls in _touched for cls in classes)
    if not reaches:
        return b""
    digests = [_foreign[name] for name in sorted(_foreign)]
    if None in digests:
        return None
    return b"".join(digest for digest in digests if digest)


def _classes(numba_type: Any) -> Iterator[type]:
    """The Python classes of the named tuples inside a Numba type."""
    if isinstance(numba_type, tuple):
        for part in numba_type:
            yield from _classes(part)
        return
    cls = getattr(numba_type, "instance_class", None)
    if cls is not None:
        yield cls
    parts = getattr(numba_type, "types", None)
    if isinstance(parts, tuple):
        yield from _classes(parts)


# --- the cache ------------------------------------------------------------------------


class KernelCache:
    """What a Numba dispatcher asks of its cache, for one kernel."""

    _announced = False
    _warned = False

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self._module = function.__module__
        self._name = name
        self._started: dict[Any, float] = {}

    @property
    def cache_path(self) -> str:
        """The directory of this generation of kernels."""
        return str(generation())

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled code for `signature`, or None: it must be compiled."""
        started = time.perf_counter()
        path = self._path(signature, target.codegen())
        payload = _read(path) if path else None
        if payload is not None:
            from numba.core.compiler import CompileResult

            target.refresh()  # the run-time symbols that the code refers to: without them it calls address 0
            result = CompileResult._rebuild(target, *payload)
            self._note(signature, "loaded", time.perf_counter() - started)
            return result
        if not KernelCache._announced:
            KernelCache._announced = True
            announce(f"compiling kernels (once; kept in {generation()}) …")
        self._started[signature] = started
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what has just been compiled."""
        seconds = time.perf_counter() - self._started.pop(signature, time.perf_counter())
        self._note(signature, "compiled", seconds)
        path = self._path(signature, result.codegen)
        if path is None or result.lifted or result.library.has_dynamic_globals:
            return
        from numba.core.serialize import dumps

        try:
            _write(path, dumps(result._reduce()))
        except OSError as error:
            if not KernelCache._warned:
                KernelCache._warned = True
                warnings.warn(
                    f"kernels cannot be kept in {path.parent} ({error.strerror}): every process compiles "
                    "them again; set OUTFLANK_CACHE_DIR to a directory that can be written",
                    RuntimeWarning,
                    stacklevel=2,
                )

    def flush(self) -> None:
        """Nothing is held back: every file is written at once."""

    def _note(self, signature: Any, how: Literal["compiled", "loaded"], seconds: float) -> None:
        types = tuple(cls.__name__ for cls in _classes(signature))
        history.append(Event(self._name, types, how, seconds))

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        """The file for `signature`; None where users' sources cannot be read, as in a notebook."""
        classes = sorted(set(_classes(signature)), key=lambda cls: (cls.__module__, cls.__qualname__))
        users = _users_sources(self._module, classes)
        if users is None:
            return None
        names = [f"{cls.__module__}.{cls.__qualname__}" for cls in classes]
        key = repr((self._name, str(signature), names, codegen.magic_tuple(), sys.version_info[:2]))
        digest = hashlib.blake2b(key.encode() + users, digest_size=12).hexdigest()
        return generation() / f"{self._name}-{digest}.kernel"


@memoize
def generation() -> Path:
    """The directory for these sources and this compiler."""
    import llvmlite
    import numba
    import numpy

    versions = f"{_package_digest()} {numba.__version__} {llvmlite.__version__} {numpy.__version__}"
    digest = hashlib.blake2b(versions.encode(), digest_size=8).hexdigest()
    return directory() / "kernels" / digest


def _read(path: Path) -> Any:
    """The payload in `path`; None if it is missing or damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    checksum, payload = data[:16], data[16:]
    if hashlib.blake2b(payload, digest_size=16).digest() != checksum:
        return None
    return pickle.loads(payload)


def _write(path: Path, payload: bytes) -> None:
    """Put `payload` where `_read` finds it, whole or not at all."""
    if not path.parent.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        _forget_old_generations(path.parent.parent)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.blake2b(payload, digest_size=16).digest() + payload)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _forget_old_generations(parent: Path) -> None:
    """Bound the disk space. A process that still uses an old generation only compiles again."""
    generations = sorted(parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in generations[GENERATIONS_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def occupation() -> tuple[int, int]:
    """How many kernels of all generations are on disk, and their bytes."""
    try:
        sizes = [path.stat().st_size for path in (directory() / "kernels").rglob("*.kernel")]
    except OSError:
        return 0, 0
    return len(sizes), sum(sizes)
