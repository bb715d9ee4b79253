"""Whatever reads text from elsewhere, on hostile text: `python -m tests.recognisers [CHARACTERS] [PART-OF-A-NAME]`.

Prints a table of every pattern and every reader of the package: processor time for its worst text of so many characters
(100,000 without the argument), for twice as many, and their ratio: 2 where time grows as the text does, 4 where it
grows with its square. The worst text is the one that takes longest at a hundredth of the length.

They are found: patterns in the source, readers in the registries of games, formats and protocols, and as public
functions of the folders `formats`. `test_recognisers.py` compares n with 8n: eight times as long and 64 times as long
are told apart on a busy machine too.
"""

import ast
import gc
import inspect
import io
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

from starlette.datastructures import Headers

import outflank
from outflank import OthelloBoard
from outflank.arena.sprt import Sprt
from outflank.books.book import Book
from outflank.books.exchange import parse_any
from outflank.distributed.engines import parse_address
from outflank.distributed.replication import replication_named
from outflank.errors import OutflankError
from outflank.formats.bounds import reading_at_most
from outflank.formats.game_files import file_formats, read_records
from outflank.formats.recognise import read, read_script, records_in_text
from outflank.formats.selection import Selection
from outflank.games.description import OWN_GAMES, game_named
from outflank.lab.experiment_boards import board_named
from outflank.players.clock import TimeControl
from outflank.players.specs import First, player
from outflank.protocols.gtp_server import GtpEngine
from outflank.protocols.nboard_server import NBoardEngine
from outflank.ui.web.games.new_games import found_games, game_from_records
from outflank.ui.web.games.seats import check_seats
from outflank.ui.web.guards import AccessRules
from outflank.ui.web.requests import New, Read, Request, Seats
from outflank.ui.web.server_limits import Settings
from outflank.validation.documents import decoded
from outflank.validation.text import from_words
from tests.hostile_text import TEXTS, Hostile, texts_for

SOURCE = Path(outflank.__file__).parent

# --- patterns ---

METHODS = {"match": 2, "fullmatch": 2, "search": 2, "finditer": 2, "findall": 2, "sub": 4, "subn": 4, "split": 3}
"""Functions of `re` that take a pattern, and the place of their flags."""

OWN_TEXT = {
    "outflank.gpu.troubles": "messages of the driver",
    "outflank.kernels.compiler": "messages of the compiler",
    "outflank.lab.races.declared": "comments of this package",
}
"""Modules whose patterns read no text from elsewhere."""

PASSED_ON = {"outflank.formats.saved_games": "match", "outflank.abalone.formats.abalone_games": "match"}
"""How patterns are used that are handed to another function, by their module; others are tried in every way."""


@dataclass(slots=True)
class PatternFound:
    """A regular expression of the package."""

    pattern: re.Pattern[Any]
    module: str
    line: int
    methods: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        """Where it stands."""
        return f"{self.module.removeprefix('outflank.')}:{self.line}"

    def runs(self) -> Iterator[Callable[[str], Any]]:
        """What is done with a text, in each of the ways in which it is used."""
        methods = self.methods or {PASSED_ON.get(self.module, "")} - {""} or {"match", "fullmatch", "search"}
        as_used = {"match": "match", "fullmatch": "fullmatch", "search": "search"}
        for method in sorted({as_used.get(method, "finditer") for method in methods}):
            yield lambda text, method=method: self._run(method, text)

    def _run(self, method: str, text: str) -> None:
        given = text.encode("utf-8", "replace") if isinstance(self.pattern.pattern, bytes) else text
        found = getattr(self.pattern, method)(given)
        if method == "finditer":
            for _ in found:
                pass


