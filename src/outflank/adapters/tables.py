"""Searches and matches as tables, which become data frames of pandas or tables of Arrow (extra `tables`).

    >>> import outflank
    >>> results = list(outflank.iterate(outflank.OthelloBoard.start(4), depth=3, workers=1, evaluation="discs"))
    >>> iterations(results).column("depth")
    [1, 2, 3]

The tables are those of the laboratory: `to_pandas()`, `to_arrow()`, and HTML in notebooks.
"""

from collections.abc import Iterable
from dataclasses import fields

from outflank.arena.match import MatchResult
from outflank.games.scores import Scale
from outflank.games.sides import Side
from outflank.lab.experiment_report import ReportTable, Sample
from outflank.search.results import Result, WorkerStatistics


def iterations(results: Iterable[Result]) -> ReportTable:
    """Return a row for each result: of `outflank.iterate`, or of several searches."""
    return ReportTable.of("Searches", [_search_row(result) for result in results])


def root_moves(result: Result) -> ReportTable:
    """Return a row for each of a result's best moves, as many as the option `moves` requested."""
    rows: list[Sample] = [
        {
            "rank": rank,
            "move": str(entry.move),
            **_value_cells(result.scale, entry.value),
            "line": " ".join(map(str, entry.line)),
        }
        for rank, entry in enumerate(result.best, 1)
    ]
    return ReportTable.of("Best moves", rows)


def workers(result: Result) -> ReportTable:
    """Return a row of statistics for each worker of a search."""
    names = [statistic.name for statistic in fields(WorkerStatistics)]
    rows: list[Sample] = [
        {"worker": number, **{name: getattr(worker, name) for name in names}}
        for number, worker in enumerate(result.workers)
    ]
    return ReportTable.of("Workers", rows)


def match_games(result: MatchResult) -> ReportTable:
    """Return a row for each game of a match."""
    rows: list[Sample] = []
    for game in result.games:
        line = game.line
        black_first = game.game.record.start.turn is Side.BLACK
        rows.append(
            {
                "game": line.game,
                "black": line.names[0],
                "white": line.names[1],
                "points": line.points,
                "score": line.score,
                "plies": len(line.moves),
                "reason": line.reason,
                "forfeited_by": None if line.forfeited_by is None else str(line.forfeited_by),
                "black_seconds": _seconds(line.seconds[not black_first :: 2]),
                "white_seconds": _seconds(line.seconds[black_first::2]),
                "date": line.date,
                "start": line.start,
            }
        )
    return ReportTable.of("Games", rows)


def match_duels(result: MatchResult) -> ReportTable:
    """Return a row for each pair of players of a match: points, Elo difference with its interval, mean margin."""
    standing = result.standing
    rows: list[Sample] = [
        {
            "first": standing.names[first],
            "second": standing.names[second],
            "games": duel.games,
            "wins": duel.wins,
            "draws": duel.draws,
            "losses": duel.losses,
            "points": duel.points,
            "elo": duel.elo.value,
            "elo_low": duel.elo.low,
            "elo_high": duel.elo.high,
            "superiority": duel.superiority,
            "margin": duel.margin,
        }
        for (first, second), duel in standing.duels.items()
    ]
    return ReportTable.of("Duels", rows)


def _value_cells(scale: Scale, value: int | None, *, exact: bool = False) -> Sample:
    """Return a value in points, in its unit, and as text."""
    if value is None:
        return {"points": None, "value": None, "value_text": None}
    return {"points": value, "value": scale.number(value), "value_text": scale.text(value, exact=exact)}


def _search_row(result: Result) -> Sample:
    return {
        "move": None if result.move is None else str(result.move),
        **_value_cells(result.scale, result.value, exact=result.exact),
        "unit": result.scale.unit,
        "depth": result.depth,
        "selectivity": result.selectivity,
        "exact": result.exact,
        "lower": result.lower,
        "upper": result.upper,
        "stopped": result.stopped,
        "nodes": result.nodes,
        "leaves": result.leaves,
        "seconds": result.seconds,
        "lookups": result.lookups,
        "hits": result.hits,
        "table_bytes": result.table_bytes,
        "scheme": result.scheme,
        "workers": len(result.workers),
        "device": result.device,
        "line": " ".join(map(str, result.pv)),
    }


def _seconds(times: Iterable[float | None]) -> float | None:
    """Return the sum of the times that are known; None if none is."""
    known = [time for time in times if time is not None]
    return round(sum(known), 3) if known else None
