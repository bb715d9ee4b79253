"""Endings drawn from files of games, for tuning: the scripts that programs are compared on stay unseen until then.

python -m benchmarks.positions.draw FILE… [--empties 16,18,20,22,24] [--each 20] [--seed 1]

Prints OBF without scores, a position a line; one of a game at most, and none twice, mirrored or not.
`python -m benchmarks.endings --peer … --write FILE.obf` adds the scores.
"""

import argparse
import random
import sys
from collections.abc import Iterator

from outflank import OutflankError
from outflank.boards import Board
from outflank.formats.game_files import read_records
from outflank.formats.game_record import Record
from outflank.games.rules import canonical, mirror, pack
from outflank.othello.formats.board_line import write_obf


def drawn(records: list[Record], empties: list[int], each: int, seed: int) -> Iterator[Board]:
    """`each` endings with every number of `empties`, from games in an order that `seed` shuffles."""
    unused = list(records)
    random.Random(seed).shuffle(unused)
    seen: set[tuple[int, int]] = set()
    for wanted in empties:
        found = 0
        while found < each:
            if not unused:
                raise OutflankError(f"{len(records)} games are too few for {each} endings of {wanted} empty squares")
            board = ending(unused.pop(), wanted)
            if board is not None and (key := _key(board)) not in seen:
                seen.add(key)
                found += 1
                yield board


def ending(record: Record, empties: int) -> Board | None:
    """The game's position with so many squares empty, if somebody can move there, and who is to move is not forced."""
    board = Board.from_setup(record.start)
    for move in record.moves:
        if board.moves_left == empties and len(board.legal_moves) > 1:
            return board
        board.push(board.move(move.code))
    return None


def _key(board: Board) -> tuple[int, int]:
    turned = mirror(board.game, board.position, canonical(board.game, board.position))
    first, second = pack(board.game, turned)
    return int(first), int(second)


def main() -> None:
    """Draw, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.positions.draw", description=__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE", help="files of games, WTHOR's say")
    parser.add_argument("--empties", default="16,18,20,22,24", help="numbers of empty squares, with commas")
    parser.add_argument("--each", type=int, default=20, help="how many endings of each")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    try:
        records = [record for file in chosen.files for record in read_records(file)]
        wanted = [int(number) for number in chosen.empties.split(",")]
        for board in drawn(records, wanted, chosen.each, chosen.seed):
            print(write_obf(board.game, board.position, board.turn, {}))
    except (OutflankError, ValueError, OSError) as error:
        sys.exit(f"benchmarks.positions.draw: {error}")


if __name__ == "__main__":
    main()
