"""`outflank bench`: a signature of what is searched, which is the same on every machine."""

import json
import re

import pytest

from outflank.lab.measuring import bench_searches
from outflank.lab.measuring.bench_searches import SEARCHES, BenchSearch, run_bench
from outflank.search.request import Stop
from outflank.ui.cli import main
from outflank.ui.cli.laboratory import bench_command as command

SIGNATURE = 27_118_011
"""Change it only with what is searched, and say in the commit what changed it."""

SMALL = (
    BenchSearch(game="othello", position="start4", depth=3),
    BenchSearch(game="abalone", position="start", depth=1, options={"algorithm": "alphabeta"}),
)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main(["bench", *arguments])
    out, err = capsys.readouterr()
    assert err == ""
    return int(ended.value.code or 0), out


@pytest.mark.compiled
@pytest.mark.slow(8)
def test_the_signature_is_the_one_that_is_known() -> None:
    assert sum(result.nodes for _, result in run_bench()) == SIGNATURE


def test_every_search_is_told_apart_and_has_a_position() -> None:
    assert len({entry.name for entry in SEARCHES}) == len(SEARCHES)
    assert all(bench_searches.game_named(entry.game).lab.positions[entry.position]().legal_moves for entry in SEARCHES)


def test_the_command_prints_each_search_and_the_sum(capsys, monkeypatch) -> None:
    monkeypatch.setattr(command, "SEARCHES", SMALL)
    first, second = (entry.run().nodes for entry in SMALL)
    status, out = printed(capsys)
    lines = out.splitlines()
    assert (status, len(lines)) == (0, 3)
    assert re.fullmatch(rf"othello start4, depth 3 +{first} nodes +\d+\.\d\d s", lines[0])
    assert re.fullmatch(rf"abalone start, depth 1, alphabeta +{second} nodes +\d+\.\d\d s", lines[1])
    assert lines[2].startswith(f"{first + second} nodes in ")
    status, out = printed(capsys, "--json")
    *rows, total = map(json.loads, out.splitlines())
    assert (status, [row["nodes"] for row in rows]) == (0, [first, second])
    assert (total["schema"], total["complete"], total["nodes"]) == ("outflank/bench/1", True, first + second)


def test_an_interrupted_run_says_so(capsys, monkeypatch) -> None:
    def interrupted(searches, *, stop, begin):
        begin(searches[0])
        yield searches[0], searches[0].run()
        stop()

    monkeypatch.setattr(command, "SEARCHES", SMALL)
    monkeypatch.setattr(command, "run_bench", interrupted)
    status, out = printed(capsys)
    assert status == 130
    assert out.endswith("interrupted after 1 of 2 searches\n")
    assert list(run_bench(SMALL, stop=stopped())) == []


def stopped() -> Stop:
    stop = Stop()
    stop()
    return stop
