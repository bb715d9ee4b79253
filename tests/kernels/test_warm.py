"""Every kernel on its sample arguments, for every evaluation that has a name.

These come before all other tests (`tests/conftest.py`), which then find what they need compiled. Each is one type of
evaluation: a process that compiles all kernels for it types their common parts once, and two processes that begin with
others seldom compile the same.
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


def parts() -> list[Any]:
    """All types of both games. The usual ones come first: what asks for no evaluation is compiled with them, so that
    they take two to four times as long as others. Then Abalone's, until a process has compiled the endings of Othello:
    two that began with Othello would both compile them."""
    usual, others = [], []
    for start in reversed(STARTS):
        first, *rest = kinds(start[0])
        usual.append(pytest.param(start, first, marks=pytest.mark.slow(100)))
        others += [pytest.param(start, kind, marks=pytest.mark.slow(20)) for kind in rest]
    return [*usual, *others]


@pytest.mark.parametrize(("start", "kind"), parts(), ids=lambda item: getattr(item, "__name__", type(item[0]).__name__))
def test_every_kernel_runs_on_its_samples(start, kind):
    game, position = start
    usual, *_ = types = kinds(game)
    names = COMPILED_EVALUATIONS[description_of(game).name]
    divided = {Solving, *(type(evaluation_named(game, name)) for name in names)}
    for kernel in own_kernels():
        if kernel.name.startswith(DIVIDING) and kind not in divided:
            continue
        for arguments in kernel.samples(game, position, every=True):
            # What asks for no evaluation comes with the usual one.
            if next((type(each) for each in arguments if type(each) in types), usual) is kind:
                kernel(*arguments)
