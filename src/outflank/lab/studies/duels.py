"""Experiment `duels`: matches that test the ideas of the published report 003, with results and the cost of a move."""

import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from typing import Literal

from outflank.abalone.board import AbaloneBoard
from outflank.arena import Duel, Openings, play
from outflank.arena.elo_statistics import Observed
from outflank.arena.referee import PLY_LIMIT
from outflank.arena.sprt import SequentialTest, Sprt
from outflank.boards import Board
from outflank.lab.experiment import Conclusion, Experiment, Task
from outflank.lab.experiment_report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.search_log import log_search
from outflank.lab.measuring.search_samples import grouped, number
from outflank.lab.studies.duel_bouts import ABOUT, START, Bout, DuelsParameters, bouts
from outflank.players.clock import Clock, TimeControl
from outflank.players.player import Choice, Player
from outflank.players.specs import player
from outflank.search.request import Stop
from outflank.validation.documents import Count, Duration, Several
from outflank.validation.text import how_many
from outflank.validation.values import Shape


def duel_between(games: Sequence[Sample], points: Sequence[float], margins: Sequence[float]) -> Duel:
    """Return a `Duel` from the first player's points and margins in each game. Games with equal `pair` form a pair."""
    pairs: defaultdict[object, list[float]] = defaultdict(list)
    for game, score in zip(games, points, strict=True):
        pairs[game["pair"]].append(score)
    counts = [round(2 * sum(both)) for both in pairs.values() if len(both) == 2]
    zero, half, one, one_and_half, two = (counts.count(half_points) for half_points in range(5))
    return Duel(
        wins=points.count(1.0),
        draws=points.count(0.5),
        losses=points.count(0.0),
        pairs=(zero, half, one, one_and_half, two),
        margins=tuple(margins),
    )


def duel_columns(duel: Duel) -> Sample:
    """Return table columns for a match: games, results, score, and Elo with its interval."""
    return {
        "games": duel.games,
        "won": duel.wins,
        "drawn": duel.draws,
        "lost": duel.losses,
        "score": duel.points / duel.games,
        "Elo": round(duel.elo.value),
        "from": round(duel.elo.low),
        "to": round(duel.elo.high),
    }


class _CountingPlayer:
    """A player that counts its moves, their cost, and its moves without a search."""

    def __init__(self, inner: Player) -> None:
        self.inner, self.name = inner, inner.name
        self.moves = self.nodes = self.known = self.depth = 0
        self.seconds = self.known_seconds = 0.0

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        began = time.perf_counter()
        choice = self.inner.choose(board, clock, stop=stop)
        seconds = time.perf_counter() - began
        self.moves, self.seconds = self.moves + 1, self.seconds + seconds
        if choice.why in ("seen before", "opening", "mirror"):
            self.known, self.known_seconds = self.known + 1, self.known_seconds + seconds
        else:
            self.nodes, self.depth = self.nodes + choice.nodes, max(self.depth, choice.depth)
        return choice

    def ponder(self, board: Board, *, stop: Stop) -> None:
        """Do nothing, because players do not think on the opponent's time here."""

    def new_game(self, board: Board) -> None:
        self.inner.new_game(board)

    def close(self) -> None:
        self.inner.close()

    def cells(self, side: str) -> Sample:
        """Return the counters as cells of a sample. Their names begin with `side`, which is `first` or `second`."""
        names = ("moves", "nodes", "known", "seconds", "known_seconds")
        return {f"{side}_{name}": getattr(self, name) for name in names}


OPENING_PLIES = 20
"""Number of plies in which a bout's `early` player replaces the first player. Report 003 gives no number."""


class _Relay:
    """A player that lets another player, `early`, choose the moves of the opening."""

    def __init__(self, early: Player, late: Player) -> None:
        self.early, self.late, self.name = early, late, late.name

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        return (self.early if board.ply < OPENING_PLIES else self.late).choose(board, clock, stop=stop)

    def ponder(self, board: Board, *, stop: Stop) -> None:
        """Do nothing, because players do not think on the opponent's time here."""

    def new_game(self, board: Board) -> None:
        self.early.new_game(board)
        self.late.new_game(board)

    def close(self) -> None:
        self.early.close()
        self.late.close()


