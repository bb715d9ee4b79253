"""What a game's searches, players and experiments use by default: three parts of its description."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import floor, log
from typing import TYPE_CHECKING, Any

from outflank.errors import FormatError
from outflank.games.sides import Side

if TYPE_CHECKING:  # they import this module
    from outflank.boards.board import Board, Move
    from outflank.games.evaluation import Evaluation
    from outflank.games.pattern_weights import Learning
    from outflank.games.rules import Game, Position

WON = 20_000
"""The bonus of a finished game's winner on top of the score; estimates stay below it."""


@dataclass(frozen=True, slots=True)
class SearchErrors:
    """The standard deviation σ of the difference between the values of two depths, in points of an evaluation.

    ln σ = constant + stage · s + shallow · ln(1 + d) + between · ln(D - d), D being the depth, d that of the shallower
    search and s the number of the position's stage (`patterns.stage`).
    """

    constant: float
    stage: float
    shallow: float
    between: float

    @classmethod
    def read(cls, data: bytes, place: str) -> "SearchErrors":
        """Return the formula in a file written by `outflank train depths`."""
        try:
            errors = json.loads(data)["errors"]
            return cls(*(float(errors[name]) for name in ("constant", "stage", "shallow", "between")))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise FormatError(f"{place} is not what `outflank train depths` makes") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedEvaluation:
    """An evaluation of a game that searches can choose by its name."""

    name: str
    evaluation: Any
    """A `NamedTuple` with a registered `games.evaluation.value`; or, if loading is expensive, a function that makes it
    for given rules, called at first use."""
    unit: str | None = None
    """The unit of the evaluation's values; None: values are printed with the evaluation's name."""
    points: int = 1
    """How many points of a value make one unit."""
    won: int = WON
    """The largest estimate: values beyond it belong to finished games."""
    suits: "Callable[[Game], bool]" = lambda game: True
    """Whether the evaluation exists under given rules."""
    errors: "Callable[[Game], SearchErrors | None]" = lambda game: None
    """How far values of searches with this evaluation are from those of deeper ones, by rules; None: not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderingWeights:
    """An ordering of a game's moves: the weight of each feature."""

    weights: Mapping[str, int] = field(default_factory=dict)
    by_stage: tuple[Mapping[str, int], ...] = ()
    """Weights for each stage of a game, instead of `weights`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultOrdering:
    """The move ordering that is the default."""

    name: str = "none"
    killers: bool = True
    history: bool = True
    exact: str | None = None
    """The ordering for exact searches, if it differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchDefaults:
    """The evaluations and move orderings of one game."""

    evaluations: tuple[NamedEvaluation, ...] = ()
    """The game's own evaluations; `register_evaluation` adds others."""
    default_evaluation: "Callable[[Game], str] | None" = None
    """The name of the default evaluation under given rules; None: the first."""
    orderings: Mapping[str, OrderingWeights] = field(default_factory=dict)
    """Move orderings by name."""
    default_ordering: DefaultOrdering = DefaultOrdering()
    """The ordering of searches that name none."""
    ordering_evaluation: "Callable[[Game], Evaluation] | None" = None
    """The evaluation by which exact searches look ahead to order moves, under given rules; None: no look-ahead."""
    learning: "Learning | None" = None
    """How an evaluation of the game is learnt (`games.pattern_weights`); None: nothing can be learnt."""


@dataclass(frozen=True, slots=True)
class Level:
    """The search depths of a player of a given strength."""

    depth: int
    exact: int = 0
    """Moves left, as `rules.moves_left` counts them, from which every move is searched to the end."""
    to_the_end: int = 0
    """Moves left from which a selective search looks to the end, whatever the depth."""
    misjudged: float = 0.0
    """Standard deviation of the error added to the values of moves, in the game's unit."""
    greed: float = 0.0
    """The extra value of a piece that a move wins at once, in the game's unit."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Losses from which a move is marked, in the game's unit."""

    doubtful: float
    mistake: float
    blunder: float

    def of(self, loss: float) -> str:
        """Return `?!`, `?` or `??`, or an empty string."""
        for mark, least in (("??", self.blunder), ("?", self.mistake), ("?!", self.doubtful)):
            if loss >= least:
                return mark
        return ""


