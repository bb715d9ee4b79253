"""Players in words: what cannot play is refused before the first game, and what is accepted makes its first move."""

from typing import Any

import pytest

from outflank import AbaloneBoard, OthelloBoard
from outflank.arena import Settings, play_match
from outflank.arena.game_runners import GameWorker, Lane
from outflank.books.exchange import merge
from outflank.errors import OutflankError
from outflank.gpu.troubles import NoDevice
from outflank.machine import usable_memory
from outflank.players.computer import settings_of_computers
from outflank.players.specs import player
from outflank.protocols.driving import ProgramPlayer
from outflank.ui.cli import main
from outflank.ui.web.games.seats import check_seats
from outflank.ui.web.requests import Seats
from tests.seats import run, values

pytestmark = pytest.mark.interpreted_only  # in the interpreter: a first move of a few nodes

OTHELLO, ABALONE = OthelloBoard.start(), AbaloneBoard.start()
ON_A_GPU = "computer algorithm=uct nodes=50 device=gpu"
DRAWS, PARTS = 60, 3


@pytest.mark.slow(5)
@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_is_accepted_makes_its_first_move(part) -> None:
    share, faults = DRAWS // PARTS, []
    accepted, _ = run(share, seed=1, first=part * share, tell=faults.append)
    assert not faults, "\n".join(faults)
    assert 0 < accepted < share


def test_every_setting_is_drawn() -> None:
    for name in settings_of_computers():
        assert len(values(name, OTHELLO.game)) > 1, name


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("computer report=003 report=000", "report=000: report is '003' already; give each setting once"),
        ("computer report=000 report=003", "report=003: report is '000' already"),
        ("computer depth=2 depth=2", "depth=2: depth is '2' already"),
        ("computer time=1 seconds=2", "seconds=2: seconds is '1' already"),
        ("computer table-bits=10 table_bits=none", "table_bits=none: table_bits is '10' already"),
        ("random seed=1 seed=2", "seed=2: seed is '1' already"),
        ("nboard depth=2 depth=3: program", "depth=3: depth is '2' already"),
        ("computer\nlevel=3", r"'computer\nlevel=3': a player is one line, its words between blanks"),
        ("computer level=3\ndepth=2", r"'computer level=3\ndepth=2': a player is one line"),
        ("computer\tlevel=3", r"'computer\tlevel=3': a player is one line"),
        ("human\nlevel=3", r"'human\nlevel=3': a player is one line"),
        ("computer depth=" + "9" * 10_000, "a player in 10,015 characters: 10,000 at most"),
        ("computer book=", "book: the name of the file is missing"),
        ("computer evaluation=patterns:", "evaluation 'patterns:': the name of the file is missing"),
        ("computer ties=lowest+highest+lowest", "expected one of first, lowest, highest or a list of 2"),
    ],
)
def test_words_that_say_nothing_or_two_things(words, why) -> None:
    with pytest.raises(OutflankError) as refused:
        player(words, OTHELLO.game)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (r"C:\Edax\wEdax-x64.exe -gtp", [r"C:\Edax\wEdax-x64.exe", "-gtp"]),
        (r"""'C:\Program Files\Edax\' -l "it's" """, ["C:\\Program Files\\Edax\\", "-l", "it's"]),
        ("/usr/bin/edax --name='my engine' '' \n -x", ["/usr/bin/edax", "--name=my engine", "", "-x"]),
    ],
)
@pytest.mark.parametrize("kind", ["gtp: ", "gtp clock=none: ", "nboard depth=3: "])
def test_the_words_of_a_program_are_read_alike_on_every_system(kind, words, command, monkeypatch) -> None:
    started = []

    def begin(program: ProgramPlayer) -> None:
        started.append(program.command)

    monkeypatch.setattr(ProgramPlayer, "_start", begin)
    player(kind + words, OTHELLO.game)
    assert started == [command]


def test_a_setting_keeps_its_backslashes(tmp_path) -> None:
    book = tmp_path / r"my\own book"
    for quote in "'\"":
        with pytest.raises(OutflankError) as refused:
            player(f"computer book={quote}{book}{quote}", OTHELLO.game)
        assert str(book) in str(refused.value)


