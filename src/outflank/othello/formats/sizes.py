"""Board sizes in the formats of Othello."""

from outflank.errors import FormatError
from outflank.formats.game_record import Record, check_game
from outflank.othello.rules import Othello
from outflank.othello.squares import SIZES, othello, size_of


def othello_size(record: Record, format: str) -> int:
    """Return the side of a record's board; raise an error if it is not Othello on a board that `format` supports."""
    check_game(record, Othello, format)
    game = record.start.game
    if game.mask not in [othello(size).mask for size in SIZES]:
        raise FormatError(f"{format} holds boards of 4×4, 6×6 and 8×8 squares")
    return size_of(game)
