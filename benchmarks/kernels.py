"""What the kernels of both games do in a second in each form of their lanes, and beside the same in C.

python -m benchmarks.kernels [REPEATS]

The forms are those of `outflank.kernels.lane_forms`; a process for each counts and searches in turn with the others
and with `perft.c` and `alphabeta.c`, where there is gcc. Times are processor times: a busy machine spoils them least.
`NUMBA_CPU_NAME` and `NUMBA_CPU_FEATURES` tell Numba of a lesser processor than this one; C is compiled for this one.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import get_args

import outflank
from benchmarks.common import compile_c, interleaved, ratio, save
from outflank import AbaloneBoard, Options, OthelloBoard
from outflank.kernels import lane_forms
from outflank.kernels.compiler import load_numba
from outflank.search.alone import Alone
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, LOW

FORMS = get_args(lane_forms.Form)
LANES = {"othello": 4, "abalone": 8}
WORK = ("othello perft", "othello alphabeta", "abalone perft", "abalone alphabeta")
DEPTHS = {"othello perft": 10, "othello alphabeta": 13, "abalone perft": 5, "abalone alphabeta": 6}
C_SOURCES = {"othello perft": "perft", "othello alphabeta": "alphabeta"}
C_VARIANTS: dict[str, tuple[str, ...]] = {"C": (), "C with lanes": ("-DLANES",)}
FIRST = 37  # the first move of alphabeta.c: f5
SERVE = "--serve"


# --- a form's own process: it is asked for work by name, and answers with what it did and how long it took ---


def perft_of(name: str) -> Callable[[], int]:
    """Count leaves: how many."""
    board: OthelloBoard | AbaloneBoard = OthelloBoard.start() if "othello" in name else AbaloneBoard.start()
    return lambda: outflank.perft(board, DEPTHS[name]).leaves


def alphabeta_of(name: str) -> Callable[[], int]:
    """Search without table and ordering: how many nodes."""
    othello = "othello" in name
    board: OthelloBoard | AbaloneBoard = OthelloBoard.start(scoring="discs") if othello else AbaloneBoard.start()
    evaluation = "discs" if othello else "cohesion"
    root = Root(
        board.game,
        board.position,
        Options(algorithm="alphabeta", evaluation=evaluation, ordering="none", table_bits=None),
    )
    alone = Alone(root)
    move = next(move for move in root.moves if not othello or move.code == FIRST)

    def run() -> int:
        root.begin_search(None)
        alone.child_value(move, LOW, HIGH, DEPTHS[name])
        return int(root.worker.nodes)

    return run


def serve() -> None:
    """Do what each line of the input names."""
    ready = {name: perft_of(name) if "perft" in name else alphabeta_of(name) for name in WORK}
    for work in ready.values():
        work()  # compiled now
    print("ready", flush=True)
    for line in sys.stdin:
        started = time.process_time()
        done = ready[line.strip()]()
        print(done, time.process_time() - started, flush=True)


@contextmanager
def served(form: str) -> Iterator[Callable[[str], tuple[int, float]]]:
    """A process whose kernels have lanes of one form, to be asked."""
    command = [sys.executable, "-m", "benchmarks.kernels", SERVE]
    environment = os.environ | {lane_forms.FORCED: form}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        lines_in, lines_out = process.stdin, process.stdout
        assert lines_out.readline() == "ready\n", f"{form}: it did not start"

        def ask(name: str) -> tuple[int, float]:
            print(name, file=lines_in, flush=True)
            done, seconds = lines_out.readline().split()
            return int(done), float(seconds)

        yield ask


# --- all of them in turn ---


def in_c(variant: str, name: str) -> Callable[[str], tuple[int, float]]:
    """The same in C: what it prints last is how much it did, and how long it took."""
    program = compile_c(f"{C_SOURCES[name]}.c", f"{C_SOURCES[name]}-{variant.replace(' ', '-')}", *C_VARIANTS[variant])

    def ask(name: str) -> tuple[int, float]:
        command = [str(program), str(DEPTHS[name])]
        words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        return int(words[-2]), float(words[-1])

    return ask


def rate(ask: Callable[[str], tuple[int, float]], name: str, expected: dict[str, int]) -> Callable[[], float]:
    """Millions a second; every side does the same, or the comparison is none."""

    def run() -> float:
        done, seconds = ask(name)
        assert expected.setdefault(name, done) == done, f"{name}: {done:,} instead of {expected[name]:,}"
        return done / seconds / 1e6

    return run


def figures_of(samples: dict[str, list[float]]) -> Iterator[tuple[str, float | str]]:
    """The medians, and the ratios of what is chosen here to the other form and to the better of the programs in C."""
    for name in WORK:
        form, why = lane_forms.choose_form(LANES[name.split()[0]], lane_forms.target_bits())
        (other,) = set(FORMS) - {form}
        yield f"{name}, form", f"{form} ({why})"
        sides = [side.split(": ")[1] for side in samples if side.startswith(f"{name}: ")]
        yield from ((f"{name}, {side}, million/s", statistics.median(samples[f"{name}: {side}"])) for side in sides)
        yield f"{name}, {form} / {other}", ratio(samples, f"{name}: {form}", f"{name}: {other}")
        in_c = [f"{name}: {side}" for side in sides if side in C_VARIANTS]
        if in_c:
            better = max(in_c, key=lambda side: statistics.median(samples[side]))
            yield f"{name}, {form} / {better.split(': ')[1]}, the better one", ratio(samples, f"{name}: {form}", better)


def sides(stack: ExitStack) -> Iterable[tuple[str, str, Callable[[str], tuple[int, float]]]]:
    """Every piece of work by everybody who does it."""
    forms = {form: stack.enter_context(served(form)) for form in FORMS}
    variants = C_VARIANTS if shutil.which("gcc") else ()
    for name in WORK:
        yield from ((name, form, ask) for form, ask in forms.items())
        yield from ((name, variant, in_c(variant, name)) for variant in variants if name in C_SOURCES)


def main() -> None:
    if SERVE in sys.argv:
        serve()
        return
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    load_numba()
    from numba.core.registry import cpu_target

    expected: dict[str, int] = {}
    with ExitStack() as stack:
        samples = interleaved(
            {f"{name}: {side}": rate(ask, name, expected) for name, side, ask in sides(stack)}, repeats
        )
    _, processor, _ = cpu_target.target_context.codegen().magic_tuple()
    save("kernels", dict(figures_of(samples)), samples, variant=processor)


if __name__ == "__main__":
    main()
