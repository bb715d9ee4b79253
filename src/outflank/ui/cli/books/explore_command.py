"""`outflank explore`, with the subcommands `show` and `index`: the moves that many games made in a position."""

from pathlib import Path
from typing import Any

import click

from outflank.boards import Board
from outflank.books.book import Book, own_book
from outflank.books.from_games import rules_in
from outflank.books.game_index import Continuation, Exploration, GameIndex, IndexBuilder, explore
from outflank.errors import OutflankError, reason_of
from outflank.folders import GAMES_INDEX, data_folder
from outflank.games.description import GAMES, RuleOptions, description_of
from outflank.search.request import Stop
from outflank.ui.cli.books.build_commands import MOST_PLIES, UNREADABLE
from outflank.ui.cli.shared.game_options import GameCommand, PositionCommand, intended_game
from outflank.ui.cli.shared.interrupting import INTERRUPTED, run_interruptibly
from outflank.ui.cli.shared.option_groups import Group, NameOf
from outflank.ui.cli.shared.output_files import force_option, refuse_to_overwrite
from outflank.ui.cli.shared.position_options import (
    diagnostics,
    one_board,
    output,
    position_options,
    print_json,
    start_of,
)
from outflank.ui.cli.shared.progress_line import progress_line, quiet_option
from outflank.ui.cli.shared.terminal_tables import print_table
from outflank.validation.text import how_many

INDEXED_PLIES = 30
LATEST_GAMES = 5


