"""Measurements for report 000's conclusions on its sequential program, in a section without a published table."""

import random
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product
from math import log10, prod
from statistics import fmean, median

from outflank.arena import Openings
from outflank.boards import Board
from outflank.games.rules import mirror, symmetries
from outflank.games.sides import Side
from outflank.lab.experiment_boards import default_board, study_positions
from outflank.lab.measuring.search_log import search, without_logging
from outflank.lab.measuring.search_samples import processor_times
from outflank.lab.report_programs.classroom import REPORT_000, BrokenOff, legal_count
from outflank.lab.reproduction.matches import match_cells
from outflank.lab.reproduction.published_sections import (
    ExperimentPart,
    Measure,
    MeasuredCell,
    Setting,
    Source,
    measure_games,
)
from outflank.lab.reproduction.scores_000 import scores
from outflank.lab.studies.choices import ORDERINGS
from outflank.lab.studies.duel_bouts import CLEARLY_STRONGER
from outflank.lab.studies.edges import finish_game
from outflank.lab.studies.storage import CENTRE
from outflank.othello.board import OthelloBoard
from outflank.othello.evaluation import FourPart
from outflank.search.keywords import SearchArguments
from outflank.search.request import Limits, Stop
from outflank.search.results import Result

SEQUENTIAL = "Conclusions, sequential"
"""Name of the section."""

MATCHES = (("phased", "four-part"), ("four-part", "discs"))
"""Pairs of evaluations that play a match at equal depth."""

MATCH_DEPTH = 3


def sequential(setting: Setting) -> Sequence[Source]:
    """Return measurements of algorithms, rules, growth and, except in a quick run, matches and the board of 6×6."""
    choose = setting.effort.choose
    many = {"positions": ("tournament",), "midgame_depth": choose(5, 8, 9), "rounds": 1}
    sources: list[Source] = [
        *(
            ExperimentPart(experiment, many, show=False, label="tournament")
            for experiment in ("pivot", "coarseness", "sorting")
        ),
        Measure("rules", partial(_rules, choose(20, 200, 2000)), 0.5),
        Measure("growth", partial(_growth, choose((5, 7, 9), (7, 9, 11, 13), (7, 9, 11, 13, 15)))),
        Measure("tables", partial(_tables, choose(9, 9, 11)), 0.5),
        Measure("algorithms by step", partial(_algorithms_by_step, choose(5, 7, 8)), 0.5, timed=False),
        Measure("potential mobility left out", partial(_without_potential, choose(9, 11, 13)), 0.5, timed=False),
    ]
    if setting.effort == "quick":
        return sources
    pairs = choose(2, 30, 100)
    return [
        *sources,
        Measure("6×6", partial(_six, setting.workers), 10.0),
        measure_games(setting.effort, "scores", partial(scores, choose(20, 200, 500)), 5.0),
        Measure("sorts by ordering", _sorts_by_ordering, 2.0, timed=False),
        Measure("orderings by evaluation", _orderings_by_evaluation, 2.0, timed=False),
        measure_games(setting.effort, "accuracy", _accuracy, 1.0),
        Measure("cost of edges", _edge_cost, 1.0),
        Measure("sorts on two workers", partial(_sorts_in_parallel, choose(1, 5, 7)), 1.0),
        *(
            measure_games(setting.effort, f"{first} against {second}", partial(_match, first, second, pairs), 5.0)
            for first, second in MATCHES
        ),
    ]


def _cell(name: str, value: float) -> MeasuredCell:
    return MeasuredCell((name,), "value", value)


def _searched(board: Board, depth: int, stop: Stop, **options: object) -> Result:
    """Return the result of report 000's search with some of its options replaced. Raise `BrokenOff` if stopped."""
    arguments: SearchArguments = {"workers": 1, **REPORT_000, **options}
    result = search(board, Limits(depth=depth), stop=stop, **arguments)
    if stop.called:
        raise BrokenOff
    return result


def _two_boards() -> dict[str, OthelloBoard]:
    midgame = default_board()
    assert isinstance(midgame, OthelloBoard)
    return {"start": OthelloBoard.start(), "midgame": midgame}


# --- rules and sizes ---


def _random_game(rng: random.Random) -> OthelloBoard:
    board = OthelloBoard.start()
    while not board.is_game_over:
        board.push(rng.choice(board.legal_moves))
    return board


