"""Command-line options made from the fields of a class. Each field declares its option's type, default and help."""

from collections.abc import Sequence
from dataclasses import MISSING, Field
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import click

from outflank.errors import FormatError
from outflank.validation.text import comma_separated, comma_separated_words, is_count


class CommaSeparated(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest versions of click
    """Type of an option that takes values separated by commas. Numbers may be given as ranges like 1-4."""

    def __init__(self, kind: type) -> None:
        self.kind = kind
        self.name = "N,N,…" if kind is int else "NAME,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, tuple):
            return value
        try:
            words = comma_separated_words(str(value))
        except FormatError as error:
            self.fail(str(error), param, ctx)
        if not words:
            self.fail("the list is empty", param, ctx)
        if self.kind is str:
            return tuple(words)
        numbers: list[int] = []
        for word in words:
            first, dash, last = word.partition("-")
            if not is_count(first) or (dash and not is_count(last)) or (dash and int(last) < int(first)):
                self.fail(f"{word!r} is not a positive number or a range like 1-4", param, ctx)
            if dash and int(last) - int(first) > 10_000:
                self.fail(f"{word!r} is a range of more than 10,000 numbers", param, ctx)
            numbers += range(int(first), int(last if dash else first) + 1)
        return tuple(numbers)


class ChoiceOf(click.Choice):  # type: ignore[type-arg]  # generic only in the newest versions of click
    """Type of an option that takes one of several values, which are texts or numbers."""

    def __init__(self, values: Sequence[Any]) -> None:
        super().__init__([str(value) for value in values])
        self.values = {str(value): value for value in values}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return self.values[super().convert(str(value), param, ctx)]


def click_parameter(parameter: Field[Any]) -> click.Parameter:
    """Return the command-line option or argument for a field of an experiment's parameters."""
    kind, optional = kind_of(parameter.type)
    default = None if parameter.default is MISSING else parameter.default
    if parameter.metadata["argument"]:
        return click.Argument([parameter.name], nargs=-1, type=str, required=False)
    flag = f"--{parameter.name.replace('_', '-')}"
    if kind is bool:
        return click.Option([f"{flag}/--no-{flag[2:]}"], default=default, help=parameter.metadata["help"])
    is_list = get_origin(kind) is tuple
    default_value = comma_separated(map(str, default)) if is_list and default is not None else default
    default_text = "" if optional else f"  [{default_value}]"
    type_ = CommaSeparated(get_args(kind)[0]) if is_list else kind
    return click.Option([flag], type=type_, default=None, help=f"{parameter.metadata['help']}{default_text}")


def kind_of(annotation: Any) -> tuple[Any, bool]:
    """Return the click type for an annotation, and whether None is allowed. A union of several types becomes text."""
    if get_origin(annotation) is Annotated:
        return kind_of(get_args(annotation)[0])
    if get_origin(annotation) in (UnionType, Union):  # `Literal[…] | None` is a `Union`
        kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
        return kind_of(kinds[0])[0] if len(kinds) == 1 else str, len(kinds) < len(get_args(annotation))
    if get_origin(annotation) is Literal:
        return ChoiceOf(get_args(annotation)), False
    return annotation, False
