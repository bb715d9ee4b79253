"""What the steps of learning leave beside their arrays: one of these each, which the command prints as well.

Two runs of a step with the same `settings` make the same arrays, to the bit.
"""

from typing import Literal

from msgspec import Struct

from outflank.documents import Count, Document, Number
from outflank.kinds import Misfit

LEARNT = "learnt"
"""What weights are called beside evaluations that have a name."""


class WeightsSource(Struct, frozen=True, kw_only=True):
    """Who judges positions."""

    evaluation: str | None = None
    """A name; of weights in a file, that of their patterns; null: nobody, moves are drawn by lot."""
    check: str | None = None
    """What tells those weights from others."""


class GenerateSettings(Struct, frozen=True, kw_only=True):
    """How positions are made."""

    game: str
    rules: dict[str, int]
    start: str
    """Where games start: a position, or `each` of the game's."""
    seed: int
    positions: int
    """That are asked for."""
    per_game: int
    depth: int
    judge: WeightsSource
    games: str | None = None
    """What tells the games that were read from others; null: all are played."""


class PositionsDocument(Document, frozen=True, kw_only=True, tag="outflank/train-positions/1"):
    """`positions.npz`."""

    settings: GenerateSettings
    complete: bool = False
    positions: Count = 0
    games: Count = 0
    """That they are from."""
    by_stage: tuple[Count, ...] = ()
    check: str = ""
    """What tells the arrays from others."""


class LabelSettings(Struct, frozen=True, kw_only=True):
    """How positions get their values."""

    positions: str
    """The check of the positions."""
    plies: int
    exact: int
    """Moves left from which they are solved; -1: none are."""
    blend: float
    """The share of a game's result in the values of its positions."""
    judge: WeightsSource
    shrinkage: float
    passes: int


class ValuesDocument(Document, frozen=True, kw_only=True, tag="outflank/train-values/1"):
    """`values.npy`."""

    settings: LabelSettings
    complete: bool = False
    solved: Count = 0
    looked: Count = 0
    """That a look ahead was taken at."""
    check: str = ""


class FitSettings(Struct, frozen=True, kw_only=True):
    """How weights are fitted."""

    positions: str
    values: str
    prior: WeightsSource
    shrinkage: float
    passes: int


class WeightsDocument(Document, frozen=True, kw_only=True, tag="outflank/train-weights/1"):
    """The file of weights."""

    settings: FitSettings
    complete: bool = False
    file: str = ""
    stages: Count = 0
    weights: Count = 0
    """That differ, in a stage."""
    fitted: tuple[Count, ...] = ()
    """Positions that each stage was fitted to."""
    errors: tuple[Number, ...] = ()
    """What the weights of each stage are wrong by on those, root mean square in the game's unit."""
    check: str = ""

    def __post_init__(self) -> None:
        if self.complete and not len(self.fitted) == len(self.errors) == self.stages:
            raise Misfit("fitted", f"expected as many as there are stages, {self.stages}, and so of errors")


class StageError(Struct, frozen=True, kw_only=True):
    """A stage of held-out positions, or all of them."""

    stage: int | None
    """Null: all stages."""
    left: tuple[Count, Count]
    """The least and the most moves left."""
    positions: Count
    solved: Count
    spread: Number
    """The standard deviation of their values: what who knows nothing is wrong by."""
    errors: dict[str, Number]
    """By evaluation: root mean square of what it is wrong by, in the game's unit."""


class CheckedEvaluation(Struct, frozen=True, kw_only=True):
    """An evaluation that the weights are held beside."""

    name: str
    points: Number | None
    """How many of its points make one of the game's unit; null: it was given one, and none makes it better than to know
    nothing."""
    scaled: bool
    """Whether it has no such unit itself, and was given the scale that suits it best (least squares)."""


