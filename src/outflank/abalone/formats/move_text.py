"""Reading and writing of Abalone moves as text, in the notations of the programs Aba-Pro and Nacre.

A move along its line is written as the rear marble's cell and its target, `A1B2`. A side step is written as both ends
of the line and the target of the first marble, `C3C5D4` (Aba-Pro), or as the first marble and the target of the last
one, `C3D6` (Nacre). Two neighbouring cells always mean a move along a line.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import product

import numpy as np

from outflank.abalone.geometry import DIRECTIONS, SPIRAL, Cell, cell_name, cells, on_board, stepped
from outflank.abalone.layouts import RULES, start
from outflank.abalone.rules import (
    MARBLES,
    SIDEWAYS,
    Abalone,
    AbalonePosition,
    Kind,
    cell_of,
    direction_of,
    encoded,
    kind_of,
)
from outflank.errors import FormatError, IllegalMove, place_in
from outflank.formats.game_record import Record, Setup
from outflank.formats.replay import NO_MOVE, Replay, played_record, replay
from outflank.games.rules import MOVE, fill, most_moves, play

NAME = "Abalone move"
GAME = "Abalone game"

_cell = re.compile(r"[A-I][1-9]", re.IGNORECASE)


def ends(move: int) -> tuple[Cell, Cell, int]:
    """Return the cells of the first and the last marble of a move's line, and the direction in which the line steps."""
    cell, kind, line = int(cell_of(move)), int(kind_of(move)), int(direction_of(move))
    if not (0 <= cell < len(SPIRAL) and 0 <= kind < len(MARBLES) and 0 <= line < 6):
        raise FormatError(f"{move} is no move of Abalone")
    first = SPIRAL[cell]
    last = stepped(first, line, int(MARBLES[kind]) - 1)
    return first, last, (line + int(SIDEWAYS[kind])) % 6


def write_move(move: int) -> str:
    """Return the move in the notation of Aba-Pro."""
    first, last, step = ends(move)
    goal = cell_name(stepped(first, step))
    if SIDEWAYS[kind_of(move)] == 0:
        return cell_name(first) + goal
    return cell_name(first) + cell_name(last) + goal


def write_nacre(move: int) -> str:
    """Return the move in the notation of Nacre.

    A line can be named from either end, but the text is unambiguous only if it begins with the rear marble of the move
    code. From the other end, a side step of two marbles would read as a move along a line, and a side step of three
    marbles as a side step of two.
    """
    first, last, step = ends(move)
    if SIDEWAYS[kind_of(move)] == 0:
        return write_move(move)
    return cell_name(first) + cell_name(stepped(last, step))


def read_move(game: Abalone, position: AbalonePosition, text: str) -> int:
    """Return the legal move that `text` names, in either notation and in upper or lower case."""
    buffer = np.zeros(most_moves(game), MOVE)
    legal = {int(move) for move in buffer[: fill(game, position, buffer, 0)]}
    for move in meanings(text):
        if move in legal:
            return move
    raise IllegalMove(f"{text.strip()!r} is not a legal move here{_illegal_reason(position, _cells(text))}")


@lru_cache(4096)
def meanings(text: str) -> tuple[int, ...]:
    """Return all moves that `text` can mean. In a position, the text means the first of these moves that is legal."""
    return _meanings().get(_cells(text), ())


def read_abalone_game(text: str, layout: str = "standard") -> Record:
    """Return the game that `text` lists from the start of `layout`; it may contain move numbers."""
    return read_abalone_moves(text, Setup(format=GAME, game=RULES, position=start(layout)))


def read_abalone_moves(text: str, first: Setup) -> Record:
    """Return the game that consists of the moves in `text`, starting from the position `first`."""
    words: list[str] = []
    places: list[int] = []
    unreadable: FormatError | None = None
    for word, place in _words(text):
        words.append(word)
        places.append(place)
        try:
            meanings(word)
        except FormatError as error:
            unreadable = error
            break
    try:
        played = replay_words(first, words[:-1] if unreadable else words)
        if unreadable:
            raise MoveRefused(len(words) - 1, unreadable)
    except MoveRefused as refusal:
        where = f"{GAME}, {place_in(text, places[refusal.index])}, move {refusal.index + 1}"
        raise type(refusal.why)(f"{where}: {refusal.why}") from None
    return played_record(replace(first, format=GAME), played)


class MoveRefused(Exception):
    """Raised for an illegal move of a list; `index` is its place in the list."""

    def __init__(self, index: int, why: FormatError | IllegalMove) -> None:
        super().__init__(index, why)
        self.index, self.why = index, why


def replay_words(first: Setup, words: Sequence[str]) -> Replay:
    """Return the game after the moves `words`; raise `MoveRefused` at an illegal move. All words must be readable."""
    codes = [meanings(word) for word in words]
    candidates = np.full((len(words), max(map(len, codes), default=1) or 1), NO_MOVE, MOVE)
    for row, move_codes in enumerate(codes):
        candidates[row, : len(move_codes)] = move_codes
    played = replay(first.game, first.position, first.turn, candidates)
    if played.rows < len(words):
        position = first.position
        for code in played.codes:
            position = play(first.game, position, code)
        try:
            read_move(first.game, position, words[played.rows])
        except (FormatError, IllegalMove) as error:
            raise MoveRefused(played.rows, error) from None
    return played


