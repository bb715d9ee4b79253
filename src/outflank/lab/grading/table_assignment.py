"""Assignment 5: a transposition table that workers share (reports 000 and 001)."""

import random
from collections.abc import Callable
from functools import partial

import numpy as np

from outflank.games.rules import MOVE
from outflank.kernels.observers import WatchedArray
from outflank.kernels.workers import WorkerThread
from outflank.lab.grading.assignment import Assignment, Check, Program, Wrong, expect_equal, integer, tuple_of
from outflank.lab.grading.oracles import FAR, Position, alphabeta, drawn_positions, minimax, nodes_of, with_table
from outflank.lab.races.checker import STEPS, Watcher, run_watched

EXACT, LOWER, UPPER = range(3)
"""Kinds of values in a table: exact, a lower bound, an upper bound."""

SLOTS = 1 << 14
MOST_MOVES = 64
SCHEDULES = 30
"""Number of interleavings of three threads. An entry without protection is torn in some of the first five."""

DEPTH = 9
"""Plies of the search that must save at least half of the nodes that a table of any size could save."""

Entry = tuple[int, int, int]
"""Depth, value and kind of an entry."""


def _random_entry(generator: random.Random) -> tuple[int, int, Entry]:
    """Return the words of a made-up position, and an entry for it."""
    own = generator.getrandbits(64)
    return (
        own,
        generator.getrandbits(64) & ~own,
        (generator.randint(0, 60), generator.randint(-64, 64), generator.randint(0, 2)),
    )


def _store(program: Program, table: object, first: int, second: int, entry: Entry) -> None:
    program.store(table, np.uint64(first), np.uint64(second), *entry)


def _probe(program: Program, table: object, first: int, second: int) -> Entry | None:
    hit, *entry = tuple_of(program.probe(table, np.uint64(first), np.uint64(second)), 4, "probe")
    return tuple(integer(word, "an entry of probe") for word in entry) if hit else None  # type: ignore[return-value]


def _round_trip(program: Program, seed: int) -> str:
    generator = random.Random(f"{seed}/round trip")
    for _ in range(100):
        table = program.new_table(16)
        first, second, entry = _random_entry(generator)
        if _probe(program, table, first, second) is not None:
            raise Wrong("probe finds an entry in an empty table")
        _store(program, table, first, second, entry)
        _expect_entry(_probe(program, table, first, second), entry)
    return "100 entries were found as they were stored"


def _expect_entry(entry: Entry | None, stored: Entry) -> None:
    """Raise `Wrong` unless the entry that `probe` returned is the stored one."""
    if entry != stored:
        raise Wrong(f"probe returns {entry} after store of (depth, value, bound) = {stored}")


def _confusion(program: Program, seed: int) -> str:
    generator = random.Random(f"{seed}/confusion")
    table = program.new_table(2)
    stored: dict[tuple[int, int], Entry] = {}
    for _ in range(400):
        first, second, entry = _random_entry(generator)
        if stored and generator.random() < 0.5:  # a position that differs from a stored one in a single disc
            first, second = generator.choice(list(stored))
            first ^= 1 << generator.randrange(64)
        probed_entry = _probe(program, table, first, second)
        if probed_entry is not None and stored.get((first, second)) != probed_entry:
            raise Wrong(f"probe returns {probed_entry} for a position that was never stored")
        _store(program, table, first, second, entry)
        stored[first, second] = entry
    return "400 positions in two slots: no position got the entry of another"


def _replacement(program: Program, seed: int) -> str:
    generator = random.Random(f"{seed}/replacement")
    for _ in range(50):
        table = program.new_table(1)
        first, second, (_, value, bound) = _random_entry(generator)
        other, another, (_, other_value, other_bound) = _random_entry(generator)
        _store(program, table, first, second, (9, value, bound))
        _store(program, table, other, another, (5, other_value, other_bound))
        if _probe(program, table, first, second) != (9, value, bound):
            raise Wrong("an entry of depth 9 was replaced by one of depth 5")
        _store(program, table, other, another, (9, other_value, other_bound))
        if _probe(program, table, other, another) != (9, other_value, other_bound):
            raise Wrong("a new entry did not replace one of the same depth")
    return "deeper entries stay, equally deep ones are replaced"


def _torn(program: Program, seed: int) -> str:
    hits = sum(_torn_hits(program, f"{seed}/{schedule}") for schedule in range(SCHEDULES))
    if hits == 0:
        raise Wrong("no entry was ever found while other threads store")
    return f"{SCHEDULES} schedules of three threads: each of {hits} hits was an entry that had been stored"


