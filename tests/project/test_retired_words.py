"""Public names use the words of the field. Words that were replaced by them do not come back."""

import inspect
import re
from collections.abc import Iterator

import click
import pytest

import outflank
from outflank.ui.cli import cli
from tests.test_documents import declared

pytestmark = pytest.mark.interpreted_only

RETIRED = {
    "said": "value_text, message",
    "told": "progress, text",
    "offers": "use_endgame_kernels",
    "carries": "algorithms",
    "costs": "overhead",
    "doubt": "selectivity",
    "elders": "serial_moves",
    "contested": "wait_while_improving",
    "quiet": "quiescence, or a flag that silences progress",
    "crowd": "warp_count",
    "settled": "optimization_barrier, finished",
    "meet": "warp_sync",
    "hurrying": "fast_compilation",
    "desk": "buffers, requests",
    "clerks": "threads",
    "house": "services",
    "hall": "lobby",
    "lots": "random numbers",
    "grove": "trees",
    "seedling": "new_tree",
    "elsewhere": "child process",
    "objection": "find_error",
    "pictured": "review_legend",
    "dearest": "costliest",
}
"""Each word with what stands in its place."""

ALLOWED = {
    ("--quiet", "quiet"),  # what every command line calls it
}


def words(name: str) -> set[str]:
    """Return the words of a name in snake case, camel case or with dashes."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def members(cls: type) -> Iterator[str]:
    """Yield the names that a class adds to those of its built-in bases."""
    inherited = {name for base in (int, tuple, Exception) for name in dir(base)}
    yield from (name for name in dir(cls) if not name.startswith("_") and name not in inherited)


def options(command: click.Command, path: str = "") -> Iterator[str]:
    """Yield the options of a command and of its subcommands."""
    yield from (option for parameter in command.params for option in parameter.opts)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield name
            subcommand = command.get_command(context, name)
            assert subcommand is not None
            yield from options(subcommand, f"{path} {name}")


def public_names() -> Iterator[str]:
    """Yield everything that a user of the package, the command line or a document writes down."""
    for name in outflank.__all__:
        yield name
        value = getattr(outflank, name)
        if inspect.isclass(value):
            yield from (f"{name}.{member}" for member in members(value))
        elif inspect.isfunction(value):
            yield from (f"{name}.{parameter}" for parameter in inspect.signature(value).parameters)
    yield from options(cli)
    for document in declared().values():
        yield from (f"{document.__name__}.{field}" for field in document.__struct_fields__)


def test_no_public_name_has_a_retired_word() -> None:
    names = set(public_names())
    assert len(names) > 500
    back = {(name, word) for name in names for word in words(name) & RETIRED.keys()} - ALLOWED
    assert not back, {f"{name}: not {word!r} but {RETIRED[word]}" for name, word in back}


def test_a_retired_word_would_be_seen() -> None:
    assert words("WorkerProgress.moves_begun") == {"worker", "progress", "moves", "begun"}
    assert words("--share-alpha") == {"share", "alpha"}
    assert words("JSONTold") & RETIRED.keys() == {"told"}
