"""Experiments `storage` and `widths`: cost of layouts of an Othello board, and its number of moves (report 000)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from outflank.boards import Board
from outflank.games.rules import MOVE, Game, Position, fill, most_moves, pack, play
from outflank.games.sides import Side as Colour
from outflank.kernels.bits import U64, Word, popcount
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.experiment_boards import POSITIONS, study_positions
from outflank.lab.experiment_report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.board_storage import STORAGES, count_all, stored_boards
from outflank.lab.measuring.search_samples import (
    Contender,
    alternating,
    grouped,
    measure_search,
    median,
    median_count,
    number,
    warm,
)
from outflank.lab.report_programs.classroom import REPORT_000
from outflank.lab.report_programs.published_numbers import fact
from outflank.othello.board import OthelloBoard
from outflank.othello.formats.board_line import write_board_line
from outflank.othello.rules import OthelloPosition, legal
from outflank.othello.squares import othello
from outflank.search.many_endings import Words
from outflank.search.probes import Counts
from outflank.search.request import Stop
from outflank.validation.documents import Count, Measured, Several
from outflank.validation.values import Shape

CENTRE = U64(0x0000001818000000)
"""The four centre squares of the board, which are never empty."""


@inner
def _random_below(random: Words, below: int) -> Word:
    """Return a random number below `below`, from the state in `random[0]` (xorshift)."""
    word = random[0]
    word ^= word << U64(13)
    word ^= word >> U64(7)
    word ^= word << U64(17)
    random[0] = word
    return np.int64((word >> U64(11)) % U64(below))


@kernel
def wander(game, position, moves, random, words):
    """Fill `words` with all positions of random games, one game after another."""
    current = position
    for index in range(words.shape[0]):
        words[index, 0], words[index, 1] = pack(game, current)
        end = fill(game, current, moves, 0)
        current = position if end == 0 else play(game, current, moves[_random_below(random, end)])


@wander.sample
def _wander_sample(game: Game, position: Position, every: bool) -> Samples:
    moves, words = np.zeros(most_moves(game), MOVE), np.zeros((2, 2), np.uint64)
    yield game, position, moves, np.ones(1, np.uint64), words


@kernel
def climb(steps, random, best):
    """Try `steps` random changes of a board, and keep a change if it costs no legal move.

    Write the board to `best`, and return its number of moves.
    """
    own, opp = U64(0x0000000810000000), U64(0x0000001008000000)
    most = popcount(legal(own, opp))
    for _ in range(steps):
        new_own, new_opp = own, opp
        for _ in range(1 + _random_below(random, 3)):
            bit = U64(1) << U64(_random_below(random, 64))
            new_own, new_opp = new_own & ~bit, new_opp & ~bit
            kind = _random_below(random, 3)
            if kind == 0:
                new_own |= bit
            elif kind == 1 or bit & CENTRE != U64(0):
                new_opp |= bit
        width = popcount(legal(new_own, new_opp))
        if width >= most:
            own, opp, most = new_own, new_opp, width
    best[0], best[1] = own, opp
    return most


@climb.sample
def _climb_sample(game: Game, position: Position, every: bool) -> Samples:
    yield 1, np.ones(1, np.uint64), np.zeros(2, np.uint64)


def _random_positions(count: int, seed: int) -> Words:
    """Return `count` positions of random games from the start."""
    board = OthelloBoard.start()
    words = np.zeros((count, 2), np.uint64)
    moves = np.zeros(most_moves(board.game), MOVE)
    wander(board.game, board.position, moves, np.array([2 * seed + 1], np.uint64), words)
    return words


# --- cost of storing a board ---


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageParameters(Parameters):
    """Parameters of the experiment `storage`."""

    boards: int = option(4096, "Boards, from games that are played at random.")
    repeats: int = option(8, "Times that the moves of each are counted in a round.")
    rounds: int = option(5, "Times that each way is measured.")
    seed: int = option(1, "For the games.")


class Storage(Experiment[StorageParameters]):
    """Compares report 000's layouts of a board in memory with ours."""

    name = "storage"
    question = "How should a board be kept: what does it cost in bytes, and to generate its moves?"
    reports = ("000",)
    parameters = StorageParameters

    def tasks(self, parameters: StorageParameters) -> Sequence[Task]:
        return [
            Task(f"{name}, round {round_}", partial(_time_storage, name, round_, parameters))
            for round_, name in alternating(tuple(STORAGES), parameters.rounds)
        ]

    def shape(self, parameters: StorageParameters, sample: Sample) -> Shape:
        return sample_shape(
            storage=Literal[*STORAGES], round=Several, boards=Several, bytes=Several, moves=Count, seconds=Measured
        )

    def conclude(self, parameters: StorageParameters, samples: Sequence[Sample]) -> Conclusion:
        ways = grouped(samples, "storage")
        seconds_by_way = {
            name: median(group, lambda sample: number(sample["seconds"]) / number(sample["boards"]))
            for (name,), group in ways.items()
        }
        lines: list[Sample] = [
            {
                "storage": name,
                "bytes a board": median_count(group, "bytes"),
                "time to generate moves (ns)": 1e9 * seconds_by_way[name],
                "times the fastest": seconds_by_way[name] / min(seconds_by_way.values()),
                "moves": group[0]["moves"],
            }
            for (name,), group in ways.items()
        ]
        agree = len({sample["moves"] for sample in samples}) <= 1
        bars = Series(name="ours", points=tuple((str(name), 1e9 * seconds) for name, seconds in seconds_by_way.items()))
        plot = Plot(
            title="time to generate moves", x="storage", y="ns a board", kind="bars", log_y=True, series=(bars,)
        )
        notes = (
            "Report 000 played with bytes for their speed (a matrix is 'really inefficient in Java', where it is an "
            "array of arrays) and kept two bits a square in its table. Our matrix and array are the same memory: "
            "their difference is the arithmetic of two indices. Java's matrix has rows that lie apart, and checks of "
            "both indices against lengths in memory; its array has one such check.",
            *(() if agree else ("The ways do not agree on the number of moves.",)),
        )
        return Conclusion(tables=(ReportTable.of("storage", lines),), figures=(plot,), notes=notes, passed=agree)


