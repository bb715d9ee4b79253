"""Values as people read them: discs, marbles, or an evaluation's own name."""

from typing import NamedTuple

import pytest

from outflank import AbaloneBoard, Limits, OthelloBoard, search
from outflank.games.description import description_of
from outflank.games.evaluation import WON, Exact, evaluation_named, scale_of, unit_scale
from outflank.players.player import Choice

OTHELLO = OthelloBoard.start().game
ABALONE = AbaloneBoard.start().game


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("game", "evaluation", "value", "said"),
    [
        (OTHELLO, "phased", 37, "+3.7 discs"),
        (OTHELLO, "phased", -3, "-0.3 discs"),
        (OTHELLO, "phased", 0, "+0.0 discs"),
        (OTHELLO, "phased", WON + 12, "+12 discs"),
        (OTHELLO, "phased", -WON - 64, "-64 discs"),
        (OTHELLO, "phased", 900, "+64.0 discs"),  # no more discs than there are
        (OTHELLO, "discs", 12, "+12 discs"),
        (OTHELLO, "discs", 0, "+0 discs"),
        (OTHELLO, "mobility", 12, "+12 mobility"),
        (OTHELLO, "mobility", WON + 12, "+12 discs"),
        (OTHELLO, "four-part", -5, "-5 four-part"),
        (OTHELLO, Exact(), -6, "-6 discs"),
        (ABALONE, "cohesion", 280, "+0.70 marbles"),
        (ABALONE, "cohesion", -1, "+0.00 marbles"),
        (ABALONE, "cohesion", 5000, "+6.00 marbles"),
        (ABALONE, "cohesion", WON + 1, "won"),
        (ABALONE, "rings", 1500, "+1.50 marbles"),
        (ABALONE, "rings", -16_000, "lost"),
        (ABALONE, Exact(), 1, "won"),
    ],
)
def test_a_value_is_said_in_its_unit(game, evaluation, value, said):
    chosen = evaluation_named(game, evaluation) if isinstance(evaluation, str) else evaluation
    assert scale_of(game, chosen).text(value) == said


@pytest.mark.interpreted_only
def test_exact_values_are_whole_and_draws_are_drawn():
    assert scale_of(OTHELLO, evaluation_named(OTHELLO)).text(0, exact=True) == "+0 discs"
    assert scale_of(ABALONE, evaluation_named(ABALONE)).text(0, exact=True) == "drawn"
    assert scale_of(ABALONE, evaluation_named(ABALONE)).text(40, bare=True) == "+0.10"


@pytest.mark.interpreted_only
def test_numbers_for_plots_and_other_programs():
    phased = scale_of(OTHELLO, evaluation_named(OTHELLO, "phased"))
    cohesion = scale_of(ABALONE, evaluation_named(ABALONE, "cohesion"))
    assert [phased.number(value) for value in (25, WON + 12, -WON - 12, 900)] == [2.5, 12, -12, 64]
    assert [cohesion.number(value) for value in (600, WON + 1, -WON - 1)] == [1.5, 6, -6]
    assert unit_scale(OTHELLO).text(-2.25) == "-2.2 discs"
    assert description_of(ABALONE).scores.unit == "marbles"


@pytest.mark.interpreted_only
def test_an_unknown_evaluation_says_its_own_name():
    class Whim(NamedTuple):
        pass

    assert scale_of(OTHELLO, Whim()).text(3) == "+3 Whim"


@pytest.mark.interpreted_only
def test_a_game_that_says_nothing_of_its_scores_counts_points():
    class Heaps(NamedTuple):
        pass

    assert scale_of(Heaps(), Exact()).text(12, exact=True) == "+12 points"
    assert unit_scale(Heaps()).text(-3.25) == "-3.2 points"


@pytest.mark.interpreted_only
def test_a_record_has_discs_or_nothing():
    move = OthelloBoard.start().legal_moves[0]
    phased = scale_of(OTHELLO, evaluation_named(OTHELLO, "phased"))
    mobility = scale_of(OTHELLO, evaluation_named(OTHELLO, "mobility"))
    assert Choice(move=move, value=37, scale=phased).value_as_score(OTHELLO) == 3.7
    assert Choice(move=move, value=7, scale=mobility).value_as_score(OTHELLO) is None
    assert Choice(move=move, value=WON + 7, scale=mobility).value_as_score(OTHELLO) == 7
    assert Choice(move=move, value=float("nan"), scale=phased).value_as_score(OTHELLO) is None
    assert Choice(move=move).value_as_score(OTHELLO) is None


def test_results_carry_their_scale():
    found = search(OthelloBoard.start(), Limits(depth=2), workers=1)
    assert found.value_text == f"{found.value / 128:+.1f} discs"
    assert search(AbaloneBoard.start(), Limits(depth=1), workers=1).value_text.endswith(" marbles")
    assert search(OthelloBoard.start(4), Limits(depth=2), workers=1).value_text.endswith(" mobility")


@pytest.mark.compiled
def test_playouts_count_wins():
    found = search(OthelloBoard.start(), Limits(nodes=200), workers=1, algorithm="flat")
    assert found.value_text == f"{found.value / 1000:+.2f} wins"
