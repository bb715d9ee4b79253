"""Root-parallel Monte-Carlo: every worker grows a tree of its own, with a seed of its own, and the root's moves are
counted together in the end."""

import numpy as np

from outflank.kernels.workers import run_workers
from outflank.search.division import Promise, Scheme
from outflank.search.montecarlo import LONGEST_PATH, NODES, grow, new_tree, random_state
from outflank.search.results import WorkerStatistics
from outflank.search.root import Root


class TreePerWorker:
    """One tree per worker."""

    reads_deadline = True

    def __init__(self, root: Root, workers: int) -> None:
        self.root = root
        root.set_worker_count(workers)
        # Together the trees may be as large as a single tree, but no tree may be too small to be of use.
        room = max(NODES // workers, 1 << 16)
        grown = [new_tree(root, room) for _ in range(workers)]
        self.trees = [tree for tree, _ in grown]
        self._used = [used for _, used in grown]
        self._random = [random_state(root.options.seed * 1_000_003 + index) for index in range(workers)]
        self._paths = np.zeros((workers, LONGEST_PATH), np.int64)

    def play(self, games: int) -> None:
        """Share out `games` games."""
        root, flat, share = self.root, self.root.options.algorithm == "flat", -(-games // len(self.trees))
        arguments = [
            (root.game, root.evaluation, tree, used, share, flat, worker, random, path)
            for tree, used, worker, random, path in zip(
                self.trees, self._used, root.workers, self._random, self._paths, strict=True
            )
        ]
        if games == 0:
            grow(*arguments[0])  # compiles once, not in every thread
            return
        self._used = run_workers(grow, arguments, stop=root.stop, places=root.places)

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """Return the nodes of each worker."""
        return tuple(WorkerStatistics(nodes=int(worker.nodes)) for worker in self.root.workers)


ROOT_PARALLEL = Scheme(
    name="root-parallel",
    algorithms=("uct", "flat"),
    promises=Promise(0),
    promises_note="other games are played",
    overhead="trees that are less deep than one would be",
    divide=TreePerWorker,
)
