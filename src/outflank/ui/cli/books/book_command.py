"""`outflank book`: opening books, built by the package's own searches."""

import click

from outflank.ui.cli.books.build_commands import build_command, learn_command, merge_command
from outflank.ui.cli.books.show_commands import export_command, show_command, tree_command
from outflank.ui.cli.shared.option_groups import Group


@click.group("book", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Build an opening book, learn one from games, or inspect one.

    A player uses it with `book=FILE`; `book=own` is the one that comes with the package.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for subcommand in (build_command, learn_command, merge_command, show_command, tree_command, export_command):
    command.add_command(subcommand)
