"""`python -m outflank`."""

from outflank.ui.cli import main

main()
