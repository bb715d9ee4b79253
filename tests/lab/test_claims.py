"""The ledger of the reports' conclusions, and how its answers are computed."""

import pytest

from outflank import lab
from outflank.games.sides import Side
from outflank.lab.claims import deciding
from outflank.lab.claims.ledger import (
    UNDECIDED,
    Answer,
    Claim,
    Decision,
    Evidence,
    Missing,
    answer_counts_text,
    is_expected,
    judged,
    ledger_table,
    not_testable,
)
from outflank.lab.report_programs.published_numbers import REPORTS
from outflank.lab.reproduction.matches import PAIR_COLUMNS, match_cells
from outflank.lab.reproduction.published_sections import Finding, MeasuredCell
from outflank.lab.studies import reproduce
from outflank.lab.studies.duel_bouts import CLEARLY_STRONGER

pytestmark = pytest.mark.interpreted_only

NOTHING = Evidence(cells={}, samples={})
SOME = Evidence(
    cells={
        "Table": [
            MeasuredCell((4,), "speed", 2.5),
            MeasuredCell((8,), "speed", 2.6, finding=Finding.MORE_THREADS),
            MeasuredCell((16,), "speed", None),
            MeasuredCell(("words",), "value", "1 to 8"),
        ]
    },
    samples={("Table", "scaling"): [{"task": "one"}]},
)


def claim(decide, expected=Answer.CONFIRMED):
    return Claim(report="000", number=1, where="Table", says="four are faster", expected=expected, decide=decide)


def test_evidence_is_what_was_measured_and_nothing_else():
    assert SOME.value("Table", 4, "speed") == SOME.value("Table", (4,), "speed") == 2.5
    assert SOME.of("Table", "scaling") == [{"task": "one"}]
    for row, column in ((8, "speed"), (16, "speed"), (4, "time"), ("words", "value"), (5, "speed")):
        with pytest.raises(Missing):
            SOME.value("Table", row, column)
    for section, part in (("Table", "profile"), ("Figure", "scaling")):
        with pytest.raises(Missing):
            SOME.of(section, part)


def test_a_missing_answer_says_why():
    why = {8: "The threads took turns on fewer cores.", 16: "This run has not measured it."}
    for row, text in why.items():
        undecided = claim(lambda evidence, it=row: judged(evidence.value("Table", it, "speed") > 2, "fast"))
        assert undecided.decided(SOME) == Decision(Answer.NOT_DONE, text)
    half = [{"workers": 2, "seconds": 1.0, "useful_seconds": 2.0, "user_seconds": 1.0, "system_seconds": 0.0}]
    with pytest.raises(Missing, match="busy: the searches had 50% of the processor time"):
        deciding.trusted_times(half)
    short = [{"workers": 1, "seconds": 0.001, "useful_seconds": 0.001, "user_seconds": 0.001, "system_seconds": 0.0}]
    with pytest.raises(Missing, match="too short"):
        deciding.trusted_times(short)
    full = [{"workers": 2, "seconds": 1.0, "useful_seconds": 2.0, "user_seconds": 1.9, "system_seconds": 0.1}]
    assert deciding.trusted_times(full) is full


def test_cases_hold_all_none_or_some():
    figures = {"start": 1.5, "midgame": 0.5}
    answers = [
        deciding.compared(figures, lambda ratio, it=limit: ratio > it, "boards: {} (limit).").answer
        for limit in (0.1, 2, 1)
    ]
    assert answers == [Answer.CONFIRMED, Answer.CONTRADICTED, Answer.DEPENDS]
    decision = deciding.compared(figures, lambda ratio: ratio > 1, "Boards: {}.")
    assert decision.because == "It holds for start, not for midgame: boards: 1.50 (start), 0.50 (midgame)."


def test_a_match_is_decided_by_a_sequential_test():
    def answer(*counts):
        return deciding.decided_by_match(CLEARLY_STRONGER, counts, "new has {} against old", "; by luck")

    assert answer(0, 0, 4, 2, 20).answer is Answer.CONFIRMED
    assert answer(20, 2, 4, 0, 0) == Decision(
        Answer.CONTRADICTED, "New has 5 of 52 points against old (test: +0 or +100 Elo); by luck."
    )
    assert answer(1, 0, 1, 0, 2).answer is Answer.NOT_DONE
    games = []

    def play(number, players):
        games.append(number)
        return 1.0 if players[Side.BLACK] == "new" else 0.0

    cells = match_cells(("new", "old"), ("match",), CLEARLY_STRONGER, 50, play)
    counts = [cell.ours for cell in cells]
    assert [cell.column for cell in cells] == list(PAIR_COLUMNS)
    assert counts[:-1] == [0] * 4
    assert answer(*counts).answer is Answer.CONFIRMED
    assert len(games) == 2 * counts[-1] < 50  # it ended with the decision


