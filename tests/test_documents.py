"""Documents in JSON: read into declared types, or refused in one line that says where."""

import json
import sys
import threading
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta, Struct

import release
from outflank.arena import match_documents as of_matches
from outflank.books import exchange as of_books
from outflank.books import game_index as of_indexes
from outflank.distributed.engines.on_mpi import mpi_messages
from outflank.distributed.engines.on_ray.head_client import ClusterNode
from outflank.distributed.engines.on_ray.membership import ClusterStatus
from outflank.distributed.node_messages import Job, JobResult, NodeReport
from outflank.errors import OutflankError
from outflank.lab import result_store
from outflank.lab.experiment import experiments
from outflank.learning import step_documents as of_learning
from outflank.players import puzzles as of_puzzles
from outflank.search import recorded_search, saving
from outflank.ui.cli import cli, main
from outflank.ui.cli.searching import search_documents as of_searches
from outflank.ui.cli.shared import json_documents as of_commands
from outflank.ui.cli.solving import solve_documents as of_solving
from outflank.validation import documents
from outflank.validation.documents import (
    Count,
    Document,
    Number,
    converted,
    decoded,
    encoded,
    in_lines,
    plain,
    read_document,
)
from outflank.validation.values import Misfit

pytestmark = pytest.mark.interpreted_only


class Colour(Enum):
    BLACK = "black"
    WHITE = "white"


class Player(Struct, frozen=True, kw_only=True):
    name: Annotated[str, Meta(max_length=20)]
    depth: Annotated[int, Meta(ge=1, le=9)] = 1

    def __post_init__(self) -> None:
        if self.name == "nobody":
            raise Misfit("name", "expected somebody")


class Tournament(Document, frozen=True, kw_only=True, tag="outflank/tournament/1"):
    rounds: Count


class Meeting(Document, frozen=True, kw_only=True, tag="outflank/meeting/1"):
    games: Count
    unit: Literal["discs", "marbles"]
    players: tuple[Player, Player] | None = None
    first: Colour | None = None
    score: Number | None = None
    marks: dict[str, int] | None = None


WHOLE = {"schema": "outflank/meeting/1", "games": 3, "unit": "discs"}


def test_a_document_comes_back():
    players = (Player(name="a", depth=3), Player(name="é"))
    meeting = Meeting(games=3, unit="discs", players=players, first=Colour.WHITE, score=1.5)
    assert decoded(Meeting, encoded(meeting)) == meeting
    assert decoded(Meeting, in_lines(meeting).encode()) == meeting
    assert converted(Meeting, plain(meeting)) == meeting
    assert plain(meeting)["schema"] == "outflank/meeting/1"
    assert type(decoded(Meeting, b'{"games": 1, "unit": "discs", "score": 3}').score) is int


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"games": "3"}, "games: expected a whole number of at least 0, found '3'"),
        ({"games": -1}, "games: expected a whole number of at least 0, found -1"),
        ({"games": True}, "games: expected a whole number of at least 0, found True"),
        ({"games": 10**30}, f"games: expected a whole number of at least 0, found {10**30}"),
        ({"games": None}, "games: expected a whole number of at least 0, found None"),
        ({"unit": "stones"}, "unit: expected one of discs, marbles, found 'stones'"),
        ({"first": "red"}, "first: expected one of black, white or nothing (null), found 'red'"),
        ({"score": 1e300}, "score: expected a number or nothing (null), found 1e+300"),
        ({"players": {}}, "players: expected a list of 2 or nothing (null), found an object"),
        ({"players": [{"name": "a"}]}, "players: expected 2 elements, found 1"),
        ({"players": [{"name": "a"}, {}]}, "players[1].name: expected text of at most 20 characters, found nothing"),
        (
            {"players": [{"name": "a"}, {"name": 21 * "b"}]},
            f"players[1].name: expected text of at most 20 characters, found '{21 * 'b'}'",
        ),
        ({"players": [{"name": "a"}, 3]}, "players[1]: expected an object, found 3"),
        (
            {"players": [{"name": "a"}, {"name": "b", "depth": 10}]},
            "players[1].depth: expected a whole number from 1 to 9, found 10",
        ),
        ({"players": [{"name": "nobody"}, {"name": "b"}]}, "players[0].name: expected somebody"),
        ({"marks": {"a": "b"}}, "marks[…]: expected a whole number"),
        ({"schema": "outflank/other/1"}, "schema: invalid value 'outflank/other/1'"),
    ],
)
def test_one_line_says_where_a_document_does_not_fit(change: dict[str, Any], line: str):
    damaged = {**WHOLE, **change}
    for read in (lambda: decoded(Meeting, json.dumps(damaged).encode()), lambda: converted(Meeting, damaged)):
        with pytest.raises(Misfit) as error:
            read()
        assert str(error.value) == line


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"", "it ends too early"),
        (b'{"games": 3', "it ends too early"),
        (b'{"games": NaN}', "column 11: expected JSON, found 'NaN}'"),
        (b'{\n "games": 3,\n "unit" "discs"}', "line 3, column 9: expected JSON, found '\"discs\"}'"),
        (b'{"games": 1e999}', "games: expected a whole number of at least 0"),
        (b"[" * 400, "expected an object"),
        (b'{"marks": ' + b"[" * 400, "marks: expected an object or nothing (null)"),
        (b"[" * 100_000, "it has more levels than are read"),
        (b'{"marks": ' + b"[" * 100_000, "it has more levels than are read"),
        (b'{"other": ' + b"[" * 100_000, "it has more levels than are read"),
        (b'{"other": ' + b"[" * 600 + b"]" * 600 + b"}", "it has more levels than are read"),
        (b'{"other": ' + b'{"a":' * 600 + b"1" + b"}" * 600 + b"}", "it has more levels than are read"),
        (b'{"games": 1, "unit": "\xff"}', "it is no text in UTF-8"),
        (rb'{"games": 1, "unit": "\ud800"}', r"\ud800 is half a character, without the other"),
        (rb'{"games": 1, "unit": "\\ud800', "it ends too early"),
    ],
)
def test_one_line_says_where_there_is_no_document(data: bytes, line: str):
    with pytest.raises(Misfit) as error:
        decoded(Meeting, data)
    assert str(error.value) == line


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    ask: int
    player: Player | None = None


