"""Evaluations by patterns: indices that follow the moves, weights in files, and weights that are fitted."""

import pickle
from importlib.resources import files

import numpy as np
import pytest

from outflank.abalone import patterns as abalone
from outflank.abalone.layouts import RULES
from outflank.abalone.layouts import start as layout
from outflank.abalone.rules import Abalone, AbalonePosition
from outflank.errors import FormatError, InvalidOption
from outflank.games.evaluation import after, begin, evaluation_named, evaluations, scale_of, value
from outflank.games.pattern_sets import LoadedPatterns, Pattern, PatternSet
from outflank.games.pattern_weights import encode_weights, read_weights
from outflank.games.rules import (
    MOVE,
    fill,
    mirror,
    mirror_move,
    moves_left,
    over,
    pack,
    play,
    score,
    symmetries,
    unpack,
)
from outflank.learning.fit import error, estimates, examples_of, fit
from outflank.learning.labelling import shallow_values, solved_values
from outflank.othello.evaluation import Mobility, Phased
from outflank.othello.patterns import COUNTED, LEARNT_SIZES, WEIGHTS, _symmetries, learnt, patterns_of
from outflank.othello.squares import START, othello, size_of, squares
from outflank.search.alphabeta import alphabeta
from outflank.search.request import Options
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, LOW
from tests.oracles.search import by_hand

BOARDS = {f"othello-{size}": (othello(size), START, learnt, patterns_of(size)) for size in LEARNT_SIZES}
BOARDS["abalone"] = (RULES, layout("snakes"), abalone.learnt, abalone.patterns())
"""Rules, a start, what loads the weights, and the patterns that these are for."""

IDENTITY, TURNED = tuple(range(64)), tuple(63 - cell for cell in range(64))
SMALL = PatternSet(
    name="small",
    patterns=(Pattern.of((0, 1, 2), (IDENTITY, TURNED)), Pattern.of((27, 28, 35, 36), (IDENTITY, TURNED))),
    counts=COUNTED,
    stages=(0,) * 30 + (1,),
)


def drawn_game(seed, board="othello-8", moves=64):
    """The positions of a game of drawn moves, each with its move."""
    game, position, *_ = BOARDS[board]
    draw, buffer = np.random.default_rng(seed), np.zeros(512, MOVE)
    while (count := fill(game, position, buffer, 0)) > 0 and moves > 0:
        move = buffer[draw.integers(count)]
        yield position, move
        position, moves = play(game, position, move), moves - 1


def indices(patterns, state):
    fields = [int(word) >> shift & 0xFFFF for word in state for shift in (0, 16, 32, 48)]
    return fields[: sum(len(pattern.copies) for pattern in patterns.patterns)]


@pytest.mark.interpreted_only
@pytest.mark.parametrize("board", BOARDS)
def test_the_state_follows_the_moves_and_holds_every_copy_in_base_three(board):
    game, start, loaded, patterns = BOARDS[board]
    evaluation = loaded(game)
    copies = [cells for pattern in patterns.patterns for cells in pattern.copies]
    for seed in range(2):
        state = begin(evaluation, game, start)
        for position, move in drawn_game(seed, board):
            assert state == begin(evaluation, game, position)
            digits = [1 - (int(position.own) >> cell & 1) + (int(position.opp) >> cell & 1) for cell in range(64)]
            expected = [sum(digits[cell] * 3**place for place, cell in enumerate(cells)) for cells in copies]
            assert indices(patterns, state) == expected
            child = play(game, position, move)
            state = after(evaluation, game, state, position, move, child)


@pytest.mark.interpreted_only
@pytest.mark.parametrize("board", BOARDS)
def test_every_pattern_lies_on_its_board(board):
    game, _, _, patterns = BOARDS[board]
    cells = {cell for pattern in patterns.patterns for copy in pattern.copies for cell in copy}
    assert cells == set(range(61) if board == "abalone" else squares(size_of(game)))


