"""Players in words: `random`, `computer depth=7 workers=2`, `gtp: some engine --its-options`."""

import shlex
from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from typing import Any

from outflank.engine.computer import Computer
from outflank.engine.player import Player, PlayerFailed
from outflank.engine.simple import First, Random
from outflank.errors import OutflankError, UnknownName
from outflank.games.abalone.kernels import Abalone
from outflank.search.contract import Options

EXTERNAL = {"gtp": "outflank.protocols.gtp_client", "nboard": "outflank.protocols.nboard_client"}
"""Kinds that are programs, and the module that drives them: its `player(command, game)` makes one."""

KINDS = ("computer", "random", "first", "human", *EXTERNAL)

REPORTS: dict[str, dict[str, Any]] = {
    "000": {"algorithm": "mtdf", "evaluation": "four-part", "ordering": "stones+squares", "step": 2},
    "001": {"algorithm": "pvs", "evaluation": "mobility", "parallel": "jamboree", "table_bits": None},
    "002": {"algorithm": "minimax", "evaluation": "discs", "parallel": "fork-join", "threshold": 3},
    "003": {
        "algorithm": "alphabeta",
        "evaluation": "rings",
        "ordering": "reversed",
        "parallel": "root-split",
        "share_alpha": False,
        "table_bits": None,
        "deepen": False,
        "policy": "adaptive-003",
        "habits": ("cache", "fixed-opening"),
    },
    "004": {"algorithm": "minimax", "evaluation": "discs", "parallel": "fork-join", "passes": "evaluated"},
}
"""What the reports' programs do, as `computer report=003`; whatever else is said goes before it."""

_ALIASES = {"time": "seconds", "scheme": "parallel", "habit": "habits"}
_OWN = {
    "level": int,
    "depth": int,
    "seconds": float,
    "nodes": int,
    "exact": int,
    "policy": str,
    "habits": tuple,
    "book": str,
}
_OPTIONS = {each.name: each.type for each in fields(Options) if each.name not in ("moves", "exact")}


def player(text: str, game: Any) -> Player:
    """The player that the words name."""
    kind, _, rest = text.strip().partition(" ")
    if kind.endswith(":") or kind in EXTERNAL:
        kind = kind.rstrip(":")
        if kind not in EXTERNAL:
            raise UnknownName.among("player", kind, KINDS)
        if not rest.strip():
            raise OutflankError(f"{kind}: the command of the engine is missing")
        module = import_module(EXTERNAL[kind])
        try:
            made: Player = module.player(shlex.split(rest), game)
        except PlayerFailed as failure:
            raise OutflankError(f"{kind}: {rest.strip()}: {failure}") from None
        except ValueError as error:
            raise OutflankError(f"{kind}: {rest.strip()}: {error}") from None
        return made
    if kind not in KINDS:
        raise UnknownName.among("player", kind, KINDS)
    words = _settings(rest)
    if kind == "human":
        raise OutflankError("a human can sit down at `outflank play` alone")
    if kind in ("random", "first"):
        extra = set(words) - ({"seed"} if kind == "random" else set())
        if extra:
            raise OutflankError(f"{kind} has no {', '.join(sorted(extra))}")
        return Random(seed=_number(words.get("seed", "1"), int, "seed")) if kind == "random" else First()
    return _computer(text.strip(), words, game)


def _settings(text: str) -> dict[str, str]:
    found = {}
    for word in shlex.split(text):
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise OutflankError(f"{word!r}: a setting is name=value, like depth=7")
        found[_ALIASES.get(name, name).replace("-", "_")] = value
    return found


def _computer(text: str, words: dict[str, str], game: Any) -> Computer:
    settings: dict[str, Any] = {}
    report = words.pop("report", None)
    if report is not None:
        if report not in REPORTS:
            raise UnknownName.among("report", report, REPORTS)
        if (report == "003") is not isinstance(game, Abalone):
            raise OutflankError(f"report {report} plays {'Abalone' if report == '003' else 'Othello'}")
        settings = dict(REPORTS[report])
    for name, value in words.items():
        settings[name] = _value(name, value)
    return Computer(game, name=text, **settings)


def _value(name: str, text: str) -> Any:
    if name in _OWN:
        kind: Callable[[str], Any] = _OWN[name]
        return tuple(text.split("+")) if kind is tuple else _number(text, kind, name)
    if name not in _OPTIONS:
        raise UnknownName.among("setting", name, (*_OWN, *_OPTIONS, "report", *_ALIASES))
    if text in ("none", "None"):
        return None
    if text in ("yes", "true", "on", "no", "false", "off"):
        return text in ("yes", "true", "on")
    return int(text) if text.lstrip("-").isdigit() else text


def _number(text: str, kind: Callable[[str], Any], name: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise OutflankError(f"{name}={text}: a number is expected") from None
