"""The records of a tree that is divided among nodes: split points, their moves, and the place of each node."""

from dataclasses import dataclass, field

WORST = -(1 << 40)


@dataclass(frozen=True, slots=True, kw_only=True)
class Splitting:
    """How the top of a tree is divided."""

    threshold: int
    """Remaining depth at which a move becomes a job."""
    in_order: bool = False
    """Jamboree: moves that beat their scouts are searched again one after the other, once all scouts are done."""


@dataclass(slots=True, eq=False)
class Split:
    """A split point: a position whose moves are searched separately."""

    words: tuple[int, int]
    """The two words of the position."""
    depth: int
    left: int
    """Depth below the moves."""
    ply: int
    alpha: int
    beta: int
    codes: list[int]
    after: list[tuple[int, int]]
    """Words of the positions after the moves."""
    part: "SplitMove | None"
    """Move of the parent split that leads here; None: this is the root."""
    todo: list[int] = field(default_factory=list)
    """Moves that no node has taken, as indices into `codes`."""
    again: list[tuple[int, int]] = field(default_factory=list)
    """Moves that beat their scouts, with lower bounds of their values."""
    busy: "dict[int, SplitMove]" = field(default_factory=dict)
    done: int = 0
    """Number of moves whose values are known as far as the window needs them."""
    best: int = WORST
    best_index: int = -1
    line: tuple[int, ...] = ()
    closed: bool = False

    @property
    def above(self) -> "Split | None":
        """The parent split; None: this is the root."""
        return self.part.split if self.part is not None else None


@dataclass(slots=True, eq=False)
class SplitMove:
    """A move of a split that is being searched, with its window from the split's point of view."""

    split: Split
    index: int
    low: int
    high: int
    depth: int
    inside: Split | None = None
    ticket: int = -1


@dataclass(slots=True)
class TreePlace:
    """The place of a node in the tree, and its statistics there."""

    split: Split | None = None
    tried: int = 0
    """Steal attempts: how often no split on the node's own path had a move left."""
    stolen: int = 0
    """Successful steals."""
    jobs: int = 0
    home_jobs: int = 0
    """Jobs on positions whose surroundings the node had searched before."""


class Homes:
    """The node that last searched a position or one above it: its table has the most entries about it."""

    MOST = 1 << 18
    """Greatest number of positions. Beyond it all are dropped: they are hints, and the next iteration refills them."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[int, int], int] = {}

    def __getitem__(self, words: tuple[int, int]) -> int | None:
        return self._nodes.get(words)

    def __setitem__(self, words: tuple[int, int], node: int) -> None:
        if len(self._nodes) >= self.MOST:
            self._nodes.clear()
        self._nodes[words] = node
