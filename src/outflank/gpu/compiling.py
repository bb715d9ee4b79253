"""Compilation of GPU kernels at their first use. They share source code and the cache on disk with CPU kernels.

Numba's own cache checks only the file that contains a function, so an edit of a rule would go unnoticed. Here the name
of a cached file is a digest of the sources of the package, of users' modules that the kernel can call, of the compiler
and of the target, as for CPU kernels (see `kernels/cache.py`).
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

from outflank.kernels import cache_files
from outflank.kernels.cache import CachedKernel, note_origin, write_kernel
from outflank.kernels.compiler import load_numba, raise_explanation
from outflank.kernels.lowering import Context, Signature
from outflank.kernels.uninterrupted import delay_interrupts

_launch_lock = threading.Lock()
"""Lock for launching kernels: Numba loads a kernel at its first launch, and fails if two threads launch it at once."""


class DeviceKernel:
    """A GPU kernel, which every thread of the GPU runs. `kernel[blocks, threads](…)` or `kernel[blocks, threads,
    stream](…)` launches it."""

    def __init__(self, function: Callable[..., None], options: dict[str, object]) -> None:
        if function.__closure__:
            # The machine code of a closure would depend on values that are not part of the cache key.
            raise TypeError(f"device kernel {function.__qualname__}: it must be a top-level function")
        self.__doc__, self.__module__ = function.__doc__, function.__module__
        self.py_func = function
        self._options = options
        note_origin(function)

    def __getitem__(self, launch: tuple[object, ...]) -> Callable[..., None]:
        return partial(self._launch, launch)

    def _launch(self, launch: tuple[object, ...], *arguments: object) -> None:
        try:
            with _launch_lock:
                self.compiled[launch](*arguments)
        except Exception as error:
            raise_explanation(error)
            raise

    def __repr__(self) -> str:
        return f"<device kernel {self.name}>"

    @property
    def name(self) -> str:
        """Name of the kernel: `device.`, its module without `outflank.`, a dot, and its function."""
        return f"device.{self.__module__.removeprefix('outflank.')}.{self.py_func.__name__}"

    @cached_property
    def compiled(self) -> Any:
        """Numba's dispatcher for this kernel, or the dispatcher of Numba's CUDA simulator."""
        from outflank.gpu.device import cuda
        from outflank.gpu.driver import simulated

        if simulated():
            return cuda.jit(self.py_func, **self._options)
        load_numba()
        # Small batches are normal: suppress Numba's warning about small grids.
        warnings.filterwarnings("ignore", r".*Grid size \d+ will likely")
        dispatcher = cuda.jit(self.py_func, **self._options)
        dispatcher._cache = _DeviceCache(self.py_func, self.name, dispatcher.targetoptions)
        return dispatcher


@overload
def device_kernel(function: Callable[..., None], /) -> DeviceKernel: ...
@overload
def device_kernel(**options: object) -> Callable[[Callable[..., None]], DeviceKernel]: ...
def device_kernel(
    function: Callable[..., None] | None = None, /, **options: object
) -> DeviceKernel | Callable[[Callable[..., None]], DeviceKernel]:
    """Declare that a function is a GPU kernel; `options` are options of `cuda.jit`, such as `max_registers`."""
    return DeviceKernel(function, options) if function else lambda function: DeviceKernel(function, options)


class _DeviceCache(CachedKernel):
    """The cache on disk of one GPU kernel, in the form that Numba's dispatcher expects."""

    def __init__(self, function: Callable[..., object], name: str, options: dict[str, object]) -> None:
        super().__init__(function, name)
        self._options = repr(sorted(options.items()))

    def load_overload(self, signature: Signature, target: Context) -> Any:
        """Return the cached kernel for `signature` on the current device; None if it must be compiled."""
        started = time.perf_counter()
        path = self._path(signature, target.codegen())
        payload = cache_files.read(path) if path else None
        kernel = _from_bytes(payload) if payload is not None else None
        if kernel is not None:
            self.note(signature, "loaded", time.perf_counter() - started)
            return kernel
        self.begin(signature, started, is_cached=path is not None)
        _refresh_registrations(target)
        return None

    def save_overload(self, signature: Signature, kernel: Any) -> None:
        """Write the kernel that has just been compiled for `signature` to the cache."""
        self.done(signature)
        path = self._path(signature, kernel.codegen)
        # A kernel that was compiled for one launch configuration cannot be used for others.
        if path is None or kernel.launch_config_sensitive:
            return
        try:
            payload = _to_bytes(kernel)
        except (RuntimeError, pickle.PicklingError) as error:  # it refers to objects of this process
            cache_files.warn_once(f"kernel {self._name} cannot be kept ({error})")
            return
        write_kernel(path, payload)

    def _path(self, signature: Signature, codegen: Any) -> Path | None:
        return self.path(self.key(signature), "cuda", version("numba-cuda"), codegen.magic_tuple(), self._options)


def _refresh_registrations(target: Context) -> None:
    """Load the functions and types that have been registered with Numba for `target`. Numba would load them during
    compilation; if Ctrl-C interrupted the loading, Numba would never load the rest in this process."""
    from numba.cuda.descriptor import cuda_target
    from numba.cuda.utils import numba_target_override

    with delay_interrupts(), numba_target_override():
        cuda_target.typing_context.refresh()
        target.refresh()


def _to_bytes(kernel: Any) -> bytes:
    """Return a kernel with its machine code as bytes, from which `_from_bytes` restores it in another process."""
    from numba.cuda.serialize import NumbaPickler

    states = kernel._reduce_states()
    library = states.pop("codelibrary")._reduce_states()
    library["llvm_strs"] = []  # LLVM code, which is not needed any more and several times as large as the machine code
    return cache_files.dumps((states, library), NumbaPickler)


def _from_bytes(payload: bytes) -> Any:
    """Return the kernel that `_to_bytes` wrote as `payload`, ready to be launched; None if the bytes are not usable."""
    from numba.cuda.codegen import CUDACodeLibrary
    from numba.cuda.dispatcher import _Kernel

    try:
        states, library = pickle.loads(payload)
        return _Kernel._rebuild(**states, codelibrary=CUDACodeLibrary._rebuild(**library))
    except Exception:  # the payload may be anything; the kernel is compiled again
        return None
