"""The class `Board` for all games: a position with the side to move and the moves made so far."""

import reprlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import total_ordering
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, cast

import numpy as np

from outflank.boards.opening_of import opening_of
from outflank.boards.pictures import EMPTY, LEGAL, diagram_svg
from outflank.boards.planes import Planes, planes_of
from outflank.errors import IllegalMove
from outflank.formats.game_record import Setup, apply_rule_options
from outflank.formats.numbered import write_numbered
from outflank.formats.recognise import read
from outflank.games.description import description_of
from outflank.games.rules import (
    MOVE,
    Game,
    Position,
    canonical,
    fill,
    is_pass,
    mirror,
    most_moves,
    moves_left,
    pack,
    play,
    score,
    symmetries,
)
from outflank.games.sides import Side


@total_ordering
@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """A move of any game. Its text is its code, unless the game's own class of moves defines another text."""

    code: int
    """Number that represents the move in kernels."""

    def __str__(self) -> str:
        return str(self.code)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __lt__(self, other: object) -> bool:
        return self.code < other.code if isinstance(other, Move) else NotImplemented


if TYPE_CHECKING:  # `Board` without a parameter has any moves; Python knows such defaults only from 3.13 on
    from typing_extensions import TypeVar as TypeVarWithDefault

    M = TypeVarWithDefault("M", bound=Move, default=Any)
