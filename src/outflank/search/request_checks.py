"""Checks of a search's options and limits, before anything is compiled, allocated or started."""

from outflank.errors import InvalidOption, UnknownName
from outflank.games.evaluation import errors_of, evaluation_chosen, evaluation_named
from outflank.games.rules import Game
from outflank.placement import worker_processors
from outflank.search.algorithms import ALGORITHMS
from outflank.search.division import MONTE_CARLO as MONTE_CARLO
from outflank.search.division import Scheme, select_scheme
from outflank.search.ordering import ordering_named
from outflank.search.request import TABLELESS, Limits, Options
from outflank.search.root import deepest
from outflank.search.table import check_bits


def check(game: Game, options: Options, limits: Limits) -> tuple[Scheme | None, int]:
    """Return the scheme and the number of workers of a search. Raise `InvalidOption` or `UnknownName` for wrong
    options."""
    algorithm = options.algorithm
    if algorithm not in (*ALGORITHMS, *MONTE_CARLO):
        raise UnknownName.among("algorithm", algorithm, (*ALGORITHMS, *MONTE_CARLO))
    if isinstance(options.evaluation, str):
        evaluation_named(game, options.evaluation)
    if isinstance(options.ordering, str):
        ordering_named(game, options.ordering)
    worker_processors(options.pin)  # raises if this process may not run there
    if options.table_bits is not None:
        check_bits(options.table_bits)
    if options.selectivity < 100:
        _check_selective(game, options)
    if options.wld and not options.exact:
        raise InvalidOption("wld asks who wins under perfect play, which only a search with exact proves")
    if algorithm in MONTE_CARLO:
        if limits.depth is not None:
            raise InvalidOption(f"{algorithm} has no depth: limit it by time or nodes")
        if options.exact:
            raise InvalidOption(f"{algorithm} proves nothing: exact needs another algorithm")
    elif limits.depth is not None and options.exact:
        raise InvalidOption("exact plays to the end of the game, which no depth limits: a time or nodes do")
    elif limits.depth is not None and limits.depth > deepest(game):
        raise InvalidOption(f"depth {limits.depth}: at most {deepest(game)} plies in this game")
    return select_scheme(options)


def _check_selective(game: Game, options: Options) -> None:
    """Raise `InvalidOption` for a selectivity that would have no effect."""
    if options.algorithm in TABLELESS:
        raise InvalidOption(f"selectivity={options.selectivity}: {options.algorithm} makes no guesses")
    if options.exact:
        raise InvalidOption("exact proves a score, which leaves nothing to guess: without it, or without selectivity")
    if errors_of(game, evaluation_chosen(game, options.evaluation)) is None:
        reason = "nobody has measured how far shallow searches by this evaluation are off"
        raise InvalidOption(f"selectivity={options.selectivity}: {reason}")
