"""Conclusions of report 000 on what could still be improved, and on solving the game."""

from math import log

from outflank.lab.claims.evaluation_answers_000 import stronger
from outflank.lab.claims.ledger import (
    CONFIRMED,
    DEPENDS,
    NOT_TESTABLE,
    Decision,
    Evidence,
    Missing,
    Row,
    judged,
    rows_at,
)
from outflank.lab.claims.ordering_answers_000 import by_stage, finer
from outflank.lab.measuring.search_samples import number
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.reproduction.sequential_conclusions_000 import SEQUENTIAL
from outflank.lab.studies.choices import ORDERINGS


def _new_ordering(evidence: Evidence) -> Decision:
    best = {}
    for evaluation in ("four-part", "phased"):
        boards = {name: evidence.value(SEQUENTIAL, (evaluation, name), "boards") for name in ORDERINGS}
        best[evaluation] = min(boards, key=lambda name: boards[name])
    return judged(
        best["phased"] != best["four-part"],
        f"The fewest boards are visited by {best['four-part']} with their evaluation, and by {best['phased']} with "
        "ours.",
    )


# --- conclusion ---


def _growth(evidence: Evidence) -> tuple[float, float]:
    """Return the greatest depth searched, and the factor by which one more ply multiplies the boards there."""
    boards = {
        int(str(cell.row[0]).removeprefix("depth ")): number(cell.ours)
        for cell in evidence.cells.get(SEQUENTIAL, ())
        if cell.column == "boards" and str(cell.row[0]).startswith("depth ")
    }
    if len(boards) < 2:
        raise Missing
    below, last = sorted(boards)[-2:]
    return last, (boards[last] / boards[below]) ** (1 / (last - below))


def _far(evidence: Evidence) -> Decision:
    depth, moves = fact("000", "depth"), evidence.value("Discussion", "game_length")
    return judged(
        depth < moves / 2,
        f"A game has {moves:.0f} moves (theirs says {fact('000', 'game_length')}), and {depth} is less than half.",
    )


def _slower(evidence: Evidence) -> Decision:
    depth, factor = _growth(evidence)
    return judged(factor > 1, f"At depth {depth:.0f} one more ply takes {factor:.1f} times the boards.")


def _not_enough(evidence: Evidence) -> Decision:
    _, factor = _growth(evidence)
    gained = log(fact("000", "speedup_64_par_tuple")) / log(factor)
    reached, moves = fact("000", "depth") + gained, evidence.value("Discussion", "game_length")
    return judged(
        reached < moves, f"A speed-up of 16 gives {gained:.1f} plies more, {reached:.0f} in all of {moves:.0f}."
    )


ROWS: tuple[Row, ...] = (
    *rows_at(
        "Discussion",
        (
            "The evaluation can be improved by somebody with more experience.",
            CONFIRMED,
            stronger("phased", "four-part", "it was fitted to tournament games"),
        ),
        ("Another evaluation may require another move ordering.", CONFIRMED, _new_ordering),
        ("Move ordering might gain from weights that depend on the stage of the game.", DEPENDS, by_stage),
        ("Tuning on many more boards would give better values.", CONFIRMED, finer),
    ),
    *rows_at(
        "Conclusion",
        (
            "Systems of such a high level are never purely beneficial, especially when problems arise.",
            NOT_TESTABLE,
            "It is an opinion on programming.",
        ),
        (
            "Satin and Ibis are very easy to use and save work on low-level mechanisms at a low cost.",
            NOT_TESTABLE,
            "It is an opinion on libraries that we do not have.",
        ),
        (
            "Ibis lacks documentation, so that its source had to be read.",
            NOT_TESTABLE,
            "It is an opinion on a library that we do not have.",
        ),
        ("The project and its results are satisfactory.", NOT_TESTABLE, "It is an opinion."),
        ("A depth of 17 is nowhere near the length of a game.", CONFIRMED, _far),
        ("The search gets slower with each added ply.", CONFIRMED, _slower),
        ("The speed-ups are not enough to solve the game.", CONFIRMED, _not_enough),
        (
            "Solving Othello takes a much better evaluation, and perhaps another language and parallel base.",
            NOT_TESTABLE,
            "No run of ours would end; the proof of 2023 (Takizawa) had all of these, and much more hardware.",
        ),
        (
            "If solving Othello were so simple, it would have been done already.",
            NOT_TESTABLE,
            "It is an inference from what others had not done then; others have done it since.",
        ),
    ),
)
