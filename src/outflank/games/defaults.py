"""Defaults of a game's searches, players and experiments: three parts of its description."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import floor, log
from typing import TYPE_CHECKING, Any, Literal

from outflank.errors import FormatError
from outflank.games.scores import WON
from outflank.games.sides import Side

if TYPE_CHECKING:  # these modules import this one
    from outflank.boards.board import Board, Move
    from outflank.games.evaluation import Evaluation
    from outflank.games.pattern_weights import Learning
    from outflank.games.rules import Game, Position


@dataclass(frozen=True, slots=True)
class SearchErrors:
    """The formula for σ, the standard deviation of the difference between the values of a deep and a shallow search.

    ln σ = constant + stage · s + shallow · ln(1 + d) + between · ln(D - d), where D is the depth of the deep search, d
    is the depth of the shallow search, and s is the position's stage (`patterns.stage`). σ is in points of the
    evaluation.
    """

    constant: float
    stage: float
    shallow: float
    between: float

    @classmethod
    def read(cls, data: bytes, place: str) -> "SearchErrors":
        """Return the coefficients in `data`, the contents of a file that `outflank train depths` wrote at `place`."""
        try:
            errors = json.loads(data)["errors"]
            return cls(*(float(errors[name]) for name in ("constant", "stage", "shallow", "between")))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise FormatError(f"{place} is not what `outflank train depths` makes") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedEvaluation:
    """An evaluation that searches of a game can select by name."""

    name: str
    evaluation: Any
    """A `NamedTuple` that implements `games.evaluation.value`, or a function that takes the rules and returns such a
    `NamedTuple`. The function is called at first use, so it suits evaluations that are expensive to load."""
    unit: str | None = None
    """The unit of the evaluation's values; None: values are printed with the evaluation's name as their unit."""
    points: int = 1
    """Number of points of a value that make one unit."""
    won: int = WON
    """The largest estimate: larger absolute values belong to finished games."""
    suits: "Callable[[Game], bool]" = lambda game: True
    """Returns whether the evaluation can be used under given rules."""
    errors: "Callable[[Game], SearchErrors | None]" = lambda game: None
    """Returns how much values of shallow and deep searches differ under given rules; None: not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderingWeights:
    """A move ordering: the weight of each of the game's move features (`games.hints`)."""

    weights: Mapping[str, int] = field(default_factory=dict)
    by_stage: tuple[Mapping[str, int], ...] = ()
    """Weights for each stage of the game. Unless empty, they replace `weights`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultOrdering:
    """A game's default move ordering, and whether it uses killer moves and history counters."""

    name: str = "none"
    killers: bool = True
    history: bool = True
    exact: str | None = None
    """Name of the ordering for exact searches; None: the same ordering as for other searches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchDefaults:
    """Evaluations, move orderings and search defaults of one game."""

    evaluations: tuple[NamedEvaluation, ...] = ()
    """The game's own evaluations; `register_evaluation` adds others."""
    default_evaluation: "Callable[[Game], str] | None" = None
    """Returns the name of the default evaluation under given rules; None: the first evaluation is the default."""
    orderings: Mapping[str, OrderingWeights] = field(default_factory=dict)
    """The game's move orderings, by name."""
    default_ordering: DefaultOrdering = DefaultOrdering()
    """The ordering of searches for which the user names none."""
    ordering_evaluation: "Callable[[Game], Evaluation] | None" = None
    """Returns the evaluation of the shallow searches that order moves in exact searches; None: no such searches."""
    learning: "Learning | None" = None
    """Settings for learning an evaluation of the game (`games.pattern_weights`); None: it cannot be learnt."""
    player_step: Literal[1, 2] = 1
    """Plies between the iterations of a selective search by a player. If 2, each iteration first tries a narrow window
    around the value of the previous one."""


@dataclass(frozen=True, slots=True)
class Level:
    """A playing level: the search depths and the deliberate errors of a player."""

    depth: int
    exact: int = 0
    """Number of moves left (`rules.moves_left`) at and below which the player solves positions exactly."""
    to_the_end: int = 0
    """Number of moves left at and below which a selective search goes to the end of the game, beyond `depth`."""
    misjudged: float = 0.0
    """Standard deviation of the random error added to the values of moves, in the game's unit."""
    greed: float = 0.0
    """Value added for each piece that a move wins immediately, in the game's unit."""
    name: str = ""
    """Players of about this strength: `beginner`; empty: a strong computer."""
    elo: int | None = None
    """Measured Elo above the game's level 1; None: not measured."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Thresholds of a review, in the game's unit. A move is marked if the value that it loses reaches a threshold."""

    doubtful: float
    mistake: float
    blunder: float

    def of(self, loss: float) -> str:
        """Return the mark for a move that loses `loss`: `?!`, `?` or `??`, or an empty string."""
        for mark, least in (("??", self.blunder), ("?", self.mistake), ("?!", self.doubtful)):
            if loss >= least:
                return mark
        return ""


