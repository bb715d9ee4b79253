"""The simulated run of a search on nodes that steal from each other, as in Satin, with a table for each node.

A node divides the tree nodes on its stack that have more plies left than the threshold: it searches the first moves,
then spawns the others, and works on its newest job while it waits for them. A node without jobs sends requests to
random nodes, one after the other, and gets the oldest job of the first victim that has one. With principal variation
search, moves after the first are searched with a null window, and again if they turn out to be better. A cut-off gives
up all work below it; orders to give up a job take as long as other messages. Searches of jobs are real, with the table
of their node, and so are all values; only the time is simulated. A job that is given up has still filled its node's
table.

In addition, the nodes may share a distributed table, for the positions that are divided and for the roots of jobs: a
hash of a position determines the node that has its entry, and every other node looks it up by a message and its answer.
Within a job only the node's own table is used.
"""

import numpy as np

from outflank.distributed.node_steps import open_node, store_value
from outflank.games.evaluation import begin
from outflank.games.rules import pack, play, unpack
from outflank.kernels.bits import U64
from outflank.kernels.compiler import inner, kernel
from outflank.kernels.memory import read_word, record_at
from outflank.lab.simulation.stealing_state import (
    ABORT,
    ALL,
    BEGIN,
    CUT,
    DELIVERED,
    ENTRIES,
    ENTRY,
    FORWARD,
    IN_ORDER,
    LEAVE,
    LOOKED_UP,
    OPEN,
    QUEUED,
    READY,
    REPLY,
    REQUEST,
    RESERVE,
    RESULT,
    RETURN,
    RUNNING,
    SERIAL,
    STACK,
    SYNC,
    UNBORN,
    next_event,
    random_below,
    schedule,
)
from outflank.search.alphabeta import WORST, alphabeta
from outflank.search.nodes import entry_of
from outflank.search.ordering import record_cutoff
from outflank.search.outbox import OUTBOX, WORDS, adopt
from outflank.search.table import (
    EXACT,
    LOWER,
    NO_MOVE,
    UPPER,
    adopted,
    hashed,
    is_foreign,
    looked_up,
    remember,
    table_key,
)

# --- stacks ---


@inner
def _push(state, number, first, second, alpha, beta, depth, ply, expected):
    """Put a frame on a node's stack, and return it."""
    node = state.nodes[number]
    frame = state.frames[number * STACK + node.height]
    node.height += 1
    node.uids += 1
    frame.first, frame.second = first, second
    frame.alpha, frame.beta, frame.depth, frame.ply = alpha, beta, depth, ply
    frame.phase, frame.uid, frame.dead = BEGIN, node.uids, 0
    frame.parent, frame.child, frame.origin = -1, 0, -1
    frame.best, frame.best_move, frame.expected, frame.held_by = WORST, NO_MOVE, expected, -1
    frame.count, frame.begun, frame.outstanding = 0, 0, 0
    return frame


@inner
def _child_words(game, frame, child):
    return pack(game, play(game, unpack(game, frame.first, frame.second), frame.moves[child]))


@inner
def _window(state, frame, child):
    """Store the upper end of the window of a move's search. Return the window and the expected result after the
    move."""
    low, high = max(frame.alpha, frame.best), np.int64(frame.beta)
    if state.machine.null_windows != 0 and child > 0 and frame.is_better[child] == 0:
        high = min(high, low + 1)
    frame.ceiling[child] = high
    # If the first move does not cut a frame off as expected, the others seldom do.
    expected = OPEN if high > low + 1 else ALL if frame.expected == CUT and child == 0 else CUT
    return low, high, expected


@inner
def _push_child(game, state, number, index, child):
    """Put a move of the frame `index` on the same stack."""
    parent = state.frames[number * STACK + index]
    first, second = _child_words(game, parent, child)
    low, high, expected = _window(state, parent, child)
    frame = _push(state, number, first, second, -high, -low, parent.left, parent.ply + 1, expected)
    frame.parent, frame.child = index, child
    parent.thief[child] = RUNNING


