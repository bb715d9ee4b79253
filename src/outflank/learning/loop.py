"""The training loop: all steps, generation after generation. The best weights so far play the games of the next
generation."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from outflank.errors import InvalidOption
from outflank.formats.files import write_whole
from outflank.games.evaluation import FROM_FILE
from outflank.learning.fitting import Fit, fit_weights
from outflank.learning.generating import Generation, generate, settings_of
from outflank.learning.held_out_errors import check
from outflank.learning.labelling import Labels, label
from outflank.learning.pieces import Step, Work
from outflank.learning.step_documents import GenerationDocument, RunSettings, TrainDocument
from outflank.learning.subject import Subject
from outflank.learning.weight_matches import Match, play

GENERATIONS = 2
MOST_GENERATIONS = 99


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Settings of the training loop."""

    generation: Generation
    labels: Labels
    fit: Fit
    match: Match
    generations: int = GENERATIONS

    def __post_init__(self) -> None:
        if not 1 <= self.generations <= MOST_GENERATIONS:
            raise InvalidOption(f"{self.generations} generations: 1 to {MOST_GENERATIONS}")

    def settings(self, work: Work) -> RunSettings:
        """Return the settings as they are stored in the document of the run."""
        return RunSettings(
            first=settings_of(self.generation, work),
            generations=self.generations,
            plies=self.labels.plies,
            exact=self.labels.exact,
            blend=self.labels.blend,
            shrinkage=self.fit.shrinkage,
            passes=self.fit.passes,
            match_games=self.match.games,
            depth=self.match.used_depth,
            seconds=self.match.seconds,
            elo0=self.match.sprt.elo0,
            elo1=self.match.sprt.elo1,
        )


OnGeneration = Callable[[GenerationDocument], None]


def run(
    folder: Path,
    plan: Plan,
    work: Work,
    *,
    on_generation: OnGeneration = lambda generation: None,
    on_write: Callable[[TrainDocument], None] = lambda document: None,
) -> TrainDocument:
    """Learn an evaluation from the rules alone, or continue an interrupted run; return the run's document.

    `on_generation` is called with each finished generation, and `on_write` with the document after each time it is
    written.
    """
    subject = Subject(plan.generation.start.game)
    step = Step(folder, "train")
    planned = TrainDocument(settings=plan.settings(work), game=subject.title, unit=subject.unit)
    with step.open(planned, folder / subject.weights_name, work) as complete:
        if complete is not None:
            for generation in complete.generations:
                on_generation(generation)
            on_write(complete)
            return complete
        document = planned
        for number in range(1, plan.generations + 1):
            best = None if document.best is None else folder / _folder(document.best) / subject.weights_name
            generation = _generation(folder, plan, number, best, work)
            source = folder / generation.folder / subject.weights_name
            if generation.best:
                write_whole(folder / subject.weights_name, source.read_bytes())
            document = TrainDocument(
                settings=planned.settings,
                complete=number == plan.generations,
                game=planned.game,
                unit=planned.unit,
                generations=(*document.generations, generation),
                best=number if generation.best else document.best,
                file=subject.weights_name,
                check=generation.weights.check if generation.best else document.check,
            )
            on_generation(generation)
            step.write(document)
            on_write(document)
        return document


def _folder(number: int) -> str:
    return f"generation-{number:02}"


def _generation(folder: Path, plan: Plan, number: int, best: Path | None, work: Work) -> GenerationDocument:
    """Run the steps of one generation. `best` is the file of the weights that it begins with."""
    home = folder / _folder(number)
    prefix = f"generation {number} of {plan.generations}, " if plan.generations > 1 else ""
    inner = replace(work, progress=lambda text: work.progress(prefix + text))
    evaluation = plan.generation.evaluation if best is None else f"{FROM_FILE}{best}"
    seed = 1000 * plan.generation.seed + number
    positions = generate(home, replace(plan.generation, seed=seed, evaluation=evaluation), inner)
    values = label(home, replace(plan.labels, weights=best), inner)
    weights = fit_weights(home, replace(plan.fit, prior=best), inner)
    errors = check(home, inner)
    match = None
    if plan.match.games:
        against = plan.match.against if best is None else f"{FROM_FILE}{best}"
        match = play(home, replace(plan.match, against=against, seed=seed), inner, start=plan.generation.start)
    better = best is None or match is None or match.outcome is None or match.outcome.score >= 0.5
    return GenerationDocument(
        number=number,
        folder=home.name,
        positions=positions,
        values=values,
        weights=weights,
        errors=errors,
        match=match,
        best=better,
    )
