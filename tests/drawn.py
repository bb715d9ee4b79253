"""Tests that draw their examples, with more of them: `python -m tests.drawn 10` draws ten times as many."""

import os
import subprocess
import sys

USAGE = "usage: python -m tests.drawn TIMES"


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not arguments[0].isdecimal() or not int(arguments[0]):
        print(USAGE, file=sys.stderr)
        return 2
    # Hypothesis marks every test that draws examples.
    command = [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "worksteal", "-m", "hypothesis"]
    return subprocess.run(command, env=os.environ | {"OUTFLANK_EXAMPLES": arguments[0]}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
