"""The replay's decision on a claim for which this machine has too few cores. The answer remains `needs cores`."""

from collections.abc import Callable, Mapping, Sequence

from outflank.lab.claims.ledger import Answer, Decision, Evidence, Missing
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import number
from outflank.lab.replay.replay_report import REPLAYED, least_times, replay_error
from outflank.validation.text import how_many

Seconds = Mapping[int, float]
"""Times of a game, by number of threads. The key 0 is the serial program."""


def replayed_games(samples: Sequence[Sample]) -> dict[int, Sample]:
    """Return the replayed samples by number of workers. The key 0 has the time of the serial program.

    Raise `Missing` if there are no replayed samples or no times of the serial program.
    """
    games = {
        int(number(sample["workers"])): sample
        for sample in samples
        if sample["what"] == REPLAYED and sample["scheduler"] == "stealing"
    }
    serial = least_times(samples, 0)
    if not games or serial is None:
        raise Missing
    return {0: {"seconds": serial, "depth": samples[0]["depth"]}, **games}


def with_replay(
    too_few: Decision, evidence: Evidence, place: tuple[str, str], judge: Callable[[Mapping[int, Sample]], Decision]
) -> Decision:
    """Return `too_few`, with the decision of `judge` on the replayed games added to its reason.

    `place` has the section and the part of the replayed games. If no replay decides the claim, return `too_few`
    unchanged.
    """
    try:
        samples = evidence.of(*place)
        decision = judge(replayed_games(samples))
    except Missing:
        return too_few
    if decision.answer is Answer.NOT_DONE:
        return too_few
    errors = {
        workers: error
        for workers in sorted({int(number(sample["workers"])) for sample in samples if sample.get("workers")})
        if (error := replay_error(samples, workers)) is not None
    }
    checked = " and ".join(f"{error:+.1%} on {how_many(workers, 'worker')}" for workers, error in errors.items())
    return Decision(
        too_few.answer,
        f"{too_few.because} The replay of depth {samples[0]['depth']} (its error: {checked or 'not measured'}) says "
        f"{decision.answer}: {decision.because}",
    )
