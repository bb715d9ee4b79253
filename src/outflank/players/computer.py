"""The player that searches: iterative deepening within a time budget, opening book, and exact play in the endgame."""

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from math import inf
from typing import Any, Literal, Unpack, get_type_hints

from outflank.boards import Board, Move
from outflank.boards.board import board_class
from outflank.books.book import Book
from outflank.errors import InvalidOption, UnknownName
from outflank.games.description import description_of, titles_of_games
from outflank.games.rules import ENDLESS_GAME, Game
from outflank.games.sides import Side
from outflank.gpu.choosing import resolve_device
from outflank.gpu.troubles import NoDevice
from outflank.players.clock import Clock
from outflank.players.collecting import collection_paused
from outflank.players.habits import BookHabit, Misjudging, Variety, preferred_move, repeating_moves
from outflank.players.player import Choice, exact_moves_for_depth, level_of
from outflank.players.ready_moves import Habit, habit_named
from outflank.players.timing import AT_ONCE, Budget, Policy, policy_named
from outflank.search.keywords import OptionKeywords, PlayerKeywords, default_deepening, default_selectivity
from outflank.search.request import Deadline, Limits, Options, Stop, TieRule
from outflank.search.request_checks import MONTE_CARLO, check
from outflank.search.results import MoveValue, Result
from outflank.search.root import Root
from outflank.search.table import Table, check_bits
from outflank.search.whole_search import iterate
from outflank.validation.values import Kind, conform, kinds_of

TABLE_BITS = 20
"""Default size of the transposition table, as a binary logarithm: 32 MiB, enough for a few seconds per move."""

WORTH_SHARING = 0.03
"""Time of a search, in seconds, below which starting more workers costs more than it gains."""

SURE_OF_TIME = 0.5
"""Largest expected time of an exact search that is begun, as a share of the time that is left for the move."""

MOST_OF_TIME = 0.75
"""Largest share of the time left for a move that an exact search may take; the rest is for an inexact search."""


