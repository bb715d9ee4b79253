"""Answers from the matches of report 003's ideas, and about moves without a search."""

from collections.abc import Sequence

from outflank.arena import Duel
from outflank.arena.referee import PLY_LIMIT
from outflank.lab.claims.answers_003 import Decide, agreement, details, sentence
from outflank.lab.claims.ledger import Answer, Decision, Evidence, Missing, judged
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import number
from outflank.lab.studies.duels import duel_of

# --- matches ---

FEWEST_GAMES = 10
"""Games below which a match decides nothing."""
NEAR_ELO = 100
"""Elo within which two players count as about equally strong."""


def _games(evidence: Evidence, section: str, first: str, second: str) -> list[Sample]:
    games = [game for game in evidence.of(section, "duels") if (game["first"], game["second"]) == (first, second)]
    if not games:
        raise Missing
    return games


def _match_text(games: Sequence[Sample]) -> str:
    duel, first, second = duel_of(games), games[0]["first"], games[0]["second"]
    elo = duel.elo
    cut = sum(game["ended"] == PLY_LIMIT for game in games)
    unfinished = f", {cut} of them cut off" if cut else ""
    return sentence(
        f"{first} has {duel.points:g} of {duel.games} points against {second}{unfinished}, Elo {elo.value:+.0f} "
        f"({elo.low:+.0f} to {elo.high:+.0f})"
    )


def _undecided(games: Sequence[Sample]) -> Decision:
    return Decision(Answer.NOT_DONE, f"{_match_text(games)}: too few games to tell.")


def stronger(section: str, first: str, second: str, cause: str = "") -> Decide:
    """Return the function that asks whether the first player of a match is stronger than the second."""

    def decide(evidence: Evidence) -> Decision:
        games = _games(evidence, section, first, second)
        elo = duel_of(games).elo
        if len(games) < FEWEST_GAMES or elo.low <= 0 <= elo.high:
            return _undecided(games)
        return judged(elo.low > 0, f"{_match_text(games)}{cause if elo.high < 0 else ''}.")

    return decide


def as_strong(section: str, first: str, second: str) -> Decide:
    """Return the function that asks whether the first player of a match is about as strong as the second."""

    def decide(evidence: Evidence) -> Decision:
        games = _games(evidence, section, first, second)
        elo = duel_of(games).elo
        near = elo.low > -NEAR_ELO
        if len(games) < FEWEST_GAMES or (not near and elo.high > -NEAR_ELO):
            return _undecided(games)
        return judged(near, f"{_match_text(games)}; within {NEAR_ELO} Elo is called as strong.")

    return decide


RESULTS = ("games", "won", "lost")
"""Cases of a match in the section `Details`."""
RING_NAMES = ("70/60/40/10/1", "45/35/25/10/0")
CONSISTENT_ELO = 191
"""Elo of three quarters of the points, from which a player wins consistently."""


def new_rings_win(evidence: Evidence) -> Decision:
    """The new rings can be expected to have three quarters of the points."""
    games = _games(evidence, "Evaluation Function", *RING_NAMES)
    elo = duel_of(games).elo
    if len(games) < FEWEST_GAMES or elo.low <= CONSISTENT_ELO <= elo.high:
        return _undecided(games)
    because = (
        f"{_match_text(games)}; consistent would be {CONSISTENT_ELO:+}. From a single start, programs without chance "
        "play a single game with each colour."
    )
    return judged(elo.low > CONSISTENT_ELO, because)


def depth_is_all(evidence: Evidence) -> Decision:
    """A player with another evaluation, that searches equally deep, is not stronger."""
    games, won, lost = (int(count) for count in details(evidence, "patterns against rings", RESULTS).values())
    elo = Duel(wins=won, draws=games - won - lost, losses=lost, pairs=None).elo
    because = (
        f"At equal depths our learnt evaluation won {won} of {games} games against the report's and lost {lost}, Elo "
        f"{elo.value:+.0f} ({elo.low:+.0f} to {elo.high:+.0f})"
    )
    if games < FEWEST_GAMES or elo.low <= 0:
        return Decision(Answer.NOT_DONE, f"{because}: too few games to tell.")
    return judged(False, f"{because}: the evaluation counts too.")


def never_loses(evidence: Evidence) -> Decision:
    """Alpha-beta of one ply loses no game to alpha-beta of three, both without a clock."""
    games, won, lost = (int(count) for count in details(evidence, "depth 3 against 1", RESULTS).values())
    because = (
        f"Without a clock, alpha-beta of one ply lost {won} of {games} games against three plies, and won {lost}: a "
        "search that does not see the end of the game is as good as its evaluation."
    )
    return judged(False, because) if won + lost else Decision(Answer.NOT_DONE, f"All {games} games were drawn.")


