"""The words under which the table stores a position."""

from typing import Any

from outflank.games.rules import canonical, mirror, pack
from outflank.kernels.compiler import inner


@inner
def table_key(game: Any, position: Any, worker: Any) -> Any:
    """Return the symmetry under which the table stores a position (0: as it is), and the position's two words there."""
    symmetry = 0
    key = position
    if worker.canonical != 0:
        symmetry = canonical(game, position)
        key = mirror(game, position, symmetry)
    first, second = pack(game, key)
    return symmetry, first, second
