"""Players: clocks, budgets, openings, habits, players in words, reviews, and the classroom program."""

import gc
import itertools
import random
import time
from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import AbaloneBoard, Board, Limits, MoveValue, OthelloBoard, Side
from outflank.abalone.programs import OPENING
from outflank.errors import FormatError, OutflankError
from outflank.games.defaults import EndingTime
from outflank.games.description import description_of
from outflank.players import clock as clock_module
from outflank.players import computer, timing
from outflank.players.classic import Classic, ClassicPlayer, ask_classic
from outflank.players.clock import Clock, Clocks, TimeControl
from outflank.players.computer import Computer
from outflank.players.habits import (
    LARGEST,
    Misjudging,
    RandomStream,
    Variety,
    pieces_gained,
    preferred_move,
    random_seed,
    repeating_moves,
)
from outflank.players.player import Choice, exact_moves_for_depth, level_of
from outflank.players.ready_moves import BoardCache, habit_named
from outflank.players.review import JudgedMove, costliest, judge_moves, story_of
from outflank.players.specs import First, Random, player
from outflank.players.timing import Adaptive003, Budget, Lateness, Steady, lateness, usable_seconds
from outflank.search import request
from outflank.search.request import Stop
from outflank.ui.cli.playing.play_session import Pondering

NO_CLOCK = Clock()
START = OthelloBoard.start()

# --- clocks ---


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("5+3", TimeControl(game_seconds=300.0, increment_seconds=3.0)),
        ("5:00", TimeControl(game_seconds=300.0)),
        ("5m", TimeControl(game_seconds=300.0)),
        ("1h", TimeControl(game_seconds=3600.0)),
        ("30s", TimeControl(game_seconds=30.0)),
        ("1:30+2", TimeControl(game_seconds=90.0, increment_seconds=2.0)),
        ("0.5s+0.01s", TimeControl(game_seconds=0.5, increment_seconds=0.01)),
        ("0.5+1", TimeControl(game_seconds=30.0, increment_seconds=1.0)),
        ("2s/move", TimeControl(move_seconds=2.0)),
        ("2/move", TimeControl(move_seconds=2.0)),
        ("1m/move", TimeControl(move_seconds=60.0)),
        ("90.25s+61.5s", TimeControl(game_seconds=90.25, increment_seconds=61.5)),
        ("75.5s/move", TimeControl(move_seconds=75.5)),
        ("none", TimeControl()),
    ],
)
def test_clocks_are_read_and_written(text, control):
    assert TimeControl.parse(text) == control
    assert TimeControl.parse(str(control)) == control


@pytest.mark.parametrize(
    "text", ["0", "60", "-5", "5+", "+3", "two", "5/3", "1e9", "5 3", "5:0", "²5s", "0s", "9999999m", "5m+3m+1m", "٣+1"]
)
def test_what_is_no_clock_is_refused(text):
    with pytest.raises(FormatError, match="no clock"):
        TimeControl.parse(text)


def test_seeds_of_the_system_begin_at_one(monkeypatch):
    drawn = []
    monkeypatch.setattr("secrets.randbelow", lambda count: drawn.append(count) or len(drawn) - 1)
    assert [random_seed(), random_seed()] == [1, 2]
    assert set(drawn) == {2**31}


def test_a_number_alone_is_asked_about():
    with pytest.raises(FormatError, match="60s are seconds, 60m or 60"):
        TimeControl.parse("60")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("5+3", "5 minutes for the game, 3 seconds more after each move"),
        ("90s", "1 minute 30 seconds for the game"),
        ("1m+0.5s", "1 minute for the game, 0.5 seconds more after each move"),
        ("1/move", "1 second for each move"),
        ("90.25s", "90.25 seconds for the game"),
        ("none", "no clock"),
    ],
)
def test_a_clock_says_how_it_was_understood(text, words):
    assert TimeControl.parse(text).in_words == words


def test_a_clock_runs_down_and_is_filled_up():
    clocks = Clocks.alike(TimeControl.parse("5s+3s"))
    assert clocks.spend(Side.BLACK, 2.0)
    assert clocks.left == {Side.BLACK: 6.0, Side.WHITE: 5.0}
    assert not clocks.spend(Side.WHITE, 5.1)
    assert clocks.of(Side.BLACK).opponent_seconds == 0.0
    per_move = Clocks.alike(TimeControl.parse("1/move"))
    assert per_move.spend(Side.BLACK, 0.9)
    assert not per_move.spend(Side.BLACK, 1.1)
    assert Clocks.alike(TimeControl()).spend(Side.BLACK, 1e6)


# --- budgets ---


@given(st.floats(0.001, 600), st.integers(0, 120), st.floats(0, 5))
def test_a_budget_never_spends_more_than_is_left(left, plies, increment):
    board = AbaloneBoard.start()
    board._first_ply = plies
    clock = Clock(control=TimeControl(game_seconds=600.0, increment_seconds=increment), left_seconds=left)
    for policy in (Steady(), Adaptive003()):
        budget = policy.budget(board, clock, None)
        assert budget.hard_seconds is not None
        assert budget.hard_seconds <= max(0.001, left)


def test_an_increment_is_spent_on_each_move():
    plain, filled = (
        Steady().budget(
            START, Clock(control=TimeControl(game_seconds=60.0, increment_seconds=more), left_seconds=60.0), None
        )
        for more in (0.0, 3.0)
    )
    assert filled.soft_seconds == pytest.approx(plain.soft_seconds + 0.8 * 3.0)
    assert filled.hard_seconds > plain.hard_seconds


