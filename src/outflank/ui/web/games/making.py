"""New games: from their start, from a text, or from pieces that were set up by hand."""

import secrets
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from outflank.boards import Board
from outflank.boards.tabletop import tabletop_of
from outflank.errors import InvalidOption, InvalidPosition, OutflankError, UnknownName
from outflank.formats.chosen_rules import under
from outflank.formats.game_record import Record
from outflank.games.description import GAMES, GameDescription, description_of, game_named
from outflank.games.sides import Side
from outflank.ui.cli.sources import first_pasted
from outflank.ui.web.games.seats import check_seats, full_clocks
from outflank.ui.web.games.tree import FIRST, MOST_NODES, KeptGame, colour
from outflank.ui.web.messages import Node
from outflank.ui.web.requests import Colour, Seats


def new_id() -> str:
    """A name for a game that nobody guesses."""
    return secrets.token_urlsafe(12)


def started(name: str, options: Mapping[str, int | str], seats: Seats | None) -> KeptGame:
    """A game at its start."""
    description = game_named(name)
    made = of_board(description.start(**_checked(description, options)), seats=seats, live=True)
    return replace(made, plain=True)


def read(text: str, name: str | None, options: Mapping[str, int | str], seats: Seats | None) -> KeptGame:
    """The game, or the first of the games, in a text."""
    chosen: Mapping[str, Any] = _known(options) if name is None else _checked(game_named(name), options)
    record = first_pasted(text, name, chosen)
    _check_length(len(record.moves))  # before a board plays them
    board = Board.from_setup(under(record.setup, chosen))
    return of_board(board, names=_names(record), seats=seats, live=seats is not None)


def placed(name: str, options: Mapping[str, int | str], pieces: str, turn: Colour) -> KeptGame:
    """A game from a position that was set up by hand."""
    description = game_named(name)
    start = description.start(**_checked(description, options))
    place = tabletop_of(start).placed
    if place is None:
        raise OutflankError(f"positions of {description.title} are not set up by hand: paste one instead")
    if len(pieces) != len(tabletop_of(start).places) or set(pieces) - set("XO."):
        raise InvalidPosition(f"{len(tabletop_of(start).places)} cells hold X, O or nothing (.)")
    board = place(pieces, Side(turn))
    objection = description.objection(board.game, board.position)
    if objection:
        raise InvalidPosition(objection)
    return of_board(board)


def of_board(
    board: Board[Any], *, names: tuple[str, str] = ("", ""), seats: Seats | None = None, live: bool = False
) -> KeptGame:
    """The game that was played on a board; its end is shown."""
    _check_length(len(board.moves))
    description = description_of(board.game)
    twin = board.copy()
    nodes: list[Node] = []
    for number in range(len(board.moves), 0, -1):
        move = str(twin.pop())
        nodes.append(Node(id=number, parent=number - 1, move=move, side=colour(twin.turn)))
    nodes.append(Node(id=FIRST, parent=None, move=""))
    options = description.options_at(twin)
    seats = seats or Seats()
    check_seats(seats, board.game)
    return KeptGame(
        id=new_id(),
        game=description.name,
        options=options,
        rules=dict(description.options_of(board.game)),
        start=twin.to_text(),
        nodes=tuple(reversed(nodes)),
        node=len(nodes) - 1,
        next=len(nodes),
        seats=seats,
        left=full_clocks(seats.clock),
        live=live,
        names=names,
    )


def _check_length(moves: int) -> None:
    if moves >= MOST_NODES:
        raise OutflankError(f"{moves:,} moves: a game has {MOST_NODES:,} positions at most")


def _names(record: Record) -> tuple[str, str]:
    return record.black[:100], record.white[:100]


def _known(options: Mapping[str, int | str]) -> Mapping[str, int | str]:
    """Return the options, each of which some game must have; which game it is, only the text says."""
    names = sorted({option.name for game in GAMES.parts().values() for option in game.options})
    for name in options:
        if name not in names:
            raise UnknownName.among("option", name, names)
    return options


def _checked(description: GameDescription, options: Mapping[str, int | str]) -> dict[str, int | str]:
    """Options of a game, each one of its choices."""
    for name, value in options.items():
        option = description.option(name)
        if option is None:
            raise UnknownName.among(f"option of {description.title}", name, [each.name for each in description.options])
        if option.choices and value not in option.choices:
            raise InvalidOption(f"{name}={value!r}: one of {', '.join(map(str, option.choices))}")
        if type(value) is not type(option.default):
            raise InvalidOption(f"{name}={value!r}: like {option.default!r}")
    return dict(options)
