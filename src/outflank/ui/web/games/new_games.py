"""New games on the server: from the start, from a text, or from a position that was set up by hand."""

import secrets
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from outflank.boards import Board
from outflank.boards.board_tabletop import tabletop_of
from outflank.errors import InvalidOption, InvalidPosition, OutflankError, UnknownName
from outflank.formats.fields import one_line
from outflank.formats.game_record import Record, apply_rule_options
from outflank.formats.recognise import records_in_text
from outflank.games.description import GAMES, GameDescription, RuleOptions, description_of, game_named
from outflank.games.sides import Side
from outflank.ui.web.games.found_games import games_among, record_numbered, records_in_files
from outflank.ui.web.games.move_tree import FIRST, MOST_NODES, SavedGame, colour, with_notes
from outflank.ui.web.games.seats import check_seats, full_clocks
from outflank.ui.web.requests import MOST_LABEL, Colour, Keep, New, Read, Seats
from outflank.ui.web.server_messages import Found, Node


def new_id() -> str:
    """Return an unguessable id for a game."""
    return secrets.token_urlsafe(12)


def new_game(name: str, options: Mapping[str, int | str], seats: Seats | None) -> SavedGame:
    """Return a new game at its start."""
    description = game_named(name)
    new = game_from_board(description.start(**_check_options(description, options)), seats=seats, live=True)
    return replace(new, disposable=True)


def records_of(request: Read | Keep | New) -> Iterator[Record]:
    """Return the games in the text or in the files of a request."""
    checked = _rule_options(request.game, request.options)
    if request.files:
        return records_in_files(request.files, request.game, checked)
    return iter(records_in_text(request.text or "", request.game, checked))


def found_games(request: Read) -> Found:
    """Return the list of the games in the text or in the files of a request."""
    return games_among(records_of(request), request.ask)


def game_from_records(request: New) -> SavedGame:
    """Return a game in the text or in the files of a request as a new game."""
    record = record_numbered(records_of(request), request.number)
    new = _game_from_record(record, _rule_options(request.game, request.options), request.seats)
    return replace(new, disposable=not request.keep)


def games_from_records(request: Keep) -> list[SavedGame]:
    """Return the games that a request selects in its text or files as new games, in their order there."""
    checked, wanted = _rule_options(request.game, request.options), set(request.numbers)
    games = []
    for number, record in enumerate(records_of(request), 1):
        if number in wanted:
            games.append(_game_from_record(record, checked, None))
        if len(games) == len(wanted):  # what comes after them may be damaged
            return games
    raise OutflankError(f"there is no game number {max(wanted):,}")


def _game_from_record(record: Record, options: RuleOptions, seats: Seats | None) -> SavedGame:
    _check_length(len(record.moves))  # before the moves are played on a board
    board = Board.from_setup(apply_rule_options(record.setup, options))
    new = game_from_board(board, seats=seats, live=seats is not None)
    notes = (record.notes, *(move.notes for move in record.moves))
    return replace(
        with_notes(new, {number: each for number, each in enumerate(notes) if each}),
        names=(_label(record.black), _label(record.white)),
        event=_label(record.event),
        date=_label(record.date),
        score=record.score,
        reason=_label(record.reason),
    )


def game_from_pieces(name: str, options: Mapping[str, int | str], pieces: str, turn: Colour) -> SavedGame:
    """Return a new game from a position that was set up by hand."""
    description = game_named(name)
    start = description.start(**_check_options(description, options))
    place = tabletop_of(start).board_from_pieces
    if place is None:
        raise OutflankError(f"positions of {description.title} are not set up by hand: paste one instead")
    if len(pieces) != len(tabletop_of(start).places) or set(pieces) - set("XO."):
        raise InvalidPosition(f"{len(tabletop_of(start).places)} cells hold X, O or nothing (.)")
    if not pieces.strip("."):
        raise InvalidPosition("the board is empty: put down the pieces of a position first")
    board = place(pieces, Side(turn))
    error = description.find_error(board.game, board.position)
    if error:
        raise InvalidPosition(error)
    return game_from_board(board)


def game_from_board(board: Board, *, seats: Seats | None = None, live: bool = False) -> SavedGame:
    """Return the game that was played on a board. The current node is the last position."""
    _check_length(len(board.moves))
    description = description_of(board.game)
    start_board = board.copy()
    nodes: list[Node] = []
    for number in range(len(board.moves), 0, -1):
        move = str(start_board.pop())
        nodes.append(Node(id=number, parent=number - 1, move=move, side=colour(start_board.turn)))
    nodes.append(Node(id=FIRST, parent=None, move=""))
    options = description.options_at(start_board)
    seats = seats or Seats()
    check_seats(seats, board.game)
    return SavedGame(
        id=new_id(),
        game=description.name,
        options=options,
        rules=dict(description.variants.options_of(board.game)),
        start=start_board.to_text(),
        nodes=tuple(reversed(nodes)),
        node=len(nodes) - 1,
        next=len(nodes),
        seats=seats,
        left=full_clocks(seats.clock),
        live=live,
    )


def _check_length(moves: int) -> None:
    if moves >= MOST_NODES:
        raise OutflankError(f"{moves:,} moves: a game has {MOST_NODES:,} positions at most")


def _label(text: str) -> str:
    return one_line(text)[:MOST_LABEL]


def _rule_options(name: str | None, options: Mapping[str, int | str]) -> RuleOptions:
    return _check_known(options) if name is None else _check_options(game_named(name), options)


def _check_known(options: Mapping[str, int | str]) -> Mapping[str, int | str]:
    """Return `options`, or raise an error if no game has one of them.

    Other errors are found later, because the game is known only when the text is parsed.
    """
    names = sorted({option.name for game in GAMES.parts().values() for option in game.variants.options})
    for name in options:
        if name not in names:
            raise UnknownName.among("option", name, names)
    return options


def _check_options(description: GameDescription, options: Mapping[str, int | str]) -> dict[str, int | str]:
    """Return `options`, or raise an error if one is unknown to the game or has a wrong value."""
    for name, value in options.items():
        option = description.variants.option(name)
        if option is None:
            raise UnknownName.among(
                f"option of {description.title}", name, [option.name for option in description.variants.options]
            )
        if option.choices and value not in option.choices:
            raise InvalidOption(f"{name}={value!r}: one of {', '.join(map(str, option.choices))}")
        if type(value) is not type(option.default):
            raise InvalidOption(f"{name}={value!r}: like {option.default!r}")
    return dict(options)
