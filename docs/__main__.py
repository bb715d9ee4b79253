"""The documentation as one site: `python -m docs [FOLDER]`."""

import sys
from pathlib import Path

from mkdocs.__main__ import cli

ROOT = Path(__file__).parent.parent


def build(configuration: Path, folder: Path) -> None:
    """Build a site. A warning is a failure: it is printed, and the process ends.

    mkdocs counts only what it prints, so that it must not be made quiet.
    """
    cli(["build", "--strict", "-f", str(configuration), "-d", str(folder.absolute())], standalone_mode=False)


def main() -> None:
    """Build ours into the folder that is given, or into `site`."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site"
    build(ROOT / "mkdocs.yml", folder)
    print(f"the site begins at {folder / 'index.html'}")


if __name__ == "__main__":
    main()
