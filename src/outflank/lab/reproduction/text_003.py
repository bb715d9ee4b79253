"""Sources and expectations of the numbers in report 003's text."""

from collections.abc import Iterable, Sequence
from functools import partial
from statistics import mean

from outflank.abalone.board import AbaloneBoard
from outflank.abalone.programs import OPENING
from outflank.arena import Openings
from outflank.lab.experiment_report import Cell
from outflank.lab.measuring.search_log import log_search, without_logging
from outflank.lab.report_programs.classroom import BrokenOff, lab_positions, lab_search_003
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.reproduction.published_sections import (
    EQUAL,
    GIVEN,
    Expected,
    Measure,
    MeasuredCell,
    Setting,
    Source,
    close,
    machine,
    measure_games,
)
from outflank.lab.studies.imbalance import ImbalanceParameters, allowed, root_moves, root_work
from outflank.players.ready_moves import BoardCache
from outflank.players.timing import Adaptive003
from outflank.search.perft import perft
from outflank.search.request import Stop


def check_stop(stop: Stop) -> None:
    """Raise `BrokenOff` if the caller has stopped the measurement."""
    if stop.called:
        raise BrokenOff


def _fact(name: str, ours: Cell, note: str = "") -> MeasuredCell:
    return MeasuredCell((name,), "value", ours, note)


def _constants(stop: Stop) -> Iterable[MeasuredCell]:
    yield _fact("usual_depth", Adaptive003.RULES[-1].depth)
    yield _fact("game_seconds", Adaptive003.MINUTE)
    yield _fact("opening_moves_fixed", len(OPENING[0]))
    yield _fact("boards_kept", BoardCache.BOARDS)


def _counts(workers: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield pruning rates in percent: at depth 5 in the initial position, and at depth 4 on average over positions."""
    board, depth = AbaloneBoard.start(), fact("003", "compared_depth")
    minimax_leaves = perft(board, 5, workers=workers).leaves
    alphabeta_leaves = lab_search_003(board, 5, "rings", share_alpha=False, stop=stop).leaves
    check_stop(stop)
    yield _fact("pruning_depth_5_percent", 100 * (1 - alphabeta_leaves / minimax_leaves))
    rates = []
    for position in lab_positions().values():
        leaves = lab_search_003(position, depth, "rings", share_alpha=False, stop=stop).leaves
        rates.append(100 * (1 - leaves / perft(position, depth, workers=workers).leaves))
        check_stop(stop)
    yield _fact("pruning_depth_4_percent", mean(rates))


CHUNKS = (1, 2, 4)
"""Compared chunk sizes: numbers of root moves that are handed out at a time."""


def _chunk(stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the chunk size that allows the greatest speed-ups on the report's threads."""
    threads, parameters = fact("003", "threads"), ImbalanceParameters()
    samples = [
        sample for place in parameters.places() for sample in root_moves(place, parameters.depth_of(place), stop)
    ]
    check_stop(stop)
    speed_ups = {chunk: mean(allowed(work, threads, chunk) for work in root_work(samples).values()) for chunk in CHUNKS}
    text = ", ".join(f"{speed_up:.1f} with {chunk}" for chunk, speed_up in speed_ups.items())
    note = f"The chunk with the greatest speed-up that root moves allow on {threads} threads, on average: {text}."
    yield _fact("chunk_size", max(speed_ups, key=lambda chunk: speed_ups[chunk]), note)


def _games(count: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the mean length of games of report 003's program against itself, and the mean number of moves per turn."""
    lengths, choices, drawn = [], [], 0
    openings = Openings("random:4", AbaloneBoard.start(), seed=1, count=count)
    with without_logging():
        for index in range(count):
            board = openings[index]
            while not board.is_game_over:
                choices.append(len(board.legal_moves))
                assert isinstance(board, AbaloneBoard)
                result = lab_search_003(board, 2, "rings", share_alpha=True, stop=stop)
                check_stop(stop)
                board.push(str(result.move))
            lengths.append(board.ply)
            drawn += board.result() == "1/2-1/2"
    log_search(AbaloneBoard.start(), 2, algorithm="alphabeta", evaluation="rings")
    note = (
        f"{count} games of its program against itself at depth 2, from different openings; {drawn} are drawn, most of "
        "them when a position comes for the third time, which the game's own rules do not know."
    )
    yield _fact("turns_per_game", round(mean(lengths), 1), note)
    yield _fact("moves_per_turn", round(mean(choices), 1), note)


def _opening(workers: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the seconds of report 003's first search at depth 6, and the seconds that its fixed opening moves save."""
    depth, options = fact("003", "opening_depth"), {"parallel": "root-split", "workers": workers}
    with without_logging():
        lab_search_003(AbaloneBoard.start(), depth - 2, "rings", share_alpha=False, stop=stop, **options)
    result = lab_search_003(AbaloneBoard.start(), depth, "rings", share_alpha=False, stop=stop, **options)
    check_stop(stop)
    yield _fact("opening_seconds_per_move", result.seconds)
    yield _fact("opening_seconds_saved", fact("003", "opening_moves_fixed") * result.seconds)


def text_sources(setting: Setting) -> Sequence[Source]:
    """Return the sources of the numbers in report 003's text."""
    quick = setting.effort == "quick"
    sources: list[Source] = [
        Measure("what the program has", _constants, 0.1),
        Measure("pruning", partial(_counts, setting.workers), 1.0, timed=False),
        Measure("chunks", _chunk, 0.5),
        measure_games(setting.effort, "games", partial(_games, setting.effort.choose(2, 10, 50)), 1.0),
    ]
    return sources if quick else [*sources, Measure("depth 6", partial(_opening, setting.workers), 3.0)]


IN_TABLES = (
    *("minimax_evaluations_depth_5", "alphabeta_evaluations_depth_5"),
    *("speedup_48_threads_midgame2", "speedup_48_threads_midgame1"),
)
"""Names of numbers in report 003's text that have a section of their own, and are counted only there."""

TEXT: dict[str, Expected] = {
    "pruning_depth_5_percent": close(1.002, "The report rounds 99.43 %, which its two counts give, to 99.5 %."),
    "pruning_depth_4_percent": close(1.01),
    "threads": GIVEN,
    "chunk_size": EQUAL,
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
