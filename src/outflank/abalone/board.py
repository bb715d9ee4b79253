"""Abalone boards."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

from outflank.abalone.diagram import abalone_diagram
from outflank.abalone.formats.line import read_abalone_line, write_abalone_line
from outflank.abalone.formats.moves import ends, read_move
from outflank.abalone.formats.position_file import write_position_file
from outflank.abalone.geometry import BOARD, Cell, on_board, stepped
from outflank.abalone.layouts import RULES, start
from outflank.abalone.moves import AbaloneMove
from outflank.abalone.picture import abalone_svg
from outflank.abalone.rules import Abalone
from outflank.boards.board import Board, stripped
from outflank.errors import InvalidPosition
from outflank.formats.setup import Setup
from outflank.games.sides import Side


class AbaloneBoard(Board[AbaloneMove]):
    """A game of Abalone.

    The rules of the game have no draw. Here a game is drawn when a position occurs for the
    third time with the same side to move (`repetitions`), or after 400 moves of both sides
    together (`ply_limit`); None switches either off.

    >>> board = AbaloneBoard.start("belgian-daisy")
    >>> len(board.legal_moves)
    52
    >>> board.push("a1b2").kind
    <Kind.MOVE3: 6>
    >>> board.to_text()
    'ss1SS/sssSSS/1ss1SS1/8/9/3S4/1SS1ss1/SSSsss/1S1ss 0 0 w 1 1'
    """

    game: Abalone

    @classmethod
    def start(cls, layout: str = "standard", *, repetitions: int | None = 3, ply_limit: int | None = 400) -> Self:
        """The start of a game with one of the layouts."""
        return cls(RULES, start(layout), repetitions=repetitions, ply_limit=ply_limit)

    @classmethod
    def from_line(cls, line: str, *, repetitions: int | None = 3, ply_limit: int | None = 400) -> Self:
        """The position on an Abalone line: rows, marbles lost, side, half-moves, move."""
        setup = read_abalone_line(line)
        return cls(
            setup.game,
            setup.position,
            setup.turn,
            ply=setup.ply,
            since_loss=setup.since_loss,
            repetitions=repetitions,
            ply_limit=ply_limit,
        )

    @classmethod
    def _of(cls, setup: Setup) -> Self:
        return cls(setup.game, setup.position, setup.turn, ply=setup.ply, since_loss=setup.since_loss)

    def __init__(
        self,
        game: Abalone,
        position: Any,
        turn: Side = Side.BLACK,
        *,
        ply: int = 0,
        since_loss: int = 0,
        repetitions: int | None = 3,
        ply_limit: int | None = 400,
    ) -> None:
        own, opp = int(position.own), int(position.opp)
        if own & opp or (own | opp) & ~int(BOARD):
            raise InvalidPosition("a cell holds two marbles, or a marble lies outside the board")
        if max(own.bit_count(), opp.bit_count()) > game.marbles:
            raise InvalidPosition(f"a side has more than {game.marbles} marbles")
        super().__init__(game, position, turn, ply=ply)
        self._first_since_loss = since_loss
        self.repetitions = repetitions
        """The occurrence of a position that draws the game; None: none does."""
        self.ply_limit = ply_limit
        """The moves of both sides after which the game is drawn; None: never."""

    def marbles(self, side: Side) -> int:
        """How many marbles a side has on the board."""
        return self._by_colour()[side is Side.WHITE].bit_count()

    def lost(self, side: Side) -> int:
        """How many marbles a side has lost."""
        return self.game.marbles - self.marbles(side)

    def move(self, code: int) -> AbaloneMove:
        """The move with this code."""
        return AbaloneMove(code)

    def parse_move(self, text: str) -> AbaloneMove:
        """The legal move that `text` names, in Aba-Pro's notation or Nacre's."""
        return self.move(read_move(self.game, self.position, stripped(text)))

    def listed_moves(self) -> list[str]:
        return sorted(super().listed_moves())

    def setup(self) -> Setup:
        return replace(super().setup(), since_loss=self._since_loss())

    def to_text(self) -> str:
        """The position on one line."""
        return write_abalone_line(self.game, self.position, self.turn, self.ply, self._since_loss())

    def to_position_file(self) -> str:
        """The position as the lab program's file."""
        return write_position_file(self.position, self.turn, self.ply)

    def svg(
        self,
        *,
        width: int = 400,
        legal: bool = True,
        played: AbaloneMove | None = None,
        better: AbaloneMove | None = None,
    ) -> str:
        """A picture; the cells of the last move are marked, and lines show moves that are `played` here or `better`.

        Legal moves are too many to be shown.
        """
        last = _path(self.moves[-1]) if self.moves else ()
        ways = tuple(() if move is None else _ways(move) for move in (played, better))
        return abalone_svg(*self._by_colour(), last=last, played=ways[0], better=ways[1], width=width)

    def _repr_svg_(self) -> str:
        return self.svg()

    def diagram(self, *, last: bool = False) -> list[str]:
        """The board in letters, with `*` on the cells that marbles can step to; `last` brackets those that moved."""
        moved = _arrived(self.moves[-1]) if last and self.moves else ()
        return abalone_diagram(*self._by_colour(), _reachable(self.legal_moves), moved)

    def standing(self) -> str:
        """The marbles that both sides have lost."""
        return f"marbles lost: black {self.lost(Side.BLACK)}, white {self.lost(Side.WHITE)}"

    def __str__(self) -> str:
        # Without the reachable cells, which are nearly all.
        return "\n".join([*abalone_diagram(*self._by_colour()), self._told_turn()])

    def __repr__(self) -> str:
        options = "".join(
            f", {name}={value}"
            for name, value, usual in (
                ("repetitions", self.repetitions, 3),
                ("ply_limit", self.ply_limit, 400),
            )
            if value != usual
        )
        return f"AbaloneBoard.from_line({self.to_text()!r}{options})"

    def _at(self, position: Any) -> Self:
        twin = super()._at(position)
        twin._first_since_loss = self._since_loss()
        return twin

    def _draw(self) -> str:
        least = self.game.marbles - self.game.goal
        if min(self.marbles(Side.BLACK), self.marbles(Side.WHITE)) <= least:
            return ""  # won, even by the last move allowed
        if self.ply_limit is not None and self.ply >= self.ply_limit:
            return f"{self.ply_limit} moves without a winner"
        if self.repetitions is not None:
            # Positions are seen by the side to move: only every other one can be the same again.
            before = [position for position, _ in self._past[::-1]][1::2]
            if 1 + before.count(self.position) >= self.repetitions:
                return f"the same position {self.repetitions} times"
        return ""

    def _reason(self) -> str:
        least = self.game.marbles - self.game.goal
        for side in Side:
            if self.marbles(side) <= least:
                return f"{side} has lost {self.lost(side)} marbles"
        return f"{self.turn} cannot move"

    def _since_loss(self) -> int:
        """Moves made since a marble was lost, as far as it is known."""
        for plies, (_, move) in enumerate(reversed(self._past)):
            if move.takes:
                return plies
        return self._first_since_loss + len(self._past)


def _ways(move: AbaloneMove) -> tuple[tuple[Cell, Cell], ...]:
    """From where to where a move's ends go."""
    first, last, step = ends(move.code)
    return tuple((end, stepped(end, step)) for end in dict.fromkeys((first, last)))


def _path(move: AbaloneMove) -> tuple[Cell, ...]:
    """The cells that a move's ends leave and reach."""
    return tuple(cell for way in _ways(move) for cell in way if on_board(cell))


def _arrived(move: AbaloneMove) -> set[Cell]:
    """Where the marbles of a move are now."""
    first, last, step = ends(move.code)
    middle = ((first[0] + last[0]) // 2, (first[1] + last[1]) // 2)  # of two marbles it is one of them
    return {stepped(cell, step) for cell in (first, middle, last)}


def _reachable(moves: Iterable[AbaloneMove]) -> set[Cell]:
    """The cells that some move's marbles step to."""
    reached = set()
    for move in moves:
        first, last, step = ends(move.code)
        reached |= {cell for end in (first, last) if on_board(cell := stepped(end, step))}
    return reached
