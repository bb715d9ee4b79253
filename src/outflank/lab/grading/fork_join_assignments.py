"""Assignments 1 to 3: minimax by fork-join, its granularity, and reducers (reports 002 and 004)."""

from collections.abc import Iterator
from functools import partial
from itertools import islice

from outflank.lab.grading.assignment import (
    Assignment,
    Check,
    Program,
    Wrong,
    expect_equal,
    expect_same,
    tuple_of,
)
from outflank.lab.grading.fork_join_runs import expect_no_race, outcome_of, spans_of
from outflank.lab.grading.oracles import (
    Position,
    best_move,
    children_of,
    drawn_positions,
    minimax,
    nodes_of,
    passing_positions,
    start,
)
from outflank.lab.spans.work_and_span import Spans

WORKERS = (1, 2, 4)

LEAST_PARALLELISM = 10.0
"""Least work / span of minimax at depth 3 of a position with at least five moves. With five seeds, a program that
spawns each move has 99 to 239, a program that spawns only the root's moves has 4 to 7, and a program without spawns has
1."""


def _positions(seed: int, subject: str) -> list[Position]:
    return [
        *drawn_positions(seed, subject, 4, size=4, plies=(0, 6)),
        *drawn_positions(seed, subject, 2, size=6, plies=(2, 20)),
    ]


def _wide_positions(seed: int, subject: str) -> Iterator[Position]:
    """Yield positions with at least five moves on a board of 6 × 6."""
    drawn = drawn_positions(seed, subject, 100, size=6, plies=(6, 12))
    return (position for position in drawn if len(children_of(position)) >= 5)


def _wide_position(seed: int, subject: str) -> Position:
    return next(_wide_positions(seed, subject))


def _expect_parallelism(spans: Spans, least: float) -> str:
    facts = f"work {spans.work:,.0f} and span {spans.span:,.0f} nodes, {spans.spawns:,} spawns"
    if spans.parallelism < least:
        raise Wrong(f"parallelism {spans.parallelism:.1f} ({facts}): {least:g} is the least")
    return f"parallelism {spans.parallelism:.1f} ({facts})"


# --- assignment 1 ---


def _values(program: Program, seed: int) -> str:
    for position in _positions(seed, "minimax"):
        for depth in range(4):
            value = outcome_of(program, position, depth, workers=1).value
            expect_equal(value, minimax(position, depth).value, f"the value at depth {depth} of {position}")
    return "6 drawn positions, depths 0 to 3: minimax values"


def _ends(program: Program, seed: int) -> str:
    positions = list(passing_positions(seed, "minimax", 4, size=4))
    for position in positions:
        value = outcome_of(program, position, 6, workers=1).value
        expect_equal(value, minimax(position, 6).value, f"the value at depth 6, with passes, of {position}")
    return f"{len(positions)} drawn positions with passes or near the end"


def _nodes(program: Program, seed: int) -> str:
    total = 0
    for position in _positions(seed, "nodes"):
        _, nodes = nodes_of(partial(outcome_of, program, position, 3, workers=2))
        expect_equal(nodes, minimax(position, 3).nodes, f"the number of nodes at depth 3 of {position}")
        total += nodes
    return f"{total:,} nodes: every move of every position was played once"


def _determinism(program: Program, seed: int) -> str:
    for position in drawn_positions(seed, "determinism", 2, size=4, plies=(2, 5)):
        outcomes = [outcome_of(program, position, 4, workers=workers) for workers in WORKERS for _ in range(2)]
        expect_same([outcome.value for outcome in outcomes], f"values at {position}")
        expect_same([outcome.spawns for outcome in outcomes], f"numbers of spawns at {position}")
    return "1, 2 and 4 workers, twice each: equal values, equal spawns"


def _parallelism(program: Program, seed: int) -> str:
    return _expect_parallelism(spans_of(program, _wide_position(seed, "span"), 3), LEAST_PARALLELISM)


def _compiled(program: Program, seed: int) -> str:
    return _compiled_values(program, seed)


def _compiled_values(program: Program, seed: int, *arguments: int) -> str:
    """Check the values of the compiled program on two workers. `arguments` are passed to it after the depth."""
    position = next(drawn_positions(seed, "compiled", 1, size=8, plies=(1, 3)))
    value = outcome_of(program, position, 6, *arguments, workers=2).value
    expect_equal(value, minimax(position, 6).value, f"the compiled value at depth 6 of {position}")
    one, two = (outcome_of(program, position, 8, *arguments, workers=workers) for workers in (1, 2))
    expect_same([one.value, two.value], f"values at depth 8 of {position}")
    return f"depth 8 on two workers: {two.spawns:,} spawns, {two.steals:,} steals"


