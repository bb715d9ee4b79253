"""Conclusions of the published report 001, in the order of its text."""

from outflank.lab.claims import answers_001 as answers
from outflank.lab.claims import evaluation_answers_001 as evaluation
from outflank.lab.claims.deciding import on_cores
from outflank.lab.claims.ledger import CONFIRMED, CONTRADICTED, DEPENDS, NOT_TESTABLE, Row, claims_from
from outflank.lab.reproduction.text_001 import RANDOM

ROWS: tuple[Row, ...] = (
    (
        "1 Introduction",
        "Game-tree search is serial by its nature.",
        CONTRADICTED,
        on_cores(2, answers.inherently_serial),
    ),
    ("1 Introduction", "It is hard to extend game-tree search to several workers.", CONFIRMED, answers.challenging),
    (
        "1 Introduction, 2 Othello",
        "An engine for Othello is much easier to write than one for chess.",
        NOT_TESTABLE,
        "No chess engine is written here, and no run measures the effort of writing one.",
    ),
    (
        "2 Othello",
        "Game-tree search plays Othello at least as effectively as chess.",
        NOT_TESTABLE,
        "There is no chess here, and no common scale for playing strength in two games.",
    ),
    (
        "3.1 Game-tree Search",
        "The whole space is too large to be searched, so that depth, nodes or time must be limited.",
        CONFIRMED,
        answers.intractable,
    ),
    ("3.2 Alpha-Beta Pruning", "Alpha-beta enters fewer nodes than minimax.", CONFIRMED, answers.alphabeta),
    (
        "3.3 Principal Variation Search",
        "The first child is likely to be the best choice.",
        CONFIRMED,
        answers.first_is_best,
    ),
    (
        "3.3 Principal Variation Search",
        "The narrow window of PVS prunes still more than alpha-beta.",
        DEPENDS,
        answers.scouts,
    ),
    (
        "3.4 Shared Hashtable",
        "Several agents that share a table of results give parallelism.",
        CONFIRMED,
        on_cores(2, answers.table_parallelism),
    ),
    (
        "3.4 Shared Hashtable",
        "A shared table needs no additional complexity in the program.",
        NOT_TESTABLE,
        "No run measures complexity; the report's table is read without protection and keeps bounds as values, which "
        "more code would have to prevent.",
    ),
    (
        "3.5 Jamboree",
        "Parallelism should wait until the first child is searched (young brothers wait).",
        CONFIRMED,
        answers.wait,
    ),
    (
        "3.5 Jamboree",
        "The search of the principal variation is serial by its nature.",
        CONTRADICTED,
        on_cores(2, answers.serial_variation),
    ),
    (
        "4 Implementation Details",
        "Dividing more than the first log(P) levels makes Jamboree much slower.",
        CONTRADICTED,
        on_cores(2, answers.more_levels),
    ),
    (
        "4 Implementation Details",
        "Spawns grow exponentially with the levels that are divided, as the tree does.",
        CONFIRMED,
        answers.spawn_growth,
    ),
    (
        "4 Implementation Details",
        "The evaluation of leaves matters far more to the speed than other parts of the program.",
        DEPENDS,
        evaluation.leaves,
    ),
    (
        "4 Implementation Details",
        "The difference in moves is a very effective evaluation for one so simple and untuned.",
        CONFIRMED,
        evaluation.match("mobility", "discs"),
    ),
    (
        "4 Implementation Details",
        "Who has many moves can usually take control of more of the board.",
        CONFIRMED,
        evaluation.control,
    ),
    (
        "4 Implementation Details",
        "Counting pieces, which serves in many games, is not effective in Othello.",
        CONFIRMED,
        evaluation.counting,
    ),
    (
        "4 Implementation Details",
        "The cause is that the number of pieces swings very much from turn to turn.",
        CONFIRMED,
        evaluation.swings,
    ),
    (
        "4 Implementation Details",
        "Evaluating mobility makes the search tree narrower.",
        DEPENDS,
        evaluation.narrower(0, "Moves per inner node"),
    ),
    (
        "4 Implementation Details",
        "So mobility allows for deeper searches.",
        DEPENDS,
        evaluation.narrower(1, "Nodes per turn"),
    ),
    (
        "4 Implementation Details",
        "The cause is that both sides take moves from each other, and so prefer lines with fewer moves.",
        DEPENDS,
        evaluation.narrow_lines,
    ),
    (
        "5 Evaluation",
        "Plain Cilk has no effective way to bind memory to NUMA nodes.",
        NOT_TESTABLE,
        "No Cilk runtime runs here; our own workers and tables are bound by the system (`--pin`, `--interleave`).",
    ),
    ("5 Evaluation", "Random moves are no good way to play.", CONFIRMED, evaluation.match("mobility", RANDOM)),
    (
        "5 Evaluation",
        "Games against the random player have a higher branching factor.",
        CONFIRMED,
        answers.random_is_wide,
    ),
    (
        "5 Evaluation",
        "Deviations are high because of the random player and because both colours are taken together.",
        DEPENDS,
        answers.deviations,
    ),
    ("5 Evaluation", "The trends can be seen in spite of these deviations.", CONFIRMED, answers.trends),
    (
        "5 Evaluation",
        "Counts against the player of first moves are more consistent than against the random one.",
        CONFIRMED,
        answers.consistent,
    ),
    (
        "Experimental Results",
        "At depth 11 SerialPVS searches 221,793 nodes a turn and ParallelPVS 2,081,209.",
        CONFIRMED,
        answers.equal_counts("SerialPVS", "ParallelPVS"),
    ),
    (
        "Experimental Results",
        "The cause is that parallel root moves know less, so that far less is cut off.",
        CONTRADICTED,
        answers.less_information,
    ),
    (
        "Experimental Results",
        "At depth 11 AlphaBeta searches 602,914 nodes a turn and ParallelAlphaBeta 5,743,813.",
        CONFIRMED,
        answers.equal_counts("AlphaBeta", "ParallelAlphaBeta"),
    ),
    (
        "Experimental Results",
        "The parallel programs search roughly 10 times the nodes of the serial ones.",
        CONFIRMED,
        answers.ten_times,
    ),
    ("Experimental Results", "These 10 times are the price of parallelism.", CONTRADICTED, answers.by_parallelizing),
    ("6 Future Work", "The shared table performs badly.", CONFIRMED, answers.table_is_slow),
    ("6 Future Work", "ABDADA can be built on a shared table that performs better.", CONFIRMED, answers.abdada),
    (
        "6 Future Work",
        "It is far harder than expected to fit the shared table to NUMA nodes.",
        NOT_TESTABLE,
        "It is what the authors expected of their own work; with us it is one option of the table (`--interleave`).",
    ),
    (
        "6 Future Work",
        "Even a runtime that knows of locality needs a heuristic for which boards collide in the table.",
        CONTRADICTED,
        answers.collisions,
    ),
    (
        "6 Future Work",
        "Further tuning would make the program faster.",
        NOT_TESTABLE,
        "It is about the report's own program in C++, which is not run here.",
    ),
    (
        "6 Future Work",
        "Evaluation functions can be compared by a test of their performance.",
        CONFIRMED,
        evaluation.match("mobility", "discs"),
    ),
)

CLAIMS = claims_from("001", ROWS)
