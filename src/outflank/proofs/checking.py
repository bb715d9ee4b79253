"""Checking a certificate with the game's plain rules (`games.plain`) and a separate search of its leaves."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank.boards import Board
from outflank.games.description import description_of
from outflank.games.plain import (
    CHILDREN,
    NONE,
    PlainRules,
    can_move,
    expand,
    handed_over,
    key_words,
    left,
    next_child,
    outcome,
    position_of,
)
from outflank.games.rules import Game, Position, pack
from outflank.games.sides import Side
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.kernels.record_types import Record, allocate
from outflank.proofs.certificate import Certificate, Strategy
from outflank.proofs.frontier import Frontier, InvalidProof, Keys, Progress, over_slices

ORDERED_FROM = 7
"""Minimum number of moves left at which moves are sorted by the number of replies, the fewest first. With 6 instead of
7, the check visited 12 % fewer nodes but took 7 % longer."""


@inner
def _fewest_replies_first(rules: PlainRules, children: Record, start: int, end: int) -> None:
    for index in range(start, end):
        first, second = children.first[index], children.second[index]
        children.replies[index] = expand(rules, first, second, children, end) - end
    for index in range(start + 1, end):
        move, replies = children.moves[index], children.replies[index]
        first, second = children.first[index], children.second[index]
        place = index
        while place > start and children.replies[place - 1] > replies:
            children.moves[place], children.replies[place] = children.moves[place - 1], children.replies[place - 1]
            children.first[place], children.second[place] = children.first[place - 1], children.second[place - 1]
            place -= 1
        children.moves[place], children.replies[place] = move, replies
        children.first[place], children.second[place] = first, second


@kernel
def reaches(rules, first, second, goal, children, start):
    """Return whether the side to move can score at least `goal`. All moves are tried to the end of the game.

    `children` has free rows from `start` on.
    """
    children.nodes += 1
    remaining = left(rules, first, second)
    if remaining == 0:
        return outcome(rules, first, second) >= goal
    stuck = True
    if remaining >= ORDERED_FROM:
        end = expand(rules, first, second, children, start)
        stuck = end == start
        _fewest_replies_first(rules, children, start, end)
        for index in range(start, end):
            if not reaches(rules, children.first[index], children.second[index], 1 - goal, children, end):
                return True
    else:
        child, next_first, next_second = next_child(rules, first, second, np.int64(0))
        while child != NONE:
            stuck = False
            if not reaches(rules, next_first, next_second, 1 - goal, children, start):
                return True
            child, next_first, next_second = next_child(rules, first, second, child)
    if not stuck:
        return False
    next_first, next_second = handed_over(rules, first, second)
    if not can_move(rules, next_first, next_second):
        return outcome(rules, first, second) >= goal
    return not reaches(rules, next_first, next_second, 1 - goal, children, start)


@kernel
def first_wrong_leaf(rules, keys, mine, bound, children):
    """Return the index of the first leaf that does not guarantee `bound` to the strategist, or the number of leaves.

    The strategist is the side that follows the strategy. It is to move in these leaves if `mine` is true.
    """
    for index in range(len(keys)):
        first, second = position_of(rules, keys[index, 0], keys[index, keys.shape[1] - 1])
        start = np.int64(0)  # a literal would have a different type
        if mine:
            holds = reaches(rules, first, second, bound, children, start)
        else:
            holds = not reaches(rules, first, second, 1 - bound, children, start)
        if not holds:
            return index
    return len(keys)


@reaches.sample
def _reaches_sample(game: Game, position: Position, every: bool) -> Samples:
    plain = description_of(game).plain_rules
    if plain is not None:
        yield plain(game), np.uint64(0), np.uint64(0), 0, allocate(CHILDREN, 1)[0], 0  # a position without moves


@first_wrong_leaf.sample
def _sample(game: Game, position: Position, every: bool) -> Samples:
    plain = description_of(game).plain_rules
    if plain is not None:
        rules = plain(game)
        keys = np.zeros((0, int(key_words(rules))), np.uint64)
        yield rules, keys, True, 0, allocate(CHILDREN, 1)[0]


LEAVES = 256
"""Number of a strategy's leaves that a worker checks at a time."""

