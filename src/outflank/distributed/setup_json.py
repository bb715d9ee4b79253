"""The setup of a search as JSON, for engines that must not send anything that a receiver would execute.

A game is sent as its name and its rules: every node must know it by that name, as one of the package's own, as an
installed plug-in, or because the program that all nodes run has registered it.
"""

from dataclasses import asdict
from typing import Any

from outflank.distributed.node import NodeSetup
from outflank.distributed.replication import Replication
from outflank.errors import OutflankError
from outflank.games.description import GAMES, description_of, game_named
from outflank.games.rules import pack, unpack
from outflank.kernels.bits import U64
from outflank.search.contract import Options


def setup_to_json(setup: NodeSetup) -> dict[str, Any]:
    """Return the setup as a JSON document."""
    description = description_of(setup.game)
    if description.name not in GAMES or game_named(description.name) is not description:
        raise OutflankError(f"MPI sends games by name: register {description.title} in the program that all ranks run")
    options = {name: getattr(setup.options, name) for name in Options.__slots__}
    for name in ("evaluation", "ordering"):
        if options[name] is not None and not isinstance(options[name], str):
            raise OutflankError(f"MPI sends an {name} by its name only: register it in the program that all ranks run")
    first, second = pack(setup.game, setup.position)
    return {
        "game": description.name,
        "rules": description.rules_as_json(setup.game),
        "position": [int(first), int(second)],
        "options": options,
        "replication": asdict(setup.replication),
        "era": setup.era,
    }


def setup_from_json(document: dict[str, Any]) -> NodeSetup:
    """Return the setup that a JSON document describes."""
    game = game_named(document["game"]).rules_from_json(document["rules"])
    first, second = document["position"]
    return NodeSetup(
        game=game,
        position=unpack(game, U64(first), U64(second)),
        options=Options(**document["options"]),
        replication=Replication(**document["replication"]),
        era=document["era"],
    )
