"""A game as it is kept: a tree of moves, of which one position is shown. Nothing here changes a game: each function
returns another one, so that what could not be written down has not happened."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from outflank.boards import Board
from outflank.documents import Document
from outflank.errors import IllegalMove, OutflankError
from outflank.games.sides import Side
from outflank.ui.web.messages import Node
from outflank.ui.web.requests import Colour, Seats

MOST_NODES = 2000
"""Positions in the tree of one game."""

MOST_NUMBER = 100_000
"""Of a node: numbers are not used twice."""

FIRST = 0
"""The node of the start."""


class Verdict(Struct, frozen=True, kw_only=True):
    """A game that has ended otherwise than by its rules."""

    node: int
    loser: Colour
    reason: str
    """`resigned`, `time`, or why a player could not go on."""


class KeptGame(Document, frozen=True, kw_only=True, tag="outflank/web-game/1"):
    """A game on disk, and in the hands of who plays it."""

    id: str
    game: str
    options: dict[str, int | str]
    """With which it started, for people."""
    rules: dict[str, int | str]
    """Those that `start` does not tell."""
    start: str
    nodes: tuple[Node, ...]
    """Parents before children; of siblings the first is on the main line."""
    node: int = FIRST
    """The one that is shown."""
    next: int = 1
    """The number of the next node."""
    revision: int = 1
    changed: float = 0.0
    seats: Seats = Seats()
    left: tuple[float | None, float | None] = (None, None)
    """What black's and white's clocks have left; None: there is no end of it."""
    live: bool = False
    """Whether it is played at the node that is shown: clocks run, and a computer moves."""
    remark: str = ""
    verdict: Verdict | None = None
    names: tuple[str, str] = ("", "")
    plain: bool = False
    """Whether it was begun from the start of its game: where no move was made, there is nothing to keep."""


def is_untouched(kept: KeptGame) -> bool:
    """Whether no move was ever made in it: another game of the kind is as good as this one."""
    return kept.plain and kept.next == FIRST + 1 and kept.verdict is None


def colour(side: Side) -> Colour:
    """A side as messages have it."""
    return "black" if side is Side.BLACK else "white"


def node_of(kept: KeptGame, number: int) -> Node:
    """The node with this number."""
    for each in kept.nodes:
        if each.id == number:
            return each
    raise OutflankError(f"this game has no node {number}")


def path_to(kept: KeptGame, number: int) -> list[Node]:
    """The nodes from the start to this one, both included."""
    by_number = {each.id: each for each in kept.nodes}
    if number not in by_number:
        raise OutflankError(f"this game has no node {number}")
    path = [by_number[number]]
    while path[-1].parent is not None:
        path.append(by_number[path[-1].parent])
    return path[::-1]


def main_line(kept: KeptGame) -> list[Node]:
    """The nodes of the main line, the start first."""
    first: dict[int | None, Node] = {}
    for each in kept.nodes:
        first.setdefault(each.parent, each)
    line = [first[None]]
    while line[-1].id in first:
        line.append(first[line[-1].id])
    return line


def with_move(kept: KeptGame, board: Board[Any], number: int, text: str) -> KeptGame:
    """With the move that `text` names after a node, whose board this is; it is shown."""
    node = node_of(kept, number)
    if kept.verdict is not None and kept.verdict.node == node.id:
        raise IllegalMove("the game is over")
    move = str(board.parse_move(text))
    there = next((each for each in kept.nodes if each.parent == node.id and each.move == move), None)
    if there is not None:
        return replace(kept, node=there.id, remark="")
    if len(kept.nodes) >= MOST_NODES or kept.next > MOST_NUMBER:
        raise OutflankError(f"a game has {MOST_NODES:,} positions at most: prune it, or begin another one")
    new = Node(id=kept.next, parent=node.id, move=move, side=colour(board.turn))
    return replace(kept, nodes=(*kept.nodes, new), node=new.id, next=kept.next + 1, remark="")


def at_node(kept: KeptGame, number: int) -> KeptGame:
    """Showing another node."""
    return replace(kept, node=node_of(kept, number).id, remark="")


def pruned(kept: KeptGame, number: int) -> KeptGame:
    """Without a node and all that follows it."""
    node = node_of(kept, number)
    if node.parent is None:
        raise OutflankError("the start of a game stays: delete the game instead")
    gone = {number}
    for each in kept.nodes:  # children stand behind their parents
        if each.parent in gone:
            gone.add(each.id)
    verdict = None if kept.verdict is not None and kept.verdict.node in gone else kept.verdict
    return replace(
        kept,
        nodes=tuple(each for each in kept.nodes if each.id not in gone),
        node=node.parent if kept.node in gone else kept.node,
        verdict=verdict,
    )


def promoted(kept: KeptGame, number: int) -> KeptGame:
    """With the line that leads to a node as the main line."""
    nodes = list(kept.nodes)
    for each in path_to(kept, number):
        first = next(index for index, other in enumerate(nodes) if other.parent == each.parent)
        nodes.remove(each)
        nodes.insert(first, each)
    return replace(kept, nodes=tuple(nodes))


def with_judged(kept: KeptGame, judged: Node) -> KeptGame:
    """With what a review found of a node."""
    return replace(kept, nodes=tuple(judged if each.id == judged.id else each for each in kept.nodes))
