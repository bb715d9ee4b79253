"""Othello on a dictionary of squares."""

Square = tuple[int, int]  # column, row, from 0
Discs = dict[Square, str]  # "X" or "O"

RAYS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]


def start(size: int) -> Discs:
    low, high = size // 2 - 1, size // 2
    return {(high, low): "X", (low, high): "X", (low, low): "O", (high, high): "O"}


def other(side: str) -> str:
    return "O" if side == "X" else "X"


def turned(size: int, discs: Discs, side: str, square: Square) -> list[Square]:
    """The discs that a disc of `side` on `square` would turn."""
    if square in discs:
        return []
    found = []
    for dx, dy in RAYS:
        line = []
        x, y = square[0] + dx, square[1] + dy
        while 0 <= x < size and 0 <= y < size and discs.get((x, y)) == other(side):
            line.append((x, y))
            x, y = x + dx, y + dy
        if 0 <= x < size and 0 <= y < size and discs.get((x, y)) == side:
            found += line
    return found


def squares_to_play(size: int, discs: Discs, side: str) -> list[Square]:
    return [(x, y) for y in range(size) for x in range(size) if turned(size, discs, side, (x, y))]


def moves(size: int, discs: Discs, side: str) -> list[Square | None]:
    """The legal squares; [None] if the side must pass, [] if the game is over."""
    squares: list[Square | None] = list(squares_to_play(size, discs, side))
    if not squares and squares_to_play(size, discs, other(side)):
        return [None]
    return squares


def play(size: int, discs: Discs, side: str, square: Square | None) -> Discs:
    if square is None:
        return dict(discs)
    return {**discs, **dict.fromkeys(turned(size, discs, side, square), side), square: side}


def score(size: int, discs: Discs, side: str, *, winner_takes_empties: bool) -> int:
    mine = sum(disc == side for disc in discs.values())
    yours = len(discs) - mine
    if not winner_takes_empties or mine == yours:
        return mine - yours
    empties = size * size - len(discs)
    return mine - yours + (empties if mine > yours else -empties)


def perft(size: int, discs: Discs, side: str, depth: int) -> int:
    if depth == 0:
        return 1
    legal = moves(size, discs, side)
    if not legal:
        return 1
    return sum(perft(size, play(size, discs, side, move), other(side), depth - 1) for move in legal)
