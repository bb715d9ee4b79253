"""`outflank train`: positions, values, weights and errors; the same for a seed, and whole after every interruption."""

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outflank.arena import Sprt
from outflank.errors import InvalidOption, OutflankError
from outflank.games.description import game_named
from outflank.games.evaluation import begin, evaluation_named, evaluations, scale_of, value
from outflank.games.pattern_weights import encode_weights, read_weights
from outflank.games.rules import over, score, unpack
from outflank.lab.drawing.page import page_html
from outflank.learning import fit as fitting_of_one
from outflank.learning.fit import HELD_OUT, Examples, StageWeights, fit
from outflank.learning.fitting import Fit, fit_weights
from outflank.learning.generating import Generation, generate, read_positions
from outflank.learning.held_out_errors import check
from outflank.learning.labelling import Labels, label, read_values
from outflank.learning.loop import Plan
from outflank.learning.loop import run as run_loop
from outflank.learning.pieces import Halted, Work
from outflank.learning.step_documents import MatchOutcome, PlayDocument, PlaySettings, TrainDocument, WeightsSource
from outflank.learning.subject import Subject
from outflank.learning.training_page import report_of
from outflank.learning.weight_matches import Match, _match_settings
from outflank.othello.squares import othello
from outflank.search.request import Stop
from outflank.ui.cli import main
from outflank.validation.documents import decoded, plain
from tests.installing import register_game_for_now
from tests.oracles.search import by_hand

START = game_named("othello").start(size=4)
FEW = Generation(start=START, positions=150, per_game=3, seed=5)
LABELS = Labels(plies=2, exact=6, passes=4)
PASSES = Fit(passes=4)


def learnt(folder: Path, work: Work, generation: Generation = FEW) -> Path:
    """All steps of a small setting; the file of weights."""
    generate(folder, generation, work)
    label(folder, LABELS, work)
    return folder / fit_weights(folder, PASSES, work).file


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    learnt(folder, Work())
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


MADE = {
    "positions.json",
    "positions.npz",
    "values.json",
    "values.npz",
    "weights.json",
    "othello-4x4.weights",
}


