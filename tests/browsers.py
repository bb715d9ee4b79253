"""An installed browser for the tests of the page, and a server to which it goes."""

import os
import re
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
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *chosen, "tests/ui/web/test_page.py"]
    listed = subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, text=True)
    count = sum("::" in line for line in listed.stdout.splitlines())
    return f"{count} tests of the page were skipped: {MISSING}"


class Server:
    """`outflank serve` in a process of its own."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.options, self.port = folder, options, 0
        self.start()

    def start(self) -> None:
        """Begin, at the port of before."""
        command = [sys.executable, "-m", "outflank", "serve", "--port", str(self.port), "--workers", "2"]
        self.process = subprocess.Popen(
            [*command, "--games", str(self.folder / "games.sqlite"), *self.options],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1", "COLUMNS": "200"},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line
        self.address, self.port = found[0], int(found[1])

    def kill(self) -> None:
        """End at once, without a farewell."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
