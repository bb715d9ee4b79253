"""The HTML page of a training run: errors by stage and generation, compared with the game's other evaluations."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from outflank.formats.files import write_whole
from outflank.lab.drawing.page import page_html
from outflank.lab.experiment_report import Cell, Plot, Report, ReportTable, Series
from outflank.learning.step_documents import LEARNT, ErrorsDocument, GenerationDocument, StageError, TrainDocument
from outflank.validation.documents import JsonObject, plain
from outflank.validation.text import how_many

PAGE = "train.html"

MOST_DRAWN = 3
"""Number of named evaluations in the figure of errors, which shows only the best. The table shows all."""

CONSTANT_GUESS = "constant guess"


def write_page(folder: Path, document: TrainDocument, provenance: JsonObject) -> None:
    """Write the HTML page of a training run to `train.html` in a folder."""
    write_whole(folder / PAGE, page_html(report_of(document, provenance)))


def report_of(document: TrainDocument, provenance: JsonObject) -> Report:
    """Return the report of a training run that its HTML page shows."""
    last = document.generations[-1]
    return Report(
        experiment="train",
        question=f"How good an evaluation of {document.game} can be learnt from its rules?",
        reports=(),
        parameters=_parameters(document),
        provenance=dict(provenance),
        samples=tuple(_samples(document)),
        tables=(_generations(document), _errors(last.errors, last.number)),
        figures=tuple(_figures(document)),
        notes=tuple(_notes(document)),
        complete=document.complete,
    )


def left_of(stage: StageError) -> str:
    """Return the range of moves left in a stage as text, for example `12–16`."""
    least, most = stage.left
    return "all" if stage.stage is None else str(least) if least == most else f"{least}–{most}"


def error_table(errors: ErrorsDocument) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]:
    """Return the columns and rows of a table of errors, with a row for each stage and a row for all stages."""
    names = [evaluation.name for evaluation in errors.evaluations if evaluation.points is not None]
    rows: list[tuple[Cell, ...]] = [
        (left_of(stage), stage.positions, stage.solved, stage.spread, *(stage.errors[name] for name in names))
        for stage in (*errors.stages, errors.total)
    ]
    return ("moves left", "positions", "solved", CONSTANT_GUESS, *names), tuple(rows)


def notes_on(errors: ErrorsDocument) -> list[str]:
    """Return notes on evaluations that were scaled, and on evaluations left out of the table."""
    scaled = [
        evaluation.name for evaluation in errors.evaluations if evaluation.scaled and evaluation.points is not None
    ]
    without = [evaluation.name for evaluation in errors.evaluations if evaluation.points is None]
    notes = [f"Scaled by least squares, since in no {errors.unit}: {', '.join(scaled)}."] if scaled else []
    return notes + ([f"Worse than a constant guess on any scale: {', '.join(without)}."] if without else [])


def match_result_text(generation: GenerationDocument) -> str:
    """Return the result of a generation's match as a short text."""
    match = generation.match
    if match is None or match.outcome is None:
        return "no match"
    outcome, rival = match.outcome, _rival(generation)
    elo = f"{outcome.elo:+.0f} Elo ({outcome.elo_low:+.0f} to {outcome.elo_high:+.0f})"
    return f"+{outcome.wins} ={outcome.draws} -{outcome.losses} against {rival}: {elo}"


def _rival(generation: GenerationDocument) -> str:
    assert generation.match is not None
    source = generation.match.settings.against
    return "the best weights before" if source.check is not None else source.evaluation or "nobody"


def _parameters(document: TrainDocument) -> JsonObject:
    settings: JsonObject = plain(document.settings)
    first = settings.pop("first")
    match = {f"match {name}": settings.pop(name) for name in ("depth", "seconds", "elo0", "elo1")}
    first["depth of games"] = first.pop("depth")
    first["first games by"] = first.pop("judge")["evaluation"] or "lots that are drawn"
    return {name.replace("_", " "): value for name, value in (first | settings | match).items()}


def _samples(document: TrainDocument) -> Iterator[dict[str, Cell]]:
    for generation in document.generations:
        for stage in (*generation.errors.stages, generation.errors.total):
            yield {
                "generation": generation.number,
                "moves left": left_of(stage),
                "positions": stage.positions,
                CONSTANT_GUESS: stage.spread,
                **stage.errors,
            }


