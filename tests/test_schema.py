"""Documents and words whose values are of declared types."""

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import pytest

from outflank.abalone.formats.move_text import write_move
from outflank.arena import Settings, Sprt
from outflank.arena.openings import Openings
from outflank.distributed.engines import parse_address
from outflank.distributed.engines.on_ray.head_client import host_and_port
from outflank.distributed.replication import replication_named
from outflank.errors import OutflankError
from outflank.formats.fields import read_number
from outflank.lab import redraw
from outflank.othello.board import OthelloBoard
from outflank.othello.squares import othello
from outflank.players.clock import TimeControl
from outflank.players.computer import Computer
from outflank.search.request import Limits, Options
from outflank.validation.text import from_words
from outflank.validation.values import Between, Misfit, Shape, check_fields, conform

pytestmark = pytest.mark.interpreted_only


class Weights(NamedTuple):
    corner: int = 1


@dataclass(frozen=True, kw_only=True)
class Player:
    name: str
    depth: Annotated[int, Between(1, 9)] = 1


GAME = Shape({"number": int, "players": tuple[Player, ...]}, optional={"score": float | None}, others=str | None)
MATCH = Shape({"games": list[GAME], "unit": Literal["discs", "marbles"]})


def match(**game: Any) -> dict[str, Any]:
    return {"games": [{"number": 1, "players": [{"name": "a", "depth": 3}], **game}], "unit": "discs"}


def test_a_document_that_fits_is_read():
    found = conform(MATCH, match(score=3, note="x"))
    assert found["games"][0] == {"number": 1, "players": (Player(name="a", depth=3),), "score": 3, "note": "x"}


@pytest.mark.parametrize(
    ("document", "line"),
    [
        ([], "expected an object, found a list"),
        ({"unit": "discs"}, "games: expected a list, found nothing"),
        ({**match(), "unit": "stones"}, "unit: expected one of discs, marbles, found 'stones'"),
        (match(number="1"), "games[0].number: expected a whole number, found '1'"),
        (match(number=True), "games[0].number: expected a whole number, found True"),
        (
            match(number=10**400),
            "games[0].number: expected a whole number, found a number of more digits than are read",
        ),
        (match(score=float("nan")), "games[0].score: expected a number or nothing (null), found nan"),
        (match(score=1e300), "games[0].score: expected a number or nothing (null), found 1e+300"),
        (match(players={}), "games[0].players: expected a list, found an object"),
        (match(players=[{"depth": 3}]), "games[0].players[0].name: expected text, found nothing"),
        (match(players=[{"name": "\ud800"}]), "games[0].players[0].name: expected text, found '\\ud800'"),
        (
            match(players=[{"name": "a", "depth": 10}]),
            "games[0].players[0].depth: expected a whole number from 1 to 9, found 10",
        ),
        (match(players=[{"name": "a", "dept": 1}]), "games[0].players[0].dept: unknown (known: name, depth)"),
        (match(note=3), "games[0].note: expected text or nothing (null), found 3"),
    ],
)
def test_one_line_says_where_a_document_does_not_fit(document, line):
    with pytest.raises(Misfit) as error:
        conform(MATCH, document)
    assert str(error.value) == line


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (int | None, "-7", -7),
        (int | None, "none", None),
        (float | None, ".5", 0.5),
        (float, "1e3", 1000.0),
        (bool, "off", False),
        (Literal["one", "rows"] | int, "3", 3),
        (Literal["one", "rows"] | int, "rows", "rows"),
        (Literal[1, 2], "2", 2),
        (tuple[str, ...], "a+b", ("a", "b")),
        (str | tuple[Any, ...] | None, "a+b", "a+b"),
    ],
)
def test_words_mean_what_their_kind_says(kind, text, value):
    assert from_words(kind, text, "x") == value


@pytest.mark.parametrize("text", ["", "x", "--5", "²5", "٣", "5.0", "1e3", "0x10", "1_000", " 5", "9" * 5000, "None "])
def test_what_is_no_whole_number_is_refused(text):
    with pytest.raises(Misfit, match="expected a whole number or none"):
        from_words(int | None, text, "depth")


def test_many_digits_that_are_no_number_are_refused_at_once():
    """Looked at in every way in which a point may divide them, these would take hours."""
    digits = "9" * 500_000
    with pytest.raises(Misfit, match="expected a number"):
        from_words(float, digits + "x", "seconds")
    assert read_number(digits + "x") is None


def test_fields_are_checked_and_numbers_of_numpy_taken():
    assert type(Limits(depth=np.int64(5)).depth) is int
    for seconds in (np.float16(0.5), np.float32(0.5), np.float64(0.5), Fraction(1, 2)):
        assert (type(Limits(seconds=seconds).seconds), Limits(seconds=seconds).seconds) == (float, 0.5)
    assert (type(Options(step=np.int8(2)).step), type(Options(schedule=np.int64(3)).schedule)) == (int, int)
    assert Options(exact=np.True_).exact is True
    assert type(TimeControl(move_seconds=np.float32(2)).move_seconds) is float
    player = Computer(othello(8), seconds=np.float32(0.5), variety=np.int64(3), workers=1)
    assert (type(player.seconds), player.seconds) == (float, 0.5)
    for wrong in (np.float32("nan"), np.float32(1e30), np.array([1.0])):
        with pytest.raises(OutflankError, match="seconds="):
            Limits(seconds=wrong)
    weights = Weights()
    assert Options(evaluation=weights).evaluation is weights
    for wrong in ({"depth": "5"}, {"depth": 5.0}, {"seconds": "1"}, {"nodes": True}):
        with pytest.raises(OutflankError, match="expected a"):
            Limits(**wrong)
    for wrong in ({"exact": None}, {"exact": 1}, {"workers": True}):  # none and switches fit only where they may be
        with pytest.raises(OutflankError, match=f"{next(iter(wrong))}="):
            Options(**wrong)
    with pytest.raises(OutflankError, match="depth=12: expected a whole number from 1 to 9"):
        check_fields(Player(name="a", depth=12))