def test_there_is_always_time_to_move_at_once_to_the_end():
    late = Lateness()
    assert usable_seconds(START, 0.01, late) == 0.0
    assert usable_seconds(START, 60.0, late) < 60.0 - 2 * timing.LEAST_MARGIN
    late.note(0.0, 0.02)
    assert usable_seconds(START, 60.0, late) < usable_seconds(START, 60.0, Lateness())


@pytest.fixture
def still_clock(monkeypatch):
    """A clock that stands still but for what a test lets pass: threads wake in time, and nobody is held up."""
    now = [0.0]

    def pass_by(seconds):
        now[0] += seconds

    for module in (timing, computer, request, clock_module):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    event = SimpleNamespace(wait=lambda seconds: pass_by(seconds + 0.0002))
    monkeypatch.setattr(timing, "threading", SimpleNamespace(Event=lambda: event))
    return SimpleNamespace(now=lambda: now[0], pass_by=pass_by)


def late_searches(clock, delays):
    """In place of `iterate`: searches that come back so long after their deadline, one after the other."""

    def iterate(board, limits=None, *, deadline=None, **options):
        clock.pass_by((0.001 if deadline is None else deadline.left_seconds()) + next(delays))
        found = {"move": board.legal_moves[0], "value": 0, "depth": 1, "nodes": 1, "pv": (), "scale": None, "best": ()}
        yield SimpleNamespace(**found, stopped=True, exact=False)

    return iterate


def forfeits(clock, players, control):
    """Moves of a game that took more time than there was."""
    board, clocks = OthelloBoard.start(), Clocks.alike(TimeControl.parse(control))
    count = 0
    while not board.is_game_over:
        side = board.turn
        began = clock.now()
        move = players[side].choose(board, clocks.of(side)).move
        count += not clocks.spend(side, clock.now() - began)
        board.push(move)
    return count


@pytest.mark.interpreted_only
@pytest.mark.parametrize("policy", ["steady", "adaptive-003"])
@pytest.mark.parametrize("control", ["0.5s/move", "0.1s/move", "2s", "1s+0.05s"])
@pytest.mark.parametrize("delay", [0.001, 0.005])
def test_searches_that_come_back_late_do_not_lose_on_time(still_clock, monkeypatch, control, policy, delay):
    monkeypatch.setattr(computer, "iterate", late_searches(still_clock, itertools.repeat(delay)))
    players = {side: Computer(START.game, policy=policy, exact=0, table_bits=None) for side in Side}
    for each in players.values():
        learn(each.policy.lateness, delay)  # as measured before the game
    assert forfeits(still_clock, players, control) == 0


@pytest.mark.interpreted_only
def test_a_busy_machine_is_learnt_and_no_floor_ignores_it(still_clock, monkeypatch):
    """Searches come back up to 30 ms late, three quarters of them in time."""
    late = (0.03 if number % 4 == 0 else 0.0 for number in itertools.count())
    monkeypatch.setattr(computer, "iterate", late_searches(still_clock, late))
    players = dict.fromkeys(Side, Computer(START.game, exact=0, table_bits=None))
    assert forfeits(still_clock, players, "0.1s/move") <= 2, "before it knows, in steps of a limited size"
    players = dict.fromkeys(Side, Computer(START.game, exact=0, table_bits=None))
    learn(players[Side.BLACK].policy.lateness, 0.03)
    assert forfeits(still_clock, players, "0.1s/move") == 0
    assert forfeits(still_clock, players, "0.5s/move") == 0


def learn(lateness: Lateness, seconds: float) -> None:
    """Let it see such a delay as often as it takes to believe it."""
    for _ in range(2):
        lateness.note(seconds)


@pytest.mark.interpreted_only
def test_one_late_move_is_an_accident_and_later_ones_are_forgotten():
    late = Lateness()
    for delay in (0.001, 5.0, 0.001):
        late.note(delay)
    assert late.seconds == 0.001, "the machine may have slept"
    late.note(4.0, 4.5)
    assert late.seconds == 4.5
    for _ in range(timing.REMEMBERED):
        late.note(0.002)
    assert late.seconds == 0.002


@pytest.mark.interpreted_only
def test_delays_in_the_set_up_of_a_search_are_delays():
    late = Lateness()
    for setup in (0.004, 0.005, 0.044, 0.036):
        late.note(0.0, 0.0, setup)
    assert (late.seconds, late.setup_seconds) == (pytest.approx(0.032), 0.036)


@pytest.mark.interpreted_only
def test_no_search_is_set_up_that_could_not_begin_in_time(still_clock, monkeypatch):
    begun = []

    def iterate(board, limits=None, *, deadline=None, **options):
        begun.append(deadline)
        yield from late_searches(still_clock, itertools.repeat(0.0))(board, limits, deadline=deadline)

    monkeypatch.setattr(computer, "iterate", iterate)
    busy = Computer(START.game, exact=0, table_bits=None)
    busy._prepared = True
    for _ in range(2):
        busy.policy.lateness.note(0.01, 0.0, 0.09)
    clocks = Clocks.alike(TimeControl.parse("0.1s/move"))
    assert busy.choose(START, clocks.of(Side.BLACK)).why == "no time"
    assert not begun
    busy.choose(START, Clocks.alike(TimeControl.parse("0.5s/move")).of(Side.BLACK))
    (deadline,) = begun
    assert deadline.setup_seconds == 0.09


@pytest.mark.interpreted_only
def test_the_clock_runs_before_the_player_is_awake(still_clock, monkeypatch):
    """A thread that is asked for a move may begin late: that is taken off its time."""
    ended = []

    def iterate(board, limits=None, *, deadline=None, **options):
        if deadline is not None:  # or it only compiles
            ended.append(deadline.at)
        yield from late_searches(still_clock, itertools.repeat(0.0))(board, limits, deadline=deadline)

    monkeypatch.setattr(computer, "iterate", iterate)
    clock = Clocks.alike(TimeControl.parse("1s/move")).of(Side.BLACK)
    still_clock.pass_by(0.4)
    Computer(START.game, exact=0, table_bits=None).choose(START, clock)
    assert ended == [pytest.approx(1.0 - timing.LEAST_MARGIN)]


