"""Parts of others' for the time of a test: distributions as pip would have installed them, and what is registered."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from outflank.plugins import Registry


def install(folder: Path, module: str, text: str, group: str, *entries: str, version: str = "1.2") -> None:
    """Write the distribution `fake-<module>` with a module of that text, and entry points like `mine = module:MINE`."""
    (folder / f"{module}.py").write_text(text)
    told = folder / f"fake_{module}-{version}.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: fake-{module}\nVersion: {version}\n")
    (told / "entry_points.txt").write_text("\n".join([f"[{group}]", *entries, ""]))


def register_for_now(monkeypatch: pytest.MonkeyPatch, registry: Registry[Any]) -> None:
    """What is registered or loaded from here on is forgotten when the test is over."""
    for kept in ("_registered", "_loaded"):
        monkeypatch.setattr(registry, kept, getattr(registry, kept).copy())


def forget_modules(folder: Path) -> None:
    """Let what was imported from a folder be imported anew. Others' modules stay: there would be two of each."""
    within = tuple(f"{place}{os.sep}" for place in {str(folder), str(folder.resolve())})
    for name, module in list(sys.modules.items()):  # thousands: a `Path` for each took a quarter of a second
        if (getattr(module, "__file__", None) or "").startswith(within):
            del sys.modules[name]
