"""The arguments of a search from Python: limits and options by name, and their help text."""

import ast
import inspect
import reprlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from itertools import pairwise
from typing import Any, TypeVar

from outflank.boards import Board
from outflank.errors import InvalidOption, UnknownName
from outflank.search.request import Limits, Options, Stop
from outflank.search.table import Table

LIMITS = tuple(field.name for field in fields(Limits))
OPTIONS = tuple(field.name for field in fields(Options))

Function = TypeVar("Function", bound=Callable[..., Any])


def parse_options(board: object, limits: object, keywords: Mapping[str, Any]) -> tuple[Limits, Options]:
    """Return the limits and options of a search; `keywords` has the limits and options that the caller gave by name.

    Raise an error if one of them is wrong.
    """
    check_board(board, "a search")
    by_name = {name: keywords[name] for name in LIMITS if keywords.get(name) is not None}
    if limits is not None and not isinstance(limits, Limits):
        raise InvalidOption(f"limits={limits!r}: give depth=, seconds= or nodes= by name, or a Limits")
    if limits is not None and by_name:
        names = ", ".join(f"{name}={value!r}" for name, value in by_name.items())
        raise InvalidOption(f"{names} beside limits: give all limits by name, or all in a Limits")
    options = {name: value for name, value in keywords.items() if name not in LIMITS}
    for name in options:
        if name not in OPTIONS:
            raise UnknownName.among("option", name, (*LIMITS, *OPTIONS))
    return limits or Limits(**by_name), Options(**options)


def check_board(board: object, purpose: str) -> None:
    """Raise `InvalidOption` if `board` is not a `Board`; the message begins with `purpose`."""
    if not isinstance(board, Board):
        hint = ": Board.from_text makes one of a text" if isinstance(board, str) else ""
        raise InvalidOption(f"{purpose} needs a board, found {reprlib.repr(board)}{hint}")


def check_companions(*, stop: object, table: object = None, instrument: object = None, watch: object = None) -> None:
    """Raise `InvalidOption` for a `stop`, `table`, `instrument` or `watch` that a search cannot use."""
    for name, value, fits, expected in (
        ("stop", stop, isinstance(stop, Stop), "an outflank.Stop"),
        ("table", table, isinstance(table, Table), "an outflank.Table, like Table(20)"),
        ("instrument", instrument, hasattr(instrument, "probe"), "an instrument, like Counts()"),
        ("watch", watch, callable(watch), "a function that is called with a Progress"),
    ):
        if value is not None and not fits:
            raise InvalidOption(f"{name}={reprlib.repr(value)}: expected {expected}, or None")


def document_options(function: Function) -> Function:
    """Give a function a signature that lists the limits and options that it takes, for `help` and editors."""
    signature = inspect.signature(function)
    parameters = [
        parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD
    ]
    keyword_index = [parameter.kind for parameter in parameters].index(inspect.Parameter.KEYWORD_ONLY)
    limits, options = (
        [
            inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type)
            for field in fields(cls)
        ]
        for cls in (Limits, Options)
    )
    vars(function)["__signature__"] = signature.replace(
        parameters=[*parameters[:keyword_index], *limits, *parameters[keyword_index:], *options]
    )
    return function


def documentation(function: Callable[..., object]) -> str:
    """Return a function's signature and docstring, and the limits and options that it takes."""
    signature = inspect.signature(function)
    parameters = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    call = f"{function.__name__}{signature.replace(parameters=parameters, return_annotation=signature.empty)}"
    return "\n\n".join((call, inspect.getdoc(function) or "", _fields_text(Limits), _fields_text(Options)))


def _fields_text(cls: type) -> str:
    """Return the fields of a class as text, each with its docstring from the source; without one, with its help
    text."""
    texts = {field.name: field.metadata.get("help", "") for field in fields(cls)}
    with suppress(OSError):  # installed without source
        for line, next_line in pairwise(ast.iter_child_nodes(ast.parse(inspect.getsource(cls)).body[0])):
            match line, next_line:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(docstring))):
                    texts[name] = " ".join(docstring.split())
    lines = (f"    {field.name} = {field.default!r}: {texts[field.name]}" for field in fields(cls))
    return "\n".join((f"{cls.__name__}:", *lines))
