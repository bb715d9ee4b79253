"""Uses of the public names that every checker accepts as they are."""

from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple, assert_type

import numpy as np
import numpy.typing as npt

import outflank
from outflank.books.building import BookPlan, build
from outflank.distributed import connect
from outflank.players.computer import Computer
from outflank.players.review import judge_moves
from outflank.search import whole_search
from outflank.search.request import Limits as ContractLimits


def positions(board: outflank.OthelloBoard, words: npt.NDArray[np.uint64]) -> None:
    many = outflank.Positions.of([board, board])
    assert_type(many[:1], outflank.Positions)
    many.play([19, outflank.NO_MOVE], check=False)
    many.play(many.random_moves(np.random.default_rng(1)))
    many.play(many.legal_moves().pick(0))
    assert_type(board.is_game_over, bool)
    assert_type(many.result().over, npt.NDArray[np.bool_])
    assert_type(outflank.Positions(board.game, words, turns=1).boards(), list[outflank.Board])
    print(board.to_numpy().shape, many.to_numpy().sum())


def searches(board: outflank.OthelloBoard, own: outflank.Scheme, table: outflank.Table) -> None:
    assert_type(outflank.search(board), outflank.Result)
    assert_type(outflank.search(board, depth=12, seconds=2, nodes=None), outflank.Result)
    assert_type(outflank.search(board, outflank.Limits(depth=12), workers=2).value, int | None)
    outflank.search(board, ContractLimits(depth=2))
    outflank.search(board, algorithm="mtdf", pivot="reset", step=2, aspiration=None)
    outflank.search(board, depth=3, parallel="ybw", threshold=2, levels=None, schedule=4, pin=(0, 2), pace=200)
    outflank.search(board, depth=3, parallel=own, schedule="rows", pin="compact", interleave=True)
    outflank.search(board, depth=3, parallel=outflank.register_scheme(own))
    outflank.search(board, depth=3, parallel=outflank.scheme_named("somebody's"))
    outflank.search(board, depth=3, parallel=None, evaluation="somebody's", ordering="kinds:from_depth=1")
    outflank.search(board, depth=3, evaluation=None, ordering=outflank.Ordering(weights={"mobility": 8}))
    outflank.search(board, exact=True, deepen=False, table_bits=None, table_depth="at-least", canonical=True)
    outflank.search(board, passes="ply", quiescence=2, ties="lowest", share_alpha=False, moves=3, seed=5)
    outflank.search(board, stop=outflank.Stop(), table=table, watch=lambda progress: print(progress.depth))


def iterations(board: outflank.Board) -> None:
    results = outflank.iterate(board, depth=4, algorithm="pvs")
    assert_type(results, Generator[outflank.Result, None, None])
    for result in results:
        assert_type(result, outflank.Result)
    assert_type(whole_search.search(board, depth=2), outflank.Result)
    found = outflank.search(board, depth=4)
    assert_type(outflank.compare(board, found, algorithm="pvs", depth=4).alone, outflank.Result)


def counts() -> None:
    assert_type(outflank.perft(outflank.AbaloneBoard.start(), 2, workers=2, finished=False), outflank.Perft)
    assert_type(outflank.perft(outflank.Board.from_text("f5"), depth=2).leaves, int)


def elsewhere(board: outflank.OthelloBoard, stop: outflank.Stop) -> None:
    assert_type(
        outflank.lab.search(board, outflank.Limits(depth=3), ordering="none", workers=1, stop=stop), outflank.Result
    )
    with connect("local:2") as cluster:
        assert_type(cluster.search(board, depth=9, workers=1, stop=stop, replication="none"), outflank.Result)
        assert_type(list(cluster.iterate(board, exact=True, parallel="jamboree")), list[outflank.Result])
        cluster.search(board, depth=9, table=outflank.Table(20))
        outflank.search(board, depth=9, parallel=cluster.scheme())


class Nim(NamedTuple):
    heaps: int


def games() -> None:
    description = outflank.GameDescription(name="nim", title="Nim", rules=Nim, start=outflank.OthelloBoard.start)
    assert_type(outflank.register_game(description), outflank.GameDescription)
    outflank.register_evaluation(Nim, "even", (), unit="matches", points=10)


def players(board: outflank.Board, plan: BookPlan, path: Path) -> None:
    Computer(board.game, level=5, variety=1)
    Computer(board.game, depth=3, exact=10, ties=("lowest", "highest"), algorithm="alphabeta", workers=1, table_bits=18)
    list(judge_moves(board, outflank.Limits(depth=4), exact=12, workers=1, evaluation="mobility"))
    build(board, path, plan, stop=outflank.Stop(), workers=1)
