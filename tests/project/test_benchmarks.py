"""What benchmarks read of other programs, and how they make figures of it."""

import re

import pytest

from benchmarks import levels
from benchmarks.endings import Ending, differences, overhead, overhead_table, table, totals, usual
from benchmarks.peers import ADAPTERS, Peer, PeerFailed, Solved, seconds_of
from benchmarks.positions.draw import drawn
from benchmarks.stalls import StallMonitor
from outflank import OthelloBoard
from outflank.errors import OutflankError
from outflank.formats.game_record import PlayedMove, Record, Setup
from outflank.othello.squares import START, othello

pytestmark = pytest.mark.interpreted_only

EDAX = """Edax version 4.6 for Linux

WARNING: missing best score in --XXXXX--OOOXX-O X;
 # | depth|score|       time   |  nodes (N)  |   N/s    | principal variation
---+------+-----+--------------+-------------+----------+---------------------
  1|   14   +18        0:00.016        134286    8392875 g8 H7 a8 A6 a4
  2|   24   -06        1:23.057     112232500    1351271 A5 a7 F1  Erroneous score: -4 expected
 13|    3   +00        0:00.000            12            h8
---+------+-----+--------------+-------------+----------+---------------------
positions: 112366798 nodes in  1:23.073 (cpu =  1:22.900) (1352627 nodes/s).
"""

EGAROUCID = """
|          Level|          Depth|           Move|          Score|           Time|          Nodes|            NPS|
|             60|        16@100%|             a7|            +34|  000:00:00.120|         496145|        4134541|
|             60|        24@100%|             h2|             +0|  000:01:02.247|         494577|           7945|
total 990722 nodes in 62.367s NPS 15885
"""


def test_edax_is_read_by_its_table() -> None:
    assert ADAPTERS["edax"].read(EDAX) == [
        Solved(score=18, seconds=0.016, nodes=134286, move="g8"),
        Solved(score=-6, seconds=83.057, nodes=112232500, move="a5"),
        Solved(score=0, seconds=0.0, nodes=12, move="h8"),
    ]


def test_the_processor_time_of_one_position_is_edaxs_last_line() -> None:
    alone = "".join(line + "\n" for line in EDAX.splitlines() if not line.startswith(("  2|", " 13|")))
    (solved,) = ADAPTERS["edax"].read(alone)
    assert solved.cpu_seconds == pytest.approx(82.9)
    (solved,) = ADAPTERS["edax"].read(re.sub(r"\(cpu = .*", "(cpu =  0:00.004", alone))
    assert solved.cpu_seconds == pytest.approx(0.004)


def test_egaroucid_is_read_by_its_table() -> None:
    assert ADAPTERS["egaroucid"].read(EGAROUCID) == [
        Solved(score=34, seconds=0.12, nodes=496145, move="a7"),
        Solved(score=0, seconds=62.247, nodes=494577, move="h2"),
    ]


@pytest.mark.parametrize(
    ("name", "told"),
    [("edax", EDAX.replace("   14   ", "   14@73% ")), ("egaroucid", EGAROUCID.replace("@100", "@99"))],
)
def test_what_was_not_played_out_is_no_result(name: str, told: str) -> None:
    with pytest.raises(PeerFailed, match="did not solve exactly"):
        ADAPTERS[name].read(told)


def test_a_search_is_as_deep_as_was_asked() -> None:
    selective = EDAX.splitlines()[5].replace("   14   ", "14@73%  ")
    assert ADAPTERS["edax"].read(selective, 14)[0].nodes == 134286
    with pytest.raises(PeerFailed, match="Edax searched 14 plies, not 16"):
        ADAPTERS["edax"].read(selective, 16)
    assert [one.score for one in ADAPTERS["egaroucid"].read(EGAROUCID.replace("24@100", "16@74"), 16)] == [34, 0]
    for adapter in ADAPTERS.values():
        assert "16" in adapter.arguments("file", 21, 16)
        assert "60" in adapter.arguments("file", 21)


def test_programs_are_given_positions_as_they_read_them() -> None:
    line = "-----XO--OX----- X"
    assert ADAPTERS["edax"].script([line]) == "-----XO--OX----- X;\n"
    assert ADAPTERS["egaroucid"].script([line]) == "-----XO--OX-----X\n"
    assert "21" in ADAPTERS["edax"].arguments("file", 21)
    assert "21" in ADAPTERS["egaroucid"].arguments("file", 21)


def test_a_peer_is_a_name_and_a_command_and_is_told_without_folders() -> None:
    peer = Peer.named("edax-4.6=/some/where/edax -eval-file /else/where/eval.dat")
    assert peer.command == ("/some/where/edax", "-eval-file", "/else/where/eval.dat")
    assert peer.told == "edax-4.6=edax -eval-file eval.dat"
    for wrong in ("edax", "edax=", "zebra=zebra"):
        with pytest.raises(PeerFailed, match="NAME=COMMAND is expected"):
            Peer.named(wrong)
    with pytest.raises(PeerFailed, match=r"^edax=none: No such file"):
        Peer.named("edax=/nowhere/none").solve(["-----XO--OX----- X"], 10)


