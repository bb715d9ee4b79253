"""Evaluations against plain counts on the oracles' boards."""

from typing import NamedTuple

import pytest
from hypothesis import given

import outflank
from outflank.abalone.rules import Abalone
from outflank.games.evaluation import (
    LIMIT,
    WON,
    Exact,
    _registered,
    begin,
    evaluations,
    final,
    register_evaluation,
    value,
)
from outflank.games.rules import mirror, symmetries
from outflank.kernels.bits import popcount
from outflank.kernels.compiler import kernel
from outflank.othello.edge_table import EDGE_VALUES
from outflank.othello.evaluation import EDGE_WEIGHT, Discs
from outflank.othello.rules import Othello
from outflank.othello.squares import othello, size_of
from tests.abalone.test_abalone import named
from tests.conftest import examples
from tests.drawing import abalone_positions, any_positions, othello_positions
from tests.oracles import abalone as abalone_oracle
from tests.oracles import othello as othello_oracle
from tests.othello.test_othello import as_discs


@kernel
def compiled_value(evaluation, game, position):
    return value(evaluation, game, position, begin(evaluation, game, position))


def worth(evaluation, game, position) -> int:
    return int(compiled_value(evaluation, game, position))


def mobility(size, discs):
    return len(othello_oracle.squares_to_play(size, discs, "X")) - len(othello_oracle.squares_to_play(size, discs, "O"))


def four_part(size, discs) -> int:
    """Report 000's evaluation, from its description."""
    corners = {(0, 0), (0, 7), (7, 0), (7, 7)}
    sign = {"X": 1, "O": -1}
    square = potential = 0
    for (x, y), disc in discs.items():
        corner = (7 if x > 3 else 0, 7 if y > 3 else 0)
        away = (abs(x - corner[0]), abs(y - corner[1]))
        if (x, y) in corners:
            square += 90 * sign[disc]
        elif away == (1, 1):
            square -= 60 * sign[disc]
        elif away not in ((0, 1), (1, 0)) and (x in (0, 7) or y in (0, 7)):
            square += 5 * sign[disc]
        if max(away) <= 1 and corner in discs:
            square += 10 * sign[disc]
        around = [(x + dx, y + dy) for dx, dy in othello_oracle.RAYS]
        if any(0 <= i < size and 0 <= j < size and (i, j) not in discs for i, j in around):
            potential -= sign[disc]
    stones = sum(sign[disc] for disc in discs.values())
    tenths = int(len(discs) / 10 + 0.5)
    rise, fall = 1 + tenths, 7 - tenths
    return 2 * square + mobility(size, discs) * (3 + rise) + potential * fall + stones * rise


def edges(discs) -> int:
    """What the table of edges says, edge by edge."""
    found = 0
    for along in ((lambda i: (i, 0)), (lambda i: (i, 7)), (lambda i: (0, i)), (lambda i: (7, i))):
        digits = [".XO".index(discs.get(along(i), ".")) for i in range(8)]
        found += int(EDGE_VALUES[0][sum(digit * 3**i for i, digit in enumerate(digits))])
    return EDGE_WEIGHT * found


@examples(200)
@given(othello_positions())
def test_othello_evaluations_count_what_they_say(drawn):
    game, position = drawn
    size, discs = size_of(game), as_discs(game, position)
    known = evaluations(game)
    stones = sum(1 if disc == "X" else -1 for disc in discs.values())
    assert worth(known["discs"], game, position) == stones
    assert worth(known["mobility"], game, position) == mobility(size, discs)
    if size == 8:
        fine = four_part(size, discs)
        assert worth(known["four-part-fine"], game, position) == fine
        assert worth(known["four-part"], game, position) == int(fine / 8)
        assert worth(known["four-part+edges"], game, position) == int((fine + edges(discs)) / 8)


def rings(own, opp, values) -> int:
    """Report 003's evaluation of one side, from its description."""
    centre = (4, 4)
    spiral, ring_of = ["E5"], {"E5": 0}
    for ring in range(1, 5):
        cell = (centre[0], centre[1] + ring)
        for step in ("NW", "W", "SW", "SE", "E", "NE"):
            for _ in range(ring):
                name = f"{abalone_oracle.ROWS[cell[0]]}{cell[1] + 1}"
                spiral.append(name)
                ring_of[name] = ring
                cell = (cell[0] + abalone_oracle.STEPS[step][0], cell[1] + abalone_oracle.STEPS[step][1])
    change = {"E5": 0}
    for number, name in enumerate(spiral[1:], 1):
        change[name] = 59 * number % (10, 10, 8, 5)[ring_of[name] - 1]
    found = sum(values[ring_of[cell]] + change[cell] for cell in own)
    for cell in own:
        for direction in abalone_oracle.STEPS:
            for length, gain in ((2, 2), (3, 5), (4, 4), (5, 3)):
                if all(abalone_oracle.beside(cell, direction, step) in own for step in range(length)):
                    found += gain
    for (group, direction), (_, after) in abalone_oracle.moves(own, opp).items():
        inline = len(group) == 1 or any(abalone_oracle.beside(cell, direction) in group for cell in group)
        out, pushed = len(opp) - len(after), len(opp - after)
        moved = 2 if pushed and not out and len(group) == 3 and _pushes_two(own, opp, group, direction) else 1
        if out:
            found += 40 if _pushes_two(own, opp, group, direction) else 30
        elif pushed:
            found += 15 if moved == 2 else 14 if len(group) == 3 else 13
        else:
            found += {1: 1, 2: 2, 3: 5}[len(group)]
        assert inline or not pushed
    return found


