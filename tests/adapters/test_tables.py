"""Searches and matches as tables, and these as data frames."""

import pytest

import outflank
from outflank import OthelloBoard, Side
from outflank.adapters import tables
from outflank.arena import Settings, play_match
from outflank.lab.experiment_report import ReportTable
from outflank.players.specs import player

pytestmark = pytest.mark.interpreted_only


@pytest.fixture(scope="module")
def results() -> list[outflank.Result]:
    board = OthelloBoard.start(4)
    return list(outflank.iterate(board, depth=3, workers=1, evaluation="discs", moves=2))


@pytest.fixture(scope="module")
def match():
    begin = OthelloBoard.start(4)
    start = OthelloBoard(begin.game, begin.position, Side.WHITE)
    return play_match(Settings(players=("first", "random"), start=start, games=4, openings="random:2"), player)


def test_a_search_has_a_row_for_each_depth(results):
    table = tables.iterations(results)
    assert table.column("depth") == [1, 2, 3]
    assert table.column("move") == [str(result.move) for result in results]
    assert table.column("value_text") == [result.value_text for result in results]
    assert table.column("nodes") == [result.nodes for result in results]
    assert table.column("line")[2] == " ".join(map(str, results[2].pv))


def test_moves_and_workers_have_rows(results):
    moves = tables.root_moves(results[-1])
    assert moves.column("move") == [str(entry.move) for entry in results[-1].best]
    assert moves.column("points") == [entry.value for entry in results[-1].best]
    assert tables.workers(results[-1]).column("nodes") == [worker.nodes for worker in results[-1].workers]


def test_a_match_has_a_row_for_each_game_and_duel(match):
    games = tables.match_games(match)
    assert games.column("points") == [game.game.ending.points for game in match.games]
    assert games.column("plies") == [len(game.game.record.moves) for game in match.games]
    for seconds, side in ((games.column("black_seconds"), 1), (games.column("white_seconds"), 0)):
        for total, game in zip(seconds, match.games, strict=True):
            assert total == pytest.approx(
                sum(move.seconds or 0.0 for move in game.game.record.moves[side::2]), abs=0.05
            )
    duel = tables.match_duels(match)
    assert (duel.column("games"), duel.column("first"), duel.column("second")) == ([4], ["first"], ["random"])
    assert duel.column("elo") == [match.standing.duels[0, 1].elo.value]


def test_tables_become_data_frames(results, match):
    pytest.importorskip("pandas")
    frame = tables.iterations(results).to_pandas()
    assert frame["depth"].tolist() == [1, 2, 3]
    assert tables.match_games(match).to_pandas()["black"].value_counts()["first"] == 2


def test_tables_become_arrows(results, match):
    arrow = pytest.importorskip("pyarrow")
    table = tables.iterations(results).to_arrow()
    assert table.column("depth").to_pylist() == [1, 2, 3]
    assert table.schema.field("seconds").type == arrow.float64()
    assert table.schema.field("exact").type == arrow.bool_()
    assert tables.match_games(match).to_arrow().num_rows == 4


def test_columns_of_mixed_types_become_arrows_too():
    pytest.importorskip("pyarrow")
    rows = [{"size": 1, "name": "a"}, {"size": 2.5, "name": 3}, {"size": None, "name": None}]
    table = ReportTable.of("mixed", rows).to_arrow()
    assert table.to_pylist() == [
        {"size": 1.0, "name": "a"},
        {"size": 2.5, "name": "3"},
        {"size": None, "name": None},
    ]
