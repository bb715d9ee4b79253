"""Reads pasted text whose format is not stated, and returns its games and positions as records.

A text that fits several games (Othello, Abalone, …) belongs to the first of them, unless the game is given. The
package's own games are always tried. Other games are tried only if they are given or the text names them
(`connect-four: …`). A game's modules are imported only for a text that may belong to it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from outflank.errors import FormatError, IllegalMove, InvalidOption, OutflankError
from outflank.formats.bounds import count_game
from outflank.formats.drawn_boards import read_drawing, without_colours
from outflank.formats.files import without_comment
from outflank.formats.game_record import Record, Setup, refuse_options
from outflank.formats.movetext import (
    MoveText,
    bracketed_headers,
    read_moves,
    read_moves_from,
    read_movetext,
    split_movetexts,
    with_headers,
)
from outflank.formats.numbered import read_numbered
from outflank.games.description import (
    OWN_GAMES,
    GameDescription,
    RuleOptions,
    claimants,
    description_of,
    game_named,
    is_stated,
)

FIRST_MOVE = r"(?:\d{1,3}\s*+[.)]\s*+(?:\.\.)?+)?+\s*+([a-z][1-9])"
"""Pattern of the first move of a list of moves in most games, with or without its number."""

COMMENT = "#%;"
"""Characters that begin a comment line in a text with one position or game on each line."""

_named = re.compile(r"\s*([a-z][a-z0-9-]+):")

SkipCallback = Callable[[str], None]
"""Function that receives a message for each part of a text that cannot be read and is skipped."""


def read(text: str, *, game: str | None = None, **options: object) -> Setup:
    """Return the first position or game in `text`, without the players' names.

    `game` selects among several games that the text fits, and so does an option that only one game has (`size`,
    `layout`). Options determine the position from which a list of moves starts.

    >>> read("a1b2").format, read("c4c3", game="othello").format
    ('Abalone game', 'transcript')
    """
    return read_all(text, game=game, **options)[0].setup


def records_in_text(
    text: str, game: str | None, options: RuleOptions, on_skip: SkipCallback | None = None
) -> list[Record]:
    """Return the records of `read_all`, or of `read_script` if `on_skip` is given. If `text` can be read only without
    the options, the error names the option that the text's game lacks."""
    try:
        if on_skip is not None:
            return read_script(text, on_skip, game=game, **options)
        return read_all(text, game=game, **options)
    except OutflankError:
        if game is None and options:
            with suppress(FormatError, IllegalMove):
                refuse_options(description_of(read_all(text)[0].start.game), options)
        raise


def read_all(text: str, *, game: str | None = None, **options: object) -> list[Record]:
    """Return all positions and games in `text`, which may be one per line, games in brackets, or saved games."""
    text, set_options = _cleaned(text), _set_options(options)
    games = candidates(text, game, set_options)
    error: FormatError | IllegalMove | None = None
    try:
        if records := _read_games(text, games, set_options):
            return records
    except (FormatError, IllegalMove) as refusal:
        error = refusal
    setup = read_drawing(text, games)
    if setup is not None:
        return [with_headers(Record(start=setup), bracketed_headers(text))]
    if game is not None:
        _check_game(text, game_named(game))
    raise error or _unrecognised(text, games)


def read_written(text: str, *, game: str | None = None, **options: object) -> list[Record]:
    """Return all positions and games in `text`. Drawn boards are not accepted, and every line must be readable."""
    text, set_options = _cleaned(text), _set_options(options)
    return _read_or_refuse(text, candidates(text, game, set_options), set_options)


def read_script(text: str, skipped: SkipCallback, *, game: str | None = None, **options: object) -> list[Record]:
    """Return all positions and games in `text`, like `read_all`. In a script, which has one position or game on each
    line, unreadable lines are left out, and `skipped` receives a message for each.

    >>> text = "-----XO--OX----- X\\n-----XO--OX---- O\\n-----OX--XO----- X"
    >>> [record.start.format for record in read_script(text, lambda message: print(message[:30]))]
    line 2: board line, column 18:
    ['board line', 'board line']
    """
    with suppress(FormatError, IllegalMove):
        return read_written(text, game=game, **options)
    records: list[Record] = []
    unread: dict[str, str] = {}
    for number, line in enumerate(_cleaned(text).splitlines(), 1):
        if line.strip() and line.lstrip()[0] not in COMMENT:
            try:
                records += read_written(line, game=game, **options)
            except (FormatError, IllegalMove) as error:
                unread[f"line {number:,}: {error}"] = line
    # A drawing may have a readable line or two below it, and the first lines of one list of moves may form a game.
    few = len(records) <= len(unread)
    if not records or (few and (any(record.moves for record in records) or _is_drawn(unread.values(), game, options))):
        return read_all(text, game=game, **options)
    for message in unread:
        skipped(message)
    return records


