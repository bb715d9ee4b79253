"""How well boards are spread over a table: report 000 barely accepted its hash function."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from outflank.boards import Board
from outflank.games.rules import MOVE, fill, most_moves, pack, play
from outflank.kernels.compiler import kernel
from outflank.lab.boards import lab_positions, othello_midgame, othello_start
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option, register
from outflank.lab.measuring import grouped, number
from outflank.lab.report import Plot, Sample, Series, Table, sample_shape
from outflank.lab.searched import note
from outflank.schema import Between, Count, Several, Shape
from outflank.search.contract import Stop
from outflank.search.table import hashed

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Parameters):
    """What is measured."""

    bits: Annotated[int, Between(1, 40)] = option(20, "The table has 2^BITS slots.")
    boards: tuple[int, ...] = option((16, 18, 19, 20), "2^N different boards, for each N.")


@kernel
def walk(game, position, depth, moves, start, firsts, seconds, count):
    """Write down the words of all positions `depth` plies away, until there is no more room; how many there are."""
    if count >= firsts.shape[0]:
        return count
    if depth == 0:
        firsts[count], seconds[count] = pack(game, position)
        return count + 1
    end = fill(game, position, moves, start)
    for index in range(start, end):
        count = walk(game, play(game, position, moves[index]), depth - 1, moves, end, firsts, seconds, count)
    return count


@walk.sample
def _walk_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    moves, words = np.zeros(2 * most_moves(game), MOVE), np.zeros(4, np.uint64)
    yield game, position, 1, moves, 0, words, words.copy(), 0


def _ours(first: Words, second: Words) -> Words:
    return np.asarray(hash_all(first, second, np.empty_like(first)))


@kernel
def hash_all(firsts, seconds, found):
    """The table's own hash of many positions."""
    for index in range(firsts.shape[0]):
        found[index] = hashed(firsts[index], seconds[index])
    return found


@hash_all.sample
def _hash_all_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    words = np.zeros(1, np.uint64)
    yield words, words.copy(), words.copy()


def _low_bits(first: Words, second: Words) -> Words:
    return (first ^ second) << np.uint64(32)


def _folded(first: Words, second: Words) -> Words:
    mixed = first ^ second
    for shift in (40, 20):
        mixed = mixed ^ (mixed >> np.uint64(shift))
    return mixed << np.uint64(44)


def _multiplied(first: Words, second: Words) -> Words:
    return (first + second * np.uint64(3)) * np.uint64(0x9E3779B97F4A7C15)


HASHES: dict[str, Callable[[Words, Words], Words]] = {
    "outflank": _ours,
    "one multiplication": _multiplied,
    "xor, folded": _folded,
    "xor, low bits": _low_bits,
}
"""From both words of a board to a word whose highest bits are the slot."""

SOURCES: dict[str, Callable[[], Board[Any]]] = {
    "Othello, start": othello_start,
    "Othello, mid-game": othello_midgame,
    "Abalone, start": lambda: lab_positions()["start"],
}


@register
class Hash(Experiment[Choice]):
    """Occupancy and collisions."""

    name = "hash"
    question = "How evenly are boards spread over the table, and how many collide?"
    reports = ("000",)
    parameters = Choice

    def tasks(self, chosen: Choice) -> Sequence[Task]:
        return [Task(name, partial(_measure, name, source, chosen)) for name, source in SOURCES.items()]

    def shape(self, chosen: Choice, sample: Sample) -> Shape:
        return sample_shape(
            source=str, hash=str, boards=Several, free=Count, longest=Count, by_chance=Annotated[float, Between(0, 1)]
        )

    def conclude(self, chosen: Choice, samples: Sequence[Sample]) -> Conclusion:
        lines: list[Sample] = [
            {
                "boards from": sample["source"],
                "hash": sample["hash"],
                "boards": sample["boards"],
                "found a free slot": f"{number(sample['free']) / number(sample['boards']):.2%}",
                "by chance": f"{number(sample['by_chance']):.2%}",
                "slots used": f"{number(sample['free']) / 2**chosen.bits:.2%}",
                "longest queue for a slot": sample["longest"],
            }
            for sample in samples
        ]
        series = [
            Series(
                name=f"{hash_}, {source}",
                points=tuple((number(each["boards"]), number(each["free"]) / number(each["boards"])) for each in found),
            )
            for (hash_, source), found in grouped(samples, "hash", "source").items()
            if hash_ in ("outflank", "xor, folded")
        ]
        chance = {number(sample["boards"]): number(sample["by_chance"]) for sample in samples}
        series.append(Series(name="by chance", points=tuple(sorted(chance.items())), style="dashed"))
        note = (
            "By chance, n boards find a share of (1 − e^(−n/m)) · m/n of m slots free: no hash is better than that "
            "without knowing the boards. Report 000's best let about 50 % of far fewer than 2^20 boards find a free "
            "one of 2^20."
        )
        plot = Plot(
            title="boards that find a free slot",
            x="boards",
            y="share",
            log_x=True,
            series=tuple(series),
        )
        return Conclusion(tables=(Table.of(f"hash: 2^{chosen.bits} slots", lines),), figures=(plot,), notes=(note,))


def _measure(name: str, source: Callable[[], Board[Any]], chosen: Choice, stop: Stop) -> list[Sample]:
    board = source()
    first, second = _different(board, 2 ** max(chosen.boards))
    samples: list[Sample] = []
    for power in chosen.boards:
        count = min(2**power, len(first))
        for hash_, function in HASHES.items():
            slots = function(first[:count], second[:count]) >> np.uint64(64 - chosen.bits)
            queues = np.bincount(slots.astype(np.int64), minlength=2**chosen.bits)
            slots_there = 2**chosen.bits
            samples.append(
                {
                    "source": name,
                    "hash": hash_,
                    "boards": count,
                    "free": int(np.count_nonzero(queues)),
                    "longest": int(queues.max()),
                    "by_chance": slots_there * (1 - (1 - 1 / slots_there) ** count) / count,
                }
            )
    return samples


def _different(board: Board[Any], wanted: int) -> tuple[Words, Words]:
    """So many different positions as near to the board as they are found, in the order in which a walk meets them."""
    game = board.game
    moves = np.zeros(64 * most_moves(game), MOVE)
    depth, room = 1, wanted
    while True:
        firsts, seconds = np.zeros(room, np.uint64), np.zeros(room, np.uint64)
        count = walk(game, board.position, depth, moves, 0, firsts, seconds, 0)
        pairs = np.stack([firsts[:count], seconds[:count]], axis=1)
        _, places = np.unique(pairs, axis=0, return_index=True)
        if len(places) >= wanted:
            note(board, depth, algorithm="walk")
            kept = np.sort(places)[:wanted]
            return firsts[kept], seconds[kept]
        if count < room:
            depth += 1  # the whole ply was walked
        else:
            room *= 4
