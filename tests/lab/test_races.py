"""The checker of races: what it must find, what it must not, and what the shipped schemes have."""

import inspect
import threading
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from outflank import AbaloneBoard, OthelloBoard, OutflankError
from outflank.kernels import deque
from outflank.kernels.atomics import compare_exchange, fetch_add, load, store
from outflank.kernels.compiler import interpreted
from outflank.kernels.memory import address_of, record_at, write_word
from outflank.kernels.observers import watched_by
from outflank.kernels.record_types import allocate, record_type
from outflank.kernels.workers import WorkerThread, run_workers
from outflank.lab.races import check, checker, declared, findings, together
from outflank.lab.races.declared import SourceLine, declarations_of
from outflank.lab.races.vector_clocks import History, Touch
from outflank.parallel import crew, delivering, idling, shared_state, splitting, taking
from outflank.parallel.shared_state import CAPACITY, frame_at, hand_of
from tests.parallel.test_parallel import SCHEMES

pytestmark = pytest.mark.skipif(not interpreted(), reason="races are looked for in the interpreter")


# --- what happens before what ---


def races(*events, strands=2):
    """The pairs of places that race: events are (strand, place, kind, order), all at one address, unless it is said."""
    history = History(strands)
    for strand, place, kind, order, *address in events:
        history.record_access(strand, Touch(place, kind, order), *(address or [0]))
    return {(pair.earlier.place, pair.later.place) for pair in history.pairs}


def handed_over(publishes: str, takes: str, between=()):
    """One writes data and then a flag, another reads the flag and then the data."""
    return races(
        (0, "write", "write", "plain", 8),
        (0, "publish", "write", publishes, 16),
        *between,
        (1, "take", "read", takes, 16),
        (1, "read", "read", "plain", 8),
    )


@pytest.mark.parametrize("publishes", ["release", "seq_cst"])
@pytest.mark.parametrize("takes", ["acquire", "seq_cst"])
def test_what_is_published_and_taken_over_is_ordered(publishes, takes):
    assert handed_over(publishes, takes) == set()


@pytest.mark.parametrize(
    ("publishes", "takes"), [("relaxed", "acquire"), ("release", "relaxed"), ("plain", "acquire"), ("plain", "plain")]
)
def test_neither_half_alone_orders(publishes, takes):
    assert handed_over(publishes, takes) == {("write", "read"), ("publish", "take")}


def test_an_update_continues_what_was_published_and_a_store_ends_it():
    relaxed_update = (2, "between", "update", "relaxed", 16)
    relaxed_store = (0, "between", "write", "relaxed", 16)
    events = [
        (0, "write", "write", "plain", 8),
        (0, "publish", "write", "release", 16),
        (1, "take", "read", "acquire", 16),
        (1, "read", "read", "plain", 8),
    ]
    assert ("write", "read") not in races(*events[:2], relaxed_update, *events[2:], strands=3)
    assert ("write", "read") in races(*events[:2], relaxed_store, *events[2:], strands=3)


def test_updates_hand_on_what_all_before_them_published():
    assert (
        races(
            (0, "one", "write", "plain", 8),
            (1, "two", "write", "plain", 16),
            (0, "leave", "update", "acq_rel", 24),
            (1, "leave", "update", "acq_rel", 24),
            (2, "leave", "update", "acq_rel", 24),
            (2, "one", "read", "plain", 8),
            (2, "two", "read", "plain", 16),
            strands=3,
        )
        == set()
    )


def test_which_pairs_are_races():
    assert races((0, "a", "read", "plain"), (1, "b", "read", "plain")) == set()
    assert races((0, "a", "write", "plain"), (0, "b", "write", "plain")) == set()
    assert races((0, "a", "write", "seq_cst"), (1, "b", "read", "acquire")) == set()
    assert races((0, "a", "update", "acq_rel"), (1, "b", "read", "system")) == set()
    assert races((0, "a", "write", "seq_cst"), (1, "b", "read", "relaxed")) == {("a", "b")}
    assert races((0, "a", "update", "relaxed"), (1, "a", "update", "relaxed")) == {("a", "a")}
    assert races((0, "a", "read", "plain"), (1, "b", "write", "release")) == {("a", "b")}


