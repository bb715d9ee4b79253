"""The report's program that plays Abalone: its search, its parallel scheme, and its habits."""

from outflank.games.defaults import ReportProgram

PROGRAM_003 = ReportProgram(
    # Moves by kind at every depth, every root move with a full window. The report says that it walks the
    # generated list backwards; its node counts match this order.
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
