"""Numba's CUDA, and whether there is a device behind it."""

import numpy as np

if not hasattr(np, "row_stack"):  # numba-cuda 0.30 asks for it while it is imported, and NumPy 2.5 has no more of it
    np.row_stack = np.vstack

from numba import cuda

from outflank.gpu.driver import require_numba_cuda, simulated
from outflank.gpu.troubles import DeviceTooSmall, NoDevice, told_plainly
from outflank.kernels.compiler import interpreted

__all__ = ["check_device", "cuda"]


def check_device() -> None:
    """See that there is a device that can be used, or its simulator; `NoDevice` says why not."""
    if simulated():
        return
    require_numba_cuda()
    if interpreted():
        wants = "NUMBA_DISABLE_JIT is set, and nothing is compiled: set NUMBA_ENABLE_CUDASIM too, for its simulator"
        raise NoDevice(f"device gpu: {wants}")
    try:
        with told_plainly():
            _begin()
    except DeviceTooSmall as trouble:
        raise NoDevice(f"device gpu: its memory is full before anything is begun: {trouble}") from trouble


def _begin() -> None:
    """Take a place on the device, which another process may refuse, and see that it can be compiled for."""
    try:
        from numba.cuda.cudadrv.nvrtc import get_lowest_supported_cc
    except ImportError:  # it is put in place of Numba's own by a .pth file, which folders of PYTHONPATH cannot have
        other = "Numba's own CUDA is found in place of numba-cuda, or an old one: pip install 'outflank[gpu]'"
        raise NoDevice(f"device gpu: {other}") from None
    context = cuda.current_context()
    context.get_memory_info()  # it does not answer once it was lost; the context alone is remembered
    found, least = context.device.compute_capability, get_lowest_supported_cc()
    if tuple(found) < tuple(least):
        has, wants = (".".join(map(str, version)) for version in (found, least))
        raise NoDevice(f"device gpu: it is too old: its compute capability is {has}, and this CUDA wants {wants}")
