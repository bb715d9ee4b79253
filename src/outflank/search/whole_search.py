"""`search` and `iterate`: searches from a request to results, in stages such as the estimates before a proof."""

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import partial
from typing import Unpack

from outflank.boards import Board
from outflank.games.description import description_of
from outflank.games.endings import ending_moves
from outflank.games.evaluation import Evaluation, errors_of, evaluation_chosen, evaluations, name_of, scale_of
from outflank.games.rules import moves_left
from outflank.search.alone import Alone
from outflank.search.iterations import Stage
from outflank.search.keywords import LimitKeywords, SearchKeywords
from outflank.search.probes import Instrument
from outflank.search.python_arguments import check_companions, document_options, parse_options
from outflank.search.request import Deadline, Known, Limits, Options, Selectivity, Stop
from outflank.search.request_checks import MONTE_CARLO, check
from outflank.search.results import Comparison, Result, Watch
from outflank.search.root import Root
from outflank.search.selective import MOST_SELECTIVE
from outflank.search.table import Table

GUESSED_FROM = 22
"""Minimum number of moves left at which a selective search to the end of the game precedes a proof. The proof then
tries the best moves of the selective search first. In Othello, proofs with this search took 1.40, 1.23, 1.22, 1.14,
1.10 and 1.10 times as long as proofs without any estimates in positions with 15, 17, 18, 19, 20 and 21 empty squares,
but 0.89 and 0.85 times as long with 22 and 23 empty squares (16 tournament positions for each number). A second
selective search, of 95 %, took as long as it saved."""

NEAR = 5
"""Half-width of the aspiration windows of the selective searches before a proof, in the unit of the score. On 21
positions of Othello with 18 to 24 empty squares such windows saved 16 % of the nodes of these searches and 2 % of the
nodes of the proofs. With half-widths of 2 and 3 some proofs began with worse moves, and took five times as long."""

ESTIMATES_BITS = 20
"""Maximum size in bits of the table of the estimates before a proof: 32 MiB."""


@document_options
def search(
    board: Board,
    limits: Limits | None = None,
    *,
    stop: Stop | None = None,
    table: Table | None = None,
    instrument: Instrument | None = None,
    watch: Watch | None = None,
    **options: Unpack[SearchKeywords],
) -> Result:
    """Find the best move: the last result of `iterate`, with the same arguments.

    Call `stop`, a `Stop`, from any thread to end the search. Pass the same `table`, a `Table`, to the next search with
    the same game, evaluation and passes to reuse its entries. The search calls `watch` with a `Progress` a few times a
    second, from another thread. An `instrument` (`Counts`, a `Recording`) collects measurements.

    >>> import outflank
    >>> outflank.search(outflank.OthelloBoard.start(4, scoring="discs"), exact=True).value_text
    '-8 discs'
    >>> outflank.search(outflank.OthelloBoard.start(), depth=3).depth
    3
    """
    *_, last = iterate(board, limits, stop=stop, table=table, instrument=instrument, watch=watch, **options)
    return last


@document_options
def iterate(
    board: Board,
    limits: Limits | None = None,
    *,
    stop: Stop | None = None,
    table: Table | None = None,
    instrument: Instrument | None = None,
    watch: Watch | None = None,
    known: Known | None = None,
    deadline: Deadline | None = None,
    **options: Unpack[SearchKeywords],
) -> Generator[Result, None, None]:
    """Search deeper and deeper. Yield a result after each iteration, and always at least one.

    Limits are given by name (`depth`, `seconds`, `nodes`) or as one `Limits`; the other keywords are the fields of
    `Options`, which `help(outflank.search)` lists. Without any limit the search goes on until its value contains no
    estimate, or until `stop` is called, from any thread. A `table` kept from one search to the next must be used with
    the same game, evaluation and passes. An `instrument` measures: `Counts` counts nodes by the depth left, a
    `Recording` records the actions of the workers. A `watch` is called with a `Progress` a few times a second while an
    iteration runs, from another thread; an exception that it raises ends the search.

    With `exact` the search proves the final score under perfect play. Estimates come first, to at most half the depth
    of the proof or selectively to the end of the game, so that there is a move and a value if the search is stopped;
    `deepen=False` skips the estimates, and so does a short proof without limits. Estimates are not stored in a `table`
    that has been used before. `known` has the bounds that an earlier, stopped proof of this score has found: the search
    continues from these bounds. With `exact` and `wld` the search only finds the winner: the value is +1, 0 or -1, and
    `lower` and `upper` are bounds of the score. A `deadline`, for players, is an absolute time limit, which includes
    the set-up of the search.
    """
    limits, request = parse_options(board, limits, options)
    check_companions(stop=stop, table=table, instrument=instrument, watch=watch)
    if stop is not None:
        stop.warn_if_reused()
    scheme, workers = check(board.game, request, limits)
    name = scheme.name if scheme else None
    table_is_clear = table is None or not table.used  # an unused table holds no values of another evaluation
    if table is not None:
        table.new_search()

    def new_stage(request: Options, table: Table | None, *, before_proof: bool = False) -> Stage:
        root = Root(
            board.game,
            board.position,
            request,
            table=table,
            instrument=instrument,
            worker_count=workers,
            before_proof=before_proof,
        )
        return Stage(board, root, lambda: scheme.divide(root, workers) if scheme else Alone(root), name, watch)

    if request.algorithm in MONTE_CARLO:
        from outflank.search.montecarlo import OnePlayer, iterate_playouts

        root = Root(board.game, board.position, request, instrument=instrument, worker_count=workers)
        playing = OnePlayer(root) if scheme is None else scheme.divide(root, workers)
        return iterate_playouts(board, root, playing, name, limits, stop, watch, deadline)
    main_stage = new_stage(request, table)
    main_stage.root.known = known or Known()
    stages = [_PlannedStage(lambda: main_stage)]
    estimating = request.exact and request.deepen and (request.evaluation is not None or evaluations(board.game))
    if estimating and not _is_short_proof(board, request, limits):
        estimates_table = main_stage.root.table if table_is_clear else None
        bits = None if request.table_bits is None else min(request.table_bits, ESTIMATES_BITS)
        # The evaluation is given by name, because nodes of a cluster load the weights of an evaluation themselves.
        estimates = replace(request, exact=False, wld=False, table_bits=bits, evaluation=_guide(board, request))
        guide = evaluation_chosen(board.game, estimates.evaluation)
        if int(moves_left(board.game, board.position)) >= GUESSED_FROM and errors_of(board.game, guide) is not None:
            width = (request.aspiration or NEAR) * scale_of(board.game, guide).points
            estimates = replace(estimates, selectivity=MOST_SELECTIVE, aspiration=width, step=max(request.step, 2))
        stages.insert(0, _PlannedStage(lambda: new_stage(estimates, estimates_table, before_proof=True), guessing=True))
    if request.selectivity < 100 and request.deepen and main_stage.root.plays_out and limits.depth is None:
        later_requests = _confirming_options(board, request)
        stages += [_PlannedStage(partial(new_stage, later, main_stage.root.table)) for later in later_requests]
    return _results(stages, limits, stop or Stop(), deadline)


