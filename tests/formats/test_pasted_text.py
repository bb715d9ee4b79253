"""What people paste: drawings of boards, moves with headers and results, mirrored games, other people's notations."""

import contextlib
import io
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from outflank import AbaloneBoard, Board, OthelloBoard, Side
from outflank.errors import OutflankError
from outflank.formats.game_files import read_records
from outflank.formats.recognise import read, read_all
from outflank.ui.cli import main
from outflank.ui.cli.game_files.show_command import draw
from tests.conftest import examples

pytestmark = pytest.mark.interpreted_only


@pytest.fixture
def run(capfd):
    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return ended.value.code, out, err

    return call


@st.composite
def played(draw, kinds=("othello", "abalone")):
    """A board after some moves."""
    chance = random.Random(draw(st.integers(0, 1 << 32)))
    if draw(st.sampled_from(kinds)) == "othello":
        size = draw(st.sampled_from([4, 6, 8]))
        board, plies = OthelloBoard.start(size), draw(st.integers(0, size * size))
    else:
        board, plies = AbaloneBoard.start(draw(st.sampled_from(["standard", "belgian-daisy"]))), draw(st.integers(0, 8))
    for _ in range(plies):
        if not board.legal_moves:
            break
        board.push(chance.choice(board.legal_moves))
    return board


def same(board: Board, other: Board) -> bool:
    return (board.game, board.position, board.turn) == (other.game, other.position, other.turn)


# --- our own drawings ---


@examples(60)
@given(played())
def test_what_str_prints_is_read_back(board):
    found = read(str(board))
    assert same(Board.from_setup(found), board)
    assert found.assumed == ""


@examples(40)
@given(played(), st.sampled_from(["plain", "coloured", "stripped", "fewer legal"]))
def test_what_show_prints_is_read_back(board, way):
    stream = io.StringIO()
    coloured = way in ("coloured", "stripped")
    draw(
        Console(file=stream, force_terminal=coloured, color_system="truecolor" if coloured else None, width=200), board
    )
    text = stream.getvalue()
    if way == "stripped":
        text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert same(Board.from_text(text), board)
    assert same(Board.from_text("\n".join(f"  {line}  " for line in text.splitlines())), board)


@examples(60)
@given(played(), st.sampled_from(["●○·", "XO.", "xo-", "BW_", "@O.", "#o.", "bw."]), st.booleans())
def test_drawings_with_other_letters_are_read(board, signs, in_words):
    black, white, empty = signs
    lines = str(board).splitlines()
    head, rows, turn = lines[:1], lines[1:-1], lines[-1]
    if isinstance(board, AbaloneBoard):
        head, rows = [], lines[:-2]
    letters = str.maketrans({"X": black, "O": white, ".": empty, "*": empty})
    drawn = [re.sub(r"(?<=[A-I1-8] ).*", lambda cells: cells[0].translate(letters), line) for line in rows]
    said = turn if in_words else {Side.BLACK: "X", Side.WHITE: "O"}[board.turn]
    text = "\n".join([*head, *drawn, said])
    if black == "●" and white not in text:  # such a text may also be a coloured picture that has lost its colours
        with pytest.raises(OutflankError, match="all alike"):
            Board.from_text(text)
    else:
        assert same(Board.from_text(text), board)


@examples(40)
@given(played(["othello"]))
def test_the_side_follows_from_the_legal_moves_or_is_assumed(board):
    found = read("\n".join(str(board).splitlines()[:-1]))
    black, white = board._by_colour()
    assert Board.from_setup(found)._by_colour() == (black, white)
    if found.assumed:
        assert "does not say whose move it is" in found.assumed
    else:
        assert found.turn is board.turn


def test_an_abalone_board_without_a_side_is_blacks_and_that_is_said():
    board = AbaloneBoard.start()
    found = read("\n".join(str(board).splitlines()[:-1]))
    assert same(Board.from_setup(found), board)
    assert "black to move" in found.assumed


# --- other people's ---

START = OthelloBoard.start()


