"""Plies per second of random games of Othello and Abalone: arrays of positions, boards one at a time, OpenSpiel.

python -m benchmarks.random_games [REPEATS]

Everything runs on one core, and times are processor times: a busy machine spoils them least. A ply is: legal moves, a
random choice, the move; with and without a test that the move is legal, or with lists of all legal moves. OpenSpiel,
which has only Othello of these games, is measured if it is installed (`pip install open_spiel`).
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from random import Random

import numpy as np

from benchmarks.common import interleaved, ratio, save
from outflank import AbaloneBoard, Board, OthelloBoard, Positions
from outflank.games.position_loops import NO_MOVE

POSITIONS = {"othello": 100_000, "abalone": 10_000}
"""Number of games that are played at the same time."""

PLY_LIMIT = 60
"""Plies of a game of Abalone: random games seldom end."""

BOARDS, STATES = 40, 1000
"""Number of games that are played one after another on boards and in OpenSpiel."""


def in_arrays(start: Board, games: int, *, check: bool = False, listed: bool = False) -> float:
    """Play games all at once; return plies per second."""
    rng = np.random.default_rng(1)
    positions = Positions.of([start] * games)
    plies, began = 0, time.process_time()
    for _ in range(PLY_LIMIT if isinstance(start, AbaloneBoard) else 2 * PLY_LIMIT):
        if listed:
            moves = positions.legal_moves()
            codes = moves.pick((rng.random(games, np.float32) * moves.counts).astype(np.int64))
        else:
            codes = positions.random_moves(rng)
        going_on = int(np.count_nonzero(codes != NO_MOVE))
        if not going_on:
            break
        positions.play(codes, check=check)
        plies += going_on
    positions.result()
    return plies / (time.process_time() - began)


def on_boards(start: Board) -> float:
    """Play games one after another; return plies per second."""
    random, plies, began = Random(1), 0, time.process_time()
    for _ in range(BOARDS):
        board = start.copy()
        while board.legal_moves and len(board.moves) < PLY_LIMIT:
            board.push(random.choice(board.legal_moves))
            plies += 1
    return plies / (time.process_time() - began)


def in_openspiel() -> float:
    """Play games of OpenSpiel's Othello one after another; return plies per second."""
    game = import_module("pyspiel").load_game("othello")
    random, plies, began = Random(1), 0, time.process_time()
    for _ in range(STATES):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
            plies += 1
    return plies / (time.process_time() - began)


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    starts: dict[str, Board] = {
        "othello": OthelloBoard.start(),
        "abalone": AbaloneBoard.start(repetitions=None, ply_limit=None),
    }
    sides: dict[str, Callable[[], float]] = {}
    for name, start in starts.items():
        sides[f"{name}, arrays"] = partial(in_arrays, start, POSITIONS[name])
        sides[f"{name}, arrays, moves checked"] = partial(in_arrays, start, POSITIONS[name], check=True)
        sides[f"{name}, arrays, all moves listed"] = partial(in_arrays, start, POSITIONS[name], listed=True)
        sides[f"{name}, boards"] = partial(on_boards, start)
    try:
        import_module("pyspiel")
        sides["othello, OpenSpiel"] = in_openspiel
    except ImportError:
        print("OpenSpiel is not installed: it is left out", file=sys.stderr)
    for start in starts.values():
        for listed in (False, True):
            in_arrays(start, 10, check=True, listed=listed)  # compiles the kernels
    samples = interleaved(sides, repeats)
    figures = {f"{name}, million plies/s": float(np.median(rates)) / 1e6 for name, rates in samples.items()}
    for other in ("othello, boards", "othello, OpenSpiel"):
        if other in samples:
            figures[f"arrays against {other}"] = ratio(samples, "othello, arrays", other)
    save("random_games", figures, samples)


if __name__ == "__main__":
    main()
