"""Answers to report 004's conclusions that are decided by counts: policy, equal trees, races, spawns, parallelism."""

from collections.abc import Sequence
from itertools import combinations, product

from outflank.lab.claims.deciding import by_case, judged_with_cause
from outflank.lab.claims.ledger import Answer, Decide, Decision, Evidence, Missing, judged
from outflank.lab.claims.measures_004 import OWN_NUMBERS, POLICY, PRINTED, PROFILE, REPLAY, TEXT
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import grouped, median, number
from outflank.lab.replay.replay_report import real_games
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.reproduction.cilkview import PROFILE_004
from outflank.lab.reproduction.report_004 import EQUAL_TURNS, PASSES, TURNS, nodes_row
from outflank.lab.reproduction.timed_games import DEPTH, FLAT_UP_TO
from outflank.lab.studies.determinism import SERIAL
from outflank.validation.text import how_many

FREQUENT = 0.1
"""Least share of the turns that we call frequent."""


# --- the search, and its policy ---


def passes(evidence: Evidence) -> Decision:
    """A game whose searches continue after a pass has as many spawns as the report's table."""
    depths = [int(number(cell.row[0])) for cell in evidence.cells.get(PASSES, ())]
    if not depths:
        raise Missing
    deepest = max(depths)
    searched = evidence.value(PASSES, deepest, "spawns")
    evaluated = evidence.value(PROFILE, deepest, "spawns")
    printed = PRINTED[deepest]["spawns"]
    return judged_with_cause(
        searched == printed,
        f"At depth {deepest} a game that searches on after a pass has {searched:,} spawns, one that evaluates at once "
        f"has {evaluated:,}, and the report's table has {printed:,}",
        "its program evaluates at once" if evaluated == printed else "no rule that we know gives the same",
    )


def equal_moves(evidence: Evidence) -> Decision:
    """At a tenth or more of the turns with a choice, several moves are best."""
    turns, equal = evidence.value(POLICY, TURNS), evidence.value(POLICY, EQUAL_TURNS)
    return judged(
        equal >= FREQUENT * turns,
        f"At {equal:g} of {turns:g} turns with a choice several moves are best (we call {FREQUENT:.0%} frequent).",
    )


def tie_rules(evidence: Evidence) -> Decision:
    """The number of nodes of a game depends on whether X takes the last or the first of equal moves."""
    own = evidence.value(POLICY, nodes_row("highest", "lowest"))
    other = evidence.value(POLICY, nodes_row("lowest", "lowest"))
    return judged(
        own != other,
        f"A game in which X takes the last of equal moves has {own:,} nodes, and one in which it takes the first "
        f"has {other:,}.",
    )


def _games(evidence: Evidence) -> tuple[list[Sample], list[list[Sample]]]:
    """Return the turns of the serial game, and the turns of every other game of both branches."""
    groups = [
        (str(scheme), turns)
        for branch in ("master", "dev")
        for (scheme, *_), turns in grouped(
            evidence.of(POLICY, f"determinism, {branch}"), "scheme", "workers", "game"
        ).items()
    ]
    serial = [turns for scheme, turns in groups if scheme == SERIAL]
    if not serial or len(serial) == len(groups):
        raise Missing
    return serial[0], [turns for scheme, turns in groups if scheme != SERIAL]


def _column(turns: Sequence[Sample], name: str) -> list[object]:
    return [turn[name] for turn in turns]


def same_trees(evidence: Evidence) -> Decision:
    """All games on any number of workers have the moves, values and nodes of the serial one."""
    serial, games = _games(evidence)
    same = [
        game
        for game in games
        if all(_column(game, name) == _column(serial, name) for name in ("move", "value", "nodes"))
    ]
    most = max(int(number(game[0]["workers"])) for game in games)
    return judged(
        len(same) == len(games),
        f"{len(same)} of {len(games)} games on 1 to {most} workers have the moves, values and nodes of the serial one.",
    )


def ordered(evidence: Evidence) -> Decision:
    """Comparing rows, then columns, orders any two different squares."""
    pairs = list(combinations(product(range(1, 9), repeat=2), 2))
    ordered = sum((first < second) != (second < first) for first, second in pairs)
    return judged(ordered == len(pairs), f"Of {len(pairs):,} pairs of squares it puts {ordered:,} in order.")


def moves_show_trees(evidence: Evidence) -> Decision:
    """Every game with the moves of the serial game also has the nodes of the serial game at every turn."""
    serial, games = _games(evidence)
    same_moves = [game for game in games if _column(game, "move") == _column(serial, "move")]
    same_nodes = [game for game in same_moves if _column(game, "nodes") == _column(serial, "nodes")]
    return judged(
        len(same_nodes) == len(same_moves),
        f"{len(same_nodes)} of {len(same_moves)} games with the serial moves also have its nodes at every turn; this "
        "holds for minimax, which cuts nothing off.",
    )