def test_an_unknown_field_is_named():
    for data, line in (
        (b'{"ask":1,"x":2}', "unknown field 'x'"),
        (b'{"ask":1,"' + b"x" * 100_000 + b'":2}', f"unknown field '{'x' * 39}…"),
        (b'{"x":{}}', "unknown field 'x'"),
    ):
        with pytest.raises(Misfit) as error:
            decoded(Request, data)
        assert str(error.value) == line


def test_levels_are_counted_where_python_would_go_deeper():
    """As Python 3.14 does, which asks for the room on the stack and not for the number of calls."""
    said = []

    def read() -> None:
        with pytest.raises(Misfit) as error:
            decoded(Meeting, b'{"other": ' + b"[" * 100_000)
        said.append(str(error.value))

    limit, size = sys.getrecursionlimit(), threading.stack_size(256 << 20)
    try:
        sys.setrecursionlimit(1_000_000)
        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    assert said == ["it has more levels than are read"]


def _json(levels: int) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.none() | st.text('[]{}"\\a', max_size=6),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('[{"', max_size=2), inner, max_size=3),
        max_leaves=levels,
    )


@given(value=_json(20), most=st.integers(1, 8))
@settings(max_examples=50, deadline=None)
def test_levels_are_those_of_lists_and_objects_and_not_of_what_is_quoted(value: Any, most: int):
    def levels(value: Any) -> int:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
        return 0 if inner is None else 1 + max(map(levels, inner), default=0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "MOST_LEVELS", most)
        assert documents._has_many_levels(json.dumps(value).encode()) == (levels(value) > most)


def test_of_several_documents_the_schema_tells_which_it_is():
    either: Any = Meeting | Tournament
    assert decoded(either, b'{"schema": "outflank/tournament/1", "rounds": 3}') == Tournament(rounds=3)
    with pytest.raises(Misfit, match=r"^rounds: expected a whole number of at least 0, found '3'$"):
        decoded(either, b'{"schema": "outflank/tournament/1", "rounds": "3"}')
    with pytest.raises(Misfit, match=r"^schema: invalid value 'x'$"):
        decoded(either, b'{"schema": "x"}')


def test_a_file_is_of_the_schema_that_is_asked_for(tmp_path: Path):
    path = tmp_path / "meeting.json"
    path.write_text(json.dumps(WHOLE), encoding="utf-8-sig")
    assert read_document(path, Meeting, "a meeting").games == 3
    for other in ("[1]", "7", "{}", '{"schema": "outflank/meeting/2"}', '{"schema": 3}'):
        path.write_text(other)
        with pytest.raises(OutflankError) as error:
            read_document(path, Meeting, "a meeting")
        assert str(error.value) == f"{path} is not a meeting (outflank/meeting/1)"
    path.write_text(json.dumps({**WHOLE, "games": "3"}))
    with pytest.raises(OutflankError, match="is damaged: games: expected a whole number"):
        read_document(path, Meeting, "a meeting")
    with pytest.raises(OutflankError, match="No such file"):
        read_document(tmp_path / "none.json", Meeting, "a meeting")


def test_numbers_of_numpy_and_half_letters_are_written():
    assert encoded({"a": np.int64(3), "b": np.float32(0.5), "c": [np.float64(0.1)]}) == b'{"a":3,"b":0.5,"c":[0.1]}'
    assert json.loads(encoded({"name": "x\udcffy"})) == {"name": "x?y"}
    with pytest.raises(TypeError, match="no document holds a object"):
        encoded({"a": object()})


def test_bytes_that_are_no_text_do_not_hide_what_is_wrong():
    with pytest.raises(Misfit, match="wld: expected true or false"):
        decoded(saving.SolveState, b'{"schema":"outflank/solve-state/1","wld":3,"more":"\xff"}')


# --- what is printed and kept ---

