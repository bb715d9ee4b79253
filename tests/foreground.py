"""Commands as in a foreground: tests that run in the background ignore interrupts, and so does what they start."""

HEEDING = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from outflank.ui.cli import main; main(sys.argv[1:])"
)
"""The program of `outflank`, for `python -c`."""
