"""NBoard 2 server: a graphical board uses a player, for any game that can be written in GGF.

Lines are answered in order, and most are not answered at all. A `ping` that arrives during a search ends it; the result
so far is sent, then the pong.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Unpack

from outflank.boards import Board, Move
from outflank.errors import FormatError, OutflankError
from outflank.formats.brackets import read_properties, read_remarks
from outflank.games.description import GAMES, GameDescription, description_of, game_named, titles_of_games
from outflank.games.sides import Side
from outflank.players.clock import Clock, Clocks, TimeControl
from outflank.players.player import Player, exact_moves_for_depth
from outflank.protocols.listening import Urgency, cleaned
from outflank.protocols.serving import Engine, ServedProtocol
from outflank.search.keywords import PlayerKeywords
from outflank.search.request import Limits, Stop
from outflank.search.results import Result
from outflank.search.table import Table
from outflank.search.whole_search import iterate
from outflank.validation.text import is_count

_time = re.compile(r"(?:(?:(\d{1,3}):)?(\d{1,4}):)?(\d{1,6}(?:\.\d+)?)", re.ASCII)


class NBoardClock:
    """Time of both sides in the game on the board.

    >>> clock = NBoardClock()
    >>> clock.of(Side.BLACK).left_seconds
    >>> clock.set("(;TI[05:00/00:03]B[F5//60];)")
    >>> clock.of(Side.BLACK).left_seconds, clock.of(Side.WHITE).left_seconds
    (243.0, 300.0)
    """

    def __init__(self) -> None:
        self._clocks: Clocks | None = None

    def set(self, game: str) -> None:
        """Handle `set game`: read the game's clock, if any, and subtract the time that the moves have taken."""
        properties = list(read_properties(game))
        time_text = next((item.values[0] for item in properties if item.name == "TI"), "")
        self._clocks = _clocks(time_text)
        for item in properties:
            if item.name in ("B", "W"):
                self.spend(Side.BLACK if item.name == "B" else Side.WHITE, item.values[0])

    def spend(self, side: Side, move: str) -> None:
        """Subtract the time of a move, as stated in its text `F5/eval/secs`."""
        seconds = read_remarks(move)[1]
        if self._clocks is not None and seconds is not None and seconds >= 0:
            self._clocks.spend(side, seconds)

    def of(self, side: Side) -> Clock:
        """Return the clock that the player of this side sees."""
        return Clock() if self._clocks is None else self._clocks.of(side)


def clock_property(clock: Clock) -> str:
    """Return GGF's property for the time left on a clock, in whole seconds; empty if there is no limit.

    >>> clock_property(Clock(control=TimeControl(game_seconds=300, increment_seconds=2.5), left_seconds=299.4))
    'TI[04:59/00:02]'
    """
    if clock.left_seconds is None:
        return ""
    parts = [max(1, int(clock.left_seconds)), int(clock.control.increment_seconds)]
    return f"TI[{'/'.join(f'{part // 60:02d}:{part % 60:02d}' for part in parts if part)}]"


def _clocks(text: str) -> Clocks | None:
    """Return the clocks for a text like `15:00`, `05:00/00:03/02:00` (time, increment, grace) or seconds alone."""
    seconds = []
    for part in text.split("/")[:2]:
        match = _time.fullmatch(part.strip())
        hours, minutes, rest = (float(group or 0) for group in match.groups()) if match else (0.0, 0.0, 0.0)
        seconds.append(3600 * hours + 60 * minutes + rest)
    if not seconds[0]:
        return None
    return Clocks.alike(TimeControl(game_seconds=seconds[0], increment_seconds=sum(seconds[1:])))


DEFAULT_DEPTH, DEEPEST = 12, 60
"""Search depth until the graphical board sets one, and the largest depth, in plies."""

MOST_HINTS = 60

GGF = ".ggf"
"""Suffix of the file format in which games are sent."""

TABLE_BITS = 20
"""Size, as a binary logarithm, of the transposition table that all hints and analyses share: 32 MiB."""

