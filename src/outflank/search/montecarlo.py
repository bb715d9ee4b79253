"""Monte-Carlo search: `uct`, with a tree that grows where its playouts go well, and `flat`, without one.

`uct` (upper confidence bounds applied to trees) finds the best move in the limit of infinitely many playouts. `flat`
(tried in the published report 003) runs equally many playouts for every root move; it may miss the best move even in
the limit. The same seed repeats the same search. Values are thousandths of a win for the side to move.
"""

import math
import time
from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from outflank.boards import Board
from outflank.errors import keep_partial_result
from outflank.games.evaluation import begin, final, value
from outflank.games.hints import promise
from outflank.games.rules import Game, Position, fill, pack, play, unpack
from outflank.games.scores import Scale
from outflank.kernels.bits import U64, Int, Word, multiply
from outflank.kernels.compiler import Samples, extend, inner, kernel
from outflank.kernels.lowering import IR, Builder, Context, Signature, define, is_device
from outflank.kernels.record_types import Records
from outflank.kernels.signals import Attendant
from outflank.machine import DeviceUsed
from outflank.placement import pinned
from outflank.search.ordering import stage_of_weights
from outflank.search.request import Deadline, Limits, Options, Stop
from outflank.search.results import MoveValue, Progress, Result, Watch, WorkerStatistics, watching
from outflank.search.root import Root
from outflank.search.stopping import poll_stop, timer


def warp_sync() -> None:
    """Wait for the other active threads of the *warp*, the 32 threads that execute each instruction together.

    Threads that diverge in a loop stay diverged, and no longer execute instructions together. Without this call a GPU
    counted leaves at a tenth of the speed. On a CPU, and in the interpreter, the call does nothing.
    """


@extend
def _register_with_numba() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core.cgutils import get_or_insert_function

    def emit(context: Context, builder: Builder, signature: Signature) -> IR:
        if is_device(context):
            number = ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [number])
            wait = get_or_insert_function(builder.module, kind, "llvm.nvvm.bar.warp.sync")
            builder.call(wait, [ir.Constant(number, -1)])
        return context.get_dummy_value()

    define(warp_sync, (), lambda: (types.none,), emit)


WIN = 1000
"""Value of a playout that ends in a win. A playout that stops before the end of the game has an estimated value between
-WIN and WIN."""

WINS = Scale(unit="wins", points=WIN, decimals=2, most=1)
"""Scale of Monte-Carlo values: +0.50 wins means that three playouts of four are won."""

LONGEST = 120
"""Number of plies after which a playout stops and its last position is evaluated."""

SCALE = 400
"""Value of the evaluation that counts as half a win, at the end of an unfinished playout."""

EXPLORE = 1.0
"""Weight of exploration in the upper confidence bound."""

LONGEST_PATH = 256
"""Maximum number of nodes on a path from the root of a tree to a leaf."""

FIRST_GAMES = 64
"""Number of playouts before the first result of a search, or one for each root move if there are more root moves. An
attribute `first_games` of the search's `Playing` replaces this number."""

NODES = 1 << 20
"""Maximum number of nodes of a tree; a full tree is still used, but no longer grows."""

NODE = np.dtype(
    [
        ("first", np.uint64),
        ("second", np.uint64),
        ("won", np.int64),  # the sum of the results, for the side that moved here
        ("visits", np.int64),
        ("children", np.int64),  # index of the first child; 0: not expanded
        ("count", np.int32),
        ("move", np.uint16),
    ],
    align=True,
)


@inner
def mixed(word: Word) -> Word:
    """Return a hash of `word` (splitmix): every bit depends on all bits of `word`."""
    word = multiply(word ^ (word >> U64(30)), U64(0xBF58476D1CE4E5B9))
    word = multiply(word ^ (word >> U64(27)), U64(0x94D049BB133111EB))
    return word ^ (word >> U64(31))


@inner
def draw(state: npt.NDArray[np.uint64], limit: int) -> Int:
    """Return a random number from 0 to `limit` - 1, and advance the random generator's `state`."""
    state[0] += U64(0x9E3779B97F4A7C15)
    return np.int64((mixed(state[0]) >> U64(32)) * U64(limit) >> U64(32))


