"""Conclusions of the published report 004."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations, product

from outflank.lab.claims.deciding import by_case
from outflank.lab.claims.ledger import (
    CONFIRMED,
    CONTRADICTED,
    Answer,
    Decision,
    Evidence,
    Missing,
    Row,
    claims_from,
    judged,
)
from outflank.lab.claims.replayed import Seconds, with_replay
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.function_profile import SERIAL
from outflank.lab.measuring.search_samples import grouped, median, number
from outflank.lab.measuring.traces import SEARCH
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.reproduction.cilkview import PROFILE_004
from outflank.lab.reproduction.report_004 import EQUAL_TURNS, ONE_THREAD, PASSES, TURNS, nodes_row
from outflank.lab.reproduction.timed_games import DEPTH, FLAT, FLAT_UP_TO, LESS
from outflank.lab.studies.determinism import SERIAL as SERIAL_GAME
from outflank.lab.studies.profile import RUNTIME, seconds_of
from outflank.machine import usable_cores
from outflank.validation.text import how_many

POLICY, PROFILE, CURVES, TEXT = "Deterministic Policy", "Cilkview", "Parallel Efficiency", "In the text"
"""Names of sections of the reproduction."""

FREQUENT = 0.1
"""Least share of the turns that we call frequent."""

LITTLE = 0.1
"""Greatest share of the time that we call little."""

WORSE = 1.05
"""Least ratio of two processor times at which we call the longer one worse."""

SIMILAR = 1.5
"""Greatest ratio of two factors that we call similar, if one was measured on another machine."""

DEEP_ENOUGH = 6
"""Least depth, in plies, of a game whose times are compared. Shallower ones pass mostly outside the search."""

PRINTED = {row["depth"]: row for row in rows("004", "cilkview")}
TIMES = {row["threads"]: row for row in rows("004", "efficiency")}
SERIAL_SECONDS: float = fact("004", "serial_seconds")
ONE_THREAD_RATIO = TIMES[1]["real_s"] / SERIAL_SECONDS
SPEED_UP = SERIAL_SECONDS / TIMES[FLAT_UP_TO]["real_s"]


# --- times of games ---


def _by_threads(samples: Sequence[Sample], seconds: Callable[[Sequence[Sample]], float]) -> dict[int, float]:
    """Return the seconds of games by number of threads. The key 0 is the serial program."""
    return {
        0 if str(scheme).startswith("serial ") else int(number(workers)): seconds(group)
        for (scheme, workers), group in grouped(samples, "scheme", "workers").items()
    }


def _wall_times(evidence: Evidence, section: str, part: str, thread_counts: Sequence[int]) -> dict[int, float]:
    """Return median real times by number of threads. Raise `Missing` if games are shallow or a count is missing."""
    samples = evidence.of(section, part)
    times = _by_threads(samples, lambda group: median(group, "seconds"))
    if median(samples, "depth") < DEEP_ENOUGH or not times.keys() >= set(thread_counts):
        raise Missing
    return times


def _least_processor_seconds(samples: Sequence[Sample]) -> float:
    return min(number(sample["user_seconds"]) + number(sample["system_seconds"]) for sample in samples)


def _one_thread(evidence: Evidence, branch: str) -> tuple[float, float]:
    """Return the least processor times of the serial program and of a branch on one thread."""
    times = _by_threads(evidence.of(ONE_THREAD, f"scaling, {branch}"), _least_processor_seconds)
    if not times.keys() >= {0, 1}:
        raise Missing
    return times[0], times[1]


def _needs(cores: int) -> Decision | None:
    """Return the decision that this machine has too few cores, or None if it has enough."""
    if usable_cores() >= cores:
        return None
    return Decision(Answer.NEEDS_CORES, f"It takes {cores} cores, and this machine has {usable_cores():g}.")


def _busy_processors() -> tuple[float, float]:
    """Return the least and the greatest processor time over real time that the report has from 8 threads on."""
    ratios = [
        (row["user_s"] + (60 if row["user_s"] < 10 else 0) + row["sys_s"]) / row["real_s"]  # 60 was lost in print
        for threads, row in TIMES.items()
        if threads >= FLAT_UP_TO
    ]
    return min(ratios), max(ratios)


OWN_NUMBERS = "its own processor times are {:.1f} to {:.1f} times the real ones from 8 threads on".format(
    *_busy_processors()
)
CHEAP_NODES = "nodes are cheap here, so that spawning one costs more than searching it"


def _unless(holds: bool, figures: str, cause: str) -> Decision:
    """Return the decision that a claim holds or is contradicted. `cause` says why, and is added if it does not hold."""
    return judged(holds, f"{figures}." if holds else f"{figures}: {cause}.")


# --- the search, and its policy ---


def _passes(evidence: Evidence) -> Decision:
    depths = [int(number(cell.row[0])) for cell in evidence.cells.get(PASSES, ())]
    if not depths:
        raise Missing
    deepest = max(depths)
    searched = evidence.value(PASSES, deepest, "spawns")
    evaluated = evidence.value(PROFILE, deepest, "spawns")
    printed = PRINTED[deepest]["spawns"]
    return _unless(
        searched == printed,
        f"At depth {deepest} a game that searches on after a pass has {searched:,} spawns, one that evaluates at once "
        f"has {evaluated:,}, and the report's table has {printed:,}",
        "its program evaluates at once" if evaluated == printed else "no rule that we know gives the same",
    )


def _equal_moves(evidence: Evidence) -> Decision:
    turns, equal = evidence.value(POLICY, TURNS), evidence.value(POLICY, EQUAL_TURNS)
    return judged(
        equal >= FREQUENT * turns,
        f"At {equal:g} of {turns:g} turns with a choice several moves are best (we call {FREQUENT:.0%} frequent).",
    )


def _tie_rules(evidence: Evidence) -> Decision:
    own = evidence.value(POLICY, nodes_row("highest", "lowest"))
    other = evidence.value(POLICY, nodes_row("lowest", "lowest"))
    return judged(
        own != other,
        f"A game in which X takes the last of equal moves has {own:,} nodes, and one in which it takes the first "
        f"has {other:,}.",
    )


def _games(evidence: Evidence) -> tuple[list[Sample], list[list[Sample]]]:
    """Return the turns of the serial game, and those of every other game of both branches."""
    groups = [
        (str(scheme), turns)
        for branch in ("master", "dev")
        for (scheme, *_), turns in grouped(
            evidence.of(POLICY, f"determinism, {branch}"), "scheme", "workers", "game"
        ).items()
    ]
    serial = [turns for scheme, turns in groups if scheme == SERIAL_GAME]
    if not serial or len(serial) == len(groups):
        raise Missing
    return serial[0], [turns for scheme, turns in groups if scheme != SERIAL_GAME]


def _column(turns: Sequence[Sample], name: str) -> list[object]:
    return [turn[name] for turn in turns]


def _same_trees(evidence: Evidence) -> Decision:
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


def _ordered(evidence: Evidence) -> Decision:
    pairs = list(combinations(product(range(1, 9), repeat=2), 2))
    ordered = sum((first < second) != (second < first) for first, second in pairs)
    return judged(ordered == len(pairs), f"Of {len(pairs):,} pairs of squares it puts {ordered:,} in order.")


def _moves_show_trees(evidence: Evidence) -> Decision:
    serial, games = _games(evidence)
    same_moves = [game for game in games if _column(game, "move") == _column(serial, "move")]
    same_nodes = [game for game in same_moves if _column(game, "nodes") == _column(serial, "nodes")]
    return judged(
        len(same_nodes) == len(same_moves),
        f"{len(same_nodes)} of {len(same_moves)} games with the serial moves also have its nodes at every turn; this "
        "holds for minimax, which cuts nothing off.",
    )


def _branches(evidence: Evidence) -> Decision:
    same, branches = evidence.value(TEXT, "branches_compared"), fact("004", "branches_compared")
    return judged(same == branches, f"{same:g} of {branches} programs of ours play the serial one's game.")


def _same_work(evidence: Evidence) -> Decision:
    counts = _by_threads(evidence.of(CURVES, "scaling, master"), lambda group: median(group, "nodes"))
    if 0 not in counts or len(counts) == 1:
        raise Missing
    same = [threads for threads, count in counts.items() if count == counts[0]]
    return judged(
        len(same) == len(counts),
        f"{len(same)} of {len(counts)} games, serial and on 1 to {max(counts)} threads, have the serial one's "
        f"{counts[0]:,.0f} nodes.",
    )


# --- tools ---


def _races(evidence: Evidence) -> Decision:
    races = evidence.value("Cilkscreen", "data_races")
    schedules = sum(
        number(sample["schedules"]) for sample in evidence.of("Cilkscreen", "races") if sample["what"] == "whole"
    )
    return judged(
        races == fact("004", "data_races"),
        f"Our runtime, in place of the report's, has {races:g} races that its source does not declare, in "
        f"{how_many(int(schedules), 'interleaving')}.",
    )


def _close_column(column: str) -> Callable[[Evidence], Decision]:
    """Return the function of a claim that a column of the profile is the published one, within the table's factor."""
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


