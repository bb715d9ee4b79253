"""`outflank play`: a game in the terminal."""

import time
from pathlib import Path
from typing import Any

import click

from outflank.boards import AbaloneBoard, Board, Outcome
from outflank.engine.classic import Classic, ask_classic
from outflank.engine.clock import Clocks, TimeControl
from outflank.engine.player import Choice, Player, PlayerFailed
from outflank.engine.pondering import Pondering
from outflank.engine.specs import player
from outflank.errors import FormatError, IllegalMove, OutflankError
from outflank.formats.record import PlayedMove, Record
from outflank.formats.setup import Setup
from outflank.games.rules import is_pass
from outflank.games.sides import Side
from outflank.search.contract import Limits
from outflank.search.deepening import search
from outflank.ui.cli.common import PositionCommand, one_board, output, position_options
from outflank.ui.cli.show import draw
from outflank.ui.cli.streams import standard_input

HINT_SECONDS = 1.0

HELP = """moves in any notation, or: undo, hint, eval, moves, save FILE, load FILE, resign, flip (change sides), quit"""

COMMANDS = ("undo", "hint", "eval", "moves", "save", "load", "resign", "flip", "quit", "help")


class Leave(Exception):
    """The human does not want to go on."""


@click.command("play", cls=PositionCommand)
@position_options
@click.option("--black", default="human", show_default=True, help="Who plays black: human, or a player in words.")
@click.option("--white", default="computer", show_default=True, help="Who plays white.")
@click.option(
    "--clock", default="none", show_default=True, help="5+3 (minutes and seconds), 5m, 5:00, 30s, 2s/move or none."
)
@click.option("--ponder", is_flag=True, help="Let computers think on their opponent's time.")
@click.option(
    "--classic", is_flag=True, help="As the classroom program: `c 7 c 7` and moves row,col on standard input."
)
def command(black: str, white: str, clock: str, ponder: bool, classic: bool, **options: Any) -> int:
    """Play a game, or watch one.

    A player in words: human, random, first, computer with settings (depth=7, time=2, level=10, algorithm=mtdf,
    scheme=ybw, workers=2, evaluation=…, report=003), or an engine: "gtp: COMMAND", "nboard: COMMAND".

    \b
      outflank play
      outflank play --black "computer level=5" --white human --clock 5+3
      outflank play --game abalone --black "computer time=1"
      outflank play --game abalone --white "computer report=003"
      echo c 3 c 3 | outflank play --classic
    """
    if classic:
        return _play_classic()
    board = one_board(**options)
    control = TimeControl.parse(clock)
    seats = {Side.BLACK: black, Side.WHITE: white}
    table = _Table(board, seats, control, ponder=ponder)
    try:
        return table.play()
    finally:
        table.close()


