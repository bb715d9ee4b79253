"""The algorithms at the root: each gives the root's value at a depth, with its promise."""

from collections.abc import Callable
from functools import partial

from outflank.search.root import HIGH, LOW, Found, Root, RootMove

Algorithm = Callable[[Root, int, int | None], Found]
"""From a root, a depth and the value of the iteration before (None: there was none)."""


def minimax_at_root(root: Root, depth: int, previous: int | None) -> Found:
    """value == v, and the move is the one that the tie rule names among all best ones."""
    known = root.enter(depth)
    if known:
        return known
    left = root.depth_below(depth)
    for move in root.moves:
        move.value = root.child_minimax(move, left)
        move.line = ()
    best = max(move.value for move in root.moves)
    return Found(best, _preferred([move for move in root.moves if move.value == best], root.options.ties))


def window_at_root(root: Root, depth: int, alpha: int, beta: int, *, scout: bool) -> Found:
    """Alpha-beta's promise for (alpha, beta) at the root.

    With a tie rule, a move that the rule prefers is asked whether it is as good as the best so
    far, so that inside the window the move is the same for every order of moves.
    """
    known = root.enter(depth)
    if known:
        return known
    options = root.options
    left = root.depth_below(depth)
    best: RootMove | None = None
    values: list[int] = []
    for move in root.moves:
        low = alpha
        if best is not None and options.share_alpha:
            # The n-th best value so far is what a move has to beat to be among the n best.
            nth = sorted(values, reverse=True)[options.moves - 1] if len(values) >= options.moves else LOW
            wins_ties = best is not _preferred([best, move], options.ties)
            low = max(alpha, nth - (wins_ties or options.moves > 1))
        if best is not None and scout and left > 0 and options.moves == 1 and low + 1 < beta and options.share_alpha:
            found = root.child_value(move, low, low + 1, left)
            if low < found < beta:
                found = root.child_value(move, low, beta, left)
        else:
            found = root.child_value(move, low, beta, left)
        move.value = found
        move.line = (move.code, *root.line_below()) if low < found < beta else (move.code,)
        values.append(found)
        if best is None or found > best.value or (found == best.value and found > low and wins(best, move, root)):
            best = move
        if best.value >= beta and options.moves == 1:
            break
    assert best is not None
    return Found(best.value, best)


def wins(best: RootMove, move: RootMove, root: Root) -> bool:
    """Whether `move` is preferred to `best`, their values being equal."""
    return best is not _preferred([best, move], root.options.ties)


def alphabeta_at_root(root: Root, depth: int, previous: int | None, *, scout: bool) -> Found:
    """value == v. With `aspiration`, a narrow window is tried first and opened where v lies outside."""
    width = root.options.aspiration
    if previous is None or width is None or root.options.moves > 1:
        return window_at_root(root, depth, LOW, HIGH, scout=scout)
    alpha, beta = max(LOW, previous - width), min(HIGH, previous + width)
    while True:
        found = window_at_root(root, depth, alpha, beta, scout=scout)
        if found.value <= alpha and alpha > LOW:
            alpha = LOW
        elif found.value >= beta and beta < HIGH:
            beta = HIGH
        else:
            return found


def mtdf_at_root(root: Root, depth: int, previous: int | None) -> Found:
    """value == v, by null windows alone: each one tells on which side of it v lies.

    lower <= v <= upper holds throughout; the move is one that proved v >= lower.
    """
    guess = previous if previous is not None and root.options.pivot == "carried" else 0
    lower, upper = LOW, HIGH
    best: Found | None = None
    while lower < upper:
        beta = guess + 1 if guess == lower else guess
        found = window_at_root(root, depth, beta - 1, beta, scout=False)
        if found.move is None:
            return found
        guess = found.value
        if found.value < beta:
            upper = found.value
        else:
            lower, best = found.value, found
            # The move that proved the bound is tried first in the next pass.
            _to_front(root, found.move)
    if root.options.ties != "first" or best is None:
        best = _first_that_reaches(root, depth, lower)
    return Found(lower, best.move)


def _first_that_reaches(root: Root, depth: int, value: int) -> Found:
    """The preferred one of the moves that are worth `value`, the root's value."""
    left = root.depth_below(depth)
    for move in sorted(root.moves, key=lambda move: move.code, reverse=root.options.ties == "highest"):
        if root.passing and root.options.passes == "evaluated":
            return Found(value, move)
        if root.child_value(move, value - 1, value, left) >= value:
            return Found(value, move)
    raise AssertionError("no move has the root's value")


def _preferred(moves: list[RootMove], ties: str) -> RootMove:
    """The one that the tie rule names; the list is in the order of search."""
    if ties == "first":
        return moves[0]
    return (min if ties == "lowest" else max)(moves, key=lambda move: move.code)


def _to_front(root: Root, move: RootMove) -> None:
    root.moves.remove(move)
    root.moves.insert(0, move)


ALGORITHMS: dict[str, Algorithm] = {
    "minimax": minimax_at_root,
    "alphabeta": partial(alphabeta_at_root, scout=False),
    "pvs": partial(alphabeta_at_root, scout=True),
    "mtdf": mtdf_at_root,
}
