"""Monte-Carlo search: games played out by a simple policy, and a tree that grows where they go well.

`uct` (upper confidence bounds in a tree) promises the best move only in the limit; `flat` (what
report 003 tried) plays as many games for every root move and promises not even that. Both repeat
themselves for a seed. Values are thousandths of a win for the side to move.
"""

import math
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from outflank.boards import Board
from outflank.games.evaluation import begin, final, value
from outflank.games.hints import promise
from outflank.games.rules import fill, pack, play, unpack
from outflank.games.units import Scale
from outflank.kernels.bits import U64, multiply
from outflank.kernels.compiler import inner, kernel
from outflank.kernels.lockstep import warp_sync
from outflank.kernels.signals import Attendant
from outflank.machine import DeviceUsed
from outflank.placement import pinned
from outflank.search.contract import Deadline, Limits, Options, Stop
from outflank.search.ordering import stage_of_weights
from outflank.search.progress import watching
from outflank.search.results import MoveValue, Progress, Result, Watch, WorkerStatistics
from outflank.search.root import Root
from outflank.search.stopping import poll_stop, timer

WIN = 1000
"""A won game; estimates of unfinished ones lie between."""

WINS = Scale(unit="wins", points=WIN, decimals=2, most=1)
"""How the values are read: +0.50 wins is three games won of four."""

LONGEST = 120
"""Plies after which a game that does not end is estimated instead."""

SCALE = 400
"""The estimate that is worth half a win."""

EXPLORE = 1.0
"""The weight of what is not known yet against what went well."""

LONGEST_PATH = 256
"""Nodes from the root of a tree to its leaves, at most."""

FIRST_GAMES = 64
"""Games after which something is told of a search for the first time, unless who plays them says otherwise."""

NODES = 1 << 20
"""Nodes that a tree may have; when it is full, it is still used and no longer grown."""

NODE = np.dtype(
    [
        ("first", np.uint64),
        ("second", np.uint64),
        ("won", np.int64),  # the sum of the results, for the side that moved here
        ("visits", np.int64),
        ("children", np.int64),  # index of the first; 0: not expanded
        ("count", np.int32),
        ("move", np.uint16),
    ],
    align=True,
)


@inner
def mixed(word: Any) -> Any:
    """Another word, in which every bit depends on all bits of this one (splitmix)."""
    word = multiply(word ^ (word >> U64(30)), U64(0xBF58476D1CE4E5B9))
    word = multiply(word ^ (word >> U64(27)), U64(0x94D049BB133111EB))
    return word ^ (word >> U64(31))


@inner
def draw(state: Any, limit: Any) -> Any:
    """A number below `limit`; the state moves on."""
    state[0] += U64(0x9E3779B97F4A7C15)
    return np.int64((mixed(state[0]) >> U64(32)) * U64(limit) >> U64(32))