@inner
def _push_stolen(state, number):
    """Put the stolen job that has arrived on the stack of its thief."""
    node = state.nodes[number]
    alpha, beta = node.in_alpha, node.in_beta
    frame = _push(
        state, number, node.in_first, node.in_second, alpha, beta, node.in_depth, node.in_ply, node.in_expected
    )
    frame.origin, frame.origin_frame, frame.origin_uid = node.in_owner, node.in_frame, node.in_uid
    frame.child = node.in_child
    node.in_owner = -1


# --- deques ---


@inner
def _enqueue(state, number, index, child):
    """Put a move of the frame `index` into the node's deque."""
    node, jobs, frame = state.nodes[number], state.jobs[number], state.frames[number * STACK + index]
    if node.head == node.tail:
        node.head = node.tail = 0
    elif node.tail == len(jobs):
        for place in range(node.tail - node.head):
            for field in range(3):
                jobs[place, field] = jobs[node.head + place, field]
        node.tail -= node.head
        node.head = 0
    jobs[node.tail, 0], jobs[node.tail, 1], jobs[node.tail, 2] = index, frame.uid, child
    node.tail += 1
    frame.thief[child] = QUEUED


@inner
def _spawn(state, number, index):
    """Put all moves but the first ones into the node's deque. The node itself takes its newest job first."""
    machine, node, frame = state.machine, state.nodes[number], state.frames[number * STACK + index]
    frame.outstanding = frame.count - frame.begun
    for step in range(frame.outstanding):
        _enqueue(state, number, index, frame.begun + step if machine.spawn_order == FORWARD else frame.count - 1 - step)
    node.spawns += frame.outstanding
    node.owed += frame.outstanding * machine.spawn


@inner
def _queued_move(state, number, place):
    """Return the move of the job at a place of a node's deque; -1 if the job has been given up.

    If moves are taken in order, this is the earliest queued move of the job's frame.
    """
    jobs = state.jobs[number]
    index, child = jobs[place, 0], jobs[place, 2]
    frame = state.frames[number * STACK + index]
    is_same = index < state.nodes[number].height and frame.uid == jobs[place, 1] and frame.dead == 0
    if not is_same or frame.phase != SYNC or (frame.held_by >= 0 and frame.thief[frame.held_by] != QUEUED):
        return np.int64(-1)
    if frame.held_by >= 0:
        return np.int64(frame.held_by)
    if state.machine.spawn_order == IN_ORDER:
        child = np.int64(0)
        while child < frame.count - 1 and frame.thief[child] != QUEUED:
            child += 1
    return child if frame.thief[child] == QUEUED else np.int64(-1)


@inner
def _take_newest(game, state, number):
    """Put the newest job of a node's deque on its stack. Return whether there was one."""
    node, jobs = state.nodes[number], state.jobs[number]
    while node.tail > node.head:
        node.tail -= 1
        child = _queued_move(state, number, node.tail)
        if child >= 0:
            _push_child(game, state, number, jobs[node.tail, 0], child)
            return True
    return False


@inner
def _give_oldest(game, state, victim, number):
    """Take the oldest job, if there is one, from a victim's deque, and send it to the thief `number`."""
    node, jobs, thief = state.nodes[victim], state.jobs[victim], state.nodes[number]
    while node.tail > node.head:
        place = node.head
        node.head += 1
        child = _queued_move(state, victim, place)
        if child >= 0:
            index = jobs[place, 0]
            frame = state.frames[victim * STACK + index]
            frame.thief[child] = number
            thief.in_owner, thief.in_frame, thief.in_uid, thief.in_child = victim, index, frame.uid, child
            thief.in_first, thief.in_second = _child_words(game, frame, child)
            low, high, thief.in_expected = _window(state, frame, child)
            thief.in_alpha, thief.in_beta = -high, -low
            thief.in_depth, thief.in_ply = frame.left, frame.ply + 1
            return


# --- values and cut-offs ---