def test_an_answer_is_computed_or_not_done():
    faster = claim(lambda evidence: judged(evidence.value("Table", 4, "speed") > 2, "2.5 times"))
    assert faster.decided(SOME) == Decision(Answer.CONFIRMED, "2.5 times")
    assert faster.decided(NOTHING).answer is Answer.NOT_DONE
    slower = claim(lambda evidence: judged(evidence.value("Table", 4, "speed") > 3, "2.5 times"))
    assert slower.decided(SOME).answer is Answer.CONTRADICTED
    assert not is_expected(slower, slower.decided(SOME))
    assert is_expected(slower, slower.decided(NOTHING))
    opinion = claim(not_testable("a wish"), Answer.NOT_TESTABLE)
    assert opinion.decided(NOTHING) == Decision(Answer.NOT_TESTABLE, "a wish")
    decisions = [(each, each.decided(SOME)) for each in (faster, slower, opinion)]
    assert answer_counts_text(decisions) == "Of 3 conclusions: 1 confirmed, 1 contradicted, 1 not testable."
    assert ledger_table(decisions).column("answer") == ["confirmed", "contradicted (not confirmed)", "not testable"]


@pytest.mark.parametrize("report", REPORTS)
def test_every_claim_can_be_decided(report):
    claims = reproduce.claims_of(report)
    assert [each.number for each in claims] == list(range(1, len(claims) + 1))
    for each in claims:
        assert each.report == report
        assert each.where
        assert each.says.endswith(".")
        assert each.expected not in UNDECIDED
        decision = each.decided(NOTHING)
        assert decision.because.endswith(".")
        if each.expected is Answer.NOT_TESTABLE:
            assert decision.answer is Answer.NOT_TESTABLE


def test_report_003_is_answered_from_its_root_moves():
    work = {"midgame1": [30, *[1] * 47], "midgame2": [1] * 60}
    moves = [
        {"what": "counted", "position": position, "leaves": leaves, "depth": 5}
        for position, counts in work.items()
        for leaves in counts
    ]
    evidence = Evidence(cells={}, samples={("Figure 2.6", "imbalance"): moves})
    answers = {each.says: each.decided(evidence).answer for each in reproduce.claims_of("003")}
    assert answers["With many threads the positions differ much."] is Answer.CONFIRMED
    assert answers["Even 48 threads do not exhaust the speed-up."] is Answer.DEPENDS
    assert (
        answers["Because of pruning, root moves are unequal amounts of work, which nobody knows in advance."]
        is Answer.DEPENDS
    )
    assert answers["Alpha-beta is as accurate as minimax."] is Answer.NOT_DONE
    wrong = [{"program": name, "position": "start", "value": value} for name, value in (("minimax", 1), ("other", 2))]
    accurate = next(each for each in reproduce.claims_of("003") if "accurate as" in each.says)
    decision = accurate.decided(Evidence(cells={}, samples={("Figure 2.5", "pruning"): wrong}))
    assert decision.answer is Answer.CONTRADICTED


def test_wins_that_rings_give_up_are_counted():
    claims = {each.says: each for each in reproduce.claims_of("003")}
    given_up = next(each for says, each in claims.items() if says.startswith("Greater weights of the inner rings"))
    cause = next(each for says, each in claims.items() if says.startswith("The cause is the weight of 0 for the edge"))
    for missed, answers in (
        ((0, 0, 0), (Answer.CONTRADICTED, Answer.CONTRADICTED)),
        ((0, 5, 5), (Answer.CONFIRMED, Answer.CONTRADICTED)),
        ((0, 5, 0), (Answer.CONFIRMED, Answer.CONFIRMED)),
    ):
        names = ("old rings", "new rings, edge 0", "new rings, edge 1")
        cells = [
            MeasuredCell(("winning push not played", name), "value", count)
            for name, count in zip(names, missed, strict=True)
        ]
        cells += [
            MeasuredCell(("winning push", "searches"), "value", 30),
            MeasuredCell(("another move", "edge 0"), "value", 0),
        ]
        evidence = Evidence(cells={"Details": cells}, samples={})
        assert (given_up.decided(evidence).answer, cause.decided(evidence).answer) == answers