@pytest.mark.parametrize(
    "text",
    [
        # framed, with bars and blanks
        """
     a   b   c   d   e   f   g   h
   +---+---+---+---+---+---+---+---+
 1 |   |   |   |   |   |   |   |   |
   +---+---+---+---+---+---+---+---+
 2 |   |   |   |   |   |   |   |   |
   +---+---+---+---+---+---+---+---+
 3 |   |   |   |   |   |   |   |   |
   +---+---+---+---+---+---+---+---+
 4 |   |   |   | O | X |   |   |   |
   +---+---+---+---+---+---+---+---+
 5 |   |   |   | X | O |   |   |   |
   +---+---+---+---+---+---+---+---+
 6 |   |   |   |   |   |   |   |   |
   +---+---+---+---+---+---+---+---+
 7 |   |   |   |   |   |   |   |   |
   +---+---+---+---+---+---+---+---+
 8 |   |   |   |   |   |   |   |   |
   +---+---+---+---+---+---+---+---+
Black to move
""",
        # as a games server draws: * is black
        """
   A B C D E F G H
1| - - - - - - - - |1
2| - - - - - - - - |2
3| - - - - - - - - |3
4| - - - O * - - - |4
5| - - - * O - - - |5
6| - - - - - - - - |6
7| - - - - - - - - |7
8| - - - - - - - - |8
   A B C D E F G H
* to move
""",
        """
|   A B C D E F G H
| 1 - - - - - - - - 1
| 2 - - - - - - - - 2
| 3 - - - - - - - - 3
| 4 - - - O * - - - 4
| 5 - - - * O - - - 5
| 6 - - - - - - - - 6
| 7 - - - - - - - - 7
| 8 - - - - - - - - 8
|   A B C D E F G H
| * to move
""",
        # with a clock and another board beside it
        """
  A B C D E F G H            BLACK            A  B  C  D  E  F  G  H
1 - - - - - - - - 1         0:00.000        1 |  |  |  |  |  |  |  | 1
2 - - - - - - - - 2     2 discs   4 moves   2 |  |  |  |  |  |  |  | 2
3 - - - . - - - - 3                         3 |  |  |  |  |  |  |  | 3
4 - - . O * - - - 4  ply  1 (60 empties)    4 |  |  |()|##|  |  |  | 4
5 - - - * O . - - 5    Black's turn (*)     5 |  |  |##|()|  |  |  | 5
6 - - - - . - - - 6                         6 |  |  |  |  |  |  |  | 6
7 - - - - - - - - 7     2 discs             7 |  |  |  |  |  |  |  | 7
8 - - - - - - - - 8                         8 |  |  |  |  |  |  |  | 8
  A B C D E F G H             WHITE            A  B  C  D  E  F  G  H
""",
        # bare rows in a frame of dashes
        """
--------
........
........
........
...OX...
...XO...
........
........
........
--------
""",
        # the last row on top
        "8 ........\n7 ........\n6 ........\n5 ...@O...\n4 ...O@...\n3 ........\n2 ........\n1 ........\nturn: black",
        "⚪ and ⚫:\n" + "........\n" * 3 + "...⚪⚫...\n...⚫⚪...\n" + "........\n" * 3 + "\nNext: ⚫",
    ],
)
def test_other_peoples_boards_are_read(text):
    assert same(Board.from_text(text), START)


def test_a_word_as_long_as_a_board_is_not_one():
    assert same(Board.from_text(f"{START}\n{'=' * 64}"), START)


def test_discs_that_are_all_alike_are_refused():
    drawing = "\n".join(str(START).replace("X", "●").replace("O", "●").splitlines()[:-1])
    with pytest.raises(OutflankError, match="without colours they are all alike"):
        read(drawing)


# --- moves with things around them ---

HEADERS = """[Event "?"]
[Site "PlayOK"]
[Date "2014.05.24"]
[Black "one [1]"]
[White "other"]
[Result "1-0"]
[TimeControl "300"]

"""