@pytest.mark.interpreted_only
def test_no_garbage_is_collected_on_the_clock(still_clock, monkeypatch):
    """A full collection takes 50 ms where a compiler is loaded."""
    seen = []

    def iterate(board, limits=None, **options):
        seen.append(gc.isenabled())
        yield from late_searches(still_clock, itertools.repeat(0.0))(board, limits, **options)

    monkeypatch.setattr(computer, "iterate", iterate)
    quick = Computer(START.game, exact=0, table_bits=None)
    quick._prepared = True
    quick.choose(START, Clocks.alike(TimeControl.parse("1s/move")).of(Side.BLACK))
    quick.choose(START, Clock())
    assert seen == [False, True]
    assert gc.isenabled()


@pytest.mark.interpreted_only
def test_a_measurement_of_delays_counts_once(monkeypatch):
    monkeypatch.setattr(timing, "measured_delays", lambda: (1.0, [0.02, 0.03]))
    late = Lateness()
    for _ in range(2):
        late.measure(lambda: None)
        assert late.seconds == 0.02, "the second longest"


@pytest.mark.interpreted_only
def test_a_machine_that_is_busy_with_others_leaves_a_larger_margin(monkeypatch):
    """Sleeping threads wake in time there, working ones are held up: by 30 ms, here."""
    now, looks = [0.0], itertools.count()

    def look():
        now[0] += 0.03 if next(looks) == 1000 else 0.0
        return now[0]

    def asleep(seconds):
        now[0] += seconds

    monkeypatch.setattr(timing, "time", SimpleNamespace(perf_counter=look))
    monkeypatch.setattr(timing, "threading", SimpleNamespace(Event=lambda: SimpleNamespace(wait=asleep)))
    assert timing.safety_margin.__wrapped__() == pytest.approx(0.06)
    assert timing.safety_margin.__wrapped__() == timing.LEAST_MARGIN  # nobody disturbs it any more
    busy, clock = Steady(), Clock(control=TimeControl(move_seconds=1.0))
    quiet = busy.budget(START, clock, None).hard_seconds
    assert quiet == pytest.approx(0.98), "no more than 3 % are kept back"
    busy.lateness.seconds = 0.1
    assert busy.budget(START, clock, None).hard_seconds == pytest.approx(0.7)
    busy.lateness.seconds = 0.9
    assert busy.budget(START, clock, None).hard_seconds == 0.0  # a move is made at once
    assert [lateness(0.1, 0.2), lateness(0.1, 0.0)] == [0.2, pytest.approx(0.08)]


@pytest.mark.interpreted_only
def test_time_that_cannot_be_saved_is_used():
    """An iteration that will not be finished is begun all the same: what it shows until then counts."""
    steady = Steady()
    per_move = steady.budget(START, Clock(control=TimeControl(move_seconds=0.4)), None)
    assert per_move.hard_seconds == pytest.approx((1 - timing.LEAST_SHARE) * 0.4)
    for fixed in (per_move, Budget().within(0.4)):
        hard = fixed.hard_seconds
        assert not steady.enough(fixed, 0.9 * hard, 0.3 * hard, stable=9)
        assert steady.enough(fixed, 0.99 * hard, 0.3 * hard, stable=0)  # it would show nothing
    on_a_clock = steady.budget(START, Clock(control=TimeControl(game_seconds=60.0), left_seconds=60.0), None)
    assert steady.enough(on_a_clock, 0.7 * on_a_clock.soft_seconds, 0.0, stable=9)


@pytest.mark.interpreted_only
def test_seconds_that_are_asked_for_are_used_as_far_as_the_clock_has_them():
    free, clock = Budget(depth=3), Budget(soft_seconds=2.0, hard_seconds=8.0)
    assert free.within(1.0) == Budget(depth=3, soft_seconds=1.0, hard_seconds=1.0, saved=False)
    assert clock.within(1.0) == Budget(soft_seconds=1.0, hard_seconds=1.0, saved=False)
    assert clock.within(5.0) == Budget(soft_seconds=2.0, hard_seconds=5.0)
    assert clock.within(60.0) == clock
    per_move = Budget(soft_seconds=0.1, hard_seconds=0.1, saved=False)
    assert per_move.within(1.0) == per_move


@pytest.mark.interpreted_only
@pytest.mark.parametrize(("seconds", "solved", "most"), [(10, 19, 0.17), (60, 23, 0.24), (300, 25, 0.27)])
def test_a_clock_is_mostly_spent_when_the_ending_can_be_solved(seconds, solved, most):
    """By what endings are expected to take; moves take what they may. What is left is for that one and those after."""
    board, left = OthelloBoard.start(), float(seconds)
    endings = description_of(board.game).play.ending_time
    while True:
        budget = Steady().budget(board, Clock(control=TimeControl(game_seconds=seconds), left_seconds=left), None)
        if endings.expected(board.moves_left) <= computer.SURE_OF_TIME * budget.hard_seconds:
            break
        left -= budget.soft_seconds
        for _ in range(2):
            board.push(board.legal_moves[0])
    assert board.moves_left == solved
    assert 4 * endings.expected(solved) < left < most * seconds


def test_a_shaky_best_move_is_thought_about_longer():
    budget = Steady().budget(START, Clock(control=TimeControl(game_seconds=60.0), left_seconds=60.0), None)
    half = 0.9 * budget.soft_seconds
    assert Steady().enough(budget, half, 0.0, stable=5)
    assert not Steady().enough(budget, half, 0.0, stable=0)
    assert Steady().enough(budget, 0.0, budget.hard_seconds, stable=0)  # the next one would not end in time


