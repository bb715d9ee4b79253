"""Report 000's sequential program: what its choices, its table and its long search give here."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from outflank.games.rules import symmetries
from outflank.lab.classroom import REPORT_000, BrokenOff
from outflank.lab.literature import fact, rows
from outflank.lab.measuring import Contender, grouped, median, median_count, number, searched, warm
from outflank.lab.quads import NUMBERS
from outflank.lab.report import Sample
from outflank.lab.reproduction import cluster_000
from outflank.lab.reproduction.sections import ExperimentPart, FoundCell, Measure, Setting, Source
from outflank.lab.search_log import search
from outflank.lab.studies.choices import ORDERINGS
from outflank.lab.studies.orders import SORTS
from outflank.othello.board import OthelloBoard
from outflank.othello.edge_table import EDGE_VALUES
from outflank.search.contract import Stop


def _value(name: str, ours: Any, note: str = "") -> FoundCell:
    return FoundCell((name,), "value", ours, note)


def _seconds(samples: Sequence[Sample], label: str) -> dict[str, float]:
    """The time of all searches with the same label."""
    groups = grouped(samples, label).items()
    return {str(name): sum(number(sample["seconds"]) for sample in found) for (name,), found in groups}


# --- its choices ---

OTHER_BOARDS = (
    "Boards are counted alike, but what the report's table held, how it found slots and how it ordered equal moves is "
    "not known: none of our sorts, tables and counts gives its numbers."
)
SORTED = (
    "Moves are sorted here where two plies or more are left. The report sorts at every node, as the tables of sorts "
    "below do: at depths 9 (start) and 8 (mid-game) that visits 2 and 10 % fewer boards by stones and squares."
)
LOST = "The report's mid-game board is lost with its picture: ours is another one."
PUBLISHED_NAMES = {ours: printed.lower() for ours, printed in ORDERINGS.items()}


def _small(setting: Setting, **more: Any) -> dict[str, Any]:
    """How deep its sequential choices are searched: as deep as the report did, unless there is no time."""
    plies = {"depth": 9, "midgame_depth": 8} if setting.effort == "quick" else {}
    return {"rounds": setting.effort.choose(1, 1, 5), **plies, **more}


def ordering(board: str, setting: Setting) -> Sequence[Source]:
    """Its six orderings on one board."""
    full = fact("000", "ordering_depth_start" if board == "start" else "ordering_depth_midgame")
    chosen = _small(setting, positions=(board,))
    depth = chosen.get("depth" if board == "start" else "midgame_depth", full)
    note = "" if depth == full else f"To depth {depth} instead of {full}."
    return [ExperimentPart("orderings", chosen, partial(_ordering_cells, note))]


def _ordering_cells(note: str, samples: Sequence[Sample]) -> Iterable[FoundCell]:
    for (ordering,), found in grouped(samples, "ordering").items():
        row = (PUBLISHED_NAMES[str(ordering)],)
        yield FoundCell(row, "seconds", median(found, "seconds"), note)
        yield FoundCell(row, "boards", median_count(found, "nodes"), note)


def sorts(setting: Setting) -> Sequence[Source]:
    """Best move only or all sorted, and orderings by the stage of the game."""
    stages = {"positions": setting.effort.choose(("early1", "late1"), ("tournament",), ("tournament",))}
    plies = setting.effort.choose(6, 8, 9)
    return [
        ExperimentPart("sorting", _small(setting), _sorting_cells),
        ExperimentPart("stages", {**stages, "midgame_depth": plies, "rounds": 1}, weight=2.0),
    ]


def _sorting_cells(samples: Sequence[Sample]) -> Iterable[FoundCell]:
    seconds = {
        sort: sum(number(sample["seconds"]) for sample in of) for (sort,), of in grouped(samples, "sort").items()
    }
    best, full = seconds.get(SORTS["best"]), seconds.get(SORTS["insertion"])
    if best and full:
        yield _value("full_sort_times_faster", best / full, "Both boards together.")


def evaluation(setting: Setting) -> Sequence[Source]:
    """How coarse it is, and edges."""
    edges = {
        "positions": setting.effort.choose(("middle1",), ("middle", "late"), ("tournament",)),
        "midgame_depth": setting.effort.choose(5, 8, 9),
        "games": setting.effort.choose(2, 20, 200),
        "game_depth": setting.effort.choose(1, 3, 4),
    }
    return [
        Measure("table of edges", lambda stop: [_value("edge_table_entries", EDGE_VALUES.shape[1])], 0.1),
        ExperimentPart("coarseness", _small(setting), _coarseness_cells),
        ExperimentPart("edges", edges, weight=2.0),
    ]


def _coarseness_cells(samples: Sequence[Sample]) -> Iterable[FoundCell]:
    times = _seconds(samples, "evaluation")
    if len(times) == 2:
        faster = 100 * (times["as it is"] / times["divided by 8"] - 1)
        yield _value("coarseness_faster_percent", faster, "Both boards together.")


def game_tree(setting: Setting) -> Sequence[Source]:
    """The pivot, and how many moves boards have."""
    widths = {
        "positions": ("tournament",),
        "depth": setting.effort.choose(5, 8, 9),
        "boards": setting.effort.choose(50_000, 1_000_000, 10_000_000),
        "climbs": setting.effort.choose(4, 20, 200),
    }
    return [ExperimentPart("pivot", _small(setting)), ExperimentPart("widths", widths, _width_cells)]


def _width_cells(samples: Sequence[Sample]) -> Iterable[FoundCell]:
    searches = [sample for sample in samples if sample["where"] == "searches"]
    if searches:
        nodes = sum(number(sample["nodes"]) for sample in searches)
        yield _value("branching_othello", sum(number(sample["moves"]) for sample in searches) / nodes)
    anywhere = [number(sample["most"]) for sample in samples if sample["where"] == "any board"]
    if anywhere:
        yield _value("most_moves_found", int(max(anywhere)))


def storage(setting: Setting) -> Sequence[Source]:
    """How boards are kept."""
    boards = {"boards": setting.effort.choose(512, 4096, 4096), "rounds": setting.effort.choose(1, 5, 11)}
    squares = int(OthelloBoard.start().game.mask).bit_count()
    return [
        Measure("boards", lambda stop: [_value("boards_conceivable", f"3^{squares}")], 0.1),
        ExperimentPart("storage", boards),
    ]


def solved(stop: Stop) -> Iterable[FoundCell]:
    """How long a board of 4×4 takes to the end."""
    found = search(OthelloBoard.start(4), exact=True, workers=1, stop=stop)
    if stop.called:
        raise BrokenOff
    yield _value("board_4x4_solved_seconds_below", found.seconds)


# --- its table ---


def quads(stop: Stop) -> Iterable[FoundCell]:
    """The picture of the squares in the order of their storage."""
    for row, places in enumerate(NUMBERS, 1):
        for column, place in zip("abcdefgh", places, strict=True):
            yield FoundCell((row,), column, place)


def table(setting: Setting) -> Sequence[Source]:
    """Symmetric boards, and hash functions."""
    game = OthelloBoard.start().game
    boards = setting.effort.choose((14,), (16, 18), (16, 18, 19, 20))
    return [
        Measure("symmetries", lambda stop: [_value("symmetric_boards", int(symmetries(game)))], 0.1),
        ExperimentPart("symmetry", _small(setting)),
        ExperimentPart("hash", {"boards": boards}, _hash_cells, weight=2.0),
    ]


def _hash_cells(samples: Sequence[Sample]) -> Iterable[FoundCell]:
    own = [sample for sample in samples if sample["origin"] == "Othello, a search from the start"]
    fewest = min((number(sample["boards"]) for sample in own), default=0)
    share = {str(sample["hash"]): 100 * number(sample["free"]) / fewest for sample in own if sample["boards"] == fewest}
    if share:
        java = f" What Java gives to arrays of integers gets {share['times 31']:.0f} %." if "times 31" in share else ""
        found = f"{int(fewest):,} boards and 2^20 slots: our own hash function, which is as good as chance."
        yield _value("hash_free_percent", share["outflank"], f"{found}{java}")


# --- its long search ---


def depth_17(setting: Setting) -> Sequence[Source]:
    """Its long search, by one worker and by all."""
    if setting.effort == "quick":
        return []
    return [Measure("depth 17", partial(_searched_to_17, setting.workers), 3.0)]


def _searched_to_17(workers: int, stop: Stop) -> Iterable[FoundCell]:
    speedups = {row["processors"]: row for row in rows("000", "speedup")}
    serial_s = speedups[1]["seq_total_s"]
    seconds: dict[str, float] = {}
    programs: dict[str, dict[str, Any]] = {
        "seq": {"workers": 1},
        "seq, symmetric positions shared": {"workers": 1, "canonical": True},
        f"par, {workers} workers": {"workers": workers, "parallel": "ybw"},
    }
    for name, options in programs.items():
        side = Contender(labels={}, board=OthelloBoard.start(), depth=17, options={**REPORT_000, **options})
        warm(side)
        found, _ = searched(side, stop)
        if stop.called:
            raise BrokenOff
        seconds[name] = found.seconds
        theirs = speedups.get(workers, {}).get("par_total_s") if name.startswith("par") else serial_s
        yield FoundCell((name,), "time (s)", found.seconds, published=theirs)
        if not name.startswith("par"):
            yield FoundCell((name,), "boards", found.nodes, published=fact("000", "boards_seq"))
    together = speedups.get(workers, {}).get("par_total_s")
    if together:
        ours = seconds["seq"] / seconds[f"par, {workers} workers"]
        yield FoundCell((f"par, {workers} workers",), "speed-up", ours, published=serial_s / together)


def discussion(setting: Setting) -> Sequence[Source]:
    """What its table gave, how many boards it visited, and its cluster."""
    plies = {"depth": 9, "midgame_depth": 8} if setting.effort == "quick" else {}
    found: list[Source] = [
        ExperimentPart("table", plies, _hit_cells),
        Measure("length of a game", lambda stop: [_value("game_length", _longest_game())], 0.1),
        *cluster_000.discussion_sources(setting),
    ]
    if setting.effort != "quick":
        found.append(Measure("boards to depth 17", _boards_to_17, 2.0))
    return found


def _boards_to_17(stop: Stop) -> Iterable[FoundCell]:
    side = Contender(labels={}, board=OthelloBoard.start(), depth=fact("000", "depth"), options=REPORT_000)
    warm(side)
    found, _ = searched(side, stop)
    if stop.called:
        raise BrokenOff
    yield _value("boards_seq", found.nodes)


def _longest_game() -> int:
    """Squares that are empty at the start: a move fills one."""
    start = OthelloBoard.start()
    return len(str(start.to_text()).split()[0].replace("X", "").replace("O", ""))


def _hit_cells(samples: Sequence[Sample]) -> Iterable[FoundCell]:
    lookups = sum(number(sample["lookups"]) for sample in samples)
    near = fact("000", "best_replication_depth")
    hits = sum(number(sample["hits"]) for sample in samples)
    deep = sum(number(sample["hits"]) for sample in samples if number(sample["left"]) >= near)
    if lookups:
        yield _value(
            "tt_hits_percent",
            100 * hits / lookups,
            "Of the serial program, which looks nothing up with one ply left; the report's of par_rmi.",
        )
        yield _value("tt_substantial_hits_percent", 100 * deep / lookups, f"Hits with {near} plies or more left.")
