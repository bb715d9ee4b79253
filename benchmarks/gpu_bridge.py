"""Single positions by all cores, and by these and a GPU: the time for a proof, and what the device did meanwhile.

python -m benchmarks.gpu_bridge FILE.obf …

The sides take turns, position by position. The scores in the files are compared; a difference ends it with status 1.
"""

import sys
import time
from pathlib import Path
from typing import Any

import outflank
from benchmarks.common import save
from benchmarks.endings import Ending, endings
from outflank.gpu.desk import Desk
from outflank.machine import usable_cores
from outflank.parallel import with_device

CORES = int(usable_cores())
SIDES: dict[str, Any] = {"cores": {"workers": CORES}, "cores and GPU": {"device": "gpu"}}

desks: list[Desk] = []


class CountedDesk(Desk):
    """A desk that is remembered."""

    def open(self) -> None:
        desks.append(self)
        super().open()


def proved(ending: Ending) -> dict[str, Any]:
    """What both sides took for a position, and whether its score is the file's."""
    row: dict[str, Any] = {"position": ending.label, "score": ending.score, "equal": True}
    for name, options in SIDES.items():
        desks.clear()
        started = time.perf_counter()
        found = outflank.solve(ending.board, **options)
        row[f"{name}, s"] = time.perf_counter() - started
        row[f"{name}, nodes"] = found.nodes
        row["equal"] &= found.value == ending.score
    row["answered in time"] = sum(desk.answered for desk in desks)
    row["answered too late"] = sum(desk.late for desk in desks)
    row["batches"] = sum(desk.batches for desk in desks)
    return row


def main() -> None:
    setattr(with_device, "Desk", CountedDesk)  # noqa: B010  # what it has done is told
    script = endings([Path(each) for each in sys.argv[1:]])
    proved(script[0])  # compiles
    rows = []
    for ending in script:
        rows.append(proved(ending))
        print(rows[-1], file=sys.stderr, flush=True)
    wrong = sum(not row["equal"] for row in rows)
    counted = [name for name in rows[0] if name not in ("position", "score", "equal")]
    figures = {name: sum(row[name] for row in rows) for name in counted}
    figures |= {
        "positions": len(rows),
        "wrong scores": wrong,
        "time with GPU / cores": figures["cores and GPU, s"] / figures["cores, s"],
    }
    save("gpu_bridge", figures, {"rows": rows})
    sys.exit(min(wrong, 1))


if __name__ == "__main__":
    main()
