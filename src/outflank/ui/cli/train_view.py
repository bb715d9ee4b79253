"""What `outflank train` says of each step to people."""

from pathlib import Path

from outflank.lab.report import Cell
from outflank.learning.documents import (
    LEARNT,
    DepthsDocument,
    ErrorsDocument,
    GenerationDocument,
    PlayDocument,
    PositionsDocument,
    TrainDocument,
    ValuesDocument,
    WeightsDocument,
)
from outflank.learning.report import PAGE, error_table, match_told, notes_on
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


def print_check(found: ErrorsDocument) -> None:
    """The errors by stage."""
    console = output()
    columns, rows = error_table(found)
    title = f"{found.game}: error on held-out games ({found.unit})"
    print_table(console, title, list(columns), [[_cell(cell) for cell in row] for row in rows])
    for note in notes_on(found):
        console.print(f"  {note}")


def print_depths(found: DepthsDocument) -> None:
    """The spreads, a row for each pair of depths, a column for each group of stages."""
    stages = sorted({each.stage for each in found.pairs})
    spreads = {(each.deep, each.shallow, each.stage): each.spread for each in found.pairs}
    rows = [
        [str(deep), str(shallow), *(_cell(spreads.get((deep, shallow, stage), "")) for stage in stages)]
        for deep, shallow in sorted({(each.deep, each.shallow) for each in found.pairs})
    ]
    columns = ["depth", "shallower", *(f"about {stage:g}" for stage in stages)]
    print_table(output(), f"how far values are apart, by number of the stage ({found.unit})", columns, rows)
    if found.errors is not None:
        each = found.errors
        output().print(
            f"  ln of points: {each.constant:g} {each.stage:+g} · stage {each.shallow:+g} · ln(1 + shallower) "
            f"{each.between:+g} · ln(depth - shallower), within {100 * found.off:.0f} %"
        )


def _cell(cell: Cell) -> str:
    return f"{cell:.2f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell)


def told_match(found: PlayDocument) -> str:
    """How a match ended."""
    outcome = found.outcome
    assert outcome is not None
    decision = {"H1": "stronger", "H0": "not stronger", None: "not clear"}[outcome.decision]
    limit = (
        f"depth {found.settings.depth}" if found.settings.seconds is None else f"{found.settings.seconds:g} s a move"
    )
    return (
        f"against {found.rival} at {limit}: +{outcome.wins} ={outcome.draws} -{outcome.losses}, {outcome.elo:+.0f} Elo "
        f"({outcome.elo_low:+.0f} to {outcome.elo_high:+.0f}): {decision}"
    )


def told_generation(found: GenerationDocument) -> str:
    """What has come of a generation, in a line."""
    errors = found.errors
    known = f"wrong by {errors.total.errors[LEARNT]:.2f} {errors.unit} on held-out games"
    verdict = "" if found.best else "; the weights before it stay the best"
    return f"generation {found.number}: {known}; {match_told(found)}{verdict}"


def told_run(folder: Path, found: TrainDocument) -> str:
    """Where all of it is."""
    return f"{folder / found.file}: the weights of generation {found.best}; {folder / PAGE} tells more"
