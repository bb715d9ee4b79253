"""The game of `outflank play`: turns, commands of the human, clocks, and games in files."""

import threading
from types import TracebackType
from typing import Any

from outflank.boards import Board
from outflank.errors import FormatError, OutflankError
from outflank.formats.game_record import PlayedMove, Record
from outflank.games.description import description_of
from outflank.games.rules import Game, is_pass
from outflank.games.sides import Side
from outflank.players.clock import Clocks, TimeControl
from outflank.players.player import Choice, Player, PlayerFailed, try_out
from outflank.players.specs import HUMAN, player
from outflank.search.request import Limits, Stop
from outflank.search.whole_search import search
from outflank.ui.cli.playing.front_end import (
    AFTERWARDS,
    COMMANDS,
    HELP,
    HELP_AFTERWARDS,
    Front,
    Leave,
    OutOfTime,
    Ticking,
    refusal_text,
    refuse_afterwards,
)
from outflank.ui.cli.playing.session_files import load_game, record_of, review_game, save_game


class Pondering:
    """Context manager during which `player` thinks about a copy of the board, if `player` is not None."""

    def __init__(self, player: Player | None, board: Board) -> None:
        self._stop = Stop()
        self._thread: threading.Thread | None = None
        if player is not None:
            self._thread = threading.Thread(
                target=player.ponder, args=(board.copy(),), kwargs={"stop": self._stop}, daemon=True
            )

    def __enter__(self) -> None:
        if self._thread is not None:
            self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thread is not None:
            self._stop()
            self._thread.join()


HINT_SECONDS = 1.0


