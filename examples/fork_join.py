"""Fork-join programs: Fibonacci numbers, n queens, a merge sort, a matrix product, and a sum with a race.

    python examples/fork_join.py                                       # runs them on one worker and on two
    python examples/fork_join.py large                                 # the same for long enough to see a speed-up
    outflank lab tasks --task examples/fork_join.py:fib --arguments 25
    outflank lab tasks --task examples/fork_join.py:racy_sum --parts races

A program is a task, or a function that returns a `Program`: its first task with the arguments and the data.
"""

import sys
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank import forkjoin


@forkjoin.task
def fib(worker, n: int) -> int:
    """Return Fibonacci number `n`. There is hardly any work but the spawns, so its time shows what they cost."""
    if n < 2:
        return n
    left = forkjoin.spawn(worker, fib, n - 1)
    right = fib(worker, n - 2)
    return forkjoin.sync(worker, left) + right


# --- n queens ---


@forkjoin.task
def place(worker, free: int, columns: int, rising: int, falling: int, full: int, rows: int) -> int:
    """Return the number of ways to place a queen on one of the squares `free` of a row, and one in each row below.

    Words have a bit for each square of the row: those attacked along `columns` and diagonals, and all (`full`). In the
    next `rows` rows the squares are tried in parallel.
    """
    square = free & -free
    others, taken = free ^ square, columns | square
    up, down = (rising | square) << 1, (falling | square) >> 1
    below = full & ~(taken | up | down)
    if taken == full:
        return 1
    count = 0
    if others != 0 and rows > 0:
        child = forkjoin.spawn(worker, place, others, columns, rising, falling, full, rows)
        if below != 0:
            count = place(worker, below, taken, up, down, full, rows - 1)
        return count + forkjoin.sync(worker, child)
    if below != 0:
        count = place(worker, below, taken, up, down, full, rows - 1)
    if others != 0:
        count += place(worker, others, columns, rising, falling, full, rows)
    return count


def queens(n: int = 8, rows: int = 4) -> forkjoin.Program:
    """Return the program that counts the ways to place `n` queens."""
    full = (1 << n) - 1
    return forkjoin.Program(place, full, 0, 0, 0, full, rows)


# --- merge sort ---


class Sorting(NamedTuple):
    """Data of the merge sort."""

    values: npt.NDArray[np.float64]
    scratch: npt.NDArray[np.float64]


@forkjoin.task
def merge_sort(worker, low: int, high: int, grain: int) -> None:
    """Sort the values from `low` to below `high`."""
    values, scratch = worker.data.values, worker.data.scratch
    if high - low <= grain:
        for index in range(low + 1, high):
            value, place = values[index], index
            while place > low and values[place - 1] > value:
                values[place] = values[place - 1]
                place -= 1
            values[place] = value
        return
    middle = (low + high) // 2
    right = forkjoin.spawn(worker, merge_sort, middle, high, grain)
    merge_sort(worker, low, middle, grain)
    forkjoin.sync(worker, right)
    for index in range(low, high):
        scratch[index] = values[index]
    left, other = low, middle
    for index in range(low, high):
        if other >= high or (left < middle and scratch[left] <= scratch[other]):
            values[index] = scratch[left]
            left += 1
        else:
            values[index] = scratch[other]
            other += 1


def sorting(n: int = 1000, grain: int = 32) -> forkjoin.Program:
    """Return the program that sorts `n` random numbers."""
    values = np.random.default_rng(1).random(n)
    return forkjoin.Program(merge_sort, 0, n, grain, data=Sorting(values, np.zeros(n)))


# --- matrix product ---


class Matrices(NamedTuple):
    """Data of the matrix product."""

    left: npt.NDArray[np.float64]
    right: npt.NDArray[np.float64]
    product: npt.NDArray[np.float64]


@forkjoin.task
def multiply_row(worker, row: int, n: int) -> None:
    """Compute one row of the product."""
    data = worker.data
    for middle in range(n):
        factor = data.left[row, middle]
        for column in range(n):
            data.product[row, column] += factor * data.right[middle, column]


@forkjoin.task
def multiply(worker, n: int) -> None:
    """Compute the product of two square matrices, the rows in parallel."""
    forkjoin.loop(worker, multiply_row, 0, n, 1, n)


def multiplication(n: int = 64) -> forkjoin.Program:
    """Return the program that multiplies two random matrices."""
    left, right = np.random.default_rng(1).random((2, n, n))
    return forkjoin.Program(multiply, n, data=Matrices(left, right, np.zeros((n, n))))


# --- a sum with a race, and without ---


class Summation(NamedTuple):
    """Data of the sums."""

    values: npt.NDArray[np.int64]
    total: npt.NDArray[np.int64]


@forkjoin.task
def add_to_total(worker, index: int) -> None:
    """Add a value to the total. Two workers that do so at once may lose one of their values."""
    worker.data.total[0] += worker.data.values[index]


@forkjoin.task
def add_all(worker, n: int) -> int:
    """Return the sum of the values, added up in memory that all workers share: a race."""
    forkjoin.loop(worker, add_to_total, 0, n, 1)
    return worker.data.total[0]


def racy_sum(n: int = 8) -> forkjoin.Program:
    """Return the program that adds up the numbers below `n` with a race."""
    return forkjoin.Program(add_all, n, data=Summation(np.arange(n), np.zeros(1, np.int64)))


def add(left, right):
    """Return the sum of two numbers."""
    return left + right


total = forkjoin.Reducer(0, add)


@forkjoin.task
def value_at(worker, index: int) -> int:
    """Return a value of the sum."""
    return worker.data.values[index]


@forkjoin.task
def reduce_all(worker, n: int) -> int:
    """Return the sum of the values, by a reducer: no two workers write to the same memory."""
    return forkjoin.reduce(worker, total, value_at, 0, n, 1)


def reduced_sum(n: int = 8) -> forkjoin.Program:
    """Return the program that adds up the numbers below `n` with a reducer."""
    return forkjoin.Program(reduce_all, n, data=Summation(np.arange(n), np.zeros(1, np.int64)))


def main() -> None:
    """Run the programs on one worker and on two."""
    large = sys.argv[1:] == ["large"]
    programs = {
        "fib": lambda: forkjoin.Program(fib, 35 if large else 12),
        "queens": lambda: queens(14 if large else 6),
        "sort": lambda: sorting(1_000_000 if large else 500),
        "product": lambda: multiplication(500 if large else 10),
        "racy sum": lambda: racy_sum(1_000_000 if large else 200),
        "reduced sum": lambda: reduced_sum(1_000_000 if large else 200),
    }
    for name, program in programs.items():
        for workers in (1, 2):
            outcome = program().measure(workers=workers)
            value = "" if outcome.value is None else f" = {outcome.value:,}"
            counts = f"{outcome.spawns:,} spawns, {outcome.steals:,} steals"
            print(f"{name}{value} on {workers} workers: {1000 * outcome.seconds:.1f} ms, {counts}")


if __name__ == "__main__":
    main()