@dataclass(frozen=True, slots=True)
class _PlannedStage:
    """A stage of a search (estimates, or a proof) that has not begun."""

    begin: Callable[[], Stage]
    guessing: bool = False
    """Whether this stage only estimates the value that the next one proves."""


CONFIRMING: tuple[tuple[int, Selectivity], ...] = ((21, 95), (26, 99))
"""The passes between the selective search that reaches the end of the game and the exact search: the least number of
moves left at which a pass is worth its time, and its selectivity. With 22 empty squares in Othello, the exact search
ended after 0.83 s without a pass, 0.95 s with one of 95 %, and 1.46 s with 95 and 99 %; with 24 after 2.7, 3.6 and 3.9
s. But a player without the time for it has a more certain move after a pass. With 26 empty squares a proof took 13.6 s
with 95 % and 15.0 s with both."""


def confirming(board: Board, selectivity: int) -> list[Selectivity]:
    """Return the selectivities of the passes between a search of `selectivity` to the end of the game and the exact
    search."""
    left = int(moves_left(board.game, board.position))
    return [later for least, later in CONFIRMING if later > selectivity and left >= least]


def _confirming_options(board: Board, options: Options) -> list[Options]:
    """Return the options of the searches that follow a selective search to the end of the game. They guess less and
    less; the last search is exact and guesses nothing."""
    passes = [replace(options, selectivity=selectivity) for selectivity in confirming(board, options.selectivity)]
    # The window around a score is in another unit than the window around an estimate.
    return [*passes, replace(options, exact=True, selectivity=100, evaluation=None, aspiration=None)]


def _is_short_proof(board: Board, options: Options, limits: Limits) -> bool:
    """Return whether a proof without limits is faster with no estimates before it."""
    unlimited = limits.seconds is None and limits.nodes is None
    own_kernels = options.use_endgame_kernels and int(ending_moves(board.game)) > 0
    return unlimited and own_kernels and int(moves_left(board.game, board.position)) < GUESSED_FROM


def _guide(board: Board, options: Options) -> Evaluation | str | None:
    """Return the evaluation for the estimates before a proof. It is the requested evaluation, or else the name of the
    evaluation that orders the proof's moves, if that evaluation is registered. None stands for the game's default."""
    guide = description_of(board.game).search.ordering_evaluation
    if options.evaluation is not None or guide is None or not options.use_endgame_kernels:
        return options.evaluation
    return name_of(board.game, guide(board.game))


def _results(
    stages: list[_PlannedStage], limits: Limits, stop: Stop, deadline: Deadline | None
) -> Generator[Result, None, None]:
    """Yield the results of all stages in turn; each stage gets the rest of the limits."""
    before: Result | None = None
    for planned_stage in stages:
        if before is not None and deadline is not None and deadline.left_seconds() <= deadline.setup_seconds:
            return
        last = before
        for result in planned_stage.begin().results(
            limits, stop, before, guessing=planned_stage.guessing, deadline=deadline
        ):
            last = result
            yield result
        if last is None or last.stopped or (last.exact and not planned_stage.guessing):
            return
        before = last


def compare(
    board: Board, together: Result, *, stop: Stop | None = None, **options: Unpack[SearchKeywords]
) -> Comparison:
    """Repeat a parallel search with one worker, to the same depth and with the same options. Return both results."""
    *_, alone = iterate_alone(board, together, stop=stop, **options)
    return Comparison(alone=alone, together=together)


def iterate_alone(
    board: Board, together: Result, *, stop: Stop | None = None, **options: Unpack[SearchKeywords]
) -> Generator[Result, None, None]:
    """Yield the results of the search with one worker that `compare` makes."""
    limits = Limits() if options.get("exact") else Limits(depth=together.depth or 1)
    no_limits: LimitKeywords = {"depth": None, "seconds": None, "nodes": None}
    same_options: SearchKeywords = {**options, **no_limits, "workers": 1, "parallel": None}
    return iterate(board, limits, stop=stop, **same_options)