@pytest.mark.interpreted_only
def test_a_seed_makes_the_same_weights_with_any_number_of_workers(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(fitting_of_one, "WORTH_SHARING", 0)
    learnt(tmp_path, Work(workers=3))
    assert set(contents(tmp_path)) == MADE
    assert contents(tmp_path) == {name: data for name, data in contents(whole).items() if name in MADE}


@pytest.mark.interpreted_only
def test_another_seed_makes_others(whole, tmp_path):
    generate(tmp_path, Generation(start=START, positions=150, per_game=3, seed=6), Work())
    mine, others = read_positions(tmp_path)[2], read_positions(whole)[2]
    assert (mine.boards != others.boards).any()


def stopped_after(calls: int) -> Work:
    """Work that is stopped when it has said so often how far it is."""
    stop = Stop()
    said: list[str] = []

    def tell(text: str) -> None:
        said.append(text)
        if len(said) >= calls:
            stop()

    return Work(stop=stop, progress=tell)


FEWER = Generation(start=START, positions=80, per_game=3, seed=5)


def stopped_at(words: str) -> Work:
    """Work that is stopped when it says that it is there."""
    stop = Stop()
    return Work(stop=stop, progress=lambda text: stop() if text.startswith(words) else None)


STEPS = {
    "positions": lambda folder, work: generate(folder, FEWER, work),
    "values": lambda folder, work: label(folder, LABELS, work),
    "weights": lambda folder, work: fit_weights(folder, PASSES, work),
}


@pytest.mark.interpreted_only
def test_every_step_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr("outflank.learning.selfplay.GAMES", 8)
    monkeypatch.setattr("outflank.learning.labelling.ROWS", 8)
    cut, apart = tmp_path / "cut", tmp_path / "apart"
    learnt(apart, Work(), FEWER)
    for name, step in STEPS.items():
        with pytest.raises(Halted):
            step(cut, stopped_after(3))
        kept = sorted((cut / f"{name}.parts").iterdir())
        assert len(kept) in (2, 3)
        assert not json.loads((cut / f"{name}.json").read_text())["complete"]
        stamps = {path: path.stat().st_mtime_ns for path in kept[1:]}
        kept[0].write_bytes(kept[0].read_bytes()[:100])  # as a disk may leave it
        with pytest.raises(Halted):
            step(cut, stopped_after(3))
        assert all(path.stat().st_mtime_ns == stamp for path, stamp in stamps.items())
        step(cut, Work())
        assert not (cut / f"{name}.parts").exists()
    assert contents(cut) == contents(apart)
    before = {path: path.stat().st_mtime_ns for path in cut.iterdir()}
    learnt(cut, Work(), FEWER)  # there is nothing left to do
    assert {path: path.stat().st_mtime_ns for path in cut.iterdir()} == before


@pytest.mark.interpreted_only
def test_what_was_made_with_other_settings_stays_unless_it_is_to_go(whole, tmp_path):
    for name in ("positions.json", "positions.npz", "values.json", "values.npz"):
        (tmp_path / name).write_bytes((whole / name).read_bytes())
    with pytest.raises(OutflankError, match=r"positions\.json was made with other settings: --replace"):
        generate(tmp_path, Generation(start=START, positions=20, seed=5), Work())
    fewer = generate(tmp_path, Generation(start=START, positions=20, seed=5), Work(replace=True))
    assert fewer.positions == len(read_positions(tmp_path)[2]) == 20
    with pytest.raises(OutflankError, match=r"values\.json was made with other settings"):
        label(tmp_path, LABELS, Work())
    with pytest.raises(OutflankError, match=r"values\.npz is not what values\.json speaks of"):
        fit_weights(tmp_path, PASSES, Work())
    data = (tmp_path / "positions.npz").read_bytes()
    for damaged in (b"PK", data[:-1], data + b"\0", b"\0" + data):
        (tmp_path / "positions.npz").write_bytes(damaged)
        with pytest.raises(OutflankError, match=r"positions\.npz is damaged: outflank train generate makes it"):
            label(tmp_path, LABELS, Work())


@pytest.mark.interpreted_only
def test_positions_are_of_all_stages_and_near_the_end_their_values_are_exact(whole):
    document, _, positions = read_positions(whole)
    _, values = read_values(whole, positions)
    game, lasts = othello(4), np.array([6, 9, 12])
    assert document.games == len(set(positions.game.tolist())) >= 50
    assert {*positions.left.tolist()} == set(range(1, 13))
    for (own, opp), left, stage in zip(positions.boards, positions.left, positions.stage, strict=True):
        assert not own & opp
        assert left == int(game.mask & ~(own | opp)).bit_count()
        assert stage == (left > lasts).sum()
    for row in np.flatnonzero(positions.left <= 5)[:40]:
        assert values[row] == by_hand(game, unpack(game, *positions.boards[row]), 99, lambda end: score(game, end))
    last = positions.left == 1  # whose one move ends the game: the result is what the position is worth
    assert last.sum() > 3
    assert (positions.result[last] == values[last]).all()


@pytest.mark.interpreted_only
def test_earlier_positions_are_worth_what_is_seen_of_later_ones(whole, tmp_path):
    """The first positions that are looked at: by weights that were fitted to all that are solved."""
    _, subject, positions = read_positions(whole)
    _, values = read_values(whole, positions)
    learn = positions.game % HELD_OUT != 0
    solved = np.flatnonzero(learn & (positions.left <= 6))
    stages = StageWeights(subject, None, shrinkage=LABELS.shrinkage, passes=4)
    stages.fit(0, positions.boards[solved], values[solved], Work())
    path = tmp_path / "later.weights"
    path.write_bytes(encode_weights(subject.patterns, stages.rounded()))
    game = othello(4)
    evaluation = evaluation_named(game, f"patterns:{path}")

    def worth(position: Any) -> float:
        if over(game, position):
            return score(game, position)
        return int(value(evaluation, game, position, begin(evaluation, game, position))) / 128

    for row in np.flatnonzero(positions.left == 7)[:10]:
        assert values[row] == np.float32(by_hand(game, unpack(game, *positions.boards[row]), 2, worth))


@pytest.mark.interpreted_only
def test_fitting_solves_the_problem_of_least_squares():
    draw = np.random.default_rng(1)
    rows, columns, weights = 80, 5, 24
    indices = draw.integers(0, weights - 1, (rows, columns)).astype(np.int32)
    values = draw.normal(0, 5, rows).astype(np.float32)
    prior = draw.normal(0, 1, weights).astype(np.float32)
    prior[-1] = 0
    shows = np.zeros((rows, weights))
    for row, column in np.ndindex(rows, columns):
        shows[row, indices[row, column]] += 1
    held = np.sqrt(2.0) * np.eye(weights)
    aims = np.concatenate([values, held @ prior])
    expected = np.linalg.lstsq(np.concatenate([shows, held]), aims, rcond=None)[0]
    found = fit(Examples(indices, values), prior, shrinkage=2.0, passes=60)
    assert np.abs(found - expected).max() < 1e-4


@pytest.mark.interpreted_only
def test_errors_are_those_of_held_out_positions_that_were_never_seen(whole):
    _, subject, positions = read_positions(whole)
    _, values = read_values(whole, positions)
    found = check(whole, Work(), beside=["mobility", "discs"])
    game = othello(4)
    seen = {
        tuple(board) for board, number in zip(positions.boards.tolist(), positions.game, strict=True) if number % 16
    }
    rows = [
        row
        for row, (board, number) in enumerate(zip(positions.boards.tolist(), positions.game, strict=True))
        if number % 16 == 0 and tuple(board) not in seen
    ]
    assert found.total.positions == len(rows) > 3
    assert found.total.solved == sum(positions.left[row] <= 6 for row in rows)

    def says(name: str) -> np.ndarray:
        evaluation = evaluation_named(game, name)
        boards = [unpack(game, *positions.boards[row]) for row in rows]
        return np.array([int(value(evaluation, game, each, begin(evaluation, game, each))) for each in boards], float)

    aims = values[rows].astype(float)
    mobile = says("mobility")
    slope = np.linalg.lstsq(mobile[:, None], aims, rcond=None)[0][0]
    expected = {
        "learnt": says(f"patterns:{whole / subject.weights_name}") / 128,
        "mobility": mobile * slope,
        "discs": says("discs"),
    }
    for name, estimates in expected.items():
        assert found.total.errors[name] == pytest.approx(np.sqrt(np.mean((estimates - aims) ** 2)), abs=1e-3)
    assert [each.scaled for each in found.evaluations] == [False, True, False]
    assert found.total.errors["learnt"] < found.total.spread
    assert sum(stage.positions for stage in found.stages) == found.total.positions


# --- weights by the name of their file ---


@pytest.mark.interpreted_only
def test_an_evaluation_is_named_by_its_file_and_read_anew_when_that_is_written_anew(whole, tmp_path):
    game, patterns = othello(4), game_named("othello").search.learning.patterns(othello(4))
    path = tmp_path / "own.weights"
    data = (whole / "othello-4x4.weights").read_bytes()
    path.write_bytes(data)
    first = evaluation_named(game, f"patterns:{path}")
    assert evaluation_named(game, f"patterns:{path}") == first
    assert f"patterns:{path}" not in evaluations(game)
    assert scale_of(game, first).unit == "discs"
    weights = read_weights(patterns, data, "w")
    path.write_bytes(encode_weights(patterns, weights + 1))
    second = evaluation_named(game, f"patterns:{path}")
    position = START.position
    values = [int(value(each, game, position, begin(each, game, position))) for each in (first, second)]
    assert values[0] != values[1]
    with pytest.raises(InvalidOption, match="has no patterns that could have weights"):
        evaluation_named(game_named("abalone").start().game._replace(goal=3), "patterns:x")
    with pytest.raises(OutflankError, match="of other patterns"):
        evaluation_named(othello(6), f"patterns:{path}")


# --- a game of a user's, whose endings nobody solves ---


@pytest.fixture
def noughts(monkeypatch: pytest.MonkeyPatch) -> Any:
    return register_game_for_now(monkeypatch, "noughts")


@pytest.mark.interpreted_only
def test_a_game_without_endings_has_the_results_of_its_games_and_then_looks_too(noughts, tmp_path):
    start = noughts.start()
    one, two = tmp_path / "1", tmp_path / "2"
    few = {"start": start, "positions": 60, "per_game": 3}
    generate(one, Generation(**few), Work())
    assert label(one, Labels(plies=3), Work()).looked == 60
    _, _, positions = read_positions(one)
    values = read_values(one, positions)[1]
    game = start.game
    forced = [by_hand(game, unpack(game, *board), 3, lambda end: score(game, end)) for board in positions.boards]
    assert 10 < np.count_nonzero(forced) < 60
    assert list(values) == [ahead or result for ahead, result in zip(forced, positions.result, strict=True)]
    assert {-1.0, 1.0} <= set(positions.result.tolist()) <= {-1.0, 0.0, 1.0}
    weights = one / fit_weights(one, PASSES, Work()).file
    generate(two, Generation(**few, seed=2, evaluation=f"patterns:{weights}"), Work())
    assert label(two, Labels(weights=weights, plies=2, blend=0.25), Work()).looked == 60
    _, _, positions = read_positions(two)
    values = read_values(two, positions)[1]
    evaluation = evaluation_named(game, f"patterns:{weights}")

    def worth(position: Any) -> float:
        if over(game, position):
            return 99 * score(game, position)
        return int(value(evaluation, game, position, begin(evaluation, game, position))) / 128

    for row in range(0, 60, 6):
        looked = by_hand(game, unpack(game, *positions.boards[row]), 2, worth)
        blended = np.sign(looked) if abs(looked) > 9 else looked
        if abs(looked) < 9 and positions.fair[row]:
            blended = 0.75 * looked + 0.25 * positions.result[row]
        assert values[row] == pytest.approx(blended, abs=1e-5)
    fit_weights(two, Fit(prior=weights, passes=4), Work())
    assert check(two, Work()).unit == "rows"


# --- on the command line ---


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: str) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["train", *arguments])
        told = capsys.readouterr()
        return ended.value.code, told.out, told.err

    return call


