"""Compiled kernels kept on disk, one file per kernel and signature.

Numba's own cache has two faults for a package made of many small modules. It stamps an
entry with the one file that the function is in, so that an edited helper elsewhere is
served stale; and two processes that start cold can overwrite each other's numbered
files, so that a third one loads the wrong code. Here

- the directory's name is a digest of every source that kernels are made of, and a
  kernel that can reach users' code is keyed by the sources of their modules as well;
- a file's name is a digest of kernel, signature, processor and form of lanes; it is written under
  another name and renamed, and it carries a checksum. Writers of the same file write
  the same thing, so nobody needs a lock.

A cache that cannot be read or written, or that others may write, costs time and a warning,
never an answer.
"""

import ast
import hashlib
import importlib.util
import os
import sys
import sysconfig
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache as memoize
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import numpy as np

from outflank.errors import reason_of
from outflank.folders import NoHome, cache_folder
from outflank.kernels import files, lane_forms, scripts, stored
from outflank.kernels.calling import Callee, publish
from outflank.kernels.loading import import_numba
from outflank.notices import tell

PACKAGE = Path(__file__).resolve().parent.parent
PLAIN_FOLDERS = ("arena", "boards", "players", "protocols", "ui")
"""Where the package keeps nothing that is compiled: an edited command line recompiles nothing. All other folders count,
each game's too, which are not named here."""

MIXED_FOLDERS = ("distributed", "formats", "lab")
"""Where few modules do: only those that name the compiler count."""


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


announce: Callable[[str], None] = tell
"""Told once, before the first compilation of a process."""


# --- which sources a kernel is made of ------------------------------------------------

_origins: set[str] = set()  # users' modules that define kernel code
_sources: dict[str, bytes] = {}  # users' modules, those they import included -> digest when they were imported
_touched: set[type] = set()  # types for which a user's module registered a body
_unkeyed: set[type] = set()  # types whose bodies hold values that no source tells
_untold: set[str] = set()  # origins with kernel code that their file does not hold
_defined: set[str] = set()  # users' kernel code: which of the functions in a file are defined may depend on anything


def note_origin(function: Callable[..., Any], cls: type | None = None) -> None:
    """Remember that `function` is kernel code, a body for the type `cls` if it is given.

    The sources are read now, while the module is being imported (or reloaded): an edit made
    later in the life of the process must not be taken for what was compiled.
    """
    module = function.__module__
    if _ours(module):
        _package_stamp()
        return
    _origins.add(module)
    _defined.add(f"{module} {function.__qualname__} {function.__code__.co_firstlineno}")
    if module == scripts.MAIN and not scripts.stands_in_the_script(function):
        _untold.add(module)
    for name, source in _reached(module):
        _sources[name] = hashlib.blake2b(source, digest_size=16).digest()
    if cls is not None:
        _touched.add(cls)
        if function.__closure__ or "<locals>" in cls.__qualname__:
            _unkeyed.add(cls)


def _ours(module: str) -> bool:
    return module == "outflank" or module.startswith("outflank.")


def _package_sources() -> list[Path]:
    """The package's files that may count, in order."""
    found: list[Path] = []
    for folder, inside, names in os.walk(PACKAGE):
        left_out = (*PLAIN_FOLDERS, "__pycache__") if folder == str(PACKAGE) else ("__pycache__",)
        inside[:] = sorted(name for name in inside if name not in left_out)
        found += (Path(folder, name) for name in sorted(names) if name.endswith(".py"))
    return found


def _counts(path: Path, source: bytes) -> bool:
    """Whether something is compiled from a file of the package."""
    parts = path.relative_to(PACKAGE).parts
    return (len(parts) > 1 and parts[0] not in MIXED_FOLDERS) or b"outflank.kernels" in source


@memoize
def _package_digest() -> str:
    digest = hashlib.blake2b(digest_size=8)
    for path in _package_sources():
        source = path.read_bytes()
        if _counts(path, source):
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + source)
    return digest.hexdigest()


def _package_state() -> tuple[tuple[int, int], ...] | None:
    """When the package's files were written, and their sizes; None while they are being exchanged.

    It is asked for with each kernel, so that no file is read for it.
    """
    try:
        return tuple((stat.st_mtime_ns, stat.st_size) for stat in map(os.stat, _package_sources()))
    except FileNotFoundError:
        return None


