"""Moves of a split point (frame): offering them, joining it by a permit, taking a move, and the move's window."""

import numpy as np

from outflank.games.hints import row
from outflank.games.rules import pack, play, unpack
from outflank.kernels.atomics import compare_exchange, fetch_add, load, store
from outflank.kernels.bits import U64
from outflank.kernels.compiler import inner
from outflank.kernels.deque import push
from outflank.kernels.memory import read_word, record_at, replace_word
from outflank.parallel.idling import stumble, wake_sleeper
from outflank.parallel.shared_state import (
    ALL,
    CUT,
    DESCEND,
    FAILED,
    IN_ADVANCE,
    LEAVE,
    OPEN,
    POSTPONED,
    RANK_BITS,
    ROWS,
    SEARCHED,
    TAKE,
    frame_at,
    move_at,
    moves_of,
    rank_at,
)
from outflank.search.stopping import BELL, is_wanted


@inner
def floor_for(crew, address, index):
    """Return the value that move number `index` of a split point must beat.

    At the root, a move that the tie rule prefers to the best so far need only equal the best value, since the rank
    decides between equals. So the best move does not depend on the order in which moves are searched.
    """
    frame = frame_at(address)
    # Atomics: if the frame below, for which this is called, was cut meanwhile, this frame may be in use again.
    alpha = load(frame, "alpha", "relaxed")  # race: belongs to another frame only below a cut, where it is not used
    if crew.share_alpha == 0:
        return alpha
    key = load(frame, "key", "relaxed")  # race: an old key makes the window wider than necessary, never wrong
    if load(frame, "above", "relaxed") == 0:  # race: belongs to another frame only below a cut, where it is not used
        key -= rank_at(address, index)
    return max(alpha, key >> RANK_BITS)


@inner
def ceiling_of(crew, frame):
    """Return a split point's beta, lowered by the current key of the split point above, but always greater than the
    split point's own alpha.

    While the split point above is being cut off, its best value is at least its beta. The lowered beta would then be at
    most the alpha of this split point, and an upper bound of this split point's value could be taken for a lower bound.
    """
    if frame.above == 0 or crew.prune == 0:
        return frame.beta
    return max(frame.alpha + 1, min(frame.beta, -floor_for(crew, frame.above, frame.index)))


# --- taking moves ---


@inner
def serial_moves(crew, frame):
    """Return how many moves of a split point are searched before the others are offered.

    Near the leaves the number is one less: extra nodes cost little there, and idle workers lose more.
    """
    if crew.eldest_first == 0:
        return np.int64(0)
    least = crew.serial_moves_at_all
    if frame.expected == OPEN:
        least = crew.serial_moves
    elif frame.expected == CUT:
        least = crew.serial_moves_at_cut
    return max(least - 1, 0) if frame.depth <= crew.near_leaves else least


@inner
def offer(crew, hand):
    """Let other workers join the current split point. Return the next step."""
    frame = frame_at(hand.frame)
    frame.opener = hand.id
    hand.spawned += frame.count - load(frame, "next", "relaxed")
    invite(crew, hand, frame)
    return TAKE


@inner
def invite(crew, hand, frame):
    """Offer a permit for the current split point. The worker that takes it offers the next."""
    if crew.count > 1:
        fetch_add(frame, "join", 1)
        if push(hand, hand.frame):
            wake_sleeper(crew)
        else:
            fetch_add(frame, "join", -1)  # this worker is inside, so it is not the last decrement


@inner
def join(crew, hand, permit):
    """Enter a split point by a permit, and offer another one if there is more to do. Return the next step."""
    hand.frame = permit
    hand.index, hand.until, hand.holding = -1, 0, 0
    frame = frame_at(permit)
    if frame.imported != 0:
        return start_import(hand, frame)
    stumble(crew, hand)
    # race: only a guess whether another worker is worth inviting
    more = load(frame, "next", "relaxed") + 1 < frame.count or load(frame, "postponed") > 1
    # race: only a guess whether another worker is worth inviting
    if more and load(frame, "cut", "relaxed") == 0 and load(frame, "held", "relaxed") == 0:
        invite(crew, hand, frame)
    return TAKE


