"""More workers than cores: nodes, idle share and wasted nodes of every scheme with 2 to 32 workers, against one.

This is no measurement of time: the workers take turns on the cores there are, and give up theirs every
`PACE` nodes, so that they advance about evenly, as they would with a core each. What it tells is how many
more nodes a scheme enters; the idle share is that of workers which all take turns.

python -m benchmarks.workers [SCHEME ...]      every scheme if none is named, each with a file of results
"""

import statistics
import sys
from typing import Any

from benchmarks.common import save
from benchmarks.positions import GAMES, positions
from outflank import Limits
from outflank.search.division import scheme_named
from outflank.search.whole_search import search

SCHEMES = ("ybw", "jamboree", "pv-split", "root-split", "fork-join", "shared-table", "abdada")
WORKERS = (2, 4, 8, 16, 32)
PACE = 200

PART = {"ybw": (1, 1)}
"""Which positions of the set a scheme is measured on (every one, or every so many), and how many plies less deep."""

USUAL_PART = (4, 2)


def measured(game: str, scheme: str) -> dict[str, Any]:
    """One scheme on the positions of a game."""
    every, shallower = PART.get(scheme, USUAL_PART)
    rows: list[dict[str, Any]] = []
    for number, (board, depth) in enumerate(positions(game)[::every]):
        limits = Limits(depth=depth - shallower)
        alone = search(board, limits, workers=1)
        row: dict[str, Any] = {"depth": depth - shallower, "alone": alone.nodes}
        for workers in WORKERS:
            found = search(board, limits, parallel=scheme_named(scheme), workers=workers, pace=PACE)
            assert found.value == alone.value, "the value depends on the number of workers"
            row[str(workers)] = {
                "nodes": found.nodes,
                "idle_share": round(found.idle_share, 4),
                "wasted": sum(worker.wasted_nodes for worker in found.workers),
            }
        rows.append(row)
        ratios = "  ".join(f"{workers}: {row[str(workers)]['nodes'] / alone.nodes:.3f}" for workers in WORKERS)
        print(
            f"{scheme}, {game}, {number + 1}/{20 // every}, depth {row['depth']}: {ratios}", file=sys.stderr, flush=True
        )
    return {"positions": rows}


def main() -> None:
    for scheme in sys.argv[1:] or SCHEMES:
        figures: dict[str, Any] = {}
        raw: dict[str, Any] = {}
        total = {str(workers): 0 for workers in WORKERS} | {"alone": 0}
        for game in GAMES:
            raw[f"{scheme}, {game}"] = measured(game, scheme)
            rows = raw[f"{scheme}, {game}"]["positions"]
            alone = sum(row["alone"] for row in rows)
            total["alone"] += alone
            for workers in map(str, WORKERS):
                nodes = sum(row[workers]["nodes"] for row in rows)
                total[workers] += nodes
                idle = statistics.mean(row[workers]["idle_share"] for row in rows)
                wasted = sum(row[workers]["wasted"] for row in rows) / nodes
                figures[f"{scheme}, {game}, {workers} workers: nodes / one"] = nodes / alone
                figures[f"{scheme}, {game}, {workers} workers: idle share"] = idle
                figures[f"{scheme}, {game}, {workers} workers: wasted share of nodes"] = wasted
        for workers in map(str, WORKERS):
            figures[f"{scheme}, both games, {workers} workers: nodes / one"] = total[workers] / total["alone"]
        save("workers", figures, raw, variant=scheme)


if __name__ == "__main__":
    main()
