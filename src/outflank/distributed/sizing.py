"""How large jobs should be, and which entries are worth sending: from what parts of the tree have taken.

Plies say nothing by themselves: one more takes three times as long in Othello and eight times in Abalone, where two
plies less make forty jobs of one. So whatever depends on size is said in seconds, and turned into plies by what has
been counted in this very search. Counted, and not timed: a machine that was busy for a moment would divide a tree into
dust, or not at all. Seconds are nodes at the best speed that was seen.
"""

import math

FEWEST_JOBS = 16
"""Jobs of one depth before their mean is believed: the first ones of an iteration are its longest."""

MEMORY = 32
"""Jobs that a mean remembers: later iterations, and exact play, may take longer at the same depth."""

SMALLEST = 10_000
"""Nodes of a search whose growth to the next is believed."""

MANY, LONG = 100_000, 1.0
"""Nodes, or seconds, of a search whose speed is believed: the first ones wait for memory."""

USUAL_RATE = 5e6
"""Nodes a second, as long as nothing is known."""

FINEST = 1 / 9
"""The part of a usual job's time that a small one takes, while other nodes wait for its end. Two nodes were idle for
16 % of a search of eight seconds with no smaller jobs and for 8 % with these."""

JOBS_A_NODE = 4
"""Jobs that a whole iteration should have for each node: with fewer, the last ones are waited for."""


class Costs:
    """What parts of a tree take, by the plies that they have left: measured, or estimated from others."""

    def __init__(self, moves: int) -> None:
        """`moves`: those of the root, the first guess at what two plies more cost."""
        self._moves = max(moves, 2)
        self._jobs: dict[int, tuple[int, float]] = {}
        self._trees: dict[int, int] = {}
        self._rate = 0.0

    @property
    def rate(self) -> float:
        """Nodes a second: the most that was seen."""
        return self._rate or USUAL_RATE

    def tree(self, depth: int, nodes: int, seconds: float) -> None:
        """Note a search of the whole root by one worker; several to one depth are one."""
        self._trees[depth] = self._trees.get(depth, 0) + nodes
        self._see(nodes, seconds)

    def job(self, left: int, nodes: int, seconds: float) -> None:
        """Note a job."""
        count, mean = self._jobs.get(left, (0, 0.0))
        self._jobs[left] = count + 1, mean + (nodes - mean) / min(count + 1, MEMORY)
        self._see(nodes, seconds)

    def _see(self, nodes: int, seconds: float) -> None:
        if seconds > LONG or (nodes >= MANY and seconds > 0):
            self._rate = max(self._rate, nodes / seconds)

    def growth(self) -> float:
        """How many times as long two plies more take. Two, for odd and even ones differ."""
        jobs = {left: mean for left, (count, mean) in self._jobs.items() if count >= FEWEST_JOBS}
        for known in (jobs, self._trees):
            for depth in sorted(known, reverse=True):
                if depth - 2 in known and known[depth - 2] >= SMALLEST:
                    return min(max(known[depth] / known[depth - 2], 2.0), 1e3)
        last = max(self._trees, default=0)
        if self._trees.get(last - 1, 0) >= SMALLEST:
            return min(max((self._trees[last] / self._trees[last - 1]) ** 2, 2.0), 1e3)
        return float(self._moves)

    def of_job(self, left: int) -> float | None:
        """Seconds that a job with so many plies left takes; None: nothing is known of any."""
        # The root's moves are what an iteration consists of.
        known = {depth - 1: nodes / self._moves for depth, nodes in self._trees.items()}
        known |= {depth: mean for depth, (count, mean) in self._jobs.items() if count >= FEWEST_JOBS}
        if not known:
            return None
        if left in known:
            return known[left] / self.rate
        # The nearest; one that is a ply off says less than one that is two plies off.
        nearest = min(known, key=lambda depth: (abs(left - depth) + 1.5 * ((left - depth) % 2), -depth))
        return float(known[nearest] / self.rate * self.growth() ** ((left - nearest) / 2))

    def of_tree(self, depth: int) -> float:
        """Seconds that one worker would take for the root; without anything known, for ever."""
        if depth - 2 in self._trees:
            return self._trees[depth - 2] / self.rate * self.growth()
        if depth - 1 in self._trees:
            return self._trees[depth - 1] / self.rate * math.sqrt(self.growth())
        found = self.of_job(depth - 1)
        return math.inf if found is None else found * self._moves

    def threshold(self, depth: int, wanted: float, nodes: int) -> int:
        """Plies left at which parts take about as long as jobs should, of an iteration to `depth` by so many nodes."""
        enough = max(self.of_tree(depth) / (JOBS_A_NODE * nodes), wanted * FINEST)
        most = min(wanted * self.growth() ** 0.25, enough)  # half a ply beyond what is wanted is as near as half before
        if self.of_job(1) is None:
            return max(depth - 3, 1)
        # From above: a few jobs that were easy, or hard, at one depth are not where to stay.
        return next((left for left in range(depth - 1, 1, -1) if (self.of_job(left) or 0.0) <= most), 1)

    def finer(self, threshold: int, wanted: float) -> int:
        """Plies left of the smallest jobs that are worth their message."""
        return self.worth(wanted * FINEST, threshold) if self.of_job(threshold) is not None else max(1, threshold - 2)

    def worth(self, seconds: float, most: int) -> int:
        """The fewest plies left, up to `most`, of parts that take so long at least."""
        return next((left for left in range(1, most) if (self.of_job(left) or 0.0) >= seconds), most)
