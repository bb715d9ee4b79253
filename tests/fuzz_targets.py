"""What `tests.fuzz` tries: for each kind of input, real ones, how they are spoilt, and what reads them."""

import hashlib
import io
import json
import os
import random
import shutil
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from outflank import AbaloneBoard, OthelloBoard, Table
from outflank.arena import Settings, Sprt, play_match
from outflank.arena.match_report import report_text
from outflank.arena.openings import Openings
from outflank.boards import Board
from outflank.books.book import Book, key_of
from outflank.books.exchange import export_lines, parse_any, tree_of
from outflank.books.move_graph import MoveGraph, propagate_values
from outflank.distributed.engines import parse_address
from outflank.distributed.engines.on_ray.head_client import host_and_port
from outflank.distributed.engines.on_ray.membership import members
from outflank.distributed.replication import replication_named
from outflank.errors import OutflankError
from outflank.formats.game_files import file_formats, read_records, write_records
from outflank.formats.game_record import PlayedMove, Record, Setup
from outflank.formats.recognise import read_all, read_script
from outflank.games.sides import Side
from outflank.lab import redraw
from outflank.lab.drawing.page import page_html
from outflank.lab.experiment import experiment_named
from outflank.lab.result_store import csv_text, document
from outflank.learning.step_documents import TrainDocument
from outflank.learning.training_page import error_table, notes_on
from outflank.learning.training_page import report_of as report_of_training
from outflank.othello.formats.ggf import write_ggf
from outflank.players.classic import Classic, ask_classic
from outflank.players.clock import Clocks, TimeControl
from outflank.players.habits import BookHabit
from outflank.players.puzzles import find_errors, read_puzzles
from outflank.players.specs import First, player
from outflank.players.timing import Steady
from outflank.protocols.gtp_server import GtpEngine
from outflank.protocols.nboard_server import NBoardEngine
from outflank.search.request import Limits, Options
from outflank.search.saving import problem, read_state
from outflank.ui.cli import main
from outflank.ui.cli.training.train_view import generation_text
from outflank.validation.documents import encoded, read_document
from tests.mutating import as_json, changed, spoilt, spoilt_bytes

RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"
DATA = Path(__file__).parent / "data"
FEW = 12
"""Samples of a document: the more there are, the less of it is changed."""


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of input."""

    name: str
    weight: float
    make: Callable[[random.Random], Any]
    """Spoils a real one."""
    read: Callable[[Any], None]
    """Does with it what the package does."""


OTHELLO, ABALONE = OthelloBoard.start().game, AbaloneBoard.start().game


# --- words ---

PLAYERS = (
    "random",
    "random seed=7",
    "first",
    "computer",
    "computer depth=3 workers=2 evaluation=mobility ordering=squares+mobility",
    "computer time=2.5 nodes=1000 exact=12 policy=steady habits=cache parallel=ybw threshold=3",
    "computer level=5 table-bits=none share-alpha=no schedule=rows pin=spread quiescence=2 aspiration=20",
    "computer algorithm=mtdf step=2 pivot=reset ties=lowest passes=evaluated canonical=true",
    "computer algorithm=uct parallel=tree-parallel workers=2 seed=3",
    "computer report=003 depth=2",
    "computer report=004 depth=2 ties=highest+lowest scoring=discs",
    "computer depth=2 ordering=mobility:sort=best,from_depth=1",
    "computer report=000 'evaluation=four-part'",
    "computer book=own",
    "gtp:",
    "human",
)

ADDRESSES = ("local:2", "ray://127.0.0.1:6379", "ray://head.example:10001", "mpi", "localhost:6379", "10.0.0.1:1")
POLICIES = ("none", "batch", "depth:depth=9", "async:depth=9,batch=100", "async:plies=4")
CLOCKS = (
    "none",
    "60",
    "60s",
    "5+3",
    "5m+3s",
    "5:00",
    "0.5s",
    "2/move",
    "2s/move",
    "1:30+0.5",
    "15:00//02:00",
    "0,10",
    "[0, 5]",
)
CLASSIC = ("c 2 c 2", "h c 1\n4,3\n3,3\n", "c 60 h", "c ² c 2", "h h 4 3 4,3")


def _read_player(text: str) -> None:
    for game in (OTHELLO, ABALONE):
        try:
            player(text, game).close()
        except OutflankError:
            if game is ABALONE:
                raise


def _unknown(host: str) -> str:
    """Looks for a machine as the system does, but asks nobody."""
    if b"\0" in host.encode("idna"):
        raise TypeError("must be encoded string without null bytes")
    raise OSError("not known")


def _read_address(text: str) -> None:
    with patch("socket.gethostbyname", _unknown):
        _each(text, parse_address, replication_named, host_and_port)


def _read_clock(text: str) -> None:
    _each(text, lambda words: _wait_by(TimeControl.parse(words)), Sprt.parse)


def _wait_by(control: TimeControl) -> None:
    """Nothing, for as long as a clock allows: what a referee and a search do with it."""
    clock = Clocks.alike(control).of(Side.BLACK)
    told = threading.Event()
    told.set()
    told.wait(clock.move_seconds)
    budget = Steady().budget(OthelloBoard.start(), clock, None)
    Limits(seconds=budget.hard_seconds)
    str(control), control.in_words


def _read_classic(text: str) -> None:
    words = (word for line in text.splitlines() for word in line.replace(",", " ").split())
    seats = ask_classic(words)
    if all(seat.depth is None for seat in seats.values()):
        for _ in Classic(seats, words).lines():
            pass


def _each(text: str, *readers: Callable[[str], Any]) -> None:
    """What every reader makes of a text; the last one's line is told."""
    for reader in readers:
        try:
            reader(text)
        except OutflankError:
            if reader is readers[-1]:
                raise