@dataclass(frozen=True, slots=True)
class EndingTime:
    """Model of the mean time to solve a position on two cores. A position with `moves` moves left takes `seconds`; each
    additional move multiplies the time by `growth`."""

    moves: int = 14
    seconds: float = 0.06
    growth: float = 2.2

    def expected(self, moves: int) -> float:
        """Return the expected time to solve a position with `moves` moves left, in seconds."""
        return float(self.seconds * self.growth ** (moves - self.moves))

    def moves_within(self, seconds: float) -> int:
        """Return the largest number of moves left at which solving a position takes at most `seconds` on average."""
        return max(0, self.moves + floor(log(seconds / self.seconds) / log(self.growth)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportProgram:
    """The settings that reproduce a program of the five published reports (000 to 004)."""

    search: Mapping[str, Any]
    """Options of all of the program's searches."""
    ties: Mapping[Side, str] = field(default_factory=lambda: dict.fromkeys(Side, "first"))
    """Names of the rules by which black and white choose among moves of equal value."""
    shared: Mapping[str, Any]
    """Additional options of the program's parallel searches."""
    plays: Mapping[str, Any]
    """Settings of the player: its search depth, and the sources of moves that it plays without a search."""

    def search_options(self, side: Side) -> dict[str, Any]:
        """Return the options of a search with `side` to move, for one worker or any parallel scheme."""
        return {**self.search, "ties": self.ties[side]}

    def settings(self) -> dict[str, Any]:
        """Return the settings with which a `Computer` plays like the program."""
        ties = (self.ties[Side.BLACK], self.ties[Side.WHITE])
        # None of the programs solves endgames, varies its moves, or avoids repetitions.
        return {"exact": 0, "variety": None, "repeats": True, **self.search, **self.shared, **self.plays, "ties": ties}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyMoves:
    """A source of moves that a player plays without a search."""

    why: str
    """The reason that users see, in one word: `opening`."""
    choose: "Callable[[Board], Move | None]"
    """Returns a legal move of a board; None: the player must search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayDefaults:
    """The playing levels of one game, and the defaults of its matches and reviews."""

    levels: tuple[Level, ...] = tuple(Level(number, min(number + 4, 16)) for number in range(1, 21))
    """The playing levels, from level 1 on."""
    default_level: int = 3
    """The level of the computer in a user's first game."""
    starts: "Callable[[], Mapping[str, str]]" = dict
    """Returns positions and openings from which users can begin a game, by name: texts of positions or lists of moves.
    They suit the default rules."""
    exact_moves_for_depth: Callable[[int], int] | None = None
    """Returns the number of moves left at and below which a player with a given search depth solves positions; None: it
    is the `exact` of the deepest level that searches no deeper than the given depth."""
    moves_expected: "Callable[[Board], float]" = lambda board: max(10.0, 40.0 - board.ply / 4)
    """Returns the expected number of moves that a player still has to make. The player divides its time by it."""
    moves_at_most: "Callable[[Board], float]" = lambda board: 100.0
    """Returns the greatest number of moves that a player may still have to make. The player reserves a little time for
    each of these moves."""
    ending_time: EndingTime = EndingTime()
    """The time model with which a player decides whether it has time to solve a position."""
    piece_lead: "Callable[[Position], int] | None" = None
    """Returns the side to move's pieces minus the opponent's; None: the game has no pieces to count."""
    marks: Marks = Marks(0.4, 1.0, 2.0)
    """The thresholds at which a review marks a move as a mistake."""
    typical_error: Callable[[int], float] = lambda depth: 1.0
    """Returns the typical error of the value of a search of a given depth, in the game's unit."""
    openings: "Callable[[Board], str]" = lambda board: "random:4"
    """Returns the default openings of a match from a given board, as the option `--openings` takes them."""
    balanced_openings: "Callable[[Board], str | None] | None" = None
    """Returns the text of the bundled list of balanced openings from a given board, a line for each; None: the list is
    for another start, or the game has no list."""
    programs: Mapping[str, ReportProgram] = field(default_factory=dict)
    """The programs of the published reports that a player can imitate, by name."""
    ready_moves: Mapping[str, ReadyMoves] = field(default_factory=dict)
    """The sources of moves that players can use instead of a search, by name."""
    book: Callable[[], str] | None = None
    """Returns the text of the bundled opening book; None: the game has no such book."""
    puzzles: Callable[[], str] | None = None
    """Returns the text of the bundled puzzles, one per line; None: the game has no such puzzles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabDefaults:
    """One game's positions for experiments, and the default depths of searches. At these depths, searches take
    seconds."""

    positions: "Mapping[str, Callable[[], Board]]" = field(default_factory=dict)
    """Functions that return the named positions as boards."""
    position_sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the positions in each named set."""
    position: str = "start"
    """Name of the default position."""
    depth: int = 8
    """Depth of parallel searches, in plies."""
    minimax_depth: int = 5
    """Depth of minimax searches, which visit the whole tree, in plies."""
    minimax_evaluation: str | None = None
    """Name of the evaluation for minimax; None: the game's default."""
    profile_depth: int = 8
    """Depth of profiled searches, in plies."""
    cluster_depth: int = 10
    """Depth of searches on a cluster, in plies."""
    cluster_positions: tuple[str, ...] = ("start",)
    """Names of the positions or position sets that a cluster searches."""
    sweep_depth: int = 9
    """Depth in plies of the searches that compare split thresholds, or rules for the exchange of table entries."""
    thresholds: tuple[int, ...] = (3, 4, 5, 6)
    """Split thresholds to compare: remaining depths at and below which nodes are not split."""
    cluster_thresholds: tuple[int, ...] = (3, 4, 5, 6)
    """Split thresholds to compare on a cluster: remaining depths at and below which a subtree is one job."""
    replication_depths: tuple[int, ...] = (3, 4, 5, 6)
    """Replication depths to compare: the least remaining depth of the table entries that cluster nodes exchange."""
