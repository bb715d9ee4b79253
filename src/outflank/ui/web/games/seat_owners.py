"""Seats that belong to the browser that took them: nobody else moves for these sides while the game lasts.

A browser has a secret, random name, of which the server stores a digest. Seats that nobody took belong to all visitors,
as at one screen. Once a seat of a game is taken, each other human seat must be taken before it can move.
"""

import hashlib

from msgspec.structs import replace

from outflank.errors import OutflankError
from outflank.games.sides import Side
from outflank.ui.web.games.move_tree import FIRST, Boards, SavedGame, colour, main_line, node_of
from outflank.ui.web.games.seats import is_human, player_words
from outflank.ui.web.server_messages import Owner


def digest_of(secret: str) -> str:
    """Return what the server stores of a browser's secret name; empty for an empty name."""
    return hashlib.sha256(secret.encode()).hexdigest()[:32] if secret else ""


def owner_of(saved: SavedGame, side: Side) -> str:
    """Return the digest of the browser that has taken a seat, or an empty text."""
    return saved.owners[0 if side is Side.BLACK else 1]


def owners_for(saved: SavedGame, who: str) -> tuple[Owner, Owner]:
    """Return whom the seats of black and white belong to, as the browser `who` sees it."""

    def seen(owner: str) -> Owner:
        return "" if not owner else "you" if owner == who else "other"

    return seen(saved.owners[0]), seen(saved.owners[1])


def seats_of(saved: SavedGame, who: str) -> list[Side]:
    """Return the sides whose seats a browser has taken."""
    return [side for side in Side if who and owner_of(saved, side) == who]


def is_guarded(saved: SavedGame, boards: Boards) -> bool:
    """Return whether a seat of the game is taken and the main line has not ended the game."""
    if not any(saved.owners) or saved.verdict is not None:
        return False
    return not boards.at(saved, main_line(saved)[-1].id).is_game_over


def check_move(saved: SavedGame, boards: Boards, number: int, who: str) -> None:
    """Raise an error if the browser `who` may not move at the node `number`."""
    if not is_guarded(saved, boards):
        return
    side = boards.at(saved, number).turn
    if owner_of(saved, side) != who or not who:
        raise OutflankError(
            f"{side}'s seat is another player's" if owner_of(saved, side) else f"nobody has taken {side}'s seat yet"
        )
    if number != saved.node:
        raise OutflankError("while two people play, moves are made only in the position on the board")


def check_change(saved: SavedGame, boards: Boards, who: str) -> None:
    """Raise an error if the browser `who` may not go to other positions, or change the players or the moves."""
    if not is_guarded(saved, boards):
        return
    human_sides = [side for side in Side if is_human(player_words(saved.seats, side))]
    if not who or any(owner_of(saved, side) != who for side in human_sides):
        raise OutflankError("two people are playing: a move is taken back only if both agree")


def check_resignation(saved: SavedGame, boards: Boards, side: Side, who: str) -> None:
    """Raise an error if the browser `who` may not resign for a side."""
    if is_guarded(saved, boards) and (not who or owner_of(saved, side) != who):
        raise OutflankError(f"{side}'s seat is not yours")


def with_owner(saved: SavedGame, side: Side, who: str, *, leave: bool) -> SavedGame:
    """Return the game after the browser `who` took a seat, or left it."""
    owner = owner_of(saved, side)
    if not who:
        raise OutflankError("this browser has no name, and cannot take a seat")
    if not is_human(player_words(saved.seats, side)):
        raise OutflankError(f"{side} is played by {player_words(saved.seats, side)}")
    if owner not in ("", who):
        raise OutflankError(f"{side}'s seat is another player's")
    new = "" if leave else who
    black, white = saved.owners
    owners = (new, white) if side is Side.BLACK else (black, new)
    return replace(saved, owners=owners, live=True, disposable=False)


def node_before_move_of(saved: SavedGame, side: Side) -> int:
    """Return the node before the last move of a side on the way to the current node."""
    node = node_of(saved, saved.node)
    while node.parent is not None:
        if node.side == colour(side):
            return node.parent
        node = node_of(saved, node.parent)
    raise OutflankError(f"{side} has not moved yet")


def opponent_of(saved: SavedGame, who: str) -> tuple[Side, Side]:
    """Return the side of the browser `who` and the other side, or raise an error if it has not exactly one seat."""
    own = seats_of(saved, who)
    if len(own) != 1:
        raise OutflankError("only somebody who has taken a seat can offer this")
    return own[0], own[0].other


def rematch_of(saved: SavedGame, id: str, left: tuple[float | None, float | None]) -> SavedGame:
    """Return a new game from the same start, with exchanged players."""
    root = replace(saved.nodes[0], value=None, loss=None, mark="", best="", exact=False)
    seats = replace(saved.seats, black=saved.seats.white, white=saved.seats.black)
    return SavedGame(
        id=id,
        game=saved.game,
        options=saved.options,
        rules=saved.rules,
        start=saved.start,
        nodes=(root,),
        node=FIRST,
        seats=seats,
        left=left,
        live=True,
        names=(saved.names[1], saved.names[0]),
        owners=(saved.owners[1], saved.owners[0]),
    )
