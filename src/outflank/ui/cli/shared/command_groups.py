"""The base class of commands with subcommands."""

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
