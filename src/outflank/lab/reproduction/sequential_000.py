"""Sources of report 000's sections on its sequential program: its options, its table, and its search to depth 17."""

from collections.abc import Iterable, Sequence
from functools import partial

from outflank.games.rules import symmetries
from outflank.lab.experiment_report import Cell, Sample
from outflank.lab.measuring.search_log import search
from outflank.lab.measuring.search_samples import Contender, grouped, measure_search, median, median_count, number, warm
from outflank.lab.report_programs.classroom import REPORT_000, BrokenOff
from outflank.lab.report_programs.program_001 import NUMBERS
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.reproduction import cluster_000
from outflank.lab.reproduction.published_sections import ExperimentPart, Measure, MeasuredCell, Setting, Source
from outflank.lab.studies.choices import ORDERINGS
from outflank.lab.studies.orders import SORTS
from outflank.lab.studies.storage import FROM_START, SEARCHES
from outflank.othello.board import OthelloBoard
from outflank.othello.edge_table import EDGE_VALUES
from outflank.search.keywords import SearchArguments
from outflank.search.request import Stop
from outflank.validation.documents import JsonObject


def _value(name: str, ours: Cell, note: str = "") -> MeasuredCell:
    return MeasuredCell((name,), "value", ours, note)


def _seconds(samples: Sequence[Sample], label: str) -> dict[str, float]:
    """Return the total seconds of the searches, by their value of the field `label`."""
    groups = grouped(samples, label).items()
    return {str(name): sum(number(sample["seconds"]) for sample in group) for (name,), group in groups}


# --- the program's options ---

OTHER_BOARDS = (
    "Boards are counted alike, but what the report's table held, how it found slots and how it ordered equal moves is "
    "not known: none of our sorts, tables and counts gives its numbers."
)
SORTED = (
    "Moves are sorted here where two plies or more are left. The report sorts at every node, as the tables of sorts "
    "below do: at depths 9 (start) and 8 (mid-game) that visits 2 and 10 % fewer boards by stones and squares."
)
WEIGHTS = (
    "The report orders by parts of an evaluation whose weights it does not print. Ours weighs potential mobility most "
    "at the start, which punishes many own stones: at depth 13, with all nodes sorted, the logarithms of our six "
    "counts from the start correlate with the report's by 0.04. With that weight 0 it is 0.98: none 1,023,247, stones "
    "514,715, squares 579,322, mobility 441,808, potential mobility 1,707,273, stones and squares 403,819. To depth 17 "
    "it then visits 26.8 million boards, 66 times those of depth 13; the report has 55 million, 64 times."
)
LOST = "The report's mid-game board is lost with its picture: ours is another one."
PUBLISHED_NAMES = {ours: printed.lower() for ours, printed in ORDERINGS.items()}


def sized(setting: Setting, **more: object) -> JsonObject:
    """Return the depths and rounds of sequential searches: report 000's depths, or lower ones in a quick run."""
    plies = {"depth": 9, "midgame_depth": 8} if setting.effort == "quick" else {}
    return {"rounds": setting.effort.choose(1, 1, 5), **plies, **more}


def ordering(board: str, setting: Setting) -> Sequence[Source]:
    """Return the measurement of report 000's six move orderings on one board."""
    full = fact("000", "ordering_depth_start" if board == "start" else "ordering_depth_midgame")
    parameters = sized(setting, positions=(board,))
    depth = parameters.get("depth" if board == "start" else "midgame_depth", full)
    note = "" if depth == full else f"To depth {depth} instead of {full}."
    return [ExperimentPart("orderings", parameters, partial(_ordering_cells, note))]


