"""The top of a game tree, divided into jobs for the nodes of a cluster. It knows nothing of messages and time.

A split is a position with moves that are searched separately: the first alone, then the others in parallel (young
brothers wait), with null windows first if the algorithm uses scouts. A part is a move that is being searched. A part is
a split itself if its depth exceeds the threshold, and otherwise a job of one node. A cutoff closes a split and all
splits below it: their jobs become `unwanted`, and their results are ignored.

While a move that beat its scout is searched again, the scouts of its brothers go on, unlike on one machine. The reason
is that jobs are long: when nodes waited for the better bound, they lost more time than the better bound saved.

A node continues in the split of its last job, or in the nearest one above it that has moves left. If there is none, it
steals from the split nearest to the root.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from outflank.distributed.node_messages import Job, JobResult
from outflank.distributed.node_steps import open_node, play_moves, store_value
from outflank.distributed.splits import Homes, Split, SplitMove, Splitting, TreePlace
from outflank.games.rules import MOVE, pack
from outflank.kernels.bits import U64
from outflank.search.root import Root
from outflank.search.root_moves import RootMove, RootValue, WindowProgress, ranks
from outflank.search.table import EXACT, LOWER, NO_MOVE, UPPER


class Tree:
    """The search of one root to one depth in one window, divided into jobs."""

    def __init__(
        self,
        root: Root,
        splitting: Splitting,
        moves: Sequence[RootMove],
        *,
        depth: int,
        alpha: int,
        beta: int,
        era: int,
        tickets: Iterator[int],
        places: dict[int, TreePlace],
        homes: Homes,
    ) -> None:
        self.root, self.splitting, self.era, self.depth = root, splitting, era, depth
        self.moves = moves
        self.result: RootValue | None = None
        self.unwanted: list[int] = []
        """Tickets of running jobs that should be stopped, because their results are no longer needed."""
        self.changes = 0
        """Number of events so far that may have created work for an idle node."""
        self.spawned = 0
        self.threshold = splitting.threshold
        """Remaining depth at which a move becomes a job of one node. The head may change it at any time."""
        self.wide_threshold = splitting.threshold
        """The same for moves with a wider window than a null window, if that is less."""
        self.least = 0
        """Least depth of a move that one node sends to another, if nodes divide jobs themselves."""
        self.send_from = 0
        """Least depth of the table entries that a node sends to others, if the replication policy does not set one."""
        self._tickets, self._places, self._homes = tickets, places, homes
        self._parts: dict[int, SplitMove] = {}
        self._orphans: list[SplitMove] = []
        self._open: list[Split] = []
        scouts = root.options.algorithm == "pvs" or splitting.in_order
        self._scouts = scouts and root.options.share_alpha
        self._ranks = ranks(moves, root.options.ties)
        self._top = self._split(_words(root), depth, root.depth_below(depth), 0, alpha, beta, None)
        for place in places.values():
            place.split = self._top

    # --- work for nodes ---

    def take(self, node: int, *, ahead: bool = False) -> Job | None:
        """Return a job for a node, or None if there is no work for it now. With `ahead`, the node is not idle yet: it
        does not steal, and gets no job whose window may still become narrower."""
        place = self._places.setdefault(node, TreePlace())
        while self.result is None:
            part = self._orphan() or self._next(place, node, ahead=ahead)
            if part is None:
                return None
            while part.ticket < 0 and part.depth > self._threshold_of(part):
                split = self._descend(part)
                if split is None:
                    break  # the value was known without a search
                part = self._part(split, node)
            else:
                return self._job(part, node, place)
        return None

    def _threshold_of(self, part: SplitMove) -> int:
        return self.threshold if part.high - part.low == 1 else min(self.threshold, self.wide_threshold)

    def _orphan(self) -> SplitMove | None:
        """Return a move that a lost node was searching, or None if there is none."""
        while self._orphans:
            part = self._orphans.pop()
            if not part.split.closed:
                part.ticket = -1
                return part
        return None

    def _next(self, place: TreePlace, node: int, *, ahead: bool) -> SplitMove | None:
        split = place.split
        while split is not None and not self._available(split, ahead=ahead):
            split = split.above
        if split is None and not ahead:
            place.tried += 1
            available = [split for split in self._open if self._available(split)]
            if not available:
                return None
            # Prefer a split that this node has searched; otherwise take the oldest, which is nearest to the root.
            home_splits = (split for split in available if self._home(split) == node)
            split = next(home_splits, available[0])
            place.stolen += 1
        return None if split is None else self._part(split, node)

    def _available(self, split: Split, *, ahead: bool = False) -> bool:
        if split.closed:
            return False
        if ahead and split.beta - split.alpha > 1:
            # Abalone to depth 9 on two nodes entered a tenth more tree nodes when its windows were not waited for.
            return False
        if split.again and not (self.splitting.in_order and (split.todo or split.busy)):
            return True
        return bool(split.todo) and (split.done > 0 or not split.busy)

    def _part(self, split: Split, node: int) -> SplitMove:
        """Return the next move of a split that `node` should search, with its window."""
        if split.again and not (self.splitting.in_order and (split.todo or split.busy)):
            split.again.sort(reverse=True)
            index, bound = split.again.pop()
            low = self._floor(split, index)
            if bound > low:
                part = SplitMove(split, index, bound - 1, split.beta, split.left)
            else:  # another move is better by now: a scout must show that this one beats it
                part = SplitMove(split, index, low, min(low + 1, split.beta), split.left)
        else:
            index = split.todo.pop(self._choose_index(split, node))
            low = self._floor(split, index)
            scouting = self._scouts and split.done > 0 and low + 1 < split.beta
            part = SplitMove(split, index, low, low + 1 if scouting else split.beta, split.left)
        split.busy[index] = part
        if split.done > 0:
            self.spawned += 1
        return part

    def _choose_index(self, split: Split, node: int) -> int:
        """Return the index in `todo` of a node's next move: the first move of the split if no move is done, otherwise a
        move that the node has searched before, otherwise a move that no node has searched, otherwise the next move."""
        if split.done == 0 or len(split.todo) == 1:
            return 0
        homes = [self._homes[split.after[index]] for index in split.todo]
        for home in (node, None):
            if home in homes:
                return homes.index(home)
        return 0

    def _home(self, split: Split) -> int | None:
        """Return the node that last searched the split's position, or first took a move of it; None if no such node is
        known, and for the root."""
        return None if split.part is None else self._homes[split.words]

    def _floor(self, split: Split, index: int) -> int:
        """Return the lower end of the window for a move of a split. The move is the best if its value is greater."""
        if split.part is None:
            if not self.root.options.share_alpha:
                return split.alpha
            if split.best_index >= 0 and self._ranks[split.codes[index]] > self._ranks[split.codes[split.best_index]]:
                return max(split.alpha, split.best - 1)  # this move is preferred at equal values
        return max(split.alpha, split.best)

    def _descend(self, part: SplitMove) -> Split | None:
        """Turn a move into a split and return it; None if its value was known without a search, and was delivered."""
        root, worker = self.root, self.root.worker
        words = part.split.after[part.index]
        ply = part.split.ply + 1
        alpha, beta = -part.high, -part.low
        is_known, value, count, left = open_node(
            root.game, root.evaluation, *map(U64, words), alpha, beta, part.depth, ply, worker, root.probe
        )
        if is_known:
            self._deliver(part, -int(value), ())
            return None
        codes = [int(code) for code in worker.moves[: int(count)]]
        part.inside = self._split(words, part.depth, int(left), ply, alpha, beta, part, codes)
        return part.inside

    def _split(
        self,
        words: tuple[int, int],
        depth: int,
        left: int,
        ply: int,
        alpha: int,
        beta: int,
        part: SplitMove | None,
        codes: list[int] | None = None,
    ) -> Split:
        if codes is None:
            codes = [move.code for move in self.moves]
        after = np.zeros((len(codes), 2), np.uint64)
        play_moves(self.root.game, *map(U64, words), np.array(codes, MOVE), after)
        following = [(int(first), int(second)) for first, second in after]
        split = Split(words, depth, left, ply, alpha, beta, codes, following, part)
        split.todo = list(range(len(codes)))
        self._open.append(split)
        self.changes += 1
        return split

    def _job(self, part: SplitMove, node: int, place: TreePlace) -> Job:
        part.ticket = next(self._tickets)
        self._parts[part.ticket] = part
        split = part.split
        place.split = split
        place.jobs += 1
        words = split.after[part.index]
        place.home_jobs += self._homes[words] == node
        self._homes[words] = node
        while split.part is not None:  # also for the splits above that no node has taken yet
            if self._homes[split.words] is not None:
                break
            self._homes[split.words] = node
            split = split.part.split
        return Job(
            ticket=part.ticket,
            era=self.era,
            first=words[0],
            second=words[1],
            depth=part.depth,
            ply=part.split.ply + 1,
            alpha=-part.high,
            beta=-part.low,
            send_from=self.send_from,
            least=self.least,
        )

    # --- values ---

    def deliver(self, result: JobResult) -> bool:
        """Process the result of a job; return whether it was still needed."""
        part = self._parts.pop(result.ticket, None)
        if part is None or part.split.closed:
            return False
        if not result.valid:  # not stopped by this tree, so that it must be searched again
            self._orphans.append(part)
            self.changes += 1
            return False
        root = self.root
        alpha, beta = -part.high, -part.low
        bound = LOWER if result.value >= beta else EXACT if result.value > alpha else UPPER
        words = map(U64, part.split.after[part.index])
        move = result.line[0] if result.line else NO_MOVE
        store_value(root.game, *words, result.value, bound, part.depth, part.split.ply + 1, move, root.worker)
        self._deliver(part, -result.value, result.line if bound == EXACT else ())
        return True

    def lose(self, ticket: int) -> None:
        """Put the job of a lost node back, so that another node searches it."""
        part = self._parts.pop(ticket, None)
        if part is not None and not part.split.closed:
            self._orphans.append(part)
            self.changes += 1

    def is_wanted(self, ticket: int) -> bool:
        """Return whether the result of a job is still needed."""
        part = self._parts.get(ticket)
        return part is not None and not part.split.closed

    def _deliver(self, part: SplitMove, value: int, line: tuple[int, ...]) -> None:
        while True:
            split = part.split
            del split.busy[part.index]
            self.changes += 1
            if part.low < value < split.beta and part.high < split.beta:
                split.again.append((part.index, value))
                return
            split.done += 1
            self._update_best(split, part, value, line)
            if split.best < split.beta and (split.todo or split.again or split.busy):
                return
            self._close(split)
            if split.part is None:
                self._finish(split)
                return
            self._store(split)
            part, value, line = split.part, -split.best, split.line

    def _update_best(self, split: Split, part: SplitMove, value: int, line: tuple[int, ...]) -> None:
        exact = part.low < value < split.beta
        if split.part is None:
            move = self.moves[part.index]
            move.value = value
            move.line = (move.code, *line) if exact else (move.code,)
            # A move with only a bound of its value must not win a tie.
            wins = value == split.best and value > part.low and self._is_preferred(split, part.index)
        else:
            wins = False
        if value > split.best or wins:
            split.best = max(split.best, value)
            split.best_index = part.index
            split.line = (split.codes[part.index], *line) if exact else (split.codes[part.index],)

    def _is_preferred(self, split: Split, index: int) -> bool:
        return self._ranks[split.codes[index]] > self._ranks[split.codes[split.best_index]]

    def _store(self, split: Split) -> None:
        """Store the value of a split in the head's transposition table."""
        bound = LOWER if split.best >= split.beta else EXACT if split.best > split.alpha else UPPER
        move = split.codes[split.best_index]
        worker = self.root.worker
        if bound == LOWER:
            worker.cutoffs += 1
            worker.first_cutoffs += split.best_index == 0
        store_value(self.root.game, *map(U64, split.words), split.best, bound, split.depth, split.ply, move, worker)
        if bound != EXACT:
            split.line = ()

    def _close(self, split: Split) -> None:
        """Close a split and all splits below it, and add their jobs to `unwanted`."""
        split.closed = True
        self._open.remove(split)
        for part in split.busy.values():
            if part.inside is not None:
                if not part.inside.closed:
                    self._close(part.inside)
            elif part.ticket >= 0:
                self.unwanted.append(part.ticket)
                self._parts.pop(part.ticket, None)

    def _finish(self, split: Split) -> None:
        best = self.moves[split.best_index]
        self.result = RootValue(split.best, best)

    def standing(self) -> WindowProgress:
        """Return the progress at the root: how many moves have been searched, and the best move so far."""
        top = self._top
        begun = len(self.moves) - len(top.todo)
        best_move = self.moves[top.best_index] if top.best > top.alpha else None
        return WindowProgress(begun, len(self.moves), None, best_move, top.best if best_move else None, top.done)

    def abandon(self) -> None:
        """Close the tree, because its value is no longer needed."""
        if not self._top.closed:
            self._close(self._top)


def _words(root: Root) -> tuple[int, int]:
    first, second = pack(root.game, root.position)
    return int(first), int(second)
