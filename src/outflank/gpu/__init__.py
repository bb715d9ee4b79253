"""Work on a GPU, by numba-cuda (`pip install 'outflank[gpu]'`), which nothing else imports.

`outflank.gpu.perft(board, depth)` counts there what `outflank.perft` counts here; `outflank.search` with
`device="gpu"` plays its games there.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outflank.gpu.counting import perft as perft


def __getattr__(name: str) -> object:
    if name != "perft":
        raise AttributeError(f"module 'outflank.gpu' has no attribute {name!r}")
    from outflank.gpu.counting import perft  # when it is asked for: it imports CUDA

    return perft
