"""Combinations of options that cover every pair of choices."""

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any


def pairwise(choices: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Few rows such that any two choices of different options occur together in one."""
    names = list(choices)
    indices = {name: range(len(choices[name])) for name in names}
    missing = {((a, x), (b, y)) for a, b in combinations(names, 2) for x, y in product(indices[a], indices[b])}
    rows = []
    while missing:
        row: dict[str, int] = {}
        (a, x), (b, y) = min(missing)
        row[a], row[b] = x, y
        for name in names:
            if name not in row:
                row[name] = max(indices[name], key=lambda index: _covered(row, (name, index), missing))
        missing -= set(combinations([(name, row[name]) for name in names], 2))
        rows.append({name: choices[name][index] for name, index in row.items()})
    return rows


def _covered(row: Mapping[str, int], choice: tuple[str, int], missing: set[Any]) -> int:
    """The missing pairs that a choice makes with those of a row."""
    return sum((other, choice) in missing or (choice, other) in missing for other in row.items())
