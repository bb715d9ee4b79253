"""Parts of others' for the time of a test: distributions as pip would have installed them, and what is registered."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from outflank.games import description
from outflank.games.description import GAMES
from outflank.plugins import Registry

OWN_GAMES = {
    "noughts": "tests/noughts.py",
    "connect-four": "examples/connect-four/connect_four.py",
    "breakthrough": "examples/breakthrough/breakthrough.py",
}
"""Games that the package does not know, and the file that registers each."""


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


def register_game_for_now(monkeypatch: pytest.MonkeyPatch, name: str) -> ModuleType:
    """Register one of `OWN_GAMES` until the test is over, and return its module."""
    register_for_now(monkeypatch, GAMES)
    monkeypatch.setattr(description, "_by_rules", dict(description._by_rules))
    path = Path(__file__).parents[1] / OWN_GAMES[name]
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    return module


def forget_modules(folder: Path) -> None:
    """Let what was imported from a folder be imported anew. Others' modules stay: there would be two of each."""
    within = tuple(f"{place}{os.sep}" for place in {str(folder), str(folder.resolve())})
    for name, module in list(sys.modules.items()):  # thousands: a `Path` for each took a quarter of a second
        if (getattr(module, "__file__", None) or "").startswith(within):
            del sys.modules[name]
