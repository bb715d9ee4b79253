"""The algorithms at the root: each gives the root's value at a depth, with its promise."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from outflank.search.contract import Known, Options
from outflank.search.division import Division
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, LOW, RootMove, RootValue, best_ones, preferred
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


FIRST_REACH = 4
"""Half the first window about a guess of the score, in its unit."""


def exact_at_root(root: Root, division: Division, depth: int, previous: int | None) -> RootValue:
    """value == v: who wins first, then by windows about a guess; one that fails shows a bound, and the next lies
    beyond it.

    Who wins took 15 % of the nodes of 24 positions of Othello with 20 and 22 empty squares, and 1 to 3 % where it was
    not near: only there it is asked apart.
    """

    def search(moves: list[RootMove]) -> RootValue:
        def ask(alpha: int, beta: int) -> RootValue:
            return root.enter(depth) or division.search_window(depth, alpha, beta, wanted=1, moves=moves)

        guess = root.guess() if previous is None else previous
        reach = root.options.aspiration or FIRST_REACH
        known = Known()
        if len(moves) == len(root.moves):
            known = _knowing_winner(root.known, root.known.window(guess, reach), ask)
        alpha, beta = known.window(guess, reach)
        alpha, beta = max(LOW, alpha), min(HIGH, beta)
        while True:
            found = ask(alpha, beta)
            reach *= 2
            if found.value <= alpha and alpha > LOW:
                alpha, beta = max(LOW, found.value - reach), found.value + 1
            elif found.value >= beta and beta < HIGH:
                alpha, beta = found.value - 1, min(HIGH, found.value + reach)
            else:
                return found

    return best_ones(search, root.moves, root.options.moves)


def _knowing_winner(known: Known, window: tuple[int, int], ask: Callable[[int, int], RootValue]) -> Known:
    """What is known once it is asked whether the side wins, or loses, that a window about a guess says will; nothing
    is asked if a draw is in the window, or near it."""
    alpha, beta = window
    if alpha > FIRST_REACH and (known.lower is None or known.lower <= 0):
        asked = 0
    elif beta < -FIRST_REACH and (known.upper is None or known.upper >= 0):
        asked = -1
    else:
        return known
    found = ask(asked, asked + 1).value
    return replace(known, lower=found) if found > asked else replace(known, upper=found)


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


def winner_at_root(root: Root, division: Division, depth: int, previous: int | None) -> RootValue:
    """sign(value) == sign(v), by the window (-1, +1): value is v where v is 0, and otherwise a bound on v's side of 0.

    Where several moves are wanted, each one's value has the sign of what it is worth.
    """
    known = root.enter(depth)
    if known:
        return known
    lost: RootValue | None = None

    def search(moves: list[RootMove]) -> RootValue:
        nonlocal lost
        if lost is not None:
            return RootValue(lost.value, preferred(moves, root.options.ties))  # and so are all that are left
        found = division.search_window(depth, -1, 1, wanted=1, moves=moves)
        if found.value < 0:
            lost = found
            return RootValue(found.value, preferred(moves, root.options.ties))
        if root.options.ties != "first":
            found = _find_reaching(root, division, depth, min(found.value, 1), moves)
        return found

    return best_ones(search, root.moves, root.options.moves)


def _find_reaching(root: Root, division: Division, depth: int, value: int, moves: list[RootMove]) -> RootValue:
    """The preferred one of the moves that are worth `value`, which the best of them is."""
    if root.options.ties != "first":
        moves = sorted(moves, key=lambda move: move.code, reverse=root.options.ties == "highest")
    for move in moves:
        found = division.search_window(depth, value - 1, value, wanted=1, moves=[move])
        if found.value >= value:
            return RootValue(value, move)
    raise AssertionError("no move has the root's value")


def algorithm_of(options: Options) -> Algorithm:
    """The algorithm at the root that the options ask for."""
    if options.wld and options.algorithm != "minimax":  # which has no window that could be narrowed
        return winner_at_root
    windowed = options.algorithm in ("alphabeta", "pvs") and options.share_alpha
    return exact_at_root if options.exact and windowed else ALGORITHMS[options.algorithm]


ALGORITHMS: dict[str, Algorithm] = {
    "minimax": minimax_at_root,
    "alphabeta": alphabeta_at_root,
    "pvs": alphabeta_at_root,
    "mtdf": mtdf_at_root,
}
