"""The documents that the steps of learning write beside their arrays; the command prints them as well.

Two runs of a step with the same `settings` make the same arrays, to the bit.
"""

from typing import Literal

from msgspec import Struct

from outflank.validation.documents import Count, Document, Number
from outflank.validation.values import Misfit

LEARNT = "learnt"
"""The name of learnt weights beside evaluations that have a name."""


class WeightsSource(Struct, frozen=True, kw_only=True):
    """The evaluation that values positions."""

    evaluation: str | None = None
    """A name; for weights in a file, that of their patterns; null: none, moves are random."""
    check: str | None = None
    """Digest of those weights."""


class GenerateSettings(Struct, frozen=True, kw_only=True):
    """The way in which positions are made."""

    game: str
    rules: dict[str, int]
    start: str
    """Where games start: a position, or `each` of the game's."""
    seed: int
    positions: int
    """Number of positions requested."""
    per_game: int
    depth: int
    judge: WeightsSource
    games: str | None = None
    """Digest of the games that were read; null: all are played."""


class PositionsDocument(Document, frozen=True, kw_only=True, tag="outflank/train-positions/1"):
    """The document of `positions.npz`."""

    settings: GenerateSettings
    complete: bool = False
    positions: Count = 0
    games: Count = 0
    """Number of games that the positions are from."""
    by_stage: tuple[Count, ...] = ()
    check: str = ""
    """Digest of the arrays."""


class LabelSettings(Struct, frozen=True, kw_only=True):
    """The way in which positions get their values."""

    positions: str
    """Digest of the positions."""
    plies: int
    exact: int
    """Moves left from which positions are solved; -1: none are."""
    blend: float
    """The share of a game's result in the values of its positions."""
    judge: WeightsSource
    shrinkage: float
    passes: int


class ValuesDocument(Document, frozen=True, kw_only=True, tag="outflank/train-values/1"):
    """The document of `values.npz`."""

    settings: LabelSettings
    complete: bool = False
    solved: Count = 0
    looked: Count = 0
    """Number of positions valued by a shallow search."""
    check: str = ""


class FitSettings(Struct, frozen=True, kw_only=True):
    """The way in which weights are fitted."""

    positions: str
    values: str
    prior: WeightsSource
    shrinkage: float
    passes: int


class WeightsDocument(Document, frozen=True, kw_only=True, tag="outflank/train-weights/1"):
    """The document of the file of weights."""

    settings: FitSettings
    complete: bool = False
    file: str = ""
    stages: Count = 0
    weights: Count = 0
    """Number of weights that differ, in a stage."""
    fitted: tuple[Count, ...] = ()
    """Number of positions that each stage was fitted to."""
    errors: tuple[Number, ...] = ()
    """Root mean square error of each stage on those positions, in the game's unit."""
    check: str = ""

    def __post_init__(self) -> None:
        if self.complete and not len(self.fitted) == len(self.errors) == self.stages:
            raise Misfit("fitted", f"expected as many as there are stages, {self.stages}, and so of errors")


class StageError(Struct, frozen=True, kw_only=True):
    """A stage of held-out positions, or all of them."""

    stage: int | None
    """Number of the stage; null: all stages."""
    left: tuple[Count, Count]
    """The least and the most moves left."""
    positions: Count
    solved: Count
    spread: Number
    """Standard deviation of the values: the error of a constant guess."""
    errors: dict[str, Number]
    """Root mean square error of each evaluation, in the game's unit."""


class CheckedEvaluation(Struct, frozen=True, kw_only=True):
    """An evaluation that the weights are compared with."""

    name: str
    points: Number | None
    """Number of its points in one of the game's unit; null: it was scaled, and no scale makes it better than a constant
    guess."""
    scaled: bool
    """Whether it has no such unit itself, and got the scale that fits it best (least squares)."""


class ErrorsDocument(Document, frozen=True, kw_only=True, tag="outflank/train-check/1"):
    """The errors of weights on held-out games."""

    game: str
    unit: str
    weights: str
    """Digest of the weights."""
    evaluations: tuple[CheckedEvaluation, ...]
    stages: tuple[StageError, ...]
    total: StageError

    def __post_init__(self) -> None:
        names = [evaluation.name for evaluation in self.evaluations]
        if names[:1] != [LEARNT]:
            raise Misfit("evaluations", f"expected {LEARNT} first")
        for number, stage in enumerate((*self.stages, self.total)):
            if set(stage.errors) != set(names):
                place = f"stages[{number}]" if number < len(self.stages) else "total"
                raise Misfit(f"{place}.errors", f"expected those of {', '.join(names)}")