@inner
def take(game, crew, hand):
    """Take the split point's next move, with the current window, or leave the split point. Return the next step."""
    address = hand.frame
    frame = frame_at(address)
    stumble(crew, hand)
    if load(frame, "bad", "relaxed") != 0:  # race: a worker that sees it late takes one move too many
        return LEAVE
    if not is_wanted(record_at(crew.bell, BELL), address, -1):
        store(frame, "bad", 1, "relaxed")  # race: all write the same; the last worker out reads it after all left
        return LEAVE
    index = hand.index + 1
    if index >= hand.until:
        if load(frame, "held", "seq_cst") != 0:
            return LEAVE  # the frame is held: help below the move that beat its scout
        index, hand.until = take_lot(game, crew, address)
        if index >= frame.count:
            return LEAVE
    if frame.opener >= 0:
        hand.executed += 1
        if frame.opener != hand.id:
            hand.stolen += 1
    stumble(crew, hand)
    low = floor_for(crew, address, index)
    high = max(ceiling_of(crew, frame), low + 1)
    if crew.scout != 0 and index > 0 and frame.in_turn == 0 and frame.left > 0:
        high = min(high, low + 1)
    return start_move(game, hand, address, index, low, high)


@inner
def take_lot(game, crew, address):
    """Return the first move of the next free lot (moves that are handed out together), and the end of the lot."""
    frame = frame_at(address)
    if frame.in_turn != 0:
        return take_failed(crew, address)
    # Sequentially consistent, like `held`. Otherwise one worker could postpone a move because the frame is held, while
    # another releases the hold and finds nothing postponed; then no worker would take the move.
    if load(frame, "postponed", "seq_cst") > 0:
        for index in range(frame.count):
            # race: a worker that finds it before it is counted takes it all the same; other words are left alone
            if replace_word(moves_of(address), crew.room + index, U64(POSTPONED), U64(SEARCHED)):
                fetch_add(frame, "postponed", -1)
                return np.int64(index), np.int64(index + 1)
    if frame.opener < 0 and frame.count > 1:
        first = load(frame, "next", "relaxed")  # the eldest move, for this worker alone
        store(frame, "next", first + 1, "relaxed")
        return first, first + 1
    while True:
        first = load(frame, "next", "relaxed")  # race: the compare-exchange fails if it is old
        if first >= frame.count:
            return first, first
        end = first + 1
        if crew.lot == ROWS:
            current_row = row(game, move_at(address, first))
            while end < frame.count and row(game, move_at(address, end)) == current_row:
                end += 1
        elif crew.lot == IN_ADVANCE:
            end = first + max(1, (frame.count + crew.count - 1) // crew.count)
        else:
            end = first + crew.lot
        end = min(end, frame.count)
        if compare_exchange(frame, "next", first, end, "relaxed"):  # race: hands out numbers, publishes nothing
            return first, end


@inner
def take_failed(crew, address):
    """Return the next move that beat its scout, and the end of its lot. Only one worker is still inside by then."""
    frame = frame_at(address)
    index = load(frame, "next", "relaxed")
    while index < frame.count and np.int64(read_word(moves_of(address), crew.room + index)) != FAILED:
        index += 1
    store(frame, "next", index + 1, "relaxed")
    return index, index + 1


@inner
def start_move(game, hand, address, index, low, high):
    """Make move number `index` of a split point the worker's job, in the window (low, high). Return the next step."""
    frame = frame_at(address)
    position = unpack(game, frame.first, frame.second)
    hand.first, hand.second = pack(game, play(game, position, move_at(address, index)))
    hand.index = index
    hand.depth, hand.ply = frame.left, frame.ply + 1
    hand.alpha, hand.beta = -high, -low
    hand.leftmost = np.int64(frame.leftmost != 0 and index == 0)
    hand.expected = expected_below(frame, index, low, high)
    return DESCEND


@inner
def start_import(hand, frame):
    """Make a job of another process, which `frame` stands for, the worker's job. Return the next step."""
    hand.first, hand.second = frame.first, frame.second
    hand.index = 0
    hand.depth, hand.ply = frame.left, frame.ply + 1
    hand.alpha, hand.beta = -frame.beta, -frame.alpha
    hand.leftmost, hand.expected = 0, frame.expected
    return DESCEND


@inner
def expected_below(frame, index, low, high):
    """Return the expected result (`OPEN`, `CUT`, `ALL`) after move `index` of a split point, searched in (low, high).

    If the first move does not cut a split point off as expected, the other moves seldom do. So a cut-off is expected in
    the position after each of the other moves. In Othello with 13 empty squares, 92 % of the split points where no
    cut-off is expected have none, and the first move cuts off 97 % of the split points where a cut-off is expected. If
    `ALL` were expected after every move of a `CUT` split point, half of the `ALL` split points would have a cut-off.
    """
    if high - low > 1:
        return np.int64(OPEN)
    return np.int64(ALL if frame.expected == CUT and index == 0 else CUT)
