"""A search's set-up as JSON, for engines on which nothing may travel that a receiver would execute."""

from dataclasses import asdict
from typing import Any

from outflank.abalone.rules import Abalone
from outflank.distributed.node import NodeSetup
from outflank.distributed.replication import Replication
from outflank.errors import OutflankError
from outflank.games.rules import pack, unpack
from outflank.kernels.bits import U64
from outflank.othello.rules import Othello
from outflank.search.contract import Options

_GAMES = {"othello": Othello, "abalone": Abalone}


def setup_to_json(setup: NodeSetup) -> dict[str, Any]:
    """A set-up in words and numbers."""
    kind = next((name for name, kind in _GAMES.items() if type(setup.game) is kind), None)
    if kind is None:
        raise OutflankError(f"MPI carries {' and '.join(_GAMES)} alone: a game of your own needs Ray")
    options = {name: getattr(setup.options, name) for name in Options.__slots__}
    for name in ("evaluation", "ordering"):
        if options[name] is not None and not isinstance(options[name], str):
            raise OutflankError(f"MPI carries no {name} but by name: register it in the program that all ranks run")
    first, second = pack(setup.game, setup.position)
    return {
        "game": kind,
        "rules": [int(value) for value in setup.game],
        "position": [int(first), int(second)],
        "options": options,
        "replication": asdict(setup.replication),
        "era": setup.era,
    }


def setup_from_json(words: dict[str, Any]) -> NodeSetup:
    """The set-up that words and numbers tell of."""
    if words["game"] == "othello":
        mask, scoring = words["rules"]
        game: Any = Othello(U64(mask), scoring)
    else:
        game = Abalone(*words["rules"])
    first, second = words["position"]
    return NodeSetup(
        game=game,
        position=unpack(game, U64(first), U64(second)),
        options=Options(**words["options"]),
        replication=Replication(**words["replication"]),
        era=words["era"],
    )