else:
    M = TypeVar("M", bound=Move)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a finished game."""

    winner: Side | None
    """The winner; None: a draw."""
    score: int
    """Black's score, in the game's unit."""
    reason: str
    """The reason for the end of the game, in a few words: `no moves left`."""

    @property
    def result(self) -> str:
        """The points of black and of white: `1-0`, `0-1` or `1/2-1/2`."""
        return {Side.BLACK: "1-0", Side.WHITE: "0-1", None: "1/2-1/2"}[self.winner]


class Board(Generic[M]):
    """A game in progress. `Board` itself works for any game with registered rules; games derive classes from it to name
    moves and to draw boards.

    Two boards are equal if rules, position and side to move are equal; their histories may differ. A board changes with
    every move, so it has no hash. Use `board.position` (with `board.turn` if colours matter) or `board.to_text()` as
    the key of a dictionary.

    >>> board = Board.from_text("f5d6c3")
    >>> board.turn, len(board.legal_moves), board.ply
    (<Side.WHITE: 'white'>, 4, 3)
    >>> board.pop()
    <OthelloMove c3>
    """

    def __init__(self, game: Game, position: Position, turn: Side = Side.BLACK, *, ply: int = 0) -> None:
        self.game = game
        """The rules of the game, in the form that kernels take."""
        self.position: Position = position
        """The position from the side to move's point of view, in the form that kernels take."""
        self.turn: Side = Side(turn)
        """The side to move."""
        self._first_ply = ply
        self._past: list[tuple[Position, M]] = []
        self._legal: tuple[M, ...] | None = None

    # --- text ---

    @staticmethod
    def from_text(text: str, *, game: str | None = None, **options: object) -> "Board":
        """Return the board that `text` describes, in any notation that the package reads.

        A text that fits several games is read as the first of them, unless `game` names another. An option that only
        one game has also selects this game. `size` and `layout` set the start of a bare list of moves; `scoring` sets
        the scoring, which a position does not state. Options never override the text.

        >>> Board.from_text("-XXXXXXXXXXXXXX- X", scoring="discs").outcome().score
        14
        """
        return Board.from_setup(apply_rule_options(read(text, game=game, **options), options))

    @staticmethod
    def from_setup(setup: Setup) -> "Board":
        """Return the board with the position of `setup`, after the moves of `setup` have been played."""
        board = board_class(setup.game)._from_setup(setup)
        for code in setup.moves:
            board.push(board.move(code))
        return board

    @classmethod
    def _from_setup(cls, setup: Setup) -> "Board":
        return cls(setup.game, setup.position, setup.turn, ply=setup.ply)

    def setup(self) -> Setup:
        """Return the position, without the history, in the form that `from_setup` takes."""
        return Setup(format="board", game=self.game, position=self.position, turn=self.turn, ply=self.ply)

    def to_text(self) -> str:
        """Return the position as one line of text, which `from_text` can read."""
        return write_numbered(description_of(self.game), self.game, self.position, self.turn, self.ply)

    def diagram(self, *, last: bool = False) -> list[str]:
        """Return the rows of the board as text: X black, O white, . empty, * a legal move; `last` puts the last move in
        brackets."""
        return [f"{name}: {value}" for name, value in self.position._asdict().items()]

    def to_numpy(self) -> Planes:
        """Return the position as two planes of zeros and ones in the shape of the board: the pieces of the side to
        move, then the opponent's. Cell a1 (A1) is at [0, 0]. A game without such a shape has 64 bits in each plane."""
        return cast(Planes, planes_of(self.game, np.array([pack(self.game, self.position)], np.uint64))[0])

    def score_text(self) -> str:
        """Return the counts of both sides, such as discs, as text; empty if the game counts nothing."""
        return ""

    @property
    def moves_left(self) -> int:
        """An upper bound on the number of moves, without passes, that can follow."""
        return int(moves_left(self.game, self.position))

    def svg(self, *, width: int = 400, legal: bool = True, played: M | None = None, better: M | None = None) -> str:
        """Return an SVG picture of the position, `width` pixels wide. `legal` tells whether it shows the legal moves.
        It also shows the move that was `played` here and a `better` move, if given."""
        marked = {"played": played, "better": better}
        lines = self.diagram()
        return diagram_svg(
            lines if legal else [line.replace(LEGAL, EMPTY) for line in lines],
            title=f"{description_of(self.game).title} board",
            width=width,
            below=[f"{word} {move}" for word, move in marked.items() if move is not None],
        )

    def move(self, code: int) -> M:
        """Return the move object for a move code of the side to move."""
        return cast(M, Move(code))

    def line(self, codes: Iterable[int]) -> tuple[M, ...]:
        """Return moves for codes of consecutive moves from this position; a code's meaning may depend on the side."""
        twin = self.copy()
        moves = []
        for code in codes:
            moves.append(twin.move(code))
            twin.turn = twin.turn.other
        return tuple(moves)

    def parse_move(self, text: str) -> M:
        """Return the legal move that `text` names."""
        name = stripped(text).lower()
        for move in self.legal_moves:
            if str(move).lower() == name:
                return move
        raise self._illegal(text)

    # --- playing ---

    @property
    def legal_moves(self) -> tuple[M, ...]:
        """The legal moves; empty when the game is over."""
        if self._legal is None:
            buffer = np.zeros(most_moves(self.game), MOVE)
            end = 0 if self._draw() else fill(self.game, self.position, buffer, 0)
            self._legal = tuple(self.move(int(code)) for code in buffer[:end])
        return self._legal

    def legal_move_texts(self) -> list[str]:
        """Return the names of the legal moves, in the order in which they are shown to users."""
        return [str(move) for move in self.legal_moves]

    def push(self, move: M | str) -> M:
        """Play a move, given as a move object or as text, and return the move object."""
        played = self.parse_move(move) if isinstance(move, str) else move
        if not isinstance(played, Move):
            raise _not_a_move(move, "text, or one of legal_moves")
        if played not in self.legal_moves:
            raise self._illegal(move if isinstance(move, str) else f"{type(move).__name__} {move.code}")
        self._past.append((self.position, played))
        self.position = play(self.game, self.position, played.code)
        self.turn = self.turn.other
        self._legal = None
        return played

    def pop(self) -> M:
        """Undo the last move, and return it."""
        if not self._past:
            raise IndexError("pop: no move has been made on this board")
        self.position, move = self._past.pop()
        self.turn = self.turn.other
        self._legal = None
        return move

    @property
    def moves(self) -> tuple[M, ...]:
        """The moves made on this board, in order."""
        return tuple(move for _, move in self._past)

    @property
    def positions(self) -> tuple[Position, ...]:
        """The position before each of the `moves`, from the point of view of the side that moved."""
        return tuple(position for position, _ in self._past)

    @property
    def ply(self) -> int:
        """Number of moves since the start of the game, counting moves before this board if their number is known."""
        return self._first_ply + len(self._past)

    @property
    def opening(self) -> str:
        """Name of the opening: of the last position so far that has one, in any orientation; empty if none has.

        >>> Board.from_text("f5d6c3d3c4f4f6f7").opening, Board.from_text("c4e3").opening
        ('Stephenson', 'Perpendicular')
        """
        return opening_of(self.game, (self.position, *reversed(self.positions)), self.turn, self.ply)

    def copy(self) -> Self:
        """Return a separate board with the same position and history."""
        # This also copies attributes that derived classes add.
        twin = object.__new__(type(self))
        vars(twin).update(vars(self))
        twin._past = self._past.copy()
        return twin

    __copy__ = copy

    @property
    def must_pass(self) -> bool:
        """Whether the only move of the side to move is a pass."""
        moves = self.legal_moves
        return len(moves) == 1 and bool(is_pass(self.game, moves[0].code))

    # --- the end ---

    def outcome(self) -> Outcome | None:
        """Return the outcome of the game; None while the game goes on."""
        draw = self._draw()
        if draw:
            return Outcome(winner=None, score=0, reason=draw)
        if self.legal_moves:
            return None
        own = int(score(self.game, self.position))
        black = own if self.turn is Side.BLACK else -own
        winner = None if black == 0 else Side.BLACK if black > 0 else Side.WHITE
        return Outcome(winner=winner, score=black, reason=self._reason())

    def recorded_score(self, outcome: Outcome) -> int:
        """Return black's score as game records state it, for a game that ended on this board with `outcome`."""
        sign = 1 if self.turn is Side.BLACK else -1
        return sign * description_of(self.game).scores.recorded(self.game, self.position, sign * outcome.score)

    @property
    def is_game_over(self) -> bool:
        """Whether the game has ended. A property, so that `if board.is_game_over:` does not test a method, which would
        always be true."""
        return self.outcome() is not None

    def result(self) -> str:
        """Return `1-0` if black won, `0-1` if white won, `1/2-1/2` for a draw, `*` while the game goes on."""
        outcome = self.outcome()
        return outcome.result if outcome else "*"

    def _draw(self) -> str:
        """Return why the game is drawn because of its history (such as repetition); empty: it is not."""
        return ""

    def _reason(self) -> str:
        return "no moves left"

    # --- symmetries ---

    def symmetric(self, symmetry: int) -> Self:
        """Return the image of the board under symmetry number `symmetry` (0: the identity), without its history."""
        if not 0 <= symmetry < symmetries(self.game):
            raise IndexError(f"symmetry {symmetry}: the board has 0 to {symmetries(self.game) - 1}")
        return self._at(mirror(self.game, self.position, symmetry))

    def symmetries(self) -> list[Self]:
        """Return the images of the board under all symmetries, the board itself first."""
        return [self.symmetric(number) for number in range(symmetries(self.game))]

    def canonical(self) -> Self:
        """Return the canonical image of the board, which is the same for all boards that are symmetric to it."""
        return self.symmetric(canonical(self.game, self.position))

    # --- value semantics ---

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return (type(self.game), self.game, self.position, self.turn) == (
            type(other.game),
            other.game,
            other.position,
            other.turn,
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # a board changes with every move

    def __str__(self) -> str:
        return "\n".join([*self.diagram(), self._turn_text()])

    def __repr__(self) -> str:
        return f"Board({self.game!r}, {self.position!r}, Side.{self.turn.name})"

    def _at(self, position: Position) -> Self:
        """Return a board of the same kind and rules with `position`, the same side to move, and no history."""
        twin = self.copy()
        twin._first_ply = self.ply
        twin.position, twin._past, twin._legal = position, [], None
        return twin

    def _illegal(self, text: str) -> IllegalMove:
        legal = self.legal_move_texts()
        more = " …" if len(legal) > 40 else ""
        return IllegalMove(f"{text.strip()!r} is not a legal move here (legal: {' '.join(legal[:40]) or 'none'}{more})")

    def _turn_text(self) -> str:
        return f"{self.turn} to move" if self.legal_moves else f"over; {self.turn} would move"

    def _by_colour(self) -> tuple[int, int]:
        """Return black's pieces and white's as words of bits; these must be the first two fields of the position."""
        own, opp = int(self.position[0]), int(self.position[1])
        return (own, opp) if self.turn is Side.BLACK else (opp, own)


def stripped(text: object) -> str:
    """Return `text` without surrounding blanks; raise `IllegalMove` if it is not a string."""
    if not isinstance(text, str):
        raise _not_a_move(text, "text")
    return text.strip()


def _not_a_move(value: object, expected: str) -> IllegalMove:
    return IllegalMove(f"{reprlib.repr(value)} is no move: expected {expected}")


def board_class(game: Game) -> type[Board]:
    """Return the class of boards for the game with these rules."""
    return description_of(game).board or Board
