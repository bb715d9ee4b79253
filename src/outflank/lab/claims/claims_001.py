"""Conclusions of the published report 001.

Most are decided by counts of nodes, which are the same on a busy machine. Those that need times are not decided while
other processes take the cores.
"""

from collections.abc import Callable, Sequence
from statistics import fmean, pstdev

from outflank.lab.claims.ledger import (
    CONFIRMED,
    CONTRADICTED,
    DEPENDS,
    Answer,
    Claim,
    Decision,
    Evidence,
    Missing,
    judged,
    not_testable,
)
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import (
    ENOUGH_CORES,
    Groups,
    grouped,
    long_enough,
    median,
    number,
    processor_share,
)
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.reproduction.text_001 import (
    ALPHABETA,
    BY_SQUARES,
    FIRST_MOVE,
    MINIMAX,
    NEUTRAL,
    PVS,
    RANDOM,
    STAGES,
    WIDTH_DEPTHS,
)
from outflank.lab.studies.sweeps import ALONE
from outflank.lab.studies.windows import SERIAL, TURNED_OVER, mean_of
from outflank.machine import usable_cores

ALGORITHMS, LEVELS, EVALUATION = "Algorithms", "Implementation Details", "Implementation Details, evaluation"
BRANCHING, COUNTS, BENCHMARKS = "Evaluation", "Experimental Results", "Experimental Results, benchmarks"
SHARED_TABLE = "Future Work, shared table"
"""Names of the sections whose measurements decide."""

FIRST_PLAYER = "branching, against the first-move player"
"""Name of the part that measures branching against the player of the report's counts."""

LITTLE = 0.05
"""Relative difference of node counts or times up to which two searches count as equal."""

FEWEST_GAMES = 4
"""Least number of games with each colour whose deviation means something."""

Decide = Callable[[Evidence], Decision]


# --- what the measurements say ---


def on_two_cores(decide: Decide) -> Decide:
    """Return `decide` for a claim about the time of parallel searches. It needs two cores."""

    def decide_on_cores(evidence: Evidence) -> Decision:
        if usable_cores() < 2:
            return Decision(Answer.NEEDS_CORES, "The time of a parallel search says something on 2 cores or more.")
        return decide(evidence)

    return decide_on_cores


def trusted_times(samples: Sequence[Sample]) -> Sequence[Sample]:
    """Return `samples`. Raise `Missing` if their times are too short, or if others had the cores meanwhile."""
    share = processor_share(samples)
    if share is None or share < ENOUGH_CORES or not long_enough(samples):
        raise Missing
    return samples


def schemes(evidence: Evidence) -> tuple[Groups, int]:
    """Return the samples of one search by scheme and workers, and the most workers. Raise `Missing` without two."""
    groups = grouped(evidence.of(SHARED_TABLE, "scaling"), "scheme", "workers")
    most = max(int(number(workers)) for _, workers in groups)
    if most < 2:
        raise Missing
    return groups, most


def scheme_nodes(evidence: Evidence, scheme: str) -> float:
    """Return the nodes of a scheme on the most workers, relative to those of one worker."""
    groups, most = schemes(evidence)
    return median(groups[scheme, most], "nodes") / median(groups["serial pvs", 1], "nodes")


def scheme_speed_up(evidence: Evidence, scheme: str) -> float:
    """Return the speed-up of a scheme on the most workers over the serial search."""
    groups, most = schemes(evidence)
    if most > usable_cores():
        raise Missing
    serial, parallel = (trusted_times(groups[key]) for key in (("serial pvs", 1), (scheme, most)))
    return median(serial, "seconds") / median(parallel, "seconds")


def game_nodes(evidence: Evidence) -> dict[str, dict[tuple[str, int], float]]:
    """Return nodes per turn by algorithm and by game (colour and number), at the greatest depth and most workers."""
    samples = evidence.of(BENCHMARKS, "times")
    deepest = max(number(sample["depth"]) for sample in samples)
    nodes: dict[str, dict[tuple[str, int], float]] = {}
    for (name,), group in grouped((each for each in samples if each["depth"] == deepest), "algorithm").items():
        most = max(number(sample["workers"]) for sample in group)
        games = grouped((sample for sample in group if sample["workers"] == most), "colour", "game")
        nodes[str(name)] = {
            (str(colour), int(number(game))): fmean(number(turn["nodes"]) for turn in turns)
            for (colour, game), turns in games.items()
        }
    return nodes


