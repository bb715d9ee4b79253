"""Every kernel on its sample arguments, for every evaluation that has a name.

`python -m tests` runs these two tests in two processes before all other compiled tests, which then find what they need
compiled. A process that compiles all kernels of a game types their common parts once: together they take 110 seconds of
processor time. Four processes, each with some evaluations, took 240.
"""

from typing import Any

import pytest

from outflank.games.description import description_of
from outflank.games.evaluation import Solving, evaluation_named, evaluations
from outflank.warm import STARTS, own_kernels
from tests.search.test_search import COMPILED_EVALUATIONS

pytestmark = pytest.mark.compiled

DIVIDING = ("parallel.", "distributed.")
"""Folders with the kernels that divide a search, half of what there is to compile for an evaluation. They call it as
the undivided search does: they are compiled for the evaluations with which other compiled tests divide searches."""


def kinds(game: Any) -> list[type]:
    """The types of a game's evaluations, and that of its exact searches."""
    return list(dict.fromkeys([*map(type, evaluations(game).values()), Solving]))


@pytest.mark.slow(60)
@pytest.mark.parametrize("start", STARTS, ids=lambda start: description_of(start[0]).name)
def test_every_kernel_runs_on_its_samples(start):
    game, position = start
    usual, *_ = types = kinds(game)
    names = COMPILED_EVALUATIONS[description_of(game).name]
    divided = {Solving, *(type(evaluation_named(game, name)) for name in names)}
    for kind in types:
        for kernel in own_kernels():
            if kernel.name.startswith(DIVIDING) and kind not in divided:
                continue
            for arguments in kernel.samples(game, position, every=True):
                # What asks for no evaluation comes with the usual one.
                if next((type(each) for each in arguments if type(each) in types), usual) is kind:
                    kernel(*arguments)
