"""Conclusions of the published report 004, in the order of its text."""

from outflank.lab.claims import answers_004 as answers
from outflank.lab.claims import time_answers_004 as times
from outflank.lab.claims.ledger import CONFIRMED, CONTRADICTED, DEPENDS, Row, claims_from
from outflank.lab.claims.measures_004 import CURVES, ONE_THREAD_RATIO, POLICY, PRINTED, SPEED_UP, TEXT
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.reproduction.timed_games import DEPTH, FLAT_UP_TO

ROWS: tuple[Row, ...] = (
    (
        "Minimax with Cilk",
        "A search goes on after a pass, and stops early only where neither player can move.",
        CONTRADICTED,
        answers.passes,
    ),
    (POLICY, "Several moves of a node often have the same best value.", CONFIRMED, answers.equal_moves),
    (POLICY, "If one of them is taken at random, each run may search other trees.", CONFIRMED, answers.tie_rules),
    (
        POLICY,
        "With a fixed rule for equal moves the trees are the same, serial or on any number of workers.",
        CONFIRMED,
        answers.same_trees,
    ),
    (POLICY, "Comparing rows, then columns, decides between any two different moves.", CONFIRMED, answers.ordered),
    (
        POLICY,
        "Equal moves and final boards show that the same trees were searched.",
        CONFIRMED,
        answers.moves_show_trees,
    ),
    (POLICY, "All four branches play the same game, serial or parallel.", CONFIRMED, answers.branches),
    (POLICY, "So the times of serial and parallel programs are those of the same work.", CONFIRMED, answers.same_work),
    ("Cilkscreen", "The program has no data races.", CONFIRMED, answers.races),
    (
        "Cilkview, table",
        f"The parallelism of a game grows from {PRINTED[1]['parallelism']} at depth 1 to "
        f"{PRINTED[DEPTH]['parallelism']:,} at depth {DEPTH}.",
        CONFIRMED,
        answers.close_column("parallelism"),
    ),
    (
        "Cilkview, table",
        f"With the cost of sharing it grows from {PRINTED[1]['burdened_parallelism']} to "
        f"{PRINTED[DEPTH]['burdened_parallelism']}.",
        CONFIRMED,
        answers.close_column("burdened_parallelism"),
    ),
    (
        "Cilkview, table",
        "Up to depth 3 it is below 1, so that sharing does not pay.",
        DEPENDS,
        answers.sharing_does_not_pay,
    ),
    ("HPCToolkit", "Most of the time is spent in the program's main function.", DEPENDS, times.main_function),
    (
        "HPCToolkit",
        f"The scheduler takes little time, {fact('004', 'scheduler_share_percent')} %.",
        CONTRADICTED,
        times.scheduler,
    ),
    ("HPCToolkit", "The two recursive search functions take the most time.", CONFIRMED, times.recursion),
    (
        "Parallel Efficiency, table",
        f"On one thread the parallel program takes {ONE_THREAD_RATIO:.2f} times as long as the serial one.",
        CONTRADICTED,
        times.spawning_cost,
    ),
    (
        "Parallel Efficiency, figure",
        f"{FLAT_UP_TO} threads are {SPEED_UP:.1f} times as fast as the serial program.",
        CONTRADICTED,
        times.speed_up,
    ),
    (
        CURVES,
        f"Both branches scale well: their efficiency is almost the same from 1 to {FLAT_UP_TO} threads.",
        CONFIRMED,
        times.flat,
    ),
    (CURVES, f"More than {FLAT_UP_TO} threads take no less time.", CONTRADICTED, times.no_gain(TEXT, "scaling")),
    (
        CURVES,
        "The branch that spawns single moves has more spawns than the one by rows.",
        CONFIRMED,
        answers.more_spawns,
    ),
    (CURVES, "The branch that spawns single moves is nevertheless slower.", CONTRADICTED, times.dev_is_worse),
    (
        CURVES,
        f"At depth 8, too, more than {FLAT_UP_TO} threads take no less time.",
        CONTRADICTED,
        times.no_gain(TEXT, "scaling, depth 8"),
    ),
    (
        CURVES,
        f"{FLAT_UP_TO} threads are enough for a search, because the board has eight rows.",
        CONTRADICTED,
        answers.rows_suffice,
    ),
    (CURVES, "More threads are of no use because a node waits for all that it spawned.", CONTRADICTED, answers.waiting),
)

CLAIMS = claims_from("004", ROWS)
