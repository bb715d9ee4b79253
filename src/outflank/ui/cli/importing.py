"""`--import`: a module of the user's own, so that its games, evaluations, orderings and schemes can be named."""

import click

from outflank.user_modules import import_users


def add_import_option(command: click.Command) -> click.Command:
    """Let a command, and those that it has, import modules before it looks at its other options."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            add_import_option(each)
    if not any(parameter.name == "modules" for parameter in command.params):
        command.params.append(
            click.Option(
                ["--import", "modules"],
                metavar="MODULE",
                multiple=True,
                expose_value=False,
                is_eager=True,
                callback=_import_all,
                help="Import a module of yours first, or a .py file: its games, evaluations, … can then be named.",
            )
        )
    return command


def _import_all(context: click.Context, parameter: click.Parameter, modules: tuple[str, ...]) -> None:
    for name in modules:
        import_users(name)