class ErrorsDocument(Document, frozen=True, kw_only=True, tag="outflank/train-check/1"):
    """What weights are wrong by, on games that they have not seen."""

    game: str
    unit: str
    weights: str
    """The check of the weights."""
    evaluations: tuple[CheckedEvaluation, ...]
    stages: tuple[StageError, ...]
    total: StageError

    def __post_init__(self) -> None:
        names = [each.name for each in self.evaluations]
        if names[:1] != [LEARNT]:
            raise Misfit("evaluations", f"expected {LEARNT} first")
        for number, each in enumerate((*self.stages, self.total)):
            if set(each.errors) != set(names):
                place = f"stages[{number}]" if number < len(self.stages) else "total"
                raise Misfit(f"{place}.errors", f"expected those of {', '.join(names)}")


class DepthsSettings(Struct, frozen=True, kw_only=True):
    """Which searches are compared."""

    positions: str
    """The check of the positions."""
    judge: WeightsSource
    depth: int
    count: int
    """Positions that are searched."""
    seed: int
    """By which they are drawn."""


class DepthPair(Struct, frozen=True, kw_only=True):
    """Two depths, about one stage of the game."""

    deep: Count
    shallow: Count
    """0: the evaluation itself."""
    stage: Number
    """The mean number of the positions' stages."""
    spread: Number
    """Root mean square of the difference of their values, in the game's unit."""


class FittedErrors(Struct, frozen=True, kw_only=True):
    """The formula of `games/search_errors.py`."""

    constant: Number
    stage: Number
    shallow: Number
    between: Number


class DepthsDocument(Document, frozen=True, kw_only=True, tag="outflank/train-depths/1"):
    """How far shallow searches are off from deeper ones."""

    settings: DepthsSettings
    unit: str
    complete: bool = False
    pairs: tuple[DepthPair, ...] = ()
    errors: FittedErrors | None = None
    off: Number = 0.0
    """The standard deviation of the logarithms of the spreads from the formula's."""


class PlaySettings(Struct, frozen=True, kw_only=True):
    """Which match weights play."""

    weights: str
    """The check of the weights."""
    against: WeightsSource
    depth: int | None
    seconds: float | None
    """For a move; null: there is a depth."""
    games: Count
    """At most."""
    elo0: float
    elo1: float
    """The two hypotheses of the sequential test, in normalised Elo."""
    openings: str
    seed: int


class MatchOutcome(Struct, frozen=True, kw_only=True):
    """How a match ended, as the weights see it."""

    wins: Count
    draws: Count
    losses: Count
    elo: Number
    elo_low: Number
    elo_high: Number
    """The ends of the 95 % interval."""
    llr: Number
    decision: Literal["H0", "H1"] | None
    """Which hypothesis the test has accepted; null: all games were played before it was clear."""

    @property
    def games(self) -> int:
        """That count."""
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
    """The other, in a word."""
    outcome: MatchOutcome | None = None


class GenerationDocument(Struct, frozen=True, kw_only=True):
    """What has come of one time round the loop."""

    number: int
    folder: str
    positions: PositionsDocument
    values: ValuesDocument
    weights: WeightsDocument
    errors: ErrorsDocument
    match: PlayDocument | None
    """Null: none was played."""
    best: bool
    """Whether its weights are the best so far: the next generation goes on from them."""

    def __post_init__(self) -> None:
        for each in self.errors.stages:
            if each.stage is None or not 0 <= each.stage < self.weights.stages:
                raise Misfit("errors.stages", f"expected stages below {self.weights.stages}, found {each.stage}")


class RunSettings(Struct, frozen=True, kw_only=True):
    """How the loop is gone round."""

    first: GenerateSettings
    """The positions of the first generation; the others' are made alike, by the best weights, with seeds of theirs."""
    generations: Count
    plies: int
    exact: int | None
    blend: float | None
    shrinkage: float
    passes: int
    match_games: Count
    """Null games: no match is played, and every generation counts as better."""
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