@click.command("show", cls=PositionCommand)
@position_options
@click.option(
    "--index",
    "files",
    multiple=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=f"The index; may be repeated.  [{GAMES_INDEX} in the user's data folder]",
)
@click.option("--book", "name", metavar="FILE", help="The book whose values are shown.  [own, if the game has one]")
@click.option(
    "--latest",
    "most",
    type=click.IntRange(0),
    default=LATEST_GAMES,
    show_default=True,
    metavar="N",
    help="List the latest N games that reached the position.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show_command(files: tuple[Path, ...], name: str | None, most: int, as_json: bool, **options: Any) -> int:
    """Show the moves that were made in a position: how often, with which results, and their values in the book.

    Wins, losses and scores are those of the side to move. Moves that are mirror images of each other are one row. The
    status is 1 if neither a game nor the book has the position.
    """
    board = one_board(**options)
    default = data_folder() / GAMES_INDEX
    if not files and not default.exists():
        raise OutflankError("no games are indexed yet: outflank explore index FILES")
    indexes = [GameIndex(file) for file in files or (default,)]
    if not any(index.fits(board.game) for index in indexes):
        rules = " and ".join(sorted({description_of(index.game).describe(index.game) for index in indexes}))
        raise OutflankError(f"the index has games of {rules}, not of {description_of(board.game).describe(board.game)}")
    book = own_book(board.game) if name is None else Book.read(board.game, name)
    explored = explore(board, indexes, book, most=most)
    if as_json:
        print_json(_document(board, explored, book))
    else:
        _print(board, explored, book)
    return 0 if explored.moves else 1


def _print(board: Board, explored: Exploration, book: Book | None) -> None:
    console = output()
    console.print(", ".join(filter(None, (board.opening, how_many(explored.games, "game"), f"{board.turn} to move"))))
    if not explored.moves:
        return
    has_book = book is not None and any(move.book_value is not None for move in explored.moves)
    columns = ["move", "games", "share", "wins", "draws", "losses", "score", *(["book"] if has_book else [])]
    rows = [
        [
            " ".join(str(board.move(code)) for code in move.codes),
            f"{move.games:,}",
            *_shares(move, explored.games),
            "" if move.mean_score is None else f"{move.mean_score:+.1f}",
            *([_book_text(move, book)] if book is not None and has_book else []),
        ]
        for move in explored.moves
    ]
    print_table(console, "", columns, rows)
    if explored.latest:
        print_table(
            console,
            "The latest games",
            ["year", "black", "white", "score", "move", "number", "file"],
            _latest(board, explored),
        )


def _shares(move: Continuation, games: int) -> list[str]:
    """Return the move's share of the games, and the shares of its wins, draws and losses."""
    counts = (move.wins, move.draws, move.losses)
    return [_percent(move.games, games), *(_percent(count, sum(counts)) for count in counts)]


def _percent(count: int, total: int) -> str:
    """Return a share of `total` as text, which is not 0 % unless `count` is 0; empty if `total` is 0."""
    if not total:
        return ""
    return "<1%" if 0 < count < 0.005 * total else f"{count / total:.0%}"


def _book_text(move: Continuation, book: Book) -> str:
    return "" if move.book_value is None else book.scale.text(move.book_value)


def _latest(board: Board, explored: Exploration) -> list[list[str]]:
    return [
        [
            str(game.year or ""),
            game.black,
            game.white,
            "" if game.score is None else f"{game.score:+g}",
            str(board.move(game.code)),
            f"{game.number:,}",
            Path(game.file).name,
        ]
        for game in explored.latest
    ]


def _document(board: Board, explored: Exploration, book: Book | None) -> Any:
    from outflank.ui.cli.shared.json_documents import ExploredGame, ExploredMove, ExploreDocument

    return ExploreDocument(
        position=board.to_text(),
        turn=board.turn.value,
        opening=board.opening,
        games=explored.games,
        moves=[
            ExploredMove(
                move=str(board.move(move.codes[0])),
                mirrored=[str(board.move(code)) for code in move.codes[1:]],
                games=move.games,
                wins=move.wins,
                draws=move.draws,
                losses=move.losses,
                mean_score=None if move.mean_score is None else round(move.mean_score, 2),
                book_value=None if book is None or move.book_value is None else book.scale.in_units(move.book_value),
            )
            for move in explored.moves
        ],
        latest=[
            ExploredGame(
                file=game.file,
                number=game.number,
                black=game.black,
                white=game.white,
                year=game.year,
                score=game.score,
                move=str(board.move(game.code)),
            )
            for game in explored.latest
        ],
    )


@click.command("index", cls=GameCommand)
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=f"The index.  [{GAMES_INDEX} in the user's data folder]",
)
@click.option(
    "--plies",
    type=click.IntRange(1, MOST_PLIES),
    default=INDEXED_PLIES,
    show_default=True,
    help="Moves of each game that are indexed.",
)
@click.option("--game", type=NameOf(GAMES), help="Only this game.  [that of the first record]")
@force_option
@quiet_option
def index_command(
    files: tuple[Path, ...],
    out: Path | None,
    plies: int,
    game: str | None,
    game_options: RuleOptions,
    force: bool,
    quiet: bool,
) -> int:
    """Index games, so that `outflank explore` and the browser find the games of a position in milliseconds.

    FILE has any format that `games` reads, or is the folder of a match. Games that cannot be read are reported and left
    out; the status is then 2.

    \b
      outflank explore index WTH_*.wtb
      outflank explore index match --game {last} --out {last}.index
    """
    target = data_folder() / GAMES_INDEX if out is None else out
    refuse_to_overwrite([target], force=force)
    start = None if game is None and not game_options else start_of(intended_game(game, game_options), game_options)[0]
    errors: list[str] = []
    stop = Stop()
    try:
        if out is None:
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (
            IndexBuilder(rules_in(files) if start is None else start.game, plies, target.absolute().parent) as builder,
            progress_line(quiet=quiet) as tell,
        ):

            def build() -> None:
                for file in files:
                    builder.read(file, errors.append, lambda count: tell(f"{count:,} games read"), stop)
                if not builder.games and not stop.called:
                    raise OutflankError(errors[0] if errors else f"{' '.join(map(str, files))}: no game of these rules")
                if not stop.called:
                    builder.write(target)

            run_interruptibly(build, stop)
    except OSError as error:
        raise OutflankError(f"{target}: {reason_of(error)}") from None
    for line in errors:
        diagnostics().print(f"outflank: {' '.join(line.split())}", soft_wrap=True)
    if stop.called:
        diagnostics().print("interrupted: no index is written")
        return INTERRUPTED
    if builder.others:
        diagnostics().print(f"{how_many(builder.others, 'game')} of other rules left out")
    size = target.stat().st_size
    output().print(
        f"{target}: {how_many(builder.games, 'game')}, {how_many(builder.moves, 'move')}, {size / 1e6:.1f} MB"
    )
    return UNREADABLE if errors else 0


class _ExploreGroup(Group):
    """Command group in which a position stands for the command `show` with this position."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_named = bool(args) and (args[0] in self.commands or args[0] in ctx.help_option_names)
        return super().parse_args(ctx, args if is_named else ["show", *args])


@click.group("explore", cls=_ExploreGroup)
def command() -> None:
    """Explore the moves that were made in a position in many games.

    `outflank explore POSITION` is short for `outflank explore show POSITION`. First index the games, once:

    \b
      outflank explore index WTH_*.wtb
      outflank explore f5d6c3d3c4
    """


command.add_command(show_command)
command.add_command(index_command)
