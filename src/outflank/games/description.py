"""The description of a game, through which the rest of the package uses it, and the registry of all games.

A game's own folder, or a user's module, makes one `GameDescription` and registers it; rules, evaluations and move
ordering are registered with the generic functions in this folder. All fields except the names, the class of the rules
and the start have a default that suits any game. Related fields form a part, such as `Notation`, in its own module.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, get_type_hints

from outflank.errors import InvalidOption
from outflank.games.defaults import LabDefaults, PlayDefaults, SearchDefaults
from outflank.games.encoding import Encoding
from outflank.games.notation import Notation
from outflank.games.presentation import Presentation
from outflank.games.scores import Scores
from outflank.plugins import Registry

if TYPE_CHECKING:  # boards import this module
    from outflank.boards.board import Board
    from outflank.games.plain import PlainRules
    from outflank.games.rules import Game, Position


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOption:
    """An option for the rules or the starting position of a game, such as `size` or `layout`."""

    name: str
    help: str
    default: Any
    choices: tuple[Any, ...] = ()
    """All allowed values; empty: any value of the default's type."""
    value_text: Callable[[Any], str] | None = None
    """Returns a value in words (`8 × 8 squares`), for an option that can be read off any position; None: a position
    does not determine the option."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variants:
    """The options for one game's rules and starting positions. A game without options has fixed rules and one start."""

    options: tuple[GameOption, ...] = ()
    """The options of the rules and of the starting position."""
    options_of: "Callable[[Game], Mapping[str, Any]]" = lambda game: {}
    """Returns the options that produce the given rules, without options that only set the starting position."""
    with_options: "Callable[[Game, Mapping[str, Any]], Game] | None" = None
    """Returns given rules with some options changed; None: the rules have no options."""
    rules_text: "Callable[[Game], str] | None" = None
    """Returns the name of given rules: `Othello 6×6`; None: the game's title is used."""
    sizes: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """The board sizes that protocols can name, each with the equivalent options."""
    starts: "Mapping[str, Callable[[], Board]]" = field(default_factory=dict)
    """Starting positions by name, if a game has several; matches cycle through them."""
    openings: "Callable[[Game], Mapping[str, Board]]" = lambda game: {}
    """Returns the positions of openings under given rules, by the names that players use; `starts` need no others."""

    def option(self, name: str) -> GameOption | None:
        """Return the option called `name`, or None."""
        return next((option for option in self.options if option.name == name), None)

    def size_of(self, game: "Game") -> int | None:
        """Return the board size that protocols use for given rules; None: `sizes` has none for them."""
        options = self.options_of(game)
        return next((size for size, named in self.sizes.items() if named.items() <= options.items()), None)


