"""`outflank match`: play a match that shows which player is stronger."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial

import click
from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from outflank.arena import MatchResult, MatchStanding, Settings, Sprt, play_match
from outflank.arena.game_runners import GameWorker
from outflank.arena.match_documents import MatchGameDocument, MatchResultDocument
from outflank.arena.match_game import MatchGame
from outflank.arena.match_report import duel_lines, forfeit_lines, processor_lines, report_text, table_rows
from outflank.arena.referee import CRASHED
from outflank.arena.sprt import Scale
from outflank.command_lines import command_line, this_command
from outflank.distributed.cluster import nodes_here, open_tasks, serve_tasks
from outflank.distributed.engines import address_forms
from outflank.distributed.launchers import refuse_copies
from outflank.games.description import RuleOptions, description_of
from outflank.lab.provenance import provenance
from outflank.machine import usable_cores
from outflank.players.clock import TimeControl
from outflank.players.specs import is_program, player
from outflank.search.request import Stop
from outflank.search.request_checks import MONTE_CARLO
from outflank.ui.cli.shared.game_options import GameCommand, game_option, intended_game
from outflank.ui.cli.shared.interrupting import INTERRUPTED, run_interruptibly
from outflank.ui.cli.shared.position_options import diagnostics, output, print_json, start_of
from outflank.validation.documents import converted, plain
from outflank.validation.text import how_many, is_count

GAMES_OF_A_TEST = 40_000
"""Number of games after which a sequential test ends without a decision, unless --games is given."""

make_player = player
"""Function that creates a player from its description in words. Tests replace this function."""


@click.command("match", cls=GameCommand)
@click.argument("players", nargs=-1, required=True, metavar="PLAYER PLAYER…")
@click.option("--games", type=int, help="Games between every two players.  [100; 40000 with --sprt]")
@click.option(
    "--clock", default="none", metavar="TIME", help="5+3 (minutes and seconds), 5m, 30s+0.1s, 2s/move or none.  [none]"
)
@click.option("--openings", default="", metavar="WHICH", help="random:PLIES, layouts:PLIES, FILE or FILE:PLIES.")
@click.option("--seed", type=int, default=1, help="Random seed of openings and players.  [1]")
@click.option("--concurrency", type=int, default=1, help="Games at a time; with --cluster, on each node.  [1]")
@click.option("--cluster", metavar="WHERE", help=f"Play the games on a cluster: {address_forms()}.")
@click.option("--sprt", metavar="ELO0,ELO1", help="Sequential test: stop once one of two Elo differences is accepted.")
@click.option(
    "--sprt-scale", type=click.Choice(["normalized", "logistic"]), default="normalized", help="Elo scale of --sprt."
)
@click.option("--unpaired", is_flag=True, help="A new opening for every game, not for every two.")
@click.option("--ply-limit", type=int, metavar="N", help="Moves after the opening after which a game is drawn.")
@click.option("--ponder", is_flag=True, help="Let players think on the opponent's time.")
@click.option("--lag", type=float, default=0.0, metavar="SECONDS", help="Time per move that is not charged.  [0]")
@game_option("The game that is played.")
@click.option("--out", type=click.Path(), metavar="DIR", help="Save the match there.")
@click.option("--resume", is_flag=True, help="Resume the match in --out DIR.")
@click.option("--replace", is_flag=True, help="Start again, even if --out DIR has a match.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each game, and one for the match.")
def command(
    players: tuple[str, ...],
    games: int | None,
    clock: str,
    openings: str,
    seed: int,
    concurrency: int,
    cluster: str | None,
    sprt: str | None,
    sprt_scale: Scale,
    unpaired: bool,
    ply_limit: int | None,
    ponder: bool,
    lag: float,
    game: str | None,
    game_options: RuleOptions,
    out: str | None,
    resume: bool,
    replace: bool,
    as_json: bool,
) -> int:
    """Play pairs of games with colours swapped, and print which player is stronger and with what confidence.

    A player is `random`, `first`, `computer` with settings, or another program.

    \b
      outflank match "computer depth=5" "computer depth=3" --games 100
      outflank match "computer time=1" "gtp: other" --clock 1m+0.5s --out results
      outflank match "computer depth=6" "computer depth=5" --sprt 0,10
      outflank match "computer workers=1" "computer level=5" --cluster local:2
    """
    start = start_of(intended_game(game, game_options), game_options)[0]
    settings = Settings(
        players=players,
        start=start,
        games=games if games is not None else GAMES_OF_A_TEST if sprt is not None else 100,
        clock=TimeControl.parse(clock),
        openings=openings,
        seed=seed,
        paired=not unpaired,
        ply_limit=ply_limit,
        ponder=ponder,
        lag_seconds=lag,
        sprt=None if sprt is None else Sprt.parse(sprt, scale=sprt_scale),
    )
    play_games = partial(GameWorker, settings, make_player)
    refuse_copies(cluster)
    if cluster is not None and serve_tasks(cluster, play_games, per_node=concurrency):
        return 0
    with nullcontext() if cluster is None else open_tasks(cluster, play_games, per_node=concurrency) as tasks:
        if settings.clock != TimeControl() and not as_json:
            output().print(f"clock: {settings.clock.in_words}")
        _warn_of_overload(players, cluster, concurrency)
        stop = Stop()
        origin = provenance(this_command()) if out is not None else None
        with _progress_callbacks(settings, as_json=as_json) as (finished, progress):
            result = run_interruptibly(
                lambda: play_match(
                    settings,
                    make_player,
                    out=out,
                    resume=resume,
                    replace=replace,
                    origin=origin,
                    concurrency=concurrency,
                    tasks=tasks,
                    finished=finished,
                    progress=progress,
                    stop=stop,
                ),
                stop,
            )
        _show(result, settings, as_json=as_json)
        for why in tasks.refused if tasks is not None else ():
            diagnostics().print(f"outflank: warning: played no game: {why}", soft_wrap=True)
    if result.interrupted:
        hint = "" if out is None else f"; {command_line(['--resume', '--out', str(out)])} goes on from here"
        diagnostics().print(f"interrupted{hint}")
        return INTERRUPTED
    if _crashed(result, players):
        return 1
    test = result.standing.test
    return 1 if test is not None and test.decision == "H0" else 0


def _crashed(result: MatchResult, players: tuple[str, ...]) -> bool:
    """Report the package's own players that crashed, and return whether there are any.

    After a crash, the result of the match does not compare the players' strength.
    """
    any_crashed = False
    for number, name in enumerate(result.standing.names):
        count = result.standing.forfeits.get(number, {}).get(CRASHED, 0)
        if count and not is_program(players[number]):
            any_crashed = True
            lost = (match_game.game.ending for match_game in result.games if match_game.loser == number)
            why = next(ending.detail for ending in lost if ending.reason == CRASHED)
            diagnostics().print(f"outflank: {name} crashed in {count} of its games: {why}", soft_wrap=True)
    return any_crashed


def _warn_of_overload(players: tuple[str, ...], cluster: str | None, concurrency: int) -> None:
    """Warn if the players of simultaneous games search with more threads than there are cores."""
    cores = max(1, int(usable_cores()))
    games = concurrency * nodes_here(cluster)
    widest = max((_workers(text, cores) for text in players), default=0)
    if games > 1 and games * widest > cores:
        diagnostics().print(
            f"outflank: warning: {games} games at a time with players of {how_many(widest, 'worker')} "
            f"on {how_many(cores, 'core')}: "
            "they take each other's time; workers=1 says how many a player has",
            soft_wrap=True,
        )


def _workers(text: str, cores: int) -> int:
    """Return the number of threads that a player searches with, or 0 if it does not search or the number is unknown."""
    words = text.split()
    if words[:1] != ["computer"]:
        return 0
    numbers = [word.removeprefix("workers=") for word in words if word.startswith("workers=")]
    default = 1 if {f"algorithm={name}" for name in MONTE_CARLO} & set(words) else cores
    return int(numbers[-1]) if numbers and is_count(numbers[-1]) else default


# --- output ---

Watchers = tuple[Callable[[MatchGame], None] | None, Callable[[MatchStanding], None] | None]


@contextmanager
def _progress_callbacks(settings: Settings, *, as_json: bool) -> Iterator[Watchers]:
    """Yield a callback that prints each finished game, and one that redraws the standing on a terminal.

    A callback is None if its output is not needed.
    """
    console = diagnostics()
    per_game = _json_line if as_json else None if output().is_terminal else _plain_line
    if as_json or not console.is_terminal:
        yield per_game, None
        return
    from rich.live import Live

    with Live(console=console, transient=True, auto_refresh=False) as live:
        unit = description_of(settings.start.game).scores.margin_unit
        yield per_game, lambda standing: live.update(_table(standing, unit), refresh=True)


def _json_line(match_game: MatchGame) -> None:
    print_json(converted(MatchGameDocument, plain(match_game.line)))


def _plain_line(match_game: MatchGame) -> None:
    record, ending = match_game.game.record, match_game.game.ending
    result = {1.0: "1-0", 0.0: "0-1"}.get(ending.points, "1/2-1/2")
    why = f" {ending.reason}: {ending.detail}" if ending.reason else ""
    output().print(f"{match_game.number + 1}: {record.black} - {record.white} {result} {ending.score:+g}{why}")


def _games_played(standing: MatchStanding) -> str:
    return f"{standing.finished} of {how_many(standing.planned, 'game')}"


def _table(standing: MatchStanding, unit: str) -> RenderableType:
    """Return the standing of a match as a table, for display during the match."""
    games_played = Text(_games_played(standing))
    if len(standing.names) == 2:
        grid = Grid(box=None, show_header=False, pad_edge=False)
        for word, text in duel_lines(standing, unit=unit):
            grid.add_row(word, Text(text))
        return Group(Text(f"{standing.names[0]} against {standing.names[1]}"), grid, games_played)
    columns, rows = table_rows(standing)
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(columns):
        grid.add_column(column, justify="left" if index == 1 else "right", no_wrap=index == 1)
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    return Group(
        grid,
        *(Text(f"{word} {text}") for word, text in processor_lines(standing) + forfeit_lines(standing)),
        games_played,
    )


def _show(result: MatchResult, settings: Settings, *, as_json: bool) -> None:
    if as_json:
        print_json(MatchResultDocument.from_match(settings, result.standing, interrupted=result.interrupted))
        return
    console: Console = output()
    console.print(report_text(result.standing, unit=description_of(settings.start.game).scores.margin_unit))
    if not result.standing.complete:
        console.print(_games_played(result.standing))
