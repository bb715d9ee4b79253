"""`outflank solve`: the exact score of positions."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from outflank.boards import Board
from outflank.distributed.cluster import check_options, connect
from outflank.distributed.launchers import refuse_copies
from outflank.errors import OutflankError
from outflank.gpu.choosing import DeviceAsked
from outflank.proofs.certificate import MOST_LEVELS
from outflank.proofs.finding import LEAF
from outflank.search.contract import Limits
from outflank.search.results import Result
from outflank.search.saving import EVERY_SECONDS
from outflank.search.solving import TABLE_BITS
from outflank.search.table import check_bits
from outflank.ui.cli.common import describe, diagnostics, games, output, position_options, print_json
from outflank.ui.cli.device_option import device_option
from outflank.ui.cli.game_options import PositionCommand
from outflank.ui.cli.interrupting import INTERRUPTED, stopping_at_ctrl_c
from outflank.ui.cli.search_thread import Latest
from outflank.ui.cli.sharing import cluster_option, parallel_option, table_option
from outflank.ui.cli.solve_device import check_beside_device
from outflank.ui.cli.solve_proof import Proof
from outflank.ui.cli.solve_run import UNREADABLE, Asked, Solving, expected_of
from outflank.ui.cli.solve_view import SolveTable, Total, Under, depth_of, drawn_below, memory_line, resumed_line
from outflank.ui.cli.sources import is_a_file
from outflank.ui.cli.writing import force_option


@click.command("solve", cls=PositionCommand)
@position_options
@click.option("--wld", is_flag=True, help="Prove only who wins, which takes less: won, drawn or lost.")
@click.option("--moves", "every_move", is_flag=True, help="Find the score of every legal move.")
@click.option("--time", "seconds", type=float, help="Seconds for each position.  [no limit]")
@click.option("--nodes", type=int, help="Positions to enter, for each.  [no limit]")
@click.option("--workers", type=int, help="Threads that search.  [one per core]")
@parallel_option
@device_option("Where endings with few free cells are solved, all at once.")
@cluster_option("Solve")
@table_option(None, f"what a position needs, at most {TABLE_BITS}")
@click.option("--proof", "proof_file", metavar="FILE", help="Write a proof, which `outflank proof check` checks.")
@click.option(
    "--leaf",
    type=click.IntRange(0, MOST_LEVELS - 1),
    metavar="N",
    help="Moves left at which the proof ends and its check searches on: fewer make it larger, and its check shorter."
    f"  [{LEAF}, or half of what is left]",
)
@force_option
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep what is proved there, and go on from it if it is there. One position; removed when that is solved.",
)
@click.option(
    "--save-every",
    type=float,
    default=EVERY_SECONDS,
    show_default=True,
    help="Seconds between two states that are saved.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each position, and one for all.")
def command(
    text: str | None,
    file: str | None,
    wld: bool,
    every_move: bool,
    seconds: float | None,
    nodes: int | None,
    workers: int | None,
    parallel: str | None,
    device: DeviceAsked,
    where: str | None,
    table_bits: int | None,
    proof_file: str | None,
    leaf: int | None,
    force: bool,
    save: Path | None,
    save_every: float,
    as_json: bool,
    **rest: Any,
) -> int:
    """Prove the final score of positions under perfect play: of a text, of a file, or of standard input (-).

    Where a script says what moves are worth, as OBF does, the scores are compared. A line that cannot be read is named,
    and the others are solved. Ctrl-C ends it with what is proved by then.

    The status is 1 where a score was not proved or is not as expected, and 2 where a line could not be read, or a GPU
    was lost.

    \b
      outflank solve --size 4
      outflank solve endings.obf --workers 2
      outflank solve endings.obf --number 3 --moves
      outflank solve endings.obf --wld --time 60 --json
      outflank solve endings.obf --device gpu
      outflank solve --size 4 --proof four.proof
      outflank solve --size 6 --save six.state
    """
    refuse_copies(where)
    if device != "cpu":
        check_beside_device(proof=proof_file, save=save, cluster=where, time=seconds, nodes=nodes)
    if text is not None and file is None and is_a_file(text):
        text, file = None, text
    total = Total()
    asked = _positions(total, text=text, file=file, **rest)
    if save is not None and len(asked) > 1:
        raise OutflankError(f"--save keeps one position, and there are {len(asked)}; --number N chooses one")
    limits = Limits(seconds=seconds, nodes=nodes)
    options: dict[str, Any] = {"exact": True, "canonical": True, "wld": wld, "workers": workers}
    if table_bits is not None:
        options["table_bits"] = table_bits or None
    if table_bits:
        check_bits(table_bits)  # before anything is printed
    proof = None
    if proof_file is None and leaf is not None:
        raise OutflankError("--leaf is for proofs: say where with --proof")
    if proof_file is not None:
        proof = Proof(
            proof_file,
            leaf=leaf,
            force=force,
            table_bits=TABLE_BITS if table_bits is None else table_bits,
            workers=workers,
        )
        proof.check_asked([board for board, _ in asked], wld=wld, cluster=where is not None)
    with ExitStack() as opened:
        cluster = None
        if where is not None:
            check_options(replication="async", parallel=parallel, algorithm="pvs")
            cluster = opened.enter_context(connect(where, workers=workers))
        solving = Solving(
            limits,
            {**options, "parallel": parallel},
            every_move=every_move,
            cluster=cluster,
            proof=proof,
            device=device,
        )
        solving.at_once([board for board, _ in asked], quiet=as_json)
        if save is not None:
            solving.save(save, asked[0][0], save_every)
        shown = _print_documents if as_json else _print_table
        status = shown(solving, asked, total)
    return max(status, UNREADABLE if total.unreadable and status != INTERRUPTED else 0)


def _positions(total: Total, **rest: Any) -> list[Asked]:
    """All positions that can be read; what is wrong with the others is told."""
    wrong: list[str] = []
    found = games(**rest, skipped=wrong.append)
    if not found:
        raise OutflankError(wrong[0])
    for each in wrong:
        diagnostics().print(f"outflank: {' '.join(each.split())}")
    total.unreadable = len(wrong)
    return found


def _print_table(solving: Solving, asked: list[Asked], total: Total) -> int:
    console = output()
    table = SolveTable(console, several=len(asked) > 1)
    if solving.saving is not None and solving.saving.resumed is not None:
        console.print(resumed_line(solving.saving.path, solving.saving.resumed.saved))
    table.begin()
    result: Result | None = None
    with stopping_at_ctrl_c(solving.stop), drawn_below(console) as under:
        for number, board, record in solving.reached(asked):
            result = _last(solving, table, under, number, board)
            differing = solving.differences(board, record, result)
            under.show("")
            proved = solving.proved(board, result)
            table.add(number, board, result, differing, proved=proved)
            total.add(result, differing, proved=proved)
    console.print()
    if table.several:
        table.end(total)
    elif result is not None:
        console.print(f"{describe(asked[0][0])}: {_answer(asked[0][0], result)}")
    console.print(memory_line(total))
    if solving.proof is not None and result is not None:
        with stopping_at_ctrl_c(solving.stop):
            written = solving.proof.write(asked[0][0], result, solving.stop, quiet=False)
        if written is not None:
            console.print(written.told)
    return solving.status(total)


def _last(solving: Solving, table: SolveTable, under: Under, number: int, board: Board[Any]) -> Result:
    """The result of a position, with what it is at drawn meanwhile."""
    latest = Latest()
    last: Result | None = None
    for each in solving.results(number, board, latest if table.console.is_terminal else None):
        last = each or last
        if table.console.is_terminal and (each is None or not each.exact):  # what is proved has its row at once
            under.show(table.under_way(number, board, latest.progress, last))
    assert last is not None
    return last


def _answer(board: Board[Any], result: Result) -> str:
    """One position's result in a sentence."""
    if result.move is None:
        return f"the game is over, {result.value_text} for {board.turn}"
    if result.exact:
        return f"{board.turn} plays {result.move}, {result.value_text}"
    known = f"{result.proved_text} is proved" if result.proved_text else "nothing is proved"
    return f"{board.turn} to move; the proof was not finished, {known}"


def _print_documents(solving: Solving, asked: list[Asked], total: Total) -> int:
    from msgspec import UNSET

    from outflank.ui.cli.solve_documents import SolveDocument, SolveTotalDocument

    with stopping_at_ctrl_c(solving.stop):
        for number, board, record in solving.reached(asked):
            last = [each for each in solving.results(number, board, None) if each is not None][-1]
            differing = solving.differences(board, record, last)
            total.add(last, differing, proved=solving.proved(board, last))
            written = None if solving.proof is None else solving.proof.write(board, last, solving.stop, quiet=True)
            print_json(
                SolveDocument.of(
                    board,
                    number,
                    last,
                    depth=depth_of(board),
                    wld=solving.wld,
                    expected=expected_of(record),
                    differing=differing,
                    proof=UNSET if written is None else written.document,
                    before=solving.saving,
                )
            )
    print_json(
        SolveTotalDocument(
            positions=total.positions,
            proved=total.proved,
            differing=total.differing,
            unreadable=total.unreadable,
            nodes=total.nodes,
            seconds=round(total.seconds, 6),
            nodes_per_second=round(total.nodes_per_second),
            interrupted=solving.stop.called,
        )
    )
    return solving.status(total)