_looked: list[tuple[tuple[int, int], ...] | None] = []


@contextmanager
def _one_look() -> Iterator[None]:
    """Look at the package's files once for a kernel and those that it calls: it takes longer than to load one."""
    _looked.append(_looked[0] if _looked else _package_state())
    try:
        yield
    finally:
        _looked.pop()


@memoize
def _package_stamp() -> tuple[tuple[int, int], ...] | None:
    """The state of the package's files when its first kernel was imported."""
    _package_digest()
    return _package_state()


def _reached(name: str) -> Iterator[tuple[str, bytes]]:
    """A user's module and the modules of theirs that it imports, with their sources."""
    seen: set[str] = set()
    todo = [name]
    while todo:
        current = todo.pop()
        module = sys.modules.get(current)
        if current in seen or module is None or (current != name and not _is_users(module, name)):
            continue
        seen.add(current)
        source = _source(module)
        if source is not None:
            yield current, source
            todo += _imports(source, module.__package__ or "")


def _source(module: ModuleType) -> bytes | None:
    file = getattr(module, "__file__", None)
    try:
        return Path(file).read_bytes() if file and file.endswith(".py") else None
    except OSError:
        return None


@lru_cache(maxsize=256)  # asked again for every function that a module declares, and for every kernel that is looked up
def _imports(source: bytes, package: str) -> tuple[str, ...]:
    """Names of the modules that a source in `package` imports, in order, as far as they can be read off."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            target = "." * node.level + (node.module or "")
            try:
                base = importlib.util.resolve_name(target, package) if node.level else target
            except ImportError:
                continue
            found.update((base, *(f"{base}.{alias.name}" for alias in node.names)))
    return tuple(sorted(found))


def _is_users(module: ModuleType, origin: str) -> bool:
    """Whether `module` is the user's own: of the same package, or not an installed one."""
    if _ours(module.__name__):
        return False
    if module.__name__.split(".")[0] == origin.split(".")[0]:
        return True
    file = Path(getattr(module, "__file__", None) or "")
    # Not only this environment's own: there are users' installations, and environments that see the system's.
    if not {"site-packages", "dist-packages"}.isdisjoint(file.parts):
        return False
    paths = sysconfig.get_paths()
    return not any(file.is_relative_to(paths[key]) for key in ("stdlib", "platstdlib"))


def _constants(module: ModuleType) -> bytes:
    """The plain values among a module's globals: the compiler freezes those that kernels name."""
    plain = (bool, int, float, str, bytes, tuple, np.generic)
    digest = hashlib.blake2b(digest_size=16)
    for name, value in sorted(vars(module).items()):
        if not name.startswith("__") and isinstance(value, (*plain, np.ndarray)):
            shown = np.asarray(value).tobytes() if isinstance(value, np.ndarray) else repr(value).encode()
            digest.update(name.encode() + b"\0" + shown)
    return digest.digest()


def _users_part(module: str, classes: Collection[type]) -> bytes | None:
    """The part of a key that stands for users' code, empty if the signature cannot reach any.

    None: what it is made of cannot be told, as in a notebook, so that nothing can be kept.
    """
    if _ours(module) and all(_ours(cls.__module__) and cls not in _touched for cls in classes):
        return b""
    if _untold or any(cls in _unkeyed or "<locals>" in cls.__qualname__ for cls in classes):
        return None
    if any(cls.__module__ == scripts.MAIN and not scripts.is_found_by_name(cls) for cls in classes):
        return None
    parts = [repr(sorted(_defined)).encode()]
    for origin in sorted(_origins):
        reached = sorted(_reached(origin))
        if origin not in (name for name, _ in reached):
            return None
        for name, source in reached:
            # A module that was imported since the kernels were declared is read now.
            parts.append(_sources.setdefault(name, hashlib.blake2b(source, digest_size=16).digest()))
            parts.append(_constants(sys.modules[name]))
    return b"".join(parts)


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


