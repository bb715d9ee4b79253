"""Abalone boards and moves, with their pictures and text diagrams."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Self

from outflank.abalone import geometry
from outflank.abalone.formats.line import read_abalone_line, write_abalone_line
from outflank.abalone.formats.move_text import ends, read_move, write_move, write_nacre
from outflank.abalone.formats.position_file import write_position_file
from outflank.abalone.geometry import BOARD, Cell, cell_name, on_board, stepped
from outflank.abalone.layouts import RULES, row_cells, start
from outflank.abalone.rules import MARBLES, PUSHED, Abalone, AbalonePosition, Kind, kind_of
from outflank.boards.board import Board, Move, stripped
from outflank.boards.pictures import BLACK, EMPTY, LEGAL, MARK, UNIT, WHITE, bracketed, disc, label, picture
from outflank.errors import InvalidPosition
from outflank.formats.game_record import Setup
from outflank.games.sides import Side

WOOD, HOLLOW, INK = "#c9a06c", "#a97f4c", "#5b3f1d"
RED, BLUE, HALO = "#c62828", "#1258b0", "#ffffffd0"
"""Colours of the lines for the played and the better move; a halo makes them visible on black marbles."""


def abalone_svg(
    black: int,
    white: int,
    *,
    last: Iterable[geometry.Cell] = (),
    played: Iterable[tuple[geometry.Cell, geometry.Cell]] = (),
    better: Iterable[tuple[geometry.Cell, geometry.Cell]] = (),
    width: int = 400,
) -> str:
    """Return an SVG board, row I on top: the `last` cells are marked, lines show the moves `played` and `better`."""
    blacks, whites = geometry.cells(black), geometry.cells(white)
    marked = set(last)
    corners = [_centre(cell, 5.75 / 4) for cell in ((0, 0), (0, 4), (4, 8), (8, 8), (8, 4), (4, 0))]
    outline = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    parts = [f'<polygon points="{outline}" fill="{WOOD}" stroke="{HOLLOW}" stroke-width="3"/>']
    for row in range(9):
        for cell in row_cells(row):
            x, y = _centre(cell)
            if cell in blacks or cell in whites:
                parts.append(disc(x, y, 0.44 * UNIT, black=cell in blacks))
            else:
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{0.36 * UNIT:g}" fill="{HOLLOW}"/>')
            if cell in marked:
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{0.1 * UNIT:g}" fill="{MARK}"/>')
        x, y = _centre((row, row_cells(row)[0][1] - 1))
        parts.append(label(x, y, "ABCDEFGHI"[row], INK))
    for column in range(9):
        x, y = _centre((max(0, column - 4) - 1, column))
        parts.append(label(x, y, str(column + 1), INK))
    parts += [_path_svg(*path, RED, "played") for path in played]
    parts += [_path_svg(*path, BLUE, "better") for path in better]
    return picture(parts, (-5.9 * UNIT, -5.15 * UNIT, 11.8 * UNIT, 10.3 * UNIT), width, "Abalone board")


def _centre(cell: geometry.Cell, stretch: float = 1.0) -> tuple[float, float]:
    """Return the coordinates of a cell's centre in the picture, relative to the board's centre."""
    x, y = geometry.centre_of(cell)
    return x * UNIT * stretch, y * UNIT * stretch


def _path_svg(begin: geometry.Cell, end: geometry.Cell, stroke: str, title: str) -> str:
    """Return an SVG line from one cell to another, with a disc at its end."""
    (x, y), (u, v) = _centre(begin), _centre(end)
    parts = [f"<title>{title}</title>"]
    for colour, wider in ((HALO, 2), (stroke, 0)):
        line = f'd="M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}" stroke-width="{5 + 2 * wider}" stroke-linecap="round"'
        parts.append(
            f'<path {line} stroke="{colour}"/><circle cx="{u:.1f}" cy="{v:.1f}" r="{8 + wider}" fill="{colour}"/>'
        )
    return f"<g>{''.join(parts)}</g>"


def abalone_diagram(
    black: int, white: int, legal: Collection[geometry.Cell] = (), last: Collection[geometry.Cell] = ()
) -> list[str]:
    """Return the lines of a text diagram, with row `I` at the top. Empty cells in `legal` are marked `*`; cells in
    `last` are in brackets."""
    blacks, whites = geometry.cells(black), geometry.cells(white)
    lines = []
    for row in range(8, -1, -1):
        marks = [
            BLACK if cell in blacks else WHITE if cell in whites else LEGAL if cell in legal else EMPTY
            for cell in row_cells(row)
        ]
        cells = bracketed(marks, [cell in last for cell in row_cells(row)])
        # Columns 6 to 9 end beside the rows A to D, so their numbers are at the ends of these rows.
        column = f" {row + 6}" if row < 4 else ""
        lines.append(f"{' ' * (9 - len(marks))}{'ABCDEFGHI'[row]}{cells}{column}")
    return [*lines, " " * 7 + "1 2 3 4 5"]


@dataclass(frozen=True, slots=True, repr=False)
class AbaloneMove(Move):
    """A step of a line of one to three marbles; its text is in the notation of Aba-Pro."""

    @property
    def kind(self) -> Kind:
        """The kind of move: push, step or side step, with the number of marbles."""
        return Kind(int(kind_of(self.code)))

    @property
    def marbles(self) -> int:
        """Number of own marbles that move."""
        return int(MARBLES[self.kind])

    @property
    def pushed(self) -> int:
        """Number of the opponent's marbles that are pushed."""
        return int(PUSHED[self.kind])

    @property
    def takes(self) -> bool:
        """Whether the move pushes a marble off the board."""
        return self.kind <= Kind.OUT1_WITH2

    @property
    def line(self) -> tuple[str, str]:
        """The cells of the first and the last marble of the line; equal for a single marble."""
        first, last, _ = ends(self.code)
        return cell_name(first), cell_name(last)

    @property
    def nacre(self) -> str:
        """The move in the notation of Nacre."""
        return write_nacre(self.code)

    def __str__(self) -> str:
        return write_move(self.code)


