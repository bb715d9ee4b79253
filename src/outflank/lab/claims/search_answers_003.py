"""Answers about report 003's search: depths, minimax, order of moves, pruning and compiler."""

from collections.abc import Mapping
from itertools import pairwise
from math import log10

from outflank.lab.claims.answers_003 import (
    BACKWARDS,
    FULL_WINDOWS,
    GENERATED,
    MINIMAX,
    SHARED_ALPHA,
    details,
    evaluations_per_second,
    leaves_by_program,
    ratios_of,
    root_work_of,
)
from outflank.lab.claims.deciding import by_case, listed
from outflank.lab.claims.ledger import Decision, Evidence, Missing, judged
from outflank.lab.drawing.looks import number as text_of
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import grouped, median, number
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.reproduction.details_003 import THREADS

# --- depths and minimax ---


def _by_depth(evidence: Evidence, program: str, measure: str) -> dict[int, float]:
    groups = grouped(evidence.of("Adaptive Depth", "depths"), "program", "depth")
    return {int(number(depth)): median(group, measure) for (name, depth), group in groups.items() if name == program}


MOVE_SECONDS = fact("003", "game_seconds") / (fact("003", "turns_per_game") / 2)
"""Seconds that a player has for each of its moves, on average."""


def depth_five_fits(evidence: Evidence) -> Decision:
    """The deepest search that fits in a move's time has 4, 5 or 6 plies on one core."""
    seconds = _by_depth(evidence, FULL_WINDOWS, "seconds")
    if 5 not in seconds:
        raise Missing("This run searches less than five plies.")
    growth = (seconds[5] / seconds[3]) ** 0.5
    estimates = {**seconds, 6: seconds[5] * growth, 7: seconds[5] * growth**2}
    deepest = max((depth for depth, estimate in estimates.items() if estimate <= MOVE_SECONDS), default=0)
    because = (
        f"On one core depth 5 takes {seconds[5]:.2g} s and depth 6 would take about {estimates[6]:.2g} s; a move has "
        f"{MOVE_SECONDS:g} s."
    )
    return judged(4 <= deepest <= 6, because)


def too_large(evidence: Evidence) -> Decision:
    """Searching the whole tree of an average game would take more than a thousand years."""
    moves, turns = (evidence.value("The text", name) for name in ("moves_per_turn", "turns_per_game"))
    digits = turns * log10(moves)
    because = f"{moves:.0f} moves in each of {turns:.0f} turns are 10^{digits:.0f} lines of play; 10^20 take a thousand"
    return judged(digits > 20, f"{because} years at three thousand million a second.")


def minimax_costs_more(evidence: Evidence) -> Decision:
    """Minimax evaluates more leaves than alpha-beta. The factor grows with the depth, and ends above 2."""
    whole, pruned = (_by_depth(evidence, program, "leaves") for program in (MINIMAX, FULL_WINDOWS))
    ratios = [whole[depth] / pruned[depth] for depth in sorted(whole) if depth > 1]
    seconds = [_by_depth(evidence, program, "seconds")[max(whole)] for program in (MINIMAX, FULL_WINDOWS)]
    because = (
        f"At depths 2 to {max(whole)} minimax has {', '.join(text_of(ratio, 3) for ratio in ratios)} times the leaves, "
        f"and at the last of them {seconds[0] / seconds[1]:.1f} times the time."
    )
    return judged(ratios == sorted(ratios) and ratios[-1] > 2, because)


def same_values(evidence: Evidence) -> Decision:
    """Minimax and alpha-beta have the same value in every position."""
    groups = grouped(evidence.of("Figure 2.5", "pruning"), "position")
    same = sum(len({sample["value"] for sample in group}) == 1 for group in groups.values())
    return judged(same == len(groups), f"The values of all programs are the same in {same} of {len(groups)} positions.")


def depths_differ(evidence: Evidence) -> Decision:
    """On average, one more ply multiplies the leaves by at least three."""
    leaves, seconds = (_by_depth(evidence, FULL_WINDOWS, measure) for measure in ("leaves", "seconds"))
    deepest = max(leaves)
    factor = (leaves[deepest] / leaves[2]) ** (1 / (deepest - 2))
    because = f"A ply multiplies the leaves by {factor:.1f}; depth {deepest} takes {seconds[deepest]:.2g} s."
    return judged(factor >= 3, because)


REPEATED = 0.25
"""Least ratio of all shallower searches' leaves to the deepest search's leaves that is a significant overhead."""


