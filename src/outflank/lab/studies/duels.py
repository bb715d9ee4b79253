"""What report 003 tried beside its search, each as a match: who wins, and what a move costs each of the two."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from outflank.abalone.board import AbaloneBoard
from outflank.arena import Duel, Openings, play
from outflank.arena.referee import PLY_LIMIT
from outflank.boards import Board
from outflank.errors import InvalidOption, UnknownName
from outflank.kinds import Count, Duration, Several, Shape
from outflank.lab.duel_tables import duel_between, duel_columns
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.measuring import grouped, number
from outflank.lab.report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.search_log import note
from outflank.players.clock import Clock, TimeControl
from outflank.players.player import Choice as Chosen
from outflank.players.player import Player
from outflank.players.specs import player
from outflank.search.contract import Stop
from outflank.words import how_many

START = "start"
"""Instead of openings: the standard start, where the players draw lots for their first moves."""

ALONE = "computer report=003 workers=1 scheme=none"
PLAIN = f"{ALONE} habits=none policy=steady"
"""Report 003's search alone: no adaptive depth, no cache, no fixed opening."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelsParameters(Parameters):
    """What is played."""

    about: tuple[str, ...] = option(
        ("orderings", "adaptive", "cache", "opening", "mirror", "monte-carlo", "rings"),
        "orderings, adaptive (depth), cache, opening, mirror, monte-carlo, rings: report 003's investigations.",
    )
    games: int = option(4, "Games of each bout, in pairs with colours swapped.")
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
                player(words, AbaloneBoard.start().game).close()  # refuses what cannot be
        TimeControl.parse(self.clock)

    def unused(self) -> tuple[str, ...]:
        meant = {"nodes": {"orderings"}, "seconds": {"monte-carlo"}, "clock": {"adaptive"}}
        meant["depth"] = set(ABOUT) - {"orderings", "monte-carlo", "adaptive"}
        return tuple(name for name, where in meant.items() if not where & set(self.about))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bout:
    """Two players that differ in one thing."""

    about: str
    first: str
    """What sets the first apart from the second, in a word or two."""
    second: str
    players: tuple[str, str]
    """Both in words."""
    openings: str = "random:4"
    clock: str = "none"
    weight: float = 1.0

    @property
    def name(self) -> str:
        """Unique within an experiment."""
        return f"{self.about}: {self.first} against {self.second}"


def _bout(about: str, common: str, *sides: tuple[str, str], **more: Any) -> Bout:
    (first, one), (second, other) = sides
    players = (f"{common} {one}".strip(), f"{common} {other}".strip())
    return Bout(about=about, first=first, second=second, players=players, **more)


def _orderings(chosen: DuelsParameters) -> list[Bout]:
    common = f"{PLAIN} nodes={chosen.nodes}"
    kinds = ("kinds", "ordering=kinds:from_depth=1")
    backwards = ("backwards", "ordering=reversed:from_depth=1")
    generated = ("generated", "ordering=generated:from_depth=1")
    pairs = ((kinds, generated), (backwards, generated), (kinds, backwards))
    return [_bout("orderings", common, *pair, weight=3.0) for pair in pairs]


def _adaptive(chosen: DuelsParameters) -> list[Bout]:
    adaptive = ("adaptive depth", "policy=adaptive-003")
    others = (("always depth 5", "policy=adaptive-003 depth=5"), ("iterative deepening", "policy=steady deepen=yes"))
    common = f"{ALONE} habits=none"
    return [_bout("adaptive", common, adaptive, other, clock=chosen.clock, weight=12.0) for other in others]


def _habit(about: str, habit: str, called: str, chosen: DuelsParameters, openings: str) -> list[Bout]:
    common = f"{ALONE} policy=steady depth={chosen.depth}"
    return [_bout(about, common, (called, f"habits={habit}"), ("searched", "habits=none"), openings=openings)]


def _monte_carlo(chosen: DuelsParameters) -> list[Bout]:
    alphabeta = ("alpha-beta", f"{PLAIN} time={chosen.seconds}")
    return [
        _bout(
            "monte-carlo",
            "",
            alphabeta,
            (name, f"computer algorithm={name} time={chosen.seconds} seed={chosen.seed}"),
            weight=6.0,
        )
        for name in ("uct", "flat")
    ]


def _rings(chosen: DuelsParameters) -> list[Bout]:
    common = f"{PLAIN} depth={chosen.depth}"
    after, before = ("70/60/40/10/1", "evaluation=rings"), ("45/35/25/10/0", "evaluation=rings-lab")
    return [_bout("rings", common, after, before, weight=2.0)]


