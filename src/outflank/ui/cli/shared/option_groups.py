"""Groups of options: a command gets them with one decorator, and their values in one argument."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from outflank.errors import UnknownName


class Group(click.Group):
    """A command group that suggests a name for a mistyped command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            raise click.UsageError(str(UnknownName.among("command", name, self.list_commands(ctx))), ctx)
        return super().resolve_command(ctx, args)


Command = TypeVar("Command", bound=Callable[..., object])

Options = dict[str, Any]
"""Values of an option group, by name."""


def option_group(argument: str, *options: Callable[[Callable[..., object]], object]) -> Callable[[Command], Command]:
    """Return a decorator that adds options to a command and passes their values as one dictionary, `argument`."""

    def add(command: Command) -> Command:
        @wraps(command)
        def with_group(*positional: object, **arguments: object) -> object:
            values = {name: arguments.pop(name) for name in names}
            return command(*positional, **{argument: values}, **arguments)

        before = len(_parameters(with_group))
        for option in reversed(options):
            option(with_group)
        names = [parameter.name for parameter in _parameters(with_group)[before:]]
        return with_group  # type: ignore[return-value]

    return add


def _parameters(command: Callable[..., object]) -> list[click.Parameter]:
    """Return the parameters that decorators have recorded for a command."""
    parameters: list[click.Parameter] = getattr(command, "__click_params__", [])
    return parameters
