"""Files of `outflank search`: `--trace`, what each worker does and when, for trace viewers; `--steps`, every node."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from outflank.boards import Board
from outflank.errors import InvalidOption, OutflankError, reason_of
from outflank.formats.files import replacing, write_whole
from outflank.lab.measuring.search_samples import check_divides
from outflank.lab.measuring.traces import intervals, trace_lines, with_notation
from outflank.parallel.events import EventRecording
from outflank.search.division import select_scheme
from outflank.search.recorded_search import MOST_DEPTH, record_search
from outflank.search.request import Options
from outflank.ui.cli.shared.position_options import diagnostics
from outflank.validation.documents import encoded
from outflank.validation.text import how_many

CAPACITY = 1 << 20
"""Maximum number of recorded events of one worker in one iteration, which take 56 MiB: some seconds of a search whose
parts are short, minutes of most."""


def check_traceable(positions: list[Board], options: Mapping[str, Any], where: str | None) -> None:
    """Raise an error if no workers of this machine share a search of these positions, or if there are several."""
    if where is not None:
        raise InvalidOption("--trace records the workers of this machine: leave out --cluster")
    if len(positions) > 1:
        raise InvalidOption(f"--trace records one search, not {len(positions):,}: choose a position with --number")
    scheme, _ = select_scheme(Options(**options))
    if scheme is None:
        raise InvalidOption("--trace shows how workers share a search: choose their number with --workers")
    check_divides(scheme.name)


@contextmanager
def traced(file: str, board: Board) -> Iterator[EventRecording]:
    """Yield a recording for a search of `board`, and write it to `file` at the end of the block."""
    recording = EventRecording(CAPACITY)
    try:
        with replacing(Path(file)) as stream:
            yield recording
            events = recording.take()
            for line in trace_lines(with_notation(intervals(events), board)):
                stream.write(line.encode())
    except OSError as error:
        raise OutflankError(f"{file}: {reason_of(error)}") from None
    if recording.lost:
        diagnostics().print(f"warning: {how_many(recording.lost, 'event')} found no room: the trace has gaps")
    recorded = how_many(len(events), "event")
    diagnostics().print(f"{file}: {recorded} of the workers, for Perfetto or chrome://tracing", soft_wrap=True)


def write_steps(file: str, positions: list[Board], depth: int | None, options: Mapping[str, Any]) -> None:
    """Search the only one of `positions` by plain alpha-beta or minimax, and write every node to `file`."""
    if depth is None:
        raise InvalidOption(f"--steps needs a --depth, of at most {MOST_DEPTH}")
    if len(positions) > 1:
        raise InvalidOption(f"--steps records one search, not {len(positions):,}: choose a position with --number")
    context = click.get_current_context()
    if context.get_parameter_source("algorithm") is ParameterSource.DEFAULT:
        options = {**options, "algorithm": "alphabeta"}
    document = record_search(positions[0], depth, Options(**{**options, "table_bits": None}))
    try:
        write_whole(Path(file), encoded(document) + b"\n")
    except OSError as error:
        raise OutflankError(f"{file}: {reason_of(error)}") from None
    root = document.nodes[0]
    recorded = how_many(len(document.nodes), "node")
    diagnostics().print(f"{file}: {recorded}; {root.best} is worth {root.text} {document.unit}", soft_wrap=True)
