"""Other programs that solve and search positions, asked and read by what their tables of results say."""

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from outflank.validation.quoted_words import join_words, split_words


class PeerFailed(Exception):
    """A program gave no result that can be read; the message is one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """What a program says of one position."""

    score: int
    """To the side to move, in discs, empty squares to the winner."""
    seconds: float
    """By its own clock, start-up not counted."""
    nodes: int
    cpu_seconds: float | None = None
    """Processor time of the search; None where the program does not tell."""
    move: str = ""


class Adapter(Protocol):
    """How one program is told to solve positions exactly, or to search them, on one thread, and what it answers."""

    def script(self, positions: Sequence[str]) -> str:
        """The file that it reads, of board lines like `--XO… X`."""
        ...

    def arguments(self, file: str, table_bits: int, depth: int | None = None) -> list[str]:
        """What follows its name; its main table has 2^`table_bits` entries. With a depth it searches that far, as
        selectively as it likes, and without one it solves."""
        ...

    def read(self, told: str, depth: int | None = None) -> list[Solved]:
        """The positions' results from what it printed."""
        ...


class Edax:
    """Edax 4.x: `-solve` with OBF; the last line has the processor time, which tells of a file with one position."""

    _row = re.compile(
        r"\s*\d+\|\s*(?P<depth>\d+)(?P<selective>@\d+%)?\s+(?P<score>[+-]\d+)\s+(?P<time>[\d:]+\.\d+)\s+(?P<nodes>\d+)"
        r"(?:\s+\d+)?\s+(?P<move>[A-Ha-h][1-8]|PA|pa|--)?"
    )
    _cpu = re.compile(r"\(cpu =\s*([\d:]+\.\d+)")  # the bracket is closed only where some time has passed

    def script(self, positions: Sequence[str]) -> str:
        """The positions as OBF without scores, which it warns of and solves."""
        return "".join(f"{line};\n" for line in positions)

    def arguments(self, file: str, table_bits: int, depth: int | None = None) -> list[str]:
        """Level 60 plays out without selection; lower ones are depths, in the middle of the game."""
        options = {"-solve": file, "-n-tasks": 1, "-level": depth or 60, "-hash-table-size": table_bits, "-verbose": 1}
        return [str(word) for option in options.items() for word in option]

    def read(self, told: str, depth: int | None = None) -> list[Solved]:
        """Rows like `  1|   14   +18        0:00.006        134286   22381000 g8 H7 a8`, or with `14@73%`."""
        rows = [row for line in told.splitlines() if (row := self._row.match(line))]
        cpu = self._cpu.search(told)
        if depth is None and any(row["selective"] for row in rows):
            raise PeerFailed("Edax did not solve exactly: a depth has a per cent behind it")
        _check_depths("Edax", [int(row["depth"]) for row in rows], depth)
        alone = seconds_of(cpu[1]) if cpu and len(rows) == 1 else None
        return [
            Solved(
                score=int(row["score"]),
                seconds=seconds_of(row["time"]),
                nodes=int(row["nodes"]),
                cpu_seconds=alone,
                move=(row["move"] or "").lower(),
            )
            for row in rows
        ]


class Egaroucid:
    """Egaroucid for Console: `-solve` with a board a line; no processor time."""

    _row = re.compile(
        r"\|\s*\d+\|\s*(?P<depth>\d+)@(?P<certain>\d+)%\|\s*(?P<move>\w\w)\|\s*(?P<score>[+-]?\d+)\|\s*(?P<time>[\d:]+\.\d+)\|"
        r"\s*(?P<nodes>\d+)\|"
    )

    def script(self, positions: Sequence[str]) -> str:
        """The cells and the side to move without a space between."""
        return "".join(f"{line.replace(' ', '')}\n" for line in positions)

    def arguments(self, file: str, table_bits: int, depth: int | None = None) -> list[str]:
        """Level 60 plays out without selection; lower ones are depths, in the middle of the game."""
        options = {"-solve": file, "-t": 1, "-level": depth or 60, "-hash": table_bits}
        return [*(str(word) for option in options.items() for word in option), "-nobook"]

    def read(self, told: str, depth: int | None = None) -> list[Solved]:
        """Rows like `|  60|  16@100%|  a7|  +34|  000:00:00.120|  496145|  4134541|`."""
        rows = [row for line in told.splitlines() if (row := self._row.match(line))]
        if depth is None and any(row["certain"] != "100" for row in rows):
            raise PeerFailed("Egaroucid did not solve exactly: a depth is not at 100 %")
        _check_depths("Egaroucid", [int(row["depth"]) for row in rows], depth)
        return [
            Solved(
                score=int(row["score"]),
                seconds=seconds_of(row["time"]),
                nodes=int(row["nodes"]),
                move=row["move"].lower(),
            )
            for row in rows
        ]


def _check_depths(program: str, found: Sequence[int], asked: int | None) -> None:
    """See that a program searched as deep as it was asked to; without a depth all that is wanted is the end."""
    if asked is not None and (wrong := sorted(set(found) - {asked})):
        raise PeerFailed(f"{program} searched {', '.join(map(str, wrong))} plies, not {asked}")


ADAPTERS: dict[str, Adapter] = {"edax": Edax(), "egaroucid": Egaroucid()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A program on this machine, as a user names it: `edax=COMMAND`, or `edax-4.5=COMMAND`."""

    name: str
    command: tuple[str, ...]
    adapter: Adapter

    @classmethod
    def named(cls, text: str) -> "Peer":
        """The peer that `NAME=COMMAND` says; what a name begins with says which program it is."""
        name, _, command = text.partition("=")
        words = tuple(split_words(command))
        found = [adapter for known, adapter in ADAPTERS.items() if name.lower().startswith(known)]
        if not found or not words:
            known = " or ".join(ADAPTERS)
            raise PeerFailed(f"--peer {text}: NAME=COMMAND is expected, and a name that begins with {known}")
        return cls(name=name, command=words, adapter=found[0])

    @property
    def told(self) -> str:
        """The name and the program, without folders: results are shown elsewhere."""
        return f"{self.name}={join_words(Path(word).name or word for word in self.command)}"

    def solve(self, positions: Sequence[str], table_bits: int, depth: int | None = None) -> list[Solved]:
        """Each position solved, or searched to a depth, by one process on one thread."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "positions"
            file.write_text(self.adapter.script(positions))
            command = [*self.command, *self.adapter.arguments(str(file), table_bits, depth)]
            try:
                done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            except OSError as error:
                raise PeerFailed(f"{self.told}: {error.strerror}") from None
        found = self.adapter.read(done.stdout, depth)
        if len(found) != len(positions):
            last = (done.stderr.strip() or done.stdout.strip() or "nothing was printed").splitlines()[-1]
            raise PeerFailed(f"{self.told}: {len(positions)} results expected, {len(found)} read; last line: {last}")
        return found


def seconds_of(text: str) -> float:
    """Seconds of `1:23.057`, `1:02:03.400`, `000:00:00.120`."""
    total = 0.0
    for part in text.split(":"):
        total = total * 60 + float(part)
    return total