def _rules(games: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield counts: boards of random games with an empty centre square, different symmetric images of a board,
    different first moves, and lines of play on the 6×6 board."""
    rng = random.Random(1)
    boards = empty = images = 0
    for _ in range(games):
        board = _random_game(rng)
        stones = [int(own | opp) for own, opp in (*board.positions, board.position)]
        boards += len(stones)
        empty += sum(word & int(CENTRE) != int(CENTRE) for word in stones)
        middle = board.positions[len(board.positions) // 2]
        images += len({tuple(map(int, mirror(board.game, middle, way))) for way in range(symmetries(board.game))})
    yield _cell("boards of random games", boards)
    yield _cell("boards with an empty centre square", empty)
    yield _cell("different images of a board", images / games)
    children = []
    for move in OthelloBoard.start().legal_moves:
        board = OthelloBoard.start()
        board.push(move)
        children.append(tuple(map(int, board.canonical().position)))
    yield _cell("first moves", len(children))
    yield _cell("first moves that differ", len(set(children)))
    # Knuth (1975): the product of the numbers of moves along a random game is an unbiased estimate of the leaves.
    # Its logarithm is stored, because documents have no numbers beyond 10^18.
    yield _cell("6×6 lines of play, log10", log10(fmean(_line_estimate(rng) for _ in range(games))))


def _line_estimate(rng: random.Random) -> float:
    board, widths = OthelloBoard.start(6), []
    while not board.is_game_over:
        widths.append(len(board.legal_moves))
        board.push(rng.choice(board.legal_moves))
    return float(prod(widths))


def _growth(depths: Sequence[int], stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the boards that report 000's program visits from the start, by depth."""
    for depth in depths:
        yield MeasuredCell((f"depth {depth}",), "boards", _searched(OthelloBoard.start(), depth, stop).nodes)


def _six(workers: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Solve Othello on the 6×6 board, and yield the seconds and black's result."""
    result = search(OthelloBoard.start(6), exact=True, workers=workers, table_bits=24, stop=stop)
    if stop.called or result.value is None:
        raise BrokenOff
    yield _cell("6×6 solved (s)", result.seconds)
    yield _cell("6×6 result of black", result.value)


# --- causes: one choice of the program varied ---

VARIED: dict[str, dict[str, object]] = {
    "as it is": {},
    "pivot 0": {"pivot": "reset"},
    "undivided": {"evaluation": "four-part-fine"},
    "best move only": {"ordering": "stones+squares:sort=best,from_depth=1"},
    "all moves sorted": {"ordering": "stones+squares:sort=insertion,from_depth=1"},
}
"""Variants of report 000's program, each of which is searched with a table and without one."""

TABLES: dict[str, dict[str, object]] = {"with a table": {}, "without a table": {"table_bits": None}}


def _tables(depth: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the number of boards that each variant visits from two positions, with a table and without one."""
    for table, memory in TABLES.items():
        for name, options in VARIED.items():
            for board_name, board in _two_boards().items():
                plies = depth if board_name == "start" else depth - 1
                yield MeasuredCell((name, table), board_name, _searched(board, plies, stop, **memory, **options).nodes)


ALGORITHMS = ("mtdf", "pvs", "alphabeta")
STEPS, DIVISORS = (2, 1), (8, 1)
"""Plies from one iteration to the next, and divisors of the evaluation. The report's come first."""


def _algorithms_by_step(depth: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the boards visited from the tournament positions, by algorithm, by plies per iteration and by divisor."""
    places = study_positions("othello", ("tournament",))
    for algorithm, step, divisor in product(ALGORITHMS, STEPS, DIVISORS):
        options = {"algorithm": algorithm, "step": step, "evaluation": FourPart(divisor)}
        nodes = sum(_searched(place.board, depth, stop, **options).nodes for place in places)
        yield MeasuredCell((algorithm, step, divisor), "boards", nodes)


def _sorts_by_ordering(stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the boards visited with only the best move in front, relative to a full sort, by ordering."""
    for (board_name, board), ordering in product(_two_boards().items(), ORDERINGS):
        if ordering != "none":
            plies = 13 if board_name == "start" else 10
            best, sorted_ = (
                _searched(board, plies, stop, ordering=f"{ordering}:sort={sort},from_depth=1").nodes
                for sort in ("best", "insertion")
            )
            yield MeasuredCell((BEST_ONLY, ordering), board_name, best / sorted_)


BEST_ONLY = "stones and squares, best move only"

EVALUATIONS: dict[str, FourPart] = {"four-part": FourPart(8), "without potential mobility": FourPart(8, potential=0)}


def _without_potential(depth: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the boards visited from the start, by ordering, with and without potential mobility in the evaluation.

    All nodes are sorted, as in the report.
    """
    for evaluation_name, evaluation in EVALUATIONS.items():
        for ordering, printed in ORDERINGS.items():
            order = ordering if ordering == "none" else f"{ordering}:from_depth=1"
            result = _searched(OthelloBoard.start(), depth, stop, evaluation=evaluation, ordering=order)
            yield MeasuredCell((evaluation_name, printed.lower()), "boards from the start", result.nodes)
        order = "stones+squares:sort=best,from_depth=1"
        result = _searched(OthelloBoard.start(), depth, stop, evaluation=evaluation, ordering=order)
        yield MeasuredCell((evaluation_name, BEST_ONLY), "boards from the start", result.nodes)


def _orderings_by_evaluation(stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the boards visited with each ordering, with report 000's evaluation and with another one."""
    for evaluation in ("four-part", "phased"):
        for ordering in ORDERINGS:
            options = {"evaluation": evaluation, "ordering": ordering}
            nodes = sum(_searched(board, 9, stop, **options).nodes for board in _two_boards().values())
            yield MeasuredCell((evaluation, ordering), "boards", nodes)


COMPARED_SORTS = ("insertion", "backwards", "heap")


def _sorts_in_parallel(rounds: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the median and the range of two workers' boards, relative to one worker's boards, by sort and position."""
    for sort in COMPARED_SORTS:
        order = f"stones+squares:sort={sort},from_depth=1"
        for name, board in _two_boards().items():
            one = _searched(board, 10, stop, ordering=order).nodes
            two = [
                _searched(board, 10, stop, ordering=order, workers=2, parallel="ybw").nodes / one for _ in range(rounds)
            ]
            yield MeasuredCell((sort, name), "overhead", median(two))
            yield MeasuredCell((sort, name), "range", max(two) - min(two))


# --- the evaluation ---

ACCURACY_DEPTH = 6


def _accuracy(stop: Stop) -> Iterable[MeasuredCell]:
    """Yield how much the moves of the divided evaluation lose, as valued by the undivided one at the same depth."""
    losses = []
    with without_logging():  # hundreds of small searches
        for place in study_positions("othello", ("tournament",)):
            board = place.board
            assert isinstance(board, OthelloBoard)
            if legal_count(board) > 1:
                best_move = str(_searched(board, ACCURACY_DEPTH, stop).move)
                values = {}
                for move in board.legal_moves:
                    child = board.copy()
                    child.push(move)
                    result = _searched(child, ACCURACY_DEPTH - 1, stop, evaluation="four-part-fine")
                    values[str(move)] = -(result.value or 0)
                losses.append(max(values.values()) - values[best_move])
    yield _cell("boards of other moves", sum(loss > 0 for loss in losses))
    yield _cell("boards compared", len(losses))
    yield _cell("mean loss", fmean(losses))


def _edge_cost(stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the ratio of minimax's processor times with and without edge patterns. The tree is the same."""
    seconds: dict[str, list[float]] = {}
    board = _two_boards()["midgame"]
    for evaluation in ("four-part+edges", "four-part") * 3:
        options = {"algorithm": "minimax", "evaluation": evaluation, "ordering": None, "table_bits": None, "step": 1}
        _searched(board, 1, stop, **options)  # compiles
        before = sum(processor_times())
        _searched(board, 6, stop, **options)
        seconds.setdefault(evaluation, []).append(sum(processor_times()) - before)
    yield _cell("time with edges", min(seconds["four-part+edges"]) / min(seconds["four-part"]))


def _match(first: str, second: str, pairs: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Play a match of two evaluations from random openings, with at most `pairs` pairs of games. Return its cells."""
    openings = Openings("random:8", OthelloBoard.start(), seed=1, count=pairs)

    def play(number: int, players: dict[Side, str]) -> float:
        board = openings[number]
        assert isinstance(board, OthelloBoard)
        if not finish_game(board, players, MATCH_DEPTH, stop):
            raise BrokenOff
        margin = board.discs(Side.BLACK) - board.discs(Side.WHITE)
        return 0.5 + 0.5 * ((margin > 0) - (margin < 0))

    return match_cells((first, second), (first, second), CLEARLY_STRONGER, pairs, play)
