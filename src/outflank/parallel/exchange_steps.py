"""Steps of crews that exchange work with other processes (`crew_exchange`): imported jobs, and moves of exporters."""

import numpy as np

from outflank.games.rules import Game, Position, most_moves, pack
from outflank.kernels.atomics import compare_exchange, load, store
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.kernels.deque import EMPTY, pop, push, steal
from outflank.kernels.memory import address_of, record_at
from outflank.kernels.record_types import allocate
from outflank.kernels.waiting import sleep_on
from outflank.parallel.delivering import deliver, leave
from outflank.parallel.idling import announce, draw, wake_sleeper
from outflank.parallel.shared_state import (
    CREW,
    DELIVER,
    DESCEND,
    HAND,
    IDLE,
    LEAVE,
    NOT_OFFERED,
    NOTHING,
    OFFER,
    OPEN,
    TAKE,
    frame_at,
    frame_bytes,
    hand_of,
)
from outflank.parallel.taking import join, offer, take
from outflank.search.stopping import BELL, is_wanted, ring
from outflank.search.worker import WORKER

# --- imported jobs ---


@kernel
def import_frame(crew, hand, address, first, second, depth, ply, alpha, beta, expected):
    """Make the frame at `address` stand for a job of another process, and offer its permit on the deque of `hand`.

    The job is the position `first`, `second`, `ply` plies below the root, to be searched to `depth` in the window
    (alpha, beta). Return whether there was room for the permit.
    """
    frame = frame_at(address)
    store(frame, "cut", 0, "relaxed")  # race: read so early only by workers below a cut
    store(frame, "above", 0, "relaxed")  # race: read so early only by workers below a cut
    store(frame, "held", 0, "relaxed")  # race: read so early only by workers below a cut
    store(frame, "index", 0, "relaxed")  # race: read so early only by workers below a cut
    store(frame, "alpha", -beta, "relaxed")  # race: read so early only by workers below a cut
    store(frame, "key", NOTHING, "relaxed")  # race: read so early only by workers below a cut
    frame.first, frame.second = first, second
    frame.depth, frame.left, frame.ply = depth + 1, depth, ply - 1
    frame.beta, frame.expected = -alpha, expected
    frame.count, frame.opener = 1, NOT_OFFERED
    frame.bad, frame.line_length = 0, 0
    frame.imported, frame.finished = 1, 0
    if not push(hand, address):
        return False
    wake_sleeper(crew)
    return True


@kernel
def abandon_import(crew, hand, address):
    """Give up an imported job, offered on the deque of `hand`: its workers are told that their work is pointless, and
    the frame is soon finished. It is finished at once if no worker has begun it and no later job is on the deque."""
    frame = frame_at(address)
    # race: the bell notifies a worker that sees it late
    if not compare_exchange(frame, "cut", 0, 1):
        return
    ring(record_at(crew.bell, BELL))
    permit = np.int64(pop(hand))
    if permit == address:
        frame.bad = 1
        store(frame, "finished", 1)
        announce(crew)
    elif permit != EMPTY:
        push(hand, permit)


@kernel
def is_finished(address):
    """Return whether an imported job has ended, so that its result may be read."""
    return load(frame_at(address), "finished") != 0


@kernel
def await_change(crew, rung, news, microseconds, ignore_sleepers):
    """Wait as `Exchange.await_change` says. Return the numbers of rings of the bell, of news, and of workers that
    sleep."""
    bell = record_at(crew.bell, BELL)
    # race: a guess; a thread that sees it late sleeps for a moment
    if load(bell, "rung") == rung and (ignore_sleepers or load(crew, "sleepers", "relaxed") == 0):
        sleep_on(crew, "news", news, microseconds)
    # race: a guess, which is soon repeated
    return load(bell, "rung"), load(crew, "news"), load(crew, "sleepers", "relaxed")


@kernel
def nudge(crew):
    """Wake the thread in `await_change`."""
    announce(crew)


# --- exported moves ---