_ping = re.compile(r"ping +(-?[0-9]+)")


class NBoardEngine(Engine):
    """Engine that answers NBoard commands, with a board and a player.

    `make` returns the player for a board and the depth that was set. `seconds` limits the time of each search for hints
    or analyses, and `options` are options of these searches. `game` is the name of the game; by default, the first game
    that can be written in GGF.
    """

    def __init__(
        self,
        make: Callable[[Board, int | None], Player],
        *,
        game: str | None = None,
        name: str = "outflank",
        seconds: float | None = None,
        **options: Unpack[PlayerKeywords],
    ) -> None:
        super().__init__(_urgency)
        self._make, self._name = make, name
        self._seconds, self._options = seconds, options
        self._board: Board = _description_of_game(game).start()
        self._clock = NBoardClock()
        self._depth: int | None = None
        self._table: Table | None = None
        self._table_for: object = None
        self.commands: dict[str, Callable[[str], Iterator[str]]] = {
            "nboard": self._nboard,
            "set": self._set,
            "move": self._move,
            "hint": self._hint,
            "go": self._go,
            "ping": self._ping,
            "learn": lambda rest: iter(["learned"]),
            "analyze": self._analyze,
            "quit": self._quit,
        }
        """Function of each command, which takes the rest of the line and yields answer lines as they become known."""

    def replies(self, line: str) -> Iterator[str]:
        return (f"{answer}\n" for answer in self.answers(line))

    def refusal(self, line: str, why: str) -> str:
        """Return a status line, since the protocol has no errors."""
        return f"status {why}\n"

    def answers(self, line: str) -> Iterator[str]:
        """Yield the lines that answer a command, as they become known; none for an unknown command."""
        name, _, rest = cleaned(line, comments=False).partition(" ")
        if name not in self.commands:
            return
        try:
            yield from self.commands[name](rest.strip())
        except (OutflankError, ValueError) as error:
            yield f"status {' '.join(str(error).split())}"
        except Exception as error:  # after any error the dialogue goes on
            yield f"status internal error: {type(error).__name__} {' '.join(str(error).split())}"

    # --- the game ---

    def _nboard(self, rest: str) -> Iterator[str]:
        yield f"set myname {self._name}"
        self._prepare()

    def _set(self, rest: str) -> Iterator[str]:
        option, _, value = rest.partition(" ")
        if option == "depth":
            self._depth = _number(value, DEEPEST)
            self._prepare()
        elif option == "game":
            board = self._parse_game(value.strip())
            if not board.moves:
                self._ready(board).new_game(board)
            self._board = board
            self._clock.set(value)
        # Contempt is ignored: a draw is worth no more and no less than its score.
        yield from ()

    def _move(self, rest: str) -> Iterator[str]:
        text = rest.partition("/")[0]
        board = self._board
        is_pass = text.strip().lower() in ("pa", "pass")
        if not is_pass and board.must_pass:
            board.push(board.legal_moves[0])  # a pass that was left out, as in most transcripts
        side = board.turn
        board.push(text)
        self._clock.spend(side, rest)
        yield from ()

    def _parse_game(self, text: str) -> Board:
        records = description_of(self._board.game).notation.positions(text) if text.startswith("(") else None
        if not records:
            raise FormatError.at("game", text, 0, "a game in brackets, as GGF has it")
        return Board.from_setup(records[0].setup)

    def _quit(self, rest: str) -> Iterator[str]:
        self._leaving = True
        yield from ()

    def _ping(self, rest: str) -> Iterator[str]:
        if _ping.fullmatch(f"ping {rest}"):
            yield f"pong {rest}"

    # --- thinking ---

    def _go(self, rest: str) -> Iterator[str]:
        if self._board.is_game_over:
            yield "=== PA"
            return
        yield f"status {self._name} is thinking"
        player = self._ready()
        began = time.perf_counter()
        with self._thinking() as stop:
            choice = player.choose(self._board.copy(), self._clock.of(self._board.turn), stop=stop)
        seconds = time.perf_counter() - began
        score = choice.value_as_score(self._board.game)
        worth = "" if score is None else f"{score:.2f}"
        # Sent together: the reader is woken once, and a waiting pong is not delayed by each line.
        yield f"nodestats {choice.nodes} {seconds:.2f}\n=== {moves_text((choice.move,))}/{worth}/{seconds:.2f}\nstatus"

    def _hint(self, rest: str) -> Iterator[str]:
        count = _number(rest or "1", MOST_HINTS)
        if self._board.is_game_over:
            return
        yield f"status {self._name} is analyzing"
        with self._thinking() as stop:
            for result in self._iterations(self._board, stop, count):
                if result.depth and not result.stopped:  # a stopped search repeats its last result
                    yield from _hints(result)
                    yield f"nodestats {result.nodes} {result.seconds:.2f}"
        yield "status"

    def _analyze(self, rest: str) -> Iterator[str]:
        """Analyse the positions from the game's end to its start, since table entries help with earlier positions."""
        board = self._board.copy()
        yield f"status {self._name} is analyzing the game"
        with self._thinking() as stop:
            while not stop.called:
                *_, last = self._iterations(board, stop, 1)
                if last.value is not None:
                    yield f"analysis {len(board.moves)} {last.scale.number(last.value):.2f}"
                if not board.moves:
                    break
                board.pop()
        yield "status"

    def _iterations(self, board: Board, stop: Stop, count: int) -> Iterator[Result]:
        depth = self._depth or DEFAULT_DEPTH
        ending = board.moves_left <= exact_moves_for_depth(board.game, depth)
        limits = Limits(depth=None if ending else depth, seconds=self._seconds)
        if self._table is None or self._table_for != board.game:
            self._table, self._table_for = Table(TABLE_BITS), board.game
        return iterate(board, limits, stop=stop, table=self._table, moves=count, **self._options)

    def _prepare(self) -> None:
        """Make the player ready before a move is requested, since no ping is noticed while kernels load or compile."""
        self._ready().new_game(self._board)

    def _ready(self, board: Board | None = None) -> Player:
        """Return the player for the board, at the depth that was set."""
        target, depth = board or self._board, self._depth
        return self._player_for((target.game, depth), lambda: self._make(target, depth))


