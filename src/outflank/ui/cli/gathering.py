"""Options that belong together: a command is given them as one, and gets them as one."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def gathered(argument: str, *options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Give a command several options; what they say is its `argument`, a dictionary by their names."""

    def add(command: Command) -> Command:
        @wraps(command)
        def with_them(*words: Any, **arguments: Any) -> Any:
            found = {name: arguments.pop(name) for name in names}
            return command(*words, **{argument: found}, **arguments)

        before = len(_parameters(with_them))
        for option in reversed(options):
            option(with_them)
        names = [each.name for each in _parameters(with_them)[before:]]
        return with_them  # type: ignore[return-value]

    return add


def _parameters(command: Callable[..., Any]) -> list[click.Parameter]:
    """Those that decorators have noted for a command."""
    found: list[click.Parameter] = getattr(command, "__click_params__", [])
    return found
