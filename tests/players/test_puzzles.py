"""Puzzles: made from games, checked against slow searches, read from files, and chosen for a day."""

import json
import random
from datetime import date, timedelta

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from outflank import Board, OthelloBoard
from outflank.errors import InvalidOption, OutflankError
from outflank.formats.game_files import write_records
from outflank.formats.game_record import PlayedMove, Record
from outflank.games.sides import Side
from outflank.players.puzzles import (
    Puzzle,
    daily_set,
    find_errors,
    in_lines,
    make_puzzles,
    puzzle_at,
    puzzles_of,
    read_puzzles,
)
from outflank.ui.cli import cli


def random_games(count: int) -> list[Record]:
    """Games of random moves on 4×4 squares."""
    rng, records = random.Random(1), []
    for _ in range(count):
        board = OthelloBoard.start(4)
        while not board.is_game_over:
            board.push(rng.choice(board.legal_moves))
        moves = tuple(PlayedMove(code=move.code) for move in board.moves)
        records.append(Record(start=OthelloBoard.start(4).setup(), moves=moves))
    return records


GAMES = random_games(80)


def slow_score(board: Board, side: Side) -> int:
    """The final score for a side, by plain minimax over boards."""
    outcome = board.outcome()
    if outcome is not None:
        return outcome.score if side is Side.BLACK else -outcome.score
    scores = []
    for move in board.legal_moves:
        board.push(move)
        scores.append(slow_score(board, side))
        board.pop()
    return max(scores) if board.turn is side else min(scores)


@pytest.fixture(scope="module")
def puzzles() -> list[Puzzle]:
    return make_puzzles(GAMES, (3, 4), 6, seed=3)


def test_puzzles_are_what_a_slow_search_finds(puzzles: list[Puzzle]) -> None:
    assert [puzzle.left for puzzle in puzzles] == [3] * 3 + [4] * 3
    assert len({puzzle.position for puzzle in puzzles}) == 6
    for puzzle in puzzles:
        board = puzzle.board()
        scores = {}
        for move in board.legal_moves:
            board.push(move)
            scores[str(move)] = slow_score(board, board.turn.other)
            board.pop()
        assert puzzle.scores == scores
        best, second = sorted(scores.values(), reverse=True)[:2]
        assert best - second >= 2
        assert scores[puzzle.best] == best
        side = board.turn
        for move in puzzle.line.split():
            board.push(move)
            assert slow_score(board, side) == best
        assert board.is_game_over
        assert find_errors(puzzle) == []


def test_the_same_seed_gives_the_same_puzzles() -> None:
    few = [make_puzzles(GAMES, (3,), 1, seed=seed) for seed in (3, 3, 4)]
    assert few[0] == few[1] != few[2]
    assert len(make_puzzles(GAMES[:2], (3,), 8)) <= 2
    with pytest.raises(InvalidOption, match="1 to 16"):
        make_puzzles(GAMES, (17,), 8)


def test_rules_other_than_the_usual_ones_are_kept() -> None:
    board = OthelloBoard.from_text("--XOOOXOOXXO--XO X", scoring="discs")
    puzzle = puzzle_at(board)
    assert puzzle.options == {"scoring": "discs"}
    assert puzzle.board() == board
    assert puzzle_at(OthelloBoard.from_text("--XOOOXOOXXO--XO X")).options == {}


def test_what_is_wrong_is_found(puzzles: list[Puzzle]) -> None:
    puzzle = puzzles[0]
    best, other = puzzle.best, list(puzzle.scores)[-1]
    score = puzzle.scores[best]
    wrong = {
        f"{best} scores {score + 2:+d}, but the solver finds {score:+d}": {
            "scores": {**puzzle.scores, best: score + 2}
        },
        f"the moves are {best}, but legal are": {"scores": {best: score}},
        "the line: after ": {"line": other},
        "the line ends before the game": {"line": best},
        "left is 7, but 3 moves are left": {"left": 7},
        "the line: ": {"line": "z9"},
    }
    for text, changes in wrong.items():
        errors = find_errors(replace(puzzle, **changes))
        assert any(text in error for error in errors), (text, errors)
    assert find_errors(replace(puzzle, position="nonsense"))
    assert find_errors(replace(puzzle, position="f5")) == ["59 moves are left, and a puzzle has at most 16"]
    assert "loses only" in find_errors(puzzle, margin=200)[0]


