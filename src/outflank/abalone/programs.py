"""The report's program that plays Abalone: how it searches, how its workers share that, and what it does besides."""

from outflank.games.programs import ReportProgram

PROGRAM_003 = ReportProgram(
    # Moves by kind at every depth, every root move with a full window. Its text walks the generated list backwards;
    # what it counts is this.
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
)

PROGRAMS = {"003": PROGRAM_003}