def turn_nodes(evidence: Evidence, *names: str) -> list[float]:
    """Return mean nodes per turn of some algorithms against the random player."""
    nodes = game_nodes(evidence)
    if not set(names) <= set(nodes):
        raise Missing
    return [fmean(nodes[name].values()) for name in names]


def levels(evidence: Evidence) -> dict[int, list[Sample]]:
    """Return the samples of Jamboree by the number of levels that it divides."""
    groups = grouped(evidence.of(LEVELS, "levels"), "levels")
    return {int(number(level)): group for (level,), group in groups.items() if level != ALONE}


def idle_share(samples: Sequence[Sample]) -> float:
    """Return the share of the workers' time in which they had nothing to search."""
    idle = median(samples, "idle_seconds")
    return idle / (idle + median(samples, "useful_seconds"))


def widths(evidence: Evidence, part: str = "branching") -> dict[str, tuple[float, float]]:
    """Return moves per inner node, and nodes per turn, by evaluation."""
    return {
        str(evaluation): (
            sum(number(sample["moves"]) for sample in group) / sum(number(sample["inner"]) for sample in group),
            fmean(number(sample["nodes"]) for sample in group),
        )
        for (evaluation,), group in grouped(evidence.of(BRANCHING, part), "evaluation").items()
    }


def turned_counts(evidence: Evidence) -> list[Sample]:
    """Return the counts in the report's windows and in correct ones, of one depth: a quick run has them less deep."""
    for part in ("nodes", "nodes, windows turned over"):
        samples = list(evidence.samples.get((COUNTS, part), ()))
        if any(sample["window"] == TURNED_OVER for sample in samples):
            return samples
    raise Missing


def mean_nodes(samples: Sequence[Sample], name: str, *window: str) -> float:
    """Return the mean nodes per turn of a program of the report."""
    mean = mean_of(samples, name, *window)
    if mean is None:
        raise Missing
    return mean


# --- decisions ---


def _inherently_serial(evidence: Evidence) -> Decision:
    speed_up, most = scheme_speed_up(evidence, "ybw"), schemes(evidence)[1]
    return judged(
        speed_up < 1 + LITTLE,
        f"With {most} workers young brothers wait is {speed_up:.2f} times as fast as one: once the first move of a "
        "node is searched, the others hardly depend on each other.",
    )


def _challenging(evidence: Evidence) -> Decision:
    serial, parallel = turn_nodes(evidence, "SerialPVS", "ParallelPVS")
    return judged(
        parallel > serial * (1 + LITTLE),
        f"The obvious division, by root moves, enters {parallel / serial:.2f} times the nodes of one worker "
        f"(more than {1 + LITTLE:.2f} is a loss).",
    )


def _intractable(evidence: Evidence) -> Decision:
    growth = evidence.value(ALGORITHMS, PVS, "growth")
    years = growth**60 / 1e9 / 3.15e7
    return judged(
        years > 1000,
        f"PVS without a table enters {growth:.1f} times the nodes for each ply, so that 60 plies would take "
        f"{years:.0e} years at 10^9 nodes per second.",
    )


def _alphabeta(evidence: Evidence) -> Decision:
    minimax, alphabeta = (evidence.value(ALGORITHMS, name, "nodes") for name in (MINIMAX, BY_SQUARES))
    return judged(alphabeta < minimax, f"Alpha-beta enters {alphabeta / minimax:.1%} of the nodes of minimax.")


def _scouts(evidence: Evidence) -> Decision:
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


def _first_is_best(evidence: Evidence) -> Decision:
    share, chance = (evidence.value(ALGORITHMS, FIRST_MOVE, column) for column in ("best_share", "chance"))
    return judged(
        share > 0.5, f"In {share:.0%} of the turns the move that PVS tries first is the best (by chance {chance:.0%})."
    )


def _table_parallelism(evidence: Evidence) -> Decision:
    speed_up, most = scheme_speed_up(evidence, "shared-table"), schemes(evidence)[1]
    return judged(speed_up > 1 + LITTLE, f"{most} workers on a common table are {speed_up:.2f} times as fast as one.")