def has_ggf(description: GameDescription) -> bool:
    """Return whether a game can be written in GGF, and so be sent with NBoard."""
    return GGF in description.notation.files


def games_in_ggf() -> str:
    """Return the titles of the games that can be sent with NBoard."""
    return titles_of_games(has_ggf)


def _description_of_game(game: str | None) -> GameDescription:
    if game is not None:
        return game_named(game)
    return next(description for description in GAMES.parts().values() if has_ggf(description))


def moves_text(moves: Iterable[Move]) -> str:
    """Return moves in NBoard's notation, without separators and with a pass as `PA`."""
    return "".join("PA" if str(move) == "pass" else str(move).upper() for move in moves)


def _hints(result: Result) -> Iterator[str]:
    """Yield an NBoard line for each of the best moves; the best move's line continues with the expected moves."""
    depth = "100%" if result.exact else str(result.depth)
    for entry in result.best:
        line = result.pv if entry.move == result.move else (entry.move,)
        yield f"search {moves_text(line)} {result.scale.number(entry.value):.2f} 0 {depth} {result.nodes} nodes"


def _number(text: str, most: int) -> int:
    if not is_count(text):
        raise FormatError(f"{text!r}: a number is expected")
    return min(max(int(text), 1), most)


def _urgency(line: str) -> Urgency:
    text = cleaned(line, comments=False)
    if _ping.fullmatch(text):
        return Urgency.STOPS
    return Urgency.LEAVES if text == "quit" else Urgency.WAITS


NBOARD = ServedProtocol(
    name="nboard",
    about="version 2 of what the board NBoard and its engines speak",
    engine=lambda request: NBoardEngine(request.make, game=request.game, seconds=request.seconds, **request.options),
    told_in=GGF,
)