RuleOptions = Mapping[str, Any]
"""Options for the rules and the starting position of a game, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameDescription:
    """All facts about a game that the rest of the package uses, apart from its rules."""

    name: str
    """The game's name on the command line and in JSON documents: `othello`."""
    title: str
    """The game's name as users see it: `Othello`."""
    rules: type
    """The class of the game's rules: a `NamedTuple` that implements the functions of `games.rules`."""
    start: "Callable[..., Board]"
    """Returns a board with the starting position; takes the options in `variants` as keywords."""
    board: "type[Board] | None" = None
    """The class of the game's boards; None: `Board` itself."""
    passes: bool = False
    """Whether a side that cannot move passes. If so, programs for the game may pass once more after its end."""
    find_error: "Callable[[Game, Position], str]" = lambda game, position: ""
    """Returns why rules and a position from a text are invalid; empty: they are valid. Kernels rely on this check."""
    plain_rules: "Callable[[Game], PlainRules] | None" = None
    """Returns given rules in their second implementation (`games.plain`); None: proofs cannot be checked."""
    without_draws: Callable[["Board"], "Board"] | None = None
    """Turns off draws by repetition or length, for external referees, and returns the board; None: no such draws."""
    perft: tuple[int, int] = (0, 1)
    """A depth and the perft count of the starting position at that depth, for the installation test."""
    variants: Variants = field(default_factory=Variants)
    """The game's options, board sizes and named starting positions."""
    notation: Notation = field(default_factory=Notation)
    """The game's text notations and file formats."""
    encoding: Encoding = field(default_factory=Encoding)
    """The game's positions as planes of bits, and its moves as actions, for programs that learn."""
    scores: Scores = field(default_factory=Scores)
    """The unit of the game's scores, and the scores of finished and forfeited games."""
    search: SearchDefaults = field(default_factory=SearchDefaults)
    """The game's evaluations and move orderings."""
    play: PlayDefaults = field(default_factory=PlayDefaults)
    """The game's playing levels, and the defaults of its matches and reviews."""
    lab: LabDefaults = field(default_factory=LabDefaults)
    """The game's named positions, and the defaults of its experiments."""
    presentation: Presentation = field(default_factory=Presentation)
    """The game's appearance at a terminal and in pictures."""

    @property
    def boards(self) -> "type[Board]":
        """The class of the game's boards; if the description does not set it, the class of the start's board."""
        return type(self.start()) if self.board is None else self.board

    def options_at(self, board: "Board") -> dict[str, Any]:
        """Return the options with which a game starts at `board`. If `board` is no starting position, return only the
        options of its rules."""
        options = dict(self.variants.options_of(board.game))
        for option in self.variants.options:
            if option.name not in options:
                for choice in option.choices:
                    candidate = {**options, option.name: choice}
                    if self.start(**candidate) == board:
                        options = candidate
                        break
        return options

    def describe(self, game: "Game") -> str:
        """Return the name of given rules in a few words: `Othello 6×6`."""
        return self.title if self.variants.rules_text is None else self.variants.rules_text(game)

    def rules_as_json(self, game: "Game") -> dict[str, int]:
        """Return the fields of given rules by name, as integers that JSON can hold."""
        return {name: int(value) for name, value in game._asdict().items()}

    def rules_from_json(self, fields: Mapping[str, int]) -> "Game":
        """Return the rules that `rules_as_json` wrote."""
        kinds = get_type_hints(self.rules)
        if set(fields) != set(kinds):
            raise InvalidOption(f"rules of {self.title}: expected {', '.join(kinds)}, found {', '.join(fields)}")
        for name, value in fields.items():
            unsigned = kinds[name].__name__ == "uint64"  # compares names, so that NumPy need not be loaded
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
    """Facts about one of the package's own games that are needed before the game is imported."""

    place: str
    stated: re.Pattern[str]
    """Pattern of words that name this game in the headers of game files."""
    marks: re.Pattern[str]
    """Pattern that every text with the name or a position of this game matches. Other texts do not import the game."""


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
"""All games: the package's own games, games of installed plug-ins, and games registered in this process."""

OWN_GAMES = tuple(_own)
"""Names of the package's own games, in order of precedence: a text that fits several belongs to the first."""


def claimants(names: Iterable[str], text: str) -> Iterator[GameDescription]:
    """Yield the games among `names` that may have a position in `text`; the other games are not imported."""
    return (game_named(name) for name in names if name not in _own or _own[name].marks.search(text))


def is_stated(name: str, headers: str) -> bool:
    """Return whether lower-case headers of a game file name the package's own game called `name`."""
    return name in _own and _own[name].stated.search(headers) is not None


_by_rules: dict[type, GameDescription] = {}


def register_game(description: GameDescription) -> GameDescription:
    """Register a game in this process under its name and under the class of its rules."""
    GAMES.register(description.name, description, by=description.rules.__module__)
    return index_game(description)


def index_game(description: GameDescription) -> GameDescription:
    """Let `description_of` find a game by the class of its rules; the game's name must be registered already."""
    _by_rules[description.rules] = description
    return description


def game_named(name: str) -> GameDescription:
    """Return the description of the game called `name`."""
    return index_game(GAMES.get(name))


def description_of(game: "Game") -> GameDescription:
    """Return the description of the game with these rules; a default description if the game has none."""
    rules = type(game)
    if described(rules) is None:
        _by_rules[rules] = next(
            (game_description for game_description in GAMES.parts().values() if game_description.rules is rules), None
        ) or _undescribed(rules)
    return _by_rules[rules]


def described(rules: type) -> GameDescription | None:
    """Return the description of a class of rules; None if unknown. Users' games are neither looked up nor imported."""
    if rules not in _by_rules:
        package, _, folder = rules.__module__.rpartition(".")[0].partition(".")
        # The descriptions of the package's own games are loaded at first use: a program that only plays moves
        # needs none.
        if package == "outflank" and folder in OWN_GAMES:
            game_named(folder)
    return _by_rules.get(rules)


def _undescribed(rules: type) -> GameDescription:
    title = rules.__qualname__.rpartition(".")[2]  # `__name__` may have apostrophes added, to tell classes apart

    def start(**options: object) -> NoReturn:
        raise InvalidOption(f"{title} has no start: describe it, and register the description")

    return GameDescription(name=title.lower(), title=title, rules=rules, start=start)


def titles_of_games(condition: Callable[[GameDescription], object]) -> str:
    """Return the titles of the games that satisfy `condition`, joined by `and`, for messages."""
    return " and ".join(game.title for game in GAMES.parts().values() if condition(game))
