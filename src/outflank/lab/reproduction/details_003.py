"""Small measurements for conclusions of report 003 that no table or figure of the report shows."""

from collections.abc import Iterable, Sequence
from functools import partial
from statistics import mean
from typing import TypeAlias

from outflank.abalone.board import AbaloneBoard
from outflank.abalone.programs import OPENING
from outflank.abalone.rules import MARBLES, PUSHED, SIDEWAYS, Kind
from outflank.arena import Openings
from outflank.boards import Board, Move
from outflank.games.evaluation import Evaluation, evaluation_named, value
from outflank.games.sides import Side
from outflank.lab.measuring.search_log import log_search, search, without_logging
from outflank.lab.report_programs.classroom import lab_positions, lab_search_003
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.reproduction.matches import match_cells
from outflank.lab.reproduction.published_sections import Measure, MeasuredCell, Setting, Source, measure_games
from outflank.lab.reproduction.text_003 import check_stop
from outflank.lab.studies.duel_bouts import CLEARLY_STRONGER
from outflank.lab.studies.imbalance import allowed
from outflank.search.keywords import SearchArguments
from outflank.search.perft import perft
from outflank.search.request import Limits, Stop

THREADS = int(fact("003", "threads"))

Tree: TypeAlias = "int | list[Tree]"
"""A game tree: the value of a leaf for the side to move there, or the list of the subtrees after each move."""


def detail_sources(setting: Setting) -> Sequence[Source]:
    """Return the sources of the section `Details`."""
    depth, pairs = setting.effort.choose((3, 1), (4, 20), (4, 100))
    games = partial(measure_games, setting.effort)
    evaluations = partial(_match, "patterns against rings", ((2, "patterns"), (2, "rings")), pairs)
    return [
        Measure("root moves of minimax", partial(_minimax_balance, depth), 0.2),
        Measure("worst and ideal order", _extreme_orders, 0.3),
        Measure("worth of the kinds", _kind_ranks, 0.5),
        Measure("moves that change", _changed_moves, 0.3),
        Measure("iterative deepening", partial(_deepening, depth + 1), 0.3),
        Measure("lines of the fixed opening", _opening_lines, 0.1),
        games("depths", partial(_match, "depth 3 against 1", ((3, "rings"), (1, "rings")), pairs), 0.5),
        *([] if setting.effort == "quick" else [games("evaluations", evaluations, 1.0)]),
        games("wins at the edge", partial(_missed_wins, setting.effort.choose(1, 6, 30)), 1.0),
        Measure("Monte-Carlo and minimax", _monte_carlo_ranks, 0.5),
    ]


def _cell(question: str, case: str, ours: float) -> MeasuredCell:
    return MeasuredCell((question, case), "value", ours)


def _after(board: Board, move: Move | str) -> AbaloneBoard:
    child = board.copy()
    child.push(move)
    assert isinstance(child, AbaloneBoard)
    return child


def _boards() -> list[AbaloneBoard]:
    """Return the report's positions, and four positions of random games, in which more kinds of moves are legal."""
    openings = Openings("random:60", AbaloneBoard.start(), seed=1, count=4)
    boards = [*lab_positions().values(), *(openings[index] for index in range(4))]
    return [board for board in boards if isinstance(board, AbaloneBoard)]


# --- trees ---


