"""Players in words, drawn: whatever is accepted makes its first move. `python -m tests.seats [COUNT] [SEED] [FIRST]`.

Words are one to three settings with values of their kinds, for boards of both games, at the start and near the end; one
draw in five is a seat of the page. A player that is accepted (made, and tried on the board as commands do) must begin a
game and name a legal move; another is refused by one line. The number of a draw and the seed make it again.
The suite tries some (`test_player_words.py`).
"""

import os
import random
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from outflank.abalone.board import AbaloneBoard
from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.description import GAMES, description_of
from outflank.games.evaluation import evaluations
from outflank.othello.board import OthelloBoard
from outflank.players.clock import Clock, TimeControl
from outflank.players.computer import settings_of_computers
from outflank.players.player import Player, try_out
from outflank.players.ready_moves import HABITS
from outflank.players.specs import player
from outflank.players.timing import POLICIES
from outflank.search.algorithms import ALGORITHMS
from outflank.search.division import schemes
from outflank.search.ordering import orderings
from outflank.search.request import Stop
from outflank.search.request_checks import MONTE_CARLO
from outflank.ui.web.games.seats import check_seats, web_player
from outflank.ui.web.requests import Seats
from outflank.validation.values import Between

MOVE_SECONDS = 0.05
"""On the clock of a move: what limits a search that no drawn setting does."""

PATIENCE_SECONDS = 20.0
"""After which a player is told to stop: an exact search of a whole game has no other end."""

INTERPRETED = {"NUMBA_DISABLE_JIT": "1"}

NODES = "nodes=30"
"""What a player is told that has drawn no other limit."""

REASONABLE = {"workers": ("1", "2", "3", "none"), "table_bits": ("none", "3", "4", "10", "63"), "depth": ("1", "2")}
"""Instead of values of their kinds, which take minutes in the interpreter."""


@cache
def boards() -> tuple[Board, ...]:
    """Boards of both games: sizes, a midgame, an ending, a position with a pass, another scoring."""

    def after(board: Board, plies: int, seed: int) -> Board:
        chance = random.Random(seed)
        while board.ply < plies and not board.is_game_over:
            board.push(chance.choice(board.legal_moves))
        return board

    return (
        OthelloBoard.start(),
        OthelloBoard.start(6),
        OthelloBoard.start(4),
        OthelloBoard.start(scoring="discs"),
        after(OthelloBoard.start(), 30, 1),
        after(OthelloBoard.start(), 54, 2),
        after(OthelloBoard.start(4), 7, 3),
        AbaloneBoard.start(),
        AbaloneBoard.start("belgian-daisy"),
        after(AbaloneBoard.start(), 40, 4),
    )


def _named(game: Any) -> dict[str, tuple[str, ...]]:
    """The names that a setting can have; those of the other game too, and one that nobody has."""
    descriptions = [GAMES.get(name) for name in GAMES.own]
    games = [board.game for board in boards()]
    return {
        "algorithm": (*ALGORITHMS, *MONTE_CARLO, "negamax"),
        "evaluation": (*dict.fromkeys(name for each in games for name in evaluations(each)), "none", "wishes"),
        "ordering": (
            *dict.fromkeys(name for each in games for name in orderings(each)),
            *(f"{orderings(game)[-1]}:{words}" for words in ("sort=best", "from_depth=1", "sort=never", "killers=yes")),
        ),
        "parallel": (*schemes(), "none", "pairs"),
        "policy": (*POLICIES, "hasty"),
        "habits": (
            *HABITS,
            *(name for each in descriptions for name in each.play.ready_moves),
            "cache+mirror",
            "none",
            "",
        ),
        "book": ("own", "none", "no-such-book"),
        "scoring": ("discs", "winner-takes-empties", "none", "marbles"),
        "report": (*(name for each in descriptions for name in each.play.programs), "003 report=000", "999"),
        "pin": ("none", "compact", "spread", "0", "0+0", "4096"),
    }


def values(name: str, game: Any) -> tuple[str, ...]:
    """Words for a setting, right and wrong ones."""
    named = _named(game)
    if name in named:
        return named[name]
    return REASONABLE.get(name) or tuple(dict.fromkeys((*_of_kind(settings_of_computers()[name]), "x")))


