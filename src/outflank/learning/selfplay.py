"""Playing the games of self-play, from starting positions or from recorded games, and taking positions from them.

Good players avoid bad positions, but a search visits mostly bad positions, to refute bad moves. So games begin with
random moves. In half of the games one side or both continue with random moves. All other moves are the best of a
shallow search with noise added to its values, more in some games than in others.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank.games.evaluation import LIMIT, Evaluation, State, after, begin, value
from outflank.games.patterns import stage
from outflank.games.rules import (
    Game,
    Moves,
    Position,
    Value,
    fill,
    is_pass,
    moves_left,
    over,
    pack,
    play,
    score,
    unpack,
)
from outflank.kernels.compiler import inner, kernel
from outflank.learning.subject import Judge, Subject
from outflank.search.looking import SORTED_FROM, WORST
from outflank.search.many_endings import Words
from outflank.search.ordering import bring_best, weigh
from outflank.search.request import Options
from outflank.search.root import Root
from outflank.search.table import NO_MOVE
from outflank.search.worker import Worker

# A shallow search that recognises the end of a game.
#
# The look-ahead of searches (`search/looking.py`), which orders moves, evaluates finished games like other positions.
# Learning must not do so: weights are never fitted to finished games, so the evaluation of a finished game means
# nothing.


@inner
def final_value(game: Game, position: Position, points: int, won: int) -> Value:
    """Return the value of a finished game: its score times `points`, or, if `won` is not 0, `won` for the winner."""
    result = np.int64(score(game, position))
    if won == 0:
        return result * points
    return won if result > 0 else -won if result < 0 else np.int64(0)


@kernel
def shallow_search(
    game: Game,
    evaluation: Evaluation,
    position: Position,
    state: State,
    alpha: Value,
    beta: Value,
    plies: int,
    start: int,
    points: int,
    won: int,
    worker: Worker,
) -> Value:
    """Return the value of a search of `plies` moves (not passes): exact inside (alpha, beta), else a bound on that
    side."""
    worker.nodes += 1
    if plies <= 0 and not over(game, position):
        return np.int64(value(evaluation, game, position, state))
    end = fill(game, position, worker.moves, start)
    if end == start:
        return final_value(game, position, points, won)
    left = plies
    if end > start + 1 or not is_pass(game, worker.moves[start]):
        left = plies - 1
    sorting = plies >= SORTED_FROM
    if sorting:
        weigh(game, position, plies, np.int64(0), np.int64(NO_MOVE), start, end, worker)
    best = np.int64(WORST)
    index = start
    while index < end and best < beta:
        if sorting:
            bring_best(index, end, worker)
        move = worker.moves[index]
        child = play(game, position, move)
        child_state = after(evaluation, game, state, position, move, child)
        low = max(alpha, best)
        child_value = -shallow_search(game, evaluation, child, child_state, -beta, -low, left, end, points, won, worker)
        best = max(best, child_value)
        index += 1
    return best


GAMES = 64
"""Number of self-play games in a group, which is played and stored together."""

OPENING = 12
"""Greatest number of random moves at the beginning of a self-play game, or after the game leaves a recorded game."""

NOISE = 0.015, 0.1
"""Least and greatest standard deviation of the noise that is added to the values of moves, as a fraction of the largest
value. Each game has a random deviation in between."""

RANDOM_SIDES = (0, 0, 0, 1, 2, 3)
"""Sets of sides that move randomly, as bits. Each game draws one: no side (half of the cases), the first side, the
second side, or both."""

NOISE_VALUES = 16
"""Number of noise values for the moves of a position. If there are more moves, some moves share a value."""

Rows = npt.NDArray[np.int64]
"""Row numbers of positions in `Positions`."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions from games, with their properties; each field has a row for each position."""

    boards: Words
    """Two words for each position, as `pack` makes them."""
    game: npt.NDArray[np.int32]
    """Number of each position's game. It decides whether the position is held out of the fit."""
    left: npt.NDArray[np.int32]
    """Upper bound on the number of moves left (`moves_left`), for each position."""
    stage: npt.NDArray[np.int32]
    """Row of the weights that belong to each position's stage."""
    result: npt.NDArray[np.float32]
    """Result of each position's game, for the side to move in the position."""
    fair: npt.NDArray[np.bool_]
    """Whether no move of the game from the position on was random. If one was, the game's result says little."""

    def __len__(self) -> int:
        return len(self.boards)


@dataclass(frozen=True, slots=True)
class Beginnings:
    """The beginnings of self-play games: starting positions, and moves of recorded games."""

    starts: Words
    lines: Moves
    """Moves of recorded games, one row for each starting position; empty if there are no recorded games."""
    leader: Words | None = None
    """The first starting position of all groups, if `starts` has only the starting positions of one group. The number
    of random numbers that are drawn for a game depends on it."""

    @property
    def first(self) -> Words:
        """The first starting position of all groups."""
        return self.starts[0] if self.leader is None else self.leader

    def of_group(self, number: int) -> tuple["Beginnings", Rows]:
        """Return the beginnings of the games in group `number`, and their row numbers in `lines`. Without recorded
        games, return all beginnings and no row numbers."""
        if not len(self.lines):
            return self, np.zeros(0, np.int64)
        numbers = np.asarray(np.arange(number * GAMES, (number + 1) * GAMES) % len(self.lines), np.int64)
        return Beginnings(self.starts[numbers], self.lines[numbers], self.first), numbers