MINIMAX = Assignment(
    title="Minimax and a fork-join speed-up",
    required=("program",),
    checks=(
        Check(name="values", points=20, run=_values),
        Check(name="passes and ends", points=15, run=_ends),
        Check(name="nodes", points=15, run=_nodes),
        Check(name="determinism", points=15, run=_determinism),
        Check(name="parallelism", points=25, run=_parallelism),
        Check(name="compiled", points=10, run=_compiled, compiled=True),
    ),
)


# --- assignment 2 ---

DEPTH = 4
MOST_SPAWNS_PER_NODE = 0.25
"""Greatest number of spawns per node with the chosen granularity. The model solution has some 0.86, 0.12 and 0.02 with
granularities 0, 1 and 2."""
LEAST_SHARE = 0.75
"""Least burdened parallelism with the chosen granularity, divided by the burdened parallelism with the best
granularity. With five seeds, the model solution's quotient is 0.68 to 0.76 with granularity 0, 0.92 to 0.99 with
granularity 1, 1 with granularity 2, and at most 0.41 with granularity 3."""


def _granular_values(program: Program, seed: int) -> str:
    for position in _positions(seed, "granularity")[2:]:
        for granularity in range(5):
            value = outcome_of(program, position, 3, granularity, workers=2).value
            truth = minimax(position, 3).value
            expect_equal(value, truth, f"the value at depth 3 with granularity {granularity} of {position}")
    return "4 drawn positions, granularities 0 to 4: minimax values"


def _inner_nodes(position: Position, depth: int, granularity: int) -> Iterator[int]:
    """Yield the number of moves of each node with more than `granularity` plies left. Only these nodes may spawn."""
    if depth > granularity and depth > 0:
        children = children_of(position)
        yield len(children)
        for _, child in children:
            yield from _inner_nodes(child, depth - 1, granularity)


def _spawns(program: Program, seed: int) -> str:
    counts = []
    for position in drawn_positions(seed, "spawns", 3, size=4, plies=(1, 4)):
        for granularity in range(DEPTH + 1):
            widths = list(_inner_nodes(position, DEPTH, granularity))
            most, least = sum(widths), sum(max(0, width - 1) for width in widths)
            spawns = outcome_of(program, position, DEPTH, granularity, workers=1).spawns
            if not least <= spawns <= most:
                text = f"{least:,} to {most:,}" if most else "none"
                raise Wrong(f"{spawns:,} spawns at depth {DEPTH} with granularity {granularity}, instead of {text}")
            counts.append(spawns)
    return f"{', '.join(map(str, counts[: DEPTH + 1]))} spawns with granularities 0 to {DEPTH} on the first position"


def _granularity(program: Program, seed: int) -> str:
    position, own_granularity = _wide_position(seed, "chosen"), program.GRANULARITY
    if own_granularity not in range(DEPTH + 1):
        raise Wrong(f"GRANULARITY is {own_granularity!r}: choose one of 0 to {DEPTH} for a search of {DEPTH} plies")
    own = spans_of(program, position, DEPTH, own_granularity)
    if own.spawns > MOST_SPAWNS_PER_NODE * own.work:
        raise Wrong(f"GRANULARITY {own_granularity} is too fine: {own.spawns:,} spawns for {own.work:,.0f} nodes")
    spans = [
        own if granularity == own_granularity else spans_of(program, position, DEPTH, granularity)
        for granularity in range(DEPTH + 1)
    ]
    figures = ", ".join(f"{span.burdened_parallelism:.1f}" for span in spans)
    facts = f"burdened parallelism with granularities 0 to {DEPTH}: {figures}"
    if own.burdened_parallelism < LEAST_SHARE * max(span.burdened_parallelism for span in spans):
        raise Wrong(f"GRANULARITY {own_granularity} is not near the best; {facts}")
    return facts


