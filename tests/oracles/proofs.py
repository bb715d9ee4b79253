"""Whether a strategy holds a bound, on dictionaries of squares: the same walk as the checker's, by the definition."""

from collections.abc import Iterator, Mapping, Sequence

from tests.oracles import othello

Key = int


def images(size: int, discs: othello.Discs) -> Iterator[othello.Discs]:
    for _ in range(4):
        discs = {(size - 1 - y, x): disc for (x, y), disc in discs.items()}
        yield discs
        yield {(y, x): disc for (x, y), disc in discs.items()}


def number(size: int, discs: othello.Discs) -> Key:
    """A board in base 3, the first square being the last digit; the side to move is X, and 1."""
    squares = [(x, y) for y in range(size) for x in range(size)]
    return sum(3**place * "-XO".index(discs.get(square, "-")) for place, square in enumerate(squares))


def key(size: int, discs: othello.Discs) -> Key:
    """Of boards of up to 40 squares."""
    return min(number(size, image) for image in images(size, discs))


def handed_over(discs: othello.Discs) -> othello.Discs:
    return {square: othello.other(disc) for square, disc in discs.items()}


class Wrong(Exception):
    """The strategy does not hold."""


class Walk:
    """A strategy followed to its end."""

    def __init__(self, size: int, *, empties_won: bool, bound: int, leaf: int, moves: Mapping[int, Sequence[int]]):
        self.size, self.empties_won, self.bound, self.leaf, self.moves = size, empties_won, bound, leaf, moves
        self.levels: dict[int, dict[tuple[bool, Key], othello.Discs]] = {}

    def reach(self, discs: othello.Discs, mine: bool) -> None:
        legal = othello.moves(self.size, discs, "X")
        if legal == [None]:
            discs, mine = handed_over(discs), not mine
        if not legal:
            won = othello.score(self.size, discs, "X", winner_takes_empties=self.empties_won)
            if (won if mine else -won) < self.bound:
                raise Wrong("a game is lost")
            return
        standing = min(images(self.size, discs), key=lambda image: number(self.size, image))
        left = self.size**2 - len(discs)
        self.levels.setdefault(left, {})[mine, number(self.size, standing)] = standing

    def value(self, discs: othello.Discs) -> int:
        legal = othello.moves(self.size, discs, "X")
        if not legal:
            return othello.score(self.size, discs, "X", winner_takes_empties=self.empties_won)
        return max(-self.value(handed_over(othello.play(self.size, discs, "X", move))) for move in legal)

    def check(self, discs: othello.Discs, mine: bool) -> None:
        """Nothing, or `Wrong`."""
        self.reach(discs, mine)
        for left in range(self.size**2, -1, -1):
            level = self.levels.get(left, {})
            if left <= self.leaf:
                for (own, _), each in level.items():
                    value = self.value(each)
                    if (value if own else -value) < self.bound:
                        raise Wrong("a leaf is lost")
                continue
            own = sorted(number for mine, number in level if mine)
            chosen = self.moves.get(left, ())
            if len(chosen) != len(own):
                raise Wrong("not as many moves as positions")
            edge = (8 - self.size) // 2
            for number_, move in zip(own, chosen, strict=True):
                each, square = level[True, number_], (move % 8 - edge, move // 8 - edge)
                if square not in othello.moves(self.size, each, "X"):
                    raise Wrong("an illegal move")
                self.reach(handed_over(othello.play(self.size, each, "X", square)), False)
            for (mine, _), each in level.items():
                if not mine:
                    for answer in othello.moves(self.size, each, "X"):
                        self.reach(handed_over(othello.play(self.size, each, "X", answer)), True)
        if any(len(chosen) for left, chosen in self.moves.items() if left <= self.leaf):
            raise Wrong("moves that no position has")
