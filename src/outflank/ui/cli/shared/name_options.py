"""Options whose values are names of parts: the package's own, those of plug-ins, and imports by `--import`."""

from typing import TYPE_CHECKING, Any

import click

from outflank.errors import OutflankError
from outflank.plugins import Registry

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class NameOf(click.ParamType):  # type: ignore[type-arg]  # generic only in the newest versions of click
    """The name of a part. The registry is listed only for help, and for a name that is not the package's own."""

    def __init__(self, registry: Registry[Any]) -> None:
        self.registry = registry
        self.name = registry.kind

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, if there is such a part and it can be loaded."""
        try:
            self.registry.get(value)
        except OutflankError as error:
            self.fail(str(error), param, ctx)
        return value

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Return all names, in the form of a choice."""
        names = "|".join(self.registry.names())
        return f"{{{names}}}" if param.required and isinstance(param, click.Argument) else f"[{names}]"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        """Return the names that begin with the incomplete word."""
        from click.shell_completion import CompletionItem  # needed by shell completion alone

        return [CompletionItem(name) for name in self.registry.names() if name.startswith(incomplete)]


class NameOption(click.Option):
    """An option whose help lists the names in place of `{names}`, where they are too many for the metavar."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.type, NameOf):
            return record
        return record[0], record[1].replace("{names}", ", ".join(self.type.registry.names()))
