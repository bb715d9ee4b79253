"""A server under load for minutes or hours: `python -m tests.web_soak MINUTES [--connections N] [--json FILE]`.

Starts `outflank serve` in a process of its own, lets visitors (`tests/web_visitors.py`) come and go, and samples every
ten seconds what the server holds: connections, searches, transposition tables, computer players, threads, file
descriptors, child processes and resident memory. Prints a line a minute. When all visitors have left it compares the
last minutes under load with the minutes around minute five, and what remains without visitors with what was there
before them. Run `outflank warm` first, or the server compiles kernels for minutes. The exit status is 1 if something
has grown beyond its tolerance, if a request failed or was not answered, or if the server has ended. Needs Linux.
"""

import argparse
import asyncio
import json
import re
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from outflank.ui.web.lobby.lobby import MOST_UNWATCHED
from tests.web_visitors import PATIENCE_SECONDS, Tally, Target, Visitor

SAMPLE_SECONDS = 10.0
REFERENCE_MINUTE = 5.0
"""The end of the soak is compared with this minute, or with the middle of a soak that is shorter than ten."""

WINDOW_MINUTES = 2.0
"""Samples are compared as medians over so long: visitors come and go at random."""

GRACE_SECONDS = 60.0
"""After the last visitor has left, for the server to end what was under way."""

TOLERANCES: dict[str, tuple[float, float]] = {
    "connections": (0.25, 5),
    "searches": (0.5, 5),
    "games": (0.25, 5),
    "tables": (0.5, 10),
    "table_mb": (0.5, 50),
    "players": (0.25, 4),
    "threads": (0.5, 10),
    "descriptors": (0.25, 10),
    "children": (0.5, 2),
    "rss_mb": (0.15, 50),
}
"""How much more there may be at the end of the load than at the reference minute: a share, and so many besides."""

LEFT_OVER = {"connections": 0, "searches": 0, "games": MOST_UNWATCHED, "children": 0, "threads": 12, "descriptors": 6}
"""How much more there may be after all have left than before the first came: the last games, and threads and files that
a server opens at the first use and keeps. Tables are those of the players that are kept; memory is compared with the
reference minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What the server holds at one moment. None: the server does not tell."""

    seconds: float
    """Since the first visitor came."""
    connections: int
    searches: int
    games: int | None
    """Games in memory, watched or not."""
    tables: int | None
    """Transposition tables in memory, of analyses, reviews, comparisons and players."""
    table_mb: float | None
    players: int | None
    """Computer players in memory."""
    threads: int
    descriptors: int
    children: int
    rss_mb: float
    answer_seconds: float
    """Time to the answer of /health."""