def _profile(evidence: Evidence) -> tuple[list[Sample], float]:
    """Return the totals of a profile by kind of activity, and the seconds of the game outside its searches."""
    samples = evidence.of("HPCToolkit", "profile")
    outside = [number(sample["outside_seconds"]) for sample in samples if sample["what"] == SERIAL]
    totals = [sample for sample in samples if sample["what"] == "total"]
    if not outside or not totals:
        raise Missing
    return totals, outside[0]


def _main_function(evidence: Evidence) -> Decision:
    totals, outside = _profile(evidence)
    own = seconds_of(totals, (SEARCH,)) + outside
    coarse = own / (own + seconds_of(totals, RUNTIME))
    serial, parallel = _one_thread(evidence, "master")
    fine = serial / parallel
    answers = {2: Answer.CONFIRMED, 1: Answer.DEPENDS, 0: Answer.CONTRADICTED}
    return Decision(
        answers[(coarse > 0.5) + (fine > 0.5)],
        f"The program itself takes {coarse:.0%} of a game that is undivided near the leaves, and {fine:.0%} of one "
        f"with spawns at every node, as the report has it: {CHEAP_NODES}.",
    )


def _scheduler(evidence: Evidence) -> Decision:
    serial, parallel = _one_thread(evidence, "master")
    share = 1 - serial / parallel
    return _unless(
        share <= LITTLE,
        f"Spawns at every node take {share:.0%} of one thread's time (we call {LITTLE:.0%} little)",
        f"{CHEAP_NODES}; by the report's own times they took {1 - 1 / ONE_THREAD_RATIO:.0%} there, inside the "
        "functions that spawn",
    )


