"""Measures how much the values of shallow and deeper searches differ. Selective search is based on these differences.

Positions are searched to every depth up to a limit. For each group of stages and each pair of depths that are both odd
or both even, the spread (root mean square) of the differences is computed. Every depth is also compared with the
evaluation alone, as depth 0. The formula of `SearchErrors` is fitted to the spreads. It extrapolates to depths that
take too long to measure.
"""

from dataclasses import dataclass
from math import log, log1p
from pathlib import Path

import numpy as np
import numpy.typing as npt

from outflank.boards.board import board_class
from outflank.errors import InvalidOption, OutflankError
from outflank.games.evaluation import begin, value
from outflank.games.patterns import stage
from outflank.games.rules import unpack
from outflank.games.scores import WON
from outflank.learning.generating import read_positions
from outflank.learning.pieces import Arrays, Step, Work
from outflank.learning.step_documents import DepthPair, DepthsDocument, DepthsSettings, FittedErrors
from outflank.learning.subject import Judge, Subject
from outflank.search.whole_search import iterate

POSITIONS, DEPTH = 400, 9
GROUPS = 6
"""Number of groups into which the stages of a game are divided, with about equally many positions each."""
FEWEST = 15
"""Least number of positions of a group of stages for which spreads are computed."""
AT_A_TIME = 8
TABLE_BITS = 18

Values = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Depths:
    """Options for measuring the differences between shallow and deeper searches."""

    evaluation: str = "patterns"
    """Evaluation that the searches use: a name, or `patterns:FILE`."""
    depth: int = DEPTH
    positions: int = POSITIONS
    seed: int = 1

    def __post_init__(self) -> None:
        if not 3 <= self.depth <= 30:
            raise InvalidOption(f"depth {self.depth}: 3 to 30")
        if not GROUPS * FEWEST <= self.positions <= 1_000_000:
            raise InvalidOption(f"{self.positions:,} positions: {GROUPS * FEWEST} to 1,000,000")


def measure(folder: Path, options: Depths, work: Work) -> DepthsDocument:
    """Search a training folder's positions to every depth, or continue an interrupted run; return the spreads."""
    document, subject, positions = read_positions(folder)
    judge = Judge(subject, options.evaluation)
    settings = DepthsSettings(
        positions=document.check,
        judge=judge.source,
        depth=options.depth,
        count=options.positions,
        seed=options.seed,
    )
    step, planned = Step(folder, "depths"), DepthsDocument(settings=settings, unit=subject.unit)
    with step.open(planned, step.document, work) as complete:
        if complete is not None:
            return complete
        candidates = np.flatnonzero(positions.left > options.depth)  # a value at the end of the game is not an estimate
        if len(candidates) < options.positions:
            have = f"{len(candidates):,} of its positions are farther than the depth from the end of the game"
            raise OutflankError(f"{folder}: {have}, and {options.positions:,} are asked for")
        rows = np.random.default_rng(options.seed).choice(candidates, options.positions, replace=False)
        stages, values = _searched(subject, judge, positions.boards[rows], options.depth, step, work)
        result = summarize(settings, subject.unit, stages, values, judge.points)
        step.finish(result)
        return result


def _searched(
    subject: Subject, judge: Judge, boards: npt.NDArray[np.uint64], depth: int, step: Step, work: Work
) -> tuple[Values, Values]:
    """Return the stage of each position, and its value at every depth from 0 to `depth`."""

    def search_rows(number: int) -> Arrays:
        rows = boards[number * AT_A_TIME : (number + 1) * AT_A_TIME]
        rows_values = [_values(subject, judge, row, depth) for row in rows]
        numbers = [int(stage(subject.rules, unpack(subject.rules, *row))) for row in rows]
        return {"stages": np.array(numbers, np.int64), "values": np.array(rows_values, np.int64)}

    def piece(number: int) -> Arrays:
        return step.piece(f"{number:06}", ("stages", "values"), lambda: search_rows(number))

    def tell(done: int) -> None:
        work.progress(f"depths: {min(done * AT_A_TIME, len(boards)):,} of {len(boards):,} positions")

    parts = work.map(piece, -(-len(boards) // AT_A_TIME), tell)
    return tuple(np.concatenate([part[name] for part in parts]) for name in ("stages", "values"))  # type: ignore[return-value]


def _values(subject: Subject, judge: Judge, words: npt.NDArray[np.uint64], depth: int) -> list[int]:
    rules = subject.rules
    position = unpack(rules, *words)
    estimate = int(value(judge.evaluation, rules, position, begin(judge.evaluation, rules, position)))
    board = board_class(rules)(rules, position)
    results = list(iterate(board, depth=depth, workers=1, evaluation=judge.evaluation, table_bits=TABLE_BITS))
    by_depth = [estimate, *(int(result.value or 0) for result in results)]
    return by_depth + by_depth[-1:] * (depth + 1 - len(by_depth))  # a game that ends sooner keeps its final value


def summarize(settings: DepthsSettings, unit: str, stages: Values, values: Values, points: int) -> DepthsDocument:
    """Return a document with the spread of each pair of depths, and the formula fitted to the spreads."""
    is_estimate = np.abs(values).max(axis=1) < WON
    stages, values = stages[is_estimate], values[is_estimate]
    edges = np.quantile(stages, np.linspace(0, 1, GROUPS + 1))
    group = np.clip(np.searchsorted(edges, stages, side="right") - 1, 0, GROUPS - 1)
    pairs, rows, targets = [], [], []
    for deep in range(1, values.shape[1]):
        # Only depths of the same parity are compared, because values of odd and even depths differ.
        for shallow in [0, *range(2 - deep % 2, deep, 2)]:
            for number in range(GROUPS):
                members = group == number
                if members.sum() < FEWEST:
                    continue
                differences = values[members, deep] - values[members, shallow]
                spread = float(np.sqrt(np.mean(differences.astype(np.float64) ** 2)))
                middle = float(stages[members].mean())
                pairs.append(
                    DepthPair(deep=deep, shallow=shallow, stage=round(middle, 1), spread=round(spread / points, 3))
                )
                if spread > 0:
                    rows.append([1.0, middle, log1p(shallow), log(deep - shallow)])
                    targets.append(log(spread))
    if len(rows) < 4:
        raise OutflankError("too few positions to say how far searches are off: more are needed")
    coefficients, *_ = np.linalg.lstsq(np.array(rows), np.array(targets), rcond=None)
    off = float(np.std(np.array(rows) @ coefficients - np.array(targets)))
    constant, by_stage, by_shallow, between = (round(float(coefficient), 4) for coefficient in coefficients)
    errors = FittedErrors(constant=constant, stage=by_stage, shallow=by_shallow, between=between)
    return DepthsDocument(
        settings=settings, complete=True, unit=unit, pairs=tuple(pairs), errors=errors, off=round(off, 3)
    )