@inner
def play_out(game, evaluation, position, policy, moves, random):
    """The result of a game from `position` for the side to move there, and how many positions it had.

    The policy looks at two random moves and takes the one that promises more: weak enough to
    stay varied, strong enough to see a corner or a push. `policy` has the fields `sorting`, `staged` and `weights` of a
    worker's record; `moves` is room for those of one position.
    """
    sign = 1
    for ply in range(LONGEST):
        warp_sync()
        end = fill(game, position, moves, 0)
        if end == 0:
            won = final(evaluation, game, position)
            return sign * (WIN if won > 0 else -WIN if won < 0 else 0), ply + 1
        move = moves[draw(random, end)]
        child = play(game, position, move)
        if end > 1 and policy.sorting != 0:
            other = moves[draw(random, end)]
            rival = play(game, position, other)
            weights = policy.weights[stage_of_weights(game, position, policy)]  # a GPU's functions return no arrays
            likes = promise(game, position, move, child, weights)
            if promise(game, position, other, rival, weights) > likes:
                child = rival
        position = child
        sign = -sign
    estimate = value(evaluation, game, position, begin(evaluation, game, position))
    return sign * (WIN * estimate // (abs(estimate) + SCALE)), LONGEST


@inner
def played(game, evaluation, position, worker, random):
    """The result of a game that a worker plays from `position`, for the side that moved there."""
    result, positions = play_out(game, evaluation, position, worker, worker.moves, random)
    worker.nodes += positions
    worker.leaves += 1
    return -result


@inner
def expand(game, position, tree, node, used, worker):
    """Give a node its children; how many nodes are used then."""
    end = fill(game, position, worker.moves, 0)
    if end == 0 or used + end > len(tree):
        return used
    tree[node].children = used
    tree[node].count = end
    for index in range(end):
        child = tree[used + index]
        words = pack(game, play(game, position, worker.moves[index]))
        child.first, child.second = words
        child.move = worker.moves[index]
    return used + end


@inner
def chosen(tree, node, games):
    """The child to follow: the least known first, then the best upper bound. So many games are played at each visit."""
    first, count = tree[node].children, tree[node].count
    spread = EXPLORE * math.sqrt(games * math.log(tree[node].visits / games + 1.0))
    best, best_bound = first, -1e30
    for child in range(first, first + count):
        visits = tree[child].visits
        if visits == 0:
            return child
        bound = tree[child].won / (WIN * visits) + spread / math.sqrt(visits)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@kernel
def grow(game, evaluation, tree, used, playouts, flat, worker, random, path):
    """Play `playouts` games from the root of `tree`; how many nodes it has then.

    With `flat`, the root's moves take turns and nothing below them is kept.
    """
    for _ in range(playouts):
        if poll_stop(worker):
            break
        node, length = 0, 1
        path[0] = 0
        while tree[node].children != 0 and length < len(path):
            node = tree[0].children + tree[0].visits % tree[0].count if flat else chosen(tree, node, 1)
            path[length] = node
            length += 1
        position = unpack(game, tree[node].first, tree[node].second)
        if not flat and tree[node].visits > 0 and length < len(path):
            used = expand(game, position, tree, node, used, worker)
            if tree[node].children != 0:
                node = tree[node].children
                path[length] = node
                length += 1
                position = unpack(game, tree[node].first, tree[node].second)
        result = played(game, evaluation, position, worker, random)
        for back in range(length - 1, -1, -1):
            tree[path[back]].visits += 1
            tree[path[back]].won += result
            result = -result
    return used


@grow.sample
def _grow_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    root = Root(game, position, Options(algorithm="uct"))
    tree = new_tree(root, room=512)
    yield game, root.evaluation, *tree, 1, False, root.worker, seeded(1), np.zeros(32, np.int64)


def seeded(seed: int) -> Any:
    """The state of the random numbers. Those of one seed are not those of the next a draw later: workers have
    neighbouring seeds, and what they find is added up as if they knew nothing of each other."""
    return np.array([mixed(U64(seed * 0x9E3779B97F4A7C15 % 2**64))], np.uint64)


def new_tree(root: Root, room: int = NODES) -> tuple[Any, int]:
    """A tree with the root and its moves."""
    tree = np.zeros(room, NODE).view(np.recarray)
    tree[0]["first"], tree[0]["second"] = pack(root.game, root.position)
    tree[0]["children"], tree[0]["count"] = 1, len(root.moves)
    for index, move in enumerate(root.moves, 1):
        tree[index]["first"], tree[index]["second"] = pack(root.game, move.child)
        tree[index]["move"] = move.code
    return tree, 1 + len(root.moves)


class Playing(Protocol):
    """Who plays the games of one search, and the trees they grow."""

    trees: list[Any]
    """Trees with the same root; the first one is the leader's."""

    def play(self, games: int) -> None:
        """Play about so many games, or until stopped."""

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """What each worker has done so far."""


class OnePlayer:
    """One worker and its tree: a new one, or one that has grown to some size."""

    reads_deadline = True
    device: DeviceUsed = "cpu"

    def __init__(self, root: Root, grown: tuple[Any, int] | None = None) -> None:
        self.root = root
        tree, self.used = new_tree(root) if grown is None else grown
        self.trees = [tree]
        self._random, self._path = seeded(root.options.seed), np.zeros(LONGEST_PATH, np.int64)

    def play(self, games: int) -> None:
        """Play so many games, or until stopped."""
        root, flat = self.root, self.root.options.algorithm == "flat"
        arguments = (self.trees[0], self.used, games, flat, root.worker, self._random, self._path)
        with pinned(root.places, 0):
            self.used = grow(root.game, root.evaluation, *arguments)

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """One worker's."""
        return (WorkerStatistics(nodes=int(self.root.worker.nodes)),)


def iterate_playouts(
    board: Board[Any],
    root: Root,
    playing: Playing,
    scheme: str | None,
    limits: Limits,
    stop: Stop | None,
    watch: Watch | None,
    deadline: Deadline | None = None,
) -> Generator[Result, None, None]:
    """Play games until a limit is reached; a result each time that their number has doubled.

    What goes wrong on the way has an attribute `found`: what was known by then.
    """
    return _playouts(board, root, playing, scheme, limits, stop or Stop(), watch, deadline)


def _playouts(
    board: Board[Any],
    root: Root,
    playing: Playing,
    scheme: str | None,
    limits: Limits,
    stop: Stop,
    watch: Watch | None,
    deadline: Deadline | None,
) -> Generator[Result, None, None]:
    if not root.moves:
        final_value = int(final(root.evaluation, root.game, root.position))
        won = WIN if final_value > 0 else -WIN if final_value < 0 else 0
        yield Result(value=won, move=None, pv=(), depth=0, nodes=0, leaves=1, seconds=0.0, exact=True, scale=WINS)
        return
    root.begin_search(None, seconds=0.0)
    playing.play(0)  # compiles
    root.stop()
    started, seconds = time.perf_counter(), limits.seconds
    if deadline is not None:
        deadline.began_at = started
        seconds = deadline.left_seconds() if seconds is None else min(seconds, deadline.left_seconds())
    root.begin_search(limits.nodes, seconds)
    attendant = Attendant(root.stop)
    try:
        stop.add_listener(root.stop)
        games = max(getattr(playing, "first_games", FIRST_GAMES), len(root.moves))

        def progress() -> Progress:
            found = _summary(board, root, playing.trees, time.perf_counter() - started)
            return Progress(
                depth=found.depth,
                proving=False,
                nodes=found.nodes,
                seconds=found.seconds,
                begun=len(root.moves),
                moves=len(root.moves),
                move=None,
                best=found.move if found.depth else None,
                value=found.value,
            )

        def result(*, stopped: bool) -> Result:
            device: DeviceUsed | None = getattr(playing, "device", None)  # who never had a GPU need not say so
            return replace(
                _summary(board, root, playing.trees, time.perf_counter() - started),
                scheme=None if device == "cpu" else scheme,  # one worker, whoever was asked for
                workers=playing.statistics(),
                stopped=stopped,
                device=device or "cpu",
            )

        with timer(root.stop, seconds, playing):
            while True:
                root.restart_poll_clock()
                try:
                    with watching(watch, progress, root.stop):
                        attendant.run(partial(playing.play, games))
                except Exception as error:
                    error.found = result(stopped=True)  # type: ignore[attr-defined]  # for whoever asked
                    raise
                ended = bool(root.bell.stop)
                yield result(stopped=ended)
                if ended:
                    return
                games *= 2
    finally:
        if deadline is not None:
            deadline.longest_pause_seconds = max(deadline.longest_pause_seconds, root.longest_pause_seconds)
        stop.remove_listener(root.stop)
        attendant.close()


def _summary(board: Board[Any], root: Root, trees: Sequence[Any], seconds: float) -> Result:
    """The move with the most games, or in `flat`, where all have as many, with the best ones."""
    tree = trees[0]
    count = int(tree[0]["count"])
    visits = sum(other["visits"][1 : count + 1] for other in trees)
    sums = sum(other["won"][1 : count + 1] for other in trees)
    means = [round(int(total) / max(int(games), 1)) for total, games in zip(sums, visits, strict=True)]
    flat = root.options.algorithm == "flat"
    ranked = sorted(range(count), key=lambda move: (0 if flat else int(visits[move]), means[move]), reverse=True)
    line = [1 + ranked[0]]
    while tree[line[-1]]["children"] > 0 and tree[line[-1]]["visits"] > 10:
        first = int(tree[line[-1]]["children"])
        line.append(max(range(first, first + int(tree[line[-1]]["count"])), key=lambda node: tree[node]["visits"]))
    codes = [int(tree[1 + move]["move"]) for move in ranked]
    wanted = root.options.moves
    played = bool(visits.any())
    if not played:  # it was stopped before the first game
        line, wanted = [], 0
    return Result(
        value=means[ranked[0]] if played else None,
        move=board.move(codes[0]),
        pv=board.line(int(tree[node]["move"]) for node in line),
        depth=len(line),
        nodes=root.counter("nodes"),
        leaves=root.counter("leaves"),
        seconds=seconds,
        exact=False,
        best=tuple(
            MoveValue(move=board.move(code), value=means[move], line=board.line((code,)))
            for code, move in zip(codes[:wanted], ranked, strict=False)
        ),
        scale=WINS,
    )