def _recursion(evidence: Evidence) -> Decision:
    samples = [sample for sample in evidence.of(CURVES, "scaling, master") if sample["depth"] == DEPTH]
    seconds = _by_threads(samples, _least_processor_seconds).get(0)
    if seconds is None:
        raise Missing
    share = 1 - _profile(evidence)[1] / seconds
    return judged(share > 0.5, f"Minimax with all that it calls takes {share:.0%} of a serial game at depth {DEPTH}.")


# --- curves ---


def _spawning_cost(evidence: Evidence) -> Decision:
    serial, parallel = _one_thread(evidence, "master")
    ratio = parallel / serial
    return _unless(
        1 / SIMILAR <= ratio / ONE_THREAD_RATIO <= SIMILAR,
        f"Ours takes {ratio:.2f} times as long as the serial one, and theirs {ONE_THREAD_RATIO:.2f} (we allow a factor "
        f"of {SIMILAR:g})",
        CHEAP_NODES,
    )


REPLAY = (CURVES, "replay, master")
"""Section and part with the replayed games of `master`."""


def _on_cores(
    cores: int, times: Callable[[Evidence], Seconds], judge: Callable[[Seconds], Decision], evidence: Evidence
) -> Decision:
    """Return what `judge` says of the times of games on `cores` cores. If there are too few, it judges the replay."""
    if few := _needs(cores):
        return with_replay(
            few,
            evidence,
            REPLAY,
            lambda games: judge({threads: number(game["seconds"]) for threads, game in games.items()}),
        )
    return judge({threads: seconds for threads, seconds in times(evidence).items() if threads <= usable_cores()})


def _speed_up(evidence: Evidence) -> Decision:
    def judge(times: Seconds) -> Decision:
        ours = times[0] / times[FLAT_UP_TO]
        return _unless(
            1 / SIMILAR <= ours / SPEED_UP <= SIMILAR,
            f"Ours is {ours:.1f}, and theirs {SPEED_UP:.1f} (we allow a factor of {SIMILAR:g})",
            CHEAP_NODES,
        )

    return _on_cores(
        FLAT_UP_TO, partial(_wall_times, section=TEXT, part="scaling", thread_counts=(0, FLAT_UP_TO)), judge, evidence
    )


