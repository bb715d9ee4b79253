"""The variants of a game: the options for its rules and its start, and its starting positions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # boards import this module
    from outflank.boards.board import Board
    from outflank.games.rules import Game


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