@pytest.mark.parametrize(
    ("left", "value", "depth"), [(60, 0, 5), (60, -500, 6), (15, -500, 5), (15, -700, 6), (8, -700, 4), (4, 0, 3)]
)
def test_report_003_adapts_its_depth(left, value, depth):
    clock = Clock(control=TimeControl(game_seconds=60.0), left_seconds=float(left))
    assert Adaptive003().budget(AbaloneBoard.start(), clock, value).depth == depth


# --- players ---


@pytest.mark.parametrize(
    "words",
    [
        "computer depth=2",
        "computer level=2",
        "computer nodes=500",
        "computer depth=2 algorithm=mtdf evaluation=four-part workers=1",
        # Of its evaluation no other test compiles what divides a search.
        pytest.param("computer depth=2 report=000 workers=1", marks=pytest.mark.interpreted_only),
        "computer depth=2 report=002",
        "random",
        "random seed=7",
        "first",
    ],
)
def test_players_in_words_play_legal_moves(words):
    board = OthelloBoard.start()
    made = player(words, board.game)
    made.new_game(board)
    for _ in range(4):
        choice = made.choose(board, NO_CLOCK)
        assert choice.move in board.legal_moves
        board.push(choice.move)
    made.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "unknown player"),
        ("computor", "did you mean 'computer'"),
        ("computer depth", "name=value"),
        ("computer depth=x", "depth=x: expected a whole number"),
        ("computer depth=--5", "depth=--5: expected a whole number"),
        ("computer depth=²5", "depth=²5: expected a whole number"),
        ("computer depth=5.5", "expected a whole number"),
        ("computer depth=5 'x", "a quote is not closed"),
        ("computer time=1e400", "seconds=1e400: expected a number"),
        ("computer time=1e10", "1e\\+10 seconds: a search takes 1e\\+09 at most"),
        ("computer evaluation=mobilty", "did you mean 'mobility'"),
        ("computer ordering=5", "unknown ordering of Othello '5'"),
        ("computer parallel=ybww", "did you mean 'ybw'"),
        ("computer parallel=abdada algorithm=minimax", "abdada does not support minimax"),
        ("computer algorithm=uct depth=3", "uct has no depth"),
        ("computer algorithm=flat parallel=tree-parallel", "root-parallel supports flat"),
        ("computer evaluation=patterns:a\0b", "a player is one line"),
        ("computer book=a\0b", "a player is one line"),
        ("computer workers=20000", "workers=20000: expected a whole number from 1 to 1024"),
        ("computer table_bits=x", "table_bits=x: expected a whole number or none"),
        ("computer table_bits=34", "34 bits needs"),
        ("computer share_alpha=maybe", "expected yes or no"),
        ("computer schedule=never", "expected one of one, rows, static or a whole number"),
        ("computer step=3", "expected one of 1, 2"),
        ("random seed=٣", "seed=٣: expected a whole number"),
        ("computer dept=3", "unknown setting"),
        ("computer depth=0", "depth 0"),
        ("computer level=99", "1 to 60"),
        ("computer level=3 depth=2", "give one or the others"),
        ("computer algorithm=magic", "unknown algorithm"),
        ("computer policy=greedy", "unknown time policy"),
        ("computer habits=smoking", "unknown habit"),
        ("computer habits=mirror", "Abalone"),
        ("computer report=003", "Abalone"),
        ("computer report=999", "unknown report"),
        ("computer book=/nonexistent.book", "No such file"),
        ("random depth=3", "random has no depth"),
        ("gtp:", "command of the engine is missing"),
        ("gtp: /nonexistent-engine", "nonexistent-engine"),
        ("nboard: 'unclosed", "a quote is not closed"),
        ("uci: engine", "unknown player"),
        ("human", "outflank play"),
    ],
)
def test_wrong_words_are_one_clear_error(words, said):
    with pytest.raises(OutflankError, match=said):
        player(words, START.game)


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"depth": "x"}, "depth='x': expected a whole number"),
        ({"depth": True}, "depth=True: expected a whole number"),
        ({"level": 2.5}, "level: expected a whole number"),
        ({"exact": "yes"}, "exact: expected a whole number"),
        ({"habits": "cache"}, "habits: expected a list"),
        ({"workers": "2"}, "workers='2': expected a whole number"),
        ({"evaluation": 5}, "evaluation=5: expected the name of an evaluation"),
        ({"ordering": 5}, "ordering=5: expected the name of an ordering"),
        ({"parallel": 5}, "unknown scheme 5"),
        ({"table_bits": "none"}, "table_bits='none': expected a whole number"),
        ({"seconds": float("nan")}, "seconds=nan: expected a number"),
        ({"seconds": 10**400}, "seconds=a number of more digits"),
    ],
)
def test_wrong_settings_from_python_are_one_clear_error(settings, said):
    with pytest.raises(OutflankError, match=said):
        Computer(START.game, **settings)


def test_only_one_move_needs_no_thought():
    board = OthelloBoard.from_line("XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOO-- X")
    assert Computer(board.game, seconds=100.0).choose(board, NO_CLOCK).why == "only move"


@pytest.mark.compiled
def test_a_game_with_a_clock_is_played_to_its_end():
    # A long clock and a small depth: whether short ones are kept is measured in matches, where a busy machine shows.
    board = OthelloBoard.start()
    computer = player("computer depth=4 workers=1", board.game)
    computer.new_game(board)
    clocks = Clocks.alike(TimeControl.parse("10m"))
    opponent = Random()
    while not board.is_game_over:
        if board.legal_moves[0].is_pass:
            board.push("pass")
        elif board.turn is Side.BLACK:
            began = time.perf_counter()
            choice = computer.choose(board, clocks.of(Side.BLACK))
            assert clocks.spend(Side.BLACK, time.perf_counter() - began)
            board.push(choice.move)
        else:
            board.push(opponent.choose(board, NO_CLOCK).move)
    assert board.outcome().winner is Side.BLACK