ABOUT: dict[str, Callable[[DuelsParameters], list[Bout]]] = {
    "orderings": _orderings,
    "adaptive": _adaptive,
    "cache": lambda chosen: _habit("cache", "cache", "two boards kept", chosen, "random:4"),
    "opening": lambda chosen: _habit("opening", "fixed-opening", "fixed opening", chosen, START),
    "mirror": lambda chosen: _habit("mirror", "mirror", "mirror", chosen, START),
    "monte-carlo": _monte_carlo,
    "rings": _rings,
}
"""The bouts of each investigation."""


def bouts(chosen: DuelsParameters) -> list[Bout]:
    """All that are wanted."""
    return [bout for name in dict.fromkeys(chosen.about) for bout in ABOUT[name](chosen)]


class _Watched:
    """A player whose moves are counted: what they took, and which were not searched."""

    def __init__(self, inner: Player) -> None:
        self.inner, self.name = inner, inner.name
        self.moves = self.nodes = self.known = self.depth = 0
        self.seconds = self.known_seconds = 0.0

    def choose(self, board: Board[Any], clock: Clock, *, stop: Stop | None = None) -> Chosen:
        """The inner one's choice, counted."""
        began = time.perf_counter()
        choice = self.inner.choose(board, clock, stop=stop)
        seconds = time.perf_counter() - began
        self.moves, self.seconds = self.moves + 1, self.seconds + seconds
        if choice.why in ("seen before", "opening", "mirror"):
            self.known, self.known_seconds = self.known + 1, self.known_seconds + seconds
        else:
            self.nodes, self.depth = self.nodes + choice.nodes, max(self.depth, choice.depth)
        return choice

    def ponder(self, board: Board[Any], *, stop: Stop) -> None:
        """Nobody thinks on the other's time here."""

    def new_game(self, board: Board[Any]) -> None:
        """As the inner one does."""
        self.inner.new_game(board)

    def close(self) -> None:
        """Give back what the inner one holds."""
        self.inner.close()

    def counted(self, side: str) -> Sample:
        """For a sample: `side` is `first` or `second`."""
        names = ("moves", "nodes", "known", "seconds", "known_seconds")
        return {f"{side}_{name}": getattr(self, name) for name in names}


def _pair(bout: Bout, chosen: DuelsParameters, number_: int, games: int, stop: Stop) -> list[Sample]:
    """An opening, played with the first player as black and then as white."""
    start = AbaloneBoard.start()
    board: Board[Any] = start
    if bout.openings != START:
        board = Openings(bout.openings, start, seed=chosen.seed, count=number_)[number_ - 1]
    lots = f" variety={1000 * chosen.seed + number_}" if bout.openings == START else ""
    samples: list[Sample] = []
    for colour in ("black", "white")[:games]:
        with (
            closing(_Watched(player(f"{bout.players[0]}{lots}", start.game))) as first,
            closing(_Watched(player(f"{bout.players[1]}{lots}", start.game))) as second,
        ):
            seated = (first, second) if colour == "black" else (second, first)
            control = TimeControl.parse(bout.clock)
            game = play(*seated, board, control=control, ply_limit=chosen.plies, stop=stop)
            if game is None:
                return []  # stopped
            points, ours = game.ending.points, 1 if colour == "black" else -1
            played = AbaloneBoard.start()
            for move in game.record.moves:
                played.push(played.move(move.code))
            note(start, max(1, first.depth, second.depth), algorithm=bout.name, moves=played.moves)
            samples.append(
                {
                    "about": bout.about,
                    "first": bout.first,
                    "second": bout.second,
                    "pair": number_,
                    "colour": colour,
                    "points": points if colour == "black" else 1.0 - points,
                    "score": ours * game.ending.score,
                    "ended": game.ending.reason or game.ending.detail,
                    "plies": len(game.record.moves) - len(board.moves),
                    **first.counted("first"),
                    **second.counted("second"),
                }
            )
    return samples


SIDE = {"moves": Count, "nodes": Count, "known": Count, "seconds": Duration, "known_seconds": Duration}


