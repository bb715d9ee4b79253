"""Answers to report 001's conclusions.

Most are decided by counts of nodes, which are the same on a busy machine. Those that need times are not decided while
other processes take the cores.
"""

from statistics import fmean, pstdev

from outflank.lab.claims.deciding import by_case, in_several_rounds, on_cores, trusted_times
from outflank.lab.claims.ledger import Answer, Decide, Decision, Evidence, Missing, judged
from outflank.lab.claims.measures_001 import (
    ALGORITHMS,
    BRANCHING,
    COUNTS,
    FEWEST_GAMES,
    FIRST_PLAYER,
    LITTLE,
    SHARED_TABLE,
    game_nodes,
    idle_share,
    levels,
    mean_nodes,
    scheme_nodes,
    scheme_speed_up,
    schemes,
    turn_nodes,
    turned_counts,
)
from outflank.lab.measuring.search_samples import median, number
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.reproduction.text_001 import ALPHABETA, BY_SQUARES, FIRST_MOVE, MINIMAX, PVS
from outflank.lab.studies.windows import SERIAL, TURNED_OVER


def inherently_serial(evidence: Evidence) -> Decision:
    """Young brothers wait on several workers is not faster than one worker."""
    speed_up, most = scheme_speed_up(evidence, "ybw"), schemes(evidence)[1]
    return judged(
        speed_up < 1 + LITTLE,
        f"With {most} workers young brothers wait is {speed_up:.2f} times as fast as one: once the first move of a "
        "node is searched, the others hardly depend on each other.",
    )


def challenging(evidence: Evidence) -> Decision:
    """A search whose root moves are divided among workers enters at least a twentieth more nodes than one worker."""
    serial, parallel = turn_nodes(evidence, "SerialPVS", "ParallelPVS")
    return judged(
        parallel > serial * (1 + LITTLE),
        f"The obvious division, by root moves, enters {parallel / serial:.2f} times the nodes of one worker "
        f"(more than {1 + LITTLE:.2f} is a loss).",
    )


def intractable(evidence: Evidence) -> Decision:
    """PVS to the end of a game would take more than a thousand years."""
    growth = evidence.value(ALGORITHMS, PVS, "growth")
    years = growth**60 / 1e9 / 3.15e7
    return judged(
        years > 1000,
        f"PVS without a table enters {growth:.1f} times the nodes for each ply, so that 60 plies would take "
        f"{years:.0e} years at 10^9 nodes per second.",
    )


def alphabeta(evidence: Evidence) -> Decision:
    """Alpha-beta enters fewer nodes than minimax."""
    minimax, alphabeta = (evidence.value(ALGORITHMS, name, "nodes") for name in (MINIMAX, BY_SQUARES))
    return judged(alphabeta < minimax, f"Alpha-beta enters {alphabeta / minimax:.1%} of the nodes of minimax.")


def scouts(evidence: Evidence) -> Decision:
    """PVS enters fewer nodes than alpha-beta, even if alpha-beta takes the moves in the same order."""
    squares, ordered, pvs = (evidence.value(ALGORITHMS, name, "nodes") for name in (BY_SQUARES, ALPHABETA, PVS))
    because = (
        f"PVS enters {pvs / squares:.2f} of the nodes of the report's alpha-beta, which takes moves by squares, but "
        f"{pvs / ordered:.2f} of those of alpha-beta in the order of PVS"
    )
    if pvs < ordered * (1 - LITTLE):
        return Decision(Answer.CONFIRMED, f"{because}.")
    if pvs < squares:
        return Decision(Answer.DEPENDS, f"{because}: the gain is that of the order, not that of the narrow window.")
    return Decision(Answer.CONTRADICTED, f"{because}.")


def first_is_best(evidence: Evidence) -> Decision:
    """The first move of PVS is the best in more than half of the turns."""
    share, chance = (evidence.value(ALGORITHMS, FIRST_MOVE, column) for column in ("best_share", "chance"))
    return judged(
        share > 0.5, f"In {share:.0%} of the turns the move that PVS tries first is the best (by chance {chance:.0%})."
    )


