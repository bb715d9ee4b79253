"""The divided search: a tree whose upper part is made of frames, split points that workers join.

A frame is a node whose moves are shared. The worker that opens a frame may search the first move alone (young brothers
wait). To offer the other moves, it puts a permit on its deque. The worker that takes the permit joins the frame, offers
another permit as long as moves are left, and takes moves until there are none. No worker ever waits in a frame: `join`
counts permits and workers inside, and the last one out carries the value to the frame above and continues there. Below
the frames a worker searches alone.

A value that makes the other workers' searches pointless cuts the frame off. The worker that wins a compare-exchange
delivers the value upwards at once and rings the bell. The others find the frame cut on their lifeline and leave without
writing anything; the last of them returns the frame's memory.

A worker is always at one of a few steps, and its job is in its `HAND`, so that any worker can continue where another
has left.
"""

import numpy as np

from outflank.games.evaluation import begin
from outflank.games.hints import row
from outflank.games.rules import moves_left, unpack
from outflank.kernels.atomics import store
from outflank.kernels.bits import U64
from outflank.kernels.compiler import inner, kernel
from outflank.kernels.deque import EMPTY
from outflank.kernels.memory import write_word
from outflank.kernels.waiting import nanoseconds
from outflank.parallel.delivering import deliver, leave
from outflank.parallel.events import (
    CLOSED,
    CODE_SHIFT,
    DONE,
    FOUND,
    GIVEN_UP,
    HOME,
    IN_TURN,
    LEFT,
    MORE_SHIFT,
    OFFERED,
    OPENED,
    SEEKING,
    STARTED,
    TAKEN,
    note_event,
)
from outflank.parallel.idling import find_permit, wait_until_idle
from outflank.parallel.shared_state import (
    AWAY,
    DELIVER,
    DESCEND,
    LEAVE,
    NOT_OFFERED,
    NOTHING,
    OFFER,
    RANK_BITS,
    ROWS,
    TAKE,
    frame_at,
    move_at,
    moves_of,
    release,
    take_frame,
)
from outflank.parallel.taking import join, offer, serial_moves, take
from outflank.search.alphabeta import alphabeta, try_probcut
from outflank.search.endgame_steps import try_early_cutoff, try_endgame_solver
from outflank.search.minimax import minimax
from outflank.search.nodes import arrange_all, fill_moves, hint_for, is_table_cutoff, query_table
from outflank.search.quiescence import quiescence
from outflank.search.stopping import check_lifeline, report_nodes
from outflank.search.table import value_of


@kernel
def work(game, evaluation, crew, hand, worker, probe, step):
    """Search as a worker of the crew, beginning with `step`. The leader returns once the root's value is known, a
    helper once the crew is dismissed. In a stepwise crew, whose caller runs the workers in turn, do a single step."""
    hand.since = nanoseconds()
    if step in (TAKE, OFFER) and crew.stepwise == 0:
        # Only the leader begins so. This publishes its writes between roots; helpers may now steal and write
        # statistics.
        store(crew, "open", 1)
        note_event(probe, STARTED, hand.frame, frame_at(hand.frame).depth, hand, worker)
    while step != AWAY:
        frame, index = hand.frame, hand.index
        if step == DESCEND:
            step = descend(game, evaluation, crew, hand, worker, probe)
            if hand.frame != frame:
                note_event(probe, OPENED, hand.frame, hand.depth, hand, worker)
        elif step == DELIVER:
            valid = hand.valid
            step = deliver(game, crew, hand, worker)
            if step != DESCEND:
                note_event(probe, GIVEN_UP if valid == 0 else DONE, frame, index, hand, worker)
            if hand.frame != frame:
                note_event(probe, CLOSED, frame, 0, hand, worker)
        elif step == TAKE:
            step = take(game, crew, hand)
            if step == DESCEND:
                code, more = np.int64(move_at(frame, hand.index)), hand.until - hand.index - 1
                note_event(probe, TAKEN, frame, hand.index | code << CODE_SHIFT | more << MORE_SHIFT, hand, worker)
        elif step == OFFER:
            step = offer(crew, hand)
            note_event(probe, OFFERED, frame, 0, hand, worker)
        elif step == LEAVE:
            step = leave(game, crew, hand, worker)
            closed = hand.frame != frame
            note_event(probe, CLOSED if closed else IN_TURN if step == TAKE else LEFT, frame, 0, hand, worker)
        else:
            note_event(probe, SEEKING, 0, 0, hand, worker)
            permit = find_permit(crew, hand)
            worker.polled_ns = 0  # the worker was idle, not paused
            note_event(probe, HOME if permit == EMPTY else FOUND, permit, 0, hand, worker)
            step = AWAY if permit == EMPTY else join(crew, hand, permit)
        if crew.stepwise != 0:
            hand.step = step
            return
    if hand.id == 0 and crew.stepwise == 0:
        wait_until_idle(crew)


@inner
def descend(game, evaluation, crew, hand, worker, probe):
    """Find the current position's value: at once, by a search alone, or at a new split point. Return the next step."""
    if worker.nodes >= worker.poll_at:
        report_nodes(worker)
    worker.aborted = 0
    worker.lifeline, worker.place = hand.frame, hand.index
    check_lifeline(worker)
    if worker.aborted != 0:
        hand.valid = 0
        hand.obeyed += 1
        return DELIVER
    position = unpack(game, hand.first, hand.second)
    # If the depth exceeds the number of moves left, the number of moves counts, because the game ends sooner.
    left = min(hand.depth, moves_left(game, position) + 1)
    divisible = left > crew.threshold and hand.ply < crew.levels
    if divisible and (crew.leftmost == 0 or hand.leftmost != 0):
        step = open_frame(game, evaluation, position, crew, hand, worker, probe)
        if step != DESCEND:
            return step
    before, estimates = worker.nodes, worker.estimates
    hand.value = search_alone(game, evaluation, position, crew, hand, worker, probe)
    hand.valid = np.int64(worker.aborted == 0)
    hand.line_length = 0
    if hand.depth > 0 and crew.prune != 0 and hand.alpha < hand.value < hand.beta:
        hand.line_length = worker.line_length[hand.ply]
        for step in range(hand.line_length):
            hand.line[step] = worker.line[hand.ply, step]
    if worker.aborted != 0:
        hand.obeyed += 1
        hand.wasted += worker.nodes - before
        if worker.table == 0:
            worker.estimates = estimates  # an unfinished search does not affect the value; its entries may
    return DELIVER


