"""`outflank puzzles`: solve the puzzles of a day, make puzzles from games, and check them."""

from datetime import date, datetime
from pathlib import Path

import click

from outflank.errors import OutflankError
from outflank.formats.selection import Selection
from outflank.players.puzzles import (
    MARGIN,
    MOST_LEFT,
    Puzzle,
    daily_set,
    final_score,
    find_errors,
    in_lines,
    make_puzzles,
    puzzles_of,
    score_text,
)
from outflank.ui.cli.game_files.convert_command import FormatName, games_of
from outflank.ui.cli.shared.board_view import draw_cells
from outflank.ui.cli.shared.option_groups import Group
from outflank.ui.cli.shared.output_files import STANDARD_OUTPUT, force_option, refuse_to_overwrite, write_output
from outflank.ui.cli.shared.position_options import diagnostics, output
from outflank.ui.cli.shared.progress_line import progress_line, quiet_option
from outflank.validation.text import comma_separated_words, how_many, is_count

LENGTHS = "6,8,10,12,14"


@click.group("puzzles", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> int:
    """Solve puzzles: positions of games in which exactly one move keeps the best score.

    Without a command it asks the puzzles of today, as `outflank puzzles play` does. `outflank serve` has them on a
    board, with a rating.
    """
    return context.invoke(play_command) if context.invoked_subcommand is None else 0


@command.command("play")
@click.argument("file", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE", help="The day of the set.  [today]")
def play_command(file: Path | None = None, day: datetime | None = None) -> int:
    """Solve the puzzles of a day, from a file or from those that come with the package.

    For each position, type the only move that keeps the best final score. An empty line skips a puzzle, Ctrl-D ends.
    The status is 1 if a puzzle is not solved.
    """
    puzzles = puzzles_of(file)
    indices = daily_set(puzzles, date.today() if day is None else day.date())
    console, solved = output(), 0
    for number, index in enumerate(indices, 1):
        console.print(f"\nPuzzle {number} of {len(indices)}, rating {puzzles[index].rating}")
        try:
            solved += _ask(puzzles[index])
        except click.Abort:
            console.print()
            break
    console.print(f"\n{solved} of {how_many(len(indices), 'puzzle')} solved")
    return 0 if solved == len(indices) else 1


def _ask(puzzle: Puzzle) -> bool:
    """Ask for the best move of a puzzle, and return whether the answer is right."""
    console, board = output(), puzzle.board()
    draw_cells(console, board)
    while True:
        console.print(f"{board.turn} to move, {puzzle.left} moves left")
        text = click.prompt("Your move", default="", show_default=False)
        if not text.strip():
            break
        try:
            move = str(board.parse_move(text))
        except OutflankError as error:
            console.print(str(error))
            continue
        after = board.copy()
        after.push(move)
        score, _ = final_score(after, board.turn)
        assert score is not None
        is_right = score == puzzle.scores[puzzle.best]
        console.print(f"{'Right' if is_right else 'Wrong'}: {move} scores {score_text(board, score)}.")
        if is_right:
            console.print(f"The game goes on: {puzzle.line}")
            return True
        break
    console.print(f"{puzzle.best} scores {score_text(board, puzzle.scores[puzzle.best])}: {puzzle.line}")
    return False


@command.command("make")
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@click.option("--out", required=True, metavar="FILE", help="The file of puzzles; - prints them.")
@click.option("--empties", "lengths", default=LENGTHS, show_default=True, metavar="N,…", help="Moves left.")
@click.option("--count", type=click.IntRange(1, 100_000), default=100, show_default=True, help="Number of puzzles.")
@click.option(
    "--margin",
    type=click.IntRange(1),
    default=MARGIN,
    show_default=True,
    help="Least loss of every move but the best.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the choice of games.")
@click.option("--from", "from_", type=FormatName(), help="The format, if neither content nor name shows it.")
@force_option
@quiet_option
def make_command(
    files: tuple[str, ...],
    out: str,
    lengths: str,
    count: int,
    margin: int,
    seed: int,
    from_: str | None,
    force: bool,
    quiet: bool,
) -> int:
    """Make puzzles from the games in files.

    Positions with so many moves left (in Othello: empty squares) are solved. A position with exactly one best move
    becomes a puzzle. The file has a JSON object per line, with the exact score of every move. The status is 1 if the
    games have fewer puzzles.

    \b
      outflank puzzles make WTH_1998.wtb --out 1998.puzzles --count 50
      outflank puzzles make *.ggf --out hard.puzzles --empties 12,14 --margin 4
    """
    numbers = [int(word) for word in comma_separated_words(lengths) if is_count(word)]
    if len(numbers) != len(comma_separated_words(lengths)) or not all(1 <= left <= MOST_LEFT for left in numbers):
        raise OutflankError(f"--empties {lengths}: expected numbers from 1 to {MOST_LEFT}, like {LENGTHS}")
    refuse_to_overwrite([out], force=force)
    records = (record for file in files for _, record in games_of(file, Selection(), from_))
    with progress_line(quiet=quiet) as report:
        report("reading games")
        puzzles = make_puzzles(records, numbers, count, margin=margin, seed=seed, report=report)
    if not puzzles:
        raise OutflankError(f"{' '.join(files)}: no position with {lengths} moves left is a puzzle")
    write_output(out, in_lines(puzzles).decode())
    if out != STANDARD_OUTPUT:
        output().print(f"{how_many(len(puzzles), 'puzzle')} written to {out}")
    if len(puzzles) < count:
        diagnostics().print(f"outflank: the games have only {how_many(len(puzzles), 'puzzle')} of {count}")
    return 0 if len(puzzles) == count else 1


@command.command("check")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--margin", type=click.IntRange(1), default=MARGIN, show_default=True, help="As for `make`.")
@quiet_option
def check_command(file: Path, margin: int, quiet: bool) -> int:
    """Solve every puzzle of a file again, and print what is wrong; the status is 1 if anything is.

    Checked are the scores of all moves, that only one of them is the best, and that the line is perfect play to the end
    of the game.
    """
    puzzles, wrong = puzzles_of(file), 0
    with progress_line(quiet=quiet) as report:
        for number, puzzle in enumerate(puzzles, 1):
            report(f"{number} of {len(puzzles)}")
            errors = find_errors(puzzle, margin)
            wrong += bool(errors)
            for error in errors:
                output().print(f"puzzle {number}: {error}")
    output().print(f"{how_many(len(puzzles), 'puzzle')} checked, {wrong or 'none'} wrong")
    return 1 if wrong else 0