def table_parallelism(evidence: Evidence) -> Decision:
    """Workers that share nothing but a table are faster than one."""
    speed_up, most = scheme_speed_up(evidence, "shared-table"), schemes(evidence)[1]
    return judged(speed_up > 1 + LITTLE, f"{most} workers on a common table are {speed_up:.2f} times as fast as one.")


def wait(evidence: Evidence) -> Decision:
    """Jamboree, which waits for the first move, enters fewer nodes than a search of all root moves in parallel."""
    serial, naive, jamboree = turn_nodes(evidence, "SerialPVS", "ParallelPVS", "Jamboree")
    return judged(
        jamboree < naive,
        f"Jamboree, which waits, enters {jamboree / serial:.2f} times the nodes of serial PVS; without waiting it is "
        f"{naive / serial:.2f} times.",
    )


def serial_variation(evidence: Evidence) -> Decision:
    """Workers are no less idle if more levels than the root are divided. The first root move is then divided, too."""
    by_level = levels(evidence)
    one, more = (idle_share(trusted_times(by_level[level])) for level in (min(by_level), max(by_level)))
    return judged(
        more > one * (1 - LITTLE),
        f"If only the root is divided, so that its first move is searched alone, workers are idle for {one:.0%} of "
        f"their time; if {max(by_level)} levels are, for {more:.0%}: there is work for all within the first move too.",
    )


def more_levels(evidence: Evidence) -> Decision:
    """Dividing the most levels takes at least a tenth more time than dividing one."""
    by_level = levels(evidence)
    few, many = min(by_level), max(by_level)
    slower, wider = (
        median(by_level[many], measure) / median(by_level[few], measure) for measure in ("seconds", "nodes")
    )
    trusted_times(in_several_rounds([*by_level[few], *by_level[many]]))
    offers = median(by_level[many], "nodes") / median(by_level[many], "spawned")
    return judged(
        slower > 1.1,
        f"Dividing {many} levels takes {slower:.2f} times as long as {few} (a slowdown is more than 1.1) and enters "
        f"{wider:.2f} times the nodes: even then only one node in {offers:,.0f} is offered to others, so that spawns "
        "cost little, and a cut-off ends the work on the others, while the report's Jamboree never aborts.",
    )


def spawn_growth(evidence: Evidence) -> Decision:
    """Each divided level multiplies the offered moves by at least 1.5."""
    by_level = {level: median(group, "spawned") for level, group in levels(evidence).items()}
    few, many = min(by_level), max(by_level)
    if many == few or not by_level[few]:
        raise Missing("This run divides one number of levels only.")
    growth = (by_level[many] / by_level[few]) ** (1 / (many - few))
    return judged(
        growth > 1.5,
        f"Moves offered to other workers grow from {by_level[few]:,.0f} with {few} level to {by_level[many]:,.0f} with "
        f"{many}, by a factor of {growth:.1f} a level (exponential: more than 1.5).",
    )


def random_is_wide(evidence: Evidence) -> Decision:
    """The `mobility` player has more moves a turn against the random player than against the first-move player."""
    means = []
    for part in ("branching", FIRST_PLAYER):
        turns = [turn for turn in evidence.of(BRANCHING, part) if turn["evaluation"] == "mobility"]
        means.append(fmean(number(turn["legal"]) for turn in turns))
    against_random, against_first = means
    return judged(
        against_random > against_first,
        f"The mobility player has {against_random:.1f} moves a turn against the random player, {against_first:.1f} "
        "against the first-move player.",
    )


def deviations(evidence: Evidence) -> Decision:
    """Nodes per turn deviate by more than a tenth between games, and by clearly less between games of one colour."""
    games = game_nodes(evidence).get("SerialPVS", {})
    by_colour = [[nodes for (colour, _), nodes in games.items() if colour == side] for side in ("black", "white")]
    if min(map(len, by_colour)) < FEWEST_GAMES:
        raise Missing("This run has fewer than four games with each colour.")
    mean = fmean(games.values())
    together = pstdev(games.values()) / mean
    apart = (fmean(pstdev(nodes) ** 2 for nodes in by_colour)) ** 0.5 / mean
    because = (
        f"Nodes per turn of serial PVS deviate by {together:.0%} of their mean over games against the random player, "
        f"and by {apart:.0%} if colours are apart"
    )
    if together > 0.1 and apart > 0.8 * together:
        return Decision(Answer.DEPENDS, f"{because}: it is the random player, and hardly the colours.")
    return judged(together > 0.1, f"{because}.")