# --- positions and games ---

PGN = """[Event "open"]
[Date "1998.05.17"]
[Black "Ada"]
[White "Émile"]
[Result "1-0"]

1. F5 D6 2. C3 D3 3. C4 F4 4. F6 {a remark} E6 1-0
"""


@cache
def records() -> tuple[Record, ...]:
    """Whole games: of Othello on two sizes, with a pass, and of Abalone."""
    chance = random.Random(1)
    boards: list[Board] = [OthelloBoard.start(), OthelloBoard.start(4), AbaloneBoard.start("belgian-daisy")]
    found = []
    for board in boards:
        start = Setup(format="fuzz", game=board.game, position=board.position, turn=board.turn)
        moves = []
        while not board.is_game_over and len(moves) < 24:
            board.push(chance.choice(board.legal_moves))
            moves.append(PlayedMove(code=board.moves[-1].code, value=chance.randrange(-9, 9), seconds=chance.random()))
        found.append(
            Record(
                start=start,
                moves=tuple(moves),
                black="Ada",
                white="Émile",
                event="open",
                date="1998-05-17",
                score=4,
                reason="time",
                clock="5m+3s",
            )
        )
    return tuple(found)


@cache
def files() -> dict[str, bytes]:
    """The games in every format that holds them, by its suffix."""
    found: dict[str, bytes] = {".pgn": PGN.encode()}
    for suffix in file_formats():
        if suffix in found:
            continue
        kept = [each for each in records() if (suffix == ".abalone") is (each.start.game == ABALONE)]
        if suffix in (".wtb", ".txt"):
            kept = kept[:1]  # of the usual board alone
        if suffix == ".obf":
            kept = [replace(each, moves=(), score=None) for each in kept]
        if suffix == ".wtb":
            write_records(kept, "fuzz.wtb")
            found[suffix] = Path("fuzz.wtb").read_bytes()
        else:
            stream = io.BytesIO()
            write_records(kept, stream, format=suffix)
            found[suffix] = stream.getvalue()
    return found


@cache
def positions() -> tuple[str, ...]:
    """Positions and games as people paste them."""
    texts = [path.read_text() for path in sorted(DATA.glob("*.position"))]
    texts += [
        "f5d6c3d3c4f4f6",
        "1. f5 d6 2. c3 d3 -- c4",
        OthelloBoard.start().to_text(),
        OthelloBoard.start(6).to_text() + " ; D3:+2; C4:-1;",
        AbaloneBoard.start().to_text(),
        "a1b2 i9h8 c3c5d4 c3d6",
        str(OthelloBoard.start()),
        PGN,
        write_ggf(records()[0]),
        files()[".sgf"].decode(),
    ]
    return tuple(texts)


