"""Conclusions of the published report 002, fork-join minimax with a granularity, in the order of its text."""

from outflank.lab.claims import answers_002 as answers
from outflank.lab.claims import span_answers_002 as spans
from outflank.lab.claims import time_answers_002 as times
from outflank.lab.claims.ledger import CONFIRMED, CONTRADICTED, DEPENDS, NOT_TESTABLE, Row, claims_from
from outflank.lab.measuring.node_work import FLIPS, MOVES, VALUE

SOLUTION, SEARCH, GRAIN, SYNC = "My Solution", "Parallel Search", "Granularity", "Synchronization"
FURTHER, PROFILE, SPEEDUP = "Further Parallelism", "Parallelism Profile, Figure 1", "Speedup, Figure 3"
EFFICIENCY, RUNTIME, QUALITY = "Parallel Efficiency, Figure 4", "Parallel Efficiency, Figure 5", "Quality"

ROWS: tuple[Row, ...] = (
    (
        SOLUTION,
        "More discs indicate a better position, so that the best move is found by them.",
        DEPENDS,
        answers.discs,
    ),
    (
        SOLUTION,
        "Negamax spares a program one of the two functions of minimax.",
        NOT_TESTABLE,
        "It is about how a program reads; our minimax, too, is one function for both sides.",
    ),
    (SEARCH, "Splitting by moves keeps all available cores in use.", CONFIRMED, times.uses_all_cores),
    (SEARCH, "Moves of a node can be searched independently of each other.", CONFIRMED, answers.same_search),
    (SEARCH, "Large parts of the search can be done at the same time.", CONFIRMED, spans.mostly_parallel),
    (SEARCH, "Searching moves in parallel takes less time.", CONFIRMED, times.saves_time),
    (GRAIN, "Near the leaves a task costs more to spawn than parallel work gains.", CONFIRMED, answers.finer_is_slower),
    (GRAIN, "A granularity of 3 has the best results in cilkview.", DEPENDS, answers.best_granularity),
    (
        GRAIN,
        "Parallel at the first plies and sequential below, a search is faster than either way alone.",
        CONFIRMED,
        answers.faster_than_either,
    ),
    (GRAIN, "With the granularity the search is efficient at every depth.", DEPENDS, spans.efficient_at_all_depths),
    (SYNC, "A reducer finds the right maximum without locks.", CONFIRMED, answers.right_maximum),
    (
        SYNC,
        "A reducer is simpler than manual synchronization, and faster because it has little overhead.",
        NOT_TESTABLE,
        "The report compares Cilk's reducer with locks that it has not written; our runtime has neither, but an "
        "atomic maximum.",
    ),
    (
        SYNC,
        "A maximum is associative, so that the order in which workers finish does not matter.",
        CONFIRMED,
        answers.same_search,
    ),
    (
        FURTHER,
        "Whether a square is a legal move does not depend on other squares.",
        CONFIRMED,
        answers.independent_squares,
    ),
    (FURTHER, "Parallel move generation could take less time.", DEPENDS, answers.pays_inside_a_node(MOVES)),
    (FURTHER, "Disks could be flipped in all directions in parallel.", DEPENDS, answers.pays_inside_a_node(FLIPS)),
    (FURTHER, "The evaluation of a board could be divided too.", DEPENDS, answers.pays_inside_a_node(VALUE)),
    (
        FURTHER,
        "On bitboards a parallel evaluation may cost more than it gains.",
        CONFIRMED,
        answers.evaluation_is_too_short,
    ),
    ("Data Races", "The program has no data races.", CONFIRMED, answers.no_races),
    (PROFILE, "Work is multiplied by every ply of depth.", CONFIRMED, spans.work_multiplies),
    (PROFILE, "On a logarithmic scale the growth by depth is a straight line.", CONTRADICTED, spans.straight_line),
    (PROFILE, "Overheads make the critical path longer.", CONFIRMED, spans.burden_lengthens),
    (
        PROFILE,
        "Parallelism, with and without the burden, grows exponentially by depth.",
        CONFIRMED,
        spans.parallelism_multiplies,
    ),
    (PROFILE, "At depth 7 parallelism grows most, and many processors could be used.", CONFIRMED, spans.leap_at_seven),
    (SPEEDUP, "The estimates are lower bounds of the speed-up.", DEPENDS, times.estimates_are_lower_bounds),
    (SPEEDUP, "From some number of processors on, more of them gain much less.", DEPENDS, spans.diminishing_returns),
    (SPEEDUP, "The limits are overheads and the sequential part of the search.", CONFIRMED, spans.overhead_and_path),
    (EFFICIENCY, "The efficiency falls as threads are added.", CONFIRMED, times.efficiency_falls),
    (EFFICIENCY, "That agrees with Amdahl's law: the sequential part is the limit.", CONTRADICTED, spans.amdahl),
    (EFFICIENCY, "With 1 to 5 threads the efficiency is well above 80 %.", CONFIRMED, times.efficient_on_few),
    (RUNTIME, "The time falls from over 100 s to about 20 s with 5 threads.", CONFIRMED, times.five_times_as_fast),
    (EFFICIENCY, "Between 5 and 15 threads the efficiency is about the same.", CONFIRMED, times.stable_in_the_middle),
    (EFFICIENCY, "There, work and overhead may be in balance.", CONFIRMED, times.balance_in_the_middle),
    (EFFICIENCY, "Beyond 15 threads the efficiency falls.", CONFIRMED, times.falls_beyond),
    (EFFICIENCY, "Beyond 15 threads managing them costs more than they gain.", CONTRADICTED, times.overhead_outweighs),
    (
        RUNTIME,
        "Beyond 15 threads doubling the workers saves only 2.5 s, which is little.",
        CONTRADICTED,
        times.doubling_saves_little,
    ),
    (EFFICIENCY, "The reason may be that 15 searches on average run at a time.", CONTRADICTED, spans.fifteen_searches),
    (QUALITY, "Threads gain most while there are few of them.", CONFIRMED, times.best_on_few),
    (QUALITY, "The program could be optimised to be efficient with more threads.", CONFIRMED, spans.room_for_more),
    (QUALITY, "Another granularity could be an improvement.", CONFIRMED, answers.coarser_is_faster),
    (
        QUALITY,
        "Parallel move generation or flipping could be an improvement.",
        CONTRADICTED,
        answers.workers_inside_a_node,
    ),
)

CLAIMS = claims_from("002", ROWS)
