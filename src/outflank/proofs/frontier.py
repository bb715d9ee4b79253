"""The positions that a strategy can reach, level by level, for writing a proof as well as for checking it.

A level holds the positions with a given number of moves left. Each position is stored once, as a key that symmetric
positions share. The keys are sorted: their order alone tells which move of a certificate belongs to which position.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.errors import OutflankError
from outflank.games.description import description_of
from outflank.games.plain import (
    CHILDREN,
    PlainRules,
    can_move,
    expand,
    handed_over,
    key_of,
    key_words,
    left,
    outcome,
    position_of,
)
from outflank.games.rules import Game, Position, pack
from outflank.kernels.bits import Word
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.kernels.record_types import Record, allocate, record_type
from outflank.kernels.workers import run_workers

Progress = Callable[[int], None]
"""Function that receives the number of elements done so far."""


def over_slices(
    work: Callable[[int, int, int], None],
    count: int,
    *,
    size: int,
    workers: int,
    progress: Progress | None = None,
    stop: Callable[[], None] = lambda: None,
) -> None:
    """Call `work(begin, end, worker)` for consecutive slices of `count` elements, each on the next free worker.

    If a call fails or this thread is interrupted, no more calls begin; `stop` must then make running calls return.
    """
    lock = Lock()
    begun = done = 0
    ended = False

    def take() -> tuple[int, int]:
        nonlocal begun
        with lock:
            begin = count if ended else begun
            begun = min(begin + size, count)
            return begin, begun

    def end() -> None:
        nonlocal ended
        ended = True
        stop()

    def loop(worker: int) -> None:
        nonlocal done
        while True:
            first, last = take()
            if first >= count:
                return
            work(first, last, worker)
            with lock:
                done += last - first

    worker_count = min(workers, -(-count // size))
    run_workers(
        loop,
        [(worker,) for worker in range(worker_count)],
        stop=end,
        watch=None if progress is None else lambda: progress(done),
    )


Keys = npt.NDArray[np.uint64]
Moves = npt.NDArray[np.uint8]

SLICE = 1 << 14
"""Number of positions that a worker takes at a time."""

ROOM = 1 << 18
"""Number of keys that a worker collects before it sorts them."""

STEP = record_type(
    {
        "at": np.int64,  # index of the next position to be processed
        "own": np.int64,  # number of keys found with the strategist to move; below, with its opponent
        "other": np.int64,
        "finished": np.int64,  # number of games that have ended
        "lost": np.int64,  # not 0 if the last of these games ended below the bound
        "illegal": np.int64,  # not 0 if the strategy's move is illegal in the position `at`
    }
)


class InvalidProof(OutflankError):
    """Raised if a certificate does not prove its value."""


@inner
def _reach(
    rules: PlainRules, first: Word, second: Word, mine: bool, bound: int, own: Keys, other: Keys, step: Record
) -> None:
    """Record a reached position, in which the strategy's side is to move if `mine`.

    A forced pass is played first. The result is a key in `own` or `other`, or the end of a game.
    """
    if not can_move(rules, first, second):
        next_first, next_second = handed_over(rules, first, second)
        if not can_move(rules, next_first, next_second):
            step.finished += 1
            score = outcome(rules, first, second)
            if (score if mine else -score) < bound:
                step.lost = 1
            return
        first, second, mine = next_first, next_second, not mine
    next_first, next_second = key_of(rules, first, second)
    if mine:
        own[step.own, own.shape[1] - 1] = next_second
        own[step.own, 0] = next_first
        step.own += 1
    else:
        other[step.other, other.shape[1] - 1] = next_second
        other[step.other, 0] = next_first
        step.other += 1


@kernel
def begin(rules, first, second, mine, bound, own, other, step):
    """Record the position in which a strategy begins."""
    _reach(rules, first, second, mine, bound, own, other, step)


@kernel
def follow(rules, keys, moves, bound, own, other, children, step):
    """Play the strategy's move in each position of `keys`, from `step.at` on. Record the positions reached in `own` and
    `other`. Stop when `own` and `other` together hold `len(own)` keys, at an illegal move, or at a game that ends below
    `bound`."""
    while step.at < len(keys) and step.own + step.other < len(own):
        first, second = position_of(rules, keys[step.at, 0], keys[step.at, keys.shape[1] - 1])
        end = expand(rules, first, second, children, np.int64(0))
        index = 0
        while index < end and children.moves[index] != moves[step.at]:
            index += 1
        if index == end:
            step.illegal = 1
            return
        _reach(rules, children.first[index], children.second[index], False, bound, own, other, step)
        if step.lost != 0:
            return
        step.at += 1


@kernel
def answer(rules, keys, bound, own, other, children, step):
    """Play every move of the opponent in each position of `keys`, from `step.at` on. Record the positions reached in
    `own` and `other`. Stop before a position whose moves might not fit, or at a game that ends below `bound`."""
    while step.at < len(keys):
        first, second = position_of(rules, keys[step.at, 0], keys[step.at, keys.shape[1] - 1])
        end = expand(rules, first, second, children, np.int64(0))
        if step.own + step.other + end > len(own):
            return
        for index in range(end):
            _reach(rules, children.first[index], children.second[index], True, bound, own, other, step)
            if step.lost != 0:
                return
        step.at += 1


def distinct(keys: Keys) -> Keys:
    """Return the keys sorted and without duplicates."""
    if keys.shape[1] == 1:
        return np.unique(keys[:, 0])[:, None]
    keys = keys[np.lexsort((keys[:, 1], keys[:, 0]))]
    is_new = np.ones(len(keys), bool)
    is_new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    return keys[is_new]


class _KeySet:
    """Distinct keys that several workers collect.

    Sorting removes duplicates. All keys are sorted together whenever about two thirds of them are unsorted. So the
    number of stored keys is at most about three times the number of distinct keys.
    """

    def __init__(self, words: int) -> None:
        self._lock = Lock()
        self._sorted: Keys = np.zeros((0, words), np.uint64)
        self._unsorted: list[Keys] = []
        self._unsorted_count = 0

    def add(self, keys: Keys) -> None:
        if not len(keys):
            return
        keys = distinct(keys)
        with self._lock:
            self._unsorted.append(keys)
            self._unsorted_count += len(keys)
            if self._unsorted_count > 2 * len(self._sorted) + 8 * ROOM:
                self._sort()

    def _sort(self) -> None:
        self._sorted = distinct(np.concatenate([self._sorted, *self._unsorted]))
        self._unsorted, self._unsorted_count = [], 0

    def all(self) -> Keys:
        self._sort()
        return self._sorted


@dataclass(slots=True)
class Level:
    """Keys of the positions that a strategy reaches with `left` moves left.

    The strategy's side is to move in the positions of `own`, and its opponent in the positions of `other`.
    """

    left: int
    own: Keys
    other: Keys


class Frontier:
    """The positions that a strategy reaches with a given number of moves left, and the step to the next level."""

    def __init__(self, rules: PlainRules, words: tuple[Word, Word], *, mine: bool, bound: int, workers: int) -> None:
        self.rules, self.bound, self.workers = rules, bound, workers
        self.finished = 0
        """Number of games that have ended so far, all with a score of at least `bound`."""
        self._words = int(key_words(rules))
        self._lock = Lock()
        self._rooms = [(self._keys(ROOM), self._keys(ROOM)) for _ in range(workers)]
        self._children = allocate(CHILDREN, workers)
        first, second = words
        own, other, step = self._keys(1), self._keys(1), allocate(STEP, 1)[0]
        begin(rules, first, second, mine, bound, own, other, step)
        self._count(step, int(left(rules, first, second)))
        self.level = Level(int(left(rules, first, second)), own[: step.own], other[: step.other])

    def _keys(self, count: int) -> Keys:
        return np.zeros((count, self._words), np.uint64)

    def _count(self, step: Record, left: int) -> None:
        self.finished += int(step.finished)
        if step.lost:
            raise InvalidProof(
                f"a game that ends with {left} moves left has less than {self.bound:+d} for the strategist"
            )

    def advance(self, moves: Moves, progress: Progress | None = None) -> None:
        """Advance one level: play the strategy's move in each position of its side, and every move of the opponent."""
        level, key_sets = self.level, (_KeySet(self._words), _KeySet(self._words))

        def by_strategy(begin: int, end: int, *room: Any) -> None:
            follow(self.rules, level.own[begin:end], moves[begin:end], self.bound, *room)
            step = room[-1]
            if step.illegal:
                number = begin + int(step.at)
                raise InvalidProof(
                    f"{level.left} moves left, position {number + 1:,}: move {moves[number]} is not legal"
                )

        def by_answers(begin: int, end: int, *room: Any) -> None:
            answer(self.rules, level.other[begin:end], self.bound, *room)

        self._play(by_strategy, len(level.own), key_sets, None)
        self._play(by_answers, len(level.other), key_sets, progress)
        self.level = Level(level.left - 1, key_sets[0].all(), key_sets[1].all())

    def _play(
        self, play: Callable[..., None], count: int, key_sets: tuple[_KeySet, _KeySet], progress: Progress | None
    ) -> None:
        """Call `play(begin, end, …)` for all slices of a level, and collect the positions that it reaches."""

        def work(begin: int, end: int, worker: int) -> None:
            own, other = self._rooms[worker]
            step = allocate(STEP, 1)[0]
            while step.at < end - begin:
                step.own = step.other = step.finished = 0
                play(begin, end, own, other, self._children[worker], step)
                with self._lock:
                    self._count(step, self.level.left - 1)
                key_sets[0].add(own[: step.own])
                key_sets[1].add(other[: step.other])

        over_slices(work, count, size=SLICE, workers=self.workers, progress=progress)