def trends(evidence: Evidence) -> Decision:
    """Games as black and as white agree on which of two algorithms enters more nodes, in at least 80 % of the pairs.

    Only pairs of algorithms that differ by more than 5 % with both colours count.
    """
    by_colour = [
        {
            name: fmean(nodes for (colour, _), nodes in games.items() if colour == side)
            for name, games in game_nodes(evidence).items()
        }
        for side in ("black", "white")
    ]
    names = list(by_colour[0])
    pairs = [(first, second) for index, first in enumerate(names) for second in names[index + 1 :]]
    clear = [pair for pair in pairs if all(_differs(means, *pair) for means in by_colour)]
    same = [pair for pair in clear if len({means[pair[0]] < means[pair[1]] for means in by_colour}) == 1]
    if not clear:
        raise Missing("No two algorithms of this run differ by so much.")
    return judged(
        len(same) >= 0.8 * len(clear),
        f"For {len(same)} of {len(clear)} pairs of algorithms whose nodes per turn differ by more than {LITTLE:.0%}, "
        "games as black and games as white agree on which enters more (80% is asked for).",
    )


def _differs(means: dict[str, float], first: str, second: str) -> bool:
    return abs(means[first] - means[second]) > LITTLE * max(means[first], means[second])


def equal_counts(*names: str) -> Decide:
    """Return the function of the claim that some programs enter as many nodes per turn as the report prints."""

    def decide(evidence: Evidence) -> Decision:
        printed = {row["algorithm"]: row["nodes_per_turn"] for row in rows("001", "nodes")}
        depth = fact("001", "counted_depth")
        ours = {name: evidence.value(COUNTS, (name, depth), "nodes_per_turn") for name in names}
        listed = ", ".join(f"{name} {count:,.0f} ({printed[name]:,})" for name, count in ours.items())
        return judged(
            all(count == printed[name] for name, count in ours.items()),
            f"Nodes per turn, ours and the report's, which have to be equal: {listed}.",
        )

    return decide


def consistent(evidence: Evidence) -> Decision:
    """The counts against the first-move player come out equal on another machine."""
    counts = equal_counts("SerialPVS", "ParallelPVS", "AlphaBeta", "ParallelAlphaBeta")(evidence)
    games = game_nodes(evidence).get("SerialPVS", {})
    if len(games) < 2:
        raise Missing("This run has fewer than two games.")
    least, most = min(games.values()), max(games.values())
    same = "come out equal" if counts.answer is Answer.CONFIRMED else "do not come out equal"
    return judged(
        counts.answer is Answer.CONFIRMED,
        f"On another machine its four counts {same}, while games against the random player range from {least:,.0f} to "
        f"{most:,.0f} nodes a turn.",
    )


def less_information(evidence: Evidence) -> Decision:
    """The parallel program enters more nodes mainly because its root moves do not know each other's values.

    The other cause is that its root windows lack the fault of the serial program, which cuts off too much.
    """
    samples, parallel = turned_counts(evidence), "ParallelPVS"
    serial = mean_nodes(samples, SERIAL[parallel])
    turned = mean_nodes(samples, SERIAL[parallel], TURNED_OVER)
    window, information = turned / serial, mean_nodes(samples, parallel) / turned
    return judged(
        information > window,
        f"The root windows of the serial program, which are not negated, account for a factor of {window:.1f}, and "
        f"root moves that know nothing of each other for {information:.1f}: the fault cuts off too much.",
    )


