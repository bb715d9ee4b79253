"""Options of parallel searches: the scheme, the cluster and the transposition table."""

from collections.abc import Callable

import click

from outflank.distributed.engines import address_forms
from outflank.search.division import SCHEMES
from outflank.ui.cli.shared.name_options import NameOf, NameOption
from outflank.ui.cli.shared.option_groups import Command


def parallel_option(command: Command) -> Command:
    """Add `--parallel`, the scheme by which workers share a search."""
    return click.option(
        "--parallel",
        cls=NameOption,
        type=NameOf(SCHEMES),
        metavar="SCHEME",
        help="How workers share the search: {names}.  [the best]",
    )(command)


def cluster_option(what: str) -> Callable[[Command], Command]:
    """Return a decorator that adds `--cluster`, the cluster that does the work instead of this machine."""
    return click.option(
        "--cluster",
        "where",
        metavar="CLUSTER",
        help=f"{what} on the nodes of a cluster: {address_forms()}; --workers then counts those of each node.",
    )


def table_option(bits: int | None, otherwise: str = "") -> Callable[[Command], Command]:
    """Return a decorator that adds `--table-bits`, the size of the table; `otherwise` describes a default that is not
    one number."""
    text = "Size of the table: 32 · 2^BITS bytes; 0: no table." + (f"  [{otherwise}]" if bits is None else "")
    return click.option("--table-bits", type=int, default=bits, show_default=bits is not None, help=text)
