"""Small searches by plain alpha-beta that record every node, to be stepped through move by move.

The recorded search has no table, no deepening and no endgame kernels, so that each of its cut-offs follows from the
values before it. Its moves are in the order of the search's ordering, and its value is that of every other search to
the same depth.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from outflank.boards import Board
from outflank.errors import InvalidOption, OutflankError
from outflank.games.description import description_of
from outflank.games.evaluation import State, begin, value
from outflank.games.rules import Position
from outflank.search.request import Options
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, LOW
from outflank.validation.documents import Count, Document, Number

MOST_DEPTH = 6
"""Maximum depth in plies of a recorded search."""

MOST_NODES = 10_000
"""Maximum number of nodes of a recorded search. Nobody steps through more, and Python takes seconds for them."""

RECORDED = ("minimax", "alphabeta")
"""Algorithms that can be recorded."""


class RecordedNode(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A node, in the order in which nodes were entered. Values are for the node's side to move."""

    parent: Annotated[int, Meta(ge=0)] | None = None
    """Index of the node above; null at the root."""
    move: str = ""
    """Move that leads here; empty at the root."""
    depth: Count
    """Plies left."""
    alpha: Number | None = None
    """Lower end of the window with which the node was entered, in units; null: there is none."""
    beta: Number | None = None
    value: Number | None
    """Value in units; null: a certain win or loss, as `text` says."""
    text: str
    """The value as text."""
    bound: Literal["exact", "lower", "upper"] = "exact"
    """Kind of the value: exact, or a bound outside the window. It is `lower` if `best` reaches beta, and `upper` if no
    move beats alpha. The value of a leaf is exact."""
    best: str = ""
    """Move with this value; the move that cut the node off, if there was a cut-off. Empty at a leaf."""
    pruned: tuple[str, ...] = ()
    """Moves that were not searched, because `best` is worth at least beta."""


class RecordedSearchDocument(Document, frozen=True, kw_only=True, tag="outflank/recorded-search/1"):
    """Every node of a small search by alpha-beta or minimax."""

    game: str
    position: str
    """Position in the game's notation."""
    turn: Literal["black", "white"]
    algorithm: str
    depth: Count
    unit: str
    nodes: Annotated[tuple[RecordedNode, ...], Meta(min_length=1, max_length=MOST_NODES)]


def record_search(board: Board, depth: int, options: Options) -> RecordedSearchDocument:
    """Search `board` by plain alpha-beta or minimax, and return all nodes. Raise an error if there are too many."""
    if options.algorithm not in RECORDED:
        raise InvalidOption(f"{options.algorithm}: a recorded search is by {' or '.join(RECORDED)}")
    if options.exact or options.selectivity < 100:
        raise InvalidOption("a recorded search estimates, and tries every move: neither exact nor selective")
    if depth > MOST_DEPTH:
        raise InvalidOption(f"depth {depth}: a recorded search has a depth of 1 to {MOST_DEPTH}")
    if board.is_game_over:
        raise OutflankError("the game is over here: there is nothing to search")
    recorder = _Recorder(board, options)
    return RecordedSearchDocument(
        game=description_of(board.game).name,
        position=board.to_text(),
        turn=board.turn.value,
        algorithm=options.algorithm,
        depth=depth,
        unit=recorder.root.scale.unit,
        nodes=recorder.nodes_to(depth),
    )


class _Recorder:
    """One search. A node is written when its value is known, at the place where it was entered."""

    def __init__(self, board: Board, options: Options) -> None:
        self.root = Root(board.game, board.position, options)
        self.boards = (board, board.copy())
        self.boards[1].turn = board.turn.other
        self.prunes = options.algorithm != "minimax"
        self.nodes: list[RecordedNode | None] = []

    def nodes_to(self, depth: int) -> tuple[RecordedNode, ...]:
        root = self.root
        self._visit(root.position, begin(root.evaluation, root.game, root.position), None, "", depth, 0, LOW, HIGH)
        return tuple(node for node in self.nodes if node is not None)

    def _visit(
        self,
        position: Position,
        state: State,
        parent: int | None,
        move: str,
        depth: int,
        ply: int,
        alpha: int,
        beta: int,
    ) -> int:
        """Record the search of `position` in the window (alpha, beta), and return its value."""
        place = len(self.nodes)
        if place >= MOST_NODES:
            raise OutflankError(f"this search has more than {MOST_NODES:,} nodes: record it to a smaller depth")
        self.nodes.append(None)
        root, best, best_move, pruned = self.root, LOW, "", tuple[str, ...]()
        if depth > 0:
            root.move_to(position)
        if depth == 0:
            best = int(value(root.evaluation, root.game, position, state))
        elif not root.moves or root.evaluated:
            best = root.leaf_value()
        else:
            moves, left = root.moves, root.depth_below(depth)
            for index, child in enumerate(moves):
                name = self._name(child.code, ply)
                floor = max(alpha, best) if self.prunes else LOW
                result = -self._visit(child.child, child.state, place, name, left, ply + 1, -beta, -floor)
                if result > best or not best_move:
                    best, best_move = result, name
                if self.prunes and best >= beta:
                    pruned = tuple(self._name(later.code, ply) for later in moves[index + 1 :])
                    break
        scale = root.scale
        self.nodes[place] = RecordedNode(
            parent=parent,
            move=move,
            depth=depth,
            alpha=None if alpha <= LOW else scale.in_units(alpha),
            beta=None if beta >= HIGH else scale.in_units(beta),
            value=scale.in_units(best),
            text=scale.text(best, bare=True),
            bound=_bound(best, alpha, beta) if best_move else "exact",
            best=best_move,
            pruned=pruned,
        )
        return best

    def _name(self, code: int, ply: int) -> str:
        return str(self.boards[ply % 2].move(code))


def _bound(result: int, alpha: int, beta: int) -> Literal["exact", "lower", "upper"]:
    """Return what fail-soft alpha-beta promises of its result in the window (alpha, beta)."""
    return "lower" if result >= beta else "upper" if result <= alpha else "exact"
