"""The divided search: a tree whose upper part is made of frames, split points that workers join.

A frame is a node whose moves are shared. Whoever opens one may search its first move alone (young
brothers wait) before it offers the others: it puts a permit on its deque, and whoever takes the permit
joins the frame, offers another permit as long as moves are left, and takes moves until there are none.
Nobody ever waits in a frame: `join` counts permits and workers inside, and the last one out carries
the value to the frame above and goes on there. Below the frames a worker searches alone.

A value that makes the others' pointless cuts the frame: whoever wins that (one compare-exchange)
delivers the value upwards at once and rings the bell; the others find the frame cut on their lifeline,
leave without writing anything, and the last of them gives its memory back.

A worker is always at one of a few steps, and what it has in hand is in its `HAND`, so that any worker
can go on where another one left.
"""

import numpy as np

from outflank.games.evaluation import begin, final, value
from outflank.games.hints import row
from outflank.games.rules import MOVE, canonical, fill, is_pass, mirror, mirror_move, pack, play, unpack
from outflank.kernels.atomics import compare_exchange, fetch_add, fetch_max, load, store
from outflank.kernels.bits import U64
from outflank.kernels.compiler import inner, kernel
from outflank.kernels.memory import read_word, record_at, replace_word, write_word
from outflank.kernels.waiting import nanoseconds
from outflank.parallel.deque import EMPTY, pop, push
from outflank.parallel.idling import await_quiet, found_permit, stumble, tell_sleepers, wake_everybody
from outflank.parallel.pool import release, take_frame
from outflank.parallel.records import (
    FAILED,
    IN_ADVANCE,
    NOTHING,
    POSTPONED,
    RANK,
    RANK_BITS,
    ROWS,
    SEARCHED,
    frame_at,
    move_at,
    moves_of,
    rank_at,
)
from outflank.search.alphabeta import alphabeta
from outflank.search.minimax import minimax
from outflank.search.ordering import bring_best, reward, weigh
from outflank.search.probes import expanded
from outflank.search.quiet import settled
from outflank.search.table import (
    EXACT,
    LOWER,
    NO_MOVE,
    UPPER,
    bound_of,
    depth_of,
    looked_up,
    move_of,
    packed,
    remember,
    value_of,
)
from outflank.search.worker import BELL, PASS_EVALUATES, PASS_FREE, SORT_NONE, alive, heed, report_nodes, ring

DESCEND, DELIVER, TAKE, LEAVE, IDLE, OFFER, AWAY = range(7)
"""Steps: search the position in hand; bring its value to its frame; take a move of the frame; leave it;
find another; offer the frame's moves and take one; go home."""


@kernel
def work(game, evaluation, crew, hand, worker, probe, step):
    """Search with the crew from `step` on: the leader until the root's value is known, a helper to the end."""
    hand.since = nanoseconds()
    while step != AWAY:
        if step == DESCEND:
            step = descend(game, evaluation, crew, hand, worker, probe)
        elif step == DELIVER:
            step = deliver(game, crew, hand, worker)
        elif step == TAKE:
            step = take(game, crew, hand)
        elif step == OFFER:
            step = offer(crew, hand)
        elif step == LEAVE:
            step = leave(game, crew, hand, worker)
        else:
            permit = found_permit(crew, hand)
            step = AWAY if permit == EMPTY else join(crew, hand, permit)
    if hand.id == 0:
        await_quiet(crew)


# --- down ---


@inner
def descend(game, evaluation, crew, hand, worker, probe):
    """The value of the position in hand: known, searched alone, or left to a new frame."""
    if worker.nodes >= worker.poll_at:
        report_nodes(worker)
    worker.aborted = 0
    worker.lifeline, worker.place = hand.frame, hand.index
    heed(worker)
    if worker.aborted != 0:
        hand.valid = 0
        hand.obeyed += 1
        return DELIVER
    position = unpack(game, hand.first, hand.second)
    divisible = hand.depth > crew.threshold and hand.ply < crew.levels
    if divisible and (crew.leftmost == 0 or hand.leftmost != 0):
        step = open_frame(game, evaluation, position, crew, hand, worker, probe)
        if step != DESCEND:
            return step
    before, estimates = worker.nodes, worker.estimates
    hand.value = searched_alone(game, evaluation, position, crew, hand, worker, probe)
    hand.valid = np.int64(worker.aborted == 0)
    if worker.aborted != 0:
        hand.obeyed += 1
        hand.wasted += worker.nodes - before
        if worker.table == 0:
            worker.estimates = estimates  # what was given up says nothing about the value; what it stored may
    return DELIVER


