"""Every option of every experiment is used, or refused: it changes what is searched, or one line says why not."""

import functools
import inspect
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from outflank import lab
from outflank.boards import Board
from outflank.distributed.replication import replication_named
from outflank.errors import InvalidOption, OutflankError
from outflank.lab.experiment import Parameters, experiment_named
from outflank.lab.report_programs.measured_programs import PROGRAMS

pytestmark = pytest.mark.interpreted_only

CONTEXTS = [
    *((name, {}) for name in lab.experiments()),
    ("scaling", {"cluster": "inside:2"}),
    ("scaling", {"cluster": "inside:2", "game": "abalone", "program": "ours"}),
    ("scaling", {"schemes": ("fork-join",)}),
    ("scaling", {"schemes": ("shared-table",)}),
    ("scaling", {"whole_game": "004"}),
    ("threshold", {"cluster": "inside:2"}),
    ("threshold", {"game": "abalone", "program": "ours"}),
    ("replication", {"cluster": "inside:2"}),
    ("replication", {"cluster": "inside:2", "game": "abalone", "program": "ours"}),
    ("simulate", {"policies": ("none",)}),
    ("simulate", {"policies": ("async:depth=4",)}),
    ("stealing", {"programs": ("par",)}),
    ("growth", {"tables": ("private",)}),
    ("parallelism", {"schemes": ("fork-join",)}),
    ("parallelism", {"schemes": ("ybw",)}),
    ("races", {"position": "f5d6c3"}),
    ("nodes", {"algorithms": ("AlphaBeta",)}),
    ("times", {"algorithms": ("AlphaBeta",)}),
    ("branching", {"opponent": "first"}),
    ("orderings", {"positions": ("start",)}),
    ("orderings", {"positions": ("midgame",)}),
    ("orderings", {"positions": ("midgame@9",)}),
    *((name, {"positions": ("start",)}) for name in ("stages", "edges")),
    ("determinism", {"schemes": ("ybw",)}),
    ("duels", {"about": ("rings",)}),
]
"""Experiments, as they are without any option, and on paths of their own."""

OTHER = {
    "about": (("mirror",),),
    "algorithm": ("mtdf", "alphabeta"),
    "algorithms": (("SerialPVS",), ("alphabeta",)),
    "bandwidth": (3.0,),
    "chunks": ((3,),),
    "clock": ("20s",),
    "cluster": ("inside:3",),
    "colour": ("black",),
    "evaluation": ("mobility", "rings"),
    "evaluations": (("discs",),),
    "game": ("abalone", "othello"),
    "hashes": (("zobrist",), ("Zobrist",), ("fnv-1a",)),
    "networks": (("ray",),),
    "nodes": (1, (1,), 20_001),
    "opponent": ("first",),
    "ordering": ("mobility", "kinds", "none"),
    "orderings": (("none",),),
    "parts": (("races",),),
    "policies": (("batch",), ("async:depth=3",)),
    "position": ("f5d6c3d3",),
    "positions": (("f5d6c3d3",), ("belgian-daisy",), ("start",)),
    "program": ("000", "ours"),
    "programs": (("par",), ("gmi",)),
    "rules": ("004",),
    "schedule": ("rows", "static"),
    "scheme": ("jamboree",),
    "schemes": (("jamboree",), ("ybw",), ("root-split", "ybw")),
    "settings": (("O1",),),
    "tables": (("private",),),
    "task": (f"{Path(__file__).parents[2] / 'examples' / 'fork_join.py'}:queens",),
    "which": (("000",),),
    "whole_game": ("self",),
}
"""Values other than the usual ones, by the parameter's name; numbers are made one greater."""