def test_no_time_is_enough_for_some_move():
    board = AbaloneBoard.start()
    clock = Clock(control=TimeControl(game_seconds=10.0), left_seconds=0.001)
    assert Computer(board.game).choose(board, clock).move in board.legal_moves


@pytest.mark.compiled
def test_endings_are_played_exactly():
    board = OthelloBoard.start()
    random_ = random.Random(3)
    while board.empties > 9:
        board.push(random_.choice(board.legal_moves))
    choice = player("computer level=15", board.game).choose(board, NO_CLOCK)
    assert choice.exact or choice.why == "only move"


def ending(empties: int, seed: int = 3) -> OthelloBoard:
    board, random_ = OthelloBoard.start(), random.Random(seed)
    while board.empties > empties or len(board.legal_moves) < 3:
        board.push(random_.choice(board.legal_moves))
    return board


@pytest.mark.compiled
def test_what_an_ending_has_shown_is_known_a_move_later():
    board = ending(18)
    computer = player("computer level=18 workers=1", board.game)
    computer.new_game(board)
    first = computer.choose(board, NO_CLOCK)
    for move in first.line[:2]:
        board.push(move)
    fresh = player("computer level=18 workers=1", board.game)
    fresh.new_game(board)
    again, anew = (each.choose(board, NO_CLOCK) for each in (computer, fresh))
    assert first.exact
    assert (again.exact, again.value) == (True, anew.value) == (True, first.value)
    assert again.nodes < 0.5 * anew.nodes


@pytest.mark.interpreted_only
def test_endings_are_solved_first_where_they_fit(monkeypatch):
    """What is expected to fit is played out, and nothing else is searched; what did not fit is not tried again soon."""
    asked = []
    fits = True

    def told(board, limits=None, *, exact=False, deadline, **options):
        seconds = deadline.left_seconds()
        asked.append((exact, seconds))
        found = {"move": board.legal_moves[0], "value": 0, "depth": 1, "nodes": 1, "pv": (), "scale": None, "best": ()}
        yield SimpleNamespace(**found, stopped=not (exact and fits), exact=exact and fits, seconds=seconds)

    monkeypatch.setattr(computer, "iterate", told)
    for moves, seconds, solves in ((12, 1, True), (18, 1, True), (20, 1, True), (22, 1, False), (22, 100, True)):
        asked.clear()
        chosen = Computer(START.game, seconds=seconds, workers=1)
        chosen._prepared = True
        choice = chosen.choose(ending(moves), NO_CLOCK)
        assert (choice.exact, [exact for exact, _ in asked]) == ((True, [True]) if solves else (False, [False]))
    fits = False
    asked.clear()
    slow = Computer(START.game, seconds=1.0, workers=1)
    slow._prepared = True
    for moves in (18, 17, 14):
        slow.choose(ending(moves), NO_CLOCK)
    assert [exact for exact, _ in asked] == [True, False, False, True, False]
    assert asked[0][1] < 1.0 < 1.5 * asked[0][1], "there is time left to search when it was too much"


@pytest.mark.interpreted_only
def test_games_say_how_long_their_endings_take():
    usual = EndingTime()
    assert usual.expected(14) == usual.seconds
    assert usual.expected(16) == pytest.approx(usual.seconds * usual.growth**2)
    for each in (usual, description_of(START.game).play.ending_time):
        for seconds in (0.001, 0.07, 1.0, 60.0):
            most = each.moves_within(seconds)
            assert each.expected(most) <= seconds < each.expected(most + 1)
    assert EndingTime(moves=2, seconds=1.0).moves_within(1e-6) == 0


@pytest.mark.compiled
def test_a_stop_is_answered_with_a_move():
    board, stop = OthelloBoard.start(), Stop()
    computer = player("computer time=6000", board.game)  # longer than any test run
    computer.new_game(board)
    stop()
    assert computer.choose(board, NO_CLOCK, stop=stop).move in board.legal_moves


@pytest.mark.compiled
def test_pondering_ends_when_the_opponent_has_moved():
    board = OthelloBoard.start()
    computer = player("computer time=0.1", board.game)
    computer.new_game(board)
    with Pondering(computer, board):
        time.sleep(0.05)
    board.push("f5")
    assert computer.choose(board, NO_CLOCK).move in board.legal_moves
    with Pondering(None, board):
        pass


def test_levels_grow():
    for game, highest in ((START.game, 60), (AbaloneBoard.start().game, 20)):
        assert len(description_of(game).play.levels) == highest
        for number in range(2, highest + 1):
            lower, higher = level_of(game, number - 1), level_of(game, number)
            assert higher.depth >= lower.depth + (game == START.game and number >= 15)
            assert higher.exact >= lower.exact
            assert higher.to_the_end >= lower.to_the_end
            assert higher.misjudged <= lower.misjudged
            assert higher.greed <= lower.greed
            assert higher != lower
        for number in (0, highest + 1):
            with pytest.raises(OutflankError, match=f"level={number}: 1 to {highest}"):
                level_of(game, number)
    sure = [number for number in range(1, 61) if not level_of(START.game, number).misjudged]
    assert sure == [level_of(START.game, number).depth for number in sure] == list(range(15, 61))
    assert [exact_moves_for_depth(START.game, depth) for depth in (1, 2, 5, 10, 12)] == [2, 4, 12, 15, 16]
    assert exact_moves_for_depth(START.game, 20) == level_of(START.game, 20).exact


