"""Players from specifications such as `random`, `computer depth=7 workers=2` or `gtp: some engine --its-options`."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from typing import Any

from outflank.boards import Board
from outflank.errors import FormatError, OutflankError, UnknownName
from outflank.games.defaults import ReportProgram
from outflank.games.description import GAMES, GameDescription
from outflank.games.rules import Game
from outflank.players.clock import Clock
from outflank.players.computer import Computer, settings_of_computers
from outflank.players.habits import RandomStream
from outflank.players.player import Choice, Player, PlayerFailed, SimplePlayer
from outflank.search.request import Stop
from outflank.validation.quoted_words import split_words
from outflank.validation.text import from_words


def report_program(report: str) -> ReportProgram:
    """Return the program of the published report with this number, whatever game it plays."""
    return _game_and_program(report)[1]


def game_of_report(report: str) -> GameDescription:
    """Return the game that the program of the published report with this number plays."""
    return _game_and_program(report)[0]


def program_named(report: str, game: Game) -> ReportProgram:
    """Return the program of the published report with this number; raise an error if it plays another game."""
    description, program = _game_and_program(report)
    if not isinstance(game, description.rules):
        raise OutflankError(f"report {report} plays {description.title}")
    return program


def _game_and_program(report: str) -> tuple[GameDescription, ReportProgram]:
    for name in GAMES.own:  # tried first, because installed games have to be searched for
        description = GAMES.get(name)
        if report in description.play.programs:
            return description, description.play.programs[report]
    known = {
        name: (description, program)
        for description in GAMES.parts().values()
        for name, program in description.play.programs.items()
    }
    if report not in known:
        raise UnknownName.among("report", report, sorted(known))
    return known[report]


@dataclass(slots=True)
class First(SimplePlayer):
    """Player that takes the first legal move; the published report 001 counts nodes with it."""

    name: str = "first"

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        return Choice(move=board.legal_moves[0])


@dataclass(slots=True)
class Random(SimplePlayer):
    """Player that takes random legal moves, which depend on the seed and differ from game to game."""

    name: str = "random"
    seed: int = 1
    _stream: RandomStream = field(init=False)

    def __post_init__(self) -> None:
        self._stream = RandomStream(self.seed, "moves")

    def reseed(self, seed: int) -> None:
        """Restart the random moves from `seed`."""
        self.seed = seed
        self._stream.reseed(seed)

    def new_game(self, board: Board) -> None:
        self._stream.new_game()

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        return Choice(move=self._stream.rng.choice(board.legal_moves))


EXTERNAL = {"gtp": "outflank.protocols.gtp_client", "nboard": "outflank.protocols.nboard_client"}
"""Protocols of external programs, and the module of each, with a function `player(command, game, **settings)`."""

HUMAN = "human"
"""Specification of a human, which `outflank play` and the web server handle themselves."""

KINDS = ("computer", "random", "first", *EXTERNAL)

MOST_CHARACTERS = 10_000
"""Largest number of characters in a player's specification, including an external program's command line."""

_ALIASES = {"time": "seconds", "scheme": "parallel", "habit": "habits"}


def player(text: str, game: Game, *, variety: int | None = None, seated: tuple[str, ...] = ()) -> Player:
    """Return the player that `text` specifies; `seated` are kinds that only the caller can make, for error messages.

    `variety` is a seed with which our own players vary their moves, so that games differ, unless `text` says otherwise.
    The program of a published report does not vary its moves.
    """
    if len(text) > MOST_CHARACTERS:
        raise OutflankError(f"a player in {len(text):,} characters: {MOST_CHARACTERS:,} at most")
    kind, rest = _kind_and_rest(text)
    if kind.endswith(":") or is_program(text):
        has_no_settings, kind = kind.endswith(":"), kind.rstrip(":")
        if kind not in EXTERNAL:
            raise UnknownName.among("player", kind, (*KINDS, *seated))
        module = import_module(EXTERNAL[kind])
        settings, rest = ({}, rest) if has_no_settings else _program_settings(kind, module.player, rest)
        if not rest.strip():
            raise OutflankError(f"{kind}: the command of the engine is missing")
        try:
            made: Player = module.player(split_words(rest), game, **settings)
        except PlayerFailed as failure:
            raise OutflankError(f"{kind}: {rest.strip()}: {failure}") from None
        except ValueError as error:
            raise OutflankError(f"{kind}: {rest.strip()}: {error}") from None
        return made
    if not text.strip().isprintable():
        raise OutflankError(f"{text.strip()!r}: a player is one line, its words between blanks: 'computer level=3'")
    if kind == HUMAN:
        seats = "a human plays only in `outflank play` and `outflank serve`"
        raise OutflankError("a human has no settings" if seated else seats)
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
    """Return whether a player's specification names an external program."""
    return _kind_and_rest(text)[0].rstrip(":") in EXTERNAL


def _kind_and_rest(text: str) -> tuple[str, str]:
    kind, _, rest = text.strip().partition(" ")
    return kind, rest


def _program_settings(kind: str, make: Callable[..., Player], text: str) -> tuple[dict[str, str], str]:
    """Return the settings before the colon of `nboard depth=20: command`, and the command."""
    match = re.fullmatch(r"((?:[a-z]+=[^\s:]+\s+)*[a-z]+=[^\s:]+)\s*:(.*)", text.strip(), re.DOTALL)
    if match is None:
        return {}, text
    settings, known = _settings(match[1]), list(signature(make).parameters)[2:]
    for name in settings:
        if name not in known:
            raise UnknownName.among(f"setting of {kind}", name, known)
    return settings, match[2]


def _settings(text: str) -> dict[str, str]:
    settings: dict[str, str] = {}
    try:
        split = split_words(text)
    except FormatError as error:
        raise OutflankError(f"{text.strip()}: {error}") from None
    for word in split:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise OutflankError(f"{word!r}: a setting is name=value, like depth=7")
        setting = _ALIASES.get(name, name).replace("-", "_")
        if setting in settings:
            raise OutflankError(f"{word}: {setting} is {settings[setting]!r} already; give each setting once")
        settings[setting] = value
    return settings


def _computer(text: str, words: dict[str, str], game: Game, variety: int | None) -> Computer:
    report = words.pop("report", None)
    own_settings = {name: _value(name, value) for name, value in words.items()}
    if report is None:
        return Computer(game, name=text, **{"variety": variety, **own_settings})
    settings = program_named(report, game).settings()
    if "depth" not in own_settings and (
        "seconds" in own_settings or "nodes" in own_settings or "level" in own_settings
    ):
        settings.pop("depth", None)  # a limit on time, nodes or level replaces the program's depth
        settings["deepen"] = True
    if "level" in own_settings:
        settings.pop("exact")
    return Computer(game, name=text, **{**settings, **own_settings})


def _value(name: str, text: str) -> Any:
    known = settings_of_computers()
    if name not in known:
        raise UnknownName.among("setting", name, (*known, "report", *_ALIASES))
    return from_words(known[name], text, name)
