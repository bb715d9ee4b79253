"""Checking a certificate: by the game's plain rules only, and a search of its own at the leaves."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank.boards import Board
from outflank.games.description import description_of
from outflank.games.plain import CHILDREN, PlainRules
from outflank.games.rules import pack
from outflank.games.sides import Side
from outflank.kernels.record_types import allocate
from outflank.proofs.certificate import Certificate, Strategy
from outflank.proofs.frontier import Frontier, InvalidProof, Keys
from outflank.proofs.leaves import first_wrong_leaf
from outflank.proofs.slices import Progress, over_slices

LEAVES = 256
"""Number of leaves that a worker takes at a time."""

Watch = Callable[[str], None]
"""Receives progress messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedLevel:
    """Numbers of checked positions with a given number of moves left."""

    left: int
    own: int
    """Number of positions in which the strategist has a move."""
    other: int
    """Number of positions in which every reply was followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedStrategy:
    """A proof that a side wins at least `bound`."""

    side: Side
    bound: int
    leaf: int
    levels: tuple[CheckedLevel, ...]
    finished: int
    """Number of games that ended before a leaf."""
    leaves: int
    nodes: int
    """Number of positions searched at the leaves."""

    @property
    def positions(self) -> int:
        """Number of positions with more moves left than at the leaves."""
        return sum(level.own + level.other for level in self.levels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A proof that a position has a value, for the side to move."""

    board: Board
    value: int
    strategies: tuple[CheckedStrategy, ...]
    seconds: float


def check(certificate: Certificate, *, workers: int = 1, watch: Watch = lambda text: None) -> Checked:
    """Return what a certificate proves; raise `InvalidProof`, with the place, if it is not a proof."""
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
    """Go from level to level by the moves of a strategy, to its leaves; yield what was checked."""
    unused = dict(strategy.moves)
    while frontier.level.left > strategy.leaf and (len(frontier.level.own) or len(frontier.level.other)):
        level = frontier.level
        moves = unused.pop(level.left, np.zeros(0, np.uint8))
        if len(moves) != len(level.own):
            raise InvalidProof(f"{level.left} moves left: {len(moves):,} moves for {len(level.own):,} positions")
        yield CheckedLevel(left=level.left, own=len(level.own), other=len(level.other))
        watch(f"{side}: {level.left} moves left, {len(level.own) + len(level.other):,} positions")
        frontier.advance(moves)
    for left, moves in unused.items():
        if len(moves):
            raise InvalidProof(f"{left} moves left: {len(moves):,} moves for 0 positions")


def check_leaves(frontier: Frontier, progress: Progress | None = None) -> int:
    """Search every position of a level to the end; return the number of nodes."""
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
