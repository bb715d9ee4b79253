"""A position with whose turn it is and how it came about, for any game."""

import reprlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

import numpy as np

from outflank.boards.diagram import EMPTY, LEGAL
from outflank.boards.moves import Move
from outflank.boards.svg import diagram_svg
from outflank.errors import IllegalMove
from outflank.formats.chosen_rules import under
from outflank.formats.numbered import write_numbered
from outflank.formats.recognise import read
from outflank.formats.setup import Setup
from outflank.games.description import description_of
from outflank.games.rules import MOVE, canonical, fill, is_pass, mirror, most_moves, moves_left, play, score, symmetries
from outflank.games.sides import Side

if TYPE_CHECKING:  # defaults come to Python with 3.13; checkers know them: `Board` alone has any moves
    from typing_extensions import TypeVar as TypeVarWithDefault

    M = TypeVarWithDefault("M", bound=Move, default=Any)
else:
    M = TypeVar("M", bound=Move)
B = TypeVar("B", bound="Board[Any]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a game ended."""

    winner: Side | None
    """None: a draw."""
    score: int
    """What black has won, in the game's unit."""
    reason: str
    """In a few words."""

    @property
    def result(self) -> str:
        """Black's points and white's: `1-0`, `0-1` or `1/2-1/2`."""
        return {Side.BLACK: "1-0", Side.WHITE: "0-1", None: "1/2-1/2"}[self.winner]


class Board(Generic[M]):
    """A game in progress. Games have classes of their own, derived from this one, which know how their moves are
    called and their boards drawn; any game works with this one as soon as its rules are registered.

    Two boards are equal if game, position and side to move are; how they came about does
    not count. A board changes with every move, so it has no hash: the key of a dictionary is what
    stays, `board.position` (and `board.turn`, where colours matter), or `board.to_text()`.

    >>> board = Board.from_text("f5d6c3")
    >>> board.turn, len(board.legal_moves), board.ply
    (<Side.WHITE: 'white'>, 4, 3)
    >>> board.pop()
    <OthelloMove c3>
    """

    def __init__(self, game: Any, position: Any, turn: Side = Side.BLACK, *, ply: int = 0) -> None:
        self.game = game
        """The rules in force, as the kernels take them."""
        self.position: Any = position
        """The position as the side to move sees it, as the kernels take it."""
        self.turn: Side = turn
        """Who is to move."""
        self._first_ply = ply
        self._past: list[tuple[Any, M]] = []
        self._legal: tuple[M, ...] | None = None

    # --- text ---

    @staticmethod
    def from_text(text: str, *, game: str | None = None, **options: Any) -> "Board[Any]":
        """The board that `text` describes, in any notation the package reads.

        What could be of several games is of the first that can have written it, unless `game` says otherwise, or an
        option of a game's: `size` and `layout` say where a bare list of moves starts, and `scoring` what a position
        does not say. What it does say is not changed.

        >>> Board.from_text("-XXXXXXXXXXXXXX- X", scoring="discs").outcome().score
        14
        """
        return Board.from_setup(under(read(text, game=game, **options), options))

    @staticmethod
    def from_setup(setup: Setup) -> "Board[Any]":
        """The board of a text that has been read."""
        board = board_class(setup.game)._of(setup)
        for code in setup.moves:
            board.push(board.move(code))
        return board

    @classmethod
    def _of(cls, setup: Setup) -> "Board[Any]":
        return cls(setup.game, setup.position, setup.turn, ply=setup.ply)

    def setup(self) -> Setup:
        """The position, as `from_setup` takes it."""
        return Setup(format="board", game=self.game, position=self.position, turn=self.turn, ply=self.ply)

    def to_text(self) -> str:
        """The position on one line, as `from_text` reads it."""
        return write_numbered(description_of(self.game), self.game, self.position, self.turn, self.ply)

    def diagram(self, *, last: bool = False) -> list[str]:
        """The board in letters, a row a line: X black, O white, . empty, * a legal move; `last` brackets the last."""
        return [f"{name}: {value}" for name, value in self.position._asdict().items()]

    def standing(self) -> str:
        """Who has how much, in a few words; empty if there is nothing to count."""
        return ""

    @property
    def moves_left(self) -> int:
        """A number of moves, passes not counted, that no game from here exceeds."""
        return int(moves_left(self.game, self.position))

    def svg(self, *, width: int = 400, legal: bool = True, played: M | None = None, better: M | None = None) -> str:
        """A picture of the position, `width` pixels wide; a move `played` here and a `better` one are shown."""
        marked = {"played": played, "better": better}
        lines = self.diagram()
        return diagram_svg(
            lines if legal else [line.replace(LEGAL, EMPTY) for line in lines],
            title=f"{description_of(self.game).title} board",
            width=width,
            below=[f"{word} {move}" for word, move in marked.items() if move is not None],
        )

    def move(self, code: int) -> M:
        """The move with this code, as a value."""
        return cast(M, Move(code))

    def line(self, codes: Iterable[int]) -> tuple[M, ...]:
        """Moves that follow each other from here, as values: a code may mean another move to the other side."""
        twin = self.copy()
        found = []
        for code in codes:
            found.append(twin.move(code))
            twin.turn = twin.turn.other
        return tuple(found)

    def parse_move(self, text: str) -> M:
        """The legal move that `text` names."""
        name = stripped(text).lower()
        for move in self.legal_moves:
            if str(move).lower() == name:
                return move
        raise self._illegal(text)

    # --- playing ---

    @property
    def legal_moves(self) -> tuple[M, ...]:
        """The moves the rules allow; none when the game is over."""
        if self._legal is None:
            buffer = np.zeros(most_moves(self.game), MOVE)
            end = 0 if self._draw() else fill(self.game, self.position, buffer, 0)
            self._legal = tuple(self.move(int(code)) for code in buffer[:end])
        return self._legal

    def listed_moves(self) -> list[str]:
        """The legal moves as people look for them: in the order of their squares."""
        return [str(move) for move in self.legal_moves]

    def push(self, move: M | str) -> M:
        """Play a move, given as a value or as text; the move as a value."""
        played = self.parse_move(move) if isinstance(move, str) else move
        if not isinstance(played, Move):
            raise _no_move(move, "text, or one of legal_moves")
        if played not in self.legal_moves:
            raise self._illegal(move if isinstance(move, str) else f"{type(move).__name__} {move.code}")
        self._past.append((self.position, played))
        self.position = play(self.game, self.position, played.code)
        self.turn = self.turn.other
        self._legal = None
        return played

    def pop(self) -> M:
        """Take the last move back; the move."""
        if not self._past:
            raise IndexError("pop: no move has been made on this board")
        self.position, move = self._past.pop()
        self.turn = self.turn.other
        self._legal = None
        return move

    @property
    def moves(self) -> tuple[M, ...]:
        """The moves made on this board, first one first."""
        return tuple(move for _, move in self._past)

    @property
    def positions(self) -> tuple[Any, ...]:
        """The positions that those moves were made in, each as the side to move saw it."""
        return tuple(position for position, _ in self._past)

    @property
    def ply(self) -> int:
        """Moves made since the start of the game, as far as it is known."""
        return self._first_ply + len(self._past)

    def copy(self: B) -> B:
        """A board of its own with the same history."""
        # Whatever a class derived from this one has added comes along.
        twin = object.__new__(type(self))
        vars(twin).update(vars(self))
        twin._past = self._past.copy()
        return twin

    __copy__ = copy

    @property
    def must_pass(self) -> bool:
        """Whether the side to move can only hand the turn over."""
        moves = self.legal_moves
        return len(moves) == 1 and bool(is_pass(self.game, moves[0].code))

    # --- the end ---

    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""
        draw = self._draw()
        if draw:
            return Outcome(winner=None, score=0, reason=draw)
        if self.legal_moves:
            return None
        own = int(score(self.game, self.position))
        black = own if self.turn is Side.BLACK else -own
        winner = None if black == 0 else Side.BLACK if black > 0 else Side.WHITE
        return Outcome(winner=winner, score=black, reason=self._reason())

    def recorded(self, outcome: Outcome) -> int:
        """What records say that black has won by, where a game has ended so on this board."""
        sign = 1 if self.turn is Side.BLACK else -1
        return sign * description_of(self.game).recorded_score(self.game, self.position, sign * outcome.score)

    def is_game_over(self) -> bool:
        """Whether nobody moves any more."""
        return self.outcome() is not None

    def result(self) -> str:
        """`1-0` if black won, `0-1`, `1/2-1/2`, or `*` while the game goes on."""
        outcome = self.outcome()
        return outcome.result if outcome else "*"

    def _draw(self) -> str:
        """Why the game is drawn by a rule that looks at the history; empty if it is not."""
        return ""

    def _reason(self) -> str:
        return "no moves left"

    # --- symmetries ---

    def symmetric(self: B, symmetry: int) -> B:
        """The board turned by symmetry number `symmetry`, without its history; 0 changes nothing."""
        if not 0 <= symmetry < symmetries(self.game):
            raise IndexError(f"symmetry {symmetry}: the board has 0 to {symmetries(self.game) - 1}")
        return self._at(mirror(self.game, self.position, symmetry))

    def symmetries(self: B) -> list[B]:
        """The board turned in every way, itself first."""
        return [self.symmetric(number) for number in range(symmetries(self.game))]

    def canonical(self: B) -> B:
        """The one of its symmetric boards that stands for them all."""
        return self.symmetric(canonical(self.game, self.position))

    # --- as a value ---

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
        return "\n".join([*self.diagram(), self._told_turn()])

    def __repr__(self) -> str:
        return f"Board({self.game!r}, {self.position!r}, Side.{self.turn.name})"

    def _at(self: B, position: Any) -> B:
        """A board of the same kind and rules with `position`, the same side to move, and no history."""
        twin = self.copy()
        twin._first_ply = self.ply
        twin.position, twin._past, twin._legal = position, [], None
        return twin

    def _illegal(self, text: str) -> IllegalMove:
        legal = self.listed_moves()
        more = " …" if len(legal) > 40 else ""
        return IllegalMove(f"{text.strip()!r} is not a legal move here (legal: {' '.join(legal[:40]) or 'none'}{more})")

    def _told_turn(self) -> str:
        return f"{self.turn} to move" if self.legal_moves else f"over; {self.turn} would move"

    def _by_colour(self) -> tuple[int, int]:
        """Black's word and white's."""
        own, opp = int(self.position[0]), int(self.position[1])
        return (own, opp) if self.turn is Side.BLACK else (opp, own)


def stripped(text: object) -> str:
    """Text that is to name a move, without the space around it."""
    if not isinstance(text, str):
        raise _no_move(text, "text")
    return text.strip()


def _no_move(found: object, expected: str) -> IllegalMove:
    return IllegalMove(f"{reprlib.repr(found)} is no move: expected {expected}")


def board_class(game: Any) -> type[Board[Any]]:
    """The class of boards for a game's rules."""
    return description_of(game).board or Board
