"""How the value of a move comes to its frame, and that of a frame to the one above."""

import numpy as np

from outflank.games.rules import unpack
from outflank.kernels.atomics import compare_exchange, fetch_add, fetch_max, load, store
from outflank.kernels.bits import U64
from outflank.kernels.compiler import inner
from outflank.kernels.memory import record_at, write_word
from outflank.kernels.waiting import yield_core
from outflank.parallel.deque import EMPTY, pop, push
from outflank.parallel.idling import stumble, wake_everybody
from outflank.parallel.pool import release
from outflank.parallel.shared_state import (
    CUT,
    DELIVER,
    FAILED,
    IDLE,
    NOTHING,
    OFFER,
    OPEN,
    POSTPONED,
    RANK,
    RANK_BITS,
    TAKE,
    frame_at,
    move_at,
    moves_of,
    rank_at,
)
from outflank.parallel.taking import ask, ceiling_of, floor_for, invite
from outflank.search.keys import table_key
from outflank.search.nodes import entry_of, learn
from outflank.search.ordering import reward
from outflank.search.stopping import BELL, alive, ring
from outflank.search.table import EXACT, LOWER, UPPER
from outflank.search.worker import PLIES


@inner
def deliver(game, crew, hand, worker):
    """Bring the value of a move to its frame."""
    address, index = hand.frame, hand.index
    frame = frame_at(address)
    if hand.valid == 0:
        let_go(crew, hand, frame)
        if alive(record_at(crew.bell, BELL), address, -1):
            return postpone(crew, address, index)
        store(frame, "bad", 1, "relaxed")  # race: all write the same, and the last one out reads it after all have left
        return TAKE
    if load(frame, "cut") != 0:
        let_go(crew, hand, frame)
        return TAKE
    found, low, high = -hand.value, -hand.beta, -hand.alpha
    ceiling = ceiling_of(crew, frame)
    if high <= found < ceiling:
        # It beat its scout: how good it is, is not known yet.
        mark = (found << RANK_BITS) + rank_at(address, index)
        key = claim(frame, mark, worker)
        if crew.in_order != 0 and frame.in_turn == 0:
            write_word(moves_of(address), crew.room + index, U64(FAILED))
            return after_eldest(crew, hand, frame, False)
        if key != mark:
            # Another one is better by now: first of all it must beat that.
            low = floor_for(crew, address, index)
            return ask(game, hand, address, index, low, low + 1)
        if crew.hold != 0 and not hold(crew, hand, frame, index):
            return postpone(crew, address, index)
        return ask(game, hand, address, index, found - 1, max(ceiling_of(crew, frame), found))
    # race: with one who looks for postponed moves, and leaves this word alone whatever it reads
    write_word(moves_of(address), crew.room + index, U64(found))
    mark = found << RANK_BITS
    if found > low or frame.above != 0:
        # At the root a bound must not win a tie; elsewhere the move is only a hint for the table.
        mark += rank_at(address, index)
    # race: windows that are made of an older key are wider than they need be
    key = max(mark, fetch_max(frame, "key", mark))
    if key == mark and low < found < ceiling and crew.prune != 0:
        write_line(crew, hand, frame, mark, move_at(address, index))
    let_go(crew, hand, frame)
    stumble(crew, hand)
    if crew.prune != 0 and key >> RANK_BITS >= ceiling_of(crew, frame):
        stumble(crew, hand)
        if compare_exchange(frame, "cut", 0, 1):  # race: who sees it late is told by the bell
            return cut(game, crew, hand, worker, key)
        return TAKE
    return after_eldest(crew, hand, frame, key == mark and low < found)


@inner
def claim(frame, mark, worker):
    """The best that is known of a frame, once a move has beaten its scout: nobody need ask for less any more.

    Not where scouts may guess: asked for its value, for which nothing is guessed, such a move may be no better than the
    best before it, and was taken for the best one all the same. Of 40 drawn positions of Othello, searched to depth 7
    with many guesses, 25 had another value or move than without frames; and proofs, which begin with that move, took
    up to five times the nodes.
    """
    if worker.selectivity_index != 0:
        return max(mark, load(frame, "key", "relaxed"))  # race: if it is old, the move is asked for its value too soon
    # race: windows that are made of an older key are wider than they need be
    return max(mark, fetch_max(frame, "key", mark))


@inner
def write_line(crew, hand, frame, key, move):
    """Keep the principal variation of a frame: a move that is worth `key`, and what is in hand of those after it."""
    # race: who finds it taken waits; it is seldom more than one who has such a value
    while not compare_exchange(frame, "writing", 0, 1):
        yield_core()
    stumble(crew, hand)
    if key > frame.line_key:
        frame.line_key = key
        frame.line[0] = move
        follows = min(hand.line_length, PLIES - 1)
        for step in range(follows):
            frame.line[step + 1] = hand.line[step]
        frame.line_length = follows + 1
    store(frame, "writing", 0)


@inner
def hold(crew, hand, frame, index):
    """Hold a frame for a move that beat its scout: what is being searched of its younger brothers is given up, for it
    asks for too little now. Whether the move may be searched: not while the frame is held for an elder one.
    """
    while True:
        held = load(frame, "held")
        if held != 0 and held <= index:
            return False
        if compare_exchange(frame, "held", held, index + 1, "seq_cst"):  # race: who sees it late is told by the bell
            hand.holding = 1
            if load(frame, "join") > 1:
                ring(record_at(crew.bell, BELL))
            return True


