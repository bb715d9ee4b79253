"""A position with the side to move and its history, for any game."""

import reprlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import total_ordering
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, cast

import numpy as np

from outflank.boards.pictures import EMPTY, LEGAL, diagram_svg
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
    play,
    score,
    symmetries,
)
from outflank.games.sides import Side


@total_ordering
@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """A move of any game; its text is its code unless the game overrides it."""

    code: int
    """The code of the move in kernels."""

    def __str__(self) -> str:
        return str(self.code)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __lt__(self, other: object) -> bool:
        return self.code < other.code if isinstance(other, Move) else NotImplemented


if TYPE_CHECKING:  # Python has defaults from 3.13 on, checkers already: `Board` alone has any moves
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
    """The reason in a few words."""

    @property
    def result(self) -> str:
        """The points of black and white: `1-0`, `0-1` or `1/2-1/2`."""
        return {Side.BLACK: "1-0", Side.WHITE: "0-1", None: "1/2-1/2"}[self.winner]


class Board(Generic[M]):
    """A game in progress. Games derive classes of their own, which name moves and draw boards; any game works with
    `Board` itself as soon as its rules are registered.

    Two boards are equal if game, position and side to move are; their history does not count. A board changes with
    every move, so it has no hash: use `board.position` (and `board.turn`, where colours matter), or `board.to_text()`,
    as the key of a dictionary.

    >>> board = Board.from_text("f5d6c3")
    >>> board.turn, len(board.legal_moves), board.ply
    (<Side.WHITE: 'white'>, 4, 3)
    >>> board.pop()
    <OthelloMove c3>
    """

    def __init__(self, game: Game, position: Position, turn: Side = Side.BLACK, *, ply: int = 0) -> None:
        self.game = game
        """The rules in force, in the form that kernels take."""
        self.position: Position = position
        """The position as the side to move sees it, in the form that kernels take."""
        self.turn: Side = turn
        """The side to move."""
        self._first_ply = ply
        self._past: list[tuple[Position, M]] = []
        self._legal: tuple[M, ...] | None = None

    # --- text ---

    @staticmethod
    def from_text(text: str, *, game: str | None = None, **options: object) -> "Board":
        """Return the board that `text` describes, in any notation the package reads.

        A text that fits several games belongs to the first that could have written it, unless `game` or an option of
        one game says otherwise: `size` and `layout` set the start of a bare list of moves, and `scoring` sets the
        scoring, which a position does not state. Options never override what the text states.

        >>> Board.from_text("-XXXXXXXXXXXXXX- X", scoring="discs").outcome().score
        14
        """
        return Board.from_setup(apply_rule_options(read(text, game=game, **options), options))

    @staticmethod
    def from_setup(setup: Setup) -> "Board":
        """Return the board of a text that has been read."""
        board = board_class(setup.game)._from_setup(setup)
        for code in setup.moves:
            board.push(board.move(code))
        return board

    @classmethod
    def _from_setup(cls, setup: Setup) -> "Board":
        return cls(setup.game, setup.position, setup.turn, ply=setup.ply)

    def setup(self) -> Setup:
        """Return the position in the form that `from_setup` takes."""
        return Setup(format="board", game=self.game, position=self.position, turn=self.turn, ply=self.ply)

    def to_text(self) -> str:
        """Return the position on one line, as `from_text` reads it."""
        return write_numbered(description_of(self.game), self.game, self.position, self.turn, self.ply)

    def diagram(self, *, last: bool = False) -> list[str]:
        """Return the rows of the board in letters: X black, O white, . empty, * a legal move; with `last`, the last
        move is in brackets."""
        return [f"{name}: {value}" for name, value in self.position._asdict().items()]

    def score_text(self) -> str:
        """Return the counts of both sides in a few words; empty if there is nothing to count."""
        return ""

    @property
    def moves_left(self) -> int:
        """An upper bound on the number of moves, passes not counted, in any game from here."""
        return int(moves_left(self.game, self.position))

    def svg(self, *, width: int = 400, legal: bool = True, played: M | None = None, better: M | None = None) -> str:
        """Return a picture of the position, `width` pixels wide, which shows a move `played` here and a `better`
        move."""
        marked = {"played": played, "better": better}
        lines = self.diagram()
        return diagram_svg(
            lines if legal else [line.replace(LEGAL, EMPTY) for line in lines],
            title=f"{description_of(self.game).title} board",
            width=width,
            below=[f"{word} {move}" for word, move in marked.items() if move is not None],
        )

    def move(self, code: int) -> M:
        """Return the move with this code, as a value."""
        return cast(M, Move(code))

    def line(self, codes: Iterable[int]) -> tuple[M, ...]:
        """Return consecutive moves from here, as values: the same code may mean another move for the other side."""
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
        """Return the names of the legal moves in the order in which people look for them: that of their squares."""
        return [str(move) for move in self.legal_moves]

    def push(self, move: M | str) -> M:
        """Play a move, given as a value or as text; return the move as a value."""
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
        """Take the last move back, and return it."""
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
        """The positions before each of the `moves`, as the side to move saw them."""
        return tuple(position for position, _ in self._past)

    @property
    def ply(self) -> int:
        """Number of moves since the start of the game, as far as they are known."""
        return self._first_ply + len(self._past)

    def copy(self) -> Self:
        """Return a separate board with the same history."""
        # Attributes that a derived class has added are copied as well.
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
        """Return how the game ended; None while it goes on."""
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
        """Return black's score as records state it, for a game that ended on this board with `outcome`."""
        sign = 1 if self.turn is Side.BLACK else -1
        return sign * description_of(self.game).scores.recorded(self.game, self.position, sign * outcome.score)

    def is_game_over(self) -> bool:
        """Return whether the game has ended."""
        return self.outcome() is not None

    def result(self) -> str:
        """Return `1-0` if black won, `0-1`, `1/2-1/2`, or `*` while the game goes on."""
        outcome = self.outcome()
        return outcome.result if outcome else "*"

    def _draw(self) -> str:
        """Return why the game is drawn by a rule on its history; empty if it is not."""
        return ""

    def _reason(self) -> str:
        return "no moves left"

    # --- symmetries ---

    def symmetric(self, symmetry: int) -> Self:
        """Return the image of the board under symmetry number `symmetry`, without its history; 0 changes nothing."""
        if not 0 <= symmetry < symmetries(self.game):
            raise IndexError(f"symmetry {symmetry}: the board has 0 to {symmetries(self.game) - 1}")
        return self._at(mirror(self.game, self.position, symmetry))

    def symmetries(self) -> list[Self]:
        """Return the images of the board under all symmetries, itself first."""
        return [self.symmetric(number) for number in range(symmetries(self.game))]

    def canonical(self) -> Self:
        """Return the board that represents this board and all its symmetric images."""
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

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # it changes with every move

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
        """Return black's word and white's."""
        own, opp = int(self.position[0]), int(self.position[1])
        return (own, opp) if self.turn is Side.BLACK else (opp, own)


def stripped(text: object) -> str:
    """Return text that should name a move, without surrounding blanks."""
    if not isinstance(text, str):
        raise _not_a_move(text, "text")
    return text.strip()


def _not_a_move(value: object, expected: str) -> IllegalMove:
    return IllegalMove(f"{reprlib.repr(value)} is no move: expected {expected}")


def board_class(game: Game) -> type[Board]:
    """Return the class of boards for a game's rules."""
    return description_of(game).board or Board
