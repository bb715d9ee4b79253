"""Endings solved on one thread, beside other programs that solve them, or with several workers.

python -m benchmarks.endings [FILE.obf …] [--peer NAME=COMMAND …] [--rounds 3] [--only 1-5,9]
python -m benchmarks.endings [FILE.obf …] --workers 1,2,4,8,16,32 [--parallel SCHEME]

A peer is a program that solves: `edax=…` or `egaroucid=…`, with the command that starts it. The sides take turns
position by position, each with a table of as many entries, empty before each; the time is what each
says of its search, so neither start-up nor compiling counts, and beside it the processor time, which a busy
machine does not spoil. Scores are held against the file's, and against one another; a difference ends with status 1.

With more workers than cores, time tells nothing: workers give up their core every so many nodes, so that they
advance about evenly, and the nodes are what counts.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import outflank
from benchmarks.common import save
from benchmarks.peers import Peer, PeerFailed, Solved
from outflank.boards import Board
from outflank.formats.game_files import read_records
from outflank.machine import usable_cores
from outflank.othello.formats.board_line import write_board_line, write_obf

OURS = "outflank"
USUAL = Path(__file__).parent / "positions" / "endings.obf"
LEAST_SECONDS = 1e-3
"""What some programs' clocks do not see counts as this."""
PACE = 200
"""Nodes after which one of more workers than cores gives up its core, as in `benchmarks.workers`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """A position of a script."""

    label: str
    board: Board
    score: int | None
    """What the script says that it is worth to the mover."""

    @property
    def line(self) -> str:
        """As peers read it."""
        return write_board_line(self.board.game, self.board.position, self.board.turn)


Side = Callable[[Ending], Solved]


def endings(files: Iterable[Path], only: str = "") -> list[Ending]:
    """The positions of OBF files, or those of them whose number in their file `only` lists, like `1-5,9`."""
    wanted = {number for part in only.split(",") if part for number in _numbers(part)}
    found = []
    for file in files:
        for number, record in enumerate(read_records(file, format="obf"), 1):
            if not wanted or number in wanted:
                scores = record.start.scores.values()
                label = f"{file.stem} {number}"
                found.append(Ending(label=label, board=Board.from_setup(record.start), score=max(scores, default=None)))
    return found


def ours(table_bits: int, **options: Any) -> Side:
    """This package. Its table is cleared before the clock runs, as that of a program that is started anew."""
    table = outflank.Table(table_bits)

    def solve(ending: Ending) -> Solved:
        table.clear()
        began = time.process_time()
        found = outflank.solve(ending.board, table=table, **options)
        spent = time.process_time() - began
        assert found.value is not None
        return Solved(
            score=found.value, seconds=found.seconds, nodes=found.nodes, cpu_seconds=spent, move=str(found.move)
        )

    return solve


def theirs(peer: Peer, table_bits: int) -> Side:
    """Another program."""
    return lambda ending: peer.solve([ending.line], table_bits)[0]


def measured(script: Sequence[Ending], sides: dict[str, Side], rounds: int) -> dict[str, list[list[Solved]]]:
    """Each side's results, for every position those of all rounds; position by position the sides take turns."""
    samples: dict[str, list[list[Solved]]] = {name: [[] for _ in script] for name in sides}
    for done in range(rounds):
        for number, ending in enumerate(script):
            for name, solve in sides.items():
                samples[name][number].append(solve(ending))
            told = ", ".join(f"{name} {samples[name][number][-1].seconds:.3f} s" for name in sides)
            print(f"round {done + 1}/{rounds}, {ending.label}: {told}", file=sys.stderr, flush=True)
    return samples


def usual(solved: Sequence[Solved]) -> Solved:
    """The median of the rounds, each figure by itself; the score and the move are the first round's."""
    cpu = [one.cpu_seconds for one in solved if one.cpu_seconds is not None]
    return Solved(
        score=solved[0].score,
        move=solved[0].move,
        seconds=statistics.median(one.seconds for one in solved),
        nodes=int(statistics.median(one.nodes for one in solved)),
        cpu_seconds=statistics.median(cpu) if cpu else None,
    )


