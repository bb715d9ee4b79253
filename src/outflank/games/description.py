"""The description of a game: the rest of the package reads it instead of naming games.

A game's own folder, or a user's module, makes one `GameDescription` and registers it; rules, evaluations and move
ordering are registered with the generic functions beside this module. All fields but the name, the class of the rules
and the start have a default that suits any game; those that are used together form parts, each in a module of its own.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, get_type_hints

from outflank.errors import InvalidOption
from outflank.games.defaults import LabDefaults, PlayDefaults, SearchDefaults
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
    """An option for the rules or the start of a game: `size`, `layout`."""

    name: str
    help: str
    default: Any
    choices: tuple[Any, ...] = ()
    """All allowed values; empty: any value of the default's type."""
    value_text: Callable[[Any], str] | None = None
    """A function that writes a value in words (`8 × 8 squares`), for an option that every position fixes; None: a
    position can be read under another value of the option."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variants:
    """The variants of one game. A game without options has one set of rules and one start."""

    options: tuple[GameOption, ...] = ()
    """The options of the rules and of the start."""
    options_of: "Callable[[Game], Mapping[str, Any]]" = lambda game: {}
    """The options that rules follow from, without those that only set the starting position."""
    with_options: "Callable[[Game, Mapping[str, Any]], Game] | None" = None
    """Returns the same game under other rules; None: its rules have no options."""
    rules_text: "Callable[[Game], str] | None" = None
    """Rules in a few words: `Othello 6×6`; None: the title."""
    sizes: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """The board sizes that protocols use, each with the options that it stands for."""
    starts: "Mapping[str, Callable[[], Board]]" = field(default_factory=dict)
    """Starting positions by name, where a game has several: matches cycle through them."""

    def option(self, name: str) -> GameOption | None:
        """Return the option called `name`, or None."""
        return next((option for option in self.options if option.name == name), None)

    def size_of(self, game: "Game") -> int | None:
        """Return the size by which protocols name the board of given rules; None: the board has no such size."""
        options = self.options_of(game)
        return next((size for size, named in self.sizes.items() if named.items() <= options.items()), None)


RuleOptions = Mapping[str, Any]
"""Options for the rules and the start of a game, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameDescription:
    """A game as the rest of the package sees it, apart from its rules."""

    name: str
    """The name on the command line and in documents: `othello`."""
    title: str
    """The name shown to people: `Othello`."""
    rules: type
    """The class of its rules, a `NamedTuple`, for which the functions of `games.rules` are registered."""
    start: "Callable[..., Board]"
    """Returns a board at the start of a game; takes the options of its `variants`."""
    board: "type[Board] | None" = None
    """The class of its boards; None: `Board` itself."""
    passes: bool = False
    """Whether a side that cannot move passes: programs for such games pass once more after the end."""
    find_error: "Callable[[Game, Position], str]" = lambda game, position: ""
    """Returns the error in the rules and the position that a text specifies; empty: none. Kernels rely on this
    check."""
    plain_rules: "Callable[[Game], PlainRules] | None" = None
    """The same rules written independently, for `games.plain`; None: proofs of this game cannot be checked."""
    without_draws: Callable[["Board"], "Board"] | None = None
    """Returns a board without draws by history, for referees with rules of their own; None: the game has no such
    draws."""
    perft: tuple[int, int] = (0, 1)
    """A depth and the number of leaves of the tree from the start at that depth, for the installation test."""
    variants: Variants = field(default_factory=Variants)
    """Its options, board sizes and named starts."""
    notation: Notation = field(default_factory=Notation)
    """Its text and its files."""
    scores: Scores = field(default_factory=Scores)
    """The unit of its scores, and the score of each kind of end."""
    search: SearchDefaults = field(default_factory=SearchDefaults)
    """Its evaluations and move orderings."""
    play: PlayDefaults = field(default_factory=PlayDefaults)
    """Its players, and the defaults of matches and reviews."""
    lab: LabDefaults = field(default_factory=LabDefaults)
    """Its named positions, and the defaults of experiments."""
    presentation: Presentation = field(default_factory=Presentation)
    """Its appearance to people."""

    @property
    def boards(self) -> "type[Board]":
        """The class of the game's boards: that of its start, if the description does not set one."""
        return type(self.start()) if self.board is None else self.board

    def options_at(self, board: "Board") -> dict[str, Any]:
        """Return the options with which a game starts at this board, as far as there are such options."""
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
        """Return rules in a few words."""
        return self.title if self.variants.rules_text is None else self.variants.rules_text(game)

    def rules_as_json(self, game: "Game") -> dict[str, int]:
        """Return rules as integers that JSON can hold, by the names of their fields."""
        return {name: int(value) for name, value in game._asdict().items()}

    def rules_from_json(self, fields: Mapping[str, int]) -> "Game":
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


def description_of(game: "Game") -> GameDescription:
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
