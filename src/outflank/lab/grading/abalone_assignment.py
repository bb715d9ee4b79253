"""Assignment 7, the free one: an evaluation and an order of moves for Abalone (report 003)."""

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import numpy as np

from outflank import AbaloneBoard, Limits, search
from outflank.abalone.evaluation import RING
from outflank.abalone.rules import Abalone, AbalonePosition
from outflank.games.evaluation import begin, value
from outflank.games.rules import MOVE, fill, mirror, most_moves, play, symmetries
from outflank.lab.grading.assignment import Assignment, Check, Program, Wrong, expect_equal, integer

LARGEST = 20_000
FAR = 1 << 20
DEPTH = 3
"""Plies of the searches that count the leaves of an order of moves."""
BOARDS = 3
BETTER = 0.95
"""Greatest number of leaves with a better order, divided by the number of leaves with report 003's order. The model
solution orders moves by the marbles and their distances from the centre after the move. With eight seeds, its quotient
is 0.54 to 0.89."""


def _boards(seed: int, subject: str, count: int, plies: tuple[int, int]) -> Iterator[AbaloneBoard]:
    """Yield boards after random moves."""
    generator = random.Random(f"{seed}/{subject}")
    for _ in range(count):
        board = AbaloneBoard.start(generator.choice(("standard", "belgian-daisy", "german-daisy")))
        for _ in range(generator.randint(*plies)):
            if board.is_game_over:
                break
            board.push(generator.choice(board.legal_moves))
        yield board


# --- the evaluation ---


def _value(program: Program, game: Abalone, position: AbalonePosition) -> int:
    state = begin(program.EVALUATION, game, position)
    return integer(value(program.EVALUATION, game, position, state), "EVALUATION")


def _range(program: Program, seed: int) -> str:
    values = []
    for board in _boards(seed, "range", 20, (0, 80)):
        number = _value(program, board.game, board.position)
        if abs(number) > LARGEST:
            raise Wrong(f"the value {number:,} of {board.to_text()} is not within ±{LARGEST:,}")
        values.append(number)
    if len(set(values)) < 5:
        raise Wrong(f"20 positions have only {len(set(values))} different values")
    return f"20 drawn positions: values from {min(values):,} to {max(values):,}"


def _fairness(program: Program, seed: int) -> str:
    for board in _boards(seed, "fairness", 20, (0, 80)):
        swapped = AbalonePosition(board.position.opp, board.position.own)
        own, other = (_value(program, board.game, position) for position in (board.position, swapped))
        if own != -other:
            raise Wrong(f"{board.to_text()} is worth {own} to one side and {other} to the other: the sum must be 0")
    return "20 drawn positions: what one side gains, the other loses"


def _symmetry(program: Program, seed: int) -> str:
    for board in _boards(seed, "symmetry", 8, (5, 60)):
        number = _value(program, board.game, board.position)
        for symmetry in range(1, symmetries(board.game)):
            image = _value(program, board.game, mirror(board.game, board.position, symmetry))
            if image != number:
                raise Wrong(f"{board.to_text()} is worth {number}, and {image} on a turned or mirrored board")
    return "8 drawn positions in all 12 symmetries of the board"


def _marbles(program: Program, seed: int) -> str:
    for board in _boards(seed, "marbles", 10, (0, 60)):
        own, opp = board.position.own, int(board.position.opp)
        captured = AbalonePosition(own, np.uint64(opp & (opp - 1)))
        before, after = (_value(program, board.game, position) for position in (board.position, captured))
        if after <= before:
            raise Wrong(f"{board.to_text()}: the loss of an opponent's marble changes {before} to {after}")
    return "10 drawn positions: a marble less for the opponent is a gain"


