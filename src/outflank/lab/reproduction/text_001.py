"""Measurements for conclusions of report 001 without printed numbers: pruning, and the strength of evaluations.

Their cells have no published number beside them, so that only the ledger of claims shows them.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise, product
from statistics import fmean

from outflank.arena import Openings
from outflank.games.sides import Side
from outflank.lab.measuring.search_log import log_search, search, without_logging
from outflank.lab.measuring.search_samples import processor_times
from outflank.lab.report_programs.classroom import BrokenOff, legal_count
from outflank.lab.reproduction.matches import match_cells
from outflank.lab.reproduction.published_sections import MeasuredCell
from outflank.lab.studies.duel_bouts import CLEARLY_STRONGER
from outflank.lab.studies.nodes_per_turn import ALGORITHMS, BEST_FIRST, PLAIN, game
from outflank.othello.board import OthelloBoard
from outflank.othello.rules import OthelloPosition
from outflank.search.keywords import SearchArguments
from outflank.search.request import Limits, Stop
from outflank.search.results import Result

MINIMAX, BY_SQUARES, ALPHABETA, PVS = "minimax", "alpha-beta by squares", "alpha-beta, best first", "PVS, best first"

SEARCHES: dict[str, SearchArguments] = {
    MINIMAX: {**PLAIN, "algorithm": "minimax", "workers": 1},
    BY_SQUARES: {**PLAIN, **ALGORITHMS["AlphaBeta"], "workers": 1},
    ALPHABETA: {**PLAIN, "algorithm": "alphabeta", "ordering": BEST_FIRST, "workers": 1},
    PVS: {**PLAIN, **ALGORITHMS["SerialPVS"], "workers": 1},
}
"""Search options by name. The report's alpha-beta takes moves by squares; its PVS takes the best static value first."""

FIRST_MOVE = "first move of PVS"
"""Name of the row that says how often the first move of PVS is the best."""

TIMED_DEPTH = 8
"""Depth of the minimax searches that time evaluations, in plies. They have some 15 million nodes."""

STAGES = {"after a third of the game": 3, "after half of the game": 2}
"""Boards on which evaluations are timed. A value of n means the board after 1/n of the game's turns."""

RANDOM = "random"
"""Name of the player that plays random legal moves."""

RIVALS = ("mobility", "four-part", "phased")
"""Evaluations that play against the evaluation `discs`."""

MATCHES = (*((name, "discs") for name in RIVALS), ("mobility", RANDOM))
"""Pairs of players that play a match."""

NEUTRAL = "phased"
"""Evaluation of both sides in the games that show how often a lead in the middle of a game leads to a win."""

WIDTH_DEPTHS = (2, 3)
"""Search depths of the games in which moves per turn are counted. One is even and one odd, because mobility depends on
the side to move at the leaves."""

MIDDLE = range(20, 45)
"""Numbers of discs on the board in the middle of a game."""


def _search(board: OthelloBoard, depth: int, options: SearchArguments, stop: Stop) -> Result:
    result = search(board, Limits(depth=depth), stop=stop, in_game=True, **options)
    if stop.called:
        raise BrokenOff
    return result


