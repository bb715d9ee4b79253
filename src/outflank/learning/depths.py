"""How far shallow searches by an evaluation are off from deeper ones: what selective searches go by.

Positions are searched to every depth up to one. The differences between the values of two depths, by stage of the game,
have a spread; a formula of four numbers (`games/search_errors.py`) is fitted to these, which says it for depths that
nobody waits for, too.
"""

from dataclasses import dataclass
from math import log, log1p
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.boards.board import board_class
from outflank.errors import InvalidOption, OutflankError
from outflank.games.description import WON
from outflank.games.evaluation import begin, value
from outflank.games.patterns import stage
from outflank.games.rules import unpack
from outflank.games.search_errors import SearchErrors
from outflank.learning.documents import DepthPair, DepthsDocument, DepthsSettings, FittedErrors
from outflank.learning.generating import read_positions
from outflank.learning.pieces import Step, Work
from outflank.learning.subject import Judge, Subject
from outflank.search.deepening import iterate

POSITIONS, DEPTH = 400, 9
GROUPS = 6
"""Of stages, with about as many positions each."""
FEWEST = 15
"""Positions that must tell of a pair of depths in a group."""
AT_A_TIME = 8
TABLE_BITS = 18

Values = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Depths:
    """What is measured."""

    evaluation: str = "patterns"
    """By name, or patterns:FILE."""
    depth: int = DEPTH
    positions: int = POSITIONS
    seed: int = 1

    def __post_init__(self) -> None:
        if not 3 <= self.depth <= 30:
            raise InvalidOption(f"depth {self.depth}: 3 to 30")
        if not GROUPS * FEWEST <= self.positions <= 1_000_000:
            raise InvalidOption(f"{self.positions:,} positions: {GROUPS * FEWEST} to 1,000,000")


def measure(folder: Path, asked: Depths, work: Work) -> DepthsDocument:
    """Search positions of a folder to every depth, or go on with it, and say how far the values are apart."""
    document, subject, positions = read_positions(folder)
    judge = Judge(subject, asked.evaluation)
    settings = DepthsSettings(
        positions=document.check,
        judge=judge.source,
        depth=asked.depth,
        count=asked.positions,
        seed=asked.seed,
    )
    step, fresh = Step(folder, "depths"), DepthsDocument(settings=settings, unit=subject.unit)
    with step.begun(fresh, step.document, work) as complete:
        if complete is not None:
            return complete
        far = np.flatnonzero(positions.left > asked.depth)  # from the end of the game, which is no estimate
        if len(far) < asked.positions:
            have = f"{len(far):,} of its positions are farther than the depth from the end of the game"
            raise OutflankError(f"{folder}: {have}, and {asked.positions:,} are asked for")
        chosen = np.random.default_rng(asked.seed).choice(far, asked.positions, replace=False)
        stages, values = _searched(subject, judge, positions.boards[chosen], asked.depth, step, work)
        found = summed_up(settings, subject.unit, stages, values, judge.points)
        step.finish(found)
        return found


def _searched(
    subject: Subject, judge: Judge, boards: npt.NDArray[np.uint64], depth: int, step: Step, work: Work
) -> tuple[Values, Values]:
    """The stage of each position, and its values at every depth from 0 on."""

    def some(number: int) -> dict[str, Any]:
        rows = boards[number * AT_A_TIME : (number + 1) * AT_A_TIME]
        found = [_values(subject, judge, row, depth) for row in rows]
        numbers = [int(stage(subject.rules, unpack(subject.rules, *row))) for row in rows]
        return {"stages": np.array(numbers, np.int64), "values": np.array(found, np.int64)}

    def piece(number: int) -> Any:
        return step.piece(f"{number:06}", ("stages", "values"), lambda: some(number))

    def tell(done: int) -> None:
        work.progress(f"depths: {min(done * AT_A_TIME, len(boards)):,} of {len(boards):,} positions")

    parts = work.each(piece, -(-len(boards) // AT_A_TIME), tell)
    return tuple(np.concatenate([part[name] for part in parts]) for name in ("stages", "values"))  # type: ignore[return-value]


def _values(subject: Subject, judge: Judge, words: Any, depth: int) -> list[int]:
    rules = subject.rules
    position = unpack(rules, *words)
    seeming = int(value(judge.evaluation, rules, position, begin(judge.evaluation, rules, position)))
    board = board_class(rules)(rules, position)
    results = list(iterate(board, depth=depth, workers=1, evaluation=judge.evaluation, table_bits=TABLE_BITS))
    found = [seeming, *(int(result.value or 0) for result in results)]
    return found + found[-1:] * (depth + 1 - len(found))  # a game that ends sooner is known


def summed_up(settings: DepthsSettings, unit: str, stages: Values, values: Values, points: int) -> DepthsDocument:
    """What values at all depths say: the spread of each pair of depths, and the formula for them."""
    estimated = np.abs(values).max(axis=1) < WON
    stages, values = stages[estimated], values[estimated]
    edges = np.quantile(stages, np.linspace(0, 1, GROUPS + 1))
    group = np.clip(np.searchsorted(edges, stages, side="right") - 1, 0, GROUPS - 1)
    pairs, rows, aims = [], [], []
    for deep in range(1, values.shape[1]):
        # Values of odd and even depths differ: a search is asked about one that is as odd or even as it is.
        for shallow in [0, *range(2 - deep % 2, deep, 2)]:
            for number in range(GROUPS):
                chosen = group == number
                if chosen.sum() < FEWEST:
                    continue
                apart = values[chosen, deep] - values[chosen, shallow]
                spread = float(np.sqrt(np.mean(apart.astype(np.float64) ** 2)))
                middle = float(stages[chosen].mean())
                pairs.append(
                    DepthPair(deep=deep, shallow=shallow, stage=round(middle, 1), spread=round(spread / points, 3))
                )
                if spread > 0:
                    rows.append([1.0, middle, log1p(shallow), log(deep - shallow)])
                    aims.append(log(spread))
    if len(rows) < 4:
        raise OutflankError("too few positions to say how far searches are off: more are needed")
    found, *_ = np.linalg.lstsq(np.array(rows), np.array(aims), rcond=None)
    off = float(np.std(np.array(rows) @ found - np.array(aims)))
    constant, by_stage, by_shallow, between = (round(float(each), 4) for each in found)
    errors = FittedErrors(constant=constant, stage=by_stage, shallow=by_shallow, between=between)
    return DepthsDocument(
        settings=settings, complete=True, unit=unit, pairs=tuple(pairs), errors=errors, off=round(off, 3)
    )


def search_errors(document: DepthsDocument) -> SearchErrors:
    """The formula."""
    assert document.errors is not None
    errors = document.errors
    return SearchErrors(errors.constant, errors.stage, errors.shallow, errors.between)
