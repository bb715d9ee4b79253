"""Single positions by all cores, and by these and a GPU: the time for a proof, and what the device did meanwhile.

python -m benchmarks.gpu_bridge ROUNDS FILE.obf [FIRST LAST]

The scores in the file are compared. The start of 6×6 is solved as well.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import outflank
from benchmarks.common import interleaved, ratio, save
from outflank import Board, OthelloBoard
from outflank.gpu.desk import Desk
from outflank.machine import usable_cores
from outflank.parallel import with_device

CORES = int(usable_cores())


desks: list[Desk] = []


class CountedDesk(Desk):
    """A desk that is remembered."""

    def open(self) -> None:
        desks.append(self)
        super().open()


def scored(line: str) -> tuple[Board[Any], int]:
    text, *scores = line.strip().rstrip(";").split(";")
    board = Board.from_text(text)
    return board, max(int(each.split(":")[1]) for each in scores if ":" in each)


def proof(boards: list[tuple[Board[Any], int]], *, on_gpu: bool) -> Callable[[], float]:
    def run() -> float:
        seconds = 0.0
        for board, score in boards:
            started = time.perf_counter()
            found = outflank.solve(board, device="gpu") if on_gpu else outflank.solve(board, workers=CORES)
            seconds += time.perf_counter() - started
            assert found.value == score, (board.to_text(), found.value, score)
        return seconds

    return run


def main() -> None:
    rounds, path = int(sys.argv[1]), Path(sys.argv[2])
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("%")]
    if len(sys.argv) > 3:
        lines = lines[int(sys.argv[3]) - 1 : int(sys.argv[4])]
    setattr(with_device, "Desk", CountedDesk)  # noqa: B010  # what it has done is told
    boards = [scored(line) for line in lines]
    six: list[tuple[Board[Any], int]] = [(OthelloBoard.start(6), -4)]
    sides = {
        f"{len(boards)} positions, cores": proof(boards, on_gpu=False),
        f"{len(boards)} positions, cores and GPU": proof(boards, on_gpu=True),
        "6×6, cores": proof(six, on_gpu=False),
        "6×6, cores and GPU": proof(six, on_gpu=True),
    }
    for run in (proof(boards[:1], on_gpu=False), proof(boards[:1], on_gpu=True)):
        run()  # compiles
    desks.clear()
    samples = interleaved(sides, rounds)
    figures: dict[str, float] = {f"{name}, s": statistics.median(found) for name, found in samples.items()}
    for name in ("6×6", f"{len(boards)} positions"):
        figures[f"{name}, cores and GPU / cores"] = ratio(samples, f"{name}, cores and GPU", f"{name}, cores")
    figures["endings answered in a round"] = sum(desk.answered for desk in desks) / rounds
    figures["endings answered too late in a round"] = sum(desk.late for desk in desks) / rounds
    figures["batches in a round"] = sum(desk.batches for desk in desks) / rounds
    figures["million nodes of the device in a round"] = sum(desk.nodes for desk in desks) / rounds / 1e6
    save("gpu_bridge", figures, samples, variant=path.stem)


if __name__ == "__main__":
    main()
