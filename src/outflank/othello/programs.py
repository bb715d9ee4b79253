"""Settings of the published student reports' Othello programs: their searches, and how their workers share a search.

Players (`computer report=002`), `play --classic` and the laboratory all use these settings, so that each program is the
same everywhere: its searches visit the same nodes, and its games are the same move by move.
"""

from typing import Any

from outflank.games.defaults import ReportProgram
from outflank.games.sides import Side

SERIAL_PLY_002 = 2
"""Largest remaining depth that report 002's program searches serially. The smallest depth that it splits is 3."""

CLASSROOM: dict[str, Any] = {"algorithm": "minimax", "evaluation": "discs", "deepen": False}
"""Search options of the classroom program of the published reports 002 and 004."""

PROGRAMS: dict[str, ReportProgram] = {
    # MTD(f), deepened by two plies at a time; its program `seq` has one worker, `par` splits null-window searches.
    "000": ReportProgram(
        search={
            "algorithm": "mtdf",
            "evaluation": "four-part",
            "ordering": "stones+squares",
            "step": 2,
            "table_bits": 22,
        },
        shared={"parallel": "ybw"},
        plays={"table_depth": "equal"},
    ),
    # The child with the best static value comes first, the others in the order of squares; a pass costs a ply.
    "001": ReportProgram(
        search={
            "algorithm": "pvs",
            "evaluation": "mobility",
            "ordering": "mobility:sort=best,from_depth=1",
            "passes": "ply",
            "table_bits": None,
            "deepen": False,
        },
        shared={"parallel": "jamboree"},
        plays={"depth": 11},
    ),
    "002": ReportProgram(
        search={**CLASSROOM, "passes": "free"},
        ties=dict.fromkeys(Side, "lowest"),
        shared={"parallel": "fork-join", "threshold": SERIAL_PLY_002},
        plays={"scoring": "discs", "depth": 7},
    ),
    # The program's branch `master`: it spawns a task for each row of the board, at every node.
    "004": ReportProgram(
        search={**CLASSROOM, "passes": "evaluated"},
        ties={Side.BLACK: "highest", Side.WHITE: "lowest"},
        shared={"parallel": "fork-join", "threshold": 0, "schedule": "rows"},
        plays={"scoring": "discs", "depth": 7},
    ),
}