@inner
def let_go(crew, hand, frame):
    """The move in hand is done: if the frame was held for it, those who left may come back."""
    if hand.holding != 0:
        hand.holding = 0
        # race: who sees it late gives up a move too many, which is taken again
        if compare_exchange(frame, "held", hand.index + 1, 0, "seq_cst") and frame.opener >= 0:
            invite(crew, hand, frame)


@inner
def postpone(crew, address, index):
    """Not the frame is given up, only this move, for the sake of another: it will be taken again."""
    # race: who finds it before it is counted takes it all the same
    write_word(moves_of(address), crew.room + index, U64(POSTPONED))
    fetch_add(frame_at(address), "postponed", 1, "seq_cst")
    return TAKE


@inner
def after_eldest(crew, hand, frame, leads):
    """Go on in a frame; its other moves are offered once the eldest is done. `leads`: the move in hand has been found
    to be the best so far.

    Where one after the other beats the best, the next may do so too, and brothers that are asked meanwhile are asked
    for too little. Two and four workers had 3.2 and 8.1 % more nodes than one before others waited for that, and 2.4
    and 5.1 % since (twelve positions of Othello with 22 squares empty).
    """
    waiting = serial_moves(crew, frame)
    if leads and hand.index > 0 and crew.wait_while_improving != 0:
        return TAKE
    if frame.opener < 0 and waiting < frame.count and load(frame, "next", "relaxed") >= waiting:
        return OFFER
    return TAKE


@inner
def serial_moves(crew, frame):
    """How many moves of a frame are searched before the others are offered.

    Near the leaves one less: little is lost there, and workers that find nothing to do lose more.
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
def cut(game, crew, hand, worker, key):
    """The frame is settled by `key`: deliver it upwards at once, and tell those who are still inside."""
    address = hand.frame
    frame = frame_at(address)
    keep(game, address, key, LOWER, worker)
    if frame.above != 0:
        index = frame.count - (key & RANK)
        reward(np.int64(move_at(address, index)), frame.depth, frame.ply, worker)
        worker.cutoffs += 1
        if index == 0:
            worker.first_cutoffs += 1
    stumble(crew, hand)
    rise(hand, frame, key)
    # The frame above may have learnt more since it asked: then this is only a bound, though inside the window that was
    # asked for. Taken for a value, it won a tie with the move that has that value, and its line was told.
    hand.beta = min(hand.beta, hand.value)
    mine = take_back(hand, address) + 1
    if fetch_add(frame, "join", -mine) == mine:
        if hand.frame != 0:
            release(crew, hand, address)
    else:
        hand.sent += 1
        ring(record_at(crew.bell, BELL))
    return end_frame(crew, hand)


@inner
def leave(game, crew, hand, worker):
    """No move is left for this worker; the last one out completes the frame."""
    address = hand.frame
    frame = frame_at(address)
    stumble(crew, hand)
    mine = take_back(hand, address) + 1
    if fetch_add(frame, "join", -mine) != mine:
        return IDLE
    if load(frame, "cut") != 0:
        if frame.above != 0:
            release(crew, hand, address)
        return IDLE
    key = load(frame, "key")
    has_line = frame.line_key != NOTHING and frame.line_key >> RANK_BITS == key >> RANK_BITS
    if has_line and frame.above != 0:
        key = frame.line_key  # a bound may be as high, but the move that has the value is this one
    valid = load(frame, "bad") == 0
    if valid and crew.in_order != 0 and frame.in_turn == 0:
        frame.in_turn = 1
        store(frame, "next", 0, "relaxed")
        store(frame, "join", 1, "relaxed")
        hand.index, hand.until = -1, 0
        return TAKE
    if valid:
        keep(game, address, key, EXACT if key >> RANK_BITS > frame.alpha else UPPER, worker)
    rise(hand, frame, key)
    hand.valid = np.int64(valid)
    if has_line:
        hand.line_length = frame.line_length
        for step in range(hand.line_length):
            hand.line[step] = frame.line[step]
    if hand.frame != 0:
        release(crew, hand, address)
    return end_frame(crew, hand)


@inner
def take_back(hand, address):
    """Take back this worker's own permit for the frame, if it is still there: it is the newest on its deque."""
    permit = pop(hand)
    if permit == address:
        return 1
    if permit != EMPTY:
        push(hand, permit)
    return 0


@inner
def rise(hand, frame, key):
    """Turn from a frame with a value to the frame above."""
    hand.value, hand.valid, hand.line_length = key >> RANK_BITS, 1, 0
    hand.index, hand.until = frame.index, frame.until
    hand.alpha, hand.beta = frame.alpha, frame.beta
    hand.frame, hand.holding = frame.above, frame.holding


@inner
def end_frame(crew, hand):
    """Go on in the frame above; above the root there is none."""
    if hand.frame != 0:
        return DELIVER
    store(crew, "open", 0, "seq_cst")
    wake_everybody(crew)
    return IDLE


@inner
def keep(game, address, key, bound, worker):
    """Store a frame's value in the table, as alphabeta does for a node; not the root's."""
    frame = frame_at(address)
    if worker.table == 0 or frame.depth < worker.table_from or frame.above == 0:
        return
    symmetry, first, second = table_key(game, unpack(game, frame.first, frame.second), worker)
    best = np.int64(move_at(address, frame.count - (key & RANK)))
    data = entry_of(game, key >> RANK_BITS, frame.depth, bound, best, symmetry, worker)
    learn(first, second, data, frame.depth, frame.ply, worker)