def _ordering_cells(note: str, samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    for (ordering,), group in grouped(samples, "ordering").items():
        row = (PUBLISHED_NAMES[str(ordering)],)
        yield MeasuredCell(row, "seconds", median(group, "seconds"), note)
        yield MeasuredCell(row, "boards", median_count(group, "nodes"), note)


def sorts(setting: Setting) -> Sequence[Source]:
    """Return measurements of sorting all moves or only the best, and of orderings by the stage of the game."""
    stages = {"positions": setting.effort.choose(("early1", "late1"), ("tournament",), ("tournament",))}
    plies = setting.effort.choose(6, 8, 9)
    return [
        ExperimentPart("sorting", sized(setting), _sorting_cells),
        ExperimentPart("stages", {**stages, "midgame_depth": plies, "rounds": 1}, weight=2.0),
    ]


def _sorting_cells(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    seconds = {
        sort: sum(number(sample["seconds"]) for sample in group) for (sort,), group in grouped(samples, "sort").items()
    }
    best, full = seconds.get(SORTS["best"]), seconds.get(SORTS["insertion"])
    if best and full:
        yield _value("full_sort_times_faster", best / full, "Both boards together.")


def evaluation(setting: Setting) -> Sequence[Source]:
    """Return measurements of dividing the evaluation by eight, and of tables of edge patterns."""
    edges = {
        "positions": setting.effort.choose(("middle1",), ("middle", "late"), ("tournament",)),
        "midgame_depth": setting.effort.choose(5, 8, 9),
        "games": setting.effort.choose(2, 60, 200),
        "game_depth": setting.effort.choose(1, 2, 4),
    }
    return [
        Measure("table of edges", lambda stop: [_value("edge_table_entries", EDGE_VALUES.shape[1])], 0.1),
        ExperimentPart("coarseness", sized(setting), _coarseness_cells),
        ExperimentPart("edges", edges, weight=2.0),
    ]


def _coarseness_cells(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    times = _seconds(samples, "evaluation")
    if len(times) == 2:
        faster = 100 * (times["as it is"] / times["divided by 8"] - 1)
        yield _value("coarseness_faster_percent", faster, "Both boards together.")


def game_tree(setting: Setting) -> Sequence[Source]:
    """Return measurements of MTD(f)'s first guess (pivot), and of the number of moves per board."""
    widths = {
        "positions": ("start", "tournament"),
        "depth": setting.effort.choose(5, 8, 9),
        "boards": setting.effort.choose(50_000, 1_000_000, 10_000_000),
        "climbs": setting.effort.choose(4, 20, 200),
    }
    return [ExperimentPart("pivot", sized(setting)), ExperimentPart("widths", widths, _width_cells)]


def _width_cells(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    searches = [sample for sample in samples if sample["where"] == SEARCHES and sample["board"] != FROM_START]
    if searches:
        nodes = sum(number(sample["nodes"]) for sample in searches)
        yield _value("branching_othello", sum(number(sample["moves"]) for sample in searches) / nodes)
    anywhere = [number(sample["most"]) for sample in samples if sample["where"] == "any board"]
    if anywhere:
        yield _value("most_moves_found", int(max(anywhere)))


def storage(setting: Setting) -> Sequence[Source]:
    """Return measurements of layouts of a board in memory."""
    boards = {"boards": setting.effort.choose(512, 4096, 4096), "rounds": setting.effort.choose(1, 5, 11)}
    squares = int(OthelloBoard.start().game.mask).bit_count()
    return [
        Measure("boards", lambda stop: [_value("boards_conceivable", f"3^{squares}")], 0.1),
        ExperimentPart("storage", boards),
    ]


def solved(stop: Stop) -> Iterable[MeasuredCell]:
    """Solve Othello on the 4×4 board, and yield the seconds."""
    result = search(OthelloBoard.start(4), exact=True, workers=1, stop=stop)
    if stop.called:
        raise BrokenOff
    yield _value("board_4x4_solved_seconds_below", result.seconds)


# --- the transposition table ---


def quads(stop: Stop) -> Iterable[MeasuredCell]:
    """Yield report 000's storage index of every square."""
    for row, places in enumerate(NUMBERS, 1):
        for column, place in zip("abcdefgh", places, strict=True):
            yield MeasuredCell((row,), column, place)


def table(setting: Setting) -> Sequence[Source]:
    """Return measurements of the table with shared entries for symmetric boards, and of hash functions."""
    game = OthelloBoard.start().game
    boards = setting.effort.choose((14,), (16, 18), (16, 18, 19, 20))
    return [
        Measure("symmetries", lambda stop: [_value("symmetric_boards", int(symmetries(game)))], 0.1),
        ExperimentPart("symmetry", sized(setting)),
        ExperimentPart("hash", {"boards": boards}, _hash_cells, weight=2.0),
    ]


def _hash_cells(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    start_samples = [sample for sample in samples if sample["origin"] == "Othello, a search from the start"]
    fewest = min((number(sample["boards"]) for sample in start_samples), default=0)
    share = {
        str(sample["hash"]): 100 * number(sample["free"]) / fewest
        for sample in start_samples
        if sample["boards"] == fewest
    }
    if share:
        java_note = (
            f" What Java gives to arrays of integers gets {share['times 31']:.0f} %." if "times 31" in share else ""
        )
        note = f"{int(fewest):,} boards and 2^20 slots: our own hash function, which is as good as chance."
        yield _value("hash_free_percent", share["outflank"], f"{note}{java_note}")


# --- the search to depth 17 ---


def depth_17(setting: Setting) -> Sequence[Source]:
    """Return the measurement of report 000's search to depth 17, with one and all workers; none in a quick run."""
    if setting.effort == "quick":
        return []
    return [Measure("depth 17", partial(_search_to_17, setting.workers), 3.0)]


_boards_in_17: list[int] = []
"""Number of boards of the sequential search to depth 17, once it has run. Two sections need the number."""


def _search_to_17(workers: int, stop: Stop) -> Iterable[MeasuredCell]:
    speedups = {row["processors"]: row for row in rows("000", "speedup")}
    serial_s = speedups[1]["seq_total_s"]
    seconds: dict[str, float] = {}
    programs: dict[str, SearchArguments] = {
        "seq": {"workers": 1},
        "seq, symmetric positions shared": {"workers": 1, "canonical": True},
        f"par, {workers} workers": {"workers": workers, "parallel": "ybw"},
    }
    for name, options in programs.items():
        side = Contender(labels={}, board=OthelloBoard.start(), depth=17, options={**REPORT_000, **options})
        warm(side)
        result, _ = measure_search(side, stop)
        if stop.called:
            raise BrokenOff
        seconds[name] = result.seconds
        if name == "seq":
            _boards_in_17[:] = [result.nodes]
        published_seconds = speedups.get(workers, {}).get("par_total_s") if name.startswith("par") else serial_s
        yield MeasuredCell((name,), "time (s)", result.seconds, published=published_seconds)
        if not name.startswith("par"):
            yield MeasuredCell((name,), "boards", result.nodes, published=fact("000", "boards_seq"))
    published_par_seconds = speedups.get(workers, {}).get("par_total_s")
    if published_par_seconds:
        speed_up = seconds["seq"] / seconds[f"par, {workers} workers"]
        yield MeasuredCell(
            (f"par, {workers} workers",), "speed-up", speed_up, published=serial_s / published_par_seconds
        )


def discussion(setting: Setting) -> Sequence[Source]:
    """Return measurements of the numbers in report 000's discussion: table hits, boards visited, and the cluster."""
    plies = {"depth": 9, "midgame_depth": 8} if setting.effort == "quick" else {}
    sources: list[Source] = [
        ExperimentPart("table", plies, _hit_cells),
        Measure("length of a game", lambda stop: [_value("game_length", _longest_game())], 0.1),
        *cluster_000.discussion_sources(setting),
    ]
    if setting.effort != "quick":
        sources.append(Measure("boards to depth 17", _boards_to_17, 0.1))
    return sources


def _boards_to_17(stop: Stop) -> Iterable[MeasuredCell]:
    if not _boards_in_17:  # a resumed run
        side = Contender(labels={}, board=OthelloBoard.start(), depth=fact("000", "depth"), options=REPORT_000)
        result, _ = measure_search(side, stop)
        if stop.called:
            raise BrokenOff
        _boards_in_17[:] = [result.nodes]
    yield _value("boards_seq", _boards_in_17[0])


def _longest_game() -> int:
    """Return the greatest number of moves in a game: one for each square that is empty at the start."""
    start = OthelloBoard.start()
    return len(str(start.to_text()).split()[0].replace("X", "").replace("O", ""))


def _hit_cells(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    near = fact("000", "best_replication_depth")
    nodes, lookups, hits = (sum(number(sample[name]) for sample in samples) for name in ("nodes", "lookups", "hits"))
    deep = sum(number(sample["hits"]) for sample in samples if number(sample["left"]) >= near)
    if lookups:
        yield _value(
            "tt_hits_percent",
            100 * hits / lookups,
            "The serial program looks nothing up with one ply left and at leaves, where most boards are. Of the boards "
            f"that it visits {100 * hits / nodes:.2g} % are hits, the report's 1 to 2 %.",
        )
        yield _value(
            "tt_substantial_hits_percent",
            100 * deep / lookups,
            f"Hits with {near} plies or more left: {100 * deep / nodes:.2g} % of the boards visited.",
        )