def test_a_damaged_file_is_refused_in_one_line(puzzles: list[Puzzle]) -> None:
    data = in_lines(puzzles)
    assert read_puzzles(b"\n" + data, "a.puzzles") == puzzles
    for line, text in (
        (b"{}", "a.puzzles, line 7: "),
        (b"nonsense", "line 7: .*expected JSON"),
        (data.splitlines()[0].replace(b'"left":3', b'"left":99'), "line 7: left"),
    ):
        with pytest.raises(OutflankError, match=text) as refused:
            read_puzzles(data + line, "a.puzzles")
        assert "\n" not in str(refused.value)
    with pytest.raises(OutflankError, match="has no puzzles"):
        read_puzzles(b"", "a.puzzles")


def test_every_puzzle_has_its_day(puzzles: list[Puzzle]) -> None:
    today = date(2026, 5, 17)
    days = [daily_set(puzzles, today + timedelta(number), 3) for number in range(3)]
    assert all(len(set(day)) == 3 for day in days)
    for day in days:
        ratings = [puzzles[index].rating for index in day]
        assert ratings == sorted(ratings)
    assert {index for day in days for index in day} == set(range(6))
    assert daily_set(puzzles, today, 3) == days[0]
    assert sorted(daily_set(puzzles, today, 20)) == list(range(6))
    assert daily_set([], today) == []


def test_puzzles_come_with_the_package() -> None:
    bundled = puzzles_of(None)
    assert 60 <= len(bundled) <= 120
    assert len(in_lines(bundled)) < 30_000
    assert {puzzle.left for puzzle in bundled} == set(range(6, 15))


@pytest.mark.compiled
def test_the_bundled_puzzles_are_right() -> None:
    assert [error for puzzle in puzzles_of(None)[::10] for error in find_errors(puzzle)] == []


def test_the_commands_make_check_and_play(tmp_path, puzzles: list[Puzzle]) -> None:
    run = CliRunner().invoke
    games, file = tmp_path / "games.ggf", tmp_path / "a.puzzles"
    write_records(GAMES, games)
    make = ["puzzles", "make", str(games), "--out", str(file), "--empties", "3", "--count", "2", "--seed", "3"]
    assert run(cli, [*make, "--quiet"], standalone_mode=False).return_value == 0
    assert [puzzle.left for puzzle in puzzles_of(file)] == [3, 3]
    assert "exists already" in str(run(cli, make, standalone_mode=False).exception)
    assert "--empties 4;5" in str(run(cli, [*make, "--force", "--empties", "4;5"], standalone_mode=False).exception)
    checked = run(cli, ["puzzles", "check", str(file)], standalone_mode=False)
    assert (checked.return_value, checked.output) == (0, "2 puzzles checked, none wrong\n")
    damaged = json.loads(file.read_text().splitlines()[0])
    damaged["line"] = damaged["line"].split()[0]
    (tmp_path / "b.puzzles").write_text(json.dumps(damaged))
    checked = run(cli, ["puzzles", "check", str(tmp_path / "b.puzzles")], standalone_mode=False)
    assert checked.return_value == 1
    assert "puzzle 1: the line ends before the game" in checked.output
    file.write_bytes(in_lines(puzzles))
    play = ["puzzles", "play", str(file), "--day", "2026-05-17"]
    today = [puzzles[index] for index in daily_set(puzzles, date(2026, 5, 17))]
    answers = "".join(f"{puzzle.best}\n" for puzzle in today)
    played = run(cli, play, input=f"z9\n{answers}", standalone_mode=False)
    assert (played.return_value, played.output.count("Right: ")) == (0, 5)
    wrong = "".join(f"{list(puzzle.scores)[-1]}\n" for puzzle in today[:2])
    played = run(cli, play, input=f"{wrong}\n", standalone_mode=False)
    assert (played.return_value, played.output.count("Wrong: ")) == (1, 2)
    assert "0 of 5 puzzles solved" in played.output