@pytest.mark.parametrize(
    "text",
    [
        HEADERS + "1. f5 d6 2. c3 d3 1-0",
        HEADERS + "1. f5 d6\n2. c3 d3\n\n38-26\n",
        "f5d6c3d3 38-26",
        "f5 d6 c3 d3 (38:26)",
        "F5D6C3D3 +12",
        "1. f5! d6?? {bad} 2. c3 d3 1/2-1/2",
        "1. f5 d6 (f6 is parallel) 2. c3 d3 (tiger)",
        "f5d6c3d3 *",
        "\ufefff5d6c3d3",
        "1. f5 1... d6 2. c3 2... d3",
        "Black: Alice\nWhite: Bob\nf5d6c3d3",
        "Black: Alice\nWhite: Bob\n\nf5 d6 c3 d3\n",
        "Date: 1998-05-17\nResult: 38-26\nMoves: f5d6c3d3",
        "Game: Othello\n1. f5 d6 2. c3 d3",
        "https://games.invalid/othello/123\nf5d6c3d3",
        "www.games.invalid/?g=a1 f5d6c3d3",
        '[White "x"] f5 d6 c3 d3',
        '[White "x"] [Black "y"] f5d6c3d3 *',
        "F5-D6-C3-D3",
        "f5 - d6 - c3 - d3",
        '"f5 d6 c3 d3"',
        "'f5', 'd6', 'c3', 'd3'",
        "`f5d6c3d3`",
        "“f5d6 c3d3” (analysis)",
        "f5d6 c3d3 (analysis)",
    ],
)
def test_headers_remarks_and_results_are_passed_over(text):
    board = Board.from_text(text)
    assert board.transcript() == "f5d6c3d3"


def test_a_header_says_which_game_and_where_it_starts():
    assert read('[Variant "Abalone"]\n\n1. a1b2 i5h5 1-0').format == "Abalone game"
    line = "--------------------------OOO------OXX-----O-------------------- X"
    found = read(f'[Event "Othello"]\n[FEN "{line}"]\n\nc3 *')
    assert Board.from_setup(found).ply == OthelloBoard.from_line(line).ply + 1
    with pytest.raises(OutflankError):
        read('[FEN "rnbqkbnr/8/8/8/8/8/8/8 w"]\n\nf5')


@pytest.mark.parametrize("text", ["a1-b2 i5-h5", "A1-B2, I5-H5", "1. a1-b2 i5-h5 *", "a1b2 i5h5"])
def test_abalone_moves_may_have_dashes(text):
    assert [str(move) for move in Board.from_text(text).moves] == ["A1B2", "I5H5"]
    (record,) = read_records(io.BytesIO(f"game: abalone\n{text.replace('*', '')}\n".encode()))
    assert [move.code for move in record.moves] == [move.code for move in Board.from_text(text).moves]


def test_what_dashes_make_of_either_game_is_abalone():
    assert read("c4-c5").format == "Abalone game"
    assert read("c4c5").format == "transcript"
    assert read("black: one\nwhite: other\na1b2 i5h5").format == "Abalone game"


def test_a_file_with_plain_headers_is_read(run, tmp_path):
    file = tmp_path / "game.txt"
    file.write_text("Black: Alice\nWhite: Bob\nf5d6c3\n")
    status, out, err = run("show", "--file", file)
    assert (status, err) == (0, "")
    assert "move 4" in out
    (record,) = read_records(file)
    assert (record.black, record.white, len(record.moves)) == ("Alice", "Bob", 3)


def test_side_steps_may_have_dashes_too():
    assert str(AbaloneBoard.start().push("c3-c5-d4")) == "C3C5D4"


# --- mirrored games ---


@examples(30)
@given(played(["othello"]))
def test_mirrored_transcripts_are_turned_and_that_is_said(board):
    if not board.moves:
        return
    size = board.size
    flipped = "".join(
        "abcdefgh"[size - 1 - "abcdefgh".index(str(move)[0])] + str(move)[1:]
        for move in board.moves
        if str(move) != "pass"
    )
    found = read(flipped, game="othello", size=size)
    assert "d4 and e5" in found.assumed
    turned = Board.from_setup(found)
    while board.moves and str(board.moves[-1]) == "pass":
        board.pop()
    assert same(turned, board)


def test_a_mirrored_transcript_is_noted_on_standard_error(run, tmp_path):
    status, out, err = run("show", "e3f3f4")
    assert status == 0
    assert "Othello 8×8, move 4" in out
    assert err.startswith("assumed: black begins on d4 and e5")
    file = tmp_path / "games.txt"
    file.write_text("e3f3f4\nf5d6c3\n")
    first, second = read_records(file)
    assert first.start.assumed
    assert not second.start.assumed
    with pytest.raises(OutflankError, match=r"move 2, a1, is not legal"):
        read("e3a1")


