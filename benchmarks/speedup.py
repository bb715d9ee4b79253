"""Two workers beside one: fork-join minimax over a whole game, and young brothers wait on forty positions.

A sample counts if the program had the cores it wanted: its processor time is at least 97 % of the time that
its workers were busy (for one worker: of the whole time), and the host took no more than 3 % of it away. Sides
are run in turn, round after round, and a position's time is the median of the samples that count. Both
figures are printed: samples kept, and all.

python -m benchmarks.speedup [ROUNDS]            of young brothers wait on alpha-beta; one with PVS, and five games
python -m benchmarks.speedup games [ROUNDS]      of fork-join alone
"""

import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks.common import save, stolen_seconds
from benchmarks.positions import GAMES, positions
from outflank import Limits, OthelloBoard
from outflank.boards import Board
from outflank.search.results import Result
from outflank.search.whole_search import search

ENOUGH = 0.97
GAMES_PLAYED = 5

ALONE: dict[str, Any] = {"workers": 1}
ONE: dict[str, Any] = {"workers": 1, "parallel": "ybw"}
TWO: dict[str, Any] = {"workers": 2, "parallel": "ybw"}
SIDES = {"alone": ALONE, "one": ONE, "two": TWO}


@dataclass
class Samples:
    """What was measured of one side at one position."""

    seconds: list[float] = field(default_factory=list)
    kept: list[bool] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    python_share: list[float] = field(default_factory=list)

    def median(self) -> float:
        """Of the samples that count; of all, where none does."""
        counted = [seconds for seconds, kept in zip(self.seconds, self.kept, strict=True) if kept]
        return statistics.median(counted or self.seconds)


def measured(board: Board, limits: Limits, samples: Samples, **options: Any) -> Result:
    before, stolen = time.process_time(), stolen_seconds()
    found = search(board, limits, **options)
    processor, stolen = time.process_time() - before, stolen_seconds() - stolen
    busy = sum(worker.useful_seconds for worker in found.workers) or found.seconds
    samples.seconds.append(found.seconds)
    samples.kept.append(processor >= ENOUGH * busy and stolen <= (1 - ENOUGH) * found.seconds)
    samples.nodes.append(found.nodes)
    if found.scheme:
        leader = found.workers[0]
        samples.python_share.append(1 - (leader.useful_seconds + leader.idle_seconds) / found.seconds)
    return found


def fork_join_game(rounds: int, figures: dict[str, Any], raw: dict[str, Any]) -> None:
    """Minimax by discs to depth 7 against itself, a whole game: report 004's measurement."""
    sides: dict[str, dict[str, Any]] = {"alone": {"workers": 1}, "two": {"workers": 2, "parallel": "fork-join"}}
    moves: list[str] = []
    samples = {name: [] for name in sides}  # type: dict[str, list[tuple[float, bool]]]
    for number in range(rounds):
        for name, options in sides.items():
            board, game = OthelloBoard.start(scoring="discs"), Samples()
            while not board.is_game_over:
                limits = Limits(depth=7)
                found = measured(
                    board, limits, game, algorithm="minimax", evaluation="discs", deepen=False, ties="lowest", **options
                )
                board.push(str(found.move))
            played = [str(move) for move in board.moves]
            assert moves in ([], played), "the game depends on the number of workers"
            moves = played
            # A game counts if nine tenths of its time do.
            good = sum(seconds for seconds, kept in zip(game.seconds, game.kept, strict=True) if kept)
            samples[name].append((sum(game.seconds), good >= 0.9 * sum(game.seconds)))
            print(f"game {number + 1}/{rounds}, {name}: {sum(game.seconds):.2f} s", file=sys.stderr, flush=True)
    rounds_kept = [
        alone[0] / two[0] for alone, two in zip(samples["alone"], samples["two"], strict=True) if alone[1] and two[1]
    ]
    figures["fork-join minimax, depth 7, a whole game: speed-up of two (median of rounds)"] = statistics.median(
        rounds_kept or [alone[0] / two[0] for alone, two in zip(samples["alone"], samples["two"], strict=True)]
    )
    figures["fork-join minimax: samples kept of all"] = _kept([kept for taken in samples.values() for _, kept in taken])
    raw["fork-join game"] = samples


def young_brothers(game: str, algorithm: str, rounds: int, figures: dict[str, Any], raw: dict[str, Any]) -> None:
    """To the same depth, alone, with one worker of the scheme, and with two."""
    table: list[dict[str, Samples]] = []
    for number, (board, depth) in enumerate(positions(game)):
        sides = {name: Samples() for name in SIDES}
        for _ in range(rounds):
            values = {
                measured(board, Limits(depth=depth), sides[name], algorithm=algorithm, **options).value
                for name, options in SIDES.items()
            }
            assert len(values) == 1, "the value depends on the number of workers"
        table.append(sides)
        print(
            f"{game}, {algorithm}, {number + 1}/20: "
            + ", ".join(f"{name} {taken.median():.2f} s" for name, taken in sides.items()),
            file=sys.stderr,
            flush=True,
        )
    total = {name: sum(sides[name].median() for sides in table) for name in SIDES}
    nodes = {name: sum(statistics.median(sides[name].nodes) for sides in table) for name in SIDES}
    title = f"{game}, {algorithm}"
    figures[f"{title}: speed-up of two workers"] = total["alone"] / total["two"]
    figures[f"{title}: nodes of two workers / one alone"] = nodes["two"] / nodes["alone"]
    figures[f"{title}: nodes per second of two workers / one alone"] = (
        nodes["two"] / total["two"] / (nodes["alone"] / total["alone"])
    )
    figures[f"{title}: time of one worker of the scheme / alone"] = total["one"] / total["alone"]
    figures[f"{title}: Python's share of the time of two"] = statistics.median(
        share for sides in table for share in sides["two"].python_share
    )
    figures[f"{title}: samples kept of all"] = _kept(
        [kept for sides in table for taken in sides.values() for kept in taken.kept]
    )
    raw[title] = [
        {name: {"seconds": taken.seconds, "kept": taken.kept, "nodes": taken.nodes} for name, taken in sides.items()}
        for sides in table
    ]


def _kept(flags: list[bool]) -> str:
    return f"{sum(flags)} of {len(flags)}"


def main() -> None:
    if sys.argv[1:2] == ["games"]:
        of_games: dict[str, Any] = {}
        all_games: dict[str, Any] = {}
        fork_join_game(int(sys.argv[2]) if len(sys.argv) > 2 else 15, of_games, all_games)
        save("speedup", of_games, all_games, variant="games")
        return
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    figures: dict[str, Any] = {}
    raw: dict[str, Any] = {}
    fork_join_game(GAMES_PLAYED, figures, raw)
    for game in GAMES:
        young_brothers(game, "alphabeta", rounds, figures, raw)
        young_brothers(game, "pvs", 1, figures, raw)
    save("speedup", figures, raw)


if __name__ == "__main__":
    main()
