"""Lists of moves: read by a game's notation, or else word by word by its boards."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from outflank.errors import OutflankError, place_in
from outflank.formats.game_record import PlayedMove, Record
from outflank.formats.setup import Setup
from outflank.games.description import GameDescription, RuleOptions, description_of
from outflank.games.rules import Game
from outflank.games.sides import Side

if TYPE_CHECKING:
    from outflank.boards.board import Board

NAME = "moves"

_word = re.compile(r"(?:\d{1,4}[.)](?:\.\.)?)?([^\s,;]*)")


def read_moves(description: GameDescription, text: str, options: RuleOptions) -> Record:
    """Return the game given by a list of moves, from the start with some of the game's options."""
    if description.notation.moves is not None:
        return description.notation.moves(text, options)
    board = description.start(**options)
    first = Setup(format=NAME, game=board.game, position=board.position, turn=board.turn)
    return _play_words(first, board, text)


def read_moves_from(description: GameDescription, text: str, start: Setup) -> Record:
    """Return the game given by a list of moves from a position."""
    if description.notation.moves_from is not None:
        return description.notation.moves_from(text, start)
    board = description.boards(start.game, start.position, start.turn, ply=start.ply)
    return _play_words(replace(start, format=NAME), board, text)


def write_moves(game: Game, codes: Sequence[int], turn: Side = Side.BLACK) -> str:
    """Return moves under given rules as a line of text; `turn` makes the first."""
    description = description_of(game)
    if description.notation.write_moves is not None:
        return description.notation.write_moves(game, codes)
    board = description.boards(game, description.start().position, turn)  # names of moves do not depend on the position
    return " ".join(str(move) for move in board.line(codes))


def _play_words(start: Setup, board: "Board", text: str) -> Record:
    for match in _word.finditer(text):
        if match[1]:
            try:
                board.push(match[1])
            except OutflankError as error:
                number = len(board.moves) + 1
                raise type(error)(f"{NAME}, {place_in(text, match.start(1))}, move {number}: {error}") from None
    outcome = board.outcome()
    score = None if outcome is None else float(board.recorded_score(outcome))
    return Record(start=start, moves=tuple(PlayedMove(code=move.code) for move in board.moves), score=score)
