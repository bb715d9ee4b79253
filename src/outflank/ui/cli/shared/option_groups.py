"""Groups of options that one decorator adds, options that name parts of registries, and the option `--import`."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from outflank.errors import OutflankError, UnknownName

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from outflank.plugins import Registry


def add_import_option(command: click.Command) -> click.Command:
    """Add `--import` to a command and its subcommands. It imports modules before the other options are parsed."""
    if isinstance(command, click.Group):
        for subcommand in command.commands.values():
            add_import_option(subcommand)
    if not any(parameter.name == "modules" for parameter in command.params):
        command.params.append(
            click.Option(
                ["--import", "modules"],
                metavar="MODULE",
                multiple=True,
                expose_value=False,
                is_eager=True,
                callback=_import_all,
                help="Import a module or a .py file first: its games, evaluations, … can then be named.",
            )
        )
    return command


def import_modules_in(words: list[str]) -> None:
    """Import the modules that `--import` names among the `words` of a command whose other options are not known yet."""
    lenient = {"ignore_unknown_options": True, "allow_extra_args": True}
    reader = add_import_option(click.Command("import", context_settings=lenient, add_help_option=False))
    reader.make_context("import", list(words))


def _import_all(context: click.Context, parameter: click.Parameter, modules: tuple[str, ...]) -> None:
    if modules:
        from outflank.user_modules import import_user_module  # imported here, so that other commands start faster

        for name in modules:
            import_user_module(name)


class NameOf(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest versions of click
    """Type of options that name a part in a registry.

    Plug-ins are loaded only to list all names, or if the package does not know the given name.
    """

    def __init__(self, registry: "Registry[Any]", *, others: tuple[str, ...] = ()) -> None:
        """`others` are further names that are accepted. The command itself checks whether they are allowed."""
        self.registry, self.others = registry, others
        self.name = registry.kind

    @property
    def names(self) -> tuple[str, ...]:
        """Names that this option accepts: those of the registry, then `others`."""
        return (*self.registry.names(), *self.others)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in self.others:
            return value
        try:
            self.registry.get(value)
        except UnknownName:
            self.fail(str(UnknownName.among(self.name, value, self.names)), param, ctx)
        except OutflankError as error:
            self.fail(str(error), param, ctx)
        return value

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Return all names, as help texts show a choice: `[a|b|…]`."""
        names = "|".join(self.names)
        return f"{{{names}}}" if param.required and isinstance(param, click.Argument) else f"[{names}]"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem  # imported here because only shell completion needs it

        return [CompletionItem(name) for name in self.names if name.startswith(incomplete)]


class NameOption(click.Option):
    """Option of type `NameOf` with too many names for the usage line. Its help text lists the names at `{names}`."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.type, NameOf):
            return record
        return record[0], record[1].replace("{names}", ", ".join(self.type.names))


class Group(click.Group):
    """Command group that suggests a name for a mistyped command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            raise click.UsageError(str(UnknownName.among("command", name, self.list_commands(ctx))), ctx)
        return super().resolve_command(ctx, args)


Command = TypeVar("Command", bound=Callable[..., object])

Options = dict[str, Any]
"""Values of the options in a group, by option name."""


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
