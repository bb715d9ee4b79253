"""Whole games by the number of threads, as reports 002 and 004 show them: time of all kinds, and efficiency."""

from collections.abc import Sequence

from outflank.lab.literature import curve, fact
from outflank.lab.measuring import number
from outflank.lab.report import Figure, Plot, ReportTable, Sample, Series
from outflank.machine import usable_cores


def _serial_seconds(lines: Sequence[Sample]) -> float | None:
    """S of the efficiency: what the serial program takes."""
    return next((number(line["wall (s)"]) for line in lines if str(line["scheme"]).startswith("serial ")), None)


def _take_turns(lines: Sequence[Sample]) -> bool:
    """Whether there were more workers than cores."""
    return any(number(line["workers"]) > usable_cores() for line in lines)


def thread_table(report: str, lines: Sequence[Sample], how: str = "") -> ReportTable:
    """Report 004's table, more workers than cores included: it has 32, on what looks like 8 cores.

    `how` trees are divided, where it is not as in the report, is in its title.
    """
    serial, rows_ = _serial_seconds(lines), []
    for line in lines:
        own = str(line["scheme"]).startswith("serial ")
        workers, seconds = number(line["workers"]), number(line["wall (s)"])
        rows_.append(
            {
                "program": line["scheme"],
                "threads": None if own else line["workers"],
                "real (s)": seconds,
                "user (s)": line["user (s)"],
                "sys (s)": line["system (s)"],
                "efficiency S/(p·T(p))": None if own or serial is None else serial / workers / seconds,
            }
        )
    note_ = f"Rows with more than {usable_cores():g} threads are workers that take turns: their efficiency cannot last."
    return ReportTable.of(
        f"threads: a game by report {report}'s rules{how}", rows_, notes=(note_,) if _take_turns(lines) else ()
    )


def thread_figures(report: str, schemes: Sequence[str], lines: Sequence[Sample], how: str = "") -> tuple[Figure, ...]:
    """Efficiency and run time by threads: report 002's figures 4 and 5, and report 004's."""
    serial = _serial_seconds(lines)
    efficiencies, times = [], []
    for scheme in schemes:
        found = {number(line["workers"]): number(line["wall (s)"]) for line in lines if line["scheme"] == scheme}
        times.append(Series(name=scheme, points=tuple(sorted(found.items()))))
        if serial is not None:
            each = tuple((count, serial / count / seconds) for count, seconds in sorted(found.items()))
            efficiencies.append(Series(name=scheme, points=each))
    if report == "004":
        theirs = curve("004", "efficiency", "threads", "real_s").points
        whole = fact("004", "serial_seconds")
        points = tuple((count, whole / float(count) / seconds) for count, seconds in theirs)
        efficiencies.append(Series(name="004", points=points, style="points", published=True))
        times.append(Series(name="004", points=theirs, style="points", published=True))
    else:
        told = ((1.0, fact("002", "seconds_on_1_thread_above")), (5.0, fact("002", "seconds_on_5_threads_about")))
        times.append(Series(name="002, in its text", points=told, style="points", published=True))
        low = float(fact("002", "efficiency_above_percent")) / 100
        first, last = fact("002", "efficient_up_to_threads")
        points = ((float(first), low), (float(last), low))
        efficiencies.append(Series(name="002: well above", points=points, style="dashed", published=True))
    beyond = f"Beyond {usable_cores():g} threads workers take turns." if _take_turns(lines) else ""
    return (
        Plot(
            title=f"efficiency by threads{how}", x="threads", y="S/(p·T(p))", series=tuple(efficiencies), caption=beyond
        ),
        Plot(
            title=f"run time by threads{how}",
            x="threads",
            y="time (s)",
            log_y=True,
            series=tuple(times),
            caption=beyond,
        ),
    )