def test_a_program_that_prints_no_result_is_one_line() -> None:
    with pytest.raises(PeerFailed, match="edax=echo: 1 results expected, 0 read; last line: -solve"):
        Peer.named("edax=echo").solve(["-----XO--OX----- X"], 10)


@pytest.mark.parametrize(
    ("text", "seconds"), [("0:00.006", 0.006), ("1:23.057", 83.057), ("1:02:03.400", 3723.4), ("000:00:00.120", 0.12)]
)
def test_times_of_all_forms(text: str, seconds: float) -> None:
    assert seconds_of(text) == pytest.approx(seconds)


def solved(score: int, seconds: float, nodes: int = 10) -> Solved:
    return Solved(score=score, seconds=seconds, nodes=nodes, cpu_seconds=seconds / 2)


def test_medians_ratios_and_wrong_scores() -> None:
    board = OthelloBoard.start(4)
    script = [Ending(label="a 1", board=board, score=-8), Ending(label="a 2", board=board, score=None)]
    samples = {
        "outflank": [[solved(-8, 3.0), solved(-8, 1.0), solved(-8, 2.0)], [solved(4, 1.0)] * 3],
        "edax": [[solved(-8, 1.0, 20)] * 3, [solved(2, 0.5, 20)] * 3],
    }
    assert differences(script, samples) == ["a 2: edax finds +2, not +4"]
    medians = {name: [usual(each) for each in found] for name, found in samples.items()}
    assert medians["outflank"][0].seconds == 2.0
    figures = totals(medians)
    assert figures["outflank to edax: time"] == pytest.approx(2.0)
    assert figures["outflank to edax: processor time"] == pytest.approx(2.0)
    assert figures["outflank to edax: nodes"] == pytest.approx(0.5)
    head, first, *_, last = table(script, medians)
    assert head.endswith("time/edax")
    assert last.startswith("total")
    assert last.endswith("2.00")
    assert len({len(head), len(first), len(last)}) == 1


def test_workers_are_held_against_one_by_their_nodes_and_by_time_where_there_are_cores() -> None:
    script = [Ending(label="a 1", board=OthelloBoard.start(4), score=-8)]
    medians = {
        "1 worker": [solved(-8, 3.0, 10)],
        "2 workers": [solved(-8, 1.5, 11)],
        "32 workers": [solved(-8, 9.0, 14)],
    }
    figures = overhead(medians, 2.0)
    assert figures["2 workers: nodes / 1 worker"] == pytest.approx(1.1)
    assert figures["2 workers: speed-up"] == pytest.approx(2.0)
    assert figures["32 workers: nodes / 1 worker"] == pytest.approx(1.4)
    assert "32 workers: speed-up" not in figures
    head, *_, last = overhead_table(script, medians)
    assert last.split()[-2:] == ["1.100", "1.400"]
    assert len(head) == len(last)


def test_endings_are_drawn_by_a_seed_from_different_games() -> None:
    start = Setup(format="test", game=othello(), position=START)
    board, played = OthelloBoard.start(), []
    while board.legal_moves:
        played.append(PlayedMove(code=board.push(board.legal_moves[0]).code))
    record = Record(start=start, moves=tuple(played))
    other = Record(start=start, moves=tuple(played[:30]))
    (found,) = drawn([record], [30], 1, 1)
    assert found.moves_left == 30
    assert len(found.legal_moves) > 1
    with pytest.raises(OutflankError, match="1 games are too few"):
        list(drawn([record], [30, 20], 1, 1))
    with pytest.raises(OutflankError, match="2 games are too few"):
        list(drawn([record, other], [35], 2, 1))


def test_levels_are_told_as_a_ladder() -> None:
    elo = {"value": 150.0, "low": 80.0, "high": 230.0}
    neighbours = [
        {"players": [str(number + 1), str(number)], "elo": elo, "games": 60, "seconds_a_move": [0.02, 0.01]}
        for number in (14, 15)
    ]
    rows = [
        [cell.strip() for cell in row.strip("|").split("|")] for row in levels.table(othello(8), neighbours).split("\n")
    ]
    assert {len(row) for row in rows} == {len(rows[0])}
    assert [row[0] for row in rows[2:]] == ["14", "15", "16"]
    assert [row[-1] for row in rows[2:]] == ["0", "150", "300"]
    assert rows[3][5:8] == ["+150", "+80 to +230", "60"]


def test_a_ladder_of_levels_has_no_gap(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        levels.main(["othello", "1-3:10", "4-5:10"])
    assert "3 and 4: a part begins with the level that the last ends with" in capsys.readouterr().err


def test_stalls_are_counted_and_the_part_within_a_move_is_measured() -> None:
    monitor = StallMonitor()
    assert (monitor.longest_seconds(0.0, 9.0), monitor.count(0.0)) == (0.0, 0)
    monitor.note(1.0, 1.25)
    monitor.note(2.0, 2.5)
    assert monitor.longest_seconds(0.0, 3.0) == 0.5
    assert monitor.longest_seconds(1.125, 2.25) == 0.25, "only what is within"
    assert monitor.longest_seconds(1.5, 1.75) == 0.0
    assert (monitor.count(0.2), monitor.count(0.25)) == (2, 1)
