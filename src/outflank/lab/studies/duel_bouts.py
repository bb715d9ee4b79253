"""Matches of the experiment `duels`: which players test the ideas of the published report 003."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from outflank.abalone.board import REPETITIONS, AbaloneBoard
from outflank.arena.sprt import Sprt
from outflank.errors import InvalidOption, UnknownName
from outflank.lab.experiment import Parameters, option
from outflank.players.clock import TimeControl
from outflank.players.specs import player

CLEARLY_STRONGER = Sprt(elo0=0, elo1=100, scale="logistic")
"""Test of whether a player is stronger. Its hypotheses are a lead of 0 Elo, and of 100 Elo (64 % of the points)."""
ABOUT_AS_STRONG = Sprt(elo0=-100, elo1=0, scale="logistic")
"""Test of whether a player is as strong as another. Its hypotheses are a deficit of 100 Elo, and of 0 Elo."""
ALWAYS_WINS = Sprt(elo0=100, elo1=300, scale="logistic")
"""Test of whether a player nearly always wins. Its hypotheses are 64 % of the points (100 Elo), and 85 % (300 Elo)."""

START = "start"
"""Value of `Bout.openings` for the standard start, from which the players choose their first moves at random."""

ALONE = "computer report=003 workers=1 scheme=none"
PLAIN = f"{ALONE} habits=none policy=steady"
"""Player with the search of report 003's program, but without adaptive depth, cache or fixed opening."""


INVESTIGATED = ("orderings", "adaptive", "cache", "opening", "mirror", "monte-carlo", "rings")
CLAIMED = ("deeper-opening", "saved-time")


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelsParameters(Parameters):
    """Parameters of the experiment `duels`."""

    about: tuple[str, ...] = option(
        (*INVESTIGATED, *CLAIMED),
        f"{', '.join(INVESTIGATED)}: report 003's investigations; {', '.join(CLAIMED)}: its claims on openings.",
    )
    games: int = option(4, "Games of each bout, in pairs with colours swapped.")
    sequential: bool = option(False, "End a bout when its sequential test decides; --games are then the most.")
    depth: int = option(3, "Plies where both search to the same depth.")
    nodes: int = option(20_000, "Positions a move where orderings meet.")
    seconds: float = option(0.05, "A move where Monte-Carlo meets alpha-beta.")
    clock: str = option("10s", "A game's where adaptive depth meets others; the report played with 60s.")
    plies: int = option(200, "Moves after which a game is drawn.")
    seed: int = option(1, "For openings, first moves and playouts.")

    def __post_init__(self) -> None:
        super(DuelsParameters, self).__post_init__()
        for name in self.about:
            if name not in ABOUT:
                raise UnknownName.among("investigation", name, ABOUT)
        if self.plies < 1 or self.nodes < 1:
            raise InvalidOption("plies and nodes: at least 1")
        for bout in bouts(self):
            for words in bout.players:
                player(words, AbaloneBoard.start().game).close()  # raises for invalid options
        TimeControl.parse(self.clock)

    def unused(self) -> tuple[str, ...]:
        users = {"nodes": {"orderings"}, "seconds": {"monte-carlo"}, "clock": {"adaptive", "saved-time"}}
        users["depth"] = set(ABOUT) - {"orderings", "monte-carlo", "adaptive", "saved-time"}
        return tuple(name for name, investigations in users.items() if not investigations & set(self.about))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bout:
    """A match between two players that differ in the idea under test."""

    about: str
    first: str
    """Short label of the first player, which says how it differs from the second."""
    second: str
    players: tuple[str, str]
    """Specifications of the first and of the second player, as users write them."""
    openings: str = "random:4"
    clock: str = "none"
    weight: float = 1.0
    early: str = ""
    """Specification of a player that replaces the first player during the opening; empty for none."""
    repetitions: int | None = REPETITIONS
    """Occurrences of a position after which a game is drawn. None: never, as in the report's competition."""
    test: Sprt = CLEARLY_STRONGER
    """Hypotheses on the first player's strength, one of which the report claims."""

    @property
    def depends_on_time(self) -> bool:
        """Whether time limits affect the moves: a clock, or seconds for each move."""
        return self.clock != "none" or any(" time=" in words for words in self.players)

    @property
    def uses_one_core(self) -> bool:
        """Whether both players search with one worker."""
        return all("workers=1" in words.split() for words in self.players)

    @property
    def name(self) -> str:
        """Name of the match, unique within an experiment."""
        return f"{self.about}: {self.first} against {self.second}"


