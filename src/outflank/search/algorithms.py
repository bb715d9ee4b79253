"""The algorithms at the root: each gives the root's value at a depth, with its promise."""

from collections.abc import Callable, Sequence
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


def window_at_root(
    root: Root,
    depth: int,
    alpha: int,
    beta: int,
    *,
    scout: bool = False,
    wanted: int = 1,
    moves: Sequence[RootMove] | None = None,
) -> Found:
    """Alpha-beta's promise for (alpha, beta) at the root, or for some of its `moves` alone.

    With a tie rule, a move that the rule prefers is asked whether it is as good as the best so
    far, so that inside the window the move is the same for every order of moves. The `wanted`
    best moves get their exact values, if the window is full.
    """
    known = root.enter(depth)
    if known:
        return known
    left = root.depth_below(depth)
    best: RootMove | None = None
    values: list[int] = []
    for move in root.moves if moves is None else moves:
        low = alpha
        if best is not None and root.options.share_alpha:
            # What a move has to beat, or to reach, to be among the best ones wanted.
            last = sorted(values, reverse=True)[wanted - 1] if len(values) >= wanted else LOW
            reaching_is_enough = wanted > 1 or wins(best, move, root)
            low = max(alpha, last - reaching_is_enough)
        if best is not None and scout and left > 0 and wanted == 1 and low + 1 < beta and root.options.share_alpha:
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
        if best.value >= beta:
            break
    assert best is not None
    return Found(best.value, best)


def wins(best: RootMove, move: RootMove, root: Root) -> bool:
    """Whether `move` is preferred to `best`, their values being equal."""
    return best is not _preferred([best, move], root.options.ties)


def alphabeta_at_root(root: Root, depth: int, previous: int | None, *, scout: bool) -> Found:
    """value == v. With `aspiration`, a narrow window is tried first and opened where v lies outside."""
    width, wanted = root.options.aspiration, root.options.moves
    if previous is None or width is None or wanted > 1:
        return window_at_root(root, depth, LOW, HIGH, scout=scout, wanted=wanted)
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

    Where several moves are wanted, the best of those that are left is found again and again.
    """
    guess = previous if previous is not None and root.options.pivot == "carried" else 0
    best = _converged(root, depth, guess, list(root.moves))
    left = [move for move in root.moves if move is not best.move]
    others: list[Found] = []
    while left and len(others) + 1 < root.options.moves:
        other = _converged(root, depth, best.value, left)
        others.append(other)
        left = [move for move in left if move is not other.move]
    for found in (best, *others):
        if found.move is not None:
            found.move.value = found.value
    last = (best, *others)[-1]
    for move in left:
        move.value = min(move.value, last.value - 1)  # a bound: it must not rank above what is known
    return best


def _converged(root: Root, depth: int, guess: int, moves: list[RootMove]) -> Found:
    """The best of `moves`: lower <= its value <= upper holds throughout, until they are equal."""
    lower, upper = LOW, HIGH
    best: Found | None = None
    while lower < upper:
        beta = guess + 1 if guess == lower else guess
        found = window_at_root(root, depth, beta - 1, beta, moves=moves)
        if found.move is None or (root.passing and root.options.passes == "evaluated"):
            return found  # there was nothing to search
        guess = found.value
        if found.value < beta:
            upper = found.value
        else:
            lower, best = found.value, found
            # The move that proved the bound is tried first in the next pass.
            moves.remove(found.move)
            moves.insert(0, found.move)
    if root.options.ties != "first" or best is None:
        best = _first_that_reaches(root, depth, lower, moves)
    return Found(lower, best.move)


def _first_that_reaches(root: Root, depth: int, value: int, moves: list[RootMove]) -> Found:
    """The preferred one of the moves that are worth `value`, which the best of them is."""
    left = root.depth_below(depth)
    for move in sorted(moves, key=lambda move: move.code, reverse=root.options.ties == "highest"):
        if root.child_value(move, value - 1, value, left) >= value:
            return Found(value, move)
    raise AssertionError("no move has the root's value")


def _preferred(moves: list[RootMove], ties: str) -> RootMove:
    """The one that the tie rule names; the list is in the order of search."""
    if ties == "first":
        return moves[0]
    return (min if ties == "lowest" else max)(moves, key=lambda move: move.code)


ALGORITHMS: dict[str, Algorithm] = {
    "minimax": minimax_at_root,
    "alphabeta": partial(alphabeta_at_root, scout=False),
    "pvs": partial(alphabeta_at_root, scout=True),
    "mtdf": mtdf_at_root,
}