def differences(script: Sequence[Ending], samples: dict[str, list[list[Solved]]]) -> list[str]:
    """A line for each score that is not the script's, or, where that has none, not the first side's."""
    found = []
    first = next(iter(samples))
    for number, ending in enumerate(script):
        expected = samples[first][number][0].score if ending.score is None else ending.score
        for name, solved in samples.items():
            if wrong := sorted({one.score for one in solved[number]} - {expected}):
                found.append(
                    f"{ending.label}: {name} finds {', '.join(f'{each:+d}' for each in wrong)}, not {expected:+d}"
                )
    return found


def table(script: Sequence[Ending], medians: dict[str, list[Solved]]) -> list[str]:
    """The rows that people read: every side's time, nodes and speed, and the first side's time to each other's."""
    others = list(medians)[1:]
    width = max(len("position"), *(len(ending.label) for ending in script))
    head = f"{'position':{width}}  empty  score" + "".join(f"  {name:>28}" for name in medians)
    rows = [head + "".join(f"  time/{name}" for name in others)]
    for number, ending in enumerate(script):
        cells = [medians[name][number] for name in medians]
        empty = ending.line.partition(" ")[0].count("-")
        rows.append(f"{ending.label:{width}}  {empty:>5}  {cells[0].score:>+5d}" + _cells(cells, others))
    rows.append(f"{'total':{width}}  {'':>5}  {'':>5}" + _cells([total(each) for each in medians.values()], others))
    return rows


def total(solved: Sequence[Solved]) -> Solved:
    """All positions together."""
    cpu = [one.cpu_seconds for one in solved]
    return Solved(
        score=0,
        seconds=sum(one.seconds for one in solved),
        nodes=sum(one.nodes for one in solved),
        cpu_seconds=None if None in cpu else sum(each for each in cpu if each is not None),
    )


def totals(medians: dict[str, list[Solved]]) -> dict[str, float]:
    """The figures of a run: each side's totals, and ours to theirs."""
    figures: dict[str, float] = {}
    for name, solved in medians.items():
        whole = total(solved)
        figures[f"{name}: seconds"] = whole.seconds
        if whole.cpu_seconds is not None:
            figures[f"{name}: processor seconds"] = whole.cpu_seconds
            figures[f"{name}: million nodes a processor second"] = _speed(whole, whole.cpu_seconds)
        figures[f"{name}: nodes"] = whole.nodes
        figures[f"{name}: million nodes a second"] = _speed(whole)
    first, *others = medians
    one = total(medians[first])
    for name in others:
        other = total(medians[name])
        figures[f"{first} to {name}: time"] = one.seconds / max(other.seconds, 1e-9)
        if one.cpu_seconds is not None and other.cpu_seconds is not None:
            figures[f"{first} to {name}: processor time"] = one.cpu_seconds / max(other.cpu_seconds, 1e-9)
            speeds = _speed(one, one.cpu_seconds), _speed(other, other.cpu_seconds)
            figures[f"{first} to {name}: nodes a processor second"] = speeds[0] / max(speeds[1], 1e-9)
        figures[f"{first} to {name}: nodes"] = one.nodes / max(other.nodes, 1)
        figures[f"{first} to {name}: nodes a second"] = _speed(one) / max(_speed(other), 1e-9)
    return figures


def overhead(medians: dict[str, list[Solved]], cores: float) -> dict[str, float]:
    """The figures of several numbers of workers: nodes against the first number's, and time where there are cores."""
    first, *others = medians
    one = total(medians[first])
    figures: dict[str, float] = {f"{first}: nodes": one.nodes, f"{first}: seconds": one.seconds}
    for name in others:
        other = total(medians[name])
        figures[f"{name}: nodes / {first}"] = other.nodes / max(one.nodes, 1)
        if int(name.split()[0]) <= cores:
            figures[f"{name}: speed-up"] = one.seconds / max(other.seconds, 1e-9)
    return figures


def overhead_table(script: Sequence[Ending], medians: dict[str, list[Solved]]) -> list[str]:
    """The rows that people read: the nodes of the first number of workers, and those of the others against them."""
    first, *others = medians
    width = max(len("position"), *(len(ending.label) for ending in script))
    rows = [f"{'position':{width}}  {first:>11}" + "".join(f"  {name:>10}" for name in others)]
    every = [*zip((ending.label for ending in script), zip(*medians.values(), strict=True), strict=True)]
    for label, cells in [*every, ("total", tuple(total(each) for each in medians.values()))]:
        one = cells[0].nodes
        ratios = "".join(f"  {cell.nodes / max(one, 1):>10.3f}" for cell in cells[1:])
        rows.append(f"{label:{width}}  {one / 1e6:>9.3f} M{ratios}")
    return rows