def repetition_costs(evidence: Evidence) -> Decision:
    """All shallower searches together have at least a quarter of the leaves of the deepest search."""
    leaves = _by_depth(evidence, FULL_WINDOWS, "leaves")
    shares = {
        depth: sum(leaves[less] for less in leaves if less < depth) / leaves[depth] for depth in leaves if depth > 2
    }
    because = (
        "All shallower searches together have, of the leaves of depth "
        + ", ".join(f"{depth} {share:.0%}" for depth, share in shares.items())
        + f"; {REPEATED:.0%} would be much. Each ply multiplies the tree, so what precedes the last one is small."
    )
    return judged(shares[max(shares)] >= REPEATED, because)


def deepening_orders(evidence: Evidence) -> Decision:
    """Iterative deepening evaluates fewer leaves in all its iterations than a search to the full depth at once."""
    deepened, direct = (evidence.value("Details", ("iterative deepening", case)) for case in ("deepened", "at once"))
    because = (
        f"With a table, {text_of(int(deepened))} leaves in all iterations, and {text_of(int(direct))} without them."
    )
    return judged(deepened < direct, because)


def minimax_infeasible(evidence: Evidence) -> Decision:
    """Minimax would need more than ten minutes for depth 5 in the largest of the positions, on 48 threads."""
    samples = [sample for sample in evidence.of("Figure 2.5", "pruning") if sample["program"] == MINIMAX]
    seconds = {
        str(sample["position"]): number(sample["leaves"]) ** (5 / number(sample["depth"]))
        / evaluations_per_second(samples)
        / evidence.value("Details", ("minimax on 48 threads", str(sample["position"])))
        for sample in samples
    }
    leaves = max(number(sample["leaves"]) ** (5 / number(sample["depth"])) for sample in samples)
    counted = next(row["evaluations"] for row in rows("003", "evaluations") if row["algorithm"] == "minimax")
    because = (
        f"At {evaluations_per_second(samples):,.0f} leaves/s, {THREADS} threads would need about this many seconds: "
        f"{listed(seconds)} (too long: 600). The report itself counted {counted:,} evaluations of minimax at depth 5 "
        f"from the start; the largest of these trees has about {leaves / counted:.0f} times as many."
    )
    return judged(max(seconds.values()) > 600, because)


def windows_cost(evidence: Evidence) -> Decision:
    """Full windows at the root evaluate more leaves than a shared alpha."""
    leaves = leaves_by_program(evidence, "Figure 2.5", "pruning")
    ratios = ratios_of(leaves[FULL_WINDOWS], leaves[SHARED_ALPHA])
    because = f"Without a common alpha the leaves are this many times as many: {listed(ratios)}."
    return by_case({name: ratio > 1 for name, ratio in ratios.items()}, because)


# --- the order of moves ---


def _orders(evidence: Evidence) -> dict[str, dict[str, float]]:
    return leaves_by_program(evidence, "Figure 2.4", "pruning, orders")


def order_matters(evidence: Evidence) -> Decision:
    """The worst of the three orders evaluates at least 1.5 times the leaves of the best."""
    orders = [_orders(evidence)[name] for name in (FULL_WINDOWS, GENERATED, BACKWARDS)]
    ratios = {name: max(order[name] for order in orders) / min(order[name] for order in orders) for name in orders[0]}
    because = f"The worst of three orders has this many times the leaves of the best: {listed(ratios)}."
    return by_case({name: ratio >= 1.5 for name, ratio in ratios.items()}, because)


def _extremes(evidence: Evidence) -> tuple[int, int, int]:
    best, last, all_leaves = (
        int(evidence.value("Details", ("leaves", case))) for case in ("best first", "best last", "minimax")
    )
    return best, last, all_leaves


def worst_order_prunes_nothing(evidence: Evidence) -> Decision:
    """With the best move last in every node, alpha-beta evaluates at least 99 % of the leaves."""
    _, last, all_leaves = _extremes(evidence)
    because = f"Two plies deep in midgame2, {last:,} of {all_leaves:,} leaves if every node has its best move last."
    return judged(last >= 0.99 * all_leaves, because)


def ideal_order_prunes(evidence: Evidence) -> Decision:
    """With the best move first in every node, alpha-beta evaluates less than a tenth of the leaves."""
    best, _, all_leaves = _extremes(evidence)
    because = f"Two plies deep in midgame2, {best:,} of {all_leaves:,} leaves if every node has its best move first."
    return judged(best < 0.1 * all_leaves, because)