@inner
def searched_alone(game, evaluation, position, crew, hand, worker, probe):
    """The value of a part that is not divided."""
    state = begin(evaluation, game, position)
    start = np.int64(0)
    if hand.depth == 0:
        if worker.quiet > 0:
            return settled(game, evaluation, position, state, hand.alpha, hand.beta, worker.quiet, start, worker)
        worker.nodes += 1
        worker.leaves += 1
        worker.estimates += 1
        return np.int64(value(evaluation, game, position, state))
    if crew.prune == 0:
        return minimax(game, evaluation, position, state, hand.depth, start, worker, probe)
    return alphabeta(
        game, evaluation, position, state, hand.alpha, hand.beta, hand.depth, hand.ply, start, worker, probe
    )


@inner
def open_frame(game, evaluation, position, crew, hand, worker, probe):
    """Make a frame of the position in hand, unless its value is known or no frame is free.

    The same steps as at a node of `alphabeta`, in the same order: one worker then enters the same nodes.
    """
    depth = hand.depth
    address = take_frame(hand)
    if address == 0:
        return DESCEND
    table_move, symmetry = NO_MOVE, 0
    ask = worker.table != 0 and depth >= worker.table_from
    if ask:
        key = position
        if worker.canonical != 0:
            symmetry = canonical(game, position)
            key = mirror(game, position, symmetry)
        first, second = pack(game, key)
        worker.lookups += 1
        data = looked_up(worker.table, worker.table_shift, first, second)
        if data != U64(0):
            worker.hits += 1
            if depth_of(data) == depth or (worker.at_least != 0 and depth_of(data) > depth):
                known, bound = value_of(data), bound_of(data)
                if (
                    bound == EXACT
                    or (bound == LOWER and known >= hand.beta)
                    or (bound == UPPER and known <= hand.alpha)
                ):
                    worker.nodes += 1
                    worker.cuts += 1
                    return known_at_once(crew, hand, address, known)
            table_move = move_of(data)

    worker.nodes += 1
    end = fill(game, position, worker.moves, np.int64(0))
    left = depth - 1
    if end == 0:
        expanded(probe, depth, 0)
        worker.leaves += 1
        return known_at_once(crew, hand, address, final(evaluation, game, position))
    if end == 1 and is_pass(game, worker.moves[0]):
        expanded(probe, depth, 0)
        if worker.pass_rule == PASS_EVALUATES:
            worker.leaves += 1
            worker.estimates += 1
            own = value(evaluation, game, position, begin(evaluation, game, position))
            return known_at_once(crew, hand, address, own)
        if worker.pass_rule == PASS_FREE:
            left = depth
    else:
        expanded(probe, depth, end)

    if symmetry != 0 and table_move != NO_MOVE:
        image, table_move = table_move, NO_MOVE
        for index in range(end):
            if mirror_move(game, worker.moves[index], symmetry) == image:
                table_move = np.int64(worker.moves[index])
    arrange(game, position, depth, hand.ply, table_move, end, worker)
    if crew.lot == ROWS:
        gather_rows(game, end, worker)

    frame = frame_at(address)
    # Atomics, for a worker in a frame that was cut long ago may still look up its lifeline.
    store(frame, "cut", 0, "relaxed")
    store(frame, "above", hand.frame, "relaxed")
    store(frame, "held", 0, "relaxed")
    store(frame, "index", hand.index, "relaxed")
    frame.first, frame.second = hand.first, hand.second
    frame.depth, frame.left, frame.ply = depth, left, hand.ply
    frame.alpha, frame.beta = hand.alpha, hand.beta
    frame.until, frame.holding = hand.until, hand.holding
    frame.leftmost = hand.leftmost
    frame.count = end
    frame.opener = -1
    frame.in_turn = 0
    frame.join, frame.key, frame.next, frame.bad, frame.postponed = 1, NOTHING, 0, 0, 0  # nobody else sees it yet
    for index in range(end):
        write_word(moves_of(address), index, U64(worker.moves[index]) | U64(end - index) << U64(RANK_BITS))
        # What was found for the frame that was here before must not be taken for a move postponed in this one.
        write_word(moves_of(address), crew.room + index, U64(0))
    hand.frame = address
    hand.index, hand.until, hand.holding = -1, 0, 0
    if crew.eldest_first != 0 or end == 1:
        return TAKE
    return OFFER