class Computer:
    """A player that searches. Without a clock or a limit on depth, time or nodes, it thinks for a second per move.

    `options` are options of a search (`outflank.search.request.Options`). `policy` names the time policy. `habits` and
    `book` are tried before a search. `variety` is the seed of a random choice among early moves that are nearly as good
    as the best; by default the best is played. With `repeats` the player does not avoid repeated positions. `ties` is
    the rule for choosing among equal moves, or a pair of rules, for black and for white. `scoring` is how the player
    scores the end of a game that can be scored in several ways; by default, as the rules do. Searches use table entries
    of greater depth, unless `table_depth` says otherwise.
    """

    DEFAULT_SECONDS = 1.0

    def __init__(
        self,
        game: Game,
        *,
        name: str = "outflank",
        level: int | None = None,
        depth: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        exact: int | None = None,
        policy: str = "steady",
        habits: tuple[str, ...] | None = None,
        book: str | None = None,
        variety: int | None = None,
        repeats: bool = False,
        ties: TieRule | tuple[TieRule, TieRule] = "first",
        scoring: str | None = None,
        **options: Unpack[PlayerKeywords],
    ) -> None:
        def checked_setting(setting: str, value: Any) -> Any:
            return conform(settings_of_computers()[setting], value, setting)

        level, exact = checked_setting("level", level), checked_setting("exact", exact)
        policy, habits = checked_setting("policy", policy), checked_setting("habits", habits)
        book, variety = checked_setting("book", book), checked_setting("variety", variety)
        self._repeats: bool = checked_setting("repeats", repeats)
        ties, scoring = checked_setting("ties", ties), checked_setting("scoring", scoring)
        if scoring is not None:
            _check_scoring(game, scoring)
        self._ties = dict(zip((Side.BLACK, Side.WHITE), (ties, ties) if isinstance(ties, str) else ties, strict=True))
        self._scoring = scoring
        limits = Limits(depth=depth, seconds=seconds, nodes=nodes)
        self.name, self.game = name, game
        self.depth, self.seconds, self.nodes = limits.depth, limits.seconds, limits.nodes
        self.exact = exact
        """Number of moves left at which exact play begins; None to play exactly whenever there is time."""
        self._to_the_end = 0  # number of moves left at which selective searches begin to reach the game's end
        self._misjudging: Misjudging | None = None
        if level is not None:
            if depth is not None or exact is not None:
                raise InvalidOption("a level says the depth and where exact play starts: give one or the others")
            settings = level_of(game, level)
            self.depth, self.exact, self._to_the_end = settings.depth, settings.exact, settings.to_the_end
            if settings.misjudged:
                self._misjudging = Misjudging(settings.misjudged, settings.greed, variety or 1)
        if self.depth is not None and self.exact is None:
            self.exact = exact_moves_for_depth(game, self.depth)
        for option in options:
            if option not in settings_of_computers():
                raise UnknownName.among("setting", option, settings_of_computers())
        self.options: PlayerKeywords = {
            "table_depth": "at-least",
            **default_selectivity(game, options),
            **default_deepening(game, options),
            **options,
        }
        checked = Options(**self.options)
        check(game, checked, replace(limits, depth=self.depth))  # so that an error is raised before the first game
        bits = TABLE_BITS if "table_bits" not in options else checked.table_bits
        estimates = checked.algorithm not in ("minimax", *MONTE_CARLO)
        if bits is not None:
            check_bits(bits, tables=2 if estimates else 1)
        self._table = Table(bits) if bits is not None and estimates else None
        self._endings = Table(bits) if bits is not None else None  # exact and estimated values must not share a table
        self.options["table_bits"] = None
        self.policy: Policy = policy_named(policy)
        self._variety = None if variety is None else Variety(variety)
        self._habits: list[Habit] = [habit_named(habit, game) for habit in habits or ()]
        if book is not None:
            self._habits.append(BookHabit(_book_to_play_from(game, book), self._variety))
        self._last_value: int | None = None
        self._slowness = 1.0  # factor by which exact searches take longer on this machine than expected
        self._prepared = False
        self._quick_root: Root | None = None  # used if there is no time to set up another root
        self._has_clock = True  # whether the last game had a clock; True before the first game

    # --- methods of a `Player` ---

    def new_game(self, board: Board) -> None:
        """Forget the last game, and compile all kernels that will be needed, before the clock runs."""
        self._last_value = None
        for table in (self._table, self._endings):
            if table is not None:
                table.clear()
        for habit in self._habits:
            habit.new_game(board)
        for stream in (self._variety, self._misjudging):
            if stream is not None:
                stream.new_game()
        self._prepare(board)
        if self._has_clock and not board.is_game_over:
            self.policy.lateness.measure(lambda: self._set_up(board))  # before the clock starts
        self._has_clock = False

    def check(self, board: Board) -> None:
        """Raise `InvalidOption` if a GPU is required and this machine has none. Compiles nothing."""
        try:
            if self.options.get("device") == "gpu":
                resolve_device("gpu")
        except NoDevice as trouble:
            raise InvalidOption(f"{trouble}; device=gpu-or-cpu plays on the CPU where there is no GPU") from None

    def reseed(self, seed: int) -> None:
        """Set the seed of the player's random choices, if it makes any; a match does so before every game."""
        for stream in (self._variety, self._misjudging):
            if stream is not None:
                stream.reseed(seed)

    def _prepare(self, board: Board) -> None:
        if self._prepared or board.is_game_over:
            return
        self._prepared = True
        self._move_without_search(self._under_own_scoring(board))
        for options in (self.options, self._one_worker_options()):
            for _ in iterate(board, Limits(nodes=1), table=self._table, **options):
                pass
        if self.may_solve(board):
            for _ in iterate(board, Limits(nodes=1), table=self._endings, **self._exact_options()):
                pass

    def _set_up(self, board: Board) -> None:
        """Set up a search that ends at once, to measure how long the set-up takes."""
        for _ in iterate(board, deadline=Deadline(-inf), **self.options):
            pass

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        """Return the move of a habit (such as the book), the only legal move, or the best move found in time."""
        if clock.move_seconds is None:
            return self._choose(board, clock, stop)
        self._has_clock = True
        with collection_paused():
            return self._choose(board, clock, stop)

    def _choose(self, board: Board, clock: Clock, stop: Stop | None) -> Choice:
        entered = time.perf_counter()
        began = entered if clock.started is None else clock.started
        stop = stop or Stop()
        moves = board.legal_moves
        if len(moves) == 1:
            return Choice(move=moves[0], why="only move")
        for habit in self._habits:
            ready_choice = habit.choose(board)
            if ready_choice is not None:
                return ready_choice
        self._prepare(board)
        budget = self._budget(board, clock)
        board = self._under_own_scoring(board)
        lateness = self.policy.lateness
        deadline = Deadline(inf)
        if budget.hard_seconds is not None:
            # Without a clock nothing is lost by a search that returns late.
            setup = AT_ONCE if clock.move_seconds is None else max(AT_ONCE, lateness.setup_seconds)
            deadline = Deadline(began + budget.hard_seconds, setup_seconds=setup)
        if deadline.left_seconds() <= deadline.setup_seconds:
            choice = self._move_without_search(board)
            lateness.note_hasty(max(entered - began, time.perf_counter() - entered))
            return choice
        repeats = {} if self._repeats else repeating_moves(board)
        solved = self._solve(board, budget, deadline, stop)
        result = solved or self._search(board, budget, began, deadline, stop, repeats)
        self._last_value = result.value
        assert result.move is not None
        choice = _choice(result)
        if solved is None:
            choice = self._varied(board, choice, result, repeats)
        for habit in self._habits:
            habit.played(board, choice)
        if budget.hard_seconds is not None:
            delay, late = max(entered - began, deadline.longest_pause_seconds), time.perf_counter() - deadline.at
            lateness.note(delay, late, None if deadline.began_at is None else deadline.began_at - entered)
        return choice

    def _varied(self, board: Board, choice: Choice, result: Result, repeats: Mapping[Move, bool]) -> Choice:
        """Return `choice`, or another move: one that a weak player makes, avoids a repetition, or adds variety."""
        if not result.best:
            return choice
        picked = result.best[0]
        if self._misjudging is not None:
            picked = self._misjudging.pick(board, result.best, result.scale.points)
        elif repeats:
            unsure = round(result.scale.points * description_of(board.game).play.typical_error(result.depth))
            picked = preferred_move(_best_first(result), repeats, near=result.scale.near, unsure=unsure)
        elif self._variety is not None and not result.exact:
            picked = self._variety.pick(board, [(entry, entry.value) for entry in result.best], result.scale.near)
        else:
            return choice
        if picked.move == choice.move:
            return choice
        return replace(choice, move=picked.move, value=picked.value, line=(picked.move,))

    def _move_without_search(self, board: Board) -> Choice:
        """Return the first move of the move ordering, for lack of time to search."""
        if self._quick_root is None or self._quick_root.game != board.game:
            self._quick_root = Root(
                board.game, board.position, Options(table_bits=None, exact=True, use_endgame_kernels=False)
            )
        self._quick_root.move_to(board.position)
        return Choice(move=board.move(self._quick_root.moves[0].code), why="no time")

    def ponder(self, board: Board, *, stop: Stop) -> None:
        """Search on the opponent's time, to fill the table with positions that may come."""
        if self._table is None or board.is_game_over or self.options.get("algorithm") in MONTE_CARLO:
            return
        for _ in iterate(board, Limits(), stop=stop, table=self._table, **self.options):
            pass

    def close(self) -> None:
        """Release the transposition tables."""
        self._table = self._endings = None

    # --- time ---

    def _budget(self, board: Board, clock: Clock) -> Budget:
        budget = self.policy.budget(board, clock, self._last_value)
        if self.depth is not None:
            whole = self._is_selective and board.moves_left <= self._to_the_end
            budget = replace(budget, depth=max(self.depth, board.moves_left + 1) if whole else self.depth)
        if self.seconds is not None:
            return budget.within(self.seconds)
        nothing = budget.depth is None and budget.hard_seconds is None and self.nodes is None
        return budget.within(self.DEFAULT_SECONDS) if nothing else budget

    @property
    def _is_selective(self) -> bool:
        return self.options.get("selectivity", 100) < 100

    def _search(
        self, board: Board, budget: Budget, began: float, deadline: Deadline, stop: Stop, repeats: Mapping[Move, bool]
    ) -> Result:
        """Return the last result of iterative deepening, which the time policy or a limit ends."""
        limits = Limits(depth=budget.depth, nodes=self.nodes)
        alone = budget.hard_seconds is not None and budget.hard_seconds < WORTH_SHARING
        options = self._one_worker_options() if alone else self.options
        moves = 1 if self._variety is None else self._variety.moves(board)
        if self._misjudging is not None:
            moves = len(board.legal_moves)
        moves = max(moves, 1 + len(repeats))  # so that at least one of them repeats no position
        last: Result | None = None
        stable, before = 0, time.perf_counter()
        ties = self._ties[board.turn]
        timed = deadline if budget.hard_seconds is not None else None
        search = iterate(board, limits, stop=stop, table=self._table, moves=moves, ties=ties, deadline=timed, **options)
        for result in search:
            now = time.perf_counter()
            same = last is not None and last.move == result.move
            stable = stable + 1 if same else 0
            last = result
            if result.stopped or result.exact:
                break
            if result.depth and self.policy.enough(budget, now - began, now - before, stable):
                break
            before = now
        search.close()  # ends its workers now
        assert last is not None
        return last

    def _under_own_scoring(self, board: Board) -> Board:
        """Return the board under rules with the player's own scoring."""
        variants = description_of(board.game).variants
        if self._scoring is None or variants.options_of(board.game).get("scoring") == self._scoring:
            return board
        assert variants.with_options is not None
        game = variants.with_options(board.game, {"scoring": self._scoring})
        return board_class(game)(game, board.position, board.turn, ply=board.ply)

    def _one_worker_options(self) -> PlayerKeywords:
        return {**self.options, "workers": 1, "parallel": None}

    # --- endings ---

    def may_solve(self, board: Board) -> bool:
        """Return whether the player may solve a position of this game exactly."""
        return self.exact != 0 and board.moves_left < ENDLESS_GAME

    def _exact_options(self) -> OptionKeywords:
        """Return the options of exact searches: the player's workers, and defaults for the rest."""
        usual: OptionKeywords = {"exact": True, "deepen": False, "table_bits": None, "algorithm": "pvs"}
        if "workers" in self.options:
            usual["workers"] = self.options["workers"]
        if "pin" in self.options:
            usual["pin"] = self.options["pin"]
        return usual

    def _solve(self, board: Board, budget: Budget, deadline: Deadline, stop: Stop) -> Result | None:
        """Return the exact result of a position; None if it should not be solved, or was not solved in time."""
        if not self.may_solve(board) or stop.called:
            return None
        moves, left = board.moves_left, None if budget.hard_seconds is None else deadline.left_seconds()
        expected = description_of(board.game).play.ending_time.expected(moves)
        if self.exact is not None:
            if moves > self.exact:
                return None
        elif left is None or self._slowness * expected + 2 * deadline.setup_seconds > SURE_OF_TIME * left:
            return None
        ending_deadline = None if left is None else Deadline(deadline.at - (1 - MOST_OF_TIME) * left)
        *_, result = iterate(board, stop=stop, table=self._endings, deadline=ending_deadline, **self._exact_options())
        if ending_deadline is not None:
            deadline.longest_pause_seconds, deadline.began_at = (
                ending_deadline.longest_pause_seconds,
                ending_deadline.began_at,
            )
        if result.exact and not result.stopped:
            return result
        if not stop.called:
            # The time was wasted: solve the next position only if it is expected to be much faster.
            self._slowness = 2 * max(self._slowness, result.seconds / expected)
        return None