def _read_position(text: str) -> None:
    told: list[str] = []
    with suppress(OutflankError):
        read_script(f"{OthelloBoard.start().to_text()}\n{text}\n{OthelloBoard.start(4).to_text()}", told.append)
    assert not any("\n" in each for each in told)
    for game in (None, "othello", "abalone"):
        try:
            boards = [Board.from_setup(each.setup) for each in read_all(text, game=game)]
        except OutflankError:
            if game == "abalone":
                raise
            continue
        for board in boards:
            str(board), board.to_text(), board.legal_moves, board.outcome(), board.svg()


def _make_file(chance: random.Random) -> tuple[str | None, bytes]:
    suffix, data = chance.choice(list(files().items()))
    return chance.choice((None, suffix)), spoilt_bytes(chance, data, *files().values())


def _read_file(given: tuple[str | None, bytes]) -> None:
    suffix, data = given
    kept, failure = [], None
    try:
        kept.extend(read_records(io.BytesIO(data), format=suffix))
    except OutflankError as error:
        failure = error
    for wanted, form in file_formats().items():
        for record in kept if form.write is not None else ():
            try:
                form.write(record)
            except OutflankError as error:
                failure = failure or error
            len(record.moves), wanted
    if failure is not None:
        raise failure


OPENINGS = "f5d6c3d3c4f4f6e6\nF5F6E6F4 % a comment\n\n# another\nf5d6c5f4e3c6d3f6\n"


def _make_openings(chance: random.Random) -> tuple[str, str]:
    named = chance.choice(("random:4", "layouts:2", "x.txt", "x.txt:4", "x.ggf:3"))
    text = chance.choice((OPENINGS, files()[".ggf"].decode(), *positions()))
    return (spoilt(chance, named), text) if chance.random() < 0.4 else (named, spoilt(chance, text, OPENINGS))


def written(path: str, data: bytes) -> None:
    """Write a file, a new one each time: some systems bring it to the disk when an old one is emptied and written."""
    Path(path).unlink(missing_ok=True)
    Path(path).write_bytes(data)


def _read_openings(given: tuple[str, str]) -> None:
    named, text = given
    for path in ("x.txt", "x.ggf"):
        written(path, text.encode("utf-8", "surrogatepass"))
    found = Openings(named, OthelloBoard.start(), seed=1, count=1)
    found[0].to_text()


BOOK = (
    "# a book\n0000000810000000 0000001008000000 13 19:-8 26:-8 37:-8\n"
    "0000000008000000 0000003810000000 13 43:+8 45:-3 29:-80\n0000000018080000 0000001c00000000 13 45:-8 44:-8 43:-16\n"
)


def _read_book(text: str) -> None:
    book = Book.parse(OTHELLO, text)
    board = OthelloBoard.start()
    habit = BookHabit(book)
    while (choice := habit.choose(board)) is not None and board.ply < 6:
        board.push(choice.move)
    propagate_values(MoveGraph(book), key_of(board))
    tree_of(book, OthelloBoard.start(), 3)


@cache
def _book_lines() -> tuple[str, ...]:
    return ("".join(export_lines(Book.parse(OTHELLO, BOOK), "jsonl", OthelloBoard.start(), 1)),)


def _read_book_lines(text: str) -> None:
    propagate_values(MoveGraph(parse_any(OTHELLO, text)))


# --- programs that talk to us ---

GTP = (
    "1 protocol_version\nlist_commands\nboardsize 6\nclear_board\nplay b f5\nplay white d6\ngenmove b\nundo\n"
    "showboard\n"
    "time_settings 300 25 5\ntime_left b 120 0\nfinal_score\nset_game Abalone\nplay b a1b2\nreg_genmove w\nkomi 0\n"
    "known_command play\nloadsgf x.sgf 3\nloadposition f5d6\nname\n# comment\nquit\n"
)
NBOARD = (
    "nboard 2\nset depth 1\nset game (;GM[Othello]PC[NBoard]TY[8]BO[8 ---------------------------O*------*O"
    "--------------------------- *]B[F5//1.2]W[D6];)\nset contempt 0\nmove C3/1.00/2.5\ngo\nping 3\nlearn\nset name x\n"
)