def _torn_hits(program: Program, seed: str) -> int:
    """Let three threads store and probe in one slot; return the number of hits.

    Raise `Wrong` if a hit returns an entry that no thread stored.
    """
    generator = random.Random(seed)
    positions = [_random_entry(generator)[:2] for _ in range(3)]
    entries: dict[tuple[int, int], list[Entry]] = {
        words: [(7, 10 * index + version, version % 3) for version in range(3)] for index, words in enumerate(positions)
    }
    hits: list[tuple[tuple[int, int], Entry]] = []
    table = WatchedArray.over(program.new_table(1))

    def work(number: int) -> None:
        for version in range(3):
            words = positions[(number + version) % 3]
            _store(program, table, *words, entries[words][version])
            for probed in positions:
                entry = _probe(program, table, *probed)
                if entry is not None:
                    hits.append((probed, entry))

    _run_threads(seed, [partial(work, number) for number in range(3)])
    for words, entry in hits:
        if entry not in entries[words]:
            raise Wrong(f"probe returns {entry}, which is a mixture of two entries, while other threads store")
    return len(hits)


def _run_threads(seed: str, bodies: list[Callable[[], None]]) -> None:
    """Run functions in threads that a seeded scheduler interleaves. Raise `Wrong` if a plain access is in a race."""

    def run() -> None:
        threads = [WorkerThread(target=body, daemon=True) for body in bodies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    watcher = Watcher(seed, STEPS)
    _, trouble = run_watched(run, watcher)
    if trouble is not None:
        raise Wrong(trouble)
    for pair in watcher.history.pairs:
        for touch in (pair.earlier, pair.later):
            if touch.order == "plain":
                raise Wrong(f"{touch.place}: a race, because the {touch.kind} of the table is not atomic")


def _search(program: Program, position: Position, depth: int, table: object) -> tuple[int, int]:
    """Return the value of the submission's search, and the number of nodes it entered (always 1 if it is compiled)."""
    moves = np.zeros(MOST_MOVES * (depth + 1), MOVE)
    arguments = (position.game, position.words, depth, -FAR, FAR, table, moves, 0)
    value, nodes = nodes_of(lambda: program.search(*arguments))
    return integer(value, "search"), nodes


def _values(program: Program, seed: int) -> str:
    table = program.new_table(64)
    positions = list(drawn_positions(seed, "table", 5, size=4, plies=(0, 5)))
    for position in positions:
        for depth in (3, 5, 4, 2, 6):
            value, _ = _search(program, position, depth, table)
            truth = minimax(position, depth).value
            if value != truth and value == minimax(position, depth + 1).value:
                raise Wrong(f"the value at depth {depth} of {position} is that of another depth")
            expect_equal(value, truth, f"with a table the value at depth {depth} of {position}")
    return f"{len(positions)} drawn positions, depths 2 to 6, one table: minimax values"


def _work(program: Program, seed: int) -> str:
    position = next(drawn_positions(seed, "work", 1, size=4, plies=(1, 2)))
    table = program.new_table(SLOTS)
    nodes, again = (_search(program, position, DEPTH, table)[1] for _ in range(2))
    without, best = alphabeta(position, DEPTH).nodes, with_table(position, DEPTH, {}).nodes
    if 2 * nodes > without + best:
        raise Wrong(f"{nodes:,} nodes with a table and {without:,} without: an ideal table needs {best:,}")
    if again > nodes // 10:
        raise Wrong(f"the same search again on the same table enters {again:,} nodes, the first time {nodes:,}")
    return f"{nodes:,} nodes with a table, {without:,} without, {again:,} the second time; an ideal table: {best:,}"


def _shared(program: Program, seed: int) -> str:
    position = next(drawn_positions(seed, "shared", 1, size=4, plies=(2, 4)))
    truth = minimax(position, 4).value
    for schedule in range(4):
        values = _two_searches(program, position, f"{seed}/shared/{schedule}")
        if values != [truth, truth]:
            raise Wrong(f"two searches on one table find {values} at {position}, and {truth} is right")
    return "two searches on one table, four schedules: the right value, no race"


def _two_searches(program: Program, position: Position, seed: str) -> list[int]:
    """Run two searches at the same time on one table, and return their values."""
    values: list[int] = []
    table = WatchedArray.over(program.new_table(32))

    def work() -> None:
        values.append(_search(program, position, 4, table)[0])

    _run_threads(seed, [work, work])
    return values


def _compiled(program: Program, seed: int) -> str:
    position = next(drawn_positions(seed, "compiled", 1, size=4, plies=(1, 3)))
    value, _ = _search(program, position, 8, program.new_table(SLOTS))
    expect_equal(value, minimax(position, 8).value, f"the compiled value of {position}")
    return "the value at depth 8, as in the interpreter"


ASSIGNMENT = Assignment(
    title="A shared table",
    required=("new_table", "store", "probe", "search"),
    checks=(
        Check(name="round trip", points=10, run=_round_trip),
        Check(name="confusion", points=10, run=_confusion),
        Check(name="replacement", points=10, run=_replacement),
        Check(name="torn entries", points=20, run=_torn),
        Check(name="values", points=20, run=_values),
        Check(name="saved work", points=15, run=_work),
        Check(name="shared search", points=10, run=_shared),
        Check(name="compiled", points=5, run=_compiled, compiled=True),
    ),
)