def _is_drawn(lines: Iterable[str], game: str | None, options: RuleOptions) -> bool:
    """Return whether lines that cannot be read one by one form a position or game together."""
    try:
        read_all("\n".join(lines), game=game, **options)
    except (FormatError, IllegalMove):
        return False
    return True


def _cleaned(text: str) -> str:
    return without_colours(text.removeprefix("\ufeff"))


def _set_options(options: RuleOptions) -> RuleOptions:
    return {name: value for name, value in options.items() if value is not None}


def candidates(text: str, game: str | None, options: RuleOptions) -> list[str]:
    """Return the names of the games that a text may belong to."""
    named = _named.match(text)
    if game is None and named is not None and named[1] not in OWN_GAMES:
        with suppress(OutflankError):  # the header is no game's name
            return [game_named(named[1]).name]
    games = [game_named(game).name] if game is not None else list(OWN_GAMES)
    known = {name: [entry for entry in games if game_named(entry).variants.option(name)] for name in options}
    for name, supporting in known.items():
        if not supporting:
            raise InvalidOption(f"{name} is no option of {' or '.join(game_named(entry).title for entry in games)}")
        games = [entry for entry in games if entry in supporting]
    if not games:
        raise InvalidOption(f"no game has all of {', '.join(options)}")
    return games


def accepted_forms(games: Sequence[GameDescription]) -> str:
    """Return a text that lists the notations accepted for these games."""
    return "; ".join(game.notation.forms or f"{game.name}: and what to_text writes" for game in games)


def _unrecognised(text: str, games: Sequence[str]) -> FormatError:
    forms = accepted_forms([game_named(name) for name in games])
    if not text.strip():
        return FormatError(f"nothing to read: expected {forms}")
    return FormatError.at("position", text.strip(), 0, forms)


def _read_or_refuse(text: str, games: Sequence[str], options: RuleOptions) -> list[Record]:
    records = _read_games(text, games, options)
    if not records:
        raise _unrecognised(text, games)
    return records


def _read_games(text: str, games: Sequence[str], options: RuleOptions) -> list[Record]:
    """Return the records in a text, apart from drawings; an empty list if it begins like no known notation."""
    stripped = text.strip()
    if not stripped:
        return []
    for game in claimants(games, stripped):
        numbered = read_numbered(stripped, game)
        records = [Record(start=setup) for setup in numbered] if numbered else game.notation.positions(stripped)
        if records:
            return records
    parts = split_movetexts(stripped)
    if len(parts) > 1:
        records = []
        for part in parts:
            count_game()
            records += _read_or_refuse(part, games, options)
        return records
    moves = read_movetext(stripped)
    if not re.match(FIRST_MOVE, moves.moves.strip(), re.IGNORECASE) and set(games) <= set(OWN_GAMES):
        return []
    stated = [name for name in games if is_stated(name, moves.stated_game)]
    records = _read_move_games(moves, stated[:1] or games, options)
    return records if len(records) > 1 else [with_headers(records[0], moves.headers)]


def _check_game(text: str, game: GameDescription) -> None:
    """Raise an error if the text is in a notation that only another of the package's games has."""
    for other in map(game_named, OWN_GAMES):
        try:
            records = other.notation.positions(text.strip()) if other is not game else None
        except OutflankError:
            continue
        if records:
            raise FormatError(f"{records[0].start.format}: of {other.title}, and {game.title} is asked for")


# --- lists of moves ---


def _read_move_games(movetext: MoveText, games: Sequence[str], options: RuleOptions) -> list[Record]:
    """Return the records of lists of moves of one of `games`: one game, or one on each line."""
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


def _read_moves(text: str, games: Sequence[str], options: RuleOptions) -> Record:
    errors: list[tuple[int, OutflankError]] = []
    count_game()
    for game in _by_claim(text, games):
        try:
            return read_moves(game, text, options)
        except (FormatError, IllegalMove) as error:
            errors.append((game.notation.likeness(text), error))
    raise max(errors, key=lambda item: item[0])[1]


def _by_claim(text: str, games: Sequence[str]) -> Iterator[GameDescription]:
    """Yield the games in the order in which a list of moves is tried with them: first the games with its notation."""
    others = []
    for game in map(game_named, games):
        if game.notation.claim(text):
            yield game
        else:
            others.append(game)
    yield from others


def _from_position(movetext: MoveText, games: Sequence[str]) -> Record:
    """Return the record of a list of moves that starts from a position in a header."""
    start = _read_or_refuse(movetext.start or "", games, {})[0]
    if start.moves:
        raise FormatError(f"the header of the start: expected a position, found {(movetext.start or '')[:40]!r}")
    return read_moves_from(description_of(start.start.game), movetext.moves, start.start)