def test_what_comes_after_the_publishing_is_not_published():
    events = [
        (0, "publish", "write", "release", 16),
        (0, "late", "write", "plain", 8),
        (1, "take", "read", "acquire", 16),
        (1, "read", "read", "plain", 8),
    ]
    assert races(*events) == {("late", "read")}


def test_starting_and_awaiting_a_strand_order():
    history = History()
    plain = Touch("plain", "write", "plain")
    history.record_access(0, plain, 8)
    child = history.fork(0)
    history.record_access(child, plain, 8)
    history.join(0, child)
    history.record_access(0, plain, 8)
    assert not history.pairs
    other = history.fork(0)
    history.record_access(0, plain, 8)
    history.record_access(other, plain, 8)
    assert [pair.what for pair in history.pairs] == ["0x8"]


# --- what is seen of memory ---

THINGS = record_type({"word": np.int64, "moves": (np.uint16, 8), "grid": (np.int64, (2, 3))})


class Notes:
    """An observer that writes everything down, and lets everybody go on."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, str, str]] = []

    def touched(self, address: int, kind: str, order: str) -> None:
        self.seen.append((address, kind, order))

    def __getattr__(self, name):
        return lambda *_: None


def noted(action, offset=0):
    """What an action on a record tells, addresses counted from the record's own or from `offset` in it."""
    notes = Notes()
    with watched_by(notes):
        records = allocate(THINGS, 2)
        start = address_of(records) + offset
        notes.seen.clear()
        action(records[0], address_of(records))
    return [(address - start, kind, order) for address, kind, order in notes.seen]


MOVES, GRID = THINGS.fields["moves"][1], THINGS.fields["grid"][1]


def test_every_way_to_a_field_is_seen():
    def set_word(record, address):
        record.word = 7

    def add(record, address):
        record.word += 1
        assert record["word"] == 1

    assert noted(set_word) == [(0, "write", "plain")]
    assert noted(add) == [(0, "read", "plain"), (0, "write", "plain"), (0, "read", "plain")]
    assert noted(lambda record, address: record_at(address + THINGS.itemsize, THINGS).word, THINGS.itemsize) == [
        (0, "read", "plain")
    ]
    with pytest.raises(AttributeError, match="nothing"):
        noted(lambda record, address: record.nothing)


def test_elements_rows_and_slices_are_seen():
    def elements(record, address):
        record.moves[3] = 5
        record.grid[1, 2] += 4
        assert (record.moves[3], record.grid[1][2]) == (5, 4)

    def slices(record, address):
        record.moves[2:4] = [1, 2]
        record.grid[:] = 9
        assert list(record.moves[2:4]) == [1, 2]

    last = 5 * 8 - MOVES + GRID
    assert noted(elements, MOVES) == [
        (6, "write", "plain"),
        (last, "read", "plain"),
        (last, "write", "plain"),
        (6, "read", "plain"),
        (last, "read", "plain"),
    ]
    seen = noted(slices, MOVES)
    assert seen[:2] == [(4, "write", "plain"), (6, "write", "plain")]
    assert [address for address, *_ in seen[2:8]] == [GRID - MOVES + 8 * index for index in range(6)]
    assert {*seen[8:]} == {(4, "read", "plain"), (6, "read", "plain")}


def test_columns_are_seen_and_results_are_not():
    notes = Notes()
    with watched_by(notes):
        records = allocate(THINGS, 2)
        records["word"] = [3, 4]
        assert records["word"].sum() == 7
        start = address_of(records)
        assert notes.seen == [
            (start + index * THINGS.itemsize, kind, "plain") for kind in ("write", "read") for index in range(2)
        ]
        notes.seen.clear()
        double = records[1].moves * 2
        double[0] = 1
        assert not notes.seen


def test_atomics_and_words_are_seen():
    def atomics(record, address):
        store(record, "word", 4)
        assert load(record, "word", "relaxed") == 4
        assert fetch_add(record.moves, 1, 1, "relaxed") == 0
        assert compare_exchange(record, "word", 4, 5)
        assert not compare_exchange(record, "word", 4, 6)
        write_word(address, 0, 8)

    assert noted(atomics) == [
        (0, "write", "release"),
        (0, "read", "relaxed"),
        (MOVES + 2, "update", "relaxed"),
        (0, "update", "acq_rel"),
        (0, "read", "acquire"),
        (0, "write", "relaxed"),
    ]