def ten_times(evidence: Evidence) -> Decision:
    """Each parallel program enters ten times the nodes of its serial counterpart, give or take a tenth."""
    published_ratio, depth = fact("001", "parallel_over_serial_nodes_about"), fact("001", "counted_depth")
    nodes = {name: evidence.value(COUNTS, (name, depth), "nodes_per_turn") for pair in SERIAL.items() for name in pair}
    ratios = [nodes[parallel] / nodes[serial] for parallel, serial in SERIAL.items()]
    pvs, alphabeta = ratios
    return judged(
        all(abs(ratio / published_ratio - 1) < 0.1 for ratio in ratios),
        f"{pvs:.1f} times for PVS and {alphabeta:.1f} for alpha-beta (allowed: {published_ratio}, give or take 10%).",
    )


def by_parallelizing(evidence: Evidence) -> Decision:
    """Each parallel program enters more than five times the nodes of its serial counterpart with correct windows."""
    samples, published_ratio = turned_counts(evidence), fact("001", "parallel_over_serial_nodes_about")
    pvs, alphabeta = (
        mean_nodes(samples, parallel) / mean_nodes(samples, serial, TURNED_OVER) for parallel, serial in SERIAL.items()
    )
    return judged(
        min(pvs, alphabeta) > published_ratio / 2,
        f"Against serial programs with correct root windows it is {pvs:.1f} times for PVS and {alphabeta:.1f} for "
        f"alpha-beta (at least half of {published_ratio} is asked for): the rest is the fault in the serial windows.",
    )


def table_is_slow(evidence: Evidence) -> Decision:
    """In the report's games the shared table enters over 5 % more nodes than ABDADA, and than young brothers wait."""
    table, *others = turn_nodes(evidence, "SharedHashtable", "ABDADA", "YoungBrothersWait")
    in_search = [scheme_nodes(evidence, scheme) for scheme in ("shared-table", "abdada", "ybw")]
    return judged(
        table > (1 + LITTLE) * max(others),
        f"Nodes per turn in games against the random player: {table:,.0f} with the shared table, {others[0]:,.0f} with "
        f"ABDADA and {others[1]:,.0f} with young brothers wait ({LITTLE:.0%} more are bad): workers search the same "
        f"parts before the table has their values. In one large search two workers enter {in_search[0]:.2f}, "
        f"{in_search[1]:.2f} and {in_search[2]:.2f} times the nodes of one.",
    )


def _abdada(evidence: Evidence) -> Decision:
    """ABDADA finds the value of one worker, and enters a twentieth fewer nodes than the shared table: in games against
    the random player, and in one large search."""
    groups, _ = schemes(evidence)
    values = {sample["value"] for group in groups.values() for sample in group}
    table, abdada = (scheme_nodes(evidence, scheme) for scheme in ("shared-table", "abdada"))
    table_turn, abdada_turn = turn_nodes(evidence, "SharedHashtable", "ABDADA")
    is_same = len(values) == 1
    return by_case(
        {
            "games against the random player": is_same and abdada_turn < (1 - LITTLE) * table_turn,
            "one large search": is_same and abdada < (1 - LITTLE) * table,
        },
        f"{'all values are the same' if is_same else 'values differ'}; in the games ABDADA enters {abdada_turn:,.0f} "
        f"nodes a turn, the table alone {table_turn:,.0f}, and in the search {abdada:.2f} and {table:.2f} times the "
        f"nodes of one worker ({LITTLE:.0%} fewer are better).",
    )


abdada = on_cores(4, _abdada)
"""`_abdada`, on at least four cores. With two workers, chance decides which scheme enters fewer nodes. With four,
ABDADA enters 1.15 times the nodes of one worker, and the shared table alone 1.41 times (`benchmarks/results`)."""


def collisions(evidence: Evidence) -> Decision:
    """From some source, the boards that find a free slot are less than 95 % of those expected by chance."""
    samples = evidence.of(SHARED_TABLE, "hash")
    worst = min(number(sample["free"]) / number(sample["boards"]) / number(sample["by_chance"]) for sample in samples)
    return judged(
        worst < 1 - LITTLE,
        f"From {len(samples)} sources, at least {worst:.1%} as many boards find a free slot as by chance: boards of "
        "one search collide no more than others, and bits of the hash say on which node an entry lies.",
    )
