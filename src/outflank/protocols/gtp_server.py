"""GTP 2 server (Go Text Protocol): other programs use a player, for any game, through commands.

`[id] command arguments` is answered by `=[id] text` or `?[id] error` and an empty line. `outflank-stop` ends a running
search at once, and the end of the input ends it soon; the answer is then the best move so far.
"""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

from outflank import __version__
from outflank.boards import Board, Move
from outflank.errors import OutflankError
from outflank.games.description import GAMES, OWN_GAMES, GameDescription, titles_of_games
from outflank.games.sides import Side
from outflank.players.clock import Clock, TimeControl
from outflank.players.player import Player
from outflank.protocols.gtp_game import CommandRefused, GtpGame, gtp_name, vertex
from outflank.protocols.listening import Urgency, cleaned
from outflank.protocols.serving import Engine, ServedProtocol
from outflank.validation.text import from_words, is_count
from outflank.validation.values import Between, Misfit


@dataclass(slots=True)
class GtpClock:
    """Time of both sides. The controller may send the time left; until it does, the time of each move is subtracted.

    Our clocks have no byo-yomi. While main time lasts, the share of the period for one move counts as an increment. In
    a period, every move gets its share of the time left. Neither rule ever spends more time than there is.

    >>> clock = GtpClock()
    >>> clock.set(60, 30, 10)
    >>> clock.of(Side.BLACK).control, clock.of(Side.BLACK).left_seconds
    (TimeControl(game_seconds=60, increment_seconds=3.0, move_seconds=None), 60)
    >>> clock.tell(Side.BLACK, 20, 4)
    >>> clock.of(Side.BLACK).move_seconds
    5.0
    """

    main: float | None = None
    """Main time in seconds; None if there is no limit."""
    period: float = 0.0
    stones: int = 0
    _left: dict[Side, tuple[float, int]] = field(default_factory=dict)

    def set(self, main: float, period: float, stones: int) -> None:
        """Handle `time_settings`. A period with no moves means no limit, and so do three zeros."""
        unlimited = stones == 0 if period > 0 else main == 0
        self.main = None if unlimited else main
        self.period, self.stones = (period, stones) if period > 0 else (0.0, 0)
        self.restart()

    def restart(self) -> None:
        """Reset both sides' time for a new game."""
        self._left = {} if self.main is None else dict.fromkeys(Side, self._period_after(self.main))

    def tell(self, side: Side, seconds: float, stones: int) -> None:
        """Handle `time_left`: the seconds left of the period if `stones` is positive, else of the main time."""
        self._left[side] = (seconds, stones) if stones else self._period_after(seconds)

    def spend(self, side: Side, seconds: float) -> None:
        """Subtract the time of a move."""
        if side not in self._left:
            return
        left, stones = self._left[side]
        left -= seconds
        if stones == 0:
            self._left[side] = self._period_after(left)
        else:
            self._left[side] = (left, stones - 1) if stones > 1 else (self.period or left, self.stones)

    def of(self, side: Side) -> Clock:
        """Return the clock that the player of this side sees."""
        if side not in self._left:
            return Clock()
        left, stones = self._left[side]
        if stones:
            return Clock(control=TimeControl(move_seconds=left / stones))
        share = self.period / self.stones if self.stones else 0.0
        opponent = self._left.get(side.other)
        return Clock(
            control=TimeControl(game_seconds=self.main or left, increment_seconds=share),
            left_seconds=left,
            opponent_seconds=opponent[0] if opponent else None,
        )

    def _period_after(self, main: float) -> tuple[float, int]:
        """Return the seconds and moves left: the main time, or the first period if the main time is used up."""
        if main <= 0 and self.stones:
            return self.period, self.stones
        return max(main, 0.0), 0


STOP = "outflank-stop"

_line = re.compile(r"(?:([0-9]++)(?: ++|$))?+(\S*+) *+(.*)")
_sides = {"b": Side.BLACK, "black": Side.BLACK, "w": Side.WHITE, "white": Side.WHITE}


