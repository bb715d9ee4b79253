"""Many connections that analyse at once: does everybody hear something every second, and are moves answered at once?

python -m benchmarks.web [--connections 50] [--seconds 20] [--workers 2] [--play 2]

Starts `outflank serve` with a file of its own, and opens so many connections, half of them at Othello and half at
Abalone, each of which analyses all moves of a position; every few seconds it makes a move, and analyses that. Tells the
longest gap between two messages of an analysis, the times that moves took to be answered, the server's memory, and how
long searches went on after all had left.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from benchmarks.common import save

GAMES = ("othello", "abalone")
OPENING_PLIES = 10
"""Moves before a position is analysed: the first legal one, or some other, so that positions differ."""


COMING_SECONDS = 10.0
"""For all to have come, and to have played their openings."""


class Visitor:
    """One connection."""

    def __init__(self, number: int, address: str, every: float) -> None:
        self.number, self.address, self.every = number, address, every
        self.gaps: list[float] = []
        self.answers: list[float] = []
        self.heard = 0
        self._asks = 0
        self._answer: asyncio.Future[dict[str, Any]] | None = None
        self._last: float | None = None

    async def run(self, begin: asyncio.Event, until: float) -> None:
        async with connect(self.address, max_size=None, compression=None) as socket:
            reading = asyncio.create_task(self._read(socket))
            game = await self._ask(socket, kind="new", game=GAMES[self.number % 2])
            for ply in range(OPENING_PLIES):
                game = await self._play(socket, game, self.number * 7 + ply)
            await begin.wait()
            self.answers.clear()
            await self._analyse(socket, game)
            # Not all at the same moment, as people do not.
            await asyncio.sleep(self.every * (self.number % 10) / 10)
            while time.monotonic() < until:
                game = await self._play(socket, game, self.number)
                if not game["legal"]:
                    break
                await self._analyse(socket, game)
                await asyncio.sleep(min(self.every, max(0.0, until - time.monotonic())))
            self._mark()
            reading.cancel()

    async def _play(self, socket: ClientConnection, game: dict[str, Any], draw: int) -> dict[str, Any]:
        legal = game["legal"]
        began = time.monotonic()
        move = legal[draw % len(legal)]["move"]
        answer = await self._ask(socket, kind="play", id=game["id"], node=game["node"], move=move)
        self.answers.append(time.monotonic() - began)
        return answer

    async def _analyse(self, socket: ClientConnection, game: dict[str, Any]) -> None:
        self._mark()
        self._asks += 1
        await socket.send(
            json.dumps({"kind": "analyse", "ask": self._asks, "id": game["id"], "node": game["node"], "moves": 200})
        )

    async def _ask(self, socket: ClientConnection, **asked: Any) -> dict[str, Any]:
        self._asks += 1
        self._answer = asyncio.get_running_loop().create_future()
        await socket.send(json.dumps({"ask": self._asks, **asked}))
        answer = await self._answer
        if answer["kind"] == "refused":
            raise RuntimeError(answer["why"])
        return answer

    async def _read(self, socket: ClientConnection) -> None:
        async for text in socket:
            assert isinstance(text, str)
            if text.startswith('{"kind":"analysis"'):
                self._mark()
                self.heard += 1
            elif text.startswith(('{"kind":"game"', '{"kind":"refused"')):
                answer = json.loads(text)
                if answer["re"] is not None and self._answer is not None and not self._answer.done():
                    self._answer.set_result(answer)

    def _mark(self) -> None:
        """Note how long nothing was heard."""
        now = time.monotonic()
        if self._last is not None:
            self.gaps.append(now - self._last)
        self._last = now


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.web", description=__doc__)
    parser.add_argument("--connections", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--workers", type=int, default=0, help="0: one per core")
    parser.add_argument("--play", type=float, default=2.0, metavar="SECONDS", help="between moves of a connection")
    parser.add_argument("--dry", action="store_true", help="write no result")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "outflank",
            "serve",
            "--port",
            "0",
            "--games",
            str(Path(folder) / "games.sqlite"),
        ]
        command += ["--workers", str(chosen.workers)] if chosen.workers else []
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            figures, samples = asyncio.run(measured(address, server.pid, chosen))
        finally:
            server.terminate()
            server.wait()
    for name, value in figures.items():
        print(f"{name:<40} {value:,.3f}" if isinstance(value, float) else f"{name:<40} {value}")
    if not chosen.dry:
        save("web", figures, samples)


async def measured(address: str, pid: int, chosen: argparse.Namespace) -> tuple[dict[str, Any], dict[str, Any]]:
    """What happened, in figures, and what they are made of."""
    socket = address.replace("http", "ws", 1) + "socket"
    await _compiled(socket)
    before = _memory(pid)
    begin = asyncio.Event()
    visitors = [Visitor(number, socket, chosen.play) for number in range(chosen.connections)]
    until = time.monotonic() + COMING_SECONDS + chosen.seconds
    tasks = [asyncio.create_task(each.run(begin, until)) for each in visitors]
    await asyncio.sleep(COMING_SECONDS)
    spent = _processor(pid)
    begin.set()
    await asyncio.gather(*tasks)
    left = time.monotonic()
    spent = _processor(pid) - spent
    memory = _memory(pid)
    while await asyncio.to_thread(_searches, address):
        await asyncio.sleep(0.01)
    gone = time.monotonic() - left
    answers = sorted(answer for each in visitors for answer in each.answers)
    gaps = [max(each.gaps) for each in visitors if each.gaps]
    figures = {
        "connections": chosen.connections,
        "cores": chosen.workers or os.cpu_count(),
        "seconds": chosen.seconds,
        "messages of analyses a second and connection": sum(each.heard for each in visitors)
        / chosen.seconds
        / len(visitors),
        "longest gap, the worst connection, s": max(gaps),
        "longest gap, the median connection, s": statistics.median(gaps),
        "moves answered": len(answers),
        "answer, median, ms": 1000 * statistics.median(answers),
        "answer, 95th percentile, ms": 1000 * answers[int(0.95 * len(answers))],
        "answer, longest, ms": 1000 * answers[-1],
        "processor time of the server, s a second": spent / chosen.seconds,
        "memory before, MiB": before,
        "memory at the end, MiB": memory,
        "searches gone after, s": gone,
    }
    return figures, {"gaps": gaps, "answers": answers}


async def _compiled(address: str) -> None:
    """Search a little of both games, so that all kernels are there."""
    for number in range(len(GAMES)):
        visitor = Visitor(number, address, 1.0)
        async with connect(address, max_size=None) as socket:
            reading = asyncio.create_task(visitor._read(socket))
            game = await visitor._ask(socket, kind="new", game=GAMES[number])
            await visitor._analyse(socket, game)
            while visitor.heard < 15:
                await asyncio.sleep(0.1)
            reading.cancel()


def _memory(pid: int) -> float:
    """What a process has in memory, in MiB; 0 where it cannot be told."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def _processor(pid: int) -> float:
    """Seconds of processor time of a process: less than cores say that others had them; 0 where it cannot be told."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _searches(address: str) -> int:
    with urllib.request.urlopen(f"{address}health") as answer:
        return int(json.load(answer)["searches"])


if __name__ == "__main__":
    main()
