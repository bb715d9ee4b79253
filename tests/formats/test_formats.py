"""Every notation there and back, and arbitrary text."""

import contextlib
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.abalone.formats.line import read_abalone_line, write_abalone_line
from outflank.abalone.formats.move_text import read_move, write_move, write_nacre
from outflank.abalone.formats.position_file import read_position_file, write_position_file
from outflank.abalone.geometry import SPIRAL, board, cell_name, cells
from outflank.abalone.layouts import LAYOUTS, RULES, start
from outflank.abalone.rules import AbalonePosition
from outflank.errors import FormatError, IllegalMove, InvalidPosition, OutflankError, UnknownName
from outflank.formats.recognise import read, read_all
from outflank.games.sides import Side
from outflank.othello.formats.board_line import read_board_line, write_board_line, write_obf
from outflank.othello.formats.bracket_games import read_game
from outflank.othello.formats.transcript import read_transcript, write_transcript
from outflank.othello.squares import START, othello, size_of, square_number
from tests import entries
from tests.conftest import examples
from tests.drawing import SEEDS, abalone_positions, othello_positions
from tests.oracles import abalone as oracle
from tests.walking import legal, walk

SIDES = st.sampled_from(list(Side))
START_LINE = "---------------------------OX------XO--------------------------- X"
FFO_1 = (
    "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; "
    "G8:+18; H1:+12; H7:+6; A2:+6; A3:+4; B1:-4; A4:-22; G2:-24;"
)
GGF = (
    "(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[Saio1200]PW[Saio3000]RB[2197.01]RW[2199.72]"
    "TI[05:00//02:00]TY[8]RE[-58.00]BO[8 ---------------------------O*------*O--------------------------- *]"
    "B[d3//0.01]W[c5]B[D6/-2.00/1.03];)"
)
SGF = "(;FF[4]GM[2]SZ[8]AB[e4][d5]AW[d4][e5]PL[B]RE[B+4]C[a \\] bracket];B[f5];W[d6](;B[c3];W[d3])(;B[c5]))"


# --- there and back ---


@examples(200)
@given(othello_positions(), SIDES)
def test_board_lines(drawn, side):
    game, position = drawn
    line = write_board_line(game, position, side)
    back = read_board_line(line)
    assert (back.position, back.turn, size_of(back.game)) == (position, side, size_of(game))
    assert read(line) == back
    size = size_of(game)
    rows = "\n".join(line[row * size : (row + 1) * size] for row in range(size))
    assert read_board_line(f"{rows}\n{side} to move").position == position
    scores = {move: move % 7 - 3 for move in legal(game, position)}
    assert read(write_obf(game, position, side, scores)).scores == scores


