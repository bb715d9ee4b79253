"""Texts that `outflank train` prints for each step."""

from pathlib import Path

from outflank.lab.experiment_report import Cell
from outflank.learning.step_documents import (
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
from outflank.learning.training_page import PAGE, error_table, match_result_text, notes_on
from outflank.ui.cli.shared.position_options import output
from outflank.ui.cli.shared.terminal_tables import print_table
from outflank.validation.text import how_many


def positions_text(folder: Path, document: PositionsDocument) -> str:
    """Return a line about the generated positions."""
    counts = ", ".join(f"{count:,}" for count in document.by_stage)
    games = how_many(document.games, "game")
    return f"{folder / 'positions.npz'}: {how_many(document.positions, 'position')} of {games}; by stage {counts}"


def values_text(folder: Path, document: ValuesDocument) -> str:
    """Return a line about how positions were valued."""
    parts = [f"{document.solved:,} solved"] if document.solved else []
    parts += [f"{document.looked:,} looked at {document.settings.plies} plies ahead"] if document.looked else []
    parts += ["the results of games"] if not parts else []
    return f"{folder / 'values.npz'}: {', '.join(parts)}"


def fit_text(folder: Path, document: WeightsDocument) -> str:
    """Return a line about the fitted weights."""
    return (
        f"{folder / document.file}: {how_many(document.stages, 'stage')} of {how_many(document.weights, 'weight')}, "
        f"fitted to {how_many(sum(document.fitted), 'position')}"
    )


def print_check(document: ErrorsDocument) -> None:
    """Print the errors on held-out games by stage."""
    console = output()
    columns, rows = error_table(document)
    title = f"{document.game}: error on held-out games ({document.unit})"
    print_table(console, title, list(columns), [[_cell(cell) for cell in row] for row in rows])
    for note in notes_on(document):
        console.print(f"  {note}")


def print_depths(document: DepthsDocument) -> None:
    """Print how far values of two depths differ. Rows are pairs of depths, and columns are groups of stages."""
    stages = sorted({pair.stage for pair in document.pairs})
    spreads = {(pair.deep, pair.shallow, pair.stage): pair.spread for pair in document.pairs}
    rows = [
        [str(deep), str(shallow), *(_cell(spreads.get((deep, shallow, stage), "")) for stage in stages)]
        for deep, shallow in sorted({(pair.deep, pair.shallow) for pair in document.pairs})
    ]
    columns = ["depth", "shallower", *(f"about {stage:g}" for stage in stages)]
    print_table(output(), f"how far values are apart, by number of the stage ({document.unit})", columns, rows)
    if document.errors is not None:
        formula = document.errors
        output().print(
            f"  ln of points: {formula.constant:g} {formula.stage:+g} · stage {formula.shallow:+g} · ln(1 + shallower) "
            f"{formula.between:+g} · ln(depth - shallower), within {100 * document.off:.0f} %"
        )


def _cell(cell: Cell) -> str:
    return f"{cell:.2f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell)


def match_text(document: PlayDocument) -> str:
    """Return the outcome of a match in a line."""
    outcome = document.outcome
    assert outcome is not None
    decision = {"H1": "stronger", "H0": "not stronger", None: "not clear"}[outcome.decision]
    limit = (
        f"depth {document.settings.depth}"
        if document.settings.seconds is None
        else f"{document.settings.seconds:g} s a move"
    )
    return (
        f"against {document.rival} at {limit}: +{outcome.wins} ={outcome.draws} -{outcome.losses}, "
        f"{outcome.elo:+.0f} Elo ({outcome.elo_low:+.0f} to {outcome.elo_high:+.0f}): {decision}"
    )


def generation_text(document: GenerationDocument) -> str:
    """Return the results of a generation in a line."""
    errors = document.errors
    known = f"wrong by {errors.total.errors[LEARNT]:.2f} {errors.unit} on held-out games"
    verdict = "" if document.best else "; the weights before it stay the best"
    return f"generation {document.number}: {known}; {match_result_text(document)}{verdict}"


def run_text(folder: Path, document: TrainDocument) -> str:
    """Return a line about the files with the results."""
    return f"{folder / document.file}: the weights of generation {document.best}; {folder / PAGE} tells more"