class GtpEngine(Engine):
    """Engine that answers GTP commands, with a board and a player.

    `make` returns the player for a board's rules; it is called again whenever the rules change, that is, when the game
    or the board size changes.
    """

    def __init__(self, make: Callable[[Board], Player], *, game: str = OWN_GAMES[0], name: str = "outflank") -> None:
        super().__init__(_urgency)
        self._make, self._name = make, name
        self._game = GtpGame(game)
        self._clock = GtpClock()
        self.commands: dict[str, Callable[[list[str]], str | None]] = {
            "protocol_version": lambda words: "2",
            "name": lambda words: self._name,
            "version": lambda words: __version__,
            "known_command": lambda words: "true" if words and words[0] in self.commands else "false",
            "list_commands": lambda words: "\n".join(self.commands),
            "quit": self._quit,
            "list_games": lambda words: "\n".join(gtp_name(description) for description in GAMES.parts().values()),
            "set_game": self._set_game,
            "boardsize": lambda words: self._game.set_size(_number(words, 0, int)),
            "clear_board": self._clear_board,
            "komi": self._komi,
            "play": self._play,
            "genmove": lambda words: self._choose(words, playing=True),
            "reg_genmove": lambda words: self._choose(words, playing=False),
            "undo": lambda words: self._game.undo(),
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "showboard": self._showboard,
            "final_score": self._final_score,
            "loadsgf": self._loadsgf,
            "loadposition": lambda words: self._game.load(" ".join(words)),
            STOP: lambda words: None,
        }
        """Function of each command, which takes the arguments and returns the text of the answer."""

    def replies(self, line: str) -> Iterator[str]:
        answer = self.answer(line)
        if answer is not None:
            yield answer

    def refusal(self, line: str, reason: str) -> str:
        """Return an error with the id of the line's command."""
        return f"?{_parsed(cleaned(line[:100]))[0]} {reason}\n\n"

    def answer(self, line: str) -> str | None:
        """Return the answer to a line, with the empty line after it; None if the line is empty or a comment."""
        text = cleaned(line)
        if not text:
            return None
        number, name, words = _parsed(text)
        mark = "?"
        try:
            if name not in self.commands:
                raise CommandRefused("unknown command")
            reply = self.commands[name](words) or ""
            mark = "="
        except (CommandRefused, OutflankError) as error:
            reply = " ".join(str(error).split())
        except Exception as error:  # after any error the controller gets an answer and the dialogue goes on
            reply = f"internal error: {type(error).__name__} {' '.join(str(error).split())}"
        space = " " if reply and not reply.startswith("\n") else ""
        return f"{mark}{number}{space}{reply}\n\n"

    def _quit(self, words: list[str]) -> None:
        self._leaving = True

    # --- the game ---

    def _set_game(self, words: list[str]) -> None:
        if not words:
            raise CommandRefused("syntax error")
        if words[0].lower() not in GAMES:
            raise CommandRefused("unsupported game")
        self._game.set_game(words[0].lower(), *words[1:2])

    def _clear_board(self, words: list[str]) -> None:
        self._game.clear()
        self._clock.restart()
        # Done here and not at the first move, because compiling or loading must not run on the clock.
        self._ready().new_game(self._game.board)

    def _komi(self, words: list[str]) -> None:
        _number(words, 0, float, -(10**9))  # only checked: no game here has a komi

    def _loadsgf(self, words: list[str]) -> None:
        if not _has_sgf(self._game.description):
            others = f"SGF is for {titles_of_games(_has_sgf)}; loadposition reads {self._game.description.title}"
            raise CommandRefused(f"cannot load file ({others})")
        if len(words) > 1 and is_count(words[-1]):
            self._game.load(" ".join(words[:-1]), before=_number(words, -1, int))
        else:
            self._game.load(" ".join(words))

    def _showboard(self, words: list[str]) -> str:
        board = self._game.board
        over = board.outcome()
        return f"\n{board}" + (f"\n{over.result}, {over.reason}" if over else "")

    def _final_score(self, words: list[str]) -> str:
        over = self._game.board.outcome()
        if over is None:
            raise CommandRefused("cannot score")
        return "0" if over.winner is None else f"{over.winner.value[0].upper()}+{abs(over.score)}"

    # --- moves ---

    def _play(self, words: list[str]) -> None:
        side = _side(words)
        if len(words) != 2:
            raise CommandRefused("syntax error")
        self._game.play(side, words[1])

    def _choose(self, words: list[str], *, playing: bool) -> str:
        side, game = _side(words), self._game
        if game.board.is_game_over:
            if not game.description.passes:
                raise CommandRefused("the game is over")
            if playing:
                game.push_nothing()
            return "pass"
        with game.turn_of(side) as passes:
            move = self._search_move(side)
            text = vertex(game.board, str(move))
        if playing:
            game.push_own_move(passes, move)
        else:
            game.take_back(passes)
        return text

    def _search_move(self, side: Side) -> Move:
        player = self._ready()
        began = time.perf_counter()
        with self._thinking() as stop:
            move = player.choose(self._game.board.copy(), self._clock.of(side), stop=stop).move
        self._clock.spend(side, time.perf_counter() - began)
        return move

    def _ready(self) -> Player:
        """Return the player for the rules of the game on the board."""
        board = self._game.board
        return self._player_for(board.game, lambda: self._make(board))

    # --- time ---

    def _time_settings(self, words: list[str]) -> None:
        self._clock.set(_number(words, 0, float), _number(words, 1, float), _number(words, 2, int))

    def _time_left(self, words: list[str]) -> None:
        self._clock.tell(_side(words), _number(words, 1, float), _number(words, 2, int))


def _has_sgf(description: GameDescription) -> bool:
    return ".sgf" in description.notation.files


def _parsed(text: str) -> tuple[str, str, list[str]]:
    """Return the id as written, the command, and the arguments of a GTP line."""
    match = _line.fullmatch(text)
    assert match is not None
    return match[1] or "", match[2], match[3].split()


def _urgency(line: str) -> Urgency:
    return {STOP: Urgency.STOPS, "quit": Urgency.LEAVES}.get(_parsed(cleaned(line))[1], Urgency.WAITS)


def _side(words: list[str]) -> Side:
    side = _sides.get(words[0].lower()) if words else None
    if side is None:
        raise CommandRefused("syntax error")
    return side


def _number(words: list[str], place: int, kind: type[int] | type[float], least: float = 0) -> Any:
    """Return the argument at `place`, a number of at least `least`."""
    try:
        return from_words(Annotated[kind, Between(least, 10**9 - 1)], words[place], "argument")
    except (Misfit, IndexError):
        raise CommandRefused("syntax error") from None


GTP = ServedProtocol(
    name="gtp",
    about="the Go Text Protocol, version 2",
    engine=lambda request: GtpEngine(request.make, game=request.game),
)