def _bout(about: str, common: str, *sides: tuple[str, str], **more: Any) -> Bout:
    (first, first_words), (second, second_words) = sides
    players = (f"{common} {first_words}".strip(), f"{common} {second_words}".strip())
    return Bout(about=about, first=first, second=second, players=players, **more)


def _orderings(parameters: DuelsParameters) -> list[Bout]:
    common = f"{PLAIN} nodes={parameters.nodes}"
    kinds = ("kinds", "ordering=kinds:from_depth=1")
    backwards = ("backwards", "ordering=reversed:from_depth=1")
    generated = ("generated", "ordering=generated:from_depth=1")
    pairs = ((kinds, generated), (backwards, generated), (kinds, backwards))
    return [_bout("orderings", common, *pair, weight=3.0) for pair in pairs]


def _adaptive(parameters: DuelsParameters) -> list[Bout]:
    adaptive = ("adaptive depth", "policy=adaptive-003")
    opponents = (("always depth 5", "policy=adaptive-003 depth=5"), ("iterative deepening", "policy=steady deepen=yes"))
    common = f"{ALONE} habits=none"
    return [
        _bout("adaptive", common, adaptive, opponent, clock=parameters.clock, repetitions=None, weight=12.0)
        for opponent in opponents
    ]


def _habit(about: str, habit: str, title: str, parameters: DuelsParameters, **more: Any) -> list[Bout]:
    common = f"{ALONE} policy=steady depth={parameters.depth}"
    sides = (title, f"habits={habit}"), ("searched", "habits=none")
    return [_bout(about, common, *sides, test=ABOUT_AS_STRONG, **more)]


def _monte_carlo(parameters: DuelsParameters) -> list[Bout]:
    alphabeta = ("alpha-beta", f"{PLAIN} time={parameters.seconds}")
    return [
        _bout(
            "monte-carlo",
            "",
            alphabeta,
            (name, f"computer algorithm={name} workers=1 time={parameters.seconds} seed={parameters.seed}"),
            weight=6.0,
        )
        for name in ("uct", "flat")
    ]


def _rings(parameters: DuelsParameters) -> list[Bout]:
    common = f"{PLAIN} depth={parameters.depth}"
    after, before = ("70/60/40/10/1", "evaluation=rings"), ("45/35/25/10/0", "evaluation=rings-lab")
    return [_bout("rings", common, after, before, weight=2.0, test=ALWAYS_WINS)]


def _deeper_opening(parameters: DuelsParameters) -> list[Bout]:
    deeper = f"{PLAIN} depth={parameters.depth + 1}"
    sides = ("one ply deeper in the opening", ""), ("always as deep", "")
    return [_bout("deeper-opening", f"{PLAIN} depth={parameters.depth}", *sides, early=deeper)]


def _saved_time(parameters: DuelsParameters) -> list[Bout]:
    sides = ("fixed opening, with a clock", "habits=fixed-opening"), ("searched", "habits=none")
    common = f"{ALONE} policy=adaptive-003"
    more: dict[str, Any] = {"clock": parameters.clock, "repetitions": None, "weight": 12.0}
    return [_bout("saved-time", common, *sides, openings=START, **more)]


ABOUT: dict[str, Callable[[DuelsParameters], list[Bout]]] = {
    "orderings": _orderings,
    "adaptive": _adaptive,
    "cache": lambda parameters: _habit("cache", "cache", "two boards kept", parameters, repetitions=None),
    "opening": lambda parameters: _habit("opening", "fixed-opening", "fixed opening", parameters, openings=START),
    "mirror": lambda parameters: _habit("mirror", "mirror", "mirror", parameters, openings=START),
    "monte-carlo": _monte_carlo,
    "rings": _rings,
    "deeper-opening": _deeper_opening,
    "saved-time": _saved_time,
}
"""Function that returns the matches of an investigation, by the investigation's name."""


def bouts(parameters: DuelsParameters) -> list[Bout]:
    """Return the matches of all requested investigations."""
    return [bout for name in dict.fromkeys(parameters.about) for bout in ABOUT[name](parameters)]
