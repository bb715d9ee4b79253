"""A search on the CPU whose endings a GPU solves: the top of the tree, with its table and its order, is divided among
far more workers than there are cores, and all but a few wait for an ending that is away.

What is cut off meanwhile is answered all the same, and nobody reads it. A worker whose question lies there for too long
takes it back and solves it itself: so the cores work as well. The value is that of the same search without a device:
endings are worth what they are worth.
"""

import warnings
from collections.abc import Sequence

from outflank.games.endings import ask_elsewhere
from outflank.gpu.desk import Desk
from outflank.kernels.memory import address_of
from outflank.parallel.divided import Divided
from outflank.parallel.young_brothers import ESTIMATING, PROVING
from outflank.search.division import Scheme
from outflank.search.root import Root
from outflank.search.root_moves import RootMove, RootValue


class WithDevice(Divided):
    """A root searched by a crew, with a desk at which it asks."""

    def __init__(self, root: Root, workers: int) -> None:
        super().__init__(root, workers, PROVING if root.options.exact else ESTIMATING)
        self.desk = Desk(root.game, workers)
        for index, space in enumerate(root.workspaces):
            ask_elsewhere(root.game, space, address_of(self.desk.questions[index : index + 1]))
        self._told = False

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
        super().close()
        self.desk.close()


ON_GPU = Scheme(
    name="gpu",
    carries=("alphabeta", "pvs", "mtdf"),
    promises="value and move",
    costs="endings that are solved, and no longer asked for",
    divide=WithDevice,
)
