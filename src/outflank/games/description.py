"""What a game tells the rest of the package of itself: everything else asks a description, and names no game.

A game's own folder, or a module of a user's, makes one `GameDescription` and registers it; rules, evaluations and
promises of moves are registered with the generic functions beside this module. All but the name, the class of the
rules and the start have a default that any game can live with.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_type_hints

from outflank.errors import InvalidOption
from outflank.games.ending_time import USUAL, EndingTime
from outflank.games.notation import Notation
from outflank.games.programs import ReportProgram
from outflank.games.search_errors import SearchErrors
from outflank.games.units import Unit
from outflank.plugins import Registry

if TYPE_CHECKING:  # boards stand above this module, and know it
    from outflank.boards.board import Board
    from outflank.boards.moves import Move
    from outflank.games.learnt import Learning
    from outflank.games.tabletop import Tabletop


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOption:
    """What can be chosen about the rules or the start of a game: `size`, `layout`."""

    name: str
    help: str
    default: Any
    choices: tuple[Any, ...] = ()
    """All there are; none: any value of the default's type."""
    told: Callable[[Any], str] | None = None
    """A value in words (`8 × 8 squares`), where every position has its own; None: it can be read under another."""


@dataclass(frozen=True, slots=True)
class Level:
    """How far a player of a given strength looks."""

    depth: int
    exact: int = 0
    """Moves left, as `rules.moves_left` counts them, from which every move is searched to the end."""
    to_the_end: int = 0
    """Moves left from which a selective search looks to the end, whatever the depth."""
    misjudged: float = 0.0
    """What it misjudges moves by: a standard deviation, in the game's unit."""
    greed: float = 0.0
    """What a piece that a move wins at once is worth to it beside that, in the same unit."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Losses from which a move is marked, in the game's unit."""

    doubtful: float
    mistake: float
    blunder: float

    def of(self, loss: float) -> str:
        """`?!`, `?`, `??`, or nothing."""
        for mark, least in (("??", self.blunder), ("?", self.mistake), ("?!", self.doubtful)):
            if loss >= least:
                return mark
        return ""


WON = 20_000
"""A finished game is worth this much more than its score to the winner; estimates stay below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedEvaluation:
    """An evaluation of a game that searches can choose by its name."""

    name: str
    evaluation: Any
    """A `NamedTuple` with a registered `games.evaluation.value`; or a function that makes it for some rules, called
    when it is first used, where much has to be loaded."""
    unit: str | None = None
    """What its values count; None: they are told with its name."""
    points: int = 1
    """How many points of a value make one of the unit."""
    won: int = WON
    """A value beyond this is a finished game's."""
    suits: Callable[[Any], bool] = lambda game: True
    """Whether there is such an evaluation under some rules."""
    errors: Callable[[Any], SearchErrors | None] = lambda game: None
    """How far searches by it are off from deeper ones, by the rules; None: nobody has measured it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderingWeights:
    """An ordering of a game's moves: what each of its features weighs."""

    weights: Mapping[str, int] = field(default_factory=dict)
    by_stage: tuple[Mapping[str, int], ...] = ()
    """Instead of `weights`, those for each stage of a game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsualOrdering:
    """How moves are ordered where nothing else is asked for."""

    name: str = "none"
    killers: bool = True
    history: bool = True
    exact: str | None = None
    """The ordering for play to the end, if that is another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabDefaults:
    """What experiments search where nothing else is asked for: depths that take seconds."""

    position: str = "start"
    """Of `GameDescription.positions`."""
    depth: int = 8
    minimax_depth: int = 5
    minimax_evaluation: str | None = None
    profile_depth: int = 8
    cluster_depth: int = 10
    cluster_positions: tuple[str, ...] = ("start",)
    sweep_depth: int = 9
    thresholds: tuple[int, ...] = (3, 4, 5, 6)
    """Plies left below which parts of a tree are no longer divided."""
    cluster_thresholds: tuple[int, ...] = (3, 4, 5, 6)
    replication_depths: tuple[int, ...] = (3, 4, 5, 6)


@dataclass(frozen=True, slots=True)
class TerminalColours:
    """How a terminal colours a board: a colour each, as Rich writes it."""

    ground: str = "#3b5b7a"
    black: str = "#101010"
    white: str = "#ffffff"
    empty: str = "#24394d"
    legal: str = "#f2d95c"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyMoves:
    """Moves that a player of a game knows without a search."""

    why: str
    """In a word, for people: `opening`."""
    choose: "Callable[[Board[Any]], Move | None]"
    """A legal move; None: search."""


def _same(game: Any, position: Any, score: int) -> int:
    return score


