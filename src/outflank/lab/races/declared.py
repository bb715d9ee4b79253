"""Races that are accepted by design, declared by comments in the source.

    value = load(frame, "key", "relaxed")  # race: an old value only makes the window wider

The comment is at the end of a line of the statement, or on lines of its own directly above the statement. Further
comment lines above the statement continue the reason. If a statement has a body, the comment applies only to its head.
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
FOLDERS = ("kernels", "forkjoin", "games", "search", "parallel")
"""Folders of the package from which `every_declaration` collects declarations."""

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
    """A comment that accepts the races at a statement."""

    place: SourceLine
    """Line of the comment in the source."""
    reason: str


def declaration_at(place: SourceLine) -> Declaration | None:
    """Return the declaration of accepted races at the statement on a source line, or None."""
    return declarations_of(place.file).get(place.line)


def every_declaration() -> list[Declaration]:
    """Return all declarations of accepted races in `FOLDERS`."""
    files = [file for folder in FOLDERS for file in sorted((PACKAGE / folder).rglob("*.py"))]
    by_place = {declaration.place: declaration for file in files for declaration in declarations_of(str(file)).values()}
    return [by_place[place] for place in sorted(by_place)]


@cache
def declarations_of(file: str) -> dict[int, Declaration]:
    """Return the declarations of accepted races in a file, by line number of their statements."""
    try:
        source = Path(file).read_text(encoding="utf-8")
    except OSError:  # the code may have no file
        return {}
    comments, comment_lines = _comments(source)
    declarations: dict[int, Declaration] = {}
    for first, last in _statements(source):
        top = first
        while top - 1 in comment_lines:
            top -= 1
        for line in range(top, last + 1):
            match = MARK.search(comments.get(line, ""))
            if match is not None:
                continuation = (comments[after].lstrip("# ") for after in range(line + 1, first))
                declaration = Declaration(SourceLine(file, line), " ".join([match[1], *continuation]))
                declarations.update(dict.fromkeys(range(first, last + 1), declaration))
                break
    return declarations


def _comments(source: str) -> tuple[dict[int, str], set[int]]:
    """Return the comments by line number, and the lines that hold only a comment."""
    comments, comment_lines = {}, set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comments[token.start[0]] = token.string
            if not token.line[: token.start[1]].strip():
                comment_lines.add(token.start[0])
    return comments, comment_lines


def _statements(source: str) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of each statement. For a statement with a body, only the head counts."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            parts: list[ast.AST] = [node]
            if hasattr(node, "body"):
                bodies = (ast.stmt, ast.ExceptHandler, ast.match_case)
                heads = [part for part in ast.iter_child_nodes(node) if not isinstance(part, bodies)]
                parts = [part for head in heads for part in ast.walk(head)]
            ends = [getattr(part, "end_lineno", None) or 0 for part in parts]
            yield node.lineno, max(node.lineno, *ends, 0)