Watch = Callable[[str], None]
"""Function that receives progress messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedLevel:
    """Numbers of checked positions that a strategy reaches with `left` moves left."""

    left: int
    own: int
    """Number of positions in which the strategy's side is to move, and the strategy's move was followed."""
    other: int
    """Number of positions in which the opponent is to move, and every reply was followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedStrategy:
    """A checked strategy, which proves that `side` can score at least `bound`."""

    side: Side
    bound: int
    leaf: int
    levels: tuple[CheckedLevel, ...]
    finished: int
    """Number of games that ended before they reached a leaf."""
    leaves: int
    nodes: int
    """Number of nodes that the checker searched below the leaves."""

    @property
    def positions(self) -> int:
        """Number of checked positions above the leaves."""
        return sum(level.own + level.other for level in self.levels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A checked certificate, which proves that `value` is the value of the position for the side to move."""

    board: Board
    value: int
    strategies: tuple[CheckedStrategy, ...]
    seconds: float


def check(certificate: Certificate, *, workers: int = 1, watch: Watch = lambda text: None) -> Checked:
    """Check a certificate and return the facts that it proves. If the proof is wrong, raise `InvalidProof`, whose
    message names the place of the error."""
    started = time.perf_counter()
    board = certificate.board
    plain = description_of(board.game).plain_rules
    if plain is None:
        raise InvalidProof(f"there are no rules of {description_of(board.game).title} to check a proof by")
    if sorted(strategy.mover for strategy in certificate.strategies) != [False, True]:
        raise InvalidProof("a value needs two strategies: one of each side")
    strategies = tuple(
        _check(strategy, certificate, plain(board.game), workers, watch) for strategy in certificate.strategies
    )
    return Checked(board=board, value=certificate.value, strategies=strategies, seconds=time.perf_counter() - started)


def _check(
    strategy: Strategy, certificate: Certificate, rules: PlainRules, workers: int, watch: Watch
) -> CheckedStrategy:
    board = certificate.board
    side = board.turn if strategy.mover else board.turn.other
    bound = certificate.value if strategy.mover else -certificate.value
    first, second = map(np.uint64, pack(board.game, board.position))
    try:
        frontier = Frontier(rules, (first, second), mine=strategy.mover, bound=bound, workers=workers)
        levels = list(_levels(strategy, frontier, side, watch))
        nodes = check_leaves(frontier, progress=lambda done: watch(f"{side}: {done:,} leaves"))
    except InvalidProof as invalid:
        raise InvalidProof(f"strategy of {side}: {invalid}") from None
    level = frontier.level
    return CheckedStrategy(
        side=side,
        bound=bound,
        leaf=strategy.leaf,
        levels=tuple(levels),
        finished=frontier.finished,
        leaves=len(level.own) + len(level.other),
        nodes=nodes,
    )


def _levels(strategy: Strategy, frontier: Frontier, side: Side, watch: Watch) -> Any:
    """Advance the frontier to the leaves with the strategy's moves. Yield a `CheckedLevel` for each level above
    them."""
    unused = dict(strategy.moves)
    while frontier.level.left > strategy.leaf and (len(frontier.level.own) or len(frontier.level.other)):
        level = frontier.level
        moves = unused.pop(level.left, np.zeros(0, np.uint8))
        if len(moves) != len(level.own):
            raise InvalidProof(f"{level.left} moves left: {len(moves):,} moves for {len(level.own):,} positions")
        yield CheckedLevel(left=level.left, own=len(level.own), other=len(level.other))
        watch(f"{side}: {level.left} moves left, {len(level.own) + len(level.other):,} positions")
        frontier.advance(moves)
    for remaining, moves in unused.items():
        if len(moves):
            raise InvalidProof(f"{remaining} moves left: {len(moves):,} moves for 0 positions")


def check_leaves(frontier: Frontier, progress: Progress | None = None) -> int:
    """Search every leaf to the end; raise `InvalidProof` if its score is too low. Return the number of nodes."""
    children = allocate(CHILDREN, frontier.workers)
    level = frontier.level

    def search(keys: Keys, mine: bool, progress: Progress | None) -> None:
        def work(begin: int, end: int, worker: int) -> None:
            wrong = first_wrong_leaf(frontier.rules, keys[begin:end], mine, frontier.bound, children[worker])
            if wrong < end - begin:
                raise InvalidProof(
                    f"leaf {begin + wrong + 1:,} of {len(keys):,}, with {level.left} moves left, has less than "
                    f"{frontier.bound:+d} for the strategist"
                )

        over_slices(work, len(keys), size=LEAVES, workers=frontier.workers, progress=progress)

    search(level.own, True, progress)
    search(level.other, False, progress and (lambda done: progress(done + len(level.own))))
    return int(children["nodes"].sum())
