"""Othello boards and moves, with their pictures and text diagrams."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Self

from outflank.boards.board import Board, Move, stripped
from outflank.boards.pictures import BLACK, EMPTY, LEGAL, MARK, UNIT, WHITE, bracketed, disc, label, picture
from outflank.errors import FormatError, InvalidPosition
from outflank.games.sides import Side
from outflank.othello.formats.board_line import read_board_line, write_board_line
from outflank.othello.formats.transcript import write_transcript
from outflank.othello.rules import PASS, Othello, OthelloPosition
from outflank.othello.squares import SIZES, START, othello, scoring_of, size_of, square_name, square_number, squares

FELT, GRID = "#2e7d54", "#1d5337"
WORSE, BETTER = "#ff8a75", "#8fd3ff"
"""Colours of the marks on a picture for the move played and for a better move."""


def othello_svg(
    size: int,
    black: int,
    white: int,
    *,
    legal: Collection[int] = (),
    last: int | None = None,
    played: int | None = None,
    better: int | None = None,
    width: int = 400,
) -> str:
    """Return an SVG board with marks for the `legal` squares and for the moves `last`, `played` and `better`."""
    side = size * UNIT
    parts = [f'<rect x="0" y="0" width="{side}" height="{side}" fill="{FELT}"/>']
    for line in range(size + 1):
        offset = line * UNIT
        parts.append(f'<path d="M{offset} 0V{side}M0 {offset}H{side}" stroke="{GRID}"/>')
    for index, square in enumerate(squares(size)):
        x, y = (index % size + 0.5) * UNIT, (index // size + 0.5) * UNIT
        if black >> square & 1 or white >> square & 1:
            parts.append(disc(x, y, 0.42 * UNIT, black=bool(black >> square & 1)))
        elif square in legal:
            parts.append(f'<circle cx="{x}" cy="{y}" r="{0.11 * UNIT:g}" fill="{GRID}"/>')
        if square == last:
            parts.append(f'<circle cx="{x}" cy="{y}" r="{0.1 * UNIT:g}" fill="{MARK}"/>')
        if square == played:
            arm = 0.2 * UNIT
            cross = f"M{x - arm:g} {y - arm:g}l{2 * arm:g} {2 * arm:g}m0 {-2 * arm:g}l{-2 * arm:g} {2 * arm:g}"
            parts.append(f'<path d="{cross}" stroke="{WORSE}" stroke-width="5"><title>played</title></path>')
        if square == better:
            ring = f'r="{0.3 * UNIT:g}" fill="none" stroke="{BETTER}" stroke-width="4"'
            parts.append(f'<circle cx="{x}" cy="{y}" {ring}><title>better</title></circle>')
    for index in range(size):
        middle = (index + 0.5) * UNIT
        parts.append(label(middle, -0.25 * UNIT, "abcdefgh"[index]))
        parts.append(label(-0.3 * UNIT, middle, str(index + 1)))
    return picture(parts, (-0.6 * UNIT, -0.6 * UNIT, side + 0.8 * UNIT, side + 0.8 * UNIT), width, "Othello board")


def othello_diagram(
    size: int, black: int, white: int, legal: Collection[int] = (), last: Collection[int] = ()
) -> list[str]:
    """Return the lines of a text diagram, with a1 at the top left. Squares in `legal` are marked `*`; squares in `last`
    are in brackets."""
    header = "  " + " ".join("abcdefgh"[:size])
    rows = []
    cells = squares(size)
    for row in range(size):
        row_squares = cells[row * size : (row + 1) * size]
        marks = [
            BLACK if black >> square & 1 else WHITE if white >> square & 1 else LEGAL if square in legal else EMPTY
            for square in row_squares
        ]
        rows.append(f"{row + 1}{bracketed(marks, [square in last for square in row_squares])}")
    return [header, *rows]


@dataclass(frozen=True, slots=True, repr=False)
class OthelloMove(Move):
    """A disc on a square, or a pass.

    >>> str(OthelloMove(37)), OthelloMove(64).is_pass
    ('f5', True)
    """

    size: int = 8
    """Size of the board; the name of the square depends on it."""

    @property
    def is_pass(self) -> bool:
        """Whether the move is a pass."""
        return self.code == PASS

    @property
    def square(self) -> int | None:
        """Number of the square, 8 · row + column on the 8×8 board; None for a pass."""
        return None if self.is_pass else self.code

    def __str__(self) -> str:
        return square_name(self.size, self.code)


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
        """Return a board with the starting position; `scoring` is `winner-takes-empties` or `discs`."""
        return cls(othello(size, scoring), START)

    @classmethod
    def from_line(cls, line: str, *, scoring: str = "winner-takes-empties") -> Self:
        """Return the board that a board line describes: cells row by row, starting with a1, then the side to move."""
        setup = read_board_line(line)
        return cls(othello(size_of(setup.game), scoring), setup.position, setup.turn, ply=setup.ply)

    def __init__(self, game: Othello, position: OthelloPosition, turn: Side = Side.BLACK, *, ply: int = 0) -> None:
        if game.mask not in [othello(size).mask for size in SIZES]:
            raise InvalidPosition("a board is 4×4, 6×6 or 8×8; other masks are for kernels alone")
        if int(position.own) & int(position.opp):
            raise InvalidPosition("a square holds a black and a white disc")
        if (int(position.own) | int(position.opp)) & ~int(game.mask):
            raise InvalidPosition("a disc lies outside the board")
        super().__init__(game, position, turn, ply=ply)

    @property
    def size(self) -> int:
        """Number of squares along an edge of the board."""
        return size_of(self.game)

    def discs(self, side: Side) -> int:
        """Return the number of discs of a side."""
        return self._by_colour()[Side(side) is Side.WHITE].bit_count()

    @property
    def empties(self) -> int:
        """Number of empty squares."""
        return self.size**2 - self.discs(Side.BLACK) - self.discs(Side.WHITE)

    def move(self, code: int) -> OthelloMove:
        return OthelloMove(code, self.size)

    def parse_move(self, text: str) -> OthelloMove:
        """Return the legal move that `text` names: a square, or `pa`, `ps`, `pass` or `--` for a pass."""
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
        """Return the position as a board line: the cells row by row from a1, then the side to move."""
        return write_board_line(self.game, self.position, self.turn)

    def transcript(self) -> str:
        """Return the moves made on this board as a transcript, `f5d6c3`, without passes."""
        return write_transcript(self.game, (move.code for move in self.moves))

    def svg(
        self,
        *,
        width: int = 400,
        legal: bool = True,
        played: OthelloMove | None = None,
        better: OthelloMove | None = None,
    ) -> str:
        """Return an SVG picture: `legal` puts dots on the legal moves, the last move is marked, the move `played` in
        this position is crossed, and a `better` move is ringed."""
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
        """Return the board as lines of text, with `*` on the legal squares; `last` puts the last move in brackets."""
        legal = {move.code for move in self.legal_moves}
        square = self.moves[-1].square if last and self.moves else None
        return othello_diagram(self.size, *self._by_colour(), legal, () if square is None else (square,))

    def score_text(self) -> str:
        """Return the disc counts of both sides as text."""
        return f"black {self.discs(Side.BLACK)}, white {self.discs(Side.WHITE)}"

    def __repr__(self) -> str:
        scoring = scoring_of(self.game)
        option = "" if scoring == "winner-takes-empties" else f", scoring={scoring!r}"
        return f"OthelloBoard.from_line({self.to_text()!r}{option})"

    def _reason(self) -> str:
        full = not int(self.game.mask) & ~(int(self.position.own) | int(self.position.opp))
        return "the board is full" if full else "neither side can move"
