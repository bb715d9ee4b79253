"""Whole games by number of threads, as in reports 002 and 004: wall, user and system time, and efficiency."""

from collections.abc import Sequence

from outflank.lab.literature import curve, fact
from outflank.lab.measuring import number
from outflank.lab.report import Figure, Plot, ReportTable, Sample, Series
from outflank.machine import usable_cores


def _serial_seconds(lines: Sequence[Sample]) -> float | None:
    """Return the seconds of the serial program (S in the efficiency), or None."""
    return next((number(line["wall (s)"]) for line in lines if str(line["scheme"]).startswith("serial ")), None)


def _oversubscribed(lines: Sequence[Sample]) -> bool:
    """Return whether there were more workers than cores."""
    return any(number(line["workers"]) > usable_cores() for line in lines)


def thread_table(report: str, lines: Sequence[Sample], how: str = "") -> ReportTable:
    """Return report 004's table, including more workers than cores: the report has 32, apparently on 8 cores.

    `how` is added to the title if trees are divided otherwise than in the report.
    """
    serial, rows = _serial_seconds(lines), []
    for line in lines:
        is_serial = str(line["scheme"]).startswith("serial ")
        workers, seconds = number(line["workers"]), number(line["wall (s)"])
        rows.append(
            {
                "program": line["scheme"],
                "threads": None if is_serial else line["workers"],
                "real (s)": seconds,
                "user (s)": line["user (s)"],
                "sys (s)": line["system (s)"],
                "efficiency S/(p·T(p))": None if is_serial or serial is None else serial / workers / seconds,
            }
        )
    note = f"Rows with more than {usable_cores():g} threads are workers that take turns: their efficiency cannot last."
    return ReportTable.of(
        f"threads: a game by report {report}'s rules{how}", rows, notes=(note,) if _oversubscribed(lines) else ()
    )


def thread_figures(report: str, schemes: Sequence[str], lines: Sequence[Sample], how: str = "") -> tuple[Figure, ...]:
    """Return efficiency and run time by threads: report 002's figures 4 and 5, and report 004's."""
    serial = _serial_seconds(lines)
    efficiencies, times = [], []
    for scheme in schemes:
        seconds_by_workers = {
            number(line["workers"]): number(line["wall (s)"]) for line in lines if line["scheme"] == scheme
        }
        times.append(Series(name=scheme, points=tuple(sorted(seconds_by_workers.items()))))
        if serial is not None:
            scheme_points = tuple(
                (count, serial / count / seconds) for count, seconds in sorted(seconds_by_workers.items())
            )
            efficiencies.append(Series(name=scheme, points=scheme_points))
    if report == "004":
        published_times = curve("004", "efficiency", "threads", "real_s").points
        serial_004 = fact("004", "serial_seconds")
        points = tuple((count, serial_004 / float(count) / seconds) for count, seconds in published_times)
        efficiencies.append(Series(name="004", points=points, style="points", published=True))
        times.append(Series(name="004", points=published_times, style="points", published=True))
    else:
        text_points = (
            (1.0, fact("002", "seconds_on_1_thread_above")),
            (5.0, fact("002", "seconds_on_5_threads_about")),
        )
        times.append(Series(name="002, in its text", points=text_points, style="points", published=True))
        low = float(fact("002", "efficiency_above_percent")) / 100
        first, last = fact("002", "efficient_up_to_threads")
        points = ((float(first), low), (float(last), low))
        efficiencies.append(Series(name="002: well above", points=points, style="dashed", published=True))
    caption = f"Beyond {usable_cores():g} threads workers take turns." if _oversubscribed(lines) else ""
    return (
        Plot(
            title=f"efficiency by threads{how}",
            x="threads",
            y="S/(p·T(p))",
            series=tuple(efficiencies),
            caption=caption,
        ),
        Plot(
            title=f"run time by threads{how}",
            x="threads",
            y="time (s)",
            log_y=True,
            series=tuple(times),
            caption=caption,
        ),
    )
