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
    together (`ply_limit`); None disables either rule.

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
        """Return the start of a game with one of the layouts."""
        return cls(RULES, start(layout), repetitions=repetitions, ply_limit=ply_limit)

    @classmethod
    def from_line(cls, line: str, *, repetitions: int | None = 3, ply_limit: int | None = 400) -> Self:
        """Return the position on an Abalone line: rows, marbles lost, side, half-moves, move."""
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
    def _from_setup(cls, setup: Setup) -> Self:
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
        """The number of occurrences of a position that draws the game; None: no such rule."""
        self.ply_limit = ply_limit
        """The moves of both sides after which the game is drawn; None: no such rule."""

    def marbles(self, side: Side) -> int:
        """Return how many marbles a side has on the board."""
        return self._by_colour()[side is Side.WHITE].bit_count()

    def lost(self, side: Side) -> int:
        """Return how many marbles a side has lost."""
        return self.game.marbles - self.marbles(side)

    def move(self, code: int) -> AbaloneMove:
        """Return the move with this code."""
        return AbaloneMove(code)

    def parse_move(self, text: str) -> AbaloneMove:
        """Return the legal move that `text` names, in Aba-Pro's notation or Nacre's."""
        return self.move(read_move(self.game, self.position, stripped(text)))

    def legal_move_texts(self) -> list[str]:
        return sorted(super().legal_move_texts())

    def setup(self) -> Setup:
        return replace(super().setup(), since_loss=self._since_loss())

    def to_text(self) -> str:
        """Return the position on one line."""
        return write_abalone_line(self.game, self.position, self.turn, self.ply, self._since_loss())

    def to_position_file(self) -> str:
        """Return the position as a file of the lab program."""
        return write_position_file(self.position, self.turn, self.ply)

    def svg(
        self,
        *,
        width: int = 400,
        legal: bool = True,
        played: AbaloneMove | None = None,
        better: AbaloneMove | None = None,
    ) -> str:
        """Return a picture; the cells of the last move are marked, and lines show moves `played` here or `better`.

        Legal moves are too many to show.
        """
        last = _path(self.moves[-1]) if self.moves else ()
        paths = tuple(() if move is None else _end_paths(move) for move in (played, better))
        return abalone_svg(*self._by_colour(), last=last, played=paths[0], better=paths[1], width=width)

    def _repr_svg_(self) -> str:
        return self.svg()

    def diagram(self, *, last: bool = False) -> list[str]:
        """Return the board in letters, with `*` on the cells that marbles can reach; `last` brackets those that
        moved."""
        moved = _arrived(self.moves[-1]) if last and self.moves else ()
        return abalone_diagram(*self._by_colour(), _reachable(self.legal_moves), moved)

    def score_text(self) -> str:
        """Return the marbles that both sides have lost."""
        return f"marbles lost: black {self.lost(Side.BLACK)}, white {self.lost(Side.WHITE)}"

    def __str__(self) -> str:
        # Without marks on the reachable cells, which are nearly all.
        return "\n".join([*abalone_diagram(*self._by_colour()), self._turn_text()])

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
            return ""  # won, even if by the last allowed move
        if self.ply_limit is not None and self.ply >= self.ply_limit:
            return f"{self.ply_limit} moves without a winner"
        if self.repetitions is not None:
            # Positions are stored from the mover's view: only every other one can be the same.
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
        """Return the moves made since a marble was lost, as far as it is known."""
        for plies, (_, move) in enumerate(reversed(self._past)):
            if move.takes:
                return plies
        return self._first_since_loss + len(self._past)


def _end_paths(move: AbaloneMove) -> tuple[tuple[Cell, Cell], ...]:
    """Return the origins and targets of the ends of a move's line."""
    first, last, step = ends(move.code)
    return tuple((end, stepped(end, step)) for end in dict.fromkeys((first, last)))


def _path(move: AbaloneMove) -> tuple[Cell, ...]:
    """Return the cells that a move's ends leave and reach."""
    return tuple(cell for path in _end_paths(move) for cell in path if on_board(cell))


def _arrived(move: AbaloneMove) -> set[Cell]:
    """Return the cells of a move's marbles after it."""
    first, last, step = ends(move.code)
    middle = ((first[0] + last[0]) // 2, (first[1] + last[1]) // 2)  # for two marbles, one of the ends
    return {stepped(cell, step) for cell in (first, middle, last)}


def _reachable(moves: Iterable[AbaloneMove]) -> set[Cell]:
    """Return the cells that some move's marbles step to."""
    reached = set()
    for move in moves:
        first, last, step = ends(move.code)
        reached |= {cell for end in (first, last) if on_board(cell := stepped(end, step))}
    return reached