def _wait(evidence: Evidence) -> Decision:
    serial, naive, jamboree = turn_nodes(evidence, "SerialPVS", "ParallelPVS", "Jamboree")
    return judged(
        jamboree < naive,
        f"Jamboree, which waits, enters {jamboree / serial:.2f} times the nodes of serial PVS; without waiting it is "
        f"{naive / serial:.2f} times.",
    )


def _serial_variation(evidence: Evidence) -> Decision:
    by_level = levels(evidence)
    one, more = (idle_share(trusted_times(by_level[level])) for level in (min(by_level), max(by_level)))
    return judged(
        more > one * (1 - LITTLE),
        f"If only the root is divided, so that its first move is searched alone, workers are idle for {one:.0%} of "
        f"their time; if {max(by_level)} levels are, for {more:.0%}: there is work for all within the first move too.",
    )


def _more_levels(evidence: Evidence) -> Decision:
    by_level = {level: median(trusted_times(group), "seconds") for level, group in levels(evidence).items()}
    few, many = min(by_level), max(by_level)
    return judged(
        by_level[many] > 1.1 * by_level[few],
        f"Dividing {many} levels takes {by_level[many] / by_level[few]:.2f} times as long as {few} (a slowdown is more "
        "than 1.1): here cut-offs end the work on other moves, while the report's Jamboree never aborts.",
    )


def _spawn_growth(evidence: Evidence) -> Decision:
    by_level = {level: median(group, "spawned") for level, group in levels(evidence).items()}
    few, many = min(by_level), max(by_level)
    if many == few or not by_level[few]:
        raise Missing
    growth = (by_level[many] / by_level[few]) ** (1 / (many - few))
    return judged(
        growth > 1.5,
        f"Moves offered to other workers grow from {by_level[few]:,.0f} with {few} level to {by_level[many]:,.0f} with "
        f"{many}, by a factor of {growth:.1f} a level (exponential: more than 1.5).",
    )


def _leaves(evidence: Evidence) -> Decision:
    leaves = evidence.value(ALGORITHMS, PVS, "leaf_share")
    shares = {stage: evidence.value(ALGORITHMS, (MINIMAX, stage), "evaluation_share") for stage in STAGES}
    listed = ", ".join(f"{share:.0%} {stage}" for stage, share in shares.items())
    because = f"Of the nodes of PVS {leaves:.0%} are leaves, and of the time their evaluation takes at least {listed}"
    if min(shares.values()) > 0.5 + LITTLE:
        return Decision(Answer.CONFIRMED, f"{because}.")
    # The share is a lower bound, so that less than a half contradicts nothing.
    return Decision(Answer.DEPENDS, f"{because}: in our program it need not outweigh all the rest.")


def clear_share(share: float, games: float) -> float:
    """Return a share of wins. Raise `Missing` if so many games cannot tell it from a half, with 95 % confidence."""
    if abs(share - 0.5) <= 1.96 * (0.25 / games) ** 0.5:
        raise Missing
    return share


def score(evidence: Evidence, first: str, second: str) -> tuple[float, float]:
    """Return the score of an evaluation against another player, and the number of games. It must not be by chance."""
    points, games = (evidence.value(EVALUATION, (first, second), column) for column in ("score", "games"))
    return clear_share(points, games), games


def _beats(first: str, second: str) -> Decide:
    """Return the function of the claim that an evaluation wins more games than another player."""

    def decide(evidence: Evidence) -> Decision:
        points, games = score(evidence, first, second)
        return judged(points > 0.5, f"In {games:.0f} games at depth 3, {first} scores {points:.0%} against {second}.")

    return decide


def _control(evidence: Evidence) -> Decision:
    games = evidence.value(EVALUATION, (NEUTRAL, NEUTRAL), "games")
    wins = clear_share(evidence.value(EVALUATION, "moves", "leader_wins"), games)
    return judged(
        wins > 0.5,
        f"In the middle of {games:.0f} games, who has more moves wins in the end in {wins:.0%} of the positions.",
    )


def _counting(evidence: Evidence) -> Decision:
    points, games = score(evidence, "mobility", "discs")
    wins = evidence.value(EVALUATION, "discs", "leader_wins")
    return judged(
        points > 0.5,
        f"In {games:.0f} games at depth 3, counting discs scores {1 - points:.0%} against mobility; in the middle of "
        f"games of equals, who has more discs wins in the end in {wins:.0%} of the positions.",
    )


