"""Puzzles: positions of games in which exactly one move keeps the best final score under perfect play.

A file of puzzles has one `Puzzle` per line, as a JSON object. Every score in it is proved.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from msgspec import Meta, field

from outflank.boards import Board
from outflank.errors import InvalidOption, OutflankError, reason_of
from outflank.formats.game_record import Record
from outflank.games.description import GAMES, description_of
from outflank.games.evaluation import Exact, scale_of
from outflank.games.sides import Side
from outflank.search.request import Stop
from outflank.search.results import Result
from outflank.search.solving import TABLE_BITS, default_table_bits, solve
from outflank.validation.documents import Document, decoded, encoded
from outflank.validation.values import Misfit

MOST_LEFT = 16
"""Maximum number of moves left in a puzzle, so that each answer is judged at once."""

FEWEST_MOVES = 3
"""Minimum number of legal moves in a puzzle."""

MARGIN = 2
"""Default minimum difference between the scores of the best and of the second-best move."""

DAILY = 5
"""Number of puzzles in the set of a day."""

GAMES_FOR_EACH = 50
"""Number of games from which a puzzle is made, on average, if the files have as many."""


class Puzzle(Document, frozen=True, kw_only=True, omit_defaults=True, tag="outflank/puzzle/1"):
    """A position in which one move keeps the best final score."""

    game: str
    options: dict[str, int | str] = field(default_factory=dict)
    """Options of the rules that the position does not state and that differ from their defaults."""
    position: str
    """Position in the game's notation."""
    left: Annotated[int, Meta(ge=1, le=MOST_LEFT)]
    """Number of moves left, such as empty squares."""
    scores: Annotated[dict[str, int], Meta(min_length=2)]
    """Final score of each legal move under perfect play, for the side to move. The best move comes first."""
    line: str
    """Moves of both sides under perfect play to the end of the game, beginning with the best move."""

    @property
    def best(self) -> str:
        """The move that keeps the best score."""
        return max(self.scores, key=lambda move: self.scores[move])

    @property
    def rating(self) -> int:
        """Estimated difficulty on the scale of a player's rating: a longer ending and more moves are harder."""
        return 900 + 75 * (self.left - 6) + 30 * (len(self.scores) - FEWEST_MOVES)

    def board(self) -> Board:
        """Return the position as a board, or raise an error if it is invalid or has too many moves left."""
        board = Board.from_text(self.position, game=self.game, **self.options)
        if board.moves_left > MOST_LEFT:
            raise OutflankError(f"{board.moves_left} moves are left, and a puzzle has at most {MOST_LEFT}")
        return board


def score_text(board: Board, score: int) -> str:
    """Return a final score with its unit: `+12 discs`."""
    return scale_of(board.game, Exact()).score_text(score)


# --- values under perfect play ---


def _solved(board: Board, moves: int = 1, stop: Stop | None = None, most_bits: int = TABLE_BITS) -> Result:
    bits = min(most_bits, default_table_bits(board))
    return solve(board, workers=1, moves=moves, stop=stop, table_bits=bits)


def final_score(
    board: Board, side: Side, stop: Stop | None = None, most_bits: int = TABLE_BITS
) -> tuple[int | None, str]:
    """Return the final score under perfect play for `side`, and the best move, which is empty if the game is over.

    The score is None if `stop` was called before it was proved. The transposition table has at most 2^`most_bits`
    entries.
    """
    outcome = board.outcome()
    if outcome is not None:
        return (outcome.score if side is Side.BLACK else -outcome.score), ""
    result = _solved(board, stop=stop, most_bits=most_bits)
    if not result.exact or result.value is None:
        return None, ""
    return (result.value if board.turn is side else -result.value), str(result.move)


def _scores_of_moves(board: Board) -> dict[str, int]:
    """Return the final score of each legal move, the best first."""
    values = {str(entry.move): entry.value for entry in _solved(board, len(board.legal_moves)).best}
    return dict(sorted(values.items(), key=lambda item: (-item[1], item[0])))


def _perfect_line(board: Board) -> str:
    """Return the moves of both sides under perfect play to the end of the game."""
    board = board.copy()
    first = len(board.moves)
    while not board.is_game_over:
        board.push(final_score(board, board.turn)[1])
    return " ".join(map(str, board.moves[first:]))


# --- making ---