@inner
def _deliver(state, number, index, child, value):
    """Give the value of a move to the frame that waits for it."""
    frame = state.frames[number * STACK + index]
    if value >= frame.ceiling[child] and value < frame.beta:
        # The move beats the best value at the start of its search. If another move has become as good meanwhile, the
        # move is searched with a null window again.
        frame.is_better[child] = value > max(frame.alpha, frame.best)
        if frame.phase == SERIAL:
            frame.begun = child
            return
        if frame.is_better[child] != 0:
            _put_off_moves(state, number, index, child)
        _enqueue(state, number, index, child)
        return
    frame.thief[child] = DELIVERED
    if frame.held_by == child:
        frame.held_by = -1
        for step in range(frame.count):
            other = step if state.machine.spawn_order == FORWARD else frame.count - 1 - step
            if frame.thief[other] == QUEUED:
                _enqueue(state, number, index, other)
    if frame.phase == SYNC:
        frame.outstanding -= 1
    if value > frame.best:
        frame.best = value
        frame.best_move = np.int64(frame.moves[child])
    if frame.best >= frame.beta and frame.outstanding > 0:
        _give_up_moves(state, number, index)
        _give_up_above(state, number, index)


@inner
def _put_off_moves(state, number, index, child):
    """Give up the searches of a frame's other moves, until move `child` has been searched again.

    Their windows are below the value of this move, so that many of them would turn out to be better as well. From
    `midgame` to depth 13, at threshold 5, 16 nodes with a distributed table enter 1.16 times one worker's tree nodes
    instead of 1.26 times; to depth 15, at threshold 6, 1.55 instead of 1.59 times.
    """
    machine, node, frame = state.machine, state.nodes[number], state.frames[number * STACK + index]
    frame.held_by = child
    for other in range(frame.count):
        if frame.thief[other] >= 0 and other != child:
            schedule(state, machine.now + machine.latency, ABORT, frame.thief[other], number, frame.uid, other, 0)
        if (frame.thief[other] >= 0 or frame.thief[other] == RUNNING) and other != child:
            frame.thief[other] = QUEUED
    _give_up_above(state, number, index)
    # With another number, results of the searches that were given up are ignored, and orders to give up a job cannot
    # reach a later search of the same move.
    node.uids += 1
    frame.uid = node.uids


@inner
def _give_up_moves(state, number, index):
    """Stop waiting for a frame's moves, and tell the nodes that have stolen some of them."""
    machine, frame = state.machine, state.frames[number * STACK + index]
    frame.outstanding = 0
    for child in range(frame.count):
        if frame.thief[child] >= 0:
            schedule(state, machine.now + machine.latency, ABORT, frame.thief[child], number, frame.uid, child, 0)
        if frame.thief[child] != DELIVERED:
            frame.thief[child] = UNBORN


