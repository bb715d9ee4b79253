"""What benchmarks share: where a result comes from, and how samples become a figure."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from outflank.command_lines import command_line
from outflank.lab.provenance import first_line, provenance

HERE = Path(__file__).parent
BUILD = HERE / "build"


def interleaved(sides: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, list[float]]:
    """Run every side once, then again, `repeats` times: a slow minute then slows all of them."""
    samples: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(repeats):
        for name, run in sides.items():
            samples[name].append(run())
            print(f"{number + 1}/{repeats} {name}: {samples[name][-1]:.3f}", file=sys.stderr, flush=True)
    return samples


def ratio(samples: Mapping[str, list[float]], above: str, below: str) -> float:
    """The median of the ratios within each round."""
    return statistics.median(a / b for a, b in zip(samples[above], samples[below], strict=True))


def stolen_seconds() -> float:
    """Processor time that the machine's host has given to others, all cores together; 0 where it does not tell."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
        return int(fields[8]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError, AttributeError):
        return 0.0


def compile_c(source: str, name: str, *flags: str) -> Path:
    """Build a C program beside the benchmarks, as fast as gcc makes it for this machine."""
    BUILD.mkdir(exist_ok=True)
    program = BUILD / name
    subprocess.run(["gcc", "-O3", "-march=native", *flags, str(HERE / source), "-o", str(program)], check=True)
    return program


def benchmark_command(name: str) -> str:
    """Return the line that runs a benchmark with the arguments of this process."""
    return command_line(["python", "-m", f"benchmarks.{name}", *sys.argv[1:]])


def save(name: str, figures: Mapping[str, Any], samples: Mapping[str, Any], *, variant: str = "") -> None:
    """Print the figures, and keep them with everything that is needed to repeat them; each `variant` by itself."""
    for figure, value in figures.items():
        print(f"{figure}: {value:,.3f}" if isinstance(value, float) else f"{figure}: {value}")
    record = {
        "benchmark": name,
        **provenance(benchmark_command(name), gcc=first_line("gcc", "--version")),
        "figures": dict(figures),
        "samples": dict(samples),
    }
    path = HERE / "results" / f"{'-'.join(filter(None, (name, variant)))}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n")