@examples(200)
@given(abalone_positions(), SIDES, st.integers(0, 500))
def test_abalone_lines_and_position_files(drawn, side, ply):
    game, position = drawn
    ply = 2 * (ply // 2) + (side is Side.WHITE)
    line = write_abalone_line(game, position, side, ply)
    for back in (read_abalone_line(line), read(line), read(line, game="abalone")):
        assert (back.position, back.turn, back.ply) == (position, side, ply)
    file = write_position_file(position, side, ply)
    for back in (read_position_file(file), read(file)):
        assert (back.position, back.turn, back.ply) == (position, side, ply)


@examples(100)
@given(SEEDS, st.sampled_from([4, 6, 8]), st.booleans())
def test_transcripts(seed, size, passes):
    game = othello(size)
    position, moves = START, []
    while options := legal(game, position):
        move = options[seed % len(options)]
        seed = seed * 6364136223846793005 % 2**63
        moves.append(move)
        position = entries.play(game, position, move)
    text = write_transcript(game, moves, passes=passes)
    assert list(read_transcript(text, size).moves) == moves
    spaced = " ".join(f"{number}. {text[at : at + 2].upper()}" for number, at in enumerate(range(0, len(text), 2), 1))
    assert list(read_transcript(spaced, size).moves) == moves


@examples(50)
@given(abalone_positions())
def test_abalone_moves_in_both_notations(drawn):
    game, position = drawn
    moves = legal(game, position)
    assert len({write_move(move) for move in moves}) == len(moves)
    for move in moves:
        assert read_move(game, position, write_move(move)) == move
        assert read_move(game, position, write_nacre(move).lower()) == move


# --- the examples of the formats' descriptions ---


def test_sides_and_cells_have_many_letters():
    line = START_LINE.replace("X", "*").replace("O", "0").replace("-", ".")
    assert read(line).position == START
    assert read(START_LINE.replace("X", "b").replace("O", "w").replace("-", "_")).position == START
    assert read(START_LINE[:-1] + "O").turn is Side.WHITE
    assert read(f"{START_LINE} % the start").position == START
    assert read(START_LINE).ply == 0
    assert read("--bw--wb-------- b").turn is Side.BLACK


def test_obf_has_scores():
    setup = read(FFO_1)
    assert setup.format == "OBF"
    assert setup.scores[square_number(8, "g8")] == 18
    assert setup.scores[square_number(8, "g2")] == -24
    assert setup.ply == 46
    assert len(read_all(f"% two\n{FFO_1}\n\n{FFO_1}\n")) == 2
    assert len(read_all(f"{FFO_1}\n{START_LINE}")) == 2


def test_games_in_brackets():
    ggf = read(GGF)
    assert (ggf.format, len(ggf.moves), ggf.position) == ("GGF", 3, START)
    sgf = read(SGF)
    assert sgf.format == "SGF"
    assert [square_number(8, name) for name in ("f5", "d6", "c3")] == list(sgf.moves[:3])
    letters = read("(;GM[2];B[fe];W[df])")
    assert letters.moves == sgf.moves[:2]
    sized = read("(;GM[2]AB[c4][d3]AW[c3][d4]SZ[6]PL[B])")
    assert (sized.position, size_of(sized.game)) == (START, 6)
    with pytest.raises(FormatError, match=r"GM\[2\]"):
        read_game("(;GM[1]SZ[19];B[aa])")


def test_passes_left_out_are_put_in():
    # Black wipes white out in nine moves; a game of 4×4 has forced passes on most lines.
    game = "f5f6e6f4e3d6c5f3g5"
    setup = read_transcript(game)
    assert write_transcript(setup.game, setup.moves) == game


def test_the_position_file_allows_frames_and_text():
    file = """Some text about O: and X:
#29 O: 14 (59.2 secs), X: 14 (60 secs)
      -----------
     / . . . . . \\
    / . O O O O . \\
   / . O O . O . . \\
  / . . O O O . . . \\
 < . . O O O . . . . >
  \\ . X O X X X . . /
   \\ . X X X X X . /
    \\ X X X X X . /
     \\ . . . . . /
"""
    setup = read(file)
    assert (setup.turn, setup.ply) == (Side.WHITE, 29)
    assert read(file.replace("#29 ", "#29 o ")).turn is Side.BLACK
    assert read(file.replace("#29 ", "#28 x ")).turn is Side.WHITE
    assert len(legal(setup.game, setup.position)) == len(oracle_moves(setup))


def test_marbles_lost_may_stand_in_either_order():
    rows = "sssss/ssssss/2sss2/8/9/8/2SSS2/SSSSSS/SSS2"
    assert read(f"{rows} 2 0 b 0 9").position == read(f"{rows} 0 2 b 0 9").position == read(rows).position
    with pytest.raises(InvalidPosition, match="2 and 0"):
        read(f"{rows} 1 1 b 0 9")


def test_what_could_be_either_game_is_othello():
    assert read("f5d6c3").format == "transcript"
    assert read("a1b2 i5h5").format == "Abalone game"  # no such opening in Othello
    assert read("1. a1b2 2. I5H5", game="abalone").format == "Abalone game"
    nacre = write_nacre(next(move for move in legal(RULES, start()) if len(write_move(move)) == 6))
    assert read(nacre, game="abalone").moves == read(write_move(read(nacre, game="abalone").moves[0])).moves


# --- errors ---


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", FormatError, "nothing to read"),
        ("?", FormatError, "expected an Othello board line"),
        ("f5d6c9", FormatError, "column 5: expected a square"),
        ("f5d6c3z", FormatError, "column 7"),
        ("f5f5", IllegalMove, "move 2, f5, is not legal here"),
        (START_LINE[:-2], FormatError, "16, 36 or 64 cells and the side to move"),
        (START_LINE.replace("OX-", "O?-", 1), FormatError, r"column 29: expected a cell .* found '\?'"),
        (START_LINE[:-1] + "-", FormatError, r"expected the side to move \(X or O\)"),
        (f"{START_LINE}; G9:+3", FormatError, "like G8:"),
        ("sssss/ssssss/2sss2/8/9/8/2SSS2/SSSSSS/SSSS", FormatError, "1 more cells of row A"),
        ("sssss/ssssss/2sss3/8/9/8/2SSS2/SSSSSS/SSSSS", FormatError, "2 more cells of row G"),
        ("sssss/ssssss/2sss2/8/9/8/2SSS2/SSSSSS/SSSSS 0 0 x", FormatError, "the side to move"),
        ("sssss/ssssss/2sss2/8/9/8/2SSS2/SSSSSS/SSSSS 0 0 b 0 1 9", FormatError, "nothing after"),
        ("sssss/ssssss/sssssss/8/9/8/2SSS2/SSSSSS/SSSSS", InvalidPosition, "white has 18 marbles"),
        ("5/6/7/8/9/8/2s4/SSSSSS/SS3", InvalidPosition, "both sides"),
        ("#12\n. . . . .\n. . . .\n", FormatError, "the 6 cells of row B"),
        ("#12 O O: 14, X: 14\n", FormatError, "the 5 cells of row A"),
        ("(;GM[Othello]BO[7 --- *];)", FormatError, "size"),
        ("(;GM[2];B[f5];W[z9])", FormatError, "a square or a pass"),
        ("(;GM[2];B f5", FormatError, "a property like"),
        ("a1b2 j5", FormatError, "Abalone game, column 6, move 2: Abalone move, column 1"),
        ("f5d6c3 d3 c4 oops", FormatError, "transcript, column 14: expected a square"),
        ("f5\n\n d7", IllegalMove, "line 3, column 2: move 2, d7"),
        (f"{START_LINE}\n{START_LINE[:20]}?{START_LINE[21:]}", FormatError, "line 2: board line, column 21"),
        ("(;GM[2];B[f5];B[d6])", FormatError, "move 2 is black's, but white is to move"),
        ("(;GM[2];B[f5];AW[a1])", FormatError, "no AW after the first move"),
    ],
)
def test_errors_show_the_place_and_what_was_expected(text, error, message):
    with pytest.raises(error, match=message) as raised:
        read(text)
    assert "\n" not in str(raised.value)


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(UnknownName, match=r"'chess' \(known: othello, abalone\)"):
        read("f5", game="chess")
    with pytest.raises(UnknownName, match="did you mean 'belgian-daisy'"):
        start("belgian-dasy")
    with pytest.raises(UnknownName, match="board size '5'"):
        othello(5)


