"""Proofs of solved positions: what is found is right, what is not right is refused, and the rules of the checker."""

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given

from outflank import AbaloneBoard, Board, OthelloBoard, search
from outflank.errors import InvalidOption
from outflank.games import plain
from outflank.games.rules import mirror, pack, score, symmetries
from outflank.games.sides import Side
from outflank.kernels.compiler import interpreted
from outflank.kernels.record_types import allocate
from outflank.othello.plain import plain_rules
from outflank.othello.rules import OthelloPosition
from outflank.othello.squares import othello, size_of
from outflank.proofs.certificate import DIGEST_BYTES, Certificate, certificate_of, read_certificate
from outflank.proofs.checking import check, first_wrong_leaf
from outflank.proofs.finding import WrongValue, prove
from outflank.proofs.frontier import InvalidProof, distinct
from outflank.search.request import Stop
from outflank.search.stopping import Stopped
from outflank.ui.cli import main
from tests.conftest import examples
from tests.drawing import othello_positions
from tests.oracles import othello as oracle
from tests.oracles.proofs import Walk, Wrong, key
from tests.othello.test_othello import as_discs, as_square
from tests.walking import walk

START = OthelloBoard.start(4)
MIDDLE = "-----OX--XXX--XO O"
"""4×4 with nine squares empty."""


def solved(board: Board) -> int:
    return int(search(board, exact=True, deepen=False, workers=1).value)


@cache
def proved(text: str, leaf: int) -> Certificate:
    board = Board.from_text(text)
    return prove(board, solved(board), leaf=leaf)


def refused(certificate: Certificate) -> str:
    """Why a certificate is refused, once it was written and read."""
    with pytest.raises(InvalidProof) as why:
        check(certificate_of(certificate.to_bytes()))
    told = str(why.value)
    assert "\n" not in told
    return told


def naively(certificate: Certificate) -> bool:
    """Whether the oracle takes a certificate of a board of 4×4 or 6×6 for right."""
    board = certificate.board
    discs = as_discs(board.game, board.position)
    if sorted(each.mover for each in certificate.strategies) != [False, True]:
        return False
    for strategy in certificate.strategies:
        walked = Walk(
            size_of(board.game),
            empties_won=bool(board.game.scoring),
            bound=certificate.value if strategy.mover else -certificate.value,
            leaf=strategy.leaf,
            moves={left: [int(move) for move in moves] for left, moves in strategy.moves.items()},
        )
        try:
            walked.check(discs, strategy.mover)
        except Wrong:
            return False
    return True


# --- the rules of the checker ---


@pytest.mark.interpreted_only
@examples(500)
@given(othello_positions())
def test_the_plain_rules_agree_with_the_oracle(drawn):
    game, position = drawn
    size, discs, rules = size_of(game), as_discs(game, position), plain_rules(game)
    words = pack(game, position)
    children = allocate(plain.CHILDREN, 1)[0]
    end = int(plain.expand(rules, *words, children, 3))
    expected = oracle.squares_to_play(size, discs, "X")
    assert [as_square(game, int(move)) for move in children.moves[3:end]] == expected
    assert bool(plain.can_move(rules, *words)) == bool(expected)
    place, one_by_one = np.int64(0), []
    while (found := plain.next_child(rules, *words, place))[0] != plain.NONE:
        place = found[0]
        one_by_one.append(found[1:])
    assert one_by_one == [(children.first[each], children.second[each]) for each in range(3, end)]
    for place, square in enumerate(expected, 3):
        after = as_discs(game, OthelloPosition(children.first[place], children.second[place]))
        assert {each: oracle.other(disc) for each, disc in after.items()} == oracle.play(size, discs, "X", square)
    assert plain.left(rules, *words) == size**2 - len(discs)
    assert plain.outcome(rules, *words) == score(game, position)
    assert plain.handed_over(rules, *words) == words[::-1]


@pytest.mark.interpreted_only
@examples(300)
@given(othello_positions())
def test_a_key_is_that_of_all_mirror_images_and_of_no_other(drawn):
    game, position = drawn
    rules = plain_rules(game)
    one, two = plain.key_of(rules, *pack(game, position))
    images = {pack(game, mirror(game, position, symmetry)) for symmetry in range(symmetries(game))}
    assert {plain.key_of(rules, *words) for words in images} == {(one, two)}
    assert plain.position_of(rules, one, two) in images  # so that two positions with one key are images of each other
    if size_of(game) < 8:
        assert plain.key_words(rules) == 1
        assert (int(one), int(two)) == (key(size_of(game), as_discs(game, position)), 0)