@pytest.mark.interpreted_only
def test_the_command_of_a_match_is_read_as_that_match(tmp_path, monkeypatch):
    folder, weights = tmp_path / "a $(b) 'c'", tmp_path / "mine; too.weights"
    folder.mkdir()
    weights.touch()
    match = Match(against="patterns:a b", seconds=0.1, games=7, seed=3, sprt=Sprt.parse("-1.5,30"))
    asked = []

    def play(*given: Any, **more: Any) -> None:
        asked.append((*given[:2], more["weights"]))
        raise OutflankError("enough")

    monkeypatch.setattr("outflank.ui.cli.training.train_command.play", play)
    with pytest.raises(SystemExit):
        main(shlex.split(match.command(folder, weights))[1:])
    assert asked == [(folder, match, weights)]


@pytest.mark.interpreted_only
def test_games_of_others_are_played_on_from(run, tmp_path, monkeypatch):
    monkeypatch.setattr("outflank.learning.selfplay.GAMES", 4)
    game = tmp_path / "few.txt"
    game.write_text("f5d6c3d3c4f4f6g5e6d7\nf5f6e6f4e3d6\n")
    out = str(tmp_path / "out")
    status, told, _ = run(
        "generate", "--games", str(game), "--positions", "30", "--per-game", "9", "--out", out, "--json"
    )
    document = json.loads(told)
    assert (status, document["positions"], document["games"]) == (0, 30, 2)
    _, _, positions = read_positions(Path(out))
    assert set(positions.game.tolist()) == {0, 1}
    assert max(positions.left) > 50
    assert min(positions.left) < 20
    status, _, err = run("generate", "--size", "6", "--games", str(game), "--out", str(tmp_path / "none"))
    assert (status, err) == (2, f"outflank: {game}: no game of Othello 6×6 is there\n")


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("generate", "--out", "{}", "--positions", "0"), "0 positions: 1 to 100,000,000"),
        (("generate", "--out", "{}", "--seed", "-1"), "seed -1: a whole number from 0 on"),
        (("generate", "--out", "{}", "--per-game", "0"), "of a game 1 to 100 positions are taken"),
        (("generate", "--out", "{}", "--evaluation", "mobilty"), "did you mean 'mobility'?"),
        (("generate", "--out", "{}", "--evaluation", "patterns:none"), "none: No such file or directory"),
        (("generate", "--out", "{}", "--games", "none.ggf"), "none.ggf: No such file or directory"),
        (("label", "{}"), "positions.json is not there: outflank train generate makes it"),
        (("fit", "{}"), "positions.json is not there"),
        (("check", "{}", "--beside", ","), "--beside: the names of evaluations, like a,b"),
        (("fit", "{}", "--shrinkage", "0"), "a shrinkage of 0: more than 0"),
        (("label", "{}", "--plies", "0"), "a look 0 plies ahead: 1 to 12"),
        (("label", "{}", "--blend", "2"), "a share of 2 for the result: 0 to 1"),
    ],
)
def test_bad_input_is_one_line(run, tmp_path, arguments, line):
    status, out, err = run(*(each.format(tmp_path / "empty") for each in arguments))
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert line in err
    assert not (tmp_path / "empty").exists() or not list((tmp_path / "empty").iterdir())


