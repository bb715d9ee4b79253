"""Assignment 4: alpha-beta, young brothers and speculation (reports 001 and 003)."""

import random
from functools import partial

import numpy as np

from outflank.games.rules import MOVE
from outflank.lab.grading.assignment import Assignment, Check, Program, Wrong, expect_equal, expect_same, integer
from outflank.lab.grading.fork_join_runs import outcome_of, spans_of
from outflank.lab.grading.oracles import (
    FAR,
    Position,
    alphabeta,
    drawn_positions,
    minimax,
    nodes_of,
    passing_positions,
    start,
    young_brothers,
)

DEPTH = 4
MOST_MOVES = 64

LEAST_PARALLELISM = 4.0
"""Least work / span of young brothers wait at depth 4, over the positions of the check. The model solution has 10, and
a program without spawns has 1."""


def _search(program: Program, position: Position, depth: int, alpha: int = -FAR, beta: int = FAR) -> tuple[int, int]:
    """Return the value of the submission's search, and the number of nodes it entered (always 1 if it is compiled)."""
    moves = np.zeros(MOST_MOVES * (depth + 1), MOVE)
    arguments = (position.game, position.words, depth, alpha, beta, moves, 0)
    value, nodes = nodes_of(lambda: program.alphabeta(*arguments))
    return integer(value, "alphabeta"), nodes


def _values(program: Program, seed: int) -> str:
    positions = [
        *drawn_positions(seed, "alphabeta", 6, size=4, plies=(0, 6)),
        *drawn_positions(seed, "alphabeta", 2, size=6, plies=(2, 20)),
    ]
    for position in positions:
        for depth in range(DEPTH):
            value, _ = _search(program, position, depth)
            expect_equal(value, minimax(position, depth).value, f"the value at depth {depth} of {position}")
    return f"{len(positions)} drawn positions, depths 0 to {DEPTH - 1}"


def _ends(program: Program, seed: int) -> str:
    positions = list(passing_positions(seed, "alphabeta", 4, size=4))
    for position in positions:
        value, nodes = _search(program, position, 12)
        expected = alphabeta(position, 12)
        expect_equal(value, expected.value, f"the final value of {position}")
        expect_equal(nodes, expected.nodes, f"the number of nodes to the end of {position}")
    return f"{len(positions)} drawn positions with passes, to the end of the game"


def _nodes(program: Program, seed: int) -> str:
    positions = [start(4), *drawn_positions(seed, "nodes", 6, size=4, plies=(1, 5))]
    for position in positions:
        _, nodes = _search(program, position, DEPTH + 1)
        expected, all_nodes = alphabeta(position, DEPTH + 1).nodes, minimax(position, DEPTH + 1).nodes
        if nodes == all_nodes > expected:
            raise Wrong(f"{nodes} nodes at {position}: nothing is cut off, and alpha-beta needs {expected}")
        expect_equal(nodes, expected, f"the number of nodes at depth {DEPTH + 1} of {position}")
    return f"{len(positions)} positions, depth {DEPTH + 1}: the nodes of alpha-beta with moves in ascending order"


def _windows(program: Program, seed: int) -> str:
    generator = random.Random(f"{seed}/windows")
    positions = list(drawn_positions(seed, "windows", 8, size=4, plies=(1, 6)))
    for position in positions:
        alpha = generator.randint(-8, 7)
        beta = alpha + generator.randint(1, 6)
        value, nodes = _search(program, position, DEPTH, alpha, beta)
        truth = minimax(position, DEPTH).value
        place = f"in the window ({alpha}, {beta}) at {position}"
        above, below = truth <= value <= alpha, beta <= value <= truth
        if not (value == truth or above or below):
            raise Wrong(f"{value} {place}, where the value is {truth}: inside it must be exact, outside a bound")
        expect_equal(nodes, alphabeta(position, DEPTH, alpha, beta).nodes, f"the number of nodes {place}")
    return f"{len(positions)} drawn windows: exact inside, a bound outside"


def _compiled(program: Program, seed: int) -> str:
    position = next(drawn_positions(seed, "compiled", 1, size=8, plies=(4, 8)))
    expected = minimax(position, 4).value
    expect_equal(
        _search(program, position, 4)[0], expected, f"the compiled value of alphabeta at depth 4 of {position}"
    )
    outcome = outcome_of(program, position, 4, workers=2)
    expect_equal(outcome.value, expected, f"the compiled value of program at depth 4 of {position}")
    return "alphabeta and program find the value at depth 4"


# --- young brothers wait ---


def _brothers(program: Program, seed: int) -> str:
    total = plain_total = 0
    positions = [
        *drawn_positions(seed, "brothers", 4, size=4, plies=(0, 5)),
        *drawn_positions(seed, "brothers", 2, size=6, plies=(4, 12)),
        *passing_positions(seed, "brothers", 2, size=4),
    ]
    for position in positions:
        expected, plain = young_brothers(position, DEPTH), alphabeta(position, DEPTH).nodes
        outcome, nodes = nodes_of(partial(outcome_of, program, position, DEPTH, workers=2))
        expect_equal(outcome.value, minimax(position, DEPTH).value, f"the value of {position}")
        if nodes == plain != expected.nodes:
            raise Wrong(f"{nodes} nodes at {position}: brothers use each other's values, and have to wait for them")
        expect_equal(nodes, expected.nodes, f"the number of nodes of young brothers wait at {position}")
        total, plain_total = total + nodes, plain_total + plain
    return f"{total:,} nodes, {total / plain_total:.2f} times those of alpha-beta: the price of speculation"


def _determinism(program: Program, seed: int) -> str:
    position = next(drawn_positions(seed, "determinism", 1, size=4, plies=(2, 4)))
    runs = [nodes_of(partial(outcome_of, program, position, DEPTH, workers=workers)) for workers in (1, 2, 4)]
    expect_same([(outcome.value, outcome.spawns, nodes) for outcome, nodes in runs], "value, spawns and nodes")
    return "1, 2 and 4 workers: equal values, spawns and nodes"


def _parallelism(program: Program, seed: int) -> str:
    work = span = 0.0
    for position in drawn_positions(seed, "parallelism", 3, size=6, plies=(6, 12)):
        spans = spans_of(program, position, DEPTH)
        work, span = work + spans.work, span + spans.span
    facts = f"parallelism {work / span:.1f} (work {work:,.0f}, span {span:,.0f} nodes)"
    if work < LEAST_PARALLELISM * span:
        raise Wrong(f"{facts}: {LEAST_PARALLELISM:g} is the least")
    return facts


ASSIGNMENT = Assignment(
    title="Alpha-beta, young brothers and speculation",
    required=("alphabeta", "program"),
    checks=(
        Check(name="values", points=10, run=_values),
        Check(name="passes and ends", points=10, run=_ends),
        Check(name="nodes", points=20, run=_nodes),
        Check(name="windows", points=15, run=_windows),
        Check(name="young brothers", points=20, run=_brothers),
        Check(name="determinism", points=5, run=_determinism),
        Check(name="parallelism", points=10, run=_parallelism),
        Check(name="compiled", points=10, run=_compiled, compiled=True),
    ),
)
