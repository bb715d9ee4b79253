"""Named Abalone positions for experiments."""

from collections.abc import Callable
from functools import partial
from importlib.resources import files

from outflank.abalone.board import AbaloneBoard
from outflank.abalone.formats.position_file import read_position_file


def _of_laboratory(name: str) -> AbaloneBoard:
    """Return one of the positions with which the published report 003 measures its program."""
    text = (files("outflank.abalone.positions") / f"{name}.position").read_text()
    return AbaloneBoard._from_setup(read_position_file(text))


POSITIONS: dict[str, Callable[[], AbaloneBoard]] = {
    "start": AbaloneBoard.start,
    **{name: partial(_of_laboratory, name) for name in ("midgame1", "midgame2", "endgame")},
    "belgian-daisy": partial(AbaloneBoard.start, "belgian-daisy"),
}

SETS: dict[str, tuple[str, ...]] = {"laboratory": ("start", "midgame1", "midgame2", "endgame")}
"""Names of the positions in each named set."""
