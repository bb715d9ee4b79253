"""Every algorithm with every evaluation, ordering, table and pass rule, against the definition.

The options that are left are drawn anew for each combination. Minutes, so not for CI.

python -m tests.product [SEEDS]      ends with status 1 at the first mismatch
"""

import sys
import time
from itertools import product

import numpy as np

from outflank.abalone.rules import Abalone
from outflank.games.evaluation import evaluations
from outflank.othello.squares import othello
from outflank.search.ordering import orderings
from tests.search.test_search import SHARED_CHOICES, check

VARIED = ("algorithm", "table_bits", "canonical", "passes")


def main() -> int:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    started, done = time.perf_counter(), 0
    for name, game in (("othello", othello()), ("abalone", Abalone(14, 6))):
        varied = {key: SHARED_CHOICES[key] for key in VARIED}
        varied |= {"evaluation": list(evaluations(game)), "ordering": orderings(game)}
        for values in product(*varied.values()):
            for seed in range(done * seeds, (done + 1) * seeds):
                random = np.random.default_rng(seed)
                drawn = {key: choices[random.integers(len(choices))] for key, choices in SHARED_CHOICES.items()}
                row = drawn | dict(zip(varied, values, strict=True))
                try:
                    check(name, seed, row)
                except AssertionError as error:
                    print(f"{name}, seed {seed}, {row}: {error}")
                    return 1
            done += 1
            if done % 500 == 0:
                print(f"{done:,} combinations agree, {time.perf_counter() - started:.0f} s", flush=True)
    print(f"all {done:,} combinations agree, {time.perf_counter() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