@pytest.mark.interpreted_only
@pytest.mark.parametrize("board", BOARDS)
def test_images_of_a_position_have_one_value_and_it_depends_on_whose_move_it_is(board):
    game, _, loaded, _ = BOARDS[board]
    evaluation = loaded(game)
    sums = set()
    for position, _ in list(drawn_game(7, board))[::4]:
        images = [mirror(game, position, symmetry) for symmetry in range(symmetries(game))]
        assert len({worth(evaluation, game, image) for image in images}) == 1
        swapped = type(position)(position.opp, position.own)
        sums.add(worth(evaluation, game, position) + worth(evaluation, game, swapped))
    assert len(sums) > 1


@pytest.mark.interpreted_only
def test_abalone_has_weights_for_its_usual_rules_and_they_know_what_was_lost():
    abalone.WEIGHTS.loaded.clear()
    assert "patterns" in evaluations(RULES)
    for other in (Abalone(14, 5), Abalone(12, 6)):
        assert "patterns" not in evaluations(other)
        assert evaluation_named(other) == evaluations(other)["cohesion"]
    assert not abalone.WEIGHTS.loaded
    evaluation = evaluation_named(RULES, "patterns")
    scale = scale_of(RULES, evaluation)
    assert (scale.unit, scale.points) == ("marbles", 400)
    own, opp = layout("belgian-daisy")
    worths = []
    for _ in range(6):
        worths.append(worth(evaluation, RULES, AbalonePosition(own, opp)))
        own &= own - np.uint64(1)
    assert worths == sorted(worths, reverse=True)
    assert worths[0] - worths[-1] > 4 * 400
    # A finished game may be asked for, too; to who learns it is worth all that decides a game.
    assert abs(worth(evaluation, RULES, AbalonePosition(own, opp))) <= 6 * 400
    sides = (opp, own), (own, opp), (opp, opp & (opp - np.uint64(1)))
    assert [abalone.LEARNING.result(RULES, AbalonePosition(*each)) for each in sides] == [6, -6, 1]


@pytest.mark.interpreted_only
def test_squares_go_where_the_rules_put_moves():
    game = othello(8)
    for symmetry, images in enumerate(_symmetries(game)):
        assert images == [int(mirror_move(game, MOVE(square), symmetry)) for square in range(64)]