def beats_monte_carlo(evidence: Evidence) -> Decision:
    """Alpha-beta is stronger than both kinds of Monte-Carlo search, with the same time for each move."""
    matches = {name: _games(evidence, "Monte-Carlo Search", "alpha-beta", name) for name in ("uct", "flat")}
    answers = {name: stronger("Monte-Carlo Search", "alpha-beta", name)(evidence).answer for name in matches}
    because = f"{'; '.join(map(_match_text, matches.values()))}."
    if Answer.NOT_DONE in answers.values():
        return Decision(Answer.NOT_DONE, f"{because[:-1]}: too few games to tell.")
    return agreement({name: answer is Answer.CONFIRMED for name, answer in answers.items()}, because)


def monte_carlo_is_inexact(evidence: Evidence) -> Decision:
    """The moves of Monte-Carlo searches are not always the best ones of minimax, three plies deep."""
    ranks = details(evidence, "rank of the move", ("uct", "flat"))
    text = ", ".join(f"{name} {rank:.0%}" for name, rank in ranks.items())
    because = (
        "By minimax, three plies deep, the moves of Monte-Carlo searches of 0.1 s are better than this share of the "
        f"others: {text}; the best would be better than all."
    )
    return judged(max(ranks.values()) < 1, because)


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
    return judged(fixed > adaptive, f"{text}.")


# --- moves without a search ---


def _sum(games: Sequence[Sample], name: str) -> float:
    return sum(number(game[f"first_{name}"]) for game in games)


def _time_of_known(games: Sequence[Sample]) -> tuple[float, float]:
    """Return the seconds of a move without a search and of one with it."""
    known = _sum(games, "known")
    if not known:
        raise Missing
    searched = (_sum(games, "seconds") - _sum(games, "known_seconds")) / (_sum(games, "moves") - known)
    return _sum(games, "known_seconds") / known, searched


def known_moves_save(section: str, first: str) -> Decide:
    """Return the function that asks whether moves without a search take less than a tenth of the time."""

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
"""Share of repeated boards from which a repetition is called likely."""


def boards_recur(evidence: Evidence) -> Decision:
    """A tenth of the boards, or more, are one of the player's last two."""
    games = _games(evidence, "Board Caching", "two boards kept", "searched")
    if sum(game["ended"] != PLY_LIMIT for game in games) < 4:
        raise Missing
    share = _sum(games, "known") / _sum(games, "moves")
    because = (
        f"{share:.1%} of the moves of {len(games)} games were of a board seen before; {OFTEN:.0%} would be often. Our "
        "rules draw a game when a board comes for the third time; those of the report's games are not known."
    )
    return judged(share >= OFTEN, because)


def cached_move_is_right(evidence: Evidence) -> Decision:
    """The same search of the same board has the same move, and so has one of another depth."""
    same, deeper = (evidence.value("Details", ("another move", case)) for case in ("same search", "one ply deeper"))
    because = (
        f"the same search has another move on {same:.0%} of eight boards, one ply deeper on {deeper:.0%}, and the "
        "report's depth changes with the clock and the last value."
    )
    return agreement({"equal depths": not same, "adaptive depths": not deeper}, because)


def small_changes_matter(evidence: Evidence) -> Decision:
    """With the old rings some boards have another move."""
    share = evidence.value("Details", ("another move", "old rings"))
    return judged(share > 0, f"On {share:.0%} of eight boards the new rings have another move than the old ones.")


def edge_is_the_cause(evidence: Evidence) -> Decision:
    """Without the one point for the edge some boards have another move."""
    share = evidence.value("Details", ("another move", "edge 0"))
    because = (
        f"With 0 instead of 1 for the edge {share:.0%} of eight boards have another move; a marble pushed off counts "
        "800 or more and a won game 16,000, so one point cannot decide between them."
    )
    return judged(share > 0, because)


def opening_is_free(evidence: Evidence) -> Decision:
    """The fixed moves are legal whatever the opponent plays, and no push comes up in 95 of 100 boards before them."""
    lines, legal, pushes = (
        evidence.value("Details", ("fixed opening", case)) for case in ("lines", "legal", "with a push")
    )
    because = (
        f"The fixed moves are legal in {legal:,.0f} of {lines:,.0f} lines of the opponent, and {pushes:.1%} of the "
        "boards up to them allow a push."
    )
    return judged(legal == lines and pushes < 0.05, because)
