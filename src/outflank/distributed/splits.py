"""The records of a tree that is divided among nodes: split points, their moves, and each node's place in the tree."""

from dataclasses import dataclass, field

WORST = -(1 << 40)


@dataclass(frozen=True, slots=True, kw_only=True)
class Splitting:
    """How the top of a tree is divided among nodes."""

    threshold: int
    """Remaining depth at which a move becomes a job of one node."""
    in_order: bool = False
    """Whether moves that beat their scouts are searched again one after the other, after all scouts (Jamboree)."""


@dataclass(slots=True, eq=False)
class Split:
    """A split point: a position with moves that are searched separately."""

    words: tuple[int, int]
    """The two words of the packed position."""
    depth: int
    left: int
    """Remaining depth after a move of this split, in plies."""
    ply: int
    alpha: int
    beta: int
    codes: list[int]
    after: list[tuple[int, int]]
    """Words of the packed position after each move."""
    part: "SplitMove | None"
    """Move of the parent split that leads to this position; None for the root."""
    todo: list[int] = field(default_factory=list)
    """Moves that no node has taken yet, as indices into `codes`."""
    again: list[tuple[int, int]] = field(default_factory=list)
    """Moves that beat their scouts, as indices into `codes`, with lower bounds of their values."""
    busy: "dict[int, SplitMove]" = field(default_factory=dict)
    done: int = 0
    """Number of moves that need no further search."""
    best: int = WORST
    best_index: int = -1
    line: tuple[int, ...] = ()
    closed: bool = False

    @property
    def above(self) -> "Split | None":
        """The parent split; None for the root."""
        return self.part.split if self.part is not None else None


@dataclass(slots=True, eq=False)
class SplitMove:
    """A move of a split that is being searched, with its window from the point of view of the split's side to move."""

    split: Split
    index: int
    low: int
    high: int
    depth: int
    inside: Split | None = None
    ticket: int = -1


@dataclass(slots=True)
class TreePlace:
    """The split in which a cluster node takes its next job, with the node's statistics."""

    split: Split | None = None
    tried: int = 0
    """Number of steal attempts. A node steals if the split of its last job and the splits above have no move left."""
    stolen: int = 0
    """Number of successful steals."""
    jobs: int = 0
    home_jobs: int = 0
    """Number of jobs with positions that the same node had searched before, completely or in part."""


class Homes:
    """For each position, the cluster node that last searched it or first took a move of it. The table of this node has
    the most entries for the position."""

    MOST = 1 << 18
    """Number of positions at which all are dropped. The homes are only hints, which the next iteration restores."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[int, int], int] = {}

    def __getitem__(self, words: tuple[int, int]) -> int | None:
        return self._nodes.get(words)

    def __setitem__(self, words: tuple[int, int], node: int) -> None:
        if len(self._nodes) >= self.MOST:
            self._nodes.clear()
        self._nodes[words] = node