@inner
def _give_up_above(state, number, index):
    """Give up all frames of a stack that descend from the frame `index`. If the node is searching such a frame, end
    this search."""
    machine, node = state.machine, state.nodes[number]
    for place in range(index + 1, node.height):
        frame = state.frames[number * STACK + place]
        parent = state.frames[number * STACK + max(0, frame.parent)]
        if frame.dead == 0 and frame.parent >= 0 and (frame.parent == index or parent.dead != 0):
            frame.dead = 1
            node.aborted += 1
            _give_up_moves(state, number, place)
    top = state.frames[number * STACK + node.height - 1]
    if top.dead != 0 and node.busy != 0 and node.until > machine.now:
        node.boards -= min(node.searching, (node.until - machine.now) // machine.board)
        _occupy(state, number, 0, 0)


@inner
def _abort(state, number, owner, uid, child):
    """Give up a stolen job, on the order of the node that owns it."""
    node = state.nodes[number]
    if node.in_owner == owner and node.in_uid == uid and node.in_child == child:
        node.in_owner = -1
        return
    for place in range(node.height):
        frame = state.frames[number * STACK + place]
        if frame.origin == owner and frame.origin_uid == uid and frame.child == child and frame.dead == 0:
            frame.dead = 1
            node.aborted += 1
            _give_up_moves(state, number, place)
            _give_up_above(state, number, place)
            return


# --- time ---


@inner
def _occupy(state, number, duration, boards):
    """Keep a node busy for `duration`, and for the time that it owes."""
    machine, node = state.machine, state.nodes[number]
    node.version += 1
    node.busy, node.until, node.searching = 1, machine.now + duration + node.owed, boards
    node.owed = 0
    schedule(state, node.until, READY, number, node.version, 0, 0, 0)


@inner
def _request_job(state, number):
    """Request a job from a random other node. If the stack is nearly full, only wait for as long as a request takes."""
    machine, node = state.machine, state.nodes[number]
    if node.height > STACK - RESERVE:
        _occupy(state, number, 2 * machine.latency, 0)
        return
    victim = random_below(machine, len(state.nodes) - 1)
    if victim >= number:
        victim += 1
    node.tried += 1
    schedule(state, machine.now + node.owed + machine.latency, REQUEST, victim, number, 0, 0, 0)
    node.owed = 0


@inner
def _send_updates(state, number, worker):
    """Send the table entries that a node has posted, in full updates. Return whether any update was sent.

    The sender sends an update to one node after the other.
    """
    if worker.outbox == 0 or len(state.nodes) == 1:
        return False
    machine, node, pool, count = state.machine, state.nodes[number], state.pool, len(state.nodes)
    outbox = record_at(worker.outbox, OUTBOX)
    cost = machine.send + machine.batch * machine.send_entry + (2 * machine.latency if machine.waits != 0 else 0)
    is_sent = False
    while outbox.posted - outbox.carried >= machine.batch:
        if machine.pooled % len(pool) + machine.batch > len(pool):
            machine.pooled += len(pool) - machine.pooled % len(pool)
        begin_at = machine.pooled % len(pool)
        for entry in range(machine.batch):
            place = ((outbox.carried + entry) & (outbox.room - 1)) * WORDS
            for word in range(WORDS):
                pool[begin_at + entry, word] = read_word(outbox.ring, place + word)
        outbox.carried += machine.batch
        machine.pooled += machine.batch
        arrives = machine.now + node.owed + cost + (0 if machine.waits != 0 else machine.latency)
        schedule(state, arrives, ENTRIES, (number + 1) % count, begin_at, count - 2, cost, 0)
        node.owed += (count - 1) * cost
        node.sending += (count - 1) * cost
        node.updates += 1
        node.sent += machine.batch
        is_sent = True
    return is_sent


@inner
def _receive(state, number, begin_at, others, cost, worker):
    """Store the table entries of an update, which delays a searching node, and schedule the update's arrival at the
    next of the `others` nodes that still get a copy."""
    machine, node, count = state.machine, state.nodes[number], state.machine.batch
    if others > 0:
        following = (number + 1) % len(state.nodes)
        schedule(state, machine.now + cost, ENTRIES, following, begin_at, others - 1, cost, 0)
    adopt(state.pool[begin_at : begin_at + count], count, worker)
    if node.height > 0:
        held_up = machine.receive + count * machine.receive_entry
        node.owed += held_up
        node.receiving += held_up


@inner
def _bound(frame):
    """Return the kind of bound that a frame's best value is."""
    return np.int64(LOWER if frame.best >= frame.beta else EXACT if frame.best > frame.alpha else UPPER)


# --- the distributed table ---


@inner
def _home(state, first, second):
    """Return the node that has the entry of a position in the distributed table."""
    return np.int64(hashed(first, second) & U64(0xFFFFFFFF)) % len(state.nodes)


@inner
def _begin_lookup(game, state, number, frame, worker):
    """Begin to look up a frame's position in the distributed table. Return whether the node has to wait for the answer
    of another node."""
    machine, node = state.machine, state.nodes[number]
    _, first, second = table_key(game, unpack(game, frame.first, frame.second), worker)
    if _home(state, first, second) == number:
        return False
    frame.phase = LOOKED_UP
    node.looking_up += 2 * machine.latency
    _occupy(state, number, 2 * machine.latency, 0)
    return True


@inner
def _copy_entry(game, state, frame, worker):
    """Copy the distributed table's entry of a job's root to the table of the node."""
    machine = state.machine
    _, first, second = table_key(game, unpack(game, frame.first, frame.second), worker)
    data = looked_up(machine.table, machine.table_shift, first, second)
    if data != U64(0):
        remember(worker.table, worker.table_shift, first, second, adopted(data, worker.age))


@inner
def _send_entry(game, state, number, frame, worker):
    """Send the value of a frame to the node that has the position's entry in the distributed table."""
    machine, node = state.machine, state.nodes[number]
    symmetry, first, second = table_key(game, unpack(game, frame.first, frame.second), worker)
    if frame.count > 0:
        bound = _bound(frame)
        best, depth, move = np.int64(frame.best), np.int64(frame.depth), np.int64(frame.best_move)
        if bound == LOWER:
            record_cutoff(move, depth, np.int64(frame.ply), worker)
        data = entry_of(game, best, depth, bound, move, symmetry, worker)
    else:
        data = looked_up(worker.table, worker.table_shift, first, second)
        if data == U64(0) or is_foreign(data) != 0:
            return  # there is no entry, or it came from the distributed table
    home = _home(state, first, second)
    if home == number:
        remember(machine.table, machine.table_shift, first, second, data)
        return
    cost = machine.send + machine.send_entry
    node.owed += cost
    node.sending += cost
    node.sent += 1
    time = machine.now + node.owed + machine.latency
    schedule(state, time, ENTRY, home, np.int64(first), np.int64(second), np.int64(data), 0)


@inner
def _receive_entry(state, number, first, second, data):
    """Store an entry in a node's part of the distributed table, which delays a searching node."""
    machine, node = state.machine, state.nodes[number]
    remember(machine.table, machine.table_shift, U64(first), U64(second), U64(data))
    if node.height > 0:
        held_up = machine.receive + machine.receive_entry
        node.owed += held_up
        node.receiving += held_up


# --- the search ---


@inner
def _open(game, evaluation, state, number, frame, worker, probe):
    """Search a frame sequentially, or find its moves. Return whether the node is busy now."""
    machine, node = state.machine, state.nodes[number]
    before = worker.nodes
    alpha, beta = np.int64(frame.alpha), np.int64(frame.beta)
    depth, ply = np.int64(frame.depth), np.int64(frame.ply)
    if frame.depth <= machine.threshold:
        if machine.table != 0:
            _copy_entry(game, state, frame, worker)
        position = unpack(game, frame.first, frame.second)
        features = begin(evaluation, game, position)
        frame.best = alphabeta(
            game, evaluation, position, features, alpha, beta, depth, ply, np.int64(0), worker, probe
        )
        frame.phase = RETURN
        boards = worker.nodes - before
        node.boards += boards
        _occupy(state, number, boards * machine.board, boards)
        return True
    own_table, own_shift = worker.table, worker.table_shift
    if machine.table != 0:
        worker.table, worker.table_shift = machine.table, machine.table_shift
    is_known, value, count, left = open_node(
        game, evaluation, frame.first, frame.second, alpha, beta, depth, ply, worker, probe
    )
    worker.table, worker.table_shift = own_table, own_shift
    node.boards += worker.nodes - before
    node.owed += (worker.nodes - before) * machine.board
    if is_known:
        frame.best, frame.phase = value, LEAVE
        return False
    frame.count, frame.left, frame.phase = count, left, SERIAL
    for child in range(count):
        frame.moves[child] = worker.moves[child]
        frame.thief[child], frame.is_better[child] = UNBORN, 0
    return False


@inner
def _store(game, frame, worker):
    """Store the value of a divided frame in its node's table. A sequential search has already stored its value."""
    if frame.count > 0:
        best, depth, ply = np.int64(frame.best), np.int64(frame.depth), np.int64(frame.ply)
        store_value(game, frame.first, frame.second, best, _bound(frame), depth, ply, frame.best_move, worker)


@inner
def _leave(state, number, frame):
    """Take the top frame off a stack, and give its value to the frame that waits for it."""
    machine, node = state.machine, state.nodes[number]
    node.height -= 1
    if frame.origin >= 0:
        time = machine.now + node.owed + machine.latency
        child = np.int64(frame.child)
        # The thief's number is not needed: the owner knows who has the job.
        schedule(state, time, RESULT, frame.origin, frame.origin_frame, frame.origin_uid, child, -frame.best)
    elif frame.parent >= 0:
        _deliver(state, number, frame.parent, frame.child, -frame.best)
    else:
        machine.finished = 1


@inner
def _advance(game, evaluation, state, number, workers, probe):
    """Let a node act at the present time, until it is busy, waits for a reply, or has the root's value."""
    machine, node, worker = state.machine, state.nodes[number], workers[number]
    node.busy = 0
    while machine.finished == 0:
        if node.height == 0:
            if len(state.nodes) > 1:
                _request_job(state, number)
            return
        index = node.height - 1
        frame = state.frames[number * STACK + index]
        if frame.dead != 0:
            node.height -= 1
        elif frame.phase == BEGIN and machine.table != 0 and _begin_lookup(game, state, number, frame, worker):
            return
        elif frame.phase == BEGIN or frame.phase == LOOKED_UP:
            if _open(game, evaluation, state, number, frame, worker, probe):
                return
        elif frame.phase == SERIAL:
            if frame.begun == frame.count or frame.best >= frame.beta:
                frame.phase = RETURN
            elif frame.begun < machine.serial_moves[frame.expected]:
                frame.begun += 1
                _push_child(game, state, number, index, np.int64(frame.begun - 1))
            else:
                frame.phase = SYNC
                _spawn(state, number, index)
        elif frame.phase == SYNC:
            if frame.outstanding == 0:
                frame.phase = RETURN
            elif not _take_newest(game, state, number):
                _request_job(state, number)
                return
        elif frame.phase == RETURN:
            frame.phase = LEAVE
            if machine.table != 0:
                _send_entry(game, state, number, frame, worker)
            else:
                _store(game, frame, worker)
            if _send_updates(state, number, worker):
                _occupy(state, number, 0, 0)
                return
        else:
            _leave(state, number, frame)


@kernel
def search_window(game, evaluation, state, workers, probe, root, moves, alpha, beta, depth):
    """Search the moves of a root in a window, from the present time on. Return whether the search was completed, the
    value, and the best move.

    `root` has the two words of the position. The first node gets the root; all other nodes go on with their actions.
    """
    machine = state.machine
    machine.finished = 0
    frame = _push(state, 0, root[0], root[1], alpha, beta, depth, 0, OPEN if beta - alpha > 1 else CUT)
    frame.count, frame.left, frame.phase = len(moves), depth - 1, SERIAL
    for child in range(len(moves)):
        frame.moves[child] = moves[child]
        frame.thief[child], frame.is_better[child] = UNBORN, 0
    _advance(game, evaluation, state, 0, workers, probe)
    while machine.finished == 0:
        kind, number, first, second, third, fourth = next_event(state)
        node = state.nodes[number]
        if kind == READY:
            if first == node.version:
                _advance(game, evaluation, state, number, workers, probe)
        elif kind == REQUEST:
            _give_oldest(game, state, number, first)
            is_won = state.nodes[first].in_owner >= 0
            schedule(state, machine.now + machine.latency, REPLY, first, is_won, 0, 0, 0)
        elif kind == REPLY:
            node.won += first
            if node.in_owner >= 0:
                _push_stolen(state, number)
            _advance(game, evaluation, state, number, workers, probe)
        elif kind == RESULT:
            frame = state.frames[number * STACK + first]
            is_same = first < node.height and frame.uid == second and frame.dead == 0
            if is_same and frame.outstanding > 0 and frame.thief[third] >= 0:
                _deliver(state, number, first, third, fourth)
        elif kind == ABORT:
            _abort(state, number, first, second, third)
        elif kind == ENTRY:
            _receive_entry(state, number, first, second, third)
        else:
            _receive(state, number, first, second, third, workers[number])
        if workers[number].aborted != 0:
            return False, np.int64(0), np.int64(NO_MOVE)
    frame = state.frames[0]
    return True, frame.best, frame.best_move