def test_drawn_games_decide_no_match():
    claims = {each.says: each for each in reproduce.claims_of("003")}
    rings = next(each for says, each in claims.items() if says.startswith("The new weights always beat"))
    for points, answer in (((0.5, 0.5), Answer.NOT_DONE), ((1.0, 0.0), Answer.CONTRADICTED)):
        games = [
            {"first": "70/60/40/10/1", "second": "45/35/25/10/0", "pair": pair, "points": each, "score": 0}
            for pair in range(20)
            for each in points
        ]
        decision = rings.decided(Evidence(cells={}, samples={("Evaluation Function", "duels"): games}))
        assert decision.answer is answer


@pytest.mark.usefixtures("nothing_stored")
def test_an_unexpected_answer_fails_the_run(monkeypatch):
    monkeypatch.setattr(reproduce, "sections_of", lambda report: ())
    for expected, passed in ((Answer.CONTRADICTED, True), (Answer.CONFIRMED, False)):
        contradicted = claim(lambda evidence: judged(False, "none."), expected)
        monkeypatch.setattr(reproduce, "claims_of", lambda report, it=contradicted: (it,))
        report = lab.run("reproduce", which=("000",), claims=True)
        assert report.passed is passed
        assert [table.column("claim") for table in report.tables] == [["000.1"]]


def test_conclusions_of_report_004_are_decided_by_the_measurements(monkeypatch):
    games = [
        {"scheme": scheme, "workers": workers, "depth": 6, "seconds": seconds}
        for scheme, workers, seconds in (("serial minimax", 1, 4), ("fork-join", 8, 1.0), ("fork-join", 16, 0.6))
    ]
    evidence = Evidence(
        cells={
            "In the text": [MeasuredCell(("branches_compared",), "value", 4)],
            "Cilkview": [MeasuredCell((7,), "parallelism", 1396.03)],
        },
        samples={("In the text", "scaling"): games},
    )
    by_start = {
        start: next(each for each in reproduce.claims_of("004") if each.says.startswith(start))
        for start in ("All four branches", "8 threads are enough", "More than 8 threads take")
    }
    assert [each.decided(evidence).answer for each in by_start.values()][:2] == [Answer.CONFIRMED, Answer.CONTRADICTED]
    more = by_start["More than 8 threads take"]
    for cores, answer in ((2, Answer.NEEDS_CORES), (16, Answer.CONTRADICTED)):
        monkeypatch.setattr("outflank.lab.claims.time_answers_004.usable_cores", lambda it=cores: float(it))
        assert more.decided(evidence).answer is answer
    games[-1]["seconds"] = 1.0
    assert more.decided(evidence) == Decision(
        Answer.CONFIRMED, "8 threads take 1 s, and 16 take 1 s (we call 3% less a gain)."
    )


def test_conclusions_of_report_002_are_decided_from_its_sections(monkeypatch):
    claims = {each.says: each for each in reproduce.claims_of("002")}
    estimates = {3: (2.4, 2.5), 4: (7.0, 7.3), 5: (40.0, 50.0), 6: (90.0, 130.0), 7: (121.6, 243.2)}
    columns = ("processors_128", "processors_256")
    evidence = Evidence(
        cells={
            "Data Races": [MeasuredCell(("data_races",), "value", 0)],
            "Figures 1 and 2": [MeasuredCell((7,), "parallelism", 40_088.0)],
            "Figure 3": [
                MeasuredCell((depth,), column, estimate)
                for depth, pair in estimates.items()
                for column, estimate in zip(columns, pair, strict=True)
            ],
        },
        samples={},
    )
    decisions = {says: each.decided(evidence) for says, each in claims.items()}
    assert decisions["The program has no data races."].answer is Answer.CONFIRMED
    amdahl = decisions["That agrees with Amdahl's law: the sequential part is the limit."]
    assert amdahl.answer is Answer.CONTRADICTED
    assert "One part in 40,088 of the game is sequential" in amdahl.because
    returns = decisions["From some number of processors on, more of them gain much less."]
    assert returns.answer is Answer.DEPENDS
    assert returns.because.endswith("not so at depth 7.")
    monkeypatch.setattr("outflank.lab.claims.time_answers_002.usable_cores", lambda: 4)
    efficient = claims["With 1 to 5 threads the efficiency is well above 80 %."]
    assert efficient.decided(evidence) == Decision(Answer.NEEDS_CORES, "It needs 5 cores, and this machine has 4.")