@pytest.mark.interpreted_only
def test_steps_tell_what_they_made_and_that_it_is_there(run, whole):
    folder = str(whole)
    settings = ("--plies", "2", "--exact", "6", "--passes", "4")
    assert run("label", folder, *settings)[1].startswith(f"{whole / 'values.npz'}: ")
    assert run("fit", folder, "--passes", "4")[1] == (
        f"{whole / 'othello-4x4.weights'}: 3 stages of 14,141 weights, fitted to 138 positions\n"
    )
    status, told, _ = run("fit", folder, "--passes", "4", "--json")
    assert (status, json.loads(told)) == (0, json.loads((whole / "weights.json").read_text()))
    status, told, _ = run("check", folder, "--beside", "mobility")
    assert status == 0
    assert "constant guess" in told
    assert "Scaled by least squares, since in no discs: mobility." in told
    status, told, err = run("label", folder, "--exact", "14")
    assert (status, err) == (2, "outflank: to solve positions with 14 moves left: Othello 4×4 solves at most 11\n")


@pytest.mark.interpreted_only
def test_ctrl_c_keeps_what_is_done(run, tmp_path, monkeypatch):
    def halted(*_: Any) -> None:
        raise Halted("stopped")

    monkeypatch.setattr("outflank.ui.cli.training.train_command.generate", halted)
    status, _, err = run("generate", "--size", "4", "--out", str(tmp_path))
    assert (status, err) == (130, "interrupted; the same command goes on from here\n")


