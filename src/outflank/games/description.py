"""The description of a game: the rest of the package reads it instead of naming games.

A game's own folder, or a user's module, makes one `GameDescription` and registers it; rules, evaluations and move
ordering are registered with the generic functions beside this module. All fields but the name, the class of the rules
and the start have a default that suits any game.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, get_type_hints

from outflank.errors import InvalidOption
from outflank.games.endings import USUAL, EndingTime
from outflank.games.notation import Notation
from outflank.games.plain import PlainRules
from outflank.games.programs import ReportProgram
from outflank.games.rules import Game, Position
from outflank.games.search_errors import SearchErrors
from outflank.games.units import Unit
from outflank.plugins import Registry

if TYPE_CHECKING:  # boards import this module
    from outflank.boards.board import Board, Move
    from outflank.games.evaluation import Evaluation
    from outflank.games.learnt import Learning
    from outflank.games.tabletop import Tabletop


RuleOptions = Mapping[str, Any]
"""Options for the rules and the start of a game, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOption:
    """An option for the rules or the start of a game: `size`, `layout`."""

    name: str
    help: str
    default: Any
    choices: tuple[Any, ...] = ()
    """All allowed values; empty: any value of the default's type."""
    value_text: Callable[[Any], str] | None = None
    """A function that writes a value in words (`8 × 8 squares`), for an option that every position fixes; None: a
    position can be read under another value of the option."""


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


WON = 20_000
"""The bonus of a finished game's winner on top of the score; estimates stay below it."""


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
    suits: Callable[[Game], bool] = lambda game: True
    """Whether the evaluation exists under given rules."""
    errors: Callable[[Game], SearchErrors | None] = lambda game: None
    """How far searches by the evaluation differ from deeper ones, under given rules; None: not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderingWeights:
    """An ordering of a game's moves: the weight of each feature."""

    weights: Mapping[str, int] = field(default_factory=dict)
    by_stage: tuple[Mapping[str, int], ...] = ()
    """Weights for each stage of a game, instead of `weights`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsualOrdering:
    """The move ordering that is the default."""

    name: str = "none"
    killers: bool = True
    history: bool = True
    exact: str | None = None
    """The ordering for exact searches, if it differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabDefaults:
    """Default searches of experiments: depths that take seconds."""

    position: str = "start"
    """A name of `GameDescription.positions`."""
    depth: int = 8
    minimax_depth: int = 5
    minimax_evaluation: str | None = None
    profile_depth: int = 8
    cluster_depth: int = 10
    cluster_positions: tuple[str, ...] = ("start",)
    sweep_depth: int = 9
    thresholds: tuple[int, ...] = (3, 4, 5, 6)
    """Remaining depths below which subtrees are no longer split."""
    cluster_thresholds: tuple[int, ...] = (3, 4, 5, 6)
    replication_depths: tuple[int, ...] = (3, 4, 5, 6)


@dataclass(frozen=True, slots=True)
class TerminalColours:
    """The colours of a board at a terminal, as Rich writes them."""

    ground: str = "#3b5b7a"
    black: str = "#101010"
    white: str = "#ffffff"
    empty: str = "#24394d"
    legal: str = "#f2d95c"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyMoves:
    """Moves that a player of a game plays without a search."""

    why: str
    """The reason in one word, for people: `opening`."""
    choose: "Callable[[Board], Move | None]"
    """Returns a legal move; None: search."""


def _unchanged_score(game: Game, position: Position, score: int) -> int:
    return score


