"""How large jobs should be, and which entries are worth sending: from what parts of the tree have taken.

Plies say nothing by themselves: one more takes three times as long in Othello and eight times in Abalone, where two
plies less make forty jobs of one. So whatever depends on size is said in seconds, and turned into plies by what has
been measured in this very search.
"""

import math

FEWEST_JOBS = 4
"""Jobs of one depth before their mean is believed."""

MEMORY = 32
"""Jobs that a mean remembers: later iterations, and exact play, may take longer at the same depth."""

SHORTEST = 0.002
"""Seconds of a search whose growth to the next is believed: less is mostly a clock's and a cache's."""

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
        self._trees: dict[int, float] = {}

    def tree(self, depth: int, seconds: float) -> None:
        """Note a search of the whole root by one worker; several to one depth are one."""
        self._trees[depth] = self._trees.get(depth, 0.0) + seconds

    def job(self, left: int, seconds: float) -> None:
        """Note a job."""
        count, mean = self._jobs.get(left, (0, 0.0))
        self._jobs[left] = count + 1, mean + (seconds - mean) / min(count + 1, MEMORY)

    def growth(self) -> float:
        """How many times as long two plies more take. Two, for odd and even ones differ."""
        jobs = {left: mean for left, (count, mean) in self._jobs.items() if count >= FEWEST_JOBS}
        for known in (jobs, self._trees):
            for depth in sorted(known, reverse=True):
                if depth - 2 in known and known[depth - 2] >= SHORTEST:
                    return min(max(known[depth] / known[depth - 2], 2.0), 1e3)
        last = max(self._trees, default=0)
        if self._trees.get(last - 1, 0.0) >= SHORTEST:
            return min(max((self._trees[last] / self._trees[last - 1]) ** 2, 2.0), 1e3)
        return float(self._moves)

    def of_job(self, left: int) -> float | None:
        """Seconds that a job with so many plies left takes; None: nothing is known of any."""
        known = {depth: mean for depth, (count, mean) in self._jobs.items() if count >= FEWEST_JOBS}
        # The root's moves are what an iteration consists of.
        known = known or {depth - 1: seconds / self._moves for depth, seconds in self._trees.items()}
        if not known:
            return None
        if left in known:
            return known[left]
        # The nearest; one that is a ply off says less than one that is two plies off.
        nearest = min(known, key=lambda depth: (abs(left - depth) + 1.5 * ((left - depth) % 2), -depth))
        return float(known[nearest] * self.growth() ** ((left - nearest) / 2))

    def of_tree(self, depth: int) -> float:
        """Seconds that one worker would take for the root; without anything known, for ever."""
        # By the one two plies before; never more than two plies beyond the last, for a first one may have waited.
        before = [self._trees[each] for each in (depth - 2, depth - 1) if each in self._trees]
        if before:
            return min(before) * self.growth()
        found = self.of_job(depth - 1)
        return math.inf if found is None else found * self._moves

    def threshold(self, depth: int, wanted: float, nodes: int) -> int:
        """Plies left at which parts take about as long as jobs should, of an iteration to `depth` by so many nodes."""
        enough = max(self.of_tree(depth) / (JOBS_A_NODE * nodes), wanted * FINEST)
        most = min(wanted * self.growth() ** 0.25, enough)  # half a ply beyond what is wanted is as near as half before
        if self.of_job(1) is None:
            return max(depth - 3, 1)
        # From above: where a few small jobs had to wait for a processor, theirs is not the size to stay at.
        return next((left for left in range(depth - 1, 1, -1) if (self.of_job(left) or 0.0) <= most), 1)

    def finer(self, threshold: int, wanted: float) -> int:
        """Plies left of the smallest jobs that are worth their message."""
        return self.worth(wanted * FINEST, threshold) if self.of_job(threshold) is not None else max(1, threshold - 2)

    def worth(self, seconds: float, most: int) -> int:
        """The fewest plies left, up to `most`, of parts that take so long at least."""
        return next((left for left in range(1, most) if (self.of_job(left) or 0.0) >= seconds), most)
