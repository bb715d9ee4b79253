"""What tests of the laboratory share."""

from collections.abc import Iterator
from typing import Any

import pytest

from outflank.games import evaluation


@pytest.fixture(scope="module")
def plain_evaluation() -> Iterator[None]:
    """Searches of Othello that choose no evaluation count discs.

    Experiments search with probes, for which all that calls an evaluation is compiled again: for the learnt one, which
    no experiment needs, that takes half a minute, and for this one other tests have it done.
    """
    evaluations = evaluation.evaluations

    def discs_first(game: Any) -> dict[str, Any]:
        known = evaluations(game)
        return {"discs": known["discs"], **known} if "discs" in known else known

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluation, "evaluations", discs_first)
        yield


@pytest.fixture
def nothing_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """No earlier reproduction is stored."""
    monkeypatch.setattr("outflank.lab.studies.reproduce.stored_run", lambda effort: None)
