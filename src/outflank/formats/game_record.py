"""The record of a whole game: players, start, moves, and result."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from outflank.errors import FormatError, InvalidOption, OutflankError
from outflank.games.description import OWN_GAMES, GameDescription, RuleOptions, description_of, game_named
from outflank.games.rules import Game, Position
from outflank.games.sides import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A position with the moves and data that a text gives."""

    format: str
    """The name of the format that the setup was read from."""
    game: Game
    """The rules in force."""
    position: Position
    """The board before `moves`, as `turn` sees it."""
    turn: Side = Side.BLACK
    """The side to move in `position`."""
    moves: tuple[int, ...] = ()
    """Codes of the moves played from `position`, passes included."""
    ply: int = 0
    """Moves made before `position`, as far as the text says."""
    since_loss: int = 0
    """Moves made since a marble was lost, before `position` (Abalone)."""
    scores: Mapping[int, int] = field(default_factory=dict)
    """Values of moves to the mover, by code (OBF)."""
    assumed: str = ""
    """In words, what the reader assumed because the text does not state it; empty: nothing."""

    def with_game(self, game: Game) -> "Setup":
        """Return the same setup under other rules."""
        return replace(self, game=game)


def apply_rule_options(
    setup: Setup,
    options: RuleOptions,
    option_text: Callable[[str, object], str] = lambda name, value: f"{name}={value!r}",
) -> Setup:
    """Return the setup under the given options; if the text contradicts an option, raise an error that names this
    option by `option_text`."""
    variants = description_of(setup.game).variants
    stated, changed = variants.options_of(setup.game), {}
    for option in variants.options:
        value = options.get(option.name)
        if value is None:
            continue
        if option.name not in stated:
            if not setup.moves:
                text = option_text(option.name, value)
                raise InvalidOption(f"{text}: the position given is a position, not a list of moves")
        elif option.value_text is None and variants.with_options is not None:
            changed[option.name] = value
        elif stated[option.name] != value:
            actual = stated[option.name] if option.value_text is None else option.value_text(stated[option.name])
            raise InvalidOption(f"{option_text(option.name, value)}: the position given has {actual}")
    return setup.with_game(variants.with_options(setup.game, changed)) if changed and variants.with_options else setup


def refuse_options(game: GameDescription, options: Iterable[str]) -> None:
    """Raise an error if the game of a position does not have one of the options."""
    for name in options:
        if game.variants.option(name) is None:
            raise OutflankError(f"--{name} is for {titles_with(name)}; the position given is {game.title}")


def titles_with(option: str) -> str:
    """Return the titles of the package's own games that have an option, in words."""
    return " and ".join(game.title for game in map(game_named, OWN_GAMES) if game.variants.option(option))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedMove:
    """A move of a record, with its player's remarks."""

    code: int
    """The move's code in the kernels; a pass has one as well."""
    value: float | None = None
    """The mover's estimate of the position, from its own view."""
    seconds: float | None = None
    """The time that the move took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A game. Every unset field is unknown."""

    start: Setup
    """The position before the first move; its own `moves` are empty."""
    moves: Sequence[PlayedMove] = ()
    """The moves, passes included. Not to be changed; some readers parse them at first access."""
    black: str = ""
    white: str = ""
    event: str = ""
    """The tournament, or the place of the game."""
    date: str = ""
    """The date in ISO 8601, as far as it is known: `1998`, `1998-05-17`."""
    score: float | None = None
    """Black's score in discs or marbles; None: the game is unfinished or its score is unknown."""
    best: float | None = None
    """Black's score under perfect play of both sides from `best_empties` empty squares on (Othello)."""
    best_empties: int | None = None
    reason: str = ""
    """Why the game ended, if not by the rules: `resigned`, `time`, `illegal move`, `crashed`, `agreed`."""
    clock: str = ""
    """The time control."""

    @property
    def setup(self) -> Setup:
        """The start with the moves, from which boards are made."""
        return replace(self.start, moves=tuple(move.code for move in self.moves))


def check_game(record: Record, rules: type, format: str) -> None:
    """Raise an error if a record is of another game than `format` holds."""
    if not isinstance(record.start.game, rules):
        description = description_of(record.start.game)
        usual = next(iter(description.notation.files), "")
        suggestion = f": {usual} files do" if usual else ""
        expected = rules.__name__
        raise FormatError(f"{format} holds games of {expected}, not of {description.title}{suggestion}")