def shuffled(times):
    """A game of Abalone in which marbles have gone there and back."""
    board = AbaloneBoard.start("belgian-daisy")
    for move in ("a1b2", "i5h5", "d4c3", "f5g5") * times:
        board.push(move)
    return board


@pytest.mark.interpreted_only
def test_moves_that_repeat_a_position_are_known_and_those_that_draw_by_it():
    assert repeating_moves(AbaloneBoard.start("belgian-daisy")) == {}
    once = shuffled(1)
    assert repeating_moves(once) == {once.parse_move("a1b2"): False}
    twice = shuffled(2)
    assert twice.is_game_over  # for the third time
    twice.pop()
    assert repeating_moves(twice) == {twice.parse_move("f5g5"): True}
    free = shuffled(1)
    free.repetitions = None
    for move in ("a1b2", "i5h5", "d4c3"):
        free.push(move)
    assert repeating_moves(free) == {free.parse_move("f5g5"): False}
    assert repeating_moves(OthelloBoard.from_text("f5d6")) == {}


@pytest.mark.interpreted_only
def test_who_does_not_stand_badly_goes_elsewhere_if_that_is_nearly_as_good_and_never_into_a_draw():
    def taken(repeats, *values):
        moves = [MoveValue(move=move, value=value) for move, value in zip("abc", values, strict=True)]
        return preferred_move(moves, repeats, near=10, unsure=40).move

    assert taken({"a": False}, 100, 95, 90) == "b"
    assert taken({"a": False, "b": False}, 100, 95, 90) == "c"
    assert taken({"a": False}, 100, 80, 70) == "a"  # nothing else is as good
    assert taken({"a": True}, 100, 80, 70) == "b"  # but that is no more than a draw
    assert taken({"a": True}, 100, -30, -90) == "b"  # which nobody wants who may still win
    assert taken({"a": True}, 100, -80, -90) == "a"
    assert taken({"b": True}, -50, -60, -70) == "b"  # who is behind is content with one
    assert taken({"a": False}, -50, -51, -52) == "a"
    assert taken({"a": False}, -20, -21, -52) == "b"
    assert taken({"b": False}, 100, 95, 90) == "a"


@pytest.mark.interpreted_only
def test_a_policy_hears_for_how_many_iterations_the_best_move_is_the_same(monkeypatch):
    one, other = START.legal_moves[:2]

    def iterations(board, limits, **options):
        for depth, move in enumerate((one, one, other, other, other), 1):
            values = {"move": move, "value": 0, "pv": (), "best": (), "scale": None}
            yield SimpleNamespace(**values, depth=depth, nodes=1, stopped=False, exact=False)

    monkeypatch.setattr(computer, "iterate", iterations)
    thinking = Computer(START.game, depth=5, workers=1)
    heard: list[int] = []
    monkeypatch.setattr(thinking.policy, "enough", lambda budget, elapsed, last, stable: heard.append(stable))
    thinking.choose(START, NO_CLOCK)
    assert heard == [0, 1, 0, 1, 2]


@pytest.mark.interpreted_only
def test_a_computer_keeps_its_table_from_move_to_move():
    thinking = Computer(START.game, depth=3, workers=1, table_bits=10)
    first, again = (thinking.choose(START, NO_CLOCK) for _ in range(2))
    assert again.nodes < first.nodes
    assert Computer(START.game, algorithm="minimax", depth=3)._table is None, "it would not use one"


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("settings", "asked", "made"),
    [({}, 2, "c2d2"), ({"repeats": False}, 2, "c2d2"), ({"repeats": True}, 1, "a1b2")],
)
def test_computers_ask_for_another_move_where_the_best_may_repeat_a_position(monkeypatch, settings, asked, made):
    board = shuffled(1)
    moves = [MoveValue(move=board.parse_move(text), value=value) for text, value in (("a1b2", 60), ("c2d2", 58))]

    def found(board, limits, *, moves=1, **options):
        first = best[0]
        values = {"move": first.move, "value": first.value, "pv": (first.move,), "best": tuple(best[:moves])}
        scale = SimpleNamespace(near=5, points=100)
        told.append(moves)
        yield SimpleNamespace(**values, depth=1, nodes=1, scale=scale, stopped=False, exact=False)

    told: list[int] = []
    best = moves
    made_by = Computer(board.game, depth=1, workers=1, table_bits=None, **settings)
    made_by._prepared = True
    monkeypatch.setattr(computer, "iterate", found)
    assert made_by.choose(board, NO_CLOCK).move == board.parse_move(made)
    assert told == [asked]
    assert player("computer report=003", board.game)._repeats  # it does what it did


@pytest.mark.interpreted_only
def test_lots_are_the_same_for_a_seed_and_others_in_every_game_and_for_another_matter():
    def drawn(*ways):
        return [way.rng.random() for way in ways]

    one, same = RandomStream(3, "moves"), RandomStream(3, "moves")
    first = drawn(one)
    assert drawn(same) == first != drawn(RandomStream(3, "mistakes"))
    one.new_game()
    assert drawn(one) != first
    same.reseed(4)
    assert drawn(same) == drawn(RandomStream(4, "moves"))
    same.reseed(3)
    assert drawn(same) == first
    # Whoever draws lots draws them so.
    assert issubclass(Variety, RandomStream)
    assert issubclass(Misjudging, RandomStream)
    assert isinstance(Random(seed=3)._stream, RandomStream)


