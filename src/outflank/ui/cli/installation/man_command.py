"""`outflank man`: the manual page, made from the help texts of all commands."""

import re
from collections.abc import Iterator

import click

from outflank import __version__
from outflank.command_lines import PROGRAM
from outflank.folders import data_folder
from outflank.ui.cli.shared.output_files import STANDARD_OUTPUT, write_output
from outflank.ui.cli.shared.position_options import output

STATUS = {
    "0": "Success.",
    "1": "The answer is no, or none was found.",
    "2": "Bad input.",
    "130": "Interrupted (Ctrl-C).",
    "143": "Terminated.",
}
"""Exit statuses of all commands."""


LONGEST_LINE = 10_000
"""Width at which no paragraph of a help text is wrapped."""


@click.command("man")
@click.option("--install", is_flag=True, help="Write the page to the user's folder in which man looks for it.")
@click.pass_context
def command(context: click.Context, install: bool) -> None:
    """Print or install the manual page, which has the help texts of all commands.

    \b
      outflank man --install && man outflank
      outflank man | man -l -
    """
    root = context.find_root()
    page = "\n".join(_page(root)) + "\n"
    if not install:
        write_output(STANDARD_OUTPUT, page)
        return
    file = data_folder().parent / "man" / "man1" / f"{PROGRAM}.1"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_output(file, page)
    output().print(f"{file} is written")


def _page(root: click.Context) -> Iterator[str]:
    group = root.command
    assert isinstance(group, click.Group)
    yield f'.TH {PROGRAM.upper()} 1 "" "{PROGRAM} {__version__}" "User commands"'
    yield from (".SH NAME", rf"{PROGRAM} \- {_escaped(group.get_short_help_str().rstrip('.'))}")
    yield from (".SH SYNOPSIS", rf"\fB{PROGRAM}\fR \fICOMMAND\fR [\fIOPTIONS\fR] [\fIARGUMENTS\fR]", ".SH COMMANDS")
    for context in _contexts(group, root):
        yield from _section(context)
    yield ".SH EXIT STATUS"
    for status, meaning in STATUS.items():
        yield from (".TP", rf"\fB{status}\fR", _escaped(meaning))


def _contexts(group: click.Group, parent: click.Context) -> Iterator[click.Context]:
    """Yield a context for each command of a group, and for their subcommands."""
    for name in group.list_commands(parent):
        command = group.get_command(parent, name)
        assert command is not None
        context = click.Context(command, parent=parent, info_name=name)
        yield context
        if isinstance(command, click.Group):
            yield from _contexts(command, context)


def _section(context: click.Context) -> Iterator[str]:
    command = context.command
    yield f".SS {_escaped(context.command_path)} {_escaped(' '.join(command.collect_usage_pieces(context)))}"
    formatter = click.HelpFormatter(width=LONGEST_LINE)
    command.format_help_text(context, formatter)
    for paragraph in formatter.getvalue().strip().split("\n\n"):
        lines = [_escaped(line.removeprefix("  ")) for line in paragraph.split("\n")]
        # A paragraph is one line here, unless its lines keep their ends.
        yield from (".nf", *lines, ".fi") if len(lines) > 1 else (".PP", *lines)
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and record[1]:
            yield from (".TP", rf"\fB{_escaped(record[0])}\fR", _escaped(" ".join(record[1].split())))


def _escaped(text: str) -> str:
    """Return a line in which nothing is an instruction to roff, and all characters are of ASCII."""
    line = re.sub("^(?=[.'])", r"\\&", text.replace("\\", "\\e").replace("-", "\\-"))
    return re.sub(r"[^\x00-\x7f]", lambda character: f"\\[u{ord(character[0]):04X}]", line)
