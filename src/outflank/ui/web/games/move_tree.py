"""A saved game: a tree of moves with a current node, which is on the screen.

Games are immutable: each function returns a new game. So a change that cannot be saved has no effect.
"""

import re
from collections import OrderedDict
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from outflank.boards import Board
from outflank.boards.board_tabletop import tabletop_of
from outflank.errors import IllegalMove, OutflankError
from outflank.formats.fields import one_line
from outflank.formats.game_record import Notes
from outflank.games.sides import Side
from outflank.ui.web.requests import MOST_ARROWS, MOST_COMMENT, Colour, Describe, Seats
from outflank.ui.web.server_messages import Node, TurningPoint
from outflank.validation.documents import Document

CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]+")
"""Control characters, except line feeds."""

MOST_NODES = 2000
"""Maximum number of positions in the tree of one game."""

MOST_NUMBER = 100_000
"""Highest node number. Numbers of removed nodes are not used again."""

FIRST = 0
"""Number of the root node, the start of the game."""


class Verdict(Struct, frozen=True, kw_only=True):
    """End of a game because a player resigned, ran out of time or failed."""

    node: int
    loser: Colour
    reason: str
    """`resigned`, `time`, or the error of a player."""


class SavedGame(Document, frozen=True, kw_only=True, tag="outflank/web-game/1"):
    """A game as it is stored on disk."""

    id: str
    game: str
    options: dict[str, int | str]
    """Options with which the user began the game, for display."""
    rules: dict[str, int | str]
    """Rule options that the text of `start` does not contain."""
    start: str
    nodes: tuple[Node, ...]
    """Nodes of the move tree. Parents precede their children. The main line follows the first child of each node."""
    node: int = FIRST
    """Number of the current node, which is on the screen."""
    next: int = 1
    """Number for the next new node."""
    revision: int = 1
    changed: float = 0.0
    seats: Seats = Seats()
    left: tuple[float | None, float | None] = (None, None)
    """Seconds left on the clocks of black and white; None: no time limit."""
    live: bool = False
    """Whether play goes on at the current node: clocks run, and a computer moves."""
    remark: str = ""
    verdict: Verdict | None = None
    name: str = ""
    """Name that a user gave to the game."""
    names: tuple[str, str] = ("", "")
    event: str = ""
    date: str = ""
    """Date on which the game was played, from its record or a user. Empty: the date of the last change."""
    score: float | None = None
    """Black's score at the end of the main line according to the game's record, or None if the record has none."""
    reason: str = ""
    """Why the game ended according to its record. Empty if it ended by the rules."""
    story: tuple[TurningPoint, ...] = ()
    """Turning points on the main line, as the last review found them."""
    owners: tuple[str, str] = ("", "")
    """Digests of the browsers that have taken the seats of black and white. Empty: the seat is everybody's."""
    rematch: str = ""
    """Id of the next game of the same players, or empty."""
    disposable: bool = False
    """Whether nothing was changed since the game was begun from its usual start or a link: there is nothing to save."""


def colour(side: Side) -> Colour:
    """Return the name of a side in messages."""
    return "black" if side is Side.BLACK else "white"


def node_of(saved: SavedGame, number: int) -> Node:
    """Return the node with this number."""
    for node in saved.nodes:
        if node.id == number:
            return node
    raise OutflankError(f"this game has no node {number}")


def path_to(saved: SavedGame, number: int) -> list[Node]:
    """Return the nodes from the start of the game to the node `number`, both included."""
    by_number = {node.id: node for node in saved.nodes}
    if number not in by_number:
        raise OutflankError(f"this game has no node {number}")
    path = [by_number[number]]
    while path[-1].parent is not None:
        path.append(by_number[path[-1].parent])
    return path[::-1]


def main_line(saved: SavedGame) -> list[Node]:
    """Return the nodes of the main line, beginning with the start."""
    first: dict[int | None, Node] = {}
    for node in saved.nodes:
        first.setdefault(node.parent, node)
    line = [first[None]]
    while line[-1].id in first:
        line.append(first[line[-1].id])
    return line


def with_move(saved: SavedGame, board: Board, number: int, text: str) -> SavedGame:
    """Return the game with the move `text` made at the node `number`, whose board is `board`.

    The node after the move becomes the current one.
    """
    node = node_of(saved, number)
    if saved.verdict is not None and saved.verdict.node == node.id:
        raise IllegalMove("the game is over")
    move = str(board.parse_move(text))
    existing = next((child for child in saved.nodes if child.parent == node.id and child.move == move), None)
    if existing is not None:
        return replace(saved, node=existing.id, remark="")
    if len(saved.nodes) >= MOST_NODES or saved.next > MOST_NUMBER:
        raise OutflankError(f"a game has {MOST_NODES:,} positions at most: prune it, or begin another one")
    new = Node(id=saved.next, parent=node.id, move=move, side=colour(board.turn))
    return replace(saved, nodes=(*saved.nodes, new), node=new.id, next=saved.next + 1, remark="", disposable=False)


