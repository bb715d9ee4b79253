"""Abalone's pattern set and learnt evaluation: lines, corners and sides of the board, and the losses of both sides."""

from functools import cache

from outflank.abalone.evaluation import MARBLE
from outflank.abalone.geometry import BIT, BIT_IMAGE, CENTRE, NUMBER, Cell, on_board, stepped
from outflank.abalone.layouts import RULES
from outflank.abalone.rules import Abalone, AbalonePosition
from outflank.games.defaults import NamedEvaluation
from outflank.games.pattern_sets import Cells, Pattern, PatternSet
from outflank.games.pattern_weights import Learning, OwnWeights
from outflank.games.patterns import Patterns, counts, stage
from outflank.games.rules import over, score
from outflank.kernels.bits import U64, Word, popcount
from outflank.kernels.compiler import inner

LOSSES = RULES.goal
"""Number of possible counts of a side's lost marbles during a game, 0 to 5. The counts of both sides form one index."""


def _line(first: Cell, direction: int) -> Cells:
    """Return the bits of the cells of a line, from its end `first` on."""
    cells, cell = [], first
    while on_board(cell):
        cells.append(int(BIT[NUMBER[cell]]))
        cell = stepped(cell, direction)
    return tuple(cells)


def _cells(*names: str) -> Cells:
    """Return the bits of the cells with these names."""
    return tuple(int(BIT[NUMBER["ABCDEFGHI".index(name[0]), int(name[1]) - 1]]) for name in names)


# The lines already contain neighbours on all three axes, so shapes around the centre of the board improve too little
# for their time. Near the edge, where marbles may be pushed off, two lines together do matter: the held-out error of
# searches three plies deep is 0.220 marbles with lines alone, 0.217 with hexagons around the centre, 0.200 with
# these two shapes.
CORNER = _cells("A1", "A2", "B1", "B2", "A3", "C1", "B3", "C2", "C3")
SIDE = _cells("A1", "A2", "A3", "B1", "B2", "B3", "B4", "C2", "C3", "C4")


def _stage(mine: int, yours: int) -> int:
    """Return the stage, which selects weights: 3 to 5 if a side loses the game with its next marble, else 0 to 2."""
    last = LOSSES - 1
    if mine == last or yours == last:
        return 2 + (mine == last) + 2 * (yours == last)
    return min(2, (mine + yours) // 2)


@cache
def patterns() -> PatternSet:
    """Return the patterns of the Abalone board."""
    images = [[int(image) for image in images] for images in BIT_IMAGE]
    rows = [stepped(stepped(CENTRE, 3, 4), 1, row) for row in range(5)]
    shapes = [*(_line(cell, 0) for cell in rows), CORNER, SIDE]
    return PatternSet(
        name="abalone",
        patterns=tuple(Pattern.of(cells, images) for cells in shapes),
        counts=(LOSSES * LOSSES,),
        stages=tuple(_stage(number // LOSSES, number % LOSSES) for number in range(LOSSES * LOSSES)),
        points=MARBLE,
        most=RULES.goal,
        scored=False,
    )


@inner
def _losses(game: Abalone, position: AbalonePosition) -> int:
    """Return the lost marbles of both sides as one index; at most `LOSSES` - 1 are counted for a side."""
    most = LOSSES - 1
    mine = min(max(game.marbles - popcount(position.own), 0), most)
    yours = min(max(game.marbles - popcount(position.opp), 0), most)
    return LOSSES * mine + yours


@counts.register(Abalone)
def _(game: Abalone, position: AbalonePosition) -> Word:
    return U64(_losses(game, position))


@stage.register(Abalone)
def _(game: Abalone, position: AbalonePosition) -> int:
    return _losses(game, position)


WEIGHTS = OwnWeights(__package__)


def learnt(game: Abalone) -> Patterns:
    """Return the learnt evaluation; its weights are loaded at first use."""
    return WEIGHTS.of(patterns()).evaluation


def is_learnt(game: Abalone) -> bool:
    """Return whether the learnt weights suit these rules: they depend on how many lost marbles lose the game."""
    return game == RULES


def default_evaluation(game: Abalone) -> str:
    """Return the name of the learnt evaluation if its weights suit these rules, else of `Cohesion`."""
    return "patterns" if is_learnt(game) else "cohesion"


def _result(game: Abalone, position: AbalonePosition) -> float:
    """Return the value, in marbles, of the last position of a training game: ±`goal` for a finished game, regardless of
    the winner's losses, or the lead of the side to move if the game was cut off."""
    if over(game, position):
        return float(game.goal * score(game, position))
    return float(popcount(position.own) - popcount(position.opp))


LEARNING = Learning(
    patterns=lambda game: patterns(), suits=is_learnt, first="cohesion", rival="cohesion", result=_result
)


LEARNT = NamedEvaluation(
    name="patterns",
    evaluation=learnt,
    unit="marbles",
    points=MARBLE,
    suits=is_learnt,
    errors=lambda game: WEIGHTS.errors(patterns()) if is_learnt(game) else None,
)