@kernel
def _play_on(
    game: Game,
    evaluation: Evaluation,
    words: Words,
    line: Moves,
    followed: int,
    opening: int,
    random_sides: int,
    random_numbers: npt.NDArray[np.float64],
    noise: npt.NDArray[np.float64],
    plies: int,
    points: int,
    won: int,
    worker: Worker,
    path: Words,
    plies_before: npt.NDArray[np.int64],
) -> tuple[int, int, int]:
    """Play a game; write its positions to `path`, and the number of plies before each to `plies_before`.

    Positions with only a pass are left out. Return the number of positions, the number of plies of the game, and the
    ply from which no move was random.
    """
    position = unpack(game, words[0], words[1])
    count, ply, fair_from = 0, 0, 0
    while ply < len(path) - 1:
        end = fill(game, position, worker.moves, np.int64(0))
        if end == 0:
            break
        move = worker.moves[0]
        if end > 1 or not is_pass(game, move):
            path[count, 0], path[count, 1] = pack(game, position)
            plies_before[count] = ply
            count += 1
        if end > 1:
            after_line = ply - followed
            random_number = random_numbers[ply % len(random_numbers)]
            legal = False
            if after_line < 0 and ply < len(line):
                for index in range(end):
                    if worker.moves[index] == line[ply]:
                        move, legal = line[ply], True
            if not legal and (after_line < opening or random_sides >> (ply & 1) & 1 == 1):
                move = worker.moves[int(random_number * end)]
                fair_from = ply + 1
            elif not legal:
                best = -1e18
                for index in range(end):
                    child = play(game, position, worker.moves[index])
                    state = begin(evaluation, game, child)
                    low, high = np.int64(-LIMIT), np.int64(LIMIT)
                    estimate = -shallow_search(
                        game, evaluation, child, state, low, high, plies, end, points, won, worker
                    )
                    estimate += noise[ply % len(random_numbers), index % NOISE_VALUES]
                    if estimate > best:
                        best, move = estimate, worker.moves[index]
        position = play(game, position, move)
        ply += 1
    path[count, 0], path[count, 1] = pack(game, position)
    return count, ply, fair_from


@kernel
def _describe(game: Game, boards: Words, left: npt.NDArray[np.int64], stages: npt.NDArray[np.int64]) -> None:
    for row in range(len(boards)):
        position = unpack(game, boards[row, 0], boards[row, 1])
        left[row] = moves_left(game, position)
        stages[row] = stage(game, position)


class Playing:
    """Plays games with one evaluation in groups, which are independent of each other."""

    def __init__(
        self, subject: Subject, judge: Judge, beginnings: Beginnings, *, seed: int, depth: int, per_game: int
    ) -> None:
        self.subject, self.judge, self.beginnings = subject, judge, beginnings
        self.seed, self.depth, self.per_game = seed, depth, per_game

    @property
    def most_positions(self) -> int:
        """Greatest number of positions from a group of games."""
        return GAMES * self.per_game

    def group(self, number: int) -> Positions:
        """Return the positions of group `number`, which has `GAMES` games. Repeated calls return the same positions."""
        rng = np.random.default_rng([self.seed, number])
        rules, lines = self.subject.rules, self.beginnings.lines
        starts = self.beginnings.starts
        first = unpack(rules, *self.beginnings.first)
        root = Root(rules, first, Options(table_bits=None, evaluation=self.judge.evaluation))
        longest = self.subject.learning.longest
        rooms = min(longest, int(moves_left(rules, first)))
        path, plies_before = np.zeros((longest + 1, 2), np.uint64), np.zeros(longest + 1, np.int64)
        boards, origins, results, fair = [], [], [], []
        for game in range(number * GAMES, (number + 1) * GAMES):
            line_number = game % len(lines) if len(lines) else -1
            line = lines[line_number] if len(lines) else np.zeros(0, np.uint16)
            start = starts[line_number] if len(lines) else starts[int(rng.integers(len(starts)))]
            length = int((line != NO_MOVE).sum())
            noise = rng.uniform(*NOISE) * self.subject.patterns.most * self.judge.points
            count, plies, fair_from = _play_on(
                rules,
                self.judge.evaluation,
                start,
                line[:length],
                np.int64(rng.integers(length + 1)),
                np.int64(rng.integers(OPENING + 1)),
                np.int64(rng.choice(RANDOM_SIDES)),
                rng.random(rooms),
                noise * rng.standard_normal((rooms, NOISE_VALUES)),
                np.int64(self.depth - 1),
                np.int64(self.judge.points),
                np.int64(self.subject.won_points),
                root.worker,
                path,
                plies_before,
            )
            rows = np.sort(rng.permutation(count)[: self.per_game])
            result = self._result(unpack(rules, *path[count]))
            boards.append(path[rows])
            origins.append(np.full(len(rows), line_number if len(lines) else game, np.int32))
            results.append(np.where((plies - plies_before[rows]) % 2 == 0, result, -result).astype(np.float32))
            fair.append(plies_before[rows] >= fair_from)
        return self._described(*map(np.concatenate, (boards, origins, results, fair)))

    def _result(self, last: Position) -> float:
        rules, result_of = self.subject.rules, self.subject.learning.result
        if result_of is not None:
            return float(result_of(rules, last))
        margin = float(score(rules, last)) if over(rules, last) else 0.0
        return margin if self.subject.win is None else float(np.sign(margin)) * self.subject.win

    def _described(
        self, boards: Words, game: npt.NDArray[np.int32], result: npt.NDArray[np.float32], fair: npt.NDArray[np.bool_]
    ) -> Positions:
        left, stages = np.zeros(len(boards), np.int64), np.zeros(len(boards), np.int64)
        _describe(self.subject.rules, boards, left, stages)
        rows = self.subject.row_of(stages).astype(np.int32)
        return Positions(boards, game, left.astype(np.int32), rows, result, fair)


def concatenated(parts: list[Positions]) -> Positions:
    """Return several sets of positions as one."""
    names = Positions.__slots__
    return Positions(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
