"""Options of commands whose searches are shared: by workers, by nodes of a cluster, by what a table remembers."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from outflank.distributed.engines import address_forms
from outflank.search.division import SCHEMES
from outflank.ui.cli.names import NameOf, NameOption

Command = TypeVar("Command", bound=Callable[..., Any])


def parallel_option(command: Command) -> Command:
    """How workers share a search."""
    return click.option(
        "--parallel",
        cls=NameOption,
        type=NameOf(SCHEMES),
        metavar="SCHEME",
        help="How they share the work: {names}.  [the best]",
    )(command)


def cluster_option(what: str) -> Callable[[Command], Command]:
    """Where it is done instead of here."""
    return click.option(
        "--cluster",
        "where",
        metavar="CLUSTER",
        help=f"{what} on many nodes: {address_forms()}; --workers are those of each node then.",
    )


def table_option(bits: int | None, otherwise: str = "") -> Callable[[Command], Command]:
    """How large the table is; `otherwise`: in words, if there is no one number."""
    told = "32 · 2^BITS bytes for the table; 0: none." + (f"  [{otherwise}]" if bits is None else "")
    return click.option("--table-bits", type=int, default=bits, show_default=bits is not None, help=told)