def test_report_001_is_answered_from_counts():
    claims = {each.says: each for each in reproduce.claims_of("001")}
    counts = {
        "SerialPVS": (100, 500),
        "AlphaBeta": (300, 1000),
        "ParallelPVS": (950, 950),
        "ParallelAlphaBeta": (2800, 2800),
    }
    samples = [
        {"algorithm": name, "window": window, "nodes": nodes}
        for name, pair in counts.items()
        for window, nodes in zip(("as in 001", "turned over"), pair, strict=True)
    ]
    nodes = {"minimax": 900.0, "alpha-beta by squares": 90.0, "alpha-beta, best first": 50.0, "PVS, best first": 50.0}
    evidence = Evidence(
        cells={"Algorithms": [MeasuredCell((name,), "nodes", count) for name, count in nodes.items()]},
        samples={("Experimental Results", "nodes"): samples},
    )
    for says, answer in (
        ("Alpha-beta enters fewer nodes than minimax.", Answer.CONFIRMED),
        ("These 10 times are the price of parallelism.", Answer.CONTRADICTED),
        ("The narrow window of PVS prunes still more than alpha-beta.", Answer.DEPENDS),
    ):
        decision = claims[says].decided(evidence)
        assert decision.answer is answer
        assert decision.because.endswith(".")


def test_a_lead_in_moves_decides_only_if_games_are_enough():
    (control,) = [each for each in reproduce.claims_of("001") if "take control of more of the board" in each.says]

    def decision(games, wins):
        section = [MeasuredCell(("phased", "phased"), "games", games), MeasuredCell(("moves",), "leader_wins", wins)]
        return control.decided(Evidence(cells={"Implementation Details, evaluation": section}, samples={}))

    assert decision(100, 0.7) == Decision(
        Answer.CONFIRMED,
        "In the middle of 100 games, the side with more moves wins in the end in 70% of the positions.",
    )
    assert decision(100, 0.3).answer is Answer.CONTRADICTED
    assert decision(100, 0.59).answer is Answer.NOT_DONE  # 0.5 + 1.96 / 20 is 0.598
    assert decision(400, 0.59).answer is Answer.CONFIRMED


def ordered(label, choices):
    """Samples of two choices on boards, from the boards' counts."""
    return [
        {"board": f"board{number}", label: choice, "nodes": nodes, "depth": 13}
        for choice, counts in choices.items()
        for number, nodes in enumerate(counts)
    ]


def varied(*cells):
    """Evidence of the section on the sequential program: rows, columns and numbers."""
    return {"Conclusions, sequential": [MeasuredCell(*cell) for cell in cells]}


