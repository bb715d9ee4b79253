"""The ledger of the reports' conclusions, and how its answers are computed."""

import pytest

from outflank import lab
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
from outflank.lab.reproduction.published_sections import Finding, MeasuredCell
from outflank.lab.studies import reproduce

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
    assert answers["Because of pruning, root moves are unequal amounts of work, which nobody knows in advance."] is Answer.DEPENDS
    assert answers["Alpha-beta is as accurate as minimax."] is Answer.NOT_DONE
    wrong = [{"program": name, "position": "start", "value": value} for name, value in (("minimax", 1), ("other", 2))]
    accurate = next(each for each in reproduce.claims_of("003") if "accurate as" in each.says)
    decision = accurate.decided(Evidence(cells={}, samples={("Figure 2.5", "pruning"): wrong}))
    assert decision.answer is Answer.CONTRADICTED


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
        monkeypatch.setattr("outflank.lab.claims.claims_004.usable_cores", lambda it=cores: float(it))
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
    monkeypatch.setattr("outflank.lab.claims.time_claims_002.usable_cores", lambda: 4)
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


def test_conclusions_of_report_000_are_decided_from_its_sections():
    decisions = {each.says: each for each in reproduce.claims_of("000")}

    def answer(says, cells=None, samples=None):
        return decisions[says].decided(Evidence(cells=cells or {}, samples=samples or {})).answer

    solved = MeasuredCell(("board_4x4_solved_seconds_below",), "value", 0.1)
    assert answer("The board of 4×4 is solved in less than a second.", {"Introduction": [solved]}) is Answer.CONFIRMED
    widths = [{"where": "searches", "most": 22}, {"where": "any board", "most": 34}]
    part = ("Searching the game tree", "widths")
    assert answer("An array of 32 children is safe.", samples={part: widths}) is Answer.DEPENDS
    runs = [
        {"what": "simulated", "policy": policy, "count": 64, "threshold": threshold, "bytes": 100 - threshold}
        for policy in ("none", "batch")
        for threshold in (3, 5, 7)
    ]
    fewest = "A threshold of 5 transfers the fewest bytes for all programs."
    part = ("Conclusions, cluster", "simulate, thresholds")
    assert answer(fewest, samples={part: runs}) is Answer.CONTRADICTED
    assert answer(fewest, samples={part: [run for run in runs if run["threshold"] >= 5]}) is Answer.NOT_DONE