@pytest.mark.interpreted_only
def test_beginners_err_as_far_as_they_may_and_again_for_a_seed():
    board = OthelloBoard.start()
    board.push("f5")
    moves = [MoveValue(move=move, value=value) for move, value in zip(board.legal_moves, (256, 0, -9000), strict=True)]
    assert [pieces_gained(board, each) for each in moves] == [3, 3, 3]
    misjudging = Misjudging(2.0, 0.0, 7)
    picked = [misjudging.pick(board, moves, 128) for _ in range(200)]
    # The second is two discs behind, which is one deviation; the third would have to be misjudged by far more than any.
    assert LARGEST * 2 * 2.0 < 9000 / 128
    assert {moves.index(each) for each in picked} == {0, 1}
    assert 20 < sum(each is moves[1] for each in picked) < 80
    misjudging.reseed(7)
    assert [misjudging.pick(board, moves, 128) for _ in range(200)] == picked
    misjudging.new_game()
    assert [misjudging.pick(board, moves, 128) for _ in range(200)] != picked
    assert Misjudging(0.0, 0.0, 1).pick(board, moves, 128) is moves[0]


@pytest.mark.interpreted_only
def test_beginners_like_to_win_pieces():
    board = Board.from_text("f5d6c5f4e3")
    moves = [MoveValue(move=move, value=0) for move in board.legal_moves]
    most = max(pieces_gained(board, each) for each in moves)
    greedy = Misjudging(0.0, 1.0, 1).pick(board, moves, 128)
    assert pieces_gained(board, greedy) == most > min(pieces_gained(board, each) for each in moves)
    pushed = AbaloneBoard.start()
    assert {pieces_gained(pushed, MoveValue(move=move, value=0)) for move in pushed.legal_moves} == {0}


def test_the_random_player_repeats_itself_for_a_seed():
    def game(seed):
        board, made = OthelloBoard.start(), Random(seed=seed)
        made.new_game(board)
        while not board.is_game_over:
            board.push(made.choose(board, NO_CLOCK).move)
        return board.moves

    assert game(5) == game(5)
    assert game(5) != game(6)
    assert First().choose(START, NO_CLOCK).move == START.legal_moves[0]


# --- habits ---


def test_a_board_of_two_turns_ago_is_answered_at_once():
    habit, board = BoardCache(), AbaloneBoard.start()
    habit.new_game(board)
    assert habit.choose(board) is None
    habit.played(board, Choice(move=board.legal_moves[5]))
    again = habit.choose(AbaloneBoard.start())
    assert (again.move, again.why) == (board.legal_moves[5], "seen before")
    for _ in range(2):
        board.push(board.legal_moves[0])
        habit.played(board, Choice(move=board.legal_moves[0]))
    assert habit.choose(AbaloneBoard.start()) is None  # only two are kept


def test_the_fixed_opening_is_played_from_the_standard_start_alone():
    board = AbaloneBoard.start()
    habit = habit_named("fixed-opening", board.game)
    played = []
    while (choice := habit.choose(board)) is not None:
        played.append(str(choice.move).upper())
        board.push(choice.move)
    assert played == [text for pair in zip(*OPENING, strict=True) for text in pair]
    assert habit.choose(AbaloneBoard.start("belgian-daisy")) is None


def test_the_mirror_answers_from_the_other_side():
    board = AbaloneBoard.start()
    habit = habit_named("mirror", board.game)
    assert habit.choose(board) is None  # nobody has moved
    board.push("A1B2")
    assert str(habit.choose(board).move).upper() == "I9H8"
    board.push("I9H8")
    assert board.symmetric(0) == board
    black, white = board._by_colour()
    assert black.bit_count() == white.bit_count() == 14


# --- the classroom program ---


@pytest.mark.compiled
@pytest.mark.parametrize(("depth", "discs"), [(1, "19|45|O"), (2, "4|60|O"), (3, "46|18|X")])
def test_the_classroom_program_counts_as_it_did(depth, discs):
    black, white, winner = discs.split("|")
    words = iter(f"c {depth} c {depth}".split())
    *_, last = Classic(ask_classic(words), words).lines()
    assert last == f"X has {black} disks. O has {white} disks. {winner} wins."


def test_humans_of_the_classroom_type_rows_and_columns():
    words = iter(["h", "h", "9", "9", "3", "4", "3", "3"])
    seats = ask_classic(words)
    assert seats == {Side.BLACK: ClassicPlayer(None), Side.WHITE: ClassicPlayer(None)}
    lines = Classic(seats, words).lines()
    printed = []
    with pytest.raises(OutflankError, match="input ends"):
        printed.extend(lines)  # nothing more after two moves
    game = Classic(seats, iter(["3", "4", "3", "3"]))
    with pytest.raises(OutflankError, match="input ends"):
        printed = [line for line in game.lines()]  # noqa: C416  # it raises
    assert [str(move) for move in game.board.moves] == ["d3", "c3"]


@pytest.mark.parametrize("text", ["", "x", "c", "c 0", "c 61 c 1", "c 3", "c 3 q", "c three c 3"])
def test_wrong_seats_are_one_line(text):
    with pytest.raises(OutflankError, match="player"):
        ask_classic(iter(text.split()))


# --- variety ---


def opening(computer, plies=6):
    board = OthelloBoard.start()
    computer.new_game(board)
    for _ in range(plies):
        board.push(computer.choose(board, NO_CLOCK).move)
    return [str(move) for move in board.moves]


def test_computers_do_not_play_the_same_game_twice_unless_asked_to():
    varied = Computer(START.game, depth=1, workers=1, variety=1)
    games = [opening(varied) for _ in range(6)]
    assert len(set(map(tuple, games))) > 1
    again = Computer(START.game, depth=1, workers=1, variety=1)
    assert [opening(again) for _ in range(6)] == games
    plain = Computer(START.game, depth=1, workers=1)
    assert opening(plain) == opening(plain)


