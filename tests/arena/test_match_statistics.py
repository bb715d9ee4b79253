"""What is concluded from results: against closed forms, against simulated matches, and against published ones."""

import random
import re
from functools import cache
from math import exp, isclose, isfinite, log, sqrt
from statistics import NormalDist

import numpy as np
import pytest

from outflank.arena.elo_statistics import (
    ELO_PER_DEVIATION,
    GAME_VALUES,
    MOST_ELO,
    PAIR_VALUES,
    Observed,
    elo,
    elo_of,
    normalized_elo,
    ratings,
    score_interval,
    score_of,
    superiority,
)
from outflank.arena.likelihood import log_likelihood, log_likelihood_scaled
from outflank.arena.match_report import duel_lines, table_rows
from outflank.arena.sprt import SequentialTest, Sprt, SprtState
from outflank.arena.standing import Duel, MatchStanding
from outflank.errors import OutflankError

pytestmark = pytest.mark.interpreted_only

PUBLISHED = [
    # counts of pairs, bounds and LLR: OpenBench and fishtest, tests of PlentyChess (pull requests 95, 213, 233, 217,
    # 211, 250 and 334), viridithas (210 and 196) and Stockfish (commit messages); all in normalised Elo
    ((46, 936, 2083, 1043, 63), 0, 5, 2.91),
    ((44, 241, 590, 413, 71), 0, 3, 2.91),
    ((59, 1365, 2872, 1515, 89), 0, 3, 2.91),
    ((25, 318, 815, 464, 54), 0, 3, 2.95),
    ((1, 3, 32, 87, 164), 0, 3, 2.93),
    ((136, 5026, 11359, 5260, 153), 0, 3, 2.90),
    ((214, 8992, 19871, 9102, 235), 0, 2.5, 0.16),
    ((5, 942, 2469, 1050, 5), -3, 1, 2.90),
    ((189, 845, 1540, 899, 214), -5, 0, 2.98),
    ((51, 648, 1441, 809, 76), 0, 3, 2.97),
    ((1721, 77704, 208246, 77189, 1732), -1.75, 0.25, 3.19),
    ((210, 9236, 25655, 9432, 187), -1.75, 0.25, 2.93),
    ((7, 7001, 27083, 7145, 4), -1.75, 0.25, 2.94),
    ((372, 17511, 39320, 17934, 399), 0, 2, 2.93),
    # fastchess, tests of Zeno, with hypotheses far from 0
    ((352, 579, 1264, 743, 464), 9, 16, 4.60),
    ((4, 14, 58, 76, 91), 150, 180, 4.63),
    ((97, 175, 581, 333, 605), 110, 120, 4.62),
    ((31, 139, 525, 651, 633), 138, 140, 2.95),
]

PUBLISHED_ELO = [
    # counts of pairs, Elo and its error: the same tests
    ((59, 1365, 2872, 1515, 89), 6.18, 3.40),
    ((136, 5026, 11359, 5260, 153), 2.12, 1.66),
    ((189, 845, 1540, 899, 214), 4.90, 5.35),
    ((51, 648, 1441, 809, 76), 12.12, 4.98),
    ((352, 579, 1264, 743, 464), 19.83, 6.77),
    ((97, 175, 581, 333, 605), 118.23, 10.75),
]

PUBLISHED_NORMALIZED = [
    # counts of pairs, normalised Elo and its error, likelihood of superiority in per cent: fastchess, Zeno
    ((352, 579, 1264, 743, 464), 24.25, 8.26, 100.00),
    ((224, 309, 874, 347, 246), 8.95, 10.77, 94.84),
    ((200, 557, 1005, 643, 249), 16.07, 9.35, 99.96),
    ((1909, 4418, 9199, 4508, 1964), 2.12, 3.25, 89.97),
    ((253, 458, 809, 412, 242), -6.71, 10.33, 10.13),
]


