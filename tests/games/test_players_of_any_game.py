"""A game that the package does not know has players, reviews, books, matches and protocols once it is described."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from outflank import AbaloneBoard, OthelloBoard, Side
from outflank.arena import Openings, Settings, play, play_match
from outflank.arena.match_game import MatchGame
from outflank.arena.referee import start_of
from outflank.boards import Board, Move
from outflank.books.book import Book
from outflank.books.building import BookPlan, build
from outflank.errors import InvalidOption, OutflankError
from outflank.formats.game_files import read_records
from outflank.games import description
from outflank.games.defaults import (
    Level,
    Marks,
    NamedEvaluation,
    PlayDefaults,
    ReadyMoves,
    ReportProgram,
    SearchDefaults,
)
from outflank.games.description import GAMES, GameDescription, GameOption, Variants, description_of, register_game
from outflank.games.scores import Scores
from outflank.players.clock import Clock, TimeControl
from outflank.players.computer import Computer
from outflank.players.player import PlayerFailed, exact_moves_for_depth, level_of
from outflank.players.review import judge_moves
from outflank.players.specs import First, player
from outflank.players.timing import Lateness, Steady, usable_seconds
from outflank.protocols.gtp_client import GtpPlayer
from outflank.protocols.gtp_server import GtpEngine
from outflank.protocols.nboard_client import _ggf
from outflank.protocols.serving import PROTOCOLS
from outflank.search.request import Limits, Stop
from tests.installing import register_for_now

pytestmark = pytest.mark.interpreted_only

EXAMPLES = Path(__file__).parents[2] / "examples"
STARTS = {"three": (3, 4, 5), "two": (2, 3)}
NO_CLOCK = Clock()


class HeapMove(Move):
    """A heap and what is taken of it: `b2`."""

    def __str__(self) -> str:
        return f"{'abcd'[self.code // 256]}{self.code % 256}"


class HeapBoard(Board[HeapMove]):
    """Heaps of matches."""

    def move(self, code: int) -> HeapMove:
        return HeapMove(code)


@pytest.fixture
def heaps(monkeypatch: pytest.MonkeyPatch) -> GameDescription:
    """The game of the example, described to the full, for one test."""
    monkeypatch.syspath_prepend(EXAMPLES)
    import nim

    def start(most: int = 3, layout: str = "three") -> HeapBoard:
        if layout not in STARTS:
            raise InvalidOption(f"unknown layout {layout!r}")
        first = nim.start(*STARTS[layout], most=most)
        return HeapBoard(first.game, first.position)

    register_for_now(monkeypatch, GAMES)
    monkeypatch.setattr(description, "_by_rules", dict(description._by_rules))
    return register_game(
        GameDescription(
            name="heaps",
            title="Heaps",
            rules=nim.Nim,
            start=start,
            board=HeapBoard,
            variants=Variants(
                options=(
                    GameOption(name="most", help="Matches that a move may take.", default=3, choices=(2, 3)),
                    GameOption(name="layout", help="Heaps at the start.", default="three", choices=tuple(STARTS)),
                ),
                options_of=lambda game: {"most": game.most},
                sizes={2: {"most": 2}, 3: {"most": 3}},
                starts={name: lambda name=name: start(layout=name) for name in STARTS},
            ),
            scores=Scores(
                unit="matches",
                most=lambda game: 1,
                forfeit=lambda game: 7,
                final_margin=lambda board, score: 5 * score,
            ),
            search=SearchDefaults(evaluations=(NamedEvaluation(name="odd", evaluation=nim.Odd()),)),
            play=PlayDefaults(
                levels=(Level(1, 3), Level(2, 6), Level(4, 9)),
                moves_expected=lambda board: 4.0,
                moves_at_most=lambda board: 1000.0,
                marks=Marks(0.5, 1.0, 1.5),
                typical_error=lambda depth: 3.0 / depth,
                openings=lambda board: "random:2",
                programs={"900": ReportProgram(search={"algorithm": "minimax"}, shared={}, plays={"depth": 2})},
                ready_moves={"all-of-b": ReadyMoves(why="habit", choose=_all_of_the_second)},
            ),
        )
    )


def _all_of_the_second(board: Board) -> Move | None:
    return next((move for move in reversed(board.legal_moves) if str(move).startswith("b")), None)


def quick(game: Any, **settings: Any) -> Computer:
    return Computer(game, workers=1, table_bits=10, **settings)


# --- players ---


def test_levels_and_exact_endings_are_the_games_own(heaps: GameDescription) -> None:
    board = heaps.start(layout="two")
    made = quick(board.game, level=3)
    assert (made.depth, made.exact) == (4, 9)
    assert [exact_moves_for_depth(board.game, depth) for depth in (1, 2, 3, 4, 60)] == [3, 6, 6, 9, 9]
    with pytest.raises(InvalidOption, match=r"^level=4: 1 to 3$"):
        level_of(board.game, 4)
    choice = quick(board.game, depth=1, exact=5).choose(board, NO_CLOCK)
    assert (str(choice.move), choice.exact) == ("b1", True)  # two and two: whatever is taken can be answered
    assert not quick(board.game, depth=1, exact=4).choose(board, NO_CLOCK).exact
    endless = AbaloneBoard.start()
    assert not quick(endless.game, depth=1, exact=60).may_solve(endless)


def test_time_is_divided_as_the_game_says(heaps: GameDescription) -> None:
    board = heaps.start()
    control = TimeControl(game_seconds=100)
    budget = Steady().budget(board, Clock(control=control, left_seconds=100), None)
    assert budget.soft_seconds == pytest.approx(usable_seconds(board, 100, Lateness()) / 4, abs=0.3)
    assert usable_seconds(board, 100, Lateness()) == pytest.approx(97, abs=0.1)  # a moment for each of a thousand moves


def test_programs_and_habits_of_other_games_are_told_apart(heaps: GameDescription) -> None:
    board = heaps.start()
    like = player("computer report=900 workers=1", board.game)
    assert isinstance(like, Computer)
    assert (like.depth, like.options["algorithm"]) == (2, "minimax")
    ready = quick(board.game, habits=("cache", "all-of-b")).choose(board, NO_CLOCK)
    assert (str(ready.move), ready.why) == ("b3", "habit")
    for words, game, why in (
        ("report=900", OthelloBoard.start().game, "report 900 plays Heaps"),
        ("report=003", board.game, "report 003 plays Abalone"),
        ("habit=mirror", board.game, "mirror is a habit of Abalone's players"),
        ("habit=all-of-b", OthelloBoard.start().game, "all-of-b is a habit of Heaps's players"),
        ("scoring=discs", board.game, "scoring is for Othello"),
        ("book=own", board.game, "book=own: Heaps comes with none; give a book's file"),
    ):
        with pytest.raises(OutflankError, match=f"^{why}$"):
            player(f"computer depth=1 {words}", game)


def test_moves_are_marked_by_what_they_lose_in_the_game(heaps: GameDescription) -> None:
    board = heaps.start(layout="two")
    for text in ("a1", "b1", "b1", "a1"):  # 2+3: the first one loses, and so would the second
        board.push(text)
    judged = list(judge_moves(board, Limits(depth=1), exact=5, workers=1))
    assert [(str(each.move), each.loss, heaps.play.marks.of(each.loss)) for each in judged] == [
        ("a1", 2.0, "??"),
        ("b1", 2.0, "??"),
        ("b1", 0.0, ""),
        ("a1", 0.0, ""),
    ]
    assert all(each.exact for each in judged)
    guessed = next(judge_moves(board, Limits(depth=2), exact=0, workers=1))
    assert (guessed.exact, guessed.margin) == (False, 1.5)


def test_a_book_is_built_and_played_from(heaps: GameDescription, tmp_path: Path) -> None:
    board, path = heaps.start(layout="two"), tmp_path / "heaps.book"
    built = build(board, path, BookPlan(plies=2, depth=3), stop=Stop(), workers=1)
    assert built.searched > 1
    assert Book.read(board.game, path).look_up(board) == built.book.look_up(board) != ()
    choice = quick(board.game, book=str(path)).choose(board, NO_CLOCK)
    assert (choice.why, str(choice.move)) == ("book", "b1")


# --- matches ---


def settings(heaps: GameDescription, games: int) -> Settings:
    return Settings(players=("first", "random seed=4"), start=heaps.start(), games=games)


def test_a_match_is_kept_resumed_and_read_back(heaps: GameDescription, tmp_path: Path) -> None:
    out = tmp_path / "match"
    whole = play_match(settings(heaps, 6), player)
    play_match(settings(heaps, 2), player, out=out)
    resumed = play_match(settings(heaps, 6), player, out=out, resume=True)
    assert resumed.standing.finished == whole.standing.finished == 6
    assert (out / "games.games").exists()
    kept = list(read_records(out / "games.games"))
    assert len(kept) == 6
    assert all(isinstance(Board.from_setup(record.setup), HeapBoard) for record in kept)
    assert {Board.from_setup(record.setup).result() for record in kept} <= {"1-0", "0-1"}
    assert [record.score for record in kept] == [record.score for record in resumed.records]
    assert [record.setup.moves for record in kept] == [record.setup.moves for record in resumed.records]
    assert all(abs(record.score or 0) == 5 for record in kept)  # the game's own margin


def test_a_game_that_nobody_has_described_is_kept_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)
    import nim

    register_for_now(monkeypatch, GAMES)
    monkeypatch.setattr(description, "_by_rules", {})
    board = nim.start(2, 2)
    game = play(First(), First(), board)
    assert game is not None
    kept = MatchGame(number=0, black=0, white=1, game=game)
    assert MatchGame.of(kept.line, board.game) == kept


def test_openings_are_the_games_own(heaps: GameDescription, tmp_path: Path) -> None:
    start = heaps.start(layout="two")
    assert Settings(players=("first", "random"), start=start, games=2).openings == "random:2"
    assert sorted(start_of(Openings("layouts", start, seed=1, count=2)[number]).position.word for number in (0, 1)) == [
        heaps.start(layout=name).position.word for name in ("two", "three")
    ]
    file = tmp_path / "openings.txt"
    file.write_text(f"a1 b2\nb3\n{heaps.start(most=3).to_text()}\n")
    found = Openings(str(file), start, seed=1, count=3)
    # Lists of moves start where the match does.
    assert {found[number].position.word for number in range(3)} == {0x10001, 0x2, heaps.start().position.word}
    file.write_text(heaps.start(most=2).to_text())
    with pytest.raises(OutflankError, match="an opening of another game than the match"):
        Openings(str(file), start, seed=1, count=1)
    with pytest.raises(OutflankError, match=r"layouts\[:PLIES\] \(Abalone and Heaps\) or FILE"):
        Openings("random", start, seed=1, count=1)
    with pytest.raises(OutflankError, match=r"^layouts are openings of Abalone and Heaps$"):
        Openings("layouts", OthelloBoard.start(), seed=1, count=1)


def test_who_breaks_the_rules_loses_what_the_game_says(heaps: GameDescription) -> None:
    class Wrong(First):
        def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Any:
            raise PlayerFailed("it has had enough")

    game = play(First(), Wrong(), heaps.start())
    assert game is not None
    assert (game.ending.score, game.ending.forfeited_by) == (7, Side.WHITE)


# --- protocols ---


def test_gtp_plays_it_in_the_boards_own_words(heaps: GameDescription, tmp_path: Path) -> None:
    engine = GtpEngine(lambda board: quick(board.game, depth=1, exact=9))
    position = tmp_path / "position.txt"
    position.write_text(heaps.start(most=2, layout="two").to_text())
    for said, answer in (
        ("list_games", "= Othello\nAbalone\nHeaps"),
        ("set_game Heaps nowhere", "? unknown layout 'nowhere'"),
        ("set_game Heaps two", "="),
        ("boardsize 8", "? unacceptable size"),
        ("boardsize 3", "="),
        ("clear_board", "="),
        ("play black B1", "="),
        ("play black a1", "? illegal move"),
        ("play white a2", "="),
        ("undo", "="),
        ("undo", "="),
        ("showboard", "= \nword: 196610\nblack to move"),
        ("genmove black", "= B1"),
        ("play white a2", "="),
        ("genmove black", "= B2"),
        ("final_score", "= B+1"),
        ("genmove white", "? the game is over"),
        ("play white pass", "? illegal move"),
        ("loadsgf somewhere", "? cannot load file (SGF is for Othello; loadposition reads Heaps)"),
        (f"loadposition {position}", "="),
        ("play black b3", "? illegal move"),  # of which only two may be taken there
        ("play black b2", "="),
    ):
        found = engine.answer(said)
        assert found is not None
        assert found.strip() == answer.replace("= \n", "=\n"), said


class Inside(GtpPlayer):
    """A player whose program is the engine, here."""

    def _start(self) -> None:
        if self._running is None:
            self.engine = GtpEngine(lambda board: quick(board.game, depth=1))
            self.asked: list[str] = []
            self._running = object()  # type: ignore[assignment]  # there is no process
            self._greet()

    def _leave(self, farewell: str = "") -> None:
        self._running = self._root = None

    def _ask(self, command: str, seconds: float = 0.0) -> str:
        answer = str(self.engine.answer(command)).strip()
        assert answer.startswith("="), (command, answer)
        self.asked.append(command.partition(" ")[0] if "/" in command else command)
        return answer[1:].strip()


def test_gtp_programs_are_shown_it(heaps: GameDescription) -> None:
    board = heaps.start(most=2)
    made = Inside("none", board.game)
    made.new_game(board)
    assert made.asked[-3:] == ["set_game Heaps", "boardsize 2", "clear_board"]
    board.push("c2")
    elsewhere = HeapBoard(board.game, board.position, board.turn, ply=1)
    elsewhere.push("a1")
    made.check(elsewhere)
    assert "loadposition" in made.asked
    assert made.engine._game.board.game == board.game


def test_nboard_is_for_games_that_are_written_in_ggf(heaps: GameDescription) -> None:
    nboard = PROTOCOLS.get("nboard")
    with pytest.raises(OutflankError, match=r"^nboard is for othello alone, not for heaps$"):
        nboard.check_game("heaps")
    with pytest.raises(PlayerFailed, match=r"NBoard is for Othello$"):
        _ggf(heaps.start(), "")
    described = replace(heaps, notation=replace(heaps.notation, files={".ggf": next(iter(_othello_files()))}))
    assert nboard.plays(described)
    assert _ggf(OthelloBoard.start(), "TI[01:00]") == (
        f"(;GM[Othello]PC[outflank]PB[black]PW[white]RE[?]TI[01:00]TY[8]BO[8 {27 * '-'}O*------*O{27 * '-'} *];)"
    )


def _othello_files() -> Any:
    return description_of(OthelloBoard.start().game).notation.files.values()
