"""Positions by name: in options, in tables, and in documents."""

import pytest

from outflank.abalone.board import AbaloneBoard
from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.description import OWN_GAMES, game_named
from outflank.games.sides import Side
from outflank.lab import experiment_named
from outflank.lab.drawing.page import searched_html
from outflank.lab.experiment_boards import board_named, name_of, name_of_line, study_positions
from outflank.lab.measuring.search_log import by_position, log_search, log_searches
from outflank.lab.report_programs.classroom import lab_positions
from outflank.othello.board import OthelloBoard
from outflank.othello.positions import ENDINGS, STAGES
from outflank.ui.cli import main

pytestmark = pytest.mark.interpreted_only

NAMED = {name: game_named(name).lab.positions for name in OWN_GAMES}
SETS = {name: game_named(name).lab.position_sets for name in OWN_GAMES}


@pytest.mark.parametrize("game", NAMED)
def test_every_name_is_a_position_of_its_game_and_found_again_from_its_line(game):
    for name, read in NAMED[game].items():
        board = read()
        assert type(board.game).__name__.lower() == game
        assert (name_of(board), name_of_line(game, board.to_text())) == (name, name)
        assert board_named(name, game).to_text() == board.to_text()
    for names in SETS[game].values():
        assert set(names) <= set(NAMED[game])
    assert len({read().to_text() for read in NAMED[game].values()}) == len(NAMED[game])


def test_a_set_is_all_of_its_positions_each_once():
    assert [each.name for each in study_positions("othello", ("endings", "ffo20", "start"))] == [*ENDINGS, "start"]
    found = study_positions("abalone", ("laboratory@3",))
    assert [each.name for each in found] == ["start@3", "midgame1@3", "midgame2@3", "endgame@3"]
    assert {each.depth for each in found} == {3}
    assert list(lab_positions()) == list(SETS["abalone"]["laboratory"])


def test_without_a_position_it_is_the_games_own():
    assert [each.name for each in study_positions("othello", None)] == ["midgame"]
    assert [each.name for each in study_positions("abalone", None)] == ["midgame1"]


def test_a_notation_that_has_a_name_is_called_by_it():
    line = OthelloBoard.start().to_text()
    assert [each.name for each in study_positions("othello", (line, "f5d6", "f5d6c3d3c4f4f6"))] == [
        "start",
        "f5d6",
        "diagonal",
    ]


@pytest.mark.parametrize(
    ("game", "text", "says"),
    [
        ("chess", "start", "unknown game 'chess' (known: othello, abalone)"),
        ("othello", "midgam", "unknown position 'midgam', did you mean 'midgame'?"),
        ("othello", "midgame1", "game=othello, but the position is one of abalone: midgame1"),
        ("abalone", "f5d6", "game=abalone, but the position is one of othello: f5d6"),
        ("othello", "start@0", "start@0: a number of plies is expected after the @"),
        ("othello", "start@soon", "start@soon: a number of plies is expected after the @"),
        ("othello", "XO?", "expected"),
    ],
)
def test_what_is_no_position_is_one_line(game, text, says):
    with pytest.raises(OutflankError) as raised:
        study_positions(game, (text,))
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_name_of_both_games_is_othellos_where_no_game_is_said():
    assert isinstance(board_named("start"), OthelloBoard)
    assert isinstance(board_named("endgame"), AbaloneBoard)


def test_documents_and_pages_name_what_was_searched():
    with log_searches() as notes:
        log_search(board_named("endgame"), 3, algorithm="pvs")
        log_search(Board.from_text("f5d6"), 3, algorithm="pvs")
    assert [each.name for each in notes] == ["endgame", ""]
    assert [place.name for place in by_position(notes)] == ["endgame", ""]
    html = searched_html(notes)
    assert "<strong>Abalone, endgame, white to move</strong>" in html
    assert "<strong>Othello, black to move</strong>" in html


def test_the_command_line_says_which_positions_there_are(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["lab", "profile", "--positions", "midgam"])
    assert ended.value.code == 2
    assert "did you mean 'midgame'?" in capsys.readouterr().err


def test_tournament_positions_are_spread_over_the_stages_of_a_game():
    played = {stage: [] for stage in STAGES}
    for each in study_positions("othello", ("tournament",)):
        assert not each.board.legal_moves[0].is_pass
        played[each.name[:-1]].append(sum(each.board.discs(side) for side in Side) - 4)
    assert played == {stage: [moves] * 4 for stage, moves in zip(STAGES, (8, 16, 24, 34, 44), strict=True)}
    assert [each.name for each in study_positions("othello", ("late",))] == ["late1", "late2", "late3", "late4"]


def test_the_race_check_knows_positions_by_name():
    races = experiment_named("races").parameters
    assert races(position="start4").position == "start4"
    with pytest.raises(OutflankError, match="did you mean 'start4'"):
        races(position="stort4")
