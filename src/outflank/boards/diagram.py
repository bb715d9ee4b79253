"""Boards drawn in text, with coordinates, for the terminal, for `str(board)`, for bug reports: what all games share."""

from collections.abc import Sequence

BLACK, WHITE, EMPTY, LEGAL = "X", "O", ".", "*"


def bracketed(marks: Sequence[str], last: Sequence[bool]) -> str:
    """The marks of a row with a space before each, or a bracket where a run of the last ones begins or has ended."""
    parts = []
    for before, mark, now in zip((False, *last), marks, last, strict=False):
        parts.append((" " if now == before else "[" if now else "]") + mark)
    return "".join(parts) + ("]" if last[-1] else "")
