"""Games in brackets, GGF and SGF: their positions and the moves of their main line.

GGF: `(;GM[Othello]…BO[8 <64 cells> *]B[F5/eval/time]W[PA]…;)`. SGF:
`(;FF[4]GM[2]SZ[8]AB[e4][d5]AW[d4][e5]PL[B];B[f5];W[d6]…)`; coordinates in letters (`fe`) and an empty pass are
accepted.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from outflank.errors import FormatError
from outflank.formats.bounds import count_game
from outflank.formats.brackets import Property, read_properties
from outflank.formats.setup import Setup
from outflank.games.sides import Side
from outflank.kernels.bits import U64
from outflank.othello.formats.board_line import read_board_line
from outflank.othello.formats.transcript import NamedMove
from outflank.othello.rules import PASS, OthelloPosition
from outflank.othello.squares import SIZES, START, othello, size_of, square_number

GGF, SGF = "GGF", "SGF"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedGame:
    """A parsed game whose moves have not been checked."""

    start: Setup
    """The position before the first move."""
    moves: list[NamedMove]
    properties: list[Property]


def parse_game(text: str) -> ParsedGame:
    """Return the first game in `text` before its moves are checked, with the properties of its main line."""
    count_game()
    properties = list(read_properties(text))
    kind = next((item.values[0] for item in properties if item.name == "GM"), "")
    start = _ggf_start(text, properties) if kind.lower() == "othello" else _sgf_start(text, properties, kind)
    size = size_of(start.game)
    moves: list[NamedMove] = []
    for name, values, place, _ in properties:
        if name in ("B", "W"):
            move = _square(size, values[0].partition("/")[0])
            if move is None:
                raise FormatError.at(start.format, text, place, "a square or a pass (PA)")
            moves.append((move, place, Side.BLACK if name == "B" else Side.WHITE))
    return ParsedGame(start=start, moves=moves, properties=properties)


def _ggf_start(text: str, properties: list[Property]) -> Setup:
    board = next((item for item in properties if item.name == "BO"), None)
    if board is None:
        raise FormatError.at(GGF, text, 0, "the board, BO[8 …]")
    size_text, _, cells = board.values[0].strip().partition(" ")
    if size_text not in map(str, SIZES):
        raise FormatError.at(GGF, text, board.place, "the board's size, 8, and its cells")
    try:
        return replace(read_board_line(cells), format=GGF, scores={})
    except FormatError as error:
        raise FormatError(f"{GGF}, column {board.place + 1}: {error}") from None


def _sgf_start(text: str, properties: list[Property], kind: str) -> Setup:
    if kind not in ("", "2"):
        raise FormatError.at(SGF, text, 0, f"a game of Othello, GM[2], not GM[{kind[:20]}]")
    first_move = next((index for index, item in enumerate(properties) if item.name in ("B", "W")), len(properties))
    before, later = properties[:first_move], properties[first_move:]
    for name, _, place, _ in later:
        if name in ("AB", "AW", "AE", "PL"):
            raise FormatError.at(SGF, text, place, f"no {name} after the first move")
    size = 8
    for name, values, place, _ in before:  # properties of a node have no order: read the size first
        if name == "SZ":
            if values[0] not in map(str, SIZES):
                raise FormatError.at(SGF, text, place, "a size of 4, 6 or 8")
            size = int(values[0])
    stones: dict[str, int] = {"AB": 0, "AW": 0}
    turn = Side.WHITE if later and later[0].name == "W" else Side.BLACK
    for name, values, place, _ in before:
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
    return Setup(format=SGF, game=othello(size), position=OthelloPosition(U64(own), U64(opp)), turn=turn)


@lru_cache(1024)
def _square(size: int, text: str) -> int | None:
    name = text.strip().lower()
    if name in ("", "pa", "pass", "--"):
        return PASS
    if len(name) == 2 and name[1].isalpha():
        name = name[0] + str("abcdefgh".find(name[1]) + 1)
    return square_number(size, name)
