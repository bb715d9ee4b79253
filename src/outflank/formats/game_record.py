"""The record of a whole game (players, start, moves, result), and the setup of a position with its rules."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from outflank.errors import FormatError, InvalidOption, OutflankError
from outflank.games.description import OWN_GAMES, GameDescription, RuleOptions, description_of, game_named
from outflank.games.rules import Game, Position
from outflank.games.sides import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A position as read from a text, with the moves played from it and the rules in force."""

    format: str
    """Name of the format that the setup was read from."""
    game: Game
    """Rules in force."""
    position: Position
    """Position before `moves`, from the point of view of the side `turn`."""
    turn: Side = Side.BLACK
    """Side to move in `position`."""
    moves: tuple[int, ...] = ()
    """Codes of the moves played from `position`, passes included."""
    ply: int = 0
    """Number of moves made before `position`, as far as the text says."""
    since_loss: int = 0
    """Number of moves between the last loss of a marble and `position` (Abalone)."""
    scores: Mapping[int, int] = field(default_factory=dict)
    """Values of moves from the mover's side, by code (OBF)."""
    assumed: str = ""
    """Description of what was assumed because the text does not state it; empty if nothing was."""

    def with_game(self, game: Game) -> "Setup":
        """Return the same setup under the rules of `game`."""
        return replace(self, game=game)


def apply_rule_options(
    setup: Setup,
    options: RuleOptions,
    option_text: Callable[[str, object], str] = lambda name, value: f"{name}={value!r}",
) -> Setup:
    """Return the setup with these rule options applied. If the text that it was read from contradicts an option, raise
    an error that names the option as `option_text` writes it."""
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
    """Raise an error if `game` lacks one of the rule options `options`."""
    for name in options:
        if game.variants.option(name) is None:
            raise OutflankError(f"--{name} is for {titles_with(name)}; the position given is {game.title}")


def titles_with(option: str) -> str:
    """Return the titles of the package's own games that have a rule option, joined by "and"."""
    return " and ".join(game.title for game in map(game_named, OWN_GAMES) if game.variants.option(option))


@dataclass(frozen=True, slots=True)
class Notes:
    """What a person wrote about a position, and drew on its board."""

    comment: str = ""
    """Text about the position, of one or more lines."""
    arrows: tuple[tuple[str, str], ...] = ()
    """Names of the cells at the start and the end of each arrow. If both are the same, a circle marks the cell."""

    def __bool__(self) -> bool:
        return bool(self.comment or self.arrows)


NO_NOTES = Notes()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedMove:
    """A move of a record, with the value and time that its player reported."""

    code: int
    """Code of the move in the kernels; a pass has one as well."""
    value: float | None = None
    """Value of the position that the player reported, from the player's own side."""
    seconds: float | None = None
    """Time that the move took."""
    notes: Notes = NO_NOTES
    """Notes on the position after the move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Record of a game. Every unset field is unknown."""

    start: Setup
    """Position before the first move; its own `moves` are empty."""
    moves: Sequence[PlayedMove] = ()
    """Moves, passes included. They must not be changed; some readers parse them at first access."""
    black: str = ""
    white: str = ""
    event: str = ""
    """Name of the tournament, or place of the game."""
    date: str = ""
    """Date in ISO 8601, as far as it is known: `1998`, `1998-05-17`."""
    score: float | None = None
    """Black's score in discs or marbles; None if the game is unfinished or its score is unknown."""
    best: float | None = None
    """Black's score if both sides play perfectly from the position with `best_empties` empty squares (Othello)."""
    best_empties: int | None = None
    reason: str = ""
    """Why the game ended, usually one of `fields.REASONS`; empty if it ended by the rules."""
    clock: str = ""
    """Time control, as text."""
    notes: Notes = NO_NOTES
    """Notes on the start."""

    @property
    def setup(self) -> Setup:
        """Setup of the start with all moves, from which boards are made."""
        return replace(self.start, moves=tuple(move.code for move in self.moves))


def check_game(record: Record, rules: type, format: str) -> None:
    """Raise an error if a record is not of the game (`rules`) that files of `format` hold."""
    if not isinstance(record.start.game, rules):
        description = description_of(record.start.game)
        usual = next(iter(description.notation.files), "")
        suggestion = f": {usual} files do" if usual else ""
        expected = rules.__name__
        raise FormatError(f"{format} holds games of {expected}, not of {description.title}{suggestion}")
