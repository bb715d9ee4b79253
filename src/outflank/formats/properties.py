"""Games in brackets: GGF and SGF, the main line of the first game.

GGF: `(;GM[Othello]…BO[8 <64 cells> *]B[F5/eval/time]W[PA]…;)`.
SGF: `(;FF[4]GM[2]SZ[8]AB[e4][d5]AW[d4][e5]PL[B];B[f5];W[d6]…)`; coordinates in letters
(`fe`) and an empty pass are understood.
"""

import re
from collections.abc import Iterator

from outflank.errors import FormatError
from outflank.formats.board_line import read_board_line
from outflank.formats.setup import Setup
from outflank.formats.transcript import Named, replayed
from outflank.games.othello.kernels import PASS, OthelloPosition
from outflank.games.othello.squares import SIZES, START, othello, square_number
from outflank.games.sides import Side
from outflank.kernels.bits import U64

GGF, SGF = "GGF", "SGF"

_item = re.compile(r"\s*(?:([;(])|([A-Za-z]+)\s*((?:\[(?:\\.|[^\]\\])*\]\s*)+))", re.DOTALL)
_value = re.compile(r"\[((?:\\.|[^\]\\])*)\]", re.DOTALL)

Property = tuple[str, list[str], int]
"""Name, values, and the place of the first value in the text."""


def read_game(text: str) -> Setup:
    """The first game in `text`, whichever of the two formats it is in."""
    properties = list(_properties(text))
    kind = next((values[0] for name, values, _ in properties if name == "GM"), "")
    return _read_ggf(text, properties) if kind.lower() == "othello" else _read_sgf(text, properties, kind)


def _read_ggf(text: str, properties: list[Property]) -> Setup:
    board = next(((values[0], place) for name, values, place in properties if name == "BO"), None)
    if board is None:
        raise FormatError.at(GGF, text, 0, "the board, BO[8 …]")
    size_text, _, cells = board[0].strip().partition(" ")
    if size_text not in map(str, SIZES):
        raise FormatError.at(GGF, text, board[1], "the board's size, 8, and its cells")
    try:
        start = read_board_line(cells)
    except FormatError as error:
        raise FormatError(f"{GGF}, column {board[1] + 1}: {error}") from None
    return _played(GGF, text, properties, start)


def _read_sgf(text: str, properties: list[Property], kind: str) -> Setup:
    if kind not in ("", "2"):
        raise FormatError.at(SGF, text, 0, f"a game of Othello, GM[2], not GM[{kind}]")
    first_move = next((index for index, (name, _, _) in enumerate(properties) if name in ("B", "W")), len(properties))
    before, later = properties[:first_move], properties[first_move:]
    for name, _, place in later:
        if name in ("AB", "AW", "AE", "PL"):
            raise FormatError.at(SGF, text, place, f"no {name} after the first move")
    size = 8
    for name, values, place in before:  # the properties of a node have no order: this one comes first
        if name == "SZ":
            if values[0] not in map(str, SIZES):
                raise FormatError.at(SGF, text, place, "a size of 4, 6 or 8")
            size = int(values[0])
    stones: dict[str, int] = {"AB": 0, "AW": 0}
    turn = Side.WHITE if later and later[0][0] == "W" else Side.BLACK
    for name, values, place in before:
        if name in stones:
            squares = [_square(size, value) for value in values]
            if None in squares or PASS in squares:
                raise FormatError.at(SGF, text, place, "squares of the board")
            stones[name] |= sum(1 << square for square in set(squares) if square is not None)
        elif name == "PL":
            turn = Side.WHITE if values[0][:1].upper() == "W" else Side.BLACK
    black, white = (stones["AB"], stones["AW"]) if any(stones.values()) else map(int, START)
    if black & white:
        raise FormatError.at(SGF, text, 0, "no square in both AB and AW")
    own, opp = (black, white) if turn is Side.BLACK else (white, black)
    start = Setup(format=SGF, game=othello(size), position=OthelloPosition(U64(own), U64(opp)), turn=turn)
    return _played(SGF, text, properties, start)


def _played(format: str, text: str, properties: list[Property], start: Setup) -> Setup:
    """`start` with the moves of the properties B and W."""
    size = round(int(start.game.mask).bit_count() ** 0.5)
    named: list[Named] = []
    for name, values, place in properties:
        if name in ("B", "W"):
            move = _square(size, values[0].partition("/")[0])
            if move is None:
                raise FormatError.at(format, text, place, "a square or a pass (PA)")
            named.append((move, place, Side.BLACK if name == "B" else Side.WHITE))
    moves = tuple(replayed(format, text, start.game, start.position, named, start.turn))
    return Setup(
        format=format,
        game=start.game,
        position=start.position,
        turn=start.turn,
        moves=moves,
        ply=start.ply,
    )


def _square(size: int, text: str) -> int | None:
    name = text.strip().lower()
    if name in ("", "pa", "pass", "--"):
        return PASS
    if len(name) == 2 and name[1].isalpha():
        name = name[0] + str("abcdefgh".find(name[1]) + 1)
    return square_number(size, name)


def _properties(text: str) -> Iterator[Property]:
    """The properties of the main line, which ends at the first closing parenthesis."""
    place = 0
    while place < len(text):
        rest = text[place:].lstrip()
        if not rest or rest[0] == ")":
            return
        found = _item.match(text, place)
        if found is None:
            where = place + len(text[place:]) - len(rest)
            raise FormatError.at("game in brackets", text, where, "a property like B[f5]")
        if found[2]:
            values = [re.sub(r"\\(.)", r"\1", value[1]) for value in _value.finditer(found[3])]
            yield found[2].upper(), values, found.start(3) + 1
        place = found.end()