@pytest.mark.parametrize("text", ["", "f5\0d6"], ids=["empty", "a line that does not end"])
def test_a_book_without_a_position_is_refused(tmp_path, text) -> None:
    book = tmp_path / "book"
    book.write_text(text)
    with pytest.raises(OutflankError, match="there is no position in this book"):
        player(f"computer depth=1 book={book}", OTHELLO.game)
    with pytest.raises(OutflankError, match="there is no position in this book"):
        merge(OTHELLO.game, tmp_path / "merged", [book])


def test_both_tables_of_a_computer_fit_into_memory() -> None:
    memory = usable_memory()
    if memory is None:
        pytest.skip("this system does not tell its memory")
    bits = (memory // 32).bit_length() - 1  # one table fits, two do not
    with pytest.raises(OutflankError, match=rf"2 tables of {bits} bits need"):
        player(f"computer table_bits={bits}", OTHELLO.game)


# --- seats of the page ---


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("computer report=003 report=000", "report 003 plays Abalone"),
        ("computer report=000 report=002", "report is '000' already"),
        ("computer level=3 level=4", "level is '3' already"),
        ("computer\nlevel=3", r"'computer\nlevel=3' is no player here"),
        ("computer level=3\n", r"'computer level=3\n' is no player here"),
        ("computer level=3 depth=2", "a level says the depth"),
        ("computer level=x", "level=x: expected a whole number"),
        ("computer level=61", "level=61: 1 to 60"),
        ("computer time=0.0.1", "time=0.0.1: expected a number"),
    ],
)
def test_a_seat_that_cannot_play_is_refused(words, why) -> None:
    with pytest.raises(OutflankError) as refused:
        check_seats(Seats(black="human", white=words, clock="none"), OTHELLO.game)
    assert why in str(refused.value)


def test_seats_that_can_play() -> None:
    for words in ("computer", "computer level=3", "computer  depth=2 time=1.5", "random", "first", "human"):
        check_seats(Seats(black=words, white="human", clock="none"), OTHELLO.game)
    check_seats(Seats(black="computer report=003", white="human", clock="none"), ABALONE.game)


# --- a GPU where there is none ---


@pytest.fixture
def no_gpu(monkeypatch):
    def none(asked: str) -> None:
        raise NoDevice("device gpu: there is none")

    monkeypatch.setattr("outflank.players.computer.resolve_device", none)


WITHOUT = f"{ON_A_GPU}: device gpu: there is none; device=gpu-or-cpu plays on the CPU where there is no GPU"


@pytest.mark.parametrize(
    "command",
    [["match", ON_A_GPU, "first", "--games", "2"], ["play", "--black", ON_A_GPU, "--white", "first"]],
    ids=["match", "play"],
)
def test_a_gpu_that_is_not_there_is_known_before_the_first_game(command, no_gpu, capsys) -> None:
    with pytest.raises(SystemExit) as left:
        main(command)
    assert left.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert " ".join(err.split()) == f"outflank: {WITHOUT}"


def test_machines_of_a_cluster_see_for_themselves(no_gpu) -> None:
    """Where somebody sits there may be no GPU; a machine that has none plays no game, and loses none."""
    settings = Settings(players=(ON_A_GPU, "first"), start=OTHELLO, games=2)

    class Tasks:
        """A cluster of which no machine has a lane."""

        lanes = 0
        started = False

        def start(self, stop: Any) -> None:
            self.started = True
            raise OutflankError("as far as this")

        def do(self, item: Any, *, stop: Any) -> None:
            raise AssertionError

    tasks = Tasks()
    with pytest.raises(OutflankError, match="as far as this"):
        play_match(settings, player, tasks=tasks)  # type: ignore[arg-type]
    assert tasks.started
    with pytest.raises(OutflankError, match="there is none"):
        GameWorker(settings, player)
    lane = Lane(settings, player)
    lane.fill()
    with pytest.raises(OutflankError, match="there is none"):
        lane.check([OTHELLO])
    lane.close()
