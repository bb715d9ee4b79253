"""How large jobs should be, and which entries are worth sending, from measured costs of subtrees.

A number of plies alone says little about cost: one ply more takes three times as long in Othello and eight times in
Abalone, where two plies less turn one job into forty. So sizes are given in seconds, and converted to plies by the node
counts of the current search. Nodes are counted, not timed: a machine that was busy for a moment would divide a tree
much too finely, or not at all. Seconds are nodes divided by the best speed observed.
"""

import math

FEWEST_JOBS = 16
"""Jobs of one depth before their mean is used: the first jobs of an iteration are its longest."""

MEMORY = 32
"""Jobs that a running mean covers: later iterations, and exact play, may take longer at the same depth."""

SMALLEST = 10_000
"""Least nodes of a search whose growth to the next depth is used."""

MANY, LONG = 100_000, 1.0
"""Least nodes, or seconds, of a search whose speed is used: the first nodes wait for memory."""

DEFAULT_RATE = 5e6
"""Nodes per second as long as no speed has been measured."""

FINEST = 1 / 9
"""Duration of a small job as a fraction of a usual one; small jobs are used while other nodes wait for work. Two nodes
were idle for 16 % of a search of eight seconds without smaller jobs and for 8 % with them."""

JOBS_A_NODE = 4
"""Jobs per node that a whole iteration should have: with fewer, nodes wait for the last ones."""


class Costs:
    """Costs of subtrees by their remaining depth: measured, or estimated from those of other depths."""

    def __init__(self, moves: int) -> None:
        """`moves`: number of moves of the root, the first guess at the cost factor of two plies more."""
        self._moves = max(moves, 2)
        self._jobs: dict[int, tuple[int, float]] = {}
        self._trees: dict[int, int] = {}
        self._rate = 0.0

    @property
    def rate(self) -> float:
        """Nodes per second: the best speed observed."""
        return self._rate or DEFAULT_RATE

    def tree(self, depth: int, nodes: int, seconds: float) -> None:
        """Record a search of the whole root by one worker; several to one depth add up."""
        self._trees[depth] = self._trees.get(depth, 0) + nodes
        self._update_rate(nodes, seconds)

    def job(self, left: int, nodes: int, seconds: float) -> None:
        """Record a job."""
        count, mean = self._jobs.get(left, (0, 0.0))
        self._jobs[left] = count + 1, mean + (nodes - mean) / min(count + 1, MEMORY)
        self._update_rate(nodes, seconds)

    def _update_rate(self, nodes: int, seconds: float) -> None:
        if seconds > LONG or (nodes >= MANY and seconds > 0):
            self._rate = max(self._rate, nodes / seconds)

    def growth(self) -> float:
        """Return the cost factor of two plies more. Two, because odd and even depths differ."""
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
        """Return the seconds that a job of remaining depth `left` takes; None: no cost is known."""
        # An iteration consists of the root's moves.
        costs = {depth - 1: nodes / self._moves for depth, nodes in self._trees.items()}
        costs |= {depth: mean for depth, (count, mean) in self._jobs.items() if count >= FEWEST_JOBS}
        if not costs:
            return None
        if left in costs:
            return costs[left] / self.rate
        # The nearest depth; one that is a ply off is a worse estimate than one that is two plies off.
        nearest = min(costs, key=lambda depth: (abs(left - depth) + 1.5 * ((left - depth) % 2), -depth))
        return float(costs[nearest] / self.rate * self.growth() ** ((left - nearest) / 2))

    def of_tree(self, depth: int) -> float:
        """Return the seconds that one worker would take for the root; infinity if no cost is known."""
        if depth - 2 in self._trees:
            return self._trees[depth - 2] / self.rate * self.growth()
        if depth - 1 in self._trees:
            return self._trees[depth - 1] / self.rate * math.sqrt(self.growth())
        job_seconds = self.of_job(depth - 1)
        return math.inf if job_seconds is None else job_seconds * self._moves

    def threshold(self, depth: int, job_seconds: float, nodes: int) -> int:
        """Return the remaining depth at which subtrees take about `job_seconds`, for an iteration by `nodes` nodes."""
        enough = max(self.of_tree(depth) / (JOBS_A_NODE * nodes), job_seconds * FINEST)
        most = min(job_seconds * self.growth() ** 0.25, enough)  # half a ply above is as near as half below
        if self.of_job(1) is None:
            return max(depth - 3, 1)
        # From above: a few jobs at one depth that were easy, or hard, must not fix the threshold there.
        return next((left for left in range(depth - 1, 1, -1) if (self.of_job(left) or 0.0) <= most), 1)

    def finer(self, threshold: int, job_seconds: float) -> int:
        """Return the remaining depth of the smallest jobs that are worth their message."""
        return (
            self.worth(job_seconds * FINEST, threshold) if self.of_job(threshold) is not None else max(1, threshold - 2)
        )

    def worth(self, seconds: float, limit: int) -> int:
        """Return the least remaining depth, up to `limit`, of subtrees that take `seconds` or more."""
        return next((left for left in range(1, limit) if (self.of_job(left) or 0.0) >= seconds), limit)