@pytest.mark.parametrize(
    "text", ["ray://\0:1", "ray://a\n:1", "ray://a:²", "local:²", "local:٣", "local:" + "9" * 5000]
)
def test_odd_addresses_are_one_line(text):
    with pytest.raises(OutflankError, match="cluster"):
        parse_address(text)


@pytest.mark.parametrize("text", ["a\0b:1", "a:²", "a:" + "9" * 5000, ":", "a" * 300 + ":1"])
def test_odd_hosts_are_one_line(text):
    with pytest.raises(OutflankError, match=r"no address|no machine"):
        host_and_port(text)


@pytest.mark.parametrize("text", ["async:depth=²", "async:batch=" + "9" * 5000, "async:depth=999999999", "\0"])
def test_odd_policies_are_one_line(text):
    with pytest.raises(OutflankError, match="replication"):
        replication_named(text)


@pytest.mark.parametrize("text", ["random:²", "nowhere\0", "a\0b:8", "random:٣", "x" * 5000])
def test_odd_openings_are_one_line(text):
    with pytest.raises(OutflankError, match="openings"):
        Openings(text, OthelloBoard.start(), seed=1, count=1)


# --- the documents of the laboratory ---

RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"


@pytest.mark.parametrize("path", sorted(RESULTS.glob("lab/*.json")) + sorted(RESULTS.glob("cluster/*.json")))
def test_every_kept_result_fits_its_schema(path):
    assert redraw(path).tables


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda kept: kept.pop("samples"), "samples: expected a list, found nothing"),
        (lambda kept: kept["samples"][3].pop("seconds"), "samples[3].seconds: expected a number from 1e-09"),
        (lambda kept: kept["samples"][3].update(seconds=0), "samples[3].seconds: expected a number from 1e-09"),
        (lambda kept: kept["samples"][0].update(nodes="many"), "samples[0].nodes: expected a whole number"),
        (
            lambda kept: kept["samples"][0].update(workers=[1]),
            "samples[0].workers: expected a whole number",
        ),
        (
            lambda kept: kept["samples"][0].update(extra={}),
            "samples[0].extra: expected a whole number or a number",
        ),
        (lambda kept: kept["parameters"].update(workers="2"), "parameters.workers: expected a list, found '2'"),
        (lambda kept: kept["parameters"].update(worker=2), "parameters.worker: unknown (known: program, "),
        (lambda kept: kept["provenance"].update(machine=10**30), "provenance.machine: expected a whole number"),
        (lambda kept: kept["provenance"].update(machine=float("nan")), "column 546: expected JSON, found 'NaN, "),
        (lambda kept: kept.update(notes=[1]), "notes[0]: expected text, found 1"),
    ],
)
def test_one_line_says_where_a_result_is_damaged(tmp_path, damage, line):
    kept = json.loads((RESULTS / "lab" / "scaling.json").read_text())
    damage(kept)
    path = tmp_path / "scaling.json"
    path.write_text(json.dumps(kept))
    with pytest.raises(OutflankError) as error:
        redraw(path)
    assert str(error.value).startswith(f"{path} is damaged: {line}")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda kept: kept["parameters"].update(game="chess"), "parameters: unknown game 'chess' (known: "),
        (lambda kept: kept.update(experiment="mine"), "unknown experiment 'mine' (known: "),
    ],
)
def test_a_result_with_names_of_a_users_own_is_not_damaged(tmp_path, change, line):
    kept = json.loads((RESULTS / "lab" / "scaling.json").read_text())
    change(kept)
    path = tmp_path / "scaling.json"
    path.write_text(json.dumps(kept))
    with pytest.raises(OutflankError) as error:
        redraw(path)
    reason = "uses a name that this process does not know; --import MODULE makes names of your own known"
    assert str(error.value).startswith(f"{path} {reason}: {line}")


def test_an_error_is_one_line_whatever_it_shows():
    assert str(OutflankError("no\nsuch\r\nthing")) == "no such thing"
    with pytest.raises(OutflankError, match="70000 is no move of Abalone"):
        write_move(70000)


def test_clocks_and_matches_are_checked_by_their_types():
    with pytest.raises(OutflankError, match=r"more than 1e\+09 seconds"):
        TimeControl.parse("999999h")
    for wrong in ({"game_seconds": "5"}, {"increment_seconds": float("nan")}, {"move_seconds": True}):
        with pytest.raises(OutflankError, match="expected a number"):
            TimeControl(**wrong)
    for wrong in ({"games": "4"}, {"players": "ab"}, {"start": "f5"}, {"clock": 5}, {"ply_limit": 1.5}):
        with pytest.raises(OutflankError, match="expected"):
            Settings(**{"players": ("a", "b"), "start": OthelloBoard.start(), **wrong})
    for wrong in ("nan,5", "0,inf", "٣,5", "0", "0,1,2"):
        with pytest.raises(OutflankError, match="SPRT"):
            Sprt.parse(wrong)
