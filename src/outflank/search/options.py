"""How a search is asked from Python: limits and options by name, and what help says of them."""

import ast
import inspect
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from outflank.boards import Board
from outflank.errors import InvalidOption, UnknownName
from outflank.search.contract import Limits, Options, Stop
from outflank.search.table import Table

LIMITS = tuple(field.name for field in fields(Limits))
OPTIONS = tuple(field.name for field in fields(Options))

Function = TypeVar("Function", bound=Callable[..., Any])


def asked(board: Any, limits: Any, given: Mapping[str, Any]) -> tuple[Limits, Options]:
    """The limits and the options of a search, both possibly by name; one line that says how if that cannot be."""
    check_board(board, "a search")
    by_name = {name: given[name] for name in LIMITS if given.get(name) is not None}
    if limits is not None and not isinstance(limits, Limits):
        raise InvalidOption(f"limits={limits!r}: give depth=, seconds= or nodes= by name, or a Limits")
    if limits is not None and by_name:
        names = ", ".join(f"{name}={value!r}" for name, value in by_name.items())
        raise InvalidOption(f"{names} beside limits: give all limits by name, or all in a Limits")
    options = {name: value for name, value in given.items() if name not in LIMITS}
    for name in options:
        if name not in OPTIONS:
            raise UnknownName.among("option", name, (*LIMITS, *OPTIONS))
    return limits or Limits(**by_name), Options(**options)


def check_board(board: Any, who: str) -> None:
    """Refuse what is no board."""
    if not isinstance(board, Board):
        how = ": Board.from_text makes one of a text" if isinstance(board, str) else ""
        raise InvalidOption(f"{who} needs a board, found {reprlib.repr(board)}{how}")


def check_companions(*, stop: Any, table: Any = None, instrument: Any = None, watch: Any = None) -> None:
    """Refuse what a search cannot be stopped by, remember in, be measured with or tell."""
    for name, value, fits, expected in (
        ("stop", stop, isinstance(stop, Stop), "an outflank.Stop"),
        ("table", table, isinstance(table, Table), "an outflank.Table, like Table(20)"),
        ("instrument", instrument, hasattr(instrument, "probe"), "an instrument, like Counts()"),
        ("watch", watch, callable(watch), "a function that is called with a Progress"),
    ):
        if value is not None and not fits:
            raise InvalidOption(f"{name}={reprlib.repr(value)}: expected {expected}, or None")


def asks(function: Function) -> Function:
    """Let everything that looks at a function's signature see the limits and options that it takes."""
    signature = inspect.signature(function)
    own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    place = [one.kind for one in own].index(inspect.Parameter.KEYWORD_ONLY)
    limits, options = (
        [
            inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type)
            for field in fields(cls)
        ]
        for cls in (Limits, Options)
    )
    vars(function)["__signature__"] = signature.replace(parameters=[*own[:place], *limits, *own[place:], *options])
    return function


def documentation(function: Callable[..., Any]) -> str:
    """How a function is called, what it says of itself, and the limits and options that it takes."""
    signature = inspect.signature(function)
    bare = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    call = f"{function.__name__}{signature.replace(parameters=bare, return_annotation=signature.empty)}"
    return "\n\n".join((call, inspect.getdoc(function) or "", _described(Limits), _described(Options)))


def _described(cls: type) -> str:
    """The fields of a class with what its source says of them: their own documentation does not live on in them."""
    try:
        body = ast.parse(inspect.getsource(cls)).body[0]
    except OSError:
        return ""  # there is no source where it is installed
    assert isinstance(body, ast.ClassDef)
    lines = [f"{cls.__name__}:"]
    for field, said in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(said, ast.Expr) and isinstance(said.value, ast.Constant):
            usual = f" = {ast.unparse(field.value)}" if field.value else ""
            lines.append(f"    {ast.unparse(field.target)}{usual}: {' '.join(str(said.value.value).split())}")
    return "\n".join(lines)