@pytest.mark.interpreted_only
@pytest.mark.parametrize("words", [1, 2])
def test_keys_are_sorted_and_there_once(words):
    keys = np.random.default_rng(1).integers(0, 5, (200, words)).astype(np.uint64)
    assert distinct(keys).tolist() == sorted(map(list, {tuple(each) for each in keys.tolist()}))
    assert distinct(keys[:0]).shape == (0, words)


@pytest.mark.parametrize(("size", "seeds"), [(4, range(6)), (6, range(3)), (8, range(3))])
def test_leaves_have_the_value_that_searches_find(size, seeds):
    for seed in seeds:
        game = othello(size, "discs" if seed % 2 else "winner-takes-empties")
        position = walk(game, OthelloBoard.start(size).position, seed, size * size - 4 - 5)
        board = OthelloBoard(game, position)
        value, rules = solved(board), plain_rules(game)
        one, two = plain.key_of(rules, *pack(game, position))
        keys = np.array([[one, two][: plain.key_words(rules)]], np.uint64)
        for mine, sign in ((True, 1), (False, -1)):
            for bound in (value - 1, value, value + 1):
                wrong = first_wrong_leaf(rules, keys, mine, sign * bound, allocate(plain.CHILDREN, 1)[0])
                assert (wrong == 1) == (sign * bound <= sign * value), (seed, bound)


# --- proofs that are right ---


@pytest.mark.parametrize("scoring", ["winner-takes-empties", "discs"])
def test_four_by_four_is_proved_from_the_start(scoring):
    board = OthelloBoard.start(4, scoring=scoring)
    value = {"winner-takes-empties": -10, "discs": -8}[scoring]
    certificate = prove(board, value, leaf=5)
    found = check(certificate_of(certificate.to_bytes()), workers=2)
    assert (found.board, found.value) == (board, value)
    black, white = found.strategies
    assert (black.side, black.bound, white.side, white.bound) == (Side.BLACK, value, Side.WHITE, -value)
    assert black.levels[0].left == white.levels[0].left == 12
    assert min(black.positions, white.positions, black.leaves, white.leaves) > 5
    assert naively(certificate)


@pytest.mark.parametrize(
    "text",
    [
        "--O-XXOXXXXX-XXO O",
        "XXXX XOOX XOOX XXXX X",  # full
        "OOOO O--O OXXO OOO- X",  # who is to move has to pass
        "XX-- XX-- XX-- XX-- O",  # over at once, with empty squares
        "--OOOOOOOOOX-OOXXXOOOXXXO-XXXO-XXXX- X",
        "O-OOOOO-XOOOOOXXOOOXXXOOOOXOOOXXOXOOXXOOXOOXXXXO-XXXXXX-XXXXXXX- O",
    ],
)
def test_endings_are_proved_and_checked(text):
    board = Board.from_text(text)
    for leaf in (0, 3, 20) if size_of(board.game) == 4 or not interpreted() else (4,):
        certificate = proved(text, leaf)
        found = check(certificate_of(certificate.to_bytes()))
        assert found.value == solved(board)
        assert all(level.left > leaf for strategy in found.strategies for level in strategy.levels)
        if size_of(board.game) == 4:
            assert naively(certificate)


def test_a_value_that_a_position_has_not_cannot_be_proved():
    board = Board.from_text(MIDDLE)
    value = solved(board)
    for wrong in (value - 1, value + 1, value + 20):
        with pytest.raises(WrongValue, match="the value is another"):
            prove(board, wrong, leaf=3)
    with pytest.raises(InvalidOption, match="no rules of Abalone"):
        prove(AbaloneBoard.start(), 0)


# --- proofs that are wrong ---


def with_moves(certificate: Certificate, strategy: int, left: int, moves) -> Certificate:
    """The same with other moves of one level."""
    chosen = certificate.strategies[strategy]
    changed = replace(chosen, moves={**chosen.moves, left: np.array(moves, np.uint8)})
    others = [changed if place == strategy else each for place, each in enumerate(certificate.strategies)]
    return replace(certificate, strategies=tuple(others))