@pytest.mark.parametrize(("counts", "elo0", "elo1", "llr"), PUBLISHED)
def test_published_llr(counts, elo0, elo1, llr):
    assert Sprt(elo0=elo0, elo1=elo1).llr(Observed.pairs(counts)) == pytest.approx(llr, abs=0.0051)


@pytest.mark.parametrize(("counts", "value", "error"), PUBLISHED_ELO)
def test_published_elo(counts, value, error):
    found = elo(Observed.pairs(counts))
    assert found.value == pytest.approx(value, abs=0.0051)
    assert found.error == pytest.approx(error, abs=0.011)  # theirs is the normal interval, ours the likelihood's


def test_published_othello_match():
    """21,568 games of two versions of a program from XOT openings: +5.6 ± 4.5. Othello has few draws."""
    found = elo(Observed.pairs((2410, 367, 5075, 327, 2605)))
    assert found.value == pytest.approx(5.6, abs=0.051)
    assert found.error == pytest.approx(4.5, abs=0.06)


@pytest.mark.parametrize(("counts", "value", "error", "percent"), PUBLISHED_NORMALIZED)
def test_published_normalized_elo_and_superiority(counts, value, error, percent):
    observed = Observed.pairs(counts)
    found = normalized_elo(observed)
    assert found.value == pytest.approx(value, abs=0.0051)
    assert found.error == pytest.approx(error, abs=0.0051)
    assert 100 * superiority(observed) == pytest.approx(percent, abs=0.02)


def test_unpaired_error_of_a_published_match():
    # PlentyChess's pull request 95 prints the error of single games beside counts of pairs.
    assert elo(Observed.single(1908, 4385, 2049)).error == pytest.approx(5.13, abs=0.01)


def test_wins_and_losses_alone_are_walds_test():
    for wins, losses in ((7, 3), (0, 4), (50, 50), (1, 0)):
        for elo0, elo1 in ((0, 10), (-20, 20), (30, 200)):
            s0, s1 = score_of(elo0), score_of(elo1)
            exact = wins * log(s1 / s0) + losses * log((1 - s1) / (1 - s0))
            found = Sprt(elo0=elo0, elo1=elo1, scale="logistic").llr(Observed.single(losses, 0, wins))
            assert found == pytest.approx(exact, abs=1e-9)


def test_all_wins_and_all_draws_in_closed_form():
    test = Sprt(elo0=0, elo1=40, scale="logistic")
    s0, s1 = score_of(0), score_of(40)
    # Whatever was not won must have been lost outright: nothing else makes so many wins likelier.
    assert test.llr(Observed.pairs((0, 0, 0, 0, 12))) == pytest.approx(12 * log(s1 / s0))
    assert test.llr(Observed.pairs((12, 0, 0, 0, 0))) == pytest.approx(12 * log((1 - s1) / (1 - s0)))
    assert test.llr(Observed.pairs((0, 0, 12, 0, 0))) == pytest.approx(12 * log(2 - 2 * s1))


def test_the_constrained_maximum_is_one():
    """No other probabilities with the same mean make the counts likelier."""
    chance = np.random.default_rng(1)
    values = np.array(PAIR_VALUES)
    for counts in ((3, 4, 10, 9, 8), (1, 0, 2, 0, 3), (0, 0, 5, 1, 0)):
        shares = np.array(counts) / sum(counts)
        own = sum(count * log(share) for count, share in zip(counts, shares, strict=True) if count)
        best = log_likelihood(PAIR_VALUES, counts, 0.55) + own
        for _ in range(300):
            drawn = chance.dirichlet(np.array(counts) + 0.3)
            mean = float(drawn @ values)
            # Mix with an end until the mean is right.
            end = np.eye(5)[4 if mean < 0.55 else 0]
            weight = (0.55 - mean) / (float(end @ values) - mean)
            mixed = (1 - weight) * drawn + weight * end
            assert mixed @ values == pytest.approx(0.55)
            assert sum(count * log(share) for count, share in zip(counts, mixed, strict=True) if count) <= best + 1e-9


