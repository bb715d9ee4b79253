"""Answers to report 003's conclusions that are decided by matches of its ideas, or are about moves without a search."""

from collections.abc import Sequence

from outflank.arena.sprt import Sprt
from outflank.lab.claims.answers_003 import details
from outflank.lab.claims.deciding import by_case, decided_by_match, pair_counts
from outflank.lab.claims.ledger import Answer, Decide, Decision, Evidence, Missing, judged
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import number
from outflank.lab.studies.duel_bouts import ABOUT_AS_STRONG, ALWAYS_WINS, CLEARLY_STRONGER
from outflank.lab.studies.duels import duel_of
from outflank.validation.text import how_many

# --- matches ---

FEWEST_GAMES = 10
"""Least number of games from which something is concluded about their endings or repetitions."""


def _games(evidence: Evidence, section: str, first: str, second: str, part: str = "duels") -> list[Sample]:
    games = [game for game in evidence.of(section, part) if (game["first"], game["second"]) == (first, second)]
    if not games:
        raise Missing
    return games


def matched(test: Sprt, section: str, first: str, second: str, cause: str = "", *, part: str = "duels") -> Decide:
    """Return the function of a claim that a sequential test decides by the games of a match."""

    def decide(evidence: Evidence) -> Decision:
        games = _games(evidence, section, first, second, part)
        drawn = sum(game["points"] == 0.5 for game in games)
        if 2 * drawn > len(games):
            raise Missing(f"{drawn} of {how_many(len(games), 'game')} were drawn, which says little of strength.")
        unfinished = f", {how_many(drawn, 'game')} drawn" if drawn else ""
        pairs = duel_of(games).pairs
        assert pairs is not None
        return decided_by_match(test, pairs, f"{first} has {{}} against {second}{unfinished}", cause)

    return decide


def stronger(section: str, first: str, second: str, cause: str = "") -> Decide:
    """Return the function of the claim that the first player of a match is stronger than the second."""
    return matched(CLEARLY_STRONGER, section, first, second, cause)


def as_strong(section: str, first: str, second: str) -> Decide:
    """Return the function of the claim that the first player of a match is about as strong as the second."""
    return matched(ABOUT_AS_STRONG, section, first, second)


new_rings_win = matched(
    ALWAYS_WINS,
    "Evaluation Function",
    "70/60/40/10/1",
    "45/35/25/10/0",
    "; from a single start, programs without chance play a single game with each colour, which may be two wins",
)
"""The new rings win 85 % of the points against the old ones, rather than 64 %."""

deeper_opening_wins = matched(
    CLEARLY_STRONGER,
    "Heuristic Opening",
    "one ply deeper in the opening",
    "always as deep",
    part="duels, one ply deeper",
)
"""A player that searches the opening one ply deeper is stronger."""

saved_time_wins = matched(
    CLEARLY_STRONGER, "Heuristic Opening", "fixed opening, with a clock", "searched", part="duels, with a clock"
)
"""With the same clock, the player with fixed first moves is stronger."""


def _detail_match(question: str, text: str) -> Decide:
    def decide(evidence: Evidence) -> Decision:
        return decided_by_match(CLEARLY_STRONGER, pair_counts(evidence, "Details", (question,)), text)

    return decide


evaluation_counts = _detail_match(
    "patterns against rings", "at equal depths our learnt evaluation has {} against the report's"
)
"""A player with another evaluation that searches equally deep is stronger."""

depth_counts = _detail_match("depth 3 against 1", "three plies have {} against one ply, without a clock")
"""A player with the same evaluation that searches two plies deeper is stronger."""


def _opposite(decision: Decision, cause: str) -> Decision:
    """Return the decision on the opposite of a claim that a match has decided. `cause` ends the text."""
    if decision.answer is Answer.NOT_DONE:
        return decision
    return judged(decision.answer is Answer.CONTRADICTED, f"{decision.because[:-1]}: {cause}.")


def depth_is_all(evidence: Evidence) -> Decision:
    """A player with another evaluation is not stronger if it searches equally deep."""
    return _opposite(evaluation_counts(evidence), "the evaluation counts too")


def never_loses(evidence: Evidence) -> Decision:
    """Alpha-beta of one ply is not weaker than alpha-beta of three, both without a clock."""
    cause = "a search that does not see the end of the game is as good as its depth and its evaluation"
    return _opposite(depth_counts(evidence), cause)


def beats_monte_carlo(evidence: Evidence) -> Decision:
    """Alpha-beta is stronger than both kinds of Monte-Carlo search, with the same time for each move."""
    decisions = {name: stronger("Monte-Carlo Search", "alpha-beta", name)(evidence) for name in ("uct", "flat")}
    because = " ".join(decision.because for decision in decisions.values())
    if Answer.NOT_DONE in [decision.answer for decision in decisions.values()]:
        return Decision(Answer.NOT_DONE, because)
    return by_case({name: decision.answer is Answer.CONFIRMED for name, decision in decisions.items()}, because)


def monte_carlo_is_inexact(evidence: Evidence) -> Decision:
    """Monte-Carlo searches do not always choose a move that is best by minimax three plies deep."""
    ranks = details(evidence, "rank of the move", ("uct", "flat"))
    text = ", ".join(f"{name} {rank:.0%}" for name, rank in ranks.items())
    because = (
        "By minimax, three plies deep, the moves of Monte-Carlo searches of 0.1 s are better than this share of the "
        f"others: {text}; the best would be better than all."
    )
    return judged(max(ranks.values()) < 1, because)


CUT_SHORT = "our players end a search before it takes too much of the clock, whatever its depth"
"""Reason why a fixed depth loses no games on time here."""