def test_memory_that_was_there_before_is_seen_by_atomics_too():
    record, box = allocate(THINGS, 1)[0], np.zeros((2, 3), np.int64)
    notes = Notes()
    with watched_by(notes):
        fetch_add(record, "word", 2)
        fetch_add(box, (1, 2), 3)
    assert (record.word, box[1, 2]) == (2, 3)
    assert [address for address, *_ in notes.seen] == [
        np.frombuffer(record, np.uint8).ctypes.data,
        address_of(box) + 40,
    ]


# --- declarations ---

SOURCE = """\
a = 1  # race: at the end
# Before it, something else.
# race: above, and this
# goes on
b = (
    2 +
    3
)
c = [
    4,  # race: within
    5,
]
# race: of the head
if a == (
    6
):
    d = 7
    # race: of the body
    e = 8

f = "# race: a string"
g = 9  # noqa: X1  # race: behind another
"""


def test_declarations_belong_to_their_statements(tmp_path):
    file = tmp_path / "source.py"
    file.write_text(SOURCE)
    found = {line: declaration.reason for line, declaration in declarations_of(str(file)).items()}
    assert found == {
        1: "at the end",
        **dict.fromkeys(range(5, 9), "above, and this goes on"),
        **dict.fromkeys(range(9, 13), "within"),
        **dict.fromkeys(range(14, 17), "of the head"),
        19: "of the body",
        22: "behind another",
    }
    assert declarations_of(str(tmp_path / "nowhere.py")) == {}


def test_the_package_declares_its_races_with_reasons():
    every = declared.every_declaration()
    assert len(every) > 20
    assert all(len(one.reason) > 10 for one in every)


# --- the shipped schemes ---

BOARD = OthelloBoard.start(4)
OPTIONS = {"threshold": 0, "evaluation": "discs", "steps": 400_000}


def told(found):
    """What is wrong, for the message of an assertion."""
    return "\n".join([*found.unfinished, *map(str, found.wrong), *map(str, found.undeclared)])


@pytest.mark.slow(3)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_shipped_schemes_have_no_undeclared_races(scheme, monkeypatch):
    """Two boards, each with another number of workers: `python -m tests.races` has all of both, and more."""
    monkeypatch.setattr(crew, "POOL", 4)  # so that frames are soon used again
    found = together(
        check(board, parallel=scheme, workers=workers, depth=depth, seed=workers, schedules=2, table_bits=4, **OPTIONS)
        for board, depth, workers in ((BOARD, 4, 3), (OthelloBoard.start(6), 3, 2))
    )
    assert found.passed, told(found)
    assert found.races
    assert found.schedules == len(found.values) == 4


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "mtdf"])
def test_nor_have_other_algorithms(algorithm):
    options = {**OPTIONS, "algorithm": algorithm, "ties": "lowest", "schedule": "rows"}
    found = check(BOARD, parallel="fork-join", workers=2, depth=3, schedules=2, **options)
    assert found.passed, told(found)


@pytest.mark.slow(2)
def test_nor_has_a_search_that_is_stopped():
    found = check(BOARD, parallel="ybw", workers=3, depth=5, nodes=40, schedules=4, **OPTIONS)
    assert found.passed, told(found)
    assert not found.values


def test_nor_has_abalone():
    board = AbaloneBoard.start("belgian-daisy")
    found = check(board, parallel="ybw", workers=2, depth=2, schedules=1, threshold=1, steps=400_000)
    assert found.passed, told(found)


def test_the_same_seed_gives_the_same_findings():
    first, again, other = (
        check(BOARD, parallel="ybw", workers=3, depth=3, seed=seed, schedules=2, **OPTIONS) for seed in (1, 1, 2)
    )
    assert first == again
    assert first.steps != other.steps


# --- planted races ---