def bounds_cost_time(evidence: Evidence) -> Decision:
    """A node of alpha-beta in the generated order takes longer than one of minimax."""
    groups = grouped(evidence.of("Figure 2.4", "pruning, orders"), "program")
    seconds = {
        name: sum(number(sample["seconds"]) for sample in groups[name,])
        / sum(number(sample["nodes"]) for sample in groups[name,])
        for name in (MINIMAX, GENERATED)
    }
    because = (
        f"A node takes {1e9 * seconds[GENERATED]:.0f} ns with bounds and a sorted list, and "
        f"{1e9 * seconds[MINIMAX]:.0f} ns in minimax, so that alpha-beta loses if it prunes nothing."
    )
    return judged(seconds[GENERATED] > seconds[MINIMAX], because)


def kinds_prune_more(evidence: Evidence) -> Decision:
    """Alpha-beta evaluates fewer leaves with moves ordered by kind than with moves as generated."""
    orders = _orders(evidence)
    ratios = ratios_of(orders[GENERATED], orders[FULL_WINDOWS])
    because = f"The generated order has this many times the leaves of that by kind: {listed(ratios)}."
    return by_case({name: ratio > 1 for name, ratio in ratios.items()}, because)


def generated_prunes_little(evidence: Evidence) -> Decision:
    """In the generated order, alpha-beta evaluates at least four fifths of all leaves."""
    orders = _orders(evidence)
    shares = {name: 100 * ratio for name, ratio in ratios_of(orders[GENERATED], orders[MINIMAX]).items()}
    because = (
        f"As generated, alpha-beta still evaluates only this share of all leaves, in percent: {listed(shares)}; "
        "an order that is not the worst in every node prunes much."
    )
    return by_case({name: share >= 80 for name, share in shares.items()}, because)


def backwards_helps(evidence: Evidence) -> Decision:
    """Alpha-beta evaluates fewer leaves if it takes the generated list of moves backwards."""
    orders = _orders(evidence)
    ratios = ratios_of(orders[GENERATED], orders[BACKWARDS])
    because = (
        f"the generated order has this many times the leaves of the same list backwards: {listed(ratios)}. The "
        "report's own count of depth 5 comes out by kinds, not backwards."
    )
    return by_case({name: ratio > 1 for name, ratio in ratios.items()}, because)


WAYS = ("push", "inline", "side", "single")


def _ranks_text(ranks: Mapping[str, float]) -> str:
    texts = ", ".join(f"{case} {rank:.0%}" for case, rank in ranks.items())
    return f"a search of three plies finds a move better than this share of the others: {texts}."


def ranking_holds(evidence: Evidence) -> Decision:
    """Kinds of moves from best to worst: pushes, steps in line, side steps, steps of one marble."""
    ranks = details(evidence, "way", WAYS)
    pairs = pairwise(WAYS)
    return by_case({f"{one} over {two}": ranks[one] > ranks[two] for one, two in pairs}, _ranks_text(ranks))


def more_marbles_help(evidence: Evidence) -> Decision:
    """Moves of three marbles are better than moves of two, which are better than moves of one."""
    ranks = details(evidence, "marbles", ("3", "2", "1"))
    push, inline = details(evidence, "way", ("push", "inline")).values()
    because = (
        f"By number of marbles, {_ranks_text(ranks)[:-1]}. What tells moves apart is whether they push: pushes "
        f"{push:.0%}, other moves in line {inline:.0%}."
    )
    return judged(ranks["3"] > ranks["2"] > ranks["1"], because)


def inline_beats_side(evidence: Evidence) -> Decision:
    """Moves in line are better than side steps."""
    ranks = details(evidence, "way", ("inline", "side"))
    return judged(ranks["inline"] > ranks["side"], f"Without a push, {_ranks_text(ranks)}")


# --- sizes of trees ---


def _tree_sizes(evidence: Evidence) -> tuple[dict[str, float], int]:
    depth = int(number(evidence.of("Figure 2.5", "pruning")[0]["depth"]))
    return leaves_by_program(evidence, "Figure 2.5", "pruning")[MINIMAX], depth


def start_is_large(evidence: Evidence) -> Decision:
    """The whole tree of the start is larger than the whole trees of the later positions."""
    leaves, depth = _tree_sizes(evidence)
    moves = {name: len(work) for name, work in root_work_of(evidence).items()}
    because = (
        f"Whole trees of {depth} plies have these leaves: {listed(leaves, ',.0f')}. At the start most marbles are "
        f"blocked by their own: the root has this many moves: {listed(moves, '.0f')}."
    )
    return judged(leaves["start"] == max(leaves.values()), because)