def _words(text: str) -> Iterator[tuple[str, int]]:
    for word in re.finditer(r"[^\s,;]+", text):
        numbered = re.match(r"\d{1,3}[.)](\.\.)?", word[0])
        skip = numbered.end() if numbered else 0
        if word[0][skip:]:
            yield word[0][skip:], word.start() + skip


def _cells(text: str) -> tuple[Cell, ...]:
    """Return the two or three cells that a move's text names, with or without dashes between them."""
    stripped = re.sub(r"(?<=\d)-(?=[A-I])", "", text.strip(), flags=re.IGNORECASE)
    named: list[Cell] = []
    for place in range(0, max(len(stripped), 1), 2):
        match = _cell.fullmatch(stripped[place : place + 2])
        cell = ("ABCDEFGHI".index(match[0][0].upper()), int(match[0][1]) - 1) if match else None
        if cell is None or not on_board(cell) or len(named) == 3:
            raise FormatError.at(NAME, stripped, place, "two or three cells, like A1B2 or C3C5D4")
        named.append(cell)
    if len(named) < 2:
        raise FormatError.at(NAME, stripped, len(stripped), "two or three cells, like A1B2 or C3C5D4")
    return tuple(named)


@cache
def _meanings() -> dict[tuple[Cell, ...], tuple[int, ...]]:
    from_rear: defaultdict[tuple[Cell, ...], list[int]] = defaultdict(list)
    from_front: defaultdict[tuple[Cell, ...], list[int]] = defaultdict(list)
    for kind, cell, direction in product(Kind, range(len(SPIRAL)), range(6)):
        move = int(encoded(int(kind), cell, direction))
        first, last, step = ends(move)
        if SIDEWAYS[kind] == 0:
            from_rear[first, stepped(first, step)].append(move)
            continue
        from_rear[first, last, stepped(first, step)].append(move)
        from_rear[first, stepped(last, step)].append(move)
        from_front[last, first, stepped(last, step)].append(move)
        if not _neighbours(last, stepped(first, step)):
            from_front[last, stepped(first, step)].append(move)
    # Nacre's text may also fit a line that is named from its front; naming from the rear takes precedence.
    return {named: (*from_rear[named], *from_front[named]) for named in {**from_rear, **from_front}}


def _neighbours(first: Cell, second: Cell) -> bool:
    return (second[0] - first[0], second[1] - first[1]) in DIRECTIONS


def _illegal_reason(position: AbalonePosition, named: tuple[Cell, ...]) -> str:
    """Return the reason why a move that names these cells is illegal, as text in brackets."""
    own, opp = cells(position.own), cells(position.opp)
    if named[0] not in own:
        return f" ({_not_own(named[0])})"
    codes = _meanings().get(named, ())
    if not codes:
        return " (no line of marbles steps so)"
    reason = _forward_reason if SIDEWAYS[kind_of(codes[0])] == 0 else _side_step_reason
    return f" ({reason(own, opp, codes[0])})"


def _not_own(cell: Cell) -> str:
    return f"{cell_name(cell)} holds no marble of the side to move"


def _side_step_reason(own: set[Cell], opp: set[Cell], move: int) -> str:
    """Return why a side step is illegal: each of its marbles needs an empty cell."""
    first, _, step = ends(move)
    line = [stepped(first, int(direction_of(move)), place) for place in range(int(MARBLES[kind_of(move)]))]
    for cell in line:
        if cell not in own:
            return _not_own(cell) if on_board(cell) else "no line of marbles steps so"
    for cell in line:
        goal = stepped(cell, step)
        if not on_board(goal):
            return f"the marble on {cell_name(cell)} would leave the board"
        if goal in own | opp:
            return f"{cell_name(goal)} is occupied, and a side step pushes nothing"
    return OVER


def _forward_reason(own: set[Cell], opp: set[Cell], move: int) -> str:
    """Return why a move along a line is illegal: at most three marbles move, and they push fewer opposing ones."""
    cell, _, step = ends(move)
    marbles = pushed = 0
    while cell in own:
        marbles, cell = marbles + 1, stepped(cell, step)
    while cell in opp:
        pushed, cell = pushed + 1, stepped(cell, step)
    if marbles > MOST_MARBLES:
        return f"{marbles} marbles stand in line there, and {MOST_MARBLES} move at most"
    if pushed == 0 and not on_board(cell):
        return "a marble of the side to move would leave the board"
    if pushed >= marbles:
        return f"{_counted(marbles)} cannot push {_counted(pushed)}"
    if cell in own:
        return f"{cell_name(cell)} is occupied, behind what would be pushed"
    return OVER


OVER = "the game is over"
MOST_MARBLES = 3


def _counted(marbles: int) -> str:
    return "1 marble" if marbles == 1 else f"{marbles} marbles"
