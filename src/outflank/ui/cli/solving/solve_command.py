"""`outflank solve`: prove the exact scores of positions."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from outflank.boards import Board
from outflank.distributed.launchers import refuse_copies
from outflank.errors import OutflankError
from outflank.gpu.choosing import DeviceOption
from outflank.proofs.certificate import MOST_LEVELS
from outflank.proofs.finding import LEAF
from outflank.search.keywords import SearchArguments
from outflank.search.request import Limits
from outflank.search.results import Result
from outflank.search.saving import EVERY_SECONDS
from outflank.search.solving import TABLE_BITS
from outflank.search.table import check_bits
from outflank.ui.cli.shared.device_option import device_option
from outflank.ui.cli.shared.game_options import PositionCommand
from outflank.ui.cli.shared.interrupting import INTERRUPTED, stopping_at_ctrl_c
from outflank.ui.cli.shared.output_files import force_option
from outflank.ui.cli.shared.position_options import (
    describe,
    diagnostics,
    games,
    output,
    position_options,
    print_json,
)
from outflank.ui.cli.shared.search_options import cluster_option, parallel_option, search_options
from outflank.ui.cli.shared.search_thread import LatestProgress
from outflank.ui.cli.solving.solve_proof import Proof
from outflank.ui.cli.solving.solve_run import UNREADABLE, Position, Solving, check_device_options, expected_scores
from outflank.ui.cli.solving.solve_view import LiveRow, SolveTable, Total, depth_of, live_row, memory_line, resumed_line


@click.command("solve", cls=PositionCommand)
@position_options
@search_options("wld", help="Prove only win, draw or loss, which is faster.")
@click.option("--moves", "every_move", is_flag=True, help="Find the score of every legal move.")
@search_options("seconds", help="Seconds for each position.", usual="no limit")
@search_options("nodes", help="Nodes to search for each position.", usual="no limit")
@search_options("workers", usual="one per core")
@parallel_option
@device_option("Where endings with few free cells are solved, all in parallel.")
@cluster_option("Solve")
@search_options("table_bits", default=None, usual=f"as a position needs, at most {TABLE_BITS}")
@click.option("--proof", "proof_file", metavar="FILE", help="Write a proof for `outflank proof check`.")
@click.option(
    "--leaf",
    type=click.IntRange(0, MOST_LEVELS - 1),
    metavar="N",
    help="Moves left at which the proof ends and its check searches: fewer make the proof larger and its check faster."
    f"  [{LEAF}, or half of the moves left]",
)
@force_option
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Save the state of the proof there, and resume from it. For one position; removed when it is solved.",
)
@click.option(
    "--save-every",
    type=float,
    default=EVERY_SECONDS,
    show_default=True,
    help="Seconds between two saved states.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each position, and one for all.")
def command(
    wld: bool,
    every_move: bool,
    seconds: float | None,
    nodes: int | None,
    workers: int | None,
    parallel: str | None,
    device: DeviceOption,
    where: str | None,
    table_bits: int | None,
    proof_file: str | None,
    leaf: int | None,
    force: bool,
    save: Path | None,
    save_every: float,
    as_json: bool,
    **position_arguments: Any,
) -> int:
    """Prove the final score of positions under perfect play, from a text, a file, or standard input (-).

    If the file states scores of moves, as OBF files do, the proved scores are compared with them. A line that cannot be
    read is reported, and the other positions are solved. Ctrl-C ends the command with the results proved so far.

    The status is 1 if a score was not proved or differs from the expected one, and 2 if a line could not be read or a
    GPU was lost.

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
        check_device_options(proof=proof_file, save=save, cluster=where, time=seconds, nodes=nodes)
    total = Total()
    positions = _positions(total, **position_arguments)
    if save is not None and len(positions) > 1:
        raise OutflankError(f"--save keeps one position, and there are {len(positions)}; --number N chooses one")
    limits = Limits(seconds=seconds, nodes=nodes)
    options: SearchArguments = {"exact": True, "canonical": True, "wld": wld, "workers": workers}
    if table_bits is not None:
        options["table_bits"] = table_bits or None
    if table_bits:
        check_bits(table_bits)  # report an error before anything is printed
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
        proof.check_request([board for board, _ in positions], wld=wld, cluster=where is not None)
    with ExitStack() as stack:
        cluster = None
        if where is not None:
            from outflank.distributed.cluster import check_options, connect

            check_options(replication="async", parallel=parallel, algorithm="pvs")
            cluster = stack.enter_context(connect(where, workers=workers))
        solving = Solving(
            limits,
            {**options, "parallel": parallel},
            every_move=every_move,
            cluster=cluster,
            proof=proof,
            device=device,
        )
        solving.solve_on_device([board for board, _ in positions], quiet=as_json)
        if save is not None:
            solving.save(save, positions[0][0], save_every)
        print_results = _print_documents if as_json else _print_table
        status = print_results(solving, positions, total)
    return max(status, UNREADABLE if total.unreadable and status != INTERRUPTED else 0)