def test_only_first_moves_that_are_nearly_as_good_are_drawn():
    variety = Variety(1)
    moves = [("a", 30), ("b", 25), ("c", 10)]
    assert {variety.pick(START, moves, 10) for _ in range(50)} == {"a", "b"}
    leant = Counter(variety.pick_weighted(START, moves, 10) for _ in range(400))
    assert leant["a"] > leant["b"] > 0
    assert set(leant) == {"a", "b"}
    late = OthelloBoard.from_text("f5d6c3d3c4f4f6g5")
    assert {variety.pick(late, moves, 10) for _ in range(50)} == {"a"}
    assert {variety.pick_weighted(late, moves, 10) for _ in range(50)} == {"a"}
    assert (variety.moves(START), variety.moves(late)) == (4, 1)


def test_a_book_is_played_from_in_various_ways():
    plain, varied = (Computer(START.game, depth=1, book="own", variety=seed) for seed in (None, 3))
    board = OthelloBoard.start()
    assert {plain.choose(board, NO_CLOCK).move for _ in range(9)} == {board.parse_move("d3")}  # the first of equals
    drawn = [varied.choose(board, NO_CLOCK) for _ in range(20)]
    assert {choice.why for choice in drawn} == {"book"}
    assert len({choice.move for choice in drawn}) > 1


def test_words_may_ask_for_variety_and_reports_have_none():
    assert player("computer depth=1 variety=4", START.game)._variety is not None
    assert player("computer depth=1", START.game)._variety is None
    assert player("computer depth=1", START.game, variety=7)._variety is not None
    assert player("computer depth=1 variety=none", START.game, variety=7)._variety is None
    assert player("computer report=002 depth=1", START.game, variety=7)._variety is None
    assert player("random", START.game, variety=7).seed == 7
    assert player("random seed=2", START.game, variety=7).seed == 2


# --- reviews ---


@pytest.mark.compiled
def test_a_blunder_is_found():
    board = OthelloBoard.start()
    random_ = random.Random(8)
    while board.empties > 10:
        board.push(random_.choice(board.legal_moves))
    # From here one side plays its worst moves.
    while not board.is_game_over and board.empties > 4:
        board.push(random_.choice(board.legal_moves))
    judged = list(judge_moves(board, Limits(depth=4), exact=10))
    exact = [each for each in judged if each.exact]
    assert exact
    assert all(each.best_value >= each.value for each in judged)
    marks = description_of(board.game).play.marks
    assert any(marks.of(each.loss) for each in judged)
    # Where values are exact, the game turned where the result of best play did, and nowhere else.
    results = [
        (each, (each.best_value > 0) - (each.best_value < 0), (each.value > 0) - (each.value < 0)) for each in exact
    ]
    assert [each for each in story_of(judged).turning_points if each.exact] == [
        each for each, before, after in results if before != after
    ]
    # An exact judgement is consistent: what a move keeps is what the opponent has next, seen from the other side.
    for one, other in itertools.pairwise(exact):
        if other.ply == one.ply + 1:
            assert one.value == -other.best_value


def series(values, *, exact=True, depth=8, board=START):
    """Moves that kept the second of two values where the first was to be had, in turn by black and by white."""
    return [
        JudgedMove(
            ply=ply,
            side=Side.BLACK if ply % 2 else Side.WHITE,
            move=board.legal_moves[0],
            best=board.legal_moves[1],
            best_value=best,
            value=kept,
            exact=exact,
            depth=depth,
            margin=0.0 if exact else description_of(board.game).play.typical_error(depth),
        )
        for ply, (best, kept) in enumerate(values, 1)
    ]


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("values", "turned"),
    [
        ([(4, 4), (-4, -4)], []),  # nobody has lost anything
        ([(40, 2), (-2, -2)], []),  # much was lost, and the same side wins
        ([(-2, -40)], []),  # it was lost before
        ([(2, 0)], [1]),  # a win given away
        ([(0, -2)], [1]),  # a draw given away
        ([(2, -2), (2, -2), (2, 2)], [1, 2]),
        ([(0, 0), (0, 0), (0, -2), (2, 2)], [3]),
    ],
)
def test_the_game_turns_where_the_result_of_best_play_does(values, turned):
    assert [each.ply for each in story_of(series(values)).turning_points] == turned


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("values", "turned"),
    [
        ([(1.0, -1.0)], []),  # another sign, and within what the search may be wrong by
        ([(7.3, 7.1)], []),  # across the margin by a hair
        ([(30.0, 9.0)], []),
        ([(9.0, -9.0)], [1]),
        ([(8.0, 0.0)], [1]),
        ([(0.0, -8.0), (8.0, 8.0)], [1]),
    ],
)
def test_estimates_turn_a_game_only_beyond_their_margin(values, turned):
    assert description_of(START.game).play.typical_error(8) == pytest.approx(7.2)
    assert [each.ply for each in story_of(series(values, exact=False)).turning_points] == turned


@pytest.mark.interpreted_only
def test_deeper_searches_are_believed_sooner_and_the_costliest_move_is_another_matter():
    for board in (START, AbaloneBoard.start()):
        margins = [description_of(board.game).play.typical_error(depth) for depth in range(30)]
        assert margins == sorted(margins, reverse=True)
        assert min(margins) > 0
    judged = series([(60, 4), (-4, -4), (4, -1)])
    assert costliest(judged, description_of(START.game).play.marks) == judged[0]
    assert story_of(judged).turning_points == judged[2:]
    assert costliest(series([(3, 2)]), description_of(START.game).play.marks) is None
    assert costliest([], description_of(START.game).play.marks) is None


def test_a_stopped_review_ends():
    stop = Stop()
    stop()
    board = OthelloBoard.from_text("f5d6c3")
    assert list(judge_moves(board, Limits(depth=1), stop=stop)) == []