@dataclass(frozen=True, slots=True, kw_only=True)
class GameDescription:
    """A game as the rest of the package sees it, apart from its rules."""

    # --- identity and rules ---

    name: str
    """The name on the command line and in documents: `othello`."""
    title: str
    """The name shown to people: `Othello`."""
    rules: type
    """The class of its rules, a `NamedTuple`, for which the functions of `games.rules` are registered."""
    start: "Callable[..., Board]"
    """Returns a board at the start of a game; takes the `options`."""
    board: "type[Board] | None" = None
    """The class of its boards; None: `Board` itself."""
    options: tuple[GameOption, ...] = ()
    options_of: Callable[[Game], Mapping[str, Any]] = lambda game: {}
    """The options that rules follow from, without those that only set the starting position."""
    with_options: Callable[[Game, Mapping[str, Any]], Game] | None = None
    """Returns the same game under other rules; None: its rules have no options."""
    rules_text: Callable[[Game], str] | None = None
    """Rules in a few words: `Othello 6×6`; None: the title."""
    sizes: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """The board sizes that protocols use, each with the options that it stands for."""
    passes: bool = False
    """Whether a side that cannot move passes: programs for such games pass once more after the end."""
    find_error: Callable[[Game, Position], str] = lambda game, position: ""
    """Returns the error in the rules and the position that a text specifies; empty: none. Kernels rely on this
    check."""
    plain_rules: Callable[[Game], PlainRules] | None = None
    """The same rules written independently, for `games.plain`; None: proofs of this game cannot be checked."""
    without_draws: Callable[["Board"], "Board"] | None = None
    """Returns a board without draws by history, for referees with rules of their own; None: the game has no such
    draws."""

    # --- text and files ---

    notation: Notation = field(default_factory=Notation)

    # --- values ---

    unit: Unit = field(default_factory=lambda: Unit(name="points"))
    evaluations: tuple[NamedEvaluation, ...] = ()
    usual_evaluation: Callable[[Game], str] | None = None
    """The name of the default evaluation under given rules; None: the first."""
    ordering_evaluation: "Callable[[Game], Evaluation] | None" = None
    """The evaluation by which exact searches look ahead to order moves, under given rules; None: no look-ahead."""
    learning: "Learning | None" = None
    """How an evaluation of the game is learnt (`games.learnt`); None: nothing can be learnt."""
    orderings: Mapping[str, OrderingWeights] = field(default_factory=dict)
    usual_ordering: UsualOrdering = field(default_factory=UsualOrdering)
    recorded_score: Callable[[Game, Position, int], int] = _unchanged_score
    """The score that a record states for the side to move, from the rules, the last position and its score."""
    final_margin: "Callable[[Board, int], int]" = lambda board, score: score
    """Black's margin at the end of a game, draws included; matches report its mean."""
    forfeit: Callable[[Game], int] = lambda game: 1
    """Score of a forfeit, in the game's unit."""

    # --- players ---

    levels: tuple[Level, ...] = tuple(Level(number, min(number + 4, 16)) for number in range(1, 21))
    """The levels, from level 1 on."""
    exact_moves_for_depth: Callable[[int], int] | None = None
    """The number of moves left from which a player with a given search depth plays exactly; None: that of the deepest
    level within this depth."""
    moves_expected: "Callable[[Board], float]" = lambda board: max(10.0, 40.0 - board.ply / 4)
    """How many more moves a player is expected to make: the player divides its time by this number."""
    moves_at_most: "Callable[[Board], float]" = lambda board: 100.0
    """How many more moves a player may have to make in the worst case; each takes a moment."""
    ending_time: EndingTime = USUAL
    """The time model by which a player decides whether it can play exactly."""
    piece_lead: Callable[[Position], int] | None = None
    """Return how many pieces the side to move is ahead by in a position; None: the game has no pieces to count."""
    marks: Marks = Marks(0.4, 1.0, 2.0)
    typical_error: Callable[[int], float] = lambda depth: 1.0
    """The typical error of an estimate by a search of a given depth, in the game's unit."""
    openings: "Callable[[Board], str]" = lambda board: "random:4"
    """The default openings of a match."""
    starts: "Mapping[str, Callable[[], Board]]" = field(default_factory=dict)
    """Starting positions by name, where a game has several: matches cycle through them."""
    programs: Mapping[str, ReportProgram] = field(default_factory=dict)
    """The reports' programs that a player can imitate, by name."""
    ready_moves: Mapping[str, ReadyMoves] = field(default_factory=dict)
    """Sources of moves without a search, by name."""
    book: Callable[[], str] | None = None
    """Returns the text of the bundled opening book; None: there is none."""

    # --- the laboratory ---

    perft: tuple[int, int] = (0, 1)
    """A depth and the number of leaves of the tree from the start at that depth, for the installation test."""

    positions: "Mapping[str, Callable[[], Board]]" = field(default_factory=dict)
    """Positions by name."""
    position_sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Sets of named positions, by name."""
    lab: LabDefaults = field(default_factory=LabDefaults)

    # --- display ---

    review_legend: str = ""
    """How pictures mark the played move and the better one: `what was played is crossed`."""
    tabletop: "Callable[[Game], Tabletop] | None" = None
    """The board under given rules, as a user handles it; None: derived from the text diagram, with moves chosen by
    name."""
    move_prompt: str = "a move"
    """The input that a person is asked for: `a square like f5`."""
    colours: TerminalColours = TerminalColours()

    def option(self, name: str) -> GameOption | None:
        """Return the option called `name`, or None."""
        return next((option for option in self.options if option.name == name), None)

    @property
    def boards(self) -> "type[Board]":
        """The class of the game's boards: that of its start, if the description does not set one."""
        return type(self.start()) if self.board is None else self.board

    def options_at(self, board: "Board") -> dict[str, Any]:
        """Return the options with which a game starts at this board, as far as there are such options."""
        options = dict(self.options_of(board.game))
        for option in self.options:
            if option.name not in options:
                for choice in option.choices:
                    candidate = {**options, option.name: choice}
                    if self.start(**candidate) == board:
                        options = candidate
                        break
        return options

    def size_of(self, game: Game) -> int | None:
        """Return the size by which protocols name the board of given rules; None: the board has no such size."""
        options = self.options_of(game)
        return next((size for size, named in self.sizes.items() if named.items() <= options.items()), None)

    @property
    def margin_unit(self) -> str:
        """The unit of final margins: points, where games are only won or lost and records state nothing else."""
        return self.unit.name if self.unit.scored or self.recorded_score is not _unchanged_score else "points"

    def describe(self, game: Game) -> str:
        """Return rules in a few words."""
        return self.title if self.rules_text is None else self.rules_text(game)

    def rules_as_json(self, game: Game) -> dict[str, int]:
        """Return rules as integers that JSON can hold, by the names of their fields."""
        return {name: int(value) for name, value in game._asdict().items()}

    def rules_from_json(self, fields: Mapping[str, int]) -> Game:
        """Return the rules that `rules_as_json` wrote."""
        kinds = get_type_hints(self.rules)
        if set(fields) != set(kinds):
            raise InvalidOption(f"rules of {self.title}: expected {', '.join(kinds)}, found {', '.join(fields)}")
        for name, value in fields.items():
            unsigned = kinds[name].__name__ == "uint64"  # by its name: NumPy is not loaded for a description
            least, most = (0, (1 << 64) - 1) if unsigned else (-(1 << 63), (1 << 63) - 1)
            if not least <= value <= most:
                raise InvalidOption(f"rules of {self.title}: {name}={value} is no number of 64 bits")
        return self.rules(
            **{name: kinds[name](value) if callable(kinds[name]) else value for name, value in fields.items()}
        )