BRANCH_PARTS: Mapping[str, tuple[str, str]] = {
    "master": (TEXT, "scaling"),
    "dev": (CURVES, "scaling, dev, single moves"),
}
"""Sections and parts with the games of both branches at the same depth."""


def _flatness(kept: Mapping[str, float]) -> Decision:
    """Return the decision on the share of its efficiency on one thread that each branch keeps with 8."""
    figures = ", ".join(f"{branch} {share:.2f}" for branch, share in kept.items())
    because = f"Of its efficiency on one thread, with {FLAT_UP_TO} it keeps: {figures} (we call {FLAT:g} flat)."
    flat = [share >= FLAT for share in kept.values()]
    return Decision(Answer.CONFIRMED if all(flat) else Answer.DEPENDS if any(flat) else Answer.CONTRADICTED, because)


def _kept(times: Seconds) -> float:
    return times[1] / times[FLAT_UP_TO] / FLAT_UP_TO


def _flat(evidence: Evidence) -> Decision:
    if few := _needs(FLAT_UP_TO):
        return with_replay(
            few,
            evidence,
            REPLAY,
            lambda games: _flatness(
                {"master": _kept({threads: number(game["seconds"]) for threads, game in games.items()})}
            ),
        )
    return _flatness(
        {
            branch: _kept(_wall_times(evidence, section, part, (1, FLAT_UP_TO)))
            for branch, (section, part) in BRANCH_PARTS.items()
        }
    )


def _no_gain(section: str, part: str) -> Callable[[Evidence], Decision]:
    """Return the function of a claim that more than 8 threads take no less time."""

    def judge(times: Seconds) -> Decision:
        more = {threads: seconds for threads, seconds in times.items() if threads > FLAT_UP_TO}
        if not more:
            raise Missing
        best = min(more, key=lambda threads: more[threads])
        return _unless(
            more[best] > LESS * times[FLAT_UP_TO],
            f"{FLAT_UP_TO} threads take {times[FLAT_UP_TO]:.3g} s, and {best} take {more[best]:.3g} s (we call "
            f"{1 - LESS:.0%} less a gain)",
            f"the report seems to have had eight processors, since {OWN_NUMBERS}",
        )

    times = partial(_wall_times, section=section, part=part, thread_counts=(FLAT_UP_TO,))
    return lambda evidence: _on_cores(FLAT_UP_TO + 1, times, judge, evidence)


def _more_spawns(evidence: Evidence) -> Decision:
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


def _dev_is_worse(evidence: Evidence) -> Decision:
    master, dev = (_one_thread(evidence, branch)[1] for branch in ("master", "dev"))
    return _unless(
        dev >= WORSE * master,
        f"On one thread a game takes {dev:.3g} s of processor time by moves and {master:.3g} s by rows (we call "
        f"{WORSE - 1:.0%} more worse)",
        "by moves we spawn legal moves alone, where the report's loops spawn all 64 squares of every node",
    )


def _rows_suffice(evidence: Evidence) -> Decision:
    parallelism = evidence.value(PROFILE, DEPTH, "parallelism")
    return _unless(
        parallelism <= FLAT_UP_TO,
        f"A game at depth {DEPTH} has work for {parallelism:,.0f} threads (the report's table: "
        f"{PRINTED[DEPTH]['parallelism']:,.0f})",
        f"rows nest, and the limit seems to be eight processors, since {OWN_NUMBERS}",
    )


def _waiting(evidence: Evidence) -> Decision:
    burdened = evidence.value(PROFILE, DEPTH, "burdened_parallelism")
    return _unless(
        burdened <= FLAT_UP_TO,
        f"With every wait and the cost of sharing, the parallelism is {burdened:,.0f} at depth {DEPTH} (the report's "
        f"table: {PRINTED[DEPTH]['burdened_parallelism']:,.0f})",
        f"a waiting thread takes other work, and {OWN_NUMBERS}",
    )


