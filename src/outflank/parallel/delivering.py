"""Values in the divided search: from a move to its split point (frame), and from there to the split point above."""

import numpy as np

from outflank.games.rules import unpack
from outflank.kernels.atomics import compare_exchange, fetch_add, fetch_max, load, store
from outflank.kernels.bits import U64
from outflank.kernels.compiler import inner
from outflank.kernels.deque import EMPTY, pop, push
from outflank.kernels.memory import record_at, write_word
from outflank.kernels.waiting import yield_core
from outflank.parallel.idling import announce, stumble, wake_all
from outflank.parallel.shared_state import (
    DELIVER,
    FAILED,
    IDLE,
    NOTHING,
    OFFER,
    POSTPONED,
    RANK,
    RANK_BITS,
    TAKE,
    frame_at,
    move_at,
    moves_of,
    rank_at,
    release,
)
from outflank.parallel.taking import ceiling_of, floor_for, invite, serial_moves, start_move
from outflank.search.nodes import entry_of, store_entry
from outflank.search.ordering import record_cutoff
from outflank.search.stopping import BELL, is_wanted, ring
from outflank.search.table import EXACT, LOWER, UPPER, table_key
from outflank.search.worker import PLIES


@inner
def deliver(game, crew, hand, worker):
    """Deliver the value of the worker's current move to its split point. Return the worker's next step."""
    address, index = hand.frame, hand.index
    frame = frame_at(address)
    if frame.imported != 0:
        return finish_import(crew, hand, frame)
    if hand.valid == 0:
        release_hold(crew, hand, frame)
        if is_wanted(record_at(crew.bell, BELL), address, -1):
            return postpone(crew, address, index)
        store(frame, "bad", 1, "relaxed")  # race: all write the same; the last worker out reads it after all left
        return TAKE
    if load(frame, "cut") != 0:
        release_hold(crew, hand, frame)
        return TAKE
    result, low, high = -hand.value, -hand.beta, -hand.alpha
    ceiling = ceiling_of(crew, frame)
    if high <= result < ceiling:
        # The move beat its scout: its value is not known yet.
        mark = (result << RANK_BITS) + rank_at(address, index)
        key = claim(frame, mark, worker)
        if crew.in_order != 0 and frame.in_turn == 0:
            write_word(moves_of(address), crew.room + index, U64(FAILED))
            return continue_frame(crew, hand, frame, False)
        if key != mark:
            # Another move is better by now: this move must beat that one first.
            low = floor_for(crew, address, index)
            return start_move(game, hand, address, index, low, low + 1)
        if crew.hold != 0 and not hold(crew, hand, frame, index):
            return postpone(crew, address, index)
        return start_move(game, hand, address, index, result - 1, max(ceiling_of(crew, frame), result))
    # race: a worker that looks for postponed moves does not change this word, whatever it reads
    write_word(moves_of(address), crew.room + index, U64(result))
    mark = result << RANK_BITS
    if result > low or frame.above != 0:
        # At the root a bound must not win a tie; elsewhere the move is only a hint for the table.
        mark += rank_at(address, index)
    # race: a window from an older key is wider than necessary
    key = max(mark, fetch_max(frame, "key", mark))
    if key == mark and low < result < ceiling and crew.prune != 0:
        write_line(crew, hand, frame, mark, move_at(address, index))
    release_hold(crew, hand, frame)
    stumble(crew, hand)
    if crew.prune != 0 and key >> RANK_BITS >= ceiling_of(crew, frame):
        stumble(crew, hand)
        if compare_exchange(frame, "cut", 0, 1):  # race: the bell notifies a worker that sees it late
            return cut_frame(game, crew, hand, worker, key)
        return TAKE
    return continue_frame(crew, hand, frame, key == mark and low < result)