PAGE = Path(__file__).parent.parent / "docs" / "json.md"


def declared() -> dict[str, type[Document]]:
    """Every document that a module of the package declares, by its schema."""
    modules = (
        of_commands,
        of_searches,
        recorded_search,
        of_solving,
        saving,
        of_books,
        of_indexes,
        of_matches,
        of_puzzles,
        of_learning,
        result_store,
    )
    every = [each for module in modules for each in vars(module).values()]
    documents = {each for each in every if isinstance(each, type) and issubclass(each, Document)} - {Document}
    found = {each.schema(): each for each in documents}
    assert len(found) == len(documents), "two documents have one schema"
    return found


def test_the_page_lists_every_document():
    rows = [line.split("|")[1:-1] for line in PAGE.read_text().splitlines() if line.startswith("| ")][1:]
    listed = {schema.strip(" `"): kind.strip(" `") for _, schema, _, kind in rows}
    assert listed == {schema: kind.__name__ for schema, kind in declared().items()}


def test_every_command_that_prints_json_is_on_the_page():
    def printing(command: click.Command, name: str) -> Iterator[str]:
        if isinstance(command, click.Group):
            context = click.Context(command)
            for each in command.list_commands(context):
                inner = command.get_command(context, each)
                assert inner is not None
                yield from printing(inner, f"{name} {each}")
        elif any(option.name == "as_json" for option in command.params):
            yield name.strip()

    of_experiments = {"lab redraw", *(f"lab {name}" for name in experiments())}
    found = {"lab NAME" if name in of_experiments else name for name in printing(cli, "")}
    commands = [
        line.split("|")[1].strip().partition("`,")[0] for line in PAGE.read_text().splitlines() if "`outflank/" in line
    ]
    assert found == {each.strip("`") for each in commands if each and ":" not in each}


@pytest.mark.parametrize(
    ("arguments", "schemas"),
    [
        ("show f5d6", ["show"]),
        ("perft --depth 2", ["perft"]),
        ("perft --depth 2 --divide", ["perft"]),
        ("search f5d6 --depth 2 --workers 1", ["search-iteration", "search-iteration", "search"]),
        ("search f5d6 --depth 1 --workers 1 --compare", ["search-iteration", "search"]),
        ("solve --size 4 --wld --workers 1", ["solve", "solve-total"]),
        ("book show", ["book"]),
        ("book show f5d6c3d3c4f4f6g5e6d7", ["book"]),
        ("book tree f5d6c3d3c4f4f6g5e6d7", ["book-tree"]),
        ("review f5d6 --depth 1 --workers 1", ["review-game", "review-move", "review-move", "review-story"]),
        ("match first first --games 2", ["match-game", "match-game", "match-result"]),
        ("match first first --games 2 --unpaired --sprt 0,10", ["match-game", "match-game", "match-result"]),
        ("lab storage --boards 3 --rounds 1 --repeats 1 --quiet", ["lab"]),
    ],
)
def test_what_is_printed_is_what_is_declared(arguments: str, schemas: list[str], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main([*arguments.split(), "--json"])
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["schema"] for line in lines] == [f"outflank/{each}/1" for each in schemas]
    for line in lines:
        kind = declared()[json.loads(line)["schema"]]
        assert plain(decoded(kind, line.encode())) == json.loads(line)


def test_what_a_release_expects_is_declared():
    documents = declared()
    for command, expected in release.TRIED.items():
        assert expected.keys() - {"schema"} <= set(documents[expected["schema"]].__struct_fields__), command


def test_the_status_of_a_cluster_is_declared():
    node = ClusterNode(host="a", cores=2, alive=True, head=True, identity="x", directory="y")
    clusters = (ClusterStatus(address="a:1", problem=None, nodes=(node,)),)
    found = converted(of_commands.ClusterStatusDocument, {"clusters": plain(clusters)})
    assert plain(found) == {"schema": "outflank/cluster-status/1", "clusters": plain(clusters)}


def test_what_ranks_of_mpi_say_comes_back():
    job = Job(ticket=7, era=2, first=2**64 - 1, second=1, depth=9, ply=3, alpha=-5, beta=5, least=4)
    result = JobResult(ticket=7, valid=True, value=-3, line=(19, 26), seconds=0.5, counts=(1, 2))
    said = (
        mpi_messages.SearchJob(job=job),
        mpi_messages.RankEnded(era=2, result=result),
        mpi_messages.RankReported(era=2, report=NodeReport(nodes=3, busy_seconds=0.5)),
        mpi_messages.RunTask(ticket=1, item={"a": [1, None]}),
        mpi_messages.LeaveRanks(),
    )
    assert tuple(mpi_messages.read_message(encoded(each)) for each in said) == said
    with pytest.raises(Misfit, match=r"result\.line: expected a list, found 3"):
        mpi_messages.read_message(encoded({**plain(said[1]), "result": {**plain(result), "line": 3}}))
    with pytest.raises(Misfit, match="what: invalid value 'Gossip'"):
        mpi_messages.read_message(b'{"what": "Gossip"}')