def _checked(name: str, part: object) -> GameDescription:
    if not isinstance(part, GameDescription):
        raise InvalidOption(f"expected a GameDescription, found {part!r}")
    if part.name != name:
        raise InvalidOption(f"expected the game of that name, found {part.name!r}")
    return part


class OwnGame(NamedTuple):
    """One of the package's own games, as far as it is known before it is imported."""

    place: str
    stated: re.Pattern[str]
    """Words by which headers of games name this game."""
    marks: re.Pattern[str]
    """What every text of its positions, and every text that names it, has: other texts do not import the game."""


_own = {
    "othello": OwnGame(
        "outflank.othello.description:OTHELLO",
        re.compile("othello|reversi"),
        re.compile(r"\A\s*(?:[(%X*xBbO0oWw._-]|othello:)"),
    ),
    "abalone": OwnGame(
        "outflank.abalone.description:ABALONE",
        re.compile("abalone"),
        re.compile(
            r"\A\s*(?!\()\S*/|^[^\S\n]*#\s*\d"
            r"|\b(?:abalone|game|black|white|event|date|clock|score|reason|start)\s*:",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
}

GAMES: Registry[GameDescription] = Registry(
    "game", "outflank.games", {name: game.place for name, game in _own.items()}, check=_checked
)
"""All games: the package's own, installed ones, and those registered in this process."""

OWN_GAMES = tuple(_own)
"""The package's own games; a text that fits several games belongs to the first."""


def claimants(names: Iterable[str], text: str) -> Iterator[GameDescription]:
    """Yield those of the named games whose positions `text` may hold; no other game is imported."""
    return (game_named(name) for name in names if name not in _own or _own[name].marks.search(text))


def is_stated(name: str, headers: str) -> bool:
    """Return whether the headers of a game, in lower case, name the package's own game called `name`."""
    return name in _own and _own[name].stated.search(headers) is not None


_by_rules: dict[type, GameDescription] = {}


def register_game(description: GameDescription) -> GameDescription:
    """Register a game in this process, by its name and by the class of its rules."""
    GAMES.register(description.name, description, by=description.rules.__module__)
    return index_game(description)


def index_game(description: GameDescription) -> GameDescription:
    """Make a game whose name is already registered known by the class of its rules."""
    _by_rules[description.rules] = description
    return description


def game_named(name: str) -> GameDescription:
    """Return the game called `name`."""
    return index_game(GAMES.get(name))


def description_of(game: Game) -> GameDescription:
    """Return the description of the game with these rules; a default description if the game has none."""
    rules = type(game)
    if described(rules) is None:
        _by_rules[rules] = next(
            (game_description for game_description in GAMES.parts().values() if game_description.rules is rules), None
        ) or _undescribed(rules)
    return _by_rules[rules]


def described(rules: type) -> GameDescription | None:
    """Return the description of a class of rules, if it is known, without importing or looking up users' games."""
    if rules not in _by_rules:
        package, _, folder = rules.__module__.rpartition(".")[0].partition(".")
        # The package's own games are loaded at first use: plain play needs no evaluation.
        if package == "outflank" and folder in OWN_GAMES:
            game_named(folder)
    return _by_rules.get(rules)


def _undescribed(rules: type) -> GameDescription:
    title = rules.__qualname__.rpartition(".")[2]  # the compiler changes `__name__` to tell equal names apart

    def start(**options: object) -> NoReturn:
        raise InvalidOption(f"{title} has no start: describe it, and register the description")

    return GameDescription(name=title.lower(), title=title, rules=rules, start=start)


def titles_of_games(condition: Callable[[GameDescription], object]) -> str:
    """Return the titles of the games that satisfy `condition`, in words, for error messages about other games."""
    return " and ".join(game.title for game in GAMES.parts().values() if condition(game))


def unit_of(game: Game) -> Unit:
    """Return the unit of a game's scores."""
    return description_of(game).unit