@pytest.mark.interpreted_only
def test_a_pattern_knows_its_images_and_which_of_its_indices_mean_the_same():
    edge, middle = SMALL.patterns
    assert edge.copies == ((0, 1, 2), (63, 62, 61))
    assert middle.copies == ((27, 28, 35, 36),)
    assert list(edge.smallest_equivalents()) == list(range(27))
    backwards = [sum(index // 3**place % 3 * 3 ** (3 - place) for place in range(4)) for index in range(81)]
    assert list(middle.smallest_equivalents()) == [min(index, other) for index, other in enumerate(backwards)]
    assert SMALL.weights == 27 + len(set(middle.smallest_equivalents())) + sum(COUNTED) + 1


@pytest.mark.interpreted_only
def test_weights_are_loaded_when_they_are_looked_up_and_only_for_their_board():
    WEIGHTS.loaded.clear()
    known = evaluations(othello(8))
    assert "patterns" in known
    assert "patterns" in evaluations(othello(6))
    assert "patterns" not in evaluations(othello(4))
    assert next(iter(known)) == next(iter(evaluations(othello(6)))) == "patterns"  # the default
    assert type(evaluation_named(othello(4))) is Mobility
    assert type(known["phased"]) is Phased
    assert not WEIGHTS.loaded
    evaluation = evaluation_named(othello(8))
    scale = scale_of(othello(8), evaluation)
    assert (scale.unit, scale.points) == ("discs", 128)
    with pytest.raises(InvalidOption, match="name the evaluation"):
        pickle.dumps(evaluation)


@pytest.mark.interpreted_only
@pytest.mark.parametrize("board", BOARDS)
def test_damaged_weights_are_one_line(board):
    *_, patterns = BOARDS[board]
    package = f"outflank.{board.partition('-')[0]}"
    data = (files(package) / "weights" / f"{patterns.name}.weights").read_bytes()
    assert len(data) < (1_000_000 if board == "abalone" else 2_000_000)
    assert read_weights(patterns, data, "w").shape == (max(patterns.stages) + 1, patterns.weights)
    for broken in (
        data[:-9],
        data[:-1],
        data + b"\0",
        data + data,
        data[:1000],
        data[:5000] + b"?" + data[5001:],
        b"",
        b"hello\n",
        data.replace(patterns.name.encode(), b"othello-4x4", 1),
    ):
        with pytest.raises(FormatError) as caught:
            read_weights(patterns, broken, "w")
        assert str(caught.value).startswith("w: ")
        assert len(str(caught.value).splitlines()) == 1
    with pytest.raises(FormatError, match="of other patterns"):
        read_weights(SMALL, data, "w")


def test_fitting_finds_the_weights_that_made_the_values():
    game, draw = othello(8), np.random.default_rng(3)
    boards = np.array([[*position] for seed in range(3) for position, _ in drawn_game(seed)], np.uint64)
    true = draw.normal(0, 3, SMALL.weights).astype(np.float32)
    true[-1] = 0
    examples = examples_of(game, SMALL, boards, np.zeros(len(boards)))
    examples = type(examples)(examples.indices, estimates(examples, true))
    nothing = np.zeros(SMALL.weights, np.float32)
    found = fit(examples, nothing, shrinkage=0.01, passes=20)
    assert error(examples, found) < 0.05 * error(examples, nothing)
    assert found[-1] == 0
    # What nothing is known of stays as it was before.
    unseen = np.setdiff1d(np.arange(SMALL.weights), examples.indices)
    prior = np.full(SMALL.weights, 2, np.float32)
    assert len(unseen) > 0
    assert (fit(examples, prior, passes=5)[unseen] == 2).all()


def test_positions_are_valued_by_looks_and_by_solving():
    game, evaluation = othello(6), evaluation_named(othello(6), "mobility")
    games = [[position for position, _ in drawn_game(seed, "othello-6")] for seed in range(5)]
    ends = [each for game_of in games for each in game_of if int(moves_left(game, each)) == 3]
    boards = np.array([pack(game, position) for position in ends], np.uint64)
    assert len(boards) > 2
    scores = solved_values(game, boards)
    assert list(scores) == [by_hand(game, unpack(game, *board), 99, lambda end: score(game, end)) for board in boards]
    for won in (0, 500):

        def at_the_end(end, won=won):
            if not over(game, end):
                return worth(evaluation, game, end)
            return np.sign(score(game, end)) * won if won else 2 * score(game, end)

        ahead = shallow_values(game, evaluation, 2, boards, 2, won=won)
        assert list(ahead) == [by_hand(game, unpack(game, *board), 2, at_the_end) / 2 for board in boards]


def worth(evaluation, game, position):
    return int(value(evaluation, game, position, begin(evaluation, game, position)))


def test_a_search_of_abalone_finds_what_the_interpreter_makes_of_the_patterns():
    position = list(drawn_game(1, "abalone", 20))[-1][0]
    root = Root(RULES, position, Options(evaluation="patterns", table_bits=4))
    root.begin_search(None)
    asked = (RULES, root.evaluation, position, begin(root.evaluation, RULES, position))
    found = alphabeta(*asked, LOW, HIGH, 1, 1, 0, root.worker, root.probe)
    assert found == by_hand(RULES, position, 1, lambda end: worth(root.evaluation, RULES, end))


@pytest.mark.interpreted_only
def test_an_evaluation_is_the_sum_of_the_weights_of_its_stage():
    game, draw = othello(8), np.random.default_rng(4)
    weights = draw.integers(-500, 500, (2, SMALL.weights)).astype(np.int16)
    weights[:, -1] = 0
    loaded = LoadedPatterns(SMALL, read_weights(SMALL, encode_weights(SMALL, weights), "w"))
    boards = [position for position, _ in drawn_game(5)]
    examples = [examples_of_one(game, position) for position in boards]
    for position, numbers in zip(boards, examples, strict=True):
        left = 64 - int(position.own | position.opp).bit_count()
        found = value(loaded.evaluation, game, position, begin(loaded.evaluation, game, position))
        assert found == weights[int(left >= 30)][numbers].sum()


def examples_of_one(game, position):
    return examples_of(game, SMALL, np.array([[*position]], np.uint64), [0]).indices[0]