def _pushes_two(own, opp, group, direction) -> bool:
    (front,) = {abalone_oracle.beside(cell, direction) for cell in group} - group
    return front in opp and abalone_oracle.beside(front, direction) in opp


@examples(60)
@given(abalone_positions())
def test_rings_count_what_report_003_says(drawn):
    game, position = drawn
    own, opp = named(position.own), named(position.opp)
    lost = (0, -800, -1800, -3000, -4400, -6000)
    for name, values in (("rings", (70, 60, 40, 10, 1)), ("rings-lab", (45, 35, 25, 10, 0))):
        found = worth(evaluations(game)[name], game, position)
        if len(own) < 9 or not abalone_oracle.moves(own, opp):
            assert found == -16_000
            continue
        marbles = lost[14 - len(own)] - lost[14 - len(opp)]
        assert found == rings(own, opp, values) - rings(opp, own, values) + marbles


@examples(100)
@given(any_positions)
def test_every_evaluation_keeps_its_bounds_and_the_boards_symmetry(drawn):
    game, position = drawn
    swapped = type(position)(position.opp, position.own)
    for name, evaluation in evaluations(game).items():
        found = worth(evaluation, game, position)
        assert abs(found) < WON <= LIMIT
        assert found == int(value(evaluation, game, position, begin(evaluation, game, position)))
        if name.startswith("rings"):  # whose value knows whose turn it is, and has a lopsided variation
            continue
        if name != "patterns":  # which weigh the move as well
            assert worth(evaluation, game, swapped) == -found
        for symmetry in range(symmetries(game)):
            assert worth(evaluation, game, mirror(game, position, symmetry)) == found


def test_a_finished_game_is_worth_more_than_any_estimate():
    from outflank import AbaloneBoard, OthelloBoard

    lost = OthelloBoard.from_line("XXX------------- O")
    for evaluation in (*evaluations(lost.game).values(), Exact()):
        found = int(final(evaluation, lost.game, lost.position))
        assert found < 0
        assert abs(found) <= LIMIT
    marbles = AbaloneBoard.from_line("5/6/7/8/9/8/7/SSSSSS/SSS2 5 14 b 0 9")
    for evaluation in evaluations(marbles.game).values():
        assert int(final(evaluation, marbles.game, marbles.position)) > 10_000


def own_names(game):
    """The names of the package's own evaluations: other tests in this process may have registered theirs."""
    return [name for name, each in evaluations(game).items() if type(each).__module__.startswith("outflank.")]


def test_names_and_types_are_few():
    names = ["phased", "four-part", "four-part-fine", "four-part+edges", "three-part", "discs", "mobility"]
    assert own_names(othello(8)) == own_names(othello(6)) == ["patterns", *names]
    # The first is the default: where nothing was learnt not the one that was fitted to 8×8.
    assert own_names(othello(4)) == ["mobility", *names[:-1]]
    assert own_names(Abalone(14, 6)) == ["patterns", "cohesion", "rings", "rings-lab"]
    assert own_names(Abalone(14, 5)) == ["cohesion", "rings", "rings-lab"]
    with pytest.raises(TypeError, match="nothing registered"):
        value(object(), None, None, None)


class Halves(NamedTuple):
    worth: float = 0.4


@value.register(Halves)
def _(evaluation, game, position, state):
    return evaluation.worth * (popcount(position.own) - popcount(position.opp))


class Bare(NamedTuple):
    """Nothing is registered for it."""


@pytest.mark.interpreted_only
def test_evaluations_of_the_wrong_kind_are_refused():
    board = outflank.Board.from_text("f5")
    for evaluation, said in (
        (Halves(), "evaluation Halves: its value must be a whole number, found -1.2"),
        (Bare(), "evaluation Bare: no body of `value` is registered for it"),
    ):
        for algorithm in ("pvs", "uct"):
            with pytest.raises(outflank.InvalidOption) as error:
                outflank.search(board, nodes=1, workers=1, evaluation=evaluation, algorithm=algorithm)
            assert str(error.value).startswith(said)
    # What its fields are decides.
    assert outflank.search(board, nodes=1, workers=1, table_bits=None, evaluation=Halves(2)).move is not None


@pytest.mark.interpreted_only
def test_a_name_belongs_to_the_evaluation_that_took_it(monkeypatch):
    monkeypatch.setattr("outflank.games.evaluation._registered", {Othello: dict(_registered.get(Othello, {}))})
    for name, evaluation, said in (
        (
            "discs",
            Halves(2),
            f"evaluation 'discs' of Othello is {Discs.__module__}.Discs: choose another name",
        ),
        ("x", 3, "evaluation 'x': expected a NamedTuple with a registered `value`, found 3"),
        ("x", Halves, "evaluation 'x': expected a NamedTuple with a registered `value`, found the class Halves"),
    ):
        with pytest.raises(outflank.InvalidOption) as error:
            register_evaluation(Othello, name, evaluation)
        assert str(error.value) == said
    with pytest.raises(outflank.InvalidOption, match="expected the class of a game, like Othello"):
        register_evaluation(othello(8), "x", Halves(2))
    register_evaluation(Othello, "halves", Halves(2))
    again = type("Halves", Halves.__bases__, dict(vars(Halves)))  # as a notebook defines it anew
    again.__module__, again.__qualname__ = Halves.__module__, Halves.__qualname__
    assert again is not Halves
    register_evaluation(Othello, "halves", tuple.__new__(again, (3,)))
    assert evaluations(othello(8))["halves"][0] == 3