def test_what_is_right_as_abalone_is_not_taken_for_a_mirrored_game():
    assert read("c5c6").format == "Abalone game"
    assert read("c5c6", game="othello").format == "transcript"


# --- which game was meant ---


@pytest.mark.parametrize(
    ("text", "game", "said"),
    [
        ("f5d6a1", None, "transcript, column 5: move 3, a1"),
        ("e3f3a1", None, "transcript"),
        ("a1b2 i5h5 z9", None, "Abalone game"),
        ("a1b2 i5i4 a9a8", None, "Abalone game"),
        ("a1b2", "othello", "transcript"),
        ("f5d6", "abalone", "Abalone game"),
        ("(;GM[Othello]BO[8 x])", "abalone", "Abalone"),
        ("sssss/ssssss/2sss2/8/9/8/2SSS2/SSSSSS/SSSSS", "othello", "of Abalone, and Othello is asked for"),
        ("---------------------------OX------XO--------------------------- X", "abalone", "of Othello, and Abalone"),
        ("game: abalone\nblack: one\n1. a1b2", "othello", "of Abalone, and Othello is asked for"),
        ("?!", "abalone", "expected an Abalone line"),
        ("?!", "othello", "expected an Othello board line"),
        ("?!", None, "a drawing of the board; an Abalone line"),
    ],
)
def test_errors_speak_of_the_game_that_was_meant(text, game, said):
    with pytest.raises(OutflankError, match=re.escape(said)):
        read(text, game=game)


@pytest.mark.parametrize(
    "text", ["moves: {}", "  Moves: {}\n", "clock: 5 minutes for the game\nleft unfinished\nmoves: {}"]
)
@pytest.mark.parametrize("moves", ["f5 d6 c3", "A1B2 I9H8"])
def test_what_play_prints_at_the_end_is_read_back(text, moves):
    assert " ".join(map(str, Board.from_text(text.format(moves)).moves)) == moves


def test_passes_that_play_prints_are_read_back():
    moves = "c4 b4 a1 d2 d4 d3 a2 c1 a4 a3 b1 pass d1"
    assert " ".join(map(str, Board.from_text(f"moves: {moves}", size=4).moves)) == moves


def test_a_header_alone_is_no_game():
    with pytest.raises(OutflankError, match="board line, column 2: expected"):
        read("black: me")


def test_saved_abalone_games_and_many_games_are_read_as_text():
    games = "game: abalone\nstart: belgian-daisy\n1. A1B2 I5H5\n\ngame: abalone\n1. A1B2\n"
    assert [len(setup.moves) for setup in read_all(games)] == [2, 1]
    assert [len(setup.moves) for setup in read_all("f5d6\nf5f6e6\n")] == [2, 3]
    assert [len(setup.moves) for setup in read_all("f5d6\nc3d3\n")] == [4]
    ggf = "(;GM[Othello]BO[8 " + START.to_text().replace("X", "*") + "]B[f5];)"
    assert [len(setup.moves) for setup in read_all(ggf + ggf)] == [1, 1]


@examples(300)
@given(
    st.text(alphabet=' \n.-*XOox●○|12345678abcdefghi/+[]"#:', max_size=200),
    st.sampled_from([None, "othello", "abalone"]),
)
def test_anything_is_read_or_refused_in_a_line(text, game):
    with contextlib.suppress(OutflankError):
        assert read_all(text, game=game)


@examples(100)
@given(played(), st.data())
def test_a_damaged_drawing_is_read_or_refused(board, data):
    text = list(str(board))
    for _ in range(data.draw(st.integers(1, 4))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.sampled_from(" .XO*●○|\n1a"))
    with contextlib.suppress(OutflankError):
        assert read_all("".join(text))


def test_headers_above_a_drawing_name_its_players():
    board = OthelloBoard.from_text("f5")
    (record,) = read_all(f'[White "Ann"]\n[Black "Bob"]\n[Event "x"]\n\n{board}')
    assert (record.black, record.white, record.event) == ("Bob", "Ann", "x")
    assert (record.start.position, record.moves) == (board.position, ())


def test_four_lines_are_a_drawing_and_three_are_not():
    assert Board.from_text("....\n.OX.\n.XO.\n....").to_text() == "-----OX--XO----- X"
    with pytest.raises(OutflankError):
        Board.from_text("....\n.OX.\n.XO.")
