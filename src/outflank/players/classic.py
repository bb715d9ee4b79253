"""Plays a game with the input and the output of the classroom program of the published reports 002 and 004.

The program reads the kind of player for X and then for O: `c` and a depth for a computer, or `h` for a human, whose
moves are read as row,col. The board has 8×8 squares. Computers search by minimax and evaluate the disc difference. They
treat passes and equal moves as one of the two reports does.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from outflank.boards.pictures import EMPTY, LEGAL
from outflank.errors import OutflankError
from outflank.games.sides import Side
from outflank.players.specs import game_of_report, report_program
from outflank.search.request import Limits
from outflank.search.whole_search import search
from outflank.validation.text import is_count

MOST_DEPTH = 60
REPORTS = ("002", "004")
"""Numbers of the published reports whose treatment of passes and equal moves the program can follow."""
DEFAULT_REPORT = "002"
"""Default report, which follows the original program: of equal moves, the one with the lowest (row, col) is played, and
a pass costs no ply."""
LETTERS = {Side.BLACK: "X", Side.WHITE: "O"}


@dataclass(frozen=True, slots=True)
class ClassicPlayer:
    """Player of one colour: a computer that searches to `depth`, or a human if `depth` is None."""

    depth: int | None


def ask_classic(words: Iterator[str]) -> dict[Side, ClassicPlayer]:
    """Return both players from input words such as `c 7 c 7` or `h c 3`."""
    return {side: _seat(words, LETTERS[side]) for side in (Side.BLACK, Side.WHITE)}


def _seat(words: Iterator[str], letter: str) -> ClassicPlayer:
    kind = next(words, "")
    if kind.lower() == "h":
        return ClassicPlayer(None)
    if kind.lower() != "c":
        raise OutflankError(f"player {letter}: c (computer) with a depth, or h (human), not {kind!r}")
    depth = next(words, "")
    if not is_count(depth) or not 1 <= int(depth) <= MOST_DEPTH:
        raise OutflankError(f"player {letter}: a depth of 1 to {MOST_DEPTH}, not {depth!r}")
    return ClassicPlayer(int(depth))


class Classic:
    """A game played as the classroom program plays it."""

    def __init__(self, seats: dict[Side, ClassicPlayer], words: Iterator[str], *, report: str = DEFAULT_REPORT) -> None:
        self.seats, self.words = seats, words
        self.program = report_program(report)
        self.board = game_of_report(report).start(scoring=self.program.plays["scoring"])

    def lines(self) -> Iterator[str]:
        """Yield the lines of output: the board after each move, and the disc count at the end."""
        board = self.board
        yield from self._diagram()
        while not board.is_game_over:
            letter = LETTERS[board.turn]
            if board.must_pass:
                board.push(board.legal_moves[0])
                yield f"Player {letter} has no legal moves. It passes."
                continue
            depth = self.seats[board.turn].depth
            if depth is not None:
                row, column = divmod(self._search_move(depth), 8)
                yield f"Player {letter} moves to {row + 1},{column + 1}."
            else:
                yield from self._read_move(letter)
            yield from self._diagram()
        black, white = (word.bit_count() for word in board._by_colour())
        won = "X wins." if black > white else "O wins." if white > black else "It is a tie."
        yield f"X has {black} disks. O has {white} disks. {won}"

    def _search_move(self, depth: int) -> int:
        program = self.program
        result = search(self.board, Limits(depth=depth), **program.search_options(self.board.turn), **program.shared)
        assert result.move is not None
        self.board.push(str(result.move))
        return result.move.code

    def _read_move(self, letter: str) -> Iterator[str]:
        while True:
            row, column = next(self.words, None), next(self.words, None)
            if row is None or column is None:
                raise OutflankError(f"player {letter}: the input ends before the game does")
            if is_count(row) and is_count(column) and 1 <= int(row) <= 8 and 1 <= int(column) <= 8:
                code = 8 * (int(row) - 1) + int(column) - 1
                if any(move.code == code for move in self.board.legal_moves):
                    self.board.push(self.board.move(code))
                    yield f"Player {letter} moves to {row},{column}."
                    return
            yield f"{row},{column} is not a legal move."

    def _diagram(self) -> Iterator[str]:
        # The classroom program does not mark legal moves.
        yield from (line.replace(LEGAL, EMPTY) for line in self.board.diagram())