@pytest.mark.compiled
def test_compiled_it_learns_as_well(tmp_path):
    """Every kernel of learning, once."""
    weights = learnt(tmp_path, Work(workers=2), Generation(start=START, positions=600, per_game=3, seed=5))
    _, _, positions = read_positions(tmp_path)
    _, values = read_values(tmp_path, positions)
    game = othello(4)
    for row in np.flatnonzero(positions.left <= 3)[:20]:
        assert values[row] == by_hand(game, unpack(game, *positions.boards[row]), 99, lambda end: score(game, end))
    found = check(tmp_path, Work(), beside=["mobility"])
    assert found.total.errors["learnt"] < found.total.errors["mobility"] < found.total.spread
    again = tmp_path / "again"
    learnt(again, Work(), Generation(start=START, positions=600, per_game=3, seed=5))
    assert (again / weights.name).read_bytes() == weights.read_bytes()


# --- all steps, again and again ---

PLAN = Plan(
    generation=Generation(start=START, positions=60, per_game=6, seed=2),
    labels=Labels(plies=1, exact=4, passes=3),
    fit=Fit(passes=3),
    match=Match(games=2, depth=1),
    generations=2,
)


@pytest.fixture
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.learning.selfplay.GAMES", 8)


@pytest.fixture
def beside_mobility_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.learning.held_out_errors.evaluations", lambda game: {"mobility": None})


