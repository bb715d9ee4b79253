"""The numbers in report 003's text, found anew."""

from collections.abc import Iterable, Sequence
from functools import partial
from statistics import mean
from typing import Any

from outflank.abalone.board import AbaloneBoard
from outflank.abalone.ready_moves import OPENING
from outflank.arena import Openings
from outflank.lab.classroom import BrokenOff, lab_positions, lab_search_003
from outflank.lab.literature import fact
from outflank.lab.reproduction.sections import (
    GIVEN,
    Expected,
    FoundCell,
    Measure,
    Setting,
    Source,
    close,
    machine,
)
from outflank.lab.search_log import note, unnoted
from outflank.players.ready_moves import BoardCache
from outflank.players.timing import Adaptive003
from outflank.search.contract import Stop
from outflank.search.perft import perft


def check_stop(stop: Stop) -> None:
    """Give up what is measured, if that is wanted."""
    if stop.called:
        raise BrokenOff


# --- scaling ---


def _fact(name: str, ours: Any, note_: str = "") -> FoundCell:
    return FoundCell((name,), "value", ours, note_)


def _constants(stop: Stop) -> Iterable[FoundCell]:
    yield _fact("usual_depth", Adaptive003.RULES[-1].depth)
    yield _fact("game_seconds", Adaptive003.MINUTE)
    yield _fact("opening_moves_fixed", len(OPENING[0]))
    yield _fact("boards_kept", BoardCache.KEPT)


def _counts(workers: int, stop: Stop) -> Iterable[FoundCell]:
    """Evaluations and pruning, its four positions at the depth that it compared."""
    board, depth = AbaloneBoard.start(), fact("003", "compared_depth")
    whole = perft(board, 5, workers=workers).leaves
    pruned = lab_search_003(board, 5, "rings", share_alpha=False, stop=stop).leaves
    check_stop(stop)
    yield _fact("pruning_depth_5_percent", 100 * (1 - pruned / whole))
    rates = []
    for position in lab_positions().values():
        leaves = lab_search_003(position, depth, "rings", share_alpha=False, stop=stop).leaves
        rates.append(100 * (1 - leaves / perft(position, depth, workers=workers).leaves))
        check_stop(stop)
    yield _fact("pruning_depth_4_percent", mean(rates))


def _games(count: int, stop: Stop) -> Iterable[FoundCell]:
    """How long games are, and how many moves there are to choose from: of its program against itself."""
    lengths, choices = [], []
    openings = Openings("random:4", AbaloneBoard.start(), seed=1, count=count)
    with unnoted():
        for number_ in range(count):
            board = openings[number_]
            while not board.is_game_over():
                choices.append(len(board.legal_moves))
                assert isinstance(board, AbaloneBoard)
                found = lab_search_003(board, 2, "rings", share_alpha=True, stop=stop)
                check_stop(stop)
                board.push(str(found.move))
            lengths.append(board.ply)
    note(AbaloneBoard.start(), 2, algorithm="alphabeta", evaluation="rings")
    games = f"{count} games of its program against itself at depth 2, from different openings."
    yield _fact("turns_per_game", round(mean(lengths), 1), games)
    yield _fact("moves_per_turn", round(mean(choices), 1), games)


def _opening(workers: int, stop: Stop) -> Iterable[FoundCell]:
    """The time of its search at depth 6 from the start, and of the two that a fixed opening spares."""
    depth, shared = fact("003", "opening_depth"), {"parallel": "root-split", "workers": workers}
    with unnoted():
        lab_search_003(AbaloneBoard.start(), depth - 2, "rings", share_alpha=False, stop=stop, **shared)
    found = lab_search_003(AbaloneBoard.start(), depth, "rings", share_alpha=False, stop=stop, **shared)
    check_stop(stop)
    yield _fact("opening_seconds_per_move", found.seconds)
    yield _fact("opening_seconds_saved", fact("003", "opening_moves_fixed") * found.seconds)


def text_sources(setting: Setting) -> Sequence[Source]:
    """What finds them."""
    quick = setting.effort == "quick"
    sources: list[Source] = [
        Measure("what the program has", _constants, 0.1),
        Measure("pruning", partial(_counts, setting.workers), 1.0),
        Measure("games", partial(_games, setting.effort.choose(2, 10, 50)), 1.0),
    ]
    return sources if quick else [*sources, Measure("depth 6", partial(_opening, setting.workers), 3.0)]


IN_TABLES = (
    *("minimax_evaluations_depth_5", "alphabeta_evaluations_depth_5"),
    *("speedup_48_threads_midgame2", "speedup_48_threads_midgame1"),
)
"""Numbers of the text that have a section of their own, and count once."""

TEXT: dict[str, Expected] = {
    "pruning_depth_5_percent": close(1.002, "The report rounds 99.43 %, which its two counts give, to 99.5 %."),
    "pruning_depth_4_percent": close(1.01),
    "threads": GIVEN,
    "chunk_size": GIVEN,
    "moves_per_turn": close(1.25),
    "turns_per_game": close(2.0),
    "usual_depth": GIVEN,
    "compared_depth": GIVEN,
    "game_seconds": GIVEN,
    "opening_depth": GIVEN,
    "opening_seconds_per_move": machine("48 cores there."),
    "opening_moves_fixed": GIVEN,
    "opening_seconds_saved": machine("48 cores there."),
    "boards_kept": GIVEN,
}