def _swings(evidence: Evidence) -> Decision:
    discs, moves = (
        evidence.value(EVALUATION, name, "swing") / evidence.value(EVALUATION, name, "lead")
        for name in ("discs", "moves")
    )
    return judged(
        discs > moves and discs > 0.5,
        f"From one turn to the next, the lead in discs changes by {discs:.0%} of a mean lead, the lead in moves by "
        f"{moves:.0%}.",
    )


def _narrower(column: int, what: str) -> Decide:
    """Return the function of the claim that mobility has the least of a measure of the tree among the evaluations."""

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


def _narrow_lines(evidence: Evidence) -> Decision:
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
        text = f"In the middle of games {because}. Who looks ahead an even number of plies values the next choice."
        return Decision(Answer.DEPENDS, text)
    return judged(bool(narrower), f"In the middle of games {because}.")


def _random_is_wide(evidence: Evidence) -> Decision:
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


def _deviations(evidence: Evidence) -> Decision:
    games = game_nodes(evidence).get("SerialPVS", {})
    by_colour = [[nodes for (colour, _), nodes in games.items() if colour == side] for side in ("black", "white")]
    if min(map(len, by_colour)) < FEWEST_GAMES:
        raise Missing
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


def _trends(evidence: Evidence) -> Decision:
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
        raise Missing
    return judged(
        len(same) >= 0.8 * len(clear),
        f"For {len(same)} of {len(clear)} pairs of algorithms whose nodes per turn differ by more than {LITTLE:.0%}, "
        "games as black and games as white agree on which enters more (80% is asked for).",
    )


def _differs(means: dict[str, float], first: str, second: str) -> bool:
    return abs(means[first] - means[second]) > LITTLE * max(means[first], means[second])


def _equal_counts(*names: str) -> Decide:
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


def _consistent(evidence: Evidence) -> Decision:
    counts = _equal_counts("SerialPVS", "ParallelPVS", "AlphaBeta", "ParallelAlphaBeta")(evidence)
    games = game_nodes(evidence).get("SerialPVS", {})
    if len(games) < 2:
        raise Missing
    least, most = min(games.values()), max(games.values())
    same = "come out equal" if counts.answer is Answer.CONFIRMED else "do not come out equal"
    return judged(
        counts.answer is Answer.CONFIRMED,
        f"On another machine its four counts {same}, while games against the random player range from {least:,.0f} to "
        f"{most:,.0f} nodes a turn.",
    )


def _less_information(evidence: Evidence) -> Decision:
    samples, parallel = turned_counts(evidence), "ParallelPVS"
    serial = mean_nodes(samples, SERIAL[parallel])
    turned = mean_nodes(samples, SERIAL[parallel], TURNED_OVER)
    window, information = turned / serial, mean_nodes(samples, parallel) / turned
    return judged(
        information > window,
        f"The root windows of the serial program, which are not negated, account for a factor of {window:.1f}, and "
        f"root moves that know nothing of each other for {information:.1f}: the fault cuts off too much.",
    )


def _ten_times(evidence: Evidence) -> Decision:
    said, depth = fact("001", "parallel_over_serial_nodes_about"), fact("001", "counted_depth")
    nodes = {name: evidence.value(COUNTS, (name, depth), "nodes_per_turn") for pair in SERIAL.items() for name in pair}
    ratios = [nodes[parallel] / nodes[serial] for parallel, serial in SERIAL.items()]
    pvs, alphabeta = ratios
    return judged(
        all(abs(ratio / said - 1) < 0.1 for ratio in ratios),
        f"{pvs:.1f} times for PVS and {alphabeta:.1f} for alpha-beta (allowed: {said}, give or take 10%).",
    )


def _by_parallelizing(evidence: Evidence) -> Decision:
    samples, said = turned_counts(evidence), fact("001", "parallel_over_serial_nodes_about")
    pvs, alphabeta = (
        mean_nodes(samples, parallel) / mean_nodes(samples, serial, TURNED_OVER) for parallel, serial in SERIAL.items()
    )
    return judged(
        min(pvs, alphabeta) > said / 2,
        f"Against serial programs with correct root windows it is {pvs:.1f} times for PVS and {alphabeta:.1f} for "
        f"alpha-beta (at least half of {said} is asked for): the rest is the fault in the serial windows.",
    )