def line_of(function, text: str) -> SourceLine:
    """Where a function has some text."""
    lines, start = inspect.getsourcelines(function)
    number = next(index for index, line in enumerate(lines) if text in line)
    file = inspect.getsourcefile(function)
    assert file is not None
    return SourceLine(str(Path(file)), start + number)


def places(found, what: str):
    """The pairs of places of the undeclared races of some field."""
    return [{race.first.place, race.second.place} for race in found.undeclared if race.what == what]


def hurried(target, key, amount, order="acq_rel"):
    if key != "join":
        return fetch_add(target, key, amount, order)
    before = target.join
    target.join = before + amount
    return before


def test_a_join_count_that_is_no_atomic_is_found(monkeypatch):
    for module in (taking, delivering):
        monkeypatch.setattr(module, "fetch_add", hurried)
    found = check(BOARD, parallel="fork-join", workers=2, depth=3, schedules=2, **OPTIONS)
    assert not found.passed
    read, write = line_of(hurried, "before = target.join"), line_of(hurried, "target.join = before")
    assert {read, write} in places(found, "frame.join")
    assert {write} in places(found, "frame.join")


def careless_release(crew, hand, address):
    frame = frame_at(address)
    hand.released += 1
    owner = hand_of(crew, frame.owner)
    frame.link = load(owner, "returned", "relaxed")
    store(owner, "returned", address, "relaxed")


@pytest.mark.slow(2)
def test_frames_given_back_without_publishing_are_found(monkeypatch):
    monkeypatch.setattr(crew, "POOL", 2)
    for module in (delivering, splitting):
        monkeypatch.setattr(module, "release", careless_release)
    found = check(OthelloBoard.start(6), parallel="ybw", workers=3, depth=4, schedules=4, **OPTIONS)
    assert not found.passed
    wrote, taken = line_of(careless_release, "frame.link ="), line_of(shared_state.take_frame, ".link")
    assert {wrote, taken} in places(found, "frame.link")
    assert {line_of(careless_release, "store("), line_of(shared_state.take_frame, "exchange(")} in places(
        found, "hand.returned"
    )


def silent_push(hand, permit):
    bottom = load(hand, "bottom", "relaxed")
    store(hand.permits, bottom & (CAPACITY - 1), permit, "relaxed")
    store(hand, "bottom", bottom + 1, "relaxed")
    return True


def test_a_permit_that_publishes_nothing_is_found(monkeypatch):
    for module in (taking, delivering):
        monkeypatch.setattr(module, "push", silent_push)
    found = check(BOARD, parallel="ybw", workers=2, depth=3, schedules=2, **OPTIONS)
    assert not found.passed
    assert {line_of(silent_push, '"bottom", bottom + 1'), line_of(deque.steal, '"bottom"')} in places(
        found, "hand.bottom"
    )
    # What the permit stands for is not published either.
    assert {line_of(splitting.open_frame, "frame.count ="), line_of(taking.take, "frame.count")} in places(
        found, "frame.count"
    )


def busybody(crew, hand):
    victim = hand_of(crew, 1 - hand.id)
    victim.executed += 1
    return deque.steal(victim)


def test_a_thief_that_writes_in_its_victims_hand_is_found(monkeypatch):
    monkeypatch.setattr(idling, "try_to_steal", busybody)
    found = check(BOARD, parallel="ybw", workers=2, depth=3, schedules=2, **OPTIONS)
    assert not found.passed
    meddled, counted = line_of(busybody, "victim.executed"), line_of(taking.take, "hand.executed")
    assert {meddled, counted} in places(found, "hand.executed")


# --- other findings ---


def test_without_its_declaration_a_race_fails(monkeypatch):
    def forgetful(place):
        return None if place.file.endswith("table.py") else declared.declaration_at(place)

    options = {**OPTIONS, "parallel": "shared-table", "workers": 2, "depth": 3, "schedules": 2}
    assert check(BOARD, **options).passed
    monkeypatch.setattr(findings, "declaration_at", forgetful)
    found = check(BOARD, **options)
    assert not found.passed
    assert {race.what for race in found.undeclared} == {"table"}