@pytest.mark.parametrize(("name", "given"), CONTEXTS, ids=lambda value: str(value))
def test_every_option_is_used_or_refused(name, given):
    experiment = experiment_named(name)
    base = experiment.parameters(**given)
    before = what_is_done(experiment, base)
    idle = []
    for each in fields(base):
        if each.name in given:
            continue
        done = []
        for value in others(each.name, getattr(base, each.name)):
            try:
                changed = experiment.parameters(**{**given, each.name: value})
                if each.name not in changed.unused():
                    done.append(what_is_done(experiment, changed))
                    continue
            except OutflankError:
                continue  # it is refused
            with pytest.raises(InvalidOption, match=f"{each.name} plays no part"):
                lab.run(name, **{**given, each.name: value})
        if done and all(found == before for found in done):  # one of the values may be the usual one by its name
            idle.append(each.name)
    assert not idle


@pytest.mark.slow(5)
def test_every_option_is_accepted_somewhere():
    """Or the test above would be content with an option that nothing takes."""
    refused = []
    for name in lab.experiments():
        experiment = experiment_named(name)
        contexts = [given for other, given in CONTEXTS if other == name]
        names = (each.name for each in fields(experiment.parameters))
        refused += [
            f"{name}: {each}" for each in names if not any(takes(experiment, given, each) for given in contexts)
        ]
    assert not refused


def takes(experiment, given, name):
    """Whether some other value of an option is accepted, and used."""
    for value in others(name, getattr(experiment.parameters(**given), name)):
        try:
            chosen = experiment.parameters(**{**given, name: value})
            if name not in chosen.unused() and experiment.tasks(chosen):
                return True
        except OutflankError:
            continue
    return False


def others(name, usual):
    """Values that a parameter could have instead."""
    if name in OTHER:
        return [value for value in OTHER[name] if value != usual]
    if isinstance(usual, bool):
        return [not usual]
    if isinstance(usual, int | float):
        return [usual + 1, usual - 1]
    if isinstance(usual, tuple):
        return [tuple(sorted({number + 1 for number in usual}))[:1]]
    return [3, (3,), 3.0]  # one of them is of its type


# --- what an experiment does ---


def what_is_done(experiment, chosen):
    """Its tasks, in words that are the same for the same searches."""
    tasks = [(task.name, task.weight, described(task.run, chosen)) for task in experiment.tasks(chosen)]
    return tasks, read_by(type(experiment).conclude, chosen) if experiment.name in CONCLUDING else None


CONCLUDING = ("growth", "imbalance", "parallelism", "reproduce", "table")
"""Experiments some of whose parameters only the conclusion asks for."""


def described(value, chosen):
    """A value, with what a function has bound; of parameters, those alone that the function asks for."""
    if isinstance(value, functools.partial):
        inner = [described(each, chosen) for each in value.args if not isinstance(each, Parameters)]
        held = any(isinstance(each, Parameters) for each in value.args)
        return value.func.__qualname__, inner, read_by(value.func, chosen) if held else None
    if inspect.isfunction(value):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        inner = [described(each, chosen) for each in cells if not isinstance(each, Parameters)]
        held = any(isinstance(each, Parameters) for each in cells)
        return value.__qualname__, inner, read_by(value, chosen) if held else None
    if isinstance(value, Board):
        return value.to_text()
    if is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__, [
            (each.name, described(getattr(value, each.name), chosen)) for each in fields(value)
        ]
    if isinstance(value, dict):
        return [(key, described(each, chosen)) for key, each in value.items()]
    if isinstance(value, list | tuple):
        return [described(each, chosen) for each in value]
    return repr(value) if isinstance(value, str | int | float | bool | None) else type(value).__name__


def read_by(function, chosen):
    """The parameters that a function, and what it calls, ask for, with their values."""
    names = attributes(function, type(chosen))
    return [(each.name, repr(getattr(chosen, each.name))) for each in fields(chosen) if each.name in names]


