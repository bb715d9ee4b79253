"""Command-line options of searches, made from the fields of `Limits` and `Options`, and the option `--cluster`."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

import click

from outflank.search.division import SCHEMES
from outflank.search.request import Limits, Options
from outflank.ui.cli.shared.option_groups import NameOf, NameOption
from outflank.ui.shared.declared_options import kind_of

Command = TypeVar("Command", bound=Callable[..., Any])

FIELDS = {field.name: field for field in (*fields(Limits), *fields(Options))}


def search_options(*names: str, usual: str | None = None, **attributes: Any) -> Callable[[Command], Command]:
    """Return a decorator that adds an option for each named field of `Limits` and `Options`.

    `usual` describes the command's own default. `attributes` are attributes of the click option. They replace the
    attributes that the field declares.
    """

    def add(command: Command) -> Command:
        for name in reversed(names):
            command = _search_option(name, usual, attributes)(command)
        return command

    return add


def _search_option(name: str, usual: str | None, attributes: dict[str, Any]) -> Callable[[Command], Command]:
    field = FIELDS[name]
    flag = field.metadata["flag"] or f"--{name.replace('_', '-')}"
    declared: dict[str, Any] = {"help": field.metadata["help"], "default": field.default}
    default_text = field.metadata["usual"] if usual is None else usual
    kind, _ = kind_of(field.type)
    if kind is bool and field.default:
        default_text, flag = default_text or flag[2:], f"{flag}/--no-{flag[2:]}"
    elif kind is bool:
        declared["is_flag"] = True
    else:
        declared |= {"type": kind, "show_default": not default_text}
    declared |= attributes
    declared["help"] += f"  [{default_text}]" if default_text else ""
    return click.option(flag, name, **declared)


CLUSTER_SCHEMES = ("stealing", "tds")
"""Names of the schemes that only clusters have. In these schemes, cluster nodes send each other work."""

parallel_option = search_options(
    "parallel", cls=NameOption, type=NameOf(SCHEMES, others=CLUSTER_SCHEMES), metavar="SCHEME"
)


class ClusterOption(click.Option):
    """Option whose help lists the forms of cluster addresses. The engines are loaded only when the help is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from outflank.distributed.engines import address_forms

        self.help = (self.help or "").format(forms=address_forms())
        return super().get_help_record(ctx)


def cluster_option(what: str, *, workers: bool = True) -> Callable[[Command], Command]:
    """Return a decorator that adds `--cluster`, which names a cluster that works instead of this machine.

    `workers` tells whether `--workers` is then the number of workers of each cluster node.
    """
    text = f"{what} on the nodes of a cluster: {{forms}}{'; --workers then counts those of each node' * workers}."
    return click.option("--cluster", "where", metavar="CLUSTER", cls=ClusterOption, help=text)
