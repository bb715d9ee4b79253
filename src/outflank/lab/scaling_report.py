"""What is said of times by workers: what was gained most, whether games were the same, medians over positions."""

from collections.abc import Sequence

from outflank.lab.literature import curve, fact, rows
from outflank.lab.measuring import SHORTEST_SECONDS, grouped, median, number
from outflank.lab.programs import GAME_OF
from outflank.lab.report import ReportTable, Sample, Series
from outflank.words import how_many


def fastest(lines: Sequence[Sample]) -> list[str]:
    """What was gained most."""
    held = [line for line in lines if line["speed-up"] is not None and number(line["wall (s)"]) >= SHORTEST_SECONDS]
    if not held:
        return []
    best = max(held, key=lambda line: number(line["speed-up"]))
    workers, place = how_many(int(number(best["workers"])), "worker"), best.get("position")
    where = f" ({place})" if place is not None and len({line.get("position") for line in lines}) > 1 else ""
    times = number(best["speed-up"])
    told = f"{best['scheme']} on {workers}, {times:.2f} times as fast as the serial program{where}."
    return [f"Fastest: {told}" if times >= 1 else f"Nothing is faster than the serial program; next is {told}"]


def differing(samples: Sequence[Sample]) -> list[str]:
    """Schemes whose value is not always the same, position by position; other games have other values."""
    found = [
        str(scheme)
        for (_, scheme, _), each in grouped(samples, "position", "scheme", "moves").items()
        if len({sample["value"] for sample in each}) > 1
    ]
    return list(dict.fromkeys(found))


def of_games(samples: Sequence[Sample]) -> list[str]:
    """What to say where games were played: they are only comparable if they are the same."""
    games = {str(sample["moves"]) for sample in samples if "moves" in sample}
    if not games:
        return []
    different = len({(sample.get("position"), sample["moves"]) for sample in samples if "moves" in sample})
    positions = len({sample.get("position") for sample in samples})
    turns = sorted({int(number(sample["turns"])) for sample in samples})
    depths = sorted({int(number(sample["depth"])) for sample in samples})
    told = f"{turns[0]} to {turns[-1]}" if len(turns) > 1 else str(turns[0])
    told += f" searched turns at {'depths' if len(depths) > 1 else 'depth'} {', '.join(map(str, depths))}"
    if different > positions:
        return [
            f"Whole games of {told}, but not always the same ones ({different} different games from "
            f"{how_many(positions, 'position')}): times are of different games."
        ]
    return [f"Whole games of {told}: every side played the same moves."]


def short_turns(samples: Sequence[Sample]) -> list[str]:
    """What to say of games whose single searches take so little time that it means nothing."""
    each = [number(sample["seconds"]) / number(sample["turns"]) for sample in samples if sample.get("turns")]
    if not each or min(each) >= SHORTEST_SECONDS:
        return []
    return [
        f"A turn took {1000 * min(each):.2g} ms: below {1000 * SHORTEST_SECONDS:.0f} ms much of a search is what it "
        "does outside the tree, which no worker takes off. Play deeper games to see what is gained."
    ]


def over_positions(lines: Sequence[Sample]) -> ReportTable:
    """Medians over the positions, by scheme and workers."""
    rows: list[Sample] = []
    for (scheme, workers), found in grouped(lines, "scheme", "workers").items():
        row: Sample = {"scheme": scheme, "workers": workers, "positions": len(found)}
        for column in ("wall (s)", "speed-up", "efficiency", "search overhead", "idle share"):
            cells = [line for line in found if line[column] is not None]
            row[f"{column}, median"] = median(cells, column) if cells else None
        rows.append(row)
    return ReportTable.of("scaling: medians over the positions", rows)


def published_speedups(game: str) -> list[Series]:
    """What the reports measured in this game, as speed-up over their serial programs."""
    if game != GAME_OF["000"]:
        return []  # report 003 has evaluations per second, which `imbalance` draws
    serial = rows("000", "speedup")[0]["seq_total_s"]
    found = []
    for version in ("par", "par_rmi", "par_tuple"):
        times = curve("000", "speedup", "processors", f"{version}_total_s").points
        points = tuple((processors, serial / seconds) for processors, seconds in times)
        found.append(Series(name=f"000 {version}", points=points, style="points", published=True))
    whole = fact("004", "serial_seconds")
    times = curve("004", "efficiency", "threads", "real_s").points
    points = tuple((threads, whole / seconds) for threads, seconds in times)
    found.append(Series(name="004", points=points, style="points", published=True))
    return found
