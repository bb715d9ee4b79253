"""The JSON documents that the steps of learning write beside their arrays, and that the commands print.

Two runs of a step with equal `settings` make the same arrays, to the bit.
"""

from typing import Literal

from msgspec import Struct

from outflank.validation.documents import Count, Document, Number
from outflank.validation.values import Misfit

LEARNT = "learnt"
"""Name of the learnt weights in comparisons with named evaluations of the game."""


class WeightsSource(Struct, frozen=True, kw_only=True):
    """Identifies an evaluation that a step of learning uses."""

    evaluation: str | None = None
    """Name of the evaluation; for weights in a file, the name of their patterns; null: random moves."""
    check: str | None = None
    """Digest of the weights, if they are from a file."""


class GenerateSettings(Struct, frozen=True, kw_only=True):
    """Settings that determine the generated positions."""

    game: str
    rules: dict[str, int]
    start: str
    """Starting position of the games as text, or `each` for all starting positions of the game."""
    seed: int
    positions: int
    """Number of positions requested."""
    per_game: int
    depth: int
    judge: WeightsSource
    games: str | None = None
    """Digest of the recorded games that were read; null: none were read."""


class PositionsDocument(Document, frozen=True, kw_only=True, tag="outflank/train-positions/1"):
    """Describes `positions.npz`, the file of the generated positions."""

    settings: GenerateSettings
    complete: bool = False
    positions: Count = 0
    games: Count = 0
    """Number of games that the positions are from."""
    by_stage: tuple[Count, ...] = ()
    check: str = ""
    """Digest of the arrays in `positions.npz`."""


class LabelSettings(Struct, frozen=True, kw_only=True):
    """Settings that determine the values of positions."""

    positions: str
    """Digest of the positions whose values are computed."""
    plies: int
    exact: int
    """Greatest number of moves left at which positions are solved; -1: no positions are solved."""
    blend: float
    """Weight of the game's result in the value of a position; a shallow search has the remaining weight."""
    judge: WeightsSource
    shrinkage: float
    passes: int


class ValuesDocument(Document, frozen=True, kw_only=True, tag="outflank/train-values/1"):
    """Describes `values.npz`, the file of the values of positions."""

    settings: LabelSettings
    complete: bool = False
    solved: Count = 0
    looked: Count = 0
    """Number of positions valued by a shallow search."""
    check: str = ""


class FitSettings(Struct, frozen=True, kw_only=True):
    """Settings that determine the fitted weights."""

    positions: str
    values: str
    prior: WeightsSource
    shrinkage: float
    passes: int


class WeightsDocument(Document, frozen=True, kw_only=True, tag="outflank/train-weights/1"):
    """Describes the file of the fitted weights."""

    settings: FitSettings
    complete: bool = False
    file: str = ""
    stages: Count = 0
    weights: Count = 0
    """Number of distinct weights of each stage."""
    fitted: tuple[Count, ...] = ()
    """Number of positions that each stage was fitted to."""
    errors: tuple[Number, ...] = ()
    """Root mean square error of each stage on the positions that it was fitted to, in the game's unit."""
    check: str = ""

    def __post_init__(self) -> None:
        if self.complete and not len(self.fitted) == len(self.errors) == self.stages:
            raise Misfit("fitted", f"expected as many as there are stages, {self.stages}, and so of errors")


class StageError(Struct, frozen=True, kw_only=True):
    """Errors on the held-out positions of one stage, or of all stages."""

    stage: int | None
    """Number of the stage; null for all stages."""
    left: tuple[Count, Count]
    """Least and greatest number of moves left in the stage's positions."""
    positions: Count
    solved: Count
    spread: Number
    """Standard deviation of the positions' values, which is the error of a constant guess."""
    errors: dict[str, Number]
    """Root mean square error of each evaluation, in the game's unit."""


class CheckedEvaluation(Struct, frozen=True, kw_only=True):
    """An evaluation whose errors were measured: the learnt weights, or an evaluation for comparison."""

    name: str
    points: Number | None
    """Number of the evaluation's points in one unit of the game; null if no scale makes it better than a constant
    guess."""
    scaled: bool
    """Whether the evaluation's unit is not the game's, so that `points` was fitted by least squares."""


class ErrorsDocument(Document, frozen=True, kw_only=True, tag="outflank/train-check/1"):
    """Errors of weights on positions of held-out games."""

    game: str
    unit: str
    weights: str
    """Digest of the weights whose errors were measured."""
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
    """Settings that determine which searches of different depths are compared."""

    positions: str
    """Digest of the positions that are searched."""
    judge: WeightsSource
    depth: int
    count: int
    """Number of positions that are searched."""
    seed: int
    """Random seed for choosing the positions."""


