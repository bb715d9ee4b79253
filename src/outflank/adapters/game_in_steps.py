"""What environments of every library have in common: the start of a game, actions, their masks, and rewards."""

from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType

import numpy as np
import numpy.typing as npt

from outflank.boards import Board, Move
from outflank.errors import InvalidOption, OutflankError
from outflank.games.description import description_of, game_named
from outflank.games.rules import ENDLESS_GAME
from outflank.games.sides import Side
from outflank.installation import install_command
from outflank.players.clock import Clock, TimeControl
from outflank.players.player import Player, PlayerFailed

Mask = npt.NDArray[np.int8]
"""1 for each legal action, 0 for all others."""

LONGEST_GAME = 1_000
"""Plies after which a game is drawn in OpenSpiel, which requires a limit, if the rules have none."""

PLAYERS = {Side.BLACK: 0, Side.WHITE: 1}
"""Number of each side: black begins."""


def library(name: str, extra: str) -> ModuleType:
    """Return an optional library; if it is missing, raise an error that names the extra which installs it."""
    try:
        return import_module(name)
    except ImportError as error:
        if error.name is not None and error.name.partition(".")[0] != name.partition(".")[0]:
            raise
        raise OutflankError(f"{name} is not installed: {install_command(extra)}") from None


def start_of_game(game: str | Board, options: dict[str, object]) -> Board:
    """Return a new board: the start of the game of that name with these options, or a copy of `game`."""
    if isinstance(game, Board):
        if options:
            raise InvalidOption(f"{', '.join(options)}: a board has its options already")
        return game.copy()
    description = game_named(game)
    for name in options:
        if description.variants.option(name) is None:
            raise InvalidOption(f"{description.title} has no option {name!r}")
    return description.start(**options)


@dataclass(frozen=True, slots=True)
class Shape:
    """The shapes of a game's observations and actions under given rules."""

    planes: tuple[int, ...]
    """Shape of an observation (`Board.to_numpy`)."""
    actions: int
    """Number of actions. An action is a move's code."""

    @classmethod
    def of(cls, board: Board) -> "Shape":
        """Return the shapes for the game on a board."""
        return cls(board.to_numpy().shape, description_of(board.game).encoding.move_codes(board.game))


def legal_mask(board: Board, actions: int) -> Mask:
    """Return the mask of the legal moves on a board."""
    mask = np.zeros(actions, np.int8)
    mask[[move.code for move in board.legal_moves]] = 1
    return mask


def reward_of(board: Board, side: Side) -> int:
    """Return 1 if a side has won the game on a board, -1 if it has lost, else 0."""
    outcome = board.outcome()
    if outcome is None or outcome.winner is None:
        return 0
    return 1 if outcome.winner is side else -1


def most_plies(board: Board) -> int:
    """Return the largest number of plies that a game from `board` can have; `LONGEST_GAME` if nothing limits it."""
    description = description_of(board.game)
    described = description.encoding.most_plies(board)
    if described is not None:
        return described
    if board.moves_left >= ENDLESS_GAME:
        return LONGEST_GAME
    return board.moves_left * (2 if description.passes else 1)


def clock_for_moves(text: str) -> Clock:
    """Return the clock of a player that has the same time for each move, such as `0.1s/move`, or none."""
    control = TimeControl.parse(text)
    if control.game_seconds is not None:
        raise InvalidOption(f"clock={text!r}: expected a time for each move, such as 0.1s/move")
    return Clock(control=control)


def move_of(player: Player, board: Board, clock: Clock) -> Move:
    """Return the move that a player chooses; a player that cannot go on ends the game with an error."""
    try:
        return player.choose(board.copy(), replace(clock)).move
    except PlayerFailed as failure:
        raise OutflankError(f"{player.name}: {failure}") from None
