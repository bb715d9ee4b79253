"""What `outflank train` says of each step to people."""

from pathlib import Path

from outflank.learning.documents import ErrorsDocument, PositionsDocument, StageError, ValuesDocument, WeightsDocument
from outflank.ui.cli.common import output
from outflank.ui.cli.tables import print_table
from outflank.words import how_many


def told_positions(folder: Path, found: PositionsDocument) -> str:
    """What was generated."""
    each = ", ".join(f"{count:,}" for count in found.by_stage)
    games = how_many(found.games, "game")
    return f"{folder / 'positions.npz'}: {how_many(found.positions, 'position')} of {games}; by stage {each}"


def told_values(folder: Path, found: ValuesDocument) -> str:
    """How positions were valued."""
    parts = [f"{found.solved:,} solved"] if found.solved else []
    parts += [f"{found.looked:,} looked at {found.settings.plies} plies ahead"] if found.looked else []
    parts += ["the results of games"] if not parts else []
    return f"{folder / 'values.npz'}: {', '.join(parts)}"


def told_fit(folder: Path, found: WeightsDocument) -> str:
    """What was fitted."""
    return (
        f"{folder / found.file}: {how_many(found.stages, 'stage')} of {how_many(found.weights, 'weight')}, "
        f"fitted to {how_many(sum(found.fitted), 'position')}"
    )


def stage_rows(found: ErrorsDocument) -> tuple[list[str], list[list[float | int | str]]]:
    """The table of errors: a row for each stage, and one for all."""
    names = [each.name for each in found.evaluations]
    columns = ["moves left", "positions", "solved", "knowing nothing", *names]
    rows = [_row(each, names) for each in (*found.stages, found.total)]
    return columns, rows


def _row(stage: StageError, names: list[str]) -> list[float | int | str]:
    least, most = stage.left
    left = "all" if stage.stage is None else str(least) if least == most else f"{least}–{most}"
    return [left, stage.positions, stage.solved, stage.spread, *(stage.errors[name] for name in names)]


def print_check(found: ErrorsDocument) -> None:
    """The errors by stage."""
    console = output()
    columns, rows = stage_rows(found)
    title = f"{found.game}: error on held-out games ({found.unit})"
    print_table(console, title, columns, [[_cell(cell) for cell in row] for row in rows])
    scaled = [each.name for each in found.evaluations if each.scaled]
    if scaled:
        console.print(f"  scaled by least squares, for they count no {found.unit}: {', '.join(scaled)}")


def _cell(cell: float | int | str) -> str:
    return f"{cell:.2f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else cell
