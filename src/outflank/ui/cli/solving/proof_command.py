"""`outflank proof`: check certificates of solved positions."""

from pathlib import Path

import click

from outflank.games.evaluation import Exact, scale_of
from outflank.machine import MOST_WORKERS
from outflank.proofs.certificate import read_certificate
from outflank.proofs.checking import Checked, CheckedStrategy, check
from outflank.proofs.frontier import InvalidProof
from outflank.search.division import all_cores
from outflank.ui.cli.shared.option_groups import Group
from outflank.ui.cli.shared.position_options import describe, diagnostics, game_name, output, print_json, scaled
from outflank.ui.cli.shared.progress_line import progress_line, quiet_option
from outflank.ui.cli.shared.terminal_tables import print_table
from outflank.validation.text import how_many


@click.group("proof", cls=Group, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Check the proof of a solved position.

    `outflank solve --proof FILE` writes the proof. It has a strategy for each side, which guarantees the side the value
    of the position, however the opponent plays.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@command.command("check")
@click.argument("file", metavar="FILE")
@click.option("--workers", type=click.IntRange(1, MOST_WORKERS), help="Threads that check.  [one per core]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@quiet_option
def check_command(file: str, workers: int | None, as_json: bool, quiet: bool) -> int:
    """Check a proof with an independent implementation of the rules; the status is 1 if the proof is refused.

    Every position that a strategy can reach is visited, because all answers to the strategy's moves are played. Each
    leaf is searched to the end of the game.
    """
    try:
        with progress_line(quiet=quiet or as_json) as report:
            checked = check(read_certificate(Path(file)), workers=workers or all_cores(), watch=report)
    except InvalidProof as reason:
        diagnostics().print(f"{file} is refused: {reason}")
        return 1
    if as_json:
        _print_document(checked)
    else:
        _print(checked)
    return 0


def _print(checked: Checked) -> None:
    console = output()
    for strategy in checked.strategies:
        _print_strategy(strategy)
    console.print(f"{describe(checked.board)}: {checked.board.to_text()}")
    value_text = scale_of(checked.board.game, Exact()).text(checked.value)
    console.print(f"{value_text} for {checked.board.turn}, who is to move: proved; checked in {checked.seconds:.1f} s")


def _print_strategy(strategy: CheckedStrategy) -> None:
    console, side = output(), strategy.side
    rows = [[str(level.left), f"{level.own:,}", f"{level.other:,}"] for level in strategy.levels]
    if rows:
        print_table(console, "", ["moves left", f"{side}'s move played", "every answer played"], rows)
    leaves_text = f"{how_many(strategy.leaves, 'leaf', 'leaves')} with {strategy.leaf} moves left searched to the end"
    games_text = f", {how_many(strategy.finished, 'game')} ended before" if strategy.finished else ""
    console.print(
        f"{side} holds {strategy.bound:+d} against every answer: {how_many(strategy.positions, 'position')}, "
        f"{leaves_text} ({scaled(strategy.nodes)} nodes){games_text}\n"
    )


def _print_document(checked: Checked) -> None:
    from outflank.ui.cli.shared.json_documents import CheckedLevelDocument, CheckedStrategyDocument, ProofCheckDocument

    strategies = [
        CheckedStrategyDocument(
            side=strategy.side.value,
            bound=strategy.bound,
            positions=strategy.positions,
            levels=[
                CheckedLevelDocument(left=level.left, own=level.own, other=level.other) for level in strategy.levels
            ],
            finished=strategy.finished,
            leaf=strategy.leaf,
            leaves=strategy.leaves,
            nodes=strategy.nodes,
        )
        for strategy in checked.strategies
    ]
    print_json(
        ProofCheckDocument(
            game=game_name(checked.board.game),
            position=checked.board.to_text(),
            value=checked.value,
            strategies=strategies,
            seconds=round(checked.seconds, 6),
        )
    )
