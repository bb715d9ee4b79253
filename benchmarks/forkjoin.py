"""What a spawn costs, and the speed-up of two workers: fork-join programs on our runtime, beside others.

python -m benchmarks.forkjoin [--fib 35] [--queens 13] [--rounds 5] [--variant NAME] [--peer NAME=COMMAND …]

Each round runs every side once: serial C, ours, and each peer, with one worker and with two. A peer is called as
COMMAND PROGRAM N WORKERS, and prints JSON with `seconds`, `processor_seconds` and `value`; PROGRAM is `fib` or
`queens`. All sides spawn at every node of the same tree: `fib(n - 1)` beside `fib(n - 2)`, and the other squares of a
row beside the first. On a busy machine the least times of many short runs say more about speed-up than medians.
"""

import argparse
import json
import statistics
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.common import compile_c, save
from outflank.forkjoin import Program, program_named
from outflank.validation.quoted_words import split_words

EXAMPLES = Path(__file__).parents[1] / "examples" / "fork_join.py"
ALL_ROWS = 99

Times = dict[str, float]
"""Wall-clock and processor seconds of one run."""


def programs(arguments: argparse.Namespace) -> dict[str, int]:
    return {"fib": arguments.fib, "queens": arguments.queens}


def program(name: str, n: int) -> Program:
    return program_named(f"{EXAMPLES}:{name}", [n] if name == "fib" else [n, ALL_ROWS])


def run_ours(name: str, n: int, workers: int) -> tuple[Times, int]:
    own = program(name, n)
    processor = time.process_time()
    outcome = own.measure(workers=workers)
    return {"seconds": outcome.seconds, "processor_seconds": time.process_time() - processor}, outcome.value


def run_other(command: list[str], name: str, n: int, workers: int) -> tuple[Times, int]:
    done = subprocess.run([*command, name, str(n), str(workers)], capture_output=True, text=True, check=True)
    read = json.loads(done.stdout)
    return {key: float(read[key]) for key in ("seconds", "processor_seconds")}, int(read["value"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fib", type=int, default=35)
    parser.add_argument("--queens", type=int, default=13)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--variant", default="", help="ending of the result file's name")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    arguments = parser.parse_args()
    serial = [str(compile_c("forkjoin.c", "forkjoin"))]
    peers = {name: split_words(command) for name, _, command in (peer.partition("=") for peer in arguments.peer)}
    sides: dict[str, Callable[..., tuple[Times, int]]] = {"C, serial": partial(run_other, serial, workers=1)}
    for workers in (1, 2):
        sides[f"ours, {workers}"] = partial(run_ours, workers=workers)
        for peer, command in peers.items():
            sides[f"{peer}, {workers}"] = partial(run_other, command, workers=workers)
    samples: dict[str, list[Times]] = {}
    values: dict[str, set[int]] = {name: set() for name in programs(arguments)}
    spawns = {}
    for name, n in programs(arguments).items():
        spawns[name] = program(name, n).measure(workers=2).spawns  # compiles it too
        for round_ in range(arguments.rounds):
            for side, run in sides.items():
                times, value = run(name, n)
                samples.setdefault(f"{name}, {side}", []).append(times)
                values[name].add(value)
                print(f"{round_ + 1}/{arguments.rounds} {name}({n}), {side}: {times}", flush=True)
        assert len(values[name]) == 1, values
    save("forkjoin", figures(samples, spawns, ["ours", *peers]), {"times": samples}, variant=arguments.variant)


def figures(samples: dict[str, list[Times]], spawns: dict[str, int], runtimes: list[str]) -> dict[str, float]:
    """For each program and runtime, what a spawn adds to the processor time of serial C, and the speed-up of two."""
    results: dict[str, float] = {}
    for name, count in spawns.items():
        base = statistics.median(times["processor_seconds"] for times in samples[f"{name}, C, serial"])
        results[f"{name}: spawns"] = count
        results[f"{name}: C, serial, processor ns per spawn"] = 1e9 * base / count
        for runtime in runtimes:
            one, two = samples[f"{name}, {runtime}, 1"], samples[f"{name}, {runtime}, 2"]
            processor = statistics.median(times["processor_seconds"] for times in one)
            results[f"{name}: {runtime}, processor ns per spawn"] = 1e9 * processor / count
            results[f"{name}: {runtime}, overhead to C, ns per spawn"] = 1e9 * (processor - base) / count
            rounds = list(zip(one, two, strict=True))
            for clock, what in (("seconds", "speed-up of two"), ("processor_seconds", "processor time of one to two")):
                results[f"{name}: {runtime}, {what}"] = statistics.median(a[clock] / b[clock] for a, b in rounds)
            least_one, least_two = (min(times["seconds"] for times in side) for side in (one, two))
            results[f"{name}: {runtime}, speed-up of two, least times"] = least_one / least_two
    return results


if __name__ == "__main__":
    main()