@dataclass(frozen=True, slots=True)
class EndingTime:
    """The mean time to solve a position on two cores: `seconds` with `moves` moves left, times `growth` for each
    further move."""

    moves: int = 14
    seconds: float = 0.06
    growth: float = 2.2

    def expected(self, moves: int) -> float:
        """Return the expected seconds with `moves` moves left."""
        return float(self.seconds * self.growth ** (moves - self.moves))

    def moves_within(self, seconds: float) -> int:
        """Return the largest number of moves left whose expected time is at most `seconds`."""
        return max(0, self.moves + floor(log(seconds / self.seconds) / log(self.growth)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportProgram:
    """The settings that reproduce a report's program."""

    search: Mapping[str, Any]
    """Options of its searches."""
    ties: Mapping[Side, str] = field(default_factory=lambda: dict.fromkeys(Side, "first"))
    """Which of equal moves each colour plays."""
    shared: Mapping[str, Any]
    """Options of its parallel searches."""
    plays: Mapping[str, Any]
    """Settings of a player: its depth, and its sources of moves without a search."""

    def search_options(self, side: Side) -> dict[str, Any]:
        """Return the options of a search for `side` by one worker, or by several under any scheme."""
        return {**self.search, "ties": self.ties[side]}

    def settings(self) -> dict[str, Any]:
        """Return the settings with which a `Computer` plays like the program."""
        ties = (self.ties[Side.BLACK], self.ties[Side.WHITE])
        # None of the programs solves endings, varies its moves, or knows earlier positions.
        return {"exact": 0, "variety": None, "repeats": True, **self.search, **self.shared, **self.plays, "ties": ties}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyMoves:
    """Moves that a player of a game plays without a search."""

    why: str
    """The reason in one word, for people: `opening`."""
    choose: "Callable[[Board], Move | None]"
    """Returns a legal move; None: search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayDefaults:
    """The players of one game, and the defaults of its matches and reviews."""

    levels: tuple[Level, ...] = tuple(Level(number, min(number + 4, 16)) for number in range(1, 21))
    """The levels, from level 1 on."""
    exact_moves_for_depth: Callable[[int], int] | None = None
    """The number of moves left from which a player with a given search depth plays exactly; None: that of the deepest
    level within this depth."""
    moves_expected: "Callable[[Board], float]" = lambda board: max(10.0, 40.0 - board.ply / 4)
    """How many more moves a player is expected to make: the player divides its time by this number."""
    moves_at_most: "Callable[[Board], float]" = lambda board: 100.0
    """How many more moves a player may have to make in the worst case; each takes a moment."""
    ending_time: EndingTime = EndingTime()
    """The time model by which a player decides whether it can play exactly."""
    piece_lead: "Callable[[Position], int] | None" = None
    """Return how many pieces the side to move is ahead by in a position; None: the game has no pieces to count."""
    marks: Marks = Marks(0.4, 1.0, 2.0)
    """The losses from which a review marks a move."""
    typical_error: Callable[[int], float] = lambda depth: 1.0
    """The typical error of an estimate by a search of a given depth, in the game's unit."""
    openings: "Callable[[Board], str]" = lambda board: "random:4"
    """The default openings of a match."""
    programs: Mapping[str, ReportProgram] = field(default_factory=dict)
    """The reports' programs that a player can imitate, by name."""
    ready_moves: Mapping[str, ReadyMoves] = field(default_factory=dict)
    """Sources of moves without a search, by name."""
    book: Callable[[], str] | None = None
    """Returns the text of the bundled opening book; None: there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabDefaults:
    """The positions of one game for experiments, and default searches: depths that take seconds."""

    positions: "Mapping[str, Callable[[], Board]]" = field(default_factory=dict)
    """Positions by name."""
    position_sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Sets of named positions, by name."""
    position: str = "start"
    """The default, a name of `positions`."""
    depth: int = 8
    """Plies of searches on several workers."""
    minimax_depth: int = 5
    """Plies of minimax, which visits the whole tree."""
    minimax_evaluation: str | None = None
    """The evaluation of minimax; None: the default one."""
    profile_depth: int = 8
    """Plies of a profiled search."""
    cluster_depth: int = 10
    """Plies of searches on a cluster."""
    cluster_positions: tuple[str, ...] = ("start",)
    """The positions or sets that a cluster searches."""
    sweep_depth: int = 9
    """Plies of the searches that compare thresholds or rules of replication."""
    thresholds: tuple[int, ...] = (3, 4, 5, 6)
    """Remaining depths below which subtrees are no longer split."""
    cluster_thresholds: tuple[int, ...] = (3, 4, 5, 6)
    """The same for the jobs of a cluster."""
    replication_depths: tuple[int, ...] = (3, 4, 5, 6)
    """Least remaining depths of the table entries that nodes exchange."""
