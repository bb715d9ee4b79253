"""Report 001's programs, call by call, on a dictionary of squares: what its node counts are."""

from collections.abc import Iterator

from tests.oracles.othello import Discs, Square, moves, other, play, squares_to_play

WIN = 1_000_000
START: Discs = {(3, 3): "X", (4, 4): "X", (4, 3): "O", (3, 4): "O"}


class Calls:
    """Searches that count how often they are called."""

    def __init__(self) -> None:
        self.count = 0

    def alphabeta(self, discs: Discs, side: str, depth: int, alpha: int, beta: int) -> int:
        self.count += 1
        if depth == 0:
            return estimate(discs, side)
        children = after_each(discs, side)
        if not children:
            return finished(discs, side)
        best = -WIN
        for child in children:
            best = max(best, -self.alphabeta(child, other(side), depth - 1, -beta, -alpha))
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best

    def pvs(self, discs: Discs, side: str, depth: int, alpha: int, beta: int) -> int:
        self.count += 1
        if depth == 0:
            return estimate(discs, side)
        children = after_each(discs, side)
        if not children:
            return finished(discs, side)
        statics = [-estimate(child, other(side)) for child in children]
        eldest = statics.index(max(statics))
        best = -self.pvs(children[eldest], other(side), depth - 1, -beta, -alpha)
        alpha = max(alpha, best)
        for number, child in enumerate(children):
            if alpha >= beta:
                return best
            if number == eldest:
                continue
            best = max(best, -self.pvs(child, other(side), depth - 1, -alpha - 1, -alpha))
            if alpha < best < beta:
                best = max(best, -self.pvs(child, other(side), depth - 1, -beta, -best))
            alpha = max(alpha, best)
        return best


def estimate(discs: Discs, side: str) -> int:
    return 10 * (len(squares_to_play(8, discs, side)) - len(squares_to_play(8, discs, other(side))))


def finished(discs: Discs, side: str) -> int:
    mine = sum(disc == side for disc in discs.values())
    yours = len(discs) - mine
    return WIN if mine > yours else -WIN if mine < yours else 0


def after_each(discs: Discs, side: str) -> list[Discs]:
    return [play(8, discs, side, move) for move in moves(8, discs, side)]


def turn(discs: Discs, side: str, depth: int, program: str) -> tuple[Square | None, int]:
    """The move that a program finds, and its calls."""
    calls = Calls()
    call = calls.pvs if program.endswith("PVS") else calls.alphabeta
    top = WIN + 1 if program.endswith("PVS") else WIN
    best, chosen = -WIN - 1, None
    for move in moves(8, discs, side):
        # The serial ones turn the window of a move over for nobody; the parallel ones know of no other move.
        low = -WIN - 1 if program.startswith("Parallel") else best
        found = -call(play(8, discs, side, move), other(side), depth - 1, low, top)
        if found > best:
            best, chosen = found, move
    return chosen, calls.count


def turns(depth: int, program: str, ours: str) -> Iterator[int]:
    """Calls of each turn of a game against the player who takes the first move."""
    discs, side = START, "X"
    while legal := moves(8, discs, side):
        move = legal[0]
        if side == ours and move is not None:
            move, calls = turn(discs, side, depth, program)
            yield calls
        discs, side = play(8, discs, side, move), other(side)
