"""The difference between the values of a shallow search and a deeper one: the basis of selective searches."""

import json
from dataclasses import dataclass

from outflank.errors import FormatError


@dataclass(frozen=True, slots=True)
class SearchErrors:
    """The standard deviation σ of the difference between the values of two depths, in points of an evaluation.

    ln σ = constant + stage · s + shallow · ln(1 + d) + between · ln(D - d), D being the depth, d that of the shallower
    search and s the number of the position's stage (`patterns.stage`).
    """

    constant: float
    stage: float
    shallow: float
    between: float

    @classmethod
    def read(cls, data: bytes, place: str) -> "SearchErrors":
        """Return the formula in a file written by `outflank train depths`."""
        try:
            errors = json.loads(data)["errors"]
            return cls(*(float(errors[name]) for name in ("constant", "stage", "shallow", "between")))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise FormatError(f"{place} is not what `outflank train depths` makes") from None