class KeptKernel:
    """The files of one kernel, for whichever machine it is compiled."""

    _announced = False

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self._module = function.__module__
        self._function = function.__qualname__
        self._name = name
        self._started: dict[Any, float] = {}

    @property
    def cache_path(self) -> str:
        """The directory of this generation of kernels."""
        return str(generation())

    def flush(self) -> None:
        """Nothing is held back: every file is written at once."""

    def begin(self, signature: Any, started: float, *, kept: bool) -> None:
        """It is going to be compiled, which is told once in a process."""
        if not KeptKernel._announced:
            KeptKernel._announced = True
            announce("compiling kernels (once: they are kept) …" if kept else "compiling kernels …")
        self._started[signature] = started

    def done(self, signature: Any) -> None:
        """It has been compiled."""
        seconds = time.perf_counter() - self._started.pop(signature, time.perf_counter())
        self.note(signature, "compiled", seconds)

    def note(self, signature: Any, how: Literal["compiled", "loaded"], seconds: float) -> None:
        """Write down what has been made ready."""
        types = tuple(cls.__name__ for cls in _classes(signature))
        history.append(Event(self._name, types, how, seconds))

    def path(self, signature: Any, machine: tuple[Any, ...]) -> Path | None:
        """The file for `signature` on a machine, which its words tell from others; None where nothing can be kept."""
        classes = sorted(set(_classes(signature)), key=lambda cls: (cls.__module__, cls.__qualname__))
        users = _users_part(self._module, classes)
        # A package that was edited under this process is half the old one and half the new.
        state = _looked[0] if _looked else _package_state()
        if users is None or state is None or state != _package_stamp():
            return None
        names = [f"{cls.__module__}.{cls.__qualname__}" for cls in classes]
        key = repr((self._name, str(signature), names, *machine, sys.version_info[:2]))
        digest = hashlib.blake2b(key.encode() + users, digest_size=12).hexdigest()
        try:
            files.require_ours(generation())
        except (NoHome, files.Exposed) as error:
            files.warn_once(f"kernels are not kept: {error}" if isinstance(error, NoHome) else str(error))
            return None
        return generation() / f"{self._name}-{digest}.kernel"


def keep(path: Path, payload: bytes) -> None:
    """Write a kernel's file; where that cannot be, a warning says so."""
    try:
        files.write(path, payload)
    except OSError as error:
        files.warn_once(f"kernels cannot be kept in {path.parent} ({reason_of(error)})")
    except files.Exposed as error:
        files.warn_once(str(error))


class KernelCache(KeptKernel):
    """What a Numba dispatcher asks of its cache, for one kernel on this processor."""

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled code for `signature`, or None: it must be compiled."""
        started = time.perf_counter()
        with _one_look():
            path = self._path(signature, target.codegen())
            payload = files.read(path) if path else None
            result = stored.from_bytes(payload, target) if payload is not None else None
        if result is not None:
            self._publish(signature, result, path)
            self.note(signature, "loaded", time.perf_counter() - started)
            return result
        self.begin(signature, started, kept=path is not None)
        stored.take_up_what_was_registered(target)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what has just been compiled."""
        self.done(signature)
        path = self._path(signature, result.codegen)
        if result.lifted or result.library.has_dynamic_globals or not all(each.kept for each in result.library.callees):
            path = None
        self._publish(signature, result, path)
        if path is not None:
            keep(path, stored.to_bytes(result))

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        return self.path(signature, (codegen.magic_tuple(), lane_forms.forced()))

    def _publish(self, signature: Any, result: Any, path: Path | None) -> None:
        """Let other kernels call what has been made ready."""
        inside = result.fndesc.llvm_func_name
        symbol = f"outflank.{path.stem}" if path else f"outflank.{self._name}.{inside}.{len(history)}"
        publish(result, Callee(symbol, inside, path is not None, self._module, self._function, signature))


@memoize
def generation() -> Path:
    """The directory for these sources and this compiler."""
    import_numba()
    import llvmlite
    import numba
    import numpy

    versions = f"{_package_digest()} {numba.__version__} {llvmlite.__version__} {numpy.__version__}"
    digest = hashlib.blake2b(versions.encode(), digest_size=8).hexdigest()
    return cache_folder() / "kernels" / digest
