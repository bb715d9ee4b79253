"""GTP 2: a player driven by commands, for any game.

`[id] command arguments` is answered by `=[id] text` or `?[id] error` and an empty line. While a move is thought about,
`outflank-stop` and the end of the input are heard: the best move so far is then the answer.
"""

import re
import time
from collections.abc import Callable, Iterator
from typing import Annotated, Any

from outflank import __version__
from outflank.boards import Board, Move
from outflank.errors import OutflankError
from outflank.games.description import GAMES, OWN_GAMES, GameDescription, titles_of_games
from outflank.games.sides import Side
from outflank.kinds import Between, Misfit
from outflank.players.player import Player
from outflank.protocols.gtp_clock import GtpClock
from outflank.protocols.gtp_game import CommandRefused, GtpGame, gtp_name, vertex
from outflank.protocols.listening import Urgency, cleaned
from outflank.protocols.serving import Engine, ServedProtocol
from outflank.words import from_words, is_count

STOP = "outflank-stop"

_line = re.compile(r"(?:([0-9]++)(?: ++|$))?+(\S*+) *+(.*)")
_sides = {"b": Side.BLACK, "black": Side.BLACK, "w": Side.WHITE, "white": Side.WHITE}


class GtpEngine(Engine):
    """A game, and the player who thinks about it.

    `make` gives the player for a board's rules; it is asked again when they change, with the game or the board's size.
    """

    def __init__(
        self, make: Callable[[Board[Any]], Player], *, game: str = OWN_GAMES[0], name: str = "outflank"
    ) -> None:
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
            "list_games": lambda words: "\n".join(gtp_name(each) for each in GAMES.parts().values()),
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
        """What can be asked: a function of the arguments for each, whose text is the answer."""

    def replies(self, line: str) -> Iterator[str]:
        """The answer, if there is one."""
        answer = self.answer(line)
        if answer is not None:
            yield answer

    def refusal(self, line: str, why: str) -> str:
        """An error, with the number that the line began with."""
        return f"?{_parsed(cleaned(line[:100]))[0]} {why}\n\n"

    def answer(self, line: str) -> str | None:
        """The answer to a line, the empty line after it included; None where there is nothing to answer."""
        text = cleaned(line)
        if not text:
            return None
        number, name, words = _parsed(text)
        mark = "?"
        try:
            if name not in self.commands:
                raise CommandRefused("unknown command")
            said = self.commands[name](words) or ""
            mark = "="
        except (CommandRefused, OutflankError) as error:
            said = " ".join(str(error).split())
        except Exception as error:  # whatever it was, the controller gets its answer and the dialogue goes on
            said = f"internal error: {type(error).__name__} {' '.join(str(error).split())}"
        space = " " if said and not said.startswith("\n") else ""
        return f"{mark}{number}{space}{said}\n\n"

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
        # Here, and not at the first move: what has to be compiled or loaded must not run on the clock.
        self._ready().new_game(self._game.board)

    def _komi(self, words: list[str]) -> None:
        _number(words, 0, float, -(10**9))  # and no more: no game here has one

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
        if game.board.is_game_over():
            if not game.description.passes:
                raise CommandRefused("the game is over")
            if playing:
                game.ended()
            return "pass"
        with game.turn_of(side) as passes:
            move = self._thought(side)
            text = vertex(game.board, str(move))
        if playing:
            game.chosen(passes, move)
        else:
            game.take_back(passes)
        return text

    def _thought(self, side: Side) -> Move:
        player = self._ready()
        began = time.perf_counter()
        with self._thinking() as stop:
            move = player.choose(self._game.board.copy(), self._clock.of(side), stop=stop).move
        self._clock.spend(side, time.perf_counter() - began)
        return move

    def _ready(self) -> Player:
        """The player for the game on the board."""
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
    """The identity number as it was written, the command, and its arguments."""
    found = _line.fullmatch(text)
    assert found is not None
    return found[1] or "", found[2], found[3].split()


def _urgency(line: str) -> Urgency:
    return {STOP: Urgency.STOPS, "quit": Urgency.LEAVES}.get(_parsed(cleaned(line))[1], Urgency.WAITS)


def _side(words: list[str]) -> Side:
    side = _sides.get(words[0].lower()) if words else None
    if side is None:
        raise CommandRefused("syntax error")
    return side


def _number(words: list[str], place: int, kind: type[int] | type[float], least: float = 0) -> Any:
    """The argument at `place`, a number that is not negative."""
    try:
        return from_words(Annotated[kind, Between(least, 10**9 - 1)], words[place], "argument")
    except (Misfit, IndexError):
        raise CommandRefused("syntax error") from None


GTP = ServedProtocol(
    name="gtp",
    about="the Go Text Protocol, version 2",
    engine=lambda wanted: GtpEngine(wanted.make, game=wanted.game),
)