def _table_is_slow(evidence: Evidence) -> Decision:
    table, abdada, ybw = (scheme_nodes(evidence, scheme) for scheme in ("shared-table", "abdada", "ybw"))
    return judged(
        table > max(abdada, ybw),
        f"Nodes relative to one worker: {table:.2f} with the shared table, {abdada:.2f} with ABDADA and {ybw:.2f} with "
        "young brothers wait: workers search the same parts before the table has their values.",
    )


def _abdada(evidence: Evidence) -> Decision:
    groups, _ = schemes(evidence)
    values = {sample["value"] for group in groups.values() for sample in group}
    table, abdada = (scheme_nodes(evidence, scheme) for scheme in ("shared-table", "abdada"))
    return judged(
        len(values) == 1 and abdada < table,
        f"ABDADA runs on our table: {'the same value' if len(values) == 1 else 'other values'}, and {abdada:.2f} times "
        f"the nodes of one worker, where the table alone has {table:.2f}.",
    )


def _collisions(evidence: Evidence) -> Decision:
    samples = evidence.of(SHARED_TABLE, "hash")
    worst = min(number(sample["free"]) / number(sample["boards"]) / number(sample["by_chance"]) for sample in samples)
    return judged(
        worst < 1 - LITTLE,
        f"From {len(samples)} sources, at least {worst:.1%} as many boards find a free slot as by chance: boards of "
        "one search collide no more than others, and bits of the hash say on which node an entry lies.",
    )


def _evaluations_compared(evidence: Evidence) -> Decision:
    points, games = score(evidence, "mobility", "discs")
    return judged(
        True,
        f"{games:.0f} games from random openings tell two evaluations apart, with 95% confidence: mobility scores "
        f"{points:.0%} against discs.",
    )