def _granular_determinism(program: Program, seed: int) -> str:
    position = next(drawn_positions(seed, "determinism", 1, size=4, plies=(2, 5)))
    for granularity in (0, 2):
        outcomes = [outcome_of(program, position, 4, granularity, workers=workers) for workers in WORKERS]
        expect_same(
            [(outcome.value, outcome.spawns) for outcome in outcomes], "values and spawns of 1, 2 and 4 workers"
        )
    return "1, 2 and 4 workers: equal values, equal spawns"


def _compiled_granularity(program: Program, seed: int) -> str:
    return _compiled_values(program, seed, program.GRANULARITY)


GRANULARITY = Assignment(
    title="Granularity and burdened parallelism",
    required=("program", "GRANULARITY"),
    checks=(
        Check(name="values", points=20, run=_granular_values),
        Check(name="spawns", points=25, run=_spawns),
        Check(name="determinism", points=10, run=_granular_determinism),
        Check(name="granularity", points=35, run=_granularity),
        Check(name="compiled", points=10, run=_compiled_granularity, compiled=True),
    ),
)


# --- assignment 3 ---


def _answer(program: Program, position: Position, depth: int, workers: int = 1) -> tuple[object, object, object]:
    """Return the value, the move and the leaves that a submission finds."""
    value, move, leaves = tuple_of(outcome_of(program, position, depth, workers=workers).value, 3, "program")
    return value, move, leaves


def _best(program: Program, seed: int) -> str:
    positions = [start(4), *_positions(seed, "best")]
    for position in positions:
        value, _, _ = _answer(program, position, 3)
        expect_equal(value, minimax(position, 3).value, f"the value at depth 3 of {position}")
    return f"{len(positions)} positions: minimax values"


def _counted_leaves(program: Program, seed: int) -> str:
    positions = [start(4), *_positions(seed, "leaves")]
    for position in positions:
        _, _, leaves = _answer(program, position, 3, workers=2)
        expect_equal(leaves, minimax(position, 3).leaves, f"the number of leaves at depth 3 of {position}")
    return f"{len(positions)} positions: the leaves of perft"


def _ties(program: Program, seed: int) -> str:
    tied = 0
    for position in drawn_positions(seed, "ties", 40, size=4, plies=(0, 6)):
        values = [-minimax(child, 2).value for _, child in children_of(position)]
        if tied < 8 and values.count(max(values)) > 1:
            tied += 1
            for workers in (1, 2):
                _, move, _ = _answer(program, position, 3, workers)
                expect_equal(move, best_move(position, 3), f"the lowest of equally good moves at {position}")
    return f"{tied} drawn positions with equally good moves: the lowest was chosen"


def _same(program: Program, seed: int) -> str:
    position = _wide_position(seed, "same")
    expect_same([_answer(program, position, 3, workers) for workers in WORKERS for _ in range(2)], "answers")
    return "1, 2 and 4 workers, twice each: equal values, moves and leaves"


def _races(program: Program, seed: int) -> str:
    # With few moves at the root, one worker may run them all, and no race is seen.
    cases = [(position, 2) for position in islice(_wide_positions(seed, "races"), 2)]
    accesses = expect_no_race(program, cases, seed=seed, schedules=4)
    return f"8 seeded schedules of two workers: no race in {accesses:,} accesses"


def _reduced_parallelism(program: Program, seed: int) -> str:
    return _expect_parallelism(spans_of(program, _wide_position(seed, "span"), 3), LEAST_PARALLELISM)


def _compiled_answer(program: Program, seed: int) -> str:
    position = next(drawn_positions(seed, "compiled", 1, size=8, plies=(1, 3)))
    answer = _answer(program, position, 5, workers=2)
    expected = minimax(position, 5)
    for number, right, what in zip(
        answer, (expected.value, best_move(position, 5), expected.leaves), ("value", "move", "leaves"), strict=True
    ):
        expect_equal(number, right, f"the compiled {what} at depth 5 of {position}")
    return f"depth 5 on two workers: {expected.leaves:,} leaves"


REDUCERS = Assignment(
    title="Reducers, ties and races",
    required=("program",),
    checks=(
        Check(name="values", points=15, run=_best),
        Check(name="leaves", points=15, run=_counted_leaves),
        Check(name="ties", points=20, run=_ties),
        Check(name="determinism", points=10, run=_same),
        Check(name="races", points=20, run=_races),
        Check(name="parallelism", points=10, run=_reduced_parallelism),
        Check(name="compiled", points=10, run=_compiled_answer, compiled=True),
    ),
)