def _time_storage(name: str, round_: int, parameters: StorageParameters, stop: Stop) -> list[Sample]:
    boards = _random_positions(parameters.boards, parameters.seed)
    storage, memory = stored_boards(STORAGES[name], boards)
    count_all(storage, 1, 1)  # compiles
    before = time.thread_time()  # processor time: these are microseconds, and other processes use the machine too
    moves = int(count_all(storage, len(boards), parameters.repeats))
    seconds = time.thread_time() - before
    return [
        {
            "storage": name,
            "round": round_,
            "boards": parameters.boards * parameters.repeats,
            "bytes": memory.nbytes // len(boards),
            "moves": moves // parameters.repeats,
            "seconds": seconds,
        }
    ]


# --- number of moves ---

SEARCHES, GAMES, ANY = "searches", "games at random", "any board"

FROM_START = "from start"
"""Name of the boards of a search from the start of the game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WidthsParameters(Parameters):
    """Parameters of the experiment `widths`."""

    depth: int = option(9, "Plies of the searches.")
    positions: tuple[str, ...] = option(("tournament",), POSITIONS)
    boards: int = option(1_000_000, "Positions of games that are played at random.")
    climbs: int = option(20, "Ascents to boards with many moves that need not be reachable.")
    steps: int = option(200_000, "Changes of a board that each of them tries.")
    seed: int = option(1, "For games and ascents.")


class Widths(Experiment[WidthsParameters]):
    """Measures the mean and the greatest number of moves of a board, to choose the size of an array of children."""

    name = "widths"
    question = "How many moves does a board have, and what is the most?"
    reports = ("000",)
    parameters = WidthsParameters

    def tasks(self, parameters: WidthsParameters) -> Sequence[Task]:
        return [
            *(
                Task(
                    f"search, {place.name}",
                    partial(_in_search, place.name, place.board, place.depth or parameters.depth),
                )
                for place in study_positions("othello", parameters.positions)
            ),
            Task(GAMES, partial(_in_games, parameters)),
            Task(ANY, partial(_on_any_board, parameters)),
        ]

    def shape(self, parameters: WidthsParameters, sample: Sample) -> Shape:
        return sample_shape(where=Literal[SEARCHES, GAMES, ANY], board=str, nodes=Several, moves=Count, most=Count)

    def conclude(self, parameters: WidthsParameters, samples: Sequence[Sample]) -> Conclusion:
        lines: list[Sample] = []
        notes = []
        for (where,), group in grouped(samples, "where").items():
            nodes = sum(number(sample["nodes"]) for sample in group)
            widest = max(group, key=lambda sample: number(sample["most"]))
            lines.append(
                {
                    "where": where,
                    "boards": int(nodes),
                    "moves a board": sum(number(sample["moves"]) for sample in group) / nodes if where != ANY else None,
                    "most moves": widest["most"],
                    "seen on": widest["board"],
                }
            )
            if where == ANY:
                room = fact("000", "children_array")
                verdict = "would be" if number(widest["most"]) <= room else "would not be"
                notes.append(
                    f"Report 000 came up with {fact('000', 'most_moves_found')} moves, on a board that cannot be "
                    f"reached; the most that was found here on any board is {widest['most']}, for which its array of "
                    f"{room} {verdict} enough."
                )
        notes.append(
            f"Report 000 quotes {fact('000', 'branching_othello')} moves a board. Boards whose side to move has to "
            "pass are not counted. Ours has room for 62, all squares but two."
        )
        return Conclusion(tables=(ReportTable.of("widths", lines),), notes=tuple(notes))


def _in_search(name: str, board: Board, depth: int, stop: Stop) -> list[Sample]:
    side = Contender(labels={}, board=board, depth=depth, options=REPORT_000)
    warm(side)
    counts = Counts()
    measure_search(side, stop, instrument=counts)
    if stop.called:
        return []
    nodes, moves, most = sum(counts.movable), sum(counts.moves), max(counts.widest)
    return [{"where": SEARCHES, "board": f"from {name}", "nodes": nodes, "moves": moves, "most": most}]


def _in_games(parameters: WidthsParameters, stop: Stop) -> list[Sample]:
    words = _random_positions(parameters.boards, parameters.seed)
    widths = widths_of(words, np.zeros(len(words), np.int64))
    widest = int(np.argmax(widths))
    movable = widths[widths > 0]
    return [
        {
            "where": GAMES,
            "board": _line(words[widest]),
            "nodes": len(movable),
            "moves": int(movable.sum()),
            "most": int(widths[widest]),
        }
    ]


@kernel
def widths_of(words, widths):
    """Write the number of legal moves of each position into `widths`, and return `widths`."""
    for index in range(words.shape[0]):
        widths[index] = popcount(legal(words[index, 0], words[index, 1]))
    return widths


@widths_of.sample
def _widths_sample(game: Game, position: Position, every: bool) -> Samples:
    yield np.zeros((1, 2), np.uint64), np.zeros(1, np.int64)


def _on_any_board(parameters: WidthsParameters, stop: Stop) -> list[Sample]:
    ascents = []
    for ascent in range(parameters.climbs):
        if stop.called:
            return []
        best = np.zeros(2, np.uint64)
        random = np.array([1000 * parameters.seed + 2 * ascent + 1], np.uint64)
        most = int(climb(parameters.steps, random, best))
        ascents.append((most, _line(best)))
    most, line = max(ascents)
    return [{"where": ANY, "board": line, "nodes": parameters.climbs * parameters.steps, "moves": 0, "most": most}]


def _line(words: Words) -> str:
    return write_board_line(othello(), OthelloPosition(np.uint64(words[0]), np.uint64(words[1])), Colour.BLACK)