def at_node(saved: SavedGame, number: int) -> SavedGame:
    """Return the game with the node `number` as its current node."""
    return replace(saved, node=node_of(saved, number).id, remark="")


def pruned(saved: SavedGame, number: int) -> SavedGame:
    """Return the game without the node `number` and its descendants."""
    node = node_of(saved, number)
    if node.parent is None:
        raise OutflankError("the start of a game stays: delete the game instead")
    removed = {number}
    for descendant in saved.nodes:  # children come after their parents
        if descendant.parent in removed:
            removed.add(descendant.id)
    verdict = None if saved.verdict is not None and saved.verdict.node in removed else saved.verdict
    return _with_story_of_main_line(
        replace(
            saved,
            nodes=tuple(node for node in saved.nodes if node.id not in removed),
            node=node.parent if saved.node in removed else saved.node,
            verdict=verdict,
            disposable=False,
        )
    )


def promoted(saved: SavedGame, number: int) -> SavedGame:
    """Return the game with the line to the node `number` as its main line."""
    nodes = list(saved.nodes)
    for node in path_to(saved, number):
        first = next(index for index, sibling in enumerate(nodes) if sibling.parent == node.parent)
        nodes.remove(node)
        nodes.insert(first, node)
    return _with_story_of_main_line(replace(saved, nodes=tuple(nodes), disposable=False))


def _with_story_of_main_line(saved: SavedGame) -> SavedGame:
    """Return the game without turning points that are no longer on the main line."""
    numbers = {node.id for node in main_line(saved)}
    return replace(saved, story=tuple(point for point in saved.story if point.node in numbers))


def with_story(saved: SavedGame, story: tuple[TurningPoint, ...]) -> SavedGame:
    """Return the game with the turning points that a review found, except those that were removed meanwhile."""
    return _with_story_of_main_line(replace(saved, story=story))


def described(saved: SavedGame, request: Describe) -> SavedGame:
    """Return the game with the names, the event and the date of a request."""
    name, black, white, event, date = map(one_line, (request.name, *request.names, request.event, request.date))
    return replace(saved, name=name, names=(black, white), event=event, date=date, disposable=False)


def with_judged(saved: SavedGame, judged: Node) -> SavedGame:
    """Return the game with the judgement of a review: that of `judged`, for the node with the same number."""

    def with_judgement(node: Node) -> Node:
        return replace(  # its notes may have changed during the review
            node, value=judged.value, loss=judged.loss, mark=judged.mark, best=judged.best, exact=judged.exact
        )

    nodes = tuple(with_judgement(node) if node.id == judged.id else node for node in saved.nodes)
    return replace(saved, nodes=nodes, disposable=False)


def annotated(saved: SavedGame, number: int, notes: Notes) -> SavedGame:
    """Return the game with these notes on the node `number`. Raise an error if an arrow is not between cells."""
    node_of(saved, number)
    known = {place.name for place in tabletop_of(first_board(saved)).places}
    for cell in (cell for arrow in notes.arrows for cell in arrow):
        if cell not in known:
            raise OutflankError(f"this board has no cell {cell!r}")
    return with_notes(saved, {number: notes})


def with_notes(saved: SavedGame, notes: Mapping[int, Notes]) -> SavedGame:
    """Return the game with the notes `notes` on the nodes with these numbers, as far as they are shown: comments up to
    a greatest length, and a greatest number of arrows."""

    def with_those_of(node: Node) -> Node:
        if node.id not in notes:
            return node
        comment = CONTROL.sub(" ", notes[node.id].comment).strip()[:MOST_COMMENT]
        return replace(node, comment=comment, arrows=tuple(dict.fromkeys(notes[node.id].arrows))[:MOST_ARROWS])

    return replace(saved, nodes=tuple(map(with_those_of, saved.nodes)), disposable=False)


MOST_BOARDS = 32


def first_board(saved: SavedGame) -> Board:
    """Return the board at the start of a game."""
    return Board.from_text(saved.start, game=saved.game, **saved.rules)


class Boards:
    """Cache of the last used boards of one game. Node numbers are not used twice, so a node's board never changes."""

    def __init__(self) -> None:
        self._boards: OrderedDict[int, Board] = OrderedDict()

    def at(self, saved: SavedGame, number: int) -> Board:
        """Return the board of a node, with its history. The caller must not change it."""
        board = self._boards.get(number)
        if board is None:
            path = path_to(saved, number)
            known_path = list(path)
            while known_path and known_path[-1].id not in self._boards:
                known_path.pop()
            board = self._boards[known_path[-1].id].copy() if known_path else first_board(saved)
            for node in path[max(len(known_path), 1) :]:
                board.push(node.move)
        self._boards[number] = board
        self._boards.move_to_end(number)
        while len(self._boards) > MOST_BOARDS:
            self._boards.popitem(last=False)
        return board
