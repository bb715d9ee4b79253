"""`solve`: a search that proves the final score of a position under perfect play."""

import os
import warnings
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Unpack, cast

from outflank.boards import Board
from outflank.errors import InvalidOption
from outflank.games.endings import ending_moves
from outflank.games.rules import moves_left
from outflank.search.keywords import OptionKeywords, SearchKeywords
from outflank.search.probes import Instrument
from outflank.search.python_arguments import LIMITS, OPTIONS, document_options, parse_options
from outflank.search.request import Limits, Stop
from outflank.search.results import Result, Watch
from outflank.search.saving import EVERY_SECONDS, Saving
from outflank.search.table import FEWEST_BITS, Table
from outflank.search.whole_search import iterate, search

TABLE_BITS = 22
"""Maximum size of a proof's table in bits (128 MiB). A proof visits the same positions many times, and must search a
position again if the table has lost its entry."""

SPARE_BITS = 7
"""Table size in bits for a position that the game's own kernels solve; each further move adds one bit. In Othello with
18 to 24 empty squares, proofs with `TABLE_BITS` saved no nodes and took 3 to 20 % longer, because more memory must be
cleared."""


def default_table_bits(board: Board) -> int:
    """Return the default size of a proof's table in bits."""
    own, moves = int(ending_moves(board.game)), int(moves_left(board.game, board.position))
    return TABLE_BITS if own < 0 else max(FEWEST_BITS, min(TABLE_BITS, moves - own + SPARE_BITS))


ON_DEVICE = ("device", "exact", "wld", "moves")
"""Names of the options that a GPU supports."""


@document_options
def solve(
    board: Board,
    limits: Limits | None = None,
    *,
    save: str | os.PathLike[str] | None = None,
    save_every: float = EVERY_SECONDS,
    stop: Stop | None = None,
    table: Table | None = None,
    instrument: Instrument | None = None,
    watch: Watch | None = None,
    **options: Unpack[SearchKeywords],
) -> Result:
    """Prove the final score of a position under perfect play: `search` with `exact` and a larger table.

    With `wld` it only finds the winner; `moves` is the number of best moves whose scores are found. If `seconds`,
    `nodes` or `stop` end the proof early, the result's `exact` is false, and `lower` and `upper` are the proved bounds.

    With `device="gpu"` a GPU proves an endgame position with few free cells, and takes no option but `wld`, `moves` and
    `stop`. With `device="gpu-or-cpu"` the CPU proves positions that no GPU can take, and a warning says why. The other
    options apply only to the CPU then.

    `save` names a file in which the proof is saved every `save_every` seconds and when it ends; if the file exists the
    proof continues from it. Once the score is proved the file is removed.

    >>> import outflank
    >>> board = outflank.OthelloBoard.start(4, scoring="discs")
    >>> outflank.solve(board).value_text, outflank.solve(board, wld=True).value_text
    ('-8 discs', 'lost')
    """
    if not options.get("exact", True):
        raise InvalidOption("exact=False: solving is exact; outflank.search estimates")
    if options.get("device", "cpu") != "cpu":
        companions = {"save": save, "table": table, "instrument": instrument, "watch": watch}
        if (result := _solve_on_device(board, limits, stop, companions, options)) is not None:
            return result
        options = {**options, "device": "cpu"}
    # Symmetric positions share an entry. Sharing has no measurable cost, and the four first moves of a game become one.
    bits = default_table_bits(board) if options.get("use_endgame_kernels", True) else TABLE_BITS
    request: SearchKeywords = {"table_bits": bits, "canonical": True, **options, "exact": True}
    if save is None:
        return search(board, limits, stop=stop, table=table, instrument=instrument, watch=watch, **request)
    if table is not None:
        raise InvalidOption("save and table: what is saved has a table of its own")
    limits, checked = parse_options(board, limits, request)
    option_keywords = cast(OptionKeywords, {name: value for name, value in request.items() if name not in LIMITS})
    saving = Saving(Path(save), board, checked, every_seconds=save_every, watch=watch)
    results = iterate(
        board,
        limits,
        stop=stop,
        table=saving.table,
        instrument=instrument,
        watch=saving,
        known=saving.known,
        **option_keywords,
    )
    *_, last = saving.results(results)
    return last


def _solve_on_device(
    board: Board,
    limits: Limits | None,
    stop: Stop | None,
    companions: Mapping[str, object],
    options: SearchKeywords,
) -> Result | None:
    """Return the result of a proof on a GPU; None if `gpu-or-cpu` leaves it to the CPU, after a warning."""
    limits, checked = parse_options(board, limits, options)
    device = checked.device
    refused = [name for name in LIMITS if getattr(limits, name) is not None]
    refused += [name for name, value in companions.items() if value is not None]
    if device == "gpu":
        refused += [name for name in OPTIONS if name in options and name not in ON_DEVICE]
    if refused:
        raise InvalidOption(f"{refused[0]} beside device {device}: a GPU takes a whole ending at once")
    # By name, because `search` must not import `gpu`.
    if import_module("outflank.gpu.choosing").resolve_device(device) == "cpu":
        return None
    on_device = import_module("outflank.gpu.by_moves")
    try:
        result: Result = on_device.solve_board(board, device=device, wld=checked.wld, moves=checked.moves, stop=stop)
    except InvalidOption as reason:
        if device == "gpu":
            raise
        warnings.warn(f"{reason}: the CPU goes on", RuntimeWarning, stacklevel=3)
        return None
    return result
