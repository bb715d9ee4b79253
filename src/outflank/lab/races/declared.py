"""Races that are accepted by design, as the source declares them where they are.

    value = load(frame, "key", "relaxed")  # race: an old value only makes the window wider

The comment stands at the end of a line of the statement, or on lines of its own right above it; what follows it
there belongs to the reason. Of a statement with a body, only the head is meant.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2]
FOLDERS = ("kernels", "games", "search", "parallel")
"""Where declarations are looked for that no race was seen at."""

MARK = re.compile(r"#\s*race:\s*(.*\S)")


@dataclass(frozen=True, slots=True, order=True)
class SourceLine:
    """A line of a source file."""

    file: str
    line: int

    def __str__(self) -> str:
        path = Path(self.file)
        inside = path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else Path(*path.parts[-2:])
        return f"{inside.as_posix()}:{self.line}"


@dataclass(frozen=True, slots=True)
class Declaration:
    """A statement at which races are accepted."""

    place: SourceLine
    """Of the comment."""
    reason: str


def declaration_at(place: SourceLine) -> Declaration | None:
    """The declaration of the statement that a line belongs to."""
    return declarations_of(place.file).get(place.line)


def every_declaration() -> list[Declaration]:
    """All of the package's."""
    files = [file for folder in FOLDERS for file in sorted((PACKAGE / folder).rglob("*.py"))]
    found = {one.place: one for file in files for one in declarations_of(str(file)).values()}
    return [found[place] for place in sorted(found)]


@cache
def declarations_of(file: str) -> dict[int, Declaration]:
    """The declarations of a file, by the lines of the statements that they belong to."""
    try:
        source = Path(file).read_text(encoding="utf-8")
    except OSError:  # code without a file declares nothing
        return {}
    comments, alone = _comments(source)
    found: dict[int, Declaration] = {}
    for first, last in _statements(source):
        above = first
        while above - 1 in alone:
            above -= 1
        for line in range(above, last + 1):
            marked = MARK.search(comments.get(line, ""))
            if marked is not None:
                more = (comments[after].lstrip("# ") for after in range(line + 1, first))
                declaration = Declaration(SourceLine(file, line), " ".join([marked[1], *more]))
                found.update(dict.fromkeys(range(first, last + 1), declaration))
                break
    return found


def _comments(source: str) -> tuple[dict[int, str], set[int]]:
    """The comments by line, and the lines that hold nothing else."""
    comments, alone = {}, set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comments[token.start[0]] = token.string
            if not token.line[: token.start[1]].strip():
                alone.add(token.start[0])
    return comments, alone


def _statements(source: str) -> Iterator[tuple[int, int]]:
    """First and last line of each statement; of one with a body, of its head."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            parts: list[ast.AST] = [node]
            if hasattr(node, "body"):
                bodies = (ast.stmt, ast.ExceptHandler, ast.match_case)
                heads = [part for part in ast.iter_child_nodes(node) if not isinstance(part, bodies)]
                parts = [part for head in heads for part in ast.walk(head)]
            ends = [getattr(part, "end_lineno", None) or 0 for part in parts]
            yield node.lineno, max(node.lineno, *ends, 0)