@pytest.mark.slow(4)
@pytest.mark.interpreted_only
@pytest.mark.usefixtures("few_games", "beside_mobility_alone")
def test_the_loop_is_interrupted_wherever_and_learns_the_same(tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    pages: list[int] = []
    found = run_loop(whole, PLAN, Work(), on_write=lambda document: pages.append(len(document.generations)))
    assert (found.complete, len(found.generations), pages) == (True, 2, [1, 2])
    for number in (1, 2):
        for step in ("generate", "label", "fit", "check", "play"):
            with pytest.raises(Halted):
                run_loop(cut, PLAN, stopped_at(f"generation {number} of 2, {step}: "))
    again = run_loop(cut, PLAN, Work(workers=2))
    assert again == found
    assert (cut / "train.json").read_bytes() == (whole / "train.json").read_bytes()
    best = (whole / found.file).read_bytes()
    assert best == (cut / found.file).read_bytes() == (whole / f"generation-0{found.best}" / found.file).read_bytes()
    first, second = found.generations
    assert first.positions.settings.judge.evaluation is None
    assert (second.positions.settings.judge.check, second.weights.settings.prior.check) == (first.weights.check,) * 2
    assert first.match.rival == "mobility"
    assert second.match.settings.against.check == first.weights.check
    with pytest.raises(OutflankError, match=r"train\.json was made with other settings"):
        run_loop(cut, replace(PLAN, generations=3), Work())


@pytest.mark.interpreted_only
@pytest.mark.usefixtures("few_games", "beside_mobility_alone")
def test_who_loses_the_match_is_not_gone_on_from(tmp_path, monkeypatch):
    outcome = MatchOutcome(wins=1, draws=0, losses=3, elo=-9.0, elo_low=-20, elo_high=1, llr=-1, decision=None)

    def lost(folder: Path, match: Match, work: Work, **_: Any) -> PlayDocument:
        judged = WeightsSource(evaluation="x", check=None if match.against is None else "x")
        settings = PlaySettings(
            weights="", against=judged, depth=1, seconds=None, games=4, elo0=0, elo1=1, openings="", seed=match.seed
        )
        return PlayDocument(settings=settings, complete=True, rival="x", outcome=outcome)

    monkeypatch.setattr("outflank.learning.loop.play", lost)
    found = run_loop(tmp_path, replace(PLAN, generations=3), Work())
    first, second, third = found.generations
    assert [each.best for each in found.generations] == [True, False, False]  # the first has nobody before it
    assert (found.best, found.check) == (1, first.weights.check)
    assert second.weights.settings.prior.check == third.weights.settings.prior.check == first.weights.check
    assert (tmp_path / found.file).read_bytes() == (tmp_path / "generation-01" / found.file).read_bytes()
    page = page_html(report_of(found, {}))
    assert "The weights in othello-4x4.weights are those of generation 1." in page
    assert page.count("<figure") == 4


@pytest.mark.interpreted_only
@pytest.mark.usefixtures("few_games", "beside_mobility_alone")
def test_the_whole_loop_on_the_command_line(run, tmp_path):
    out = tmp_path / "out"
    few = ("--size", "4", "--positions", "60", "--per-game", "6", "--plies", "1", "--exact", "4", "--passes", "3")
    settings = (*few, "--generations", "1", "--depth", "1", "--match-games", "2", "--out", str(out))
    status, told, err = run("run", *settings)
    assert (status, err) == (0, "")
    assert told.splitlines()[0].startswith("generation 1: wrong by ")
    assert "against mobility: " in told
    assert (
        told.splitlines()[-1] == f"{out}/othello-4x4.weights: the weights of generation 1; {out}/train.html tells more"
    )
    assert "<h2>Findings</h2>" in (out / "train.html").read_text()
    status, told, _ = run("run", *settings, "--json")
    assert (status, json.loads(told)) == (0, json.loads((out / "train.json").read_text()))
    assert plain(decoded(TrainDocument, told.encode())) == json.loads(told)
    home = str(out / "generation-01")
    asked = ("play", home, "--replace", "--against", "discs", "--depth", "1", "--match-games", "2", "--seed", "3")
    status, told, _ = run(*asked, "--json")
    assert status in (0, 1)
    assert plain(decoded(PlayDocument, told.encode())) == json.loads(told)
    assert json.loads(told)["settings"]["against"] == {"evaluation": "discs", "check": None}
    again = run("play", home, "--against", "discs", "--depth", "1", "--match-games", "2", "--seed", "3")[1]
    assert again.startswith("against discs at depth 1: +")
    for more, line in (
        (("--depth", "1", "--time", "1"), "a match at equal depth, or at equal time: give one of them"),
        (("--match-games", "0"), "0 games of a match: at least 1"),
        (("--sprt", "3"), "SPRT '3': two differences in Elo, like 0,10"),
        (("--against", "mobilty"), "did you mean 'mobility'?"),
        (("--time", "0"), "0 seconds for a move: more than 0, at most an hour"),
    ):
        status, _, err = run("play", home, *more)
        assert (status, len(err.splitlines())) == (2, 1)
        assert line in err
    status, _, err = run("run", "--size", "4", "--generations", "0", "--out", str(out))
    assert (status, err) == (2, "outflank: 0 generations: 1 to 99\n")


@pytest.mark.interpreted_only
def test_a_board_with_few_openings_has_a_shorter_match(monkeypatch):
    monkeypatch.setattr("outflank.arena.openings.TRIES", 40)
    six = game_named("othello").start(size=6)
    assert 2 <= _match_settings(Subject(START.game), Match(games=200), START, ("first", "random")).games < 200
    assert _match_settings(Subject(six.game), Match(games=40), six, ("first", "random")).games == 40
