"""Openings of a match, from random moves, a list or a file; no two are the same or symmetric to each other."""

import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

from outflank.boards import Board
from outflank.errors import OutflankError, reason_of
from outflank.formats.files import decoded_whole
from outflank.formats.game_files import is_record_file, read_records
from outflank.formats.game_record import Record
from outflank.formats.recognise import read
from outflank.games.description import description_of, titles_of_games
from outflank.games.rules import Game

TRIES = 2000
"""The search for new random openings ends after this many consecutive repetitions of earlier openings."""

EARLY_PLIES = 8000
"""Number of plies that take about a second to play. About this many plies are played to make openings before the first
game. If consecutive random games end too early and have more plies than this, the search for an opening fails."""


def forms() -> str:
    """Return the accepted forms of the option `--openings`, for messages."""
    return (
        f"balanced ({titles_of_games(lambda game: game.play.balanced_openings)}), random:PLIES, layouts[:PLIES] "
        f"({titles_of_games(lambda game: game.variants.starts)}) or FILE[:PLIES]"
    )


class TooFewOpenings(OutflankError):
    """There are fewer different openings than are needed."""


class Openings:
    """Sequence of openings, each a board with its moves; the same text and seed give the same openings.

    `random:8` plays eight random moves. `balanced` takes openings from the game's own list, in which neither side is
    ahead. `layouts:2` plays two random moves, from each of the game's starting layouts in turn. A file holds
    transcripts (XOT), positions or games, one per line or in a format of game files; `FILE:8` takes the first eight
    moves of each. The openings of a list or a file are shuffled.

    >>> few = Openings("random:5", Board.from_text("f5"), seed=1, count=3)
    >>> [few[number].ply for number in range(3)]
    [6, 6, 6]
    """

    def __init__(self, text: str, start: Board, *, seed: int, count: int) -> None:
        self._text, self._start, self._count = text, start, count
        rng = random.Random(f"openings {seed}")
        self._form, plies = _parsed(text)
        self._plies = plies
        if self._form == "random":
            self._source = _random_boards([start], plies or 0, rng)
        elif self._form == "layouts":
            self._source = _random_boards(_layouts(start), plies or 0, rng)
        elif self._form == "balanced":
            self._source = _balanced(start, rng)
        else:
            self._source = _in_file(Path(self._form), start, plies, rng)
        self._is_random = self._form in ("random", "layouts")
        self._drawn: list[Board] = []
        self._seen: set[tuple[int, ...]] = set()
        self._lock = Lock()
        if count:
            early = max(1, EARLY_PLIES // max(plies or 0, 8))
            self[min(count, early) - 1]  # raises an error before the first game if there are too few

    def __getitem__(self, number: int) -> Board:
        """Return a new board with opening `number`; raise an error if there are not enough different openings."""
        wasted = 0  # plies of consecutive random games that ended too early
        with self._lock:
            while len(self._drawn) <= number:
                board = next(self._source, None)
                if board is None:
                    raise self._too_few()
                if board.is_game_over:
                    wasted += len(board.moves)
                    if self._is_random and wasted > EARLY_PLIES:
                        raise OutflankError(
                            f"openings {self._text}: games end before ply {self._plies}; use fewer plies"
                        )
                    continue
                wasted = 0
                key = _key(board)
                if key not in self._seen:
                    self._seen.add(key)
                    self._drawn.append(board)
            return self._drawn[number].copy()

    def samples(self) -> list[Board]:
        """Return at most two of the openings made so far: one from the match's start, and one from another starting
        layout."""
        boards: dict[bool, Board] = {}
        for board in self._drawn:
            first = board.copy()
            while first.moves:
                first.pop()
            boards.setdefault(first == self._start, board)
        return [board.copy() for board in boards.values()]

    def _too_few(self) -> TooFewOpenings:
        more = "more plies give more" if self._is_random else "a longer list has more"
        return TooFewOpenings(
            f"{self._text}: {len(self._drawn)} different openings, but {self._count} are needed for no game to repeat; "
            f"{more}"
        )


def _parsed(text: str) -> tuple[str, int | None]:
    """Return the kind of the openings (or their file's name), and the number of plies."""
    stripped = text.strip()
    if not stripped.isprintable():
        raise OutflankError(f"openings {text!r}: {forms()}")
    match = re.fullmatch(r"(.+?):([0-9]{1,3})", stripped)
    if match and match[1] == "balanced":
        raise OutflankError(f"openings {text!r}: the list `balanced` has whole openings, without a number of plies")
    if match and not os.path.exists(stripped):  # `exists` is False for a name that no file can have
        return match[1], int(match[2])
    if not stripped or stripped == "random":
        raise OutflankError(f"openings {text!r}: {forms()}")
    return stripped, None


def _key(board: Board) -> tuple[int, ...]:
    """Return a key of the position as the side to move sees it. Symmetric positions have the same key."""
    return tuple(int(word) for word in board.canonical().position)


def _random_boards(starts: list[Board], plies: int, rng: random.Random) -> Iterator[Board]:
    """Yield boards after `plies` random moves from each of `starts` in turn, until new positions no longer appear."""
    seen: set[tuple[int, ...]] = set()
    repeats = 0
    while repeats < TRIES:
        for start in starts:
            board = start.copy()
            for _ in range(plies):
                if board.is_game_over:
                    break
                board.push(rng.choice(board.legal_moves))
            key = _key(board)
            repeats = repeats + 1 if key in seen else 0
            seen.add(key)
            yield board
        if not plies:
            return


def _layouts(start: Board) -> list[Board]:
    starts = description_of(start.game).variants.starts
    if not starts:
        raise OutflankError(f"layouts are openings of {titles_of_games(lambda game: game.variants.starts)}")
    return [begin() for begin in starts.values()]


def _balanced(start: Board, rng: random.Random) -> Iterator[Board]:
    """Yield the balanced openings of a game, shuffled."""
    description = description_of(start.game)
    text = None if description.play.balanced_openings is None else description.play.balanced_openings(start)
    if text is None:
        raise OutflankError(
            f"there are no balanced openings from this start of {description.title}: "
            "`outflank book openings` finds some"
        )
    lines = text.splitlines()
    rng.shuffle(lines)
    for board in _boards_in_lines(lines, start, "balanced"):
        yield _under_rules(board, start)


def _in_file(path: Path, start: Board, plies: int | None, rng: random.Random) -> Iterator[Board]:
    """Yield the openings of a file, shuffled.

    The games of a game file are played only when they are needed: to play all 1,127 games of one year takes 17 s.
    """
    try:
        games: list[Board | Record]
        games = list(read_records(path)) if is_record_file(path) else list(_boards_by_line(path, start))
    except OSError as error:
        raise OutflankError(f"openings {str(path)!r}: {reason_of(error)} ({forms()})") from None
    rng.shuffle(games)
    for game in games:
        board = game if isinstance(game, Board) else Board.from_setup(game.setup)
        if not _is_same_game(board.game, start.game):
            raise OutflankError(f"{path}: an opening of another game than the match")
        while plies is not None and len(board.moves) > plies:
            board.pop()
        yield _under_rules(board, start)


def _boards_by_line(path: Path, start: Board) -> Iterator[Board]:
    """Yield a board for each line of a file that is not a game file."""
    return _boards_in_lines(decoded_whole(path.read_bytes()).splitlines(), start, str(path))


def _boards_in_lines(lines: list[str], start: Board, source: str) -> Iterator[Board]:
    """Yield a board for each line that is not empty; errors name the `source` of the lines."""
    description = description_of(start.game)
    options = description.options_at(start)
    for number, line in enumerate(lines, 1):
        words = line.partition("%")[0].partition("#")[0].strip()
        if not words:
            continue
        try:
            yield Board.from_setup(read(words, game=description.name, **options))
        except OutflankError as error:
            raise OutflankError(f"{source}, line {number}: {error}") from None


def _is_same_game(game: Game, match_game: Game) -> bool:
    """Return whether both games have the same kind of moves and boards of the same size."""
    size_of = description_of(match_game).variants.size_of
    return type(game) is type(match_game) and size_of(game) == size_of(match_game)


def _under_rules(board: Board, start: Board) -> Board:
    """Return a board with the moves of `board`, played under the rules of `start`."""
    if board.game == start.game:
        return board
    first = board.copy()
    moves = [first.pop() for _ in board.moves]
    twin = type(start)(start.game, first.position, first.turn, ply=first.ply)
    for move in reversed(moves):
        twin.push(move)
    return twin
