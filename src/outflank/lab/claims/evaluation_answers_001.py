"""Answers to report 001's conclusions about evaluations: their cost, their strength, and the size of their trees."""

from outflank.lab.claims.deciding import by_case, decided_by_match, pair_counts
from outflank.lab.claims.ledger import Answer, Decide, Decision, Evidence, Missing, judged
from outflank.lab.claims.measures_001 import ALGORITHMS, EVALUATION, LITTLE, widths
from outflank.lab.reproduction.text_001 import MINIMAX, NEUTRAL, PVS, RIVALS, STAGES, WIDTH_DEPTHS
from outflank.lab.studies.duel_bouts import CLEARLY_STRONGER


def leaves(evidence: Evidence) -> Decision:
    """Evaluations take more than half of the time of minimax."""
    leaves = evidence.value(ALGORITHMS, PVS, "leaf_share")
    shares = {stage: evidence.value(ALGORITHMS, (MINIMAX, stage), "evaluation_share") for stage in STAGES}
    listed = ", ".join(f"{share:.0%} {stage}" for stage, share in shares.items())
    because = f"Of the nodes of PVS {leaves:.0%} are leaves, and of the time their evaluation takes at least {listed}"
    if min(shares.values()) > 0.5 + LITTLE:
        return Decision(Answer.CONFIRMED, f"{because}.")
    # The share is a lower bound, so that less than a half contradicts nothing.
    return Decision(Answer.DEPENDS, f"{because}: in our program it need not outweigh all the rest.")


def _clear_share(share: float, games: float) -> float:
    """Return a share of wins. Raise `Missing` if `games` games do not tell it from a half with 95 % confidence."""
    if abs(share - 0.5) <= 1.96 * (0.25 / games) ** 0.5:
        raise Missing(f"{games:.0f} games with a share of {share:.0%} do not tell it from chance.")
    return share


def match(first: str, second: str) -> Decide:
    """Return the function of the claim that an evaluation wins more games than another player."""

    def decide(evidence: Evidence) -> Decision:
        counts = pair_counts(evidence, EVALUATION, (first, second))
        return decided_by_match(CLEARLY_STRONGER, counts, f"At depth 3, {first} has {{}} against {second}")

    return decide


def control(evidence: Evidence) -> Decision:
    """The side with more moves in the middle of a game wins in more than half of the positions."""
    games = evidence.value(EVALUATION, (NEUTRAL, NEUTRAL), "games")
    wins = _clear_share(evidence.value(EVALUATION, "moves", "leader_wins"), games)
    return judged(
        wins > 0.5,
        f"In the middle of {games:.0f} games, the side with more moves wins in the end in {wins:.0%} of the positions.",
    )


def counting(evidence: Evidence) -> Decision:
    """Counting discs loses to mobility and to two evaluations with corners."""
    decisions = {name: match(name, "discs")(evidence) for name in RIVALS}
    undecided = [decision for decision in decisions.values() if decision.answer is Answer.NOT_DONE]
    if undecided:
        return undecided[0]
    wins = evidence.value(EVALUATION, "discs", "leader_wins")
    return by_case(
        {f"beside {name}": decision.answer is Answer.CONFIRMED for name, decision in decisions.items()},
        f"{' '.join(decision.because for decision in decisions.values())} In the middle of games of equals, the "
        f"side with more discs wins in the end in {wins:.0%} of the positions.",
    )


def swings(evidence: Evidence) -> Decision:
    """Relative to its mean, the lead in discs changes more from turn to turn than the lead in moves.

    The change is also more than half of the mean lead in discs.
    """
    discs, moves = (
        evidence.value(EVALUATION, name, "swing") / evidence.value(EVALUATION, name, "lead")
        for name in ("discs", "moves")
    )
    return judged(
        discs > moves and discs > 0.5,
        f"From one turn to the next, the lead in discs changes by {discs:.0%} of a mean lead, the lead in moves by "
        f"{moves:.0%}.",
    )


def narrower(column: int, what: str) -> Decide:
    """Return the function of the claim that a measure of the tree is less with mobility than with other evaluations."""

    def decide(evidence: Evidence) -> Decision:
        by_name = {name: measures[column] for name, measures in widths(evidence).items()}
        mobility = by_name.pop("mobility")
        wider = [name for name, width in by_name.items() if mobility < width]
        listed = ", ".join(f"{name} {width:,.3g}" for name, width in by_name.items())
        because = f"{what} with mobility: {mobility:,.3g}; with {listed}"
        if 0 < len(wider) < len(by_name):
            return Decision(Answer.DEPENDS, f"{because}. It holds beside {', '.join(wider)}.")
        return judged(bool(wider), f"{because}.")

    return decide


def narrow_lines(evidence: Evidence) -> Decision:
    """In the middle of a game, `mobility` against itself has fewer moves per turn than `discs` against itself.

    The cases are the search depths.
    """
    mobility, discs = (
        {plies: evidence.value(EVALUATION, (name, plies), "moves_per_turn") for plies in WIDTH_DEPTHS}
        for name in ("mobility", "discs")
    )
    narrower = [plies for plies in WIDTH_DEPTHS if mobility[plies] < discs[plies]]
    because = "; ".join(
        f"at depth {plies} mobility against itself has {mobility[plies]:.1f} moves a turn, discs {discs[plies]:.1f}"
        for plies in WIDTH_DEPTHS
    )
    if 0 < len(narrower) < len(WIDTH_DEPTHS):
        return Decision(
            Answer.DEPENDS,
            f"In the middle of games {because}. A player that looks ahead an even number of plies values the next "
            "choice.",
        )
    return judged(bool(narrower), f"In the middle of games {because}.")