@inner
def search_alone(game, evaluation, position, crew, hand, worker, probe):
    """Return the value of the worker's current position, searched by this worker alone."""
    state = begin(evaluation, game, position)
    start = np.int64(0)
    if hand.depth == 0:
        return quiescence(game, evaluation, position, state, hand.alpha, hand.beta, worker.quiescence, start, worker)
    if crew.prune == 0:
        return minimax(game, evaluation, position, state, hand.depth, start, worker, probe)
    return alphabeta(
        game, evaluation, position, state, hand.alpha, hand.beta, hand.depth, hand.ply, start, worker, probe
    )


@inner
def open_frame(game, evaluation, position, crew, hand, worker, probe):
    """Make the current position a split point, unless its value is known or no frame is free. Return the next step.

    The steps are those at a node of `alphabeta`, in the same order, so that a single worker enters the same nodes.
    """
    depth = hand.depth
    address = take_frame(hand)
    if address == 0:
        return DESCEND
    worker.nodes += 1
    known, result = try_endgame_solver(evaluation, game, position, hand.alpha, hand.beta, depth, worker)
    if known:
        return finish_without_frame(crew, hand, address, result)
    _, data, symmetry, _, _ = query_table(game, position, depth, worker, probe)
    if is_table_cutoff(data, depth, hand.alpha, hand.beta, worker):
        return finish_without_frame(crew, hand, address, value_of(data))
    state, start = begin(evaluation, game, position), np.int64(0)
    window = (hand.alpha, hand.beta, depth, hand.ply, start)
    known, result = try_probcut(evaluation, game, position, state, *window, worker, probe)
    if worker.aborted != 0:
        return give_up_frame(crew, hand, address)
    if known:
        return finish_without_frame(crew, hand, address, result)
    known, result, end, left = fill_moves(game, evaluation, position, state, depth, start, worker, probe)
    if not known:
        known, result = try_early_cutoff(
            evaluation, game, position, state, hand.alpha, hand.beta, depth, left, start, end, worker
        )
    if known:
        return finish_without_frame(crew, hand, address, result)
    hint = hint_for(data, depth, worker)
    arrange_all(evaluation, game, position, state, depth, hand.ply, hint, symmetry, end, worker)
    if crew.lot == ROWS:
        gather_rows(game, end, worker)

    frame = frame_at(address)
    # Atomics: a worker below a frame that was cut long ago may still read this memory as its lifeline, or as the key of
    # the frame above. Its result is not wanted any more.
    store(frame, "cut", 0, "relaxed")  # race: read so early only by workers below a cut
    store(frame, "above", hand.frame, "relaxed")  # race: read so early only by workers below a cut
    store(frame, "held", 0, "relaxed")  # race: read so early only by workers below a cut
    store(frame, "index", hand.index, "relaxed")  # race: read so early only by workers below a cut
    store(frame, "alpha", hand.alpha, "relaxed")  # race: read so early only by workers below a cut
    store(frame, "key", NOTHING, "relaxed")  # race: read so early only by workers below a cut
    frame.first, frame.second = hand.first, hand.second
    frame.depth, frame.left, frame.ply = depth, left, hand.ply
    frame.beta = hand.beta
    frame.until, frame.holding = hand.until, hand.holding
    frame.leftmost, frame.expected = hand.leftmost, hand.expected
    frame.count = end
    frame.opener = NOT_OFFERED
    frame.in_turn = 0
    frame.join, frame.next, frame.bad, frame.postponed = 1, 0, 0, 0  # no other worker sees it yet
    frame.writing, frame.line_key = 0, NOTHING
    for index in range(end):
        write_word(moves_of(address), index, U64(worker.moves[index]) | U64(end - index) << U64(RANK_BITS))
        # A value of the previous frame at this address must not be taken for a move postponed in this frame.
        write_word(moves_of(address), crew.room + index, U64(0))
    hand.frame = address
    hand.index, hand.until, hand.holding = -1, 0, 0
    if end == 1 or serial_moves(crew, frame) > 0:
        return TAKE
    return OFFER


@inner
def finish_without_frame(crew, hand, address, known_value):
    """Release the frame of a node whose value is known, and store the value in `hand`. Return the next step."""
    release(crew, hand, address)
    hand.value = np.int64(known_value)
    hand.valid, hand.line_length = 1, 0
    return DELIVER


@inner
def give_up_frame(crew, hand, address):
    """Release the frame of a node whose value is no longer wanted. Return the next step."""
    step = finish_without_frame(crew, hand, address, 0)
    hand.valid = 0
    hand.obeyed += 1
    return step


@inner
def gather_rows(game, end, worker):
    """Group the moves of each row of the board, at the place of the row's first move."""
    index = 0
    while index < end:
        current_row = row(game, worker.moves[index])
        index += 1
        for later in range(index, end):
            if row(game, worker.moves[later]) == current_row:
                move = worker.moves[later]
                for place in range(later, index, -1):
                    worker.moves[place] = worker.moves[place - 1]
                worker.moves[index] = move
                index += 1