@inner
def finish_import(crew, hand, frame):
    """Leave the value of a job of another process in the frame that stands for it. Return the worker's next step."""
    frame.value, frame.bad, frame.line_length = hand.value, np.int64(hand.valid == 0), hand.line_length
    for step in range(hand.line_length):
        frame.line[step] = hand.line[step]
    store(frame, "finished", 1)
    announce(crew)
    return IDLE


@inner
def claim(frame, mark, worker):
    """Raise a split point's key (value and rank) to `mark`, the key of a move that has beaten its scout. Return the
    best key.

    The key is not raised if scouts may guess. The search for the move's value makes no guesses, and may show that the
    move is no better than the best before it. With a raised key, this move would still be taken for the best. When keys
    were raised, 25 of 40 random positions of Othello, searched to depth 7 with many guesses, got another value or move
    than without split points. Proofs, which begin with the move from such a search, took up to five times the nodes.
    """
    if worker.selectivity_index != 0:
        return max(mark, load(frame, "key", "relaxed"))  # race: if it is old, the value is searched for too soon
    # race: a window from an older key is wider than necessary
    return max(mark, fetch_max(frame, "key", mark))


@inner
def write_line(crew, hand, frame, key, move):
    """Store the principal variation of a split point: `move`, which is worth `key`, and the line in `hand` after it."""
    # race: a worker that finds it taken waits; two workers seldom have such a value at once
    while not compare_exchange(frame, "writing", 0, 1):
        yield_core()
    stumble(crew, hand)
    if key > frame.line_key:
        frame.line_key = key
        frame.line[0] = move
        rest_length = min(hand.line_length, PLIES - 1)
        for step in range(rest_length):
            frame.line[step + 1] = hand.line[step]
        frame.line_length = rest_length + 1
    store(frame, "writing", 0)


@inner
def hold(crew, hand, frame, index):
    """Hold a split point for a move that beat its scout: searches of younger brothers are given up, because their
    windows are too low now. Return whether the move may be searched: False if an elder move holds the split point."""
    while True:
        held = load(frame, "held")
        if held != 0 and held <= index:
            return False
        if compare_exchange(frame, "held", held, index + 1, "seq_cst"):  # race: the bell notifies late readers
            hand.holding = 1
            if load(frame, "join") > 1:
                ring(record_at(crew.bell, BELL))
            return True


@inner
def release_hold(crew, hand, frame):
    """Release the split point if it was held for the current move. Workers that left it may come back."""
    if hand.holding != 0:
        hand.holding = 0
        # race: a worker that sees it late gives up one move too many, which is taken again
        if compare_exchange(frame, "held", hand.index + 1, 0, "seq_cst") and frame.opener >= 0:
            invite(crew, hand, frame)


@inner
def postpone(crew, address, index):
    """Give up move number `index` of a split point, because another move is searched first. A worker takes it again
    later."""
    # race: a worker that finds it before it is counted takes it all the same
    write_word(moves_of(address), crew.room + index, U64(POSTPONED))
    fetch_add(frame_at(address), "postponed", 1, "seq_cst")
    return TAKE


@inner
def continue_frame(crew, hand, frame, leads):
    """Return the next step at a split point: offer its other moves once the first ones are done, or take a move.
    `leads` says whether the current move is the best so far.

    If several moves in turn beat the best, the next move may beat it too, and brothers that are searched at the same
    time have windows that are too low. So the other moves wait while moves keep beating the best. On twelve positions
    of Othello with 22 empty squares, this reduced the extra nodes from 3.2 to 2.4 % with two workers, and from 8.1 to
    5.1 % with four.
    """
    serial_count = serial_moves(crew, frame)
    if leads and hand.index > 0 and crew.wait_while_improving != 0:
        return TAKE
    if frame.opener < 0 and serial_count < frame.count and load(frame, "next", "relaxed") >= serial_count:
        return OFFER
    return TAKE


