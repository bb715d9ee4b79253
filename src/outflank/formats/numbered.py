"""Reads and writes positions of any game as the game's name and numbers, for games without a notation of their own.

    connect-four: 0000000000000080 0000000000000003 black 3 [7]

The line has the game, the two words of the position from `rules.pack`, the side to move, and the number of moves made
before, if it is known. The fields of the rules, if they have any, follow in brackets as numbers.
"""

import re

from outflank.errors import FormatError
from outflank.formats.bounds import count_game
from outflank.formats.game_record import Setup
from outflank.games.description import GameDescription
from outflank.games.rules import pack, unpack
from outflank.games.sides import Side
from outflank.kernels.bits import U64

NAME = "numbers"

_line = re.compile(
    r"([0-9a-f]{1,16})\s+([0-9a-f]{1,16})\s+(black|white)(?:\s+(\d{1,6}))?(?:\s+\[((?:\s*-?\d{1,20}(?!\d))*)\s*\])?"
)


def write_numbered(description: GameDescription, game: object, position: object, turn: Side, ply: int) -> str:
    """Return the text of a position, on one line."""
    first, second = pack(game, position)
    rules = description.rules_as_json(game).values()
    rules_part = f" [{' '.join(str(number) for number in rules)}]" if rules else ""
    return f"{description.name}: {int(first):016x} {int(second):016x} {turn} {ply}{rules_part}"


def read_numbered(text: str, description: GameDescription) -> list[Setup] | None:
    """Return the positions in a text, one per line; None if the text is in another format."""
    head = f"{description.name}:"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or not all(line.startswith(head) for line in lines) or not _line.match(lines[0][len(head) :].strip()):
        return None
    return [_setup(line[len(head) :].strip(), description) for line in lines]


def _setup(text: str, description: GameDescription) -> Setup:
    count_game()
    match = _line.fullmatch(text)
    if match is None:
        raise FormatError.at(NAME, text, 0, "two words, black or white, the moves made, and the rules in brackets")
    names = list(description.rules.__annotations__)
    numbers = [int(number) for number in (match[5] or "").split()]
    if len(numbers) != len(names):
        raise FormatError(f"{NAME}: the rules of {description.title} are {len(names)} numbers, found {len(numbers)}")
    game = description.rules_from_json(dict(zip(names, numbers, strict=True)))
    for option in description.variants.options:
        value = description.variants.options_of(game).get(option.name, option.default)
        if option.choices and value not in option.choices:
            known = ", ".join(str(choice) for choice in option.choices)
            raise FormatError(f"{NAME}: {option.name} of {description.title} are {known}, found {value}")
    position = unpack(game, U64(int(match[1], 16)), U64(int(match[2], 16)))
    if problem := description.find_error(game, position):
        raise FormatError(f"{NAME}: no position of {description.title}: {problem}")
    return Setup(format=NAME, game=game, position=position, turn=Side(match[3]), ply=int(match[4] or 0))