def losing(certificate: Certificate):
    """Every move of the strategies replaced by each of those that hold less, by the oracle, and by illegal ones."""
    board = certificate.board
    for number, strategy in enumerate(certificate.strategies):
        bound = certificate.value if strategy.mover else -certificate.value
        told = {left: list(map(int, moves)) for left, moves in strategy.moves.items()}
        walked = Walk(4, empties_won=True, bound=bound, leaf=strategy.leaf, moves=told)
        walked.check(as_discs(board.game, board.position), strategy.mover)
        for left, moves in told.items():
            positions = [walked.levels[left][each] for each in sorted(walked.levels[left]) if each[0]]
            for place, discs in enumerate(positions):
                for square in range(64):
                    x, y = as_square(board.game, square)
                    legal = (x, y) in oracle.squares_to_play(4, discs, "X")
                    after = oracle.play(4, discs, "X", (x, y)) if legal else {}
                    held = legal and -walked.value({at: oracle.other(disc) for at, disc in after.items()}) >= bound
                    if not held and (legal or square % 16 == 0):
                        yield with_moves(certificate, number, left, [*moves[:place], square, *moves[place + 1 :]])


def missing_and_more(certificate: Certificate):
    """Each level without one of its moves, and with one more."""
    for number, strategy in enumerate(certificate.strategies):
        for left, moves in strategy.moves.items():
            for place in range(len(moves)):
                yield with_moves(certificate, number, left, np.delete(moves, place))
                yield with_moves(certificate, number, left, np.insert(moves, place, moves[place]))
            yield with_moves(certificate, number, left, [])
        yield with_moves(certificate, number, 1, [18])  # below the leaves


def otherwise_wrong(certificate: Certificate):
    """Other values, strategies of other sides, of one side alone or to other leaves, and other positions."""
    mover, other = certificate.strategies
    for value in range(-16, 17):
        if value != certificate.value:
            yield replace(certificate, value=value)
    for strategies in ((), (mover,), (other,), (mover, mover), (mover, other, mover)):
        yield replace(certificate, strategies=strategies)
    yield replace(certificate, strategies=(replace(mover, mover=False), replace(other, mover=True)))
    for leaf in (0, 1, 5, 9):
        yield replace(certificate, strategies=(replace(mover, leaf=leaf), other))
    yield replace(certificate, board=START)


@pytest.mark.slow(6)
def test_every_mutation_that_is_wrong_is_refused():
    certificate = proved(MIDDLE, 3)
    assert naively(certificate)
    check(certificate)
    told = set()
    mutated = [*losing(certificate), *missing_and_more(certificate), *otherwise_wrong(certificate)]
    assert len(mutated) > 200
    random.Random(1).shuffle(mutated)
    for each in mutated[:20] if interpreted() else mutated:
        told.add(refused(each).partition(":")[0])
    assert {"strategy of black", "strategy of white"} <= told
    assert not any(map(naively, mutated[:40]))


