"""Endings a second on a GPU, beside all cores of its host in the same run: drawn ones, and those of tournament games.

python -m benchmarks.gpu_endings [ROUNDS] [GAMES.wtb...]

First a million drawn endings with 6 to 14 empty squares are solved on both, and every value is compared.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.common import interleaved, ratio, save
from outflank import OthelloBoard
from outflank.games.rules import pack, play
from outflank.gpu import solve
from outflank.gpu.ending_kernels import QUICK
from outflank.gpu.solving_on_device import Solver
from outflank.kernels.bits import U64, lowest, popcount
from outflank.kernels.compiler import kernel
from outflank.machine import usable_cores
from outflank.othello.rules import PASS, legal
from outflank.search.many_endings import solve_many

Words = npt.NDArray[np.uint64]

COMPARED = {6: 200_000, 7: 200_000, 8: 200_000, 9: 200_000, 10: 150_000, 11: 40_000, 12: 10_000, 14: 1_000}
"""By empty squares: how many values are compared."""

MEASURED = {8: (1 << 22, 1 << 19), 10: (1 << 23, 1 << 17), 12: (1 << 18, 1 << 14), 14: (1 << 14, 1 << 11)}
"""By empty squares: how many endings the device solves in a round, and how many the cores."""

OF_GAMES = (10, 12, 14)

DIFFERENT = 1 << 18
"""Endings of one kind that are drawn. Where more are solved, they are mirrored, and short ones, which have no table to
remember them, solved again."""

REVERSED = np.packbits(np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)[:, ::-1], axis=1).ravel()
"""A row of eight squares from the other side."""

CORES = int(usable_cores())
GAME = OthelloBoard.start().game


@kernel
def draw(game: Any, start: Any, words: Any, empties: Any, seed: Any) -> None:
    """Positions of random games."""
    state = U64(seed) * U64(0x9E3779B97F4A7C15) + U64(1)
    row = 0
    while row < len(words):
        position = start
        going = True
        while going:
            left = popcount(game.mask & ~(position.own | position.opp))
            if left == empties:
                words[row, 0], words[row, 1] = pack(game, position)
                row += 1
                break
            moves = legal(position.own, position.opp) & game.mask
            move = np.int64(PASS)
            if moves != U64(0):
                state ^= state << U64(13)
                state ^= state >> U64(7)
                state ^= state << U64(17)
                for _ in range((state >> U64(33)) % U64(popcount(moves))):
                    moves &= moves - U64(1)
                move = np.int64(lowest(moves))
            elif legal(position.opp, position.own) & game.mask == U64(0):
                going = False
            position = play(game, position, move)


@kernel
def replay(game: Any, start: Any, moves: Any, empties: Any, words: Any) -> Any:
    """The position of each game, a row of squares, with so many empty squares; how many there are."""
    found = 0
    for row in range(len(moves)):
        position = start
        for square in moves[row]:
            if popcount(game.mask & ~(position.own | position.opp)) == empties:
                words[found, 0], words[found, 1] = pack(game, position)
                found += 1
                break
            if (legal(position.own, position.opp) & game.mask) >> U64(square) & U64(1) == U64(0):
                position = play(game, position, np.int64(PASS))
            if (legal(position.own, position.opp) & game.mask) >> U64(square) & U64(1) == U64(0):
                break
            position = play(game, position, np.int64(square))
    return found


def drawn(count: int, empties: int, seed: int) -> Words:
    found = np.zeros((min(count, DIFFERENT), 2), np.uint64)
    draw(GAME, OthelloBoard.start().position, found, empties, seed)
    return varied(found, count, empties)


def varied(words: Words, count: int, empties: int) -> Words:
    """So many endings, or as many different ones as there are if they are not short."""
    if count <= len(words):
        return words[:count]
    below = np.concatenate([words, words.byteswap()])
    beside = REVERSED[below.view(np.uint8)].view(np.uint64)
    found = np.concatenate([below, beside])
    return np.resize(found, (count, 2)) if empties <= QUICK else found[:count]


def of_games(files: list[Path], count: int, empties: int) -> Words:
    """One position of each game of WTHOR files."""
    games = [np.frombuffer(file.read_bytes()[16:], np.uint8).reshape(-1, 68)[:, 8:] for file in files]
    tens = np.concatenate(games).astype(np.int64)
    squares = np.where(tens > 0, 8 * (tens // 10 - 1) + tens % 10 - 1, 0)
    found = np.zeros((len(squares), 2), np.uint64)
    end = replay(GAME, OthelloBoard.start().position, squares, empties, found)
    print(f"{end:,} games with {empties} squares empty", file=sys.stderr)
    return varied(np.unique(found[:end], axis=0), count, empties)


def compare() -> dict[str, Any]:
    wrong = 0
    for empties, count in COMPARED.items():
        words = drawn(count, empties, 7)
        wrong += int((solve(words) != solve_many(GAME, words, CORES)).sum())
        print(f"{empties} empty squares: {count:,} compared, {wrong} differ", file=sys.stderr, flush=True)
    return {"values compared": sum(COMPARED.values()), "that differ": wrong}


def on_gpu(words: Words) -> Callable[[], float]:
    solver, found = Solver(GAME), np.zeros(len(words), np.int8)

    def run() -> float:
        solver.forget()
        started = time.perf_counter()
        solver.values(words, found)
        return len(words) / (time.perf_counter() - started) / 1e3

    return run


def on_cores(words: Words) -> Callable[[], float]:
    def run() -> float:
        started = time.perf_counter()
        solve_many(GAME, words, CORES)
        return len(words) / (time.perf_counter() - started) / 1e3

    return run


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    files = [Path(each) for each in sys.argv[2:]]
    figures = compare()
    sides: dict[str, Callable[[], float]] = {}
    for empties, (there, here) in MEASURED.items():
        words = drawn(there, empties, 3)
        sides[f"drawn, {empties} empty, GPU"] = on_gpu(words)
        sides[f"drawn, {empties} empty, cores"] = on_cores(words[:here])
        if files and empties in OF_GAMES:
            words = of_games(files, there, empties)
            sides[f"of games, {empties} empty, GPU"] = on_gpu(words)
            sides[f"of games, {empties} empty, cores"] = on_cores(words[:here])
    for run in list(sides.values())[:2]:
        run()  # wakes the device
    samples = interleaved(sides, rounds)
    figures |= {f"{name}, thousands/s": statistics.median(found) for name, found in samples.items()}
    for name in samples:
        if name.endswith("GPU"):
            figures[f"{name} / {CORES} cores"] = ratio(samples, name, f"{name.removesuffix('GPU')}cores")
    save("gpu_endings", figures, samples)


if __name__ == "__main__":
    main()