@inner
def cut_frame(game, crew, hand, worker, key):
    """Deliver the value of a split point that is cut off to the split point above. Notify the workers still inside."""
    address = hand.frame
    frame = frame_at(address)
    store_frame_value(game, address, key, LOWER, worker)
    if frame.above != 0:
        index = frame.count - (key & RANK)
        record_cutoff(np.int64(move_at(address, index)), frame.depth, frame.ply, worker)
        worker.cutoffs += 1
        if index == 0:
            worker.first_cutoffs += 1
    stumble(crew, hand)
    return_to_parent(hand, frame, key)
    # If the frame above has got a better key since this search began, this value is only a bound, although it lies
    # inside the original window. When such a bound was taken for exact, it won ties with moves that have this value,
    # and the search reported a wrong line.
    hand.beta = min(hand.beta, hand.value)
    own_permits = withdraw_permit(hand, address) + 1
    if fetch_add(frame, "join", -own_permits) == own_permits:
        if hand.frame != 0:
            release(crew, hand, address)
    else:
        hand.sent += 1
        ring(record_at(crew.bell, BELL))
    return end_frame(crew, hand)


@inner
def leave(game, crew, hand, worker):
    """Leave a split point that has no move for this worker; the last to leave completes it. Return the next step."""
    address = hand.frame
    frame = frame_at(address)
    stumble(crew, hand)
    own_permits = withdraw_permit(hand, address) + 1
    if fetch_add(frame, "join", -own_permits) != own_permits:
        return IDLE
    if load(frame, "cut") != 0:
        if frame.above != 0:
            release(crew, hand, address)
        return IDLE
    key = load(frame, "key")
    has_line = frame.line_key != NOTHING and frame.line_key >> RANK_BITS == key >> RANK_BITS
    if has_line and frame.above != 0:
        key = frame.line_key  # a bound may be as high, but only this move has the value
    valid = load(frame, "bad") == 0
    if valid and crew.in_order != 0 and frame.in_turn == 0:
        frame.in_turn = 1
        store(frame, "next", 0, "relaxed")
        store(frame, "join", 1, "relaxed")
        hand.index, hand.until = -1, 0
        return TAKE
    if valid:
        store_frame_value(game, address, key, EXACT if key >> RANK_BITS > frame.alpha else UPPER, worker)
    return_to_parent(hand, frame, key)
    hand.valid = np.int64(valid)
    if has_line:
        hand.line_length = frame.line_length
        for step in range(hand.line_length):
            hand.line[step] = frame.line[step]
    if hand.frame != 0:
        release(crew, hand, address)
    return end_frame(crew, hand)


@inner
def withdraw_permit(hand, address):
    """Take back this worker's permit to join a split point, the newest on its deque, if no other worker has taken it.
    Return 1 if the permit was there, else 0."""
    permit = pop(hand)
    if permit == address:
        return 1
    if permit != EMPTY:
        push(hand, permit)
    return 0


@inner
def return_to_parent(hand, frame, key):
    """Put a split point's value in `hand`, to be delivered to the split point above."""
    hand.value, hand.valid, hand.line_length = key >> RANK_BITS, 1, 0
    hand.index, hand.until = frame.index, frame.until
    hand.alpha, hand.beta = frame.alpha, frame.beta
    hand.frame, hand.holding = frame.above, frame.holding


@inner
def end_frame(crew, hand):
    """Return the next step after a split point: deliver its value to the split point above, or close the root."""
    if hand.frame != 0:
        return DELIVER
    store(crew, "open", 0, "seq_cst")
    wake_all(crew)
    return IDLE


@inner
def store_frame_value(game, address, key, bound, worker):
    """Store a split point's value in the table, as `alphabeta` does for a node, unless it is the root."""
    frame = frame_at(address)
    if worker.table == 0 or frame.depth < worker.table_from or frame.above == 0:
        return
    symmetry, first, second = table_key(game, unpack(game, frame.first, frame.second), worker)
    best = np.int64(move_at(address, frame.count - (key & RANK)))
    data = entry_of(game, key >> RANK_BITS, frame.depth, bound, best, symmetry, worker)
    store_entry(first, second, data, frame.depth, frame.ply, worker)
