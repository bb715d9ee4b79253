"""Uses of the public names that every checker refuses: each line that ends with `# error`, and no other."""

from typing import assert_type

import outflank
from outflank.books.building import BookPlan
from outflank.distributed import Cluster
from outflank.players.computer import Computer
from outflank.players.review import judge_moves


def names() -> None:
    print(outflank.serch)  # error
    print(outflank.import_module)  # error
    print(outflank.search.serch)  # error
    print(outflank.lab.serch)  # error


def searches(board: outflank.OthelloBoard, scheme: str) -> None:
    outflank.search()  # error
    outflank.search("f5d6")  # error
    outflank.search(board, 12)  # error
    outflank.search(board, dept=12)  # error
    outflank.search(board, depth="12")  # error
    outflank.search(board, depth=1.5)  # error
    outflank.search(board, seconds="2 s")  # error
    outflank.search(board, algoritm="pvs")  # error
    outflank.search(board, algorithm="pvss")  # error
    outflank.search(board, parallel="yb")  # error
    outflank.search(board, parallel=scheme)  # error
    outflank.search(board, parallel=2)  # error
    outflank.search(board, workers="2")  # error
    outflank.search(board, workers=2.0)  # error
    outflank.search(board, table_depth="atleast")  # error
    outflank.search(board, table_bits="20")  # error
    outflank.search(board, passes="counted")  # error
    outflank.search(board, ties="last")  # error
    outflank.search(board, step=3)  # error
    outflank.search(board, pivot="zero")  # error
    outflank.search(board, pin="near")  # error
    outflank.search(board, schedule="two")  # error
    outflank.search(board, evaluation=len)  # error
    outflank.search(board, ordering=5)  # error
    outflank.search(board, exact=None)  # error
    outflank.search(board, stop=5)  # error
    outflank.search(board, table=20)  # error
    outflank.search(board, watch=5)  # error
    outflank.search(board, watch=lambda progress: progress.depht)  # error
    print(outflank.search(board, depth=2).valu)  # error
    print(outflank.search(board, depth=2).value + 1)  # error


def positions(board: outflank.Board, many: outflank.Positions) -> None:
    print(board.is_game_over())  # error
    many.play([19], chek=False)  # error
    many.random_moves(1)  # error
    outflank.Positions.of(board)  # error
    print(many.result().winner)  # error


def others(board: outflank.Board, found: outflank.Result) -> None:
    outflank.iterate(board, dept=12)  # error
    outflank.iterate(board, algorithm="alpha-beta")  # error
    print(next(outflank.iterate(board)).valu)  # error
    outflank.compare(board, found, evalution="discs")  # error
    outflank.compare(board, 4)  # error
    outflank.perft(board)  # error
    outflank.perft(board, "2")  # error
    outflank.perft(board, 2, worker=2)  # error
    outflank.Limits(plies=2)  # error
    outflank.Options(table_depth="atleast")  # error
    outflank.register_scheme("own")  # error


def elsewhere(board: outflank.OthelloBoard, cluster: Cluster) -> None:
    cluster.search(board, dept=9)  # error
    cluster.search(board, parallel="abdada")  # error
    cluster.iterate(board, algorithm="alpha-beta")  # error
    cluster.iterate(board, table=20)  # error
    outflank.lab.search(board, dept=9)  # error
    outflank.register_evaluation(outflank.OthelloBoard, 5, ())  # error


def games() -> None:
    outflank.GameDescription(name="nim")  # error
    outflank.GameDescription(name="nim", title="Nim", rules=5, start=outflank.OthelloBoard.start)  # error
    outflank.GameDescription(name="nim", title="Nim", rules=tuple, start=list)  # error
    outflank.register_game("nim")  # error


def players(board: outflank.Board) -> None:
    Computer(board.game, levl=5)  # error
    Computer(board.game, ties="last")  # error
    Computer(board.game, exact=True, moves=2)  # error
    Computer(board.game, algorithm="alpha-beta")  # error
    Computer(board.game, parallel="yb")  # error
    judge_moves(board, outflank.Limits(depth=4), worker=1)  # error
    BookPlan(ply=4)  # error
    assert_type(outflank.search(board), outflank.Progress)  # error
