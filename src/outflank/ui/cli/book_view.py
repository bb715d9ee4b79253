"""The view of a book's tree in a terminal."""

from collections.abc import Iterator

from outflank.books.book import Book
from outflank.books.trees import Branch

TEE, LAST, BAR, GAP = "├ ", "└ ", "│ ", "  "
VALUE, COUNT = 8, 10


def tree_lines(book: Book, branches: list[Branch], width: int) -> Iterator[str]:
    """Yield the lines of a tree, none wider than the terminal: the move, its value, and the counts below it."""
    labels = [label for label, branch in _rows(branches, "") if not isinstance(branch, list)]
    room = min(max(map(len, labels)), width - VALUE - 3 * COUNT)
    played = any(branch.games for _, branch in _rows(branches, "") if isinstance(branch, Branch))
    headings = ["positions", "depth", *(["games"] if played else [])]
    yield _cut(f"{'':{room}}{book.scale.unit:>{VALUE}}" + "".join(f"{head:>{COUNT}}" for head in headings), width)
    for label, branch in _rows(branches, ""):
        if isinstance(branch, list):
            others = ", ".join(f"{other.move} {_value(book, other)}" for other in branch)
            yield _cut(f"{label}{others}", width)
            continue
        line = f"{label:{room}}{_value(book, branch):>{VALUE}}"
        if branch.same_as is not None:
            line += f"  = {branch.same_as}"
        else:
            counts = [branch.positions, branch.depth or 0, *([branch.games] if played else [])]
            line += "".join(f"{count:>{COUNT},}" for count in counts)
        yield _cut(line, width)


def _rows(branches: list[Branch], indent: str) -> Iterator[tuple[str, Branch | list[Branch]]]:
    """Yield the label and content of each line: a move that the book follows, or all other moves of a position."""
    followed = [branch for branch in branches if branch.is_home or branch.same_as is not None]
    others = [branch for branch in branches if not (branch.is_home or branch.same_as is not None)]
    for number, branch in enumerate(followed, 1):
        last = number == len(followed) and not others
        yield f"{indent}{LAST if last else TEE}{branch.move}", branch
        yield from _rows(branch.branches, indent + (GAP if last else BAR))
    if others:
        yield f"{indent}{LAST}also ", others


def _value(book: Book, branch: Branch) -> str:
    decimals = 0 if book.scale.is_final(branch.value) else book.scale.decimals
    return f"{book.scale.number(branch.value):+.{decimals}f}"


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: width - 1]}…"