def _positions(total: Total, **position_arguments: Any) -> list[Position]:
    """Return all positions of the input that can be read. Print an error for each position that cannot be read."""
    errors: list[str] = []
    positions = games(**position_arguments, on_skip=errors.append)
    if not positions:
        raise OutflankError(errors[0])
    for error in errors:
        diagnostics().print(f"outflank: {' '.join(error.split())}")
    total.unreadable = len(errors)
    return positions


def _print_table(solving: Solving, positions: list[Position], total: Total) -> int:
    console = output()
    table = SolveTable(console, several=len(positions) > 1)
    if solving.saving is not None and solving.saving.resumed is not None:
        console.print(resumed_line(solving.saving.path, solving.saving.resumed.saved))
    table.begin()
    result: Result | None = None
    with stopping_at_ctrl_c(solving.stop), live_row(console) as row:
        for number, board, record in solving.reached_positions(positions):
            result = _final_result(solving, table, row, number, board)
            contradictions = solving.differences(board, record, result)
            row.show("")
            proved = solving.proved(board, result)
            table.add(number, board, result, contradictions, proved=proved)
            total.add(result, contradictions, proved=proved)
    console.print()
    if table.several:
        table.end(total)
    elif result is not None:
        console.print(f"{describe(positions[0][0])}: {_sentence(positions[0][0], result)}")
    console.print(memory_line(total))
    if solving.proof is not None and result is not None:
        with stopping_at_ctrl_c(solving.stop):
            written = solving.proof.write(positions[0][0], result, solving.stop, quiet=False)
        if written is not None:
            console.print(written.sentence)
    return solving.status(total)


def _final_result(solving: Solving, table: SolveTable, row: LiveRow, number: int, board: Board) -> Result:
    """Solve a position, draw the progress of the search meanwhile, and return the final result."""
    latest = LatestProgress()
    last: Result | None = None
    for update in solving.results(number, board, latest if table.console.is_terminal else None):
        last = update or last
        # A proved position gets its final row at once.
        if table.console.is_terminal and (update is None or not update.exact):
            row.show(table.progress_row(number, board, latest.progress, last))
    assert last is not None
    return last


def _sentence(board: Board, result: Result) -> str:
    """Return the result in a sentence, which is printed if there is only one position."""
    if result.move is None:
        return f"the game is over, {result.value_text} for {board.turn}"
    if result.exact:
        return f"{board.turn} plays {result.move}, {result.value_text}"
    known = f"{result.proved_text} is proved" if result.proved_text else "nothing is proved"
    return f"{board.turn} to move; the proof was not finished, {known}"


def _print_documents(solving: Solving, positions: list[Position], total: Total) -> int:
    from msgspec import UNSET

    from outflank.ui.cli.solving.solve_documents import SolveDocument, SolveTotalDocument

    with stopping_at_ctrl_c(solving.stop):
        for number, board, record in solving.reached_positions(positions):
            last = [update for update in solving.results(number, board, None) if update is not None][-1]
            contradictions = solving.differences(board, record, last)
            total.add(last, contradictions, proved=solving.proved(board, last))
            written = None if solving.proof is None else solving.proof.write(board, last, solving.stop, quiet=True)
            print_json(
                SolveDocument.of(
                    board,
                    number,
                    last,
                    depth=depth_of(board),
                    wld=solving.wld,
                    expected=expected_scores(record),
                    differing=contradictions,
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