class PlaySession:
    """A game in progress, its players and their clocks."""

    def __init__(
        self,
        board: Board,
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
        self._initial_moves = len(board.moves)
        """Number of moves on the board when the session began or when a game was loaded."""
        self.resigned: Side | None = None

    def close(self) -> None:
        for seated in self.players.values():
            if seated is not None:
                seated.close()

    # --- the game ---

    def play(self) -> int:
        """Play games until the human leaves, and return the exit status. The moves are printed even after Ctrl-C."""
        try:
            if self.control != TimeControl():
                self.front.add_event(f"clock: {self.control.in_words}")
            self._begin()
            while True:
                while not self._is_over():
                    self._play_turn()
                if not self._after_game():
                    return 0
        except Leave:
            self.front.reply("left unfinished")
            self._print_moves()
            return 0
        except KeyboardInterrupt:
            self._print_moves()
            raise

    def _begin(self) -> None:
        for side, seated in self.players.items():
            if seated is not None:
                try_out(seated, self.board, self.names[side])
                seated.new_game(self.board)

    def _is_over(self) -> bool:
        return self.resigned is not None or self.board.is_game_over

    def _play_turn(self) -> None:
        side, player_to_move = self.board.turn, self.players[self.board.turn]
        ticking = Ticking(self.clocks, side)
        self.front.show(self.board, ticking)
        if is_pass(self.board.game, self.board.legal_moves[0].code):
            self._push(Choice(move=self.board.legal_moves[0]), 0.0)
            self.front.add_event(f"{side} has no move and has to pass")
            return
        stop = Stop()
        with Pondering(self.players[side.other] if self.ponder else None, self.board):
            try:
                if player_to_move is None:
                    choice = self._human_choice(ticking)
                else:
                    choose = player_to_move.choose
                    choice = self.front.run_work(
                        f"{side} thinks",
                        ticking,
                        lambda: choose(self.board, self.clocks.of(side), stop=stop),
                        stop,
                    )
                    if stop.called and None not in self.players.values():
                        raise KeyboardInterrupt  # without a human, Ctrl-C does not mean "move now"
            except PlayerFailed as failure:
                self._forfeit(side, f"{self.names[side]} failed: {failure}")
                return
            except OutOfTime:
                self.clocks.use(side, ticking.seconds)
                self._forfeit(side, f"{side} has used up its time")
                return
        seconds = ticking.seconds
        if choice is not None:
            self._play_choice(side, choice, seconds)

    def _play_choice(self, side: Side, choice: Choice, seconds: float) -> None:
        if choice.move not in self.board.legal_moves:
            self._forfeit(side, f"{self.names[side]} plays {choice.move}, which is not legal")
        elif not self.clocks.spend(side, seconds):
            self._forfeit(side, f"{side} has used up its time")
        else:
            self._push(choice, seconds)
            self.front.add_event(f"{side} plays {choice.move}{_details(choice, self.board.game)} ({seconds:.2f} s)")

    def _forfeit(self, side: Side, why: str) -> None:
        self.resigned = side
        self.front.add_event(why)

    def _push(self, choice: Choice, seconds: float) -> None:
        self.board.push(choice.move)
        value = choice.value_as_score(self.board.game)
        self.played.append(PlayedMove(code=choice.move.code, value=value, seconds=round(seconds, 3)))

    def _pop(self) -> None:
        """Take back moves until a human is to move, or one move if no human plays."""
        humans = [side for side, seated in self.players.items() if seated is None]
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
        self.front.add_event("taken back")

    # --- the human ---

    def _human_choice(self, ticking: Ticking) -> Choice | None:
        """Return the human's move, or None after a typed command that changed the game."""
        words = (*sorted(map(str, self.board.legal_moves)), *COMMANDS)
        while True:
            line = self.front.ask(f"{self.board.turn} to move> ", words, ticking)
            word, _, rest = line.partition(" ")
            word = "help" if word == "?" else word.lower()
            if not line:
                continue
            try:
                if word not in COMMANDS:
                    choice = Choice(move=self._parsed_move(word, line))
                    self.front.clear_events()
                    return choice
                if self._execute(word, rest.strip(), ticking):
                    return None
            except OutflankError as error:
                self.front.reply(str(error))
            self.front.redraw(self.board, ticking)

    def _parsed_move(self, word: str, line: str) -> Any:
        try:
            return self.board.parse_move(line)
        except FormatError as error:
            raise OutflankError(refusal_text(word, error)) from None

    def _execute(self, word: str, rest: str, ticking: Ticking) -> bool:
        """Execute a command that the human typed, and return whether it changed the game."""
        if word == "quit":
            raise Leave
        if word in ("resign", "undo", "flip", "load"):
            self._change_game(word, rest, ticking)
            return True
        if word == "save":
            self.front.reply(f"saved to {save_game(self.record(), rest)}")
        elif word == "moves":
            self.front.reply(" ".join(self.board.legal_move_texts()))
        elif word == "help":
            self.front.reply(HELP.format(asks=description_of(self.board.game).presentation.move_prompt))
        else:
            self._give_hint(3 if word == "hint" else 1, ticking)
        return False

    def _change_game(self, word: str, rest: str, ticking: Ticking) -> None:
        if word == "load":
            self._load(rest)
            return
        self.front.clear_events()
        if word == "resign":
            self._forfeit(self.board.turn, f"{self.board.turn} resigns")
            return
        if word == "undo":
            self._pop()
        else:
            self.players = {side: self.players[side.other] for side in Side}
            self.names = {side: self.names[side.other] for side in Side}
            self.front.add_event("sides are changed")
        if not self.clocks.use(ticking.side, ticking.seconds):
            raise OutOfTime

    def _give_hint(self, move_count: int, ticking: Ticking) -> None:
        stop = Stop()
        result = self.front.run_work(
            "looking",
            ticking.restarted(),
            lambda: search(self.board, Limits(seconds=HINT_SECONDS), moves=move_count, stop=stop),
            stop,
        )
        if not result.best:
            self.front.reply("nothing was found so soon")
        for entry in result.best:
            value_text = result.scale.text(entry.value, exact=result.exact)
            self.front.reply(f"  {entry.move}  {value_text}  ({'exact' if result.exact else f'depth {result.depth}'})")

    # --- games in files ---

    def _load(self, words: str) -> None:
        loaded = load_game(words, self.board.game)
        self.front.clear_events()
        if len(self.board.moves) > self._initial_moves:
            self.front.add_event("left unfinished")
            self.front.add_event(self._moves_text())
        self.start, self.board, self.played = loaded.start, loaded.board, loaded.moves
        self._initial_moves = len(loaded.moves)
        self.clocks = Clocks.alike(self.control)
        self.front.add_event(
            f"loaded {loaded.description}{'' if self.control == TimeControl() else '; the clocks begin anew'}"
        )

    def record(self) -> Record:
        return record_of(self.start, self.board, self.played, self.names, self.control)

    # --- the end ---

    def _after_game(self) -> bool:
        """Show how the game ended, execute the human's commands, and return whether play goes on."""
        ticking = Ticking(self.clocks, self.board.turn)
        self.front.show(self.board, ticking)
        if self.resigned is not None:
            self.front.reply(f"{self.resigned.other} wins")
        self.front.reply(self._moves_text())
        while True:
            self.front.redraw(self.board, ticking)
            try:
                line = self.front.ask("save FILE, review, again, undo or quit> ", AFTERWARDS, None)
            except Leave:
                return False
            word, _, rest = line.partition(" ")
            try:
                if self._execute_afterwards(word.lower(), rest.strip()):
                    return True
            except Leave:
                return False
            except OutflankError as error:
                self.front.reply(str(error))

    def _execute_afterwards(self, word: str, rest: str) -> bool:
        """Execute a command after the end of a game, and return whether play goes on."""
        if word in ("quit", "q"):
            raise Leave
        if word == "again":
            self._restart()
            return True
        if word == "undo":
            self._pop()
            return not self._is_over()
        if word == "save":
            self.front.reply(f"saved to {save_game(self.record(), rest)}")
        elif word == "review":
            review_game(self.record())
        elif word in ("help", "?"):
            self.front.reply(HELP_AFTERWARDS)
        elif word:
            refuse_afterwards(word)
        return False

    def _restart(self) -> None:
        self.board = self.first.copy()
        self._initial_moves = len(self.board.moves)
        self.played = [PlayedMove(code=move.code) for move in self.board.moves]
        self.clocks = Clocks.alike(self.control)
        self.resigned = None
        self.front.clear_events()
        self._begin()

    def _moves_text(self) -> str:
        return f"moves: {' '.join(map(str, self.board.moves))}"

    def _print_moves(self) -> None:
        """Print the moves of the game so far, and all pending output."""
        self.front.reply(self._moves_text())
        self.front.close()


def _details(choice: Choice, game: Game) -> str:
    if choice.why:
        return f", {choice.why}"
    if choice.value is None:
        return ""
    return f", {choice.value_text(game)} {'exact' if choice.exact else f'at depth {choice.depth}'}"
