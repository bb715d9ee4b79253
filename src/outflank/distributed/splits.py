"""The records of a tree that is divided among nodes: splits, their parts, and where each node is."""

from dataclasses import dataclass, field

WORST = -(1 << 40)


@dataclass(frozen=True, slots=True, kw_only=True)
class Splitting:
    """How the top of a tree is divided."""

    threshold: int
    """Plies left at which a part becomes a job."""
    in_order: bool = False
    """Jamboree: moves that beat their scouts are searched again one after the other, once all scouts are done."""


@dataclass(slots=True, eq=False)
class Split:
    """A position whose moves are searched apart."""

    words: tuple[int, int]
    """The position's."""
    depth: int
    left: int
    """The depth below its moves."""
    ply: int
    alpha: int
    beta: int
    codes: list[int]
    after: list[tuple[int, int]]
    """The words of the positions after its moves."""
    part: "SplitMove | None"
    """Of the split above; None: this is the root."""
    todo: list[int] = field(default_factory=list)
    """Moves, by their places in `codes`, that nobody has taken."""
    again: list[tuple[int, int]] = field(default_factory=list)
    """Moves that beat their scouts, and what they are worth at least."""
    busy: "dict[int, SplitMove]" = field(default_factory=dict)
    done: int = 0
    """Moves whose values are known as far as they were asked for."""
    best: int = WORST
    best_index: int = -1
    line: tuple[int, ...] = ()
    closed: bool = False

    @property
    def above(self) -> "Split | None":
        """The split of which this is a move."""
        return self.part.split if self.part is not None else None


@dataclass(slots=True, eq=False)
class SplitMove:
    """A move of a split that is being searched, with the window that it is asked for, as the split sees it."""

    split: Split
    index: int
    low: int
    high: int
    depth: int
    inside: Split | None = None
    ticket: int = -1


@dataclass(slots=True)
class TreePlace:
    """Where a node is in the tree, and what it has done there."""

    split: Split | None = None
    tried: int = 0
    """How often there was nothing for it nearby, and it looked elsewhere."""
    stolen: int = 0
    """How often it found something there."""
    jobs: int = 0
    own: int = 0
    """Jobs on positions whose surroundings it had searched before."""


class Homes:
    """Which node last searched a position or one above it: its table knows most about it."""

    MOST = 1 << 18
    """Positions remembered. Beyond, all are forgotten: it is a hint, and the next iteration fills it again."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[int, int], int] = {}

    def __getitem__(self, words: tuple[int, int]) -> int | None:
        return self._nodes.get(words)

    def __setitem__(self, words: tuple[int, int], node: int) -> None:
        if len(self._nodes) >= self.MOST:
            self._nodes.clear()
        self._nodes[words] = node
