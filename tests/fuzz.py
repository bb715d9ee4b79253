"""Damaged documents, words and lines of every kind: `python -m tests.fuzz [COUNT] [SEED] [FIRST]`.

Each input is a real one, spoilt: keys dropped, values of other types, numbers without end, odd digits, bytes. It is
read as the package reads it, and whatever is raised must be an error of ours: one line. A traceback, or a reading that
takes longer than `BOUND_SECONDS`, is printed with its input. The number of an input and the seed make it:
`python -m tests.fuzz 1 SEED NUMBER` tries one again. CI runs five thousand (`test_fuzz.py`).
"""

import os
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from outflank.errors import OutflankError

BOUND_SECONDS = 20.0
"""What a reading may take, many times over: a loop without an end takes longer."""


class Endless(BaseException):
    """It took too long. No `Exception`, which code under test may catch."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is no clear line."""

    number: int
    target: str
    what: str
    tried: str

    def __str__(self) -> str:
        shown = self.tried if len(self.tried) < 2000 else f"{self.tried[:2000]}…"
        return f"--- {self.target}, input {self.number}\n{shown}\n{self.what}"


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Raise `Endless` in this thread after so long, where the system has such a clock."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_: object) -> None:
        raise Endless(f"took more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def attempt(number: int, seed: int) -> tuple[str, Finding | None]:
    """Try one input: what it was for, and what is wrong."""
    from tests.fuzz_targets import targets

    chance = random.Random(f"{seed}/{number}")
    kinds = targets()
    target = chance.choices(kinds, [kind.weight for kind in kinds])[0]
    given = target.make(chance)
    try:
        with bounded(BOUND_SECONDS), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            target.read(given)
    except OutflankError as error:
        if "\n" in str(error).strip():
            return target.name, Finding(number, target.name, f"several lines: {error!r}", repr(given))
    except (Exception, Endless):
        return target.name, Finding(number, target.name, _last_frames(), repr(given))
    return target.name, None


def _last_frames() -> str:
    lines = traceback.format_exc().strip().splitlines()
    return "\n".join(lines[-7:])


def run(count: int, seed: int, first: int = 0, tell: Callable[[str], None] = print) -> list[Finding]:
    """So many inputs; what was found, told as it is found, the same fault once."""
    findings: list[Finding] = []
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as home:
        before = os.getcwd()
        os.chdir(home)  # names in words are names of files here, and there are none
        try:
            for number in range(first, first + count):
                _, finding = attempt(number, seed)
                if finding is None:
                    continue
                findings.append(finding)
                fault = "\n".join(finding.what.splitlines()[-4:-1])
                seen[fault] += 1
                if seen[fault] == 1:
                    tell(str(finding))
        finally:
            os.chdir(before)
    return findings


def main() -> int:
    count, seed, first = (int(word) for word in (*sys.argv[1:], *("10000", "1", "0")[len(sys.argv) - 1 :]))
    began = time.perf_counter()
    findings = run(count, seed, first, lambda line: print(line, flush=True))
    seconds = time.perf_counter() - began
    print(f"{count:,} inputs from {first:,} of seed {seed}, {len(findings):,} findings, {seconds:.0f} s")
    return 1 if findings else 0


if __name__ == "__main__":
    # Before the package is imported by what is tried: nothing here needs kernels, and compiling them takes minutes.
    os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
    sys.exit(main())