def test_the_scaled_maximum_is_one():
    """The same where the distance in deviations is given: small shifts along the constraint lose likelihood."""
    counts, distance = (3, 4, 10, 9, 8), 0.2
    best = log_likelihood_scaled(PAIR_VALUES, counts, distance)
    values = np.array(PAIR_VALUES)
    shares = np.array(counts) / sum(counts)
    chance = np.random.default_rng(2)
    tried = 0
    for _ in range(400):
        drawn = chance.dirichlet(np.array(counts) * 4.0)
        low, high = -8.0, 8.0
        for _ in range(60):  # tilt it until it lies on the constraint
            slope = (low + high) / 2
            tilted = drawn * np.exp(slope * values)
            tilted /= tilted.sum()
            mean = float(tilted @ values)
            if mean - 0.5 < distance * sqrt(float(tilted @ (values - mean) ** 2)):
                low = slope
            else:
                high = slope
        tried += 1
        assert float(np.array(counts) @ np.log(tilted / shares)) <= best + 1e-6
    assert tried == 400


def test_interval_is_the_usual_one_for_many_games():
    observed = Observed.pairs((352, 579, 1264, 743, 464))
    low, high = score_interval(observed)
    width = 1.959964 * observed.deviation / sqrt(observed.units)
    assert low == pytest.approx(observed.score - width, abs=2e-5)
    assert high == pytest.approx(observed.score + width, abs=2e-5)
    assert superiority(observed) == pytest.approx(
        NormalDist().cdf((observed.score - 0.5) * sqrt(observed.units) / observed.deviation), abs=1e-6
    )


@pytest.mark.parametrize(
    "counts",
    [
        (0,) * 5,
        (0, 0, 0, 0, 1),
        (0, 0, 0, 0, 500),
        (500, 0, 0, 0, 0),
        (0, 0, 90, 0, 0),
        (0, 1, 0, 0, 0),
        (1, 0, 0, 0, 1),
    ],
)
def test_degenerate_counts_are_finite(counts):
    for observed in (Observed.pairs(counts), Observed.single(*counts[::2])):
        found, scaled = elo(observed), normalized_elo(observed)
        assert -MOST_ELO <= found.low <= found.value <= found.high <= MOST_ELO
        assert -MOST_ELO <= scaled.low <= scaled.value <= scaled.high <= MOST_ELO
        assert found.low < found.high  # nothing is ever certain
        assert 0 <= superiority(observed) <= 1
        for scale in ("normalized", "logistic"):
            for elo0, elo1 in ((0, 5), (-400, 400), (999, 1000)):
                assert isfinite(Sprt(elo0=elo0, elo1=elo1, scale=scale).llr(observed))


def test_degenerate_counts_are_sensible():
    nothing, wins, draws = Observed.pairs((0,) * 5), Observed.pairs((0, 0, 0, 0, 10)), Observed.pairs((0, 0, 10, 0, 0))
    assert elo(nothing).value == nothing.deviation == 0
    assert superiority(nothing) == superiority(draws) == 0.5
    assert elo(draws).low == pytest.approx(-elo(draws).high)
    assert elo(wins).low == pytest.approx(elo_of(exp(-1.92073 / 10)), abs=0.01)
    assert elo(Observed.pairs((0, 0, 0, 0, 100))).low > elo(wins).low
    assert superiority(wins) > 0.999
    test = Sprt(elo0=0, elo1=20)
    assert test.llr(wins) > 0 > test.llr(Observed.pairs((10, 0, 0, 0, 0)))
    assert test.llr(nothing) == 0
    # Draws speak against a difference.
    assert test.llr(draws) < 0


def test_swapping_the_players_mirrors_everything():
    observed, other = Observed.pairs((3, 4, 10, 9, 8)), Observed.pairs((8, 9, 10, 4, 3))
    assert elo(observed).value == pytest.approx(-elo(other).value)
    assert elo(observed).low == pytest.approx(-elo(other).high, abs=1e-4)
    assert superiority(observed) == pytest.approx(1 - superiority(other))
    for scale in ("normalized", "logistic"):
        forth = Sprt(elo0=-5, elo1=20, scale=scale).llr(observed)
        assert forth == pytest.approx(-Sprt(elo0=-20, elo1=5, scale=scale).llr(other), abs=1e-6)


