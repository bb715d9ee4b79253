"""How far shallow searches are off: `outflank train depths`, and what searches make of it."""

import json
import math

import numpy as np
import pytest

import outflank
from outflank import OthelloBoard, OutflankError
from outflank.abalone.layouts import RULES
from outflank.games.defaults import SearchErrors
from outflank.games.evaluation import errors_of, evaluation_named
from outflank.games.pattern_weights import ERRORS
from outflank.games.rules import unpack
from outflank.learning import depths
from outflank.learning.depths import FEWEST, GROUPS, Depths, measure, summarize
from outflank.learning.generating import Generation, generate, read_positions
from outflank.learning.pieces import Halted, Work
from outflank.learning.step_documents import DepthsSettings, WeightsSource
from outflank.othello.squares import othello

SETTINGS = DepthsSettings(positions="", judge=WeightsSource(), depth=5, count=1, seed=1)


@pytest.mark.interpreted_only
def test_the_formula_is_found_again():
    """Values whose differences have just the spread that a formula says."""
    errors = SearchErrors(5.0, -0.02, -0.3, 0.25)
    stages = np.repeat([10, 20, 30, 40, 50, 60], 2 * FEWEST)
    for shallow, deep in ((0, 1), (1, 3), (2, 4), (0, 4)):
        values = np.zeros((len(stages), deep + 1))
        logarithm = errors.constant + errors.shallow * math.log1p(shallow) + errors.between * math.log(deep - shallow)
        values[:, deep] = np.exp(logarithm + errors.stage * stages) * np.tile([1, -1], len(stages) // 2)
        found = summarize(SETTINGS, "discs", stages, np.round(100 * values).astype(np.int64), 100)
        pairs = {(each.deep, each.shallow): each for each in found.pairs if each.stage == 30}
        assert pairs[deep, shallow].spread == pytest.approx(math.exp(logarithm - 0.6), rel=1e-3)
    # Of all depths at once: the values are sums of independent steps, each of which has a spread of its own.
    draw = np.random.default_rng(1)
    walk = np.cumsum(draw.normal(scale=200.0, size=(6 * 400, 6)), axis=1).astype(np.int64)
    found = summarize(SETTINGS, "discs", np.repeat([10, 20, 30, 40, 50, 60], 400), walk, 1)
    assert found.errors.between == pytest.approx(0.5, abs=0.05)
    assert found.errors.stage == pytest.approx(0.0, abs=0.005)
    assert found.off < 0.1


@pytest.mark.interpreted_only
def test_games_that_are_decided_tell_nothing_of_estimates():
    stages = np.repeat(np.arange(GROUPS), 2 * FEWEST)
    values = np.random.default_rng(2).normal(scale=50, size=(len(stages), 4)).astype(np.int64)
    decided = values.copy()
    decided[::7] = 20_001
    assert all(each.spread < 200 for each in summarize(SETTINGS, "marbles", stages, decided, 1).pairs)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(depths, "GROUPS", 2)
    monkeypatch.setattr(depths, "FEWEST", 3)
    generate(tmp_path, Generation(start=OthelloBoard.start(4), positions=60, seed=3), Work())
    return tmp_path


@pytest.mark.slow(4)
def test_positions_are_searched_to_every_depth_and_it_goes_on_where_it_was(folder, monkeypatch):
    asked = Depths(evaluation="mobility", depth=3, positions=12)
    seen = []
    whole = depths._values

    def noted(subject, judge, words, depth):
        seen.append((unpack(subject.rules, *words), whole(subject, judge, words, depth)))
        return seen[-1][1]

    monkeypatch.setattr(depths, "_values", noted)
    stopping = Work(progress=lambda text: stopping.stop())
    with pytest.raises(Halted):
        measure(folder, asked, stopping)
    once = len(seen)
    found = measure(folder, asked, Work())
    assert 0 < once < len(seen) == 12
    for position, values in seen:
        board = OthelloBoard(othello(4), position)
        results = list(outflank.iterate(board, depth=3, workers=1, evaluation="mobility"))
        assert values[1:] == [result.value for result in results]
        assert board.moves_left > 3
    assert {(each.deep, each.shallow) for each in found.pairs} == {(1, 0), (2, 0), (3, 0), (3, 1)}
    assert measure(folder, asked, Work()) == found
    assert len(seen) == 12
    assert len(read_positions(folder)[2]) == 60
    with pytest.raises(OutflankError, match="of its positions are farther than the depth"):
        measure(folder, Depths(evaluation="mobility", depth=11), Work(replace=True))


@pytest.mark.interpreted_only
def test_what_was_measured_ships_with_the_weights():
    for rules in (othello(8), othello(6), RULES):
        errors = errors_of(rules, evaluation_named(rules))
        assert errors is not None
        assert errors.shallow < 0 < errors.between
    assert errors_of(othello(4), evaluation_named(othello(4))) is None


@pytest.mark.interpreted_only
def test_it_is_found_beside_weights_of_ones_own(tmp_path):
    from importlib.resources import files

    weights = tmp_path / "mine.weights"
    weights.write_bytes((files("outflank.othello") / "weights" / "othello-6x6.weights").read_bytes())
    game = othello(6)
    assert errors_of(game, evaluation_named(game, f"patterns:{weights}")) is None
    beside = tmp_path / f"mine.weights{ERRORS}"
    beside.write_text(json.dumps({"errors": {"constant": 5, "stage": 0.5, "shallow": -0.5, "between": 0.25}}))
    assert errors_of(game, evaluation_named(game, f"patterns:{weights}")) == SearchErrors(5.0, 0.5, -0.5, 0.25)
    for damaged in ("", "[]", "{}", '{"errors": null}', '{"errors": {"constant": "much"}}'):
        beside.write_text(damaged)
        with pytest.raises(OutflankError, match="is not what `outflank train depths` makes"):
            errors_of(game, evaluation_named(game, f"patterns:{weights}"))
