"""Thousands of drawn endings, solved with all that Othello offers, against the search that plays by the rules alone.

Both scorings and all sizes; positions of games and boards set down anyhow: islands of empty squares, sides that
are wiped out or cannot move, full boards. One worker, two and four, by every scheme; who wins is the sign of the score;
where all moves are asked for, each has its score. Minutes, so not for CI.

python -m tests.endings [ENDINGS [SEED]]      ends with status 1 at the first mismatch
"""

import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import outflank
from outflank import OthelloBoard, Result, Side
from outflank.kernels.bits import U64
from outflank.othello.rules import OthelloPosition
from outflank.othello.squares import START, othello, squares
from tests.parallel.test_parallel import SCHEMES
from tests.walking import legal, walk

TABLE_BITS = 16
ALL_MOVES = 99
LEAST, MOST = 8, 16
"""Empty squares of the endings that are drawn from games."""

Draw = Callable[[np.random.Generator, Any, int], OthelloPosition | None]


def played(random: np.random.Generator, game: Any, size: int) -> OthelloPosition | None:
    """The ending of a game of random moves; the deepest are few, for they take longest."""
    empty = min(int(random.integers(LEAST, MOST + 1)), int(random.integers(LEAST, MOST + 1)), size * size - 4)
    return walk(game, START, int(random.integers(1 << 31)), size * size - 4 - empty)


def anyhow(random: np.random.Generator, game: Any, size: int) -> OthelloPosition:
    """Discs set down by lot, with few empty squares or none."""
    return _board(random, size, random.choice(size * size, int(random.integers(13)), replace=False))


def islands(random: np.random.Generator, game: Any, size: int) -> OthelloPosition:
    """Groups of one to three empty squares, far enough apart to be regions of their own."""
    empty: set[int] = set()
    for corner in random.permutation([(row, file) for row in range(0, size, 3) for file in range(0, size, 3)]):
        if len(empty) < 11 and random.integers(4):
            row, file = (min(int(place), size - 2) for place in corner)
            group = [(row, file), (row, file + 1), (row + 1, file)][: int(random.integers(1, 4))]
            empty |= {size * down + across for down, across in group}
    return _board(random, size, np.array(sorted(empty), int))


def one_sided(random: np.random.Generator, game: Any, size: int) -> OthelloPosition:
    """One side has nearly all discs, or all: passes, wiped out sides, and games that are over."""
    empty = random.choice(size * size, int(random.integers(1, 12)), replace=False)
    return _board(random, size, empty, share=float(random.choice([0.0, 0.02, 0.06, 0.94, 0.98, 1.0])))


def full(random: np.random.Generator, game: Any, size: int) -> OthelloPosition:
    """No empty square."""
    return _board(random, size, np.array([], int))


def _board(random: np.random.Generator, size: int, empty: Any, share: float = 0.5) -> OthelloPosition:
    own = opp = 0
    for number, square in enumerate(squares(size)):
        if number not in empty:
            mine = random.random() < share
            own |= mine << square
            opp |= (not mine) << square
    return OthelloPosition(U64(own), U64(opp))


KINDS: dict[Draw, int] = {played: 10, anyhow: 4, islands: 3, one_sided: 2, full: 1}
"""How often each is drawn, of twenty."""


class Endings:
    """One run, with what it has seen."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.seen: Counter[str] = Counter()

    def once(self, number: int) -> None:
        """Draw one, and solve it in all ways that are its turn."""
        size = int(self.random.choice([8, 8, 8, 6, 4]))
        scoring = str(self.random.choice(["winner-takes-empties", "discs"]))
        game = othello(size, scoring)
        draw = [kind for kind, times in KINDS.items() for _ in range(times)][int(self.random.integers(20))]
        position = draw(self.random, game, size)
        board = OthelloBoard(game, position)
        moves = ALL_MOVES if number % 5 == 0 and board.moves_left <= 11 else 1
        plain = self.solve(board, use_endgame_kernels=False, workers=1, deepen=False, moves=moves)
        ours = self.solve(board, workers=1, deepen=bool(number % 2), moves=moves)
        self.agree(board, "one worker", plain, ours)
        if moves > 1:
            assert _values(ours) == _values(plain), (board.to_text(), scoring, _values(ours), _values(plain))
            self.seen["all moves"] += 1
        self.follow(board, ours)
        if plain.value is not None:
            found = self.solve(board, wld=True, workers=1 + number % 2, deepen=False)
            expected = (plain.value > 0) - (plain.value < 0)
            assert found.value == expected, (board.to_text(), scoring, "who wins", found.value, plain.value)
            self.seen["who wins"] += 1
        if number % 4 == 0:
            scheme, workers = str(self.random.choice(SCHEMES)), int(self.random.choice([2, 4]))
            options: dict[str, Any] = {"parallel": scheme, "workers": workers, "moves": moves}
            found = self.solve(board, threshold=int(self.random.integers(2, 9)), deepen=False, **options)
            self.agree(board, f"{scheme}, {workers} workers", plain, found)
        self.seen[f"{draw.__name__}, {size}x{size}"] += 1
        if not legal(game, position):
            self.seen["over"] += 1

    def solve(self, board: OthelloBoard, **options: Any) -> Result:
        return outflank.solve(board, table_bits=TABLE_BITS, **options)

    def agree(self, board: OthelloBoard, how: str, plain: Result, found: Result) -> None:
        """The score is the plain search's, and proved."""
        told = (board.to_text(), how, found.value, plain.value)
        assert (found.value, found.exact, found.lower, found.upper) == (plain.value, True, plain.lower, plain.upper), (
            told
        )
        self.seen[how] += 1

    def follow(self, board: OthelloBoard, found: Result) -> None:
        """The line that is given, played to its end, has the score, if the game is over there."""
        twin = board.copy()
        for move in found.pv:
            twin.push(move)
        outcome = twin.outcome()
        if outcome is not None and found.value is not None and found.pv:
            reached = outcome.score if board.turn is Side.BLACK else -outcome.score
            assert reached == found.value, (
                board.to_text(),
                "line",
                [str(move) for move in found.pv],
                reached,
                found.value,
            )
            self.seen["lines to the end"] += 1


def _values(found: Result) -> dict[str, int]:
    return {str(each.move): each.value for each in found.best}


def main() -> int:
    """Draw and compare."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    run = Endings(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    began = time.perf_counter()
    for number in range(count):
        try:
            run.once(number)
        except AssertionError as error:
            print(f"ending {number}: {error}")
            return 1
        if (number + 1) % 500 == 0 or number + 1 == count:
            print(f"{number + 1:,} endings agree, {time.perf_counter() - began:.0f} s", flush=True)
    print(", ".join(f"{what}: {times:,}" for what, times in sorted(run.seen.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
