"""Exact values of boards and of all their moves: a GPU solves the positions after all moves together.

This gives each board's score, its best move, and the value of every other move. If several moves are best, the first
generated one is reported; a search on a CPU reports the best move that it tried first.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.boards import Board
from outflank.errors import InvalidOption, keep_partial_result
from outflank.games.endings import ending_moves
from outflank.games.evaluation import Exact, scale_of
from outflank.games.rules import MOVE, Game, Moves, Position, count, fill, pack, play, score, unpack
from outflank.games.scores import OUTCOMES
from outflank.gpu.choosing import DeviceOption
from outflank.gpu.ending_kernels import MOST_FREE, UNSOLVED
from outflank.gpu.positions import Words, cells_of, free_counts
from outflank.gpu.solving_on_device import ROOM, Effort, solve
from outflank.kernels.compiler import Samples, kernel
from outflank.machine import DeviceUsed
from outflank.search.request import Stop
from outflank.search.results import MoveValue, Result
from outflank.search.root import horizon_of
from outflank.search.stopping import Stopped


class AllMoves(NamedTuple):
    """The moves of many positions. The moves of position i are `moves[bounds[i]:bounds[i + 1]]`, in generated order."""

    moves: npt.NDArray[np.uint16]
    words: Words
    """Position after each move, packed into two words."""
    bounds: npt.NDArray[np.int64]


@kernel
def _count_moves(game: Game, words: Words, numbers: npt.NDArray[np.int64]) -> None:
    for row in range(len(words)):
        numbers[row] = count(game, unpack(game, words[row, 0], words[row, 1]))


@kernel
def _follow_moves(game: Game, words: Words, bounds: npt.NDArray[np.int64], moves: Moves, children: Words) -> None:
    for row in range(len(words)):
        position = unpack(game, words[row, 0], words[row, 1])
        fill(game, position, moves, bounds[row])
        for place in range(bounds[row], bounds[row + 1]):
            children[place, 0], children[place, 1] = pack(game, play(game, position, moves[place]))


@_count_moves.sample
def _count_moves_sample(game: Game, position: Position, every: bool) -> Samples:
    if ending_moves(game) >= 0:
        yield game, np.zeros((0, 2), np.uint64), np.zeros(0, np.int64)


@_follow_moves.sample
def _follow_moves_sample(game: Game, position: Position, every: bool) -> Samples:
    if ending_moves(game) >= 0:
        no_words = np.zeros((0, 2), np.uint64)
        yield game, no_words, np.zeros(1, np.int64), np.zeros(0, MOVE), no_words


def all_moves(game: Game, words: Words) -> AllMoves:
    """Return the moves of `words`, which has a row of two words for each position."""
    numbers = np.zeros(len(words), np.int64)
    _count_moves(game, words, numbers)
    bounds = np.zeros(len(words) + 1, np.int64)
    np.cumsum(numbers, out=bounds[1:])
    moves = np.zeros(int(bounds[-1]), MOVE)
    children = np.zeros((len(moves), 2), np.uint64)
    _follow_moves(game, words, bounds, moves, children)
    return AllMoves(moves, children, bounds)


QUICK_FREE = 10
"""Number of free cells for which the largest batch of positions takes a second or two. Each further cell makes solving
take three times as long. Batches get smaller by the same factor, because a stop waits for the end of a batch."""

SMALLEST = 1 << 16
"""Least capacity of a batch, in endgame positions. A smaller batch would not keep a GPU busy."""


def solvable_indices(boards: Sequence[Board]) -> list[int]:
    """Return the indices of the boards that a GPU can solve, which have at most `MOST_FREE` free cells."""
    indices: list[int] = []
    for numbers in _by_rules(boards):
        free = free_counts(boards[numbers[0]].game, _words([boards[number] for number in numbers]))
        indices += [number for number, cells in zip(numbers, free, strict=True) if cells <= MOST_FREE]
    return sorted(indices)


def solve_board(
    board: Board, *, device: DeviceOption, wld: bool = False, moves: int = 1, stop: Stop | None = None
) -> Result:
    """Solve a board on `device`; return the same result as `outflank.solve`, with the values of the best `moves` moves.

    Raises `InvalidOption` for a board with more than `MOST_FREE` free cells, or of a game that a GPU cannot solve.
    """
    (free,) = free_counts(board.game, _words([board]))
    if free > MOST_FREE:
        raise InvalidOption(f"device {device}: this board has {free} free cells, and a GPU takes at most {MOST_FREE}")
    (result,) = solve_boards([board], device=device, wld=wld, every_move=moves > 1, stop=stop)
    return replace(result, best=result.best[:moves])


def solve_boards(
    boards: Sequence[Board],
    *,
    device: DeviceOption = "gpu",
    wld: bool = False,
    every_move: bool = False,
    stop: Stop | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """Solve boards of up to `MOST_FREE` free cells on `device`; return for each the same result as `outflank.solve`.
    With `wld` the value is only win, loss or draw; with `every_move` the result has the value of each move.

    `progress(done, total)` receives the number of solved positions; `total` counts the positions after all moves of all
    boards. If `stop` is called, a result that is not proved yet is not `exact`. Nodes and seconds are divided equally
    among the boards, since a GPU solves them in parallel. `Result.device` names the processor that solved the board.

    An exception that ends the call early, such as Ctrl-C or the loss of the GPU, has the results so far as its
    `partial_result`.
    """
    parts = [_SameRules(numbers, [boards[number] for number in numbers]) for numbers in _by_rules(boards)]
    total, solved_before = sum(len(part.effort.scores) for part in parts), 0
    started = time.perf_counter()

    def tell(done: int, of_part: int) -> None:
        if progress is not None:
            progress(solved_before + done, total)
        if stop is not None and stop.called:
            raise Stopped

    def results() -> list[Result]:
        seconds = (time.perf_counter() - started) / max(len(boards), 1)
        entered = sum(part.effort.nodes for part in parts)
        nbytes = max((part.effort.nbytes for part in parts), default=0)
        table_bytes = max((part.effort.table_bytes for part in parts), default=0)
        results_by_number: dict[int, Result] = {}
        for part in parts:
            scale = OUTCOMES if wld else scale_of(part.game, Exact())
            for number, board, codes, values, device_used in part.values():
                base = Result(
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
                    device=device_used,
                )
                results_by_number[number] = _result(base, board, codes, values, wld=wld, every_move=every_move)
        return [results_by_number[number] for number in range(len(boards))]

    with keep_partial_result(results), suppress(Stopped):
        for part in parts:
            part.prepare(device)
        started = time.perf_counter()
        for part in parts:
            part.solve(device, tell)
            solved_before += len(part.effort.scores)
    return results()


def _by_rules(boards: Sequence[Board]) -> list[list[int]]:
    """Return lists of indices of `boards`, one list for all boards with the same rules."""
    groups: dict[object, list[int]] = {}
    for number, board in enumerate(boards):
        groups.setdefault((type(board.game), board.game), []).append(number)
    return list(groups.values())


def _words(boards: Sequence[Board]) -> Words:
    return np.array([pack(board.game, board.position) for board in boards], np.uint64).reshape(-1, 2)


class _SameRules:
    """Boards with the same rules, which are solved together."""

    def __init__(self, numbers: Sequence[int], boards: Sequence[Board]) -> None:
        self._numbers, self._boards, self.game = numbers, boards, boards[0].game
        words = _words(boards)
        self._free = int(free_counts(self.game, words).max())
        self._all: AllMoves = all_moves(self.game, words)
        self.effort = Effort(len(self._all.moves))

    def prepare(self, device: DeviceOption) -> None:
        """Compile all kernels, by solving a full board. It is called before time is measured."""
        full = np.array([[cells_of(self.game), 0]], np.uint64)
        solve(full, self.game, device=device)

    def solve(self, device: DeviceOption, tell: Callable[[int, int], None]) -> None:
        """Solve the positions after all moves of the boards. `tell` receives the progress, and raises to stop."""
        room = max(SMALLEST, ROOM // 3 ** max(0, self._free - QUICK_FREE))
        solve(self._all.words, self.game, effort=self.effort, device=device, progress=tell, room=room)

    def values(self) -> Iterator[tuple[int, Board, list[int], list[int | None], DeviceUsed]]:
        """Yield for each board its index, the board, the codes of its moves, their values for the side to move (None if
        unknown), and the processors that have solved them."""
        bounds = self._all.bounds.tolist()
        codes, scores = self._all.moves.tolist(), self.effort.scores.tolist()
        for index, (number, board) in enumerate(zip(self._numbers, self._boards, strict=True)):
            rows = slice(bounds[index], bounds[index + 1])
            values = [None if value == UNSOLVED else -value for value in scores[rows]]
            yield number, board, codes[rows], values, self._processors_used(rows)

    def _processors_used(self, rows: slice) -> DeviceUsed:
        """Return the processors that solved the positions in `rows`; `cpu` if there are none (game over)."""
        by_cpu = self.effort.solved_by_cpu[rows]
        by_gpu = (self.effort.scores[rows] != UNSOLVED) & ~by_cpu
        if by_cpu.any():
            return "gpu+cpu" if by_gpu.any() else "cpu"
        return "gpu" if len(by_cpu) else "cpu"


def _result(
    base: Result, board: Board, codes: list[int], values: list[int | None], *, wld: bool, every_move: bool
) -> Result:
    """Return `base`, which has the statistics of the search, with the value and the best moves of a board."""

    def outcome(value: int) -> int:
        return (value > 0) - (value < 0) if wld else value

    if not codes:
        value = int(score(board.game, board.position))
        return replace(base, value=outcome(value), exact=True, lower=value, upper=value)
    known = [(value, board.move(code)) for value, code in zip(values, codes, strict=True) if value is not None]
    known.sort(key=lambda pair: -pair[0])  # moves of equal value stay in generated order
    all_known = len(known) == len(codes)
    if not known:
        return replace(base, move=board.move(codes[0]), stopped=True)
    value, move = known[0]
    if not all_known and not (wld and value > 0):
        return replace(base, move=move, lower=value, stopped=True)
    shown_moves = known if every_move and all_known else known[:1]
    return replace(
        base,
        value=outcome(value),
        move=move,
        pv=(move,),
        depth=horizon_of(board.game, board.position),
        exact=True,
        lower=value,
        upper=value if all_known else None,
        stopped=not all_known,
        best=tuple(
            MoveValue(move=shown_move, value=outcome(move_value), line=(shown_move,))
            for move_value, shown_move in shown_moves
        ),
    )
