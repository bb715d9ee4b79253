"""Positions to learn from, of all stages: of games that the learner plays, from the start or on from games of others.

Who plays well leaves bad positions out, and a search that asks how bad a move is looks at little else. So games begin
with moves that are drawn by lot, in half of them one side or both go on drawing, and the others make the move that
seems best to them, as well as they see it: what they see is blurred, in some games more than in others.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.games.evaluation import LIMIT, begin
from outflank.games.patterns import stage
from outflank.games.rules import fill, is_pass, moves_left, over, pack, play, score, unpack
from outflank.kernels.compiler import kernel
from outflank.learning.looks import look_on
from outflank.learning.subject import Judge, Subject
from outflank.search.contract import Options
from outflank.search.root import Root

GAMES = 64
"""Games that are played together."""

OPENING = 12
"""Moves at most that are drawn at the beginning of a game, or where it leaves a game that was read."""

BLUR = 0.015, 0.1
"""The least and the largest standard deviation of what is added to the value of a move before the best is chosen, as a
part of the largest value."""

DRAWING = (0, 0, 0, 1, 2, 3)
"""Who draws every move, each as likely as another: nobody, the first side, the second, both."""

DRAWS = 16
"""Numbers that are drawn for the moves of a position; more moves share them."""

NO_MOVE = 0xFFFF

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions with what is known of them."""

    boards: Words
    """Two words each, as `pack` makes them."""
    game: npt.NDArray[np.int32]
    """The number of the game that each is of, or comes from: what learning must not see is held out by it."""
    left: npt.NDArray[np.int32]
    """Moves left."""
    stage: npt.NDArray[np.int32]
    """The number of its weights."""
    result: npt.NDArray[np.float32]
    """What the game ended with, to the side to move here."""
    fair: npt.NDArray[np.bool_]
    """Whether no move was drawn by lot from here on: what came of drawn moves says little of a position."""

    def __len__(self) -> int:
        return len(self.boards)


@dataclass(frozen=True, slots=True)
class Beginnings:
    """Where games begin."""

    starts: Words
    lines: npt.NDArray[np.uint16]
    """The moves of games that were read, from a start of their own each; none: games are played from the starts."""


@kernel
def _play_on(
    game: Any,
    evaluation: Any,
    words: Any,
    line: Any,
    followed: Any,
    opening: Any,
    drawing: Any,
    lots: Any,
    blur: Any,
    plies: Any,
    points: Any,
    won: Any,
    worker: Any,
    path: Any,
    seen: Any,
) -> Any:
    """Play a game; write the words of its positions to `path`, and to `seen` how many plies each was after the start,
    without those where a side can only pass. How many there are, how many plies the game had, and after how many of
    them no move was drawn by lot any more."""
    position = unpack(game, words[0], words[1])
    found, ply, fair_from = 0, 0, 0
    while ply < len(path) - 1:
        end = fill(game, position, worker.moves, np.int64(0))
        if end == 0:
            break
        move = worker.moves[0]
        if end > 1 or not is_pass(game, move):
            path[found, 0], path[found, 1] = pack(game, position)
            seen[found] = ply
            found += 1
        if end > 1:
            after_line = ply - followed
            lot = lots[ply % len(lots)]
            legal = False
            if after_line < 0 and ply < len(line):
                for index in range(end):
                    if worker.moves[index] == line[ply]:
                        move, legal = line[ply], True
            if not legal and (after_line < opening or drawing >> (ply & 1) & 1 == 1):
                move = worker.moves[int(lot * end)]
                fair_from = ply + 1
            elif not legal:
                best = -1e18
                for index in range(end):
                    child = play(game, position, worker.moves[index])
                    state = begin(evaluation, game, child)
                    low, high = np.int64(-LIMIT), np.int64(LIMIT)
                    seems = -look_on(game, evaluation, child, state, low, high, plies, end, points, won, worker)
                    seems += blur[ply % len(lots), index % DRAWS]
                    if seems > best:
                        best, move = seems, worker.moves[index]
        position = play(game, position, move)
        ply += 1
    path[found, 0], path[found, 1] = pack(game, position)
    return found, ply, fair_from