@cache
def patterns() -> tuple[PatternFound, ...]:
    """Every pattern that reads text from elsewhere."""
    found: dict[re.Pattern[Any], PatternFound] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "import re\n" not in source:
            continue
        name = ".".join(("outflank", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
        if name in OWN_TEXT:
            continue
        names = vars(import_module(name))
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                _note(node, name, names, found)
    return tuple(found.values())


def _is_re(call: ast.Call) -> bool:
    function = cast(ast.Attribute, call.func)
    return isinstance(function.value, ast.Name) and function.value.id == "re" and function.attr in {*METHODS, "compile"}


def _note(call: ast.Call, module: str, names: dict[str, Any], found: dict[re.Pattern[Any], PatternFound]) -> None:
    function = cast(ast.Attribute, call.func)
    if not _is_re(call):
        if function.attr in METHODS:
            with suppress(NameError, AttributeError, TypeError, KeyError, LookupError):
                pattern = _value_of(function.value, names) if isinstance(function.value, ast.Name) else None
                if isinstance(pattern, re.Pattern):
                    found.setdefault(pattern, PatternFound(pattern, module, call.lineno)).methods.add(function.attr)
        return
    try:
        written = _value_of(call.args[0], names)
        place = METHODS.get(function.attr, 1)
        given = call.args[place] if len(call.args) > place else None
        given = next((each.value for each in call.keywords if each.arg == "flags"), given)
        pattern = re.compile(written, 0 if given is None else _value_of(given, names))
    except NameError as error:
        raise AssertionError(
            f"{module}, line {call.lineno}: a pattern of module-level names is tested: {error}"
        ) from None
    known = found.setdefault(pattern, PatternFound(pattern, module, call.lineno))
    if function.attr in METHODS:
        known.methods.add(function.attr)


def _value_of(node: ast.expr, names: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "<pattern>", "eval"), dict(names))


# --- readers ---

OTHELLO = OthelloBoard.start()
ACCESS = AccessRules(host="127.0.0.1", port=80, token="12345678")
MOST_GAMES = Settings(games=Path(), reports=Path(), workers=1).most_games

ARGUMENTS: dict[str, Any] = {"size": 8, "number": 1}
"""For parameters by these names that readers have besides their text."""

FORMATS = ("outflank.formats", *(f"outflank.{name}.formats" for name in OWN_GAMES))
TEXTUAL = {"str": str, str: str, "bytes": bytes, bytes: bytes, "BinaryIO": BinaryIO, BinaryIO: BinaryIO}

Reader = Callable[[str], Any]


@cache
def readers() -> dict[str, Reader]:
    """Every reader, by its name."""
    found: dict[str, Reader] = {}
    for package in FORMATS:
        for path in sorted((SOURCE.parent / package.replace(".", "/")).glob("*.py")):
            module = import_module(f"{package}.{path.stem}")
            for name, function in vars(module).items():
                if inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_"):
                    reader = _reader(function)
                    if reader is not None:
                        found[f"{module.__name__.removeprefix('outflank.')}.{name}"] = reader
    for name in OWN_GAMES:
        found.update(_of_notation(name))
    for suffix, form in file_formats().items():
        found[f"files{suffix}: read"] = lambda text, form=form: list(form.read(_stream(text), None, Selection()))
        found[f"files{suffix}: likeness"] = lambda text, form=form: (
            form.likeness(_data(text)),
            form.holds_games(_data(text)),
        )
    return found | _others()


def _reader(function: Callable[..., Any]) -> Reader | None:
    """A function as a reader, if its first parameter is a text or a file, and nothing else is needed."""
    parameters = list(inspect.signature(function).parameters.values())
    kind = TEXTUAL.get(parameters[0].annotation) if parameters else None
    if kind is None:
        return None
    needed = [each for each in parameters[1:] if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD]
    if any(each.name not in ARGUMENTS for each in needed):
        return None  # what reads a part of a text for one of the others
    more = [ARGUMENTS[each.name] for each in needed]

    def read(text: str) -> None:
        given = text if kind is str else _data(text) if kind is bytes else _stream(text)
        result = function(given, *more)
        if inspect.isgenerator(result):
            for _ in result:
                pass

    return read


def _of_notation(name: str) -> dict[str, Reader]:
    notation, start = game_named(name).notation, game_named(name).start()
    setup = start.setup()
    found: dict[str, Reader] = {
        "positions": notation.positions,
        "claim": notation.claim,
        "likeness": notation.likeness,
        "line": lambda text: [notation.line(line) for line in text.split("\n") if line.strip()],
        "drawing": lambda text: notation.drawing([line for line in text.splitlines() if line.strip()]),
    }
    if notation.moves is not None:
        found["moves"] = lambda text: notation.moves(text, {}) if notation.moves else None
    if notation.moves_from is not None:
        found["moves_from"] = lambda text: notation.moves_from(text, setup) if notation.moves_from else None
    if notation.opening is not None:
        found["opening"] = notation.opening
    return {f"{name}: {key}": reader for key, reader in found.items()}


def _others() -> dict[str, Reader]:
    found: dict[str, Reader] = {
        "pasted text": lambda text: records_in_text(text, None, {}),
        "pasted text, the first": lambda text: read(text),
        "pasted text, on the web": _read_on_the_web,
        "script": lambda text: read_script(text, lambda line: None),
        "file of games": lambda text: list(read_records(_stream(text))),
        "clock": TimeControl.parse,
        "player": lambda text: player(f"computer {text}", OTHELLO.game),
        "player, a program": lambda text: player(f"nboard {text}", OTHELLO.game) if ":" not in text else None,
        "seats": lambda text: check_seats(Seats(black=f"computer {text}", clock=text), OTHELLO.game),
        "words": lambda text: [
            _refusing(lambda kind=kind: from_words(kind, text, "x")) for kind in (int, float, bool | None)
        ],
        "message": lambda text: decoded(cast(Any, Request), _data(text)),
        "message, a text in it": lambda text: decoded(
            cast(Any, Request), _data('{"kind":"new","ask":1,"text":"' + text)
        ),
        "board of the laboratory": lambda text: board_named(text),
        "book": lambda text: Book.parse(OTHELLO.game, text),
        "book, any": lambda text: parse_any(OTHELLO.game, text),
        "cluster": parse_address,
        "replication": replication_named,
        "sprt": Sprt.parse,
        "cookies of a request": lambda text: ACCESS.cookie_token(Headers({"cookie": text})),
    }
    for name, engine in (
        ("gtp", GtpEngine(lambda board: First())),
        ("nboard", NBoardEngine(lambda board, depth: First())),
    ):
        for command in ("", "1 ", "play b ", "loadposition ", "set game ", "move ", "time_left b "):
            found[f"{name}: {command}".strip()] = lambda text, engine=engine, command=command: list(
                engine.replies(command + text.replace("\n", " "))
            )
    return found


def _read_on_the_web(text: str) -> None:
    """What a server does with a pasted text, but for the time that it gives it."""
    with reading_at_most(MOST_GAMES, 1e9):
        found_games(Read(ask=1, text=text))
        game_from_records(New(ask=2, text=text))


def _refusing(read: Callable[[], Any]) -> None:
    with suppress(OutflankError):
        read()


def _data(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _stream(text: str) -> io.BytesIO:
    return io.BytesIO(_data(text))


# --- measuring ---


def seconds(read: Reader, text: str, times: int = 1) -> float:
    """Processor time of this thread alone, the least of some: what others do at the time hardly counts."""
    least = float("inf")
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(times):
            began = time.thread_time()
            _refusing(lambda: read(text))
            least = min(least, time.thread_time() - began)
    finally:
        if collecting:
            gc.enable()
    return least


UNMEASURED = 0.002
"""Seconds below which nothing is concluded."""


LONG_ENOUGH = 0.02
"""Seconds of a text after which no longer one is tried: what was compared was long enough to show."""

LENGTHS = ((64, 512), (512, 4096))
"""Characters of texts that are compared, the shorter ones first: what grows with the cube of them is found there. For
the longest, 1 ns for each pair of characters makes 8 ms."""

MOST_TIMES = 24
"""How many times as long the longer text may take, which is eight times as long; with its square it would be 64."""


def grows_faster(read: Reader, hostile: Hostile) -> str:
    """What is wrong where time grows faster than the text; empty if it does not.

    Only what is seen five times counts, by the least of two measurements each: a machine may be busy.
    """
    for lengths in LENGTHS:
        short, long = (hostile.of_length(length) for length in lengths)
        taken = seconds(read, long)
        if taken > UNMEASURED:
            ratios = (_ratio(read, short, long) for _ in range(5))
            if all(ratio > MOST_TIMES for ratio in ratios):
                return f"{hostile}: over {MOST_TIMES} times as long for {lengths[1]} characters as for {lengths[0]}"
        if taken > LONG_ENOUGH:
            break
    return ""


def _ratio(read: Reader, short: str, long: str) -> float:
    before, after = (seconds(read, text, 2) for text in (short, long))
    return after / max(before, UNMEASURED / MOST_TIMES)


# --- the table ---


def main(characters: int = 100_000, part: str = "") -> None:
    """Print what every recogniser takes."""
    print(f"{'':60} {characters:>9,} {2 * characters:>9,}  ratio  the worst text")
    for pattern in patterns():
        for run in pattern.runs():
            if part in pattern.name:
                _print_row(f"pattern {pattern.name}", run, texts_for(pattern.pattern), characters)
    for name, reader in readers().items():
        if part in name:
            _print_row(name, reader, TEXTS, characters)


def _print_row(name: str, read: Reader, texts: Any, characters: int) -> None:
    worst = max(texts, key=lambda hostile: seconds(read, hostile.of_length(characters // 100)))
    times = [seconds(read, worst.of_length(size)) for size in (characters, 2 * characters)]
    ratio = f"{times[1] / times[0]:5.1f}" if times[1] > UNMEASURED else "    -"
    shown = [f"{each * 1000:7.1f} ms" if each < 1 else f"{each:8.2f} s" for each in times]
    print(
        f"{name[:60]:60} {' '.join(shown)}  {ratio}  {worst.head[:20]!r} + {worst.part[:24]!r}… + {worst.tail!r}",
        flush=True,
    )


if __name__ == "__main__":
    main(*(int(sys.argv[1]),) if len(sys.argv) > 1 else (), *sys.argv[2:3])
