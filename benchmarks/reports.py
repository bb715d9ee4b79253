"""What the reports measured of their searches, measured of ours: depth 17, orderings, pivot, coarseness,
symmetry, algorithms, and the integers at depth 7.

python -m benchmarks.reports
"""

from typing import Any

from benchmarks.common import save
from outflank import Limits, OthelloBoard
from outflank.boards import Board
from outflank.games.sides import Side
from outflank.search.deepening import search
from outflank.search.probes import Counts

START = OthelloBoard.start()
MIDGAME = OthelloBoard.from_line("------------XO-----OOOX---XOOOX--XOXXOX--OOOXX-----XXX----X----- X")
"""Report 000's picture of its mid-game board is lost: this one is from a tournament game, after 22 moves."""

REPORT_000: dict[str, Any] = {
    "algorithm": "mtdf",
    "evaluation": "four-part",
    "ordering": "stones+squares",
    "step": 2,
    "table_bits": 22,
}
"""Report 000's program: MTD(f), its evaluation and ordering, iterations in steps of two."""

ORDERINGS = ("none", "stones", "squares", "mobility", "potential", "stones+squares")
BOARDS = {"start": (START, 13), "mid-game": (MIDGAME, 11)}


def measured(board: Board[Any], depth: int, **options: Any) -> dict[str, Any]:
    found = search(board, Limits(depth=depth), **{"workers": 1, **options})
    return {"value": found.value, "nodes": found.nodes, "seconds": round(found.seconds, 3)}


def row(name: str, result: dict[str, Any]) -> str:
    return f"  {name:<34} {result['nodes']:>14,} nodes {result['seconds']:>9.3f} s   value {result['value']:+d}"


def table(title: str, results: dict[str, dict[str, Any]]) -> None:
    print(title)
    for name, result in results.items():
        print(row(name, result))


RULES_002: dict[str, Any] = {"passes": "free", "ties": {Side.BLACK: "lowest", Side.WHITE: "lowest"}}
RULES_004: dict[str, Any] = {"passes": "evaluated", "ties": {Side.BLACK: "highest", Side.WHITE: "lowest"}}
"""What the reports' programs do about passes and among equal moves."""


def self_play(depth: int, passes: str, ties: dict[Side, str], **options: Any) -> tuple[Counts, int, OthelloBoard]:
    """A game of minimax by discs against itself: what was searched, turns taken, and the last board."""
    options = {"workers": 1, **options}
    counts = Counts()
    board = OthelloBoard.start(scoring="discs")
    turns = 0
    while not board.is_game_over():
        turns += 1
        if passes == "free" and board.legal_moves[0].is_pass:
            board.push("pass")  # the program of report 002 searches nothing then
            continue
        found = search(
            board,
            Limits(depth=depth),
            algorithm="minimax",
            evaluation="discs",
            passes=passes,
            ties=ties[board.turn],
            deepen=False,
            counts=counts,
            **options,
        )
        board.push(str(found.move))
    return counts, turns, board


def spawns_002(depth: int, **options: Any) -> int:
    """Legal moves of all nodes with three plies or more to go."""
    counts, _, _ = self_play(depth, **RULES_002, **options)
    return sum(counts.moves[3:])


def calls_and_turns_004(depth: int, **options: Any) -> tuple[int, int]:
    """Nodes with depth left, and turns. The report's loop ends with a round of two passes: calls, too."""
    counts, turns, board = self_play(depth, **RULES_004, **options)
    closing = 2 if board.turn is Side.BLACK else 1 if board.moves[-1].is_pass else 3
    return sum(counts.nodes[1:]) + closing, turns + closing


def main() -> None:
    samples: dict[str, Any] = {}
    samples["depth 17"] = {
        "as report 000": measured(START, 17, **REPORT_000),
        "symmetric positions shared": measured(START, 17, **REPORT_000, canonical=True),
        "our ordering, pvs": measured(START, 17, table_bits=22, evaluation="four-part"),
        "our ordering, pvs, shared": measured(START, 17, table_bits=22, evaluation="four-part", canonical=True),
    }
    table("depth 17 from the start (report 000: 55,000,000 boards, 3776 s)", samples["depth 17"])
    for name, (board, depth) in BOARDS.items():
        key = f"orderings, {name}, depth {depth}"
        samples[key] = {
            ordering: measured(board, depth, **{**REPORT_000, "ordering": ordering}) for ordering in ORDERINGS
        }
        table(key, samples[key])
    for name, (board, depth) in BOARDS.items():
        key = f"pivot and coarseness, {name}, depth {depth}"
        samples[key] = {
            f"pivot {pivot}, {evaluation}": measured(
                board, depth, **{**REPORT_000, "pivot": pivot, "evaluation": evaluation}
            )
            for pivot in ("carried", "reset")
            for evaluation in ("four-part", "four-part-fine")
        }
        table(key, samples[key])
    for name, (board, depth) in BOARDS.items():
        key = f"symmetry, {name}, depth {depth}"
        samples[key] = {
            f"{algorithm}, canonical {'on' if canonical else 'off'}": measured(
                board, depth, **{**REPORT_000, "algorithm": algorithm, "canonical": canonical}
            )
            for algorithm in ("pvs", "mtdf")
            for canonical in (False, True)
        }
        table(key, samples[key])
    for name, (board, depth) in BOARDS.items():
        key = f"algorithms, {name}, depth {depth}"
        samples[key] = {
            algorithm: measured(board, depth, algorithm=algorithm, evaluation="four-part", table_bits=22)
            for algorithm in ("alphabeta", "pvs", "mtdf")
        }
        table(key, samples[key])
    integers = {"004": (22_635_599, calls_and_turns_004(7)[0]), "002": (3_914_171, spawns_002(7))}
    figures: dict[str, Any] = {
        "depth 17, nodes": samples["depth 17"]["symmetric positions shared"]["nodes"],
        "depth 17, seconds": samples["depth 17"]["symmetric positions shared"]["seconds"],
    }
    for report, (published, found) in integers.items():
        figures[f"report {report} at depth 7, published {published:,}"] = found
    for algorithm in ("alphabeta", "pvs", "mtdf"):
        figures[f"nodes of {algorithm} on the set"] = sum(
            samples[f"algorithms, {name}, depth {depth}"][algorithm]["nodes"] for name, (_, depth) in BOARDS.items()
        )
    save("reports", figures, samples)


if __name__ == "__main__":
    main()
