"""A search on the CPU beside a GPU that solves endings: the top of the tree, with its table and its order, is divided
among more workers than there are cores.

One worker for each core searches as ever. The others ask a device for the values of endings that would take the CPU
about a millisecond: each batch is what is asked for at a time. Nobody waits for long. Whose answer is late searches by
itself, and asks again once its question is back. What is cut off meanwhile is answered all the same, and nobody reads
it. The value is that of the same search without a device: endings are worth what they are worth.
"""

import warnings
from collections.abc import Sequence

from outflank.errors import InvalidOption
from outflank.games.endings import batch_tables
from outflank.gpu.choosing import on_device
from outflank.gpu.desk import Desk
from outflank.kernels.memory import address_of
from outflank.parallel.divided import Divided
from outflank.parallel.young_brothers import PROVING, plan_for
from outflank.search.division import Scheme, all_cores
from outflank.search.root import Root
from outflank.search.root_moves import RootMove, RootValue

ASKED = 14
"""Moves left at which a device is asked. Its threads are slow, some ten microseconds for a node, and many: what takes a
core less than a millisecond took an H200 twelve, there being three or four questions at a time. So nothing is gained:
while workers waited for 20 ms, FFO 40 to 44 took 8.0 s with it, and 0.56 by 16 cores alone."""


class WithDevice(Divided):
    """A root searched by a crew, with a desk at which it asks."""

    def __init__(self, root: Root, workers: int) -> None:
        super().__init__(root, workers, PROVING)
        self.desk = Desk(root.game, workers)
        self._told = False
        for index in range(min(all_cores(), workers - 1), workers):
            root.workers[index].asks = ASKED
            root.workers[index].question = address_of(self.desk.questions[index : index + 1])

    def prepare(self) -> None:
        """Compile, and start the helpers, and who answers them."""
        self.desk.open()
        super().prepare()

    def search_window(self, depth: int, alpha: int, beta: int, *, wanted: int, moves: Sequence[RootMove]) -> RootValue:
        """Alpha-beta's promise for (alpha, beta) at the root."""
        found = super().search_window(depth, alpha, beta, wanted=wanted, moves=moves)
        if self.desk.trouble is not None and self.root.options.device == "gpu":
            raise self.desk.trouble
        if self.desk.trouble is not None and not self._told:
            self._told = True
            warnings.warn(f"{self.desk.trouble}: the CPU goes on", RuntimeWarning, stacklevel=2)
        return found

    def close(self) -> None:
        """Send everybody home."""
        self.desk.close()  # first: Ctrl-C may end the other, and clerks would look for questions for ever
        super().close()


def _divide(root: Root, workers: int) -> Divided:
    """Estimates before a proof ask nothing: they have a worker for each core."""
    device, exact = root.options.device, root.options.exact

    def here() -> Divided:
        return Divided(root, min(workers, all_cores()), plan_for(root))

    if batch_tables(root.game) is None:
        cannot = f"device {device}: this game's endings are solved on the CPU"
        if device == "gpu":
            raise InvalidOption(cannot)
        if exact:
            warnings.warn(cannot, RuntimeWarning, stacklevel=2)
        return here()
    if not exact:
        # Whether there is a device is seen before anything is begun. Where the CPU may go on, the proof tells it.
        return on_device(device, here, here) if device == "gpu" else here()
    return on_device(device, lambda: WithDevice(root, workers), here)


ON_GPU = Scheme(
    name="gpu",
    carries=("alphabeta", "pvs", "mtdf"),
    promises="value and move",
    costs="endings that are solved, and no longer asked for",
    divide=_divide,
)
