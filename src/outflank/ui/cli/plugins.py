"""`outflank plugins`: what can be chosen by name, and where it is from."""

from collections.abc import Callable, Iterable
from typing import Any

import click

from outflank.distributed.engines import ENGINES
from outflank.games.description import GAMES
from outflank.games.evaluation import list_evaluations
from outflank.lab.experiment import EXPERIMENTS
from outflank.plugins import Listed
from outflank.protocols.serving import PROTOCOLS
from outflank.search.division import SCHEMES
from outflank.ui.cli.common import output, print_json
from outflank.ui.cli.tables import print_table

KINDS: dict[str, tuple[Callable[[], Iterable[Listed[Any]]], Callable[[Any], str]]] = {
    "game": (GAMES.listing, lambda game: game.title),
    "evaluation": (
        list_evaluations,
        lambda named: f"values in {named.unit}" if named.unit else "values without a unit",
    ),
    "scheme": (SCHEMES.listing, lambda scheme: f"promises {scheme.promises_text}"),
    "experiment": (EXPERIMENTS.listing, lambda experiment: experiment.question),
    "protocol": (PROTOCOLS.listing, lambda protocol: protocol.about),
    "cluster engine": (ENGINES.listing, lambda engine: ", ".join(form for form, _ in engine.forms.values())),
}
"""What there is of each kind, and a line about one of it."""


@click.command("plugins")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each.")
def command(as_json: bool) -> int:
    """List what can be chosen by name: the package's own, plug-ins that are installed, and what --import has brought.

    A plug-in that cannot be loaded is told with the reason.
    """
    found = [(kind, each, tell) for kind, (listing, tell) in KINDS.items() for each in listing()]
    if as_json:
        from outflank.ui.cli.documents import PluginDocument

        for kind, each, tell in found:
            print_json(
                PluginDocument(
                    kind=kind,
                    name=each.name,
                    package=each.source.package or None,
                    place=each.source.place,
                    about=None if each.part is None else tell(each.part),
                    broken=each.reason or None,
                )
            )
        return 0
    rows = [
        [kind, each.name, each.source.package or f"{each.source.place}, in this process", tell(each.part)]
        for kind, each, tell in found
        if each.part is not None
    ]
    console = output()
    print_table(console, "", ["kind", "name", "from", "about"], rows)
    for line in [each.reason for _, each, _ in found if each.part is None]:
        console.print(f"cannot be used: {line}")
    return 0