@dataclass(frozen=True, slots=True, kw_only=True)
class GameDescription:
    """A game, as everything but its rules sees it."""

    # --- what it is ---

    name: str
    """On the command line and in documents: `othello`."""
    title: str
    """To people: `Othello`."""
    rules: type
    """The class of its rules, a `NamedTuple`, for which the functions of `games.rules` are registered."""
    start: "Callable[..., Board[Any]]"
    """A board at the start of a game; takes the `options`."""
    board: "type[Board[Any]] | None" = None
    """The class of its boards; None: `Board` itself."""
    options: tuple[GameOption, ...] = ()
    options_of: Callable[[Any], Mapping[str, Any]] = lambda game: {}
    """The options that rules follow from; those that only say where a game starts are left out."""
    with_options: Callable[[Any, Mapping[str, Any]], Any] | None = None
    """The same game under other rules; None: its rules have no options."""
    called: Callable[[Any], str] | None = None
    """Rules in a few words: `Othello 6×6`; None: the title."""
    sizes: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """The sizes by which protocols name its boards, each with the options that it stands for."""
    passes: bool = False
    """Whether a side that cannot move passes: programs that know such games pass once more when they are over."""
    objection: Callable[[Any, Any], str] = lambda game, position: ""
    """What is wrong with rules and a position that a text gives; empty: nothing. Kernels rely on it."""
    plain_rules: Callable[[Any], Any] | None = None
    """The same rules written a second time, for `games.plain`; None: proofs of this game cannot be checked."""
    without_draws: Callable[["Board[Any]"], "Board[Any]"] | None = None
    """A board with rules of drawing by its history switched off, for referees who have their own; None: it has none."""

    # --- as text and in files ---

    notation: Notation = field(default_factory=Notation)

    # --- values ---

    unit: Unit = field(default_factory=lambda: Unit(name="points"))
    evaluations: tuple[NamedEvaluation, ...] = ()
    usual_evaluation: Callable[[Any], str] | None = None
    """The name of the evaluation to use under some rules; None: the first."""
    guide: Callable[[Any], Any] | None = None
    """The evaluation by which exact searches look ahead to order moves, under some rules; None: they do not."""
    learning: "Learning | None" = None
    """How an evaluation of it is learnt (`games.learnt`); None: there is nothing to learn."""
    orderings: Mapping[str, OrderingWeights] = field(default_factory=dict)
    usual_ordering: UsualOrdering = field(default_factory=UsualOrdering)
    recorded_score: Callable[[Any, Any, int], int] = _same
    """What a record says that the side to move has won, of rules, the last position and its score."""
    final_margin: "Callable[[Board[Any], int], int]" = lambda board, score: score
    """What black is ahead by at the end of a game, drawn ones included, of which matches tell the mean."""
    forfeit: Callable[[Any], int] = lambda game: 1
    """What is won by who wins without the last move having been made, in the game's unit."""

    # --- players ---

    levels: tuple[Level, ...] = tuple(Level(number, min(number + 4, 16)) for number in range(1, 21))
    """From level 1 on."""
    exact_beside: Callable[[int], int] | None = None
    """Moves left from which a player that looks so deep plays exactly; None: as the levels of that depth do."""
    moves_expected: "Callable[[Board[Any]], float]" = lambda board: max(10.0, 40.0 - board.ply / 4)
    """Moves of its own that a player can expect to make yet: what its time is divided by."""
    moves_at_most: "Callable[[Board[Any]], float]" = lambda board: 100.0
    """Moves that it may have to make at worst, each of which takes a moment."""
    ending_time: EndingTime = USUAL
    """By which a player knows whether it has the time to play exactly."""
    marks: Marks = Marks(0.4, 1.0, 2.0)
    error_of: Callable[[int], float] = lambda depth: 1.0
    """What an estimate by a search of some depth may be wrong by, in the game's unit."""
    openings: "Callable[[Board[Any]], str]" = lambda board: "random:4"
    """The openings of a match that asks for none."""
    starts: "Mapping[str, Callable[[], Board[Any]]]" = field(default_factory=dict)
    """Starts by name, where a game has several: matches go through them."""
    programs: Mapping[str, ReportProgram] = field(default_factory=dict)
    """Programs of old that a player can play like, by name."""
    ready_moves: Mapping[str, ReadyMoves] = field(default_factory=dict)
    """What a player may do instead of searching, by name."""
    book: Callable[[], str] | None = None
    """The text of the opening book that comes with it; None: there is none."""

    # --- the laboratory ---

    perft: tuple[int, int] = (0, 1)
    """A depth, and how many leaves the tree from the start has there: what a test of an installation counts."""

    positions: "Mapping[str, Callable[[], Board[Any]]]" = field(default_factory=dict)
    """Positions by name."""
    position_sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Several of them under one name."""
    lab: LabDefaults = field(default_factory=LabDefaults)

    # --- to be seen ---

    pictured: str = ""
    """How pictures show what was played and what was better: `what was played is crossed`."""
    tabletop: "Callable[[Any], Tabletop] | None" = None
    """Its board under some rules, as hands use it; None: it is read off a drawing, and moves are chosen by name."""
    asks: str = "a move"
    """What a person is asked for: `a square like f5`."""
    colours: TerminalColours = TerminalColours()

    def option(self, name: str) -> GameOption | None:
        """The option of that name, if it has one."""
        return next((each for each in self.options if each.name == name), None)

    @property
    def boards(self) -> "type[Board[Any]]":
        """The class of its boards, as far as it has a start."""
        return type(self.start()) if self.board is None else self.board

    def options_at(self, board: "Board[Any]") -> dict[str, Any]:
        """The options with which a game starts at this board, as far as there are such."""
        found = dict(self.options_of(board.game))
        for option in self.options:
            if option.name not in found:
                for choice in option.choices:
                    chosen = {**found, option.name: choice}
                    if self.start(**chosen) == board:
                        found = chosen
                        break
        return found

    def size_of(self, game: Any) -> int | None:
        """By which of its sizes protocols name the board of some rules; None: it has none."""
        options = self.options_of(game)
        return next((size for size, named in self.sizes.items() if named.items() <= options.items()), None)

    @property
    def margin_unit(self) -> str:
        """What finished games are won by: points, where they are only won or lost and nothing else is recorded."""
        return self.unit.name if self.unit.scored or self.recorded_score is not _same else "points"

    def describe(self, game: Any) -> str:
        """Rules in a few words."""
        return self.title if self.called is None else self.called(game)

    def rules_as_json(self, game: Any) -> dict[str, int]:
        """Rules as numbers that JSON can carry, by the names of their fields."""
        return {name: int(value) for name, value in game._asdict().items()}

    def rules_from_json(self, fields: Mapping[str, int]) -> Any:
        """The rules that `rules_as_json` wrote down."""
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


def _checked(name: str, found: object) -> GameDescription:
    if not isinstance(found, GameDescription):
        raise InvalidOption(f"expected a GameDescription, found {found!r}")
    if found.name != name:
        raise InvalidOption(f"expected the game of that name, found {found.name!r}")
    return found


GAMES: Registry[GameDescription] = Registry(
    "game",
    "outflank.games",
    {"othello": "outflank.othello.description:OTHELLO", "abalone": "outflank.abalone.description:ABALONE"},
    check=_checked,
)
"""Every game: the package's own, installed ones, and those of this process."""

