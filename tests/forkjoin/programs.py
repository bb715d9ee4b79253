"""Tasks for the tests. Few, because each takes seconds to compile."""

from typing import NamedTuple

import numpy as np

from outflank import forkjoin


class Marks(NamedTuple):
    """An element for each index of a loop."""

    counts: np.ndarray


@forkjoin.task
def mark(worker, index: int, step: int, scale: float) -> None:
    worker.data.counts[index] += step * scale


@forkjoin.task
def mark_all(worker, low: int, high: int, grain: int) -> None:
    forkjoin.loop(worker, mark, low, high, grain, 3, 0.5)


@forkjoin.task
def mark_row(worker, row: int, columns: int, grain: int) -> None:
    forkjoin.loop(worker, mark, row * columns, (row + 1) * columns, grain, 3, 0.5)


@forkjoin.task
def mark_rows(worker, rows: int, columns: int, grain: int) -> None:
    """A loop inside a loop."""
    forkjoin.loop(worker, mark_row, 0, rows, grain, columns, grain)


def compose(first, second):
    """x -> second(first(x)) of two linear functions, each a factor and a summand: not commutative."""
    return (first[0] * second[0]) % 1009, (first[1] * second[0] + second[1]) % 1009


composed = forkjoin.Reducer((1, 0), compose)


@forkjoin.task
def linear(worker, index: int, seed: int) -> tuple[int, int]:
    return (index * seed) % 97 + 1, (index + seed) % 89


@forkjoin.task
def compose_all(worker, low: int, high: int, grain: int, seed: int) -> tuple[int, int]:
    return forkjoin.reduce(worker, composed, linear, low, high, grain, seed)


@forkjoin.task
def words(worker, depth: int, number: float, word: np.uint64, pair: tuple[int, float]) -> tuple[float, np.uint64, int]:
    """Every type of argument and result, and three children that are synced in an order that `depth` gives. A leaf with
    the word 0 fails."""
    if depth == 0:
        if word == 0:
            raise ValueError("the word is 0")
        return number + pair[1], word, pair[0]
    first = forkjoin.spawn(worker, words, depth - 1, number + 1, word << np.uint64(3), pair)
    second = forkjoin.spawn(worker, words, depth - 1, number * 2, word ^ np.uint64(77), (pair[0] - 1, pair[1]))
    third = forkjoin.spawn(worker, words, depth - 1, -number, ~word, (pair[0], pair[1] / 2))
    if depth % 3 == 0:
        c, b, a = forkjoin.sync(worker, third), forkjoin.sync(worker, second), forkjoin.sync(worker, first)
    elif depth % 3 == 1:
        a, b, c = forkjoin.sync(worker, first), forkjoin.sync(worker, second), forkjoin.sync(worker, third)
    else:
        b, c, a = forkjoin.sync(worker, second), forkjoin.sync(worker, third), forkjoin.sync(worker, first)
    return a[0] + b[0] - c[0], a[1] ^ b[1] ^ c[1], a[2] + b[2] - c[2]


def expected_words(depth, number, word, pair):
    """What `words` returns, in plain Python."""
    if depth == 0:
        return number + pair[1], word, pair[0]
    a = expected_words(depth - 1, number + 1, (word << 3) % 2**64, pair)
    b = expected_words(depth - 1, number * 2, word ^ 77, (pair[0] - 1, pair[1]))
    c = expected_words(depth - 1, -number, ~word % 2**64, (pair[0], pair[1] / 2))
    return a[0] + b[0] - c[0], a[1] ^ b[1] ^ c[1], a[2] + b[2] - c[2]


@forkjoin.task
def divide(worker, depth: int, leaf: int, place: int) -> int:
    """A tree in which leaf number `leaf` divides by zero."""
    if depth == 0:
        return 100 // (leaf - place)
    left = forkjoin.spawn(worker, divide, depth - 1, leaf, 2 * place)
    right = divide(worker, depth - 1, leaf, 2 * place + 1)
    return forkjoin.sync(worker, left) + right


@forkjoin.task
def nothing(worker) -> None:
    pass


@forkjoin.task
def forget(worker, children: int) -> int:
    """Spawn children, and sync all but one."""
    forkjoin.spawn(worker, nothing)
    for _ in range(children - 1):
        forkjoin.sync(worker, forkjoin.spawn(worker, nothing))
    return children


@forkjoin.task
def line(worker, length: int) -> int:
    """A task for each link of a chain, all spawned before the first is synced."""
    if length == 0:
        return 0
    child = forkjoin.spawn(worker, line, 0)
    rest = line(worker, length - 1)
    return forkjoin.sync(worker, child) + rest + 1


def add(left, right):
    return left + right


total = forkjoin.Reducer(0, add)


@forkjoin.task
def leaves_below(worker, index: int, depth: int) -> int:
    return leaves(worker, depth - 1)


@forkjoin.task
def leaves(worker, depth: int) -> int:
    """Leaves of a tree with three children of each node: a reduction whose body calls the task that reduces."""
    if depth == 0:
        return 1
    return forkjoin.reduce(worker, total, leaves_below, 0, 3, 1, depth)


@forkjoin.task
def even(worker, n: int) -> int:
    if n == 0:
        return 1
    return forkjoin.sync(worker, forkjoin.spawn(worker, odd, n - 1))


@forkjoin.task
def odd(worker, n: int) -> int:
    return 0 if n == 0 else even(worker, n - 1)