@cache
def settings_of_computers() -> dict[str, Kind]:
    """Return the type of each setting of a `Computer`, by name: its own settings and the options of its searches."""
    own = get_type_hints(Computer.__init__, include_extras=True)
    excluded = ("moves", "exact", "wld", "use_endgame_kernels")
    searches = {name: kind for name, kind in kinds_of(Options).items() if name not in excluded}
    return {**searches, **{name: own[name] for name in own if name not in ("game", "name", "options", "return")}}


def _book_to_play_from(game: Game, name: str) -> Book:
    book = Book.read(game, name)
    if not book.entries:
        raise InvalidOption(f"{name}: there is no position in this book")
    return book


def _check_scoring(game: Game, scoring: str) -> None:
    """Raise an error if the game cannot be scored in this way."""
    option = description_of(game).variants.option("scoring")
    if option is None:
        games = titles_of_games(lambda game_description: game_description.variants.option("scoring"))
        raise InvalidOption(f"scoring is for {games}")
    conform(Literal[option.choices] if option.choices else str, scoring, "scoring")


def _best_first(result: Result) -> list[MoveValue]:
    """Return the moves with values, the result's move first; an unfinished iteration may have changed the best move."""
    others = [entry for entry in result.best if entry.move != result.move]
    if result.move is None or result.value is None:
        return others
    return [MoveValue(move=result.move, value=result.value), *others]


def _choice(result: Result) -> Choice:
    move: Move | None = result.move
    assert move is not None
    return Choice(
        move=move,
        value=result.value,
        scale=result.scale,
        depth=result.depth,
        nodes=result.nodes,
        exact=result.exact,
        line=result.pv,
        why="no time" if result.value is None else "",
    )
