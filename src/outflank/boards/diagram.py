"""Text diagrams of boards with coordinates, for the terminal, `str(board)` and bug reports: the part that games
share."""

from collections.abc import Sequence

BLACK, WHITE, EMPTY, LEGAL = "X", "O", ".", "*"


def bracketed(marks: Sequence[str], last: Sequence[bool]) -> str:
    """Return the marks of a row, each after a space, or after a bracket where a run of `last` begins or has ended."""
    parts = []
    for before, mark, now in zip((False, *last), marks, last, strict=False):
        parts.append((" " if now == before else "[" if now else "]") + mark)
    return "".join(parts) + ("]" if last[-1] else "")