def test_bounds_and_what_is_refused():
    assert Sprt(elo0=0, elo1=3).bounds == pytest.approx((-2.9444, 2.9444), abs=1e-4)
    assert Sprt(elo0=0, elo1=3, alpha=0.05, beta=0.10).bounds == pytest.approx((-2.2513, 2.8904), abs=1e-4)
    assert str(SprtState(sprt=Sprt.parse("0,3"), llr=2.96, units=7, decision="H1")) == (
        "2.96 (-2.94, 2.94) [0.00, 3.00] H1 accepted"
    )
    for text in ("3,0", "0", "a,b", "0,0", "0,1,2", "nan,1", "0,inf"):
        with pytest.raises(OutflankError):
            Sprt.parse(text)
    with pytest.raises(OutflankError):
        Sprt(elo0=0, elo1=1, alpha=0)


# --- simulated matches ---


def pair_shares(score: float, draws: float) -> list[float]:
    """Of the five results of a pair whose games are independent."""
    win = score - draws / 2
    shares = (1 - win - draws, draws, win)
    found = [0.0] * 5
    for first, one in enumerate(shares):
        for second, other in enumerate(shares):
            found[first + second] += one * other
    return found


def score_at(nelo: float, draws: float) -> float:
    """The score at which normalised Elo is so much."""
    low, high = 0.5, 0.9
    for _ in range(60):
        middle = (low + high) / 2
        deviation = sqrt(middle - draws / 4 - middle**2)
        if (middle - 0.5) / deviation * ELO_PER_DEVIATION < nelo:
            low = middle
        else:
            high = middle
    return low


def accepted(test: Sprt, shares: list[float], runs: int, seed: int) -> float:
    """How often H1 is accepted."""
    chance = random.Random(seed)
    wins = 0
    for _ in range(runs):
        running = SequentialTest(test, paired=True)
        while running.state.decision is None:
            running.add(chance.choices(range(5), shares)[0])
        wins += running.state.decision == "H1"
    return wins / runs


@pytest.fixture
def remembered(monkeypatch):
    """Simulated matches come to the same counts again and again: what they say is computed once."""
    monkeypatch.setattr(Sprt, "llr", cache(Sprt.llr))


@pytest.mark.slow(3)
@pytest.mark.usefixtures("remembered")
def test_error_rates_of_simulated_matches():
    """400 tests under each hypothesis: an error rate of 5 % is then measured to ±2 % (95 %)."""
    test = Sprt(elo0=0, elo1=100, scale="logistic")
    assert 0.02 < accepted(test, pair_shares(score_of(0), 0.1), 400, seed=1) < 0.08
    assert 0.02 < 1 - accepted(test, pair_shares(score_of(100), 0.1), 400, seed=2) < 0.08


@pytest.mark.slow(4)
@pytest.mark.usefixtures("remembered")
def test_error_rates_in_normalized_elo():
    test = Sprt(elo0=0, elo1=120)
    assert accepted(test, pair_shares(score_at(0, 0.3), 0.3), 120, seed=3) < 0.11
    assert 1 - accepted(test, pair_shares(score_at(120, 0.3), 0.3), 120, seed=4) < 0.11


@pytest.mark.slow(2)
def test_interval_covers_the_truth():
    """In 95 of 100 simulated matches, about, also where pairs are few."""
    chance = random.Random(5)
    true = 60.0
    shares = pair_shares(score_of(true), 0.1)
    covered = 0
    for _ in range(400):
        drawn = chance.choices(range(5), shares, k=25)
        found = elo(Observed.pairs([drawn.count(place) for place in range(5)]))
        covered += found.low <= true <= found.high
    assert 0.92 < covered / 400 < 0.98


# --- ratings ---


