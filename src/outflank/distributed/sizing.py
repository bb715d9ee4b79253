"""The size of a cluster's jobs, and the depth of table entries worth sending, from the measured costs of subtrees.

Plies alone say little about cost: one more ply takes three times as long in Othello and eight times in Abalone, where
two plies less turn one job into forty. So sizes are given in seconds, and converted to plies with the node counts of
the current search. Costs are node counts, not times, because a slow moment on a busy machine would make jobs far too
small or too large. Seconds are nodes divided by the best speed observed.
"""

import math

FEWEST_JOBS = 16
"""Number of jobs of one depth before their mean cost is used. The first jobs of an iteration take longest."""

MEMORY = 32
"""Number of jobs over which costs are averaged. Later iterations and exact play may take longer at the same depth."""

SMALLEST = 10_000
"""Least number of tree nodes of a search from which the growth of costs with depth is computed."""

MANY, LONG = 100_000, 1.0
"""A speed is computed only from a search of at least `MANY` tree nodes or more than `LONG` seconds, because the first
nodes wait for memory."""

DEFAULT_RATE = 5e6
"""Assumed speed in nodes per second until one has been measured."""

FINEST = 1 / 9
"""Duration of a small job relative to a normal one. Small jobs are used while other nodes wait for work: without them
two nodes were idle for 16 % of a search of eight seconds, with them for 8 %."""

JOBS_A_NODE = 4
"""Least number of jobs per cluster node in an iteration. With fewer, nodes wait long for the last jobs."""


class Costs:
    """Costs of subtrees by remaining depth, either measured or estimated from the costs of other depths."""

    def __init__(self, moves: int) -> None:
        """`moves` is the number of moves of the root, which is the first guess of `growth`."""
        self._moves = max(moves, 2)
        self._jobs: dict[int, tuple[int, float]] = {}
        self._trees: dict[int, int] = {}
        self._rate = 0.0
        # The head asks for sizes before every job, so the answers are computed when a cost changes.
        self._of_jobs: dict[int, float] = {}
        self._growth: float | None = None

    @property
    def rate(self) -> float:
        """Best speed observed, in tree nodes per second."""
        return self._rate or DEFAULT_RATE

    def tree(self, depth: int, nodes: int, seconds: float) -> None:
        """Record a search of the whole root to `depth` by one worker. Several searches to one depth are added."""
        self._trees[depth] = self._trees.get(depth, 0) + nodes
        if self._jobs.get(depth - 1, (0, 0.0))[0] < FEWEST_JOBS:
            self._of_jobs[depth - 1] = self._trees[depth] / self._moves  # one subtree for each move
        self._growth = None
        self._update_rate(nodes, seconds)

    def job(self, left: int, nodes: int, seconds: float) -> None:
        """Record the cost of a job of remaining depth `left`."""
        count, mean = self._jobs.get(left, (0, 0.0))
        mean += (nodes - mean) / min(count + 1, MEMORY)
        self._jobs[left] = count + 1, mean
        if count + 1 >= FEWEST_JOBS:
            self._of_jobs[left] = mean
            self._growth = None
        self._update_rate(nodes, seconds)

    def _update_rate(self, nodes: int, seconds: float) -> None:
        if seconds > LONG or (nodes >= MANY and seconds > 0):
            self._rate = max(self._rate, nodes / seconds)

    def growth(self) -> float:
        """Return the factor by which two more plies multiply the cost. One ply is not used: odd and even depths
        differ."""
        if self._growth is None:
            self._growth = self._measured_growth()
        return self._growth

    def _measured_growth(self) -> float:
        jobs = {left: mean for left, (count, mean) in self._jobs.items() if count >= FEWEST_JOBS}
        for costs in (jobs, self._trees):
            for depth in sorted(costs, reverse=True):
                if depth - 2 in costs and costs[depth - 2] >= SMALLEST:
                    return min(max(costs[depth] / costs[depth - 2], 2.0), 1e3)
        last = max(self._trees, default=0)
        if self._trees.get(last - 1, 0) >= SMALLEST:
            return min(max((self._trees[last] / self._trees[last - 1]) ** 2, 2.0), 1e3)
        return float(self._moves)

    def of_job(self, left: int) -> float | None:
        """Return the expected seconds of a job of remaining depth `left`; None if nothing has been measured."""
        costs = self._of_jobs
        if not costs:
            return None
        if left in costs:
            return costs[left] / self.rate
        # Take the nearest depth, but prefer one that is two plies away to one that is one ply away, because of parity.
        nearest = min(costs, key=lambda depth: (abs(left - depth) + 1.5 * ((left - depth) % 2), -depth))
        return float(costs[nearest] / self.rate * self.growth() ** ((left - nearest) / 2))

    def of_tree(self, depth: int) -> float:
        """Return the expected seconds of a search of the root to `depth` by one worker; infinity if not measured."""
        if depth - 2 in self._trees:
            return self._trees[depth - 2] / self.rate * self.growth()
        if depth - 1 in self._trees:
            return self._trees[depth - 1] / self.rate * math.sqrt(self.growth())
        job_seconds = self.of_job(depth - 1)
        return math.inf if job_seconds is None else job_seconds * self._moves

    def threshold(self, depth: int, job_seconds: float, nodes: int) -> int:
        """Return the remaining depth of jobs that take about `job_seconds`, with enough jobs for `nodes` nodes."""
        enough = max(self.of_tree(depth) / (JOBS_A_NODE * nodes), job_seconds * FINEST)
        most = min(job_seconds * self.growth() ** 0.25, enough)  # round to the nearest depth: up to half a ply more
        if self.of_job(1) is None:
            return max(depth - 3, 1)
        # Search from the top, so that a few easy or hard jobs at one depth cannot fix the threshold there.
        return next((left for left in range(depth - 1, 1, -1) if (self.of_job(left) or 0.0) <= most), 1)

    def finer(self, threshold: int, job_seconds: float) -> int:
        """Return the remaining depth, up to `threshold`, of the smallest jobs that are worth their messages."""
        return (
            self.worth(job_seconds * FINEST, threshold) if self.of_job(threshold) is not None else max(1, threshold - 2)
        )

    def worth(self, seconds: float, limit: int) -> int:
        """Return the least remaining depth, up to `limit`, at which subtrees take at least `seconds`."""
        return next((left for left in range(1, limit) if (self.of_job(left) or 0.0) >= seconds), limit)
