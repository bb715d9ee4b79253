"""Connect Four and Breakthrough as people tell their rules: cells in a dictionary, no bits, no kernel.

Positions are read off the board's own drawing, so that it is held to them as well.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from outflank.boards import Board
from outflank.games.description import description_of
from outflank.games.sides import Side

WON = 20_000
Cell = tuple[int, int]


@dataclass(frozen=True)
class Drawn:
    """Who is on which cell (column, row; row 0 is the lowest), and whose turn it is: X or O."""

    cells: dict[Cell, str]
    columns: int
    rows: int
    turn: str

    @classmethod
    def read(cls, board: Board) -> "Drawn":
        """What a board draws."""
        lines = board.diagram()[-2::-1]  # from below, without the letters
        marks = [line[2::2] for line in lines]
        cells = {(column, row): mark for row, line in enumerate(marks) for column, mark in enumerate(line)}
        taken = {cell: mark for cell, mark in cells.items() if mark in "XO"}
        return cls(taken, len(marks[0]), len(marks), "X" if board.turn is Side.BLACK else "O")

    @property
    def other(self) -> str:
        return "O" if self.turn == "X" else "X"

    def moves(self) -> list[str]:
        raise NotImplementedError

    def play(self, move: str) -> "Drawn":
        raise NotImplementedError

    def score(self) -> int:
        raise NotImplementedError

    def estimate(self) -> int:
        raise NotImplementedError


@cache  # the same for all positions of a board, and there are many
def lines_of_four(columns: int, rows: int) -> list[list[Cell]]:
    found = []
    for across, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for column in range(columns):
            for row in range(rows):
                line = [(column + step * across, row + step * up) for step in range(4)]
                if all(0 <= c < columns and 0 <= r < rows for c, r in line):
                    found.append(line)
    return found


class DrawnConnectFour(Drawn):
    """Discs fall into columns; four in a row win."""

    @property
    def lines(self) -> list[list[Cell]]:
        return lines_of_four(self.columns, self.rows)

    def _has_four(self) -> bool:
        return any(all(self.cells.get(cell) == self.other for cell in line) for line in self.lines)

    def moves(self) -> list[str]:
        if self._has_four():
            return []
        return ["abcdefgh"[column] for column in range(self.columns) if (column, self.rows - 1) not in self.cells]

    def play(self, move: str) -> Drawn:
        column = "abcdefgh".index(move)
        row = sum((column, row) in self.cells for row in range(self.rows))
        return replace(self, cells=self.cells | {(column, row): self.turn}, turn=self.other)

    def score(self) -> int:
        return -1 if self._has_four() else 0

    def estimate(self) -> int:
        def may_fill(other: str) -> int:
            return sum(all(self.cells.get(cell) != other for cell in line) for line in self.lines)

        return may_fill(self.other) - may_fill(self.turn)


class DrawnBreakthrough(Drawn):
    """Pawns step forward, straight or diagonally, and take diagonally; the first on the last row wins."""

    def _pawns(self, side: str) -> list[Cell]:
        return [cell for cell, mark in self.cells.items() if mark == side]

    def _came_through(self, side: str) -> bool:
        last = self.rows - 1 if side == "X" else 0
        return any(row == last for _, row in self._pawns(side))

    def _steps(self) -> Iterator[tuple[Cell, Cell]]:
        up = 1 if self.turn == "X" else -1
        if self._came_through(self.other):
            return
        for column, row in self._pawns(self.turn):
            for sideways in (-1, 0, 1):
                target = (column + sideways, row + up)
                if not (0 <= target[0] < self.columns and 0 <= target[1] < self.rows):
                    continue
                there = self.cells.get(target)
                if there is None or (sideways and there == self.other):
                    yield (column, row), target

    def moves(self) -> list[str]:
        return ["".join(f"{'abcdefgh'[c]}{r + 1}" for c, r in step) for step in self._steps()]

    def play(self, move: str) -> Drawn:
        (start, target) = (("abcdefgh".index(move[at]), int(move[at + 1]) - 1) for at in (0, 2))
        left = {cell: mark for cell, mark in self.cells.items() if cell != start}
        return replace(self, cells=left | {target: self.turn}, turn=self.other)

    def score(self) -> int:
        return -1

    def estimate(self) -> int:
        def strength(side: str) -> int:
            return sum(20 + (row if side == "X" else self.rows - 1 - row) ** 2 for _, row in self._pawns(side))

        return strength(self.turn) - strength(self.other)


def value(position: Drawn, depth: int | None, known: dict[Hashable, int] | None = None) -> int:
    """What a position is worth to the side to move at a depth; None: the score of perfect play.

    `known`: of positions that other moves have led to before.
    """
    known = {} if known is None else known
    key = (frozenset(position.cells.items()), position.turn, depth)
    if key not in known:
        moves = position.moves()
        if not moves:
            score = position.score()
            known[key] = score if depth is None else score + WON * ((score > 0) - (score < 0))
        elif depth == 0:
            known[key] = position.estimate()
        else:
            left = None if depth is None else depth - 1
            known[key] = max(-value(position.play(move), left, known) for move in moves)
    return known[key]


def leaves(position: Drawn, depth: int) -> int:
    """The leaves of the tree; a game that is over before counts as one."""
    moves = position.moves()
    return 1 if not moves or depth == 0 else sum(leaves(position.play(move), depth - 1) for move in moves)


ORACLES = {"connect-four": DrawnConnectFour, "breakthrough": DrawnBreakthrough}


def drawn(board: Board) -> Drawn:
    return ORACLES[description_of(board.game).name].read(board)
