"""Root algorithms (minimax, alpha-beta, MTD(f), proofs): the windows with which they find the root's value."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from outflank.search.division import Division
from outflank.search.request import Known, Options
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, LOW, RootMove, RootValue, preferred, search_best_moves
from outflank.search.stopping import Stopped

Algorithm = Callable[[Root, Division, int, int | None], RootValue]
"""Function that returns a root's value, given the workers, a depth, and the previous depth's value or None."""


def minimax_at_root(root: Root, division: Division, depth: int, previous: int | None) -> RootValue:
    """Return the exact value of the root; the tie rule selects among equally good moves."""
    return root.enter(depth) or division.search_fully(depth)


def alphabeta_at_root(root: Root, division: Division, depth: int, previous: int | None) -> RootValue:
    """Return the exact value of the root. With `aspiration`, a narrow window is tried first and widened if needed."""
    width, best_count = root.options.aspiration, root.options.moves
    alpha, beta = LOW, HIGH
    if previous is not None and width is not None and best_count == 1:
        alpha, beta = max(LOW, previous - width), min(HIGH, previous + width)
    while True:
        result = root.enter(depth) or division.search_window(
            depth, alpha, beta, best_count=best_count, moves=root.moves
        )
        if result.value <= alpha and alpha > LOW:
            alpha = LOW
        elif result.value >= beta and beta < HIGH:
            beta = HIGH
        else:
            return result


FIRST_REACH = 4
"""Half-width of the first window around a guessed score, in the unit of the score."""


def exact_at_root(root: Root, division: Division, depth: int, previous: int | None) -> RootValue:
    """Return the root's exact score: first prove the winner, then search windows around a guess. If the score is
    outside a window, the search yields a bound, and the next window lies beyond this bound.

    In 24 positions of Othello with 20 and 22 empty squares, proving the winner took 15 % of the nodes on average, but
    only 1 to 3 % if the score was not near a draw. So the winner is proved separately only if the guess is not near a
    draw.
    """

    def search(moves: list[RootMove]) -> RootValue:
        def search_in(alpha: int, beta: int) -> RootValue:
            return root.enter(depth) or division.search_window(depth, alpha, beta, best_count=1, moves=moves)

        guess = root.guess() if previous is None else previous
        reach = root.options.aspiration or FIRST_REACH
        known = Known()
        if len(moves) == len(root.moves):
            known = _prove_winner(root.known, root.known.window(guess, reach), search_in)
        alpha, beta = known.window(guess, reach)
        alpha, beta = max(LOW, alpha), min(HIGH, beta)
        while True:
            result = search_in(alpha, beta)
            reach *= 2
            if result.value <= alpha and alpha > LOW:
                alpha, beta = max(LOW, result.value - reach), result.value + 1
            elif result.value >= beta and beta < HIGH:
                alpha, beta = result.value - 1, min(HIGH, result.value + reach)
            else:
                return result

    return search_best_moves(search, root.moves, root.options.moves)


def _prove_winner(known: Known, window: tuple[int, int], search_in: Callable[[int, int], RootValue]) -> Known:
    """Prove the winner that a window around a guess predicts. Return the bounds known afterwards. Nothing is searched
    if the window contains a draw or is near one."""
    alpha, beta = window
    if alpha > FIRST_REACH and (known.lower is None or known.lower <= 0):
        null_alpha = 0
    elif beta < -FIRST_REACH and (known.upper is None or known.upper >= 0):
        null_alpha = -1
    else:
        return known
    value = search_in(null_alpha, null_alpha + 1).value
    return replace(known, lower=value) if value > null_alpha else replace(known, upper=value)


def mtdf_at_root(root: Root, division: Division, depth: int, previous: int | None) -> RootValue:
    """Return the exact value of the root by MTD(f): each null window shows on which side of it the value lies."""
    guess = previous if previous is not None and root.options.pivot == "carried" else 0

    def search(moves: list[RootMove]) -> RootValue:
        nonlocal guess
        result = _converge(root, division, depth, guess, list(moves))
        guess = result.value
        return result

    best = search_best_moves(search, root.moves, root.options.moves)
    if best.move is not None and not root.evaluated:
        with suppress(Stopped):  # the value is proved already
            # Null windows leave no principal variation.
            division.search_window(depth, best.value - 1, best.value + 1, best_count=1, moves=[best.move])
    return best


def _converge(root: Root, division: Division, depth: int, guess: int, moves: list[RootMove]) -> RootValue:
    """Return the best of `moves`. Null windows narrow lower <= value <= upper until both bounds are equal."""
    lower, upper = LOW, HIGH
    best: RootValue | None = None
    while lower < upper:
        beta = guess + 1 if guess == lower else guess
        known = root.enter(depth)
        if known:
            return known  # there is nothing to search
        result = division.search_window(depth, beta - 1, beta, best_count=1, moves=moves)
        guess = result.value
        if result.value < beta:
            upper = result.value
        else:
            lower, best = result.value, result
            assert result.move is not None
            # The move that proved the bound is tried first in the next pass.
            moves.remove(result.move)
            moves.insert(0, result.move)
    if root.options.ties != "first" or best is None:
        best = _find_reaching(root, division, depth, lower, moves)
    return RootValue(lower, best.move)


def winner_at_root(root: Root, division: Division, depth: int, previous: int | None) -> RootValue:
    """Return a value with the sign of the root's exact score, found with the window (-1, +1): 0 for a draw, otherwise a
    bound that is no further from 0 than the score.

    If several moves are requested, the value of each has the sign of its exact score.
    """
    known = root.enter(depth)
    if known:
        return known
    lost: RootValue | None = None

    def search(moves: list[RootMove]) -> RootValue:
        nonlocal lost
        if lost is not None:
            return RootValue(lost.value, preferred(moves, root.options.ties))  # all remaining moves lose too
        result = division.search_window(depth, -1, 1, best_count=1, moves=moves)
        if result.value < 0:
            lost = result
            return RootValue(result.value, preferred(moves, root.options.ties))
        if root.options.ties != "first":
            result = _find_reaching(root, division, depth, min(result.value, 1), moves)
        return result

    return search_best_moves(search, root.moves, root.options.moves)


def _find_reaching(root: Root, division: Division, depth: int, value: int, moves: list[RootMove]) -> RootValue:
    """Return the move that the tie rule prefers among the best of `moves`. Their value is `value`."""
    if root.options.ties != "first":
        moves = sorted(moves, key=lambda move: move.code, reverse=root.options.ties == "highest")
    for move in moves:
        result = division.search_window(depth, value - 1, value, best_count=1, moves=[move])
        if result.value >= value:
            return RootValue(value, move)
    raise AssertionError("no move has the root's value")


def algorithm_of(options: Options) -> Algorithm:
    """Return the root algorithm for a search with these options."""
    if options.wld and options.algorithm != "minimax":  # minimax has no window to narrow
        return winner_at_root
    windowed = options.algorithm in ("alphabeta", "pvs") and options.share_alpha
    return exact_at_root if options.exact and windowed else ALGORITHMS[options.algorithm]


ALGORITHMS: dict[str, Algorithm] = {
    "minimax": minimax_at_root,
    "alphabeta": alphabeta_at_root,
    "pvs": alphabeta_at_root,
    "mtdf": mtdf_at_root,
}