def _rules_and_words(game: Game, position: Position) -> Iterator[tuple[PlainRules, Word, Word]]:
    """Yield the game's plain rules and the two words of a position; nothing if the game has no plain rules."""
    plain = description_of(game).plain_rules
    if plain is not None:
        yield plain(game), *map(np.uint64, pack(game, position))


@begin.sample
def _begin_sample(game: Game, position: Position, every: bool) -> Samples:
    for rules, first, second in _rules_and_words(game, position):
        keys = np.zeros((1, int(key_words(rules))), np.uint64)
        yield rules, first, second, True, 0, keys, keys, allocate(STEP, 1)[0]


@follow.sample
def _follow_sample(game: Game, position: Position, every: bool) -> Samples:
    for rules, _, _ in _rules_and_words(game, position):
        keys = np.zeros((0, int(key_words(rules))), np.uint64)
        yield rules, keys, np.zeros(0, np.uint8), 0, keys, keys, allocate(CHILDREN, 1)[0], allocate(STEP, 1)[0]


@answer.sample
def _answer_sample(game: Game, position: Position, every: bool) -> Samples:
    for rules, _, _ in _rules_and_words(game, position):
        keys = np.zeros((0, int(key_words(rules))), np.uint64)
        yield rules, keys, 0, keys, keys, allocate(CHILDREN, 1)[0], allocate(STEP, 1)[0]
