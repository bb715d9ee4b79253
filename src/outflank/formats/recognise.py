"""What a person pastes, recognised without being told what it is.

What could be of several games is of the first that can have written it, unless the game is given. The package's own
games are always tried; another one is where it is asked for, or where a text names it: `connect-four: …`.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from outflank.errors import FormatError, IllegalMove, InvalidOption, OutflankError
from outflank.formats.bounds import count_game
from outflank.formats.drawing import read_drawing, without_colours
from outflank.formats.lines import without_comment
from outflank.formats.move_lists import read_moves, read_moves_from
from outflank.formats.movetext import MoveText, read_movetext, split_movetexts
from outflank.formats.numbered import read_numbered
from outflank.formats.setup import Setup
from outflank.games.description import OWN_GAMES, GameDescription, description_of, game_named

FIRST_MOVE = r"(?:\d{1,3}\s*+[.)]\s*+(?:\.\.)?+)?+\s*+([a-z][1-9])"
"""How a list of moves of most games begins."""

COMMENT = "#%;"
"""What a line of a script begins with that is no position and no game."""

_named = re.compile(r"\s*([a-z][a-z0-9-]+):")


def read(text: str, *, game: str | None = None, **options: Any) -> Setup:
    """The position or game in `text`, the first if there are several.

    `game` settles what could be of several, and so does an option that only one game has (`size`, `layout`): they
    say where lists of moves start.

    >>> read("a1b2").format, read("c4c3", game="othello").format
    ('Abalone game', 'transcript')
    """
    return read_all(text, game=game, **options)[0]


def read_all(text: str, *, game: str | None = None, **options: Any) -> list[Setup]:
    """All positions and games in `text`: one, or as many as there are lines, games in brackets, or saved games."""
    try:
        return read_written(text, game=game, **options)
    except (FormatError, IllegalMove) as error:
        text = _cleaned(text)
        games = candidates(text, game, _chosen(options))
        known = candidates("", None, {})
        drawn = read_drawing(text, games, known)
        if drawn is not None:
            return [drawn]
        if game is not None:
            _refuse_another_game(text, games[0], known)
        raise error from None


def read_written(text: str, *, game: str | None = None, **options: Any) -> list[Setup]:
    """The same of what is written, and not drawn: no line of it is left out."""
    text, chosen = _cleaned(text), _chosen(options)
    games = candidates(text, game, chosen)
    if not text.strip():
        raise FormatError(f"nothing to read: expected {understood(games)}")
    return _written(text, games, chosen)


def read_script(text: str, wrong: Callable[[str], None], *, game: str | None = None, **options: Any) -> list[Setup]:
    """All positions and games in `text`, as `read_all` has them; of a script, which has one a line, what cannot be read
    is told to `wrong`, a line for each, and left out.

    >>> text = "-----XO--OX----- X\\n-----XO--OX---- O\\n-----OX--XO----- X"
    >>> [setup.format for setup in read_script(text, lambda said: print(said[:30]))]
    line 2: board line, column 18:
    ['board line', 'board line']
    """
    with suppress(FormatError, IllegalMove):
        return read_written(text, game=game, **options)
    found: list[Setup] = []
    unread: dict[str, str] = {}
    for number, line in enumerate(_cleaned(text).splitlines(), 1):
        if line.strip() and line.lstrip()[0] not in COMMENT:
            try:
                found += read_written(line, game=game, **options)
            except (FormatError, IllegalMove) as error:
                unread[f"line {number:,}: {error}"] = line
    # A drawing may have a position or two below it; and the first lines of a list of moves may be a game by themselves.
    few = len(found) <= len(unread)
    if not found or (few and (any(each.moves for each in found) or _is_drawn(unread.values(), game, options))):
        return read_all(text, game=game, **options)
    for said in unread:
        wrong(said)
    return found


def _is_drawn(lines: Iterable[str], game: str | None, options: Mapping[str, Any]) -> bool:
    """Whether lines that cannot be read one by one are a position together."""
    try:
        read_all("\n".join(lines), game=game, **options)
    except (FormatError, IllegalMove):
        return False
    return True


def _cleaned(text: str) -> str:
    return without_colours(text.removeprefix("\ufeff"))


def _chosen(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def candidates(text: str, game: str | None, options: Mapping[str, Any]) -> list[GameDescription]:
    """The games that a text may be of."""
    named = _named.match(text)
    if game is None and named is not None and named[1] not in OWN_GAMES:
        try:
            return [game_named(named[1])]
        except OutflankError:
            pass  # some other header
    own = [game_named(game)] if game is not None else [game_named(name) for name in OWN_GAMES]
    known = {name: [each for each in own if name in {option.name for option in each.options}] for name in options}
    for name, having in known.items():
        if not having:
            raise InvalidOption(f"{name} is no option of {' or '.join(each.title for each in own)}")
        own = [each for each in own if each in having]
    if not own:
        raise InvalidOption(f"no game has all of {', '.join(options)}")
    return own


def understood(games: Sequence[GameDescription]) -> str:
    """What is read as one of some games, in words."""
    return "; ".join(each.notation.forms or f"{each.name}: and what to_text writes" for each in games)


def _written(text: str, games: Sequence[GameDescription], options: Mapping[str, Any]) -> list[Setup]:
    stripped = text.strip()
    for each in games:
        found = read_numbered(stripped, each) or each.notation.positions(stripped)
        if found:
            return found
    parts = split_movetexts(stripped)
    if len(parts) > 1:
        return [setup for each in parts for setup in _part(each, games, options)]
    moves = read_movetext(stripped)
    if re.match(FIRST_MOVE, moves.moves.strip(), re.IGNORECASE) or any(each.name not in OWN_GAMES for each in games):
        meant = [each for each in games if any(name in moves.told_game for name in each.notation.names)]
        return _moves(moves, meant[:1] or games, options)
    raise FormatError.at("position", stripped, 0, understood(games))


def _part(text: str, games: Sequence[GameDescription], options: Mapping[str, Any]) -> list[Setup]:
    """What one of several games in a text says."""
    count_game()
    return _written(text, games, options)


def _refuse_another_game(text: str, game: GameDescription, known: Sequence[GameDescription]) -> None:
    """Say so if the text is of another game, in a notation that only that one has."""
    for other in known:
        try:
            found = other.notation.positions(text.strip()) if other is not game else None
        except OutflankError:
            continue
        if found:
            raise FormatError(f"{found[0].format}: of {other.title}, and {game.title} is asked for")


# --- lists of moves ---


def _moves(told: MoveText, games: Sequence[GameDescription], options: Mapping[str, Any]) -> list[Setup]:
    """Moves of one of some games: one game, or one a line."""
    if told.start is not None:
        return [_from_position(told, games)]
    try:
        return [_read_moves(told.moves, games, options)]
    except (FormatError, IllegalMove):
        lines = [line for line in told.moves.splitlines() if without_comment(line).strip()]
        if len(lines) < 2 or not all(re.match(FIRST_MOVE, line.strip(), re.IGNORECASE) for line in lines):
            raise
        try:
            return [_read_moves(read_movetext(without_comment(line)).moves, games, options) for line in lines]
        except (FormatError, IllegalMove):
            pass
        raise


def _read_moves(text: str, games: Sequence[GameDescription], options: Mapping[str, Any]) -> Setup:
    errors: list[tuple[int, OutflankError]] = []
    count_game()
    for each in sorted(games, key=lambda each: -each.notation.claim(text)):
        try:
            return read_moves(each, text, options)
        except (FormatError, IllegalMove) as error:
            errors.append((each.notation.likeness(text), error))
    raise max(errors, key=lambda each: each[0])[1]


def _from_position(told: MoveText, games: Sequence[GameDescription]) -> Setup:
    """Moves from a position that a header has."""
    start = _written(told.start or "", games, {})[0]
    if start.moves:
        raise FormatError(f"the header of the start: expected a position, found {(told.start or '')[:40]!r}")
    return read_moves_from(description_of(start.game), told.moves, start)
