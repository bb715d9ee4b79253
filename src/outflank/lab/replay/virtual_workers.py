"""Virtual workers: a divided search whose workers take turns in one thread, by a clock that counts nodes.

With alpha-beta, the work of a worker depends on the values that have arrived when it takes a move. So such a search is
not recorded once and replayed. It is run again for each number of workers, by the runtime's own functions: windows,
cut-offs, steals and re-searches are real. Only the time is simulated. The duration of a step is the number of nodes
that the worker enters in it. The worker with the earliest clock does the next step.

A subtree is searched at once when its worker takes it, and its value is delivered when the worker's clock has counted
its nodes. If a cut-off makes the subtree pointless meanwhile, its remaining nodes are taken back. The model is wrong in
one respect: the table has all entries of a subtree as soon as a worker takes it, even if it is given up later.
"""

from dataclasses import dataclass, replace

import numpy as np

from outflank.kernels.deque import EMPTY, pop
from outflank.lab.replay.schedulers import NEVER, Costs
from outflank.parallel.divided import Divided
from outflank.parallel.idling import try_to_steal
from outflank.parallel.shared_state import DELIVER, DESCEND, IDLE, OFFER
from outflank.parallel.splitting import work
from outflank.parallel.taking import join
from outflank.search.division import Scheme
from outflank.search.root import Root
from outflank.search.stopping import is_wanted


@dataclass(slots=True)
class VirtualWorkers:
    """The clock of virtual workers and counts of their work, summed over all roots of a search."""

    costs: Costs
    """Costs of sharing, in nodes."""
    seed: int = 1
    time: float = 0.0
    """Time inside the trees, in nodes of one worker."""
    busy: float = 0.0
    """Nodes that all workers entered inside the trees."""
    steals: int = 0
    tries: int = 0

    def scheme(self, scheme: Scheme) -> Scheme:
        """Return a copy of `scheme` whose workers are virtual. `scheme` must have split points."""

        def divide(root: Root, workers: int) -> Divided:
            division = scheme.divide(root, workers)
            assert isinstance(division, Divided), f"{scheme.name} has no split points"
            division.crew.hands["random"] += np.uint64(self.seed)
            division.crew.crew.stepwise = 1
            division.conductor = self.run_root
            return division

        return replace(scheme, divide=divide)

    def run_root(self, division: Divided, step: int) -> None:
        """Run all workers until the root's value is known and every other worker has left its split points."""
        crew, bell = division.crew.crew, division.root.bell
        crew.open = 1
        turns = [_Turn(division, index) for index in range(division.crew.count)]
        turns[0].step, turns[0].at = step, 0.0
        now, end, rung = 0.0, None, int(bell.rung)
        while True:
            turn = min(turns, key=lambda turn: turn.at)
            if turn.at == NEVER:
                break  # no worker has work, and no permit is left
            now = turn.at
            permits = sum(other.permits for other in turns)
            if turn.step == IDLE:
                self._seek(turn, permits)
            else:
                turn.do_step(self.costs)
            if int(bell.rung) != rung:
                rung = int(bell.rung)
                for other in turns:
                    other.give_up_if_unwanted(now)
            if sum(other.permits for other in turns) > permits:
                _call_thieves(turns, now, self.costs)
            if end is None and crew.open == 0:
                end = now
        self.time += now if end is None else end
        self.busy += sum(turn.nodes for turn in turns)

    def _seek(self, turn: "_Turn", permits: int) -> None:
        """Let an idle worker take a permit of its own, or try to steal one. It waits if there is none at all."""
        permit = int(pop(turn.hand))
        if permit != EMPTY:
            turn.step = int(join(turn.crew, turn.hand, permit))
        elif permits == 0 or turn.crew.count == 1:
            turn.at = NEVER
        else:
            self.tries += 1
            permit = int(try_to_steal(turn.crew, turn.hand))
            if permit > 0:
                self.steals += 1
                turn.step = int(join(turn.crew, turn.hand, permit))
                turn.at += self.costs.steal
            else:
                turn.at += self.costs.attempt


def _call_thieves(turns: "list[_Turn]", now: float, costs: Costs) -> None:
    """Let waiting workers try to steal: all that are awake, and one that sleeps."""
    woken = False
    for turn in turns:
        if turn.at != NEVER:
            continue
        if now - turn.idle_since <= costs.sleep_after:
            turn.at = now + costs.attempt
        elif not woken:
            turn.at, woken = now + costs.wake, True


class _Turn:
    """A virtual worker, with its next step and the time of that step."""

    def __init__(self, division: Divided, index: int) -> None:
        self.crew, self.hand, self.bell = division.crew.crew, division.crew.hands[index], division.root.bell
        self.worker, self.arguments = division.root.workers[index], division.arguments(index)
        self.step, self.at, self.idle_since = IDLE, NEVER, -NEVER
        self.nodes = 0
        self.searching = False
        """Whether the worker is inside a subtree whose value it delivers next."""

    @property
    def permits(self) -> int:
        """Number of permits on the worker's deque."""
        return int(self.hand.bottom) - int(self.hand.top)

    def do_step(self, costs: Costs) -> None:
        """Do the next step, and advance the worker's clock by the nodes that it enters."""
        step, before = self.step, int(self.worker.nodes)
        work(*self.arguments, step)
        self.step = int(self.hand.step)
        nodes = int(self.worker.nodes) - before
        self.nodes += nodes
        self.at += nodes + (costs.offer if step == OFFER and self.crew.count > 1 else 0.0)
        self.searching = step == DESCEND and self.step == DELIVER
        if self.step == IDLE:
            self.idle_since = self.at

    def give_up_if_unwanted(self, now: float) -> None:
        """Give up the subtree that the worker is inside, if its value is no longer needed.

        Take back the nodes that the worker would have entered from now on.
        """
        if not self.searching or self.at <= now or self.hand.valid == 0:
            return
        if not is_wanted(self.bell, int(self.hand.frame), int(self.hand.index)):
            rest = int(self.at - now)
            self.worker.nodes -= rest
            self.nodes -= rest
            self.hand.valid = 0
            self.hand.obeyed += 1
            self.at = now
