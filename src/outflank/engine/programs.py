"""The reports' programs, each in one place: how it searches, how its workers share that, and what it does besides.

Players (`computer report=002`), `play --classic` and the laboratory all take them from here, so that they are the same
program: searches visit the same nodes, and games are the same move by move.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from outflank.abalone.rules import Abalone
from outflank.errors import OutflankError, UnknownName
from outflank.games.sides import Side
from outflank.othello.rules import Othello

UNDIVIDED_002 = 2
"""Plies left with which report 002 goes on alone: its granularity of 3 is the least depth that it still divides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportProgram:
    """What a report's program does, in our words."""

    game: type
    search: Mapping[str, Any]
    """Options of its searches."""
    ties: Mapping[Side, str] = field(default_factory=lambda: dict.fromkeys(Side, "first"))
    """Which of equal moves each colour takes."""
    shared: Mapping[str, Any]
    """Options by which workers share them."""
    plays: Mapping[str, Any]
    """Settings of a player: how deep, and what it does instead of searching."""

    def searching(self, side: Side) -> dict[str, Any]:
        """Options of a search for `side` by one worker, or by more that share it in whatever way."""
        return {**self.search, "ties": self.ties[side]}

    def settings(self) -> dict[str, Any]:
        """What makes a `Computer` play as it did."""
        ties = (self.ties[Side.BLACK], self.ties[Side.WHITE])
        # None of them plays endings out, and none draws lots.
        return {"exact": 0, "variety": None, **self.search, **self.shared, **self.plays, "ties": ties}


CLASSROOM: dict[str, Any] = {"algorithm": "minimax", "evaluation": "discs", "deepen": False}
"""What the classroom program behind reports 002 and 004 searches."""

PROGRAMS: dict[str, ReportProgram] = {
    # MTD(f) in steps of two plies; `seq` has one worker, `par` divides null windows.
    "000": ReportProgram(
        game=Othello,
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
    # The child with the best static value first, then square order; a pass costs a ply.
    "001": ReportProgram(
        game=Othello,
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
        game=Othello,
        search={**CLASSROOM, "passes": "free"},
        ties=dict.fromkeys(Side, "lowest"),
        shared={"parallel": "fork-join", "threshold": UNDIVIDED_002},
        plays={"scoring": "discs", "depth": 7},
    ),
    # Moves by kind at every depth, every root move with a full window. Its text walks the generated list backwards;
    # what it counts is this.
    "003": ReportProgram(
        game=Abalone,
        search={
            "algorithm": "alphabeta",
            "evaluation": "rings",
            "ordering": "kinds:from_depth=1",
            "table_bits": None,
            "deepen": False,
            "share_alpha": False,
        },
        shared={"parallel": "root-split", "schedule": "one"},
        plays={"policy": "adaptive-003", "habits": ("cache", "fixed-opening")},
    ),
    # Its branch `master`: a spawn for each row of the board, at every node.
    "004": ReportProgram(
        game=Othello,
        search={**CLASSROOM, "passes": "evaluated"},
        ties={Side.BLACK: "highest", Side.WHITE: "lowest"},
        shared={"parallel": "fork-join", "threshold": 0, "schedule": "rows"},
        plays={"scoring": "discs", "depth": 7},
    ),
}


def program_named(report: str, game: Any) -> ReportProgram:
    """The program of a report, which must be one for this game."""
    if report not in PROGRAMS:
        raise UnknownName.among("report", report, PROGRAMS)
    program = PROGRAMS[report]
    if not isinstance(game, program.game):
        raise OutflankError(f"report {report} plays {program.game.__name__}")
    return program