def _generations(document: TrainDocument) -> ReportTable:
    rows: list[dict[str, Cell]] = []
    for generation in document.generations:
        outcome = None if generation.match is None else generation.match.outcome
        rows.append(
            {
                "generation": generation.number,
                "positions": generation.positions.positions,
                "solved": generation.values.solved,
                "looked at": generation.values.looked,
                f"error ({document.unit})": generation.errors.total.errors[LEARNT],
                "match against": None if outcome is None else _rival(generation),
                "games": None if outcome is None else outcome.games,
                "Elo": None if outcome is None else outcome.elo,
                "95 % from": None if outcome is None else outcome.elo_low,
                "to": None if outcome is None else outcome.elo_high,
                "best so far": "yes" if generation.best else "no",
            }
        )
    notes = (
        "The error is the root of the mean square on held-out positions of the generation itself: "
        "better players come to other positions, so that those of two generations are not quite comparable.",
    )
    return ReportTable.of("Generations", rows, notes=notes)


def _errors(errors: ErrorsDocument, number: int) -> ReportTable:
    columns, rows = error_table(errors)
    return ReportTable(
        title=f"Error on held-out games of generation {number} ({errors.unit})",
        columns=columns,
        rows=rows,
        notes=tuple(notes_on(errors)),
    )


def _middle(stage: StageError) -> float:
    return sum(stage.left) / 2


def _figures(document: TrainDocument) -> Iterator[Plot]:
    last = document.generations[-1]
    errors = last.errors
    yield Plot(
        title="Error by moves left",
        x="moves left",
        y=f"error ({document.unit})",
        series=(
            *(
                _curve(f"generation {generation.number}", generation.errors.stages, LEARNT)
                for generation in document.generations
            ),
            *(_curve(name, errors.stages, name) for name in _best_others(errors)),
            Series(
                name=CONSTANT_GUESS,
                points=tuple((_middle(stage), stage.spread) for stage in errors.stages),
                style="dashed",
            ),
        ),
        caption="Root mean square on games that were held out, each stage at the middle of its moves; less is better.",
    )
    yield Plot(
        title=f"Positions of generation {last.number} by stage",
        kind="bars",
        x="moves left",
        y="positions",
        series=(
            Series(
                name="fitted to",
                points=tuple((left_of(stage), float(last.weights.fitted[stage.stage or 0])) for stage in errors.stages),
            ),
            Series(name="held out", points=tuple((left_of(stage), float(stage.positions)) for stage in errors.stages)),
        ),
        caption="A stage with few positions keeps near the weights that it began with.",
    )
    yield Plot(
        title=f"What generation {last.number} knows, and what it has learnt by heart",
        x="moves left",
        y=f"error ({document.unit})",
        series=(
            _curve("held-out games", errors.stages, LEARNT),
            Series(
                name="positions it was fitted to",
                points=tuple((_middle(stage), last.weights.errors[stage.stage or 0]) for stage in errors.stages),
            ),
        ),
        caption="The wider the gap, the more would come of more positions, or of more shrinkage.",
    )
    played = [
        generation
        for generation in document.generations
        if generation.match is not None and generation.match.outcome is not None
    ]
    if played:
        yield _strength(played)


def _strength(played: Sequence[GenerationDocument]) -> Plot:
    outcomes = [(generation, generation.match.outcome) for generation in played if generation.match is not None]
    known = [(generation, outcome) for generation, outcome in outcomes if outcome is not None]
    return Plot(
        title="Strength against the best before",
        kind="bars",
        x="generation",
        y="Elo",
        series=(
            Series(
                name="Elo",
                points=tuple(
                    (f"{generation.number}: {_rival(generation)}", outcome.elo) for generation, outcome in known
                ),
                spread=tuple((outcome.elo_low, outcome.elo_high) for _, outcome in known),
            ),
        ),
        caption="With the 95 % interval; the first plays an evaluation of the game's by name.",
    )


def _curve(name: str, stages: Sequence[StageError], evaluation: str) -> Series:
    return Series(name=name, points=tuple((_middle(stage), stage.errors[evaluation]) for stage in stages))


def _best_others(errors: ErrorsDocument) -> list[str]:
    others = [
        evaluation.name
        for evaluation in errors.evaluations
        if evaluation.name != LEARNT and evaluation.points is not None
    ]
    return sorted(others, key=lambda name: errors.total.errors[name])[:MOST_DRAWN]


def _notes(document: TrainDocument) -> Iterator[str]:
    last = document.generations[-1]
    total = last.errors.total
    yield (
        f"Generation {last.number} is wrong by {total.errors[LEARNT]:.2f} {document.unit} on "
        f"{how_many(total.positions, 'held-out position')}, whose values have a standard deviation of "
        f"{total.spread:.2f}."
    )
    others = _best_others(last.errors)
    if others:
        yield (
            f"Of the evaluations that the game has by name, {others[0]} comes nearest there: "
            f"it is wrong by {total.errors[others[0]]:.2f}."
        )
    for generation in document.generations:
        if generation.match is not None:
            yield f"Generation {generation.number}: {match_result_text(generation)}."
    if document.best is not None:
        yield f"The weights in {document.file} are those of generation {document.best}."