@functools.cache
def attributes(function, parameters):
    """All names that occur in a function, in functions of the laboratory that it names, and in the parameters' own."""
    found, waiting, seen = set(), [inspect.unwrap(function)], set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, functools.partial):
            each = each.func
        if isinstance(each, property):
            each = each.fget
        code = getattr(each, "__code__", None)
        if code is None or code in seen or not each.__module__.startswith("outflank.lab"):
            continue
        seen.add(code)
        names = set(in_code(code))
        found |= names
        waiting += [each.__globals__[name] for name in names if name in each.__globals__]
        waiting += [vars(kind)[name] for kind in parameters.__mro__ for name in names if name in vars(kind)]
    return found


def in_code(code):
    """The names of a code object and of those within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from in_code(constant)


# --- report 000's program, on a cluster ---


def searches(name, **given):
    """The options of all searches of an experiment, and their boards."""
    experiment = experiment_named(name)
    chosen = experiment.parameters(**given)
    found = []
    for task in experiment.tasks(chosen):
        found += [each for each in task.run.args if hasattr(each, "options")]
    return found


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("scaling", {"cluster": "inside:2", "program": "000", "positions": ("start",)}),
        ("threshold", {"cluster": "inside:2"}),
        ("replication", {"cluster": "inside:2"}),
        ("scaling", {"program": "000"}),
    ],
)
def test_report_000_is_measured_with_its_program(name, given):
    for side in searches(name, **given):
        assert side.options.items() >= PROGRAMS["000"].items()


@pytest.mark.parametrize("name", ["scaling", "threshold", "replication"])
def test_a_cluster_searches_what_is_asked_for(name):
    asked = {"algorithm": "alphabeta", "evaluation": "discs", "ordering": "mobility"}
    for side in searches(name, cluster="inside:2", positions=("f5d6@9",), **asked):
        assert side.options.items() >= asked.items()
        assert side.board.to_text() == Board.from_text("f5d6").to_text()
        assert side.depth == 9
    for side in searches(name, cluster="inside:2", game="abalone", evaluation="rings"):
        assert type(side.board.game).__name__ == "Abalone"
        assert side.options["evaluation"] == "rings"
        assert side.options["algorithm"] == "pvs"  # report 000's program does not play it


def test_simulate_searches_what_is_asked_for():
    chosen = experiment_named("simulate").parameters(program="000", positions=("start",), evaluation="discs")
    assert chosen.options_for("start").items() >= {**PROGRAMS["000"], "evaluation": "discs"}.items()
    assert replication_named("async:depth=4").depth == 4


@pytest.mark.parametrize(
    ("name", "wrong", "says"),
    [
        ("scaling", {"cluster": "inside:2", "game": "abalone", "program": "000"}, "it plays Othello alone"),
        ("scaling", {"cluster": "inside:2", "algorithm": "minimax"}, "unknown algorithm for a cluster 'minimax'"),
        ("scaling", {"cluster": "inside:2", "schemes": ("fork-join",)}, "on a cluster, ybw or jamboree"),
        ("scaling", {"cluster": "inside:2", "nodes": (1, 3)}, "nodes=3: inside:2 has 1 to 2"),
        ("scaling", {"program": "005"}, "unknown program '005'"),
        ("scaling", {"evaluation": "nothing"}, "unknown evaluation"),
        ("scaling", {"whole_game": "004", "evaluation": "discs"}, "report 004's program is what plays"),
        ("threshold", {"cluster": "inside:1", "nodes": 2}, "nodes=2: inside:1 has one"),
        ("threshold", {"ordering": "nothing"}, "unknown ordering"),
        ("replication", {"cluster": "inside:2", "positions": ("belgian-daisy",)}, "one of abalone"),
        ("simulate", {"policies": ("gossip",)}, "unknown replication 'gossip'"),
    ],
)
def test_what_cannot_be_searched_is_refused_in_one_line(name, wrong, says):
    with pytest.raises(OutflankError, match=says) as refused:
        lab.run(name, **wrong)
    assert "\n" not in str(refused.value)
