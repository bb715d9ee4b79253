"""The command `outflank`: its subcommands, error messages and exit status. Subcommands are imported when called."""

import os
import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

import click

from outflank import __version__
from outflank.errors import OutflankError, reason_of
from outflank.ui.cli.shared.interrupting import INTERRUPTED, exit_status, sigterm_as_ctrl_c
from outflank.ui.cli.shared.option_groups import Group, add_import_option
from outflank.ui.cli.shared.plain_text import use_plain_text, wrapped_line
from outflank.ui.cli.shared.streams import discard_output, reopen_closed_streams

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "search": ("searching", "Find the best move of a position."),
    "solve": ("solving", "Prove the final score of positions."),
    "proof": ("solving", "Check the proof of a solved position."),
    "perft": ("searching", "Count the leaves of a game tree."),
    "play": ("playing", "Play a game, or watch one."),
    "serve": ("playing", "Play, analyse and watch searches in a browser."),
    "puzzles": ("playing", "Solve puzzles, make them from games, and check them."),
    "review": ("game_files", "Analyse a game and judge its moves."),
    "book": ("books", "Build an opening book, or look into one."),
    "explore": ("books", "Show the moves that many games made in a position."),
    "match": ("playing", "Play a match and say which player is stronger."),
    "train": ("training", "Learn an evaluation from the rules of a game."),
    "cluster": ("installation", "Start, join or end a cluster of machines."),
    "lab": ("laboratory", "Run experiments on parallel search."),
    "engine": ("playing", "Play for another program: GTP 2 or NBoard 2."),
    "show": ("game_files", "Draw a position or the end of a game."),
    "games": ("game_files", "List the games in a file."),
    "convert": ("game_files", "Copy games from one format to another."),
    "plugins": ("installation", "List everything that can be chosen by name, with its origin."),
    "bench": ("laboratory", "Search a fixed set of positions, and count the nodes."),
    "warm": ("installation", "Compile every kernel ahead of its first use."),
    "completion": ("installation", "Complete commands, options and names in the shell."),
    "man": ("installation", "Print or install the manual page."),
    "doctor": ("installation", "Collect facts for a bug report, and test this installation."),
}
"""Folder and one-line summary of each subcommand. `NAME_command.py` in that folder defines the command NAME."""


class _LazyGroup(Group):
    """Command group that lists its commands without importing them, and imports a command only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        folder, _ = COMMANDS[name]
        return add_import_option(import_module(f"outflank.ui.cli.{folder}.{name}_command").command)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Return the commands that begin with `incomplete`, without importing them."""
        from click.shell_completion import CompletionItem  # imported here because only shell completion needs it

        if not incomplete.startswith("-"):
            return [
                CompletionItem(name, help=summary)
                for name, (_, summary) in COMMANDS.items()
                if name.startswith(incomplete)
            ]
        return super().shell_complete(ctx, incomplete)

    def get_short_help_str(self, limit: int = 45) -> str:
        from outflank.games.description import OWN_GAMES  # imported here because only the help text needs it

        return (self.help or "").format(games=" and ".join(map(str.capitalize, OWN_GAMES)))

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        template = self.help
        try:
            self.help = self.get_short_help_str()
            super().format_help_text(ctx, formatter)
        finally:
            self.help = template

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(
    cls=_LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="outflank", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Parallel game-tree search for {games}."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


add_import_option(cli)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. Exit status: 0 success, 1 negative result, 2 bad input, 130 interrupted, 143 terminated."""
    reopen_closed_streams()
    warnings.showwarning = _one_line_warning
    for stream in (sys.stdout, sys.stderr):
        use_plain_text(stream)
    try:
        if "OUTFLANK_LOG" in os.environ:
            from outflank.logs import log_to_file  # imported here, so that other commands start faster

            log_to_file()
        with sigterm_as_ctrl_c():
            status = cli.main(args=arguments, prog_name="outflank", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        _fail(context.command_path if context else "outflank", error.format_message())
    except OutflankError as error:
        _fail("outflank", str(error))
    except (KeyboardInterrupt, click.Abort):
        sys.stderr.write("outflank: interrupted\n")
        sys.exit(exit_status(INTERRUPTED))
    except OSError as error:
        discard_output()
        _fail("outflank", f"cannot write: {reason_of(error)}")
    sys.exit(exit_status(status) if isinstance(status, int) else 0)


def _fail(command: str, message: str) -> NoReturn:
    line = " ".join(message.split())
    sys.stderr.write(wrapped_line(f"{command}: {line}", sys.stderr) + "\n")
    sys.exit(2)


def _one_line_warning(message: Warning | str, *rest: object, **more: object) -> None:
    sys.stderr.write(wrapped_line(f"outflank: warning: {message}", sys.stderr) + "\n")
