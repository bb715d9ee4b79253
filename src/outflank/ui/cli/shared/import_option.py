"""`--import`: a module of the user's own, whose games, evaluations, orderings and schemes can then be named."""

import click

from outflank.user_modules import import_user_module


def add_import_option(command: click.Command) -> click.Command:
    """Let a command and its subcommands import modules before their other options are read."""
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


def _import_all(context: click.Context, parameter: click.Parameter, modules: tuple[str, ...]) -> None:
    for name in modules:
        import_user_module(name)