def _minimax_balance(depth: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the speed-up if 48 threads get minimax's root moves one by one, and the same for moves of equal size."""
    for name, board in lab_positions().items():
        work = [perft(_after(board, move), depth - 1).leaves for move in board.legal_moves]
        check_stop(stop)
        yield _cell("minimax on 48 threads", name, allowed(work, THREADS))
        yield _cell("equal moves on 48 threads", name, allowed([1] * len(work), THREADS))
    log_search(board, depth, algorithm="perft")


def _extreme_orders(stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the leaves of alpha-beta two plies deep if every node has its best move first, or last."""
    board = lab_positions()["midgame2"]
    tree = _tree(board, 2, evaluation_named(board.game, "rings"))
    check_stop(stop)
    log_search(board, 2, algorithm="alphabeta", evaluation="rings")
    yield _cell("leaves", "minimax", _minimax(tree)[1])
    for case, best_first in (("best first", True), ("best last", False)):
        yield _cell("leaves", case, _alphabeta(_sorted(tree, best_first), -INFINITY, INFINITY)[1])


INFINITY = 1 << 20


def _tree(board: AbaloneBoard, depth: int, evaluation: Evaluation) -> Tree:
    if depth == 0 or board.is_game_over:
        return int(value(evaluation, board.game, board.position, ()))
    return [_tree(_after(board, move), depth - 1, evaluation) for move in board.legal_moves]


def _minimax(tree: Tree) -> tuple[int, int]:
    """Return the value of a tree and its number of leaves."""
    if isinstance(tree, int):
        return tree, 1
    parts = [_minimax(part) for part in tree]
    return max(-part_value for part_value, _ in parts), sum(leaves for _, leaves in parts)


def _sorted(tree: Tree, best_first: bool) -> Tree:
    if isinstance(tree, int):
        return tree
    parts = sorted(tree, key=lambda part: _minimax(part)[0], reverse=not best_first)
    return [_sorted(part, best_first) for part in parts]


def _alphabeta(tree: Tree, alpha: int, beta: int) -> tuple[int, int]:
    """Return the value of a tree, exact inside (alpha, beta), and the number of leaves that were evaluated."""
    if isinstance(tree, int):
        return tree, 1
    best, leaves = -INFINITY, 0
    for part in tree:
        part_value, part_leaves = _alphabeta(part, -beta, -max(alpha, best))
        best, leaves = max(best, -part_value), leaves + part_leaves
        if best >= beta:
            break
    return best, leaves


def _deepening(depth: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the leaves of searches with a table: in all iterations of iterative deepening, and without deepening."""
    for case, deepen in (("deepened", True), ("at once", False)):
        options: SearchArguments = {"table_bits": 16, "deepen": deepen}
        results = [
            lab_search_003(board, depth, "rings", share_alpha=True, stop=stop, **options)
            for board in lab_positions().values()
        ]
        check_stop(stop)
        yield _cell("iterative deepening", case, sum(result.leaves for result in results))


# --- moves ---


_value_cache: dict[str, dict[Move, int]] = {}
"""Values of the moves of each position, by the position's text. Two measurements need them."""


def _move_values(board: AbaloneBoard, stop: Stop) -> dict[Move, int]:
    """Return the value of every move at depth 3."""
    key = board.to_text()
    if key not in _value_cache:
        with without_logging():
            results = {
                move: lab_search_003(_after(board, move), 2, "rings", share_alpha=True, stop=stop)
                for move in board.legal_moves
            }
        check_stop(stop)
        _value_cache[key] = {move: -(result.value or 0) for move, result in results.items()}
    log_search(board, 3, algorithm="alphabeta", evaluation="rings")
    return _value_cache[key]


def _rank(values: Sequence[int], own: int) -> float:
    """Return the share of the other moves that are worse than one with the value `own`. Equal moves count half."""
    others = len(values) - 1
    return (sum(other < own for other in values) + (values.count(own) - 1) / 2) / others if others else 1.0


def _kind_ranks(stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the mean rank of the kinds of moves, by marbles and by the way they move, from 0 (worst) to 1 (best)."""
    ranks: dict[tuple[str, str], list[float]] = {}
    for board in _boards():
        values = _move_values(board, stop)
        for move, own in values.items():
            rank, kind = _rank(list(values.values()), own), int(move.code) >> 9
            way = "push" if PUSHED[kind] else "side" if SIDEWAYS[kind] else "inline"
            for question, case in (("marbles", str(MARBLES[kind])), ("way", way if MARBLES[kind] > 1 else "single")):
                ranks.setdefault((question, case), []).append(rank)
    for (question, case), each in ranks.items():
        yield _cell(question, case, mean(each))


def _changed_moves(stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the share of boards on which a second search chooses another move than the first. The second search is the
    same again, or is one ply deeper, or has the old ring weights, or no point for the edge."""
    boards = _boards()
    without_edge = evaluation_named(boards[0].game, "rings")._replace(edge=0)

    def moves(depth: int, evaluation: Evaluation | str) -> list[str]:
        with without_logging():
            results = [lab_search_003(board, depth, evaluation, share_alpha=False, stop=stop) for board in boards]
        check_stop(stop)
        for board in boards:
            log_search(board, depth, algorithm="alphabeta", evaluation="rings")
        return [str(result.move) for result in results]

    first = moves(3, "rings")
    others = {
        "same search": moves(3, "rings"),
        "one ply deeper": moves(4, "rings"),
        "old rings": moves(3, "rings-lab"),
        "edge 0": moves(3, without_edge),
    }
    for case, other in others.items():
        yield _cell("another move", case, mean(a != b for a, b in zip(first, other, strict=True)))


def _opening_lines(stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the number of lines that lead to a fixed opening move, and the number in which the move is legal.

    Also yield the share of the boards on these lines on which a push is legal.
    """
    lines = legal = boards_seen = pushes = 0
    for colour, texts in enumerate(OPENING):
        boards: list[Board] = [AbaloneBoard.start()]
        for ply in range(colour + 3):
            text = texts[ply // 2] if ply % 2 == colour else None
            following: list[Board] = []
            for board in boards:
                moves: Sequence[Move] = board.legal_moves
                boards_seen += 1
                pushes += any(PUSHED[int(move.code) >> 9] for move in moves)
                if text is not None:
                    moves = [move for move in moves if str(move).upper() == text]
                    lines, legal = lines + 1, legal + bool(moves)
                following += [_after(board, move) for move in moves]
            check_stop(stop)
            boards = following
    for case, ours in (("lines", lines), ("legal", legal), ("with a push", pushes / boards_seen)):
        yield _cell("fixed opening", case, ours)


Searcher = tuple[int, str]
"""A player of `_match`: the depth of its searches, and the name of its evaluation."""

LONGEST_GAME = 200
"""Plies after which a game is drawn."""


def _match(question: str, players: tuple[Searcher, Searcher], pairs: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Play a match of at most `pairs` pairs of games, and yield its cells."""
    openings = Openings("random:4", AbaloneBoard.start(), seed=1, count=pairs)

    def play(index: int, searchers: dict[Side, Searcher]) -> float:
        board = openings[index]
        while not board.is_game_over and board.ply < LONGEST_GAME:
            assert isinstance(board, AbaloneBoard)
            depth, evaluation = searchers[board.turn]
            board.push(str(lab_search_003(board, depth, evaluation, share_alpha=True, stop=stop).move))
            check_stop(stop)
        return {"1-0": 1.0, "0-1": 0.0}.get(board.result(), 0.5)

    with without_logging():
        cells = match_cells(players, (question,), CLEARLY_STRONGER, pairs, play)
    log_search(AbaloneBoard.start(), players[0][0], algorithm="alphabeta", evaluation=players[0][1])
    return cells


WINNING_DEPTHS = (1, 2, 3)


def _missed_wins(games: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the number of searches of boards with a winning push, and the number that choose another move, by rings."""
    openings = Openings("random:4", AbaloneBoard.start(), seed=2, count=games)
    rings = evaluation_named(AbaloneBoard.start().game, "rings")
    sets = {"old rings": "rings-lab", "new rings, edge 0": rings._replace(edge=0), "new rings, edge 1": "rings"}
    boards: list[AbaloneBoard] = []
    missed = dict.fromkeys(sets, 0)
    with without_logging():
        for index in range(games):
            board = openings[index]
            while not board.is_game_over and board.ply < LONGEST_GAME:
                assert isinstance(board, AbaloneBoard)
                if _winning_moves(board):
                    boards.append(board.copy())
                depth = 3 if board.turn is Side.BLACK else 1  # equal players rarely come to a win
                board.push(str(lab_search_003(board, depth, "rings-lab", share_alpha=True, stop=stop).move))
                check_stop(stop)
        for board in boards:
            wins = _winning_moves(board)
            for name, evaluation in sets.items():
                for depth in WINNING_DEPTHS:
                    move = lab_search_003(board, depth, evaluation, share_alpha=False, stop=stop).move
                    missed[name] += str(move) not in wins
                check_stop(stop)
    log_search(AbaloneBoard.start(), max(WINNING_DEPTHS), algorithm="alphabeta", evaluation="rings")
    yield _cell("winning push", "searches", len(boards) * len(WINNING_DEPTHS))
    for name, count in missed.items():
        yield _cell("winning push not played", name, count)


def _winning_moves(board: AbaloneBoard) -> set[str]:
    """Return the moves that push a marble off and end the game."""
    pushes = [move for move in board.legal_moves if Kind(int(move.code) >> 9).name.startswith("OUT")]
    return {str(move) for move in pushes if _after(board, move).is_game_over}


MONTE_CARLO_SECONDS = 0.1


def _monte_carlo_ranks(stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the mean rank that minimax, three plies deep, gives to the moves of Monte-Carlo searches."""
    for algorithm in ("uct", "flat"):
        ranks = []
        for board in lab_positions().values():
            result = search(
                board, Limits(seconds=MONTE_CARLO_SECONDS), stop=stop, algorithm=algorithm, workers=1, seed=1
            )
            values = {str(move): own for move, own in _move_values(board, stop).items()}
            ranks.append(_rank(list(values.values()), values[str(result.move)]))
        yield _cell("rank of the move", algorithm, mean(ranks))
