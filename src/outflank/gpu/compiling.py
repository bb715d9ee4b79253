"""Functions that a GPU runs: compiled from the same parts as kernels, on first use, and kept on disk like them.

Numba has a cache for devices too. It stamps an entry with the one file that the function is in, so that an edited rule
would be served stale. Here a file's name is the digest that kernels of the processor have (see `kernels/cache.py`):
every source of the package, users' modules as far as they are reached, and what it was compiled by and for.
"""

import pickle
import threading
import time
import warnings
from collections.abc import Callable
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, overload

from outflank.kernels import files, scripts
from outflank.kernels.cache import KeptKernel, keep, note_origin
from outflank.kernels.compile_errors import raise_explained
from outflank.kernels.compiler import load_numba
from outflank.kernels.uninterrupted import undisturbed

_one_at_a_time = threading.Lock()
"""Numba loads a kernel when it is first launched, and fails where two threads do so at once."""


class DeviceKernel:
    """A function that every thread of a device runs: `kernel[blocks, threads](…)` launches it; a stream may follow."""

    def __init__(self, function: Callable[..., None], options: dict[str, Any]) -> None:
        if function.__closure__:
            # Its machine code would depend on values that the cache's key does not see.
            raise TypeError(f"device kernel {function.__qualname__}: it must be a top-level function")
        self.__doc__, self.__module__ = function.__doc__, function.__module__
        self.py_func = function
        self._options = options
        note_origin(function)

    def __getitem__(self, launch: tuple[Any, ...]) -> Callable[..., None]:
        return partial(self._launched, launch)

    def _launched(self, launch: tuple[Any, ...], *arguments: Any) -> None:
        try:
            with _one_at_a_time:
                self.compiled[launch](*arguments)
        except Exception as error:
            raise_explained(error)
            raise

    def __repr__(self) -> str:
        return f"<device kernel {self.name}>"

    @property
    def name(self) -> str:
        """The kernel's name, with its module inside the package."""
        return f"device.{self.__module__.removeprefix('outflank.')}.{self.py_func.__name__}"

    @cached_property
    def compiled(self) -> Any:
        """Numba's dispatcher for this kernel, or what its simulator has for one."""
        from outflank.gpu.device import cuda
        from outflank.gpu.driver import simulated

        if simulated():
            return cuda.jit(self.py_func, **self._options)
        load_numba()
        # Work comes in the size that it has. Who waits for a small one need not be told so by Numba, in its colours.
        warnings.filterwarnings("ignore", r".*Grid size \d+ will likely")
        dispatcher = cuda.jit(self.py_func, **self._options)
        dispatcher._cache = _DeviceCache(self.py_func, self.name, dispatcher.targetoptions)
        return dispatcher


@overload
def device_kernel(function: Callable[..., None], /) -> DeviceKernel: ...
@overload
def device_kernel(**options: Any) -> Callable[[Callable[..., None]], DeviceKernel]: ...
def device_kernel(function: Callable[..., None] | None = None, /, **options: Any) -> Any:
    """Make a function an entry point into the code of a device; options are those of `cuda.jit`, as `max_registers`."""
    return DeviceKernel(function, options) if function else lambda function: DeviceKernel(function, options)


class _DeviceCache(KeptKernel):
    """What a dispatcher for devices asks of its cache, for one kernel."""

    def __init__(self, function: Callable[..., Any], name: str, options: dict[str, Any]) -> None:
        super().__init__(function, name)
        self._options = repr(sorted(options.items()))

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The kernel for `signature` on the device that is used, or None: it must be compiled."""
        started = time.perf_counter()
        path = self._path(signature, target.codegen())
        payload = files.read(path) if path else None
        found = _from_bytes(payload) if payload is not None else None
        if found is not None:
            self.note(signature, "loaded", time.perf_counter() - started)
            return found
        self.begin(signature, started, kept=path is not None)
        _take_up_what_was_registered(target)
        return None

    def save_overload(self, signature: Any, kernel: Any) -> None:
        """Keep what has just been compiled."""
        self.done(signature)
        path = self._path(signature, kernel.codegen)
        # A kernel that was made for one launch is of no use to others.
        if path is None or kernel.launch_config_sensitive:
            return
        try:
            payload = _to_bytes(kernel)
        except (RuntimeError, pickle.PicklingError) as error:  # it holds what another process does not have
            files.warn_once(f"kernel {self._name} cannot be kept ({error})")
            return
        keep(path, payload)

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        return self.path(signature, ("cuda", version("numba-cuda"), codegen.magic_tuple(), self._options))


def _take_up_what_was_registered(target: Any) -> None:
    """Do now what Numba does when it compiles: cut short by Ctrl-C, it would never find the rest in this process."""
    from numba.cuda.descriptor import cuda_target
    from numba.cuda.utils import numba_target_override

    with undisturbed(), numba_target_override():
        cuda_target.typing_context.refresh()
        target.refresh()


def _to_bytes(kernel: Any) -> bytes:
    """A kernel with its machine code, for `_from_bytes` in another process."""
    from numba.cuda.serialize import NumbaPickler

    states = kernel._reduce_states()
    library = states.pop("codelibrary")._reduce_states()
    library["llvm_strs"] = []  # what the machine code was made of: several times as much, and nobody compiles it again
    return scripts.dumps((states, library), NumbaPickler)


def _from_bytes(payload: bytes) -> Any:
    """The kernel, ready to be launched; None for anything else."""
    from numba.cuda.codegen import CUDACodeLibrary
    from numba.cuda.dispatcher import _Kernel

    try:
        states, library = pickle.loads(payload)
        return _Kernel._rebuild(**states, codelibrary=CUDACodeLibrary._rebuild(**library))
    except Exception:  # it may be anything; all that is lost is time
        return None
