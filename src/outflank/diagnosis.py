"""A short test of the installation: kernels compile and count correctly, and the cache can be written."""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from outflank.folders import cache_folder
from outflank.games.description import OWN_GAMES, GameDescription, game_named
from outflank.games.rules import Game, Position
from outflank.kernels import cache_files
from outflank.kernels.atomics import fetch_add
from outflank.kernels.compiler import Samples, kernel
from outflank.kernels.record_types import allocate, record_type
from outflank.kernels.workers import run_workers
from outflank.search.perft import perft

COUNTER = record_type({"ticks": np.int64})
TICKS = 20_000


@dataclass(frozen=True, slots=True)
class Check:
    """One test of the installation, and its result."""

    name: str
    passed: bool
    detail: str


@kernel
def tick(shared, times):
    """Add one to the shared counter, `times` times."""
    for _ in range(times):
        fetch_add(shared, "ticks", 1)


@tick.sample
def _tick_sample(game: Game, position: Position, every: bool) -> Samples:
    yield allocate(COUNTER, 1)[0], 1


def self_test() -> Iterator[Check]:
    """Run every check and yield its result. A check that raises an exception has failed."""
    for game in map(game_named, OWN_GAMES):
        yield _run(f"{game.title}'s rules", partial(_rules, game))
    for name, check in (
        ("atomics on two threads", _atomics),
        ("cache directory", _cache),
    ):
        yield _run(name, check)


def _run(name: str, check: Callable[[], str]) -> Check:
    try:
        return Check(name, True, check())
    except Exception as error:
        return Check(name, False, f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")


def _rules(game: GameDescription) -> str:
    depth, leaves = game.perft
    return _checked_count(perft(game.start(), depth).leaves, leaves)


def _checked_count(leaves: int, expected: int) -> str:
    if leaves != expected:
        raise AssertionError(f"{leaves:,} leaves instead of {expected:,}")
    return f"{leaves:,} leaves, as published"


def _atomics() -> str:
    shared = allocate(COUNTER, 1)[0]
    run_workers(tick, [(shared, TICKS)] * 2, stop=lambda: None)
    if shared["ticks"] != 2 * TICKS:
        raise AssertionError(f"{shared['ticks']} of {2 * TICKS} counted")
    return f"{2 * TICKS:,} counted"


def _cache() -> str:
    directory = cache_folder()
    started = time.perf_counter()
    cache_files.prepare(directory)
    with tempfile.NamedTemporaryFile(dir=directory) as file:
        file.write(b"outflank")
    return f"{directory} can be written ({1000 * (time.perf_counter() - started):.1f} ms)"