class _Table:
    """One game, and who sits at it."""

    def __init__(self, board: Board[Any], seats: dict[Side, str], control: TimeControl, *, ponder: bool) -> None:
        self.board, self.control, self.ponder = board, control, ponder
        self.start = board.copy()
        self.console = output()
        self.players: dict[Side, Player | None] = {
            side: None if words.strip() == "human" else player(words, board.game) for side, words in seats.items()
        }
        self.names = seats
        self.clocks = Clocks.alike(control)
        self.said: list[PlayedMove] = []
        self.news = "" if control == TimeControl() else f"clock: {control.in_words}"
        self.resigned: Side | None = None
        for each in self.players.values():
            if each is not None:
                each.new_game(board)

    def close(self) -> None:
        for each in self.players.values():
            if each is not None:
                each.close()

    # --- the game ---

    def play(self) -> int:
        """Until it is over or somebody leaves; the status."""
        try:
            while not self.board.is_game_over() and self.resigned is None:
                self._draw()
                if is_pass(self.board.game, self.board.legal_moves[0].code):
                    self._push(Choice(move=self.board.legal_moves[0]), 0.0)
                    self.news = f"{self.board.turn.other} has to pass"
                    continue
                self._turn()
        except Leave:
            self.console.print("left unfinished")
            return 0
        self._draw()
        self._conclude()
        return 0

    def _turn(self) -> None:
        side = self.board.turn
        mine = self.players[side]
        began = time.perf_counter()
        with Pondering(self.players[side.other] if self.ponder else None, self.board):
            try:
                choice = self._asked_human() if mine is None else mine.choose(self.board, self.clocks.of(side))
            except PlayerFailed as failure:
                self.resigned, self.news = side, f"{self.names[side]} failed: {failure}"
                return
        seconds = time.perf_counter() - began
        if choice is None:
            return
        if choice.move not in self.board.legal_moves:
            self.resigned, self.news = side, f"{self.names[side]} plays {choice.move}, which is not legal"
            return
        if not self.clocks.spend(side, seconds):
            self.resigned, self.news = side, f"{side} has used up its time"
            return
        self._push(choice, seconds)
        self.news = f"{side} plays {choice.move}{_told(choice, self.board.game)} ({seconds:.2f} s)"

    def _push(self, choice: Choice, seconds: float) -> None:
        self.board.push(choice.move)
        self.said.append(PlayedMove(code=choice.move.code, value=choice.worth(self.board.game), seconds=seconds))

    def _pop(self) -> None:
        """Take back to the last move of a human, or one move where there is none."""
        humans = [side for side, each in self.players.items() if each is None]
        if not self.board.moves:
            self.news = "there is nothing to take back"
            return
        while self.board.moves:
            self.board.pop()
            if self.said:
                self.said.pop()
            forced = is_pass(self.board.game, self.board.legal_moves[0].code)
            if not forced and (not humans or self.board.turn in humans):
                break
        self.news = "taken back"

    # --- the human ---

    def _asked_human(self) -> Choice | None:
        """A move, or None after a command that changed the game."""
        while True:
            line = self._read()
            word, _, rest = line.partition(" ")
            word = word.lower()
            if not line:
                continue
            if word not in COMMANDS:
                try:
                    return Choice(move=self.board.parse_move(line))
                except (FormatError, IllegalMove) as error:
                    self._complain(str(error))
                    continue
            try:
                if self._obey(word, rest.strip()):
                    return None
            except (OutflankError, OSError) as error:
                self._complain(str(error))

    def _obey(self, word: str, rest: str) -> bool:
        """Do what was asked; whether the game has changed."""
        if word == "quit":
            raise Leave
        if word == "resign":
            self.resigned, self.news = self.board.turn, f"{self.board.turn} resigns"
            return True
        if word == "undo":
            self._pop()
            return True
        if word == "flip":
            self.players = {side: self.players[side.other] for side in Side}
            self.names = {side: self.names[side.other] for side in Side}
            self.news = "sides are changed"
            return True
        if word == "load":
            self._load(Path(rest))
            return True
        if word == "save":
            self._save(Path(rest))
        elif word == "moves":
            self.console.print(" ".join(map(str, self.board.legal_moves)))
        elif word == "help":
            self.console.print(HELP)
        else:
            self._advise(word)
        return False

    def _advise(self, word: str) -> None:
        wanted = 3 if word == "hint" else 1
        found = search(self.board, Limits(seconds=HINT_SECONDS), moves=wanted)
        for each in found.best:
            worth = found.scale.say(each.value, exact=found.exact)
            self.console.print(f"  {each.move}  {worth}  ({'exact' if found.exact else f'depth {found.depth}'})")

    def _save(self, path: Path) -> None:
        from outflank.formats.records import write_records

        if not path.name:
            raise OutflankError("save where? give a file name")
        if path.exists():
            raise OutflankError(f"{path} exists: choose another name")
        write_records([self._record()], path)
        self.console.print(f"saved to {path}")

    def _load(self, path: Path) -> None:
        from outflank.formats.records import read_records

        if not path.name:
            raise OutflankError("load what? give a file name")
        record = next(iter(read_records(path)))
        board = Board.from_setup(record.setup)
        if type(board.game) is not type(self.board.game):
            raise OutflankError(f"{path} holds another game")
        self.board, self.said = board, list(record.moves)
        self.start = Board.from_setup(record.start)
        self.clocks = Clocks.alike(self.control)
        self.news = f"loaded {path}, {len(record.moves)} moves"

    def _record(self) -> Record:
        outcome = self.board.outcome()
        return Record(
            start=Setup(
                format="game",
                game=self.start.game,
                position=self.start.position,
                turn=self.start.turn,
                ply=self.start.ply,
            ),
            moves=tuple(self.said),
            black=self.names[Side.BLACK],
            white=self.names[Side.WHITE],
            date=time.strftime("%Y-%m-%d"),
            score=None if outcome is None else _score(self.board, outcome),
            clock=str(self.control),
        )

    def _read(self) -> str:
        prompt = f"{self.board.turn} to move> "
        if self.console.is_terminal and standard_input().isatty():
            try:
                return input(prompt).strip()
            except EOFError:
                raise Leave from None
        line = standard_input().readline()
        if not line:
            raise Leave
        return line.strip()

    def _complain(self, text: str) -> None:
        self.console.print(" ".join(text.split()))

    # --- what is seen ---

    def _draw(self) -> None:
        if self.console.is_terminal:
            self.console.file.write("\x1b[H\x1b[2J")  # in place: the board stays where it is
        if self.news:
            self.console.print(self.news)
            self.news = ""
        draw(self.console, self.board)
        if self.control.game_seconds is not None:
            left = {side: self.clocks.left[side] or 0.0 for side in Side}
            self.console.print(f"time left: black {left[Side.BLACK]:.1f} s, white {left[Side.WHITE]:.1f} s")
        if self.console.is_terminal and None in self.players.values():
            self.console.print(HELP, style="dim")

    def _conclude(self) -> None:
        if self.news:
            self.console.print(self.news)
        if self.resigned is not None:
            self.console.print(f"{self.resigned.other} wins")
        self.console.print("moves: " + " ".join(map(str, self.board.moves)))


def _score(board: Board[Any], outcome: Outcome) -> float:
    """As records count: discs, or the marbles that white has lost more."""
    if isinstance(board, AbaloneBoard):
        return board.lost(Side.WHITE) - board.lost(Side.BLACK)
    return outcome.score


def _told(choice: Choice, game: Any) -> str:
    if choice.why:
        return f", {choice.why}"
    if choice.value is None:
        return ""
    return f", {choice.said(game)} {'exact' if choice.exact else f'at depth {choice.depth}'}"


def _play_classic() -> int:
    """The classroom program: its input, its lines."""
    console = output()
    words = (word for line in standard_input() for word in line.replace(",", " ").split())
    seats = ask_classic(words)
    game = Classic(seats, words)
    for line in game.lines():
        console.print(line)
    return 0
