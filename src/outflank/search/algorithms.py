"""The algorithms at the root: each gives the root's value at a depth, with its promise."""

from collections.abc import Callable
from contextlib import suppress

from outflank.search.division import Division
from outflank.search.root import HIGH, LOW, Root, RootMove, RootValue, best_ones
from outflank.search.stopping import Stopped

Algorithm = Callable[[Root, Division, int, int | None], RootValue]
"""From a root, who searches it, a depth and the value of the iteration before (None: there was none)."""


def minimax_at_root(root: Root, division: Division, depth: int, previous: int | None) -> RootValue:
    """value == v, and the move is the one that the tie rule names among all best ones."""
    return root.enter(depth) or division.search_fully(depth)


def alphabeta_at_root(root: Root, division: Division, depth: int, previous: int | None) -> RootValue:
    """value == v. With `aspiration`, a narrow window is tried first and opened where v lies outside."""
    width, wanted = root.options.aspiration, root.options.moves
    alpha, beta = LOW, HIGH
    if previous is not None and width is not None and wanted == 1:
        alpha, beta = max(LOW, previous - width), min(HIGH, previous + width)
    while True:
        found = root.enter(depth) or division.search_window(depth, alpha, beta, wanted=wanted, moves=root.moves)
        if found.value <= alpha and alpha > LOW:
            alpha = LOW
        elif found.value >= beta and beta < HIGH:
            beta = HIGH
        else:
            return found


def mtdf_at_root(root: Root, division: Division, depth: int, previous: int | None) -> RootValue:
    """value == v, by null windows alone: each one tells on which side of it v lies."""
    guess = previous if previous is not None and root.options.pivot == "carried" else 0

    def search(moves: list[RootMove]) -> RootValue:
        nonlocal guess
        found = _converge(root, division, depth, guess, list(moves))
        guess = found.value
        return found

    best = best_ones(search, root.moves, root.options.moves)
    if best.move is not None and not root.evaluated:
        with suppress(Stopped):  # the value is known
            # Null windows leave no line behind.
            division.search_window(depth, best.value - 1, best.value + 1, wanted=1, moves=[best.move])
    return best


def _converge(root: Root, division: Division, depth: int, guess: int, moves: list[RootMove]) -> RootValue:
    """The best of `moves`: lower <= its value <= upper holds throughout, until they are equal."""
    lower, upper = LOW, HIGH
    best: RootValue | None = None
    while lower < upper:
        beta = guess + 1 if guess == lower else guess
        known = root.enter(depth)
        if known:
            return known  # there was nothing to search
        found = division.search_window(depth, beta - 1, beta, wanted=1, moves=moves)
        guess = found.value
        if found.value < beta:
            upper = found.value
        else:
            lower, best = found.value, found
            assert found.move is not None
            # The move that proved the bound is tried first in the next pass.
            moves.remove(found.move)
            moves.insert(0, found.move)
    if root.options.ties != "first" or best is None:
        best = _find_reaching(root, division, depth, lower, moves)
    return RootValue(lower, best.move)


def _find_reaching(root: Root, division: Division, depth: int, value: int, moves: list[RootMove]) -> RootValue:
    """The preferred one of the moves that are worth `value`, which the best of them is."""
    if root.options.ties != "first":
        moves = sorted(moves, key=lambda move: move.code, reverse=root.options.ties == "highest")
    for move in moves:
        found = division.search_window(depth, value - 1, value, wanted=1, moves=[move])
        if found.value >= value:
            return RootValue(value, move)
    raise AssertionError("no move has the root's value")


ALGORITHMS: dict[str, Algorithm] = {
    "minimax": minimax_at_root,
    "alphabeta": alphabeta_at_root,
    "pvs": alphabeta_at_root,
    "mtdf": mtdf_at_root,
}
