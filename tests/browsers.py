"""An installed browser for the tests of the page."""

import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
HOW = "apt-get install chromium"
MISSING = f"no browser is installed; one is had by: {HOW}"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def installed() -> str | None:
    """Where a browser is; None: there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def left_out(*chosen: str) -> str:
    """What is said at the end of all tests where there is no browser; empty: there is one, and none was left out."""
    if installed() is not None:
        return ""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *chosen, "tests/test_page.py"]
    listed = subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, text=True)
    count = sum("::" in line for line in listed.stdout.splitlines())
    return f"{count} tests of the page were skipped: {MISSING}"
