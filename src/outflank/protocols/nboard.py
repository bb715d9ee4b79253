"""NBoard 2: a player driven by a board that people look at, of any game that is written in GGF.

No line is answered out of turn, and most are not answered at all. While the engine thinks, `ping` is heard and ends the
search: it comes back with what it has, and then the pong goes out.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Unpack

from outflank.boards import Board, Move
from outflank.errors import FormatError, OutflankError
from outflank.games.description import GAMES, GameDescription, description_of, game_named, titles_of_games
from outflank.players.levels import exact_beside
from outflank.players.player import Player
from outflank.protocols.listening import Urgency, cleaned
from outflank.protocols.nboard_clock import NBoardClock
from outflank.protocols.serving import Engine, ServedProtocol
from outflank.search.contract import Limits, Stop
from outflank.search.deepening import iterate
from outflank.search.keywords import PlayerKeywords
from outflank.search.results import Result
from outflank.search.table import Table
from outflank.words import is_count

USUAL_DEPTH, DEEPEST = 12, 60
"""Plies: until the board says otherwise, and at most."""

MOST_HINTS = 60

GGF = ".ggf"
"""The format in which games are told."""

TABLE_BITS = 20
"""32 MiB for hints and analyses, kept from one to the next."""

_ping = re.compile(r"ping +(-?[0-9]+)")


class NBoardEngine(Engine):
    """A game, and the player who thinks about it.

    `make` gives the player for a board and the depth that was set; `seconds` bounds hints, and `options` are those of
    their searches. `game` is the name of the one that is played; None: the first that is written in GGF.
    """

    def __init__(
        self,
        make: Callable[[Board[Any], int | None], Player],
        *,
        game: str | None = None,
        name: str = "outflank",
        seconds: float | None = None,
        **options: Unpack[PlayerKeywords],
    ) -> None:
        super().__init__(_urgency)
        self._make, self._name = make, name
        self._seconds, self._options = seconds, options
        self._board: Board[Any] = _played(game).start()
        self._clock = NBoardClock()
        self._depth: int | None = None
        self._table: Table | None = None
        self._table_for: Any = None
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
        """What can be asked: a function of the rest of the line for each, which yields lines as they become known."""

    def replies(self, line: str) -> Iterator[str]:
        """The answers, each on a line."""
        return (f"{answer}\n" for answer in self.answers(line))

    def refusal(self, line: str, why: str) -> str:
        """A remark: the protocol has no errors."""
        return f"status {why}\n"

    def answers(self, line: str) -> Iterator[str]:
        """The lines that answer a line, as they become known; none to what is not understood."""
        name, _, rest = cleaned(line, comments=False).partition(" ")
        if name not in self.commands:
            return
        try:
            yield from self.commands[name](rest.strip())
        except (OutflankError, ValueError) as error:
            yield f"status {' '.join(str(error).split())}"
        except Exception as error:  # whatever it was, the dialogue goes on
            yield f"status internal error: {type(error).__name__} {' '.join(str(error).split())}"

    # --- the game ---

    def _nboard(self, rest: str) -> Iterator[str]:
        yield f"set myname {self._name}"
        self._prepare()

    def _set(self, rest: str) -> Iterator[str]:
        what, _, value = rest.partition(" ")
        if what == "depth":
            self._depth = _number(value, DEEPEST)
            self._prepare()
        elif what == "game":
            board = self._told_game(value.strip())
            if not board.moves:
                self._ready(board).new_game(board)
            self._board = board
            self._clock.set(value)
        # Contempt is taken note of by nobody: a draw is worth no more and no less than its score.
        yield from ()

    def _move(self, rest: str) -> Iterator[str]:
        text = rest.partition("/")[0]
        board = self._board
        is_pass = text.strip().lower() in ("pa", "pass")
        if not is_pass and board.must_pass:
            board.push(board.legal_moves[0])  # left out, as in most transcripts
        side = board.turn
        board.push(text)
        self._clock.spend(side, rest)
        yield from ()

    def _told_game(self, text: str) -> Board[Any]:
        found = description_of(self._board.game).notation.positions(text) if text.startswith("(") else None
        if not found:
            raise FormatError.at("game", text, 0, "a game in brackets, as GGF has it")
        return Board.from_setup(found[0])

    def _quit(self, rest: str) -> Iterator[str]:
        self._leaving = True
        yield from ()

    def _ping(self, rest: str) -> Iterator[str]:
        if _ping.fullmatch(f"ping {rest}"):
            yield f"pong {rest}"

    # --- thinking ---

    def _go(self, rest: str) -> Iterator[str]:
        if self._board.is_game_over():
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
        # Together: whoever reads is woken once, and the pong that may be waiting is not held up by each line.
        yield f"nodestats {choice.nodes} {seconds:.2f}\n=== {named((choice.move,))}/{worth}/{seconds:.2f}\nstatus"

    def _hint(self, rest: str) -> Iterator[str]:
        wanted = _number(rest or "1", MOST_HINTS)
        if self._board.is_game_over():
            return
        yield f"status {self._name} is analyzing"
        with self._thinking() as stop:
            for result in self._iterations(self._board, stop, wanted):
                if result.depth and not result.stopped:  # a search that was stopped says again what it had said
                    yield from _hints(result)
                    yield f"nodestats {result.nodes} {result.seconds:.2f}"
        yield "status"

    def _analyze(self, rest: str) -> Iterator[str]:
        """The positions of the game from its end to its start: what is found out late helps with what came before."""
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

    def _iterations(self, board: Board[Any], stop: Stop, wanted: int) -> Iterator[Result]:
        depth = self._depth or USUAL_DEPTH
        ending = board.moves_left <= exact_beside(board.game, depth)
        limits = Limits(depth=None if ending else depth, seconds=self._seconds)
        if self._table is None or self._table_for != board.game:
            self._table, self._table_for = Table(TABLE_BITS), board.game
        return iterate(board, limits, stop=stop, table=self._table, moves=wanted, **self._options)

    def _prepare(self) -> None:
        """Now, and not when a move is wanted: a ping is not heard while kernels are loaded, or compiled."""
        self._ready().new_game(self._board)

    def _ready(self, board: Board[Any] | None = None) -> Player:
        """The player for the board, at the depth that was set."""
        wanted, depth = board or self._board, self._depth
        return self._player_for((wanted.game, depth), lambda: self._make(wanted, depth))


def has_ggf(description: GameDescription) -> bool:
    """Whether a game can be told in this protocol."""
    return GGF in description.notation.files


def games_in_ggf() -> str:
    """Those that can, in words."""
    return titles_of_games(has_ggf)


def _played(game: str | None) -> GameDescription:
    if game is not None:
        return game_named(game)
    return next(each for each in GAMES.parts().values() if has_ggf(each))


def named(moves: Iterable[Move]) -> str:
    """Moves in a row, a pass as `PA`."""
    return "".join("PA" if str(move) == "pass" else str(move).upper() for move in moves)


def _hints(result: Result) -> Iterator[str]:
    """A line for each of the best moves; the first has the expected moves behind it."""
    depth = "100%" if result.exact else str(result.depth)
    for entry in result.best:
        line = result.pv if entry.move == result.move else (entry.move,)
        yield f"search {named(line)} {result.scale.number(entry.value):.2f} 0 {depth} {result.nodes} nodes"


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
    engine=lambda wanted: NBoardEngine(wanted.make, game=wanted.game, seconds=wanted.seconds, **wanted.options),
    told_in=GGF,
)
