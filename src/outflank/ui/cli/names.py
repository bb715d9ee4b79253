"""Options whose values are names of parts: the package's own, plug-ins', and those that `--import` has brought."""

from typing import TYPE_CHECKING, Any

import click

from outflank.errors import OutflankError
from outflank.plugins import Registry

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class NameOf(click.ParamType):  # type: ignore[type-arg]  # generic in its newest versions alone
    """The name of a part; which there are is looked up for help, and for a name that is not the package's own."""

    def __init__(self, registry: Registry[Any]) -> None:
        self.registry = registry
        self.name = registry.kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name, if there is such a part and it can be loaded."""
        try:
            self.registry.get(value)
        except OutflankError as error:
            self.fail(str(error), param, ctx)
        return value

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """All names, as of a choice."""
        names = "|".join(self.registry.names())
        return f"{{{names}}}" if param.required and isinstance(param, click.Argument) else f"[{names}]"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        """The names that begin so."""
        from click.shell_completion import CompletionItem  # of which only a shell that completes has need

        return [CompletionItem(name) for name in self.registry.names() if name.startswith(incomplete)]


class NameOption(click.Option):
    """An option whose help lists the names, where they are too many to stand beside it: in the place of `{names}`."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.type, NameOf):
            return record
        return record[0], record[1].replace("{names}", ", ".join(self.type.registry.names()))