def test_a_damaged_file_is_refused_whole(tmp_path):
    content = proved(MIDDLE, 4).to_bytes()
    chance = random.Random(2)
    damaged = [content[:size] for size in (0, 1, DIGEST_BYTES, *(chance.randrange(len(content)) for _ in range(30)))]
    for _ in range(100):
        spoilt = bytearray(content)
        spoilt[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        damaged.append(bytes(spoilt))
    damaged += [content + b"\0", content.replace(b"outflank/proof/1", b"outflank/proof/2"), b"\n" + content]
    for each in damaged:
        with pytest.raises(InvalidProof, match=r"damaged|no proof"):
            certificate_of(each)
    file = tmp_path / "a.proof"
    file.write_bytes(content)
    assert read_certificate(file).to_bytes() == content


def test_a_file_with_a_right_digest_may_be_wrong_too():
    from hashlib import sha256

    content = proved(MIDDLE, 4).to_bytes()[:-DIGEST_BYTES]
    header, _, moves = content.partition(b"\n")
    for spoilt, why in (
        (header.replace(b'"value":', b'"value":"'), "first line is damaged"),
        (header.replace(b'"mover"', b'"both"'), "side"),
        (header.replace(b'"left":9', b'"left":-9'), "left"),
        (header.replace(b'"othello"', b'"abalone"'), "position cannot be read"),
        (header.replace(b'"othello"', b'"draughts"'), "unknown game"),
        (header.replace(b'"size":4', b'"size":6'), "such rules|cannot be read"),
        (header.replace(b'"size":4', b'"size":"4"'), "such rules|cannot be read"),
        (header.replace(b'"size":4,', b""), "such rules"),
        (header.replace(b"winner-takes-empties", b"nobody"), "unknown scoring"),
        (header.replace(b"XO O", b"XO X"), "strategy of"),
        (header.replace(b"XO O", b"XO"), "position"),
        (header.replace(b'"bytes":', b'"bytes":1'), "ends before|not|unpacked"),
        (header.replace(b'"moves":', b'"moves":1'), "as the first line says"),
        (header.replace(b'"left":6', b'"left":8'), "there twice"),
    ):
        assert spoilt != header
        document = spoilt + b"\n" + moves
        with pytest.raises(InvalidProof, match=why):
            check(certificate_of(document + sha256(document).digest()))
    for document in (content + b"more", header + b"\n" + bytes(len(moves))):
        with pytest.raises(InvalidProof):
            certificate_of(document + sha256(document).digest())


# --- the command ---


def command(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return ended.value.code, *capsys.readouterr()


def test_the_command_says_what_was_checked(capsys, tmp_path):
    from msgspec import json

    from outflank.ui.cli.shared.json_documents import ProofCheckDocument

    file = tmp_path / "middle.proof"
    proved(MIDDLE, 4).write(file)
    status, out, _ = command(capsys, "proof", "check", str(file))
    assert status == 0
    assert "black holds" in out
    assert "white holds" in out
    assert "proved" in out
    status, out, err = command(capsys, "proof", "check", str(file), "--json", "--workers", "2")
    found = json.decode(out, type=ProofCheckDocument)
    assert (status, err, found.value, len(found.strategies)) == (0, "", proved(MIDDLE, 4).value, 2)


def test_the_command_refuses_with_one_line(capsys, tmp_path):
    file = tmp_path / "wrong.proof"
    replace(proved(MIDDLE, 4), value=3).write(file)
    status, out, err = command(capsys, "proof", "check", str(file))
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert f"{file} is refused: strategy of" in err
    file.write_bytes(b"something else")
    assert command(capsys, "proof", "check", str(file))[0] == 1
    status, _, err = command(capsys, "proof", "check", str(tmp_path / "none"))
    assert (status, err.count("\n")) == (2, 1)


def test_solve_writes_a_proof_that_is_right(capsys, tmp_path):
    from msgspec import json

    file, again = tmp_path / "small.proof", tmp_path / "again.proof"
    asked = ("solve", MIDDLE, "--workers", "1", "--table-bits", "12", "--proof")
    status, out, _ = command(capsys, *asked, str(file))
    assert status == 0
    assert f"proof in {file}: " in out
    assert command(capsys, "proof", "check", str(file))[0] == 0
    status, out, _ = command(capsys, *asked, str(again), "--json")
    written = json.decode(out.splitlines()[0])["proof"]
    assert (status, written["file"], written["bytes"]) == (0, str(again), again.stat().st_size)
    found = read_certificate(again)
    assert (found.value, found.strategies[0].leaf) == (proved(MIDDLE, 4).value, written["leaf"])
    larger = tmp_path / "larger.proof"
    status, out, _ = command(capsys, *asked, str(larger), "--leaf", "1", "--json")
    less = json.decode(out.splitlines()[0])["proof"]
    assert (status, less["leaf"], less["moves"] > written["moves"] > 0) == (0, 1, True)
    assert command(capsys, "proof", "check", str(larger))[0] == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--proof", "there"], "there exists already; --force overwrites it"),
        (["--proof", "new", "--wld"], "not beside --wld"),
        (["--proof", "new", "--cluster", "local:2"], "not beside --cluster"),
        (["--proof", "new", "--table-bits", "0"], "--table-bits must not be 0"),
        (["--proof", "new", "--leaf", "256"], "256 is not in the range"),
        (["--leaf", "6"], "--leaf is for proofs"),
        (["--proof", "new", "--game", "abalone"], "no rules of Abalone"),
        (["--proof", "new", "--file", "two.txt"], "there are 2; --number N chooses one"),
    ],
)
def test_solve_refuses_what_no_proof_can_be_written_of(capsys, tmp_path, monkeypatch, arguments, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").write_bytes(b"")
    (tmp_path / "two.txt").write_text(f"{MIDDLE}\n{MIDDLE}\n")
    status, _, err = command(capsys, "solve", *arguments)
    assert (status, err.count("\n")) == (2, 1)
    assert told in err
    assert not (tmp_path / "new").exists()


@pytest.mark.interpreted_only
@pytest.mark.parametrize("leaf", [-1, 256])
def test_leaves_have_some_moves_left(leaf):
    with pytest.raises(InvalidOption, match=rf"^leaf={leaf}: leaves have 0 to 255 moves left$"):
        prove(START, -10, leaf=leaf)


def test_a_proof_can_be_stopped():
    stop = Stop()
    stop()
    with pytest.raises(Stopped):
        prove(START, -10, leaf=3, stop=stop)
