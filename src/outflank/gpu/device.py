"""Numba's CUDA, and whether there is a device behind it."""

import importlib.util

import numpy as np

if not hasattr(np, "row_stack"):  # numba-cuda 0.30 asks for it while it is imported, and NumPy 2.5 has no more of it
    np.row_stack = np.vstack

from numba import config, cuda

from outflank.gpu.troubles import NoDevice

__all__ = ["NoDevice", "check_device", "cuda"]


def check_device() -> None:
    """See that there is a device, or the simulator, where `NUMBA_ENABLE_CUDASIM` is set."""
    if config.ENABLE_CUDASIM:
        return
    if importlib.util.find_spec("numba_cuda") is None:
        raise NoDevice("device gpu: numba-cuda is missing: pip install 'outflank[gpu]'")
    if not cuda.is_available():
        raise NoDevice(f"device gpu: there is none: {_reason()}")


def _reason() -> str:
    """Why no device is available, in a line."""
    try:
        cuda.current_context()
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip(" :")]
        return " ".join(lines)[:200] or type(error).__name__
    return "its driver does not answer"