@kernel
def _describe(game: Any, boards: Any, left: Any, stages: Any) -> None:
    for row in range(len(boards)):
        position = unpack(game, boards[row, 0], boards[row, 1])
        left[row] = moves_left(game, position)
        stages[row] = stage(game, position)


class Playing:
    """Games of one subject and one judge, in groups that know nothing of each other."""

    def __init__(
        self, subject: Subject, judge: Judge, beginnings: Beginnings, *, seed: int, depth: int, per_game: int
    ) -> None:
        self.subject, self.judge, self.beginnings = subject, judge, beginnings
        self.seed, self.depth, self.per_game = seed, depth, per_game

    @property
    def most_positions(self) -> int:
        """Of a group."""
        return GAMES * self.per_game

    def group(self, number: int) -> Positions:
        """The positions of the games with numbers `number * GAMES` and up: the same whoever asks, and when."""
        draw = np.random.default_rng([self.seed, number])
        rules, lines = self.subject.rules, self.beginnings.lines
        starts = self.beginnings.starts
        first = unpack(rules, *starts[0])
        root = Root(rules, first, Options(table_bits=None, evaluation=self.judge.evaluation))
        longest = self.subject.learning.longest
        rooms = min(longest, int(moves_left(rules, first)))
        path, seen = np.zeros((longest + 1, 2), np.uint64), np.zeros(longest + 1, np.int64)
        boards, origins, results, fair = [], [], [], []
        for game in range(number * GAMES, (number + 1) * GAMES):
            chosen = game % len(lines) if len(lines) else -1
            line = lines[chosen] if len(lines) else np.zeros(0, np.uint16)
            begun = starts[chosen] if len(lines) else starts[int(draw.integers(len(starts)))]
            length = int((line != NO_MOVE).sum())
            blur = draw.uniform(*BLUR) * self.subject.patterns.most * self.judge.points
            count, plies, fair_from = _play_on(
                rules,
                self.judge.evaluation,
                begun,
                line[:length],
                np.int64(draw.integers(length + 1)),
                np.int64(draw.integers(OPENING + 1)),
                np.int64(draw.choice(DRAWING)),
                draw.random(rooms),
                blur * draw.standard_normal((rooms, DRAWS)),
                np.int64(self.depth - 1),
                np.int64(self.judge.points),
                np.int64(self.subject.won_points),
                root.worker,
                path,
                seen,
            )
            rows = np.sort(draw.permutation(count)[: self.per_game])
            ended = self._result(unpack(rules, *path[count]))
            boards.append(path[rows])
            origins.append(np.full(len(rows), chosen if len(lines) else game, np.int32))
            results.append(np.where((plies - seen[rows]) % 2 == 0, ended, -ended).astype(np.float32))
            fair.append(seen[rows] >= fair_from)
        return self._described(*map(np.concatenate, (boards, origins, results, fair)))

    def _result(self, last: Any) -> float:
        rules, told = self.subject.rules, self.subject.learning.result
        if told is not None:
            return float(told(rules, last))
        found = float(score(rules, last)) if over(rules, last) else 0.0
        return found if self.subject.win is None else float(np.sign(found)) * self.subject.win

    def _described(self, boards: Words, game: Any, result: Any, fair: Any) -> Positions:
        left, stages = np.zeros(len(boards), np.int64), np.zeros(len(boards), np.int64)
        _describe(self.subject.rules, boards, left, stages)
        rows = self.subject.row_of(stages).astype(np.int32)
        return Positions(boards, game, left.astype(np.int32), rows, result, fair)


def joined(parts: list[Positions]) -> Positions:
    """Several as one."""
    names = Positions.__slots__
    return Positions(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