def _sharing_does_not_pay(evidence: Evidence) -> Decision:
    """With the burden the parallelism is below 1 at depths 1 to 3, and above 1 at depth 4."""
    burdened = {depth: evidence.value(PROFILE, depth, "burdened_parallelism") for depth in (1, 2, 3, 4)}
    printed = ", ".join(str(PRINTED[depth]["burdened_parallelism"]) for depth in burdened)
    return by_case(
        {f"depth {depth}": (value < 1) == (depth < 4) for depth, value in burdened.items()},
        f"With the burden, parallelism at depths 1 to 4 is {', '.join(f'{value:.3g}' for value in burdened.values())} "
        f"(the report's table: {printed}).",
    )


ROWS: tuple[Row, ...] = (
    (
        "Minimax with Cilk",
        "A search goes on after a pass, and stops early only where neither player can move.",
        CONTRADICTED,
        _passes,
    ),
    (POLICY, "Several moves of a node often have the same best value.", CONFIRMED, _equal_moves),
    (POLICY, "If one of them is taken at random, each run may search other trees.", CONFIRMED, _tie_rules),
    (
        POLICY,
        "With a fixed rule for equal moves the trees are the same, serial or on any number of workers.",
        CONFIRMED,
        _same_trees,
    ),
    (POLICY, "Comparing rows, then columns, decides between any two different moves.", CONFIRMED, _ordered),
    (POLICY, "Equal moves and final boards show that the same trees were searched.", CONFIRMED, _moves_show_trees),
    (POLICY, "All four branches play the same game, serial or parallel.", CONFIRMED, _branches),
    (POLICY, "So the times of serial and parallel programs are those of the same work.", CONFIRMED, _same_work),
    ("Cilkscreen", "The program has no data races.", CONFIRMED, _races),
    (
        "Cilkview, table",
        f"The parallelism of a game grows from {PRINTED[1]['parallelism']} at depth 1 to "
        f"{PRINTED[DEPTH]['parallelism']:,} at depth {DEPTH}.",
        CONFIRMED,
        _close_column("parallelism"),
    ),
    (
        "Cilkview, table",
        f"With the cost of sharing it grows from {PRINTED[1]['burdened_parallelism']} to "
        f"{PRINTED[DEPTH]['burdened_parallelism']}.",
        CONFIRMED,
        _close_column("burdened_parallelism"),
    ),
    (
        "Cilkview, table",
        "Up to depth 3 it is below 1, so that sharing does not pay.",
        Answer.DEPENDS,
        _sharing_does_not_pay,
    ),
    ("HPCToolkit", "Most of the time is spent in the program's main function.", Answer.DEPENDS, _main_function),
    (
        "HPCToolkit",
        f"The scheduler takes little time, {fact('004', 'scheduler_share_percent')} %.",
        CONTRADICTED,
        _scheduler,
    ),
    ("HPCToolkit", "The two recursive search functions take the most time.", CONFIRMED, _recursion),
    (
        "Parallel Efficiency, table",
        f"On one thread the parallel program takes {ONE_THREAD_RATIO:.2f} times as long as the serial one.",
        CONTRADICTED,
        _spawning_cost,
    ),
    (
        "Parallel Efficiency, figure",
        f"{FLAT_UP_TO} threads are {SPEED_UP:.1f} times as fast as the serial program.",
        CONTRADICTED,
        _speed_up,
    ),
    (
        CURVES,
        f"Both branches scale well: their efficiency is almost the same from 1 to {FLAT_UP_TO} threads.",
        CONFIRMED,
        _flat,
    ),
    (CURVES, f"More than {FLAT_UP_TO} threads take no less time.", CONTRADICTED, _no_gain(TEXT, "scaling")),
    (CURVES, "The branch that spawns single moves has more spawns than the one by rows.", CONFIRMED, _more_spawns),
    (CURVES, "The branch that spawns single moves is nevertheless slower.", CONTRADICTED, _dev_is_worse),
    (
        CURVES,
        f"At depth 8, too, more than {FLAT_UP_TO} threads take no less time.",
        CONTRADICTED,
        _no_gain(TEXT, "scaling, depth 8"),
    ),
    (
        CURVES,
        f"{FLAT_UP_TO} threads are enough for a search, because the board has eight rows.",
        CONTRADICTED,
        _rows_suffice,
    ),
    (CURVES, "More threads are of no use because a node waits for all that it spawned.", CONTRADICTED, _waiting),
)

CLAIMS = claims_from("004", ROWS)
