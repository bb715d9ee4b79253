"""The disk cache of compiled kernels, one file per kernel and signature.

Numba's own cache has two faults for a package of many small modules. It checks only the file that contains a function,
so an edit of a helper in another file goes unnoticed. And two processes that start with an empty cache can overwrite
each other's numbered files, so that a third process loads the wrong code. Here

- the directory's name is a digest of all sources of kernels, and the key of a kernel that can call users' code includes
  the sources of their modules;
- a file's name is a digest of kernel, signature, processor and form of lanes. The file is written under another name
  and renamed, and has a checksum. Concurrent writers of a file write the same content, so no lock is needed.

A kernel that is not in the user's cache is read from the installed package `outflank-kernels`, if there is one
(`companion_package`).

A cache that cannot be read or written, or that other users can write, costs time and a warning, but never causes a
wrong result.
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

from outflank.errors import notify, reason_of
from outflank.folders import NoHome, cache_folder
from outflank.kernels import cache_files, companion_package, lane_forms
from outflank.kernels.loading import import_numba
from outflank.kernels.lowering import Callee, CompileResult, Context, NumbaType, Signature, publish

PACKAGE = Path(__file__).resolve().parent.parent
PLAIN_FOLDERS = ("arena", "boards", "players", "protocols", "ui")
"""Folders of the package without kernels. They are not part of the digest, so an edit in them, such as a change of the
command line, recompiles nothing."""

MIXED_FOLDERS = ("distributed", "formats", "lab")
"""Folders with few kernels: only their modules that import `outflank.kernels` or register rules are in the digest."""


@dataclass(frozen=True, slots=True)
class Event:
    """The compilation of a kernel for one signature, or its loading from the cache."""

    kernel: str
    types: tuple[str, ...]
    """Names of the classes that select the bodies of generic functions: the game's, the evaluation's, …"""
    how: Literal["compiled", "loaded"]
    seconds: float


history: list[Event] = []
"""Compilations and loadings of kernels in this process, in order."""

begun: list[str] = []
"""Names of the kernels whose compilations have begun in this process, in order."""


announce: Callable[[str], None] = notify
"""Function that shows a message before the first compilation of a process."""


# --- which sources a kernel is made of ------------------------------------------------

_origins: set[str] = set()  # users' modules that define kernel code
_sources: dict[str, bytes] = {}  # users' modules and those that they import -> digest of the source at import
_extended_types: set[type] = set()  # types for which a user's module registered a body of a generic function
_unkeyed_types: set[type] = set()  # types with bodies that depend on values outside any source, as closures do
_unkeyed_origins: set[str] = set()  # users' modules with kernel code that is not in their file
_defined: set[str] = set()  # users' kernel functions that exist: a source may define some conditionally


def note_origin(function: Callable[..., object], cls: type | None = None) -> None:
    """Record that `function` is kernel code and, with `cls`, the body of a generic function for that type.

    The sources are read now, while the module is imported (or reloaded): a later edit of a file does not change the
    code that is compiled.
    """
    module = function.__module__
    if _is_own_module(module):
        _package_stamp()
        return
    _origins.add(module)
    _defined.add(f"{module} {function.__qualname__} {function.__code__.co_firstlineno}")
    if module == cache_files.MAIN and not cache_files.is_in_script(function):
        _unkeyed_origins.add(module)
    for name, source in _imported_sources(module):
        _sources[name] = hashlib.blake2b(source, digest_size=16).digest()
    if cls is not None:
        _extended_types.add(cls)
        if function.__closure__ or "<locals>" in cls.__qualname__:
            _unkeyed_types.add(cls)


def _is_own_module(module: str) -> bool:
    return module == "outflank" or module.startswith("outflank.")


def _package_sources() -> list[str]:
    """Return the files of the package that may be part of the digest, in a fixed order.

    They are asked for at the check of every kernel: as texts in 1.1 ms, as paths in 4 to 6 ms.
    """
    sources: list[str] = []
    for folder, subfolders, names in os.walk(PACKAGE):
        excluded = (*PLAIN_FOLDERS, "__pycache__") if folder == str(PACKAGE) else ("__pycache__",)
        subfolders[:] = sorted(name for name in subfolders if name not in excluded)
        sources += (f"{folder}{os.sep}{name}" for name in sorted(names) if name.endswith(".py"))
    return sources


def _is_kernel_source(path: Path, source: bytes) -> bool:
    """Return whether a file of the package is part of the digest, because it may contain kernel code."""
    parts = path.relative_to(PACKAGE).parts
    if len(parts) > 1 and parts[0] not in MIXED_FOLDERS:
        return True
    return b"outflank.kernels" in source or b".register(" in source


@memoize
def _package_digest() -> str:
    digest = hashlib.blake2b(digest_size=8)
    for path in map(Path, _package_sources()):
        source = path.read_bytes()
        if _is_kernel_source(path, source):
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + source)
    return digest.hexdigest()


def _package_state() -> tuple[tuple[int, int], ...] | None:
    """Return the modification times and sizes of the package's files; None while they are being replaced.

    This function is called for each kernel, so it does not read the contents of files.
    """
    try:
        return tuple((stat.st_mtime_ns, stat.st_size) for stat in map(os.stat, _package_sources()))
    except FileNotFoundError:
        return None


_checked_states: list[tuple[tuple[int, int], ...] | None] = []


@contextmanager
def _single_check() -> Iterator[None]:
    """Check the package's files once for a kernel and all its callees: a check takes longer than loading a kernel."""
    _checked_states.append(_checked_states[0] if _checked_states else _package_state())
    try:
        yield
    finally:
        _checked_states.pop()


