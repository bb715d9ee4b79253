"""Notes and tables on scaling: the greatest speed-up, whether games were equal, medians over positions."""

from collections.abc import Sequence

from outflank.lab.literature import curve, fact, rows
from outflank.lab.measuring import SHORTEST_SECONDS, grouped, median, number
from outflank.lab.programs import GAME_OF
from outflank.lab.report import ReportTable, Sample, Series
from outflank.words import how_many


def fastest_notes(lines: Sequence[Sample]) -> list[str]:
    """Return a note on the greatest speed-up."""
    comparable = [
        line for line in lines if line["speed-up"] is not None and number(line["wall (s)"]) >= SHORTEST_SECONDS
    ]
    if not comparable:
        return []
    best = max(comparable, key=lambda line: number(line["speed-up"]))
    workers, position = how_many(int(number(best["workers"])), "worker"), best.get("position")
    suffix = f" ({position})" if position is not None and len({line.get("position") for line in lines}) > 1 else ""
    times = number(best["speed-up"])
    text = f"{best['scheme']} on {workers}, {times:.2f} times as fast as the serial program{suffix}."
    return [f"Fastest: {text}" if times >= 1 else f"Nothing is faster than the serial program; next is {text}"]


def inconsistent_schemes(samples: Sequence[Sample]) -> list[str]:
    """Return schemes whose value varies on a position; different games may have different values."""
    schemes = [
        str(scheme)
        for (_, scheme, _), group in grouped(samples, "position", "scheme", "moves").items()
        if len({sample["value"] for sample in group}) > 1
    ]
    return list(dict.fromkeys(schemes))


def whole_game_notes(samples: Sequence[Sample]) -> list[str]:
    """Return a note on whole games: their times are comparable only if their moves are the same."""
    games = {str(sample["moves"]) for sample in samples if "moves" in sample}
    if not games:
        return []
    different = len({(sample.get("position"), sample["moves"]) for sample in samples if "moves" in sample})
    positions = len({sample.get("position") for sample in samples})
    turns = sorted({int(number(sample["turns"])) for sample in samples})
    depths = sorted({int(number(sample["depth"])) for sample in samples})
    text = f"{turns[0]} to {turns[-1]}" if len(turns) > 1 else str(turns[0])
    text += f" searched turns at {'depths' if len(depths) > 1 else 'depth'} {', '.join(map(str, depths))}"
    if different > positions:
        return [
            f"Whole games of {text}, but not always the same ones ({different} different games from "
            f"{how_many(positions, 'position')}): times are of different games."
        ]
    return [f"Whole games of {text}: every side played the same moves."]


def short_turn_notes(samples: Sequence[Sample]) -> list[str]:
    """Return a warning on games whose single searches are too short to compare."""
    turn_seconds = [number(sample["seconds"]) / number(sample["turns"]) for sample in samples if sample.get("turns")]
    if not turn_seconds or min(turn_seconds) >= SHORTEST_SECONDS:
        return []
    return [
        f"A turn took {1000 * min(turn_seconds):.2g} ms: below {1000 * SHORTEST_SECONDS:.0f} ms much of a search is "
        "what it does outside the tree, which no worker takes off. Play deeper games to see what is gained."
    ]


def medians_over_positions(lines: Sequence[Sample]) -> ReportTable:
    """Return a table of medians over the positions, by scheme and workers."""
    rows: list[Sample] = []
    for (scheme, workers), group in grouped(lines, "scheme", "workers").items():
        row: Sample = {"scheme": scheme, "workers": workers, "positions": len(group)}
        for column in ("wall (s)", "speed-up", "efficiency", "search overhead", "idle share"):
            cells = [line for line in group if line[column] is not None]
            row[f"{column}, median"] = median(cells, column) if cells else None
        rows.append(row)
    return ReportTable.of("scaling: medians over the positions", rows)


def published_speedups(game: str) -> list[Series]:
    """Return the reports' speed-ups over their serial programs in this game."""
    if game != GAME_OF["000"]:
        return []  # report 003 has evaluations per second, which `imbalance` draws
    serial = rows("000", "speedup")[0]["seq_total_s"]
    series = []
    for version in ("par", "par_rmi", "par_tuple"):
        times = curve("000", "speedup", "processors", f"{version}_total_s").points
        points = tuple((processors, serial / seconds) for processors, seconds in times)
        series.append(Series(name=f"000 {version}", points=points, style="points", published=True))
    whole = fact("004", "serial_seconds")
    times = curve("004", "efficiency", "threads", "real_s").points
    points = tuple((threads, whole / seconds) for threads, seconds in times)
    series.append(Series(name="004", points=points, style="points", published=True))
    return series