def _make_lines(chance: random.Random, text: str) -> str:
    lines = text.splitlines()
    chance.shuffle(lines)
    some = lines[: chance.randrange(1, len(lines))]
    return spoilt(chance, "\n".join(some), text) + "\n"


def _read_gtp(text: str) -> None:
    GtpEngine(lambda board: First()).run(io.StringIO(text, newline="\n"), io.StringIO())


def _read_nboard(text: str) -> None:
    quick = "\n".join(line for line in text.split("\n") if not line.lstrip().startswith(("hint", "analy")))
    NBoardEngine(lambda board, depth: First()).run(io.StringIO(quick, newline="\n"), io.StringIO())


# --- commands ---

COMMANDS = (
    ("show", "f5d6c3d3c4", "--json"),
    ("show", "--game", "abalone", "--layout", "the-wall"),
    ("show", "--file", "games.ggf", "--number", "1", "--size", "8"),
    ("show", "--position", "a1b2 i9h8", "--scoring", "discs"),
    ("games", "games.ggf", "games.abalone", "--player", "ada", "--opening", "f5d6", "--year", "1998-2003"),
    ("games", "games.wtb", "--number", "1", "--json", "--min-score", "-3.5", "--limit", "2"),
    ("games", "games.sgf", "--from", "sgf", "--event", "open"),
    ("lab", "redraw", "hash.json", "--json"),
    ("perft", "--depth", "1", "--workers", "1", "f5d6c3d3c4"),
)
"""None that writes files: a spoilt name may be one outside of the directory that this runs in."""


def _make_command(chance: random.Random) -> list[str]:
    words = list(chance.choice(COMMANDS))
    for _ in range(chance.choice((1, 1, 2))):
        place = chance.randrange(len(words))
        words[place] = spoilt(chance, words[place], *positions())
    # A system gives no null bytes, and bytes that are no letters as surrogates of its own.
    return [word.replace("\0", "").replace("\ud800", "\udc80") for word in words]


def _read_command(words: list[str]) -> None:
    if words[0] == "perft" and words != list(COMMANDS[-1]):
        words = ["perft", "--depth", "1", *words[5:]]  # another depth, or more workers, would take for ever
    for suffix, data in files().items():
        written(f"games{suffix}", data)
    written("hash.json", json.dumps(next(each for each in lab_documents() if each["experiment"] == "hash")).encode())
    before = sys.stdin, sys.stdout, sys.stderr
    with open(os.devnull) as nothing, open("output", "w") as output, open("errors", "w+") as errors:
        sys.stdin, sys.stdout, sys.stderr = nothing, output, errors
        try:
            main(words)
        except SystemExit as left:
            errors.seek(0)
            told = errors.read()
            expected = {0: 0, 1: 0, 2: 1}.get(left.code if isinstance(left.code, int) else -1)
            lines = [line for line in told.splitlines() if not line.startswith("outflank: warning: ")]
            if expected is None or len(lines) > max(expected, 1):
                raise AssertionError(f"status {left.code}: {told}") from None
        finally:
            sys.stdin, sys.stdout, sys.stderr = before


# --- documents ---

MEMBER = {
    "address": "127.0.0.1:6379",
    "head": True,
    "cores": 2,
    "pid": 4711,
    "started": 1.5e9,
    "directory": "session",
    "token_file": "token",
}


def _make_member(chance: random.Random) -> str:
    return as_json(chance, changed(chance, MEMBER))


def _read_member(text: str) -> None:
    """What a note of a cluster's process says of it; a damaged one is as if it were not there."""
    Path("state").mkdir(exist_ok=True)
    written("state/1.json", text.encode("utf-8", "surrogatepass"))
    with patch("outflank.distributed.engines.on_ray.membership._state", lambda: Path("state")):
        for member in members():
            Path("/proc") / f"{member.pid:d}", f"{member.started:.1f} {member.cores:d}", member.address.partition(":")


