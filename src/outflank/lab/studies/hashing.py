"""Experiment `hash`: how evenly hash functions spread boards. Report 000 tried a dozen, and barely accepted one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np

from outflank.boards import Board
from outflank.errors import UnknownName
from outflank.games.description import OWN_GAMES, game_named
from outflank.games.rules import MOVE, Game, Position, fill, most_moves, pack, play
from outflank.kernels.compiler import Samples, kernel
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.experiment_boards import default_board
from outflank.lab.experiment_report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.hashes import hashes, slots
from outflank.lab.measuring.search_log import log_search, search
from outflank.lab.measuring.search_samples import grouped, number
from outflank.lab.report_programs.classroom import REPORT_000
from outflank.lab.report_programs.published_numbers import fact
from outflank.search.many_endings import Words
from outflank.search.request import DEEPEST, Limits, Stop
from outflank.search.table import Table as Memory
from outflank.validation.documents import Count, Several
from outflank.validation.values import Between, Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class HashingParameters(Parameters):
    """Parameters of the experiment `hash`."""

    bits: Annotated[int, Between(1, 40)] = option(20, "The table has 2^BITS slots.")
    boards: tuple[int, ...] = option((16, 18, 19, 20), "2^N different boards, for each N.")
    hashes: tuple[str, ...] = option(("all",), "By name; one of your own is registered with lab.register_hash.")

    def __post_init__(self) -> None:
        super(HashingParameters, self).__post_init__()
        for name in self.hashes:
            if name != "all" and name not in hashes():
                raise UnknownName.among("hash", name, (*hashes(), "all"))

    @property
    def hash_names(self) -> tuple[str, ...]:
        """Names of the requested hash functions."""
        return tuple(hashes()) if "all" in self.hashes else tuple(dict.fromkeys(self.hashes))


@kernel
def walk(game, position, depth, moves, start, firsts, seconds, count):
    """Append the two words of each position `depth` plies below to `firsts` and `seconds`, until these are full.

    `count` is the number of positions that they hold already. Return the new number.
    """
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
def _walk_sample(game: Game, position: Position, every: bool) -> Samples:
    moves, words = np.zeros(2 * most_moves(game), MOVE), np.zeros(4, np.uint64)
    yield game, position, 1, moves, 0, words, words.copy(), 0


def _sources() -> dict[str, tuple[Callable[[], Board], bool]]:
    first_game, *other_games = (game_named(name) for name in OWN_GAMES)
    return {
        f"{first_game.title}, a search from the start": (first_game.start, True),
        f"{first_game.title}, a search in the mid-game": (default_board, True),
        f"{first_game.title}, all near the start": (first_game.start, False),
        f"{first_game.title}, all near a mid-game board": (default_board, False),
        **{f"{game.title}, all near the start": (game.start, False) for game in other_games},
    }


SOURCES = _sources()
"""Sources of positions by name: a function that returns the root, and whether a search collects the positions."""


class Hash(Experiment[HashingParameters]):
    """Measures how many boards find a free slot of the transposition table, by hash function."""

    name = "hash"
    question = "How evenly are boards spread over the table, and how many collide?"
    reports = ("000",)
    parameters = HashingParameters

    def tasks(self, parameters: HashingParameters) -> Sequence[Task]:
        return [
            Task(name, partial(_measure, name, *source, parameters), timed=False) for name, source in SOURCES.items()
        ]

    def shape(self, parameters: HashingParameters, sample: Sample) -> Shape:
        return sample_shape(
            origin=str, hash=str, boards=Several, free=Count, longest=Count, by_chance=Annotated[float, Between(0, 1)]
        )

    def conclude(self, parameters: HashingParameters, samples: Sequence[Sample]) -> Conclusion:
        lines: list[Sample] = [
            {
                "boards from": sample["origin"],
                "hash": sample["hash"],
                "boards": sample["boards"],
                "found a free slot": f"{number(sample['free']) / number(sample['boards']):.2%}",
                "by chance": f"{number(sample['by_chance']):.2%}",
                "slots used": f"{number(sample['free']) / 2**parameters.bits:.2%}",
                "longest queue for a slot": sample["longest"],
            }
            for sample in samples
        ]
        fewest = min((number(sample["boards"]) for sample in samples), default=0)
        smallest = [sample for sample in samples if sample["boards"] == fewest]
        series = [
            Series(
                name=str(origin),
                points=tuple((str(sample["hash"]), number(sample["free"]) / fewest) for sample in group),
            )
            for (origin,), group in grouped(smallest, "origin").items()
        ]
        if smallest:
            names = dict.fromkeys(str(sample["hash"]) for sample in smallest)
            by_chance = number(smallest[0]["by_chance"])
            series.append(Series(name="by chance", points=tuple((name, by_chance) for name in names)))
            published_share = fact("000", "hash_free_percent") / 100
            series.append(
                Series(name="report 000's best", points=((next(iter(names)), published_share),), published=True)
            )
        note = (
            "By chance, n boards find a share of (1 − e^(−n/m)) · m/n of m slots free: no hash is better than that "
            "without knowing the boards, and as many boards as slots fill 1 − 1/e = 63 % of them. Report 000's best of "
            "about a dozen let about 50 % of far fewer than 2^20 boards find a free one of 2^20."
        )
        plot = Plot(
            title=f"boards that find a free slot, {int(fewest):,} boards",
            x="hash",
            y="share",
            kind="bars",
            series=tuple(series),
        )
        return Conclusion(
            tables=(ReportTable.of(f"hash: 2^{parameters.bits} slots", lines),), figures=(plot,), notes=(note,)
        )


def _measure(
    name: str, source: Callable[[], Board], by_search: bool, parameters: HashingParameters, stop: Stop
) -> list[Sample]:
    board = source()
    most = 2 ** max(parameters.boards)
    first, second = _visited(board, most, stop) if by_search else _distinct_near(board, most)
    samples: list[Sample] = []
    if stop.called:
        return samples
    slot_count = 2**parameters.bits
    for power in parameters.boards:
        count = min(2**power, len(first))
        for hash_ in parameters.hash_names:
            queue_lengths = np.bincount(
                slots(hash_, first[:count], second[:count], parameters.bits), minlength=slot_count
            )
            samples.append(
                {
                    "origin": name,
                    "hash": hash_,
                    "boards": count,
                    "free": int(np.count_nonzero(queue_lengths)),
                    "longest": int(queue_lengths.max()),
                    "by_chance": slot_count * (1 - (1 - 1 / slot_count) ** count) / count,
                }
            )
    return samples


def _visited(board: Board, count: int, stop: Stop) -> tuple[Words, Words]:
    """Return up to `count` different positions from the table after a search by report 000's program, in random order.

    The table stores whole positions, and is so large that hardly any is overwritten.
    """
    bits = max(12, min(22, count.bit_length() + 2))
    for depth in range(4, DEEPEST):
        table = Memory(bits)
        search(board, Limits(depth=depth), stop=stop, workers=1, table=table, **{**REPORT_000, "table_bits": bits})
        pairs = table.positions()
        if stop.called or len(pairs) >= count:
            break
    # The positions are in the order of the table's own hash, which would favour it: sort and shuffle them.
    pairs = np.unique(pairs, axis=0)
    sample = np.random.default_rng(1).permutation(len(pairs))[:count]
    return np.ascontiguousarray(pairs[sample, 0]), np.ascontiguousarray(pairs[sample, 1])


def _distinct_near(board: Board, needed: int) -> tuple[Words, Words]:
    """Return `needed` different positions as few plies below `board` as possible, in the order of a tree walk."""
    game = board.game
    moves = np.zeros(64 * most_moves(game), MOVE)
    depth, room = 1, needed
    while True:
        firsts, seconds = np.zeros(room, np.uint64), np.zeros(room, np.uint64)
        count = walk(game, board.position, depth, moves, 0, firsts, seconds, 0)
        pairs = np.stack([firsts[:count], seconds[:count]], axis=1)
        _, first_indices = np.unique(pairs, axis=0, return_index=True)
        if len(first_indices) >= needed:
            log_search(board, depth, algorithm="walk")
            indices = np.sort(first_indices)[:needed]
            return firsts[indices], seconds[indices]
        if count < room:
            depth += 1  # the walk visited the whole ply
        else:
            room *= 4