def _of_kind(kind: Any) -> list[str]:
    """Words that mean values of a kind, its ends among them."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        bounds = next((each for each in arguments[1:] if isinstance(each, Between)), None)
        if bounds is None:
            return _of_kind(arguments[0])
        ends = (bounds.least, bounds.least + 1, 3, bounds.most, bounds.least - 1)
        return [str(int(end)) for end in ends]
    if origin in (Union, UnionType):
        return [word for each in arguments for word in _of_kind(each)]
    if origin is Literal:
        return [str(each) for each in arguments]
    if origin is tuple:
        inner = _of_kind(arguments[0])
        return [f"{inner[0]}+{inner[-1]}", f"{inner[-1]}+{inner[0]}", inner[0]]
    return {int: ["1", "3", "0", "-1", "20"], float: ["0.02", "1e-9", "0"], bool: ["yes", "no"], NoneType: ["none"]}[
        kind
    ]


def drawn_words(chance: random.Random, board: Board) -> str:
    """A computer with one to three settings."""
    names = [*settings_of_computers(), "report"]
    drawn = chance.sample(names, chance.choice((1, 2, 2, 2, 3)))
    words = [f"{name}={chance.choice(values(name, board.game))}" for name in drawn]
    if not {"nodes", "depth", "level", "seconds"} & set(drawn):
        words.append(NODES)
    return " ".join(["computer", *words])


SEAT_VALUES = {
    "level": ("1", "2", "3", "0", "999", "1e1", "x"),
    "depth": ("1", "2", "0", "31", "2.0"),
    "time": ("0.02", ".02", "2e0", "0", "nan", "infinity", "0.0000000001"),
    "report": ("000", "001", "002", "003", "004", "999"),
}


def drawn_seat(chance: random.Random) -> str:
    """A computer as the page may seat one, or nearly: settings may be there twice, and other things between them."""
    words = ["computer"]
    for _ in range(chance.choice((0, 1, 1, 2, 2, 3))):
        name = chance.choice(list(SEAT_VALUES))
        words.append(f"{name}={chance.choice(SEAT_VALUES[name])}")
    return chance.choice((" ", " ", " ", " ", "  ", "\n", "\t", "\u00a0")).join(words)


def attempt(number: int, seed: int) -> tuple[str, bool, str]:
    """Draw a player: what was drawn, whether it was accepted, and what is wrong, if something is."""
    chance = random.Random(f"{seed}/{number}")
    board = chance.choice(boards()).copy()
    of_page = chance.randrange(5) == 0
    words = drawn_seat(chance) if of_page else drawn_words(chance, board)
    accepted, wrong = trial(words, board, of_page=of_page)
    place = "page, " if of_page else ""
    return f"{number}: {place}{description_of(board.game).name} {board.to_text()!r} {words!r}", accepted, wrong


def trial(words: str, board: Board, *, of_page: bool) -> tuple[bool, str]:
    """Whether a player is accepted, and what is wrong with it, if something is."""
    stop = Stop()
    timer = threading.Timer(PATIENCE_SECONDS, stop)
    timer.daemon = True
    made: Player | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            try:
                if of_page:
                    check_seats(Seats(black=words, white="human", clock="none"), board.game)
                else:
                    made = player(words, board.game)
                    try_out(made, board, words)
            except OutflankError as error:
                return False, "several lines" if "\n" in str(error).strip() else ""
            except Exception:
                return False, _last_frames("refused by a traceback")
            try:
                made = made or web_player(words.strip(), board.game, variety=1)
                made.new_game(board)
                timer.start()
                control = TimeControl(move_seconds=MOVE_SECONDS)
                choice = made.choose(board, Clock(control=control), stop=stop)
            except Exception:
                return True, _last_frames("accepted, and fails at its first move")
            return True, "" if choice.move in board.legal_moves else f"chose {choice.move}, which is not legal"
        finally:
            timer.cancel()
            if made is not None:
                made.close()


def _last_frames(what: str) -> str:
    return "\n".join([what, *traceback.format_exc().strip().splitlines()[-5:]])


def run(count: int, seed: int, first: int = 0, tell: Callable[[str], None] = print) -> tuple[int, int]:
    """Try so many draws, and tell what is wrong: how many were accepted, and how many are wrong."""
    accepted = wrong = 0
    for number in range(first, first + count):
        drawn, taken, fault = attempt(number, seed)
        accepted += taken
        if fault:
            wrong += 1
            tell(f"--- {drawn}\n{fault}")
    return accepted, wrong


def main() -> int:
    count, seed, first = (int(word) for word in (*sys.argv[1:], *("1000", "1", "0")[len(sys.argv) - 1 :]))
    began = time.perf_counter()
    accepted, wrong = run(count, seed, first, lambda line: print(line, flush=True))
    seconds = time.perf_counter() - began
    print(f"{count:,} players from {first:,} of seed {seed}, {accepted:,} accepted, {wrong:,} wrong, {seconds:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    if "NUMBA_DISABLE_JIT" not in os.environ:  # it must be set before anything is imported; compiling takes minutes
        sys.exit(
            subprocess.call([sys.executable, "-m", "tests.seats", *sys.argv[1:]], env={**os.environ, **INTERPRETED})
        )
    sys.exit(main())
