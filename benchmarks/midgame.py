"""Positions in the middle of the game, searched selectively on one thread, beside other programs.

python -m benchmarks.midgame [FILE.obf …] [--peer NAME=COMMAND …] [--depth 16] [--rounds 5]

As in `benchmarks.endings`, the sides take turns position by position, each with an empty table of as many entries, and
each side reports the time of its own search. All search to the same depth, each with the iterations and the selectivity
of its players. Scores come from different evaluations and are not compared. Without files, the positions are those of
the fixed positions in which no such search reaches the end of the game.
"""

import argparse
import sys
import time
from dataclasses import asdict
from pathlib import Path

import outflank
from benchmarks.common import save
from benchmarks.endings import OURS, Ending, Side, endings, measured, table, totals, usual
from benchmarks.peers import Peer, PeerFailed, Solved
from benchmarks.positions import positions
from outflank.players.computer import Computer

MOVES_BEYOND = 14
"""Moves that must be left at the end of a search: programs take what is nearer to the end of the game to that end."""


def ours(depth: int, table_bits: int) -> Side:
    """Return the searches of this package's players."""
    kept = outflank.Table(table_bits)

    def search(position: Ending) -> Solved:
        kept.clear()
        began = time.process_time()
        options = Computer(position.board.game, workers=1, table_bits=None).options
        found = outflank.search(position.board, depth=depth, table=kept, **options)
        spent = time.process_time() - began
        assert found.value is not None
        score = round(found.value / found.scale.points)
        return Solved(score=score, seconds=found.seconds, nodes=found.nodes, cpu_seconds=spent, move=str(found.move))

    return search


def theirs(peer: Peer, depth: int, table_bits: int) -> Side:
    """Another program."""
    return lambda position: peer.solve([position.line], table_bits, depth)[0]


def _script(files: list[Path], depth: int) -> list[Ending]:
    """The positions that are searched."""
    if files:
        return endings(files)
    fixed = (board for board, _ in positions("othello") if board.moves_left >= depth + MOVES_BEYOND)
    return [Ending(label=f"othello {number}", board=board, score=None) for number, board in enumerate(fixed, 1)]


def main() -> int:
    """Measure, print, and keep it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.midgame", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.obf")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--depth", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--table-bits", type=int, default=20, help="each side's table has 2^BITS entries")
    chosen = parser.parse_args()
    try:
        script = _script(chosen.files, chosen.depth)
        peers = [Peer.named(text) for text in chosen.peer]
        sides = {OURS: ours(chosen.depth, chosen.table_bits)}
        sides |= {peer.name: theirs(peer, chosen.depth, chosen.table_bits) for peer in peers}
        for search in sides.values():
            search(script[0])  # compiles, and shows what is wrong with a command
        samples = measured(script, sides, chosen.rounds)
    except (outflank.OutflankError, PeerFailed, OSError, ValueError, IndexError) as error:
        print(f"benchmarks.midgame: {error}", file=sys.stderr)
        return 2
    medians = {name: [usual(each) for each in found] for name, found in samples.items()}
    print("\n".join(table(script, medians)))
    sys.argv[1:] = [
        *(file.name for file in chosen.files),
        *(word for peer in peers for word in ("--peer", peer.told)),
        *(word for name in ("depth", "rounds") for word in (f"--{name}", str(getattr(chosen, name)))),
    ]
    kept = {
        name: {each.label: [asdict(one) for one in found[number]] for number, each in enumerate(script)}
        for name, found in samples.items()
    }
    save("midgame", totals(medians), kept, variant=f"depth-{chosen.depth}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