OWN_GAMES = ("othello", "abalone")
"""The package's own; a text that could be of several games is of the first."""

_by_rules: dict[type, GameDescription] = {}


def register_game(description: GameDescription) -> GameDescription:
    """Make a game of this process known, by its name and by the class of its rules."""
    GAMES.register(description.name, description, by=description.rules.__module__)
    return index_game(description)


def index_game(description: GameDescription) -> GameDescription:
    """Let a game whose name is known otherwise be found by the class of its rules."""
    _by_rules[description.rules] = description
    return description


def game_named(name: str) -> GameDescription:
    """The game called `name`."""
    return index_game(GAMES.get(name))


def description_of(game: Any) -> GameDescription:
    """The description of the game whose rules these are; a plain one, if nobody has described it."""
    rules = type(game)
    if described(rules) is None:
        _by_rules[rules] = next((each for each in GAMES.parts().values() if each.rules is rules), None) or _plain(rules)
    return _by_rules[rules]


def described(rules: type) -> GameDescription | None:
    """The description of a class of rules, if that is known; nobody else's game is imported or looked up for it."""
    if rules not in _by_rules:
        package, _, folder = rules.__module__.rpartition(".")[0].partition(".")
        # The package's own are loaded when they are first asked for: who only plays needs no evaluation.
        if package == "outflank" and folder in OWN_GAMES:
            game_named(folder)
    return _by_rules.get(rules)


def _plain(rules: type) -> GameDescription:
    title = rules.__qualname__.rpartition(".")[2]  # the compiler tells classes of one `__name__` apart by changing it

    def start(**options: Any) -> Any:
        raise InvalidOption(f"{title} has no start: describe it, and register the description")

    return GameDescription(name=title.lower(), title=title, rules=rules, start=start)


def titles_of_games(having: Callable[[GameDescription], object]) -> str:
    """The games that have something, in words, for errors of others."""
    return " and ".join(each.title for each in GAMES.parts().values() if having(each))


def unit_of(game: Any) -> Unit:
    """What a game's scores count."""
    return description_of(game).unit
