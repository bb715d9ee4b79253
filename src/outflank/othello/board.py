"""Othello boards."""

from typing import Any, Self

from outflank.boards.board import Board, stripped
from outflank.errors import FormatError, InvalidPosition
from outflank.games.sides import Side
from outflank.othello.diagram import othello_diagram
from outflank.othello.formats.board_line import read_board_line, write_board_line
from outflank.othello.formats.transcript import write_transcript
from outflank.othello.moves import OthelloMove
from outflank.othello.picture import othello_svg
from outflank.othello.rules import PASS, Othello
from outflank.othello.squares import SIZES, START, othello, scoring_of, size_of, square_number


class OthelloBoard(Board[OthelloMove]):
    """A game of Othello on 8×8, 6×6 or 4×4 squares.

    >>> board = OthelloBoard.start()
    >>> board.legal_moves
    (<OthelloMove d3>, <OthelloMove c4>, <OthelloMove f5>, <OthelloMove e6>)
    >>> board.push("f5")
    <OthelloMove f5>
    >>> board.discs(Side.BLACK), board.discs(Side.WHITE)
    (4, 1)
    >>> board
    OthelloBoard.from_line('---------------------------OX------XXX-------------------------- O')
    """

    game: Othello

    @classmethod
    def start(cls, size: int = 8, *, scoring: str = "winner-takes-empties") -> Self:
        """Return the start of a game. `scoring`, `winner-takes-empties` or `discs`, decides on squares left empty."""
        return cls(othello(size, scoring), START)

    @classmethod
    def from_line(cls, line: str, *, scoring: str = "winner-takes-empties") -> Self:
        """Return the position on a board line: cells from a1 row by row, then the side to move."""
        setup = read_board_line(line)
        return cls(othello(size_of(setup.game), scoring), setup.position, setup.turn, ply=setup.ply)

    def __init__(self, game: Othello, position: Any, turn: Side = Side.BLACK, *, ply: int = 0) -> None:
        if game.mask not in [othello(size).mask for size in SIZES]:
            raise InvalidPosition("a board is 4×4, 6×6 or 8×8; other masks are for kernels alone")
        if int(position.own) & int(position.opp):
            raise InvalidPosition("a square holds a black and a white disc")
        if (int(position.own) | int(position.opp)) & ~int(game.mask):
            raise InvalidPosition("a disc lies outside the board")
        super().__init__(game, position, turn, ply=ply)

    @property
    def size(self) -> int:
        """The side of the board."""
        return size_of(self.game)

    def discs(self, side: Side) -> int:
        """Return how many discs a side has."""
        return self._by_colour()[side is Side.WHITE].bit_count()

    @property
    def empties(self) -> int:
        """The number of empty squares."""
        return self.size**2 - self.discs(Side.BLACK) - self.discs(Side.WHITE)

    def move(self, code: int) -> OthelloMove:
        """Return the move with this code."""
        return OthelloMove(code, self.size)

    def parse_move(self, text: str) -> OthelloMove:
        """Return the legal move on the square that `text` names; `pa`, `pass` or `--` for a pass."""
        name = stripped(text).lower()
        code = PASS if name in ("pa", "ps", "pass", "--") else square_number(self.size, name)
        if code is None:
            last = "abcdefgh"[self.size - 1] + str(self.size)
            raise FormatError(f"{text.strip()!r} is not a move: expected a square, a1 to {last}, or pass")
        move = self.move(code)
        if move not in self.legal_moves:
            raise self._illegal(text)
        return move

    def to_text(self) -> str:
        """Return the position as a board line."""
        return write_board_line(self.game, self.position, self.turn)

    def transcript(self) -> str:
        """Return the moves made on this board, without passes."""
        return write_transcript(self.game, (move.code for move in self.moves))

    def svg(
        self,
        *,
        width: int = 400,
        legal: bool = True,
        played: OthelloMove | None = None,
        better: OthelloMove | None = None,
    ) -> str:
        """Return a picture: the legal moves are dotted if `legal`, and the last move is marked.

        The move `played` here is crossed, a `better` one ringed.
        """
        last = self.moves[-1].square if self.moves else None
        dotted = [move.code for move in self.legal_moves] if legal else []
        return othello_svg(
            self.size,
            *self._by_colour(),
            legal=dotted,
            last=last,
            played=None if played is None else played.square,
            better=None if better is None else better.square,
            width=width,
        )

    def _repr_svg_(self) -> str:
        return self.svg()

    def diagram(self, *, last: bool = False) -> list[str]:
        """Return the board in letters, with `*` on the legal squares; `last` puts the last move in brackets."""
        legal = {move.code for move in self.legal_moves}
        square = self.moves[-1].square if last and self.moves else None
        return othello_diagram(self.size, *self._by_colour(), legal, () if square is None else (square,))

    def score_text(self) -> str:
        """Return the disc counts of both sides."""
        return f"black {self.discs(Side.BLACK)}, white {self.discs(Side.WHITE)}"

    def __repr__(self) -> str:
        scoring = scoring_of(self.game)
        option = "" if scoring == "winner-takes-empties" else f", scoring={scoring!r}"
        return f"OthelloBoard.from_line({self.to_text()!r}{option})"

    def _reason(self) -> str:
        full = not int(self.game.mask) & ~(int(self.position.own) | int(self.position.opp))
        return "the board is full" if full else "neither side can move"