@inner
def known_at_once(crew, hand, address, known):
    """The node needs no frame after all."""
    release(crew, hand, address)
    hand.value = np.int64(known)
    hand.valid = 1
    return DELIVER


@inner
def arrange(game, position, depth, ply, table_move, end, worker):
    """Put a node's moves in the order in which alphabeta would try them."""
    if end == 1 or (worker.table == 0 and worker.sorting == SORT_NONE):
        return
    if worker.sorting == SORT_NONE or depth < worker.sort_from:
        for index in range(end):
            if worker.moves[index] == table_move:
                for other in range(index, 0, -1):
                    worker.moves[other] = worker.moves[other - 1]
                worker.moves[0] = MOVE(table_move)
        return
    weigh(game, position, depth, ply, table_move, np.int64(0), end, worker)
    for index in range(end if worker.sorting > 1 else 1):
        bring_best(index, end, worker)


@inner
def gather_rows(game, end, worker):
    """Bring the moves of each row together, where its first one is."""
    index = 0
    while index < end:
        here = row(game, worker.moves[index])
        index += 1
        for other in range(index, end):
            if row(game, worker.moves[other]) == here:
                move = worker.moves[other]
                for place in range(other, index, -1):
                    worker.moves[place] = worker.moves[place - 1]
                worker.moves[index] = move
                index += 1


# --- windows ---


@inner
def floor_for(crew, address, index):
    """What move number `index` of a frame has to beat.

    At the root a move that the tie rule prefers to the best so far need only reach its value: its rank
    decides then. So the best move does not depend on which move was searched first.
    """
    frame = frame_at(address)
    if crew.share_alpha == 0:
        return frame.alpha
    key = load(frame, "key", "relaxed")
    if frame.above == 0:
        key -= rank_at(address, index)
    return max(frame.alpha, key >> RANK_BITS)


@inner
def ceiling_of(crew, frame):
    """The frame's beta, lowered by what the frame above has learnt since, but above its alpha.

    While the frame above is being cut, its alpha may have passed its beta: a value of this frame between
    its alpha and such a beta would be an upper bound taken for a lower one.
    """
    if frame.above == 0 or crew.prune == 0:
        return frame.beta
    return max(frame.alpha + 1, min(frame.beta, -floor_for(crew, frame.above, frame.index)))


# --- taking moves ---


@inner
def offer(crew, hand):
    """Let others join the frame in hand, and go on with it."""
    frame = frame_at(hand.frame)
    frame.opener = hand.id
    hand.spawned += frame.count - load(frame, "next", "relaxed")
    invite(crew, hand, frame)
    return TAKE


@inner
def invite(crew, hand, frame):
    """Offer a permit for the frame in hand. Those who take it invite the next."""
    if crew.count > 1:
        fetch_add(frame, "join", 1)
        if push(hand, hand.frame):
            tell_sleepers(crew)
        else:
            fetch_add(frame, "join", -1)  # this worker is inside: it is not the last one


@inner
def join(crew, hand, permit):
    """Enter a frame by a permit, and invite another worker if there is more to do."""
    hand.frame = permit
    hand.index, hand.until, hand.holding = -1, 0, 0
    frame = frame_at(permit)
    stumble(crew, hand)
    more = load(frame, "next", "relaxed") + 1 < frame.count or load(frame, "postponed", "relaxed") > 1
    if more and load(frame, "cut", "relaxed") == 0 and load(frame, "held", "relaxed") == 0:
        invite(crew, hand, frame)
    return TAKE


