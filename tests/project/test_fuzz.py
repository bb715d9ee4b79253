"""Some of what `python -m tests.fuzz` tries without an end: no damaged input is a traceback, or takes for ever."""

import pytest

from tests.fuzz import run

INPUTS, PARTS = 5_000, 2


@pytest.mark.slow(8)
@pytest.mark.interpreted_only
@pytest.mark.parametrize("part", range(PARTS))
def test_damaged_input_is_one_line(part):
    share = INPUTS // PARTS
    told: list[str] = []
    run(share, seed=1, first=part * share, tell=told.append)
    assert not told, "\n".join(told)