@memoize
def _package_stamp() -> tuple[tuple[int, int], ...] | None:
    """Return the state of the package's files at the time when its first kernel was imported."""
    _package_digest()
    return _package_state()


def _imported_sources(name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the names and sources of a user's module and of the user's modules that it imports."""
    seen: set[str] = set()
    todo = [name]
    while todo:
        current = todo.pop()
        module = sys.modules.get(current)
        if current in seen or module is None or (current != name and not _is_user_module(module, name)):
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


@lru_cache(maxsize=256)  # called for every function that a module declares, and for every look-up of a kernel
def _imports(source: bytes, package: str) -> tuple[str, ...]:
    """Return the sorted names of modules that a source in `package` may import, according to its import statements."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            target = "." * node.level + (node.module or "")
            try:
                base = importlib.util.resolve_name(target, package) if node.level else target
            except ImportError:
                continue
            names.update((base, *(f"{base}.{alias.name}" for alias in node.names)))
    return tuple(sorted(names))


def _is_user_module(module: ModuleType, origin: str) -> bool:
    """Return whether `module` belongs to the user.

    It does if it is in the same package as `origin`, or if it is neither an installed module nor part of Python.
    """
    if _is_own_module(module.__name__):
        return False
    if module.__name__.split(".")[0] == origin.split(".")[0]:
        return True
    file = Path(getattr(module, "__file__", None) or "")
    # Modules may also be installed for this user only, or in the system's environment. Virtual environments may include
    # the system's environment.
    if not {"site-packages", "dist-packages"}.isdisjoint(file.parts):
        return False
    paths = sysconfig.get_paths()
    return not any(file.is_relative_to(paths[key]) for key in ("stdlib", "platstdlib"))


def _constants(module: ModuleType) -> bytes:
    """Return a digest of a module's globals that are plain values. A kernel contains copies of the globals it uses."""
    plain = (bool, int, float, str, bytes, tuple, np.generic)
    digest = hashlib.blake2b(digest_size=16)
    for name, value in sorted(vars(module).items()):
        if not name.startswith("__") and isinstance(value, (*plain, np.ndarray)):
            data = np.asarray(value).tobytes() if isinstance(value, np.ndarray) else repr(value).encode()
            digest.update(name.encode() + b"\0" + data)
    return digest.digest()


def _user_key(module: str, classes: Collection[type]) -> bytes | None:
    """Return the part of a cache key for users' code; empty if a kernel with these classes cannot call users' code.

    Return None if the sources are unknown, as in a notebook. The kernel cannot be cached then.
    """
    if _is_own_module(module) and all(_is_own_module(cls.__module__) and cls not in _extended_types for cls in classes):
        return b""
    if _unkeyed_origins or any(cls in _unkeyed_types or "<locals>" in cls.__qualname__ for cls in classes):
        return None
    if any(cls.__module__ == cache_files.MAIN and not cache_files.is_importable_by_name(cls) for cls in classes):
        return None
    parts = [repr(sorted(_defined)).encode()]
    for origin in sorted(_origins):
        sources = sorted(_imported_sources(origin))
        if origin not in (name for name, _ in sources):
            return None
        for name, source in sources:
            # A module that was imported after the kernels were declared is read now.
            parts.append(_sources.setdefault(name, hashlib.blake2b(source, digest_size=16).digest()))
            parts.append(_constants(sys.modules[name]))
    return b"".join(parts)


def _classes(numba_type: "NumbaType | tuple[NumbaType, ...]") -> Iterator[type]:
    """Yield the Python classes of the named tuples inside a Numba type."""
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


class CachedKernel:
    """The cache files of one kernel, for the processor or a GPU."""

    _announced = False

    def __init__(self, function: Callable[..., object], name: str) -> None:
        self._module = function.__module__
        self._function = function.__qualname__
        self._name = name
        self._started: dict[Signature, float] = {}

    @property
    def cache_path(self) -> str:
        """Directory of the cache files (see `generation`)."""
        return str(generation())

    def flush(self) -> None:
        """Do nothing: every file is written as soon as its kernel is compiled."""

    def begin(self, signature: Signature, started: float, *, is_cached: bool) -> None:
        """Record the start of a compilation, and announce the first compilation of the process."""
        if not CachedKernel._announced:
            CachedKernel._announced = True
            announce("compiling kernels (once: they are kept) …" if is_cached else "compiling kernels …")
        self._started[signature] = started
        begun.append(self._name)

    def done(self, signature: Signature) -> None:
        """Record the end of a compilation."""
        seconds = time.perf_counter() - self._started.pop(signature, time.perf_counter())
        self.note(signature, "compiled", seconds)

    def note(self, signature: Signature, how: Literal["compiled", "loaded"], seconds: float) -> None:
        """Append a compiled or loaded kernel to the history."""
        types = tuple(cls.__name__ for cls in _classes(signature))
        history.append(Event(self._name, types, how, seconds))

    def key(self, signature: Signature) -> bytes | None:
        """Return the part of the cache key that does not depend on the target; None if the kernel cannot be cached."""
        classes = sorted(set(_classes(signature)), key=lambda cls: (cls.__module__, cls.__qualname__))
        users = _user_key(self._module, classes)
        # If the package has been edited since this process started, old and new modules may be mixed.
        state = _checked_states[0] if _checked_states else _package_state()
        if users is None or state is None or state != _package_stamp():
            return None
        names = [f"{cls.__module__}.{cls.__qualname__}" for cls in classes]
        return repr((self._name, str(signature), names, sys.version_info[:2])).encode() + users

    def file_name(self, key: bytes, *target: object) -> str:
        """Return the name of the file with the kernel's code for a target."""
        return f"{self._name}-{_digest(key + repr(target).encode())}.kernel"

    def path(self, key: bytes | None, *target: object) -> Path | None:
        """Return the file of the user's cache with the kernel's code for a target; None if it cannot be cached."""
        if key is None:
            return None
        try:
            cache_files.require_private(generation())
        except (NoHome, cache_files.Exposed) as error:
            cache_files.warn_once(f"kernels are not kept: {error}" if isinstance(error, NoHome) else str(error))
            return None
        return generation() / self.file_name(key, *target)


def _digest(key: bytes) -> str:
    return hashlib.blake2b(key, digest_size=12).hexdigest()


def write_kernel(path: Path, payload: bytes) -> None:
    """Write a kernel's file; warn if that fails."""
    try:
        cache_files.write(path, payload)
    except OSError as error:
        cache_files.warn_once(f"kernels cannot be kept in {path.parent} ({reason_of(error)})")
    except cache_files.Exposed as error:
        cache_files.warn_once(str(error))


class KernelCache(CachedKernel):
    """The cache of one kernel on this processor, for its Numba dispatcher."""

    def load_overload(self, signature: Signature, target: Context) -> "CompileResult | None":
        """Return the stored code for `signature`; None if it must be compiled."""
        started = time.perf_counter()
        with _single_check():
            key = self.key(signature)
            path = self._path(key, target.codegen())
            for payload in self._payloads(key, path, target.codegen()):
                result = cache_files.from_bytes(payload, target)
                if result is not None:
                    self._publish(signature, result, key)
                    self.note(signature, "loaded", time.perf_counter() - started)
                    return result
        self.begin(signature, started, is_cached=path is not None)
        cache_files.refresh_registrations(target)
        return None

    def _payloads(self, key: bytes | None, path: Path | None, codegen: Any) -> Iterator[bytes]:
        """Yield the stored bytes of the kernel: from the user's cache, then from the companion package."""
        payload = cache_files.read(path) if path is not None else None
        if payload is not None:
            yield payload
        companion = companion_package.kernels_for(codegen.magic_tuple(), stamp()) if key is not None else None
        if key is None or companion is None:
            return
        folder, magic_tuple = companion
        payload = cache_files.read_installed(folder / self.file_name(key, *_target(magic_tuple)))
        if payload is not None:
            yield payload

    def save_overload(self, signature: Signature, result: CompileResult) -> None:
        """Write the code that has just been compiled for `signature` to the cache."""
        self.done(signature)
        is_whole = not (result.lifted or result.library.has_dynamic_globals)
        is_storable = is_whole and all(callee.is_cached for callee in result.library.callees)
        key = self.key(signature) if is_storable else None
        path = self._path(key, result.codegen)
        self._publish(signature, result, key)
        if path is not None:
            write_kernel(path, cache_files.to_bytes(result))

    def _path(self, key: bytes | None, codegen: Any) -> Path | None:
        return self.path(key, *_target(codegen.magic_tuple()))

    def _publish(self, signature: Signature, result: CompileResult, key: bytes | None) -> None:
        """Make the kernel callable from other kernels.

        The symbol does not depend on the processor, so that a kernel compiled for this processor can call one that was
        compiled for a generic processor, and the reverse: addresses and words are passed in the same way.
        """
        llvm_name = result.fndesc.llvm_func_name
        digest = _digest(key) if key is not None else f"{llvm_name}.{len(history)}"
        symbol = f"outflank.{self._name}-{digest}"
        publish(result, Callee(symbol, llvm_name, key is not None, self._module, self._function, signature))


def _target(magic_tuple: tuple[str, str, str]) -> tuple[object, ...]:
    """Return the system, the processor and the form of lanes for which kernels are compiled."""
    triple, *processor = magic_tuple
    return triple.rstrip(".0123456789"), *processor, lane_forms.forced_form()  # on macOS it ends with a version


@memoize
def stamp() -> str:
    """Return a digest of the current sources and versions of the compiler."""
    import_numba()
    import llvmlite
    import numba
    import numpy

    versions = f"{_package_digest()} {numba.__version__} {llvmlite.__version__} {numpy.__version__}"
    return hashlib.blake2b(versions.encode(), digest_size=8).hexdigest()


@memoize
def generation() -> Path:
    """Return the cache directory for the current sources and versions of the compiler."""
    return cache_folder() / "kernels" / stamp()
