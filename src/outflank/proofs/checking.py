"""A certificate is checked: by the game's plain rules alone, and a search of its own at the leaves."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank.boards import Board
from outflank.games.description import description_of
from outflank.games.plain import CHILDREN
from outflank.games.rules import pack
from outflank.games.sides import Side
from outflank.kernels.record_types import allocate
from outflank.proofs.certificate import Certificate, Strategy
from outflank.proofs.frontier import Frontier, Keys, Refused
from outflank.proofs.leaves import first_wrong_leaf
from outflank.proofs.slices import Told, over_slices

LEAVES = 256
"""Those that a worker takes at a time."""

Watch = Callable[[str], None]
"""Is told now and then, in words, how far it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedLevel:
    """What was checked of the positions with so many moves left."""

    left: int
    own: int
    """Positions in which the strategist has a move."""
    other: int
    """Positions in which every answer was gone into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedStrategy:
    """That a side wins so much at least."""

    side: Side
    bound: int
    leaf: int
    levels: tuple[CheckedLevel, ...]
    finished: int
    """Games that ended before a leaf."""
    leaves: int
    nodes: int
    """Positions of the searches at the leaves."""

    @property
    def positions(self) -> int:
        """All those with more moves left than at the leaves."""
        return sum(level.own + level.other for level in self.levels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """That a position has a value, for the side to move."""

    board: Board[Any]
    value: int
    strategies: tuple[CheckedStrategy, ...]
    seconds: float


def check(certificate: Certificate, *, workers: int = 1, watch: Watch = lambda text: None) -> Checked:
    """What a certificate proves; `Refused`, with the place, if it does not."""
    started = time.perf_counter()
    board = certificate.board
    plain = description_of(board.game).plain_rules
    if plain is None:
        raise Refused(f"there are no rules of {description_of(board.game).title} to check a proof by")
    if sorted(strategy.mover for strategy in certificate.strategies) != [False, True]:
        raise Refused("a value needs two strategies: one of each side")
    found = tuple(
        _check(strategy, certificate, plain(board.game), workers, watch) for strategy in certificate.strategies
    )
    return Checked(board=board, value=certificate.value, strategies=found, seconds=time.perf_counter() - started)


def _check(strategy: Strategy, certificate: Certificate, rules: Any, workers: int, watch: Watch) -> CheckedStrategy:
    board = certificate.board
    side = board.turn if strategy.mover else board.turn.other
    bound = certificate.value if strategy.mover else -certificate.value
    first, second = map(np.uint64, pack(board.game, board.position))
    try:
        frontier = Frontier(rules, (first, second), mine=strategy.mover, bound=bound, workers=workers)
        levels = list(_levels(strategy, frontier, side, watch))
        nodes = check_leaves(frontier, told=lambda done: watch(f"{side}: {done:,} leaves"))
    except Refused as refused:
        raise Refused(f"strategy of {side}: {refused}") from None
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
    """Go from level to level by the moves of a strategy, to its leaves."""
    unused = dict(strategy.moves)
    while frontier.level.left > strategy.leaf and (len(frontier.level.own) or len(frontier.level.other)):
        level = frontier.level
        moves = unused.pop(level.left, np.zeros(0, np.uint8))
        if len(moves) != len(level.own):
            raise Refused(f"{level.left} moves left: {len(moves):,} moves for {len(level.own):,} positions")
        yield CheckedLevel(left=level.left, own=len(level.own), other=len(level.other))
        watch(f"{side}: {level.left} moves left, {len(level.own) + len(level.other):,} positions")
        frontier.advance(moves)
    for left, moves in unused.items():
        if len(moves):
            raise Refused(f"{left} moves left: {len(moves):,} moves for 0 positions")


def check_leaves(frontier: Frontier, told: Told | None = None) -> int:
    """Search every position of a level to the end; how many nodes that took."""
    children = allocate(CHILDREN, frontier.workers)
    level = frontier.level

    def search(keys: Keys, mine: bool, told: Told | None) -> None:
        def work(begin: int, end: int, worker: int) -> None:
            wrong = first_wrong_leaf(frontier.rules, keys[begin:end], mine, frontier.bound, children[worker])
            if wrong < end - begin:
                raise Refused(
                    f"leaf {begin + wrong + 1:,} of {len(keys):,}, with {level.left} moves left, has less than "
                    f"{frontier.bound:+d} for the strategist"
                )

        over_slices(work, len(keys), size=LEAVES, workers=frontier.workers, told=told)

    search(level.own, True, told)
    search(level.other, False, told and (lambda done: told(done + len(level.own))))
    return int(children["nodes"].sum())
