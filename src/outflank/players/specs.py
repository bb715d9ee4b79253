"""Players in words: `random`, `computer depth=7 workers=2`, `gtp: some engine --its-options`."""

import re
import shlex
from collections.abc import Callable
from importlib import import_module
from inspect import signature
from typing import Any

from outflank.errors import OutflankError, UnknownName
from outflank.players.computer import Computer, settings_of_computers
from outflank.players.player import Player, PlayerFailed
from outflank.players.programs import program_named
from outflank.players.simple import First, Random
from outflank.words import from_words

EXTERNAL = {"gtp": "outflank.protocols.gtp_client", "nboard": "outflank.protocols.nboard_client"}
"""Kinds that are programs, and the module that drives them: its `player(command, game, **settings)` makes one."""

HUMAN = "human"
"""Who sits down where there is a keyboard, and is no player of ours."""

KINDS = ("computer", "random", "first", *EXTERNAL)

MOST_CHARACTERS = 10_000
"""Maximum length of the words for a player; commands of programs are part of them."""

_ALIASES = {"time": "seconds", "scheme": "parallel", "habit": "habits"}


def player(text: str, game: Any, *, variety: int | None = None, seated: tuple[str, ...] = ()) -> Player:
    """The player that the words name; an error names those as well that the caller has `seated`.

    With a seed for `variety` players of ours draw lots where their words leave it open, so that games differ; a
    report's program does what it did.
    """
    if len(text) > MOST_CHARACTERS:  # `shlex` takes quadratic time
        raise OutflankError(f"a player in {len(text):,} characters: {MOST_CHARACTERS:,} at most")
    kind, rest = _parted(text)
    if kind.endswith(":") or is_program(text):
        settled, kind = kind.endswith(":"), kind.rstrip(":")
        if kind not in EXTERNAL:
            raise UnknownName.among("player", kind, (*KINDS, *seated))
        module = import_module(EXTERNAL[kind])
        settings, rest = ({}, rest) if settled else _of_program(kind, module.player, rest)
        if not rest.strip():
            raise OutflankError(f"{kind}: the command of the engine is missing")
        try:
            made: Player = module.player(shlex.split(rest), game, **settings)
        except PlayerFailed as failure:
            raise OutflankError(f"{kind}: {rest.strip()}: {failure}") from None
        except ValueError as error:
            raise OutflankError(f"{kind}: {rest.strip()}: {error}") from None
        return made
    if not text.strip().isprintable():
        raise OutflankError(f"{text.strip()!r}: a player is one line, its words between blanks: 'computer level=3'")
    if kind == HUMAN:
        raise OutflankError("a human has no settings" if seated else "a human can sit down at `outflank play` alone")
    if kind not in KINDS:
        raise UnknownName.among("player", kind, (*KINDS, *seated))
    words = _settings(rest)
    if kind in ("random", "first"):
        extra = set(words) - ({"seed"} if kind == "random" else set())
        if extra:
            raise OutflankError(f"{kind} has no {', '.join(sorted(extra))}")
        seed = from_words(int, words.get("seed", str(variety or 1)), "seed")
        return Random(seed=seed) if kind == "random" else First()
    return _computer(text.strip(), words, game, variety)


def is_program(text: str) -> bool:
    """Whether the words name another program, whose failures are its own."""
    return _parted(text)[0].rstrip(":") in EXTERNAL


def _parted(text: str) -> tuple[str, str]:
    """The kind of player, and what is said of it."""
    kind, _, rest = text.strip().partition(" ")
    return kind, rest


def _of_program(kind: str, make: Callable[..., Player], text: str) -> tuple[dict[str, str], str]:
    """The settings before the colon of `nboard depth=20: command`, and the command."""
    found = re.fullmatch(r"((?:[a-z]+=[^\s:]+\s+)*[a-z]+=[^\s:]+)\s*:(.*)", text.strip(), re.DOTALL)
    if found is None:
        return {}, text
    settings, known = _settings(found[1]), list(signature(make).parameters)[2:]
    for name in settings:
        if name not in known:
            raise UnknownName.among(f"setting of {kind}", name, known)
    return settings, found[2]


def _settings(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    try:
        split = shlex.split(text)
    except ValueError as error:
        raise OutflankError(f"{text.strip()}: {error}") from None
    for word in split:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise OutflankError(f"{word!r}: a setting is name=value, like depth=7")
        setting = _ALIASES.get(name, name).replace("-", "_")
        if setting in found:
            raise OutflankError(f"{word}: {setting} is {found[setting]!r} already; give each setting once")
        found[setting] = value
    return found


def _computer(text: str, words: dict[str, str], game: Any, variety: int | None) -> Computer:
    report = words.pop("report", None)
    said = {name: _value(name, value) for name, value in words.items()}
    if report is None:
        return Computer(game, name=text, **{"variety": variety, **said})
    settings = program_named(report, game).settings()
    if "depth" not in said and ("seconds" in said or "nodes" in said or "level" in said):
        settings.pop("depth", None)  # who is told how long to think cannot keep to the depth that it had
        settings["deepen"] = True
    if "level" in said:
        settings.pop("exact")
    return Computer(game, name=text, **{**settings, **said})


def _value(name: str, text: str) -> Any:
    known = settings_of_computers()
    if name not in known:
        raise UnknownName.among("setting", name, (*known, "report", *_ALIASES))
    return from_words(known[name], text, name)
