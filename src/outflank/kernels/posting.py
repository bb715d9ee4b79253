"""Questions that workers leave for somebody else to answer: one of each at a time, and it waits for the answer."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from outflank.kernels.atomics import compare_exchange, exchange, load, store
from outflank.kernels.bits import U64
from outflank.kernels.compiler import inner, kernel
from outflank.kernels.memory import record_at
from outflank.kernels.record_types import allocate, record_type
from outflank.kernels.waiting import pause, sleep_on, wake

QUESTION = record_type(
    {
        "state": np.int64,
        "first": U64,  # what it is about: two words and a window
        "second": U64,
        "alpha": np.int64,
        "beta": np.int64,
        "answer": np.int64,
    }
)

FREE, ASKED, TAKEN, ANSWERED, LEFT, CLOSED = 0, 1, 2, 3, 4, 5
"""States of a question. One that was left is still with who took it, and nobody waits for the answer; a closed one is
never answered again."""

WIDEST = 100
"""More than any score that is asked for."""

SPINS = 200
MICROSECONDS = 200
LOOKS = 10
"""A worker looks so often without a pause, then so often between sleeps: it waits for 2 milliseconds at most, about as
long as it takes to find the answer."""


@inner
def ask(at: Any, first: Any, second: Any, alpha: Any, beta: Any) -> Any:
    """Whether the question at an address was answered in time; if not, whoever asks must find the answer."""
    question = record_at(at, QUESTION)
    if load(question, "state") in (LEFT, CLOSED):
        return False
    question.first, question.second = first, second
    question.alpha, question.beta = alpha, beta
    store(question, "state", ASKED)
    looks = 0
    while True:
        state = load(question, "state")
        if state == ANSWERED:
            return True
        if state == CLOSED:
            return False
        looks += 1
        if looks < SPINS:
            pause()
        elif looks < SPINS + LOOKS:
            sleep_on(question, "state", state, MICROSECONDS)
        elif compare_exchange(question, "state", ASKED, FREE) or compare_exchange(question, "state", TAKEN, LEFT):
            return False


@kernel
def take(questions: Any, words: Any, windows: Any, owners: Any) -> Any:
    """Take all questions that are asked; how many there are."""
    count = 0
    for index in range(len(questions)):
        question = questions[index]
        if load(question, "state") == ASKED and compare_exchange(question, "state", ASKED, TAKEN):
            words[count, 0], words[count, 1] = question.first, question.second
            windows[count, 0], windows[count, 1] = max(question.alpha, -WIDEST), min(question.beta, WIDEST)
            owners[count] = index
            count += 1
    return count


@kernel
def answer(questions: Any, owners: Any, values: Any, count: Any) -> Any:
    """Give the answers to questions that were taken; how many of them somebody waits for still."""
    awaited = 0
    for index in range(count):
        question = questions[owners[index]]
        question.answer = values[index]
        if compare_exchange(question, "state", TAKEN, ANSWERED):
            wake(question, "state", 1)
            awaited += 1
        else:
            compare_exchange(question, "state", LEFT, FREE)
    return awaited


@kernel
def close(questions: Any) -> None:
    """Answer no question any more."""
    for index in range(len(questions)):
        exchange(questions[index], "state", CLOSED)
        wake(questions[index], "state", 1)


@take.sample
def _take_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield allocate(QUESTION, 1), np.zeros((1, 2), U64), np.zeros((1, 2), np.int8), np.zeros(1, np.int64)


@answer.sample
def _answer_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield allocate(QUESTION, 1), np.zeros(1, np.int64), np.zeros(1, np.int8), 0


@close.sample
def _close_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield (allocate(QUESTION, 1),)
