"""Conclusions of report 000 on its sequential program: introduction, board, search, evaluation, ordering and table."""

from outflank.lab.claims import board_answers_000 as board
from outflank.lab.claims import evaluation_answers_000 as evaluation
from outflank.lab.claims import ordering_answers_000 as ordering
from outflank.lab.claims.evaluation_answers_000 import EARLY, LAST, LATE, MIDDLE
from outflank.lab.claims.ledger import CONFIRMED, CONTRADICTED, DEPENDS, NOT_TESTABLE, Row, rows_at

NO_AWARI = "It is a judgement of another program, which we do not have."
OPINION = "It is an opinion, and names nothing that could be measured."

ROWS: tuple[Row, ...] = (
    *rows_at(
        "Introduction",
        ("Othello has few rules, and is very hard to play well.", NOT_TESTABLE, OPINION),
        ("The board of 4×4 is solved in less than a second.", CONFIRMED, board.four),
        ("Solving 6×6 by brute force is not feasible on a personal computer.", DEPENDS, board.six),
        (
            "Solving 8×8 is out of the question.",
            NOT_TESTABLE,
            "No run of ours would end; others have proved a draw since (Takizawa 2023).",
        ),
        (
            "The next best thing is to evaluate boards, and to look further where they are good.",
            NOT_TESTABLE,
            "It is a plan, and no alternative is named.",
        ),
        (
            "The program is reasonably fast, and not too weak.",
            CONFIRMED,
            evaluation.stronger("four-part", "discs", "that is what we call not too weak"),
        ),
    ),
    *rows_at(
        "Board storage",
        ("How a board is stored is quite important.", CONFIRMED, board.storage_matters),
        ("There are 3^64 conceivable boards, about 10^30.", CONFIRMED, board.conceivable),
        ("A board with an empty square in the centre cannot occur.", CONFIRMED, board.centre),
        (
            "Rules for the other boards that cannot occur are hard, if not impossible, to find.",
            NOT_TESTABLE,
            "How hard a rule is to find cannot be measured.",
        ),
        (
            "Small boards are worth having, because they are sent over the network and stored in the table.",
            CONFIRMED,
            board.bits_small,
        ),
        ("The table of MTD(f)/Awari compares boards in a questionable way.", NOT_TESTABLE, NO_AWARI),
        ("A matrix of bytes is much slower than an array of bytes.", CONTRADICTED, board.matrix),
        ("An array of bytes is the fastest storage of a board.", DEPENDS, board.bytes_fast),
        ("Two bits per square are the smaller storage, and the one for the table.", CONFIRMED, board.bits_small),
        (
            "Boards on which black always moves need no field for the side to move, and simplify the rules.",
            NOT_TESTABLE,
            "Our boards are stored so too, and simplicity of code cannot be measured.",
        ),
    ),
    *rows_at(
        "Searching the game tree",
        ("MTD(f) is the most suitable algorithm for Othello.", DEPENDS, board.mtdf),
        ("Starting MTD(f) from 0 in each iteration does not suit the evaluation.", DEPENDS, board.zero_is_far),
        ("Starting it from the last iteration's value instead saves much time.", DEPENDS, board.pivot),
        ("A board has at most 31 moves.", CONTRADICTED, board.most_moves),
        ("An array of 32 children is safe.", DEPENDS, board.array),
    ),
    *rows_at(
        "The evaluation function",
        (
            "A good evaluation is what makes or breaks a program.",
            CONFIRMED,
            evaluation.stronger("four-part", "discs", "only the evaluations differ"),
        ),
        ("An evaluation of one's own takes experience that the author lacks.", NOT_TESTABLE, "It is about the author."),
        ("Marvin's evaluation is moderately strong, and yet simple.", CONFIRMED, evaluation.moderate),
        (
            "The stone score counts at the end of a game, but is no good measure in the middle.",
            DEPENDS,
            evaluation.foretells("stones", (LAST,), (EARLY, MIDDLE)),
        ),
        ("The number of stones changes more rapidly close to the end.", CONFIRMED, evaluation.flips),
        ("Corners are especially important.", CONFIRMED, evaluation.foretells("corners", (MIDDLE, LATE), ())),
        (
            "The square diagonally beside a corner is generally a bad one to occupy.",
            DEPENDS,
            evaluation.alone_or_fitted("beside an empty corner", 4, -1, "no more than chance"),
        ),
        (
            "The square score is good in the middle and at the end, and means little at the start.",
            CONFIRMED,
            evaluation.foretells("squares", (MIDDLE, LATE), (EARLY,)),
        ),
        ("Mobility is an advantage.", CONFIRMED, evaluation.foretells("mobility", (MIDDLE, LATE), ())),
        ("To have one move or none is generally bad.", CONFIRMED, evaluation.few_moves),
        (
            "Potential mobility is an advantage.",
            DEPENDS,
            evaluation.alone_or_fitted("potential", 1, 1, "since more stones expose more"),
        ),
        ("Huge precomputed tables would make the program complicated and unintelligible.", NOT_TESTABLE, OPINION),
        ("Looking up a score of the edges is cheap.", CONFIRMED, evaluation.edge_cost),
        ("A table of edges that improves the search is too difficult to make.", DEPENDS, evaluation.edges),
        (
            "Even skilled players are beaten by their own programs, so that improving them takes much expertise.",
            NOT_TESTABLE,
            "It is hearsay about other people.",
        ),
        (
            "The strength of an evaluation is hard to tell, but games against other programs measure it.",
            CONFIRMED,
            evaluation.stronger("phased", "four-part", "a match tells them apart"),
        ),
        (
            "Marvin's values are too fine for MTD(f), since they make the pivot change a lot.",
            CONFIRMED,
            evaluation.fine_moves_the_pivot,
        ),
        (
            "Dividing the evaluation by eight makes nearly every run at least 50 % faster.",
            CONTRADICTED,
            evaluation.coarse,
        ),
        ("Dividing it makes the search a little less accurate.", CONFIRMED, evaluation.less_accurate),
        (
            "Dividing the sum instead of its parts keeps the parts precise for move ordering.",
            NOT_TESTABLE,
            "It is so by construction.",
        ),
    ),
    *rows_at(
        "Move ordering",
        ("The order of moves is important for the efficiency of a search.", CONFIRMED, ordering.ordering_matters),
        ("A slow ordering can cost more time than its saved boards gain.", CONFIRMED, ordering.balance),
        ("The most obvious order is by parts of the evaluation of the children.", NOT_TESTABLE, OPINION),
        ("The stone and square scores are the two fastest of the four.", CONTRADICTED, ordering.cheapest),
        (
            "Potential mobility is the worst ordering at the start and the best in the mid-game.",
            CONTRADICTED,
            ordering.potential,
        ),
        (
            "Ordering by mobility saves time at the start, and takes more than none in the mid-game.",
            DEPENDS,
            ordering.slow_mobility,
        ),
        ("Stone and square score together are a good ordering on both boards.", DEPENDS, ordering.combined),
        ("A finer combination of scores may be better on boards of all kinds.", CONFIRMED, ordering.finer),
        (
            "Sorting all moves is more than twice as fast as putting only the best in front.",
            DEPENDS,
            ordering.full_sort,
        ),
        ("The library's sort is really slow.", CONFIRMED, ordering.library_sort),
        ("The sort matters, because equal moves come in another order.", DEPENDS, ordering.equals),
        (
            "Another sort can easily lead to other speed-ups of the parallel program.",
            CONTRADICTED,
            ordering.sorts_and_speed_ups,
        ),
        ("This effect is large in single cases and fades over many boards.", CONFIRMED, ordering.averages),
    ),
    *rows_at(
        "Transposition table",
        ("Eight boards are the same up to symmetry.", CONFIRMED, board.images),
        ("Black's first move is forced, because all four are symmetric.", CONFIRMED, board.first_move),
        ("White wins 6×6 with perfect play.", CONFIRMED, board.six_white),
        (
            "The result of perfect play on 8×8 is unknown.",
            NOT_TESTABLE,
            "It was true then; others have proved a draw since (Takizawa 2023), which we cannot repeat.",
        ),
        ("Symmetry could in theory make the table eight times as large.", CONFIRMED, board.eightfold),
        ("Symmetric boards are seldom met within one search.", DEPENDS, board.rare_images),
        (
            "The sorted four integers are the same for symmetric boards and unique otherwise.",
            CONTRADICTED,
            board.unique,
        ),
        ("Recognizing symmetric boards is enormously slow.", CONTRADICTED, board.image_cost),
        ("Symmetry is not worth exploiting in the table.", DEPENDS, board.not_worth),
        ("One entry can save many boards, so that a hash has to use the table well.", CONFIRMED, board.entries_save),
        (
            "The best of a dozen hash functions finds a free slot for only half of the boards.",
            CONTRADICTED,
            board.half_free,
        ),
        ("Comparing hash functions reliably takes a huge number of boards.", CONTRADICTED, board.many_boards),
        ("A good hash of similar boards to 20 bits is not easy to find.", CONTRADICTED, board.hard_hash),
        (
            "A table of flat arrays is much faster than one of entry objects.",
            NOT_TESTABLE,
            "It is a property of Java's objects; our tables are flat memory throughout.",
        ),
        ("Boards of four integers make the table half as large as Awari's.", NOT_TESTABLE, NO_AWARI),
        ("Othello has about 10 moves a board, more than Awari's 3.5.", CONFIRMED, board.branching),
    ),
)
