"""`outflank plugins`: list everything that can be chosen by name, with its origin."""

from collections.abc import Callable, Iterable
from typing import Any

import click

from outflank.distributed.engines import ENGINES
from outflank.games.description import GAMES
from outflank.games.evaluation import list_evaluations
from outflank.lab.experiment import EXPERIMENTS
from outflank.plugins import ListedPart
from outflank.protocols.serving import PROTOCOLS
from outflank.search.division import SCHEMES
from outflank.ui.cli.shared.position_options import output, print_json
from outflank.ui.cli.shared.terminal_tables import print_table

KINDS: dict[str, tuple[Callable[[], Iterable[ListedPart[Any]]], Callable[[Any], str]]] = {
    "game": (GAMES.listing, lambda game: game.title),
    "evaluation": (
        list_evaluations,
        lambda evaluation: f"values in {evaluation.unit}" if evaluation.unit else "values without a unit",
    ),
    "scheme": (SCHEMES.listing, lambda scheme: f"promises {scheme.promises_text}"),
    "experiment": (EXPERIMENTS.listing, lambda experiment: experiment.question),
    "protocol": (PROTOCOLS.listing, lambda protocol: protocol.about),
    "cluster engine": (ENGINES.listing, lambda engine: ", ".join(form for form, _ in engine.forms.values())),
}
"""For each kind of part (game, scheme, …): a function that lists the parts, and one that describes a part."""


@click.command("plugins")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each part.")
def command(as_json: bool) -> int:
    """List everything that can be chosen by name, from the package, from plug-ins, and from modules of --import.

    A plug-in that cannot be loaded is listed with the reason.
    """
    parts = [(kind, listed, describe) for kind, (listing, describe) in KINDS.items() for listed in listing()]
    if as_json:
        from outflank.ui.cli.shared.json_documents import PluginDocument

        for kind, listed, describe in parts:
            print_json(
                PluginDocument(
                    kind=kind,
                    name=listed.name,
                    package=listed.source.package or None,
                    place=listed.source.place,
                    about=None if listed.part is None else describe(listed.part),
                    broken=listed.reason or None,
                )
            )
        return 0
    rows = [
        [kind, listed.name, listed.source.package or f"{listed.source.place}, in this process", describe(listed.part)]
        for kind, listed, describe in parts
        if listed.part is not None
    ]
    console = output()
    print_table(console, "", ["kind", "name", "from", "about"], rows)
    for line in [listed.reason for _, listed, _ in parts if listed.part is None]:
        console.print(f"cannot be used: {line}")
    return 0