class Duels(Experiment[DuelsParameters]):
    """Report 003's investigations, with a match behind each."""

    name = "duels"
    question = "Which of report 003's ideas win games, and what do they save?"
    reports = ("003",)
    parameters = DuelsParameters

    def tasks(self, chosen: DuelsParameters) -> Sequence[Task]:
        pairs = (chosen.games + 1) // 2
        return [
            Task(
                f"{bout.name}, pair {number_}",
                partial(_pair, bout, chosen, number_, min(2, chosen.games - 2 * (number_ - 1))),
                bout.weight,
            )
            for number_ in range(1, pairs + 1)
            for bout in bouts(chosen)
        ]

    def shape(self, chosen: DuelsParameters, sample: Sample) -> Shape:
        sides = {f"{side}_{name}": kind for side in ("first", "second") for name, kind in SIDE.items()}
        return sample_shape(
            sides,
            about=Literal[*ABOUT],
            first=str,
            second=str,
            pair=Several,
            colour=Literal["black", "white"],
            points=Literal[0.0, 0.5, 1.0],
            score=float,
            ended=str,
            plies=Several,
        )

    def conclude(self, chosen: DuelsParameters, samples: Sequence[Sample]) -> Conclusion:
        groups = grouped(samples, "about", "first", "second")
        results, costs, scored = [], [], []
        for (about, first, second), games in groups.items():
            duel = duel_of(games)
            results.append({"about": about, "first": first, "second": second, **_result(duel, games)})
            for side, other in (("first", second), ("second", first)):
                costs.append({"about": about, "player": games[0][side], "against": other, **_cost(games, side)})
            scored.append((f"{first} / {second}", duel.points / duel.games))
        notes = [
            f"{about}: {SAYINGS[str(about)]} {_told(games)}" for (about,), games in grouped(samples, "about").items()
        ]
        cut = sum(game["ended"] == PLY_LIMIT for game in samples)
        if cut:
            notes.append(
                f"{cut:,} of {how_many(len(samples), 'game')} {'was' if cut == 1 else 'were'} cut off after "
                f"{how_many(chosen.plies, 'move')}, and counted as drawn: they say nothing of who would have won."
            )
        few = min((len(games) for games in groups.values()), default=chosen.games)
        if few < ENOUGH_GAMES:
            notes.append(
                f"{how_many(few, 'game')} a bout {'says' if few == 1 else 'say'} little of strength: look at the "
                f"intervals, or take --games {ENOUGH_GAMES}."
            )
        series = Series(name="score", points=tuple(scored))
        plot = Plot(title="who wins", x="bout", y="score of the first", kind="bars", series=(series,))
        return Conclusion(
            tables=(ReportTable.of("bouts", results), ReportTable.of("what a move costs", costs)) if results else (),
            figures=(plot,) if scored else (),
            notes=tuple(notes),
        )


ENOUGH_GAMES = 100
"""Games below which an interval of Elo is wider than most differences."""


def duel_of(games: Sequence[Sample]) -> Duel:
    """Games as the first player sees them."""
    return duel_between(games, [number(game["points"]) for game in games], [number(game["score"]) for game in games])


def _result(duel: Duel, games: Sequence[Sample]) -> Sample:
    return {
        **duel_columns(duel),
        "marbles": duel.margin,
        "plies a game": sum(number(game["plies"]) for game in games) / len(games),
        "lost on time": sum(game["ended"] == "time" for game in games),
    }


def _cost(games: Sequence[Sample], side: str) -> Sample:
    def total(name: str) -> float:
        return sum(number(game[f"{side}_{name}"]) for game in games)

    searched = total("moves") - total("known")
    each = (total("seconds") - total("known_seconds")) / searched if searched else 0.0
    return {
        "moves": int(total("moves")),
        "nodes a searched move": total("nodes") / searched if searched else None,
        "time a searched move (ms)": 1e3 * each,
        "moves not searched": int(total("known")),
        "time that they saved (s)": total("known") * each - total("known_seconds") if total("known") else None,
    }


def _told(games: Sequence[Sample]) -> str:
    """What the bouts of an investigation ended with."""
    duels = {names: duel_of(own) for names, own in grouped(games, "first", "second").items()}
    told = [f"{first} has {each.points:g} of {each.games} against {other}" for (first, other), each in duels.items()]
    return f"Here {'; '.join(told)}."


SAYINGS = {
    "orderings": "The report walks the generated list from its end, as a compromise.",
    "adaptive": "The report prefers its adaptive depth to iterative deepening.",
    "cache": "The report keeps two boards, for they often come again late in a game.",
    "opening": "The report fixes its first two moves, which saves a tenth of its time.",
    "mirror": "The report only contemplated answering with the mirrored move.",
    "monte-carlo": "The report holds it highly unlikely that Monte-Carlo beats alpha-beta.",
    "rings": "The report's new rings consistently beat the old ones.",
}
