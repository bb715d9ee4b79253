"""Computation on a GPU with numba-cuda, which the extra `gpu` installs.

`outflank.gpu.solve(positions)` returns the exact scores of any number of endgame positions, `outflank.gpu.perft(board,
depth)` counts the same leaves as `outflank.perft`, and `outflank.search` with `device="gpu"` runs its Monte-Carlo
playouts on the GPU.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outflank.gpu.counting import perft as perft
    from outflank.gpu.solving_on_device import solve as solve

_MODULES = {"perft": "outflank.gpu.counting", "solve": "outflank.gpu.solving_on_device"}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'outflank.gpu' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)  # imported late, because it imports CUDA
