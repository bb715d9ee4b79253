"""The positions that a strategy can come to, level by level: both who writes a proof and who checks it walk here.

A level is all positions with so many moves left, symmetric ones being one. Each is there once, as its key, and they
are sorted: that order is all that tells which move of a certificate belongs to which position.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.errors import OutflankError
from outflank.games.description import description_of
from outflank.games.plain import CHILDREN, can_move, expand, handed_over, key_of, key_words, left, outcome, position_of
from outflank.games.rules import pack
from outflank.kernels.compiler import inner, kernel
from outflank.kernels.record_types import allocate, record_type
from outflank.proofs.slices import Told, over_slices

Keys = npt.NDArray[np.uint64]
Moves = npt.NDArray[np.uint8]

SLICE = 1 << 14
"""Positions that a worker takes at a time."""

ROOM = 1 << 18
"""Keys that it finds before it sorts them."""

STEP = record_type(
    {
        "at": np.int64,  # the next position to be taken
        "own": np.int64,  # keys found so far, by who is to move
        "other": np.int64,
        "finished": np.int64,  # games that have ended
        "lost": np.int64,  # not 0: the last one of them with less than the bound
        "illegal": np.int64,  # not 0: the position that `at` says has no such move
    }
)


class Refused(OutflankError):
    """What a certificate says is not so."""


@inner
def _reach(rules: Any, first: Any, second: Any, mine: Any, bound: Any, own: Any, other: Any, step: Any) -> Any:
    """Note a position that play comes to, the strategist to move if `mine`: as a key, after a pass if there must be
    one, or as the end of a game."""
    if not can_move(rules, first, second):
        one, two = handed_over(rules, first, second)
        if not can_move(rules, one, two):
            step.finished += 1
            won = outcome(rules, first, second)
            if (won if mine else -won) < bound:
                step.lost = 1
            return
        first, second, mine = one, two, not mine
    one, two = key_of(rules, first, second)
    if mine:
        own[step.own, own.shape[1] - 1] = two
        own[step.own, 0] = one
        step.own += 1
    else:
        other[step.other, other.shape[1] - 1] = two
        other[step.other, 0] = one
        step.other += 1


@kernel
def begin(rules, first, second, mine, bound, own, other, step):
    """The position in which a strategy begins."""
    _reach(rules, first, second, mine, bound, own, other, step)


@kernel
def follow(rules, keys, moves, bound, own, other, children, step):
    """Play the strategist's move in each of its positions, as far as there is room."""
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
    """Play every move of the other side in each of its positions, as far as there is room."""
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
    """The same keys sorted, each of them once."""
    if keys.shape[1] == 1:
        return np.unique(keys[:, 0])[:, None]
    keys = keys[np.lexsort((keys[:, 1], keys[:, 0]))]
    new = np.ones(len(keys), bool)
    new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    return keys[new]


class _Heap:
    """Keys that several workers find, those of one slice sorted by themselves; sorted together now and then, so that
    it never has room for more than some three times as many as there are."""

    def __init__(self, words: int) -> None:
        self._lock = Lock()
        self._sorted: Keys = np.zeros((0, words), np.uint64)
        self._more: list[Keys] = []
        self._waiting = 0

    def add(self, keys: Keys) -> None:
        if not len(keys):
            return
        keys = distinct(keys)
        with self._lock:
            self._more.append(keys)
            self._waiting += len(keys)
            if self._waiting > 2 * len(self._sorted) + 8 * ROOM:
                self._sort()

    def _sort(self) -> None:
        self._sorted = distinct(np.concatenate([self._sorted, *self._more]))
        self._more, self._waiting = [], 0

    def all(self) -> Keys:
        self._sort()
        return self._sorted


@dataclass(slots=True)
class Level:
    """The positions with so many moves left, by who is to move."""

    left: int
    own: Keys
    other: Keys


class Frontier:
    """The level that a strategy has come to."""

    def __init__(self, rules: Any, words: tuple[Any, Any], *, mine: bool, bound: int, workers: int) -> None:
        self.rules, self.bound, self.workers = rules, bound, workers
        self.finished = 0
        """Games that have ended so far, each of them with the bound at least."""
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

    def _count(self, step: Any, left: int) -> None:
        self.finished += int(step.finished)
        if step.lost:
            raise Refused(f"a game that ends with {left} moves left has less than {self.bound:+d} for the strategist")

    def advance(self, moves: Moves, told: Told | None = None) -> None:
        """Go to the next level: by the strategist's moves, one for each of its positions, and by all of the other's."""
        level, found = self.level, (_Heap(self._words), _Heap(self._words))

        def by_strategy(begin: int, end: int, *room: Any) -> None:
            follow(self.rules, level.own[begin:end], moves[begin:end], self.bound, *room)
            step = room[-1]
            if step.illegal:
                place = begin + int(step.at)
                raise Refused(f"{level.left} moves left, position {place + 1:,}: move {moves[place]} is not legal")

        def by_answers(begin: int, end: int, *room: Any) -> None:
            answer(self.rules, level.other[begin:end], self.bound, *room)

        self._play(by_strategy, len(level.own), found, None)
        self._play(by_answers, len(level.other), found, told)
        self.level = Level(level.left - 1, found[0].all(), found[1].all())

    def _play(self, play: Callable[..., None], count: int, found: tuple[_Heap, _Heap], told: Told | None) -> None:
        """Let `play(begin, end, …)` find what follows from slices of a level."""

        def work(begin: int, end: int, worker: int) -> None:
            own, other = self._rooms[worker]
            step = allocate(STEP, 1)[0]
            while step.at < end - begin:
                step.own = step.other = step.finished = 0
                play(begin, end, own, other, self._children[worker], step)
                with self._lock:
                    self._count(step, self.level.left - 1)
                found[0].add(own[: step.own])
                found[1].add(other[: step.other])

        over_slices(work, count, size=SLICE, workers=self.workers, told=told)


def _rules_and_words(game: Any, position: Any) -> Iterator[tuple[Any, Any, Any]]:
    """A game's plain rules and the words of a position, if it has such rules."""
    plain = description_of(game).plain_rules
    if plain is not None:
        yield plain(game), *map(np.uint64, pack(game, position))


@begin.sample
def _begin_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    for rules, first, second in _rules_and_words(game, position):
        keys = np.zeros((1, int(key_words(rules))), np.uint64)
        yield rules, first, second, True, 0, keys, keys, allocate(STEP, 1)[0]


@follow.sample
def _follow_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    for rules, _, _ in _rules_and_words(game, position):
        keys = np.zeros((0, int(key_words(rules))), np.uint64)
        yield rules, keys, np.zeros(0, np.uint8), 0, keys, keys, allocate(CHILDREN, 1)[0], allocate(STEP, 1)[0]


@answer.sample
def _answer_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    for rules, _, _ in _rules_and_words(game, position):
        keys = np.zeros((0, int(key_words(rules))), np.uint64)
        yield rules, keys, 0, keys, keys, allocate(CHILDREN, 1)[0], allocate(STEP, 1)[0]