@cache
def lab_documents() -> tuple[dict[str, Any], ...]:
    """Results of every experiment, a few samples of each."""
    found = json.loads((DATA / "lab_documents.json").read_text())
    for path in sorted(RESULTS.glob("lab/*.json")) + sorted(RESULTS.glob("cluster/*.json")):
        whole = json.loads(path.read_text())
        whole |= {"samples": _spread(whole["samples"]), "tables": [], "searched": whole.get("searched", [])[:2]}
        found.append(whole)
    by_name = {each["experiment"]: each for each in found}
    found += [
        _like(by_name["pivot"], "algorithms", algorithm="pvs"),
        _like(by_name["nodes"], "times", depth=9, game=1, seconds=0.5),
    ]
    race = {"what": "race", "memory": "table", "first": "a", "second": "b", "times": 3, "declared": True, "reason": "r"}
    counts = {"schedules": 4, "steps": 9, "accesses": 99, "unfinished": 0, "wrong_values": 0, "trouble": ""}
    rows = [{"task": "ybw", "scheme": "ybw", **row} for row in ({"what": "whole", **counts}, race)]
    found.append({**_like(by_name["hash"], "races"), "samples": rows})
    return tuple(found)


def _spread(samples: list[Any]) -> list[Any]:
    """A few of them, from all over the run."""
    return samples[:: max(1, len(samples) // FEW)][: 2 * FEW]


def _like(kept: dict[str, Any], name: str, **labels: Any) -> dict[str, Any]:
    """Another experiment's result, made of one that has samples of the same kind."""
    chosen = json.loads(json.dumps(asdict(experiment_named(name).parameters())))
    return {
        **kept,
        "experiment": name,
        "parameters": chosen,
        "samples": [{**each, **labels} for each in kept["samples"]],
    }


def _make_lab(chance: random.Random) -> str:
    return as_json(chance, changed(chance, chance.choice(lab_documents())))


def _read_lab(text: str) -> None:
    written("lab.json", text.encode("utf-8", "surrogatepass"))
    report = redraw("lab.json")
    page_html(report).encode()
    encoded(document(report)), csv_text(report.samples).encode()
    experiment = experiment_named(report.experiment)
    experiment.files(experiment.parameters(**report.parameters), report)


def _settings(kind: str) -> Settings:
    start: Any = OthelloBoard.start(4) if kind == "othello" else AbaloneBoard.start()
    return Settings(players=("first", "other"), start=start, games=4, openings="random:3", ply_limit=4)


@cache
def matches() -> dict[str, tuple[dict[str, Any], list[dict[str, Any]]]]:
    """A kept match of either game: its document and its lines."""
    found = {}
    for kind in ("othello", "abalone"):
        play_match(_settings(kind), lambda text, rules: First(), out=f"kept-{kind}")
        lines = Path(f"kept-{kind}/games.jsonl").read_text().splitlines()
        found[kind] = json.loads(Path(f"kept-{kind}/match.json").read_text()), [json.loads(line) for line in lines]
    return found


def _make_match(chance: random.Random) -> tuple[str, str, str]:
    kind = chance.choice(("othello", "othello", "othello", "abalone"))
    head, lines = matches()[kind]
    if chance.random() < 0.25:
        return kind, as_json(chance, changed(chance, head)), "".join(json.dumps(line) + "\n" for line in lines)
    spoilt_lines = [json.dumps(line) for line in lines]
    place = chance.randrange(len(lines))
    spoilt_lines[place] = as_json(chance, changed(chance, lines[place]))
    return kind, json.dumps(head), "\n".join(spoilt_lines) + "\n"


def _read_match(given: tuple[str, str, str]) -> None:
    kind, head, lines = given
    shutil.rmtree("match", ignore_errors=True)
    Path("match").mkdir()
    written("match/match.json", head.encode("utf-8", "surrogatepass"))
    written("match/games.jsonl", lines.encode("utf-8", "surrogatepass"))
    result = play_match(_settings(kind), lambda text, rules: First(), out="match", resume=True)
    report_text(result.standing)


STATE = {
    "wld": False,
    "lower": -2,
    "upper": None,
    "move": 19,
    "moves_done": 3,
    "nodes": 9,
    "seconds": 1.5,
    "entries": 2,
}
STATE_OPTIONS = Options(exact=True, table_bits=4)


def _make_state(chance: random.Random) -> bytes:
    board = OthelloBoard.start(4)
    head = {"schema": "outflank/solve-state/1", **problem(board, STATE_OPTIONS), **STATE}
    data = as_json(chance, changed(chance, head)).encode("utf-8", "surrogatepass") + b"\n" + chance.randbytes(48)
    if chance.random() < 0.2:
        data = spoilt_bytes(chance, data)
    digest = hashlib.sha256(data).digest()
    return data + (digest if chance.random() < 0.9 else spoilt_bytes(chance, digest))


def _read_state(data: bytes) -> None:
    written("solve.state", data)
    found = read_state(Path("solve.state"), OthelloBoard.start(4), STATE_OPTIONS)
    assert found is not None
    found.known.window(0, 4)
    found.fill(Table(4))


@cache
def _train() -> dict[str, Any]:
    """What a run of `outflank train` has left."""
    found: dict[str, Any] = json.loads((DATA / "train.json").read_text())
    return found


def _make_train(chance: random.Random) -> str:
    return as_json(chance, changed(chance, _train()))


def _read_train(text: str) -> None:
    written("train.json", text.encode("utf-8", "surrogatepass"))
    found = read_document(Path("train.json"), TrainDocument, "what has been learnt")
    if found.complete:
        page_html(report_of_training(found, {})).encode()
        [generation_text(each) for each in found.generations]
        [(error_table(each.errors), notes_on(each.errors)) for each in found.generations]


PUZZLE = {
    "schema": "outflank/puzzle/1",
    "game": "othello",
    "options": {"scoring": "discs"},
    "position": "--O-XOOOXXXOXXXO X",
    "left": 3,
    "scores": {"d1": 8, "a1": 4, "b1": 0},
    "line": "d1 b1 a1",
}


def _make_puzzle(chance: random.Random) -> bytes:
    return as_json(chance, changed(chance, PUZZLE)).encode("utf-8", "surrogatepass")


def _read_puzzle(data: bytes) -> None:
    for puzzle in read_puzzles(data, "a.puzzles"):
        assert puzzle.best in puzzle.scores
        if puzzle.board().moves_left <= 4:  # the interpreter solves no more in time
            assert all("\n" not in error for error in find_errors(puzzle))


@cache
def targets() -> tuple[Target, ...]:
    """All of them."""

    def texts(kept: Callable[[], tuple[str, ...]]) -> Callable[[random.Random], str]:
        return lambda chance: spoilt(chance, chance.choice(kept()), *kept())

    return (
        Target("player", 10, texts(lambda: PLAYERS), _read_player),
        Target("address", 6, texts(lambda: (*ADDRESSES, *POLICIES)), _read_address),
        Target("clock", 6, texts(lambda: CLOCKS), _read_clock),
        Target("classic", 1, texts(lambda: CLASSIC), _read_classic),
        Target("position", 10, texts(positions), _read_position),
        Target("game file", 8, _make_file, _read_file),
        Target("openings", 4, _make_openings, _read_openings),
        Target("book", 4, texts(lambda: (BOOK,)), _read_book),
        Target("book lines", 2, texts(_book_lines), _read_book_lines),
        Target("gtp", 6, lambda chance: _make_lines(chance, GTP), _read_gtp),
        Target("nboard", 6, lambda chance: _make_lines(chance, NBOARD), _read_nboard),
        Target("lab", 10, _make_lab, _read_lab),
        Target("match", 4, _make_match, _read_match),
        Target("command", 2, _make_command, _read_command),
        Target("member", 2, _make_member, _read_member),
        Target("solve state", 2, _make_state, _read_state),
        Target("train", 2, _make_train, _read_train),
        Target("puzzles", 2, _make_puzzle, _read_puzzle),
    )
