"""Recognition of pasted text without a stated format.

A text that fits several games belongs to the first of these games, unless the game is given. The package's own games
are always tried; other games only if they are given or named in the text: `connect-four: …`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from outflank.errors import FormatError, IllegalMove, InvalidOption, OutflankError
from outflank.formats.bounds import count_game
from outflank.formats.drawn_boards import read_drawing, without_colours
from outflank.formats.files import without_comment
from outflank.formats.move_lists import read_moves, read_moves_from
from outflank.formats.movetext import MoveText, read_movetext, split_movetexts
from outflank.formats.numbered import read_numbered
from outflank.formats.setup import Setup
from outflank.games.description import OWN_GAMES, GameDescription, RuleOptions, description_of, game_named

FIRST_MOVE = r"(?:\d{1,3}\s*+[.)]\s*+(?:\.\.)?+)?+\s*+([a-z][1-9])"
"""The beginning of a list of moves in most games."""

COMMENT = "#%;"
"""The first characters of comment lines in a script."""

_named = re.compile(r"\s*([a-z][a-z0-9-]+):")


def read(text: str, *, game: str | None = None, **options: object) -> Setup:
    """Return the position or game in `text`, the first if there are several.

    `game` decides between several games, and so does an option that only one game has (`size`, `layout`); options say
    where lists of moves start.

    >>> read("a1b2").format, read("c4c3", game="othello").format
    ('Abalone game', 'transcript')
    """
    return read_all(text, game=game, **options)[0]


def read_all(text: str, *, game: str | None = None, **options: object) -> list[Setup]:
    """Return all positions and games in `text`: one, or one for each line, game in brackets, or saved game."""
    try:
        return read_written(text, game=game, **options)
    except (FormatError, IllegalMove) as error:
        text = _cleaned(text)
        games = candidates(text, game, _set_options(options))
        known = candidates("", None, {})
        setup = read_drawing(text, games, known)
        if setup is not None:
            return [setup]
        if game is not None:
            _check_game(text, games[0], known)
        raise error from None


def read_written(text: str, *, game: str | None = None, **options: object) -> list[Setup]:
    """Return all positions and games in written, not drawn, text: no line of it may be left out."""
    text, set_options = _cleaned(text), _set_options(options)
    games = candidates(text, game, set_options)
    if not text.strip():
        raise FormatError(f"nothing to read: expected {accepted_forms(games)}")
    return _read_games(text, games, set_options)


def read_script(
    text: str, skipped: Callable[[str], None], *, game: str | None = None, **options: object
) -> list[Setup]:
    """Return all positions and games in `text`, like `read_all`. In a script, which has one position or game on each
    line, unreadable lines are left out, and a message for each is passed to `skipped`.

    >>> text = "-----XO--OX----- X\\n-----XO--OX---- O\\n-----OX--XO----- X"
    >>> [setup.format for setup in read_script(text, lambda message: print(message[:30]))]
    line 2: board line, column 18:
    ['board line', 'board line']
    """
    with suppress(FormatError, IllegalMove):
        return read_written(text, game=game, **options)
    setups: list[Setup] = []
    unread: dict[str, str] = {}
    for number, line in enumerate(_cleaned(text).splitlines(), 1):
        if line.strip() and line.lstrip()[0] not in COMMENT:
            try:
                setups += read_written(line, game=game, **options)
            except (FormatError, IllegalMove) as error:
                unread[f"line {number:,}: {error}"] = line
    # A drawing may have a position or two below it; and the first lines of a list of moves may form a game.
    few = len(setups) <= len(unread)
    if not setups or (few and (any(setup.moves for setup in setups) or _is_drawn(unread.values(), game, options))):
        return read_all(text, game=game, **options)
    for message in unread:
        skipped(message)
    return setups


def _is_drawn(lines: Iterable[str], game: str | None, options: RuleOptions) -> bool:
    """Return whether lines that cannot be read one by one form a position together."""
    try:
        read_all("\n".join(lines), game=game, **options)
    except (FormatError, IllegalMove):
        return False
    return True


def _cleaned(text: str) -> str:
    return without_colours(text.removeprefix("\ufeff"))


def _set_options(options: RuleOptions) -> RuleOptions:
    return {name: value for name, value in options.items() if value is not None}


def candidates(text: str, game: str | None, options: RuleOptions) -> list[GameDescription]:
    """Return the games that a text may belong to."""
    named = _named.match(text)
    if game is None and named is not None and named[1] not in OWN_GAMES:
        try:
            return [game_named(named[1])]
        except OutflankError:
            pass  # some other header
    own = [game_named(game)] if game is not None else [game_named(name) for name in OWN_GAMES]
    known = {name: [entry for entry in own if name in {option.name for option in entry.options}] for name in options}
    for name, supporting in known.items():
        if not supporting:
            raise InvalidOption(f"{name} is no option of {' or '.join(entry.title for entry in own)}")
        own = [entry for entry in own if entry in supporting]
    if not own:
        raise InvalidOption(f"no game has all of {', '.join(options)}")
    return own


def accepted_forms(games: Sequence[GameDescription]) -> str:
    """Return the notations that are accepted for given games, in words."""
    return "; ".join(game.notation.forms or f"{game.name}: and what to_text writes" for game in games)


def _read_games(text: str, games: Sequence[GameDescription], options: RuleOptions) -> list[Setup]:
    stripped = text.strip()
    for game in games:
        setups = read_numbered(stripped, game) or game.notation.positions(stripped)
        if setups:
            return setups
    parts = split_movetexts(stripped)
    if len(parts) > 1:
        return [setup for part in parts for setup in _part(part, games, options)]
    moves = read_movetext(stripped)
    if re.match(FIRST_MOVE, moves.moves.strip(), re.IGNORECASE) or any(game.name not in OWN_GAMES for game in games):
        stated = [game for game in games if any(name in moves.stated_game for name in game.notation.names)]
        return _read_move_games(moves, stated[:1] or games, options)
    raise FormatError.at("position", stripped, 0, accepted_forms(games))


def _part(text: str, games: Sequence[GameDescription], options: RuleOptions) -> list[Setup]:
    """Return the setups of one of several games in a text."""
    count_game()
    return _read_games(text, games, options)


def _check_game(text: str, game: GameDescription, known: Sequence[GameDescription]) -> None:
    """Raise an error if the text is in a notation that only another game has."""
    for other in known:
        try:
            setups = other.notation.positions(text.strip()) if other is not game else None
        except OutflankError:
            continue
        if setups:
            raise FormatError(f"{setups[0].format}: of {other.title}, and {game.title} is asked for")


# --- lists of moves ---


def _read_move_games(movetext: MoveText, games: Sequence[GameDescription], options: RuleOptions) -> list[Setup]:
    """Return moves of one of `games`: one game, or one on each line."""
    if movetext.start is not None:
        return [_from_position(movetext, games)]
    try:
        return [_read_moves(movetext.moves, games, options)]
    except (FormatError, IllegalMove):
        lines = [line for line in movetext.moves.splitlines() if without_comment(line).strip()]
        if len(lines) < 2 or not all(re.match(FIRST_MOVE, line.strip(), re.IGNORECASE) for line in lines):
            raise
        try:
            return [_read_moves(read_movetext(without_comment(line)).moves, games, options) for line in lines]
        except (FormatError, IllegalMove):
            pass
        raise


def _read_moves(text: str, games: Sequence[GameDescription], options: RuleOptions) -> Setup:
    errors: list[tuple[int, OutflankError]] = []
    count_game()
    for game in sorted(games, key=lambda game: -game.notation.claim(text)):
        try:
            return read_moves(game, text, options)
        except (FormatError, IllegalMove) as error:
            errors.append((game.notation.likeness(text), error))
    raise max(errors, key=lambda item: item[0])[1]


def _from_position(movetext: MoveText, games: Sequence[GameDescription]) -> Setup:
    """Return moves from a position in a header."""
    start = _read_games(movetext.start or "", games, {})[0]
    if start.moves:
        raise FormatError(f"the header of the start: expected a position, found {(movetext.start or '')[:40]!r}")
    return read_moves_from(description_of(start.game), movetext.moves, start)
