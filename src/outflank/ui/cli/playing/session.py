"""One game, and who sits at it."""

from typing import Any

from outflank.boards import Board
from outflank.errors import FormatError, OutflankError
from outflank.formats.game_record import PlayedMove, Record
from outflank.games.description import description_of
from outflank.games.rules import is_pass
from outflank.games.sides import Side
from outflank.players.clock import Clocks, TimeControl
from outflank.players.player import Choice, Player, PlayerFailed, try_out
from outflank.players.pondering import Pondering
from outflank.players.specs import HUMAN, player
from outflank.search.contract import Limits, Stop
from outflank.search.deepening import search
from outflank.ui.cli.playing.files import load_game, record_of, review_game, save_game
from outflank.ui.cli.playing.front import Front, Leave, OutOfTime
from outflank.ui.cli.playing.ticking import Ticking
from outflank.ui.cli.playing.words import AFTERWARDS, COMMANDS, HELP, HELP_AFTERWARDS, no_move, refuse_afterwards

HINT_SECONDS = 1.0


class PlaySession:
    """A game in progress, its players and their clocks."""

    def __init__(
        self,
        board: Board[Any],
        seats: dict[Side, str],
        control: TimeControl,
        front: Front,
        *,
        ponder: bool = False,
        variety: int | None = None,
    ) -> None:
        self.board, self.control, self.ponder, self.front = board, control, ponder, front
        self.start = board.copy()
        self.players: dict[Side, Player | None] = {
            side: None if words.strip() == HUMAN else player(words, board.game, variety=variety, seated=(HUMAN,))
            for side, words in seats.items()
        }
        self.names = seats
        self.clocks = Clocks.alike(control)
        self.played: list[PlayedMove] = [PlayedMove(code=move.code) for move in board.moves]
        while self.start.moves:
            self.start.pop()
        self.first = board.copy()
        self._given = len(board.moves)
        """Moves that were there before anybody played here."""
        self.resigned: Side | None = None

    def close(self) -> None:
        """Give back what the players hold."""
        for each in self.players.values():
            if each is not None:
                each.close()

    # --- the game ---

    def play(self) -> int:
        """Games until somebody leaves; the status. Whatever happens, the moves are printed."""
        try:
            if self.control != TimeControl():
                self.front.happened(f"clock: {self.control.in_words}")
            self._begin()
            while True:
                while not self._is_over():
                    self._turn()
                if not self._afterwards():
                    return 0
        except Leave:
            self.front.tell("left unfinished")
            self._last_words()
            return 0
        except KeyboardInterrupt:
            self._last_words()
            raise

    def _begin(self) -> None:
        for side, each in self.players.items():
            if each is not None:
                try_out(each, self.board, self.names[side])
                each.new_game(self.board)

    def _is_over(self) -> bool:
        return self.resigned is not None or self.board.is_game_over()

    def _turn(self) -> None:
        side, mine = self.board.turn, self.players[self.board.turn]
        ticking = Ticking(self.clocks, side)
        self.front.show(self.board, ticking)
        if is_pass(self.board.game, self.board.legal_moves[0].code):
            self._push(Choice(move=self.board.legal_moves[0]), 0.0)
            self.front.happened(f"{side} has no move and has to pass")
            return
        stop = Stop()
        with Pondering(self.players[side.other] if self.ponder else None, self.board):
            try:
                if mine is None:
                    choice = self._asked_human(ticking)
                else:
                    choose = mine.choose
                    choice = self.front.working(
                        f"{side} thinks",
                        ticking,
                        lambda: choose(self.board, self.clocks.of(side), stop=stop),
                        stop,
                    )
                    if stop.called and None not in self.players.values():
                        raise KeyboardInterrupt  # nobody is here who could want a move sooner
            except PlayerFailed as failure:
                self._lost(side, f"{self.names[side]} failed: {failure}")
                return
            except OutOfTime:
                self.clocks.use(side, ticking.seconds)
                self._lost(side, f"{side} has used up its time")
                return
        seconds = ticking.seconds
        if choice is not None:
            self._made(side, choice, seconds)

    def _made(self, side: Side, choice: Choice, seconds: float) -> None:
        if choice.move not in self.board.legal_moves:
            self._lost(side, f"{self.names[side]} plays {choice.move}, which is not legal")
        elif not self.clocks.spend(side, seconds):
            self._lost(side, f"{side} has used up its time")
        else:
            self._push(choice, seconds)
            self.front.happened(f"{side} plays {choice.move}{_told(choice, self.board.game)} ({seconds:.2f} s)")

    def _lost(self, side: Side, why: str) -> None:
        self.resigned = side
        self.front.happened(why)

    def _push(self, choice: Choice, seconds: float) -> None:
        self.board.push(choice.move)
        worth = choice.value_as_score(self.board.game)
        self.played.append(PlayedMove(code=choice.move.code, value=worth, seconds=round(seconds, 3)))

    def _pop(self) -> None:
        """Take back to the last move of a human, or one move where there is none."""
        humans = [side for side, each in self.players.items() if each is None]
        if not self.board.moves:
            raise OutflankError("there is nothing to take back")
        if self.resigned is not None and self.clocks.left[self.resigned] == 0.0:
            raise OutflankError(f"{self.resigned} has no time left to play on with: `again` plays another game")
        while self.board.moves:
            self.board.pop()
            if self.played:
                self.played.pop()
            forced = is_pass(self.board.game, self.board.legal_moves[0].code)
            if not forced and (not humans or self.board.turn in humans):
                break
        self.resigned = None
        self.front.happened("taken back")

    # --- the human ---

    def _asked_human(self, ticking: Ticking) -> Choice | None:
        """A move, or None after a command that changed the game."""
        words = (*sorted(map(str, self.board.legal_moves)), *COMMANDS)
        while True:
            line = self.front.ask(f"{self.board.turn} to move> ", words, ticking)
            word, _, rest = line.partition(" ")
            word = "help" if word == "?" else word.lower()
            if not line:
                continue
            try:
                if word not in COMMANDS:
                    choice = Choice(move=self._named(word, line))
                    self.front.seen()
                    return choice
                if self._obey(word, rest.strip(), ticking):
                    return None
            except OutflankError as error:
                self.front.tell(str(error))
            self.front.answered(self.board, ticking)

    def _named(self, word: str, line: str) -> Any:
        try:
            return self.board.parse_move(line)
        except FormatError as error:
            raise OutflankError(no_move(word, error)) from None

    def _obey(self, word: str, rest: str, ticking: Ticking) -> bool:
        """Do what was asked; whether the game has changed."""
        if word == "quit":
            raise Leave
        if word in ("resign", "undo", "flip", "load"):
            self._change(word, rest, ticking)
            return True
        if word == "save":
            self.front.tell(f"saved to {save_game(self.record(), rest)}")
        elif word == "moves":
            self.front.tell(" ".join(self.board.listed_moves()))
        elif word == "help":
            self.front.tell(HELP.format(asks=description_of(self.board.game).asks))
        else:
            self._advise(3 if word == "hint" else 1, ticking)
        return False

    def _change(self, word: str, rest: str, ticking: Ticking) -> None:
        if word == "load":
            self._load(rest)
            return
        self.front.seen()
        if word == "resign":
            self._lost(self.board.turn, f"{self.board.turn} resigns")
            return
        if word == "undo":
            self._pop()
        else:
            self.players = {side: self.players[side.other] for side in Side}
            self.names = {side: self.names[side.other] for side in Side}
            self.front.happened("sides are changed")
        if not self.clocks.use(ticking.side, ticking.seconds):
            raise OutOfTime

    def _advise(self, wanted: int, ticking: Ticking) -> None:
        stop = Stop()
        found = self.front.working(
            "looking",
            ticking.begun_anew(),
            lambda: search(self.board, Limits(seconds=HINT_SECONDS), moves=wanted, stop=stop),
            stop,
        )
        if not found.best:
            self.front.tell("nothing was found so soon")
        for each in found.best:
            worth = found.scale.text(each.value, exact=found.exact)
            self.front.tell(f"  {each.move}  {worth}  ({'exact' if found.exact else f'depth {found.depth}'})")

    # --- games in files ---

    def _load(self, words: str) -> None:
        loaded = load_game(words, self.board.game)
        self.front.seen()
        if len(self.board.moves) > self._given:
            self.front.happened("left unfinished")
            self.front.happened(self._moves())
        self.start, self.board, self.played = loaded.start, loaded.board, loaded.moves
        self._given = len(loaded.moves)
        self.clocks = Clocks.alike(self.control)
        self.front.happened(
            f"loaded {loaded.description}{'' if self.control == TimeControl() else '; the clocks begin anew'}"
        )

    def record(self) -> Record:
        """The game as it is kept in files."""
        return record_of(self.start, self.board, self.played, self.names, self.control)

    # --- the end ---

    def _afterwards(self) -> bool:
        """Show how it ended and ask what now; whether there is more to play."""
        ticking = Ticking(self.clocks, self.board.turn)
        self.front.show(self.board, ticking)
        if self.resigned is not None:
            self.front.tell(f"{self.resigned.other} wins")
        self.front.tell(self._moves())
        while True:
            self.front.answered(self.board, ticking)
            try:
                line = self.front.ask("save FILE, review, again, undo or quit> ", AFTERWARDS, None)
            except Leave:
                return False
            word, _, rest = line.partition(" ")
            try:
                if self._chosen(word.lower(), rest.strip()):
                    return True
            except Leave:
                return False
            except OutflankError as error:
                self.front.tell(str(error))

    def _chosen(self, word: str, rest: str) -> bool:
        """Do what was chosen after a game; whether it is played on."""
        if word in ("quit", "q"):
            raise Leave
        if word == "again":
            self._again()
            return True
        if word == "undo":
            self._pop()
            return not self._is_over()
        if word == "save":
            self.front.tell(f"saved to {save_game(self.record(), rest)}")
        elif word == "review":
            review_game(self.record())
        elif word in ("help", "?"):
            self.front.tell(HELP_AFTERWARDS)
        elif word:
            refuse_afterwards(word)
        return False

    def _again(self) -> None:
        self.board = self.first.copy()
        self._given = len(self.board.moves)
        self.played = [PlayedMove(code=move.code) for move in self.board.moves]
        self.clocks = Clocks.alike(self.control)
        self.resigned = None
        self.front.seen()
        self._begin()

    def _moves(self) -> str:
        return f"moves: {' '.join(map(str, self.board.moves))}"

    def _last_words(self) -> None:
        """What is left of a game that somebody has left."""
        self.front.tell(self._moves())
        self.front.close()


def _told(choice: Choice, game: Any) -> str:
    if choice.why:
        return f", {choice.why}"
    if choice.value is None:
        return ""
    return f", {choice.value_text(game)} {'exact' if choice.exact else f'at depth {choice.depth}'}"