def _compiled(program: Program, seed: int) -> str:
    (board,) = _boards(seed, "compiled", 1, (10, 20))
    after = [play(board.game, board.position, MOVE(move.code)) for move in board.legal_moves]
    expected = max(-_value(program, board.game, position) for position in after)
    result = search(board, Limits(depth=1), algorithm="alphabeta", evaluation=program.EVALUATION, workers=1)
    expect_equal(result.value, expected, f"the value of a compiled search of one ply at {board.to_text()}")
    return "a compiled search of one ply has the value of the best move"


# --- the order of moves ---


def _estimate(position: AbalonePosition) -> int:
    """Return the value of a leaf in the searches that count leaves: marbles, then their distances from the centre."""

    def points(marbles: int) -> int:
        return sum((100 - distance) * (marbles & int(ring)).bit_count() for distance, ring in enumerate(RING))

    return points(int(position.own)) - points(int(position.opp))


class _Search:
    """Alpha-beta that counts leaves. `program` orders the moves; None: ascending codes, as in report 003."""

    def __init__(self, program: Program | None, seed: int) -> None:
        self.program, self.leaves = program, 0
        self._generator = random.Random(f"{seed}/order")

    def value(self, game: Abalone, position: AbalonePosition, depth: int, alpha: int = -FAR, beta: int = FAR) -> int:
        moves = np.zeros(most_moves(game), MOVE)
        end = fill(game, position, moves, 0) if depth > 0 else 0
        if end == 0:
            self.leaves += 1
            return _estimate(position)
        best = -FAR
        for move in self._ordered(game, position, sorted(map(int, moves[:end]))):
            child = play(game, position, MOVE(move))
            best = max(best, -self.value(game, child, depth - 1, -beta, -max(alpha, best)))
            if best >= beta:
                break
        return best

    def _ordered(self, game: Abalone, position: AbalonePosition, moves: list[int]) -> Sequence[int]:
        if self.program is None:
            return moves
        shuffled = self._generator.sample(moves, len(moves))
        answer: Iterable[object] = self.program.order(game, position, list(shuffled))
        ordered = [integer(move, "an element of order") for move in answer]
        if sorted(ordered) != moves:
            raise Wrong(f"order returns {len(ordered)} moves that are not the {len(moves)} moves that it was given")
        return ordered


@cache
def leaves_of_orders(program: Program, seed: int, boards: int = BOARDS, depth: int = DEPTH) -> tuple[int, int]:
    """Return two numbers of leaves in searches of random boards: with the submission's order of moves, and with report
    003's order."""
    ours, reports = _Search(program, seed), _Search(None, seed)
    for board in _boards(seed, "leaves", boards, (20, 60)):
        value, expected = (search.value(board.game, board.position, depth) for search in (ours, reports))
        if value != expected:
            raise Wrong(f"the order changes the value of {board.to_text()} from {expected} to {value}")
    return ours.leaves, reports.leaves


def _as_good(program: Program, seed: int) -> str:
    ours, reports = leaves_of_orders(program, seed)
    if ours > 1.1 * reports:
        raise Wrong(f"{ours:,} leaves, and {reports:,} with report 003's order")
    return f"{ours:,} leaves at depth {DEPTH} of {BOARDS} drawn positions, {reports:,} with report 003's order"


def _better(program: Program, seed: int) -> str:
    ours, reports = leaves_of_orders(program, seed)
    if ours > BETTER * reports:
        raise Wrong(f"{ours:,} leaves, and {reports:,} with report 003's order: at most {BETTER:.0%} of it")
    return f"{ours / reports:.0%} of the leaves of report 003's order"


ASSIGNMENT = Assignment(
    title="Abalone",
    required=("EVALUATION", "order"),
    checks=(
        Check(name="whole numbers", points=5, run=_range),
        Check(name="fairness", points=15, run=_fairness),
        Check(name="symmetry", points=15, run=_symmetry),
        Check(name="marbles", points=10, run=_marbles),
        Check(name="as good as the report's order", points=25, run=_as_good),
        Check(name="better than the report's order", points=20, run=_better),
        Check(name="compiled", points=10, run=_compiled, compiled=True),
    ),
)