def _time_losses(games: Sequence[Sample]) -> tuple[int, int]:
    late = [game for game in games if game["ended"] == "time"]
    return sum(game["points"] == 0 for game in late), sum(game["points"] == 1 for game in late)


def deep_searches_lose_on_time(evidence: Evidence) -> Decision:
    """A player that always searches five plies loses on time more often than the adaptive one."""
    games = _games(evidence, "Adaptive Depth", "adaptive depth", "always depth 5")
    adaptive, fixed = _time_losses(games)
    text = f"In {len(games)} games the adaptive player lost {adaptive} on time, the one with depth 5 {fixed}"
    if len(games) < FEWEST_GAMES:
        return Decision(Answer.NOT_DONE, f"{text}: too few games to tell.")
    nodes = sum(number(game["second_nodes"]) for game in games) / sum(number(game["second_moves"]) for game in games)
    cause = f"it enters {nodes:,.0f} nodes a move, because {CUT_SHORT}"
    return judged(fixed > adaptive, f"{text}; {cause}.")


# --- moves without a search ---


def _sum(games: Sequence[Sample], name: str) -> float:
    return sum(number(game[f"first_{name}"]) for game in games)


def _time_of_known(games: Sequence[Sample]) -> tuple[float, float]:
    """Return the mean seconds of a move made without a search, and of a searched move."""
    known = _sum(games, "known")
    if not known:
        raise Missing("No move of these games was made without a search.")
    searched = (_sum(games, "seconds") - _sum(games, "known_seconds")) / (_sum(games, "moves") - known)
    return _sum(games, "known_seconds") / known, searched


def known_moves_save(section: str, first: str) -> Decide:
    """Return the function of a claim: a move without a search takes less than a tenth of the time of a searched one."""

    def decide(evidence: Evidence) -> Decision:
        games = _games(evidence, section, first, "searched")
        known, searched = _time_of_known(games)
        because = (
            f"{_sum(games, 'known'):.0f} of {_sum(games, 'moves'):.0f} moves were known, and took {1e6 * known:.0f} µs "
            f"instead of {1e3 * searched:.2g} ms."
        )
        return judged(known < 0.1 * searched, because)

    return decide


OFTEN = 0.1
"""Least share of repeated boards at which a repetition is called likely."""


def boards_recur(evidence: Evidence) -> Decision:
    """In at least a tenth of its moves, a player meets one of its last two boards again."""
    games = _games(evidence, "Board Caching", "two boards kept", "searched")
    if len(games) < FEWEST_GAMES:
        raise Missing(f"Fewer than {FEWEST_GAMES} games decide nothing.")
    share = _sum(games, "known") / _sum(games, "moves")
    because = (
        f"{share:.1%} of the moves of {len(games)} games, in which repetition is no draw, were of a board seen before "
        f"({OFTEN:.0%} or more: likely)."
    )
    return judged(share >= OFTEN, because)


def cached_move_is_right(evidence: Evidence) -> Decision:
    """Two searches of a board find the same move: if they are equally deep, and if one is a ply deeper."""
    same, deeper = (evidence.value("Details", ("another move", case)) for case in ("same search", "one ply deeper"))
    because = (
        f"the same search has another move on {same:.0%} of eight boards, one ply deeper on {deeper:.0%}, and the "
        "report's depth changes with the clock and the last value."
    )
    return by_case({"equal depths": not same, "adaptive depths": not deeper}, because)


def small_changes_matter(evidence: Evidence) -> Decision:
    """With the old rings, searches of some boards choose another move than with the new rings."""
    share = evidence.value("Details", ("another move", "old rings"))
    return judged(share > 0, f"On {share:.0%} of eight boards the new rings have another move than the old ones.")


RINGS = ("old rings", "new rings, edge 0", "new rings, edge 1")


def _missed(evidence: Evidence) -> tuple[dict[str, float], str]:
    """Return, by rings, how many searches of boards with a winning push play another move, and these counts as text."""
    missed = details(evidence, "winning push not played", RINGS)
    searches = evidence.value("Details", ("winning push", "searches"))
    if not searches:
        raise Missing("No game of this run came to a winning push.")
    text = ", ".join(f"{count:.0f} with {name}" for name, count in missed.items())
    return missed, f"Of {searches:.0f} searches of boards with a winning push, these play another move: {text}"


def centre_misses_wins(evidence: Evidence) -> Decision:
    """With the new rings and 0 for the edge, more searches miss a winning push than with the old rings."""
    missed, text = _missed(evidence)
    because = (
        f"{text}. A won game counts 16,000 points, and all marbles together gain less than "
        f"{14 * 70} from the centre: a win within the depth of the search is never given up for it."
    )
    return judged(missed["new rings, edge 0"] > missed["old rings"], because)


def edge_is_the_cause(evidence: Evidence) -> Decision:
    """With 1 instead of 0 for the edge, fewer searches miss a winning push."""
    missed, text = _missed(evidence)
    share = evidence.value("Details", ("another move", "edge 0"))
    because = (
        f"{text}; and with 0 instead of 1 for the edge {share:.0%} of eight boards have another move. One point cannot "
        "weigh against a marble pushed off, which counts 800 or more."
    )
    return judged(missed["new rings, edge 1"] < missed["new rings, edge 0"], because)


def opening_is_free(evidence: Evidence) -> Decision:
    """The fixed moves are legal whatever the opponent plays, and under 5 % of the boards before them allow a push."""
    lines, legal, pushes = (
        evidence.value("Details", ("fixed opening", case)) for case in ("lines", "legal", "with a push")
    )
    because = (
        f"The fixed moves are legal in {legal:,.0f} of {lines:,.0f} lines of the opponent, and {pushes:.1%} of the "
        "boards up to them allow a push."
    )
    return judged(legal == lines and pushes < 0.05, because)