_LEDGER: tuple[tuple[str, str, Answer, Decide | str], ...] = (
    (
        "1 Introduction",
        "Game-tree search is serial by its nature.",
        CONTRADICTED,
        on_two_cores(_inherently_serial),
    ),
    ("1 Introduction", "It is hard to extend game-tree search to several workers.", CONFIRMED, _challenging),
    (
        "1 Introduction, 2 Othello",
        "An engine for Othello is much easier to write than one for chess.",
        Answer.NOT_TESTABLE,
        "No chess engine is written here, and no run measures the effort of writing one.",
    ),
    (
        "2 Othello",
        "Game-tree search plays Othello at least as effectively as chess.",
        Answer.NOT_TESTABLE,
        "There is no chess here, and no common scale for playing strength in two games.",
    ),
    (
        "3.1 Game-tree Search",
        "The whole space is too large to be searched, so that depth, nodes or time must be limited.",
        CONFIRMED,
        _intractable,
    ),
    ("3.2 Alpha-Beta Pruning", "Alpha-beta enters fewer nodes than minimax.", CONFIRMED, _alphabeta),
    (
        "3.3 Principal Variation Search",
        "The first child is likely to be the best choice.",
        CONFIRMED,
        _first_is_best,
    ),
    (
        "3.3 Principal Variation Search",
        "The narrow window of PVS prunes still more than alpha-beta.",
        DEPENDS,
        _scouts,
    ),
    (
        "3.4 Shared Hashtable",
        "Several agents that share a table of results give parallelism.",
        CONFIRMED,
        on_two_cores(_table_parallelism),
    ),
    (
        "3.4 Shared Hashtable",
        "A shared table needs no additional complexity in the program.",
        Answer.NOT_TESTABLE,
        "No run measures complexity; the report's table is read without protection and keeps bounds as values, which "
        "more code would have to prevent.",
    ),
    (
        "3.5 Jamboree",
        "Parallelism should wait until the first child is searched (young brothers wait).",
        CONFIRMED,
        _wait,
    ),
    (
        "3.5 Jamboree",
        "The search of the principal variation is serial by its nature.",
        CONTRADICTED,
        on_two_cores(_serial_variation),
    ),
    (
        "4 Implementation Details",
        "Dividing more than the first log(P) levels makes Jamboree much slower.",
        CONTRADICTED,
        on_two_cores(_more_levels),
    ),
    (
        "4 Implementation Details",
        "Spawns grow exponentially with the levels that are divided, as the tree does.",
        CONFIRMED,
        _spawn_growth,
    ),
    (
        "4 Implementation Details",
        "The evaluation of leaves matters far more to the speed than other parts of the program.",
        DEPENDS,
        _leaves,
    ),
    (
        "4 Implementation Details",
        "The difference in moves is a very effective evaluation for one so simple and untuned.",
        CONFIRMED,
        _beats("mobility", "discs"),
    ),
    (
        "4 Implementation Details",
        "Who has many moves can usually take control of more of the board.",
        CONFIRMED,
        _control,
    ),
    (
        "4 Implementation Details",
        "Counting pieces, which serves in many games, is not effective in Othello.",
        CONFIRMED,
        _counting,
    ),
    (
        "4 Implementation Details",
        "The cause is that the number of pieces swings very much from turn to turn.",
        CONFIRMED,
        _swings,
    ),
    (
        "4 Implementation Details",
        "Evaluating mobility makes the search tree narrower.",
        DEPENDS,
        _narrower(0, "Moves per inner node"),
    ),
    (
        "4 Implementation Details",
        "So mobility allows for deeper searches.",
        DEPENDS,
        _narrower(1, "Nodes per turn"),
    ),
    (
        "4 Implementation Details",
        "The cause is that both sides take moves from each other, and so prefer lines with fewer moves.",
        DEPENDS,
        _narrow_lines,
    ),
    (
        "5 Evaluation",
        "Plain Cilk has no effective way to bind memory to NUMA nodes.",
        Answer.NOT_TESTABLE,
        "No Cilk runtime runs here; our own workers and tables are bound by the system (`--pin`, `--interleave`).",
    ),
    (
        "5 Evaluation",
        "Random moves are no good way to play.",
        CONFIRMED,
        _beats("mobility", RANDOM),
    ),
    (
        "5 Evaluation",
        "Games against the random player have a higher branching factor.",
        CONFIRMED,
        _random_is_wide,
    ),
    (
        "5 Evaluation",
        "Deviations are high because of the random player and because both colours are taken together.",
        DEPENDS,
        _deviations,
    ),
    ("5 Evaluation", "The trends can be seen in spite of these deviations.", CONFIRMED, _trends),
    (
        "5 Evaluation",
        "Counts against the player of first moves are more consistent than against the random one.",
        CONFIRMED,
        _consistent,
    ),
    (
        "Experimental Results",
        "At depth 11 SerialPVS searches 221,793 nodes a turn and ParallelPVS 2,081,209.",
        CONFIRMED,
        _equal_counts("SerialPVS", "ParallelPVS"),
    ),
    (
        "Experimental Results",
        "The cause is that parallel root moves know less, so that far less is cut off.",
        CONTRADICTED,
        _less_information,
    ),
    (
        "Experimental Results",
        "At depth 11 AlphaBeta searches 602,914 nodes a turn and ParallelAlphaBeta 5,743,813.",
        CONFIRMED,
        _equal_counts("AlphaBeta", "ParallelAlphaBeta"),
    ),
    (
        "Experimental Results",
        "The parallel programs search roughly 10 times the nodes of the serial ones.",
        CONFIRMED,
        _ten_times,
    ),
    ("Experimental Results", "These 10 times are the price of parallelism.", CONTRADICTED, _by_parallelizing),
    ("6 Future Work", "The shared table performs badly.", CONFIRMED, _table_is_slow),
    ("6 Future Work", "ABDADA can be built on a shared table that performs better.", CONFIRMED, _abdada),
    (
        "6 Future Work",
        "It is far harder than expected to fit the shared table to NUMA nodes.",
        Answer.NOT_TESTABLE,
        "It is what the authors expected of their own work; with us it is one option of the table (`--interleave`).",
    ),
    (
        "6 Future Work",
        "Even a runtime that knows of locality needs a heuristic for which boards collide in the table.",
        CONTRADICTED,
        _collisions,
    ),
    (
        "6 Future Work",
        "Further tuning would make the program faster.",
        Answer.NOT_TESTABLE,
        "It is about the report's own program in C++, which is not run here.",
    ),
    (
        "6 Future Work",
        "Evaluation functions can be compared by a test of their performance.",
        CONFIRMED,
        _evaluations_compared,
    ),
)
"""Place, conclusion, expected answer, and the function that decides, or the reason why nothing can."""

CLAIMS: tuple[Claim, ...] = tuple(
    Claim(
        report="001",
        number=claim_number,
        where=where,
        says=says,
        expected=expected,
        decide=not_testable(decide) if isinstance(decide, str) else decide,
    )
    for claim_number, (where, says, expected, decide) in enumerate(_LEDGER, 1)
)
