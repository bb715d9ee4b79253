"""Import of Numba's CUDA, and the check that a GPU can be used."""

from typing import Any, TypeAlias

import numpy as np

if not hasattr(np, "row_stack"):  # numba-cuda 0.30 imports this function, which NumPy 2.5 has removed
    np.row_stack = np.vstack

from numba import cuda

from outflank.gpu.driver import require_numba_cuda, simulated
from outflank.gpu.troubles import DeviceTooSmall, NoDevice, translate_cuda_errors
from outflank.installation import install_command
from outflank.kernels.compiler import interpreted

__all__ = ["DeviceArray", "check_device", "cuda"]

DeviceArray: TypeAlias = Any
"""An array in the memory of the GPU, or of Numba's CUDA simulator."""


def check_device() -> None:
    """Raise `NoDevice`, with the reason, if neither a GPU nor Numba's CUDA simulator can be used."""
    if simulated():
        return
    require_numba_cuda()
    if interpreted():
        reason = "NUMBA_DISABLE_JIT is set, and nothing is compiled: set NUMBA_ENABLE_CUDASIM too, for its simulator"
        raise NoDevice(f"device gpu: {reason}")
    try:
        with translate_cuda_errors():
            _open_context()
    except DeviceTooSmall as trouble:
        raise NoDevice(f"device gpu: its memory is full before anything is begun: {trouble}") from trouble


def _open_context() -> None:
    """Open a CUDA context. Raise an error if another process blocks the GPU, or if the GPU is too old for this CUDA."""
    try:
        from numba.cuda.cudadrv.nvrtc import get_lowest_supported_cc
    except ImportError:  # numba-cuda replaces Numba's own CUDA by a .pth file, which Python ignores on PYTHONPATH
        reason = f"Numba's own CUDA is found in place of numba-cuda, or an old one: {install_command('gpu')}"
        raise NoDevice(f"device gpu: {reason}") from None
    context = cuda.current_context()
    context.get_memory_info()  # fails if the GPU was lost, unlike the call above, which is cached
    capability, least = context.device.compute_capability, get_lowest_supported_cc()
    if tuple(capability) < tuple(least):
        capability_text, least_text = (".".join(map(str, version)) for version in (capability, least))
        raise NoDevice(
            f"device gpu: it is too old: its compute capability is {capability_text}, and this CUDA wants {least_text}"
        )