def _cells(cells: Sequence[Solved], others: Sequence[str]) -> str:
    one = cells[0]
    text = "".join(f"  {each.seconds:>8.3f} s {each.nodes / 1e6:>9.3f} M {_speed(each):>5.1f}" for each in cells)
    return text + "".join(
        f"  {one.seconds / max(other.seconds, LEAST_SECONDS):>{5 + len(name)}.2f}"
        for name, other in zip(others, cells[1:], strict=True)
    )


def _speed(solved: Solved, seconds: float | None = None) -> float:
    return solved.nodes / max(solved.seconds if seconds is None else seconds, LEAST_SECONDS) / 1e6


def _numbers(part: str) -> range:
    low, _, high = part.partition("-")
    return range(int(low), int(high or low) + 1)


def main() -> int:
    """Measure, print, and keep it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.endings", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, default=[USUAL], metavar="FILE.obf")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="numbers of positions in their file, like 1-5,9")
    parser.add_argument("--table-bits", type=int, default=22, help="each side's table has 2^BITS entries")
    parser.add_argument("--workers", default="", help="numbers of workers, like 1,2,4; then there are no peers")
    parser.add_argument("--parallel", help="the scheme by which workers share the work")
    parser.add_argument("--write", type=Path, help="write the positions with the scores that all sides agree on")
    chosen = parser.parse_args()
    try:
        script = endings(chosen.files, chosen.only)
        peers = [Peer.named(text) for text in chosen.peer]
        sides = _sides(chosen, peers)
        for solve in sides.values():
            solve(script[0])  # compiles, and shows what is wrong with a command before hours are spent
        samples = measured(script, sides, chosen.rounds)
    except (outflank.OutflankError, PeerFailed, OSError, ValueError, IndexError) as error:
        print(f"benchmarks.endings: {error}", file=sys.stderr)
        return 2
    medians = {name: [usual(each) for each in solved] for name, solved in samples.items()}
    print("\n".join((overhead_table if chosen.workers else table)(script, medians)))
    wrong = differences(script, samples)
    sys.argv[1:] = _told(chosen, peers)
    variant = "-".join([*("workers" for _ in chosen.workers[:1]), *(file.stem for file in chosen.files)])
    kept = {
        name: {ending.label: [asdict(one) for one in solved[number]] for number, ending in enumerate(script)}
        for name, solved in samples.items()
    }
    figures = overhead(medians, usable_cores()) if chosen.workers else totals(medians)
    save("endings", {**figures, "wrong scores": len(wrong)}, kept, variant=variant)
    for line in wrong:
        print(line, file=sys.stderr)
    if chosen.write and not wrong:
        chosen.write.write_text("".join(map(_scored, script, next(iter(medians.values())))))
    return 1 if wrong else 0


def _sides(chosen: argparse.Namespace, peers: Sequence[Peer]) -> dict[str, Side]:
    if not chosen.workers:
        return {OURS: ours(chosen.table_bits, workers=1)} | {
            peer.name: theirs(peer, chosen.table_bits) for peer in peers
        }
    sides: dict[str, Side] = {}
    for workers in map(int, chosen.workers.split(",")):
        shared: dict[str, Any] = {} if workers == 1 else {"parallel": chosen.parallel}
        shared |= {"pace": PACE} if workers > usable_cores() else {}
        sides[f"{workers} workers" if workers > 1 else "1 worker"] = ours(chosen.table_bits, workers=workers, **shared)
    return sides


def _scored(ending: Ending, solved: Solved) -> str:
    codes = {str(move): move.code for move in ending.board.legal_moves}
    return (
        write_obf(ending.board.game, ending.board.position, ending.board.turn, {codes[solved.move]: solved.score})
        + "\n"
    )


def _told(chosen: argparse.Namespace, peers: Sequence[Peer]) -> list[str]:
    """The words of the command that a result is kept with: no folder of this machine."""
    words = [file.name for file in chosen.files]
    words += [word for peer in peers for word in ("--peer", peer.told)]
    for name in ("rounds", "only", "table_bits", "workers", "parallel"):
        if value := getattr(chosen, name):
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words


if __name__ == "__main__":
    sys.exit(main())
