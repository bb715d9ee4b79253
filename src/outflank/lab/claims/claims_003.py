"""Conclusions of the published report 003."""

from outflank.lab.claims import answers_003 as answers
from outflank.lab.claims import match_answers_003 as matches
from outflank.lab.claims import scaling_answers_003 as scaling
from outflank.lab.claims import search_answers_003 as search
from outflank.lab.claims.deciding import on_cores
from outflank.lab.claims.ledger import CONFIRMED, CONTRADICTED, DEPENDS, NOT_TESTABLE, Row, claims_from, rows_at

STRATEGY, SEARCH, MONTE_CARLO = "Parallelization Strategy and Scheme", "Alpha-Beta Pruning", "Monte-Carlo Search"
ORDERING, ADAPTIVE, CACHING = "Move Ordering", "Adaptive Depth", "Board Caching"
EVALUATION, OPENING, SETUP = "Evaluation Function", "Heuristic Opening", "Final Setup"
PRUNING, SCALING = "Pruning Effects", "Scaling Runs"

EFFORT = "How much work a program is to write is no measurement."
WHY = "A match tells who wins, not why."
OTHER_COMPILERS = "Our kernels are compiled by LLVM alone, and the report's program is not public."

ROWS: tuple[Row, ...] = (
    # --- 2.1 ---
    *rows_at(
        STRATEGY,
        ("Several threads on one node are faster than one.", CONFIRMED, on_cores(2, scaling.threads_help)),
        (
            "On one node MPI is not notably faster than OpenMP, and its messages may even cost time.",
            CONFIRMED,
            on_cores(2, scaling.processes_no_better),
        ),
        (
            "Fork and join suit a search tree, and spare the rebuilding and partitioning that MPI asks for.",
            NOT_TESTABLE,
            EFFORT,
        ),
        (
            "As many threads as cores avoid what hyper-threading might cost.",
            NOT_TESTABLE,
            "It names a possible loss, and neither a program nor a number to measure it by.",
        ),
        (
            "Because of pruning, root moves are unequal amounts of work, which nobody knows in advance.",
            CONFIRMED,
            scaling.work_differs,
        ),
        (
            "Root moves should be handed out dynamically, since static shares wait for each other.",
            DEPENDS,
            scaling.dynamic_beats_static,
        ),
        ("There are about 60 possible moves in a turn.", CONFIRMED, answers.printed("moves_per_turn", 1.25)),
        (
            "For 48 threads a chunk of one root move is almost the only choice: with more, threads stay idle.",
            CONFIRMED,
            scaling.chunk_of_one,
        ),
        (
            "A board of its own for each thread, and locked updates, keep threads from racing.",
            CONFIRMED,
            scaling.no_races,
        ),
        (
            "A split at the root evaluates branches that a common alpha would have pruned.",
            CONFIRMED,
            search.windows_cost,
        ),
    ),
    *rows_at(
        "Figure 2.2",
        (
            "A master that searches the first branch before the others prunes more.",
            CONFIRMED,
            scaling.master_prunes_more,
        ),
        (
            "The master and its slaves are not notably faster than the split at the root.",
            CONTRADICTED,
            scaling.master_is_no_faster,
        ),
        (
            "That it is no faster may be due to its more complex implementation.",
            NOT_TESTABLE,
            "The report's implementation is not public, and it gives no times of it.",
        ),
    ),
    # --- 2.2 ---
    *rows_at(
        SEARCH,
        ("Abalone is too complex for a whole game tree.", CONFIRMED, search.too_large),
        ("An average game has about 80 turns.", CONFIRMED, answers.printed("turns_per_game", 2.0)),
        ("A turn allows trees of a depth of about 5.", CONFIRMED, search.depth_five_fits),
        ("Minimax, split at the root, keeps threads evenly busy.", CONFIRMED, scaling.minimax_is_balanced),
        (
            "Minimax evaluates much more than it needs to, which takes much time, above all in large trees.",
            CONFIRMED,
            search.minimax_costs_more,
        ),
        ("Alpha-beta is as accurate as minimax.", CONFIRMED, search.same_values),
        (
            "If time is no matter, alpha-beta is nearly optimal and at least never loses.",
            CONTRADICTED,
            matches.never_loses,
        ),
        ("Only a deeper search in less time can win more games against the clock.", CONTRADICTED, matches.depth_is_all),
    ),
    *rows_at(
        MONTE_CARLO,
        (
            "Monte-Carlo search is very unlikely to do better than alpha-beta here.",
            CONFIRMED,
            matches.beats_monte_carlo,
        ),
        ("One reason is that playouts are random and cut nothing off.", NOT_TESTABLE, WHY),
        (
            "Alpha-beta saves time because heuristics tell it which branches to search first.",
            CONFIRMED,
            search.kinds_prune_more,
        ),
        ("Without such heuristics, Monte-Carlo search simulates many needless moves.", NOT_TESTABLE, WHY),
        (
            "Alpha-beta finds the exact decision of minimax, Monte-Carlo search only approximates it.",
            CONFIRMED,
            matches.monte_carlo_is_inexact,
        ),
    ),
    # --- 2.3.1 ---
    (ORDERING, "The order of moves is crucial for alpha-beta.", CONFIRMED, search.order_matters),
    *rows_at(
        "Figure 2.4",
        (
            "If the best moves come last, alpha-beta prunes nothing and searches minimax's tree.",
            CONFIRMED,
            search.worst_order_prunes_nothing,
        ),
        ("It may then even be slower than minimax, since the bounds cost time.", CONFIRMED, search.bounds_cost_time),
        (
            "If good moves come first, many leaves are pruned, and nothing is lost in accuracy.",
            CONFIRMED,
            search.ideal_order_prunes,
        ),
    ),
    *rows_at(
        ORDERING,
        (
            "Pushes are the best moves, then moves in line, then side steps, then single marbles.",
            DEPENDS,
            search.ranking_holds,
        ),
        ("Moves of more marbles make better use of a turn.", CONTRADICTED, search.more_marbles_help),
        ("Moves in line gain more than side steps, which mostly serve defence.", CONFIRMED, search.inline_beats_side),
        (
            "The order in which moves are generated is nearly the opposite of a good one, and prunes less.",
            CONFIRMED,
            search.kinds_prune_more,
        ),
        (
            "The generated order makes a tree like the one in which nothing is pruned.",
            CONTRADICTED,
            search.generated_prunes_little,
        ),
        ("Sorting all moves by the ranking would take a rewrite of the generation.", NOT_TESTABLE, EFFORT),
    ),
    (
        "Figure 2.4",
        "Walking the generated list backwards prunes more, a fair gain for little work.",
        DEPENDS,
        search.backwards_helps,
    ),
    # --- 2.3.2 ---
    *rows_at(
        ADAPTIVE,
        (
            "What a deeper search adds to the winning rate is hard to quantify.",
            NOT_TESTABLE,
            "What is hard is an opinion; the report tried no match between depths.",
        ),
        ("Searches of different depths take very different times.", CONFIRMED, search.depths_differ),
        (
            "A timed game is won within the minute, or by running out of time later than the opponent.",
            NOT_TESTABLE,
            "It is a rule of the competition.",
        ),
        (
            "Adjusting the depth during a game is crucial, and wins more games.",
            CONTRADICTED,
            matches.stronger("Adaptive Depth", "adaptive depth", "always depth 5", f": {matches.CUT_SHORT}"),
        ),
        (
            "Depth 5, 6 when behind, and 3 or 4 when time runs out are the best rule that experiments found.",
            NOT_TESTABLE,
            "The experiments are not published; the rule as a whole plays the matches of adaptive depth.",
        ),
        (
            "Searching as deep as possible pays early in a game.",
            CONFIRMED,
            matches.deeper_opening_wins,
        ),
        ("Late in a game the board is simple.", DEPENDS, search.end_is_simple),
        (
            "With little time left, a shallow search is enough.",
            CONFIRMED,
            matches.as_strong("Adaptive Depth", "adaptive depth", "always depth 5"),
        ),
        (
            "Frequent moves late in the game break a stalemate and let the opponent run out of time first.",
            CONTRADICTED,
            matches.deep_searches_lose_on_time,
        ),
        (
            "A deep search when time runs out is likely to lose the game on time.",
            CONTRADICTED,
            matches.deep_searches_lose_on_time,
        ),
        ("Iterative deepening makes better use of the order of moves.", CONFIRMED, search.deepening_orders),
        ("It needs timers, checks and well-chosen time limits for each move.", NOT_TESTABLE, EFFORT),
        ("Its repeated searches take much time, above all at greater depths.", CONTRADICTED, search.repetition_costs),
        (
            "Adaptive depth is therefore the better choice.",
            CONTRADICTED,
            matches.stronger(
                "Adaptive Depth", "adaptive depth", "iterative deepening", ": deepening uses all the time of a move"
            ),
        ),
    ),
    # --- 2.3.3 to 2.3.5 ---
    *rows_at(
        CACHING,
        (
            "The same board is very likely to come again within two turns, above all late in a game.",
            CONTRADICTED,
            matches.boards_recur,
        ),
        ("The stored move is the one that a new search would find.", DEPENDS, matches.cached_move_is_right),
        (
            "Storing two boards saves the time of repeated searches.",
            CONFIRMED,
            matches.known_moves_save("Board Caching", "two boards kept"),
        ),
    ),
    *rows_at(
        EVALUATION,
        ("An evaluation is crucial for any board game.", CONFIRMED, matches.evaluation_counts),
        ("A small change of the evaluation can change a game much.", CONFIRMED, matches.small_changes_matter),
        (
            "Greater weights of the inner rings made the program give up a win at the edge for the centre.",
            CONTRADICTED,
            matches.centre_misses_wins,
        ),
        (
            "The cause is the weight of 0 for the edge, and a weight of 1 corrects it.",
            CONTRADICTED,
            matches.edge_is_the_cause,
        ),
        ("The new weights always beat the old ones, with either colour.", CONTRADICTED, matches.new_rings_win),
    ),
    *rows_at(
        OPENING,
        (
            "Deeper searches in the opening win notably more games.",
            CONFIRMED,
            matches.deeper_opening_wins,
        ),
        (
            "At the start many marbles allow many moves, so that searches take long.",
            CONTRADICTED,
            search.start_is_large,
        ),
        (
            "Early on the players hardly meet, so that moves can be fixed whatever the opponent does.",
            CONFIRMED,
            matches.opening_is_free,
        ),
        (
            "A search of depth 6 takes about 3 s at the start, so two fixed moves save a tenth of the clock.",
            NOT_TESTABLE,
            "The seconds are those of its program on its 48 cores; ours stand beside them in the text's table.",
        ),
        (
            "Two fixed moves are a satisfactory opening.",
            CONFIRMED,
            matches.as_strong("Heuristic Opening", "fixed opening", "searched"),
        ),
        (
            "The time that they save allows deeper searches later, and so wins more games.",
            CONFIRMED,
            matches.saved_time_wins,
        ),
        (
            "Mirroring the opponent's first moves is almost as good as searching.",
            CONFIRMED,
            matches.as_strong("Heuristic Opening", "mirror", "searched"),
        ),
        ("Mirrored moves take much less time.", CONFIRMED, matches.known_moves_save("Heuristic Opening", "mirror")),
    ),
    # --- 2.4 ---
    *rows_at(
        SETUP,
        (
            "The split at the root with all these optimisations is the best setup.",
            NOT_TESTABLE,
            "It is the sum of choices that have rows of their own; the report tried no other sum.",
        ),
        ("Intel's compiler makes better use of Intel's processors and of threads.", NOT_TESTABLE, OTHER_COMPILERS),
        ("Programs of Intel's compiler and of GCC are almost equally fast.", NOT_TESTABLE, OTHER_COMPILERS),
        ("The highest level of optimisation is the natural choice.", CONFIRMED, search.highest_level_is_best),
        (
            "Optimisation across files (-ipo) adds neither speed nor wins.",
            CONTRADICTED,
            search.across_functions_is_no_gain,
        ),
        (
            "Optimisation across files (-ipo) often changes how the program plays.",
            CONTRADICTED,
            search.settings_change_play,
        ),
        (
            "Code for the very processor has little effect, since the program gains nothing from vectors.",
            CONTRADICTED,
            search.host_code_is_no_gain,
        ),
    ),
    # --- 2.5 ---
    (
        PRUNING,
        "Late in a game minimax at depth 5 takes too long to be measured.",
        CONTRADICTED,
        search.minimax_infeasible,
    ),
    (
        "Figure 2.5",
        "Alpha-beta prunes about 97 % of the leaves at depth 4, a very large effect.",
        CONFIRMED,
        answers.printed("pruning_depth_4_percent", 1.01),
    ),
    *rows_at(
        PRUNING,
        (
            "At depth 5 from the start, evaluations fall from 283,320,928 to 1,605,372.",
            CONFIRMED,
            search.counts_of_depth_five,
        ),
        ("That is a reduction of about 99.5 %.", CONFIRMED, answers.printed("pruning_depth_5_percent", 1.002)),
        (
            "Pruned leaves show the effect well enough, though pruned nodes would be a good measure too.",
            CONFIRMED,
            search.leaves_tell_enough,
        ),
    ),
    *rows_at(
        "Figure 2.6",
        ("In all positions the speed-up rises steadily up to 48 threads.", DEPENDS, scaling.speed_up_grows),
        ("In midgame2 48 threads are about 27 times as fast.", CONFIRMED, scaling.speed_up_of("midgame2")),
        ("In midgame1 48 threads are only about 12 times as fast.", CONFIRMED, scaling.speed_up_of("midgame1")),
        ("With many threads the positions differ much.", CONFIRMED, scaling.positions_differ),
    ),
    (
        SCALING,
        "The cause may be uneven work, which more threads make worse.",
        CONFIRMED,
        scaling.imbalance_is_the_cause,
    ),
    ("Figure 2.6", "With few threads the positions differ less.", CONFIRMED, scaling.few_threads_vary_less),
    (
        SCALING,
        "The cause may be that single moves are handed out dynamically, which evens out the work.",
        CONFIRMED,
        scaling.schedule_evens_few_threads,
    ),
    ("Figure 2.6", "Even 48 threads do not exhaust the speed-up.", DEPENDS, scaling.not_saturated),
    *rows_at(
        SCALING,
        ("Distributed memory and MPI could therefore make it faster still.", DEPENDS, scaling.not_saturated),
        ("With more processes the positions will differ even more.", CONFIRMED, scaling.more_processes_vary_more),
        ("An implementation with MPI is more complex.", NOT_TESTABLE, EFFORT),
    ),
)

CLAIMS = claims_from("003", ROWS)