REPETITIONS = 3
"""Default number of occurrences of a position that draws a game."""

PLY_LIMIT = 400
"""Default number of moves of both sides after which a game is drawn."""


class AbaloneBoard(Board[AbaloneMove]):
    """A game of Abalone.

    The rules of the game have no draws. Here a game is drawn when a position occurs for the third time with the same
    side to move (`repetitions`), or after 400 moves of both sides together (`ply_limit`). None disables either rule.

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
    def start(
        cls, layout: str = "standard", *, repetitions: int | None = REPETITIONS, ply_limit: int | None = PLY_LIMIT
    ) -> Self:
        """Return a board with the starting position of a layout."""
        return cls(RULES, start(layout), repetitions=repetitions, ply_limit=ply_limit)

    @classmethod
    def from_line(cls, line: str, *, repetitions: int | None = REPETITIONS, ply_limit: int | None = PLY_LIMIT) -> Self:
        """Return the board that an Abalone line describes (`formats.line`)."""
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
        position: AbalonePosition,
        turn: Side = Side.BLACK,
        *,
        ply: int = 0,
        since_loss: int = 0,
        repetitions: int | None = REPETITIONS,
        ply_limit: int | None = PLY_LIMIT,
    ) -> None:
        own, opp = int(position.own), int(position.opp)
        if own & opp or (own | opp) & ~int(BOARD):
            raise InvalidPosition("a cell holds two marbles, or a marble lies outside the board")
        if max(own.bit_count(), opp.bit_count()) > game.marbles:
            raise InvalidPosition(f"a side has more than {game.marbles} marbles")
        super().__init__(game, position, turn, ply=ply)
        self._first_since_loss = since_loss
        self.repetitions = repetitions
        """Number of occurrences of a position that draws the game; None: no draws by repetition."""
        self.ply_limit = ply_limit
        """Number of moves of both sides after which the game is drawn; None: no limit."""

    def marbles(self, side: Side) -> int:
        """Return the number of marbles that a side has on the board."""
        return self._by_colour()[Side(side) is Side.WHITE].bit_count()

    def lost(self, side: Side) -> int:
        """Return the number of marbles that a side has lost."""
        return self.game.marbles - self.marbles(side)

    def move(self, code: int) -> AbaloneMove:
        return AbaloneMove(code)

    def parse_move(self, text: str) -> AbaloneMove:
        """Return the legal move that `text` names, in the notation of Aba-Pro or Nacre."""
        return self.move(read_move(self.game, self.position, stripped(text)))

    def legal_move_texts(self) -> list[str]:
        return sorted(super().legal_move_texts())

    def setup(self) -> Setup:
        return replace(super().setup(), since_loss=self._since_loss())

    def to_text(self) -> str:
        """Return the position as an Abalone line (`formats.line`)."""
        return write_abalone_line(self.game, self.position, self.turn, self.ply, self._since_loss())

    def to_position_file(self) -> str:
        """Return the contents of a position file of report 003's lab program (`formats.position_file`)."""
        return write_position_file(self.position, self.turn, self.ply)

    def svg(
        self,
        *,
        width: int = 400,
        legal: bool = True,
        played: AbaloneMove | None = None,
        better: AbaloneMove | None = None,
    ) -> str:
        """Return an SVG picture: the cells of the last move are marked, and lines show the move `played` in this
        position and a `better` one. `legal` is ignored, because there are too many legal moves to show."""
        last = _path(self.moves[-1]) if self.moves else ()
        paths = tuple(() if move is None else _end_paths(move) for move in (played, better))
        return abalone_svg(*self._by_colour(), last=last, played=paths[0], better=paths[1], width=width)

    def _repr_svg_(self) -> str:
        return self.svg()

    def diagram(self, *, last: bool = False) -> list[str]:
        """Return the board as lines of text, with `*` on the empty cells that moves can reach; `last` puts the marbles
        of the last move in brackets."""
        moved = _arrived(self.moves[-1]) if last and self.moves else ()
        return abalone_diagram(*self._by_colour(), _reachable(self.legal_moves), moved)

    def score_text(self) -> str:
        """Return the numbers of marbles that both sides have lost, as text."""
        return f"marbles lost: black {self.lost(Side.BLACK)}, white {self.lost(Side.WHITE)}"

    def __str__(self) -> str:
        # Nearly all empty cells are reachable, so they are not marked here.
        return "\n".join([*abalone_diagram(*self._by_colour()), self._turn_text()])

    def __repr__(self) -> str:
        options = "".join(
            f", {name}={value}"
            for name, value, usual in (
                ("repetitions", self.repetitions, REPETITIONS),
                ("ply_limit", self.ply_limit, PLY_LIMIT),
            )
            if value != usual
        )
        return f"AbaloneBoard.from_line({self.to_text()!r}{options})"

    def _at(self, position: AbalonePosition) -> Self:
        twin = super()._at(position)
        twin._first_since_loss = self._since_loss()
        return twin

    def _draw(self) -> str:
        least = self.game.marbles - self.game.goal
        if min(self.marbles(Side.BLACK), self.marbles(Side.WHITE)) <= least:
            return ""  # won, possibly with the last allowed move
        if self.ply_limit is not None and self.ply >= self.ply_limit:
            return f"{self.ply_limit} moves without a winner"
        if self.repetitions is not None:
            # Positions are stored from the mover's point of view, so only every other one can be the same.
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
        """Return the number of moves since a marble was lost, including moves before this board's first position."""
        for plies, (_, move) in enumerate(reversed(self._past)):
            if move.takes:
                return plies
        return self._first_since_loss + len(self._past)


def _end_paths(move: AbaloneMove) -> tuple[tuple[Cell, Cell], ...]:
    """Return the origin and the target of the marble at each end of a move's line."""
    first, last, step = ends(move.code)
    return tuple((end, stepped(end, step)) for end in dict.fromkeys((first, last)))


def _path(move: AbaloneMove) -> tuple[Cell, ...]:
    """Return the cells that the end marbles of a move's line leave and reach."""
    return tuple(cell for path in _end_paths(move) for cell in path if on_board(cell))


def _arrived(move: AbaloneMove) -> set[Cell]:
    """Return the cells of the moved marbles after a move."""
    first, last, step = ends(move.code)
    middle = ((first[0] + last[0]) // 2, (first[1] + last[1]) // 2)  # one of the ends if there are two marbles
    return {stepped(cell, step) for cell in (first, middle, last)}


def _reachable(moves: Iterable[AbaloneMove]) -> set[Cell]:
    """Return the cells that the end marbles of any of the moves step to."""
    reached = set()
    for move in moves:
        first, last, step = ends(move.code)
        reached |= {cell for end in (first, last) if on_board(cell := stepped(end, step))}
    return reached