@pytest.mark.parametrize("move", ["", "A1", "A1B", "A1Z9", "A1B2C3D4", "A9B2", "E5E6 "])
def test_wrong_abalone_moves_are_told_apart(move):
    with pytest.raises((FormatError, IllegalMove)):
        read_move(RULES, start(), move)


# --- arbitrary text never ends in anything but our own errors ---

PIECES = st.sampled_from(
    [
        START_LINE,
        FFO_1,
        GGF,
        SGF,
        *LAYOUTS.values(),
        "#29 X O: 14, X: 14\n",
        ". . . . .\n",
        "f5d6c3",
        "A1B2 ",
        "; G8:+1",
    ]
)
CHARACTERS = st.text(alphabet=string.printable + "XO-*.;:/[]()%#é\u2003\u0663", max_size=80)


@examples(500)
@given(
    st.one_of(st.text(max_size=60), CHARACTERS, st.lists(st.one_of(PIECES, CHARACTERS), max_size=4).map("".join)),
    st.sampled_from([None, "othello", "abalone"]),
    st.sampled_from([4, 6, 8]),
    st.sampled_from(sorted(LAYOUTS)),
)
def test_arbitrary_text(text, game, size, layout):
    with contextlib.suppress(OutflankError):
        assert read_all(text, game=game, size=size, layout=layout)


@examples(300)
@given(PIECES, st.integers(0, 200), st.characters(), st.booleans())
def test_texts_with_one_character_wrong(text, place, character, insert):
    place %= len(text)
    spoilt = text[:place] + character + text[place + (not insert) :]
    with contextlib.suppress(OutflankError):
        read(spoilt)


# --- files that others wrote ---


def oracle_moves(setup):
    own, opp = (frozenset(map(cell_name, cells(word))) for word in setup.position)
    return oracle.moves(own, opp)


def test_lab_positions_are_read_as_the_lab_wrote_them():
    folder = Path(__file__).parents[1] / "data"
    for name in ("midgame1", "midgame2", "endgame"):
        text = (folder / f"{name}.position").read_text()
        setup = read(text)
        assert write_position_file(setup.position, setup.turn, setup.ply) == text
        assert len(legal(setup.game, setup.position)) == len(oracle_moves(setup))


def test_two_marbles_on_a_cell_cannot_be_written_down():
    word = board({SPIRAL[0]})
    line = write_abalone_line(RULES, AbalonePosition(word, word), Side.BLACK)
    with pytest.raises(InvalidPosition):
        read(line)


def test_walks_differ_by_seed():
    assert len({walk(RULES, start(), seed, 6) for seed in range(5)}) == 5
