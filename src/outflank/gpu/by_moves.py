"""Boards solved by a device, each by its moves: all positions that these lead to are solved together.

So each board has its score, its best move, and what every other move is worth. Of equal moves the best is the first in
the game's order; a search names the one that it tried first.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.boards import Board
from outflank.errors import InvalidOption
from outflank.games.evaluation import Exact, scale_of
from outflank.games.rules import pack, score
from outflank.games.units import OUTCOMES
from outflank.gpu.choosing import DeviceAsked
from outflank.gpu.endings import MOST_FREE, UNSOLVED
from outflank.gpu.positions import cells_of, free_counts
from outflank.gpu.solving import ROOM, Effort, solve_counted
from outflank.machine import DeviceUsed
from outflank.search.all_moves import AllMoves, all_moves
from outflank.search.contract import Stop
from outflank.search.results import MoveValue, Result
from outflank.search.root import horizon_of
from outflank.search.stopping import Stopped

QUICK_FREE = 10
"""With so many free cells a batch as large as can be takes a second or two; each cell more takes some three times as
long, and batches are so much smaller: whoever stops it waits until one is done."""

SMALLEST = 1 << 16
"""Endings of a batch, at least: fewer would not keep a device busy."""


def short_ones(boards: Sequence[Board[Any]]) -> list[int]:
    """The numbers of those boards whose endings a device has room for."""
    found: list[int] = []
    for numbers in _by_rules(boards):
        free = free_counts(boards[numbers[0]].game, _words([boards[number] for number in numbers]))
        found += [number for number, cells in zip(numbers, free, strict=True) if cells <= MOST_FREE]
    return sorted(found)


def solve_board(
    board: Board[Any], *, device: DeviceAsked, wld: bool = False, moves: int = 1, stop: Stop | None = None
) -> Result:
    """Return what `outflank.solve` returns for a board, with the values of the best `moves` moves.

    Raises `InvalidOption` for a board with more than `MOST_FREE` free cells, or of a game without such a solver.
    """
    (free,) = free_counts(board.game, _words([board]))
    if free > MOST_FREE:
        raise InvalidOption(f"device {device}: this board has {free} free cells, and a GPU takes at most {MOST_FREE}")
    (result,) = solve_boards([board], device=device, wld=wld, every_move=moves > 1, stop=stop)
    return replace(result, best=result.best[:moves])


def solve_boards(
    boards: Sequence[Board[Any]],
    *,
    device: DeviceAsked = "gpu",
    wld: bool = False,
    every_move: bool = False,
    stop: Stop | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """What boards are worth under perfect play, as `outflank.solve` tells it; none has more than `MOST_FREE` free
    cells. With `wld` only who wins is told, with `every_move` the value of each move.

    `progress(done, total)` is told how many of the positions after all moves are solved. Once `stop` is called, those
    boards that are not proved by then say so. Nodes and seconds are shared out alike among the boards: a device solves
    them side by side. `Result.device` says who has solved each.

    Whatever ends it before, as Ctrl-C or the loss of the device, has an attribute `found`: these results, of which
    those that are not proved by then say so.
    """
    parts = [_Part(numbers, [boards[number] for number in numbers]) for numbers in _by_rules(boards)]
    total, before = sum(len(part.found) for part in parts), 0
    started = time.perf_counter()

    def tell(done: int, of_part: int) -> None:
        if progress is not None:
            progress(before + done, total)
        if stop is not None and stop.called:
            raise Stopped

    def results() -> list[Result]:
        seconds = (time.perf_counter() - started) / max(len(boards), 1)
        entered = sum(part.effort.nodes for part in parts)
        nbytes = max((part.effort.nbytes for part in parts), default=0)
        table_bytes = max((part.effort.table_bytes for part in parts), default=0)
        found: dict[int, Result] = {}
        for part in parts:
            scale = OUTCOMES if wld else scale_of(part.game, Exact())
            for number, board, codes, values, used in part.values():
                took = Result(
                    value=None,
                    move=None,
                    pv=(),
                    depth=0,
                    nodes=entered // len(boards) + (number < entered % len(boards)),
                    leaves=0,
                    seconds=seconds,
                    exact=False,
                    table_bytes=table_bytes,
                    worker_bytes=nbytes,
                    scale=scale,
                    device=used,
                )
                found[number] = _result(took, board, codes, values, wld=wld, every_move=every_move)
        return [found[number] for number in range(len(boards))]

    try:
        for part in parts:
            part.prepare(device)
        started = time.perf_counter()
        for part in parts:
            part.solve(device, tell)
            before += len(part.found)
    except Stopped:
        pass
    except BaseException as error:
        error.found = results()  # type: ignore[attr-defined]  # for whoever tells what is proved
        raise
    return results()


def _by_rules(boards: Sequence[Board[Any]]) -> list[list[int]]:
    """The numbers of boards that have the same rules."""
    found: dict[Any, list[int]] = {}
    for number, board in enumerate(boards):
        found.setdefault((type(board.game), board.game), []).append(number)
    return list(found.values())


def _words(boards: Sequence[Board[Any]]) -> npt.NDArray[np.uint64]:
    """Boards of the same rules as a device takes them."""
    return np.array([pack(board.game, board.position) for board in boards], np.uint64).reshape(-1, 2)


class _Part:
    """Boards of the same rules."""

    def __init__(self, numbers: Sequence[int], boards: Sequence[Board[Any]]) -> None:
        self._numbers, self._boards, self.game = numbers, boards, boards[0].game
        words = _words(boards)
        self._free = int(free_counts(self.game, words).max())
        self._all: AllMoves = all_moves(self.game, words)
        self.found: npt.NDArray[np.int8] = np.full(len(self._all.moves), UNSOLVED, np.int8)
        """What the positions after the moves are worth, to the side that moves there."""
        self.effort = Effort(here=np.zeros(len(self.found), np.bool_))

    def prepare(self, device: DeviceAsked) -> None:
        """Have all compiled before the clock runs: by a board that is full."""
        full = np.array([[cells_of(self.game), 0]], np.uint64)
        solve_counted(full, self.game, Effort(), device=device)

    def solve(self, device: DeviceAsked, tell: Callable[[int, int], None]) -> None:
        """Find it, or as much as there is time for."""
        room = max(SMALLEST, ROOM // 3 ** max(0, self._free - QUICK_FREE))
        try:
            how: dict[str, Any] = {"device": device, "progress": tell, "room": room}
            self.found = solve_counted(self._all.words, self.game, self.effort, **how)
        except BaseException as error:
            self.found = getattr(error, "found", self.found)  # what was solved by then, see `solving.solve`
            raise

    def values(self) -> Iterator[tuple[int, Board[Any], list[int], list[int | None], DeviceUsed]]:
        """Each board with its number, the codes of its moves, what these are worth to the mover, as far as it is known,
        and who has found it."""
        bounds = self._all.bounds.tolist()
        codes, found = self._all.moves.tolist(), self.found.tolist()
        for index, (number, board) in enumerate(zip(self._numbers, self._boards, strict=True)):
            own = slice(bounds[index], bounds[index + 1])
            values = [None if value == UNSOLVED else -value for value in found[own]]
            yield number, board, codes[own], values, self._used(own)

    def _used(self, rows: slice) -> DeviceUsed:
        """Who has solved endings; of a game that is over there are none, and the rules tell its score."""
        here = self.effort.here[rows]
        there = (self.found[rows] != UNSOLVED) & ~here
        if here.any():
            return "gpu+cpu" if there.any() else "cpu"
        return "gpu" if len(here) else "cpu"


def _result(
    took: Result, board: Board[Any], codes: list[int], values: list[int | None], *, wld: bool, every_move: bool
) -> Result:
    """A board's result from what its moves are worth, and from one that says what it took."""

    def told(value: int) -> int:
        return (value > 0) - (value < 0) if wld else value

    if not codes:
        value = int(score(board.game, board.position))
        return replace(took, value=told(value), exact=True, lower=value, upper=value)
    known = [(value, board.move(code)) for value, code in zip(values, codes, strict=True) if value is not None]
    known.sort(key=lambda each: -each[0])  # equal ones stay in the game's order
    whole = len(known) == len(codes)
    if not known:
        return replace(took, move=board.move(codes[0]), stopped=True)
    value, move = known[0]
    if not whole and not (wld and value > 0):
        return replace(took, move=move, lower=value, stopped=True)
    wanted = known if every_move and whole else known[:1]
    return replace(
        took,
        value=told(value),
        move=move,
        pv=(move,),
        depth=horizon_of(board.game, board.position),
        exact=True,
        lower=value,
        upper=value if whole else None,
        stopped=not whole,
        best=tuple(MoveValue(move=each, value=told(worth), line=(each,)) for worth, each in wanted),
    )