def test_both_lines_must_declare(monkeypatch):
    def half(place):
        return None if "looked_up" in _function_at(place) else declared.declaration_at(place)

    monkeypatch.setattr(findings, "declaration_at", half)
    found = check(BOARD, parallel="shared-table", workers=2, depth=3, schedules=2, **OPTIONS)
    assert not found.passed
    assert all("looked_up" in _function_at(race.first.place) for race in found.undeclared)


def _function_at(place: SourceLine) -> str:
    lines = Path(place.file).read_text().splitlines()[: place.line]
    return next((line for line in reversed(lines) if line.startswith("def ")), "")


def test_a_search_without_an_end_is_a_finding():
    threads = threading.active_count()
    found = check(BOARD, parallel="ybw", workers=3, depth=4, schedules=2, **{**OPTIONS, "steps": 3000})
    assert not found.passed
    assert [line.partition(": ")[2] for line in found.unfinished] == ["no end within 3,000 steps"] * 2
    assert not found.values
    assert threading.active_count() == threads


def test_a_wrong_value_is_a_finding(monkeypatch):
    search_alone = splitting.search_alone
    monkeypatch.setattr(splitting, "search_alone", lambda *arguments: search_alone(*arguments) + 1)
    found = check(BOARD, parallel="root-split", workers=2, depth=2, schedules=2, **OPTIONS)
    assert len(found.wrong) == 2
    assert not found.passed


def test_a_failure_is_a_finding(monkeypatch):
    def break_down(*_):
        raise ValueError("broken")

    monkeypatch.setattr(splitting, "descend", break_down)
    threads = threading.active_count()
    found = check(BOARD, parallel="fork-join", workers=3, depth=2, schedules=2, **OPTIONS)
    assert [line.rpartition(": ")[2] for line in found.unfinished] == ["broken", "broken"]
    assert threading.active_count() == threads


def test_compiled_kernels_cannot_be_watched(monkeypatch):
    monkeypatch.setattr(checker, "interpreted", lambda: False)
    with pytest.raises(OutflankError, match="NUMBA_DISABLE_JIT=1"):
        check(BOARD, parallel="ybw", workers=2, depth=2)


def test_a_scheme_must_carry_the_algorithm():
    with pytest.raises(OutflankError, match="does not support"):
        check(BOARD, parallel="ybw", workers=2, depth=2, algorithm="minimax")


def test_monte_carlo_has_no_value_to_compare():
    with pytest.raises(OutflankError, match="uct"):
        check(BOARD, parallel="root-parallel", workers=2, depth=2, algorithm="uct")


def test_declarations_that_were_not_needed_are_named():
    found = check(BOARD, parallel="root-split", workers=2, depth=2, schedules=1, **OPTIONS)
    unseen = {str(one.place).partition(":")[0] for one in found.unseen}
    assert "parallel/table_driven.py" in unseen
    reasons = chain.from_iterable(race.reason.split("; ") for race in found.races)
    assert {one.reason for one in declared.every_declaration()} >= {*reasons}


# --- the scheduler, with threads of its own ---

TILL = record_type({"coins": np.int64})


def pay_in(till, times):
    for _ in range(times):
        before = till.coins
        till.coins = before + 1


@pytest.mark.parametrize("seed", range(3))
def test_interleavings_come_from_the_seed(seed):
    def run():
        watcher = checker.Watcher(f"{seed}", 10_000)

        def body():
            till = allocate(TILL, 1)[0]
            run_workers(pay_in, [(till, 40)] * 3, stop=lambda: None)
            return int(till.coins)

        return checker.run_watched(body, watcher)[0], watcher.scheduler.steps, watcher.threads

    assert run() == run()
    assert run()[2] == ["leader", "outflank-0", "outflank-1", "outflank-2"]


def test_updates_are_lost_under_some_schedule():
    sums = set()
    for seed in range(6):
        watcher = checker.Watcher(f"{seed}", 10_000)

        def body():
            till = allocate(TILL, 1)[0]
            threads = [WorkerThread(target=pay_in, args=(till, 40)) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return int(till.coins)

        sums.add(checker.run_watched(body, watcher)[0])
        assert {pair.what for pair in watcher.history.pairs} == {"record.coins"}
    assert len(sums) > 2
