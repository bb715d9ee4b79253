"""Typed dictionaries of the keyword arguments of a search, for editors and type checkers.

Each keyword is a field of `Limits` or `Options`, where it is explained, and has the same type. Type checkers cannot
derive a typed dictionary from a dataclass, so a test compares the two.
"""

from typing import Any, Literal, TypedDict

from outflank.games.description import description_of
from outflank.games.evaluation import errors_of, evaluation_chosen, scale_of
from outflank.games.rules import Game
from outflank.machine import DeviceOption
from outflank.placement import Pin
from outflank.search.division import Scheme
from outflank.search.ordering import Ordering
from outflank.search.probes import Instrument
from outflank.search.request import TABLELESS, Selectivity, Stop, TieRule
from outflank.search.results import Watch
from outflank.search.selective import MOST_SELECTIVE
from outflank.search.table import Table

SearchArguments = dict[str, Any]
"""Keyword arguments of a search that a program assembles at run time; the search checks them."""

AlgorithmName = Literal["minimax", "alphabeta", "pvs", "mtdf", "uct", "flat"]

SchemeName = Literal[
    "fork-join",
    "root-split",
    "pv-split",
    "jamboree",
    "ybw",
    "shared-table",
    "abdada",
    "root-parallel",
    "tree-parallel",
]
"""Names of the package's own schemes. Type checkers reject any other string, and so find misspellings. To use a scheme
that you have registered, pass the `Scheme` that `register_scheme` or `scheme_named` returns. At run time a search also
accepts the name of such a scheme."""


class LimitKeywords(TypedDict, total=False):
    """The fields of `Limits`."""

    depth: int | None
    seconds: float | None
    nodes: int | None


class CommonKeywords(TypedDict, total=False):
    """The fields of `Options` that mean the same to every function that searches."""

    algorithm: AlgorithmName
    evaluation: str | tuple[Any, ...] | None
    ordering: str | Ordering | None
    table_bits: int | None
    table_depth: Literal["equal", "at-least"]
    canonical: bool
    passes: Literal["free", "ply", "evaluated"]
    selectivity: Selectivity
    quiescence: int
    share_alpha: bool
    pivot: Literal["carried", "reset"]
    step: Literal[1, 2]
    aspiration: int | None
    deepen: bool
    seed: int
    device: DeviceOption
    workers: int | None
    threshold: int | None
    levels: int | None
    schedule: Literal["one", "rows", "static"] | int
    pin: Pin
    interleave: bool
    pace: int


class PlayerKeywords(CommonKeywords, total=False):
    """The options of a player, which sets the `AnswerKeywords` itself."""

    parallel: SchemeName | Scheme | None


class AnswerKeywords(TypedDict, total=False):
    """The options that say which result is requested."""

    moves: int
    ties: TieRule
    exact: bool
    wld: bool
    use_endgame_kernels: bool


class OptionKeywords(PlayerKeywords, AnswerKeywords, total=False):
    """All fields of `Options`."""


class SearchKeywords(OptionKeywords, LimitKeywords, total=False):
    """All options and limits of a search."""


class ClusterKeywords(CommonKeywords, AnswerKeywords, LimitKeywords, total=False):
    """Options, limits, `stop`, `table` and `watch` of a search on a cluster, which does not use the schemes of
    `parallel`."""

    stop: Stop | None
    table: Table | None
    watch: Watch | None


class WholeKeywords(SearchKeywords, total=False):
    """All keyword arguments of a search, for a function that passes them on."""

    stop: Stop | None
    table: Table | None
    instrument: Instrument | None
    watch: Watch | None


ASPIRATION_UNITS = 2
"""Half the width of the first window of a player's iteration, in the unit of the score. The window is centred on the
value of the previous iteration."""


def default_selectivity(game: Game, options: PlayerKeywords) -> PlayerKeywords:
    """Return the keyword `selectivity` that a player uses by default.

    It is the most selective value if the errors of the evaluation are known: the depth gained is worth far more than
    wrong guesses cost. Otherwise, and for algorithms without a transposition table, no keyword is returned.
    """
    if options.get("algorithm", "pvs") in TABLELESS:
        return {}
    known = errors_of(game, evaluation_chosen(game, options.get("evaluation"))) is not None
    return {"selectivity": MOST_SELECTIVE} if known else {}


def default_deepening(game: Game, options: PlayerKeywords) -> PlayerKeywords:
    """Return the keywords `step` and `aspiration` that a player uses by default; none unless its search is selective
    and the game's `player_step` is 2."""
    selectivity = options.get("selectivity") or default_selectivity(game, options).get("selectivity", 100)
    if selectivity == 100 or description_of(game).search.player_step == 1:
        return {}
    scale = scale_of(game, evaluation_chosen(game, options.get("evaluation")))
    return {"step": 2, "aspiration": ASPIRATION_UNITS * scale.points}