def branches(evidence: Evidence) -> Decision:
    """All four of our programs play the game of the serial one."""
    same, branches = evidence.value(TEXT, "branches_compared"), fact("004", "branches_compared")
    return judged(same == branches, f"{same:g} of {branches} programs of ours play the serial one's game.")


def same_work(evidence: Evidence) -> Decision:
    """Games on any number of threads have as many nodes as the serial one."""
    counts = {threads: median(games, "nodes") for threads, games in real_games(evidence.of(*REPLAY)).items()}
    if 0 not in counts or len(counts) == 1:
        raise Missing
    same = [threads for threads, count in counts.items() if count == counts[0]]
    return judged(
        len(same) == len(counts),
        f"{len(same)} of {len(counts)} games, serial and on 1 to {max(counts)} threads, have the serial one's "
        f"{counts[0]:,.0f} nodes.",
    )


# --- races ---


def races(evidence: Evidence) -> Decision:
    """The race checker finds no undeclared data race."""
    races = evidence.value("Cilkscreen", "data_races")
    schedules = sum(
        number(sample["schedules"]) for sample in evidence.of("Cilkscreen", "races") if sample["what"] == "whole"
    )
    return judged(
        races == fact("004", "data_races"),
        f"Our runtime, in place of the report's, has {races:g} races that its source does not declare, in "
        f"{how_many(int(schedules), 'interleaving')}.",
    )


# --- parallelism ---


def close_column(column: str) -> Decide:
    """Return the function of a claim that our column of the profile is close to the published one.

    `PROFILE_004` has the allowed factor.
    """
    factor = PROFILE_004[column].factor

    def decide(evidence: Evidence) -> Decision:
        ours = {depth: evidence.value(PROFILE, depth, column) for depth in PRINTED}
        far = [depth for depth, value in ours.items() if not 1 / factor <= value / PRINTED[depth][column] <= factor]
        figures = f"Ours is {ours[1]:,.2f} at depth 1 and {ours[DEPTH]:,.2f} at depth {DEPTH}"
        if not far:
            return Decision(Answer.CONFIRMED, f"{figures}; all depths are within a factor of {factor:g}.")
        answer = Answer.DEPENDS if len(far) < len(ours) else Answer.CONTRADICTED
        return Decision(answer, f"{figures}; not within a factor of {factor:g}: depth {', '.join(map(str, far))}.")

    return decide


def sharing_does_not_pay(evidence: Evidence) -> Decision:
    """The burdened parallelism is below 1 at depths 1 to 3, and at least 1 at depth 4."""
    burdened = {depth: evidence.value(PROFILE, depth, "burdened_parallelism") for depth in (1, 2, 3, 4)}
    printed = ", ".join(str(PRINTED[depth]["burdened_parallelism"]) for depth in burdened)
    return by_case(
        {f"depth {depth}": (value < 1) == (depth < 4) for depth, value in burdened.items()},
        f"With the burden, parallelism at depths 1 to 4 is {', '.join(f'{value:.3g}' for value in burdened.values())} "
        f"(the report's table: {printed}).",
    )


def more_spawns(evidence: Evidence) -> Decision:
    """Spawning moves gives a game more spawns than spawning rows, at the greatest depth measured for both."""
    by_branch = {
        branch: {
            number(sample["depth"]): number(sample["spawns_nodes"])
            for sample in evidence.of(PROFILE, f"parallelism, {branch}")
            if sample["what"] == "strands"
        }
        for branch in ("master", "dev")
    }
    depths = by_branch["master"].keys() & by_branch["dev"].keys()
    if not depths:
        raise Missing
    depth = max(depths)
    master, dev = by_branch["master"][depth], by_branch["dev"][depth]
    return judged(dev > master, f"At depth {depth:g} a game has {dev:,g} spawns by moves and {master:,g} by rows.")


def rows_suffice(evidence: Evidence) -> Decision:
    """A game at depth 7 has work for at most 8 threads."""
    parallelism = evidence.value(PROFILE, DEPTH, "parallelism")
    return judged_with_cause(
        parallelism <= FLAT_UP_TO,
        f"A game at depth {DEPTH} has work for {parallelism:,.0f} threads (the report's table: "
        f"{PRINTED[DEPTH]['parallelism']:,.0f})",
        f"rows nest, and the limit seems to be eight processors, since {OWN_NUMBERS}",
    )


def waiting(evidence: Evidence) -> Decision:
    """The burdened parallelism at depth 7 is at most 8."""
    burdened = evidence.value(PROFILE, DEPTH, "burdened_parallelism")
    return judged_with_cause(
        burdened <= FLAT_UP_TO,
        f"With every wait and the cost of sharing, the parallelism is {burdened:,.0f} at depth {DEPTH} (the report's "
        f"table: {PRINTED[DEPTH]['burdened_parallelism']:,.0f})",
        f"a waiting thread takes other work, and {OWN_NUMBERS}",
    )