@inner
def playout(game, evaluation, position, policy, moves, random):
    """Run a playout from `position`. Return its result for the side to move there, and its number of positions.

    At each ply, two random moves are drawn and the move with the higher `promise` is played. This policy is weak enough
    to keep playouts varied, and strong enough to see a corner or a push. If `policy.sorting` is 0, one random move is
    drawn and played. `policy` has the fields `sorting`, `staged` and `weights` of a worker's record; `moves` has room
    for the moves of one position.
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
            other_move = moves[draw(random, end)]
            other_child = play(game, position, other_move)
            weights = policy.weights[stage_of_weights(game, position, policy)]  # functions on a GPU return no arrays
            move_promise = promise(game, position, move, child, weights)
            if promise(game, position, other_move, other_child, weights) > move_promise:
                child = other_child
        position = child
        sign = -sign
    estimate = value(evaluation, game, position, begin(evaluation, game, position))
    return sign * (WIN * estimate // (abs(estimate) + SCALE)), LONGEST


@inner
def worker_playout(game, evaluation, position, worker, random):
    """Run a playout from `position`, and count it in `worker`. Return its result for the side that just moved."""
    result, positions = playout(game, evaluation, position, worker, worker.moves, random)
    worker.nodes += positions
    worker.leaves += 1
    return -result


@inner
def expand(game, position, tree, node, used, worker):
    """Add a node's children to the tree, if there is room. Return the tree's number of nodes."""
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
def select_child(tree, node, games):
    """Return the child to follow: the first child without visits, or else the child with the highest upper confidence
    bound. The field `visits` counts playouts; `games` playouts are one visit."""
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
    """Run `playouts` playouts from the root of `tree`, which grows. Return the tree's number of nodes.

    With `flat`, the root's moves take turns and the tree does not grow.
    """
    for _ in range(playouts):
        if poll_stop(worker):
            break
        node, length = 0, 1
        path[0] = 0
        while tree[node].children != 0 and length < len(path):
            node = tree[0].children + tree[0].visits % tree[0].count if flat else select_child(tree, node, 1)
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
        result = worker_playout(game, evaluation, position, worker, random)
        for back in range(length - 1, -1, -1):
            tree[path[back]].visits += 1
            tree[path[back]].won += result
            result = -result
    return used


@grow.sample
def _grow_sample(game: Game, position: Position, every: bool) -> Samples:
    root = Root(game, position, Options(algorithm="uct"))
    tree = new_tree(root, room=512)
    yield game, root.evaluation, *tree, 1, False, root.worker, random_state(1), np.zeros(32, np.int64)


def random_state(seed: int) -> npt.NDArray[np.uint64]:
    """Return the initial state of a random generator. The seed is hashed because workers have consecutive seeds:
    without the hash, the workers' sequences would be the same sequence, shifted by one number."""
    return np.array([mixed(U64(seed * 0x9E3779B97F4A7C15 % 2**64))], np.uint64)


def new_tree(root: Root, room: int = NODES) -> tuple[Records, int]:
    """Return a tree with the root and its moves, and the tree's number of nodes."""
    tree = np.zeros(room, NODE).view(np.recarray)
    tree[0]["first"], tree[0]["second"] = pack(root.game, root.position)
    tree[0]["children"], tree[0]["count"] = 1, len(root.moves)
    for index, move in enumerate(root.moves, 1):
        tree[index]["first"], tree[index]["second"] = pack(root.game, move.child)
        tree[index]["move"] = move.code
    return tree, 1 + len(root.moves)


class Playing(Protocol):
    """The workers that run the playouts of one search, and the trees that they grow."""

    trees: list[Records]
    """Trees with the same root, whose counts are added up; the first is the leader's."""

    def play(self, games: int) -> None:
        """Run about `games` playouts, or until stopped."""

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """Return the statistics of each worker so far."""


