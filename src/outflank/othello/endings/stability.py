"""Stable discs, which can never be flipped again, and the upper bound on the score that follows from them."""

from outflank.games.rules import Value
from outflank.kernels.bits import U64, Word, multiply, popcount
from outflank.kernels.compiler import inner
from outflank.othello.endings.flipping import BYTE, FIRST_COLUMN, GATHER, SEVEN, TOP_BYTE
from outflank.othello.endings.workspace import Workspace

ZERO = U64(0)
SEVEN_SQUARES = U64(127)
SCATTER = U64(0x0002040810204081)
"""Multiplier that moves seven bits of a row into the first column; the other bits of the product are masked out."""
ACROSS, DOWN, RISING, FALLING = U64(1), U64(8), U64(7), U64(9)


def _off_board(across: int, down: int) -> U64:
    """Return the squares from which a step of `across` columns and `down` rows leaves the board."""
    return U64(
        sum(1 << square for square in range(64) if not (0 <= square % 8 + across < 8 and 0 <= square // 8 + down < 8))
    )


FALLING_ENDS_1, FALLING_ENDS_2, FALLING_ENDS_4 = (_off_board(step, step) for step in (1, 2, 4))
FALLING_STARTS_1, FALLING_STARTS_2, FALLING_STARTS_4 = (_off_board(-step, -step) for step in (1, 2, 4))
RISING_ENDS_1, RISING_ENDS_2, RISING_ENDS_4 = (_off_board(-step, step) for step in (1, 2, 4))
RISING_STARTS_1, RISING_STARTS_2, RISING_STARTS_4 = (_off_board(step, -step) for step in (1, 2, 4))


@inner
def _full_rows(occupied: Word) -> Word:
    full = occupied & (occupied >> U64(4))
    full &= full >> U64(2)
    full &= full >> U64(1)
    return multiply(full & FIRST_COLUMN, BYTE)


@inner
def _full_columns(occupied: Word) -> Word:
    full = occupied & ((occupied >> U64(32)) | (occupied << U64(32)))
    full &= (full >> U64(16)) | (full << U64(48))
    return full & ((full >> U64(8)) | (full << U64(56)))


@inner
def _full_falling(occupied: Word) -> Word:
    """Return the squares with a full diagonal in the direction down to the right."""
    forward = occupied & ((occupied >> U64(9)) | FALLING_ENDS_1)
    forward &= (forward >> U64(18)) | FALLING_ENDS_2
    forward &= (forward >> U64(36)) | FALLING_ENDS_4
    backward = occupied & ((occupied << U64(9)) | FALLING_STARTS_1)
    backward &= (backward << U64(18)) | FALLING_STARTS_2
    backward &= (backward << U64(36)) | FALLING_STARTS_4
    return forward & backward


@inner
def _full_rising(occupied: Word) -> Word:
    """Return the squares with a full diagonal in the direction down to the left."""
    forward = occupied & ((occupied >> U64(7)) | RISING_ENDS_1)
    forward &= (forward >> U64(14)) | RISING_ENDS_2
    forward &= (forward >> U64(28)) | RISING_ENDS_4
    backward = occupied & ((occupied << U64(7)) | RISING_STARTS_1)
    backward &= (backward << U64(14)) | RISING_STARTS_2
    backward &= (backward << U64(28)) | RISING_STARTS_4
    return forward & backward


@inner
def _column(board: Word, column: Word) -> Word:
    """Return the squares of a column of the board as a byte."""
    return multiply((board >> column) & FIRST_COLUMN, GATHER) >> TOP_BYTE


@inner
def _as_column(line: Word, column: Word) -> Word:
    """Return the bits of the byte `line` as squares of a column of the board."""
    # One product moves seven squares; with the eighth, its partial products would overlap and carry.
    return ((multiply(line & SEVEN_SQUARES, SCATTER) & FIRST_COLUMN) | ((line >> SEVEN) << TOP_BYTE)) << column


@inner
def _stable_on_edges(space: Workspace, own: Word, opp: Word) -> Word:
    top, bottom, left, right = space.top, space.bottom, space.left, space.right
    edge_discs = U64(space.edges[(own >> top) & BYTE, (opp >> top) & BYTE]) << top
    edge_discs |= U64(space.edges[(own >> bottom) & BYTE, (opp >> bottom) & BYTE]) << bottom
    edge_discs |= _as_column(U64(space.edges[_column(own, left), _column(opp, left)]), left)
    return edge_discs | _as_column(U64(space.edges[_column(own, right), _column(opp, right)]), right)


@inner
def stable(space: Workspace, own: Word, opp: Word) -> Word:
    """Return discs of `own` that no continuation can flip. Some stable discs may be missing from the result.

    A disc is safe along a line if the line is full, or if the disc is at the line's end or beside a stable disc of its
    own side. A disc that is safe along all four lines is stable. Discs on edges are found first, in a complete table.
    """
    occupied = own | opp | ~space.mask
    rows = _full_rows(occupied) | space.side_columns
    columns = _full_columns(occupied) | space.end_rows
    falling = _full_falling(occupied) | space.border
    rising = _full_rising(occupied) | space.border
    discs = _stable_on_edges(space, own, opp) | (rows & columns & falling & rising & own)
    inside = own & ~space.border
    spreads = discs != ZERO
    while spreads:
        before = discs
        discs |= (
            (rows | (discs << ACROSS) | (discs >> ACROSS))
            & (columns | (discs << DOWN) | (discs >> DOWN))
            & (falling | (discs << FALLING) | (discs >> FALLING))
            & (rising | (discs << RISING) | (discs >> RISING))
            & inside
        )
        spreads = discs != before
    return discs


@inner
def score_ceiling(space: Workspace, own: Word, opp: Word) -> Value:
    """Return an upper bound on the score of `own`, under both scoring rules: the opponent keeps its stable discs.

    If the opponent has s stable discs, `own` ends with at most area - s discs, so its score is at most area - 2 s.
    Squares that stay empty do not raise this bound. If only discs count, the score is at most (area - s - empties) - s.
    If the winner takes the empty squares, area - s already includes them if `own` wins; if the opponent wins, they
    lower the score.
    """
    return space.area - 2 * popcount(stable(space, opp, own))