def make_puzzles(
    records: Iterable[Record],
    lengths: Sequence[int],
    count: int,
    *,
    margin: int = MARGIN,
    seed: int = 1,
    report: Callable[[str], object] = lambda text: None,
) -> list[Puzzle]:
    """Return up to `count` puzzles from positions of games with so many moves left, in equal shares of the lengths.

    A game gives at most one puzzle. The same games and seed give the same puzzles.
    """
    if not lengths or not all(1 <= left <= MOST_LEFT for left in lengths):
        raise InvalidOption(f"lengths of puzzles: 1 to {MOST_LEFT} moves left")
    rng = random.Random(f"puzzles {seed}")
    wanted = {left: count // len(lengths) + (index < count % len(lengths)) for index, left in enumerate(lengths)}
    puzzles: dict[str, Puzzle] = {}
    for record in _sample(records, GAMES_FOR_EACH * count, rng):
        open_lengths = [left for left, number in wanted.items() if number]
        if not open_lengths:
            break
        puzzle = _puzzle_of(record, rng.choice(open_lengths), margin)
        if puzzle is not None and puzzle.position not in puzzles:
            puzzles[puzzle.position] = puzzle
            wanted[puzzle.left] -= 1
            report(f"{len(puzzles)} of {count} puzzles")
    return sorted(puzzles.values(), key=lambda puzzle: (puzzle.left, puzzle.rating, puzzle.position))


def _sample(records: Iterable[Record], size: int, rng: random.Random) -> list[Record]:
    """Return `size` random games in random order, or all games if there are fewer (reservoir sampling)."""
    sample: list[Record] = []
    for number, record in enumerate(records):
        place = number if number < size else rng.randrange(number + 1)
        if place < size:
            sample[place : place + 1] = [record]
    rng.shuffle(sample)
    return sample


def _puzzle_of(record: Record, left: int, margin: int) -> Puzzle | None:
    """Return the puzzle at the position of a game with `left` moves left; None if that position is not a puzzle."""
    board = Board.from_setup(record.start)
    for move in record.moves:
        if board.moves_left <= left:
            break
        board.push(board.move(move.code))
    if board.moves_left != left or len(board.legal_moves) < FEWEST_MOVES:
        return None
    first, second = _solved(board, 2).best[:2]
    return puzzle_at(board) if first.value - second.value >= margin else None


def puzzle_at(board: Board) -> Puzzle:
    """Return the position of a board as a puzzle."""
    variants, options = description_of(board.game).variants, {}
    for name, value in variants.options_of(board.game).items():
        option = variants.option(name)
        if option is not None and option.value_text is None and value != option.default:
            options[name] = value
    return Puzzle(
        game=description_of(board.game).name,
        options=options,
        position=board.to_text(),
        left=board.moves_left,
        scores=_scores_of_moves(board),
        line=_perfect_line(board),
    )


# --- checking ---


def find_errors(puzzle: Puzzle, margin: int = MARGIN) -> list[str]:
    """Solve a puzzle again, and return everything that is wrong in it."""
    try:
        board = puzzle.board()
    except OutflankError as error:
        return [str(error)]
    errors = []
    if puzzle.left != board.moves_left:
        errors.append(f"left is {puzzle.left}, but {board.moves_left} moves are left")
    if set(puzzle.scores) != set(board.legal_move_texts()):
        return [*errors, f"the moves are {' '.join(puzzle.scores)}, but legal are {' '.join(board.legal_move_texts())}"]
    scores = _scores_of_moves(board)
    errors += [
        f"{move} scores {puzzle.scores[move]:+d}, but the solver finds {score:+d}"
        for move, score in scores.items()
        if puzzle.scores[move] != score
    ]
    best, second = sorted(scores.values(), reverse=True)[:2]
    if best - second < margin:
        errors.append(f"the second-best move loses only {best - second}, and a puzzle needs {margin}")
    return [*errors, *_errors_in_line(puzzle, board, best)]


def _errors_in_line(puzzle: Puzzle, board: Board, best: int) -> Iterator[str]:
    """Yield the first error of a puzzle's line: an illegal move, or a move that changes the score."""
    side = board.turn
    for move in puzzle.line.split():
        try:
            board.push(move)
        except OutflankError as error:
            yield f"the line: {error}"
            return
        score, _ = final_score(board, side)
        if score != best:
            yield f"the line: after {move} the score is {score:+d}, and not {best:+d}"
            return
    if not board.is_game_over:
        yield "the line ends before the game"


# --- files and daily sets ---


def read_puzzles(data: bytes, place: str) -> list[Puzzle]:
    """Return the puzzles of a file's content; errors name the file `place` and the line."""
    puzzles = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        if line.strip():
            try:
                puzzles.append(decoded(Puzzle, line))
            except Misfit as error:
                raise OutflankError(f"{place}, line {number}: {error}") from None
    if not puzzles:
        raise OutflankError(f"{place} has no puzzles")
    return puzzles


def puzzles_of(file: Path | None) -> list[Puzzle]:
    """Return the puzzles of a file, or the bundled puzzles of all games."""
    if file is not None:
        try:
            return read_puzzles(file.read_bytes(), str(file))
        except OSError as error:
            raise OutflankError(f"{file}: {reason_of(error)}") from None
    bundled = (game.play.puzzles for game in GAMES.parts().values())
    return [puzzle for text in bundled if text for puzzle in read_puzzles(text().encode(), "the bundled puzzles")]


def in_lines(puzzles: Iterable[Puzzle]) -> bytes:
    """Return the content of a file with these puzzles."""
    return b"".join(encoded(puzzle) + b"\n" for puzzle in puzzles)


def daily_set(puzzles: Sequence[Puzzle], day: date, count: int = DAILY) -> list[int]:
    """Return the indices of the puzzles of a day, the easiest first.

    The puzzles are sorted by rating and divided into `count` parts. Each day takes the next puzzle of each part, so
    that no puzzle returns before all others of its part had their day.
    """
    order = sorted(range(len(puzzles)), key=lambda index: puzzles[index].rating)
    count = min(count, len(order))
    edges = [len(order) * part // count for part in range(count + 1)] if count else []
    parts = [order[first:last] for first, last in pairwise(edges)]
    return [part[day.toordinal() % len(part)] for part in parts]