def pruning(depth: int, stop: Stop) -> Iterator[MeasuredCell]:
    """Yield the nodes of searches in a game, the evaluation's share of time, and how often PVS's first move is best."""
    with without_logging():  # hundreds of small searches
        turns = game(depth, SEARCHES[PVS], "first", black=False, stop=stop)
        boards = [board.copy() for board, _ in turns if legal_count(board) > 1]
        results = {
            name: [_search(board, depth, options, stop) for board in boards] for name, options in SEARCHES.items()
        }
        shares = {name: _evaluation_share(boards[len(boards) // part], stop) for name, part in STAGES.items()}
        firsts = [_search(board, 1, SEARCHES[PVS], stop).move for board in boards]
    log_search(boards[0], depth, algorithm="pvs", evaluation="mobility")
    for name, of_boards in results.items():
        nodes = fmean(result.nodes for result in of_boards)
        yield MeasuredCell((name,), "nodes", nodes)
        yield MeasuredCell((name,), "growth", nodes ** (1 / depth))
        yield MeasuredCell((name,), "leaf_share", fmean(result.leaves / result.nodes for result in of_boards))
    for stage, share in shares.items():
        yield MeasuredCell((MINIMAX, stage), "evaluation_share", share)
    hits = [result.move == first for result, first in zip(results[PVS], firsts, strict=True)]
    yield MeasuredCell((FIRST_MOVE,), "best_share", fmean(hits))
    yield MeasuredCell((FIRST_MOVE,), "chance", fmean(1 / legal_count(board) for board in boards))


def _evaluation_share(board: OthelloBoard, stop: Stop) -> float:
    """Return a lower bound on the mobility evaluation's share of minimax's time.

    The bound is the share of the time that the evaluation `discs` saves. The tree is the same with any evaluation.
    Times are processor seconds, which a busy machine changes little.
    """
    seconds: dict[str, list[float]] = {}
    for name in ("mobility", "discs") * 2:
        options = {**SEARCHES[MINIMAX], "evaluation": name}
        _search(board, 1, options, stop)  # compiles
        before = sum(processor_times())
        _search(board, TIMED_DEPTH, options, stop)
        seconds.setdefault(name, []).append(sum(processor_times()) - before)
    return 1 - min(seconds["discs"]) / min(seconds["mobility"])


def evaluations(pairs: int, depth: int, quick: bool, stop: Stop) -> Iterator[MeasuredCell]:
    """Yield scores of evaluations in matches, how often leads in the middle of a game win, and the moves per turn.

    A game takes a third of a second, most of it outside the searches. So a quick run plays fewer of them.
    """
    openings = Openings("random:8", OthelloBoard.start(scoring="discs"), seed=1, count=3 * pairs)
    with without_logging():  # thousands of small searches
        for players in MATCHES:
            yield from _match(players, openings, pairs, depth, stop)
        for name, plies in () if quick else product(("mobility", "discs"), WIDTH_DEPTHS):
            games = list(_games(openings, pairs, name, plies, stop))
            yield MeasuredCell((name, plies), "moves_per_turn", fmean(_choices(games)))
        neutral_games = list(_games(openings, 3 * pairs, NEUTRAL, depth, stop))
    log_search(openings[0], depth, algorithm="alphabeta", evaluation="mobility")
    yield MeasuredCell((NEUTRAL, NEUTRAL), "games", len(neutral_games))
    yield from _lead_cells(neutral_games)


def matches(players: Sequence[tuple[str, str]], pairs: int, depth: int, stop: Stop) -> Iterator[MeasuredCell]:
    """Yield the scores of matches between two evaluations, or between an evaluation and the player `RANDOM`."""
    openings = Openings("random:8", OthelloBoard.start(scoring="discs"), seed=1, count=pairs)
    with without_logging():
        for pair in players:
            yield from _match(pair, openings, pairs, depth, stop)


def _match(players: tuple[str, str], openings: Openings, pairs: int, depth: int, stop: Stop) -> Iterable[MeasuredCell]:
    play = partial(_black_points, openings, depth, stop)
    return match_cells(players, players, CLEARLY_STRONGER, pairs, play)


def _games(openings: Openings, count: int, evaluation: str, depth: int, stop: Stop) -> Iterator[list[OthelloBoard]]:
    """Yield the boards of each game of an evaluation against itself, one from every opening."""
    for number in range(count):
        board = openings[number]
        assert isinstance(board, OthelloBoard)
        yield list(_played(board, dict.fromkeys(Side, evaluation), depth, random.Random(number), stop))


def _black_points(openings: Openings, depth: int, stop: Stop, number: int, players: Mapping[Side, str]) -> float:
    """Return black's points in a game from the opening `number`."""
    board = openings[number]
    assert isinstance(board, OthelloBoard)
    for played in _played(board, players, depth, random.Random(number), stop):
        last = played
    margin = _disc_lead(last, Side.BLACK)
    return 0.5 + 0.5 * ((margin > 0) - (margin < 0))


def _played(
    board: OthelloBoard, players: Mapping[Side, str], depth: int, rng: random.Random, stop: Stop
) -> Iterator[OthelloBoard]:
    """Play a game, and yield every board of it up to the last one."""
    while not board.is_game_over:
        yield board.copy()
        moves, player = board.legal_moves, players[board.turn]
        if moves[0].is_pass:
            board.push("pass")
        elif player == RANDOM:
            board.push(str(rng.choice(moves)))
        else:
            options = {**PLAIN, "evaluation": player, "algorithm": "alphabeta", "workers": 1}
            board.push(str(_search(board, depth, options, stop).move))
    yield board


def _choices(games: Sequence[Sequence[OthelloBoard]]) -> list[int]:
    return [legal_count(board) for boards in games for board in boards if _is_middle(board)]


def _is_middle(board: OthelloBoard) -> bool:
    return board.discs(Side.BLACK) + board.discs(Side.WHITE) in MIDDLE


def _disc_lead(board: OthelloBoard, side: Side) -> int:
    return board.discs(side) - board.discs(side.other)


def _move_lead(board: OthelloBoard, side: Side) -> int:
    position = board.position
    turned = OthelloBoard(board.game, OthelloPosition(position.opp, position.own))
    lead = legal_count(board) - legal_count(turned)
    return lead if board.turn is side else -lead


def _lead_cells(games: Sequence[Sequence[OthelloBoard]]) -> Iterable[MeasuredCell]:
    """Yield, for leads in discs and in moves, how often the leader wins, the mean lead, and its change in a turn."""
    for name, lead in (("discs", _disc_lead), ("moves", _move_lead)):
        wins, leads, swings = [], [], []
        for boards in games:
            middle = [lead(board, Side.BLACK) for board in boards if _is_middle(board)]
            final = _disc_lead(boards[-1], Side.BLACK)
            wins += [(value > 0) == (final > 0) for value in middle if value and final]
            leads += [abs(value) for value in middle]
            swings += [abs(after - before) for before, after in pairwise(middle)]
        yield MeasuredCell((name,), "leader_wins", fmean(wins))
        yield MeasuredCell((name,), "lead", fmean(leads))
        yield MeasuredCell((name,), "swing", fmean(swings))