@inner
def take(game, crew, hand):
    """The frame's next move, with the window as it is now; or leave."""
    address = hand.frame
    frame = frame_at(address)
    stumble(crew, hand)
    if load(frame, "bad", "relaxed") != 0:
        return LEAVE
    if not alive(record_at(crew.bell, BELL), address, -1):
        store(frame, "bad", 1, "relaxed")
        return LEAVE
    index = hand.index + 1
    if index >= hand.until:
        if load(frame, "held", "seq_cst") != 0:
            return LEAVE  # there is more use below the move that is better than was thought
        index, hand.until = taken(game, crew, address)
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
    return ask(game, hand, address, index, low, high)


@inner
def taken(game, crew, address):
    """The first move of the next lot that nobody has taken, and the end of the lot."""
    frame = frame_at(address)
    if frame.in_turn != 0:
        return next_failed(crew, address)
    # Sequentially consistent, like `held`: of one who postpones a move and finds the frame held, and one who
    # lets go of it and finds nothing postponed, only one can be right.
    if load(frame, "postponed", "seq_cst") > 0:
        for index in range(frame.count):
            if replace_word(moves_of(address), crew.room + index, U64(POSTPONED), U64(SEARCHED)):
                fetch_add(frame, "postponed", -1)
                return np.int64(index), np.int64(index + 1)
    if frame.opener < 0 and frame.count > 1:
        first = load(frame, "next", "relaxed")  # the eldest, alone
        store(frame, "next", first + 1, "relaxed")
        return first, first + 1
    while True:
        first = load(frame, "next", "relaxed")
        if first >= frame.count:
            return first, first
        end = first + 1
        if crew.lot == ROWS:
            here = row(game, move_at(address, first))
            while end < frame.count and row(game, move_at(address, end)) == here:
                end += 1
        elif crew.lot == IN_ADVANCE:
            end = first + max(1, (frame.count + crew.count - 1) // crew.count)
        else:
            end = first + crew.lot
        end = min(end, frame.count)
        if compare_exchange(frame, "next", first, end, "relaxed"):
            return first, end


@inner
def next_failed(crew, address):
    """The next move that beat its scout. Only one worker is inside then."""
    frame = frame_at(address)
    index = load(frame, "next", "relaxed")
    while index < frame.count and np.int64(read_word(moves_of(address), crew.room + index)) != FAILED:
        index += 1
    store(frame, "next", index + 1, "relaxed")
    return index, index + 1


@inner
def ask(game, hand, address, index, low, high):
    """Take up move number `index` of a frame in the window (low, high)."""
    frame = frame_at(address)
    position = unpack(game, frame.first, frame.second)
    hand.first, hand.second = pack(game, play(game, position, move_at(address, index)))
    hand.index = index
    hand.depth, hand.ply = frame.left, frame.ply + 1
    hand.alpha, hand.beta = -high, -low
    hand.leftmost = np.int64(frame.leftmost != 0 and index == 0)
    return DESCEND


# --- up ---


@inner
def deliver(game, crew, hand, worker):
    """Bring the value of a move to its frame."""
    address, index = hand.frame, hand.index
    frame = frame_at(address)
    if hand.valid == 0:
        let_go(crew, hand, frame)
        if alive(record_at(crew.bell, BELL), address, -1):
            return postpone(crew, address, index)
        store(frame, "bad", 1, "relaxed")
        return TAKE
    if load(frame, "cut") != 0:
        let_go(crew, hand, frame)
        return TAKE
    found, low, high = -hand.value, -hand.beta, -hand.alpha
    ceiling = ceiling_of(crew, frame)
    if high <= found < ceiling:
        # It beat its scout: how good it is, is not known yet, but nobody need ask for less any more.
        mark = (found << RANK_BITS) + rank_at(address, index)
        key = max(mark, fetch_max(frame, "key", mark))
        if crew.in_order != 0 and frame.in_turn == 0:
            write_word(moves_of(address), crew.room + index, U64(FAILED))
            return after_eldest(crew, hand, frame)
        if key != mark:
            # Another one is better by now: first of all it must beat that.
            low = floor_for(crew, address, index)
            return ask(game, hand, address, index, low, low + 1)
        if crew.hold != 0 and not hold(crew, hand, frame, index):
            return postpone(crew, address, index)
        return ask(game, hand, address, index, found - 1, max(ceiling_of(crew, frame), found))
    write_word(moves_of(address), crew.room + index, U64(found))
    mark = found << RANK_BITS
    if found > low or frame.above != 0:
        # At the root a bound must not win a tie; elsewhere the move is only a hint for the table.
        mark += rank_at(address, index)
    key = max(mark, fetch_max(frame, "key", mark))
    let_go(crew, hand, frame)
    stumble(crew, hand)
    if crew.prune != 0 and key >> RANK_BITS >= ceiling_of(crew, frame):
        stumble(crew, hand)
        if compare_exchange(frame, "cut", 0, 1):
            return cut(game, crew, hand, worker, key)
        return TAKE
    return after_eldest(crew, hand, frame)


@inner
def hold(crew, hand, frame, index):
    """Hold a frame for a move that beat its scout: what is being searched of its younger brothers is given up, for it
    asks for too little now. Whether the move may be searched: not while the frame is held for an elder one.
    """
    while True:
        held = load(frame, "held")
        if held != 0 and held <= index:
            return False
        if compare_exchange(frame, "held", held, index + 1, "seq_cst"):
            hand.holding = 1
            if load(frame, "join", "relaxed") > 1:
                ring(record_at(crew.bell, BELL))
            return True


@inner
def let_go(crew, hand, frame):
    """The move in hand is done: if the frame was held for it, those who left may come back."""
    if hand.holding != 0:
        hand.holding = 0
        if compare_exchange(frame, "held", hand.index + 1, 0, "seq_cst") and frame.opener >= 0:
            invite(crew, hand, frame)


@inner
def postpone(crew, address, index):
    """Not the frame is given up, only this move, for the sake of another: it will be taken again."""
    write_word(moves_of(address), crew.room + index, U64(POSTPONED))
    fetch_add(frame_at(address), "postponed", 1, "seq_cst")
    return TAKE


@inner
def after_eldest(crew, hand, frame):
    """Go on in a frame; its other moves are offered once the eldest is done."""
    waiting = elders(crew, frame)
    if frame.opener < 0 and waiting < frame.count and load(frame, "next", "relaxed") >= waiting:
        return OFFER
    return TAKE


@inner
def elders(crew, frame):
    """How many moves of a frame are searched before the others are offered."""
    if frame.beta - frame.alpha > 1:
        return crew.elders
    return 1


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
    mine = taken_back(hand, address) + 1
    if fetch_add(frame, "join", -mine) == mine:
        if hand.frame != 0:
            release(crew, hand, address)
    else:
        hand.sent += 1
        ring(record_at(crew.bell, BELL))
    return ended(crew, hand)


@inner
def leave(game, crew, hand, worker):
    """No move is left for this worker; the last one out completes the frame."""
    address = hand.frame
    frame = frame_at(address)
    stumble(crew, hand)
    mine = taken_back(hand, address) + 1
    if fetch_add(frame, "join", -mine) != mine:
        return IDLE
    if load(frame, "cut") != 0:
        if frame.above != 0:
            release(crew, hand, address)
        return IDLE
    key = load(frame, "key")
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
    if hand.frame != 0:
        release(crew, hand, address)
    return ended(crew, hand)


@inner
def taken_back(hand, address):
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
    hand.value, hand.valid = key >> RANK_BITS, 1
    hand.index, hand.until = frame.index, frame.until
    hand.alpha, hand.beta = frame.alpha, frame.beta
    hand.frame, hand.holding = frame.above, frame.holding


@inner
def ended(crew, hand):
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
    position = unpack(game, frame.first, frame.second)
    symmetry = 0
    if worker.canonical != 0:
        symmetry = canonical(game, position)
    best = move_at(address, frame.count - (key & RANK))
    if symmetry != 0:
        best = MOVE(mirror_move(game, best, symmetry))
    first, second = pack(game, mirror(game, position, symmetry) if symmetry != 0 else position)
    data = packed(key >> RANK_BITS, frame.depth, bound, best, worker.age)
    remember(worker.table, worker.table_shift, first, second, data)