@kernel
def export(game, crew, hand, worker, step, least):
    """Let an exporter deliver its move's result (`step` is `DELIVER`), or find work with at least `least` plies left
    (`IDLE`). Return whether it then has a move that is to be searched."""
    # As in `find_permit`: no longer idle before it steals, and only where a root is open.
    store(hand, "idle", 0, "seq_cst")
    if step == IDLE and load(crew, "open", "seq_cst") != 0:
        permit = find_large_permit(crew, hand, least)
        if permit != EMPTY:
            step = join(crew, hand, permit)
    while step != DESCEND and step != IDLE:
        if step == DELIVER:
            step = deliver(game, crew, hand, worker)
        elif step == TAKE:
            step = take(game, crew, hand)
        elif step == OFFER:
            step = offer(crew, hand)
        elif step == LEAVE:
            step = leave(game, crew, hand, worker)
    if step == IDLE:
        store(hand, "idle", 1, "seq_cst")
    return step == DESCEND


@kernel
def is_export_wanted(crew, hand):
    """Return whether the result of an exporter's move is still wanted."""
    return is_wanted(record_at(crew.bell, BELL), hand.frame, hand.index)


@inner
def find_large_permit(crew, hand, least):
    """Return a permit, own or stolen, for moves with at least `least` plies left; `EMPTY` if none was found.

    The newest own permit is tried first, then once the oldest permit of each other worker, which is nearest to the
    root.
    """
    permit = np.int64(pop(hand))
    if permit != EMPTY:
        if frame_at(permit).left >= least:
            return permit
        push(hand, permit)
    victim = draw(hand, crew.count)
    for _ in range(crew.count):
        victim = victim + 1 if victim + 1 < crew.count else np.int64(0)
        other = hand_of(crew, victim)
        if victim == hand.id or not seems_large(other, least):
            continue
        permit = np.int64(steal(other))
        if permit <= EMPTY:
            continue
        if frame_at(permit).left >= least:
            return permit
        if push(hand, permit):  # smaller than it seemed: for the other workers
            wake_sleeper(crew)
    return np.int64(EMPTY)


@inner
def seems_large(hand, least):
    """Return whether the oldest permit of a worker seems to be for moves with at least `least` plies left."""
    top = load(hand, "top")
    if top >= load(hand, "bottom"):
        return False
    # race: a guess; the frame may be in use again, but its memory stays
    permit = load(hand.permits, top & (len(hand.permits) - 1), "relaxed")
    if permit <= EMPTY:
        return False
    return load(frame_at(permit), "left", "relaxed") >= least  # race: a guess, which is checked after the steal


@import_frame.sample
def _import_frame_sample(game: Game, position: Position, every: bool) -> Samples:
    first, second = pack(game, position)
    frame = np.zeros(frame_bytes(most_moves(game)) // 8, np.int64)
    yield allocate(CREW, 1)[0], allocate(HAND, 1)[0], address_of(frame), first, second, 1, 0, -1, 1, OPEN


@abandon_import.sample
def _abandon_import_sample(game: Game, position: Position, every: bool) -> Samples:
    crew, bells, frame = allocate(CREW, 1)[0], allocate(BELL, 1), np.zeros(frame_bytes(1) // 8, np.int64)
    crew.bell = bells.ctypes.data
    yield crew, allocate(HAND, 1)[0], address_of(frame)
    del bells


@is_finished.sample
def _is_finished_sample(game: Game, position: Position, every: bool) -> Samples:
    frame = np.zeros(frame_bytes(1) // 8, np.int64)
    yield (address_of(frame),)


@await_change.sample
def _await_change_sample(game: Game, position: Position, every: bool) -> Samples:
    crew, bells = allocate(CREW, 1)[0], allocate(BELL, 1)
    crew.bell = bells.ctypes.data
    yield crew, 0, 0, 0, False
    del bells


@nudge.sample
def _nudge_sample(game: Game, position: Position, every: bool) -> Samples:
    yield (allocate(CREW, 1)[0],)


@export.sample
def _export_sample(game: Game, position: Position, every: bool) -> Samples:
    yield game, allocate(CREW, 1)[0], allocate(HAND, 1)[0], allocate(WORKER, 1)[0], IDLE, 0


@is_export_wanted.sample
def _is_export_wanted_sample(game: Game, position: Position, every: bool) -> Samples:
    crew, bells = allocate(CREW, 1)[0], allocate(BELL, 1)
    crew.bell = bells.ctypes.data
    yield crew, allocate(HAND, 1)[0]
    del bells