class DepthsSettings(Struct, frozen=True, kw_only=True):
    """The searches that are compared."""

    positions: str
    """Digest of the positions."""
    judge: WeightsSource
    depth: int
    count: int
    """Number of positions that are searched."""
    seed: int
    """Seed by which they are drawn."""


class DepthPair(Struct, frozen=True, kw_only=True):
    """Two depths, in one stage of the game."""

    deep: Count
    shallow: Count
    """The shallower depth; 0: the evaluation itself."""
    stage: Number
    """The mean number of the positions' stages."""
    spread: Number
    """Root mean square of the difference of their values, in the game's unit."""


class FittedErrors(Struct, frozen=True, kw_only=True):
    """The coefficients of the formula of `SearchErrors`."""

    constant: Number
    stage: Number
    shallow: Number
    between: Number


class DepthsDocument(Document, frozen=True, kw_only=True, tag="outflank/train-depths/1"):
    """The differences between shallow and deeper searches."""

    settings: DepthsSettings
    unit: str
    complete: bool = False
    pairs: tuple[DepthPair, ...] = ()
    errors: FittedErrors | None = None
    off: Number = 0.0
    """The standard deviation of the logarithms of the spreads from the formula's."""


class PlaySettings(Struct, frozen=True, kw_only=True):
    """The match that weights play."""

    weights: str
    """Digest of the weights."""
    against: WeightsSource
    depth: int | None
    seconds: float | None
    """Time for a move; null: there is a depth."""
    games: Count
    """Limit on the number of games."""
    elo0: float
    elo1: float
    """The two hypotheses of the sequential test, `elo0` and `elo1`, in normalised Elo."""
    openings: str
    seed: int


class MatchOutcome(Struct, frozen=True, kw_only=True):
    """The result of a match, from the weights' side."""

    wins: Count
    draws: Count
    losses: Count
    elo: Number
    elo_low: Number
    elo_high: Number
    """The ends of the 95 % interval, `elo_low` and `elo_high`."""
    llr: Number
    decision: Literal["H0", "H1"] | None
    """The accepted hypothesis; null: all games were played before the test decided."""

    @property
    def games(self) -> int:
        """Number of games that count."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The share of the points."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5


class PlayDocument(Document, frozen=True, kw_only=True, tag="outflank/train-play/1"):
    """A match of weights against others, or against an evaluation by name; the folder `match` has its games."""

    settings: PlaySettings
    complete: bool = False
    rival: str = ""
    """Name of the opponent."""
    outcome: MatchOutcome | None = None


class GenerationDocument(Struct, frozen=True, kw_only=True):
    """The result of one generation."""

    number: int
    folder: str
    positions: PositionsDocument
    values: ValuesDocument
    weights: WeightsDocument
    errors: ErrorsDocument
    match: PlayDocument | None
    """The match; null: none was played."""
    best: bool
    """Whether its weights are the best so far: the next generation continues from them."""

    def __post_init__(self) -> None:
        for stage in self.errors.stages:
            if stage.stage is None or not 0 <= stage.stage < self.weights.stages:
                raise Misfit("errors.stages", f"expected stages below {self.weights.stages}, found {stage.stage}")


class RunSettings(Struct, frozen=True, kw_only=True):
    """The settings of the training loop."""

    first: GenerateSettings
    """The positions of the first generation; later ones are made in the same way, by the best weights, with seeds of
    their own."""
    generations: Count
    plies: int
    exact: int | None
    blend: float | None
    shrinkage: float
    passes: int
    match_games: Count
    """Number of games of a match; 0: no match is played, and every generation counts as better."""
    depth: int | None
    seconds: float | None
    elo0: float
    elo1: float


class TrainDocument(Document, frozen=True, kw_only=True, tag="outflank/train/1"):
    """All generations: `train.json`."""

    settings: RunSettings
    complete: bool = False
    game: str = ""
    unit: str = ""
    generations: tuple[GenerationDocument, ...] = ()
    best: int | None = None
    """The number of the generation whose weights are in `file`."""
    file: str = ""
    check: str = ""

    def __post_init__(self) -> None:
        if self.complete and (not self.generations or self.best is None):
            raise Misfit("generations", "expected at least one, and the number of the best")
