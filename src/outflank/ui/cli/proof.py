"""`outflank proof`: certificates of solved positions."""

from pathlib import Path

import click

from outflank.games.evaluation import Exact, scale_of
from outflank.machine import MOST_WORKERS
from outflank.proofs.certificate import read_certificate
from outflank.proofs.checking import Checked, CheckedStrategy, check
from outflank.proofs.frontier import Refused
from outflank.search.division import all_cores
from outflank.ui.cli.common import describe, diagnostics, game_name, output, print_json, scaled
from outflank.ui.cli.groups import Group
from outflank.ui.cli.progress import progress_line, quiet_option
from outflank.ui.cli.tables import print_table
from outflank.words import how_many


@click.group("proof", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Check the proof of a solved position.

    `outflank solve --proof FILE` writes one: for each side a strategy that holds the value against every answer.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@command.command("check")
@click.argument("file", metavar="FILE")
@click.option("--workers", type=click.IntRange(1, MOST_WORKERS), help="Threads that check.  [one per core]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@quiet_option
def check_command(file: str, workers: int | None, as_json: bool, quiet: bool) -> int:
    """Check a proof, by rules that are written apart from those that found it; status 1 if it is refused.

    Every position that a strategy can come to is played through, with all answers to it; at its leaves what is left is
    searched to the end.
    """
    try:
        with progress_line(quiet=quiet or as_json) as tell:
            found = check(read_certificate(Path(file)), workers=workers or all_cores(), watch=tell)
    except Refused as refused:
        diagnostics().print(f"{file} is refused: {refused}")
        return 1
    if as_json:
        _print_document(found)
    else:
        _print(found)
    return 0


def _print(found: Checked) -> None:
    console = output()
    for strategy in found.strategies:
        _print_strategy(strategy)
    console.print(f"{describe(found.board)}: {found.board.to_text()}")
    worth = scale_of(found.board.game, Exact()).text(found.value)
    console.print(f"{worth} for {found.board.turn}, who is to move: proved; checked in {found.seconds:.1f} s")


def _print_strategy(strategy: CheckedStrategy) -> None:
    console, side = output(), strategy.side
    rows = [[str(level.left), f"{level.own:,}", f"{level.other:,}"] for level in strategy.levels]
    if rows:
        print_table(console, "", ["moves left", f"{side}'s move played", "every answer played"], rows)
    searched = f"{how_many(strategy.leaves, 'leaf', 'leaves')} with {strategy.leaf} moves left searched to the end"
    games = f", {how_many(strategy.finished, 'game')} ended before" if strategy.finished else ""
    console.print(
        f"{side} holds {strategy.bound:+d} against every answer: {how_many(strategy.positions, 'position')}, "
        f"{searched} ({scaled(strategy.nodes)} nodes){games}\n"
    )


def _print_document(found: Checked) -> None:
    from outflank.ui.cli.documents import CheckedLevelDocument, CheckedStrategyDocument, ProofCheckDocument

    strategies = [
        CheckedStrategyDocument(
            side=each.side.value,
            bound=each.bound,
            positions=each.positions,
            levels=[CheckedLevelDocument(left=level.left, own=level.own, other=level.other) for level in each.levels],
            finished=each.finished,
            leaf=each.leaf,
            leaves=each.leaves,
            nodes=each.nodes,
        )
        for each in found.strategies
    ]
    print_json(
        ProofCheckDocument(
            game=game_name(found.board.game),
            position=found.board.to_text(),
            value=found.value,
            strategies=strategies,
            seconds=round(found.seconds, 6),
        )
    )
