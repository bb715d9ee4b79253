"""Idle workers: finding a permit on the worker's own deque or by stealing, and backing off while there is none.

The kernels do not depend on the game, so they are compiled only once.
"""

import numpy as np

from outflank.games.rules import Game, Position
from outflank.kernels.atomics import fetch_add, load, store
from outflank.kernels.bits import U64, Int
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.kernels.deque import EMPTY, LOST, pop, steal
from outflank.kernels.record_types import allocate
from outflank.kernels.waiting import nanoseconds, pause, sleep_on, wake, yield_core
from outflank.parallel.shared_state import CREW, HAND, Crew, Hand, hand_of

PAUSES, YIELDS = 64, 128
"""Number of failed attempts before an idle worker yields its core, and before it sleeps."""

NAP = 2000
"""Maximum sleep in microseconds: the most that a lost wake-up costs."""

ALL_SLEEPERS = 1 << 30


@inner
def draw(hand: Hand, limit: int) -> Int:
    """Return a random number below `limit` (xorshift)."""
    word = hand.random
    word ^= word << U64(13)
    word ^= word >> U64(7)
    word ^= word << U64(17)
    hand.random = word
    return np.int64((word >> U64(20)) % U64(limit))


@inner
def stumble(crew: Crew, hand: Hand) -> None:
    """Yield the core at random (only in tests). It is called where the code has races."""
    if crew.stumble != 0 and draw(hand, crew.stumble) == 0:
        yield_core()


@inner
def wake_sleeper(crew: Crew) -> None:
    """Wake one worker, because there is work to share. No fence: a sleeper that misses the call soon looks again."""
    if load(crew, "sleepers", "relaxed") > 0:  # race: a worker that sees it late wakes none, and the nap is short
        fetch_add(crew, "wake", 1)
        wake(crew, "wake", 1)


@inner
def wake_all(crew: Crew) -> None:
    """Wake all workers, because a root was opened or closed, or the crew was dismissed."""
    fetch_add(crew, "wake", 1)
    wake(crew, "wake", ALL_SLEEPERS)


@inner
def announce(crew: Crew) -> None:
    """Wake the thread that exchanges work with other processes, because there is news for it."""
    fetch_add(crew, "news", 1)
    wake(crew, "news", 1)


@kernel
def find_permit(crew, hand):
    """Return a permit to join a split point, own or stolen. Return `EMPTY` to the leader once the root is done, and to
    a helper once the crew is dismissed.

    While `hand.idle` is set the worker holds no work. It clears the flag before it steals, and steals only if a root is
    still open then. So once the leader has closed the root and sees every flag set, no worker holds work, or gets any
    before the next root.
    """
    permit = np.int64(pop(hand))
    if permit != EMPTY:
        return permit
    if load(hand, "idle", "relaxed") == 0:
        # Not for a helper that has only just begun: the leader may be reading its statistics.
        hand.busy_ns += nanoseconds() - hand.since
        store(hand, "idle", 1, "seq_cst")
    fails = np.int64(0)
    while load(crew, "over") == 0:
        if load(crew, "open") != 0:
            if crew.count > 1:
                store(hand, "idle", 0, "seq_cst")
                if load(crew, "open", "seq_cst") != 0:
                    permit = try_to_steal(crew, hand)
                    if permit > 0:
                        break
                store(hand, "idle", 1, "seq_cst")
                if permit == LOST:
                    continue
        elif hand.id == 0:
            break
        fails = back_off(crew, hand, fails)
    hand.since = nanoseconds()
    return max(permit, EMPTY)


@inner
def try_to_steal(crew: Crew, hand: Hand) -> int:
    """Return the oldest permit of a random other worker; `EMPTY` or `LOST` if that fails."""
    victim = draw(hand, crew.count - 1)
    if victim >= hand.id:
        victim += 1
    hand.tries += 1
    permit = steal(hand_of(crew, victim))
    if permit > 0:
        hand.steals += 1
    return permit


@kernel
def back_off(crew, hand, fails):
    """Wait a little, longer after more failed attempts. Return the new number of failed attempts."""
    if fails < PAUSES:
        pause()
    elif fails < YIELDS:
        yield_core()
    else:
        before = load(crew, "wake")
        fetch_add(crew, "sleepers", 1)  # race: a worker that sees it late wakes none, and the nap is short
        # Look once more: an offer made before this worker counted as a sleeper woke no worker.
        if not _any_permit(crew) and load(crew, "over") == 0 and (hand.id != 0 or load(crew, "open") != 0):
            sleep_on(crew, "wake", before, NAP)
        fetch_add(crew, "sleepers", -1)  # race: a worker that sees it late wakes another in vain
        return np.int64(PAUSES)
    return fails + 1


@inner
def _any_permit(crew: Crew) -> bool:
    if load(crew, "open") != 0:
        for worker in range(crew.count):
            hand = hand_of(crew, worker)
            if load(hand, "top") < load(hand, "bottom"):  # race: a guess; a thief looks again
                return True
    return False


@kernel
def wait_until_idle(crew):
    """Wait until every helper is idle, after the leader has closed the root."""
    for worker in range(1, crew.count):
        hand = hand_of(crew, worker)
        fails = 0
        while load(hand, "idle", "seq_cst") == 0:
            fails += 1
            if fails < PAUSES:
                pause()
            else:
                yield_core()


@find_permit.sample
def _find_permit_sample(game: Game, position: Position, every: bool) -> Samples:
    crew = allocate(CREW, 1)[0]
    crew.over = 1
    yield crew, allocate(HAND, 1)[0]


@back_off.sample
def _back_off_sample(game: Game, position: Position, every: bool) -> Samples:
    yield allocate(CREW, 1)[0], allocate(HAND, 1)[0], 0


@wait_until_idle.sample
def _wait_until_idle_sample(game: Game, position: Position, every: bool) -> Samples:
    yield (allocate(CREW, 1)[0],)
