"""The files that a forge reads, against their schemas: `python -m tests.forge`. It needs check-jsonschema."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

SCHEMAS = {
    "vendor.github-workflows": (".github/workflows/*.yml",),
    "vendor.github-issue-forms": (".github/ISSUE_TEMPLATE/[!c]*.yml",),
    "vendor.github-issue-config": (".github/ISSUE_TEMPLATE/config.yml",),
    "vendor.readthedocs": (".readthedocs.yaml",),
}
"""Files by the name of their schema, of those that check-jsonschema brings."""


def complaints() -> str:
    """What is wrong with the files; empty if nothing is."""
    said = ""
    for schema, patterns in SCHEMAS.items():
        files = [str(path) for pattern in patterns for path in sorted(ROOT.glob(pattern))]
        command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *files]
        done = subprocess.run(command, capture_output=True, text=True)
        said += "" if done.returncode == 0 else f"{schema}: {done.stdout}{done.stderr}"
    return said


if __name__ == "__main__":
    sys.exit(complaints() or 0)