def test_two_players_are_rated_as_elo_says():
    for points, games in ((30.5, 40), (7, 20), (10, 20)):
        first, second = ratings([[0, points], [games - points, 0]])
        assert first.elo - second.elo == pytest.approx(elo_of(points / games))
        assert first.elo == pytest.approx(-second.elo)


def test_ratings_are_found_again():
    """From the points that players of known ratings expect of each other."""
    true = [150.0, 20.0, -40.0, -130.0]
    points = [[0.0 if i == j else 100 * score_of(a - b) for j, b in enumerate(true)] for i, a in enumerate(true)]
    found = ratings(points)
    assert [each.elo for each in found] == pytest.approx(true, abs=1e-6)
    assert isclose(sum(each.elo for each in found), 0, abs_tol=1e-9)
    more = ratings([[9 * cell for cell in row] for row in points])
    assert more[0].error == pytest.approx(found[0].error / 3)


def test_ratings_maximise_the_likelihood():
    points = [[0, 3, 8.5], [7, 0, 6], [1.5, 4, 0]]
    best = [each.elo for each in ratings(points)]

    def likelihood(given: list[float]) -> float:
        return sum(
            points[i][j] * log(score_of(given[i] - given[j])) for i in range(3) for j in range(3) if points[i][j]
        )

    for place in range(3):
        for step in (-1.0, 1.0):
            moved = [each + step * (number == place) for number, each in enumerate(best)]
            assert likelihood(moved) < likelihood(best)


def test_ratings_of_one_sided_tables_are_finite():
    everything = ratings([[0, 10, 10], [0, 0, 5], [0, 5, 0]])
    assert all(isfinite(each.elo) and isfinite(each.error) for each in everything)
    assert everything[0].elo > everything[1].elo == pytest.approx(everything[2].elo)
    assert [each.elo for each in ratings([[0, 0], [0, 0]])] == pytest.approx([0, 0])


def test_values_of_units():
    assert Observed.pairs((1, 2, 3, 4, 5)).values == PAIR_VALUES
    assert Observed.single(1, 2, 3).values == GAME_VALUES
    assert Observed.single(1, 2, 3).score == pytest.approx(4 / 6)


# --- what is printed ---


def printed(**counts) -> dict[str, str]:
    duel = Duel(**counts)
    return dict(duel_lines(MatchStanding(names=("one", "other"), planned=9, finished=duel.games, duels={(0, 1): duel})))


def test_a_report_says_which_games_it_leaves_out():
    lines = printed(wins=2, losses=1, pairs=(0, 0, 1, 0, 0))
    assert lines["Elo"].startswith("0.00")
    assert lines["Pairs"] == "1 game of no finished pair: left out of Elo, nElo and LOS"
    assert "Pairs" not in printed(wins=1, losses=1, pairs=(0, 0, 1, 0, 0))
    assert "Pairs" not in printed(wins=3, pairs=None)


def test_an_interval_that_the_scale_cuts_off_is_printed_by_the_end_it_has():
    lines = printed(wins=4, pairs=(0, 0, 0, 0, 2))
    assert lines["Elo"] == "at least -83.02 (95%)"
    assert lines["nElo"] == "not known yet"
    assert printed(losses=4, pairs=(2, 0, 0, 0, 0))["Elo"] == "at most 83.02 (95%)"
    # What is printed as a value with its error is inside the scale, error and all.
    assert re.fullmatch(r"-?[\d.]+ \+- [\d.]+ \(95%\)", printed(wins=60, losses=40, pairs=None)["Elo"])


def test_no_minus_before_nothing():
    level = Duel(wins=1, losses=1, pairs=(0, 0, 1, 0, 0), margins=(2.0, -2.001))
    duels = {(0, 1): level, (0, 2): level, (1, 2): level}
    _, rows = table_rows(MatchStanding(names=("a", "b", "c"), planned=6, finished=6, duels=duels))
    assert {row[2] for row in rows} == {"0"}
    assert "-0" not in dict(duel_lines(MatchStanding(names=("a", "b"), planned=2, finished=2, duels=duels)))["Diff"]