def test_criteria_of_report_000_fail_if_the_opposite_is_true():
    claims = {each.says: each for each in reproduce.claims_of("000")}

    def answer(start, cells=None, samples=None):
        (chosen,) = [each for says, each in claims.items() if says.startswith(start)]
        return chosen.decided(Evidence(cells=cells or {}, samples=samples or {})).answer

    without = [
        ((choice, "without a table"), board, nodes)
        for choice, nodes in (("as it is", 100), ("undivided", 300), ("pivot 0", 150))
        for board in ("start", "midgame")
    ]
    section = "Conclusions, sequential"
    for undivided, expected in (([200] * 19 + [100], Answer.CONFIRMED), ([120] * 20, Answer.CONTRADICTED)):
        boards = ordered("evaluation", {"divided by 8": [100] * 20, "as it is": undivided})
        part = {(section, "coarseness, tournament"): boards}
        assert answer("Dividing the evaluation by eight makes", varied(*without), part) is expected
    for reset, expected in ((150, Answer.CONFIRMED), (101, Answer.CONTRADICTED)):
        pivots = ordered("pivot", {"carried": [100], "reset": [reset]})
        parts = {(section, "pivot, tournament"): pivots, ("Searching the game tree", "pivot"): pivots}
        assert answer("Starting it from the last", varied(*without), parts) is expected
    sorts = (
        "insertion sort",
        "insertion sort, equals backwards",
        "heap sort",
        "merge sort",
        "each when it is its turn",
    )
    for other, expected in (([140, 60], Answer.CONFIRMED), ([140, 140], Answer.CONTRADICTED)):
        counts = {**{name: [100, 100] for name in sorts}, "heap sort": other, "best only": [150, 150]}
        part = {(section, "sorting, tournament"): ordered("sort", counts)}
        assert answer("This effect is large", samples=part) is expected
    for loss, expected in ((2.0, Answer.CONFIRMED), (0.0, Answer.CONTRADICTED), (9.0, Answer.CONTRADICTED)):
        cells = [("boards of other moves", 3), ("boards compared", 20), ("mean loss", loss)]
        assert answer("Dividing it makes", varied(*(((name,), "value", ours) for name, ours in cells))) is expected
    for middle, expected in ((0.0, Answer.CONFIRMED), (0.4, Answer.DEPENDS)):
        found = {12: 0.0, 28: middle, 44: 0.5, 56: 0.8}
        cells = [(("stones", discs), "correlation", value) for discs, value in found.items()]
        cells += [(("boards", discs), "value", 200) for discs in found]
        assert answer("The stone score counts", varied(*cells)) is expected


def test_the_order_of_counts_tells_which_weights_the_report_had():
    claims = {each.says: each for each in reproduce.claims_of("000")}
    names = ("none", "stone score", "square score", "mobility score", "potential mobility score")
    names += ("stone score + square score",)
    theirs = dict(zip(names, (4383996, 1029845, 1284190, 1197055, 7833472, 853809), strict=True))
    cells = [
        (
            (evaluation, name),
            "boards from the start",
            count if evaluation == "without potential mobility" else 1e6 / count,
        )
        for evaluation in ("four-part", "without potential mobility")
        for name, count in theirs.items()
    ]
    searches = {
        (f"Move ordering, {board}", "orderings"): [
            {"board": board, "ordering": name, "nodes": nodes, "depth": 13}
            for name, nodes in (("none", 100), ("stones+squares", nodes_of_both))
        ]
        for board, nodes_of_both in (("start", 300), ("mid-game", 50))
    }
    both = claims["Stone and square score together are a good ordering on both boards."]
    decision = both.decided(Evidence(cells=varied(*cells), samples=searches))
    assert decision.answer is Answer.DEPENDS
    assert "correlate with the report's by -1.00, without it by 1.00" in decision.because


def test_conclusions_of_report_000_are_decided_from_its_sections():
    decisions = {each.says: each for each in reproduce.claims_of("000")}

    def answer(says, cells=None, samples=None):
        return decisions[says].decided(Evidence(cells=cells or {}, samples=samples or {})).answer

    solved = MeasuredCell(("board_4x4_solved_seconds_below",), "value", 0.1)
    assert answer("The board of 4×4 is solved in less than a second.", {"Introduction": [solved]}) is Answer.CONFIRMED
    widths = [{"where": "searches", "most": 22}, {"where": "any board", "most": 34}]
    part = ("Searching the game tree", "widths")
    assert answer("An array of 32 children is safe.", samples={part: widths}) is Answer.DEPENDS
    alone = {"what": "alone", "position": "start", "value": 1, "boards": 55_000_000}
    runs = [
        {"what": "simulated", "program": program, "count": 64, "threshold": threshold, "bytes": 100 - threshold}
        for program in ("par", "par_rmi", "par_tuple")
        for threshold in (3, 5, 7)
    ]
    fewest = "A threshold of 5 transfers the fewest bytes for all programs."
    part = ("Conclusions, cluster", "stealing, thresholds")
    assert answer(fewest, samples={part: [alone, *runs]}) is Answer.CONTRADICTED
    assert answer(fewest, samples={part: [alone, *(run for run in runs if run["threshold"] != 5)]}) is Answer.NOT_DONE
    assert answer(fewest, samples={part: [{**alone, "boards": 2_500_000}, *runs]}) is Answer.NOT_DONE
    runs = [{**run, "bytes": abs(run["threshold"] - 5) + (run["program"] == "par")} for run in runs]
    assert answer(fewest, samples={part: [alone, *runs]}) is Answer.CONFIRMED
