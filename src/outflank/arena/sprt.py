"""Sequential probability ratio test (SPRT), which ends a match once one of two hypotheses can be accepted.

H0 says that the first player is stronger by `elo0`; H1 says that it is stronger by `elo1`. After each pair, the
logarithm of the hypotheses' likelihood ratio (LLR) is compared with two bounds. H0 is accepted below the lower bound,
and H1 above the upper bound (Wald 1945). Neither hypothesis says how often games are drawn or how the games of a pair
correlate. The test therefore takes, for each hypothesis, the probabilities that make the results most likely under it
(the *generalised* test, GSPRT). Wald's error rates then hold approximately. They are more accurate if the hypotheses
are closer; the test suite measures the rates.
"""

from dataclasses import dataclass
from math import log, sqrt
from typing import Literal

from outflank.arena.elo_statistics import ELO_PER_DEVIATION, Observed, score_of
from outflank.arena.likelihood import log_likelihood_scaled
from outflank.errors import InvalidOption
from outflank.validation.text import from_words
from outflank.validation.values import check_fields

Scale = Literal["normalized", "logistic"]
Decision = Literal["H0", "H1"]

MOST = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sprt:
    """Settings of a sequential test: two hypotheses, and for each the permitted rate of accepting it wrongly."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """Permitted rate of accepting H1 though H0 holds."""
    beta: float = 0.05
    """Permitted rate of accepting H0 though H1 holds."""
    scale: Scale = "normalized"
    """Scale of `elo0` and `elo1`: `normalized` Elo, as engines are tested today, or `logistic`, the usual Elo."""

    def __post_init__(self) -> None:
        check_fields(self)
        if not -MOST <= self.elo0 < self.elo1 <= MOST:
            raise InvalidOption(f"SPRT [{self.elo0:g}, {self.elo1:g}]: two differences in Elo, the smaller one first")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise InvalidOption(f"SPRT with errors {self.alpha:g} and {self.beta:g}: both lie between 0 and 0.5")

    @classmethod
    def parse(cls, text: str, *, scale: Scale = "normalized") -> "Sprt":
        """Return the test whose two hypotheses are written like `0,10`.

        >>> Sprt.parse("0, 10").elo1
        10.0
        """
        words = [word.strip() for word in text.strip("[] ").split(",")]
        if len(words) != 2:
            raise InvalidOption(f"SPRT {text!r}: two differences in Elo, like 0,10")
        elo0, elo1 = (from_words(float, word, "SPRT") for word in words)
        return cls(elo0=elo0, elo1=elo1, scale=scale)

    @property
    def bounds(self) -> tuple[float, float]:
        """LLR at which H0 is accepted and LLR at which H1 is accepted: log β/(1 − α) and log (1 − β)/α."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def llr(self, observed: Observed) -> float:
        """Return the logarithm of the likelihood ratio of H1 to H0.

        >>> test = Sprt(elo0=0, elo1=5)
        >>> round(test.llr(Observed.pairs((46, 936, 2083, 1043, 63))), 2)  # as it was published
        2.91
        """
        if not observed.units:
            return 0.0
        if self.scale == "logistic":
            return observed.log_likelihood(score_of(self.elo1)) - observed.log_likelihood(score_of(self.elo0))
        # The mean of two games has the standard deviation of one game divided by √2.
        distances = [elo / ELO_PER_DEVIATION * sqrt(observed.games_per_unit) for elo in (self.elo0, self.elo1)]
        h0, h1 = (log_likelihood_scaled(observed.values, observed.counts, distance) for distance in distances)
        return h1 - h0

    def decide(self, llr: float) -> Decision | None:
        """Return the hypothesis that is accepted at this LLR; None if more games are needed."""
        low, high = self.bounds
        return "H0" if llr <= low else "H1" if llr >= high else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SprtState:
    """State of a sequential test after the games counted so far."""

    sprt: Sprt
    llr: float = 0.0
    units: int = 0
    """Number of pairs, or of unpaired games, counted so far."""
    decision: Decision | None = None

    def __str__(self) -> str:
        low, high = self.sprt.bounds
        line = f"{self.llr:.2f} ({low:.2f}, {high:.2f}) [{self.sprt.elo0:.2f}, {self.sprt.elo1:.2f}]"
        return f"{line} {self.decision} accepted" if self.decision else line


class SequentialTest:
    """A running sequential test. It counts pairs, or unpaired games, in schedule order; its decision is final."""

    def __init__(self, sprt: Sprt, *, paired: bool) -> None:
        self.sprt = sprt
        self._per_unit = 2 if paired else 1
        self._counts = [0] * (5 if paired else 3)
        self.state = SprtState(sprt=sprt)

    def add(self, result: int) -> SprtState:
        """Count a pair or unpaired game in which the first player won `result` half points. It is ignored if the test
        has already decided."""
        if self.state.decision is None:
            self._counts[result] += 1
            observed = Observed(tuple(self._counts), self._per_unit)
            llr = self.sprt.llr(observed)
            self.state = SprtState(sprt=self.sprt, llr=llr, units=observed.units, decision=self.sprt.decide(llr))
        return self.state
