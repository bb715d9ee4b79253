"""`outflank lab`: a subcommand for each experiment, with options made from the experiment's parameters."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from importlib import import_module
from typing import Any

import click
from rich.cells import cell_len
from rich.console import Console

from outflank.command_lines import command_line
from outflank.distributed.launchers import refuse_copies
from outflank.lab import Report, RunProgress, experiment_named, redraw, run
from outflank.lab.drawing.exported_files import FORMATS
from outflank.lab.drawing.looks import THEMES, number
from outflank.lab.experiment import EXPERIMENTS
from outflank.lab.measuring.cluster_samples import join_cluster
from outflank.lab.measuring.search_log import by_position
from outflank.lab.result_store import document
from outflank.search.request import Stop
from outflank.ui.cli.shared.interrupting import INTERRUPTED, run_interruptibly
from outflank.ui.cli.shared.option_groups import add_import_option, import_modules_in
from outflank.ui.cli.shared.position_options import diagnostics, output
from outflank.ui.cli.shared.progress_line import ThrottledPrinter
from outflank.ui.cli.shared.search_options import ClusterOption
from outflank.ui.cli.shared.terminal_tables import print_table
from outflank.ui.shared.declared_options import CommaSeparated, click_parameter
from outflank.validation.documents import plain
from outflank.validation.text import how_many

LIST, REDRAW, GRADE = "list", "redraw", "grade"
MOST_FILES = 8
"""Maximum number of written files that are named in the printed output of a run."""
MOST_SEARCHED = 4
"""Maximum number of positions that are printed after a run, and maximum number of searches printed per position."""


class _Experiments(click.Group):
    """Command group that lists the experiments without importing them, and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*EXPERIMENTS.parts(), LIST, REDRAW, GRADE]

    def get_command(self, ctx: click.Context, name: str) -> click.Command:
        if name == GRADE:
            grade: click.Command = import_module("outflank.ui.cli.laboratory.grade_command").command
            return add_import_option(grade)
        if name in (LIST, REDRAW):
            return add_import_option({LIST: list_command, REDRAW: redraw_command}[name])
        return add_import_option(_experiment_command(name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Import the modules of `--import` after the experiment's name first, because they may define it."""
        if args[0] not in EXPERIMENTS.own:
            import_modules_in(args[1:])
        return super().resolve_command(ctx, args)


def _experiment_command(name: str) -> click.Command:
    experiment = experiment_named(name)
    parameters: list[click.Parameter] = [click_parameter(parameter) for parameter in fields(experiment.parameters)]
    parameters += [
        click.Option(["--out"], type=click.Path(), metavar="DIR", help="Write the page and the samples there."),
        click.Option(["--resume"], is_flag=True, help="Resume the interrupted run in --out DIR."),
        click.Option(["--replace"], is_flag=True, help="Measure again, even if --out DIR has a result."),
        ClusterOption(
            ["--tasks-on"],
            metavar="CLUSTER",
            help="Run tasks that are not timed, such as simulations, on the nodes of a cluster: {forms}.",
        ),
        *_drawing_options(),
        click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON object."),
        click.Option(["--quiet"], is_flag=True, help="Do not report progress."),
    ]
    origin = ", ".join(experiment.reports)
    origin_text = f"\n\nAfter report{'s' if len(experiment.reports) > 1 else ''} {origin}." if origin else ""
    argument_texts = [
        f"\n\n{parameter.name.upper()}: {parameter.metadata['help']}"
        for parameter in fields(experiment.parameters)
        if parameter.metadata["argument"]
    ]
    text = f"{experiment.question}{origin_text}{''.join(argument_texts)}"
    return click.Command(name, params=parameters, callback=_callback(name), help=text)


def _drawing_options() -> list[click.Parameter]:
    """Return the options for the figures of an experiment's report, and for their export to separate files."""
    formats = f"Also write figures and tables as separate files: {', '.join(FORMATS)}."
    return [
        click.Option(["--format", "formats"], type=CommaSeparated(str), default=None, metavar="NAME,…", help=formats),
        click.Option(["--theme"], type=click.Choice(list(THEMES)), default="light", help="Colours of those figures."),
        click.Option(
            ["--published/--no-published"], default=True, help="Whether figures show the published measurements."
        ),
    ]


def _callback(name: str) -> Callable[..., int]:
    def call(
        out: str | None,
        resume: bool,
        replace: bool,
        as_json: bool,
        quiet: bool,
        formats: tuple[str, ...] | None,
        theme: str,
        published: bool,
        tasks_on: str | None,
        **parameters: Any,
    ) -> int:
        arguments = {key: value for key, value in parameters.items() if value is not None and value != ()}
        stop = Stop()
        refuse_copies(tasks_on or arguments.get("cluster"))
        if tasks_on is not None and _serve_tasks(tasks_on):
            return 0
        if arguments.get("cluster") is not None:
            join_cluster(arguments["cluster"])
        with _bar(quiet=quiet) as progress:
            report = run_interruptibly(
                lambda: run(
                    name,
                    out=out,
                    resume=resume,
                    replace=replace,
                    formats=formats or (),
                    theme=theme,
                    published=published,
                    progress=progress,
                    stop=stop,
                    tasks_on=tasks_on,
                    **arguments,
                ),
                stop,
            )
        _show(report, as_json=as_json, out=out)
        if stop.called:
            hint = "" if out is None else f"; {command_line(['--resume', '--out', out])} goes on from here"
            diagnostics().print(f"interrupted{hint}")
            return INTERRUPTED
        return 0 if report.passed else 1

    return call


def _serve_tasks(where: str) -> bool:
    """If this process is an MPI rank other than the head, run tasks until the head has none left, and return True.
    Otherwise return False at once."""
    from outflank.distributed.cluster import serve_tasks
    from outflank.lab.task_process import NodeMeasurements

    return serve_tasks(where, NodeMeasurements)


@contextmanager
def _bar(*, quiet: bool) -> Iterator[Callable[[RunProgress], None] | None]:
    """Yield a callback that shows a run's progress: a bar with the time left on a terminal, lines elsewhere.

    If `quiet`, yield None.
    """
    console = diagnostics()
    if quiet:
        yield None
        return
    if not console.is_terminal:
        printer = ThrottledPrinter(console)

        def show(progress: RunProgress) -> None:
            _print_duration(console, progress)
            if progress.task:
                printer(_line(progress))

        yield show
        return
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.description}"),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=1.0, left="")

        def update(progress: RunProgress) -> None:
            _print_duration(console, progress)
            bar.update(task, completed=progress.done, description=progress.task, left=_time_left(progress))

        yield update


def _print_duration(console: Console, progress: RunProgress) -> None:
    """Before the first task, print how long the run took when it was measured for the package, if known."""
    if progress.first and progress.seconds_left is not None:
        console.print(f"This took {_duration(progress.seconds_left)} when it was measured for the package.")


def _line(progress: RunProgress) -> str:
    left = f", {_time_left(progress)}" if _time_left(progress) else ""
    return f"{progress.done:.0%} done{left}: {progress.task}"


def _time_left(progress: RunProgress) -> str:
    return "" if progress.seconds_left is None else f"about {_duration(progress.seconds_left)} left"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@click.group(cls=_Experiments, invoke_without_command=True, subcommand_metavar="[NAME [OPTIONS]]")
@click.pass_context
def command(context: click.Context) -> None:
    """Run an experiment: print its table, and with --out write a page, the samples and everything needed to repeat it.

    Without a name, or with `list`, list the experiments.

    \b
      outflank lab list
      outflank lab scaling --workers 1,2 --schemes ybw,jamboree --out results
      outflank lab reproduce 004
      outflank lab redraw results/scaling.json --out paper --format pdf,latex --no-published
      outflank lab grade assignment_4.py
    """
    if context.invoked_subcommand is None:
        _list()


def _list() -> None:
    """List the experiments, and the question that each experiment answers."""
    console = output()
    rows = [
        [experiment.name, " ".join(experiment.reports), experiment.question]
        for experiment in EXPERIMENTS.parts().values()
    ]
    print_table(console, "", ["experiment", "reports", "what it answers"], rows)
    console.print(
        "outflank lab NAME --help lists the options; redraw FILE draws a result again, grade FILE grades homework."
    )


list_command = click.Command(LIST, callback=_list, help=_list.__doc__)


def _redraw(
    file: str,
    out: str | None,
    replace: bool,
    as_json: bool,
    formats: tuple[str, ...] | None,
    theme: str,
    published: bool,
    columns: tuple[str, ...] | None,
) -> int:
    """Draw a report again from the JSON file of a run, without measuring again."""
    report = redraw(
        file,
        out=out,
        replace=replace,
        formats=formats or (),
        theme=theme,
        published=published,
        columns=columns or (),
    )
    _show(report, as_json=as_json, out=out)
    return 0 if report.passed else 1


redraw_command = click.Command(
    REDRAW,
    params=[
        click.Argument(["file"], type=click.Path()),
        click.Option(["--out"], type=click.Path(), metavar="DIR", help="Write the page and the samples there."),
        click.Option(["--replace"], is_flag=True, help="Write there even if --out DIR has another result."),
        *_drawing_options(),
        click.Option(
            ["--columns"],
            type=CommaSeparated(str),
            default=None,
            metavar="NAME,…",
            help="Columns of tables, in this order; units may be left out.  [all]",
        ),
        click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON object."),
    ],
    callback=_redraw,
    help=_redraw.__doc__,
)


# --- output ---


def _show(report: Report, *, as_json: bool, out: str | None) -> None:
    console = output()
    if as_json:
        print(json.dumps(plain(document(report))), flush=True)
        return
    console.print(f"{report.question}\n")
    for section in report.sections:
        if section.name:
            console.print(f"\n{section.name}\n{'=' * cell_len(section.name)}")
        for table in (entry.without_empty_columns for entry in section.tables):
            rows = [[number(cell) for cell in row] for row in table.rows]
            print_table(console, table.title if table.title != section.name else "", list(table.columns), rows)
            for note in table.notes:
                console.print(f"  {note}")
        if section.name and not section.tables:
            titles = ", ".join(figure.title for figure in section.figures)
            console.print(f"  {how_many(len(section.figures), 'figure')}, which the page shows (--out): {titles}")
    for note in report.notes:
        console.print(f"• {note}")
    _print_searched(console, report)
    if not report.complete:
        console.print("• The run was interrupted: this is a part of it.")
    if not report.passed:
        console.print("• FAILED: something that must hold does not; see above.")
    if out is not None:
        names = sorted(report.written, key=lambda name: (name.count("."), name))  # the page before its figures
        more = f" and {len(names) - MOST_FILES} more" if len(names) > MOST_FILES else ""
        console.print(f"• {out}: {', '.join(names[:MOST_FILES])}{more}")


def _print_searched(console: Console, report: Report) -> None:
    """Print the first positions that the experiment searched, with the searches of each."""
    positions = by_position(report.searched)
    for position in positions[:MOST_SEARCHED]:
        name = f"{position.name}: " if position.name else ""
        console.print(f"• searched: {position.game} {name}{position.position}")
        for text, _ in position.lines[:MOST_SEARCHED]:
            console.print(f"    {text}")
        if len(position.lines) > MOST_SEARCHED:
            console.print(f"    and {len(position.lines) - MOST_SEARCHED} more")
    if len(positions) > MOST_SEARCHED:
        console.print(f"• searched: {len(positions) - MOST_SEARCHED} more positions, which --out and --json tell")