COUNTS = tuple(each.name for each in fields(Sample) if each.name not in ("seconds", "answer_seconds"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A process of `outflank serve`."""

    process: "subprocess.Popen[str]"
    target: Target
    log: Path
    """What it has written to stderr."""

    def sample(self, seconds: float) -> Sample:
        """Ask /health and the system what the server holds."""
        began = time.monotonic()
        address = f"http://127.0.0.1:{self.target.port}/health"
        request = urllib.request.Request(address, headers=self.target.headers)
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            health: dict[str, Any] = json.load(answer)
        answered = time.monotonic() - began
        folder = Path(f"/proc/{self.process.pid}")
        lines = (line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        status = {name: value.split() for name, value in lines}
        table_bytes = health.get("table_bytes")
        return Sample(
            seconds=seconds,
            connections=health["connections"],
            searches=health["searches"],
            games=health.get("games"),
            tables=health.get("tables"),
            table_mb=None if table_bytes is None else table_bytes / 1e6,
            players=health.get("players"),
            threads=int(status["Threads"][0]),
            descriptors=sum(1 for _ in (folder / "fd").iterdir()),
            children=_children(folder),
            rss_mb=int(status["VmRSS"][0]) * 1024 / 1e6,
            answer_seconds=answered,
        )


def _children(process: Path) -> int:
    """Return how many child processes a process has; its threads, which have them, may end meanwhile."""
    count = 0
    for children in (process / "task").glob("*/children"):
        with suppress(OSError):
            count += len(children.read_text().split())
    return count


@contextmanager
def server(folder: Path, longest_text: int, workers: int | None) -> Iterator[Server]:
    """`outflank serve` with its games in a folder, on a port of its own."""
    token, log = secrets.token_urlsafe(12), folder / "stderr.txt"
    command = [sys.executable, "-m", "outflank", "serve", "--port", "0", "--token", token]
    command += ["--games", str(folder / "games.sqlite")]
    command += [] if workers is None else ["--workers", str(workers)]
    with log.open("w") as stderr:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise SystemExit(f"the server did not start: {log.read_text()}")
        port = int(line.split("http://127.0.0.1:")[1].split("/")[0])
        yield Server(process=process, target=Target(port=port, token=token, longest_text=longest_text), log=log)
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Soak:
    """One run: visitors, and the samples that are taken meanwhile."""

    def __init__(self, running: Server, connections: int, seed: int) -> None:
        self.server, self.tally = running, Tally()
        self.samples: list[Sample] = []
        self._visitors = [Visitor(running.target, self.tally, f"{seed}/{number}") for number in range(connections)]

    async def run(self, seconds: float) -> None:
        """Put the server under load for so long, then wait until it is at rest."""
        began, minutes = time.monotonic(), 0
        await self._sample(0.0)
        if not self.samples:
            raise SystemExit(f"the server does not answer: {self.tally.failures[-1]}")
        visiting = [asyncio.create_task(each.run(began + seconds)) for each in self._visitors]
        while (now := time.monotonic() - began) < seconds:
            await asyncio.sleep(min(SAMPLE_SECONDS, seconds - now))
            await self._sample(time.monotonic() - began)
            if self.samples[-1].seconds >= 60 * (minutes + 1):
                minutes = int(self.samples[-1].seconds / 60)
                print(_line(self.samples[-1]), flush=True)
        for ended in await asyncio.gather(*visiting, return_exceptions=True):
            if isinstance(ended, BaseException):
                self.tally.failures.append(f"a visitor ended: {ended!r}")
        quiet = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < quiet:
            await asyncio.sleep(SAMPLE_SECONDS)
            await self._sample(time.monotonic() - began)
        print(_line(self.samples[-1]), flush=True)

    async def _sample(self, seconds: float) -> None:
        if self.server.process.poll() is not None:
            raise SystemExit(f"the server ended with status {self.server.process.returncode}:\n{self._log_end()}")
        try:
            self.samples.append(await asyncio.to_thread(self.server.sample, seconds))
        except OSError as error:
            self.tally.failures.append(f"minute {seconds / 60:.1f}: /health: {error}")

    def _log_end(self) -> str:
        return "\n".join(self.server.log.read_text().splitlines()[-20:])

    def judge(self, seconds: float) -> list[str]:
        """Print what there was and what there is; return what has grown beyond its tolerance."""
        reference_at = min(REFERENCE_MINUTE * 60, seconds / 2)
        half = min(WINDOW_MINUTES * 60, seconds / 2) / 2
        reference = self._median(reference_at - half, reference_at + half)
        last = self._median(seconds - 2 * half, seconds)
        before, after = self.samples[0], self.samples[-1]
        grown: list[str] = []
        heads = ("before", f"minute {reference_at / 60:.3g}", "last", "all gone", "most")
        print(f"\n{'':<12}" + "".join(f"{head:>11}" for head in heads))
        for name in COUNTS:
            left = getattr(after, name)
            values = (getattr(before, name), reference[name], last[name], left, self._most(name))
            print(f"{name:<12}" + "".join(f"{_text(value):>11}" for value in values))
            if reference[name] is None or last[name] is None:
                continue
            share, besides = TOLERANCES[name]
            allowed = reference[name] * (1 + share) + besides
            if last[name] > allowed:
                grown.append(f"{name} under load: {_text(last[name])}, at most {_text(allowed)} expected")
            allowed = allowed if name == "rss_mb" else self._left_over(name)
            if left > allowed:
                grown.append(f"{name} after all have left: {_text(left)}, at most {_text(allowed)} expected")
        announced, most = self.announced_mb(), self._most("table_mb")
        if announced is not None and most is not None and most > announced + EXPERIMENT_MB:
            grown.append(f"table_mb: {_text(most)} at most, {_text(announced)} announced")
        return grown

    def announced_mb(self) -> float | None:
        """Return the bound of the tables' memory that the server printed, or None if it printed none."""
        found = re.search(r"([\d,]+) MiB for tables", self.server.log.read_text(errors="replace"))
        return None if found is None else int(found[1].replace(",", "")) * (1 << 20) / 1e6

    def _left_over(self, name: str) -> float:
        """How much there may be when all have left."""
        after = self.samples[-1]
        if name in LEFT_OVER:
            return float(getattr(self.samples[0], name) + LEFT_OVER[name])
        if name == "tables":  # an estimating one and an exact one of each player
            return float(2 * (after.players or 0))
        if name == "table_mb":
            return float(TABLE_MB_OF_A_PLAYER * (after.players or 0))
        return float(self._most(name) or 0)  # players that are kept

    def _median(self, begin: float, end: float) -> dict[str, float | None]:
        chosen = [each for each in self.samples if begin <= each.seconds <= end] or [self.samples[-1]]
        found: dict[str, float | None] = {}
        for name in COUNTS:
            values = [getattr(each, name) for each in chosen]
            found[name] = None if None in values else float(statistics.median(values))
        return found

    def _most(self, name: str) -> float | None:
        values = [getattr(each, name) for each in self.samples]
        return None if None in values else float(max(values))

    def summary(self) -> dict[str, Any]:
        """What visitors did and what went wrong."""
        lines = self.server.log.read_text(errors="replace").splitlines()
        return {
            "activities": dict(self.tally.activities),
            "refused": self.tally.refused,
            "closed": self.tally.closed,
            "failures": self.tally.failures[:100],
            "announced_mb": self.announced_mb(),
            "stderr_lines": len(lines),
            "stderr_end": lines[-20:],
            "slowest_health_seconds": max((each.answer_seconds for each in self.samples), default=None),
        }


TABLE_MB_OF_A_PLAYER = 8.5
"""Two tables of 4 MiB."""

EXPERIMENT_MB = 100.0
"""Tables of the laboratory's experiments that visitors run, which are not in what the server announces."""


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def _line(sample: Sample) -> str:
    counts = "  ".join(f"{name} {_text(getattr(sample, name))}" for name in COUNTS)
    return f"minute {sample.seconds / 60:5.1f}  {counts}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.web_soak", description=__doc__)
    parser.add_argument("minutes", type=float)
    parser.add_argument("--connections", type=int, default=50, help="visitors at a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, help="threads that search at a time  [one per core]")
    parser.add_argument("--longest-text", type=int, default=100_000, metavar="LETTERS", help="of a pasted text")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples there")
    chosen = parser.parse_args(arguments)
    seconds = 60 * chosen.minutes
    with tempfile.TemporaryDirectory() as folder, server(Path(folder), chosen.longest_text, chosen.workers) as running:
        soak = Soak(running, chosen.connections, chosen.seed)
        try:
            asyncio.run(soak.run(seconds))
            grown = soak.judge(seconds)
        finally:
            summary = soak.summary()
            if chosen.json is not None:
                document = {**summary, "samples": [asdict(each) for each in soak.samples]}
                chosen.json.write_text(json.dumps(document, indent=1))
    for name, value in summary.items():
        print(f"{name}: {value}")
    for line in grown:
        print(f"GROWN {line}")
    for failure in soak.tally.failures[:20]:
        print(f"FAILED {failure}")
    return 1 if grown or soak.tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