class OnePlayer:
    """One worker and its tree: a new tree, or the tree in `grown`, a pair of a tree and its number of nodes."""

    reads_deadline = True
    device: DeviceUsed = "cpu"

    def __init__(self, root: Root, grown: tuple[Records, int] | None = None) -> None:
        self.root = root
        tree, self.used = new_tree(root) if grown is None else grown
        self.trees = [tree]
        self._random, self._path = random_state(root.options.seed), np.zeros(LONGEST_PATH, np.int64)

    def play(self, games: int) -> None:
        """Run `games` playouts, or until stopped."""
        root, flat = self.root, self.root.options.algorithm == "flat"
        arguments = (self.trees[0], self.used, games, flat, root.worker, self._random, self._path)
        with pinned(root.places, 0):
            self.used = grow(root.game, root.evaluation, *arguments)

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """Return the statistics of the one worker."""
        return (WorkerStatistics(nodes=int(self.root.worker.nodes)),)


def iterate_playouts(
    board: Board,
    root: Root,
    playing: Playing,
    scheme: str | None,
    limits: Limits,
    stop: Stop | None,
    watch: Watch | None,
    deadline: Deadline | None = None,
) -> Generator[Result, None, None]:
    """Run playouts until a limit is reached. Yield a result each time that their number has about doubled.

    An exception that ends the search has an attribute `partial_result`, the result so far.
    """
    return _playouts(board, root, playing, scheme, limits, stop or Stop(), watch, deadline)


def _playouts(
    board: Board,
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
            result_now = _current_result(board, root, playing.trees, time.perf_counter() - started)
            return Progress(
                depth=result_now.depth,
                proving=False,
                nodes=result_now.nodes,
                seconds=result_now.seconds,
                moves_begun=len(root.moves),
                move_count=len(root.moves),
                move=None,
                best=result_now.move if result_now.depth else None,
                value=result_now.value,
            )

        def result(*, stopped: bool) -> Result:
            device: DeviceUsed | None = getattr(playing, "device", None)  # only a `Playing` that may use a GPU has it
            return replace(
                _current_result(board, root, playing.trees, time.perf_counter() - started),
                scheme=None if device == "cpu" else scheme,  # one worker, whichever scheme was requested
                workers=playing.statistics(),
                stopped=stopped,
                device=device or "cpu",
            )

        with timer(root.stop, seconds, playing):
            while True:
                root.restart_poll_clock()
                with keep_partial_result(partial(result, stopped=True)), watching(watch, progress, root.stop):
                    attendant.run(partial(playing.play, games))
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


def _current_result(board: Board, root: Root, trees: Sequence[Records], seconds: float) -> Result:
    """Return the result so far. Its move is the move with most playouts. With `flat`, where all moves have equally many
    playouts, it is the move with the best mean."""
    tree = trees[0]
    count = int(tree[0]["count"])
    visits = sum(tree_of_worker["visits"][1 : count + 1] for tree_of_worker in trees)
    sums = sum(tree_of_worker["won"][1 : count + 1] for tree_of_worker in trees)
    means = [round(int(total) / max(int(games), 1)) for total, games in zip(sums, visits, strict=True)]
    flat = root.options.algorithm == "flat"
    ranked = sorted(range(count), key=lambda move: (0 if flat else int(visits[move]), means[move]), reverse=True)
    line = [1 + ranked[0]]
    while tree[line[-1]]["children"] > 0 and tree[line[-1]]["visits"] > 10:
        first = int(tree[line[-1]]["children"])
        line.append(max(range(first, first + int(tree[line[-1]]["count"])), key=lambda node: tree[node]["visits"]))
    codes = [int(tree[1 + move]["move"]) for move in ranked]
    best_count = root.options.moves
    has_games = bool(visits.any())
    if not has_games:  # stopped before the first playout
        line, best_count = [], 0
    return Result(
        value=means[ranked[0]] if has_games else None,
        move=board.move(codes[0]),
        pv=board.line(int(tree[node]["move"]) for node in line),
        depth=len(line),
        nodes=root.counter("nodes"),
        leaves=root.counter("leaves"),
        seconds=seconds,
        exact=False,
        best=tuple(
            MoveValue(move=board.move(code), value=means[move], line=board.line((code,)))
            for code, move in zip(codes[:best_count], ranked, strict=False)
        ),
        scale=WINS,
    )