def _first_player(bout: Bout, variety: str) -> Player:
    """Return the first player of a bout. If the bout has an `early` player, `early` chooses the opening moves."""
    game = AbaloneBoard.start().game
    late = player(f"{bout.players[0]}{variety}", game)
    return _Relay(player(f"{bout.early}{variety}", game), late) if bout.early else late


def _until_decided(bout: Bout, parameters: DuelsParameters, stop: Stop) -> list[Sample]:
    """Play pairs until the bout's sequential test decides, or until all games are played. Return a sample per game."""
    running, samples = SequentialTest(bout.test, paired=True), list[Sample]()
    for pair_number in range(1, parameters.games // 2 + 1):
        games = _pair(bout, parameters, pair_number, 2, stop)
        if not games:
            return []  # stopped
        samples += games
        if running.add(round(2 * sum(number(game["points"]) for game in games))).decision is not None:
            break
    return samples


def _pair(bout: Bout, parameters: DuelsParameters, pair_number: int, games: int, stop: Stop) -> list[Sample]:
    """Play an opening with the first player as black, and again as white if `games` is 2. Return a sample per game."""
    start = AbaloneBoard.start(repetitions=bout.repetitions, ply_limit=None)
    board: Board = start
    if bout.openings != START:
        board = Openings(bout.openings, start, seed=parameters.seed, count=pair_number)[pair_number - 1]
    variety = f" variety={1000 * parameters.seed + pair_number}" if bout.openings == START else ""
    samples: list[Sample] = []
    for colour in ("black", "white")[:games]:
        with (
            closing(_CountingPlayer(_first_player(bout, variety))) as first,
            closing(_CountingPlayer(player(f"{bout.players[1]}{variety}", start.game))) as second,
        ):
            players = (first, second) if colour == "black" else (second, first)
            control = TimeControl.parse(bout.clock)
            most = parameters.plies if bout.clock == "none" else None  # a clock ends every game
            game = play(*players, board, control=control, ply_limit=most, stop=stop)
            if game is None:
                return []  # stopped
            points, sign = game.ending.points, 1 if colour == "black" else -1
            played = AbaloneBoard.start(repetitions=None, ply_limit=None)
            for move in game.record.moves:
                played.push(played.move(move.code))
            log_search(start, max(1, first.depth, second.depth), algorithm=bout.name, moves=played.moves)
            samples.append(
                {
                    "about": bout.about,
                    "first": bout.first,
                    "second": bout.second,
                    "pair": pair_number,
                    "colour": colour,
                    "points": points if colour == "black" else 1.0 - points,
                    "score": sign * game.ending.score,
                    "ended": game.ending.reason or game.ending.detail,
                    "plies": len(game.record.moves) - len(board.moves),
                    **first.cells("first"),
                    **second.cells("second"),
                }
            )
    return samples


SIDE = {"moves": Count, "nodes": Count, "known": Count, "seconds": Duration, "known_seconds": Duration}


class Duels(Experiment[DuelsParameters]):
    """Plays matches that test the ideas of the published report 003."""

    name = "duels"
    question = "Which of report 003's ideas win games, and what do they save?"
    reports = ("003",)
    parameters = DuelsParameters

    def tasks(self, parameters: DuelsParameters) -> Sequence[Task]:
        pairs = (parameters.games + 1) // 2
        if parameters.sequential:
            return [
                Task(
                    bout.name,
                    partial(_until_decided, bout, parameters),
                    pairs * bout.weight,
                    timed=bout.depends_on_time,
                    in_process=True,
                    one_core=bout.uses_one_core,
                )
                for bout in bouts(parameters)
            ]
        return [
            Task(
                f"{bout.name}, pair {pair_number}",
                partial(_pair, bout, parameters, pair_number, min(2, parameters.games - 2 * (pair_number - 1))),
                bout.weight,
            )
            for pair_number in range(1, pairs + 1)
            for bout in bouts(parameters)
        ]

    def shape(self, parameters: DuelsParameters, sample: Sample) -> Shape:
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

    def conclude(self, parameters: DuelsParameters, samples: Sequence[Sample]) -> Conclusion:
        groups = grouped(samples, "about", "first", "second")
        results, costs, scored = [], [], []
        tests = {(bout.about, bout.first, bout.second): bout.test for bout in bouts(parameters)}
        for (about, first, second), games in groups.items():
            duel = duel_of(games)
            test = _test_text(tests[str(about), str(first), str(second)], duel)
            results.append({"about": about, "first": first, "second": second, **_result(duel, games), "test": test})
            for side, opponent in (("first", second), ("second", first)):
                costs.append({"about": about, "player": games[0][side], "against": opponent, **_cost(games, side)})
            scored.append((f"{first} / {second}", duel.points / duel.games))
        notes = [
            f"{about}: {REPORT_CLAIMS[str(about)]} {_scores_text(games)}"
            for (about,), games in grouped(samples, "about").items()
        ]
        limited = sum(game["ended"] == PLY_LIMIT for game in samples)
        if limited:
            notes.append(
                f"{limited:,} of {how_many(len(samples), 'game')} {'was' if limited == 1 else 'were'} cut off after "
                f"{how_many(parameters.plies, 'move')}, and counted as drawn: they say nothing of who would have won."
            )
        fewest = min((len(games) for games in groups.values()), default=parameters.games)
        if fewest < ENOUGH_GAMES and not parameters.sequential:
            notes.append(
                f"{how_many(fewest, 'game')} a bout {'says' if fewest == 1 else 'say'} little of strength: look at the "
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
"""Least number of games that says something of strength. With fewer, the Elo interval is wider than most
differences."""


def duel_of(games: Sequence[Sample]) -> Duel:
    """Return the samples of games as a `Duel`, from the first player's view."""
    return duel_between(games, [number(game["points"]) for game in games], [number(game["score"]) for game in games])


def _result(duel: Duel, games: Sequence[Sample]) -> Sample:
    return {
        **duel_columns(duel),
        "marbles": duel.margin,
        "plies a game": sum(number(game["plies"]) for game in games) / len(games),
        "lost on time": sum(game["ended"] == "time" for game in games),
    }


def _test_text(test: Sprt, duel: Duel) -> str:
    """Return the hypothesis that a sequential test accepts, in Elo, or both if it cannot decide yet."""
    decision = test.decide(test.llr(Observed.pairs(duel.pairs))) if duel.pairs else None
    if decision is None:
        return f"{test.elo0:+.0f} or {test.elo1:+.0f} Elo: open"
    return f"{test.elo1 if decision == 'H1' else test.elo0:+.0f} Elo accepted"


def _cost(games: Sequence[Sample], side: str) -> Sample:
    def total(name: str) -> float:
        return sum(number(game[f"{side}_{name}"]) for game in games)

    searched_moves = total("moves") - total("known")
    seconds_per_move = (total("seconds") - total("known_seconds")) / searched_moves if searched_moves else 0.0
    return {
        "moves": int(total("moves")),
        "nodes a searched move": total("nodes") / searched_moves if searched_moves else None,
        "time a searched move (ms)": 1e3 * seconds_per_move,
        "moves not searched": int(total("known")),
        "time that they saved (s)": total("known") * seconds_per_move - total("known_seconds")
        if total("known")
        else None,
    }


def _scores_text(games: Sequence[Sample]) -> str:
    """Return a sentence with the scores of all matches of an investigation."""
    duels = {names: duel_of(bout) for names, bout in grouped(games, "first", "second").items()}
    parts = [f"{first} has {duel.points:g} of {duel.games} against {second}" for (first, second), duel in duels.items()]
    return f"Here {'; '.join(parts)}."


REPORT_CLAIMS = {
    "orderings": "The report walks the generated list from its end, as a compromise.",
    "adaptive": "The report prefers its adaptive depth to iterative deepening.",
    "cache": "The report keeps two boards, for they often come again late in a game.",
    "opening": "The report fixes its first two moves, which saves a tenth of its time.",
    "mirror": "The report only contemplated answering with the mirrored move.",
    "monte-carlo": "The report holds it highly unlikely that Monte-Carlo beats alpha-beta.",
    "rings": "The report's new rings consistently beat the old ones.",
    "deeper-opening": "The report saw deeper searches in the opening win notably more.",
    "saved-time": "The report spends the time that fixed moves save on deeper searches later.",
}