def end_is_simple(evidence: Evidence) -> Decision:
    """The whole tree of the endgame is smaller than the whole trees of the earlier positions."""
    leaves, depth = _tree_sizes(evidence)
    because = f"whole trees of {depth} plies have these leaves: {listed(leaves, ',.0f')}."
    others = [name for name in leaves if name != "endgame"]
    return by_case({name: leaves["endgame"] < leaves[name] for name in others}, because)


def counts_of_depth_five(evidence: Evidence) -> Decision:
    """Both counts of evaluations at depth 5 are the report's."""
    equal = {
        row["algorithm"]: evidence.value("Pruning Effects", (row["algorithm"], 5), "evaluations") == row["evaluations"]
        for row in rows("003", "evaluations")
    }
    return by_case(equal, f"Of {', '.join(equal)}, {sum(equal.values())} counts of the same searches are equal.")


def leaves_tell_enough(evidence: Evidence) -> Decision:
    """The shares of leaves and of nodes that are pruned differ by less than three points."""
    groups = grouped(evidence.of("Figure 2.5", "pruning"), "program", "position")
    shares = {
        str(position): {
            measure: 100 * (1 - number(group[0][measure]) / number(groups[MINIMAX, position][0][measure]))
            for measure in ("leaves", "nodes")
        }
        for (program, position), group in groups.items()
        if program == FULL_WINDOWS
    }
    texts = ", ".join(f"{name} {pruned['leaves']:.1f} and {pruned['nodes']:.1f}" for name, pruned in shares.items())
    holds = {name: abs(pruned["leaves"] - pruned["nodes"]) < 3 for name, pruned in shares.items()}
    return by_case(holds, f"percent of leaves and of nodes that are pruned: {texts}; 3 points may lie between.")


# --- the compiler ---


def _compiled(evidence: Evidence) -> dict[str, list[Sample]]:
    good = [sample for sample in evidence.of("Final Setup", "compiler") if not sample["trouble"]]
    return {str(setting): group for (setting,), group in grouped(good, "setting").items()}


def _rates(evidence: Evidence, *settings: str) -> dict[str, float]:
    """Return the speed of settings relative to the speed of the default setting.

    The best round of each setting counts, because other processes of the machine can only slow a round down.
    """
    groups = _compiled(evidence)
    if not {"O3", *settings} <= set(groups):
        raise Missing("This run has not compiled all of these settings.")
    rate = {
        name: max(number(sample["evaluations"]) / number(sample["seconds"]) for sample in groups[name])
        for name in ("O3", *settings)
    }
    return {name: rate[name] / rate["O3"] for name in settings}


KEPT = 0.9
"""Least share of the speed at which a compiler setting counts as having no effect."""


def highest_level_is_best(evidence: Evidence) -> Decision:
    """Level 3 is faster than level 0."""
    (share,) = _rates(evidence, "O0").values()
    return judged(share < 1, f"At level 0 the search does {share:.2f} times the evaluations/s of level 3.")


def across_functions_is_no_gain(evidence: Evidence) -> Decision:
    """Without optimisation across functions the search keeps nine tenths of its evaluations per second."""
    (share,) = _rates(evidence, "calls-kept").values()
    because = (
        f"If no function becomes a part of its caller, the search keeps {share:.2f} of its evaluations/s (no gain: "
        f"{KEPT}). In C++ the functions of one file are joined without -ipo too; ours are all apart then."
    )
    return judged(share >= KEPT, because)


def settings_change_play(evidence: Evidence) -> Decision:
    """The value, the move or the counts differ between settings of the compiler."""
    samples = [sample for group in _compiled(evidence).values() for sample in group]
    names = ", ".join(_compiled(evidence))
    answers = {tuple(sample[name] for name in ("value", "move", "evaluations", "leaves")) for sample in samples}
    because = (
        f"Value, move and counts {'are the same' if len(answers) == 1 else 'differ'} with {names}. The report's depth "
        "follows the clock, and its threads race for equal moves: both change play without a cause in the compiler."
    )
    return judged(len(answers) > 1, because)


def host_code_is_no_gain(evidence: Evidence) -> Decision:
    """Without code for this processor, the search is at most 10 % slower."""
    generic, scalar = _rates(evidence, "any-processor", "scalar-loops").values()
    # On an x86-64 processor, code for any x86-64 took 2.7 times as long; with the instruction that counts bits it took
    # 1.5 times as long, and with vectors of 256 bits as well 1.15 times.
    return judged(
        generic >= KEPT,
        f"Code for any processor keeps {generic:.2f} of the evaluations/s, and {scalar:.2f} without vectorised loops "
        f"({KEPT} counts as no effect). Our boards are words of bits: code for all processors of a kind has neither "
        "the instruction that counts bits nor wide vectors.",
    )