class DepthPair(Struct, frozen=True, kw_only=True):
    """Spread between the values of searches to two depths, in one group of stages."""

    deep: Count
    shallow: Count
    """The smaller of the two depths; 0 is the evaluation without a search."""
    stage: Number
    """Mean stage of the positions in the group."""
    spread: Number
    """Root mean square of the difference between the two values, in the game's unit."""


class FittedErrors(Struct, frozen=True, kw_only=True):
    """Coefficients of the formula of `SearchErrors`, as fitted."""

    constant: Number
    stage: Number
    shallow: Number
    between: Number


class DepthsDocument(Document, frozen=True, kw_only=True, tag="outflank/train-depths/1"):
    """Measured differences between the values of shallow and deeper searches, and the formula fitted to them."""

    settings: DepthsSettings
    unit: str
    complete: bool = False
    pairs: tuple[DepthPair, ...] = ()
    errors: FittedErrors | None = None
    off: Number = 0.0
    """Standard deviation of the fitted formula's residuals. The formula predicts the logarithm of a search error."""


class PlaySettings(Struct, frozen=True, kw_only=True):
    """Settings of a match that learnt weights play."""

    weights: str
    """Digest of the weights that play the match."""
    against: WeightsSource
    depth: int | None
    seconds: float | None
    """Seconds per move of both players; null if they search to a fixed depth."""
    games: Count
    """Greatest number of games in the match."""
    elo0: float
    elo1: float
    """The two hypotheses of the sequential test are `elo0` and `elo1`, in normalised Elo."""
    openings: str
    seed: int


class MatchOutcome(Struct, frozen=True, kw_only=True):
    """Result of a match, from the point of view of the learnt weights."""

    wins: Count
    draws: Count
    losses: Count
    elo: Number
    elo_low: Number
    elo_high: Number
    """The 95 % interval of `elo` is from `elo_low` to `elo_high`."""
    llr: Number
    decision: Literal["H0", "H1"] | None
    """Hypothesis that the sequential test accepted; null if all games were played before it decided."""

    @property
    def games(self) -> int:
        """Number of games that were won, drawn or lost."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Share of the points that the learnt weights won: 1 for a win, 0.5 for a draw."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5


class PlayDocument(Document, frozen=True, kw_only=True, tag="outflank/train-play/1"):
    """Describes a match of weights against other weights or a named evaluation. Its games are in the folder `match`."""

    settings: PlaySettings
    complete: bool = False
    rival: str = ""
    """Name of the opponent's evaluation."""
    outcome: MatchOutcome | None = None


class GenerationDocument(Struct, frozen=True, kw_only=True):
    """Result of one generation."""

    number: int
    folder: str
    positions: PositionsDocument
    values: ValuesDocument
    weights: WeightsDocument
    errors: ErrorsDocument
    match: PlayDocument | None
    """Match of this generation's weights against the best earlier weights or a named evaluation; null if not played."""
    best: bool
    """Whether these weights are the best so far, so that the next generation continues from them."""

    def __post_init__(self) -> None:
        for stage in self.errors.stages:
            if stage.stage is None or not 0 <= stage.stage < self.weights.stages:
                raise Misfit("errors.stages", f"expected stages below {self.weights.stages}, found {stage.stage}")


class RunSettings(Struct, frozen=True, kw_only=True):
    """Settings of a training run."""

    first: GenerateSettings
    """Settings for the first generation's positions. Later generations use the same settings, except that the best
    weights play the games and each generation has its own seed."""
    generations: Count
    plies: int
    exact: int | None
    blend: float | None
    shrinkage: float
    passes: int
    match_games: Count
    """Greatest number of games in each match. With 0, no match is played, and every generation counts as the best so
    far."""
    depth: int | None
    seconds: float | None
    elo0: float
    elo1: float


class TrainDocument(Document, frozen=True, kw_only=True, tag="outflank/train/1"):
    """Describes all generations of a training run, in `train.json`."""

    settings: RunSettings
    complete: bool = False
    game: str = ""
    unit: str = ""
    generations: tuple[GenerationDocument, ...] = ()
    best: int | None = None
    """Number of the generation that made the weights in `file`."""
    file: str = ""
    check: str = ""

    def __post_init__(self) -> None:
        if self.complete and (not self.generations or self.best is None):
            raise Misfit("generations", "expected at least one, and the number of the best")
